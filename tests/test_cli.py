import csv
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import needs_bwrap
from nbgrader.api import Gradebook
from small_lesson import write_course

from autograder.cli import main

LESSON = "01_tiny"
ALL = {"double": "def double(x):\n    return x + x", "quick_1": 'answer_1 = "b"'}


# Exit status 0 when `autograder build` answers without a slow import.
NOTHING_SLOW = """
import sys
from autograder.cli import main
try:
    main(["build"])
except SystemExit:
    pass
sys.exit(bool({"nbformat", "jupytext", "torch", "nbgrader"} & set(sys.modules)))
"""


@pytest.fixture
def run(course, monkeypatch, capsys):
    """run("grade", …) → exit status, stdout, stderr; in the course's folder"""
    (course.root / "empty").mkdir()
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        return stopped.value.code, *capsys.readouterr()

    return command


def grades(course):
    with course.grades_csv.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_a_class_is_released_graded_and_reported(course, hand_in, run):
    assert run("release")[0] == 0
    hand_in(course, "ada", **ALL)
    (course.submitted / "bo" / LESSON).mkdir(parents=True)
    (course.submitted / "bo" / LESSON / f"{LESSON}.ipynb").write_text("nothing")
    status, out, _ = run("grade", "class/submitted")
    assert status == 0
    assert [(row["student"], row["total"]) for row in grades(course)] == [
        ("ada", "4"),
        ("bo", "0"),
    ]
    assert "4 / 4" in out
    assert "class/grades.csv" in out
    assert "class/gradebook.db" in out
    pages = sorted(course.feedback.rglob("*.html"))
    assert [page.parent.parent.name for page in pages] == ["ada", "bo"]


def test_the_report_is_written_anew_without_grading(course, hand_in, run):
    run("release")
    status, _, err = run("report")
    assert status == 2
    assert "holds no grades yet; run: autograder grade FOLDER, or give the --" in err
    hand_in(course, "ada", **ALL)
    assert "Report: class/report.html" in run("grade", "class/submitted")[1]
    before = course.report.read_bytes()
    course.report.unlink()
    course.grades_csv.unlink()
    assert run("report")[:2] == (
        0,
        "Grades: class/grades.csv\nReport: class/report.html\n",
    )
    assert course.report.read_bytes() == before
    assert [row["total"] for row in grades(course)] == ["4"]


def test_grading_takes_the_checks_of_the_current_solution(course, hand_in, run):
    run("release")
    hand_in(course, "ada", **ALL | {"double": "def double(x):\n    return 2 * int(x)"})
    solution = nbformat.read(course.solution(LESSON), as_version=4)
    solution.cells[3].source += "\n    check.equal(double(0.5), 1)"
    nbformat.write(solution, course.solution(LESSON))
    assert run("grade", "class/submitted", "--lesson", LESSON)[0] == 0
    assert [row[LESSON] for row in grades(course)] == ["3"]


def test_nothing_is_graded_by_checks_that_the_own_answers_fail(course, hand_in, run):
    run("release")
    hand_in(course, "ada", **ALL)
    solution = nbformat.read(course.solution(LESSON), as_version=4)
    solution.cells[3].source += "\n    check.equal(double(1), 3)"
    nbformat.write(solution, course.solution(LESSON))
    assert run("grade", "class/submitted", "--lesson", LESSON)[0] == 2


def test_the_csv_keeps_the_grades_of_earlier_runs(course, hand_in, run):
    run("release")
    hand_in(course, "ada", **ALL)
    run("grade", "class/submitted")
    later = course.root / "later"
    file = hand_in(course, "bo", double=ALL["double"]).file
    (later / "bo" / LESSON).mkdir(parents=True)
    file.rename(later / "bo" / LESSON / file.name)
    assert run("grade", "later")[0] == 0
    assert [(row["student"], row["total"]) for row in grades(course)] == [
        ("ada", "4"),
        ("bo", "3"),
    ]


def test_one_file_is_graded_without_a_class(course, hand_in, run, tmp_path):
    run("release")
    file = hand_in(course, "ada", **ALL).file.rename(tmp_path / "mine.ipynb")
    status, out, _ = run("grade", file)
    assert status == 0
    assert "double_check_1" in out
    assert "4 / 4" in out
    assert not course.autograded.exists()


def test_one_that_cannot_be_recorded_gives_status_1(course, hand_in, run, monkeypatch):
    run("release")
    hand_in(course, "ada", **ALL)
    file = course.submitted / "bo" / LESSON / f"{LESSON}.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text("nothing")
    record = Gradebook.update_or_create_student

    def fail_for_bo(gradebook, student):
        if student == "bo":
            raise OSError("disk full")
        return record(gradebook, student)

    monkeypatch.setattr(Gradebook, "update_or_create_student", fail_for_bo)
    status, out, _ = run("grade", "class/submitted")
    assert status == 1
    assert "could not be graded: OSError: disk full" in out
    assert [row["total"] for row in grades(course)] == ["4", "0"]


def test_a_page_that_cannot_be_written_is_noted(course, run):
    run("release")
    (course.submitted / "bo" / LESSON).mkdir(parents=True)
    (course.submitted / "bo" / LESSON / f"{LESSON}.ipynb").write_text("nothing")
    course.feedback.write_text("a file where the folder must be")
    status, out, _ = run("grade", "class/submitted")
    assert status == 0
    assert "0 / 4" in out
    assert "no feedback page: NotADirectoryError" in grades(course)[0]["notes"]


def test_a_students_folder_that_cannot_be_read_gives_status_1(
    course, hand_in, run, monkeypatch
):
    run("release")
    hand_in(course, "ada", **ALL)
    hand_in(course, "bo", **ALL)
    usual = Path.iterdir

    def read(folder):
        if folder.name == "bo":
            raise PermissionError(13, "Permission denied", str(folder))
        return usual(folder)

    monkeypatch.setattr(Path, "iterdir", read)
    status, out, _ = run("grade", "class/submitted")
    assert status == 1
    assert "Cannot be read, and not graded: bo (Permission denied)\n" in out
    assert [row["student"] for row in grades(course)] == ["ada"]


@pytest.mark.parametrize("more", [[], ["--lesson", LESSON]])
@pytest.mark.parametrize("name", ["download.zip", f"{LESSON}.zip"])
def test_a_download_of_an_lms_is_to_be_unpacked(course, run, name, more):
    (course.root / name).write_bytes(b"PK\x03\x04\x80")
    assert run("grade", name, *more) == (
        2,
        "",
        f"{name} is a ZIP archive. Unpack it and grade the folder: "
        "autograder grade FOLDER\n",
    )


def test_a_path_that_may_not_be_read_gives_one_line_and_status_2(run, monkeypatch):
    usual = Path.is_file

    def look(path):
        if path.name == "mine.ipynb":
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path)

    monkeypatch.setattr(Path, "is_file", look)
    assert run("grade", "closed/mine.ipynb") == (
        2,
        "",
        "closed/mine.ipynb cannot be used (Permission denied). "
        "Change its permissions.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "nowhere"], "nowhere does not exist"),
        (["grade", "."], "holds the course itself"),
        (["grade", "empty"], "holds no submission"),
        (["grade", "empty", "--lesson", "02_none"], 'There is no lesson "02_none"'),
        (["release", "02_none"], 'There is no lesson "02_none"'),
        (["build", "02_none"], 'There is no lesson "02_none"'),
        (["release", "--class-dir", "file"], "/file (it is a file). Give another"),
        (["report", "--class-dir", "damaged"], "db cannot be used: file is not a data"),
    ],
)
def test_a_mistake_gives_one_line_and_status_2(course, run, arguments, words):
    (course.root / "file").touch()
    (course.root / "damaged").mkdir()
    (course.root / "damaged" / "gradebook.db").write_text("no database" * 100)
    status, out, err = run(*arguments)
    assert status == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("class", "class holds the class itself. Give the folder of the submissions"),
        ("class/submitted/ada", "No file in class/submitted/ada tells whose it is."),
    ],
)
def test_a_folder_above_or_below_the_right_one_is_refused(
    course, hand_in, run, folder, words
):
    """It would bring students of strange names into the gradebook."""
    run("release")
    hand_in(course, "ada", **ALL)
    status, _, err = run("grade", folder)
    assert (status, words in err) == (2, True)
    assert not course.grades_csv.exists()


def test_the_command_must_be_run_in_a_course(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("release")
    assert status == 2
    assert "is no course" in err


def test_build_makes_what_is_stale_and_check_names_it(tmp_path, run, monkeypatch):
    write_course(tmp_path / "small")
    monkeypatch.chdir(tmp_path / "small")
    status, out, _ = run("build", "--check")
    assert status == 1
    assert "01_small: not what its source says; run: autograder build 01_small" in out
    assert not (tmp_path / "small" / "notebooks").exists()
    assert "01_small: built" in run("build")[1]
    assert run("build", "--check")[:2] == (
        0,
        "01_small: nothing to do\n"
        "No Colab badges: set the repository in pyproject.toml to have them.\n",
    )
    assert "01_small: unchanged" in run("build", "--force")[1]
    done = subprocess.run([sys.executable, "-c", NOTHING_SLOW], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_without_a_sandbox_a_class_is_graded_and_told_so(course, hand_in, run):
    run("release")
    hand_in(course, "ada", **ALL)
    hand_in(course, "bo", double=ALL["double"])
    status, out, _ = run("grade", "class/submitted", "--sandbox", "none")
    assert status == 0
    assert [row["total"] for row in grades(course)] == ["4", "3"]
    assert "Not isolated: students' code could do all that you can do here." in out


@needs_bwrap
def test_in_a_sandbox_nothing_is_said_of_isolation(course, hand_in, run):
    run("release")
    hand_in(course, "ada", **ALL)
    status, out, _ = run("grade", "class/submitted", "--sandbox", "bwrap")
    assert status == 0
    assert "solated" not in out


def test_one_file_without_a_sandbox_is_told_so(course, hand_in, run, tmp_path):
    run("release")
    file = hand_in(course, "ada", **ALL).file.rename(tmp_path / "mine.ipynb")
    status, out, _ = run("grade", file, "--sandbox", "none")
    assert status == 0
    assert "Not isolated" in out


@pytest.mark.parametrize("sandbox", ["auto", "bwrap"])
def test_without_bubblewrap_nothing_is_run(course, hand_in, run, monkeypatch, sandbox):
    run("release")
    mark = course.root / "was here"
    hand_in(course, "ada", double=f"open({str(mark)!r}, 'w')\n{ALL['double']}")
    monkeypatch.setenv("PATH", str(course.root / "empty"))
    status, out, err = run("grade", "class/submitted", "--sandbox", sandbox)
    assert status == 2
    assert "bubblewrap, which is not installed" in err
    assert "sudo apt-get install bubblewrap" in err
    assert "--sandbox none" in err
    assert out.strip() == ""
    assert not mark.exists()
    assert not course.grades_csv.exists()


def test_an_unknown_sandbox_is_refused_by_name(course, hand_in, run):
    run("release")
    hand_in(course, "ada")
    status, _, err = run("grade", "class/submitted", "--sandbox", "docker")
    assert status == 2
    assert "--sandbox docker: use one of auto, bwrap," in err
