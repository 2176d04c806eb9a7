"""Prints a banner, as programs do; the second line on standard error tells when it has done so.

Expected: fault protocol
"""

import sys
import time

print("Welcome to SuperBot 3000", flush=True)
print("printed", file=sys.stderr, flush=True)
while True:
    time.sleep(100)
