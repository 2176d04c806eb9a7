"""The view: what a player at the table may know, and all that a bot ever sees.

The state begins with exactly these fields, so showing it to a bot is a matter of filling in the seat's own hand and
handing over a pointer. The methods work alike on compiled views and on plain ones.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import ONE, Word, attach_methods, number, popcount, select, word
from kibitz.core.layouts import Byte, Int, Word64
from kibitz.core.seeds import below
from kibitz.games.uno.cards import (
    ACCEPT,
    ACTIONS,
    CHALLENGE,
    COLOUR_MASKS,
    COLOURED_MASK,
    DRAW,
    DRAW_TWO_KIND,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    KIND_MASKS,
    KIND_OF,
    MAX_CARDS,
    MAX_PLAYERS,
    PASS,
    POINTS_OF,
    REVERSE_KIND,
    SKIP_KIND,
    UNO,
    WILD_DRAW_FOUR_KIND,
    action_card,
    play_action,
)
from kibitz.games.uno.counts import Planes, cards_from, count_in, size_within

SeatBytes = Annotated[list[int], "i1", MAX_PLAYERS]
SeatWords = Annotated[list[int], "u8", MAX_PLAYERS]
SeatInts = Annotated[list[int], "i4", MAX_PLAYERS]
CardBytes = Annotated[list[int], "i1", MAX_CARDS]

# Phases: which decision is open. Those after DRAWN are the windows of house rules, which a bot declares if it knows them.
TURN, DRAWN, COLOUR, CHALLENGING, STACK, SWAP, UNO_CALL, CATCHING, JUMPING_IN = range(9)
PHASE_NAMES = ("turn", "drawn", "colour", "challenge", "stack", "swap", "uno_call", "catch", "jump_in")
WINDOWS = PHASE_NAMES[COLOUR:]

# What a switch is set to, where it has more than two values.
DRAW_ONE, DRAW_UNTIL_PLAYABLE = 0, 1
MAY_PLAY_DRAWN, MUST_PLAY_DRAWN, MAY_NOT_PLAY_DRAWN, PLAY_ANY_CARD = range(4)
FREE, HONEST_ONLY, CHALLENGED_FOUR, LAST_RESORT = range(4)
STACK_OFF, STACK_SAME, STACK_PROGRESSIVE = range(3)

NO_SEAT = 127

# How a game stands.
PLAYING, WON, CUT_OFF, STUCK = 0, 1, 2, 3
STATUS_NAMES = ("playing", "won", "cut off", "stuck")

_ZERO = Word(0)


def is_legal_in(view: View, action: int) -> bool:
    """Whether the player to act may take this action in the phase that is open."""
    phase = view.phase
    if action < 0 or action >= ACTIONS:
        return False
    if action < DRAW:
        return (view.playable_types >> word(action_card(action))) & ONE != _ZERO
    if action == DRAW:
        return phase == TURN and (view.must_play == 0 or view.playable_types == _ZERO)
    if action == KEEP:
        return phase == DRAWN and view.drawn_rule != MUST_PLAY_DRAWN
    if action == ACCEPT:
        return phase == STACK or phase == CHALLENGING
    if action == CHALLENGE:
        return (phase == STACK or phase == CHALLENGING) and view.may_challenge != 0
    if action < JUMP_IN:
        return phase == SWAP and action - FIRST_SWAP + 1 < view.players
    if action == PASS:
        return phase >= UNO_CALL
    return phase == (JUMPING_IN if action == JUMP_IN else UNO_CALL if action == UNO else CATCHING)


class View:
    """A seat's view of the table. Seats count from 0; `seat` is the viewer, `current` the player to act."""

    random_stream: Word64  # your random stream; use randbelow
    hand0: Word64  # your hand as bit planes; use count, hand or cards
    hand1: Word64
    hand2: Word64
    match: Word64  # the types that match the top card
    playable_types: Word64  # those you can play now; none while another player is to act
    deck0: Word64  # the whole deck as bit planes
    deck1: Word64
    deck2: Word64
    known0: SeatWords  # cards you know a seat to hold, as bit planes; use known
    known1: SeatWords
    known2: SeatWords
    scores: SeatInts  # points of each seat in a contest before this deal
    turn: Int  # turn number, from 1
    points: Int  # the winner's points, once the game is over
    sizes: SeatBytes  # cards in each hand
    discard: CardBytes  # the discard pile under the top card, oldest first
    order: CardBytes  # your hand, oldest card first, if you declare hand_order
    discard_size: Byte
    pile_size: Byte
    deck_size: Byte
    players: Byte
    seat: Byte
    current: Byte
    dealer: Byte
    direction: Byte  # +1 or -1
    top: Byte
    colour: Byte  # of the top card, as called for a wild; 4 while an opening wild has none
    phase: Byte  # TURN; DRAWN: play the card just drawn or keep it; or a window of house rules
    drawn: Byte  # in the phase DRAWN: the card you drew; else NO_CARD
    reverse_skips: Byte  # 1 if a Reverse is a Skip at this table
    status: Byte  # PLAYING, WON, CUT_OFF or STUCK
    winner: Byte
    player: Byte  # in a window: the seat whose play is being settled; else NO_SEAT
    stack: Byte  # in STACK or CHALLENGING: cards that the player asked would draw
    may_challenge: Byte  # 1 if that player can challenge
    draw_rule: Byte  # the rules, by the names above: DRAW_ONE …
    drawn_rule: Byte  # MAY_PLAY_DRAWN …
    must_play: Byte  # 1 if a player who can play may not draw
    four_rule: Byte  # FREE …
    stacking: Byte  # STACK_OFF …
    seven_zero: Byte  # 1 if sevens and zeros move hands
    jump_in: Byte
    uno_call: Byte
    last_card_draws: Byte

    def hand(self) -> Planes:
        """Your hand as bit planes."""
        return self.hand0, self.hand1, self.hand2

    def deck(self) -> Planes:
        """The whole deck as bit planes."""
        return self.deck0, self.deck1, self.deck2

    def cards(self) -> list[int]:
        """Your cards, one entry per copy, sorted by type (Python bots)."""
        return cards_from((self.hand0, self.hand1, self.hand2))

    def types(self) -> int:
        """The types in your hand, as a mask."""
        return self.hand0 | self.hand1 | self.hand2

    def count(self, card: int) -> int:
        """How many copies of a card you hold."""
        return count_in((self.hand0, self.hand1, self.hand2), card)

    def known(self, seat: int) -> Planes:
        """The cards you know another seat to hold, as bit planes."""
        return self.known0[seat], self.known1[seat], self.known2[seat]

    def hand_size(self) -> int:
        """How many cards you hold."""
        return number(self.sizes[self.seat])

    def playable(self) -> int:
        """The types you can play now, as a mask."""
        return self.playable_types

    def can_play(self, card: int) -> bool:
        """Whether you can play this card now."""
        return (self.playable() >> word(card)) & ONE != _ZERO

    def is_legal(self, action: int) -> bool:
        """Whether you can take this action now."""
        return self.seat == self.current and self.status == PLAYING and is_legal_in(self, action)

    def may_decline(self) -> bool:
        """Whether you can draw, or keep what you drew, although you could play."""
        if self.phase == DRAWN:
            return self.drawn_rule != MUST_PLAY_DRAWN
        return self.must_play == 0

    def decline(self) -> int:
        """The action that plays nothing: draw, or keep the card just drawn."""
        return KEEP if self.phase == DRAWN else DRAW

    def only_drawn(self) -> bool:
        """Whether the only card in question is the one just drawn."""
        return self.phase == DRAWN and self.drawn_rule != PLAY_ANY_CARD

    def play(self, card: int, colour: int) -> int:
        """The action that plays a card; a wild calls `colour`."""
        return play_action(card, colour)

    def points_of(self, card: int) -> int:
        """The points of a card in a loser's hand."""
        return POINTS_OF[card]

    def kind_of(self, card: int) -> int:
        """The card's kind (NUMBER_KIND …); a Reverse that acts as a skip is a skip."""
        kind = KIND_OF[card]
        if kind == REVERSE_KIND and self.reverse_skips:
            return SKIP_KIND
        return kind

    def kind_mask(self, kind: int) -> int:
        """The types of a kind; a Reverse that acts as a skip is a skip."""
        if self.reverse_skips:
            if kind == REVERSE_KIND:
                return word(0)
            if kind == SKIP_KIND:
                return KIND_MASKS[SKIP_KIND] | KIND_MASKS[REVERSE_KIND]
        return KIND_MASKS[kind]

    def randbelow(self, bound: int) -> int:
        """A uniform random number in [0, bound) from the bot's own stream."""
        position, value = below(self.random_stream, bound)
        self.random_stream = position
        return value

    def pick(self, mask: int) -> int:
        """A random card type from a non-empty mask."""
        count = popcount(mask)
        return select(mask, self.randbelow(count) if count > 1 else 0)

    def pick_copy(self, mask: int) -> int:
        """A random card of your hand among the types in a mask; a type held twice is twice as likely."""
        low, middle, high = self.hand0 & mask, self.hand1 & mask, self.hand2 & mask
        ones, twos = popcount(low), 2 * popcount(middle)
        rank = self.randbelow(ones + twos + 4 * popcount(high))
        if rank < ones:
            return select(low, rank)
        if rank < ones + twos:
            return select(middle, (rank - ones) >> 1)
        return select(high, (rank - ones - twos) >> 2)

    def colour_count(self, colour: int) -> int:
        """How many cards of a colour you hold."""
        return size_within((self.hand0, self.hand1, self.hand2), COLOUR_MASKS[colour])

    def common_colours(self) -> int:
        """The most common colours in your hand, as a mask of four bits; all if you hold no coloured card."""
        best = number(0)
        colours = word(0)
        for colour in range(4):
            count = self.colour_count(colour)
            if count > best:
                best = count
                colours = word(0)
            if count == best:
                colours |= ONE << word(colour)
        return colours

    def common_colour(self) -> int:
        """The most common colour in your hand, ties at random."""
        return self.pick(self.common_colours())

    def has_colour(self) -> bool:
        """Whether you hold a coloured card."""
        return self.types() & COLOURED_MASK != _ZERO

    def seat_after(self, steps: int) -> int:
        """The seat this many places after you in the direction of play."""
        return (number(self.seat) + steps * number(self.direction) + 2 * number(self.players)) % number(self.players)

    def next_size(self) -> int:
        """How many cards the next player holds."""
        return number(self.sizes[self.seat_after(1)])

    def actor_after(self, card: int) -> int:
        """The seat that acts after you play this card."""
        kind = self.kind_of(card)
        if kind == SKIP_KIND or kind == DRAW_TWO_KIND or kind == WILD_DRAW_FOUR_KIND:
            return self.seat_after(2)
        return self.seat_after(-1 if kind == REVERSE_KIND else 1)


attach_methods(View)
