"""Machine code of compiled functions: kept in a file, loaded by LLVM without Numba, called from Python.

Importing Numba takes half a second, which a command that compiles nothing need not wait for. So what Numba has compiled is kept as LLVM's
object code, with the little that a caller has to know, and called by its address under Numba's own calling convention.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kibitz.core.stopping import SYMBOL, Halted

MAGIC = b"kibitz machine code 1"
DESTRUCTOR = "NRT_MemInfo_call_dtor"  # of arrays with an owner: what takes arrays refers to it, but arrays from Python have none
NUMBERS: dict[str, Any] = {"long": ctypes.c_int64, "word": ctypes.c_uint64}
ARRAYS: dict[str, np.dtype[Any]] = {
    "longs": np.dtype(np.int64),
    "ints": np.dtype(np.int32),
    "floats": np.dtype(np.float32),
    "bytes": np.dtype(np.uint8),
}
# What a function returns, by the name of Numba's type.
RESULTS: dict[str, Any] = {
    "none": ctypes.c_void_p,
    "bool": ctypes.c_bool,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float64": ctypes.c_double,
}
_WORDS_OF_ARRAY = 7  # its two owners, its items and their size, its data, its length and stride
_OK, _NOTHING, _RAISED = 0, -2, 1  # what compiled code returns: its result is there, or is None, or it raised an exception


@dataclass(frozen=True)
class Code:
    """A compiled function as it is kept."""

    symbol: str  # its name in the object code
    result: str  # Numba's type of what it returns
    links_to: list[str]  # what it refers to outside of itself, but for the C library
    needs_numba: bool  # whether Numba alone has some of that, such as its memory
    machine_code: bytes


class LoadedCode:
    """A compiled function in memory. `owner` keeps it there."""

    def __init__(self, address: int, result: str, owner: Any) -> None:
        self.address, self.result, self._owner = address, result, owner


# -- from the compiler --


def code_in(compiled: Any) -> Code | None:
    """What Numba has compiled, to keep it; None if it holds addresses of this process."""
    from numba.core import config

    library = compiled.library
    library.get_pointer_to_function(compiled.fndesc.llvm_func_name)  # makes machine code of it
    if library.has_dynamic_globals or library._compiled_object is None:
        return None
    module = library._final_module
    declared = [each.name for each in (*module.functions, *module.global_variables) if each.is_declaration]
    links_to = sorted(name for name in declared if not name.startswith("llvm."))
    needs_numba = not {SYMBOL, DESTRUCTOR}.issuperset(links_to) or bool(config.USING_SVML)
    return Code(compiled.fndesc.llvm_func_name, _result_of(compiled), links_to, needs_numba, library._compiled_object)


def _result_of(compiled: Any) -> str:
    """The name of the type that is returned; of a number that is always the same, the type of that."""
    from numba.core import types

    returned = compiled.signature.return_type
    return str(returned.literal_type if isinstance(returned, types.Literal) else returned)


def loaded_by_numba(compiled: Any) -> LoadedCode:
    """What Numba has compiled, as it lies in memory."""
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return LoadedCode(int(address), _result_of(compiled), compiled)


# -- in a file --


def file_in(folder: Path) -> Path:
    """Where code for this processor is kept in a folder."""
    return folder / f"{_processor()}.code"


@cache
def _processor() -> str:
    """A short name for the processor that Numba compiles for, and for what Numba is told of it."""
    import llvmlite.binding as llvm

    told = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_CPU") or name == "NUMBA_ENABLE_AVX")
    with suppress(RuntimeError):  # of a processor whose features LLVM can't tell
        told.append(("features", llvm.get_host_cpu_features().flatten()))
    described = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {told}"
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def keep(folder: Path, code: Code) -> None:
    """Write code into a folder that this process has for itself; only this user can read it."""
    rest = json.dumps({name: value for name, value in asdict(code).items() if name != "machine_code"}).encode() + b"\n" + code.machine_code
    file = file_in(folder)
    unfinished = file.with_suffix(".new")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as output:
        output.write(b"\n".join([MAGIC, _checksum(rest), rest]))
    os.replace(unfinished, file)


def load(folder: Path) -> LoadedCode | None:
    """The code in a folder that only this user can write to; None if there is none, or if it is damaged."""
    try:
        magic, checksum, rest = file_in(folder).read_bytes().split(b"\n", 2)
        if magic != MAGIC or checksum != _checksum(rest):
            return None
        head, machine_code = rest.split(b"\n", 1)
        return _loaded(Code(machine_code=machine_code, **json.loads(head)))
    except (OSError, ValueError):
        return None


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


@cache
def _prepare_llvm() -> Any:
    """LLVM for this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if llvm.address_of_symbol(DESTRUCTOR) is None:  # Numba puts its own in this place
        llvm.add_symbol(DESTRUCTOR, ctypes.cast(_no_owner, ctypes.c_void_p).value)
    return llvm.Target.from_default_triple()


_no_owner = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda owner: None)  # never called


def _link_numba() -> None:
    """Let compiled code find what Numba offers."""
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    rtsys.initialize(cpu_target.target_context)


def _loaded(code: Code) -> LoadedCode | None:
    """Object code in memory, linked apart from all others: names in it may occur in others too. None if something is missing."""
    import llvmlite.binding as llvm

    target = _prepare_llvm()
    if code.needs_numba:
        _link_numba()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine(opt=0, jit=True))
    if not all(map(llvm.address_of_symbol, code.links_to)):  # LLVM would say nothing and link to address 0
        return None
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
    engine.finalize_object()
    return LoadedCode(engine.get_function_address(code.symbol), code.result, engine)


# -- from Python --


def function_of(code: LoadedCode, kinds: Sequence[str]) -> Callable[..., Any]:
    """Compiled code as a function of Python, for numbers and arrays of these kinds; other threads run meanwhile."""
    words: list[Any] = []
    for kind in kinds:
        words += [NUMBERS[kind]] if kind in NUMBERS else [ctypes.c_void_p] * _WORDS_OF_ARRAY
    address = ctypes.c_void_p
    native = ctypes.CFUNCTYPE(ctypes.c_int32, address, address, *words)(code.address)
    dtypes = [ARRAYS.get(kind) for kind in kinds]
    make_result = RESULTS[code.result]
    at = ctypes.byref

    def call(*arguments: Any) -> Any:
        result, failure = make_result(), address()
        given: list[Any] = []
        for argument, dtype in zip(arguments, dtypes, strict=True):
            if dtype is None:
                given.append(int(argument))
            else:
                given += _words_of(argument, dtype)
        status = native(at(result), at(failure), *given)
        if status == _OK:
            return result.value
        if status == _NOTHING:
            return None
        raise_failure(status, failure.value)

    call.code = code  # type: ignore[attr-defined]  # keeps it in memory
    return call


def _words_of(array: Any, dtype: np.dtype[Any]) -> tuple[int, ...]:
    """An array as compiled code takes it: lent by the caller, so without owners."""
    if array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
        raise TypeError(f"compiled code takes an array of {dtype} in one piece, not {array.ndim} dimensions of {array.dtype}")
    size, width = array.size, dtype.itemsize
    return (0, 0, size, width, array.__array_interface__["data"][0], size, width)


class _Failure(ctypes.Structure):
    """An exception as compiled code reports it: pickled, and how many of its arguments weren't known before."""

    _fields_ = (
        ("pickled", ctypes.c_void_p),
        ("length", ctypes.c_int32),
        ("digest", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("unknown_arguments", ctypes.c_int32),
    )


def raise_failure(status: int, failure: int | None) -> NoReturn:
    """Raise what compiled code reports, with the place in its source."""
    if status < _RAISED or not failure:
        raise SystemError(f"compiled code ended with status {status}")
    told = _Failure.from_address(failure)
    kind, arguments, place = pickle.loads(ctypes.string_at(told.pickled, told.length))
    if kind is Halted:
        raise Halted  # without waiting for Numba
    from numba import _helperlib

    _link_numba()
    # Arguments that weren't known when it was compiled are left out: Numba finds them only for functions it has compiled in this process.
    exception = kind, () if told.unknown_arguments else arguments, place
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(exception))  # the next function takes one away
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(vars(_helperlib)["c_helpers"]["do_raise"])(exception)
    raise SystemError("an exception of compiled code was lost")  # the line above raises
