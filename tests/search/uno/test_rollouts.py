"""Rollouts: legal under all rules, alike compiled and plain, right where the truth is known, and blind to what is hidden."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.parameters import plain
from kibitz.bots.uno.rollout import begin, rollout
from kibitz.cli.main import run
from kibitz.core.errors import KibitzError
from kibitz.core.jit import lowest
from kibitz.core.layouts import blank, copy_record
from kibitz.games.contract import OPEN_HAND
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW, MAX_PLAYERS
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.rules import PRESETS, parse_rules
from kibitz.games.uno.state import State
from kibitz.games.uno.view import WON, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.policies.valuation import WIN_CHANCE, listed_rows
from kibitz.runs.units import Unit
from kibitz.search.uno import rollouts
from kibitz.search.uno.rollouts import FUTURES, RolloutMemory, Rollouts, is_sensible, laid_state, list_choices
from tests.search.uno.positions import WINDOWS_OPEN, after, arranged, decisions, with_other_hidden_cards

QUICK = "policy=greedy,others=greedy,horizon=3"  # in plain Python
NEVER = "policy=random,others=random,model=none,horizon=0,lean=0"  # nothing but chance
DULL = "y9 y9 y9 y9 y9 y9 y9"


def ask(view: View, text: str, work: Rollouts | None = None, bot: str = "rollout") -> tuple[int, Rollouts]:
    """What the bot does at a view, as plain Python and without a past, and its table."""
    params: Any = plain(rollout.parameters, registry.entrant(f"{bot}:{text}").values)
    memory, work = blank(RolloutMemory), work or blank(Rollouts)
    begin(view, memory, params)
    return rollout.choose(view, memory, params, work), work


# -- games --


@pytest.mark.parametrize(
    ("bot", "rules", "players"),
    [
        ("rollout:rollouts=6", "classic", 2),
        ("rollout:rollouts=6,horizon=3,policy=greedy,others=random,model=none,belief=simple", "official", 3),
        ("champion:rollouts=6,horizon=3,policy=mix2,others=linear,lean=0", WINDOWS_OPEN, 3),
        ("cheater:rollouts=6,horizon=3", "classic", 2),
        ("champion:rollouts=6,horizon=1,policy=net,play_on=linear,value=net,lean=0,trust=0.01", "classic", 2),
        ("rollout:rollouts=4,horizon=1,policy=net,others=net,value=net,shortlist=3", WINDOWS_OPEN, 3),
    ],
)
def test_compiled_and_plain_searches_play_the_same_games(bot: str, rules: str, players: int) -> None:
    lineup = make_lineup([bot, *["mix2"] * (players - 1)], rules)
    assert play_compiled(lineup, 3, Unit(0, 2)).tolist() == play_plain(lineup, 3, Unit(0, 2)).tolist()


@pytest.mark.parametrize("rules", [*PRESETS, WINDOWS_OPEN, "classic,stacking=progressive"])
def test_it_plays_legally_under_all_rules_at_tables_of_any_size(rules: str) -> None:
    """The loop stops at the first answer that is not legal, so it is enough that the games are played."""
    parsed = parse_rules(rules)
    most = min(MAX_PLAYERS, (sum(parsed.deck) - 1) // parsed.hand_size)
    bots = ["rollout:rollouts=6", "champion:rollouts=6,policy=net,play_on=random,value=net", "random", "cheater:rollouts=6"]
    for players in range(2, most + 1):
        tally = play_compiled(make_lineup([bots[place % 4] for place in range(players)], parsed), players, Unit(0, 6)).tolist()
        assert tally[0] == 6


def test_equal_seeds_give_equal_games_whatever_was_searched_before() -> None:
    bots = ["rollout:rollouts=20", "random"]
    whole = play_compiled(make_lineup(bots), 8, Unit(0, 12))
    parts = [play_compiled(make_lineup(bots), 8, unit) for unit in (Unit(6, 6), Unit(0, 6))]
    assert whole.tolist() == (parts[0] + parts[1]).tolist()
    assert whole.tolist() != play_compiled(make_lineup(bots), 9, Unit(0, 12)).tolist()


def test_games_do_not_depend_on_the_number_of_threads() -> None:
    bots = ["champion:rollouts=12", "rollout:rollouts=12", "mix2"]
    one, three = (kibitz.match(bots, games=30, seed=4, threads=threads) for threads in (1, 3))
    assert one.rows == three.rows


# -- where the truth is known --


def test_a_certain_win_is_seen_with_certainty() -> None:
    state, _ = arranged(["rskip r5", "b1 b2 b3"], "r3", "y9 y9 y9", 50)
    chosen, work = ask(engine.as_view(state), f"rollouts=60,{NEVER}")
    assert chosen == card_from_name("rskip")
    assert (chosen, 1.0, 0.0) in [row[:3] for row in listed_rows(work)]
    assert work.unit == WIN_CHANCE


@pytest.mark.parametrize("horizon", [0, 8])
def test_a_card_that_leaves_the_opponent_nothing_is_found(horizon: int) -> None:
    """To play g3 leaves the opponent without an answer; after r1 it plays b1, and then its last card."""
    state, _ = arranged(["r1 g3 g5", "b1 b2"], "r3", DULL, 50)
    chosen, work = ask(engine.as_view(state), f"rollouts=80,policy=greedy,others=greedy,horizon={horizon},lean=0,model=none")
    assert chosen == card_from_name("g3")
    values = {action: value for action, value, _, _ in listed_rows(work)}
    assert values[card_from_name("g3")] > values[card_from_name("r1")]


def chance_at_random(state: State) -> float:
    """The chance of seat 0 if both play any card they can."""
    if engine.is_over(state):
        return (1.0 if state.winner == 0 else 0.0) if state.status == WON else 0.5
    forced = engine.forced_action(state)
    if forced >= 0:
        return chance_at_random(after(state, forced))
    cards, chances = state.playable_types, []
    while cards:
        chances.append(chance_at_random(after(state, lowest(cards))))
        cards &= cards - 1
    return sum(chances) / len(chances)


@pytest.mark.parametrize(("hands", "top"), [(["r1 g3 g5", "b1 b2"], "r3"), (["r2 r4 g2", "r5 r6"], "r2"), (["b9 r4 r7", "b6 r1"], "r9")])
def test_values_converge_to_the_exact_ones_where_all_cards_are_known(hands: list[str], top: str) -> None:
    """Every value within four of its standard errors: with other streams about one value of 16,000 would not be."""
    state, rules = arranged(hands, top, DULL, 9)
    exact = {action: chance_at_random(after(state, action)) for action in engine.legal_actions(state)}
    work = blank(Rollouts)
    laid_state(work, 0).max_turns = rules.max_turns
    ask(engine.as_view(state), f"rollouts=1500,{NEVER}", work)
    rows = list(listed_rows(work))
    assert len(rows) > 1
    for action, value, error, visits in rows:
        assert visits >= 64  # what is hopeless is dropped after 32 worlds
        assert abs(value - exact[action]) <= 4 * error + 1e-9
        assert error < 0.1


# -- what is hidden --


@pytest.mark.parametrize(("players", "text"), [(2, f"rollouts=20,{QUICK}"), (4, f"rollouts=12,{QUICK},policy=linear")])
def test_the_choice_does_not_depend_on_hidden_cards(players: int, text: str) -> None:
    random = Random(players)
    asked = 0
    for state, _ in decisions("classic", players, players, 6):
        if state.pile_size == 0:
            continue
        twin = with_other_hidden_cards(state, random)
        assert twin.hands0 != state.hands0
        first, second = (ask(engine.as_view(each), text) for each in (state, twin))
        assert first[0] == second[0]
        assert list(listed_rows(first[1])) == list(listed_rows(second[1]))
        asked += len(list(listed_rows(first[1]))) > 1
    assert asked >= 3


def test_a_cheater_depends_on_the_hands_of_others() -> None:
    random = Random(3)
    tables = []
    for state, _ in decisions("classic", 2, 3, 6):
        if state.pile_size == 0:
            continue
        state.ordered[state.current] = state.any_ordered = OPEN_HAND
        engine.show_actor(state)
        twin = with_other_hidden_cards(state, random)
        tables.append([list(listed_rows(ask(engine.as_view(each), f"rollouts=30,{QUICK}", bot="cheater")[1])) for each in (state, twin)])
    assert any(first != second for first, second in tables)


def test_the_stream_of_the_bot_is_all_that_chance_comes_from() -> None:
    _, view = decisions("classic", 2, 21, 1)[0]
    first, again = (list(listed_rows(ask(copy_record(view), f"rollouts=40,{QUICK}")[1])) for _ in range(2))
    assert first == again
    view.random_stream += 1
    assert list(listed_rows(ask(view, f"rollouts=40,{QUICK}")[1])) != first


def test_what_was_searched_before_leaves_no_trace() -> None:
    (_, first), (_, second) = decisions("classic", 3, 22, 2)
    work = blank(Rollouts)
    ask(copy_record(first), f"rollouts=20,{QUICK}", work)
    used = ask(copy_record(second), f"rollouts=20,{QUICK}", work)
    fresh = ask(copy_record(second), f"rollouts=20,{QUICK}")
    assert used[0] == fresh[0]
    assert list(listed_rows(used[1])) == list(listed_rows(fresh[1]))


# -- candidates --


def test_candidates_are_the_base_action_and_whatever_is_sensible() -> None:
    left_out = 0
    for state, view in [*decisions(WINDOWS_OPEN, 3, 15, 60), *decisions("classic", 2, 16, 40)]:
        legal, work = engine.legal_actions(state), blank(Rollouts)
        list_choices(view, legal[-1], work)
        listed = work.runners[: work.entered]
        assert listed[0] == legal[-1]
        assert len(set(listed)) == len(listed)
        assert set(listed) <= set(legal)
        assert all(not is_sensible(view, action) for action in set(legal) - set(listed))
        left_out += len(legal) - len(listed)
    assert left_out > 0


# -- budgets and bad input --


def test_rollouts_are_as_many_as_asked_for() -> None:
    """The races end where another world would be too much; one world is played in any case."""
    for _, view in decisions("classic", 2, 18, 4):
        for rollouts_asked in (1, 30, 61):
            _, work = ask(copy_record(view), f"rollouts={rollouts_asked},{QUICK}")
            if not work.listed:
                continue
            assert work.games == sum(visits for _, _, _, visits in listed_rows(work))
            assert work.games <= max(rollouts_asked, work.entered * FUTURES)
            assert work.games > rollouts_asked - work.entered * FUTURES


@pytest.mark.parametrize("milliseconds", [20, 60])
def test_a_budget_in_time_is_spent_and_no_more(monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
    """A clock that moves on by a millisecond whenever somebody looks; each race looks once to find that its time is up."""
    ticks = count()
    monkeypatch.setattr(rollouts, "clock", lambda: next(ticks) / 1000)
    _, view = next(each for each in decisions("classic", 2, 16, 20) if len(engine.legal_actions(each[0])) > 3)
    _, work = ask(view, f"rollouts=1,milliseconds={milliseconds},{QUICK},policy=random,others=random,lean=10")
    assert work.entered > 2
    assert milliseconds - 5 <= max(work.tried) <= milliseconds
    assert milliseconds <= next(ticks) <= milliseconds + 3


BAD = [
    ("rollouts=0", "rollouts must be 1–10000000, got 0"),
    ("rollouts=many", "rollouts=many is not accepted"),
    ("milliseconds=-1", "milliseconds must be "),
    ("horizon=-1", "horizon must be "),
    ("lean=-1", "lean must be "),
    ("policy=best", "policy=best is not accepted; policy is random, greedy, mix2, linear or net."),
    ("others=best", "others=best is not accepted; others is random, greedy, mix2, linear or net."),
    ("play_on=best", "play_on=best is not accepted; play_on is policy, random, greedy, mix2, linear or net."),
    ("value=linear", "value=linear is not accepted; value is evaluation or net."),
    ("trust=-1", "trust must be "),
    ("net=nowhere.npz", "network nowhere.npz does not exist"),
    ("model=mix", "model=mix is not accepted; model is none or mix2."),
    ("belief=none", "belief=none is not accepted; belief is exact or simple."),
    ("depth=3", "unknown"),
]


@pytest.mark.parametrize("bot", ["rollout", "champion", "cheater"])
@pytest.mark.parametrize(("text", "refused"), BAD)
def test_bad_parameters_are_refused_in_one_sentence(bot: str, text: str, refused: str) -> None:
    with pytest.raises(KibitzError) as error:
        registry.entrant(f"{bot}:{text}")
    assert refused in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["rollouts=0", "milliseconds=-1", "lean=-1", "model=mix", "weights=nowhere.npz", "net=nowhere.npz"])
def test_the_command_line_refuses_them_with_exit_code_2(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit) as stop:
        run(["match", f"champion:{text}", "random", "--games", "1", "--no-store"])
    assert stop.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kibitz: ")
    assert err.count("\n") == 1


def test_a_view_that_cannot_add_up_is_no_reason_to_play_at_random() -> None:
    _, view = decisions("classic", 2, 17, 1)[0]
    view.pile_size -= 1
    assert ask(view, "rollouts=5")[0] == -1
    assert not view.is_legal(-1)


@pytest.mark.parametrize("policy", ["mix2", "linear"])
def test_a_forced_action_is_taken_without_a_search(policy: str) -> None:
    state, _ = arranged(["r1 g1", "b1 b2"], "y3", "y9 y9 y9", 50)
    chosen, work = ask(engine.as_view(state), f"rollouts=5,policy={policy}")
    assert (chosen, work.listed) == (DRAW, 0)
