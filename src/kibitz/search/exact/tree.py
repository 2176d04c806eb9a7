"""The whole tree of a tiny game, gone through with the engine and kept in sequence form.

An information set is everything a player has seen when it must decide: its cards in order of arrival (those dealt at the
start as a set, for their order says nothing), the public events and its own choices. Where one action is legal there is no
decision. A game is worth 1 to the winner, -1 to the loser and 0 if nobody wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue
from kibitz.search.exact.chance import OpenGame, Outcome, Script
from kibitz.search.exact.sequences import End, GrowingSide, SequenceForm, sequence_form

MAX_POSITIONS = 2_000_000


class Position(NamedTuple):
    """A position of the tree: how it came about, and whose information set it is in (-1: there is no decision)."""

    parent: int  # -1 for a deal
    action: int
    script: Script
    seat: int
    information: int
    chance: float  # of all that was dealt and drawn on the way; choices are not counted
    copies: int  # how many copies of the card that was played from a hand to get here its player held; 1 for other actions
    cards: tuple[int, int]  # in each hand


class Ending(NamedTuple):
    """An end of the game: the last position, the action there, the chance of the cards, and what seat 0 gets."""

    parent: int
    action: int
    chance: float
    result: float
    cards: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tree(SequenceForm):
    """A game in sequence form, with the way to each of its positions."""

    rules: Any
    engine: OpenGame
    positions: list[Position]
    endings: list[Ending]
    deals: int
    decisions: list[int]  # positions in which somebody acts, by number of actions before
    ends: dict[str, int]  # how many ends there are of each kind


class _Node(NamedTuple):
    """A position that is still to be gone into."""

    state: Any
    chance: float
    seen: tuple[int, int]
    sequences: tuple[int, int]
    parent: int
    action: int
    script: Script
    depth: int
    copies: int


class _Seen:
    """Numbers for all that a player can have seen: a number stands for the one before and what came new."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}

    def then(self, before: int, new: Hashable) -> int:
        """What was seen before, and something new."""
        return self._numbers.setdefault((before, new), len(self._numbers) + 1)

    def after(self, before: int, seat: int, engine: OpenGame, outcome: Outcome) -> int:
        """What was seen before, and all that a seat learns from an action."""
        for new in engine.news(outcome, seat):
            before = self.then(before, new)
        return before


def build_tree(engine: OpenGame, limit: int = MAX_POSITIONS) -> Tree:
    """The tree of a two-player game whose chance is laid open."""
    rules = engine.asked_rules
    seen = _Seen()
    growing = (GrowingSide(), GrowingSide())
    positions: list[Position] = []
    endings: list[Ending] = []
    ends: list[End] = []
    kinds: Counter[str] = Counter()
    decisions: Counter[int] = Counter()
    stack = [
        _Node(
            deal.state,
            deal.probability,
            (seen.then(0, engine.at_start(deal.state, 0)), seen.then(0, engine.at_start(deal.state, 1))),
            (0, 0),
            -1,
            -1,
            deal.script,
            0,
            1,
        )
        for deal in engine.deals()
    ]
    deals = len(stack)
    while stack:
        node = stack.pop()
        state = node.state
        actions = engine.legal_actions(state)
        if not actions:
            result = engine.result(state)
            kinds[engine.ending(state)] += 1
            ends.append(End(*node.sequences, node.chance, result))
            endings.append(Ending(node.parent, node.action, node.chance, result, engine.cards(state)))
            continue
        seat = int(state.current)
        number, information, start = len(positions), -1, 0
        if number >= limit:
            raise BadValue(f"rules '{rules.name}' have more than {limit:,} positions; take fewer cards, smaller hands or fewer max_turns.")
        if len(actions) > 1:
            information, start = growing[seat].decide(node.seen[seat], node.sequences[seat], actions, number)
        positions.append(Position(node.parent, node.action, node.script, seat, information, node.chance, node.copies, engine.cards(state)))
        decisions[node.depth] += 1
        for place, action in enumerate(actions):
            known, sequences = node.seen, node.sequences
            if information >= 0:
                own = seen.then(known[seat], ("did", action))
                known = (own, known[1]) if seat == 0 else (known[0], own)
                sequences = (start + place, sequences[1]) if seat == 0 else (sequences[0], start + place)
            copies = engine.copies(state, action)
            for outcome in engine.after(state, action):
                now = (seen.after(known[0], 0, engine, outcome), seen.after(known[1], 1, engine, outcome))
                chance = node.chance * outcome.probability
                stack.append(_Node(outcome.state, chance, now, sequences, number, action, outcome.script, node.depth + 1, copies))
    form, set_numbers = sequence_form(growing, ends)
    return Tree(
        **vars(form),
        rules=rules,
        engine=engine,
        positions=[
            position._replace(information=int(set_numbers[position.seat][position.information])) if position.information >= 0 else position
            for position in positions
        ],
        endings=endings,
        deals=deals,
        decisions=[decisions[depth] for depth in range(len(decisions))],
        ends=dict(sorted(kinds.items())),
    )
