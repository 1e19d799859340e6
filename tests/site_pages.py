"""The lesson pages as `make site` builds them, and what a page says and links to."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
VOID = re.compile(r"area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")


def make_site(target: Path, root: Path = ROOT) -> str:
    """Run `make site` in `root` into the folder `target`; what it prints."""
    as_it_is = "--old-file=.venv/.ready"  # the environment that runs this test
    done = subprocess.run(
        ["make", as_it_is, "site", f"SITE={target}"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Page(HTMLParser):
    """One page: its text, the part that is not folded, names, links and resources."""

    def __init__(self, file: Path):
        super().__init__()
        self.file = file
        self.text, self.open_text = "", ""
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.pictures: list[dict[str, str | None]] = []
        self._within: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))
        assert self._within == [], f"{file.name}: not closed: {self._within}"

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if not VOID.fullmatch(tag):
            self._within.append(tag)
        self.ids |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link":
            self.resources.append(values["href"])
        if "src" in values:
            self.resources.append(values["src"])
        if tag == "img":
            self.pictures.append(values)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if not VOID.fullmatch(tag):
            self._within.pop()

    def handle_endtag(self, tag):
        assert self._within.pop() == tag, f"{self.file.name}: {self.getpos()}: {tag}"

    def handle_data(self, data):
        self.text += data
        if "details" not in self._within:
            self.open_text += data
