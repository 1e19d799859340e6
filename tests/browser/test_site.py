"""The lesson pages in a browser that reaches nothing but the folder they lie in."""

import os
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import CHROMIUM
from lesson_runner import COURSE
from site_pages import make_site
from test_figures import SCREENSHOTS

pytestmark = pytest.mark.xdist_group("site")
LESSONS = COURSE.lesson_names()
FILES = ("index", *LESSONS)
PHONE, WIDE = 360, 1280
each_page = pytest.mark.parametrize("name", FILES)
each_lesson = pytest.mark.parametrize("name", LESSONS)
# The text of a page as a reader sees it, without code.
PROSE = """() => {
    const copy = document.querySelector('article').cloneNode(true);
    copy.querySelectorAll('pre, code, mjx-container').forEach(part => part.remove());
    return copy.textContent;
}"""
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
# Of every code box: how much of its width is out of sight, and how far it scrolls.
SCROLL = """() => {
    const boxes = [...document.querySelectorAll('article pre')];
    const hidden = boxes.map(box => box.scrollWidth - box.clientWidth);
    boxes.forEach(box => { box.scrollLeft = 9999; });
    return [hidden, boxes.map(box => box.scrollLeft)];
}"""
# What stands beyond the right edge, and in nothing that scrolls.
CUT_OFF = """() => {
    const scrolls = box => box.tagName !== 'ARTICLE' && (
        getComputedStyle(box).overflowX === 'auto' || scrolls(box.parentElement));
    return [...document.querySelectorAll('article *')]
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
        .filter(one => !one.closest('mjx-assistive-mml') && !scrolls(one.parentElement))
        .map(one => `${one.tagName} ${one.textContent.slice(0, 40)}`);
}"""
# Smallest contrast of text and its ground, with the text, over all text on the page.
CONTRAST = """() => {
    const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
    const light = colour => numbers(colour).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
    const ground = element => {
        const colour = getComputedStyle(element).backgroundColor;
        const solid = numbers(colour).length < 4 || numbers(colour)[3] === 1;
        return solid || !element.parentElement ? colour : ground(element.parentElement);
    };
    let worst = [99, ''];
    const walker = document.createTreeWalker(
        document.querySelector('article'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const words = walker.currentNode.textContent.trim();
        if (!words || element.closest('script, style, mjx-assistive-mml')) continue;
        if (element.classList.contains('headerlink')) continue;  // seen on hovering
        const [a, b] = [getComputedStyle(element).color, ground(element)].map(light);
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < worst[0]) worst = [contrast, words];
    }
    return worst;
}"""


@pytest.fixture(scope="session")
def _has_all_it_needs():
    """Chromium alone: these pages need no other front end."""
    reason = "Chromium is missing; install it with: apt-get install chromium"
    if not CHROMIUM and os.environ.get("CI"):
        pytest.fail(reason)
    if not CHROMIUM:
        pytest.skip(reason)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a server that has the built pages."""
    folder = tmp_path_factory.mktemp("built") / "site"
    make_site(folder)
    with ThreadingHTTPServer(
        ("localhost", 0), partial(Quiet, directory=folder)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def visit(browser, address):
    """visit(name, width, scheme) → the page, and a list that its faults go into."""
    contexts = []

    def opened(name, width=WIDE, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        contexts.append(context)
        page, faults = context.new_page(), []

        def only_from_the_folder(route):
            if route.request.url.startswith(address):
                route.continue_()
            else:
                faults.append(f"asked for {route.request.url}")
                route.abort()

        page.route("**/*", only_from_the_folder)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning") and faults.append(message.text)
            ),
        )
        page.on(
            "response",
            lambda answer: answer.status >= 400 and faults.append(answer.url),
        )
        page.goto(f"{address}{name}.html")
        if name in LESSONS:
            page.wait_for_function("window.MathJax?.startup?.promise")
            page.evaluate("MathJax.startup.promise")
        return page, faults

    yield opened
    for context in contexts:
        context.close()


@each_page
@pytest.mark.parametrize(
    ("width", "scheme"), [(PHONE, "dark"), (WIDE, "light")], ids=["phone", "wide"]
)
def test_a_page_is_complete_without_network(name, width, scheme, visit):
    page, faults = visit(name, width, scheme)
    page.evaluate("document.fonts.ready")
    picture = SCREENSHOTS / f"site-{name}-{width}-{scheme}.png"
    page.screenshot(path=picture, full_page=True)
    assert faults == []


@each_lesson
def test_every_formula_is_drawn(name, visit):
    page, faults = visit(name)
    page.evaluate(UNFOLD)
    formulas = page.locator(".math").count()
    assert formulas > 50
    assert page.locator("mjx-container").count() == formulas
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('mjx-container')].every(one => one.offsetWidth)"
    )
    left = re.findall(r"\$.{0,30}|\\[(\[a-z].{0,30}", page.evaluate(PROSE))
    assert left == []
    fonts = page.evaluate(
        "document.fonts.ready.then(() => [...document.fonts]"
        ".filter(font => font.status === 'loaded').map(font => font.family))"
    )
    assert "MJXTEX-I" in fonts
    assert faults == []


@each_lesson
def test_folded_parts_open_by_click_and_by_keyboard(name, visit):
    page, _ = visit(name)
    parts = page.locator("article details")
    assert parts.count() > 20
    for number, key in enumerate((None, "Enter", "Space")):
        part = parts.nth(number)
        summary, inside = part.locator("summary"), part.locator("> :not(summary)")
        assert not inside.first.is_visible()
        for is_open in (True, False):
            if key is None:
                summary.click()
            else:
                summary.focus()
                page.keyboard.press(key)
            assert inside.first.is_visible() == is_open


@each_lesson
def test_tab_reaches_every_folded_part(name, visit):
    page, _ = visit(name)
    count = page.locator("article summary").count()
    stops = []
    page.locator("article a.button").last.focus()
    while len(stops) < 10 * count and "A" not in stops[-1:]:  # a link: to the next page
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.tagName"))
    assert stops.count("SUMMARY") == count
    assert not any(stop.startswith("MJX") for stop in stops)


@each_page
def test_no_page_scrolls_sideways_but_long_code_does(name, visit):
    page, _ = visit(name)
    page.evaluate(UNFOLD)
    for width in (WIDE, 768, PHONE, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_OFF) == []
    hidden, moved = page.evaluate(SCROLL)
    assert moved == pytest.approx(hidden, abs=1)
    assert max(hidden, default=0) > 0 or name == "index"


@each_page
def test_all_text_can_be_read_in_light_and_dark(name, visit):
    page, _ = visit(name)
    page.evaluate(UNFOLD)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightest = max(map(int, re.findall(r"\d+", ground)[:3]))
        assert lightest > 240 if scheme == "light" else lightest < 50
        contrast, words = page.evaluate(CONTRAST)
        assert contrast >= 4.5, f"{scheme}: {contrast:.1f} for {words}"


def test_the_search_finds_a_lesson(visit):
    page, faults = visit("index")
    page.locator("input[name=q]").first.fill("sliding window")
    page.keyboard.press("Enter")
    page.locator("#search-results a", has_text="KV cache").first.wait_for()
    assert faults == []
