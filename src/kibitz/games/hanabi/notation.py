"""A position as one line of text, both ways.

    standard,colours=2,ranks=3,hand_size=2;players=2;to_act=1;turn=4;fireworks=R1.Y0;tokens=7;lives=3;
    hands=Y1:Y!:123.R2|R1:RY:1!.Y2;places=0.4|2.3;discard=Y1;deck=R1.Y3.R3.R1.Y1.R2.Y2;last=play:1/R1/success

(one line). A card in a hand, oldest first, is its name and what hints have told of it: the colours it may still have and
the ranks, with ! after the one that was named; nothing if all are possible. `places` are the places the cards had in the
deck. The discard pile is in the order of the types, the deck in the order of drawing; once it is empty, `turns_left`
counts the turns to come. `last` is the move before, with the card and what came of it. How a game stands follows from
all this. The random streams are not part of a position: who reads one hands in a seed.
"""

from __future__ import annotations

from kibitz.core.errors import BadValue
from kibitz.core.reading import whole_number
from kibitz.core.seeds import check_seed, game_key, start_streams
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import (
    CARD_TYPES,
    COLOUR_LETTERS,
    COLOUR_OF,
    DISCARD,
    HAND_CARDS,
    MAX_CARDS,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_RANKS,
    NO_CARD,
    PLAY,
    RANK_OF,
)
from kibitz.games.hanabi.names import card_from_name, card_name, move_from_name, move_name
from kibitz.games.hanabi.rules import Rules, parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import ENDED, LOST, PERFECT, PLAYING

MAX_TURN = 1000
_FIELDS = ("players", "to_act", "turn", "fireworks", "tokens", "lives", "hands", "discard", "deck")
_OPTIONAL = ("places", "turns_left", "last")
_RANKS = "12345"


# -- writing --


def to_text(state: State, rules: Rules) -> str:
    """The position as one line."""
    seats = range(state.players)
    parts = {
        "players": str(state.players),
        "to_act": str(state.current),
        "turn": str(state.turn),
        "fireworks": ".".join(f"{COLOUR_LETTERS[colour]}{state.fireworks[colour]}" for colour in range(state.colours)),
        "tokens": str(state.tokens),
        "lives": str(state.lives),
        "hands": "|".join(".".join(_held_text(state, where) for where in _slots(state, seat)) for seat in seats),
        "places": "|".join(".".join(str(state.places[where]) for where in _slots(state, seat)) for seat in seats),
        "discard": _cards_text([card for card in range(CARD_TYPES) for _ in range(state.discards[card])]),
        "deck": _cards_text(state.deck_order[state.drawn : state.deck_total]),
    }
    if state.deck_size == 0:
        parts["turns_left"] = str(state.turns_left)
    if state.last_move >= 0:
        parts["last"] = _last_text(state)
    return ";".join([rules.to_text(), *[f"{key}={value}" for key, value in parts.items()]])


def _slots(state: State, seat: int) -> range:
    return range(seat * MAX_HAND, seat * MAX_HAND + state.sizes[seat])


def _held_text(state: State, where: int) -> str:
    """A card in a hand, with what is known of it."""
    name = card_name(state.hands[where])
    colours = _mask_text(state.colour_masks[where], COLOUR_LETTERS, state.named_colours[where])
    ranks = _mask_text(state.rank_masks[where], _RANKS, state.named_ranks[where])
    known = (colours, ranks) != (COLOUR_LETTERS[: state.colours], _RANKS[: state.ranks])
    return f"{name}:{colours}:{ranks}" if known else name


def _mask_text(mask: int, letters: str, named: int) -> str:
    return "".join(letter for place, letter in enumerate(letters) if mask >> place & 1) + "!" * named


def _cards_text(cards: list[int]) -> str:
    return ".".join(card_name(card) for card in cards)


def _last_text(state: State) -> str:
    parts = [move_name(state, state.last_move)]
    if state.last_card != NO_CARD:
        parts.append(card_name(state.last_card))
    return "/".join(parts + ["success"] * state.last_success + ["token"] * state.last_gained)


# -- reading --


def from_text(text: str, seed: int = 0) -> tuple[State, Rules]:
    """The position a line describes, with streams from `seed`, and its rules. Every card of the deck must be somewhere."""
    head, *rest = text.strip().split(";")
    rules = parse_rules(head)
    parts = _split(rest)
    players = _whole(parts, "players", 2, MAX_PLAYERS)
    state = new_state(rules, players)
    state.current = _whole(parts, "to_act", 0, players - 1)
    state.turn = _whole(parts, "turn", 1, MAX_TURN)
    state.tokens = _whole(parts, "tokens", 0, rules.tokens)
    state.lives = _whole(parts, "lives", 0, rules.lives)
    _read_fireworks(state, parts["fireworks"])
    for where in range(HAND_CARDS):
        engine.clear_slot(state, where)
    state.seat = state.current  # nothing is shown yet
    _read_hands(state, parts["hands"])
    gone = _cards(parts["discard"])
    for card in gone:
        state.discards[card] += 1
    gone += [colour * MAX_RANKS + rank for colour in range(state.colours) for rank in range(state.fireworks[colour])]
    deck = _cards(parts["deck"])
    _check_deck(state, rules, gone + deck)
    state.deck_size = len(deck)
    state.drawn = state.deck_total - len(deck)
    _read_places(state, parts)
    _lay_deck(state, gone, deck)
    _read_turns_left(state, parts)
    state.status = _status(state, rules)
    _check_sizes(state)
    _read_last(state, parts)
    start_streams(state, game_key(check_seed(seed), 0))
    engine.show(state, state.current)
    for seat in range(players):
        for where in _slots(state, seat):
            if seat != state.seat:
                state.cards[where] = state.hands[where]
    return state, rules


def _split(rest: list[str]) -> dict[str, str]:
    """The parts of a position by name."""
    parts: dict[str, str] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in _FIELDS + _OPTIONAL or key in parts:
            raise BadValue(f"position: '{part}' is not understood; a position has {', '.join(_FIELDS)}.")
        parts[key] = value
    missing = [key for key in _FIELDS if key not in parts]
    if missing:
        raise BadValue(f"position: {', '.join(missing)} is missing.")
    return parts


def _whole(parts: dict[str, str], key: str, low: int, high: int) -> int:
    return whole_number(parts[key], f"position: {key}", low, high)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _cards(text: str) -> list[int]:
    return [card_from_name(name) for name in text.split(".")] if text else []


def _read_fireworks(state: State, text: str) -> None:
    piles = text.split(".")
    allowed = [[f"{letter}{height}" for height in range(state.ranks + 1)] for letter in COLOUR_LETTERS[: state.colours]]
    if len(piles) != state.colours or any(pile not in heights for pile, heights in zip(piles, allowed, strict=True)):
        example = ".".join(heights[0] for heights in allowed)
        raise BadValue(f"position: fireworks={text} is not understood; it is {example} with heights up to {state.ranks}.")
    for colour, pile in enumerate(piles):
        state.fireworks[colour] = int(pile[1])
        state.score += int(pile[1])


def _read_hands(state: State, text: str) -> None:
    hands = text.split("|")
    if len(hands) != state.players:
        raise BadValue(f"position: hands has {len(hands)} hands for {state.players} players.")
    for seat, hand in enumerate(hands):
        cards = hand.split(".") if hand else []
        if len(cards) > state.hand_size:
            raise BadValue(f"position: seat {seat} holds {len(cards)} cards, but a hand has {state.hand_size}.")
        for slot, held in enumerate(cards):
            _read_held(state, seat * MAX_HAND + slot, held)
        state.sizes[seat] = len(cards)


def _read_held(state: State, where: int, text: str) -> None:
    name, *known = text.split(":")
    card = card_from_name(name)
    if len(known) not in (0, 2):
        raise BadValue(f"position: '{text}' in a hand is not understood; a card is written R1, or R1:RYG:1! with what is known of it.")
    letters = COLOUR_LETTERS[: state.colours], _RANKS[: state.ranks]
    colours, ranks = known or letters
    state.hands[where] = card
    state.colour_masks[where], state.named_colours[where] = _read_mask(text, colours, letters[0], COLOUR_OF[card])
    state.rank_masks[where], state.named_ranks[where] = _read_mask(text, ranks, letters[1], RANK_OF[card])


def _read_mask(text: str, known: str, letters: str, true: int) -> tuple[int, int]:
    """The mask of what a card may be, and whether it was named; the truth must be in it."""
    possible = known.removesuffix("!")
    mask = sum(1 << place for place, letter in enumerate(letters) if letter in possible)
    if possible != "".join(letter for letter in letters if letter in possible):
        raise BadValue(f"position: '{known}' in {text} is not understood; it is letters or ranks out of {letters} in that order.")
    if not mask >> true & 1:
        raise BadValue(f"position: {text} says '{known}', which the card is not.")
    if possible != known and len(possible) != 1:
        raise BadValue(f"position: {text} says '{known}', but what was named is certain, such as {letters[true]}!.")
    return mask, int(possible != known)


def _check_deck(state: State, rules: Rules, elsewhere: list[int]) -> None:
    """Every card of the deck is in a hand or elsewhere, as often as it should be."""
    cards = elsewhere + [state.hands[where] for seat in range(state.players) for where in _slots(state, seat)]
    for card in range(CARD_TYPES):
        if cards.count(card) != rules.deck[card]:
            raise BadValue(f"position: {card_name(card)} occurs {cards.count(card)} times, but the deck has {rules.deck[card]}.")


def _read_places(state: State, parts: dict[str, str]) -> None:
    """The places the cards had in the deck; as if what is gone was drawn first, if they are not given."""
    slots = [_slots(state, seat) for seat in range(state.players)]
    if "places" not in parts:
        place = state.drawn - sum(state.sizes)
        for where in [where for hand in slots for where in hand]:
            state.places[where] = place
            place += 1
        return
    hands = [hand.split(".") if hand else [] for hand in parts["places"].split("|")]
    if [len(hand) for hand in hands] != [len(hand) for hand in slots]:
        raise BadValue(f"position: places={parts['places']} does not have a number for every card of the hands.")
    texts = [text for hand in hands for text in hand]
    if not all(_is_number(text) and int(text) < state.drawn for text in texts) or len({int(text) for text in texts}) != len(texts):
        raise BadValue(f"position: places={parts['places']} is not accepted; places are different numbers from 0 to {state.drawn - 1}.")
    for hand, held in zip(hands, slots, strict=True):
        numbers = [int(text) for text in hand]
        if numbers != sorted(numbers):
            raise BadValue(f"position: places={parts['places']} is not accepted; in a hand the oldest card comes first.")
        state.places[held.start : held.stop] = numbers


def _lay_deck(state: State, gone: list[int], deck: list[int]) -> None:
    """The deck as it may have lain at the beginning: of the cards that are gone nobody asks in which order they came."""
    order = [NO_CARD] * MAX_CARDS
    order[state.drawn : state.deck_total] = deck
    for seat in range(state.players):
        for where in _slots(state, seat):
            order[state.places[where]] = state.hands[where]
    free = [place for place in range(state.drawn) if order[place] == NO_CARD]
    for place, card in zip(free, gone, strict=True):
        order[place] = card
    state.deck_order = order


def _read_turns_left(state: State, parts: dict[str, str]) -> None:
    if ("turns_left" in parts) != (state.deck_size == 0):
        raise BadValue("position: turns_left is given when the deck is empty, and only then.")
    state.turns_left = _whole(parts, "turns_left", 0, state.players) if "turns_left" in parts else -1


def _status(state: State, rules: Rules) -> int:
    if state.lives == 0:
        return LOST
    if state.score == rules.perfect_score:
        return PERFECT
    return ENDED if state.turns_left == 0 else PLAYING


def _check_sizes(state: State) -> None:
    """Hands are full; once the deck is empty, whoever has had the last turn may lack a card."""
    first = 0 if state.status == PLAYING else 1  # at the end `to_act` is who moved last
    waiting = state.players if state.turns_left < 0 else state.turns_left
    full = {(state.current + first + place) % state.players for place in range(waiting)}
    for seat in range(state.players):
        if state.sizes[seat] < state.hand_size - (seat not in full):
            raise BadValue(f"position: seat {seat} holds {state.sizes[seat]} of {state.hand_size} cards, which cannot be at this point.")


def _read_last(state: State, parts: dict[str, str]) -> None:
    """The move before, checked against what it left behind."""
    state.last_move, state.last_seat, state.last_card = -1, -1, NO_CARD
    if "last" not in parts:
        return
    name, *rest = parts["last"].split("/")
    state.last_move = move_from_name(state, name)
    state.last_seat = (state.current - (state.status == PLAYING)) % state.players
    kind = state.move_kind(state.last_move)
    if kind in (DISCARD, PLAY):
        ok = bool(rest) and _read_outcome(state, kind, card_from_name(rest[0]), rest[1:])
    else:
        state.last_touched = _touched(state, name)
        ok = not rest and state.last_touched != 0
    if not ok:
        raise BadValue(
            f"position: last={parts['last']} does not fit the rest of the position; it is written hint:1:red, or play:0/R1/success."
        )


def _read_outcome(state: State, kind: int, card: int, outcome: list[str]) -> bool:
    """Note what became of a card; whether that may be."""
    state.last_card = card
    state.last_success, state.last_gained = int("success" in outcome), int("token" in outcome)
    if outcome != ["success"] * state.last_success + ["token"] * state.last_gained:
        return False
    if not state.last_success:
        return state.discards[card] > 0 and (kind == DISCARD or not state.last_gained)
    completed = RANK_OF[card] == state.ranks - 1
    return kind == PLAY and state.fireworks[COLOUR_OF[card]] == RANK_OF[card] + 1 and (completed or not state.last_gained)


def _touched(state: State, name: str) -> int:
    """The slots that the hint before touched: nothing has moved since."""
    _, places, value = name.split(":")
    seat = (state.last_seat + int(places)) % state.players
    names = [card_name(state.hands[where]) for where in _slots(state, seat)]
    sought = value if value in _RANKS else value[0].upper()
    return sum(1 << slot for slot, held in enumerate(names) if sought in held)
