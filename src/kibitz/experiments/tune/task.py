"""What is to be tuned: a bot, a goal, a table, and all else that decides what a search finds.

`kibitz.experiments.tune.tuning` does the searching.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz import registry
from kibitz.bots.parameters import Value
from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.seeds import check_seed, match_seed
from kibitz.experiments.plan import Plan
from kibitz.experiments.tune.racing import DEFAULT_Z, Course, Rule
from kibitz.experiments.tune.space import Space, make_space
from kibitz.play.lineup import make_lineup

DEFAULT_GAMES = 20_000
DEFAULT_NEAR = 0.8
STARTUP = 20  # trials anywhere before anything is concluded from them
STARTS = 4  # searches that begin anew before the best of them is gone on with: one alone may be led astray for good
METHOD = 1  # raised when equal tasks would be searched differently, so that no study goes on as another
GOALS = {"win_rate": "wins", "points": "points", "score": "score", "points_kept": "points_kept"}
COMPETITIVE, COOPERATIVE = ("win_rate", "points"), ("score", "points_kept")
RACE, CHOICE, CONFIRMATION, PROPOSALS = 0, 1, 2, 16  # which seed is derived for what; trial k proposes from PROPOSALS + k


@dataclass(frozen=True, eq=False)
class Task:
    """All that decides what is found, but for how long it is searched for."""

    space: Space
    course: Course
    rule: Rule
    goal: str
    seed: int
    against: tuple[str, ...]
    start: Mapping[str, Value] | None = None  # parameters to start from; None: from scratch
    near: float = DEFAULT_NEAR  # the share of trials that change the best so far a little; the others are Optuna's

    @property
    def unit(self) -> str:
        """What differences are measured in."""
        return "percentage points" if self.goal == "win_rate" else "points a game"

    @property
    def start_length(self) -> int:
        """Trials of a start, so that it comes far enough to be judged."""
        return STARTUP + 10 + 3 * len(self.space.coordinates)

    def start_of(self, number: int) -> int | None:
        """The start that a trial belongs to; None once the best of all is gone on with.

        From a preset, and with Optuna's proposals alone, there is but that.
        """
        if self.start is not None or not self.near or number >= STARTS * self.start_length:
            return None
        return number // self.start_length

    def to_config(self) -> dict[str, Any]:
        """The task as JSON, with a fingerprint of each file that holds a bot: what a study keeps."""
        plan = Plan("match", (self.course.lineup,), (0,), self.rule.games, self.seed, self.course.jit).to_config()
        return {
            "bot": self.space.entrant.name,
            "for": self.goal,
            **{key: plan[key] for key in ("game", "players", "rules", "games", "seed")},
            "against": list(self.against),
            "fix": {p.key: p.to_text(p.kept(self.space.held[p.name])) for p in self.space.parameters if p.name in self.space.held},
            "from": None if self.start is None else self.space.named(self.start).name,
            "z": self.rule.z,
            "near": self.near,
            "method": METHOD,
            "results_version": self.course.lineup.game.results_version,
            "space": {coordinate.name: coordinate.parameter.describe_kept() for coordinate in self.space.coordinates},
            "files": plan["files"],
        }


def make_task(
    bot: Any,
    *,
    goal: str | None = None,
    players: int = 2,
    against: Sequence[Any] | str | None = None,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    rules: Any = None,
    game: str | None = None,
    held: Sequence[str] = (),
    start: str | None = None,
    z: float = DEFAULT_Z,
    near: float = DEFAULT_NEAR,
    jit: bool = True,
) -> Task:
    """A task, refused where it makes no sense. `against` is one bot for every other seat, or one for each of them.

    In Hanabi a bot plays with copies of itself, or with the bots named. `start` is a preset; `held` are parameters such as `end_game=on`.
    """
    named = [against] if isinstance(against, str) else list(against or [])
    game = registry.game_of([bot, *named], game)
    definition = registry.game(game)
    accepted = COOPERATIVE if definition.cooperative else COMPETITIVE
    chosen = accepted[0] if goal is None else goal
    if chosen not in accepted:
        raise BadValue(f"--for {chosen} is not accepted; in {definition.title} it is {' or '.join(accepted)}.")
    if not 0 <= near <= 1:
        raise BadValue(f"near={near:g} is out of range: it is a share from 0 to 1.")
    if not 2 <= players <= definition.max_players:
        raise BadValue(f"players={players} is out of range: 2 to {definition.max_players} can play.")
    check_seed(seed)
    space = make_space(bot, held, game)
    entrant = space.entrant
    if start is not None and (start not in space.bot.presets or not start):
        known = [preset for preset in space.bot.presets if preset]
        if not known:
            raise BadValue(f"--from {start}: {space.bot.name} has no presets to start from.")
        raise UnknownName(f"preset of bot {space.bot.name} in --from:", start, known)
    others = named or ([] if definition.cooperative else ["random"])
    company = [registry.entrant(other, game) for other in others]
    if len(company) == 1:
        company *= players - 1
    if company and len(company) != players - 1:
        raise BadValue(f"--against names {len(company)} bots, but there are {players - 1} other seats; name one for all, or one for each.")
    lineup = make_lineup([entrant, *company] if company else [entrant] * players, rules, "rotate" if company else "fixed", game)
    course = Course(lineup, (0,) if company else tuple(range(players)), GOALS[chosen], match_seed(seed, RACE), jit)
    begin = None if start is None else {**space.bot.presets[start], **space.held}
    return Task(space, course, Rule(games, z), chosen, seed, tuple(other.name for other in company), begin, near)
