"""A damaged store: whatever bit is flipped, what is shown is what was kept, or a sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kibitz.arena.comparison import answer, ask
from kibitz.arena.evaluation import play_plan
from kibitz.arena.plan import plan_evaluation
from kibitz.arena.sides import make_sides
from kibitz.arena.tournament.config import BUILT_IN, Player, make_tournament
from kibitz.arena.tournament.play import play_tournament
from kibitz.errors import KibitzError
from kibitz.report.run_page import loaded
from kibitz.runner.ledger import Fault, KeptGame
from kibitz.runner.units import Unit
from kibitz.store import database
from kibitz.store.database import open_store
from kibitz.store.games import check_resumable
from kibitz.store.runs import RunLedger, begin, faults_of, list_runs
from kibitz.store.tables import KeptTable, keep_move, keep_note, keep_session, keep_table, read_session, read_table, tables_of

TABLE = "a" * 16
FLIPS = 600


class Faulty(RunLedger):
    """Keeps a fault and a record with every unit, as if one of the bots came from outside."""

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        fault = Fault(unit.first, "random", 1, "illegal", "answered 69", "a position", "kibitz watch random")
        super().keep(part, unit, payload, [fault], [KeptGame(unit.first, f"record {unit.first}")])


def fill(path: Path) -> None:
    """Runs of every kind, complete or not, and a table."""
    with open_store(path) as store:
        plan = plan_evaluation(["random", "greedy"], 2, None, 40, 3, jit=False)
        with begin(store, "evaluate", plan.to_config(), "kibitz evaluate random greedy", plan.total) as ledger:
            ledger.finish(play_plan(plan, 1, ledger=ledger).to_dict())
        question = ask(make_sides("random", "greedy", (), None, None, 3, None, None, "uno"), games=100, jit=False)
        with begin(store, "compare", question.to_config(), "kibitz compare random greedy") as ledger:
            answer(question, 1, ledger=ledger)
            ledger.interrupt()
        players = [Player(name, BUILT_IN, name) for name in ("random", "greedy")]
        tournament = make_tournament("here", {"players": players, "games": 20, "seed": 3})
        with begin(store, "tournament", tournament.to_dict(), "kibitz tournament cup.toml") as ledger:
            ledger.__class__ = Faulty
            result = play_tournament(tournament, ledger=ledger, threads=1, jit=False)
            ledger.fail("a bot left")
        with begin(store, "tournament", tournament.to_dict(), "kibitz tournament cup.toml") as ledger:
            ledger.finish(result.to_dict())
        with store.writing() as connection:
            keep_session(connection, "digest", "Ann")
            keep_table(connection, KeptTable(TABLE, '{"seed": 5}', "digest", 5.0, {0: ("digest", "Ann")}))
            for place, action in enumerate(["r5", "draw", "keep", "wild:g"] * 10):
                keep_move(connection, TABLE, 0, place, action, False)
            keep_note(connection, TABLE, 0, 0, 3, "five?")


def seen(path: Path, sessions: bool = True) -> list[str]:
    """All that anybody can see of a store."""
    with open_store(path, create=False) as store:
        found: list[Any] = [read_table(store, TABLE)]
        if sessions:
            found += [read_session(store, "digest"), tables_of(store, "digest", 5)]
        for run in list_runs(store):
            ledger = RunLedger(store, run)
            found += [run, loaded(store, run), faults_of(store, run.id), [ledger.games(part) for part in range(2)]]
            check_resumable(run)
    return list(map(repr, found))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "kibitz.db"
    fill(path)
    return path


# -- flipped bits --


@pytest.mark.parametrize("checked", [True, False], ids=["small", "large"])
def test_a_flipped_bit_is_a_sentence_or_changes_nothing(
    checked: bool, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file that is looked through when it is opened, and in one that is too large for that, where a session may be lost."""
    expected = seen(whole, checked)
    content = whole.read_bytes()
    path = tmp_path / "kibitz.db"
    if not checked:
        monkeypatch.setattr(database, "CHECKED_SIZE", 0)
    chance = random.Random(17)
    refused = 0
    for _ in range(FLIPS):
        place, bit = chance.randrange(len(content)), chance.randrange(8)
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            found = seen(path, checked)
        except KibitzError:
            refused += 1
        else:
            assert found == expected, f"bit {bit} of byte {place}"
    assert refused > FLIPS // 20
