"""Hands for cards and rules that `positions` does not know."""

from __future__ import annotations

from collections import Counter

from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.names import card_from_name

from .positions import Player, counts_by_type


def hold(player: Player, hand: str, playable: str) -> None:
    """Give a player another hand, oldest card first, and say what of it may be played."""
    view, cards = player.view, hand.split()
    view.hand0, view.hand1, view.hand2 = planes_from(counts_by_type(Counter(cards)))
    view.order[: len(cards)] = [card_from_name(card) for card in cards]
    view.sizes[view.seat] = len(cards)
    view.playable_types = sum(1 << card_from_name(card) for card in playable.split())
