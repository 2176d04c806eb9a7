"""What weighing worlds by the opponents' choices brings, and what it costs: python benchmarks/history.py [--games N] [VARIANT …]

Mix2 (or linear) plays games against others and samples worlds at each of its decisions. Of the hands as they really are, `gain`
is the mean of log(weight of the truth / mean weight of sampled worlds): by how much the weights raise the chance of the
true hands, in nats. `cards` is the share of the opponents' cards that a resampled world has right, `colours` the mean
distance between the counts of the four colours there and in truth, `wilds` that between the counts of wilds; `kept` is the
effective share of the worlds proposed. `gain` is too high where few worlds are sampled for the mean (--worlds).
Errors are standard errors over games; those of differences between variants are smaller, because all see the same decisions.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Annotated, Any, NamedTuple

import numpy as np

from kibitz.bots.bot import Bot, bot
from kibitz.bots.uno.bounds import Bounds, begin_bounds, update_bounds
from kibitz.bots.uno.linear import linear
from kibitz.bots.uno.mix2 import mix2
from kibitz.core import jit
from kibitz.core.jit import as_base, number, word
from kibitz.core.layouts import dtype_of
from kibitz.core.seeds import scramble
from kibitz.games.uno.cards import COLOUR_MASKS, NO_CARD, WILD_MASK
from kibitz.games.uno.counts import Planes, size_of, size_within, smaller
from kibitz.games.uno.state import Event, State
from kibitz.games.uno.view import View
from kibitz.play.lineup import make_lineup
from kibitz.play.sitting import Sitting
from kibitz.policies.uno.features import Description
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_sightings
from kibitz.search.parts import part_of, words_for
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.chain import MOVES, Chain, next_world, start_chain
from kibitz.search.uno.history import (
    ALL,
    LENGTH,
    LOOSE,
    PLAYS,
    PROPOSALS,
    REACH,
    SLIP,
    WEIGHED,
    WIDE_SLIP,
    History,
    begin_history,
    is_remembered,
    observe_history,
    sample_weighted,
    set_model,
    set_players,
    weigh_world,
)
from kibitz.search.uno.worlds import FINE, Hidden, World, copy_world, prepare, sample_world

GAIN, CARDS, COLOURS, WILDS, KEPT, FIGURES = range(6)


class Memory(Belief, History):
    """What the sampler follows, and what the bot that plays needs."""

    bounds: Annotated[list[int], "u8", words_for(Bounds)]
    sightings: Annotated[list[int], "u8", words_for(Sightings)]


class Found:
    """Figures of one decision."""

    figures: Annotated[list[float], "f8", FIGURES]


bounds_of = part_of(Memory, "bounds", Bounds)
sightings_of = part_of(Memory, "sightings", Sightings)
mix2_choice, linear_choice = mix2.choose, linear.choose


def begin(view: View, memory: Memory) -> None:
    """Begin to follow the game."""
    begin_belief(view, memory, EXACT, FLOOR, WILD_FLOOR)
    begin_history(view, memory)
    begin_bounds(view, bounds_of(memory, 0))
    begin_sightings(view, sightings_of(memory, 0))


def observe(view: View, event: Event, memory: Memory) -> None:
    """Follow it."""
    observe_belief(view, event, memory)
    observe_history(view, event, memory)
    update_bounds(view, event, bounds_of(memory, 0))
    update_sightings(view, event, sightings_of(memory, 0))


@bot(parameters=mix2.parameters, presets=mix2.presets, memory=Memory, begin=begin, observe=observe, trusted=True)
def watching_mix2(view: View, memory: Memory, params: Any) -> int:
    """Mix2 with a history."""
    return number(mix2_choice(view, bounds_of(memory, 0), params))


@bot(parameters=linear.parameters, presets=linear.presets, memory=Memory, scratch=Description, begin=begin, observe=observe, trusted=True)
def watching_linear(view: View, memory: Memory, params: Any, scratch: Description) -> int:
    """Linear with a history."""
    return number(linear_choice(view, sightings_of(memory, 0), params, scratch))


state_at, view_at, memory_at, hidden_at, world_at, chain_at, found_at = (
    as_base(cls) for cls in (State, View, Memory, Hidden, World, Chain, Found)
)


def hand_in(world: World, seat: int) -> Planes:
    """A hand of a world."""
    return world.hands0[seat], world.hands1[seat], world.hands2[seat]


def measure(
    state: int,
    memory: int,
    hidden: int,
    worlds: int,
    found: int,
    slip: int,
    reach: int,
    weighed: int,
    loose: int,
    wide: int,
    proposals: int,
    moves: int,
    count: int,
    stream: int,
) -> int:
    """The figures of one decision, in `found`; 0 if there is nothing to weigh."""
    view, history, table, figures = view_at(state), memory_at(memory), state_at(state), found_at(found).figures
    room = hidden_at(hidden)
    world, spare, truth = world_at(worlds), world_at(worlds + _WORLD), world_at(worlds + 2 * _WORLD)
    chain = chain_at(worlds + 3 * _WORLD)
    set_model(history, slip / 1000.0, reach, weighed)
    set_players(history, loose / 1000.0, wide / 1000.0)
    if not is_remembered(view, history) or prepare(view, history, room) != FINE:
        return 0
    position = word(stream)
    me = number(view.seat)
    for seat in range(number(view.players)):
        truth.hands0[seat], truth.hands1[seat], truth.hands2[seat] = table.hands0[seat], table.hands1[seat], table.hands2[seat]
    truth.drawn = NO_CARD
    of_truth = 0.0
    for _ in range(32):
        position, weight = weigh_world(view, history, history, truth, position)
        of_truth += weight / 32.0
    total, squares = 0.0, 0.0
    for _ in range(count):
        position = sample_world(view, history, room, position, spare)
        position, weight = weigh_world(view, history, history, spare, position)
        total += weight / count
        squares += weight * weight / count
    figures[GAIN] = math.log(of_truth / total)
    figures[KEPT] = total * total / squares
    for place in range(CARDS, KEPT):
        figures[place] = 0.0
    rounds = 16
    if moves > 0:
        rounds = 64
        position = start_chain(view, history, room, history, proposals, position, chain, spare)
    for _ in range(rounds):
        if moves > 0:
            position = next_world(view, history, room, history, moves, position, chain, spare)
            copy_world(chain, world)
        else:
            position = sample_weighted(view, history, room, history, proposals, position, world, spare)
        cards = 0
        for seat in range(number(view.players)):
            if seat != me:
                hand, real = hand_in(world, seat), hand_in(truth, seat)
                cards += size_of(real)
                figures[CARDS] += size_of(smaller(hand, real)) / rounds
                for colour in range(4):
                    figures[COLOURS] += abs(size_within(hand, COLOUR_MASKS[colour]) - size_within(real, COLOUR_MASKS[colour])) / rounds
                figures[WILDS] += abs(size_within(hand, WILD_MASK) - size_within(real, WILD_MASK)) / rounds
    figures[CARDS] /= cards
    return 1


_WORLD = dtype_of(World).itemsize
SAMPLE, WEIGH_PLAYS, WEIGH_ALL, RESAMPLE, GO_ON = range(5)


def repeat(state: int, memory: int, hidden: int, worlds: int, what: int, count: int) -> int:
    """Do one thing often; how many entries of the history are weighed, 0 if there is none."""
    view, history, room = view_at(state), memory_at(memory), hidden_at(hidden)
    world, spare, chain = world_at(worlds), world_at(worlds + _WORLD), chain_at(worlds + 2 * _WORLD)
    set_model(history, SLIP, REACH, PLAYS if what == WEIGH_PLAYS else WEIGHED)
    if not is_remembered(view, history) or prepare(view, history, room) != FINE:
        return 0
    entries = 0
    for seat in range(number(view.players)):
        entry, left = number(history.past_latest[seat]), REACH
        while seat != number(view.seat) and entry >= max(number(history.past_end) - LENGTH, 0) and left > 0:
            entry = number(history.past_earlier[entry % LENGTH])
            entries += 1
            left -= 1
    position = sample_world(view, history, room, word(1), world)
    total = 0.0
    if what == GO_ON:
        position = start_chain(view, history, room, history, PROPOSALS, position, chain, spare)
    for _ in range(count):
        if what == GO_ON:
            position = next_world(view, history, room, history, MOVES, position, chain, spare)
        elif what == SAMPLE:
            position = sample_world(view, history, room, position, world)
        elif what == RESAMPLE:
            position = sample_weighted(view, history, room, history, PROPOSALS, position, world, spare)
        else:
            position, weight = weigh_world(view, history, history, world, position)
            total += weight
    return entries if total >= 0.0 else 0


def tell_cost(viewer: Bot, others: list[str], rules: str, games: int) -> None:
    """Print what sampling, weighing and resampling take."""
    seconds = np.zeros(5)
    entries = decisions = 0

    def measure_here(view: Any, action: int) -> None:
        nonlocal entries, decisions
        if view.seat == 0 and (found := root(*places, SAMPLE, 1)):
            entries += found
            decisions += 1
            for what in range(5):
                count = 20 if what == RESAMPLE else 200
                times = []
                for _ in range(3):
                    start = time.perf_counter()
                    root(*places, what, count)
                    times.append(time.perf_counter() - start)
                seconds[what] += min(times) / count

    sitting = Sitting(make_lineup([viewer, *others], rules=rules, seating="fixed"), 11, listen=measure_here)
    hidden, worlds = (np.zeros(size, dtype=dtype_of(cls)) for cls, size in ((Hidden, 1), (World, 8)))
    root = jit.root_of(repeat, "long " * 6, View)
    places = (sitting.place.addresses["state"], int(sitting.place.table["memory"][0]), hidden.ctypes.data, worlds.ctypes.data)
    for game in range(games):
        sitting.play(game)
    micro = 1e6 * seconds / decisions
    print(f"{viewer.name} v {', '.join(others)}, {rules}: {decisions} decisions, {entries / decisions:.1f} entries each")
    print(f"  to sample a world {micro[SAMPLE]:.2f} µs, to weigh it by plays {micro[WEIGH_PLAYS]:.2f} µs, by all {micro[WEIGH_ALL]:.2f} µs")
    print(f"  an entry {1e6 * seconds[WEIGH_PLAYS] / entries:.3f} µs by plays, {1e6 * seconds[WEIGH_ALL] / entries:.3f} µs by all")
    print(f"  a world of {PROPOSALS} proposals {micro[RESAMPLE]:.2f} µs, the next one of a chain {micro[GO_ON]:.2f} µs", flush=True)


class Variant(NamedTuple):
    """A way to weigh and sample."""

    name: str
    weighed: int = WEIGHED
    slip: float = SLIP
    reach: int = REACH
    proposals: int = 8
    moves: int = 0  # of a chain of 64 worlds that begins with one of so many proposals
    players: tuple[float, float] = (LOOSE, WIDE_SLIP)  # how many are loose, and how often those slip


def tell(viewer: Bot, others: list[str], rules: str, games: int, variants: list[Variant], count: int) -> None:
    """Play games and print a line for each variant."""
    results = np.zeros((games, len(variants), FIGURES + 1))
    stream = 1

    def measure_here(view: Any, action: int) -> None:
        nonlocal stream
        if view.seat != 0:
            return
        for place, variant in enumerate(variants):
            stream = scramble(stream)
            settings = (
                round(variant.slip * 1000),
                variant.reach,
                variant.weighed,
                *[round(1000 * share) for share in variant.players],
                variant.proposals,
                variant.moves,
                count,
                stream >> 2,
            )
            state, memory = sitting.place.addresses["state"], int(sitting.place.table["memory"][0])
            if root(state, memory, hidden.ctypes.data, worlds.ctypes.data, found.ctypes.data, *settings):
                results[sitting.index, place, :FIGURES] += found["figures"][0]
                results[sitting.index, place, FIGURES] += 1

    sitting = Sitting(make_lineup([viewer, *others], rules=rules, seating="fixed"), 11, listen=measure_here)
    hidden, worlds, found = (np.zeros(size, dtype=dtype_of(cls)) for cls, size in ((Hidden, 1), (World, 8), (Found, 1)))
    root = jit.root_of(measure, "long " * 14, View)
    for game in range(games):
        sitting.play(game)
    print(f"{viewer.name} v {', '.join(others)}, {rules}: {games} games, {results[:, 0, FIGURES].sum():.0f} decisions")
    for place, variant in enumerate(variants):
        sums = results[:, place]
        mean = sums[:, :FIGURES].sum(axis=0) / sums[:, FIGURES].sum()
        spread = sums[:, :FIGURES] - mean * sums[:, FIGURES:]
        error = np.sqrt((spread**2).sum(axis=0)) / sums[:, FIGURES].sum()
        line = "  ".join(f"{name} {mean[k]:7.4f} ± {error[k]:.4f}" for k, name in enumerate(("gain", "cards", "colours", "wilds", "kept")))
        print(f"  {variant.name:<22}{line}", flush=True)


_ONE_KIND = (0.0, 1.0)
CHOICES = {
    "ways": [
        Variant("unweighted", proposals=1),
        Variant("8 proposals, plays", PLAYS),
        Variant("8 proposals, all", ALL),
        Variant("chain, plays", PLAYS, moves=MOVES),
        Variant("chain, all", ALL, moves=MOVES),
    ],
    "players": [
        Variant("unweighted", proposals=1),
        Variant("one kind", moves=MOVES, players=_ONE_KIND),
        Variant("one kind, slip 0.02", slip=0.02, moves=MOVES, players=_ONE_KIND),
        Variant("one kind, slip 0.2", slip=0.2, moves=MOVES, players=_ONE_KIND),
        Variant("loose 0.2 slip 0.3", moves=MOVES, players=(0.2, 0.3)),
        Variant("loose 0.4 slip 0.3", moves=MOVES, players=(0.4, 0.3)),
        Variant("loose 0.2 slip 0.6", moves=MOVES, players=(0.2, 0.6)),
        Variant("0.4, 0.3 and 0.02", slip=0.02, moves=MOVES, players=(0.4, 0.3)),
    ],
    "chains": [
        Variant("8 proposals"),
        *[Variant(f"{moves} moves a world", moves=moves) for moves in (1, 2, 4, 8, 16)],
        Variant("4 moves, from 32", proposals=32, moves=4),
        Variant("plays, 4 moves", PLAYS, moves=4),
    ],
    "slips": [Variant(f"slip {slip}", slip=slip) for slip in (0.01, 0.02, 0.05, 0.1)],
    "reach": [Variant(f"reach {reach}", reach=reach) for reach in (1, 2, 4, 8, 16, 64)],
    "proposals": [Variant(f"{count} proposals", proposals=count) for count in (1, 2, 4, 8, 16, 32)],
}
TABLES = {
    "mix2": (watching_mix2, ["mix2"]),
    "linear": (watching_mix2, ["linear"]),
    "linear-mix2": (watching_linear, ["mix2"]),
    "greedy": (watching_mix2, ["greedy"]),
    "random": (watching_mix2, ["random"]),
    "mix2x3": (watching_mix2, ["mix2"] * 3),
    "linearx3": (watching_mix2, ["linear"] * 3),
    "randomx3": (watching_mix2, ["random"] * 3),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["ways"], help=f"which variants: {', '.join(CHOICES)}, or cost")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), help=f"who plays: {', '.join(TABLES)}")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--rules", default="classic")
    parser.add_argument("--worlds", type=int, default=256, help="worlds for the mean weight")
    given = parser.parse_args()
    start = time.perf_counter()
    for what in given.what:
        for table in given.tables:
            viewer, others = TABLES[table]
            if what == "cost":
                tell_cost(viewer, others, given.rules, given.games)
            else:
                tell(viewer, others, given.rules, given.games, CHOICES[what], given.worlds)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
