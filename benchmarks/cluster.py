"""What a Ray cluster costs: python benchmarks/cluster.py [--seconds S] [--units N] [--repeats N]

Starts clusters of one and of two nodes with one processor each on this machine, on loopback. Prints:

- overhead: a run of units of S seconds (1 by default) on the cluster against as many threads, alternating, the best of each. Aim: below 5 %.
- first result: seconds from the start of a run to its first unit, with everything compiled. Aim: 15 s.
- payload: bytes that go with a unit. Aim: below 64 kB.
- a curve: games per second with 1 and 2 workers, measured, and with more, simulated from how many units per second this process hands out and keeps.

On a busy machine these are mostly noise. Nothing in the tests depends on these numbers.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kibitz.experiments.batch import Batch, open_workers
from kibitz.play.lineup import make_lineup
from kibitz.runs.cluster.dispatcher import ClusterExecutor, joined
from kibitz.runs.database import open_store
from kibitz.runs.store import begin
from kibitz.runs.units import Unit, run_units

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.runs.clusters import add_node, played_here, ray_cluster

SIMULATED = (4, 8, 16, 32, 64, 128, 256, 1024)
SMALL = 400  # tiny units, to see how many can be handed out


def option(name: str, default: float) -> float:
    return float(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def batch_of(units: int, size: int) -> Batch:
    return Batch(make_lineup(["mix2", "random"]), units * size, 1, unit_size=size)


def seconds_of(batch: Batch, threads: int | None = None) -> tuple[float, float]:
    """How long a batch takes, and until its first unit."""
    first: list[float] = []
    with open_workers(threads) as workers:
        batch.prepare()
        start = time.perf_counter()
        batch.run(workers, lambda games: first.append(time.perf_counter() - start))
        return time.perf_counter() - start, first[0]


def handed_out(cluster: ClusterExecutor) -> float:
    """Units per second that this process can hand out and keep, if they take no time."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "runs.db") as store:
        config: dict[str, Any] = {"command": "evaluate", "game": "uno"}
        with begin(store, "evaluate", config, "", SMALL) as ledger:
            start = time.perf_counter()
            units = (Unit(place, 1) for place in range(SMALL))
            for unit, _ in run_units(cluster, repr, units, cluster.workers):
                ledger.keep(0, unit, b"0" * 400)
            spent = time.perf_counter() - start
            ledger.interrupt()
    return SMALL / spent


def main() -> None:
    seconds, units, repeats = option("--seconds", 1.0), int(option("--units", 8)), int(option("--repeats", 3))
    trial = batch_of(1, 200_000)
    seconds_of(batch_of(1, 1_000), 1)
    size = int(200_000 * seconds / seconds_of(trial, 1)[0])
    print(f"units of {size:,} games, about {seconds:g} s on one processor; best of {repeats}\n")
    rates: dict[int, float] = {}
    limit = 0.0
    with ray_cluster(nodes=1) as started:
        for count in (1, 2):
            if count == 2:
                add_node(started)
            begun = time.perf_counter()
            with joined(started.address) as cluster:
                _, first = seconds_of(batch_of(1, 1_000))
                waited = time.perf_counter() - begun
                seconds_of(batch_of(4 * count, 1_000))  # all workers are there
                here, far = [], []
                for _ in range(repeats):
                    far.append(seconds_of(batch_of(units, size))[0])
                    with played_here():
                        here.append(seconds_of(batch_of(units, size), count)[0])
                rates[count] = units * size / min(far)
                ratio = min(far) / min(here)
                print(f"{count} worker{'s' * (count > 1)}: cluster / threads {ratio:.3f} ({100 * (ratio - 1):+.1f} %)")
                print(f"  first result after {waited:.1f} s ({first:.1f} s of them after the cluster was joined)")
                print(f"  payload of a unit: {cluster.largest:,} bytes")
                limit = handed_out(cluster)
    print(f"\nthis process hands out and keeps {limit:,.0f} units per second\n")
    print("| workers | million games per second | how |\n|---:|---:|---|")
    for count, rate in rates.items():
        print(f"| {count} | {rate / 1e6:.2f} | measured |")
    for count in SIMULATED:
        print(f"| {count} | {min(count * rates[1], limit * size) / 1e6:.2f} | simulated |")
    print(f"\nTen billion games: {1e10 / rates[1] / 3600:.1f} processor hours.")


if __name__ == "__main__":
    main()
