"""From the syntax tree of a kernel to LLVM instructions, in one walk.

The kind of a variable is that of everything assigned to it. Where a later assignment widens it, the walk starts again with what is known by then.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.compiler import calls
from kibitz.core.compiler.arithmetic import Writer, common_kind
from kibitz.core.compiler.value_types import (
    BOOL,
    DOUBLE,
    INT,
    LOADED,
    NONE,
    NOTHING,
    WORD,
    Array,
    RecordType,
    Scalar,
    Several,
    Unsupported,
    Value,
    ValueType,
    constant,
    handed_over,
    kind_of,
    layout,
    tuple_of,
)
from kibitz.core.primitives import Numbers, Word, Words

if TYPE_CHECKING:
    from kibitz.core.compiler.compiled_kernels import Compiler

_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)


class _Widened(Exception):
    """A variable, or the result, turned out to be of a wider kind."""


class Body(Writer):
    """The instructions of one kernel for arguments of these kinds."""

    def __init__(
        self, func: FunctionType, definition: ast.FunctionDef, kinds: tuple[ValueType, ...], compiler: Compiler, checks_division: bool
    ) -> None:
        super().__init__()
        self.func = func
        self.definition = definition
        self.kinds = kinds
        self.compiler = compiler
        self.checks_division = checks_division  # by Numba's error model of Python, which this compiler does not have
        self.result: ValueType | None = None
        self.variables: dict[str, ValueType] = {}
        self.fails = False  # whether an error of something it calls may come up through it
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
            raise Unsupported("parameters other than plain ones")
        self.parameters = [argument.arg for argument in arguments.args]
        stores = [node for node in ast.walk(definition) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        self.locals = {node.id for node in stores}

    def write(self) -> None:
        """All instructions, into `lines`, `slots`, `declared` and `tables`; `result` is what it returns."""
        while True:
            self.lines, self.slots, self.declared, self.tables = [], [], set(), {}
            self.ended, self.fails, self.targets = False, False, set()
            self._places: dict[str, Value] = {}
            self._loops: list[tuple[str, str]] = []
            try:
                self._begin()
                self.block(self.definition.body)
                if not self.ended:
                    self.give_back(NOTHING)
                return
            except _Widened:
                continue

    def signature(self) -> list[str]:
        """The parameters as LLVM has them, in Numba's calling convention."""
        return [text for name, kind in zip(self.parameters, self.kinds, strict=True) for text in calls.passed_kinds(kind, f"%a.{name}")]

    def _begin(self) -> None:
        self._given = {name: calls.received(kind, f"%a.{name}") for name, kind in zip(self.parameters, self.kinds, strict=True)}
        for name, value in self._given.items():
            if name in self.locals:
                self.assign(name, calls.in_registers(self, value))

    # -- variables --

    def assign(self, name: str, value: Value) -> None:
        """Set a variable."""
        if value.kind is NONE:
            raise Unsupported("a variable that is nothing")
        known = self.variables.get(name)
        if known is None:
            self.variables[name] = value.kind
        elif known != value.kind:
            wider = common_kind(known, value.kind)
            if wider is DOUBLE and INT in (known, value.kind):
                raise Unsupported("a variable that is a whole number here and a float there")
            if wider != known:
                self.variables[name] = wider
                raise _Widened
        self._set(self._place(name), self.convert(value, self.variables[name]))

    def _place(self, name: str) -> Value:
        if name not in self._places:
            self._places[name] = self._new_place(self.variables[name])
        return self._places[name]

    def _new_place(self, kind: ValueType) -> Value:
        if isinstance(kind, Several):
            return Value(kind, "", items=tuple(self._new_place(item) for item in kind.items))
        register = kind.register if isinstance(kind, Scalar) else "ptr"
        slot = self.new_slot(register)
        self.slots.append(f"  store {register} zeroinitializer, ptr {slot}")
        length = self.new_slot("i64") if isinstance(kind, Array) and kind.count is None else ""
        return Value(kind, slot, length=length)

    def _set(self, place: Value, value: Value) -> None:
        if isinstance(place.kind, Several):
            for part, item in zip(place.items, value.items, strict=True):
                self._set(part, item)
            return
        register = place.kind.register if isinstance(place.kind, Scalar) else "ptr"
        self.do(f"store {register} {value.text}, ptr {place.text}")
        if place.length:
            self.do(f"store i64 {value.length}, ptr {place.length}")

    def _get(self, place: Value) -> Value:
        if isinstance(place.kind, Several):
            return Value(place.kind, "", items=tuple(self._get(item) for item in place.items))
        register = place.kind.register if isinstance(place.kind, Scalar) else "ptr"
        length = self.put(f"load i64, ptr {place.length}") if place.length else ""
        return Value(place.kind, self.put(f"load {register}, ptr {place.text}"), length=length)

    # -- statements --

    def block(self, statements: list[ast.stmt]) -> None:
        """Some statements, one after the other."""
        for statement in statements:
            if self.ended:
                return  # nothing gets here
            handler = getattr(self, f"_do_{type(statement).__name__}", None)
            if handler is None:
                raise Unsupported(type(statement).__name__)
            handler(statement)

    def _do_Pass(self, statement: ast.Pass) -> None:
        pass

    def _do_Expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):
            self.value(statement.value)

    def _do_Assign(self, statement: ast.Assign) -> None:
        value = self.value(statement.value)
        for target in statement.targets:
            self.put_into(target, value)

    def _do_AnnAssign(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.put_into(statement.target, self.value(statement.value))

    def _do_AugAssign(self, statement: ast.AugAssign) -> None:
        target = statement.target
        if isinstance(target, ast.Name):
            self.assign(target.id, self._combined(statement.op, self.named(target.id), statement.value))
            return
        pointer, code = self.field_at(target) if isinstance(target, ast.Attribute) else self.element_at(target)
        self.store(self._combined(statement.op, self.load(pointer, code), statement.value), pointer, code)

    def put_into(self, target: ast.expr, value: Value) -> None:
        """Assign to a variable, a field, an element, or to several of them."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            if len(target.elts) != len(value.items):
                raise Unsupported("a tuple taken apart into another number of things")
            for part, item in zip(target.elts, value.items, strict=True):
                self.put_into(part, item)
        else:
            pointer, code = self.field_at(target) if isinstance(target, ast.Attribute) else self.element_at(target)
            self.store(value, pointer, code)

    def _do_Return(self, statement: ast.Return) -> None:
        self.give_back(NOTHING if statement.value is None else self.value(statement.value))

    def give_back(self, value: Value) -> None:
        """Return a value."""
        if self.result is None:
            self.result = value.kind
        elif self.result != value.kind:
            wider = common_kind(self.result, value.kind)
            if wider != self.result:
                self.result = wider
                raise _Widened
        value = self.convert(value, self.result)
        if self.result is not NONE:
            for (part, place), item in zip(layout(self.result), value.items or (value,), strict=True):
                text = self.put(f"zext i1 {item.text} to i8") if part is BOOL else item.text
                self.do(f"store {part.memory} {text}, ptr {self.offset('%result', place)}")
        self.do("ret i32 0")
        self.ended = True

    def _do_If(self, statement: ast.If) -> None:
        known = self.known_truth(statement.test)
        if known is not None:
            self.block(statement.body if known else statement.orelse)
            return
        yes, no, after = self.new_label(), self.new_label(), self.new_label()
        self.branch(statement.test, yes, no)
        self.start_block(yes)
        self.block(statement.body)
        self.jump(after)
        self.start_block(no)
        self.block(statement.orelse)
        self._join(after)

    def _join(self, label: str) -> None:
        """Go on at a label, unless nothing comes there."""
        if not self.ended or label in self.targets:
            self.start_block(label)

    def _do_While(self, statement: ast.While) -> None:
        if statement.orelse:
            raise Unsupported("else after a loop")
        again, inside, after = self.new_label(), self.new_label(), self.new_label()
        self.start_block(again)
        known = self.known_truth(statement.test)
        if known is None:
            self.branch(statement.test, inside, after)
        else:
            self.jump(inside if known else after)
        self.start_block(inside)
        self._loop(statement.body, again, after)
        self.jump(again)
        self._join(after)

    def _do_For(self, statement: ast.For) -> None:
        if statement.orelse or not isinstance(statement.target, ast.Name):
            raise Unsupported("this kind of loop")
        if isinstance(statement.iter, ast.Call) and self._called(statement.iter.func) is range:
            self._over_range(statement, statement.target.id, statement.iter)
        else:
            self._over_tuple(statement, statement.target.id)

    def _over_range(self, statement: ast.For, name: str, numbers: ast.Call) -> None:
        ends = [self.value(argument) for argument in numbers.args]
        if any(end.kind not in (INT, BOOL) for end in ends) or numbers.keywords or not 1 <= len(ends) <= 3:
            raise Unsupported("a range of something else than signed numbers")
        start = self.convert(ends[0], INT) if len(ends) > 1 else constant(0)
        stop = self.convert(ends[1] if len(ends) > 1 else ends[0], INT)
        step = ends[2].constant if len(ends) > 2 else 1
        if not isinstance(step, int) or not step:
            raise Unsupported("a range with a step that is not known")
        self._count(statement.body, start.text, stop.text, step, lambda current: self.assign(name, Value(INT, current)))

    def _count(self, body: list[ast.stmt], start: str, stop: str, step: int, set_variable: Callable[[str], None]) -> None:
        """A loop over numbers; `set_variable` is told where each is kept."""
        counter = self.new_slot("i64")
        self.do(f"store i64 {start}, ptr {counter}")
        again, inside, onward, after = self.new_label(), self.new_label(), self.new_label(), self.new_label()
        self.start_block(again)
        current = self.put(f"load i64, ptr {counter}")
        self.fork(self.put(f"icmp {'slt' if step > 0 else 'sgt'} i64 {current}, {stop}"), inside, after)
        self.start_block(inside)
        set_variable(current)
        self._loop(body, onward, after)
        self.start_block(onward)
        following = self.put(f"add nsw i64 {self.put(f'load i64, ptr {counter}')}, {step}")
        self.do(f"store i64 {following}, ptr {counter}")
        self.jump(again)
        self.start_block(after)

    def _over_tuple(self, statement: ast.For, name: str) -> None:
        items = self.value(statement.iter).items
        if not items or any(item.kind != items[0].kind or not isinstance(item.kind, Scalar) for item in items):
            raise Unsupported("a loop over something else than a range or equal numbers")
        kind, row = items[0].kind, self._row(items)
        assert isinstance(kind, Scalar)

        def take(current: str) -> None:
            place = self.put(f"getelementptr {kind.register}, ptr {row}, i64 {current}")
            self.assign(name, Value(kind, self.put(f"load {kind.register}, ptr {place}")))

        self._count(statement.body, "0", str(len(items)), 1, take)

    def _row(self, items: tuple[Value, ...]) -> str:
        """Equal numbers in a row in memory."""
        kind = items[0].kind
        assert isinstance(kind, Scalar)
        if kind is BOOL:
            raise Unsupported("a row of truth values")
        row = self.new_slot(kind.register, len(items) if len(items) > 1 else 2)
        for place, item in enumerate(items):
            at = self.put(f"getelementptr {kind.register}, ptr {row}, i64 {place}")
            self.do(f"store {kind.register} {item.text}, ptr {at}")
        return row

    def _loop(self, body: list[ast.stmt], onward: str, after: str) -> None:
        self._loops.append((onward, after))
        self.block(body)
        self._loops.pop()

    def _do_Break(self, statement: ast.Break) -> None:
        self.jump(self._loops[-1][1])

    def _do_Continue(self, statement: ast.Continue) -> None:
        self.jump(self._loops[-1][0])

    # -- conditions --

    def known_truth(self, test: ast.expr) -> bool | None:
        """What a condition of constants comes to; None if it depends on something."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.known_truth(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            for part in test.values:
                inner = self.known_truth(part)
                if inner is None or inner is isinstance(test.op, ast.Or):
                    return inner
            return isinstance(test.op, ast.And)
        if isinstance(test, ast.Constant) and isinstance(test.value, bool | int):
            return bool(test.value)
        if isinstance(test, ast.Name) and test.id not in self.locals and test.id not in self.parameters:
            found = self.named(test.id).constant
            return None if found is None else bool(found)
        return None

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Jump to one of two labels."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.branch(test.operand, no, yes)
        elif isinstance(test, ast.BoolOp):
            for part in test.values[:-1]:
                onward = self.new_label()
                if isinstance(test.op, ast.And):
                    self.branch(part, onward, no)
                else:
                    self.branch(part, yes, onward)
                self.start_block(onward)
            self.branch(test.values[-1], yes, no)
        elif (known := self.known_truth(test)) is not None:
            self.jump(yes if known else no)
        else:
            self.fork(self.truth(self.value(test)).text, yes, no)

    # -- expressions --

    def value(self, expression: ast.expr) -> Value:
        """What an expression comes to."""
        handler = getattr(self, f"_of_{type(expression).__name__}", None)
        if handler is None:
            raise Unsupported(type(expression).__name__)
        found: Value = handler(expression)
        return found

    def _of_Constant(self, expression: ast.Constant) -> Value:
        if isinstance(expression.value, bool | int | float):
            return constant(expression.value)
        raise Unsupported(f"the constant {expression.value!r}")

    def _of_Name(self, expression: ast.Name) -> Value:
        return self.named(expression.id)

    def named(self, name: str) -> Value:
        """A variable, a parameter or a constant of the module."""
        if name in self.locals:
            if name not in self.variables:
                raise Unsupported(f"{name} before it is set")
            return self._get(self._place(name))
        if name in self._given:
            return calls.in_registers(self, self._given[name])
        return self.constant_of(self.found(name))

    def found(self, name: str) -> Any:
        """What a name of the module, or of Python, stands for."""
        if name in self.func.__globals__:
            return self.func.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Unsupported(f"the name {name}")

    def constant_of(self, found: Any) -> Value:
        """A constant of a module as a value."""
        if isinstance(found, Word | np.uint64):
            return constant(int(found), WORD)
        if isinstance(found, Words | Numbers):
            code = "u8" if isinstance(found, Words) else "i8"
            return self._table(found, code, len(found))
        if isinstance(found, bool | np.bool_):
            return constant(bool(found))
        if isinstance(found, int | np.int64):
            return constant(int(found))
        if isinstance(found, float):
            return constant(float(found))
        if type(found) is tuple:
            return tuple_of(tuple(self.constant_of(item) for item in found))
        if isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.str[1:] in ("i8", "u8", "f8", "f4", "i4", "i1"):
            return self._table(found.tolist(), found.dtype.str[1:], len(found))
        raise Unsupported(f"a {type(found).__name__} as a value")

    def _table(self, numbers: Any, code: str, count: int) -> Value:
        memory, _, kind = LOADED[code]
        key = (code, tuple(numbers))
        if key not in self.tables:
            name = self.compiler.new_symbol("table")
            row = ", ".join(f"{memory} {constant(one, kind).text if kind not in (INT, WORD) else int(one)}" for one in numbers)
            self.tables[key] = f"@{name} = internal unnamed_addr constant [{count} x {memory}] [{row}], align 8"
        name = self.tables[key].split(" ")[0]
        return Value(Array(code, count, None), name)

    def _of_Tuple(self, expression: ast.Tuple) -> Value:
        return tuple_of(tuple(self.value(item) for item in expression.elts))

    def _of_BinOp(self, expression: ast.BinOp) -> Value:
        return self._combined(expression.op, self.value(expression.left), expression.right)

    def _combined(self, operation: ast.operator, first: Value, second: ast.expr) -> Value:
        other = self.value(second)
        if self.checks_division and isinstance(operation, _DIVISIONS) and not other.constant:
            raise Unsupported("a division that would be checked")
        return self.combine(type(operation), first, other)

    def _of_UnaryOp(self, expression: ast.UnaryOp) -> Value:
        value = self.value(expression.operand)
        if isinstance(expression.op, ast.USub):
            return self.negate(value)
        if isinstance(expression.op, ast.Invert):
            return self.invert(value)
        if isinstance(expression.op, ast.Not):
            truth = self.truth(value)
            return constant(not truth.constant) if truth.constant is not None else Value(BOOL, self.put(f"xor i1 {truth.text}, true"))
        raise Unsupported(type(expression.op).__name__)

    def _of_Compare(self, expression: ast.Compare) -> Value:
        if len(expression.ops) == 1:
            return self.compare(type(expression.ops[0]), self.value(expression.left), self.value(expression.comparators[0]))
        slot, after = self.new_slot("i1"), self.new_label()
        first = self.value(expression.left)
        for place, (operation, comparator) in enumerate(zip(expression.ops, expression.comparators, strict=True)):
            second = self.value(comparator)
            self.do(f"store i1 {(holds := self.compare(type(operation), first, second).text)}, ptr {slot}")
            if place < len(expression.ops) - 1:
                onward = self.new_label()
                self.fork(holds, onward, after)
                self.start_block(onward)
            first = second
        self.start_block(after)
        return Value(BOOL, self.put(f"load i1, ptr {slot}"))

    def _of_BoolOp(self, expression: ast.BoolOp) -> Value:
        first = self.value(expression.values[0])
        for following in expression.values[1:]:
            onward, after = self.new_label(), self.new_label()
            truth = self.truth(first).text
            before = len(self.lines)
            self.fork(truth, *((onward, after) if isinstance(expression.op, ast.And) else (after, onward)))
            self.start_block(onward)
            second = self.value(following)
            kind = common_kind(first.kind, second.kind)
            if not isinstance(kind, Scalar):
                raise Unsupported("and, or between something else than numbers")
            slot = self.new_slot(kind.register)
            # The first value is kept before the jump, where it was known.
            kept, self.lines = self.lines[before:], self.lines[:before]
            self.do(f"store {kind.register} {self.convert(first, kind).text}, ptr {slot}")
            self.lines += kept
            self.do(f"store {kind.register} {self.convert(second, kind).text}, ptr {slot}")
            self.start_block(after)
            first = Value(kind, self.put(f"load {kind.register}, ptr {slot}"))
        return first

    def _of_IfExp(self, expression: ast.IfExp) -> Value:
        known = self.known_truth(expression.test)
        if known is not None:
            return self.value(expression.body if known else expression.orelse)
        yes, no, after = self.new_label(), self.new_label(), self.new_label()
        self.branch(expression.test, yes, no)
        self.start_block(yes)
        first = self.value(expression.body)
        first_end = len(self.lines)
        self.jump(after)
        self.start_block(no)
        second = self.value(expression.orelse)
        kind = common_kind(first.kind, second.kind)
        place = self._new_place(kind)
        kept, self.lines = self.lines[first_end:], self.lines[:first_end]
        self._set(place, self.convert(first, kind))
        self.lines += kept
        self._set(place, self.convert(second, kind))
        self.start_block(after)
        return self._get(place)

    # -- fields and elements --

    def _of_Attribute(self, expression: ast.Attribute) -> Value:
        record = self.value(expression.value)
        if not isinstance(record.kind, RecordType):
            raise Unsupported("an attribute of something else than a record")
        field = record.kind.numba.fields.get(expression.attr)
        if field is None:
            raise Unsupported(f"the attribute {expression.attr}")
        pointer = self.offset(record.text, field.offset)
        kind = kind_of(field.type)
        if isinstance(kind, Array):
            return Value(kind, pointer)
        return self.load(pointer, calls.code_of(field.type))

    def field_at(self, target: ast.Attribute) -> tuple[str, str]:
        """Where a field is kept, and as what."""
        record = self.value(target.value)
        if not isinstance(record.kind, RecordType) or target.attr not in record.kind.numba.fields:
            raise Unsupported("a field of something else than a record")
        field = record.kind.numba.fields[target.attr]
        return self.offset(record.text, field.offset), calls.code_of(field.type)

    def element_at(self, target: ast.expr) -> tuple[str, str]:
        """Where an element is kept, and as what."""
        if not isinstance(target, ast.Subscript):
            raise Unsupported("this kind of target")
        array = self.value(target.value)
        if not isinstance(array.kind, Array) or array.kind.numba is None or not array.kind.numba.mutable:
            raise Unsupported("an element of something else than an array")
        return self.element(array, self.value(target.slice)), array.kind.code

    def _of_Subscript(self, expression: ast.Subscript) -> Value:
        array = self.value(expression.value)
        index = self.value(expression.slice)
        if isinstance(array.kind, Array):
            return self.load(self.element(array, index), array.kind.code)
        if not array.items:
            raise Unsupported("an element of something else than an array or tuple")
        if isinstance(index.constant, int) and -len(array.items) <= index.constant < len(array.items):
            return array.items[index.constant]
        if index.constant is None and all(item.kind == array.items[0].kind and item.kind in (INT, WORD, DOUBLE) for item in array.items):
            if all(item.constant is not None for item in array.items):
                code = {INT: "i8", WORD: "u8", DOUBLE: "f8"}[array.items[0].kind]  # type: ignore[index]  # one of these three
                table = self._table([item.constant for item in array.items], code, len(array.items))
                return self.load(self.element(table, index), code)
            kind = array.items[0].kind
            row = Value(Array("f8" if kind is DOUBLE else "u8" if kind is WORD else "i8", len(array.items), None), self._row(array.items))
            return self.load(self.element(row, index), row.kind.code)  # type: ignore[attr-defined]  # an Array
        raise Unsupported("this kind of index")

    # -- calls --

    def _called(self, function: ast.expr) -> Any:
        if isinstance(function, ast.Name) and function.id not in self.locals and function.id not in self.parameters:
            return self.found(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in self.func.__globals__:
            return getattr(self.func.__globals__[function.value.id], function.attr, None)
        return None

    def _of_Call(self, expression: ast.Call) -> Value:
        if expression.keywords or any(isinstance(argument, ast.Starred) for argument in expression.args):
            raise Unsupported("a call with named arguments")
        found = self._called(expression.func)
        if found is None and isinstance(expression.func, ast.Attribute):
            receiver = self.value(expression.func.value)
            found = self.compiler.method_of(receiver.kind, expression.func.attr)
            return self.call_kernel(found, [receiver, *[self.value(argument) for argument in expression.args]])
        arguments = [self.value(argument) for argument in expression.args]
        known = calls.MEANINGS.get(found) if not isinstance(found, np.ndarray) else None
        if known is not None:
            return known(self, arguments)
        if isinstance(found, FunctionType):
            special = self.compiler.special(found)
            return special(self, arguments) if special else self.call_kernel(found, arguments)
        raise Unsupported(f"a call of {found!r}")

    def call_kernel(self, func: FunctionType, arguments: list[Value]) -> Value:
        """Call another kernel."""
        missing = func.__code__.co_argcount - len(arguments)
        if missing:
            defaults = func.__defaults__ or ()
            if not 0 < missing <= len(defaults):
                raise Unsupported("another number of arguments")
            arguments = arguments + [self.constant_of(value) for value in defaults[len(defaults) - missing :]]
        arguments = [handed_over(argument) for argument in arguments]
        kernel = self.compiler.compiled(func, tuple(argument.kind for argument in arguments))
        for argument, kind in zip(arguments, kernel.kinds, strict=True):
            if argument.kind != kind:
                raise Unsupported("an argument of another kind")
        self.declared.add(kernel.declaration)
        return calls.call_address(self, f"@{kernel.symbol}", kernel.result, arguments, kernel.fails)
