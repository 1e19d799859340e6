"""What was graded before, so that a rerun grades only what changed.

One line of JSON for each submission, added after its grades are in the gradebook; the
last line of a submission counts. What could not be graded is remembered without a
digest, so that it is tried again. A line that a crash cut off is ignored, and its
submission graded again.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from autograder.course import Course
from autograder.grade import NOT_ISOLATED, CheckResult, Limits, Result
from autograder.gradebook import recorded_results
from autograder.isolation import Room
from autograder.submission import Submission


class Memory:
    """The results of earlier runs of a class, by submission and what was handed in.

    To a run that is `isolated`, a result of a run that was not is no result. `limits`
    are those of the run on time and room; a result of a run with others is none either.
    """

    def __init__(
        self,
        course: Course,
        isolated: bool = False,
        limits: tuple[Limits, Room] | None = None,
    ):
        self.course, self.file = course, course.class_dir / "graded.jsonl"
        self.isolated, self.limits = isolated, limits
        self.known: dict[tuple[str, str], tuple[str, Result]] = {}
        self.versions: dict[str, str] = {}
        if self.file.is_file():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            told = json.loads(line)
            result, digest = _result(told), told["digest"]
            self.known[result.student, result.lesson] = digest, result
        except (ValueError, KeyError, TypeError):
            return  # cut off, or not ours

    def result(self, submission: Submission, digest: str) -> Result | None:
        """The result of the very same work, or None if it has to be graded."""
        key = submission.student, submission.lesson
        known, result = self.known.get(key, ("", None))
        if known != digest or (self.isolated and NOT_ISOLATED in result.flags):
            return None
        return result

    def results(self) -> list[Result]:
        """The last result of every submission, as it was when it was graded."""
        return [result for _, result in self.known.values()]

    def add(self, result: Result, digest: str) -> None:
        """Remember a result; its grades, if it has any, are in the gradebook."""
        told = asdict(result) | {"digest": digest if result.checks else ""}
        told["checks"] = [list(check.values()) for check in told["checks"]]
        with self.file.open("ab+") as lines:
            lines.seek(max(0, lines.tell() - 1))
            is_cut = lines.read() not in (b"", b"\n")  # what stands last in the file
            lines.write(b"\n" * is_cut + json.dumps(told).encode() + b"\n")

    def digest(self, submission: Submission) -> str:
        """What a result depends on: the work, the lesson, this package, the limits."""
        parts = [self._version(submission.lesson), submission.problem.encode()]
        parts += [repr(self.limits).encode()]
        parts += [note.encode() for note in submission.notes]
        file = submission.file
        for path in (file, file and file.parent / "timestamp.txt"):
            if path and path.is_file():
                parts.append(_content(path))
            else:
                parts.append(b"")
        whole = hashlib.sha256()
        for part in parts:
            whole.update(hashlib.sha256(part).digest())
        return whole.hexdigest()

    def _version(self, lesson: str) -> bytes:
        if lesson not in self.versions:
            package = sorted(Path(__file__).parent.glob("*.py"))
            files = [self.course.released(lesson), self.course.solution(lesson)]
            whole = hashlib.sha256()
            for file in (*package, *files):
                whole.update(file.read_bytes())
            self.versions[lesson] = whole.hexdigest()
        return self.versions[lesson].encode()


def _content(file: Path) -> bytes:
    """What a file holds; for one that cannot be read, the reason."""
    try:
        return file.read_bytes()
    except OSError as error:
        return str(error).encode()


def _result(told: dict) -> Result:
    checks = tuple(CheckResult(*check) for check in told["checks"])
    repairs, flags = tuple(told["repairs"]), tuple(told["flags"])
    student, lesson = told["student"], told["lesson"]
    return Result(student, lesson, checks, told["problem"], repairs, flags)


def class_results(course: Course) -> list[Result]:
    """All that is recorded of a class, with the scores that the gradebook holds now.

    What was not graded has no checks; what another program graded has no messages.
    """
    scores = {(r.student, r.lesson): r for r in recorded_results(course)}
    found = dict(scores)
    for result in Memory(course).results():
        key = result.student, result.lesson
        if key in scores and result.checks:
            found[key] = result.with_points(scores[key].scores)
        elif not result.checks:
            found[key] = result
    return [found[key] for key in sorted(found)]
