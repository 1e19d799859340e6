"""A gradebook in PostgreSQL: a real server, started for these tests."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import LESSON

from autograder.batch import grade_class
from autograder.course import Course, CourseError
from autograder.gradebook import recorded_results
from autograder.release import release_lesson

RIGHT = "def double(x):\n    return x + x"
WORK = {
    "ada": {"double": RIGHT, "quick_1": 'answer_1 = "b"'},
    "bob": {"double": "def double(x):\n    return x ** 2"},
    "cy": {"double": "import os\nos._exit(3)", "quick_1": 'answer_1 = "b"'},
}


def _programs() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them out of the path."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found).resolve().parent if found else places and places[-1].parent


@pytest.fixture(scope="module")
def server():
    """The folder of a running server's socket. It refuses to run as root."""
    programs = _programs()
    if not programs:
        if os.environ.get("CI"):
            pytest.fail("CI needs PostgreSQL: apt-get install postgresql")
        pytest.skip("no PostgreSQL here; sudo apt-get install postgresql")
    owner = pwd.getpwnam("postgres").pw_uid if os.getuid() == 0 else os.getuid()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        os.chown(place, owner, -1)

        def run(program, *options):
            command = [programs / program, "-D", f"{place}/data", *options]
            subprocess.run(
                command, user=owner, cwd=place, check=True, stdout=subprocess.DEVNULL
            )

        run("initdb", "-U", "postgres", "--auth=trust", "--no-sync")
        run("pg_ctl", "-w", "-l", f"{place}/log", "-o", f"-k {place} -h ''", "start")
        yield place
        run("pg_ctl", "-m", "immediate", "stop")


@pytest.fixture
def databases(server):
    """Makes an empty database; its URL."""
    import psycopg

    def make(name, options=""):
        place = f"host={server} user=postgres"
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(f"create database {name} {options}")
        return f"postgresql://postgres@/{name}?host={server}"

    return make


def results(course):
    found = recorded_results(course)
    return sorted((r.student, [(c.check, c.points) for c in r.checks]) for r in found)


def test_grades_in_postgresql_are_those_in_sqlite(course, hand_in, databases):
    """The gradebook, the files beside it, a second run, and nbgrader's own export."""
    there = Course.at(course.root, course.root / "there", databases("grades"))
    for one in (course, there):
        release_lesson(one, LESSON)
        work = [hand_in(one, student, **answers) for student, answers in WORK.items()]
        graded = grade_class(one, work, jobs=2)
        assert [result.points for result in graded] == [4, 1, 1]
    assert results(there) == results(course)
    assert len(results(there)) == 3
    assert not there.gradebook.exists()
    assert there.grades_csv.read_text() == course.grades_csv.read_text()
    again = grade_class(there, work, jobs=2)
    assert again == graded


def test_a_teachers_score_in_postgresql_counts(course, hand_in, databases):
    from autograder.steps import gradebook_of

    there = Course.at(course.root, course.class_dir, databases("manual"))
    release_lesson(there, LESSON)
    work = [hand_in(there, "ada", **WORK["bob"])]
    grade_class(there, work)
    with gradebook_of(there) as gradebook:
        (submission,) = gradebook.assignment_submissions(LESSON)
        grade = submission.notebooks[0].grades[0]
        grade.manual_score = 1.5
        gradebook.db.commit()
    (result,) = grade_class(there, work, fresh=True)
    assert 1.5 in [check.points for check in result.checks]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql://postgres@127.0.0.1:9/grades", "cannot be opened"),
        ("postgres", "cannot be opened: Could not parse"),
    ],
)
def test_a_gradebook_that_cannot_be_opened(course, url, why):
    there = Course.at(course.root, course.class_dir, url)
    with pytest.raises(CourseError, match=why) as refused:
        recorded_results(there)
    assert "postgresql://USER:PASSWORD@HOST/NAME" in str(refused.value)


def test_a_database_that_does_not_keep_utf8(course, databases):
    url = databases("bytes", "encoding 'SQL_ASCII' locale 'C' template template0")
    there = Course.at(course.root, course.class_dir, url)
    for use in (recorded_results, lambda course: release_lesson(course, LESSON)):
        with pytest.raises(CourseError, match="SQL_ASCII") as refused:
            use(there)
        assert "createdb --encoding UTF8 --template template0" in str(refused.value)
