"""Grades → the file that Canvas takes under Grades, Import.

Canvas reads the columns from Student to Section as who it is, and every further column
as an assignment: one whose name ends in the id of an assignment updates it, and
another one makes a new assignment. An empty cell takes a grade away, so a cell for
which there is no grade keeps what the export has.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.lms import (
    Grade,
    Grades,
    Person,
    Table,
    Written,
    class_grades,
    lessons_of,
    matched,
    max_points,
    read_table,
    write_table,
)
from autograder.submission import namesake

FIX = (
    "In Canvas take Grades, Export, Export Entire Gradebook, and give the file as it "
    "comes, with commas (Canvas has a setting for semicolons) and not saved again by "
    "a spreadsheet."
)
ID_COLUMNS = ("SIS Login ID", "SIS User ID", "ID")


@dataclass(frozen=True)
class Export:
    """A gradebook export: who is in it, and its assignments by name of the column.

    `who` is the number of columns from Student to Section.
    """

    table: Table
    who: int
    points_possible: list[str]
    people: list[Person]
    assignments: dict[str, int]


def write_canvas(
    course: Course, export_file: Path, output: Path, columns: Sequence[str] = ()
) -> Written:
    """Write every grade of the class for Canvas; `columns` are "LESSON=COLUMN".

    A lesson that has other points in Canvas is left out, as its grades would count
    wrongly. Raises CourseError for a file that is no export, and a column that does not
    fit.
    """
    export, grades = read_export(export_file), class_grades(course)
    lessons = lessons_of(grades)
    people, left_out = matched(grades, export.people, export_file)
    places, notes, skipped = {}, [], []
    for lesson, place in _places(export, lessons, columns).items():
        points = max_points(grades, lesson)
        possible = f"{points:g}" if place is None else export.points_possible[place]
        if place is None:
            new = "no column in the export; Canvas makes a new assignment."
            notes.append(f"{lesson}: {new}")
        elif _number(possible) != points:
            skipped.append(_other_points(lesson, points, possible))
            continue
        places[lesson] = place, possible
    rows = _rows(export, grades, people, places)
    students = len(rows) - 2
    if students:
        write_table(output, rows, export_file)
    return Written(output, students, list(places), notes, left_out, skipped)


def _other_points(lesson: str, points: float, possible: str) -> str:
    return (
        f"{lesson} is left out: it has {points:g} points here, and "
        f"{possible.strip() or 'none'} in Canvas. Set {points:g} in Canvas, export "
        "again, and run this command again."
    )


def _rows(
    export: Export,
    grades: Grades,
    people: Mapping[str, Person],
    places: Mapping[str, tuple[int | None, str]],
) -> list[list[str]]:
    """Two rows of heads, then one for each student with a grade for one of `places`."""
    who, header = slice(export.who), export.table.header
    titles = [
        lesson if place is None else header[place]
        for lesson, (place, _) in places.items()
    ]
    rows = [
        [*header[who], *titles],
        [*export.points_possible[who], *(possible for _, possible in places.values())],
    ]
    for student, person in people.items():
        cells = [
            _points(grades[student].get(lesson), person.row, place)
            for lesson, (place, _) in places.items()
        ]
        if places.keys() & grades[student].keys():
            rows.append([*person.row[who], *cells])
    return rows


def _points(grade: Grade | None, row: Sequence[str], place: int | None) -> str:
    """A student's points; without a grade what Canvas has already, or nothing."""
    if grade:
        return f"{grade.points:g}"
    return "" if place is None else row[place]


def read_export(file: Path) -> Export:
    """Read a gradebook export of Canvas; raises CourseError for another file."""
    table = read_table(file, FIX)
    places = {name: table.column(name) for name in (*ID_COLUMNS, "Section")}
    first = table.header[0].strip()
    missing = None in (places["ID"], places["Section"])
    if missing or first not in ("Student", "LastName"):
        raise CourseError(
            f"{file} is no gradebook export of Canvas: it needs the columns Student, "
            f"ID and Section, and has {', '.join(table.header[:6])}. {FIX}"
        )
    possible = [row for row in table.rows if row[0].strip() == "Points Possible"]
    if len(possible) != 1:
        raise CourseError(f"{file} needs one row Points Possible. {FIX}")
    # above it there is at most the row that says which assignments are muted
    rows = table.rows[table.rows.index(possible[0]) + 1 :]
    who = places["Section"] + 1
    people = [_person(row, places) for row in rows]
    assignments = {
        name: place
        for place, name in enumerate(table.header)
        if place >= who and "read only" not in possible[0][place]
    }
    return Export(table, who, possible[0], people, assignments)


def _person(row: list[str], places: dict[str, int | None]) -> Person:
    ids = [row[places[name]] for name in ID_COLUMNS if places[name] is not None]
    names = row[: places["ID"]]
    # as Canvas puts "Doe, Jane" into the names of the files that it hands out
    squeezed = re.sub(r"\W", "", "".join(names))
    # the number in those names is the ID
    among = namesake(squeezed, row[places["ID"]].strip())
    return Person(row, ", ".join(names), (*ids, squeezed, among))


def _places(
    export: Export, lessons: Sequence[str], columns: Sequence[str]
) -> dict[str, int | None]:
    """Lesson → the column of its assignment; None for one that Canvas lacks."""
    known = ", ".join(export.assignments) or "none"
    places = dict.fromkeys(lessons)
    for text in columns:
        lesson, equals, name = text.partition("=")
        if not equals or lesson not in lessons:
            raise CourseError(
                f'--column {text}: write LESSON="COLUMN", where LESSON is one of '
                f"{', '.join(lessons)}."
            )
        if name not in export.assignments:
            raise CourseError(
                f'--column {text}: the export has no assignment "{name}". '
                f"It has: {known}."
            )
        places[lesson] = export.assignments[name]
    for lesson in lessons:
        if places[lesson] is None:
            places[lesson] = _fitting(export, lesson)
    used = [place for place in places.values() if place is not None]
    for place in used:
        if used.count(place) > 1:
            raise CourseError(
                f'Two lessons would go into the column "{export.table.header[place]}". '
                "Give each its own with --column."
            )
    return places


def _fitting(export: Export, lesson: str) -> int | None:
    exact = re.compile(rf"{re.escape(lesson)}(?: \(\d+\))?")
    found = [name for name in export.assignments if exact.fullmatch(name)]
    if len(found) > 1:
        raise CourseError(
            f"{lesson} fits more than one column: {', '.join(found)}. "
            f'Choose one with --column {lesson}="{found[0]}".'
        )
    return export.assignments[found[0]] if found else None


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
