"""Cheater: how far one gets who sees every hand, the own one too, but not the deck. An upper bound for the others."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.core.jit import Word, lowest, number, word
from kibitz.games.hanabi.cards import COLOUR_OF, RANK_OF
from kibitz.games.hanabi.view import View

NONE = -1  # no slot, no move
SPARE_DRAWS = 4  # with no more than these, turns are too precious for discards that somebody's play could replace
NEXT_TO_NOTHING = 1  # the highest cost of a card that will not be missed
_ZERO = Word(0)


# The rules.
PLAY, FULL, STUCK, NO_HINT, EMPTY_DECK, NOT_MISSED, OTHERS_PLAY, OTHERS_LOSE_LESS, CHEAPEST = range(9)


@bot(
    game="hanabi",
    rules=(
        "plays {slot}, which fits",
        "passes the turn on with a hint, since it may not discard",
        "makes a random move, since it may neither discard nor hint: {action}",
        "discards {slot}, the card that it can best do without, since it can't hint",
        "passes the turn on with a hint: the deck is empty, so a discard would gain nothing",
        "discards {slot}, which won't be missed, while there are draws to spare",
        "passes the turn on with a hint: somebody else can play",
        "passes the turn on with a hint: somebody else has a card that is easier to do without",
        "discards {slot}, the card that it can best do without",
    ),
    trusted=True,
    sees_everything=True,
)
def cheater(view: View, scratch: FiredRule) -> int:
    """Sees every hand, its own included: an upper bound, not a player.

    It plays what fits, low cards and those nobody else can play first. Else it throws away what will not be missed, as
    long as there are draws to spare; lets tokens pass the turn on while others can play or have less to lose; and gives
    up the card that is easiest to do without.
    """
    scratch.rule = PLAY
    slot = best_play(view)
    if slot >= 0:
        return view.play(slot)
    slot = cheapest(view, number(view.seat))
    hint = first_hint(view)
    if not view.is_legal(view.discard(slot)):
        scratch.rule = FULL if hint >= 0 else STUCK
        return hint if hint >= 0 else view.pick_move(view.legal_moves)
    if hint < 0:
        scratch.rule = NO_HINT
        return view.discard(slot)
    if view.deck_size == 0:
        scratch.rule = EMPTY_DECK
        return hint
    if cost(view, view.card(view.seat, slot)) <= NEXT_TO_NOTHING and spare_draws(view) > SPARE_DRAWS:
        scratch.rule = NOT_MISSED
        return view.discard(slot)
    if others_can_play(view):
        scratch.rule = OTHERS_PLAY
        return hint
    if others_lose_less(view, slot):
        scratch.rule = OTHERS_LOSE_LESS
        return hint
    scratch.rule = CHEAPEST
    return view.discard(slot)


def best_play(view: View) -> int:
    """The slot of the own card to play, NONE if none fits: the lower its rank and the fewer others hold it, the better."""
    best, best_value = NONE, 0
    for slot in range(view.size(view.seat)):
        card = view.card(view.seat, slot)
        if view.is_playable(card):
            holders = 1
            for places in range(1, number(view.players)):
                holders += 1 if copies_in(view, view.seat_after(places), card) > 0 else 0
            value = 60 * (10 - RANK_OF[card]) // holders
            if value > best_value:
                best, best_value = slot, value
    return best


def copies_in(view: View, seat: int, card: int) -> int:
    """How many copies of a card a hand has."""
    count = 0
    for slot in range(view.size(seat)):
        count += 1 if view.card(seat, slot) == card else 0
    return count


def cost(view: View, card: int) -> int:
    """What the discard of a card in somebody's hand costs: nothing if it is dead, most if it is the last of its type."""
    if view.is_dead(card):
        return 0
    held = 0
    for seat in range(number(view.players)):
        held += copies_in(view, seat, card)
    if held > 1:
        return NEXT_TO_NOTHING
    rank = RANK_OF[card]
    if view.discards[card] + 1 < view.deck[card]:
        return 20 - 2 * rank + number(view.fireworks[COLOUR_OF[card]])  # the longer it has to wait, the less
    return 200 - 10 * rank


def cheapest(view: View, seat: int) -> int:
    """The slot of the card that a player can best do without; of equal ones the oldest."""
    best = 0
    for slot in range(1, view.size(seat)):
        if cost(view, view.card(seat, slot)) < cost(view, view.card(seat, best)):
            best = slot
    return best


def first_hint(view: View) -> int:
    """Any hint, to pass the turn on; NONE if there is none."""
    first = 2 * number(view.hand_size)
    hints = view.legal_moves >> word(first)
    return first + lowest(hints) if hints != _ZERO else NONE


def spare_draws(view: View) -> int:
    """How many draws and last turns there are beyond those that the missing points need."""
    missing = -number(view.score)
    for colour in range(number(view.colours)):
        missing += view.reachable_height(colour)
    return number(view.deck_size) + number(view.players) - missing


def others_can_play(view: View) -> bool:
    """Whether another player holds a card that fits."""
    for places in range(1, number(view.players)):
        seat = view.seat_after(places)
        for slot in range(view.size(seat)):
            if view.is_playable(view.card(seat, slot)):
                return True
    return False


def others_lose_less(view: View, slot: int) -> bool:
    """Whether the turn can be passed on, a token each, to a player with a cheaper discard than the own card in a slot."""
    own = cost(view, view.card(view.seat, slot))
    for places in range(1, number(view.players)):
        seat = view.seat_after(places)
        if places <= number(view.tokens) and cost(view, view.card(seat, cheapest(view, seat))) < own:
            return True
    return False
