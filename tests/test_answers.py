"""Known wrong answers lose points at the right check; right ones in any style pass."""

import importlib
from collections import Counter

import pytest
from lesson_runner import COURSE, checks_of, exercises, failures, stubs
from repeat_checks import failed_with

LESSONS = COURSE.lesson_names()


def entries(kind):
    found = []
    for lesson in LESSONS:
        module = importlib.import_module(f"{kind.lower()}_answers.{lesson[3:]}")
        for entry in getattr(module, kind):
            label = getattr(entry, "fault", "") or entry.style
            name = f"{lesson}-{entry.exercise}-{label.replace(' ', '_')}"
            found.append(pytest.param(lesson, entry, id=name))
    return found


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_solutions_pass_every_check(lesson):
    assert failures(lesson, {}) == {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_untouched_answers_fail_every_check_as_not_attempted(lesson):
    failed = failures(lesson, stubs(lesson))
    for name in exercises(lesson):
        for check in checks_of(lesson, name):
            assert failed[check].startswith("NotAttempted: "), failed[check]


@pytest.mark.parametrize("seed", range(1, 6))
def test_other_draws_change_nothing_in_the_checks_of_sampling(seed):
    assert failed_with(seed) == {}


@pytest.mark.parametrize(("lesson", "wrong"), entries("WRONG"))
def test_a_wrong_answer_fails_at_the_check_that_names_its_fault(lesson, wrong):
    failed = failures(lesson, {wrong.exercise: wrong.source})
    expected = {wrong.check} if isinstance(wrong.check, str) else set(wrong.check)
    assert expected <= set(failed), f"caught only by {sorted(failed)}"
    assert set(failed) <= checks_of(lesson, wrong.exercise), "another exercise fails"


@pytest.mark.parametrize(("lesson", "right"), entries("RIGHT"))
def test_a_right_answer_in_another_style_gets_every_point(lesson, right):
    assert failures(lesson, {right.exercise: right.source}) == {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_at_least_five_wrong_answers(lesson):
    module = importlib.import_module(f"wrong_answers.{lesson[3:]}")
    counted = Counter(wrong.exercise for wrong in module.WRONG)
    assert [name for name in exercises(lesson) if counted[name] < 5] == []
