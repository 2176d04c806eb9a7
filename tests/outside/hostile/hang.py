"""Thinks for ever and ignores every signal that can be ignored.

Expected: fault time
"""

import signal
import sys

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
for line in sys.stdin:
    if '"first"' in line:
        print("{}", flush=True)
    else:
        break
while True:
    pass
