"""Tries to use shared memory, semaphores and queues that another program made, and says how each attempt went.

Arguments: the numbers of a segment, a semaphore set and a message queue, and the name of a POSIX queue.
Expected: nothing done
"""

import ctypes
import json
import os
import sys
from collections.abc import Callable

IPC_RMID, IPC_SET, IPC_STAT, SHM_INFO, SHM_STAT, IPC_NOWAIT, GETVAL, SETVAL = 0, 1, 2, 14, 13, 0o4000, 12, 16
segment, semaphores, queue = map(int, sys.argv[1:4])
name = sys.argv[4].encode()
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
buffer = ctypes.create_string_buffer(4096)
raise_by_one = (ctypes.c_short * 3)(0, 1, IPC_NOWAIT)


def call(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make(number: int, remove: Callable[[int], int]) -> None:
    call(number)
    remove(number)


def attach(read_only: bool) -> None:
    address = libc.shmat(segment, None, 0o10000 if read_only else 0)
    if address is None or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if not read_only:
        ctypes.memmove(address, b"overwritten", 11)


sys.stdin.readline()
attempts: dict[str, Callable[[], object]] = {
    "list segments": lambda: call(libc.shmctl(0, SHM_INFO, buffer)),
    "next segment": lambda: call(libc.shmctl(0, SHM_STAT, buffer)),
    "look at segment": lambda: call(libc.shmctl(segment, IPC_STAT, buffer)),
    "read segment": lambda: attach(read_only=True),
    "write segment": lambda: attach(read_only=False),
    "make segment": lambda: make(libc.shmget(0, 4096, 0o1600), lambda number: libc.shmctl(number, IPC_RMID, None)),
    "look at semaphores": lambda: call(libc.semctl(semaphores, 0, IPC_STAT, buffer)),
    "read semaphore": lambda: call(libc.semctl(semaphores, 0, GETVAL)),
    "set semaphore": lambda: call(libc.semctl(semaphores, 0, SETVAL, 7)),
    "raise semaphore": lambda: call(libc.semop(semaphores, raise_by_one, 1)),
    "raise semaphore in time": lambda: call(libc.semtimedop(semaphores, raise_by_one, 1, None)),
    "make semaphores": lambda: make(libc.semget(0, 1, 0o1600), lambda number: libc.semctl(number, 0, IPC_RMID)),
    "look at queue": lambda: call(libc.msgctl(queue, IPC_STAT, buffer)),
    "send": lambda: call(libc.msgsnd(queue, (ctypes.c_long * 2)(1, 1), 8, IPC_NOWAIT)),
    "receive": lambda: call(libc.msgrcv(queue, buffer, 64, 0, IPC_NOWAIT)),
    "make queue": lambda: make(libc.msgget(0, 0o1600), lambda number: libc.msgctl(number, IPC_RMID, None)),
    "open POSIX queue": lambda: call(libc.mq_open(name, os.O_RDWR)),
    "remove POSIX queue": lambda: call(libc.mq_unlink(name)),
    "change segment": lambda: call(libc.shmctl(segment, IPC_SET, buffer)),
    "remove segment": lambda: call(libc.shmctl(segment, IPC_RMID, None)),
    "remove semaphores": lambda: call(libc.semctl(semaphores, 0, IPC_RMID)),
    "remove queue": lambda: call(libc.msgctl(queue, IPC_RMID, None)),
}
outcome = {}
for attempt, act in attempts.items():
    try:
        act()
        outcome[attempt] = "done"
    except OSError as error:
        outcome[attempt] = "refused" if isinstance(error, PermissionError) else str(error)
print(json.dumps(outcome), flush=True)
