"""HTML pages from templates/: whatever is put into one is escaped and harmless."""

from pathlib import Path

import jinja2


def _harmless(value: object) -> object:
    """Text without control characters; among them are those that turn text around."""
    if type(value) is not str:  # numbers, and what a template has made
        return value
    if value.replace("\n", "").replace("\t", "").isprintable():
        return value  # as nearly always, and quicker
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in value)


_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("autograder"),
    autoescape=True,
    finalize=_harmless,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
_TEMPLATES.filters["number"] = "{:g}".format


def write_page(file: Path, template: str, **facts: object) -> None:
    """Write the page that a template makes of `facts`; the same facts, the same page.

    Raises OSError when the file cannot be written.
    """
    text = _TEMPLATES.get_template(template).render(facts)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
