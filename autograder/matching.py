"""Which cell of a student's notebook is which cell of the course.

By id, else by text (an answer: by what it defines), else by place.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked, is_solution

from autograder.definitions import definitions, names_at_a_glance, parsed


@dataclass(frozen=True)
class Outline:
    """The released notebook, as the matching needs it; all tables go by cell id.

    `kinds` has "given", "check", "answer", "demo" or "text", in the order of the
    cells. `owners` gives the answer cell that ("function" or "variable", name) belongs
    to, `defined` what of this each course cell defines.
    """

    cells: Sequence[NotebookNode]
    kinds: Mapping[str, str]
    places: Mapping[str, int]
    sources: Mapping[str, str]
    by_source: Mapping[str, str]
    owners: Mapping[tuple[str, str], str]
    defined: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Match:
    """A student's cell and the course cell `id` that it is ("" for an additional one).

    `how` it was matched is "id", "text" or "place". `claims` are the answer cells
    whose function or variable it defines. `own` says that it was a cell of the course,
    not one that the student added; `stood_in` names the course cell whose id an answer
    had by mistake. `prose` is the answer cell that it was before it was made text.
    """

    cell: NotebookNode
    source: str
    id: str = ""
    how: str = ""
    claims: tuple[str, ...] = ()
    own: bool = False
    stood_in: str = ""
    prose: str = ""

    @property
    def is_code(self) -> bool:
        return self.cell.cell_type == "code"


@dataclass(frozen=True)
class Matching:
    """All matches in the student's order. `chosen` gives for an answer cell the number
    of the student's cell that counts; `elsewhere` are answers in another's cell."""

    course: Outline
    matches: Sequence[Match]
    chosen: Mapping[str, int]
    elsewhere: frozenset[str]


def match_cells(notebook: NotebookNode, released: NotebookNode) -> Matching:
    """Match every cell of `notebook` with the cells of `released`."""
    course = _outline(released.cells)
    matches = [_match(cell, course) for cell in notebook.cells]
    candidates: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(matches):
        if course.kinds.get(item.id) == "answer":
            candidates[item.id].append(number)
    chosen = {
        cell_id: _choose(matches, numbers, course.sources[cell_id])
        for cell_id, numbers in candidates.items()
    }
    claimed = {
        other
        for cell_id, number in chosen.items()
        if matches[number].source != course.sources[cell_id]
        for other in matches[number].claims
        if other != cell_id
    }
    for cell_id in claimed & chosen.keys():
        if matches[chosen[cell_id]].source == course.sources[cell_id]:
            del chosen[cell_id]  # the stub is left over; the answer is elsewhere
    elsewhere = frozenset(claimed - chosen.keys())
    for cell_id, number in _by_place(course, matches, chosen.keys() | elsewhere):
        chosen[cell_id] = number
        matches[number] = replace(matches[number], id=cell_id, how="place")
    return Matching(course, matches, chosen, elsewhere)


def _outline(cells: Sequence[NotebookNode]) -> Outline:
    ids = [next(_names(cell)) for cell in cells]
    kinds = {i: cell_kind(cell) for i, cell in zip(ids, cells, strict=True)}
    sources = {i: plain(cell.source) for i, cell in zip(ids, cells, strict=True)}
    owners: dict[tuple[str, str], str] = {}
    for cell_id in ids:
        if kinds[cell_id] == "answer":
            names = names_at_a_glance(sources[cell_id])
            function = ("function", cell_id)
            owners |= dict.fromkeys([function] if function in names else names, cell_id)
    return Outline(
        cells=cells,
        kinds=kinds,
        places={cell_id: place for place, cell_id in enumerate(ids)},
        sources=sources,
        by_source={sources[i]: i for i in reversed(ids) if sources[i]},
        owners=owners,
        defined={i: _claims(sources[i], owners) for i in ids},
    )


def cell_kind(cell: NotebookNode) -> str:
    """ "check", "answer" or "given" by nbgrader's metadata, else "demo" or "text"."""
    if is_grade(cell):
        return "check"
    if is_solution(cell):
        return "answer"
    if is_locked(cell):
        return "given"
    return "demo" if cell.cell_type == "code" else "text"


def _names(cell: NotebookNode) -> Iterator[str]:
    """The ids that a cell goes by; Colab keeps its own in the metadata."""
    nbgrader = cell.metadata.get("nbgrader")
    if isinstance(nbgrader, dict) and isinstance(nbgrader.get("grade_id"), str):
        yield nbgrader["grade_id"]
    yield cell.id
    if isinstance(cell.metadata.get("id"), str):
        yield cell.metadata["id"]


def plain(source: str) -> str:
    """A cell's text without white space at its ends and at the ends of its lines."""
    return "\n".join(map(str.rstrip, source.strip().splitlines()))


def _claims(source: str, owners: Mapping[tuple[str, str], str]) -> tuple[str, ...]:
    """The answer cells whose function or variable `source` defines at its top level."""
    return tuple(dict.fromkeys(owners[name] for name in definitions(source, owners)))


def _match(cell: NotebookNode, course: Outline) -> Match:
    source = plain(cell.source)
    named = next((name for name in _names(cell) if name in course.kinds), "")
    kind = course.kinds.get(named)
    item = Match(cell, source)
    if kind == "answer":
        return _named_answer(item, named, course)
    if named and source == course.sources[named]:
        return replace(item, id=named, how="id", own=True)
    item = replace(item, claims=_claims(source, course.owners) if item.is_code else ())
    if named:
        written = [i for i in item.claims if i not in course.defined[named]]
        if written:  # an answer typed into, or merged with, another course cell
            return replace(item, id=written[0], how="id", stood_in=named)
        if kind == "text" and item.is_code:
            return item
        return replace(item, id=named, how="id", own=True)
    if source in course.by_source:
        return replace(item, id=course.by_source[source], how="text", own=True)
    if item.claims:
        about = cell.metadata.get("course")
        own = isinstance(about, dict) and about.get("kind") in ("exercise", "question")
        return replace(item, id=item.claims[0], how="text", own=own)
    return item


def _named_answer(item: Match, named: str, course: Outline) -> Match:
    if not item.is_code and not (item.source and parsed(item.source)):
        return replace(item, prose=named)
    item = replace(item, claims=_claims(item.source, course.owners), how="id", own=True)
    if item.claims and named not in item.claims:
        return replace(item, id=item.claims[0], stood_in=named)
    return replace(item, id=named)


def _choose(matches: Sequence[Match], numbers: Sequence[int], stub: str) -> int:
    """The last cell that was filled in; the course's own cell goes before others.

    A cell of the course that defines nothing gives way to an additional cell that
    does: its author wrote the answer there.
    """
    filled = [n for n in numbers if matches[n].source != stub]
    own = [n for n in filled if matches[n].own]
    defining = [n for n in own if matches[n].claims]
    added = [n for n in filled if not matches[n].own]
    return (defining or added or own or numbers[:1])[-1]


def _by_place(
    course: Outline, matches: Sequence[Match], known: Collection[str]
) -> list[tuple[str, int]]:
    """Missing answers, and the unmatched code cells that stand where they belong."""
    numbered = reversed(list(enumerate(matches)))  # of copies, the first one
    where = {item.id: number for number, item in numbered if item.id}
    ids = list(course.kinds)
    found = []
    for place, cell_id in enumerate(ids):
        if course.kinds[cell_id] != "answer" or cell_id in known:
            continue
        before = next((i for i in reversed(ids[:place]) if i in where), None)
        after = next((i for i in ids[place + 1 :] if i in where), None)
        if before is None or after is None:
            continue
        for number in range(where[before] + 1, where[after]):
            item = matches[number]
            if not item.id and item.is_code and item.source:
                found.append((cell_id, number))
                where[cell_id] = number
                break
    return found
