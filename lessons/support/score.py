"""The score panel: every visible check and what became of it so far."""

from html import escape

from IPython.display import display

SIGNS = {"passed": "✓", "failed": "✗", "noted": "·", "": "○"}
STATES = {"passed": "passed", "failed": "failed", "noted": "noted", "": "not tried"}
AFTERWARDS = (
    "Hidden checks with other inputs are added when the notebook is graded, and the "
    "letters of quick checks are judged then."
)


def show_score(outcomes, points):
    """Show a table of checks and the points so far.

    outcomes: title of a check → "passed", "failed", "noted" or ""; points: title →
    points, for every check of the notebook, in order (0 for stretch exercises).
    """
    rows = [(title, outcomes.get(title, ""), most) for title, most in points.items()]
    reached = sum(most for _, state, most in rows if state == "passed")
    noted = sum(most for _, state, most in rows if state == "noted")
    total = f"{reached} of {sum(points.values())} points so far"
    if noted:
        total += f", and {noted} for letters that are noted"
    lines = [f"{SIGNS[state]} {title} ({STATES[state]})" for title, state, _ in rows]
    text = "\n".join([*lines, "", f"{total}.", AFTERWARDS])
    page = _table(rows) + f"<p><b>{total}.</b> {AFTERWARDS}</p>"
    display({"text/html": page, "text/plain": text}, raw=True)


def _table(rows):
    cells = "".join(
        f'<tr><td>{SIGNS[state]} {STATES[state]}</td><td style="text-align:left">'
        f"{escape(title)}</td><td>{most or '–'}</td></tr>"
        for title, state, most in rows
    )
    head = "<tr><th>State</th><th>Check</th><th>Points</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{cells}</tbody></table>"
