"""A zip that Gradescope takes, and what its run_autograder does with a submission.

Gradescope unpacks the zip to /autograder/source. It holds this package and the solution
notebook of one lesson, laid out as a course; setup.sh installs the package.
"""

import json
import shlex
import subprocess
import sys
import time
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbgrader.utils import is_grade

from autograder.course import Course, CourseError
from autograder.grade import CheckResult, Result, readable
from autograder.isolation import PACKAGE, Room, bwrap_command
from autograder.markers import HIDDEN
from autograder.new_class import TEMPLATES
from autograder.single import grade_file
from autograder.submission import submission_of
from autograder.summary import outcome, title_of
from autograder.working import Terms

SCRIPTS = ("setup.sh", "run_autograder")
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")  # beside the package
LATER = "Checks that have hidden parts are shown when the grades are published."
BROKEN = (
    "Your work could not be graded. That is a fault of the autograder, not yours: "
    "tell your teacher, who can read why and run it again."
)


def write_zip(course: Course, lesson: str, file: Path, pip_args: str = "") -> None:
    """Write the autograder of one lesson; `pip_args` are more options for pip.

    Raises CourseError when the lesson is unknown or not built, when the options cannot
    be read, and when the package or the zip's folder is not as needed.
    """
    course.chosen([lesson])
    try:
        options = shlex.join(shlex.split(pip_args))
    except ValueError as error:
        raise CourseError(f"--pip-args {pip_args}: {error}. Close it.") from None
    if not course.solution(lesson).is_file():
        raise CourseError(f"{lesson} is not built; run: autograder build {lesson}")
    part = file.with_name(f"{file.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in SCRIPTS:
                script = TEMPLATES.get_template(f"gradescope/{name}")
                _add(packed, name, script.render(pip_options=options).encode(), 0o755)
            for name, path in _files(course, lesson):
                _add(packed, name, path.read_bytes(), 0o644)
        part.replace(file)
    except OSError as error:
        raise CourseError(
            f"{file} cannot be made: {error.filename or ''} {error.strerror}."
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _files(course: Course, lesson: str) -> Iterator[tuple[str, Path]]:
    """Name in the zip, and file, of all but the scripts."""
    root = PACKAGE.parent
    if not (root / BUILT_FROM[0]).is_file():
        raise CourseError(
            f"{PACKAGE} was installed without its sources. Run the command in an "
            "environment that was made with: make setup"
        )
    yield "constraints.txt", root / "constraints.txt"
    for name in BUILT_FROM:
        yield f"package/{name}", root / name
    modules, templates = PACKAGE.glob("*.py"), PACKAGE.glob("templates/**/*")
    for path in sorted([*modules, *templates]):
        if path.is_file():
            yield f"package/{path.relative_to(root).as_posix()}", path
    solution = course.solution(lesson)
    yield solution.relative_to(course.root).as_posix(), solution


def _add(packed: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name)  # of 1980: the same course, the same zip
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(entry, data)


def main(root: Path) -> int:
    """Grade what lies in `root`/submission; write `root`/results/results.json.

    Whatever is handed in, this returns: 0, or 1 when the autograder itself is at fault.
    What it prints is for teachers.
    """
    sys.stdout.reconfigure(errors="replace")  # a student's text may not fit
    start, status = time.monotonic(), 0
    try:
        results = _graded(root)
    except Exception:
        traceback.print_exc()
        results, status = _results(BROKEN), 1
    results["execution_time"] = round(time.monotonic() - start, 1)
    file = root / "results" / "results.json"
    part = file.with_name("results.json.part")
    part.write_text(json.dumps(results, indent=1), encoding="utf-8")
    part.replace(file)
    return status


def _graded(root: Path) -> dict:
    source = root / "source"
    course = Course(source, source / "class")
    (solution,) = course.solutions.glob("*/*.ipynb")
    lesson, folder = solution.stem, root / "submission"
    files = [
        path
        for path in sorted(folder.rglob("*"))  # links are not followed
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and (path.is_symlink() or path.is_file())
    ]
    found = submission_of(folder, lesson, "learner", files)
    if found.file is None:
        return _results(found.problem)
    kind = "bwrap" if _has_namespaces() else "user"
    print(f"{readable(str(found.file.relative_to(folder)))}, --sandbox {kind}")
    result = grade_file(course, found.file, lesson, Terms(kind))
    for flag in result.flags:
        print(flag)
    notes = [result.problem or LATER, *found.notes, *result.repairs]
    return _results("\n".join(notes), result, _sources(solution))


def _has_namespaces() -> bool:
    """Whether bubblewrap works here, with all that the sandbox asks of it."""
    command = [*bwrap_command(Room()), "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return False
    print(done.stderr, end="")
    return done.returncode == 0


def _sources(solution: Path) -> dict[str, str]:
    """The id of each check cell → its source."""
    cells = nbformat.read(solution, as_version=4).cells
    return {c.metadata.nbgrader.grade_id: c.source for c in cells if is_grade(c)}


def _results(
    text: str, result: Result | None = None, sources: dict[str, str] | None = None
) -> dict:
    """What results.json holds, but for the time."""
    checks = result.checks if result else ()
    return {
        "score": sum(check.points for check in checks),
        "output": text,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            _test(number, check, sources[check.check], bool(result.problem))
            for number, check in enumerate(checks, 1)
        ],
    }


def _test(number: int, check: CheckResult, source: str, has_problem: bool) -> dict:
    """The entry of one check cell; a problem is told once, above all entries."""
    return {
        "name": title_of(source) or check.check,
        "number": str(number),
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if outcome(check) == "passed" else "failed",
        "output": "" if has_problem else check.message,
        "output_format": "text",
        "visibility": "after_published" if HIDDEN in source else "visible",
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
