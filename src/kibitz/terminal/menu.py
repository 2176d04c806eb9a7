"""Questions to a person: a menu of choices, each of which leads to an action, to another menu or to a page to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.text import Text


@dataclass(frozen=True)
class TextPage:
    """What stands above a question: the table, what has happened, of which the end matters most, and advice, its first lines first."""

    table: Sequence[Text]
    log: Sequence[Text] = ()
    advice: Sequence[Text] = ()


@dataclass(frozen=True)
class Choice:
    """One answer: its key, the words it is listed with (the first of them may be typed too), and where it leads.

    A choice with `why_not` is not listed; who makes it all the same is told why it is not possible.
    """

    key: str
    label: str | Text
    leads_to: int | Menu | TextPage = -1
    why_not: str = ""
    listed: bool = True

    @property
    def word(self) -> str:
        """The word that may be typed instead of the key."""
        return str(self.label).partition(" ")[0].rstrip(":").lower()

    def text(self) -> Text:
        """The choice as it is listed: `[p] play`."""
        return Text.assemble((f"[{self.key}]", "bold"), " " if self.label else "", self.label)


@dataclass(frozen=True)
class Menu:
    """A question and its choices; `in_game` if advice, all moves and leaving are offered as well."""

    question: str
    choices: Sequence[Choice] = field(default_factory=list)
    in_game: bool = True

    def find(self, answer: str) -> Choice | None:
        """The choice with this key or word."""
        for choice in self.choices:
            if answer == choice.key:
                return choice
        return next((choice for choice in self.choices if len(answer) > 1 and answer == choice.word), None)

    def paths(self, before: str = "") -> dict[int, str]:
        """The keys that lead to each action, one after another."""
        found: dict[int, str] = {}
        for choice in self.choices:
            keys = before + choice.key
            if isinstance(choice.leads_to, Menu):
                found = choice.leads_to.paths(keys) | found
            elif isinstance(choice.leads_to, int):
                found.setdefault(choice.leads_to, keys)
        return found


def in_rows(parts: Sequence[Text], width: int, gap: int = 2) -> list[Text]:
    """Parts side by side, in as many rows as they need."""
    rows: list[Text] = []
    for part in parts:
        if rows and rows[-1].cell_len + gap + part.cell_len <= width:
            rows[-1].append(" " * gap).append_text(part)
        else:
            rows.append(part.copy())
    for row in rows:
        row.rstrip()
    return rows
