"""Is a built notebook still what its sources and its own stamp say?

Only the standard library is imported here: asking must cost milliseconds, and
importing nbformat alone takes a second.

A built notebook carries a stamp in its metadata: digests of the files that it was
made from, of the code that made it, and of its own content.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.course import Course

BUILDER = (
    *("markers.py", "cells.py", "check_cells.py", "lesson.py", "inline.py", "cards.py"),
    *("fingerprints.py", "hints.py", "generated.py", "edition.py", "build.py"),
)


def stamp(course: Course, files: Iterable[Path], notebook: dict[str, Any]) -> dict:
    """The stamp of `notebook`, made from `files` (all below the course's root)."""
    made_from = {str(file.relative_to(course.root)): _digest(file) for file in files}
    return {
        "repository": course.repository,
        "made_from": dict(sorted(made_from.items())),
        "made_by": _builder(),
        "content": content(notebook),
    }


def content(notebook: dict[str, Any]) -> str:
    """A digest of everything in a notebook but its stamp."""
    course = notebook["metadata"].get("course", {})
    metadata = notebook["metadata"] | {
        "course": {key: value for key, value in course.items() if key != "stamp"}
    }
    text = json.dumps(notebook | {"metadata": metadata}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_unedited(notebook: dict[str, Any]) -> bool:
    """Does the content of a built notebook match its stamp?"""
    try:
        return content(notebook) == notebook["metadata"]["course"]["stamp"]["content"]
    except (KeyError, TypeError, AttributeError):
        return False


def is_fresh(course: Course, built: Path) -> bool:
    """Is `built` unedited, and is all that it was made from unchanged?"""
    try:
        notebook = json.loads(built.read_text(encoding="utf-8"))
        found = notebook["metadata"]["course"]["stamp"]
        made_from = found["made_from"].items()
        return (
            all(_digest(course.root / file) == digest for file, digest in made_from)
            and found["made_by"] == _builder()
            and found["repository"] == course.repository
            and is_unedited(notebook)
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _builder() -> str:
    package = Path(__file__).parent
    code = b"".join((package / module).read_bytes() for module in BUILDER)
    return hashlib.sha256(code).hexdigest()[:16]


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def is_built(course: Course, lesson: str) -> bool:
    """Are both notebooks of a lesson fresh?"""
    built = (course.solution(lesson), course.notebook(lesson))
    return all(is_fresh(course, file) for file in built)
