"""Bots of the server's owner at a table: chosen by name, played by processes, replaced when they fail, and never shown by their files."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.bot import HAND_ORDERS
from kibitz.bots.object_bot import AskedSeat
from kibitz.cli.main import run
from kibitz.outside.limits import OutsideFault
from kibitz.outside.seated import OutsideSeat, Processes
from kibitz.play.record import replay
from kibitz.policies.uno.perceptron_models import SHIPPED_FILE
from kibitz.registry import Entrant
from kibitz.runs import kept_tables
from kibitz.runs.database import open_store
from kibitz.runs.kept_tables import KeptTable
from kibitz.table.app import create_app
from kibitz.table.game_table import kept_setup, old_game, setup_text
from kibitz.table.live import SUBSTITUTED, LiveGame, Setup, TakenAction
from kibitz.table.offered import OfferedBot, Offers, in_words
from kibitz.table.offering import offers_of
from tests.outside.tables import HASTY, HOSTILE, PATIENT, Ears, children, ears, player
from tests.table.clients import LOOSE, Person, Seat, TestClient
from tests.table.rooms import wait_until
from tests.table.test_live import finish, recorded

__all__ = ["ears"]

JUMPS = "official,jump_in=on"
LISTENS = 'greet={"events": true, "views": true}'


def offered(name: str, *words: str | int, game: str = "uno", hasty: bool = False, **more: Any) -> OfferedBot:
    """A bot that commits one misdeed, offered as it would be if it had been tried out."""
    outside = player(*(words or ("honest",)), name=name, limits=HASTY if hasty else PATIENT)
    listens = LISTENS in words
    windows = tuple(more.get("windows", ()))
    seat = AskedSeat(name, windows=windows, reading=HAND_ORDERS.index("newest"))
    most = registry.game(game).max_players
    return OfferedBot(name, game, Entrant(name, seat), (2, most), "A bot.", outside, listens, listens)


def offers(*bots: OfferedBot, most: int = 16) -> Offers:
    return Offers(bots, Processes(most))


def lines(live: LiveGame) -> list[str]:
    return [line for line in live.log(None) if "substitute" in line]


def bots_alive() -> set[int]:
    """The processes of bots that this process has started."""
    lines = {pid: Path(f"/proc/{pid}/cmdline") for pid in children()}
    return {pid for pid, line in lines.items() if line.exists() and b"-I" in line.read_bytes().split(b"\0")}


def told_in(steps: list[TakenAction]) -> list[str]:
    return [line for step in steps for line in step.words[None] if "substitute" in line]


# -- what a bot does wrong --

MISDEEDS = [
    ("crash", "crashed", True),
    ("exit", "crashed", True),
    ("hang", "did not answer within 0.3 s", True),
    ("flood", "wrote more than it may", True),
    ("twice", "did not keep to the protocol", True),
    ("garbage", "answered with something that cannot be read", False),
    ("illegal_number", "answered with an action that is not legal", False),
    ("no_name", "answered with an action that is not legal", False),
]


@pytest.mark.parametrize(("deed", "told", "is_fatal"), MISDEEDS, ids=[deed for deed, *_ in MISDEEDS])
def test_a_fault_is_told_to_all_and_a_substitute_moves(deed: str, told: str, is_fatal: bool) -> None:
    chosen = offers(offered("bad:bot", deed, 2, hasty=deed == "hang"))
    live = LiveGame(Setup("uno", "classic", ("bad:bot", "random"), 5, offers=chosen))
    steps = finish(live)
    assert live.is_finished and len(chosen.processes) == 0
    whole = "plays on for it, with the first legal move each time" if is_fatal else "makes the default move for it"
    assert told_in(steps) == [f"bad:bot {told}; a substitute {whole}."]
    substituted = [step for step in steps if step.why == SUBSTITUTED]
    assert len(substituted) > 1 if is_fatal else len(substituted) == 1
    assert {step.seat for step in substituted} == {0}
    record = recorded(live)
    assert replay(record).faults == record.faults
    assert [fault.what for fault in record.faults][:1] == [told] and not any(fault.forfeits for fault in record.faults)
    reports = live.take_reports()
    assert len(reports) == 1 and live.take_reports() == []
    assert ("out of ideas" in reports[0].in_full()) == (deed == "crash")
    assert "hostile" not in json.dumps([record.to_json(), *told_in(steps)])


def test_three_faults_put_a_bot_out_and_end_its_process(ears: Ears) -> None:
    chosen = offers(offered("bad", "illegal_number"))
    live = LiveGame(Setup("uno", "classic", ("bad", "random"), 5, offers=chosen))
    assert [line.partition(";")[2] for line in told_in(finish(live))] == [
        " a substitute makes the default move for it.",
        " a substitute makes the default move for it.",
        " a substitute plays on for it, with the first legal move each time.",
    ]
    assert len(list(ears.everything("decide"))) == 3


def test_an_honest_bot_plays_and_is_told_the_end(ears: Ears) -> None:
    live = LiveGame(Setup("hanabi", "standard", ("good", "good", "random"), 5, offers=offers(offered("good", game="hanabi"))))
    assert told_in(finish(live)) == [] and recorded(live).faults == ()
    assert len(list(ears.everything("end"))) == 2 and bots_alive() == set()
    seeds = [message["seed"] for message in ears.everything("game")]
    assert len(set(seeds)) == 2 and 5 not in seeds


def test_in_a_team_a_substitute_keeps_to_the_default() -> None:
    """The first legal move may be to play a card that nobody knows."""
    chosen = offers(offered("bad", "crash", game="hanabi"))
    steps = finish(LiveGame(Setup("hanabi", "standard", ("bad", "iggi"), 5, offers=chosen)))
    assert told_in(steps) == ["bad crashed; a substitute plays on for it, with the default move each time."]
    moves = {step.action.partition(":")[0] for step in steps if step.why == SUBSTITUTED}
    assert moves and "play" not in moves


def test_a_fault_in_a_secret_chance_is_not_told_before_the_bot_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """That a bot was asked whether it jumps in says that it holds the card on top."""
    told_late = 0

    def choose(self: OutsideSeat, view: Any) -> int:
        if registry.game("uno").phases[view.phase] == "jump_in":
            raise OutsideFault("illegal", "answered nonsense", False)
        return next(action for action in range(200) if view.is_legal(action))

    monkeypatch.setattr(OutsideSeat, "choose", choose)
    chosen = offers(offered("bad", windows=("jump_in",)))
    for seed in range(6):
        live = LiveGame(Setup("uno", JUMPS, ("random", "bad", "bad", None), seed, offers=chosen))
        waiting, known = set[int](), 0
        while not live.is_over:
            asked = live.to_act
            assert asked is not None
            step = live.act(asked, live.legal_names()[0]) if live.waits_for_person else live.bot_step()
            assert step is not None
            charged, known = live.charges.noted[known:], len(live.charges.noted)
            said = [line for line in step.words[3] if "substitute" in line]
            if step.hidden:
                waiting |= {fault.seat for _, fault in charged}
                assert said == []
            else:
                assert bool(said) == (step.seat in waiting)
                told_late += len(said)
                waiting.discard(step.seat)
    assert told_late


# -- processes --


def messages(ears: Ears) -> list[list[dict[str, Any]]]:
    """What each process was told, but for the greetings."""
    return [[message for message in said if message["type"] not in ("hello", "bye")] for said in ears.said.values()]


def test_a_process_that_was_ended_is_started_again_and_told_all(ears: Ears) -> None:
    def played(breaks: int | None) -> LiveGame:
        chosen = offers(offered("good", "honest", LISTENS))
        live = LiveGame(Setup("uno", "official", ("good", "random"), 8, offers=chosen))
        finish(live, steps=breaks or 10_000)
        chosen.processes.rest(0.0)
        assert len(chosen.processes) == 0 and bots_alive() == set()
        finish(live)
        return live

    unbroken, broken = played(None), played(15)
    assert unbroken.deals == broken.deals
    whole, before, after = messages(ears)
    assert whole == after
    assert 3 < len(before) < len(whole) and whole[: len(before)] == before


def test_a_game_that_is_brought_back_knows_who_was_out(ears: Ears) -> None:
    chosen = offers(offered("bad", "crash", 3), offered("good", "honest", LISTENS))
    setup = Setup("uno", "official", ("bad", "good", "random"), 8, offers=chosen)
    unbroken = LiveGame(setup)
    finish(unbroken, steps=40)
    assert len(lines(unbroken)) == 1 and not unbroken.is_over
    kept = KeptTable("name", setup_text(setup, unbroken.charges), "", 0.0, deals=json.loads(json.dumps(unbroken.deals)))
    ears.said.clear()
    restored = old_game(kept, chosen)
    assert lines(restored) == lines(unbroken) and ears.said == {}
    unbroken.close()
    finish(restored)
    assert len(ears.said) == 1, "only the honest bot is started again"
    finish(unbroken)
    assert restored.deals == unbroken.deals and recorded(restored) == recorded(unbroken)


def test_as_many_processes_as_there_are_places(ears: Ears) -> None:
    chosen = offers(offered("good"), most=2)
    games = [LiveGame(Setup("uno", "classic", ("good", "random"), seed, offers=chosen)) for seed in range(3)]
    for _ in range(6):
        for live in games:
            live.bot_step()
    assert len(chosen.processes) <= 2 and ears.most_alive == 2
    chosen.processes.close()
    assert bots_alive() == set()


# -- at the server --


@contextmanager
def serving(chosen: Offers, store: Path | None = None) -> Iterator[TestClient]:
    app = create_app(store, limits=LOOSE, pace=0.0, offers=chosen)
    with TestClient(app, base_url="http://localhost:8484") as client:
        yield client


@pytest.fixture(scope="module")
def shop() -> Iterator[TestClient]:
    """A server that offers three bots for UNO, one of them ours, and one for Hanabi."""
    ours = registry.entrant("mix2:prefer_common_colour=on", "uno")
    own = OfferedBot("mix2:mine", "uno", Entrant("mix2:mine", ours.bot, ours.values), (2, 10), "A bot.")
    chosen = offers(offered("good:bot"), offered("bad", "crash", 2), own, offered("team", game="hanabi"))
    with serving(chosen) as client:
        yield client
    assert bots_alive() == set()


def test_offered_bots_are_listed_for_tables_alone(shop: TestClient) -> None:
    games = {game["name"]: game for game in shop.get("/api/games").json()}
    assert [bot["name"] for bot in games["uno"]["offered"]] == ["good:bot", "bad", "mix2:mine"]
    assert [bot["name"] for bot in games["hanabi"]["offered"]] == ["team"]
    assert not {"good:bot", "bad", "team"} & {bot["name"] for game in games.values() for bot in game["bots"]}
    assert str(HOSTILE) not in shop.get("/api/games").text
    film = shop.post("/api/films", json={"bots": ["good:bot", "random"], "game": "uno"})
    run_of = shop.post("/api/runs", json={"kind": "match", "bots": ["bad", "random"], "games": 10, "game": "uno"})
    assert [(film.status_code, "unknown bot" in film.text), (run_of.status_code, "unknown bot" in run_of.text)] == [(409, True)] * 2


REFUSED = [
    ("uno", "nobody", 409, "unknown bot"),
    ("uno", "good:other", 409, "unknown bot"),
    ("uno", "team", 409, "plays hanabi, not uno"),
    ("hanabi", "good:bot", 409, "plays uno, not hanabi"),
    ("uno", "player.py", 422, "bot"),
    ("uno", f"{HOSTILE}/player.py:crash", 422, "bot"),
    ("uno", "mine=player.py", 422, "bot"),
    ("uno", "good:bot:more", 422, "bot"),
]


@pytest.mark.parametrize(("game", "bot", "status", "why"), REFUSED, ids=[bot for _, bot, *_ in REFUSED])
def test_visitors_bring_no_bots(game: str, bot: str, status: int, why: str, shop: TestClient) -> None:
    ann = Person(shop)
    answer = shop.post("/api/tables", json={"game": game, "seats": [{"person": True}, {"bot": bot}], "seat": 0}, headers=ann.headers)
    assert (answer.status_code, why in answer.text) == (status, True), answer.text
    table = ann.open(None, None, game=game)
    answer = shop.post(f"/api/tables/{table}/fill", json={"bot": bot}, headers=ann.headers)
    assert (answer.status_code, why in answer.text) == (status, True), answer.text


def pids(client: TestClient) -> list[int]:
    running = client.app.state.services.offers.processes._running  # type: ignore[attr-defined]  # our own app
    return [seat._player.process.pid for seat in running]


def careful(seat: Seat, decisions: int) -> None:
    """So many decisions of a person that do not end the deal."""
    for _ in range(decisions):
        while not seat.position["legal"]:
            seat.wait_for("update", "position")
        assert (
            seat.act(next(action for action in ("keep", "draw", *seat.position["legal"]) if action in seat.position["legal"]))["type"]
            == "done"
        )
    while not seat.position["legal"] and seat.position["over"] is None:
        seat.wait_for("update", "position")


def words_of(seat: Seat) -> list[str]:
    return [line for message in seat.heard for line in message.get("words", ()) if "substitute" in line]


def test_a_killed_process_is_told_of_and_the_game_goes_on(shop: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    ann = Person(shop)
    table = ann.open(None, "good:bot", rules="classic", seed=4)
    with ann.at(table) as seat:
        careful(seat, 2)
        assert seat.position["names"] == ["Ann", "good:bot"] and words_of(seat) == []
        advice = seat.say("advise", bots=["mix2"])
        assert advice["type"] == "advice" and advice["rows"]
        refused = seat.say("advise", bots=["good:bot"])
        assert refused["type"] == "refused" and "is not asked for advice" in refused["reason"]
        (pid,) = pids(shop)
        os.kill(pid, signal.SIGKILL)
        careful(seat, 1)
        assert words_of(seat) == ["good:bot crashed; a substitute plays on for it, with the first legal move each time."]
        assert "was ended by signal SIGKILL" in caplog.text and table in caplog.text
        seat.play_on()
        assert len(words_of(seat)) == 1 and pids(shop) == []
        assert seat.position["over"]["finished"] and "faults=" in seat.position["over"]["record"]
        seen = json.dumps(seat.heard)
    film = shop.get(f"/api/tables/{table}/film")
    assert film.status_code == 200 and any(frame["substitute"] for frame in film.json()["frames"])
    assert film.json()["names"] == ["Ann", "good:bot"]
    assert str(HOSTILE) not in seen + film.text and "SIGKILL" not in seen + film.text


def test_a_table_that_nobody_looks_at_holds_no_process(shop: TestClient) -> None:
    assert shop.portal is not None
    ann, services = Person(shop), shop.app.state.services  # type: ignore[attr-defined]  # our own app
    table = ann.open(None, "good:bot", rules="classic", seed=4)
    with ann.at(table) as seat:
        careful(seat, 2)
        assert len(pids(shop)) == 1
    wait_until(lambda: services.tables.tables[table].is_idle)
    shop.portal.call(services.tables.forget_idle, 0.0)
    wait_until(lambda: len(bots_alive()) == 0)
    with ann.at(table) as seat:
        careful(seat, 2)
        assert words_of(seat) == [] and len(pids(shop)) == 1
        shop.portal.call(services.offers.processes.rest, 0.0)
        assert bots_alive() == set()
        careful(seat, 2)
        assert words_of(seat) == []
    shop.portal.call(services.offers.processes.rest, 0.0)


def test_one_of_ours_with_parameters_plays_under_its_name(shop: TestClient) -> None:
    ann = Person(shop)
    table = ann.open(None, "mix2:mine", "mix2:mine", rules="classic")
    with ann.at(table) as seat:
        careful(seat, 3)
        assert seat.position["names"][1:] == ["mix2:mine", "mix2:mine"] and words_of(seat) == []
        assert pids(shop) == []


def test_tables_come_back_also_when_a_bot_is_no_longer_offered(tmp_path: Path) -> None:
    store = tmp_path / "tables.db"
    with serving(offers(offered("good")), store) as client:
        ann = Person(client)
        table = ann.open(None, "good", rules="classic", seed=4)
        with ann.at(table) as seat:
            careful(seat, 2)
            before = seat.position
    assert bots_alive() == set()
    with serving(offers(offered("good")), store) as client, Person(client, token=ann.token).at(table) as seat:
        assert [seat.position[key] for key in ("view", "position", "legal", "names")] == [
            before[key] for key in ("view", "position", "legal", "names")
        ]
        careful(seat, 1)
        assert words_of(seat) == []
    with serving(offers(), store) as client:
        back = Person(client, token=ann.token)
        assert [each["seats"][1]["name"] for each in client.get("/api/tables", headers=back.headers).json()["tables"]] == ["good"]
        with back.at(table) as seat:
            seat.play_on()
            assert words_of(seat) == [
                "good is no longer offered by this server; a substitute plays on for it, with the first legal move each time."
            ]
            assert seat.say("again")["type"] == "refused"
        assert client.get(f"/api/tables/{table}/film").status_code == 200
    with open_store(store) as opened:
        kept = kept_tables.read_table(opened, table)
        assert kept is not None and kept_setup(kept)["faults"][0][1]["kind"] == "start"


# -- names and games --

BAD_OFFERS = [
    (["nosuch.py:x"], "bot file nosuch.py does not exist"),
    (["mix2"], "a bot of our own is called mix2"),
    (["mix2=mix2:prefer_common_colour=on"], "a bot of our own is called mix2"),
    (["smart={file}:Mine"], "a bot of our own is called smart"),
    (["Mine={file}:Mine"], "small letters"),
    ([f"{'x' * 41}=linear:players=2"], "at most 40"),
    (["nonsense"], "unknown bot"),
    (["net:nosuch.npz"], "nosuch.npz does not exist"),
    (["a=mix2:prefer_common_colour=on", "a=mix2:prefer_common_colour=off"], "two bots would be offered as a"),
    (["mix2:nonsense=1"], "parameter"),
    (["{file}:Nobody"], "can't be offered: it could not be started: unknown bot"),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that declares its game, and a policy that doesn't."""
    path = tmp_path_factory.mktemp("secret_folder") / "My bots.py"
    path.write_text(
        "import numpy as np\n"
        "from kibitz.envs.model_bots import as_bot\n"
        "class Mine:\n"
        "    game = 'uno'\n"
        "    def choose(self, view):\n"
        "        return next(action for action in range(200) if view.is_legal(action))\n"
        "def load():\n"
        "    return as_bot(lambda observations, masks: masks.argmax(axis=1), 'hanabi')\n"
    )
    return path


@pytest.mark.parametrize(("specs", "why"), BAD_OFFERS, ids=[" ".join(specs)[:30] for specs, _ in BAD_OFFERS])
def test_bots_that_cannot_be_offered(specs: list[str], why: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for spec in specs for word in ("--bot", spec.format(file=file))]
    with pytest.raises(SystemExit) as ending:
        run(["table", "--no-store", "--port", "0", "--no-open", *words])
    assert ending.value.code == 2
    said = capsys.readouterr().err
    assert why in said and said.count("\n") == 1 and "Traceback" not in said
    assert bots_alive() == set()


def test_a_file_is_offered_for_the_game_that_its_bot_plays(file: Path) -> None:
    chosen = offers_of([f"{file}:load"])
    assert in_words(chosen) == "my_bots:load (Hanabi)" and bots_alive() == set()
    (bot,) = chosen.bots
    assert bot.players == (2, 5) and "secret" not in bot.about
    live = LiveGame(Setup("hanabi", "standard", ("my_bots:load", "iggi"), 3, offers=chosen))
    assert told_in(finish(live, steps=12)) == [] and len(chosen.processes) == 1
    live.close()
    assert bots_alive() == set()


def test_weights_are_read_once(tmp_path: Path) -> None:
    """Whatever becomes of the file later, nobody at a table is told where it was."""
    file = tmp_path / "mine.json"
    file.write_bytes(SHIPPED_FILE.read_bytes())
    chosen = offers_of([f"perceptron:{file}", "own=mix2:prefer_common_colour=on"])
    assert in_words(chosen) == "perceptron:mine (UNO), own (UNO)"
    file.unlink()
    live = LiveGame(Setup("uno", "classic", ("perceptron:mine", "own"), 3, offers=chosen))
    finish(live)
    assert live.is_finished and live.names == ["perceptron:mine", "own"]
