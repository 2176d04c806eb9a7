"""What an outside bot may use, and what it is charged with if it takes more or breaks the rules of the conversation."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class BotLimits:
    """What an outside bot may use; times in seconds, sizes in bytes."""

    decision_seconds: float = 1.0
    game_seconds: float = 60.0
    start_seconds: float = 10.0
    memory: int = 1024 * MIB  # data of its own: heap, stacks of threads
    address_space: int = 4096 * MIB  # whatever is mapped; interpreters such as Node reserve far more than they use
    open_files: int = 64
    processes: int = 1024  # threads beyond what the user runs already; forks are refused altogether where the system can
    cpu_seconds: int = 86400  # of the whole life, a backstop only
    reply_bytes: int = 65536
    file_bytes: int = 16 * MIB  # each file it writes, its log included
    folder_bytes: int = 64 * MIB  # all files in its working folder, measured when a game starts
    folder_files: int = 1000
    log_bytes: int = MIB  # what is kept of its standard error


class OutsideFault(Exception):
    """What an outside bot did wrong: a sentence to follow its name, whether its process is gone, and the kind of fault.

    Kinds found by a process: start, crash, time, flood, garbage (a line that is no JSON object), protocol (a line nobody asked for).
    """

    def __init__(self, kind: str, what: str, fatal: bool = True) -> None:
        super().__init__(kind, what, fatal)
        self.kind, self.what, self.fatal = kind, what, fatal

    def __str__(self) -> str:
        return self.what


class Stopped(Exception):
    """A bot was not waited for any longer, because the run is being ended: nobody's fault."""
