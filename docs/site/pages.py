"""The committed notebooks → the pages that Sphinx renders: what a reader needs.

A page is the self-study notebook, so it holds no answer outside a folded solution. Its
outputs come from the solution notebook, and only for cells with the very same source
in both: what is not on the page leaves no output on it either.

    python docs/site/pages.py build/site-pages
"""

import html
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.build import colab_badge
from autograder.cards import read_cards
from autograder.course import Course, CourseError

HERE = Path(__file__).parent
BADGE = re.compile(r"\n*\[!\[Open in Colab\]\([^)]*\)\]\(([^)]*)\)")
CHECK = re.compile(r'\bchecking\(\s*"\w+",\s*"([^"]+)"')
CHOOSES_A_LETTER = re.compile(r"# @param \[|check\.answered\(")
SET_UP = ("setup", "figures", "advice")
STILL = "*A still picture: in the notebook you move it yourself.*"
NO_SCORE = "*Your points are counted in the notebook.*"
NOTE = """\
<a class="button" href="{name}.ipynb" download>Download the notebook</a>

This page is for reading: nothing runs on it. It leaves out set-up cells and folds
checks, hints, solutions and the code of pictures. Outputs are those of right answers.
"""


def page(course: Course, name: str) -> NotebookNode:
    """The notebook of one lesson as it is to be shown, with outputs."""
    notebook = nbformat.read(course.notebook(name), as_version=4)
    solved = nbformat.read(course.solution(name), as_version=4)
    shown = {
        (cell.id, cell.source): cell.outputs
        for cell in solved.cells
        if cell.cell_type == "code"
    }
    title, *others = notebook.cells
    title.source = BADGE.sub("", title.source)
    cells = [title, new_markdown_cell(_note(course, name))]
    for cell in others:
        if cell.cell_type == "markdown":
            cells.append(cell)
        elif cell.id == "cards":
            cells.append(new_markdown_cell(_cards(course, name)))
        elif cell.id == "score":
            cells.append(new_markdown_cell(NO_SCORE))
        else:
            cells += _code(cell, shown.get((cell.id, cell.source), []))
    notebook.cells = cells
    return notebook


def _note(course: Course, name: str) -> str:
    """What the page is, with a Colab button when the repository is set."""
    badge = BADGE.fullmatch(colab_badge(course, name))
    colab = f'<a class="button" href="{badge[1]}">Open in Colab</a>\n' if badge else ""
    return colab + NOTE.format(name=name)


def _code(cell: NotebookNode, outputs: list[NotebookNode]) -> list[NotebookNode]:
    """What the page shows of a code cell: all, or a folded source, or nothing."""
    kind, source = cell.metadata.course.kind, cell.source
    if cell.id in SET_UP or kind == "generated" or CHOOSES_A_LETTER.search(source):
        return []
    if kind == "checks":
        return [_folded(f"Check: {CHECK.search(source)[1]}", source)]
    collapsed = "jupyter" in cell.metadata
    if collapsed and not outputs:  # data
        return [_folded(source.splitlines()[0].removeprefix("# @title "), source)]
    # HTML is a progress bar here, of no use once it is full.
    cell.outputs = [out for out in outputs if "text/html" not in out.get("data", {})]
    cell.metadata.tags = ["remove-input"] if collapsed else []
    after = [_folded("Code of the picture", source)] if collapsed else []
    for output in cell.outputs:
        if "image/png" in output.get("data", {}):
            cell.metadata.mystnb = {"image": {"alt": output.data["text/plain"]}}
            if output.output_type == "execute_result":  # it stands for a widget
                after.append(new_markdown_cell(STILL))
    return [cell, *after]


def _folded(title: str, code: str) -> NotebookNode:
    """Code behind its title, in the form of the folded solutions."""
    return new_markdown_cell(
        f"<details>\n<summary>{html.escape(title)}</summary>\n\n"
        f"```python\n{code}\n```\n\n</details>"
    )


def _cards(course: Course, name: str) -> str:
    """The recall cards, each folded behind its question."""
    return "\n".join(
        f"<details><summary>{html.escape(card['front'])}</summary>\n"
        f'<p class="card">{html.escape(card["back"])}</p>\n</details>\n'
        for card in read_cards(course.cards)[name]
    )


def write_pages(course: Course, folder: Path) -> None:
    """Write the index and the pages of all lessons into a new `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "index.md", folder)
    for name in course.lesson_names():
        nbformat.write(page(course, name), folder / f"{name}.ipynb")
    if not course.repository:
        print("No Colab buttons: set the repository in pyproject.toml to have them.")


if __name__ == "__main__":
    try:
        write_pages(Course.find(HERE), Path(sys.argv[1]))
    except CourseError as error:
        sys.exit(str(error))
