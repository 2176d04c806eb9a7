"""Rules of Hanabi: one frozen value that says what is played, and the presets with switches on top of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.reading import check_whole, whole_number
from kibitz.games.hanabi.cards import CARD_TYPES, MAX_COLOURS, MAX_HAND, MAX_LIVES, MAX_PLAYERS, MAX_RANKS, MAX_TOKENS, copies_of
from kibitz.games.switches import Switch, check_players, read_changes

VERSION = 1  # of records: raised whenever the same seed could deal other cards, or the same actions lead elsewhere

SWITCHES = {
    "hand_size": Switch("cards in each hand; 0 means five for two or three players, four for more", low=0, high=MAX_HAND),
    "tokens": Switch("information tokens", low=1, high=MAX_TOKENS),
    "lives": Switch("lives", low=1, high=MAX_LIVES),
    "discard_when_full": Switch("discarding while all tokens are there", {"off": "is not allowed", "on": "is allowed"}),
    "colours": Switch("number of colours", low=1, high=MAX_COLOURS),
    "ranks": Switch("number of ranks", low=1, high=MAX_RANKS),
}


@dataclass(frozen=True)
class Rules:
    """What is played."""

    name: str = field(default="standard", compare=False)
    hand_size: int = 0
    tokens: int = MAX_TOKENS
    lives: int = MAX_LIVES
    discard_when_full: bool = False
    colours: int = MAX_COLOURS
    ranks: int = MAX_RANKS

    def __post_init__(self) -> None:
        for name, switch in SWITCHES.items():
            value = getattr(self, name)
            if switch.high:
                check_whole(value, name, switch.low, switch.high)

    @property
    def deck(self) -> tuple[int, ...]:
        """How many copies of each card type there are."""
        counts = [0] * CARD_TYPES
        for colour in range(self.colours):
            for rank in range(self.ranks):
                counts[colour * MAX_RANKS + rank] = copies_of(rank, self.ranks)
        return tuple(counts)

    @property
    def perfect_score(self) -> int:
        """The points of a perfect game."""
        return self.colours * self.ranks

    def cards_in_hand(self, players: int) -> int:
        """How many cards each player holds."""
        return self.hand_size or (5 if players <= 3 else 4)

    def check_players(self, players: int) -> None:
        """Refuse a number of players that these rules cannot seat."""
        check_players(players, "Hanabi", MAX_PLAYERS)
        needed = players * self.cards_in_hand(players)
        if needed > sum(self.deck):
            raise BadValue(
                f"{players} players with {self.cards_in_hand(players)} cards each need {needed}, but the deck of rules '{self.name}' has {sum(self.deck)}."
            )

    def to_text(self) -> str:
        """The rules as `parse_rules` reads them."""
        base = PRESETS.get(self.name.partition(",")[0], PRESETS["standard"])
        names = [f.name for f in fields(self) if f.name != "name" and getattr(self, f.name) != getattr(base, f.name)]
        return ",".join([base.name, *[f"{name}={switch_text(name, getattr(self, name))}" for name in names]])


PRESETS = {"standard": Rules(), "autohanabi": Rules("autohanabi", hand_size=4)}
SUMMARIES = {
    "standard": "five colours, eight tokens, three lives; five cards each for two or three players, four for more",
    "autohanabi": "the same with four cards each, as in Benjamin Swart's program Autohanabi, where the search meanimax comes from",
}


def switch_text(switch: str, value: Any) -> str:
    """The value of a switch as `parse_rules` reads it."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def parse_rules(text: str) -> Rules:
    """Rules from text: a preset's name, then any `switch=value`, separated by commas."""
    name, *changes = [part.strip() for part in text.split(",")]
    if name not in PRESETS:
        raise UnknownName("rules of Hanabi", name, PRESETS)
    values = read_changes(changes, text, SWITCHES, _parse_switch)
    if not values:
        return PRESETS[name]
    rules = replace(PRESETS[name], **values)
    return replace(rules, name=rules.to_text())


def _parse_switch(switch: str, value: str) -> Any:
    if switch == "discard_when_full":
        if value not in ("on", "off"):
            raise BadValue(f"{switch}={value} is not accepted; it is on or off.")
        return value == "on"
    return whole_number(value, switch, SWITCHES[switch].low, SWITCHES[switch].high)
