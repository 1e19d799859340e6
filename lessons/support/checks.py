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
import sys

import torch

from support.expectations import Check
from support.findings import NotAttempted, _as_finding, _NotYet, _TimeUp
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
        self.verdicts = {}  # torch function → its name if it is forbidden, or ""
        self.too_slow = set()
        self.left_traces = {}  # exercise → title of the check that says so
        self.outcomes = {}  # title of a check → "passed", "failed", "noted" or ""
        self.advice = None  # an Advice, in notebooks that carry one

    def __call__(self, exercise, title, *also):
        """Check the function `exercise`, and the functions `also`, in a with block."""
        return self._checking(sys._getframe(1).f_globals, title, (exercise, *also))

    @contextlib.contextmanager
    def _checking(self, notebook, title, names):
        check = Check(f"{names[0]}: {title}", self.advice)
        answers = {name: _Answer(name, notebook, self, check) for name in names}
        seconds = 1 if names[0] in self.too_slow else self.seconds
        self.too_slow.discard(names[0])
        failure = None
        with _quiet(), _swapped(notebook, answers):
            try:
                with _time_limit(seconds):
                    yield check
            except _NotYet:
                self.outcomes[check.title] = ""
                failure = NotAttempted(f"○ {check.title}\n  Not attempted yet.")
            except (Exception, _TimeUp) as error:
                if isinstance(error, _TimeUp):
                    self.too_slow.add(names[0])
                self.outcomes[check.title] = "failed"
                failure = check.failure(_as_finding(error, seconds, self.seconds))
        for answer in answers.values():
            notebook.update(answer.taken())
        if failure:
            raise failure from None
        for name in names:
            if self.left_traces.get(name) == check.title:
                del self.left_traces[name]
        self.outcomes[check.title] = "noted" if check.noted else "passed"
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


def draw(seed, *shape, scale=1.0, dtype=torch.float64):
    """Normal random numbers times `scale`; the same for one seed on every machine."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator, dtype=dtype)
