"""Which games there are: those of this package, and those that other packages bring.

A package makes a game known by an entry point of the group `kibitz.games`, whose name is the game's and which leads to its
`GameDefinition`. Our own games are declared the same way; where the package is not installed, they are found by their folders.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from kibitz.core.errors import BadValue, UnknownName
from kibitz.games.contract import GameDefinition

GROUP = "kibitz.games"


_declared: dict[str, EntryPoint] = {}


@cache
def _entries() -> dict[str, EntryPoint]:
    """Where each game's definition is, by name."""
    own = Path(__file__).parent
    folders = sorted(path.parent.name for path in own.glob("*/definition.py"))
    found = {name: EntryPoint(name, f"kibitz.games.{name}.definition:GAME", GROUP) for name in folders}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found | _declared


@cache
def definition_of(name: str) -> GameDefinition:
    """A game by name."""
    if name not in _entries():
        raise UnknownName("game", name, game_names())
    try:
        definition = _entries()[name].load()
    except Exception as error:  # whatever goes wrong in another package
        raise BadValue(f"game '{name}' can't be loaded: {type(error).__name__}: {error}.") from error
    if not isinstance(definition, GameDefinition) or definition.name != name:
        raise BadValue(f"game '{name}' can't be loaded: {_entries()[name].value} is not a definition of that name.")
    return definition


@cache
def game_names() -> tuple[str, ...]:
    """Every game that can be loaded, the one that is played by default first."""
    loaded = []
    for name in _entries():
        try:
            loaded.append(definition_of(name))
        except BadValue as error:
            print(f"kibitz: {error}", file=sys.stderr)
    return tuple(definition.name for definition in sorted(loaded, key=lambda definition: (definition.priority, definition.name)))


def default_game() -> str:
    """The game that is meant where nothing says which."""
    return game_names()[0]


def declare_game(name: str, where: str) -> None:
    """Make a game known without an entry point: its definition is at `module:name`."""
    _declared[name] = EntryPoint(name, where, GROUP)
    forget_games()


class Home(NamedTuple):
    """Where a game of another package is: its definition as `module:name`, and the folder of the package."""

    definition: str
    package: Path


@cache
def homes() -> dict[str, Home]:
    """Every game that another package brings; packages are found, not run."""
    found = {}
    for name, entry in _entries().items():
        package = entry.module.partition(".")[0]
        spec = find_spec(package) if package != __name__.partition(".")[0] else None
        if spec is not None and spec.origin:
            file = Path(spec.origin).resolve()
            found[name] = Home(entry.value, file.parent if spec.submodule_search_locations else file)
    return found


def forget_games() -> None:
    """Look for games again, after a package was installed."""
    for found in (_entries, definition_of, game_names, homes):
        found.cache_clear()
