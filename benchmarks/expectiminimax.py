"""How long expectiminimax takes for a decision on one core: python benchmarks/expectiminimax.py

The mean over decisions of games that it plays itself, the best of several runs; beside it stand the ratio to the time it may take
at 50 x 3 on number cards, 0.1 ms, and the ratio to a yardstick that is as busy as the machine: a game of random v random. Nothing
in the tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import time
from itertools import islice

import kibitz
from kibitz.experiments.studies.uno.expectiminimax.search_errors import SearchedPosition, Searcher, positions
from kibitz.games.uno.rules import parse_rules

REPEATS = 7
GOAL = 100.0  # microseconds
GAMES = 50_000

# Rules, players, samples, depth, draw samples, decisions.
TABLES = (
    ("numbers", 2, 50, 3, 5, 1000),
    ("numbers", 2, 500, 1, 5, 300),
    ("numbers", 2, 50, 5, 5, 100),
    ("classic", 2, 50, 1, 5, 50),
    ("classic", 2, 50, 2, 5, 20),
    ("classic", 4, 50, 2, 5, 20),
)


def microseconds(searcher: Searcher, found: list[SearchedPosition], samples: int) -> float:
    """The mean time of a decision, at its best."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for position in found:
            searcher.choose(position, samples)
        best = min(best, time.perf_counter() - start)
    return best / len(found) * 1e6


def yardstick() -> float:
    """Microseconds for a game of random v random on one core."""
    return min(kibitz.match(["random", "random"], games=GAMES, threads=1).seconds for _ in range(REPEATS)) / GAMES * 1e6


def main() -> None:
    searcher = Searcher()
    kibitz.match(["random", "random"], games=1000, threads=1)
    game = yardstick()
    print(f"{game:10.2f} µs a game of random v random")
    for rules, players, samples, depth, draws, count in TABLES:
        searcher.set_options(depth, draws)
        found = list(islice(positions(searcher, parse_rules(rules), 1, players), count))
        taken = microseconds(searcher, found, samples)
        choices = sum(len(position.actions) for position in found) / len(found)
        print(
            f"{taken:10.1f} µs a decision ({taken / GOAL:7.2f} of {GOAL:.0f}; {taken / game:9.1f} games)  {rules}, {players} players, "
            f"{samples} x {depth}, {draws} draws: {choices:.1f} actions, {taken / choices / samples:.2f} µs a world and action"
        )


if __name__ == "__main__":
    main()
