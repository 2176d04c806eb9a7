"""Bots of the server's owner at a table: chosen by name, played by processes, replaced when they fail, and never shown by their files."""

from __future__ import annotations

import json
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
from kibitz.registry import Entrant
from kibitz.runs.kept_tables import KeptTable
from kibitz.table.game_table import old_game, setup_text
from kibitz.table.live import SUBSTITUTED, LiveGame, Setup, TakenAction
from kibitz.table.offered import OfferedBot, Offers
from tests.outside.tables import HASTY, PATIENT, Ears, children, ears, player
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
    assert len(list(ears.everything("end"))) == 2 and children() == set()
    seeds = [message["seed"] for message in ears.everything("game")]
    assert len(set(seeds)) == 2 and 5 not in seeds


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
        assert len(chosen.processes) == 0 and children() == set()
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
    assert children() == set()


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
    assert children() == set()
