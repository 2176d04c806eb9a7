"""Plays Kuhn poker at the table of the browser, in a process that finds the package; prints what came of it."""

from __future__ import annotations

import json
from typing import Any

from tests.table.clients import Person, Seat, connected, opened


def played() -> dict[str, Any]:
    """A game of a person against a bot, with somebody who looks on."""
    with opened() as client:
        ann = Person(client)
        shown = {game["name"]: game for game in client.get("/api/games").json()}
        table = ann.open(None, "equilibrium", game="kuhn")
        with ann.at(table) as seat, connected(client, f"/api/tables/{table}/live") as socket:
            onlooker = Seat(socket).greet(None)
            first = seat.position
            seat.play_on()
            onlooker.wait_for("update")
            return {
                "game": shown["kuhn"],
                "own": first["view"],
                "seen": onlooker.position["view"],
                "question": first["decision"]["question"],
                "log": [word for message in seat.heard for word in message.get("words", [])],
                "over": seat.position["over"],
                "film": client.get(f"/api/tables/{table}/film").json()["frames"][0]["hands"],
            }


if __name__ == "__main__":
    print(json.dumps(played()))
