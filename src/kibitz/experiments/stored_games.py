"""Games of a run in the store: which line-ups it played, from which seeds, and any one of its games again.

A run has parts: a row of an evaluation, a line-up of a comparison, a match of a tournament. Bots of ours and bots in files play the
same games again from the seed, so the store need not keep every move; games with outside bots are kept as records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank
from kibitz.core.public import public, public_names
from kibitz.experiments.batch import open_workers
from kibitz.experiments.comparison import kept_outcomes, question_from
from kibitz.experiments.plan import check_files, plans_of
from kibitz.experiments.tournament.config import FILE, TRUSTED, Tournament
from kibitz.experiments.tournament.config import check_files as check_tournament_files
from kibitz.experiments.tournament.play import Match, Play
from kibitz.outside.kept_games import add_deal, with_faults
from kibitz.play.game import PlayedContest, PlayedGame, deals_of
from kibitz.play.lineup import SEATINGS, Lineup
from kibitz.play.loop import Table, draw_seats
from kibitz.play.outcomes import Outcomes
from kibitz.play.record import Record, replay
from kibitz.play.record_faults import RecordedFault
from kibitz.runs.database import Store
from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.store import Run, RunLedger, results_version, understood


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


def check_resumable(run: Run, kinds: Sequence[str] = (FILE, TRUSTED)) -> None:
    """Refuse a run that would not end in the figures it was begun for, before any bot is loaded.

    `kinds` are the kinds of players whose files will be needed; without any, no file is looked at.
    """
    with understood(run):
        _check_config(run)
        now = results_version(run.config)
    if run.results_version != now:
        raise BadValue(
            f"run {run.id} was begun with version {run.results_version} of the results of {run.config.get('game')}, and this kibitz has "
            f"version {now}, so equal seeds may give other games; resume it with kibitz {run.version}, or start again: {run.command}"
        )
    if run.config.get("jit") and os.environ.get("KIBITZ_JIT") == "0":
        raise BadValue(f"run {run.id} was begun compiled, but KIBITZ_JIT is 0; unset it to resume the run.")
    with understood(run):
        if run.kind == "tournament":
            check_tournament_files(Tournament.from_dict(run.config), kinds)
        elif kinds:
            check_files(run.config)


def _check_config(run: Run) -> None:
    """Read a config as far as that can be done without its bots."""
    if run.kind in ("evaluate", "match"):
        plans_of(run.config, absent=True)
    elif run.kind == "compare":
        question_from(run.config, absent=True)
    elif run.kind == "tournament":
        Tournament.from_dict(run.config)


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
    table = blank(Table)
    table.players, table.arrangement = part.lineup.players, SEATINGS[part.lineup.seating]

    def seats_of(index: int) -> list[int]:
        table.index = index
        draw_seats(table, part.seed)
        return list(table.seating[: part.lineup.players])

    return seats_of


# -- the parts of each kind of run --


@contextmanager
def parts_of(store: Store, run: Run, absent: bool = False) -> Iterator[list[Part]]:
    """What a run played, with its bots as they were, for as long as a block lasts.

    With `absent`, no bot is loaded where the store has every outcome (comparisons and tournaments): their games can't be played again.
    """
    kinds: dict[str, Callable[[Store, Run, bool], list[Part]]] = {
        "evaluate": _parts_of_plans,
        "match": _parts_of_plans,
        "compare": _parts_of_comparison,
        "tournament": _parts_of_tournament,
    }
    if run.kind not in kinds:
        raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no games to show; {', '.join(kinds)} have.")
    absent = absent and kinds[run.kind] is not _parts_of_plans
    check_resumable(run, () if absent else (TRUSTED,))  # games with outside bots are kept as records
    with chdir(run.config["folder"]) if run.config.get("files") and not absent else nullcontext():
        with understood(run):
            parts = kinds[run.kind](store, run, absent)
        yield parts


def _parts_of_plans(store: Store, run: Run, absent: bool) -> list[Part]:
    """An evaluation or a match keeps only sums: its games are played again."""
    parts: list[Part] = []
    for plan in plans_of(run.config):
        for batch in plan.batches(noted=True):
            names = _names_of(batch.lineup)
            parts.append(Part(len(parts), batch.lineup, plan.seed, plan.games, names, lambda batch=batch: _in_order(batch), plan.jit))  # type: ignore[misc]  # bound here
    return parts


def _in_order(batch: Any) -> Iterator[tuple[int, Outcomes]]:
    """The games of a batch in order; units that are done too early wait."""
    waiting: dict[int, Any] = {}
    following = 0
    batch.prepare()
    with open_workers() as workers:
        for unit, outcomes in workers.results(batch):
            waiting[unit.first] = outcomes
            while following in waiting:
                found = waiting.pop(following)
                yield following, found
                following += len(found)


def _parts_of_comparison(store: Store, run: Run, absent: bool) -> list[Part]:
    """A comparison keeps every game of its line-ups."""
    question = question_from(run.config, absent)
    parts = []
    for number, lineup in enumerate(question.sides.lineups):
        outcomes = kept_outcomes(question, RunLedger(store, run), number)
        names = _names_of(lineup)
        parts.append(Part(number, lineup, question.sides.seed, len(outcomes), names, _at_once(outcomes), question.jit))
    return parts


def _parts_of_tournament(store: Store, run: Run, absent: bool) -> list[Part]:
    """A tournament keeps how every game ended, and those with outside bots move by move."""
    ledger = RunLedger(store, run)
    tournament = Tournament.from_dict(run.config)
    play = Play(tournament, ledger, absent=absent)
    play.recall()
    parts = []
    for played in play.played:
        match = Match(played.number, played.round, played.members)
        names = public([tournament.players[player].name for player in played.members], run.config)
        outside = play.has_outside(match)
        kept, faults = (ledger.games(played.number), ledger.faults(played.number)) if outside else ((), ())
        games, outcomes = tournament.games, _at_once(played.outcomes)
        parts.append(Part(played.number, played.lineup, play.seed_of(match), games, names, outcomes, kept=kept, faults=faults))
    return parts


def _names_of(lineup: Lineup) -> list[str]:
    """The bots of a line-up as they are shown."""
    shown = public_names(entrant.name for entrant in lineup.entrants)
    return [shown[entrant.name] for entrant in lineup.entrants]


def _at_once(outcomes: Outcomes) -> Callable[[], Iterator[tuple[int, Outcomes]]]:
    return lambda: iter([(0, outcomes)])
