"""Answers once, then divides by zero.

Expected: an answer, then fault crash
"""

import sys

sys.stdin.readline()
print('{"answer": 1}', flush=True)
sys.stdin.readline()
print(1 // 0)
