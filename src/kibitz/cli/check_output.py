"""What `kibitz check-bot` shows: a bar of games, the first fault of each kind with what was said before it, and a verdict."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import asdict
from typing import Any

from kibitz.cli.options import console, tell
from kibitz.core.printable import printable, shortened
from kibitz.core.sentences import counted
from kibitz.outside.check import FoundFault, Scene, Watcher
from kibitz.outside.player import Evidence
from kibitz.report.progress import Bar
from kibitz.runs.ledger import FORFEIT

LONG_LINE, LONGEST_LINE = 320, 500  # characters of a question: from here on with parts of its view only, and never more than this
LAST_LINES = 6  # of the bot's standard error
SHOWN = ("seat", "phase", "hand", "playable", "drawn", "top", "colour", "hands", "fireworks", "tokens")  # those parts
QUIET_SECONDS = 5.0  # until something is said where there is no bar
ONLY_ANSWERS = "Standard output is for answers only: one JSON object per question. Print everything else to standard error."
HINTS = {"garbage": ONLY_ANSWERS, "protocol": ONLY_ANSWERS}


class Shown(Watcher):
    """Shows how a suite goes: a bar of games, and the first fault of each kind at once, with what was said before it."""

    def __init__(self, bar: Bar, silent: bool) -> None:
        self.bar, self.silent = bar, silent
        self.first: dict[str, FoundFault] = {}
        self._said = time.monotonic()

    def begin(self, scene: Scene) -> None:
        """Name the scene on the bar."""
        self.bar.advance(scene.title, 0)

    def played(self, scene: Scene) -> None:
        """Move the bar; where there is none, say something now and then."""
        self.bar.advance(scene.title, 1)
        if not sys.stderr.isatty() and time.monotonic() - self._said > QUIET_SECONDS:
            tell(f"{scene.title}: {scene.games} of {scene.planned} games")
            self._said = time.monotonic()

    def found(self, finding: FoundFault) -> None:
        """Show the first fault of its kind."""
        if finding.fault.kind in self.first:
            return
        self.first[finding.fault.kind] = finding
        place = f", game {finding.fault.game}" if finding.scene.planned else ""
        lines = [f"\nFAULT ({finding.fault.kind}) {finding.scene.title}{place}: it {printable(finding.fault.what, 300)}"]
        lines += [f"  {line}" for line in evidence_lines(finding.evidence)]
        if finding.fault.kind in HINTS:
            lines.append(f"  {HINTS[finding.fault.kind]}")
        if finding.fault.reproduce:
            lines += ["  ask it again:", f"  {printable(finding.fault.reproduce)}"]
        self.tell("\n".join([*lines, ""]))

    def tell(self, text: str) -> None:
        """Print something above the bar."""
        if not self.silent:
            with self.bar.paused():
                console().print(text, markup=False, soft_wrap=True, highlight=False)
        self._said = time.monotonic()


def evidence_lines(evidence: Evidence) -> list[str]:
    """What was sent, what was answered, and the end of the bot's standard error, each made safe to print."""
    lines = []
    if evidence.asked:
        lines.append(f"sent:     {short_message(evidence.asked)}")
        answers = evidence.answered.split(b"\n") if evidence.answered else []
        lines += [f"answered: {printable(answer, LONGEST_LINE)}" for answer in answers[:3] if answer] or ["answered: nothing"]
    errors = evidence.log.rstrip().splitlines()[-LAST_LINES:]
    if errors:
        lines += ["standard error ends with:", *(f"  | {shortened(printable(line.rstrip()), 200)}" for line in errors)]
    return lines


def short_message(line: str) -> str:
    """A message of the referee as it was written; where it is too long, with the parts of the view that matter most."""
    if len(line) > LONG_LINE:
        message = json.loads(line)
        view = {key: value for key, value in message.get("view", {}).items() if key in SHOWN}
        line = json.dumps({**message, **({"view": {**view, "…": "…"}} if view else {})}, ensure_ascii=False, separators=(",", ":"))
        line = line.replace('"…":"…"', "…")
    return printable(line, LONGEST_LINE)


def line_of(scene: Scene) -> str:
    """A scene in one line."""
    verdict = "ok  " if scene.passed else "BAD "
    games = f"{scene.games} of {scene.planned}" if scene.games < scene.planned else str(scene.games)
    asked = f": {games} games, {scene.decisions:,} decisions" if scene.games else ""
    slow = f", the slowest {1000 * scene.slowest:.1f} ms" if scene.decisions and scene.slowest else ""
    return f"{verdict} {scene.title}{asked}{slow}" + (f"\n     note: {printable(scene.note)}" if scene.note else "")


def print_verdict(scenes: list[Scene], silent: bool) -> None:
    """How many faults there were, of which kinds, and in how many games."""
    if silent:
        return
    decisions, seconds = sum(scene.decisions for scene in scenes), sum(scene.seconds for scene in scenes)
    faults = [(place, fault) for place, scene in enumerate(scenes) for fault in scene.faults if fault.kind != FORFEIT]
    if not faults:
        mean = f", {1000 * seconds / decisions:.2f} ms on average" if decisions else ""
        verdict = f"no fault in {decisions:,} decisions{mean}"
    else:
        kinds = Counter(fault.kind for _, fault in faults)
        games = sum(scene.games for scene in scenes)
        faulty = len({(place, fault.game) for place, fault in faults})
        where = f" in {faulty} of {games} games" if games else ""
        verdict = f"{counted(len(faults), 'fault')}{where}: " + ", ".join(f"{kind} {n}" for kind, n in kinds.most_common())
        if games and any(scene.games < scene.planned for scene in scenes):
            verdict += "; stopped early, since more games would show the same"
    console().print(f"\n{verdict}", markup=False, soft_wrap=True, highlight=False)


def finding_as_dict(finding: FoundFault) -> dict[str, Any]:
    """A finding as it stands in JSON, nothing shortened."""
    evidence = finding.evidence
    said = {"sent": evidence.asked, "answered": evidence.answered.decode(errors="replace"), "standard_error": evidence.log}
    return {"scene": finding.scene.title, **asdict(finding.fault), **said}
