"""Threads are no crime, nor is asyncio.

Expected: an answer with the numbers 0 to 15 and asyncio's 5
"""

import asyncio
import json
import sys
import threading

sys.stdin.readline()
done: list[int] = []
threads = [threading.Thread(target=done.append, args=(number,)) for number in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"threads": sorted(done), "asyncio": asyncio.run(asyncio.sleep(0, 5))}), flush=True)
