"""Seats that rotate, and games noted one by one."""

from __future__ import annotations

import numpy as np
import pytest

import kibitz
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.results import row_of
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.outcomes import points_by_entry, wins_by_entry
from kibitz.runs.units import Unit
from tests.runs.notebook import Notebook

pytestmark = pytest.mark.usefixtures("both_ways")


def run(lineup: Lineup, games: int, workers: Workers | None = None, **options: object) -> Batch:
    batch = Batch(lineup, games, 5, **options)  # type: ignore[arg-type]  # options of Batch
    with open_workers(1) as own:
        batch.run(workers or own)
    return batch


LINEUPS = [
    (["greedy", "random", "diversity"], {}),
    (["greedy", "random"], {"to": 100}),
    (["iggi", "random"], {"game": "hanabi"}),
]


@pytest.mark.parametrize(("bots", "options"), LINEUPS)
def test_rotations_of_a_deal_start_from_the_same_cards(bots: list[str], options: dict[str, str]) -> None:
    game = options.get("game", "uno")
    for deal in range(3):
        games = [kibitz.play(bots, seed=9, index=deal * len(bots) + turn, seating="rotate", game=game) for turn in range(len(bots))]
        assert len({str(played.opening.hands) for played in games}) == 1
        assert [played.seats for played in games] == [bots[turn:] + bots[:turn] for turn in range(len(bots))]
    other = kibitz.play(bots, seed=9, index=3 * len(bots), seating="rotate", game=game)
    assert other.opening.hands != games[0].opening.hands


@pytest.mark.parametrize("seating", ["random", "rotate", "fixed"])
@pytest.mark.parametrize(("bots", "options"), LINEUPS)
def test_noted_games_add_up_to_the_tally(bots: list[str], options: dict[str, str], seating: str) -> None:
    lineup = make_lineup(bots, seating=seating, **options)  # type: ignore[arg-type]  # options of make_lineup
    summed, noted = run(lineup, 60), run(lineup, 60, noted=True).outcomes()
    assert len(noted) == 60
    row = row_of(summed, 0)
    if lineup.game.cooperative:
        assert points_by_entry(lineup, noted)[:, 1].mean() == pytest.approx(row.score)
        assert wins_by_entry(lineup, noted).sum() == 0
    else:
        for entry in range(lineup.players):
            row = row_of(summed, entry)
            assert wins_by_entry(lineup, noted)[:, entry].sum() == row.wins
            assert points_by_entry(lineup, noted)[:, entry].sum() == row.points_total
    assert noted["turns"].sum() == row.turns_total


@pytest.mark.parametrize(("bots", "options"), LINEUPS)
def test_noted_games_are_the_same_however_they_are_played(bots: list[str], options: dict[str, str]) -> None:
    lineup = make_lineup(bots, seating="rotate", **options)  # type: ignore[arg-type]  # options of make_lineup
    whole = run(lineup, 30, noted=True).outcomes()
    assert np.array_equal(run(lineup, 30, noted=True, unit_size=7).outcomes(), whole)
    assert np.array_equal(run(lineup, 12, noted=True, jit=False).outcomes(), whole[:12])


def test_python_bots_are_noted_as_well() -> None:
    def first(view: object) -> int:
        return next(action for action in range(250) if view.is_legal(action))  # type: ignore[attr-defined]  # a view

    lineup = make_lineup([first, "random"], seating="rotate")
    noted = run(lineup, 40, noted=True).outcomes()
    assert np.array_equal(run(lineup, 40, noted=True, jit=False).outcomes(), noted)
    assert wins_by_entry(lineup, noted)[:, 0].sum() == row_of(run(lineup, 40), 0).wins


def test_units_hold_whole_deals() -> None:
    batch = Batch(make_lineup(["random"] * 3, seating="rotate"), 100, 1, unit_size=10)
    assert [unit.count for unit in batch.units()] == [12] * 8 + [4]


@pytest.mark.parametrize("noted", [False, True])
def test_units_in_the_ledger_are_not_played_again(noted: bool) -> None:
    lineup = make_lineup(["mix2", "random"], seating="rotate")
    notebook = Notebook()
    whole = run(lineup, 60, noted=noted, unit_size=20, ledger=notebook, part=3)
    assert sorted(unit.first for unit in notebook.finished(3)) == [0, 20, 40]
    del notebook.units[3][Unit(20, 20)]
    notebook.units[3][Unit(40, 20)] = notebook.units[3][Unit(0, 20)]  # a mark that shows what was taken over
    again = Batch(lineup, 60, 5, noted=noted, unit_size=20, ledger=notebook, part=3)
    assert again.recall() == 40
    assert [unit.first for unit in again.units()] == [20]
    again = Batch(lineup, 60, 5, noted=noted, unit_size=20, ledger=notebook, part=3)
    counts: list[int] = []
    with open_workers(1) as workers:
        again.run(workers, counts.append)
    assert (counts, again.complete) == ([40, 20], True)
    if noted:
        assert np.array_equal(again.outcomes()[:40], whole.outcomes()[:40])
        assert np.array_equal(again.outcomes()[40:], whole.outcomes()[:20])
    else:
        assert again.tally[0] == 60
        assert not np.array_equal(again.tally, whole.tally)
