"""How long tests take, as measured: which of them are slow, in which order files run, and how far a run is.

`durations.json` has the seconds of every test function that takes SLOW or longer, all its parameters together, and of the rest of each
file. `make durations` measures again: all tests, and then those that were quick, without the others. What several tests share, such as
a played run, counts for the first of them, so it may turn up in a test that looked quick. A test that nobody has measured counts as quick.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILE = HERE / "durations.json"
SLOW = 0.2  # seconds; all that is quicker takes about a minute
REST = "rest"  # the entry for all functions of a file that are not slow
BROWSERS = "browser"  # the folder of tests that open one
UNKNOWN = 0.01  # seconds of a test that was never measured

Durations = dict[str, dict[str, float]]  # file: function: seconds


def load_durations(file: Path = FILE) -> Durations:
    """What was measured last."""
    found: Durations = json.loads(file.read_text(encoding="utf-8"))
    return found


def names_of(nodeid: str) -> tuple[str, str]:
    """File and function of a test: `store/test_kill.py` and `test_it` for `tests/runs/test_kill.py::test_it[one]`."""
    path, _, function = nodeid.partition("::")
    return path.removeprefix(f"{HERE.name}/"), function.partition("[")[0]


def is_slow(nodeid: str, durations: Durations) -> bool:
    """Whether the function of a test was measured as slow."""
    path, function = names_of(nodeid)
    return function in durations.get(path, {})


def expected_seconds(nodeids: Iterable[str], durations: Durations) -> dict[str, float]:
    """How long each test will take: its share of what its function, or the rest of its file, took."""
    entries = {}
    for nodeid in nodeids:
        path, function = names_of(nodeid)
        entries[nodeid] = (path, function if is_slow(nodeid, durations) else REST)
    shares = Counter(entries.values())
    return {nodeid: durations.get(path, {}).get(entry, 0.0) / shares[path, entry] + UNKNOWN for nodeid, (path, entry) in entries.items()}


def longest_first(items: list[pytest.Item], durations: Durations) -> None:
    """Sort files by how long they take, so that no worker has a long one left at the end. Of three in a row, one at most has a browser."""
    totals: dict[Path, float] = defaultdict(float)
    seconds = expected_seconds((item.nodeid for item in items), durations)
    for item in items:
        totals[item.path] += seconds[item.nodeid]
    files = sorted(totals, key=lambda path: (-totals[path], path))
    browsers = [path for path in files if path.parent.name == BROWSERS]
    others = [path for path in files if path.parent.name != BROWSERS]
    places = {path: 3 * place for place, path in enumerate(browsers)}
    places |= {path: place // 2 * 3 + place % 2 + 1 for place, path in enumerate(others)}
    items.sort(key=lambda item: places[item.path])


def measured(seconds: Mapping[str, float], before: Durations | None = None) -> Durations:
    """What to keep of the seconds that each test took; of slow tests that did not run, what was known before."""
    functions: dict[str, Counter[str]] = defaultdict(Counter)
    for nodeid, took in seconds.items():
        path, function = names_of(nodeid)
        functions[path][function] += took  # type: ignore[assignment]  # a counter of seconds
    kept: Durations = {}
    for path, found in sorted(functions.items()):
        slow: dict[str, float] = {function: round(took, 1) for function, took in sorted(found.items()) if took >= SLOW}
        for function, took in (before or {}).get(path, {}).items():
            if function != REST and function not in found:
                slow[function] = took
        rest = round(sum(took for function, took in found.items() if function not in slow), 2)
        kept[path] = {REST: rest, **dict(sorted(slow.items()))}
    left_out = {path: {**known, REST: 0.0} for path, known in (before or {}).items() if path not in kept}
    return dict(sorted((kept | left_out).items()))


def write_durations(durations: Durations, file: Path = FILE) -> None:
    """Keep what was measured."""
    file.write_text(json.dumps(durations, indent=1) + "\n", encoding="utf-8")
