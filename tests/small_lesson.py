"""A small lesson for tests: one exercise, one question, 20 points, no torch."""

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
    print(f"passed: {name}, {title}")
'''


def write_course(root):
    """Write the small course below the folder `root`."""
    support = root / "lessons" / "support"
    support.mkdir(parents=True)
    (root / "nbgrader_config.py").touch()
    (root / "lessons" / "01_small.py").write_text(LESSON, encoding="utf-8")
    (support / "small.py").write_text(SUPPORT, encoding="utf-8")
