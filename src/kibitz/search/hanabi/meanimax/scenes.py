"""What a search works with: constants, the record of all its memory, scenes and cards."""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import inline, lowest, number, word
from kibitz.core.layouts import Long
from kibitz.policies.valuation import Valuation

Real = Annotated[float, "f8"]

RANKS = COLOURS = 5
HAND = 5
HINTS = RANKS + COLOURS  # numbered as the bits of a mask: ranks first
MAX_DEPTH = 3

# Which cards are counted: all that are neither played nor discarded, those of them the root player does not see, one of each.
REMAINING, UNSEEN, SINGLE = range(3)
SOURCES = 3

RANK_BITS = 31
COLOUR_BITS = 31 << 5
ALL_BITS = RANK_BITS | COLOUR_BITS
TOLD_BITS = 10
UNKNOWN = ALL_BITS << TOLD_BITS | ALL_BITS  # a card just drawn

# Places of hands: the two at the root, what becomes of one at the root, a hand as its holder sees it, what becomes of that.
OWN, PARTNER, CHANGED, GUESSED, CHANGED_LATER = range(5)
HANDS = 5

# Fields of a scene.
TOKENS_AT, LIVES_AT, LEFT_AT = 15, 19, 23
LIVES_OFFSET = 4  # lives go below zero in the search
ENDLESS = 100  # turns left, if nobody minds the end of the deck

# Fields of an outlook; that at place 0 is for the last ply, the others are kept in a table.
AFTER_DISCARD, AFTER_PLAY, AFTER_MISFIRE, BEST_HINT, FACTOR = 0, 1, 6, 7, 8
OUTLOOK = 9
KEPT = 4096

# Sums over card types, in one number: cards, those that fit their pile, and what the pile would lose by a discard.
FIT_AT, LOST_AT = 16, 32
SUM_BITS = (1 << 16) - 1

LOST_UNIT = 16  # what a pile would lose is counted in parts of a card
LOST_GAME = 100.0
NEVER = -1e300  # below any score; stands for a move that is impossible


class MeanimaxSearch(Valuation):
    """Everything that a search works with; nothing in it outlives a move but the memory itself."""

    sums: Annotated[list[int], "i8", SOURCES * COLOURS * (RANKS + 1) * 32]  # by source, colour, pile, ranks
    remaining: Annotated[list[int], "i8", COLOURS * RANKS]
    unseen: Annotated[list[int], "i8", COLOURS * RANKS]
    single: Annotated[list[int], "i8", COLOURS * RANKS]
    cards: Annotated[list[int], "i8", HANDS * HAND]
    sizes: Annotated[list[int], "i8", HANDS]
    guess_sources: Annotated[list[int], "i8", HANDS]  # what the holder of a hand counts its own cards in
    # Kept outlooks: valid if the stamp is that of this search.
    keys: Annotated[list[int], "u8", KEPT]
    stamps: Annotated[list[int], "i8", KEPT]
    outlooks: Annotated[list[float], "f8", (KEPT + 1) * OUTLOOK]
    stamp: Long
    # The hand that is told something: by slot, and by slot and whether it is touched.
    totals: Annotated[list[int], "i8", HAND]
    true_discards: Annotated[list[float], "f8", HAND]
    true_plays: Annotated[list[float], "f8", HAND]
    weights: Annotated[list[int], "i8", 2 * HAND]
    discards: Annotated[list[float], "f8", 2 * HAND]
    plays: Annotated[list[float], "f8", 2 * HAND]
    # The best of the slots up to one, for each set of slots that is touched.
    running_weights: Annotated[list[int], "i8", HAND + 1]
    best_discards: Annotated[list[float], "f8", HAND + 1]
    best_plays: Annotated[list[float], "f8", HAND + 1]
    discard_values: Annotated[list[float], "f8", HAND + 1]
    play_values: Annotated[list[float], "f8", HAND + 1]
    # What is played, and the switches.
    max_tokens: Long
    ranks: Long
    five_token: Long
    last_life: Long
    seen_cards: Long
    deck_end: Long
    misfire: Real
    token_value: Real
    copy_loss: Real


# -- scenes --


@inline
def pack_scene(piles: int, tokens: int, lives: int, left: int) -> int:
    """A scene from its parts; `piles` holds 3 bits a colour."""
    return piles | tokens << TOKENS_AT | (lives + LIVES_OFFSET) << LIVES_AT | left << LEFT_AT


@inline
def pile_of(scene: int, colour: int) -> int:
    """The height of a pile."""
    return (scene >> (3 * colour)) & 7


@inline
def tokens_of(scene: int) -> int:
    """The tokens on the table."""
    return (scene >> TOKENS_AT) & 15


@inline
def lives_of(scene: int) -> int:
    """The lives left, below zero after misfires beyond the last."""
    return ((scene >> LIVES_AT) & 15) - LIVES_OFFSET


@inline
def left_of(scene: int) -> int:
    """Turns left once the deck is empty; before that, 2 and the cards in the deck."""
    return scene >> LEFT_AT


@inline
def after_card(search: MeanimaxSearch, scene: int) -> int:
    """A card has left a hand, and another is drawn if there is one."""
    return scene - (1 << LEFT_AT) if search.deck_end else scene


@inline
def after_discard(search: MeanimaxSearch, scene: int) -> int:
    """A token more, unless all are there."""
    gained = 1 << TOKENS_AT if tokens_of(scene) < search.max_tokens else 0
    return after_card(search, scene) + gained


@inline
def after_play(search: MeanimaxSearch, scene: int, colour: int) -> int:
    """A pile one higher."""
    completes = search.five_token and pile_of(scene, colour) + 1 == search.ranks and tokens_of(scene) < search.max_tokens
    gained = 1 << TOKENS_AT if completes else 0
    return after_card(search, scene) + (1 << (3 * colour)) + gained


@inline
def after_misfire(search: MeanimaxSearch, scene: int) -> int:
    """A life less."""
    return after_card(search, scene) - (1 << LIVES_AT)


@inline
def after_hint(search: MeanimaxSearch, scene: int) -> int:
    """A token less; it costs a turn once the deck is empty."""
    turn = 1 << LEFT_AT if search.deck_end and left_of(scene) <= 2 else 0
    return scene - (1 << TOKENS_AT) - turn


@inline
def is_final(search: MeanimaxSearch, scene: int) -> bool:
    """Whether the game is over, for those who mind."""
    if search.last_life and lives_of(scene) <= 0:
        return True
    return search.deck_end != 0 and left_of(scene) == 0


def leaf_value(search: MeanimaxSearch, scene: int) -> float:
    """What a scene is worth where the search ends."""
    value = search.token_value * tokens_of(scene)
    if lives_of(scene) <= 0:
        value -= LOST_GAME
    return value


# -- cards --


def fill_sums(search: MeanimaxSearch, counts: Any, first: int, remaining: Any) -> None:
    """Sums over the types of each colour, for every pile height and set of ranks; from `first`, for one source of counts."""
    for colour in range(COLOURS):
        for pile in range(RANKS + 1):
            reach = pile
            while reach < RANKS and number(remaining[colour * RANKS + reach]) > 0:
                reach += 1
            start = first + (colour * (RANKS + 1) + pile) * 32
            search.sums[start] = 0
            for ranks in range(1, 32):
                rank = lowest(word(ranks))
                count = number(counts[colour * RANKS + rank])
                entry = count
                if rank == pile:
                    entry += count << FIT_AT
                copies = number(remaining[colour * RANKS + rank])
                if pile <= rank and rank < reach:
                    share = 1.0 if copies == 1 else search.copy_loss / (copies - 1)
                    entry += count * int(share * (reach - rank) * LOST_UNIT) << LOST_AT
                search.sums[start + ranks] = search.sums[start + (ranks & (ranks - 1))] + entry


@inline
def sums_at(search: MeanimaxSearch, counted: int, scene: int, colour: int) -> int:
    """The sums over the types of one colour that a card may be; `counted` is its masks and source."""
    place = (((counted >> TOLD_BITS) * COLOURS + colour) * (RANKS + 1) + pile_of(scene, colour)) * 32 + (counted & RANK_BITS)
    return number(search.sums[word(place)])


def count_of(search: MeanimaxSearch, counted: int) -> int:
    """How many cards of a source have one of these colours and one of these ranks."""
    total = number(0)
    for colour in range(COLOURS):
        if (counted >> (RANKS + colour)) & 1:
            total += sums_at(search, counted, number(0), colour)
    return total & SUM_BITS


@inline
def guess_of(search: MeanimaxSearch, hand: int, card: int) -> int:
    """What the holder of a card counts it as."""
    return card & ALL_BITS | number(search.guess_sources[hand]) << TOLD_BITS


@inline
def card_at(search: MeanimaxSearch, hand: int, slot: int) -> int:
    """A card of a hand."""
    return number(search.cards[word(hand * HAND + slot)])


def use_slot(search: MeanimaxSearch, scene: int, hand: int, slot: int, target: int) -> None:
    """A hand once a slot was used: the others move down, an unknown card comes last, if there is one."""
    size = number(search.sizes[hand])
    place = target * HAND
    for other in range(size):
        if other != slot:
            search.cards[place] = search.cards[hand * HAND + other]
            place += 1
    if not search.deck_end or left_of(scene) > 2:
        search.cards[place] = UNKNOWN | number(search.guess_sources[hand]) << 2 * TOLD_BITS
    else:
        size -= 1
    search.sizes[target] = size
    search.guess_sources[target] = search.guess_sources[hand]


def guess_hand(search: MeanimaxSearch, hand: int, target: int) -> None:
    """A hand as its holder counts it."""
    for slot in range(number(search.sizes[hand])):
        card = card_at(search, hand, slot)
        search.cards[target * HAND + slot] = guess_of(search, hand, card) << TOLD_BITS | card & ALL_BITS
    search.sizes[target] = search.sizes[hand]
    search.guess_sources[target] = search.guess_sources[hand]


@inline
def told(card: int, hint: int, touched: int) -> int:
    """A card after a hint: its holder knows more, the searcher counts it as before."""
    if touched:
        return card & ~((RANK_BITS if hint < RANKS else COLOUR_BITS) & ~(1 << hint))
    return card & ~(1 << hint)
