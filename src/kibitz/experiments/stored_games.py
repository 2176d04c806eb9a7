"""Games of a run in the store: which line-ups it played, from which seeds, and any one of its games again.

A run has parts: a row of an evaluation, a line-up of a comparison, a match of a tournament. Bots of ours and bots in files play the
same games again from the seed, so the store need not keep every move; games with outside bots are kept as records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank
from kibitz.core.public import public_names
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.experiment import check_resumable, check_whole, in_its_folder, kind_of
from kibitz.outside.kept_games import add_deal, with_faults
from kibitz.play.game import PlayedContest, PlayedGame, deals_of
from kibitz.play.lineup import SEATINGS, Lineup
from kibitz.play.loop import BotTable, draw_seats
from kibitz.play.outcomes import Outcomes
from kibitz.play.record import Record, replay
from kibitz.play.record_faults import RecordedFault
from kibitz.runs.database import Store
from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.store import Run, RunLedger, understood


@dataclass(frozen=True)
class Part:
    """Games of one line-up: who plays, from which seed, and how they ended."""

    number: int
    lineup: Lineup
    seed: int
    games: int
    names: list[str]  # of the line-up's entries
    outcomes: Callable[[], Iterator[tuple[int, Outcomes]]]  # stretches of games in order, with the index of the first
    jit: bool = True
    kept: Sequence[KeptGame] = ()  # every deal, if they cannot be played again
    faults: Sequence[Fault] = ()  # of outside bots, in the order of games

    @cached_property
    def kept_by_game(self) -> dict[int, tuple[list[KeptGame], list[Fault]]]:
        """The deals of each game that was kept, and its faults."""
        found: dict[int, tuple[list[KeptGame], list[Fault]]] = {}
        for kept in self.kept:
            found.setdefault(kept.game, ([], []))[0].append(kept)
        for fault in self.faults:
            found.setdefault(fault.game, ([], []))[1].append(fault)
        return found


def game_at(run: Run, parts: Sequence[Part], index: int) -> tuple[Part, int]:
    """The part and place of a game, by its index in the whole run."""
    left = index
    for part in parts:
        if 0 <= left < part.games:
            return part, left
        left -= part.games
    total = sum(part.games for part in parts)
    raise BadValue(f"run {run.id} has no game {index}: its games are counted from 0 to {total - 1}.")


def check_played(store: Store, run: Run, part: Part, game: int) -> None:
    """Refuse a game whose unit is not in the store yet."""
    query = "SELECT 1 FROM units WHERE run = ? AND part = ? AND first <= ? AND first + count > ? LIMIT 1"
    if not store.rows(query, (run.id, part.number, game, game)):
        raise BadValue(f"this game of run {run.id} has not been played yet; {run.done:,} games have.")


def deals_of_part(
    part: Part, game: int, contest: PlayedContest | None = None, watch: Callable[[], None] = lambda: None
) -> Iterator[PlayedGame]:
    """The deals of a game: from its records, or played again under the names of the part.

    When deals are played again, `watch` is called after every action, and what it raises ends the game.
    """
    contest = PlayedContest(part.lineup.to or "") if contest is None else contest
    if part.kept:
        deals = kept_deals(part, game)
        for deal in deals:
            played = replay(deal)
            add_deal(contest, deal, played, deal is deals[-1])
            yield played
        return
    seats = seating_of(part)(game)
    for played in deals_of(contest, part.lineup, part.seed, game, watch):
        played.seats = [part.names[entry] for entry in seats]
        yield played


def deal_of_part(part: Part, game: int, deal: int, watch: Callable[[], None] = lambda: None) -> tuple[PlayedGame, bool]:
    """One deal of a game, and whether the game ends with it. Deals before it are forgotten, and deals after it are not played."""
    if part.kept:
        deals = kept_deals(part, game)
        if deal < len(deals):
            return replay(deals[deal]), deal == len(deals) - 1
        raise _no_deal(deal, len(deals))
    contest = PlayedContest(part.lineup.to or "")
    count = 0
    for played in deals_of_part(part, game, contest, watch):
        if count == deal:
            return played, contest.is_over
        count += 1
        contest.deals.clear()
    raise _no_deal(deal, count)


def kept_deals(part: Part, game: int) -> list[Record]:
    """The records of a game that was kept, with the faults in it."""
    kept, faults = part.kept_by_game.get(game, ([], []))
    if not kept:
        raise BadValue(f"game {game} of part {part.number} was not kept.")
    return with_faults([Record.from_text(deal.text) for deal in kept], faults, part.lineup.to is not None)


def forfeits_of(part: Part, game: int) -> list[RecordedFault]:
    """The faults by which players forfeited a game that was kept."""
    return [fault for fault in kept_deals(part, game)[-1].faults if fault.forfeits]


def _no_deal(deal: int, count: int) -> BadValue:
    return BadValue(f"deal {deal} does not exist: the game has {count}, counted from 0.")


def seating_of(part: Part) -> Callable[[int], list[int]]:
    """Who sits where in each game, by its index."""
    table = blank(BotTable)
    table.players, table.arrangement = part.lineup.players, SEATINGS[part.lineup.seating]

    def seats_of(index: int) -> list[int]:
        table.index = index
        draw_seats(table, part.seed)
        return list(table.seating[: part.lineup.players])

    return seats_of


# -- the parts of a run --


@contextmanager
def parts_of(store: Store, run: Run, absent: bool = False) -> Iterator[list[Part]]:
    """What a run played, with its bots as they were, for as long as a block lasts.

    With `absent`, no bot is loaded where the store has every outcome: such games can't be played again.
    """
    check_whole(run)
    kind = kind_of(run)
    absent = absent and kind.keeps_outcomes
    check_resumable(run, files=not absent, trusted=True)  # games with outside bots are kept as records
    with nullcontext() if absent else in_its_folder(run):
        with understood(run):
            parts = kind.from_config(run.config, absent).going(ledger=RunLedger(store, run)).parts(run)
        yield parts


def outcomes_in_order(batch: Batch) -> Callable[[], Iterator[tuple[int, Outcomes]]]:
    """The games of a batch in order, played when they are asked for; units that are done too early wait."""

    def outcomes() -> Iterator[tuple[int, Outcomes]]:
        waiting: dict[int, Any] = {}
        following = 0
        batch.prepare()
        with open_workers() as workers:
            for unit, found in workers.results(batch):
                waiting[unit.first] = found
                while following in waiting:
                    ready = waiting.pop(following)
                    yield following, ready
                    following += len(ready)

    return outcomes


def at_once(outcomes: Outcomes) -> Callable[[], Iterator[tuple[int, Outcomes]]]:
    """Games that are there."""
    return lambda: iter([(0, outcomes)])


def shown_names(lineup: Lineup) -> list[str]:
    """The bots of a line-up as they are shown."""
    shown = public_names(entrant.name for entrant in lineup.entrants)
    return [shown[entrant.name] for entrant in lineup.entrants]
