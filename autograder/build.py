"""Lesson → its two notebooks on disk: inline, assemble, execute, stamp, write.

The solution notebook is executed and stored with its outputs, so that CI can compare
them with a new run. The self-study edition is stored without outputs.
"""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.cells import Cell
from autograder.course import Course, CourseError
from autograder.edition import KERNEL, SELF_STUDY, SOLUTION, assemble, cell_id
from autograder.freshness import is_unedited, stamp
from autograder.generated import generated_source
from autograder.hints import Advice, advice_of
from autograder.inline import InlineError, Inliner
from autograder.lesson import Lesson, read_lesson

CELL_SECONDS = 120
WIDGET = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"<[\w. ]+ at 0x[0-9a-f]+")  # as in the repr of an object
# Run after an error. Errors that a notebook defines itself say it all.
CAUSE = """
import sys
error = sys.last_value.__context__
if error is not None and type(error).__module__ != "__main__":
    print(" with the lesson's own answer; the cell or the answer is wrong,", end=" ")
    print(f"as it raises {type(error).__name__}: {error}", end="")
"""
BADGE = (
    "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
    "(https://colab.research.google.com/github/{repository}/blob/main/"
    "notebooks/{lesson}.ipynb)"
)

Progress = Callable[[int, int], None]


def build_lesson(
    course: Course,
    name: str,
    progress: Progress = lambda done, total: None,
    force: bool = False,
) -> bool:
    """Write both notebooks of one lesson; True when a file changed.

    `progress(done, total)` is called after each executed cell. Code is executed when
    the cells of the solution notebook changed, or when `force` is set.

    Raises CourseError when the lesson breaks a rule or a cell fails.
    """
    read = read_lesson(course.source(name))
    inliner = Inliner(course.root)
    cells = [_inlined(read, cell, inliner) for cell in read.cells]
    made_from = [read.path, *inliner.read, *_read_too(course, read)]
    advice = advice_of(course, read) if course.mistakes(name) else None

    def edition(kind: str) -> NotebookNode:
        written = [_generated(course, read, cell, kind, advice) for cell in cells]
        return assemble(read, written, kind, colab_badge(course, name))

    solution, self_study = edition(SOLUTION), edition(SELF_STUDY)
    if force or not _take_outputs(solution, course.solution(name)):
        _execute(solution, read, progress)

    changed = False
    for notebook, path in (
        (solution, course.solution(name)),
        (self_study, course.notebook(name)),
    ):
        plain = json.loads(nbformat.writes(notebook))
        notebook.metadata["course"]["stamp"] = stamp(course, made_from, plain)
        changed |= _write(notebook, path)
    return changed


def colab_badge(course: Course, name: str) -> str:
    """Markdown that opens the notebook in Colab; "" when no repository is set."""
    if not course.repository:
        return ""
    return BADGE.format(repository=course.repository, lesson=name)


def _read_too(course: Course, read: Lesson) -> list[Path]:
    """The files that generated cells are made from."""
    has_cards = any(cell.name == "cards" for cell in read.of_kind("generated"))
    return course.mistakes(read.name) + ([course.cards] if has_cards else [])


def _generated(
    course: Course,
    read: Lesson,
    cell: tuple[Cell, str],
    edition: str,
    advice: Advice | None,
) -> tuple[Cell, str]:
    """A cell and its text, which is written here if it is a generated cell."""
    if cell[0].kind != "generated":
        return cell
    explained = edition == SELF_STUDY
    return cell[0], generated_source(course, read, cell[0], explained, advice)


def _inlined(read: Lesson, cell: Cell, inliner: Inliner) -> tuple[Cell, str]:
    """A cell and its text, with support code and data in it if it calls for them."""
    if cell.kind not in ("given", "demo"):
        return cell, cell.source
    try:
        return cell, inliner.cell(cell.source)
    except InlineError as error:
        line = cell.line + 1 + error.line
        raise CourseError(
            f"{read.path.name}, line {line}, cell {cell.id}: {error}."
        ) from None


def _take_outputs(notebook: NotebookNode, built: Path) -> bool:
    """Copy the outputs of an earlier build: the very same cells, and not edited."""
    try:
        text = built.read_text(encoding="utf-8")
        unedited = is_unedited(json.loads(text))
        earlier = nbformat.reads(text, as_version=4)
    except (OSError, ValueError):
        return False
    same = list(map(_identity, earlier.cells)) == list(map(_identity, notebook.cells))
    if not (unedited and same):
        return False
    for cell, old in zip(notebook.cells, earlier.cells, strict=True):
        if cell.cell_type == "code":
            cell.outputs = old.outputs
            cell.execution_count = old.execution_count
    return True


def _identity(cell: NotebookNode) -> tuple:
    return cell.cell_type, cell.get("id"), cell.source, cell.metadata


def _execute(notebook: NotebookNode, read: Lesson, progress: Progress) -> None:
    """Run all cells in an empty folder, as a learner who has this one file would.

    Raises CourseError for an error, a cell that takes over CELL_SECONDS, and output
    on stderr, which nbgrader would take for a failed check.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    done, causes = 0, []

    def count(cell: NotebookNode, cell_index: int, **_: object) -> None:
        nonlocal done
        if cell.cell_type == "code":
            done += 1
            progress(done, total)

    async def ask(cell: NotebookNode, cell_index: int, **_: object) -> None:
        causes.append(await _cause(client, cell, cell_index))

    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name=KERNEL["name"],
            record_timing=False,
            store_widget_state=False,
            extra_arguments=["--log-level=ERROR"],
            coalesce_streams=True,
            on_cell_complete=count,
            on_cell_error=ask,
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise _cell_failed(notebook, read, str(error), causes) from None
    _check_outputs(notebook, read)
    notebook.metadata["language_info"] = {"name": "python"}


def _check_outputs(notebook: NotebookNode, read: Lesson) -> None:
    """Raise CourseError for what no learner should see; drop the state of widgets."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise _fault(read, cell.id, f"it writes to stderr:\n{output.text}")
            output.get("data", {}).pop(WIDGET, None)  # its state is not stored
            if address := ADDRESS.search(json.dumps(output)):
                problem = f"its output shows {address[0]}, which differs in each run"
                raise _fault(read, cell.id, problem)


async def _cause(client: NotebookClient, cell: NotebookNode, index: int) -> str:
    """The error that made a check fail, when it is none of the check's own."""
    probe = new_code_cell(CAUSE)
    await client.async_execute_cell(probe, index, store_history=False)
    client.nb.cells[index] = cell  # where nbclient has put the probe
    return "".join(output.get("text", "") for output in probe.outputs)


def _cell_failed(
    notebook: NotebookNode, read: Lesson, text: str, causes: list[str]
) -> CourseError:
    """The error of the cell that was executed last, with the end of its message."""
    ran = [c for c in notebook.cells if c.cell_type == "code" and c.execution_count]
    failed = next((c for c in ran if _has_error(c)), ran[-1] if ran else None)
    short = "\n".join(strip_ansi(text).strip().splitlines()[-12:])
    because = "".join(causes)
    return _fault(
        read, failed.id if failed else "setup", f"it fails{because}:\n{short}"
    )


def _has_error(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.outputs)


def _fault(read: Lesson, failed: str, problem: str) -> CourseError:
    cell = next(c for c in read.cells if cell_id(c.id) == failed)
    return CourseError(f"{read.path.name}, line {cell.line}, cell {cell.id}: {problem}")


def _write(notebook: NotebookNode, path: Path) -> bool:
    text = nbformat.writes(notebook) + "\n"
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True
