"""The policy of SmartBot: which move follows from public knowledge and the hands that a player sees.

`choose_move` tries one rule after the other; the first that gives a move decides. It is a pure function of a `SmartKnowledge`, the cards
of all hands by seat and slot (those of the player to move are never read) and one switch, so that bots, search and training can share it.

Rules about hints and discards look at public knowledge only, because the others must come to the same conclusions. Only plays, and
discards of cards that the player alone knows to be dead, use what it sees in the other hands (`sight`).
"""

from __future__ import annotations

from kibitz.core.jit import Word, inline, lowest, number, popcount
from kibitz.games.hanabi.cards import MAX_HAND, RANK_OF
from kibitz.policies.hanabi.card_sets import TYPES_OF_COLOURS, is_open, is_single, is_sure, one_fewer, type_bit, types_of_rank
from kibitz.policies.hanabi.public_knowledge import by_hints, mask_of, may_discard, narrowed, next_seat
from kibitz.policies.hanabi.smart_conventions import NONE, SmartKnowledge, could_be_last, next_discard

# The rules, in the order of RULE_LETTERS and RULE_NAMES.
(
    LATE_PLAY,
    LATE_GAMBLE,
    WARN_BY_PLAY,
    WARN_BY_RANK,
    FINESSE,
    SURE_PLAY,
    HINT,
    GAMBLE,
    STALL,
    DISCARD_DEAD,
    DISCARD_EXPECTED,
    DISCARD_LAST,
) = range(12)
RULE_LETTERS = "EewWFPHMSDOV"
RULE_NAMES = (
    "plays {slot}, which surely fits, now that the deck is empty",
    "gambles on {slot}, now that the deck is empty",
    "hints {told} to {player}, to make them play instead of discarding a last copy",
    "hints {told} to {player}, to warn them of discarding a last copy",
    "discards {slot}, which fits, to point out its twin in another hand",
    "plays {slot}, which surely fits",
    "hints {told} to {player}, to make them play",
    "gambles on {slot}, near the end of the deck",
    "hints {told} to {player}, to pass the turn on with all tokens there",
    "discards {slot}, which is surely dead",
    "discards {slot}, which is most likely dead",
    "discards {slot}, the highest card, since all may be last copies",
)

COLOUR_HINTS = 5  # hints to a player count as colours 0 to 4, then ranks
HINTS = 10
UNKNOWN_TO_OTHERS = 100  # what a sure play gains in value if the others do not know it
_ZERO = Word(0)


# -- what the player sees --


def free_types(knowledge: SmartKnowledge, cards: list[int], seat: int, count_own: bool) -> int:
    """The types of which a copy may be in the deck or the player's own hand; its known cards count as seen if `count_own`."""
    ones, twos = knowledge.ones, knowledge.twos
    for other in range(knowledge.players):
        for where in range(other * MAX_HAND, other * MAX_HAND + knowledge.sizes[other]):
            if other != seat:
                ones, twos = one_fewer(ones, twos, type_bit(number(cards[where])))
            elif count_own and is_single(knowledge.masks[where]):
                ones, twos = one_fewer(ones, twos, knowledge.masks[where])
    return ones | twos


def sight(knowledge: SmartKnowledge, cards: list[int], seat: int, slot: int, free: int) -> int:
    """The types that the player's own card may have by all it knows and sees; `free` comes from `free_types`."""
    mask = mask_of(knowledge, seat, slot)
    if is_single(mask):
        return mask
    return mask & free if mask & free != _ZERO else literal_sight(knowledge, cards, seat, slot)


def literal_sight(knowledge: SmartKnowledge, cards: list[int], seat: int, slot: int) -> int:
    """The types that the player's own card may have by hints and all visible cards, whatever the conventions say."""
    return by_hints(knowledge, seat * MAX_HAND + slot) & free_types(knowledge, cards, seat, False)


@inline
def rank_of(types: int) -> int:
    """The rank that all types share, counted from 0; NONE if they differ."""
    rank = RANK_OF[lowest(types)]
    return rank if is_sure(types, types_of_rank(rank)) else NONE


# -- plays --


def sure_play(knowledge: SmartKnowledge, cards: list[int], seat: int, free: int, careful: int) -> int:
    """The slot of a card that fits for certain, NONE if there is none: one that the others do not know first, then low ranks.

    Among players who do not follow the conventions, a careful one believes hints alone when it is down to the last life.
    """
    wary = careful and knowledge.broken and knowledge.lives == 1
    best, best_value = NONE, 0
    for slot in range(knowledge.sizes[seat]):
        mask = mask_of(knowledge, seat, slot)
        if mask & knowledge.playable != _ZERO:
            seen = literal_sight(knowledge, cards, seat, slot) if wary else sight(knowledge, cards, seat, slot, free)
            if is_sure(seen, knowledge.playable):
                rank = rank_of(seen)
                value = 7 if rank == NONE else 5 - rank
                if not is_sure(mask, knowledge.playable):
                    value += UNKNOWN_TO_OTHERS
                if value > best_value:
                    best, best_value = slot, value
    return best


def gamble(knowledge: SmartKnowledge, cards: list[int], seat: int, free: int, careful: int) -> int:
    """The slot of the card that most likely fits, the newest of equals; NONE if the deck or the lives do not call for it."""
    if knowledge.deck_size > (3 if knowledge.lives >= 3 else 1) or (careful and knowledge.lives == 1):
        return NONE
    best, best_fitting, best_types = NONE, 0, 1
    for slot in range(knowledge.sizes[seat] - 1, -1, -1):
        seen = sight(knowledge, cards, seat, slot, free)
        if is_open(seen, knowledge.playable):
            fitting, types = popcount(seen & knowledge.playable), popcount(seen)
            if fitting * best_types > best_fitting * types:
                best, best_fitting, best_types = slot, fitting, types
    return best


# -- hints --


def hint_move(knowledge: SmartKnowledge, seat: int, target: int, hint: int) -> int:
    """The number of the move that gives a hint."""
    skipped = (target - seat - 1 + knowledge.players) % knowledge.players  # players between the two
    first = 2 * knowledge.hand_size
    if hint < COLOUR_HINTS:
        return first + skipped * knowledge.colours + hint
    return first + (knowledge.players - 1) * knowledge.colours + skipped * knowledge.ranks + hint - COLOUR_HINTS


@inline
def rank_hint(knowledge: SmartKnowledge, cards: list[int], seat: int, target: int, slot: int) -> int:
    """The move that tells a player the rank of one of its cards."""
    return hint_move(knowledge, seat, target, COLOUR_HINTS + RANK_OF[number(cards[target * MAX_HAND + slot])])


def best_hint(knowledge: SmartKnowledge, cards: list[int], seat: int, target: int) -> tuple[int, int]:
    """The hint that makes a player play something and tells it most, and how many types it rules out; NONE and 0 if there is none."""
    avoided = NONE
    if target == next_seat(knowledge, seat):
        slot = next_discard(knowledge, target)
        if slot >= 0:
            rank = RANK_OF[number(cards[target * MAX_HAND + slot])]
            if could_be_last(knowledge, mask_of(knowledge, target, slot), rank):
                avoided = COLOUR_HINTS + rank  # it would be read as a warning
    best, most = NONE, 0
    for hint in range(HINTS):
        if hint != avoided:
            named = TYPES_OF_COLOURS[1 << hint] if hint < COLOUR_HINTS else types_of_rank(hint - COLOUR_HINTS)
            gain = hint_gain(knowledge, cards, target, named)
            if gain > most:
                best, most = hint, gain
    return best, most


@inline
def hint_gain(knowledge: SmartKnowledge, cards: list[int], target: int, named: int) -> int:
    """How many types a hint rules out, if it is allowed and makes the player play a card that fits; else 0.

    The player will play a card that the hint shows to be playable, or else the newest touched one that may be.
    """
    gain = number(0)
    useful, legal, undecided = False, False, True
    for slot in range(knowledge.sizes[target] - 1, -1, -1):
        where = target * MAX_HAND + slot
        card = type_bit(number(cards[where]))
        mask = knowledge.masks[where]
        hit = card & named != _ZERO
        after = narrowed(knowledge, where, named if hit else ~named)
        legal = legal or hit
        gain += popcount(mask) - popcount(after)
        if is_open(mask, knowledge.playable):
            if is_sure(after, knowledge.playable):
                useful = True
            elif hit and undecided and after & knowledge.playable != _ZERO:
                undecided = False
                if card & knowledge.playable != _ZERO:
                    useful = True
    return gain if useful and legal else 0


def stall(knowledge: SmartKnowledge, cards: list[int], seat: int) -> int:
    """The move that tells the right neighbour the rank of its oldest card, or whoever still has cards; NONE if nobody has."""
    players = knowledge.players
    for places in range(1, players):
        target = (seat - places + players) % players
        if knowledge.sizes[target] > 0:
            return rank_hint(knowledge, cards, seat, target, 0)
    return NONE


# -- discards --


def finesse(knowledge: SmartKnowledge, cards: list[int], seat: int) -> int:
    """The slot of a known playable card whose twin is exactly one other player's newest card; NONE if there is none."""
    for slot in range(knowledge.sizes[seat]):
        mask = mask_of(knowledge, seat, slot)
        if is_single(mask) and mask & knowledge.playable & ~knowledge.last != _ZERO:
            holders = 0
            for other in range(knowledge.players):
                size = knowledge.sizes[other]
                if other != seat and size > 0 and type_bit(number(cards[other * MAX_HAND + size - 1])) == mask:
                    holders += 1
            if holders == 1:
                return slot
    return NONE


def dead_card(knowledge: SmartKnowledge, cards: list[int], seat: int, free: int) -> int:
    """The slot of a card that is dead for certain, the one that the others know least about; NONE if there is none."""
    best, best_dead, best_types = NONE, 2, 1
    for slot in range(knowledge.sizes[seat]):
        mask = mask_of(knowledge, seat, slot)
        if mask & knowledge.dead != _ZERO and is_sure(sight(knowledge, cards, seat, slot, free), knowledge.dead):
            dead, types = popcount(mask & knowledge.dead), popcount(mask)
            if dead * best_types < best_dead * types:
                best, best_dead, best_types = slot, dead, types
    return best


def highest_card(knowledge: SmartKnowledge, seat: int) -> int:
    """The slot of the card with the highest known rank, the oldest of equals."""
    best, best_rank = 0, NONE
    for slot in range(knowledge.sizes[seat]):
        rank = rank_of(mask_of(knowledge, seat, slot))
        if rank > best_rank:
            best, best_rank = slot, rank
    return best


# -- the whole policy --


def choose_move(knowledge: SmartKnowledge, cards: list[int], seat: int, careful: int) -> tuple[int, int]:
    """The move of a player to act, and the rule that gave it. A careful player never gambles on the last life."""
    hand = knowledge.hand_size
    free = free_types(knowledge, cards, seat, True)
    if knowledge.deck_size == 0:
        slot = sure_play(knowledge, cards, seat, free, careful)
        if slot >= 0:
            return hand + slot, LATE_PLAY
        slot = gamble(knowledge, cards, seat, free, careful)
        if slot >= 0:
            return hand + slot, LATE_GAMBLE
    if knowledge.tokens > 0:
        following = next_seat(knowledge, seat)
        slot = next_discard(knowledge, following)
        if slot >= 0 and type_bit(number(cards[following * MAX_HAND + slot])) & knowledge.last != _ZERO:
            hint, gain = best_hint(knowledge, cards, seat, following)
            if gain > 0:
                return hint_move(knowledge, seat, following, hint), WARN_BY_PLAY
            return rank_hint(knowledge, cards, seat, following, slot), WARN_BY_RANK
    if may_discard(knowledge):
        slot = finesse(knowledge, cards, seat)
        if slot >= 0:
            return slot, FINESSE
    slot = sure_play(knowledge, cards, seat, free, careful)
    if slot >= 0:
        return hand + slot, SURE_PLAY
    if knowledge.tokens > 0:
        best, most, best_target = NONE, 0, NONE
        target = next_seat(knowledge, seat)
        while target != seat:
            hint, gain = best_hint(knowledge, cards, seat, target)
            if gain > most:
                best, most, best_target = hint, gain, target
            target = next_seat(knowledge, target)
        if most > 0:
            return hint_move(knowledge, seat, best_target, best), HINT
    slot = gamble(knowledge, cards, seat, free, careful)
    if slot >= 0:
        return hand + slot, GAMBLE
    if knowledge.tokens == knowledge.max_tokens:
        move = stall(knowledge, cards, seat)
        if move >= 0:
            return move, STALL
        if not may_discard(knowledge):
            return hand, GAMBLE  # nothing else is left
    slot = dead_card(knowledge, cards, seat, free)
    if slot >= 0:
        return slot, DISCARD_DEAD
    slot = next_discard(knowledge, seat)
    if slot >= 0:
        return slot, DISCARD_EXPECTED
    return highest_card(knowledge, seat), DISCARD_LAST
