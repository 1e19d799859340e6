"""Correct answers made at random: whatever their style, none may lose a point."""

from correct_variations import TWISTS, variations
from lesson_runner import COURSE, exercises
from mutants import judged

MADE = variations(200)


def test_no_variation_of_a_right_answer_loses_a_point():
    assert [
        (outcome.entry.style, outcome.failed, outcome.entry.source)
        for outcome in judged(MADE)
        if outcome.failed
    ] == []


def test_variations_come_from_every_exercise_and_use_every_twist():
    used = {(lesson, right.exercise) for lesson, right in MADE}
    assert used == {(x, each) for x in COURSE.lesson_names() for each in exercises(x)}
    styles = " ".join(right.style for _, right in MADE)
    assert [name for name in TWISTS if name not in styles] == []


def test_variations_differ_and_are_the_same_each_time():
    assert len({right.source for _, right in MADE}) == len(MADE) == 200
    assert variations(200) == MADE
