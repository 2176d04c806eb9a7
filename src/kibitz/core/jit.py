"""Compilation: kernels that Python calls, and bots, compiled by Numba or loaded from disk.

Kernels are plain Python functions. They run as they stand (`--no-jit`, single games, tests), and a compiled root is built from Numba's twin
of a kernel (`kibitz.core.twins`). Both play identical games. Numba is imported only when something is compiled.

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
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from kibitz.core import compiler, intrinsics, notices, primitives, stopping, twins
from kibitz.core.compile_cache import (
    UntrustedCache,
    cache_folder,
    describe_function,
    digest,
    is_kept,
    open_cache,
    private_files,
    why_untrusted,
)
from kibitz.core.compiler.numba_compilers import root_compiler
from kibitz.core.intrinsics import as_action, has_fast_select, record_at, record_type, target_processor  # noqa: F401 - for callers of this module
from kibitz.core.layouts import dtype_of
from kibitz.core.primitives import (  # noqa: F401 - kernels import from here what they are written with
    ALL_BITS,
    ONE,
    Numbers,
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
    prefetch,
    select,
    word,
)
from kibitz.core.stopping import link_flag, stop_point  # noqa: F401 - likewise
from kibitz.core.twins import adapter, attach_methods, helper_options, methods_of, parameter_names, register_methods, twin_of  # noqa: F401 - likewise

_lock = threading.RLock()
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


@cache
def _environment() -> str:
    """What compiled code depends on besides kernels: the compiler, these modules, and what kernels are written with."""
    import llvmlite
    import numba

    files = [Path(file) for file in (__file__, intrinsics.__file__, primitives.__file__, stopping.__file__, twins.__file__)]
    sources = [file.read_bytes() for file in [*files, *sorted(Path(compiler.__path__[0]).glob("*.py"))]]
    return f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]} {sources!r}"


Signature = Sequence[type | np.dtype[Any] | str]


def argument_types(signature: Signature | str) -> tuple[Any, ...]:
    """The Numba types of a root's arguments, as `root_of` describes them; a record is an address. Words may stand in one text."""
    from numba import types

    arrays = {"longs": types.int64, "ints": types.int32, "floats": types.float32, "bytes": types.uint8}
    known = {"long": types.int64, "word": types.uint64, **{name: types.Array(kind, 1, "C") for name, kind in arrays.items()}}
    kinds = signature.split() if isinstance(signature, str) else signature
    return tuple(known[kind] if isinstance(kind, str) else types.int64 for kind in kinds)


def root_of(kernel: Callable[..., Any], signature: Signature, view: type, what: str = "", vectorise: bool = False) -> Any:
    """A kernel as Python calls it, compiled or loaded from disk; other threads run meanwhile.

    The signature has for each parameter the class or the layout of a record, which is handed over as its address, or a word: `long`, `word`,
    and for arrays `longs`, `ints`, `floats`, `bytes`. `view` is the view whose methods the kernel may reach, `what` and `vectorise` as in `build_root`.
    """
    names = parameter_names(kernel)
    layouts = {
        name: kind if isinstance(kind, np.dtype) else dtype_of(kind)
        for name, kind in zip(names, signature, strict=True)
        if not isinstance(kind, str)
    }
    arguments = [f"{name}_at({name})" if name in layouts else name for name in names]
    scope: dict[str, Any] = {"kernel": kernel, **{f"{name}_at": record_at(layout) for name, layout in layouts.items()}}
    root = adapter(names, f"return kernel({', '.join(arguments)})", scope, f"root_{kernel.__name__}")
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
        register_methods()
        name = digest(func, methods_of(view), [_environment(), f"{argument_types}{extra}{vectorise or ''}{sorted(options.items())}"])
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True} if entry else {"no_cfunc_wrapper": True}
        dispatcher = numba.njit(**{"error_model": "numpy", "pipeline_class": root_compiler(), **wrappers, **options})(twin_of(func))
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
        signal.signal(kind, lambda interrupt, frame: held.append(interrupt))
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


def build_entry(
    role: str,
    functions: Mapping[str, FunctionType],
    view: type,
    event: type,
    blocks: dict[str, np.dtype[Any] | None],
    trusted: bool,
    vectorise: bool = False,
    what: str = "",
) -> int:
    """Compile the function of a bot that has this role and return its address.

    `functions` holds all that are still to be compiled, by role: notices say how long they will take together. `blocks` gives the layout of
    memory, params and scratch. The function may take any of them, and `view` and `event`, by name. Code that is not ours is compiled with
    bounds checks, so that it cannot read past its view. `vectorise` and `what` as in `build_root`.
    """
    from numba import types

    func = functions[role]
    wanted = parameter_names(func)
    given = ["view", "event", *blocks] if role == OBSERVE else ["view", *blocks]
    arguments = [name if name in ("view", "event") else f"{name}_at({name})" for name in wanted]
    call = f"func({', '.join(arguments)})"
    body = f"return as_action({call})" if role == CHOOSE else f"{call}; return 0"
    entry = adapter(given, body, {f"{name}_at": record_at(dtype) for name, dtype in blocks.items() if dtype is not None}, "entry")
    with _lock:
        import numba

        # Set aside from kernels shared with the engine: other options.
        options: dict[str, Any] = {"error_model": "python", "boundscheck": not trusted}
        inner = numba.njit(**{**helper_options(trusted), **options, "forceinline": True})(twin_of(func))
        entry.__globals__["func"] = inner
        entry.__globals__["as_action"] = as_action()
        extra = [role, body, str(blocks), str(trusted), *describe_function(func)]
    argument_types = (record_type(dtype_of(view)), *([record_type(dtype_of(event))] if role == OBSERVE else []), *[types.int64] * 3)
    kernels = [func, *(other for other in functions.values() if other is not func)]
    dispatcher = build_root(entry, argument_types, view, "\n".join(extra), True, vectorise, what, kernels, **options)
    return address_of(dispatcher, argument_types)


def returned_types(func: FunctionType, view: type, blocks: dict[str, np.dtype[Any] | None]) -> list[tuple[int, str]]:
    """The line and the type of everything that a bot's `choose` returns, in the order of the lines: for messages."""
    import numba

    layouts = {**blocks, "view": dtype_of(view)}
    argument_types = tuple(record_type(layouts[name]) for name in parameter_names(func))
    with _lock:
        dispatcher = numba.njit(**helper_options(quick=False))(twin_of(func))
        _compile(dispatcher, argument_types, vectorise=False)
    annotation = dispatcher.overloads[argument_types].type_annotation
    statements = [statement for block in annotation.blocks.values() for statement in block.body]
    answers = [statement for statement in statements if getattr(getattr(statement, "value", None), "op", "") == "cast"]
    return sorted((answer.loc.line, str(annotation.typemap[answer.value.value.name])) for answer in answers)
