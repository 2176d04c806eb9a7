"""`kibitz bots`: which bots there are, and what one does."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kibitz.cli.options import GameOfBots, JsonFile, check_json_path, console, write_json
from kibitz.core.printable import facts_of


def command(
    name: Annotated[str | None, typer.Argument(help="A bot to describe; all are listed if none is named.")] = None,
    game: GameOfBots = None,
    json: JsonFile = None,
) -> None:
    """List the bots, or describe one: what it does, its parameters with types and ranges, its presets."""
    from rich.table import Table
    from rich.text import Text

    from kibitz import registry
    from kibitz.bots.bot import Bot

    check_json_path(json)
    terminal = console()
    definition = registry.game(registry.game_of([name] if name else [], game))
    if name is None:
        found = [registry.built_in_bot(each, definition.name) for each in registry.BUILT_IN[definition.name]]
        write_json(json, [_as_dict(bot) for bot in found])
        if json != "-":
            table = Table("bot", "presets", "what it does", title=f"{definition.title} bots", title_justify="left")
            for bot in found:
                table.add_row(bot.name, ", ".join(preset for preset in bot.presets if preset), bot.summary)
            terminal.print(table)
            others = [other for other in registry.BUILT_IN if other != definition.name]
            if others:
                terminal.print(f"Bots of other games: --game {' or '.join(others)}.")
            terminal.print("kibitz bots NAME tells more. Your own: path/to/file.py:name (docs/write-a-bot.md).")
        return
    entrant = registry.entrant(name, definition.name)
    if not isinstance(entrant.bot, Bot):
        write_json(json, {"name": entrant.name, "summary": entrant.bot.summary})
        if json != "-":
            terminal.print(f"{entrant.name}: a Python bot. {entrant.bot.summary}")
        return
    write_json(json, _as_dict(entrant.bot))
    if json != "-":
        terminal.print(Text.assemble((entrant.bot.name, "bold"), f": {entrant.bot.description}"), soft_wrap=True)
        if entrant.bot.parameters:
            table = Table("parameter", "accepts", *[preset or "default" for preset in entrant.bot.presets], "meaning")
            for parameter in entrant.bot.parameters:
                values = [parameter.to_text(preset[parameter.name]) for preset in entrant.bot.presets.values()]
                table.add_row(parameter.name, parameter.describe(), *values, parameter.summary)
            terminal.print(table)
            first = entrant.bot.parameters[0]
            value = first.to_text(next(iter(entrant.bot.presets.values()))[first.name])
            terminal.print(f"Set one with {entrant.name.partition(':')[0] if entrant.bot.trusted else entrant.name}:{first.name}={value}")
        for place, rule in enumerate(entrant.bot.rules, 1):
            terminal.print(Text(f"Rule {place}: {rule}"), soft_wrap=True)
        needs = [
            word
            for word, used in (
                ("memory", entrant.bot.memory),
                ("public events", entrant.bot.observe),
                ("order of its hand", entrant.bot.hand_order),
            )
            if used
        ]
        if needs:
            terminal.print(f"Uses: {', '.join(needs)}.")


def _as_dict(bot: Any) -> dict[str, object]:
    return {
        "name": bot.name,
        "summary": bot.summary,
        "description": bot.description,
        "parameters": [
            {"name": p.name, "type": p.kind, **facts_of(p, "low", "high", "length"), "choices": list(p.choices), "summary": p.summary}
            for p in bot.parameters
        ],
        "rules": list(bot.rules),
        "presets": {preset or "default": dict(values) for preset, values in bot.presets.items()},
    }
