"""What the compiler says of an author's code, in plain words and with the line it is about.

The compiler's own message names its types and its internals; `--debug` shows it. Here it is only read: for the first place in a file of the
author's own, which is the innermost one, and for what it was that did not fit.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType

from kibitz.bots.refusals import Records, nearest
from kibitz.bots.source import Place, first_line, syntax_of
from kibitz.bots.wording import PLAIN, SETS, Refused, wrong_answer

_PLACES = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)|(?:at|from|in) (?P<other>/[^\n]+?) \((?P<number>\d+)\)')
_SIGNATURE = re.compile(r"^\s*>>> (?P<name>\w+)\((?P<arguments>.*)\)\s*$", re.MULTILINE)
_RETURNS = re.compile(r"Return of: IR name '[^']*', type '(.+)', location: *\n?File \"[^\"]+\", line (\d+)")

# Types by how the compiler's name for them begins.
_KINDS = (
    (r"(u?int\d+|Literal\[int\])", "a whole number"),
    (r"float\d+", "a float"),
    (r"(bool|Literal\[bool\])", "True or False"),
    (r"none", "None"),
    (r"(unicode_type|Literal\[str\]|unicode)", "a string"),
    (r"bytes", "bytes"),
    (r"(reflected )?list\(", "a list"),
    (r"(reflected )?set\(", "a set"),
    (r"DictType|dict", "a dict"),
    (r"(Uni|Named|NamedUni)?Tuple\(", "a tuple"),
    (r"(array|nestedarray|unaligned array|readonly array)\(", "a list"),
    (r"Record\(", "a record such as the view"),
    (r"range", "a range"),
    (r"(type\(CPUDispatcher|Function|BoundFunction|function|make_function)", "a function"),
    (r"Module\(", "a module"),
    (r"complex", "a complex number"),
    (r".*generator", "a generator"),
)
_OPERATORS = {
    "add": "+",
    "iadd": "+=",
    "sub": "-",
    "isub": "-=",
    "mul": "*",
    "imul": "*=",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and_": "&",
    "iand": "&=",
    "or_": "|",
    "ior": "|=",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "contains": "in",
}
# What compiles at times. Where a line has one of these and fails, that is the likely reason.
_SUSPECTS: tuple[tuple[tuple[type[ast.AST], ...], str], ...] = (
    ((ast.Dict, ast.DictComp), f"dicts don't compile here; use a list or memory fields, or {PLAIN}"),
    ((ast.Set,), SETS),
    ((ast.Lambda,), f"this lambda doesn't compile here; use a function at the top of the file, or a loop, or {PLAIN}"),
    ((ast.FunctionDef,), f"a function inside a function doesn't compile here; move it to the top of the file, or {PLAIN}"),
    ((ast.JoinedStr,), f"strings don't compile here; use numbers, or {PLAIN}"),
    ((ast.NamedExpr,), "':=' doesn't compile here; assign on a line of its own"),
)
_HINTS = {
    "reversed": "count down with range(n - 1, -1, -1)",
    "max": "compare in a loop",
    "min": "compare in a loop",
    "bit_count": "use popcount of kibitz.core.jit",
    "bit_length": "use lowest of kibitz.core.jit, or a loop",
}
_GENERAL = f"this doesn't compile; {PLAIN}, or with --debug for the compiler's own message"


def explain(
    error: Exception, functions: Sequence[FunctionType], records: Records, returned: Callable[[], list[tuple[int, str]]]
) -> Refused:
    """The mistake behind a compiler's error. `functions` are those that were compiled, the bot's own first.

    `returned` finds the line and the type of every answer of the bot's function.
    """
    try:
        return _explained(error, functions, records, returned)
    except Exception:  # a message that reads otherwise than expected, or no answers to look at: the mistake is still the author's
        return Refused(first_line(functions[0]), _GENERAL)


def _explained(
    error: Exception, functions: Sequence[FunctionType], records: Records, returned: Callable[[], list[tuple[int, str]]]
) -> Refused:
    if isinstance(error, OSError):  # such as a full disk
        return Refused(first_line(functions[0]), f"it can't be compiled: {error}")
    text = str(error)
    place = _first_place(text, functions)
    if "choose must return" in text:
        return _wrong_return(functions[0], returned())
    if isinstance(error, KeyError):  # the field of a record
        name = str(error.args[0])
        known = [known for record in ("view", *records.fields) for known in records.names_of(record)]
        return Refused(
            _place_of_attribute(name, functions) or first_line(functions[0]), f"'{name}' doesn't exist there{nearest(name, known)}"
        )
    returns = [(int(line), kind) for kind, line in _RETURNS.findall(text)]
    if returns and place:
        return _two_returns(sorted(returns), place, functions)
    unified = re.search(r"Cannot unify (.+) for '([^'.]+)[^']*', defined at", text)
    if unified:
        return _two_kinds(unified[1], unified[2], place or first_line(functions[0]), functions)
    if place is None or not place.line:
        suspect = next(_suspects(functions), None)
        return Refused(*suspect) if suspect else Refused(first_line(functions[0]), _GENERAL)
    return Refused(place, _words(text, place, functions))


def _words(text: str, place: Place, functions: Sequence[FunctionType]) -> str:
    """What is wrong on a line."""
    likely = next((words for where, words in _suspects(functions) if where == place), None)
    if likely:
        return likely
    undecided = re.search(r"Cannot infer the type of variable '([^'.]+)", text)
    if undecided and "list(" in text:
        return f"'{undecided[1]}' is an empty list whose items are unknown; append a number to it, or start it as [0]"
    if "Undecided type" in text or "list(undefined)" in text:
        return "the items of an empty list are unknown here; use lists of numbers, or one list with a place for each"
    unknown = re.search(r"Unknown attribute '(\w+)' of type (.+)", text)
    if unknown:
        return _unknown_attribute(unknown[1], unknown[2])
    untyped = re.search(r"Untyped global name '(\w+)'", text)
    if untyped:
        return f"{untyped[1]} doesn't compile here; {_HINTS.get(untyped[1], 'use numbers, loops and functions of your own')}, or {PLAIN}"
    looped = re.search(r"Invalid use of getiter with parameters \((.+)\)", text)
    if looped:
        return f"{kind_of(looped[1])} can't be looped over; use range(n), or a list"
    field = re.search(r"Cannot resolve setattr: \((.+)\)\.(\w+) =", text)
    if field:
        return f"{kind_of(field[1])} has no field '{field[2]}' to assign to; use a variable of its own, or memory fields"
    called = re.search(r"Invalid use of (.+) with parameters", text)
    if called and not called[1].startswith("type("):
        return f"{kind_of(called[1])} can't be called"
    large = re.search(r"Int value is too large: (-?\d+)", text)
    if large:
        return f"{large[1]} is too large; whole numbers go up to 2^63 - 1 in a compiled bot"
    unpacked = re.search(r"wrong tuple length .*expected (\d+), got (\d+)", text)
    if unpacked:
        return f"there are {unpacked[2]} values here for {unpacked[1]} names"
    signature = _SIGNATURE.search(text)
    if signature:
        return _misfit(signature["name"], _split(signature["arguments"].strip()))
    return _GENERAL


def _misfit(name: str, types: list[str]) -> str:
    """What is wrong with a function or an operator and what it is given."""
    kinds = [kind_of(part) for part in types]
    if name == "resolve":  # how the compiler knows a method of the view
        wrong = [kind for kind in kinds[1:] if kind != "a whole number"]
        return f"a method of the view takes whole numbers, and here it is given {wrong[0]}" if wrong else _GENERAL
    if name in _OPERATORS and len(kinds) == 2:
        return f"{_OPERATORS[name]} doesn't work between {kinds[0]} and {kinds[1]}"
    if name in ("getitem", "static_getitem") and len(kinds) == 2:
        if kinds[1] != "a whole number":
            return f"{kinds[0]} can't be indexed with {kinds[1]}; an index is a whole number"
        if kinds[0] == "a tuple":
            return "a tuple with values of different kinds can't be indexed with a variable; use values of one kind, or constants"
        return f"{kinds[0]} has no items"
    if name == "setitem" and len(kinds) == 3:
        return _not_stored(types[0], kinds)
    if not name.isidentifier() or name.startswith(("_", "ol_")):
        return _GENERAL
    given = " and ".join(kinds) if kinds else "nothing"
    return f"{name} doesn't work with {given} here; {_HINTS.get(name, 'use numbers and loops')}, or {PLAIN}"


def _not_stored(container: str, kinds: list[str]) -> str:
    """Why something can't be assigned to a place of a container."""
    if kinds[0] == "a tuple":
        return "a tuple can't change; use a list"
    if kinds[1] != "a whole number":
        return f"{kinds[0]} can't be indexed with {kinds[1]}; an index is a whole number"
    items = re.match(r"(?:reflected )?list\((.+)\)", container)
    if items and kind_of(items[1]) != kinds[2]:
        return f"this list holds {kind_of(items[1])}, so {kinds[2]} can't be stored in it; all items must be of one kind"
    if "readonly" in container:
        return "constants from outside the function can't change; use memory fields, or a list made inside"
    return f"{kinds[2]} can't be stored in {kinds[0]} of numbers" if kinds[0] == "a list" else f"the items of {kinds[0]} can't be changed"


def _unknown_attribute(name: str, owner: str) -> str:
    module = re.search(r"<module '([\w.]+)'", owner)
    if module and module[1].startswith("kibitz"):
        return f"import the name itself, 'from {module[1]} import {name}': names through a module don't all compile here"
    if module:
        return f"{module[1]}.{name} doesn't compile here; write it with numbers and loops, or {PLAIN}"
    kind = kind_of(owner)
    if kind == "a string":
        return f"string methods such as {name} don't compile here; use numbers, or {PLAIN}"
    return f"{kind} has no '{name}' here; {_HINTS.get(name, 'write it with numbers and loops')}, or {PLAIN}"


def _two_returns(returns: list[tuple[int, str]], place: Place, functions: Sequence[FunctionType]) -> Refused:
    """A function that returns values of two kinds, by their lines: in `choose` the first that is no action, else the last."""
    node = syntax_of(functions[0])
    if place.file == functions[0].__code__.co_filename and node and node.lineno <= place.line <= (node.end_lineno or node.lineno):
        return _wrong_return(functions[0], returns)
    words = f"this returns {kind_of(returns[-1][1])}, but line {returns[0][0]} returns {kind_of(returns[0][1])}"
    return Refused(Place(place.file, returns[-1][0]), f"{words}; a function must always return the same kind of value")


def _two_kinds(kinds: str, name: str, place: Place, functions: Sequence[FunctionType]) -> Refused:
    """A variable that holds values of two kinds: the last assignment before the compiler gave up."""
    lines = [place.line]
    for func in functions:
        node = syntax_of(func)
        if node and func.__code__.co_filename == place.file and node.lineno <= place.line <= (node.end_lineno or node.lineno):
            stored = [
                part.lineno for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id == name
            ]
            lines = lines if place.line in stored else sorted(stored) or lines
    first, second = (kind_of(kind) for kind in kinds.split(" and ", 1))
    both = f"{first} and {second}" if first != second else f"two different kinds of {first.partition(' ')[2]}"
    return Refused(Place(place.file, lines[-1]), f"'{name}' holds {both}; a variable must keep to one kind of value")


def _wrong_return(func: FunctionType, returned: list[tuple[int, str]]) -> Refused:
    for line, kind in returned:
        if kind_of(kind) != "a whole number":
            can_be_none = kind.startswith("OptionalType")
            words = "None at times; start with a number such as -1 instead of None" if can_be_none else kind_of(kind)
            if words == "a float":
                words += ", as a division gives, or a mask used as a number"
            return Refused(Place(func.__code__.co_filename, line), wrong_answer(words))
    ends = [part.lineno for _, part in _parts([func]) if isinstance(part, (ast.Raise, ast.Assert))]
    if not returned and ends:
        return Refused(
            Place(func.__code__.co_filename, min(ends)), "choose always ends in an error here, and never returns an action number"
        )
    return Refused(first_line(func), "choose must return an action number, such as view.play(…) gives")


def kind_of(type_name: str) -> str:
    """A type in words, from the compiler's name for it."""
    type_name = type_name.strip()
    if type_name.startswith("OptionalType("):
        return f"{kind_of(type_name.removeprefix('OptionalType('))} or None"
    return next((words for start, words in _KINDS if re.match(start, type_name)), "something else")


def _split(arguments: str) -> list[str]:
    """The parts between the outer commas."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _first_place(text: str, functions: Sequence[FunctionType]) -> Place | None:
    """The first place in a file of these functions that a message names."""
    files = {os.path.realpath(func.__code__.co_filename): func.__code__.co_filename for func in functions}
    for match in _PLACES.finditer(text):
        file = os.path.realpath(match["file"] or match["other"])
        if file in files:
            return Place(files[file], int(match["line"] or match["number"]))
    names = {Path(file).name: file for file in files.values()}  # the compiler shortens paths at times
    for match in _PLACES.finditer(text):
        file = Path(match["file"] or match["other"]).name
        if file in names:
            return Place(names[file], int(match["line"] or match["number"]))
    return None


def _place_of_attribute(name: str, functions: Sequence[FunctionType]) -> Place | None:
    for func, part in _parts(functions):
        if isinstance(part, ast.Attribute) and part.attr == name:
            return Place(func.__code__.co_filename, part.lineno)
    return None


def _suspects(functions: Sequence[FunctionType]) -> Iterator[tuple[Place, str]]:
    """Lines with something that compiles only at times, and what to say if they don't."""
    for func, part in _parts(functions):
        for kinds, words in _SUSPECTS:
            if isinstance(part, kinds):
                yield Place(func.__code__.co_filename, part.lineno), words  # type: ignore[attr-defined]  # these have a line


def _parts(functions: Sequence[FunctionType]) -> Iterator[tuple[FunctionType, ast.AST]]:
    for func in functions:
        node = syntax_of(func)
        for part in ast.walk(node) if node else ():
            if part is not node:
                yield func, part
