"""How many decisions a second the network takes on one core: `python benchmarks/net.py [bot …]`.

Games against `mix2` run in one thread inside the compiled engine; the share of the other seats, measured with `mix2` in all of them, is taken off.
Only decisions between several actions count. At least 20,000 a second are wanted; nothing in the tests depends on these numbers: machines differ, and
this one may be busy.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from kibitz import registry
from kibitz.bots.uno.net import read_net
from kibitz.experiments.training.uno.net.actors import explorer, play_unit
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.runs.units import Unit

WANTED = 20_000
GAMES = 4_000
TABLES = (2, 4, 6)


def seconds(bots: list[str]) -> float:
    """Processor time of some games in one thread, the best of three."""
    lineup = make_lineup(bots)
    play_compiled(lineup, 1, Unit(0, 10))
    taken = []
    for _ in range(3):
        start = time.process_time()
        play_compiled(lineup, 1, Unit(0, GAMES))
        taken.append(time.process_time() - start)
    return min(taken)


def choices(players: int) -> float:
    """Decisions between several actions that the network takes in a game, from a log of 250 games."""
    row = read_net("shipped")[0 if players == 2 else 1 if players <= 4 else 2]
    lineup = make_lineup([explorer(), *[registry.entrant("mix2")] * (players - 1)])
    return play_unit(lineup, [row, *[None] * (players - 1)], 1, Unit(0, 250)).choices / 250


def main() -> None:
    for bot in sys.argv[1:] or ["net", "linear"]:
        for players in TABLES:
            others = ["mix2"] * (players - 1)
            spent = max(seconds([bot, *others]) - seconds(["mix2", *others]) * (players - 1) / players, 1e-9)
            rate = choices(players) * GAMES / spent
            print(f"{np.round(rate, -2):10,.0f} decisions a second ({rate / WANTED:.1f} times what is wanted)  {bot}, {players} players")


if __name__ == "__main__":
    main()
