"""Rules: one frozen value that says what is played.

Every published figure names the rules it was played under. A preset is a named value; `parse_rules` reads a preset, or a
TOML file, with any switch changed on top of it, as on the command line: `official,stacking=progressive,hand_size=5`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue, KibitzError, UnknownName
from kibitz.core.reading import check_whole, parse_toml, read_text, whole_number
from kibitz.games.switches import Switch, check_players, read_changes
from kibitz.games.uno.cards import CARD_TYPES, COLOURED_TYPES, DECKS, MAX_CARDS, MAX_COPIES, MAX_PLAYERS, STANDARD_DECK, WILD_SHUFFLE_HANDS
from kibitz.games.uno.names import card_from_name, card_name

VERSION = 1  # of records: raised whenever the same seed could deal other cards, or the same actions lead elsewhere


# The first value of each is the classic one; a value's place is its number in the engine.
SWITCHES = {
    "deck": Switch(
        "the cards",
        {
            "standard": "76 numbers, 24 action cards, 4 Wild, 4 Wild Draw Four (108 in all)",
            "numbers": "the 76 numbers alone",
            "modern": "the standard deck, one Wild Shuffle Hands and three Wild Customizable (112 in all)",
        },
        also="cards with counts such as r1*2/r2*2/gskip/wild",
    ),
    "hand_size": Switch("cards dealt to each player", low=1, high=20),
    "starter": Switch(
        "who begins",
        {
            "after_dealer": "the player after the dealer, who is drawn at random and moves on from deal to deal of a contest",
            "seat_0": "seat 0, in every deal",
            "random_seat": "a player drawn at random for every deal",
        },
    ),
    "opening": Switch(
        "what the card turned up at the start does",
        {
            "effects": "an action card acts on the first player; on a Wild anything may be played; a Wild Draw Four goes back",
            "effects_name_colour": "an action card acts on the first player; on a Wild that player names the colour, then plays; "
            "a Wild Draw Four goes back",
            "none": "an action card does nothing; on a wild anything may be played",
            "redraw_wilds": "a wild is replaced until another card comes; an action card does nothing",
        },
    ),
    "reverse_is_skip": Switch(
        "what a Reverse does between two players",
        {"on": "it skips the other player", "off": "it turns the direction: the other player is next"},
    ),
    "draw": Switch("how much is drawn in a turn", {"one": "one card", "until_playable": "cards until one may be played"}),
    "drawn_card": Switch(
        "what may be done with the card drawn",
        {
            "may_play": "it may be played at once, if it fits",
            "must_play": "it must be played at once, if it fits",
            "may_not_play": "the turn is over",
            "any_card": "any card of the hand that fits may be played",
        },
    ),
    "must_play": Switch("drawing with a playable card in hand", {"off": "allowed", "on": "not allowed"}),
    "wild_draw_four": Switch(
        "when a Wild Draw Four may be played",
        {
            "free": "always",
            "honest_only": "only without a card of the current colour in hand",
            "challenge": "always, but the next player may challenge it",
            "last_resort": "only if nothing else is playable",
        },
    ),
    "stacking": Switch(
        "answering a card that makes one draw",
        {
            "off": "not possible",
            "same": "a Draw Two answers a Draw Two, a Wild Draw Four another; the next player faces the total",
            "progressive": "a Draw Two or a Wild Draw Four answers a Draw Two, a Wild Draw Four another; the next player faces the total",
        },
    ),
    "seven_zero": Switch(
        "sevens and zeros", {"off": "plain numbers", "on": "a 7 swaps hands with a player of one's choice, a 0 passes all hands on"}
    ),
    "jump_in": Switch("playing out of turn", {"off": "never", "on": "allowed with exactly the coloured card just played"}),
    "uno_call": Switch("playing down to one card", {"off": "no call is needed", "on": "one calls UNO, or may be caught and draws two"}),
    "last_card_draws": Switch(
        "a Draw Two or Wild Draw Four as the last card",
        {"on": "the next player still draws, and those cards count", "off": "the next player draws nothing"},
    ),
    "refill": Switch(
        "when the discard pile is shuffled into the draw pile",
        {"when_empty": "as soon as that is empty", "when_needed": "when a card must be drawn and there is none"},
    ),
    "max_turns": Switch("turns after which a game is cut off and has no winner", low=1, high=1_000_000),
}


def _on_off(switch: str) -> bool:
    return set(SWITCHES[switch].values) == {"on", "off"}


@dataclass(frozen=True)
class Rules:
    """What is played: a deck as counts by card type, and the switches."""

    name: str = field(default="classic", compare=False)
    deck: tuple[int, ...] = STANDARD_DECK
    hand_size: int = 7
    starter: str = "after_dealer"
    opening: str = "effects"
    reverse_is_skip: bool = True
    draw: str = "one"
    drawn_card: str = "may_play"
    must_play: bool = False
    wild_draw_four: str = "free"
    stacking: str = "off"
    seven_zero: bool = False
    jump_in: bool = False
    uno_call: bool = False
    last_card_draws: bool = True
    refill: str = "when_empty"
    max_turns: int = 1000

    def __post_init__(self) -> None:
        if len(self.deck) != CARD_TYPES or any(not 0 <= count <= MAX_COPIES for count in self.deck):
            many = next(
                (f" has {count} of {card_name(card)}" for card, count in enumerate(self.deck[:CARD_TYPES]) if count > MAX_COPIES), ""
            )
            raise BadValue(
                f"deck of rules '{self.name}'{many}: {CARD_TYPES} counts from 0 to {MAX_COPIES} are needed, one for each card type."
            )
        if not 1 <= sum(self.deck) <= MAX_CARDS:
            raise BadValue(f"deck of rules '{self.name}' has {sum(self.deck)} cards; 1 to {MAX_CARDS} are accepted.")
        for name, switch in SWITCHES.items():
            value = getattr(self, name)
            if switch.high:
                check_whole(value, name, switch.low, switch.high)
            kind = bool if _on_off(name) else str
            if name != "deck" and switch.values and (type(value) is not kind or switch_text(name, value) not in switch.values):
                raise BadValue(f"{name}={value} is not accepted; it is {switch.accepted}.")
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        if self.draw == "until_playable" and self.drawn_card == "may_not_play":
            raise BadValue(
                "draw=until_playable and drawn_card=may_not_play contradict each other: cards would be drawn until one may be played, "
                "and that one might not."
            )
        if self.opening == "redraw_wilds" and not any(self.deck[:COLOURED_TYPES]):
            raise BadValue(
                f"opening=redraw_wilds and deck={switch_text('deck', self.deck)} contradict each other: "
                "a deck of wilds alone has nothing else to turn up."
            )

    def check_players(self, players: int) -> None:
        """Refuse a number of players that these rules cannot seat."""
        check_players(players, "UNO", MAX_PLAYERS)
        needed = players * self.hand_size + 1
        if needed > sum(self.deck):
            raise BadValue(
                f"{players} players with hand_size={self.hand_size} need {needed} cards, but the deck of rules '{self.name}' has {sum(self.deck)}."
            )

    @property
    def is_plain(self) -> bool:
        """Whether every switch stands as in `classic`, but for the deck and numbers: what the shorter engine plays."""
        house = [name for name, switch in SWITCHES.items() if switch.values and name != "deck"]
        return not self.deck[WILD_SHUFFLE_HANDS] and all(self.code(name) == 0 for name in house)

    def code(self, switch: str) -> int:
        """The place of a switch's value among its values: 0 is the classic one."""
        return list(SWITCHES[switch].values).index(switch_text(switch, getattr(self, switch)))

    def to_text(self) -> str:
        """The rules as `parse_rules` reads them: the preset and what differs from it."""
        base = PRESETS.get(self.name.partition(",")[0], PRESETS["classic"])
        changed = [f"{f.name}={switch_text(f.name, getattr(self, f.name))}" for f in fields(self) if _differs(self, base, f.name)]
        return ",".join([base.name, *changed])


def _differs(rules: Rules, base: Rules, switch: str) -> bool:
    return switch != "name" and getattr(rules, switch) != getattr(base, switch)


# -- from text --


def parse_rules(text: str) -> Rules:
    """Rules from text: a preset's name or a TOML file, then any `switch=value`, separated by commas."""
    name, *changes = [part.strip() for part in text.split(",")]
    if name.endswith(".toml"):
        base = rules_from_file(Path(name))
    elif name in PRESETS:
        base = PRESETS[name]
    elif "=" in name:
        raise BadValue(f"rules '{text}' begin with a switch; a preset or a file comes first, such as classic,{name}.")
    else:
        raise UnknownName("rules", name, PRESETS)
    return changed(base, read_changes(changes, text, SWITCHES, _parse_switch))


def changed(base: Rules, values: dict[str, Any]) -> Rules:
    """Rules with some switches changed, named by what they are."""
    if not values:
        return base
    rules = replace(base, **values)
    return replace(rules, name=rules.to_text())


def _parse_switch(switch: str, value: str) -> Any:
    if switch == "deck":
        return parse_deck(value)
    if SWITCHES[switch].values:
        if value not in SWITCHES[switch].values:
            raise UnknownName(f"value of switch {switch}:", value, SWITCHES[switch].values)
        return value == "on" if _on_off(switch) else value
    return whole_number(value, switch, SWITCHES[switch].low, SWITCHES[switch].high)


def parse_deck(text: str) -> tuple[int, ...]:
    """Counts by type from a deck's name or cards separated by slashes, each with an optional `*count`."""
    if text in DECKS:
        return DECKS[text]
    counts = [0] * CARD_TYPES
    for part in text.split("/"):
        name, star, count = part.partition("*")
        counts[card_from_name(name)] += whole_number(count, f"deck: copies of {name}", 0, MAX_COPIES) if star else 1
    return tuple(counts)


def switch_text(switch: str, value: Any) -> str:
    """The value of a switch as `parse_rules` reads it."""
    if switch == "deck":
        for name, deck in DECKS.items():
            if value == deck:
                return name
        return "/".join(card_name(card) + (f"*{count}" if count > 1 else "") for card, count in enumerate(value) if count)
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


# -- from a file --


def rules_from_file(path: Path) -> Rules:
    """Rules from a TOML file: an optional `preset`, then switches; `deck` is a name, or a table of counts by card."""
    content = parse_toml(read_text(path, "rules file"), f"rules file {path}")
    name = content.pop("preset", "classic")
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownName(f"preset in rules file {path}:", str(name), PRESETS)
    values = {}
    for switch, value in content.items():
        if switch not in SWITCHES:
            raise UnknownName(f"switch in rules file {path}:", switch, ["preset", *SWITCHES])
        try:
            values[switch] = _from_toml(switch, value)
        except KibitzError as error:
            raise BadValue(f"rules file {path}: {error}") from None
    return changed(PRESETS[name], values)


def _from_toml(switch: str, value: Any) -> Any:
    if switch == "deck" and isinstance(value, dict):
        counts = [0] * CARD_TYPES
        for name, count in value.items():
            if type(count) is not int or count < 0:
                raise BadValue(f"deck.{name} = {count!r} is not a count; it is a whole number from 0 to {MAX_COPIES}.")
            counts[card_from_name(name)] = count
        return tuple(counts)
    kinds: tuple[type, ...] = (str, bool) if _on_off(switch) else (str,) if SWITCHES[switch].values else (int,)
    if type(value) not in kinds:
        raise BadValue(f"{switch} = {value!r} is not accepted; it is {SWITCHES[switch].accepted}.")
    return value if type(value) in (bool, int) else _parse_switch(switch, value)


# -- presets --


def _presets() -> Iterable[Rules]:
    yield Rules()
    official = Rules("official", opening="effects_name_colour", wild_draw_four="challenge", uno_call=True)
    yield official
    yield Rules("numbers", deck=DECKS["numbers"], drawn_card="may_not_play", must_play=True, starter="seat_0")
    yield replace(official, name="modern", deck=DECKS["modern"])
    yield Rules(
        "davies",
        starter="random_seat",
        opening="redraw_wilds",
        drawn_card="any_card",
        reverse_is_skip=False,
        last_card_draws=False,
        refill="when_needed",
    )
    yield Rules(
        "hearn",
        starter="seat_0",
        opening="none",
        reverse_is_skip=False,
        drawn_card="may_not_play",
        must_play=True,
        wild_draw_four="last_resort",
        refill="when_needed",
    )


PRESETS = {rules.name: rules for rules in _presets()}
SUMMARIES = {
    "classic": "the default, and what our tables are played under: play one matching card or draw one; a drawn card may be played at once",
    "official": "as printed on the box: a Wild Draw Four may be challenged, who has one card left calls UNO; usually played to 500",
    "numbers": "number cards alone; seat 0 begins, who can play must play, a drawn card waits for the next turn",
    "modern": "the official rules with the newer deck: Wild Shuffle Hands and Wild Customizable",
    "davies": "Stephen Davies' class tournament: after drawing, any card may be played, a wild never opens, nobody draws for the last card",
    "hearn": "John Hearn's program, minus its bugs: seat 0 begins, a player who can play must, a Wild Draw Four is the last resort",
}
