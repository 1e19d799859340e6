"""Seconds that each solved lesson takes from top to bottom, and its slowest cells.

Run it from the repository root: make timing
"""

import time

from lesson_runner import COURSE
from nbclient import NotebookClient
from rich.console import Console
from rich.table import Table
from students import solved


def time_lesson(lesson: str) -> tuple[float, str]:
    """Seconds with the start of the kernel, and the slowest cells in words."""
    notebook = solved(lesson)
    began: dict[int, float] = {}
    took: dict[str, float] = {}

    def start(cell, cell_index):
        began[cell_index] = time.monotonic()

    def stop(cell, cell_index, **_):
        took[cell.id] = time.monotonic() - began[cell_index]

    started = time.monotonic()
    NotebookClient(
        notebook,
        on_cell_execute=start,
        on_cell_executed=stop,
        extra_arguments=["--log-level=ERROR"],
    ).execute()
    total = time.monotonic() - started
    slowest = sorted(took, key=took.__getitem__, reverse=True)[:3]
    return total, ", ".join(f"{name} {took[name]:.1f}" for name in slowest)


def main() -> None:
    table = Table("Lesson", "Seconds", "Slowest cells (seconds)")
    totals = []
    for lesson in COURSE.lesson_names():
        seconds, slowest = time_lesson(lesson)
        totals.append(seconds)
        table.add_row(lesson, f"{seconds:.1f}", slowest)
    table.add_section()
    table.add_row("together", f"{sum(totals):.1f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
