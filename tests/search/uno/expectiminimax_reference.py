"""Expectiminimax once more, as plainly as possible: lists of cards, no cut-off, no closed form, for number cards and two players."""

from __future__ import annotations

from kibitz.core.seeds import stream
from kibitz.games.uno.cards import DRAW, VALUES
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.search.uno.worlds import pick_card


def fits(card: int, top: int) -> bool:
    return card // VALUES == top // VALUES or card % VALUES == top % VALUES


def without(cards: list[int], card: int) -> list[int]:
    left = list(cards)
    left.remove(card)
    return left


def different_cards(pile: list[int], count: int, key: int) -> list[int]:
    """Some cards of the pile, drawn without putting back, in the order in which a stream picks them."""
    left, position, drawn = list(pile), key, []
    for _ in range(min(count, len(pile))):
        counts = [0] * 56
        for card in left:
            counts[card] += 1
        position, card = pick_card(*planes_from(counts), position)
        left.remove(card)
        drawn.append(card)
    return drawn


def reward(mine: list[int], theirs: list[int]) -> float:
    if not mine:
        return 100.0
    if not theirs:
        return -100.0
    return float(len(theirs) - len(mine))


def value(mine: list[int], theirs: list[int], pile: list[int], top: int, depth: int, my_turn: bool, draws: int, key: int) -> float:
    """V(s, d, p) of the write-up, to the searcher."""
    if depth == 0 or not mine or not theirs:
        return reward(mine, theirs)
    hand = mine if my_turn else theirs
    found = []
    for card in sorted({card for card in hand if fits(card, top)}):
        kept = without(hand, card)
        hands = (kept, theirs) if my_turn else (mine, kept)
        found.append(value(*hands, pile, card, depth - 1, not my_turn, draws, stream(key, 64 * card)))
    if not found:
        total = 0.0
        drawn = different_cards(pile, draws, key)
        for sample, card in enumerate(drawn):
            hands = ([*mine, card], theirs) if my_turn else (mine, [*theirs, card])
            total += value(*hands, without(pile, card), top, depth - 1, not my_turn, draws, stream(key, 64 * DRAW + sample))
        return total / len(drawn)
    return max(found) if my_turn else min(found)


def value_of_play(planes: list[tuple[int, int, int]], card: int, depth: int, draws: int, key: int) -> float:
    """V(T(s, card), d, opponent); `planes` are the searcher's hand, the opponent's and the pile before the play."""
    mine, theirs, pile = (cards_from(part) for part in planes)
    return value(without(mine, card), theirs, pile, card, depth, False, draws, stream(key, 64 * card))
