"""What one graded notebook says: the points and messages of its checks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

# The exceptions with which our own checks end; every word of theirs is for students.
OURS = ("CheckFailed", "NotAttempted")
TIMEOUT = "CellTimeoutError"
STOPPED = "took too long and was stopped."
TOO_LONG = f"{STOPPED} Look for a loop that does not end."
# A message is a few lines; a student's exception can carry megabytes.
LONGEST = 2000
# The flag of a result whose student code could do all that the teacher can do.
NOT_ISOLATED = "It was run without isolation (--sandbox none)."


@dataclass(frozen=True)
class Limits:
    """Seconds for one cell, for a whole notebook, and for a cell after that."""

    cell: float = 30
    total: float = 120
    late_cell: float = 1


@dataclass(frozen=True)
class CheckResult:
    """One check cell: `check` is its id, `message` is empty when it passed."""

    check: str
    points: float
    max_points: float
    message: str


@dataclass(frozen=True)
class Result:
    """All checks of one submission.

    `problem` says why nothing could be run; every check then has 0 points. Without
    any checks there is no grade at all: the gradebook could not be written. `repairs`
    tell what was put right, also to the student; `flags` are for the teacher alone.
    """

    student: str
    lesson: str
    checks: tuple[CheckResult, ...]
    problem: str = ""
    repairs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def with_points(self, points: Mapping[str, float]) -> "Result":
        """The same, with other points for the checks that `points` names."""
        checks = tuple(
            replace(check, points=points.get(check.check, check.points))
            for check in self.checks
        )
        return replace(self, checks=checks)

    @property
    def scores(self) -> dict[str, float]:
        """check → points"""
        return {check.check: check.points for check in self.checks}

    @property
    def points(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def max_points(self) -> float:
        return sum(check.max_points for check in self.checks)


def answer_of(check: str) -> str:
    """The answer cell of a check cell: "mlp_check_2" → "mlp"."""
    return check.rpartition("_check_")[0]


def check_messages(graded: NotebookNode) -> dict[str, str]:
    """Why each check of a graded notebook failed: check id → message, "" if passed."""
    messages: dict[str, str] = {}
    ended: dict[str, str] = {}  # answer cell → how it ended, if with an error
    for cell in graded.cells:
        if is_solution(cell):
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    ended[cell.metadata.nbgrader.grade_id] = _end(output)
        elif is_grade(cell):
            check = cell.metadata.nbgrader.grade_id
            messages[check] = message_of(cell)
            reason = ended.get(answer_of(check))
            if reason and messages[check]:
                messages[check] += f"\n  The answer cell {reason}"
    return messages


def _end(error: NotebookNode) -> str:
    if error.ename == TIMEOUT:
        return TOO_LONG
    return "ended with " + readable(f"{error.ename}: {error.evalue}")[:300]


def printed(text: str, stream: str = "stdout") -> NotebookNode:
    """Text as an output; nbformat's new_output would validate it against the schema."""
    return NotebookNode(output_type="stream", name=stream, text=text)


def readable(text: str) -> str:
    """`text`, cut when very long, without control characters for a terminal."""
    short = text if len(text) <= LONGEST else text[:LONGEST] + " …"
    return "".join(c if c.isprintable() or c == "\n" else " " for c in short).strip()


def message_of(cell: NotebookNode) -> str:
    """Why one executed check cell failed; "" if it passed."""
    outputs = cell.get("outputs", [])
    errors = [output for output in outputs if output.output_type == "error"]
    if any(error.ename == TIMEOUT for error in errors):
        return f"It {TOO_LONG}"
    if errors and errors[0].ename in OURS:
        return readable(errors[0].evalue)
    if errors:
        # Another exception's text could quote a hidden check.
        return (
            f"The check ended early, with {readable(errors[0].ename)[:60]}. "
            "A cell above may have replaced a name of the set-up, such as torch."
        )
    return ""
