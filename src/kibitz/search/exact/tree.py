"""The whole tree of a tiny game of UNO, gone through with the engine and kept in sequence form.

An information set is everything a player has seen when it must decide: its cards in order of arrival (those dealt at the
start as a set, for their order says nothing), the public events and its own choices. Where one action is legal there is no
decision. A game is worth 1 to the winner, -1 to the loser and 0 if nobody wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import DRAW, action_card
from kibitz.games.uno.counts import count_in
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import EVENT_SIZE, State
from kibitz.games.uno.view import STATUS_NAMES, TURN, WON
from kibitz.search.exact.chance import PLAYERS, OpenEngine, Outcome, Script
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
    result: int
    cards: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tree(SequenceForm):
    """A game of UNO in sequence form, with the way to each of its positions."""

    rules: Rules
    engine: OpenEngine
    positions: list[Position]
    endings: list[Ending]
    deals: int
    decisions: list[int]  # positions in which somebody acts, by number of actions before
    ends: dict[str, int]  # how many ends there are of each kind


class _Node(NamedTuple):
    """A position that is still to be gone into."""

    state: State
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

    def at_start(self, seat: int, state: State) -> int:
        """The own hand and what lies on the table."""
        hand = (state.hands0[seat], state.hands1[seat], state.hands2[seat])
        return self.then(0, (seat, hand, state.top, state.colour, state.dealer, state.current, state.pile_size, tuple(state.sizes)))

    def after(self, before: int, seat: int, outcome: Outcome) -> int:
        """The own new cards, the events one by one, and a hand that was shown."""
        state = outcome.state
        for drawer, card in outcome.drawn:
            if drawer == seat:
                before = self.then(before, card)
        for place in range(state.event_count):
            before = self.then(before, tuple(state.events[place * EVENT_SIZE : (place + 1) * EVENT_SIZE]))
        if state.any_known:
            first, end = seat * len(state.sizes), seat * len(state.sizes) + PLAYERS
            before = self.then(
                before, (tuple(state.knowledge0[first:end]), tuple(state.knowledge1[first:end]), tuple(state.knowledge2[first:end]))
            )
        return before


def build_tree(rules: Rules, refills: bool = False, limit: int = MAX_POSITIONS) -> Tree:
    """The tree of a two-player game.

    Without refills a game in which a card must be drawn from an empty pile ends without a winner, so that every tree is
    finite if nobody can draw for nothing; `max_turns` of the rules is a horizon in any case.
    """
    engine = OpenEngine(rules, refills)
    seen = _Seen()
    growing = (GrowingSide(), GrowingSide())
    positions: list[Position] = []
    endings: list[Ending] = []
    ends: list[End] = []
    kinds: Counter[str] = Counter()
    decisions: Counter[int] = Counter()
    stack = [
        _Node(deal.state, deal.probability, (seen.at_start(0, deal.state), seen.at_start(1, deal.state)), (0, 0), -1, -1, deal.script, 0, 1)
        for deal in engine.deals()
    ]
    deals = len(stack)
    while stack:
        node = stack.pop()
        state = node.state
        actions = engine.legal_actions(state)
        if not actions:
            result = 0 if state.status != WON else 1 if state.winner == 0 else -1
            kinds[f"won by {state.winner}" if result else STATUS_NAMES[state.status]] += 1
            ends.append(End(*node.sequences, node.chance, result))
            endings.append(Ending(node.parent, node.action, node.chance, result, _cards(state)))
            continue
        seat = int(state.current)
        number, information, start = len(positions), -1, 0
        if number >= limit:
            raise BadValue(f"rules '{rules.name}' have more than {limit:,} positions; take fewer cards, smaller hands or fewer max_turns.")
        if len(actions) > 1:
            information, start = growing[seat].decide(node.seen[seat], node.sequences[seat], actions, number)
        positions.append(Position(node.parent, node.action, node.script, seat, information, node.chance, node.copies, _cards(state)))
        decisions[node.depth] += 1
        for place, action in enumerate(actions):
            known, sequences = node.seen, node.sequences
            if information >= 0:
                own = seen.then(known[seat], ("did", action))
                known = (own, known[1]) if seat == 0 else (known[0], own)
                sequences = (start + place, sequences[1]) if seat == 0 else (sequences[0], start + place)
            copies = _copies(state, action)
            for outcome in engine.after(state, action):
                now = (seen.after(known[0], 0, outcome), seen.after(known[1], 1, outcome))
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


def _cards(state: State) -> tuple[int, int]:
    return int(state.sizes[0]), int(state.sizes[1])


def _copies(state: State, action: int) -> int:
    """How many copies of the card that an action plays from the hand are held there; 1 for any other action, a drawn card included."""
    if state.phase != TURN or action >= DRAW:
        return 1
    seat = int(state.current)
    return count_in((state.hands0[seat], state.hands1[seat], state.hands2[seat]), action_card(action))
