"""Answers every question with lines without end, each of them a fine answer.

Expected: an answer, then fault protocol
"""

import os
import sys

sys.stdin.readline()
while True:
    os.write(1, b'{"answer": 1}\n' * 1000)
