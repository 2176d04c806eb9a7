"""Games of a run in the store: which line-ups it played, from which seeds, and any one of its games again.

A run has parts: a row of an evaluation, a line-up of a comparison, a match of a tournament. Bots of ours and bots in files play the
same games again from the seed, so the store need not keep every move; games with outside bots are kept as records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from kibitz.arena.batch import open_workers
from kibitz.arena.comparison import kept_outcomes, question_from
from kibitz.arena.deal import Table, draw_seats
from kibitz.arena.game import PlayedContest, PlayedGame, deals_of
from kibitz.arena.lineup import SEATINGS, Lineup
from kibitz.arena.outcomes import Outcomes
from kibitz.arena.plan import check_files, plans_of
from kibitz.arena.record import Record, replay
from kibitz.arena.tournament.config import Tournament
from kibitz.arena.tournament.play import Match, Play
from kibitz.errors import BadValue
from kibitz.records import blank
from kibitz.runner.ledger import KeptGame
from kibitz.store.database import Store
from kibitz.store.runs import Run, RunLedger, results_version, understood


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


def check_resumable(run: Run) -> None:
    """Refuse a run that would not end in the figures it was begun for."""
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
    if run.config.get("files"):
        with understood(run):
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


def deals_of_part(part: Part, game: int, contest: PlayedContest | None = None) -> Iterator[PlayedGame]:
    """The deals of a game: from its records, or played again under the names of the part."""
    if part.kept:
        texts = [kept.text for kept in part.kept if kept.game == game]
        if not texts:
            raise BadValue(f"game {game} of part {part.number} was not kept.")
        for text in texts:
            yield replay(Record.from_text(text))
        return
    seats = seating_of(part)(game)
    for played in deals_of(PlayedContest(part.lineup.to or "") if contest is None else contest, part.lineup, part.seed, game):
        played.seats = [part.names[entry] for entry in seats]
        yield played


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
def parts_of(store: Store, run: Run) -> Iterator[list[Part]]:
    """What a run played, with its bots as they were, for as long as a block lasts."""
    kinds = {"evaluate": _parts_of_plans, "match": _parts_of_plans, "compare": _parts_of_comparison, "tournament": _parts_of_tournament}
    if run.kind not in kinds:
        raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no games to show; {', '.join(kinds)} have.")
    check_resumable(run)
    with chdir(run.config["folder"]) if run.config.get("files") else nullcontext():
        with understood(run):
            parts = kinds[run.kind](store, run)
        yield parts


def _parts_of_plans(store: Store, run: Run) -> list[Part]:
    """An evaluation or a match keeps sums alone: its games are played again."""
    parts: list[Part] = []
    for plan in plans_of(run.config):
        for batch in plan.batches(noted=True):
            names = [entrant.name for entrant in batch.lineup.entrants]
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


def _parts_of_comparison(store: Store, run: Run) -> list[Part]:
    """A comparison keeps every game of its line-ups."""
    question = question_from(run.config)
    parts = []
    for number, lineup in enumerate(question.sides.lineups):
        outcomes = kept_outcomes(question, RunLedger(store, run), number)
        names = [entrant.name for entrant in lineup.entrants]
        parts.append(Part(number, lineup, question.sides.seed, len(outcomes), names, _at_once(outcomes), question.jit))
    return parts


def _parts_of_tournament(store: Store, run: Run) -> list[Part]:
    """A tournament keeps how every game ended, and those with outside bots move by move."""
    ledger = RunLedger(store, run)
    tournament = Tournament.from_dict(run.config)
    play = Play(tournament, ledger)
    play.recall()
    parts = []
    for played in play.played:
        match = Match(played.number, played.round, played.members)
        names = [tournament.players[player].name for player in played.members]
        kept = ledger.games(played.number) if play.has_outside(match) else ()
        games = tournament.games
        parts.append(Part(played.number, played.lineup, play.seed_of(match), games, names, _at_once(played.outcomes), kept=kept))
    return parts


def _at_once(outcomes: Outcomes) -> Callable[[], Iterator[tuple[int, Outcomes]]]:
    return lambda: iter([(0, outcomes)])
