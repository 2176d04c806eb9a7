"""Hostile programs as real processes: each is charged with the right fault, and nothing of it is left."""

from __future__ import annotations

import ast
import ctypes
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kibitz.outside.command import absolute_command
from kibitz.outside.confine import available_guards
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.process import BotProcess

PROGRAMS = Path(__file__).parent / "hostile" / "programs.py"
GUARDS = available_guards()
PATIENT = BotLimits(decision_seconds=60.0, game_seconds=600.0, start_seconds=60.0)  # for bots that do answer, on a busy machine
SMALL = replace(PATIENT, memory=256 << 20, address_space=2 << 30)
QUESTION = {"type": "decide", "id": 1}
IPC_PRIVATE, IPC_CREAT, IPC_NOWAIT, GETVAL, SETVAL = 0, 0o1000, 0o4000, 12, 16

# Lines that are no answer, and what is said about each.
GARBAGE = [
    (b"I play the red five", "is not JSON (Expecting value"),
    (b"", "is not JSON"),
    (b'{"action": ', "is not JSON"),
    (b'{"action": "r5"} {}', "is not JSON (Extra data"),
    (b"\xff\xfe{}", "is not JSON ('utf-8' codec"),
    (b"\x1b[2J\x07", "is not JSON (Expecting value: line 1 column 1 (char 0)): �[2J�"),
    (b"[1, 2]", "is not a JSON object: [1, 2]"),
    (b'"r5"', "is not a JSON object"),
    (b"null", "is not a JSON object"),
    (b"[" * 60000, "is not JSON (nested too deeply): [[["),
    (b'{"a":' * 10000 + b"1" + b"}" * 10000, "is not JSON (nested too deeply)"),
    (b'{"action": NaN}', "is not JSON (NaN is not a number of JSON)"),
    (b'{"action": -Infinity}', "is not JSON (-Infinity is not a number of JSON)"),
    (b'{"action": 1e999}', "is not JSON (the number 1e999 is too large)"),
    (b'{"action": ' + b"9" * 60000 + b"}", "is not JSON (Exceeds the limit"),
]

# Programs that are charged with a fault that ends them: their words, limits, whether they answer first, the kind, and what is said about it.
FAULTS: list[tuple[str, BotLimits, bool, str, str]] = [
    ("crash_at_start", PATIENT, False, "crash", "ended with exit code 1: ValueError: no deck\ufffd[31m today"),
    ("crash_midway", PATIENT, True, "crash", "ended with exit code 1: ZeroDivisionError: "),
    ("abort", PATIENT, False, "crash", "was ended by signal SIGABRT"),
    ("close_output", PATIENT, False, "crash", "closed its standard output"),
    ("flood_bytes", PATIENT, False, "flood", "answered with more than 65,536 bytes in one line: xxx"),
    ("flood_lines", PATIENT, True, "protocol", "wrote a line that nobody had asked for: "),
    ("answer_twice", PATIENT, True, "protocol", 'wrote a line that nobody had asked for: {"answer": 2}'),
    ("huge_file error", PATIENT, False, "crash", "ended with exit code 1: OSError: [Errno 27]"),
    ("huge_file die", PATIENT, False, "crash", "was ended by signal SIGXFSZ (a file"),
    ("memory_hog", SMALL, False, "crash", "ended with exit code 1: MemoryError"),
    ("hang", replace(PATIENT, cpu_seconds=1), False, "crash", "was ended by signal SIGKILL"),
]
# Ways to fill a folder, and what is said when the next game starts.
FULL = replace(PATIENT, folder_bytes=4 << 20, folder_files=1000)
FILLED = [
    ("many", "made more than 1,000 files in its working folder"),
    ("large", "filled its working folder with "),
    ("deep", "made a folder that cannot be measured in its working folder (File name too long)"),
]

needs_files = pytest.mark.skipif(not GUARDS.get("files", "no").startswith("yes"), reason=f"files: {GUARDS.get('files')}")
needs_calls = pytest.mark.skipif(GUARDS.get("system calls") != "yes", reason=f"system calls: {GUARDS.get('system calls')}")

Start = Callable[..., BotProcess]


def processes_of(session: int) -> list[str]:
    """The names of all processes of a session, zombies among them, wherever they went."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        if int(fields.split()[3]) == session:
            found.append(name)
    return found


def gone(pid: int, seconds: float = 30.0) -> bool:
    """Whether a process that is not our child ends; a zombie has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def hostile(program: str, *arguments: str, limits: BotLimits = PATIENT, log: Path | None = None, folder: Path | None = None) -> BotProcess:
    """A hostile program as a bot."""
    command = [sys.executable, "-I", str(PROGRAMS), program, *arguments]
    return BotProcess(command, limits, readable=[PROGRAMS], log=log, folder=folder)


def expectations() -> dict[str, str]:
    """What each hostile program is to be expected to do, by its name."""
    defined = [node for node in ast.parse(PROGRAMS.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    described = {node.name: ast.get_docstring(node) or "" for node in defined}
    return {name: text.partition("Expected: ")[2] for name, text in described.items() if "Expected: " in text}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts hostile programs in working folders below one of the test; at the end of the test nothing of them may be left."""
    started: list[BotProcess] = []
    where = tmp_path / "working"
    where.mkdir()

    def start_program(program: str, *arguments: str, limits: BotLimits = PATIENT, log: Path | None = None) -> BotProcess:
        process = hostile(program, *arguments, limits=limits, log=log, folder=where)
        started.append(process)
        process.start()
        return process

    yield start_program
    for process in started:
        process.close()
        assert not process.is_running
        assert process.pid is not None and processes_of(process.pid) == []
    assert list(where.iterdir()) == []


def fault_of(process: BotProcess, message: dict[str, Any] = QUESTION) -> OutsideFault:
    """The fault that a question meets; if it is fatal, the process and its folder are gone by then."""
    with pytest.raises(OutsideFault) as caught:
        process.ask(message)
    if caught.value.fatal:
        assert not process.is_running
        assert process.pid is not None and processes_of(process.pid) == []
        assert process.working_folder is not None and not process.working_folder.exists()
        with pytest.raises(OutsideFault, match="is not running"):
            process.ask(message)
    return caught.value


@contextmanager
def objects_of_another_program() -> Iterator[list[str]]:
    """Shared memory, semaphores and queues that anybody may use: the arguments of shared_objects.py. At the end they must be as they were."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    name = f"/kibitz-test-{os.getpid()}".encode()
    mode = 0o666 | IPC_CREAT  # open to everybody, as carelessly as can be
    segment, semaphores, queue = libc.shmget(IPC_PRIVATE, 4096, mode), libc.semget(IPC_PRIVATE, 1, mode), libc.msgget(IPC_PRIVATE, mode)
    posix_queue = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o666, None)
    assert min(segment, semaphores, queue, posix_queue) >= 0, os.strerror(ctypes.get_errno())
    try:
        address = libc.shmat(segment, None, 0)
        ctypes.memmove(address, b"the seed", 8)
        libc.semctl(semaphores, 0, SETVAL, 3)
        libc.msgsnd(queue, (ctypes.c_long * 2)(1, 42), 8, 0)
        yield [str(segment), str(semaphores), str(queue), name.decode()]
        assert ctypes.string_at(address, 8) == b"the seed"
        assert libc.semctl(semaphores, 0, GETVAL) == 3
        message = (ctypes.c_long * 2)()
        assert libc.msgrcv(queue, message, 8, 0, IPC_NOWAIT) == 8 and message[1] == 42
        libc.shmdt(ctypes.c_void_p(address))
    finally:
        os.close(posix_queue)
        removed = (libc.mq_unlink(name), libc.shmctl(segment, 0, None), libc.semctl(semaphores, 0, 0), libc.msgctl(queue, 0, None))
    assert removed == (0, 0, 0, 0)


# Ends and silences


@pytest.mark.parametrize(("words", "limits", "answers_first", "kind", "what"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_faults_that_end_a_bot(start: Start, words: str, limits: BotLimits, answers_first: bool, kind: str, what: str) -> None:
    process = start(*words.split(), limits=limits)
    if answers_first:
        assert process.ask(QUESTION) == {"answer": 1}
    fault = fault_of(process)
    assert (fault.kind, fault.fatal) == (kind, True)
    assert fault.what.startswith(what) and len(fault.what) < 200
    assert "Traceback" in process.log_tail() or "exit code" not in what


def test_a_crash_between_games_is_charged_at_the_next(start: Start) -> None:
    process = start("crash_midway")
    process.ask(QUESTION)
    process.send(QUESTION)
    assert process.pid is not None and gone(process.pid)
    with pytest.raises(OutsideFault, match="ended with exit code 1: ZeroDivisionError") as caught:
        process.start_game()
    assert caught.value.kind == "crash"


def test_a_bot_that_thinks_for_ever_is_ended(start: Start) -> None:
    process = start("hang", limits=BotLimits(decision_seconds=0.2, start_seconds=60.0))
    process.ask({"type": "first"}, seconds=60.0)
    fault = fault_of(process)
    assert (fault.kind, fault.fatal) == ("time", True)
    assert fault.what == "did not answer within 0.2 s"
    assert process.seconds_used >= 0.2


def test_the_allowance_of_a_game_ends_a_bot_too(start: Start) -> None:
    process = start("hang", limits=BotLimits(decision_seconds=60.0, game_seconds=0.3, start_seconds=60.0))
    process.ask({"type": "first"})  # no game has begun yet
    process.start_game()
    fault = fault_of(process)
    assert (fault.kind, fault.fatal) == ("time", True)
    assert fault.what == "used up its 0.3 s for the game"


def test_every_game_has_its_own_clock(start: Start) -> None:
    process = start("parrot")
    process.ask({"say": b"{}".hex()})
    assert process.seconds_used > 0
    process.start_game()
    assert process.seconds_used == 0
    process.seconds_used = PATIENT.game_seconds
    fault = fault_of(process, {"say": b"{}".hex()})
    assert (fault.kind, fault.what) == ("time", "used up its 600 s for the game")


@pytest.mark.parametrize("size", [1000, 1_000_000])  # a full pipe, and a line that no pipe can hold
def test_a_bot_that_never_reads_does_not_hold_up_the_sender(start: Start, size: int) -> None:
    process = start("never_reads", limits=BotLimits(decision_seconds=0.2, start_seconds=60.0))

    def tell_much() -> None:
        for _ in range(2000):
            process.send({"type": "event", "filler": "x" * size})

    with pytest.raises(OutsideFault) as caught:
        tell_much()
    assert (caught.value.kind, caught.value.fatal) == ("time", True)
    assert caught.value.what == "did not read its input within 0.2 s"


def test_a_polite_bot_ends_by_itself_and_a_stubborn_one_is_ended(start: Start) -> None:
    polite, stubborn = start("parrot"), start("hang")
    polite.ask({"say": b"{}".hex()})
    stubborn.ask({"type": "first"})
    polite.close(grace=60.0)
    stubborn.close(grace=0.05)
    for process in (polite, stubborn):
        assert process.pid is not None and processes_of(process.pid) == []
        process.close()
        process.kill()


# Output


@pytest.mark.parametrize(("said", "why"), GARBAGE)
def test_garbage_is_charged_but_the_bot_lives(start: Start, said: bytes, why: str) -> None:
    process = start("parrot")
    fault = fault_of(process, {"say": said.hex()})
    assert (fault.kind, fault.fatal) == ("garbage", False)
    assert why in fault.what and len(fault.what) < 250 and fault.what.isprintable()
    assert process.ask({"say": b'{"answer": 5}\r'.hex()}) == {"answer": 5}


def test_output_before_the_first_question(start: Start) -> None:
    process = start("talk_unasked")
    while "printed" not in process.log_tail():
        time.sleep(0.01)
    fault = fault_of(process)
    assert (fault.kind, fault.fatal) == ("protocol", True)
    assert fault.what == "wrote a line that nobody had asked for: Welcome to SuperBot 3000"


def test_the_log_holds_standard_error_and_is_cut_to_size(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_text("from an earlier start\n")
    process = start("chatter", limits=replace(PATIENT, log_bytes=20_000), log=log)
    assert process.log_tail() == ""
    process.ask({"lines": 2})
    assert log.read_text().startswith("from an earlier start\nline 0 xxx")
    assert process.log_tail().startswith("line 0 ") and process.log_tail().count("\n") == 2
    process.ask({"lines": 1000})
    process.start_game()
    assert log.stat().st_size <= 20_000
    assert log.read_text().startswith("[") and " bytes dropped]\n" in log.read_text()
    process.ask({"lines": 1})
    assert log.read_text().splitlines()[-1].startswith("line 0 ") and log.read_text().splitlines()[-2].startswith("line 999 ")
    process.ask({"lines": 1000})
    process.close()
    assert log.stat().st_size <= 20_000 and process.log_tail().rstrip().splitlines()[-1].startswith("line 999 ")


# What the system refuses


@needs_calls
def test_no_second_process_in_any_way(start: Start) -> None:
    process = start("fork")
    outcome = process.ask(QUESTION)
    assert outcome.pop("clone3").startswith("OSError")  # as if the kernel did not know it: C libraries fall back to clone
    assert outcome == dict.fromkeys(outcome, "refused") and len(outcome) == 6
    assert process.pid is not None and len(processes_of(process.pid)) == 1


def test_threads_and_asyncio_work(start: Start) -> None:
    assert start("threads").ask(QUESTION) == {"threads": list(range(16)), "asyncio": 5}


@pytest.mark.parametrize(("how", "what"), FILLED)
def test_an_overgrown_folder_is_charged_when_the_next_game_starts_and_deleted(start: Start, tmp_path: Path, how: str, what: str) -> None:
    (tmp_path / "kept").write_text("kept")
    process = start("fill_folder", how, str(tmp_path), limits=FULL)
    process.ask(QUESTION)
    with pytest.raises(OutsideFault) as caught:
        process.start_game()
    assert (caught.value.kind, caught.value.fatal) == ("flood", True)
    assert caught.value.what.startswith(what)
    assert process.working_folder is not None and not process.working_folder.exists()
    assert (tmp_path / "kept").read_text() == "kept"


def test_folders_without_permissions_are_deleted_too(start: Start, tmp_path: Path) -> None:
    process = start("fill_folder", "hidden", str(tmp_path))
    process.ask(QUESTION)
    assert process.working_folder is not None and (process.working_folder / "link").is_symlink()
    process.kill()
    assert not process.working_folder.exists()


@needs_files
@needs_calls
def test_files_of_others_cannot_be_changed(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "others"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    before = (folder / "kept").stat()
    outcome = start("change_files", str(folder)).ask(QUESTION)
    assert outcome.pop("own") == "allowed"
    assert (
        all(said.startswith(("refused", "OSError")) for said in outcome.values()) and len(outcome) == 17
    )  # OSError: a link across folders
    assert [path.name for path in folder.iterdir()] == ["kept"]
    after = (folder / "kept").stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_size) == (before.st_mode, before.st_mtime_ns, before.st_size)
    assert not Path("/tmp/kibitz-hostile-was-here").exists()


@needs_files
def test_files_of_others_cannot_be_read(start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the seed")
    with tempfile.NamedTemporaryFile() as in_tmp:
        closed = [str(secret), in_tmp.name, str(tmp_path), str(Path.home()), "/etc/passwd", "/etc", "/", "/proc", "/tmp"]
        closed += [
            "/proc/PARENT/environ",
            "/proc/PARENT/cmdline",
            "/proc/PARENT/maps",
            str(PROGRAMS.with_name("player.py")),
            str(PROGRAMS.parent),
        ]
        opened = [str(PROGRAMS), "/usr", "/dev/urandom", "/dev/null", "/proc/self/status", os.__file__]
        outcome = start("read_files", *closed, *opened).ask(QUESTION)
    results = list(outcome.values())
    assert results == ["refused"] * len(closed) + ["done"] * len(opened), outcome


@needs_calls
def test_no_network(start: Start) -> None:
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(f"{folder}/socket")
        unix.listen()
        for listener in (tcp, unix):
            listener.setblocking(False)
        outcome = start("network", str(tcp.getsockname()[1]), f"{folder}/socket").ask(QUESTION)
        for listener in (tcp, unix):
            with pytest.raises(BlockingIOError):
                listener.accept()
    assert "Operation not permitted" in outcome.pop("http")
    assert outcome == dict.fromkeys(("tcp", "udp", "unix", "datagram pair", "listen"), "refused")


@needs_calls
def test_the_parent_and_the_own_limits_are_out_of_reach(start: Start) -> None:
    outcome = start("attack_parent").ask(QUESTION)
    assert outcome == dict.fromkeys(outcome, "refused") and len(outcome) == 16


@needs_calls
def test_shared_memory_semaphores_and_queues_of_others_are_out_of_reach(start: Start) -> None:
    with objects_of_another_program() as arguments:
        outcome = start("shared_objects", *arguments).ask(QUESTION)
        assert outcome == dict.fromkeys(outcome, "refused") and len(outcome) == 22


@needs_calls
def test_what_all_processes_of_a_user_share_cannot_be_used_up(start: Start) -> None:
    outcome = start("use_up").ask(QUESTION)
    assert "done" not in outcome.values() and len(outcome) == 5, outcome


@needs_files
def test_the_network_and_the_mounts_of_the_machine_cannot_be_seen(start: Start) -> None:
    of_itself = [f"/proc/{which}" for which in ("self", "thread-self", "self/task/SELF")]
    closed = [f"{folder}/{name}" for folder in of_itself for name in ("net", "net/tcp", "net/dev", "mountinfo", "mounts")]
    closed += ["/proc/net/tcp", "/proc/net/unix", "/proc/mounts", "/proc/sysvipc/shm", "/proc/keys", "/proc/loadavg", "/sys/class/net"]
    opened = [f"/proc/self/{name}" for name in ("cgroup", "cmdline", "environ", "fd", "limits", "maps", "stat", "statm", "status")]
    outcome = start("read_files", *closed, *opened).ask(QUESTION)
    assert list(outcome.values()) == ["refused"] * len(closed) + ["done"] * len(opened), outcome


@needs_calls
def test_no_kind_of_memory_passes_the_limit(start: Start) -> None:
    outcome = start("memory_tricks", "512", limits=SMALL).ask(QUESTION)
    assert outcome.pop("filled, then read-only") == 512  # docs/isolation.md says so
    assert 0 < outcome["plain"] <= 256
    assert max(outcome.values()) <= 256 and len(outcome) == 8, outcome


def test_open_files_end(start: Start) -> None:
    outcome = start("open_files").ask(QUESTION)
    assert outcome == {"opened": 64 - 3, "why": "Too many open files"}


def test_nothing_is_inherited(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_TEST_SECRET", "the seed")
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        process = start("inventory", log=tmp_path / "log")
        outcome = process.ask(QUESTION)
    folder = str(process.working_folder)
    assert outcome["environment"].pop("PATH").startswith(f"{Path(sys.executable).parent}:")
    outcome["environment"].pop("LC_CTYPE", None)  # Python sets it for itself
    assert outcome["environment"] == {"LANG": "C.UTF-8", "HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    descriptors = outcome["descriptors"]
    assert sorted(descriptors) == ["0", "1", "2"]
    assert descriptors["0"].startswith("pipe:") and descriptors["1"].startswith("pipe:") and descriptors["2"] == str(tmp_path / "log")
    assert (outcome["folder"], outcome["listing"], outcome["leader"]) == (folder, [], True)
    if sys.platform == "linux":
        assert set(outcome["capabilities"][:3]) == {"0" * 16}  # inheritable, permitted, effective


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends a process with its parent")
def test_a_bot_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    lines = [
        "import sys, time",
        "from pathlib import Path",
        "from kibitz.outside.limits import BotLimits",
        "from kibitz.outside.process import BotProcess",
        "process = BotProcess([sys.executable, '-I', sys.argv[1], 'hang'], readable=[Path(sys.argv[1])], folder=Path(sys.argv[2]))",
        "process.start()",
        "process.ask({'type': 'first'}, seconds=60.0)",
        "print(process.pid, flush=True)",
        "time.sleep(600)",
    ]
    command = [sys.executable, "-c", "\n".join(lines), str(PROGRAMS), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid, seconds=0.1)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert gone(pid)


def test_a_bot_outlives_the_thread_that_started_it(start: Start) -> None:
    started: list[BotProcess] = []
    thread = threading.Thread(target=lambda: started.append(start("parrot")))
    thread.start()
    thread.join()
    assert started[0].ask({"say": b'{"answer": 5}'.hex()}) == {"answer": 5}


def test_a_forgotten_bot_is_ended(tmp_path: Path) -> None:
    process = hostile("hang", folder=tmp_path)
    process.start()
    pid = process.pid
    assert pid is not None and len(processes_of(pid)) == 1
    del process
    assert processes_of(pid) == [] and list(tmp_path.iterdir()) == []


# Starts


def test_a_command_that_cannot_be_run(tmp_path: Path) -> None:
    plain, script, foreign = tmp_path / "plain", tmp_path / "script", tmp_path / "foreign"
    plain.write_text("")
    script.write_text("print 1\n")
    foreign.write_text("#!/no/such/interpreter\n")
    for path in (script, foreign):
        path.chmod(0o755)
    cases: list[tuple[list[str], str]] = [
        ([], "could not be started: its command is empty"),
        (["no-such-program-here"], "could not be started: there is no program 'no-such-program-here' in the search path"),
        ([f"{tmp_path}/nothing"], f"could not be started: there is no file '{tmp_path}/nothing'"),
        ([str(plain)], f"could not be started: '{plain}' is not executable"),
        ([str(tmp_path)], f"could not be started: '{tmp_path}' is not executable"),
        ([str(script)], f"could not be started: '{script}' cannot be run: it is no program, and a script needs a first line such as"),
        ([str(foreign)], f"could not be started: '{foreign}' cannot be run: No such file or directory"),
        (["perl", "a\0b"], "could not be started: its command has a zero byte"),
    ]
    for command, what in cases:
        process = BotProcess(command, PATIENT, folder=tmp_path)
        with pytest.raises(OutsideFault) as caught:
            process.start()
        assert (caught.value.kind, caught.value.fatal) == ("start", True)
        assert caught.value.what.startswith(what), caught.value.what
        assert not process.is_running and not list(tmp_path.glob("kibitz-bot-*"))


def test_a_guard_that_fails_stops_the_start(tmp_path: Path) -> None:
    process = BotProcess([sys.executable, str(PROGRAMS)], BotLimits(start_seconds=60.0, open_files=-5), folder=tmp_path)
    with pytest.raises(OutsideFault, match="could not be started: the limit RLIMIT_NOFILE could not be set to -5") as caught:
        process.start()
    assert caught.value.kind == "start" and list(tmp_path.iterdir()) == []
    missing = BotProcess([sys.executable, str(PROGRAMS)], PATIENT, readable=[tmp_path / "nothing"], folder=tmp_path)
    with pytest.raises(OutsideFault, match="which it is to read, does not exist"):
        missing.start()


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("perl", '$| = 1; while (<STDIN>) { print "{\\"answer\\": 5}\\n"; }'),
        ("node", "require('readline').createInterface({input: process.stdin}).on('line', () => console.log('{\"answer\": 5}'));"),
        ("sh", "while read line; do echo '{\"answer\": 5}'; done"),
        (
            "java",
            "class Bot { public static void main(String[] a) { for (var s = new java.util.Scanner(System.in); s.hasNextLine(); s.nextLine())"
            ' System.out.println("{\\"answer\\": 5}"); } }',
        ),
    ],
)
def test_other_languages_live_within_the_limits(tmp_path: Path, program: str, text: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    file = tmp_path / ("bot.java" if program == "java" else "bot")
    file.write_text(text)
    with BotProcess([program, str(file)], PATIENT, readable=[file]) as process:
        for _ in range(3):
            process.start_game()
            assert process.ask(QUESTION) == {"answer": 5}
        process.close(grace=60.0)
        assert process.log_tail() == ""


def test_arguments_that_name_files_become_absolute(tmp_path: Path) -> None:
    (tmp_path / "bot.pl").write_text("")
    (tmp_path / "run").write_text("")
    file = tmp_path / "bot.pl"
    assert absolute_command(["perl", "-w", "bot.pl"], tmp_path) == (["perl", "-w", str(file)], [file])
    assert absolute_command(["./run", "7"], tmp_path) == ([str(tmp_path / "run"), "7"], [tmp_path / "run"])
    assert absolute_command(["run"], tmp_path)[0] == [str(tmp_path / "run")]


def test_every_guard_has_a_verdict() -> None:
    assert set(GUARDS) == {
        *("limits", "end with the parent", "no privileges", "files", "network by Landlock", "signals by Landlock", "system calls"),
    }
    assert all(verdict.startswith(("yes", "no: ")) for verdict in GUARDS.values())


def test_faults_can_be_sent_between_processes() -> None:
    fault = pickle.loads(pickle.dumps(OutsideFault("time", "did not answer within 1 s", True)))
    assert (fault.kind, fault.what, fault.fatal, str(fault)) == ("time", "did not answer within 1 s", True, "did not answer within 1 s")
    assert json.dumps(fault.args) == '["time", "did not answer within 1 s", true]'


def test_hostile_programs_say_what_is_to_be_expected() -> None:
    assert len(expectations()) == 28
