"""The faults of tools/planted_faults.toml can be planted, are spread over the whole package, and name tests that exist."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import kibitz
from tests.scripts import script

ROOT = Path(__file__).parent.parent
PACKAGE = Path(kibitz.__file__).parent
SOURCES = ("*.py", "*.js")
FEWEST = 80


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/plant_faults.py."""
    return script("tools/plant_faults.py")


@cache
def functions_in(file: str) -> set[str]:
    """The test functions of a file, those of classes as `Class::test`."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def test_every_fault_can_be_planted(tool: ModuleType) -> None:
    faults = tool.load_faults()
    for fault in faults:
        source = (PACKAGE / fault.file).read_text(encoding="utf-8")
        changed = tool.planted(fault, source)
        assert changed != source
        if fault.file.endswith(".py"):
            compile(changed, fault.file, "exec")  # a fault, and no syntax error
    assert len({fault.name for fault in faults}) == len(faults) >= FEWEST


def test_no_room_is_without_faults(tool: ModuleType) -> None:
    folders = {path.parent for pattern in SOURCES for path in PACKAGE.rglob(pattern) if path.name != "__init__.py"}
    files = [str(folder.relative_to(PACKAGE) / "any") for folder in folders if folder.name != "vendor"]
    rooms = {tool.Fault("any", file, "", "", ()).room for file in files}
    assert rooms - {fault.room for fault in tool.load_faults()} == set()


def test_the_tests_of_faults_exist(tool: ModuleType) -> None:
    for fault in tool.load_faults():
        assert fault.tests
        assert fault.caught_by, f"{fault.name}: run `python tools/plant_faults.py --only {fault.name} --write`"
        assert fault.caught_by.startswith(fault.tests), fault.name
        for test in (*fault.tests, fault.caught_by):
            file, _, function = test.partition("::")
            assert (ROOT / file).exists(), test
            assert not function or function.partition("[")[0] in functions_in(file), test


def test_a_fault_is_planted_in_one_place_only(tool: ModuleType) -> None:
    fault = tool.Fault("any", "any.py", "a < b", "a <= b", ("tests",))
    assert tool.planted(fault, "if a < b: pass") == "if a <= b: pass"
    for source in ("if a > b: pass", "if a < b: pass\nif a < b: pass"):
        with pytest.raises(tool.BadFaults, match="must occur once"):
            tool.planted(fault, source)


def test_what_caught_a_fault_is_noted_and_nothing_else_changes(tool: ModuleType, tmp_path: Path) -> None:
    entries = [
        f'[[fault]]\nname = "{name}"\nfile = "any.py"\ntext = "a"\nreplacement = "b"\ntests = ["tests/test_any.py"]\n' for name in "xyz"
    ]
    file = tmp_path / "faults.toml"
    file.write_text("# Why.\n\n" + "\n".join(entries), encoding="utf-8")
    x, y, z = tool.load_faults(file)
    tool.write_findings([tool.Finding(x, 'tests/test_any.py::test["a"]', "", 0.0), tool.Finding(y, "", "all its tests pass", 0.0)], file)
    tool.write_findings([tool.Finding(z, "tests/test_any.py::test_z", "", 0.0)], file)
    assert [fault.caught_by for fault in tool.load_faults(file)] == ['tests/test_any.py::test["a"]', "", "tests/test_any.py::test_z"]
    kept = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("caught_by")]
    assert "\n".join(kept) == ("# Why.\n\n" + "\n".join(entries)).rstrip("\n")
