"""Rollouts: legal under all rules, alike compiled and plain, right where the truth is known, and blind to what is hidden."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest

import kibitz
from kibitz.core.jit import lowest
from kibitz.core.layouts import blank, copy_record
from kibitz.games.contract import OPEN_HAND
from kibitz.games.uno import engine
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.state import State
from kibitz.games.uno.view import WON, View
from kibitz.policies.valuation import listed_rows
from kibitz.search.uno import rollouts
from kibitz.search.uno.rollouts import FUTURES, Rollouts, is_sensible, laid_state, list_choices
from tests.commands import check_refused, kibitz_command
from tests.search.uno.positions import WINDOWS_OPEN, after, answer_of, arranged, decisions, with_other_hidden_cards

QUICK = "policy=greedy,others=greedy,horizon=3"  # in plain Python
NEVER = "policy=random,others=random,model=none,horizon=0,lean=0"  # nothing but chance
DULL = "y9 y9 y9 y9 y9 y9 y9"


def ask(view: View, text: str, work: Rollouts | None = None, bot: str = "rollout") -> tuple[int, Rollouts]:
    """What the bot does at a view, and its table."""
    return answer_of(f"{bot}:{text}", view, work)


# -- games --


def test_games_do_not_depend_on_the_number_of_threads() -> None:
    bots = ["champion:rollouts=12", "rollout:rollouts=12", "mix2"]
    one, three = (kibitz.match(bots, games=30, seed=4, threads=threads) for threads in (1, 3))
    assert one.rows == three.rows


# -- where the truth is known --


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


@pytest.mark.parametrize("text", ["rollouts=0", "milliseconds=-1", "lean=-1", "model=mix", "weights=nowhere.npz", "net=nowhere.npz"])
def test_the_command_line_refuses_them_with_exit_code_2(capsys: pytest.CaptureFixture[str], text: str) -> None:
    check_refused(kibitz_command(capsys, "match", f"champion:{text}", "random", "--games", "1", "--no-store"))
