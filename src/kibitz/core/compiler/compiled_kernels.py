"""Compiled kernels: who calls whom, under which name, and in which library of code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType
from typing import Any

from kibitz.core.compiler import calls
from kibitz.core.compiler.body import Body
from kibitz.core.compiler.definitions import definition_of
from kibitz.core.compiler.value_types import NONE, RecordType, Unsupported, ValueType, kind_of, numba_type_of


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel, compiled for arguments of some kinds."""

    symbol: str
    kinds: tuple[ValueType, ...]
    result: ValueType
    fails: bool  # whether an error may come up through it
    library: Any  # where its code is

    @property
    def declaration(self) -> str:
        """How another module announces that it calls this."""
        parameters = ["ptr", "ptr", *[text for kind in self.kinds for text in calls.passed_kinds(kind)]]
        return f"declare i32 @{self.symbol}({', '.join(parameters)})"


@cache
def library_class() -> Any:
    """A library of code that only other code calls.

    It is merged into roots, each of which is then optimised and turned into machine code as a whole. Doing that here as
    well would take most of the compile time; so it is not even merged with what it calls itself.
    """
    from numba.core.codegen import JITCodeLibrary

    class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no type hints
        _final_module: Any
        _finalized: bool
        _linking_libraries: list[Any]

        def add_linking_library(self, library: Any) -> None:
            self._linking_libraries.append(library)

        def fill(self, code: Any) -> None:
            """Take this module as it is, after the passes that Numba has for single functions."""
            code.triple = self._final_module.triple
            self._optimize_functions(code)
            self._final_module = self._shared_module = code

        def finalize(self) -> None:
            if not self._finalized:
                self._finalize_dynamic_globals()
                self._finalized = True

        def symbols(self) -> list[str]:
            """What is defined here."""
            return [function.name for function in self.get_defined_functions()]

        def get_pointer_to_function(self, name: str) -> int:
            return 0

        @property
        def codegen(self) -> Any:
            return _Codegen(self._codegen)

    return KernelLibrary


class _Codegen:
    """Numba's, but without environments: there is no machine code, hence no slot to fill."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def set_env(self, name: str, env: Any) -> None:
        """Nothing."""


def reachable(libraries: Iterable[Any]) -> Iterator[Any]:
    """Libraries with all that their code calls, each once."""
    seen, left = set(), list(libraries)
    while left:
        library = left.pop(0)
        if library not in seen:
            seen.add(library)
            yield library
            if isinstance(library, library_class()):
                left += library._linking_libraries


@dataclass
class Module:
    """A kernel with all it calls that was not compiled before, in one library."""

    library: Any
    definitions: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    tables: list[str] = field(default_factory=list)

    def text(self) -> str:
        """All of it, as LLVM reads it."""
        own = {line.partition("@")[2].partition("(")[0] for line in self.definitions}
        declared = [line for line in sorted(self.declared) if line.partition("@")[2].partition("(")[0] not in own]
        return "\n".join([*self.tables, *declared, *self.definitions])


class Compiler:
    """Compiles kernels on demand, each once for each kinds of arguments.

    `twins` is the module of that name: it knows Numba's twins of kernels, methods of records, and kernels with a meaning of their own.
    """

    def __init__(self, twins: Any) -> None:
        self._twins = twins
        self._known: dict[tuple[FunctionType, tuple[ValueType, ...], bool], CompiledKernel] = {}
        self.left_to_numba: dict[tuple[FunctionType, tuple[ValueType, ...], bool], str] = {}  # and why
        self._modules: list[Module] = []

    # -- for kernels that call others --

    def compiled(self, func: FunctionType, kinds: tuple[ValueType, ...]) -> CompiledKernel:
        """A kernel, compiled here or by Numba."""
        try:
            kernel = self.compile(func, kinds, False, hasattr(func, "kibitz_inline"))
        except Unsupported:
            kernel = self._by_numba(func, kinds)
        if self._modules and kernel.library is not self._modules[-1].library:
            self._modules[-1].library.add_linking_library(kernel.library)
        return kernel

    def kernel_of(self, twin: FunctionType) -> FunctionType | None:
        """The kernel that a twin made for Numba was made from."""
        kernel: FunctionType | None = self._twins.kernel_of(twin)
        return kernel

    def method_of(self, kind: ValueType, name: str) -> FunctionType:
        """The kernel behind a method of a record."""
        if isinstance(kind, RecordType):
            method: FunctionType | None = self._twins.method_of(kind.numba, name)
            if method is not None:
                return method
        raise Unsupported(f"the method {name}")

    def special(self, func: FunctionType) -> calls.Meaning | None:
        """The meaning of a kernel that was made one by one."""
        found: calls.Meaning | None = self._twins.special_meaning(func)
        return found

    def new_symbol(self, name: str) -> str:
        """A name that nothing else has, in any process."""
        from numba.core.bytecode import FunctionIdentity

        label = f"{name}_{next(FunctionIdentity._unique_ids)}"
        return f"_ZN6kibitz{len(label)}{label}Ev"  # in the manner of C++, as Numba wants it

    # -- compiling --

    def compile(self, func: FunctionType, kinds: tuple[ValueType, ...], checks_division: bool, inlined: bool) -> CompiledKernel:
        """A kernel, compiled here; Unsupported if it cannot be."""
        key = func, kinds, checks_division
        if key in self._known:
            return self._known[key]
        if key in self.left_to_numba:
            raise Unsupported(self.left_to_numba[key])
        outermost = not self._modules
        if outermost:
            self._modules.append(Module(self._new_library(func.__name__)))
        try:
            kernel = self._written(func, kinds, checks_division, inlined)
            self._known[key] = kernel
            return kernel
        except Unsupported as problem:
            self.left_to_numba[key] = str(problem)
            raise
        finally:
            if outermost:
                self._finish(self._modules.pop())

    def _written(self, func: FunctionType, kinds: tuple[ValueType, ...], checks_division: bool, inlined: bool) -> CompiledKernel:
        body = Body(func, definition_of(func), kinds, self, checks_division)
        body.write()
        module = self._modules[-1]
        assert body.result is not None
        kernel = CompiledKernel(self.new_symbol(func.__name__), kinds, body.result, body.fails, module.library)
        numba_type_of(kernel.result)  # refuses what cannot be handed over
        parameters = ", ".join(["ptr noalias %result", "ptr noalias %error", *body.signature()])
        head = f"define linkonce_odr i32 @{kernel.symbol}({parameters}) {'alwaysinline ' if inlined else ''}nounwind {{"
        module.definitions.append("\n".join([head, "entry:", *body.slots, *body.lines, "}"]))
        module.declared |= body.declared
        module.tables += body.tables.values()
        return kernel

    def _new_library(self, name: str) -> Any:
        from numba.core.registry import cpu_target

        return library_class()(cpu_target.target_context.codegen(), name)

    def _finish(self, module: Module) -> None:
        import llvmlite.binding

        if module.definitions:
            module.library.fill(llvmlite.binding.parse_assembly(module.text()))
        module.library.finalize()

    def _by_numba(self, func: FunctionType, kinds: tuple[ValueType, ...]) -> CompiledKernel:
        result = self._twins.compiled_by_numba(func, tuple(numba_type_of(kind) for kind in kinds))
        given = tuple(kind_of(argument) for argument in result.signature.args)
        returned = kind_of(result.signature.return_type)
        if returned is not NONE and numba_type_of(returned) != result.signature.return_type:
            raise Unsupported("a narrow result")
        return CompiledKernel(result.fndesc.llvm_func_name, given, returned, True, result.library)
