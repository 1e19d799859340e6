"""Radio buttons for quick checks: what they say, and that they follow the line."""

import html
import re

import pytest

import support.quiz
from support.figures.figure import WIDGET
from support.quiz import Choices

BECAUSE = {
    "a": "✗ That is the MLP.",
    "b": "✓ Each token reads <all> others.",
    "c": "✗ That is the norm.",
}


def choices(notebook=None, because=None):
    notebook = {} if notebook is None else notebook
    return Choices("answer_1", "abc", notebook, because)


def parts_of(quiz):
    """The buttons, the line of words, and a function that reads the line."""
    buttons, line = quiz._box().children
    return buttons, lambda: html.unescape(re.sub("<[^>]*>", "", line.value))


@pytest.mark.parametrize("letter", BECAUSE)
def test_each_letter_gets_its_own_reason(letter):
    words = choices(because=BECAUSE).words(letter)
    assert [reason in words for reason in BECAUSE.values()] == [
        other == letter for other in BECAUSE
    ]


@pytest.mark.parametrize("letter", BECAUSE)
@pytest.mark.parametrize("because", [None, BECAUSE])
def test_the_words_say_whether_the_graded_line_agrees(letter, because):
    def end(**notebook):
        return choices(notebook, because).words(letter)

    to_count = f'To have it counted, write answer_1 = "{letter}" below and run it.'
    assert end().endswith(to_count)
    assert end(answer_1=None).endswith(to_count)
    assert end(answer_2=letter).endswith(to_count)
    for written in BECAUSE:
        said = end(answer_1=written)
        if written == letter:
            assert said.endswith(f"Your line below says {letter} as well.")
        else:
            counts = "the line is what counts."
            assert said.endswith(f"Your line below says {written}; {counts}")


def test_before_a_choice_the_words_say_what_to_do():
    for because in (None, BECAUSE):
        said = choices({"answer_1": "a"}, because).words(None)
        assert said == "Choose a letter, then write it below: answer_1 = …"


@pytest.mark.parametrize("letter", BECAUSE)
def test_without_reasons_nothing_is_given_away(letter):
    said = choices({"answer_1": "z"}).words(letter)
    ends = "Your line below says z; the line is what counts."
    assert said == f"You chose {letter}. {ends}"


def test_the_words_below_the_buttons_follow_every_choice():
    quiz = choices({"answer_1": "b"}, BECAUSE)
    buttons, read = parts_of(quiz)
    assert buttons.value is None and read() == quiz.words(None)
    assert tuple(buttons.options) == ("a", "b", "c")
    for letter in "abca":
        buttons.value = letter
        assert read() == quiz.words(letter)
    buttons.value = None
    assert read() == quiz.words(None)


def test_a_choice_looks_at_the_line_as_it_is_now():
    notebook = {}
    buttons, read = parts_of(choices(notebook))
    buttons.value = "a"
    assert 'write answer_1 = "a" below' in read()
    notebook["answer_1"] = "c"
    buttons.value = "b"
    assert "says c; the line is what counts" in read()
    buttons.value = "c"
    assert "says c as well" in read()


def test_a_choice_writes_nothing_into_the_notebook():
    notebook = {"answer_1": None}
    buttons, _ = parts_of(choices(notebook))
    buttons.value = "b"
    assert notebook == {"answer_1": None}


def test_reasons_are_shown_as_text_not_as_html():
    buttons, read = parts_of(choices(because=BECAUSE))
    buttons.value = "b"
    assert BECAUSE["b"] in read()


def test_a_screen_reader_says_the_words_again():
    _, line = choices()._box().children
    assert 'role="status"' in line.value


def test_every_output_has_a_widget_and_a_text(capsys):
    data, metadata = choices(because=BECAUSE)._repr_mimebundle_()
    assert set(data) == {"text/plain", WIDGET} and metadata == {}
    assert data["text/plain"] == "Choose a letter (a, b, c) and write it below."
    assert data[WIDGET]["model_id"]
    assert capsys.readouterr().out == ""


def test_without_ipywidgets_the_text_stays_and_says_why(monkeypatch, capsys):
    monkeypatch.setattr(support.quiz, "ipywidgets", None)
    data, metadata = choices(because=BECAUSE)._repr_mimebundle_()
    assert data == {"text/plain": "Choose a letter (a, b, c) and write it below."}
    assert metadata == {}
    assert "need the package ipywidgets" in capsys.readouterr().out
