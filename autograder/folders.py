"""A folder to write to: made, or refused before any work is done for it."""

import tempfile
from pathlib import Path

from autograder.course import CourseError


def make_folder(folder: Path, option: str) -> None:
    """Make `folder`, if it is not there; files can be written in it.

    Raises CourseError when they cannot; `option` is how to give another one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror
        if isinstance(error, FileExistsError):
            reason = "it is a file"
        raise CourseError(
            f"Nothing can be written in {folder} ({reason}). "
            f"Give another folder with {option}."
        ) from None
