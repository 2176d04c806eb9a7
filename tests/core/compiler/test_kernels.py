"""Kernels mean the same to our compiler, to Numba's and to Python."""

from __future__ import annotations

import ast
import itertools
import math
import struct
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from kibitz import registry
from kibitz.core import jit, twins
from kibitz.core.compiler import definitions
from kibitz.core.compiler.compiled_kernels import Compiler
from kibitz.core.compiler.numba_compilers import root_compiler
from kibitz.core.compiler.value_types import RecordType, Unsupported
from kibitz.core.layouts import blank, dtype_of, fields_of, load, store
from tests.core.compiler import kernels

NUMBERS = (-(2**40), -9, -3, -1, 0, 1, 2, 5, 64, 127, 2**33)
LEFT = {"with_powers", "with_two_kinds", "with_floored_floats", "with_word_and_number"}
UNEVEN = {
    "primitives",
    "bits",
    "shift",
    "compare_signed_and_words",
    "divide_words",
    "with_word_and_number",
    "first_when_equal",
}  # plain Python has no words, and no 0 / 0
NO_ZERO = {"divide", "divide_words", "divide_floats"}  # compiled code goes on where Python raises


def compiled(func: FunctionType, quick: bool, *arguments: Any) -> Any:
    """A kernel behind a function that Python can call."""
    twins.register_methods()
    options = twins.helper_options(quick=quick)
    inner = numba.njit(**options)(twins.twin_of(func))
    names = ", ".join(jit.parameter_names(func))
    scope: dict[str, Any] = {"inner": inner, "block_at": jit.record_at(kernels.Block)}
    body = names.replace("block", "block_at(block)") if "block" in names else names
    exec(f"def call({names}):\n    return inner({body})\n", scope)
    outer = numba.njit(pipeline_class=root_compiler(), error_model="numpy")(scope["call"])
    outer.compile((types.int64,) * func.__code__.co_argcount)
    return outer


def kernels_of() -> list[FunctionType]:
    found = [func for func in vars(kernels).values() if isinstance(func, FunctionType) and func.__module__ == kernels.__name__]
    return [func for func in found if jit.parameter_names(func) == ("a", "b")]


@pytest.fixture(autouse=True)
def own_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels of this test are compiled as ours."""
    for func in vars(kernels).values():
        if isinstance(func, FunctionType):
            monkeypatch.setattr(func, "__module__", "kibitz.tests")


def alike(first: Any, second: Any) -> bool:
    """Equal to the last bit, and of the same type."""
    if isinstance(first, tuple):
        return len(first) == len(second) and all(alike(*pair) for pair in zip(first, second, strict=True))
    if isinstance(first, float) and isinstance(second, float):
        return struct.pack("d", first) == struct.pack("d", second) or (math.isnan(first) and math.isnan(second))
    return type(first) is type(second) and first == second


@pytest.mark.parametrize("func", [pytest.param(func, id=func.__name__) for func in kernels_of()])
def test_all_three_agree(func: FunctionType) -> None:
    ours, numbas = compiled(func, True), compiled(func, False)
    left = {key[0].__name__ for key in twins.kernel_compiler().left_to_numba if key[0] is func}
    assert left == {func.__name__} & LEFT
    numbers = [one for one in NUMBERS if func.__name__ != "loops" or abs(one) < 200]
    for a, b in itertools.product(numbers, numbers):
        assert alike(ours(a, b), numbas(a, b)), (a, b)
        if func.__name__ not in UNEVEN and not (func.__name__ in NO_ZERO and b == 0) and abs(a) < 2**20 > abs(b):
            plain = func(a, b)
            assert ours(a, b) == plain or (math.isnan(plain) and math.isnan(ours(a, b))), (a, b)


def test_records_are_read_and_written_alike() -> None:
    func = kernels.fields
    assert isinstance(func, FunctionType)
    ours, numbas = compiled(func, True), compiled(func, False)
    assert not [key for key in twins.kernel_compiler().left_to_numba if key[0] is func]
    for a, b in itertools.product((-3, 0, 1, 2, 7, 100), (-1, 0, 2, 5, 63)):
        blocks = [np.zeros(1, dtype=dtype_of(kernels.Block)) for _ in range(2)]
        results = [call(block.ctypes.data, a, b) for call, block in zip((ours, numbas), blocks, strict=True)]
        assert results[0] == results[1]
        assert blocks[0].tobytes() == blocks[1].tobytes()
        if a >= 0 and b >= 0:
            plain = blank(kernels.Block)
            assert func(plain, a, b) == results[0] or a * 0.1 + b != np.float32(a * 0.1 + b)  # Python has no short floats
            kept = load(kernels.Block, blocks[0].data)
            again = np.zeros(1, dtype=dtype_of(kernels.Block))
            store(kept, again)
            assert again.tobytes() == blocks[0].tobytes()
            assert {
                field.name: getattr(plain, field.name) for field in fields_of(kernels.Block) if field.code in ("i1", "i4", "i8", "u8")
            } == {field.name: getattr(kept, field.name) for field in fields_of(kernels.Block) if field.code in ("i1", "i4", "i8", "u8")}


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_bots_leave_little_to_numba(game: str) -> None:
    """Only what raises, a power and a variable of two kinds; whoever writes a kernel that needs Numba again sees it here."""
    definition, compiler = registry.game(game), Compiler(twins)
    twins.register_methods()
    for name in registry.BUILT_IN[game]:
        bot = registry.built_in_bot(name, game)
        layouts = {**bot._layouts(), "view": dtype_of(definition.view), "event": dtype_of(definition.event)}
        for role in (jit.CHOOSE, jit.BEGIN, jit.OBSERVE):
            func = bot._function(role)
            if func is not None:
                kinds = tuple(RecordType(jit.record_type(layouts[one])) for one in jit.parameter_names(func))
                compiler.compiled(func, kinds)
    assert len(compiler._known) > 100
    assert {key[0].__name__ for key in compiler.left_to_numba} <= {"_stop_here", "most_visited", "largest_group"}


def test_a_file_that_was_changed_is_left_to_numba(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    file.write_text("def half(a):\n    return a // 2\n", encoding="utf-8")
    scope: dict[str, Any] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    definitions._definitions.cache_clear()
    assert isinstance(definitions.definition_of(scope["half"]).body[0], ast.Return)
    file.write_text("def half(a):\n    return a // 3\n", encoding="utf-8")
    definitions._definitions.cache_clear()
    with pytest.raises(Unsupported, match="changed"):
        definitions.definition_of(scope["half"])
    file.unlink()
    definitions._definitions.cache_clear()
    with pytest.raises(Unsupported, match="without a file"):
        definitions.definition_of(scope["half"])
