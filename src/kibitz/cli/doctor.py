"""`kibitz doctor`: what is there, what is missing, and what that costs."""

from __future__ import annotations

from kibitz.cli.options import JsonFile, check_json_path, console, write_json


def command(json: JsonFile = None) -> int:
    """Check this installation: versions, compiler, cache folder, processors, a short game compiled and plain."""
    from rich.table import Table
    from rich.text import Text

    from kibitz.report.health import examine

    check_json_path(json)
    findings = examine()
    write_json(json, {"ok": all(finding.ok for finding in findings), "findings": [finding._asdict() for finding in findings]})
    if json != "-":
        table = Table("", "what", "found", "note", title="kibitz doctor", title_justify="left")
        for finding in findings:
            table.add_row(Text("ok", "green") if finding.ok else Text("no", "red"), finding.what, finding.found, finding.note)
        console().print(table)
    return 0 if all(finding.ok for finding in findings) else 1
