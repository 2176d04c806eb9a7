"""What an opponent may hold, as a weighted list of hypotheses: the store that `belief` updates and `worlds` samples from.

A *hypothesis* splits the cards of an opponent that nobody has shown the viewer into *groups*, oldest first: so many cards, none
of which is of a type in the group's mask. What a draw shows is true of every card then held, so the mask of an older group
contains that of a newer one. That makes counting easy: however the older groups are filled, as many cards are left for a
newer one, and the number of ways to fill all of them is a product.

A hypothesis has a weight: in how many ways the history can have led to these groups (which card of the hand a played card
was), times the likelihoods of what was shown. The chance of the hypothesis is proportional to its weight times the share of all
ways to deal the hidden cards that its masks allow (`share_allowed`).
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import ALL_BITS, Word, number, popcount, word
from kibitz.core.layouts import Byte, Int
from kibitz.core.seeds import scramble
from kibitz.games.uno.cards import ALL_CARDS
from kibitz.games.uno.counts import Planes, size_of, size_within
from kibitz.games.uno.view import SeatBytes

Real = Annotated[float, "f8"]

POOL = 64  # hypotheses in all, shared evenly by the opponents
GROUPS = 8  # of a hypothesis
DRAFT = GROUPS + 4

_SIZE_STEP = Word(0x9E3779B97F4A7C15)


class Hypotheses:
    """The hypotheses of every opponent, and where new ones are prepared.

    Opponent p places after the viewer owns the hypotheses from p' x `capacity` on, p' = p - 1; those of a hypothesis h are the
    groups from h x GROUPS on, up to the first of size 0. `staged` hypotheses replace those of one opponent once they are complete.
    """

    weights: Annotated[list[float], "f8", POOL]
    masks: Annotated[list[int], "u8", POOL * GROUPS]
    staged_weights: Annotated[list[float], "f8", POOL + 1]
    staged_shares: Annotated[list[float], "f8", POOL + 1]
    staged_keys: Annotated[list[int], "u8", POOL + 1]
    staged_masks: Annotated[list[int], "u8", (POOL + 1) * GROUPS]
    draft_masks: Annotated[list[int], "u8", DRAFT]
    sizes: Annotated[list[int], "i1", POOL * GROUPS]
    staged_sizes: Annotated[list[int], "i1", (POOL + 1) * GROUPS]
    draft_sizes: Annotated[list[int], "i1", DRAFT]
    counts: SeatBytes  # how many hypotheses there are about each seat
    resets: Int  # how often an opponent's hypotheses had to be given up for the prior
    staged: Byte
    drafted: Byte  # groups in the draft
    viewer: Byte
    seats: Byte
    capacity: Byte


def first_of(belief: Hypotheses, seat: int) -> int:
    """The first hypothesis about a seat."""
    return (seat - number(belief.viewer) - 1 + number(belief.seats)) % number(belief.seats) * number(belief.capacity)


def share_allowed(planes: Planes, sizes: Any, masks: Any, start: int) -> float:
    """The share of all ways to take the cards of some groups out of `planes` that the masks allow; groups from `start` on."""
    total = size_of(planes)
    taken = 0
    share = 1.0
    for group in range(start, start + GROUPS):
        size = number(sizes[group])
        if size == 0:
            break
        allowed = size_within(planes, ALL_CARDS & ~masks[group])
        if allowed - taken < size:
            return 0.0
        for _ in range(size):
            share *= (allowed - taken) / (total - taken)
            taken += 1
    return share


def slots_of(belief: Hypotheses, seat: int) -> int:
    """How many cards of a seat the hypotheses are about."""
    start = first_of(belief, seat) * GROUPS
    slots = number(0)
    for group in range(start, start + GROUPS):
        if belief.sizes[group] == 0:
            break
        slots += number(belief.sizes[group])
    return slots


def is_masked(belief: Hypotheses, seat: int) -> bool:
    """Whether anything but the number of its cards is known of a seat's hidden cards."""
    start = first_of(belief, seat)
    for group in range(start * GROUPS, (start + number(belief.counts[seat])) * GROUPS):
        if belief.sizes[group] > 0 and belief.masks[group] != word(0):
            return True
    return False


def hand_weight(belief: Hypotheses, seat: int, planes: Planes) -> float:
    """How well a hand, without its known cards, goes with the hypotheses: 0 if impossible.

    Among all hands the chance of this one is proportional to this figure times the number of ways to take it from the hidden cards.
    """
    start = first_of(belief, seat)
    weight = 0.0
    for place in range(start, start + number(belief.counts[seat])):
        weight += belief.weights[place] * share_allowed(planes, belief.sizes, belief.masks, place * GROUPS)
    return weight


# -- drafts: a hypothesis in the making --


def draft_group(belief: Hypotheses, size: int, mask: int) -> None:
    """Add a group, younger than those before it, to the draft."""
    if size <= 0:
        return
    last = number(belief.drafted) - 1
    if last >= 0 and belief.draft_masks[last] == mask:
        belief.draft_sizes[last] += size
        return
    if last + 1 == DRAFT:
        coarsen_draft(belief)
        last -= 1
    belief.draft_sizes[last + 1] = size
    belief.draft_masks[last + 1] = mask
    belief.drafted = last + 2


def coarsen_draft(belief: Hypotheses) -> None:
    """Join the two groups of the draft by which least is lost; what both lack stays excluded."""
    best, least = number(0), number(1 << 20)
    for group in range(number(belief.drafted) - 1):
        lost = number(belief.draft_sizes[group]) * popcount(belief.draft_masks[group] & ~belief.draft_masks[group + 1])
        if lost < least:
            best, least = number(group), lost
    belief.draft_masks[best] = belief.draft_masks[best + 1]
    belief.draft_sizes[best] += belief.draft_sizes[best + 1]
    for group in range(best + 1, number(belief.drafted) - 1):
        belief.draft_sizes[group] = belief.draft_sizes[group + 1]
        belief.draft_masks[group] = belief.draft_masks[group + 1]
    belief.drafted -= 1


def stage_draft(belief: Hypotheses, planes: Planes, weight: float) -> None:
    """Add the draft to the staged hypotheses; if there are too many, the two that matter least become one that excludes less."""
    while belief.drafted > GROUPS:
        coarsen_draft(belief)
    put_draft(belief, planes, weight)
    if belief.staged <= belief.capacity:
        return
    first = least_staged(belief, -1)
    second = least_staged(belief, first)
    mask, size = ALL_CARDS & ALL_BITS, number(0)
    for group in range(GROUPS):
        if belief.staged_sizes[first * GROUPS + group] > 0:
            mask &= belief.staged_masks[first * GROUPS + group]
            size += number(belief.staged_sizes[first * GROUPS + group])
        if belief.staged_sizes[second * GROUPS + group] > 0:
            mask &= belief.staged_masks[second * GROUPS + group]
    chance = belief.staged_weights[first] * belief.staged_shares[first] + belief.staged_weights[second] * belief.staged_shares[second]
    joint_weight = belief.staged_weights[first] + belief.staged_weights[second]
    remove_staged(belief, max(first, second))
    remove_staged(belief, min(first, second))
    belief.drafted = 0
    draft_group(belief, size, mask)
    belief.draft_sizes[number(belief.drafted)] = 0
    share = share_allowed(planes, belief.draft_sizes, belief.draft_masks, 0)
    put_draft(belief, planes, chance / share if chance > 0.0 and share > 0.0 else joint_weight)


def put_draft(belief: Hypotheses, planes: Planes, weight: float) -> None:
    """Add the draft to the staged hypotheses, or its weight to an equal one."""
    key = word(0)
    for group in range(number(belief.drafted)):
        key = scramble((key + belief.draft_masks[group] + word(belief.draft_sizes[group]) * _SIZE_STEP) & ALL_BITS)
    place = number(belief.staged)
    for other in range(place):
        if belief.staged_keys[other] == key:
            belief.staged_weights[other] += weight
            return
    start = place * GROUPS
    for group in range(GROUPS):
        drafted = group < number(belief.drafted)
        belief.staged_sizes[start + group] = belief.draft_sizes[group] if drafted else 0
        belief.staged_masks[start + group] = belief.draft_masks[group] if drafted else word(0)
    belief.staged_keys[place] = key
    belief.staged_weights[place] = weight
    belief.staged_shares[place] = share_allowed(planes, belief.staged_sizes, belief.staged_masks, start)
    belief.staged += 1


def least_staged(belief: Hypotheses, besides: int) -> int:
    """The staged hypothesis with the least chance, other than one."""
    best, least = number(-1), 0.0
    for place in range(number(belief.staged)):
        chance = belief.staged_weights[place] * belief.staged_shares[place]
        if place != besides and (best < 0 or chance < least):
            best, least = number(place), chance
    return best


def remove_staged(belief: Hypotheses, place: int) -> None:
    """Take out a staged hypothesis; the last one takes its place."""
    belief.staged -= 1
    last = number(belief.staged)
    belief.staged_weights[place] = belief.staged_weights[last]
    belief.staged_shares[place] = belief.staged_shares[last]
    belief.staged_keys[place] = belief.staged_keys[last]
    for group in range(GROUPS):
        belief.staged_sizes[place * GROUPS + group] = belief.staged_sizes[last * GROUPS + group]
        belief.staged_masks[place * GROUPS + group] = belief.staged_masks[last * GROUPS + group]


# -- all hypotheses about a seat --


def commit_staged(belief: Hypotheses, seat: int) -> None:
    """Let the staged hypotheses be those about a seat."""
    heaviest = 0.0
    for place in range(number(belief.staged)):
        heaviest = max(heaviest, belief.staged_weights[place])
    start = first_of(belief, seat)
    for place in range(number(belief.staged)):
        belief.weights[start + place] = belief.staged_weights[place] / heaviest
        for group in range(GROUPS):
            belief.sizes[(start + place) * GROUPS + group] = belief.staged_sizes[place * GROUPS + group]
            belief.masks[(start + place) * GROUPS + group] = belief.staged_masks[place * GROUPS + group]
    belief.counts[seat] = belief.staged


def reset_seat(belief: Hypotheses, seat: int, slots: int, mask: int) -> None:
    """One hypothesis about a seat: so many hidden cards, none of them of a type in the mask."""
    start = first_of(belief, seat)
    belief.counts[seat] = 1
    belief.weights[start] = 1.0
    for group in range(start * GROUPS, (start + 1) * GROUPS):
        belief.sizes[group] = 0
        belief.masks[group] = word(0)
    belief.sizes[start * GROUPS] = slots
    belief.masks[start * GROUPS] = mask


def copy_seat(belief: Hypotheses, source: int, target: int) -> None:
    """Let the hypotheses about one seat be about another as well."""
    start, other = first_of(belief, source), first_of(belief, target)
    for place in range(number(belief.counts[source])):
        belief.weights[other + place] = belief.weights[start + place]
        for group in range(GROUPS):
            belief.sizes[(other + place) * GROUPS + group] = belief.sizes[(start + place) * GROUPS + group]
            belief.masks[(other + place) * GROUPS + group] = belief.masks[(start + place) * GROUPS + group]
    belief.counts[target] = belief.counts[source]


def stage_seat(belief: Hypotheses, seat: int) -> None:
    """Stage the hypotheses about a seat as they are."""
    start = first_of(belief, seat)
    for place in range(number(belief.counts[seat])):
        belief.staged_weights[place] = belief.weights[start + place]
        for group in range(GROUPS):
            belief.staged_sizes[place * GROUPS + group] = belief.sizes[(start + place) * GROUPS + group]
            belief.staged_masks[place * GROUPS + group] = belief.masks[(start + place) * GROUPS + group]
    belief.staged = belief.counts[seat]


def draft_hypothesis(belief: Hypotheses, place: int, mask: int, without: int) -> None:
    """Draft a hypothesis once more, every group lacking the types of a mask too, and a card of one group (or -1) gone."""
    belief.drafted = 0
    for group in range(GROUPS):
        size = number(belief.sizes[place * GROUPS + group])
        if size == 0:
            break
        draft_group(belief, size - (1 if group == without else 0), belief.masks[place * GROUPS + group] | mask)


def exclude_types(belief: Hypotheses, planes: Planes, seat: int, mask: int) -> None:
    """No card that a seat holds is of these types: that is certain."""
    belief.staged = 0
    start = first_of(belief, seat)
    for place in range(start, start + number(belief.counts[seat])):
        draft_hypothesis(belief, place, mask, -1)
        stage_draft(belief, planes, belief.weights[place])
    commit_staged(belief, seat)


def take_newest(belief: Hypotheses, planes: Planes, seat: int) -> None:
    """The card that a seat drew last is gone."""
    belief.staged = 0
    start = first_of(belief, seat)
    for place in range(start, start + number(belief.counts[seat])):
        last = number(-1)
        for group in range(GROUPS):
            if belief.sizes[place * GROUPS + group] > 0:
                last = number(group)
        draft_hypothesis(belief, place, word(0), last)
        stage_draft(belief, planes, belief.weights[place])
    commit_staged(belief, seat)


def take_card_of_type(belief: Hypotheses, planes: Planes, seat: int, card_bit: int) -> bool:
    """A seat has played one of its hidden cards, of this type: it may be any card of any group that does not lack it.

    Whether there was one; if not, nothing is changed.
    """
    belief.staged = 0
    start = first_of(belief, seat)
    for place in range(start, start + number(belief.counts[seat])):
        for group in range(GROUPS):
            size = number(belief.sizes[place * GROUPS + group])
            if size == 0:
                break
            if belief.masks[place * GROUPS + group] & card_bit == word(0):
                draft_hypothesis(belief, place, word(0), group)
                stage_draft(belief, planes, belief.weights[place] * size)
    if belief.staged == 0:
        return False
    commit_staged(belief, seat)
    return True
