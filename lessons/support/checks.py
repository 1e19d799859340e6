"""What the check cells of Transformer by Hand call.

A check cell reads like this; `checking` is the lesson's `Checker`:

    with checking("layer_norm", "one row at a time") as check:
        check.close(layer_norm(x, scale, shift), want, "two rows", like=x)

Inside the block every call of the learner's function is watched: errors, inputs that
it changes, library calls that the lesson forbids. The block ends with one line, or
with a `CheckFailed` that says in a few lines what is right and what is not.
"""

import contextlib
import dataclasses
import functools
import io
import linecache
import operator
import os
import signal
import sys
import textwrap
import threading
import traceback
import warnings

import torch
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function


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


class _NotYet(_Finding):
    """The stub is still there."""


class _Raised(_Finding):
    """The learner's function raised `error`."""

    def __init__(self, name, error, function):
        self.error = error
        text = f": {error}" if str(error) else ""
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


def _as_finding(error, seconds):
    """Whatever ended a check, as a finding."""
    if isinstance(error, _Finding):
        return error
    if isinstance(error, _TimeUp):
        problem = f"No answer after {seconds} seconds."
        return _Finding(problem, "Look for a loop that never ends.")
    if isinstance(error, NameError):
        return _Finding(f"{error}.", "Run the cells above from the top, in order.")
    problem = f"The result cannot be used: {type(error).__name__}: {error}."
    return _Finding(problem, "Compare what your function returns with its docstring.")


class Checker:
    """The checks of one lesson.

    `stand_ins` maps the name of an exercise to a function that torch computes in its
    place; `forbidden` holds the names of torch functions that an answer must not call.
    A check that takes longer than `seconds` fails; the next checks of that answer get
    one second each, so that an endless loop does not hold up a run of all cells. An
    input changed in place fails one check of its exercise, and is put right in others.
    """

    def __init__(self, stand_ins=None, forbidden=(), seconds=10):
        self.stand_ins = dict(stand_ins or {})
        self.forbidden = frozenset(forbidden)
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
            terms = terms or max(16, want.shape[-1])
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
                numbers = f"Yours: {got!r}. Expected: {want!r}."
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


class _Answer:
    """The learner's function under watch, in its place while a check runs."""

    def __init__(self, name, function, checker, title):
        self.name, self.function = name, function
        self.checker, self.title = checker, title

    def __call__(self, *args, **kwargs):
        if not callable(self.function):
            raise _Finding(
                f"{self.name} is not there.", "Run the cell that defines it."
            )
        before, watch = _Snapshot((args, kwargs)), _Watch(self.checker)
        try:
            with watch:
                result = self.function(*args, **kwargs)
        except (_Finding, _TimeUp, KeyboardInterrupt):
            raise
        except NotImplementedError:
            raise _NotYet("Not attempted yet.") from None
        except BaseException as error:
            if not watch.seen:
                raise _Raised(self.name, error, self.function) from None
        if watch.seen:
            raise _Finding(
                f"{self.name} calls {watch.seen[0]}, which does this exercise's work.",
                "Write it yourself, from smaller steps.",
            )
        if result is None:
            raise _Finding(f"{self.name} returned None.", "Does it end with return?")
        return self._without_traces(result, before)

    def _without_traces(self, result, before):
        """Say what the call changed, in one check; in the others put it right."""
        change = before.change()
        if not change:
            return result
        result = _unshared(result)
        before.restore()
        if self.checker.left_traces.setdefault(self.name, self.title) == self.title:
            raise _Finding(
                f"{self.name} {change}.", "Leave all that you are given alone."
            )
        return result


class _Snapshot:
    """All that a call could change in its arguments, and torch's gradient mode."""

    def __init__(self, value):
        self.grad_mode = torch.is_grad_enabled()
        self.tensors, self.containers, self.modes = [], [], []
        self._take(value)

    def _take(self, value):
        parts = ()
        if isinstance(value, torch.Tensor):
            self.tensors.append((value, value.detach().clone()))
        elif isinstance(value, torch.nn.Module):
            self.modes += [(module, module.training) for module in value.modules()]
            parts = value.state_dict().values()
        elif isinstance(value, (list, dict)):
            self.containers.append((value, value.copy()))
            parts = value.values() if isinstance(value, dict) else value
        elif isinstance(value, tuple):
            parts = value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, f.name) for f in dataclasses.fields(value)]
        for part in parts:
            self._take(part)

    def change(self):
        """What was changed, as the end of a sentence; "" when nothing was."""
        if torch.is_grad_enabled() != self.grad_mode:
            return "left torch's gradient mode changed"
        if any(module.training != mode for module, mode in self.modes):
            return "left the model in another mode (train or eval)"
        if all(_identical(now, old) for now, old in self.tensors) and all(
            _same_items(now, old) for now, old in self.containers
        ):
            return ""
        return "changed one of its inputs in place (as x += y does)"

    def restore(self):
        torch.set_grad_enabled(self.grad_mode)
        for module, mode in self.modes:
            module.training = mode
        for now, old in self.containers:
            now.clear()
            now.update(old) if isinstance(now, dict) else now.extend(old)
        with torch.no_grad():
            for now, old in self.tensors:
                if now.shape == old.shape and now.dtype == old.dtype:
                    now.data.copy_(old)  # also where `now` is a view of another tensor
                else:
                    now.data = old


class _Watch(TorchFunctionMode):
    """Notes forbidden torch calls in every spelling: torch itself reports them."""

    def __init__(self, checker):
        super().__init__()
        self.checker, self.seen = checker, []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "").split(".")[0]
        if not self.checker.borrowing:
            if name in self.checker.forbidden:
                self.seen.append(f"torch's {name}")
            elif hasattr(function, "is_reference"):
                self.seen.append(f"{name} of the checks")
        return function(*args, **(kwargs or {}))


def reference(function):
    """Mark a function of the checks, so that an answer that calls it is noticed."""

    @functools.wraps(function)
    def marked(*args, **kwargs):
        # torch's own protocol, which tells a watch (None: arguments do not matter)
        if has_torch_function((None,)):
            return handle_torch_function(marked, (), *args, **kwargs)
        return function(*args, **kwargs)

    marked.is_reference = True
    return marked


def draw(seed, *shape, scale=1.0, dtype=torch.float64):
    """Normal random numbers times `scale`; the same for one seed on every machine."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator, dtype=dtype)


def _look(got, want, like, hint):
    """Type, shape, dtype and device, each with a sentence of its own."""
    if not isinstance(got, torch.Tensor):
        raise _Finding(f"The result is a {type(got).__name__}, not a tensor.", hint)
    if got.shape != want.shape:
        shapes = f"{tuple(got.shape)}; it should be {tuple(want.shape)}"
        raise _Finding(f"The shape is {shapes}.", hint)
    if got.dtype != like.dtype:
        raise _Finding(
            f"The dtype is {got.dtype}; the input's is {like.dtype}.",
            "Keep the dtype of the input.",
        )
    if got.device != like.device:
        raise _Finding(f"The result is on {got.device}, not on {like.device}.")
    if (got.isnan() & ~want.isnan()).any():
        raise _Finding("The result holds NaN.", hint)


def _difference(got, want, terms):
    """The largest difference in words, or nothing when rounding explains it."""
    eps = torch.finfo(got.dtype).eps if got.is_floating_point() else 0.0
    got, want = got.detach().double(), want.detach().double()
    finite = want[want.isfinite()].abs()
    size = max(1.0, finite.max().item() if finite.numel() else 1.0)
    bound = max(8 * terms * eps, 1e-9) * size
    off = (got - want).abs()
    off = torch.where((got == want) | (got.isnan() & want.isnan()), 0.0, off)
    if not off.numel() or off.max() <= bound:
        return ""
    place = tuple(int(i) for i in torch.unravel_index(off.argmax(), off.shape))
    return (
        f"Largest difference {off[place]:.3g} at {list(place)}: "
        f"yours {got[place]:.6g}, expected {want[place]:.6g}."
    )


def _plain(value):
    """Numbers, tuples and dicts without the differences that do not matter."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item) for item in value)
    with contextlib.suppress(TypeError, AttributeError):
        return operator.index(value)
    return value


def _identical(one, two):
    """Are two tensors equal in shape and values (NaN equals NaN)?"""
    if one.shape != two.shape:
        return False
    return bool(((one == two) | (one.isnan() & two.isnan())).all())


def _same_items(one, two):
    """Do two lists or dicts hold the very same objects?"""
    if isinstance(one, dict):
        return list(one) == list(two) and _same_items([*one.values()], [*two.values()])
    return len(one) == len(two) and all(map(operator.is_, one, two))


def _unshared(value):
    """A result whose tensors share no memory with the inputs."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return type(value)(_unshared(item) for item in value)
    return value


@contextlib.contextmanager
def _swapped(notebook, functions):
    """Put `functions` into the notebook's names, and the old ones back afterwards."""
    missing = object()
    before = {name: notebook.get(name, missing) for name in functions}
    notebook.update(functions)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is missing:
                notebook.pop(name, None)
            else:
                notebook[name] = old


@contextlib.contextmanager
def _quiet():
    """Keep warnings and stderr out of the cell: nbgrader reads stderr as failure.

    Three doors lead there: sys.stderr, handlers that kept the old stream, and file
    descriptor 2, which the kernel reads too.
    """
    stream, text = sys.stderr, io.StringIO()
    kept = os.dup(2)
    with (
        open(os.devnull, "w") as sink,
        warnings.catch_warnings(),
        contextlib.redirect_stderr(text),
    ):
        warnings.simplefilter("ignore")
        with contextlib.suppress(AttributeError):
            stream.write = text.write
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            with contextlib.suppress(AttributeError):
                del stream.write


@contextlib.contextmanager
def _time_limit(seconds):
    """Raise _TimeUp after `seconds`, where the platform has an alarm to do it."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_):
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
