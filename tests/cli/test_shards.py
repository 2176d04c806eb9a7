"""Shares of runs as a user plays and merges them: every kind of experiment comes out as on one machine, to the last digit."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.bots.uno.linear import CLASSES, write_weights
from kibitz.core.errors import BadValue
from kibitz.experiments import merged_runs
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.runs import rows
from kibitz.runs.database import Store, open_store
from kibitz.runs.store import RunLedger, read_run, reopen, write_row
from tests.commands import check_refused, kibitz_command

SHARES = 3
STUDIES = "kibitz.experiments.studies.uno"
CUP = """
game = "{game}"
format = "{format}"
games = 12
table = {table}
{seed}
"""
PLAYER = '\n[[players]]\nname = "{name}"\n{bot}\n'
BOTS = ('bot = "random"', 'bot = "greedy"', 'bot = "mix2"', 'bot = "random"')
OUTSIDE = ('file = "asked.py:Asked"', 'bot = "greedy"', 'bot = "random"')
ASKED = '''
class Asked:
    """Plays its first card that fits."""

    def choose(self, view):
        fitting = [card for card in range(56) if view.can_play(card)]
        return view.play(fitting[0], view.common_colour()) if fitting else view.decline()
'''

SHORT = {"PLAYED": 4, "WINDOWS": 5, "MARKS": (0.5, 1.0), "LONG": 1}
SHORT_STEPS = {"SAMPLE_STEPS": (2, 50), "DEPTH_STEPS": (1, 2), "DRAW_STEPS": (1, 60), "MANY": 60, "WORLDS": 2, "KEYS": 2}

# Words of commands, with what makes a study smaller than its options can.
LINES: dict[str, dict[str, Any]] = {
    "evaluate random greedy --games 45 --seed 5": {},
    "evaluate asked.py:Asked --games 20 --against greedy": {},
    "match mix2 random --games 40 --to 50 --seating balanced": {},
    "match greedy random random --games 31 --seating rotate": {},
    "match random outer --game hanabi --games 20": {},
    "compare mix2 greedy --games 301": {},
    "compare mix2 greedy --with random --games 100 --luck": {},
    "tournament round-robin.toml": {},
    "tournament gauntlet.toml": {},
    "tournament free-for-all.toml": {},
    "tournament outside.toml": {},
    "study contests --games 2": {},
    "study crossplay outer random --games 20 --players 2": {},
    "study exact random greedy expectiminimax:samples=2 expectiminimax:samples=4 --samples 4": {},
    "study skill --games 20 --search-games 20 --rollouts 1": {},
    "study perceptrons --games 20 --seeds 2 --check 100 --final 100": {f"perceptrons.study.{name}": value for name, value in SHORT.items()},
    "study expectiminimax --games 1 --positions 2 --repeats 2": {
        f"expectiminimax.search_errors.{name}": value for name, value in SHORT_STEPS.items()
    },
}
EVALUATION = "evaluate random greedy --games 45 --seed 5"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where shares are played: with tournaments, and a bot in a file."""
    (tmp_path / "asked.py").write_text(ASKED)
    for name, bots in (("round-robin", BOTS[:3]), ("gauntlet", BOTS[:3]), ("free-for-all", BOTS), ("outside", OUTSIDE)):
        kind, table = ("round-robin", 2) if name == "outside" else (name, 3 if name == "free-for-all" else 2)
        players = "".join(PLAYER.format(name=f"P{place}", bot=bot) for place, bot in enumerate(bots))
        (tmp_path / f"{name}.toml").write_text(CUP.format(game="uno", format=kind, table=table, seed="seed = 3") + players)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in ("seconds", "games_per_second")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command prints that ends with this code."""
    ended = kibitz_command(capsys, *words)
    assert ended[0] == code, ended
    return ended[1]


def figures(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return without_times(json.loads(run(capsys, *words, "--json", "-", code=code)))


def play(capsys: pytest.CaptureFixture[str], line: str, *shares: int, count: int = SHARES, prefix: str = "part") -> list[str]:
    """Play some shares: their stores."""
    stores = []
    for index in shares or range(1, count + 1):
        stores.append(f"{prefix}-{index}.sqlite")
        run(capsys, *line.split(), "--shard", f"{index}/{count}", "--store", stores[-1])
    return stores


def content(store: str) -> list[str]:
    """All that a store holds."""
    connection = sqlite3.connect(store)
    order = {"runs": "id", "units": "part, first", "faults": "part, game, rowid", "games": "part, game, rowid"}
    found = [
        str(row)
        for table, by in order.items()
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY run, {by}".replace("run, id", "id"))
    ]
    connection.close()
    return found


@pytest.mark.parametrize("line", LINES)
def test_merged_shares_are_the_whole_run(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LINES[line].items():
        monkeypatch.setattr(f"{STUDIES}.{name}", value)
    parts = play(capsys, line)
    merged = json.loads(run(capsys, "merge", "all.sqlite", *parts, "--json", "-"))["runs"][0]
    whole = figures(capsys, *line.split(), "--store", "whole.sqlite")
    assert (merged["complete"], merged["missing"], merged["shares"]) == (True, [], ["1/3", "2/3", "3/3"])
    assert without_times(merged["figures"]) == whole
    shown = [json.loads(run(capsys, "runs", "show", "1", "--store", store, "--json", "-")) for store in ("all.sqlite", "whole.sqlite")]
    assert [each["status"] for each in shown] == ["complete"] * 2
    assert shown[0]["done"] == shown[1]["done"] and shown[0]["config"] == shown[1]["config"]


def test_the_same_task_brings_the_same_in_any_share(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The limit of a series of searches is kept with its first budget, also where a share begins with the second."""
    line = "study exact expectiminimax:samples=2 expectiminimax:samples=4 --samples 4"
    all_of_it, half = play(capsys, line, 1, count=1), play(capsys, line, 2, count=2, prefix="half")
    run(capsys, "merge", "all.sqlite", *half, *all_of_it)


# -- playing a share --


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare mix2 greedy", "sequential test"),
        ("tune mix2 --for points", "`kibitz tune`, whose games"),
        ("train linear --out w.npz", "`kibitz train linear`, whose games"),
        ("tournament swiss.toml", "a Swiss tournament, whose pairs depend on earlier rounds"),
        ("tournament unseeded.toml", "needs a seed that all shares have"),
    ],
)
def test_what_is_decided_on_the_way_is_not_divided(line: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "round-robin.toml").read_text()
    (folder / "swiss.toml").write_text(text.replace("round-robin", "swiss"))
    (folder / "unseeded.toml").write_text(text.replace("seed = 3", ""))
    ended = kibitz_command(capsys, *line.split(), "--shard", "1/3", "--store", "part-1.sqlite")
    check_refused(ended, "--shard ", said, "--cluster")
    assert not (folder / "part-1.sqlite").exists()
    assert kibitz_command(capsys, *line.split(), "--shard", "1/3") == ended, "also where no store is named"
    if "unseeded" in line:
        run(capsys, *line.split(), "--seed", "7", "--shard", "1/3", "--store", "part-1.sqlite")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--shard 4/3 --store part-4.sqlite", "shard must be I/N with I 1–N"),
        ("--shard 1/3", "--shard 1/3 needs a store of its own: --store part-1.sqlite"),
        ("--shard 1/3 --no-store", "--shard 1/3 needs a store of its own"),
        ("--shard 1/3 --store part-1.sqlite --no-store", "exclude each other"),
        ("--shard 1/3 --store part-1.sqlite --cluster auto", "--shard 1/3 and --cluster are two ways to use many machines"),
    ],
)
def test_a_share_needs_a_number_and_a_store(words: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(kibitz_command(capsys, *EVALUATION.split(), *words.split()), said)


def test_a_tournament_does_not_tell_games_of_a_share(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "tournament round-robin.toml --verbose --shard 1/3 --store part-1.sqlite"
    check_refused(kibitz_command(capsys, *words.split()), "--verbose prints whole games in order")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three shares of an evaluation, all of it merged, and the run in one go."""
    place = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for index in (1, 2, 3):
            quietly(*EVALUATION.split(), "--shard", f"{index}/3", "--store", f"part-{index}.sqlite")
        quietly("merge", "all.sqlite", "part-1.sqlite", "part-2.sqlite", "part-3.sqlite")
        quietly(*EVALUATION.split(), "--store", "whole.sqlite")
    return place


def quietly(*words: str) -> None:
    from kibitz.cli.main import run as run_command

    with pytest.raises(SystemExit) as stop:
        run_command(list(words))
    assert not stop.value.code


@pytest.fixture
def shares(played: Path, folder: Path) -> Path:
    """Copies of all these stores."""
    for store in played.glob("*.sqlite"):
        shutil.copy(store, folder)
    return folder


PARTS = ["part-1.sqlite", "part-2.sqlite", "part-3.sqlite"]


def test_a_share_is_not_published_as_the_whole(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (listed,) = json.loads(run(capsys, "runs", "--store", PARTS[1], "--json", "-"))["runs"]
    assert (listed["shares"], listed["figures"], listed["status"]) == ({"shard": "2/3"}, None, "complete")
    assert "complete, share 2 of 3" in run(capsys, "runs", "--store", PARTS[1])
    shown = run(capsys, "runs", "show", "1", "--store", PARTS[1])
    assert "share 2 of 3: 6 of 18 units, 30 of 90 games" in shown and "wins %" not in shown
    for words in ("report 1 -o page.html", "replay 1 0", "export 1 -o games.csv"):
        check_refused(kibitz_command(capsys, *words.split(), "--store", PARTS[1]), "run 1 is share 2 of 3; merge it", "kibitz merge OUT")
    again = json.loads(run(capsys, "resume", "1", "--store", PARTS[1], "--json", "-"))
    assert (again["shard"], again["complete"], again["share_complete"], again["games"]) == ("2/3", False, True, 30)


@pytest.mark.parametrize(
    "line", [EVALUATION, "compare mix2 greedy --games 301", "tournament round-robin.toml", "study crossplay outer random --games 20"]
)
def test_a_complete_share_is_not_played_twice(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*line.split(), "--shard", "1/3", "--store", PARTS[0]]
    said = run(capsys, *words)
    before = content(PARTS[0])
    assert run(capsys, *words) == said and "share 1 of 3: " in said
    assert content(PARTS[0]) == before
    run(capsys, *words, "--seed", "9")  # another run
    assert len(json.loads(run(capsys, "runs", "--store", PARTS[0], "--json", "-"))["runs"]) == 2


def test_an_interrupted_share_goes_on_with_the_same_command(
    shares: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, words = RunLedger.keep, [*EVALUATION.split(), "--shard", "2/3", "--store", "new-2.sqlite"]
    kept: list[int] = []

    def interrupted(self: RunLedger, *arguments: Any, **named: Any) -> None:
        keep(self, *arguments, **named)
        kept.append(1)
        if len(kept) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RunLedger, "keep", interrupted)
        code, out, err = kibitz_command(capsys, *words)
    assert code == 130 and "INCOMPLETE: 10 games of it" in out and "resume with: kibitz resume 1 --store" in err
    code, out, err = kibitz_command(capsys, *words)
    assert code == 0 and "has begun share 2 of 3 as run 1, which goes on" in err and "INCOMPLETE" not in out
    merged = json.loads(run(capsys, "merge", "new.sqlite", PARTS[0], PARTS[2], "new-2.sqlite", "--json", "-"))["runs"][0]
    assert (
        merged["complete"]
        and without_times(merged["figures"]) == figures(capsys, "runs", "show", "1", "--store", "whole.sqlite")["figures"]
    )


# A share as a process of its own that is killed, as if from outside, when the second unit has been kept.
KILLED = """
import os, signal, sys
from kibitz.cli.main import run
from kibitz.runs.store import RunLedger

keep, kept = RunLedger.keep, []

def killed(self, *arguments, **named):
    keep(self, *arguments, **named)
    kept.append(1)
    if len(kept) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

RunLedger.keep = killed
run(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_share_is_resumed_by_the_command_that_merging_names(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*EVALUATION.split(), "--shard", "2/3", "--store", "new-2.sqlite"]
    done = subprocess.run([sys.executable, "-c", KILLED, *words], capture_output=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "killed, share 2 of 3" in run(capsys, "runs", "--store", "new-2.sqlite")
    merging = ["merge", "new.sqlite", PARTS[0], "new-2.sqlite", PARTS[2]]
    (merged,) = json.loads(run(capsys, *merging, "--json", "-", code=1))["runs"]
    (missing,) = merged["missing"]
    assert (merged["complete"], merged["figures"], merged["done"]) == (False, None, 70)
    assert (missing["shard"], missing["games"], missing["command"]) == ("2/3", 20, "kibitz resume 1 --store new-2.sqlite")
    run(capsys, *shlex.split(missing["command"])[1:])
    (resumed,) = json.loads(run(capsys, "runs", "--store", "new-2.sqlite", "--json", "-"))["runs"]
    assert (resumed["status"], resumed["done"], resumed["asked"]) == ("complete", 30, 30), "only its share"
    (merged,) = json.loads(run(capsys, *merging, "--json", "-"))["runs"]
    assert merged["complete"]


# -- merging --


def test_the_order_of_shares_changes_nothing(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = content("all.sqlite")
    for number, order in enumerate(itertools.permutations(PARTS)):
        run(capsys, "merge", f"{number}.sqlite", *order)
        assert content(f"{number}.sqlite") == wanted
    run(capsys, "merge", "later.sqlite", PARTS[2], code=1)
    run(capsys, "merge", "later.sqlite", PARTS[0], PARTS[2], code=1)
    run(capsys, "merge", "later.sqlite", PARTS[1])
    assert content("later.sqlite") == wanted
    run(capsys, "merge", "2.sqlite", PARTS[1], "later.sqlite", "2.sqlite", "0.sqlite")
    assert content("2.sqlite") == wanted, "merged again, with itself too"


def test_shares_of_other_numbers_fit_in(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    half = play(capsys, EVALUATION, 2, count=2, prefix="half")
    (merged,) = json.loads(run(capsys, "merge", "new.sqlite", *PARTS[:2], *half, "--json", "-", code=1))["runs"]
    assert merged["shares"] == ["1/3", "2/2", "2/3"] and [each["shard"] for each in merged["missing"]] == ["3/3"]
    (merged,) = json.loads(run(capsys, "merge", "new.sqlite", PARTS[2], "--json", "-"))["runs"]
    assert without_times(merged["figures"]) == figures(capsys, "runs", "show", "1", "--store", "whole.sqlite")["figures"]


def test_what_is_missing_is_named_with_the_command_that_plays_it(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "merge", "new.sqlite", PARTS[0], PARTS[2], code=1)
    assert "run 1 of new.sqlite: INCOMPLETE, 60 of 90 games, merged from 2 shares" in out
    assert "missing of share 2 of 3: 6 units, 30 games" in out and "part 1: games 5–9, 15–19 and 40–44" in out
    command = f"kibitz {EVALUATION} --shard 2/3 --store part-2.sqlite"
    assert f"play them with: {command}\n" in out
    Path(PARTS[1]).unlink()
    run(capsys, *shlex.split(command)[1:])
    assert "complete, 90 games, merged from 3 shares" in run(capsys, "merge", "new.sqlite", PARTS[1])


@pytest.mark.parametrize("line", [EVALUATION, "compare mix2 greedy --games 1001", "tournament outside.toml"])
def test_missing_games_can_be_played_in_the_merged_store(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = play(capsys, line, 1, 2)
    run(capsys, "merge", "new.sqlite", parts[1], code=1)
    assert "INCOMPLETE" in run(capsys, "runs", "show", "1", "--store", "new.sqlite")
    whole = figures(capsys, *line.split(), "--no-store")
    assert figures(capsys, "resume", "1", "--store", "new.sqlite") == whole
    late = json.loads(run(capsys, "merge", "new.sqlite", parts[0], "--json", "-"))["runs"][0]
    assert late["shares"] == ["1/3", "2/3"] and without_times(late["figures"]) == whole
    before = content("new.sqlite")
    run(capsys, "merge", "new.sqlite", parts[0])
    assert content("new.sqlite") == before


@pytest.mark.parametrize("line", [EVALUATION, "compare mix2 greedy --games 301", "tournament outside.toml"])
def test_a_merged_store_is_a_store_like_any_other(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "merge", "all.sqlite", *play(capsys, line, count=2))
    run(capsys, *line.split(), "--store", "whole.sqlite")
    for words in ("replay 1 33", "export 1 -o - --format jsonl"):
        told = [run(capsys, *words.split(), "--store", store) for store in ("all.sqlite", "whole.sqlite")]
        assert told[0] == told[1] != ""
    told = [run(capsys, "resume", "1", "--store", store) for store in ("all.sqlite", "whole.sqlite")]
    untimed = [[line for line in text.splitlines() if not re.search(r"games .*in [\d.]+ s|error; [\d.]+ s|--store", line)] for text in told]
    assert untimed[0] == untimed[1] and untimed[0][0] == "run 1 is complete" and len(untimed[0]) > 3
    run(capsys, "report", "1", "-o", "page.html", "--store", "all.sqlite")
    assert "<svg" in Path("page.html").read_text()


def test_files_that_were_asked_for_are_written_when_a_complete_run_is_resumed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = folder / "page.md"
    page.write_text("<!-- results: written by a command -->\n<!-- end of results -->\n")
    parts = play(capsys, "study crossplay outer random --games 20 --players 2 --write page.md", count=2)
    before = page.read_text()
    out = run(capsys, "merge", "all.sqlite", *parts)
    assert "write the files of --write and --plot with: kibitz resume 1 --store all.sqlite" in out and page.read_text() == before
    run(capsys, "resume", "1", "--store", "all.sqlite")
    assert "| outer | 0.00 ± 0.00 |" in page.read_text()


def test_shares_may_write_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for page in ("a.md", "b.md"):
        (folder / page).write_text("<!-- results: written by a command -->\n<!-- end of results -->\n")
    line = "study crossplay outer random --games 20 --players 2"
    play(capsys, f"{line} --write a.md --plot a.svg", 1, count=2)
    play(capsys, f"{line} --write b.md", 2, count=2)
    merged = json.loads(run(capsys, "merge", "all.sqlite", *PARTS[:2], "--json", "-"))["runs"]
    assert [each["complete"] for each in merged] == [True]
    play(capsys, f"{line} --write b.md", 1, count=2)
    assert len(content(PARTS[0])) == len(content(PARTS[1])), "the same share, found again"


def test_an_incomplete_comparison_replays_any_of_its_games(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "compare mix2 greedy --with random --games 400"
    run(capsys, "merge", "all.sqlite", *play(capsys, line, 2, count=2), code=1)
    run(capsys, *line.split(), "--store", "whole.sqlite")
    for index in ("0", "399", "799"):
        assert run(capsys, "replay", "1", index, "--store", "all.sqlite") == run(capsys, "replay", "1", index, "--store", "whole.sqlite")


def test_stores_of_several_runs_are_merged_run_by_run(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = "match random greedy --games 30"
    for index in (1, 3):
        run(capsys, *other.split(), "--shard", f"{index}/3", "--store", PARTS[index - 1])
    first, second = json.loads(run(capsys, "merge", "new.sqlite", *PARTS, "--json", "-", code=1))["runs"]
    assert (first["kind"], first["complete"]) == ("evaluate", True) and (second["kind"], second["complete"]) == ("match", False)
    assert second["missing"][0]["command"] == f"kibitz {other} --shard 2/3 --store part-2.sqlite"


@pytest.mark.parametrize("line", ["evaluate asked.py:Asked --games 20", "tournament trusted.toml"])
def test_folders_may_differ_and_bots_may_not(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = (folder / "outside.toml").read_text().replace('asked.py:Asked"', 'asked.py:Asked"\ntrusted = true')
    for index, place in enumerate(("a", "b", "c"), 1):
        (folder / place).mkdir()
        (folder / place / "asked.py").write_text(ASKED + "# other\n" * (place == "c"))
        (folder / place / "trusted.toml").write_text(cup)
        monkeypatch.chdir(folder / place)
        run(capsys, *line.split(), "--shard", f"{index}/3", "--store", f"../part-{index}.sqlite")
    monkeypatch.chdir(folder)
    check_refused(kibitz_command(capsys, "merge", "all.sqlite", *PARTS), "are of different runs, so they can't be merged: ")
    shutil.rmtree(folder / "a")
    run(capsys, "merge", "all.sqlite", *PARTS[:2], code=1)
    assert run(capsys, "replay", "1", "3", "--store", "all.sqlite"), "with the file where it still is"


WEIGHTED = {
    "weights": "evaluate linear:weights.npz --games 20 --against random",
    "weights of a tournament": "tournament weights.toml",
    "program": "tournament program.toml",
}


@pytest.mark.parametrize("line", WEIGHTED.values(), ids=WEIGHTED)
def test_weights_and_programs_are_told_apart(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = CUP.format(game="uno", format="round-robin", table=2, seed="seed = 3") + PLAYER.format(name="A", bot='bot = "random"')
    asked = (folder / "asked.py").read_text()
    for index, place in enumerate(("a", "b", "c"), 1):
        (folder / place).mkdir()
        write_weights(folder / place / "weights.npz", np.full((len(CLASSES), FEATURES), float(place == "c")))
        (folder / place / "program.py").write_text(asked + "# other\n" * (place == "c"))
        (folder / place / "weights.toml").write_text(cup + PLAYER.format(name="B", bot='bot = "linear:weights.npz"'))
        (folder / place / "program.toml").write_text(cup + PLAYER.format(name="B", bot='command = "python3 program.py"'))
        monkeypatch.chdir(folder / place)
        run(capsys, *line.split(), "--shard", f"{index}/3", "--store", f"../part-{index}.sqlite")
    monkeypatch.chdir(folder)
    check_refused(kibitz_command(capsys, "merge", "all.sqlite", *PARTS), "are of different runs, so they can't be merged: ")
    code, _, err = kibitz_command(capsys, "merge", "all.sqlite", *PARTS[:2])
    assert code < 2, err
    shown = run(capsys, "runs", "show", "1", "--store", "all.sqlite", "--json", "-")
    assert str(folder) not in json.dumps(json.loads(shown)["config"])


def test_a_run_goes_on_with_the_weights_that_it_began_with(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "there").mkdir()
    write_weights(folder / "there" / "weights.npz", np.zeros((len(CLASSES), FEATURES)))
    monkeypatch.chdir(folder / "there")
    parts = play(capsys, WEIGHTED["weights"], 1, 2)
    monkeypatch.chdir(folder)
    run(capsys, "merge", "all.sqlite", *(f"there/{part}" for part in parts), code=1)
    shutil.copy("all.sqlite", "older.sqlite")
    older = {**config_of(folder / "older.sqlite"), "files": {}}  # as versions wrote it that had no fingerprints of weights
    change_run(folder / "older.sqlite", config=json.dumps(older))
    run(capsys, "resume", "1", "--store", "all.sqlite")
    write_weights(folder / "there" / "weights.npz", np.ones((len(CLASSES), FEATURES)))
    check_refused(kibitz_command(capsys, "replay", "1", "3", "--store", "all.sqlite"), "weights.npz has changed since the run began")
    monkeypatch.chdir(folder / "there")
    run(capsys, "resume", "1", "--store", "../older.sqlite")


# -- what is not merged --


def change_run(store: Path, **changes: Any) -> None:
    """Give a run other values, as if it had been played so."""
    with open_store(store) as opened, opened.writing() as connection:
        write_row(connection, {**read_run(opened, 1).row, **changes}, changes)


def change_unit(store: Path) -> None:
    """Give a unit another result."""
    with open_store(store) as opened, opened.writing() as connection:
        row = rows.read(opened, "units", "WHERE part = 1 ORDER BY first LIMIT 1")[0]
        connection.execute("DELETE FROM units WHERE part = 1 AND first = ?", (row[2],))
        rows.insert(connection, "units", [(*row[:4], bytes([row[4][0] ^ 1]) + row[4][1:])])


def other_results(folder: Path) -> None:
    change_run(folder / PARTS[1], results_version=7)


def other_run(folder: Path) -> None:
    config = json.dumps({**config_of(folder / PARTS[1]), "seed": 6})
    change_run(folder / PARTS[1], config=config)


def other_cut(folder: Path) -> None:
    with open_store(folder / PARTS[1]) as opened:
        shares = json.loads(read_run(opened, 1).row["shares"])
    change_run(folder / PARTS[1], shares=json.dumps({**shares, "cut": [[2, [[41, 1]]]]}))


def cut_elsewhere(folder: Path) -> None:
    """Units are not where the cut says."""
    with open_store(folder / PARTS[1]) as opened, opened.writing() as connection:
        row = rows.read(opened, "units", "WHERE part = 1 ORDER BY first LIMIT 1")[0]
        connection.execute("DELETE FROM units WHERE part = 1 AND first = ?", (row[2],))
        rows.insert(connection, "units", [(*row[:2], row[2] + 1, *row[3:])])


def flipped_bit(folder: Path) -> None:
    connection = sqlite3.connect(folder / PARTS[1])
    connection.execute("UPDATE units SET payload = CAST(x'00' || substr(payload, 2) AS BLOB) WHERE part = 1")
    connection.commit()
    connection.close()


def lost_unit(folder: Path) -> None:
    connection = sqlite3.connect(folder / PARTS[1])
    connection.execute("DELETE FROM units WHERE rowid = (SELECT max(rowid) FROM units)")
    connection.commit()
    connection.close()


def config_of(store: Path) -> dict[str, Any]:
    with open_store(store) as opened:
        return read_run(opened, 1).config


def strange_command(folder: Path) -> None:
    change_run(folder / PARTS[1], command="kibitz evaluate 'random")


REFUSED: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "another run": (other_run, ("part-2.sqlite", "are of different runs, so they can't be merged: seed is ", "5", "6")),
    "other results": (other_results, ("part-2.sqlite was played with version 7 of the results of uno, and this kibitz has version ",)),
    "another cut": (other_cut, ("is cut otherwise than",)),
    "a strange command": (strange_command, ("part-2.sqlite is damaged: the command of run 1 can't be read (No closing quotation)",)),
    "units elsewhere": (cut_elsewhere, ("part-2.sqlite has games of part 1 that are cut otherwise than its shares say",)),
    "no store": (lambda folder: (folder / PARTS[1]).write_text("hello"), ("part-2.sqlite is not a store of kibitz", "is left as it is.")),
    "no file": (lambda folder: (folder / PARTS[1]).unlink(), ("there is no store at", "part-2.sqlite")),
    "a flipped bit": (flipped_bit, ("part-2.sqlite is damaged: the result of games", "does not match its checksum")),
    "a lost unit": (lost_unit, ("part-2.sqlite is damaged: run 1 has 30 games, but",)),
    "no share": (lambda folder: shutil.copy(folder / "whole.sqlite", folder / PARTS[1]), ("part-2.sqlite holds no share of a run",)),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_does_not_belong_to_the_run_is_refused(how: str, shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoil, said = REFUSED[how]
    spoil(shares)
    check_refused(kibitz_command(capsys, "merge", "new.sqlite", *PARTS), *said)
    assert not list(shares.glob("new.sqlite*")), "nothing is left behind"
    assert "name another file" not in kibitz_command(capsys, "merge", "new.sqlite", *PARTS)[2]


def test_shares_that_disagree_are_refused_with_the_unit(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(PARTS[1], "other.sqlite")
    change_unit(shares / "other.sqlite")
    before = content("all.sqlite")
    for out in ("new.sqlite", "all.sqlite"):
        ended = kibitz_command(capsys, "merge", out, PARTS[1], "other.sqlite", PARTS[0])
        check_refused(ended, ".sqlite disagrees with the other shares about games 5 to 9 of part 1")
    assert content("all.sqlite") == before and not Path("new.sqlite").exists()


def test_a_share_that_is_being_played_is_refused(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change_run(shares / PARTS[1], status="interrupted")
    with open_store(shares / PARTS[1]) as opened, reopen(opened, 1):
        check_refused(kibitz_command(capsys, "merge", "new.sqlite", *PARTS), "part-2.sqlite: run 1 is being played by process")
    run(capsys, "merge", "new.sqlite", *PARTS)


def test_a_merged_run_that_is_being_played_is_left_alone(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "merge", "new.sqlite", *PARTS[:2], code=1)
    with open_store(shares / "new.sqlite") as opened, reopen(opened, 1):
        check_refused(kibitz_command(capsys, "merge", "new.sqlite", PARTS[2]), "run 1 of", "new.sqlite is being played")


@pytest.mark.parametrize("agrees", [True, False])
def test_what_another_merge_finished_meanwhile_stays(agrees: bool, shares: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two merges make the same store, and the second of them, whose shares may be refused, is the slower one."""
    shutil.copy(PARTS[1], "other.sqlite")
    if not agrees:
        change_unit(shares / "other.sqlite")
    out, opens = shares / "new.sqlite", open_store

    def slow(path: Path, create: bool = True) -> Store:
        monkeypatch.setattr(merged_runs, "open_store", opens)
        merged_runs.merge_runs(out, PARTS)
        return opens(path, create)

    monkeypatch.setattr(merged_runs, "open_store", slow)
    with nullcontext() if agrees else pytest.raises(BadValue, match="disagrees with the other shares"):
        merged_runs.merge_runs(out, [PARTS[0], PARTS[1], "other.sqlite"])
    assert content("new.sqlite") == content("all.sqlite")
    assert [path.name for path in shares.glob("new.sqlite*") if path.is_dir()] == []


def test_what_is_merged_stays_if_its_figures_cannot_be_made(shares: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(merged_runs, "recalled", stopped)
        with pytest.raises(KeyboardInterrupt):
            merged_runs.merge_runs(shares / "new.sqlite", PARTS)
    (merged,) = merged_runs.merge_runs(shares / "new.sqlite", PARTS[:1])
    assert merged.run.status == "complete" and content("new.sqlite") == content("all.sqlite")


def test_a_disk_without_links_is_merged_to(shares: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refused)
    merged_runs.merge_runs(shares / "new.sqlite", PARTS)
    assert content("new.sqlite") == content("all.sqlite")


def test_where_to_merge(shares: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(kibitz_command(capsys, "merge", PARTS[0], *PARTS[1:]), "part-1.sqlite holds share 1 of 3; name another file")
    check_refused(kibitz_command(capsys, "merge", "all.sqlite", "all.sqlite"), "nothing to merge")
    (shares / "text").write_text("hello")
    check_refused(kibitz_command(capsys, "merge", "text", *PARTS), "text is not a store of kibitz")
    assert (shares / "text").read_text() == "hello"
    other = play(capsys, "match random greedy --games 30", 1, prefix="other")
    check_refused(kibitz_command(capsys, "merge", "all.sqlite", *other), "of different runs", "there is no `")
    run(capsys, "merge", "whole.sqlite", *PARTS)  # beside other runs
    assert [each["id"] for each in json.loads(run(capsys, "runs", "--store", "whole.sqlite", "--json", "-"))["runs"]] == [2, 1]
