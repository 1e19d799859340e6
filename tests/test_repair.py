"""Repair: every course cell comes back, every answer stays with its author."""

import copy
import json
import time

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator

from autograder.definitions import added
from autograder.reading import read_notebook
from autograder.repair import SKIP, repair

NORM_STUB = "def layer_norm(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
ATTENTION_STUB = NORM_STUB.replace("layer_norm", "attention")
NORM = "def layer_norm(x):\n    return x - x.mean()"
ATTENTION = "def attention(x):\n    return x"
QUESTION = 'answer_1 = None  # @param ["a", "b"]'
CHECK = 'with checking("{}", "one") as check:\n    check.equal({}, {})'
ANSWERS = {"layer_norm": NORM, "attention": ATTENTION, "quick_1": 'answer_1 = "b"'}


def cell_of(kind, cell_id, source, points=None):
    """A released cell with the metadata that nbgrader and the build give it."""
    if kind == "markdown":
        cell = nbformat.v4.new_markdown_cell(source, id=cell_id)
    else:
        cell = nbformat.v4.new_code_cell(source, id=cell_id)
    cell.metadata["course"] = {"kind": kind}
    if kind in ("given", "exercise", "question", "checks"):
        cell.metadata["nbgrader"] = {
            "grade": kind == "checks",
            "solution": kind in ("exercise", "question"),
            "locked": kind in ("given", "checks"),
            "task": False,
            "grade_id": cell_id,
            "schema_version": 3,
            "cell_type": "code",
        }
    if kind == "checks":
        cell.metadata["nbgrader"]["points"] = points
        cell.metadata["tags"] = ["raises-exception"]
    return cell


def released_lesson():
    cells = [
        cell_of("markdown", "text-start", "# A lesson"),
        cell_of("given", "setup", "import torch"),
        cell_of("markdown", "text-norm", "## Norm"),
        cell_of("exercise", "layer_norm", NORM_STUB),
        cell_of("checks", "layer_norm_check_1", CHECK.format("layer_norm", 1, 1), 1),
        cell_of("checks", "layer_norm_check_2", CHECK.format("layer_norm", 2, 2), 2),
        cell_of("demo", "norm_plot", "plot(layer_norm)"),
        cell_of("markdown", "text-attention", "## Attention"),
        cell_of("exercise", "attention", ATTENTION_STUB),
        cell_of("checks", "attention_check_1", CHECK.format("attention", 3, 3), 3),
        cell_of("question", "quick_1", QUESTION),
        cell_of("checks", "quick_1_check_1", CHECK.format("quick_1", 4, 4), 0),
        cell_of("markdown", "text-end", "The end"),
    ]
    metadata = {"course": {"lesson": "01_block"}, "kernelspec": PYTHON}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}
RELEASED = released_lesson()
IDS = [cell.id for cell in RELEASED.cells]


def handed_in(**answers):
    """The released notebook with answers filled in; all of them by default."""
    notebook = released_lesson()
    for cell in notebook.cells:
        cell.source = (answers or ANSWERS).get(cell.id, cell.source)
    return notebook


def place(notebook, cell_id):
    return next(n for n, cell in enumerate(notebook.cells) if cell.id == cell_id)


def cell_in(notebook, cell_id):
    return notebook.cells[place(notebook, cell_id)]


def code(source, cell_id="new", **metadata):
    return nbformat.v4.new_code_cell(source, id=cell_id, metadata=metadata)


def copied(cell, cell_id, **changes):
    return NotebookNode({**copy.deepcopy(cell), "id": cell_id, **changes})


def stripped(notebook):
    """As some site might save it: no ids, no metadata."""
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", NotebookNode()
    return notebook


def checked_repair(notebook):
    """Repair, and what must hold for every repaired notebook."""
    before = copy.deepcopy(RELEASED)
    repaired = repair(notebook, RELEASED)
    assert before == RELEASED
    result = repaired.notebook
    nbformat.validate(result)
    MetadataValidator().validate_nb(result)
    assert [cell.id for cell in result.cells if cell.id in IDS] == IDS
    for cell, released in zip(
        (cell for cell in result.cells if cell.id in IDS), RELEASED.cells, strict=True
    ):
        nbgrader = cell.metadata.get("nbgrader")
        assert nbgrader == released.metadata.get("nbgrader")
        assert cell.cell_type == released.cell_type
        if not (nbgrader and nbgrader["solution"]):
            assert cell.source == released.source
    assert result.metadata == RELEASED.metadata
    return repaired


def answers_in(repaired):
    return {i: cell_in(repaired.notebook, i).source for i in ANSWERS}


def order_in(repaired):
    """Ids of the course cells and sources of the additional cells, in order."""
    cells = repaired.notebook.cells
    return [cell.id if cell.id in IDS else cell.source for cell in cells]


def test_an_untouched_release_comes_back_with_only_the_skip_tags_added():
    repaired = checked_repair(released_lesson())
    assert repaired.repairs == ()
    expected = released_lesson()
    cell_in(expected, "norm_plot").metadata["tags"] = [SKIP]
    assert repaired.notebook == expected


def test_an_honest_hand_in_needs_no_repair_and_keeps_its_cells_in_place():
    notebook = handed_in()
    notebook.cells.insert(place(notebook, "layer_norm"), code("import math"))
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell("My name", id="mine"))
    notebook.cells.append(code("layer_norm(1)", "last"))
    cell_in(notebook, "norm_plot").source = "plot(layer_norm, colour='red')"
    cell_in(notebook, "text-end").source = "The end, with my remarks"
    repaired = checked_repair(notebook)
    assert repaired.repairs == ()
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == [
        "My name",
        *IDS[:3],
        "import math",
        *IDS[3:],
        "layer_norm(1)",
    ]


def test_additional_cells_get_fresh_ids_and_lose_what_a_site_put_on_them():
    notebook = handed_in()
    mine = code("1", "aB3_x", id="aB3_x", executionInfo={"status": "ok"}, tags=[SKIP])
    mine.outputs = [nbformat.v4.new_output("stream", text="1")]
    mine.execution_count = 7
    notebook.cells.append(mine)
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    notebook.metadata["colab"] = {"provenance": []}
    repaired = checked_repair(notebook)
    assert repaired.repairs == ()
    assert repaired.notebook.cells[-1] == code("1", "extra-1")


def test_outputs_and_execution_counts_are_cleared():
    notebook = handed_in()
    released = released_lesson()
    for cell in (cell_in(notebook, "layer_norm"), cell_in(released, "setup")):
        cell.outputs = [nbformat.v4.new_output("stream", text="1")]
        cell.execution_count = 3
    for cell in repair(notebook, released).notebook.cells:
        assert cell.cell_type != "code" or (cell.outputs, cell.execution_count) == (
            [],
            None,
        )


def test_a_solution_notebook_is_a_flag_for_the_teacher_and_no_repair():
    notebook = handed_in()
    secret = "### BEGIN HIDDEN TESTS\nassert layer_norm(2)\n### END HIDDEN TESTS"
    for name in ("layer_norm_check_1", "attention_check_1"):
        cell_in(notebook, name).source += f"\n{secret}"
    flags = ("It holds hidden checks, which only the solution notebook has.",)
    repaired = checked_repair(notebook)
    assert (repaired.repairs, repaired.flags) == ((), flags)
    cell_in(notebook, "attention_check_1").source += "\nprint('mine')"
    cell_in(notebook, "layer_norm_check_2").source += "\n### BEGIN HIDDEN TESTS"
    repaired = checked_repair(notebook)
    changed = (
        "2 check cells were changed and were restored: layer_norm_check_2 and "
        "attention_check_1.",
    )
    assert (repaired.repairs, repaired.flags) == (changed, flags)


def test_no_other_notebook_has_a_flag():
    assert checked_repair(handed_in()).flags == ()
    assert checked_repair(stripped(handed_in())).flags == ()


def raw(cell):
    cell.cell_type = "raw"


def renamed(cell):
    cell.metadata["nbgrader"]["schema_version"] = 1


def prose(cell):
    cell.cell_type, cell.source = "markdown", "I could not do this one."


def changed(cell):
    cell.source = "pass"


def with_an_import(cell):
    cell.source += "\nimport math"


CHECK_IDS = "layer_norm_check_1, layer_norm_check_2 and 2 more."
ANSWER_IDS = "layer_norm, attention and quick_1."
EMPTY = (f"3 answer cells were missing; empty ones were put back: {ANSWER_IDS}",)


@pytest.mark.parametrize(
    ("change", "cells", "said"),
    [
        (raw, "check", "4 check cells had been made raw cells and were restored"),
        (changed, "check", "4 check cells were changed and were restored"),
        (
            with_an_import,
            "check",
            "4 check cells were changed and restored, and imports and functions that "
            "were added to them were kept",
        ),
        (renamed, "check", "The grading metadata of 4 check cells was restored"),
        (renamed, "answer", "The grading metadata of 3 answer cells was restored"),
        (
            raw,
            "answer",
            "3 answer cells had been made raw cells and were made code again",
        ),
        (
            prose,
            "answer",
            "3 answer cells had been made markdown cells; they are no Python and were "
            "kept as text",
        ),
    ],
)
def test_the_same_change_of_many_cells_is_one_repair(change, cells, said):
    notebook = handed_in()
    for cell in notebook.cells:
        own = "nbgrader" in cell.metadata and cell.id != "setup"
        if own and ("check" in cell.id) == (cells == "check"):
            change(cell)
    repairs = checked_repair(notebook).repairs
    assert repairs[0] == f"{said}: {CHECK_IDS if cells == 'check' else ANSWER_IDS}"
    assert repairs[1:] == (EMPTY if change is prose else ())


def test_many_copies_are_one_repair_each():
    notebook = handed_in()
    for cell in [c for c in notebook.cells if "nbgrader" in c.metadata]:
        notebook.cells.append(copied(cell, f"{cell.id}-2"))
    assert checked_repair(notebook).repairs == (
        "A copy of the given cell setup was dropped.",
        f"3 answers had more than one cell; one of each counts: {ANSWER_IDS}",
        f"Copies of 4 check cells were dropped: {CHECK_IDS}",
    )


def test_answers_in_additional_cells_are_one_repair():
    notebook = released_lesson()
    for number, name in enumerate(("layer_norm", "attention")):
        at = place(notebook, name) + 1
        notebook.cells.insert(at, code(ANSWERS[name], f"own-{number}"))
    assert checked_repair(notebook).repairs == (
        "2 answers stood in additional cells and were moved to their own: layer_norm "
        "and attention.",
    )


def test_many_answers_in_one_cell_are_one_repair():
    notebook = handed_in()
    cell_in(notebook, "layer_norm").source = f"{NORM}\n{ATTENTION}\nanswer_1 = 'b'"
    for name in ("attention", "quick_1"):
        del notebook.cells[place(notebook, name)]
    assert checked_repair(notebook).repairs == (
        "2 answers stand in other answer cells: attention and quick_1.",
    )


def test_answers_that_are_known_by_their_places_are_one_repair():
    notebook = stripped(handed_in())
    for name in ("layer_norm", "attention"):
        notebook.cells[place(RELEASED, name)].source = "def mine(x:\n    return x"
    assert checked_repair(notebook).repairs[0] == (
        "2 answers were recognised by their places: layer_norm and attention."
    )


@pytest.mark.parametrize("cell_id", ["layer_norm_check_2", "attention_check_1"])
def test_a_deleted_check_cell_is_put_back(cell_id):
    notebook = handed_in()
    del notebook.cells[place(notebook, cell_id)]
    repaired = checked_repair(notebook)
    assert repaired.repairs == (
        f"The check cell {cell_id} was missing and was put back.",
    )
    assert answers_in(repaired) == ANSWERS


def test_deleted_text_and_demo_cells_come_back_without_a_remark():
    notebook = handed_in()
    for cell_id in ("text-norm", "norm_plot", "text-attention"):
        del notebook.cells[place(notebook, cell_id)]
    assert checked_repair(notebook).repairs == ()


def test_a_deleted_answer_cell_becomes_the_stub():
    notebook = handed_in()
    del notebook.cells[place(notebook, "attention")]
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS | {"attention": ATTENTION_STUB}
    assert repaired.repairs == (
        "The answer cell attention was missing; an empty one was put back.",
    )


def test_a_changed_check_cell_is_restored():
    notebook = handed_in()
    cell_in(notebook, "attention_check_1").source = "pass"
    assert checked_repair(notebook).repairs == (
        "The check cell attention_check_1 was changed and was restored.",
    )


def test_a_changed_given_cell_is_restored():
    notebook = handed_in()
    cell_in(notebook, "setup").source += "\ntorch.allclose = lambda *a: True"
    assert checked_repair(notebook).repairs == (
        "The given cell setup was changed and was restored.",
    )


@pytest.mark.parametrize("kind", ["raw", "markdown"])
def test_a_check_cell_of_another_type_is_restored(kind):
    notebook = handed_in()
    at = place(notebook, "attention_check_1")
    turned = copied(notebook.cells[at], "attention_check_1", cell_type=kind)
    del turned["outputs"], turned["execution_count"]
    notebook.cells[at] = turned
    assert checked_repair(notebook).repairs == (
        f"The check cell attention_check_1 had been made a {kind} cell "
        "and was restored.",
    )


@pytest.mark.parametrize("kind", ["raw", "markdown"])
def test_an_answer_cell_of_another_type_is_made_code_again(kind):
    notebook = handed_in()
    cell_in(notebook, "attention").cell_type = kind
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert repaired.repairs == (
        f"The answer cell attention had been made a {kind} cell "
        "and was made code again.",
    )


def test_an_answer_cell_that_became_prose_is_kept_as_text():
    notebook = handed_in()
    cell = cell_in(notebook, "attention")
    cell.cell_type, cell.source = "markdown", "I could not do this one."
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["attention"] == ATTENTION_STUB
    assert "I could not do this one." in order_in(repaired)
    assert repaired.repairs == (
        "The answer cell attention had been made a markdown cell; it is no Python "
        "and was kept as text.",
        "The answer cell attention was missing; an empty one was put back.",
    )


def test_changed_grading_metadata_is_restored():
    notebook = handed_in()
    cell_in(notebook, "attention_check_1").metadata["nbgrader"]["points"] = 100
    cell_in(notebook, "attention").metadata["nbgrader"] = "none"
    assert checked_repair(notebook).repairs == (
        "The grading metadata of the answer cell attention was restored.",
        "The grading metadata of the check cell attention_check_1 was restored.",
    )


def test_cells_without_ids_and_metadata_are_recognised_by_their_text():
    notebook = stripped(handed_in())
    notebook.cells[6].source += "  \n"  # white space does not matter
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == IDS
    assert repaired.repairs == (
        "8 cells without their ids were recognised by their text.",
    )


def test_a_cell_that_colab_renamed_is_known_by_the_id_in_its_metadata():
    notebook = stripped(handed_in())
    for cell, cell_id in zip(notebook.cells, IDS, strict=True):
        cell.metadata["id"] = cell_id
    assert checked_repair(notebook).repairs == ()


def test_swapped_ids_do_not_swap_answers():
    notebook = handed_in()
    one, two = cell_in(notebook, "layer_norm"), cell_in(notebook, "attention")
    one.source, two.source = two.source, one.source
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert (
        "2 answers stood in other course cells and were moved to their own: "
        "layer_norm and attention." in repaired.repairs
    )


def test_renamed_grade_ids_are_restored():
    notebook = handed_in()
    for cell_id in ("layer_norm", "layer_norm_check_1"):
        cell = cell_in(notebook, cell_id)
        cell.metadata["nbgrader"]["grade_id"] = cell.id = f"my-{cell_id}"
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert repaired.repairs == (
        "The grading metadata of the answer cell layer_norm was restored.",
        "The grading metadata of the check cell layer_norm_check_1 was restored.",
        "2 cells without their ids were recognised by their text.",
    )


def test_copies_of_locked_cells_are_dropped():
    notebook = handed_in()
    check = cell_in(notebook, "attention_check_1")
    notebook.cells += [copied(check, "a"), copied(check, "b")]
    notebook.cells.append(copied(cell_in(notebook, "setup"), "c", metadata={}))
    repaired = checked_repair(notebook)
    assert order_in(repaired) == IDS
    assert repaired.repairs == (
        "A copy of the given cell setup was dropped.",
        "2 copies of the check cell attention_check_1 were dropped.",
    )


def test_the_last_filled_copy_of_an_answer_counts_and_earlier_ones_stay_before_it():
    notebook = handed_in()
    at = place(notebook, "attention")
    first = "def helper(): ...\n\ndef attention(x):\n    return None"
    notebook.cells[at].source = first
    own = notebook.cells[at]
    notebook.cells[at + 2 : at + 2] = [
        copied(own, "two", source=ATTENTION),
        copied(own, "three", source=ATTENTION_STUB),
    ]
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == [*IDS[:8], first, *IDS[8:]]
    assert repaired.repairs == (
        "There were 3 answer cells for attention; one of them counts.",
    )


def test_an_equal_copy_of_an_answer_is_dropped():
    notebook = handed_in()
    at = place(notebook, "attention")
    notebook.cells.insert(at, copied(notebook.cells[at], "two"))
    assert order_in(checked_repair(notebook)) == IDS


def test_a_copy_without_grade_id_is_still_an_answer_cell():
    notebook = handed_in(attention="def attention(x):\n    return 0")
    at = place(notebook, "attention") + 1
    notebook.cells.insert(at, code(ATTENTION, "two", course={"kind": "exercise"}))
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["attention"] == ATTENTION


def test_a_later_experiment_does_not_replace_the_answer():
    notebook = handed_in()
    wrong = "def attention(x):\n    return 'what if'"
    notebook.cells.append(code(wrong))
    repaired = checked_repair(notebook)
    assert repaired.repairs == ()
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == [*IDS, wrong]


def test_an_answer_below_its_untouched_stub_is_moved_to_its_cell():
    notebook = handed_in(layer_norm=NORM, quick_1=ANSWERS["quick_1"])
    at = place(notebook, "attention_check_1") + 1
    notebook.cells.insert(at, code(ATTENTION))
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == IDS
    assert repaired.repairs == (
        "The answer to attention stood in an additional cell and was moved to its own.",
    )


def test_a_helper_between_the_stub_and_the_answer_stays_before_the_answer():
    notebook = handed_in(layer_norm=NORM, quick_1=ANSWERS["quick_1"])
    at = place(notebook, "attention") + 1
    default = "def attention(x, scale=SCALE):\n    return x"
    notebook.cells[at:at] = [code("SCALE = 2", "h"), code(default, "a")]
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["attention"] == default
    assert order_in(repaired) == [*IDS[:8], "SCALE = 2", *IDS[8:]]


@pytest.mark.parametrize("same_id", [True, False])
def test_an_answer_split_over_two_cells_keeps_both_in_order(same_id):
    helper = "def helper(x):\n    return x"
    notebook = handed_in()
    at = place(notebook, "attention")
    rest = copied(notebook.cells[at], "rest")
    if not same_id:
        rest.metadata = NotebookNode()
    notebook.cells[at].source = helper
    notebook.cells.insert(at + 1, rest)
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == [*IDS[:8], helper, *IDS[8:]]


def test_the_second_half_of_a_split_answer_stays_behind_the_first():
    notebook = handed_in()
    at = place(notebook, "attention")
    notebook.cells.insert(at + 1, copied(notebook.cells[at], "b", source="SCALE = 2"))
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS
    assert order_in(repaired) == [*IDS[:9], "SCALE = 2", *IDS[9:]]


def test_a_missing_answer_with_a_fault_is_recognised_by_its_place():
    notebook = stripped(handed_in())
    broken = "def attn(x:\n    return x"
    notebook.cells[place(RELEASED, "attention")].source = broken
    repaired = checked_repair(notebook)
    assert answers_in(repaired) == ANSWERS | {"attention": broken}
    assert "The answer to attention was recognised by its place." in repaired.repairs


@pytest.mark.parametrize("line", ["%timeit 1", "!pip install x", "return ("])
def test_an_answer_that_is_no_plain_python_is_recognised_by_its_definition(line):
    source = f"{ATTENTION}\n{line}"
    notebook = stripped(handed_in(attention=source))
    notebook.cells.insert(0, code("1 + 1"))
    assert answers_in(checked_repair(notebook))["attention"] == source


def test_a_definition_within_a_text_is_no_answer():
    notebook = handed_in()
    quoted = f'"""\n{ATTENTION}\n"""'
    notebook.cells[place(notebook, "attention")] = code(quoted)
    del notebook.cells[place(notebook, "attention_check_1") :]
    del notebook.cells[: place(notebook, "new")]
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["attention"] == ATTENTION_STUB


def test_two_merged_answers_both_survive():
    notebook = handed_in()
    both = f"{NORM}\n\n{ATTENTION}"
    cell_in(notebook, "layer_norm").source = both
    del notebook.cells[place(notebook, "attention")]
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["layer_norm"] == both
    names = {}
    exec(answers_in(repaired)["layer_norm"], names)
    exec(answers_in(repaired)["attention"], names)
    assert names["attention"](5) == 5
    assert repaired.repairs == (
        "The answer to attention stands in another answer cell.",
    )


def test_an_answer_merged_into_a_check_cell_is_found_there():
    notebook = handed_in()
    check = cell_in(notebook, "layer_norm_check_2")
    check.source += f"\n{ATTENTION}"
    del notebook.cells[place(notebook, "attention")]
    repaired = checked_repair(notebook)
    assert answers_in(repaired)["attention"] == check.source
    assert repaired.repairs == (
        "The check cell layer_norm_check_2 was missing and was put back.",
        "The answer to attention stood in the cell layer_norm_check_2 and was moved "
        "to its own.",
    )


def test_course_cells_out_of_order_are_put_in_order():
    notebook = handed_in()
    notebook.cells.insert(1, notebook.cells.pop(place(notebook, "attention_check_1")))
    repaired = checked_repair(notebook)
    assert order_in(repaired) == IDS
    assert repaired.repairs == (
        "Course cells were out of order and were put in order.",
    )


def test_code_in_a_course_text_cell_is_kept():
    notebook = handed_in()
    at = place(notebook, "text-norm")
    notebook.cells[at] = code("x = 1", "text-norm")
    assert "x = 1" in order_in(checked_repair(notebook))


def test_text_from_the_self_study_edition_is_harmless():
    notebook = handed_in()
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
    folded = nbformat.v4.new_markdown_cell(f"```\n{NORM}\n```", id="solution-norm")
    notebook.cells.insert(place(notebook, "layer_norm_check_1"), folded)
    repaired = checked_repair(notebook)
    assert repaired.repairs == ()
    assert answers_in(repaired) == ANSWERS


def test_an_empty_notebook_becomes_the_release():
    repaired = checked_repair(nbformat.v4.new_notebook())
    assert order_in(repaired) == IDS
    assert repaired.repairs == (
        "The given cell setup was missing and was put back.",
        f"3 answer cells were missing; empty ones were put back: {ANSWER_IDS}",
        f"4 check cells were missing and were put back: {CHECK_IDS}",
    )


def test_an_answer_of_hostile_depth_is_kept_as_it_is():
    deep = f"{ATTENTION}\nx = {'-' * 15_000}1"
    assert answers_in(checked_repair(handed_in(attention=deep)))["attention"] == deep


def test_a_string_with_an_unknown_escape_gives_no_warning():
    source = ATTENTION + "\npattern = '\\d'"
    assert answers_in(checked_repair(handed_in(attention=source)))["attention"]


@pytest.mark.parametrize("source", ["x = 1", ATTENTION, ATTENTION_STUB, NORM_STUB])
def test_ten_thousand_cells_take_under_two_seconds(source):
    notebook = handed_in()
    metadata = cell_in(notebook, "attention").metadata
    for number in range(10_000):
        cell = NotebookNode(cell_type="code", id=f"n{number}", source=source)
        cell.update(metadata=metadata if number % 2 else NotebookNode())
        notebook.cells.append(cell)
    started = time.process_time()
    repair(notebook, RELEASED)
    assert time.process_time() - started < 2


SOURCES = st.sampled_from(
    [
        *ANSWERS.values(),
        NORM_STUB,
        QUESTION,
        "",
        "def layer_norm(",
        "\0",
        "import torch",
    ]
) | st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=4,
)
NBGRADER = st.fixed_dictionaries({}, optional={"grade_id": st.sampled_from(IDS) | JSON})
METADATA = st.fixed_dictionaries(
    {}, optional={"nbgrader": NBGRADER | JSON, "course": JSON, "id": JSON, "get": JSON}
)
CELLS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(IDS) | JSON,
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | JSON,
        "source": SOURCES | st.lists(SOURCES | JSON, max_size=3) | JSON,
        "metadata": METADATA | JSON,
        "level": JSON,
    },
)


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(cells=st.lists(CELLS, max_size=12), metadata=METADATA | JSON)
def test_whatever_can_be_read_can_be_repaired(tmp_path, cells, metadata):
    data = {"nbformat": 4, "nbformat_minor": 5, "cells": cells, "metadata": metadata}
    file = tmp_path / "mangled.ipynb"
    file.write_text(json.dumps(data), encoding="utf-8")
    checked_repair(read_notebook(file))


def test_imports_and_functions_added_to_a_given_cell_are_kept():
    own = "import numpy as np\n\ndef helper(x):\n    return np.abs(x)"
    notebook = handed_in(**ANSWERS)
    cell_in(notebook, "setup").source = f"import torch\n{own}\ntorch = None"
    fixed = repair(notebook, released_lesson())
    ids = [cell.id for cell in fixed.notebook.cells]
    kept = fixed.notebook.cells[ids.index("setup") - 1]
    assert kept.source.split() == own.split()
    assert fixed.notebook.cells[ids.index("setup")].source == "import torch"
    assert fixed.repairs == (
        "The given cell setup was changed and was restored; imports and functions "
        "that were added to it were kept.",
    )


def test_answers_merged_into_one_cell_count_though_the_stubs_are_left():
    merged = f"{NORM}\n\n{ATTENTION}"
    notebook = handed_in(layer_norm=merged, quick_1=ANSWERS["quick_1"])
    fixed = repair(notebook, released_lesson())
    sources = {cell.id: cell.source for cell in fixed.notebook.cells}
    assert sources["layer_norm"] == merged
    assert sources["attention"] == "# The answer to attention stands in another cell."
    assert "The answer to attention stands in another answer cell." in fixed.repairs


def test_only_a_cell_that_was_changed_is_parsed(monkeypatch):
    """It takes longer than all the rest of a repair."""
    monkeypatch.setattr("autograder.definitions.parsed", None)  # it is not called
    assert added("import os", "import os") == ""
