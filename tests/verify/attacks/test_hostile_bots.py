"""Every hostile program of tests/outside/hostile as a bot: it gets the fault that its description announces, or is refused what it tries."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.process import BotProcess
from kibitz.outside.referee import play_refereed
from kibitz.play.outcomes import FORFEITED
from kibitz.runs.ledger import FORFEIT
from kibitz.runs.units import Unit
from tests.outside.tables import PATIENT as AT_TABLE
from tests.outside.tables import built_in, match_of, player
from tests.outside.test_confine import refused_numbers
from tests.outside.test_process import (
    FAULTS,
    FILLED,
    FULL,
    GARBAGE,
    GUARDS,
    PATIENT,
    PROGRAMS,
    QUESTION,
    SMALL,
    expectations,
    hostile,
    objects_of_another_program,
    processes_of,
)
from tests.outside.test_referee import ANSWERS, DEEDS, ENDS, GREETINGS
from tests.runs.test_kill import finish, kill_and_resume
from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.tally import Attack

pytestmark = pytest.mark.verify

HASTY = replace(PATIENT, decision_seconds=0.3)
# Programs that are charged with a fault: those of the tests of processes, and some that are asked in another way below.
FAULTY: list[tuple[str, BotLimits, bool, str]] = [
    *((words, limits, answers_first, kind) for words, limits, answers_first, kind, _ in FAULTS),
    *((f"fill_folder {how} /nowhere", FULL, True, "flood") for how, _ in FILLED),
    ("hang", HASTY, False, "time"),
    ("never_reads", HASTY, False, "time"),
    ("talk_unasked", PATIENT, False, "protocol"),
]
# Programs with a test of their own below.
OTHERS = {
    *("attack_parent", "change_files", "fork", "network", "read_files", "read_log", "refused_calls", "shared_objects", "use_up"),
    *("chatter", "inventory", "memory_tricks", "open_files", "parrot", "threads"),
}


@contextmanager
def running(name: str, *arguments: str, limits: BotLimits = PATIENT, log: Path | None = None) -> Iterator[BotProcess]:
    """A hostile program as a bot; at the end nothing of it may be left."""
    with tempfile.TemporaryDirectory() as where:
        process = hostile(name, *arguments, limits=limits, log=log, folder=Path(where))
        try:
            process.start()
            yield process
        finally:
            process.close()
        assert not process.is_running and process.pid is not None and processes_of(process.pid) == [], "a process is left"
        assert list(Path(where).iterdir()) == [], "files are left"


def answer_of(name: str, *arguments: str, limits: BotLimits = PATIENT, log: Path | None = None) -> dict[str, Any]:
    """What a program answers to one question."""
    with running(name, *arguments, limits=limits, log=log) as process:
        return process.ask(QUESTION)


def needs(attack: Attack, *guards: str) -> None:
    """Nothing is claimed where the kernel lacks a guard."""
    for guard in guards:
        if not GUARDS.get(guard, "no").startswith("yes"):
            attack.impossible(f"{guard}: {GUARDS.get(guard, 'no')}")


def test_no_hostile_program_is_left_out() -> None:
    """Each is in the table of its fault, or has a test of its own below."""
    with_faults = {name: text.partition("fault ")[2].split()[0] for name, text in expectations().items() if name not in OTHERS}
    assert expectations().keys() == with_faults.keys() | OTHERS
    assert {(words.split()[0], kind) for words, _, _, kind in FAULTY} >= set(with_faults.items())


# -- crashes, floods, silence --


def fault_of(words: str, limits: BotLimits, answers_first: bool) -> str:
    """The kind of the fault that a program commits."""
    name = words.split()[0]
    with running(*words.split(), limits=limits) as process:
        if name == "talk_unasked":
            until = time.monotonic() + 60
            while "printed" not in process.log_tail() and time.monotonic() < until:
                time.sleep(0.01)
        with pytest.raises(OutsideFault) as caught:
            question(process, name, answers_first, limits is HASTY)
        fault = caught.value
        assert fault.fatal and fault.what.isprintable() and len(fault.what) < 300, fault.what
        assert not process.is_running and process.working_folder is not None and not process.working_folder.exists()
        return fault.kind


def question(process: BotProcess, name: str, answers_first: bool, hasty: bool) -> None:
    """Ask until the fault comes."""
    if name == "hang" and hasty:
        process.ask({"type": "first"}, seconds=60.0)
    if answers_first:
        process.ask(QUESTION)
    if name == "fill_folder":
        process.start_game()
    process.ask(QUESTION)


def test_programs_that_crash_flood_or_hang(begin: Begin) -> None:
    with begin("bots: crash, flood or hang") as attack:
        for words, limits, answers_first, kind in FAULTY:
            with attack.attempt(words):
                found = fault_of(words, limits, answers_first)
                assert found == kind, f"charged with {found} instead of {kind}"


def test_answers_that_are_none(begin: Begin) -> None:
    with begin("bots: answers that are not JSON") as attack, running("parrot") as process:
        for said, why in GARBAGE:
            with attack.attempt(f"{said[:30]!r}"):
                with pytest.raises(OutsideFault) as caught:
                    process.ask({"say": said.hex()})
                assert (caught.value.kind, caught.value.fatal) == ("garbage", False) and why in caught.value.what
                assert process.ask({"say": b'{"answer": 5}'.hex()}) == {"answer": 5}


# -- what the system refuses --


def tried(attack: Attack, name: str, *arguments: str, log: Path | None = None, allowed: tuple[str, ...] = ()) -> None:
    """Each way that a program tries is an attempt."""
    outcome = answer_of(name, *arguments, log=log)
    assert len(outcome) > len(allowed), outcome
    for way, result in outcome.items():
        if way not in allowed:
            attack.check(f"{name}: {way}", result not in ("done", "allowed"), "it was done")


def test_doors_out_of_the_sandbox(begin: Begin) -> None:
    with begin("bots: processes, signals, limits") as attack:
        needs(attack, "system calls")
        for name in ("attack_parent", "fork", "use_up"):
            tried(attack, name)


def test_the_network(begin: Begin, tmp_path: Path) -> None:
    with begin("bots: network") as attack, socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        needs(attack, "system calls")
        unix.bind(str(tmp_path / "socket"))
        unix.listen()
        tried(attack, "network", str(tcp.getsockname()[1]), str(tmp_path / "socket"))
        for listener in (tcp, unix):
            listener.setblocking(False)
            with attack.attempt("nobody has connected"), pytest.raises(BlockingIOError):
                listener.accept()


def test_memory_and_queues_of_other_programs(begin: Begin) -> None:
    with begin("bots: shared memory and queues") as attack:
        needs(attack, "system calls")
        with objects_of_another_program() as arguments:
            tried(attack, "shared_objects", *arguments)


def test_system_calls_that_are_refused(begin: Begin) -> None:
    with begin("bots: refused system calls") as attack:
        needs(attack, "system calls")
        for number, error in answer_of("refused_calls", *refused_numbers()).items():
            attack.check(f"call {number}", error in ("EPERM", "ENOSYS"), error)


def test_files_of_others(begin: Begin, tmp_path: Path) -> None:
    with begin("bots: files of others") as attack:
        needs(attack, "files", "system calls")
        folder = tmp_path / "others"
        folder.mkdir()
        (folder / "kept").write_text("kept")
        tried(attack, "change_files", str(folder), allowed=("own",))
        attack.check("the folder is as it was", [path.read_text() for path in folder.iterdir()] == ["kept"])
        closed = [str(folder / "kept"), str(folder), str(Path.home()), "/etc/passwd", "/etc", "/", "/proc", "/tmp", str(PROGRAMS.parent)]
        closed += [f"/proc/PARENT/{name}" for name in ("environ", "cmdline", "maps", "mem")]
        closed += [f"/proc/self/{name}" for name in ("net/tcp", "net/dev", "mountinfo", "mounts")]
        closed += ["/proc/net/tcp", "/proc/mounts", "/proc/sysvipc/shm", "/proc/keys", "/sys/class/net"]
        tried(attack, "read_files", *closed)
        tried(attack, "read_log", log=tmp_path / "bot.log")


def test_what_is_left_to_a_bot(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_TEST_SECRET", "the seed")
    with begin("bots: memory, files, logs, inheritance") as attack:
        needs(attack, "limits", "system calls")
        for way, mebibytes in answer_of("memory_tricks", "512", limits=SMALL).items():
            bound = 2048 if way == "filled, then read-only" else 256  # docs/isolation.md says so
            attack.check(f"memory: {way}", mebibytes <= bound, f"{mebibytes} MiB")
        attack.check("open files", answer_of("open_files")["opened"] <= 61)
        with attack.attempt("a log without end"):
            log = tmp_path / "bot.log"
            with running("chatter", limits=replace(PATIENT, log_bytes=20_000), log=log) as process:
                process.ask({"lines": 10_000})
                process.start_game()
                assert log.stat().st_size <= 20_000
        with attack.attempt("inherited secrets"), (tmp_path / "open").open("w") as file:
            os.set_inheritable(file.fileno(), True)
            found = answer_of("inventory", log=tmp_path / "other.log")
            assert "KIBITZ_TEST_SECRET" not in found["environment"] and len(found["environment"]) <= 6, found["environment"]
            assert sorted(found["descriptors"]) == ["0", "1", "2"], found["descriptors"]
            assert set(found["capabilities"][:3]) == {"0" * 16}, found["capabilities"]
        attack.check("threads still work", answer_of("threads") == {"threads": list(range(16)), "asyncio": 5})


# -- misdeeds at the table --


def test_misdeeds_in_games(begin: Begin) -> None:
    common = [*((deed, kind) for deed, kind, _ in (*ANSWERS, *ENDS, *GREETINGS)), ("answers_events", "protocol")]
    cases: list[tuple[tuple[str | int, ...], BotLimits, set[str]]] = [((deed,), AT_TABLE, {kind, FORFEIT}) for deed, kind in common]
    cases += [(words, limits, {*kinds} - {"start"}) for words, limits, _, kinds, _ in DEEDS]
    with begin("bots: misdeeds in games") as attack:
        for words, limits, kinds in cases:
            with attack.attempt(" ".join(map(str, words))):
                bot = player(*words, limits=limits)
                brought = play_refereed(match_of(bot, *built_in("random"), seating="fixed"), Unit(0, 2))
                assert {fault.bot for fault in brought.faults} <= {"hostile"}, "somebody else was charged"
                assert {fault.kind for fault in brought.faults} == kinds, [fault.kind for fault in brought.faults]
                forfeited = brought.outcomes["status"] == FORFEITED
                assert len(brought.outcomes) == 2 and forfeited.any() == bool(kinds)
                assert 0 not in brought.outcomes["winner"][forfeited], "it won a game that it forfeited"


# -- among honest bots --

PLAYER = f'command = ["{sys.executable}", "-I", "-S", "{PROGRAMS.with_name("player.py")}", %s]'
HONEST = {"Ann": 'bot = "greedy"', "Bob": 'bot = "random"', "Out": PLAYER % '"honest"'}
DURING_A_DECISION = ("crash", "hang", "illegal_name", "garbage")  # so that everything happens again in the same way
HOSTILES = (*DURING_A_DECISION, "crash 5", "flood", "wrong_version", "exit_after_hello", "fork_bomb", "twice")


def write_cup(folder: Path, hostiles: Sequence[str], stand_in: str | None = None) -> str:
    """A tournament in which everybody meets everybody; a stand-in may play in the place of each hostile player."""
    lines = ["games = 2", "seed = 11", 'title = "Open cup"', "[limits]", f"memory = {256 << 20}"]
    commands = dict(HONEST)
    for deed in hostiles:
        hostile = PLAYER % ", ".join(f'"{word}"' for word in deed.split())
        commands[deed] = stand_in or hostile + ("\nseconds = 0.3" if deed == "hang" else "")
    for name, command in commands.items():
        lines += ["[[players]]", f'name = "{name}"', command]
    file = folder / f"cup-{len(hostiles)}-{bool(stand_in)}.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def between_honest_bots(figures: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """How honest bots did against each other."""
    names = [row["name"] for row in figures["standings"]]
    places = [place for place, name in enumerate(names) if name in HONEST]
    return {(names[one], names[other]): figures["matrix"][one][other] for one in places for other in places}


def test_a_tournament_with_hostile_players(begin: Begin, tmp_path: Path) -> None:
    with begin("bots: a tournament with hostile players") as attack:
        whole = finish(["tournament", write_cup(tmp_path, HOSTILES)], tmp_path / "whole.db", tmp_path)
        standings = {row["name"]: row for row in whole["standings"]}
        games = 2 * (len(standings) - 1)
        for deed in HOSTILES:
            with attack.attempt(deed):
                assert standings[deed]["games"] == games and standings[deed]["faults"] > 0, standings[deed]
        for name in HONEST:
            with attack.attempt(name):
                row = standings[name]
                assert (row["games"], row["faults"], row["forfeits"]) == (games, 0, 0), row
        with attack.attempt("honest bots play the same games without them"):
            words = ["tournament", write_cup(tmp_path, HOSTILES, 'bot = "random"')]
            assert between_honest_bots(finish(words, tmp_path / "alone.db", tmp_path)) == between_honest_bots(whole)
        words = ["tournament", write_cup(tmp_path, DURING_A_DECISION)]
        whole = finish(words, tmp_path / "again.db", tmp_path)
        for moment, share in enumerate((0.2, 0.5, 0.8)):
            with attack.attempt(f"killed at {share:.0%} and resumed"):
                hit, figures = kill_and_resume(words, tmp_path / str(moment), share, 0.0, None)
                assert hit and figures == whole
