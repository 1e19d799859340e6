import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.course import CourseError
from autograder.release import is_current, leaks, release_lesson
from autograder.steps import gradebook_of

LESSON = "01_tiny"
REPOSITORY = Path(__file__).parent.parent


def cells(file):
    return {cell.id: cell for cell in nbformat.read(file, as_version=4).cells}


def change_solution(course, change):
    notebook = nbformat.read(course.solution(LESSON), as_version=4)
    change(notebook)
    nbformat.write(notebook, course.solution(LESSON))


def nbgrader(course, *arguments):
    """Run a plain nbgrader command in the course's folder."""
    # Without the environment's own commands on PATH, as when it is not activated.
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)}
    command = [Path(sys.executable).parent / "nbgrader", *arguments]
    done = subprocess.run(
        command,
        cwd=course.root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_a_release_has_stubs_and_no_hidden_checks(released):
    made = cells(released.released(LESSON))
    assert made["double"].source.endswith(
        "    # YOUR CODE HERE\n    raise NotImplementedError()"
    )
    assert made["quick_1"].source == 'answer_1 = None  # @param ["a", "b"]'
    assert "70707" not in made["double_check_2"].source
    assert "check.equal(double(3), 6)" in made["double_check_2"].source


def test_a_release_has_no_outputs(released):
    assert cells(released.released(LESSON))["show"].outputs == []


def test_check_cells_do_not_stop_run_all(released):
    made = cells(released.released(LESSON))
    tagged = [name for name, cell in made.items() if "tags" in cell.metadata]
    assert tagged == ["double_check_1", "double_check_2", "quick_1_check_1"]
    assert made["double_check_1"].metadata.tags == ["raises-exception"]


def test_hidden_checks_are_stored_in_the_gradebook(released):
    with gradebook_of(released) as gradebook:
        stored = gradebook.find_source_cell("double_check_2", LESSON, LESSON)
        assert "check.equal(double(-70707), -141414)" in stored.source


def test_a_release_is_current_until_the_solution_changes(course):
    assert not is_current(course, LESSON)
    release_lesson(course, LESSON)
    assert is_current(course, LESSON)
    change_solution(course, lambda nb: nb.cells[0].update(source="# Two times"))
    assert not is_current(course, LESSON)
    release_lesson(course, LESSON)
    assert is_current(course, LESSON)
    course.gradebook.unlink()
    assert not is_current(course, LESSON)


def test_files_beside_a_solution_are_not_released(course):
    folder = course.solution(LESSON).parent
    for name in ("notes.txt", ".hidden", "deep/answers.py", f"{LESSON}-Copy1.ipynb"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("twice_as_much = x + x")
    release_lesson(course, LESSON)
    made = [file for file in course.release.rglob("*") if file.is_file()]
    assert made == [course.released(LESSON)]


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("text-twice", lambda cell: cell.update(source="Hint: twice_as_much = x + x")),
        ("show", lambda cell: cell.metadata.update(a={"b": ["return twice_as_much"]})),
    ],
)
def test_an_answer_elsewhere_in_the_lesson_stops_the_release(course, place, change):
    def leak(notebook):
        change(next(cell for cell in notebook.cells if cell.id == place))

    change_solution(course, leak)
    with pytest.raises(CourseError, match=f"{LESSON}.ipynb, cell {place}.*twice_as_"):
        release_lesson(course, LESSON)
    assert not course.released(LESSON).exists()


def test_leaks_are_found_in_outputs_and_other_files(course, tmp_path):
    solution = nbformat.read(course.solution(LESSON), as_version=4)
    student = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="one")])
    text = "\n  check.equal(double(-70707), -141414)"
    student.cells[0].outputs = [nbformat.v4.new_output("stream", text=text)]
    folder = tmp_path / "release"
    folder.mkdir()
    nbformat.write(student, folder / "a.ipynb")
    (folder / "b.txt").write_text("first\n### BEGIN HIDDEN TESTS\n")
    found = leaks(folder, solution)
    assert [place.split(": ")[0] for place in found] == [
        "a.ipynb, cell one, not its source, line 2",
        "b.txt, text, line 2",
    ]


def test_lines_that_are_public_anyway_are_no_leak(course, tmp_path):
    solution = nbformat.read(course.solution(LESSON), as_version=4)
    solution.cells[5].source = "twice_as_much = x + x\nreturn twice_as_much"
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "a.txt").write_text("twice_as_much = x + x")
    assert leaks(folder, solution) == []


def test_new_cells_are_refused_once_work_was_handed_in(course):
    release_lesson(course, LESSON)
    before = course.released(LESSON).read_bytes()
    with gradebook_of(course) as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission(LESSON, "ada")
    change_solution(course, lambda nb: nb.cells.pop(3))
    with pytest.raises(CourseError, match=r"\(double_check_1\).*1 submission.*class/"):
        release_lesson(course, LESSON)
    assert course.released(LESSON).read_bytes() == before


def test_changed_text_is_released_although_work_was_handed_in(course):
    release_lesson(course, LESSON)
    with gradebook_of(course) as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission(LESSON, "ada")

    def change(notebook):
        notebook.cells[3].source += "\n    check.equal(double(5), 10)"

    change_solution(course, change)
    release_lesson(course, LESSON)
    with gradebook_of(course) as gradebook:
        stored = gradebook.find_source_cell("double_check_1", LESSON, LESSON)
        assert "double(5)" in stored.source


def test_a_lesson_that_is_not_built_is_not_released(course):
    course.solution(LESSON).unlink()
    with pytest.raises(CourseError, match=f"run: autograder build {LESSON}"):
        release_lesson(course, LESSON)


def test_what_nbgrader_refuses_is_told_with_its_reason(course):
    unclosed = "### BEGIN SOLUTION\nanswer_1 = 1"
    change_solution(course, lambda nb: nb.cells[6].update(source=unclosed))
    with pytest.raises(
        CourseError, match=r"01_tiny: nbgrader could not .*never closed"
    ):
        release_lesson(course, LESSON)


def test_the_plain_nbgrader_commands_work_on_the_course(course, hand_in, tmp_path):
    nbgrader(course, "generate_assignment", LESSON)
    by_nbgrader = json.loads(course.released(LESSON).read_text())
    release_lesson(course, LESSON)
    assert json.loads(course.released(LESSON).read_text()) == by_nbgrader
    hand_in(course, "ada", double="def double(x):\n    return abs(x) * 2")
    nbgrader(course, "autograde", LESSON)
    with gradebook_of(course) as gradebook:
        assert gradebook.find_submission(LESSON, "ada").score == 1
    nbgrader(course, "generate_feedback", LESSON)
    page = (course.feedback / "ada" / LESSON / f"{LESSON}.html").read_text()
    assert "double: other numbers failed." in page
    assert "70707" not in page
