"""Student cells that use what no answer needs: a remark for the teacher, no verdict."""

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from autograder.checks import kind_of

# Each of these has been part of an attack on a grader; some have honest uses.
_UNUSUAL = re.compile(
    r"""
    # the process and its memory
    \bctypes | ptrace | \bmmap\b | /proc\b | \bpickle\b | \bmarshal\b
    | \bos\.(?:fork|kill|pipe|dup2?|close|read|write|fdopen|system|popen|exec\w*)\b
    | \bsubprocess\b | \bmultiprocessing\b | \bsignal\.signal | \batexit\b
    # the network
    | \bsocket\b | \burllib\b | \brequests\. | \bhttp\.client\b
    # who calls, and what else is in memory
    | _getframe | currentframe | inspect\.\w+ | \bf_(?:back|locals|globals)\b
    | __traceback__ | \btb_\w+ | settrace | setprofile | set_trace_func | gc\.get_\w+
    # names that are looked up, or code that is made, while the cell runs
    | sys\.modules | \bautograder\b | \bgradebook\b | __import__ | importlib
    | (?<![.\w])(?:exec|eval|compile)(?=\() | __globals__ | __subclasses__
    | ast_transformers | showtraceback | run_cell | \bbuiltins\b | __builtins__
    # what judges an answer, replaced, used or led past
    | ^[ \t]*(?:torch|nn|F|np|math)\.(?!backends)\w[\w.]*\s*=(?!=)
    | \b(?:class|def)\s+checking\b | ^[ \t]*checking\b[^=\n]*=(?!=)
    | (?<==)[ ]*checking\b | \(\s*checking\s*[,)] | \bchecking\.(?!outcomes)\w+
    | ["']checking["'] | \b_Watch\b | \b_borrowed\b
    | \.(?:stand_ins|borrowing|forbidden|verdicts|left_traces)\b
    | \bthreading\b | \b_thread\b | concurrent\.futures | \btorch\._C\b
    | \btorch\.overrides\b | DisableTorchFunction\w* | _pop_mode\w* | register_hook
    # results that lie
    | __(?:eq|ne|bool|float|int|index|repr)__
    | as_subclass | __torch_function__ | \(\s*torch\.Tensor\s*\)\s*:
    """,
    re.VERBOSE | re.MULTILINE,
)


def suspects(notebook: NotebookNode) -> Iterator[str]:
    """One sentence for each cell of the student with such words in it."""
    for cell in notebook.cells:
        if kind_of(cell) not in ("answer", "own"):
            continue
        found = dict.fromkeys(
            " ".join(f.split()) for f in _UNUSUAL.findall(cell.source)
        )
        if found:
            yield f"Have a look at the cell {cell.id}: it uses {', '.join(found)}."
