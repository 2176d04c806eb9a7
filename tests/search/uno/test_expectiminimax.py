"""Expectiminimax: the closed forms, the search through the engine and a plain reference agree to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from kibitz.bots import parameters
from kibitz.bots.uno.expectiminimax import expectiminimax
from kibitz.core.layouts import blank
from kibitz.core.seeds import scramble
from kibitz.games.uno import engine
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.view import View
from kibitz.policies.valuation import SCORE
from kibitz.search.uno.belief import Belief
from kibitz.search.uno.expectiminimax.general import NO_ACTION, evaluate, next_action, set_levels
from kibitz.search.uno.expectiminimax.number_cards import answered_by, is_plain_table
from kibitz.search.uno.expectiminimax.root import lose_copies, value_in, without_copies
from kibitz.search.uno.expectiminimax.workspace import AGAINST, SELFISH, ExpectiminimaxSearch, state_of
from kibitz.search.uno.layout import lay_out
from kibitz.search.uno.worlds import Hidden, World, prepare, sample_world

from .expectiminimax_reference import fits, value_of_play
from .following import Followed, followed_positions

NUMBERS = "numbers,hand_size=4"


def decisions(rules: str, players: int, seeds: range) -> Iterator[tuple[View, Belief, int]]:
    """Positions with a choice, and a seed of their own."""
    for seed in seeds:
        followed = Followed(parse_rules(rules), players, seed)
        for state in followed_positions(followed, Random(seed), 0.8):
            if not engine.is_over(state) and len(engine.legal_actions(state)) > 1:
                seat = state.current
                yield followed.view(seat), followed.beliefs[seat], 1000 * seed + state.turn


def searching(view: View, depth: int, draws: int, others: int = AGAINST) -> ExpectiminimaxSearch:
    search = blank(ExpectiminimaxSearch)
    search.searcher, search.first_turn = view.seat, view.turn
    search.depth, search.draws, search.others = depth, draws, others
    set_levels(search)
    state_of(search, 0).max_turns = 2**31 - 1
    return search


def some_world(view: View, belief: Belief, seed: int) -> World:
    hidden, world = blank(Hidden), blank(World)
    prepare(view, belief, hidden)
    sample_world(view, belief, hidden, scramble(seed), world)
    return world


def by_engine(view: View, search: ExpectiminimaxSearch, world: World, key: int, action: int) -> float:
    lay_out(view, world, key, state_of(search, 0))
    if search.lost_copies:
        lose_copies(search, state_of(search, 0))
    return evaluate(search, action, key)


# -- three searches, one value --


@pytest.mark.parametrize(("depth", "seeds"), [(1, 12), (2, 12), (3, 12), (4, 4), (5, 2)])
def test_all_searches_agree_on_number_cards(depth: int, seeds: int) -> None:
    compared = 0
    for view, belief, seed in decisions(NUMBERS, 2, range(seeds)):
        if not is_plain_table(view, depth):
            continue
        world, key = some_world(view, belief, seed), scramble(seed + 1)
        draws = 1 + seed % 6
        planes = [(world.hands0[seat], world.hands1[seat], world.hands2[seat]) for seat in (view.seat, 1 - view.seat)]
        planes.append((world.pile0, world.pile1, world.pile2))
        search = searching(view, depth, draws)
        for action in engine_actions(view):
            exact = value_of_play(planes, action, depth, draws, key)
            assert value_in(view, search, world, key, action, True, True) == exact
            assert by_engine(view, search, world, key, action) == exact
            compared += 1
    assert compared > 20


def engine_actions(view: View) -> list[int]:
    found, action = [], next_action(view, NO_ACTION)
    while action != NO_ACTION:
        found.append(action)
        action = next_action(view, action)
    return found


def test_the_slip_about_lost_copies_is_the_same_in_both_searches() -> None:
    compared = changed = 0
    for view, belief, seed in decisions(NUMBERS, 2, range(25)):
        if not is_plain_table(view, 3):
            continue
        world, key = some_world(view, belief, seed), scramble(seed + 2)
        search = searching(view, 3, 4)
        for action in engine_actions(view):
            right = by_engine(view, search, world, key, action)
            search.lost_copies = 1
            slip = value_in(view, search, world, key, action, True, True)
            assert slip == by_engine(view, search, world, key, action)
            search.lost_copies = 0
            compared += 1
            changed += slip != right
    assert compared > 100
    assert changed > 2


def test_lost_copies_are_all_copies_but_never_the_whole_pile() -> None:
    pile = (0b0111, 0b0011, 0)  # three copies each of types 0 and 1, one of type 2
    assert without_copies(pile, 0b0010, 3) == (0b0101, 0b0001, 0)
    assert without_copies(pile, 0b0011, 1) == pile


@pytest.mark.parametrize("rules", ["numbers,hand_size=4", "classic,hand_size=3", "official,hand_size=3,stacking=progressive"])
def test_between_two_players_selfish_play_is_play_against_each_other(rules: str) -> None:
    compared = 0
    for view, belief, seed in decisions(rules, 2, range(20)):
        world, key = some_world(view, belief, seed), scramble(seed)
        for action in engine_actions(view):
            values = [by_engine(view, searching(view, 2, 2, others), world, key, action) for others in (AGAINST, SELFISH)]
            assert values[0] == pytest.approx(values[1], abs=1e-9)
            compared += 1
        if compared > 25:
            return
    raise AssertionError("too few positions")


def test_among_three_players_others_who_play_for_themselves_are_less_to_fear() -> None:
    """Against is a lower bound of what the searcher gets: every opponent could play like that."""
    differ = 0
    for view, belief, seed in decisions("classic,hand_size=3", 3, range(4)):
        world, key = some_world(view, belief, seed), scramble(seed)
        action = engine_actions(view)[0]
        against, selfish = (by_engine(view, searching(view, 2, 2, others), world, key, action) for others in (AGAINST, SELFISH))
        assert against <= selfish + 1e-9
        differ += against < selfish
    assert differ > 5


# -- parts --


def test_the_cards_a_hand_can_answer() -> None:
    random = Random(1)
    numbers = [card for card in range(52) if card % 13 < 10]
    for _ in range(300):
        hand = random.choices(numbers, k=random.randrange(1, 6))
        mask = answered_by(sum(1 << card for card in set(hand)))
        for top in numbers:
            assert (mask >> top & 1) == any(fits(card, top) for card in hand)


@pytest.mark.parametrize("rules", ["classic", "official,stacking=progressive,seven_zero=on,jump_in=on", "davies", "hearn", "numbers"])
def test_next_action_lists_what_is_legal(rules: str) -> None:
    for seed in range(4):
        followed = Followed(parse_rules(rules), 2 + seed, seed)
        for state in followed_positions(followed, Random(seed), 0.5):
            if not engine.is_over(state):
                assert engine_actions(engine.as_view(state)) == engine.legal_actions(state)


def test_draws_are_different_cards_of_the_pile() -> None:
    """With as many draws as the pile has cards, a draw is worth the mean over all of them."""
    for view, belief, seed in decisions("numbers,deck=r1*2/r2*2/r3/g1*2/g2*2/g3/b4/y5,hand_size=2", 2, range(40)):
        if view.pile_size < 4:
            continue
        world = some_world(view, belief, seed)
        found = set()
        for key in range(3):
            search = searching(view, 3, 60)
            found.add(round(by_engine(view, search, world, scramble(key), engine_actions(view)[0]), 9))
        assert len(found) == 1


# -- the bot --


def values_of(**changes: object) -> object:
    chosen = {**expectiminimax.presets[""], **changes}
    return parameters.plain(expectiminimax.parameters, chosen)  # type: ignore[arg-type]  # values of any kind


def test_the_table_lists_every_action_with_its_error() -> None:
    for view, belief, _ in decisions("numbers", 2, range(3)):
        search = blank(ExpectiminimaxSearch)
        chosen = expectiminimax(view, belief, values_of(samples=8), search)
        listed = search.listed_actions[: search.listed]
        assert listed == engine_actions(view)
        assert search.unit == SCORE
        assert search.visits[: search.listed] == [8] * len(listed)
        assert all(error >= 0 for error in search.errors[: search.listed])
        assert search.values[listed.index(chosen)] == max(search.values[: search.listed])


def test_one_action_needs_no_search() -> None:
    followed = Followed(parse_rules("numbers"), 2, 1)
    for state in followed_positions(followed, Random(1)):
        legal = [] if engine.is_over(state) else engine.legal_actions(state)
        if len(legal) == 1:
            view, search = followed.view(state.current), blank(ExpectiminimaxSearch)
            before = view.random_stream
            assert expectiminimax(view, followed.beliefs[state.current], values_of(), search) == legal[0]
            assert search.listed == 0
            assert view.random_stream == before
            return
    raise AssertionError("no position was found")


def test_common_worlds_tell_equal_actions_apart_less() -> None:
    """Two copies of a plan: in common worlds the values of both actions move together, in worlds of their own they do not."""
    spreads = []
    for common in (False, True):
        gaps = []
        for view, belief, seed in decisions("numbers", 2, range(6)):
            for repeat in range(4):
                view.random_stream = scramble(10 * seed + repeat)
                search = blank(ExpectiminimaxSearch)
                expectiminimax(view, belief, values_of(samples=10, depth=1, common=common), search)
                gaps.append(search.values[0] - search.values[1])
        mean = [sum(gaps[i : i + 4]) / 4 for i in range(0, len(gaps), 4)]
        spreads.append(sum((gap - mean[place // 4]) ** 2 for place, gap in enumerate(gaps)))
    assert spreads[1] < spreads[0]


def test_more_players_than_levels_end_by_themselves() -> None:
    """Ten players with every window open: a path ends after a few decisions, and the search with it."""
    for view, belief, _ in decisions("official,stacking=progressive,seven_zero=on,jump_in=on,hand_size=2", 10, range(2)):
        if view.phase and len(engine_actions(view)) > 1:
            assert expectiminimax(view, belief, values_of(samples=1, depth=1, draw_samples=1), blank(ExpectiminimaxSearch)) >= 0
            return
    raise AssertionError("no position was found")
