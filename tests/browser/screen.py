"""One notebook open in a browser: run it, walk its controls, look at its pictures."""

import re
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from cases import Case
from playwright.sync_api import Locator, Page
from servers import LAB, FrontEnd

RUN_SECONDS = 60
PATIENCE = 20  # seconds for a change on the page; far less on a quiet machine
# The names of the controls that Tab reaches, from the first one on.
NAME_OF_FOCUS = """output => {
    const active = document.activeElement;
    if (!output.contains(active)) return null;
    if (active.tagName === 'BUTTON') return active.innerText.trim();
    const near = active.closest('label');  // of a checkbox or a radio button
    if (near) return near.innerText.trim();
    const control = active.closest('.widget-inline-hbox, .widget-inline-vbox');
    const label = control && control.querySelector('.widget-label');
    return label ? label.innerText.trim() : active.tagName;
}"""
# Milliseconds from a key to the new picture, for each press that the page saw.
WATCH_KEYS = """output => {
    window.delays = [];
    let pressed = null;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
    new MutationObserver(() => {
        if (pressed === null) return;
        const since = pressed;
        pressed = null;
        requestAnimationFrame(() => window.delays.push(performance.now() - since));
    }).observe(output.querySelector('svg[role=img]').parentElement, {childList: true});
}"""


class Screen:
    """A page with one notebook, in one of the front ends."""

    def __init__(self, page: Page, front_end: FrontEnd, address: str):
        self.page, self.front_end, self.address = page, front_end, address
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def run(self, file: str) -> None:
        """Open a notebook and run all of its cells."""
        self.page.goto(self.address + self.front_end.address.format(file=file))
        self.page.wait_for_function(self.front_end.ready, timeout=60_000)
        if self.front_end is LAB:
            self.page.get_by_text("Run", exact=True).first.click()
            self.page.get_by_text("Run All Cells", exact=True).click()
        else:
            # ipywidgets 7 then looks for widgets of an earlier run, and takes away
            # those that appear meanwhile.
            self.page.wait_for_timeout(4000)
            self.page.evaluate("Jupyter.notebook.execute_all_cells()")

    def output(self, cell: int) -> Locator:
        """The output of the code cell with this number, counted from 0."""
        cells = self.page.locator(self.front_end.cell)
        output = cells.nth(cell).locator(self.front_end.output)
        output.locator("[role=status]").first.wait_for(timeout=1000 * RUN_SECONDS)
        output.scroll_into_view_if_needed()
        return output

    def walk(self, output: Locator) -> list[str]:
        """Names of the controls in the order in which Tab reaches them."""
        self._focus_first(output)
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Shift+Tab")  # Tab comes to the first one too
        names: list[str] = []
        while (name := self.focused(output)) is not None and len(names) < 100:
            names.append(name)
            self.page.keyboard.press("Tab")
        return names

    def _focus_first(self, output: Locator) -> None:
        controls = "button, input, select, [tabindex='0']"
        output.locator(".jupyter-widgets").locator(controls).first.focus()

    def focused(self, output: Locator) -> str | None:
        return output.evaluate(NAME_OF_FOCUS)

    def reach(self, output: Locator, name: str) -> None:
        """Press Tab until the control of this name has the focus."""
        self._focus_first(output)
        for _ in range(100):
            if self.focused(output) == name:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {name}")

    def press(self, output: Locator, name: str, *keys: str) -> None:
        """Press keys on a control, and wait until the picture changes."""
        self.reach(output, name)
        before = self.picture(output)
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_function(
            "([output, before]) => output.querySelector('svg[role=img]').outerHTML"
            " !== before",
            arg=[output.element_handle(), before],
            timeout=1000 * PATIENCE,
        )

    def picture(self, output: Locator) -> str:
        return self.drawing(output).evaluate("svg => svg.outerHTML")

    def words(self, output: Locator, want: str) -> tuple[str, str]:
        """The line below the picture, and the picture's own name.

        They come one after the other, so both are waited for until they are `want`.
        """
        latest = time.monotonic() + PATIENCE
        while self._words(output) != (want, want) and time.monotonic() < latest:
            self.page.wait_for_timeout(50)
        self.page.wait_for_timeout(150)  # nothing else may come after it
        return self._words(output)

    def _words(self, output: Locator) -> tuple[str, str]:
        # JupyterLab leaves out the text of cells beyond the screen. Scrolling once is
        # not enough: cells above grow when they come on screen themselves.
        output.evaluate("output => output.scrollIntoView({block: 'nearest'})")
        line = output.locator("[role=status]").first.inner_text()
        name = self.drawing(output).get_attribute("aria-label")
        # the name holds no line breaks
        return line, line if line.split() == name.split() else name

    def drawing(self, output: Locator) -> Locator:
        return output.locator("svg[role=img]").first

    def delay(self, output: Locator, name: str, keys: list[str]) -> float:
        """Median milliseconds from a key on a control to the new picture."""
        self.reach(output, name)
        output.evaluate(WATCH_KEYS)
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(200)
        delays = self.page.evaluate("window.delays")
        assert len(delays) >= len(keys) / 2, f"{len(delays)} pictures for {keys}"
        return statistics.median(delays)

    def keep(self, output: Locator, file: Path) -> None:
        """Save what an output looks like as a PNG."""
        file.parent.mkdir(parents=True, exist_ok=True)
        output.screenshot(path=file)

    def colours(self, output: Locator) -> list[list[int]]:
        """Text colour and background of the picture, each as (red, green, blue)."""
        style = "svg => [getComputedStyle(svg).color, getComputedStyle(svg).background]"
        return [
            list(map(int, re.findall(r"\d+", colour)[:3]))
            for colour in self.drawing(output).evaluate(style)
        ]

    def close(self) -> None:
        """Leave the page; the kernel goes with it."""
        path = "/api/sessions"
        sessions = self.page.request.get(self.address + path).json()
        cookies = {c["name"]: c["value"] for c in self.page.context.cookies()}
        token = {"X-XSRFToken": cookies.get("_xsrf", "")}
        for session in sessions:
            one = f"{self.address}{path}/{session['id']}"
            self.page.request.delete(one, headers=token)
        self.page.close()


@dataclass(frozen=True)
class Opened:
    """A notebook that has been run, and the same figure in this process."""

    screen: Screen
    case: Case
    codes: list[str]  # ids of the code cells
    figure: object

    @property
    def name(self) -> str:
        return f"{self.case.lesson}-{self.screen.front_end.name}"

    @property
    def output(self) -> Locator:
        return self.cell(self.case.cell)

    def cell(self, name: str) -> Locator:
        return self.screen.output(self.codes.index(name))
