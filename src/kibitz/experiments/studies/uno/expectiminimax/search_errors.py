"""How far expectiminimax's Q is from what it estimates: spread over worlds, over draws, and what more depth would change.

Positions come from games that the search plays against a random opponent under `numbers`; each is searched again and again with
fresh random numbers. `measure_errors` gives everything that `kibitz.experiments.studies.uno.expectiminimax.figures` tells and draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

import numpy as np

from kibitz.core import jit
from kibitz.core.jit import as_base, number, word
from kibitz.core.layouts import blank, copy_record, dtype_of, load, store
from kibitz.core.seeds import game_key, scramble
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import new_state
from kibitz.games.uno.view import View
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.expectiminimax.number_cards import is_plain_table
from kibitz.search.uno.expectiminimax.root import choose_action, value_in
from kibitz.search.uno.expectiminimax.workspace import ExpectiminimaxSearch, hidden_of, world_of
from kibitz.search.uno.worlds import prepare, sample_world

RULES = "numbers"
SAMPLES, DEPTH, DRAWS = 50, 3, 5  # those of the original program
SAMPLE_STEPS = (5, 10, 20, 50, 100, 200, 500, 1000)
DEPTH_STEPS = (1, 2, 3, 4, 5, 6)
DRAW_STEPS = (1, 2, 3, 5, 10, 20, 60)
MANY = 20_000  # worlds, where a value is to be known rather than estimated
QUIET = 3  # with more cards than this nobody can be rid of them before the horizon
WORLDS, KEYS = 12, 12  # worlds of a position, and draws in each, where the spread over draws is measured

STEPS = 1 + len(SAMPLE_STEPS) + len(DEPTH_STEPS) + len(DRAW_STEPS)  # of progress

Block = np.ndarray[Any, np.dtype[Any]]
Progress = Callable[[str, int], None]

view_at, belief_at, search_at = as_base(View), as_base(Belief), as_base(ExpectiminimaxSearch)


def search_once(view: int, belief: int, search: int, samples: int, common: int) -> int:
    """One decision; the table is left in `search`."""
    return choose_action(view_at(view), belief_at(belief), search_at(search), samples, common != 0)


def value_once(view: int, belief: int, search: int, action: int, position: int, key: int) -> int:
    """What an action is worth in the world that a stream leads to, with the draws of a key: left as the first total."""
    seen, memory, table = view_at(view), belief_at(belief), search_at(search)
    prepare(seen, memory, hidden_of(table, 0))
    sample_world(seen, memory, hidden_of(table, 0), word(position), world_of(table, 0))
    table.totals[0] = value_in(seen, table, world_of(table, 0), word(key), action, True, True)
    return number(0)


class Searcher:
    """The search behind a compiled or plain door: blocks of memory in, a table of values out."""

    def __init__(self, compiled: bool = True) -> None:
        self.compiled = compiled
        self.search = np.zeros(1, dtype=dtype_of(ExpectiminimaxSearch))
        self.plain_search = blank(ExpectiminimaxSearch)
        if compiled:
            self._choose = jit.root_of(search_once, "long " * 5, View, what="the search")
            self._value = jit.root_of(value_once, "long " * 6, View, what="the search")

    def set_options(self, depth: int, draws: int) -> None:
        """Say what is searched; everything else as in the original program."""
        for name, value in (("depth", depth), ("draws", draws)):
            self.search[name][0] = value
            setattr(self.plain_search, name, value)

    def choose(self, position: SearchedPosition, samples: int, common: bool = False) -> int:
        """One decision; its table is then at hand."""
        if self.compiled:
            blocks = (position.view, position.belief, self.search)
            return int(self._choose(*[block.ctypes.data for block in blocks], samples, int(common)))
        view, belief = position.plain()
        chosen = choose_action(view, belief, self.plain_search, samples, common)
        position.view["random_stream"][0] = view.random_stream
        return chosen

    def values(self) -> list[float]:
        """The values of the last decision, by action."""
        if self.compiled:
            return [float(value) for value in self.search["values"][0][: self.search["listed"][0]]]
        return list(self.plain_search.values[: self.plain_search.listed])

    def value(self, position: SearchedPosition, action: int, stream: int, key: int) -> float:
        """What an action is worth in one world with one set of draws."""
        if self.compiled:
            blocks = (position.view, position.belief, self.search)
            self._value(*[block.ctypes.data for block in blocks], action, stream, key)
            return float(self.search["totals"][0][0])
        view, belief = position.plain()
        table = self.plain_search
        prepare(view, belief, hidden_of(table, 0))
        sample_world(view, belief, hidden_of(table, 0), stream, world_of(table, 0))
        return value_in(view, table, world_of(table, 0), key, action, True, True)


@dataclass
class SearchedPosition:
    """A decision: what the searcher sees and believes, as blocks of memory, and the actions it has."""

    view: Block
    belief: Block
    actions: list[int]

    def plain(self) -> tuple[View, Belief]:
        """The same as plain records."""
        return load(View, memoryview(self.view.tobytes())), load(Belief, memoryview(self.belief.tobytes()))


def block_of(record: object) -> Block:
    """A plain record as a block of memory."""
    kind: Any = type(record)
    block = np.zeros(1, dtype=dtype_of(kind))
    store(record, block)
    return block


def positions(searcher: Searcher, rules: Rules, seed: int, players: int = 2) -> Iterator[SearchedPosition]:
    """Decisions of seat 0 in games that it plays by the search with ten worlds; all others play any card they can."""
    random, game = Random(seed), 0
    while True:
        state = new_state(rules, players)
        state.observed = 1
        engine.deal(state, game_key(seed, game))
        game += 1
        belief = blank(Belief)
        engine.show(state, 0)
        begin_belief(engine.as_view(state), belief, EXACT, FLOOR, WILD_FLOOR)
        while not engine.is_over(state):
            engine.show_actor(state)
            legal = engine.legal_actions(state)
            action = random.choice([play for play in legal if play < DRAW] or legal)
            if state.current == 0 and len(legal) > 1:
                position = SearchedPosition(block_of(copy_record(engine.as_view(state), View)), block_of(belief), legal)
                position.view["random_stream"][0] = scramble(random.getrandbits(62))
                yield position
                action = searcher.choose(position, 10)
            engine.apply(state, action)
            engine.show(state, 0)
            for place in range(state.event_count):
                observe_belief(engine.as_view(state), engine.event_at(state, place), belief)
            state.event_count = 0


# -- what is measured --


@dataclass(frozen=True)
class SampleRow:
    """Searches with so many worlds for each action."""

    samples: int
    spread: float  # standard deviation of Q over repeated searches, root mean square over actions and positions
    quiet: float  # the same where nobody can win before the horizon
    wrong: float  # share of searches that choose another action than one with MANY worlds
    loss: float  # what those choices cost on average, in its points


@dataclass(frozen=True)
class DepthRow:
    """Searches of so many turns, with worlds enough to know their values."""

    depth: int
    change: float  # how differences between actions change with the last turn that was added, root mean square
    agreement: float  # share of positions in which the deepest search chooses the same
    spread: float  # of Q with SAMPLES worlds


@dataclass(frozen=True)
class DrawRow:
    """Searches that try so many cards for a draw."""

    draws: int
    spread: float  # standard deviation of one world's value over draws, root mean square over worlds
    matters: float  # the same among the worlds in which draws matter
    total: float  # spread of Q with SAMPLES worlds


@dataclass
class SearchErrors:
    """All that was measured."""

    positions: int
    repeats: int
    seed: int
    quiet_positions: int = 0
    samples: list[SampleRow] = field(default_factory=list)
    depths: list[DepthRow] = field(default_factory=list)
    draws: list[DrawRow] = field(default_factory=list)

    @property
    def slope(self) -> float:
        """The exponent of the spread of Q as a power of the number of worlds."""
        rows = [row for row in self.samples if row.spread > 0]
        if len(rows) < 2:
            return 0.0
        return float(np.polyfit([math.log(row.samples) for row in rows], [math.log(row.spread) for row in rows], 1)[0])

    def to_dict(self) -> dict[str, Any]:
        """Everything as it stands in JSON."""
        return {**asdict(self), "slope": self.slope}

    @staticmethod
    def from_dict(found: Mapping[str, Any]) -> SearchErrors:
        """From JSON."""
        rows = {"samples": SampleRow, "depths": DepthRow, "draws": DrawRow}
        listed = {name: [kind(**row) for row in found[name]] for name, kind in rows.items()}
        return SearchErrors(found["positions"], found["repeats"], found["seed"], found["quiet_positions"], **listed)


def measure_errors(count: int, repeats: int, seed: int, compiled: bool = True, progress: Progress | None = None) -> SearchErrors:
    """Search `count` positions, each `repeats` times with every setting."""
    searcher = Searcher(compiled)
    searcher.set_options(DEPTH, DRAWS)
    found: list[SearchedPosition] = []
    skip = Random(seed + 1)
    for position in positions(searcher, parse_rules(RULES), seed):
        if skip.random() < 0.25 and is_plain_table(position.plain()[0], max(DEPTH_STEPS)):
            found.append(position)
        if len(found) == count:
            break
    told = progress or (lambda title, steps: None)
    errors = SearchErrors(count, repeats, seed, sum(bool(min(position.view["sizes"][0][:2]) > QUIET) for position in found))
    known = _known(searcher, found, DEPTH)
    told("values", 1)
    for samples in SAMPLE_STEPS:
        errors.samples.append(_sample_row(searcher, found, known, samples, repeats))
        told("samples", 1)
    errors.depths = _depth_rows(searcher, found, repeats, lambda: told("depth", 1))
    for draws in DRAW_STEPS:
        errors.draws.append(_draw_row(searcher, found, draws, repeats, seed))
        told("draws", 1)
    return errors


def _known(searcher: Searcher, found: Sequence[SearchedPosition], depth: int) -> list[list[float]]:
    """The values of all actions, from MANY common worlds."""
    searcher.set_options(depth, DRAWS)
    values = []
    for position in found:
        searcher.choose(position, MANY, True)
        values.append(searcher.values())
    searcher.set_options(DEPTH, DRAWS)
    return values


def _repeated(searcher: Searcher, position: SearchedPosition, samples: int, repeats: int) -> tuple[Block, list[int]]:
    """The values of repeated searches, one row each, and what they chose."""
    rows, chosen = [], []
    for _ in range(repeats):
        chosen.append(position.actions.index(searcher.choose(position, samples)))
        rows.append(searcher.values())
    return np.array(rows), chosen


def _root_mean(squares: Sequence[float]) -> float:
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0


def _sample_row(searcher: Searcher, found: Sequence[SearchedPosition], known: list[list[float]], samples: int, repeats: int) -> SampleRow:
    variances: list[float] = []
    quiet: list[float] = []
    wrong, loss = 0, 0.0
    for position, values in zip(found, known, strict=True):
        rows, chosen = _repeated(searcher, position, samples, repeats)
        found_here = rows.var(axis=0, ddof=1).tolist()
        variances += found_here
        if min(position.view["sizes"][0][:2]) > QUIET:
            quiet += found_here
        best = max(values)
        wrong += sum(values[place] < best for place in chosen)
        loss += sum(best - values[place] for place in chosen)
    searches = len(found) * repeats
    return SampleRow(samples, _root_mean(variances), _root_mean(quiet), wrong / searches, loss / searches)


def _depth_rows(searcher: Searcher, found: Sequence[SearchedPosition], repeats: int, told: Callable[[], None]) -> list[DepthRow]:
    by_depth, spreads = [], []
    for depth in DEPTH_STEPS:
        by_depth.append(_known(searcher, found, depth))
        searcher.set_options(depth, DRAWS)
        variances: list[float] = []
        for position in found:
            variances += _repeated(searcher, position, SAMPLES, repeats)[0].var(axis=0, ddof=1).tolist()
        spreads.append(_root_mean(variances))
        told()
    searcher.set_options(DEPTH, DRAWS)
    rows = []
    deepest = [int(np.argmax(values)) for values in by_depth[-1]]
    for place, depth in enumerate(DEPTH_STEPS):
        changes = []
        if place:
            for now, before in zip(by_depth[place], by_depth[place - 1], strict=True):
                gaps = np.subtract(now, np.mean(now)) - np.subtract(before, np.mean(before))
                changes += (gaps**2).tolist()
        same = np.mean([int(np.argmax(values)) == best for values, best in zip(by_depth[place], deepest, strict=True)])
        rows.append(DepthRow(depth, _root_mean(changes), float(same), spreads[place]))
    return rows


def _draw_row(searcher: Searcher, found: Sequence[SearchedPosition], draws: int, repeats: int, seed: int) -> DrawRow:
    searcher.set_options(DEPTH, draws)
    variances, matters = [], []
    totals: list[float] = []
    for place, position in enumerate(found):
        for world in range(WORLDS):
            stream = scramble(seed + 1000 * place + world) >> 1
            values = [searcher.value(position, position.actions[0], stream, scramble(key + 1) >> 1) for key in range(KEYS)]
            variances.append(float(np.var(values, ddof=1)))
            if variances[-1] > 0:
                matters.append(variances[-1])
        totals += _repeated(searcher, position, SAMPLES, repeats)[0].var(axis=0, ddof=1).tolist()
    searcher.set_options(DEPTH, DRAWS)
    return DrawRow(draws, _root_mean(variances), _root_mean(matters), _root_mean(totals))
