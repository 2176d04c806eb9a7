"""The process that talks to Ray for a run: whatever happens to Ray, or to the cluster, the run itself lives on.

Ray writes to the terminal, handles signals and may end the process that uses it. So it has one of its own, which `dispatcher` starts: messages
come and go through a pipe, and at its end this process ends, and with it what it had begun on the cluster.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kibitz.runs.cluster import executor
from kibitz.runs.cluster.workplace import ENVIRONMENT

AUTO = "auto"  # the cluster that RAY_ADDRESS names, or the one on this machine
LOOK = 1.0  # seconds between two looks at the cluster
GRACE = 5.0  # seconds that Ray has to say which units a lost node had
MOST_MISSED = 5  # looks in a row at which it does not answer
SILENCE = 5_000  # milliseconds
ANSWER = 3.0  # seconds that it has for an answer
INSPECTION = 120.0  # seconds that all nodes have to say what they are

CONNECTED, JOINED, REFUSED, NODES, DONE, LOST, AGAIN, GONE = (
    "connected",
    "joined",
    "refused",
    "nodes",
    "done",
    "lost",
    "again",
    "gone",
)  # what this process tells
PARCEL, FORGET, UNIT, LEAVE = "parcel", "forget", "unit", "leave"  # what it is told

HOW_TO_START = "start one with: ray start --head --node-ip-address=127.0.0.2 --include-dashboard=false --disable-usage-stats"


def serve(pipe: Connection, address: str, folder: str, guards: str) -> None:
    """The life of this process."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    for name in ("time", "timeout"):  # a connection whose other end is silent for so long is closed: its cable may have been cut
        os.environ.setdefault(f"RAY_grpc_client_keepalive_{name}_ms", str(SILENCE))
    link = Link(pipe)
    try:
        link.join(address, folder, guards)
        link.work()
    except EOFError:  # the run has ended
        link.leave()
    except Unjoinable as error:
        link.tell(REFUSED, str(error))
    os._exit(0)


class Unjoinable(Exception):
    """A cluster that can't be used, in one sentence."""


class Link:
    """The connection of a run to a Ray cluster."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._parcels: dict[str, Any] = {}
        self._ray: Any = None
        self._unit: Any = None
        self._pending: dict[int, tuple[Any, float]] = {}  # units that have begun: their answers to come, and since when

    def tell(self, kind: str, *values: Any) -> None:
        """Tell the run something; if it is gone, this process ends."""
        try:
            with self._lock:
                self._pipe.send((kind, *values))
        except OSError:
            os._exit(1)

    # -- joining --

    def join(self, address: str, folder: str, guards: str) -> None:
        """Connect, and let every node say what it is."""
        found = found_address(address)
        os.environ.pop("RAY_ADDRESS", None)
        import ray

        self._ray = ray
        environment = {"working_dir": folder, "env_vars": dict(ENVIRONMENT)}
        try:
            ray.init(found, log_to_driver=False, logging_level=logging.CRITICAL, runtime_env=environment)
        except Exception as error:
            raise Unjoinable(why_not_joined(found, error)) from error
        self.tell(CONNECTED)
        self._unit = ray.remote(max_retries=0, num_cpus=1)(executor.do_unit)
        self._gcs = ray.get_runtime_context().gcs_address
        nodes = self._nodes()
        if not nodes:
            raise Unjoinable(f"the Ray cluster at {self._gcs} has no processors; add a node with: ray start --address={self._gcs}")
        self.tell(JOINED, self._gcs, len(nodes), _processors(nodes), self._inspected(nodes, guards))
        threading.Thread(target=self._look_on, daemon=True).start()

    def _nodes(self) -> list[dict[str, Any]]:
        """The nodes that have processors."""
        return [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def _inspected(self, nodes: list[dict[str, Any]], guards: str) -> list[tuple[str, Any]]:
        """The name of each node with what it says of itself, or the reason why it can't."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        look = self._ray.remote(max_retries=3, num_cpus=1)(executor.look_around)
        asked = [
            look.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(guards) for node in nodes
        ]
        self._ray.wait(asked, num_returns=len(asked), timeout=INSPECTION)
        found = []
        for node, answer in zip(nodes, asked, strict=True):
            name = f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"
            try:
                found.append(self._ray.get(answer, timeout=0))
            except Exception as error:
                found.append((name, why_lost(error)))
        return found

    # -- working --

    def work(self) -> None:
        """Do what the run says, until it ends."""
        while True:
            kind, *values = self._pipe.recv()
            if kind == LEAVE:
                raise EOFError
            if kind == PARCEL:
                digest, content = values
                self._parcels[digest] = self._ray.put(content)
            elif kind == FORGET:
                self._parcels.pop(values[0], None)
            elif kind == UNIT:
                self._begin(*values)

    def _begin(self, number: int, work: str, arguments: bytes, digests: tuple[str, ...]) -> None:
        answer = self._unit.remote(work, arguments, digests, *[self._parcels[digest] for digest in digests])
        self._pending[number] = answer, time.monotonic()  # Ray forgets an answer that nobody keeps
        answer.future().add_done_callback(lambda done: self._end(number, answer, done))

    def _end(self, number: int, answer: Any, done: Any) -> None:
        is_awaited = self._pending.get(number, (None, 0.0))[0] is answer
        if is_awaited:
            del self._pending[number]
        error = done.exception()
        if error is None:
            self.tell(DONE, number, done.result())
        elif is_awaited:  # else it has been begun again
            self.tell(LOST, number, why_lost(error))

    def _give_up(self, before: float) -> None:
        """After a node was lost: have units that began before and are still out done again, unless the others are quicker.

        Ray itself says so of a node that was killed, but not of one whose cable was cut. Whichever answer comes first counts. Most of these
        units are on other nodes, so it is no failure of theirs.
        """
        for number, (_, since) in list(self._pending.items()):
            if since < before and self._pending.pop(number, None) is not None:
                self.tell(AGAIN, number)

    def leave(self) -> None:
        """Let the cluster know that nothing more is wanted."""
        threading.Timer(2.0, lambda: os._exit(0)).start()  # a cluster that is gone is not waited for
        self._ray.shutdown()

    # -- looking on --

    def _look_on(self) -> None:
        """See whether the cluster is there, and how large it is."""
        missed, known, there = 0, (0, 0), set[str]()
        while True:
            time.sleep(LOOK)
            nodes = self._seen()
            missed = 0 if nodes is not None else missed + 1
            if missed >= MOST_MISSED:
                break
            if nodes is None:
                continue
            names = {node["NodeID"] for node in nodes}
            if there - names:
                threading.Timer(GRACE, self._give_up, [time.monotonic()]).start()
            there = names
            if (len(nodes), _processors(nodes)) != known:
                known = len(nodes), _processors(nodes)
                self.tell(NODES, *known)
        self.tell(GONE)
        os._exit(0)

    def _seen(self) -> list[dict[str, Any]] | None:
        """The nodes, or None if the cluster does not answer."""
        try:
            return self._nodes() if is_reachable(self._gcs) else None
        except Exception:  # Ray has many of them for a head that is just going
            return None


def _processors(nodes: list[dict[str, Any]]) -> int:
    return int(sum(node["Resources"]["CPU"] for node in nodes))


# -- reasons --


def is_reachable(address: str) -> bool:
    """Whether somebody listens there."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWER):
            return True
    except (OSError, ValueError):
        return False


def found_address(address: str) -> str:
    """The address of the cluster that is meant, once somebody answers there: Ray itself would wait for long."""
    if address != AUTO:
        if not is_reachable(address):
            raise Unjoinable(f"no Ray cluster answers at {address}; {HOW_TO_START}")
        return address
    named = os.environ.get("RAY_ADDRESS", "")
    if named and named != AUTO:
        if not is_reachable(named):
            raise Unjoinable(f"RAY_ADDRESS names {named}, but no Ray cluster answers there; {HOW_TO_START}")
        return named
    noted = Path(os.environ.get("RAY_TMPDIR") or "/tmp") / "ray" / "ray_current_cluster"  # where `ray start` leaves it
    found = noted.read_text(encoding="utf-8", errors="replace").strip() if noted.is_file() else ""
    if not found or not is_reachable(found):
        raise Unjoinable(f"no Ray cluster runs on this machine; {HOW_TO_START}")
    return found


def why_not_joined(address: str, error: Exception) -> str:
    """Why a cluster can't be joined, in one sentence."""
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return f"the Ray cluster at {address} has another version of Ray or Python than this machine: {text[:300]}"
    return f"the Ray cluster at {address} can't be joined: {text[:300]}"


_REASONS = {
    "WorkerCrashedError": "its worker process died",
    "NodeDiedError": "its node died",
    "OutOfMemoryError": "its node ran out of memory",
    "ObjectLostError": "its result was lost with a node",
    "OwnerDiedError": "its result was lost with a node",
    "GetTimeoutError": "its node did not answer in time",
    "RuntimeEnvSetupError": "its node could not fetch the files of the job",
    "TaskUnschedulableError": "its node is gone",
}


def why_lost(error: BaseException) -> str:
    """Why a unit brought no result, in words."""
    for kind in type(error).__mro__:
        if kind.__name__ in _REASONS:
            return _REASONS[kind.__name__]
    text = " ".join(str(error).split())
    if "No module named" in text:
        return f"its node can't import what is needed (No module named {text.rpartition('No module named')[2].strip()[:60]})"
    return f"{type(error).__name__}: {text[:200]}"
