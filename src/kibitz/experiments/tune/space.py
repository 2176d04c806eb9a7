"""What there is to tune: the declared parameters of a bot as coordinates, points among them, and the names of what they make.

`kibitz.experiments.tune.tuning` proposes points, `kibitz.experiments.tune.racing` plays what they make. A vector such as ranks has a coordinate for each of
its numbers, counted from 1: `ranks.1` to `ranks.6`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter, Value, named
from kibitz.core.errors import BadBot, BadValue, UnknownName

TUNED = (WHOLE, REAL, SWITCH, CHOICE)  # a parameter of another kind keeps its value
FINENESS = 4  # decimal digits of a real number, relative to the width of its range
_ANEW = 0.2  # how often a step goes anywhere in the range
_END = 0.2  # how often it goes to an end of it, where values with a meaning of their own stand
_SWAP = 0.2  # how often a step in a vector exchanges two of its numbers
_ALIKE = 0.2  # how often it makes several of them equal
_REACH = 0.15  # standard deviation of a step of a real number, relative to the width of its range

Point = dict[str, Any]  # a value for each coordinate


@dataclass(frozen=True)
class Coordinate:
    """One number, switch or choice that is tuned. Its name and choices are the first that the parameter had: a study is kept under them."""

    name: str
    parameter: Parameter

    @property
    def label(self) -> str:
        """The name that is shown."""
        return self.parameter.name + self.name.removeprefix(self.parameter.key)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values of a switch or choice; empty for numbers."""
        return (False, True) if self.parameter.kind == SWITCH else tuple(map(self.parameter.kept, self.parameter.choices))

    def drawn(self, rng: np.random.Generator) -> Any:
        """Any value."""
        low, high = self.parameter.low, self.parameter.high
        if self.choices:
            return self.choices[int(rng.integers(len(self.choices)))]
        return int(rng.integers(int(low), int(high) + 1)) if self.parameter.kind == WHOLE else float(rng.uniform(low, high))

    def stepped(self, value: Any, rng: np.random.Generator) -> Any:
        """Another value, mostly one nearby; the same one where there is no other."""
        low, high = self.parameter.low, self.parameter.high
        if self.choices:
            others = [choice for choice in self.choices if choice != value]
            return others[int(rng.integers(len(others)))] if others else value
        kind = rng.random()
        if kind < _ANEW:
            return self.drawn(rng)
        if kind < _ANEW + _END:
            return type(value)(low if rng.random() < 0.5 else high)
        if self.parameter.kind == WHOLE:
            reach = int(rng.integers(1, 3)) * (1 if rng.random() < 0.5 else -1)
            return int(min(max(value + reach, low), high))
        return float(min(max(value + rng.normal(0.0, _REACH * (high - low)), low), high))


@dataclass(frozen=True, eq=False)
class Space:
    """The points that can be tried for a bot; `held` are the parameters that keep a value."""

    entrant: registry.Entrant  # the bot as it was named: what the others are compared with in the end
    held: Mapping[str, Value]
    coordinates: tuple[Coordinate, ...] = field(init=False)

    def __post_init__(self) -> None:
        free = [parameter for parameter in self.parameters if parameter.name not in self.held]
        if not free:
            raise BadValue(f"every parameter of {self.bot.name} is held, so there is nothing to tune.")
        found = [
            Coordinate(f"{parameter.key}.{place + 1}" if parameter.length else parameter.key, parameter)
            for parameter in free
            for place in range(max(parameter.length, 1))
        ]
        object.__setattr__(self, "coordinates", tuple(found))

    @property
    def bot(self) -> Bot:
        """The bot that is tuned."""
        assert isinstance(self.entrant.bot, Bot)
        return self.entrant.bot

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All declared parameters, held ones too."""
        return self.bot.parameters

    # -- points and bots --

    def values(self, point: Mapping[str, Any]) -> dict[str, Value]:
        """The parameters that a point stands for, real numbers rounded so that they can be read."""
        values: dict[str, Value] = {}
        for parameter in self.parameters:
            if parameter.name in self.held:
                values[parameter.name] = self.held[parameter.name]
            elif parameter.length:
                values[parameter.name] = tuple(_readable(parameter, point[f"{parameter.key}.{k + 1}"]) for k in range(parameter.length))
            else:
                values[parameter.name] = parameter.current(_readable(parameter, point[parameter.key]))
        return values

    def point(self, values: Mapping[str, Value]) -> Point:
        """The point that stands for parameters; what is held keeps its own values."""
        point: Point = {}
        for coordinate in self.coordinates:
            value = values[coordinate.parameter.name]
            place = int(coordinate.name.rpartition(".")[2]) - 1 if coordinate.parameter.length else None
            point[coordinate.name] = coordinate.parameter.kept(value) if place is None else value[place]  # type: ignore[index]  # a vector, as declared
        return point

    def entrant_at(self, point: Mapping[str, Any]) -> registry.Entrant:
        """The bot that a point makes."""
        return self.named(self.values(point))

    def named(self, values: Mapping[str, Value]) -> registry.Entrant:
        """The bot with these parameters, under a name that every command accepts: the nearest preset and what differs from it."""
        presets = [(preset, [p for p in self.parameters if values[p.name] != given[p.name]]) for preset, given in self.bot.presets.items()]
        preset, changed = min(presets, key=lambda found: len(found[1]))
        items = [*([preset] if preset else []), *[f"{p.name}={p.to_text(values[p.name])}" for p in changed]]
        return registry.Entrant(":".join(filter(None, (self._bare_name, ",".join(items)))), self.bot, dict(values))

    @property
    def _bare_name(self) -> str:
        """The name without presets and parameters: `mix2`, `path/to/file.py:mine`."""
        path, python, rest = self.entrant.name.rpartition(".py:")
        return f"{path}{python}{rest.partition(':')[0]}" if python else self.entrant.name.partition(":")[0]

    # -- new points --

    def drawn(self, rng: np.random.Generator) -> Point:
        """Any point."""
        return {coordinate.name: coordinate.drawn(rng) for coordinate in self.coordinates}

    def neighbour(self, point: Mapping[str, Any], rng: np.random.Generator) -> Point:
        """A point that differs in one coordinate, sometimes in more; numbers of a vector may be exchanged or made equal."""
        new = dict(point)
        while True:
            coordinate = self.coordinates[int(rng.integers(len(self.coordinates)))]
            vector = [other.name for other in self.coordinates if other.parameter is coordinate.parameter]
            kind = rng.random() if len(vector) > 1 else 1.0
            if kind < _SWAP:
                other = vector[int(rng.integers(len(vector)))]
                new[coordinate.name], new[other] = new[other], new[coordinate.name]
            elif kind < _SWAP + _ALIKE:
                value = coordinate.stepped(new[coordinate.name], rng)
                new.update({name: value for name in vector if name == coordinate.name or rng.random() < 0.5})
            else:
                new[coordinate.name] = coordinate.stepped(new[coordinate.name], rng)
            if new != point and rng.random() < 0.6:
                return new

    def crossed(self, point: Mapping[str, Any], other: Mapping[str, Any], rng: np.random.Generator) -> Point:
        """A point with whole parameters, about a third of those that differ, taken over from another point, and sometimes a small change."""
        own: dict[str, list[str]] = {}
        for coordinate in self.coordinates:
            own.setdefault(coordinate.parameter.name, []).append(coordinate.name)
        differing = [name for name, places in own.items() if any(point[place] != other[place] for place in places)]
        if not differing:
            return self.neighbour(point, rng)
        taken = [name for name in differing if rng.random() < 1 / 3] or [differing[int(rng.integers(len(differing)))]]
        new = {**point, **{place: other[place] for name in taken for place in own[name]}}
        return self.neighbour(new, rng) if rng.random() < 0.25 else new

    def distributions(self) -> dict[str, Any]:
        """The coordinates as Optuna has them."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        found: dict[str, Any] = {}
        for coordinate in self.coordinates:
            low, high = coordinate.parameter.low, coordinate.parameter.high
            if coordinate.choices:
                found[coordinate.name] = CategoricalDistribution(coordinate.choices)
            elif coordinate.parameter.kind == WHOLE:
                found[coordinate.name] = IntDistribution(int(low), int(high))
            else:
                found[coordinate.name] = FloatDistribution(float(low), float(high))
        return found


def _readable(parameter: Parameter, value: Any) -> Any:
    if parameter.kind != REAL or parameter.high <= parameter.low:
        return value
    digits = FINENESS - math.floor(math.log10(parameter.high - parameter.low))
    return min(max(round(float(value), digits), parameter.low), parameter.high)


def make_space(bot: Any, held: Sequence[str] = (), game: str | None = None) -> Space:
    """The space of a bot, given by name, with `held` such as `end_game=on` left out of it."""
    game = registry.game_of([bot], game)
    entrant = registry.entrant(bot, game)
    if not isinstance(entrant.bot, Bot) or not any(parameter.kind in TUNED for parameter in entrant.bot.parameters):
        raise BadBot(f"bot '{entrant.name}' has no parameters that can be tuned.")
    if entrant.bot.game != game:
        raise BadBot(f"bot '{entrant.name}' plays {entrant.bot.game}, not {game}.")
    parameters = {parameter.name: parameter for parameter in entrant.bot.parameters}
    values: dict[str, Value] = {}
    for item in held:
        key, equals, text = item.partition("=")
        if not equals:
            raise BadValue(f"--fix {item} is not accepted; it is key=value, such as {entrant.bot.parameters[0].name}=….")
        parameter = named(entrant.bot.parameters, key)
        if parameter is None:
            raise UnknownName(f"parameter of bot {entrant.bot.name} in --fix:", key, parameters)
        if parameter.name in values:
            raise BadValue(f"--fix {item}: {parameter.name} is held twice; one value is accepted.")
        values[parameter.name] = parameter.parse(text, f"--fix {item}")
    untuned = {name: entrant.values[name] for name, parameter in parameters.items() if parameter.kind not in TUNED}
    return Space(entrant, {**untuned, **values})
