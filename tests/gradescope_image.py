"""What gradescope_image.sh hands in, and what must come of it.

Usage: gradescope_image.py make LESSON FOLDER | check KIND WORK FOLDER
"""

import json
import sys
from pathlib import Path

import nbformat

SCORES = {"solved": 20, "wrong": 16, "hostile": 0, "nothing": 0}
WRONG = """
def patchify(images, patch):
    batch, channels, height, width = images.shape
    return images.reshape(batch, -1, channels * patch**2)
"""
# It tells what it reached in the error that the cell ends with.
HOSTILE = """
import os, socket
root, found = "/autograder", []
def attempt(what, *args):
    try: what(*args)
    except OSError: return
    found.append((what.__name__, *args))
def read(file): open(file, "rb").read(1)
def write(file): open(file, "w").write('{"score": 1000, "tests": []}')
for folder, _, files in os.walk(root):
    if not folder.startswith(root + "/venv"):
        for file in files: attempt(read, folder + "/" + file)
for part in ("source", "submission", "results", "source/solutions"):
    attempt(os.listdir, root + "/" + part)
    attempt(write, root + "/" + part + "/mine")
for file in ("mine", "run_autograder", "results/results.json", "venv/mine"):
    attempt(write, root + "/" + file)
attempt(read, root + "/source/solutions/NAME/NAME.ipynb")
attempt(os.rename, root + "/results", root + "/mine")
attempt(read, "/etc/shadow")
try:
    socket.socket(type=socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
    found.append("network")
except OSError: pass
raise RuntimeError("reached: " + repr(found))
"""


def make(lesson: str, folder: Path) -> None:
    """Write the notebooks to hand in."""
    hostile = HOSTILE.replace("NAME", lesson)
    for name, answer in (("solved", None), ("wrong", WRONG), ("hostile", hostile)):
        notebook = nbformat.read(f"solutions/{lesson}/{lesson}.ipynb", as_version=4)
        for cell in notebook.cells:
            is_answer = cell.metadata.get("nbgrader", {}).get("solution")
            if name == "hostile" and is_answer:
                cell.source = "# nothing"
            if answer and cell.id == "patchify":
                cell.source = answer
        nbformat.write(notebook, folder / f"{name}.ipynb")


def check(kind: str, work: str, folder: Path) -> str:
    """What came of it, in a line. Raises SystemExit when that is not right."""
    printed = (folder / "printed").read_text()
    file = folder / "image" / "autograder" / "results" / "results.json"
    results = json.loads(file.read_text()) if file.is_file() else {"tests": []}
    outputs = "\n".join(test["output"] for test in results["tests"])
    reached = "reached: []" in outputs
    if kind == "user":  # this one has the network
        reached = reached or "reached: ['network']" in outputs
    problems = {
        "the exit status": "The exit status is" not in printed,
        "the sandbox": work == "nothing" or f"--sandbox {kind}\n" in printed,
        "the score": results.get("score") == SCORES[work],
        "the files": [path.name for path in file.parent.iterdir()] == [file.name],
        "what it reached": work != "hostile" or reached,
    }
    wrong = [name for name, is_right in problems.items() if not is_right]
    if wrong:
        raise SystemExit(f"wrong here: {', '.join(wrong)}\n{printed}\n{outputs}")
    return f"{results['score']:g} points, {results['execution_time']} s"


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], Path(sys.argv[3]))
    else:
        print(check(*sys.argv[2:4], Path(sys.argv[4])))
