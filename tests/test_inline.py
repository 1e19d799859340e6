import ast
import textwrap

import pytest

from autograder.inline import InlineError, Inliner


@pytest.fixture
def root(tmp_path):
    support = tmp_path / "lessons" / "support"
    support.mkdir(parents=True)
    (support / "a.py").write_text('"""A."""\n\nfrom support.b import B\n\nA = B + 1\n')
    (support / "b.py").write_text("B = 1\n")
    (tmp_path / "data").mkdir()
    return tmp_path


def run(source):
    names = {}
    exec(source, names)
    return names


def test_an_import_becomes_the_text_of_the_file_and_of_what_it_imports(root):
    inliner = Inliner(root)
    source = inliner.cell(
        "# @title Set-up\nimport os\nfrom support.a import (\n    A,\n)\nC = A + 1"
    )
    assert "from support" not in source
    assert "# lessons/support/a.py: A.\n" in source
    assert '"""A."""' not in source
    assert source.startswith("# @title Set-up")
    assert run(source)["C"] == 3
    assert [file.name for file in inliner.read] == ["a.py", "b.py"]


def test_blank_lines_of_support_code_are_closed_up_but_not_those_of_a_text(root):
    support = root / "lessons" / "support"
    (support / "gaps.py").write_text("x = 1\n\n\n\ny = 2\n")
    (support / "text.py").write_text('x = """a\n\n\n\nb"""\n\n\ny = 2\n')
    inliner = Inliner(root)
    assert inliner.cell("from support.gaps import x").endswith("x = 1\n\ny = 2")
    assert run(inliner.cell("from support.text import x"))["x"] == "a\n\n\n\nb"


def test_private_helpers_lose_their_docstrings_and_public_ones_keep_them(root):
    (root / "lessons" / "support" / "docs.py").write_text(
        'def f():\n    """Public."""\n    return 1\n\n\n'
        'def _g():\n    """Private.\n\n    At length.\n    """\n    return 2\n\n\n'
        'class _C:\n    """Private."""\n\n    def m(self):\n'
        '        """Within."""\n        return 3\n\n\n'
        'class _E(Exception):\n    """Nothing else."""\n'
    )
    source = Inliner(root).cell("from support.docs import f")
    names = run(source)
    assert names["f"].__doc__ == "Public."
    assert names["_g"].__doc__ is names["_C"].__doc__ is names["_C"].m.__doc__ is None
    assert (names["_g"](), names["_C"]().m()) == (2, 3)
    assert names["_E"].__doc__ == "Nothing else."


def test_an_import_is_not_repeated(root):
    support = root / "lessons" / "support"
    (support / "one.py").write_text("import json\nimport math\n\nx = 1\n")
    (support / "two.py").write_text("import json\nfrom math import pi, tau\n\ny = 1\n")
    source = Inliner(root).cell(
        "import math\nfrom support.one import x\nfrom support.two import y"
    )
    assert source.count("import json") == source.count("import math") == 1
    assert "from math import pi, tau" in source
    assert run(source)["y"] == 1


def test_a_support_file_is_inlined_once_a_notebook(root):
    inliner = Inliner(root)
    inliner.cell("from support.a import A")
    assert inliner.cell("from support.b import B\nD = 4") == "D = 4"


def test_other_imports_stay(root):
    source = "import json\nfrom pathlib import Path"
    assert Inliner(root).cell(source) == source


@pytest.mark.parametrize(
    "text", ["plain\nlines\n", 'quotes """ inside', "back\\slash", 'ends in quote"', ""]
)
def test_reading_a_text_becomes_a_literal_of_the_same_text(root, text):
    (root / "data" / "a.txt").write_text(text, encoding="utf-8")
    source = Inliner(root).cell('x = len(Path("data/a.txt").read_text()), "é"')
    assert "Path" not in source
    assert run(source)["x"] == (len(text), "é")


def test_reading_bytes_becomes_base64_of_the_same_bytes(root):
    data = bytes(range(256))
    (root / "data" / "a.png").write_bytes(data)
    source = Inliner(root).cell(
        'def load():\n    return Path("data/a.png").read_bytes()'
    )
    assert run(source)["load"]() == data
    assert max(map(len, source.splitlines())) <= 88


def test_two_reads_in_one_line(root):
    (root / "data" / "a.txt").write_text("a")
    (root / "data" / "b.txt").write_text("b\n")
    read = 'Path("data/{}.txt").read_text()'
    source = Inliner(root).cell(f"x = {read.format('a')} + {read.format('b')}")
    assert run(source)["x"] == "ab\n"


def test_a_read_of_another_folder_stays(root):
    source = 'x = Path("elsewhere.txt").read_text()'
    assert ast.dump(ast.parse(Inliner(root).cell(source))) == ast.dump(
        ast.parse(source)
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("from support.gone import x", "lessons/support/gone.py does not exist"),
        ('x = Path("data/gone.txt").read_text()', "data/gone.txt does not exist"),
    ],
)
def test_a_missing_file_is_named_with_its_line(root, line, words):
    with pytest.raises(InlineError, match=words) as caught:
        Inliner(root).cell(textwrap.dedent(f"import os\n\n{line}\n"))
    assert caught.value.line == 2
