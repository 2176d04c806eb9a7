"""Tries to use up what the system gives to each user or to the whole machine only once, and says how each attempt went.

Expected: nothing done
"""

import ctypes
import fcntl
import json
import os
import signal
import sys
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
IO_SETUP = {"x86_64": 206, "aarch64": 0}[os.uname().machine]


def call(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def pipes() -> None:
    reading, _ = os.pipe()
    fcntl.fcntl(reading, 1031, 1 << 20)  # F_SETPIPE_SZ


def requests() -> None:
    context = ctypes.c_ulong(0)
    call(libc.syscall(IO_SETUP, 64, ctypes.byref(context)))


def signals() -> None:
    wanted = signal.SIGRTMIN + 1
    signal.pthread_sigmask(signal.SIG_BLOCK, {wanted})
    for _ in range(5000):
        call(libc.sigqueue(os.getpid(), wanted, None))


def timers() -> None:
    timer = ctypes.c_void_p()
    for _ in range(5000):
        call(libc.timer_create(1, None, ctypes.byref(timer)))


sys.stdin.readline()
attempts: dict[str, Callable[[], object]] = {
    "watches of files": lambda: call(libc.inotify_init1(0)),
    "pipes": pipes,
    "requests to disks": requests,
    "signals": signals,
    "timers": timers,
}
outcome = {}
for name, attempt in attempts.items():
    try:
        attempt()
        outcome[name] = "done"
    except OSError as error:
        outcome[name] = type(error).__name__
print(json.dumps(outcome), flush=True)
