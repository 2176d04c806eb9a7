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


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.argv[2] == "late":
        batch.check_repeatable = lambda *args: None  # type: ignore[attr-defined]  # the look before the run
    if sys.argv[1] != "none":
        threading.Thread(target=send_when_stuck, args=(signal.Signals[sys.argv[1]],), daemon=True).start()
    run(sys.argv[3:])
