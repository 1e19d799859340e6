import pytest

from autograder.markers import (
    HIDDEN,
    SOLUTION,
    MarkerError,
    cell_marker,
    fenced,
    full_source,
    letters_of,
    regions,
    student_source,
    unfenced,
)

ANSWER = '''def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION'''

CHECK = """with checking("double", "rows") as check:
    check.equal(double(1), 2, "one")
    ### BEGIN HIDDEN TESTS
    check.hidden()
    check.equal(double(5), 10, "five")
    ### END HIDDEN TESTS"""


def test_a_cell_marker_gives_kind_name_and_options():
    marker = cell_marker({"checks": "double", "points": 2, "lines_to_next_cell": 1})
    assert (marker.kind, marker.name, marker.options) == (
        "checks",
        "double",
        {"points": 2},
    )


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({}, "found none"),
        ({"title": "exercise"}, "found none"),
        ({"given": "a", "demo": "b"}, "found given and demo"),
        ({"incorrectly_encoded_metadata": "given=a"}, "cannot read '# %% the line'"),
        ({"givn": "a"}, "found none in '# %% the line'; write"),
        ({"given": "Set-up"}, "'Set-up' is no cell name"),
        ({"given": True}, "True is no cell name"),
    ],
)
def test_a_cell_without_one_kind_and_a_fit_name_is_refused(metadata, words):
    with pytest.raises(MarkerError, match=words):
        cell_marker(metadata, "# %% the line")


def test_a_solution_becomes_a_stub_that_raises():
    assert student_source(ANSWER).splitlines()[2:] == [
        "    # YOUR CODE HERE",
        "    raise NotImplementedError()",
    ]


def test_the_line_of_a_question_becomes_none_and_keeps_its_form():
    question = (
        "# Your choice\n### BEGIN SOLUTION\n"
        'answer_1 = "b"  # @param ["a", "b"]\n### END SOLUTION'
    )
    assert student_source(question) == (
        '# Your choice\nanswer_1 = None  # @param ["a", "b"]'
    )


@pytest.mark.parametrize(
    "line",
    [
        'answer_1 = "b"',
        'answer_1 = \'b\'  # @param ["a", "b"]',
        "answer_1 = \"b\"  # @param ['a', 'b']",
        'answer_1 = "b" # @param ["a", "b"]',
        'answer_1 = "b"  # @param ["a", "b"]\nx = 1',
    ],
)
def test_the_letters_of_a_question_come_from_its_one_form_line(line):
    question = "# Your choice\n### BEGIN SOLUTION\n{}\n### END SOLUTION"
    right = question.format('answer_1 = "b"  # @param ["a", "b"]')
    assert letters_of(right) == ["a", "b"]
    with pytest.raises(MarkerError, match=r"one line, with double quotes .*# @param"):
        letters_of(question.format(line))


def test_hidden_checks_are_cut_and_the_visible_part_stays():
    assert student_source(CHECK).splitlines() == CHECK.splitlines()[:2]


def test_the_parts_of_a_cell():
    assert fenced(ANSWER, SOLUTION) == ["    return 2 * x"]
    assert fenced(CHECK, HIDDEN)[0].strip() == "check.hidden()"
    assert fenced(CHECK, SOLUTION) == []
    assert unfenced(ANSWER) == ANSWER.splitlines()[:2]
    assert full_source(ANSWER).splitlines() == [
        *ANSWER.splitlines()[:2],
        "    return 2 * x",
    ]


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ("x = 1\n### BEGIN SOLUTION\ny = 2", "never closed", 1),
        ("### END SOLUTION", "without its", 0),
        ("### BEGIN SOLUTION\n### END HIDDEN TESTS", "without its", 1),
        ("### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS", "inside an open region", 1),
        ("### BEGIN SOLUTIONS", "cannot read", 0),
    ],
)
def test_a_broken_region_is_named_with_its_line(source, words, line):
    with pytest.raises(MarkerError, match=words) as caught:
        regions(source)
    assert caught.value.line == line
