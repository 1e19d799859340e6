"""The tool that changes a lesson's own answers and tells which changes pass."""

from answers import Right
from mutants import Outcome
from survivors import changed, fault, main

ADD = "def add(x, y):\n    return x + y\n"


def test_each_change_is_another_program_and_comes_with_its_diff():
    found = {source: diff for diff, source in changed(ADD)}
    assert ADD not in found
    diff = found[ADD.replace("+", "-")]
    assert diff.splitlines() == ["-    return x + y", "+    return x - y"]


def outcome(*failed):
    return Outcome("05_patches", Right("patchify", "", ""), dict.fromkeys(failed, ""))


def test_a_change_needs_a_look_when_it_passes_or_costs_another_exercise():
    assert fault(outcome()) == "passes"
    assert fault(outcome("patchify_check_1")) == ""
    told = fault(outcome("patchify_check_1", "vit_tokens_check_2"))
    assert told == "costs points at vit_tokens_check_2"


def test_what_passes_is_printed(capsys):
    """The kernels are square: their height is as good as their width."""
    main("05_patches", "embed_patches")
    *told, last = capsys.readouterr().out.splitlines()
    assert "embed_patches: passes" in told
    assert any("weight.shape[- 2]" in line for line in told)
    assert not any("weight.shape[- 0]" in line for line in told)
    changes, shown = (int(word) for word in last.split() if word.isdigit())
    assert 0 < shown < changes / 5
