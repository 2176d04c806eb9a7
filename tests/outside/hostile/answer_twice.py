"""Answers every question twice.

Expected: an answer, then fault protocol
"""

import sys

for _ in sys.stdin:
    sys.stdout.write('{"answer": 1}\n{"answer": 2}\n')
    sys.stdout.flush()
