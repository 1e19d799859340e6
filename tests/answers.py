"""What the lists in tests/wrong_answers and tests/right_answers are made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """A wrong answer, and the check cell that must fail because of it.

    `source` is a whole answer cell, in place of the solution. `check` is the id of
    one check cell, or of several that must all fail; no check of another exercise may.
    """

    exercise: str
    fault: str
    check: str | tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Right:
    """A right answer in another style, which gets every point of its exercise."""

    exercise: str
    style: str
    source: str
