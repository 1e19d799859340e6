"""Around a running check: names swapped in, stderr kept out, a limit on its time."""

import contextlib
import io
import os
import signal
import sys
import threading
import warnings

from support.findings import _TimeUp


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
    """Raise _TimeUp after `seconds` of work, or after three times as long on the clock.

    A right answer on a busy machine waits long and works little. Where the platform
    has no such timers there is no limit.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_):
        raise _TimeUp

    timers = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, 3 * seconds),
    )
    before = [signal.signal(alarm, stop) for alarm, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (alarm, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(alarm, handler)
