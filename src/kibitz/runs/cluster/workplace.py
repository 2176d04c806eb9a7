"""What a process on a node makes ready before its first unit of a job: a place for compiled code, files, games; and what it checks.

Compiled code is kept on the node, so that each node compiles once: the first process does, the others wait and load. A process takes
one processor, so the libraries that could start threads of their own are told to use one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kibitz.core.carried import unpack_files
from kibitz.core.errors import KibitzError
from kibitz.games.plugins import declare_game
from kibitz.runs.cluster.inspection import NodeRefused, check_node, facts_here
from kibitz.runs.cluster.parcels import GAMES, JobPapers

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS")
ENVIRONMENT: Mapping[str, str] = dict.fromkeys(THREAD_LIMITS, "1")


def node_name() -> str:
    """The node of this process, for messages."""
    import ray

    address: Any = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]  # Ray's own lapse
    return f"{address} ({ray.get_runtime_context().get_node_id()[:8]})"


def node_cache() -> Path:
    """Where compiled code is kept on a node: KIBITZ_CACHE of the node, else a folder on its own disk."""
    chosen = os.environ.get("KIBITZ_CACHE")
    return Path(chosen) if chosen else Path(tempfile.gettempdir()) / f"kibitz-{os.getuid()}" / "compiled"


@cache
def job_here() -> JobPapers:
    """The papers of the job that this process works for, everything made ready; `NodeRefused` if this node can't take part."""
    folder = Path.cwd()
    papers = JobPapers.read(folder)
    check_node(node_name(), papers.expected, facts_here(papers.guards))
    os.environ["KIBITZ_CACHE"] = str(node_cache())
    try:
        unpack_files(papers.files, folder)
        for game in papers.games:
            game.check_arrived(folder)
    except KibitzError as error:
        raise NodeRefused(f"node {node_name()} of the cluster: {error}") from None
    for game in papers.games:
        place = str(folder / GAMES)
        if place not in sys.path:
            sys.path.insert(0, place)
        declare_game(game.name, game.definition)
    return papers
