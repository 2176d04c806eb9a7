"""Advice in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kibitz
from kibitz.games.uno.cards import ACCEPT, ACTIONS, CATCH, FIRST_SWAP, JUMP_IN, PASS, UNO
from kibitz.games.uno.names import action_from_name, card_from_name
from kibitz.games.uno.view import COLOUR, UNO_CALL
from kibitz.play.explaining import CHOSEN, DEFAULT, ONLY, ActionValue, Explanation
from kibitz.registry import entrant
from kibitz.report.explanation import action_text, reason

CHAMPION = entrant("champion")
WORDS = {1: "red 1", 2: "draw"}


def explanation(why: str, unit: str = "", *rows: ActionValue) -> Explanation:
    return Explanation("champion", 0, 1, 2, 1, "r1", why, unit, rows)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r5", "red 5"),
        ("gskip", "green Skip"),
        ("wild:g", "Wild, calling green"),
        ("wild+4:b", "Wild Draw Four, calling blue"),
        ("draw", "draw"),
        ("keep", "keep what was drawn"),
        ("challenge", "challenge"),
        ("accept", "draw 4"),
        ("swap:2", "swap hands with seat 0"),
        ("uno", "say UNO"),
        ("pass", "pass"),
        ("catch", "catch seat 2"),
        ("jump-in", "jump in with blue 7"),
    ],
)
def test_uno_actions_in_words(name: str, text: str) -> None:
    view = kibitz.Game(3, seed=1).view(1)
    view.top, view.player, view.stack = card_from_name("b7"), 2, 4
    assert action_text("uno", view, action_from_name(name)) == text


def test_some_words_depend_on_what_is_asked() -> None:
    view = kibitz.Game(3, seed=1).view(1)
    view.phase = COLOUR
    assert action_text("uno", view, action_from_name("wild:y")) == "name yellow"
    view.phase = UNO_CALL
    assert action_text("uno", view, PASS) == "say nothing"


def test_every_uno_action_has_words() -> None:
    view = kibitz.Game(3, seed=1).view(1)
    texts = [action_text("uno", view, action) for action in range(ACTIONS)]
    assert all(texts) and len(set(texts[: min(ACCEPT, CATCH, FIRST_SWAP, JUMP_IN, PASS, UNO)])) > 50


def test_hanabi_moves_in_words() -> None:
    view = kibitz.Game(3, seed=1, game="hanabi").view(0)
    texts = [action_text("hanabi", view, move) for move in range(30)]
    assert (texts[0], texts[5], texts[10], texts[29]) == ("discard slot 1", "play slot 1", "hint seat 1: red", "hint seat 2: 5")


def test_reasons() -> None:
    chance = "chance to win"
    best, other, unknown = (
        ActionValue(1, "r1", 0.531, 0.01, 1500),
        ActionValue(2, "draw", 0.49, 0.01, 1500),
        ActionValue(3, "y1", None, None, 0),
    )
    assert reason(explanation(ONLY), CHAMPION, WORDS) == "There is no other choice."
    assert reason(explanation(DEFAULT), CHAMPION, WORDS) == "It has no opinion here, and does what is usual."
    assert reason(explanation(CHOSEN), entrant("offensive"), WORDS).startswith("It has a rule: plays the card worth fewest points")
    assert reason(explanation(CHOSEN), CHAMPION, WORDS) == "Nothing else here is worth a search."
    assert "without a search" in reason(explanation(CHOSEN), entrant("champion:fast"), WORDS)
    assert reason(explanation(CHOSEN, chance, best, other, unknown), CHAMPION, WORDS) == "Wins 53 % of 1,500 tries; next best: draw, 49 %."
    assert reason(explanation(CHOSEN, chance, best), CHAMPION, WORDS) == "Wins 53 % of 1,500 tries."
    better = ActionValue(2, "draw", 0.56, 0.01, 1500)
    assert reason(explanation(CHOSEN, chance, better, best), CHAMPION, WORDS) == (
        "Wins 53 % of 1,500 tries. Draw shows more, but the bot goes by more than these numbers."
    )
    exact, lower = ActionValue(1, "play:0", 4.834, 0.0, 1), ActionValue(2, "play:1", -0.001, 0.0, 1)
    told = reason(explanation(CHOSEN, "expected points", exact, lower), CHAMPION, {2: "play slot 2"})
    assert told == "Comes to 4.83 (expected points); next best: play slot 2, 0.00."


def test_reasons_of_one_who_prefers() -> None:
    net = entrant("net")
    best, other = ActionValue(1, "r1", 0.821, 0.0, 1), ActionValue(2, "draw", 0.179, 0.0, 1)
    told = explanation(CHOSEN, "preference", best, other)
    assert reason(told, net, WORDS) == "Prefers this with 82 %; then draw, 18 %."
    assert (
        reason(replace(told, win_chance=0.456), net, WORDS)
        == "Prefers this with 82 %; then draw, 18 %. It gives itself a 46 % chance to win."
    )
    assert reason(explanation(CHOSEN), net, WORDS) == "It weighed nothing else here."
    assert reason(explanation(DEFAULT), net, WORDS) == "It has no opinion here, and does what is usual."
