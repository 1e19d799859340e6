"""What an answer might try against the grader: no score rises, nothing is reached."""

import socket
import threading

import nbformat
import pytest
from conftest import STRICT, _write_course, grade_submission, needs_bwrap

from autograder.batch import grade_class, submissions_in
from autograder.grade import Limits
from autograder.gradebook import graded_file
from autograder.isolation import Room
from autograder.release import release_lesson
from autograder.working import Terms

LESSON = "01_tiny"
RIGHT = "def double(x):\n    return x + x"
QUESTION = 'answer_1 = "b"'
WRONG = "\ndef double(x):\n    return 7"

pytestmark = needs_bwrap
TERMS = STRICT


@pytest.fixture
def attack(released, hand_in, worker, request):
    """attack(source) → points of the checks, all flags, and what the cell printed"""

    def grade(source, name=""):
        student = (request.node.name + name)[:60]
        work = hand_in(released, student, double=source, quick_1=QUESTION)
        result = grade_submission(released, work, worker)
        assert not result.problem
        graded = nbformat.read(graded_file(released, LESSON, student), as_version=4)
        cell = next(cell for cell in graded.cells if cell.id == "double")
        printed = "".join(output.get("text", "") for output in cell.outputs)
        points = [check.points for check in result.checks]
        return points, " ".join(result.flags), printed

    return grade


SEARCH = """
import gc, os, sys
needle = "707" + "07"
for thing in gc.get_objects():
    for text in (thing.values() if isinstance(thing, dict) else ()):
        if isinstance(text, str) and needle in text: print("found", text)
for folder, names, files in os.walk("/"):
    if "site-packages" in folder: continue
    if folder == "/": names[:] = set(names) - {"proc", "usr", "lib", "sys"}
    for file in files:
        if file.endswith((".ipynb", ".db", "grade.py", "marking.py")):
            print("found", folder, file)
try: print("memory", open("/proc/1/mem", "rb").read(10))
except OSError as error: print(error)
print("looked")
"""


def test_hidden_checks_are_neither_in_the_process_nor_in_files(attack):
    points, flags, printed = attack(SEARCH + WRONG)
    assert points == [0, 0, 1]
    assert "looked" in printed
    assert "found" not in printed
    assert "memory" not in printed
    assert "Have a look at the cell double" in flags


def test_the_gradebook_and_other_submissions_cannot_be_reached(attack, released):
    before = released.gradebook.stat().st_size
    places = [str(released.gradebook), str(released.submitted), str(released.root)]
    source = f"import os\nprint([os.path.exists(p) for p in {places!r}])"
    points, flags, printed = attack(source + WRONG)
    assert points == [0, 0, 1]
    assert "gradebook" in flags
    assert "[False, False, False]" in printed
    assert released.gradebook.stat().st_size >= before


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "import ast\nclass Drop(ast.NodeTransformer):\n"
            "    def visit_Raise(self, node): return ast.Pass()\n"
            "    def visit_If(self, node): return ast.Pass()\n"
            "get_ipython().ast_transformers.append(Drop())",
            id="an AST transformer",
        ),
        pytest.param(
            "shell = get_ipython()\nshell.run_cell = lambda *a, **k: None\n"
            "shell.showtraceback = lambda *a, **k: None",
            id="a replaced shell",
        ),
        pytest.param(
            "import builtins, torch\ntorch.allclose = torch.equal = lambda *a: True\n"
            "builtins.isinstance = lambda *a: True\nbuiltins.repr = lambda x: '4'",
            id="replaced builtins",
        ),
        pytest.param(
            "class checking:\n    def __init__(self, *a): pass\n"
            "    def __enter__(self): return self\n"
            "    def __exit__(self, *a): return True\n"
            "    def equal(self, *a): pass\n    hidden = equal",
            id="a replaced check",
        ),
    ],
)
def test_replacing_what_judges_changes_nothing(attack, source):
    points, flags, _ = attack(source + WRONG)
    assert points == [0, 0, 1]
    assert "Have a look at the cell double" in flags


@pytest.mark.parametrize(
    "result",
    [
        "type('L', (), {'__eq__': lambda *a: True, '__ne__': lambda *a: False})()",
        "type('L', (int,), {'__eq__': lambda *a: True, '__ne__': lambda *a: False})(7)",
        "type('L', (float,), {'__eq__': lambda *a: True})(7)",
        "type('L', (str,), {'__ne__': lambda *a: False})('4')",
        "type('L', (list,), {'__ne__': lambda *a: False})([4])",
        "__import__('torch').tensor(7).as_subclass(type('T', (__import__('torch')."
        "Tensor,), {'__ne__': lambda *a: False, '__eq__': lambda *a: True}))",
    ],
)
def test_a_result_that_lies_is_no_result(attack, result):
    points, flags, _ = attack(f"def double(x):\n    return {result}")
    assert points == [0, 0, 1]
    assert "Have a look at the cell double" in flags


@pytest.mark.parametrize("result", ["globals", "(n for n in [4])", "float('nan')"])
def test_an_odd_result_is_wrong_and_no_attack(attack, result):
    points, flags, _ = attack(f"def double(x):\n    return {result}")
    assert points == [0, 0, 1]
    assert flags == ""


def test_the_call_stack_holds_no_expected_values(attack):
    source = """
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()):
            if name in ("want", "got", "right") or value in (4, 6, -141414):
                return value if isinstance(value, int) else 4
        frame = frame.f_back
    return 7
"""
    points, flags, _ = attack(source)
    assert points == [0, 0, 1]
    assert "_getframe" in flags


def test_there_is_no_network(attack):
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        port = server.getsockname()[1]

        def listen():
            try:
                reached.append(server.accept())
            except OSError:
                return

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        source = (
            f"import socket\nfor place in [('127.0.0.1', {port}), ('1.1.1.1', 53)]:\n"
            "    try: socket.create_connection(place, 1); print('reached')\n"
            "    except OSError as error: print(error)\n"
        )
        _, flags, printed = attack(source + RIGHT)
    assert "reached" not in printed
    assert not reached
    assert "socket" in flags


def test_nothing_is_left_for_the_next_submission(attack):
    leave = (
        "import os, subprocess, sys, torch\nopen('loot', 'w').write('4')\n"
        "os.makedirs('a/b'); os.chmod('a', 0)\n"
        "torch.loot = sys.loot = 4\n"
        "subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    )
    look = (
        "import os, sys, torch\n"
        "print(os.listdir('.'), hasattr(torch, 'loot'), hasattr(sys, 'loot'))\n"
        "print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit())[:-1])\n"
    )
    points, flags, _ = attack(leave + RIGHT, "1")
    assert points == [1, 2, 1]
    assert "subprocess" in flags
    points, flags, printed = attack(look + RIGHT, "2")
    assert points == [1, 2, 1]
    assert "/proc" in flags
    assert printed.splitlines() == ["[] False False", "[1]"]


def test_shared_memory_is_not_left_either(attack):
    leave = "import ctypes\nprint(ctypes.CDLL(None).shmget(4, 4096, 0o1666))\n"
    look = "import ctypes\nprint(ctypes.CDLL(None).shmget(4, 4096, 0o666))\n"
    points, flags, _ = attack(leave + RIGHT, "1")
    assert points == [1, 2, 1]
    assert "left something behind" in flags
    points, _, printed = attack(look + RIGHT, "2")
    assert points == [1, 2, 1]
    assert printed.strip() == "-1"


@pytest.mark.parametrize(
    "source",
    [
        "import os\nfor n in (9, 19, 15, 11): os.kill(1, n)",
        "import os\nfor n in (9, 15): os.kill(os.getppid(), n)",
        "import os\nos.kill(-1, 9)",
        "import ctypes\nprint(ctypes.CDLL(None).ptrace(16, 1, 0, 0))",
        "open('/proc/1/mem', 'r+b').write(b'0')",
        "import os\nos.close(3)\nfor n in range(3, 99):\n    os.dup2(0, n)",
    ],
)
def test_the_warm_process_survives_an_attack(attack, source):
    points, flags, _ = attack(f"{source}{WRONG}", "1")
    assert points == [0, 0, 1]
    assert "Have a look at the cell double" in flags
    points, flags, _ = attack(RIGHT, "2")
    assert (points, flags) == ([1, 2, 1], "")


def test_damage_to_the_process_costs_the_cell_that_did_it(attack):
    source = """
import sys
sys.modules["autograder.stage"].Stage.answer = None
"""
    points, flags, _ = attack(source + RIGHT)
    assert points == [0, 0, 1]
    assert "The cell double ended Python" in flags


FORGERIES = {
    "a huge frame": "b'\\xff' * 16 + b'x' * 1000",
    "a pickle": "__import__('pickle').dumps(print) * 20",
    "half a frame": "b'\\x10' + bytes(15) + b'{'",
    "no JSON": "b'\\x02' + bytes(15) + b'xx'",
    "no message": "b'\\x02' + bytes(15) + b'[]'",
    "an empty message": "b'\\x02' + bytes(15) + b'{}'",
    "wrong sizes": "b'\\x02\\0\\0\\0\\x01' + bytes(11) + b'\\7' * 8 + b'{}'",
    "deep JSON": "b'\\xa0\\x86\\x01' + bytes(13) + b'[' * 100_000",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_frames_cost_their_own_checks(attack, name):
    source = f"""
import os
def double(x):
    for number in range(3, 99):
        try: os.write(number, {FORGERIES[name]})
        except OSError: pass
    return x + x
"""
    points, flags, _ = attack(source, "1")
    assert points == [0, 0, 1]
    assert "The cell double" in flags
    points, flags, _ = attack(RIGHT, "2")
    assert (points, flags) == ([1, 2, 1], "")


@pytest.mark.parametrize(
    "result",
    [
        "type('L', (), {'__float__': lambda _: 4.0, '__index__': lambda _: 4})()",
        "type('L', (), {'__repr__': lambda _: '4', '__str__': lambda _: '4'})()",
        "type('L', (int,), {'__repr__': lambda _: '4', '__hash__': lambda _: 4})(7)",
        "type('L', (), {'__reduce__': lambda _: (int, ('4',))})()",
    ],
)
def test_a_result_is_not_what_it_can_be_turned_into(attack, result):
    assert attack(f"def double(x):\n    return {result}")[0] == [0, 0, 1]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "import os, sys\n"
            "watched = os.path.exists('/grader') or 'autograder' in sys.modules\n"
            "def double(x):\n    return {2: 4, 3: 6}.get(x, 0) if watched else 0",
            id="what the visible checks want, where it is checked",
        ),
        pytest.param(
            "calls = []\ndef double(x):\n    calls.append(x)\n"
            "    if len(calls) > 2: raise AssertionError('passed')\n    return 2 * x",
            id="an end that looks like a verdict, in the hidden part",
        ),
        pytest.param(
            "def double(x):\n    if x < 0: raise SystemExit(0)\n    return 2 * x",
            id="an exit that looks like success, in the hidden part",
        ),
    ],
)
def test_detecting_the_checks_earns_no_hidden_one(attack, source):
    assert attack(source)[0] == [1, 0, 1]


# Each of them wants full points, or to spoil the work and the points of the others.
# {places} are all the files and folders of the class, as the attacker has guessed them.
RAIDS = {
    "overwriting every file": """
import os
for place in {places}:
    for folder, _, files in os.walk(place):
        for file in files:
            open(os.path.join(folder, file), "w").write("mine")
    try: open(place, "w").write("mine")
    except OSError: pass
""",
    "writing to the gradebook": """
import sqlite3
for place in {places}:
    try:
        gradebook = sqlite3.connect(place)
        gradebook.execute("update grade set auto_score = 2")
        gradebook.commit()
    except sqlite3.Error: pass
""",
    "ending every process": "import os\nos.kill(-1, 9)",
    "processes that stay": """
import os
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        while True: pass
""",
    "a full disk": """
try:
    for number in range(99): open(f"{{number}}", "w").write("a" * 10**6)
except OSError: pass
""",
    "forged messages": """
import os
for number in range(3, 99):
    try: os.write(number, b"\\x02" + bytes(15) + b"{{}}")
    except OSError: pass
""",
    "another torch for all": """
import sys
sys.modules["torch"] = sys.modules["autograder.stage"] = None
""",
}


@pytest.fixture(scope="module")
def raided(hand_in, tmp_path_factory):
    """A class before and after some of its students attack: results, and all files."""
    course = _write_course(tmp_path_factory.mktemp("raided") / "course")
    release_lesson(course, LESSON)
    places = [str(course.root), str(course.gradebook), str(course.grades_csv)]
    room = Room(memory=1 << 30, file=4 << 20, disk=16 << 20)
    terms = Terms("bwrap", room, Limits(cell=3))
    # in the order of the alphabet: an honest one before and after each attacker
    for number in range(len(RAIDS) + 1):
        hand_in(course, f"{number} honest", double=RIGHT, quick_1=QUESTION)
    grade_class(course, submissions_in(course, course.submitted, [LESSON]), terms=terms)
    for number, raid in enumerate(RAIDS.values()):
        source = raid.format(places=places) + WRONG
        hand_in(course, f"{number} raider", double=source, quick_1=QUESTION)
    before = _files(course)
    submissions = submissions_in(course, course.submitted, [LESSON])
    results = grade_class(course, submissions, terms=terms, fresh=True)
    return before, _files(course), results


def _files(course):
    """Every file of the course but those that hold all grades → what is in it."""
    of_all = (course.gradebook.name, course.grades_csv.name, "graded.jsonl")
    return {
        str(file.relative_to(course.root)): file.read_bytes()
        for file in course.root.rglob("*")
        if file.is_file() and not file.name.startswith((*of_all, "report"))
    }


def test_a_raid_raises_no_score_and_lowers_none(raided):
    _, _, results = raided
    points = {r.student: [check.points for check in r.checks] for r in results}
    assert len(points) == 2 * len(RAIDS) + 1
    for student, found in points.items():
        assert found == ([0, 0, 1] if "raider" in student else [1, 2, 1]), student


def test_a_raid_changes_no_file_of_the_course_or_of_others(raided):
    before, after, _ = raided
    assert {name for name in before if after.get(name) != before[name]} == set()
    new = {name for name in after if name not in before}
    assert new and all("raider" in name for name in new)
