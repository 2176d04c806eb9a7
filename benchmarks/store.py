"""What the store costs: python benchmarks/store.py [--games N] [--repeats N]

Plays `kibitz evaluate mix2 --games 2000000` with and without a store, alternating in one process so that both see the same
machine, and prints the ratio of the best times, the median of the ratios of neighbours, and what one unit costs by itself.
Opening the file and ending the run are part of it. Aim: less than 2 %. Nothing in the tests depends on these numbers.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from kibitz.arena.evaluation import play_plan
from kibitz.arena.plan import Plan, plan_evaluation
from kibitz.runner.units import Unit
from kibitz.store.database import open_store
from kibitz.store.runs import begin


def option(name: str, default: int) -> int:
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def plain(plan: Plan) -> None:
    play_plan(plan)


def stored(plan: Plan, path: Path) -> None:
    with open_store(path) as store, begin(store, "evaluate", plan.to_config(), "kibitz evaluate mix2", plan.total) as ledger:
        ledger.finish(play_plan(plan, ledger=ledger).to_dict())


def main() -> None:
    games, repeats = option("--games", 2_000_000), option("--repeats", 7)
    plan = plan_evaluation(["mix2"], 2, None, games, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kibitz.db"
        play_plan(plan_evaluation(["mix2"], 2, None, 1_000, 1))
        times: dict[str, list[float]] = {"without": [], "with": []}
        for repeat in range(repeats):
            for way in ("without", "with") if repeat % 2 else ("with", "without"):
                start = time.perf_counter()
                plain(plan) if way == "without" else stored(plan, path)
                times[way].append(time.perf_counter() - start)
        ratios = [with_store / without for with_store, without in zip(times["with"], times["without"], strict=True)]
        without, with_store = min(times["without"]), min(times["with"])
        print(f"{without:10.3f}  s without a store, best of {repeats}: {games / without:,.0f} games a second")
        print(f"{with_store:10.3f}  s with one")
        print(f"{100 * (with_store / without - 1):10.2f}  % more, best against best (2)")
        print(f"{100 * (statistics.median(ratios) - 1):10.2f}  % more, median of neighbours")
        with open_store(path) as store, begin(store, "evaluate", {}, "") as ledger:
            start = time.perf_counter()
            for unit in range(2_000):
                ledger.keep(0, Unit(unit, 1), bytes(8 * plan.lineups[0].tally_size))
            print(f"{1e6 * (time.perf_counter() - start) / 2_000:10.1f}  microseconds to keep a unit")
        start = time.perf_counter()
        for _ in range(50):
            open_store(path).close()
        print(f"{1e3 * (time.perf_counter() - start) / 50:10.2f}  milliseconds to open the store ({path.stat().st_size / 2**20:.1f} MB)")


if __name__ == "__main__":
    main()
