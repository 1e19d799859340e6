"""Known wrong answers lose points at the right check; right ones in any style pass."""

import importlib

import pytest
from lesson_runner import COURSE, checks_of, exercises, failures

LESSONS = COURSE.lesson_names()


def entries(kind):
    for lesson in LESSONS:
        module = importlib.import_module(f"{kind.lower()}_answers.{lesson[3:]}")
        for entry in getattr(module, kind):
            label = getattr(entry, "fault", "") or entry.style
            name = f"{lesson}-{entry.exercise}-{label.replace(' ', '_')}"
            yield pytest.param(lesson, entry, id=name)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_solutions_pass_every_check(lesson):
    assert failures(lesson, {}) == {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_untouched_answers_fail_every_check_as_not_attempted(lesson):
    stubs = {
        name: f"def {name}(*args, **kwargs):\n    raise NotImplementedError()"
        for name in exercises(lesson)
    }
    failed = failures(lesson, stubs)
    for name in exercises(lesson):
        for check in checks_of(lesson, name):
            assert failed[check].startswith("NotAttempted: "), failed[check]


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
    counted = {name: 0 for name in exercises(lesson)}
    for wrong in module.WRONG:
        counted[wrong.exercise] += 1
    too_few = {name: n for name, n in counted.items() if n < 5}
    assert too_few == {}
