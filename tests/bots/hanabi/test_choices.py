"""What bots that go by rules of thumb choose: `choices.txt` has bots, hands, options of `position` and answers, as in `tests.bots.choices`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..choices import read_chances, read_tables
from ..positions import FEW, MANY
from .positions import Player, answers, assert_frequencies, choice, known, play, position, ranked

OWN = "W2.W3.W4.B2.B3"  # nothing known, so nothing to play
IDLE = "R3.R4.Y3.Y4.G3"  # nothing playable on empty piles
ONES = "G1.G1.G1.W1.W1.W1.B1.B1.B1"  # of the other colours, all gone


class Row(NamedTuple):
    """A position and what some bots answer there."""

    bots: list[str]
    hands: str
    options: dict[str, Any]
    expected: dict[str, float]

    def check(self) -> None:
        """Ask every bot."""
        for bot in self.bots:
            given = answers(bot, position(self.hands, **self.options), FEW if len(self.expected) == 1 else MANY)
            assert set(given) == set(self.expected), (bot, self, given)
            assert_frequencies(given, self.expected)


def read_row(line: str) -> Row:
    """A row of the table."""
    bots, hands, options, expected = (part.strip() for part in line.split(" | "))
    named: dict[str, Any] = dict(option.split("=", 1) for option in options.split())
    named |= {name: int(named[name]) for name in ("tokens", "lives", "to_act") if name in named}
    return Row(bots.split(), hands, named, read_chances(expected))


@pytest.mark.parametrize("rows", read_tables(Path(__file__).with_name("choices.txt").read_text(encoding="utf-8"), read_row))
def test_rules_of_thumb(rows: list[Row]) -> None:
    for row in rows:
        row.check()


def test_iggi_keeps_a_dead_card_while_discarding_is_not_allowed() -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|{IDLE}"
    piles = "R1.Y0.G0.W0.B0"
    assert all(answer.startswith("hint:1") for answer in answers("iggi", position(hands, fireworks=piles)))
    assert choice("iggi", position(hands, rules="standard,discard_when_full=on", fireworks=piles)) == "discard:2"


def test_hints_of_iggi_go_round_the_table() -> None:
    state = position(f"{IDLE}|{OWN}|R1.R4.Y2.Y4.G3", to_act=1)
    assert choice("iggi", state) == "hint:1:1"
    play(state, "hint:1:1")
    assert choice("iggi", state) == "play:0"


def test_spots_decide_between_equally_probable_cards_of_piers() -> None:
    state = position(f"W2.{ranked('Y1')}.W3.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", discard=ONES, tokens=5, deck="Y1")
    player = Player("piers", state)
    play(state, "discard:0", "hint:1:1")
    assert player.answer() == "play:0"  # it lies on the second spot, the drawn card on the first
    assert choice("piers", state) == "play:4"
