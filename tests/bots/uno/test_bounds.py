"""The card-count bounds, against a model of counts by name in which every row of the rules is spelt out.

What can be said of them as upper bounds: they never exceed the cards that the watcher has not seen, whatever is played;
and no hand exceeds them as long as nobody draws while holding a match and everybody plays a drawn card that matches. A
player who draws of its own will, or keeps a card it could play, breaks that: the bounds then exclude cards it may hold.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kibitz.bots.uno.bounds import Bounds, begin_bounds, bounds_of, chance_of_no_match, set_bounds, update_bounds
from kibitz.core.layouts import blank
from kibitz.games.uno.cards import CARD_TYPES, DRAW, KEEP, NO_COLOUR
from kibitz.games.uno.counts import cards_from, counts_from, planes_from
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import CHALLENGED, DREW, EVENT_NAMES, FORCED, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import DRAWN, MAY_NOT_PLAY_DRAWN, View
from kibitz.play.game import Game

from ..choices import counted, read_tables
from ..positions import counts_by_type, position

NAMES = [card_name(card) for card in range(CARD_TYPES)]
Counts = dict[str, int]


@cache
def matching(top: str, called: int) -> frozenset[str]:
    """The cards that may be played on a top card; `called` is the colour of a wild on top."""
    return frozenset(card for card in NAMES if matches(card, top, called))


def matches(card: str, top: str, called: int) -> bool:
    if card.startswith("wild"):
        return True
    if top.startswith("wild"):
        return called == NO_COLOUR or card[0] == "rgby"[called]
    return card[0] == top[0] or card[1:] == top[1:]


def hand_of(view: View) -> Counter[str]:
    return Counter(NAMES[card] for card in cards_from(view.hand()))


def unseen(view: View) -> Counts:
    """The caps: the full deck without the own hand and without the discard pile and its top card."""
    caps = dict(zip(NAMES, counts_from(view.deck()), strict=True))
    for card in [*hand_of(view).elements(), *[NAMES[card] for card in view.discard[: view.discard_size]], NAMES[view.top]]:
        caps[card] -= 1
    return caps


class Model:
    """The rules of the bounds as they are written, with a dictionary for every opponent."""

    def __init__(self, view: View) -> None:
        self.hand = hand_of(view)
        self.drawn_card_waits = view.drawn_rule == MAY_NOT_PLAY_DRAWN
        self.bounds = {seat: unseen(view) for seat in range(view.players) if seat != view.seat}

    def observe(self, view: View, events: list[Event]) -> None:
        """Take account of the events of one action; the view is the one after it."""
        caps = unseen(view)
        drawn = hand_of(view) - self.hand
        for event in events:
            if event.kind in (CHALLENGED, SWAPPED, PASSED_HANDS, SHUFFLED):
                self._move(view, event, caps)
            else:
                for opponent, bounds in self.bounds.items():
                    self._take(bounds, event, caps, by_opponent=event.seat == opponent, own=event.seat == view.seat, drawn=drawn)
        self.hand = hand_of(view)

    def _move(self, view: View, event: Event, caps: Counts) -> None:
        """Bounds go where the hands go. A hand that was seen, or was the watcher's own, is known exactly."""
        if event.kind == SHUFFLED:
            moved = dict.fromkeys(self.bounds, caps)
        elif event.kind == CHALLENGED:
            shown = {event.other: self._known(view, event.other)} if event.seat == view.seat else {}
            moved = {**self.bounds, **shown}
        else:
            if event.kind == SWAPPED:
                origin = {seat: seat for seat in range(view.players)} | {event.seat: event.other, event.other: event.seat}
            else:
                origin = {seat: (seat - view.direction) % view.players for seat in range(view.players)}
            moved = {seat: self._known(view, seat) if origin[seat] == view.seat else self.bounds[origin[seat]] for seat in self.bounds}
        self.bounds = {seat: {card: min(bounds[card], caps[card]) for card in NAMES} for seat, bounds in moved.items()}

    def _known(self, view: View, seat: int) -> Counts:
        return dict(zip(NAMES, counts_from(view.known(seat)), strict=True))

    def _take(self, bounds: Counts, event: Event, caps: Counts, by_opponent: bool, own: bool, drawn: Counter[str]) -> None:
        if event.kind == PLAY and by_opponent and event.drawn:
            excluded = matching(NAMES[event.top], event.top_colour)
            for card in NAMES:  # cards drawn before the one that was played did not match
                bounds[card] = 0 if card in excluded else min(bounds[card] + event.count - 1, caps[card])
        elif event.kind == PLAY and by_opponent:  # after drawing cards that it may have kept, where any card may be played then
            for card in NAMES:
                gained = event.count - (card == NAMES[event.card])
                bounds[card] = min(bounds[card] + gained, caps[card]) if gained > 0 else max(bounds[card] + gained, 0)
        elif event.kind == PLAY and (not own or event.drawn):
            bounds[NAMES[event.card]] = min(bounds[NAMES[event.card]], caps[NAMES[event.card]])
        elif event.kind == KEPT and by_opponent:
            excluded = matching(NAMES[event.top], event.top_colour)
            for card in NAMES:
                if self.drawn_card_waits and card in excluded:
                    bounds[card] = min(event.count, caps[card])
                else:
                    bounds[card] = 0 if card in excluded else min(bounds[card] + event.count, caps[card])
        elif event.kind == FORCED and by_opponent:
            for card in NAMES:
                bounds[card] = min(bounds[card] + event.count, caps[card])
        elif event.kind in (DREW, FORCED) and own:
            for card in drawn:
                bounds[card] = min(bounds[card], caps[card])


class Watcher:
    """A seat that keeps the bounds both ways and compares them after every action."""

    def __init__(self, game: Game, seat: int = 0) -> None:
        self.game, self.seat = game, seat
        self.memory = blank(Bounds)
        view = game.view(seat)
        begin_bounds(view, self.memory)
        self.model = Model(view)
        self.compare()

    def start(self, opponent: int, bounds: Counts) -> Watcher:
        """Go on from these bounds of an opponent, all others being 0; none may exceed its cap, as in any game."""
        assert all(count <= self.caps().get(card, 0) for card, count in bounds.items())
        set_bounds(self.memory, opponent, planes_from(counts_by_type(bounds)))
        self.model.bounds[opponent] = dict(zip(NAMES, counts_by_type(bounds), strict=True))
        return self

    def see(self, events: list[Event]) -> None:
        """Hear of the events of one action."""
        view = self.game.view(self.seat)
        for event in events:
            update_bounds(view, event, self.memory)
        self.model.observe(view, events)
        self.compare()

    def compare(self) -> None:
        """The bounds that the bots keep are those of the model."""
        for opponent, expected in self.model.bounds.items():
            assert bounds_of(self.memory, opponent) == planes_from(list(expected.values()))

    def of(self, opponent: int) -> Counts:
        """The bounds of an opponent as the bots keep them, without zeros."""
        return {NAMES[card]: count for card, count in enumerate(counts_from(bounds_of(self.memory, opponent))) if count}

    def act(self, action: str | int) -> list[int]:
        """Carry out an action of whoever is to act and look at it; the kinds of the events."""
        events = self.game.apply(action)
        self.see(events)
        return [event.kind for event in events]

    def caps(self) -> Counts:
        """What this seat has not seen, without zeros."""
        return {card: count for card, count in unseen(self.game.view(self.seat)).items() if count}


# -- event by event --


def check_bounds(line: str) -> None:
    """Play a game of `bounds.txt` and compare what seat 0 may believe of the others.

    Hands, a top card and options of `position` are followed by bounds to start from, actions with the events they cause, and bounds:
    all of a seat's (`= 1: r1*2`), or some of them (`= 1 has r1*2`).
    """
    head, *steps = re.split(r" (?=(?:start|>|=) )", line.strip())
    (hand, *others), top, options = head.split()[0].split("|"), head.split()[2], dict(part.split("=", 1) for part in head.split()[3:])
    named: dict[str, Any] = {name: value if name == "rules" else value.replace(".", " ") for name, value in options.items()}
    named |= {"to_act": int(named["to_act"])} if "to_act" in named else {}
    hands = [int(other) if other.isdigit() else other.replace(".", " ") for other in others]
    watcher = Watcher(position(hand.replace(".", " "), *hands, top=top, **named))
    for step in steps:
        verb, _, rest = step.partition(" ")
        if verb == ">":
            action, told, events = rest.partition(": ")
            kinds = [EVENT_NAMES[kind] for kind in watcher.act(action)]
            assert not told or kinds == events.split(", "), line
            continue
        seat, _, cards = rest.replace(" has ", " ").partition(" ")
        bounds = dict(counted(cards))
        if verb == "start":
            watcher.start(int(seat[0]), bounds)
        elif " has " in rest:
            assert {card: watcher.of(int(seat))[card] for card in bounds} == bounds, line
        else:
            assert watcher.of(int(seat[0])) == bounds, line


@pytest.mark.parametrize("lines", read_tables(Path(__file__).with_name("bounds.txt").read_text(encoding="utf-8"), str))
def test_bounds(lines: list[str]) -> None:
    for line in lines:
        check_bounds(line)


# -- the beginning --


def test_begin_with_everything_that_is_neither_in_the_own_hand_nor_discarded() -> None:
    watcher = Watcher(position("r1 r1 wild", 7, 7, top="g5", discard="b0 b1"))
    expected = {"r1": 0, "wild": 3, "g5": 1, "b0": 0, "b1": 1, "r0": 1, "r2": 2, "wild+4": 4}
    for opponent in (1, 2):
        assert {card: watcher.of(opponent).get(card, 0) for card in expected} == expected
        assert sum(watcher.of(opponent).values()) == 108 - 3 - 3


def test_begin_comes_after_the_opening_card_has_taken_effect() -> None:
    opened = next(game for game in (Game(players=3, seed=seed) for seed in range(1000)) if NAMES[game.state.top].endswith("+2"))
    struck = next(seat for seat in range(3) if opened.state.sizes[seat] == 9)
    spared = (struck + 1) % 3
    assert sum(Watcher(opened, struck).of(spared).values()) == 108 - 9 - 1
    assert sum(Watcher(opened, spared).of(struck).values()) == 108 - 7 - 1


def test_begin_forgets_an_earlier_deal() -> None:
    memory = blank(Bounds)
    begin_bounds(position("r1", 7, top="g5", discard="b0 b1 b2").view(), memory)
    begin_bounds(position("y1 y2", 7, top="g6").view(), memory)
    assert sum(counts_from(bounds_of(memory, 1))) == 108 - 2 - 1


# -- plays --


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 1), (0, 0)])
def test_a_play_lowers_the_bounds_of_other_opponents_to_the_cap(before: int, after: int) -> None:
    watcher = Watcher(position("b9", "r1 r2", 7, top="r5", to_act=1)).start(2, {"r1": before, "r2": 2})
    watcher.act("r1")
    assert watcher.caps()["r1"] == 1
    assert watcher.of(2).get("r1", 0) == after
    assert watcher.of(2)["r2"] == 2


# -- draws of one's own will --


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 1), (0, 0)])
def test_a_card_drawn_and_played_by_one_opponent_lowers_the_bounds_of_another_to_the_cap(before: int, after: int) -> None:
    watcher = Watcher(position("b9", "b1 b2", "b1 r7 g5", top="r5", to_act=1, pile="y5 y5")).start(2, {"y5": before, "r7": 1, "g5": 1})
    watcher.act("draw")
    watcher.act("y5")
    assert watcher.of(2).get("y5", 0) == after
    assert watcher.of(2)["r7"] == watcher.of(2)["g5"] == 1


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 1), (0, 0)])
def test_a_card_the_bot_draws_lowers_all_bounds_of_its_type_to_the_cap(before: int, after: int) -> None:
    watcher = (
        Watcher(position("b9", "b1", "b2", top="r5", pile="y2 y2")).start(1, {"y2": before, "b1": 1}).start(2, {"y2": before, "b2": 1})
    )
    assert watcher.act("draw") == [DREW, KEPT]
    assert (watcher.of(1).get("y2", 0), watcher.of(2).get("y2", 0)) == (after, after)
    assert watcher.of(1)["b1"] == watcher.of(2)["b2"] == 1


# -- forced draws: a second event after the play --


def test_a_wild_draw_four_is_four_more() -> None:
    watcher = Watcher(position("b9 b8", "wild+4 b1", "b2", top="r5", to_act=1)).start(2, {})
    assert watcher.act("wild+4:g") == [PLAY, FORCED]
    assert watcher.of(2) == {card: min(count, 4) for card, count in watcher.caps().items()} == watcher.caps()


def test_cards_the_bot_is_made_to_draw_lower_all_bounds_of_their_types() -> None:
    game = position("b9 b8", "r+2 b1", "r+2 b2", top="r5", to_act=2, pile="y2 y2 y3 y3")
    watcher = Watcher(game).start(1, {"y2": 2, "y3": 2, "r+2": 2, "b1": 1}).start(2, {"y2": 2, "y3": 2, "r+2": 2, "b1": 1})
    assert watcher.act("r+2") == [PLAY, FORCED]
    left = {card: 2 - hand_of(game.view(0))[card] for card in ("y2", "y3")}
    assert left["y2"] + left["y3"] == 2
    kept = {card: count for card, count in left.items() if count}
    assert watcher.of(2) == {"r+2": 1, "b1": 1, **kept}
    assert {card: watcher.of(1).get(card, 0) for card in left} == left


# -- caps are taken after the whole action --


def test_a_refill_raises_the_caps_of_the_draw_that_caused_it() -> None:
    """All red and green cards but the top card are in the discard pile until the last card of the pile is drawn."""
    watcher = Watcher(position("b9", "b1 b2", "b3", top="r5", to_act=1, pile="y2")).start(1, {"b1": 1})
    assert "g1" not in watcher.caps()
    watcher.act("draw")
    assert watcher.caps()["g1"] == 2
    assert watcher.of(1)["g1"] == watcher.of(1)["y2"] == 1
    assert watcher.of(1)["b1"] == 2
    assert "r1" not in watcher.of(1)


def test_a_refill_in_a_forced_draw_counts_for_the_play_before_it() -> None:
    """The other red Draw Two lay in the discard pile: it is hidden again after the action, so a bound of 1 stands."""
    watcher = Watcher(position("b9 b8", "r+2 b1", "b2", "b3", top="r5", to_act=1, pile="y2")).start(3, {"r+2": 1}).start(2, {})
    assert "r+2" in watcher.caps()
    assert watcher.act("r+2") == [PLAY, FORCED]
    assert watcher.of(3) == {"r+2": 1}
    assert watcher.of(2)["g1"] == 2
    assert watcher.of(2)["g0"] == 1


def test_cards_the_bot_is_made_to_draw_lower_the_cap_of_the_play_before() -> None:
    """The bot draws the other red Draw Two: nobody else can hold one."""
    watcher = Watcher(position("b9 b8", 3, "r+2 b1", top="r5", to_act=2, pile="r+2 y3")).start(1, {"r+2": 2, "b1": 1})
    watcher.act("r+2")
    assert hand_of(watcher.game.view(0))["r+2"] == 1
    assert watcher.of(1) == {"b1": 1}


# -- nothing to draw --


def test_with_nothing_to_draw_matches_are_excluded_and_nothing_is_added() -> None:
    game = position("b9", 52, 54, top="r5", to_act=1, pile="")
    watcher = Watcher(game).start(1, {"b1": 1, "r1": 2, "g5": 1, "wild": 2, "g1": 1})
    assert game.state.pile_size == game.state.discard_size == 0
    assert watcher.act("draw") == [KEPT]
    assert watcher.of(1) == {"b1": 1, "g1": 1}


def test_a_forced_draw_counts_the_cards_there_were() -> None:
    """Nothing is left but the card that the Draw Two covers."""
    game = position("b9", f"r+2 {' '.join(f'y{value}' for value in range(1, 10))}", 96, top="r5", to_act=1, pile="")
    watcher = Watcher(game).start(2, {"r1": 1})
    assert game.state.pile_size == game.state.discard_size == 0
    assert watcher.act("r+2") == [PLAY, FORCED]
    assert game.state.sizes[2] == 97
    assert watcher.of(2)["r1"] == 2
    assert watcher.of(2)["wild"] == 1


# -- whole games --

SMALL_DECK = "classic,deck=r1*2/r2/r+2/g1*2/g2/gskip/b1*2/b2/brev/y1*2/y2/wild*2/wild+4*2,hand_size=2"
Choose = Callable[[Game, random.Random], int]


def any_action(game: Game, chance: random.Random) -> int:
    """Any legal action: also drawing with a match in hand, and keeping what could be played."""
    return chance.choice(game.legal_actions())


def plays_if_it_can(game: Game, chance: random.Random) -> int:
    """Never draws with a match in hand, never keeps what it could play."""
    legal = game.legal_actions()
    return chance.choice([action for action in legal if action not in (DRAW, KEEP)] or legal)


def what_happened(event: Event) -> str:
    if event.kind == PLAY and event.drawn:
        return "drawn card played"
    if event.kind == KEPT and event.count == 0:
        return "nothing to draw"
    return EVENT_NAMES[event.kind]


def watched_game(players: int, rules: str, seed: int, choose: Choose, check: Callable[[Watcher], None]) -> Counter[str]:
    """Play a game with a watcher in every seat, checking each after every action; what happened in it."""
    game = Game(players=players, rules=rules, seed=seed)
    chance = random.Random(seed)
    watchers = [Watcher(game, seat) for seat in range(players)]
    seen: Counter[str] = Counter()
    while not game.is_over and game.turns < 150:
        discarded = game.state.discard_size
        events = game.apply(choose(game, chance))
        seen.update(what_happened(event) for event in events)
        seen["refill"] += game.state.discard_size < discarded
        for watcher in watchers:
            watcher.see(events)
            check(watcher)
    return seen


def within_caps(watcher: Watcher) -> None:
    caps = unseen(watcher.game.view(watcher.seat))
    for bounds in watcher.model.bounds.values():
        assert all(0 <= bounds[card] <= caps[card] for card in NAMES)


def not_below_hands(watcher: Watcher) -> None:
    """Between turns: a card that was drawn and is still undecided is not yet in the bounds."""
    if watcher.game.state.phase == DRAWN:
        return
    for opponent, bounds in watcher.model.bounds.items():
        held = hand_of(watcher.game.view(opponent))
        assert all(bounds[card] >= count for card, count in held.items())


CLASSIC_EVENTS = [EVENT_NAMES[kind] for kind in (PLAY, DREW, KEPT, FORCED)]
SPECIAL_EVENTS = ["drawn card played", "nothing to draw", "refill"]
GAMES = [(2, "classic", 5), (3, "classic", 4), (6, "classic", 2), (2, SMALL_DECK, 12), (3, SMALL_DECK, 10), (6, SMALL_DECK, 4)]


@pytest.mark.parametrize(("players", "rules", "games"), GAMES)
def test_random_games_agree_with_the_model_and_stay_within_the_caps(players: int, rules: str, games: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(games):
        seen += watched_game(players, rules, seed, any_action, within_caps)
    assert {*CLASSIC_EVENTS, "drawn card played", "refill"} <= set(seen) <= {*CLASSIC_EVENTS, *SPECIAL_EVENTS}
    assert rules == "classic" or seen["nothing to draw"] > 0


@pytest.mark.parametrize(("players", "rules", "games"), GAMES)
def test_no_hand_exceeds_its_bounds_if_everybody_plays_when_it_can(players: int, rules: str, games: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(games):
        seen += watched_game(players, rules, seed, plays_if_it_can, not_below_hands)
    assert {*CLASSIC_EVENTS, "drawn card played"} <= set(seen) <= {*CLASSIC_EVENTS, *SPECIAL_EVENTS}


def test_a_player_that_draws_with_a_match_in_hand_may_exceed_its_bounds() -> None:
    watcher = Watcher(position("b9", "r1 r2", 7, top="r5", to_act=1, pile="y2 y3"))
    not_below_hands(watcher)
    watcher.act("draw")
    assert "r1" not in watcher.of(1)
    assert hand_of(watcher.game.view(1))["r1"] == 1


def test_a_player_that_keeps_what_it_could_play_may_exceed_its_bounds() -> None:
    watcher = Watcher(position("b9", "b1 b2", 7, top="r5", to_act=1, pile="r2 r2"))
    watcher.act("draw")
    watcher.act("keep")
    assert "r2" not in watcher.of(1)
    assert hand_of(watcher.game.view(1))["r2"] == 1


# -- the chance that a hand drawn from the bounds has no match --


def mask_of(*cards: str) -> int:
    return sum(1 << NAMES.index(card) for card in cards)


@pytest.mark.parametrize("hand_size", range(8))
@pytest.mark.parametrize("matching", range(5))
@pytest.mark.parametrize("others", range(1, 7))
def test_the_chance_is_hypergeometric(hand_size: int, matching: int, others: int) -> None:
    bounds = planes_from(counts_by_type({"r1": matching, "b1": others}))
    drawn = min(hand_size, matching + others)
    expected = math.comb(others, drawn) / math.comb(matching + others, drawn)
    assert chance_of_no_match(bounds, mask_of("r1"), hand_size) == pytest.approx(expected, rel=1e-12)


def test_the_chance_sums_over_types() -> None:
    bounds = planes_from(counts_by_type({"r1": 3, "r2": 1, "b1": 2, "b2": 4}))
    expected = math.comb(6, 3) / math.comb(10, 3)
    assert chance_of_no_match(bounds, mask_of("r1", "r2", "wild"), 3) == pytest.approx(expected, rel=1e-12)


def test_the_chance_is_zero_without_any_bounds() -> None:
    assert chance_of_no_match((0, 0, 0), mask_of("r1"), 3) == 0.0
    assert chance_of_no_match((0, 0, 0), 0, 0) == 0.0


def test_the_chance_is_one_without_matching_bounds_even_for_a_hand_larger_than_the_bounds() -> None:
    bounds = planes_from(counts_by_type({"b1": 2}))
    assert chance_of_no_match(bounds, mask_of("r1"), 2) == 1.0
    assert chance_of_no_match(bounds, mask_of("r1"), 9) == 1.0


def test_the_chance_is_zero_if_too_few_cards_do_not_match() -> None:
    bounds = planes_from(counts_by_type({"r1": 1, "b1": 2}))
    assert chance_of_no_match(bounds, mask_of("r1"), 2) > 0.0
    assert chance_of_no_match(bounds, mask_of("r1"), 3) == 0.0
    assert chance_of_no_match(bounds, mask_of("r1"), 9) == 0.0
