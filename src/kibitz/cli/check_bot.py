"""`kibitz check-bot`: does a bot keep the protocol? Whole games under many rules, and the first fault of each kind as soon as it is found."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kibitz.cli.options import JsonFile, announcing, check_json_path, console, write_json
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue
from kibitz.core.reading import is_file
from kibitz.experiments.settings import GameOfBots, RulesName, Setting
from kibitz.report.progress import Bar

if TYPE_CHECKING:
    from kibitz.outside.check import Scene
    from kibitz.outside.player import OutsideBot

_BOT_FILE = re.compile(r"(\S.*?\.py)(?::(\w+))?|(\S.*\.(?:onnx|zip))")


@dataclass(frozen=True)
class CheckSettings:
    """Play a suite of games with an outside bot, judged as in a tournament, and say what is wrong.

    The exit code is 0 if nothing is wrong, 1 if the bot is at fault, and 2 if the command itself is.
    """

    bot: Annotated[
        str,
        Setting(
            "A command line in quotes, or a Python file with a bot: path/to/file.py[:Name], or a model.",
            metavar="COMMAND|FILE",
            is_argument=True,
        ),
    ]
    game: GameOfBots = None
    rules: RulesName = None
    classroom: Annotated[
        bool | None,
        Setting(
            "Judge the bot as a tournament of a players.txt would: its rules, and one process for 50 games. "
            "Default: --classroom if the file's class has the methods play and call_color.",
            "--classroom/--no-classroom",
        ),
    ] = None
    position: Annotated[str | None, Setting("Ask in this one position, as a fault's report gives it.")] = None
    seed: Annotated[int | None, Setting("Seed of the games that are played.", "-s")] = None
    seconds: Annotated[float, Setting("Allowance for a decision.")] = 1.0
    trusted: Annotated[bool, Setting("Run the command unconfined, with your rights, environment and network: your own programs only.")] = (
        False
    )


def run(asked: CheckSettings, json: str | None) -> int:
    """Play the suite and say what is wrong; the exit code."""
    from kibitz import registry
    from kibitz.cli.check_output import Shown, finding_as_dict, line_of, print_verdict
    from kibitz.outside.check import SEED, run_suite, suite_size

    check_json_path(json)
    bot, seconds = asked.bot, asked.seconds
    game = registry.game_of([bot] if is_bot_file(bot) else [], asked.game, run_files=False)
    if not 0 < seconds <= 3600:
        raise BadValue(f"seconds={seconds:g} is out of range: it is a number above 0 and at most 3600.")
    if asked.trusted and is_bot_file(bot):
        raise BadValue("--trusted goes with a command.")
    made, has_methods = bot_from(bot, game, seconds, asked.trusted)
    chosen = SEED if asked.seed is None else asked.seed
    if asked.position is not None:
        return _ask(made, game, asked.position, chosen, json)
    in_class = has_methods if asked.classroom is None else asked.classroom
    if in_class and game != registry.classroom_game():
        raise BadValue(f"--classroom is for {registry.classroom_game()}, not for {game}.")
    scenes: list[Scene] = []
    with announcing(), Bar(suite_size(game, asked.rules, in_class)) as bar:
        shown = Shown(bar, silent=json == "-")
        for scene in run_suite(made, game, asked.rules, chosen, in_class=in_class, watcher=shown):
            scenes.append(scene)
            shown.tell(line_of(scene))
    passed = all(scene.passed for scene in scenes)
    found = [finding_as_dict(finding) for finding in shown.first.values()]
    write_json(
        json,
        {
            "command": "check-bot",
            "bot": bot,
            "game": game,
            "classroom": in_class,
            "passed": passed,
            "scenes": [{**asdict(scene), "passed": scene.passed} for scene in scenes],
            "first_faults": found,
        },
    )
    print_verdict(scenes, shown.silent)
    return 0 if passed else 1


command = command_from(CheckSettings, run, {"json": (JsonFile, None)})


def is_bot_file(text: str) -> bool:
    """Whether a Python file or a model is meant, not a command line."""
    found = _BOT_FILE.fullmatch(text)
    return found is not None and is_file(found[1] or found[3])


def bot_from(text: str, game: str, seconds: float, trusted: bool = False) -> tuple[OutsideBot, bool]:
    """The bot that a command line or a file's name stands for, and whether it is a classroom's player."""
    from kibitz import registry
    from kibitz.experiments.tournament.player_list import check_program
    from kibitz.outside.limits import BotLimits
    from kibitz.outside.player import outside_bot, python_bot

    limits = BotLimits(decision_seconds=seconds)
    found = _BOT_FILE.fullmatch(text)
    if found and found[3] and is_bot_file(text):
        return python_bot(text, str(Path(text).resolve()), game, limits), False
    if found and is_bot_file(text):
        path = Path(found[1]).resolve()
        spec = f"{path}:{found[2]}" if found[2] else registry.classroom().player_in(path)
        name = spec.removeprefix(str(path)).lstrip(":")
        return python_bot(text, spec, game, limits), bool(name) and registry.classroom().plays_by_methods(path, name)
    if found and " " not in text:
        raise BadValue(f"bot file {found[1] or found[3]} does not exist.")
    made = outside_bot(text, text, Path.cwd(), limits, trusted)
    check_program(text, Path.cwd())
    return made, False


def _ask(bot: OutsideBot, game: str, position: str, seed: int, json: str | None) -> int:
    from kibitz.outside.check import ask_in_position

    answer = ask_in_position(bot, game, position, seed)
    write_json(json, {"command": "check-bot", "bot": bot.name, "game": game, "position": position, **asdict(answer)})
    if json != "-":
        terminal = console()
        terminal.print(f"legal: {', '.join(answer.legal)}", markup=False, soft_wrap=True)
        said = f"it {answer.fault.what}" if answer.fault else f"it answers {answer.action}"
        terminal.print(said, markup=False, soft_wrap=True)
    return 1 if answer.fault else 0
