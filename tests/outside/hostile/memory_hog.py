"""Takes memory until there is no more."""

import sys

sys.stdin.readline()
hoard = []
while True:
    hoard.append(bytearray(b"x") * (16 << 20))
