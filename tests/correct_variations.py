"""Correct answers made at random from the right ones that are known.

Each starts from the lesson's own answer or from one of tests/right_answers and goes
through two to four twists, none of which changes a value. Run it from the repository
root to read those of a lesson:
PYTHONPATH=lessons:tests .venv/bin/python tests/correct_variations.py 01_block
"""

import ast
import random
import sys
from collections import Counter
from itertools import cycle, islice

from all_twists import TWISTS
from answers import Right
from lesson_runner import COURSE, exercises, lesson_text
from mutants import right_answers
from twists import Answer

from autograder.markers import full_source


def variations(count: int, seed: int = 0) -> list[tuple[str, Right]]:
    """`count` lessons with a right answer each; one exercise after the other."""
    rng, used = random.Random(seed), Counter()
    places = [
        (name, each) for name in COURSE.lesson_names() for each in exercises(name)
    ]
    return [
        (lesson, _variation(rng, used, lesson, exercise))
        for lesson, exercise in islice(cycle(places), count)
    ]


def _variation(rng: random.Random, used: Counter, lesson: str, exercise: str) -> Right:
    """A right answer after the twists that its style names, least used ones first."""
    own = full_source(lesson_text(lesson).answer(exercise).source)
    functions = [n.name for n in ast.parse(own).body if isinstance(n, ast.FunctionDef)]
    others = [right for right in right_answers(lesson) if right.exercise == exercise]
    base = rng.choice([Right(exercise, "the lesson's own", own), *others])
    source, style, wanted = base.source, [], rng.randint(2, 4)
    for name in sorted(TWISTS, key=lambda name: (used[name], rng.random())):
        if len(style) == wanted:
            break
        new = TWISTS[name](Answer(source, tuple(functions), len(style)))
        if new != source:
            source, style = new, [*style, name]
    used.update(style)
    return Right(exercise, ", ".join([base.style, *style]), source)


def main(lessons: list[str]) -> None:
    """Print the variations of `lessons`, or of all."""
    for lesson, right in variations(200):
        if lesson in (lessons or COURSE.lesson_names()):
            print(f"# {lesson}, {right.exercise}: {right.style}\n{right.source}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
