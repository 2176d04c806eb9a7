"""Never reads a line.

Expected: fault time
"""

import time

while True:
    time.sleep(100)
