"""Before a game begins: which one, and whether to continue one that was left. Only at a terminal is anybody asked."""

from __future__ import annotations

from rich.text import Text

from kibitz import registry
from kibitz.core.sentences import listed
from kibitz.terminal.left import LeftGame
from kibitz.terminal.menu import Choice, Menu, TextPage
from kibitz.terminal.screen import BACK, Left, Screen
from kibitz.terminal.seating import usual_bots

CONTINUE, NEW, FORGET = "c", "n", "f"


def usual_game(game: str) -> str:
    """A game with those whom one plays with if nobody is named."""
    definition = registry.game(game)
    return f"{definition.title} {'with' if definition.cooperative else 'against'} {listed(usual_bots(game))}"


def offer(screen: Screen, left: LeftGame) -> str:
    """Ask what is to become of a game that was left: CONTINUE, NEW or FORGET."""
    choices = [Choice(CONTINUE, "continue it")] if not left.problem else []
    return _asked(screen, left, "What now?", [*choices, Choice(NEW, "new game"), Choice(FORGET, "forget it and begin a new one")])


def which_game(screen: Screen, left: LeftGame | None) -> str:
    """Ask which game to play: its name, or CONTINUE."""
    choices = [Choice(CONTINUE, "continue it")] if left and not left.problem else []
    return _asked(screen, left, "What would you like to play?", [*choices, *[Choice(game, usual_game(game)) for game in registry.BUILT_IN]])


def _asked(screen: Screen, left: LeftGame | None, question: str, choices: list[Choice]) -> str:
    keyed: list[Choice] = []
    for choice in choices:  # by its first letter that no other has
        taken = {"q", *(other.key for other in keyed)}
        keyed.append(Choice(next((letter for letter in choice.key if letter not in taken), choice.key), choice.label))
    menu = Menu(question, [*keyed, Choice("q", "quit")], in_game=False)
    page, note = TextPage([Text(left.sentence())] if left else []), ""
    screen.drop_typed()
    while True:
        answer = screen.ask(page, menu, note)
        if answer in ("q", BACK):
            raise Left
        for choice, key in zip(choices, keyed, strict=True):
            if answer == key.key:
                return choice.key
        note = "That is not one of the choices."
