"""An outside bot as a player: how its process is started, and the questions and news of the protocol put to it.

The referee stands above and judges; `process.py` stands below and keeps the process within its limits.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

import kibitz
from kibitz import registry
from kibitz.bots.bot import HAND_ORDERS
from kibitz.core.carried import place_of
from kibitz.core.errors import BadValue, KibitzError
from kibitz.games.contract import GameDefinition
from kibitz.games.plugins import homes
from kibitz.outside.command import absolute_command
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.process import BotProcess

PROTOCOL = 1
PACKAGE = Path(kibitz.__file__).resolve().parent
SITTING = 50  # games that a process plays in a tournament, or a few more so that seats are balanced
MOST_STARTS = 3  # of a process in the games of one sitting; after that the games that are left there are forfeited
MOST_ACTION = 2**31  # no game has so many; what is shown of an answer stays short
DEFAULT_SECONDS = BotLimits().decision_seconds


@dataclass(frozen=True)
class OutsideBot:
    """A bot as a process: its name, how it is started, and what it may use."""

    name: str
    command: tuple[str, ...]
    limits: BotLimits = field(default_factory=BotLimits)
    readable: tuple[Path, ...] = ()
    file: str = ""  # the Python file that our own client plays, with the bot's name in it if it has several
    unfit: str = ""  # why it is not even started: what it did when it was tried out
    trusted: bool = False  # it is not confined: it has our rights, our environment and the network

    @property
    def reproduction(self) -> str:
        """How to name this bot to `kibitz check-bot`, wherever that is run."""
        command = self.file or shlex.join(self.command)
        if not self.file and len(self.command) == 1 and command.endswith(".py"):
            command = f"env {command}"  # a program, not a file with a bot for our own client
        seconds = self.limits.decision_seconds
        trusted = " --trusted" if self.trusted else ""
        return shlex.quote(command) + trusted + (f" --seconds {seconds:g}" if seconds != DEFAULT_SECONDS else "")


def python_bot(name: str, spec: str, game: str, limits: BotLimits) -> OutsideBot:
    """A Python file as an outside bot: our own client runs it in a process."""
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
    if game in homes():
        home = homes()[game]
        program += f"sys.path.append({str(home.package.parent)!r}); "
        program += f"from kibitz.games.plugins import declare_game; declare_game({game!r}, {home.definition!r}); "
    program += "from kibitz.outside.client import main; main()"
    command = (sys.executable, "-I", "-c", program, spec, "--game", game)
    file = Path(re.split(r"(?<=\.py)(?=:|$)", spec)[0])
    return OutsideBot(name, command, limits, (PACKAGE, file, *own_folder(file)), spec)


@dataclass(frozen=True)
class Evidence:
    """What led to a fault: the last question as it was written, what was read of the answer, and the end of the bot's standard error."""

    asked: str = ""
    answered: bytes = b""
    log: str = ""


@dataclass
class OutsidePlayer:
    """An outside bot at a table: its process, started when it is needed, and what it said of itself."""

    bot: OutsideBot
    game: GameDefinition
    rules: Any
    log: Path | None = None
    stop: Event | None = None  # set when the run is being ended
    windows: tuple[str, ...] = ()
    wants_events: bool = False
    wants_views: bool = False  # in the messages that open a deal and tell of events as well
    hand_order: str = "newest"
    players: tuple[int, int] | None = None  # the fewest and the most it plays among, if it says so
    starts: int = 0

    def __post_init__(self) -> None:
        self.process: BotProcess | None = None
        self.left: OutsideFault | None = None  # what it did when a deal was over already: the next one is charged with it
        self.rules_message = self.game.wire.rules_message(self.rules)
        self.asked = self._counted = 0
        self.slowest = self.seconds = 0.0

    def ready(self) -> None:
        """Start the process and greet it, if it is not running."""
        self._raise_what_is_left()
        if self.process is not None and self.process.is_running:
            return
        if self.bot.unfit:
            raise OutsideFault("start", self.bot.unfit)
        if self.starts >= MOST_STARTS:
            raise OutsideFault("start", "is not started again after its failures in the games before", True)
        self.close()
        self.starts += 1
        self.process = BotProcess(
            self.bot.command,
            self.bot.limits,
            readable=self.bot.readable,
            confined=not self.bot.trusted,
            log=self.log,
            stop=self.stop,
        )
        hello = {"type": "hello", "protocol": PROTOCOL, "game": self.game.name, "referee": f"kibitz {kibitz.__version__}"}
        try:
            self.process.start()
            self._read_hello(self.process.ask(hello, self.bot.limits.start_seconds))
        except OutsideFault as fault:
            self.process.kill()  # whoever does not greet does not play
            self.starts += 1  # and is given one more chance, not two
            what = f"did not greet within {self.bot.limits.start_seconds:g} s" if fault.kind == "time" else fault.what
            raise OutsideFault(fault.kind, what, True) from None

    def _raise_what_is_left(self) -> None:
        if self.left is not None:
            fault, self.left = self.left, None
            raise fault

    def _read_hello(self, answer: dict[str, Any]) -> None:
        if answer.get("type") != "hello" or answer.get("protocol") != PROTOCOL:
            raise OutsideFault(
                "protocol", f'did not greet with {{"type": "hello", "protocol": {PROTOCOL}}} but with {_short(answer)}', True
            )
        known = self.game.phases[self.game.basic_phases :]
        windows = answer.get("windows", [])
        if not isinstance(windows, list) or not all(window in known for window in windows):
            raise OutsideFault("protocol", f"greeted with windows={_short(windows)}; known are {', '.join(known) or 'none'}", True)
        for key in ("events", "views"):
            if not isinstance(answer.get(key, False), bool):
                raise OutsideFault("protocol", f"greeted with {key}={_short(answer[key])}; it is true or false", True)
        order = answer.get("hand_order", "newest")
        if order not in HAND_ORDERS:
            raise OutsideFault("protocol", f"greeted with hand_order={_short(order)}; it is {' or '.join(filter(None, HAND_ORDERS))}", True)
        players = answer.get("players")
        if players is not None and not _is_range(players):
            raise OutsideFault("protocol", f"greeted with players={_short(players)}; it is the fewest and the most, such as [2, 4]", True)
        self.players = None if players is None else (players[0], players[1])
        self.windows, self.hand_order = tuple(windows), order or "newest"
        self.wants_events, self.wants_views = answer.get("events", False), answer.get("views", False)

    @property
    def running(self) -> BotProcess:
        """The process, which must be there."""
        if self.process is None or not self.process.is_running:
            raise OutsideFault("crash", "is not running", True)
        return self.process

    def begin(self, view: Any, seed: int) -> None:
        """Tell it of a new deal."""
        self._raise_what_is_left()
        self.running.start_game()
        scores = [int(score) for score in getattr(view, "scores", [])[: view.players]]
        message: dict[str, Any] = {"type": "game", "players": view.players, "seat": view.seat, "rules": self.rules_message, "seed": seed}
        if scores:
            message["scores"] = scores
        if self.wants_views:
            message["view"] = self.game.wire.view_message(view)
        self.running.send(message)

    def choose(self, view: Any) -> int:
        """Ask for an action."""
        self.asked += 1
        seconds = self.bot.limits.decision_seconds
        legal = [self.game.action_name(view, action) for action in self.game.legal_actions(view)]
        message = {"type": "decide", "id": self.asked, "view": self.game.wire.view_message(view), "legal": legal, "seconds": seconds}
        begun = time.perf_counter()
        answer = self.running.ask(message, seconds)
        spent = time.perf_counter() - begun
        self.slowest, self.seconds = max(self.slowest, spent), self.seconds + spent
        if answer.get("type") != "action" or answer.get("id") != self.asked or isinstance(answer.get("id"), bool):
            raise OutsideFault("protocol", f"answered question {self.asked} with {_short(answer)}", False)
        return self._number(answer.get("action"), view)

    def _number(self, action: Any, view: Any) -> int:
        if isinstance(action, str):
            try:
                return self.game.action_from_name(view, action)
            except KibitzError:
                raise OutsideFault("illegal", f"answered {_short(action)}, which is no action", False) from None
        if isinstance(action, bool) or not isinstance(action, int) or not -MOST_ACTION < action < MOST_ACTION:
            raise OutsideFault("illegal", f"answered {_short(action)}, which is no action", False)
        return action

    def take_count(self) -> tuple[int, float, float]:
        """How often it was asked since the last time this was counted, and how long its slowest answer and all answers took."""
        found = self.asked - self._counted, self.slowest, self.seconds
        self._counted, self.slowest, self.seconds = self.asked, 0.0, 0.0
        return found

    def evidence(self) -> Evidence:
        """What there is to show beside a fault."""
        return Evidence(self.process.asked, self.process.answered, self.process.log_tail()) if self.process else Evidence()

    def tell(self, line: str) -> None:
        """Tell it what everybody saw, at the latest before anybody is asked."""
        self.running.send_later(line)

    def finish(self, outcome: dict[str, Any]) -> None:
        """Tell it how the deal ended. What it does from now on cannot change that: a fault is left for the next deal."""
        try:
            self.running.send({"type": "end", **outcome})
        except OutsideFault as fault:
            self.left = fault

    def close(self) -> None:
        """Say goodbye, and end the process whatever it does."""
        if self.process is None:
            return
        try:
            if self.process.is_running:
                self.process.send({"type": "bye"})
        except OutsideFault:
            pass  # it is being ended anyway
        self.process.close()
        self.process = None

    def kill(self) -> None:
        """End the process at once, without a word."""
        if self.process is not None:
            self.process.kill()
            self.process = None


def tried_out(bot: OutsideBot, game: GameDefinition, rules: Any, stop: Event | None = None) -> OutsideBot:
    """Start a bot and greet it, if need be a second time, before anything is played; one that fails twice is marked as unfit."""
    player = OutsidePlayer(bot, game, rules, stop=stop)
    try:
        for last in (False, True):
            try:
                player.ready()
                break
            except OutsideFault as fault:
                if last:
                    return replace(bot, unfit=why_unfit(fault))
        return bot
    finally:
        player.kill()


def why_unfit(fault: OutsideFault) -> str:
    """Why a bot that failed when it was greeted cannot play: a sentence to follow its name."""
    return re.sub(r"^ended with exit code \d+: (kibitz: )?", "could not be started: ", fault.what)


def substitute_action(game: GameDefinition, state: Any, is_out: bool) -> int:
    """What is done for an outside bot that gave no legal answer: the game's default; in a turn of one that is out, the first legal action.

    In a team the default is all that a substitute does: the first legal action could lose the game for everybody.
    """
    if is_out and not game.cooperative and state.phase < game.basic_phases:
        return game.legal_actions(state)[0]
    return game.fallback(state)


def illegal_answer(game: GameDefinition, view: Any, action: int) -> OutsideFault:
    """The fault of a bot that answered with an action that is not legal."""
    try:
        what = f"answered {action} ({game.action_name(view, action)}), which is not legal there"
    except KibitzError:
        what = f"answered {action}, which is not an action"
    return OutsideFault("illegal", what, False)


def _is_range(value: Any) -> bool:
    """Whether this is the fewest and the most of something."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(number, int) and not isinstance(number, bool) for number in value)
        and 1 <= value[0] <= value[1]
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def outside_bot(
    name: str, command: str | Sequence[str], folder: Path, limits: BotLimits | None = None, trusted: bool = False
) -> OutsideBot:
    """A command line as an outside bot; files it names are looked for in `folder`."""
    try:
        parts = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise BadValue(f"bot {name}: the command line {command} is not understood: {error}.") from error
    if not parts:
        raise BadValue(f"bot '{name}': the command line is empty.")
    absolute, files = absolute_command(parts, folder)
    homes = {path for file in (Path(file) for file in files) for path in own_folder(file)}
    return OutsideBot(name, tuple(absolute), limits or BotLimits(), tuple(sorted({*map(Path, files), *homes})), trusted=trusted)


def at_this_place(bot: OutsideBot, game: str) -> OutsideBot:
    """A bot that was described on another machine, as it is started on this one: its files are those that travelled with it."""
    if bot.file:
        file, rest = registry.split_file(bot.file)
        return replace(python_bot(bot.name, f"{place_of(file)}{rest}", game, bot.limits), file=bot.file, unfit=bot.unfit)
    command = tuple(str(place_of(word)) for word in bot.command)
    files = [Path(word) for word, told in zip(command, bot.command, strict=True) if word != told]
    readable = {*files, *(path.parent for path in files), *(path for path in bot.readable if path.exists())}
    return replace(bot, command=command, readable=tuple(sorted(readable)))


def own_folder(file: Path) -> list[Path]:
    """The folder of a bot's file, which it may read; but not one that holds everybody's files."""
    folder = file.resolve().parent
    shared = {Path.home().resolve(), Path(tempfile.gettempdir()).resolve(), Path("/")}
    return [] if folder in shared or folder in Path.home().resolve().parents else [folder]
