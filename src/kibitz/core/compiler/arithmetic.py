"""Instructions for arithmetic, comparisons and conversions, with the types that Numba gives their results."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from kibitz.core.compiler.value_types import (
    BOOL,
    DOUBLE,
    FLOATS,
    INT,
    LOADED,
    NONE,
    SINGLE,
    WORD,
    Array,
    Scalar,
    Several,
    Unsupported,
    Value,
    ValueType,
    constant,
)

_WHOLE = (INT, WORD, BOOL)
_NUMBERS = (*_WHOLE, *FLOATS)
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {ast.Add: ("add", "fadd"), ast.Sub: ("sub", "fsub"), ast.Mult: ("mul", "fmul")}
_BITWISE: dict[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str, str]] = {  # signed, unsigned, float
    ast.Eq: ("eq", "eq", "oeq"),
    ast.NotEq: ("ne", "ne", "une"),
    ast.Lt: ("slt", "ult", "olt"),
    ast.LtE: ("sle", "ule", "ole"),
    ast.Gt: ("sgt", "ugt", "ogt"),
    ast.GtE: ("sge", "uge", "oge"),
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_FOLDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def common_kind(first: ValueType, second: ValueType) -> ValueType:
    """What Numba makes of two values that may stand in one place; whatever it would turn into something surprising is left to it."""
    if first == second:
        return first
    kinds = {first, second}
    if kinds == {BOOL, INT}:
        return INT
    if kinds == {SINGLE, DOUBLE} or kinds == {INT, DOUBLE}:
        return DOUBLE
    if isinstance(first, Several) and isinstance(second, Several) and len(first.items) == len(second.items):
        return Several(tuple(common_kind(one, other) for one, other in zip(first.items, second.items, strict=True)))
    raise Unsupported(f"{first} or {second} in one place")


class Writer:
    """Writes the instructions of one kernel: names of values, places for variables, the current block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.slots: list[str] = []  # at the very start, where LLVM looks for variables
        self.declared: set[str] = set()  # outside functions
        self.tables: dict[Any, str] = {}  # constant tables: their text, by name
        self._names = 0
        self.ended = False  # whether the current block has jumped away
        self.targets: set[str] = set()  # labels that something jumps to

    # -- the least things --

    def new_name(self) -> str:
        """A name for a value."""
        self._names += 1
        return f"%x{self._names}"

    def put(self, text: str) -> str:
        """An instruction with a result."""
        name = self.new_name()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}")

    def new_label(self) -> str:
        """A name for a block."""
        self._names += 1
        return f"b{self._names}"

    def start_block(self, label: str) -> None:
        """Go on in a new block."""
        if not self.ended:
            self.do(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.ended = False

    def jump(self, label: str) -> None:
        """Go on at a label, unless the block has ended already."""
        if not self.ended:
            self.do(f"br label %{label}")
            self.targets.add(label)
            self.ended = True

    def fork(self, test: str, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        self.do(f"br i1 {test}, label %{yes}, label %{no}")
        self.targets |= {yes, no}
        self.ended = True

    def new_slot(self, kind: str, count: int = 1) -> str:
        """A place in memory for the whole time of a call."""
        name = self.new_name()
        self.slots.append(f"  {name} = alloca {kind if count == 1 else f'[{count} x {kind}]'}, align 8")
        return name

    def intrinsic(self, name: str, result: str, *arguments: str) -> str:
        """Call a function of LLVM's own or of the C library; arguments with their types."""
        kinds = ", ".join(argument.split(" ")[0] for argument in arguments)
        self.declared.add(f"declare {result} @{name}({kinds})")
        call = f"call {result} @{name}({', '.join(arguments)})"
        if result == "void":
            self.do(call)
            return ""
        return self.put(call)

    # -- memory --

    def load(self, pointer: str, code: str) -> Value:
        """A number from memory."""
        memory, widening, kind = LOADED[code]
        text = self.put(f"load {memory}, ptr {pointer}")
        if widening == "bool":
            text = self.put(f"trunc i8 {text} to i1")
        elif widening:
            text = self.put(f"{widening} {memory} {text} to i64")
        return Value(kind, text)

    def store(self, value: Value, pointer: str, code: str) -> None:
        """A number into memory, converted to what is kept there."""
        memory, widening, kind = LOADED[code]
        text = self.convert(value, kind).text
        if widening == "bool":
            text = self.put(f"zext i1 {text} to i8")
        elif widening:
            text = self.put(f"trunc i64 {text} to {memory}")
        self.do(f"store {memory} {text}, ptr {pointer}")

    def offset(self, pointer: str, count: int) -> str:
        """A place some bytes further on."""
        return self.put(f"getelementptr inbounds i8, ptr {pointer}, i64 {count}") if count else pointer

    def element(self, array: Value, index: Value) -> str:
        """The place of an element; a negative index counts from the end."""
        assert isinstance(array.kind, Array)
        memory = LOADED[array.kind.code][0]
        length = array.length or str(array.kind.count)
        if index.kind not in _WHOLE:
            raise Unsupported("an index that is no whole number")
        if isinstance(index.constant, int):
            place = str(index.constant) if index.constant >= 0 else self.put(f"add i64 {index.constant}, {length}")
        elif index.kind is INT:
            below = self.put(f"icmp slt i64 {index.text}, 0")
            wrapped = self.put(f"add i64 {index.text}, {length}")
            place = self.put(f"select i1 {below}, i64 {wrapped}, i64 {index.text}")
        else:
            place = self.convert(index, WORD).text
        return self.put(f"getelementptr {memory}, ptr {array.text}, i64 {place}")

    # -- conversions --

    def convert(self, value: Value, kind: ValueType) -> Value:
        """A value as one of another kind."""
        source = value.kind
        if source == kind:
            return value
        if isinstance(kind, Several) and isinstance(source, Several) and len(kind.items) == len(source.items):
            items = tuple(self.convert(item, wanted) for item, wanted in zip(value.items, kind.items, strict=True))
            return Value(kind, "", items=items)
        if not isinstance(source, Scalar) or not isinstance(kind, Scalar) or NONE in (source, kind):
            raise Unsupported(f"{source} as {kind}")
        if value.constant is not None and (source in (BOOL, INT) or kind in FLOATS) and not (kind is WORD and value.constant < 0):
            return constant(bool(value.constant) if kind is BOOL else value.constant if kind in FLOATS else int(value.constant), kind)
        return Value(kind, self._converted(value.text, source, kind))

    def _converted(self, text: str, source: Scalar, kind: Scalar) -> str:
        if kind is BOOL:
            zero = "0.0" if source in FLOATS else "0"
            return self.put(f"{'fcmp une' if source in FLOATS else 'icmp ne'} {source.register} {text}, {zero}")
        if kind in FLOATS:
            if source in FLOATS:
                return self.put(f"{'fpext' if kind is DOUBLE else 'fptrunc'} {source.register} {text} to {kind.register}")
            return self.put(f"{'sitofp' if source is INT else 'uitofp'} {source.register} {text} to {kind.register}")
        if source in FLOATS:
            return self.put(f"{'fptosi' if kind is INT else 'fptoui'} {source.register} {text} to i64")
        return self.put(f"zext i1 {text} to i64") if source is BOOL else text

    def truth(self, value: Value) -> Value:
        """Whether a value counts as true."""
        if value.kind not in _NUMBERS:
            raise Unsupported("a truth value of something else than a number")
        return self.convert(value, BOOL)

    # -- arithmetic --

    def combine(self, operation: type[ast.operator], first: Value, second: Value) -> Value:
        """The result of a binary operator."""
        kinds = first.kind, second.kind
        if not (first.kind in _NUMBERS and second.kind in _NUMBERS):
            raise Unsupported("arithmetic with something else than numbers")
        folded = self._folded(operation, first, second)
        if folded is not None:
            return folded
        if operation in (ast.LShift, ast.RShift):
            return self._shifted(operation, first, second)
        if operation in _BITWISE and kinds == (BOOL, BOOL):
            return Value(BOOL, self.put(f"{_BITWISE[operation]} i1 {first.text}, {second.text}"))
        kind = self._result(operation, first.kind, second.kind)
        first, second = self.convert(first, kind), self.convert(second, kind)
        if operation in _ARITHMETIC:
            whole, floating = _ARITHMETIC[operation]
            name = floating if kind in FLOATS else f"{whole} nsw" if kind is INT else whole
            assert isinstance(kind, Scalar)
            return Value(kind, self.put(f"{name} {kind.register} {first.text}, {second.text}"))
        if operation in _BITWISE and kind not in FLOATS:
            return Value(kind, self.put(f"{_BITWISE[operation]} i64 {first.text}, {second.text}"))
        if operation is ast.Div:
            assert isinstance(kind, Scalar)
            return Value(kind, self.put(f"fdiv {kind.register} {first.text}, {second.text}"))
        if operation in (ast.FloorDiv, ast.Mod) and kind not in FLOATS:
            return Value(kind, self._divided(operation is ast.FloorDiv, kind is INT, first.text, second))
        raise Unsupported(f"the operator {operation.__name__}")

    def _folded(self, operation: type[ast.operator], first: Value, second: Value) -> Value | None:
        one, other = first.constant, second.constant
        whole = first.kind is INT and second.kind is INT and isinstance(one, int) and isinstance(other, int)
        if not whole or operation not in _FOLDED or (operation in (ast.FloorDiv, ast.Mod) and not other):
            return None
        result = _FOLDED[operation](one, other)
        return constant(result) if -(2**63) <= result < 2**63 else None

    def _result(self, operation: type[ast.operator], first: ValueType, second: ValueType) -> ValueType:
        kinds = {first, second}
        if kinds & set(FLOATS):
            if operation in _BITWISE or BOOL in kinds or kinds == {SINGLE, WORD}:
                raise Unsupported("an operator between these")
            return SINGLE if kinds == {SINGLE} else DOUBLE
        if operation is ast.Div:
            return DOUBLE
        if WORD in kinds:
            if kinds != {WORD}:
                raise Unsupported("a word with another number, which Numba makes a float")
            return WORD
        return INT

    def _shifted(self, operation: type[ast.operator], first: Value, second: Value) -> Value:
        if first.kind in FLOATS or second.kind in FLOATS:
            raise Unsupported("a float that is shifted")
        kind = WORD if first.kind is WORD else INT
        name = "shl" if operation is ast.LShift else "lshr" if kind is WORD else "ashr"
        return Value(kind, self.put(f"{name} i64 {self.convert(first, kind).text}, {self.convert(second, kind).text}"))

    def _divided(self, quotient: bool, signed: bool, first: str, divisor: Value) -> str:
        """Rounded down as Python does; 0 where it divides by zero."""
        second = divisor.text
        sure = bool(divisor.constant) and divisor.constant != -1
        if not sure:
            none = self.put(f"icmp eq i64 {second}, 0")
            if signed:
                least, minus = self.put(f"icmp eq i64 {first}, {-(2**63)}"), self.put(f"icmp eq i64 {second}, -1")
                none = self.put(f"or i1 {none}, {self.put(f'and i1 {least}, {minus}')}")
            second = self.put(f"select i1 {none}, i64 1, i64 {second}")
        if not signed:
            result = self.put(f"{'udiv' if quotient else 'urem'} i64 {first}, {second}")
        else:
            rest = self.put(f"srem i64 {first}, {second}")
            apart = self.put(f"icmp slt i64 {self.put(f'xor i64 {rest}, {second}')}, 0")
            down = self.put(f"and i1 {apart}, {self.put(f'icmp ne i64 {rest}, 0')}")
            if quotient:
                whole = self.put(f"sdiv i64 {first}, {second}")
                result = self.put(f"add i64 {whole}, {self.put(f'sext i1 {down} to i64')}")
            else:
                result = self.put(f"add i64 {rest}, {self.put(f'select i1 {down}, i64 {second}, i64 0')}")
        return result if sure else self.put(f"select i1 {none}, i64 0, i64 {result}")

    def negate(self, value: Value) -> Value:
        """Minus a value."""
        if value.constant is not None and value.kind in (INT, DOUBLE):
            return constant(-value.constant)
        if value.kind is INT:
            return Value(INT, self.put(f"sub nsw i64 0, {value.text}"))
        if value.kind in FLOATS:
            assert isinstance(value.kind, Scalar)
            return Value(value.kind, self.put(f"fneg {value.kind.register} {value.text}"))
        raise Unsupported("minus something else than a signed number")

    def invert(self, value: Value) -> Value:
        """All bits of a value turned around."""
        if value.kind not in (INT, WORD):
            raise Unsupported("the bits of something else than a whole number")
        return Value(value.kind, self.put(f"xor i64 {value.text}, -1"))

    # -- comparisons --

    def compare(self, operation: type[ast.cmpop], first: Value, second: Value) -> Value:
        """Whether a comparison of two numbers holds."""
        if operation not in _COMPARISONS or not (first.kind in _NUMBERS and second.kind in _NUMBERS):
            raise Unsupported("a comparison of something else than numbers")
        if first.constant is not None and second.constant is not None:
            return constant(_COMPARED[operation](first.constant, second.constant))
        signed, unsigned, floating = _COMPARISONS[operation]
        kinds = {first.kind, second.kind}
        if kinds & set(FLOATS):
            kind = SINGLE if kinds == {SINGLE} else DOUBLE
            first, second = self.convert(first, kind), self.convert(second, kind)
            return Value(BOOL, self.put(f"fcmp {floating} {kind.register} {first.text}, {second.text}"))
        if WORD not in kinds:
            return self._compared(signed, first, second, INT)
        if kinds == {WORD, BOOL} or kinds == {WORD}:
            return self._compared(unsigned, first, second, WORD)
        if first.kind is WORD:  # the signed one first
            return self.compare(_MIRRORED.get(operation, operation), second, first)
        result = self._compared(unsigned, first, second, WORD)
        if first.constant is not None and first.constant >= 0:
            return result
        below = self.put(f"icmp slt i64 {first.text}, 0")
        sure = "true" if operation in (ast.Lt, ast.LtE, ast.NotEq) else "false"
        return Value(BOOL, self.put(f"select i1 {below}, i1 {sure}, i1 {result.text}"))

    def _compared(self, name: str, first: Value, second: Value, kind: Scalar) -> Value:
        one = Value(kind, first.text) if first.kind in (INT, WORD) else self.convert(first, kind)
        other = Value(kind, second.text) if second.kind in (INT, WORD) else self.convert(second, kind)
        return Value(BOOL, self.put(f"icmp {name} i64 {one.text}, {other.text}"))

    def pick(self, operation: type[ast.cmpop], values: list[Value]) -> Value:
        """The least or the greatest of some numbers; of equal ones the first."""
        best = values[0]
        for following in values[1:]:
            kind = common_kind(best.kind, following.kind)
            if kind is BOOL or not isinstance(kind, Scalar):
                raise Unsupported("the least of truth values")
            best, value = self.convert(best, kind), self.convert(following, kind)
            if best.constant is not None and value.constant is not None:
                best = value if _COMPARED[operation](value.constant, best.constant) else best
            else:
                better = self.compare(operation, value, best).text
                best = Value(kind, self.put(f"select i1 {better}, {kind.register} {value.text}, {kind.register} {best.text}"))
        return best
