"""Open sittings: chance as a step, moments to go back to, and cards that are alike as one outcome."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.hanabi.definition import GAME as HANABI
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import parse_rules
from kibitz.play.open_sitting import NEW_DEAL, Moment, OpenSitting, open_game
from kibitz.play.sitting import Ask, Chance, Over
from kibitz.play.uno.open_sitting import OpenUno
from tests.experiments.studies.exact.games import everything_after

RULES = parse_rules("classic,deck=r1*2/r+2/g1/g2/wild,hand_size=1,max_turns=2")


def table_of(state: Any) -> tuple[Any, ...]:
    """What lies where, whatever the order."""
    return (*state.hands0[:2], *state.hands1[:2], state.top, state.current, tuple(sorted(state.pile[: state.pile_size])))


def walk(sitting: OpenSitting, moment: Moment, chance: float, tables: dict[Any, float], path: tuple[int, ...] = ()) -> None:
    """How likely each table is after each line of actions."""
    for reached, share in everything_after(sitting, moment):
        tables[path, table_of(reached.state)] += chance * share
        for action in sitting.game.legal_actions(reached.state):
            walk(sitting, Moment(reached.state, (action,)), chance * share, tables, (*path, action))


def test_cards_that_are_alike_are_as_likely_as_their_copies_together() -> None:
    """UNO by its own means and by those that fit any game: every card of the pile, every order, every dealer."""
    found: list[dict[Any, float]] = []
    for make in (OpenUno, OpenSitting):
        tables: dict[Any, float] = defaultdict(float)
        sitting = make(GAME, RULES, refills=True) if make is OpenUno else make(GAME, RULES)
        walk(sitting, NEW_DEAL, 1.0, tables)
        found.append(tables)
    own, any_game = found
    assert len(own) > 200 and own == pytest.approx(any_game, abs=1e-12)


def test_chances_add_up_wherever_chance_is_asked() -> None:
    sitting = open_game(GAME, RULES)
    asked = []
    moments = [NEW_DEAL]
    while moments:
        sitting.moment = moments.pop()
        step = sitting.step()
        if isinstance(step, Chance):
            asked.append(len(step.outcomes))
            assert len(step.outcomes) > 1 and sum(chance for _, chance in step.outcomes) == pytest.approx(1, abs=1e-12)
            moments += [Moment(sitting.moment.state, (*sitting.moment.answers, outcome)) for outcome, _ in step.outcomes]
        elif isinstance(step, Ask):
            moments += [Moment(step.view, (action,)) for action in sitting.game.legal_actions(step.view)]
        else:
            assert isinstance(step, Over) and sitting.result() in (-1, 0, 1)
    assert len(asked) > 50 and max(asked) > 10


def test_moments_stay_as_they_are() -> None:
    """Somebody who goes back to a moment finds what was there, however often others went on from it."""
    sitting = open_game(GAME, RULES)
    sitting.take(0)
    assert isinstance(sitting.step(), Ask) and isinstance(sitting.step(), Ask)
    dealt, before = sitting.moment, table_of(sitting.state)
    views = [vars(sitting.look(seat)) for seat in range(2)]
    sitting.take(DRAW)
    question = sitting.step()
    assert isinstance(question, Chance)
    for card, _ in question.outcomes:
        sitting.moment = Moment(dealt.state, (DRAW,))
        sitting.take(card)
        assert isinstance(sitting.step(), Ask) and table_of(sitting.state) != before
        assert sitting.events() and list(sitting.news(0)) != list(sitting.news(1))
    after = sitting.state
    sitting.moment = dealt
    assert table_of(sitting.state) == before and [vars(sitting.look(seat)) for seat in range(2)] == views
    sitting.take(DRAW, question.outcomes[-1][0])  # both answers at once
    sitting.step()
    assert vars(sitting.state) == vars(after)


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(BadValue, match=r"Hanabi can't be solved: its chance can't be laid open"):
        OpenSitting(replace(HANABI, rebound=None), HANABI.parse_rules(HANABI.default_rules))
    sitting = open_game(GAME, RULES)
    sitting.take(0)
    sitting.step()
    sitting.take(119)
    with pytest.raises(BadValue, match="answered 119, which is not an action"):
        sitting.step()
