"""Readable names of cards and moves, both ways.

A card is its colour's letter and its rank: `R1`, `B5`. A move is `discard:0` or `play:2` with the slot (0 is the oldest
card), `hint:1:red` or `hint:1:3` with how many places on the player sits who is told, then a colour or a rank. What
number a move has depends on the table, so these functions take a state or a view.
"""

from __future__ import annotations

from typing import Protocol

from kibitz.core.errors import BadValue
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_LETTERS, COLOUR_OF, COLOURS, MAX_RANKS, RANK_OF


class TableSize(Protocol):
    """What names depend on: a state or a view has it."""

    players: int
    hand_size: int
    colours: int
    ranks: int


def card_name(card: int) -> str:
    """The name of a card type: `R1`."""
    return f"{COLOUR_LETTERS[COLOUR_OF[card]]}{RANK_OF[card] + 1}"


_CARDS = {card_name(card): card for card in range(CARD_TYPES)}


def card_from_name(name: str) -> int:
    """The card type with this name."""
    if name not in _CARDS:
        raise BadValue(f"'{name}' is not a card; cards are written R1 to R{MAX_RANKS}, and so with {', '.join(COLOUR_LETTERS[1:])}.")
    return _CARDS[name]


def moves_of(table: TableSize) -> int:
    """How many moves there are, legal or not."""
    return 2 * table.hand_size + (table.players - 1) * (table.colours + table.ranks)


def move_name(table: TableSize, move: int) -> str:
    """The name of a move."""
    if not 0 <= move < moves_of(table):
        raise BadValue(f"{move} is not a move; moves are numbered 0 to {moves_of(table) - 1}.")
    if move < table.hand_size:
        return f"discard:{move}"
    if move < 2 * table.hand_size:
        return f"play:{move - table.hand_size}"
    code = move - 2 * table.hand_size
    colour_hints = (table.players - 1) * table.colours
    if code < colour_hints:
        return f"hint:{code // table.colours + 1}:{COLOURS[code % table.colours]}"
    code -= colour_hints
    return f"hint:{code // table.ranks + 1}:{code % table.ranks + 1}"


def move_from_name(table: TableSize, name: str) -> int:
    """The move with this name; a colour's letter serves as well."""
    kind, *rest = name.split(":")
    if kind in ("discard", "play") and len(rest) == 1 and _is_number(rest[0]):
        slot = int(rest[0])
        if slot >= table.hand_size:
            raise BadValue(f"move '{name}': slot {slot} does not exist; slots are 0 to {table.hand_size - 1}.")
        return slot if kind == "discard" else table.hand_size + slot
    if kind == "hint" and len(rest) == 2 and _is_number(rest[0]):
        return _hint_from_name(table, name, int(rest[0]), rest[1])
    raise BadValue(f"'{name}' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3.")


def _hint_from_name(table: TableSize, name: str, places: int, value: str) -> int:
    if places == 0:
        raise BadValue(f"move '{name}' is a hint to oneself; the players told sit 1 to {table.players - 1} places on.")
    if places >= table.players:
        raise BadValue(f"move '{name}': nobody sits {places} places on; the players told sit 1 to {table.players - 1} places on.")
    first = 2 * table.hand_size
    colours = COLOURS[: table.colours]
    for colour, known in enumerate(colours):
        if value.lower() in (known, known[0]):
            return first + (places - 1) * table.colours + colour
    if _is_number(value) and 1 <= int(value) <= table.ranks:
        return first + (table.players - 1) * table.colours + (places - 1) * table.ranks + int(value) - 1
    raise BadValue(f"move '{name}': '{value}' is neither a colour ({', '.join(colours)}) nor a rank (1 to {table.ranks}).")


def move_words(name: str, viewer: int, players: int) -> str:
    """A move as a person at a seat would say it, with slots counted from 1: `play slot 1`, `hint red`, `hint seat 2: red`."""
    kind, *rest = name.split(":")
    if kind in ("play", "discard") and len(rest) == 1:
        return f"{kind} slot {int(rest[0]) + 1}"
    if kind == "hint" and len(rest) == 2:
        seat = (viewer + int(rest[0])) % players
        return f"hint {rest[1]}" if players == 2 else f"hint seat {seat}: {rest[1]}"
    return name


def seat_words(table: TableSize, seat: int) -> str:
    """Another player in a sentence: `the partner` if there is only one, else `seat 2`."""
    return "the partner" if table.players == 2 else f"seat {seat}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 3
