"""The lesson pages: nothing secret on them, no broken link, nothing from outside."""

import re
import shutil
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from lesson_runner import COURSE
from site_pages import ROOT, Page, make_site

from autograder.cards import read_cards
from autograder.markers import HIDDEN, fenced
from autograder.release import SECRET_LENGTH, leaks

LESSONS = COURSE.lesson_names()
FILES = ("index", *LESSONS)
each_lesson = pytest.mark.parametrize("lesson", LESSONS)
each_page = pytest.mark.parametrize("name", FILES)
NO_BUTTONS = "No Colab buttons: set the repository in pyproject.toml to have them."
ANSWER = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.S)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built pages."""
    folder = tmp_path_factory.mktemp("built") / "site"
    said = make_site(folder)
    assert (NO_BUTTONS in said) == (not COURSE.repository)
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {name: Page(site / f"{name}.html") for name in FILES}


def code_cells(file):
    cells = nbformat.read(file, as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


@each_lesson
def test_no_page_and_no_download_holds_a_hidden_check(lesson, pages, site):
    solved = code_cells(COURSE.solution(lesson))
    hidden = {line.strip() for c in solved for line in fenced(c.source, HIDDEN)}
    public = "\n".join(cell.source for cell in code_cells(COURSE.notebook(lesson)))
    secret = {line for line in hidden if len(line) >= SECRET_LENGTH}
    secret = {line for line in secret if line not in public}
    assert len(secret) > 20
    text = pages[lesson].text
    assert [line for line in secret if line in text] == []
    assert "BEGIN HIDDEN" not in text and "BEGIN SOLUTION" not in text
    assert (site / f"{lesson}.ipynb").read_bytes() == (
        COURSE.notebook(lesson).read_bytes()
    )


@each_lesson
def test_answers_are_folded(lesson, pages, tmp_path):
    page = pages[lesson]
    (tmp_path / "open.txt").write_text(page.open_text)
    assert leaks(tmp_path, nbformat.read(COURSE.solution(lesson), as_version=4)) == []

    (tmp_path / "open.txt").write_text(page.text)  # folded solutions are on the page
    assert leaks(tmp_path, nbformat.read(COURSE.solution(lesson), as_version=4)) != []


@each_lesson
def test_what_a_notebook_folds_is_folded_on_the_page(lesson, pages):
    page, found = pages[lesson], 0
    for cell in nbformat.read(COURSE.notebook(lesson), as_version=4).cells:
        for title, text in ANSWER.findall(cell.source):
            found += 1
            assert plain(title) in plain(page.text), title
            if "```" in text:
                continue  # code: see test_answers_are_folded
            for line in map(plain, text.splitlines()):
                if len(line) > 20:
                    assert line in plain(page.text), line
                    assert line not in plain(page.open_text), line
    assert found > 15


@each_lesson
def test_the_back_of_a_recall_card_is_folded(lesson, pages):
    for card in read_cards(COURSE.cards)[lesson]:
        assert card["front"] in pages[lesson].text
        assert card["back"] in pages[lesson].text
        if len(card["back"]) > 20:
            assert card["back"] not in pages[lesson].open_text


def plain(text):
    """Letters and digits of a text, without formulas."""
    return re.sub(r"\W+", "", re.sub(r"\$.*?\$|\\\(.*?\\\)", "", text))


@each_lesson
def test_every_check_is_folded_under_its_name(lesson, pages):
    shown = re.findall(r"^Check: (.+)$", pages[lesson].text, re.M)
    checks = [
        re.search(r'checking\(\s*"(\w+)",\s*"([^"]+)"', cell.source).groups()
        for cell in code_cells(COURSE.notebook(lesson))
        if cell.metadata.course.kind == "checks"
    ]
    assert shown == [check for name, check in checks if not name.startswith("quick")]
    assert "checking(" not in pages[lesson].open_text


@each_lesson
def test_the_long_set_up_cells_are_left_out(lesson, pages):
    for cell in code_cells(COURSE.notebook(lesson)):
        if cell.id in ("setup", "figures", "advice"):
            assert max(cell.source.splitlines(), key=len) not in pages[lesson].text
    assert pages[lesson].file.stat().st_size < 600_000


@pytest.mark.parametrize("lesson", ["03_sampling", "04_kv_cache"])
def test_the_corpus_is_folded(lesson, pages):
    assert "the hill is green. the lake is blue." in pages[lesson].text
    assert "the hill is green. the lake is blue." not in pages[lesson].open_text


@each_lesson
def test_pictures_and_outputs_are_those_of_the_solved_notebook(lesson, pages):
    stills = 0
    for cell in code_cells(COURSE.solution(lesson)):
        for output in cell.outputs if cell.metadata.course.kind == "demo" else []:
            if "image/png" in output.get("data", {}):
                alt = output.data["text/plain"]
                assert alt in [picture["alt"] for picture in pages[lesson].pictures]
                stills += output.output_type == "execute_result"
            elif output.output_type == "stream":
                assert output.text.strip() in pages[lesson].open_text
    assert pages[lesson].text.count("A still picture:") == stills == 1
    assert all(picture["alt"] for picture in pages[lesson].pictures)


def test_the_index_tells_the_minutes_of_each_lesson(pages, site):
    index = (ROOT / "docs" / "site" / "index.md").read_text()
    for lesson in LESSONS:
        title = nbformat.read(COURSE.notebook(lesson), as_version=4).cells[0].source
        minutes = re.search(r"about (\d+) minutes", title)[1]
        row = next(line for line in index.splitlines() if f"({lesson}.ipynb)" in line)
        assert row.endswith(f"| {minutes} |")
        assert f"{lesson}.html" in pages["index"].links


@each_page
def test_every_link_leads_somewhere(name, pages, site):
    outside = set()
    for link in pages[name].links:
        parts = urlsplit(link)
        if parts.scheme:
            outside.add(link)
            continue
        file = site / unquote(parts.path) if parts.path else pages[name].file
        assert file.is_file(), link
        if parts.fragment and file.suffix == ".html":
            there = pages.get(file.stem) or Page(file)
            assert unquote(parts.fragment) in there.ids, link
    print(f"{name}, not followed: {sorted(outside)}")


@each_page
def test_a_page_loads_nothing_from_outside(name, pages, site):
    for resource in pages[name].resources:
        assert not urlsplit(resource).netloc, resource
        assert (site / urlsplit(resource).path).is_file(), resource
    assert not any(re.search(r"url\(.?https?:", f.read_text()) for f in styles(site))


def styles(site):
    return [file for file in (site / "_static").rglob("*.css")]


def test_one_setting_gives_every_lesson_a_colab_button(tmp_path):
    for name in ("lessons", "notebooks", "solutions", "data", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("Makefile", "nbgrader_config.py", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").symlink_to((ROOT / ".venv").resolve())
    project = (ROOT / "pyproject.toml").read_text()
    project, n = re.subn(r'(?m)^repository = ".*"', 'repository = "me/fork"', project)
    assert n == 1
    (tmp_path / "pyproject.toml").write_text(project)
    first = tmp_path / "notebooks" / "01_block.ipynb"  # built before the fork
    notebook = nbformat.read(first, as_version=4)
    notebook.cells[0].source += "\n\n[![Open in Colab](https://x.y/b.svg)](https://x.y)"
    nbformat.write(notebook, first)

    said = make_site(tmp_path / "site", tmp_path)

    assert "No Colab buttons" not in said
    for lesson in LESSONS:
        page = Page(tmp_path / "site" / f"{lesson}.html")
        assert [link for link in page.links if "colab" in link or "x.y" in link] == [
            "https://colab.research.google.com/github/me/fork/blob/main/notebooks/"
            f"{lesson}.ipynb"
        ]
        assert not any("x.y" in resource for resource in page.resources)
    index = Page(tmp_path / "site" / "index.html")
    assert "https://github.com/me/fork#readme" in index.links
