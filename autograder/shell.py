"""Students' cells run as IPython runs them, without a screen; inside the sandbox."""

import ast
import contextlib
import io
import signal
from collections.abc import Iterator
from types import CodeType

from IPython.core.inputtransformer2 import leading_empty_lines
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

LONGEST_OUTPUT = 100_000  # characters of one cell


class TimeUp(BaseException):
    """Raised by the alarm within a student's code."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise TimeUp after `seconds`, and again each second if that is swallowed."""

    def stop(*_):
        raise TimeUp

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01), 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


class Output(io.TextIOBase):
    """A text stream that keeps the beginning of what is written, in order."""

    def __init__(self, name: str, parts: list[list[str]]):
        self.name, self.parts = name, parts

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        left = LONGEST_OUTPUT - sum(len(part) for _, part in self.parts)
        if left > 0 and text:
            cut = text if len(text) <= left else text[:left] + "\n… cut here"
            if self.parts and self.parts[-1][0] == self.name:
                self.parts[-1][1] += cut
            elif len(self.parts) < 1000:
                self.parts.append([self.name, cut])
        return len(text)


@contextlib.contextmanager
def captured() -> Iterator[list[list[str]]]:
    """What is printed meanwhile: pairs of stream and text."""
    parts: list[list[str]] = []
    out, err = Output("stdout", parts), Output("stderr", parts)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield parts


class Shell:
    """The names of a notebook in `space`, and the cells that change them."""

    def __init__(self) -> None:
        config, self.cell = Config(), ""
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        config.InteractiveShell.autoindent = False
        InteractiveShell.clear_instance()  # that of the lesson before
        shell = self._shell = InteractiveShell.instance(config=config)
        shell.ask_exit = lambda: None  # exit() in a cell must not cost the others
        shell.showtraceback = lambda *_, **__: None  # `run` returns the error
        shell.showsyntaxerror = lambda *_, **__: None
        shell.compile.get_code_name = lambda *_: f"<cell {self.cell}>"
        self.space: dict = shell.user_ns

    def run(self, cell: str, source: str) -> BaseException | None:
        """Run a cell; the error with which it ended. TimeUp may be raised or returned.

        Most cells only define something. These do without IPython, which takes a
        millisecond longer.
        """
        self.cell = cell
        code = self._plain(source)
        if code is None:
            result = self._shell.run_cell(source, store_history=True)
            return result.error_before_exec or result.error_in_exec
        try:
            exec(code, self.space)
        except BaseException as error:
            return error
        return None

    def _plain(self, source: str) -> CodeType | None:
        """The code of a cell that IPython would run just like Python; else None."""
        name = f"<cell {self.cell}>"
        lines = leading_empty_lines(source.splitlines(keepends=True))
        try:
            tree = ast.parse("".join(lines), name)
            if not tree.body or isinstance(tree.body[-1], ast.Expr):
                return None  # IPython shows the value of a last expression
            return self._shell.compile(tree, name, "exec")
        except Exception:  # a magic, a shell command, an await, or an error to tell
            return None
