"""A lesson's solution notebook, and its check cells at work: the trusted side."""

import ast
import contextlib
import functools
import io
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from nbformat import NotebookNode
from torch import nn

from autograder.cargo import remember_arguments
from autograder.course import CourseError
from autograder.markers import VOLATILE
from autograder.matching import cell_kind
from autograder.repair import SKIP
from autograder.sending import Sender
from autograder.student import Ran

HINTS = ("figures", "advice")  # the first holds the code of the second


def kind_of(cell: NotebookNode) -> str:
    """ "check", "answer", "given", "own" (of the student), or "" for no code to run."""
    if cell.cell_type != "code" or SKIP in cell.metadata.get("tags", []):
        return ""
    kind = cell_kind(cell)
    if kind != "demo":
        return kind
    return "" if cell.metadata.get("course") else "own"


def declared(source: str) -> list[str]:
    """The names that an answer cell defines at its top level."""
    found: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            found += [to.id for to in node.targets if isinstance(to, ast.Name)]
    return found


@dataclass
class Lesson:
    """What both sides need of a lesson, from its solution notebook.

    `given` are the ids and sources of its own cells, `volatile` the ids of those that
    would define something else on another machine, `names` what its answers define,
    with the cell of each, `checks` the sources of its check cells, `answers` those of
    its own answers, `hints` those of the cells that name known mistakes.
    """

    given: list[tuple[str, str]] = field(default_factory=list)
    volatile: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, solution: NotebookNode) -> "Lesson":
        lesson = cls()
        for cell in solution.cells:
            kind, cell_id = kind_of(cell), grade_id(cell)
            if kind in ("given", "answer", "check"):
                lesson.order.append(cell_id)
            if kind == "given":
                lesson.given.append((cell_id, cell.source))
                if VOLATILE in cell.metadata.get("tags", []):
                    lesson.volatile.add(cell_id)
            elif kind == "answer":
                lesson.answers[cell_id] = cell.source
                names = declared(cell.source)
                lesson.names |= dict.fromkeys(names, cell_id)
            elif kind == "check":
                lesson.checks[cell_id] = cell.source
            elif cell_id in HINTS:
                lesson.hints.append(cell.source)
        return lesson


def grade_id(cell: NotebookNode) -> str:
    nbgrader = cell.metadata.get("nbgrader")
    return nbgrader["grade_id"] if nbgrader else cell.id


class Checks:
    """The trusted side of a lesson: its given cells run, its check cells compiled."""

    def __init__(self, lesson: Lesson):
        self.lesson = lesson
        self.space: dict = {"__name__": "__main__"}
        self.bindings: dict[str, dict] = {}
        for cell_id, source in lesson.given:
            before = dict(self.space)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, f"<{cell_id}>", "exec"), self.space)
            new = {k: v for k, v in self.space.items() if before.get(k, self) is not v}
            self.bindings[cell_id] = new
            for kind in new.values():
                is_model = isinstance(kind, type) and issubclass(kind, nn.Module)
                if is_model and kind.__module__ == "__main__":
                    remember_arguments(kind)
        for source in lesson.hints:
            exec(source, self.space)
        self.code = {
            cell_id: compile(source, f"<{cell_id}>", "exec")
            for cell_id, source in lesson.checks.items()
        }

    def for_sandbox(self) -> tuple[dict, list[bytes]]:
        """What `stage.Stage` needs of the lesson, and its buffers.

        What a volatile cell defined goes there as it is here, so that both sides work
        with the same trained model, and it is trained once.
        """
        encoder, lesson = Sender().encoder(), self.lesson
        known = {cell: encoder.node(self.bindings[cell]) for cell in lesson.volatile}
        names = list(lesson.names)
        order = {"given": lesson.given, "known": known, "names": names}
        return order, encoder.buffers()

    def rehearse(self) -> None:
        """Run all checks on the lesson's own answers; then forget what they left.

        The first run of a check fills caches, which is paid once for all submissions;
        so does a run that fails.
        Raises CourseError when an own answer fails: then no grade could be trusted.
        """
        kept, state = dict(self.space), torch.get_rng_state()
        errors = self.run_all()
        if errors:
            cell_id, error = errors[0]
            raise CourseError(
                f"The course's own answer fails at {cell_id}, so nothing can be "
                f"graded here: {error}"
            )
        self.run_all(spoiled)
        self.space.clear()
        self.space.update(kept)
        torch.set_rng_state(state)

    def run_all(
        self, change: Callable[[object], object] = lambda answer: answer
    ) -> list[tuple[str, str]]:
        """Run all checks on the own answers, changed: (check, message) of failures."""
        errors = []
        self.space.clear()
        self.space["__name__"] = "__main__"
        for cell_id in self.lesson.order:
            if cell_id in self.lesson.answers:
                exec(self.lesson.answers[cell_id], self.space)
                for name, cell in self.lesson.names.items():
                    if cell == cell_id:
                        self.space[name] = change(self.space[name])
            elif cell_id in self.code and (error := self.run(cell_id).error):
                errors.append((cell_id, error[1]))
            self.space.update(self.bindings.get(cell_id, {}))
        return errors

    def run(self, cell_id: str) -> Ran:
        """Run one check cell on what now stands under the answers' names."""
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(self.code[cell_id], self.space)
            except BaseException as ended:
                error = (type(ended).__name__, str(ended))
        text = printed.getvalue()
        return Ran((("stdout", text),) if text else (), error)


def spoiled(answer: object) -> object:
    """An answer of the course made wrong: its tensors and numbers are 1 larger."""
    if not callable(answer):
        return answer

    @functools.wraps(answer)
    def call(*args: object, **kwargs: object) -> object:
        result = answer(*args, **kwargs)
        return result + 1 if isinstance(result, torch.Tensor | int) else result

    return call
