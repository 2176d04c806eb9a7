"""What runs in a bot's process before the bot: it gives up everything a bot does not need, and becomes the bot.

`process.py` starts this file as a script of its own (`python -I -S confine.py JSON -- command…`), so it imports the standard library only.
docs/isolation.md says what each guard gives. A guard the system does not have is left out; one that it has but that fails stops the start.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any

# Folders and files every interpreter may need; nothing of the user's is among them.
SYSTEM_READABLE = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/timezone"),
    *("/etc/ssl/openssl.cnf", "/etc/perl", "/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path", "/dev/urandom", "/dev/random"),
    *("/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"),
    # Not the whole of /proc/self: `net`, `task/*/net` and `mountinfo` describe the machine, not the bot.
    *(f"/proc/self/{name}" for name in ("auxv", "cgroup", "cmdline", "comm", "environ", "fd", "limits", "maps", "stat", "statm", "status")),
)

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
PENDING_SIGNALS = 1024  # queued signals and timers: the kernel counts them per user, so one bot could take them all


class Unguarded(Exception):
    """A guard that the system has could not be put up."""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise Unguarded(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


# Limits of the system -----------------------------------------------------------------------------------------------------------------------


def set_limits(limits: dict[str, int]) -> str:
    """Resource limits, soft and hard alike, so that the bot cannot raise them."""
    wanted = {
        "RLIMIT_DATA": limits["memory"],
        "RLIMIT_AS": limits["address_space"],
        "RLIMIT_FSIZE": limits["file_bytes"],
        "RLIMIT_NOFILE": limits["open_files"],
        "RLIMIT_CPU": limits["cpu_seconds"],
        "RLIMIT_STACK": 8 << 20,
        "RLIMIT_CORE": 1,  # one byte: no file is made, and unlike 0 it keeps the kernel from starting a core-dump program
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_SIGPENDING": PENDING_SIGNALS,
        "RLIMIT_NICE": 0,
        "RLIMIT_RTPRIO": 0,
    }
    if sys.platform == "linux":
        wanted["RLIMIT_NPROC"] = _tasks_of_user() + limits["processes"]
    left_out: list[str] = []
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (limit, limit))
        except (ValueError, OSError) as error:
            if sys.platform == "linux":
                raise Unguarded(f"the limit {name} could not be set to {limit}: {error}") from error
            left_out.append(name)
    return f"yes, without {', '.join(left_out)}" if left_out else "yes"


def _tasks_of_user() -> int:
    """Processes and threads of this user: the kernel's limit counts all of them, not those of the bot alone."""
    user, tasks = os.getuid(), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    tasks += os.stat(f"/proc/{entry.name}/task").st_nlink - 2
            except OSError:
                continue  # it ended meanwhile
    return tasks


def die_with_parent(parent: int) -> str:
    """The kernel kills the bot when the thread that started it ends, however it ends."""
    if sys.platform != "linux":
        return "no: only on Linux"
    _checked(_libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "the parent's death could not be tied to the bot's")
    if parent and os.getppid() != parent:
        raise Unguarded("the process that started the bot is gone")
    return "yes"


def drop_privileges() -> str:
    """No new privileges by any program started later, and none of root's at present."""
    if sys.platform != "linux":
        return "no: only on Linux"
    libc = _libc()
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "new privileges could not be given up")
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    _checked(libc.capset(header, bytes(24)), "root's capabilities could not be given up")
    return "yes"


# Landlock: which files, which network ---------------------------------------------------------------------------------------------------------

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
ALL_OF_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
MAKE_DEVICES_AND_SOCKETS = 1 << 6 | 1 << 9 | 1 << 11
ON_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READING = EXECUTE | READ_FILE | READ_DIR


def landlock_version() -> tuple[int, str]:
    """The kernel's Landlock version and an empty text, or 0 and why there is none."""
    if sys.platform != "linux":
        return 0, "only on Linux"
    version: int = _libc().syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version > 0:
        return version, ""
    reasons = {
        errno.ENOSYS: "the kernel is older than 5.13 or built without it",
        errno.EOPNOTSUPP: "switched off when the kernel was started",
    }
    return 0, reasons.get(ctypes.get_errno(), f"the system refuses it ({os.strerror(ctypes.get_errno())})")


def lock_files(folder: str, readable: Iterable[str], listable: Iterable[str]) -> dict[str, str]:
    """Reading below system folders and `readable`, writing in `folder`, nothing else; no TCP, no signals to others."""
    version, why = landlock_version()
    if version == 0:
        return {"files": f"no: {why}", "network by Landlock": f"no: {why}", "signals by Landlock": f"no: {why}"}
    libc = _libc()
    handled = ALL_OF_FILES[min(version, 5)]
    attributes = struct.pack("=QQQ", handled, 3, 3)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    rules = _checked(
        libc.syscall(LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)),
        "Landlock rules could not be made",
    )

    def allow(path: str, access: int, *, must_exist: bool) -> None:
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError as error:
            if must_exist:
                raise Unguarded(f"'{path}' cannot be opened to the bot: {error.strerror}") from error
            return
        try:
            if not os.path.isdir(path):
                access &= ON_A_FILE
            rule = struct.pack("=Qi", access & handled, descriptor)
            _checked(libc.syscall(LANDLOCK_ADD_RULE, rules, 1, rule, ctypes.c_uint32(0)), f"Landlock refuses a rule for '{path}'")
        finally:
            os.close(descriptor)

    java = (f"/etc/{name}" for name in os.listdir("/etc") if name.startswith("java-"))  # Debian's Java keeps its settings there
    for path in (*SYSTEM_READABLE, *java):
        allow(path, READING, must_exist=False)
    allow("/dev/null", READ_FILE | WRITE_FILE | TRUNCATE, must_exist=False)
    for path in readable:
        allow(path, READING, must_exist=True)
    for path in listable:
        allow(path, READ_DIR, must_exist=True)
    allow(folder, handled & ~MAKE_DEVICES_AND_SOCKETS & ~IOCTL_DEV, must_exist=True)
    _checked(libc.syscall(LANDLOCK_RESTRICT_SELF, rules, ctypes.c_uint32(0)), "Landlock rules could not be put in force")
    os.close(rules)
    return {
        "files": f"yes (Landlock {version})",
        "network by Landlock": "yes" if version >= 4 else "no: the kernel is older than 6.7",
        "signals by Landlock": "yes" if version >= 6 else "no: the kernel is older than 6.12",
    }


# seccomp: which system calls -------------------------------------------------------------------------------------------------------------------

# name: number on x86_64, number on aarch64 (None: there is no such call).
CALLS: dict[str, tuple[int | None, int | None]] = {
    # processes of others
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440)},
    **{"process_mrelease": (448, 448), "kcmp": (312, 272), "move_pages": (279, 239), "migrate_pages": (256, 238)},
    **{"pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424)},
    **{"setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119)},
    **{"sched_setparam": (142, 118), "sched_setattr": (314, 274), "setrlimit": (160, 164)},
    # processes of its own
    **{"fork": (57, None), "vfork": (58, None)},
    # network
    **{"socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242)},
    # what Landlock leaves open: attributes of files, by name or by descriptor
    **{"chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55)},
    **{"lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None)},
    **{"utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14)},
    **{"lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466)},
    **{"file_setattr": (469, 469), "truncate": (76, 45), "fanotify_init": (300, 262)},
    **{"inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_add_watch": (254, 27)},  # a user has 128 of them in all
    # shared memory, semaphores and queues: they belong to the machine, so other programs' would be within reach
    **{"shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195)},
    **{"semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192)},
    **{"msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187)},
    **{"mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183)},
    **{"mq_notify": (244, 184), "mq_getsetattr": (245, 185)},
    # memory that escapes the limits
    **{"memfd_create": (319, 279), "memfd_secret": (447, 447)},
    # name spaces, mounts, the system as a whole
    **{"unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51)},
    **{"open_tree": (428, 428), "open_tree_attr": (467, 467), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431)},
    **{"fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "bpf": (321, 280)},
    **{"statmount": (457, 457), "listmount": (458, 458)},
    **{"perf_event_open": (298, 241), "userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219)},
    **{"init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104)},
    **{"kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89)},
    **{"quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "settimeofday": (164, 170), "clock_settime": (227, 112)},
    **{"adjtimex": (159, 171), "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None)},
    **{"ioperm": (173, None), "vhangup": (153, 58)},
}
# These have a fallback in C libraries and in Node for kernels without them.
MISSING_CALLS: dict[str, tuple[int, int]] = {
    **{"clone3": (435, 435), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427)},
    **{"io_setup": (206, 0)},  # its requests are counted for the whole machine
}
# Allowed or not depending on the arguments: see `_filter_program`.
JUDGED_CALLS: dict[str, tuple[int, int]] = {
    **{"clone": (56, 220), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138)},
    **{"rt_tgsigqueueinfo": (297, 240), "socketpair": (53, 199), "prlimit64": (302, 261), "prctl": (157, 167), "fcntl": (72, 25)},
    **{"ioctl": (16, 29), "mmap": (9, 222)},
}
FIRST_UNKNOWN_CALL = 470  # newer than this list, hence judged by nobody

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
ALLOW, FAIL, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
CLONE_THREAD, AF_UNIX, SOCK_STREAM = 0x10000, 1, 1
F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ = 8, 10, 15, 1024, 1026, 1031
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
# isatty, window size, bytes ready, non-blocking, close on exec: the requests that say nothing to anybody else.
HARMLESS_IOCTLS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

Instruction = tuple[int, int, int, int]


def _refuse(number: int) -> Instruction:
    return RETURN, 0, 0, FAIL + number


def _argument(index: int, *, high: bool = False) -> Instruction:
    """Load half of an argument; both architectures are little-endian."""
    return LOAD, 0, 0, 16 + 8 * index + 4 * high


def _filter_program(machine: str, process: int) -> list[Instruction]:
    """The filter, straight downwards: every block tests one call by its number and ends in a verdict."""
    column = 0 if machine == "x86_64" else 1
    denied, allowed = _refuse(errno.EPERM), (RETURN, 0, 0, ALLOW)

    def among(values: Sequence[int], then: Instruction, otherwise: Instruction) -> list[Instruction]:
        tests = [(JUMP_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
        return [*tests, otherwise, then]

    to_itself = [_argument(0), *among((process,), allowed, denied)]
    judged: dict[str, list[Instruction]] = {
        "clone": [_argument(0), (JUMP_BITS, 0, 1, CLONE_THREAD), allowed, denied],
        "kill": [_argument(0), *among((process, 0), allowed, denied)],  # 0: its own group, which is itself
        **dict.fromkeys(("tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), to_itself),
        # A pair of streams is connected to itself for good; datagram sockets could still be addressed elsewhere.
        "socketpair": [
            *(_argument(0), (JUMP_EQUAL, 1, 0, AF_UNIX), denied),
            *(_argument(1), (AND, 0, 0, 0xFF), *among((SOCK_STREAM,), allowed, denied)),
        ],
        # Asking for one's own limits, never setting any.
        "prlimit64": [
            *(_argument(2), (JUMP_EQUAL, 1, 0, 0), denied),
            *(_argument(2, high=True), (JUMP_EQUAL, 1, 0, 0), denied),
            *(_argument(0), *among((0, process), allowed, denied)),
        ],
        "prctl": [_argument(0), *among((PR_SET_PDEATHSIG,), denied, allowed)],
        "fcntl": [_argument(1), *among((F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ), denied, allowed)],
        "ioctl": [_argument(1), *among(HARMLESS_IOCTLS, allowed, _refuse(errno.ENOTTY))],
        # RLIMIT_DATA does not count shared memory without a file, nor stacks that grow by themselves.
        "mmap": [
            *(_argument(3), (JUMP_BITS, 0, 1, MAP_GROWSDOWN), denied),
            *((AND, 0, 0, MAP_SHARED | MAP_ANONYMOUS), *among((MAP_SHARED | MAP_ANONYMOUS,), denied, allowed)),
        ],
    }
    program: list[Instruction] = [
        *((LOAD, 0, 0, 4), (JUMP_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]), (RETURN, 0, 0, KILL_PROCESS)),
        *((LOAD, 0, 0, 0), (JUMP_AT_LEAST, 0, 1, FIRST_UNKNOWN_CALL), _refuse(errno.ENOSYS)),  # also the x32 calls
    ]
    for name, numbers in JUDGED_CALLS.items():
        program += [(JUMP_EQUAL, 0, len(judged[name]), numbers[column]), *judged[name]]
    for calls, verdict in ((CALLS, denied), (MISSING_CALLS, _refuse(errno.ENOSYS))):
        program += [step for numbers in calls.values() if (n := numbers[column]) is not None for step in ((JUMP_EQUAL, 0, 1, n), verdict)]
    return [*program, allowed]


def filter_calls() -> str:
    """No processes, no sockets, no signals to others, no changes of attributes or limits: refused with an error, not by death."""
    machine = platform.machine()
    if sys.platform != "linux":
        return "no: only on Linux"
    if machine not in AUDIT_ARCHITECTURES or sys.maxsize < 1 << 32:
        return f"no: the filter is written for {' and '.join(AUDIT_ARCHITECTURES)}, not for {machine}"
    libc = _libc()
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, None, 0, 0)
    if ctypes.get_errno() != errno.EFAULT:  # a kernel with filters looks for one at address 0
        return f"no: the kernel has no filters of system calls ({os.strerror(ctypes.get_errno())})"
    program = _filter_program(machine, os.getpid())
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    header = struct.pack("@HP", len(program), ctypes.addressof(code))
    _checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0), "the filter of system calls could not be put in force")
    return "yes"


# All of it -------------------------------------------------------------------------------------------------------------------------------------


def put_up_guards(task: dict[str, Any]) -> dict[str, str]:
    """Confine this process for good; what was done by name: "yes", or "no: " and why the system cannot."""
    guards = {"limits": set_limits(task["limits"])}
    guards["end with the parent"] = die_with_parent(task["parent"])
    guards["no privileges"] = drop_privileges()
    guards.update(lock_files(task["folder"], task["readable"], task["listable"]))
    guards["system calls"] = filter_calls()  # the last one: it forbids what the others need
    return guards


def become(task: dict[str, Any], command: list[str]) -> None:
    """Put up the guards, unless the bot is trusted, and turn into the bot; returns only by an exception."""
    status: int = task["status"]
    os.set_inheritable(status, False)
    os.closerange(3, status)
    os.closerange(status + 1, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16))
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.umask(0o077)
    os.chdir(task["folder"])
    if not task["confined"]:
        die_with_parent(task["parent"])
        os.write(status, b"+")
        os.execve(command[0], command, os.environ)
    put_up_guards(task)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, which every later program would inherit
        signal.signal(number, signal.SIG_DFL)
    environment = {
        "PATH": task["path"],
        "LANG": "C.UTF-8",
        "HOME": task["folder"],
        "TMPDIR": task["folder"],
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    os.write(status, b"+")
    os.execve(command[0], command, environment)


def available_guards() -> dict[str, str]:
    """Which guards this system has, by name: "yes", or "no: " and why; found by trying them in a process that is thrown away."""
    import subprocess  # not needed in a bot's process, whose start should be short
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kibitz-guards-") as folder:
        limits = {
            "memory": 1 << 30,
            "address_space": 4 << 30,
            "file_bytes": 1 << 20,
            "open_files": 64,
            "cpu_seconds": 60,
            "processes": 1024,
        }
        task = {"limits": limits, "parent": 0, "folder": folder, "readable": [], "listable": []}
        tried = subprocess.run([sys.executable, "-I", "-S", __file__, json.dumps(task)], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        lines = tried.stderr.strip().splitlines()
        return {"all": f"no: {lines[-1] if lines else f'the trial ended with exit code {tried.returncode}'}"}
    guards: dict[str, str] = json.loads(tried.stdout)
    return guards


def _main() -> None:
    task: dict[str, Any] = json.loads(sys.argv[1])
    if len(sys.argv) == 2:  # a trial: say what was put up, and end
        print(json.dumps(put_up_guards(task)))
        return
    try:
        become(task, sys.argv[3:])
    except BaseException as error:
        if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
            what = f"'{sys.argv[3]}' cannot be run: it is no program, and a script needs a first line such as #!/usr/bin/env python3"
        elif isinstance(error, OSError):
            what = f"'{error.filename or sys.argv[3]}' cannot be run: {error.strerror}"
        else:
            what = str(error) or type(error).__name__
        os.write(task["status"], what.encode(errors="replace"))
        os._exit(126)


if __name__ == "__main__":
    _main()
