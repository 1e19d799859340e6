"""The project's own rules: versions in step, imports one way, small modules."""

import ast
import re
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Each module imports only from modules to its left.
MODULES = [
    *("course", "folders", "markers", "cells", "check_cells", "lesson", "freshness"),
    *("inline", "cards", "lifetime", "fingerprints", "hints", "generated", "edition"),
    *("build", "steps", "release", "definitions", "matching", "remarks", "repair"),
    *("reading", "submission", "grade", "wire", "values", "cargo"),
    *("receiving", "shell", "stage", "runner", "isolation", "sandbox", "sending"),
    *("proxy", "student", "checks", "marking", "scoring", "bench", "suspects"),
    *("working", "workers", "cluster", "autograde", "gradebook", "single", "pages"),
    *("summary", "feedback", "resume", "class_page", "report", "batch", "screen"),
    *("options", "lms", "canvas", "moodle", "new_class", "gradescope"),
    *("lms_commands", "markdown", "learner", "learner_commands", "cli"),
]
CONDA_NAMES = {"torch": "pytorch-cpu"}


def requirements(lines):
    """{"torch": ">=2.4", …} from lines such as "torch>=2.4"."""
    pairs = (re.fullmatch(r"([\w-]+)(?:\[.*\])?(.*)", line.strip()) for line in lines)
    return {pair[1].lower().replace("_", "-"): pair[2] for pair in pairs if pair}


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_environment_yml_has_the_ranges_of_pyproject(project):
    text = (ROOT / "environment.yml").read_text()
    listed = requirements(re.findall(r"^  - ([\w-]+[<>=,.\d]+)$", text, re.M))
    expected = {
        CONDA_NAMES.get(name, name): wanted
        for name, wanted in requirements(project["dependencies"]).items()
    }
    expected["python"] = project["requires-python"]
    assert listed == expected


def test_the_constraints_pin_every_dependency_within_its_range(project):
    from packaging.specifiers import SpecifierSet

    pins = requirements((ROOT / "constraints.txt").read_text().splitlines())
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *chain(*extras.values())]
    for name, bounds in requirements(wanted).items():
        if name == project["name"]:
            continue  # its own extra
        version = pins[name].removeprefix("==")
        assert version in SpecifierSet(bounds), f"{name} {version} not in {bounds}"


def test_the_pinned_versions_run_with_the_oldest_python_that_is_promised(project):
    from packaging.specifiers import SpecifierSet

    oldest = f"{project['requires-python'].removeprefix('>=')}.0"  # Ubuntu 22.04's
    pins = requirements((ROOT / "constraints.txt").read_text().splitlines())
    for name in pins:
        needed = metadata.metadata(name).get("Requires-Python", "")
        assert oldest in SpecifierSet(needed), f"{name} needs Python {needed}"


def test_torch_is_pinned_to_the_cpu_build_without_cuda_packages():
    pins = requirements((ROOT / "constraints.txt").read_text().splitlines())
    assert pins["torch"] == "==2.13.0"
    assert not any(name.startswith("nvidia") for name in pins)


def test_modules_import_only_from_modules_before_them():
    files = {file.stem for file in (ROOT / "autograder").glob("*.py")} - {"__init__"}
    assert files == set(MODULES)
    for name in files:
        tree = ast.parse((ROOT / "autograder" / f"{name}.py").read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
                assert not any(name.startswith("autograder") for name in names)
            if not isinstance(node, ast.ImportFrom):
                continue
            if node.module == "autograder":
                used = [alias.name for alias in node.names]
            elif (node.module or "").startswith("autograder."):
                used = [node.module.removeprefix("autograder.")]
            else:
                continue
            for other in used:
                assert MODULES.index(other) < MODULES.index(name), f"{name} → {other}"


def test_modules_and_functions_are_small():
    support = (ROOT / "lessons" / "support").glob("*.py")
    for file in [*(ROOT / "autograder").glob("*.py"), *support]:
        text = file.read_text()
        assert len(text.splitlines()) <= 250, file.name
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = node.end_lineno - node.lineno + 1
                assert length <= 40, f"{file.name}: {node.name} has {length} lines"


@pytest.mark.parametrize("file", [".ci/run", ".github/workflows/test.yml"])
def test_ci_runs_the_test_command_of_the_readme(file):
    text = (ROOT / file).read_text() + (ROOT / ".ci" / "run").read_text()
    assert "make test" in text
    assert "bash .ci/run" in text or file == ".ci/run"
    assert "make test" in (ROOT / "README.md").read_text()
