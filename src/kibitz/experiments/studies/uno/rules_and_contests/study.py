"""The studies of rules and of contests: what they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from kibitz.core.seeds import check_seed
from kibitz.experiments.settings import Setting, bots_asked
from kibitz.experiments.studies.lineups import Line, LineupStudy, StudyGames, match_of
from kibitz.games.uno.rules import PRESETS, SWITCHES

MAIN_BOTS = ("greedy", "diversity", "card_ranking", "mix", "mix2", "card_counting")
OTHER_HAND_SIZES = (5, 10)
TARGETS = (None, "50", "100", "200", "500", "1000", "2000")


# -- how much do rules matter? --


def rule_sets() -> list[str]:
    """The presets, then `classic` with one switch changed."""
    single = [f"classic,{name}={value}" for name, switch in SWITCHES.items() for value in list(switch.values)[1:]]
    return [*PRESETS, *[f"classic,hand_size={size}" for size in OTHER_HAND_SIZES], *single]


def rules_lines(bots: Sequence[str] = MAIN_BOTS, against: str = "random", players: int = 2) -> list[Line]:
    """Each bot against copies of an opponent under each set of rules."""
    return [Line(rules, (bot, *[against] * (players - 1)), rules) for rules in rule_sets() for bot in bots]


@dataclass(frozen=True, eq=False)
class StudyRules(LineupStudy):
    """How much do rules matter? Bots under every preset, and under classic with every single switch changed."""

    kind = "study rules"

    bots: Annotated[
        Sequence[str] | None,
        bots_asked("Bots; the main ones if none is named."),
    ] = None
    _: KW_ONLY
    players: Annotated[int, Setting("Players at the table, 2 to 10.", "-p", least=2, most=10)] = 2
    against: Annotated[str, Setting("The bot in every other seat.", "-a", names_bots=True)] = "random"

    def check(self) -> None:
        """Refuse what cannot be played."""
        super().check()
        check_seed(self.seed)
        for number, line in enumerate(self.tasks()[: len(self.bots or MAIN_BOTS)]):
            match_of(self, number, line, self.games).check()

    def tasks(self) -> Sequence[Line]:
        """Every bot under every set of rules."""
        return rules_lines(self.bots or MAIN_BOTS, self.against, self.players)


# -- why does a strategy that wins half its deals win most of its contests? --

_DEFENSIVE, _FIRST, _OFFENSIVE = "defensive", "first_playable", "offensive"
# The line-ups of the study that the rules `hearn` come from, in its order of seats, and the shares it printed.
PRINTED_LINES = {
    (_DEFENSIVE, _FIRST): (75, 25),
    (_OFFENSIVE, _FIRST): (42, 58),
    (_DEFENSIVE, _OFFENSIVE): (78, 22),
    (_DEFENSIVE, _OFFENSIVE, _FIRST): (40, 28, 32),
    (_OFFENSIVE, _DEFENSIVE, _FIRST, _FIRST): (27, 23, 24, 25),
    (_OFFENSIVE, _DEFENSIVE, _FIRST, _FIRST, _FIRST): (22, 19, 19, 20, 20),
}
_PAIRS = ((_DEFENSIVE, _FIRST), (_OFFENSIVE, _FIRST), (_DEFENSIVE, _OFFENSIVE))


def contest_lines() -> list[Line]:
    """Deals and contests of the simple strategies under the rules `hearn`."""
    lines = [Line("pairs", pair, "hearn", to=to) for pair in _PAIRS for to in (None, "500+")]
    lines += [Line("target", pair, "hearn", to=to) for pair in (_PAIRS[0], _PAIRS[2]) for to in TARGETS]
    tables = [(_DEFENSIVE, *[_FIRST] * others) for others in range(1, 7)]
    lines += [Line("players", table, "hearn", to=to) for table in tables for to in (None, "500+")]
    opponents = ("random", "better_offensive", "mix2", "mix2:points")
    lines += [Line("opponents", (_DEFENSIVE, other), "hearn", to=to) for other in opponents for to in (None, "500+")]
    random_colours = tuple(f"{bot}:wild_colour=random" for bot in _PAIRS[0])
    fixed = [line for pair in (*_PAIRS, random_colours) for line in (pair, pair[::-1])]
    fixed.append((_DEFENSIVE, _OFFENSIVE, _FIRST))
    lines += [Line("reference", line, "hearn", "fixed", "500+") for line in fixed]
    for seats in PRINTED_LINES:
        for colours in ("common", "random"):
            bots = tuple(f"{bot}:wild_colour={colours}" for bot in seats)
            lines += [Line("printed", bots, "hearn", seating, "500+") for seating in ("fixed", "random")]
    return lines


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyContests(LineupStudy):
    """Why does a strategy that wins half its deals win most of its contests? Simple strategies under the rules hearn."""

    kind = "study contests"

    games: StudyGames = 20_000

    def tasks(self) -> Sequence[Line]:
        """Deals and contests of the simple strategies."""
        return contest_lines()
