"""What the lists in tests/right_answers are made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Right:
    """A right answer in another style, which gets every point of its exercise."""

    exercise: str
    style: str
    source: str
