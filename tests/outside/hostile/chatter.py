"""Writes as many lines to standard error as each question wants, then answers.

Expected: answers; its log is cut to `log_bytes` when a game starts
"""

import json
import sys

for line in sys.stdin:
    for number in range(json.loads(line)["lines"]):
        sys.stderr.write(f"line {number} {'x' * 100}\n")
    sys.stderr.flush()
    print("{}", flush=True)
