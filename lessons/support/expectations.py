"""One running check: what it expects, and how it says what is not so."""

import contextlib
import reprlib
import textwrap

from support.comparing import _difference, _look, _plain
from support.findings import CheckFailed, _Finding, _NotYet, _Raised, _Trespass
from support.recognising import Trace


class Check:
    """One running check: its expectations, and what was right so far.

    Each expectation takes `what`, a few words that name the case, and `hint`, one
    sentence with the next step. The first one that fails ends the check.
    """

    def __init__(self, title, advice=None):
        self.title = title
        self.advice = advice
        self.trace = Trace()  # of what the answer returned
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
        elif self.advice and not isinstance(finding, _Trespass):
            lines[1] = self.advice.cause(self.title, self.trace) or finding.hint
        if self.passed:
            lines.append(f"Right so far: {'; '.join(self.passed)}.")
        if finding.numbers and not self.is_hidden:
            lines.append(finding.numbers)
        if self.advice:
            lines.append(self.advice.where_to_read(self.title))
        text = "\n".join(textwrap.fill(line, 78) for line in lines if line)
        return CheckFailed(f"✗ {self.title}\n" + textwrap.indent(text, "  "))
