"""What must hold at every position of every game under any house rules, tried at many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.layouts import copy_record, equal
from kibitz.core.seeds import game_key
from kibitz.games.contract import GameDefinition
from kibitz.games.uno import engine
from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, MAX_CARDS, MAX_PLAYERS, NO_CARD
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.games.uno.definition import CLASSIC_UNO, GAME
from kibitz.games.uno.hands import learn_hand
from kibitz.games.uno.notation import hand_in_order
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.turns import start_turn
from kibitz.games.uno.view import CUT_OFF, DRAWN, JUMPING_IN, PHASE_NAMES, STUCK, View
from kibitz.play.game import Game
from kibitz.play.lineup import Lineup, make_lineup
from tests.bots.fingerprint import PythonFingerprint, fingerprint, fingerprint_oldest
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules
from tests.games.uno.test_notation import said
from tests.play.endings import compiled_ending, fields, mixed_ending, plain_ending


class Setup(NamedTuple):
    """A game to be played at random for a number of actions."""

    rules: Rules
    players: int
    seed: int
    steps: int
    ordered: list[int]  # how the order of each hand is kept

    def __repr__(self) -> str:
        return f"<{self.rules.to_text()}, {self.players} players, seed {self.seed}, {self.steps} actions, ordered {self.ordered}>"


def random_setup(random: Random, steps: int) -> Setup:
    rules = random_rules(random)
    ordered = [random.randrange(3) for _ in range(MAX_PLAYERS)]
    return Setup(rules, random_players(random, rules), random.getrandbits(64), steps, ordered)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    return random_setup(Random(draw(st.integers(0, 2**32 - 1))), draw(st.integers(0, 80)))


def dealt(setup: Setup) -> State:
    state = new_state(setup.rules, setup.players)
    state.ordered = setup.ordered[:]
    state.any_ordered = max(setup.ordered[: setup.players])
    engine.deal(state, game_key(setup.seed, 0))
    return state


def positions(setup: Setup, steps: int | None = None) -> Iterator[State]:
    """The state at every decision and at the end, the same object each time."""
    state = dealt(setup)
    random = Random(setup.seed)
    yield state
    for _ in range(setup.steps if steps is None else steps):
        if engine.is_over(state):
            return
        engine.apply(state, random.choice(engine.legal_actions(state)))
        yield state


def some_position(setup: Setup) -> State:
    state = dealt(setup)
    for position in positions(setup):
        state = position
    return state


def view_of(state: State, seat: int) -> View:
    engine.show(state, seat)
    view: View = engine.as_view(state)
    return view


def hand_cards(state: State, seat: int) -> list[int]:
    return cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))


def known_cards(state: State, viewer: int, seat: int) -> list[int]:
    place = viewer * MAX_PLAYERS + seat
    return cards_from((state.knowledge0[place], state.knowledge1[place], state.knowledge2[place]))


# -- cards --


@given(setups())
@settings(max_examples=500)
def test_cards_are_conserved_and_hands_are_the_same_in_every_form(setup: Setup) -> None:
    deck = Counter({card: count for card, count in enumerate(setup.rules.deck) if count})
    for state in positions(setup):
        held = [hand_cards(state, seat) for seat in range(setup.players)]
        cards = [*state.pile[: state.pile_size], *state.discard[: state.discard_size], state.top]
        assert Counter([card for hand in held for card in hand] + cards) == deck
        assert list(state.sizes[: setup.players]) == [len(hand) for hand in held]
        assert [sorted(hand_in_order(state, seat)) for seat in range(setup.players)] == held


@given(setups())
@settings(max_examples=300)
def test_what_is_known_of_a_hand_is_in_it(setup: Setup) -> None:
    for state in positions(setup):
        for viewer in range(setup.players):
            assert not known_cards(state, viewer, viewer)
            for seat in range(setup.players):
                assert Counter(known_cards(state, viewer, seat)) <= Counter(hand_cards(state, seat))


# -- actions --


@given(setups())
@settings(max_examples=200)
def test_view_and_engine_agree_on_what_is_legal(setup: Setup) -> None:
    for state in positions(setup):
        legal = engine.legal_actions(state)
        assert bool(legal) != engine.is_over(state)
        if legal:
            shown = view_of(copy_record(state), state.current)
            by_view = [action for action in range(-3, ACTIONS + 4) if shown.is_legal(action)]
            assert by_view == [action for action in range(-3, ACTIONS + 4) if engine.is_legal(state, action)] == legal


@given(setups())
@settings(max_examples=150)
def test_nobody_else_may_act(setup: Setup) -> None:
    """Not even by its own view; but who has the next turn cannot tell that somebody may jump in first."""
    for state in positions(setup):
        twin = copy_record(state)
        for seat in range(setup.players):
            view = view_of(twin, seat)
            if seat != state.current and not (state.phase == JUMPING_IN and seat == state.next_seat):
                assert not any(view.is_legal(action) for action in range(ACTIONS))


@given(setups())
@settings(max_examples=500)
def test_forced_action_is_the_only_legal_one_and_a_default_is_legal(setup: Setup) -> None:
    for state in positions(setup):
        if not engine.is_over(state):
            legal, forced, default = engine.legal_actions(state), engine.forced_action(state), engine.default_action(state, 0)
            assert legal == [forced] if forced >= 0 else len(legal) > 1
            assert default in legal if state.phase > DRAWN else default == -1


@given(setups())
@settings(max_examples=300)
def test_view_says_whether_nothing_need_be_played(setup: Setup) -> None:
    for state in positions(setup):
        if not engine.is_over(state) and state.phase <= DRAWN and state.playable_types:
            view = engine.as_view(state)
            assert view.may_decline() == view.is_legal(view.decline())


def actions_in_a_turn(players: int) -> int:
    """At most: a colour, a draw, a play, a call, a catch by all others, a swap, an answer or challenge, a jump-in by all others."""
    return 6 + 2 * (players - 1)


@given(setups())
@settings(max_examples=500)
def test_a_game_ends_within_its_turns_and_says_how(setup: Setup) -> None:
    last, actions = 0, 0
    for state in positions(setup, 10**9):
        assert last <= state.turn <= setup.rules.max_turns
        actions = 1 if state.turn > last else actions + 1
        last = state.turn
        assert actions <= actions_in_a_turn(setup.players)
    assert engine.is_over(state)
    assert (state.winner == NO_CARD) == (state.status in (CUT_OFF, STUCK))
    assert state.status != CUT_OFF or state.turn == setup.rules.max_turns
    if state.status == STUCK:
        assert state.pile_size == state.discard_size == 0
        assert state.idle_players == setup.players


# -- what a seat sees --


def with_other_hidden_cards(state: State, viewer: int, random: Random) -> State:
    """The same position to the viewer's eyes: what it cannot see is dealt out again.

    Cards that it knows a player to hold stay there. What others know, who was asked to jump in, whether a Wild Draw Four
    was honest, and all random streams but its own are made up anew.
    """
    twin = copy_record(state)
    seats = [seat for seat in range(state.players) if seat != viewer]
    known = {seat: known_cards(state, viewer, seat) for seat in seats}
    pool = [*state.pile[: state.pile_size]]
    for seat in seats:
        pool += (Counter(hand_cards(state, seat)) - Counter(known[seat])).elements()
    random.shuffle(pool)
    for seat in seats:
        cards = known[seat] + [pool.pop() for _ in range(state.sizes[seat] - len(known[seat]))]
        random.shuffle(cards)
        twin.hands0[seat], twin.hands1[seat], twin.hands2[seat] = planes_from([cards.count(card) for card in range(CARD_TYPES)])
        if state.ordered[seat]:
            twin.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(cards)] = cards
        twin.seat_streams[seat] = random.getrandbits(64)
        for other in range(state.players):
            if other != seat and random.random() < 0.5:
                learn_hand(twin, seat, other)
    twin.pile[: len(pool)] = pool
    assert len(pool) == twin.pile_size
    twin.deal_stream = random.getrandbits(64)
    twin.guilty = random.randrange(2)
    if state.current != viewer and not engine.is_over(state):
        if state.phase == DRAWN:
            twin.hidden_drawn = random.choice(hand_cards(twin, state.current))
        if state.phase == JUMPING_IN:
            twin.current = twin.jumper = random.choice([seat for seat in seats if seat != state.player] or [state.current])
    return twin


def check_that_views_hide(state: State, viewer: int, random: Random) -> None:
    """A view is the same whatever is hidden from it, and whoever the state was shown to before."""
    first, second = copy_record(state), with_other_hidden_cards(state, viewer, random)
    engine.show(first, random.randrange(state.players))
    engine.show(second, second.current)
    view = view_of(first, viewer)
    assert equal(view, view_of(second, viewer))
    own_order = hand_in_order(state, viewer) if state.ordered[viewer] else []
    assert view.order == own_order + [NO_CARD] * (MAX_CARDS - len(own_order))
    assert view.random_stream == state.seat_streams[viewer]
    if viewer != state.current:
        assert view.drawn == NO_CARD


@given(setups())
@settings(max_examples=800)
def test_view_does_not_depend_on_hidden_cards(setup: Setup) -> None:
    state = some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        check_that_views_hide(state, viewer, random)


def test_view_does_not_depend_on_hidden_cards_whatever_is_asked() -> None:
    """The same at every position of 1,300 games, where every kind of decision is seen from both sides."""
    seen: Counter[tuple[str, bool]] = Counter()
    random = Random("hidden")
    for _ in range(1300):
        setup = random_setup(random, 60)
        for state in positions(setup):
            viewer = random.randrange(setup.players)
            check_that_views_hide(state, viewer, random)
            seen["over" if engine.is_over(state) else PHASE_NAMES[state.phase], viewer == state.current] += 1
    rare = {kind: seen[kind] for kind in ((name, own) for name in (*PHASE_NAMES, "over") for own in (True, False)) if seen[kind] < 10}
    assert not rare


@given(setups())
@settings(max_examples=500)
def test_whether_somebody_may_jump_in_shows_to_nobody_else(setup: Setup) -> None:
    """Wherever somebody is asked, all others see what they would see if nobody held the card."""
    setup = setup._replace(rules=replace(setup.rules, jump_in=True))
    for state in positions(setup, 60):
        if not engine.is_over(state) and state.phase == JUMPING_IN:
            without = copy_record(state)
            start_turn(without, state.next_seat)
            asked = copy_record(state)
            for seat in range(setup.players):
                if seat != state.current:
                    assert equal(view_of(asked, seat), view_of(without, seat))


@given(setups())
@settings(max_examples=200)
def test_looking_changes_nothing(setup: Setup) -> None:
    for state in positions(setup):
        engine.show_actor(state)
        before = copy_record(state)
        for seat in [*range(setup.players), 0]:
            engine.show(state, seat)
        engine.show_actor(state)
        assert equal(state, before)


@given(setups(), st.integers(0, 2**64 - 1))
@settings(max_examples=300)
def test_view_does_not_depend_on_deals_played_before(setup: Setup, earlier: int) -> None:
    """Compiled code plays one deal after another on one state; plain Python takes a new one each time."""
    fresh, used = dealt(setup), some_position(setup._replace(seed=earlier))
    engine.deal(used, game_key(setup.seed, 0))
    for seat in range(setup.players):
        assert equal(view_of(fresh, seat), view_of(used, seat))


# -- positions as text --


@given(setups())
@settings(max_examples=300)
def test_every_position_reads_back_and_goes_on_alike(setup: Setup) -> None:
    game = Game(setup.players, setup.rules, setup.seed)
    random = Random(setup.seed)
    for _ in range(setup.steps // 2):
        text = game.to_text()
        twin = Game.from_text(text)
        assert twin.to_text() == text
        assert twin.rules == game.rules
        assert twin.legal_actions() == game.legal_actions()
        if game.is_over:
            return
        assert said(twin.state) == said(game.state)
        action = random.choice(game.legal_actions())
        twin.state.deal_stream = game.state.deal_stream
        assert [vars(event) for event in game.apply(action)] == [vars(event) for event in twin.apply(action)]
        assert twin.to_text() == game.to_text()


# -- compiled and plain --

HOUSE_RULES = [
    "official,hand_size=3",
    "modern,hand_size=3,max_turns=150",
    "davies",
    "hearn",
    "numbers",
    "classic,stacking=same,max_turns=150",
    "official,stacking=progressive,seven_zero=on,jump_in=on,must_play=on,hand_size=3,max_turns=150",
    "modern,stacking=progressive,seven_zero=on,jump_in=on,drawn_card=must_play,max_turns=100",
    "classic,draw=until_playable,drawn_card=any_card,wild_draw_four=honest_only,refill=when_needed,max_turns=100",
    "classic,jump_in=on,uno_call=on,last_card_draws=off,deck=r1*6/r2*5/g1*5/rskip*3/r+2*3/rrev*3/r0*2,hand_size=2,max_turns=60",
    "classic,opening=effects_name_colour,seven_zero=on,deck=r7*3/g7*2/b0*3/r0*3/g3*3/wildshuffle*4/wild*3,hand_size=3,max_turns=60",
    "official,stacking=same,deck=r+2*3/g+2*2/b+2*2/wild+4*5/r1*2/g1*2/b3*3,hand_size=2,starter=seat_0,max_turns=60",
    "classic,wild_draw_four=last_resort,stacking=progressive,must_play=on,deck=wild*4/wild+4*6/wildshuffle*3/r1*3/r+2*3,hand_size=2,max_turns=60",
]
LINEUPS: list[list[Any]] = [
    [fingerprint, fingerprint_oldest],
    [fingerprint, "card_counting", fingerprint],
    ["mix2", "random", "score", "ashtabna"],
    ["greedy", "defensive", "diversity"],
]


@pytest.mark.parametrize("rules", HOUSE_RULES)
def test_compiled_games_are_the_plain_ones_to_the_last_field(rules: str) -> None:
    for seed, bots in enumerate(LINEUPS):
        lineup = make_lineup(bots, rules)
        assert lineup.game is GAME
        for index in range(3):
            assert compiled_ending(lineup, seed, index) == plain_ending(lineup, seed, index)


@pytest.mark.parametrize("rules", HOUSE_RULES)
def test_python_bots_play_the_games_of_compiled_ones_to_the_last_field(rules: str) -> None:
    compiled = make_lineup([fingerprint, "mix2", fingerprint], rules)
    for python in ([PythonFingerprint, "mix2", PythonFingerprint], [fingerprint, "mix2", PythonFingerprint]):
        lineup = make_lineup(python, rules)
        for index in range(2):
            ending = compiled_ending(compiled, 9, index)
            assert ending == mixed_ending(lineup, 9, index) == plain_ending(lineup, 9, index)


def test_house_rules_are_compiled_once() -> None:
    """Rules are values at run time: any of them is played by the same compiled engine."""
    assert {id(make_lineup(["random", "random"], rules).game) for rules in HOUSE_RULES} == {id(GAME)}


# -- classic games on both engines --

CLASSIC_RULES = [
    ("classic", 6),
    ("classic,hand_size=2", 10),
    ("classic,max_turns=30", 4),
    ("classic,deck=r1*2/r2*2/g1*2/g3*2/b1/b4/wild/wild+4,hand_size=2,max_turns=60", 5),
    ("classic,deck=r+2*3/g+2*2/wild+4*3/r1/g2/b+2,hand_size=2,max_turns=60", 4),
    ("classic,deck=rrev*3/grev*3/rskip*2/gskip*2/b1/y1/wildcustom,hand_size=2,max_turns=60", 2),
    ("classic,deck=r1/g2/b3/y4/r5,hand_size=1", 4),
]
# What only house rules read: the shorter engine leaves it alone.
FOR_HOUSE_RULES = {"player", "before_top", "before_colour", "emptied", "guilty", "turn_draws", "may_challenge"}


def common(state: State) -> dict[str, Any]:
    return {name: value for name, value in fields(state).items() if name not in FOR_HOUSE_RULES}


@pytest.mark.parametrize(("rules", "players"), CLASSIC_RULES)
def test_both_engines_play_classic_games_alike(rules: str, players: int) -> None:
    general, short = GAME.verbs, CLASSIC_UNO.verbs
    for index in range(6):
        states = [new_state(parse_rules(rules), players) for _ in range(2)]
        random = Random(index)
        for state, verbs in zip(states, (general, short), strict=True):
            state.observed = state.any_ordered = 1
            state.ordered = [1, 2, 0] * 3 + [1]
            verbs["deal"](state, game_key(31, index))
        while True:
            assert common(states[0]) == common(states[1])
            assert general["is_over"](states[0]) == short["is_over"](states[1])
            if short["is_over"](states[1]):
                break
            legal = [action for action in range(-1, ACTIONS + 1) if short["is_legal"](states[1], action)]
            assert legal == [action for action in range(-1, ACTIONS + 1) if general["is_legal"](states[0], action)]
            assert general["forced_action"](states[0]) == short["forced_action"](states[1])
            assert general["default_action"](states[0], 0) == short["default_action"](states[1], 0) == -1
            seat, action = random.randrange(players), random.choice(legal)
            for state, verbs in zip(states, (general, short), strict=True):
                verbs["show"](state, seat)
            assert common(states[0]) == common(states[1])
            for state, verbs in zip(states, (general, short), strict=True):
                verbs["show_actor"](state)
                state.event_count = 0
                verbs["apply"](state, action)


def on(lineup: Lineup, game: GameDefinition) -> Lineup:
    return replace(lineup, game=game)


@pytest.mark.parametrize(("rules", "players"), CLASSIC_RULES)
def test_both_compiled_engines_play_classic_games_alike(rules: str, players: int) -> None:
    bots: list[Any] = [fingerprint, "mix2", "card_counting", "random", "score", fingerprint, "greedy", "mix", "defensive", "ashtabna"]
    lineup = make_lineup(bots[:players], rules)
    assert lineup.game is CLASSIC_UNO
    for index in range(20):
        first, second = compiled_ending(lineup, 5, index), compiled_ending(on(lineup, GAME), 5, index)
        for name in FOR_HOUSE_RULES:
            del first[name], second[name]
        assert first == second
