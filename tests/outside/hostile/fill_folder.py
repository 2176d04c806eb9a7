"""Fills its own working folder: `many` small files, some `large` ones, or folders that are hard to measure and to delete.

Expected: an answer, then fault flood when the next game starts (`hidden`: none); its folder is deleted at the end
"""

import os
import sys

sys.stdin.readline()
if sys.argv[1] == "many":
    for number in range(1500):
        open(f"file-{number}", "w").close()
elif sys.argv[1] == "large":
    for number in range(6):
        with open(f"file-{number}", "wb") as file:
            file.write(os.urandom(1 << 20))
elif sys.argv[1] == "hidden":
    os.mkdir("hidden", 0o300)
    os.mkdir("closed", 0)
    os.symlink(sys.argv[2], "link")
elif sys.argv[1] == "deep":
    os.symlink(sys.argv[2], "link")
    for _ in range(600):
        os.mkdir("x" * 200)
        os.chdir("x" * 200)
        open("file", "w").close()
print("{}", flush=True)
sys.stdin.readline()
