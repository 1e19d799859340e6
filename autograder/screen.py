"""What the commands print: plain text, and paths as one would type them here."""

from pathlib import Path

from rich.console import Console
from rich.text import Text


def say(text: str) -> None:
    """Print `text`, which may hold the name of a student or a file."""
    # Text, not str: a name must not be read as rich's markup.
    Console(soft_wrap=True).print(Text(text))


def short(path: Path) -> Path:
    """`path` from the current folder, if it lies in it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
