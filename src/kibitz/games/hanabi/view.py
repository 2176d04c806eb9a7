"""The view: what a player at the table may know, and all that a bot ever sees.

Hands of all players lie side by side, MAX_HAND slots a seat, oldest card first; the viewer's own cards are HIDDEN. What
hints have told of a card stands beside it, for everybody's cards: masks of colours and ranks still possible, and what was
named outright. The state begins with exactly these fields.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import ONE, Word, attach_methods, number, popcount, select, word
from kibitz.core.layouts import Byte, Int, Word64
from kibitz.core.seeds import below
from kibitz.games.hanabi.cards import (
    CARD_TYPES,
    COLOUR_OF,
    DISCARD,
    HAND_CARDS,
    HINT_COLOUR,
    HINT_RANK,
    MAX_COLOURS,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_RANKS,
    PLAY,
    RANK_OF,
)

HandBytes = Annotated[list[int], "i1", HAND_CARDS]
SeatBytes = Annotated[list[int], "i1", MAX_PLAYERS]
ColourBytes = Annotated[list[int], "i1", MAX_COLOURS]
CardBytes = Annotated[list[int], "i1", CARD_TYPES]

# How a game stands.
PLAYING, PERFECT, LOST, ENDED = 0, 1, 2, 3
STATUS_NAMES = ("playing", "perfect", "lost", "ended")

_ZERO = Word(0)


class View:
    """A seat's view of the table. Seats count from 0; `seat` is the viewer, `current` the player to act."""

    random_stream: Word64  # your random stream; use randbelow
    legal_moves: Word64  # the moves you can make now, a bit for each number; none while another is to act
    cards: HandBytes  # card types by seat and slot; HIDDEN for your own, NO_CARD for an empty slot
    colour_masks: HandBytes  # colours that hints leave for each card, a bit for each
    rank_masks: HandBytes
    named_colours: HandBytes  # 1 if the card's colour was named in a hint
    named_ranks: HandBytes
    places: HandBytes  # each card's position in the deck, from 0
    sizes: SeatBytes  # cards in each hand
    fireworks: ColourBytes  # the height of each colour's pile
    discards: CardBytes  # copies of each type in the discard pile
    deck: CardBytes  # copies of each type in all
    turn: Int  # turn number, from 1
    score: Byte  # points on the table
    tokens: Byte
    lives: Byte
    deck_size: Byte  # cards left to draw
    turns_left: Byte  # turns left once the deck is empty; else -1
    players: Byte
    hand_size: Byte  # cards dealt to each player
    colours: Byte
    ranks: Byte
    max_tokens: Byte
    max_lives: Byte
    discard_when_full: Byte
    seat: Byte
    current: Byte
    status: Byte  # PLAYING, PERFECT, LOST or ENDED
    # The last move, as everybody saw it.
    last_move: Byte  # its number, or -1 at the beginning
    last_seat: Byte
    last_card: Byte  # the card played or discarded
    last_touched: Byte  # slots touched by a hint, a bit for each
    last_success: Byte  # 1 if a play succeeded
    last_gained: Byte  # 1 if it gained a token

    def card(self, seat: int, slot: int) -> int:
        """The card in a slot of another seat."""
        return number(self.cards[seat * MAX_HAND + slot])

    def colour_mask(self, seat: int, slot: int) -> int:
        """The colours that hints leave for a card, a bit for each."""
        return number(self.colour_masks[seat * MAX_HAND + slot])

    def rank_mask(self, seat: int, slot: int) -> int:
        """The ranks that hints leave for a card, a bit for each."""
        return number(self.rank_masks[seat * MAX_HAND + slot])

    def size(self, seat: int) -> int:
        """How many cards a seat holds."""
        return number(self.sizes[seat])

    def is_legal(self, move: int) -> bool:
        """Whether you can make this move now."""
        return 0 <= move < 64 and (self.legal_moves >> word(move)) & ONE != _ZERO

    def discard(self, slot: int) -> int:
        """The move that discards a slot."""
        return slot

    def play(self, slot: int) -> int:
        """The move that plays a slot."""
        return number(self.hand_size) + slot

    def hint_colour(self, seat: int, colour: int) -> int:
        """The move that hints a colour to a seat."""
        return 2 * number(self.hand_size) + (self.places_on(seat) - 1) * number(self.colours) + colour

    def hint_rank(self, seat: int, rank: int) -> int:
        """The move that hints a rank, from 0, to a seat."""
        first = 2 * number(self.hand_size) + (number(self.players) - 1) * number(self.colours)
        return first + (self.places_on(seat) - 1) * number(self.ranks) + rank

    def places_on(self, seat: int) -> int:
        """How many places after you a seat is."""
        return (seat - number(self.seat) + number(self.players)) % number(self.players)

    def seat_after(self, places: int) -> int:
        """The seat this many places after you."""
        return (number(self.seat) + places) % number(self.players)

    def move_kind(self, move: int) -> int:
        """DISCARD, PLAY, HINT_COLOUR or HINT_RANK."""
        hand = number(self.hand_size)
        if move < hand:
            return DISCARD
        if move < 2 * hand:
            return PLAY
        if move < 2 * hand + (number(self.players) - 1) * number(self.colours):
            return HINT_COLOUR
        return HINT_RANK

    def is_playable(self, card: int) -> bool:
        """Whether a card fits on its pile now."""
        return number(self.fireworks[COLOUR_OF[card]]) == RANK_OF[card]

    def reachable_height(self, colour: int) -> int:
        """How high a colour's pile can still grow."""
        height = number(self.fireworks[colour])
        while height < number(self.ranks) and self.discards[colour * MAX_RANKS + height] < self.deck[colour * MAX_RANKS + height]:
            height += 1
        return height

    def is_dead(self, card: int) -> bool:
        """Whether a card can never be played again."""
        colour, rank = COLOUR_OF[card], RANK_OF[card]
        return rank < number(self.fireworks[colour]) or rank >= self.reachable_height(colour)

    def unseen(self, card: int) -> int:
        """How many copies of a type you can't see: in the deck or in your hand."""
        count = number(self.deck[card]) - number(self.discards[card])
        if RANK_OF[card] < number(self.fireworks[COLOUR_OF[card]]):
            count -= 1
        for seat in range(number(self.players)):
            if seat != number(self.seat):
                for slot in range(number(self.sizes[seat])):
                    if number(self.cards[seat * MAX_HAND + slot]) == card:
                        count -= 1
        return count

    def randbelow(self, bound: int) -> int:
        """A uniform random number in [0, bound) from the bot's own stream."""
        position, value = below(self.random_stream, bound)
        self.random_stream = position
        return value

    def pick_move(self, moves: int) -> int:
        """A random move from a non-empty mask."""
        count = popcount(moves)
        return select(moves, self.randbelow(count) if count > 1 else 0)


attach_methods(View)
