"""The five figures as the browser tests use them: what is pressed, what changes."""

import contextlib
import io
from dataclasses import dataclass

from lesson_runner import lesson_text, solution_names
from nbformat import NotebookNode
from students import solved

SHARED = ("setup", "figures", "advice")
WIDGETS = ("quick_1_choices", "cards")  # the last two code cells of the notebook


@dataclass(frozen=True)
class Step:
    """Keys on the control of this name, and the settings that they change."""

    control: str
    keys: tuple[str, ...]
    changes: dict[str, object]


@dataclass(frozen=True)
class Case:
    """One figure: its lesson, its cell, cells that it needs, and what is pressed.

    `fast` is a control and the key with which the delay is measured.
    """

    lesson: str
    cell: str
    steps: tuple[Step, ...]
    fast: tuple[str, str, str]
    needs: tuple[str, ...] = ()

    def figure(self):
        """The figure in this process, with the lesson's own answers."""
        names = dict(solution_names(self.lesson))
        cells = {cell.id: cell for cell in lesson_text(self.lesson).cells}
        with contextlib.redirect_stdout(io.StringIO()):
            for name in ("figures", *self.needs):
                exec(cells[name].source, names)
            return eval(cells[self.cell].source, names)

    def notebook(self) -> NotebookNode:
        """The solved lesson without text, checks and other demonstrations."""
        notebook = solved(self.lesson)
        kept = (*SHARED, *self.needs, self.cell, *WIDGETS)
        notebook.cells = [
            cell
            for cell in notebook.cells
            if cell.metadata.course.kind in ("given", "exercise", "question")
            or cell.id in kept
        ]
        for cell in notebook.cells:
            cell.metadata.pop("jupyter", None)  # a folded cell is not to be scrolled to
        return notebook


RIGHT, LEFT, SPACE = "ArrowRight", "ArrowLeft", "Space"
CASES = (
    Case(
        "01_block",
        "explore_block",
        (
            Step("T, tokens", (RIGHT,), {"tokens": 6}),
            Step("B, sequences", (RIGHT,), {"batch": 3}),
            Step("D, width", (RIGHT, RIGHT), {"d_model": 256}),
            Step("H, heads", (LEFT,), {"n_heads": 2}),
            Step("Norms: before or after", (RIGHT,), {"order": "post-LN"}),
            Step("Family", (RIGHT,), {"family": "decoder-only"}),
            Step("Open a part", (RIGHT,), {"part": "+ 1"}),
        ),
        ("T, tokens", LEFT, RIGHT),
    ),
    Case(
        "02_counting",
        "explore_budgets",
        (
            Step("Context T", (RIGHT,), {"context": 1536, "preset": "Own sizes"}),
            Step("Width D", (LEFT,), {"d_model": 704}),
            Step("Blocks L", (RIGHT, RIGHT), {"n_layers": 14}),
            Step("Vocabulary |V|", (LEFT,), {"vocab": 32000}),
            Step("Tied: unembedding = embedding", (SPACE,), {"tied": False}),
            Step(
                "GPT-2 XL",
                (SPACE,),
                {
                    **{"preset": "GPT-2 XL", "d_model": 1600, "n_layers": 48},
                    **{"vocab": 50257, "context": 1024, "tied": True},
                },
            ),
        ),
        ("Context T", LEFT, RIGHT),
    ),
    Case(
        "03_sampling",
        "explore_temperature",
        (
            Step("Temperature τ", (LEFT, LEFT), {"temperature": 0.9}),
            Step("Top-k (28: off)", (LEFT,) * 20, {"top_k": 8}),
            Step("Top-p (1: off)", (LEFT,), {"top_p": 0.85}),
            Step("Prompt", ("End", "c"), {"prompt": "the girl looks at the c"}),
        ),
        ("Temperature τ", LEFT, RIGHT),
    ),
    Case(
        "04_kv_cache",
        "explore_cache",
        (
            Step("Write the next token", (SPACE,), {"tokens": 7}),
            Step("Tokens written", (RIGHT, RIGHT), {"tokens": 9}),
            Step("Temperature τ", (RIGHT, RIGHT), {"temperature": 1.0}),
            Step("none (encoder)", (SPACE,), {"mask": "none (encoder)"}),
            Step("Start again", (SPACE,), {"tokens": 0}),
        ),
        ("Tokens written", RIGHT, LEFT),
        needs=("writer",),
    ),
    Case(
        "05_patches",
        "explore_patches",
        (
            Step("Next token", (SPACE,), {"column": 3}),
            Step("Row", (LEFT,), {"row": 8}),
            Step("Column", (RIGHT, RIGHT), {"column": 5}),
            Step("Previous token", (SPACE,), {"column": 4}),
            Step("P, pixels a side", (RIGHT,), {"patch": 28, "row": 7}),
            Step("Image, pixels a side", (RIGHT,), {"side": 384, "patch": 24}),
        ),
        ("Column", RIGHT, LEFT),
    ),
)
