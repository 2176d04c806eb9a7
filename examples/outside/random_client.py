#!/usr/bin/env python3
"""A bot for both games in plain Python: nothing but the protocol, one JSON object a line each way.

Random, but for some sense: in UNO it plays rather than draws and calls the colour it holds most of; in Hanabi it plays what
hints make certain, tells about cards that fit, and discards its oldest card.
"""

import json
import random
import sys
from collections import Counter
from typing import Any

COLOURS = {"R": "red", "Y": "yellow", "G": "green", "W": "white", "B": "blue"}


def uno_action(view: dict[str, Any], legal: list[str], rng: random.Random) -> str:
    colours = Counter(card[0] for card in view["hand"] if not card.startswith("wild"))
    colour = max("rgby", key=lambda letter: colours[letter])
    coloured = [action for action in legal if action in view["playable"]]
    wilds = [action for action in legal if action.startswith("wild") and action.endswith(":" + colour)]
    return rng.choice(coloured or wilds or legal)


def hanabi_action(view: dict[str, Any], legal: list[str], rng: random.Random) -> str:
    fireworks = view["fireworks"]

    def fits(colour: str, rank: str) -> bool:
        return bool(fireworks[colour] == int(rank) - 1)

    for slot, held in enumerate(view["hands"][view["seat"]]):
        if all(fits(colour, rank) for colour in held["colours"] for rank in held["ranks"]):
            return f"play:{slot}"
    hints = []
    players = len(view["hands"])
    for places in range(1, players):
        for held in view["hands"][(view["seat"] + places) % players]:
            if fits(*held["card"]) and not (held["rank_told"] and held["colour_told"]):
                told = COLOURS[held["card"][0]] if held["rank_told"] else held["card"][1]
                hints.append(f"hint:{places}:{told}")
    good = [hint for hint in hints if hint in legal] or [action for action in legal if action == "discard:0"]
    return rng.choice(good or [action for action in legal if action.startswith("hint")] or legal)


def main() -> None:
    game, rng = "uno", random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer = None
        if message["type"] == "hello":
            game = message["game"]
            answer = {"type": "hello", "protocol": 1, "name": "random client"}
        elif message["type"] == "game":
            rng = random.Random(message["seed"])
        elif message["type"] == "decide":
            choose = uno_action if game == "uno" else hanabi_action
            answer = {"type": "action", "id": message["id"], "action": choose(message["view"], message["legal"], rng)}
        elif message["type"] == "bye":
            break
        if answer:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
