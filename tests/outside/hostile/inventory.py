"""Says what it was given: environment, descriptors, folder, session, capabilities.

Expected: an answer with nothing in it that belongs to the referee
"""

import json
import os
import sys
from pathlib import Path

sys.stdin.readline()
descriptors = {}
for name in os.listdir("/proc/self/fd"):
    try:
        descriptors[name] = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        continue  # the one that listed them
outcome = {
    "environment": dict(os.environ),
    "descriptors": descriptors,
    "folder": os.getcwd(),
    "listing": os.listdir("."),
    "leader": os.getsid(0) == os.getpid() == os.getpgid(0),
    "capabilities": [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Cap")],
}
print(json.dumps(outcome), flush=True)
sys.stdin.readline()
