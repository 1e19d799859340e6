import time
from dataclasses import replace

import nbformat
import pytest
from conftest import grade_submission

from autograder import grade_notebook
from autograder.course import CourseError
from autograder.feedback import make_feedback
from autograder.grade import Limits, message_of
from autograder.gradebook import graded_file
from autograder.single import grade_file
from autograder.steps import gradebook_of
from autograder.submission import Submission
from autograder.working import Terms

LESSON = "01_tiny"
RIGHT = "def double(x):\n    return x + x"
SUBMISSION = Submission("nobody", LESSON, None)
ALL = {"double": RIGHT, "quick_1": 'answer_1 = "b"'}


@pytest.fixture(scope="module")
def grade(released, worker):
    """grade(submission) → result, also in the gradebook"""
    return lambda submission: grade_submission(released, submission, worker)


@pytest.fixture
def quick(released, worker, monkeypatch):
    """quick(limits, submission) → result, with other limits on time"""

    def grade(limits, submission):
        monkeypatch.setattr(worker, "terms", Terms(limits=limits))
        return grade_submission(released, submission, worker)

    return grade


def points(result):
    return [check.points for check in result.checks]


def recorded(course, student):
    """What nbgrader itself would show: check → automatic score, and what is open."""
    with gradebook_of(course) as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, student)
        grades = sorted(notebook.grades, key=lambda grade: grade.name)
        return [(g.name, g.auto_score, g.needs_manual_grade) for g in grades]


@pytest.fixture(scope="module")
def right(released, hand_in, grade):
    """The result of a student who did everything."""
    return grade(hand_in(released, "right", **ALL))


@pytest.fixture(scope="module")
def wrong(released, hand_in, grade):
    """One whose answer fails only the hidden check, and prints something."""
    answer = "def double(x):\n    return abs(x) * 2\nprint('at work')"
    return grade(hand_in(released, "wrong", double=answer, quick_1='answer_1 = "a"'))


@pytest.fixture(scope="module")
def broken(released, grade):
    """One who handed in a file that is no notebook."""
    file = released.submitted / "broken" / LESSON / f"{LESSON}.ipynb"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"%PDF-1.7")
    work = replace(SUBMISSION, student="broken", file=file)
    return grade(work), work


def test_right_answers_get_all_points(right):
    assert (right.points, right.max_points) == (4, 4)
    assert (right.problem, right.repairs) == ("", ())
    assert [check.check for check in right.checks] == [
        "double_check_1",
        "double_check_2",
        "quick_1_check_1",
    ]
    assert {check.message for check in right.checks} == {""}


def test_untouched_work_gets_0_and_says_not_attempted(released, hand_in, grade):
    result = grade(hand_in(released, "untouched"))
    assert points(result)[:2] == [0, 0]
    assert result.checks[0].message == "double: not attempted yet."
    assert result.problem == ""


def test_an_answer_that_fails_the_hidden_check_loses_only_that(wrong):
    assert points(wrong) == [1, 0, 0]
    assert wrong.checks[1].message == "double: other numbers failed."


def test_output_of_an_answer_costs_nothing(wrong):
    assert wrong.checks[0].points == 1


def test_scores_stand_in_the_gradebook(released, right, wrong):
    with gradebook_of(released) as gradebook:
        scores = {
            s.student.id: s.score for s in gradebook.assignment_submissions(LESSON)
        }
    assert (scores["right"], scores["wrong"]) == (4, 1)
    assert recorded(released, "wrong") == [
        ("double_check_1", 1, False),
        ("double_check_2", 0, False),
        ("quick_1_check_1", 0, False),
    ]


def test_a_syntax_error_costs_only_its_own_checks(released, hand_in, grade):
    answers = {**ALL, "double": "def double(x:"}
    result = grade(hand_in(released, "syntax", **answers))
    assert points(result) == [0, 0, 1]


def test_what_is_no_notebook_scores_0_with_the_reason(released, broken):
    result, _ = broken
    assert points(result) == [0, 0, 0]
    assert result.max_points == 4
    assert "PDF" in result.problem
    assert {check.message for check in result.checks} == {result.problem}
    assert recorded(released, "broken") == [
        ("double_check_1", 0, False),
        ("double_check_2", 0, False),
        ("quick_1_check_1", 0, False),
    ]


def test_a_cell_that_ends_python_costs_only_its_own_points(released, hand_in, grade):
    answers = {**ALL, "quick_1": "import os\nos._exit(0)"}
    result = grade(hand_in(released, "exit", **answers))
    assert points(result) == [1, 2, 0]
    assert result.flags[-1] == "The cell quick_1 ended Python and was taken out."
    assert "The answer cell ended with SystemError" in result.checks[2].message


def test_an_answer_that_ends_python_when_it_is_called_costs_its_checks(
    released, hand_in, grade
):
    answers = {**ALL, "double": "import os\ndef double(x):\n    os._exit(0)"}
    result = grade(hand_in(released, "called", **answers))
    assert points(result) == [0, 0, 1]
    assert result.flags[-1] == "The cell double ended Python and was taken out."


def test_a_call_of_exit_costs_nothing(released, hand_in, grade):
    answers = {**ALL, "double": f"{RIGHT}\nexit()"}
    result = grade(hand_in(released, "exits", **answers))
    assert points(result) == [1, 2, 1]


def test_what_a_thread_writes_to_stderr_costs_nothing(released, hand_in, grade):
    noise = (
        "import sys, threading, time\n"
        "def write():\n"
        "    while True:\n"
        "        sys.stderr.write('noise')\n"
        "        time.sleep(0.01)\n"
        "threading.Thread(target=write, daemon=True).start()\n"
        "def double(x):\n    time.sleep(0.3)\n    return x + x"
    )
    work = hand_in(released, "noise", **{**ALL, "double": noise})
    assert points(grade(work)) == [1, 2, 1]


def test_the_notebook_of_another_lesson_is_named(released, hand_in, grade):
    work = hand_in(released, "mixed", **ALL)
    notebook = nbformat.read(work.file, as_version=4)
    notebook.metadata["course"]["lesson"] = "02_other"
    nbformat.write(notebook, work.file)
    result = grade(work)
    assert points(result) == [0, 0, 0]
    assert result.problem == (
        f"This is the notebook 02_other, handed in as {LESSON}. Hand in {LESSON}.ipynb."
    )


def test_a_replaced_name_of_the_set_up_changes_nothing(released, hand_in, grade):
    work = hand_in(released, "replaced", **{**ALL, "double": f"{RIGHT}\nchecking = 1"})
    assert points(grade(work)) == [1, 2, 1]


def test_a_loop_without_end_costs_only_its_own_checks(released, hand_in, quick):
    loop = "def double(x):\n    while True: pass"
    work = hand_in(released, "loop", double=loop, quick_1='answer_1 = "b"')
    result = quick(Limits(cell=2), work)
    assert points(result) == [0, 0, 1]
    assert "took too long" in result.checks[0].message


def test_a_cell_that_was_stopped_is_told_to_teacher_and_student(
    released, hand_in, quick
):
    """Also where the function is there already, and gets its points."""
    after = f"{RIGHT}\nwhile True: pass"
    before = f"while True: pass\n{RIGHT}"
    (kept, lost) = (
        quick(Limits(cell=1), hand_in(released, who, double=source))
        for who, source in (("kept", after), ("lost", before))
    )
    assert points(kept)[:2] == [1, 2]
    assert points(lost)[:2] == [0, 0]
    told = "took too long and was stopped."
    assert f"The cell double {told}" in kept.flags
    assert f"The cell double {told}" in lost.flags
    assert f"The answer cell {told} Look for a loop" in lost.checks[0].message


def test_a_loop_that_swallows_interrupts_ends(released, hand_in, quick):
    loop = (
        "def double(x):\n"
        "    while True:\n"
        "        try:\n            x = 0\n            while True: x = 1\n"
        "        except BaseException: x = 2"
    )
    start = time.monotonic()
    work = hand_in(released, "stubborn", double=loop, quick_1='answer_1 = "b"')
    result = quick(Limits(cell=9, total=0, late_cell=0.5), work)
    assert points(result) == [0, 0, 1]
    assert time.monotonic() - start < 25


def test_a_second_run_gives_the_same(released, hand_in, right, grade):
    before = recorded(released, "right")
    assert grade(hand_in(released, "right", **ALL)) == right
    assert recorded(released, "right") == before


def test_a_teachers_score_is_kept(released, hand_in, grade):
    work = hand_in(released, "manual", **ALL)
    assert grade(work).points == 4
    with gradebook_of(released) as gradebook:
        cell = gradebook.find_grade("double_check_2", LESSON, LESSON, "manual")
        cell.manual_score = 0.5
        gradebook.db.commit()
    broken = replace(work, file=None, problem="It is empty.")
    assert points(grade(broken)) == [0, 0.5, 0]
    assert recorded(released, "manual")[1] == ("double_check_2", 0, True)


def test_a_file_that_was_mended_is_graded_anew(released, hand_in, broken, grade):
    _, work = broken
    mended = hand_in(released, "mended", **ALL)
    grade(replace(work, student="mended"))
    assert grade(mended).points == 4
    with gradebook_of(released) as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, "mended")
        assert [comment.auto_comment for comment in notebook.comments] == [None, None]


def test_a_copy_of_the_solution_is_told_to_the_teacher_alone(released, grade):
    result = grade(Submission("copy", LESSON, released.solution(LESSON)))
    told = "It holds hidden checks, which only the solution notebook has."
    assert told in result.flags
    assert (result.points, result.repairs) == (4, ())
    assert told not in make_feedback(released, result).read_text()


@pytest.mark.parametrize(
    ("text", "year", "notes"),
    [
        ("2026-02-03 04:05:06 UTC", 2026, ()),
        ("\x00 next Tuesday %", None, ("timestamp.txt is no date and was ignored.",)),
    ],
)
def test_the_time_of_handing_in_is_recorded(
    released, tmp_path, text, year, notes, grade
):
    (tmp_path / "timestamp.txt").write_text(text)
    file = tmp_path / "work.ipynb"
    file.write_text("{}")
    student = f"time-{year}"
    result = grade(Submission(student, LESSON, file))
    assert result.repairs == notes
    with gradebook_of(released) as gradebook:
        stamp = gradebook.find_submission(LESSON, student).timestamp
        assert (stamp and stamp.year) == year


@pytest.fixture(scope="module")
def one_file(released, hand_in, tmp_path_factory):
    """A learner's own notebook, which says what lesson it is."""
    work = hand_in(released, "learner", **ALL)
    return work.file.rename(tmp_path_factory.mktemp("home") / "mine.ipynb")


def test_a_single_file_is_graded_without_a_class(course, one_file):
    assert grade_file(course, one_file).points == 4
    assert not course.class_dir.exists()


def test_other_programs_call_grade_notebook(course, one_file, monkeypatch):
    result = grade_notebook(one_file, LESSON, course=course.root, sandbox="none")
    assert (result.points, result.max_points, result.problem) == (4, 4, "")
    assert [check.message for check in result.checks] == ["", "", ""]
    monkeypatch.chdir(course.root / "lessons")
    assert grade_notebook(str(one_file), sandbox="none").points == 4


def test_what_names_the_feedback_in_the_exchange_is_kept(released, hand_in, grade):
    work = hand_in(released, "secret", **ALL)
    (work.file.parent / "submission_secret.txt").write_text("abc")
    grade(work)
    file = graded_file(released, LESSON, "secret")
    assert (file.parent / "submission_secret.txt").read_text() == "abc"


def test_the_lesson_of_a_file_is_found_by_its_answers(course, one_file, tmp_path):
    notebook = nbformat.read(one_file, as_version=4)
    notebook.metadata = {}
    nbformat.write(notebook, tmp_path / "mine.ipynb")
    assert grade_file(course, tmp_path / "mine.ipynb").points == 4


def test_the_lesson_of_a_file_is_found_by_its_name(course, tmp_path):
    (tmp_path / "copy of 01_tiny (1).ipynb").write_text("nothing")
    result = grade_file(course, tmp_path / "copy of 01_tiny (1).ipynb")
    assert (result.lesson, points(result)) == (LESSON, [0, 0, 0])


def test_a_file_of_no_known_lesson_is_refused(course, tmp_path):
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "essay.ipynb")
    with pytest.raises(CourseError, match=r"essay.ipynb: its lesson .* --lesson"):
        grade_file(course, tmp_path / "essay.ipynb")
    (tmp_path / "essay.ipynb").write_text("")
    with pytest.raises(CourseError, match=r"essay.ipynb. is empty\. Save the note"):
        grade_file(course, tmp_path / "essay.ipynb")


ERROR = {"output_type": "error", "traceback": ["secret"]}


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({**ERROR, "ename": "CheckFailed", "evalue": "no\x1b[2J mean"}, "no [2J mean"),
        ({**ERROR, "ename": "NotAttempted", "evalue": "not yet"}, "not yet"),
        (
            {**ERROR, "ename": "ValueError", "evalue": "expected 70707"},
            "The check ended early, with ValueError. A cell above may have replaced a "
            "name of the set-up, such as torch.",
        ),
        ({"output_type": "stream", "name": "stdout", "text": "a print"}, ""),
    ],
)
def test_only_our_own_exceptions_are_quoted(output, message):
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(output)])
    assert message_of(cell) == message


def test_an_endless_message_is_cut():
    output = {**ERROR, "ename": "CheckFailed", "evalue": "a" * 10_000_000}
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(output)])
    assert len(message_of(cell)) < 3000
