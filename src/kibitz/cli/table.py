"""`kibitz table`: play, watch and kibitz in the browser."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import NoStore, StoreFile, check_store
from kibitz.core.errors import BadValue
from kibitz.core.extras import EXTRAS, MissingExtra

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from kibitz.table.addresses import Hosts, Proxies
    from kibitz.table.offered import Offers

PORT = 8484
SWITCH_SECONDS = 0.001  # how long a thinking bot may keep others from answering


def command(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at. By default only this machine can connect; with 0.0.0.0 everyone can.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="The port to listen at.")] = PORT,
    public_name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A name under which a proxy with TLS serves the table, such as kibitz.example; repeatable."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="A proxy's IP address or network. X-Forwarded-For from there says who the client is; repeatable."
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in your browser.")] = True,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="[NAME=]BOT",
            help="A bot of yours that you and your guests can choose at tables: a Python file (mine.py:policy), or one of ours with parameters "
            "(net:mine.npz). Guests see the name, never the file; repeatable.",
        ),
    ] = None,
    store: StoreFile = None,
    no_store: NoStore = False,
) -> int:
    """Open the table in the browser: play against bots and people, watch, ask for advice, start runs.

    Tables are kept in the store and found again after a restart. Ctrl-C ends the server.
    """
    from kibitz.runs.database import open_store, store_path
    from kibitz.table.addresses import Hosts, Proxies

    check_store(store, no_store)
    if not 0 <= port <= 65535:
        raise BadValue(f"port {port} is out of range: 1 to 65535, or 0 for any that is free.")
    hosts, proxies = Hosts.for_listening(host, public_name or ()), Proxies.parse(trusted_proxy or ())
    _check_extra()
    path = None if no_store else store_path(store)
    if path is not None:
        with open_store(path) as opened:  # says what is wrong with it
            opened.check_writable()
    offers = _offers(bot or [])
    listening = listen(host, port)
    try:
        return serve(listening, host, hosts, proxies, path, open_browser, offers)
    finally:
        listening.close()


def _offers(specs: list[str]) -> Offers:
    from kibitz.table.offered import NO_OFFERS

    if not specs:
        return NO_OFFERS
    from kibitz.table.offering import offers_of

    return offers_of(specs)


def _check_extra() -> None:
    from importlib.util import find_spec

    for package in EXTRAS["web"].costs:
        if find_spec(package) is None:
            raise MissingExtra("the table in the browser", package)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, or a sentence about why not."""
    import socket

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise BadValue(f"host '{host}' is no address of this machine ({error.strerror}).") from error
    listening = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it would let two servers listen at one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise BadValue(f"cannot listen at {host}, port {port}: {error.strerror}; choose another with --port.") from error
    return listening


def serve(
    listening: socket.socket, host: str, hosts: Hosts, proxies: Proxies, path: Path | None, open_browser: bool, offers: Offers
) -> int:
    """Serve until somebody ends it."""
    from kibitz.table.app import create_app
    from kibitz.table.exposure import exposure, is_exposed, screen
    from kibitz.table.offered import in_words
    from kibitz.table.protection import ServerLimits
    from kibitz.table.server import Configuration, Server, descriptors_for, fitted, log_to_stderr

    limits = fitted(ServerLimits(), descriptors_for(ServerLimits()))
    log_to_stderr()
    sys.setswitchinterval(SWITCH_SECONDS)
    app = create_app(path, hosts, limits, warm=True, proxies=proxies, offers=offers)
    server = Server(Configuration(app, limits, proxies))
    address = address_of(listening, host)
    print(f"The table is open at {address}")
    if is_exposed(host, hosts):
        print(f"\n{screen(exposure(host, hosts, proxies, limits))}\n")
    if offers.bots:
        print(f"Bots of yours at its tables: {in_words(offers)}")
    print(f"{f'Tables are kept in {path}' if path else 'Nothing is kept'}. Ctrl-C ends the server.", flush=True)
    if open_browser:
        threading.Thread(target=_open_browser, args=(server, address), daemon=True).start()
    try:
        server.run(sockets=[listening])
    finally:
        _leave_thinkers(server)
    return 0


def _leave_thinkers(server: Any) -> None:
    """Do not wait for a bot that still thinks or is being compiled: all that is to be kept is kept."""
    if any(thread.name.startswith("kibitz-") for thread in threading.enumerate()):
        print("kibitz: interrupted.", file=sys.stderr, flush=True)
        sys.stdout.flush()
        os._exit(130 if server.should_exit else 1)


def address_of(listening: socket.socket, host: str) -> str:
    """What to open in a browser on this machine."""
    port = listening.getsockname()[1]
    name = "127.0.0.1" if host in ("0.0.0.0", "") else "[::1]" if host == "::" else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def _open_browser(server: Any, address: str) -> None:
    import time
    import webbrowser

    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    webbrowser.open(address)
