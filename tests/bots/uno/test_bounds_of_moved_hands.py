"""The card-count bounds under house rules: hands that change owner or are seen, several cards drawn, cards that must wait.

In the manner of `test_bounds`: event by event at positions made by hand, each compared with the model there; then whole
games in which nobody draws while holding a match, where every bound must hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from kibitz.bots.uno.bounds import Bounds, begin_bounds, bounds_of, update_bounds
from kibitz.core.layouts import blank
from kibitz.games.uno.counts import exceeds
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import (
    CAUGHT,
    CHALLENGED,
    DREW,
    EVENT_NAMES,
    FORCED,
    JUMPED_IN,
    MISSED_UNO,
    NAMED,
    PASSED_HANDS,
    PLAY,
    SAID_UNO,
    SHUFFLED,
    SWAPPED,
)
from kibitz.games.uno.view import DRAWN
from kibitz.play.game import Game
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules

from ..positions import position
from .test_bounds import Watcher, hand_of, not_below_hands, plays_if_it_can, unseen, watched_game

SEVEN_ZERO = "classic,seven_zero=on"
CHALLENGING = "classic,wild_draw_four=challenge"


def counts(*cards: str) -> dict[str, int]:
    return dict(Counter(cards))


# -- hands passed on --


@pytest.mark.parametrize(("direction", "after", "before"), [("+", 1, 3), ("-", 3, 1)])
def test_after_a_zero_of_the_bot_the_next_player_holds_its_old_hand(direction: str, after: int, before: int) -> None:
    game = position("r0 b1 b1 wild", 3, 3, 3, top="r5", rules=SEVEN_ZERO, direction=direction)
    watcher = Watcher(game).start(after, {"y1": 1}).start(2, {"y2": 2}).start(before, {"y3": 2})
    assert watcher.act("r0") == [PLAY, PASSED_HANDS]
    assert watcher.of(after) == counts("b1", "b1", "wild")
    caps = watcher.caps()
    assert watcher.of(2) == {"y1": 1}  # in either direction its hand comes from `after`
    assert watcher.of(before) == {"y2": min(2, caps["y2"])}


def test_two_cards_drawn_for_a_missed_call_go_along() -> None:
    """The bot is caught and its zero passes on what it has drawn: it still knows all three cards."""
    game = position("r0 b1", 3, 3, top="r5", rules=f"{SEVEN_ZERO},uno_call=on", pile="y1 y2 y3 y4")
    watcher = Watcher(game)
    assert watcher.act("r0") == [PLAY]
    assert watcher.act("pass") == [MISSED_UNO]
    assert watcher.act("catch") == [CAUGHT, FORCED, PASSED_HANDS]
    held = hand_of(game.view(1))
    assert held["b1"] == 1
    assert held.total() == 3
    assert watcher.of(1) == held


def test_two_cards_that_an_opponent_draws_for_a_missed_call_go_along() -> None:
    game = position("b9", "r0 b1", 3, top="r5", to_act=1, rules=f"{SEVEN_ZERO},uno_call=on", pile="y1 y2 y3 y4")
    watcher = Watcher(game).start(1, {"r0": 1, "b1": 1})
    watcher.act("r0")
    watcher.act("pass")
    assert watcher.act("catch") == [CAUGHT, FORCED, PASSED_HANDS]
    assert watcher.of(1) == counts("b9")  # the bot's own hand
    assert watcher.of(2)["b1"] >= 1
    assert all(watcher.of(2)[card] >= count for card, count in hand_of(game.view(2)).items())


# -- hands shuffled --


def test_after_a_shuffle_everything_unseen_is_possible_again() -> None:
    game = position("b9 b8", "wildshuffle g1", 3, top="r5", to_act=1, rules="modern")
    watcher = Watcher(game).start(1, {"wildshuffle": 1, "g1": 1}).start(2, {"y1": 1})
    assert watcher.act("wildshuffle:g") == [PLAY]
    assert watcher.act("uno") == [SAID_UNO, SHUFFLED]
    caps = {card: count for card, count in unseen(game.view(0)).items() if count}
    assert watcher.of(1) == watcher.of(2) == caps
    assert caps["g1"] + hand_of(game.view(0))["g1"] == 2


# -- challenges --


def test_hand_that_the_bot_challenged_is_known_exactly() -> None:
    watcher = Watcher(position("b9 b8", "y1", "wild+4 g1 g2 g2", top="r5", to_act=2, rules=CHALLENGING))
    watcher.act("wild+4:b")
    assert watcher.act("challenge") == [CHALLENGED, FORCED]
    assert watcher.of(2) == counts("g1", "g2", "g2")
    assert len(watcher.game.view(0).cards()) == 2 + 6


def test_guilty_player_has_four_cards_more_than_were_seen() -> None:
    game = position("b9 b8", "y1", "wild+4 r1 g2 g2", top="r5", to_act=2, rules=CHALLENGING, pile="y2 y2 y3 y3 y4")
    watcher = Watcher(game)
    watcher.act("wild+4:b")
    assert watcher.act("challenge") == [CHALLENGED, FORCED]
    bounds, caps = watcher.of(2), watcher.caps()
    assert bounds == {card: min(counts("r1", "g2", "g2").get(card, 0) + 4, count) for card, count in caps.items()}
    assert all(bounds[card] >= count for card, count in hand_of(game.view(2)).items())


def test_challenge_of_the_bot_by_another_changes_nothing_but_the_draws() -> None:
    watcher = Watcher(position("wild+4 r1 g1", 3, 3, top="r5", rules=CHALLENGING)).start(1, {"y1": 1}).start(2, {"y2": 1})
    watcher.act("wild+4:b")
    assert watcher.act("challenge") == [CHALLENGED, FORCED]
    assert set(watcher.of(1)) <= {"y1"}
    assert set(watcher.of(2)) <= {"y2"}


# -- draws --


SMALL_DECK = "deck=b9/b1*2/b2/r5/r7*2/g5/y2*2/y3/b3*5/y5,hand_size=1"


def test_cards_drawn_before_the_one_that_was_played_did_not_match() -> None:
    """Blue threes are drawn until the yellow five comes: what matches neither red nor a five may have been among them."""
    rules = f"classic,draw=until_playable,{SMALL_DECK}"
    game = position("b9", "b1 b2", "b1 r7 g5 r7", top="r5", to_act=1, rules=rules, pile="b3 b3 b3 b3 y5 b3", discard="y2 y2 y3")
    watcher = Watcher(game).start(1, {"b1": 1, "r7": 1, "g5": 1})
    assert watcher.act("draw") == [DREW]
    drawn = game.state.turn_draws
    assert drawn == 3
    assert watcher.act("y5") == [PLAY]
    assert watcher.caps() == {"b1": 2, "b2": 1, "b3": 5, "r7": 2, "g5": 1}
    assert watcher.of(1) == {"b1": 2, "b2": 1, "b3": 2}


def test_where_any_card_may_be_played_after_a_draw_its_like_may_have_been_held() -> None:
    """It holds a red seven, draws another, and plays one of them."""
    game = position(
        "b9", "r7 b1 b2", "b1 g5", top="r5", to_act=1, rules=f"davies,{SMALL_DECK}", pile="r7", discard="y2 y2 y3 y5 b3 b3 b3 b3 b3"
    )
    watcher = Watcher(game).start(1, {"r7": 1, "b1": 1, "b2": 1})
    watcher.act("draw")
    watcher.act("r7")
    assert hand_of(game.view(1))["r7"] == 1
    assert watcher.of(1)["r7"] == 1


# -- what is said moves no card --


def test_colour_that_is_named_changes_no_bounds() -> None:
    text = position("b9", "r1 b1", 3, top="wild", to_act=1, rules="official").to_text()
    watcher = Watcher(Game.from_text(text.replace("phase=turn", "phase=colour"))).start(1, {"r1": 2}).start(2, {"y1": 1})
    assert watcher.act("wild:g") == [NAMED]
    assert (watcher.of(1), watcher.of(2)) == ({"r1": 2}, {"y1": 1})


JUMPING = "classic,jump_in=on"


FOUR_RED_ONES = f"{JUMPING},deck=r1*4/r5/b9*2/g1*4/y1*4,hand_size=1"


def test_who_jumps_in_with_one_of_two_copies_may_keep_the_other() -> None:
    """Four red ones, of which seat 1 plays one and seat 2 another: it may hold both that are left."""
    game = position("b9", "r1 g1", "r1 r1 g1", top="r5", to_act=1, rules=FOUR_RED_ONES)
    watcher = Watcher(game)
    watcher.act("r1")
    watcher.act("jump-in")
    assert watcher.of(2)["r1"] == watcher.caps()["r1"] == 2


# -- whole games --

GAMES = [
    (3, "classic,seven_zero=on,must_play=on,hand_size=4", 6),
    (4, "official,seven_zero=on,hand_size=3", 6),
    (3, "modern,stacking=progressive,seven_zero=on,hand_size=4", 6),
    (2, "classic,draw=until_playable,drawn_card=must_play,seven_zero=on,uno_call=on", 6),
    (3, "hearn", 4),
    (4, "numbers,seven_zero=on", 4),
    (3, "classic,wild_draw_four=challenge,stacking=same,deck=r+2*3/g+2*2/b+2*2/wild+4*5/r1*2/g1*2/b3*3/wildshuffle*2,hand_size=3", 15),
    (4, "classic,seven_zero=on,uno_call=on,deck=r7*3/g7*2/b7*2/r0*3/g0*2/b0/r3/g3*2/b5*3/wild*2,hand_size=3,max_turns=40", 15),
]


@pytest.mark.parametrize(("players", "rules", "games"), GAMES)
def test_games_agree_with_the_model_and_no_hand_exceeds_its_bounds(players: int, rules: str, games: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(games):
        seen += watched_game(players, rules, seed, plays_if_it_can, not_below_hands)
    assert {EVENT_NAMES[kind] for kind in (PLAY, DREW, FORCED)} <= set(seen) | ({"forced"} if "numbers" in rules else set())
    if "seven_zero" in rules:
        assert seen[EVENT_NAMES[SWAPPED]] > 0
        assert seen[EVENT_NAMES[PASSED_HANDS]] > 0
    if "challenge" in rules or "official" in rules:
        assert seen[EVENT_NAMES[CHALLENGED]] > 0


def watched_by_all(rules: Rules, players: int, random: Random) -> Counter[int]:
    """A game in which nobody draws with a match in hand, and the bounds of every seat hold after every action; the events."""
    game = Game(players, rules, random.randrange(2**32))
    memories = [blank(Bounds) for _ in range(players)]
    for seat, memory in enumerate(memories):
        begin_bounds(game.view(seat), memory)
    seen: Counter[int] = Counter()
    while not game.is_over:
        events = game.apply(plays_if_it_can(game, random))
        seen.update(event.kind for event in events)
        held = list(zip(game.state.hands0, game.state.hands1, game.state.hands2, strict=True))
        for seat, memory in enumerate(memories):
            view = game.view(seat)
            for event in events:
                update_bounds(view, event, memory)
            if game.state.phase == DRAWN:  # a card just drawn is not in the bounds yet
                continue
            for other in range(players):
                if other != seat:
                    exceeding = exceeds(held[other], bounds_of(memory, other))
                    assert not exceeding, f"{rules.to_text()}: seat {seat} of {other} after {events}"
    return seen


@pytest.mark.parametrize("jump_in", [False, True])
def test_no_hand_exceeds_its_bounds_under_any_rules(jump_in: bool) -> None:
    """600 games under random rules, every kind of event among them."""
    random = Random(f"bounds {jump_in}")
    seen: Counter[int] = Counter()
    for _ in range(600):
        rules = random_rules(random)
        rules = replace(rules, jump_in=jump_in, max_turns=min(rules.max_turns, 40))
        seen += watched_by_all(rules, min(random_players(random, rules), 4), random)
    expected = set(range(len(EVENT_NAMES))) - (set() if jump_in else {JUMPED_IN})
    assert {kind for kind in expected if seen[kind] < 5} == set()
