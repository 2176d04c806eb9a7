"""What must hold at every position of every game of Hanabi, tried at many of them."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz import registry
from kibitz.core.errors import KibitzError
from kibitz.core.layouts import copy_record, equal
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine, notation
from kibitz.games.hanabi.cards import COLOUR_OF, DISCARD, HIDDEN, HINT_COLOUR, MAX_HAND, MAX_RANKS, NO_CARD, PLAY, RANK_OF
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.names import move_from_name, move_name, moves_of
from kibitz.games.hanabi.observation import encode
from kibitz.games.hanabi.replays import read_record, replay
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import View
from kibitz.play.lineup import make_lineup, plain_table
from kibitz.play.loop import OVER, kernels_for
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.golden.hanabi_games import LIVE, REPLAYS

TABLES = [
    ("standard", 5),
    ("autohanabi", 5),
    ("standard,discard_when_full=on", 5),
    ("standard,lives=1,tokens=3", 5),
    ("standard,colours=3,ranks=3,hand_size=3", 5),
    ("standard,colours=2,ranks=3,hand_size=2,tokens=2", 5),
    ("standard,colours=1,ranks=5,hand_size=2", 4),
]


class Setup(NamedTuple):
    """A game to be played for a number of moves: any legal ones, or none that costs a life."""

    rules: str
    players: int
    seed: int
    steps: int
    careful: bool


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    rules, most = draw(st.sampled_from(TABLES))
    return Setup(rules, draw(st.integers(2, most)), draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 100)), draw(st.booleans()))


def dealt(setup: Setup) -> State:
    state = new_state(parse_rules(setup.rules), setup.players)
    engine.deal(state, game_key(setup.seed, 0))
    return state


def costs_a_life(state: State, move: int) -> bool:
    card = state.hands[state.current * MAX_HAND + move % state.hand_size]
    return state.move_kind(move) == PLAY and not state.is_playable(card)


def positions(setup: Setup) -> Iterator[State]:
    """The state at every decision and at the end, the same object each time."""
    state = dealt(setup)
    random = Random(setup.seed)
    yield state
    for _ in range(setup.steps):
        if engine.is_over(state):
            return
        legal = engine.legal_actions(state)
        engine.apply(state, random.choice([move for move in legal if not (setup.careful and costs_a_life(state, move))] or legal))
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


def hand_of(state: State, seat: int) -> list[int]:
    return state.hands[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]]


def played_cards(state: State) -> list[int]:
    return [colour * MAX_RANKS + rank for colour in range(state.colours) for rank in range(state.fireworks[colour])]


# -- cards and what is known of them --


@given(setups())
@settings(max_examples=60)
def test_cards_are_conserved_at_every_step(setup: Setup) -> None:
    deck = Counter({card: count for card, count in enumerate(parse_rules(setup.rules).deck) if count})
    for state in positions(setup):
        cards = [card for seat in range(setup.players) for card in hand_of(state, seat)]
        cards += [card for card, count in enumerate(state.discards) for _ in range(count)]
        cards += state.deck_order[state.drawn : state.deck_total] + played_cards(state)
        assert Counter(cards) == deck
        assert state.deck_size == state.deck_total - state.drawn
        assert state.score == len(played_cards(state))


@given(setups())
@settings(max_examples=60)
def test_what_hints_tell_is_true_and_what_was_named_is_certain(setup: Setup) -> None:
    for state in positions(setup):
        for seat in range(setup.players):
            for slot, card in enumerate(hand_of(state, seat)):
                where = seat * MAX_HAND + slot
                colours, ranks = state.colour_masks[where], state.rank_masks[where]
                assert colours >> COLOUR_OF[card] & 1 and ranks >> RANK_OF[card] & 1
                assert not state.named_colours[where] or colours == 1 << COLOUR_OF[card]
                assert not state.named_ranks[where] or ranks == 1 << RANK_OF[card]
                assert state.deck_order[state.places[where]] == card


@given(setups())
@settings(max_examples=60)
def test_tokens_lives_and_turns_stay_within_bounds(setup: Setup) -> None:
    for state in positions(setup):
        assert 0 <= state.tokens <= state.max_tokens
        assert 0 <= state.lives <= state.max_lives
        assert (state.turns_left >= 0) == (state.deck_size == 0)
        assert state.turns_left <= state.players
        assert engine.is_over(state) == (state.lives == 0 or state.turns_left == 0 or state.score == state.colours * state.ranks)


# -- moves --


@given(setups())
@settings(max_examples=60)
def test_there_is_a_legal_move_while_a_game_is_on_and_none_after(setup: Setup) -> None:
    for state in positions(setup):
        assert bool(engine.legal_actions(state)) != engine.is_over(state)


def is_allowed(state: State, move: int) -> bool:
    """The rules in their own words."""
    kind = state.move_kind(move)
    if kind in (DISCARD, PLAY):
        may = kind == PLAY or state.tokens < state.max_tokens or bool(state.discard_when_full)
        return may and move % state.hand_size < state.sizes[state.current]
    _, places, value = move_name(state, move).split(":")
    told = hand_of(state, (state.current + int(places)) % state.players)
    if kind == HINT_COLOUR:
        return state.tokens > 0 and any("RYGWB"[COLOUR_OF[card]] == value[0].upper() for card in told)
    return state.tokens > 0 and any(RANK_OF[card] + 1 == int(value) for card in told)


@given(setups())
@settings(max_examples=60)
def test_legal_moves_are_exactly_those_allowed(setup: Setup) -> None:
    for state in positions(setup):
        allowed = [move for move in range(moves_of(state)) if not engine.is_over(state) and is_allowed(state, move)]
        assert engine.legal_actions(state) == allowed
        for move in range(-1, moves_of(state) + 1):
            assert (why_illegal(state, move) == "") == (move in allowed)
        if not engine.is_over(state):
            view = view_of(copy_record(state), state.current)
            assert [move for move in range(-2, 70) if view.is_legal(move)] == allowed
            forced = engine.forced_action(state)
            assert allowed == [forced] if forced >= 0 else len(allowed) > 1


@given(setups())
@settings(max_examples=40)
def test_names_of_moves_read_back(setup: Setup) -> None:
    state = dealt(setup)
    names = [move_name(state, move) for move in range(moves_of(state))]
    assert len(set(names)) == len(names)
    assert [move_from_name(state, name) for name in names] == list(range(len(names)))


# -- text --


@given(setups())
@settings(max_examples=60)
def test_positions_read_back(setup: Setup) -> None:
    state = some_position(setup)
    rules = parse_rules(setup.rules)
    twin, read = notation.from_text(notation.to_text(state, rules))
    assert read == rules
    assert notation.to_text(twin, rules) == notation.to_text(state, rules)
    twin.seat_streams = state.seat_streams[:]
    for seat in range(setup.players):
        assert equal(view_of(state, seat), view_of(twin, seat))


@given(setups(), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_damaged_text_is_refused_in_one_sentence_or_is_a_position(setup: Setup, random: Random) -> None:
    rules = parse_rules(setup.rules)
    text = list(notation.to_text(some_position(setup), rules))
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


def with_other_hidden_cards(state: State, viewer: int, random: Random) -> State:
    """The same position to the viewer's eyes: its own cards and the deck are dealt again, as the hints allow."""
    twin = copy_record(state)
    slots = range(viewer * MAX_HAND, viewer * MAX_HAND + state.sizes[viewer])
    for _ in range(20):
        pool = hand_of(state, viewer) + state.deck_order[state.drawn : state.deck_total]
        random.shuffle(pool)
        cards = []
        for where in slots:
            fitting = [c for c in pool if state.colour_masks[where] >> COLOUR_OF[c] & 1 and state.rank_masks[where] >> RANK_OF[c] & 1]
            if fitting:
                pool.remove(fitting[0])
                cards.append(fitting[0])
        if len(cards) == len(slots):
            break
    else:
        return twin
    for where, card in zip(slots, cards, strict=True):
        twin.hands[where] = twin.deck_order[state.places[where]] = card
        if twin.cards[where] != HIDDEN:
            twin.cards[where] = card
    twin.deck_order[state.drawn : state.deck_total] = pool
    for seat in range(state.players):
        if seat != viewer:
            twin.seat_streams[seat] = random.getrandbits(64)
    twin.deal_stream = random.getrandbits(64)
    return twin


@given(setups())
@settings(max_examples=200)
def test_view_does_not_depend_on_hidden_cards(setup: Setup) -> None:
    state = some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        twin = with_other_hidden_cards(state, viewer, random)
        for other in range(setup.players):  # whoever was looking before
            engine.show(twin, other)
            view = view_of(copy_record(state), viewer)
            assert equal(view, view_of(twin, viewer))
            assert (encode(view) == encode(view_of(twin, viewer))).all()


@given(setups())
@settings(max_examples=60)
def test_view_hides_the_own_cards_and_shows_all_others(setup: Setup) -> None:
    for state in positions(setup):
        twin = copy_record(state)
        for viewer in range(setup.players):
            view = view_of(twin, viewer)
            for seat in range(setup.players):
                shown = view.cards[seat * MAX_HAND : (seat + 1) * MAX_HAND]
                held = [HIDDEN] * state.sizes[seat] if seat == viewer else hand_of(state, seat)
                assert shown == held + [NO_CARD] * (MAX_HAND - len(held))


@given(setups())
@settings(max_examples=40)
def test_looking_changes_nothing(setup: Setup) -> None:
    state = some_position(setup)
    engine.show(state, state.current)
    before = copy_record(state)
    for seat in range(setup.players):
        engine.show(state, seat)
    engine.show(state, state.current)
    assert equal(state, before)


@given(setups(), setups())
@settings(max_examples=60)
def test_view_does_not_depend_on_games_played_before(setup: Setup, earlier: Setup) -> None:
    """Compiled code plays one game after another on one state; plain Python takes a new one each time."""
    fresh = dealt(setup)
    used = some_position(setup._replace(seed=earlier.seed, steps=earlier.steps))
    engine.deal(used, game_key(setup.seed, 0))
    for seat in range(setup.players):
        assert equal(view_of(fresh, seat), view_of(used, seat))


# -- bots --


@given(setups())
@settings(max_examples=25)
def test_compiled_games_are_the_plain_ones(setup: Setup) -> None:
    lineup = make_lineup(["random"] * setup.players, setup.rules, game="hanabi")
    unit = Unit(setup.steps, 3)
    assert play_compiled(lineup, setup.seed, unit).tolist() == play_plain(lineup, setup.seed, unit).tolist()


# Those that play by what they see; meanimax takes too long without compilation.
FAIR_BOTS = [name for name in registry.BUILT_IN["hanabi"] if name not in ("cheater", "meanimax")]


@pytest.mark.parametrize("name", FAIR_BOTS)
@given(players=st.integers(2, 5), seed=st.integers(0, 2**64 - 1), index=st.integers(0, 1000))
@settings(max_examples=4)
def test_choice_is_a_function_of_view_memory_and_own_stream(name: str, players: int, seed: int, index: int) -> None:
    """Whenever the bot is asked, it is asked again with other cards hidden from it, and must answer, remember and roll alike."""
    lineup = make_lineup([registry.entrant(name, "hanabi")] * players, game="hanabi")
    table, state = plain_table(lineup), lineup.new_state()
    kernels = kernels_for(lineup.game)
    random = Random(seed)
    asked = 0

    def asked_twice(choose: Any) -> Any:
        def ask(view: View, memory: Any, params: Any, scratch: Any) -> int:
            nonlocal asked
            asked += 1
            twin = with_other_hidden_cards(state, view.seat, random)
            other_view = view_of(twin, view.seat)
            other_memory = copy_record(memory) if memory is not None else None
            other_scratch = copy_record(scratch) if scratch is not None else None
            answer: int = choose(view, memory, params, scratch)
            assert choose(other_view, other_memory, params, other_scratch) == answer
            assert other_view.random_stream == view.random_stream
            assert memory is None or equal(memory, other_memory)
            return answer

        return ask

    choosing: Any = table.choose
    choosing[:players] = [asked_twice(choose) for choose in choosing[:players]]
    kernels.start_game(table, state, seed, index)
    assert kernels.play_on(table, state) == OVER
    assert asked > 0
