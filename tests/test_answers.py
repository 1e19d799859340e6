"""The lessons' own answers, untouched ones, and the rules of the catalogue.

Every wrong answer and every right one in another style runs in `make mutants`.
"""

from collections import Counter

import pytest
from lesson_runner import (
    COURSE,
    checks_of,
    exercises,
    failures,
    lesson_text,
    stubs,
)
from mutants import right_answers
from repeat_checks import failed_with

from autograder.markers import full_source
from mistakes import Hint, Mistake, mistakes_of

LESSONS = COURSE.lesson_names()


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


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_at_least_five_wrong_answers(lesson):
    counted = Counter(mistake.exercise for mistake in mistakes_of(lesson))
    assert [name for name in exercises(lesson) if counted[name] < 5] == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_hint_holds_its_subject_and_reads_as_a_sentence(lesson):
    for mistake in mistakes_of(lesson):
        hint = mistake.hint
        assert hint.subject.lower() in hint.text.lower(), mistake.name
        assert hint.text.endswith("."), hint.text
        assert len(hint.text.split()) <= 50, hint.text


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_mistake_changes_the_answer_and_stands_once(lesson):
    names = Counter((m.exercise, m.name) for m in mistakes_of(lesson))
    assert [name for name, times in names.items() if times > 1] == []
    for mistake in mistakes_of(lesson):
        solution = full_source(lesson_text(lesson).answer(mistake.exercise).source)
        assert mistake.answer(solution).strip() != solution.strip(), mistake.name


def test_an_edit_that_does_not_fit_the_answer_is_named():
    odd = Mistake("double", "odd", (1,), Hint("x", "x"), edits=(("absent", "new"),))
    with pytest.raises(ValueError, match="'odd' of double: 'absent' does not stand"):
        odd.answer("def double(x): ...")


def test_the_catalogue_and_the_right_answers_are_as_many_as_promised():
    wrong = {lesson: len(mistakes_of(lesson)) for lesson in LESSONS}
    right = sum(len(right_answers(lesson)) for lesson in LESSONS)
    assert sum(wrong.values()) >= 150 and min(wrong.values()) >= 20
    assert right >= 60


@pytest.mark.parametrize(
    ("lesson", "exercise", "edit", "numbers"),
    [
        ("01_block", "attention", ("triu(1)", "triu(0)"), {3}),
        ("01_block", "attention", ("-math.inf", "0.0"), {3}),
        ("03_sampling", "sample_token", (", generator=generator", ""), {2}),
    ],
)
def test_a_fault_of_one_kind_costs_one_check(lesson, exercise, edit, numbers):
    solution = full_source(lesson_text(lesson).answer(exercise).source)
    failed = failures(lesson, {exercise: solution.replace(*edit)})
    assert set(failed) == {f"{exercise}_check_{number}" for number in numbers}


def test_a_wrong_scale_is_not_taken_for_float32():
    solution = full_source(lesson_text("01_block").answer("layer_norm").source)
    wrong = solution.replace("* scale", "* (1 + scale)")
    failed = failures("01_block", {"layer_norm": wrong})
    assert "layer_norm_check_1" in failed
    assert not any("float32" in message for message in failed.values())


def test_an_unexpected_error_of_days_names_its_numbers():
    solution = full_source(lesson_text("02_counting").answer("budget").source)
    wrong = solution.replace("utilisation <= 1", "utilisation < 1")
    failed = failures("02_counting", {"budget": wrong})
    assert list(failed) == ["budget_check_2"]
    assert "Speed 1e+15, utilisation 1." in failed["budget_check_2"]
