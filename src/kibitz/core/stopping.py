"""How compiled code is told to stop.

Compiled code holds no lock and runs no signal handler, so a loop that never ends could not be interrupted. It reads a flag
instead: the loop of `kibitz.play.loop` before it calls a bot, and a user's bot in each round of its loops. When
the flag is set, `Halted` is raised there and travels up like any other exception. The flag belongs to the process: once it
is set, everything that plays compiled games here stops.

Numba is imported only where something is compiled, as in `kibitz.core.jit`.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

SYMBOL = "kibitz_stop_flag"  # what compiled code calls the flag; cached code is linked to it when it is loaded
_flag = ctypes.c_int64(0)
compiling = False  # whether the main thread compiles, and signals wait until it has
SHORT_LOOP = 4096  # rounds of a loop that need no stop point


class Halted(KeyboardInterrupt):
    """Compiled code was told to stop; to Python code it is an interruption like any other."""


def stop() -> None:
    """Tell all compiled code of this process to stop."""
    _flag.value = 1


def go_on() -> None:
    """Take that back, for what is played next."""
    _flag.value = 0


def is_stopped() -> bool:
    """Whether compiled code has been told to stop."""
    return bool(_flag.value)


def stop_point() -> None:
    """A place where compiled code can stop; plain Python is interrupted anywhere."""


# -- for the compiler --


@cache
def link_flag() -> None:
    """Let compiled code find the flag, before any is compiled or loaded."""
    import llvmlite.binding

    llvmlite.binding.add_symbol(SYMBOL, ctypes.addressof(_flag))


@cache
def compiled_stop_point() -> Any:
    """The compiled meaning of `stop_point`: reads the flag, and raises if it is set."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    wide = ir.IntType(64)

    @intrinsic
    def check(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            flag = builder.module.globals.get(SYMBOL) or ir.GlobalVariable(builder.module, wide, SYMBOL)
            value = builder.load_atomic(flag, "monotonic", 8)  # atomic, so that it is read each time
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", value, ir.Constant(wide, 0))):
                context.call_conv.return_user_exc(builder, Halted, ())
            return context.get_dummy_value()

        return types.none(), codegen

    return check


@cache
def stoppable(compiler: type) -> type:
    """A Numba compiler that puts a stop point at the start of every loop, for code that may never end."""
    from numba.core import ir
    from numba.core.analysis import compute_cfg_from_blocks
    from numba.core.compiler import DefaultPassBuilder
    from numba.core.compiler_machinery import FunctionPass, register_pass
    from numba.core.ir_utils import find_callname, find_const, get_definition, guard
    from numba.core.untyped_passes import LiteralUnroll

    stop_here = compiled_stop_point()  # made now: Numba learns of new functions only before it compiles

    @register_pass(mutates_CFG=False, analysis_only=False)
    class StopPoints(FunctionPass):  # type: ignore[misc]  # Numba has no type hints
        _name = "kibitz_stop_points"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            blocks = state.func_ir.blocks
            loops = list(compute_cfg_from_blocks(blocks).loops().values())
            headers = {loop.header for loop in loops}
            for label in headers - {loop.header for loop in loops if self.is_short(state.func_ir, loop, headers)}:
                block = blocks[label]
                scope, where = block.scope, block.body[0].loc
                function = scope.redefine("$stop_point", where)
                result = scope.redefine("$stopped", where)
                check = ir.Global("stop_point", stop_here, where)
                call = ir.Expr.call(function, (), (), where)
                block.body[:0] = [ir.Assign(check, function, where), ir.Assign(call, result, where)]
                state.func_ir._definitions[function.name].append(check)
                state.func_ir._definitions[result.name].append(call)
            return bool(headers)

        def is_short(self, code: Any, loop: Any, headers: set[int]) -> bool:
            """Whether a loop goes over a small range that is known beforehand and has no loop inside: the usual one over all cards."""
            if headers & loop.body - {loop.header}:
                return False
            numbers = None
            for step in code.blocks[loop.header].find_exprs("iternext"):
                numbers = guard(self.known_range, code, step.value)
            return numbers is not None and len(numbers) <= SHORT_LOOP

        def known_range(self, code: Any, iterator: Any) -> range | None:
            """The range behind an iterator, if all its ends are constants."""
            call = get_definition(code, get_definition(code, iterator).value)
            if not isinstance(call, ir.Expr) or call.op != "call" or find_callname(code, call) != ("range", "builtins"):
                return None
            return range(*[find_const(code, end) for end in call.args])

    class Stoppable(compiler):  # type: ignore[misc]  # Numba has no type hints
        def define_pipelines(self) -> list[Any]:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.add_pass_after(StopPoints, LiteralUnroll)
            passes.finalize()
            return [passes]

    return Stoppable
