"""A file that a student handed in → its lesson; a notebook, or a sentence for them."""

import json
import re
import stat
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from nbformat import NotebookNode

from autograder.course import CourseError

LARGEST = 50_000_000  # bytes; a lesson with all its figures has 1 to 2 million

_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TYPES = {
    "code": "code",
    "markdown": "markdown",
    "heading": "markdown",  # heading and html: format 3 only
    "html": "markdown",
}
_STARTS = {
    b"%PDF": "is a PDF",
    b"PK\x03\x04": "is a ZIP archive or an Office document",
    b"\x1f\x8b": "is a compressed archive",
    b"\x89PNG": "is a picture",
    b"\xff\xd8\xff": "is a picture",
}
_PYTHON = re.compile(r"^(?:import|from|def|class|# %%|# In\[)", re.MULTILINE)
_ADVICE = (
    "Save the notebook once more (Jupyter: File, Download; "
    "Colab: File, Download, Download .ipynb) and hand in that file."
)
_OTHER = "Give a notebook, or a folder of submissions."


class NotANotebook(Exception):
    """The file is no readable notebook: `what` it is, and what its author can do."""

    def __init__(self, what: str, advice: str = ""):
        super().__init__(f"{what} {advice}".strip())
        self.what = what


def read_notebook(file: Path) -> NotebookNode:
    """The notebook in `file`, of any format 3.x or 4.x, as format 4.5.

    A cell without an id of its own gets one, a cell of unknown type becomes a raw
    cell, and what is no cell is left out. Outputs, execution counts and attachments
    are not kept; metadata is, as it stands.
    Raises NotANotebook for everything that is no notebook, and nothing but that.
    """
    try:
        data = _data(file)
        cells = _raw_cells(data) if isinstance(data, dict) else None
        if cells is None:
            raise _refused(file, "holds data, but no notebook of format 3 or 4")
        return NotebookNode(
            nbformat=4,
            nbformat_minor=5,
            metadata=_metadata(data),
            cells=_cells(cells),
        )
    except OSError as error:
        raise _refused(
            file,
            f"cannot be read ({error.strerror})",
            "Change its permissions, or hand in the notebook once more.",
        ) from None
    except RecursionError:
        raise _refused(file, "is nested too deeply to be a notebook") from None
    except MemoryError:
        raise _refused(file, "is too large to be read") from None


def _refused(file: Path, what: str, advice: str = _ADVICE) -> NotANotebook:
    return NotANotebook(f'The file "{_clean(file.name)}" {what}.', advice)


def lesson_told(notebook: NotebookNode) -> object:
    """The lesson that a notebook says it is, or None.

    It stands in the metadata of every course notebook; of a student's, it may be
    anything.
    """
    course = notebook.metadata.get("course")
    return course.get("lesson") if isinstance(course, dict) else None


def lesson_named(stem: str, lessons: Sequence[str]) -> tuple[str, str] | None:
    """Lesson in a file's name, and the text before it; None if it names no lesson."""
    for lesson in sorted(lessons, key=len, reverse=True):
        name = re.escape(lesson).replace("_", "[_ -]")
        parts = re.split(rf"(?<![^\W_])(?i:{name})(?![^\W_])", stem, maxsplit=1)
        if len(parts) == 2:
            return lesson, parts[0]
    return None


def lesson_of(file: Path, lessons: Sequence[str]) -> str:
    """The lesson that a notebook says it is, or else the one in the file's name.

    Raises CourseError when neither is one of `lessons`.
    """
    choice = ", ".join(lessons)
    reason = (
        f"{file.name}: its lesson is not known. Say it: --lesson …, one of {choice}."
    )
    try:
        told = lesson_told(read_notebook(file))
    except NotANotebook as error:
        is_named = file.suffix.lower() == ".ipynb"
        told, reason = None, str(error) if is_named else f"{error.what} {_OTHER}"
    if told in lessons:
        return told
    if named := lesson_named(file.stem, lessons):
        return named[0]
    raise CourseError(reason)


def _data(file: Path) -> object:
    """The JSON value in `file`, in UTF-8, UTF-16 or UTF-32."""
    info = file.stat()
    if not stat.S_ISREG(info.st_mode):
        raise _refused(file, "is a folder or a device")
    if info.st_size > LARGEST:
        raise _refused(
            file,
            f"has {info.st_size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} MB are read",
            "Clear all outputs, save the notebook, and hand it in again.",
        )
    content = file.read_bytes()
    if not content.strip():
        raise _refused(file, "is empty")
    try:
        return json.loads(content)
    except ValueError:
        raise _refused(file, _nature(content)) from None


def _nature(content: bytes) -> str:
    """What a file is that is no JSON, as the end of a sentence."""
    for start, nature in _STARTS.items():
        if content.startswith(start):
            return nature
    try:
        text = content.decode(json.detect_encoding(content)).strip()
    except UnicodeDecodeError:
        return "is a binary file"
    if "\0" in text:
        return "is a binary file"
    if text.startswith("<<<<<<< "):
        return "holds a merge conflict of git"
    if text.startswith("<"):
        return "is a web page, perhaps the log-in page of the site it came from"
    if text.startswith(("{", "[")):
        return "is damaged: its end is missing or its JSON is broken"
    return "is a Python script" if _PYTHON.search(text) else "is plain text"


def _raw_cells(data: dict) -> list | None:
    """The cells as they stand, None if this is no notebook of format 3 or 4."""
    if data.get("nbformat") == 4:
        cells = data.get("cells")
    elif data.get("nbformat") == 3:
        sheets = data.get("worksheets")
        lists = [s.get("cells") for s in _only(dict, sheets)]
        cells = list(chain(*_only(list, lists))) if isinstance(sheets, list) else None
    else:
        cells = None
    return cells if isinstance(cells, list) else None


def _only(kind: type, values: object) -> list:
    items = values if isinstance(values, list) else []
    return [value for value in items if isinstance(value, kind)]


def _cells(raw_cells: Sequence[object]) -> list[NotebookNode]:
    cells, used = [], set()
    fresh = (name for n in count(1) if (name := f"cell-{n}") not in used)
    for raw in _only(dict, raw_cells):
        cell_id = raw.get("id")
        fit = isinstance(cell_id, str) and _CELL_ID.fullmatch(cell_id)
        if not fit or cell_id in used:
            cell_id = next(fresh)
        used.add(cell_id)
        cells.append(_cell(raw, cell_id))
    return cells


def _cell(raw: dict, cell_id: str) -> NotebookNode:
    kind = raw.get("cell_type")
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list):
        source = "".join(_only(str, source))
    elif not isinstance(source, str):
        source = ""
    if kind == "heading":
        level = raw.get("level")
        source = f"{'#' * min(level, 6) if isinstance(level, int) else '#'} {source}"
    cell = NotebookNode(
        id=cell_id,
        cell_type=_TYPES.get(kind, "raw") if isinstance(kind, str) else "raw",
        metadata=_metadata(raw),
        source=_clean(source),
    )
    if cell.cell_type == "code":
        cell.update(outputs=[], execution_count=None)
    return cell


def _metadata(raw: dict) -> NotebookNode:
    found = raw.get("metadata")
    return _node(found) if isinstance(found, dict) else NotebookNode()


def _node(value: object) -> object:
    if isinstance(value, dict):
        return NotebookNode({_clean(k): _node(v) for k, v in value.items()})
    if isinstance(value, list):
        return [_node(item) for item in value]
    return _clean(value) if isinstance(value, str) else value


def _clean(text: str) -> str:
    """`text` without half surrogates, which JSON can hold but no file can."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
