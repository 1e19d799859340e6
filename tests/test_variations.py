"""Correct answers made at random: whatever their style, none may lose a point."""

import pytest
from all_twists import TWISTS
from correct_variations import variations
from lesson_runner import COURSE, exercises
from mutants import judged

# From Python 3.12 on, a fork beside other threads warns; the children use one thread.
ALONE = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture(scope="module")
def made():
    return variations(200)


@ALONE
def test_no_variation_of_a_right_answer_loses_a_point(made):
    found = list(judged(made))
    assert len(found) == len(made)
    for outcome in found:
        assert outcome.failed == {}, f"{outcome.entry.style}\n{outcome.entry.source}"


def test_variations_come_from_every_exercise_and_use_every_twist(made):
    answered = {(lesson, right.exercise) for lesson, right in made}
    assert answered == {
        (lesson, name) for lesson in COURSE.lesson_names() for name in exercises(lesson)
    }
    styles = " ".join(right.style for _, right in made)
    assert [name for name in TWISTS if name not in styles] == []


def test_variations_differ_and_are_the_same_each_time(made):
    assert len({right.source for _, right in made}) == 200
    assert variations(200) == made
    assert variations(200, seed=1) != made
