"""The parts of a run on a cluster, each by itself: what is handed out, what travels, and who may take part."""

from __future__ import annotations

import os
import pickle
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kibitz.core import carried
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch
from kibitz.games.plugins import Home
from kibitz.play.lineup import make_lineup
from kibitz.registry import Entrant, entrant
from kibitz.runs.cluster import executor, inspection, link, parcels
from kibitz.runs.cluster.dispatcher import ATTEMPTS, ClusterExecutor, ClusterLost, UnitLost
from kibitz.runs.cluster.inspection import NodeRefused, check_node, facts_here
from kibitz.runs.cluster.parcels import JobPapers, PackedCall, pack, pack_job, unpack
from kibitz.runs.cluster.workplace import node_cache
from kibitz.runs.units import Unit, cut, run_units

FACTS = {"kibitz": "1.0", "code": "abc", "python": "3.11", "numba": "0.68", "numpy": "2.4", "machine": "x86_64"}
SECONDS = 20  # until a test that hangs is given up


class Stage:
    """A link that does what the test says."""

    def __init__(self) -> None:
        here, self.pipe = Pipe()
        self.cluster = ClusterExecutor(here)
        self.pipe.send((link.CONNECTED,))
        self.pipe.send((link.JOINED, "10.0.0.1:6379", 1, 1, [("a", FACTS)]))
        self.cluster.join(JobPapers(FACTS))

    def heard(self) -> tuple[Any, ...]:
        """The next unit that is handed out; parcels come before it."""
        while True:
            assert self.pipe.poll(SECONDS)
            kind, *values = self.pipe.recv()
            if kind == link.UNIT:
                return tuple(values)

    def answer(self, number: int, value: Any) -> None:
        self.pipe.send((link.DONE, number, pickle.dumps((executor.RESULT, value))))


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.pipe.close()


def test_a_result_counts_once(stage: Stage) -> None:
    future = stage.cluster.submit(len, "four")
    number = stage.heard()[0]
    stage.pipe.send((link.LOST, number, "its node died"))
    assert stage.heard()[0] == number  # handed out again
    stage.answer(number, 4)
    stage.answer(number, 5)  # of the first attempt, which was alive after all
    other = stage.cluster.submit(len, "two")
    stage.answer(stage.heard()[0], 3)
    assert (future.result(SECONDS), other.result(SECONDS), stage.cluster.units) == (4, 3, 2)


def test_a_unit_that_is_lost_again_and_again_is_named_with_its_seed(stage: Stage) -> None:
    work = Batch(make_lineup(["greedy", "random"]), 400, 77).work()
    future = stage.cluster.submit(work, Unit(120, 20))
    for _ in range(ATTEMPTS):
        stage.pipe.send((link.LOST, stage.heard()[0], "its worker process died"))
    with pytest.raises(UnitLost, match=f"games 120 to 139 of seed 77 failed {ATTEMPTS} times on the cluster.*its worker process died"):
        future.result(SECONDS)


def test_nodes_that_leave_fail_no_unit(stage: Stage) -> None:
    """They leave again and again while the same units are out, on nodes that stay."""
    stage.pipe.send((link.NODES, 2, 2))
    futures = [stage.cluster.submit(len, "x" * length) for length in range(5)]
    out = [stage.heard()[0] for _ in range(4)]
    stage.pipe.send((link.NODES, 1, 1))
    for _ in range(3 * ATTEMPTS):
        for number in out:
            stage.pipe.send((link.AGAIN, number))
            assert stage.heard()[0] == number
    stage.pipe.send((link.NODES, 2, 2))
    for _ in range(ATTEMPTS - 1):  # none of that counts against a unit that also fails
        stage.pipe.send((link.LOST, out[0], "its worker process died"))
        assert stage.heard()[0] == out[0]
    for number in out:
        stage.answer(number, number)
        stage.answer(number, -1)  # of an attempt that was given up
        stage.pipe.send((link.AGAIN, number))  # too late
    last = stage.heard()[0]
    stage.answer(last, last)
    assert [future.result(SECONDS) for future in futures] == [*out, last]
    assert stage.cluster.units == 5 and not stage.pipe.poll(0)


def test_only_so_many_units_are_on_their_way(stage: Stage) -> None:
    futures = [stage.cluster.submit(len, "x" * length) for length in range(5)]
    first = [stage.heard()[0] for _ in range(2)]  # two for the one processor
    assert not stage.pipe.poll(0)
    stage.answer(first[0], 0)
    third = stage.heard()[0]
    stage.cluster.drop_waiting()
    assert [future.cancelled() for future in futures] == [False, False, False, True, True]
    stage.answer(first[1], 1)
    stage.answer(third, 2)
    assert [future.result(SECONDS) for future in futures[:3]] == [0, 1, 2]


@pytest.mark.parametrize("how", ["told", "closed"])
def test_a_cluster_that_disappears_is_told_in_a_sentence(stage: Stage, how: str) -> None:
    futures = [stage.cluster.submit(len, "x" * length) for length in range(4)]
    stage.heard()
    if how == "told":
        stage.pipe.send((link.GONE,))
    else:
        stage.pipe.close()
    for future in futures:
        with pytest.raises(ClusterLost, match=r"the Ray cluster at 10\.0\.0\.1:6379 is gone; finished work is kept"):
            future.result(SECONDS)
    with pytest.raises(ClusterLost):
        stage.cluster.submit(len, "more")


def test_results_come_in_any_order_and_the_first_unit_that_fails_is_told_of(stage: Stage) -> None:
    found: list[Any] = []

    def consume() -> None:
        try:
            found.extend(run_units(stage.cluster, len, cut(40, 20), 1))  # type: ignore[arg-type]  # nothing is called here
        except UnitLost as error:
            found.append(str(error))

    reader = threading.Thread(target=consume)
    reader.start()
    first, second = stage.heard()[0], stage.heard()[0]
    crash = pickle.dumps((executor.CRASH, ("KeyError: 'late'", "")))
    early = pickle.dumps((executor.CRASH, ("KeyError: 'early'", "")))
    stage.pipe.send((link.DONE, second, crash))
    stage.pipe.send((link.DONE, first, early))
    reader.join(SECONDS)
    assert len(found) == 1 and "early" in found[0]


def _unreadable() -> Any:
    raise KeyError("a class of the node alone")


class Unreadable:
    """Can be pickled, but not be made again."""

    def __reduce__(self) -> Any:
        return _unreadable, ()


def test_an_answer_that_cannot_be_read_fails_its_unit_alone(stage: Stage) -> None:
    bad, good = (stage.cluster.submit(len, word) for word in ("bad", "good"))
    for answer in (Unreadable(), 4):
        stage.answer(stage.heard()[0], answer)
    with pytest.raises(UnitLost, match="len brought what can't be read here: KeyError: 'a class of the node alone'"):
        bad.result(SECONDS)
    assert good.result(SECONDS) == 4


def test_a_message_that_cannot_be_used_ends_the_run_in_a_sentence(stage: Stage) -> None:
    futures = [stage.cluster.submit(len, "x" * length) for length in range(4)]
    stage.heard()
    stage.pipe.send(
        (
            link.NODES,
            "neither nodes nor processors",
        )
    )
    for future in futures:
        with pytest.raises(
            ClusterLost, match=r"what came from the Ray cluster at 10\.0\.0\.1:6379 can't be used \(ValueError: .*finished work is kept"
        ):
            future.result(SECONDS)


# -- the process that talks to Ray --


class Ended(BaseException):
    """Instead of the end of the process."""


class Told:
    """A pipe that keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, ...]] = []

    def send(self, message: tuple[Any, ...]) -> None:
        self.messages.append(message)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    def end(code: int) -> None:
        raise Ended

    monkeypatch.setattr(link, "LOOK", 0.0)
    monkeypatch.setattr(link, "is_reachable", lambda address: True)
    monkeypatch.setattr("os._exit", end)
    return Told()


class Ray:
    """Ray, of which each look finds what the test says: nodes, or an exception."""

    def __init__(self, looks: list[Any]) -> None:
        self.looks = looks

    def nodes(self) -> list[dict[str, Any]]:
        look = self.looks.pop(0)
        if isinstance(look, Exception):
            raise look
        return [{"NodeID": name, "Alive": True, "Resources": {"CPU": 1.0}} for name in look]


class Answer:
    """What Ray gives for a call: its result is to come."""

    def __init__(self) -> None:
        self.done: Future[bytes] = Future()

    def future(self) -> Future[bytes]:
        return self.done


class Answers:
    """A function of Ray whose calls give these answers."""

    def __init__(self, answers: Iterator[Answer]) -> None:
        self.answers = answers

    def remote(self, *arguments: Any) -> Answer:
        return next(self.answers)


def test_a_cluster_that_only_raises_exceptions_is_gone(told: Told) -> None:
    made: Any = link.Link(told)  # type: ignore[arg-type]  # it is only sent to
    broken = ConnectionError("the head is gone")
    made._gcs, made._ray = "10.0.0.1:6379", Ray(["ab", broken, "ab", *[broken] * link.MOST_MISSED])
    with pytest.raises(Ended):
        made._look_on()
    assert told.messages == [(link.NODES, 2, 2), (link.GONE,)] and not made._ray.looks


def test_units_that_are_out_when_a_node_leaves_are_done_again(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = link.Link(told)  # type: ignore[arg-type]  # it is only sent to
    begun = iter([1.0, 2.0, 5.0])
    monkeypatch.setattr("kibitz.runs.cluster.link.time", SimpleNamespace(monotonic=lambda: next(begun)))
    answers = [Answer() for _ in range(3)]
    made._unit = Answers(iter(answers))
    for number in range(3):
        made._begin(number, "work", b"", ())
    answers[0].done.set_result(b"first")
    made._give_up(before=3.0)  # the third began after the node had left
    answers[1].done.set_exception(OSError("of the attempt that was given up"))
    answers[2].done.set_exception(OSError("of the node that stays"))
    assert told.messages == [(link.DONE, 0, b"first"), (link.AGAIN, 1), (link.LOST, 2, "OSError: of the node that stays")]


# -- who may take part --


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"kibitz": "0.9"}, r"node a of the cluster has Kibitz 0\.9, and this machine 1\.0"),
        ({"code": "xyz"}, r"has other code of Kibitz 1\.0 \(xyz\) than this machine \(abc\)"),
        ({"python": "3.12"}, r"has Python 3\.12, and this machine 3\.11"),
        ({"numba": "0.67"}, "has Numba 0.67"),
        ({"machine": "arm64"}, "has a processor of the kind arm64"),
    ],
)
def test_a_node_that_could_play_other_games_is_refused_by_name(changed: dict[str, str], words: str) -> None:
    with pytest.raises(NodeRefused, match=words):
        check_node("a", FACTS, {**FACTS, **changed})
    check_node("a", FACTS, dict(FACTS))


def test_a_node_that_lacks_a_guard_takes_no_outside_bots() -> None:
    whole = {"files": "yes", "system calls": "yes"}
    lacking = {**FACTS, "guards": {**whole, "files": "no: this kernel has no Landlock"}}
    with pytest.raises(NodeRefused, match=r"lacks a guard .* takes none: files \(this kernel has no Landlock\)"):
        check_node("a", {**FACTS, "guards": whole}, lacking)
    with pytest.raises(NodeRefused, match="takes none: all"):
        check_node("a", {**FACTS, "guards": whole}, FACTS)
    check_node("a", FACTS, lacking)  # where no outside bot plays, it doesn't matter


def test_the_digest_of_the_package_is_that_of_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("one")
    monkeypatch.setattr(inspection, "PACKAGE", tmp_path)
    first = inspection.digest_of_package.__wrapped__()
    (tmp_path / "a.py").write_text("two")
    assert inspection.digest_of_package.__wrapped__() != first
    monkeypatch.undo()
    assert facts_here()["code"] not in ("", first)


# -- what travels --


@pytest.fixture
def _nothing_carried() -> Iterator[None]:
    yield
    carried.forget_carried()


@pytest.mark.usefixtures("_nothing_carried")
def test_files_are_found_under_their_old_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "job").mkdir()
    bot = tmp_path / "there" / "mine.py"
    bot.write_text("class Mine:\n    def choose(self, view):\n        return 0\n")
    (tmp_path / "there" / "secret.py").write_text("never named")
    monkeypatch.chdir(bot.parent)
    papers = pack_job(tmp_path / "job", JobPapers(FACTS), ["mine.py"])
    assert [file.name for file in (tmp_path / "job").rglob("*.py")] == ["mine.py"]  # only what is named
    bot.rename(tmp_path / "there" / "gone.py")
    monkeypatch.chdir(tmp_path)
    read = JobPapers.read(tmp_path / "job")
    assert read == papers
    carried.unpack_files(read.files, tmp_path / "job")
    for name in ("mine.py:Mine", f"{bot}:Mine"):
        assert entrant(name).name == name
    assert carried.named_as_before(str(carried.place_of("mine.py"))) == str(bot)


@pytest.mark.usefixtures("_nothing_carried")
def test_a_file_that_arrives_changed_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("one = 1\n")
    (tmp_path / "job").mkdir()
    papers = pack_job(tmp_path / "job", JobPapers(FACTS), [str(bot)])
    (tmp_path / "job" / papers.files[0].parcel).write_text("two = 2\n")
    with pytest.raises(BadValue, match=r"mine\.py did not arrive as it was sent"):
        carried.unpack_files(papers.files, tmp_path / "job")


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of a game that another brings, with more in it than code."""
    package = tmp_path / "there" / "brought"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("GAME = 1\n")
    (package / "data" / "cards.txt").write_text("1 2 3\n")
    (package / ".gitignore").write_text("data\n")
    monkeypatch.setattr(parcels, "homes", lambda: {"bridge": Home("brought:GAME", package)})
    (tmp_path / "job").mkdir()
    return package


@pytest.mark.parametrize("name", ["__init__.py", "data/cards.txt", "more.py", ""])
def test_a_package_that_arrives_changed_is_refused(name: str, brought: Path, tmp_path: Path) -> None:
    pack_job(tmp_path / "job", JobPapers(FACTS), games=["bridge"])
    (game,) = JobPapers.read(tmp_path / "job").games
    arrived = tmp_path / "job" / parcels.GAMES / "brought"
    assert not (arrived / ".gitignore").exists(), "Ray would leave out what it names"
    (arrived / "__pycache__").mkdir()
    (arrived / "__pycache__" / "module.pyc").write_bytes(b"compiled since")
    game.check_arrived(tmp_path / "job")
    if name:
        (arrived / name).write_text("another\n")
    else:
        shutil.rmtree(arrived)
    with pytest.raises(BadValue, match="the package brought of the game bridge did not arrive as it was sent"):
        game.check_arrived(tmp_path / "job")


def test_a_package_of_one_file_travels(brought: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "homes", lambda: {"bridge": Home("alone:GAME", brought / "__init__.py")})
    (game,) = pack_job(tmp_path / "job", JobPapers(FACTS), games=["bridge"]).games
    game.check_arrived(tmp_path / "job")
    (tmp_path / "job" / parcels.GAMES / "__init__.py").write_text("another\n")
    with pytest.raises(BadValue, match="did not arrive as it was sent"):
        game.check_arrived(tmp_path / "job")


def test_links_out_of_a_package_are_refused(brought: Path, tmp_path: Path) -> None:
    (brought / "again.py").symlink_to(brought / "__init__.py")
    (game,) = pack_job(tmp_path / "job", JobPapers(FACTS), games=["bridge"]).games
    game.check_arrived(tmp_path / "job")
    (tmp_path / "secret").write_text("never named\n")
    (brought / "data" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(BadValue, match=r"data/link is a link out of its package, so it can't travel to the cluster"):
        pack_job(tmp_path / "job", JobPapers(FACTS), games=["bridge"])


def test_large_arrays_travel_once() -> None:
    weights = np.arange(5_000.0)
    first, second = (PackedCall.of(len, (weights, number)) for number in range(2))
    assert first.size < 1_000 and first.parcels == second.parcels
    packed, parcels = pack((weights, 3))
    found, number = unpack(packed, parcels)
    assert number == 3 and np.array_equal(found, weights)


def test_a_line_up_travels_with_values_and_without_compiled_code() -> None:
    weights = tuple(float(place) / 7 for place in range(108))
    kept = make_lineup([Entrant("mine", entrant("perceptron").bot, {"weights": weights}), "mix2:points"], "official", to="500+")
    found = pickle.loads(pickle.dumps(kept))
    assert [each.name for each in found.entrants] == ["mine", "mix2:points"]
    assert found.entrants[0].values == {"weights": weights} and found.entrants[0].bot is kept.entrants[0].bot
    assert (found.rules, found.seating, found.target) == (kept.rules, "random", 501)


def test_compiled_code_is_kept_on_the_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    assert node_cache() == tmp_path
    monkeypatch.delenv("KIBITZ_CACHE")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert node_cache() == tmp_path / f"kibitz-{os.getuid()}" / "compiled"


def test_units_of_huge_runs_are_larger() -> None:
    batch = Batch(make_lineup(["greedy", "random"]), 10**10, 1)
    assert next(batch.units()) == Unit(0, 10**6)
