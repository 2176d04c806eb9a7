"""Random games under random rules, step by step: the engine and the reference agree about everything.

The first chunks are played each time, the others by `make verify`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import DECKS, MAX_PLAYERS
from kibitz.games.uno.rules import SWITCHES, Rules, parse_deck, switch_text
from kibitz.play.game import Game
from tests.reference.pair import ACTION_NAMES, Pair
from tests.reference.uno import PHASES, ReferenceGame, is_wild, symbol_of

CHUNKS = range(21)
EACH_TIME = range(6)
GAMES = 1000  # in each chunk

# Small decks, each of which makes something rare happen often.
TINY_DECKS = {
    "draw cards": "r+2*3/g+2*2/b+2*2/wild+4*5/r1*2/g1*2/b3",
    "sevens and zeros": "r7*3/g7*2/b7*2/r0*3/g0*2/b0/r3/g3*2/b5/wild",
    "many of a kind": "r1*6/r2*5/g1*5/rskip*3/r+2*3/rrev*3/r0*2",
    "wilds": "wild*4/wild+4*6/wildshuffle*3/wildcustom*3",
    "turning": "rrev*4/grev*3/rskip*3/gskip*2/b1/y1/wildshuffle",
    "no match": "r1/g2/b3/y4/r5/g6/b8",
    "no pile": "r1/g1/b2/y2/r3/g3/wild/wild+4",
    "four or colour": "r1*3/r2*2/g1*2/g2/wild+4*7",
    "some of all": "r0/r7*2/r+2*2/rskip/rrev/g0/g7*2/g+2*2/gskip/grev/b1*2/y1*2/b4/wild*2/wild+4*3/wildshuffle*2/wildcustom",
}


# -- random rules --


def random_deck(random: Random) -> tuple[int, ...]:
    """A deck with a name, a small one, or a few types at random."""
    kind = random.random()
    if kind < 0.08:
        return DECKS[random.choice(list(DECKS))]
    if kind < 0.85:
        return parse_deck(random.choice(list(TINY_DECKS.values())))
    counts = [0] * len(DECKS["standard"])
    for _ in range(random.randrange(3, 10)):
        counts[random.randrange(len(counts))] = random.randrange(1, 6)
    return tuple(counts)


def random_switches(random: Random) -> dict[str, Any]:
    """A value for every switch that has names for its values."""
    values: dict[str, Any] = {}
    for name, switch in SWITCHES.items():
        if name != "deck" and switch.values:
            text = random.choice(list(switch.values))
            values[name] = text == "on" if set(switch.values) == {"on", "off"} else text
    return values


def random_max_turns(random: Random, cards: int) -> int:
    """Few turns as a rule: long games show little that short ones do not."""
    kind = random.random()
    if kind < 0.2:
        return random.randrange(1, 6)
    if kind < 0.99:
        return random.randrange(6, 41)
    return 1000 if cards > 60 else 200


def random_rules(random: Random) -> Rules:
    """Rules of any kind that seat at least two players. What contradicts itself is drawn again."""
    while True:
        deck = random_deck(random)
        hand_size = min(random.randrange(1, 11), random.randrange(1, 11))
        try:
            rules = Rules("random", deck, hand_size, max_turns=random_max_turns(random, sum(deck)), **random_switches(random))
            rules.check_players(2)
        except BadValue:
            continue
        return rules


def random_players(random: Random, rules: Rules) -> int:
    """As many players as the deck seats, or fewer."""
    return random.randint(2, min(MAX_PLAYERS, (sum(rules.deck) - 1) // rules.hand_size))


# -- what happened --


@dataclass
class Before:
    """What must be remembered of a position to tell what an action did."""

    phase: str
    player: int
    top: str
    sizes: list[int]
    pile_size: int
    jumped: bool

    @classmethod
    def of(cls, game: ReferenceGame, jumped: bool = False) -> Before:
        return cls(game.phase, game.current, game.top, [len(hand) for hand in game.hands], len(game.pile), jumped)


def opening_of(game: ReferenceGame) -> Iterator[str]:
    symbol = symbol_of(game.top)
    if not symbol.isdigit():
        yield f"opening {'a wild' if is_wild(game.top) else symbol}: {game.rules.opening}"


def happenings(before: Before, action: str, game: ReferenceGame, shuffled: bool) -> Iterator[str]:
    """What an action did, in words that are counted."""
    card = action.partition(":")[0]
    plain = ("draw", "keep", "challenge", "accept", "swap", "jump-in", "pass", "uno", "catch")
    yield f"{before.phase}: {card if card in plain else 'play'}"
    drawn = len(game.hands[before.player]) - before.sizes[before.player]
    if action == "draw":
        yield "drew nothing" if drawn == 0 else "drew one" if drawn == 1 else "drew several"
    if action == "challenge":
        yield ("guilty" if game.guilty else "innocent") + (", last card" if game.emptied else "")
    if action == "catch":
        yield f"caught with {'a wild' if is_wild(game.top) else symbol_of(game.top)}"
    if before.phase == "stack" and card not in plain:
        yield f"{symbol_of(card)} on {symbol_of(before.top)}"
        if game.emptied:
            yield "won by an answer"
    if before.phase == "stack" and action == "accept":
        yield f"accepted {min(drawn, 10)}"
    if action == "jump-in" and before.jumped:
        yield "jump-in on a jump-in"
    if card not in plain and symbol_of(card) == "0" and game.rules.seven_zero:
        yield "zero as the last card" if game.emptied else "hands passed"
    if shuffled:
        yield "hands shuffled"
    if len(game.pile) > before.pile_size:
        yield f"refilled {game.rules.refill}"
    if game.status != "playing":
        yield game.status
    if game.status == "won" and symbol_of(game.top) in ("+2", "wild+4"):
        yield f"last card {'draws' if game.rules.last_card_draws else 'does not draw'}"
    if game.status == "cut off" and game.stack:
        yield "cut off before a stack"


def table_of(rules: Rules, players: int) -> Iterator[str]:
    """The rules and the number of players, in words that are counted."""
    yield f"players={players}"
    yield f"hand_size={rules.hand_size}"
    for name, switch in SWITCHES.items():
        if switch.values:
            text = switch_text(name, getattr(rules, name))
            yield f"{name}={text if text in switch.values else 'other'}"


OFTEN, MORE_OFTEN = 20, 50  # times that each of these must have happened in the chunks played each time, and in all
REQUIRED = [
    *[f"players={players}" for players in range(2, 11)],
    *[f"hand_size={size}" for size in range(1, 11)],
    *[f"{name}={value}" for name, switch in SWITCHES.items() for value in switch.values],
    "deck=other",
    *[f"opening {card}: {opening}" for card in ("skip", "rev", "+2", "a wild") for opening in SWITCHES["opening"].values],
    *[f"phase {phase}" for phase in PHASES],
    *["turn: play", "turn: draw", "drawn: play", "drawn: keep", "colour: play", "swap: swap"],
    *["challenge: challenge", "challenge: accept", "stack: play", "stack: challenge", "stack: accept"],
    *["uno_call: uno", "uno_call: pass", "catch: catch", "catch: pass", "jump_in: jump-in", "jump_in: pass"],
    *["drew nothing", "drew one", "drew several", "refilled when_empty", "refilled when_needed"],
    *["guilty", "innocent", "innocent, last card"],
    *["+2 on +2", "wild+4 on wild+4", "wild+4 on +2", "won by an answer"],
    *["accepted 2", "accepted 4", "accepted 6", "accepted 8", "accepted 10"],
    *[f"caught with {what}" for what in ("a wild", "skip", "rev", "+2", "0", "7")],
    *["jump-in on a jump-in", "hands passed", "zero as the last card", "hands shuffled"],
    *["won", "cut off", "stuck", "last card draws", "last card does not draw", "cut off before a stack"],
]


# -- the comparison --


def play_pair(rules: Rules, players: int, seed: int, index: int, random: Random) -> Counter[str]:
    """One game; what happened in it."""
    pair = Pair(Game(players, rules, seed, index))
    pair.check()
    seen = Counter([*table_of(rules, players), *opening_of(pair.reference)])
    jumped = False
    while not pair.game.is_over:
        before = Before.of(pair.reference, jumped)
        action = random.choice(pair.legal)
        pair.apply(action)
        pair.check()
        seen[f"phase {before.phase}"] += 1
        seen.update(happenings(before, ACTION_NAMES[action], pair.reference, pair.shuffled))
        jumped = ACTION_NAMES[action] == "jump-in"
    return seen


@cache
def play_chunk(chunk: int) -> Counter[str]:
    """Many games, each under rules of its own; what happened in them."""
    random = Random(f"house rules {chunk}")
    seen: Counter[str] = Counter()
    for index in range(GAMES):
        rules = random_rules(random)
        players = random_players(random, rules)
        try:
            seen += play_pair(rules, players, chunk, index, random)
        except AssertionError as error:
            error.add_note(f"Game {index} of seed {chunk} with {players} players under {rules.to_text()}.")
            raise
    return seen


def test_enough_games_are_played() -> None:
    assert len(EACH_TIME) * GAMES >= 6_000
    assert len(CHUNKS) * GAMES >= 20_000


@pytest.mark.parametrize(
    "chunk", [pytest.param(chunk, marks=() if chunk in EACH_TIME else pytest.mark.verify, id=str(chunk)) for chunk in CHUNKS]
)
def test_engine_agrees_with_reference(chunk: int) -> None:
    assert sum(play_chunk(chunk)[f"players={players}"] for players in range(2, 11)) == GAMES


@pytest.mark.parametrize(
    ("chunks", "times"),
    [pytest.param(EACH_TIME, OFTEN, id="each time"), pytest.param(CHUNKS, MORE_OFTEN, id="all", marks=pytest.mark.verify)],
)
def test_everything_happened(chunks: range, times: int) -> None:
    seen: Counter[str] = Counter()
    for chunk in chunks:
        seen += play_chunk(chunk)
    rare = {name: seen[name] for name in REQUIRED if seen[name] < times}
    assert not rare
    assert not seen["guilty, last card"]  # guilt looks at the hand that is left; there is none
