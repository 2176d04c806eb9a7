"""An outside bot as a process of its own: started under guard, asked line by line, charged for every fault, and ended without remains.

The referee stands above: it says what to ask and what a fault costs. `confine.py` stands below: it runs in the new process before the bot.
The conversation is strict. One question, one line of answer: whatever comes unasked would shift every later answer, so it ends the bot.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from kibitz.core.printable import printable
from kibitz.games.plugins import homes
from kibitz.outside.command import SYSTEM_PATH, program_of, runtimes_of
from kibitz.outside.folders import remove_folder
from kibitz.outside.limits import BotLimits, OutsideFault, Stopped
from kibitz.outside.lines import as_line, from_line

KIBITZ_FOLDER = Path(__file__).resolve().parents[1]
CONFINE = str(Path(__file__).resolve().with_name("confine.py"))
CHUNK = 65536  # bytes read at once: what a pipe holds
SIGNALS = {int(number): number.name for number in signal.Signals}
MOST_WAITING = 16384  # characters of lines that wait to be written together
STOP_SECONDS = 0.2  # how long it may take until somebody who waits for a bot notices that the run is being ended
LAST_WORDS = 0.5  # seconds a process that closed its output has to end by itself, so that its exit code can be told


class BotProcess:
    """One outside bot: `start`, then `ask` and `send`, with `start_game` before each game, and `close`; or as a context manager.

    `command` is the program and its arguments. It runs in a fresh folder, made in `folder` (by default where temporary files go) and deleted
    at the end, so its arguments name files absolutely (`absolute_command`). It can read `readable`, files or whole folders, besides the
    system's programs and kibitz. Unless it is `confined`, it runs with the rights and the environment of whoever runs us. Its standard
    error is appended to `log`. Once `stop` is set, nobody waits for it any longer: whoever asks it gets `Stopped`. Not for two threads at once.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: BotLimits | None = None,
        *,
        readable: Sequence[Path] = (),
        confined: bool = True,
        log: Path | None = None,
        folder: Path | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.command = list(command)
        self.limits = BotLimits() if limits is None else limits
        self.readable = [Path(path).absolute() for path in readable]
        self.confined = confined
        self.log = log
        self.asked, self.answered = "", b""  # the last question as it was written, and what was read of the answer
        self._stop = stop
        self.seconds_used = 0.0  # by the bot, in the present game
        self._game_seconds = math.inf  # before the first game
        self.working_folder: Path | None = None
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._poll_output = select.poll()
        self._input = self._output = self._log = -1
        self._log_start = 0
        self._received = b""
        self._waiting: list[str] = []  # lines to be written with the next one
        self._waiting_size = 0
        self._end: Callable[[], object] = lambda: None
        self._tail = ""

    # Beginning and end

    def start(self) -> None:
        """Start the bot under guard; OutsideFault of kind `start` if the command cannot be run or a guard fails."""
        if self._process is not None:
            raise RuntimeError("a BotProcess starts once; make another one")
        program = program_of(self.command)
        for path in self.readable:
            if not path.exists():
                raise OutsideFault("start", f"could not be started: '{path}', which it is to read, does not exist")
        self._log, log_of_child = _open_log(self.log)
        self._log_start = os.fstat(self._log).st_size
        self.working_folder = Path(tempfile.mkdtemp(prefix="kibitz-bot-", dir=self._folder)).resolve()
        status, status_of_child = os.pipe()
        try:
            self._process = _from_a_lasting_thread(lambda: self._spawn(program, status_of_child, log_of_child))
            self._end = weakref.finalize(self, _end_process, self._process, self.working_folder, os.getpid())
            self._input, self._output = _descriptors(self._process)
            self._poll_output.register(self._output, select.POLLIN)
        except OSError as error:
            remove_folder(self.working_folder)
            os.close(self._log)
            os.close(status)
            self._log = -1
            raise OutsideFault("start", f"could not be started: {error}") from error
        finally:
            os.close(status_of_child)
            os.close(log_of_child)
        try:
            said = _read_until_closed(status, self.limits.start_seconds)
        finally:
            os.close(status)
        if said != b"+":
            self.kill()
            problem = "it was not ready in time" if said is None else said.removeprefix(b"+").decode(errors="replace") or self._last_line()
            raise OutsideFault("start", f"could not be started: {printable(problem, 300) or 'its guard ended too early'}")

    def _spawn(self, program: str, status: int, log: int) -> subprocess.Popen[bytes]:
        limits = {name: value for name, value in asdict(self.limits).items() if isinstance(value, int)}
        runtimes = runtimes_of(program)
        packages = [home.package for home in homes().values()]
        task = {
            "confined": self.confined,
            "limits": limits,
            "parent": os.getpid(),
            "status": status,
            "folder": str(self.working_folder),
            "readable": [str(path) for path in (*self.readable, KIBITZ_FOLDER, *packages, *sorted(runtimes))],
            "listable": [
                str(folder.parent) for folder in (KIBITZ_FOLDER, *packages)
            ],  # Python finds a package by listing the folder around it
            "path": os.pathsep.join(dict.fromkeys((os.path.dirname(sys.executable), os.path.dirname(program), *SYSTEM_PATH))),
        }
        return subprocess.Popen(
            [sys.executable, "-I", "-S", CONFINE, json.dumps(task), "--", program, *self.command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            bufsize=0,
            cwd=self.working_folder,
            env={} if self.confined else None,
            pass_fds=(status,),
            start_new_session=True,
        )

    @property
    def is_running(self) -> bool:
        """Started, and neither closed nor ended for a fault. A bot that ended by itself is found out, and charged, by the next question."""
        return self._input >= 0

    @property
    def pid(self) -> int | None:
        """The process's number, once started."""
        return None if self._process is None else self._process.pid

    def close(self, grace: float = 1.0) -> None:
        """Close the bot's input, give it `grace` seconds to end, then `kill`; a second time it does nothing."""
        self.ends_within(grace)
        self.kill()

    def ends_within(self, seconds: float) -> bool:
        """Close the bot's input and see whether it ends by itself in time."""
        if self._input < 0 or self._process is None:
            return True
        assert self._process.stdin is not None
        self._process.stdin.close()
        return _wait_for_exit(self._process, seconds) is not None

    def kill(self) -> None:
        """End the bot and all it may have started at once, delete its folder and cut its log to size."""
        if self._input < 0:
            return
        self._end()
        self._input = self._output = -1
        self._cut_log()
        self._tail = self.log_tail()
        os.close(self._log)
        self._log = -1

    def __enter__(self) -> BotProcess:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.kill()

    # The conversation

    def start_game(self) -> None:
        """A new game: its clock at zero. A bot whose working folder has outgrown its limits is ended here."""
        self.seconds_used, self._game_seconds = 0.0, self.limits.game_seconds
        if self._input < 0:
            self._not_running()
        if _exit_code(self._process) is not None:
            self._gone("output")
        self._cut_log()
        self._measure_folder()

    def send(self, message: dict[str, Any]) -> None:
        """Tell the bot something that it does not answer; it has `decision_seconds` to make room for the line."""
        self._send(as_line(message))

    def send_later(self, line: str) -> None:
        """Keep a line, of `as_line`, to be written with the next one or by `send_waiting`: fewer writes, fewer turns of the processor."""
        self._waiting.append(line)
        self._waiting_size += len(line)
        if self._waiting_size > MOST_WAITING:
            self.send_waiting()

    def send_waiting(self) -> None:
        """Write the lines that wait."""
        if self._waiting:
            self._send(self._waiting.pop())

    def _send(self, line: str) -> None:
        allowance = self._allowance(self.limits.decision_seconds)
        started = time.monotonic()
        try:
            self._write(line, started + allowance, allowance)
        finally:
            self.seconds_used += time.monotonic() - started

    def ask(self, message: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
        """Ask and return the answer, within `seconds` (by default the limit of a decision) and what is left for the game."""
        allowance = self._allowance(self.limits.decision_seconds if seconds is None else seconds)
        self._expect_silence()
        line = as_line(message)
        self.asked, self.answered = line, b""
        started = time.monotonic()
        try:
            self._write(line, started + allowance, allowance)
            answered = self._read_line(started + allowance, allowance)
        finally:
            self.seconds_used += time.monotonic() - started
        try:
            answer = from_line(answered)
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise OutsideFault(
                "garbage", f"answered with a line that is not JSON ({printable(why, 80)}): {printable(answered, 80)}", False
            ) from None
        if not isinstance(answer, dict):
            raise OutsideFault("garbage", f"answered with a line that is not a JSON object: {printable(answered, 80)}", False)
        return answer

    def log_tail(self, size: int = 4096) -> str:
        """The end of what the bot wrote to standard error, at most `size` bytes of it."""
        if self._log < 0:
            return self._tail[-size:]
        end = os.fstat(self._log).st_size
        begin = max(self._log_start, end - size)
        return os.pread(self._log, max(0, end - begin), begin).decode(errors="replace")

    def _allowance(self, seconds: float) -> float:
        if self._input < 0:
            self._not_running()
        left = self._game_seconds - self.seconds_used
        if left <= 0:
            self._out_of_time(0.0, "")
        return min(seconds, left)

    def _expect_silence(self) -> None:
        received = self._received
        if not received:
            try:
                received = os.read(self._output, CHUNK)
            except BlockingIOError:
                return
            if not received:
                self._gone("output")
        line = received.partition(b"\n")[0]
        self.answered += b"\n" + line
        self._fault("protocol", f"wrote a line that nobody had asked for: {printable(line, 80)}")

    def _write(self, line: str, deadline: float, allowance: float) -> None:
        data = "\n".join([*self._waiting, line, ""]).encode()
        self._waiting_size = 0
        self._waiting.clear()
        poll = None
        while True:
            try:
                written = os.write(self._input, data)
            except BlockingIOError:
                written = 0
            except BrokenPipeError:
                self._gone("input")
            if written == len(data):
                return
            data = data[written:]
            if poll is None:
                poll = select.poll()
                poll.register(self._input, select.POLLOUT)
            if not self._ready_by(deadline, poll):
                self._out_of_time(allowance, "read its input")

    def _read_line(self, deadline: float, allowance: float) -> bytes:
        received = b""
        while True:
            if not self._ready_by(deadline, self._poll_output):
                self._out_of_time(allowance, "answer")
            chunk = os.read(self._output, CHUNK)
            if not chunk:
                self._gone("output")
            received += chunk
            self.answered = received
            line, newline, rest = received.partition(b"\n")
            if len(line) > self.limits.reply_bytes:
                self._fault("flood", f"answered with more than {self.limits.reply_bytes:,} bytes in one line: {printable(line, 80)}")
            if newline:
                self._received, self.answered = rest, line
                return line

    def _ready_by(self, deadline: float, poll: select.poll) -> bool:
        """Whether a pipe is ready in time; `Stopped` if the run is being ended meanwhile."""
        while True:
            if self._stop is None:
                return bool(poll.poll(_milliseconds(deadline)))
            if self._stop.is_set():
                raise Stopped
            if poll.poll(_milliseconds(min(deadline, time.monotonic() + STOP_SECONDS))):
                return True
            if time.monotonic() >= deadline:
                return False

    # Faults that end the process

    def _fault(self, kind: str, what: str) -> NoReturn:
        self.kill()
        raise OutsideFault(kind, what)

    def _not_running(self) -> NoReturn:
        raise OutsideFault("crash", "is not running")

    def _out_of_time(self, seconds: float, verb: str) -> NoReturn:
        if self.seconds_used + seconds > self._game_seconds - 1e-6:
            self._fault("time", f"used up its {self.limits.game_seconds:g} s for the game")
        self._fault("time", f"did not {verb} within {seconds:.3g} s")

    def _gone(self, end: str) -> NoReturn:
        code = _wait_for_exit(self._process, LAST_WORDS)
        self.kill()
        last = self._last_line()
        if code is None:
            how = f"closed its standard {end}"
        elif code >= 0:
            how = f"ended with exit code {code}"
        else:
            how = f"was ended by signal {SIGNALS.get(-code, str(-code))}"
            if -code == signal.SIGXFSZ:
                how += f" (a file grew beyond {self.limits.file_bytes:,} bytes)"
        raise OutsideFault("crash", f"{how}: {last}" if last else how)

    def _last_line(self) -> str:
        lines = self.log_tail().rstrip().splitlines()
        return printable(lines[-1], 200) if lines else ""

    # What the bot leaves on the disk

    def _cut_log(self) -> None:
        size = os.fstat(self._log).st_size
        if size <= self.limits.log_bytes:
            return
        kept = os.pread(self._log, self.limits.log_bytes // 2, size - self.limits.log_bytes // 2)
        os.ftruncate(self._log, 0)  # the bot's descriptor appends, so it goes on at the new end
        os.write(self._log, f"[{size - len(kept):,} bytes dropped]\n".encode() + kept)
        self._log_start = 0

    def _measure_folder(self) -> None:
        assert self.working_folder is not None
        size, count, folders = 0, 0, [str(self.working_folder)]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        count += 1
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        else:
                            size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if count > self.limits.folder_files:
                            self._fault("flood", f"made more than {self.limits.folder_files:,} files in its working folder")
            except (FileNotFoundError, NotADirectoryError):
                continue  # the bot runs, and may have deleted it meanwhile
            except OSError as error:
                self._fault("flood", f"made a folder that cannot be measured in its working folder ({error.strerror})")
        if size > self.limits.folder_bytes:
            self._fault("flood", f"filled its working folder with {size:,} bytes, more than the {self.limits.folder_bytes:,} allowed")


# Starting --------------------------------------------------------------------------------------------------------------------------------------


_starters: dict[int, ThreadPoolExecutor] = {}


def _from_a_lasting_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The kernel ends a bot with the thread that started it, so that must not be one of a short-lived pool."""
    if threading.current_thread() is threading.main_thread():
        return start()
    starter = _starters.setdefault(os.getpid(), ThreadPoolExecutor(1, "starter-of-bots"))
    return starter.submit(start).result()


def _open_log(path: Path | None) -> tuple[int, int]:
    """The log for us, and for the bot, which only writes: it cannot read what an earlier process of its own has left there."""
    if path is None:
        with tempfile.NamedTemporaryFile(prefix="kibitz-log-") as file:  # gone from the folder at once, from the disk with the descriptors
            return _open_twice(file.name)
    return _open_twice(path)


def _open_twice(path: str | Path) -> tuple[int, int]:
    own = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    return own, os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)


def _descriptors(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    assert process.stdin is not None and process.stdout is not None
    ends = process.stdin.fileno(), process.stdout.fileno()
    for descriptor in ends:
        os.set_blocking(descriptor, False)
    return ends


def _read_until_closed(descriptor: int, seconds: float) -> bytes | None:
    """All that is written until the last holder closes its end; None if that takes too long."""
    deadline, said = time.monotonic() + seconds, b""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while poll.poll(_milliseconds(deadline)):
        chunk = os.read(descriptor, CHUNK)
        if not chunk:
            return said
        said += chunk
    return None


# Ending ----------------------------------------------------------------------------------------------------------------------------------------


def _exit_code(process: subprocess.Popen[bytes] | None) -> int | None:
    """The exit code, negative for a signal; None while it runs. The process stays a zombie, so that its number still means its group."""
    if process is None or process.returncode is not None:
        return None if process is None else process.returncode
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll()
    state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if state is None:
        return None
    return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status


def _wait_for_exit(process: subprocess.Popen[bytes] | None, seconds: float) -> int | None:
    deadline, pause = time.monotonic() + seconds, 0.0005
    while (code := _exit_code(process)) is None and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return code


def _end_process(process: subprocess.Popen[bytes], folder: Path, owner: int) -> None:
    """Kill the whole group, then collect the process and its folder; in a fork of the owner, leave the owner's bot alone."""
    if os.getpid() != owner:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    with contextlib.suppress(OSError):  # a folder that stays is no reason to stop a tournament
        remove_folder(folder)


def _milliseconds(deadline: float) -> int:
    return max(0, math.ceil((deadline - time.monotonic()) * 1000))
