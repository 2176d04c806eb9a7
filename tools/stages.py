"""Run what `make test` and `make check` consist of: a line for each stage with its time, and what it said if it failed.

python tools/stages.py test         format, lint and types, of Python and of the pages' JavaScript, and all tests but the long checks
python tools/stages.py check        the same with the quick tests only
python tools/stages.py durations    all tests, measured again for tests/durations.json

The first stage that fails ends it. Tests say themselves how far they are (tests/progress.py).
"""

from __future__ import annotations

import subprocess
import sys
import time
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


def run_stage(name: str) -> bool:
    """Run one stage; whether it passed."""
    program, *words = STAGES[name]
    command = [_path_of(program), *words]
    if name in SPEAKING:
        return subprocess.run(command, check=False).returncode == 0
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False)
    if found.returncode != 0:
        print(f"\n{found.stdout.rstrip()}", flush=True)
    return found.returncode == 0


def main(plan: str) -> int:
    """Run a plan; its exit code."""
    stages, begun = PLANS[plan], time.monotonic()
    for place, name in enumerate(stages, 1):
        title, at, speaks = f"{place} of {len(stages)}  {name}", time.monotonic(), name in SPEAKING
        print(f"{title} …", end="\n" if speaks else " ", flush=True)
        passed = run_stage(name)
        took = in_words(time.monotonic() - at)
        if not passed:
            print(f"{title}: failed after {took}.", flush=True)
            return 1
        print(f"{title}: {took}" if speaks else took, flush=True)
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
