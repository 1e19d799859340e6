"""Results → the class's CSV file and pages, and tables for the terminal."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.table import Table
from rich.text import Text

from autograder.class_page import write_class_page
from autograder.course import Course, CourseError
from autograder.feedback import update_feedback
from autograder.grade import Result, readable
from autograder.resume import Memory, class_results

MOST_NOTES = 20  # of one submission in the CSV file; a hostile one can have thousands


def write_reports(course: Course) -> list[Result]:
    """Write grades.csv and report.html from all that is recorded of the class.

    Returns that. Raises CourseError when nothing is, and when a file cannot be written.
    """
    results = class_results(course) if course.has_gradebook else []
    if not results:
        raise CourseError(
            f"{course.class_dir} holds no grades yet; "
            f"run: autograder grade FOLDER{course.other_gradebook}"
        )
    with _told(course):
        write_csv(results, course.grades_csv)
        write_class_page(course, results)
    return results


def write_pages(course: Course, results: Sequence[Result]) -> None:
    """Make the feedback pages that are missing, or older than a teacher's score.

    `results` are all of the class; those that another program graded have no page of
    ours. Raises CourseError when one cannot be written.
    """
    ours = {(r.student, r.lesson) for r in Memory(course).results()}
    graded = [r for r in results if r.checks and (r.student, r.lesson) in ours]
    with _told(course):
        update_feedback(course, graded)


@contextmanager
def _told(course: Course) -> Iterator[None]:
    """A file that cannot be written as a CourseError that tells the fix."""
    try:
        yield
    except OSError as error:
        raise CourseError(
            f"{error.filename or course.class_dir} cannot be written "
            f"({error.strerror}). Close it where it is open and run: "
            "autograder report. The gradebook has all grades."
        ) from None


def write_csv(results: Sequence[Result], file: Path) -> None:
    """Write one row a student: points of each lesson, their sum, and notes."""
    lessons = sorted({result.lesson for result in results})
    students: dict[str, dict[str, Result]] = {}
    for result in results:
        students.setdefault(result.student, {})[result.lesson] = result
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(["student", *lessons, "total", "notes"])
        for student, by_lesson in sorted(students.items()):
            graded = [r for r in by_lesson.values() if r.checks]
            row = [_points(by_lesson.get(lesson)) for lesson in lessons]
            total = f"{sum(r.points for r in graded):g}"
            notes = [
                f"{name}: {notes}"
                for name in lessons
                if (notes := _notes(by_lesson.get(name), MOST_NOTES))
            ]
            writer.writerow(
                [table_cell(student), *row, total, table_cell("; ".join(notes))]
            )


def class_table(results: Sequence[Result]) -> Table:
    """One row a submission: student, lesson, points, notes."""
    table = Table("Student", "Lesson", "Points", "Notes")
    for result in sorted(results, key=lambda r: (r.student, r.lesson)):
        points = f"{result.points:g} / {result.max_points:g}" if result.checks else "–"
        # Text, not str: a student's name or cell must not be read as rich's markup.
        cells = (result.student, result.lesson, points, _notes(result, 1))
        table.add_row(*map(_text, cells))
    return table


def checks_table(result: Result) -> Table:
    """One row a check of one submission: check, points, message."""
    caption = _text(_notes(result, MOST_NOTES))
    table = Table("Check", "Points", "Message", caption=caption)
    for check in result.checks:
        points = f"{check.points:g} / {check.max_points:g}"
        message = "" if result.problem else check.message  # the caption says it once
        table.add_row(*map(_text, (check.check, points, message)))
    table.add_section()
    table.add_row("total", f"{result.points:g} / {result.max_points:g}", "")
    return table


def _text(text: str) -> Text:
    return Text(readable(text))


def _points(result: Result | None) -> str:
    return f"{result.points:g}" if result and result.checks else ""


def _notes(result: Result | None, most: int) -> str:
    """The first notes on one line, and how many there are beside them."""
    told = (result.problem, *result.repairs, *result.flags) if result else ()
    notes = [" ".join(note.split()) for note in told if note]
    more = [f"(and {len(notes) - most} more)"] if len(notes) > most else []
    return " ".join(notes[:most] + more)


def table_cell(text: str) -> str:
    """`text` on one line that a spreadsheet does not take for a formula."""
    line = " ".join(readable(text).split())
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
