"""Plant faults in the source, one at a time, and see which test catches each of them.

python tools/plant_faults.py                      all faults of tools/planted_faults.toml
python tools/plant_faults.py --only NAME          one fault; may be given several times
python tools/plant_faults.py --write              note the tests that caught them in the data file
python tools/plant_faults.py --tree ../older      run the tests of another checkout against this source

Each fault changes one place of a copy of the tree; the working tree is never touched. The test that caught a fault last time
runs first; if it passes, so does the rest of the fault's selection until a test fails. At the end, all tests that caught something
run once more without a fault: one that fails anyway has caught nothing, and its faults are tried again without it. The exit code is
1 if a fault was not caught, and 2 if the data file is wrong.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tools" / "planted_faults.toml"
PACKAGE = Path("src/kibitz")
LEFT_OUT = (".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "build", "node_modules")
DIVIDED = ("bots", "experiments", "games", "policies", "search")  # folders whose parts count as rooms of their own
TIMEOUT = 240  # seconds for the tests of one fault
HEADING = "[[fault]]"
NONE_FAILED, SOME_FAILED = 0, 1  # exit codes of pytest
FAILED = "KIBITZ_FAILED_TESTS"  # the environment variable that names a file for the names of tests that fail


class BadFaults(Exception):
    """The data file, or the command line, is not as it must be; the message says why."""


@dataclass(frozen=True)
class Fault:
    """One mistake that somebody might make: what to replace in which file, and the tests that should notice."""

    name: str
    file: str  # relative to src/kibitz
    text: str  # occurs exactly once in the file
    replacement: str
    tests: tuple[str, ...]  # what to run, as pytest takes it
    caught_by: str = ""  # the test that failed first when the faults were last written

    @property
    def room(self) -> str:
        """The part of the package that the fault is planted in."""
        folders = Path(self.file).parts[:-1]
        return "/".join(folders[: 2 if folders and folders[0] in DIVIDED else 1]) or "core"


class Finding(NamedTuple):
    """What came of one fault: the test that failed, or an empty name and the reason."""

    fault: Fault
    caught_by: str
    why_not: str
    seconds: float


class Outcome(NamedTuple):
    """What came of one run of pytest: the tests that failed, and what went wrong otherwise."""

    failed: tuple[str, ...]
    trouble: str


def load_faults(file: Path = FILE) -> list[Fault]:
    """All faults of a data file."""
    faults = []
    for entry in tomllib.loads(file.read_text(encoding="utf-8"))["fault"]:
        try:
            faults.append(Fault(**entry | {"tests": tuple(entry["tests"])}))
        except (KeyError, TypeError) as error:
            raise BadFaults(f"fault {entry.get('name', '?')} in {file.name}: {error}") from None
    return faults


def planted(fault: Fault, source: str) -> str:
    """The source of a file with a fault in it."""
    found = source.count(fault.text)
    if found != 1:
        raise BadFaults(f"fault {fault.name}: its text occurs {found} times in {fault.file}, but must occur once")
    if fault.text == fault.replacement:
        raise BadFaults(f"fault {fault.name}: the replacement is the text itself")
    return source.replace(fault.text, fault.replacement)


# -- a copy of the tree --


def copy_tree(tests: Path, target: Path) -> None:
    """Copy this tree, with the tests of the tree at `tests`."""
    ignored = shutil.ignore_patterns(*LEFT_OUT, "*.pyc", "*.db")
    shutil.copytree(ROOT, target, ignore=ignored, symlinks=True)
    if tests != ROOT:
        shutil.rmtree(target / "tests")
        shutil.copytree(tests / "tests", target / "tests", ignore=ignored, symlinks=True)


def change_file(path: Path, text: str) -> None:
    """Write a source file, and forget its bytecode: Python would take it for current if size and second are the same."""
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


running: set[subprocess.Popen[str]] = set()


def end(process: subprocess.Popen[str]) -> None:
    """End a run of tests with all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads for as long as a block lasts; after Ctrl-C, what they run is ended at once."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                end(process)
            raise


def run_tests(tree: Path, tests: Iterable[str], cache: Path, timeout: float, options: tuple[str, ...] = ("-x",)) -> Outcome:
    """Run some tests of a tree."""
    with tempfile.TemporaryDirectory(prefix="kibitz-faults-") as scratch:
        list_of_failed = Path(scratch) / "failed"
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree / "tools")]),
            FAILED: str(list_of_failed),
            "KIBITZ_CACHE": str(cache),
            "KIBITZ_STORE": str(Path(scratch) / "kibitz.db"),
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            Path(__file__).stem,
            "--tb=no",
            f"--basetemp={scratch}/pytest",
        ]
        process = subprocess.Popen(
            [*command, *options, *tests],
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        running.add(process)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            return Outcome((), f"not done after {timeout:.0f} s")
        finally:
            running.discard(process)
            end(process)
            process.communicate()
        failed = tuple(list_of_failed.read_text(encoding="utf-8").splitlines()) if list_of_failed.exists() else ()
    if process.returncode == NONE_FAILED or (process.returncode == SOME_FAILED and failed):
        return Outcome(failed, "")
    lines = [line for line in output.splitlines() if line.strip()]
    return Outcome((), f"pytest ended with {process.returncode}: {lines[-1] if lines else 'no output'}")


def pytest_runtest_logreport(report: Any) -> None:
    """For pytest, which loads this file as a plugin: write the names of tests that fail, which its own output may cut off."""
    if report.failed and FAILED in os.environ:
        with open(os.environ[FAILED], "a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")


# -- faults --


def file_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def try_fault(fault: Fault, tree: Path, cache: Path, broken: set[str], timeout: float) -> Finding:
    """Plant one fault in a copy, run its tests but for broken ones, and take it out again."""
    begun = time.monotonic()
    path = tree / PACKAGE / fault.file
    source = path.read_text(encoding="utf-8")
    wanted = [(fault.caught_by,), fault.tests] if fault.caught_by else [fault.tests]
    selections = [tuple(test for test in tests if (tree / file_of(test)).exists()) for tests in wanted]
    without = tuple(f"--deselect={test}" for test in sorted(broken))
    outcome = Outcome((), "none of its tests exists")
    change_file(path, planted(fault, source))
    try:
        for selection in filter(None, selections):
            outcome = run_tests(tree, selection, cache, timeout, ("-x", *without))
            if outcome.failed:
                break
    finally:
        change_file(path, source)
    caught_by = outcome.failed[0] if outcome.failed else ""
    return Finding(fault, caught_by, "" if caught_by else outcome.trouble or "all its tests pass", time.monotonic() - begun)


def broken_tests(tests: set[str], trees: list[Path], cache: Path) -> set[str]:
    """Those of some tests that fail without any fault."""
    shares = [share for share in (sorted(tests)[start :: len(trees)] for start in range(len(trees))) if share]
    with workers(len(trees)) as pool:
        outcomes = list(pool.map(lambda tree, share: run_tests(tree, share, cache, 3600, ()), trees, shares))
    for outcome in outcomes:
        if outcome.trouble:
            raise BadFaults(f"the tests could not be run without a fault: {outcome.trouble}")
    return {test for outcome in outcomes for test in outcome.failed}


def table(findings: list[Finding]) -> str:
    """What came of all faults, a line each."""
    rows = [("fault", "room", "caught by")]
    rows += [(one.fault.name, one.fault.room, one.caught_by or f"NOT CAUGHT: {one.why_not}") for one in findings]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{name:{widths[0]}}  {room:{widths[1]}}  {test}" for name, room, test in rows)


def write_findings(findings: list[Finding], file: Path = FILE) -> None:
    """Note the tests that caught faults in the data file, and leave the rest of it as it is."""
    caught = {one.fault.name: one.caught_by for one in findings if one.caught_by}
    head, *entries = file.read_text(encoding="utf-8").split(HEADING)
    for place, entry in enumerate(entries):
        name = tomllib.loads(entry)["name"]
        if name in caught:
            kept = re.sub(r"^caught_by = .*\n", "", entry, flags=re.MULTILINE).rstrip("\n")
            blank = "\n" if place == len(entries) - 1 else "\n\n"
            quoted = caught[name].replace("\\", "\\\\").replace('"', '\\"')
            entries[place] = f'{kept}\ncaught_by = "{quoted}"{blank}'
    file.write_text(HEADING.join([head, *entries]), encoding="utf-8")


def try_all(faults: list[Fault], tests: Path, jobs: int, timeout: float) -> list[Finding]:
    """Try all faults, in as many copies of the tree as there are jobs; in the order of the data file."""
    with tempfile.TemporaryDirectory(prefix="kibitz-trees-") as folder:
        given = os.environ.get("KIBITZ_CACHE")
        cache = Path(given).resolve() if given else Path(folder) / "cache"
        trees = [Path(folder) / f"tree{job}" for job in range(jobs)]
        for tree in trees:
            copy_tree(tests, tree)
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for tree in trees:
            free.put(tree)
        broken: set[str] = set()

        def try_one(fault: Fault) -> Finding:
            tree = free.get()
            try:
                found = try_fault(fault, tree, cache, broken, timeout)
            finally:
                free.put(tree)
            print(f"{found.seconds:6.1f} s  {fault.name}: {found.caught_by or 'NOT CAUGHT, ' + found.why_not}", flush=True)
            return found

        findings: dict[str, Finding] = {}
        left = faults
        while left:
            with workers(jobs) as pool:
                findings |= {found.fault.name: found for found in pool.map(try_one, left)}
            caught = {findings[fault.name].caught_by for fault in left} - {""}
            print(f"running the {len(caught)} tests that caught something without a fault …", flush=True)
            new = broken_tests(caught, trees, cache)
            for test in sorted(new):
                print(f"fails without a fault, so it counts for nothing: {test}", flush=True)
            broken |= new
            left = [fault for fault in left if findings[fault.name].caught_by in new]
        return [findings[fault.name] for fault in faults]


def chosen(faults: list[Fault], names: list[str]) -> list[Fault]:
    """The faults with these names; all if none is given."""
    unknown = set(names) - {fault.name for fault in faults}
    if unknown:
        raise BadFaults(f"there is no fault named {', '.join(sorted(unknown))} in {FILE.name}")
    return [fault for fault in faults if not names or fault.name in names]


def main(words: list[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description="Plant faults, one at a time, and see which test catches each of them.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="try this fault only; may be given several times")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="faults tried at a time (default: 2)")
    parser.add_argument("--write", action="store_true", help=f"note the tests that caught them in tools/{FILE.name}")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="PATH", help="run the tests of this checkout (default: this one)")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"for one run of tests (default: {TIMEOUT})")
    options = parser.parse_args(words)
    begun = time.monotonic()
    try:
        if options.jobs < 1:
            raise BadFaults(f"--jobs must be 1 or more, got {options.jobs}")
        if not (options.tree / "tests").is_dir():
            raise BadFaults(f"--tree {options.tree} has no folder tests")
        faults = chosen(load_faults(), options.only)
        for fault in faults:
            planted(fault, (ROOT / PACKAGE / fault.file).read_text(encoding="utf-8"))
        findings = try_all(faults, options.tree.resolve(), options.jobs, options.timeout)
    except KeyboardInterrupt:
        return 130
    except (BadFaults, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"\n{table(findings)}")
    if options.write:
        write_findings(findings)
    missed = [one for one in findings if not one.caught_by]
    print(f"\n{len(findings) - len(missed)} of {len(findings)} faults caught, {round(time.monotonic() - begun)} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
