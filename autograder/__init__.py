"""Build, release and grade the notebooks of Transformer by Hand.

`grade_notebook` is the call for other programs; the command line is in cli.py.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.grade import Result

__all__ = ["grade_notebook"]


def grade_notebook(
    file: str | Path,
    lesson: str | None = None,
    *,
    course: str | Path = ".",
    sandbox: str = "auto",
) -> "Result":
    """Grade one notebook, apart from any class; nothing is kept.

    `file` is a notebook of either edition; `lesson` its name, such as "01_block", which
    is found out when left out. `course` is a folder of the course; `sandbox` is "auto",
    "bwrap", "user" or "none".

    The result has `points` of `max_points`; `checks`, each with `check`, `points`,
    `max_points` and `message` ("" when it passed); `problem`, why nothing could be run
    ("" if it could); `repairs`, what was put right; and `flags`, what a teacher should
    look at.

        >>> result = grade_notebook("ada.ipynb")                        # doctest: +SKIP
        >>> [check.message for check in result.checks if check.message] # doctest: +SKIP

    Whatever the notebook holds, this returns. Raises CourseError when the lesson cannot
    be found out or is not built, and when there is no sandbox.
    """
    # here, because each process in a sandbox imports this package without its parts
    from autograder.course import Course
    from autograder.single import grade_file
    from autograder.working import Terms

    return grade_file(Course.find(Path(course)), Path(file), lesson, Terms(sandbox))
