"""Cards and moves: what every other Hanabi module counts in.

A card type is colour x 5 + rank, ranks counting from 0 (so that `R1` is 0 and `B5` is 24); colours are red, yellow, green,
white, blue. Moves are numbered as in the Hanabi Learning Environment: discard a slot, play a slot, hint a colour, hint a
rank. How many there are depends on the number of players and the hand size, see `moves_of`.
"""

from __future__ import annotations

from kibitz.core.jit import Numbers

COLOURS = ("red", "yellow", "green", "white", "blue")
COLOUR_LETTERS = "RYGWB"
MAX_COLOURS = 5
MAX_RANKS = 5
CARD_TYPES = 25
COPIES = Numbers([3, 2, 2, 2, 1])  # of each rank, in each colour; with fewer ranks the highest still has one

MAX_PLAYERS = 5
MAX_HAND = 5
MAX_CARDS = 50
MAX_TOKENS = 8
MAX_LIVES = 3
HAND_CARDS = MAX_PLAYERS * MAX_HAND

NO_CARD = 127  # an empty slot
HIDDEN = 126  # a card of the viewer's own

# Kinds of move.
DISCARD, PLAY, HINT_COLOUR, HINT_RANK = range(4)
MOVE_KINDS = ("discard", "play", "hint colour", "hint rank")

RANK_OF = Numbers([card % MAX_RANKS for card in range(CARD_TYPES)])
COLOUR_OF = Numbers([card // MAX_RANKS for card in range(CARD_TYPES)])


def copies_of(rank: int, ranks: int) -> int:
    """How many copies of a rank each colour has, in a game of so many ranks."""
    return 1 if rank == ranks - 1 else COPIES[rank]
