"""Where the time of bots goes: python benchmarks/bots.py [BOT…] [--games N]

Prints nanoseconds of processor time for each game and turn of a bot against random, classic rules, best of 5. Bots may have parameters,
so what a part of a bot costs can be seen by turning it off: `python benchmarks/bots.py mix2 mix2:card_counting=off`.
"""

from __future__ import annotations

import argparse
import time

from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.runs.units import Unit

BOTS = ("random", "greedy", "score", "mix2", "card_counting", "linear", "net")
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bots", nargs="*", default=BOTS)
    parser.add_argument("--games", type=int, default=20_000)
    options = parser.parse_args()
    print(f"{'bot':<40} {'ns a game':>10} {'turns':>6} {'ns a turn':>10}")
    for name in options.bots:
        lineup, unit = make_lineup([name, "random"]), Unit(0, options.games)
        play_compiled(lineup, 1, Unit(0, 10))
        best = float("inf")
        for _ in range(REPEATS):
            begun = time.process_time_ns()
            tally = play_compiled(lineup, 1, unit)
            best = min(best, (time.process_time_ns() - begun) / options.games)
        turns = lineup.game.make_row(list(tally), 0, name).turns
        print(f"{name:<40} {best:>10,.0f} {turns:>6.1f} {best / turns:>10,.0f}")


if __name__ == "__main__":
    main()
