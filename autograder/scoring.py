"""A marked notebook → what is recorded of it; done where it was marked."""

import json
from dataclasses import asdict, dataclass

from nbformat import NotebookNode
from nbgrader.utils import (
    compute_checksum,
    determine_grade,
    is_grade,
    is_locked,
    is_solution,
)

from autograder.grade import CheckResult, check_messages


@dataclass(frozen=True)
class Scored:
    """Automatic scores by the rules of nbgrader, and the notebook as text.

    `blank` are the ids of answer cells that stand as they were released.
    """

    checks: tuple[CheckResult, ...] = ()
    blank: tuple[str, ...] = ()
    notebook: str = ""

    @classmethod
    def read(cls, told: dict) -> "Scored":
        """What `dict()` gave."""
        checks = tuple(CheckResult(**check) for check in told["checks"])
        return cls(checks, tuple(told["blank"]), told["notebook"])

    def dict(self) -> dict:
        """The same as values that JSON can hold."""
        return asdict(self)


def scored(marked: NotebookNode) -> Scored:
    """Score a notebook that was run; its checksums become those of the gradebook."""
    messages, checks, blank = check_messages(marked), [], []
    for cell in marked.cells:
        if is_locked(cell):  # it has the source of the solution notebook now
            cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
        if is_grade(cell):
            name = cell.metadata.nbgrader.grade_id
            checks.append(CheckResult(name, *determine_grade(cell), messages[name]))
        elif is_solution(cell) and is_blank(cell):
            blank.append(cell.metadata.nbgrader.grade_id)
    # without line breaks, which nbformat's own writing takes most of its time for
    text = json.dumps(marked, ensure_ascii=False)
    return Scored(tuple(checks), tuple(blank), text)


def is_blank(cell: NotebookNode) -> bool:
    """Whether an answer cell stands as it was released."""
    return cell.metadata.nbgrader["checksum"] == compute_checksum(cell)


def zero(released: NotebookNode, reason: str) -> tuple[CheckResult, ...]:
    """The checks of a submission that could not be run: 0 points for each."""
    return tuple(
        CheckResult(
            cell.metadata.nbgrader.grade_id, 0, cell.metadata.nbgrader.points, reason
        )
        for cell in filter(is_grade, released.cells)
    )
