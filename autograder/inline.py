"""Support imports and data reads of a given or demo cell → plain text.

A notebook is one file with nothing beside it. So `from support.checks import Checker`
becomes the text of lessons/support/checks.py, once a notebook, and
`Path("data/corpus.txt").read_text()` becomes the text itself as a literal. The lesson
as it is written stays valid Python that runs as a script from the root.

Set-up cells are long, so what a reader does not miss is left out: a file's docstring
becomes one comment, private helpers lose theirs, imports that the notebook has already
are not repeated, and blank lines are closed up.
"""

import ast
import base64
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

_WIDTH = 88


class InlineError(ValueError):
    """Something to inline is missing; `line` counts from 0 within the cell."""

    def __init__(self, problem: str, line: int):
        super().__init__(problem)
        self.line = line


@dataclass
class Inliner:
    """Inlines the cells of one notebook, in order; each support file once.

    `read` collects the files that were inlined, so that a build knows its inputs.
    """

    root: Path
    read: list[Path] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)

    def cell(self, source: str) -> str:
        """The source of one cell with everything inlined.

        Raises InlineError when a file is missing.
        """
        lines = source.splitlines()
        body = ast.parse(source).body
        self.imported |= {ast.unparse(node) for node in body if _is_import(node)}
        for node in reversed(body):
            for call in _data_reads(node):
                self._replace(lines, call)
        return self._with_support("\n".join(lines))

    def _with_support(self, source: str) -> str:
        lines = source.splitlines()
        pieces: list[str] = []
        position = 0
        for node in ast.parse(source).body:
            if _is_support(node):
                pieces += lines[position : node.lineno - 1]
                pieces += self._support(node)
                position = node.end_lineno
        return "\n".join(pieces + lines[position:]).strip("\n")

    def _support(self, node: ast.ImportFrom) -> list[str]:
        name = f"lessons/{node.module.replace('.', '/')}.py"
        file = self.root / name
        if file in self.read:
            return []
        if not file.is_file():
            problem = f"{name} does not exist; correct the import"
            raise InlineError(problem, node.lineno - 1)
        self.read.append(file)
        source = self._shortened(file.read_text(encoding="utf-8"), name)
        return self._with_support(source).splitlines()

    def _shortened(self, source: str, name: str) -> str:
        """A support file as a notebook carries it; see the module's docstring."""
        tree = ast.parse(source)
        lines = source.splitlines()
        dropped = [tree.body[0]] if ast.get_docstring(tree) else []
        for node in filter(_is_import, tree.body):
            if ast.unparse(node) in self.imported:
                dropped.append(node)
            self.imported.add(ast.unparse(node))
        for node in tree.body:
            dropped += _private_docstrings(node)
        for node in dropped:
            for number in range(node.lineno - 1, node.end_lineno):
                lines[number] = ""
        title = (ast.get_docstring(tree) or "").partition("\n")[0]
        lines.insert(0, f"# {name}: {title}")
        return _closed_up("\n".join(lines))

    def _replace(self, lines: list[str], call: ast.Call) -> None:
        path = call.func.value.args[0].value  # type: ignore[attr-defined]
        file = self.root / path
        if not file.is_file():
            raise InlineError(f"{path} does not exist; add the file", call.lineno - 1)
        self.read.append(file)
        reads_text = call.func.attr == "read_text"  # type: ignore[attr-defined]
        literal = _text_literal(file) if reads_text else _bytes_literal(file)
        start, end = call.lineno - 1, (call.end_lineno or call.lineno) - 1
        # ast counts columns in bytes of UTF-8
        head = lines[start].encode()[: call.col_offset].decode()
        tail = lines[end].encode()[call.end_col_offset :].decode()
        lines[start : end + 1] = (head + literal + tail).splitlines()


def _private_docstrings(node: ast.stmt, private: bool = False) -> list[ast.stmt]:
    """The docstrings of a private function or class, and of all within it."""
    if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return []
    private = private or node.name.startswith("_")
    found = [
        part for child in node.body for part in _private_docstrings(child, private)
    ]
    alone = len(node.body) == 1  # the body of a class that is nothing but documented
    return found + (
        [node.body[0]] if private and ast.get_docstring(node) and not alone else []
    )


def _closed_up(source: str) -> str:
    """`source` with one blank line where there are more."""
    closer = re.sub(r"\n{3,}", "\n\n", source)
    same = ast.dump(ast.parse(closer)) == ast.dump(ast.parse(source))
    return closer if same else source  # a text literal may hold blank lines


def _is_support(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
        "support."
    )


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_support(node)


def _data_reads(node: ast.AST) -> list[ast.Call]:
    """Calls of the form Path("data/…").read_text() or .read_bytes(), last first."""
    found = [
        call
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("read_text", "read_bytes")
        and isinstance(call.func.value, ast.Call)
        and isinstance(call.func.value.func, ast.Name)
        and call.func.value.func.id == "Path"
        and len(call.func.value.args) == 1
        and isinstance(call.func.value.args[0], ast.Constant)
        and str(call.func.value.args[0].value).startswith("data/")
    ]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset), reverse=True)


def _text_literal(file: Path) -> str:
    """The text between triple quotes where that is exact, else its repr."""
    text = file.read_text(encoding="utf-8")
    if '"""' in text or "\\" in text or text.endswith('"'):
        return repr(text)
    return f'"""\\\n{text}"""'


def _bytes_literal(file: Path) -> str:
    """A base64 text in lines, decoded where it stands."""
    text = base64.b64encode(file.read_bytes()).decode("ascii")
    body = "\n".join(f'    "{line}"' for line in textwrap.wrap(text, _WIDTH - 6))
    return f'__import__("base64").b64decode(\n{body}\n)'
