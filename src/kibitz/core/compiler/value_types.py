"""What values compiled kernels have, as the compiler and as Numba knows them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple


class Unsupported(Exception):
    """A kernel has something in it that this compiler does not know; Numba compiles it."""


@dataclass(frozen=True)
class ValueType:
    """What sort of value something is."""


@dataclass(frozen=True)
class Scalar(ValueType):
    """A single number: its name, its type in registers and in memory, and its size there."""

    name: str
    register: str
    memory: str
    size: int


INT = Scalar("int64", "i64", "i64", 8)
WORD = Scalar("uint64", "i64", "i64", 8)
BOOL = Scalar("boolean", "i1", "i8", 1)
DOUBLE = Scalar("float64", "double", "double", 8)
SINGLE = Scalar("float32", "float", "float", 4)
NONE = Scalar("none", "ptr", "ptr", 8)
FLOATS = (DOUBLE, SINGLE)


@dataclass(frozen=True)
class RecordType(ValueType):
    """A block of memory with named fields; `numba` is its Numba type."""

    numba: Any


@dataclass(frozen=True)
class Array(ValueType):
    """Numbers in a row; `code` is the NumPy type of one. How many, if it is known beforehand; `numba` is its Numba type, if it has one."""

    code: str
    count: int | None
    numba: Any


@dataclass(frozen=True)
class Several(ValueType):
    """A tuple."""

    items: tuple[ValueType, ...]


class Value(NamedTuple):
    """A value: its kind and how LLVM writes it; of a constant what it is, of a tuple its items, of an array of unknown length that length."""

    kind: ValueType
    text: str
    constant: int | float | bool | None = None
    items: tuple[Value, ...] = ()
    length: str = ""


NOTHING = Value(NONE, "null")

# What a number in memory becomes in a register: narrow ones are widened at once.
LOADED = {
    "i1": ("i8", "sext", INT),
    "i2": ("i16", "sext", INT),
    "i4": ("i32", "sext", INT),
    "i8": ("i64", "", INT),
    "u1": ("i8", "zext", INT),
    "u2": ("i16", "zext", INT),
    "u4": ("i32", "zext", INT),
    "u8": ("i64", "", WORD),
    "b1": ("i8", "bool", BOOL),
    "f4": ("float", "", SINGLE),
    "f8": ("double", "", DOUBLE),
}


def constant(value: int | float | bool, kind: Scalar | None = None) -> Value:
    """A value that is known beforehand."""
    if kind is None:
        kind = BOOL if isinstance(value, bool) else DOUBLE if isinstance(value, float) else INT
    if kind in FLOATS:
        single = struct.unpack("<f", struct.pack("<f", value))[0] if kind is SINGLE else float(value)
        return Value(kind, f"0x{struct.unpack('<Q', struct.pack('<d', single))[0]:016X}", float(value))
    if kind is BOOL:
        return Value(BOOL, "true" if value else "false", bool(value))
    if not (-(2**63) <= value < 2**63 if kind is INT else 0 <= value < 2**64):
        raise Unsupported(f"the number {value}")
    return Value(kind, str(int(value)), int(value))


def tuple_of(items: tuple[Value, ...]) -> Value:
    """A tuple of some values."""
    return Value(Several(tuple(item.kind for item in items)), "", items=items)


def layout(kind: ValueType) -> list[tuple[Scalar, int]]:
    """The single numbers of what a kernel returns, and how many bytes after the start each is kept; laid out as C does."""
    found, end = [], 0
    for part in _flat(kind):
        end = -(-end // part.size) * part.size
        found.append((part, end))
        end += part.size
    return found


def _flat(kind: ValueType) -> list[Scalar]:
    if isinstance(kind, Several):
        if any(isinstance(item, Several) for item in kind.items):
            raise Unsupported("a tuple inside a tuple that is returned")
        return [part for item in kind.items for part in _flat(item)]
    if not isinstance(kind, Scalar):
        raise Unsupported("a record or table that is returned")
    return [kind]


# -- as Numba knows them --


@cache
def _scalars() -> dict[Any, Scalar]:
    from numba import types

    return {types.int64: INT, types.uint64: WORD, types.boolean: BOOL, types.float64: DOUBLE, types.float32: SINGLE, types.none: NONE}


@cache
def _codes() -> dict[Any, str]:
    from numba import types
    from numba.np.numpy_support import as_dtype

    numbers = (*types.integer_domain, types.float32, types.float64, types.boolean)
    return {number: as_dtype(number).str[1:] for number in numbers}


@cache
def kind_of(numba_type: Any) -> ValueType:
    """The kind of an argument or a result; narrow whole numbers are widened."""
    from numba import types

    if isinstance(numba_type, types.Literal):
        numba_type = numba_type.literal_type
    if numba_type in _scalars():
        return _scalars()[numba_type]
    if isinstance(numba_type, types.Integer):
        return INT
    if isinstance(numba_type, types.Record):
        return RecordType(numba_type)
    if isinstance(numba_type, types.NestedArray) and numba_type.ndim == 1 and numba_type.dtype in _codes():
        return Array(_codes()[numba_type.dtype], numba_type.shape[0], numba_type)
    plain = isinstance(numba_type, types.Array) and not isinstance(numba_type, types.NestedArray)
    if plain and numba_type.ndim == 1 and numba_type.layout == "C" and numba_type.dtype in _codes():
        return Array(_codes()[numba_type.dtype], None, numba_type)
    if isinstance(numba_type, types.BaseTuple) and not isinstance(
        numba_type, types.BaseNamedTuple | types.StarArgTuple | types.StarArgUniTuple
    ):
        return Several(tuple(kind_of(item) for item in numba_type.types))
    raise Unsupported(f"a value of the type {numba_type}")


def handed_over(value: Value) -> Value:
    """A value as an argument: a table of constants becomes an array like any other, which nobody may write to."""
    if not isinstance(value.kind, Array) or value.kind.numba is not None:
        return value
    from numba import types

    number = next(number for number, code in _codes().items() if code == value.kind.code)
    return Value(Array(value.kind.code, None, types.Array(number, 1, "C", readonly=True)), value.text, length=str(value.kind.count))


@cache
def numba_type_of(kind: ValueType) -> Any:
    """Numba's type of this kind."""
    from numba import types

    if isinstance(kind, Scalar):
        return getattr(types, kind.name)
    if isinstance(kind, Several):
        return types.Tuple([numba_type_of(item) for item in kind.items])
    assert isinstance(kind, RecordType | Array)
    return kind.numba
