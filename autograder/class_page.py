"""All results of a class → report.html, one page for the teacher."""

from collections.abc import Sequence

import nbformat
from nbgrader.utils import is_grade

from autograder.course import Course
from autograder.grade import NOT_ISOLATED, Result
from autograder.pages import write_page
from autograder.summary import summary, title_of


def write_class_page(course: Course, results: Sequence[Result]) -> None:
    """Write the page; the same results give the same bytes.

    Raises OSError when it cannot be written.
    """
    by_lesson: dict[str, list[Result]] = {}
    for result in results:
        by_lesson.setdefault(result.lesson, []).append(result)
    write_page(
        course.report,
        "class.html",
        students=len({result.student for result in results}),
        submissions=len(results),
        not_isolated=sum(NOT_ISOLATED in result.flags for result in results),
        lessons=[
            summary(lesson, by_lesson[lesson], check_titles(course, lesson))
            for lesson in sorted(by_lesson)
        ],
    )


def check_titles(course: Course, lesson: str) -> dict[str, str]:
    """Ids and titles of a lesson's checks, in order; none when it is not released."""
    file = course.released(lesson)
    if not file.is_file():
        return {}
    cells = nbformat.read(file, as_version=4).cells
    checks = filter(is_grade, cells)
    return {c.metadata.nbgrader.grade_id: title_of(c.source) for c in checks}
