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

    from kibitz.games.uno.explain import describe_rules
    from kibitz.games.uno.rules import PRESETS, SUMMARIES, SWITCHES, parse_rules, switch_text

    check_json_path(json)
    terminal = console()
    if name is None:
        write_json(json, [{"name": preset, "summary": SUMMARIES[preset]} for preset in PRESETS])
        if json != "-":
            table = Table("rules", "in short", title="UNO rules", title_justify="left")
            for preset in PRESETS:
                table.add_row(preset, SUMMARIES[preset])
            terminal.print(table)
            title = "Switches, as in --rules official,stacking=progressive,hand_size=5; the first value is the classic one"
            switches = Table("switch", "meaning", "values", title=title, title_justify="left")
            for known, switch in SWITCHES.items():
                switches.add_row(known, switch.meaning, switch.accepted)
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
        for known, value in values.items():
            table.add_row(known, value, _meaning(known, value))
        terminal.print(table)


def _meaning(switch: str, value: str) -> str:
    from kibitz.games.uno.rules import SWITCHES

    known = SWITCHES[switch]
    return f"{known.meaning}: {known.values[value]}" if value in known.values else known.meaning
