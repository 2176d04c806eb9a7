"""Writes a file until it is stopped; with `die`, by the signal that most languages leave as it is.

Expected: fault crash
"""

import signal
import sys

if sys.argv[1] == "die":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
sys.stdin.readline()
with open("huge", "wb", buffering=0) as file:
    while True:
        file.write(bytes(1 << 20))
