"""What a search works with: the worlds it samples, a state for every decision on a path, and sums for every action."""

from __future__ import annotations

from typing import Annotated

from kibitz.core.layouts import Byte, Int
from kibitz.games.uno.cards import MAX_PLAYERS
from kibitz.games.uno.state import State
from kibitz.policies.valuation import MOST_ACTIONS, Valuation
from kibitz.search.uno.parts import part_of, words_for
from kibitz.search.uno.worlds import Hidden, World

MAX_DEPTH = 8
MORE_DECISIONS = 4  # on a path, beyond one for each turn: cards just drawn, windows of house rules
LEVELS = MAX_DEPTH + MORE_DECISIONS + 2
MOST_SAMPLES = 100_000
MOST_DRAWS = 60

AGAINST, SELFISH = 0, 1
OTHERS_NAMES = ("against", "selfish")

SeatValues = Annotated[list[float], "f8", LEVELS * MAX_PLAYERS]
LevelInts = Annotated[list[int], "i4", LEVELS]
LevelWords = Annotated[list[int], "u8", LEVELS]
ActionSums = Annotated[list[float], "f8", MOST_ACTIONS]


class ExpectiminimaxSearch(Valuation):
    """All that a search works with; what it thinks of the actions comes first."""

    states: Annotated[list[int], "u8", words_for(State, LEVELS)]
    worlds: Annotated[list[int], "u8", words_for(World)]
    hidden: Annotated[list[int], "u8", words_for(Hidden)]
    # The candidates at the root.
    totals: ActionSums
    squares: ActionSums
    # By level of the path, at place level x MAX_PLAYERS + seat.
    bests: SeatValues
    sums: SeatValues
    # By level.
    keys: LevelWords  # from which every draw below comes
    positions: LevelWords  # of the stream that picks cards to draw
    pool0: LevelWords  # cards of the pile that have not been tried, as bit planes
    pool1: LevelWords
    pool2: LevelWords
    actions: LevelInts  # the action that is tried
    samples: LevelInts  # how often it has been
    wanted: LevelInts  # and how often it is to be
    tried: LevelInts  # actions that are done
    results: Annotated[list[float], "f8", MAX_PLAYERS]  # what the level above has found
    # What is searched for whom, and how.
    first_turn: Int
    depth: Int  # turns after the present one
    draws: Int  # cards tried for a draw
    levels: Int  # decisions on a path
    searcher: Byte
    others: Byte  # AGAINST or SELFISH
    hold_back: Byte  # 1 if players may draw although they could play
    lost_copies: Byte  # 1 if the pile loses every copy of a card in another hand


state_of = part_of(ExpectiminimaxSearch, "states", State)
world_of = part_of(ExpectiminimaxSearch, "worlds", World)
hidden_of = part_of(ExpectiminimaxSearch, "hidden", Hidden)
