"""Worlds: where the cards that a player does not see may lie, its own hand and the deck, every way being as likely as any other.

    if find_unseen(view, unseen) != FINE: ...        # the view contradicts itself
    lay_table(view, state)                           # what the view shows; once a decision
    position, found = deal_unseen(view, unseen, position, state)

Own cards agree with what hints say of them; the rest is the deck, in any order. A hand is sampled by choosing for each slot any
unseen card that its hints allow, and beginning anew if a card was chosen twice, which makes all possible hands exactly as likely
as they are. Five slots that only five cards can fill fit together once in 120 tries at the worst, and a try takes a few
nanoseconds. What other players meant by what they did has no part in it.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import ONE, Word, number, word
from kibitz.core.layouts import Byte, Word64, dtype_of
from kibitz.core.seeds import FIRST_SEAT, below, stream
from kibitz.core.twins import numbers_copier
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, HAND_CARDS, MAX_CARDS, MAX_COLOURS, MAX_HAND, MAX_PLAYERS, NO_CARD, RANK_OF
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View

FINE, CANNOT_ADD_UP = 0, 1  # what `find_unseen` finds
TRIES = 1_000_000  # hands tried before a view is thought to contradict itself

_ZERO = Word(0)


class Unseen:
    """The cards that a player sees nowhere, and which of them each of its own may be."""

    cards: Annotated[list[int], "i1", MAX_CARDS]
    count: Byte
    choices: Annotated[list[int], "i1", MAX_HAND * MAX_CARDS]  # by slot: places in `cards`
    choice_counts: Annotated[list[int], "i1", MAX_HAND]
    taken: Word64  # places in `cards` that were dealt into the hand, a bit for each


def find_unseen(view: View, unseen: Unseen) -> int:
    """Account for all cards: FINE, or CANNOT_ADD_UP if the view contradicts itself."""
    count = number(0)
    for card in range(CARD_TYPES):
        copies = view.unseen(card)
        if copies < 0:
            return CANNOT_ADD_UP
        for _ in range(copies):
            unseen.cards[count] = card
            count += 1
    unseen.count = count
    me = number(view.seat)
    if count != view.size(me) + number(view.deck_size):
        return CANNOT_ADD_UP
    for slot in range(view.size(me)):
        colours, ranks = view.colour_mask(me, slot), view.rank_mask(me, slot)
        fitting = number(0)
        for place in range(count):
            held = word(unseen.cards[place])
            if (colours >> COLOUR_OF[held]) & (ranks >> RANK_OF[held]) & 1:
                unseen.choices[slot * MAX_CARDS + fitting] = place
                fitting += 1
        unseen.choice_counts[slot] = fitting
        if fitting == 0:
            return CANNOT_ADD_UP
    return FINE


def lay_table(view: View, state: State) -> None:
    """Fill in what the view shows, and all that does not depend on unseen cards."""
    copy_view(view, state)
    total = number(0)
    for card in range(CARD_TYPES):
        for _ in range(number(view.deck[card])):
            state.full_deck[total] = card
            total += 1
    state.deck_total = total
    state.drawn = total - number(view.deck_size)
    for where in range(HAND_CARDS):
        state.hands[where] = view.cards[where]
    for place in range(MAX_CARDS):
        state.deck_order[place] = NO_CARD
    for seat in range(MAX_PLAYERS):
        state.ordered[seat] = 0
    state.any_ordered = 0
    state.observed = 0
    state.event_count = 0


def deal_unseen(view: View, unseen: Unseen, position: int, state: State) -> tuple[int, bool]:
    """Put unseen cards into the viewer's hand and the others into the deck; where the stream stands then, and whether it was possible.

    The players' own random streams come from the same stream. `find_unseen` and `lay_table` have been called.
    """
    first = number(view.seat) * MAX_HAND
    taken, tries, slot = word(0), 0, number(0)
    while slot < view.size(view.seat):
        position, choice = below(position, number(unseen.choice_counts[slot]))
        place = number(unseen.choices[slot * MAX_CARDS + choice])
        chosen = ONE << word(place)
        if taken & chosen != _ZERO:
            taken, slot = word(0), number(0)
            tries += 1
            if tries == TRIES:
                return position, False
            continue
        taken |= chosen
        state.hands[first + slot] = unseen.cards[place]
        slot += 1
    unseen.taken = taken
    return shuffle_rest(view, unseen, position, state), True


def shuffle_rest(view: View, unseen: Unseen, position: int, state: State) -> int:
    """Put the unseen cards that are not `taken` into the deck, in any order; where the stream stands then."""
    start = end = number(state.drawn)
    for place in range(number(unseen.count)):
        if (unseen.taken >> word(place)) & ONE == _ZERO:
            state.deck_order[end] = unseen.cards[place]
            end += 1
    for left in range(end - start, 1, -1):
        position, place = below(position, left)
        card = state.deck_order[start + left - 1]
        state.deck_order[start + left - 1] = state.deck_order[start + place]
        state.deck_order[start + place] = card
    for seat in range(number(view.players)):
        state.seat_streams[seat] = stream(position, FIRST_SEAT + seat)
    return position


# -- copies --

copy_shown_numbers = numbers_copier(View, without=["random_stream"])
copy_hidden_numbers = numbers_copier(State, without=set(dtype_of(View).names or ()) - {"random_stream"})


def copy_view(source: View, target: View) -> None:
    """Copy all that a view shows but its random stream."""
    copy_shown_numbers(source, target)
    for where in range(number(source.players) * MAX_HAND):
        target.cards[where] = source.cards[where]
        target.colour_masks[where] = source.colour_masks[where]
        target.rank_masks[where] = source.rank_masks[where]
        target.named_colours[where] = source.named_colours[where]
        target.named_ranks[where] = source.named_ranks[where]
        target.places[where] = source.places[where]
    for seat in range(number(source.players)):
        target.sizes[seat] = source.sizes[seat]
    for colour in range(MAX_COLOURS):
        target.fireworks[colour] = source.fireworks[colour]
    for card in range(CARD_TYPES):
        target.discards[card] = source.discards[card]
        target.deck[card] = source.deck[card]


def copy_state(source: State, target: State) -> None:
    """Copy a state that was laid out; of the deck what is left to draw."""
    copy_view(source, target)
    copy_hidden_numbers(source, target)
    for seat in range(number(source.players)):
        target.seat_streams[seat] = source.seat_streams[seat]
        target.ordered[seat] = source.ordered[seat]
    for where in range(number(source.players) * MAX_HAND):
        target.hands[where] = source.hands[where]
    for place in range(number(source.drawn), number(source.deck_total)):
        target.deck_order[place] = source.deck_order[place]
