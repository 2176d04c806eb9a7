"""Experiments on a real Ray cluster of several nodes: the same figures as here, and whatever can't travel or take part is refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kibitz import compare, evaluate, match
from kibitz.core.errors import BotFault, KibitzError
from kibitz.experiments.tournament.hold import GUARDS, HoldTournament
from kibitz.experiments.training.uno.linear import LinearPlan, LinearTraining
from kibitz.experiments.tune.tuning import Tune
from kibitz.games import plugins
from kibitz.runs.cluster.dispatcher import ClusterExecutor, joined
from tests.commands import check_refused, kibitz_command
from tests.kuhn.conftest import installed
from tests.runs.clusters import played_here, ray_cluster

__all__ = ["installed"]

PAYLOAD = 64_000  # bytes that a unit may take along

BOTS = '''
import kibitz


def first_legal(view):
    for action in range(200):
        if view.is_legal(action):
            return action
    return 0


@kibitz.bot
def lowest(view):
    """Plays the first legal action."""
    return first_legal(view)


class Patient:
    def choose(self, view):
        return first_legal(view)


class Clumsy:
    def choose(self, view):
        return int("red") if view.hand_size() == 1 else first_legal(view)
'''

CUP = """
games = 12
seed = 3
rules = "classic"
[[players]]
name = "ours"
bot = "greedy"
[[players]]
name = "python"
file = "bots.py:Patient"
[[players]]
name = "clumsy"
file = "bots.py:Clumsy"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bots, weights and a tournament as a user has them."""
    made = tmp_path_factory.mktemp("bots")
    (made / "bots.py").write_text(BOTS)
    (made / "cup.toml").write_text(CUP)
    training = LinearTraining(LinearPlan(games=200))
    training.sets[0, :40] = 0.25
    training.average[:40] = 0.25
    training.write_weights(made / "weights.npz")
    return made


@pytest.fixture(scope="module")
def kuhn(installed: Path) -> Iterator[str]:
    """A game of another package, which is installed here and on no node."""
    sys.path.append(str(installed))
    plugins.forget_games()
    yield "kuhn"
    sys.path.remove(str(installed))
    for name in [name for name in sys.modules if name.partition(".")[0] == "kibitz_kuhn"]:
        del sys.modules[name]
    plugins.forget_games()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ray_cluster() as started:
        yield started.address


@pytest.fixture(scope="module")
def cluster(address: str, folder: Path, kuhn: str) -> Iterator[ClusterExecutor]:
    """The cluster, joined by this process for a job with everything that tests name."""
    files = [str(folder / name) for name in ("bots.py", "weights.npz")]
    with joined(address, files, [kuhn], guards=GUARDS) as made:
        yield made


EXPERIMENTS: dict[str, Callable[[Path], Any]] = {
    "evaluate": lambda folder: evaluate(["greedy", "random"], games=900, seed=5),
    "contests": lambda folder: match(["greedy", "random", "greedy"], games=60, to=200),
    "a team": lambda folder: evaluate("random", game="hanabi", games=90),
    "plain Python": lambda folder: match(["random", "greedy"], games=30, jit=False),
    "a compiled bot of a file": lambda folder: match([f"{folder}/bots.py:lowest", "random"], games=400),
    "a Python bot of a file": lambda folder: match([f"{folder}/bots.py:Patient", "random"], games=60),
    "weights": lambda folder: evaluate(f"linear:{folder}/weights.npz", games=300),
    "a game of another package": lambda folder: match(["random", "random"], games=300, game="kuhn"),
    "compare": lambda folder: compare("greedy", "random", margin=4.0, seed=2),
    "a fixed number of games": lambda folder: compare("greedy", "random", games=600),
}


def figures(result: Any) -> Any:
    """What came of it, without how long it took."""

    def without(found: Any) -> Any:
        if isinstance(found, dict):
            return {key: without(value) for key, value in found.items() if key not in ("seconds", "games_per_second", "study")}
        return [without(value) for value in found] if isinstance(found, list) else found

    return without(result.to_dict())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures_are_those_of_one_machine(name: str, cluster: ClusterExecutor, folder: Path) -> None:
    before = cluster.units
    far = EXPERIMENTS[name](folder)
    assert cluster.units > before  # it was played there
    with played_here():
        assert figures(far) == figures(EXPERIMENTS[name](folder))


def test_a_game_of_another_package_is_loaded_from_the_job(cluster: ClusterExecutor, installed: Path) -> None:
    found = [cluster.submit(find_spec, "kibitz_kuhn").result().origin for _ in range(4)]
    assert all(place.endswith("/games/kibitz_kuhn/__init__.py") and str(installed) not in place for place in found), found


def test_a_tournament_with_outside_bots(cluster: ClusterExecutor, folder: Path) -> None:
    far = HoldTournament(str(folder / "cup.toml")).play()
    with played_here():
        here = HoldTournament(str(folder / "cup.toml")).play()
    assert here.faults and figures(far) == figures(here)


def test_a_fault_stays_that_of_the_bot(cluster: ClusterExecutor, folder: Path) -> None:
    said = []
    for where in (nullcontext(), played_here()):
        with where, pytest.raises(BotFault) as fault:
            match([f"{folder}/bots.py:Clumsy", "random"], games=300)
        said.append(str(fault.value))
    assert said[0] == said[1]
    assert "bots.py, line 25: return int(" in said[0]


def test_a_bot_that_is_in_no_file_is_refused(cluster: ClusterExecutor) -> None:
    class Here:
        def choose(self, view: Any) -> int:
            return int(view.legal_actions()[0])

    with pytest.raises(Exception, match="Here"):
        match([Here, "random"], games=40)


def test_a_training_learns_the_same(cluster: ClusterExecutor) -> None:
    found = []
    for where in (nullcontext(), played_here()):
        training = LinearTraining(LinearPlan(games=1_600, against="greedy,self"))
        with where:
            training.run(1)
        found.append(training.trained().tobytes())
    assert found[0] == found[1]


def test_tuning_finds_the_same(cluster: ClusterExecutor, tmp_path: Path) -> None:
    def tuned(name: str) -> Any:
        return Tune("score", games=200, trials=3, confirm=200, study=tmp_path / name).play()

    far = tuned("far.db")
    with played_here():
        assert figures(far) == figures(tuned("here.db"))


def test_a_unit_takes_little_along(cluster: ClusterExecutor) -> None:
    assert 0 < cluster.largest < PAYLOAD


def test_a_worker_has_one_thread_and_its_own_files(cluster: ClusterExecutor) -> None:
    limits = [cluster.submit(os.getenv, name) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")]
    assert [future.result() for future in limits] == ["1", "1", "1"]
    place: Future[str] = cluster.submit(os.getcwd)
    assert "working_dir" in place.result()


def test_progress_says_how_large_the_cluster_is(cluster: ClusterExecutor) -> None:
    assert cluster.shown() == "2 nodes, 2 processors"


def test_what_fails_there_is_told_in_a_sentence(cluster: ClusterExecutor) -> None:
    with pytest.raises(KibitzError, match=r"int failed on the cluster: ValueError: invalid literal"):
        cluster.submit(int, "ten").result()


# -- commands --


def test_a_command_plays_there_and_keeps_each_unit_once(address: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    words = ("match", "greedy", "random", "-n", "900", "--store", store, "--json", "-")
    code, far, said = kibitz_command(capsys, *words, "--cluster", address)
    assert code == 0 and f"on a Ray cluster at {address}: 2 nodes, 2 processors" in said
    _, here, _ = kibitz_command(capsys, *words)
    assert [line for line in far.splitlines() if "second" not in line] == [line for line in here.splitlines() if "second" not in line]
    from kibitz.runs.database import open_for_reading
    from kibitz.runs.store import RunLedger, read_run

    with open_for_reading(Path(store)) as opened:
        units = sorted(RunLedger(opened, read_run(opened, 1)).finished(0), key=lambda unit: unit.first)
    ends = [0, *(unit.first + unit.count for unit in units)]
    assert [unit.first for unit in units] == ends[:-1] and ends[-1] == 900


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("nowhere", ("--cluster nowhere is not accepted", "10.0.0.1:6379")),
        ("ray://a:1", ("--cluster ray://a:1 is not accepted",)),
        ("127.0.0.1:9", ("no Ray cluster answers at 127.0.0.1:9", "ray start --head")),
    ],
)
def test_an_address_without_a_cluster_is_refused(where: str, parts: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(kibitz_command(capsys, "match", "greedy", "random", "-n", "40", "--no-store", "--cluster", where), *parts)


def test_auto_without_a_cluster_says_how_to_start_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    ended = kibitz_command(capsys, "match", "greedy", "random", "-n", "40", "--no-store", "--cluster", "auto")
    check_refused(ended, "no Ray cluster runs on this machine", "ray start --head --node-ip-address=127.0.0.2")


def test_without_ray_the_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.runs.cluster.dispatcher.find_spec", lambda name: None)
    ended = kibitz_command(capsys, "match", "greedy", "random", "-n", "40", "--no-store", "--cluster", "auto")
    check_refused(ended, "--cluster needs Ray", "[cluster]")
