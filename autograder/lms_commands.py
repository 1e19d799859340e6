"""The commands for a class in an LMS or on JupyterHub; `cli.py` offers them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.course import Course
from autograder.options import ClassDir, Database
from autograder.screen import say, short

if TYPE_CHECKING:
    from autograder.lms import Written

LEFT_OUT = 1

Output = Annotated[
    Path | None, typer.Option(help="The file to write; by default in the class's.")
]


def canvas(
    export: Annotated[Path, typer.Argument(help="A gradebook export of Canvas.")],
    output: Output = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help='A lesson\'s column: 01_block="Homework 1 (4711)".'),
    ] = None,
    class_dir: ClassDir = None,
    gradebook: Database = "",
) -> None:
    """Write the class's grades as a file for Canvas, Grades, Import."""
    from autograder.canvas import write_canvas

    course = _course(class_dir, gradebook)
    file = output or course.class_dir / "canvas.csv"
    _tell(write_canvas(course, export, file, column or []))


def moodle(
    output: Output = None,
    roster: Annotated[
        Path | None, typer.Option(help="A grade export of Moodle, for the ids.")
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Add what points were lost for.")
    ] = False,
    class_dir: ClassDir = None,
    gradebook: Database = "",
) -> None:
    """Write the class's grades as a file for Moodle, Grades, Import, CSV file."""
    from autograder.moodle import write_moodle

    course = _course(class_dir, gradebook)
    file = output or course.class_dir / "moodle.csv"
    _tell(write_moodle(course, file, roster, feedback))


def new_class(
    folder: Annotated[Path, typer.Argument(help="The folder to make.")],
    course_id: Annotated[
        str | None, typer.Option(help="nbgrader's course id; the folder's name.")
    ] = None,
) -> None:
    """Make an instructor's folder that works with nbgrader and JupyterHub."""
    from autograder.new_class import make_class

    made = make_class(Course.find(Path.cwd()), folder, course_id)
    say(f"{short(made)}: ready; {short(made / 'README.md')} says what to do next.")


def gradescope(
    lesson: Annotated[str, typer.Argument(help="The lesson, such as 01_block.")],
    output: Annotated[Path, typer.Option(help="The zip to write.")] = Path(
        "autograder.zip"
    ),
    pip_args: Annotated[
        str, typer.Option(help="More options for pip, when Gradescope sets it up.")
    ] = "",
) -> None:
    """Write an autograder for Gradescope: a zip with one lesson."""
    from autograder.gradescope import write_zip

    write_zip(_course(), lesson, output, pip_args)
    say(f"{short(output)}: {lesson}; it holds the answers, so give it to no student.")


def _course(class_dir: Path | None = None, gradebook: str = "") -> Course:
    return Course.at(Course.find(Path.cwd()).root, class_dir, gradebook)


def _tell(written: "Written") -> None:
    for note in [*written.notes, *written.skipped, *written.left_out]:
        say(note)
    students, lessons = written.students, ", ".join(written.lessons)
    if students:
        who = "student" if students == 1 else "students"
        say(f"{students} {who}, {lessons}: {short(written.file)}")
    elif lessons:
        say("No student could be matched, so no file was written.")
    else:
        say("No lesson is left, so no file was written.")
    if written.left_out:
        count = len(written.left_out)
        who = "student with grades is" if count == 1 else "students with grades are"
        say(f"{count} {who} left out, see above.")
    if written.skipped:
        count = len(written.skipped)
        what = "lesson is" if count == 1 else "lessons are"
        say(f"{count} {what} left out, see above.")
    if written.left_out or written.skipped:
        raise typer.Exit(LEFT_OUT)
