"""What must hold at every position of UNO, under classic and under any house rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from kibitz.core.layouts import copy_record, equal
from kibitz.core.seeds import game_key
from kibitz.games.contract import GameDefinition
from kibitz.games.uno import engine
from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, DRAW, MAX_CARDS, NO_CARD, action_card
from kibitz.games.uno.definition import CLASSIC_UNO, GAME
from kibitz.games.uno.notation import hand_in_order
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.turns import start_turn
from kibitz.games.uno.view import CUT_OFF, DRAWN, JUMPING_IN, PHASE_NAMES, STUCK
from kibitz.play.game import Game
from kibitz.play.lineup import Lineup, make_lineup
from tests.bots.fingerprint import PythonFingerprint, fingerprint, fingerprint_oldest
from tests.games.uno.test_notation import said
from tests.play.endings import compiled_ending, fields, mixed_ending, plain_ending

from .subjects import HOUSE, Subject, holds
from .uno import Setup, hand_cards, known_cards, random_setup, with_other_hidden_cards

# -- cards --


@holds(classic=40, house=500)
def test_hands_are_the_same_in_every_form(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        held = [hand_cards(state, seat) for seat in range(setup.players)]
        assert list(state.sizes[: setup.players]) == [len(hand) for hand in held]
        assert [sorted(hand_in_order(state, seat)) for seat in range(setup.players)] == held


@holds(house=300)
def test_what_is_known_of_a_hand_is_in_it(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        for viewer in range(setup.players):
            assert not known_cards(state, viewer, viewer)
            for seat in range(setup.players):
                assert Counter(known_cards(state, viewer, seat)) <= Counter(hand_cards(state, seat))


@holds(classic=40)
def test_view_counts_the_own_cards(subject: Subject, setup: Setup) -> None:
    state = subject.some_position(setup)
    for seat in range(setup.players):
        view, cards = subject.view(state, seat), hand_cards(state, seat)
        assert view.cards() == cards
        assert view.hand_size() == len(cards)
        assert [view.count(card) for card in range(CARD_TYPES)] == [cards.count(card) for card in range(CARD_TYPES)]
        assert [view.colour_count(colour) for colour in range(4)] == [sum(card // 13 == colour for card in cards) for colour in range(4)]
        assert view.has_colour() == any(card < 52 for card in cards)


# -- actions --


@holds(house=150)
def test_nobody_else_may_act(subject: Subject, setup: Setup) -> None:
    """Not even by its own view; but who has the next turn cannot tell that somebody may jump in first."""
    for state in subject.positions(setup):
        twin = copy_record(state)
        for seat in range(setup.players):
            view = subject.view(twin, seat)
            if seat != state.current and not (state.phase == JUMPING_IN and seat == state.next_seat):
                assert not any(view.is_legal(action) for action in range(ACTIONS))


@holds(classic=30, house=500)
def test_default_is_legal_in_a_window_and_there_is_none_elsewhere(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        if not engine.is_over(state):
            default = engine.default_action(state, 0)
            assert default in engine.legal_actions(state) if state.phase > DRAWN else default == -1


@holds(classic=30, house=300)
def test_view_says_whether_nothing_need_be_played(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        if not engine.is_over(state) and state.phase <= DRAWN and state.playable_types:
            view = engine.as_view(state)
            assert view.may_decline() == view.is_legal(view.decline())
            assert view.may_decline() or subject is HOUSE


@holds(classic=30)
def test_view_foretells_who_acts_after_a_card(subject: Subject, setup: Setup) -> None:
    state = subject.some_position(setup)
    for action in engine.legal_actions(state):
        twin = copy_record(state)
        expected = engine.as_view(twin).actor_after(action_card(action)) if action < DRAW else -1
        engine.apply(twin, action)
        if action < DRAW and not engine.is_over(twin):
            assert twin.current == expected


def actions_in_a_turn(players: int) -> int:
    """At most: a colour, a draw, a play, a call, a catch by all others, a swap, an answer or challenge, a jump-in by all others."""
    return 6 + 2 * (players - 1)


@holds(house=500)
def test_a_game_ends_within_its_turns_and_says_how(subject: Subject, setup: Setup) -> None:
    last, actions = 0, 0
    for state in subject.positions(setup, 10**9):
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


def check_that_views_hide(subject: Subject, state: State, viewer: int, random: Random) -> None:
    """A view is the same whatever is hidden from it; of what is drawn and in which order hands are held, a seat sees its own."""
    first, second = copy_record(state), with_other_hidden_cards(state, viewer, random)
    engine.show(first, random.randrange(state.players))
    engine.show(second, second.current)
    view = subject.view(first, viewer)
    assert equal(view, subject.view(second, viewer))
    own_order = hand_in_order(state, viewer) if state.ordered[viewer] else []
    assert view.order == own_order + [NO_CARD] * (MAX_CARDS - len(own_order))
    assert view.random_stream == state.seat_streams[viewer]
    if viewer != state.current:
        assert view.drawn == NO_CARD
    elif subject is not HOUSE:
        assert view.drawn == (state.hidden_drawn if state.phase == DRAWN else NO_CARD)


@holds(classic=120)
def test_nothing_of_another_seat_remains_in_a_view(subject: Subject, setup: Setup) -> None:
    state = subject.some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        check_that_views_hide(subject, state, viewer, random)


def test_view_does_not_depend_on_hidden_cards_whatever_is_asked() -> None:
    """The same at every position of 1,300 games, where every kind of decision is seen from both sides."""
    seen: Counter[tuple[str, bool]] = Counter()
    random = Random("hidden")
    for _ in range(1300):
        setup = random_setup(random, 60)
        for state in HOUSE.positions(setup):
            viewer = random.randrange(setup.players)
            check_that_views_hide(HOUSE, state, viewer, random)
            seen["over" if engine.is_over(state) else PHASE_NAMES[state.phase], viewer == state.current] += 1
    rare = {kind: seen[kind] for kind in ((name, own) for name in (*PHASE_NAMES, "over") for own in (True, False)) if seen[kind] < 10}
    assert not rare


@holds(house=500)
def test_whether_somebody_may_jump_in_shows_to_nobody_else(subject: Subject, setup: Setup) -> None:
    """Wherever somebody is asked, all others see what they would see if nobody held the card."""
    setup = setup._replace(rules=replace(setup.rules, jump_in=True))
    for state in subject.positions(setup, 60):
        if not engine.is_over(state) and state.phase == JUMPING_IN:
            without = copy_record(state)
            start_turn(without, state.next_seat)
            asked = copy_record(state)
            for seat in range(setup.players):
                if seat != state.current:
                    assert equal(subject.view(asked, seat), subject.view(without, seat))


# -- positions as text --


@holds(classic=40, house=300)
def test_every_position_reads_back_and_goes_on_alike(subject: Subject, setup: Setup) -> None:
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
