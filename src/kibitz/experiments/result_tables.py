"""Results of evaluations and matches as tables: for the terminal, and as Markdown between two markers of the README."""

from __future__ import annotations

import os
import platform
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kibitz import registry
from kibitz.experiments.results import Result
from kibitz.report.formatting import figure
from kibitz.report.markdown_tables import markdown_table, tables_in
from kibitz.report.published import tolerance
from kibitz.runs.cluster.dispatcher import current_cluster
from kibitz.runs.ledger import Ledger
from kibitz.runs.store import RunLedger, read_run
from kibitz.stats.summary import ContestRow, CooperativeRow, Row

_BARS = " ▁▂▃▄▅▆▇█"


def published(result: Result, bot: str) -> Any:
    """What others found for a bot in the same games, as its game keeps it; None if nobody published it."""
    found = registry.game(result.game).face.load("published")
    return found.published(bot, result.players) if found else None


def has_published(result: Result) -> bool:
    """Whether reference figures stand beside these."""
    return (
        result.command == "evaluate"
        and result.rules == registry.game(result.game).default_rules
        and result.against in (None, "random")
        and result.seating == "random"
        and not result.to
        and any(published(result, row.bot) for row in result.rows)
    )


def describe(result: Result) -> str:
    """What was played, in one line."""
    others = result.players - 1
    if result.command == "evaluate":
        seats = f"each bot v {others} x {result.against}" if others > 1 else f"each bot v {result.against}"
        seats = seats if result.against else "each bot in every seat"
    else:
        seats = "one line-up"
    text = f"{registry.game(result.game).title} {result.rules}, {result.players} players, {seats}: {result.games:,} {result.unit}, {result.seating} seating, seed {result.seed}"
    return text if result.complete else f"{text} · INCOMPLETE: interrupted after {result.games_played:,}"


def print_result(result: Result, console: Console) -> None:
    """A result as a table on the terminal."""
    if any(isinstance(row, CooperativeRow) for row in result.rows):
        _print_cooperative(result, console)
        return
    compare = has_published(result)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("bot")
    beside = ("ref.", "diff") if compare else ()
    figures = ("contests won %", "points a deal", "turns a deal") if result.to else ("wins %", "points", "turns")
    for heading in (figures[0], *beside, figures[1], *beside, figures[2], *(("deals a contest",) if result.to else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    unfinished = any(row.unfinished for row in result.rows)
    if unfinished:
        table.add_column("unfinished", justify="right")
    unfinished_deals = any(isinstance(row, ContestRow) and row.unfinished_deals for row in result.rows)
    if unfinished_deals:
        table.add_column("unfinished deals", justify="right")
    for row in result.rows:
        cells: list[str | Text] = [row.bot, figure(100 * row.win_rate, None if row.win_rate_se is None else 100 * row.win_rate_se)]
        reference = published(result, row.bot) if compare else None
        if compare:
            cells += _against(reference.win_rate, 100 * row.win_rate, 100 * (row.win_rate_se or 0), row) if reference else ["", ""]
        cells.append(figure(row.points, row.points_se))
        if compare:
            cells += _against(reference.points, row.points, row.points_se or 0, row) if reference else ["", ""]
        cells.append(f"{row.turns:.1f}")
        if isinstance(row, ContestRow):
            cells.append(figure(row.deals, row.deals_se))
        if unfinished:
            cells.append(f"{row.unfinished:,}")
        if unfinished_deals and isinstance(row, ContestRow):
            cells.append(f"{row.unfinished_deals:,}")
        table.add_row(*cells)
    console.print(describe(result), style="bold")
    console.print(table)
    console.print(_caption(result, compare), style="dim")
    console.print()


def _print_cooperative(result: Result, console: Console) -> None:
    """Scores both ways, perfect and lost games, and how scores are spread."""
    compare = has_published(result)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("bot")
    for heading in ("score", *(("ref.",) if compare else ()), "points kept", "perfect %", "lost %", "turns"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("scores 0 to 25", no_wrap=True)
    for row in result.rows:
        figures = [
            figure(row.score, row.score_se, 3),
            *((_plain(published(result, row.bot)),) if compare else ()),
            figure(row.score_kept, row.score_kept_se, 3),
            f"{100 * row.perfect:.2f}",
            f"{100 * row.lost:.2f}",
        ]
        table.add_row(row.bot, *figures, f"{row.turns:.1f}", histogram(row.histogram))
    console.print(describe(result), style="bold")
    console.print(table)
    console.print(f"{_caption(result, compare)}; score: a lost game counts 0", style="dim")
    console.print()


def histogram(counts: list[int]) -> str:
    """Counts as a line of bars, the highest as high as the line."""
    most = max(counts) or 1
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] for count in counts)


def _against(reference: float, ours: float, error: float, row: Row) -> list[str | Text]:
    difference = ours - reference
    mark = "" if abs(difference) <= tolerance(error, row.games) else "!"
    return [f"{reference:.1f}", Text.assemble(f"{difference:+.2f}", (mark, "bold red"))]


def _caption(result: Result, compare: bool) -> str:
    speed = f"{result.games_played:,} {result.unit} in {result.seconds:.1f} s, {result.games_per_second:,.0f} a second"
    return f"{speed}; ± is one standard error" + ("; ref. is the published figure" if compare else "")


MADE = "Made by `make figures`."


def markdown(results: list[Result], version: str, day: str, here: bool = True) -> str:
    """Both published tables as Markdown, with all that is needed to make them again; `version` of Kibitz and `day` are those of the games.

    The machine is named if they were all played `here`.
    """
    lines = []
    for result in results:
        others = result.players - 1
        opponents = "Random" if others == 1 else f"{others} Random"
        rows = []
        for row in result.rows:
            reference = published(result, row.bot)
            shown = (f"{reference.win_rate:.1f}", f"{reference.points:.1f}") if reference else ("", "")
            wins = figure(100 * row.win_rate, 100 * (row.win_rate_se or 0), 3)
            rows.append([row.bot, wins, shown[0], figure(row.points, row.points_se, 3), shown[1]])
        table = markdown_table(["bot", "wins %", "published", "points a game", "published"], rows)
        lines += [f"**{result.players} players, each bot against {opponents}**", "", *table, ""]
    seconds = sum(result.seconds for result in results)
    first = results[0]
    lines.append(
        f"{first.games:,} games per row, rules `{first.rules}`, seed {first.seed}, version {version}, "
        f"{seconds / 60:.1f} minutes{f' on {_machine()}' if here else ''}, {day}; ± is one standard error. {MADE}"
    )
    return "\n".join(lines)


def score_table(results: list[Result], before: str) -> str:
    """The scores of teams as Markdown, a row for each bot and a table's figures in two columns.

    Rows that stand there `before` and weren't played again stay, so that slow bots can play fewer games.
    """
    published_by = registry.game(results[0].game).face.load("published")
    rows = {row[0].split("`")[1]: row for table in tables_in(before) for row in table.rows if row[0].startswith("`")}
    rows |= {row.bot: _score_row(row.bot, results, published_by) for result in results for row in result.rows}
    known = [*published_by.FIGURES[published_by.PLAYER_NUMBERS[0]]]
    ordered = sorted(rows, key=lambda bot: known.index(bot) if bot in known else len(known))
    heads = [head for players in published_by.PLAYER_NUMBERS for head in (f"{players} players", "published")]
    return "\n".join(
        [
            *markdown_table(["bot", "games", *heads], [rows[bot] for bot in ordered]),
            "",
            f"Mean score ± one standard error, a lost game counting 0; each bot in every seat; rules `{results[0].rules}`, "
            f"games per cell, seed 1 if no other is named. {MADE}",
        ]
    )


def _score_row(bot: str, results: list[Result], published_by: Any) -> tuple[str, ...]:
    """A row of that table: numbers of players at which the bot can't play have a dash."""
    first, tables = results[0], {result.players: result for result in results}
    name = f"`{bot}`" + (" (sees all hands)" if getattr(registry.entrant(bot, first.game).bot, "sees_everything", False) else "")
    cells = [name, f"{first.games:,}" + (f", seed {first.seed}" if first.seed != 1 else "")]
    for players in published_by.PLAYER_NUMBERS:
        row = next((row for row in tables[players].rows if row.bot == bot), None) if players in tables else None
        cells += [figure(row.score, row.score_se, 3) if row else "–", _plain(published_by.published(bot, players))]
    return tuple(cells)


def _plain(score: float | None) -> str:
    return "" if score is None else str(score)


def played_here(ledger: Ledger | None) -> bool:
    """Whether this machine played all that a ledger has, as far as is known."""
    if current_cluster() is not None:
        return False
    if not isinstance(ledger, RunLedger):
        return True
    run = read_run(ledger.store, ledger.id)
    on_cluster = any(word.partition("=")[0] == "--cluster" for word in run.command.split())
    return run.shares is None and run.host == platform.node() and not on_cluster


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.machine()}, Python {platform.python_version()})"
