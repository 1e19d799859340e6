"""Cells that the build writes, in the small lesson: one execution serves most tests."""

import ast
import json
import re
import shutil

import nbformat
import pytest
from small_lesson import CARDS, add_panels, edit, write_course

from autograder.build import build_lesson
from autograder.course import Course, CourseError
from autograder.freshness import is_built
from autograder.release import release_lesson

NAME = "01_small"
GENERATED = ["quick_1_choices", "cards", "score"]
REASONS = ("No.", "Twice is two times.", "✓", "✗", "because")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small course with generated cells, built."""
    root = tmp_path_factory.mktemp("course")
    write_course(root)
    add_panels(root)
    course = Course.at(root)
    assert build_lesson(course, NAME)
    return course


@pytest.fixture
def copy(course, tmp_path):
    """A built course of its own, for tests that change files."""
    return Course.at(shutil.copytree(course.root, tmp_path / "course"))


def cells(file):
    return {cell.id: cell for cell in nbformat.read(file, as_version=4).cells}


def arguments(cell):
    """The arguments of the one call in a generated cell, as far as they are literal."""
    (statement,) = ast.parse(cell.source).body
    named = (ast.Call, ast.Attribute)  # globals() and checking.outcomes
    parts = [part for part in statement.value.args if not isinstance(part, named)]
    return [ast.literal_eval(part) for part in parts]


def reasons_in(cell):
    """What of a question's reasons stands in a cell, its outputs included."""
    shown = json.dumps(cell, ensure_ascii=False)
    return [word for word in REASONS if word in shown]


def test_the_score_cell_lists_every_check_with_its_points_in_order(course):
    for file in (course.solution(NAME), course.notebook(NAME)):
        (points,) = arguments(cells(file)["score"])
        assert list(points.items()) == [
            ("double: one", 3),
            ("double: more", 3),
            ("quick_1: letter", 2),
            *((f"double: number {n}", 3) for n in (4, 5, 6, 7)),
        ]


def test_the_score_of_the_solution_is_full(course):
    (output,) = cells(course.solution(NAME))["score"].outputs
    assert "20 of 20 points so far" in output.data["text/plain"]


def test_the_choices_explain_themselves_in_the_self_study_edition(course):
    cell = cells(course.notebook(NAME))["quick_1_choices"]
    call = ast.parse(cell.source).body[0].value
    assert arguments(cell) == ["answer_1", "ab"]
    assert {word.arg: ast.literal_eval(word.value) for word in call.keywords} == {
        "because": {"a": "✗ No.", "b": "✓ Twice is two times."}
    }


def test_the_choices_of_the_solution_give_nothing_away(course):
    cell = cells(course.solution(NAME))["quick_1_choices"]
    assert arguments(cell) == ["answer_1", "ab"]
    assert reasons_in(cell) == []


def test_a_release_has_the_generated_cells_and_gives_nothing_away(copy):
    file = release_lesson(copy, NAME)
    found = cells(file)
    assert [name for name in found if name in GENERATED] == GENERATED
    assert arguments(found["quick_1_choices"]) == ["answer_1", "ab"]
    assert reasons_in(found["quick_1_choices"]) == []
    assert "Twice is two times." not in file.read_text()


def test_the_cards_cell_holds_the_cards_of_its_lesson_alone(course):
    for file in (course.solution(NAME), course.notebook(NAME)):
        (pairs,) = arguments(cells(file)["cards"])
        assert pairs == [(card["front"], card["back"]) for card in CARDS[NAME]]
        assert "Of another lesson?" not in file.read_text()


def test_generated_cells_carry_no_metadata_of_nbgrader_and_are_folded(course):
    for file in (course.solution(NAME), course.notebook(NAME)):
        for name in GENERATED:
            metadata = cells(file)[name].metadata
            assert metadata.course == {"kind": "generated"}
            assert "nbgrader" not in metadata
            assert metadata.jupyter.source_hidden


def test_executing_again_gives_the_same_bytes(copy):
    before = copy.solution(NAME).read_bytes(), copy.notebook(NAME).read_bytes()
    assert not build_lesson(copy, NAME, force=True)
    assert before == (
        copy.solution(NAME).read_bytes(),
        copy.notebook(NAME).read_bytes(),
    )


def test_changed_cards_make_the_build_stale_and_reach_the_notebook(copy):
    assert is_built(copy, NAME)
    edit(copy.cards, "Twice x?", "Two times x?")
    assert not is_built(copy, NAME)
    assert build_lesson(copy, NAME)
    assert "Two times x?" in cells(copy.notebook(NAME))["cards"].source
    assert is_built(copy, NAME)


@pytest.mark.parametrize(
    ("old", "new", "cell"),
    [
        ('generated="score"', 'generated="scores"', "scores"),
        ('generated="quick_1_choices"', 'generated="quick_2_choices"', "quick_2_choi"),
        ('generated="quick_1_choices"', 'generated="double_choices"', "double_choices"),
        ('generated="score"', 'generated="advice"', "advice"),  # without a catalogue
    ],
)
def test_a_cell_that_cannot_be_written_is_named_with_what_can_be(copy, old, new, cell):
    edit(copy.source(NAME), old, new)
    before = copy.notebook(NAME).read_bytes()
    line = (
        copy.source(NAME).read_text().splitlines().index(f"# %% {new} collapsed=true")
    )
    with pytest.raises(
        CourseError, match=f"01_small.py, line {line + 1}, cell {cell}.*: nothing can"
    ) as caught:
        build_lesson(copy, NAME)
    for fix in ("advice (with a catalogue", "cards (in cards.json)", "score", "_choi"):
        assert fix in str(caught.value)
    assert copy.notebook(NAME).read_bytes() == before


def test_missing_cards_are_named_with_the_cell_that_asks_for_them(copy):
    edit(copy.cards, NAME, "03_gone")
    line = (
        copy.source(NAME)
        .read_text()
        .splitlines()
        .index('# %% generated="cards" collapsed=true')
    )
    words = f"01_small.py, line {line + 1}, cell cards: .*cards [(]in cards.json[)]"
    with pytest.raises(CourseError, match=words):
        build_lesson(copy, NAME)


def test_a_missing_file_of_cards_is_named(copy):
    copy.cards.unlink()
    with pytest.raises(CourseError, match=re.escape(str(copy.cards))):
        build_lesson(copy, NAME)


def test_a_question_needs_one_line_as_its_answer(copy):
    edit(copy.source(NAME), 'answer_1 = "b"  # @param', 'print()\nanswer_1 = "b"  #')
    with pytest.raises(CourseError, match="cell quick_1: its solution must be one lin"):
        build_lesson(copy, NAME)
