"""`kibitz compare` as a user types it: one plain sentence, figures, JSON, and what happens on Ctrl-C."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.cli.options import console
from kibitz.cli.runs import print_figures
from kibitz.experiments.comparison import GAUGE_WIDTH, compare, gauge_lines
from kibitz.runs.database import open_store
from kibitz.runs.store import read_run
from tests.commands import kibitz_command

pytestmark = pytest.mark.usefixtures("store")


def test_verdict_is_one_plain_sentence_with_what_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "compare", "mix2", "random")
    sentence, difference, games, pairing = out.splitlines()
    assert code == 0
    assert sentence.startswith("mix2:win_rate is better than random: decided after ")
    assert "-0.5 v +0.5 percentage points, error rates 5 % and 5 %" in sentence
    assert "percentage points over 50 % (95 % interval +" in difference
    assert games.endswith("games/s, seed 1")
    assert "without pairing it would take" in pairing
    assert "\x1b[" not in out + err
    assert "log-likelihood" not in err


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "mix2", "greedy", "--with", "score", "--with", "random", "--for", "points", "--margin", "3", "--seed", "4"]
    code, out, _ = kibitz_command(capsys, *words, "--json", "-")
    value = json.loads(out)
    result = compare("mix2", "greedy", others=["score", "random"], measure="points", margin=3.0, seed=4)
    assert code == 0
    assert {name: value[name] for name in value if name != "seconds"} == {
        name: figure for name, figure in result.to_dict().items() if name != "seconds"
    }
    assert value["verdict"] == "h1"
    assert value["with"] == ["score:win_rate", "random"]


def test_fixed_size_has_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "compare", "mix2", "greedy", "--games", "2000", "--confidence", "0.9", "--no-store")
    assert code == 0
    assert "the 90 % interval of the difference" in out
    assert "2,000 games of 1,000 deals" in out


def test_hanabi_teams(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "piers", "random", "--game", "hanabi", "--players", "3", "--for", "points_kept"]
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 0
    assert out.startswith("piers is better than random")
    assert "points kept" in out


def test_undecided_is_said_and_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "compare", "card_counting", "score", "--margin", "0.01", "--max-games", "4000")
    assert code == 0
    assert out.startswith("Undecided after 4,000 games")


INTERRUPTING = """
import os, signal
from kibitz.cli import main
from kibitz.experiments import comparison

def show(self, result):  # the gauge hears of the first finished units: that is when Ctrl-C comes
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
comparison.Gauge.__call__ = show
main.run()
"""


def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = ["compare", "card_counting", "score", "--margin", "0.0001", "--max-games", "2000000000", "--json", str(figures)]
    done = subprocess.run([sys.executable, "-c", INTERRUPTING, *words], capture_output=True, text=True, timeout=300, check=False)
    value = json.loads(figures.read_text())
    assert done.returncode == 130, done.stderr
    assert done.stdout.startswith("Undecided when interrupted after ")
    assert "Traceback" not in done.stderr
    assert "resume with: kibitz resume 1" in done.stderr
    assert (value["complete"], value["verdict"]) == (False, None)
    assert 0 < value["games"] < 2_000_000_000


def test_stored_run_is_printed_again(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = kibitz_command(capsys, "compare", "mix2", "greedy", "--with", "random", "--seed", "6")
    with open_store(store) as opened:
        print_figures(opened, read_run(opened, 1), console())
    assert capsys.readouterr().out == out


# -- the live display --


def test_gauge_shows_the_ratio_between_its_bounds() -> None:
    shown: list[list[str]] = []
    result = compare("mix2", "greedy", margin=1.0, progress=lambda known: shown.append(gauge_lines(known)))
    names, gauge, figures = shown[0]
    assert names.startswith("mix2:win_rate v greedy: log-likelihood ratio ")
    assert gauge.startswith("-2.94 ├")
    assert gauge.endswith("┤ +2.94")
    assert len(gauge) == GAUGE_WIDTH + len("-2.94 ├┤ +2.94")
    assert "percentage points, 200 games" in figures
    assert result.verdict == "h1"
    assert shown[-1][1].endswith("●┤ +2.94")


def test_gauge_of_a_fixed_number_shows_the_share() -> None:
    shown: list[list[str]] = []
    compare("mix2", "greedy", games=400, progress=lambda known: shown.append(gauge_lines(known)))
    assert [lines[0] for lines in shown] == [f"mix2:win_rate v greedy: {share} % of 400 games" for share in (50, 100)]
