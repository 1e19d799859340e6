import pytest
from small_lesson import LESSON

from autograder.course import CourseError
from autograder.lesson import read_lesson


def lesson(tmp_path, text=LESSON):
    file = tmp_path / "01_small.py"
    file.write_text(text, encoding="utf-8")
    return read_lesson(file)


def changed(old, new, count=1):
    assert old in LESSON
    return LESSON.replace(old, new, count)


def test_cells_have_kind_id_points_and_line(tmp_path):
    cells = {cell.id: cell for cell in lesson(tmp_path).cells}
    assert cells["setup"].kind == "given"
    assert cells["setup"].collapsed
    assert cells["double"].minutes == 2
    assert cells["double_check_2"].points == 3
    assert cells["text-a-small-lesson"].line == 1
    assert LESSON.splitlines()[cells["double"].line - 1].startswith("# %% exercise")


def test_cells_of_text_under_one_heading_are_numbered(tmp_path):
    text = changed("# Write it.", "# Write it.\n\n# %% [markdown]\n# And again.")
    ids = [cell.id for cell in lesson(tmp_path, text).cells if not cell.is_code]
    assert ids[:3] == ["text-a-small-lesson", "text-doubling", "text-doubling-1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed("points=2", "points=1"), r"sum to 19, not 20"),
        (changed("points=2", "points=4"), r"quick_1_check_1: points=4; use 0, 1"),
        (
            changed('points=3\nwith checking("double", "one")', 'points="3"\nx = ("")'),
            r"double_check_1: points='3'",
        ),
        (changed("minutes=2", "points=2"), r"points belong to check cells"),
        (changed("minutes=2", "speed=2"), r"unknown option speed"),
        (changed('demo="picture"', 'demo="setup"'), r"cell setup: two cells of this"),
        (changed("# ## Quick check", "# ## Doubling"), r"text-doubling: two cells"),
        (
            changed('# %% checks="quick_1" points=2', '# %% demo="other"').replace(
                "### BEGIN HIDDEN TESTS\n    check.hidden()\n    check.choice",
                "check.x",
            ),
            r"END HIDDEN TESTS without",
        ),
        (
            changed(
                "print(double(21))",
                "### BEGIN HIDDEN TESTS\nx = 1\n### END HIDDEN TESTS",
            ),
            r"cell picture: hidden checks outside a check cell",
        ),
        (
            changed("print(double(21))", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"),
            r"cell picture: a solution outside an exercise",
        ),
        (changed("    ### END SOLUTION\n", ""), r"cell double: ### BEGIN SOLUTION is"),
        (
            changed("    ### BEGIN SOLUTION\n", "").replace(
                "    ### END SOLUTION\n", ""
            ),
            r"cell double: no solution",
        ),
        (changed("def double(x)", "def triple(x)"), r"defines no function double"),
        (changed("check.hidden()", "pass"), r"hidden checks must begin with check.hid"),
        (
            changed('# %% question="quick_1"', '# %% question="quick_2"'),
            r"quick_1_check_1: no exercise or question named quick_1 stands before",
        ),
        (changed("minutes=2", "stretch=true"), r"a stretch exercise carries 0 points"),
        (changed('# %% exercise="double" minutes=2', "# %%"), r"found none"),
        (changed('("double", "more")', '("double", "one")'), r'called "double: one"'),
        (
            changed('checking("double", "more")', "open('x')"),
            r"_check_2: no check; add",
        ),
        ("import os\n\n" + LESSON, r"text before the first '# %%' line"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, text, words):
    with pytest.raises(CourseError, match=words):
        lesson(tmp_path, text)


def test_a_syntax_error_is_named_with_its_line(tmp_path):
    text = changed("print(double(21))", "print(double(21)")
    line = text.splitlines().index("print(double(21)") + 1
    with pytest.raises(CourseError, match=rf"line {line}, cell picture: no valid Py"):
        lesson(tmp_path, text)


def test_an_exercise_without_checks_is_named_with_its_line(tmp_path):
    start = LESSON.index('# %% checks="quick_1"')
    text = LESSON[:start] + LESSON[LESSON.index("# %% [markdown]\n# ## More") :]
    line = text.splitlines().index('# %% question="quick_1"') + 1
    with pytest.raises(
        CourseError, match=rf"01_small.py, line {line}, cell quick_1: no check cell"
    ):
        lesson(tmp_path, text)
