"""Tries to reach a TCP port, a UDP port and a Unix socket given on its command line, and says how that went.

Expected: nothing done
"""

import json
import socket
import sys
import urllib.request
from collections.abc import Callable

port, path = int(sys.argv[1]), sys.argv[2]


def datagram_pair() -> None:
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(path)


def listen() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        pass


sys.stdin.readline()
attempts: dict[str, Callable[[], object]] = {
    "tcp": lambda: socket.create_connection(("127.0.0.1", port), timeout=5),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
    "unix": lambda: socket.socket(socket.AF_UNIX).connect(path),
    "datagram pair": datagram_pair,
    "listen": listen,
    "http": lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5),
}
outcome = {}
for name, attempt in attempts.items():
    try:
        attempt()
        outcome[name] = "done"
    except OSError as error:
        outcome[name] = "refused" if isinstance(error, PermissionError) else str(error)
print(json.dumps(outcome), flush=True)
