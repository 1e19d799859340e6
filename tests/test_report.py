import csv

import pytest
from rich.console import Console

from autograder.grade import CheckResult, Result
from autograder.report import checks_table, class_table, write_csv


def result(student, lesson="01_block", points=1.0, message="", **more):
    checks = (
        CheckResult("attention_check_1", points, 2, message),
        CheckResult("attention_check_2", 0.5, 1, ""),
    )
    return Result(student, lesson, checks, **more)


def rows(results, tmp_path):
    write_csv(results, tmp_path / "grades.csv")
    with (tmp_path / "grades.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


def printed(table):
    console = Console(width=200, record=True, force_terminal=True, file=None)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_a_result_sums_the_points_of_its_checks():
    assert (result("ada").points, result("ada").max_points) == (1.5, 3)


def test_the_csv_has_one_row_a_student(tmp_path):
    results = [
        result("bo", points=2),
        result("ada", "02_train"),
        result("ada", repairs=("One was missing.",), flags=("It peeks.",)),
    ]
    assert rows(results, tmp_path) == [
        ["student", "01_block", "02_train", "total", "notes"],
        ["ada", "1.5", "1.5", "3", "01_block: One was missing. It peeks."],
        ["bo", "2.5", "", "2.5", ""],
    ]


def test_notes_stay_on_one_line_of_the_csv(tmp_path):
    made = rows([result("ada", problem="no\nnotebook,\r\n really")], tmp_path)
    assert made[1][-1] == "01_block: no notebook, really"
    assert len((tmp_path / "grades.csv").read_text().splitlines()) == 2


@pytest.mark.parametrize("start", "=+-@")
def test_a_spreadsheet_takes_no_name_for_a_formula(tmp_path, start):
    assert rows([result(f" {start}1+1")], tmp_path)[1][0] == f"'{start}1+1"


def test_a_result_without_checks_has_no_points(tmp_path):
    lost = Result("ada", "01_block", (), "could not be graded")
    assert rows([lost], tmp_path)[1] == [
        "ada",
        "",
        "0",
        "01_block: could not be graded",
    ]
    assert "–" in printed(class_table([lost]))


def test_the_class_table_shows_points_and_notes():
    table = printed(class_table([result("bo", problem="It is empty."), result("ada")]))
    assert table.index("ada") < table.index("bo")
    assert "1.5 / 3" in table
    assert "It is empty." in table


def test_the_class_table_shows_one_note_and_counts_the_others():
    table = printed(class_table([result("ada", repairs=("One.", "Two.", "Three."))]))
    assert "One. (and 2 more)" in table


def test_flags_stand_in_the_tables_too():
    assert "It peeks." in printed(class_table([result("ada", flags=("It peeks.",))]))
    assert "It peeks." in printed(checks_table(result("ada", flags=("It peeks.",))))


def test_a_flood_of_notes_is_cut(tmp_path):
    flood = result("ada", flags=tuple(f"Flag {n}." for n in range(10_000)))
    assert rows([flood], tmp_path)[1][-1].endswith("Flag 19. (and 9980 more)")


def test_the_table_of_one_file_shows_messages():
    table = printed(checks_table(result("ada", points=0, message="not attempted yet")))
    assert "attention_check_1" in table
    assert "0 / 2" in table
    assert "not attempted yet" in table
    assert "0.5 / 3" in table


@pytest.mark.parametrize("hostile", ["[blink]x[/blink]", "[/]", "[link=evil]x"])
def test_text_of_students_is_not_read_as_markup(hostile):
    assert hostile in printed(checks_table(result("ada", message=hostile)))
    table = printed(checks_table(result("ada", message=hostile, problem=hostile)))
    assert table.count(hostile) == 1  # a problem is told once, not for every check


def test_text_of_students_cannot_rule_the_terminal():
    table = printed(class_table([result("\x1b]0;evil\x07", problem="a\x1b[2Jb")]))
    assert "\x1b]" not in table
    assert "\x1b[2J" not in table
