"""A position as one line of text, both ways.

    classic;players=2;dealer=0;to_act=1;direction=+;turn=3;phase=turn;top=r5;hands=r1.g2.wild|b3.b3;discard=r4;pile=y7.y8

Hands, discard pile (oldest card first, top card apart) and draw pile are cards separated by dots; a wild on top carries
the colour called, `wild:g`. The random streams are not part of a position: who reads one hands in a seed.
"""

from __future__ import annotations

from kibitz.errors import BadValue
from kibitz.games.uno import engine
from kibitz.games.uno.cards import CARD_TYPES, COLOUR_LETTERS, COLOUR_OF, COLOURED_TYPES, MAX_CARDS, NO_CARD, NO_COLOUR, match_mask
from kibitz.games.uno.counts import Planes, add_to_planes, cards_from
from kibitz.games.uno.names import card_from_name, card_name
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import DRAWN, PHASE_NAMES, STATUS_NAMES, WON
from kibitz.seeds import DEAL, FIRST_SEAT, check_seed, game_key, stream

_FIELDS = ("players", "dealer", "to_act", "direction", "turn", "phase", "top", "hands", "discard", "pile")
_OPTIONAL = ("drawn", "idle", "scores", "status", "winner", "points")


def to_text(state: State, rules: Rules) -> str:
    """The position as one line."""
    players = range(state.players)
    top = card_name(state.top)
    if state.top >= COLOURED_TYPES and state.colour != NO_COLOUR:
        top += f":{COLOUR_LETTERS[state.colour]}"
    parts = {
        "players": str(state.players),
        "dealer": str(state.dealer),
        "to_act": str(state.current),
        "direction": "+" if state.direction > 0 else "-",
        "turn": str(state.turn),
        "phase": PHASE_NAMES[state.phase],
        "top": top,
        "hands": "|".join(_cards_text(hand_in_order(state, seat)) for seat in players),
        "discard": _cards_text(state.discard[: state.discard_size]),
        "pile": _cards_text(state.pile[: state.pile_size]),
    }
    if state.phase == DRAWN:
        parts["drawn"] = card_name(state.hidden_drawn)
    if state.idle_players:
        parts["idle"] = str(state.idle_players)
    if any(state.scores):
        parts["scores"] = "|".join(str(state.scores[seat]) for seat in players)
    if state.status:
        parts["status"] = STATUS_NAMES[state.status].replace(" ", "_")
        parts["points"] = str(state.points)
        if state.winner != NO_CARD:
            parts["winner"] = str(state.winner)
    return ";".join([rules.to_text(), *[f"{key}={value}" for key, value in parts.items()]])


def hand_in_order(state: State, seat: int) -> list[int]:
    """A hand in order of arrival where that is kept, else in the order of the types."""
    if state.ordered[seat]:
        start = seat * MAX_CARDS
        return state.orders[start : start + state.sizes[seat]]
    return cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))


def _cards_text(cards: list[int]) -> str:
    return ".".join(card_name(card) for card in cards)


def from_text(text: str, seed: int = 0) -> tuple[State, Rules]:
    """The position a line describes, with streams from `seed`, and its rules. Every card of the deck must be somewhere."""
    head, *rest = text.strip().split(";")
    rules = parse_rules(head)
    parts = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in _FIELDS + _OPTIONAL or key in parts:
            raise BadValue(f"position: '{part}' is not understood; a position has {', '.join(_FIELDS)}.")
        parts[key] = value
    missing = [key for key in _FIELDS if key not in parts]
    if missing:
        raise BadValue(f"position: {', '.join(missing)} is missing.")
    players = _whole(parts, "players", 2, 10)
    state = new_state(rules, players)
    hands = parts["hands"].split("|")
    if len(hands) != players:
        raise BadValue(f"position: hands has {len(hands)} hands for {players} players.")
    for seat, hand in enumerate(hands):
        cards = _cards(hand)
        planes: Planes = (0, 0, 0)
        for card in cards:
            planes = add_to_planes(*planes, 1 << card)
        state.hands0[seat], state.hands1[seat], state.hands2[seat] = planes
        state.sizes[seat] = len(cards)
        state.ordered[seat] = 1
        state.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(cards)] = cards
    state.any_ordered = 1
    for name, size in (("discard", "discard_size"), ("pile", "pile_size")):
        cards = _cards(parts[name])
        setattr(state, size, len(cards))
        setattr(state, name, (cards + [0] * MAX_CARDS)[:MAX_CARDS])
    top, _, called = parts["top"].partition(":")
    state.top = card_from_name(top)
    if called and (called not in list(COLOUR_LETTERS) or state.top < COLOURED_TYPES):
        raise BadValue(f"position: top={parts['top']} is not understood; a wild on top is written wild or wild:g.")
    state.colour = COLOUR_LETTERS.index(called) if called else COLOUR_OF[state.top]
    state.match = match_mask(state.top, state.colour)
    _check_deck(state, rules)
    state.dealer = _whole(parts, "dealer", 0, players - 1)
    state.current = _whole(parts, "to_act", 0, players - 1)
    if parts["direction"] not in ("+", "-"):
        raise BadValue(f"position: direction={parts['direction']} is not understood; it is + or -.")
    state.direction = 1 if parts["direction"] == "+" else -1
    state.turn = _whole(parts, "turn", 0, rules.max_turns)
    if parts["phase"] not in PHASE_NAMES:
        raise BadValue(f"position: phase={parts['phase']} is not understood; it is {' or '.join(PHASE_NAMES)}.")
    state.phase = PHASE_NAMES.index(parts["phase"])
    if state.phase == DRAWN:
        if "drawn" not in parts:
            raise BadValue("position: phase=drawn needs the card that was drawn, such as drawn=r5.")
        state.hidden_drawn = card_from_name(parts["drawn"])
        if state.hidden_drawn not in _cards(hands[state.current]):
            raise BadValue(f"position: drawn={parts['drawn']} is not in the hand of the player to act.")
        if not state.match >> state.hidden_drawn & 1:
            raise BadValue(f"position: drawn={parts['drawn']} does not match the top card, so the turn would be over.")
    state.idle_players = _whole(parts, "idle", 0, players) if "idle" in parts else 0
    if "scores" in parts:
        scores = parts["scores"].split("|")
        if len(scores) != players or not all(score.isascii() and score.isdigit() for score in scores):
            raise BadValue(f"position: scores={parts['scores']} is not accepted; it is one whole number for each player, separated by |.")
        state.scores[:players] = [int(score) for score in scores]
    state.winner = NO_CARD
    if "status" in parts:
        statuses = [name.replace(" ", "_") for name in STATUS_NAMES]
        if parts["status"] not in statuses:
            raise BadValue(f"position: status={parts['status']} is not understood; it is {' or '.join(statuses)}.")
        state.status = statuses.index(parts["status"])
        state.points = _whole(parts, "points", 0, 100_000) if "points" in parts else 0
        if state.status == WON:
            if "winner" not in parts:
                raise BadValue("position: status=won needs the winner's seat, such as winner=0.")
            state.winner = _whole(parts, "winner", 0, players - 1)
    if not state.status and not all(state.sizes[:players]):
        raise BadValue(f"position: hands={parts['hands']} has an empty hand, but the game is not over.")
    start = game_key(check_seed(seed), 0)
    state.deal_stream = stream(start, DEAL)
    for seat in range(players):
        state.seat_streams[seat] = stream(start, FIRST_SEAT + seat)
    engine.show(state, state.current)
    return state, rules


def _whole(parts: dict[str, str], key: str, low: int, high: int) -> int:
    text = parts[key]
    if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
        raise BadValue(f"position: {key}={text} is not accepted; it is a whole number from {low} to {high}.")
    return int(text)


def _cards(text: str) -> list[int]:
    return [card_from_name(name) for name in text.split(".")] if text else []


def _check_deck(state: State, rules: Rules) -> None:
    counts = [0] * CARD_TYPES
    for seat in range(state.players):
        for card in hand_in_order(state, seat):
            counts[card] += 1
    for card in [*state.discard[: state.discard_size], *state.pile[: state.pile_size], state.top]:
        counts[card] += 1
    for card, (found, expected) in enumerate(zip(counts, rules.deck, strict=True)):
        if found != expected:
            raise BadValue(f"position: {card_name(card)} occurs {found} times, but the deck has {expected}.")
