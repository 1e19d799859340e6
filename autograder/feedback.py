"""A graded notebook → the page for its student, without hidden checks."""

import hashlib
import json
import textwrap
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
from markupsafe import Markup
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import List
from traitlets.config import Config

from autograder.autograde import grading_config
from autograder.course import Course
from autograder.grade import (
    CheckResult,
    Result,
    answer_of,
    message_of,
    printed,
    readable,
)
from autograder.gradebook import SECRET, copy_paper, graded_file
from autograder.markers import HIDDEN, MarkerError, fenced, student_source
from autograder.pages import write_page
from autograder.release import SECRET_LENGTH
from autograder.summary import exercises, outcome, title_of

LONGEST_SOURCE = 20_000  # characters of one cell


@dataclass(frozen=True)
class Shown:
    """A cell as the page of its student shows it, under the name of its exercise."""

    name: str
    exercise: str
    title: str
    is_check: bool
    source: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """A check with its title; `message` says why it failed, line by line."""

    title: str
    points: float
    max_points: float
    outcome: str
    message: str


class FeedbackCells(NbGraderPreprocessor):
    """Keeps what a student may see: the answers, and the visible part of the checks.

    Of outputs only text is kept, which nbconvert escapes: an answer could otherwise
    put its own HTML into the page. For the same reason all Markdown is dropped.
    """

    # nbconvert's HTML exporter sets this on every preprocessor of the step
    display_data_priority = List(["text/plain"]).tag(config=True)

    def preprocess(self, nb, resources):
        _keep_public(nb, _secrets(nb))
        return nb, resources


def nbgrader_config(course: Course) -> Config:
    """nbgrader's settings for every command, as nbgrader_config.py gives them."""
    config = grading_config(course)
    config.GenerateFeedback.preprocessors = [
        GetGrades,
        FeedbackCells,
        CSSHTMLHeaderPreprocessor,
    ]
    return config


def make_feedback(course: Course, result: Result) -> Path:
    """Write the page of one graded submission, without hidden checks; returns it.

    Flags are for the teacher and stand on no page of a student.
    """
    lesson, student = result.lesson, result.student
    page, cells, secrets = _page(course, result), [], set()
    file = graded_file(course, lesson, student)
    if not result.problem and file.is_file():
        graded = nbformat.v4.reads(file.read_text(encoding="utf-8"))
        secrets = _secrets(graded)
        _keep_public(graded, secrets)
        cells = [_shown(cell) for cell in graded.cells]
    titles = {cell.name: cell.title for cell in cells}
    parts: dict[str, list[Shown]] = {}
    for cell in cells:
        parts.setdefault(cell.exercise, []).append(cell)
    write_page(
        page,
        "feedback.html",
        mark=_mark(result),
        result=result,
        exercises=exercises(result),
        checks=[
            _judged(check, titles.get(check.check, check.check), secrets)
            for check in ([] if result.problem else result.checks)
        ],
        cells=parts,
    )
    for paper in ("timestamp.txt", SECRET):  # nbgrader's release_feedback asks for them
        copy_paper(course.submitted / student / lesson / paper, page.parent)
    return page


def update_feedback(course: Course, results: Iterable[Result]) -> None:
    """Make the pages that are missing or say something else than `results`.

    Raises OSError when one cannot be written.
    """
    for result in results:
        page = _page(course, result)
        if page.is_file() and _mark(result) in _head(page):
            continue
        try:
            make_feedback(course, result)
        except OSError:
            raise
        except Exception:
            continue  # it was told when the work was graded


def _page(course: Course, result: Result) -> Path:
    folder = course.feedback / result.student / result.lesson
    return folder / f"{result.lesson}.html"


def _mark(result: Result) -> Markup:
    """What stands in the head of a page that says what `result` says."""
    told = asdict(result) | {"flags": ()}  # these are not on the page
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    return Markup('<meta name="result" content="{}">').format(digest)


def _head(page: Path) -> str:
    with page.open(encoding="utf-8", errors="replace") as text:
        return text.read(1000)


def _shown(cell: NotebookNode) -> Shown:
    name, source = cell.metadata.nbgrader.grade_id, cell.source
    title = title_of(source) or name
    if len(source) > LONGEST_SOURCE:
        source = source[:LONGEST_SOURCE] + "\n… cut here"
    if is_grade(cell):  # what it said stands on top of the page
        return Shown(name, answer_of(name), title, True, source, ())
    texts = tuple(output.text for output in cell.get("outputs", []))
    return Shown(name, name, name, False, source, texts)


def _judged(check: CheckResult, title: str, secrets: Set[str]) -> Judged:
    """What the page says of a check: without its title again, and without secrets."""
    message = check.message
    if any(secret in message for secret in secrets):
        message = "The message is not shown: it quotes a hidden check."
    lines = message.splitlines()
    if lines and lines[0].lstrip("✗○ ") == title:
        message = textwrap.dedent("\n".join(lines[1:]))
    points, most = check.points, check.max_points
    return Judged(title, points, most, outcome(check), message)


def _secrets(notebook: NotebookNode) -> set[str]:
    """Lines of hidden checks: an answer may have read and printed them."""
    secrets = set()
    for cell in filter(is_grade, notebook.cells):
        with suppress(MarkerError):  # a damaged cell is not shown at all
            secrets.update(map(str.strip, fenced(cell.source, HIDDEN)))
    return {line for line in secrets if len(line) >= SECRET_LENGTH}


def _keep_public(notebook: NotebookNode, secrets: Set[str]) -> None:
    """Take out of a notebook what its student may not see."""
    notebook.cells = [c for c in notebook.cells if is_grade(c) or is_solution(c)]
    for cell in notebook.cells:
        message = message_of(cell) if is_grade(cell) else ""
        cell.source = _public(cell.source)
        cell.metadata = {"nbgrader": cell.metadata.nbgrader}
        if cell.cell_type == "code":
            texts = [message] if is_grade(cell) else list(_text_outputs(cell))
            cell.outputs = [
                printed(text)
                for text in texts
                if text and not any(secret in text for secret in secrets)
            ]
    notebook.metadata.pop("widgets", None)


def _public(source: str) -> str:
    if HIDDEN not in source:
        return source
    try:
        return student_source(source)
    except MarkerError:
        return "# This cell is not shown: its markers are damaged."


def _text_outputs(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        if output.output_type == "stream":
            yield readable(output.text)
        elif output.output_type == "error":
            yield readable(f"{output.ename}: {output.evalue}")
        elif "text/plain" in output.get("data", {}):
            yield readable(output.data["text/plain"])
