"""What a tournament gives back: standings with standard errors, who did how against whom, ratings and faults.

Where deals are paired, the games of one deal, one for each rotation of the seats, belong together: errors are those of means over
deals, which are independent, and not over games, which are not. Where each game has a fresh deal, a deal is one game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from kibitz.experiments.tournament.formats import Members
from kibitz.play.lineup import Lineup
from kibitz.play.outcomes import Outcomes, points_by_entry, wins_by_entry
from kibitz.runs.ledger import FORFEIT, Fault
from kibitz.stats.ratings import CONFIDENCE, ELO, FEW_GROUPS, SAMPLES, Observed, fit, rate


@dataclass(frozen=True)
class GameMean:
    """A mean with its standard error, from so many games."""

    value: float
    error: float | None
    games: int


@dataclass(frozen=True)
class Interval:
    """A rating on the Elo scale, the field's mean being 0, with a 95 % interval."""

    rating: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How one player fared. Win rate and points are those of a game; in a cooperative game there are points alone."""

    name: str
    bot: str  # the bot's name, file or command line, without folders
    games: int
    wins: int
    points_total: int
    win_rate: GameMean
    points: GameMean
    rating: Interval | None = None
    skill: tuple[float, float] | None = None  # of the live ladder: mean and uncertainty
    match_points: float | None = None  # Swiss: matches won, a drawn one counting half
    faults: int = 0
    forfeits: int = 0


@dataclass
class TournamentResult:
    """The figures of a tournament. `complete` is false if it was interrupted."""

    title: str
    game: str
    rules: str
    format: str
    seed: int
    games: int  # asked for in each match
    table: int  # players at a table
    cooperative: bool
    to: str | None
    standings: list[Standing] = field(default_factory=list)  # the best first
    matrix: list[list[GameMean | None]] = field(default_factory=list)  # rows and columns in the order of the standings
    progress: list[tuple[int, list[float]]] = field(default_factory=list)  # games played, total points of each, same order
    faults: list[tuple[int, Fault]] = field(default_factory=list)  # with the index of the game in the whole run
    games_played: int = 0
    matches: int = 0
    seconds: float = 0.0
    complete: bool = True
    won_by_nobody: int = 0  # games without a winner: cut off, stuck, or won by a seat that had forfeited
    paired: bool = True  # each deal was played from every seat, or by every team; else each game had a fresh deal

    def to_dict(self) -> dict[str, Any]:
        """The result as it stands in JSON."""
        from kibitz import __version__, registry

        found = asdict(self)
        found["faults"] = [{"index": index, **asdict(fault)} for index, fault in self.faults]
        results_version = registry.game(self.game).results_version
        return {"command": "tournament", **found, "version": __version__, "results_version": results_version}


Array = np.ndarray[Any, Any]
CHECKPOINTS = 60
LADDER_BLOCK = 500  # deals that move the ladder once


@dataclass(frozen=True)
class PlayedMatch:
    """A match with all games of it that are known, whole deals only; `number` is its place in the tournament."""

    number: int
    round: int
    members: Members
    lineup: Lineup
    outcomes: Outcomes

    @property
    def group(self) -> int:
        """Games of one deal: one for each rotation of the seats if deals are paired, else 1."""
        return self.lineup.players if self.lineup.seating == "rotate" else 1

    def wins(self) -> Array:
        """Wins by deal and line-up entry."""
        return self._by_deal(wins_by_entry(self.lineup, self.outcomes))

    def points(self) -> Array:
        """Points by deal and line-up entry."""
        return self._by_deal(points_by_entry(self.lineup, self.outcomes))

    def _by_deal(self, by_game: Array) -> Array:
        sums: Array = by_game[:: self.group].copy()
        for rotation in range(1, self.group):  # faster than a sum along so short an axis
            sums += by_game[rotation :: self.group]
        return sums

    def share_of(self, by_entry: Array, player: int) -> Array:
        """What a player got by deal; one that sits in several seats is their mean."""
        entries = [entry for entry, member in enumerate(self.members) if member == player]
        mean: Array = by_entry[:, entries].mean(axis=1)
        return mean


def match_points(match: PlayedMatch) -> tuple[float, float]:
    """A match between two: 1 for more wins; with as many, for more points; with as many of these too, a half each."""
    wins = match.wins().sum(axis=0)
    one, other = (wins if wins[0] != wins[1] else match.points().sum(axis=0))[:2]
    return (1.0, 0.0) if one > other else (0.0, 1.0) if one < other else (0.5, 0.5)


class _Mean:
    """A mean over deals of several matches, each match weighing as many games as it has."""

    def __init__(self) -> None:
        self.games = 0
        self.total = 0.0
        self.variance = 0.0  # of the total
        self.is_known = True

    def add(self, by_deal: Array, group: int) -> None:
        """The sums of each deal's `group` games."""
        deals = len(by_deal)
        self.games += deals * group
        self.total += float(by_deal.sum())
        if deals > 1:
            self.variance += deals * float(by_deal.var(ddof=1))
        elif deals:
            self.is_known = False

    def figure(self) -> GameMean:
        """Mean a game with its standard error."""
        if not self.games:
            return GameMean(0.0, None, 0)
        return GameMean(self.total / self.games, float(np.sqrt(self.variance)) / self.games if self.is_known else None, self.games)


def standings_of(
    matches: Sequence[PlayedMatch],
    names: Sequence[str],
    bots: Sequence[str],
    cooperative: bool,
    faults: Sequence[Fault] = (),
    swiss_scores: Sequence[float] | None = None,
) -> list[Standing]:
    """Every player's figures, in the order of the tournament's file."""
    wins = [_Mean() for _ in names]
    points = [_Mean() for _ in names]
    for match in matches:
        if not len(match.outcomes):
            continue
        won, scored = match.wins(), match.points()
        for player in set(match.members):
            wins[player].add(match.share_of(won, player), match.group)
            points[player].add(match.share_of(scored, player), match.group)
    ratings = ratings_of(matches, len(names), cooperative)
    charged = Counter(fault.bot for fault in faults)
    forfeited = Counter(fault.bot for fault in faults if fault.kind == FORFEIT)
    return [
        Standing(
            name=name,
            bot=bots[player],
            games=wins[player].games,
            wins=round(wins[player].total),
            points_total=round(points[player].total),
            win_rate=wins[player].figure(),
            points=points[player].figure(),
            rating=ratings[player] if ratings else None,
            match_points=swiss_scores[player] if swiss_scores else None,
            faults=charged[name] - forfeited[name],
            forfeits=forfeited[name],
        )
        for player, name in enumerate(names)
    ]


def order_of(standings: Sequence[Standing], contests: bool = False) -> list[int]:
    """Who stands where, the best first: by Swiss points, then by points a game, of contests by those won; then by fewer faults."""

    def rank(player: int) -> tuple[float, ...]:
        found = standings[player]
        figures = (found.match_points or 0.0, found.win_rate.value if contests else found.points.value, -found.faults - found.forfeits)
        return (*(-float(value) for value in figures), player)

    return sorted(range(len(standings)), key=rank)


def ratings_of(matches: Sequence[PlayedMatch], players: int, cooperative: bool) -> list[Interval] | None:
    """Strengths fitted to all results (Plackett-Luce; between two, Bradley-Terry), with bootstrap intervals.

    Teams have no opponents: which of two scored more on the same deal, or in the same game of their fresh deals, is what is fitted.
    Mixed teams have no such ratings.
    """
    if players < 2:
        return None
    if cooperative:
        return _team_ratings(matches, players)
    observed = [_observed(match) for match in matches if len(match.outcomes)]
    if not observed:
        return None
    return [Interval(float(found.rating), float(found.low), float(found.high)) for found in rate(observed, players)]


def _observed(match: PlayedMatch) -> Observed:
    """How often each pattern of wins came: as one number for each deal they are counted fastest."""
    wins = match.wins()
    codes = wins @ (match.group + 1) ** np.arange(match.lineup.players)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return Observed(match.members, wins[first], counts)


def _team_ratings(matches: Sequence[PlayedMatch], players: int) -> list[Interval] | None:
    """Ratings of teams of one bot each. A deal is drawn with the scores of all teams on it, since all pairs of a team share these."""
    teams = [match for match in matches if len(set(match.members)) == 1 and len(match.outcomes)]
    if len(teams) < len(matches) or len(teams) < 2:
        return None
    deals = min(len(match.outcomes) for match in teams)
    if deals < FEW_GROUPS:  # so few do not show how they vary
        return None
    scores = np.stack([match.points()[:deals, 0] for match in teams])
    pairs = list(combinations(range(len(teams)), 2))
    better = np.stack([np.sign(scores[one] - scores[other]) for one, other in pairs]).astype(np.float32)

    def fitted(drawn: Array) -> Array:
        """Strengths in Elo, if each deal had come so many times: a win counts 2, and a tie 1 for both."""
        ahead = np.rint(better @ drawn.astype(np.float32)).astype(np.int64)
        observed = [
            Observed((teams[one].members[0], teams[other].members[0]), np.array([[deals + lead, deals - lead]]), np.ones(1, dtype=np.int64))
            for (one, other), lead in zip(pairs, ahead, strict=True)
        ]
        strengths: Array = ELO * fit(observed, players)
        return strengths

    random = np.random.default_rng(1)
    ratings = fitted(np.ones(deals))
    drawings = [fitted(random.multinomial(deals, np.full(deals, 1 / deals))) for _ in range(SAMPLES)]
    low, high = np.quantile(drawings, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], axis=0)
    return [Interval(float(ratings[player]), float(low[player]), float(high[player])) for player in range(players)]


def matrix_of(matches: Sequence[PlayedMatch], order: Sequence[int], cooperative: bool) -> list[list[GameMean | None]]:
    """Row against column: of the games that one of the two won at a common table, the share the row won.

    In a cooperative game: the mean score of teams in which both sat.
    """
    players = len(order)
    place = {player: rank for rank, player in enumerate(order)}
    cells: dict[tuple[int, int], _Ratio] = {}
    for match in matches:
        if not len(match.outcomes):
            continue
        won, scored = match.wins(), match.points()
        members = sorted(set(match.members))
        pairs = [(one, other) for one in members for other in members if one != other] or [(members[0], members[0])]
        for one, other in pairs:
            if cooperative:
                cells.setdefault((one, other), _Ratio()).add(scored[:, 0], np.full(len(scored), match.group), match.group)
            elif one != other:
                mine, theirs = match.share_of(won, one), match.share_of(won, other)
                cells.setdefault((one, other), _Ratio()).add(mine, mine + theirs, match.group)
    matrix: list[list[GameMean | None]] = [[None] * players for _ in order]
    for (one, other), found in cells.items():
        matrix[place[one]][place[other]] = found.figure()
    return matrix


class _Ratio:
    """The ratio of two sums over deals, of which only sums and their products are kept."""

    def __init__(self) -> None:
        self.games = 0
        self.deals = 0
        self.over = self.under = 0.0
        self.products = np.zeros(3)  # over x over, over x under, under x under

    def add(self, over: Array, under: Array, group: int) -> None:
        """What each deal of `group` games adds above and below the line."""
        self.games += len(over) * group
        self.deals += len(over)
        over, under = over.astype(float), under.astype(float)
        self.over += float(over.sum())
        self.under += float(under.sum())
        self.products += [float((one * other).sum()) for one, other in ((over, over), (over, under), (under, under))]

    def figure(self) -> GameMean | None:
        """The ratio with its standard error, None if nothing is below the line."""
        if self.under == 0:
            return None
        ratio = self.over / self.under
        error = None
        if self.deals > 1:
            spread = max(0.0, float(self.products @ (1.0, -2.0 * ratio, ratio * ratio)))
            error = float(np.sqrt(self.deals / (self.deals - 1) * spread)) / self.under
        return GameMean(ratio, error, self.games)


def progress_of(matches: Sequence[PlayedMatch], order: Sequence[int], rounds: int) -> list[tuple[int, list[float]]]:
    """Total points as the games went by: round after round, all matches of a round side by side."""
    steps = max(1, CHECKPOINTS // max(rounds, 1))
    totals = np.zeros(len(order))
    games = 0
    found = [(0, [0.0] * len(order))]
    for number in range(rounds):
        playing = [match for match in matches if match.round == number and len(match.outcomes)]
        gained, done = np.zeros((steps, len(order))), np.zeros(steps, dtype=np.int64)
        for match in playing:
            running = match.points().cumsum(axis=0)
            deals = len(running) * np.arange(1, steps + 1) // steps
            done += deals * match.group
            reached = np.where(deals[:, None] > 0, running[np.maximum(deals, 1) - 1], 0)
            for player in set(match.members):
                gained[:, player] += match.share_of(reached, player)
        if playing:
            found += [
                (games + int(done[step]), [float(totals[player] + gained[step, player]) for player in order]) for step in range(steps)
            ]
            totals += gained[-1]
            games += int(done[-1])
    return found


def skills_of(matches: Sequence[PlayedMatch], players: int) -> list[tuple[float, float]]:
    """The skills of the live ladder, mean and uncertainty, as if the games had come in order: round after round, block by block."""
    from kibitz.stats.ladder import Ladder

    ladder = Ladder(players)
    for number in range(max((match.round for match in matches), default=-1) + 1):
        playing = [(match, _blocks(match.wins())) for match in matches if match.round == number and len(match.outcomes)]
        for place in range(max((len(blocks) for _, blocks in playing), default=0)):
            for match, blocks in playing:
                if len(blocks) > place:
                    ladder.update(match.members, [int(won) for won in blocks[place]])
    found = {rung.player: (rung.mu, rung.sigma) for rung in ladder.table()}
    return [found[player] for player in range(players)]


def _blocks(wins: Array) -> Array:
    """Wins by block of deals and line-up entry."""
    sums: Array = np.add.reduceat(wins, np.arange(0, len(wins), LADDER_BLOCK), axis=0)
    return sums
