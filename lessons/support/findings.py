"""How a check ends when it does not pass: exceptions that read as a few calm lines."""

import linecache
import traceback


class CheckFailed(Exception):
    """A check that did not pass. Notebooks print it as calm lines, not a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class NotAttempted(CheckFailed):
    """A check of an answer that nobody has written yet."""


class _Finding(Exception):
    """What is wrong, the next step, and numbers for those who want them."""

    def __init__(self, problem, hint="", numbers=""):
        super().__init__(problem)
        self.problem, self.hint, self.numbers = problem, hint, numbers


class _Trespass(_Finding):
    """What the answer did is at fault, whatever it returned."""


class _NotYet(_Finding):
    """The stub is still there."""


class _Raised(_Finding):
    """The learner's function raised `error`."""

    def __init__(self, name, error, function):
        self.error = error
        text = f": {str(error).rstrip('.')}" if str(error) else ""
        where = _line_in_answer(error, function)
        super().__init__(f"{name} raised {type(error).__name__}{text}{where}.")


class _TimeUp(BaseException):
    """Raised by the alarm; a BaseException, so that `except Exception` lets it pass."""


def _line_in_answer(error, function):
    """ " (line 3 of its cell: `q = …`)" for the deepest line that the learner wrote."""
    notebook = getattr(function, "__globals__", None)
    checks = _line_in_answer.__code__.co_filename
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if frame.f_globals is notebook and file != checks:
            line = linecache.getline(file, number).strip()
            return f" (line {number} of its cell: `{line}`)" if line else ""
    return ""


def _as_finding(error, seconds, usual):
    """Whatever ended a check, as a finding; it had `seconds`, most have the `usual`."""
    if isinstance(error, _Finding):
        return error
    if isinstance(error, _TimeUp):
        before = f"; an earlier check waited {usual} s in vain"
        problem = f"No answer after {seconds} s{before if seconds < usual else ''}."
        return _Finding(problem, "Look for a loop that never ends.")
    if isinstance(error, NameError):
        return _Finding(f"{error}.", "Run the cells above from the top, in order.")
    problem = f"The result cannot be used: {type(error).__name__}: {error}."
    return _Finding(problem, "Compare what your function returns with its docstring.")
