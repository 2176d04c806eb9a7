"""Blueprint: what it believes of its own hand, moves that lie, equal play compiled and plain, and better play than its blueprint."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

import kibitz
from kibitz.bots.hanabi import blueprint
from kibitz.bots.hanabi.information import information
from kibitz.core.layouts import blank
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import CARD_TYPES, MAX_HAND
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, begin_hats, copy_hats, use_best_options, use_plain_options
from kibitz.policies.hanabi.hat_messages import read_move
from kibitz.policies.hanabi.smart_conventions import SmartKnowledge, begin_knowledge
from kibitz.policies.hanabi.smart_policy import choose_move
from kibitz.search.hanabi.blueprint.decision import MOST_WORLDS, PAIR_WORLDS, TEAM_WORLDS, BlueprintSearch, margin_of, room_of, worlds_of
from kibitz.search.hanabi.blueprint.hand_beliefs import Beliefs, Room, drop_false, likelihood, regenerate, smart_of
from kibitz.search.hanabi.blueprint.team import CAREFUL, INFORMATION, SMART, blueprint_move, is_true, make_move
from kibitz.search.hanabi.worlds import copy_state

from ...games.hanabi.positions import view_of

BY_PLAYERS = SimpleNamespace(base=blueprint.BY_PLAYERS, surprise=0.0, hands=40)


def dealt(index: int, players: int = 2) -> State:
    state = new_state(parse_rules("standard"), players)
    engine.deal(state, game_key(7, index))
    state.observed = 1
    return state


class Onlooker:
    """Seat 0 of a game between two careful copies of smart, following it as blueprint does."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.memory, self.scratch = blank(Beliefs), blank(BlueprintSearch)
        blueprint.begin(self.view(), self.memory, BY_PLAYERS)

    def view(self) -> View:
        return view_of(self.state, 0)

    def make(self, move: int) -> None:
        self.state.event_count = 0
        engine.apply(self.state, move)
        blueprint.observe(self.view(), engine.event_at(self.state, 0), self.memory, BY_PLAYERS, self.scratch)

    @property
    def own_hand(self) -> list[int]:
        return list(self.state.hands[: self.state.sizes[0]])

    def hands(self) -> list[list[int]]:
        """The hands that count."""
        size = self.state.sizes[0]
        every = range(self.memory.hand_count)
        return [self.memory.hands[hand * MAX_HAND : hand * MAX_HAND + size] for hand in every if self.memory.weights[hand] > 0]


def is_possible(view: View, smart: SmartKnowledge, hand: list[int]) -> bool:
    """Whether there are enough copies for a hand, and everybody may take each card for it."""
    enough = all(hand.count(card) <= view.unseen(card) for card in hand)
    return enough and all(smart.masks[slot] & type_bit(card) for slot, card in enumerate(hand))


@pytest.mark.parametrize("index", range(3))
def test_beliefs_hold_the_true_hand_and_nothing_impossible(index: int) -> None:
    onlooker = Onlooker(dealt(index))
    state, memory = onlooker.state, onlooker.memory
    partners = blank(SmartKnowledge)
    begin_knowledge(view_of(state, 1), partners)
    decisions = 0
    while not engine.is_over(state):
        if state.current == 0:
            view, room = onlooker.view(), room_of(onlooker.scratch, 0)
            drop_false(view, memory)
            if not onlooker.hands():
                regenerate(view, memory, room, 40, 0.0, 5)
            assert onlooker.hands()
            assert all(is_possible(view, smart_of(memory, 0), hand) for hand in onlooker.hands())
            assert is_possible(view, smart_of(memory, 0), onlooker.own_hand)
            # Put the true hand in the first place: the partner would have made every move that it made.
            before = memory.hands[:MAX_HAND]
            memory.hands[: state.sizes[0]] = onlooker.own_hand
            assert likelihood(view, memory, room, 0, 0.0) == 1.0
            memory.hands[:MAX_HAND] = before
            decisions += 1
        seat = int(state.current)
        move, _ = choose_move(smart_of(memory, 0), view_of(state, seat).cards, seat, CAREFUL)
        onlooker.make(move)
    assert decisions > 20


def test_every_hand_is_drawn_from_all_unseen_cards() -> None:
    onlooker = Onlooker(dealt(1))
    view, memory, room = onlooker.view(), onlooker.memory, blank(Room)
    regenerate(view, memory, room, 40, 0.0, 5)
    assert memory.hand_count == 40  # at the start nothing rules any of them out
    assert all(is_possible(view, smart_of(memory, 0), hand) for hand in onlooker.hands())
    assert list(room.left) == [view.unseen(card) for card in range(CARD_TYPES)]


def test_what_the_partner_did_rules_hands_out() -> None:
    """Smart hints at a playable card if it sees one: a partner that discards instead has seen none."""
    onlooker = Onlooker(dealt(1))
    state, memory, room = onlooker.state, onlooker.memory, blank(Room)
    while state.turn < 20:
        seat = int(state.current)
        move, _ = choose_move(smart_of(memory, 0), view_of(state, seat).cards, seat, CAREFUL)
        onlooker.make(move)
    regenerate(onlooker.view(), memory, room, 400, 0.05, 9)
    likely = [likelihood(onlooker.view(), memory, room, hand, 0.05) for hand in range(int(memory.hand_count))]
    assert max(likely) > 20 * min(likely)


def test_a_hint_that_means_a_wrong_card_is_a_lie() -> None:
    for index in range(20):
        state = dealt(index)
        smart, hat = blank(SmartKnowledge), blank(HatKnowledge)
        begin_knowledge(view_of(state, 0), smart)
        assert is_true(SMART, smart, hat, state, 0)
        fives = [slot for slot in range(5) if state.hands[MAX_HAND + slot] % 5 == 4]
        if fives:
            five = view_of(state, 0).hint_rank(1, 4)
            make_move(SMART, smart, hat, state, five)
            # At the start no five is playable, and all know it, so a five is no card to play: the hint is true.
            assert is_true(SMART, smart, hat, state, 0)
            return
    pytest.fail("no five was dealt")


def test_a_colour_hint_on_a_high_card_is_a_lie() -> None:
    lies = 0
    for index in range(20):
        state = dealt(index)
        newest = state.hands[MAX_HAND + 4]
        if newest % 5 > 0:
            smart, hat = blank(SmartKnowledge), blank(HatKnowledge)
            begin_knowledge(view_of(state, 0), smart)
            make_move(SMART, smart, hat, state, view_of(state, 0).hint_colour(1, newest // 5))
            assert not is_true(SMART, smart, hat, state, 0)  # the newest card it touches is taken for a card to play
            lies += 1
    assert lies > 5


def test_a_number_that_is_wrong_is_a_lie_even_if_it_fits() -> None:
    """Players who take each other to have read the right number no longer ask the same questions."""
    state, smart = dealt(1, players=3), blank(SmartKnowledge)
    known, read, thought = blank(HatKnowledge), blank(HatKnowledge), blank(HatKnowledge)
    use_best_options(known)
    begin_hats(view_of(state, 0), known)
    fitting = 0
    while not engine.is_over(state):
        mover = int(state.current)
        others = [seat * MAX_HAND + slot for seat in range(3) if seat != mover for slot in range(state.sizes[seat])]
        for hint in range(10, 30):
            if engine.is_legal(state, hint):
                after = new_state(parse_rules("standard"), 3)
                copy_state(state, after)
                copy_hats(known, read)
                copy_hats(known, thought)
                make_move(INFORMATION, smart, read, after, hint)
                read_move(thought, engine.event_at(after, 0), after.hands, mover)
                alike = all(read.masks[where] == thought.masks[where] for where in others)
                fits = all(read.masks[where] & type_bit(after.hands[where]) for where in others)
                assert (alike and fits) or not is_true(INFORMATION, smart, read, after, mover)
                fitting += fits and not alike
        make_move(INFORMATION, smart, known, state, blueprint_move(INFORMATION, smart, known, state.hands, mover))
    assert fitting > 0


def test_compiled_and_plain_search_decide_alike() -> None:
    bots = ["blueprint:worlds=2,hands=12", "blueprint:worlds=2,hands=12"]
    rules = "standard,colours=2,lives=1"
    compiled, plain = (kibitz.match(bots, game="hanabi", rules=rules, games=2, seed=3, jit=jit)[0] for jit in (True, False))
    assert compiled == plain


def test_budget_goes_by_players_and_margin_by_the_blueprint() -> None:
    def chosen(players: int, base: int, **changed: float) -> tuple[int, float]:
        params = SimpleNamespace(**{"worlds": 0, "milliseconds": 0.0, "margin": 0.05, "confusion": 0.15, **changed})
        view, memory = view_of(dealt(1, players), 0), blank(Beliefs)
        memory.kind = base
        return worlds_of(view, params), round(margin_of(view, memory, params), 9)

    assert chosen(2, SMART) == (PAIR_WORLDS, 0.2)
    assert chosen(2, INFORMATION) == (PAIR_WORLDS, 0.05)
    assert chosen(3, SMART) == (TEAM_WORLDS, 0.2)
    assert chosen(3, INFORMATION, worlds=7) == (7, 0.05)
    assert chosen(2, SMART, milliseconds=5.0, worlds=7)[0] == MOST_WORLDS


@pytest.mark.parametrize("players", [2, 3])
def test_search_scores_more_than_its_blueprint(players: int) -> None:
    """Twelve fixed deals, so there is no false alarm."""
    base = "smart" if players == 2 else "information:best"
    found = kibitz.evaluate([base, "blueprint:worlds=60,hands=300"], game="hanabi", players=players, games=12, seed=9)
    assert found[1].score >= found[0].score and found[1].lost == 0


@pytest.mark.parametrize("partner", ["random", "iggi", "information"])
def test_partners_without_the_convention_are_survived(partner: str) -> None:
    found = kibitz.match(["blueprint:worlds=5,hands=40", partner], game="hanabi", games=4, seed=2)
    assert found.complete and found[0].games == 4


@pytest.mark.parametrize(("preset", "use"), [("best", use_best_options), ("", use_plain_options)])
def test_options_of_information_are_those_of_the_bot(preset: str, use: Callable[[HatKnowledge], None]) -> None:
    known = blank(HatKnowledge)
    use(known)
    for name, value in information.presets[preset].items():
        assert getattr(known, name) == value
