"""Finding: whatever a teacher downloads, every hand-in is found once."""

import errno
import os
from pathlib import Path

import nbformat
import pytest

from autograder import submission
from autograder.course import CourseError
from autograder.submission import (
    Submission,
    find_submissions,
    not_recognised,
    unreadable,
)

LESSONS = ["01_block", "02_train", "01_block_more"]
MOODLE = "Ada_{}_assignsubmission_file_/{}.ipynb"


def put(folder, *names):
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}", encoding="utf-8")


@pytest.fixture(params=["iterdir", "lstat"])
def close(request, monkeypatch):
    """close(folder): its names, or what they name, cannot be read, even by root."""
    closed, usual = set(), getattr(Path, request.param)

    def read(path):
        if {"iterdir": path, "lstat": path.parent}[request.param] in closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return usual(path)

    monkeypatch.setattr(Path, request.param, read)
    return closed.add


def only(folder):
    (found,) = find_submissions(folder, LESSONS)
    return found


def test_the_layout_of_nbgrader_is_read_sorted_by_lesson_then_student(tmp_path):
    put(tmp_path, "zoe/01_block/01_block.ipynb", "adam/02_train/02_train.ipynb")
    put(tmp_path, "adam/01_block/01_block.ipynb", "adam/01_block/timestamp.txt")
    assert find_submissions(tmp_path, LESSONS) == [
        Submission("adam", "01_block", tmp_path / "adam/01_block/01_block.ipynb"),
        Submission("zoe", "01_block", tmp_path / "zoe/01_block/01_block.ipynb"),
        Submission("adam", "02_train", tmp_path / "adam/02_train/02_train.ipynb"),
    ]


@pytest.mark.parametrize(
    "name",
    ["01_block (1).ipynb", "Copy of 01_block.ipynb", "mine.ipynb", "01_block.IPYNB"],
)
def test_a_single_notebook_of_any_name_is_taken(tmp_path, name):
    put(tmp_path, f"zoe/01_block/{name}", "zoe/01_block/scene.png")
    assert only(tmp_path).file.name == name
    assert only(tmp_path).notes == ()


def test_of_two_notebooks_the_exact_name_is_taken_and_noted(tmp_path):
    put(tmp_path, "zoe/01_block/01_block.ipynb", "zoe/01_block/01_block (2).ipynb")
    found = only(tmp_path)
    assert found.file.name == "01_block.ipynb"
    assert found.notes == ("Of 2 notebooks for 01_block, 01_block.ipynb was taken.",)


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["01_block (2).ipynb", "01_block (10).ipynb"], "01_block (10).ipynb"),
        (["01_block-Copy1.ipynb", "01_block-Copy2.ipynb"], "01_block-Copy2.ipynb"),
        (["Untitled7.ipynb", "01_block (1).ipynb"], "01_block (1).ipynb"),
        (["Untitled.ipynb", "Untitled3.ipynb"], "Untitled3.ipynb"),
    ],
)
def test_without_the_exact_name_the_highest_copy_number_is_taken(
    tmp_path, names, taken
):
    put(tmp_path, *(f"zoe/01_block/{name}" for name in names))
    assert only(tmp_path).file.name == taken
    assert len(only(tmp_path).notes) == 1


def test_checkpoints_and_hidden_files_are_ignored(tmp_path):
    put(
        tmp_path,
        "zoe/01_block/mine.ipynb",
        "zoe/01_block/01_block-checkpoint.ipynb",
        "zoe/01_block/.ipynb_checkpoints/01_block.ipynb",
        "zoe/01_block/.01_block.ipynb",
        ".hidden/01_block/01_block.ipynb",
        ".eve_123_01_block.ipynb",
        "eve_123_01_block-checkpoint.ipynb",
    )
    assert only(tmp_path) == Submission(
        "zoe", "01_block", tmp_path / "zoe/01_block/mine.ipynb"
    )


def test_another_file_is_handed_on_so_that_reading_it_gives_the_reason(tmp_path):
    put(tmp_path, "zoe/01_block/notes.pdf", "zoe/01_block/timestamp.txt")
    found = only(tmp_path)
    assert found.file.name == "notes.pdf"
    with pytest.raises(submission.NotANotebook, match=r"notes\.pdf"):
        submission.read_notebook(found.file)


def test_an_empty_folder_is_a_problem_of_that_student_alone(tmp_path):
    put(tmp_path, "zoe/01_block/01_block.ipynb", "adam/01_block/timestamp.txt")
    (tmp_path / "bea/01_block").mkdir(parents=True)
    found = find_submissions(tmp_path, LESSONS)
    assert [(s.student, s.file is None, s.problem) for s in found] == [
        ("adam", True, EMPTY),
        ("bea", True, EMPTY),
        ("zoe", False, ""),
    ]


EMPTY = "The hand-in for 01_block holds no file. Hand in 01_block.ipynb."


@pytest.mark.parametrize(
    ("name", "student", "lesson"),
    [
        ("studentname_123_456_01_block (1).ipynb", "studentname", "01_block"),
        ("student_LATE_123_01_block-2.ipynb", "student", "01_block"),
        ("jane_doe_12_01_block.ipynb", "jane_doe", "01_block"),
        ("4711_01_block.ipynb", "4711", "01_block"),
        ("Jane Doe - 01_block.ipynb", "Jane Doe", "01_block"),
        ("jane_1_2_Copy of 01_block.ipynb", "jane", "01_block"),
        ("jane_1_2_01_block_more-1.ipynb", "jane", "01_block_more"),
        ("jane_1_2_01_block_final.ipynb", "jane", "01_block"),
        ("jane_1_2_02_train.pdf", "jane", "02_train"),
    ],
)
def test_student_and_lesson_are_read_from_a_name_of_an_lms(
    tmp_path, name, student, lesson
):
    put(tmp_path, name)
    assert only(tmp_path) == Submission(student, lesson, tmp_path / name)


def test_of_two_downloads_of_one_student_the_later_hand_in_is_taken(tmp_path):
    put(tmp_path, "jane_1_2_01_block.ipynb", "jane_1_2_01_block-2.ipynb")
    assert only(tmp_path).file.name == "jane_1_2_01_block-2.ipynb"


@pytest.mark.parametrize(
    ("names", "students"),
    [
        (["jane_1_7_01_block.ipynb", "jane_2_8_01_block.ipynb"], "jane-1 jane-2"),
        (
            ["jane_1_7_01_block.ipynb", "jane_LATE_2_8_01_block-1.ipynb"],
            "jane-1 jane-2",
        ),
        (["jane_1_7_01_block.ipynb", "jane_2_8_02_train.ipynb"], "jane-1 jane-2"),
        (["jane_1_7_01_block.ipynb", "jane_1_9_02_train.ipynb"], "jane jane"),
        (["jane_1_7_01_block.ipynb", "jane_1_7_01_block-1.ipynb"], "jane"),
        (["team_1/01_block.ipynb", "team_2/01_block.ipynb"], "team-1 team-2"),
        ([MOODLE.format(3, "01_block"), MOODLE.format(4, "01_block")], "Ada-3 Ada-4"),
        # Moodle gives a student another id for each assignment
        ([MOODLE.format(3, "01_block"), MOODLE.format(9, "02_train")], "Ada Ada"),
    ],
)
def test_two_students_of_one_name_stay_two(tmp_path, names, students):
    put(tmp_path, *names)
    found = find_submissions(tmp_path, LESSONS)
    assert " ".join(one.student for one in found) == students
    for one in found:
        _, clash, user = one.student.partition("-")
        note = f"Another student has the same name, so the id {user} is added."
        assert (note in one.notes) == bool(clash)


def test_of_two_students_of_one_name_each_keeps_the_last_attempt(tmp_path):
    last = ["jane_LATE_1_4_01_block-1.ipynb", "jane_2_3_01_block.ipynb"]
    put(tmp_path, "jane_1_2_01_block.ipynb", *last, "jane/01_block/01_block.ipynb")
    folder, *two = find_submissions(tmp_path, LESSONS)
    assert [one.file.name for one in two] == last
    assert "Of 2 notebooks for 01_block" in two[0].notes[1]
    assert (folder.student, folder.notes) == ("jane", ())  # it tells no id


def test_what_a_notebook_says_does_not_move_it_to_another_lesson(tmp_path):
    told = (
        '{"nbformat": 4, "metadata": {"course": {"lesson": "01_block"}}, "cells": []}'
    )
    (tmp_path / "jane_1_2_02_train.ipynb").write_text(told)
    assert only(tmp_path).lesson == "02_train"  # and then it is refused, with a reason


def test_both_layouts_may_be_mixed(tmp_path):
    put(tmp_path, "zoe/01_block/01_block.ipynb", "adam_1_01_block.ipynb")
    found = find_submissions(tmp_path, LESSONS)
    assert [s.student for s in found] == ["adam", "zoe"]


@pytest.mark.parametrize("name", ["01_block.ipynb", "Copy of 01_block.ipynb"])
def test_a_name_without_a_student_counts_for_the_name_of_the_file(tmp_path, name):
    put(tmp_path, name)
    found = only(tmp_path)
    assert (found.student, found.file) == (name.removesuffix(".ipynb"), tmp_path / name)
    assert "gives no student; rename it to STUDENT_01_block" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ida/01_block.ipynb", "ida"),
        ("ida/01_Block (2).ipynb", "ida"),
        ("Hal_99_assignsubmission_file_/01_block.ipynb", "Hal"),
        ("fay_01-block.ipynb", "fay"),
    ],
)
def test_files_of_other_systems_are_found(tmp_path, name, student):
    put(tmp_path, name)
    assert only(tmp_path).student == student


def test_a_name_with_the_signs_of_a_pattern_is_quoted(tmp_path):
    put(tmp_path, "a[1]/01_block/01_block.ipynb")
    assert only(tmp_path).student == "a%5B1%5D"


def test_what_is_no_submission_is_named(tmp_path):
    put(tmp_path, "ida/01_block.ipynb")
    put(tmp_path, "ida/notes.txt")
    put(tmp_path, "roster.csv")
    put(tmp_path, "empty/homework.ipynb")
    assert not_recognised(tmp_path, ["01_block"]) == ["empty", "roster.csv"]


def test_files_of_no_known_lesson_are_ignored(tmp_path):
    put(tmp_path, "jane_1_101_block.ipynb", "jane_1_01_blocks.ipynb", "grades.csv")
    put(tmp_path, "zoe/09_other/09_other.ipynb")
    with pytest.raises(CourseError, match="holds no submission"):
        find_submissions(tmp_path, LESSONS)


@pytest.mark.parametrize("name", ["a\\b", "a\\..", "a\nb", "C:", "a\udcff"])
def test_an_id_that_is_no_safe_folder_name_is_cleaned(tmp_path, name):
    put(tmp_path, f"{name}/01_block/01_block.ipynb")
    found = only(tmp_path)
    assert found.file is not None
    assert not set(found.student) & set("\\/:\n\udcff")
    assert found.notes == (
        f"The student id was no folder name and became {found.student}.",
    )


def test_remarks_can_be_saved_whatever_the_file_is_called(tmp_path):
    put(tmp_path, "zoe/01_block/a\udcff1.ipynb", "zoe/01_block/a\udcff2.ipynb")
    only(tmp_path).notes[0].encode()


def test_two_unsafe_ids_never_become_one_student(tmp_path):
    put(tmp_path, "a\\b/01_block/01_block.ipynb", "a:b/01_block/01_block.ipynb")
    put(tmp_path, "a-b/01_block/01_block.ipynb")
    assert len({s.student for s in find_submissions(tmp_path, LESSONS)}) == 3


@pytest.mark.parametrize(
    "link", ["eve/01_block/01_block.ipynb", "eve/01_block", "eve", "eve_1_01_block.py"]
)
@pytest.mark.parametrize("target", ["outside", "class/zoe"])
def test_no_link_is_followed_to_the_work_of_somebody_else(tmp_path, link, target):
    folder = tmp_path / "class"
    put(folder, "zoe/01_block/01_block.ipynb")
    put(tmp_path, "outside/01_block/01_block.ipynb")
    place = folder / link
    place.parent.mkdir(parents=True, exist_ok=True)
    steps = {"eve": "", "eve/01_block": "01_block"}
    os.symlink(tmp_path / target / steps.get(link, "01_block/01_block.ipynb"), place)
    eve, zoe = find_submissions(folder, LESSONS)
    assert (eve.student, eve.file) == ("eve", None)
    assert "links are not followed" in eve.problem
    assert zoe.file is not None


def test_a_broken_link_is_a_problem(tmp_path):
    (tmp_path / "eve").mkdir()
    os.symlink(tmp_path / "gone", tmp_path / "eve/01_block")
    assert "links are not followed" in only(tmp_path).problem


def test_the_folder_itself_may_be_a_link(tmp_path):
    put(tmp_path / "real", "zoe/01_block/01_block.ipynb")
    os.symlink(tmp_path / "real", tmp_path / "submitted")
    assert only(tmp_path / "submitted").file is not None


@pytest.mark.parametrize("name", [".", "gone", "file"])
def test_a_folder_without_submissions_says_what_is_expected(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match=r"STUDENT/01_block/01_block\.ipynb"):
        find_submissions(tmp_path / name, LESSONS)


def test_a_students_folder_that_cannot_be_read_is_named_and_stops_nobody(
    tmp_path, close
):
    put(tmp_path, "adam/01_block/01_block.ipynb", "eve/01_block/01_block.ipynb")
    close(tmp_path / "eve")
    assert only(tmp_path).student == "adam"
    assert unreadable(tmp_path) == ["eve (Permission denied)"]
    assert not_recognised(tmp_path, LESSONS) == []
    close(tmp_path / "adam")
    with pytest.raises(CourseError, match=r"permissions of adam \(Perm.*\), eve \("):
        find_submissions(tmp_path, LESSONS)


def test_a_folder_of_a_hand_in_that_cannot_be_read_is_a_problem(tmp_path, close):
    put(tmp_path, "eve/01_block/01_block.ipynb", "eve/02_train/02_train.ipynb")
    close(tmp_path / "eve/01_block")
    block, train = find_submissions(tmp_path, LESSONS)
    assert block.problem == (
        "The folder of the hand-in for 01_block cannot be read (Permission denied). "
        "Change its permissions, or hand in 01_block.ipynb once more."
    )
    assert (block.file, train.problem) == (None, "")
    assert unreadable(tmp_path) == []


def test_a_file_goes_all_the_way_to_a_gradeable_notebook(tmp_path):
    put(tmp_path, "zoe_1_01_block.ipynb")
    released = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A")])
    nbformat.write(released, tmp_path / "zoe_1_01_block.ipynb")
    read = submission.read_notebook(only(tmp_path).file)
    assert submission.repair(read, released) == submission.Repaired(released, ())
