"""`kibitz doctor`: what is there, what is missing and what that costs, and what is open to whom."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

from kibitz.cli.options import JsonFile, check_json_path, console, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from kibitz.table.exposure import Fact


def command(json: JsonFile = None) -> int:
    """Check this installation: versions, compiler, cache folder, processors, a short game compiled and plain; and what is open to whom."""
    from rich.table import Table
    from rich.text import Text

    from kibitz.core.extras import place_of_command
    from kibitz.report.health import examine, remedies
    from kibitz.table.exposure import screen

    check_json_path(json)
    findings, facts = examine(), openness()
    passed = all(finding.ok is not False for finding in findings)
    told = {"findings": [finding._asdict() for finding in findings], "open": [fact._asdict() for fact in facts]}
    write_json(json, {"ok": passed, "install": remedies(findings), **told})
    if json != "-":
        table = Table("", "what", "found", "note", title="kibitz doctor", title_justify="left")
        for finding in findings:
            mark = Text("–") if finding.ok is None else Text("ok", "green") if finding.ok else Text("no", "red")
            table.add_row(mark, finding.what, finding.found, finding.note)
        console().print(table)
        own = sys.stdout.isatty()
        if commands := remedies(findings, own):
            place = f", {place_of_command()}" if place_of_command() and not own else ""
            console().print(f"What is missing is optional. To install it{place}:", style="bold")
            for line in commands:
                console().print(f"  {line}", soft_wrap=True)
        console().print("What is open to whom", style="bold")
        console().print(screen(facts), markup=False, highlight=False, soft_wrap=True)
    return 0 if passed else 1


def openness() -> list[Fact]:
    """What other users of this machine, outside bots and the network can reach."""
    from kibitz.core.compile_cache import cache_folder, why_untrusted
    from kibitz.runs.database import store_path
    from kibitz.table.exposure import Fact, exposure

    cache = cache_folder()
    untrusted = why_untrusted(cache) if cache.exists() else ""
    return [
        Fact("Store", _readers(store_path())),
        Fact("Compile cache", f"not used: {untrusted}." if untrusted else "only you can write to it."),
        Fact("Outside bots", _outside()),
        Fact("Bot files", "those that you name in evaluate, match and compare, or mark as trusted, run with all your rights."),
        Fact("kibitz table", f"reachable {exposure('127.0.0.1')[0].found} With --host 0.0.0.0 this changes:"),
        *(Fact(f"  {fact.what.lower()}", fact.found) for fact in exposure("0.0.0.0")),
        Fact("More", "SECURITY.md says what is promised and what is not."),
    ]


def _readers(path: Path) -> str:
    """Who can read a store."""
    if not path.exists():
        return "not there yet; only you will be able to read it."
    mode = path.stat().st_mode
    if sys.platform == "win32" or not mode & (stat.S_IRWXG | stat.S_IRWXO):
        return "only you can read it."
    return (
        f"other users of this machine can open it (mode {stat.S_IMODE(mode):o}), with the cards of games in progress; chmod 600 closes it."
    )


def _outside() -> str:
    """What outside bots can reach on this system."""
    if sys.platform == "win32":
        return "are not supported on Windows."
    from kibitz.outside.confine import available_guards

    missing = [name for name, state in available_guards().items() if not state.startswith("yes")]
    closed = "read system files and their own, and write only to their own folder; no network, no other processes."
    return (
        closed if not missing else f"are only partly closed in; missing here: {', '.join(missing)}. docs/isolation.md says what that means."
    )
