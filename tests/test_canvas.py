import csv
import shutil

import pytest
from graded_class import BLOCK, COUNTING, write_class

from autograder.canvas import read_export, write_canvas
from autograder.cli import main
from autograder.course import Course, CourseError

HEAD = "Student,ID,SIS User ID,SIS Login ID,Section"
POSSIBLE = '"    Points Possible",,,,'
STUDENTS = (
    '"Doe, Jane ""JD""",11,1001,jdoe,"Group A, Monday"',
    '"Lovelace, Ada",12,1002,al@x.edu,Group B',
    "=Formula,13,1003,+form,@Group",
    '"Straße, Zoë",77,1004,zoe,Group A',
    '"Late, Comer",15,1005,LATE,Group A',
    '"No, Grade",16,1006,nograde,Group A',
    '"Student, Test",17,,9f86d081884c7d65,Group A',
)


def export_text(heads=(), cells=None, possible=(), students=STUDENTS):
    """A gradebook export with more columns: `heads`, and their cells of each row."""
    cells = cells or {}
    more = ["", *heads]
    lines = [HEAD + ",".join(more), POSSIBLE + ",".join(["", *possible])]
    empty = [""] * len(heads)
    for number, student in enumerate(students):
        lines.append(student + ",".join(["", *cells.get(number, empty)]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return write_class(tmp_path_factory.mktemp("course"))


@pytest.fixture
def written(course, tmp_path):
    """written(text, *columns) → what became of it, and the rows of the file"""

    def write(text, *columns, encoding="utf-8"):
        file = tmp_path / "export.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        output = tmp_path / "import.csv"
        made = write_canvas(course, file, output, columns)
        with output.open(encoding="utf-8", newline="") as opened:
            return made, list(csv.reader(opened, strict=True))

    return write


def test_a_real_export_becomes_a_file_that_canvas_takes(written):
    lines = export_text(
        ["Notes", "01_block (4711)", "Homework 1 (4712)", "Final Score"],
        {0: ['"hard, but fair"', "", "3", "4"], 4: ["", "1.00", "EX", "5"]},
        ["", "20.00", "30.00", "(read only)"],
    ).splitlines()
    muted = ",,,,,,Manual Posting,,,"  # Canvas may add a cell here
    text = "\n".join([lines[0], muted, *lines[1:]])
    made, rows = written(text, encoding="utf-8-sig")
    who = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert rows == [
        [*who, "01_block (4711)", "02_counting"],
        ["    Points Possible", "", "", "", "", "20.00", "20"],
        ["=Formula", "13", "1003", "+form", "@Group", "", "0"],
        ["Straße, Zoë", "77", "1004", "zoe", "Group A", "12", ""],
        ['Doe, Jane "JD"', "11", "1001", "jdoe", "Group A, Monday", "15", "7.5"],
        ["Late, Comer", "15", "1005", "LATE", "Group A", "14", ""],
        ["Lovelace, Ada", "12", "1002", "al@x.edu", "Group B", "20", ""],
    ]
    assert (made.students, list(made.lessons)) == (5, [BLOCK, COUNTING])
    assert made.notes == [
        "02_counting: no column in the export; Canvas makes a new assignment."
    ]
    assert made.left_out == ["ghost: not in export.csv"]


def test_the_file_is_utf8_without_a_mark_and_has_no_line_for_others(written, tmp_path):
    written(export_text())
    data = (tmp_path / "import.csv").read_bytes()
    assert data.startswith(b"Student,ID")
    assert "Straße".encode() in data
    assert b"Test" not in data
    assert b"nograde" not in data


def test_a_column_can_be_named(written):
    text = export_text(["01_block (1)", "Homework 1 =x (47)"], possible=["20", "20"])
    _, rows = written(text, f"{BLOCK}=Homework 1 =x (47)")
    assert rows[0][5:] == ["Homework 1 =x (47)", COUNTING]


def test_a_cell_without_a_grade_keeps_what_canvas_has(written):
    cells = {1: ["EX"], 3: ["8.25"], 2: ["4"]}
    _, rows = written(export_text(["02_counting (5)"], cells, ["20"]))
    counting = {row[1]: row[6] for row in rows[2:]}
    assert counting == {"11": "7.5", "12": "EX", "13": "0", "15": "", "77": "8.25"}


@pytest.mark.parametrize("possible", ["100.00", "", "19,5"])
def test_a_lesson_with_other_points_in_canvas_is_left_out(written, possible):
    cells = {0: ["EX", "1"]}
    heads = ["01_block (5)", "02_counting (6)"]
    made, rows = written(export_text(heads, cells, [f'"{possible}"', "20"]))
    assert rows[0][5:] == ["02_counting (6)"]
    # nobody who has a grade for the other lesson alone
    assert [(row[1], row[5]) for row in rows[2:]] == [("13", "0"), ("11", "7.5")]
    assert (made.students, made.lessons, made.notes) == (2, [COUNTING], [])
    assert made.skipped == [
        f"01_block is left out: it has 20 points here, and {possible or 'none'} in "
        "Canvas. Set 20 in Canvas, export again, and run this command again."
    ]


def test_points_with_a_decimal_comma_are_the_same_points(written):
    made, rows = written(export_text(["01_block (5)"], possible=['"20,00"']))
    assert (made.skipped, rows[1][5]) == ([], "20,00")


@pytest.mark.parametrize(
    ("rows", "left_out"),
    [
        (['"Doe, Jane",1,2,jdoe,A', '"Doe, John",3,4,JDoe,A'], "fits more than one"),
        (['"Doe, Jane",1,2,jdoe,A', '"Roe, Jo",jdoe,4,jroe,A'], "fits more than one"),
        (['"J, Doe",1,2,x,A', '"JD, oe",3,4,y,A'], "(J, Doe; JD, oe)"),
        (['"Lovelace, Ada",77,2,jdoe,A'], "not the only one who fits Lovelace, Ada"),
        (['"Doe, J",1,2,jdoe2,A'], "not in export.csv"),
    ],
)
def test_whoever_is_not_sure_is_left_out(written, rows, left_out):
    sure = '"Comer, Late",15,1005,late,A'
    made, table = written(export_text(students=[*rows, sure]))
    if "J, Doe" in left_out:
        assert "jdoe: fits more than one (J, Doe; JD, oe)" in made.left_out
    assert any(text.startswith("jdoe: ") and left_out in text for text in made.left_out)
    assert [row[0] for row in table[2:]] == ["Comer, Late"]


def test_of_two_students_of_one_name_each_gets_the_own_grade(tmp_path):
    two = ['"Doe, Jane",11,1,jd1,A', '"Doe, Jane",12,2,jd2,A']
    points = {"DoeJane-11": 4, "DoeJane-12": 5, "DoeJane": 6, "DoeJane-13": 7, "x-1": 8}
    course = write_class(
        tmp_path / "c", {n: {BLOCK: (p, 0)} for n, p in points.items()}
    )
    file, output = tmp_path / "e.csv", tmp_path / "out.csv"
    file.write_text(export_text(students=two), encoding="utf-8")
    assert write_canvas(course, file, output).left_out == [
        "DoeJane: fits more than one (Doe, Jane; Doe, Jane)",
        "DoeJane-13: fits by name alone (Doe, Jane; Doe, Jane)",
        "x-1: not in e.csv",
    ]
    with output.open(encoding="utf-8", newline="") as text:
        assert [row[1::4] for row in csv.reader(text)][2:] == [["11", "4"], ["12", "5"]]


def test_accents_stored_in_another_way_are_the_same_name(tmp_path):
    # as macOS has it in the names of files: e, then the two dots
    course = write_class(tmp_path / "c", {"zoe\u0308": {BLOCK: (1, 1)}})
    file = tmp_path / "e.csv"
    file.write_text(export_text(students=["x,1,2,zo\u00eb,A"]), encoding="utf-8")
    assert write_canvas(course, file, tmp_path / "out.csv").students == 1


def test_the_lines_above_the_students_are_no_students(tmp_path):
    file = tmp_path / "export.csv"
    lines = export_text(students=["x,1,2,y,A"]).splitlines()
    file.write_text("\n".join([lines[0], "Muted,,,,", *lines[1:]]), encoding="utf-8")
    assert [person.name for person in read_export(file).people] == ["x"]


def test_first_and_last_names_may_have_a_column_each(written):
    text = "LastName,FirstName,ID,SIS Login ID,Section\nPoints Possible,,,,\n"
    _, rows = written(text + "Lovelace,Ada,5,al,A\n")
    assert rows[2] == ["Lovelace", "Ada", "5", "al", "A", "20", ""]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n,,\n", "is empty"),
        ("name,points\nada,3\n", "is no gradebook export of Canvas"),
        (HEAD.replace(",ID", ",Id2") + "\n", "is no gradebook export of Canvas"),
        (HEAD + "\nada,1,2,3,4\n", "needs one row Points Possible"),
        (export_text().replace(",", ";"), "by semicolons or tabs"),
        (b"PK\x03\x04 a workbook", "is an Excel file"),
        (b"\xd0\xcf\x11\xe0 an old one", "is an Excel file"),
        (export_text().encode("utf-16"), "not UTF-8"),
        (export_text().encode("latin-1"), "line 6: this is not UTF-8"),
        (export_text() + "Doe, Jane,1,2,3,4,5\n", "must stand in quotes"),
        (export_text() + '"open,1,2,3,4\n', "this is no CSV"),
        (export_text() + "x\0,1,2,3,4\n", "zero bytes"),
    ],
)
def test_what_is_no_export_gets_the_fix(written, text, words):
    with pytest.raises(CourseError) as raised:
        written(text)
    assert words in str(raised.value)
    assert "In Canvas take Grades, Export" in str(raised.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["01_block"], 'write LESSON="COLUMN"'),
        (["09_none=A (1)"], "LESSON is one of 01_block, 02_counting"),
        (["01_block=B (1)"], 'has no assignment "B (1)". It has: 01_block (1), 01_b'),
        (["01_block=Final Score"], 'has no assignment "Final Score"'),
        (["01_block=Section"], 'has no assignment "Section"'),
        (["01_block=A (3)", "02_counting=A (3)"], "Two lessons would go into"),
        ([], "01_block fits more than one column: 01_block (1), 01_block (2). Choose"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(written, columns, words):
    heads = ["01_block (1)", "01_block (2)", "A (3)", "Final Score"]
    with pytest.raises(CourseError) as raised:
        written(export_text(heads, possible=["1", "1", "1", "(read only)"]), *columns)
    assert words in str(raised.value)


def test_a_name_that_is_only_like_a_lesson_is_another_assignment(written):
    heads = ["01_block bonus (1)", "1_block (2)", "01_Block (3)", "01_block (x)"]
    _, rows = written(export_text(heads, possible=["1"] * 4))
    assert rows[0][5:] == [BLOCK, COUNTING]


@pytest.fixture
def run(course, monkeypatch, capsys, tmp_path):
    """run("export.csv", …) → exit status, stdout, stderr"""
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COLUMNS", "300")

    def command(text, *arguments):
        file = tmp_path / "export.csv"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit) as stopped:
            main(["canvas", str(file), *arguments])
        return stopped.value.code, *capsys.readouterr()

    return command


def test_the_command_gives_1_when_somebody_is_not_in_the_export(run, course):
    status, out, _ = run(export_text())
    assert status == 1
    assert "ghost: not in export.csv" in out
    assert "5 students, 01_block, 02_counting: class/canvas.csv" in out
    assert "1 student with grades is left out" in out
    assert (course.class_dir / "canvas.csv").is_file()


def test_the_command_gives_0_when_everybody_is_there(run, tmp_path):
    ghost = "Ghost,99,,ghost,A"
    output = tmp_path / "mine.csv"
    status, out, err = run(
        export_text(["Homework 1 (9)"], possible=["20"], students=[*STUDENTS, ghost]),
        *("--output", str(output), "--column", "01_block=Homework 1 (9)"),
    )
    assert (status, err) == (0, "")
    assert f"6 students, 01_block, 02_counting: {output}" in out
    assert "Homework 1 (9)" in output.read_text(encoding="utf-8")


def test_the_command_gives_1_when_a_lesson_is_left_out(run, tmp_path):
    everybody = [*STUDENTS, "Ghost,99,,ghost,A"]
    heads, output = ["01_block (5)", "02_counting (6)"], tmp_path / "mine.csv"

    def told(*possible):
        text = export_text(heads, possible=possible, students=everybody)
        return run(text, "--output", str(output))

    status, out, _ = told("10", "10")
    assert status == 1
    assert "No lesson is left, so no file was written." in out
    assert "2 lessons are left out, see above." in out
    assert not output.exists()
    status, out, _ = told("20", "10")
    assert status == 1
    assert "02_counting is left out: it has 20 points here, and 10 in Canvas" in out
    assert f"5 students, 01_block: {output}" in out
    assert "1 lesson is left out, see above." in out
    assert told("20", "20")[0] == 0


def test_one_student_is_no_students(run):
    _, out, _ = run(export_text(students=STUDENTS[:1]))
    assert "1 student, 01_block, 02_counting: " in out


def test_the_folder_of_the_output_is_made(run, course):
    status, out, _ = run(export_text(), "--output", "new/folder/x.csv")
    assert status == 1
    assert "01_block, 02_counting: new/folder/x.csv" in out
    assert (course.root / "new" / "folder" / "x.csv").is_file()


def test_no_file_is_written_when_nobody_fits(run, tmp_path):
    output = tmp_path / "mine.csv"
    status, out, _ = run(export_text(students=["x,1,2,y,A"]), "--output", str(output))
    assert status == 1
    assert "No student could be matched, so no file was written." in out
    assert not output.exists()


def test_the_command_does_not_write_over_the_export(run, tmp_path):
    status, _, err = run(export_text(), "--output", str(tmp_path / "export.csv"))
    assert status == 2
    assert "is the export itself" in err
    assert (tmp_path / "export.csv").read_text(encoding="utf-8") == export_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--output", "file/x.csv"],
            "file/x.csv cannot be written (File exists)",
        ),
        (
            ["--class-dir", "other"],
            "other/gradebook.db. Grade first: autograder grade FOLDER, or give the "
            "class with --class-dir, or give the --gradebook you graded into.",
        ),
        (
            ["--gradebook", "sqlite:///empty.db"],
            "The gradebook of --gradebook holds no grade. Grade first: autograder "
            "grade FOLDER, or give the class with --class-dir.",
        ),
    ],
)
def test_a_mistake_gives_one_line_and_status_2(run, course, arguments, words):
    (course.root / "file").touch()
    status, _, err = run(export_text(), *arguments)
    assert status == 2
    assert words in err
    assert not (course.root / "other").exists()


def test_the_grades_may_lie_in_another_gradebook(run, course, tmp_path):
    elsewhere, output = tmp_path / "elsewhere.db", tmp_path / "canvas.csv"
    shutil.copy(course.gradebook, elsewhere)
    where = ["--class-dir", str(tmp_path), "--gradebook", f"sqlite:///{elsewhere}"]
    status, out, err = run(export_text(), *where)
    assert (status, err) == (1, "")  # "ghost" is in no export
    assert f"5 students, 01_block, 02_counting: {output}" in out
    assert not (tmp_path / "gradebook.db").exists()


def test_a_gradebook_without_grades_is_told(tmp_path):
    course = write_class(tmp_path, {"ada": {BLOCK: (None, None)}})
    (tmp_path / "e.csv").write_text(export_text(), encoding="utf-8")
    with pytest.raises(CourseError, match="holds no grade"):
        write_canvas(Course.at(course.root), tmp_path / "e.csv", tmp_path / "out.csv")


def test_an_export_that_is_not_there_is_told(course, tmp_path):
    with pytest.raises(CourseError, match=r"cannot be read \(No such file"):
        write_canvas(course, tmp_path / "no.csv", tmp_path / "out.csv")
    with pytest.raises(CourseError, match=r"cannot be read \(Is a directory"):
        write_canvas(course, tmp_path, tmp_path / "out.csv")
