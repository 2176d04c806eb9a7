"""A game between a person and bots: the person is one more Python bot, whose strategy is to ask."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from rich.text import Text

from kibitz import registry
from kibitz.arena.deal import FAULT, kernels_for
from kibitz.arena.explaining import Adviser, default_adviser
from kibitz.arena.lineup import Lineup, make_lineup, plain_table, seat_players
from kibitz.arena.mixed import MixedTable
from kibitz.arena.playing import guarded, plain_fault
from kibitz.bots.object_bot import ObjectBot
from kibitz.errors import BadValue, KibitzError
from kibitz.games.contract import GameDefinition
from kibitz.records import load
from kibitz.seeds import check_seed, fresh_seed
from kibitz.terminal.advice import Advice
from kibitz.terminal.hanabi import HanabiFace
from kibitz.terminal.menu import Menu, Page, in_rows
from kibitz.terminal.screen import ADVICE, BACK, WIDTH, Left, Screen
from kibitz.terminal.uno import UnoFace

QUIT = ("q", "quit", "exit")


class Face(Protocol):
    """What a game shows to a person and asks of one."""

    name_help: str  # a sentence about the names of actions

    def opening(self, view: Any) -> list[Text]:
        """What is said when a deal begins."""

    def tell(self, view: Any, event: Any) -> list[Text]:
        """What is said of an event."""

    def table(self, view: Any) -> list[Text]:
        """The table as the person sees it."""

    def menu(self, view: Any) -> Menu:
        """The decision that is open."""

    def why_not(self, view: Any, action: int) -> str:
        """Why an action is not legal now."""

    def ending(self, state: Any) -> list[Text]:
        """How the game ended, with all cards open."""


class Person:
    """A person at the table, with the methods of a Python bot, and with advice to be had."""

    def __init__(self, game: GameDefinition, face: Face, screen: Screen, advice: Advice) -> None:
        self.game, self.face, self.screen, self.advice = game, face, screen, advice
        self.log: list[Text] = []

    def begin(self, view: Any) -> None:
        """A deal begins."""
        self.advice.begin(view)
        self.log += self.face.opening(view)

    def observe(self, view: Any, event: Any) -> None:
        """Somebody did something."""
        self.advice.observe(view, event)
        self.log += self.face.tell(view, event)

    def choose(self, view: Any) -> int:
        """Ask the person, who may look around and take steps back, until an action is chosen."""
        page = Page(self.face.table(view), tuple(self.log), self.advice.lines(view) if self.advice.always else ())
        menus = [self.face.menu(view)]
        shown, note = page, ""
        while True:
            answer = self.screen.ask(shown, menus[-1], note, len(menus) > 1)
            shown, note = page, ""
            choice = menus[-1].find(answer)
            leads_to: int | Menu | Page | None = choice.leads_to if choice else None
            if choice and choice.why_not:
                note = choice.why_not
            elif isinstance(leads_to, Menu):
                menus.append(leads_to)
            elif isinstance(leads_to, Page):
                shown = leads_to
            elif leads_to is not None:
                return self._decided(leads_to)
            elif answer in QUIT:
                raise Left
            elif answer == "?":
                shown = self._help(view)
            elif answer in ADVICE:
                shown = page = replace(page, advice=page.advice or self.advice.lines(view))
            elif answer in (BACK, "b"):
                if len(menus) > 1:
                    menus.pop()
                else:
                    note = "There is nothing to go back to."
            else:
                action, note = self._named(view, answer)
                if not note:
                    return self._decided(action)

    def _decided(self, action: int) -> int:
        self.log.clear()
        self.screen.say_busy()
        return action

    def _named(self, view: Any, answer: str) -> tuple[int, str]:
        """The action of this name, and what is wrong with it."""
        if len(answer) < 2:
            return -1, f"'{answer}' is none of the choices." if answer else "That is none of the choices."
        try:
            action = self.game.action_from_name(view, answer)
        except KibitzError as error:
            return -1, str(error)
        return action, "" if view.is_legal(action) else self.face.why_not(view, action)

    def _help(self, view: Any) -> Page:
        """Every legal action by name."""
        names = [Text(self.game.action_name(view, action)) for action in range(128) if view.is_legal(action)]
        return Page([Text("What you may do now, by name", "bold"), *in_rows(names, WIDTH), Text(), Text(self.face.name_help, "dim")])


@dataclass(frozen=True)
class Seating:
    """Who plays what: everything that decides a game but what the person does."""

    game: str
    bots: Sequence[str]
    seat: int = 0
    seed: int = 1
    rules: str | None = None
    to: str | None = None
    advice: str | None = None  # the bot whose advice is shown at every decision, empty for the usual one; None: when asked for

    @property
    def adviser(self) -> str:
        """The bot that advises."""
        return self.advice or default_adviser(self.game, len(self.bots) + 1)

    def command(self) -> str:
        """What to type to be dealt the same cards."""
        words = ["kibitz", "play", self.game, "--against" if self.game == "uno" else "--with", *self.bots, "--seed", str(self.seed)]
        words += ["--seat", str(self.seat)] if self.seat else []
        words += ["--rules", self.rules] if self.rules else []
        words += ["--to", self.to] if self.to else []
        words += ["--advice", *([self.advice] if self.advice else [])] if self.advice is not None else []
        return shlex.join(words)


def play(seating: Seating, screen: Screen, compiled: bool = True) -> None:
    """Play one game, or contest, to its end or until the person leaves."""
    lineup, take_seat = _lineup(seating)
    advice = Advice(Adviser(seating.adviser, seating.game, lineup.players, compiled), seating.advice is not None)
    again = "To be dealt the same cards again:"
    try:
        screen.say(f"Seed {seating.seed}.")
        person = Person(lineup.game, _face(seating, lineup), screen, advice)
        take_seat(person)
        state = _play_compiled(lineup, seating.seed) if compiled else _play_plain(lineup, seating.seed)
        screen.show(Page(person.face.ending(state), tuple(person.log)))
        screen.say(again, seating.command())
    except Left:
        screen.say(f"You have left the game. {again}", seating.command())
    except KeyboardInterrupt:
        screen.say(f"\nThe game was broken off. {again}", seating.command())
        raise


def new_seed(seed: int | None) -> int:
    """The seed that was given, or a fresh one."""
    return fresh_seed() if seed is None else check_seed(seed)


def _lineup(seating: Seating) -> tuple[Lineup, Any]:
    """The line-up with a seat kept free, and what puts the person there."""
    game = registry.game(seating.game)
    players = len(seating.bots) + 1
    if players < 2:
        option = "--with" if game.cooperative else "--against"
        raise BadValue(f"no bot is named; {game.title} is played with at least one other: {option} BOT.")
    if players > game.max_players:
        raise BadValue(f"{len(seating.bots)} bots and you are {players} players; {game.title} is played by 2 to {game.max_players}.")
    if not 0 <= seating.seat < players:
        raise BadValue(f"seat {seating.seat} does not exist: with {players} players seats are 0 to {players - 1}.")
    seated: list[Any] = []
    you = ObjectBot("you", lambda: seated[0], "you", windows=tuple(game.phases[game.basic_phases :]))
    bots: list[Any] = list(seating.bots)
    bots.insert(seating.seat, you)
    return make_lineup(bots, seating.rules, "fixed", seating.game, seating.to), seated.append


def _face(seating: Seating, lineup: Lineup) -> Face:
    names = [entrant.name for entrant in lineup.entrants]
    to = f" to {seating.to}" if seating.to else ""
    title = f"{lineup.game.title} {lineup.rules.to_text()}{to} · seed {seating.seed}"
    if seating.game == "uno":
        return UnoFace(title, names, seating.seat, seating.to)
    return HanabiFace(title, names, seating.seat)


def _play_compiled(lineup: Lineup, seed: int) -> Any:
    """Play with compiled bots; the state at the end."""
    table = MixedTable(lineup, seed)
    table.play(0)
    return load(lineup.game.state, table.state.view(np.uint8))


def _play_plain(lineup: Lineup, seed: int) -> Any:
    """Play with everything as plain Python; the state at the end."""
    kernels = kernels_for(lineup.game)
    table, state = plain_table(lineup), lineup.new_state()
    guarded(lineup, table, state, seed, 0, kernels.start_game, table, state, seed, 0)
    while True:
        if guarded(lineup, table, state, seed, 0, kernels.play_on, table, state) == FAULT:
            raise plain_fault(lineup, table, state, seed, 0)
        if kernels.is_decided(table, state):
            return state
        seat_players(lineup, table)
        guarded(lineup, table, state, seed, 0, kernels.start_deal, table, state, seed)
