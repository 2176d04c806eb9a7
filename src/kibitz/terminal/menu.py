"""Questions to a person: a menu of choices, each of which leads to an action, to another menu or to a page to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.text import Text


@dataclass(frozen=True)
class Page:
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
    leads_to: int | Menu | Page = -1
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
    """A question and its choices."""

    question: str
    choices: Sequence[Choice] = field(default_factory=list)

    def find(self, answer: str) -> Choice | None:
        """The choice with this key or word."""
        for choice in self.choices:
            if answer == choice.key:
                return choice
        return next((choice for choice in self.choices if len(answer) > 1 and answer == choice.word), None)


def counted(number: int, noun: str) -> str:
    """A number of things: `1 card`, `2 cards`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: `1`, `1 and 2`, `1, 2 and 3`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


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


class Names:
    """What the players are called: the person `you`, bots by short names that tell them apart."""

    def __init__(self, bots: Sequence[str], seat: int, width: int = 15) -> None:
        self.seat = seat
        short = [shortened(name, width) for name in bots]
        self._names = [
            f"{shortened(bots[place], width - 4)} ({place})" if short.count(name) > 1 else name for place, name in enumerate(short)
        ]

    def name(self, seat: int) -> str:
        """A player's name inside a sentence."""
        return "you" if seat == self.seat else self._names[seat]

    def start(self, seat: int) -> str:
        """A player's name at the beginning of a sentence."""
        return "You" if seat == self.seat else self._names[seat]

    def does(self, seat: int, verb: str) -> str:
        """A player and what it does: `You play`, `mix2 plays`."""
        if seat == self.seat:
            return f"You {verb}"
        return f"{self._names[seat]} {verb}{'es' if verb.endswith(('s', 'sh', 'ch')) else 's'}"


def shortened(name: str, width: int) -> str:
    """A name that is not too long, without the folders of a file."""
    last = name.rpartition("/")[2]
    return last if len(last) <= width else last[: width - 1] + "…"
