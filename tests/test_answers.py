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
