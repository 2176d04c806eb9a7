"""Hostile programs. The first word of the command line names one; its description ends with what is to be expected of it.

Those that try several things say of each whether it was done, refused, or how else it went wrong.
"""

import ctypes
import errno
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()


def asked() -> str:
    """Wait for a question."""
    return sys.stdin.readline()


def answer(value: object) -> None:
    print(json.dumps(value), flush=True)


def call(result: Any) -> int:
    """The result of a call of the C library, or what went wrong."""
    if result is None or result < 0 or result == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(result)


def try_all(attempts: dict[str, Callable[[], object]], **more: object) -> None:
    """When asked, try everything, and answer how each attempt went."""
    asked()
    outcome: dict[str, object] = {}
    for name, attempt in attempts.items():
        try:
            attempt()
            outcome[name] = "done"
        except (OSError, ValueError) as error:
            outcome[name] = "refused" if isinstance(error, PermissionError | ValueError) else f"{type(error).__name__}: {error}"
    answer({**outcome, **more})
    asked()


def wait_for_ever() -> None:
    while True:
        time.sleep(100)


# -- ends and silences --


def abort() -> None:
    """Dies by a signal, as after a segmentation fault.

    Expected: fault crash
    """
    asked()
    os.abort()


def crash_at_start() -> None:
    """Dies before the first question.

    Expected: fault crash
    """
    raise ValueError("no deck\x1b[31m today")


def crash_midway() -> None:
    """Answers once, then divides by zero.

    Expected: an answer, then fault crash
    """
    asked()
    answer({"answer": 1})
    asked()
    answer(1 // 0)


def close_output() -> None:
    """Closes its standard output and lives on.

    Expected: fault crash
    """
    asked()
    os.close(1)
    wait_for_ever()


def hang() -> None:
    """Thinks for ever and ignores every signal that can be ignored.

    Expected: fault time
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    while '"first"' in asked():
        answer({})
    while True:
        pass


def never_reads() -> None:
    """Never reads a line.

    Expected: fault time
    """
    wait_for_ever()


# -- output --


def answer_twice() -> None:
    """Answers every question twice.

    Expected: an answer, then fault protocol
    """
    while asked():
        os.write(1, b'{"answer": 1}\n{"answer": 2}\n')


def flood_bytes() -> None:
    """Answers with a line that has no end.

    Expected: fault flood
    """
    asked()
    while True:
        os.write(1, b"x" * 65536)


def flood_lines() -> None:
    """Answers every question with lines without end, each of them a fine answer.

    Expected: an answer, then fault protocol
    """
    asked()
    while True:
        os.write(1, b'{"answer": 1}\n' * 1000)


def talk_unasked() -> None:
    """Prints a banner, as programs do; the second line on standard error tells when it has done so.

    Expected: fault protocol
    """
    print("Welcome to SuperBot 3000", flush=True)
    print("printed", file=sys.stderr, flush=True)
    wait_for_ever()


def parrot() -> None:
    """Answers with the very bytes that the question asks for.

    Expected: an answer if the bytes are one JSON object in one line, else a fault garbage, flood or protocol
    """
    while line := asked():
        os.write(1, bytes.fromhex(json.loads(line)["say"]) + b"\n")


def chatter() -> None:
    """Writes as many lines to standard error as each question wants, then answers.

    Expected: answers; its log is cut to `log_bytes` when a game starts
    """
    while line := asked():
        for number in range(json.loads(line)["lines"]):
            sys.stderr.write(f"line {number} {'x' * 100}\n")
        sys.stderr.flush()
        answer({})


def read_log() -> None:
    """Writes to its log and tries to read there what earlier processes of its own have left, through every door it has.

    Expected: nothing done
    """
    os.write(2, b"note to myself\n")
    try_all(
        {
            "descriptor": lambda: os.pread(2, 100, 0),
            "again": lambda: os.open("/proc/self/fd/2", os.O_RDONLY),
        }
    )


# -- files --


def fill_folder(how: str, target: str = "") -> None:
    """Fills its own working folder: `many` small files, some `large` ones, or folders that are hard to measure and to delete.

    Expected: an answer, then fault flood when the next game starts (`hidden`: none); its folder is deleted at the end
    """
    asked()
    if how == "many":
        for number in range(1500):
            open(f"file-{number}", "w").close()
    elif how == "large":
        for number in range(6):
            Path(f"file-{number}").write_bytes(os.urandom(1 << 20))
    elif how == "hidden":
        os.mkdir("hidden", 0o300)
        os.mkdir("closed", 0)
        os.symlink(target, "link")
    elif how == "deep":
        os.symlink(target, "link")
        for _ in range(600):
            os.mkdir("x" * 200)
            os.chdir("x" * 200)
            open("file", "w").close()
    answer({})
    asked()


def huge_file(how: str) -> None:
    """Writes a file until it is stopped; with `die`, by the signal that most languages leave as it is.

    Expected: fault crash
    """
    if how == "die":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    asked()
    with open("huge", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))


def open_files() -> None:
    """Opens ten thousand files and says how many it got.

    Expected: an answer with `opened` at most 61
    """
    asked()
    count = 0
    try:
        for _ in range(10_000):
            os.open("/dev/null", os.O_RDONLY)
            count += 1
        why = "done"
    except OSError as error:
        why = str(error.strerror)
    answer({"opened": count, "why": why})


def change_files(place: str) -> None:
    """Tries to change a folder that is not its own, with a file `kept`, and says how each attempt went.

    Expected: nothing done; `own` is "allowed"
    """
    folder = Path(place)
    kept = folder / "kept"
    for name in ("mine", "own"):
        Path(name).write_text("allowed")
    try_all(
        {
            "many": lambda: [(folder / f"new-{number}").write_text("mine") for number in range(100)],
            "write": lambda: kept.write_text("mine"),
            "append": lambda: os.open(kept, os.O_WRONLY | os.O_APPEND),
            "truncate": lambda: os.truncate(kept, 0),
            "delete": kept.unlink,
            "rename": lambda: kept.rename(folder / "moved"),
            "take": lambda: kept.rename("taken"),
            "link": lambda: os.link(kept, "linked"),
            "mkdir": (folder / "new").mkdir,
            "symlink": lambda: (folder / "link").symlink_to("/"),
            "chmod": lambda: kept.chmod(0),
            "times": lambda: os.utime(kept, (0, 0)),
            "attribute": lambda: os.setxattr(kept, "user.mine", b"1"),
            "temporary": lambda: Path("/tmp/kibitz-hostile-was-here").write_text("mine"),
            "memory": lambda: Path("/dev/shm/kibitz-hostile-was-here").write_text("mine"),
            "mode of its own": lambda: os.chmod("mine", 0o777),
            "times of its own": lambda: os.utime("mine", (0, 0)),
        },
        own=Path("own").read_text(),
    )


def read_files(*paths: str) -> None:
    """Tries to read or list each path of its command line. PARENT and SELF in a path stand for the numbers of those processes.

    Expected: nothing done for a path that is not opened to the bot
    """

    def read(path: str) -> object:
        return os.listdir(path) if os.path.isdir(path) else os.read(os.open(path, os.O_RDONLY), 1)

    named = [path.replace("PARENT", str(parent)).replace("SELF", str(os.getpid())) for path in paths]
    try_all({path: lambda path=path: read(path) for path in named})  # type: ignore[misc]  # the path is bound to each


# -- processes, limits, the network --


def attack_parent() -> None:
    """Tries to get at the process that started it and to shake off its own limits, and says how each attempt went.

    Every attempt would be harmless if it succeeded: signal 0 asks for permission only, and so on.
    Expected: nothing done
    """
    import fcntl
    import resource

    def own_the_pipe() -> None:
        fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, parent)

    os.kill(os.getpid(), 0)  # to itself it may
    try_all(
        {
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
    )


def fork() -> None:
    """Tries to get a second process in every way there is, also one that would outlive it, and says how each went.

    Expected: nothing done
    """
    import multiprocessing
    import subprocess

    def double_fork() -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(300)
            os._exit(0)

    def bomb() -> None:
        for _ in range(1000):
            try:
                if os.fork() == 0:
                    time.sleep(300)
            except OSError:
                continue
            return
        raise PermissionError(1, "a thousand times")

    try_all(
        {
            "fork": double_fork,
            "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
            "shell": lambda: subprocess.run("true", shell=True, check=True),
            "posix_spawn": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
            "multiprocessing": lambda: multiprocessing.get_context("fork").Process(target=print).start(),
            "clone3": lambda: call(libc.syscall(435, None, 0)),
            "bomb": bomb,
        }
    )


def network(tcp: str, path: str) -> None:
    """Tries to reach a TCP port, a UDP port and a Unix socket given on its command line, and says how that went.

    Expected: nothing done
    """
    import urllib.request

    port = int(tcp)
    try_all(
        {
            "tcp": lambda: socket.create_connection(("127.0.0.1", port), timeout=5),
            "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
            "unix": lambda: socket.socket(socket.AF_UNIX).connect(path),
            "datagram pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect(path),
            "listen": lambda: socket.create_server(("127.0.0.1", 0)).close(),
            "http": lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5),
        }
    )


def refused_calls(*numbers: str) -> None:
    """Makes each system call whose number is on its command line, with arguments that no call accepts, and says how it failed.

    Expected: EPERM or ENOSYS for each
    """
    asked()
    outcome = {}
    for number in numbers:
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(int(number)), *[ctypes.c_long(-1)] * 6)
        outcome[number] = errno.errorcode.get(ctypes.get_errno(), "done")
    answer(outcome)


def inventory() -> None:
    """Says what it was given: environment, descriptors, folder, session, capabilities.

    Expected: an answer with nothing in it that belongs to the referee
    """
    asked()
    descriptors = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            descriptors[name] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the one that listed them
    answer(
        {
            "environment": dict(os.environ),
            "descriptors": descriptors,
            "folder": os.getcwd(),
            "listing": os.listdir("."),
            "leader": os.getsid(0) == os.getpid() == os.getpgid(0),
            "capabilities": [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Cap")],
        }
    )
    asked()


def threads() -> None:
    """Threads are no crime, nor is asyncio.

    Expected: an answer with the numbers 0 to 15 and asyncio's 5
    """
    import asyncio
    import threading

    asked()
    done: list[int] = []
    running = [threading.Thread(target=done.append, args=(number,)) for number in range(16)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    answer({"threads": sorted(done), "asyncio": asyncio.run(asyncio.sleep(0, 5))})


# -- memory, and what all processes share --


def memory_hog() -> None:
    """Takes memory until there is no more.

    Expected: fault crash
    """
    asked()
    hoard = []
    while True:
        hoard.append(bytearray(b"x") * (16 << 20))


def memory_tricks(mebibytes: str) -> None:
    """Maps memory in ways that limits on memory often miss, 16 MiB at a time, and says how many MiB it got in each way.

    Nothing is written to most of it: what is mapped can be used. Arguments: how many MiB to stop at.
    Expected: no more than the limit `memory`, but for `filled, then read-only`, which the limit `address_space` bounds
    """
    import mmap

    step, enough = 16 << 20, int(mebibytes) << 20
    nothing, read, write = 0, mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE
    shared, private, anonymous, shared_validate, grows_down, no_reserve = 0x01, 0x02, 0x20, 0x03, 0x100, 0x4000
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)

    def take(flags: int, protection: int = write, then: int | None = None, file: int = -1) -> int:
        """Map until that fails or there is enough, then give it all back; in MiB."""
        taken: list[int] = []
        while len(taken) * step < enough:
            address = libc.mmap(None, step, protection, flags, file, 0)
            if address in (None, ctypes.c_void_p(-1).value):
                break
            if then is not None and libc.mprotect(address, step, then) < 0:
                libc.munmap(address, step)
                break
            taken.append(address)
        for address in taken:
            libc.munmap(address, step)
        return len(taken) * step >> 20

    asked()
    plain = private | anonymous
    with open("file", "wb") as made:
        made.truncate(step)
    writable = os.open("file", os.O_RDWR)
    answer(
        {
            "plain": take(plain),
            "not reserved": take(plain | no_reserve),
            "stack": take(plain | grows_down),
            "shared": take(shared | anonymous),
            "shared, checked": take(shared_validate | anonymous),
            "closed, then writable": take(plain, nothing, write),
            "read-only, then writable": take(plain, read, write),
            "copy of a file": take(private, write, None, writable),
            "filled, then read-only": take(plain, write, read),
        }
    )


def shared_objects(*numbers: str) -> None:
    """Tries to use shared memory, semaphores and queues that another program made, and says how each attempt went.

    Arguments: the numbers of a segment, a semaphore set and a message queue, and the name of a POSIX queue.
    Expected: nothing done
    """
    remove, change, look, shm_info, shm_stat, nowait, get_value, set_value = 0, 1, 2, 14, 13, 0o4000, 12, 16
    segment, semaphores, queue = map(int, numbers[:3])
    name = numbers[3].encode()
    libc.shmat.restype = ctypes.c_void_p
    buffer = ctypes.create_string_buffer(4096)
    raise_by_one = (ctypes.c_short * 3)(0, 1, nowait)

    def write_segment() -> None:
        ctypes.memmove(call(libc.shmat(segment, None, 0)), b"overwritten", 11)

    try_all(
        {
            "list segments": lambda: call(libc.shmctl(0, shm_info, buffer)),
            "next segment": lambda: call(libc.shmctl(0, shm_stat, buffer)),
            "look at segment": lambda: call(libc.shmctl(segment, look, buffer)),
            "read segment": lambda: call(libc.shmat(segment, None, 0o10000)),
            "write segment": write_segment,
            "make segment": lambda: libc.shmctl(call(libc.shmget(0, 4096, 0o1600)), remove, None),
            "look at semaphores": lambda: call(libc.semctl(semaphores, 0, look, buffer)),
            "read semaphore": lambda: call(libc.semctl(semaphores, 0, get_value)),
            "set semaphore": lambda: call(libc.semctl(semaphores, 0, set_value, 7)),
            "raise semaphore": lambda: call(libc.semop(semaphores, raise_by_one, 1)),
            "raise semaphore in time": lambda: call(libc.semtimedop(semaphores, raise_by_one, 1, None)),
            "make semaphores": lambda: libc.semctl(call(libc.semget(0, 1, 0o1600)), 0, remove),
            "look at queue": lambda: call(libc.msgctl(queue, look, buffer)),
            "send": lambda: call(libc.msgsnd(queue, (ctypes.c_long * 2)(1, 1), 8, nowait)),
            "receive": lambda: call(libc.msgrcv(queue, buffer, 64, 0, nowait)),
            "make queue": lambda: libc.msgctl(call(libc.msgget(0, 0o1600)), remove, None),
            "open POSIX queue": lambda: call(libc.mq_open(name, os.O_RDWR)),
            "remove POSIX queue": lambda: call(libc.mq_unlink(name)),
            "change segment": lambda: call(libc.shmctl(segment, change, buffer)),
            "remove segment": lambda: call(libc.shmctl(segment, remove, None)),
            "remove semaphores": lambda: call(libc.semctl(semaphores, 0, remove)),
            "remove queue": lambda: call(libc.msgctl(queue, remove, None)),
        }
    )


def use_up() -> None:
    """Tries to use up what the system gives to each user or to the whole machine only once, and says how each attempt went.

    Expected: nothing done
    """
    import fcntl

    io_setup = {"x86_64": 206, "aarch64": 0}[os.uname().machine]

    def signals() -> None:
        wanted = signal.SIGRTMIN + 1
        signal.pthread_sigmask(signal.SIG_BLOCK, {wanted})
        for _ in range(5000):
            call(libc.sigqueue(os.getpid(), wanted, None))

    def timers() -> None:
        for _ in range(5000):
            call(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())))

    try_all(
        {
            "watches of files": lambda: call(libc.inotify_init1(0)),
            "pipes": lambda: fcntl.fcntl(os.pipe()[0], 1031, 1 << 20),  # F_SETPIPE_SZ
            "requests to disks": lambda: call(libc.syscall(io_setup, 64, ctypes.byref(ctypes.c_ulong(0)))),
            "signals": signals,
            "timers": timers,
        }
    )


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
