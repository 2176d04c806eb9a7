"""Maps memory in ways that limits on memory often miss, 16 MiB at a time, and says how many MiB it got in each way.

Nothing is written to most of it: what is mapped can be used. Arguments: how many MiB to stop at.
Expected: no more than the limit `memory`, but for `filled, then read-only`, which the limit `address_space` bounds
"""

import ctypes
import json
import mmap
import os
import sys
from collections.abc import Callable

STEP, ENOUGH = 16 << 20, int(sys.argv[1]) << 20
NOTHING, READ, WRITE = 0, mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE
SHARED, PRIVATE, ANONYMOUS, SHARED_VALIDATE, GROWS_DOWN, NO_RESERVE = 0x01, 0x02, 0x20, 0x03, 0x100, 0x4000
FAILED = ctypes.c_void_p(-1).value
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


def take(flags: int, protection: int = WRITE, then: int | None = None, file: int = -1) -> int:
    """Map until that fails or there is enough, then give it all back; in MiB."""
    taken: list[int] = []
    while len(taken) * STEP < ENOUGH:
        address = libc.mmap(None, STEP, protection, flags, file, 0)
        if address in (None, FAILED):
            break
        if then is not None and libc.mprotect(address, STEP, then) < 0:
            libc.munmap(address, STEP)
            break
        taken.append(address)
    for address in taken:
        libc.munmap(address, STEP)
    return len(taken) * STEP >> 20


sys.stdin.readline()
plain = PRIVATE | ANONYMOUS
with open("file", "wb") as file:
    file.truncate(STEP)
writable = os.open("file", os.O_RDWR)
ways: dict[str, Callable[[], int]] = {
    "plain": lambda: take(plain),
    "not reserved": lambda: take(plain | NO_RESERVE),
    "stack": lambda: take(plain | GROWS_DOWN),
    "shared": lambda: take(SHARED | ANONYMOUS),
    "shared, checked": lambda: take(SHARED_VALIDATE | ANONYMOUS),
    "closed, then writable": lambda: take(plain, NOTHING, WRITE),
    "read-only, then writable": lambda: take(plain, READ, WRITE),
    "copy of a file": lambda: take(PRIVATE, WRITE, None, writable),
    "filled, then read-only": lambda: take(plain, WRITE, READ),
}
print(json.dumps({name: way() for name, way in ways.items()}), flush=True)
