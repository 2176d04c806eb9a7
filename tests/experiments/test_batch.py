"""Batches: equal results however they are cut and spread, faults that can be reproduced, bounded memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.bots.bot import bot
from kibitz.core.errors import BadValue, BotFault
from kibitz.experiments.batch import FEW_GAMES, Batch, Workers, open_workers
from kibitz.games.uno.engine import TALLY_DEALS, TALLY_ENTRIES
from kibitz.play.game import play
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit, cut

pytestmark = pytest.mark.usefixtures("both_ways")


class LastCard:
    """A Python bot that plays its highest card type."""

    def choose(self, view: Any) -> int:
        return int(view.play(max(card for card in view.cards() if view.can_play(card)), view.randbelow(4)))


class Counting:
    """A Python bot that follows the game and plays by what it heard."""

    def begin(self, view: Any) -> None:
        self.heard = view.randbelow(3)

    def observe(self, view: Any, event: Any) -> None:
        self.heard += event.kind + event.seat

    def choose(self, view: Any) -> int:
        cards = [card for card in view.cards() if view.can_play(card)]
        return int(view.play(cards[self.heard % len(cards)], self.heard % 4))


class Nonsense:
    """Answers with a text."""

    def choose(self, view: Any) -> str:
        return "draw"


@bot
def drawing(view: Any) -> int:
    """Draws until it must not."""
    return int(view.decline())


@bot
def illegal_late(view: Any) -> int:
    """Plays on until turn 20, then answers nonsense."""
    return 84 if view.turn > 20 else view.decline()


def tally(batch: Batch, threads: int) -> list[int]:
    with open_workers(threads) as workers:
        batch.run(workers)
    assert batch.complete
    return [int(value) for value in batch.tally]


@pytest.mark.parametrize("bots", [["mix2", "random"], ["score", "card_counting:points", "greedy", "random", "mix", "diversity"]])
def test_equal_seeds_give_equal_results_for_any_threads_and_units(bots: list[str], both_ways: str) -> None:
    lineup, games = make_lineup(bots), 100 if both_ways == "plain" else 700
    ways = [(1, 1000), (1, 97), (2, 13), (3, 97), (3, 13)]
    results = [tally(Batch(lineup, games, 11, unit_size=size), threads) for threads, size in ways]
    assert all(result == results[0] for result in results)
    assert results[0][TALLY_DEALS] == games
    assert tally(Batch(lineup, games, 12), 2) != results[0]


def test_a_batch_is_the_sum_of_its_games_one_by_one() -> None:
    bots = ["mix2", "greedy", "random"]
    batch = tally(Batch(make_lineup(bots), 40, 3), 2)
    wins, points = [0, 0, 0], [0, 0, 0]
    for index in range(40):
        game = play(bots, seed=3, index=index)
        assert game.winner is not None
        entry = [registry.entrant(name).name for name in bots].index(game.seats[game.winner])
        wins[entry] += 1
        points[entry] += game.points
    assert [batch[TALLY_ENTRIES + 3 * entry] for entry in range(3)] == wins
    assert [batch[TALLY_ENTRIES + 3 * entry + 1] for entry in range(3)] == points


@pytest.mark.parametrize(
    "bots", [[LastCard, "mix2"], [Counting, "card_counting", LastCard], [Counting, "random", Counting, "mix2", LastCard, "score"]]
)
def test_python_bots_play_the_same_games_mixed_and_plain(bots: list[Any]) -> None:
    lineup = make_lineup(bots)
    mixed = Batch(lineup, 60, 5)
    plain = Batch(lineup, 60, 5, jit=False)
    assert tally(mixed, 1) == tally(plain, 1)


def test_python_bots_in_worker_processes_play_the_same_games(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "class Mine:\n    def choose(self, view):\n        return view.play(max(c for c in view.cards() if view.can_play(c)), view.randbelow(4))\n"
    )
    games = FEW_GAMES + 300
    lineup = make_lineup([f"{file}:Mine", "random"])
    in_processes = Batch(lineup, games, 5)
    assert tally(in_processes, 2) == tally(Batch(make_lineup([LastCard, "random"]), games, 5), 1)


def test_a_fault_from_a_worker_process_says_how_to_reproduce_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    def choose(self, view):\n        return 1 // 0\n")
    lineup = make_lineup([f"{file}:Mine", "random"], "official", "rotate")
    faults = []
    for workers in (1, 2):
        with open_workers(workers) as pool, pytest.raises(BotFault) as caught:
            Batch(lineup, FEW_GAMES + 300, 5).run(pool)
        faults.append(caught.value)
    here, there = faults
    assert str(there).endswith("--rules official --seating rotate)")
    assert (str(there), vars(there)) == (str(here), vars(here))


def test_fixed_seating_keeps_everybody_in_place() -> None:
    for index in range(10):
        assert play(["mix2", "greedy", "random"], index=index, seating="fixed").seats == ["mix2:win_rate", "greedy", "random"]
    seats = {tuple(play(["mix2", "greedy", "random"], index=index).seats) for index in range(60)}
    assert len(seats) == 6


@pytest.mark.parametrize("jit", [True, False])
def test_a_fault_names_the_game_that_reproduces_it(jit: bool) -> None:
    batch = Batch(make_lineup([illegal_late, "random"]), 500, 7, jit=jit)
    with open_workers(1) as workers, pytest.raises(BotFault) as caught:
        batch.run(workers)
    fault = caught.value
    assert "illegal_late" in str(fault)
    assert f"--seed 7 --index {fault.index}" in str(fault)
    with pytest.raises(BotFault) as again:
        play([illegal_late, "random"], seed=7, index=fault.index)
    assert (again.value.seat, again.value.what) == (fault.seat, fault.what)


@pytest.mark.parametrize("jit", [True, False])
def test_a_python_bot_that_answers_nonsense_is_at_fault(jit: bool) -> None:
    with open_workers(1) as workers, pytest.raises(BotFault, match="answered 'draw', which is not an action number"):
        Batch(make_lineup([Nonsense, "random"]), 5, 7, jit=jit).run(workers)


def test_games_that_do_not_end_are_counted() -> None:
    rules = "classic,max_turns=30"
    result = tally(Batch(make_lineup([drawing, drawing], rules), 50, 1), 1)
    assert result[1] == 50
    assert result[2] == 50 * 30


@pytest.mark.parametrize(("games", "size"), [(1, 10), (10, 3), (10, 10), (11, 10)])
def test_units_cover_every_game_once(games: int, size: int) -> None:
    units = list(cut(games, size))
    assert [index for unit in units for index in range(unit.first, unit.first + unit.count)] == list(range(games))


def test_splitting_a_range_changes_nothing() -> None:
    lineup = make_lineup(["card_counting", "score", "mix2"])
    whole = play_compiled(lineup, 9, Unit(100, 60))
    parts = play_compiled(lineup, 9, Unit(100, 17)) + play_compiled(lineup, 9, Unit(117, 43))
    assert np.array_equal(whole, parts)
    assert np.array_equal(whole, play_plain(lineup, 9, Unit(100, 60)))


def test_bad_numbers_are_refused() -> None:
    lineup = make_lineup(["random", "random"])
    with pytest.raises(BadValue, match="at least 1 game"):
        Batch(lineup, 0, 1)
    with pytest.raises(BadValue, match="seed"):
        Batch(lineup, 1, -1)
    with pytest.raises(BadValue, match="threads"):
        Workers(0)
