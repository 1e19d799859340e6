"""Cells that the build writes: hints, radio buttons, recall cards, score panel.

The lesson says where each stands with an empty cell: `# %% generated="advice"`,
"cards", "score", or "quick_1_choices" for the radio buttons of the question quick_1.
"""

import ast
import pprint

from autograder.cards import read_cards
from autograder.cells import Cell, cell_fault
from autograder.course import Course
from autograder.hints import Advice
from autograder.lesson import Lesson
from autograder.markers import SOLUTION, fenced

CHOICES = "_choices"


def generated_source(
    course: Course, read: Lesson, cell: Cell, explained: bool, advice: Advice | None
) -> str:
    """The source of one generated cell. `explained` gives reasons for all choices.

    Raises CourseError for a name that is not known, and for missing cards or mistakes.
    """
    question = cell.name.removesuffix(CHOICES)
    if cell.name.endswith(CHOICES) and read.has_question(question):
        return _choices(read, read.answer(question), explained)
    if cell.name == "advice" and advice:
        return _advice(advice)
    if cell.name == "cards" and (deck := read_cards(course.cards).get(read.name)):
        pairs = [(card["front"], card["back"]) for card in deck]
        return f"# @title Recall cards\nCards({_literal(pairs)})"
    if cell.name == "score":
        return _score(read)
    raise cell_fault(
        read.path,
        cell.line,
        cell.id,
        "nothing can be written here: generated is advice (with a catalogue in "
        f"lessons/mistakes), cards (in {course.cards.name}), score, or the name of a "
        f"question with {CHOICES}",
    )


def _score(read: Lesson) -> str:
    points = {read.title_of(cell): cell.points for cell in read.of_kind("checks")}
    return f"# @title Your score\nshow_score(checking.outcomes, {_literal(points)})"


def _choices(read: Lesson, question: Cell, explained: bool) -> str:
    right, because = read.choices_of(question)
    line = _answer_line(read, question)
    arguments = [repr(line), repr("".join(because)), "globals()"]
    if explained:
        marked = {
            letter: f"{'✓' if letter == right else '✗'} {reason}"
            for letter, reason in because.items()
        }
        arguments.append(f"because={_literal(marked)}")
    return f"# @title Choose a letter for {line}\nChoices({', '.join(arguments)})"


def _answer_line(read: Lesson, question: Cell) -> str:
    """The name that a question's answer is given: "answer_1"."""
    try:
        (line,) = ast.parse("\n".join(fenced(question.source, SOLUTION))).body
        return ast.unparse(line.targets[0])  # type: ignore[attr-defined]
    except (AttributeError, ValueError, SyntaxError):
        raise cell_fault(
            read.path,
            question.line,
            question.id,
            'its solution must be one line such as answer_1 = "b"',
        ) from None


def _advice(advice: Advice) -> str:
    return (
        "# @title Set-up: hints for common mistakes\n"
        f"checking.advice = Advice(\n    hints={_literal(advice.hints)},\n"
        f"    known={_literal(advice.known)},\n"
        f"    sections={_literal(advice.sections)},\n)"
    )


def _literal(value: object) -> str:
    """`value` as Python source in short lines, in its own order."""
    return pprint.pformat(value, width=84, compact=True, sort_dicts=False)
