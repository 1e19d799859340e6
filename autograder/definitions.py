"""What the Python of a cell defines, whoever wrote it."""

import ast
import re
import warnings
from collections.abc import Container

# A definition: ("function" or "variable", name).
Definition = tuple[str, str]

_DEFINITION = re.compile(
    r"^(?:def[ \t]+(?P<function>\w+)|(?P<variable>\w+)[ \t]*=(?!=))", re.MULTILINE
)
_LONGEST = 60_000  # characters that are parsed; an answer has some 1,000


def names_at_a_glance(source: str) -> list[Definition]:
    """Every line that looks like a definition; cheap, and wrong within a text."""
    return [(m.lastgroup, m[m.lastgroup]) for m in _DEFINITION.finditer(source)]


def definitions(source: str, wanted: Container[Definition]) -> list[Definition]:
    """The `wanted` definitions at the top level of `source`, in order."""
    found = [name for name in names_at_a_glance(source) if name in wanted]
    tree = parsed(source) if found else None
    if tree:  # a line that looks like a definition may stand in a text
        defined = {name for node in tree.body for name in _bound(node)}
        found = [name for name in found if name in defined]
    return found


def _bound(node: ast.stmt) -> list[tuple[str, str]]:
    if isinstance(node, ast.FunctionDef):
        return [("function", node.name)]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [("variable", to.id) for to in targets if isinstance(to, ast.Name)]


def added(source: str, original: str) -> str:
    """The imports, functions and classes that `source` adds to `original`."""
    if source == original:  # as nearly always; to parse takes long
        return ""
    old, new = parsed(original), parsed(source)
    if old is None or new is None:
        return ""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    known = {ast.dump(node) for node in old.body}
    names = {getattr(node, "name", "") for node in old.body}
    return "\n\n".join(
        ast.unparse(node)
        for node in new.body
        if isinstance(node, kept)
        and ast.dump(node) not in known
        and getattr(node, "name", None) not in names
    )


def parsed(source: str) -> ast.Module | None:
    """None for what Python cannot read: a fault, %magic, hostile nesting."""
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a learner's "\d" is no fault
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
