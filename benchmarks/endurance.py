"""A thousand small submissions, one in ten hostile: does each get its result?

Run it from the repository root: PYTHONPATH=lessons:tests .venv/bin/python \\
    benchmarks/endurance.py 1000

It uses the small course of the tests, without torch in its answers, and tells how the
memory of the process that starts the workers grows.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from conftest import LESSON, _hand_in, _write_course

from autograder.batch import grade_class
from autograder.grade import Limits
from autograder.isolation import Room
from autograder.release import release_lesson
from autograder.working import Terms

RIGHT = "def double(x):\n    return x + x"
HOSTILE = (
    "import os\ndef double(x):\n    os._exit(0)",
    "import ctypes\nctypes.string_at(0)",
    "import os\nwhile True: os.fork()",
    "def double(x):\n    return [0] * 10**10",
    "def double(x):\n    while True: pass",
    "import os\nos.kill(-1, 9)",
    "import ctypes\nctypes.CDLL(None).shmget(4, 4096, 0o1666)",
    "import os\nfor n in range(3, 99):\n    try: os.write(n, b'x' * 999)\n"
    "    except OSError: pass",
    "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "open('loot', 'w').write('x' * 10**9)",
)


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main():
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        course = _write_course(Path(place).resolve() / "course")
        release_lesson(course, LESSON)
        work, hostile = [], set()
        for number in range(count):
            answers = {"double": RIGHT, "quick_1": 'answer_1 = "b"'}
            student = f"s{number:05}"
            if number % 10 == 7:
                answers["double"] = HOSTILE[number // 10 % len(HOSTILE)]
                hostile.add(student)
            work.append(_hand_in(course, student, **answers))
        memory, start = [], time.monotonic()
        terms = Terms("bwrap", Room(memory=1 << 30), Limits(cell=2))
        results = grade_class(
            course,
            work,
            lambda *_: memory.append(resident()),
            jobs=os.cpu_count() or 1,
            terms=terms,
        )
        seconds = time.monotonic() - start
    honest = [result for result in results if result.student not in hostile]
    whole = sum(result.points == 4 for result in honest)
    lost = [result.student for result in results if not result.checks]
    other = [r.points for r in results if r.student in hostile]
    print(f"{count} submissions in {seconds:.0f} s, {len(lost)} without a result")
    print(f"honest: {whole} of {len(honest)} have all points")
    print(f"hostile: {len(other)}, points {min(other)} to {max(other)} of 4")
    tenth = len(memory) // 10
    print(
        f"memory: {memory[tenth]:.0f} MB after a tenth, {memory[-1]:.0f} MB at the end"
    )
    raise SystemExit(bool(lost) or whole < len(honest))


if __name__ == "__main__":
    main()
