"""The source of a check cell → its title, and the reasons for a question's choices.

A MarkerError says what is wrong, and in which line of the cell.
"""

import ast

from autograder.markers import MarkerError

CHECK = "check"  # the name of a running check in its with block


def title_in(source: str) -> tuple[str, str]:
    """The function that a check cell watches first, and the title of its check.

    Raises MarkerError when no `with checking(…)` block is there, when it does not give
    both as plain text, and when it checks nothing.
    """
    block, call = _block(source)
    names = [part.value for part in call.args[:2] if isinstance(part, ast.Constant)]
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise MarkerError(
            f"cannot read {ast.unparse(call)}; give it a name and a title as plain "
            'text, such as checking("layer_norm", "one row")',
            call.lineno - 1,
        )
    if not _checks_something(block):
        raise MarkerError(
            "this block checks nothing, so everybody gets its points; "
            "call for example check.equal(…) in it",
            block.lineno - 1,
        )
    return names[0], names[1]


def choices_in(source: str) -> tuple[str, dict[str, str]] | None:
    """The right letter, and a reason for each letter; None without check.choice.

    Raises MarkerError when they are not written out.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _is_choice(node):
            because = next(k.value for k in node.keywords if k.arg == "because")
            try:
                reasons = ast.literal_eval(because).items()
                right = ast.literal_eval(node.args[1])
                return right, {letter: str(text) for letter, text in reasons}
            except (ValueError, TypeError, AttributeError):
                raise MarkerError(
                    "cannot read check.choice; write letters and reasons out: "
                    'check.choice(answer_1, "b", because={"a": "…", "b": "…"})',
                    node.lineno - 1,
                ) from None
    return None


def _block(source: str) -> tuple[ast.With, ast.Call]:
    """The block `with checking(…) as check:`, and its call of checking."""
    for node in ast.walk(ast.parse(source)):
        for item in node.items if isinstance(node, ast.With) else ():
            call, name = item.context_expr, item.optional_vars
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "checking":
                if name and ast.unparse(name) == CHECK:
                    return node, call
                problem = f"its block must end with: as {CHECK}"
                raise MarkerError(problem, node.lineno - 1)
    raise MarkerError(f'no check; add: with checking("…", "…") as {CHECK}')


def _checks_something(block: ast.With) -> bool:
    """Is `check` used other than in check.hidden(), or is anything asserted?"""
    parts = [part for line in block.body for part in ast.walk(line)]
    hidden = [
        p.value for p in parts if isinstance(p, ast.Attribute) and p.attr == "hidden"
    ]
    return any(
        isinstance(part, (ast.Assert, ast.Raise))
        or (isinstance(part, ast.Name) and part.id == CHECK and part not in hidden)
        for part in parts
    )


def _is_choice(node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "choice"
        and len(node.args) == 2
        and any(keyword.arg == "because" for keyword in node.keywords)
    )
