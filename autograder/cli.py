"""The command line: build, release, grade, report, cards, and what an LMS needs.

Each command imports what it needs when it runs: `build` with nothing to do must answer
at once, and nbformat, jupytext and nbgrader take a second to import.
"""

import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from autograder.course import Course, CourseError
from autograder.freshness import is_built
from autograder.learner_commands import summary
from autograder.lms_commands import canvas, gradescope, moodle, new_class
from autograder.options import ClassDir, Database, Timeout
from autograder.screen import say, short

if TYPE_CHECKING:
    from autograder.working import Terms

CORES = os.cpu_count() or 1
STALE = NOT_GRADED = 1
BAD_USAGE = 2
INTERRUPTED = 130

app = typer.Typer(
    help="Build, release and grade the notebooks of Transformer by Hand.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Lessons = Annotated[
    list[str] | None, typer.Argument(help="Lessons such as 01_block; all by default.")
]


def main(arguments: list[str] | None = None) -> None:
    """Run the command; a CourseError becomes a message on stderr and status 2.

    So does a path, wherever it is met, that one may not read or write.
    """
    try:
        app(arguments)
    except (CourseError, PermissionError) as error:
        told = str(error)
        if isinstance(error, PermissionError):
            told = f"{error.filename} cannot be used ({error.strerror})."
            told += " Change its permissions."
        Console(stderr=True, soft_wrap=True).print(Text(told, style="red"))
        raise SystemExit(BAD_USAGE) from None


@app.command()
def build(
    lessons: Lessons = None,
    check: Annotated[
        bool, typer.Option("--check", help="Build nothing; fail if something is stale.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Run every cell again, changed or not.")
    ] = False,
) -> None:
    """Make the solution and self-study notebooks of lessons."""
    course = Course.find(Path.cwd())
    names = course.chosen(lessons)
    stale = [name for name in names if force or not is_built(course, name)]
    for name in names:
        if name not in stale:
            say(f"{name}: nothing to do")
        elif check:
            say(f"{name}: not what its source says; run: autograder build {name}")
        else:
            say(f"{name}: {'built' if _build(course, name, force) else 'unchanged'}")
    if not course.repository:
        say("No Colab badges: set the repository in pyproject.toml to have them.")
    if check and stale:
        raise typer.Exit(STALE)


def _build(course: Course, name: str, force: bool) -> bool:
    from autograder.build import build_lesson

    with Progress(transient=True) as progress:
        task = progress.add_task(f"Building {name}", total=None)
        return build_lesson(
            course,
            name,
            lambda done, total: progress.update(task, completed=done, total=total),
            force,
        )


@app.command()
def release(
    lessons: Lessons = None, class_dir: ClassDir = None, gradebook: Database = ""
) -> None:
    """Make the notebooks that students get, without answers, in class/release/."""
    from autograder.release import release_lesson

    course = Course.at(Course.find(Path.cwd()).root, class_dir, gradebook)
    for name in course.chosen(lessons):
        say(f"{name}: {short(release_lesson(course, name))}")


@app.command()
def cards(
    file: Annotated[Path, typer.Argument(help="The deck to write.")] = Path(
        "transformer-by-hand.apkg"
    ),
) -> None:
    """Write the recall cards of all lessons as one Anki deck."""
    from autograder.cards import write_deck

    count = write_deck(Course.find(Path.cwd()).cards, file)
    say(f"{count} cards: {short(file)}; import it with File > Import in Anki.")


@app.command()
def grade(
    path: Annotated[
        Path, typer.Argument(help="A folder of submissions, or one .ipynb.")
    ],
    lesson: Annotated[
        str | None, typer.Option(help="Grade this lesson only, such as 01_block.")
    ] = None,
    class_dir: ClassDir = None,
    gradebook: Database = "",
    jobs: Annotated[int, typer.Option(min=1, help="Submissions at a time.")] = CORES,
    scheduler: Annotated[
        str, typer.Option(help="Use this Dask cluster, such as tcp://10.0.0.1:8786.")
    ] = "",
    sandbox: Annotated[
        str, typer.Option(help="auto is bwrap; or user, or none (no protection).")
    ] = "auto",
    fresh: Annotated[
        bool, typer.Option("--fresh/--resume", help="Run unchanged work again, too.")
    ] = False,
    timeout: Timeout = 30,
    memory: Annotated[float, typer.Option(min=0.5, help="GB for a submission.")] = 3,
) -> None:
    """Grade a class, or show the checks of one notebook."""
    from autograder.cluster import workers_at
    from autograder.grade import Limits
    from autograder.isolation import Room
    from autograder.working import Terms

    course = Course.at(Course.find(Path.cwd()).root, class_dir, gradebook)
    lessons = course.chosen([lesson] if lesson else None)
    room = Room(memory=int(memory * 2**30))
    terms = Terms(sandbox, room, Limits(cell=timeout, total=4 * timeout))
    if path.is_file():
        _grade_file(course, path, lesson, terms)
    elif path.is_dir():
        with workers_at(scheduler, course, jobs) as (jobs, start):
            _grade_class(course, path, lessons, jobs, terms, fresh, start)
    else:
        raise CourseError(f"{path} does not exist. Give a folder or an .ipynb file.")


@app.command()
def report(class_dir: ClassDir = None, gradebook: Database = "") -> None:
    """Write grades.csv, report.html and old or missing pages, without grading."""
    from autograder.report import write_pages, write_reports

    course = Course.at(Course.find(Path.cwd()).root, class_dir, gradebook)
    write_pages(course, write_reports(course))
    _say_reports(course)


def _grade_file(course: Course, file: Path, lesson: str | None, terms: "Terms") -> None:
    from autograder.report import checks_table
    from autograder.single import grade_file, refuse_archive

    refuse_archive(file)
    console = Console()
    with console.status(f"Running {file.name}"):
        result = grade_file(course, file, lesson, terms)
    console.print(checks_table(result))
    _warn_of(terms)


def _grade_class(
    course: Course,
    folder: Path,
    lessons: list[str],
    jobs: int,
    terms: "Terms",
    fresh: bool,
    start: Callable[[int], Executor] | None,
) -> None:
    from autograder.batch import grade_class, submissions_in
    from autograder.report import class_table
    from autograder.submission import not_recognised, unreadable

    submissions = submissions_in(course, folder, lessons)
    with Progress(*Progress.get_default_columns(), transient=True) as progress:
        task = progress.add_task("Grading", total=None)

        def show(done: int, total: int, student: str) -> None:
            text = f"{done} of {total} {student}"[:40]
            progress.update(task, completed=done, total=total, description=text)

        try:
            results = grade_class(course, submissions, show, jobs, terms, fresh, start)
        except KeyboardInterrupt:
            progress.stop()
            say("Stopped. The gradebook is whole; run the command again to go on.")
            raise typer.Exit(INTERRUPTED) from None
    Console().print(class_table(results))
    if strangers := not_recognised(folder, course.lesson_names()):
        say(f"Not recognised, and not graded: {', '.join(strangers)}")
    if closed := unreadable(folder):
        say(f"Cannot be read, and not graded: {', '.join(closed)}")
    _say_reports(course)
    if not course.database:
        say(f"Gradebook: {short(course.gradebook)}")
    say(f"Feedback: {short(course.feedback)}")
    _warn_of(terms)
    if closed or not all(result.checks for result in results):
        raise typer.Exit(NOT_GRADED)


def _say_reports(course: Course) -> None:
    say(f"Grades: {short(course.grades_csv)}")
    say(f"Report: {short(course.report)}")


def _warn_of(terms: "Terms") -> None:
    if terms.sandbox == "none":
        say("Not isolated: students' code could do all that you can do here.")


for command in (canvas, gradescope, moodle, new_class, summary):
    app.command()(command)
