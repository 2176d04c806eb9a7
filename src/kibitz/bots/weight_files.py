"""Files of trained weights: written whole or not at all, read once, and whatever is wrong with them can be told in a sentence."""

from __future__ import annotations

import lzma
import os
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from kibitz.errors import BadValue

SHIPPED = "shipped"  # in place of a path: the file that comes with the package

# What NumPy and zipfile raise for a file that is cut short, has flipped bits, holds pickled objects, or is something else altogether.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    tokenize.TokenError,
    ValueError,
    LookupError,
    EOFError,
    TypeError,
    SyntaxError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
)


@contextmanager
def written_whole(path: Path, what: str) -> Iterator[BinaryIO]:
    """A file to write to: whoever reads meanwhile, or after a crash, finds the old one or the new one, never a part."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise BadValue(f"{what} {path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)


def reading_once(read: Callable[[str], tuple[float, ...]], shipped: Path) -> Callable[[str], tuple[float, ...]]:
    """A reader of weights that reads a file again only after it has changed."""

    @lru_cache(maxsize=8)
    def read_stamped(path: str, stamp: int) -> tuple[float, ...]:
        return read(path)

    def read_path(path: str) -> tuple[float, ...]:
        try:
            stamp = (shipped if path == SHIPPED else Path(path)).stat().st_mtime_ns
        except OSError:
            stamp = 0
        return read_stamped(path, stamp)

    return read_path
