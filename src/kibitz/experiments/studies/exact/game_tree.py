"""The whole tree of a tiny game, gone through in an open sitting and kept in sequence form.

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
from kibitz.play.open_sitting import NEW_DEAL, Moment, OpenSitting
from kibitz.play.sitting import Chance, Over
from kibitz.search.exact.sequences import End, GrowingSide, SequenceForm, sequence_form

MAX_POSITIONS = 2_000_000


class Node(NamedTuple):
    """A position of the tree: how it came about, and whose information set it is in (-1: there is no decision)."""

    parent: int  # -1 for a deal
    action: int
    answers: tuple[int, ...]  # that lead here from the parent, of the seat and of chance
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
    sitting: OpenSitting
    positions: list[Node]
    endings: list[Ending]
    deals: int
    decisions: list[int]  # positions in which somebody acts, by number of actions before
    ends: dict[str, int]  # how many ends there are of each kind


class _Branch(NamedTuple):
    """What is still to be gone into."""

    moment: Moment
    chance: float  # before the last action
    share: float  # of what chance did since then
    seen: tuple[int, int]
    sequences: tuple[int, int]
    parent: int
    action: int
    depth: int
    copies: int


class _Seen:
    """Numbers for all that a player can have seen: a number stands for the one before and what came new."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}

    def then(self, before: int, new: Hashable) -> int:
        """What was seen before, and something new."""
        return self._numbers.setdefault((before, new), len(self._numbers) + 1)

    def after(self, before: int, seat: int, sitting: OpenSitting) -> int:
        """What was seen before, and all that a seat learns from the last action."""
        for new in sitting.news(seat):
            before = self.then(before, new)
        return before


def build_tree(sitting: OpenSitting, limit: int = MAX_POSITIONS) -> Tree:
    """The tree of a two-player game whose chance is laid open."""
    rules = sitting.asked_rules
    seen = _Seen()
    growing = (GrowingSide(), GrowingSide())
    positions: list[Node] = []
    endings: list[Ending] = []
    ends: list[End] = []
    kinds: Counter[str] = Counter()
    decisions: Counter[int] = Counter()
    deals = 0
    stack = [_Branch(NEW_DEAL, 1.0, 1.0, (0, 0), (0, 0), -1, -1, 0, 1)]
    while stack:
        branch = stack.pop()
        moment, before, share, known, sequences, parent, last, depth, copies = branch
        sitting.moment = moment
        step = sitting.step()
        if isinstance(step, Chance):
            state, answers = moment
            for outcome, chance in reversed(step.outcomes):
                stack.append(branch._replace(moment=Moment(state, (*answers, outcome)), share=share * chance))
            continue
        deals += parent < 0
        chance, cards = before * share, sitting.cards()
        if isinstance(step, Over):
            result = sitting.result()
            kinds[sitting.ending()] += 1
            ends.append(End(*sequences, chance, result))
            endings.append(Ending(parent, last, chance, result, cards))
            continue
        known = (seen.after(known[0], 0, sitting), seen.after(known[1], 1, sitting))
        seat, state = step
        actions = sitting.game.legal_actions(state)
        number, information, start = len(positions), -1, 0
        if number >= limit:
            raise BadValue(f"rules '{rules.name}' have more than {limit:,} positions; take fewer cards, smaller hands or fewer max_turns.")
        if len(actions) > 1:
            information, start = growing[seat].decide(known[seat], sequences[seat], actions, number)
        positions.append(Node(parent, last, moment.answers, seat, information, chance, copies, cards))
        decisions[depth] += 1
        for place, action in enumerate(actions):
            now, then = known, sequences
            if information >= 0:
                own = seen.then(known[seat], ("did", action))
                now = (own, known[1]) if seat == 0 else (known[0], own)
                then = (start + place, sequences[1]) if seat == 0 else (sequences[0], start + place)
            stack.append(_Branch(Moment(state, (action,)), chance, 1.0, now, then, number, action, depth + 1, sitting.copies(action)))
    form, set_numbers = sequence_form(growing, ends)
    return Tree(
        **vars(form),
        rules=rules,
        sitting=sitting,
        positions=[
            node._replace(information=int(set_numbers[node.seat][node.information])) if node.information >= 0 else node
            for node in positions
        ],
        endings=endings,
        deals=deals,
        decisions=[decisions[depth] for depth in range(len(decisions))],
        ends=dict(sorted(kinds.items())),
    )
