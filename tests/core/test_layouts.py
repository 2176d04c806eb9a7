"""Records: the same values in plain Python, in NumPy and in the bytes between them."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from kibitz.core.layouts import Byte, Int, Long, Word64, blank, copy_record, dtype_of, equal, load, store


class Head:
    """A base with a gap before its second field, as C aligns it."""

    flag: Byte
    total: Long
    small: Annotated[list[int], "u1", 3]


class Whole(Head):
    """Fields behind those of the base, with gaps as well."""

    count: Int
    mask: Word64
    shares: Annotated[list[float], "f8", 2]
    last: Byte


def filled() -> Whole:
    record = blank(Whole)
    record.flag, record.total, record.small = -3, -(2**40), [1, 2, 255]
    record.count, record.mask, record.shares, record.last = -7, 2**64 - 1, [0.5, -2.25], 127
    return record


def test_a_record_with_gaps_reads_back_as_it_was_written() -> None:
    record, block = filled(), np.zeros(1, dtype=dtype_of(Whole))
    store(record, block)
    assert sum(np.dtype(code).itemsize * max(length, 1) for code, length in (("i1", 0), ("i8", 0), ("u1", 3))) < dtype_of(Head).itemsize
    assert vars(load(Whole, block)) == vars(record)
    assert vars(load(Head, block)) == {"flag": -3, "total": -(2**40), "small": [1, 2, 255]}


def test_a_copy_has_lists_of_its_own() -> None:
    record = filled()
    twin, head = copy_record(record), copy_record(record, Head)
    assert equal(twin, record) and vars(head) == {"flag": -3, "total": -(2**40), "small": [1, 2, 255]}
    twin.small[0] = head.small[1] = 9
    assert record.small == [1, 2, 255]
    assert not equal(twin, record)
