"""Compiled meanings of what kernels are written with: Numba's intrinsics for `kibitz.core.primitives`, and records behind addresses."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.layouts import dtype_of
from kibitz.core.primitives import (
    call_begin,
    call_choose,
    call_observe,
    clear_memory,
    clock,
    folded_product,
    high_product,
    lowest,
    number,
    popcount,
    prefetch,
    select,
    word,
)
from kibitz.core.stopping import compiled_stop_point, stop_point


@cache
def record_type(dtype: np.dtype[Any]) -> Any:
    """The Numba type of one record of `dtype`."""
    import numba

    return numba.from_dtype(dtype)


def record_at(cls_or_dtype: type | np.dtype[Any]) -> Any:
    """An intrinsic that reads an address, or another record, as a record of this layout."""
    return _record_at(cls_or_dtype if isinstance(cls_or_dtype, np.dtype) else dtype_of(cls_or_dtype))


@cache
def _record_at(dtype: np.dtype[Any]) -> Any:
    from numba import types
    from numba.extending import intrinsic

    target = record_type(dtype)

    @intrinsic
    def read(typingctx: Any, source: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = context.get_value_type(target)
            if isinstance(source, types.Record):
                return builder.bitcast(args[0], pointer)
            return builder.inttoptr(args[0], pointer)

        return target(source), codegen

    read.layout_of_record = dtype  # for the name of what is compiled with it
    return read


@cache
def element_at(offset: int, dtype: np.dtype[Any]) -> Any:
    """An intrinsic that reads one of several records of this layout, so many bytes after the start of another record."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    target = record_type(dtype)

    @intrinsic
    def read(typingctx: Any, record: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            wide = ir.IntType(64)
            step = builder.mul(args[1], ir.Constant(wide, dtype.itemsize))
            address = builder.add(builder.ptrtoint(args[0], wide), builder.add(step, ir.Constant(wide, offset)))
            return builder.inttoptr(address, context.get_value_type(target))

        return target(record, types.int64), codegen

    return read


@cache
def intrinsics() -> dict[Callable[..., Any], Any]:
    """Compiled meanings of the functions that kernels are written with."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    wide = ir.IntType(64)

    @intrinsic
    def compiled_popcount(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def compiled_lowest(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), codegen

    @intrinsic
    def compiled_select(typingctx: Any, mask: Any, rank: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(wide, [wide, wide]), "llvm.x86.bmi.pdep.64")
            bit = builder.shl(ir.Constant(wide, 1), args[1])
            return builder.cttz(builder.call(function, [bit, args[0]]), ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64, types.int64), codegen

    @intrinsic
    def compiled_high_product(typingctx: Any, first: Any, second: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            double = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], double), builder.zext(args[1], double))
            return builder.trunc(builder.lshr(product, ir.Constant(double, 64)), wide)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def compiled_folded_product(typingctx: Any, first: Any, second: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            double = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], double), builder.zext(args[1], double))
            high = builder.trunc(builder.lshr(product, ir.Constant(double, 64)), wide)
            return builder.xor(high, builder.trunc(product, wide))

        return types.uint64(types.uint64, types.uint64), codegen

    def address_call(result: Any, count: int) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            argument_types = signature.args[1:]
            convention = context.call_conv
            pointer = builder.inttoptr(args[0], convention.get_function_type(result, argument_types).as_pointer())
            status, value = convention.call_function(builder, pointer, result, argument_types, args[1:])
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return value if result is types.int64 else context.get_dummy_value()

        if count == 5:

            @intrinsic
            def call(typingctx: Any, entry: Any, view: Any, memory: Any, params: Any, scratch: Any) -> Any:
                return result(types.int64, view, types.int64, types.int64, types.int64), codegen
        else:

            @intrinsic
            def call(typingctx: Any, entry: Any, view: Any, event: Any, memory: Any, params: Any, scratch: Any) -> Any:
                return result(types.int64, view, event, types.int64, types.int64, types.int64), codegen

        return call

    @intrinsic
    def compiled_clear(typingctx: Any, memory: Any, size: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cgutils.memset(builder, builder.inttoptr(args[0], ir.IntType(8).as_pointer()), args[1], 0)
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), codegen

    @intrinsic
    def compiled_prefetch(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, word32 = ir.PointerType(ir.IntType(8)), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, word32, word32, word32])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            how = [ir.Constant(word32, value) for value in (1, 3, 1)]  # to be written, kept in all caches, data
            builder.call(function, [builder.inttoptr(args[0], pointer), *how])
            return context.get_dummy_value()

        return types.none(types.int64), codegen

    @intrinsic
    def compiled_clock(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pair = cgutils.alloca_once(builder, ir.ArrayType(wide, 2))  # seconds and nanoseconds
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), pair.type])
            function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
            builder.call(function, [ir.Constant(ir.IntType(32), time.CLOCK_MONOTONIC), pair])
            parts = [builder.sitofp(builder.extract_value(builder.load(pair), place), ir.DoubleType()) for place in range(2)]
            return builder.fadd(parts[0], builder.fmul(parts[1], ir.Constant(ir.DoubleType(), 1e-9)))

        return types.float64(), codegen

    meanings: dict[Callable[..., Any], Any] = {
        word: np.uint64,
        clock: compiled_clock,
        number: np.int64,
        popcount: compiled_popcount,
        lowest: compiled_lowest,
        high_product: compiled_high_product,
        folded_product: compiled_folded_product,
        call_choose: address_call(types.int64, 5),
        call_begin: address_call(types.int64, 5),
        call_observe: address_call(types.int64, 6),
        clear_memory: compiled_clear,
        prefetch: compiled_prefetch,
        stop_point: compiled_stop_point(),
    }
    # One instruction where the processor has it; elsewhere the loop of the plain version is compiled.
    if has_fast_select():
        meanings[select] = compiled_select
    return meanings


def has_fast_select() -> bool:
    """Whether the processor finds the n-th set bit in one instruction."""
    return "+bmi2" in target_processor().features


class Processor(NamedTuple):
    """What LLVM calls a processor, and what it can (`+bmi2`) and cannot do (`-avx512f`)."""

    name: str
    features: frozenset[str]


def target_processor() -> Processor:
    """The processor that Numba compiles for: this one, unless NUMBA_CPU_NAME says otherwise."""
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    return Processor(name, frozenset(features.split(",")))


@cache
def array_at(dtype: np.dtype[Any]) -> Any:
    """An intrinsic that reads an address and a length as an array in one piece, which somebody else owns."""
    from numba import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    array = types.Array(record_type(dtype), 1, "C")

    @intrinsic
    def read(typingctx: Any, address: Any, length: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            made = make_array(array)(context, builder)
            width = context.get_constant(types.intp, dtype.itemsize)
            data = builder.inttoptr(args[0], made.data.type)
            populate_array(made, data=data, shape=[args[1]], strides=[width], itemsize=width, meminfo=None)
            return made._getvalue()

        return array(address, length), codegen

    return read


@cache
def as_action() -> Any:
    """An intrinsic that accepts only whole numbers as a bot's answer: a float would be cut off silently."""
    from numba import types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic

    @intrinsic
    def checked_action(typingctx: Any, value: Any) -> Any:
        if not isinstance(value, types.Integer):
            raise TypingError(f"choose must return an action number, but it can return {value}")
        source = types.int64 if isinstance(value, types.IntegerLiteral) else value

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.cast(builder, args[0], source, types.int64)

        return types.int64(source), codegen

    return checked_action
