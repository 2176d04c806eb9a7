"""Run what `make test` and `make check` consist of: a line for each stage with its time, and what it said if it failed.

python tools/stages.py test         format, lint and types, of Python and of the pages' JavaScript, and all tests but the long checks
python tools/stages.py check        the same with the quick tests only
python tools/stages.py durations    all tests, measured again for tests/durations.json

The first stage that fails ends it. Types and pages are checked beside the tests, which leave processors idle while they wait for browsers.
Tests say themselves how far they are (tests/progress.py).
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NODE_BIN = ROOT / "node_modules" / ".bin"  # tools/node fills it
PAGES = ["src/kibitz/table/static", "tests/front"]
# More workers than two cores: tests wait for browsers and processes that they start.
PYTEST = ["pytest", "--progress", "-o", "console_output_style=classic", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
PYTEST += ["--ignore", "tests/verify"]  # which every worker would read for nothing
STAGES = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "types": ["mypy", "--no-error-summary"],
    "page format": ["prettier", "--log-level", "warn", "--list-different", *PAGES],
    "page types": ["tsc"],
    "page tests": ["node", "--test", *(str(file.relative_to(ROOT)) for file in sorted((ROOT / "tests" / "front").glob("*.test.js")))],
    "tests": [*PYTEST, "-m", "not verify"],
    "quick tests": [*PYTEST, "-m", "not verify and not slow"],
    "measured tests": [*PYTEST, "-m", "not verify", "--write-durations", "all"],
    "measured quick tests": [*PYTEST, "-m", "not verify and not slow", "--write-durations", "some"],
}
PAGE_STAGES = ("page format", "page types", "page tests")
BESIDE = ("types", *PAGE_STAGES)  # these run one after another while the last stage of a plan runs
SPEAKING = ("tests", "quick tests", "measured tests", "measured quick tests")  # these print while they run, the others if they fail
PLANS = {
    "test": ("format", "lint", "types", *PAGE_STAGES, "tests"),
    "check": ("format", "lint", "types", *PAGE_STAGES, "quick tests"),
    "durations": ("measured tests", "measured quick tests"),
}


def in_words(seconds: float) -> str:
    """A duration to read."""
    return f"{seconds:.1f} s" if seconds < 59.95 else f"{round(seconds) // 60} min {round(seconds) % 60:02d} s"


def _path_of(program: str) -> str:
    """A program of the environment, one of node_modules, or one in the search path."""
    return next((str(folder / program) for folder in (BIN, NODE_BIN) if (folder / program).exists()), program)


_running: list[subprocess.Popen[str]] = []  # stages, for one that fails to end the others


def run_stage(name: str, ended: threading.Event) -> bool:
    """Run one stage, unless another has ended all of them; whether it passed."""
    program, *words = STAGES[name]
    output, errors = (None, None) if name in SPEAKING else (subprocess.PIPE, subprocess.STDOUT)
    with subprocess.Popen([_path_of(program), *words], stdout=output, stderr=errors, text=True, encoding="utf-8") as process:
        _running.append(process)
        if ended.is_set():
            process.terminate()
        said, _ = process.communicate()
        _running.remove(process)
    if process.returncode != 0 and said is not None:
        print(f"\n{said.rstrip()}", flush=True)
    return process.returncode == 0


def run_in_turn(stages: Sequence[str], beside: Sequence[str] = ()) -> bool:
    """Run stages one after another and say so; whether all passed. In the last one, others run beside it, and end it if they fail."""
    count, failed = len(stages) + len(beside), threading.Event()

    def run(place: int, name: str, quiet: bool = False) -> None:
        title, at, speaks = f"{place} of {count}  {name}", time.monotonic(), name in SPEAKING
        if not quiet:
            print(f"{title} …", end="\n" if speaks else " ", flush=True)
        passed = run_stage(name, failed)
        took = in_words(time.monotonic() - at)
        if not passed and not failed.is_set():  # the others, which it ends, have not failed by themselves
            failed.set()
            print(f"{title}: failed after {took}.", flush=True)
            for process in _running:
                process.terminate()
        elif passed:
            print(f"{title}: {took}" if speaks or quiet else took, flush=True)

    def run_beside() -> None:
        for place, name in enumerate(beside, len(stages)):
            if not failed.is_set():
                run(place, name, quiet=True)

    other = threading.Thread(target=run_beside, daemon=True)
    for place, name in enumerate(stages, 1):
        last = place == len(stages)
        if last:
            other.start()
        run(count if last else place, name)
        if failed.is_set():
            break
    if other.ident is not None:
        other.join()
    return not failed.is_set()


def main(plan: str) -> int:
    """Run a plan; its exit code."""
    begun = time.monotonic()
    if not run_in_turn([name for name in PLANS[plan] if name not in BESIDE], [name for name in PLANS[plan] if name in BESIDE]):
        return 1
    print(f"All passed in {in_words(time.monotonic() - begun)}.", flush=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PLANS:
        print(f"tools/stages.py: name one plan: {', '.join(PLANS)}.", file=sys.stderr)
        sys.exit(2)
    try:
        sys.exit(main(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
