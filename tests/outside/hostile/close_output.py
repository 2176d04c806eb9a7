"""Closes its standard output and lives on.

Expected: fault crash
"""

import os
import sys
import time

sys.stdin.readline()
os.close(1)
while True:
    time.sleep(100)
