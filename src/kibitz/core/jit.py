"""Compilation: kernels that Python calls, and bots, compiled by Numba or loaded from disk.

Kernels are plain Python functions. They run as they stand (`--no-jit`, single games, tests), and a compiled root is built from Numba's twin
of a kernel (`kibitz.core.twins`). Both play identical games. Numba is imported only when something is compiled; what was compiled
before is loaded without it (`kibitz.core.machine_code`).

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
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import compiler, intrinsics, machine_code, notices, primitives, stopping, twins
from kibitz.core.compile_cache import (
    UntrustedCache,
    cache_folder,
    digest,
    is_kept,
    open_cache,
    why_untrusted,
)
from kibitz.core.compiler.numba_compilers import root_compiler
from kibitz.core.intrinsics import array_at, as_action, has_fast_select, record_at, record_type, target_processor  # noqa: F401 - for callers of this module
from kibitz.core.layouts import dtype_of
from kibitz.core.machine_code import LoadedCode
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
    files = [
        Path(file)
        for file in (__file__, intrinsics.__file__, machine_code.__file__, primitives.__file__, stopping.__file__, twins.__file__)
    ]
    sources = [file.read_bytes() for file in [*files, *sorted(Path(compiler.__path__[0]).glob("*.py"))]]
    return f"{version('numba')} {version('llvmlite')} {sys.version_info[:2]} {sources!r}"


Signature = Sequence[type | np.dtype[Any] | str]


def root_of(
    kernel: Any, signature: Signature | str, view: type, what: str = "", vectorise: bool = False, extra: str = ""
) -> Callable[..., Any]:
    """A kernel as Python calls it, compiled or loaded from disk; other threads run meanwhile.

    The signature has for each parameter the class or the layout of a record, which is handed over as its address, or a word: `long`, `word`,
    and for arrays `longs`, `ints`, `floats`, `bytes`; words may stand in one text. `view` is the view whose methods the kernel may reach;
    `vectorise` is for kernels with loops over many numbers; `what` names it for users who wait, and `extra` says what the kernel doesn't show.
    """
    named = dict(zip(parameter_names(kernel), signature.split() if isinstance(signature, str) else signature, strict=True))
    layouts = {name: kind if isinstance(kind, np.dtype) else dtype_of(kind) for name, kind in named.items() if not isinstance(kind, str)}
    kinds = [kind if isinstance(kind, str) else "long" for kind in named.values()]
    block = machine_code.layout_of_arguments(kinds)

    def adapted() -> FunctionType:
        scope: dict[str, Any] = {"kernel": kernel, "block_at": record_at(block)}
        arguments = []
        for place, (name, kind) in enumerate(zip(named, kinds, strict=True)):
            if name in layouts:
                scope[f"{name}_at"] = record_at(layouts[name])
                arguments.append(f"{name}_at(block.f{place})")
            elif kind in machine_code.ARRAYS:
                scope[f"{kind}_at"] = array_at(machine_code.ARRAYS[kind])
                arguments.append(f"{kind}_at(block.f{place}, block.length{place})")
            else:
                arguments.append(f"block.f{place}")
        return adapter(
            ["block_at_address"],
            f"block = block_at(block_at_address); return kernel({', '.join(arguments)})",
            scope,
            f"root_{kernel.__name__}",
        )

    def argument_types() -> tuple[Any, ...]:
        from numba import types

        return (types.int64,)

    options = {"error_model": "numpy", "nogil": True}
    wanted = _Wanted(kernel, view, f"root {kinds} {layouts} {extra}", what, [kernel], vectorise, options)
    return machine_code.Root(_code_of(wanted, adapted, argument_types), kinds)


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


class _Wanted(NamedTuple):
    """What is to be compiled: a function, and what else decides on its machine code."""

    func: Any  # a plain function
    view: type
    extra: str
    what: str  # in words, for users who wait
    kernels: Sequence[FunctionType]  # what the wait is for
    vectorise: bool
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """The name under which it is kept."""
        options = f"{self.vectorise} {sorted(self.options.items())}"
        return digest(self.func, methods_of(self.view), [_environment(), self.extra, options])


def _code_of(wanted: _Wanted, adapted: Callable[[], FunctionType], argument_types: Callable[[], tuple[Any, ...]]) -> LoadedCode:
    """Load a function from disk, or compile it and keep it there. Numba is imported only in the second case."""
    link_flag()
    with _lock:
        name = wanted.name
    with ExitStack() as cache_in_use:
        if not is_kept(name):
            cache_in_use.enter_context(notices.compiling(wanted.what or wanted.func.__name__, wanted.kernels))
            _compile_elsewhere()
        folder = None
        try:
            folder = cache_in_use.enter_context(open_cache(name))  # without the lock: another process may compile this for long
        except UntrustedCache as problem:
            _announce_untrusted(str(problem))
        code = folder and machine_code.load(folder)
        if not code:
            with _lock:
                compiled = _compiled(wanted, adapted, argument_types)
                code = machine_code.loaded_by_numba(compiled)
            if folder and (kept := machine_code.code_in(compiled)):
                with suppress(OSError):  # a full disk: it is compiled again next time
                    machine_code.keep(folder, kept)
        _keep_alive.append(code)
    return code


def _compiled(wanted: _Wanted, adapted: Callable[[], FunctionType], argument_types: Callable[[], tuple[Any, ...]]) -> Any:
    """What Numba makes of a function."""
    import numba

    _name_apart()
    _import_array_functions()
    register_methods()
    # No wrappers, which only callers of Numba need.
    options = {"pipeline_class": root_compiler(), "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **wanted.options}
    dispatcher = numba.njit(**options)(twin_of(adapted()))
    types = argument_types()
    _compile(dispatcher, types, wanted.vectorise)
    return dispatcher.overloads[types]


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
    bounds checks, so that it cannot read past its view. `vectorise` and `what` as in `root_of`.
    """
    func = functions[role]
    wanted = parameter_names(func)
    given = ["view", "event", *blocks] if role == OBSERVE else ["view", *blocks]
    arguments = [name if name in ("view", "event") else f"{name}_at({name})" for name in wanted]
    call = f"func({', '.join(arguments)})"
    body = f"return as_action({call})" if role == CHOOSE else f"{call}; return 0"
    # Set aside from kernels shared with the engine: other options.
    options: dict[str, Any] = {"error_model": "python", "boundscheck": not trusted}

    def adapted() -> FunctionType:
        import numba

        entry = adapter(given, body, {f"{name}_at": record_at(dtype) for name, dtype in blocks.items() if dtype is not None}, "entry")
        entry.__globals__["func"] = numba.njit(**{**helper_options(trusted), **options, "forceinline": True})(twin_of(func))
        entry.__globals__["as_action"] = as_action()
        return entry

    def argument_types() -> tuple[Any, ...]:
        from numba import types

        return (record_type(dtype_of(view)), *([record_type(dtype_of(event))] if role == OBSERVE else []), *[types.int64] * 3)

    extra = "\n".join(["entry", role, body, str(dtype_of(view)), str(dtype_of(event)), str(blocks), str(trusted)])
    kernels = [func, *(other for other in functions.values() if other is not func)]
    return _code_of(_Wanted(func, view, extra, what, kernels, vectorise, options), adapted, argument_types).address


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
