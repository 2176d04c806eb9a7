"""Counts what each attack tried, what held and what was lost: one row of the table that the suite prints at its end.

An attempt that fails does not stop the attack. The test fails at the end of the attack, after everything has been tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pytest

LONGEST = 300  # signs of what is said about something that was lost


@dataclass
class Attack:
    """A kind of attack, and how its attempts went."""

    name: str
    attempts: int = 0
    lost: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def held(self) -> int:
        """Attempts that were not lost."""
        return self.attempts - len(self.lost)

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """One attempt. It is lost if the block raises anything, a failed assertion above all."""
        self.attempts += 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            said = " ".join(str(error).split()) or type(error).__name__
            self.lost.append(f"{what}: {said}"[:LONGEST])

    def check(self, what: str, held: object, said: object = "") -> None:
        """One attempt, which held or did not."""
        with self.attempt(what):
            assert held, said

    def impossible(self, why: str) -> NoReturn:
        """This machine does not allow the attack. That is not a success, and the row says so."""
        self.note = f"not possible here: {why}"
        pytest.skip(self.note)


@contextmanager
def attacking(name: str, rows: list[Attack]) -> Iterator[Attack]:
    """An attack, kept as a row whatever happens. At its end, anything that was lost fails the test."""
    attack = Attack(name)
    rows.append(attack)
    try:
        yield attack
    except (Exception, pytest.fail.Exception) as error:
        with attack.attempt("the attack did not come to its end"):
            raise error
        raise
    assert not attack.lost, f"{len(attack.lost)} of {attack.attempts} attempts: " + "; ".join(attack.lost[:20])


def table(rows: Iterable[Attack]) -> list[str]:
    """The lines of the table: a row per kind of attack, and a total."""
    shown = list(rows)
    total = Attack("total", sum(row.attempts for row in shown), [what for row in shown for what in row.lost])
    width = max(len(row.name) for row in (*shown, total))

    def line(name: str, *cells: Any, note: str = "") -> str:
        return (f"{name:<{width}}" + "".join(f"{cell:>10}" for cell in cells) + (f"   {note}" if note else "")).rstrip()

    rule = "-" * (width + 30)
    lines = [line("attack", "attempts", "held", "lost"), rule]
    lines += [line(row.name, f"{row.attempts:,}", f"{row.held:,}", f"{len(row.lost):,}", note=row.note) for row in shown]
    lines += [rule, line(total.name, f"{total.attempts:,}", f"{total.held:,}", f"{len(total.lost):,}")]
    return [*lines, *(f"lost: {row.name}: {what}" for row in shown for what in row.lost)]
