"""What the check cells of Transformer by Hand call.

A check cell reads like this; `checking` is the lesson's `Checker`:

    with checking("layer_norm", "one row at a time") as check:
        check.close(layer_norm(x, scale, shift), want, "two rows", like=x)

Inside the block every call of the learner's function is watched: errors, inputs that
it changes, library calls that the lesson forbids. The block ends with one line, or
with a `CheckFailed` that says in a few lines what is right and what is not.
"""

import contextlib
import functools
import reprlib
import sys
import textwrap

import torch

from support.comparing import _difference, _look, _plain
from support.findings import (
    CheckFailed,
    NotAttempted,
    _as_finding,
    _Finding,
    _NotYet,
    _Raised,
    _TimeUp,
)
from support.shielding import _quiet, _swapped, _time_limit
from support.watching import _Answer


class Checker:
    """The checks of one lesson.

    `stand_ins` maps the name of an exercise to a function that torch computes in its
    place; an answer must call no torch function whose name holds a word of `forbidden`.
    A check that takes longer than `seconds` fails; the next checks of that answer get
    one second each, so that an endless loop does not hold up a run of all cells. An
    input changed in place fails one check of its exercise, and is put right in others.
    """

    def __init__(self, stand_ins=None, forbidden=(), seconds=10):
        self.stand_ins = dict(stand_ins or {})
        self.forbidden = tuple(forbidden)
        self.seconds = seconds
        self.borrowing = False
        self.too_slow = set()
        self.left_traces = {}  # exercise → title of the check that says so

    def __call__(self, exercise, title, *also):
        """Check the function `exercise`, and the functions `also`, in a with block."""
        return self._checking(sys._getframe(1).f_globals, title, (exercise, *also))

    @contextlib.contextmanager
    def _checking(self, notebook, title, names):
        check = Check(f"{names[0]}: {title}")
        answers = {n: _Answer(n, notebook.get(n), self, check.title) for n in names}
        seconds = 1 if names[0] in self.too_slow else self.seconds
        self.too_slow.discard(names[0])
        failure = None
        with _quiet(), _swapped(notebook, answers):
            try:
                with _time_limit(seconds):
                    yield check
            except _NotYet:
                failure = NotAttempted(f"○ {check.title}\n  Not attempted yet.")
            except (Exception, _TimeUp) as error:
                if isinstance(error, _TimeUp):
                    self.too_slow.add(names[0])
                failure = check.failure(_as_finding(error, seconds))
        if failure:
            raise failure from None
        for name in names:
            if self.left_traces.get(name) == check.title:
                del self.left_traces[name]
        if check.noted:
            reasons = "the reasons come with the answer"
            print(f'· {check.title}: "{check.noted}" is noted; {reasons}')
        else:
            print(f"✓ {check.title}")

    def standing_in(self, *names):
        """Swap torch's functions in for earlier answers, which need not be right.

        Use it in the same `with` as `checking`; it lasts as long as the block.
        """
        functions = {name: self._borrowed(self.stand_ins[name]) for name in names}
        return _swapped(sys._getframe(1).f_globals, functions)

    def _borrowed(self, function):
        """`function` as a stand-in: what it calls is not held against the learner."""

        @functools.wraps(function)
        def call(*args, **kwargs):
            self.borrowing = True
            try:
                return function(*args, **kwargs)
            finally:
                self.borrowing = False

        return call

    @contextlib.contextmanager
    def demo(self, *names):
        """Run a demonstration of the learner's functions; say so if they do not run."""
        try:
            yield
        except NotImplementedError:
            print(f"This part runs once you have written {' and '.join(names)}.")
        except Exception as error:
            print(
                f"This part needs {' and '.join(names)}, which stopped with "
                f"{type(error).__name__}: {error}"
            )


class Check:
    """One running check: its expectations, and what was right so far.

    Each expectation takes `what`, a few words that name the case, and `hint`, one
    sentence with the next step. The first one that fails ends the check.
    """

    def __init__(self, title):
        self.title = title
        self.passed = []
        self.is_hidden = False
        self.noted = ""  # a letter that nobody has judged

    def hidden(self):
        """From here on messages give no numbers, and no case by name."""
        self.is_hidden = True

    def close(self, got, want, what, hint="", like=None, terms=None):
        """Expect the tensor `got` to equal `want` up to rounding.

        Shape and values are those of `want`, dtype and device those of `like` (of
        `want` by default). `terms` is the length of the longest sum in the formula,
        by default the last axis of `want`: rounding grows with it. The bound is
        8 · terms · eps · max(1, max |want|), at least 1e-9 relative in float64.
        """
        with self._case(what):
            _look(got, want, want if like is None else like, hint)
            terms = terms or max([16, *want.shape[-1:]])
            wrong = _difference(got, want, terms)
            if wrong and not _difference(got.float(), want, terms):
                hint = "The first digits agree: does a step work in float32?"
            if wrong:
                raise _Finding("The values differ.", hint, wrong)

    def equal(self, got, want, what, hint=""):
        """Expect a number, text, tuple or dict equal to `want`; a list is a tuple."""
        with self._case(what):
            if isinstance(want, int) and isinstance(got, float):
                raise _Finding(f"{got!r} is a float; a count is an int.", hint)
            if _plain(got) != _plain(want):
                numbers = f"Yours: {reprlib.repr(got)}. Expected: {want!r}."
                raise _Finding("The answer differs.", hint, numbers)

    def true(self, condition, what, problem, hint=""):
        """Expect `condition`; otherwise `problem` says what is not so."""
        with self._case(what):
            if not condition:
                raise _Finding(problem, hint)

    def runs(self, call, what, hint=""):
        """Expect `call()` to raise nothing; its result."""
        with self._case(what):
            try:
                return call()
            except _Raised as raised:
                raise _Finding(raised.problem, hint) from None

    def raises(self, call, what, error=ValueError):
        """Expect `call()` to raise `error` with a message."""
        name = error.__name__
        with self._case(what):
            try:
                call()
            except _Raised as raised:
                if not isinstance(raised.error, error):
                    raise _Finding(
                        f"{raised.problem} It should raise {name}.",
                        "Look at the input before you compute with it.",
                    ) from None
                if not str(raised.error).strip():
                    raise _Finding(
                        f"The {name} has no message.", "Say in it what was wrong."
                    ) from None
            else:
                raise _Finding(
                    f"Nothing was raised; it should be {name}.",
                    "Look at the input before you compute with it.",
                )

    def answered(self, answer, choices):
        """Expect one letter of `choices`; None is an answer not yet given."""
        if answer is None:
            raise _NotYet("Not attempted yet.")
        with self._case("one letter"):
            if not isinstance(answer, str) or answer not in tuple(choices):
                letters = ", ".join(choices)
                raise _Finding(f"{answer!r} is none of the choices {letters}.")
        self.noted = answer

    def choice(self, answer, right, because):
        """Expect the letter `right`; `because` explains every choice."""
        self.noted = ""
        if answer != right:
            self.is_hidden, self.passed = False, []  # the reason says it all
            raise _Finding(f"Not {answer}: {because[answer]}")

    @contextlib.contextmanager
    def _case(self, what):
        """Name the case in whatever finding it ends with; remember one that passed."""
        try:
            yield
        except _Finding as finding:
            if not self.is_hidden:
                finding.problem = f"{what[:1].upper()}{what[1:]}. {finding.problem}"
            raise
        if not self.is_hidden:
            self.passed.append(what)

    def failure(self, finding):
        """The exception that ends this check."""
        lines = [finding.problem, finding.hint]
        if self.is_hidden:
            lines.insert(0, "A hidden check of this part, with other inputs.")
        if self.passed:
            lines.append(f"Right so far: {'; '.join(self.passed)}.")
        if finding.numbers and not self.is_hidden:
            lines.append(finding.numbers)
        text = "\n".join(textwrap.fill(line, 78) for line in lines if line)
        return CheckFailed(f"✗ {self.title}\n" + textwrap.indent(text, "  "))


def draw(seed, *shape, scale=1.0, dtype=torch.float64):
    """Normal random numbers times `scale`; the same for one seed on every machine."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator, dtype=dtype)
