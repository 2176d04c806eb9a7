"""The filter of system calls: its numbers, and its verdicts on both architectures, also on the one that these tests do not run on."""

from __future__ import annotations

import errno
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.outside import confine
from tests.outside.test_process import hostile

# name, number on x86_64, number on aarch64, as in the kernel's own tables (syscall_64.tbl, and syscall.tbl for newer architectures).
PUBLISHED = """
accept 43 202, accept4 288 242, acct 163 89, add_key 248 217, adjtimex 159 171, bind 49 200, bpf 321 280, chmod 90 -, chown 92 -,
chroot 161 51, clock_adjtime 305 266, clock_settime 227 112, clone 56 220, clone3 435 435, connect 42 203, delete_module 176 106,
fanotify_init 300 262, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, fchown 93 55, fchownat 260 54, fcntl 72 25,
file_setattr 469 469, finit_module 313 273, fork 57 -, fremovexattr 199 16, fsconfig 431 431, fsetxattr 190 7, fsmount 432 432,
fsopen 430 430, fspick 433 433, futimesat 261 -, init_module 175 105, inotify_add_watch 254 27, inotify_init 253 -,
inotify_init1 294 26, io_setup 206 0, io_uring_enter 426 426, io_uring_register 427 427, io_uring_setup 425 425, ioctl 16 29,
ioperm 173 -, iopl 172 -, ioprio_set 251 30, kcmp 312 272, kexec_file_load 320 294, kexec_load 246 104, keyctl 250 219, kill 62 129,
lchown 94 -, listen 50 201, listmount 458 458, lremovexattr 198 15, lsetxattr 189 6, memfd_create 319 279, memfd_secret 447 447,
migrate_pages 256 238, mmap 9 222, mount 165 40, mount_setattr 442 442, move_mount 429 429, move_pages 279 239, mq_getsetattr 245 185,
mq_notify 244 184, mq_open 240 180, mq_timedreceive 243 183, mq_timedsend 242 182, mq_unlink 241 181, msgctl 71 187, msgget 68 186,
msgrcv 70 188, msgsnd 69 189, open_by_handle_at 304 265, open_tree 428 428, open_tree_attr 467 467, perf_event_open 298 241,
pidfd_getfd 438 438, pidfd_open 434 434, pidfd_send_signal 424 424, pivot_root 155 41, prctl 157 167, prlimit64 302 261,
process_madvise 440 440, process_mrelease 448 448, process_vm_readv 310 270, process_vm_writev 311 271, ptrace 101 117,
quotactl 179 60, quotactl_fd 443 443, reboot 169 142, removexattr 197 14, removexattrat 466 466, request_key 249 218,
rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, sched_setaffinity 203 122, sched_setattr 314 274, sched_setparam 142 118,
sched_setscheduler 144 119, semctl 66 191, semget 64 190, semop 65 193, semtimedop 220 192, setdomainname 171 162,
sethostname 170 161, setns 308 268, setpriority 141 140, setrlimit 160 164, settimeofday 164 170, setxattr 188 5, setxattrat 463 463,
shmat 30 196, shmctl 31 195, shmget 29 194, socket 41 198, socketpair 53 199, statmount 457 457, swapoff 168 225, swapon 167 224,
syslog 103 116, tgkill 234 131, tkill 200 130, truncate 76 45, umount2 166 39, unshare 272 97, userfaultfd 323 282, utime 132 -,
utimensat 280 88, utimes 235 -, vfork 58 -, vhangup 153 58
"""
NUMBERS = {
    name: {"x86_64": int(x86_64), "aarch64": None if aarch64 == "-" else int(aarch64)}
    for name, x86_64, aarch64 in (entry.split() for entry in PUBLISHED.split(","))
}
ARCHITECTURES = ("x86_64", "aarch64")
BOT = 4711
ALLOWED, REFUSED, MISSING = 0, errno.EPERM, errno.ENOSYS


def verdict(machine: str, call: str | int, *arguments: int) -> int:
    """The error that the filter answers with, 0 if it lets the call pass: the program, run step by step as the kernel does."""
    number = NUMBERS[call][machine] if isinstance(call, str) else call
    assert number is not None
    values = [value & 0xFFFFFFFFFFFFFFFF for value in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, confine.AUDIT_ARCHITECTURES[machine], 0, *values)
    program, at, loaded = confine._filter_program(machine, BOT), 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == confine.RETURN:
            return ALLOWED if operand == confine.ALLOW else operand - confine.FAIL
        if code == confine.LOAD:
            loaded = struct.unpack_from("<I", data, operand)[0]
        elif code == confine.AND:
            loaded &= operand
        else:
            true = {
                confine.JUMP_EQUAL: loaded == operand,
                confine.JUMP_AT_LEAST: loaded >= operand,
                confine.JUMP_BITS: bool(loaded & operand),
            }[code]
            at += if_true if true else if_false


def test_every_call_has_the_number_that_the_kernel_gives_it() -> None:
    named: dict[str, tuple[int | None, int | None]] = {**confine.CALLS, **confine.MISSING_CALLS, **confine.JUDGED_CALLS}
    assert named == {name: (numbers["x86_64"], numbers["aarch64"]) for name, numbers in NUMBERS.items()}
    assert len(named) == len(confine.CALLS) + len(confine.MISSING_CALLS) + len(confine.JUDGED_CALLS)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_named_calls_are_refused_and_newer_ones_are_unknown(machine: str) -> None:
    for calls, wanted in ((confine.CALLS, REFUSED), (confine.MISSING_CALLS, MISSING)):
        there = [name for name in calls if NUMBERS[name][machine] is not None]
        assert {name: verdict(machine, name) for name in there} == dict.fromkeys(there, wanted)
    assert verdict(machine, confine.FIRST_UNKNOWN_CALL) == MISSING
    assert verdict(machine, 0x40000000) == MISSING  # the x32 calls


def refused_numbers() -> dict[str, str]:
    """The number of every call that is refused on this machine, with the error that it gets."""
    machine = os.uname().machine
    return {
        str(NUMBERS[name][machine]): error
        for calls, error in ((confine.CALLS, "EPERM"), (confine.MISSING_CALLS, "ENOSYS"))
        for name in calls
        if NUMBERS[name][machine] is not None
    }


@pytest.mark.skipif(confine.available_guards().get("system calls") != "yes", reason="this system has no filter of system calls")
def test_a_real_process_meets_the_same_verdicts() -> None:
    wanted = refused_numbers()
    with hostile("refused_calls", *wanted) as process:
        assert process.ask({"type": "decide", "id": 1}) == wanted


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    "call",
    [
        *("shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl"),
        *("mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"),
    ],
)
def test_shared_memory_semaphores_and_queues_are_closed(machine: str, call: str) -> None:
    assert verdict(machine, call, 5) == REFUSED


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    ("call", "arguments", "wanted"),
    [
        ("mmap", (0, 4096, 3, 0x22), ALLOWED),  # private, without a file
        ("mmap", (0, 4096, 1, 0x01, 5), ALLOWED),  # shared, of a file
        ("mmap", (0, 4096, 3, 0x20022), ALLOWED),  # the stack of a thread
        ("mmap", (0, 4096, 3, 0x21), REFUSED),  # shared, without a file
        ("mmap", (0, 4096, 3, 0x40023), REFUSED),  # the same, checked, of huge pages
        ("mmap", (0, 4096, 3, 0x122), REFUSED),  # a stack that grows by itself
        ("clone", (0x10F00,), ALLOWED),  # a thread
        ("clone", (17,), REFUSED),
        ("kill", (BOT, 9), ALLOWED),
        ("kill", (-1, 9), REFUSED),
        ("tgkill", (BOT + 1, BOT + 1, 9), REFUSED),
        ("socketpair", (1, 0x80801), ALLOWED),  # streams, non-blocking, closed on exec
        ("socketpair", (1, 2), REFUSED),  # datagrams
        ("prlimit64", (0, 7, 0, 0), ALLOWED),
        ("prlimit64", (0, 7, 1 << 32, 0), REFUSED),  # new limits
        ("prlimit64", (1, 7, 0, 0), REFUSED),  # limits of another process
        ("prctl", (1, 0), REFUSED),
        ("prctl", (15, 0), ALLOWED),  # a thread's name
        ("fcntl", (0, 4, 0x800), ALLOWED),
        ("fcntl", (0, 1031, 1 << 20), REFUSED),  # a larger pipe
        ("ioctl", (0, 0x541B), ALLOWED),
        ("ioctl", (0, 0x5412), errno.ENOTTY),  # typing into a terminal
    ],
)
def test_some_calls_depend_on_their_arguments(machine: str, call: str, arguments: tuple[int, ...], wanted: int) -> None:
    assert verdict(machine, call, *arguments) == wanted


OPENS = """
import json, os, sys
from kibitz.outside.confine import drop_privileges, lock_files

folder, readable, listable, other = sys.argv[1:]
drop_privileges()
guard = lock_files(folder, [readable], [listable])["files"]

def may(work, *arguments):
    try:
        work(*arguments)
        return True
    except PermissionError:
        return False

def read(path):
    with open(path + "/file"):
        pass

print(json.dumps([guard, *[[may(os.listdir, path), may(read, path)] for path in (folder, readable, listable, other)]]))
"""


@pytest.mark.skipif(not confine.available_guards().get("files", "no").startswith("yes"), reason="this system has no Landlock")
def test_a_folder_to_be_listed_is_not_read_and_others_are_closed(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("own", "readable", "listable", "other")]
    for folder in folders:
        folder.mkdir()
        (folder / "file").write_text("cards", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", OPENS, *map(str, folders)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[1:] == [[True, True], [True, True], [True, False], [False, False]]
