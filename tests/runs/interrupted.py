"""A command that gets a signal as soon as a bot has owed an answer for a while: `python -m tests.runs.interrupted SIGNAL WORD…`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from kibitz.cli.main import run
from kibitz.runs.watchdog import NOTICEABLE, watchdog


def is_stuck() -> bool:
    here = [activity.silence() for activity in list(watchdog._activities)]
    return bool(watchdog.elsewhere) or any(seconds >= NOTICEABLE for seconds in here)


def send_when_stuck(number: int) -> None:
    while not is_stuck():
        time.sleep(0.01)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=send_when_stuck, args=(signal.Signals[sys.argv[1]],), daemon=True).start()
    run(sys.argv[2:])
