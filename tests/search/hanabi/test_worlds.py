"""Worlds in Hanabi: they agree with the view in all it shows, and each is as likely as it should be."""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations
from random import Random

import pytest

from kibitz.core.layouts import blank, fields_of
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOUR_OF, HAND_CARDS, MAX_HAND, MAX_PLAYERS, RANK_OF
from kibitz.games.hanabi.names import card_name
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View
from kibitz.search.hanabi import worlds
from kibitz.search.hanabi.worlds import CANNOT_ADD_UP, FINE, Unseen, copy_state, deal_unseen, find_unseen, lay_table
from tests.games.hanabi.positions import position
from tests.search.hanabi.games import TABLES, TINY, random_games, view_of_actor


def prepared(view: View) -> tuple[Unseen, State]:
    unseen, state = blank(Unseen), blank(State)
    assert find_unseen(view, unseen) == FINE
    lay_table(view, state)
    return unseen, state


def sampled(view: View, count: int, seed: int) -> Counter[tuple[int, ...]]:
    """How often each own hand, followed by the next card of the deck, comes in so many worlds."""
    unseen, state = prepared(view)
    position, found = seed, Counter[tuple[int, ...]]()
    first = view.seat * MAX_HAND
    for _ in range(count):
        position, possible = deal_unseen(view, unseen, position, state)
        assert possible
        found[(*state.hands[first : first + view.sizes[view.seat]], *state.deck_order[state.drawn : state.drawn + 1])] += 1
    return found


def enumerated(view: View) -> Counter[tuple[int, ...]]:
    """In how many ways the unseen cards, each one for itself, make each own hand and next card of the deck."""
    cards = [card for card in range(25) for _ in range(view.unseen(card))]
    size = view.sizes[view.seat]
    ways = Counter[tuple[int, ...]]()
    for chosen in permutations(cards, size + min(view.deck_size, 1)):
        masks = [(view.colour_mask(view.seat, slot), view.rank_mask(view.seat, slot)) for slot in range(size)]
        if all(
            colours >> COLOUR_OF[card] & 1 and ranks >> RANK_OF[card] & 1 for card, (colours, ranks) in zip(chosen, masks, strict=False)
        ):
            ways[chosen] += 1
    return ways


@pytest.mark.parametrize(("skip", "seed"), [(3, 1), (9, 2), (14, 3), (20, 4)])
def test_worlds_come_as_often_as_all_that_are_possible_say(skip: int, seed: int) -> None:
    """Chi-square over all hands and next cards of a small deck, 20,000 worlds: below its mean by so many deviations once in 10^5."""
    view = view_of_actor(next(islice(random_games(TINY, 2, seed), skip, None)))
    ways, found = enumerated(view), sampled(view, 20_000, seed)
    assert set(found) <= set(ways)
    total = sum(ways.values())
    square = sum((found[cards] - 20_000 * count / total) ** 2 / (20_000 * count / total) for cards, count in ways.items())
    freedom = len(ways) - 1
    assert square <= freedom + 5.5 * (2 * freedom) ** 0.5 + 10


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_world_shows_the_viewer_what_it_sees(rules: str, players: int) -> None:
    for number, state in enumerate(islice(random_games(rules, players, 7), 0, 160, 7)):
        view = view_of_actor(state)
        unseen, laid = prepared(view)
        _, possible = deal_unseen(view, unseen, number, laid)
        assert possible
        engine.show_actor(laid)
        for field in fields_of(View):
            shown, seen = getattr(laid, field.name), getattr(view, field.name)
            if field.length in (HAND_CARDS, MAX_PLAYERS) and field.name not in ("fireworks", "discards", "deck"):
                end = players * field.length // MAX_PLAYERS  # nobody sits in the other seats
                shown, seen = shown[:end], seen[:end]
            assert shown == seen or field.name == "random_stream", field.name
        assert laid.deck_total == state.deck_total and laid.drawn == state.drawn
        on_table = sum(laid.discards) + laid.score
        held = [card for seat in range(players) for card in laid.hands[seat * MAX_HAND :][: laid.sizes[seat]]]
        everything = Counter(held + laid.deck_order[laid.drawn : laid.deck_total])
        for card in range(25):
            everything[card] += laid.discards[card] + (RANK_OF[card] < laid.fireworks[COLOUR_OF[card]])
        assert len(held) + state.deck_size + on_table == state.deck_total
        assert +everything == +Counter(state.full_deck[: state.deck_total])
        first = view.seat * MAX_HAND
        for where in range(first, first + view.sizes[view.seat]):
            card = laid.hands[where]
            assert view.colour_masks[where] >> COLOUR_OF[card] & 1 and view.rank_masks[where] >> RANK_OF[card] & 1


def test_a_copy_plays_on_as_the_world_itself() -> None:
    random = Random(5)
    for state in islice(random_games("standard", 3, 11), 0, 200, 20):
        view = view_of_actor(state)
        unseen, laid = prepared(view)
        deal_unseen(view, unseen, 77, laid)
        engine.show_actor(laid)
        copy = blank(State)
        copy_state(laid, copy)
        while not engine.is_over(laid):
            move = random.choice(engine.legal_actions(laid))
            engine.apply(laid, move)
            engine.apply(copy, move)
        assert engine.is_over(copy) and (copy.score, copy.status, copy.turn) == (laid.score, laid.status, laid.turn)


def test_five_slots_that_fit_together_in_one_way_only_are_filled_so() -> None:
    """The first card is R1, the second R1 or R2, and so on: one hand in 120 of those that are tried."""
    gone = ".".join(f"R{rank}" for rank in (1, 1, 2, 3, 4))
    hands = "R1:R!:1!.R2:R!:12.R3:R!:123.R4:R!:1234.R5:R!:12345|Y1.Y1.Y1.Y2.Y2"
    view = view_of_actor(position(hands, discard=gone, tokens=4))
    found = sampled(view, 200, 3)
    assert {tuple(card_name(card) for card in cards[:5]) for cards in found} == {("R1", "R2", "R3", "R4", "R5")}


def test_views_that_contradict_themselves_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of_actor(next(random_games("standard", 2, 1)))
    view.discards[0] += 1
    assert find_unseen(view, blank(Unseen)) == CANNOT_ADD_UP
    view.discards[0] += 4
    assert find_unseen(view, blank(Unseen)) == CANNOT_ADD_UP
    view = view_of_actor(next(random_games("standard", 2, 1)))
    view.rank_masks[0] = 0
    assert find_unseen(view, blank(Unseen)) == CANNOT_ADD_UP
    view = view_of_actor(next(random_games("standard", 2, 1)))
    view.colour_masks[0] = view.colour_masks[1] = 1
    view.rank_masks[0] = view.rank_masks[1] = 16  # both are the only red 5
    unseen, state = prepared(view)
    monkeypatch.setattr(worlds, "TRIES", 100)
    assert deal_unseen(view, unseen, 1, state)[1] is False
