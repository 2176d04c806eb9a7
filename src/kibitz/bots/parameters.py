"""Parameters of bots: declared once, read by input checks, `kibitz bots`, tuning and the compiled code alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.layouts import Field, dtype_from
from kibitz.core.reading import check_whole, shown, whole_number
from kibitz.core.sentences import counted
from kibitz.core.spellings import hint
from kibitz.policies.weight_files import LARGEST, SHIPPED

Value = int | float | bool | str | tuple[int, ...] | tuple[float, ...]
WHOLE, REAL, SWITCH, CHOICE, WEIGHTS = "whole number", "number", "on/off", "choice", "file of weights"


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, kind (WHOLE, REAL, SWITCH, CHOICE or WEIGHTS), accepted range, length (0 for a single value), and what it does.

    The value of a CHOICE is one of the names in `choices`; strategies see the place of that name, counted from 0. The value of
    WEIGHTS is a path, or a name that `read` knows; strategies see the `length` numbers that `read` finds there. Weights that are
    `needed` with some values of the other parameters alone are not read with others: strategies must not look at them then.

    A parameter or choice that gets a new name keeps its old one: `once_named` holds old names of the parameter, the first one first,
    and `once` maps old choices to present ones. Both are accepted wherever bots are named, with a hint. Studies of `kibitz tune` are
    kept under the first spelling (`key`, `kept`), so that they go on as they began.
    """

    name: str
    kind: str
    summary: str
    low: float = 0
    high: float = 1
    length: int = 0
    default: Value | None = None
    choices: tuple[str, ...] = ()
    read: Callable[[str], tuple[float, ...]] | None = None
    needed: Callable[[Mapping[str, Value]], bool] | None = None
    once: Mapping[str, str] = field(default_factory=dict)
    once_named: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.kind == CHOICE) != bool(self.choices):
            raise BadValue(f"parameter '{self.name}': choices go with the kind CHOICE, and CHOICE needs them.")
        if (self.kind == WEIGHTS) != bool(self.read):
            raise BadValue(f"parameter '{self.name}': a way to read goes with the kind WEIGHTS, and WEIGHTS needs it.")
        if any(old in self.choices or new not in self.choices for old, new in self.once.items()):
            raise BadValue(f"parameter '{self.name}': once maps choices that are no more to choices that there are.")

    @property
    def key(self) -> str:
        """The first name that the parameter had."""
        return self.once_named[0] if self.once_named else self.name

    def kept(self, value: Any) -> Any:
        """A choice under its first name; other values as they are."""
        return next((old for old, new in self.once.items() if new == value), value)

    def current(self, value: Any) -> Any:
        """A choice under its present name; other values as they are."""
        return self.once.get(value, value) if isinstance(value, str) else value

    def is_needed(self, values: Mapping[str, Value]) -> bool:
        """Whether strategies look at this parameter, if all have these values."""
        return self.needed is None or self.needed(values)

    def describe(self) -> str:
        """Type and range in words."""
        if self.kind == SWITCH:
            return "on or off"
        if self.kind == CHOICE:
            return _listed(self.choices)
        if self.kind == WEIGHTS:
            return f"a file of weights, or {self.default}"
        kind = f"{self.length} {self.kind}s" if self.length else f"a {self.kind}"
        return f"{kind} from {self.low:g} to {self.high:g}"

    def describe_kept(self) -> str:
        """Type and range in the words of stored studies."""
        return _listed(tuple(map(self.kept, self.choices))) if self.kind == CHOICE else self.describe()

    def parse(self, text: str, where: str) -> Value:
        """The value that a text such as `on`, `common`, `2` or `4/3/5/6/1/2` stands for."""
        if self.kind == SWITCH:
            if text not in ("on", "off"):
                raise BadValue(f"{where}: {self.name}={text} is not accepted; {self.name} is on or off.")
            return text == "on"
        if self.kind == CHOICE:
            return self._chosen(text, text, where)
        if self.kind == WEIGHTS:
            return self.check(text, where)
        parts = text.split("/") if self.length else [text]
        try:
            numbers = [self._whole(part, where) if self.kind == WHOLE else float(part) for part in parts]
        except ValueError:
            raise BadValue(f"{where}: {self.name}={text} is not accepted; {self.name} is {self.describe()}{self._written()}.") from None
        return self.check(tuple(numbers) if self.length else numbers[0], where)

    def check(self, value: Any, where: str) -> Value:
        """The value itself, if it has the right type, length and range."""
        if self.kind == SWITCH:
            if not isinstance(value, bool):
                raise BadValue(f"{where}: {self.name}={shown(value)} is not accepted; {self.name} is True or False.")
            return value
        if self.kind == CHOICE:
            return self._chosen(value, shown(value), where)
        if self.read and isinstance(value, str):
            self.read(value)
            return value
        numbers = tuple(value) if self.length and isinstance(value, (tuple, list)) else (value,)
        if self.length and len(numbers) != self.length:
            raise BadValue(f"{where}: {self.name} has {counted(len(numbers), 'value')}; it needs {self.length}{self._written()}.")
        for one in numbers:
            if self.kind == WHOLE:
                check_whole(one, f"{where}: {self.name}", int(self.low), int(self.high))
            if isinstance(one, bool) or not isinstance(one, (int, float)):
                raise BadValue(f"{where}: {self.name} has the value {shown(one)}; {self.name} is {self.describe()}.")
            if not self.low <= one <= self.high:  # also refuses nan
                raise BadValue(f"{where}: {self.name} must be {self.low:g} to {self.high:g}, got {_number_text(one)}.")
        return numbers if self.length else numbers[0]

    def _whole(self, text: str, where: str) -> int:
        if not re.fullmatch(r"-?[0-9]+", text):
            raise ValueError("not a whole number")
        return whole_number(text, f"{where}: {self.name}", int(self.low), int(self.high))

    def _chosen(self, value: Any, shown: str, where: str) -> str:
        if isinstance(value, str) and value in self.once:
            hint(f"{self.name}={value}", f"{self.name}={self.once[value]}")
            return self.once[value]
        if not isinstance(value, str) or value not in self.choices:
            raise BadValue(f"{where}: {self.name}={shown} is not accepted; {self.name} is {self.describe()}.")
        return value

    def _written(self) -> str:
        return ", separated by slashes" if self.length else ""

    def to_text(self, value: Value) -> str:
        """The value as `parse` reads it."""
        if self.kind == SWITCH:
            return "on" if value else "off"
        if isinstance(value, str):
            return value
        return "/".join(map(_number_text, value)) if isinstance(value, tuple) else _number_text(value)


def named(parameters: tuple[Parameter, ...], name: str) -> Parameter | None:
    """The parameter that has a name now, or had it once; None if there is none."""
    for parameter in parameters:
        if name == parameter.name:
            return parameter
        if name in parameter.once_named:
            hint(name, parameter.name)
            return parameter
    return None


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _number_text(value: float) -> str:
    """A number that reads back as itself, without a needless `.0`."""
    return (shown(value) if isinstance(value, int) else repr(value)).removesuffix(".0")


def layout_of(parameters: tuple[Parameter, ...]) -> np.dtype[Any] | None:
    """The memory layout of a bot's parameters, None if it has none."""
    if not parameters:
        return None
    return dtype_from(tuple(Field(p.name, "f8" if p.kind in (REAL, WEIGHTS) else "i8", p.length) for p in parameters))


def pack(parameters: tuple[Parameter, ...], values: Mapping[str, Value]) -> np.ndarray[Any, Any]:
    """The values as one block of memory for compiled code."""
    layout = layout_of(parameters)
    block = np.zeros(1, dtype=layout if layout is not None else np.uint8)
    for parameter in parameters:
        if parameter.is_needed(values):
            block[parameter.name][0] = _stored(parameter, values[parameter.name])
    return block


def plain(parameters: tuple[Parameter, ...], values: Mapping[str, Value]) -> SimpleNamespace:
    """The values as attributes for plain Python, with the number types of the compiled code."""
    return SimpleNamespace(**{p.name: _stored(p, values[p.name]) if p.is_needed(values) else () for p in parameters})


def _stored(parameter: Parameter, value: Value) -> Any:
    """The value as a strategy sees it: numbers alone."""
    if isinstance(value, str):
        return parameter.read(value) if parameter.read else parameter.choices.index(value)
    convert = float if parameter.kind in (REAL, WEIGHTS) else int
    return tuple(convert(one) for one in value) if isinstance(value, tuple) else convert(value)


def trained_weights(
    about: str, length: int, read: Callable[[str], tuple[float, ...]], name: str = "weights", largest: float = LARGEST
) -> Parameter:
    """The numbers that a training wrote into a file; without a file those that come with the package."""
    return Parameter(name, WEIGHTS, about, -largest, largest, length, SHIPPED, read=read)
