"""The plies before the last two: every move scored by what may follow, and the best one picked.

Moves are numbered discards, plays, rank hints, colour hints. The module is made anew for every depth, with the names below
bound to what they mean there.
"""

from __future__ import annotations

from kibitz.core.jit import number
from kibitz.search.hanabi.meanimax.last_plies import hint_mean, next_outlook, value_2, weigh_hand
from kibitz.search.hanabi.meanimax.scenes import (
    CHANGED_LATER,
    COLOURS,
    FIT_AT,
    HAND,
    HINTS,
    LOST_AT,
    LOST_UNIT,
    NEVER,
    RANKS,
    SUM_BITS,
    TOLD_BITS,
    MeanimaxSearch,
    after_discard,
    after_hint,
    after_misfire,
    after_play,
    card_at,
    sums_at,
    tokens_of,
    told,
    use_slot,
)

DEPTH = 2
SPARE = CHANGED_LATER  # where a hand that changes is put
SURE_HINTS = False  # whether the other hand is seen, so that there is no doubt what a hint touches
value_after = value_2  # what a scene is worth to the player who acts next
outlook_after = next_outlook  # and its outlook


def score_discard(search: MeanimaxSearch, own: int, slot: int, other: int, scene: int) -> float:
    """The mean score of discarding a slot."""
    counted = card_at(search, own, slot) >> TOLD_BITS
    sums = number(0)
    for colour in range(COLOURS):
        if (counted >> (RANKS + colour)) & 1:
            sums += sums_at(search, counted, scene, colour)
    spare = number(SPARE)
    use_slot(search, scene, own, slot, spare)
    after = value_after(search, other, spare, after_discard(search, scene))
    return -(sums >> LOST_AT) / (sums & SUM_BITS) / LOST_UNIT * (1 + 0.1 * DEPTH) + after


def score_play(search: MeanimaxSearch, own: int, slot: int, other: int, scene: int) -> float:
    """The mean score of playing a slot."""
    spare = number(SPARE)
    counted = card_at(search, own, slot) >> TOLD_BITS
    sums, value = number(0), 0.0
    for colour in range(COLOURS):
        if (counted >> (RANKS + colour)) & 1:
            of_colour = sums_at(search, counted, scene, colour)
            sums += of_colour
            fitting = (of_colour >> FIT_AT) & SUM_BITS
            if fitting:
                use_slot(search, scene, own, slot, spare)
                value += fitting * value_after(search, other, spare, after_play(search, scene, colour))
    total, fitting = sums & SUM_BITS, (sums >> FIT_AT) & SUM_BITS
    if total > fitting:
        use_slot(search, scene, own, slot, spare)
        value += (total - fitting) * value_after(search, other, spare, after_misfire(search, scene))
    return (fitting - search.misfire * (total - fitting)) / total * (1 + 0.1 * DEPTH) + value / total


def score_hint(search: MeanimaxSearch, own: int, hint: int, other: int, scene: int) -> float:
    """The mean score of a hint."""
    later = after_hint(search, scene)
    outlook = outlook_after(search, own, later)
    weigh_hand(search, other, later, outlook)
    return hint_mean(search, other, later, outlook, hint)


def score_sure_hint(search: MeanimaxSearch, own: int, hint: int, other: int, scene: int) -> float:
    """The score of a hint to a hand that is seen, as at the root: there is no doubt which slots it touches."""
    size, spare = number(search.sizes[other]), number(SPARE)
    touched_any = False
    for slot in range(size):
        card = card_at(search, other, slot)
        touched = ((card >> TOLD_BITS) >> hint) & 1
        touched_any = touched_any or touched == 1
        search.cards[spare * HAND + slot] = told(card, hint, touched)
    search.sizes[spare] = size
    search.guess_sources[spare] = search.guess_sources[other]
    return value_after(search, spare, own, after_hint(search, scene)) if touched_any else NEVER


def score_move(search: MeanimaxSearch, own: int, move: int, other: int, scene: int) -> float:
    """The mean score of any move."""
    size = number(search.sizes[own])
    if move < size:
        return score_discard(search, own, move, other, scene)
    if move < 2 * size:
        return score_play(search, own, move - size, other, scene)
    if SURE_HINTS:
        return score_sure_hint(search, own, move - 2 * size, other, scene)
    return score_hint(search, own, move - 2 * size, other, scene)


def pick(search: MeanimaxSearch, own: int, other: int, scene: int, first: int) -> int:
    """The move of the best score from `first` on; the last one among equals."""
    moves = 2 * number(search.sizes[own]) + (HINTS if tokens_of(scene) > 0 else 0)
    best, chosen = NEVER, first
    for move in range(first, moves):
        score = score_move(search, own, move, other, scene)
        if score >= best and score > NEVER:
            best, chosen = score, move
    return chosen
