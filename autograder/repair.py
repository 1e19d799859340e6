"""A student's notebook and the released one → a notebook that can be graded.

Course cells come from the release; the student's answers go into their cells, and the
student's additional cells stay behind the course cell that they follow.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import count

from nbformat import NotebookNode

from autograder.definitions import added
from autograder.matching import Match, Matching, Outline, match_cells
from autograder.remarks import flags_of, repairs_of

SKIP = "skip-execution"  # the tag of a cell that nbclient does not run


@dataclass(frozen=True)
class Repaired:
    """A gradeable notebook, a sentence for each kind of thing that was put right, and
    `flags`, which are for the teacher alone."""

    notebook: NotebookNode
    repairs: tuple[str, ...]
    flags: tuple[str, ...] = ()


def repair(notebook: NotebookNode, released: NotebookNode) -> Repaired:
    """All cells of `released`, with the answers and additional cells of `notebook`.

    `notebook` comes from `submission.read_notebook`; `released` is the class edition
    of the lesson with nbgrader's metadata, which the cells of both share. Outputs are
    cleared. Changed or missing demo and text cells come from `released` and are no
    repair: no grade needs them.
    """
    matching = match_cells(notebook, released)
    result = NotebookNode(released | {"cells": _assemble(matching)})
    return Repaired(result, repairs_of(matching), flags_of(matching))


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
    if course.kinds[item.id] == "answer" or not item.is_code:
        return None
    source = added(item.source, course.sources[item.id])
    return NotebookNode(cell_type="code", source=source) if source else None


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
