"""Tries to read or list each path of its command line, and says how that went.

PARENT and SELF in a path stand for the numbers of those processes.
Expected: nothing done for a path that is not opened to the bot
"""

import json
import os
import sys

sys.stdin.readline()
outcome = {}
for argument in sys.argv[1:]:
    path = argument.replace("PARENT", str(os.getppid())).replace("SELF", str(os.getpid()))
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            os.read(os.open(path, os.O_RDONLY), 1)
        outcome[path] = "done"
    except OSError as error:
        outcome[path] = type(error).__name__
print(json.dumps(outcome), flush=True)
