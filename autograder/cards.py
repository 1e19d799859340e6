"""Recall cards: data/cards.json, and one Anki deck made of it."""

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course import CourseError

if TYPE_CHECKING:
    import genanki

# Anki knows a deck and a kind of note by these numbers: never change them, or an
# update would be a second deck, with nothing learned yet.
DECK, NOTE = 1_729_051_301, 1_729_051_302
SERIES = "Transformer by Hand"
STYLE = ".card { font: 20px sans-serif; text-align: center; }"


def read_cards(file: Path) -> dict[str, list[dict[str, str]]]:
    """Lesson → its cards, each with "id", "front" and "back".

    Raises CourseError for a file that is no such JSON, for a card without one of the
    three and for an id that comes twice.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{file} cannot be read as JSON: {error}.") from None
    decks = found.values() if isinstance(found, dict) else [None]
    if not all(isinstance(deck, list) for deck in decks):
        raise CourseError(f"{file} must map each lesson to a list of cards.")
    seen: set[str] = set()
    for lesson, deck in found.items():
        for number, card in enumerate(deck, 1):
            where = f"{file.name}, {lesson}, card {number}"
            if not _is_card(card):
                raise CourseError(f"{where}: a card needs id, front and back.")
            if card["id"] in seen:
                raise CourseError(f"{where}: the id {card['id']} comes twice; rename.")
            seen.add(card["id"])
    return found


def _is_card(card: object) -> bool:
    return (
        isinstance(card, dict)
        and set(card) == {"id", "front", "back"}
        and all(isinstance(text, str) and text.strip() for text in card.values())
    )


def write_deck(file: Path, target: Path) -> int:
    """Write all cards of `file` as one Anki deck; the number of cards.

    A note is known to Anki by its card's id, so that a learner who imports a newer deck
    keeps what is learned. Raises CourseError without genanki, and when `target` cannot
    be written.
    """
    try:
        import genanki
    except ImportError:
        raise CourseError(
            "Writing a deck needs the package genanki: "
            "pip install 'transformer-by-hand[cards]'"
        ) from None
    model = genanki.Model(
        NOTE,
        SERIES,
        fields=[{"name": "Front"}, {"name": "Back"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Front}}",
                "afmt": "{{FrontSide}}<hr id=answer>{{Back}}",
            }
        ],
        css=STYLE,
    )
    deck = genanki.Deck(DECK, SERIES)
    for lesson, cards in read_cards(file).items():
        for card in cards:
            sides = [html.escape(card[side]) for side in ("front", "back")]
            note = genanki.Note(
                model,
                [side.replace("\n", "<br>") for side in sides],
                tags=[lesson],
                guid=genanki.guid_for(SERIES, card["id"]),
            )
            deck.add_note(note)
    _save(genanki.Package(deck), target)
    return len(deck.notes)


def _save(package: "genanki.Package", target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        package.write_to_file(target)
    except OSError as error:
        raise CourseError(
            f"{target} cannot be written ({error.strerror}). Give another place."
        ) from None
