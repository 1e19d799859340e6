import csv
import shutil

import pytest
from conftest import HAS_BWRAP
from graded_class import BLOCK, COUNTING, write_class

from autograder.batch import grade_class
from autograder.cli import main
from autograder.course import CourseError
from autograder.grade import Result
from autograder.moodle import write_moodle
from autograder.resume import Memory
from autograder.submission import Submission
from autograder.working import Terms

HEAD = "First name,Last name,ID number,Username,Email address"
STUDENTS = (
    "Jane,Doe,1001,jdoe,jane@x.edu",
    "Ada,Lovelace,1002,lovelaceada,ada@x.edu",
    '"Zoë ""Z""","=Straße, K",1003,zoe,+zoe@x.edu',
    "Bo,Late,1004,late,@bo",
    "Eve,Seven,77,eve,eve@x.edu",
    "No,Grade,1006,nograde,no@x.edu",
)


def roster_text(students=STUDENTS, head=HEAD):
    return "\n".join([head, *students]) + "\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return write_class(tmp_path_factory.mktemp("course"))


@pytest.fixture
def written(course, tmp_path):
    """written(roster text or None, …) → what became of it, and the rows of the file"""

    def write(text, **options):
        roster = None
        if text is not None:
            roster = tmp_path / "roster.csv"
            roster.write_bytes(text if isinstance(text, bytes) else text.encode())
        output = tmp_path / "moodle.csv"
        made = write_moodle(course, output, roster, **options)
        with output.open(encoding="utf-8", newline="") as opened:
            return made, list(csv.reader(opened, strict=True))

    return write


def test_a_real_export_becomes_a_file_that_moodle_takes(written):
    head = HEAD + ",Assignment: 01_block (Real),Last downloaded from this course"
    students = [f"{student},-,1790000000" for student in STUDENTS]
    made, rows = written("\ufeff" + roster_text(students, head))
    assert rows == [
        [*HEAD.split(","), BLOCK, COUNTING],
        ['Zoë "Z"', "=Straße, K", "1003", "zoe", "+zoe@x.edu", "-", "0"],
        ["Eve", "Seven", "77", "eve", "eve@x.edu", "12", "-"],
        ["Jane", "Doe", "1001", "jdoe", "jane@x.edu", "15", "7.5"],
        ["Bo", "Late", "1004", "late", "@bo", "14", "-"],
        ["Ada", "Lovelace", "1002", "lovelaceada", "ada@x.edu", "20", "-"],
    ]
    assert made.left_out == ["ghost: not in roster.csv"]
    assert made.notes == [
        "In Moodle, map from ID number or Username or Email address to the user field "
        "of that name."
    ]


def test_without_a_roster_the_ids_are_usernames(written):
    made, rows = written(None)
    assert rows == [
        ["Username", BLOCK, COUNTING],
        ["1003", "-", "0"],
        ["77", "12", "-"],
        ["ghost", "2", "-"],
        ["jdoe", "15", "7.5"],
        ["late", "14", "-"],
        ["lovelaceada", "20", "-"],
    ]
    assert made.left_out == []


def test_an_id_that_is_no_username_would_stop_moodle_and_is_left_out(tmp_path):
    strange = ("Ada Lovelace", "Zoë", "=1+1", "-x", "@x", "+x")
    points = {student: {BLOCK: (1, 1)} for student in ("bo.k-1@x", *strange)}
    course = write_class(tmp_path / "c", points)
    made = write_moodle(course, tmp_path / "m.csv")
    text = (tmp_path / "m.csv").read_text()
    assert text.splitlines() == ["Username,01_block", "bo.k-1@x,2"]
    assert "Ada Lovelace: no username of Moodle; give --roster" in made.left_out
    assert "'=1+1: no username of Moodle; give --roster" in made.left_out
    assert len(made.left_out) == len(strange)


def test_a_folder_of_moodles_own_download_is_found_by_the_full_name(tmp_path):
    course = write_class(tmp_path / "c", {"Ada Lovelace": {BLOCK: (1, 1)}})
    file = tmp_path / "r.csv"
    file.write_text("First name,Surname,Email address\nAda,Lovelace,al@x.edu\n")
    made = write_moodle(course, tmp_path / "m.csv", file)
    assert (made.students, made.left_out) == (1, [])
    assert (tmp_path / "m.csv").read_text().splitlines()[1] == "Ada,Lovelace,al@x.edu,2"


def test_of_two_students_of_one_name_none_is_guessed(tmp_path):
    points = {"Ada Lovelace-3": {BLOCK: (1, 1)}, "Ada Lovelace-4": {BLOCK: (1, 0)}}
    course = write_class(tmp_path / "c", points)
    file = tmp_path / "r.csv"
    file.write_text("First name,Surname,Username\nAda,Lovelace,a3\nAda,Lovelace,a4\n")
    made = write_moodle(course, tmp_path / "m.csv", file)
    assert (made.students, len(made.left_out)) == (0, 2)
    assert made.left_out[0] == (
        "Ada Lovelace-3: fits by name alone (Ada Lovelace; Ada Lovelace)"
    )


@pytest.mark.parametrize("other", ["", "1001"])
def test_a_column_that_does_not_name_everybody_is_not_written(written, other):
    students = [STUDENTS[0], STUDENTS[1].replace("1002", other)]
    _, rows = written(roster_text(students))
    names = ["First name", "Last name", "Username", "Email address"]
    assert rows[0] == [*names, BLOCK, COUNTING]


def test_a_gap_of_somebody_without_a_grade_does_not_matter(written):
    students = [*STUDENTS[:5], "No,Grade,,nograde,no@x.edu"]
    _, rows = written(roster_text(students))
    assert "ID number" in rows[0]


def test_without_a_column_that_names_everybody_there_is_no_file(written, tmp_path):
    students = ["Jane,Doe,jdoe,", "Ada,Lovelace,,lovelaceada"]
    text = roster_text(students, "First name,Last name,ID number,Email address")
    with pytest.raises(CourseError, match="Moodle could mix them up"):
        written(text)
    assert not (tmp_path / "moodle.csv").exists()


def test_whoever_is_not_sure_is_left_out(written):
    twins = ["Jane,Doe,1,jdoe,a@x.edu", "June,Doe,jdoe,june,b@x.edu"]
    made, rows = written(roster_text([*twins, STUDENTS[1]]))
    assert "jdoe: fits more than one (Jane Doe; June Doe)" in made.left_out
    assert [row[1] for row in rows[1:]] == ["Lovelace"]


def test_feedback_tells_what_was_lost_and_no_formula(written):
    _, rows = written(None, feedback=True)
    told = {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}
    assert rows[0][3:] == ["01_block feedback", "02_counting feedback"]
    assert told["jdoe"]["01_block feedback"] == ("15 of 20 points. x: 15 of 20 points.")
    assert told["late"]["01_block feedback"] == (
        "14 of 20 points, 4 taken off for lateness. x: 18 of 20 points."
    )
    assert told["lovelaceada"]["01_block feedback"] == "20 of 20 points."
    assert told["lovelaceada"]["02_counting feedback"] == ""


def test_feedback_names_exercises_or_why_a_file_could_not_be_run(
    released, hand_in, tmp_path
):
    work = [
        hand_in(released, "ada", double="def double(x):\n    return abs(x) * 2"),
        Submission("lise", "01_tiny", None, problem="It is a\nweb page."),
    ]
    terms = Terms("bwrap" if HAS_BWRAP else "none")
    grade_class(released, work, terms=terms)
    output = tmp_path / "moodle.csv"
    write_moodle(released, output, feedback=True)
    assert output.read_text(encoding="utf-8").splitlines() == [
        "Username,01_tiny,01_tiny feedback",
        "ada,1,1 of 4 points. double: 1 of 3 points. quick_1: 0 of 1 point.",
        "lise,0,0 of 4 points. It is a web page.",
    ]


def test_a_grade_whose_renewal_failed_stays_as_the_gradebook_has_it(tmp_path):
    course = write_class(tmp_path / "c", {"ada": {BLOCK: (10, 5)}})
    Memory(course).add(Result("ada", BLOCK, (), "could not be graded"), "")
    write_moodle(course, tmp_path / "m.csv", feedback=True)
    text = (tmp_path / "m.csv").read_text(encoding="utf-8")
    assert text.splitlines()[1] == "ada,15,15 of 20 points. x: 15 of 20 points."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("Vorname,Nachname,E-Mail\nA,B,C\n", "it needs one of the columns Username"),
        (roster_text().replace(",", ";"), "by semicolons or tabs"),
        (roster_text().replace(",", "\t"), "by semicolons or tabs"),
        (b"PK\x03\x04", "is an Excel file"),
        (roster_text().encode("latin-1"), "line 4: this is not UTF-8"),
    ],
)
def test_what_is_no_roster_gets_the_fix(written, text, words):
    with pytest.raises(CourseError) as raised:
        written(text)
    assert words in str(raised.value)
    assert "In Moodle, in English, take Grades, Export" in str(raised.value)


def test_the_command_writes_into_the_class_and_tells_who_is_missing(
    course, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COLUMNS", "300")
    roster = tmp_path / "roster.csv"
    for students, status in ((STUDENTS, 1), ((*STUDENTS, "G,H,9,ghost,g@x"), 0)):
        roster.write_text(roster_text(students), encoding="utf-8")
        with pytest.raises(SystemExit) as stopped:
            main(["moodle", "--roster", str(roster), "--feedback"])
        assert stopped.value.code == status
        out = capsys.readouterr().out
        assert ("ghost: not in roster.csv" in out) == bool(status)
        assert f"{6 - status} students, 01_block, 02_counting: class/moodle.csv" in out
    assert "feedback" in (course.class_dir / "moodle.csv").read_text(encoding="utf-8")


def test_the_grades_may_lie_in_another_gradebook(course, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COLUMNS", "300")
    elsewhere = tmp_path / "elsewhere.db"
    shutil.copy(course.gradebook, elsewhere)
    where = ["--class-dir", str(tmp_path), "--gradebook", f"sqlite:///{elsewhere}"]
    with pytest.raises(SystemExit) as stopped:
        main(["moodle", *where])
    assert stopped.value.code == 0
    assert (
        f"01_block, 02_counting: {tmp_path / 'moodle.csv'}" in capsys.readouterr().out
    )
    assert not (tmp_path / "gradebook.db").exists()
