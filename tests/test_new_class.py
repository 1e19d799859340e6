import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import needs_bwrap

from autograder.batch import grade_class, submissions_in
from autograder.cli import main
from autograder.course import Course, CourseError
from autograder.moodle import write_moodle
from autograder.new_class import make_class
from autograder.release import is_current, release_lesson
from autograder.steps import gradebook_of

LESSON = "01_tiny"
REPOSITORY = Path(__file__).parent.parent
RIGHT = "def double(x):\n    return x + x"
WHO = "roster.csv", "nbgrader_config.py", "README.md"


def commands(folder):
    """The README's commands: title of the section → lines."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return {
        part.partition("\n")[0]: re.findall(r"^    (.+)$", part, re.MULTILINE)
        for part in sections
    }


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """shell(folder, lines) → what they print; as a user who has an exchange"""
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    settings = tmp_path / "jupyter"
    settings.mkdir()
    (settings / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\n"
    )
    places = {
        "HOME": str(tmp_path),
        "JUPYTER_CONFIG_DIR": str(settings),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(REPOSITORY),
    }

    def run(folder, lines):
        done = subprocess.run(
            ["bash", "-e", "-c", "\n".join(lines)],
            cwd=folder,
            env={**os.environ, **places},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def folder(course, tmp_path):
    """A new class of the small course."""
    return make_class(course, tmp_path / "autumn-2030")


def in_gradebook(folder, student):
    with gradebook_of(Course(folder, folder)) as gradebook:
        submission = gradebook.find_submission(LESSON, student)
        return submission.score, submission.late_submission_penalty


def hand_out_and_in(folder, shell, student_folder):
    """The README up to "Collect"; the student solves one exercise. → user name"""
    steps = commands(folder)
    with (folder / "roster.csv").open("a", encoding="utf-8") as roster:
        roster.write('ada,Ada,"Lovelace, Countess",ada@x.edu\n')
    listed = shell(folder, steps["Students"])
    assert "ada (Lovelace, Countess, Ada) -- ada@x.edu" in listed
    assert f"{LESSON} (due: 2030-03-01 23:59:00)" in shell(folder, steps["Due date"])
    shell(folder, [*steps["Hand out"], f"nbgrader release_assignment {LESSON} --force"])
    student_folder.mkdir()
    fetch, submit = steps["What students do"]
    shell(student_folder, [fetch])
    file = student_folder / LESSON / f"{LESSON}.ipynb"
    work = nbformat.read(file, as_version=4)
    assert "twice_as_much" not in file.read_text()
    next(cell for cell in work.cells if cell.id == "double").source = RIGHT
    nbformat.write(work, file)
    shell(student_folder, [submit])
    shell(folder, steps["Collect"])
    (handed_in,) = (folder / "submitted").iterdir()
    return handed_in.name


def test_the_commands_of_the_readme_take_a_class_from_roster_to_grades(
    folder, shell, tmp_path
):
    user = hand_out_and_in(folder, shell, tmp_path / "student")
    steps = commands(folder)
    shell(folder, steps["Grade with nbgrader alone"])
    assert in_gradebook(folder, user) == (3, 0)
    shell(folder, steps["Feedback"])
    page = folder / "feedback" / user / LESSON / f"{LESSON}.html"
    assert "double_check_2" in page.read_text()
    assert "70707" not in page.read_text()  # a hidden check
    fetch = f"nbgrader fetch_feedback {LESSON} --course autumn-2030"
    shell(tmp_path / "student", [fetch])
    back = list((tmp_path / "student" / LESSON / "feedback").rglob("*.html"))
    assert [file.read_text() for file in back] == [page.read_text()]
    shell(folder, steps["Grades"])
    with (folder / "grades-nbgrader.csv").open(encoding="utf-8") as text:
        scores = {row["student_id"]: row["score"] for row in csv.DictReader(text)}
    assert scores[user] == "3.0"
    assert scores["ada"] == "0.0"  # who hands in nothing has 0 in nbgrader's export


@needs_bwrap
def test_autograder_grades_the_class_from_the_courses_folder(
    course, folder, shell, hand_in, tmp_path
):
    released = (folder / "release" / LESSON / f"{LESSON}.ipynb").read_bytes()
    theirs = Course(folder, folder)
    file = hand_in(theirs, "ada", double=RIGHT).file
    # as nbgrader's collect puts it there
    (file.parent / "submission_secret.txt").write_text("secret")
    (file.parent / "timestamp.txt").write_text("2030-02-01 12:00:00 UTC")
    unusable = shutil.copytree(file.parent, theirs.submitted / "bo" / LESSON)
    (unusable / f"{LESSON}.ipynb").write_text("<html>")
    (unusable / "submission_secret.txt").write_text("another secret")
    steps = commands(folder)
    shell(folder, steps["Grade"])
    assert in_gradebook(folder, "ada") == (3, 0)
    assert "ada,3,3" in (folder / "grades.csv").read_text()
    assert theirs.released(LESSON).read_bytes() == released
    assert not course.class_dir.exists()
    shell(folder, steps["Feedback"])
    returned = tmp_path / "exchange" / "autumn-2030" / "feedback"
    pages = [f.read_text() for f in theirs.feedback.rglob("*.html")]
    assert len(pages) == 2
    assert {file.read_text() for file in returned.iterdir()} == set(pages)
    made = write_moodle(Course(course.root, folder), tmp_path / "moodle.csv")
    assert (made.students, list(made.lessons)) == (2, [LESSON])


def test_a_change_of_the_classs_own_solution_is_not_undone(course, folder, hand_in):
    theirs, ours = Course(folder, folder), Course(course.root, folder)
    work = [hand_in(theirs, "ada", double=RIGHT)]
    released = theirs.released(LESSON).read_bytes()
    own, courses = theirs.solution(LESSON), course.solution(LESSON)
    changed = own.read_text().replace("70707", "80808")
    own.write_text(changed)
    for take in (lambda: grade_class(ours, work), lambda: release_lesson(ours, LESSON)):
        with pytest.raises(CourseError) as refused:
            take()
        told = str(refused.value)
        assert f"{LESSON}: the class's own {own} differs from the course's" in told
        assert f"run there: autograder build {LESSON}." in told
        assert f"cp {courses} {own}." in told
    assert theirs.released(LESSON).read_bytes() == released
    courses.write_text(changed)  # as if it was changed and built there
    release_lesson(ours, LESSON)
    assert is_current(ours, LESSON)


@needs_bwrap
@pytest.mark.parametrize(
    ("settings", "penalties"),
    [
        ([], (0, 0)),
        (["c.LateSub"], (3, 3)),
        (["from", "class", "    def", "        return", "c.AssignLate"], (1, 2)),
    ],
)
def test_late_work_costs_what_the_settings_say(
    course, folder, shell, settings, penalties
):
    file = folder / "nbgrader_config.py"
    lines = file.read_text(encoding="utf-8").splitlines()
    for start in settings:
        (place,) = (n for n, line in enumerate(lines) if line[2:].startswith(start))
        assert lines[place].startswith("# ")
        lines[place] = lines[place][2:]
    file.write_text("\n".join(lines), encoding="utf-8")
    times = {"ada": "2030-03-02 12:00:00 UTC", "bo": "2030-03-03 12:00:00 UTC"}
    work = nbformat.read(folder / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
    next(cell for cell in work.cells if cell.id == "double").source = RIGHT
    for student, time in times.items():
        place = folder / "submitted" / student / LESSON
        place.mkdir(parents=True)
        nbformat.write(work, place / f"{LESSON}.ipynb")
        (place / "timestamp.txt").write_text(time)
    due, _ = commands(folder)["Due date"]
    shell(folder, [due, f"nbgrader autograde {LESSON}"])
    expected = [(3, penalty) for penalty in penalties]
    assert [in_gradebook(folder, student) for student in times] == expected
    ours = Course(course.root, folder)
    grade_class(ours, submissions_in(ours, folder / "submitted", [LESSON]))
    assert [in_gradebook(folder, student) for student in times] == expected


def test_a_class_has_what_nbgrader_needs_and_no_student(course, folder):
    made = {str(file.relative_to(folder)) for file in folder.rglob("*")}
    notebook = f"{LESSON}/{LESSON}.ipynb"
    folders = {"solutions", "release", f"solutions/{LESSON}", f"release/{LESSON}"}
    files = {*WHO, "gradebook.db", f"solutions/{notebook}", f"release/{notebook}"}
    assert made == folders | files | {"submitted"}
    assert (folder / "roster.csv").read_text() == "id,first_name,last_name,email\n"
    solution = (folder / "solutions" / notebook).read_bytes()
    assert solution == course.solution(LESSON).read_bytes()
    assert "twice_as_much" not in (folder / "release" / notebook).read_text()
    assert is_current(Course(course.root, folder), LESSON)
    assert [
        entry.name for entry in folder.parent.iterdir() if entry != course.root
    ] == [folder.name]


def test_nbgraders_own_release_is_the_same(folder, shell):
    file = folder / "release" / LESSON / f"{LESSON}.ipynb"
    ours = json.loads(file.read_text())
    (folder / "solutions" / LESSON / "answers.txt").write_text("twice_as_much")
    shell(folder, [f"nbgrader generate_assignment {LESSON} --force"])
    assert json.loads(file.read_text()) == ours
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_a_class_can_be_moved(folder, shell):
    moved = folder.rename(folder.parent / "elsewhere")
    assert LESSON in shell(moved, ["nbgrader db assignment list"])
    shell(moved, [f"nbgrader generate_assignment {LESSON} --force"])
    assert not folder.exists()


@pytest.mark.parametrize("holds", ["file", "folder"])
def test_a_folder_that_is_not_empty_is_refused_and_untouched(course, tmp_path, holds):
    folder = tmp_path / "there"
    folder.mkdir()
    inside = folder / ".hidden"
    inside.mkdir() if holds == "folder" else inside.write_text("mine")
    with pytest.raises(CourseError, match="is there and is not empty"):
        make_class(course, folder)
    assert list(folder.iterdir()) == [inside]


def test_a_file_is_refused(course, tmp_path):
    (tmp_path / "there").write_text("mine")
    with pytest.raises(CourseError, match="is there and is not empty"):
        make_class(course, tmp_path / "there")
    with pytest.raises(CourseError, match="cannot be made"):
        make_class(course, tmp_path / "there" / "class")
    assert (tmp_path / "there").read_text() == "mine"


def test_an_empty_folder_is_taken(course, tmp_path):
    (tmp_path / "empty").mkdir()
    assert (make_class(course, tmp_path / "empty") / "README.md").is_file()


@pytest.mark.parametrize(
    ("name", "course_id", "words"),
    [
        ("a[1]", "x", "which nbgrader takes for a pattern"),
        ("two words", None, '"two words" is no course id'),
        ("fine", 'x"; import os #', "is no course id"),
        ("fine", "../up", "is no course id"),
    ],
)
def test_a_name_that_nbgrader_cannot_work_with_is_refused(
    course, tmp_path, name, course_id, words
):
    with pytest.raises(CourseError) as raised:
        make_class(course, tmp_path / name, course_id)
    assert words in str(raised.value)
    assert not (tmp_path / name).exists()


def test_nothing_is_left_when_a_lesson_cannot_be_released(course, tmp_path):
    course.solution(LESSON).unlink()
    with pytest.raises(CourseError, match=f"run: autograder build {LESSON}"):
        make_class(course, tmp_path / "class" / "autumn")
    assert list((tmp_path / "class").iterdir()) == []


def test_the_command_makes_a_class_with_its_own_id(
    course, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(course.root)
    target = tmp_path / "two words"
    with pytest.raises(SystemExit) as stopped:
        main(["new-class", str(target), "--course-id", "tiny-1"])
    assert stopped.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{target}: ready; {target / 'README.md'} says what to do next." in out
    assert '"tiny-1"' in (target / "nbgrader_config.py").read_text()
    change, *_ = commands(target)["Grade"]
    assert change == f"cd {course.root}"
    assert f"'{target}'/submitted" in (target / "README.md").read_text()
