"""What was graded before, so that a rerun grades only what changed.

One line of JSON for each graded submission, added after its grades are in the
gradebook; the last line of a submission counts. A line that a crash cut off is ignored,
and its submission graded again.
"""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

from autograder.course import Course
from autograder.grade import CheckResult, Result
from autograder.submission import Submission


class Memory:
    """The results of earlier runs of a class, by submission and what was handed in."""

    def __init__(self, course: Course):
        self.course, self.file = course, course.class_dir / "graded.jsonl"
        self.known: dict[tuple[str, str], dict] = {}
        self.versions: dict[str, str] = {}
        if self.file.is_file():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            told = json.loads(line)
            self.known[told["student"], told["lesson"]] = told
        except (ValueError, KeyError, TypeError):
            return  # cut off, or not ours

    def result(self, submission: Submission, digest: str) -> Result | None:
        """The result of the very same work, or None."""
        told = self.known.get((submission.student, submission.lesson))
        if not told or told.get("digest") != digest:
            return None
        checks = tuple(CheckResult(*check) for check in told["checks"])
        repairs = tuple(told["repairs"])
        return Result(told["student"], told["lesson"], checks, told["problem"], repairs)

    def add(self, result: Result, digest: str) -> None:
        """Remember a result whose grades are in the gradebook."""
        told = asdict(result) | {"digest": digest}
        told["checks"] = [list(check.values()) for check in told["checks"]]
        with self.file.open("a", encoding="utf-8") as text:
            text.write(json.dumps(told) + "\n")

    def digest(self, submission: Submission) -> str:
        """What a result depends on: the work, the lesson, and this package."""
        parts = [self._version(submission.lesson), submission.problem.encode()]
        parts += [note.encode() for note in submission.notes]
        file = submission.file
        for path in (file, file and file.parent / "timestamp.txt"):
            if path and path.is_file():
                parts.append(path.read_bytes())
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


def with_scores(result: Result, scores: Result | None) -> Result:
    """`result` with the scores that the gradebook holds now (a teacher's count)."""
    if scores is None:
        return result
    now = {check.check: check.points for check in scores.checks}
    checks = tuple(
        replace(check, points=now.get(check.check, check.points))
        for check in result.checks
    )
    return replace(result, checks=checks)
