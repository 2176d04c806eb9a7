"""Rules: one frozen value that says what is played.

Every published figure names the rules it was played under. A preset is a named value; `parse_rules` reads a preset with
any switch changed on top of it, as on the command line: `classic,hand_size=5`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from kibitz.errors import BadValue, UnknownName
from kibitz.games.uno.cards import CARD_TYPES, MAX_CARDS, MAX_COPIES, MAX_PLAYERS, STANDARD_DECK
from kibitz.games.uno.names import card_from_name, card_name

VERSION = 1  # raised whenever the same seed could give another game

SWITCHES = {
    "deck": "the cards: standard (108), or a count for each type, such as r1*2/r2*2/gskip/wild",
    "hand_size": "cards dealt to each player, 1 to 20",
    "max_turns": "a game is cut off after so many turns and then has no winner, 1 to 1000000",
}


@dataclass(frozen=True)
class Rules:
    """What is played: a deck as counts by card type, and the switches."""

    name: str = "classic"
    deck: tuple[int, ...] = STANDARD_DECK
    hand_size: int = 7
    max_turns: int = 1000

    def __post_init__(self) -> None:
        if len(self.deck) != CARD_TYPES or any(not 0 <= count <= MAX_COPIES for count in self.deck):
            raise BadValue(f"deck of rules '{self.name}': {CARD_TYPES} counts from 0 to {MAX_COPIES} are needed, one for each card type.")
        if not 1 <= sum(self.deck) <= MAX_CARDS:
            raise BadValue(f"deck of rules '{self.name}' has {sum(self.deck)} cards; 1 to {MAX_CARDS} are accepted.")
        if self.deck[54] or self.deck[55]:
            raise BadValue(f"deck of rules '{self.name}': Wild Shuffle Hands and Wild Customizable are not part of these rules.")
        _check_range("hand_size", self.hand_size, 1, 20)
        _check_range("max_turns", self.max_turns, 1, 1_000_000)

    def check_players(self, players: int) -> None:
        """Refuse a number of players that these rules cannot seat."""
        if not 2 <= players <= MAX_PLAYERS:
            raise BadValue(f"{players} player{'s' if players != 1 else ''}: UNO is played by 2 to {MAX_PLAYERS}.")
        needed = players * self.hand_size + 1
        if needed > sum(self.deck):
            raise BadValue(
                f"{players} players with hand_size={self.hand_size} need {needed} cards, but the deck of rules '{self.name}' has {sum(self.deck)}."
            )

    def to_text(self) -> str:
        """The rules as `parse_rules` reads them: the preset and what differs from it."""
        base = PRESETS.get(self.name.partition(",")[0], PRESETS["classic"])
        changed = [f"{f.name}={switch_text(f.name, getattr(self, f.name))}" for f in fields(self) if _differs(self, base, f.name)]
        return ",".join([base.name, *changed])


def _differs(rules: Rules, base: Rules, switch: str) -> bool:
    return switch != "name" and getattr(rules, switch) != getattr(base, switch)


def _check_range(switch: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise BadValue(f"{switch}={value} is out of range: {low} to {high} is accepted.")


PRESETS = {"classic": Rules()}
SUMMARIES = {
    "classic": "the first rules of every table here: play one matching card or draw one; a drawn card may be played at once",
}


def parse_rules(text: str) -> Rules:
    """Rules from text: a preset's name, then any `switch=value`, separated by commas."""
    name, *changes = [part.strip() for part in text.split(",")]
    if name not in PRESETS:
        raise UnknownName("rules", name, PRESETS)
    values: dict[str, Any] = {}
    for change in changes:
        switch, equals, value = change.partition("=")
        if switch not in SWITCHES:
            raise UnknownName(f"switch in rules '{text}':", switch, SWITCHES)
        if not equals or not value:
            raise BadValue(f"switch '{change}' in rules '{text}' has no value; write {switch}=VALUE.")
        if switch in values:
            raise BadValue(f"switch '{switch}' occurs twice in rules '{text}'.")
        values[switch] = _parse_switch(switch, value)
    if not values:
        return PRESETS[name]
    rules = replace(PRESETS[name], **values)
    return replace(rules, name=rules.to_text())


def _parse_switch(switch: str, value: str) -> Any:
    if switch == "deck":
        return parse_deck(value)
    try:
        return int(value)
    except ValueError:
        raise BadValue(f"{switch}={value}: a whole number is needed.") from None


def parse_deck(text: str) -> tuple[int, ...]:
    """Counts by type from `standard` or cards separated by slashes, each with an optional `*count`."""
    if text == "standard":
        return STANDARD_DECK
    counts = [0] * CARD_TYPES
    for part in text.split("/"):
        name, star, count = part.partition("*")
        if star and not (count.isascii() and count.isdigit()):
            raise BadValue(f"deck: '{part}' needs a whole number after the star, such as r5*2.")
        counts[card_from_name(name)] += int(count) if star else 1
    return tuple(counts)


def switch_text(switch: str, value: Any) -> str:
    """The value of a switch as `parse_rules` reads it."""
    if switch != "deck":
        return str(value)
    if value == STANDARD_DECK:
        return "standard"
    return "/".join(card_name(card) + (f"*{count}" if count > 1 else "") for card, count in enumerate(value) if count)


def describe_rules(rules: Rules) -> list[str]:
    """The rules in plain words, a sentence each."""
    cards = sum(rules.deck)
    deck = "the standard deck of 108" if rules.deck == STANDARD_DECK else f"a deck of {cards} cards"
    return [
        f"Everybody gets {rules.hand_size} cards from {deck}; the dealer is drawn at random and the next player begins.",
        "The opening card counts: Skip skips the first player, Draw Two makes it draw two and skips it, on a Reverse the dealer begins "
        "and the direction turns, on a Wild anything may be played, a Wild Draw Four goes back.",
        "A turn: play one card that shares the top card's colour, number or symbol, or a wild; or draw one card, even with a playable one in hand. "
        "A drawn card that fits may be played at once.",
        "With two players a Reverse is a Skip. A Wild Draw Four may always be played.",
        "A Draw Two or Wild Draw Four as the last card still makes the next player draw. The winner gets the points of all other hands: "
        "numbers their value, action cards 20, wilds 50.",
        "When the draw pile runs out, the discard pile but for its top card is shuffled into it.",
        f"A game without a winner after {rules.max_turns} turns, or in which nobody can play or draw, is unfinished and counted as such.",
    ]
