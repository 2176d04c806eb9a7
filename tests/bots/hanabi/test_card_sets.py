"""Sets of card types, followed card by card, against what the view says of each type."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.layouts import blank, equal
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, MAX_HAND, PLAY, RANK_OF
from kibitz.policies.hanabi.card_sets import CardSets, begin_sets, copies_left, is_single, remove_card, type_bit


@pytest.mark.parametrize(("players", "rules"), [(2, "standard"), (5, "standard"), (3, "standard,colours=3,ranks=4")])
def test_sets_are_those_of_the_view_all_game_long(players: int, rules: str) -> None:
    followed = blank(CardSets)
    game = kibitz.Game(players, game="hanabi", rules=rules, seed=5)
    begin_sets(game.view(), followed)
    last_seen = 0
    step = 0
    while not game.is_over:
        view, legal = game.view(), game.legal_actions()
        hand = game.state.hands[view.seat * MAX_HAND : view.seat * MAX_HAND + view.size(view.seat)]
        fitting = [view.play(slot) for slot, card in enumerate(hand) if view.is_playable(card)]
        others = [move for move in legal if view.move_kind(move) != PLAY or step == 9]  # one misfire
        step += 1
        game.apply(fitting[0] if fitting and step % 3 else others[step * 7 % len(others)])
        view = game.view()
        if view.last_card < CARD_TYPES:
            remove_card(followed, view.last_card, view.last_success == 1)
        found = blank(CardSets)
        begin_sets(view, found)
        assert equal(found, followed)
        for card in range(CARD_TYPES):
            left = view.deck[card] - view.discards[card] - (RANK_OF[card] < view.fireworks[COLOUR_OF[card]])
            bit = type_bit(card)
            assert copies_left(found, bit) == left
            assert bool(found.dead & bit) == view.is_dead(card)
            assert bool(found.playable & bit) == (view.is_playable(card) and left > 0)
            assert bool(found.last & bit) == (left == 1 and not view.is_dead(card))
            last_seen += bool(found.last & bit)
    assert last_seen


def test_a_single_type() -> None:
    assert is_single(type_bit(24)) and not is_single(0) and not is_single(0b101)
