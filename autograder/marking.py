"""A gradeable notebook → the same with outputs: cells in the sandbox, checks beside it.

The cells are taken in order, as Jupyter would run them. A student's cell goes into the
sandbox; a check cell, with the source that the solution notebook has, runs here, where
the student's functions are proxies.
"""

from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.checks import Checks, grade_id, kind_of
from autograder.grade import STOPPED, TIMEOUT, Limits, printed
from autograder.sandbox import Sandbox, SandboxFailed
from autograder.student import Ran, Student


@dataclass(frozen=True)
class Marked:
    """Remarks on what went wrong while a notebook was run.

    `is_sandbox_clean` is false when something of it stayed behind in the sandbox.
    """

    remarks: tuple[str, ...] = ()
    is_sandbox_clean: bool = True


def mark(
    notebook: NotebookNode, checks: Checks, sandbox: Sandbox, limits: Limits
) -> Marked:
    """Run a gradeable notebook; its cells get their outputs, checks their source.

    `checks` is used up: call this in a fork. Raises SandboxFailed when the sandbox is
    gone, WireError when the notebook ends Python too often.
    """
    number, lesson, slow = 0, checks.lesson, []
    student = Student(sandbox, lesson.names, checks.space, limits, lesson.given)
    for cell in notebook.cells:
        kind, cell_id = kind_of(cell), grade_id(cell)
        if not kind:
            continue
        ran, number = Ran(), number + 1
        if kind == "given":
            checks.space.update(checks.bindings[cell_id])
            student.given(cell_id)
        elif kind == "check":
            student.ensure()
            ran = checks.run(cell_id)
            cell.source = lesson.checks[cell_id]
        else:
            ran = student.run(cell_id, cell.source)
            if ran.error and ran.error[0] == TIMEOUT:
                slow.append(cell_id)
        cell.execution_count, cell.outputs = number, outputs(ran)
    remarks = [_remark(cell, why) for cell, why in student.fatal.items()]
    remarks += [
        f"The cell {cell} {STOPPED}" for cell in slow if cell not in student.fatal
    ]
    try:
        student.lose()
    except SandboxFailed:
        remarks.append("It left something behind; its sandbox was thrown away.")
        return Marked(tuple(remarks), False)
    return Marked(tuple(remarks))


def outputs(ran: Ran) -> list[NotebookNode]:
    """What a cell printed and its error, as a notebook holds them."""
    found = [printed(text, stream) for stream, text in ran.printed]
    if ran.error:
        name, text = ran.error
        lines = text.splitlines() or [name]
        error = {"ename": name, "evalue": text, "traceback": lines}
        found.append(NotebookNode(output_type="error", **error))
    return found


def _remark(cell: str, why: str) -> str:
    return f"The cell {cell} {why.removeprefix('this cell ')}."
