"""Worlds: sampled as often as they are likely, laid out as the states they stand for, alike compiled and as plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from scipy.stats import chi2

from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank, copy_record, fields_of
from kibitz.core.seeds import scramble
from kibitz.games.uno import engine
from kibitz.games.uno.cards import MAX_PLAYERS, WILD_DRAW_FOUR
from kibitz.games.uno.counts import add_to_planes, cards_from
from kibitz.games.uno.definition import CLASSIC_UNO
from kibitz.games.uno.notation import to_text
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import COLOUR, JUMPING_IN, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from kibitz.search.uno.layout import copy_state, lay_out
from kibitz.search.uno.worlds import (
    CANNOT_ADD_UP,
    FINE,
    Hidden,
    World,
    check_view,
    prepare,
    sample_world,
    search_stream,
    world_weight,
)
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules
from tests.search.uno.enumeration import Hands
from tests.search.uno.follower import follower
from tests.search.uno.following import Followed, followed_positions
from tests.search.uno.tiny_games import EXACT_RULES, Position, tiny_positions

SAMPLES = 4000
FALSE_ALARMS = 1e-6  # how often each chi-square test would fail with fresh seeds though all is well


# -- sampling --


def sampled_hands(position: Position, samples: int) -> Counter[Hands]:
    hidden, world = blank(Hidden), blank(World)
    assert prepare(position.view, position.belief, hidden) == FINE
    stream, found = scramble(samples), Counter[Hands]()
    for _ in range(samples):
        stream = sample_world(position.view, position.belief, hidden, stream, world)
        found[tuple(tuple(cards_from((world.hands0[seat], world.hands1[seat], world.hands2[seat]))) for seat in position.exact.seats)] += 1
    assert hidden.given_up == 0
    return found


def chi_square_chance(found: Counter[Hands], exact: dict[Hands, float]) -> float:
    """The chance of a chi-square statistic at least this large; hands expected fewer than five times are counted as one."""
    samples = sum(found.values())
    cells = [(found[hands], samples * chance) for hands, chance in exact.items() if samples * chance >= 5]
    rest = samples - sum(expected for _, expected in cells)
    if rest >= 5:
        cells.append((samples - sum(count for count, _ in cells), rest))
    statistic = sum((count - expected) ** 2 / expected for count, expected in cells)
    return float(chi2.sf(statistic, len(cells) - 1))


@pytest.mark.parametrize("name", EXACT_RULES)
@pytest.mark.parametrize(("players", "hand_size", "draws"), [(2, 3, 2), (3, 2, 2)])
def test_worlds_come_as_often_as_brute_force_says(name: str, players: int, hand_size: int, draws: int) -> None:
    """4,000 samples at each of two positions where opponents have drawn on several top cards; false alarms 1e-6 each."""
    tested = 0
    for seed in range(100):
        for position in tiny_positions(EXACT_RULES[name], players, hand_size, seed):
            if position.draws < draws - (name in ("penalties", "draw until playable")):
                continue
            exact = position.exact.distribution()
            if len(exact) < 6 or sum(chance * SAMPLES >= 5 for chance in exact.values()) < 3:
                continue
            found = sampled_hands(position, SAMPLES)
            assert set(found) <= set(exact), f"seed {seed}: a world that is impossible"
            assert chi_square_chance(found, exact) > FALSE_ALARMS, f"seed {seed}"
            tested += 1
            break
        if tested == 2:
            return
    raise AssertionError("no position was found")


def test_the_prior_is_uniform_over_arrangements() -> None:
    """20,000 samples of a hand of two out of six hidden cards, two of them alike; false alarms 1e-6."""
    followed = Followed(parse_rules("classic,deck=r1*3/g2*2/b3/y4/r5/g6,hand_size=2,opening=none"), 2, 3)
    view, belief, hidden, world = followed.view(0), followed.beliefs[0], blank(Hidden), blank(World)
    assert prepare(view, belief, hidden) == FINE
    cards = cards_from((hidden.low, hidden.middle, hidden.high))
    exact: dict[Hands, float] = defaultdict(float)
    for first in range(len(cards)):
        for second in range(first + 1, len(cards)):
            exact[((cards[first], cards[second]),)] += 2 / (len(cards) * (len(cards) - 1))
    stream, found = scramble(1), Counter[Hands]()
    for _ in range(20_000):
        stream = sample_world(view, belief, hidden, stream, world)
        found[(tuple(cards_from((world.hands0[1], world.hands1[1], world.hands2[1]))),)] += 1
    assert set(found) == set(exact)
    assert chi_square_chance(found, exact) > FALSE_ALARMS


# -- views that contradict themselves --


def some_view() -> View:
    return Followed(parse_rules("classic"), 3, 5).view(0)


def test_a_hand_with_too_many_copies_is_refused() -> None:
    view = some_view()
    for _ in range(3):
        view.hand0, view.hand1, view.hand2 = add_to_planes(view.hand0, view.hand1, view.hand2, 1)
        view.sizes[0] += 1
    with pytest.raises(BadValue, match=r"view: r0 is seen \d times more often than the deck has it\."):
        check_view(view)


def test_sizes_that_do_not_add_up_are_refused() -> None:
    view = some_view()
    view.pile_size -= 1
    with pytest.raises(BadValue, match=r"cannot add up: other hands have 14 cards, the draw pile \d+, .*the deck has 108\."):
        check_view(view)


def test_compiled_code_is_told_by_a_status() -> None:
    followed = Followed(parse_rules("classic"), 2, 5)
    view = followed.view(0)
    view.sizes[1] += 1
    assert prepare(view, followed.beliefs[0], blank(Hidden)) == CANNOT_ADD_UP


def test_a_view_that_adds_up_is_accepted() -> None:
    check_view(some_view())


# -- states --


def prepared_state(rules: Rules) -> State:
    """A state that knows what views do not tell."""
    state = blank(State)
    state.max_turns, state.refill_late, state.initial_hand = rules.max_turns, rules.code("refill"), rules.hand_size
    return state


def text_as_known_to(state: State, rules: Rules, viewer: int) -> str:
    """The position without what others know of hands, the pile in order."""
    twin = copy_record(state)
    for name in ("knowledge0", "knowledge1", "knowledge2"):
        planes = getattr(twin, name)
        setattr(twin, name, [plane if place // MAX_PLAYERS == viewer else 0 for place, plane in enumerate(planes)])
    twin.pile[: twin.pile_size] = sorted(twin.pile[: twin.pile_size])
    return to_text(twin, rules)


def assert_same_view(found: View, expected: View) -> None:
    for field in fields_of(View):
        if field.name != "random_stream":
            assert getattr(found, field.name) == getattr(expected, field.name), field.name


def play_to_the_end(state: State, random: Random) -> None:
    while not engine.is_over(state):
        engine.apply(state, random.choice(engine.legal_actions(state)))
        state.event_count = 0
        size = state.pile_size + state.discard_size + 1 + sum(state.sizes[: state.players])
        assert size == state.deck_size


def is_hidden_window(state: State, seat: int, grown: int) -> bool:
    """Whether a view cannot tell the position: somebody else may jump in, or guilt was decided before a player was caught."""
    return (state.phase == JUMPING_IN and state.current != seat) or (state.phase > COLOUR and state.top == WILD_DRAW_FOUR and grown != 0)


@pytest.mark.parametrize("chunk", range(6))
def test_the_true_world_laid_out_is_the_position_and_others_look_the_same(chunk: int) -> None:
    random = Random(f"worlds {chunk}")
    for index in range(60):
        rules = random_rules(random)
        players = random_players(random, rules)
        followed = Followed(rules, players, random.getrandbits(32))
        for state in followed_positions(followed, random, random.random()):
            if engine.is_over(state) or random.random() < 0.7:
                continue
            seat = random.randrange(players)
            view, belief, hidden, world = followed.view(seat), followed.beliefs[seat], blank(Hidden), blank(World)
            assert prepare(view, belief, hidden) == FINE
            sample_world(view, belief, hidden, scramble(index), world)
            assert world.relaxed or world_weight(view, belief, world) > 0
            for cards in (followed.true_world(seat), world):
                laid = prepared_state(rules)
                lay_out(view, cards, scramble(index), laid)
                if cards is not world and not is_hidden_window(state, seat, belief.grown):
                    assert text_as_known_to(laid, rules, seat) == text_as_known_to(state, rules, seat)
                assert set(laid.seat_streams[:players]).isdisjoint([*state.seat_streams[:players], state.deal_stream])
                engine.show(laid, seat)
                assert_same_view(engine.as_view(laid), view)
                engine.show_actor(laid)
                play_to_the_end(laid, random)


def test_the_shorter_engine_goes_on_from_a_state_laid_out() -> None:
    followed = Followed(parse_rules("classic"), 3, 8)
    view, hidden, world, state = followed.view(0), blank(Hidden), blank(World), blank(State)
    assert prepare(view, followed.beliefs[0], hidden) == FINE
    stream = search_stream(view)
    sample_world(view, followed.beliefs[0], hidden, stream, world)
    lay_out(view, world, stream, state)
    random, verbs = Random(4), CLASSIC_UNO.verbs
    while not verbs["is_over"](state):
        verbs["apply"](state, random.choice(engine.legal_actions(state)))
    assert state.winner < 3


def test_a_copy_goes_on_like_the_original() -> None:
    """Into a state that was used for other games before."""
    random, copied = Random(11), blank(State)
    for _ in range(150):
        rules = random_rules(random)
        state = new_state(rules, random_players(random, rules))
        state.ordered = [random.randrange(3) for _ in range(MAX_PLAYERS)]
        state.any_ordered = max(state.ordered[: state.players])
        engine.deal(state, random.getrandbits(64))
        for _ in range(random.randrange(20)):
            if not engine.is_over(state):
                engine.apply(state, random.choice(engine.legal_actions(state)))
        copy_state(state, copied)
        choices = Random(1)
        assert to_text(copied, rules) == to_text(state, rules)
        while not engine.is_over(state):
            action = choices.choice(engine.legal_actions(state))
            for each in (state, copied):
                engine.apply(each, action)
                each.event_count = 0
            assert to_text(copied, rules) == to_text(state, rules)
            players = range(state.players)
            assert_same_places(copied, state, players)


def assert_same_places(copied: State, state: State, players: range) -> None:
    """Fields of seats that play; what lies behind the end of a pile means nothing."""
    loose = {"discard", "pile", "orders", "events", "shuffled"}
    for field in fields_of(State):
        if field.name in loose:
            continue
        found, expected = getattr(copied, field.name), getattr(state, field.name)
        if field.length == MAX_PLAYERS:
            found, expected = [found[seat] for seat in players], [expected[seat] for seat in players]
        elif field.length == MAX_PLAYERS**2:
            pairs = [viewer * MAX_PLAYERS + seat for viewer in players for seat in players]
            found, expected = [found[place] for place in pairs], [expected[place] for place in pairs]
        assert found == expected, field.name


# -- compiled --


@pytest.mark.parametrize(
    ("rules", "players"),
    [("classic", 2), ("numbers", 2), ("numbers", 3), ("official,stacking=progressive,seven_zero=on,jump_in=on", 4), ("hearn", 10)],
)
def test_compiled_and_plain_searches_play_the_same_games(rules: str, players: int) -> None:
    lineup = make_lineup([follower, *["random"] * (players - 1)], rules=rules)
    assert play_compiled(lineup, 3, Unit(0, 6)).tolist() == play_plain(lineup, 3, Unit(0, 6)).tolist()
