"""The tables of a page as HTML: standings, who did how against whom, faults, and the figures of other runs.

Names and faults were written by other people: every text goes through `escaped`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kibitz.core.printable import printable, shortened
from kibitz.experiments.results import Result
from kibitz.experiments.tournament.results import Figure, Standing, TournamentResult
from kibitz.report.tables import figure
from kibitz.report.tournament_plots import MOST_IN_HEAT_MAP
from kibitz.report.tournament_tables import fault_counts, fault_total, interval_text, rating_text
from kibitz.report.transcript import counted
from kibitz.runs.ledger import FORFEIT, Fault
from kibitz.stats.summary import ContestRow, CooperativeRow

MOST_FAULTS = 200
MOST_GROUPS = 50
MOST_TEXT = 1000  # signs of what a bot did; the line to reproduce it is never cut


def escaped(text: str, lines: bool = False) -> str:
    """A text as it may stand in HTML, whoever wrote it."""
    return escape(printable(text, lines=lines), quote=True)


def counted_things(to: str | None) -> str:
    """What was counted: games, or contests to so many points."""
    return "contests" if to else "games"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> str:
    """A table that scrolls in its own box. Headings and cells come as HTML: `<th…` and `<td…` elements."""
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll standing" role="region" tabindex="0" aria-label="{escaped(label)}"><table>\n<thead><tr>{"".join(headings)}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


def heading(text: str, kind: str = "number") -> str:
    """A column's heading."""
    return f'<th scope="col" class="{kind}">{escaped(text)}</th>'


def named(name: str) -> str:
    """A row's player or bot."""
    return f'<th scope="row" class="name"><bdi>{escaped(name)}</bdi></th>'


def _cell(text: str) -> str:
    return f"<td>{escaped(text)}</td>"


def _measured(value: float, error: float | None, digits: int = 2) -> str:
    known, _, uncertain = figure(value, error, digits).partition(" ± ")
    return f"<td>{known} <small>± {uncertain}</small></td>"


def _rate(found: Figure, digits: int = 2) -> str:
    return _measured(100 * found.value, None if found.error is None else 100 * found.error, digits)


def _count(number: int) -> str:
    return f'<td class="{"some" if number else "zero"}">{number:,}</td>'


def standings_table(result: TournamentResult) -> str:
    """Everybody's figures, the best first."""
    players = result.standings
    swiss = any(player.match_points is not None for player in players)
    rated = any(player.rating for player in players)
    ladder = any(player.skill for player in players)
    headings = [heading("", "place"), heading("player", "name")]
    headings += [heading("matches won")] * swiss + [heading("games")]
    scored = ["score"] if result.cooperative else ["points", "points a game", "won", f"{counted_things(result.to)} won %"]
    headings += [heading(text) for text in scored]
    headings += [heading("rating"), heading("95 % interval")] * rated + [heading("ladder")] * ladder
    headings += [heading("faults"), heading("forfeits")]
    rows = [_standing(place, player, result, swiss, rated, ladder) for place, player in enumerate(players, 1)]
    note = "± is one standard error."
    note += " The rating is on the Elo scale, the field's mean being 0." * rated
    note += " Ladder: skill and uncertainty as the games went on." * ladder
    note += " A lost game scores 0." * result.cooperative
    return f'{table(headings, rows, "Standings")}<p class="note">{note}</p>\n'


def _standing(place: int, player: Standing, result: TournamentResult, swiss: bool, rated: bool, ladder: bool) -> list[str]:
    cells = [f'<td class="place">{place}</td>', named(player.name)]
    if swiss:
        cells.append(_cell("–" if player.match_points is None else f"{player.match_points:g}"))
    cells.append(_cell(f"{player.games:,}"))
    if result.cooperative:
        cells.append(_measured(player.points.value, player.points.error, 3))
    else:
        points = _measured(player.points.value, player.points.error)
        cells += [_cell(f"{player.points_total:,}"), points, _cell(f"{player.wins:,}"), _rate(player.win_rate)]
    if rated:
        cells += [f"<td><b>{rating_text(player.rating)}</b></td>", f"<td><small>{interval_text(player.rating)}</small></td>"]
    if ladder:
        cells.append(_measured(*player.skill, digits=1) if player.skill else _cell("–"))
    return [*cells, _count(player.faults), _count(player.forfeits)]


def matrix_table(result: TournamentResult) -> str:
    """The numbers of the heat map with their standard errors, behind a line that opens."""
    players = result.standings[:MOST_IN_HEAT_MAP]
    headings = [heading("", "place"), heading("player", "name"), *(heading(str(place)) for place in range(1, len(players) + 1))]
    rows = []
    for place, (player, row) in enumerate(zip(players, result.matrix, strict=False), 1):
        cells = [_cell("") if found is None else _pair(found, result.cooperative) for found in row[: len(players)]]
        rows.append([f'<td class="place">{place}</td>', named(player.name), *cells])
    return (
        '<details class="numbers"><summary>The numbers with their standard errors</summary>\n'
        f"{table(headings, rows, 'Who did how against whom')}</details>\n"
    )


def _pair(found: Figure, cooperative: bool) -> str:
    return _measured(found.value, found.error, 2) if cooperative else _rate(found, 2)


def faults_table(result: TournamentResult, run: int | None = None) -> str:
    """How many faults each player has and what forfeits count, then each fault with all that is known of it."""
    faults, groups = result.faults, fault_counts(result)
    if not faults:
        return "<p>None: every bot answered every question in time with a legal action.</p>\n"
    rows = [[named(bot), _cell(f"{count:,}"), f'<td class="name">{_unbroken(kinds)}</td>'] for bot, count, kinds in groups[:MOST_GROUPS]]
    more = f" The {MOST_GROUPS} of {len(groups):,} players with the most are listed first." if len(groups) > MOST_GROUPS else ""
    text = f"<p>{fault_total(result)}, each charged to the bot alone; the tournament went on.{more}</p>\n"
    text += _forfeits(result)
    text += table([heading("player", "name"), heading("faults"), heading("kinds", "name")], rows, "Faults by player")
    shown = faults[:MOST_FAULTS]
    if len(shown) < len(faults):
        text += f'<p class="note">The first {len(shown)} of {len(faults):,}:</p>\n'
    return f'{text}<div class="faults">\n{"".join(_fault(index, fault, run) for index, fault in shown)}</div>\n'


def _unbroken(kinds: str) -> str:
    """Kinds of faults with their numbers, broken into lines only between them."""
    return escaped(kinds).replace(" ", "&nbsp;").replace(",&nbsp;", ", ")


def _forfeits(result: TournamentResult) -> str:
    """How many games were forfeited, and what such a game counts."""
    forfeited = len({index for index, fault in result.faults if fault.kind == FORFEIT})
    if not forfeited:
        return ""
    one = "contest" if result.to else "game"
    if result.cooperative:
        counts = f"A forfeited {one} ends there and counts 0."
    else:
        counts = f"A forfeited {one} counts as lost for whoever forfeited it. " + (
            "Their points in it count as 0. " if result.to else "The last player left wins what the others hold. "
        )
        counts += f"Where more players are left, a substitute plays on in that seat, and a win of it counts for nobody. In all, {result.won_by_nobody:,} of {result.games_played:,} {one}s had no winner."
    return f"<p>{counted(forfeited, one)} {'was' if forfeited == 1 else 'were'} forfeited. {counts}</p>\n"


def _fault(index: int, fault: Fault, run: int | None) -> str:
    what = escaped(shortened(fault.what, MOST_TEXT))
    where = f"seat {fault.seat}" if fault.seat >= 0 else "before it began"
    line = f"<summary><b><bdi>{escaped(fault.bot)}</bdi></b> {what} <span>· game {index:,}, {where}, {escaped(fault.kind)}</span></summary>"
    listed = f"<dt>to see the game</dt><dd><pre>kibitz replay {run} {index}</pre></dd>" if run is not None else ""
    if fault.position:
        listed += f"<dt>position</dt><dd><pre>{escaped(fault.position, lines=True)}</pre></dd>"
    if fault.reproduce:
        listed += f"<dt>to reproduce it</dt><dd><pre>{escaped(fault.reproduce, lines=True)}</pre></dd>"
    return f"<details>{line}<dl>{listed}</dl></details>\n" if listed else f"<details>{line}</details>\n"


def figures_table(result: Result) -> str:
    """The rows of an evaluation or a match."""
    rows = result.rows
    if any(isinstance(row, CooperativeRow) for row in rows):
        names = ["score", "points kept", "perfect %", "lost %", "turns"]
        cells = [
            [
                _measured(row.score, row.score_se, 3),
                _measured(row.score_kept, row.score_kept_se, 3),
                *(_cell(text) for text in (f"{100 * row.perfect:.2f}", f"{100 * row.lost:.2f}", f"{row.turns:.1f}")),
            ]
            for row in rows
        ]
        note = "± is one standard error. Score: a lost game counts 0; points kept: what lay on the table."
    else:
        unfinished = any(row.unfinished for row in rows)
        names = ["contests won %", "points a deal", "turns a deal", "deals a contest"] if result.to else ["won %", "points a game", "turns"]
        cells = [
            [_rate(Figure(row.win_rate, row.win_rate_se, row.games)), _measured(row.points, row.points_se), _cell(f"{row.turns:.1f}")]
            + ([_measured(row.deals, row.deals_se)] if isinstance(row, ContestRow) else [])
            + ([_count(row.unfinished)] if unfinished else [])
            for row in rows
        ]
        names += ["unfinished"] * unfinished
        note = "± is one standard error."
    headings = [heading("bot", "name"), heading("games"), *(heading(name) for name in names)]
    lines = [[named(row.bot), _cell(f"{row.games:,}"), *found] for row, found in zip(rows, cells, strict=True)]
    return f'{table(headings, lines, "Figures")}<p class="note">{note}</p>\n'
