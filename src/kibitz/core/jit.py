"""Compilation: the only module that imports Numba, and it does so only when something is compiled.

Kernels are plain Python functions. They run as they stand (`--no-jit`, single games, tests), and `compiled` builds a
Numba twin of a kernel and of every kernel it reaches: the same code object with globals translated (a `Word` becomes a
uint64, a `Words` table an array, a function its own twin). Both twins therefore play identical games.

A bot is compiled on its own and called by address, so a new bot never recompiles the engine. The address call relies on
Numba's calling convention, which is why the supported Numba versions are pinned in pyproject.toml.

Compiled roots are kept on disk in a folder named by a digest of everything they reach (code, constants, record layouts,
view methods, Numba's version), so an edit anywhere leads to a new folder and a stale file is never loaded.
"""

from __future__ import annotations

import importlib.util
import itertools
import logging
import os
import secrets
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache, partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import compiler, notices, primitives, stopping
from kibitz.core.compile_cache import (
    UntrustedCache,
    cache_folder,
    describe_function,
    digest,
    global_names,
    is_kept,
    open_cache,
    private_files,
    why_untrusted,
)
from kibitz.core.compiler.calls import Meaning, select_bit
from kibitz.core.compiler.kinds import INT, Record, Unsupported, Value
from kibitz.core.compiler.numba_compilers import helper_compiler, quick_compiler, root_compiler
from kibitz.core.compiler.units import Compiler
from kibitz.core.layouts import dtype_of
from kibitz.core.primitives import (  # noqa: F401 - kernels import from here what they are written with
    ALL_BITS,
    BASES,
    ELEMENTS,
    ONE,
    Table,
    Word,
    Words,
    as_base,
    call_begin,
    call_choose,
    call_observe,
    clear_memory,
    clock,
    compiled_as_element,
    element_of,
    folded_product,
    high_product,
    inline,
    is_present,
    lowest,
    number,
    popcount,
    select,
    word,
)
from kibitz.core.stopping import compiled_stop_point, link_flag, stop_point, stoppable

# -- translation --

_lock = threading.RLock()
_methods: dict[str, dict[type, FunctionType]] = {}
_templates: dict[tuple[str, type], Any] = {}  # Numba's, by method and record class
_dispatchers: dict[FunctionType, Any] = {}
_rebuilt: dict[FunctionType, FunctionType] = {}
_kernels: dict[FunctionType, FunctionType] = {}  # the other way round
_method_finder: list[Any] = []
_keep_alive: list[Any] = []


def specialise_modules(*modules: ModuleType, **bindings: Any) -> dict[str, Any]:
    """The names of some modules with a few bound anew, in all functions of these modules.

    This is how one loop serves every game, and how an engine is made again with a constant changed.
    """
    scope = {name: value for module in modules for name, value in vars(module).items()} | bindings
    for module in modules:
        for name, func in vars(module).items():
            if isinstance(func, FunctionType) and func.__module__ == module.__name__ and name not in bindings:
                scope[name] = FunctionType(func.__code__, scope, func.__name__, func.__defaults__, func.__closure__)
                scope[name].__dict__.update(func.__dict__)
    return scope


def attach_methods(cls: type) -> None:
    """Give the compiled form of a record class the public methods of the class, inherited ones included."""
    for base in reversed(cls.__mro__):
        for name, func in vars(base).items():
            if isinstance(func, FunctionType) and not name.startswith("_"):
                _methods.setdefault(name, {})[cls] = func


def _methods_of(cls: type) -> dict[str, dict[type, FunctionType]]:
    """The methods of one record class."""
    return {name: {cls: by_class[cls]} for name, by_class in _methods.items() if cls in by_class}


def _register_methods() -> None:
    """Tell Numba of the methods of views, for those record types alone: other records may have fields of the same name."""
    from numba import types
    from numba.core.registry import cpu_target
    from numba.core.typing.templates import AttributeTemplate, make_overload_method_template
    from numba.extending import overload

    for name, by_class in _methods.items():
        for cls, func in by_class.items():
            if (name, cls) in _templates:
                continue
            # Numba matches the resolver's parameters by name, so it gets those of the method.
            names = parameter_names(func)
            resolver = _adapter(names, f"return find({names[0]})", {"find": lambda receiver, method=func: _rebuild(method)}, "resolve")
            options = {"jit_options": _helper_options(), "strict": True}
            made = make_overload_method_template(types.Record, name, resolver, inline="never", prefer_literal=False, **options)
            _templates[name, cls] = made
            overload(resolver, **options)(resolver)
    if _method_finder:
        return

    class Methods(AttributeTemplate):  # type: ignore[misc]  # Numba is untyped; one for all records: Numba would not notice a second one of a game loaded later
        key = types.Record

        def _resolve(self, receiver: Any, attribute: str) -> Any:
            for cls in _methods.get(attribute, ()):
                if receiver == record_type(dtype_of(cls)):
                    return _templates[attribute, cls](self.context)._resolve(receiver, attribute)
            return None

    # Before Numba's own template for records, which knows fields alone and gives up on any other name.
    context = cpu_target.typing_context
    context.refresh()
    context._attributes[types.Record].insert(0, Methods(context))
    _method_finder.append(Methods)


def _translate(value: Any) -> Any:
    if isinstance(value, Word):
        return np.uint64(value)
    if isinstance(value, Words):
        return np.array(value, dtype=np.uint64)
    if isinstance(value, Table):
        return np.array(value, dtype=np.int64)
    if isinstance(value, FunctionType):
        if value in BASES:
            return record_at(BASES[value])
        if value in ELEMENTS:
            cls, field, element = ELEMENTS[value]
            return _element_at(dtype_of(cls).fields[field][1], dtype_of(element))  # type: ignore[index]  # a structured dtype has fields
        return _intrinsics().get(value) or _dispatcher(value)
    return value


def _rebuild(func: FunctionType) -> FunctionType:
    if func not in _rebuilt:
        scope = {name: _translate(func.__globals__[name]) for name in global_names(func.__code__) if name in func.__globals__}
        scope["__builtins__"] = __builtins__
        scope["__name__"] = __name__
        twin = FunctionType(func.__code__, scope, func.__name__, func.__defaults__, func.__closure__)
        twin.__qualname__ = func.__qualname__
        twin.__module__ = __name__  # kept compiled code names the module, which any process must be able to import
        _rebuilt[func] = twin
        _kernels[twin] = func
    return _rebuilt[func]


def _helper_options(ours: bool = True, quick: bool = True) -> dict[str, Any]:
    """How kernels that only other kernels call are compiled; those of a user's bot (not `ours`) can be stopped in any loop."""
    pipeline = stoppable(helper_compiler()) if not ours else quick_compiler(_compiler()) if quick else helper_compiler()
    return {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": pipeline}


def _dispatcher(func: FunctionType) -> Any:
    import numba

    if func not in _dispatchers:
        ours = (func.__module__ or "").partition(".")[0] == "kibitz"
        _dispatchers[func] = numba.njit(**_helper_options(ours), forceinline=hasattr(func, "kibitz_inline"))(_rebuild(func))
    return _dispatchers[func]


# -- what the compiler of kernels asks --


@cache
def _compiler() -> Compiler:
    return Compiler(sys.modules[__name__])


def kernel_of(twin: FunctionType) -> FunctionType | None:
    """The kernel that a twin made for Numba was made from."""
    return _kernels.get(twin)


def compiled_by_numba(func: FunctionType, arguments: tuple[Any, ...]) -> Any:
    """Numba's result for a kernel."""
    dispatcher = _dispatcher(func)
    dispatcher.compile(arguments)
    return dispatcher.overloads[arguments]


def method_of(record: Any, name: str) -> FunctionType | None:
    """The method of a record, by its Numba type; None if it has none of that name."""
    return next((func for cls, func in _methods.get(name, {}).items() if record_type(dtype_of(cls)) == record), None)


def special_meaning(func: FunctionType) -> Meaning | None:
    """The compiled meaning of a kernel that is more than its source."""
    if func in BASES:
        return partial(_shown_as, record_type(dtype_of(BASES[func])))
    if func in ELEMENTS:
        cls, field, element = ELEMENTS[func]
        return partial(_element_of, dtype_of(cls).fields[field][1], dtype_of(element))  # type: ignore[index]  # a structured dtype has fields
    if func is select and has_fast_select():
        return select_bit
    return _stopped if func is stop_point else None


def _shown_as(target: Any, body: Any, arguments: list[Value]) -> Value:
    [source] = arguments
    if not isinstance(source.kind, Record):
        raise Unsupported("an address")
    return Value(Record(target), source.text)


def _element_of(offset: int, dtype: np.dtype[Any], body: Any, arguments: list[Value]) -> Value:
    record, place = arguments
    if not isinstance(record.kind, Record) or place.kind is not INT:
        raise Unsupported("an element of something else than a record")
    further = body.put(f"mul i64 {place.text}, {dtype.itemsize}")
    pointer = body.put(f"getelementptr i8, ptr {body.offset(record.text, offset)}, i64 {further}")
    return Value(Record(record_type(dtype)), pointer)


def _stopped(body: Any, arguments: list[Value]) -> Value:
    """Raises an exception, which only Numba can."""
    if body.func is _stop_here:
        raise Unsupported("an exception")
    stopped: Value = body.call_kernel(_stop_here, arguments)
    return stopped


def _stop_here() -> None:
    stop_point()


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

    return read


@cache
def _element_at(offset: int, dtype: np.dtype[Any]) -> Any:
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
def _intrinsics() -> dict[Callable[..., Any], Any]:
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
def _environment() -> str:
    """What compiled code depends on besides kernels: the compiler, this module, and what kernels are written with."""
    import llvmlite
    import numba

    files = [Path(file) for file in (__file__, primitives.__file__, stopping.__file__)]
    sources = [file.read_bytes() for file in [*files, *sorted(Path(compiler.__path__[0]).glob("*.py"))]]
    return f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]} {sources!r}"


Signature = Sequence[type | np.dtype[Any] | str]


def argument_types(signature: Signature | str) -> tuple[Any, ...]:
    """The Numba types of a root's arguments, as `root_of` describes them; a record is an address. Words may stand in one text."""
    from numba import types

    arrays = {"longs": types.int64, "ints": types.int32, "floats": types.float32}
    known = {"long": types.int64, "word": types.uint64, **{name: types.Array(kind, 1, "C") for name, kind in arrays.items()}}
    kinds = signature.split() if isinstance(signature, str) else signature
    return tuple(known[kind] if isinstance(kind, str) else types.int64 for kind in kinds)


def _adapter(parameters: Sequence[str], body: str, scope: dict[str, Any], name: str = "adapter") -> FunctionType:
    """A function of these parameters whose body is one line over them and `scope`."""
    source = f"def {name}({', '.join(parameters)}):\n    {body}\n"
    exec(compile(source, __file__, "exec"), scope)  # a file that exists, so that Numba agrees to keep the result
    made: FunctionType = scope[name]
    return made


def root_of(kernel: Callable[..., Any], signature: Signature, view: type, what: str = "", vectorise: bool = False) -> Any:
    """A kernel as Python calls it, compiled or loaded from disk; other threads run meanwhile.

    The signature has for each parameter the class or the layout of a record, which is handed over as its address, or a word: `long`, `word`,
    and for arrays `longs`, `ints`, `floats`. `view` is the view whose methods the kernel may reach, `what` and `vectorise` as in `build_root`.
    """
    names = parameter_names(kernel)
    layouts = {
        name: kind if isinstance(kind, np.dtype) else dtype_of(kind)
        for name, kind in zip(names, signature, strict=True)
        if not isinstance(kind, str)
    }
    arguments = [f"{name}_at({name})" if name in layouts else name for name in names]
    scope: dict[str, Any] = {"kernel": kernel, **{f"{name}_at": record_at(layout) for name, layout in layouts.items()}}
    root = _adapter(names, f"return kernel({', '.join(arguments)})", scope, f"root_{kernel.__name__}")
    extra = " ".join(map(str, layouts.values()))
    return build_root(root, argument_types(signature), view, extra, vectorise=vectorise, what=what or kernel.__name__, nogil=True)


def _silent(message: str) -> None:
    """Nobody is told, unless the command line takes this function's place."""


announce: Callable[[str], None] = _silent


def is_silent() -> bool:
    """Whether nobody is told of anything, as when this package is imported as a library."""
    return announce is _silent


_announced: set[str] = set()


def _announce_untrusted(problem: str) -> None:
    if "untrusted" not in _announced:
        _announced.add("untrusted")
        (logging.getLogger("kibitz").warning if is_silent() else announce)(problem)


@cache
def _name_apart() -> None:
    """Give what this process compiles names that no other process gives.

    Numba names compiled helpers by a counter that starts at 1 in every process. LLVM keeps the first of two helpers with one name, so code
    kept by two processes and loaded by a third would call the wrong helpers. The counter starts at a random number instead.
    """
    from numba.core.bytecode import FunctionIdentity

    def start() -> None:
        FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))

    start()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=start)


@cache
def _import_array_functions() -> None:
    """Import Numba's array functions without loading SciPy's linear algebra, a fifth of a second that nothing here needs.

    Numba only wants to know whether it is there; code that uses it loads it then.
    """
    import numba.np.linalg as linear_algebra

    def is_installed() -> None:
        if importlib.util.find_spec("scipy") is None:
            raise ImportError("scipy is not installed")

    real = linear_algebra.ensure_blas
    linear_algebra.ensure_blas = is_installed
    try:
        import numba.np.arraymath  # noqa: F401 - imported for its effect
    finally:
        linear_algebra.ensure_blas = real


def build_root(
    func: FunctionType,
    argument_types: tuple[Any, ...],
    view: type,
    extra: str = "",
    entry: bool = False,
    vectorise: bool = False,
    what: str = "",
    kernels: Sequence[FunctionType] = (),
    **options: Any,
) -> Any:
    """Compile a kernel that Python (or, with `entry`, an address) calls, or load it from disk; its dispatcher.

    `entry` leaves out the wrappers that only callers from Python need; `vectorise` is for kernels with loops over many numbers;
    `what` names it for users who wait, and `kernels`, if there is more than this one, says what the wait is for.
    """
    import numba

    _name_apart()
    link_flag()
    _import_array_functions()
    with _lock:
        _register_methods()
        name = digest(func, _methods_of(view), [_environment(), f"{argument_types}{extra}{vectorise or ''}{sorted(options.items())}"])
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True} if entry else {"no_cfunc_wrapper": True}
        dispatcher = numba.njit(**{"error_model": "numpy", "pipeline_class": root_compiler(), **wrappers, **options})(_rebuild(func))
    with ExitStack() as cache_in_use:
        if not is_kept(name):
            cache_in_use.enter_context(notices.compiling(what or func.__name__, kernels or [func]))
            _compile_elsewhere()
        folder = None
        try:
            folder = cache_in_use.enter_context(open_cache(name))  # without the lock: another process may compile this for long
        except UntrustedCache as problem:
            _announce_untrusted(str(problem))
        with _lock, nullcontext() if folder is None else _kept_in(folder, dispatcher):
            _compile(dispatcher, argument_types, vectorise)
            _keep_alive.append(dispatcher)
    return dispatcher


@contextmanager
def _kept_in(folder: Path, dispatcher: Any) -> Iterator[None]:
    """What is compiled in the block is loaded from this folder, or kept there."""
    from numba.core import config

    previous, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        with suppress(OSError, RuntimeError):  # such as code without a file, which Numba does not keep
            dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = previous
    with private_files():
        yield


_elsewhere = threading.local()


@contextmanager
def compiling_elsewhere(compile_there: Callable[[], None]) -> Iterator[None]:
    """What this thread would have to compile in the block is compiled by `compile_there` first, and then loaded from the cache.

    For a server: a process of its own compiles while this one goes on answering, and two of them compile at once.
    """
    previous, _elsewhere.compile = getattr(_elsewhere, "compile", None), compile_there
    try:
        yield
    finally:
        _elsewhere.compile = previous


def _compile_elsewhere() -> None:
    """Once for each block: what is still missing after that is compiled here. Nothing is, if it could not be loaded afterwards."""
    compile_there = getattr(_elsewhere, "compile", None)
    if compile_there is not None and not (cache_folder().exists() and why_untrusted(cache_folder())):
        _elsewhere.compile = None
        compile_there()


def _compile(dispatcher: Any, argument_types: tuple[Any, ...], vectorise: bool) -> None:
    """Compile a root. Vectorising the short loops of a card game costs compile time and speed alike."""
    from numba.core import config
    from numba.core.errors import NumbaWarning

    previous = config.LOOP_VECTORIZE
    config.LOOP_VECTORIZE = int(vectorise)
    try:
        with _interrupts_held(), warnings.catch_warnings():
            # Such as that a state with fields added at the end is handed to a kernel that was compiled for the shorter one.
            warnings.simplefilter("ignore", NumbaWarning)
            dispatcher.compile(argument_types)
    finally:
        config.LOOP_VECTORIZE = previous


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back what interrupts, such as Ctrl-C, until the end of the block: LLVM calls back into Python, where an exception would be lost."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    stopping.compiling = True
    interrupts = [kind for kind in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(kind) is signal.default_int_handler]
    for kind in interrupts:
        signal.signal(kind, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        stopping.compiling = False
        for kind in interrupts:
            signal.signal(kind, signal.default_int_handler)
    if held:
        raise KeyboardInterrupt


def address_of(dispatcher: Any, argument_types: tuple[Any, ...]) -> int:
    """The address of a compiled root under Numba's own calling convention."""
    compiled = dispatcher.overloads[argument_types]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


# -- bots: one small root each --

CHOOSE, BEGIN, OBSERVE = "choose", "begin", "observe"


def parameter_names(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    assert isinstance(func, FunctionType)
    return func.__code__.co_varnames[: func.__code__.co_argcount]


def build_entry(
    func: FunctionType,
    role: str,
    view: type,
    event: type,
    blocks: dict[str, np.dtype[Any] | None],
    trusted: bool,
    vectorise: bool = False,
    what: str = "",
    then: Sequence[FunctionType] = (),
) -> int:
    """Compile one function of a bot and return its address.

    `blocks` gives the layout of memory, params and scratch. The function may take any of them, and `view` and `event`,
    by name. Code that is not ours is compiled with bounds checks, so that it cannot read past its view. `vectorise` and
    `what` as in `build_root`; `then` are the bot's functions that will be compiled next.
    """
    from numba import types

    wanted = parameter_names(func)
    given = ["view", "event", *blocks] if role == OBSERVE else ["view", *blocks]
    arguments = [name if name in ("view", "event") else f"{name}_at({name})" for name in wanted]
    call = f"func({', '.join(arguments)})"
    body = f"return as_action({call})" if role == CHOOSE else f"{call}; return 0"
    entry = _adapter(given, body, {f"{name}_at": record_at(dtype) for name, dtype in blocks.items() if dtype is not None}, "entry")
    with _lock:
        import numba

        # Set aside from kernels shared with the engine: other options.
        options: dict[str, Any] = {"error_model": "python", "boundscheck": not trusted}
        inner = numba.njit(**{**_helper_options(trusted), **options, "forceinline": True})(_rebuild(func))
        entry.__globals__["func"] = inner
        entry.__globals__["as_action"] = _as_action()
        extra = [role, body, str(blocks), str(trusted), *describe_function(func)]
    argument_types = (record_type(dtype_of(view)), *([record_type(dtype_of(event))] if role == OBSERVE else []), *[types.int64] * 3)
    kernels = [func, *then]
    dispatcher = build_root(entry, argument_types, view, "\n".join(extra), True, vectorise, what, kernels, **options)
    return address_of(dispatcher, argument_types)


@cache
def _as_action() -> Any:
    """An intrinsic that accepts only whole numbers as a bot's answer: a float would be cut off silently."""
    from numba import types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic

    @intrinsic
    def as_action(typingctx: Any, value: Any) -> Any:
        if not isinstance(value, types.Integer):
            raise TypingError(f"choose must return an action number, but it can return {value}")
        source = types.int64 if isinstance(value, types.IntegerLiteral) else value

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return context.cast(builder, args[0], source, types.int64)

        return types.int64(source), codegen

    return as_action


def returned_types(func: FunctionType, view: type, blocks: dict[str, np.dtype[Any] | None]) -> list[tuple[int, str]]:
    """The line and the type of everything that a bot's `choose` returns, in the order of the lines: for messages."""
    import numba

    layouts = {**blocks, "view": dtype_of(view)}
    argument_types = tuple(record_type(layouts[name]) for name in parameter_names(func))
    with _lock:
        dispatcher = numba.njit(**_helper_options(quick=False))(_rebuild(func))
        _compile(dispatcher, argument_types, vectorise=False)
    annotation = dispatcher.overloads[argument_types].type_annotation
    statements = [statement for block in annotation.blocks.values() for statement in block.body]
    answers = [statement for statement in statements if getattr(getattr(statement, "value", None), "op", "") == "cast"]
    return sorted((answer.loc.line, str(annotation.typemap[answer.value.value.name])) for answer in answers)
