"""No hidden card is in any message: everything that is sent to every seat and to onlookers, over many games of both kinds.

Two proofs. Of every message, each card in it stands where cards may stand, and there it is one that the viewer may know (tests/table/truth.py;
test_secrecy_of_sockets.py shows that others are found). And of every action, the message is the same, word for word, if the cards that the viewer cannot see are dealt in another
way, the bots' and the deal's random streams with them.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from kibitz.core.layouts import copy_record
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.uno.cards import CARD_TYPES, DRAW, JUMP_IN, MAX_CARDS, MAX_PLAYERS, action_card
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.games.uno.view import DRAWN
from kibitz.table.live import CHOSEN, LiveGame, Setup, TakenAction
from kibitz.table.viewer_messages import position_message, update_message
from tests.table.truth import Frame, Truth, check, check_logs, moments_of

SEED = 7_391_558_204_663_127  # long enough to be found in a text
HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,drawn_card=any_card"
JUMPS = "classic,deck=r1*2/r2*2/r3*2/g1*2/g2*2/g3*2/b1*2/b2*2/b3*2/y1*2/y7*2/y0*2/wild*4,hand_size=5,jump_in=on,seven_zero=on"
TABLES = [
    ("uno", "classic", 2),
    ("uno", "classic", 4),
    ("uno", "official", 3),
    ("uno", "modern", 5),
    ("uno", HOUSE, 3),
    ("uno", HOUSE, 10),
    ("uno", JUMPS, 4),
    ("uno", "davies", 2),
    ("uno", "hearn", 3),
    ("uno", "numbers,draw=until_playable,drawn_card=must_play", 3),
    ("hanabi", "standard", 2),
    ("hanabi", "standard", 3),
    ("hanabi", "standard", 4),
    ("hanabi", "standard,discard_when_full=on", 5),
]
BOTS = {"uno": ("random", "mix2", "champion:fast"), "hanabi": ("random", "iggi", "smart")}


def setup_of(game: str, rules: str, players: int, seed: int) -> Setup:
    """A table with two persons, or one of two, and bots."""
    seats = [BOTS[game][seat % 3] for seat in range(players)]
    mixed: list[str | None] = [
        None if seat == seed % players or (players > 2 and seat == (seed + 1) % players) else bot for seat, bot in enumerate(seats)
    ]
    return Setup(game, rules, tuple(mixed), None, secret=f"{SEED + seed:032x}")


def next_step(live: LiveGame, rng: random.Random) -> TakenAction:
    """One action; now and then the next player is faster than who might jump in."""
    step = live.bot_step()
    if step is not None:
        return step
    seat = live.to_act
    assert seat is not None
    hasty = [person for person in live.setup.persons if person != seat and live.legal_names(person)]
    seat = rng.choice(hasty) if hasty and rng.random() < 0.3 else seat
    return live.act(seat, rng.choice(live.legal_names(seat)))


def viewers_of(live: LiveGame) -> list[int | None]:
    return [*live.setup.persons, None]


# -- where cards stand --


@pytest.mark.parametrize(("game", "rules", "players"), TABLES)
def test_every_card_in_every_message_may_be_known(game: str, rules: str, players: int) -> None:
    for seed in range(4):
        live = LiveGame(setup_of(game, rules, players, seed))
        truth, rng = Truth(live, [], "", {}), random.Random(seed)

        def keep(message: dict[str, Any] | None, viewer: int | None, live: LiveGame = live, truth: Truth = truth) -> None:
            if message is not None:
                truth.frames.append(Frame(str(viewer), viewer, json.dumps(message), live.deal, live.position))

        while True:
            for viewer in viewers_of(live):
                keep(position_message(live, viewer), viewer)
            step = next_step(live, rng)
            if live.is_over:
                break
            for viewer in viewers_of(live):
                keep(update_message(live, step, viewer), viewer)
        truth.deals.append(moments_of(live))
        truth.add_numbers(live)
        for frame in truth.frames:
            check(frame, truth)
        check_logs(truth)


# -- the same message in another world --


def play_of(live: LiveGame, action: str) -> int | None:
    """The card that an action of UNO plays."""
    number = live.definition.action_from_name(live._state, action)
    return action_card(number) if number < DRAW else int(live._state.top) if number == JUMP_IN else None


def other_world(live: LiveGame, before: Any, viewer: int | None, step: TakenAction, card: int | None, rng: random.Random) -> Any:
    """A state that looks the same to a viewer, in which the action is possible too."""
    state = copy_record(before)
    if live.setup.game == "uno":
        deal_uno_anew(state, viewer, step.seat, card, rng)
    else:
        deal_hanabi_anew(state, viewer, step, rng)
    state.deal_stream = rng.getrandbits(64)
    state.seat_streams = [rng.getrandbits(64) for _ in state.seat_streams]
    live.definition.verbs["show_actor"](state)
    return state


def deal_uno_anew(state: Any, viewer: int | None, actor: int, card: int | None, rng: random.Random) -> None:
    """Deal out the unseen cards again. The actor keeps the card it plays, and one that it has just drawn."""
    kept: list[Counter[int]] = []
    for seat in range(state.players):
        held = Counter(cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat])))
        fixed = held.copy() if seat == viewer else Counter()
        if viewer is not None and seat != viewer:
            place = viewer * MAX_PLAYERS + seat
            fixed = Counter(cards_from((state.knowledge0[place], state.knowledge1[place], state.knowledge2[place])))
        if seat == actor:
            needed = ([card] if card is not None else []) + ([state.hidden_drawn] if state.phase == DRAWN else [])
            fixed |= Counter(one for one in set(needed) if held[one])
        kept.append(fixed)
    hands = [Counter(cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))) for seat in range(state.players)]
    pool = [one for seat in range(state.players) for one in (hands[seat] - kept[seat]).elements()] + list(state.pile[: state.pile_size])
    rng.shuffle(pool)
    for seat in range(state.players):
        if seat == viewer:
            continue
        new = list(kept[seat].elements())
        new += [pool.pop() for _ in range(state.sizes[seat] - len(new))]
        counts = Counter(new)
        state.hands0[seat], state.hands1[seat], state.hands2[seat] = planes_from([counts[one] for one in range(CARD_TYPES)])
        state.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(new)] = new
    state.pile[: state.pile_size] = pool
    assert len(pool) == state.pile_size


def deal_hanabi_anew(state: Any, viewer: int | None, step: TakenAction, rng: random.Random) -> None:
    """Shuffle the deck and the hands that are hidden. A card that is played or discarded stays, and the next one if the viewer will see it."""
    hidden = [seat for seat in range(state.players) if viewer is None or seat == viewer]
    slot = int(step.action.partition(":")[2]) if not step.action.startswith("hint") else None
    spots = [seat * MAX_HAND + place for seat in hidden for place in range(state.sizes[seat]) if not (seat == step.seat and place == slot)]
    seen = 1 if viewer is not None and viewer != step.seat else 0
    places = [state.places[spot] for spot in spots] + list(range(state.drawn + seen, state.deck_total))
    cards = [state.deck_order[place] for place in places]
    rng.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        state.deck_order[place] = card
    for seat in range(state.players):
        for spot in range(seat * MAX_HAND, seat * MAX_HAND + state.sizes[seat]):
            state.hands[spot] = state.cards[spot] = state.deck_order[state.places[spot]]


@contextmanager
def in_world(live: LiveGame, state: Any) -> Iterator[None]:
    place = live._sitting.place
    true, place.state = place.state, state
    try:
        yield
    finally:
        place.state = true


def own_knowledge(live: LiveGame, state: Any, viewer: int | None) -> Any:
    """What a seat knows that others do not: where it differs, the worlds may differ."""
    if viewer is None or live.setup.game == "hanabi":
        return None
    row = slice(viewer * MAX_PLAYERS, (viewer + 1) * MAX_PLAYERS)
    first = viewer * MAX_CARDS
    hand = state.orders[first : first + state.sizes[viewer]]  # in the order in which its cards came
    return hand, state.knowledge0[row], state.knowledge1[row], state.knowledge2[row]


@pytest.mark.parametrize(("game", "rules", "players"), TABLES)
def test_message_is_the_same_whatever_is_hidden(game: str, rules: str, players: int) -> None:
    """Worlds in which something else becomes known by the action itself (a drawn card that fits, a hint) are left out."""
    compared = 0
    for seed in range(4):
        live = LiveGame(setup_of(game, rules, players, seed))
        verbs, rng = live.definition.verbs, random.Random(seed)
        while not live.is_over:
            before, tellings, count = copy_record(live._state), copy.deepcopy(live._tellings), len(live.deals[0])
            step = next_step(live, rng)
            if live.is_over or len(live.deals[0]) != count + 1:  # somebody was faster: several actions at once
                continue
            with in_world(live, before):
                verbs["show_actor"](before)
                card = play_of(live, step.action) if game == "uno" else None
            number = live.numbers()[-1]
            for viewer in viewers_of(live):
                other = other_world(live, before, viewer, step, card, rng)
                if not verbs["is_legal"](other, number):
                    continue
                telling = copy.deepcopy(tellings[viewer])
                if viewer == step.seat and step.why == CHOSEN:
                    telling.ask(other)
                other.event_count = 0
                verbs["apply"](other, number)
                events = tuple(verbs["event_at"](other, place) for place in range(other.event_count))
                if [repr(event) for event in events] != [repr(event) for event in step.events] or other.status:
                    continue
                if own_knowledge(live, other, viewer) != own_knowledge(live, live._state, viewer):
                    continue
                if game == "uno" and (other.phase == DRAWN) != (live._state.phase == DRAWN):
                    continue
                ours = update_message(live, step, viewer)
                with in_world(live, other):
                    with live.shown(viewer) as view:
                        words = tuple(line.plain for event in events for line in telling.tell(view, event))
                    theirs = update_message(live, replace(step, words={viewer: words}, events=events), viewer)
                    position = position_message(live, viewer)
                assert theirs == ours
                assert position == position_message(live, viewer)
                compared += 1
    assert compared > 60


def test_other_worlds_are_other_worlds() -> None:
    live = LiveGame(Setup("uno", "classic", (None, None), SEED))
    step = TakenAction(0, 0, 1, "draw", CHOSEN, (), {})
    worlds = [other_world(live, live._state, 0, step, None, random.Random(seed)) for seed in range(5)]
    assert len({tuple(world.hands0[1:2]) for world in worlds}) > 1
    assert all(world.hands0[0] == live._state.hands0[0] for world in worlds)
