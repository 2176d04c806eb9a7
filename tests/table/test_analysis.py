"""A game judged: every decision with a choice, in order, and mistakes cost what they cost."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.play.advice import Trials
from kibitz.play.record import Record, positions
from kibitz.table.analysis import _judgement, analyse
from tests.table.recorded import heard_in, recorded

TABLES = [("uno", ("mix2", "greedy", "random"), "official"), ("hanabi", ("piers", "iggi"), "standard,colours=3,ranks=3")]
FEW = {"uno": 600, "hanabi": 60}


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_every_decision_with_a_choice_is_judged_in_order(game: str, bots: Sequence[str], rules: str) -> None:
    record, definition = recorded(game, bots, rules), registry.game(game)
    judged = list(analyse(record, games=FEW[game]))
    open_choices = []
    for position, (_, state) in enumerate(positions(record)):
        if position < len(record.actions) and len(definition.legal_actions(state)) > 1:
            open_choices.append((position, state.current, record.actions[position]))
    assert [(said["position"], said["seat"], said["action"]) for said in judged] == open_choices
    assert [said["done"] for said in judged] == list(range(1, len(judged) + 1))
    assert {said["total"] for said in judged} == {len(judged)}
    assert any(said["value_error"] > 0 for said in judged)
    for said in judged:
        assert said["cost"] >= 0 and said["error"] >= 0 and said["value_error"] >= 0
        assert said["best_value"] == said["value"] + said["cost"]
        assert (said["cost"] == 0) == (said["best"] == said["action"])
        assert 0 <= said["value"] <= (1 if game == "uno" else 9)
        view = heard_in(record, said["position"])[-1][0]
        assert said["best"] in [definition.action_name(view, action) for action in definition.legal_actions(view)]
    assert json.loads(json.dumps(judged, allow_nan=False)) == judged


def test_a_reckless_play_costs_most_of_the_points() -> None:
    """With one life, to play a card of which nothing is known loses the game seven times in ten."""
    record = Record("hanabi", "standard,lives=1", 5, 0, ("a", "b"), ("play:0",))
    (said,) = analyse(record)
    assert said["cost"] > 5 and said["cost"] > 10 * said["error"]
    assert said["value"] < 8 < said["best_value"]


def test_whoever_plays_at_random_loses_more_by_it_than_the_champion() -> None:
    """Six games with seats fixed: the mean costs differ by more than three times what six other games differ by."""
    costs: dict[str, list[float]] = {"champion:fast": [], "random": []}
    for index in range(6):
        record = recorded("uno", tuple(costs), "classic", 8, index=index)
        for said in analyse(record, games=1_200):
            costs[record.seats[said["seat"]]].append(said["cost"])
    assert np.mean(costs["random"]) > 3 * np.mean(costs["champion:fast"])
    assert len(costs["random"]) > 30


def test_a_stop_ends_it() -> None:
    stop = threading.Event()
    judged = analyse(recorded("hanabi", ["piers", "iggi"], "standard"), stop, 60)
    assert next(judged)["done"] == 1
    stop.set()
    assert list(judged) == []


def test_what_seems_best_by_chance_costs_nothing() -> None:
    """In each half another action leads by chance, and is behind in the other half."""
    game, view = registry.game("hanabi"), kibitz.Game(2, seed=1, game="hanabi").view()
    first, second = Trials((5, 6, 7)), Trials((5, 6, 7))
    first.add(np.array([[1.0, 3.0, 0.0], [1.0, 3.1, 0.0]]), 2, 2)
    second.add(np.array([[1.0, 0.0, 2.9], [1.0, 0.0, 2.9]]), 2, 2)
    said = _judgement(game, view, 5, (first, second), "expected score")
    assert (said["cost"], said["best"], said["value"]) == (0.0, "play:0", 1.0)
    second.add(np.array([[1.0, 9.0, 0.0], [1.0, 9.0, 0.0]]), 2, 2)
    said = _judgement(game, view, 5, (first, second), "expected score")
    assert said["best"] == "play:1" and said["cost"] == pytest.approx((4.5 + 3.05) / 2 - 1)
