"""Outside bots at tables where people wait: each has a seat, and a process only while it is needed.

The process is started when the bot is first asked, and told all that happened in the deal until then, so that it knows what it would know had
it been there from the start. It can therefore be ended whenever it has not been asked for a while, or another bot needs its place.
Whoever keeps the table judges what goes wrong: `choose` raises an `OutsideFault`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, RLock
from typing import Any, NamedTuple

from kibitz.games.contract import GameDefinition
from kibitz.outside.limits import OutsideFault
from kibitz.outside.lines import as_line
from kibitz.outside.player import OutsideBot, OutsidePlayer, illegal_answer

MOST_PROCESSES = 16  # at once; more than there are threads that ask bots, so that one is always at rest
REST_SECONDS = 300.0  # after which a bot that nobody asks loses its process


class _Begun(NamedTuple):
    """A deal began."""

    view: Any
    seed: int


class _Heard(NamedTuple):
    """Something happened."""

    view: Any
    event: Any


class _Asked(NamedTuple):
    """The bot was asked."""

    view: Any


class Processes:
    """The processes of outside bots at all tables of a server: at most so many at once, and none for long that nobody asks."""

    def __init__(self, most: int = MOST_PROCESSES) -> None:
        self.most, self.stop = most, Event()
        self._lock = RLock()
        self._running: dict[OutsideSeat, float] = {}  # when each was last asked, the one asked longest ago first

    def __len__(self) -> int:
        return len(self._running)

    def enter(self, seat: OutsideSeat) -> None:
        """A seat is about to ask its process, or to start it; others that are at rest make room."""
        with self._lock:
            self._running.pop(seat, None)
            for other in list(self._running):
                if len(self._running) < self.most:
                    break
                other.rest()
            self._running[seat] = time.monotonic()

    def leave(self, seat: OutsideSeat) -> None:
        """A seat has no process any more."""
        with self._lock:
            self._running.pop(seat, None)

    def rest(self, seconds: float = REST_SECONDS) -> None:
        """End the processes of bots that nobody has asked for so long."""
        before = time.monotonic() - seconds
        with self._lock:
            for seat in [seat for seat, asked in self._running.items() if asked <= before]:
                seat.rest()

    def close(self) -> None:
        """End them all, also those that are thinking; nobody can be asked any more."""
        self.stop.set()
        for seat in list(self._running):
            seat.kill()


class OutsideSeat:
    """An outside bot in one seat of one deal after another. It has nothing to say of its choices."""

    def __init__(
        self,
        bot: OutsideBot,
        game: GameDefinition,
        rules: Any,
        seed: Callable[[], int],
        processes: Processes,
        wants_views: bool = True,
    ) -> None:
        self.bot, self.log = bot, ""  # the end of what it wrote to standard error, once its process is gone
        self._game, self._rules, self._seed, self._processes, self._wants_views = game, rules, seed, processes, wants_views
        self._lock = RLock()  # held while the process is started, asked or ended
        self._player: OutsidePlayer | None = None
        self._story: list[_Begun | _Heard | _Asked] = []  # of the deal
        self._told = 0  # how much of it the process knows

    def begin(self, view: Any) -> None:
        """A deal begins, or the bot comes to one that has."""
        with self._lock:
            self._story, self._told = [_Begun(view, self._seed())], 0

    def observe(self, view: Any, event: Any) -> None:
        """Something happened that everybody saw."""
        with self._lock:
            self._story.append(_Heard(view if self._wants_views else None, event))

    def recall(self, view: Any) -> None:
        """The bot was asked here, in a game that is brought back: it will be asked again before it decides anything new."""
        with self._lock:
            self._story.append(_Asked(view))

    def choose(self, view: Any) -> int:
        """Decide; OutsideFault if there is no legal answer in time."""
        with self._lock:
            try:
                player = self._ready()
                self._tell(player)
                self._story.append(_Asked(view))
                self._told = len(self._story)
                action = player.choose(view)
                if not self._game.verbs["is_legal"](view, action):
                    raise illegal_answer(self._game, view, action)
                return action
            except OutsideFault as fault:
                self.log = self._player.evidence().log if self._player else ""
                if fault.fatal:
                    self.kill()
                raise
            except OSError as error:  # this machine has no room for a process
                self.kill()
                raise OutsideFault("start", f"could not be started: {error}") from error

    def finish(self, outcome: dict[str, Any]) -> None:
        """The deal is over; a process that is there is told so, and what it does wrong now is left for the next deal."""
        with self._lock:
            if self._player is not None:
                try:
                    self._tell(self._player)
                    self._player.finish(outcome)
                except OutsideFault as fault:
                    self._player.left = fault

    def rest(self) -> bool:
        """End the process unless it is being asked just now; whether there is none any more."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self.kill()
            return True
        finally:
            self._lock.release()

    def kill(self) -> None:
        """End the process at once."""
        with self._lock:
            if self._player is not None:
                self._player.kill()
                self._player = None
            self._processes.leave(self)

    def _ready(self) -> OutsidePlayer:
        """The player, its process running."""
        self._processes.enter(self)
        if self._player is None:
            self._player, self._told = OutsidePlayer(self.bot, self._game, self._rules, stop=self._processes.stop), 0
        self._player.ready()
        return self._player

    def _tell(self, player: OutsidePlayer) -> None:
        """Tell the process what it has missed. What it answers to questions that were decided long ago counts for nothing."""
        wire = self._game.wire
        for told in self._story[self._told :]:
            self._told += 1
            if isinstance(told, _Begun):
                player.begin(told.view, told.seed)
            elif isinstance(told, _Heard):
                message = {"type": "event", **wire.event_message(None, told.event)}
                player.tell(as_line(message | ({"view": wire.view_message(told.view)} if player.wants_views else {})))
            else:
                try:
                    player.choose(told.view)
                except OutsideFault as fault:
                    if fault.fatal:
                        raise
