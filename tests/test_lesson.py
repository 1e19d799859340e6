import re

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
        ("import os\n\n" + LESSON, r"line 1, .* text before the first '# %%' line"),
        ("\n" + LESSON, r"line 1, .* text before the first '# %%' line"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, text, words):
    with pytest.raises(CourseError, match=words):
        lesson(tmp_path, text)


LINE = LESSON.splitlines().index('# %% demo="picture"') + 1


@pytest.mark.parametrize(
    "line", ["#%%", "# %%% demo='x'", " # %% demo='x'", "# In[3]:"]
)
def test_a_line_that_looks_like_a_marker_is_quoted_with_its_place(tmp_path, line):
    words = (
        f"01_small.py, line {LINE}, cell number 7: '?\"?{re.escape(line)}.* is no ma"
    )
    with pytest.raises(CourseError, match=words):
        lesson(tmp_path, changed('# %% demo="picture"', line))


def test_a_string_that_is_never_closed_is_told_by_the_cell_it_begins_in(tmp_path):
    text = changed('"""Twice x."""', '"""Twice x.')
    with pytest.raises(CourseError, match=r"line 12, .* over the next '# %%' line; cl"):
        lesson(tmp_path, text)


def test_the_byte_order_mark_of_some_editors_does_no_harm(tmp_path):
    assert lesson(tmp_path, "\ufeff" + LESSON).cells == lesson(tmp_path).cells


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('exercise="double"', "exercise=double"),
        ('exercise="double"', 'exercise="double'),
        ('exercise="double"', 'exercize="double"'),
        ("minutes=2", "minutes=four"),
        ("minutes=2", "stretch"),
        ("minutes=2", "collapsed"),
    ],
)
def test_a_cell_line_that_cannot_be_read_is_quoted(tmp_path, old, new):
    text = changed(old, new)
    line = text.splitlines()[11]
    if new == "stretch":
        line = "stretch=None; use true or false"
    with pytest.raises(CourseError, match=f"01_small.py, line 12, .*{line}"):
        lesson(tmp_path, text)


@pytest.mark.parametrize("value", ['"two"', "2.5", "true", "-2"])
def test_minutes_are_a_whole_number(tmp_path, value):
    with pytest.raises(CourseError, match=r"cell double: minutes=.*; use a whole numb"):
        lesson(tmp_path, changed("minutes=2", f"minutes={value}"))


def test_a_wrong_sum_of_points_lists_the_check_cells(tmp_path):
    with pytest.raises(CourseError) as caught:
        lesson(tmp_path, changed("points=2", "points=1"))
    rows = str(caught.value).splitlines()[1:]
    assert rows[:3] == [
        "  line 19, double_check_1: 3",
        "  line 23, double_check_2: 3",
        "  line 43, quick_1_check_1: 1",
    ]
    assert len(rows) == 7


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('("double", "one")', '("double")', r"cannot read checking\('double'\); give"),
        (
            '("double", "one")',
            '("double", f"one {1}")',
            r"cannot read checking\(.*f'one",
        ),
        ('("double", "one")', '("double", 1)', r"cannot read checking"),
        (
            '("double", "one")',
            '("triple", "one")',
            r"it watches triple; write checking",
        ),
        ('"one") as check', '"one")', "its block must end with: as check"),
        ('check.equal(double(1), 2, "one")', "pass", "this block checks nothing"),
        (
            'check.equal(double(1), 2, "one")',
            "check.hidden()",
            "this block checks noth",
        ),
    ],
)
def test_a_check_that_is_no_check_of_its_cell_is_named(tmp_path, old, new, words):
    with pytest.raises(CourseError, match=rf"double_check_1: {words}"):
        lesson(tmp_path, changed(old, new))


def test_a_check_may_watch_another_function_of_its_exercise(tmp_path):
    text = changed("def double(x)", "def triple(x):\n    return 3 * x\n\ndef double(x)")
    lesson(tmp_path, text.replace('("double", "one")', '("triple", "one")'))


def test_a_check_may_assert_by_itself(tmp_path):
    lesson(tmp_path, changed('check.equal(double(1), 2, "one")', "assert double(1)"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('{"a": "No.", ', "{", "quick_1_check_1: because= gives no reason for a"),
        ('"No."', '""', "quick_1_check_1: because= gives no reason for a"),
        ('"b"]', '"b", "c"]', "quick_1_check_1: because= gives no reason for c"),
        ('"a", "b"]', '"b"]', "quick_1_check_1: because= explains a, which @param"),
        ('{"a": "No.", "b": "Twice is two times."}', "why", "_1: cannot read check.ch"),
        ('{"a"', "{**why, 'a'", "quick_1_check_1: cannot read check.choice"),
        ('  # @param ["a", "b"]', "", "cell quick_1: its solution must be one line"),
        (", because={", ", why={", "cell quick_1: its hidden check does not explain"),
    ],
)
def test_every_letter_of_a_question_needs_a_reason(tmp_path, old, new, words):
    with pytest.raises(CourseError, match=words):
        lesson(tmp_path, changed(old, new))


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
