"""Tables of what bots choose in UNO positions, written as text.

A line that is not indented says what the rows below it show. A row has the bots, the hand (oldest card first), how many cards each of the
others holds, the top card, and the answer, with `|` between them:

    mix:points mix2 | r7 wild+4 | 1 7 | r5 | wild+4:r

Several answers are equally likely, `r5*2` twice as likely as the others. `wild:*` stands for all four colours, `wild:?` for a colour that does
not matter. After the top card come options of `position`, such as `drawn=wild direction=-`; cards in them have dots between them. A last part
replaces the card-count bounds of the bots: `1: r7*2 g7; 2:`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from .positions import FEW, MANY, answers, assert_frequencies, choice, position, with_every_colour


class Row(NamedTuple):
    """A position and what some bots answer there."""

    bots: list[str]
    hand: str
    others: list[int]
    top: str
    options: dict[str, str]
    expected: dict[str, float]
    bounds: dict[int, dict[str, int]] | None

    def check(self) -> None:
        """Ask every bot."""
        game = position(self.hand, *self.others, top=self.top, **self.options)  # type: ignore[arg-type]  # options are texts
        for bot in self.bots:
            if any(answer.endswith(":?") for answer in self.expected):
                assert {choice(bot, game, self.bounds)[:-1] + "?"} == set(self.expected), (bot, self)
            else:
                given = answers(bot, game, self.bounds, FEW if len(self.expected) == 1 else MANY)
                assert set(given) == set(self.expected), (bot, self, given)
                assert_frequencies(given, self.expected)


def counted(text: str) -> Counter[str]:
    """Words with how many there are of each: `r7*2 g7`."""
    found: Counter[str] = Counter()
    for word in text.split():
        name, times, count = word.rpartition("*")
        found[name if times and count else word] += int(count) if times and count else 1
    return found


def read_row(line: str) -> Row:
    """A row of a table."""
    bots, hand, others, top, expected, *rest = (part.strip() for part in line.split("|"))
    card, *options = top.split()
    bounds = None
    if rest:
        seats = [seat.partition(":") for seat in rest[0].split(";")]
        bounds = {int(seat): dict(counted(cards)) for seat, _, cards in seats}
    named = {name: value.replace(".", " ") for name, _, value in (option.partition("=") for option in options)}
    return Row(bots.split(), hand, [int(size) for size in others.split()], card, named, read_chances(expected), bounds)


def read_chances(text: str) -> dict[str, float]:
    """Answers with how likely each is, compared with the others."""
    chances: dict[str, float] = {}
    for answer, chance in counted(text).items():
        for each in with_every_colour(answer[:-2]) if answer.endswith(":*") else [answer]:
            chances[each] = chance
    return chances


def read_tables(text: str, read_row: Callable[[str], Any] = read_row) -> list[Any]:
    """All groups of rows, as parameters of a test."""
    groups: dict[str, list[Any]] = {}
    for line in text.strip().splitlines():
        if line.startswith(" "):
            groups[list(groups)[-1]].append(read_row(line))
        else:
            assert line not in groups
            groups[line] = []
    assert all(groups.values())
    return [pytest.param(rows, id=why.partition(" (")[0]) for why, rows in groups.items()]
