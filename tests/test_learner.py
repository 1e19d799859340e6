"""Which notebooks of a folder are graded, and what a wrong call is told."""

import json
import os
from pathlib import Path

import pytest
from conftest import LESSON

from autograder.cli import main
from autograder.course import CourseError
from autograder.learner import find_notebooks, grade_notebooks
from autograder.single import grade_file

NAMED = {"nbformat": 4, "metadata": {"course": {"lesson": LESSON}}, "cells": []}


def put(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def found(course, tmp_path):
    """found() → names of the chosen notebook, its copies and the others"""
    work = tmp_path / "work"
    work.mkdir()

    def find(*paths):
        told = find_notebooks(course, paths or [work])
        files = (list(told.chosen.values()), told.copies, told.others)
        return [[str(f.relative_to(work)) for f in part] for part in files]

    find.work = work
    return find


def test_the_exact_name_comes_first_then_what_lies_on_top(found):
    put(found.work, "01_tiny-2.ipynb", "b/01_tiny (1).ipynb", "b/c/x_01_tiny.ipynb")
    chosen, copies, _ = found()
    assert chosen == ["01_tiny-2.ipynb"]
    assert copies == ["b/01_tiny (1).ipynb", "b/c/x_01_tiny.ipynb"]
    put(found.work, "b/c/01_tiny.ipynb", "b/01_tiny.ipynb")
    chosen, copies, _ = found()
    assert chosen == ["b/01_tiny.ipynb"]
    assert copies[0] == "b/c/01_tiny.ipynb" and len(copies) == 4


def test_a_renamed_notebook_is_known_by_what_it_says(found):
    put(found.work, "mine.ipynb", text=json.dumps(NAMED))
    put(found.work, "odd.ipynb", text=json.dumps(NAMED).replace(LESSON, "09_none"))
    put(found.work, "list.ipynb", text=json.dumps(NAMED).replace(f'"{LESSON}"', "[1]"))
    put(found.work, "empty.ipynb", "notes.txt", "01_tiny.txt")
    others = ["empty.ipynb", "list.ipynb", "odd.ipynb"]
    assert found() == [["mine.ipynb"], [], others]


@pytest.mark.parametrize("text", [json.dumps(NAMED), "nothing"])
def test_a_folder_and_a_single_file_tell_the_lesson_alike(course, tmp_path, text):
    says = LESSON if text == "nothing" else "02_more"
    course.source("02_more").touch()
    course.solution(LESSON).unlink()
    put(tmp_path, f"{LESSON}.ipynb", text=text.replace(LESSON, "02_more"))
    file = tmp_path / f"{LESSON}.ipynb"
    assert find_notebooks(course, [file]).chosen == {says: file}
    with pytest.raises(CourseError, match=f"^{says} is not built"):
        grade_file(course, file)


def test_hidden_folders_links_and_folders_are_passed_over(found, course):
    put(found.work, ".ipynb_checkpoints/01_tiny-checkpoint.ipynb", ".git/01_tiny.ipynb")
    (found.work / "01_tiny.ipynb").symlink_to(course.solution(LESSON))
    (found.work / "more").symlink_to(course.solutions)
    (found.work / "x_01_tiny.ipynb").mkdir()
    assert found() == [[], [], []]


def test_files_and_folders_can_be_named_together_and_twice(found):
    put(found.work, "a/01_tiny.ipynb", "b/mine.ipynb")
    both = found.work / "a", found.work / "a" / "01_tiny.ipynb", found.work / "b"
    assert found(*both) == [["a/01_tiny.ipynb"], [], ["b/mine.ipynb"]]


def test_a_folder_that_is_a_link_or_holds_the_course_is_refused(found, course):
    (found.work / "link").symlink_to(course.solutions)
    for path, words in {
        found.work / "link": "is a link, and links are not followed",
        found.work / "nowhere": "does not exist",
        course.root: "holds the course itself",
        course.root.parent: "holds the course itself",
    }.items():
        with pytest.raises(CourseError, match=words):
            find_notebooks(course, [path])


def test_a_folder_that_cannot_be_read_is_named(found, monkeypatch):
    put(found.work, "a/01_tiny.ipynb", "b/01_tiny.ipynb")
    closed, usual = str(found.work / "b"), os.scandir

    def scan(folder):
        if str(folder) == closed:
            raise PermissionError(13, "Permission denied", closed)
        return usual(folder)

    monkeypatch.setattr(os, "scandir", scan)
    with pytest.raises(CourseError, match=r"/b cannot be read \(Perm.*\)\. Change its"):
        found()


@pytest.mark.parametrize("place", ["file", "/proc"])  # root cannot write there, too
def test_pages_that_cannot_be_written_are_told_before_the_grading(
    course, monkeypatch, place
):
    (course.root / "file").touch()
    monkeypatch.setattr("autograder.learner.grade_class", None)  # it is not called
    with pytest.raises(CourseError, match=rf"in .*{place} \(.+\)\. .* --feedback\."):
        grade_notebooks(course, {}, course.root / place)


def test_a_wrong_call_gives_one_line_and_status_2(course, monkeypatch, capsys):
    monkeypatch.chdir(course.root)
    with pytest.raises(SystemExit) as stopped:
        main(["summary", "nowhere"])
    told = capsys.readouterr()
    assert stopped.value.code == 2
    assert told.out == ""
    assert told.err == "nowhere does not exist. Give folders or notebooks.\n"
