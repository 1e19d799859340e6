"""The command for a learner's folder, as a job on GitHub calls it."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.course import Course

NOT_GRADED = 1


def summary(
    paths: Annotated[list[Path], typer.Argument(help="Folders, or notebooks.")],
    feedback: Annotated[
        Path | None, typer.Option(help="A folder for a page of each notebook.")
    ] = None,
    sandbox: Annotated[
        str, typer.Option(help="bwrap, user, or none for no protection at all.")
    ] = "auto",
) -> None:
    """Grade the notebooks of one learner; print the result as Markdown."""
    from autograder.learner import find_notebooks, grade_notebooks
    from autograder.markdown import listed, markdown
    from autograder.working import Terms

    course = Course.find(Path.cwd())
    found = find_notebooks(course, paths)
    if found.chosen:
        terms = Terms(sandbox)
        results, titles = grade_notebooks(course, found.chosen, feedback, terms)
        typer.echo(markdown(results, titles))
    else:
        results = []
        names = ", ".join(f"`{name}.ipynb`" for name in course.lesson_names())
        typer.echo(f"# No notebook found\n\nExpected are {names}.\n")
    remarks = {
        "Not graded, as there is another of the same lesson:": found.copies,
        "Not graded, as no lesson is known by these names:": found.others,
    }
    for remark, files in remarks.items():
        if files:
            typer.echo(f"{remark}\n\n{listed(map(str, files))}\n")
    if not results or not all(result.checks for result in results):
        raise typer.Exit(NOT_GRADED)
