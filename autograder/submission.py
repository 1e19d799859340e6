"""A student's file → gradeable notebook: find it, read it, repair it.

The first step is here; the other two are imported, so that this module offers all.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course import CourseError
from autograder.reading import NotANotebook, lesson_named, read_notebook
from autograder.repair import Repaired, repair

__all__ = [
    "NotANotebook",
    "Repaired",
    "Submission",
    "find_submissions",
    "not_recognised",
    "read_notebook",
    "repair",
]

_COPY_NUMBER = re.compile(r"(\d+)\)?\s*$")
# Canvas: "doejane_LATE_123_456_01_block-2.ipynb"; Colab: "Copy of 01_block.ipynb";
# Moodle: the folder "Ada Lovelace_123_assignsubmission_file_"
_STUDENT = re.compile(
    r"(?!Copy of )(?P<name>.+?)(?:_LATE)?(?:_(?P<user>\d+))?(?:_\d+)*"
    r"(?P<moodle>_assignsubmission_file_*)?[ _-]*(?:Copy of )*",
    re.DOTALL,
)
NAMESAKE = re.compile(r"-\d+$")  # what `namesake` puts behind a name
_UNSAFE = re.compile(r"[][*?/\\:\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one lesson.

    `problem` says why there is no `file`; it is empty when there is one. `notes` tell
    what was decided when the file was chosen.
    """

    student: str
    lesson: str
    file: Path | None
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _HandIn:
    """Files that came for a lesson, and what their names say of the student.

    `user` is the id that the LMS gave the student, "" if none is known. Canvas gives
    one for all assignments, so its `scope` is ""; Moodle gives one for each, so there
    it is the lesson.
    """

    lesson: str
    name: str
    files: tuple[Path, ...]
    user: str = ""
    scope: str = ""


def find_submissions(folder: Path, lessons: Sequence[str]) -> list[Submission]:
    """All submissions below `folder`, sorted by lesson, then student.

    Three layouts are read, also mixed: STUDENT/LESSON/LESSON.ipynb; STUDENT/FILE with
    the lesson in the file's name; and files with student and lesson in their name, as
    an LMS saves them. A file whose name holds no student counts for a student of the
    file's own name, so that nothing is lost. Students of one name have the id that
    the LMS gave them behind it. Links are not followed, since a link could hand in
    somebody else's work.

    A student's folder that cannot be read is passed over; `unreadable` names it.

    Raises CourseError when the folder does not exist, cannot be read, or holds no
    submission.
    """
    layout = (
        "Expected are files such as STUDENT/01_block/01_block.ipynb, "
        "or STUDENT_123_01_block.ipynb as an LMS saves them."
    )
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}. {layout}")
    entries = _visible(folder)
    found = [one for e in entries for one in _handed_in(e, folder, lessons)]
    if not found:
        if closed := unreadable(folder):
            raise CourseError(
                f"{folder} holds no submission that can be read. "
                f"Change the permissions of {', '.join(closed)}."
            )
        raise CourseError(f"{folder} holds no submission. {layout}")
    files: dict[tuple[str, str], list[Path]] = defaultdict(list)
    users: dict[tuple[str, str], str] = {}
    for one in _told_apart(found):
        key = one.lesson, one.name
        files[key] += one.files
        users[key] = users.get(key) or one.user
    return [
        submission_of(folder, *key, files[key], users[key]) for key in sorted(files)
    ]


def not_recognised(folder: Path, lessons: Sequence[str]) -> list[str]:
    """Names of what lies in `folder` and is no submission of any lesson."""
    return [
        entry.name
        for entry in _visible(folder)
        if not _closed(entry) and not any(_handed_in(entry, folder, lessons))
    ]


def unreadable(folder: Path) -> list[str]:
    """The folders in `folder` that cannot be read, with the reason."""
    closed = {entry.name: _closed(entry) for entry in _visible(folder)}
    return [f"{name} ({reason})" for name, reason in closed.items() if reason]


def _handed_in(entry: Path, folder: Path, lessons: Sequence[str]) -> Iterator[_HandIn]:
    """What a file or a student's folder in `folder` holds."""
    if not entry.is_dir():
        if named := lesson_named(entry.stem, lessons):
            lesson, student = named
            yield _hand_in(lesson, student, entry.stem, entry)
        return
    for place in [] if _closed(entry) else _visible(entry):
        if place.name in lessons:
            is_folder = place.is_dir() and not _is_link(place, folder)
            files = _visible(place) if is_folder and not _closed(place) else [place]
            yield _HandIn(place.name, entry.name, tuple(files))
        elif not place.is_dir() and (named := lesson_named(place.stem, lessons)):
            yield _hand_in(named[0], entry.name, entry.name, place)


def _hand_in(lesson: str, student: str, otherwise: str, file: Path) -> _HandIn:
    """A file whose student is told by the text `student`, or else `otherwise`."""
    told = _STUDENT.fullmatch(student)
    if not told:
        return _HandIn(lesson, otherwise, (file,))
    scope = lesson if told["moodle"] else ""
    return _HandIn(lesson, told["name"], (file,), told["user"] or "", scope)


def namesake(name: str, user: str) -> str:
    """What one of several students of one name is called: "doejane-12345"."""
    return f"{name}-{user}"


def _told_apart(found: Sequence[_HandIn]) -> Iterator[_HandIn]:
    """The same, with the id behind a name of two students; all others lose their id."""
    users: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in found:
        if one.user:
            users[one.name, one.scope].add(one.user)
    shared = {name for (name, _), ids in users.items() if len(ids) > 1}
    for one in found:
        if one.user and one.name in shared:
            yield replace(one, name=namesake(one.name, one.user))
        else:
            yield replace(one, user="")


def _closed(folder: Path) -> str:
    """Why a folder cannot be read; "" if it can, and for what is no folder."""
    try:
        for entry in folder.iterdir() if folder.is_dir() else ():
            entry.lstat()  # permissions can show the names and nothing more
    except OSError as error:
        return error.strerror
    return ""


def _visible(folder: Path) -> list[Path]:
    if reason := _closed(folder):
        raise CourseError(
            f"{folder} cannot be read ({reason}). Change its permissions."
        )
    return [
        entry
        for entry in sorted(folder.iterdir())
        if not entry.name.startswith(".") and not entry.stem.endswith("-checkpoint")
    ]


def submission_of(
    folder: Path, lesson: str, name: str, files: Sequence[Path], user: str = ""
) -> Submission:
    """What the student `name` handed in, of all `files` that came for a lesson.

    `user` is the id behind the name, if another student has the same name.
    """
    # quoted, not dropped, so that two students never become one
    student = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", name)
    notes = []
    if student != name:
        notes.append(f"The student id was no folder name and became {student}.")
    if user:
        notes.append(f"Another student has the same name, so the id {user} is added.")
    if lesson_named(name, [lesson]):
        notes.append(
            f"The file name gives no student; rename it to STUDENT_{lesson}.ipynb."
        )
    linked = [file for file in files if _is_link(file, folder)]
    regular = [file for file in files if file not in linked and file.is_file()]
    notebooks = [file for file in regular if file.suffix.lower() == ".ipynb"]
    others = [file for file in regular if file.name != "timestamp.txt"]
    choice = max(notebooks or others, key=lambda f: _rank(f, lesson), default=None)
    # a name that is no Unicode could not be saved with the remarks
    taken = choice.name.encode("utf-8", "replace").decode() if choice else ""
    if len(notebooks) > 1:
        notes.append(f"Of {len(notebooks)} notebooks for {lesson}, {taken} was taken.")
    problem = "" if choice else _why_none(lesson, files, bool(linked))
    return Submission(student, lesson, choice, problem, tuple(notes))


def _why_none(lesson: str, files: Sequence[Path], is_link: bool) -> str:
    """Why no file of a hand-in could be taken."""
    if is_link:
        return (
            f"The hand-in for {lesson} is a symbolic link, and links are not followed. "
            "Hand in the file itself."
        )
    if reason := next(filter(None, map(_closed, files)), ""):
        return (
            f"The folder of the hand-in for {lesson} cannot be read ({reason}). "
            f"Change its permissions, or hand in {lesson}.ipynb once more."
        )
    return f"The hand-in for {lesson} holds no file. Hand in {lesson}.ipynb."


def _is_link(file: Path, folder: Path) -> bool:
    """Whether `file` or a folder between it and `folder` is a symbolic link."""
    between = (file, *file.parents[: len(file.relative_to(folder).parts) - 1])
    return any(path.is_symlink() for path in between) and os.path.lexists(file)


def _rank(file: Path, lesson: str) -> tuple[bool, bool, int, str]:
    """The exact name before others, then the highest copy number."""
    _, named, rest = file.name.partition(lesson)
    number = _COPY_NUMBER.search(Path(rest or file.name).stem)
    exact = file.name == f"{lesson}.ipynb"
    return exact, bool(named), int(number[1]) if number else 0, file.name
