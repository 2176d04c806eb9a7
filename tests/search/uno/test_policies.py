"""Policies of rollouts: legal wherever somebody has a choice, and the players that they are named after."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.parameters import plain
from kibitz.bots.uno.bounds import Bounds, begin_bounds
from kibitz.bots.uno.linear import weights_from
from kibitz.bots.uno.mix2 import mix2
from kibitz.bots.uno.net import net_from
from kibitz.core.layouts import blank, copy_record
from kibitz.core.seeds import scramble
from kibitz.games.uno import engine
from kibitz.games.uno.cards import COLOURED_TYPES, DRAW, action_card, action_colour
from kibitz.games.uno.names import action_name
from kibitz.games.uno.view import DRAWN, View
from kibitz.policies.uno.features import Description, best_candidate
from kibitz.policies.uno.net.forward import NetWorkspace
from kibitz.policies.uno.net_policy import POLICY_NAMES, play_by
from kibitz.policies.uno.rollout_policies import LINEAR, choose_greedily, choose_like_mix2
from kibitz.policies.uno.sightings import Sightings, begin_sightings
from kibitz.policies.weight_files import SHIPPED
from tests.search.uno.positions import WINDOWS_OPEN, decisions

RULES = [("classic", 2), ("classic", 4), ("official", 3), (WINDOWS_OPEN, 3), ("modern", 2), ("classic,must_play=on", 2)]
STREAMS = 40  # one of two equally good answers is missed once in 2**39


@cache
def turns(rules: str, players: int, count: int) -> list[View]:
    """Views of players to move, or with a card just drawn, who have a choice."""
    return [view for state, view in decisions(rules, players, 31, count) if state.phase <= DRAWN]


def answers(view: View, choose: Any, streams: int = STREAMS) -> set[int]:
    """All that a player answers, over many streams."""
    found = set()
    for stream in range(streams):
        asked = copy_record(view)
        asked.random_stream = scramble(stream)
        found.add(choose(asked))
    return found


def policy(number: int) -> Any:
    """A policy as a function of the view alone, without a past."""

    def choose(view: View) -> int:
        sightings = blank(Sightings)
        begin_sightings(view, sightings)
        return play_by(number, view, sightings, blank(NetWorkspace), weights_from(SHIPPED), net_from(SHIPPED))

    return choose


@pytest.mark.parametrize("name", POLICY_NAMES)
@pytest.mark.parametrize(("rules", "players"), RULES)
def test_policies_act_legally(name: str, rules: str, players: int) -> None:
    for view in turns(rules, players, 40):
        for action in answers(view, policy(POLICY_NAMES.index(name)), 3):
            assert view.is_legal(action), action_name(action)


@pytest.mark.parametrize(("rules", "players"), RULES)
def test_mix2_is_the_bot_but_for_counting_cards(rules: str, players: int) -> None:
    """The same answers over many streams; the bot may call colours that are not quite the most common, unless it has no slack."""
    params = plain(mix2.parameters, registry.entrant("mix2:card_counting=off,wild_colour_slack=0").values)

    def bot(view: View) -> int:
        memory = blank(Bounds)
        begin_bounds(view, memory)
        return int(mix2.choose(view, memory, params, blank(FiredRule)))

    views = turns(rules, players, 40)
    settled = 0
    for view in views:
        expected = answers(view, bot)
        assert answers(view, choose_like_mix2) == expected
        settled += len(expected) == 1
    assert settled > len(views) / 4


def test_greedy_plays_a_common_colour_if_it_can() -> None:
    seen = 0
    for view in turns("classic", 2, 60):
        common = [colour for colour in range(4) if view.colour_count(colour) == max(map(view.colour_count, range(4)))]
        fitting = [card for card in range(COLOURED_TYPES) if view.is_legal(card) and card // 13 in common]
        for action in answers(view, choose_greedily, 4):
            assert action < DRAW
            assert not fitting or action in fitting
            assert action_card(action) < COLOURED_TYPES or action_colour(action) in common
        seen += bool(fitting)
    assert seen > 10


def test_linear_in_haste_is_linear_where_it_takes_what_is_sensible() -> None:
    """Left out: wild colours that are not in hand, and drawing with a coloured card to play."""
    views = turns("classic", 2, 60)
    same = 0
    for view in views:
        sightings, found = blank(Sightings), blank(Description)
        begin_sightings(view, sightings)
        whole = best_candidate(view, sightings, found, weights_from(SHIPPED))
        (hasty,) = answers(view, policy(LINEAR), 2)
        scores = dict(zip(found.actions[: found.candidates], found.scores, strict=False))
        assert whole == max(scores, key=lambda action: scores[action])
        assert hasty == whole or scores[hasty] < scores[whole]
        same += hasty == whole
    assert same > 0.8 * len(views)


def test_positions_of_all_kinds_were_asked_about() -> None:
    phases = {view.phase for rules, players in RULES for view in turns(rules, players, 40)}
    assert phases == {0, DRAWN}
    assert all(engine.is_over(state) is False for state, _ in decisions("classic", 2, 31, 5))
