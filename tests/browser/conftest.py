"""A browser, the servers, and one open notebook for each figure and front end.

`make browser` works at two tests at a time, each worker with servers of its own; what
shares an open notebook or a built class is a group, which one worker keeps to itself.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack

import nbformat
import pytest
from cases import CASES
from playwright.sync_api import Browser, sync_playwright
from screen import Opened, Screen
from servers import CLASSIC, COLAB, LAB, running

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MISSING = {
    "Chromium is missing; install it with: apt-get install chromium": not CHROMIUM,
    "the environment shaped like Colab's is missing; make it with: make browser": not (
        COLAB / "bin" / "jupyter-notebook"
    ).is_file(),
}


@pytest.fixture(scope="session", autouse=True)
def _has_all_it_needs():
    for reason, is_missing in MISSING.items():
        if is_missing and os.environ.get("CI"):
            pytest.fail(reason)
        if is_missing:
            pytest.skip(reason)


@pytest.fixture(scope="session")
def browser(_has_all_it_needs) -> Iterator[Browser]:
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with one notebook for each figure."""
    folder = tmp_path_factory.mktemp("notebooks")
    for case in CASES:
        nbformat.write(case.notebook(), folder / f"{case.lesson}.ipynb")
    return folder


@pytest.fixture(scope="session")
def addresses(folder) -> Iterator[dict[str, str]]:
    """Name of a front end → address of its server."""
    with ExitStack() as stack:
        yield {
            front_end.name: stack.enter_context(running(front_end, folder))
            for front_end in (LAB, CLASSIC)
        }


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((end, case), id=name, marks=pytest.mark.xdist_group(name))
        for end in (LAB, CLASSIC)
        for case in CASES
        for name in [f"{end.name}-{case.lesson}"]
    ],
)
def opened(request, browser, addresses) -> Iterator[Opened]:
    """One notebook that has been run, in one front end."""
    front_end, case = request.param
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    screen = Screen(page, front_end, addresses[front_end.name])
    screen.run(f"{case.lesson}.ipynb")
    codes = [cell.id for cell in case.notebook().cells]
    yield Opened(screen, case, codes, case.figure())
    screen.close()
