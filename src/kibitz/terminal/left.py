"""Games that a person has left, in the store: kept after every own move, offered again, and forgotten once they are over.

They lie where the tables of the browser lie (`kibitz.runs.kept_tables`), under an owner that no session has. A game is locked while it
is played, so that another terminal does not offer it.
"""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.sentences import counted, listed
from kibitz.runs import kept_tables as kept_tables
from kibitz.runs import locks
from kibitz.runs.database import Store, StoreError, store_path
from kibitz.runs.kept_tables import KeptTable
from kibitz.terminal.seating import Seating

OWNER = "terminal"  # no session has this digest
MOST_KEPT = 20  # games; of more, those that were left longest ago are forgotten
_FIRST_LOCK = 2**40  # far behind the locks of runs


@dataclass
class LeftGame:
    """A game that was left. `problem` says why it can't be continued; then there may be no seating."""

    id: str
    changed: float = 0.0
    seating: Seating | None = None
    folder: str = ""  # where it was begun: files of bots are named from there
    deals: list[list[str]] = field(default_factory=list)
    problem: str = ""

    def sentence(self) -> str:
        """What was left, when, and how far it had come."""
        if self.seating is None:
            return f"A game that you left can't be continued: {self.problem}"
        when = datetime.fromtimestamp(self.changed).strftime("%d %B at %H:%M").lstrip("0")
        definition = registry.game(self.seating.game)
        others = f"{'with' if definition.cooperative else 'against'} {listed(self.seating.bots)}"
        if self.problem:
            return f"The game of {definition.title} {others} that you left on {when} can't be continued: {self.problem}"
        contest = f"deal {len(self.deals)} of a contest to {self.seating.to}, " if self.seating.to else ""
        moves = counted(len(self.deals[-1]), "move")
        return f"You left a game of {definition.title} {others} on {when} ({contest}{moves} made)."

    def check(self) -> None:
        """Note as a problem what is wrong with bots and rules: they may be gone since."""
        if self.seating and not self.problem:
            try:
                self.seating.lineup()
            except KibitzError as error:
                self.problem = str(error)


class Keeping:
    """Keeps one game while it is played; a move that can't be written now is written with the next one."""

    def __init__(self, store: Store, seating: Seating, left: LeftGame | None = None) -> None:
        self.store, self.seating = store, seating
        self.problem = ""  # why the last move could not be written
        self.is_kept = left is not None
        self.deals: Sequence[Sequence[str]] = left.deals if left else ()
        self._table = left.id if left else secrets.token_hex(12)
        self._folder = left.folder if left else str(Path.cwd())
        elsewhere = [] if store.path == store_path() else ["--store", str(store.path.resolve())]
        self._command = shlex.join(["kibitz", "play", seating.game, "--resume", *elsewhere])

    def command(self) -> str:
        """What to type to continue the game."""
        return self._command

    @contextmanager
    def playing(self) -> Iterator[None]:
        """A block in which no other terminal offers the game."""
        number = _lock_of(self._table)
        if not locks.acquire(self.store.path, number):
            raise BadValue("the game is being played in another terminal just now; leave it there first.")
        try:
            yield
        finally:
            locks.release(self.store.path, number)

    def keep(self, deals: list[list[str]]) -> None:
        """Write all moves so far."""
        setup = {"version": registry.game(self.seating.game).results_version, "folder": self._folder}
        text = json.dumps({**setup, "seating": json.loads(self.seating.to_text())})
        table = KeptTable(self._table, text, OWNER, made=0.0, people={self.seating.seat: (OWNER, "you")}, deals=deals)
        try:
            with self.store.writing() as connection:
                kept_tables.keep_table(connection, table)
                if not self.is_kept:
                    kept_tables.forget_more_than(connection, OWNER, MOST_KEPT)
            self.is_kept, self.problem = True, ""
        except StoreError as error:
            self.problem = str(error)

    def forget(self) -> None:
        """The game is over."""
        if self.is_kept:
            forget(self.store, self._table)
            self.is_kept = False


def forget(store: Store, game: str) -> None:
    """Forget a game that was left."""
    with store.writing() as connection:
        kept_tables.forget_table(connection, game)


def newest(store: Store, game: str | None = None) -> LeftGame | None:
    """The game that was left last and is not being played just now, of one game or of any; None if there is none."""
    for name in kept_tables.names_of(store, OWNER):
        if locks.is_held(store.path, _lock_of(name)):
            continue
        left = _read(store, name)
        if game is None or left.seating is None or left.seating.game == game:
            return left
    return None


def _lock_of(name: str) -> int:
    return _FIRST_LOCK + int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def _read(store: Store, name: str) -> LeftGame:
    left = LeftGame(name)
    try:
        kept = kept_tables.read_table(store, name)
        assert kept is not None, "it was listed"
        left.deals, left.changed = kept.deals, kept.changed
        left.deals[-1]  # there is no game without a deal
        setup: Any = json.loads(kept.setup)
        left.seating, left.folder = Seating.from_json(setup["seating"]), str(setup["folder"])
        definition = registry.game(left.seating.game)
        if setup["version"] != definition.results_version:
            left.problem = f"it belongs to another version of kibitz, in which the same seed gives another game of {definition.title}."
    except KibitzError as error:
        left.problem = str(error)
    except (ValueError, TypeError, LookupError, RecursionError):
        left.problem = f"what store {store.path} holds of it is damaged."
    return left
