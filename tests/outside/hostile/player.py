"""A player that keeps the protocol but for one misdeed, named first on its command line, and done at its decision number N, from 1.

Without N it does so at every decision. Else it takes the first legal action; with the word `draw` it draws and keeps if it may. What
`greet=…` says is added to its hello. With a misdeed that is none it is honest.
Expected: what the misdeed deserves: tests/outside/test_referee.py has the table
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

DEED = sys.argv[1]
WHEN = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 0
GREETING = json.loads(next((word.removeprefix("greet=") for word in sys.argv if word.startswith("greet=")), "{}"))
hoard: list[bytearray] = []


def say(message: Any) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def action(message: dict[str, Any], chosen: Any, **changes: Any) -> dict[str, Any]:
    return {"type": "action", "id": message["id"], "action": chosen, **changes}


def crash(message: dict[str, Any]) -> None:
    raise RuntimeError("out of ideas")


def hang(message: dict[str, Any]) -> None:
    while True:
        time.sleep(100)


def flood(message: dict[str, Any]) -> None:
    while True:
        os.write(1, b"x" * 65536)


def fork_bomb(message: dict[str, Any]) -> None:
    for _ in range(1000):
        os.fork()


def huge_file(message: dict[str, Any]) -> None:
    with open("huge", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))


def memory_hog(message: dict[str, Any]) -> None:
    while True:
        hoard.append(bytearray(b"x") * (16 << 20))


def many_files(message: dict[str, Any]) -> None:
    for number in range(1100):
        open(f"file-{message['id']}-{number}", "w").close()
    say(action(message, message["legal"][0]))


def twice(message: dict[str, Any]) -> None:
    line = json.dumps(action(message, message["legal"][0])).encode() + b"\n"
    os.write(1, line + line)


DEEDS: dict[str, Callable[[dict[str, Any]], object]] = {
    "crash": crash,
    "exit": lambda message: os._exit(0),
    "hang": hang,
    "flood": flood,
    "fork_bomb": fork_bomb,
    "huge_file": huge_file,
    "memory_hog": memory_hog,
    "many_files": many_files,
    "twice": twice,
    "garbage": lambda message: os.write(1, b"r5 please\n"),
    "list": lambda message: say([message["legal"][0]]),
    "illegal_name": lambda message: say(action(message, "swap:3")),
    "no_name": lambda message: say(action(message, "\u001b[31mwin")),
    "illegal_number": lambda message: say(action(message, 63)),
    "negative": lambda message: say(action(message, -1)),
    "enormous": lambda message: say(action(message, 10**4000)),
    "fraction": lambda message: say(action(message, 1.5)),
    "truth": lambda message: say(action(message, True)),
    "nothing": lambda message: say(action(message, None)),
    "wrong_id": lambda message: say(action(message, message["legal"][0], id=message["id"] + 1)),
    "no_id": lambda message: say({"type": "action", "action": message["legal"][0]}),
    "wrong_type": lambda message: say(action(message, message["legal"][0], type="move")),
    "surrogate": lambda message: os.write(1, b'{"type":"action","id":%d,"action":"\\ud800"}\n' % message["id"]),
}
HELLOS: dict[str, Any] = {
    "unknown_window": {"type": "hello", "protocol": 1, "windows": ["sunroof"]},
    "windows_of_another_kind": {"type": "hello", "protocol": 1, "windows": {"challenge": True}},
    "wrong_version": {"type": "hello", "protocol": 2},
    "action_for_hello": {"type": "action", "id": 0, "action": "draw"},
    "events_of_another_kind": {"type": "hello", "protocol": 1, "events": "yes"},
    "order_of_another_kind": {"type": "hello", "protocol": 1, "hand_order": ["oldest"]},
    "players_of_another_kind": {"type": "hello", "protocol": 1, "players": [4, 2]},
    "list_for_hello": ["hello"],
}

decisions = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        if DEED == "no_hello":
            hang(message)
        if DEED == "garbage_for_hello":
            os.write(1, b"hello, world\n")
            continue
        say(HELLOS.get(DEED, {"type": "hello", "protocol": 1, "events": DEED == "answers_events", **GREETING}))
        if DEED == "exit_after_hello":
            os._exit(3)
    elif message["type"] == "decide":
        decisions += 1
        if DEED in DEEDS and WHEN in (0, decisions):
            DEEDS[DEED](message)
            continue
        legal = message["legal"]
        lazy = [name for name in ("draw", "keep") if name in legal and "draw" in sys.argv]
        say(action(message, (lazy or legal)[0]))
    elif message["type"] == "event" and DEED == "answers_events":
        say({"type": "action", "id": 1, "action": "draw"})
    elif message["type"] == "end" and DEED == "crash_at_the_end":
        crash(message)
    elif message["type"] == "bye" and DEED != "ignores_bye":
        break
while DEED == "ignores_bye":
    time.sleep(100)
