"""What an author's code can't do in a compiled bot, found in its source before anything is compiled.

`check` reads `choose`, `begin` or `observe` and every function of the author's own that it reaches. The first mistake is refused with
its place, what is wrong and the way out. Only what never works is refused here: what compiles at times, such as a dict inside a
function, goes on to the compiler, whose complaints `kibitz.bots.complaints` puts into plain words.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from kibitz.bots.source import MISSING, Place, Scope, first_line, is_own_function, reached_functions, syntax_of, used_values
from kibitz.bots.wording import CONSTANTS, LITERALS, MODULES, PLAIN, STATEMENTS, Refused, words_for, wrong_answer
from kibitz.core.layouts import fields_of
from kibitz.core.sentences import counted

MOST_LISTED = 20  # names in one message
_ROLE_RECORDS = ("event", "memory", "params", "scratch")


@dataclass(frozen=True)
class Records:
    """What a bot's functions are given: the class of the view, and the names of the fields of everything else."""

    view: type
    fields: Mapping[str, Collection[str]] = field(default_factory=dict)

    def names_of(self, record: str) -> Collection[str]:
        """Everything an author may write behind the record's name and a dot."""
        names = {*dir(self.view), *_fields(self.view)} if record == "view" else self.fields.get(record, ())
        return [name for name in names if not name.startswith("_")]


def _fields(view: Any) -> set[str]:
    return {found.name for found in fields_of(view)}


def check(root: FunctionType, role: str, records: Records) -> None:
    """Refuse the first thing in an author's function, or in one it reaches, that can't be compiled."""
    reached = reached_functions(root)
    for func in reached:
        if not is_own_function(func) and func is not root:
            continue
        node = syntax_of(func)
        if node is not None:
            _Reading(func, node, records, role if func is root else "").check()
        else:
            _check_without_source(func)
    _check_recursion(reached)


def _check_without_source(func: FunctionType) -> None:
    """Refuse what can be told from the names alone, in a function that was typed into an interpreter."""
    for name, value in used_values(func).items():
        words = words_for(value, name)
        if words:
            raise Refused(first_line(func), words)


def check_read_only(func: FunctionType) -> None:
    """Refuse a function that assigns to its view: compiled, that would be the table itself."""
    node = syntax_of(func)
    for part in ast.walk(node) if node else ():
        for target in _targets(part):
            root: ast.AST = target
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if root is not target and isinstance(root, ast.Name) and root.id == "view":
                raise Refused(Place(func.__code__.co_filename, target.lineno), "this assigns to the view, which is read-only")


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """The single targets of a statement that assigns or deletes."""
    found: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        found = list(node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        found = [node.target]
    for target in found:
        if isinstance(target, (ast.Tuple, ast.List)):
            found.extend(target.elts)  # looked at in turn
        else:
            yield target.value if isinstance(target, ast.Starred) else target


def _check_recursion(functions: list[FunctionType]) -> None:
    calls: dict[FunctionType, dict[FunctionType, ast.AST]] = {}
    for func in functions:
        node = syntax_of(func)
        scope = Scope(func, node) if node else None
        used = (
            [(scope.meaning(part), part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]
            if scope and node
            else []
        )
        calls[func] = {value: part for value, part in used if is_own_function(value)}
    for func in functions:
        for called, part in calls[func].items():
            if _reaches(called, func, calls):
                place = Place(func.__code__.co_filename, part.lineno)  # type: ignore[attr-defined]  # names and attributes have a line
                raise Refused(place, f"a function that calls itself doesn't compile here; use a loop, or {PLAIN}")


def _reaches(start: FunctionType, goal: FunctionType, calls: dict[FunctionType, dict[FunctionType, ast.AST]]) -> bool:
    seen = [start]
    for func in seen:
        if func is goal:
            return True
        seen.extend(called for called in calls.get(func, ()) if called not in seen)
    return False


class _Reading(ast.NodeVisitor):
    """One function, read from top to bottom; branches that a constant switches off are left out, as the compiler does."""

    def __init__(self, func: FunctionType, node: ast.FunctionDef, records: Records, role: str) -> None:
        self.func, self.node, self.records, self.role = func, node, records, role
        self.scope = Scope(func, node)
        taken = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
        stored = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        known = ("view", *_ROLE_RECORDS) if role else ("view",)
        self.given = {name for name in taken if name in known and name not in stored}

    def check(self) -> None:
        """Refuse the first mistake."""
        if self.node.args.kwarg:
            self.refuse(self.node, f"**{self.node.args.kwarg.arg} doesn't compile here; name the arguments, or {PLAIN}")
        for statement in self.node.body:
            self.visit(statement)
        if self.role == "choose" and self._falls_through(self.node.body):
            words = "choose can end here without a return; every path must return an action number"
            self.refuse(self.node.body[-1], words)

    def refuse(self, node: ast.AST, words: str) -> NoReturn:
        raise Refused(Place(self.func.__code__.co_filename, getattr(node, "lineno", self.node.lineno)), words)

    def visit(self, node: ast.AST) -> None:
        words = STATEMENTS.get(type(node))
        if words:
            self.refuse(node, words)
        super().visit(node)

    # -- statements --

    def visit_If(self, node: ast.If) -> None:
        self._visit_branches(node.test, node.body, node.orelse)

    def visit_While(self, node: ast.While) -> None:
        leaves = (ast.Break, ast.Return, ast.Raise)
        if self.scope.truth(node.test) is True and not any(isinstance(part, leaves) for part in ast.walk(node)):
            self.refuse(node, "this loop never ends; leave it with break or return")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._visit_branches(node.test, [node.body], [node.orelse])

    def _visit_branches(self, test: ast.expr, body: list[Any], orelse: list[Any]) -> None:
        truth = self.scope.truth(test)
        self.visit(test)
        for part in [*(body if truth is not False else []), *(orelse if truth is not True else [])]:
            self.visit(part)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring, or …
            self.visit(node.value)

    def visit_Global(self, node: ast.Global) -> None:
        stored = {part.id for part in ast.walk(self.node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
        if stored.intersection(node.names):
            self.refuse(node, f"global variables can't change in a compiled bot; use memory fields, or {PLAIN}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        for part in filter(None, (node.target, node.value)):
            self.visit(part)

    def visit_Import(self, node: ast.Import) -> None:
        self._refuse_import(node, node.names[0].name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._refuse_import(node, node.module or "")

    def _refuse_import(self, node: ast.AST, module: str) -> NoReturn:
        words = MODULES.get(module, "'import' doesn't compile inside a function; move it to the top of the file")
        self.refuse(node, words.format(module=module))

    def visit_Delete(self, node: ast.Delete) -> None:
        if any(isinstance(target, (ast.Subscript, ast.Attribute)) for target in node.targets):
            self.refuse(node, f"'del' doesn't compile here; use the list's pop(place), or {PLAIN}")

    def visit_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            if handler.name or not (handler.type is None or self.scope.meaning(handler.type) is Exception):
                self.refuse(handler, f"only 'except Exception:' compiles here, without a name; check before you act, or {PLAIN}")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if self.role == "choose" and not self._is_nested(node):
            value = node.value
            if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
                self._refuse_answer(node, "True or False")
            if value is not None and type(value) in LITERALS:
                self._refuse_answer(node, LITERALS[type(value)])
            constant = None if value is None else value.value if isinstance(value, ast.Constant) else 0
            if type(constant) in CONSTANTS:
                self._refuse_answer(node, CONSTANTS[type(constant)])
        self.generic_visit(node)

    def _refuse_answer(self, node: ast.AST, kind: str) -> NoReturn:
        self.refuse(node, wrong_answer(kind))

    def _is_nested(self, node: ast.AST) -> bool:
        inner = [part for part in ast.walk(self.node) if part is not self.node and isinstance(part, (ast.FunctionDef, ast.Lambda))]
        return any(node is part for function in inner for part in ast.walk(function))

    # -- expressions --

    def visit_Compare(self, node: ast.Compare) -> None:
        """A set behind `in` has no order that matters."""
        self.visit(node.left)
        for operator, part in zip(node.ops, node.comparators, strict=True):
            for inner in part.elts if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(part, ast.Set) else [part]:
                self.visit(inner)

    def visit_Starred(self, node: ast.Starred) -> None:
        if isinstance(node.ctx, ast.Store):
            self.refuse(node, f"*{ast.unparse(node.value)} doesn't compile as a target; take the parts by their index, or {PLAIN}")
        self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.refuse(node, f"generator expressions don't compile here; put [ ] around it to make a list, use a loop, or {PLAIN}")

    def visit_Call(self, node: ast.Call) -> None:
        called = self.scope.meaning(node.func)
        if called is any or called is all:
            self.refuse(node, f"{called.__name__}() doesn't compile here; use a loop, or {PLAIN}")
        if any(keyword.arg is None for keyword in node.keywords):
            self.refuse(node, f"** doesn't compile in a call; name the arguments, or {PLAIN}")
        if (called is max or called is min) and node.keywords:
            self.refuse(node, f"{called.__name__}() with {node.keywords[0].arg}= doesn't compile here; compare in a loop, or {PLAIN}")
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(argument, ast.Attribute) and self._is_given(argument.value) and self._is_method(argument):
                method = ast.unparse(argument)
                self.refuse(
                    argument,
                    f"{method} can't be passed on in a compiled bot; call {method}{_arguments(self.records.view, argument.attr)} in a loop",
                )
        if self._is_given(node.func):
            self.refuse(node, f"'{ast.unparse(node.func)}' is not a function; write a dot and what you want of it, such as view.decline()")
        if isinstance(node.func, ast.Attribute) and self._is_given(node.func.value):
            self._check_field(node.func, called=True)
            if self._given_name(node.func) == "view":
                self._check_arguments(node, node.func.attr)
            for part in (*node.args, *node.keywords):
                self.visit(part)
            return
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        value, owner = self.scope.meaning(node), self.scope.meaning(node.value)
        if value is not MISSING:
            self._check_value(node, value, ast.unparse(node), owner.__name__)
            return
        if isinstance(owner, ModuleType):
            self.refuse(node, f"{ast.unparse(node)} doesn't exist{nearest(node.attr, dir(owner), f'{ast.unparse(node.value)}.')}")
        if self._is_given(node.value):
            self._check_field(node, called=False)
            return
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.scope.local:
            return
        value = self.scope.meaning(node)
        if value is MISSING:
            self._refuse_unknown(node)
        self._check_value(node, value, node.id)

    def _refuse_unknown(self, node: ast.Name) -> NoReturn:
        if self.role and node.id in ("memory", "params", "scratch"):
            self.refuse(node, f"'{node.id}' is not defined; declare it in @kibitz.bot and add it to the arguments of {self.role}")
        self.refuse(node, f"'{node.id}' is not defined{nearest(node.id, {*self.scope.local, *self.func.__globals__})}")

    def _check_value(self, node: ast.AST, value: Any, name: str, owner: str = "") -> None:
        """Refuse a value from outside the function, perhaps from the module `owner`, that compiled code can't use."""
        words = words_for(value, name, owner)
        if words:
            self.refuse(node, words)

    # -- the view and other records --

    def _is_given(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.given

    def _given_name(self, node: ast.Attribute) -> str:
        assert isinstance(node.value, ast.Name)
        return node.value.id

    def _check_field(self, node: ast.Attribute, called: bool) -> None:
        record, name = self._given_name(node), node.attr
        known = self.records.names_of(record)
        if name not in known:
            listed = f"there is {', '.join(sorted(known))}" if len(known) <= MOST_LISTED else "docs/write-a-bot.md lists what there is"
            self.refuse(node, f"{record}.{name} doesn't exist{nearest(name, known, f'{record}.') or f'; {listed}'}")
        is_method = self._is_method(node)
        if called and not is_method:
            self.refuse(node, f"{record}.{name} is not a method; leave out the parentheses")
        if is_method and not called:
            self.refuse(node, f"{record}.{name} is a method; call it as {record}.{name}{_arguments(self.records.view, name)}")
        if is_method and inspect.signature(getattr(self.records.view, name)).return_annotation == "list[int]":
            loop = "go through all cards with a loop and ask view.count(card)"
            self.refuse(node, f"{record}.{name}() makes a list, which works only in Python bots; {loop}, or {PLAIN}")

    def _is_method(self, node: ast.Attribute) -> bool:
        """Whether an attribute of something given is a method of the view."""
        view = self.records.view
        return self._given_name(node) == "view" and node.attr not in _fields(view) and callable(getattr(view, node.attr, None))

    def _check_arguments(self, node: ast.Call, name: str) -> None:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        method = getattr(self.records.view, name)
        try:
            inspect.signature(method).bind(None, *node.args, **{str(keyword.arg): keyword.value for keyword in node.keywords})
        except TypeError:
            given = len(node.args) + len(node.keywords)
            count = counted(given, "argument")
            self.refuse(node, f"view.{name} is called with {count}; it is view.{name}{_arguments(self.records.view, name)}")

    # -- paths --

    def _falls_through(self, body: list[ast.stmt]) -> bool:
        """Whether the statements can be left at their end."""
        return all(self._goes_on(statement) for statement in body)

    def _goes_on(self, node: ast.stmt) -> bool:
        if isinstance(node, (ast.Return, ast.Raise)):
            return False
        if isinstance(node, ast.If):
            truth = self.scope.truth(node.test)
            return (truth is not False and self._falls_through(node.body)) or (truth is not True and self._falls_through(node.orelse))
        if isinstance(node, ast.While):
            return self.scope.truth(node.test) is not True or _has_break(node.body)
        if isinstance(node, ast.For):
            return not node.orelse or _has_break(node.body) or self._falls_through(node.orelse)
        if isinstance(node, ast.Match):
            last = node.cases[-1]
            whole = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
            return not whole or any(self._falls_through(case.body) for case in node.cases)
        if isinstance(node, ast.Try):
            ends = [node.body + node.orelse, *(handler.body for handler in node.handlers)]
            return self._falls_through(node.finalbody) and any(self._falls_through(body) for body in ends)
        return True


def _has_break(body: Sequence[ast.AST]) -> bool:
    """Whether the body of a loop leaves that loop by `break`."""
    for node in body:
        inner = node.orelse if isinstance(node, (ast.For, ast.While)) else list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Break) or _has_break(inner):
            return True
    return False


def nearest(name: str, known: Collection[str], before: str = "") -> str:
    """A question after the nearest of the known names, if one is near."""
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {before}{near[0]}?" if near else ""


def _arguments(view: type, name: str) -> str:
    names = list(inspect.signature(getattr(view, name)).parameters)[1:]
    return f"({', '.join(names)})"
