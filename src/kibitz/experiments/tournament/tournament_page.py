"""A tournament as a page: standings, who did how against whom, faults, settings.

Names and faults were written by other people: every text goes through `escaped`.
"""

from __future__ import annotations

from kibitz import registry
from kibitz.core.printable import shortened
from kibitz.core.sentences import counted
from kibitz.experiments.tournament.standings import GameMean, Standing, TournamentResult
from kibitz.experiments.tournament.tournament_plots import MOST_IN_HEAT_MAP, tournament_plots
from kibitz.experiments.tournament.tournament_tables import FORMAT_NAMES, deals_text, fault_counts, fault_total, interval_text, rating_text
from kibitz.report.html_page import (
    PageSettings,
    cell,
    count,
    counted_things,
    drawn,
    duration,
    escaped,
    heading,
    listed,
    measured,
    named,
    page,
    rate,
    section,
    table,
    warning_of,
)
from kibitz.runs.ledger import FORFEIT, Fault

MOST_FAULTS = 200
MOST_GROUPS = 50
MOST_TEXT = 1000  # signs of what a bot did; the line to reproduce it is never cut


def tournament_page(result: TournamentResult, settings: PageSettings) -> str:
    """The page of a tournament."""
    return page(
        result.title,
        "Tournament",
        _tournament_lead(result),
        warning_of(result.complete, result.games_played, result.to),
        _tournament_facts(result),
        [
            section("Standings", standings_table(result)),
            drawn(tournament_plots(result), {"against": matrix_table(result)}),
            section("Faults", faults_table(result, settings.run)),
            section("Settings", _tournament_settings(result, settings)),
        ],
        settings,
    )


def _tournament_lead(result: TournamentResult) -> str:
    title = registry.game(result.game).title
    length = f"contests to {result.to} points" if result.to else "games"
    matches = counted(result.matches, "match", "matches")
    return (
        f"{title} under the rules {result.rules}: {FORMAT_NAMES.get(result.format, result.format)}, "
        f"{counted(len(result.standings), 'player')}, tables of {result.table}; {matches} of {result.games:,} {length}{' each' * (result.matches != 1)}."
    )


def _tournament_facts(result: TournamentResult) -> list[tuple[str, str]]:
    first = "Best" if result.cooperative else "Winner" if result.complete else "Leader"
    return [
        *([(first, shortened(result.standings[0].name, 60))] if result.standings else []),
        ("Players", f"{len(result.standings):,}"),
        ("Matches", f"{result.matches:,}"),
        (counted_things(result.to).capitalize(), f"{result.games_played:,}"),
        ("Faults", f"{sum(fault.kind != FORFEIT for _, fault in result.faults):,}"),
        ("Time", duration(result.seconds)),
    ]


def _tournament_settings(result: TournamentResult, settings: PageSettings) -> str:
    bots = [[named(player.name), f'<td class="name"><code>{escaped(player.bot)}</code></td>'] for player in result.standings]
    players = table([heading("player", "name"), heading("bot", "name")], bots, "What each player is")
    return f"{listed(_tournament_pairs(result), settings)}<details><summary>What each player is</summary>\n{players}</details>\n"


def _tournament_pairs(result: TournamentResult) -> list[tuple[str, str]]:
    return [
        ("game", registry.game(result.game).title),
        ("rules", result.rules),
        ("format", result.format),
        ("players at a table", str(result.table)),
        (f"{counted_things(result.to)} a match", f"{result.games:,}"),
        *([("contests to", result.to)] if result.to else []),
        ("deals", deals_text(result)),
        ("seed", str(result.seed)),
    ]


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
        cells.append(cell("–" if player.match_points is None else f"{player.match_points:g}"))
    cells.append(cell(f"{player.games:,}"))
    if result.cooperative:
        cells.append(measured(player.points.value, player.points.error, 3))
    else:
        points = measured(player.points.value, player.points.error)
        cells += [cell(f"{player.points_total:,}"), points, cell(f"{player.wins:,}"), rate(player.win_rate.value, player.win_rate.error)]
    if rated:
        cells += [f"<td><b>{rating_text(player.rating)}</b></td>", f"<td><small>{interval_text(player.rating)}</small></td>"]
    if ladder:
        cells.append(measured(*player.skill, digits=1) if player.skill else cell("–"))
    return [*cells, count(player.faults), count(player.forfeits)]


def matrix_table(result: TournamentResult) -> str:
    """The numbers of the heat map with their standard errors, behind a line that opens."""
    players = result.standings[:MOST_IN_HEAT_MAP]
    headings = [heading("", "place"), heading("player", "name"), *(heading(str(place)) for place in range(1, len(players) + 1))]
    rows = []
    for place, (player, row) in enumerate(zip(players, result.matrix, strict=False), 1):
        cells = [cell("") if found is None else _pair(found, result.cooperative) for found in row[: len(players)]]
        rows.append([f'<td class="place">{place}</td>', named(player.name), *cells])
    return (
        '<details class="numbers"><summary>The numbers with their standard errors</summary>\n'
        f"{table(headings, rows, 'Who did how against whom')}</details>\n"
    )


def _pair(found: GameMean, cooperative: bool) -> str:
    return measured(found.value, found.error, 2) if cooperative else rate(found.value, found.error)


def faults_table(result: TournamentResult, run: int | None = None) -> str:
    """How many faults each player has and what forfeits count, then each fault with all that is known of it."""
    faults, groups = result.faults, fault_counts(result)
    if not faults:
        return "<p>None: every bot answered every question in time with a legal action.</p>\n"
    rows = [[named(bot), cell(f"{number:,}"), f'<td class="name">{_unbroken(kinds)}</td>'] for bot, number, kinds in groups[:MOST_GROUPS]]
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
