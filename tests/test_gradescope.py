"""The zip for Gradescope, laid out and run as it is there, but for apt and pip."""

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import nbformat
import pytest
from conftest import HAS_BWRAP, LESSON, _write_course, needs_bwrap

from autograder.cli import main
from autograder.course import CourseError
from autograder.gradescope import write_zip
from autograder.isolation import NOBODY
from autograder.release import release_lesson

RIGHT = {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'}
WRONG = {"double": "def double(x):\n    return 7", "quick_1": 'answer_1 = "a"'}
# What no student may see: a line of the solution, lines and numbers of hidden checks.
SECRETS = ("twice_as_much", "141414", "70707", "hidden()", "upper()")
HERE = f"python{sys.version_info.major}.{sys.version_info.minor}"

TEXT = {"type": "string"}
NUMBER = {"type": "number", "minimum": 0}
VISIBILITY = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
TEST = {
    "name": TEXT,
    "number": TEXT,
    "score": NUMBER,
    "max_score": NUMBER,
    "status": {"enum": ["passed", "failed"]},
    "output": TEXT,
    "output_format": {"const": "text"},
    "visibility": VISIBILITY,
}
RESULTS = {
    "score": NUMBER,
    "output": TEXT,
    "output_format": {"const": "text"},
    "visibility": VISIBILITY,
    "stdout_visibility": {"const": "hidden"},
    "execution_time": NUMBER,
    "tests": {"type": "array", "items": {}},
}


def whole(properties):
    """The schema of an object that has these properties, all of them, and no other."""
    names = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **names}


SCHEMA = whole(RESULTS | {"tests": {"type": "array", "items": whole(TEST)}})


def script(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def unpack(file, folder):
    """Unpack a zip with the permissions that it holds."""
    with zipfile.ZipFile(file) as packed:
        for entry in packed.infolist():
            Path(packed.extract(entry, folder)).chmod(entry.external_attr >> 16)


def python_for(who, folder):
    """A Python with torch that the user `who` can start; "" if there is none."""
    made = folder / "python"
    for python in (Path(sys.executable), made / "bin" / "python"):
        if python.is_relative_to(made) and Path(f"/usr/bin/{HERE}").exists():
            make = [f"/usr/bin/{HERE}", "-m", "venv", "--without-pip", str(made)]
            subprocess.run(make, check=True)
            packages = made / "lib" / HERE / "site-packages"
            ours = next(p for p in sys.path if p.endswith("site-packages"))
            (packages / "ours.pth").write_text(f"{ours}\n")
            # nbgrader starts it; pip puts it beside Python, too
            shutil.copy(Path(sys.executable).parent / "alembic", made / "bin")
        try:
            load = [str(python), "-I", "-c", "import torch"]
            subprocess.run(load, check=True, capture_output=True, user=who, cwd="/")
        except (OSError, subprocess.CalledProcessError):
            continue
        return str(python)
    return ""


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The small course, and the zip of its lesson, made by the command."""
    course = _write_course(tmp_path_factory.mktemp("gradescope") / "course")
    file = course.root / "autograder.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        with pytest.raises(SystemExit) as done:
            main(["gradescope", LESSON, "--pip-args", "--find-links '/my wheels'"])
    assert done.value.code == 0
    release_lesson(course, LESSON)
    return course, file


class Gradescope:
    """A folder as /autograder is, and what Gradescope does there."""

    def __init__(self, folder, file, kind):
        self.root, self.kind = folder / "autograder", kind
        unpack(file, self.root / "source")
        shutil.copy(self.root / "source" / "run_autograder", self.root)
        self.path = f"{folder / 'stubs'}:/usr/bin:/bin"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.temporary.chmod(0o1777)
        python = sys.executable
        if kind == "user":  # as where namespaces are not allowed
            script(folder / "stubs" / "bwrap", "exit 1")
            python = python_for(NOBODY, folder)
            if not python:
                pytest.skip(f"nobody can start neither {sys.executable} nor {HERE}")
        # What pip would make of it; -I would not let the package be found there.
        package = self.root / "source" / "package" / "autograder"
        shutil.copytree(package, self.root / "venv" / "lib" / "autograder")
        place = f"PYTHONPATH={self.root / 'venv' / 'lib'}"
        text = f'[ "$1" = -I ] && shift && {place} exec {python} "$@"'
        script(self.root / "venv" / "bin" / "python", text)

    def run(self, *, status=0):
        """Run run_autograder on what lies in submission/: results, what it printed."""
        done = subprocess.run(
            [str(self.root / "run_autograder")],
            env={
                "AUTOGRADER_ROOT": str(self.root),
                "PATH": self.path,
                "HOME": str(self.temporary),
                "TMPDIR": str(self.temporary),
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout + done.stderr
        text = (self.root / "results" / "results.json").read_text()
        assert os.listdir(self.root / "results") == ["results.json"]
        results = json.loads(text)
        jsonschema.validate(results, SCHEMA)
        assert not [secret for secret in SECRETS if secret in text]
        return results, done.stdout + done.stderr

    def hand_in(self, *files):
        """Begin anew, with `files` as (name, bytes) handed in."""
        for name in ("submission", "results"):
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir()
            (self.root / name).chmod(0o777)
        (self.root / "submission_metadata.json").write_text('{"users": ["ada@x.edu"]}')
        for name, content in files:
            file = self.root / "submission" / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)


needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="--sandbox user needs root; run it with sudo"
)
KINDS = [
    pytest.param("bwrap", marks=needs_bwrap),
    pytest.param("user", marks=needs_root),
]


@pytest.fixture(scope="module")
def gradescopes(packed):
    """gradescopes(kind) → Gradescope with the zip of the small course"""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def made(kind):
            # not in /tmp, which bubblewrap hides, nor where nobody cannot enter
            folder = Path(stack.enter_context(TemporaryDirectory(dir="/var/tmp")))
            folder.chmod(0o755)
            return Gradescope(folder, packed[1], kind)

        yield made


@pytest.fixture(params=KINDS)
def each(gradescopes, request):
    """Gradescope with each kind of sandbox."""
    return gradescopes(request.param)


@pytest.fixture
def gradescope(gradescopes):
    """Gradescope with the kind of sandbox that works here."""
    if not HAS_BWRAP and os.getuid() != 0:
        pytest.skip("no bubblewrap here; sudo apt-get install bubblewrap")
    return gradescopes("bwrap" if HAS_BWRAP else "user")


@pytest.fixture(scope="module")
def work(packed):
    """work(answers) → the released notebook with these answers, as a file's bytes"""

    def answered(answers):
        notebook = nbformat.read(packed[0].released(LESSON), as_version=4)
        for cell in notebook.cells:
            cell.source = answers.get(cell.id, cell.source)
        return nbformat.writes(notebook).encode()

    return answered


def scores(results):
    assert results["score"] == sum(test["score"] for test in results["tests"])
    return [test["score"] for test in results["tests"]]


def test_the_zip_holds_one_lesson_and_no_work_of_students(packed):
    _, file = packed
    with zipfile.ZipFile(file) as zipped:
        modes = {e.filename: e.external_attr >> 16 for e in zipped.infolist()}
    executable = {name for name, mode in modes.items() if mode & 0o111}
    assert executable == {"setup.sh", "run_autograder"}
    notebooks = [name for name in modes if name.endswith(".ipynb")]
    assert notebooks == [f"solutions/{LESSON}/{LESSON}.ipynb"]
    tops = {name.partition("/")[0] for name in modes}
    assert tops == {*executable, "constraints.txt", "package", "solutions"}
    assert not [name for name in modes if name.endswith((".db", ".csv", ".pyc"))]


def test_the_same_course_gives_the_same_zip(packed, tmp_path):
    course, file = packed
    write_zip(course, LESSON, tmp_path / "again.zip", "--find-links '/my wheels'")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()


def test_the_package_in_the_zip_is_what_pip_can_build(packed, tmp_path):
    unpack(packed[1], tmp_path / "source")
    make = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    package = str(tmp_path / "source" / "package")
    subprocess.run([*make, "-q", "-w", tmp_path, package], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as built:
        names = set(built.namelist())
    folder = tmp_path / "source" / "package" / "autograder"
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {f"autograder/{file.relative_to(folder)}" for file in files} <= names


@pytest.mark.parametrize(
    ("lesson", "options", "told"),
    [
        ("02_other", "", "Known: 01_tiny"),
        (LESSON, "--find-links 'x", "--pip-args"),
        ("01_tiny/..", "", "Known: 01_tiny"),
    ],
)
def test_a_wrong_call_is_told(packed, tmp_path, lesson, options, told):
    with pytest.raises(CourseError, match=told):
        write_zip(packed[0], lesson, tmp_path / "a.zip", options)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_or_is_not_built_is_told(packed, course, tmp_path):
    with pytest.raises(CourseError, match="cannot be made"):
        write_zip(packed[0], LESSON, tmp_path / "nowhere" / "a.zip")
    course.solution(LESSON).unlink()
    with pytest.raises(CourseError, match=f"autograder build {LESSON}"):
        write_zip(course, LESSON, tmp_path / "a.zip")


def test_right_and_wrong_work(each, work):
    each.hand_in((os.fsdecode(b"My \x1b]0;Copy\xff (1).ipynb"), work(RIGHT)))
    results, printed = each.run()
    assert "\x1b" not in printed
    assert f"--sandbox {each.kind}" in printed
    assert scores(results) == [1, 2, 1]
    visible, *hidden = results["tests"]
    assert visible["name"] == "double: a small number"
    assert (visible["max_score"], visible["status"]) == (1, "passed")
    assert visible["visibility"] == "visible"
    assert {test["visibility"] for test in hidden} == {"after_published"}
    each.hand_in(("in/a folder.ipynb", work(WRONG)))
    results, _ = each.run()
    assert scores(results) == [0, 0, 0]
    assert {test["status"] for test in results["tests"]} == {"failed"}
    assert "got 7, not 4" in results["tests"][0]["output"]


def test_of_two_notebooks_the_one_with_the_lessons_name_is_taken(gradescope, work):
    name = f"{LESSON}.ipynb"
    others = [("a.ipynb", work(RIGHT)), (f".ipynb_checkpoints/{name}", work(RIGHT))]
    gradescope.hand_in(*others, (name, work({})))
    results, _ = gradescope.run()
    assert scores(results) == [0, 0, 0]
    assert "not attempted yet" in results["tests"][0]["output"]
    assert f"Of 2 notebooks for {LESSON}, {name} was taken." in results["output"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param([], "holds no file", id="nothing"),
        pytest.param([("essay.pdf", b"%PDF-1.7")], "is a PDF", id="no notebook"),
        pytest.param([("a.ipynb", b'{"cells": [')], "is damaged", id="half of one"),
    ],
)
def test_what_is_no_notebook_has_no_points_and_a_sentence(gradescope, files, told):
    gradescope.hand_in(*files)
    results, _ = gradescope.run()
    assert results["score"] == 0
    assert told in results["output"]
    assert not [test for test in results["tests"] if test["output"]]
    if files:
        assert [test["max_score"] for test in results["tests"]] == [1, 2, 1]


def test_a_link_to_the_solution_is_not_followed(gradescope):
    gradescope.hand_in()
    solutions = gradescope.root / "source" / "solutions"
    link = gradescope.root / "submission" / f"{LESSON}.ipynb"
    link.symlink_to(solutions / LESSON / f"{LESSON}.ipynb")
    (gradescope.root / "submission" / "folder").symlink_to(solutions)
    results, _ = gradescope.run()
    assert results["score"] == 0
    assert "symbolic link" in results["output"]


# It tells what it reached in the text of the error that the cell ends with.
HOSTILE = """
import gc, glob, os, sys, time
base, root, needle = {base!r}, {root!r}, "707" + "07"
found = []
def attempt(what, *args):
    try:
        what(*args)
        found.append((what.__name__, *args))
    except BaseException: pass
def read(file):
    open(file, "rb").read(1)
def write(file):
    open(file, "w").write('{{"score": 1000, "tests": []}}')
def forge():
    write(root + "/results/results.json")
own = (root + "/venv", base + "/python", base + "/stubs")
for folder, _, files in os.walk(base):
    if not folder.startswith(own):
        for file in files: attempt(read, folder + "/" + file)
for part in ("source", "submission", "results", "source/solutions"):
    attempt(os.listdir, root + "/" + part)
    attempt(write, root + "/" + part + "/mine")
for file in ("submission_metadata.json", "run_autograder", "results/results.json"):
    attempt(read, root + "/" + file)
    attempt(write, root + "/" + file)
attempt(read, {solution!r})
attempt(write, root + "/mine")
attempt(os.rename, root + "/results", root + "/mine")
attempt(os.chmod, root + "/source", 0o777)
attempt(forge)
for process in glob.glob("/proc/[0-9]*"):
    for name in ("environ", "mem", "cmdline"):
        try: text = open(process + "/" + name, "rb").read(10**6)
        except OSError: continue
        if b"1414" + b"14" in text: found.append(process + name)
for thing in gc.get_objects():
    for text in (list(thing.values()) if isinstance(thing, dict) else ()):
        if isinstance(text, str) and needle in text: found.append("memory")
if os.fork() == 0:  # stays behind, to write once the grades are there
    os.setsid()
    for _ in range(300):
        try: forge()
        except OSError: pass
        time.sleep(0.05)
    os._exit(0)
def double(x):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value) is int and value == -141414: return value
        frame = frame.f_back
    return 7
raise RuntimeError("reached: " + repr(found))
"""


def test_a_hostile_notebook_reads_no_solution_and_writes_no_results(each, work):
    root = each.root
    solution = root / "source" / "solutions" / LESSON / f"{LESSON}.ipynb"
    places = {"base": root.parent, "root": root, "solution": solution}
    source = HOSTILE.format(**{name: str(place) for name, place in places.items()})
    each.hand_in(("a.ipynb", work({"double": source})))
    results, printed = each.run()
    assert scores(results) == [0, 0, 0]
    assert "reached: []" in results["tests"][0]["output"]
    assert "Have a look at the cell double" in printed
    assert "Have a look" not in json.dumps(results)
    file = root / "results" / "results.json"
    time.sleep(1)  # what stayed behind had its chance
    assert json.loads(file.read_text()) == results


def test_a_fault_of_the_autograder_is_told_to_both(gradescope, work):
    gradescope.hand_in(("a.ipynb", work(RIGHT)))
    solution = gradescope.root / "source" / "solutions" / LESSON / f"{LESSON}.ipynb"
    text = solution.read_text()
    solution.write_text(text.replace("x + x", "x + 1"))
    try:
        results, printed = gradescope.run(status=1)
    finally:
        solution.write_text(text)
    assert (results["score"], results["tests"]) == (0, [])
    assert "fault of the autograder" in results["output"]
    assert "own answer fails at double_check_1" in printed


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_the_scripts_are_sound(packed, tmp_path, name):
    unpack(packed[1], tmp_path)
    done = subprocess.run(["bash", "-n", tmp_path / name], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


# Each stub writes a line of what it was called with.
RECORD = 'echo "$(basename "$0") $*" >> "$CALLS"\n'
APT = RECORD + 'case " $* " in *" ${MISSING:-nothing} "*) exit 100 ;; esac'
# Python says that it is an older one, and finds a torch of which only this is there.
PYTHON = (
    RECORD + f'real="{sys.executable}"\n'
    '[ "$1" = -c ] && exec "$real" -c "import sys; sys.version_info = $VERSION; $2"\n'
    '[ "$1" = - ] && PYTHONPATH="$TORCH" exec "$real" -\n'
    'mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$(dirname "$0")/pip" "$3/bin"'
)


@pytest.fixture
def set_up(packed, tmp_path):
    """set_up(**settings) → status, calls of apt-get, python and pip, what it said"""
    root, stubs, calls = tmp_path / "autograder", tmp_path / "stubs", tmp_path / "calls"
    unpack(packed[1], root / "source")
    script(stubs / "apt-get", APT)
    script(stubs / "pip", RECORD)
    for name in ("python3.11", "python3"):
        script(stubs / name, PYTHON)
    torch = tmp_path / "torch"
    torch.mkdir()
    (torch / "__init__.py").write_text("raise ImportError('this needs CUDA')")

    def run(cuda=None, **settings):
        (torch / "version.py").write_text(f"cuda: str | None = {cuda!r}\n")
        done = subprocess.run(
            [root / "source" / "setup.sh"],
            env={
                "AUTOGRADER_ROOT": str(root),
                "PATH": f"{stubs}:/usr/bin:/bin",
                "CALLS": str(calls),
                "TORCH": str(tmp_path),
                **({"VERSION": "(3, 11)"} | settings),
            },
            capture_output=True,
            text=True,
        )
        lines = calls.read_text().splitlines()
        return done.returncode, lines, done.stderr, str(root)

    return run


def test_setup_installs_bubblewrap_python_and_the_pinned_package(set_up):
    status, calls, said, root = set_up()
    assert (status, said) == (0, "")
    apt = [line for line in calls if line.startswith("apt-get install")]
    assert apt[0].endswith(" bubblewrap")
    assert apt[1].endswith(" python3.11 python3.11-venv")
    assert f"python3.11 -m venv {root}/venv" in calls
    pip = [line for line in calls if line.startswith("pip")]
    common = (
        "pip install --progress-bar off --no-cache-dir "
        f"-c {root}/source/constraints.txt --find-links /my wheels"
    )
    assert pip == [f"{common} --no-deps torch", f"{common} {root}/source/package"]
    pins = Path(root, "source", "constraints.txt").read_text().splitlines()
    assert "torch==2.13.0" in pins


def test_setup_takes_a_newer_python_where_there_is_no_3_11(set_up):
    status, calls, _, root = set_up(MISSING="python3.11")
    assert status == 0
    assert f"python3 -m venv {root}/venv" in calls


def test_setup_tells_that_python_is_too_old(set_up):
    status, calls, said, _ = set_up(VERSION="(3, 10, 12)")
    assert status == 1
    assert "Python 3.11 or newer is needed" in said
    assert not [line for line in calls if line.startswith("pip")]


def test_setup_refuses_torch_for_cuda(set_up):
    status, calls, said, _ = set_up(cuda="13.0")
    assert status == 1
    assert "--pip-args" in said
    assert len([line for line in calls if line.startswith("pip")]) == 1
