"""`kibitz rules`: which rules there are, and what they say."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import GameName, JsonFile, check_json_path, console, write_json


def command(
    name: Annotated[
        str | None, typer.Argument(help="Rules to describe, with switches: classic,hand_size=5. All presets are listed if none is named.")
    ] = None,
    game: GameName = None,
    json: JsonFile = None,
) -> None:
    """List the rules, or describe some: every switch with its value."""
    from rich.table import Table

    from kibitz import registry

    check_json_path(json)
    definition = registry.game(game)
    book, face = definition.rule_book, definition.face
    presets, summaries, switches = book.PRESETS, book.SUMMARIES, book.SWITCHES
    terminal = console()
    if name is None:
        write_json(json, [{"name": preset, "summary": summaries[preset]} for preset in presets])
        if json != "-":
            table = Table("rules", "in short", title=f"{definition.title} rules", title_justify="left")
            for preset in presets:
                table.add_row(preset, summaries[preset])
            terminal.print(table)
            example = f", as in --rules {face.rules_example}" if face.rules_example else ""
            listed = Table("switch", "meaning", "values", title=f"Switches{example}", title_justify="left")
            for known, switch in switches.items():
                listed.add_row(known, switch.meaning, switch.accepted)
            if switches:
                terminal.print(listed)
        return
    rules = book.parse_rules(name)
    values = {switch: book.switch_text(switch, getattr(rules, switch)) for switch in switches}
    describe = face.load("describe_rules")
    text = describe(rules) if describe else [summaries.get(rules.name, "")]
    write_json(json, {"name": rules.to_text(), "switches": values, "text": text})
    if json != "-":
        terminal.print(rules.to_text(), style="bold")
        for line in text:
            terminal.print(f"- {line}", soft_wrap=True)
        if not switches:
            return
        table = Table("switch", "value", "meaning")
        for known, value in values.items():
            switch = switches[known]
            table.add_row(known, value, f"{switch.meaning}: {switch.values[value]}" if value in switch.values else switch.meaning)
        terminal.print(table)
