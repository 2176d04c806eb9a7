"""What went wrong in a bot: in words, and with the line of the author's own code where it happened.

An error of Python carries its place. Compiled code does not, and neither does an answer that is not accepted: for these
`kibitz.play.second_look` plays the game once more as plain Python.
"""

from __future__ import annotations

import ast
import multiprocessing
import re
from difflib import get_close_matches
from types import FrameType, TracebackType
from typing import Any

from kibitz.bots.source import MISSING, place_in_traceback, tree_of
from kibitz.core import jit
from kibitz.core.errors import StoppedInDebugger
from kibitz.core.layouts import copy_record
from kibitz.core.sentences import counted
from kibitz.play.lineup import NotAnAction


def what_went_wrong(error: Exception | SystemExit) -> str:
    """A bot's failure in words."""
    if isinstance(error, SystemExit):
        return "called exit()"
    if isinstance(error, NotAnAction):
        missing = "; every path of choose must return one" if str(error) == "None" else ""
        return f"answered {error}, which is not an action number{missing}"
    if _is_debugger(error):
        return "stopped at a breakpoint; the debugger works in runs of up to 2,000 games or with --threads 1"
    said = _in_words(error)
    return f"raised {type(error).__name__}: {said}" if said else f"raised {type(error).__name__}"


def described(error: Exception) -> str:
    """A bot's failure in words, with its place."""
    place = place_of(error)
    return f"{what_went_wrong(error)}, in {place}" if place else what_went_wrong(error)


def place_of(error: BaseException) -> str:
    """The innermost line of the author's own code behind an error; empty if there is none, as in compiled code."""
    found = place_in_traceback(error.__traceback__)
    return str(found[0]) if found else ""


def check_debugger(error: BaseException) -> None:
    """Whoever leaves the debugger wants the run to end; that is not a fault of the bot. In a worker process nobody can."""
    if _is_debugger(error) and multiprocessing.parent_process() is None:
        jit.announce("stopped in the debugger.")
        raise StoppedInDebugger from error


def _is_debugger(error: BaseException) -> bool:
    return type(error).__name__ == "BdbQuit"  # without loading the debugger


def _in_words(error: Exception) -> str:
    said = str(error)
    if isinstance(error, IndexError):
        return _index_in_words(error) or (said if place_of(error) else "an index is out of range")  # compiled code says less
    if isinstance(error, KeyError):
        return f"there is no key {said}" if said else said
    if isinstance(error, UnboundLocalError) and (name := re.search(r"'(\w+)'", said)):
        return f"'{name[1]}' is used before it gets a value"
    if isinstance(error, AttributeError) and error.name:
        known = [name for name in dir(error.obj) if not name.startswith("_")]
        near = get_close_matches(error.name, known, n=1)
        return f"{said}; did you mean '{near[0]}'?" if near else said
    return said


# -- an index out of range --


def _index_in_words(error: IndexError) -> str:
    """The index and the length of what was indexed, as far as the source and the variables tell."""
    found = place_in_traceback(error.__traceback__)
    node = _failed_subscript(found[1]) if found else None
    if found is None or node is None:
        return ""
    frame = found[1].tb_frame
    owner, index = _value(node.value, frame), _value(node.slice, frame)
    if not isinstance(owner, (list, tuple, str)) and getattr(owner, "ndim", 0) != 1:
        return ""
    kind, length = "tuple" if isinstance(owner, tuple) else "list", len(owner)
    items = f"the {kind} has {counted(length, 'item')}" if length else f"the {kind} is empty"
    if not hasattr(index, "__index__"):
        return f"the index is out of range: {items}"
    return "" if -length <= index < length else f"index {index}, but {items}"  # it has changed since, where it seems to be in range


def _failed_subscript(trace: TracebackType) -> ast.Subscript | None:
    """The `list[index]` that an instruction of a frame stands for."""
    code = trace.tb_frame.f_code
    line, end_line, column, end_column = list(code.co_positions())[trace.tb_lasti // 2]
    for node in ast.walk(tree_of(code.co_filename) or ast.Module([], [])):
        if isinstance(node, ast.Subscript) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == (
            line,
            end_line,
            column,
            end_column,
        ):
            return node
    return None


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What an expression gives in a frame; MISSING where looking would change something."""
    if not all(isinstance(part, _HARMLESS) or _asks_view(part) for part in ast.walk(node)):
        return MISSING
    names: dict[str, Any] = {**frame.f_globals, **frame.f_locals}
    view = names.get("view")
    try:
        if view is not None and any(isinstance(part, ast.Call) for part in ast.walk(node)):
            names["view"] = copy_record(view)
        value = eval(compile(ast.Expression(node), "<bot>", "eval"), names)
        moved = view is not None and names["view"] is not view and names["view"].random_stream != view.random_stream
    except Exception:  # whatever an author's objects do
        return MISSING
    return MISSING if moved else value


def _asks_view(node: ast.AST) -> bool:
    """Whether this calls a method of the view."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "view" and not node.keywords
    )


_HARMLESS = (ast.expr_context, ast.operator, ast.unaryop, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp)
