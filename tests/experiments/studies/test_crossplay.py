"""The study of cross-play: which teams play, that their scores are those of matches, and means over teams with errors over deals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.experiments.studies.hanabi.crossplay import figures
from kibitz.experiments.studies.hanabi.crossplay.study import Crossplay, StudyCrossplay
from kibitz.report.formatting import BEGIN_MARK, END_MARK
from tests.commands import kibitz_command

BOTS = ("iggi", "random", "piers")


@pytest.fixture(scope="module")
def played() -> Crossplay:
    return StudyCrossplay(BOTS, games=60, seed=4, threads=1).play()


def made_up() -> Crossplay:
    """Scores nobody played: two deals, in which `a` with `b` is good when the others are bad."""
    study = Crossplay(("a", "b", "c"), (2,), "standard", 2, 1)
    study.scores = {
        ("a", "a"): np.array([20, 20], dtype=np.int8),
        ("a", "b"): np.array([10, 14], dtype=np.int8),
        ("a", "c"): np.array([16, 10], dtype=np.int8),
        ("b", "c"): np.array([1, 5], dtype=np.int8),
    }
    return study


def test_every_team_plays_and_no_team_twice() -> None:
    assert list(StudyCrossplay(("iggi", "piers"), players="2").tasks()) == [("iggi", "iggi"), ("iggi", "piers"), ("piers", "piers")]
    assert len(StudyCrossplay(BOTS).tasks()) == 6 + 10
    teams = StudyCrossplay(("iggi", "meanimax")).tasks()
    assert ("iggi", "meanimax") in teams and ("iggi", "iggi", "iggi") in teams
    assert not any("meanimax" in team for team in teams if len(team) == 3)  # which plays in pairs only


def test_searchers_and_cheaters_join_on_request_only() -> None:
    names = StudyCrossplay().names
    assert {"iggi", "piers", "random"} <= set(names) and not {"cheater", "meanimax"} & set(names)
    assert set(names) <= set(registry.game("hanabi").bots)


@pytest.mark.parametrize("team", [("iggi", "piers"), ("iggi", "random", "piers")])
def test_scores_are_those_of_a_match(played: Crossplay, team: tuple[str, ...]) -> None:
    row = kibitz.match(list(team), game="hanabi", games=60, seed=4).rows[0]
    mean = played.score(*team)
    assert mean is not None
    assert mean.value == pytest.approx(row.score) and mean.error == pytest.approx(row.score_se)
    assert played.score(*reversed(team)) == mean


def test_errors_are_over_deals() -> None:
    study = made_up()
    a = study.with_strangers("a", 2)
    assert a is not None and (a.value, a.error) == (12.5, 0.5)  # 13 and 12, however its partners differ
    c = study.with_strangers("c", 2)
    assert c is not None and c.value == 8.0 and c.error == pytest.approx(0.5)  # 8.5 and 7.5
    b = study.with_strangers("b", 2)
    assert b is not None and b.value == 7.5 and b.error == pytest.approx(2.0)  # 5.5 and 9.5
    assert study.score("c", "c") is None


def test_tables_say_who_plays_well_with_strangers() -> None:
    first, scores = figures.tables_of(made_up())
    assert first.rows[0] == ["a", "12.50 ± 0.50", "20.00 ± 0.00", "c", "13.00 ± 3.00"]
    assert [row[0] for row in first.rows] == ["a", "c", "b"]
    assert scores.rows[2] == ["c", "13.00 ± 3.00", "3.00 ± 2.00", ""]


def test_a_whole_study_prints_draws_and_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN_MARK}\n{END_MARK}\n")
    words = ["study", "crossplay", *BOTS, "--games", "20", "--json", str(tmp_path / "found.json"), "--write", str(page)]
    code, out, _ = kibitz_command(capsys, *words, "--plot", str(tmp_path / "plot.svg"))
    assert code == 0 and "who plays well with strangers?" in out
    found = json.loads((tmp_path / "found.json").read_text())
    assert len(found["teams"]) == 16 and len(found["bots"]) == 6
    assert "two of the row's bot" in (tmp_path / "plot.svg").read_text()
    assert "`kibitz study crossplay iggi random piers" in page.read_text()
    everybody = StudyCrossplay(games=5)
    assert everybody.command(everybody.recall()) == "kibitz study crossplay --games 5 --players 2,3 --seed 1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["iggi"], "at least two bots"),
        (["iggi", "iggi"], "each bot takes part once"),
        (["iggi", "piers", "--players", "4"], "players must be 2, 3 or 2,3, got 4"),
        (["iggi", "mix2"], "mix2"),
        (["iggi", "piers", "--games", "0"], "at least 1 game"),
    ],
)
def test_refusals(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = kibitz_command(capsys, "study", "crossplay", *words)
    assert code == 2 and said in err and "Traceback" not in err
