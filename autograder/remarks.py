"""What was repaired in a notebook, told to student and teacher: a sentence a kind."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autograder.definitions import added
from autograder.markers import HIDDEN, MarkerError, student_source
from autograder.matching import Match, Matching, Outline, plain

MOST_NAMES = 3  # of cells in one sentence


class Remark(NamedTuple):
    """What is told of one cell, and of several: "{} check cells were missing"."""

    cell: str
    one: str
    many: str


def repairs_of(matching: Matching) -> tuple[str, ...]:
    """One sentence for each kind of repair, however many cells it is about."""
    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for cell, one, many in _remarks(matching):
        kinds[many][cell] = one
    told = [
        f"{many.replace('{}', str(len(cells)), 1)}: {_listed(list(cells))}."
        if len(cells) > 1
        else "".join(cells.values())
        for many, cells in kinds.items()
    ]
    return (*told, *_general_remarks(matching))


def flags_of(matching: Matching) -> tuple[str, ...]:
    """What the teacher alone is told."""
    if any(_of_solution(item, matching.course) for item in matching.matches if item.id):
        return ("It holds hidden checks, which only the solution notebook has.",)
    return ()


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMES:
        shown = names[: MOST_NAMES - 1]
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _found(matching: Matching) -> dict[str, list[Match]]:
    """Course cell → the student's cells that were taken for it."""
    found: dict[str, list[Match]] = {cell_id: [] for cell_id in matching.course.kinds}
    for item in matching.matches:
        if item.id:
            found[item.id].append(item)
    return found


def _remarks(matching: Matching) -> Iterator[Remark]:
    for item in matching.matches:
        if item.prose:
            made = item.cell.cell_type
            yield Remark(
                item.prose,
                f"The answer cell {item.prose} had been made a {made} cell; it is no "
                "Python and was kept as text.",
                f"{{}} answer cells had been made {made} cells; they are no Python and "
                "were kept as text",
            )
    found = _found(matching)
    for cell_id, kind in matching.course.kinds.items():
        if kind == "answer":
            yield from _answer_remarks(cell_id, found[cell_id], matching)
        elif kind != "demo" and kind != "text":
            yield from _locked_remarks(cell_id, found[cell_id], matching)


def _locked_remarks(
    cell_id: str, found: list[Match], matching: Matching
) -> Iterator[Remark]:
    course, kind = matching.course, matching.course.kinds[cell_id]
    name, names = f"{kind} cell {cell_id}", f"{{}} {kind} cells"
    if not found:
        one = f"The {name} was missing and was put back."
        yield Remark(cell_id, one, f"{names} were missing and were put back")
        return
    code = [item for item in found if item.is_code]
    if not code:
        made = found[0].cell.cell_type
        one = f"The {name} had been made a {made} cell and was restored."
        many = f"{names} had been made {made} cells and were restored"
        yield Remark(cell_id, one, many)
    elif any(_of_solution(item, course) for item in code):
        pass  # a flag tells it once for all of them
    elif all(item.source != course.sources[cell_id] for item in code):
        yield _changed(cell_id, code, course)
    elif any(_altered(item, cell_id, matching) for item in code):
        one = f"The grading metadata of the {name} was restored."
        yield Remark(cell_id, one, f"The grading metadata of {names} was restored")
    if len(found) > 1:
        copies = len(found) - 1
        one = (
            f"A copy of the {name} was dropped."
            if copies == 1
            else f"{copies} copies of the {name} were dropped."
        )
        yield Remark(cell_id, one, f"Copies of {names} were dropped")


def _changed(cell_id: str, code: list[Match], course: Outline) -> Remark:
    kind = course.kinds[cell_id]
    one, many = f"The {kind} cell {cell_id} was changed", f"{{}} {kind} cells were"
    if any(added(item.source, course.sources[cell_id]) for item in code):
        kept = "imports and functions that were added to"
        return Remark(
            cell_id,
            f"{one} and was restored; {kept} it were kept.",
            f"{many} changed and restored, and {kept} them were kept",
        )
    return Remark(
        cell_id, f"{one} and was restored.", f"{many} changed and were restored"
    )


def _of_solution(item: Match, course: Outline) -> bool:
    """Whether a check cell still has the hidden part that the release cuts out."""
    if HIDDEN not in item.source:
        return False
    try:
        return plain(student_source(item.source)) == course.sources[item.id]
    except MarkerError:
        return False


def _answer_remarks(
    cell_id: str, found: list[Match], matching: Matching
) -> Iterator[Remark]:
    if cell_id in matching.elsewhere:
        one = f"The answer to {cell_id} stands in another answer cell."
        yield Remark(cell_id, one, "{} answers stand in other answer cells")
        return
    if not found:
        one = f"The answer cell {cell_id} was missing; an empty one was put back."
        many = "{} answer cells were missing; empty ones were put back"
        yield Remark(cell_id, one, many)
        return
    answer = matching.matches[matching.chosen[cell_id]]
    if not answer.is_code:
        made = answer.cell.cell_type
        yield Remark(
            cell_id,
            f"The answer cell {cell_id} had been made a {made} cell and was made code "
            "again.",
            f"{{}} answer cells had been made {made} cells and were made code again",
        )
    yield from _place_remarks(cell_id, answer, found, matching)
    alike = sum(item.own == answer.own for item in found)
    if alike > 1:
        one = f"There were {alike} answer cells for {cell_id}; one of them counts."
        many = "{} answers had more than one cell; one of each counts"
        yield Remark(cell_id, one, many)


def _place_remarks(
    cell_id: str, answer: Match, found: list[Match], matching: Matching
) -> Iterator[Remark]:
    """Where the answer that counts was found, if not in its own unchanged cell."""
    name = f"The answer to {cell_id}"
    if answer.how == "place":
        one = f"{name} was recognised by its place."
        yield Remark(cell_id, one, "{} answers were recognised by their places")
    elif answer.stood_in:
        one = f"{name} stood in the cell {answer.stood_in} and was moved to its own."
        many = "{} answers stood in other course cells and were moved to their own"
        yield Remark(cell_id, one, many)
    elif not answer.own and any(item.own for item in found):
        one = f"{name} stood in an additional cell and was moved to its own."
        many = "{} answers stood in additional cells and were moved to their own"
        yield Remark(cell_id, one, many)
    elif _altered(answer, cell_id, matching):
        one = f"The grading metadata of the answer cell {cell_id} was restored."
        yield Remark(
            cell_id, one, "The grading metadata of {} answer cells was restored"
        )


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


def _general_remarks(matching: Matching) -> Iterator[str]:
    kinds = matching.course.kinds
    graded = {
        cell_id: items
        for cell_id, items in _found(matching).items()
        if items and kinds[cell_id] not in ("demo", "text")
    }
    lost = sum(all(item.how == "text" for item in items) for items in graded.values())
    if lost == 1:
        yield "One cell without its id was recognised by its text."
    elif lost:
        yield f"{lost} cells without their ids were recognised by their text."
    once = (i for i in matching.matches if len(graded.get(i.id, ())) == 1)
    places = [matching.course.places[item.id] for item in once]
    if places != sorted(places):
        yield "Course cells were out of order and were put in order."
