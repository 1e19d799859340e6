"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

ClassDir = Annotated[
    Path | None, typer.Option(help="The class's folder; class/ by default.")
]
Database = Annotated[
    str, typer.Option("--gradebook", help="URL of the gradebook, postgresql://…")
]
Timeout = Annotated[
    float,
    typer.Option(
        min=1,
        help="Seconds for a cell; a check of a lesson stops itself after 10 s of work.",
    ),
]
