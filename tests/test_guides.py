"""The guides name commands, options, targets and files that are there."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from autograder.cli import app

ROOT = Path(__file__).parents[1]
NAMES = (
    *("README.md", "lessons/README.md", "docs/learner.md", "docs/teacher.md"),
    *("docs/author.md", "docs/operator.md", "docs/lms.md", "docs/gradescope.md"),
    "docs/github-class/README.md",
)
GUIDES = [ROOT / name for name in NAMES]
each_guide = pytest.mark.parametrize("guide", GUIDES, ids=NAMES)


def commands(guide):
    """The lines of code blocks, and the commands within the text."""
    text = guide.read_text(encoding="utf-8")
    lines = re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    return [*lines, *re.findall(r"`((?:make|\.venv/bin/autograder) [^`]+)`", text)]


@each_guide
def test_the_commands_and_their_options_exist(guide):
    known = typer.main.get_command(app).commands
    ours = [c for c in commands(guide) if c.startswith(".venv/bin/autograder ")]
    for line in ours:
        name, *arguments = shlex.split(line)[1:]
        assert name in known, line
        options = {o for p in known[name].params for o in (*p.opts, *p.secondary_opts)}
        given = {a for a in arguments if re.fullmatch(r"--[\w-]+", a)}
        assert given <= options, line


@each_guide
def test_a_command_says_where_it_lies(guide):
    text = guide.read_text(encoding="utf-8")
    bare = re.findall(r"^ {4,}autograder .*|`autograder [\w-]+ [^`]+`", text, re.M)
    assert bare == []


@each_guide
def test_the_targets_of_make_exist(guide):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    used = [c.split()[1] for c in commands(guide) if c.startswith("make ")]
    assert set(used) <= set(targets)


@each_guide
def test_links_lead_to_files_and_headings(guide):
    text = guide.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, heading = link.partition("#")
        file = guide.parent / path
        assert file.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", t).lower() for t in titles]
            assert heading in [a.replace(" ", "-") for a in anchors], link


def test_options_within_the_text_are_known():
    known = typer.main.get_command(app).commands.values()
    options = {o for c in known for p in c.params for o in (*p.opts, *p.secondary_opts)}
    for guide in GUIDES:
        told = set(re.findall(r"`(--[\w-]+)", guide.read_text(encoding="utf-8")))
        assert told <= options, guide
