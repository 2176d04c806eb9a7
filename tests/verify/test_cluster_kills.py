"""A Ray cluster that loses workers, nodes, the driver or everything: no unit is lost or counted twice, and nobody waits for ever.

Each run is also played here, and the figures are equal. One test runs two nodes in network namespaces, which takes root and iproute2.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kibitz import evaluate
from kibitz.core import machine_code
from kibitz.core.compile_cache import cache_folder
from kibitz.core.errors import KibitzError
from kibitz.experiments.tournament.hold import GUARDS
from kibitz.runs.cluster.dispatcher import ATTEMPTS, UnitLost, joined
from kibitz.runs.database import open_for_reading
from kibitz.runs.store import RunLedger, read_run
from tests.kuhn.conftest import installed
from tests.runs.clusters import SOURCES, add_node, played_here, ray_cluster

__all__ = ["installed"]

pytestmark = [pytest.mark.verify, pytest.mark.filterwarnings("default")]  # of Ray, whose processes are killed here

PATIENCE = 120.0  # seconds until something that should have happened is given up
GAMES = 12_000

BOTS = """
import os, sys

def first_legal(view):
    return next(action for action in range(200) if view.is_legal(action))

class Patient:
    def choose(self, view):
        return first_legal(view)

class Deadly:
    def choose(self, view):
        if sys.argv[0].endswith("default_worker.py"):
            os._exit(3)
        return first_legal(view)

class Clumsy:
    def choose(self, view):
        return 199
"""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "bots.py"
    file.write_text(BOTS)
    return file


def until(happened: Callable[[], Any]) -> Any:
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
    return found


def workers_of(node: Any) -> list[int]:
    """The processes of a node that play a unit at the moment."""
    raylet = node.all_processes["raylet"][0].process.pid
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == raylet:
                found += [int(folder.name)] * (b"ray::do_unit" in (folder / "cmdline").read_bytes())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


class Killer:
    """Told of progress; it does its deed once, after some units."""

    def __init__(self, deed: Callable[[], None]) -> None:
        self.deed, self.units, self.games = deed, 0, 0

    def __call__(self, name: str, games: int) -> None:
        self.units, self.games = self.units + 1, self.games + games
        if self.units == 3:
            self.deed()


def played(bots: Path, progress: Any = None) -> Any:
    """A run that takes a while, without its time."""
    found = evaluate(f"{bots}:Patient", games=GAMES, seed=4, progress=progress).to_dict()
    return {key: value for key, value in found.items() if "second" not in key}


def kill_a_worker(cluster: Any) -> None:
    os.kill(until(lambda: [pid for node in cluster.worker_nodes for pid in workers_of(node)])[0], signal.SIGKILL)


def kill_a_node(cluster: Any) -> None:
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)


@pytest.mark.parametrize("deed", [kill_a_worker, kill_a_node])
def test_a_worker_or_a_node_is_killed(deed: Callable[[Any], None], bots: Path) -> None:
    with ray_cluster() as cluster:
        killer = Killer(lambda: deed(cluster))
        with joined(cluster.address, [str(bots)]):
            far = played(bots, killer)
    assert killer.units > 3 and killer.games == GAMES
    assert far == played(bots)


def test_a_unit_that_fails_again_and_again_and_a_fault_that_stays_the_bots(bots: Path) -> None:
    with ray_cluster(nodes=1) as cluster, joined(cluster.address, [str(bots)]):
        with pytest.raises(UnitLost, match=f"games 0 to [0-9]+ of seed 9 failed {ATTEMPTS} times .* its worker process died"):
            evaluate(f"{bots}:Deadly", games=40, seed=9)
        with pytest.raises(KibitzError) as far:
            evaluate(f"{bots}:Clumsy", games=40, seed=9)
        with played_here(), pytest.raises(KibitzError) as here:
            evaluate(f"{bots}:Clumsy", games=40, seed=9)
    assert str(far.value) == str(here.value)


# -- commands --


class Command:
    """`kibitz` in a process, with a store of its own."""

    def __init__(self, folder: Path, prefix: tuple[str, ...] = (), path: Path | None = None) -> None:
        self.folder, self.store, self.prefix = folder, folder / "runs.db", prefix
        self.path = os.pathsep.join(map(str, (SOURCES, *([path] if path else []))))

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": self.path, "KIBITZ_CACHE": str(cache_folder())}
        line = [*self.prefix, sys.executable, "-m", "kibitz", *words, "--store", str(self.store)]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=self.folder)

    def finished_units(self) -> int:
        """Units of the run that the store has."""
        if not self.store.exists():
            return 0
        try:
            with open_for_reading(self.store) as opened:
                return len(RunLedger(opened, read_run(opened, 1)).finished(0))
        except KibitzError:  # it is just being made
            return 0

    def figures(self, *words: str) -> Any:
        """What a command finds, but for the time."""
        process = self.start(*words, "--json", str(self.folder / "found.json"))
        said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        found = json.loads((self.folder / "found.json").read_text())
        return {key: value for key, value in found.items() if "second" not in key}


@pytest.mark.parametrize("resumed", ["on the cluster", "here"])
def test_the_driver_is_killed_and_the_run_resumed(resumed: str, bots: Path, tmp_path: Path) -> None:
    command = Command(tmp_path)
    with ray_cluster() as cluster:
        driver = command.start("evaluate", "bots.py:Patient", "-n", str(GAMES), "-s", "4", "--cluster", cluster.address)
        until(lambda: command.finished_units() > 2)
        driver.kill()
        driver.communicate()
        assert 2 < command.finished_units() < GAMES // 250
        far = command.figures("resume", "1", *(("--cluster", cluster.address) if resumed == "on the cluster" else ()))
    assert far == command.figures("evaluate", "bots.py:Patient", "-n", str(GAMES), "-s", "4")


def test_the_cluster_disappears_and_the_run_goes_on_here(bots: Path, tmp_path: Path) -> None:
    command = Command(tmp_path)
    with ray_cluster() as cluster:
        driver = command.start("evaluate", "bots.py:Patient", "-n", str(GAMES), "-s", "4", "--cluster", cluster.address)
        until(lambda: command.finished_units() > 2)
        cluster.shutdown()
        out, said = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 1 and out == ""
    first, *rest = [line for line in said.splitlines() if "compiling" not in line and "on a Ray cluster" not in line]
    assert first == f"resume with: kibitz resume 1 --store {command.store}" or "is gone; finished work is kept" in first, said
    assert len(rest) == 1 and "Traceback" not in said, said
    assert command.figures("resume", "1") == command.figures("evaluate", "bots.py:Patient", "-n", str(GAMES), "-s", "4")


def test_a_game_that_is_installed_here_alone_is_played_on_every_node(installed: Path, tmp_path: Path) -> None:
    command = Command(tmp_path, path=installed)
    words = ("match", "random", "random", "--game", "kuhn", "-n", "20000", "-s", "4")
    with ray_cluster() as cluster:
        far = command.figures(*words, "--cluster", cluster.address)
    assert far["game"] == "kuhn" and far == command.figures(*words)


# -- nodes that can't take part --

PATCH = "import {module} as patched\npatched.{name} = lambda: {value!r}\n"


def test_nodes_that_could_play_other_games_are_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(SOURCES / "kibitz", other / "kibitz", ignore=shutil.ignore_patterns("__pycache__", "static"))
    facts = other / "kibitz" / "__init__.py"
    facts.write_text(facts.read_text().replace("__version__ =", '__version__ = "0.0.1"; ignored ='))
    changed = tmp_path / "changed"
    shutil.copytree(SOURCES / "kibitz", changed / "kibitz", ignore=shutil.ignore_patterns("__pycache__", "static"))
    loop = changed / "kibitz" / "play" / "loop.py"
    loop.write_text(f"{loop.read_text()}\nCHANGED = True\n")
    patches = {
        "python": PATCH.format(module="platform", name="python_version_tuple", value=("3", "99", "0")),
        "guards": PATCH.format(module="kibitz.outside.confine", name="available_guards", value={"files": "no: there is no Landlock"}),
    }
    for name, text in patches.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "sitecustomize.py").write_text(text)
    paths = {
        "has Kibitz 0.0.1": str(other),
        "has other code of Kibitz": str(changed),
        "has Python 3.99": f"{tmp_path / 'python'}{os.pathsep}{SOURCES}",
        "takes none: files": f"{tmp_path / 'guards'}{os.pathsep}{SOURCES}",
    }
    with ray_cluster(nodes=1) as cluster:
        for words, path in paths.items():
            node = add_node(cluster, PYTHONPATH=path)
            name = f"node {node.node_ip_address} \\({node.node_id[:8]}\\) of the cluster"
            with pytest.raises(KibitzError, match=f"{name} .*{words}"), joined(cluster.address, guards=GUARDS):
                pass
            cluster.remove_node(node)
        with joined(cluster.address, guards=GUARDS) as good:
            assert good.submit(len, "four").result(PATIENCE) == 4


def test_each_node_keeps_what_it_compiles(bots: Path, tmp_path: Path) -> None:
    with ray_cluster(nodes=0) as cluster:
        for name in ("one", "two"):
            add_node(cluster, KIBITZ_CACHE=str(tmp_path / name))
        with joined(cluster.address, [str(bots)]):
            far = played(bots)
    assert far == played(bots)
    kept = [{path.name for path in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert kept[0] and kept[0] == kept[1]
    for name in ("one", "two"):
        assert all(machine_code.file_in(part).exists() for part in (tmp_path / name).iterdir()), name


# -- two machines, as far as one can be two --

HOSTS = ("kibitz1", "kibitz2")


@pytest.fixture
def hosts() -> Iterator[tuple[str, ...]]:
    """Two network namespaces with a cable between them."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.fail("this test lays a network of its own: it needs root and the program ip (apt install iproute2)")
    for host in HOSTS:
        subprocess.run(["ip", "netns", "add", host], check=True)
    subprocess.run(
        ["ip", "link", "add", "cable1", "netns", "kibitz1", "type", "veth", "peer", "name", "cable2", "netns", "kibitz2"], check=True
    )
    for number, host in enumerate(HOSTS, 1):
        for words in (f"addr add 10.77.0.{number}/24 dev cable{number}", f"link set cable{number} up", "link set lo up"):
            subprocess.run(["ip", "-n", host, *words.split()], check=True)
    yield HOSTS
    for host in HOSTS:
        pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=True).stdout.split()
        for pid in map(int, pids):
            os.kill(pid, signal.SIGKILL)
        subprocess.run(["ip", "netns", "del", host], check=True)


def start_ray(host: str, number: int, *words: str) -> None:
    """A node as a user starts it."""
    program = str(Path(sys.executable).with_name("ray"))
    line = ["ip", "netns", "exec", host, program, "start", *words, f"--node-ip-address=10.77.0.{number}", "--num-cpus=1"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCES),
        "KIBITZ_CACHE": str(cache_folder()),
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_failure_threshold": "2",
    }
    options = ["--disable-usage-stats", "--object-store-memory=83886080"]
    subprocess.run([*line, *options], check=True, capture_output=True, env=environment)


@pytest.mark.parametrize("cut", [False, True])
def test_two_nodes_in_network_namespaces(cut: bool, hosts: tuple[str, ...], bots: Path, tmp_path: Path) -> None:
    start_ray(hosts[0], 1, "--head", "--port=6399", "--include-dashboard=false")
    start_ray(hosts[1], 2, "--address=10.77.0.1:6399")
    command = Command(tmp_path, ("ip", "netns", "exec", hosts[0]))
    words = ("evaluate", "bots.py:Patient", "-n", str(GAMES), "-s", "4")
    driver = command.start(*words, "--cluster", "10.77.0.1:6399", "--json", str(tmp_path / "far.json"))
    if cut:
        until(lambda: command.finished_units() > 2)
        subprocess.run(["ip", "-n", hosts[1], "link", "set", "cable2", "down"], check=True)
    _, said = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0 and "2 nodes, 2 processors" in said, said
    far = {key: value for key, value in json.loads((tmp_path / "far.json").read_text()).items() if "second" not in key}
    assert far == command.figures(*words)
