"""Recall cards in a notebook: turning, stepping, and what is shown."""

import html
import xml.etree.ElementTree as ET

import pytest

import support.cards
from support.cards import Cards
from support.figures.figure import WIDGET

PAIRS = [
    ("What is a token?", "A number that stands for a piece of text."),
    ("When is x < y & y > z?", 'When "z" is <b>less</b>.'),
    ("Two\nlines?", "Yes:\none\nand two."),
]


class Deck:
    """Cards on the screen: `click` a button, and read what `face` shows."""

    def __init__(self, pairs=PAIRS):
        self.face, row = Cards(pairs)._box().children
        self.buttons = {button.description: button for button in row.children}

    def click(self, *names):
        for name in names:
            self.buttons[name].click()

    @property
    def shown(self):
        """The place, such as "Question 1 of 3", and the text."""
        return lines_of(self.face.value)


def lines_of(face):
    place, text = ET.fromstring(face.replace("<br>", "\n"))
    return place.text, text.text


def question(number):
    return f"Question {number + 1} of {len(PAIRS)}", PAIRS[number][0]


def answer(number):
    return f"Answer {number + 1} of {len(PAIRS)}", PAIRS[number][1]


def test_the_first_question_is_shown_first():
    deck = Deck()
    assert deck.shown == question(0)
    assert list(deck.buttons) == ["Turn the card", "Previous", "Next"]


def test_a_card_turns_to_its_answer_and_back():
    deck = Deck()
    for number in range(len(PAIRS)):
        assert deck.shown == question(number)
        deck.click("Turn the card")
        assert deck.shown == answer(number)
        deck.click("Turn the card")
        assert deck.shown == question(number)
        deck.click("Next")


def test_next_and_previous_go_round_in_both_directions():
    deck, seen = Deck(), []
    for _ in range(len(PAIRS) + 1):
        seen.append(deck.shown)
        deck.click("Next")
    assert seen == [question(n) for n in (0, 1, 2, 0)]
    deck.click("Previous")
    assert deck.shown == question(0)
    deck.click("Previous")
    assert deck.shown == question(2)


@pytest.mark.parametrize(("step", "number"), [("Next", 1), ("Previous", 2)])
def test_another_card_shows_its_question_even_after_an_answer(step, number):
    deck = Deck()
    deck.click("Turn the card", step)
    assert deck.shown == question(number)
    deck.click("Turn the card")
    assert deck.shown == answer(number)


def test_a_single_card_is_its_own_neighbour():
    deck = Deck([("front", "back")])
    for step in ("Next", "Previous"):
        deck.click("Turn the card", step)
        assert deck.shown == ("Question 1 of 1", "front")


def test_two_outputs_of_the_same_cards_turn_apart():
    cards = Cards(PAIRS)
    (one, row), (two, _) = (cards._box().children for _ in range(2))
    row.children[0].click()
    assert lines_of(one.value) == answer(0)
    assert lines_of(two.value) == question(0)


def test_texts_are_escaped_and_keep_their_lines():
    cards = Cards(PAIRS)
    for number, pair in enumerate(PAIRS):
        for is_turned, text in enumerate(pair):
            face = cards.face(number, is_turned)
            assert html.escape(text).replace("\n", "<br>") in face
            assert lines_of(face)[1] == text
    assert "<b>" not in cards.face(1, True)


def test_a_screen_reader_says_a_card_when_it_changes():
    assert ET.fromstring(Cards(PAIRS).face(0, False)).get("role") == "status"


def test_every_output_has_a_widget_and_the_questions_as_text(capsys):
    data, metadata = Cards(PAIRS)._repr_mimebundle_()
    assert set(data) == {"text/plain", WIDGET} and metadata == {}
    text = data["text/plain"]
    assert text.startswith("3 cards to turn:\n- What is a token?\n- When")
    assert not any(back in text for _, back in PAIRS)
    assert capsys.readouterr().out == ""


def test_without_ipywidgets_the_questions_stay_and_the_output_says_why(
    monkeypatch, capsys
):
    monkeypatch.setattr(support.cards, "ipywidgets", None)
    data, _ = Cards(PAIRS)._repr_mimebundle_()
    assert list(data) == ["text/plain"]
    assert all(front in data["text/plain"] for front, _ in PAIRS)
    assert "need the package ipywidgets" in capsys.readouterr().out
