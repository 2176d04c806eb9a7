"""The last two plies: an outlook, and the hand that acts on it."""

from __future__ import annotations

from kibitz.core.jit import Word, folded_product, lowest, number, word
from kibitz.search.hanabi.meanimax.scenes import (
    AFTER_DISCARD,
    AFTER_MISFIRE,
    AFTER_PLAY,
    BEST_HINT,
    COLOUR_BITS,
    COLOURS,
    FACTOR,
    FIT_AT,
    HINTS,
    KEPT,
    LOST_AT,
    LOST_UNIT,
    NEVER,
    OUTLOOK,
    RANK_BITS,
    RANKS,
    SUM_BITS,
    TOLD_BITS,
    MeanimaxSearch,
    after_discard,
    after_hint,
    after_misfire,
    after_play,
    card_at,
    count_of,
    guess_of,
    is_final,
    leaf_value,
    pile_of,
    sums_at,
    tokens_of,
    told,
)

_GAMMA = Word(0x9E3779B97F4A7C15)


def slot_scores(search: MeanimaxSearch, counted: int, scene: int, outlook: int) -> tuple[float, float]:
    """The mean scores of discarding and of playing a card that may be any of the types counted."""
    sums, value = number(0), 0.0
    for colour in range(COLOURS):
        if (counted >> (RANKS + colour)) & 1:
            of_colour = sums_at(search, counted, scene, colour)
            sums += of_colour
            fitting = (of_colour >> FIT_AT) & SUM_BITS
            if fitting:
                value += fitting * search.outlooks[word(outlook + AFTER_PLAY + colour)]
    total, fitting = sums & SUM_BITS, (sums >> FIT_AT) & SUM_BITS
    if total > fitting:
        value += (total - fitting) * search.outlooks[word(outlook + AFTER_MISFIRE)]
    factor = search.outlooks[word(outlook + FACTOR)]
    discard = -(sums >> LOST_AT) / total / LOST_UNIT * factor + search.outlooks[word(outlook + AFTER_DISCARD)]
    play = (fitting - search.misfire * (total - fitting)) / total * factor + value / total
    return discard, play


def act(search: MeanimaxSearch, hand: int, scene: int, outlook: int) -> float:
    """What follows if the holder of a hand makes the move that looks best to it."""
    size = number(search.sizes[hand])
    if size == 0:
        return leaf_value(search, scene)
    best_discard, best_play = NEVER, NEVER
    discard_slot, play_slot = number(0), number(0)
    for slot in range(size):
        discard, play = slot_scores(search, guess_of(search, hand, card_at(search, hand, slot)), scene, outlook)
        if discard >= best_discard:
            best_discard, discard_slot = discard, slot
        if play >= best_play:
            best_play, play_slot = play, slot
    best_hint = search.outlooks[outlook + BEST_HINT]
    if best_hint >= best_play and best_hint >= best_discard:
        return best_hint
    plays = best_play >= best_discard
    card = card_at(search, hand, play_slot if plays else discard_slot)
    discard, play = slot_scores(search, card >> TOLD_BITS, scene, outlook)
    return play if plays else discard


def weigh_hand(search: MeanimaxSearch, hand: int, scene: int, outlook: int) -> None:
    """What each slot of a hand that may be told something is really worth, whatever it is told."""
    for slot in range(number(search.sizes[hand])):
        card = card_at(search, hand, slot)
        search.totals[slot] = count_of(search, card >> TOLD_BITS)
        discard, play = slot_scores(search, card >> TOLD_BITS, scene, outlook)
        search.true_discards[slot] = discard
        search.true_plays[slot] = play


def hint_mean(search: MeanimaxSearch, hand: int, scene: int, outlook: int, hint: int) -> float:
    """The mean of `act` over the sets of slots that a hint may touch; the hand has been weighed.

    Sets are taken in the order of binary numbers, slot 0 first; what two of them have in common is settled once.
    """
    size = number(search.sizes[hand])
    named = (RANK_BITS if hint < RANKS else COLOUR_BITS) & ~(1 << hint)
    for slot in range(size):
        card = card_at(search, hand, slot)
        hits = count_of(search, (card >> TOLD_BITS) & ~named)
        search.weights[2 * slot] = number(search.totals[slot]) - hits
        search.weights[2 * slot + 1] = hits
        for touched in range(2):
            if search.weights[2 * slot + touched]:
                discard, play = slot_scores(search, guess_of(search, hand, told(card, hint, touched)), scene, outlook)
                search.discards[2 * slot + touched] = discard
                search.plays[2 * slot + touched] = play
    search.running_weights[0] = 1
    search.best_discards[0] = NEVER
    search.best_plays[0] = NEVER
    best_hint = search.outlooks[outlook + BEST_HINT]
    mean, total = 0.0, number(0)
    subset, slot = number(0), number(0)
    while subset < (1 << size):
        while slot < size:
            place = 2 * slot + ((subset >> (size - 1 - slot)) & 1)
            weight = number(search.running_weights[slot]) * number(search.weights[place])
            if weight == 0:
                break
            search.running_weights[slot + 1] = weight
            better = search.discards[place] >= search.best_discards[slot]
            search.best_discards[slot + 1] = search.discards[place] if better else search.best_discards[slot]
            search.discard_values[slot + 1] = search.true_discards[slot] if better else search.discard_values[slot]
            better = search.plays[place] >= search.best_plays[slot]
            search.best_plays[slot + 1] = search.plays[place] if better else search.best_plays[slot]
            search.play_values[slot + 1] = search.true_plays[slot] if better else search.play_values[slot]
            slot += 1
        if slot < size:
            subset += 1 << (size - 1 - slot)
        else:
            if subset > 0:
                best, value = search.best_discards[size], search.discard_values[size]
                if search.best_plays[size] >= best:
                    best, value = search.best_plays[size], search.play_values[size]
                if best_hint >= best:
                    value = best_hint
                if is_final(search, scene):
                    value = leaf_value(search, scene)
                weight = number(search.running_weights[size])
                mean += weight * value
                total += weight
            subset += 1
        slot = size - 1 - lowest(word(subset))
    return mean / total if total > 0 else NEVER


def last_outlook(search: MeanimaxSearch, hand: int, scene: int) -> int:
    """The outlook of the last ply: there is nobody to act after it, and nothing to tell."""
    search.outlooks[AFTER_DISCARD] = leaf_value(search, after_discard(search, scene))
    for colour in range(COLOURS):
        if pile_of(scene, colour) < RANKS:
            search.outlooks[AFTER_PLAY + colour] = leaf_value(search, after_play(search, scene, colour))
    search.outlooks[AFTER_MISFIRE] = leaf_value(search, after_misfire(search, scene))
    search.outlooks[BEST_HINT] = NEVER
    search.outlooks[FACTOR] = 1.0
    return number(0)


def value_1(search: MeanimaxSearch, hand: int, other: int, scene: int) -> float:
    """What a scene is worth to whom acts, with one ply to go."""
    if is_final(search, scene):
        return leaf_value(search, scene)
    return act(search, hand, scene, last_outlook(search, other, scene))


def next_outlook(search: MeanimaxSearch, hand: int, scene: int) -> int:
    """The outlook of the last ply but one: the given hand will act after it."""
    key = folded_product(word(scene), _GAMMA)
    for slot in range(number(search.sizes[hand])):
        key = folded_product(key ^ word(card_at(search, hand, slot) + 1), _GAMMA)
    key ^= word(search.guess_sources[hand])
    kept = number(key & word(KEPT - 1))
    place = (kept + 1) * OUTLOOK
    if search.stamps[kept] == search.stamp and search.keys[kept] == key:
        return place
    search.stamps[kept] = search.stamp
    search.keys[kept] = key
    search.outlooks[place + AFTER_DISCARD] = value_1(search, hand, hand, after_discard(search, scene))
    for colour in range(COLOURS):
        if pile_of(scene, colour) < RANKS:
            search.outlooks[place + AFTER_PLAY + colour] = value_1(search, hand, hand, after_play(search, scene, colour))
    search.outlooks[place + AFTER_MISFIRE] = value_1(search, hand, hand, after_misfire(search, scene))
    best = NEVER
    if tokens_of(scene) > 0:
        later = after_hint(search, scene)
        outlook = last_outlook(search, hand, later)
        weigh_hand(search, hand, later, outlook)
        for hint in range(HINTS):
            best = max(best, hint_mean(search, hand, later, outlook, hint))
    search.outlooks[place + BEST_HINT] = best
    search.outlooks[place + FACTOR] = 1 + 0.1 * 1
    return place


def value_2(search: MeanimaxSearch, hand: int, other: int, scene: int) -> float:
    """What a scene is worth to whom acts, with two plies to go."""
    if is_final(search, scene):
        return leaf_value(search, scene)
    return act(search, hand, scene, next_outlook(search, other, scene))
