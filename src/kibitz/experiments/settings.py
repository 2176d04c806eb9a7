"""Settings of experiments and commands: what a field of the dataclass means to the command line, to Python and to the store.

A field is annotated with a `Setting`. From these, `kibitz.cli.settings_command` makes the options of the command, and
`kibitz.experiments.experiment` the signature in Python and the configuration that a stored run keeps, and `schema_of` the schema for an API.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from kibitz.core.errors import BadValue


@dataclass(frozen=True)
class Setting:
    """What a field says of itself."""

    about: str
    flags: str = ""  # spellings of its option; if none begins with --, that of its name comes first
    metavar: str | None = None
    given_as: Any = None  # its type on the command line, where Python accepts more
    is_argument: bool = False
    names_bots: bool = False
    is_option: bool = True  # whether the command line has it
    is_kept: bool = True  # whether a stored run keeps it, as what decides the figures
    stored_as: str = ""  # its key in a configuration, if not its name
    is_output: bool = False  # a file or folder to write, which is kept with a run and decides no figure
    is_newer: bool = False  # configurations of older versions lack it
    least: float | None = None
    most: float | None = None
    unit: str = ""  # of what there must be at least so many


class SettingField(NamedTuple):
    """A field of an experiment: its name, its type in Python, its default (MISSING if it needs a value) and its setting."""

    name: str
    type: Any
    default: Any
    setting: Setting

    @property
    def key(self) -> str:
        """Where a configuration has it."""
        return self.setting.stored_as or self.name

    @property
    def flags(self) -> list[str]:
        """The spellings of its option, a long one first."""
        flags = self.setting.flags.split()
        return flags if any(flag.startswith("--") for flag in flags) else [f"--{self.name.replace('_', '-')}", *flags]

    @property
    def schema(self) -> dict[str, Any]:
        """It as JSON schema: what it means, its type, range and default."""
        limits = {"minimum": self.setting.least, "maximum": self.setting.most}
        found = {"description": self.setting.about, **_schema_of_type(self.setting.given_as or self.type)}
        found |= {name: limit for name, limit in limits.items() if limit is not None}
        return found if self.default is MISSING else {**found, "default": plain(self.default)}

    def check(self, value: Any) -> None:
        """Refuse a number out of its range."""
        least, most, unit = self.setting.least, self.setting.most, self.setting.unit
        if value is None or least is None or (value >= least and (most is None or value <= most)):
            return
        if most is not None:
            raise BadValue(f"{self.name} must be {least:,}–{most:,}, got {f'{value:g}' if isinstance(value, float) else value}")
        needed = f"{least} {unit}{'s' * (least != 1)}" if unit else f"{least}"
        raise BadValue(f"{self.name}={value} is out of range: at least {needed} {'is' if least == 1 else 'are'} needed.")


PYTHON_ONLY = Setting("", is_option=False, is_kept=False)
INTERNAL = Setting("between experiments", is_option=False, is_kept=False)  # not shown in the signature


@cache
def settings_of(experiment: type) -> tuple[SettingField, ...]:
    """The fields of an experiment: arguments, then its own options, then those that it shares."""
    hints = get_type_hints(experiment, include_extras=True)
    owners = {name: place for place, each in reversed(list(enumerate(experiment.__mro__))) for name in inspect.get_annotations(each)}
    in_order = sorted(fields(experiment), key=lambda field: (bool(field.kw_only), owners[field.name]))
    return tuple(_read(field, hints[field.name]) for field in in_order)


def check_settings(asked: Any) -> None:
    """Refuse numbers out of their ranges."""
    kind: type = type(asked)
    for field in settings_of(kind):
        field.check(getattr(asked, field.name))


def _read(field: Field[Any], hint: Any) -> SettingField:
    kind, setting = get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, PYTHON_ONLY)
    return SettingField(field.name, kind, field.default, setting)


_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}


def schema_of(experiment: type) -> dict[str, Any]:
    """What can be asked of an experiment, as a JSON schema: by name, the settings that decide its figures.

    A value that fits goes to the experiment's own `check` as `experiment(**value)`.
    """
    kept = [field for field in settings_of(experiment) if field.setting.is_kept]
    return {
        "title": getattr(experiment, "kind", experiment.__name__),
        "description": inspect.getdoc(experiment),
        "type": "object",
        "properties": {field.name: field.schema for field in kept},
        "required": [field.name for field in kept if field.default is MISSING],
        "additionalProperties": False,
    }


def _schema_of_type(kind: Any) -> dict[str, Any]:
    """A type as JSON schema; anything goes where a type says nothing."""
    of = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return {"anyOf": [_schema_of_type(each) for each in of]}
    if kind is Path:
        return {"type": "string", "format": "path"}
    if get_origin(kind) in (list, Sequence):
        return {"items": _schema_of_type(of[0]), "type": "array"}
    return {"type": _JSON_TYPES[kind]} if kind in _JSON_TYPES else {}


def words_for(experiment: Any, names: Collection[str]) -> list[str]:
    """Some settings of an experiment as words of a command line, arguments first; what is None is left out."""
    kind: type = type(experiment)
    values = [(field, getattr(experiment, field.name)) for field in settings_of(kind) if field.name in names]
    found = [(field, value) for field, value in values if value is not None]
    arguments = [
        str(word) for field, value in found if field.setting.is_argument for word in (value if isinstance(value, list) else [value])
    ]
    options = [(field.flags[0], str(value)) for field, value in found if not field.setting.is_argument]
    return [*arguments, *[word for option in options for word in option]]


def bots_in(value: Any) -> Iterator[str]:
    """The names of bots in the value of a setting: one, several or none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        yield from (name for name in value if isinstance(name, str))


def plain(value: Any) -> Any:
    """A value as it stands in JSON."""
    if isinstance(value, Path):
        return str(value.absolute())
    return list(value) if isinstance(value, tuple) else value


# -- settings that several experiments and commands share --


def bots_asked(about: str, metavar: str = "[BOT]...", given_as: Any = list[str] | None) -> Setting:
    """The bots that an experiment is about, as its arguments; by default any number of them."""
    return Setting(about, metavar=metavar, given_as=given_as, is_argument=True, names_bots=True)


Threads = Annotated[int | None, Setting("Workers; by default one for each processor. Results do not depend on it.", "-t", is_kept=False)]
GameOfBots = Annotated[str | None, Setting("The game; by default that of the bots, or the first that `kibitz bots` lists.", "-g")]
Games = Annotated[int, Setting("Games, or contests with --to, to play (for each row).", "-n", least=1, unit="game")]
LineupPlayers = Annotated[int, Setting("Seats, if one bot is named for all of them (a team).", "-p")]
Seed = Annotated[int, Setting("Seed; equal seeds give equal results, to the last digit.", "-s")]
RulesName = Annotated[
    Any,
    Setting(
        "Rules, with switches: classic, official,stacking=progressive, or a TOML file (see `kibitz rules`).", "-r", given_as=str | None
    ),
]
Seating = Annotated[
    str,
    Setting(
        "random: seats are drawn for each game; fixed: in the order given; rotate: each deal from every rotation of the seats; "
        "balanced: a fresh deal for each game, and the seats rotate."
    ),
]
Target = Annotated[
    str | int | None,
    Setting("Play contests: deals until somebody has so many points (500), or more than that (500+).", given_as=str | None),
]
Compiled = Annotated[bool, Setting("Run everything as plain Python: slow, the same games, easy to debug.", "--no-jit")]
Write = Annotated[Path | None, Setting("Also put the tables between the markers of this Markdown file.", is_output=True, is_newer=True)]
PlotFile = Annotated[
    Path | None,
    Setting("Draw a plot into this file: .svg, .png or .pdf (needs the extra 'report').", "--plot", is_output=True, is_newer=True),
]
