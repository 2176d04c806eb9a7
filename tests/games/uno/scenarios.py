"""Short games of UNO written as text: a position, actions with what everybody sees of them, and how things stand.

A line that is not indented says what the games below it show. A game is one line:

    r+2.g2|y1|y2 on r5 pile=b1.b1.b1 > r+2: 0 play r+2, 1 forced 2 = hand1 y1.b1.b1; to_act 2 > draw = phase drawn

Every game is played on the engine and on the reference, which must agree after each action. First come the hands, the top card and other parts of `position`; `pile=b1*7` is seven cards that fit nothing red. After `>` comes an
action, with its events if they matter; `> passes: catch 1 2` is everybody who is asked in turn and passes. After `=` comes what is seen
at this point, named as in `SEEN`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kibitz.games.uno import engine
from kibitz.games.uno.cards import COLOURS, NO_COLOUR
from kibitz.games.uno.names import action_from_name, action_name, card_name
from kibitz.games.uno.view import NO_SEAT, STATUS_NAMES
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, all_known, asked, cards_in, discard, hand, hands, known, legal, phase, pile, position, told
from tests.reference.pair import Pair
from tests.reference.uno import ReferenceGame, ReferenceRules, colour_of

NUMBERS = ("to_act", "turn", "max_turns", "seed")
SEEN: dict[str, Callable[[Game], Any]] = {
    "to_act": lambda game: game.to_act,
    "turns": lambda game: game.turns,
    "winner": lambda game: "none" if game.winner is None else game.winner,
    "points": lambda game: game.points,
    "over": lambda game: "yes" if game.is_over else "no",
    "status": lambda game: STATUS_NAMES[game.state.status].replace(" ", "_"),
    "direction": lambda game: game.state.direction,
    "colour": lambda game: "none" if game.state.colour == NO_COLOUR else COLOURS[game.state.colour],
    "top": lambda game: card_name(game.state.top),
    "player": lambda game: "none" if game.state.player == NO_SEAT else game.state.player,
    "stack": lambda game: game.state.stack,
    "discard_size": lambda game: game.state.discard_size,
    "sizes": lambda game: " ".join(map(str, game.state.sizes[: game.state.players])),
    "hands": lambda game: "|".join(hands(game)),
    "pile": pile,
    "discard": discard,
    "legal": lambda game: " ".join(legal(game)),
    "phase": phase,
    "asked": lambda game: " ".join(map(str, asked(game))),
    "all_known": lambda game: " ".join(f"{pair}={cards}" for pair, cards in all_known(game).items()),
    "default": lambda game: action_name(engine.default_action(game.state, 0)),
    "forced": lambda game: "none" if (action := engine.forced_action(game.state)) < 0 else action_name(action),
    "view.player": lambda game: game.view().player,
    "view.stack": lambda game: game.view().stack,
    "view.may_challenge": lambda game: game.view().may_challenge,
}


def seen(game: Game, name: str) -> str:
    """What is seen under a name; `hand1` is seat 1's hand, `cards1` the same by name, `known0>1` what seat 0 knows of it."""
    if found := re.fullmatch(r"hand(\d)", name):
        return hand(game, int(found[1]))
    if found := re.fullmatch(r"cards(\d)", name):
        return ".".join(sorted(hand(game, int(found[1])).split(".")))
    if found := re.fullmatch(r"known(\d)>(\d)", name):
        return known(game, int(found[1]), int(found[2]))
    return str(SEEN[name](game))


def start(text: str) -> Pair:
    """The position of a game, on the engine and on the reference."""
    held, rest = text.split(" on ")
    top, *options = rest.split()
    parts: dict[str, Any] = dict(option.split("=", 1) for option in options)
    parts |= {name: int(parts[name]) for name in NUMBERS if name in parts}
    parts |= {"pile": BLUE_ONES} if parts.get("pile") == "b1*7" else {}
    game = position(held, top, **parts)
    card, _, called = top.partition(":")
    reference = ReferenceGame(
        [cards_in(cards) for cards in held.split("|")],
        cards_in(parts.get("pile", "")),
        card,
        dealer=0,
        max_turns=game.rules.max_turns,
        discard=cards_in(parts.get("discard", "")),
        colour=called or colour_of(card),
        direction=game.state.direction,
        current=game.to_act,
        phase=phase(game),
        turn=game.turns,
        rules=ReferenceRules.of(game.rules),
    )
    return Pair(game, reference)


def play_scenario(line: str) -> None:
    """Play one game and compare everything that it says."""
    head, *steps = re.split(r" (?=[>=] )", line.strip())
    pair = start(head)
    game = pair.game
    for step in steps:
        what, says, expected = step[2:].partition(": ")
        if step[0] == "=":
            for observation in step[2:].split("; "):
                name, _, value = observation.partition(" ")
                assert seen(game, name) == value, f"{name} after: {line}"
        elif what == "passes":
            window, *seats = expected.split()
            for seat in seats:
                assert asked(game) == (int(seat), window), line
                pair.apply(action_from_name("pass"))
            assert game.is_over or phase(game) != window, line
        else:
            events = told(pair.apply(action_from_name(what)))
            assert not says or events == expected.split(", "), f"{what} in: {line}"
        pair.check()


def read_scenarios(text: str) -> list[Any]:
    """All groups of games, as parameters of a test."""
    groups: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        if line.startswith(" "):
            groups[list(groups)[-1]].append(line)
        else:
            assert line not in groups
            groups[line] = []
    assert all(groups.values())
    return [pytest.param(lines, id=why) for why, lines in groups.items()]
