"""`kibitz check-bot`: does a bot keep the protocol? Whole games under many rules, and what is wrong, with the position."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import GameOfBots, JsonFile, RulesName, announcing, check_json_path, console, write_json
from kibitz.errors import BadValue
from kibitz.reading import is_file

if TYPE_CHECKING:
    from kibitz.arena.outside.check import Scene
    from kibitz.arena.outside.player import OutsideBot

MOST_SHOWN = 5
_BOT_FILE = re.compile(r"(\S.*?\.py)(:\w+)?")


def command(
    bot: Annotated[
        str, typer.Argument(metavar="COMMAND|FILE", help="A command line in quotes, or a Python file with a bot: path/to/file.py[:Name].")
    ],
    game: GameOfBots = None,
    rules: RulesName = None,
    position: Annotated[str | None, typer.Option("--position", help="Ask in this one position, as a fault's report gives it.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", "-s", help="Seed of the games that are played.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Allowance for a decision.")] = 1.0,
    json: JsonFile = None,
) -> int:
    """Play a suite of games with an outside bot, judged as in a tournament, and say what is wrong; exit code 1 if anything is."""
    from kibitz import registry
    from kibitz.arena.outside.check import SEED, run_suite

    check_json_path(json)
    game = registry.game_of([bot] if is_bot_file(bot) else [], game, run_files=False)
    if not 0 < seconds <= 3600:
        raise BadValue(f"seconds={seconds:g} is out of range: it is a number above 0 and at most 3600.")
    made = bot_from(bot, game, seconds)
    chosen = SEED if seed is None else seed
    if position is not None:
        return _ask(made, game, position, chosen, json)
    terminal = console()
    scenes: list[Scene] = []
    with announcing():
        for scene in run_suite(made, game, rules, chosen):
            scenes.append(scene)
            if json != "-":
                terminal.print(line_of(scene), markup=False, soft_wrap=True)
    faults = [fault for scene in scenes for fault in scene.faults]
    write_json(
        json, {"command": "check-bot", "bot": bot, "game": game, "passed": not faults, "scenes": [_as_dict(scene) for scene in scenes]}
    )
    if json != "-":
        _print_verdict(scenes)
    return 1 if faults else 0


def is_bot_file(text: str) -> bool:
    """Whether a Python file is meant, not a command line."""
    found = _BOT_FILE.fullmatch(text)
    return found is not None and is_file(found.group(1))


def bot_from(text: str, game: str, seconds: float) -> OutsideBot:
    """The bot that a command line or a file's name stands for."""
    from kibitz.arena.outside.command import program_of
    from kibitz.arena.outside.limits import Limits, OutsideFault
    from kibitz.arena.outside.player import outside_bot, python_bot

    limits = Limits(decision_seconds=seconds)
    found = _BOT_FILE.fullmatch(text)
    if found and is_bot_file(text):
        path = Path(found.group(1)).resolve()
        return python_bot(text, f"{path}{found.group(2) or ''}", game, limits)
    if found and " " not in text:
        raise BadValue(f"bot file {found.group(1)} does not exist.")
    made = outside_bot(text, text, Path.cwd(), limits)
    try:
        program_of(made.command)
    except OutsideFault as fault:
        raise BadValue(f"bot '{text}' {fault.what}.") from fault
    return made


def line_of(scene: Scene) -> str:
    """A scene in one line."""
    verdict = "ok  " if scene.passed else "BAD "
    asked = f": {scene.games} games, {scene.decisions:,} decisions" if scene.games else ""
    slow = f", the slowest {1000 * scene.slowest:.1f} ms" if scene.decisions and scene.slowest else ""
    return f"{verdict} {scene.title}{asked}{slow}"


def _print_verdict(scenes: list[Scene]) -> None:
    terminal = console()
    faults = [(scene, fault) for scene in scenes for fault in scene.faults]
    decisions = sum(scene.decisions for scene in scenes)
    seconds = sum(scene.seconds for scene in scenes)
    if not faults:
        mean = f", {1000 * seconds / decisions:.2f} ms on average" if decisions else ""
        terminal.print(f"\nno fault in {decisions:,} decisions{mean}", markup=False, soft_wrap=True)
        return
    terminal.print(f"\n{len(faults)} fault{'s' * (len(faults) != 1)}:", markup=False)
    for scene, fault in faults[:MOST_SHOWN]:
        terminal.print(f"- {scene.title}: it {fault.what}", markup=False, soft_wrap=True)
        if fault.position:
            terminal.print(f"  position: {fault.position}", markup=False, soft_wrap=True)
        if fault.reproduce:
            terminal.print(f"  {fault.reproduce}", markup=False, soft_wrap=True)
    if len(faults) > MOST_SHOWN:
        terminal.print(f"  and {len(faults) - MOST_SHOWN} more; --json FILE has them all", markup=False)


def _as_dict(scene: Scene) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(scene), "passed": scene.passed}


def _ask(bot: OutsideBot, game: str, position: str, seed: int, json: str | None) -> int:
    from dataclasses import asdict

    from kibitz.arena.outside.check import ask_in_position

    answer = ask_in_position(bot, game, position, seed)
    write_json(json, {"command": "check-bot", "bot": bot.name, "game": game, "position": position, **asdict(answer)})
    if json != "-":
        terminal = console()
        terminal.print(f"legal: {', '.join(answer.legal)}", markup=False, soft_wrap=True)
        said = f"it {answer.fault.what}" if answer.fault else f"it answers {answer.action}"
        terminal.print(said, markup=False, soft_wrap=True)
    return 1 if answer.fault else 0
