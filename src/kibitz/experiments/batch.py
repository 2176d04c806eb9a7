"""Many deals of one line-up: units on workers, what they bring merged and kept, progress told."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from kibitz.bots.object_bot import ObjectBot
from kibitz.core import stopping
from kibitz.core.errors import BadValue, BotFault, DecisionTimeout
from kibitz.core.seeds import check_seed
from kibitz.play.lineup import Lineup, compiled_table, measuring_luck
from kibitz.play.loop import compiled_kernel
from kibitz.play.outcomes import Outcomes, layout_for, unpack
from kibitz.play.playing import Tally, note_compiled, note_in_turn, play_compiled, play_in_turn
from kibitz.play.policy_bots import note_side_by_side, play_side_by_side, plays_side_by_side
from kibitz.play.second_look import check_repeatable, located
from kibitz.play.sitting import Sitting
from kibitz.runs.cluster.dispatcher import current_cluster
from kibitz.runs.ledger import DamagedUnit, Ledger
from kibitz.runs.processes import ProcessPool
from kibitz.runs.shards import LedgerPart
from kibitz.runs.units import Unit, cut, run_units, worker_count
from kibitz.runs.watchdog import watchdog

COMPILED_UNIT = 20_000
CONTEST_UNIT = 1_000
MIN_UNITS = 16
MOST_UNITS = 10_000  # of sums: so many a ledger keeps beside the games, however many there are
SMALLEST_UNIT = 20
SLOW_UNIT = 250
POLICY_UNIT = 1_000  # games side by side
SLICES = 2_048  # into about so many a run is cut for shares
SMALLEST_SLICE = 5
FEW_GAMES = 2_000  # below this, starting worker processes takes longer than playing

Progress = Callable[[int], None]


@dataclass
class Batch:
    """A run of deals: what to play, and what was found so far. `complete` turns true when all are played.

    Games are added up in `tally`, or with `noted` each is kept in `outcomes()`. With a ledger, finished units are kept there
    as part `part` of a run, and those it has are not played again. With `luck`, noted games say how lucky each entry was.
    """

    lineup: Lineup
    games: int
    seed: int
    jit: bool = True
    unit_size: int | None = None
    noted: bool = False
    ledger: Ledger | None = None
    part: int = 0
    luck: bool = False

    def __post_init__(self) -> None:
        if self.games < 1:
            raise BadValue(f"games={self.games} is out of range: at least 1 game is needed.")
        check_seed(self.seed)
        if self.luck:
            self.lineup = measuring_luck(self.lineup)
        if os.environ.get("KIBITZ_JIT") == "0":
            self.jit = False
        self.tally: Tally = np.zeros(self.lineup.tally_size, dtype=np.int64)
        self.done = 0
        self.only: Sequence[Unit] | None = None  # pieces that alone are wanted
        self._finished: set[Unit] = set()
        self._noted: dict[int, Outcomes] = {}

    @property
    def complete(self) -> bool:
        """Whether every deal is in the tally."""
        return self.done == self.games

    def units(self) -> Iterator[Unit]:
        """The pieces of the run that are left, between those that are finished, whatever their sizes; in a run of shares, its slices."""
        slices = getattr(self.ledger, "slices", None)
        wanted = slices(self.part) if slices and self.only is None else self.only
        if wanted is not None:
            yield from (piece for piece in wanted if piece not in self._finished)
            return
        start = 0
        for done in (*sorted(self._finished, key=lambda unit: unit.first), Unit(self.games, 0)):
            for piece in cut(done.first - start, self._size()):
                yield Unit(start + piece.first, piece.count)
            start = done.first + done.count

    @property
    def largest_unit(self) -> int:
        """The most games of a piece."""
        return COMPILED_UNIT if self.in_threads else self._slow_unit

    def _size(self) -> int:
        full = CONTEST_UNIT if self.lineup.to else COMPILED_UNIT
        if not self.noted:
            full = max(full, -(-self.games // MOST_UNITS))
        compiled = min(full, max(SMALLEST_UNIT, -(-self.games // MIN_UNITS)))  # a few games of a slow bot use all processors too
        return self._whole_deals(self.unit_size or (compiled if self.in_threads else self._slow_unit))

    def _whole_deals(self, size: int) -> int:
        group = self.lineup.players if self.lineup.seating == "rotate" else 1
        return -(-size // group) * group  # the rotations of a deal stay together

    def ledger_part(self, parts: int = 1) -> LedgerPart:
        """How it is cut for shares if the run has so many parts: finely, unless games are played side by side.

        Networks that are asked about many games at once may answer otherwise, in the last digit, about fewer.
        """
        size = self._size()
        if self.in_threads or not (self.jit and plays_side_by_side(self.lineup)):
            size = min(size, max(SMALLEST_SLICE, -(-self.games * parts // SLICES)))
        return LedgerPart.of(self.part, self.games, self._whole_deals(size))

    @property
    def _slow_unit(self) -> int:
        return POLICY_UNIT if self.jit and plays_side_by_side(self.lineup) else SLOW_UNIT

    @property
    def in_threads(self) -> bool:
        """Whether compiled code does all the work, so that threads share the processors."""
        return self.jit and self.lineup.is_compiled

    def play_unit(self, unit: Unit) -> Tally | Outcomes:
        """Play one piece here and now."""
        try:
            if self.in_threads:
                return (note_compiled if self.noted else play_compiled)(self.lineup, self.seed, unit)
            if self.jit and plays_side_by_side(self.lineup):
                return (note_side_by_side if self.noted else play_side_by_side)(self.lineup, self.seed, unit)
            return (note_in_turn if self.noted else play_in_turn)(self.lineup, self.seed, unit, self.jit)
        except BotFault as fault:
            raise located(fault, self.lineup) from fault.__cause__

    def work(self) -> BatchWork:
        """Its units as work that can travel, if all its bots can."""
        return BatchWork(self.lineup, self.seed, self.jit, self.noted)

    def prepare(self) -> None:
        """Compile, or load, all that is needed before workers start, and let Python bots load what they need."""
        for entrant in self.lineup.entrants:
            if isinstance(entrant.bot, ObjectBot):
                entrant.bot.prepare()
        if self.in_threads:
            compiled_table(self.lineup)
            compiled_kernel(self.lineup.game, "note_games" if self.noted else "play_games")
        elif self.jit:
            Sitting(self.lineup, self.seed).prepare("note_game" if self.noted else "tally_game")

    def recall(self) -> int:
        """Take over what the ledger has; how many games that are."""
        before = self.done
        if self.ledger:
            for unit, payload in self.ledger.finished(self.part).items():
                if unit.first + unit.count > self.games:
                    raise DamagedUnit(self.part, unit, f"there are {self.games} games")
                self._add(unit, unpack(self.lineup, self.part, unit, payload) if self.noted else self._tally_of(unit, payload))
                self._finished.add(unit)
        return self.done - before

    def _tally_of(self, unit: Unit, payload: bytes) -> Tally:
        if len(payload) != self.tally.nbytes:
            raise DamagedUnit(self.part, unit, f"{len(payload)} bytes instead of {self.tally.nbytes}")
        return np.frombuffer(payload, dtype=np.int64)

    def run(self, workers: Workers, progress: Progress | None = None) -> None:
        """Play everything that is left. Interrupted, what was finished stays."""
        recalled = self.recall()
        if progress and recalled:
            progress(recalled)
        if next(self.units(), None) is None:
            return
        self.prepare()
        for unit, found in workers.results(self):
            if self.ledger:
                self.ledger.keep(self.part, unit, found.tobytes())
            self._add(unit, found)
            if progress:
                progress(unit.count)

    def _add(self, unit: Unit, found: Tally | Outcomes) -> None:
        if self.noted:
            self._noted[unit.first] = found
        else:
            self.tally += found
        self.done += unit.count

    def outcomes(self) -> Outcomes:
        """Every game noted so far, in order; after an interruption some may be missing in between."""
        parts = [self._noted[first] for first in sorted(self._noted)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=layout_for(self.lineup))


class Workers:
    """The threads or processes of a run, or the cluster that it has joined, kept from one batch to the next."""

    def __init__(self, threads: int | None = None) -> None:
        self.cluster = current_cluster()
        self.count = self.cluster.workers if self.cluster else worker_count(threads)
        self._threads: ThreadPoolExecutor | None = None
        self._processes: ProcessPool | None = None

    def results(self, batch: Batch) -> Iterator[tuple[Unit, Tally | Outcomes]]:
        """What a batch's units bring, as they are done."""
        check_repeatable(batch.lineup, batch.seed, batch.games, batch.jit)
        if self.cluster:
            yield from run_units(self.cluster, batch.work(), batch.units(), self.count)
        elif batch.in_threads:
            yield from run_units(self._thread_pool(), batch.play_unit, batch.units(), self.count)
        elif self.count == 1 or batch.games <= FEW_GAMES or (job := packed_work(batch)) is None:
            for unit in batch.units():
                yield unit, batch.play_unit(unit)
        else:
            yield from self._process_pool().run(job, batch.units())

    def _thread_pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="kibitz")
        return self._threads

    def _process_pool(self) -> ProcessPool:
        if self._processes is None:
            self._processes = ProcessPool(self.count)
        return self._processes

    def close(self) -> None:
        """End the workers; units that have not begun are dropped."""
        if self.cluster is not None:
            self.cluster.drop_waiting()
        if self._threads is not None:
            self._threads.shutdown(wait=not stopping.is_stopped() or watchdog.settle(), cancel_futures=True)
        if self._processes is not None:
            self._processes.close()


@contextmanager
def open_workers(threads: int | None = None) -> Iterator[Workers]:
    """Workers for as long as a block lasts. An interruption stops what they are playing."""
    workers = Workers(threads)
    try:
        with watchdog.listening():
            yield workers
    except BaseException as error:
        if not isinstance(error, DecisionTimeout) and KeyboardInterrupt in map(type, (error, error.__context__)):
            watchdog.interrupt()
        raise
    finally:
        workers.close()
        watchdog.rest()


# -- batches that travel to another process --


@dataclass(eq=False)
class BatchWork:
    """The units of a batch as work for any process: it makes the batch again there."""

    lineup: Lineup
    seed: int
    jit: bool
    noted: bool

    def __call__(self, unit: Unit) -> Tally | Outcomes:
        """Play a unit in whatever process this is."""
        return self._batch.play_unit(unit)

    @cached_property
    def _batch(self) -> Batch:
        made = Batch(self.lineup, 1, self.seed, self.jit, noted=self.noted)
        made.prepare()
        return made

    def __reduce__(self) -> Any:
        return type(self), (self.lineup, self.seed, self.jit, self.noted)


def packed_work(batch: Batch) -> PackedWork | None:
    """The units of a batch as work that was packed once for all, or None if one of its bots exists only in this process."""
    try:
        packed = pickle.dumps(batch.work())
        pickle.loads(packed)
    except Exception:  # whatever a user's class does when it is pickled: then it stays here
        return None
    return PackedWork(packed)


@dataclass(frozen=True)
class PackedWork:
    """Work as bytes, unpacked once per process."""

    packed: bytes

    def __call__(self, unit: Unit) -> Tally | Outcomes:
        """Do a unit of it."""
        return _unpacked(self.packed)(unit)


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> BatchWork:
    work: BatchWork = pickle.loads(packed)
    return work
