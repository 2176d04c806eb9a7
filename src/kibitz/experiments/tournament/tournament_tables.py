"""A tournament on the terminal: standings, who did how against whom, and the faults; narrow terminals lose columns, never names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kibitz import registry
from kibitz.core.printable import printable, shortened
from kibitz.core.sentences import counted
from kibitz.experiments.tournament.standings import GameMean, Interval, Standing, TournamentResult
from kibitz.report.formatting import figure, signed
from kibitz.runs.ledger import FORFEIT, Fault

NAME_WIDTH = 16  # a name keeps at least so many columns, if it has them
MOST_ROWS = 30  # of the pairwise matrix
MOST_FAULTS = 10
FORMAT_NAMES = {  # how a format is told in a sentence
    "round-robin": "a round robin",
    "swiss": "a Swiss tournament",
    "gauntlet": "one against all",
    "free-for-all": "a free-for-all",
    "teams": "teams of one bot each",
    "mixed": "mixed teams",
}
SPACE = 2  # between columns


def rating_text(rating: Interval | None) -> str:
    """A rating as `+123`."""
    return signed(rating.rating) if rating and math.isfinite(rating.rating) else "–"


def interval_text(rating: Interval | None) -> str:
    """The interval of a rating as `+110 to +137`."""
    if rating is None or not (math.isfinite(rating.low) and math.isfinite(rating.high)):
        return "–"
    return f"{signed(rating.low)} to {signed(rating.high)}"


def percentage(found: GameMean, digits: int = 2) -> str:
    """A share in % with its standard error."""
    return figure(100 * found.value, None if found.error is None else 100 * found.error, digits)


def describe(result: TournamentResult) -> str:
    """What was played, in one line."""
    title = registry.game(result.game).title
    of = f"contests to {result.to}" if result.to else "games"
    matches = counted(result.matches, "match", "matches")
    text = (
        f"{title} {printable(result.rules)}, {result.format}, {counted(len(result.standings), 'player')}, tables of {result.table}: "
        f"{matches}, {result.games_played:,} {of}, {'' if result.paired else 'fresh deals, '}seed {result.seed}"
    )
    return text if result.complete else f"{text} · INCOMPLETE: interrupted"


def deals_text(result: TournamentResult) -> str:
    """Which deals were played."""
    if not result.paired:
        return f"fresh ones for each {'contest' if result.to else 'game'}; standard errors are per {'contest' if result.to else 'game'}"
    if result.format == "teams":
        return "the same for every team"
    return "each played from every seat; standard errors are per deal"


class StandingsColumn(NamedTuple):
    """A column of the standings. The higher `spare`, the sooner it is left out where there is no room; 0: never."""

    heading: str
    cells: list[str]
    spare: int = 0

    @property
    def width(self) -> int:
        """What it takes on the terminal, with the space around it."""
        return max(cell_len(self.heading), *(cell_len(cell) for cell in self.cells), 0) + SPACE


def standing_columns(result: TournamentResult) -> list[StandingsColumn]:
    """The columns of the standings after the names: in a cooperative game scores, otherwise points and wins."""
    players = result.standings
    found = [StandingsColumn("games", [f"{player.games:,}" for player in players], 5)]
    if any(player.match_points is not None for player in players):
        found.insert(0, StandingsColumn("matches", [_match_points(player) for player in players], 1))
    if result.cooperative:
        found.append(StandingsColumn("score", [figure(player.points.value, player.points.error, 3) for player in players]))
    else:
        found += [
            StandingsColumn("points", [f"{player.points_total:,}" for player in players], 3),
            StandingsColumn("points a game", [figure(player.points.value, player.points.error) for player in players], 2),
            StandingsColumn("contests won %" if result.to else "wins %", [percentage(player.win_rate) for player in players]),
        ]
    if any(player.rating for player in players):
        found.append(StandingsColumn("rating", [rating_text(player.rating) for player in players], 1))
        found.append(StandingsColumn("95 % interval", [interval_text(player.rating) for player in players], 4))
    if any(player.skill for player in players):
        found.append(
            StandingsColumn("ladder", [f"{player.skill[0]:.1f} ± {player.skill[1]:.1f}" if player.skill else "–" for player in players], 6)
        )
    if any(player.faults for player in players):
        found.append(StandingsColumn("faults", [f"{player.faults:,}" for player in players], 2))
    if any(player.forfeits for player in players):
        found.append(StandingsColumn("forfeits", [f"{player.forfeits:,}" for player in players], 2))
    return found


def _match_points(player: Standing) -> str:
    return "–" if player.match_points is None else f"{player.match_points:g}"


def print_tournament(result: TournamentResult, console: Console, lines: Sequence[tuple[str, str]] = ()) -> None:
    """Standings, matrix and faults, one after the other; then what can be done with the run, as lines to copy and what each does."""
    console.print(Text(printable(result.title), style="bold"))
    print_standings(result, console)
    print_matrix(result, console)
    print_faults(result, console)
    width = max((cell_len(line) for line, _ in lines), default=0)
    for line, does in lines:
        console.print(Text.assemble(f"{line}{' ' * (width - cell_len(line))}", (f"  {does}", "dim")), soft_wrap=True)


def print_standings(result: TournamentResult, console: Console) -> None:
    """The standings as a table; columns that do not fit are left out and named below it."""
    console.print(Text(describe(result)))
    players = result.standings
    columns = standing_columns(result)
    names = [printable(player.name) for player in players]
    name_width = min(NAME_WIDTH, max((cell_len(name) for name in names), default=4))
    room = console.width - len(str(len(players))) - name_width - 3 * SPACE
    kept, lost = fitting(columns, room)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold", min_width=name_width)
    for column in kept:
        table.add_column(column.heading, justify="right", no_wrap=True)
    for place, name in enumerate(names):
        table.add_row(str(place + 1), Text(name), *(column.cells[place] for column in kept))
    console.print(table)
    if lost:
        console.print(f"left out, as there is no room: {', '.join(column.heading for column in lost)}", style="dim")
    for line in never_played(result):
        console.print(Text(line))
    if result.won_by_nobody:
        console.print(f"{result.won_by_nobody:,} of {result.games_played:,} games had no winner", style="dim")
    console.print(f"± is one standard error; {result.seconds:.1f} s", style="dim")
    console.print()


def never_played(result: TournamentResult) -> list[str]:
    """A line for each player that forfeited every game, with the reason of the first time."""
    reasons: dict[str, str] = {}
    for _, fault in result.faults:
        reasons.setdefault(fault.bot, fault.what)
    return [
        f"{printable(player.name)} forfeited all its games: it {shortened(printable(reasons[player.name]), 300)}"
        for player in result.standings
        if player.games and player.forfeits >= player.games
    ]


def fitting(columns: Sequence[StandingsColumn], room: int) -> tuple[list[StandingsColumn], list[StandingsColumn]]:
    """The columns that fit into so much room, and those left out for it."""
    kept, lost = list(columns), []
    while sum(column.width for column in kept) > room and any(column.spare for column in kept):
        worst = max(kept, key=lambda column: column.spare)
        kept.remove(worst)
        lost.append(worst)
    return kept, lost


def print_matrix(result: TournamentResult, console: Console) -> None:
    """Who did how against whom: a row against each column, both in the order of the standings."""
    players = result.standings[:MOST_ROWS]
    scale, digits = (1, 2) if result.cooperative else (100, 1)
    cells = [["" if found is None else f"{scale * found.value:.{digits}f}" for found in row] for row in result.matrix[:MOST_ROWS]]
    if not any(any(row) for row in cells):
        return
    names = [printable(player.name) for player in players]
    name_width = min(NAME_WIDTH, max(cell_len(name) for name in names))
    cell_width = max(len(cell) for row in cells for cell in row)
    room = console.width - len(str(len(players))) - name_width - 3 * SPACE
    shown = max(1, min(len(players), room // (cell_width + SPACE)))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("together with" if result.cooperative else "won in % against", overflow="fold", min_width=name_width)
    for place in range(shown):
        table.add_column(str(place + 1), justify="right", no_wrap=True, min_width=cell_width)
    for place, (name, row) in enumerate(zip(names, cells, strict=True)):
        table.add_row(str(place + 1), Text(name), *row[:shown])
    console.print(table)
    if shown < len(result.standings):
        console.print(f"the first {shown} of {len(result.standings):,} opponents; the others have no room", style="dim")
    console.print()


def fault_counts(result: TournamentResult) -> list[tuple[str, int, str]]:
    """How many faults each player has, and of which kinds, the most first."""
    kinds: dict[str, Counter[str]] = {}
    for _, fault in result.faults:
        if fault.kind != FORFEIT:
            kinds.setdefault(fault.bot, Counter())[fault.kind] += 1
    order = sorted(kinds, key=lambda bot: (-kinds[bot].total(), bot))
    return [(bot, kinds[bot].total(), ", ".join(f"{kind} {count:,}" for kind, count in kinds[bot].most_common())) for bot in order]


def fault_total(result: TournamentResult) -> str:
    """How many faults there were, in words; that a game was forfeited is told apart from what led to it."""
    forfeits = sum(fault.kind == FORFEIT for _, fault in result.faults)
    faults = counted(len(result.faults) - forfeits, "fault")
    return f"{faults} and {counted(forfeits, 'forfeit')}" if forfeits else faults


def one_of_each(result: TournamentResult) -> list[tuple[int, Fault]]:
    """The first fault of each kind of each player; that a game was forfeited is not one."""
    first: dict[tuple[str, str], tuple[int, Fault]] = {}
    for index, fault in result.faults:
        if fault.kind != FORFEIT:
            first.setdefault((fault.bot, fault.kind), (index, fault))
    return list(first.values())


def print_faults(result: TournamentResult, console: Console, most: int = MOST_FAULTS) -> None:
    """The faults: how many of each kind, and the first ones with the line that reproduces each, unbroken for copying."""
    if not result.faults:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("faults", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold", min_width=8)
    table.add_column("kinds", overflow="fold", min_width=8)
    players = fault_counts(result)
    for bot, count, kinds in players[:MOST_ROWS]:
        table.add_row(f"{count:,}", Text(printable(bot)), Text(printable(kinds)))
    console.print(table)
    if len(players) > MOST_ROWS:
        console.print(f"the {MOST_ROWS} of {len(players):,} players with the most faults", style="dim")
    examples = one_of_each(result)
    for index, fault in examples[:most]:
        place = f"seat {fault.seat}" if fault.seat >= 0 else "before it"
        console.print(Text(f"game {index}, {place}: {printable(fault.bot)} {shortened(printable(fault.what), 300)}"))
        if fault.reproduce:
            console.print(Text(f"  {printable(fault.reproduce)}", style="dim"), soft_wrap=True)
    shown = min(len(examples), most)
    if len(result.faults) > shown:
        console.print(f"{shown} of {fault_total(result)}, one of each kind", style="dim")
    console.print()
