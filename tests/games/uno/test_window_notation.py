"""Positions with an open window as text: both ways, and what is refused."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, CHALLENGING, WINDOWS, all_known, asked, in_window, legal, phase, position


@pytest.mark.parametrize("name", list(WINDOWS))
def test_position_in_a_window_reads_back(name: str) -> None:
    game = in_window(name)
    twin = Game.from_text(game.to_text())
    assert (asked(twin), legal(twin), twin.to_text()) == (asked(game), legal(game), game.to_text())
    assert f";phase={name};" in game.to_text()
    assert (";player=0" in game.to_text()) == (name != "colour")


@pytest.mark.parametrize(
    ("name", "part", "changed", "named"),
    [
        ("colour", "top=wild", "top=wild:r", "phase=colour needs opening=effects_name_colour"),
        ("colour", "opening=effects_name_colour", "opening=effects", "phase=colour needs opening=effects_name_colour"),
        ("challenge", "wild_draw_four=challenge", "wild_draw_four=free", "phase=challenge cannot come up"),
        ("challenge", ";stack=4", ";stack=2", "phase=challenge needs stack, the cards to draw (4), and challenge=on"),
        ("challenge", ";challenge=on", "", "phase=challenge needs stack, the cards to draw (4), and challenge=on"),
        ("challenge", ";challenge=on", ";challenge=yes", "challenge=yes is not understood; it is on, or left out"),
        ("challenge", ";player=0", "", "phase=challenge needs player"),
        ("challenge", ";before=r5", "", "phase=challenge needs player, whose play it is about, and before"),
        ("challenge", ";player=0", ";player=1", "player=1 and to_act=1 do not go with phase=challenge"),
        ("challenge", ";player=0", ";player=3", "player must be 0–2, got 3"),
        ("challenge", ";before=r5", ";before=r5:g", "before=r5:g is not understood"),
        ("challenge", "top=wild+4:b", "top=wild+4:b;next=1;next=1", "'next=1' is not understood"),
        ("stack", "stacking=same", "stacking=off", "phase=stack cannot come up"),
        ("stack", ";stack=2", "", "phase=stack needs stack, the cards to draw"),
        ("stack", ";stack=2", ";stack=0", "stack must be 1–112, got 0"),
        ("swap", "seven_zero=on", "seven_zero=off", "phase=swap cannot come up"),
        ("swap", ";player=0", ";player=1", "player=1 and to_act=0 do not go with phase=swap"),
        ("uno_call", "uno_call=on", "uno_call=off", "phase=uno_call cannot come up"),
        ("catch", ";player=0", ";player=1", "player=1 and to_act=1 do not go with phase=catch"),
        ("jump_in", ";next=1", "", "phase=jump_in needs next"),
        ("jump_in", ";next=1", ";next=3", "next must be 0–2, got 3"),
        ("jump_in", "jump_in=on", "jump_in=off", "phase=jump_in cannot come up"),
        ("jump_in", "to_act=2", "to_act=1", "phase=jump_in cannot come up"),
        ("catch", "phase=catch", "phase=turn", "player does not belong to phase=turn"),
        ("stack", "phase=stack", "phase=drawn;drawn=g+2", "does not belong to phase=drawn"),
    ],
)
def test_position_whose_window_cannot_be_is_refused(name: str, part: str, changed: str, named: str) -> None:
    text = in_window(name).to_text()
    assert part in text
    with pytest.raises(BadValue) as refused:
        Game.from_text(text.replace(part, changed, 1))
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("3>0:r1", "known=3>0:r1 is not understood"),
        ("0>0:r1", "known=0>0:r1 is not understood"),
        ("0:r1", "known=0:r1 is not understood"),
        ("1>0:b9", "known=1>0:b9, but seat 0 does not hold these cards"),
        ("1>0:g1.g1", "known=1>0:g1.g1, but seat 0 does not hold these cards"),
        ("1>0:zz", "'zz' is not a card"),
    ],
)
def test_knowledge_that_cannot_be_is_refused(entry: str, named: str) -> None:
    with pytest.raises(BadValue) as refused:
        position("r1.g1|y1|y2", "r5", BLUE_ONES, rules=CHALLENGING, more=f";known={entry}")
    assert named in str(refused.value)


def test_knowledge_is_part_of_a_position() -> None:
    game = position("r1.g1.wild|y1|y2", "r5", BLUE_ONES, rules=CHALLENGING, more=";known=1>0:r1.wild|2>0:g1")
    assert all_known(game) == {"1>0": "r1.wild", "2>0": "g1"}
    assert game.to_text().endswith(";known=1>0:r1.wild|2>0:g1")


def test_number_of_cards_drawn_is_part_of_a_position() -> None:
    game = position("g1|y1", "r5", "r1", "b2.b3.b4.b6", rules="classic,draw=until_playable")
    pile_first = game.state.pile_size
    game.apply("draw")
    assert (pile_first, phase(game)) == (1, "drawn")
    text = game.to_text().replace(";drawn=r1", ";drawn=r1;draws=3")
    twin = Game.from_text(text)
    assert twin.to_text() == text
    (event,) = twin.apply("r1")
    assert (event.count, event.drawn) == (3, 1)
