"""The built notebooks, as a learner meets them: alone, in an empty folder."""

import ast
import json
import re
import time
from itertools import pairwise

import pytest
from lesson_runner import COURSE, lesson_text
from students import errors, execute, solutions, solved, untouched

from autograder.freshness import is_built
from autograder.markers import HIDDEN, SOLUTION, fenced, full_source, unfenced
from mistakes import mistakes_of

LESSONS = COURSE.lesson_names()
SECONDS = 20  # from top to bottom on two cores, see style.md

each_lesson = pytest.mark.parametrize("lesson", LESSONS)


@each_lesson
def test_the_built_notebooks_are_fresh(lesson):
    assert is_built(COURSE, lesson), f"run: autograder build {lesson}"


@each_lesson
def test_an_untouched_notebook_runs_without_a_wall_of_errors(lesson):
    notebook = execute(untouched(lesson))
    found = errors(notebook)
    checks = {
        cell.id for cell in notebook.cells if cell.metadata.course.kind == "checks"
    }
    assert set(found) == checks
    assert set(found.values()) == {"NotAttempted"}
    shown = [
        output.traceback
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    assert max(map(len, shown)) <= 3


@each_lesson
def test_a_solved_notebook_passes_every_check_in_time(lesson):
    started = time.monotonic()
    notebook = execute(solved(lesson))
    assert time.monotonic() - started < SECONDS
    assert errors(notebook) == {}
    for cell in notebook.cells:
        if cell.metadata.course.kind == "checks":
            assert cell.outputs[0].text[:2] in ("✓ ", "· "), cell.id
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", cell.id


@each_lesson
def test_code_cells_of_students_hold_no_answer_and_no_hidden_check(lesson):
    secret, public = set(), set()
    for cell in lesson_text(lesson).cells:
        if cell.is_code:
            for kind in (SOLUTION, HIDDEN):
                secret |= {line.strip() for line in fenced(cell.source, kind)}
            public |= {line.strip() for line in unfenced(cell.source)}
    for file in (COURSE.lessons / "support").glob("*.py"):  # shown in set-up cells
        public |= {line.strip() for line in file.read_text().splitlines()}
    secret = {line for line in secret - public if len(line) >= 15}
    assert len(secret) > 50
    text = "\n".join(c.source for c in untouched(lesson).cells if c.cell_type == "code")
    lines = {line.strip() for line in text.splitlines()}
    assert not secret & lines
    assert "BEGIN SOLUTION" not in text and "HIDDEN TESTS" not in text


def lines_of_mistakes(lesson):
    """The lines of all wrong answers to a lesson, and the parts that edits put in."""
    for mistake in mistakes_of(lesson):
        solution = full_source(lesson_text(lesson).answer(mistake.exercise).source)
        for text in (mistake.answer(solution), *(new for _, new in mistake.edits)):
            yield from map(str.strip, text.splitlines())


@each_lesson
def test_notebooks_hold_no_line_of_the_catalogue_of_mistakes(lesson):
    public = [
        line
        for cell in lesson_text(lesson).cells
        for line in (*unfenced(cell.source), *fenced(cell.source, SOLUTION))
    ]
    public += [file.read_text() for file in (COURSE.lessons / "support").rglob("*.py")]
    known = "\n".join(public)
    secret = {
        line
        for name in LESSONS
        for line in lines_of_mistakes(name)
        if len(line) > 25 and line not in known
    }
    assert len(secret) > 500
    text = "\n".join(cell.source for cell in untouched(lesson).cells)
    assert [line for line in sorted(secret) if line in text] == []


@each_lesson
def test_built_notebooks_hold_no_path_and_no_widget_state(lesson):
    for file in (COURSE.solution(lesson), COURSE.notebook(lesson)):
        text = file.read_text()
        assert str(COURSE.root) not in text
        assert not re.search(r"/(home|root|tmp|Users)/", text)
        assert "widgets" not in json.loads(text)["metadata"]


@each_lesson
def test_markdown_cells_are_short_and_code_cells_too(lesson):
    for cell in lesson_text(lesson).cells:
        where = f"{lesson}, line {cell.line}, cell {cell.id}"
        if cell.is_code:
            given_at_once = cell.kind == "given" and (
                cell.collapsed or "from support." in cell.source
            )
            length = len([line for line in cell.source.splitlines() if line.strip()])
            assert given_at_once or length <= 30, f"{where}: {length} lines"
        else:
            prose = re.sub(r"```.*?```|\$\$.*?\$\$", " ", cell.source, flags=re.S)
            words = len(
                re.findall(r"[A-Za-z']+", re.sub(r"<[^>]+>|\$[^$]+\$", "", prose))
            )
            assert words <= 130, f"{where}: {words} words"


@each_lesson
def test_a_solution_fits_in_fifteen_lines(lesson):
    for cell in lesson_text(lesson).of_kind("exercise"):
        assert len(fenced(cell.source, SOLUTION)) <= 15, cell.id


@each_lesson
def test_the_text_avoids_words_that_belittle(lesson):
    for cell in lesson_text(lesson).cells:
        if not cell.is_code:
            found = re.findall(
                r"\b(simply|just|obviously|trivial|of course)\b", cell.source, re.I
            )
            assert not found, f"{lesson}, cell {cell.id}: {found}"


@each_lesson
def test_one_title_and_no_headings_skipped(lesson):
    headings = [
        line
        for cell in lesson_text(lesson).cells
        if not cell.is_code
        for line in cell.source.splitlines()
        if re.match(r"#+ ", line)
    ]
    assert sum(line.startswith("# ") for line in headings) == 1
    assert headings[0].startswith("# ")
    depths = [len(line.split()[0]) for line in headings]
    assert all(b - a <= 1 for a, b in pairwise(depths))


@each_lesson
def test_exercises_are_numbered_and_named_after_their_function(lesson):
    expected, found = [], []
    for cell in lesson_text(lesson).cells:
        if cell.kind == "exercise":
            number = 1 + sum("Exercise" in heading for heading in expected)
            place = f"Exercise {int(lesson[:2])}.{number}"
            place = "Stretch exercise" if cell.stretch else place
            expected.append(f"### {place}: {cell.name}")
        elif not cell.is_code:
            found += re.findall(r"^### (?:Stretch e|E)xercise.*", cell.source, re.M)
    for heading, want in zip(found, expected, strict=True):
        assert heading.startswith(want)


@each_lesson
def test_hints_follow_the_checks_of_every_exercise(lesson):
    cells = lesson_text(lesson).cells
    hinted = {
        before.name
        for before, cell in pairwise(cells)
        if cell.source.startswith("<details><summary>Hint") and before.kind == "checks"
    }
    exercises = {cell.name for cell in lesson_text(lesson).of_kind("exercise")}
    assert exercises - hinted == set()


@each_lesson
def test_math_and_folds_are_well_formed(lesson):
    for cell in lesson_text(lesson).cells:
        if cell.is_code:
            continue
        assert cell.source.count("$") % 2 == 0, cell.id
        assert cell.source.count("<details>") == cell.source.count("</details>"), (
            cell.id
        )
        for end in re.finditer(r"</summary>", cell.source):
            assert cell.source[end.end() :].startswith("\n\n"), cell.id


@each_lesson
def test_no_line_begins_with_a_number_that_markdown_takes_for_a_list(lesson):
    item = re.compile(r"\s*(?:\d+\.|-) ")
    for cell in lesson_text(lesson).cells:
        lines = [] if cell.is_code else cell.source.splitlines()
        for before, line in pairwise(lines):
            number = re.match(r"\s+(\d+)\. ", line)
            assert not (number and before.strip() and not item.match(before)), line


@each_lesson
def test_every_check_ends_with_a_statement_and_has_points_or_stretch(lesson):
    for cell in lesson_text(lesson).of_kind("checks"):
        body = ast.parse(cell.source).body
        assert isinstance(body[-1], ast.With), cell.id
        assert cell.points or lesson_text(lesson).answer(cell.name).stretch, cell.id


@each_lesson
def test_every_solution_is_folded_into_the_self_study_edition(lesson):
    ids = {cell.id for cell in untouched(lesson).cells}
    assert {f"solution-{name}" for name in solutions(lesson)} <= ids
