"""The cells of a lesson → one edition of its notebook, not executed.

Two editions are made from one source: the solution notebook is nbgrader's source, with
answers and hidden checks; the self-study edition has stubs, visible checks and folded
solutions that are made from the same code.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.cells import Cell
from autograder.lesson import Lesson
from autograder.markers import VOLATILE, full_source, student_source

SOLUTION = "solution"
SELF_STUDY = "self-study"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def assemble(
    read: Lesson, cells: list[tuple[Cell, str]], edition: str, badge: str
) -> NotebookNode:
    """One edition of the notebook, not executed. `cells` are inlined."""
    notebook = new_notebook(
        metadata={
            "course": {"lesson": read.name, "edition": edition},
            "kernelspec": dict(KERNEL),
            "language_info": {"name": "python"},
        }
    )
    folded_after = _places_of_solutions(read) if edition == SELF_STUDY else {}
    for position, (cell, text) in enumerate(cells):
        if position == 0 and badge:
            text = f"{text}\n\n{badge}"
        if edition == SELF_STUDY and cell.is_code:
            text = student_source(text)
        notebook.cells.append(_cell(cell, text, edition))
        if cell.id in folded_after:
            notebook.cells.append(_folded(read, folded_after[cell.id]))
    return notebook


def _places_of_solutions(read: Lesson) -> dict[str, str]:
    """Cell id → the exercise or question whose folded solution follows that cell.

    It is the last check cell, or the hints behind it: they are to be read first.
    """
    places = {}
    for cell, after in zip(read.cells, [*read.cells[1:], None], strict=True):
        if cell.kind == "checks" and cell.id == read.checks_of(cell.name)[-1].id:
            hints = after is not None and after.source.startswith("<details>")
            places[after.id if hints else cell.id] = cell.name
    return places


def _cell(cell: Cell, text: str, edition: str) -> NotebookNode:
    metadata: dict = {"course": {"kind": cell.kind}}
    if not cell.is_code:
        return new_markdown_cell(text, id=cell_id(cell.id), metadata=metadata)
    if cell.kind not in ("demo", "generated"):
        metadata["nbgrader"] = _nbgrader(cell)
        metadata["deletable"] = False
    if cell.kind in ("given", "checks"):
        metadata["editable"] = False
    if cell.collapsed:
        metadata["jupyter"] = {"source_hidden": True}
        metadata["cellView"] = "form"
    if cell.kind == "checks" and edition == SELF_STUDY:
        metadata["tags"] = ["raises-exception"]  # "run all" goes on past it
    if cell.volatile:
        metadata["tags"] = [VOLATILE]
    return new_code_cell(text, id=cell_id(cell.id), metadata=metadata)


def _nbgrader(cell: Cell) -> dict:
    """What nbgrader keeps of a cell (its metadata schema, version 3)."""
    kind = {
        "grade": cell.kind == "checks",
        "solution": cell.is_answer,
        "locked": cell.kind in ("given", "checks"),
        "task": False,
        "grade_id": cell.id,
        "schema_version": 3,
        "cell_type": "code",
    }
    return kind | ({"points": cell.points} if cell.kind == "checks" else {})


def cell_id(name: str) -> str:
    """Notebook cell ids hold at most 64 characters."""
    return name[:64]


def _folded(read: Lesson, name: str) -> NotebookNode:
    """The folded solution of an exercise, or the reasons for a question's choices."""
    answer = read.answer(name)
    if answer.kind == "question":
        summary, body = "Answer and reasons", _reasons(read, answer)
    else:
        summary = "One solution"
        body = f"```python\n{full_source(answer.source)}\n```"
    return new_markdown_cell(
        f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>",
        id=cell_id(f"solution-{name}"),
        metadata={"course": {"kind": "markdown"}},
    )


def _reasons(read: Lesson, question: Cell) -> str:
    """Every choice with its explanation, as a list."""
    right, because = read.choices_of(question)
    lines = [
        f"- **{letter}** {'✓' if letter == right else '✗'} {reason}"
        for letter, reason in because.items()
    ]
    return "\n".join(lines)
