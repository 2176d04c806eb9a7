"""A real server for tests: uvicorn in a thread, as `kibitz table` sets it up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kibitz.cli.table import listen
from kibitz.table.addresses import Proxies
from kibitz.table.protection import ServerLimits
from kibitz.table.server import Configuration, Server


@contextmanager
def served(app: Any, limits: ServerLimits | None = None, proxies: Proxies | None = None) -> Iterator[str]:
    """The address of a running app."""
    listening = listen("127.0.0.1", 0)
    server = Server(Configuration(app, limits or ServerLimits(), proxies or Proxies()))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and thread.is_alive() and time.monotonic() < until:
        time.sleep(0.01)
    assert server.started
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
        assert not thread.is_alive()
