"""Makes data/sample_class/: what a teacher finds after a collection, good and bad.

`make sample` runs it.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from lesson_runner import COURSE
from mutants import right_answers
from nbformat import NotebookNode
from students import answered, solutions, solved, untouched

from mistakes import mistakes_of

FOLDER = COURSE.root / "data" / "sample_class"
BLOCK = "01_block"
LOOP = "def attention(x, w, n_heads, causal=False):\n    while True:\n        pass"
# What emmy got wrong in each lesson, by exercise.
FAULTS = {
    BLOCK: {"layer_norm": "unbiased variance"},
    "02_counting": {"gpt_parameters": "tied matrix counted twice, as in a state dict"},
    "03_sampling": {"keep_top_p": "the crossing token dropped"},
    "04_kv_cache": {"cached_forward": "positions skipped once there is a past"},
    "05_patches": {"resize_positions": "corners aligned"},
}


def wrong(lesson: str, exercise: str, name: str) -> str:
    """The answer cell of one mistake in the catalogue."""
    entry = next(
        mistake
        for mistake in mistakes_of(lesson)
        if (mistake.exercise, mistake.name) == (exercise, name)
    )
    return entry.answer(solutions(lesson)[exercise])


def other_style(lesson: str) -> NotebookNode:
    """Every exercise in the last of the other styles that the tests know."""
    return solved(lesson, **{r.exercise: r.source for r in right_answers(lesson)})


def half_done(lesson: str) -> NotebookNode:
    """The first two exercises and the first question."""
    answers = solutions(lesson)
    return answered(lesson, {n: answers[n] for n in [*list(answers)[:2], "quick_1"]})


def one_fault(lesson: str) -> NotebookNode:
    faults = FAULTS[lesson].items()
    changes = {name: wrong(lesson, name, fault) for name, fault in faults}
    return solved(lesson, **changes)


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
    """Those who handed in lesson 1 alone, most of it in some disarray."""
    post_ln = wrong(BLOCK, "pre_ln_block", "norms after the sums")
    merged = wrong(BLOCK, "attention", "merged without a transpose")
    return {
        "dora": lambda: untouched(BLOCK),
        "felix": lambda: solved(BLOCK, pre_ln_block=post_ln),
        "grace": lambda: solved(BLOCK, attention=merged),
        "hedy": lambda: saved_by_colab(solved(BLOCK)),
        "ivan": lambda: without_a_check(solved(BLOCK)),
        "julia": lambda: without_metadata(solved(BLOCK)),
        "kurt": lambda: solved(BLOCK, attention=LOOP),
        "maria": lambda: with_a_copied_check(solved(BLOCK)),
    }


# Those who handed in all lessons.
DILIGENT: dict[str, Callable[[str], NotebookNode]] = {
    "ada": solved,
    "blaise": other_style,
    "carl": half_done,
    "emmy": one_fault,
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
    for student, notebook in DILIGENT.items():
        for lesson in COURSE.lesson_names():
            write(notebook(lesson), folder / student / lesson / f"{lesson}.ipynb")
    no_notebook = folder / "lise" / BLOCK / f"{BLOCK}.ipynb"
    no_notebook.parent.mkdir(parents=True)
    no_notebook.write_text("<!DOCTYPE html><title>Please log in</title>\n")


if __name__ == "__main__":
    make(FOLDER)
    print(f"{len(list(FOLDER.iterdir()))} students in {FOLDER.name}/")
