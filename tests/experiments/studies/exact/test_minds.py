"""Bots led through a solved game: what they answer there is what they do at the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadBot
from kibitz.core.jit import lowest, popcount, select, word
from kibitz.core.layouts import Long
from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.experiments.studies.exact.minds import ManyNumbers, Mind, Opinion, searches
from kibitz.experiments.studies.exact.study import policy_of
from kibitz.experiments.studies.exact.walk import plan_of
from kibitz.games.uno.cards import CARD_TYPES
from kibitz.games.uno.view import View
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.policies.valuation import POINTS, Valuation, begin_valuation, list_action
from kibitz.search.exact.sequences import Floats, Side
from tests.experiments.studies.exact.games import ACTIONS, PAIRS, WILD, tree_of

BOTS = [name for name in registry.all_names("uno") if not searches(registry.entrant(name).bot)]


def lineup_of(tree: Tree, bot: Any) -> Lineup:
    return make_lineup([bot, bot], tree.sitting.rules, seating="fixed")


def is_plan(side: Side, plan: Floats) -> bool:
    """Whether chances add up: at every information set to what leads there."""
    sums = np.bincount(side.owners[1:], plan[1:], side.sets)
    return bool(plan[0] == 1 and (plan >= 0).all() and np.allclose(sums, plan[side.parents], atol=1e-12))


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("rules", [PAIRS, WILD, ACTIONS])
def test_every_bot_has_a_plan(rules: str, bot: str) -> None:
    """It is exact, and the same whichever line leads to an information set: no bot sees more than it should."""
    tree = tree_of(rules)
    for seat in (0, 1):
        mind = Mind(lineup_of(tree, bot))
        plan = plan_of(tree, mind, seat)
        assert is_plan(tree.sides[seat], plan)
        assert (plan == plan_of(tree, mind, seat, last_positions=True)).all()


def test_random_plays_copies_in_proportion() -> None:
    """Two different cards are dealt: half and half; with a third that was drawn, a pair is twice as likely."""
    tree = tree_of(PAIRS)
    for side, plan in zip(tree.sides, policy_of(tree, "random").plans, strict=True):
        first = side.parents == 0
        chances = {round(float(plan[start]), 12) for start in side.starts[first]}
        assert chances <= {round(numerator / 6, 12) for numerator in (2, 3, 4)}
        assert 0.5 in chances


def test_the_order_of_the_first_cards_is_drawn_by_lot() -> None:
    """Who plays its oldest card plays each of two dealt cards half of the time, but a card it drew always last."""
    tree = tree_of(PAIRS)
    side = tree.sides[0]
    plan = policy_of(tree, "first_playable").plans[0]
    first = [place for place in range(side.sets) if side.parents[place] == 0]
    for place in first:
        start = int(side.starts[place])
        if side.counts[place] == 2:
            assert set(plan[start : start + 2].tolist()) <= {0.0, 0.5, 1.0}
    assert any(plan[int(side.starts[place])] == 0.5 for place in first)


@pytest.mark.parametrize("bot", ["random", "mix2", "first_playable"])
def test_sampled_answers_agree_with_exact_ones(bot: str) -> None:
    """100 answers, about 130 information sets in each of six plans; 6 standard errors: false alarms below 1e-6."""
    tree = tree_of(PAIRS)
    for seat in (0, 1):
        exact = plan_of(tree, Mind(lineup_of(tree, bot)), seat)
        plain = plan_of(tree, Mind(lineup_of(tree, bot), 100, 5), seat)
        sampled = plan_of(tree, Mind(lineup_of(tree, bot), 100, 5, compiled=True), seat)
        assert is_plan(tree.sides[seat], sampled)
        assert (plain == sampled).all()
        assert np.abs(sampled - exact).max() < 6 * 0.5 / np.sqrt(100) * np.sqrt(len(tree.sides[seat].levels))


def test_compiled_bots_remember() -> None:
    """Bots that follow the game choose compiled as they do in plain Python, in games with forced draws and challenges."""
    tree = tree_of(ACTIONS)
    for bot in ("mix2", "card_counting"):
        for seat in (0, 1):
            plain = plan_of(tree, Mind(lineup_of(tree, bot), 3, 9), seat)
            assert (plain == plan_of(tree, Mind(lineup_of(tree, bot), 3, 9, compiled=True), seat)).all()


# -- bots of other kinds --


class LowestFirst:
    """A Python object that counts what it hears, and picks its lowest card if that is even."""

    def __init__(self) -> None:
        self.heard = 0

    def observe(self, view: Any, event: Any) -> None:
        self.heard += 1

    def choose(self, view: Any) -> int:
        cards = [card for card in range(CARD_TYPES) if view.can_play(card)]
        return cards[0] if self.heard % 2 == 0 else cards[view.randbelow(len(cards))]


def test_python_bots_have_plans() -> None:
    tree = tree_of(PAIRS)
    played = policy_of(tree, LowestFirst)
    assert played.samples == 0
    for side, plan in zip(tree.sides, played.plans, strict=True):
        assert is_plan(side, plan)
    start = int(tree.sides[0].starts[0])
    assert played.plans[0][start : start + 2].tolist() == [1.0, 0.0]


@kibitz.bot(trusted=True)
def reads_stream(view: View) -> int:
    """Takes its chance from the stream itself, as a search may."""
    high = (view.random_stream >> word(60)) & word(1)
    types = view.playable()
    if high == word(0):
        return lowest(types)
    return select(types, popcount(types) - 1)


def test_bots_that_read_their_stream_are_sampled() -> None:
    tree = tree_of(PAIRS)
    with pytest.raises(ManyNumbers):
        plan_of(tree, Mind(lineup_of(tree, reads_stream)), 0)
    played = policy_of(tree, reads_stream, samples=40, seed=3)
    assert played.samples == 40 and len(played.parts) == 4
    again = policy_of(tree, reads_stream, samples=40, seed=3, jit=False)
    for seat in (0, 1):
        assert is_plan(tree.sides[seat], played.plans[seat])
        assert (played.plans[seat] == again.plans[seat]).all()
    assert 0.1 < played.plans[0][int(tree.sides[0].starts[0])] < 0.9


# -- searches --


class Opinions(Valuation):
    """The table of a bot that only pretends to search."""


@kibitz.bot(scratch=Opinions, trusted=True)
def pretender(view: View, scratch: Opinions) -> int:
    """Has an opinion on every playable card: the higher its number the better, and a little chance."""
    begin_valuation(scratch, POINTS)
    types = view.playable()
    if popcount(types) == 1:
        return lowest(types)
    best = lowest(types)
    for place in range(popcount(types)):
        card = select(types, place)
        list_action(scratch, card, card + 0.25 * view.randbelow(1 << 40) / (1 << 40), 0.5, 7)
        best = max(best, card)
    return best


def hear(tree: Tree, mind: Mind, seat: int, everywhere: bool = False) -> dict[int, list[list[Opinion]]]:
    """What a search says at each information set."""
    heard: dict[int, list[list[Opinion]]] = {}

    def listen(number: int, chances: dict[int, float]) -> None:
        heard[number] = mind.opinions

    plan_of(tree, mind, seat, everywhere=everywhere, heard=listen)
    return heard


@pytest.mark.parametrize("compiled", [False, True])
def test_opinions_are_read_after_each_answer(compiled: bool) -> None:
    tree = tree_of(PAIRS)
    mind = Mind(lineup_of(tree, pretender), 5, 3, compiled)
    for seat in (0, 1):
        side = tree.sides[seat]
        heard = hear(tree, mind, seat, everywhere=True)
        assert sorted(heard) == list(range(side.sets))
        for number, tables in heard.items():
            actions = side.actions[side.starts[number] : side.starts[number] + side.counts[number]].tolist()
            assert len(tables) == 5
            for table in tables:
                assert [opinion.action for opinion in table] == actions
                assert all(opinion.action <= opinion.value < opinion.action + 0.25 for opinion in table)
                assert {(opinion.error, opinion.visits, opinion.unit) for opinion in table} == {(0.5, 7, POINTS)}
            assert len({table[0].value for table in tables}) == 5


def test_plain_and_compiled_opinions_are_the_same() -> None:
    tree = tree_of(PAIRS)
    plain = hear(tree, Mind(lineup_of(tree, pretender), 3, 8), 1)
    assert len(plain) > 10 and plain == hear(tree, Mind(lineup_of(tree, pretender), 3, 8, compiled=True), 1)


@pytest.mark.parametrize("bot", ["rollout:rollouts=8", "expectiminimax:samples=3"])
def test_searches_play_alike_compiled_and_plain(bot: str) -> None:
    """And whichever line leads to an information set."""
    tree = tree_of(PAIRS)
    for seat in (0, 1):
        compiled = Mind(lineup_of(tree, bot), 1, 4, compiled=True)
        plan = plan_of(tree, compiled, seat)
        assert is_plan(tree.sides[seat], plan)
        assert (plan == plan_of(tree, Mind(lineup_of(tree, bot), 1, 4), seat)).all()


def test_searches_are_sampled_at_once() -> None:
    """Nobody tries all numbers below 2^62."""
    tree = tree_of(PAIRS)
    with pytest.raises(ManyNumbers):
        plan_of(tree, Mind(lineup_of(tree, "rollout:rollouts=1")), 0)
    assert policy_of(tree, "rollout:rollouts=1", samples=4).samples == 4


class Whim:
    """A memory with a random number in it."""

    whim: Long


def begin_with_a_whim(view: View, memory: Whim) -> None:
    memory.whim = view.randbelow(2)


@kibitz.bot(memory=Whim, begin=begin_with_a_whim, trusted=True)
def whimsical(view: View, memory: Whim) -> int:
    """Decides at the start how to play."""
    types = view.playable()
    return lowest(types) if memory.whim == 0 else select(types, popcount(types) - 1)


@pytest.mark.parametrize("jit", [True, False])
def test_random_memories_are_refused(jit: bool) -> None:
    with pytest.raises(BadBot, match=r"whimsical.*begin or observe"):
        policy_of(tree_of(PAIRS), whimsical, samples=4, jit=jit)


@kibitz.bot(trusted=True)
def stubborn(view: View) -> int:
    """Plays what it has not."""
    return 3


def test_illegal_answers_are_faults() -> None:
    with pytest.raises(BadBot, match=r"stubborn.*not legal"):
        policy_of(tree_of(PAIRS), stubborn)
