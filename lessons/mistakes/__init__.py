"""Known wrong answers: the notebooks' hints and the mutation tests come from them.

A mistake is one wrong answer to one exercise, the check cells that must catch it, and
a hint that says in plain words what usually causes it. lessons/README.md tells how to
add one in five lines.
"""

import importlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Hint:
    """What usually causes a fault, in one or two sentences; never the answer.

    `subject` is the word, or a few words, that name what is at fault ("variance",
    "mask"). The message that a learner sees must hold it; a test looks.
    """

    subject: str
    text: str


@dataclass(frozen=True)
class Mistake:
    """One wrong answer to `exercise`.

    `checks` are the numbers of the exercise's check cells that must all fail (the
    first is 1); no check of another exercise may. The answer is `source`, a whole
    cell, or the lesson's own answer after each replacement (old, new) of `edits`.
    """

    exercise: str
    name: str
    checks: tuple[int, ...]
    hint: Hint
    source: str = ""
    edits: tuple[tuple[str, str], ...] = ()

    @property
    def check_ids(self) -> set[str]:
        return {f"{self.exercise}_check_{number}" for number in self.checks}

    def answer(self, solution: str) -> str:
        """The wrong answer cell; `solution` is the lesson's own.

        Raises ValueError when an edit's old text does not stand in it.
        """
        text = self.source or solution
        for old, new in self.edits:
            if old not in text:
                raise ValueError(
                    f"mistake {self.name!r} of {self.exercise}: {old!r} does not stand "
                    "in the lesson's answer; correct its edits"
                )
            text = text.replace(old, new)
        return text


def mistakes_of(lesson: str) -> tuple[Mistake, ...]:
    """The catalogue of one lesson, such as "01_block"."""
    return importlib.import_module(f"mistakes.{lesson[3:]}").MISTAKES
