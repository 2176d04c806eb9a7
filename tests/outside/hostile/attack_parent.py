"""Tries to get at the process that started it and to shake off its own limits, and says how each attempt went.

Every attempt would be harmless if it succeeded: signal 0 asks for permission only, and so on.
Expected: nothing done
"""

import ctypes
import fcntl
import json
import os
import resource
import signal
import sys
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()


def call(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def own_the_pipe() -> None:
    reading, _ = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, parent)


sys.stdin.readline()
attempts: dict[str, Callable[[], object]] = {
    "kill": lambda: os.kill(parent, 0),
    "everybody": lambda: os.kill(-1, 0),
    "group": lambda: os.killpg(os.getpgid(parent), 0),
    "queue": lambda: signal.pidfd_send_signal(os.pidfd_open(parent), 0),
    "owner": own_the_pipe,
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent)),
    "cores": lambda: os.sched_setaffinity(parent, os.sched_getaffinity(parent)),
    "limit of the parent": lambda: resource.prlimit(parent, resource.RLIMIT_CORE, (0, 0)),
    "trace": lambda: call(libc.ptrace(0x4206, parent, None, None)),
    "memory": lambda: os.open(f"/proc/{parent}/mem", os.O_RDWR),
    "program": lambda: os.readlink(f"/proc/{parent}/exe"),
    "open file": lambda: os.stat(f"/proc/{parent}/fd/0"),
    "own limit": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40)),
    "outlive": lambda: call(libc.prctl(1, 0, 0, 0, 0)),
    "namespace": lambda: call(libc.unshare(0x10000000)),
    "mount": lambda: call(libc.mount(b"none", b".", b"tmpfs", 0, None)),
}
outcome = {}
for name, attempt in attempts.items():
    try:
        attempt()
        outcome[name] = "done"
    except (OSError, ValueError) as error:
        outcome[name] = "refused" if isinstance(error, (PermissionError, ValueError)) else str(error)
os.kill(os.getpid(), 0)  # to itself it may
print(json.dumps(outcome), flush=True)
