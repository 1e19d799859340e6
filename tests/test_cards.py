"""Recall cards: reading them, the Anki deck made of them, and the course's own."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from small_lesson import CARDS, edit, write_course

from autograder.cards import read_cards, write_deck
from autograder.course import Course, CourseError

ROOT = Path(__file__).parents[1]
# What the cards must at least ask, and the ids of the cards that do.
IDEAS = {
    "pre-LN equations": ["pre-ln-equations"],
    "which part mixes tokens": ["who-mixes-tokens"],
    "block parameters and the split": ["block-parameters", "block-split"],
    "about 6 FLOPs per parameter and training token": ["six-n-rule"],
    "the 6D context": ["six-d-context"],
    "masks of the three families": ["three-masks"],
    "why the cache is exact": ["cache-exact"],
    "numbers in a KV cache": ["cache-numbers"],
    "tokens of a 224/16 ViT": ["vit-tokens"],
    "fine-tuning at higher resolution": ["higher-resolution"],
    "temperature limits": ["temperature-limits"],
    "top-k against top-p": ["top-k-or-top-p"],
    "prefill and decode": ["prefill-decode"],
}
CARD = {"id": "one", "front": "A question?", "back": "An answer."}


@pytest.fixture
def file(tmp_path):
    """Cards of two lessons."""
    target = tmp_path / "cards.json"
    target.write_text(json.dumps(CARDS), encoding="utf-8")
    return target


def notes(deck):
    """guid → front, back and tags of every note in an .apkg file."""
    with zipfile.ZipFile(deck) as package:
        assert package.testzip() is None
        package.extract("collection.anki2", deck.parent)
    collection = sqlite3.connect(deck.parent / "collection.anki2")
    with contextlib.closing(collection) as base:
        rows = list(base.execute("select guid, flds, tags from notes"))
        cards = list(base.execute("select distinct nid from cards"))
    assert len(cards) == len(rows)  # each note is asked once
    return {guid: [*sides.split("\x1f"), tags.strip()] for guid, sides, tags in rows}


def test_cards_are_read_by_lesson_and_in_order(file):
    assert read_cards(file) == CARDS
    assert list(read_cards(file)) == list(CARDS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", r"cards\.json cannot be read as JSON: Expecting property"),
        ("[]", r"cards\.json must map each lesson to a list of cards"),
        ('{"01_a": 5}', r"cards\.json must map each lesson to a list of cards"),
        (
            json.dumps({"01_a": [CARD], "02_b": [{"id": "x", "front": "y"}]}),
            r"cards\.json, 02_b, card 1: a card needs id, front and back",
        ),
        (
            json.dumps({"01_a": [CARD, CARD | {"id": "two", "hint": "z"}]}),
            r"01_a, card 2: a card needs id, front and back",
        ),
        (json.dumps({"01_a": [CARD | {"back": " "}]}), r"01_a, card 1: a card needs"),
        (json.dumps({"01_a": [CARD | {"id": 7}]}), r"01_a, card 1: a card needs"),
        ('{"01_a": [7]}', r"01_a, card 1: a card needs id, front and back"),
        (
            json.dumps({"01_a": [CARD], "02_b": [CARD]}),
            r"cards\.json, 02_b, card 1: the id one comes twice; rename",
        ),
    ],
)
def test_what_is_wrong_with_a_file_of_cards_is_named(tmp_path, text, words):
    file = tmp_path / "cards.json"
    file.write_text(text)
    with pytest.raises(CourseError, match=words):
        read_cards(file)


def test_a_missing_file_of_cards_is_named(tmp_path):
    with pytest.raises(CourseError, match=r"gone\.json cannot be read as JSON: .*No s"):
        read_cards(tmp_path / "gone.json")


def test_the_deck_holds_every_card_with_its_lesson_as_a_tag(file, tmp_path):
    deck = tmp_path / "decks" / "cards.apkg"
    assert write_deck(file, deck) == 3
    assert sorted(notes(deck).values()) == [
        ["Is a &lt; b &amp; b &gt; a?", "Yes, &lt;b&gt;always&lt;/b&gt;.", "01_small"],
        ["Of another lesson?", "Indeed.", "02_other"],
        ["Twice x?", "x + x,<br>or 2 · x", "01_small"],
    ]


def test_a_card_whose_text_changed_is_the_same_note(file, tmp_path):
    write_deck(file, tmp_path / "before.apkg")
    before = notes(tmp_path / "before.apkg")
    edit(file, "Twice x?", "Two times x?")
    edit(file, "02_other", "03_other")
    write_deck(file, tmp_path / "after.apkg")
    after = notes(tmp_path / "after.apkg")
    assert len(before) == 3
    assert set(after) == set(before)
    assert after != before


def test_a_card_with_another_id_is_another_note(file, tmp_path):
    write_deck(file, tmp_path / "before.apkg")
    before = notes(tmp_path / "before.apkg")
    edit(file, '"twice"', '"two-times"')
    write_deck(file, tmp_path / "after.apkg")
    assert len(set(notes(tmp_path / "after.apkg")) - set(before)) == 1


def test_anki_knows_the_deck_and_its_notes_by_numbers_that_never_change(file, tmp_path):
    write_deck(file, tmp_path / "cards.apkg")
    found = notes(tmp_path / "cards.apkg")
    assert found["l~7s(2>Vc+"] == ["Of another lesson?", "Indeed.", "02_other"]
    with contextlib.closing(sqlite3.connect(tmp_path / "collection.anki2")) as base:
        decks, kinds = next(base.execute("select decks, models from col"))
    assert json.loads(decks)["1729051301"]["name"] == "Transformer by Hand"
    assert list(json.loads(kinds)) == ["1729051302"]


def test_the_command_writes_the_deck(file):
    write_course(file.parent / "course")
    (file.parent / "course" / "data").mkdir()
    file.rename(file.parent / "course" / "data" / "cards.json")
    done = subprocess.run(
        [Path(sys.executable).parent / "autograder", "cards", "my/deck.apkg"],
        cwd=file.parent / "course",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 cards: my/deck.apkg; import it with")
    assert len(notes(file.parent / "course" / "my" / "deck.apkg")) == 3


def test_without_genanki_the_package_to_install_is_named(file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "genanki", None)
    with pytest.raises(CourseError, match=r"genanki: pip install '.+\[cards\]'"):
        write_deck(file, tmp_path / "cards.apkg")
    assert not (tmp_path / "cards.apkg").exists()


def test_a_deck_that_cannot_be_written_is_told(file, tmp_path):
    with pytest.raises(CourseError, match=r"/deck\.apkg cannot be written \(Is a dir"):
        (tmp_path / "deck.apkg").mkdir()
        write_deck(file, tmp_path / "deck.apkg")
    with pytest.raises(
        CourseError, match=r"/x\.apkg cannot be written \(File exists\)"
    ):
        write_deck(file, file / "x.apkg")


def test_every_lesson_has_at_least_eight_cards():
    course = Course.at(ROOT)
    decks = read_cards(course.cards)
    assert list(decks) == course.lesson_names()
    assert {lesson: len(deck) for lesson, deck in decks.items() if len(deck) < 8} == {}


def test_the_cards_ask_for_every_idea_that_they_must():
    decks = read_cards(Course.at(ROOT).cards)
    ids = {card["id"] for deck in decks.values() for card in deck}
    assert {
        idea: wanted for idea, wanted in IDEAS.items() if not ids >= {*wanted}
    } == {}


def test_the_deck_of_the_course_can_be_written(tmp_path):
    decks = read_cards(Course.at(ROOT).cards)
    count = write_deck(Course.at(ROOT).cards, tmp_path / "cards.apkg")
    assert count == len(notes(tmp_path / "cards.apkg"))
    assert count == sum(map(len, decks.values()))
