"""Runs from the browser: real processes that are started, followed, stopped, shown as pages and films."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from kibitz.cli import main, options
from kibitz.experiments.measurement import match
from kibitz.runs.database import open_store
from kibitz.runs.store import begin, read_run
from kibitz.table.browser_runs import Runs, Started
from kibitz.table.keeping import Keeper
from kibitz.table.protection import REPORT_POLICY
from tests.table.clients import LOOSE, TestClient, connected, opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a run that is stopped there cannot say how it goes on")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "kibitz.db"


@pytest.fixture(scope="module")
def client(store: Path) -> Iterator[TestClient]:
    with opened(store) as running:
        yield running


def start(client: TestClient, **asked: Any) -> int:
    response = client.post("/api/runs", json=asked)
    assert response.status_code == 201, response.text
    return int(response.json()["run"])


def follow(client: TestClient, run: int) -> list[dict[str, Any]]:
    """All that is said of a run until its end."""
    heard = []
    with connected(client, f"/api/runs/{run}/live") as socket:
        socket.send_text('{"type": "hello"}')
        while True:
            try:
                heard.append(json.loads(socket.receive_text()))
            except WebSocketDisconnect:
                assert heard[0] == {"type": "welcome", "seat": None, "name": None}
                return heard[1:]


def test_a_match(client: TestClient) -> None:
    run = start(client, kind="match", bots=["mix2", "random"], games=40_000, seed=5)
    heard = follow(client, run)
    assert [message["type"] for message in heard] == ["progress"] * len(heard)
    last = heard[-1]
    assert (last["status"], last["done"], last["asked"], last["seconds_left"]) == ("complete", 40_000, 40_000, None)
    done = [message["done"] for message in heard]
    assert done == sorted(done)
    expected = match(["mix2", "random"], games=40_000, seed=5)
    assert [(row["bot"], row["wins"], row["games"], row["points"]) for row in last["rows"]] == [
        (row.bot, row.wins, row.games, row.points_total) for row in expected.rows
    ]
    assert [row["error"] for row in last["rows"]] == [row.win_rate_se for row in expected.rows]
    shown = client.get(f"/api/runs/{run}").json()
    assert {**last, "own": False} == {"type": "progress", **shown, "own": False}
    listed = client.get("/api/runs").json()["runs"]
    assert listed[0]["run"] == run and listed[0]["rows"] == []
    assert "--store" not in shown["command"] and shlex.split(shown["command"])[:4] == ["kibitz", "match", "mix2", "random"]
    check_report(client, run, "mix2")
    film = client.get(f"/api/runs/{run}/games/7").json()
    assert sorted(film["names"]) == ["mix2:win_rate", "random"] and film["frames"]
    assert client.get(f"/api/runs/{run}/games/40000").status_code == 409
    assert client.get(f"/api/runs/{run}/games/7", params={"deal": 1}).status_code == 409


def check_report(client: TestClient, run: int, bot: str) -> None:
    page = client.get(f"/api/runs/{run}/report")
    assert page.headers["Content-Type"].startswith("text/html")
    assert bot in page.text and "<svg" in page.text and "<script" not in page.text
    assert page.headers["Content-Security-Policy"] == REPORT_POLICY
    assert "script-src" not in REPORT_POLICY and "sandbox" in REPORT_POLICY


def test_an_evaluation_of_hanabi(client: TestClient) -> None:
    run = start(client, kind="evaluate", bots=["piers", "iggi"], games=400, players=3)
    last = follow(client, run)[-1]
    assert (last["status"], last["done"]) == ("complete", 800)
    assert [(row["bot"], row["games"], row["wins"], row["win_rate"]) for row in last["rows"]] == [
        ("piers", 400, None, None),
        ("iggi", 400, None, None),
    ]
    assert all(10 < row["mean"] < 25 and row["points"] == round(row["mean"] * 400) for row in last["rows"])
    film = client.get(f"/api/runs/{run}/games/400").json()  # the first of the second row
    assert film["names"] == ["iggi"] * 3 and film["live"]["deck"]


def test_a_tournament(client: TestClient, store: Path) -> None:
    run = start(client, kind="tournament", bots=["mix2", "greedy", "random"], games=200, title='Club ♥ "evening"', seed=9)
    last = follow(client, run)[-1]
    assert (last["status"], last["done"], last["title"]) == ("complete", 600, 'Club ♥ "evening"')
    assert [row["games"] for row in last["rows"]] == [400] * 3
    assert sum(row["wins"] for row in last["rows"]) == 600
    (file,) = (store.parent / "tournaments").iterdir()
    if sys.platform != "win32":
        assert [stat.S_IMODE(path.stat().st_mode) for path in (store, file, file.parent)] == [0o600, 0o600, 0o700]
    command = client.get(f"/api/runs/{run}").json()["command"]
    assert file.name in command and str(store.parent) not in command
    check_report(client, run, "greedy")
    assert client.get(f"/api/runs/{run}/games/599").json()["frames"]


def test_a_run_is_stopped_and_can_be_resumed(client: TestClient, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(client, kind="match", bots=["mix2", "mix2"], games=1_000_000, seed=5)
    second = start(client, kind="tournament", bots=["mix2", "greedy"], games=2_000_000)
    response = client.post("/api/runs", json={"kind": "match", "bots": ["mix2", "random"], "games": 10})
    assert response.status_code == 429 and "2 runs are being played" in response.json()["error"]
    for number in (run, second):
        until = time.monotonic() + 60
        while not (shown := client.get(f"/api/runs/{number}").json())["done"] and time.monotonic() < until:
            time.sleep(0.1)
        assert (shown["status"], shown["own"]) == ("running", True)
        assert len(shown["rows"]) == 2 and shown["rate"] > 0 and shown["seconds_left"] > 0
        assert client.get(f"/api/runs/{number}/report").status_code == 200  # as far as it is known
        stopped = client.post(f"/api/runs/{number}/stop").json()
        assert (stopped["status"], stopped["own"]) == ("interrupted", False)
        assert stopped["done"] < stopped["asked"]
        assert "not being played by this server" in client.post(f"/api/runs/{number}/stop").json()["error"]
    with open_store(store) as opened_store:
        kept = read_run(opened_store, run)
    assert kept.status == "interrupted" and kept.done > 0
    resumed = client.post(f"/api/runs/{run}/resume").json()
    assert (resumed["status"], resumed["run"]) in (("running", run), ("complete", run)) and resumed["done"] >= kept.done
    assert "nothing to resume" in client.post(f"/api/runs/{run}/resume").json()["error"]
    last = follow(client, run)[-1]
    assert (last["status"], last["done"]) == ("complete", 1_000_000)
    assert [row["wins"] for row in last["rows"]] == [row.wins for row in match(["mix2", "mix2"], games=1_000_000, seed=5).rows]


def test_runs_end_with_the_server_and_can_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "kibitz.db"
    with opened(store) as client:
        run = start(client, kind="match", bots=["random", "random"], games=200_000, seed=5)
        until = time.monotonic() + 60
        while not client.get(f"/api/runs/{run}").json()["done"] and time.monotonic() < until:
            time.sleep(0.02)
    with open_store(store) as kept:
        before = read_run(kept, run)
    assert before.status in ("interrupted", "complete")  # a fast machine may have been through
    options.typed[:] = []
    with pytest.raises(SystemExit) as end:
        main.run(["resume", str(run), "--store", str(store)])
    assert end.value.code == 0
    capsys.readouterr()
    with open_store(store) as kept:
        assert read_run(kept, run).figures["rows"] == match(["random", "random"], games=200_000, seed=5).to_dict()["rows"]


@pytest.mark.parametrize(
    ("asked", "status", "what"),
    [
        ({"kind": "match", "bots": ["mix2", "nobody"], "games": 10}, 409, "unknown bot"),
        ({"kind": "match", "bots": ["mix2", "/tmp/mine.py:it"], "games": 10}, 422, "bots"),
        ({"kind": "match", "bots": ["mix2", "score:weights=x"], "games": 10}, 422, "bots"),
        ({"kind": "match", "bots": ["mix2", "--json"], "games": 10}, 422, "bots"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 10, "rules": "/etc/passwd"}, 422, "rules"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 10, "rules": "house.toml"}, 422, "rules"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 10, "game": "hanabi"}, 409, "plays uno, not hanabi"),
        ({"kind": "match", "bots": ["mix2", "iggi"], "games": 10}, 409, "play different games"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 10_000_001}, 422, "games"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 0}, 422, "games"),
        ({"kind": "match", "bots": ["mix2", "random"]}, 422, "games"),
        ({"kind": "evaluate", "bots": ["mix2"] * 3, "games": 9_000_000}, 409, "27,000,000 games in all"),
        ({"kind": "match", "bots": ["mix2", "random"], "games": 10, "to": "999999+"}, 409, "at most 10000 points"),
        ({"kind": "evaluate", "bots": ["mix2"], "games": 10, "to": "10000+"}, 409, "at most 10000 points"),
        ({"kind": "tournament", "bots": ["mix2", "greedy"], "games": 10, "to": "10001"}, 409, "at most 10000 points"),
        ({"kind": "tournament", "bots": ["mix2", "mix2"], "games": 10}, 409, "once"),
        ({"kind": "tournament", "bots": ["mix2", "greedy"], "games": 11}, 409, "not a multiple of 2"),
        ({"kind": "fly"}, 422, "kind"),
        ({}, 422, "kind"),
    ],
    ids=str,
)
def test_runs_that_are_refused(asked: dict[str, Any], status: int, what: str, client: TestClient) -> None:
    before = client.get("/api/runs").json()
    response = client.post("/api/runs", json=asked)
    assert response.status_code == status, response.text
    assert what in response.json()["error"] and "/" not in response.json()["error"]
    assert client.get("/api/runs").json() == before


def test_runs_that_do_not_exist(client: TestClient) -> None:
    for path in ("/api/runs/777", "/api/runs/777/report", "/api/runs/777/games/0"):
        response = client.get(path)
        assert (response.status_code, response.json()) == (404, {"error": "there is no run 777."})
    assert client.post("/api/runs/777/stop").status_code == 404
    assert client.post("/api/runs/777/resume").status_code == 404


def test_bots_in_files_are_not_loaded_into_the_server(tmp_path: Path) -> None:
    store = tmp_path / "kibitz.db"
    file = tmp_path / "mine.py"
    file.write_text("raise SystemExit('loaded')\n")
    config: dict[str, Any] = {
        "command": "match",
        "bots": [f"{file}:it", "random"],
        "folder": str(tmp_path),
        "files": {str(file): "x"},
        "game": "uno",
    }
    config |= {"players": 2, "against": None, "games": 10, "seed": 1, "rules": "classic", "seating": "random", "to": None, "jit": True}
    with (
        open_store(store) as kept,
        begin(kept, "match", config, f"kibitz match {file}:it random --store={store} --json '{tmp_path}/my own.json'", 10) as ledger,
    ):
        ledger.interrupt()
    with opened(store) as client:
        response = client.get("/api/runs/1/games/0")
        assert response.status_code == 409 and "bots in files" in response.json()["error"]
        response = client.post("/api/runs/1/resume")
        assert response.status_code == 409 and "not started here" in response.json()["error"]
        shown = client.get("/api/runs/1").json()
        assert (shown["status"], shown["command"]) == ("interrupted", "kibitz match mine.py:it random --json 'my own.json'")


def test_runs_that_are_over_keep_no_file_open() -> None:
    runs = Runs(Keeper(None))
    ended, playing = (
        Started(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE), io.BytesIO()) for code in ("", "input()")
    )
    runs._started = {1: ended, 2: playing}
    ended.process.wait()
    runs.tidy()
    assert (ended.complaints.closed, playing.complaints.closed, list(runs._started)) == (True, False, [2])
    playing.process.communicate(b"\n")
    runs.tidy()
    assert playing.complaints.closed
    assert ended.process.stdin is not None
    ended.process.stdin.close()
    asyncio.run(runs.keeper.close())


def test_runs_are_not_started_without_end() -> None:
    with opened(limits=replace(LOOSE, runs_at_once=0)) as client:
        response = client.post("/api/runs", json={"kind": "match", "bots": ["mix2", "random"], "games": 10})
        assert response.status_code == 429
