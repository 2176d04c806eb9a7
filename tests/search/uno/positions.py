"""Positions that searches are asked about: from games, made by hand, and with other cards where nobody looks."""

from __future__ import annotations

from random import Random
from typing import Any

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import plain
from kibitz.core.layouts import blank, copy_record
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW, MATCH_MASKS
from kibitz.games.uno.counts import add_to_planes, cards_from, planes_from, take_from_planes
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import DRAWN, WON, View
from tests.search.uno.following import Followed, followed_positions

WINDOWS_OPEN = (
    "official,stacking=progressive,seven_zero=on,jump_in=on,hand_size=4,max_turns=200,"
    "deck=r7*3/g7*3/r+2*3/g+2*3/r1*4/g1*4/b1*3/r0*2/wild*6/wild+4*4"
)


def decisions(rules: str, players: int, seed: int, count: int) -> list[tuple[State, View]]:
    """Positions with a real choice, from games played at random: two plays at least, or a window of house rules."""
    found: list[tuple[State, View]] = []
    random = Random(seed)
    while len(found) < count:
        followed = Followed(parse_rules(rules), players, random.getrandbits(30))
        for state in followed_positions(followed, random, 0.8):
            if engine.is_over(state) or len(found) == count or random.random() < 0.8:
                continue
            legal = engine.legal_actions(state)
            if len(legal) > 1 and (legal[1] < DRAW or state.phase > DRAWN):
                found.append((copy_record(state), followed.view(state.current)))
    return found


def answer_of(name: str, view: View, scratch: Any = None) -> tuple[int, Any]:
    """What a bot does at a view, as plain Python and without a past, and what it worked with."""
    entrant = registry.entrant(name)
    bot = entrant.bot
    assert isinstance(bot, Bot) and bot.memory is not None and bot.scratch is not None
    begin, choose = bot.plain_entry("begin"), bot.plain_entry("choose")
    assert callable(begin) and callable(choose)
    memory: Any = blank(bot.memory)
    params = plain(bot.parameters, entrant.values)
    scratch = scratch or blank(bot.scratch)
    begin(view, memory, params, None)
    return choose(view, memory, params, scratch), scratch


def arranged(hands: list[str], top: str, pile: str, turns: int) -> tuple[State, Rules]:
    """Seat 0 is to move, and knows the hand of seat 1; a draw brings one and the same card always."""
    cards = [card_from_name(name) for name in " ".join([*hands, top, pile]).split()]
    counts = [cards.count(card) for card in range(56)]
    deck = "/".join(f"{name}*{cards.count(card_from_name(name))}" for name in sorted(set(" ".join([*hands, top, pile]).split())))
    rules = parse_rules(f"classic,deck={deck},hand_size=2,opening=none,drawn_card=may_not_play,max_turns={turns}")
    state = new_state(rules, 2)
    assert list(rules.deck) == counts
    engine.deal(state, 1)
    for seat, hand in enumerate(hands):
        held = [card_from_name(name) for name in hand.split()]
        state.hands0[seat], state.hands1[seat], state.hands2[seat] = planes_from([held.count(card) for card in range(56)])
        state.sizes[seat] = len(held)
    left = [card_from_name(name) for name in pile.split()]
    state.pile[: len(left)], state.pile_size = left, len(left)
    state.top, state.colour = card_from_name(top), card_from_name(top) // 13
    state.match = MATCH_MASKS[state.top]
    state.discard_size, state.current, state.direction, state.turn, state.phase = 0, 0, 1, 1, 0
    state.knowledge0[1], state.knowledge1[1], state.knowledge2[1] = state.hands0[1], state.hands1[1], state.hands2[1]
    state.any_known = 1
    engine.show_actor(state)
    return state, rules


def after(state: State, action: int) -> State:
    """The state after an action."""
    twin = copy_record(state)
    engine.apply(twin, action)
    return twin


def exact_value(state: State) -> float:
    """The value to seat 0 if both players see everything and play as well as they can."""
    if engine.is_over(state):
        return (1.0 if state.winner == 0 else 0.0) if state.status == WON else 0.5
    values = [exact_value(after(state, action)) for action in engine.legal_actions(state)]
    return max(values) if state.current == 0 else min(values)


def with_other_hidden_cards(state: State, random: Random) -> State:
    """The same table with other cards in the pile and in the hands of those who are not to act."""
    twin = copy_record(state)
    for seat in range(state.players):
        if seat == state.current:
            continue
        for _ in range(8):
            mine = random.choice(cards_from((twin.hands0[seat], twin.hands1[seat], twin.hands2[seat])))
            place = random.randrange(twin.pile_size)
            card = twin.pile[place]
            planes = take_from_planes(twin.hands0[seat], twin.hands1[seat], twin.hands2[seat], 1 << mine)
            twin.hands0[seat], twin.hands1[seat], twin.hands2[seat] = add_to_planes(*planes, 1 << card)
            twin.pile[place] = mine
    engine.show_actor(twin)
    return twin
