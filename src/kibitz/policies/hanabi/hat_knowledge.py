"""What players know together who follow the hat-guessing convention (`hat_questions`, `hat_messages`, `hat_moves`).

Each keeps a record in its memory, and a search keeps one for all seats. Sets of types are masks, see `card_sets`.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, inline, number, word
from kibitz.core.layouts import Long, Word64
from kibitz.games.hanabi.cards import CARD_TYPES, MAX_HAND, MAX_PLAYERS, MAX_RANKS
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import is_single, one_fewer
from kibitz.policies.hanabi.public_knowledge import HandMasks, PublicKnowledge, begin_table, by_hints, copy_public, narrowed, replace_card

_ZERO = Word(0)

SlotLongs = Annotated[list[int], "i8", MAX_HAND]


class HatKnowledge(PublicKnowledge):
    """What everybody knows, the options of the convention, and room to work out messages in."""

    discarded: Long  # cards in the discard pile
    spare: Long  # so many discards cost no turn that a perfect game needs
    misled: Long  # 1 if the last move said a number that is not true, for one who sees all hands
    # Options.
    hint_above: Long  # with more tokens than this, a hint comes before a discard though nobody can play
    late_hint_above: Long  # the same once no discard is to spare
    seen_weight: Long  # what counts for the discard of a card that may be needed: that another hand has it,
    spare_weight: Long  # that it is not the last copy,
    rank_weight: Long  # and each rank
    chain_weight: Long  # what it counts for a play that others hold the next cards of the pile, for each of them
    ahead: Long  # 1 if questions are about the board expected at the turn of the player asked
    locate: Long  # 1 if cards that are known reduce what other cards may be
    hold_back: Long  # 1 if a play that can wait for the last round does, for the sake of a player with much to play
    gamble: Long  # 1 if the last round is for plays that may fit
    # Room to work in: a message, and the question being asked.
    draft: HandMasks
    unseen_ones: Word64  # copies that the mover sees nowhere, as in `ones` and `twos`
    unseen_twos: Word64
    hand_types: Annotated[list[int], "u8", MAX_PLAYERS]  # the types in each hand that the mover sees
    ahead_playable: Annotated[list[int], "u8", MAX_PLAYERS]  # by seat: what is expected to be playable at its turn,
    ahead_dead: Annotated[list[int], "u8", MAX_PLAYERS]  # and dead
    asked_playable: Word64  # what the question takes for playable and for dead
    asked_dead: Word64
    weights: SlotLongs  # by slot: copies that the card may be,
    playable_weights: SlotLongs  # those of them that are playable,
    dead_weights: SlotLongs  # and dead
    listed: Long  # "which of these is the first yes?": how many cards are listed,
    listed_slots: Annotated[list[int], "i8", 2 * MAX_HAND]  # their slots,
    listed_types: Annotated[list[int], "u8", 2 * MAX_HAND]  # and the types that mean yes
    block_slot: Long  # "in which block is this card?", if none is listed: its slot, and into how many blocks its live types are dealt
    blocks: Long
    rule: Long  # the rule behind the last decision, by its place in RULE_NAMES of `hat_moves`


# -- the table --


def begin_hats(view: View, known: HatKnowledge) -> None:
    """Know what hints and the cards in sight of everybody say, at any position; options stay as they are."""
    begin_table(view, known)
    known.discarded = 0
    known.spare = -known.colours * known.ranks - known.players * known.hand_size
    for card in range(CARD_TYPES):
        known.discarded += number(view.discards[card])
        known.spare += number(view.deck[card])


def use_plain_options(known: HatKnowledge) -> None:
    """Set the options of `information`."""
    known.hint_above, known.late_hint_above = 4, 4
    known.seen_weight, known.spare_weight, known.rank_weight, known.chain_weight = 20, 10, 1, 0
    known.ahead, known.locate, known.hold_back, known.gamble = 0, 0, 0, 0


def use_best_options(known: HatKnowledge) -> None:
    """Set the options of `information:best`."""
    known.hint_above, known.late_hint_above = 2, 8
    known.seen_weight, known.spare_weight, known.rank_weight, known.chain_weight = 5, 20, 1, 2
    known.ahead, known.locate, known.hold_back, known.gamble = 1, 1, 1, 1


def copy_hats(source: HatKnowledge, target: HatKnowledge) -> None:
    """Let one record be as another, but for the room to work in."""
    copy_public(source, target)
    target.discarded, target.spare = source.discarded, source.spare
    target.hint_above, target.late_hint_above = source.hint_above, source.late_hint_above
    target.seen_weight, target.spare_weight = source.seen_weight, source.spare_weight
    target.rank_weight, target.chain_weight = source.rank_weight, source.chain_weight
    target.ahead, target.locate = source.ahead, source.locate
    target.hold_back, target.gamble = source.hold_back, source.gamble


def take_off(known: HatKnowledge, seat: int, slot: int, card: int, fits: bool) -> None:
    """A card leaves a hand, onto its pile if it fits; types without copies leave all masks."""
    replace_card(known, seat, slot, card, fits)
    left = known.ones | known.twos
    for other in range(known.players):
        for where in range(other * MAX_HAND, other * MAX_HAND + known.sizes[other]):
            known.masks[where] &= left
            if known.masks[where] == _ZERO:
                known.masks[where] = by_hints(known, where)  # somebody broke the convention


@inline
def tell_types(known: HatKnowledge, seat: int, types: int, touched: int) -> None:
    """What a hint says by itself: the cards it touches have one of these types, the others don't."""
    for slot in range(known.sizes[seat]):
        where = seat * MAX_HAND + slot
        said = types if (touched >> slot) & 1 else ~types
        known.masks[where] = narrowed(known, where, said)
        known.told[where] &= said


def locate_cards(known: HatKnowledge) -> None:
    """Types whose copies are all known to be in hands leave the masks of all other cards, until nothing changes."""
    changed = True
    while changed:
        changed = False
        ones, twos = known.ones, known.twos
        for seat in range(known.players):
            ones, twos = without_known(known, known.masks, seat, ones, twos)
        for seat in range(known.players):
            changed = keep_types(known, known.masks, seat, ones | twos) or changed


@inline
def without_known(known: HatKnowledge, masks: HandMasks, seat: int, ones: int, twos: int) -> tuple[int, int]:
    """Copies, counted as in `CardSets`, without the cards of a hand that are known."""
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        if is_single(masks[where]):
            ones, twos = one_fewer(ones, twos, masks[where])
    return ones, twos


@inline
def keep_types(known: HatKnowledge, masks: HandMasks, seat: int, types: int) -> bool:
    """The cards of a hand that are not known have one of these types; whether one is known by that."""
    found = False
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        mask = masks[where]
        if not is_single(mask) and mask & types != _ZERO:
            masks[where] = mask & types
            found = found or is_single(mask & types)
    return found


# -- masks --

FIRST_OF_COLOURS = Word(sum(1 << card for card in range(0, CARD_TYPES, MAX_RANKS)))
EVERY_RANK = Word((1 << MAX_RANKS) - 1)


@inline
def colours_of(types: int) -> int:
    """The colours of some types, as the first type of each."""
    pairs = types | types >> word(1)
    return (pairs | pairs >> word(2) | types >> word(4)) & FIRST_OF_COLOURS


@inline
def ranks_of(types: int) -> int:
    """The ranks of some types, a bit for each."""
    return (types | types >> word(5) | types >> word(10) | types >> word(15) | types >> word(20)) & EVERY_RANK
