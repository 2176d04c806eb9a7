"""A position as one line of text, both ways.

    classic;players=2;dealer=0;to_act=1;direction=+;turn=3;phase=turn;top=r5;hands=r1.g2.wild|b3.b3;discard=r4;pile=y7.y8

Hands, discard pile (oldest card first, top card apart) and draw pile are cards separated by dots; a wild on top carries
the colour called, `wild:g`. The random streams are not part of a position: who reads one hands in a seed.
"""

from __future__ import annotations

from kibitz.core.errors import BadValue
from kibitz.core.reading import whole_number
from kibitz.core.seeds import check_seed, game_key, start_streams
from kibitz.games.uno import engine
from kibitz.games.uno.cards import (
    CARD_TYPES,
    COLOUR_LETTERS,
    COLOUR_OF,
    COLOURED_TYPES,
    DRAW_TWO,
    MAX_CARDS,
    MAX_PLAYERS,
    NO_CARD,
    NO_COLOUR,
    VALUE_OF,
    WILD_DRAW_FOUR,
    match_mask,
)
from kibitz.games.uno.counts import Planes, add_to_planes, cards_from
from kibitz.games.uno.names import card_from_name, card_name
from kibitz.games.uno.playable import playable_now
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import CHALLENGING, COLOUR, DRAWN, JUMPING_IN, PHASE_NAMES, STACK, STATUS_NAMES, SWAP, UNO_CALL, WON

_FIELDS = ("players", "dealer", "to_act", "direction", "turn", "phase", "top", "hands", "discard", "pile")
_OPTIONAL = ("drawn", "draws", "idle", "scores", "player", "before", "stack", "challenge", "guilty", "next", "known")
_AT_THE_END = ("status", "winner", "points")


def to_text(state: State, rules: Rules) -> str:
    """The position as one line."""
    players = range(state.players)
    parts = {
        "players": str(state.players),
        "dealer": str(state.dealer),
        "to_act": str(state.current),
        "direction": "+" if state.direction > 0 else "-",
        "turn": str(state.turn),
        "phase": PHASE_NAMES[state.phase],
        "top": _top_text(state.top, state.colour),
        "hands": "|".join(_cards_text(hand_in_order(state, seat)) for seat in players),
        "discard": _cards_text(state.discard[: state.discard_size]),
        "pile": _cards_text(state.pile[: state.pile_size]),
    }
    if state.phase == DRAWN:
        parts["drawn"] = card_name(state.hidden_drawn)
        if state.turn_draws != 1:
            parts["draws"] = str(state.turn_draws)
    if state.phase >= CHALLENGING:
        parts |= _window_parts(state)
    known = _known_text(state)
    if known:
        parts["known"] = known
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


def _top_text(card: int, colour: int) -> str:
    """A card on top; a wild carries the colour called."""
    return card_name(card) + (f":{COLOUR_LETTERS[colour]}" if card >= COLOURED_TYPES and colour != NO_COLOUR else "")


def _window_parts(state: State) -> dict[str, str]:
    """What a window of house rules is about."""
    parts = {"player": str(state.player), "before": _top_text(state.before_top, state.before_colour)}
    if state.stack:
        parts["stack"] = str(state.stack)
    if state.may_challenge:
        parts["challenge"] = "on"
    if state.guilty and state.top == WILD_DRAW_FOUR:
        parts["guilty"] = "on"
    if state.phase == JUMPING_IN:
        parts["next"] = str(state.next_seat)
    return parts


def _known_text(state: State) -> str:
    """What is known of other hands: `0>1:r5.g3` says that seat 0 knows seat 1 to hold these."""
    entries = []
    for viewer in range(state.players):
        for seat in range(state.players):
            place = viewer * MAX_PLAYERS + seat
            cards = cards_from((state.knowledge0[place], state.knowledge1[place], state.knowledge2[place]))
            if cards:
                entries.append(f"{viewer}>{seat}:{_cards_text(cards)}")
    return "|".join(entries)


def _cards_text(cards: list[int]) -> str:
    return ".".join(card_name(card) for card in cards)


def from_text(text: str, seed: int = 0) -> tuple[State, Rules]:
    """The position a line describes, with streams from `seed`, and its rules. Every card of the deck must be somewhere."""
    head, *rest = text.strip().split(";")
    rules = parse_rules(head)
    parts = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in _FIELDS + _OPTIONAL + _AT_THE_END or key in parts:
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
        state.hands0[seat], state.hands1[seat], state.hands2[seat] = _planes(cards)
        state.sizes[seat] = len(cards)
        state.ordered[seat] = 1
        state.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(cards)] = cards
    state.any_ordered = 1
    for name, size in (("discard", "discard_size"), ("pile", "pile_size")):
        cards = _cards(parts[name])
        setattr(state, size, len(cards))
        setattr(state, name, (cards + [0] * MAX_CARDS)[:MAX_CARDS])
    state.top, state.colour = _top(parts, "top")
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
        state.turn_draws = _whole(parts, "draws", 1, MAX_CARDS) if "draws" in parts else 1
        types = state.hands0[state.current] | state.hands1[state.current] | state.hands2[state.current]
        if not playable_now(state, types):
            raise BadValue(f"position: drawn={parts['drawn']} leaves nothing to play, so the turn would be over.")
    elif "drawn" in parts or "draws" in parts:
        raise BadValue("position: drawn and draws belong to phase=drawn.")
    _read_window(state, rules, parts)
    if "known" in parts:
        _read_known(state, parts["known"])
    state.idle_players = _whole(parts, "idle", 0, players) if "idle" in parts else 0
    if "scores" in parts:
        scores = parts["scores"].split("|")
        if len(scores) != players:
            raise BadValue(f"position: scores={parts['scores']} is not accepted; it is one whole number for each player, separated by |.")
        state.scores[:players] = [whole_number(score, "position: scores", 0, 10**9) for score in scores]
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
    if not state.status and not all(state.sizes[seat] or (seat == state.player and state.emptied) for seat in range(players)):
        raise BadValue(f"position: hands={parts['hands']} has an empty hand, but the game is not over.")
    start_streams(state, game_key(check_seed(seed), 0))
    engine.show_actor(state)
    return state, rules


def _read_window(state: State, rules: Rules, parts: dict[str, str]) -> None:
    """What a window of house rules is about, checked against the rules."""
    given = [key for key in ("player", "before", "stack", "challenge", "guilty", "next") if key in parts]
    if state.phase < CHALLENGING:
        if given:
            raise BadValue(f"position: {given[0]} does not belong to phase={parts['phase']}.")
        if state.phase == COLOUR and (rules.opening != "effects_name_colour" or state.top < COLOURED_TYPES or state.colour != NO_COLOUR):
            raise BadValue("position: phase=colour needs opening=effects_name_colour and a wild without a colour on top.")
        return
    if not _is_possible(state, rules):
        raise BadValue(f"position: phase={parts['phase']} cannot come up with top={parts['top']} under rules {rules.to_text()}.")
    if "player" not in parts or "before" not in parts:
        raise BadValue(f"position: phase={parts['phase']} needs player, whose play it is about, and before, the card that was on top.")
    state.player = _whole(parts, "player", 0, state.players - 1)
    if (state.player == state.current) != (state.phase in (SWAP, UNO_CALL)):
        raise BadValue(f"position: player={state.player} and to_act={state.current} do not go with phase={parts['phase']}.")
    state.before_top, state.before_colour = _top(parts, "before")
    state.stack = _whole(parts, "stack", 1, MAX_CARDS) if "stack" in parts else 0
    state.may_challenge = _flag(parts, "challenge")
    state.guilty = _flag(parts, "guilty")
    if (state.phase == STACK and not state.stack) or (state.phase == CHALLENGING and (state.stack != 4 or not state.may_challenge)):
        raise BadValue(
            f"position: phase={parts['phase']} needs stack, the cards to draw"
            + (" (4), and challenge=on." if state.phase == CHALLENGING else ".")
        )
    state.emptied = int(state.phase == CHALLENGING and state.sizes[state.player] == 0)
    if state.phase == JUMPING_IN:
        if "next" not in parts:
            raise BadValue("position: phase=jump_in needs next, the seat whose turn it is if nobody jumps in.")
        state.next_seat = _whole(parts, "next", 0, state.players - 1)
        state.jumper, state.jumped_on = state.current, state.player


def _is_possible(state: State, rules: Rules) -> bool:
    """Whether the rules have the window that is open, for the card on top."""
    value = VALUE_OF[state.top]
    if state.phase == CHALLENGING:
        return rules.wild_draw_four == "challenge" and state.top == WILD_DRAW_FOUR
    if state.phase == STACK:
        return rules.stacking != "off" and (value == DRAW_TWO or state.top == WILD_DRAW_FOUR)
    if state.phase == SWAP:
        return rules.seven_zero and value == 7
    if state.phase == JUMPING_IN:
        held = state.hands0[state.current] | state.hands1[state.current] | state.hands2[state.current]
        return rules.jump_in and state.top < COLOURED_TYPES and bool(held >> state.top & 1)
    return rules.uno_call


def _read_known(state: State, text: str) -> None:
    for entry in text.split("|"):
        who, _, cards = entry.partition(":")
        viewer, _, seat = who.partition(">")
        seats = [str(seat) for seat in range(state.players)]
        if viewer not in seats or seat not in seats or viewer == seat:
            raise BadValue(f"position: known={entry} is not understood; it is written 0>1:r5.g3.")
        place = int(viewer) * MAX_PLAYERS + int(seat)
        known = _cards(cards)
        held = hand_in_order(state, int(seat))
        if any(known.count(card) > held.count(card) for card in known):
            raise BadValue(f"position: known={entry}, but seat {seat} does not hold these cards.")
        state.knowledge0[place], state.knowledge1[place], state.knowledge2[place] = _planes(known)
        state.any_known = 1


def _top(parts: dict[str, str], key: str) -> tuple[int, int]:
    """A top card and its colour."""
    name, _, called = parts[key].partition(":")
    card = card_from_name(name)
    if called and (called not in list(COLOUR_LETTERS) or card < COLOURED_TYPES):
        raise BadValue(f"position: {key}={parts[key]} is not understood; a wild on top is written wild or wild:g.")
    return card, COLOUR_LETTERS.index(called) if called else COLOUR_OF[card]


def _planes(cards: list[int]) -> Planes:
    planes: Planes = (0, 0, 0)
    for card in cards:
        planes = add_to_planes(*planes, 1 << card)
    return planes


def _flag(parts: dict[str, str], key: str) -> int:
    if parts.get(key, "on") != "on":
        raise BadValue(f"position: {key}={parts[key]} is not understood; it is on, or left out.")
    return int(key in parts)


def _whole(parts: dict[str, str], key: str, low: int, high: int) -> int:
    return whole_number(parts[key], f"position: {key}", low, high)


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
