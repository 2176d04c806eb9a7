"""Who plays what at a person's table: everything that decides a game but what the person does, as options, as text and as JSON."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed, fresh_seed
from kibitz.core.sentences import listed
from kibitz.play.explaining import Adviser, default_adviser
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.terminal.trials_adviser import TrialsAdviser


def usual_bots(game: str) -> tuple[str, ...]:
    """Whom one plays with if nobody is named: strong bots that play within a few seconds of the first start."""
    return registry.game(game).face.usual_bots or registry.BUILT_IN[game][:1]


@dataclass(frozen=True)
class Seating:
    """A game, its rules, the bots in the order of their seats, the person's seat and the cards."""

    game: str
    bots: Sequence[str]
    seat: int = 0
    seed: int = 1
    rules: str | None = None
    to: str | None = None
    advice: str | None = None  # the bot whose advice is shown at every decision, empty for the usual one; None: when asked for

    def adviser(self, compiled: bool = True) -> Adviser | TrialsAdviser:
        """Who advises: the bot that is named, else what the game has for it."""
        players, has_jit = len(self.bots) + 1, os.environ.get("KIBITZ_JIT") != "0"
        if not self.advice and registry.game(self.game).face.trials_advise:
            names = list(self.bots)
            names.insert(self.seat, "")
            return TrialsAdviser(self.game, names, has_jit)  # as bots that search, it is compiled in single games
        return Adviser(self.advice or default_adviser(self.game, players), self.game, players, compiled)

    def sentence(self) -> str:
        """What is played and with whom."""
        definition = registry.game(self.game)
        contest = f" a contest to {self.to} points of" if self.to else ""
        how = "with" if definition.cooperative else "against"
        rules = self.rules or definition.default_rules
        return f"You play{contest} {definition.title} {how} {listed(list(self.bots))}, rules {rules}, seed {self.seed}."

    def command(self) -> str:
        """What to type to be dealt the same cards."""
        words = [
            "kibitz",
            "play",
            self.game,
            "--with" if registry.game(self.game).cooperative else "--against",
            *self.bots,
            "--seed",
            str(self.seed),
        ]
        words += ["--seat", str(self.seat)] if self.seat else []
        words += ["--rules", self.rules] if self.rules else []
        words += ["--to", self.to] if self.to else []
        words += ["--advice", *([self.advice] if self.advice else [])] if self.advice is not None else []
        return shlex.join(words)

    def lineup(self) -> Lineup:
        """The line-up, with the person as a seat that is asked."""
        game = registry.game(self.game)
        players = len(self.bots) + 1
        if players < 2:
            option = "--with" if game.cooperative else "--against"
            raise BadValue(f"no bot is named; {game.title} is played with at least one other: {option} BOT.")
        if players > game.max_players:
            raise BadValue(f"{len(self.bots)} bots and you are {players} players; {game.title} is played by 2 to {game.max_players}.")
        if not 0 <= self.seat < players:
            raise BadValue(f"seat {self.seat} does not exist: with {players} players seats are 0 to {players - 1}.")
        you = AskedSeat("you", windows=tuple(game.phases[game.basic_phases :]))
        bots: list[Any] = list(self.bots)
        bots.insert(self.seat, you)
        return make_lineup(bots, self.rules, "fixed", self.game, self.to)

    # -- JSON --

    def to_text(self) -> str:
        """The seating as JSON; rules from a file are written out, so that the file is not needed any more."""
        rules = registry.game(self.game).parse_rules(self.rules).to_text() if self.rules else None
        return json.dumps({**asdict(self), "bots": list(self.bots), "rules": rules})

    @classmethod
    def from_json(cls, value: Any) -> Seating:
        """The seating that JSON describes, of which every key must be there; bots and rules are checked when they are seated."""
        kinds: dict[str, Any] = {"game": str, "bots": list, "seat": int, "seed": int}
        names = [field.name for field in fields(cls)]
        if not isinstance(value, dict) or sorted(value) != sorted(names):
            raise BadValue(f"a seating is a JSON object with {', '.join(names)}.")
        for name in names:
            if type(value[name]) is not kinds.get(name) and not (name not in kinds and isinstance(value[name], str | None)):
                raise BadValue(f"{name} of a seating is not of its kind.")
        if not all(isinstance(bot, str) for bot in value["bots"]):
            raise BadValue("bots of a seating are not names.")
        registry.game(value["game"])
        check_seed(value["seed"])
        return cls(**value)


def new_seed(seed: int | None) -> int:
    """The seed that was given, or a fresh one."""
    return fresh_seed() if seed is None else check_seed(seed)
