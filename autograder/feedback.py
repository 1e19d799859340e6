"""A graded notebook → the page for its student, without hidden checks."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import jinja2
import nbformat
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import List
from traitlets.config import Config

from autograder.autograde import grading_config
from autograder.course import Course
from autograder.grade import CheckResult, Result, message_of, readable
from autograder.gradebook import graded_file
from autograder.markers import HIDDEN, MarkerError, fenced, student_source
from autograder.release import SECRET_LENGTH

PAGE = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(
    """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ lesson }}: {{ points }}</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 48em; margin: 1em auto; padding: 0 1em }
pre { background: #f4f4f4; color: #111; padding: .6em; overflow-x: auto }
.message { background: #fff3e0; color: #111; white-space: pre-wrap }
</style></head>
<body>
<h1>{{ lesson }}: {{ points }}</h1>
{% if reason %}
<p>This submission could not be run, so every check has 0 points.</p>
<pre class="message">{{ reason }}</pre>
{% endif %}
{% for cell in cells %}
<h2>{{ cell.title }}{% if cell.points %}: {{ cell.points }}{% endif %}</h2>
{% if cell.folded %}
<details><summary>The visible part of this check</summary>
<pre>{{ cell.source }}</pre></details>
{% else %}
<pre>{{ cell.source }}</pre>
{% endif %}
{% for text in cell.texts %}
<pre class="message">{{ text }}</pre>
{% endfor %}
{% endfor %}
</body>
</html>
"""
)


class FeedbackCells(NbGraderPreprocessor):
    """Keeps what a student may see: the answers, and the visible part of the checks.

    Of outputs only text is kept, which nbconvert escapes: an answer could otherwise
    put its own HTML into the page. For the same reason all Markdown is dropped.
    """

    # nbconvert's HTML exporter sets this on every preprocessor of the step
    display_data_priority = List(["text/plain"]).tag(config=True)

    def preprocess(self, nb, resources):
        secrets = set(_secrets(nb))
        nb.cells = [cell for cell in nb.cells if is_grade(cell) or is_solution(cell)]
        for cell in nb.cells:
            message = message_of(cell) if is_grade(cell) else ""
            cell.source = _public(cell.source)
            cell.metadata = {"nbgrader": cell.metadata.nbgrader}
            if cell.cell_type == "code":
                texts = [message] if is_grade(cell) else list(_text_outputs(cell))
                cell.outputs = [
                    new_output("stream", text=text)
                    for text in texts
                    if text and not any(secret in text for secret in secrets)
                ]
        nb.metadata.pop("widgets", None)
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
    """Write the page of one graded submission, without hidden checks; returns it."""
    lesson, student = result.lesson, result.student
    page, cells = course.feedback / student / lesson / f"{lesson}.html", []
    file = graded_file(course, lesson, student)
    if not result.problem and file.is_file():
        graded = nbformat.v4.reads(file.read_text(encoding="utf-8"))
        shown, _ = FeedbackCells().preprocess(graded, {})
        points = {check.check: check for check in result.checks}
        cells = [_shown(cell, points) for cell in shown.cells]
    text = PAGE.render(
        lesson=lesson,
        points=f"{result.points:g} of {result.max_points:g} points",
        reason=result.problem,
        cells=cells,
    )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    return page


def _shown(cell: NotebookNode, points: Mapping[str, CheckResult]) -> dict:
    """One cell as the page shows it."""
    name = cell.metadata.nbgrader.grade_id
    check = points.get(name)
    return {
        "title": name,
        "points": check and f"{check.points:g} of {check.max_points:g}",
        "folded": is_grade(cell),
        "source": cell.source,
        "texts": [output.text for output in cell.get("outputs", [])],
    }


def _secrets(notebook: NotebookNode) -> Iterator[str]:
    """Lines of hidden checks: an answer may have read and printed them."""
    for cell in filter(is_grade, notebook.cells):
        with suppress(MarkerError):  # a damaged cell is not shown at all
            hidden = (line.strip() for line in fenced(cell.source, HIDDEN))
            yield from (line for line in hidden if len(line) >= SECRET_LENGTH)


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
