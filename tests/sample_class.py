"""Makes data/sample_class/: what a teacher finds after a collection, good and bad.

Run it from the repository root: .venv/bin/python tests/sample_class.py
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from lesson_runner import COURSE
from nbformat import NotebookNode
from right_answers.block import RIGHT
from students import answered, solutions, solved, untouched
from wrong_answers.block import WRONG

FOLDER = COURSE.root / "data" / "sample_class"
BLOCK = "01_block"
LOOP = "def attention(x, w, n_heads, causal=False):\n    while True:\n        pass"


def right(exercise: str, style: str) -> str:
    return next(r.source for r in RIGHT if (r.exercise, r.style) == (exercise, style))


def wrong(exercise: str, fault: str) -> str:
    return next(w.source for w in WRONG if (w.exercise, w.fault) == (exercise, fault))


def other_style() -> NotebookNode:
    return solved(
        BLOCK,
        layer_norm=right("layer_norm", "row by row in a loop"),
        attention=right("attention", "einsum, no transpose"),
    )


def half_done() -> NotebookNode:
    mine = {name: solutions(BLOCK)[name] for name in ("layer_norm", "mlp", "quick_1")}
    return answered(BLOCK, mine)


def saved_by_colab(notebook: NotebookNode) -> NotebookNode:
    """Format 4.0 without cell ids, a badge cell, Colab's metadata, cut-off widgets."""
    for number, cell in enumerate(notebook.cells):
        del cell["id"]
        cell.metadata["id"] = f"c0lab{number:07d}"
        if cell.cell_type == "code":
            cell.metadata["outputId"] = "5e0b3a11-0000-4000-8000-000000000000"
            cell.metadata["executionInfo"] = {"status": "ok", "elapsed": 12}
            cell.execution_count = number
    badge = {
        "cell_type": "markdown",
        "metadata": {"id": "view-in-github", "colab_type": "text"},
        "source": '<a href="https://colab.research.google.com/">Open In Colab</a>',
    }
    notebook.cells.insert(0, NotebookNode(badge))
    notebook.nbformat_minor = 0
    notebook.metadata["colab"] = {"provenance": [], "toc_visible": True}
    notebook.metadata["widgets"] = {
        "application/vnd.jupyter.widget-state+json": {"version_major": 2}
    }
    return notebook


def without_a_check(notebook: NotebookNode) -> NotebookNode:
    notebook.cells = [c for c in notebook.cells if c.id != "attention_check_2"]
    return notebook


def without_metadata(notebook: NotebookNode) -> NotebookNode:
    for number, cell in enumerate(notebook.cells):
        cell.metadata = NotebookNode()
        cell["id"] = f"cell-{number}"
    notebook.metadata = NotebookNode()
    return notebook


def with_a_copied_check(notebook: NotebookNode) -> NotebookNode:
    place = [cell.id for cell in notebook.cells].index("layer_norm_check_1")
    copy = NotebookNode(json.loads(json.dumps(notebook.cells[place])))
    copy["id"] = "layer-norm-copy"
    notebook.cells.insert(place + 1, copy)
    return notebook


def class_of_block() -> dict[str, Callable[[], NotebookNode]]:
    """Student → their notebook of lesson 1."""
    return {
        "ada": lambda: solved(BLOCK),
        "blaise": other_style,
        "carl": half_done,
        "dora": lambda: untouched(BLOCK),
        "emmy": lambda: solved(
            BLOCK, layer_norm=wrong("layer_norm", "unbiased variance")
        ),
        "felix": lambda: solved(
            BLOCK, pre_ln_block=wrong("pre_ln_block", "norms after the sums (E1-29)")
        ),
        "grace": lambda: solved(
            BLOCK,
            attention=wrong("attention", "merged without a transpose (E1-02)"),
        ),
        "hedy": lambda: saved_by_colab(solved(BLOCK)),
        "ivan": lambda: without_a_check(solved(BLOCK)),
        "julia": lambda: without_metadata(solved(BLOCK)),
        "kurt": lambda: solved(BLOCK, attention=LOOP),
        "maria": lambda: with_a_copied_check(solved(BLOCK)),
    }


def write(notebook: NotebookNode, file: Path) -> None:
    """Write a notebook as it stands, faults included (nbformat would mend them)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for cell in notebook.cells:
        if isinstance(cell.source, str):
            cell.source = cell.source.splitlines(keepends=True)
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    file.write_text(text + "\n", encoding="utf-8")


def make(folder: Path) -> None:
    """Write the whole class into `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for student, notebook in class_of_block().items():
        name = f"{BLOCK} (1).ipynb" if student == "maria" else f"{BLOCK}.ipynb"
        write(notebook(), folder / student / BLOCK / name)
    no_notebook = folder / "lise" / BLOCK / f"{BLOCK}.ipynb"
    no_notebook.parent.mkdir(parents=True)
    no_notebook.write_text("<!DOCTYPE html><title>Please log in</title>\n")


if __name__ == "__main__":
    make(FOLDER)
    print(f"{len(list(FOLDER.iterdir()))} students in {FOLDER.name}/")
