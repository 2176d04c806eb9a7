"""The bot's end of the protocol for bots in Python: `python -m kibitz.outside.client path/to/file.py:Name`.

Runs in the bot's own process. Reads the referee's messages, rebuilds views and events from them, asks the bot as it would be
asked in our own process, and writes its answers. The two channels are moved out of the bot's reach first: what it prints goes to
standard error, and what it reads is empty. Whatever it raises ends the process with the traceback.
"""

from __future__ import annotations

import argparse
import dis
import json
import operator
import os
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any, BinaryIO, NoReturn

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadBot, BadValue, UnknownName
from kibitz.core.jit import clear_memory
from kibitz.core.layouts import blank
from kibitz.core.seeds import FIRST_SEAT, game_key, stream
from kibitz.games.contract import GameDefinition
from kibitz.games.message_fields import whole
from kibitz.play.observing import encoding_of

PROTOCOL = 1
PACKAGE_FOLDER = os.path.dirname(os.path.abspath(registry.__file__)) + os.sep
_MAX_ANSWER = 2**62
_MAX_SHOWN = 200
LOOKS_EVERYWHERE = {"locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe"}  # names that reach any variable


def own_stream(seed: int, seat: int) -> int:
    """Where a bot's random stream starts in a deal, from the seed it was given."""
    return stream(game_key(seed, 0), FIRST_SEAT + seat)


def never_looks(observe: Any) -> bool:
    """Whether a bot's `observe(self, view, event)` never touches its view: then none is asked for, which spares most of the traffic."""
    code = getattr(observe, "__code__", None)
    if code is None or code.co_argcount != 3 or LOOKS_EVERYWHERE & {*code.co_names}:
        return False
    view = code.co_varnames[1]
    touched = (step.argval for step in dis.get_instructions(code))
    return view not in code.co_cellvars and not any(view == name or (isinstance(name, tuple) and view in name) for name in touched)


class RefereeGone(Exception):
    """Nobody reads the answers any more."""


class ClientPlayer:
    """A bot in one deal after another, behind the questions of the protocol."""

    def __init__(self, entrant: registry.Entrant, definition: GameDefinition) -> None:
        self.entrant, self.definition, self.wire = entrant, definition, definition.wire
        if entrant.bot.game not in (None, definition.name):
            raise BadBot(f"bot {entrant.name} plays {entrant.bot.game}, not {definition.name}.")
        self.windows = tuple(entrant.bot.windows)
        self.players = _numbers_of_players(entrant.bot, definition)
        self.hand_order = ""
        self._blocks: tuple[Any, ...] = ()
        self._choose: Callable[..., Any]
        self._begin: Callable[..., Any] | None = None
        self._observe: Callable[..., Any] | None = None
        self._game: Any = None
        self._stream = 0
        if isinstance(entrant.bot, Bot):
            self._prepare(entrant.bot)
            observes_alone = False
        else:
            self._sit_down(entrant.bot.fresh())
            observes_alone = bool(getattr(entrant.bot.make, "observes_events_alone", False)) or never_looks(self._observe)
        self.wants_events = self._observe is not None
        self.wants_views = self._begin is not None or (self.wants_events and not observes_alone)

    def _prepare(self, bot: Bot) -> None:
        """A bot that is usually compiled, as plain Python."""
        if bot.sees_everything:
            raise BadBot(f"bot {self.entrant.name} sees everything, which no referee shows to a bot outside.")
        self.hand_order = bot.hand_order
        memory = blank(bot.memory) if bot.memory else None
        scratch = blank(bot.scratch) if bot.scratch else None
        self._blocks = (memory, parameters.plain(bot.parameters, self.entrant.values), scratch)
        self._choose, self._begin, self._observe = (self._entry(bot, role) for role in ("choose", "begin", "observe"))  # type: ignore[assignment]  # every bot has choose

    def _entry(self, bot: Bot, role: str) -> Callable[..., Any] | None:
        entry: Any = bot.plain_entry(role)
        return (lambda *seen: entry(*seen, *self._blocks)) if entry else None

    def _sit_down(self, player: Any) -> None:
        """A fresh object, as every deal begins."""
        self._choose = player.choose
        self._begin, self._observe = getattr(player, "begin", None), getattr(player, "observe", None)

    def hello(self) -> dict[str, Any]:
        """What the bot wants to be told and asked."""
        message: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "name": self.entrant.name, "windows": list(self.windows)}
        message |= {"events": self.wants_events, "views": self.wants_views}
        message |= {"hand_order": self.hand_order} if self.hand_order else {}
        return message | ({"players": list(self.players)} if self.players else {})

    def start(self, game: Any) -> None:
        """A deal begins."""
        self._game = game
        self._stream = own_stream(whole(game, "seed", 0, 2**64 - 1), whole(game, "seat", 0, self.definition.max_players - 1))
        if isinstance(self.entrant.bot, Bot):
            clear_memory(self._blocks[0], 0)
        else:
            self._sit_down(self.entrant.bot.fresh(_rules_in(game)))
        if self._begin:
            self._with_view(game, self._begin)

    def hear(self, message: Any) -> None:
        """Something happened."""
        if not self._observe:
            return
        event = self.wire.event_from(message)
        if self.wants_views:
            self._with_view(message, self._observe, event)
        else:
            self._observe(None, event)

    def decide(self, message: Any) -> Any:
        """The bot's action: its number, or what it answered instead, in words."""
        answer = self._with_view(message, self._choose)
        try:
            if isinstance(answer, bool):
                raise TypeError
            number = operator.index(answer)
        except TypeError:
            return repr(answer)[:_MAX_SHOWN]
        return number if -_MAX_ANSWER < number < _MAX_ANSWER else f"a number of {number.bit_length()} bits"

    def _with_view(self, message: Any, method: Callable[..., Any], *more: Any) -> Any:
        """Show the bot what a message shows, with its random stream where it was left."""
        if "view" not in message:
            raise BadValue(f"the referee's message '{message['type']}' has no view, which the bot asked for.")
        view: Any = _view_read_on_demand(self.definition.view)() if more else self.wire.view_from(message["view"], self._game)
        if more:
            view.unread = lambda: self.wire.view_from(message["view"], self._game)
        view.random_stream = self._stream
        answer = method(view, *more)
        self._stream = view.random_stream
        return answer


def _rules_in(game: dict[str, Any]) -> str | None:
    """The text of the rules in the message that opens a deal."""
    rules = game.get("rules")
    return rules.get("text") if isinstance(rules, dict) else None


def _numbers_of_players(bot: Bot | ObjectBot, definition: GameDefinition) -> tuple[int, int] | None:
    """The fewest and the most that a bot plays among, if it says so: a policy by how long observations must be for it."""
    if isinstance(bot, Bot):
        return bot.players
    takes = getattr(bot, "takes", None)
    if takes is None:
        return None
    rules = definition.parse_rules(definition.default_rules)
    fitting = [players for players in range(2, definition.max_players + 1) if encoding_of(definition, rules, players).size == takes]
    return (fitting[0], fitting[-1]) if fitting else None


@cache
def _view_read_on_demand(kind: type) -> type:
    """A view that is read from its message when the bot first looks at it: most bots that follow events never do."""

    class ReadOnDemand(kind):  # type: ignore[misc]  # whatever the game's view is
        def __getattr__(self, name: str) -> Any:
            own: dict[str, Any] = self.__dict__
            unread = own.pop("unread", None)
            if unread is None:
                raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
            for field, value in vars(unread()).items():
                own.setdefault(field, value)
            return getattr(self, name)

    ReadOnDemand.__name__ = ReadOnDemand.__qualname__ = kind.__name__
    return ReadOnDemand


def serve(spec: str, game: str | None, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Play until the referee says bye or goes away."""
    player: ClientPlayer | None = None

    def say(message: dict[str, Any]) -> None:
        try:
            outgoing.write(json.dumps(message).encode() + b"\n")
            outgoing.flush()
        except BrokenPipeError:
            raise RefereeGone from None

    while line := incoming.readline():
        message = _message_in(line)
        kind = message.get("type")
        if kind == "hello":
            player = _greeted(spec, game, message)
            say(player.hello())
        elif kind == "bye":
            return
        elif player is None:
            raise BadValue(f"the referee sent '{kind}' before its hello.")
        elif kind == "decide":
            say({"type": "action", "id": message.get("id"), "action": player.decide(message)})
        elif kind == "event":
            player.hear(message)
        elif kind == "game":
            player.start(message)


def _message_in(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise BadValue(f"the referee sent {line[:_MAX_SHOWN]!r}, which is not a JSON object.")
    return message


def _greeted(spec: str, game: str | None, hello: dict[str, Any]) -> ClientPlayer:
    """The bot, for the game that the referee names."""
    if hello.get("protocol") != PROTOCOL:
        raise BadValue(f"the referee speaks version {hello.get('protocol')} of the protocol; this client speaks {PROTOCOL}.")
    named = str(hello.get("game", game or registry.game().name))
    if game and named != game:
        raise BadValue(f"the referee plays {named}, but the bot is to play {game}.")
    return ClientPlayer(registry.entrant(spec, named), registry.game(named))


def take_channels() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone: the bot finds standard error and an empty input in their place."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty, end = os.pipe()
    os.close(end)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


def main(words: list[str] | None = None) -> NoReturn:
    """Run a bot as a client of the protocol."""
    parser = argparse.ArgumentParser(prog="python -m kibitz.outside.client", description="Runs a bot in Python behind the protocol.")
    parser.add_argument("spec", metavar="SPEC", help="path/to/file.py, with :Name if it defines several bots, or the name of a bot of ours")
    parser.add_argument("--game", choices=sorted(registry.BUILT_IN), help="refuse to play another game than this")
    given = parser.parse_args(words)
    incoming, outgoing = take_channels()
    try:
        serve(given.spec, given.game, incoming, outgoing)
    except RefereeGone:
        _leave(0)
    except (BadBot, UnknownName) as error:
        if isinstance(error.__cause__, Exception):  # what the bot's own file raised
            _print_traceback(error.__cause__)
        else:
            print(f"kibitz: {error}", file=sys.stderr)
        _leave(1)
    except Exception as error:
        _print_traceback(error)
        _leave(1)
    sys.exit(0)


def _print_traceback(error: Exception) -> None:
    """What a bot raised, without our own lines, its last line with the place in the bot's file: that line goes into the fault."""
    trace = error.__traceback__
    while trace and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(trace) if not _is_ours(frame.filename)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    text = "".join(traceback.format_exception(error.with_traceback(trace if places else error.__traceback__))).rstrip()
    place = f" ({os.path.basename(places[-1][0])}, line {places[-1][1]})" if places else ""
    print(f"{text}{place}", file=sys.stderr)


def _is_ours(file: str) -> bool:
    return file.startswith((PACKAGE_FOLDER, "<"))


def _leave(code: int) -> NoReturn:
    """End the process at once: threads that a bot has left running do not keep it."""
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
