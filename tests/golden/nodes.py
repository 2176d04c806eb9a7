"""Exact node counts: small decks dealt and played out in every possible way.

The same walk goes over the reference and over the engine. `python -m tests.golden.nodes` writes the golden file anew,
from the reference.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar
from unittest.mock import patch

from kibitz.core.layouts import copy_record
from kibitz.games.uno import dealing, engine, piles
from kibitz.games.uno.names import action_from_name, action_name, card_name
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import STATUS_NAMES, WON
from tests.reference.uno import Choose, ReferenceGame, ReferenceRules, opening_candidates

GOLDEN_FILE = Path(__file__).with_name("uno_nodes.json")

# Rules and players; a game is cut off after max_turns, so that every tree is finite.
CASES = [
    ("classic,deck=r1/r2/g1/g2/b3,hand_size=1,max_turns=6", 2),
    ("classic,deck=r1*2/rskip/g1/gskip,hand_size=1,max_turns=5", 2),
    ("classic,deck=r1*2/r2*2/g1,hand_size=2,max_turns=5", 2),
    ("classic,deck=r1/rrev/grev/g2/b2,hand_size=1,max_turns=6", 3),
    ("classic,deck=r1/r+2/g+2/g2/b2,hand_size=1,max_turns=5", 2),
    ("classic,deck=r+2*2/r3/g3/b4/y4,hand_size=1,max_turns=4", 3),
    ("classic,deck=r1/g1/b2/wild,hand_size=1,max_turns=5", 2),
    ("classic,deck=r1*2/g2/wild+4*2,hand_size=1,max_turns=4", 2),
    ("classic,deck=wild+4*3,hand_size=1,max_turns=5", 2),
    ("classic,deck=r1/g2/b3/y4,hand_size=1,max_turns=9", 3),
    ("classic,deck=rrev*2/rskip/r+2,hand_size=1,max_turns=7", 2),
]


class Position(Protocol):
    """What the walk needs of a game."""

    def legal_actions(self) -> list[str]: ...
    def apply(self, action: str, choose: Choose) -> None: ...
    def copy(self) -> Position: ...
    def outcome(self) -> str: ...


PositionType = TypeVar("PositionType", bound=Position)


class ReferencePosition(ReferenceGame):
    """A position of the reference."""

    @classmethod
    def deal_all(cls, rules: str, players: int) -> Iterator[ReferencePosition]:
        """Every deal."""
        parsed = parse_rules(rules)
        deck = [card_name(card) for card, count in enumerate(parsed.deck) for _ in range(count)]
        switches = ReferenceRules.of(parsed)

        def deal(choose: Choose) -> ReferencePosition:
            return cls(**vars(ReferenceGame.deal(deck, players, parsed.hand_size, parsed.max_turns, choose, switches)))

        return every_way(deal)

    def copy(self) -> ReferencePosition:
        return ReferencePosition(**vars(super().copy()))

    def outcome(self) -> str:
        return f"{self.status} by {self.winner} with {self.points}" if self.status == "won" else self.status


class EnginePosition:
    """A position of the engine, whose random numbers are replaced by choices."""

    def __init__(self, state: State) -> None:
        self.state = state

    @classmethod
    def deal_all(cls, rules: str, players: int) -> Iterator[EnginePosition]:
        """Every deal."""

        def deal(choose: Choose) -> EnginePosition:
            state = new_state(parse_rules(rules), players)
            dealt = players * state.initial_hand
            numbers = 0

            def choose_place(position: int, bound: int) -> tuple[int, int]:
                nonlocal numbers
                numbers += 1
                options = pile_names(state, bound)
                if numbers == dealt + 1:
                    return position, int(choose([str(seat) for seat in range(bound)]))
                card = choose(opening_candidates(options) if numbers == dealt + 2 else options)
                return position, options.index(card)

            with patch.object(dealing, "below", choose_place), patch.object(piles, "below", choose_place):
                engine.deal(state, 0)
            return cls(state)

        return every_way(deal)

    def legal_actions(self) -> list[str]:
        return [action_name(action) for action in engine.legal_actions(self.state)]

    def apply(self, action: str, choose: Choose) -> None:
        def choose_place(position: int, bound: int) -> tuple[int, int]:
            options = pile_names(self.state, bound)
            return position, options.index(choose(options))

        with patch.object(piles, "below", choose_place):
            engine.apply(self.state, action_from_name(action))

    def copy(self) -> EnginePosition:
        return EnginePosition(copy_record(self.state))

    def outcome(self) -> str:
        status = STATUS_NAMES[self.state.status]
        return f"{status} by {self.state.winner} with {self.state.points}" if self.state.status == WON else status


def pile_names(state: State, size: int) -> list[str]:
    return [card_name(card) for card in state.pile[:size]]


class Undecided(Exception):
    """A choice was asked for that the script does not hold."""

    def __init__(self, options: Sequence[str]) -> None:
        self.options = sorted(set(options))


def every_way(make: Callable[[Choose], PositionType]) -> Iterator[PositionType]:
    """What `make` makes, once for every sequence of different choices it can be given."""
    scripts: list[list[str]] = [[]]
    while scripts:
        script = scripts.pop()
        places = iter(range(len(script)))

        def choose(options: Sequence[str], script: list[str] = script, places: Iterator[int] = places) -> str:
            for place in places:
                return script[place]
            raise Undecided(options)

        try:
            made = make(choose)
        except Undecided as undecided:
            scripts.extend([*script, option] for option in undecided.options)
        else:
            yield made


def after_every_draw(position: PositionType, action: str) -> Iterator[PositionType]:
    """The positions that an action can lead to."""

    def carry_out(choose: Choose) -> PositionType:
        twin: Any = position.copy()
        twin.apply(action, choose)
        return twin  # type: ignore[no-any-return]  # a copy is of the same kind

    return every_way(carry_out)


def walk(deals: Iterator[Position]) -> dict[str, Any]:
    """Node counts: deals, decisions by number of actions before them, ends by how the game came out."""
    level: list[Position] = list(deals)
    counts: dict[str, Any] = {"deals": len(level), "decisions": [], "ends": Counter()}
    while level:
        decisions = 0
        following: list[Position] = []
        for position in level:
            actions = position.legal_actions()
            if not actions:
                counts["ends"][position.outcome()] += 1
                continue
            decisions += 1
            for action in actions:
                following.extend(after_every_draw(position, action))
        if decisions:
            counts["decisions"].append(decisions)
        level = following
    counts["ends"] = dict(sorted(counts["ends"].items()))
    return counts


def counts_by_reference(rules: str, players: int) -> dict[str, Any]:
    return walk(ReferencePosition.deal_all(rules, players))


def counts_by_engine(rules: str, players: int) -> dict[str, Any]:
    return walk(EnginePosition.deal_all(rules, players))


def write_golden_file() -> None:
    cases = [{"rules": rules, "players": players, **counts_by_reference(rules, players)} for rules, players in CASES]
    GOLDEN_FILE.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    write_golden_file()
