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
import struct
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kibitz.core.stopping import SYMBOL, Halted

MAGIC = b"kibitz machine code 1"
DESTRUCTOR = "NRT_MemInfo_call_dtor"  # of arrays with an owner: what takes arrays refers to it, but arrays from Python have none
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
_OK, _NOTHING, _RAISED = 0, -2, 1  # what compiled code returns: its result is there, or is None; or, from 1 on, it raised an exception


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
    machine = target.create_target_machine(opt=0, jit=True)
    nothing = llvm.parse_assembly("")
    nothing.triple, nothing.data_layout = machine.triple, str(machine.target_data)  # which say how names are spelt in object code
    engine = llvm.create_mcjit_compiler(nothing, machine)  # from now on LLVM knows the symbols of this process
    if not all(map(llvm.address_of_symbol, code.links_to)):  # LLVM would say nothing and link to address 0
        return None
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
    engine.finalize_object()
    address = engine.get_function_address(code.symbol)
    return LoadedCode(address, code.result, engine) if address else None


# -- from Python --


def layout_of_arguments(kinds: Sequence[str]) -> np.dtype[Any]:
    """The record in which arguments of these kinds are handed over: numbers, and of arrays the address and the length.

    One address is all that a root takes: `ctypes` needs a tenth of a microsecond for each argument.
    """
    fields: list[tuple[str, str]] = []
    for place, kind in enumerate(kinds):
        fields.append((f"f{place}", "u8" if kind == "word" else "i8"))
        if kind in ARRAYS:
            fields.append((f"length{place}", "i8"))
    return np.dtype(fields)


_NATIVE = ctypes.CFUNCTYPE(ctypes.c_int32)  # of three addresses, given as such: of its result, its exception and its arguments


class Root:
    """Compiled code as a function of Python, for numbers and arrays of some kinds; other threads run meanwhile."""

    def __init__(self, code: LoadedCode, kinds: Sequence[str]) -> None:
        self._code, self._kinds = code, tuple(kinds)
        self._native = _NATIVE(code.address)
        self._lenders = [_Lender(ARRAYS[kind]).lend if kind in ARRAYS else None for kind in kinds]
        self._pack = struct.Struct(_letters(kinds)).pack_into
        self._places: list[_Places] = []  # of no call at present

    def __call__(self, *arguments: Any) -> Any:
        """What the code returns; an exception that it raises is raised here."""
        try:
            places = self._places.pop()
        except IndexError:  # other threads have them all
            places = _Places(self._code, self._kinds)
        self._pack(places.arguments, 0, *self._in_words(arguments))
        status = self._native(*places.all)
        result = places.result.value if status == _OK else _ended(status, places)
        self._places.append(places)
        return result

    def bind(self, *first: Any) -> Callable[..., Any]:
        """A function of the rest of the arguments, which are numbers: quicker, but for one thread at a time."""
        rest = self._kinds[len(first) :]
        if any(kind in ARRAYS for kind in rest):
            return partial(self, *first)
        native, places, letters = self._native, _Places(self._code, self._kinds), _letters(self._kinds[: len(first)])
        places.kept = first
        struct.pack_into(letters, places.arguments, 0, *self._in_words(first, len(first)))
        offset, pack = struct.calcsize(letters), struct.Struct(_letters(rest)).pack_into
        block, result, given = places.arguments, places.result, places.all

        def call(*last: Any) -> Any:
            pack(block, offset, *last)
            status = native(*given)
            return result.value if status == _OK else _ended(status, places)

        return call

    def _in_words(self, arguments: Sequence[Any], count: int | None = None) -> Sequence[Any]:
        """Numbers as they are, and arrays as address and length."""
        lenders = self._lenders if count is None else self._lenders[:count]
        if len(arguments) != len(lenders):
            raise TypeError(f"compiled code takes {len(lenders)} arguments, not {len(arguments)}")
        words: list[Any] = []
        for lend, argument in zip(lenders, arguments, strict=True):
            if lend is None:
                words.append(argument)
            else:
                words += lend(argument)
        return words


def bound(kernel: Callable[..., Any], *first: Any) -> Callable[..., Any]:
    """A kernel, compiled or plain, whose first arguments are given, for one thread at a time."""
    return kernel.bind(*first) if isinstance(kernel, Root) else partial(kernel, *first)


def _letters(kinds: Sequence[str]) -> str:
    """How `struct` writes arguments."""
    return "=" + "".join("qq" if kind in ARRAYS else "Q" if kind == "word" else "q" for kind in kinds)


def _ended(status: int, places: _Places) -> Any:
    """What came of a call without a result: None, or an exception."""
    if status != _NOTHING:
        raise_failure(status, places.failure.value)
    return None


class _Places:
    """Where compiled code finds its arguments, and puts its result or an exception."""

    __slots__ = ("all", "arguments", "code", "failure", "kept", "result")

    def __init__(self, code: LoadedCode, kinds: Sequence[str]) -> None:
        self.code = code  # stays in memory as long as it can be called
        self.kept: Any = None
        self.arguments = ctypes.create_string_buffer(struct.calcsize(_letters(kinds)) or 1)
        self.result, self.failure = RESULTS[code.result](), ctypes.c_void_p()
        self.all = tuple(ctypes.c_void_p(ctypes.addressof(each)) for each in (self.result, self.failure, self.arguments))


class _Lender:
    """Arrays of one parameter, as address and length. Most calls give the same one again."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._last: tuple[Any, tuple[int, int]] = (lambda: None, (0, 0))

    def lend(self, array: Any) -> tuple[int, int]:
        """Where an array begins, and how many numbers it has."""
        last, where = self._last
        if array is None or last() is not array:  # one that is gone is None as well
            if not isinstance(array, np.ndarray):
                raise TypeError(f"compiled code takes an array of {self._dtype} in one piece, not {type(array).__name__}")
            if array.dtype != self._dtype or array.ndim != 1 or not array.flags.c_contiguous:
                raise TypeError(f"compiled code takes an array of {self._dtype} in one piece, not {array.ndim} dimensions of {array.dtype}")
            where = array.ctypes.data, array.size
            self._last = weakref.ref(array), where
        return where


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
