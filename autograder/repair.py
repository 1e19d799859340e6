"""A student's notebook and the released one → a notebook that can be graded.

Course cells come from the release; the student's answers go into their cells, and the
student's additional cells stay behind the course cell that they follow.
"""

import ast
from collections import defaultdict
from dataclasses import dataclass
from itertools import count

from nbformat import NotebookNode

from autograder.definitions import parsed
from autograder.markers import HIDDEN, MarkerError, student_source
from autograder.matching import Match, Matching, Outline, match_cells, plain

SKIP = "skip-execution"  # the tag of a cell that nbclient does not run


@dataclass(frozen=True)
class Repaired:
    """A gradeable notebook, and one sentence for each thing that was put right."""

    notebook: NotebookNode
    repairs: tuple[str, ...]


def repair(notebook: NotebookNode, released: NotebookNode) -> Repaired:
    """All cells of `released`, with the answers and additional cells of `notebook`.

    `notebook` comes from `submission.read_notebook`; `released` is the class edition
    of the lesson with nbgrader's metadata, which the cells of both share. Outputs are
    cleared. Changed or missing demo and text cells come from `released` and are no
    repair: no grade needs them.
    """
    matching = match_cells(notebook, released)
    result = NotebookNode(released | {"cells": _assemble(matching)})
    return Repaired(result, tuple(dict.fromkeys(_remarks(matching))))


def _assemble(matching: Matching) -> list[NotebookNode]:
    course, slots = matching.course, _additional(matching)
    names = (name for n in count(1) if (name := f"extra-{n}") not in course.kinds)
    cells = [_extra(cell, next(names)) for cell in slots[0]]
    for place, cell_id in enumerate(course.kinds):
        cell = NotebookNode(course.cells[place])
        if cell_id in matching.chosen:
            cell.source = matching.matches[matching.chosen[cell_id]].cell.source
        elif cell_id in matching.elsewhere:
            # the stub would replace what the other cell defines
            cell.source = f"# The answer to {cell_id} stands in another cell."
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if course.kinds[cell_id] == "demo":
            tags = [tag for tag in cell.metadata.get("tags", []) if tag != SKIP]
            cell.metadata = NotebookNode(cell.metadata | {"tags": [*tags, SKIP]})
        cells += [cell, *(_extra(own, next(names)) for own in slots[place + 1])]
    return cells


def _additional(matching: Matching) -> dict[int, list[NotebookNode]]:
    """The student's own cells, by the number of course cells that go before them."""
    course, matches = matching.course, matching.matches
    slots: dict[int, list[NotebookNode]] = defaultdict(list)
    slot, passed = 0, set()
    for number, item in enumerate(matches):
        counts = matching.chosen.get(item.id, number)
        if not item.id:
            slots[slot].append(item.cell)
        elif own := _own_code(item, course):
            # before the restored cell, whose own names win
            slots[course.places[item.id]].append(own)
            slot = course.places[item.id] + 1
        elif counts == number:
            if item.id not in passed:
                slot = course.places[item.id] + 1
            passed.add(item.id)
        elif item.source == course.sources[item.id]:
            continue  # a stub that is left over would undo the answer
        elif number > counts:
            slots[slot].append(item.cell)
        elif item.source != matches[counts].source:
            # not after the answer, so that its own attempt does not replace it
            slots[min(slot, course.places[item.id])].append(item.cell)
    return slots


def _own_code(item: Match, course: Outline) -> NotebookNode | None:
    """Imports and functions that were added to a given, check or demo cell."""
    source = course.sources[item.id]
    if course.kinds[item.id] == "answer" or not item.is_code or item.source == source:
        return None
    old, new = parsed(source), parsed(item.source)
    if old is None or new is None:
        return None
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    known = {ast.dump(node) for node in old.body}
    names = {getattr(node, "name", "") for node in old.body}
    added = [
        ast.unparse(node)
        for node in new.body
        if isinstance(node, kept)
        and ast.dump(node) not in known
        and getattr(node, "name", None) not in names
    ]
    if not added:
        return None
    return NotebookNode(cell_type="code", source="\n\n".join(added))


def _extra(cell: NotebookNode, cell_id: str) -> NotebookNode:
    extra = NotebookNode(
        id=cell_id,
        cell_type=cell.cell_type,
        metadata=NotebookNode(),
        source=cell.source,
    )
    if cell.cell_type == "code":
        extra.update(outputs=[], execution_count=None)
    return extra


def _remarks(matching: Matching) -> list[str]:
    course = matching.course
    found: dict[str, list[Match]] = {cell_id: [] for cell_id in course.kinds}
    for item in matching.matches:
        if item.id:
            found[item.id].append(item)
    remarks = [item.note for item in matching.matches if item.note]
    for cell_id, kind in course.kinds.items():
        if kind == "answer":
            remarks += _answer_remarks(cell_id, found[cell_id], matching)
        elif kind != "demo" and kind != "text":
            remarks += _locked_remarks(cell_id, found[cell_id], matching)
    return remarks + _general_remarks(found, matching)


def _locked_remarks(cell_id: str, found: list[Match], matching: Matching) -> list[str]:
    name = f"{matching.course.kinds[cell_id]} cell {cell_id}"
    if not found:
        return [f"The {name} was missing and was put back."]
    remarks = []
    code = [item for item in found if item.is_code]
    if not code:
        made = found[0].cell.cell_type
        remarks.append(f"The {name} had been made a {made} cell and was restored.")
    elif any(_of_solution(item, matching.course) for item in code):
        pass  # told once for all of them
    elif all(item.source != matching.course.sources[cell_id] for item in code):
        own = any(_own_code(item, matching.course) for item in code)
        kept = "; imports and functions that were added to it were kept" if own else ""
        remarks.append(f"The {name} was changed and was restored{kept}.")
    elif any(_altered(item, cell_id, matching) for item in code):
        remarks.append(f"The grading metadata of the {name} was restored.")
    if len(found) == 2:
        remarks.append(f"A copy of the {name} was dropped.")
    elif len(found) > 2:
        remarks.append(f"{len(found) - 1} copies of the {name} were dropped.")
    return remarks


def _of_solution(item: Match, course: Outline) -> bool:
    """Whether a check cell still has the hidden part that the release cuts out."""
    if HIDDEN not in item.source:
        return False
    try:
        return plain(student_source(item.source)) == course.sources[item.id]
    except MarkerError:
        return False


def _answer_remarks(cell_id: str, found: list[Match], matching: Matching) -> list[str]:
    if cell_id in matching.elsewhere:
        return [f"The answer to {cell_id} stands in another answer cell."]
    if not found:
        return [f"The answer cell {cell_id} was missing; an empty one was put back."]
    answer = matching.matches[matching.chosen[cell_id]]
    remarks = []
    if not answer.is_code:
        remarks.append(
            f"The answer cell {cell_id} had been made a {answer.cell.cell_type} cell "
            "and was made code again."
        )
    if answer.how == "place":
        remarks.append(f"The answer to {cell_id} was recognised by its place.")
    elif answer.stood_in:
        remarks.append(
            f"The answer to {cell_id} stood in the cell {answer.stood_in} and was "
            "moved to its own."
        )
    elif not answer.own and any(item.own for item in found):
        remarks.append(
            f"The answer to {cell_id} stood in an additional cell and was moved to "
            "its own."
        )
    elif _altered(answer, cell_id, matching):
        remarks.append(
            f"The grading metadata of the answer cell {cell_id} was restored."
        )
    alike = [item for item in found if item.own == answer.own]
    if len(alike) > 1:
        remarks.append(
            f"There were {len(alike)} answer cells for {cell_id}; one of them counts."
        )
    return remarks


def _altered(item: Match, cell_id: str, matching: Matching) -> bool:
    """Whether nbgrader's metadata of the cell is there, but not as released."""
    if "nbgrader" not in item.cell.metadata:
        return False  # Colab and the self-study edition have none
    released = matching.course.cells[matching.course.places[cell_id]]
    theirs, ours = item.cell.metadata["nbgrader"], released.metadata["nbgrader"]
    if not isinstance(theirs, dict):
        return True
    # the checksum differs as well when the course was released again
    return {**theirs, "checksum": ""} != {**ours, "checksum": ""}


def _general_remarks(found: dict[str, list[Match]], matching: Matching) -> list[str]:
    remarks = []
    if any(_of_solution(item, matching.course) for item in matching.matches if item.id):
        remarks.append("It holds hidden checks, which only the solution notebook has.")
    kinds = matching.course.kinds
    graded = {i: f for i, f in found.items() if f and kinds[i] not in ("demo", "text")}
    lost = sum(all(item.how == "text" for item in items) for items in graded.values())
    if lost == 1:
        remarks.append("One cell without its id was recognised by its text.")
    elif lost:
        remarks.append(f"{lost} cells without their ids were recognised by their text.")
    once = (i for i in matching.matches if len(graded.get(i.id, ())) == 1)
    places = [matching.course.places[item.id] for item in once]
    if places != sorted(places):
        remarks.append("Course cells were out of order and were put in order.")
    return remarks
