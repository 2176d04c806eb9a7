"""Takes memory until there is no more.

Expected: fault crash
"""

import sys

sys.stdin.readline()
hoard = []
while True:
    hoard.append(bytearray(b"x") * (16 << 20))
