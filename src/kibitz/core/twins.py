"""Twins: a kernel as Numba compiles it, the same code object with its globals translated.

A `Word` becomes a uint64, a table of `Words` an array, a function its own twin, a record gets the methods of its class. `jit` compiles
twins that Python calls; `kibitz.core.compiler` compiles those that only other kernels call, and asks here what a name means.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from kibitz.core.compile_cache import global_names
from kibitz.core.compiler.calls import Meaning, select_bit
from kibitz.core.compiler.compiled_kernels import Compiler
from kibitz.core.compiler.definitions import written
from kibitz.core.compiler.numba_compilers import helper_compiler, quick_compiler
from kibitz.core.compiler.value_types import INT, RecordType, Unsupported, Value
from kibitz.core.intrinsics import element_at, has_fast_select, intrinsics, record_at, record_type
from kibitz.core.layouts import dtype_of, fields_of
from kibitz.core.primitives import BASES, ELEMENTS, Numbers, Word, Words, select
from kibitz.core.stopping import stop_point, stoppable

_methods: dict[str, dict[type, FunctionType]] = {}
_templates: dict[tuple[str, type], Any] = {}  # Numba's, by method and record class
_dispatchers: dict[FunctionType, Any] = {}
_twins: dict[FunctionType, FunctionType] = {}
_kernels: dict[FunctionType, FunctionType] = {}  # the other way round
_method_finder: list[Any] = []


def parameter_names(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    assert isinstance(func, FunctionType)
    return func.__code__.co_varnames[: func.__code__.co_argcount]


def adapter(parameters: Sequence[str], body: str, scope: dict[str, Any], name: str = "adapter") -> FunctionType:
    """A function of these parameters whose body is one line over them and `scope`."""
    source = f"def {name}({', '.join(parameters)}):\n    {body}\n"
    exec(compile(source, __file__, "exec"), scope)  # a file that exists, so that Numba agrees to keep the result
    made: FunctionType = scope[name]
    return made


def numbers_copier(cls: type, without: Collection[str] = ()) -> Callable[[Any, Any], None]:
    """A kernel that copies the single numbers of a record, all but those `without`, from its first argument to its second."""
    kind: Any = cls
    names = [field.name for field in fields_of(kind) if not field.length and field.name not in without]
    body = "; ".join(f"target.{name} = source.{name}" for name in names)
    copier = adapter(("source", "target"), body, {"__name__": __name__}, f"copy_numbers_of_{cls.__name__}")
    (definition,) = ast.parse(f"def {copier.__name__}(source, target):\n    {body}\n").body
    assert isinstance(definition, ast.FunctionDef)
    written[copier.__code__] = definition
    return copier


def attach_methods(cls: type) -> None:
    """Give the compiled form of a record class the public methods of the class, inherited ones included."""
    for base in reversed(cls.__mro__):
        for name, func in vars(base).items():
            if isinstance(func, FunctionType) and not name.startswith("_"):
                _methods.setdefault(name, {})[cls] = func


def methods_of(cls: type) -> dict[str, dict[type, FunctionType]]:
    """The methods of one record class."""
    return {name: {cls: by_class[cls]} for name, by_class in _methods.items() if cls in by_class}


def register_methods() -> None:
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
            resolver = adapter(names, f"return find({names[0]})", {"find": lambda receiver, method=func: twin_of(method)}, "resolve")
            options = {"jit_options": helper_options(), "strict": True}
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
    if isinstance(value, Numbers):
        return np.array(value, dtype=np.int64)
    if isinstance(value, FunctionType):
        if value in BASES:
            return record_at(BASES[value])
        if value in ELEMENTS:
            cls, field, element = ELEMENTS[value]
            return element_at(dtype_of(cls).fields[field][1], dtype_of(element))  # type: ignore[index]  # a structured dtype has fields
        return intrinsics().get(value) or _dispatcher(value)
    return value


def twin_of(func: FunctionType) -> FunctionType:
    """A kernel with its globals translated, made once."""
    if func not in _twins:
        scope = {name: _translate(func.__globals__[name]) for name in global_names(func.__code__) if name in func.__globals__}
        scope["__builtins__"] = __builtins__
        scope["__name__"] = __name__
        twin = FunctionType(func.__code__, scope, func.__name__, func.__defaults__, func.__closure__)
        twin.__qualname__ = func.__qualname__
        twin.__module__ = __name__  # kept compiled code names the module, which any process must be able to import
        _twins[func] = twin
        _kernels[twin] = func
    return _twins[func]


def helper_options(ours: bool = True, quick: bool = True) -> dict[str, Any]:
    """How kernels that only other kernels call are compiled; those of a user's bot (not `ours`) can be stopped in any loop."""
    pipeline = stoppable(helper_compiler()) if not ours else quick_compiler(kernel_compiler()) if quick else helper_compiler()
    return {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": pipeline}


def _dispatcher(func: FunctionType) -> Any:
    import numba

    if func not in _dispatchers:
        ours = (func.__module__ or "").partition(".")[0] == "kibitz"
        _dispatchers[func] = numba.njit(**helper_options(ours), forceinline=hasattr(func, "kibitz_inline"))(twin_of(func))
    return _dispatchers[func]


# -- what the compiler of kernels asks --


@cache
def kernel_compiler() -> Compiler:
    """The quick compiler, which asks this module."""
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
    if not isinstance(source.kind, RecordType):
        raise Unsupported("an address")
    return Value(RecordType(target), source.text)


def _element_of(offset: int, dtype: np.dtype[Any], body: Any, arguments: list[Value]) -> Value:
    record, place = arguments
    if not isinstance(record.kind, RecordType) or place.kind is not INT:
        raise Unsupported("an element of something else than a record")
    further = body.put(f"mul i64 {place.text}, {dtype.itemsize}")
    pointer = body.put(f"getelementptr i8, ptr {body.offset(record.text, offset)}, i64 {further}")
    return Value(RecordType(record_type(dtype)), pointer)


def _stopped(body: Any, arguments: list[Value]) -> Value:
    """Raises an exception, which only Numba can."""
    if body.func is _stop_here:
        raise Unsupported("an exception")
    stopped: Value = body.call_kernel(_stop_here, arguments)
    return stopped


def _stop_here() -> None:
    stop_point()
