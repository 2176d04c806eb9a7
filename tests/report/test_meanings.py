"""What the log says a move means: it is what the bots at the table then believe, and nobody learns hidden cards by it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import HINT_COLOUR, HINT_RANK, MAX_HAND
from kibitz.games.hanabi.names import card_from_name
from kibitz.policies.hanabi.card_sets import is_sure
from kibitz.report.hanabi.telling import HanabiTelling
from kibitz.report.telling import telling_for
from kibitz.report.telling.spoken_names import MEANS, Names
from tests.bots.hanabi.test_smart import Team
from tests.games.hanabi.positions import position, view_of

ROOT = Path(__file__).parents[2]


class Log:
    """What each seat of a game, and somebody who looks on, is told."""

    def __init__(self, state: Any, names: list[str]) -> None:
        self.state = state
        viewers: list[int | None] = [*range(state.players), None]
        self.tellings = {viewer: HanabiTelling(Names(names, viewer)) for viewer in viewers}
        for viewer, telling in self.tellings.items():
            telling.opening(view_of(state, viewer or 0))

    def meanings(self, event: Any, viewer: int | None) -> list[str]:
        seat = (int(event.seat) + 1) % self.state.players if viewer is None else viewer
        told = self.tellings[viewer].tell(view_of(self.state, seat), event)
        assert not told[0].plain.startswith(MEANS)
        return [line.plain.removeprefix(MEANS) for line in told[1:] if line.plain.startswith(MEANS)]


def said(hands: str, *moves: str, seat: int = 0, names: tuple[str, ...] = ("Ann", "smart", "smart"), **table: Any) -> list[str]:
    """What the last of some moves means, as a seat is told."""
    team = Team(position(hands, **table))
    log = Log(team.state, list(names[: team.state.players]))
    told: list[str] = []
    for move in moves:
        team.make(move)
        told = log.meanings(engine.event_at(team.state, 0), seat)
    return told


# -- the same as the bots believe --


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_hint_means_what_its_receiver_then_believes(players: int) -> None:
    kinds: Counter[str] = Counter()
    for index in range(60):
        team = Team(kibitz.Game(players, game="hanabi", seed=5, index=index).state)
        log = Log(team.state, ["smart"] * players)
        while not engine.is_over(team.state):
            state = team.state
            engine.show(state, state.current)
            move = team.choice()[0]
            playable, last = int(team.memory(0, "playable")), int(team.memory(0, "last"))
            team.make(move)
            event = engine.event_at(state, 0)
            told = {viewer: log.meanings(event, viewer) for viewer in range(players)}
            if event.kind not in (HINT_COLOUR, HINT_RANK):
                continue
            target = int(event.target)
            (meaning,) = [line for line in told[target] if not line.startswith("no warning")]
            masks = team.memory(target, "masks")[target * MAX_HAND : target * MAX_HAND + MAX_HAND]
            kind, slots = meaning.partition(" ")[0], [int(slot) - 1 for slot in re.findall(r"\d", meaning)]
            kinds[kind] += 1
            if kind in ("play", "slot", "slots"):
                assert slots and all(is_sure(int(masks[slot]), playable) for slot in slots), meaning
            elif kind == "keep":
                assert is_sure(int(masks[slots[0]]), last), meaning
            else:
                assert meaning == "nothing; with all tokens there, it only passes the turn."
            assert all(lines[0] == told[target][0] for lines in told.values())  # nobody is told otherwise
    assert {"play", "slot", "keep"} <= set(kinds) and kinds["play"] > 200


# -- single moves --


def test_what_a_hint_means() -> None:
    newest = "play slot 5, the newest card it touches that may be playable"
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", "hint:1:red", tokens=5) == [f"{newest}."]
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R4", "hint:1:red", tokens=5) == [f"{newest}; but that card isn't."]
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R4", "hint:1:red", tokens=5, seat=1) == [f"{newest}."]  # who can't see it
    assert said("W4.W4.G3.B2.B3|R3.R1.Y3.Y1.R4", "hint:1:1", tokens=5) == ["slots 2 and 4 can be played."]
    assert said("W4.W4.G3.B2.B3|R5.R1.Y3.Y1.R4", "hint:1:5", tokens=5) == ["keep slot 1: no other copy of it is left."]
    assert said("W4.W4.G3.B2.B3|R4.R1.Y3.Y1.R4", "hint:1:4", tokens=8) == ["nothing; with all tokens there, it only passes the turn."]
    assert said("W4.W4.G3.B2.B3|R3.R3.Y3.Y4.W3", "hint:1:4", tokens=5) == ["nothing beyond what it says; smart gives no such hint."]


def test_what_other_moves_mean() -> None:
    safe = "no warning, so {} slot 1 is safe to discard."
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", "discard:0", tokens=5) == [safe.format("smart's")]
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", "discard:0", tokens=5, seat=1, names=("smart", "Ann")) == [safe.format("your")]
    hands = "R1:R!:1!.W4.G3.B2.B3|Y3.Y4.G4.W3.B4|Y3.Y4.G4.W2.R1"
    names = ("smart", "Ann", "Bob")
    assert said(hands, "discard:0", tokens=5, seat=2, names=names)[0] == "your newest card is a red 1 too."
    assert said(hands, "discard:0", tokens=5, seat=1, names=names)[0] == "Bob's newest card is a red 1 too."


def test_breaches_are_told() -> None:
    hands = "W4.W4.G3.B2.B3|R3.R4.Y3.Y1.R4"
    told = said(hands, "hint:1:red", "play:4", tokens=5)
    assert told[0] == "your message was misleading; smart takes your hints literally until one is right."
    told = said(hands, "hint:1:red", "play:4", "hint:1:yellow", tokens=5)
    assert told[0].endswith("but smart doubts it, since your last message was misleading.")
    hands = "R3.R4.Y3.Y4.R1|W4.W4.G3.B2.B3"
    told = said(hands, "discard:0", "hint:1:red", "discard:0", tokens=5)
    assert told[0] == "you passed over a card that a hint meant; smart no longer counts on it."


def test_the_pictures_of_the_guide_are_as_drawn(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "tools/draw_conventions.py", str(tmp_path)], cwd=ROOT, check=True)
    guide = registry.game("hanabi").face.guide
    assert guide is not None
    pictures = {part.picture for part in guide.parts if part.picture}
    assert pictures == {path.name for path in tmp_path.iterdir()} and all(part.alt for part in guide.parts if part.picture)
    for name in pictures:
        assert (ROOT / "src/kibitz/table/static/games/hanabi" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8"), name


# -- who is told --


def test_nothing_is_explained_where_smart_does_not_play() -> None:
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", "hint:1:red", tokens=5, names=("Ann", "iggi")) == []
    assert said("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", "hint:1:red", tokens=5, names=("Ann", "smart:original"))


def test_onlookers_do_not_learn_whose_card_a_discard_points_out() -> None:
    hands = "R1:R!:1!.W4.G3.B2.B3|Y3.Y4.G4.W3.{}|Y3.Y4.G4.W2.{}"
    told = set()
    for cards in (("B4", "R1"), ("R1", "B4")):
        team = Team(position(hands.format(*cards), tokens=5))
        log = Log(team.state, ["smart", "Ann", "Bob"])
        team.make("discard:0")
        told.add(tuple(log.meanings(engine.event_at(team.state, 0), None)))
    assert told == {()}


def test_films_explain_moves_of_smart() -> None:
    game = kibitz.Game(2, game="hanabi", seed=3)
    telling = telling_for("hanabi", ["smart", "smart"], None, tells_draws=True)
    telling.opening(game.view(0))
    card = next(card for card in ("R1", "Y1", "G1", "W1", "B1") if card_from_name(card) in game.state.hands[5:10])
    (event,) = game.apply(f"hint:1:{card[1]}")
    lines = [line.plain for line in telling.tell(game.view(1), event)]
    assert len(lines) == 2 and re.match(rf"{MEANS}slots? [1-5].* can be played\.", lines[1])
