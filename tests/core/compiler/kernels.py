"""Small kernels, each with something in it that two compilers could understand differently."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Annotated, Any

from kibitz.core.jit import Numbers, Word, Words, folded_product, high_product, lowest, number, popcount, select, word
from kibitz.core.layouts import Byte, Int, Long, Word64

EVEN = Word(0x5555555555555555)
MASKS = Words((1, 2**63, 2**64 - 1))
STEPS = Numbers((3, -5, 8))
PAIR = (7, -9)
SCALE = 0.1
LEFT_OUT = False


class Block:
    """A record with every width of number."""

    byte: Byte
    small: Annotated[int, "u1"]
    whole: Int
    long: Long
    mask: Word64
    real: Annotated[float, "f8"]
    short: Annotated[float, "f4"]
    bytes: Annotated[list[int], "i1", 5]
    words: Annotated[list[int], "u8", 3]
    reals: Annotated[list[float], "f8", 4]


def divide(a: int, b: int) -> int:
    return a // b * 1000 + a % b


def divide_by_constants(a: int, b: int) -> int:
    return a // 7 + a % -7 + b // -3 + b % 64


def divide_words(a: int, b: int) -> int:
    return number(word(a) // word(b) + word(a) % word(b))


def divide_floats(a: int, b: int) -> float:
    return a / b + SCALE * (a - 1.5) / 3


def shift(a: int, b: int) -> int:
    return (a << (b & 31)) + (a >> (b & 63)) + number(word(a) >> (b & 63))


def bits(a: int, b: int) -> int:
    return (a & b) + (a | 5) + (a ^ ~b) + number(word(a) & EVEN) - number(~word(b) >> word(3))


def compare_signed_and_words(a: int, b: int) -> int:
    found = 0
    if a < word(b):
        found += 1
    if word(b) <= a:
        found += 2
    if a == word(b):
        found += 4
    if a != word(b):
        found += 8
    return found + (16 if word(a) > word(b) else 32) + (64 if word(a) > 3 else 0)


def compare_in_a_row(a: int, b: int) -> int:
    return (1 if -3 < a <= b < 100 else 0) + (2 if a == b != 4 else 0)


def answer_of_and_or(a: int, b: int) -> int:
    return (a and b) + 10 * (a or 3) + ((a and b and 7) or -1)


def truths(a: int, b: int) -> bool:
    return (not a and b > 2) or (a > b) == (b != 5)


def truth_as_number(a: int, b: int) -> int:
    total = a > b
    total = total + (a == b)  # type: ignore[assignment]  # a truth value that becomes a number
    return total + (a < 0) * 5


def least(a: int, b: int) -> float:
    return min(a, b, 3) + max(a * 0.5, b, -2.0) + abs(a - b) + abs(a * 0.25)


def floats(a: int, b: int) -> float:
    size = float(a * a + 1)
    return sqrt(size) + log(size) * exp(-size * 0.01) - (-size) + (1.0 if a > b else 0)


def to_whole(a: int, b: int) -> int:
    return int(a * 0.3) + int(-a * 1.7) + number(bool(b)) + int(True)


def loops(a: int, b: int) -> int:
    total = 0
    for place in range(a, b, 3):
        if place == 4:
            continue
        for inner in range(6, -2, -2):
            if inner * place > 30:
                break
            total += inner
            inner = 100  # noqa: PLW2901 - the range does not notice
        total += place
    while total > 50:
        total -= 7
        if total % 5 == 3:
            return -total
    for place in PAIR:
        total += place
    return total


def tuples(a: int, b: int) -> tuple[int, float, bool]:
    low, high = (a, b) if a < b else (b, a)
    pair = low, high
    low, high = high, low
    three = pair[0], 2.5, pair[-1] > 3
    first, second, _ = three
    return first + PAIR[b & 1] + low, second + high, three[2]


def tables(a: int, b: int) -> int:
    return STEPS[a % 3] + STEPS[-1 - (b & 1)] + number(MASKS[b % 3] >> 60) + looked_up(STEPS, b % 3)


def looked_up(table: Any, place: int) -> int:
    return number(table[place]) * 100


def primitives(a: int, b: int) -> int:
    mask = word(a) | EVEN
    return popcount(mask) + 100 * lowest(mask) + select(mask, b & 15) + number(high_product(mask, word(b)) ^ folded_product(mask, word(a)))


def with_default(a: int, b: int = 3) -> int:
    return a * b


def calls(a: int, b: int) -> int:
    x, y, flag = tuples(a, b)
    return with_default(a) + with_default(a, b) + x + int(y) + is_odd(flag, b)


def is_odd(flag: bool, b: int) -> int:
    return b & 1 if flag else -1


def left_out(a: int, b: int) -> int:
    if LEFT_OUT and a.no_such_thing:  # type: ignore[attr-defined]  # never looked at
        return b.nor_this  # type: ignore[attr-defined,no-any-return]
    return a if not LEFT_OUT else b


def fields(block: Block, a: int, b: int) -> int:
    block.byte = a
    block.small = b & 255
    block.whole = a * b
    block.long += a
    block.mask = word(a) & EVEN
    block.real = a * 0.1
    block.real += b
    block.short = block.real
    block.bytes[a % 5] = b
    block.bytes[-1] += a
    block.words[b % 3] |= block.mask
    block.reals[a & 3] = block.short * 0.5 + block.short
    bytes_of = block.bytes
    total = 0
    for place in range(5):
        total += bytes_of[place] + (block.small - block.byte) * place
    return total + block.whole + int(block.short) + number(block.words[b % 3]) + int(sum_of(block.reals, 4))


def sum_of(reals: Any, count: int) -> float:
    total = 0.0
    for place in range(count):
        total += reals[place]
    return total


def first_when_equal(a: int, b: int) -> float:
    nothing = a * 0.0 / (b * 0.0)
    return max(nothing, 1.0) + 10 * min(2.0, nothing)


# What this compiler leaves to Numba.


def with_powers(a: int, b: int) -> int:
    return (a & 7) ** 3 + b


def with_two_kinds(a: int, b: int) -> float:
    total = 0
    if a > b:
        total = 0.5  # type: ignore[assignment]  # a float here and a whole number there
    return total + a


def with_floored_floats(a: int, b: int) -> float:
    return (a * 0.5) // 2.0 + b


def with_word_and_number(a: int, b: int) -> float:
    return word(a & 7) + (b & 7)
