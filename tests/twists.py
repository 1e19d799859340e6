"""Rewriting an answer: new functions around the old ones, and other expressions.

A twist takes an `Answer` and returns its new source; it returns the same source where
it does not fit.
"""

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """A source, the functions that the checks call, and a number for new names."""

    source: str
    functions: tuple[str, ...]
    number: int


Twist = Callable[[Answer], str]


def each_around(bodies: Mapping[str, str], helpers: str = "") -> Twist:
    """A new function around the old one, for each function that has a body.

    In a body, `old` is the old function, ARGUMENTS its arguments in order, KEYWORDS the
    same by keyword, and FIRST the name of the first.
    """

    def twist(answer: Answer) -> str:
        source = answer.source
        for name in answer.functions:
            if name in bodies:
                source += _one_around(source, name, bodies[name], answer.number)
        return source if source == answer.source else helpers + source

    return twist


def around(body: str, only: Collection[str], helpers: str = "") -> Twist:
    """Like `each_around`, with one body for all functions in `only`."""
    return each_around(dict.fromkeys(only, body), helpers)


def _one_around(source: str, name: str, body: str, number: int) -> str:
    """What to put behind `source` for a new function around the last of that name."""
    nodes = [node for node in ast.parse(source).body if _is_definition(node, name)]
    signature = nodes[-1].args
    names = [argument.arg for argument in signature.args]
    body = body.replace("old(", f"{name}_{number}(")
    body = body.replace("KEYWORDS", ", ".join(f"{each}={each}" for each in names))
    body = body.replace("ARGUMENTS", ", ".join(names)).replace("FIRST", names[0])
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    head = f"def {name}({ast.unparse(signature)}):\n"
    return f"\n\n{name}_{number} = {name}\n\n\n{head}{lines}"


def _is_definition(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == name


def decorated(by: str, only: Collection[str], helpers: str = "") -> Twist:
    """Each function in `only` becomes what the expression `by` makes of it."""

    def twist(answer: Answer) -> str:
        names = [name for name in answer.functions if name in only]
        lines = [f"\n\n{name} = {by}({name})\n" for name in names]
        return helpers + answer.source + "".join(lines) if names else answer.source

    return twist


def rewritten(change: Callable[[ast.AST], ast.AST], helpers: str = "") -> Twist:
    """Every node of the answer through `change`, the inner ones first."""

    def turned(node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(node, name, turned(value))
            elif isinstance(value, list):
                value[:] = [turned(v) if isinstance(v, ast.AST) else v for v in value]
        return change(node)

    def twist(answer: Answer) -> str:
        tree = ast.parse(answer.source)
        before = ast.unparse(tree)
        after = ast.unparse(ast.fix_missing_locations(turned(tree)))
        return answer.source if after == before else f"{helpers}{after}\n"

    return twist


def _call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [*arguments], [])


def _operator(node: ast.AST) -> type | None:
    return type(node.op) if isinstance(node, ast.BinOp) else None


def operator(kind: type, function: str, helpers: str) -> Twist:
    """Each use of an operator, such as ast.Add, as a call of `function`."""

    def change(node):
        is_one = _operator(node) is kind
        return _call(function, node.left, node.right) if is_one else node

    return rewritten(change, helpers)


def linear(function: str, helpers: str) -> Twist:
    """Each `x @ W + b` as a call of `function`."""

    def change(node):
        if _operator(node) is ast.Add and _operator(node.left) is ast.MatMult:
            return _call(function, node.left.left, node.left.right, node.right)
        return node

    return rewritten(change, helpers)


def softmax(function: str, helpers: str) -> Twist:
    """Each `….softmax(-1)` as a call of `function`."""

    def change(node):
        is_one = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if is_one and ast.unparse(node).endswith(".softmax(-1)"):
            return _call(function, node.func.value)
        return node

    return rewritten(change, helpers)


def transposes(answer: Answer) -> str:
    """Each `….mT` with the two axes by number."""

    def change(node):
        if isinstance(node, ast.Attribute) and node.attr == "mT":
            turn = ast.Attribute(node.value, "transpose", ast.Load())
            return ast.Call(turn, [ast.Constant(-2), ast.Constant(-1)], [])
        return node

    return rewritten(change)(answer)


def by_keyword(parameters: Mapping[str, str]) -> Twist:
    """Calls of the lesson's functions by keyword: `parameters` are their names."""

    def change(node):
        name = getattr(getattr(node, "func", None), "id", "")
        if name not in parameters or any(isinstance(a, ast.Starred) for a in node.args):
            return node
        pairs = zip(parameters[name].split(), node.args, strict=False)
        keywords = [ast.keyword(key, value) for key, value in pairs]
        return ast.Call(node.func, [], keywords + node.keywords)

    return rewritten(change)


def typed(answer: Answer) -> str:
    """Annotations, and one more argument that has a default."""

    def change(node):
        if isinstance(node, ast.FunctionDef):
            for argument in node.args.args:
                argument.annotation = ast.Name("object", ast.Load())
            node.args.kwonlyargs.append(ast.arg(f"verbose_{answer.number}"))
            node.args.kw_defaults.append(ast.Constant(False))
        return node

    return rewritten(change)(answer)


def renamed(answer: Answer) -> str:
    """Other names for all that is assigned."""
    nodes = [*ast.walk(ast.parse(answer.source))]
    names = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names -= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names -= set(answer.functions)

    def change(node):
        if isinstance(node, ast.Name) and node.id in names:
            return ast.Name(f"my_{node.id}", node.ctx)
        return node

    return rewritten(change)(answer)
