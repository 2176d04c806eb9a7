"""The compilers that Numba is given in the place of its own."""

from __future__ import annotations

from functools import cache
from typing import Any

from kibitz.core.compiler.compiled_kernels import CompiledKernel, Compiler, library_class, reachable
from kibitz.core.compiler.value_types import Unsupported, kind_of, numba_type_of


@cache
def root_compiler() -> Any:
    """Numba's own compiler, which merges a root with everything that can be reached from it, each library once."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler as NumbaCompiler

    class RootLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no type hints
        _linking_libraries: list[Any]

        def finalize(self) -> None:
            """Link first what the root calls, then what that calls: LLVM takes nothing from a library that nobody has asked for yet."""
            libraries = list(reachable(self._linking_libraries))
            kernels = [library for library in libraries if isinstance(library, library_class())]
            homes = {symbol: library for library in kernels for symbol in library.symbols()}
            self._linking_libraries = [library for library in libraries if library not in kernels]
            while wanted := {homes[name]: None for name in self._missing() if name in homes}:
                for library in wanted:
                    self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            super().finalize()

        def _missing(self) -> list[str]:
            return [function.name for function in self._final_module.functions if function.is_declaration]

    class RootCompiler(NumbaCompiler):  # type: ignore[misc]  # Numba has no type hints
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.state.library = RootLibrary(self.state.targetctx.codegen(), "kibitz_root")
            self.state.library.enable_object_caching()

    return RootCompiler


@cache
def helper_compiler() -> Any:
    """Numba's own compiler for kernels that only other kernels call: no machine code for each."""
    from numba.core.compiler import Compiler as NumbaCompiler

    class HelperCompiler(NumbaCompiler):  # type: ignore[misc]  # Numba has no type hints
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.state.library = library_class()(self.state.targetctx.codegen(), "kibitz_helper")

    return HelperCompiler


@cache
def quick_compiler(compiler: Compiler) -> Any:
    """A compiler for our own kernels: by ours, and what ours does not know by Numba's."""

    class QuickCompiler(helper_compiler()):  # type: ignore[misc]  # Numba has no type hints
        def compile_extra(self, func: Any) -> Any:
            flags = self.state.flags
            kernel = compiler.kernel_of(func)
            if kernel is not None and not flags.boundscheck:
                try:
                    kinds = tuple(kind_of(argument) for argument in self.state.args)
                    made = compiler.compile(kernel, kinds, flags.error_model == "python", bool(flags.forceinline))
                    return _results(compiler, self.state.typingctx, self.state.targetctx, func, made)
                except Unsupported:
                    pass
            return super().compile_extra(func)

    return QuickCompiler


def _results(compiler: Compiler, typing_context: Any, target_context: Any, func: Any, kernel: CompiledKernel) -> Any:
    """What Numba wants to know of a compiled kernel.

    Each request gets an entry point of its own: Numba forgets an entry point with the dispatcher that asked for it.
    """
    from numba.core import funcdesc, typing
    from numba.core.compiler import compile_result
    from numba.core.lowering import Environment

    arguments = tuple(numba_type_of(kind) for kind in kernel.kinds)
    returned = numba_type_of(kernel.result)
    names = func.__code__.co_varnames[: func.__code__.co_argcount]
    described = funcdesc.PythonFunctionDescriptor(
        True, func.__module__, func.__qualname__, kernel.symbol, "", {}, returned, {}, names, (),
        mangler=lambda name, types, abi_tags, uid: kernel.symbol, argtypes=arguments, env_name=f"{kernel.symbol}.env",
    )  # fmt: skip
    environment = Environment.from_fndesc(described)
    entry = target_context.get_executable(kernel.library, described, environment)
    target_context.insert_user_function(entry, described, [kernel.library])
    return compile_result(
        typing_context=typing_context,
        target_context=target_context,
        entry_point=entry,
        library=kernel.library,
        signature=typing.signature(returned, *arguments),
        objectmode=False,
        fndesc=described,
        environment=environment,
        metadata={},
        reload_init=[],
    )
