"""Records: one description of a block of memory for compiled code, its plain-Python twin and NumPy.

A record is an ordinary class whose annotations carry a NumPy type and, for arrays, a length. Compiled code sees the
block of memory that `dtype_of` describes; code running without Numba sees an instance of the class itself, with ints
and lists. A subclass adds fields behind those of its base, so a pointer to it can be handed over as its base: that is
how a state is shown as a view at no cost.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

Byte = Annotated[int, "i1"]  # -128 to 127: signed, so that a difference of two comes out as anybody expects
Int = Annotated[int, "i4"]
Long = Annotated[int, "i8"]
Word64 = Annotated[int, "u8"]

RecordType = TypeVar("RecordType")

# Where plain records of a class keep the records inside them (`kibitz.search.uno.parts`): attributes that hold them by place.
parts_of: dict[type, list[str]] = {}


class Field(NamedTuple):
    """One field of a record: its NumPy type code and its length, 0 for a single value."""

    name: str
    code: str
    length: int


@cache
def fields_of(cls: Any) -> tuple[Field, ...]:
    """The fields of a record class, those of its bases first."""
    fields = []
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            raise TypeError(f"{cls.__name__}.{name} needs an Annotated type with a NumPy code, such as kibitz.core.layouts.Byte")
        _, code, *length = get_args(hint)
        fields.append(Field(name, code, length[0] if length else 0))
    return tuple(fields)


@cache
def dtype_of(cls: Any) -> np.dtype[Any]:
    """The memory layout of a record class, aligned as C would align it."""
    return dtype_from(fields_of(cls))


def dtype_from(fields: tuple[Field, ...]) -> np.dtype[Any]:
    """The memory layout of a list of fields."""
    return np.dtype([(f.name, f.code, (f.length,)) if f.length else (f.name, f.code) for f in fields], align=True)


def blank(cls: type[RecordType]) -> RecordType:
    """A plain instance with every field zero."""
    record = cls.__new__(cls)
    kind: Any = cls
    for field in fields_of(kind):
        zero = 0.0 if field.code[0] == "f" else 0
        setattr(record, field.name, [zero] * field.length if field.length else zero)
    return record


def copy_record(record: RecordType, cls: type | None = None) -> RecordType:
    """A copy of a plain record; with `cls`, of the part that base class describes, as an instance of it."""
    kind: Any = cls or type(record)
    twin = _copy_fields(record, kind)
    for name in parts_of.get(kind, ()):
        parts = record.__dict__.get(name, {})
        twin.__dict__[name] = {place: _copy_fields(part, type(part)) for place, part in parts.items()}
    return twin  # type: ignore[no-any-return]  # an instance of RecordType or of its base


def _copy_fields(record: Any, kind: Any) -> Any:
    twin = kind.__new__(kind)
    copied = twin.__dict__  # as setattr would, and quicker
    for name, _, length in fields_of(kind):
        value = getattr(record, name)
        copied[name] = value[:] if length else value
    return twin


def store(record: object, block: np.ndarray[Any, Any]) -> None:
    """Write a plain record into element 0 of an array of its layout."""
    kind: Any = type(record)
    for field in fields_of(kind):
        block[field.name][0] = getattr(record, field.name)


@cache
def _unpacker(cls: Any) -> tuple[struct.Struct, tuple[tuple[str, int], ...], tuple[tuple[str, int, int], ...]]:
    """A struct for the layout of `cls`, and in what it unpacks the (name, place) of single fields and (name, first, end) of others."""
    dtype = dtype_of(cls)
    codes = {"u1": "B", "i1": "b", "i4": "i", "i8": "q", "u8": "Q", "f8": "d", "u2": "H", "i2": "h", "f4": "f", "u4": "I"}
    layout, end, place = "=", 0, 0
    single: list[tuple[str, int]] = []
    several: list[tuple[str, int, int]] = []
    for name, code, length in fields_of(cls):
        offset = dtype.fields[name][1]  # type: ignore[index]  # a structured dtype has fields
        layout += "x" * (offset - end) + f"{length or 1}{codes[code]}"
        end = offset + np.dtype(code).itemsize * (length or 1)
        if length:
            several.append((name, place, place + length))
        else:
            single.append((name, place))
        place += length or 1
    return struct.Struct(layout), tuple(single), tuple(several)


def load(cls: type[RecordType], block: Any) -> RecordType:
    """A plain record read from the start of a block of memory."""
    kind: Any = cls
    layout, single, several = _unpacker(kind)
    values = layout.unpack_from(block)
    record = cls.__new__(cls)
    fields = record.__dict__  # as setattr would, at half the cost
    for name, place in single:
        fields[name] = values[place]
    for name, first, end in several:
        fields[name] = list(values[first:end])
    return record


def equal(first: object, second: object) -> bool:
    """Whether two plain records of one class agree in every field."""
    kind: Any = type(first)
    return all(getattr(first, f.name) == getattr(second, f.name) for f in fields_of(kind))
