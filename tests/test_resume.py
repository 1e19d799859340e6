"""What a rerun takes from the runs before it."""

from pathlib import Path

import pytest

from autograder.grade import NOT_ISOLATED, CheckResult, Limits, Result
from autograder.isolation import Room
from autograder.resume import Memory
from autograder.submission import Submission

WORK = Submission("ada", "01_tiny", None)
CHECKS = (CheckResult("double_check_1", 1, 1, ""),)


@pytest.mark.parametrize(
    ("flags", "isolated", "is_taken"),
    [
        ((), True, True),
        ((), False, True),
        ((NOT_ISOLATED,), False, True),
        ((NOT_ISOLATED,), True, False),
        (("It peeks.",), True, True),
    ],
)
def test_with_a_sandbox_only_what_had_one_is_taken(course, flags, isolated, is_taken):
    course.class_dir.mkdir()
    result = Result("ada", "01_tiny", CHECKS, flags=flags)
    Memory(course).add(result, "a digest")
    memory = Memory(course, isolated)
    assert memory.result(WORK, "a digest") == (result if is_taken else None)
    assert memory.result(WORK, "another digest") is None
    assert memory.results() == [result]  # the reports go on telling it


def test_what_could_not_be_read_is_graded_as_soon_as_it_can(
    released, hand_in, monkeypatch
):
    work, memory = hand_in(released, "ada"), Memory(released)
    digest = memory.digest(work)

    def refuse(file):
        raise PermissionError(13, "Permission denied", str(file))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        assert memory.digest(work) != digest
    assert memory.digest(work) == digest


def test_other_limits_need_another_run(released):
    def digest(limits, room):
        return Memory(released, limits=(limits, room)).digest(WORK)

    usual = digest(Limits(), Room())
    assert digest(Limits(), Room()) == usual
    assert digest(Limits(cell=60), Room()) != usual
    assert digest(Limits(), Room(memory=1 << 30)) != usual


def test_what_follows_a_line_that_was_cut_off_is_kept(course):
    course.class_dir.mkdir()
    students = "ada", "bo", "cy"
    for student in students:
        Memory(course).add(Result(student, "01_tiny", CHECKS), "a digest")
    file = Memory(course).file
    whole = file.read_bytes()
    assert whole.count(b"\n") == 3
    file.write_bytes(whole[:-20])  # as a power cut leaves it
    for student in students[:2]:
        Memory(course).add(Result(student, "01_tiny", CHECKS), "another digest")
    known = {name: digest for (name, _), (digest, _) in Memory(course).known.items()}
    assert known == dict.fromkeys(students[:2], "another digest")
