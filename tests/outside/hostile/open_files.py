"""Opens ten thousand files and says how many it got.

Expected: an answer with `opened` at most 61
"""

import json
import os
import sys

sys.stdin.readline()
count = 0
try:
    for _ in range(10_000):
        os.open("/dev/null", os.O_RDONLY)
        count += 1
    why = "done"
except OSError as error:
    why = str(error.strerror)
sys.stdout.write(json.dumps({"opened": count, "why": why}) + "\n")
sys.stdout.flush()
