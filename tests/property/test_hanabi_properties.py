"""What must hold at every position of every game of Hanabi, tried at many of them."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import KibitzError
from kibitz.core.layouts import copy_record, equal
from kibitz.games.hanabi import engine, notation
from kibitz.games.hanabi.cards import COLOUR_OF, DISCARD, HIDDEN, HINT_COLOUR, MAX_HAND, NO_CARD, PLAY, RANK_OF
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.names import move_from_name, move_name, moves_of
from kibitz.games.hanabi.observation import encode
from kibitz.games.hanabi.replays import read_record, replay
from kibitz.games.hanabi.state import State
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.games.hanabi.test_notation import said
from tests.golden.hanabi_games import LIVE, REPLAYS

from .hanabi import Setup, dealt, hand_cards, played_cards, setups
from .subjects import HANABI, Subject, holds

# -- cards and what is known of them --


@holds(hanabi=60)
def test_deck_and_score_are_counted(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        assert state.deck_size == state.deck_total - state.drawn
        assert state.score == len(played_cards(state))


@holds(hanabi=60)
def test_what_hints_tell_is_true_and_what_was_named_is_certain(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        for seat in range(setup.players):
            for slot, card in enumerate(hand_cards(state, seat)):
                where = seat * MAX_HAND + slot
                colours, ranks = state.colour_masks[where], state.rank_masks[where]
                assert colours >> COLOUR_OF[card] & 1 and ranks >> RANK_OF[card] & 1
                assert not state.named_colours[where] or colours == 1 << COLOUR_OF[card]
                assert not state.named_ranks[where] or ranks == 1 << RANK_OF[card]
                assert state.deck_order[state.places[where]] == card


@holds(hanabi=60)
def test_tokens_lives_and_turns_stay_within_bounds(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        assert 0 <= state.tokens <= state.max_tokens
        assert 0 <= state.lives <= state.max_lives
        assert (state.turns_left >= 0) == (state.deck_size == 0)
        assert state.turns_left <= state.players
        assert engine.is_over(state) == (state.lives == 0 or state.turns_left == 0 or state.score == state.colours * state.ranks)


# -- moves --


def is_allowed(state: State, move: int) -> bool:
    """The rules in their own words."""
    kind = state.move_kind(move)
    if kind in (DISCARD, PLAY):
        may = kind == PLAY or state.tokens < state.max_tokens or bool(state.discard_when_full)
        return may and move % state.hand_size < state.sizes[state.current]
    _, places, value = move_name(state, move).split(":")
    told = hand_cards(state, (state.current + int(places)) % state.players)
    if kind == HINT_COLOUR:
        return state.tokens > 0 and any("RYGWB"[COLOUR_OF[card]] == value[0].upper() for card in told)
    return state.tokens > 0 and any(RANK_OF[card] + 1 == int(value) for card in told)


@holds(hanabi=60)
def test_legal_moves_are_exactly_those_allowed(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        allowed = [move for move in range(moves_of(state)) if not engine.is_over(state) and is_allowed(state, move)]
        assert engine.legal_actions(state) == allowed
        for move in range(-1, moves_of(state) + 1):
            assert (why_illegal(state, move) == "") == (move in allowed)


@holds(hanabi=40)
def test_names_of_moves_read_back(subject: Subject, setup: Setup) -> None:
    state = dealt(setup)
    names = [move_name(state, move) for move in range(moves_of(state))]
    assert len(set(names)) == len(names)
    assert [move_from_name(state, name) for name in names] == list(range(len(names)))


# -- text --


@holds(hanabi=150)
def test_positions_read_back_and_go_on_alike(subject: Subject, setup: Setup) -> None:
    state, rules = subject.some_position(setup), setup.rules
    twin, read = notation.from_text(notation.to_text(state, rules))
    engine.show(state, state.current)
    assert read == rules
    assert notation.to_text(twin, rules) == notation.to_text(state, rules)
    assert said(twin) == said(state)
    if not engine.is_over(state):
        move = Random(setup.seed).choice(engine.legal_actions(state))
        for each in (state, twin):
            engine.apply(each, move)
        assert notation.to_text(twin, rules) == notation.to_text(state, rules)
    twin.seat_streams = state.seat_streams[:]
    for seat in range(setup.players):
        assert equal(subject.view(state, seat), subject.view(twin, seat))


@given(setups(), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_damaged_text_is_refused_in_one_sentence_or_is_a_position(setup: Setup, random: Random) -> None:
    rules = setup.rules
    text = list(notation.to_text(HANABI.some_position(setup), rules))
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(text))
        text[place : place + random.randint(0, 2)] = random.choice(["", *"RYGWB1250!:.|;=/-²"])
    try:
        state, rules = notation.from_text("".join(text))
        refusal = ""
    except KibitzError as error:
        refusal = str(error)
    assert "\n" not in refusal
    if not refusal:
        assert notation.to_text(notation.from_text(notation.to_text(state, rules))[0], rules) == notation.to_text(state, rules)


JUNK: list[Any] = [None, True, -1, 0, 3, 99, 1e9, 1.5, "R1", "", [], {}, {"type": 0}, [1], 2**80, "x" * 200]
GOLDEN_GAMES = [json.loads(line) for line in REPLAYS.read_text().splitlines()] + json.loads(LIVE.read_text())


@given(st.sampled_from(GOLDEN_GAMES), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_damaged_record_is_refused_in_one_sentence_or_is_a_game(game: Any, random: Random) -> None:
    damaged = copy.deepcopy(game)
    node, key = damaged, random.choice(list(damaged))
    while isinstance(node[key], (dict, list)) and node[key] and random.random() < 0.8:
        node = node[key]
        key = random.choice(list(node)) if isinstance(node, dict) else random.randrange(len(node))
    if random.random() < 0.3:
        del node[key]
    else:
        node[key] = random.choice(JUNK)
    try:
        refusal = f"games.json ends {replay(read_record(damaged, 'games.json')).status}"
    except KibitzError as error:
        refusal = str(error)
    assert refusal.startswith("games.json")
    assert "\n" not in refusal


# -- what a seat sees --


@holds(hanabi=200)
def test_observation_does_not_depend_on_hidden_cards(subject: Subject, setup: Setup) -> None:
    state = subject.some_position(setup)
    for viewer in range(setup.players):
        twin = subject.hidden(state, viewer, Random(setup.seed))
        assert (encode(subject.view(copy_record(state), viewer)) == encode(subject.view(twin, viewer))).all()


@holds(hanabi=60)
def test_view_hides_the_own_cards_and_shows_all_others(subject: Subject, setup: Setup) -> None:
    for state in subject.positions(setup):
        twin = copy_record(state)
        for viewer in range(setup.players):
            view = subject.view(twin, viewer)
            for seat in range(setup.players):
                shown = view.cards[seat * MAX_HAND : (seat + 1) * MAX_HAND]
                held = [HIDDEN] * state.sizes[seat] if seat == viewer else hand_cards(state, seat)
                assert shown == held + [NO_CARD] * (MAX_HAND - len(held))


# -- bots --


@holds(hanabi=25)
def test_compiled_games_are_the_plain_ones(subject: Subject, setup: Setup) -> None:
    lineup = make_lineup(["random"] * setup.players, setup.rules, game="hanabi")
    unit = Unit(setup.steps, 3)
    assert play_compiled(lineup, setup.seed, unit).tolist() == play_plain(lineup, setup.seed, unit).tolist()
