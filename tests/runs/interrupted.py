"""A command that gets a signal as soon as a bot has owed an answer for a while: `python -m tests.runs.interrupted SIGNAL MOMENT WORD…`.

SIGNAL may be `none`. MOMENT is `early`, or `late`: then no game is played twice before the run, and the bot is in the run itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from kibitz.cli.main import run
from kibitz.experiments import batch
from kibitz.runs.watchdog import NOTICEABLE, watchdog


def is_stuck() -> bool:
    here = [activity.silence() for activity in list(watchdog._activities)]
    return bool(watchdog.elsewhere) or any(seconds >= NOTICEABLE for seconds in here)


def send_when_stuck(number: int) -> None:
    while not is_stuck():
        time.sleep(0.01)
    os.kill(os.getpid(), number)


def prepare(signal_name: str, moment: str) -> None:
    """Before the command."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if moment == "late":
        batch.check_repeatable = lambda *args: None  # type: ignore[attr-defined]  # the look before the run
    if signal_name != "none":
        threading.Thread(target=send_when_stuck, args=(signal.Signals[signal_name],), daemon=True).start()


if __name__ == "__main__":
    prepare(*sys.argv[1:3])
    run(sys.argv[3:])
