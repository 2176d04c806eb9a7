"""A conformance suite for outside bots: whole games under many rules and numbers of players, and what was wrong, with the position.

`kibitz check-bot` runs it. The bot is started, confined and judged exactly as in a tournament. A classroom's player is judged as in the
classroom's tournament: under its rules alone, with one process for as many games as it plays there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.seeds import check_seed, outside_seed
from kibitz.games.contract import GameDefinition
from kibitz.outside.limits import OutsideFault
from kibitz.outside.player import SITTING, Evidence, OutsideBot, OutsidePlayer, illegal_answer
from kibitz.outside.referee import RefereedMatch, RefereedUnit, play_in_pieces, play_refereed
from kibitz.play.record import Record
from kibitz.runs.ledger import FORFEIT, Fault
from kibitz.runs.units import Unit

SEED = 20_161_108  # with it an opening wild asks the bot for a colour under the official rules
DEALS = 6  # of each scene
CLASSROOM_PLAYERS = (2, 4, 10)
MOST_ALIKE = 3  # games with a fault of the same kind, after which the suite is over: whatever follows would be the same


@dataclass
class Scene:
    """One part of the suite: what was played, how much was asked, what went wrong."""

    title: str
    games: int = 0  # that were played
    decisions: int = 0
    slowest: float = 0.0
    seconds: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    planned: int = 0  # games it would have had
    note: str = ""  # what is worth knowing, and no fault

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong."""
        return not self.faults

    def add(self, brought: RefereedUnit) -> None:
        """Add what some games brought."""
        self.games += len(brought.outcomes)
        self.decisions += brought.decisions
        self.slowest = max(self.slowest, brought.slowest)
        self.seconds += brought.seconds
        self.faults += brought.faults


@dataclass(frozen=True)
class FoundFault:
    """A fault, the scene in which it was found, and what was said before it."""

    scene: Scene
    fault: Fault
    evidence: Evidence


class Watcher:
    """Whoever wants to know what a suite finds while it runs; this one looks away."""

    def begin(self, scene: Scene) -> None:
        """A scene begins."""

    def played(self, scene: Scene) -> None:
        """Another game of it has been played."""

    def found(self, finding: FoundFault) -> None:
        """Something was wrong in that game."""


def suite_size(game: str | None = None, rules: str | None = None, in_class: bool = False) -> int:
    """How many games a suite has."""
    return sum(games for *_, games in _scenes(registry.game(game), rules, in_class)) + 2


def run_suite(
    bot: OutsideBot,
    game: str | None = None,
    rules: str | None = None,
    seed: int = SEED,
    *,
    in_class: bool = False,
    watcher: Watcher | None = None,
) -> Iterator[Scene]:
    """Play the suite scene by scene, until a few games have gone wrong in the same way.

    With `rules`, those alone with 2 players and as many as can sit down; `in_class`: as in a classroom's tournament.
    """
    watcher = watcher or Watcher()
    check_seed(seed)
    game = registry.game(game).name
    scenes = _scenes(registry.game(game), rules, in_class)
    greeted = greeting(bot, game, watcher)
    yield greeted
    if not greeted.passed:
        return  # whatever follows would fail for the same reason
    alike: Counter[str] = Counter()
    for number, (text, players, to, games) in enumerate(scenes):
        yield _play_scene(_match(bot, game, text, players, to, seed + number), games, alike, watcher)
        if _has_enough(alike):
            return
    yield _same_answers(bot, game, scenes[0][0], seed, in_class, watcher)


def _scenes(definition: GameDefinition, rules: str | None, in_class: bool) -> list[tuple[str, int, str | None, int]]:
    """Rules, players, what a contest goes to, and games: scenes that between them open every kind of decision."""
    if in_class:
        text = definition.face.load("classroom").RULES if rules is None else definition.parse_rules(rules).to_text()
        return [(text, players, None, SITTING) for players in CLASSROOM_PLAYERS]
    scenes = definition.face.check_scenes or tuple((definition.default_rules, players, None) for players in _numbers(definition))
    if rules is not None:
        parsed = definition.parse_rules(rules)
        scenes = tuple((parsed.to_text(), players, None) for players in _numbers(definition))
    return [(text, players, to, 2 if to else DEALS * (2 if players <= 4 else 1)) for text, players, to in scenes]


def _numbers(definition: GameDefinition) -> list[int]:
    """Two players, and four if so many can sit down."""
    return sorted({2, min(4, definition.max_players)})


def _has_enough(alike: Counter[str]) -> bool:
    return max(alike.values(), default=0) >= MOST_ALIKE


def greeting(bot: OutsideBot, game: str, watcher: Watcher) -> Scene:
    """Starts, greets, and ends when it is told to."""
    scene = Scene("starts, greets and ends")
    watcher.begin(scene)
    definition = registry.game(game)
    rules = definition.parse_rules(definition.default_rules)
    player = OutsidePlayer(bot, definition, rules)
    try:
        player.ready()
        process = player.running
        process.send({"type": "bye"})
        if not process.ends_within(2.0):
            raise OutsideFault("protocol", "did not end within two seconds of bye and the end of its input")
    except OutsideFault as fault:
        scene.faults.append(Fault(0, bot.name, -1, fault.kind, fault.what))
        watcher.found(FoundFault(scene, scene.faults[0], player.evidence()))
    finally:
        if player.process is not None:
            player.process.kill()
    return scene


def _play_scene(match: RefereedMatch, games: int, alike: Counter[str], watcher: Watcher) -> Scene:
    """Play a scene, until there are enough games with the same kind of fault; `alike` counts these from scene to scene."""
    contest = f", contest to {match.to}" if match.to else ""
    scene = Scene(f"{registry.game(match.game).title} {match.rules}, {len(match.members)} players{contest}", planned=games)
    watcher.begin(scene)
    with closing(play_in_pieces(match, Unit(0, games))) as pieces:
        for piece in pieces:
            scene.add(piece)
            faults = [fault for fault in piece.faults if fault.kind != FORFEIT]
            for fault, evidence in zip(faults, piece.evidence, strict=True):
                watcher.found(FoundFault(scene, fault, evidence))
            watcher.played(scene)
            alike.update({fault.kind for fault in faults})
            if _has_enough(alike):
                break
    return scene


def _match(bot: OutsideBot, game: str, rules: str, players: int, to: str | None, seed: int) -> RefereedMatch:
    names = registry.BUILT_IN[game]
    others = [registry.entrant("random" if "random" in names else names[0], game) for _ in range(players - 1)]
    definition = registry.game(game)
    find = definition.face.load("check_opponent")
    mischievous = find(definition.parse_rules(rules)) if find else None
    if mischievous:
        others[-1] = registry.entrant(mischievous, game)
    return RefereedMatch(game, rules, (bot, *others), seed, "random", to)


def _same_answers(bot: OutsideBot, game: str, rules: str, seed: int, in_class: bool, watcher: Watcher) -> Scene:
    """The same seed and questions, twice, from a fresh start: a bot that answers otherwise cannot be reproduced.

    A classroom's player is given no seed, so it is not to blame.
    """
    scene = Scene("answers alike when asked alike", planned=2)
    watcher.begin(scene)
    match = _match(bot, game, rules, 2, None, seed)
    first, second = (play_refereed(match, Unit(0, 1)) for _ in range(2))
    scene.games = 2
    scene.decisions = first.decisions + second.decisions
    if not first.faults and not second.faults and first.games != second.games:
        what = f"played the same game in two ways: {_first_difference(*(brought.games[0].text for brought in (first, second)))}"
        if in_class:
            scene.note = f"it {what}; that is allowed, but its games can't be reproduced"
        else:
            fault = Fault(0, bot.name, 0, "differs", f"{what} (it should take its randomness from the seed of the game message)")
            scene.faults.append(fault)
            watcher.found(FoundFault(scene, fault, Evidence()))
    return scene


def _first_difference(one: str, other: str) -> str:
    played = [Record.from_text(text) for text in (one, other)]
    for place, (first, second) in enumerate(zip(played[0].actions, played[1].actions, strict=False)):
        if first != second:
            return f"its action {place} was {first}, then {second}"
    return "one game was longer than the other"


@dataclass
class Answer:
    """What a bot answered in one position."""

    action: str
    legal: list[str]
    fault: Fault | None
    message: dict[str, Any]


def ask_in_position(bot: OutsideBot, game: str, position: str, seed: int = SEED) -> Answer:
    """Ask a bot in a position written as text, as the referee would."""
    definition = registry.game(game)
    try:
        state, rules = definition.from_text(position, seed)
    except KibitzError as error:
        raise BadValue(f"position: {error}") from error
    if definition.verbs["is_over"](state):
        raise BadValue("position: the game is over there, so nobody is asked.")
    definition.verbs["show_actor"](state)
    view = definition.verbs["as_view"](state)
    legal = [definition.action_name(state, action) for action in definition.legal_actions(state)]
    player = OutsidePlayer(replace(bot), definition.under(rules), rules)
    message = {"view": definition.wire.view_message(view), "legal": legal}
    action = ""
    try:
        player.ready()
        player.begin(view, outside_seed(seed, 0, 0, 0))
        number = player.choose(view)
        if definition.verbs["is_legal"](state, number):
            return Answer(definition.action_name(state, number), legal, None, message)
        action = str(number)
        raise illegal_answer(definition, view, number)
    except OutsideFault as fault:
        return Answer(action, legal, Fault(0, bot.name, int(view.seat), fault.kind, fault.what, position), message)
    finally:
        player.close()
