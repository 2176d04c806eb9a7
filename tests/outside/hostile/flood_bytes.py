"""Answers with a line that has no end.

Expected: fault flood
"""

import os
import sys

sys.stdin.readline()
while True:
    os.write(1, b"x" * 65536)
