"""Grades → the file that Moodle takes under Grades, Import, CSV file.

Moodle stops the whole import at one unknown student, and gives the grades of a row
without an id to the student of the row before. So a column of ids is written only if
it names every student, and each one differently. Moodle reads "-" as "no grade", but
an empty cell of a new grade item as 0.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.lms import (
    Grade,
    Person,
    Table,
    Written,
    class_grades,
    lessons_of,
    matched,
    read_table,
    write_table,
)
from autograder.report import table_cell
from autograder.summary import exercises

FIX = (
    "In Moodle, in English, take Grades, Export, Plain text file, with the separator "
    "comma, and give the file as it comes, not saved again by a spreadsheet."
)
ID_COLUMNS = ("Username", "ID number", "Email address")
NAME_COLUMNS = ("First name", "Last name", "Surname")
NO_GRADE = "-"
# Moodle's own rule, and no start that a spreadsheet takes for a formula
USERNAME = re.compile(r"[a-z0-9._][a-z0-9._@-]*")


def write_moodle(
    course: Course, output: Path, roster: Path | None = None, feedback: bool = False
) -> Written:
    """Write every grade of the class for Moodle, with the ids of `roster` if given.

    Without a roster the student ids of the gradebook count as Moodle's usernames.
    Raises CourseError for a roster that is none.
    """
    grades = class_grades(course)
    lessons = lessons_of(grades)
    if roster:
        table = read_table(roster, FIX)
        people, left_out = matched(grades, _people(table), roster)
        places = _places(table, list(people.values()))
        heads = [table.header[place] for place in places]
        who = {name: [p.row[place] for place in places] for name, p in people.items()}
    else:
        heads, who = ["Username"], {n: [n] for n in grades if USERNAME.fullmatch(n)}
        left_out = [
            f"{table_cell(name)}: no username of Moodle; give --roster"
            for name in sorted(grades)
            if name not in who
        ]
    texts = [f"{lesson} feedback" for lesson in lessons] if feedback else []
    rows = [[*heads, *lessons, *texts]]
    for student, ids in sorted(who.items()):
        found = [grades[student].get(lesson) for lesson in lessons]
        more = [_feedback(grade) for grade in found] if feedback else []
        rows.append([*ids, *map(_points, found), *more])
    if who:
        write_table(output, rows, roster)
    return Written(output, len(who), lessons, [_mapping(heads)], left_out)


def _people(table: Table) -> list[Person]:
    ids = [place for name in ID_COLUMNS if (place := table.column(name)) is not None]
    if not ids:
        raise CourseError(
            f"{table.file} is no export of Moodle: it needs one of the columns "
            f"{', '.join(ID_COLUMNS)}, and has {', '.join(table.header[:6])}. {FIX}"
        )
    names = [p for name in NAME_COLUMNS if (p := table.column(name)) is not None]
    people = []
    for row in table.rows:
        # as Moodle names the folders of the submissions that it hands out
        name = " ".join(row[place].strip() for place in names)
        people.append(Person(row, name, (*(row[place] for place in ids), name)))
    return people


def _places(table: Table, people: Sequence[Person]) -> list[int]:
    """The columns to write: the names, and the ids that name all, all differently."""
    places = []
    for name in ID_COLUMNS:
        place = table.column(name)
        if place is not None:
            found = {person.row[place].strip().casefold() for person in people}
            if "" not in found and len(found) == len(people):
                places.append(place)
    if not places:
        raise CourseError(
            f"{table.file}: in no column of {', '.join(ID_COLUMNS)} has every student "
            "an id of their own, so Moodle could mix them up. Export a column that has."
        )
    names = [p for name in NAME_COLUMNS if (p := table.column(name)) is not None]
    return sorted({*places, *names})


def _points(grade: Grade | None) -> str:
    return f"{grade.points:g}" if grade else NO_GRADE


def _feedback(grade: Grade | None) -> str:
    """What a student lost points in, or why nothing could be run, in one line."""
    if not grade:
        return ""
    late = f", {grade.penalty:g} taken off for lateness" if grade.penalty else ""
    result = grade.result
    told = [
        f"{exercise.name}: {exercise.points:g} of {_of(exercise.max_points)}."
        for exercise in exercises(result)
        if exercise.points < exercise.max_points
    ]
    if told and result.problem:
        told = [result.problem]
    total = f"{grade.points:g} of {_of(result.max_points)}{late}."
    return table_cell(" ".join([total, *told]))


def _of(points: float) -> str:
    return f"{points:g} point" if points == 1 else f"{points:g} points"


def _mapping(heads: Sequence[str]) -> str:
    ids = [
        name for name in heads if name.strip().casefold() in map(str.lower, ID_COLUMNS)
    ]
    return f"In Moodle, map from {' or '.join(ids)} to the user field of that name."
