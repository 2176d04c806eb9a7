"""What a game shows to a person at the terminal and asks of one; any game in plain words, field by field, with a key for every legal action.

A game's own screen (`face.screen`) is a `GameScreen` that does some of it better.
"""

from __future__ import annotations

from typing import Any

from rich.text import Text

from kibitz.games.contract import GameDefinition
from kibitz.games.face import Guide
from kibitz.report.telling.plain_telling import PlainTelling
from kibitz.report.telling.spoken_names import Names
from kibitz.terminal.menu import Choice, Menu, TextPage

KEYS = "123456789efghijklmnoprstuvwxyz"  # without the letters of other choices
_KNOWN = ("turn", "players", "seat", "current", "status", "legal")  # told elsewhere


class GameScreen:
    """What a game shows to the person at a seat; `telling` finds the words."""

    name_help = "Actions may be typed by their names."  # a sentence about the names of actions
    name_width = 19

    def __init__(self, game: GameDefinition, title: str, names: list[str], seat: int, to: str | None = None) -> None:
        self.game, self.title, self.names, self.seat, self.to = game, title, Names(names, seat, self.name_width), seat, to
        self.telling: Any = self.make_telling()

    def make_telling(self) -> Any:
        """Who finds the words."""
        return PlainTelling(self.game, self.names, self.to)

    def guide(self) -> Guide | None:
        """How a bot plays that is at the table, if the game explains one."""
        guide = self.game.face.guide
        return guide if guide and any(name.partition(":")[0] == guide.bot for name in self.names.full) else None

    def guide_choices(self) -> list[Choice]:
        """The choice that opens the guide in short, if there is one."""
        guide = self.guide()
        if not guide:
            return []
        lines = [Text(f"{guide.title} (with pictures: {guide.where})", "bold")]
        for part in guide.parts:
            lines += [Text(part.heading, "bold"), Text(f"  {part.brief}")]
        return [Choice(guide.key, "conventions", TextPage(lines))]

    def opening(self, view: Any) -> list[Text]:
        """What is said when a deal begins."""
        lines: list[Text] = self.telling.opening(view)
        return lines

    def tell(self, view: Any, event: Any) -> list[Text]:
        """What is said of an event."""
        lines: list[Text] = self.telling.tell(view, event)
        return lines

    def table(self, view: Any) -> list[Text]:
        """The table as the person sees it: who plays, and every field."""
        lines = [Text(f"{self.title} · turn {view.turn}", "bold")]
        for seat in range(view.players):
            mark = ">" if seat == self.seat else " "
            lines.append(Text(f"{mark} seat {seat} {self.names.name(seat)}", "bold" if seat == self.seat else ""))
        message = self.game.wire.view_message(view)
        return [*lines, Text(), *[Text(f"{_words(name)}: {_value(value)}") for name, value in message.items() if name not in _KNOWN]]

    def menu(self, view: Any) -> Menu:
        """The decision that is open: a key for every legal action."""
        self.telling.ask(view)
        names = [(action, self.game.action_name(view, action)) for action in self.game.legal_actions(view)]
        firsts = [name[0] for _, name in names]
        by_letter = len(set(firsts)) == len(firsts) and not {"a", "b", "q", "?"} & set(firsts)
        keys = firsts if by_letter else KEYS
        return Menu(self.telling.question(view), [Choice(key, name, action) for key, (action, name) in zip(keys, names, strict=False)])

    def why_not(self, view: Any, action: int) -> str:
        """Why an action is not legal now."""
        return str(self.telling.why_not(view, action))

    def ending(self, state: Any) -> list[Text]:
        """How the game ended, with all cards open."""
        lines = [Text(f"{self.title} · the end", "bold"), *[Text(line, "bold") for line in self.telling.result(state)]]
        for seat, hand in enumerate(self.game.hands(state)):
            if hand:
                lines.append(Text(f"{self.names.start(seat)} held {' '.join(map(self.game.face.card_name, hand))}"))
        if self.to:
            lines.append(Text(self.telling.contest_result(list(state.scores[: state.players])), "bold"))
        return lines


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
