"""Where units are done: on threads of this process, or on the cluster that has been joined."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

from kibitz.runs.cluster.dispatcher import current_cluster
from kibitz.runs.units import worker_count


@contextmanager
def open_executor(threads: int | None = None) -> Iterator[Executor]:
    """An executor for as long as a block lasts; at its end, what has not begun is dropped."""
    cluster = current_cluster()
    if cluster is not None:
        try:
            yield cluster
        finally:
            cluster.drop_waiting()
        return
    pool = ThreadPoolExecutor(worker_count(threads), thread_name_prefix="kibitz")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
