"""`kibitz rules`: which rules there are, and what they say."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import JsonFile, check_json_path, console, write_json


def command(
    name: Annotated[
        str | None, typer.Argument(help="Rules to describe, with switches: classic,hand_size=5. All presets are listed if none is named.")
    ] = None,
    json: JsonFile = None,
) -> None:
    """List the rules, or describe some: every switch with its value."""
    from rich.table import Table

    from kibitz.games.uno.rules import PRESETS, SUMMARIES, SWITCHES, describe_rules, parse_rules, switch_text

    check_json_path(json)
    terminal = console()
    if name is None:
        write_json(json, [{"name": preset, "summary": SUMMARIES[preset]} for preset in PRESETS])
        if json != "-":
            table = Table("rules", "in short", title="UNO rules", title_justify="left")
            for preset in PRESETS:
                table.add_row(preset, SUMMARIES[preset])
            terminal.print(table)
            switches = Table("switch", "meaning", title="Switches, as in --rules classic,hand_size=5", title_justify="left")
            for switch, meaning in SWITCHES.items():
                switches.add_row(switch, meaning)
            terminal.print(switches)
        return
    rules = parse_rules(name)
    values = {switch: switch_text(switch, getattr(rules, switch)) for switch in SWITCHES}
    write_json(json, {"name": rules.to_text(), "switches": values, "text": describe_rules(rules)})
    if json != "-":
        terminal.print(f"[bold]{rules.to_text()}[/]")
        for line in describe_rules(rules):
            terminal.print(f"- {line}", soft_wrap=True)
        table = Table("switch", "value", "meaning")
        for switch, value in values.items():
            table.add_row(switch, value, SWITCHES[switch])
        terminal.print(table)
