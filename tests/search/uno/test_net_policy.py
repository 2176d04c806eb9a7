"""The network inside a search: the bot `net` as a policy, its value at a horizon, and its weights only where they are wanted."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.bots.parameters import pack, plain
from kibitz.bots.uno import linear as linear_bot
from kibitz.bots.uno.ismcts import ismcts
from kibitz.bots.uno.linear import CLASSES
from kibitz.bots.uno.net import NetWeighing, net, net_for_search_from, net_from, read_net, split_set, write_net
from kibitz.bots.uno.rollout import NETWORK, begin, rollout
from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank, copy_record
from kibitz.games.uno import engine
from kibitz.games.uno.state import State
from kibitz.games.uno.view import DRAWN, TURN, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.policies.uno import net_policy
from kibitz.policies.uno.net.forward import WEIGHTS, NetWorkspace
from kibitz.policies.uno.net_policy import NET, best_in_haste, best_of_all, chance_by_net, play_by
from kibitz.policies.uno.sightings import Sightings, begin_sightings
from kibitz.policies.valuation import listed_rows
from kibitz.policies.weight_files import SHIPPED
from kibitz.runs.units import Unit
from kibitz.search.uno import rollouts
from kibitz.search.uno.ismcts import descent
from kibitz.search.uno.rollouts import RolloutMemory, Rollouts, is_sensible
from tests.search.uno.positions import WINDOWS_OPEN, decisions

TABLES = [("classic", 2), ("classic", 4), ("modern", 6), (WINDOWS_OPEN, 3)]


def sightings_at(view: View) -> Sightings:
    """Sightings without a past."""
    sightings = blank(Sightings)
    begin_sightings(view, sightings)
    return sightings


def ask(view: View, text: str) -> tuple[int, Rollouts]:
    """What `rollout` does at a view, as plain Python and without a past, and its table."""
    params: Any = plain(rollout.parameters, registry.entrant(f"rollout:{text}").values)
    memory, work = blank(RolloutMemory), blank(Rollouts)
    begin(view, memory, params)
    return rollout.choose(view, memory, params, work), work


@pytest.fixture
def certain(tmp_path: Path) -> Path:
    """A network that gives everybody the same chance, another one for each class of tables: 1 ÷ (1 + e), ÷ (1 + e²), ÷ (1 + e³)."""
    sets = np.zeros((len(CLASSES), WEIGHTS), dtype=np.float32)
    split_set(sets)["value_offset"][:, 0] = [-1.0, -2.0, -3.0]
    split_set(sets)["remembers"][:, 0] = 1
    write_net(tmp_path / "certain.npz", sets)
    return tmp_path / "certain.npz"


def certain_chance(players: int) -> float:
    """What it says."""
    return 1 / (1 + exp(1 if players == 2 else 2 if players <= 4 else 3))


# -- the policy --


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_the_base_is_what_the_bot_does(rules: str, players: int) -> None:
    params: Any = plain(net.parameters, registry.entrant("net").values)
    asked = 0
    for state, view in decisions(rules, players, 51, 40):
        if state.phase <= DRAWN:
            sightings = sightings_at(view)
            chosen = best_of_all(view, sightings, blank(NetWorkspace), net_from(SHIPPED))
            assert chosen == net.choose(view, sightings, params, blank(NetWeighing))
            asked += 1
    assert asked > 5


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_in_haste_it_takes_the_best_of_what_is_sensible(rules: str, players: int) -> None:
    same = asked = 0
    for state, view in decisions(rules, players, 52, 40):
        if state.phase > DRAWN:
            continue
        found = blank(NetWorkspace)
        whole = best_of_all(view, sightings_at(view), found, net_from(SHIPPED))
        scores = {
            action: score
            for action, score in zip(found.actions[: found.candidates], found.scores, strict=False)
            if is_sensible(view, action)
        }
        hasty = play_by(NET, view, sightings_at(view), blank(NetWorkspace), (), net_from(SHIPPED))
        assert hasty == best_in_haste(view, sightings_at(view), blank(NetWorkspace), net_from(SHIPPED))
        assert scores[hasty] == max(scores.values())
        assert view.is_legal(hasty)
        same += hasty == whole
        asked += 1
    assert same > 0.7 * asked > 5


@pytest.mark.parametrize(("rules", "players"), [("classic", 2), ("classic", 4), ("official", 6), (WINDOWS_OPEN, 3)])
def test_without_a_search_it_plays_as_the_bot_does(rules: str, players: int) -> None:
    """Action by action: in plain Python for a game, and by the figures of many compiled ones."""
    bots = ("champion:policy=net,search=off", "net")
    games = [kibitz.play([bot, *["mix2"] * (players - 1)], rules=rules, seed=6) for bot in bots]
    assert [step.action for step in games[0].steps] == [step.action for step in games[1].steps]
    tallies = [play_compiled(make_lineup([bot, *["mix2"] * (players - 1)], rules), 7, Unit(0, 200)).tolist() for bot in bots]
    assert tallies[0] == tallies[1]
    other = play_compiled(make_lineup(["champion:search=off", *["mix2"] * (players - 1)], rules), 7, Unit(0, 200)).tolist()
    assert tallies[0] != other


def test_a_policy_plays_on_where_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Base, own turns and those of others, each by the policy that its parameter names."""
    asked: list[tuple[int, bool]] = []

    def noted(policy: int, view: View, *rest: Any) -> int:
        asked.append((policy, view.seat == me))
        return play_by(policy, view, *rest)

    monkeypatch.setattr(rollouts, "play_by", noted)
    state, view = next(each for each in decisions("classic", 3, 53, 20) if each[0].phase == TURN)
    me = state.current
    for text, own, others in [
        ("policy=net,play_on=greedy,others=random", 1, 0),
        ("policy=greedy,play_on=net,others=mix2", NET, 2),
        ("policy=mix2,others=net", 2, NET),
        ("policy=net,others=mix2", NET, 2),
    ]:
        asked.clear()
        ask(copy_record(view), f"rollouts=6,horizon=3,{text}")
        assert set(asked) == {(own, True), (others, False)}, text


# -- what the policy thinks of others' ideas --


def test_actions_that_the_policy_thinks_little_of_are_left_out_or_must_lead_by_more() -> None:
    left_out = 0
    for state, view in decisions("classic", 2, 54, 30):
        if state.phase != TURN:
            continue
        found = blank(NetWorkspace)
        base = best_of_all(view, sightings_at(view), found, net_from(SHIPPED))
        scores = dict(zip(found.actions[: found.candidates], found.scores, strict=False))
        _, work = ask(copy_record(view), "rollouts=1,horizon=1,policy=net,play_on=greedy,others=greedy,trust=0.25")
        assert work.runners[0] == base
        assert work.handicaps[: work.entered] == [0.25 * (scores[base] - scores[action]) for action in work.runners[: work.entered]]
        _, short = ask(copy_record(view), "rollouts=1,horizon=1,policy=net,play_on=greedy,others=greedy,shortlist=2")
        listed = work.runners[: work.entered]
        assert short.runners[: short.entered] == [action for action in listed if scores[base] - scores[action] <= 2]
        left_out += work.entered - short.entered
    assert left_out > 5


def test_advice_leaves_nothing_out() -> None:
    state, view = next(each for each in decisions("classic", 2, 55, 20) if len(engine.legal_actions(each[0])) > 2)
    _, work = ask(view, "rollouts=1,horizon=1,policy=net,play_on=greedy,others=greedy,shortlist=0.001,candidates=every")
    assert sorted(row[0] for row in listed_rows(work)) == engine.legal_actions(state)


# -- the value --


@pytest.mark.parametrize("players", [2, 4, 6])
def test_who_never_learned_to_judge_guesses_a_fair_share(players: int) -> None:
    ((state, view),) = decisions("classic", players, 1, 1)
    weights = np.zeros(len(CLASSES) * WEIGHTS).tolist()
    assert chance_by_net(state, sightings_at(view), blank(NetWorkspace), weights) == pytest.approx(1 / players)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_the_guess_is_the_value_of_the_network_for_this_class_of_tables(players: int, certain: Path) -> None:
    """Nobody is near the end, so that no rollout gets there before its horizon."""
    state, view = next(each for each in decisions("classic", players, 56, 60) if min(each[0].sizes[:players]) > 5 and each[0].phase == TURN)
    assert chance_by_net(state, sightings_at(view), blank(NetWorkspace), net_from(str(certain))) == pytest.approx(certain_chance(players))
    _, work = ask(view, f"rollouts=12,horizon=1,policy=greedy,others=greedy,value=net,net={certain}")
    rows = list(listed_rows(work))
    assert len(rows) > 1
    assert [value for _, value, _, _ in rows] == pytest.approx([certain_chance(players)] * len(rows))
    assert all(error < 1e-6 for _, _, error, _ in rows)


@pytest.mark.parametrize("bot", ["rollout", "ismcts"])
def test_the_network_is_asked_in_quiet_turns_of_the_searcher_with_a_choice(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def noted(state: State, *rest: Any) -> float:
        assert state.current == me
        assert state.turn >= turn + 2 * 3
        assert rollouts.is_quiet(state)
        assert engine.forced_action(state) < 0
        asked.append(state.turn - turn)
        return 0.25

    for module in (rollouts, descent):
        monkeypatch.setattr(module, "chance_by_net", noted)
    for state, view in decisions("classic", 3, 57, 8):
        me, turn = state.current, state.turn
        made: Any = {"rollout": rollout, "ismcts": ismcts}[bot]
        params: Any = plain(made.parameters, registry.entrant(f"{bot}:rollouts=12,horizon=2,policy=greedy,others=greedy,value=net").values)
        memory = blank(made.memory)
        made.begin(view, memory, params)
        made.choose(view, memory, params, blank(made.scratch))
    assert len(asked) > 20
    assert len(set(asked)) > 1  # not all at once: some waited for the searcher's turn


def test_others_share_what_the_network_leaves_them() -> None:
    state, _ = decisions("classic", 4, 58, 1)[0]
    params: Any = plain(ismcts.parameters, registry.entrant("ismcts:value=net").values)
    assert [descent.result_of(state, seat, 2, 0.4, params) for seat in range(4)] == pytest.approx([0.2, 0.2, 0.4, 0.2])


# -- weights --


@pytest.mark.parametrize("bot", ["rollout", "champion", "cheater", "ismcts"])
def test_weights_are_there_if_and_only_if_they_are_used(bot: str, monkeypatch: pytest.MonkeyPatch, certain: Path) -> None:
    parameters = registry.built_in_bot(bot).parameters
    assert NETWORK in parameters
    for text in ("policy=net", "play_on=net", "others=net", "value=net"):
        values = registry.entrant(f"{bot}:{text},net={certain}").values
        assert tuple(pack(parameters, values)["net"][0]) == plain(parameters, values).net == net_from(str(certain))
    monkeypatch.setattr(net_policy, "best_seen", None)  # whoever reads weights without reason would fail
    values = registry.entrant(f"{bot}:policy=greedy,others=greedy").values
    assert plain(parameters, values).net == ()
    assert not pack(parameters, values)["net"].any()


def test_a_network_that_is_not_used_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(path: str) -> tuple[float, ...]:
        raise AssertionError(f"{path} was read")

    object.__setattr__(NETWORK, "read", unread)
    try:
        make_lineup(["rollout:rollouts=2", "champion:rollouts=2"])
        with pytest.raises(AssertionError, match="shipped was read"):
            registry.entrant("champion:value=net")
    finally:
        object.__setattr__(NETWORK, "read", net_for_search_from)


def test_files_that_hold_no_network_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"^network nowhere\.npz does not exist; `kibitz train net"):
        registry.entrant("ismcts:net=nowhere.npz")
    with pytest.raises(BadValue, match="holds no network"):
        registry.entrant(f"champion:policy=net,net={linear_bot.SHIPPED_FILE}")
    (tmp_path / "damaged.npz").write_bytes(b"damaged")
    with pytest.raises(BadValue, match="damaged or of another kind"):
        registry.entrant(f"ismcts:net={tmp_path / 'damaged.npz'}")


@pytest.mark.parametrize("remembers", [(0, 0), (0, 1), (1, 1)])
def test_networks_that_remember_something_else_are_refused(remembers: tuple[int, int], tmp_path: Path) -> None:
    sets = read_net(SHIPPED).copy()
    split_set(sets)["remembers"][1] = remembers
    write_net(tmp_path / "other.npz", sets)
    assert registry.entrant(f"net:{tmp_path / 'other.npz'}")
    with pytest.raises(BadValue, match="was not trained with --memory sightings"):
        registry.entrant(f"champion:policy=net,net={tmp_path / 'other.npz'}")


def test_a_file_without_a_name_is_for_the_linear_policy(tmp_path: Path) -> None:
    linear_bot.write_weights(tmp_path / "mine.npz", linear_bot.read_weights(SHIPPED))
    values = registry.entrant(f"champion:{tmp_path / 'mine.npz'}").values
    assert values["weights"] == str(tmp_path / "mine.npz")
    assert values["net"] == SHIPPED
