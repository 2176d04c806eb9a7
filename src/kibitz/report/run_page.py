"""The figures of a run as the store has them, and the run as one page: for `kibitz report`, `kibitz runs show` and the web table."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.public import public, public_command
from kibitz.experiments.comparison import question_from
from kibitz.experiments.comparison import recalled as recalled_comparison
from kibitz.experiments.plan import recalled
from kibitz.experiments.results import Result
from kibitz.experiments.tournament.config import Tournament
from kibitz.experiments.tournament.play import recalled_tournament
from kibitz.experiments.tournament.results import Figure, Interval, Standing, TournamentResult
from kibitz.experiments.verdict import Comparison
from kibitz.runs.database import Store
from kibitz.runs.ledger import Fault
from kibitz.runs.store import Run, RunLedger, understood

Found = TournamentResult | Comparison | list[Result]

DATED = "%Y-%m-%d %H:%M UTC"


def loaded(store: Store, run: Run) -> Found:
    """The figures of a run as they were, or as far as they are known."""
    with understood(run):
        return _loaded(store, run)


def _loaded(store: Store, run: Run) -> Found:
    if run.kind in ("evaluate", "match"):
        return results_of(store, run)
    if run.kind == "tournament":
        return tournament_from(run.figures) if run.figures is not None else tournament_of(store, run)
    if run.kind == "compare":
        return comparison_of(store, run)
    raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no page; tournament, compare, evaluate and match have one.")


def page_of(run: Run, found: Found) -> str:
    """The page of a run, without the folders of this machine."""
    from kibitz.report.page import PageSettings, comparison_page, result_page, tournament_page  # brings matplotlib

    settings = PageSettings(public_command(run.command), run.version, time.strftime(DATED, time.gmtime(run.started)), run.id)
    with understood(run):
        if isinstance(found, list):
            return result_page(found[0], settings, *found[1:])
        if isinstance(found, Comparison):
            return comparison_page(found, settings)
        return tournament_page(public_tournament(found, run.config, lines=True), settings)


def results_of(store: Store, run: Run) -> list[Result]:
    """The results of an evaluation or a match, put together from its units."""
    results = recalled(run.config, RunLedger(store, run))
    results[0].seconds = run.seconds
    if run.figures is not None:
        for result, figures in zip(results, run.figures.get("tables", [run.figures]), strict=True):
            result.seconds = figures["seconds"]
    return results


def tournament_of(store: Store, run: Run) -> TournamentResult:
    """The figures of a tournament, as far as its games are known."""
    seconds = run.figures["seconds"] if run.figures is not None else run.seconds
    return recalled_tournament(Tournament.from_dict(run.config), RunLedger(store, run), seconds)


def public_tournament(result: TournamentResult, config: Mapping[str, Any], lines: bool = False) -> TournamentResult:
    """A tournament's result without folders, with `lines` not even in the lines that reproduce faults."""
    told = [(player.name, player.bot) for player in result.standings]
    said = [(fault.bot, fault.what, fault.reproduce) for _, fault in result.faults]
    told, said = public((told, said), config)
    standings = [replace(player, name=name, bot=bot) for player, (name, bot) in zip(result.standings, told, strict=True)]
    faults = [
        (index, replace(fault, bot=bot, what=what, reproduce=line if lines else fault.reproduce))
        for (index, fault), (bot, what, line) in zip(result.faults, said, strict=True)
    ]
    return replace(result, standings=standings, faults=faults)


def comparison_of(store: Store, run: Run) -> Comparison:
    """What a comparison has found, as far as its games are known, without playing or loading a bot."""
    result = recalled_comparison(question_from(run.config, absent=True), RunLedger(store, run))
    result.seconds = run.figures["seconds"] if run.figures is not None else run.seconds
    return result


def tournament_from(kept: dict[str, Any]) -> TournamentResult:
    """A tournament's result from its JSON."""
    standings = [
        Standing(
            **{
                **player,
                "win_rate": Figure(**player["win_rate"]),
                "points": Figure(**player["points"]),
                "rating": Interval(**player["rating"]) if player["rating"] else None,
                "skill": tuple(player["skill"]) if player["skill"] else None,
            }
        )
        for player in kept["standings"]
    ]
    known = {item.name: kept[item.name] for item in fields(TournamentResult) if item.name in kept}  # older ones lack what came later
    return TournamentResult(
        **{
            **known,
            "standings": standings,
            "matrix": [[None if cell is None else Figure(**cell) for cell in row] for row in kept["matrix"]],
            "progress": [(games, list(points)) for games, points in kept["progress"]],
            "faults": [
                (fault["index"], Fault(**{name: value for name, value in fault.items() if name != "index"})) for fault in kept["faults"]
            ],
        }
    )
