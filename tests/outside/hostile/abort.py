"""Dies by a signal, as after a segmentation fault.

Expected: fault crash
"""

import os
import sys

sys.stdin.readline()
os.abort()
