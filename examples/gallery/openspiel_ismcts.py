"""OpenSpiel's information-set tree search against `champion`: a bot written for another library plays UNO as it is.

    python examples/gallery/openspiel_ismcts.py      about three minutes on one core; needs the extra openspiel
    kibitz match examples/gallery/openspiel_ismcts.py:load champion --games 100

It wins 20.0 ± 4.0 % of 100 games against champion, and 53.0 ± 5.0 % against random.

OpenSpiel's bots are given a state to search in. Kibitz makes one of what the seat has seen, and draws the hidden cards at random, as
often as the search asks for it. Leaves are judged by who holds fewer cards.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    from open_spiel.python.algorithms import ismcts
except ImportError:
    raise MissingExtra("this example", "open_spiel") from None

OPPONENT = "champion"
SIMULATIONS = 50  # for each decision


class Hands:
    """Judges a state of two players, as OpenSpiel's searches want it: a value for each, and the chances of all actions to be tried."""

    def evaluate(self, state: Any) -> Any:
        first, second = (int(size) for size in state.position.state.sizes[:2])
        value = np.tanh((second - first) / 4)
        return np.array([value, -value])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


def searcher(game: Any, player: int, seed: int) -> Any:
    """A bot for one game and seat, with random numbers of its own."""
    rng = np.random.RandomState(seed)
    return ismcts.ISMCTSBot(game, Hands(), uct_c=1.0, max_simulations=SIMULATIONS, random_state=rng)


def load() -> Any:
    """For `kibitz match`: a function that makes a bot."""
    return searcher


def measure(games: int = 100, opponent: str = OPPONENT, seed: int = 1) -> tuple[float, float]:
    """The share of games won, and its standard error."""
    row = kibitz.match([kibitz.envs.as_bot(searcher, "uno"), opponent], games=games, seed=seed)[0]
    return row.win_rate, row.win_rate_se


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for opponent in ("random", OPPONENT):
        won, error = measure(asked.games, opponent, asked.seed)
        print(f"{asked.games:9,} games: {100 * won:.1f} ± {100 * error:.1f} % won against {opponent}")
