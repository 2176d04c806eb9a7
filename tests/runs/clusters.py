"""Ray clusters of tests: several nodes on this machine, reachable from it alone, without a dashboard and without statistics for Ray's makers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from kibitz.core.compile_cache import cache_folder
from kibitz.runs.cluster import dispatcher

LOOPBACK = "127.0.0.2"  # Ray takes 127.0.0.1 for the address by which others see this machine
STORE_BYTES = 80 * 2**20  # the least that Ray accepts
SOURCES = Path(dispatcher.__file__).parents[3]


@contextmanager
def ray_cluster(nodes: int = 2) -> Iterator[Any]:
    """A cluster of a head that does no work and some nodes with one processor."""
    environment = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": str(SOURCES),
        "KIBITZ_CACHE": str(cache_folder()),
        "RAY_health_check_period_ms": "500",  # a dead node is noticed at once
        "RAY_health_check_failure_threshold": "2",
    }
    with mock.patch.dict(os.environ, environment):
        from ray.cluster_utils import Cluster  # starts nothing, but must see the environment

        head = {"num_cpus": 0, "node_ip_address": LOOPBACK, "include_dashboard": False, "object_store_memory": STORE_BYTES}
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        try:
            for _ in range(nodes):
                add_node(cluster)
            yield cluster
        finally:
            cluster.shutdown()


def add_node(cluster: Any, **environment: str) -> Any:
    """One more node, whose processes have these variables in their environment."""
    with mock.patch.dict(os.environ, environment):
        return cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK, object_store_memory=STORE_BYTES)


@contextmanager
def played_here() -> Iterator[None]:
    """In this block, nothing goes to the cluster that was joined."""
    with mock.patch.object(dispatcher, "_current", []):
        yield
