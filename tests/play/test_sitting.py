"""Sittings: the same steps compiled and plain, seats that are asked, and the games of a batch."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue, BotFault
from kibitz.core.layouts import copy_record
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.loop import CHOSEN, DEFAULT, FORCED
from kibitz.play.sitting import Ask, Happened, Over, Sitting
from kibitz.registry import Entrant

BOTS = {"uno": ["mix2", "greedy", "random"], "hanabi": ["iggi", "iggi", "iggi"]}


def steps_of(sitting: Sitting, index: int) -> list[tuple[Any, ...]]:
    """Every action of a game, deal by deal; seats that are asked take the first legal action."""
    sitting.begin(index)
    found: list[tuple[Any, ...]] = []
    while True:
        step = sitting.step()
        if isinstance(step, Ask):
            step = sitting.answer(sitting.game.legal_actions(step.view)[0], step.view)
        if isinstance(step, Happened):
            found.append((step.seat, step.action, step.why, [vars(event) for event in step.events]))
        else:
            found.append(("over", sitting.round, tuple(sitting.seats)))
            if not sitting.next_deal():
                return found


def with_a_seat_asked(lineup: Lineup) -> Lineup:
    windows = tuple(lineup.game.phases[lineup.game.basic_phases :])
    return Lineup(
        lineup.game, lineup.rules, (Entrant("asked", AskedSeat("asked", windows=windows)), *lineup.entrants[1:]), lineup.seating, lineup.to
    )


@pytest.mark.parametrize("game", BOTS)
def test_compiled_and_plain_take_the_same_steps(game: str) -> None:
    for lineup in (make_lineup(BOTS[game], game=game), with_a_seat_asked(make_lineup(BOTS[game], game=game))):
        compiled, plain = Sitting(lineup, 5, follows=True), Sitting(lineup, 5, compiled=False, follows=True)
        for index in range(3):
            assert steps_of(compiled, index) == steps_of(plain, index)


def test_contests_and_house_rules_take_the_same_steps() -> None:
    lineup = with_a_seat_asked(make_lineup(BOTS["uno"], "official,jump_in=on,stacking=progressive,seven_zero=on", to="60"))
    steps = steps_of(Sitting(lineup, 2, follows=True), 4)
    assert steps == steps_of(Sitting(lineup, 2, compiled=False, follows=True), 4)
    assert sum(step[0] == "over" for step in steps) > 1
    assert {step[2] for step in steps if step[0] != "over"} == {FORCED, DEFAULT, CHOSEN}


def test_a_game_is_that_of_a_batch() -> None:
    sitting = Sitting(make_lineup(BOTS["uno"]), 7, follows=True)
    for index in (0, 9):
        played = kibitz.play(BOTS["uno"], seed=7, index=index)
        steps = [step for step in steps_of(sitting, index) if step[0] != "over"]
        assert [step[1] for step in steps] == played.actions
        assert sitting.seats == played.seats


def test_who_does_not_follow_hears_of_the_end_alone() -> None:
    sitting = Sitting(make_lineup(BOTS["uno"]), 7)
    sitting.begin(0)
    assert isinstance(sitting.step(), Over)
    assert sitting.game.outcome(sitting.state)["status"] == "won"
    assert not sitting.next_deal()


def test_decisions_are_heard_with_what_was_seen() -> None:
    heard: list[tuple[int, int]] = []
    sitting = Sitting(make_lineup(BOTS["uno"]), 3, listen=lambda view, action: heard.append((view.seat, action)))
    sitting.play(0)
    followed = [step for step in steps_of(Sitting(make_lineup(BOTS["uno"]), 3, follows=True), 0) if step[0] != "over"]
    assert heard == [(seat, action) for seat, action, why, _ in followed if why == CHOSEN]


@pytest.mark.parametrize("compiled", [True, False])
def test_looking_changes_nothing(compiled: bool) -> None:
    lineup = with_a_seat_asked(make_lineup(BOTS["uno"]))
    watched, alone = Sitting(lineup, 5, compiled, follows=True), Sitting(lineup, 5, compiled, follows=True)
    watched.begin(1)
    alone.begin(1)
    for _ in range(30):
        for seat in range(3):
            assert watched.look(seat).seat == seat
        steps = []
        for sitting in (watched, alone):
            step = sitting.step()
            if isinstance(step, Ask):
                step = sitting.answer(sitting.game.legal_actions(step.view)[0], step.view)
            steps.append(step[:3])
        assert steps[0] == steps[1]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("answer", [119, 2**70])
def test_an_answer_that_is_not_legal_is_a_fault(compiled: bool, answer: int) -> None:
    sitting = Sitting(with_a_seat_asked(make_lineup(BOTS["uno"], seating="fixed")), 5, compiled, follows=True)
    sitting.begin(0)
    while not isinstance(step := sitting.step(), Ask):
        pass
    with pytest.raises(BotFault, match=rf"asked.*answered {answer}"):
        sitting.answer(answer, step.view)


def test_begin_at_a_position_and_copy() -> None:
    game = kibitz.Game(players=3, seed=5)
    for _ in range(8):
        game.apply(game.legal_actions()[-1])
    seats = tuple(Entrant(name, AskedSeat(name)) for name in "abc")
    sitting = Sitting(Lineup(game.definition, game.rules, seats, "fixed"), 0, compiled=False, follows=True)
    sitting.begin_at(copy_record(game.state))
    twin = sitting.copy()
    while not game.is_over:
        action = game.legal_actions()[0]
        events = [vars(event) for event in game.apply(action)]
        assert [vars(event) for event in sitting.take(action).events] == events
    assert sitting.game.outcome(sitting.state) == game.outcome
    assert twin.game.outcome(twin.state)["status"] == "playing"


def test_games_are_counted_from_0() -> None:
    with pytest.raises(BadValue, match="counted from 0"):
        Sitting(make_lineup(BOTS["uno"]), 1).begin(-1)
