"""The job that grades a repository on GitHub: its files, its steps, its summary."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import LESSON, needs_bwrap
from html_page import Page
from markdown_it import MarkdownIt

from autograder.grade import NOT_ISOLATED, CheckResult, Result
from autograder.markdown import LONGEST, markdown
from autograder.release import release_lesson

ROOT = Path(__file__).parents[1]
GRADE = ROOT / ".github" / "workflows" / "grade.yml"
CLASS = ROOT / "docs" / "github-class"
CALLER = CLASS / ".github" / "workflows" / "grade.yml"
RIGHT = {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'}
HIDDEN = ("70707", "141414", "HIDDEN TESTS", "twice_as_much")
HOSTILE = (
    "</code></pre><script>alert(1)</script>",
    "```\n# 20 of 20 points\n![x](http://x.example/?a)",
    "`````` <img src=x> ``````",
    "` | [x](javascript:alert(1)) | @someone #1 http://x.example",
    "a\r\n\r\n# mine\n\n<details open>",
    "<!--",
    "$$\\unicode{x}$$",
)


def read(file):
    """A workflow; `on` is true for YAML, so it is read as text first."""
    return yaml.safe_load(file.read_text().replace("\non:", '\n"on":'))


def steps():
    (job,) = read(GRADE)["jobs"].values()
    return job["steps"]


def step(name):
    return next(step for step in steps() if step.get("name") == name)


@pytest.mark.parametrize("file", [GRADE, CALLER])
def test_the_jobs_may_read_the_repository_and_nothing_else(file):
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow["jobs"].values())
    text = "\n".join(re.sub("#.*", "", line) for line in file.read_text().splitlines())
    assert "pull_request_target" not in text
    assert "secrets" not in text
    assert "token" not in text.lower()


def test_only_other_workflows_call_the_one_that_grades():
    assert list(read(GRADE)["on"]) == ["workflow_call"]
    assert set(read(CALLER)["on"]) == {"push", "workflow_dispatch"}


def test_actions_are_pinned_to_commits():
    used = [step["uses"] for step in steps() if "uses" in step]
    assert len(used) == 4
    for action in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action), action


def test_the_course_comes_at_the_commit_of_the_caller_beside_the_work():
    checkouts = [s["with"] for s in steps() if "checkout" in s.get("uses", "")]
    assert checkouts == [
        {
            "repository": "${{ inputs.course }}",
            "ref": "${{ inputs.ref }}",
            "path": "course",
            "persist-credentials": False,
        },
        {"path": "work", "persist-credentials": False},
    ]


def test_commands_run_in_the_course_and_hold_no_expression():
    ran = [step for step in steps() if "run" in step]
    assert [step["name"] for step in ran] == ["Set up", "Grade"]
    for each in ran:
        assert each["working-directory"] == "course"
        assert "${{" not in each["run"]
    assert "--sandbox bwrap" in step("Grade")["run"]


def test_the_class_repository_gives_what_the_workflow_asks_for():
    (job,) = read(CALLER)["jobs"].values()
    inputs = read(GRADE)["on"]["workflow_call"]["inputs"]
    assert set(job["with"]) == {n for n, i in inputs.items() if i.get("required")}
    place, commit = job["uses"].split("@")
    assert place == f"{job['with']['course']}/.github/workflows/{GRADE.name}"
    assert commit == job["with"]["ref"]


def test_the_guide_names_the_places_to_fill_in():
    text = (CLASS / "README.md").read_text()
    placeholders = ("OWNER/COURSE", "COMMIT")
    for name in placeholders:
        assert f"`{name}`" in text
        used = [line.partition("#")[0] for line in CALLER.read_text().splitlines()]
        assert "\n".join(used).count(name) == 2


@pytest.fixture
def job(course, hand_in):
    """A machine after "Set up": the small course, the student's work, and `run`."""

    class Job:
        folder = course.root.parent
        work = folder / "work"
        feedback = folder / "feedback"

        def hand_in(self, name=f"{LESSON}.ipynb", **answers):
            file = hand_in(course, "ada", **answers).file
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            return file.rename(self.work / name)

        def run(self):
            """The lines of "Grade" → exit status, the summary, stderr."""
            told = self.folder / "summary.md"
            done = subprocess.run(
                # how GitHub runs the lines of a step
                ["bash", "-e", "-o", "pipefail", "-c", step("Grade")["run"]],
                cwd=self.folder / step("Grade")["working-directory"],
                env={
                    **os.environ,
                    "GITHUB_STEP_SUMMARY": str(told),
                    "PYTHONPATH": str(ROOT),
                },
                capture_output=True,
                text=True,
            )
            return done.returncode, told.read_text(encoding="utf-8"), done.stderr

    release_lesson(course, LESSON)
    (course.root / ".venv").symlink_to(sys.prefix)
    Job.work.mkdir()
    return Job()


@needs_bwrap
def test_the_notebook_is_graded_and_nothing_else_of_the_repository_is_run(job, course):
    """Other files would put a mark; links point at the answers."""
    mark = f"open({str(job.folder / 'mark')!r}, 'w')"
    for place in ("autograder/__init__.py", "sitecustomize.py", "nbgrader_config.py"):
        (job.work / place).parent.mkdir(exist_ok=True)
        (job.work / place).write_text(mark)
    (job.work / f"{LESSON}.ipynb").symlink_to(course.solution(LESSON))
    (job.work / "more").symlink_to(course.solutions)
    job.hand_in("week 1/01_tiny-old.ipynb")
    answer = f"try:\n    {mark}\nexcept OSError:\n    pass\n{RIGHT['double']}"
    job.hand_in("week 2/01_tiny.ipynb", **RIGHT | {"double": answer})
    status, told, err = job.run()
    assert (status, err) == (0, "")
    assert "# 4 of 4 points\n" in told
    assert "| `01_tiny` | 4 of 4 points |" in told
    assert "not right yet" not in told
    assert "of the same lesson:\n\n- ` ../work/week 1/01_tiny-old.ipynb `\n" in told
    assert not (job.folder / "mark").exists()
    page = Page(job.feedback / f"{LESSON}.html")
    assert f"{LESSON}: 4 of 4 points" in page.sections
    assert "return x + x" in page.sections["What was graded"]
    assert not any(text in told + page.text for text in HIDDEN)


@needs_bwrap
def test_few_points_are_no_failure_and_show_no_hidden_check(job):
    job.hand_in(double="def double(x):\n    return x * x")
    status, told, _ = job.run()
    assert status == 0
    assert "# 1 of 4 points\n" in told
    assert "| `double` | 1 of 3 points |" in told
    assert "double: other numbers failed. got 9, not 6" in told
    assert "✗ quick_1: the answer\n" in told
    assert not any(text in told for text in HIDDEN)


@needs_bwrap
def test_a_file_that_is_no_notebook_has_0_points_and_a_reason(job):
    (job.work / f"{LESSON}.ipynb").write_text("<html>Log in</html>")
    status, told, _ = job.run()
    assert status == 0
    assert "# 0 of 4 points" in told
    assert "It could not be run, so every check has 0 points" in told
    assert "is a web page" in told


@needs_bwrap
def test_without_a_notebook_the_job_fails_and_names_what_is_expected(job):
    (job.work / "mine.ipynb").write_text("nothing")
    status, told, _ = job.run()
    assert status == 1
    assert "# No notebook found\n\nExpected are `01_tiny.ipynb`." in told
    assert "no lesson is known by these names:\n\n- ` ../work/mine.ipynb `" in told


def tokens(text):
    """All tokens of CommonMark with tables, those within lines too."""
    for token in MarkdownIt().enable("table").parse(text):
        yield token
        yield from token.children or []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_students_text_stays_text(hostile):
    checks = (CheckResult("a_check_1", 0, 1, hostile), CheckResult("b", 1, 1, ""))
    for result in (
        Result("ada", LESSON, checks, repairs=(hostile,)),
        Result("ada", LESSON, checks, problem=hostile),
    ):
        found = list(tokens(markdown([result], {})))
        kinds = {token.type for token in found}
        assert not kinds & {"html_block", "html_inline", "image", "link_open"}
        code = [t.content for t in found if t.type in ("fence", "code_inline")]
        words = re.findall(r"\S+", hostile)
        assert any(all(word in text for word in words) for text in code)
        outside = "".join(token.content for token in found if token.type == "text")
        assert not any(word in outside for word in ("x.example", "script", "mine"))
        headings = [token for token in found if token.type == "heading_open"]
        assert len(headings) == (2 if result.problem else 4)


def test_a_summary_stays_below_what_github_shows():
    long = "\U0001f600" * 5000
    checks = tuple(CheckResult(f"a_check_{n}", 0, 1, long) for n in range(25))
    results = [Result("ada", f"0{n}", checks, repairs=(long,) * 99) for n in range(5)]
    told = markdown(results, {})
    assert len(told.encode()) < 1 << 20
    assert told.count("\n- and 79 more\n") == 5
    assert told.count("\n- ` ") == 100
    assert told.count(" …\n```\n") == 125
    assert max(map(len, told.splitlines())) <= LONGEST


def test_a_message_stands_below_its_title_once():
    checks = (
        CheckResult("a_check_1", 0, 1, "✗ a: the first\n  No."),
        CheckResult("a_check_2", 0, 1, "It took too long."),
    )
    titles = {LESSON: {"a_check_1": "a: the first", "a_check_2": "a: the second"}}
    told = markdown([Result("ada", LESSON, checks)], titles)
    assert told.count("a: the first") == 1
    assert "```text\n✗ a: the second\n  It took too long.\n```" in told


def test_what_was_not_attempted_is_listed_and_a_whole_lesson_in_one_line():
    untouched = CheckResult("a_check_1", 0, 2, "a: not attempted yet.")
    passed = CheckResult("b_check_1", 1, 1, "")
    titles = {LESSON: {"a_check_1": "a: the first"}}
    told = markdown([Result("ada", LESSON, (untouched, passed))], titles)
    assert "### Not attempted\n\n- ` a: the first `\n" in told
    assert "| `b` | 1 of 1 point |" in told
    told = markdown([Result("ada", LESSON, (untouched,))], titles)
    assert told.endswith("## `01_tiny`: 0 of 2 points\n\nNothing is answered yet.\n")


def test_a_run_without_isolation_is_told():
    checks = (CheckResult("a_check_1", 1, 1, ""),)
    told = markdown([Result("ada", LESSON, checks, flags=(NOT_ISOLATED, "odd"))], {})
    assert f"⚠ {NOT_ISOLATED}" in told
    assert "odd" not in told  # other flags are for the teacher
