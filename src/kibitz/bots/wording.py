"""What to say of code that doesn't compile: one sentence for each kind of mistake, with the way out."""

from __future__ import annotations

import ast
import enum
import functools
import io
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from kibitz.bots.parameters import Parameter
from kibitz.bots.source import Place, is_own

PLAIN = "run with --no-jit"

_REPEATABLE = "equal seeds must give equal results"
_FILES = f"a compiled bot can't open files; read them outside the function, or {PLAIN}"
_BUILTINS: dict[Any, str] = {
    print: f"print works only in plain Python; {PLAIN} to see what it prints",
    breakpoint: f"breakpoint works only in plain Python; {PLAIN} to stop here",
    input: f"input works only in plain Python; {PLAIN}",
    open: _FILES,
    hash: f"{_REPEATABLE}, but hash differs from run to run; use numbers of your own",
    functools.reduce: f"reduce doesn't compile here; use a loop, or {PLAIN}",
    hasattr: "hasattr doesn't compile here; what there is never changes, so write what you mean without asking",
}
_FILE_FUNCTIONS = (np.load, np.loadtxt, np.genfromtxt, np.fromfile, np.memmap, np.save, np.savetxt, np.savez)
_RANDOM = f"{_REPEATABLE}, so take random numbers from view.randbelow(n)"
_CLOCK = f"{_REPEATABLE}, so a bot can't look at the clock; count steps instead"
_SYSTEM = f"the '{{module}}' module works only in plain Python; {PLAIN}"
MODULES = {
    "random": _RANDOM,
    "numpy.random": _RANDOM,
    "secrets": _RANDOM,
    "uuid": _RANDOM,
    "_random": _RANDOM,
    "time": _CLOCK,
    "datetime": _CLOCK,
    "pdb": f"the debugger works only in plain Python; {PLAIN} to stop here",
    "logging": f"logging works only in plain Python; {PLAIN} to see what it logs",
    "pprint": f"pprint works only in plain Python; {PLAIN} to see what it prints",
    "os": _SYSTEM,
    "posix": _SYSTEM,
    "io": _SYSTEM,
    "pathlib": _SYSTEM,
    "subprocess": _SYSTEM,
    "socket": _SYSTEM,
    "threading": _SYSTEM,
}
SETS = f"sets don't compile here, since their order isn't the same everywhere; use a list or a mask, or {PLAIN}"
STATEMENTS: dict[type[ast.AST], str] = {
    ast.Set: SETS,
    ast.SetComp: SETS,
    ast.Nonlocal: f"'nonlocal' doesn't compile here; return the value instead, or {PLAIN}",
    ast.ClassDef: f"classes don't compile here; use numbers, tuples or memory fields, or {PLAIN}",
    ast.With: f"'with' doesn't compile here; {PLAIN}",
    ast.AsyncFunctionDef: f"'async' doesn't compile here; {PLAIN}",
    ast.AsyncFor: f"'async' doesn't compile here; {PLAIN}",
    ast.AsyncWith: f"'async' doesn't compile here; {PLAIN}",
    ast.Await: f"'await' doesn't compile here; {PLAIN}",
    ast.Yield: f"'yield' doesn't compile here; return a value or fill a list, or {PLAIN}",
    ast.YieldFrom: f"'yield' doesn't compile here; return a value or fill a list, or {PLAIN}",
}
_CONTAINERS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (dict, f"dicts don't compile here; make {{name}} a tuple of numbers, use memory fields, or {PLAIN}"),
    (list, f"a list from outside the function doesn't compile here; make {{name}} a tuple, use memory fields, or {PLAIN}"),
    ((set, frozenset), f"sets don't compile here; make {{name}} a tuple, or {PLAIN}"),
)
LITERALS: dict[type[ast.AST], str] = {
    ast.List: "a list",
    ast.ListComp: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.DictComp: "a dict",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.JoinedStr: "a string",
    ast.Compare: "True or False",
    ast.Lambda: "a function",
}
CONSTANTS: dict[type, str] = {float: "a float", str: "a string", bool: "True or False", type(None): "None", bytes: "bytes"}


class Refused(Exception):
    """A mistake: where it is, and what is wrong in words."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(f"{words} ({place})")
        self.place, self.words = place, words


def wrong_answer(kind: str) -> str:
    """What to say of an answer that is not a whole number."""
    return f"choose must return an action number, such as view.play(…) gives, but this returns {kind}"


def words_for(value: Any, name: str, owner: str = "") -> str:
    """Why compiled code can't use a value from outside its function, known as `name` and perhaps from a module; empty if it may."""
    if isinstance(value, BuiltinFunctionType) and value in _BUILTINS:
        return _BUILTINS[value]
    if value is set or value is frozenset:
        return SETS
    if any(value is function for function in _FILE_FUNCTIONS):
        return _FILES
    if isinstance(value, io.IOBase):
        return f"a compiled bot can't write to files or to the terminal; {PLAIN}"
    if isinstance(value, ModuleType):
        return MODULES.get(value.__name__, "").format(module=value.__name__)
    if not isinstance(value, (int, float, str, tuple, np.ndarray)):
        module = _module_of(value)
        for origin in (owner, module, module.rpartition(".")[0], module.partition(".")[0]):
            if origin in MODULES:
                return MODULES[origin].format(module=origin)
        if (
            isinstance(value, FunctionType)
            and module.partition(".")[0] in sys.stdlib_module_names
            and not is_own(value.__code__.co_filename)
        ):
            return f"{name} doesn't compile here; use numbers, loops and functions of your own, or {PLAIN}"
    for kind, words in _CONTAINERS:
        if isinstance(value, kind):
            return words.format(name=name)
    if isinstance(value, type):
        if is_own(_file_of(value)) and not issubclass(value, (tuple, enum.Enum, BaseException, np.generic)):
            return f"classes don't compile here; use numbers, tuples or memory fields instead of {name}, or {PLAIN}"
    elif isinstance(value, Parameter):
        return f"'{name}' declares a parameter; its value is params.{value.name}"
    elif hasattr(value, "plain_entry"):
        return f"'{name}' is a bot, and one bot can't ask another in compiled code; {PLAIN}"
    elif is_own(_file_of(type(value))) and not isinstance(value, (tuple, enum.Enum)):
        return f"objects don't compile here; use numbers, tuples or memory fields instead of {name}, or {PLAIN}"
    return ""


def _module_of(value: Any) -> str:
    """The module that a function, a method of an object, or an object comes from."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, (MethodType, BuiltinFunctionType)) and owner is not None and not isinstance(owner, ModuleType):
        value = type(owner)
    return getattr(value, "__module__", None) or type(value).__module__


def _file_of(cls: type) -> str:
    """The file that defines a class; one of this package where there is none, as for built-in classes."""
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) or (__file__ if cls.__module__ != "__main__" else "<stdin>")
