"""Answers with the very bytes that the question asks for.

Expected: an answer if the bytes are one JSON object in one line, else a fault garbage, flood or protocol
"""

import json
import os
import sys

for line in sys.stdin:
    os.write(1, bytes.fromhex(json.loads(line)["say"]) + b"\n")
