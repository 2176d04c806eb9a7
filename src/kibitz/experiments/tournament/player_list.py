"""The classroom's list of players, `players.txt`: one `Name,prefix` or `Name,command` per line, and comments.

A comment is a line that begins with #, or what follows a space and # behind the comma.

`config.py` makes a tournament of what is found here. Nothing that a player wrote is run, and only the list itself can be wrong: a
player's file that does not compile is no reason to refuse it, since its games are forfeited when it cannot be started.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kibitz.bots.uno.classroom import player_in, plays_by_methods, resolve
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.reading import is_file
from kibitz.outside.command import RUN_BY, check_command

LINE = "a line is Name,prefix for a Python file, or Name,command such as 'Ada, node ada.js'"


class Listed(NamedTuple):
    """A line of the list: who, and either a Python file, perhaps with the name of a class in it, or a command line."""

    name: str
    bot: str
    is_command: bool
    where: str


def listed_players(text: str, file: Path) -> Iterator[Listed]:
    """The players of a list; the first line that cannot be meant is refused in one sentence that names it."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"tournament file {file}, line {number}"
        name, _, entry = (part.strip() for part in line.partition(","))
        entry = _without_comment(entry)
        try:
            if not (name and entry):
                raise BadValue(f"'{line.strip()}' is not understood; {LINE}.")
            bot, is_command = _bot_of(entry, file.parent, line.strip())
        except (BadBot, BadValue) as error:
            raise BadValue(f"{where}: {error}") from error
        yield Listed(name, bot, is_command, where)


def _without_comment(entry: str) -> str:
    """What stands behind the comma, up to a comment; a # in quotes is none."""
    for comment in re.finditer(r"(^|\s)#", entry):
        before = entry[: comment.start()]
        if not any(before.count(quote) % 2 for quote in "\"'"):
            return before.rstrip()
    return entry


def _bot_of(entry: str, folder: Path, line: str) -> tuple[str, bool]:
    """What stands behind the comma: a file or a command, and whether it is a command."""
    if re.fullmatch(r"\w[\w-]*", entry):
        return _prefixed(folder, entry), False
    python = re.fullmatch(r"(.+\.py)(?::(\w+))?", entry)
    if python and not entry.startswith("./") and (is_file(folder / python[1]) or not re.search(r"\s", entry)):
        path = folder / python[1]
        if not is_file(path):
            raise BadValue(f"there is no file {python[1]} beside the list.")
        return (f"{path}:{python[2]}" if python[2] else player_in(path)), False
    if not re.search(r"[\s/]", entry):
        program = RUN_BY.get(Path(entry).suffix)
        if program is None:
            raise BadValue(f"'{line}' is not understood; {LINE}.")
        raise BadValue(f"{entry} is a program; name the command that runs it, such as '{program} {entry}'.")
    check_program(entry, folder)
    return entry, True


def check_program(line: str, folder: Path) -> None:
    """Refuse a command line that cannot be meant: its program or script does not exist, or the script is no program at all."""
    check_command(line, folder)
    for word in shlex.split(line)[1:]:
        if word.endswith(".py") and plays_by_methods(folder / word):
            raise BadValue(f"{word} is a player with the methods play and call_color, not a program; write '{word}' alone.")


def _prefixed(folder: Path, prefix: str) -> str:
    try:
        return resolve(folder, prefix)
    except BadBot as error:
        if is_file(folder / prefix):
            raise BadValue(f"{prefix} is a program, and no Python file has that prefix; write ./{prefix} for the program.") from error
        raise
