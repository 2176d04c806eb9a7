"""Answers with the very bytes that the question asks for."""

import json
import os
import sys

for line in sys.stdin:
    os.write(1, bytes.fromhex(json.loads(line)["say"]) + b"\n")
