"""Bots that try everything, and random games of both kinds for records to be made of."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

import kibitz
from kibitz.games.uno.view import WINDOWS
from kibitz.play.game import PlayedGame
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules
from tests.property.hanabi import TABLES


class Anything:
    """Takes any legal action of UNO, in every window."""

    windows = WINDOWS

    def choose(self, view: Any) -> int:
        legal = [action for action in range(85) if view.is_legal(action)]
        action: int = legal[view.randbelow(len(legal))]
        return action


class AnyMove:
    """Makes any legal move of Hanabi."""

    def choose(self, view: Any) -> int:
        move: int = view.pick_move(view.legal_moves)
        return move


@dataclass(frozen=True)
class Setup:
    """A game to be played."""

    game: str
    rules: Any
    players: int
    seed: int
    index: int
    seating: str


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    seed, index = draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 2**40))
    seating = draw(st.sampled_from(["random", "fixed", "rotate"]))
    if draw(st.integers(0, 3)) == 0:
        rules, most = draw(st.sampled_from(TABLES))
        return Setup("hanabi", rules, draw(st.integers(2, most)), seed, index, seating)
    random = Random(draw(st.integers(0, 2**32 - 1)))
    uno_rules = random_rules(random)
    return Setup("uno", uno_rules, random_players(random, uno_rules), seed, index, seating)


def play(setup: Setup) -> PlayedGame:
    bot = Anything if setup.game == "uno" else AnyMove
    return kibitz.play([bot] * setup.players, seed=setup.seed, index=setup.index, rules=setup.rules, seating=setup.seating, game=setup.game)
