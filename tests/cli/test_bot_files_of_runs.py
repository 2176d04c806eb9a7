"""Bots in files and the runs that name them: looking loads none of them, resuming checks them first, and no page shows where they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kibitz.experiments.tournament.config import read_tournament
from kibitz.runs.database import open_store
from kibitz.runs.store import RunLedger, begin, list_runs
from kibitz.runs.units import Unit
from tests.commands import kibitz_command
from tests.table.clients import opened

Capture = pytest.CaptureFixture[str]

BOT = """
import pathlib
pathlib.Path({marker!r}).touch()
class it:
    def choose(self, view):
        return next(a for a in range(250) if view.is_legal(a))
"""
LOOKING = [
    ["runs"],
    ["runs", "--json", "-"],
    ["runs", "show", "1"],
    ["runs", "show", "1", "--json", "-"],
    ["report", "1", "-o", "-"],
]


class Place:
    """A folder with a bot that leaves a mark when it is imported, and a store elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.home, self.marker = folder / "secret folder", folder / "imported"
        self.home.mkdir()
        self.file, self.store, self.cup = self.home / "mine.py", folder / "kibitz.db", self.home / "cup.toml"
        self.file.write_text(BOT.format(marker=str(self.marker)))
        self.cup.write_text(
            'games = 40\nseed = 3\nplayers = [{name = "Ann", file = "mine.py:it", trusted = true}, {name = "Bob", bot = "random"}]\n'
        )

    def words(self, kind: str) -> list[str]:
        """A command that plays the bot."""
        if kind == "tournament":
            return ["tournament", str(self.cup), "--threads", "1"]
        return [kind, f"{self.file}:it", "random", "--games", "40", "--threads", "1"]

    def change(self) -> None:
        """From now on the file is another, and nobody has imported it."""
        self.file.write_text(self.file.read_text() + "# changed\n")
        self.marker.unlink()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.setenv("KIBITZ_STORE", str(made.store))
    return made


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Ctrl-C after the first unit, until it is taken back."""
    keep = RunLedger.keep

    def keep_one(ledger: RunLedger, part: int, unit: Unit, *what: Any) -> None:
        keep(ledger, part, unit, *what)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunLedger, "keep", keep_one)
        patch.setattr("kibitz.experiments.batch.SLOW_UNIT", 10)
        patch.setattr("kibitz.experiments.comparison.BLOCK", 10)
        yield patch.undo


KINDS = ["match", "evaluate", "compare", "tournament"]


@pytest.mark.parametrize("kind", KINDS)
def test_looking_at_a_complete_run_loads_no_bot(kind: str, place: Place, capsys: Capture) -> None:
    assert kibitz_command(capsys, *place.words(kind))[0] == 0
    place.change()
    words = [*LOOKING, ["resume"], ["resume", "1"], ["resume", "1", "--json", "-"]]
    if kind in ("compare", "tournament"):  # of the others only sums are kept
        words.append(["export", "1"])
    for each in words:
        code, out, err = kibitz_command(capsys, *each)
        assert (code, err) == (0, ""), each
        assert out, each
        assert not place.marker.exists(), each
    assert "complete" in kibitz_command(capsys, "runs", "show", "1")[1]
    with opened(place.store) as client:
        assert client.get("/api/runs/1").json()["rows"] or kind == "compare"
        assert client.get("/api/runs/1/report").status_code == 200
        assert client.get("/api/runs").status_code == 200
        assert client.get("/api/runs/1/games/0").status_code == 409
    assert not place.marker.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_run_is_shown_without_its_bots_and_refused_before_they_are_loaded(
    kind: str, place: Place, capsys: Capture, interrupted: Callable[[], None]
) -> None:
    assert kibitz_command(capsys, *place.words(kind))[0] == 130
    interrupted()
    place.change()
    for words in (*LOOKING, ["resume"]):
        code, out, _ = kibitz_command(capsys, *words)
        assert code == 0 and out, words
    with opened(place.store) as client:
        assert client.get("/api/runs/1").json()["rows"] or kind == "compare"
        assert client.get("/api/runs/1/report").status_code == 200
    assert not place.marker.exists()
    for words in (["resume", "1"], ["replay", "1", "0"]):
        code, out, err = kibitz_command(capsys, *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words
        assert f"file {place.file} has changed since the" in err
        assert not place.marker.exists(), words
    with open_store(place.store) as store:
        assert list_runs(store)[0].status == "interrupted"  # it can go on when the file is back


@pytest.mark.parametrize("kind", KINDS)
def test_playing_games_again_checks_the_file_first(kind: str, place: Place, capsys: Capture) -> None:
    assert kibitz_command(capsys, *place.words(kind))[0] == 0
    place.change()
    for words in (["replay", "1", "0"], ["export", "1", "--decisions"]):
        code, out, err = kibitz_command(capsys, *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words
        assert "has changed since the" in err
        assert not place.marker.exists()


def foreign(place: Place, kind: str, config: dict[str, Any]) -> None:
    """A store that somebody else made, with a run that is not complete."""
    place.marker.unlink(missing_ok=True)
    with open_store(place.store) as store, begin(store, kind, config, f"kibitz {kind}") as ledger:
        ledger.interrupt()


@pytest.mark.parametrize("files", [{}, None])
def test_a_run_that_names_a_file_without_a_fingerprint_is_refused(files: dict[str, str] | None, place: Place, capsys: Capture) -> None:
    config: dict[str, Any] = {"command": "match", "game": "uno", "bots": ["random", f"{place.file}:it"], "players": 2, "against": None}
    config |= {"games": 40, "seed": 1, "rules": "classic", "seating": "random", "to": None, "jit": True, "folder": "/", "files": files}
    if files is None:
        del config["files"]
    foreign(place, "match", config)
    code, out, err = kibitz_command(capsys, "resume", "1")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"bot file {place.file} has no fingerprint in the run" in err
    assert not place.marker.exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [({"digest": ""}, "has changed since the tournament began"), ({"kind": "bot", "digest": ""}, "is a file, not one of our bots")],
)
def test_a_tournament_whose_digests_match_nothing_is_refused(changes: dict[str, str], sentence: str, place: Place, capsys: Capture) -> None:
    config = read_tournament(place.cup).to_dict()
    first, second = config["players"]
    config["players"] = [{**first, **changes}, second]
    foreign(place, "tournament", config)
    for words in (["runs", "show", "1"], ["report", "1", "-o", "-"]):
        assert kibitz_command(capsys, *words)[0] == 0
    for words in (["resume", "1"], ["replay", "1", "0"]):
        code, _, err = kibitz_command(capsys, *words)
        assert (code, len(err.splitlines())) == (2, 1)
        assert sentence in err
    assert not place.marker.exists()


# -- where files are --


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_shows_where_a_file_is(kind: str, place: Place, capsys: Capture) -> None:
    """Except the command as it was typed, on your own terminal."""
    assert kibitz_command(capsys, *place.words(kind))[0] == 0
    with open_store(place.store) as store:
        typed = list_runs(store)[0].command
    for words in LOOKING:
        _, out, _ = kibitz_command(capsys, *words)
        left = out.replace(json.dumps(typed)[1:-1], "").replace(typed, "")
        if words == ["runs"]:
            left = "".join(line for line in left.splitlines() if str(place.file) not in line and str(place.cup) not in line)
        assert "secret folder" not in left, words
        assert str(place.home) not in left, words
    _, shown, _ = kibitz_command(capsys, "runs", "show", "1")
    assert "mine.py:it" in shown
    _, page, _ = kibitz_command(capsys, "report", "1", "-o", "-")
    assert "secret folder" not in page and str(place.store.parent) not in page
    assert "mine.py:it" in page
    _, figures, _ = kibitz_command(capsys, "resume", "1", "--json", "-")
    assert "secret folder" not in figures
    with opened(place.store) as client:
        for path in ("/api/runs", "/api/runs/1", "/api/runs/1/report"):
            text = client.get(path).text
            assert "secret folder" not in text and str(place.store.parent) not in text, path
        shown_run = client.get("/api/runs/1").json()
    assert kind == "tournament" or "mine.py:it" in shown_run["title"]


def test_two_files_of_one_name_are_told_apart(place: Place, capsys: Capture) -> None:
    for folder in ("ann", "bob"):
        (place.home / folder).mkdir()
        (place.home / folder / "mine.py").write_text(place.file.read_text())
    bots = [f"{place.home}/{folder}/mine.py:it" for folder in ("ann", "bob")]
    assert kibitz_command(capsys, "match", *bots, "--games", "40", "--threads", "1")[0] == 0
    figures = json.loads(kibitz_command(capsys, "runs", "show", "1", "--json", "-")[1])["figures"]
    assert [row["bot"] for row in figures["rows"]] == ["ann/mine.py:it", "bob/mine.py:it"]
    with opened(place.store) as client:
        shown = client.get("/api/runs/1").json()
    assert shown["title"] == "ann/mine.py:it v bob/mine.py:it"
    assert [row["bot"] for row in shown["rows"]] == ["ann/mine.py:it", "bob/mine.py:it"]


def test_a_failed_run_does_not_say_where_its_file_is(place: Place, capsys: Capture) -> None:
    place.file.write_text(
        place.file.read_text()
        .replace("class it:", "class it:\n    games = 0")
        .replace("return next", "it.games += 1\n        assert it.games < 5000\n        return next")
    )
    assert kibitz_command(capsys, "match", f"{place.file}:it", "random", "--games", "2000", "--threads", "1")[0] == 2
    with opened(place.store) as client:
        reason = client.get("/api/runs/1").json()["reason"]
    assert reason.startswith("bot mine.py:it in seat ")
    assert re.search(r"^reason +bot mine.py:it in seat ", kibitz_command(capsys, "runs", "show", "1")[1], re.MULTILINE)


def test_a_player_without_a_name_is_named_without_folders(place: Place) -> None:
    place.cup.write_text(f'games = 2\nplayers = [{{file = "{place.file}:it", trusted = true}}, {{command = "true {place.file}"}}]\n')
    assert [player.name for player in read_tournament(place.cup).players] == ["mine.py:it", "true mine.py"]
