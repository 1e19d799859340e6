"""A small lesson for tests: one exercise, one question, 20 points, no torch.

`add_panels` and `add_catalogue` give it cells that the build writes.
"""

import json
import shutil
from pathlib import Path

REAL_LESSONS = Path(__file__).parents[1] / "lessons"

LESSON = '''# %% [markdown]
# # A small lesson

# %% given="setup" collapsed=true
# @title Set-up: run this cell first
from support.small import checking

# %% [markdown]
# ## Doubling
# Write it.

# %% exercise="double" minutes=2
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% checks="double" points=3
with checking("double", "one") as check:
    check.equal(double(1), 2, "one")

# %% checks="double" points=3
with checking("double", "more") as check:
    check.equal(double(3), 6, "three")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(double(-12345), -24690, "negative")
    ### END HIDDEN TESTS

# %% demo="picture"
print(double(21))

# %% [markdown]
# ## Quick check
# Which?

# %% question="quick_1"
### BEGIN SOLUTION
answer_1 = "b"  # @param ["a", "b"]
### END SOLUTION

# %% checks="quick_1" points=2
with checking("quick_1", "letter") as check:
    check.answered(answer_1, "ab")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.choice(answer_1, "b", because={"a": "No.", "b": "Twice is two times."})
    ### END HIDDEN TESTS

# %% [markdown]
# ## More points
''' + "\n".join(
    f'''
# %% checks="double" points=3
with checking("double", "number {n}") as check:
    check.equal(double({n}), {2 * n}, "{n}")
'''
    for n in (4, 5, 6, 7)
)

SUPPORT = '''"""Checks without torch, for tests. Source: lessons/support/small.py."""

import contextlib


class CheckFailed(Exception):
    def _render_traceback_(self):
        return str(self).splitlines()


class NotAttempted(CheckFailed):
    pass


class Check:
    def hidden(self):
        self.is_hidden = True

    def equal(self, got, want, what):
        if got != want:
            raise CheckFailed(f"{what}: the answer differs.")

    def answered(self, answer, choices):
        if answer is None:
            raise NotAttempted("Not attempted yet.")

    def choice(self, answer, right, because):
        if answer != right:
            raise CheckFailed(because[answer])


@contextlib.contextmanager
def checking(name, title):
    try:
        yield Check()
    except NotImplementedError:
        raise NotAttempted(f"{name}: not attempted yet.") from None
    checking.outcomes[f"{name}: {title}"] = "passed"
    print(f"passed: {name}, {title}")


checking.outcomes = {}
'''

PANEL_CODE = """\
# %% demo="panels" collapsed=true
from support.cards import Cards
from support.quiz import Choices
from support.score import show_score

"""

CHOICES = """\
# %% generated="quick_1_choices" collapsed=true

"""

CARDS_AND_SCORE = """
# %% generated="cards" collapsed=true

# %% generated="score" collapsed=true
"""

CARDS = {
    "01_small": [
        {"id": "twice", "front": "Twice x?", "back": "x + x,\nor 2 · x"},
        {"id": "order", "front": "Is a < b & b > a?", "back": "Yes, <b>always</b>."},
    ],
    "02_other": [{"id": "other", "front": "Of another lesson?", "back": "Indeed."}],
}

ADVICE = """\
# %% demo="advice_code" collapsed=true
from support.advice import Advice

# %% generated="advice" collapsed=true

"""


def write_course(root):
    """Write the small course below the folder `root`."""
    support = root / "lessons" / "support"
    support.mkdir(parents=True)
    (root / "nbgrader_config.py").touch()
    (root / "lessons" / "01_small.py").write_text(LESSON, encoding="utf-8")
    (support / "small.py").write_text(SUPPORT, encoding="utf-8")


def edit(file, old, new):
    """Put `new` in the place of `old`, which must stand in the file."""
    text = file.read_text(encoding="utf-8")
    assert old in text, old
    file.write_text(text.replace(old, new), encoding="utf-8")


def add_panels(root):
    """Give the course recall cards, and its lesson radio buttons, cards and score."""
    lesson = root / "lessons" / "01_small.py"
    start = "# %% [markdown]\n# ## Doubling"
    edit(lesson, start, PANEL_CODE + start)
    edit(lesson, '# %% question="quick_1"', CHOICES + '# %% question="quick_1"')
    lesson.write_text(lesson.read_text() + CARDS_AND_SCORE, encoding="utf-8")
    _copy_support(root, "cards", "quiz", "score", "figures/figure")
    (root / "data").mkdir()
    (root / "data" / "cards.json").write_text(json.dumps(CARDS), encoding="utf-8")


def add_catalogue(root, mistakes):
    """Give the course the real checks, and a catalogue with the entries `mistakes`.

    An entry is (name, numbers of the checks that must catch it, hint, body of double).
    """
    lesson = root / "lessons" / "01_small.py"
    edit(
        lesson,
        "from support.small import checking",
        "from support.checks import Checker\n\nchecking = Checker(seconds=1)",
    )
    start = "# %% [markdown]\n# ## Doubling"
    edit(lesson, start, ADVICE + start)
    _copy_support(
        root,
        *("advice", "checks", "comparing", "expectations", "findings", "recognising"),
        *("shielding", "watching"),
    )
    folder = root / "lessons" / "mistakes"
    folder.mkdir()
    shutil.copy(REAL_LESSONS / "mistakes" / "__init__.py", folder)
    lines = ["from mistakes import Hint, Mistake", "", "MISTAKES = ("]
    for name, checks, hint, body in mistakes:
        answer = f"def double(x):\n    {body}\n"
        lines.append(f"    Mistake('double', {name!r}, {checks}, Hint('', {hint!r}),")
        lines.append(f"        source={answer!r}),")
    (folder / "small.py").write_text("\n".join([*lines, ")", ""]), encoding="utf-8")


def _copy_support(root, *names):
    for name in names:
        target = root / "lessons" / "support" / f"{name}.py"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(REAL_LESSONS / "support" / f"{name}.py", target)
