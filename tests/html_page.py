"""A page as tests read it: tables, texts and what it would load."""

from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "br", "line", "rect"}  # closed by themselves
BLOCKS = {"p", "summary", "strong", "li", "div"}  # the next text stands apart


class Page(HTMLParser):
    """What stands in a file: `tags`, `text` without styles, `tables`, `links`.

    A table is a list of rows, a row a list of the texts of its cells; `sections` are
    texts by the heading that they follow.
    """

    def __init__(self, file: Path):
        super().__init__()
        self.source = file.read_text(encoding="utf-8")
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.sections: dict[str, str] = {"": ""}
        self.heading = ""
        self.text = ""
        self.feed(self.source)
        assert not self.open, "a tag is not closed"

    @property
    def links(self) -> list[str]:
        loads = ("src", "href", "xlink:href", "action", "data", "srcset")
        return [value for name, value in self.attributes if name in loads]

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag in ("h1", "h2", "h3"):
            self.heading = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open.pop() == tag
        if tag in BLOCKS:
            self.handle_data(" ")
        if tag in ("h1", "h2", "h3"):
            self.heading = " ".join(self.heading.split())
            self.sections.setdefault(self.heading, "")

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data
        if {"h1", "h2", "h3"} & set(self.open):
            self.heading += data
        else:
            self.sections[self.heading] += data

    def section(self, heading: str) -> str:
        """The text under a heading, without extra blanks."""
        return " ".join(self.sections[heading].split())

    def rows(self, *columns: str) -> list[list[str]]:
        """The rows of all tables with these columns, without extra blanks."""
        found = [
            [[" ".join(cell.split()) for cell in row] for row in table]
            for table in self.tables
        ]
        return [row for t in found if t[0] == list(columns) for row in t[1:]]
