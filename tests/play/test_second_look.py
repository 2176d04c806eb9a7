"""Games that are played again: bots that are not repeatable are named, and nothing else changes."""

from __future__ import annotations

import itertools
import os
import random
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BotFault, NotRepeatable
from kibitz.games.uno.view import View
from kibitz.play import second_look
from kibitz.play.lineup import make_lineup
from kibitz.play.second_look import TimeUp, Watch, check_repeatable, located

pytestmark = pytest.mark.usefixtures("both_ways")

NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def nothing_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "_checked", set())


class Gambler:
    def choose(self, view: View) -> int:
        return view.play(random.choice([card for card in view.cards() if view.can_play(card)]), 0)


class Counter:
    """Remembers something from game to game."""

    def choose(self, view: View) -> int:
        return view.play(view.pick(view.playable()), next(NUMBERS) % 4)


class Talker:
    """Repeatable, and it prints and asks."""

    def choose(self, view: View) -> int:
        print("my turn")
        return view.play(view.pick(view.playable()), 0)


class Faulty:
    def choose(self, view: View) -> int:
        raise ValueError("no idea")


@kibitz.bot
def gambling(view: View) -> int:
    return view.play(view.pick(view.playable()), random.randrange(4))


@pytest.mark.parametrize(("bot", "jit"), [(Gambler, True), (Gambler, False), (Counter, True), (gambling, False)])
def test_a_bot_that_answers_differently_is_named(bot: Any, jit: bool) -> None:
    name = getattr(bot, "name", "") or bot.__name__
    with pytest.warns(NotRepeatable, match=f"bot {name} answers differently when the same game is played again.*view.randbelow"):
        kibitz.match(["random", Talker, bot], games=20, threads=1, jit=jit)


def test_every_way_of_playing_looks(tmp_path: Path) -> None:
    with pytest.warns(NotRepeatable, match="bot Gambler"):
        kibitz.compare(Gambler, "random", games=20, threads=1)


def test_repeatable_bots_play_as_if_nobody_had_looked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = kibitz.match([Talker, "random"], games=3, threads=1)
    printed = capsys.readouterr().out
    monkeypatch.setattr("kibitz.experiments.batch.check_repeatable", lambda *args: None)
    second = kibitz.match([Talker, "random"], games=3, threads=1)
    assert first.rows == second.rows
    assert printed == capsys.readouterr().out


def test_a_bot_is_looked_at_once() -> None:
    lineup = make_lineup([Gambler, "random"])
    with pytest.warns(NotRepeatable):
        check_repeatable(lineup, 1, 20, True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_repeatable(lineup, 1, 20, True)


def test_compiled_bots_are_not_played_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> str:
        raise AssertionError("played again")

    monkeypatch.setattr(second_look, "_first_to_differ", fail)
    check_repeatable(make_lineup(["random", "greedy"]), 1, 20, False)  # our own, as plain Python
    check_repeatable(make_lineup([gambling, "greedy"]), 1, 20, True)


def test_a_fault_is_left_to_the_run() -> None:
    check_repeatable(make_lineup([Faulty, "random"]), 1, 20, True)


def test_a_watch_ends_what_takes_too_long() -> None:
    def step() -> int:
        return 1

    before = sys.gettrace()
    with pytest.raises(TimeUp), Watch(0.0).watching():
        sum(step() for _ in NUMBERS)
    assert sys.gettrace() is before


class Slow:
    """Never answers, and Python is never asked meanwhile."""

    def choose(self, view: View) -> int:
        threading.Event().wait()
        return 68


def test_a_bot_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "REPEAT_SECONDS", 0.2)
    check_repeatable(make_lineup([Slow, "random"]), 1, 20, True)


class Learner:
    """Remembers from game to game how often it was asked."""

    asked = 0

    def choose(self, view: View) -> int:
        Learner.asked += 1
        return view.play(view.pick(view.playable()), Learner.asked % 4)


@pytest.mark.parametrize("jit", [True, False])
def test_what_a_bot_remembers_is_not_changed(jit: bool) -> None:
    Learner.asked = 0
    with pytest.warns(NotRepeatable, match="bot Learner"):
        check_repeatable(make_lineup([Learner, "random"]), 1, 5, jit)
    assert Learner.asked == 0


def test_without_copies_of_processes_games_are_watched_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.warns(NotRepeatable, match="bot Gambler"):
        check_repeatable(make_lineup([Gambler, "random"]), 1, 20, True)
    check_repeatable(make_lineup([Faulty, "random"]), 1, 20, True)
    monkeypatch.setattr(second_look, "REPEAT_SECONDS", 0.0)
    check_repeatable(make_lineup([Counter, "random"]), 1, 20, True)  # no time to find out


def test_a_fault_without_time_to_look_names_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "FAULT_SECONDS", 0.0)
    found = located(BotFault("gambling", 1, 1, 0, "raised IndexError"), make_lineup([gambling, "random"]))
    assert found.place.startswith("test_second_look.py, line ")
    assert found.place.endswith(": def gambling(view: View) -> int:")


def test_a_fault_of_our_own_bots_is_left_as_it_is() -> None:
    fault = BotFault("random", 1, 1, 0, "raised IndexError")
    assert located(fault, make_lineup(["random", "greedy"])) is fault


@kibitz.bot
def far(view: View) -> int:
    return view.sizes[view.hand_size() + 90]


def test_a_search_at_the_table_does_not_take_the_time() -> None:
    lineup = make_lineup([far, "linear"])
    quick = second_look._with_compiled_searches(lineup)
    assert quick.entrants[0] is lineup.entrants[0]
    assert not quick.entrants[1].is_compiled  # asked by the plain loop, and compiled itself
    with pytest.raises(BotFault, match=r"index 97, but the list has 10 items, in test_second_look.py, line \d+: return view"):
        kibitz.match([far, "linear"], games=10, threads=1)
