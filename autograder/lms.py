"""Grades of the gradebook for an LMS: read its export, find its students, write a file.

A grade that goes to the wrong person is worse than one that is left out. So a student
is matched by an id of the LMS, never by likeness, and whoever fits nobody or more
than one is left out and named.
"""

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import SubmittedAssignment

from autograder.course import Course, CourseError
from autograder.grade import Result, readable
from autograder.gradebook import recorded_results
from autograder.resume import class_results
from autograder.steps import gradebook_of
from autograder.submission import NAMESAKE

EXCEL = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .xls


@dataclass(frozen=True)
class Grade:
    """The points of one student for one lesson, without the late penalty."""

    points: float
    penalty: float
    result: Result


Grades = dict[str, dict[str, Grade]]  # student → lesson → grade


@dataclass(frozen=True)
class Table:
    """An export of an LMS: the names of its columns, and its rows, equally wide."""

    file: Path
    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> int | None:
        """The place of a column, whatever the case of its name; None if missing."""
        names = [title.strip().casefold() for title in self.header]
        return names.index(name.casefold()) if name.casefold() in names else None


@dataclass(frozen=True)
class Person:
    """A student of the LMS: the row of the export, and every id that names it."""

    row: list[str]
    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """What became of the grades: the file, and what the teacher should know.

    `left_out` says of students why they are not in the file, `skipped` of lessons.
    """

    file: Path
    students: int
    lessons: Sequence[str]
    notes: Sequence[str]
    left_out: Sequence[str]
    skipped: Sequence[str] = ()


def class_grades(course: Course) -> Grades:
    """Every grade of the gradebook, as nbgrader's own export has it.

    A teacher's score counts in place of the automatic one, and the late penalty is
    taken off. What was handed in and never graded is no grade. Raises CourseError when
    there is no grade.
    """
    fix = (
        "Grade first: autograder grade FOLDER, or give the class with --class-dir"
        f"{course.other_gradebook}."
    )
    if not course.has_gradebook:  # opening it would make an empty one
        raise CourseError(f"There is no gradebook {course.gradebook}. {fix}")
    penalties = _penalties(course)
    told = {(r.student, r.lesson): r for r in class_results(course)}
    grades: Grades = defaultdict(dict)
    for result in recorded_results(course):
        key = result.student, result.lesson
        penalty = penalties.get(key)
        if penalty is not None:
            points = max(0.0, result.points - penalty)
            if told[key].scores == result.scores:
                result = told[key]  # in the order of the lesson, and with its problem
            grades[result.student][result.lesson] = Grade(points, penalty, result)
    if not grades:
        name = "of --gradebook" if course.database else course.gradebook
        raise CourseError(f"The gradebook {name} holds no grade. {fix}")
    return dict(grades)


def _penalties(course: Course) -> dict[tuple[str, str], float]:
    """(student, lesson) → late penalty, for what was graded."""
    with gradebook_of(course) as gradebook:
        return {
            (found.student.id, found.assignment.name): found.late_submission_penalty
            for found in gradebook.db.query(SubmittedAssignment)
            if any(
                grade.auto_score is not None or grade.manual_score is not None
                for notebook in found.notebooks
                for grade in notebook.grades
            )
        }


def lessons_of(grades: Grades) -> list[str]:
    """The lessons for which somebody has a grade, in order."""
    return sorted({lesson for lessons in grades.values() for lesson in lessons})


def max_points(grades: Grades, lesson: str) -> float:
    """The points that a lesson has."""
    results = [by[lesson].result for by in grades.values() if lesson in by]
    return max(result.max_points for result in results)


def read_table(file: Path, fix: str) -> Table:
    """Read a CSV file in UTF-8 with commas; `fix` tells how to get a right one.

    Raises CourseError for what is no such file.
    """
    text = _text(file, fix)
    first = text.lstrip().partition("\n")[0]
    if "," not in first and re.search(r"[;\t]", first):
        raise CourseError(
            f"{file} separates its columns by semicolons or tabs, not by commas. {fix}"
        )
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        lines = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        where = f"{file}, line {reader.line_num}"
        raise CourseError(f"{where}: this is no CSV ({error}). {fix}") from None
    if not lines:
        raise CourseError(f"{file} is empty. {fix}")
    width = len(lines[0][1])
    for number, row in lines:
        if any(cell.strip() for cell in row[width:]):
            raise CourseError(
                f"{file}, line {number}: {len(row)} cells under {width} columns. "
                f"A name with a comma must stand in quotes. {fix}"
            )
    rows = [(row + [""] * width)[:width] for _, row in lines]
    return Table(file, rows[0], rows[1:])


def _text(file: Path, fix: str) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise CourseError(f"{file} cannot be read ({error.strerror}). {fix}") from None
    if data.startswith(EXCEL):
        raise CourseError(f"{file} is an Excel file; a CSV is needed. {fix}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CourseError(
            f"{file}, line {line}: this is not UTF-8; a spreadsheet may have saved it "
            f"in another encoding. {fix}"
        ) from None
    if "\0" in text:
        raise CourseError(f"{file} is no text: it holds zero bytes. {fix}")
    return text


def matched(
    students: Iterable[str], people: Sequence[Person], file: Path
) -> tuple[dict[str, Person], list[str]]:
    """Student → the one person whom the id names; and who is left out, and why."""
    named: dict[str, list[int]] = defaultdict(list)
    for number, person in enumerate(people):
        for key in {_key(text) for text in person.ids if text.strip()}:
            named[key].append(number)
    fits = {student: named.get(_key(student), []) for student in sorted(students)}
    claims = Counter(found[0] for found in fits.values() if len(found) == 1)
    matches, left_out = {}, []
    for student, found in fits.items():
        alike = found or named.get(_key(NAMESAKE.sub("", student)), [])
        names = "; ".join(readable(people[number].name) for number in alike)
        if not alike:
            left_out.append(f"{readable(student)}: not in {file.name}")
        elif not found:
            left_out.append(f"{readable(student)}: fits by name alone ({names})")
        elif len(found) > 1:
            left_out.append(f"{readable(student)}: fits more than one ({names})")
        elif claims[found[0]] > 1:
            left_out.append(f"{readable(student)}: not the only one who fits {names}")
        else:
            matches[student] = people[found[0]]
    return matches, left_out


def _key(text: str) -> str:
    """Ids that differ only in case or in the way accents are stored are the same."""
    return unicodedata.normalize("NFC", text.strip()).casefold()


def write_table(file: Path, rows: Sequence[Sequence[str]], source: Path | None) -> None:
    """Write a CSV file in UTF-8, and make its folder if it is not there.

    Raises CourseError when that is not possible.
    """
    if source and file.exists() and file.samefile(source):
        raise CourseError(f"--output {file} is the export itself. Give another name.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as text:
            csv.writer(text).writerows(rows)
    except OSError as error:
        raise CourseError(
            f"{file} cannot be written ({error.strerror}). Close it where it is open, "
            "or give another place with --output."
        ) from None
