"""Where something stands in an author's own files: the syntax of a function with its true lines, and places to name in a message.

An author's *own* code is everything but this package, the standard library and installed packages. Functions typed into a bare
interpreter have no source; then a place is a file and a line without the line's text.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any

from kibitz.core.compile_cache import global_names
from kibitz.core.errors import BadBot
from kibitz.core.printable import shortened

LONGEST_LINE = 76
MISSING: Any = object()  # what a name means that means nothing

_PACKAGE = Path(__file__).resolve().parent.parent
_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The line itself, empty where there is no source."""
        return shortened(linecache.getline(self.file, self.line).strip(), LONGEST_LINE)

    def __str__(self) -> str:
        place = f"{Path(self.file).name}, line {self.line}"
        return f"{place}: {self.text}" if self.text else place


@cache
def is_own(file: str) -> bool:
    """Whether a file is the author's own: not of this package, of Python or of an installed package."""
    if file.startswith(("<frozen", "<string>")):  # of Python itself, and made while a program runs
        return False
    path = Path(file).resolve()
    libraries = [_PACKAGE, *(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))]
    return not _INSTALLED.intersection(path.parts) and not any(folder in path.parents for folder in libraries)


def is_own_function(value: Any) -> bool:
    """Whether a value is a function from the author's own files."""
    return isinstance(value, FunctionType) and is_own(value.__code__.co_filename)


def first_line(func: FunctionType) -> Place:
    """Where a function begins: its `def`, or its first line where there is no source."""
    node = syntax_of(func)
    return Place(func.__code__.co_filename, node.lineno if node else func.__code__.co_firstlineno)


def tree_of(file: str) -> ast.Module | None:
    """The syntax of a whole file, as it was when it was last read."""
    linecache.checkcache(file)
    return _parse("".join(linecache.getlines(file)))


@cache
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError):  # edited since it was imported
        return None


def syntax_of(func: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function, with the lines it has in its file; None without source."""
    return _definition(func.__code__)


def _definition(code: CodeType) -> ast.FunctionDef | None:
    tree = tree_of(code.co_filename)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


class Scope:
    """What names mean inside a function: which are its own, and what the others stand for."""

    def __init__(self, func: FunctionType, node: ast.FunctionDef) -> None:
        self.local = set(_stored_names(node))
        self.outside = outside_names(func)

    def meaning(self, node: ast.AST) -> Any:
        """The value of a name from outside, or of an attribute of a module; MISSING for everything else."""
        if isinstance(node, ast.Name):
            return MISSING if node.id in self.local else self.outside.get(node.id, MISSING)
        if isinstance(node, ast.Attribute):
            owner = self.meaning(node.value)
            return getattr(owner, node.attr, MISSING) if isinstance(owner, ModuleType) else MISSING
        return MISSING

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition is always true or always false; None if that depends on the game."""
        if isinstance(node, ast.Constant):
            return bool(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            ends = isinstance(node.op, ast.Or)
            found = [self.truth(part) for part in node.values]
            return ends if ends in found else None if None in found else not ends
        value = self.meaning(node)
        return bool(value) if isinstance(value, (bool, int, float, str)) else None


def outside_names(func: FunctionType) -> dict[str, Any]:
    """What names from outside a function mean in it."""
    found = {**vars(builtins), **func.__globals__}
    for name, cell in zip(func.__code__.co_freevars, func.__closure__ or (), strict=True):
        with suppress(ValueError):  # a name that has no value yet
            found[name] = cell.cell_contents
    return found


def _stored_names(node: ast.FunctionDef) -> Iterator[str]:
    """Every name that a function, or one inside it, assigns to or takes."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.alias):
            yield (part.asname or part.name).partition(".")[0]
        elif (
            part is not node
            and isinstance(part, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar))
            and part.name
        ):
            yield part.name


def reached_functions(root: FunctionType) -> list[FunctionType]:
    """The author's own functions that a function reaches, itself first."""
    reached = [root]
    for func in reached:
        for value in used_values(func).values():
            if is_own_function(value) and value not in reached:
                reached.append(value)
    return reached


def used_values(func: FunctionType) -> dict[str, Any]:
    """The values from outside that a function uses, by name; without source, only what has a name of its own."""
    node = syntax_of(func)
    if node is None:
        outside = outside_names(func)
        return {name: outside[name] for name in sorted(global_names(func.__code__)) if name in outside}
    scope = Scope(func, node)
    parts = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]
    return {ast.unparse(part): scope.meaning(part) for part in parts if scope.meaning(part) is not MISSING}


def check_method(owner: type, name: str, arguments: tuple[str, ...]) -> None:
    """Refuse a class with a method that can't be called with these arguments."""
    func = inspect.getattr_static(owner, name, None)
    if not isinstance(func, FunctionType):  # none, or of a kind that Python itself must judge
        return
    try:
        inspect.signature(func).bind(owner, *arguments)
    except TypeError:
        wanted = f"{name}({', '.join(('self', *arguments))})"
        raise BadBot(f"bot {owner.__name__}: {name} must be defined as {wanted} ({first_line(func)}).") from None


def place_in_traceback(trace: TracebackType | None) -> tuple[Place, TracebackType] | None:
    """The innermost line of an author's own code behind an error."""
    found = None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_own(file):
            found = Place(file, trace.tb_lineno), trace
        trace = trace.tb_next
    return found


def in_parentheses(error: BaseException) -> str:
    """The place of an error for the end of a sentence; empty if it is not in the author's own code."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f" ({Place(error.filename, error.lineno)})"
    found = place_in_traceback(error.__traceback__)
    return f" ({found[0]})" if found else ""
