"""What the tests say about themselves: how far they are and how long they will take, which are slow, which files come first."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tests.durations import FILE, REST, expected_seconds, is_slow, load_durations, longest_first, measured
from tests.progress import Progress
from tests.scripts import script

ROOT = Path(__file__).parents[1]
DURATIONS = {"runs/test_kill.py": {REST: 1.0, "test_killed": 30.0, "TestTwice::test_killed": 8.0}, "test_docs.py": {REST: 4.0}}
TESTS = [
    "tests/runs/test_kill.py::test_killed[match]",
    "tests/runs/test_kill.py::test_killed[evaluate]",
    "tests/runs/test_kill.py::TestTwice::test_killed",
    "tests/runs/test_kill.py::test_quick",
    "tests/test_new.py::test_killed",
]


class Item(NamedTuple):
    """What is read of a test that is to be sorted."""

    path: Path
    nodeid: str


class Clock:
    """Time that a test makes pass."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def told(output: io.StringIO, seconds: list[float], each: float = 1.0) -> str:
    """What is printed about tests that take as long as expected, or this many times as long."""
    clock = Clock()
    names = [f"tests/test_it.py::test_{number}" for number in range(len(seconds))]
    progress = Progress(dict(zip(names, seconds, strict=True)), output, clock)
    for name, took in zip(names, seconds, strict=True):
        clock.now += took * each
        progress.end(name)
        progress.end(name)  # told twice, counted once
    return output.getvalue()


def test_a_log_has_a_line_for_every_twentieth() -> None:
    lines = told(io.StringIO(), [0.04] * 1000).splitlines()
    assert len(lines) == 20
    assert lines[4] == "   25 %  250 of 1,000 tests in 10 s, about 30 s left"
    assert lines[-1] == "  100 %  1,000 of 1,000 tests in 40 s"


def test_a_log_is_not_silent_for_long() -> None:
    lines = told(io.StringIO(), [40.0] * 50).splitlines()
    assert len(lines) == 50 and lines[1] == "    4 %  2 of 50 tests in 1 min 20 s, about 32 min 00 s left"


def test_time_left_follows_what_tests_are_known_to_take_and_how_fast_the_machine_is() -> None:
    lines = told(io.StringIO(), [30.0, 10.0, 10.0, 10.0], each=3).splitlines()
    assert lines[0] == "   50 %  1 of 4 tests in 1 min 30 s, about 1 min 30 s left"


def test_a_terminal_has_one_line_that_changes() -> None:
    said = told(Terminal(), [1.0] * 30)
    assert "\n" not in said and said.count("\r") == 30
    shown = said.split("\r")
    assert shown[-1].strip() == "100 %  30 of 30 tests in 30 s"
    assert all(len(after) >= len(before.rstrip()) for before, after in pairwise(shown[1:])), "nothing of a longer line is left"


def test_a_note_stands_on_a_line_of_its_own() -> None:
    for output in (io.StringIO(), Terminal()):
        progress = Progress({"one": 1.0, "two": 1.0}, output, Clock())
        progress.end("one")
        progress.note("  failed: two")
        assert re.search(r"(^|[\r\n])  failed: two *\n$", output.getvalue())


def test_slow_is_what_was_measured_as_slow() -> None:
    assert [is_slow(nodeid, DURATIONS) for nodeid in TESTS] == [True, True, True, False, False]


def test_tests_share_the_seconds_of_their_function_or_of_the_rest() -> None:
    assert [round(seconds) for seconds in expected_seconds(TESTS, DURATIONS).values()] == [15, 15, 8, 1, 0]


def test_long_files_come_first_and_browsers_one_at_a_time() -> None:
    seconds = {"a.py": 1.0, "b.py": 9.0, "c.py": 5.0, "d.py": 3.0, "browser/x.py": 2.0, "browser/y.py": 20.0}
    items = [Item(Path("tests", path), f"tests/{path}::test_{number}") for path in seconds for number in (1, 2)]
    longest_first(items, {path: {REST: took} for path, took in seconds.items()})  # type: ignore[arg-type]  # what is read of an item
    order = [item.nodeid.removeprefix("tests/").replace("::test", "") for item in items]
    assert order[::2] == [f"{path}_1" for path in ("browser/y.py", "b.py", "c.py", "browser/x.py", "d.py", "a.py")]
    assert order[1::2] == [name.replace("_1", "_2") for name in order[::2]], "a file stays together, in its own order"


def test_what_is_measured_is_kept_by_function() -> None:
    kept = measured(dict(zip(TESTS, (0.1, 0.15, 0.08, 0.15, 0.04), strict=True)))
    assert kept == {"runs/test_kill.py": {REST: 0.23, "test_killed": 0.2}, "test_new.py": {REST: 0.04}}


def test_what_is_measured_of_some_tests_is_added_to_what_is_known() -> None:
    kept = measured({TESTS[3]: 0.5, TESTS[4]: 0.1}, DURATIONS)
    assert kept == {
        "runs/test_kill.py": {REST: 0.0, "TestTwice::test_killed": 8.0, "test_killed": 30.0, "test_quick": 0.5},
        "test_docs.py": {REST: 0.0},
        "test_new.py": {REST: 0.1},
    }


def test_quick_tests_take_a_minute_and_belong_to_all_rooms() -> None:
    durations = load_durations()
    assert sum(functions[REST] for functions in durations.values()) < 75, "of one core: lower SLOW, or share what tests make"
    rooms: dict[str, set[str]] = {}  # quick functions
    for path, functions in durations.items():
        if "/" in path:
            found = re.findall(r"^def (test_\w+)", (FILE.parent / path).read_text(encoding="utf-8"), re.MULTILINE)
            rooms.setdefault(Path(path).parts[0], set()).update(set(found) - set(functions))
    assert [room for room, quick in rooms.items() if not quick and room != "verify"] == []


def test_durations_are_those_of_tests_that_exist() -> None:
    durations = load_durations()
    assert len(durations) > 100
    for path, functions in durations.items():
        text = (FILE.parent / path).read_text(encoding="utf-8")
        missing = [name for name in functions if name != REST and f"def {name.rpartition('::')[2]}(" not in text]
        assert not missing, f"{path}: run `make durations`"


PROGRESS = ["--progress", "-o", "console_output_style=classic"]
SUITE = """
import pytest

@pytest.mark.parametrize("number", range(40))
def test_many(number):
    assert number != 7
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite with our plugins."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_it.py").write_text(SUITE, encoding="utf-8")
    (folder / "conftest.py").write_text("from tests.conftest import *\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_a_run_tells_how_far_it_is_and_what_failed(suite: Path, workers: list[str]) -> None:
    words = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", *PROGRESS, "-p", "no:cacheprovider", *workers, str(suite)]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    assert found.returncode == 1
    assert [line for line in lines if line.startswith("  failed: ")] == ["  failed: " + lines_of_failure(lines)]
    assert any(re.fullmatch(r"  100 %  40 of 40 tests in \d+ s", line) for line in lines)
    assert not any(set(line) <= set(".F") and line for line in lines), "no dots"
    assert lines[-1].startswith("1 failed, 39 passed")


def lines_of_failure(lines: list[str]) -> str:
    """The name of the failed test, as the summary has it."""
    return next(line.split()[1] for line in lines if line.startswith("FAILED "))


@pytest.fixture
def stages() -> ModuleType:
    """tools/stages.py."""
    return script("tools/stages.py")


STAGE = "import sys; print(sys.argv[1]); sys.exit(int(sys.argv[2]))"
MAKE = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"
AWAIT = """
import pathlib, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
"""
TIME = r"[\d.]+ (min \d\d )?s"
BESIDE, LAST = f"2 of 3  beside: {TIME}\n", f"3 of 3  waits: {TIME}\n"  # end at nearly the same time


@pytest.mark.parametrize(
    ("plan", "code", "expected"),
    [
        (["one", "loud"], 0, f"1 of 2  one … {TIME}\n2 of 2  loud …\nhow far it is\n2 of 2  loud: {TIME}\nAll passed in {TIME}\\.\n"),
        (["one", "wrong", "loud"], 1, f"1 of 3  one … {TIME}\n2 of 3  wrong … \nwhat is wrong\n2 of 3  wrong: failed after {TIME}\\.\n"),
        (
            ["one", "beside", "waits"],
            0,
            f"1 of 3  one … {TIME}\n3 of 3  waits …\n({BESIDE}{LAST}|{LAST}{BESIDE})All passed in {TIME}\\.\n",
        ),
        (["wrong beside", "endless"], 1, f"2 of 2  endless …\n\nwhat is wrong\n1 of 2  wrong beside: failed after {TIME}\\.\n"),
    ],
    ids=["passes", "fails", "passes beside another", "fails beside another"],
)
def test_stages_say_what_they_do_and_end_with_the_first_that_fails(
    plan: list[str],
    code: int,
    expected: str,
    stages: ModuleType,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    python = [Path(sys.executable).name, "-c", STAGE]
    wrong, there = [*python, "what is wrong", "3"], tmp_path / "there"
    known = {"one": [*python, "unheard", "0"], "loud": [*python, "how far it is", "0"], "wrong": wrong, "wrong beside": wrong}
    known |= {
        "beside": [python[0], "-c", MAKE, str(there)],
        "waits": [python[0], "-c", AWAIT, str(there)],
        "endless": [python[0], "-c", "while True: pass"],
    }
    monkeypatch.setattr(stages, "STAGES", known)
    monkeypatch.setattr(stages, "BESIDE", ("beside", "wrong beside"))
    monkeypatch.setattr(stages, "SPEAKING", ("loud", "waits", "endless"))
    monkeypatch.setattr(stages, "PLANS", {"plan": plan})
    assert stages.main("plan") == code
    out, err = capfd.readouterr()
    assert re.fullmatch(expected, out), out
    assert err == ""


def test_make_runs_plans_that_exist(stages: ModuleType) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"tools/stages\.py (\w+)", makefile)) == set(stages.PLANS)
    assert {stage for plan in stages.PLANS.values() for stage in plan} == set(stages.STAGES)
