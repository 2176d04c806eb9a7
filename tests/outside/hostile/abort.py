"""Dies by a signal, as after a segmentation fault."""

import os
import sys

sys.stdin.readline()
os.abort()
