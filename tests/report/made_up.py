"""Results that nobody played, for pages, plots and tables to show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kibitz.experiments.tournament.standings import GameMean, Interval, Standing, TournamentResult
from kibitz.runs.ledger import FORFEIT, Fault

EIGHT = ("mix2", "mix", "card_ranking", "diversity", "card_counting", "score", "greedy", "random")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><b>& co",
    "$x_1$ {} %s [bold]red[/bold]",
    "bell\x07 escape\x1b[31m null\x00 turned\u202e lone\udc80 last\uffff",
    "two\nlines\tand a tab",
    "李小龙 🐉",
    "a name so long that no table and no plot could ever hope to show it in one line " * 4,
)


def faults(names: Sequence[str], count: int) -> list[tuple[int, Fault]]:
    """Faults of all kinds; every fifth is a forfeit."""
    kinds = ("illegal", "time", "crash", "garbage", FORFEIT)
    return [
        (
            100 + place,
            Fault(
                game=place,
                bot=names[place % len(names)],
                seat=place % 2,
                kind=kinds[place % 5],
                what=f"did thing {place} <i>wrong</i>",
                position=f"position {place}\nof <two> lines",
                reproduce=f"kibitz check-bot 'python3 bot_{place}.py' --seed {place} && echo \"<done>\"",
            ),
        )
        for place in range(count)
    ]


def tournament(names: Sequence[str] = EIGHT, fault_count: int = 0, rated: bool = True, swiss: bool = False) -> TournamentResult:
    """A round robin of UNO; each player is 20 points of rating better than the next."""
    count = len(names)
    ratings = [20.0 * ((count - 1) / 2 - place) for place in range(count)]
    found = faults(names, fault_count)

    def share(one: int, other: int) -> GameMean | None:
        return None if one == other else GameMean(1 / (1 + 10 ** ((ratings[other] - ratings[one]) / 400)), 0.0049, 10_000)

    games = 10_000 * (count - 1)
    standings = [
        Standing(
            name=name,
            bot=f"python3 bots/{place}.py",
            games=games,
            wins=round(games * (0.5 + ratings[place] / 1000)),
            points_total=round(games * (25 + ratings[place] / 20)),
            win_rate=GameMean(0.5 + ratings[place] / 1000, 0.0012, games),
            points=GameMean(25 + ratings[place] / 20, None if count == 1 else 0.04, games),
            rating=Interval(ratings[place], ratings[place] - 3, ratings[place] + 3) if rated else None,
            match_points=count - place - 0.5 if swiss else None,
            faults=sum(fault.bot == name and fault.kind != FORFEIT for _, fault in found),
            forfeits=sum(fault.bot == name and fault.kind == FORFEIT for _, fault in found),
        )
        for place, name in enumerate(names)
    ]
    return TournamentResult(
        title="A made-up tournament",
        game="uno",
        rules="classic",
        format="swiss" if swiss else "round-robin",
        seed=20261116,
        games=10_000,
        table=2,
        cooperative=False,
        to=None,
        standings=standings,
        matrix=[[share(one, other) for other in range(count)] for one in range(count)],
        progress=[(games * step // 10, [player.points_total * step / 10 for player in standings]) for step in range(11)],
        faults=found,
        games_played=games * count // 2,
        matches=math.comb(count, 2),
        seconds=75.0,
    )


def teams(mixed: bool = False) -> TournamentResult:
    """Hanabi in teams of one bot each, or mixed teams of two."""
    scores = {"cheater": 24.87, "meanimax": 18.02, "piers": 17.31, "iggi": 16.91, "random": 1.32}

    def cell(one: float, other: float) -> GameMean | None:
        return GameMean((one + other) / 2, 0.03, 5000) if mixed or one == other else None

    return TournamentResult(
        title="Teams",
        game="hanabi",
        rules="standard",
        format="mixed" if mixed else "teams",
        seed=7,
        games=5000,
        table=2 if mixed else 3,
        cooperative=True,
        to=None,
        standings=[
            Standing(name, name, 5000, 0, round(5000 * score), GameMean(0.0, 0.0, 5000), GameMean(score, 0.03, 5000))
            for name, score in scores.items()
        ],
        matrix=[[cell(one, other) for other in scores.values()] for one in scores.values()],
        progress=[(5000 * step, [1000.0 * step * score for score in scores.values()]) for step in range(6)],
        games_played=25_000,
        matches=5,
        seconds=3.0,
    )
