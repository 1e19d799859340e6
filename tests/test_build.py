"""Building the small lesson of small_lesson.py; one execution serves most tests."""

import json

import nbformat
import pytest
from small_lesson import LESSON, write_course

from autograder.build import build_lesson
from autograder.course import Course, CourseError
from autograder.freshness import is_built

NAME = "01_small"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    write_course(root)
    course = Course.at(root)
    steps = []
    assert build_lesson(course, NAME, lambda done, total: steps.append((done, total)))
    assert steps[-1] == (len(steps), len(steps))
    return course


@pytest.fixture
def copy(course, tmp_path):
    """A built course of its own, for tests that change files."""
    write_course(tmp_path)
    for file in (course.solution(NAME), course.notebook(NAME)):
        target = tmp_path / file.relative_to(course.root)
        target.parent.mkdir(parents=True)
        target.write_bytes(file.read_bytes())
    return Course.at(tmp_path)


def cells(file):
    return {cell.id: cell for cell in nbformat.read(file, as_version=4).cells}


def test_the_solution_holds_answers_hidden_checks_and_outputs(course):
    found = cells(course.solution(NAME))
    assert "return 2 * x" in found["double"].source
    assert "### BEGIN HIDDEN TESTS" in found["double_check_2"].source
    assert found["picture"].outputs[0].text == "42\n"
    assert found["double_check_1"].outputs[0].text == "passed: double, one\n"


def test_the_self_study_edition_holds_stubs_and_folded_solutions(course):
    found = cells(course.notebook(NAME))
    code = "\n".join(c.source for c in found.values() if c.cell_type == "code")
    assert "return 2 * x" not in code
    assert "HIDDEN" not in code and "24690" not in code
    assert "raise NotImplementedError()" in found["double"].source
    assert found["quick_1"].source == 'answer_1 = None  # @param ["a", "b"]'
    assert "return 2 * x" in found["solution-double"].source
    assert "- **b** ✓ Twice is two times." in found["solution-quick_1"].source
    assert "BEGIN" not in found["solution-double"].source
    assert not any(c.get("outputs") for c in found.values())
    ids = list(found)
    assert ids.index("solution-quick_1") == ids.index("quick_1_check_1") + 1


def test_a_folded_solution_stands_behind_the_hints(copy):
    hints = "<details><summary>Hint</summary>\n#\n# Add.\n# </details>"
    copy.source(NAME).write_text(f"{LESSON}\n# %% [markdown]\n# {hints}\n")
    build_lesson(copy, NAME)
    assert list(cells(copy.notebook(NAME)))[-2:] == [
        "text-more-points-1",
        "solution-double",
    ]


def test_cells_carry_nbgrader_metadata_and_the_set_up_is_collapsed(course):
    found = cells(course.solution(NAME))
    check = found["double_check_1"].metadata.nbgrader
    assert (check.grade, check.locked, check.solution, check.points) == (1, 1, 0, 3)
    answer = found["double"].metadata.nbgrader
    assert (answer.grade, answer.locked, answer.solution) == (0, 0, 1)
    assert "nbgrader" not in found["picture"].metadata
    assert found["setup"].metadata.cellView == "form"
    assert found["setup"].metadata.jupyter.source_hidden
    assert "class CheckFailed" in found["setup"].source


def test_check_cells_of_students_let_a_run_of_all_cells_go_on(course):
    student = cells(course.notebook(NAME))["double_check_1"]
    assert student.metadata.tags == ["raises-exception"]
    assert "tags" not in cells(course.solution(NAME))["double_check_1"].metadata


def test_both_notebooks_are_valid(course):
    for file in (course.solution(NAME), course.notebook(NAME)):
        nbformat.validate(nbformat.read(file, as_version=4))


def test_an_untouched_build_is_fresh_and_building_again_changes_nothing(course):
    before = course.solution(NAME).read_bytes(), course.notebook(NAME).read_bytes()
    assert is_built(course, NAME)
    assert not build_lesson(course, NAME)
    assert before == (
        course.solution(NAME).read_bytes(),
        course.notebook(NAME).read_bytes(),
    )


def test_executing_again_gives_the_same_bytes(copy):
    before = copy.solution(NAME).read_bytes()
    assert not build_lesson(copy, NAME, force=True)
    assert copy.solution(NAME).read_bytes() == before


@pytest.mark.parametrize("kind", ["solution", "notebook"])
@pytest.mark.parametrize(
    ("old", "new"), [("Write it.", "Do it."), ("passed", "failed")]
)
def test_a_notebook_edited_by_hand_is_noticed_and_restored(copy, kind, old, new):
    file = getattr(copy, kind)(NAME)
    before = file.read_text()
    if old not in before:
        pytest.fail(f"{kind} does not hold {old!r}")
    file.write_text(before.replace(old, new))
    assert not is_built(copy, NAME)
    assert build_lesson(copy, NAME)
    assert file.read_text() == before


@pytest.mark.parametrize("file", ["lessons/01_small.py", "lessons/support/small.py"])
def test_a_changed_source_makes_the_build_stale(copy, file):
    source = copy.root / file
    source.write_text(source.read_text() + "\n# more\n")
    assert not is_built(copy, NAME)


def test_changed_words_keep_the_outputs_without_running_anything(copy):
    source = copy.source(NAME)
    source.write_text(source.read_text().replace("minutes=2", "minutes=3"))
    steps = []
    assert build_lesson(copy, NAME, lambda done, total: steps.append(done))
    assert steps == []
    assert cells(copy.solution(NAME))["picture"].outputs[0].text == "42\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("print(double(21))", "print(1 / 0)", "cell picture: it fails:(.|\n)*ZeroDiv"),
        (
            "print(double(21))",
            "import sys; print('oh', file=sys.stderr)",
            "cell picture: it writes to stderr:\noh",
        ),
        (
            "print(double(21))",
            "object()",
            "cell picture: its output shows <object at 0x",
        ),
        (
            "support.small",
            "support.gone",
            "line 6, cell setup: lessons/support/gone.py",
        ),
        (", because={", ", why={", "cell quick_1: its hidden check does not explain"),
    ],
)
def test_a_fault_is_named_and_nothing_is_written(copy, old, new, words):
    source = copy.source(NAME)
    assert old in LESSON
    source.write_text(LESSON.replace(old, new).replace("return 2 * x", "return x + x"))
    before = copy.solution(NAME).read_bytes()
    with pytest.raises(CourseError, match=words):
        build_lesson(copy, NAME)
    assert copy.solution(NAME).read_bytes() == before


def test_badges_come_from_one_setting(copy):
    pyproject = copy.root / "pyproject.toml"
    pyproject.write_text('[tool.transformer-by-hand]\nrepository = "school/course"\n')
    assert not is_built(copy, NAME)
    build_lesson(copy, NAME)
    first = json.loads(copy.notebook(NAME).read_text())["cells"][0]
    assert "/github/school/course/blob/main/notebooks/01_small.ipynb" in "".join(
        first["source"]
    )


def test_a_course_is_found_from_a_folder_inside_it(copy):
    assert Course.find(copy.lessons / "support").root == copy.root
    assert copy.chosen(None) == [NAME]
    with pytest.raises(CourseError, match=r'no lesson "02_gone"\. Known: 01_small'):
        copy.chosen(["02_gone"])


def test_a_folder_that_is_no_course_is_refused(tmp_path):
    with pytest.raises(CourseError, match="is no course: it has no folder lessons/"):
        Course.find(tmp_path)
