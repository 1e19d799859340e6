"""The figures in a real browser, worked by keyboard, in two front ends."""

import os
import re
from pathlib import Path

import pytest
from cases import CASES
from screen import PATIENCE, Screen
from servers import LAB, ROOT, choose

SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", ROOT / "build" / "screenshots"))
MOST_MILLISECONDS = 100
# What a page may complain of without any fault of ours.
HARMLESS = re.compile(r"favicon|/custom/custom\.(js|css)|ResizeObserver loop")


def test_tab_reaches_every_control(opened):
    reached = opened.screen.walk(opened.output)
    assert {step.control for step in opened.case.steps} <= set(reached)


def test_every_control_changes_the_picture_to_the_right_values(opened):
    settings = dict(opened.figure.settings)
    first = opened.figure.words(opened.figure.numbers(**settings))
    assert opened.screen.words(opened.output, first) == (first, first)
    for step in opened.case.steps:
        opened.screen.press(opened.output, step.control, *step.keys)
        settings |= step.changes
        want = opened.figure.words(opened.figure.numbers(**settings))
        said = opened.screen.words(opened.output, want)
        assert said == (want, want), f"{step.control}: {settings}"
    opened.screen.keep(opened.output, SCREENSHOTS / f"{opened.name}.png")


def test_a_change_is_on_screen_in_time(opened, record_property):
    if opened.screen.front_end is not LAB:
        pytest.skip("the time is promised for JupyterLab")
    control, *keys = opened.case.fast
    delay = opened.screen.delay(opened.output, control, keys * 8)
    print(f"{opened.case.cell}: {delay:.0f} ms from a key to the picture")
    record_property("milliseconds", delay)
    assert delay < MOST_MILLISECONDS


def test_a_quick_check_explains_the_chosen_letter(opened):
    output = opened.cell("quick_1_choices")
    opened.screen.reach(output, "a")
    opened.screen.page.keyboard.press("Space")
    line = output.locator("[role=status]")
    line.filter(has_text=re.compile("[✓✗]")).wait_for(timeout=1000 * PATIENCE)
    assert "answer_1" in line.inner_text() or "Your line" in line.inner_text()


def test_a_recall_card_turns(opened):
    output = opened.cell("cards")
    card = output.locator("[role=status]")
    card.filter(has_text="Question 1 of").wait_for(timeout=1000 * PATIENCE)
    opened.screen.reach(output, "Turn the card")
    opened.screen.page.keyboard.press("Space")
    card.filter(has_text="Answer 1 of").wait_for(timeout=1000 * PATIENCE)


def test_nothing_is_wrong_in_the_console(opened):
    assert [text for text in opened.screen.errors if not HARMLESS.search(text)] == []


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.lesson)
def test_the_picture_takes_the_colours_of_the_theme(
    theme, case, browser, folder, addresses
):
    choose(folder, "themes", {"theme": theme})
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    screen = Screen(page, LAB, addresses[LAB.name])
    screen.run(f"{case.lesson}.ipynb")
    codes = [cell.id for cell in case.notebook().cells]
    output = screen.output(codes.index(case.cell))
    name = f"{case.lesson}-{theme.split()[1].lower()}"
    screen.keep(output, SCREENSHOTS / f"{name}.png")
    text, ground = screen.colours(output)
    assert (max(text) < 64) == (min(ground) > 192) == (theme == "JupyterLab Light")
    screen.close()
