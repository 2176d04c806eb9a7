"""A switch of rules: what both games describe theirs with, and how changes are read from text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.sentences import counted


@dataclass(frozen=True)
class Switch:
    """One thing that rules may differ in: its values with what each means, or the range of a number."""

    meaning: str
    values: dict[str, str] = field(default_factory=dict)
    low: int = 0
    high: int = 0
    also: str = ""  # what else may be written, in words

    @property
    def accepted(self) -> str:
        """What may be written, in words."""
        values = ", ".join(self.values) if self.values else f"a whole number from {self.low} to {self.high}"
        return f"{values}, or {self.also}" if self.also else values


def check_players(players: int, title: str, most: int) -> None:
    """Refuse a number of players by whom a game is not played, whatever its rules."""
    if not 2 <= players <= most:
        raise BadValue(f"{counted(players, 'player')}: {title} is played by {'2' if most == 2 else f'2 to {most}'}.")


def read_changes(changes: list[str], text: str, switches: Mapping[str, Switch], parse: Callable[[str, str], Any]) -> dict[str, Any]:
    """The switches that `changes` sets, each written `switch=value`; `text` is the whole they come from."""
    values: dict[str, Any] = {}
    for change in changes:
        switch, equals, value = change.partition("=")
        if switch not in switches:
            raise UnknownName(f"switch in rules '{text}':", switch, switches)
        if not equals or not value:
            raise BadValue(f"switch '{change}' in rules '{text}' has no value; write {switch}=VALUE.")
        if switch in values:
            raise BadValue(f"switch '{switch}' occurs twice in rules '{text}'.")
        values[switch] = parse(switch, value)
    return values
