"""What the store costs: python benchmarks/store.py [--games N] [--repeats N]

Plays `kibitz evaluate mix2 --games 2000000` with and without a store, alternating in one process so that both see the same
machine, and prints the ratio of the best times, by the clock and in processor time. On a busy machine these are mostly noise;
the time inside the calls of the store, opening and ending included, is not: it is an upper bound, since workers play on
meanwhile. Aim: less than 2 %. Nothing in the tests depends on these numbers.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kibitz.experiments.measurement import Evaluate
from kibitz.runs.database import open_store
from kibitz.runs.store import RunLedger, begin
from kibitz.runs.units import Unit


class Watched(RunLedger):
    """A ledger that knows how long it took."""

    spent = 0.0

    def keep(self, *values: Any) -> None:
        start = time.perf_counter()
        super().keep(*values)
        self.spent += time.perf_counter() - start


def option(name: str, default: int) -> int:
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def stored(plan: Evaluate, path: Path) -> float:
    """Play with a store; seconds that its calls took."""
    start = time.perf_counter()
    with open_store(path) as store, begin(store, "evaluate", plan.to_config(), "kibitz evaluate mix2", plan.total()) as ledger:
        ledger.__class__ = Watched
        playing = time.perf_counter()
        result = plan.going(ledger=ledger).play()
        played = time.perf_counter()
        ledger.finish(result.to_dict())
    assert isinstance(ledger, Watched)
    return time.perf_counter() - start - (played - playing) + ledger.spent


def main() -> None:
    games, repeats = option("--games", 2_000_000), option("--repeats", 7)
    plan = Evaluate(["mix2"], games=games)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kibitz.db"
        Evaluate(["mix2"], games=1_000).play()
        times: dict[str, list[float]] = {"without": [], "with": []}
        worked: dict[str, list[float]] = {"without": [], "with": []}
        inside: list[float] = []
        for repeat in range(repeats):
            for way in ("without", "with") if repeat % 2 else ("with", "without"):
                start, work = time.perf_counter(), time.process_time()
                if way == "with":
                    inside.append(stored(plan, path))
                else:
                    plan.play()
                times[way].append(time.perf_counter() - start)
                worked[way].append(time.process_time() - work)
        without, with_store = min(times["without"]), min(times["with"])
        print(f"{without:10.3f}  s without a store, best of {repeats}: {games / without:,.0f} games a second")
        print(f"{with_store:10.3f}  s with one")
        print(f"{100 * (with_store / without - 1):10.2f}  % more, best against best (2)")
        print(f"{100 * (min(worked['with']) / min(worked['without']) - 1):10.2f}  % more processor time, best against best")
        print(f"{100 * min(inside) / without:10.2f}  % of that time inside the store: {1e3 * min(inside):.1f} ms (2)")
        with open_store(path) as store, begin(store, "evaluate", {}, "") as ledger:
            start, work = time.perf_counter(), time.process_time()
            for unit in range(2_000):
                ledger.keep(0, Unit(unit, 1), bytes(8 * plan.tables[0][0].tally_size))
            spent, used = time.perf_counter() - start, time.process_time() - work
            print(f"{1e6 * spent / 2_000:10.1f}  microseconds to keep a unit, {1e6 * used / 2_000:.1f} of the processor")
        start = time.perf_counter()
        for _ in range(50):
            open_store(path).close()
        print(f"{1e3 * (time.perf_counter() - start) / 50:10.2f}  milliseconds to open the store ({path.stat().st_size / 2**20:.1f} MB)")


if __name__ == "__main__":
    main()
