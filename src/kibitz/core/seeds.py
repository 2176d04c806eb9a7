"""Seeds become random streams here and nowhere else.

A stream is one 64-bit word that advances by a fixed odd step; a number is drawn from it by one wide multiplication (the
generator known as wyrand: it does well in the usual test batteries and is ready a few cycles after it is asked). Where a
stream starts depends on (seed, index of the game, purpose) alone, so the deal, the seating and each seat's own choices are
independent of each other and of how games are spread over threads, processes or machines.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.jit import ALL_BITS, Word, folded_product, high_product, inline, number, word
from kibitz.core.reading import shown

SEATING = 1
DEAL = 2
SEARCH = 3
FIRST_SEAT = 16  # purpose of seat 0's own stream; seat s has FIRST_SEAT + s
LATER_DEALS = 64  # a contest's deal d, from 1 on, starts anew from the stream LATER_DEALS + d

_GAMMA = Word(0x9E3779B97F4A7C15)
_STEP = Word(0xA0761D6478BD642F)
_FOLD = Word(0xE7037ED1A0B428DB)
_PURPOSE_STEP = Word(0xD1342543DE82EF95)
_MULTIPLIER_1 = Word(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = Word(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = Word(30), Word(27), Word(31)


@inline
def scramble(value: int) -> int:
    """SplitMix64's output function: a bijection of 64-bit words."""
    value = ((value ^ (value >> _SHIFT_1)) * _MULTIPLIER_1) & ALL_BITS
    value = ((value ^ (value >> _SHIFT_2)) * _MULTIPLIER_2) & ALL_BITS
    return value ^ (value >> _SHIFT_3)


@inline
def game_key(seed: int, index: int) -> int:
    """The word from which every stream of one game starts."""
    return scramble((seed + scramble((index * _GAMMA) & ALL_BITS)) & ALL_BITS)


@inline
def stream(key: int, purpose: int) -> int:
    """The start of one stream of a game."""
    return scramble((key + word(purpose) * _PURPOSE_STEP) & ALL_BITS)


def start_streams(state: Any, key: int) -> None:
    """Start all streams of a state from the key of its game."""
    state.deal_stream = stream(key, DEAL)
    for seat in range(number(state.players)):
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)


@inline
def deal_key(key: int, deal: int) -> int:
    """The key of one deal of a contest; the first deal has the contest's own, and so is the game of that index."""
    return key if deal == 0 else stream(key, LATER_DEALS + deal)


@inline
def below(position: int, bound: int) -> tuple[int, int]:
    """The stream's next position and a uniform number in [0, bound).

    The number is the upper half of (64 random bits x bound). No value is more than bound / 2**64 too likely, which is
    below 1e-17 for anything dealt here: no test could tell it from exact, and no branch is needed.
    """
    position = (position + _STEP) & ALL_BITS
    return position, number(high_product(folded_product(position, position ^ _FOLD), word(bound)))


def check_seed(seed: int) -> int:
    """The seed itself, if it is one."""
    if not 0 <= seed < 2**64:
        raise BadValue(f"seed {shown(seed)} is out of range: a seed is a whole number from 0 to 2^64 - 1.")
    return seed


def fresh_seed() -> int:
    """A seed from the operating system, short enough to read out."""
    return secrets.randbelow(10**9)


def long_seed() -> int:
    """A seed from the operating system that nobody can find by trying."""
    return secrets.randbits(64)


def new_secret() -> str:
    """128 random bits from the operating system, from which the deals of one table are drawn."""
    return secrets.token_hex(16)


def secret_seed(secret: str, deal: int) -> int:
    """The seed of one deal of a table with a secret: whoever finds it, by trying or in a record, learns nothing about other deals."""
    return _digest(f"table {secret} {deal}")


def match_seed(seed: int, number: int) -> int:
    """The seed of one match of a tournament: independent deals for each."""
    return _digest(f"match {seed} {number}")


def outside_seed(seed: int, index: int, deal: int, entry: int) -> int:
    """A seed for a bot outside our process, from which nothing leads back to the deal."""
    return _digest(f"bot {seed} {index} {deal} {entry}")


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
