"""A gradebook that cannot be used is told in one sentence, with the fix."""

import pytest

from autograder.course import Course, CourseError
from autograder.gradebook import recorded_results
from autograder.release import release_lesson
from autograder.steps import gradebook_of

LESSON = "01_tiny"


def test_a_gradebook_that_cannot_be_opened_is_told(course):
    elsewhere = Course(course.root, course.root / "nowhere")
    with pytest.raises(
        CourseError, match=r"to open .*\. See that you can read and wri"
    ):
        recorded_results(elsewhere)


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_damaged_gradebook_is_told(course, kept):
    """Its start is damaged, or its end, which is found when the grades are read."""
    release_lesson(course, LESSON)
    data = course.gradebook.read_bytes()
    whole = data[: int(len(data) * kept)]
    course.gradebook.write_bytes(whole + b"x" * (len(data) - len(whole)))
    with pytest.raises(CourseError, match=r"gradebook\.db cannot be used: .* grade ag"):
        recorded_results(course)


def test_a_mistake_in_the_code_stays_one(released):
    with pytest.raises(ImportError), gradebook_of(released):
        raise ImportError("not of the gradebook")
