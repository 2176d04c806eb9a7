"""Never reads a line."""

import time

while True:
    time.sleep(100)
