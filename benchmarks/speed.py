"""Ratios that matter, measured in one run: python benchmarks/speed.py [--limit PROGRAM]

Prints what `kibitz bench` prints, the machine and the spread of each figure among it, and below it each ratio beside the figure it
should reach. Nothing in the tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from rich.console import Console

import kibitz
from kibitz.experiments.bench import measure, print_measurements


def main() -> None:
    limit = Path(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else None
    measured = measure(limit, games=200_000, repeats=7, start=True)
    print_measurements(measured, Console())
    base, threads = measured.rates["random v random", 1], measured.threads
    ratios = {
        f"{threads} threads v 1 (1.7 on two idle cores)": measured.rates.get(("random v random", threads), base) / base,
        "mix2 v random to random v random (0.20)": measured.rates["mix2 v random", 1] / base,
        "Python object, games a second (1,500)": measured.rates["Python object v random", 1],
        "official to classic, 2 players (0.50)": measured.rates["random v random, official", 1] / base,
        "official to classic, 6 players (0.50)": measured.rates["6 x random, official", 1] / measured.rates["6 x random", 1],
        "cold compile of engine and the eight bots, seconds (15)": measured.starts["cold: engine and the eight bots"],
        "warm match of 1,000 games, seconds (1.5)": measured.starts["warm: match random random --games 1000"],
        "kibitz --help, seconds (0.3)": measured.starts["kibitz --help"],
    }
    for name, top in measured.limits.items():
        ratios[f"{name} to the limit (0.60)"] = measured.rates[name, 1] / top
    for name, value in ratios.items():
        print(f"{value:10,.2f}  {name}")
    for games in (100_000, 10_000_000):
        kibitz.match(["random", "random"], games=games)
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:10,.0f}  MB in all after {games:,} games (400)")


if __name__ == "__main__":
    main()
