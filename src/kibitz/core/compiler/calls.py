"""What kernels call besides each other: Python's own functions, and what `kibitz.core.primitives` offers."""

from __future__ import annotations

import ast
import builtins
import math
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core import primitives
from kibitz.core.compiler.value_types import (
    BOOL,
    DOUBLE,
    FLOATS,
    INT,
    LOADED,
    NONE,
    NOTHING,
    SINGLE,
    WORD,
    Array,
    RecordType,
    Scalar,
    Several,
    Unsupported,
    Value,
    ValueType,
    constant,
    layout,
)

if TYPE_CHECKING:
    from kibitz.core.compiler.body import Body

Meaning = Callable[["Body", list[Value]], Value]


# -- how values are handed over, as Numba does it --


def code_of(numba_type: Any) -> str:
    """The NumPy type of a number in a record."""
    from numba.np.numpy_support import as_dtype

    code: str = as_dtype(numba_type).str[1:]
    if code not in LOADED:
        raise Unsupported(f"a field of the type {numba_type}")
    return code


def passed_kinds(kind: ValueType, name: str = "") -> list[str]:
    """The parameters that an argument of this kind takes, with names if they are wanted."""
    if isinstance(kind, Several):
        return [text for place, item in enumerate(kind.items) for text in passed_kinds(item, name and f"{name}.{place}")]
    if isinstance(kind, Array):  # owner, parent, how many, size of one, data, shape, strides
        parts = ["ptr", "ptr", "i64", "i64", "ptr", "i64", "i64"]
        return [f"{part} {name}.{place}" if name else part for place, part in enumerate(parts)]
    memory = kind.memory if isinstance(kind, Scalar) else "ptr"
    return [f"{memory} {name}" if name else memory]


def received(kind: ValueType, name: str) -> Value:
    """A parameter by its name."""
    if isinstance(kind, Several):
        return Value(kind, "", items=tuple(received(item, f"{name}.{place}") for place, item in enumerate(kind.items)))
    if isinstance(kind, Array):
        return Value(kind, f"{name}.4", length="" if kind.count is not None else f"{name}.5")
    return Value(kind, name)


def passed(body: Body, value: Value) -> list[str]:
    """An argument as it is handed over."""
    kind = value.kind
    if isinstance(kind, Several):
        return [text for item in value.items for text in passed(body, item)]
    if isinstance(kind, Array):
        length = value.length or str(kind.count)
        size = np.dtype(kind.code).itemsize
        return ["ptr null", "ptr null", f"i64 {length}", f"i64 {size}", f"ptr {value.text}", f"i64 {length}", f"i64 {size}"]
    if kind is BOOL:
        return [f"i8 {body.put(f'zext i1 {value.text} to i8')}"]
    return [f"{kind.memory if isinstance(kind, Scalar) else 'ptr'} {value.text}"]


def in_registers(body: Body, value: Value) -> Value:
    """A parameter as a value: truth values are passed as bytes."""
    if value.kind is BOOL:
        return Value(BOOL, body.put(f"trunc i8 {value.text} to i1"))
    if isinstance(value.kind, Several):
        return Value(value.kind, "", items=tuple(in_registers(body, item) for item in value.items))
    return value


def call_address(body: Body, address: str, result: ValueType, arguments: list[Value], fails: bool) -> Value:
    """Call something by Numba's convention: a place for the result, one for an error, the arguments; a number comes back, 0 if all went well."""
    parts = [] if result is NONE else layout(result)
    size = max(8, *[place + part.size for part, place in parts]) if parts else 8
    slot = body.new_slot("i64", -(-size // 8))
    given = ", ".join([f"ptr {slot}", "ptr %error", *[text for argument in arguments for text in passed(body, argument)]])
    status = body.put(f"call i32 {address}({given})")
    if fails:
        body.fails = True
        wrong, onward = body.new_label(), body.new_label()
        body.fork(body.put(f"icmp ne i32 {status}, 0"), wrong, onward)
        body.start_block(wrong)
        body.do(f"ret i32 {status}")
        body.ended = True
        body.start_block(onward)
    values = []
    for part, place in parts:
        text = body.put(f"load {part.memory}, ptr {body.offset(slot, place)}")
        values.append(Value(part, body.put(f"trunc i8 {text} to i1") if part is BOOL else text))
    if isinstance(result, Several):
        return Value(result, "", items=tuple(values))
    return values[0] if values else NOTHING


# -- Python's own functions --


def _single(arguments: list[Value]) -> Value:
    if len(arguments) != 1:
        raise Unsupported("another number of arguments")
    return arguments[0]


def _minimum(body: Body, arguments: list[Value]) -> Value:
    return body.pick(ast.Lt, list(arguments[0].items) if len(arguments) == 1 else arguments)


def _maximum(body: Body, arguments: list[Value]) -> Value:
    return body.pick(ast.Gt, list(arguments[0].items) if len(arguments) == 1 else arguments)


def _as_float(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    return value if value.kind is SINGLE else body.convert(value, DOUBLE)


def _as_int(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    if value.kind is WORD:
        return value
    return body.convert(value, INT)


def _as_number(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    return Value(INT, value.text) if value.kind is WORD else body.convert(value, INT)


def _as_word(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    if value.constant is not None and value.constant >= 0:
        return constant(int(value.constant), WORD)
    return Value(WORD, value.text) if value.kind is INT else body.convert(value, WORD)


def _as_truth(body: Body, arguments: list[Value]) -> Value:
    return body.truth(_single(arguments))


def _length(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    if isinstance(value.kind, Several):
        return constant(len(value.items))
    if isinstance(value.kind, Array):
        return constant(value.kind.count) if value.kind.count is not None else Value(INT, value.length)
    raise Unsupported("the length of something else than a tuple or array")


def _absolute(body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    if value.kind is INT:
        below = body.put(f"icmp slt i64 {value.text}, 0")
        return Value(INT, body.put(f"select i1 {below}, i64 {body.negate(value).text}, i64 {value.text}"))
    if value.kind in FLOATS:
        return _of_float("fabs", body, arguments)
    raise Unsupported("the absolute value of something else than a number")


def _of_float(name: str, body: Body, arguments: list[Value]) -> Value:
    value = _single(arguments)
    value = value if value.kind is SINGLE else body.convert(value, DOUBLE)
    assert isinstance(value.kind, Scalar)
    suffix, register = ("f32" if value.kind is SINGLE else "f64"), value.kind.register
    return Value(value.kind, body.intrinsic(f"llvm.{name}.{suffix}", register, f"{register} {value.text}"))


# -- what kernels are written with --


def _word(body: Body, value: Value) -> str:
    """A whole number as 64 bits."""
    if value.kind not in (INT, WORD, BOOL):
        raise Unsupported("the bits of something else than a whole number")
    return body.convert(value, WORD).text if value.kind is BOOL else value.text


def _popcount(body: Body, arguments: list[Value]) -> Value:
    return Value(INT, body.intrinsic("llvm.ctpop.i64", "i64", f"i64 {_word(body, _single(arguments))}"))


def _lowest(body: Body, arguments: list[Value]) -> Value:
    return Value(INT, _first_bit(body, _word(body, _single(arguments))))


def _first_bit(body: Body, word: str) -> str:
    body.declared.add("declare i64 @llvm.cttz.i64(i64, i1)")
    return body.put(f"call i64 @llvm.cttz.i64(i64 {word}, i1 false)")


def select_bit(body: Body, arguments: list[Value]) -> Value:
    """`select`, on processors that have an instruction for it."""
    mask, rank = (_word(body, argument) for argument in arguments)
    bit = body.put(f"shl i64 1, {rank}")
    return Value(INT, _first_bit(body, body.intrinsic("llvm.x86.bmi.pdep.64", "i64", f"i64 {bit}", f"i64 {mask}")))


def _product(body: Body, arguments: list[Value]) -> tuple[str, str]:
    first, second = (body.put(f"zext i64 {_word(body, argument)} to i128") for argument in arguments)
    product = body.put(f"mul i128 {first}, {second}")
    upper = body.put(f"lshr i128 {product}, 64")
    return body.put(f"trunc i128 {upper} to i64"), product


def _high_product(body: Body, arguments: list[Value]) -> Value:
    return Value(WORD, _product(body, arguments)[0])


def _folded_product(body: Body, arguments: list[Value]) -> Value:
    upper, product = _product(body, arguments)
    lower = body.put(f"trunc i128 {product} to i64")
    return Value(WORD, body.put(f"xor i64 {upper}, {lower}"))


def _clear_memory(body: Body, arguments: list[Value]) -> Value:
    at = body.put(f"inttoptr i64 {arguments[0].text} to ptr")
    body.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    body.do(f"call void @llvm.memset.p0.i64(ptr {at}, i8 0, i64 {arguments[1].text}, i1 false)")
    return NOTHING


def _prefetch(body: Body, arguments: list[Value]) -> Value:
    at = body.put(f"inttoptr i64 {_word(body, _single(arguments))} to ptr")
    body.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    body.do(f"call void @llvm.prefetch.p0(ptr {at}, i32 1, i32 3, i32 1)")
    return NOTHING


def _clock(body: Body, arguments: list[Value]) -> Value:
    pair = body.new_slot("i64", 2)
    body.intrinsic("clock_gettime", "i32", f"i32 {time.CLOCK_MONOTONIC}", f"ptr {pair}")
    seconds, nanoseconds = (body.convert(body.load(body.offset(pair, place), "i8"), DOUBLE) for place in (0, 8))
    small = body.combine(ast.Mult, nanoseconds, constant(1e-9))
    return body.combine(ast.Add, seconds, small)


def _call_bot(result: Scalar, body: Body, arguments: list[Value]) -> Value:
    entry, *given = arguments
    if entry.kind is not INT or any(one.kind is not INT and not isinstance(one.kind, RecordType) for one in given):
        raise Unsupported("a bot that is no address")
    answer = call_address(body, body.put(f"inttoptr i64 {entry.text} to ptr"), INT, given, True)
    return answer if result is INT else NOTHING


MEANINGS: dict[Any, Meaning] = {
    builtins.min: _minimum,
    builtins.max: _maximum,
    builtins.float: _as_float,
    builtins.int: _as_int,
    builtins.bool: _as_truth,
    builtins.len: _length,
    builtins.abs: _absolute,
    math.sqrt: partial(_of_float, "sqrt"),
    math.exp: partial(_of_float, "exp"),
    math.log: partial(_of_float, "log"),
    primitives.number: _as_number,
    primitives.word: _as_word,
    primitives.popcount: _popcount,
    primitives.lowest: _lowest,
    primitives.high_product: _high_product,
    primitives.folded_product: _folded_product,
    primitives.clear_memory: _clear_memory,
    primitives.prefetch: _prefetch,
    primitives.clock: _clock,
    primitives.call_choose: partial(_call_bot, INT),
    primitives.call_begin: partial(_call_bot, NONE),
    primitives.call_observe: partial(_call_bot, NONE),
}
