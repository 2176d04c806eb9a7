"""Files of trained weights: written whole or not at all, read within limits, and every problem with one is told in a sentence."""

from __future__ import annotations

import io
import lzma
import math
import os
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.reading import DAMAGED, MEGABYTE, open_file, reason

Array = np.ndarray[Any, Any]

LARGEST = 1e6  # weight, either way: sums over thousands of these stay far from the limits of single precision
MOST_BYTES = 64 * MEGABYTE  # of a weight file, and of the arrays in it
MOST_ARRAYS = 1000
_HEADER = 4096  # bytes of an array's header that are looked at
_CHUNK = MEGABYTE
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
    AttributeError,
)


def draft_of(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


@contextmanager
def written_whole(path: Path, what: str) -> Iterator[BinaryIO]:
    """A file to write to: whoever reads meanwhile, or after a crash, finds the old one or the new one, never a part."""
    draft = draft_of(path)
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except (OSError, ValueError) as error:
        raise BadValue(f"{what} {path} cannot be written: {reason(error)}.") from error
    finally:
        with suppress(OSError, ValueError):  # a name that no file can have
            draft.unlink(missing_ok=True)


def reading_once(read: Callable[[str], tuple[float, ...]], shipped: Path) -> Callable[[str], tuple[float, ...]]:
    """A reader of weights that reads a file again only after it has changed."""

    @lru_cache(maxsize=8)
    def read_stamped(path: str, stamp: int) -> tuple[float, ...]:
        return read(path)

    def read_path(path: str) -> tuple[float, ...]:
        try:
            stamp = (shipped if path == SHIPPED else Path(path)).stat().st_mtime_ns
        except (OSError, ValueError):
            stamp = 0
        return read_stamped(path, stamp)

    return read_path


# -- archives of arrays --


def read_arrays(
    path: str | Path, what: str, limit: int = MOST_BYTES, missing: str = "", only: Collection[str] | None = None, packed: bool = True
) -> dict[str, Array]:
    """The arrays of an .npz archive by name, or `only` some of them; they may be `packed`, or else are refused if they are.

    The archive and the arrays in it have at most `limit` bytes. The sizes that the archive states are checked before anything is
    unpacked, and unpacking stops there whatever follows. Arrays hold numbers or text; pickled objects are refused.
    """
    with open_file(path, what, limit, missing) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = [member for member in archive.infolist() if only is None or member.filename.removesuffix(".npy") in only]
                if not packed and any(member.compress_type != zipfile.ZIP_STORED for member in members):
                    raise ValueError("packed")
                stated = sum(member.file_size for member in members)
                if stated > limit or len(members) > MOST_ARRAYS:
                    raise BadValue(
                        f"{what} {path} unpacks to {stated:,} bytes in {len(members):,} arrays; at most {limit:,} bytes are accepted."
                    )
                return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
        except (OSError, *DAMAGE) as error:
            raise BadValue(f"{what} {path} cannot be read: {getattr(error, 'strerror', None) or DAMAGED}.") from None


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    """One array; ValueError unless its header describes exactly the bytes that follow."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or not member.filename.endswith(".npy"):
        raise ValueError("not an archive of arrays")
    content = io.BytesIO()
    with archive.open(member) as source:
        while content.tell() <= member.file_size and (chunk := source.read(_CHUNK)):
            content.write(chunk)
    if content.tell() != member.file_size:
        raise ValueError("another size than stated")
    content.seek(0)
    versions: dict[tuple[int, int], Any] = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, by_columns, kind = versions[np.lib.format.read_magic(content)](content, max_header_size=_HEADER)
    data = content.read()
    if kind.kind not in "biufU" or not kind.itemsize or min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != len(data):
        raise ValueError("not an array of numbers, or another size than stated")
    return np.frombuffer(data, dtype=kind).reshape(shape, order="F" if by_columns else "C").copy()


def numbers_of(array: Array, kind: type[Any], what: str, path: str | Path) -> Array:
    """An array of numbers as numbers of this kind; what is too large for them becomes infinite."""
    if array.dtype.kind not in "biuf":
        raise BadValue(f"{what} {path} cannot be read: {DAMAGED}.")
    with np.errstate(over="ignore"):
        return array.astype(kind)


def check_weights(weights: Array, what: str, path: str | Path) -> None:
    """Refuse weights that are not finite, or so large that a sum of them could overflow."""
    if not (np.abs(weights) <= LARGEST).all():  # nor is nan
        raise BadValue(f"{what} {path} has weights that are not finite numbers from -{LARGEST:,.0f} to {LARGEST:,.0f}; train it again.")
