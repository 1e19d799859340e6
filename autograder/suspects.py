"""Student cells that use what no answer needs: a remark for the teacher, no verdict."""

import re
from collections.abc import Iterator

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked

# Each of these has been part of an attack on a grader; some have honest uses.
_UNUSUAL = re.compile(
    r"ctypes|_getframe|currentframe|inspect\.stack|gc\.get_\w+|/proc/|os\.(?:fork|kill)"
    r"|\bsocket\b|ast_transformers|showtraceback|run_cell|\bbuiltins\b|__builtins__"
    r"|__eq__|__float__|gradebook|\bpickle\b|ptrace|set_trace_func|settrace"
)


def suspects(notebook: NotebookNode) -> Iterator[str]:
    """One sentence for each cell of the student with such words in it."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or is_grade(cell) or is_locked(cell):
            continue
        found = dict.fromkeys(_UNUSUAL.findall(cell.source))
        if found:
            yield f"Have a look at the cell {cell.id}: it uses {', '.join(found)}."
