"""A game between a person and bots: a sitting that asks the person, who can look around, ask for advice, and leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rich.text import Text

from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.sentences import counted
from kibitz.games.contract import GameDefinition
from kibitz.play.explaining import Adviser
from kibitz.play.lineup import Lineup
from kibitz.play.sitting import Ask, Over, Sitting
from kibitz.report.explanation import advice_lines
from kibitz.report.telling.spoken_names import MEANS, short_name
from kibitz.terminal.game_screen import GameScreen
from kibitz.terminal.left import Keeping
from kibitz.terminal.menu import Choice, Menu, TextPage, in_rows
from kibitz.terminal.move_log import Diverged, MoveLog
from kibitz.terminal.screen import ADVICE, BACK, WIDTH, Left, Screen
from kibitz.terminal.seating import Seating
from kibitz.terminal.trials_adviser import TrialsAdviser

QUIT = ("q", "quit", "exit")


class Advice:
    """The advice that a person may have; `always` if it is shown at every decision without asking."""

    def __init__(self, adviser: Adviser | TrialsAdviser, always: bool = False) -> None:
        self._adviser, self.always = adviser, always
        self._unheard: list[tuple[Any, Any]] = []  # views, and the events that led to them; None for the beginning of a deal

    def begin(self, view: Any) -> None:
        """A deal begins."""
        self._unheard = [(view, None)]

    def observe(self, view: Any, event: Any) -> None:
        """Somebody did something."""
        self._unheard.append((view, event))

    def lines(self, view: Any) -> list[Text]:
        """What the adviser says of the decision that is open, or why it has nothing to say: that never ends a game."""
        try:
            heard, self._unheard = self._unheard, []
            for seen, event in heard:
                if event is None:
                    self._adviser.begin(seen)
                else:
                    self._adviser.observe(seen, event)
            return advice_lines(self._adviser.ask(view), short_name(self._adviser.name, 25))
        except KibitzError as error:
            return [Text(f"No advice: {error}", "yellow")]


class Person:
    """A person at the table, with advice to be had."""

    def __init__(
        self, game: GameDefinition, face: GameScreen, screen: Screen, advice: Advice, moves: MoveLog, keeping: Keeping | None
    ) -> None:
        self.meanings = True  # whether the log says what moves mean under a convention
        self.game, self.face, self.screen, self.advice, self.moves, self.keeping = game, face, screen, advice, moves, keeping
        self.log: list[Text] = []

    def begin(self, view: Any) -> None:
        """A deal begins."""
        self.moves.begin_deal()
        self.advice.begin(view)
        self.log += self.face.opening(view)

    def observe(self, view: Any, event: Any) -> None:
        """Somebody did something."""
        self.advice.observe(view, event)
        self.log += [line for line in self.face.tell(view, event) if self.meanings or not line.plain.startswith(MEANS)]

    def choose(self, view: Any) -> int:
        """Ask the person, who may look around and take steps back, until an action is chosen; or repeat what was chosen before."""
        repeated = self.moves.repeated(self.game, view)
        if repeated is not None:
            self.face.menu(view)  # it hears what is asked
            self.log.clear()
            return repeated
        if self.keeping and self.keeping.problem:
            self.log.append(Text(f"Your last move could not be kept: {self.keeping.problem}", "yellow"))
        page = TextPage(self.face.table(view), tuple(self.log), self.advice.lines(view) if self.advice.always else ())
        self.screen.drop_typed()
        menus = [self.face.menu(view)]
        shown, note = page, ""
        while True:
            answer = self.screen.ask(shown, menus[-1], note, len(menus) > 1)
            shown, note = page, ""
            choice = menus[-1].find(answer)
            leads_to: int | Menu | TextPage | None = choice.leads_to if choice else None
            if choice and choice.why_not:
                note = choice.why_not
            elif isinstance(leads_to, Menu):
                menus.append(leads_to)
            elif isinstance(leads_to, TextPage):
                self.screen.read(leads_to, answer)
            elif leads_to is not None:
                return self._decided(leads_to)
            elif answer in QUIT:
                self._ask_to_leave(page)
            elif answer == "?":
                self.screen.read(self._help(view, menus[0]), answer)
            elif answer in ADVICE:
                shown = page = replace(page, advice=page.advice or self.advice.lines(view))
                self.screen.drop_typed()
            elif answer in (BACK, "b"):
                if len(menus) > 1:
                    menus.pop()
                else:
                    note = "There is nothing to go back to."
            else:
                action, note = self._named(view, answer)
                if not note:
                    return self._decided(action)

    def _ask_to_leave(self, page: TextPage) -> None:
        """Make sure that leaving is meant."""
        kept = "It is not kept."
        if self.keeping:
            kept = f"It is kept: `{self.keeping.command()}` continues it."
            if not self.keeping.is_kept:
                kept = "You have not made a move, so there is nothing to keep."
        menu = Menu(f"Leave this game? {kept}", [Choice("y", "yes: leave"), Choice("n", "no: stay")], in_game=False)
        note = ""
        while True:
            answer = self.screen.ask(page, menu, note)
            choice = menu.find(answer)
            if choice and choice.key == "y":
                raise Left
            if choice or answer == BACK:
                return
            note = "That is not one of the choices."

    def _decided(self, action: int) -> int:
        self.log.clear()
        self.screen.say_busy()
        return action

    def _named(self, view: Any, answer: str) -> tuple[int, str]:
        """The action of this name, and what is wrong with it."""
        if len(answer) < 2:
            return -1, f"'{answer}' is not one of the choices." if answer else "That is not one of the choices."
        try:
            action = self.game.action_from_name(view, answer)
        except KibitzError as error:
            return -1, str(error)
        return action, "" if view.is_legal(action) else self.face.why_not(view, action)

    def _help(self, view: Any, menu: Menu) -> TextPage:
        """Every legal action by name, with the keys that lead to it where keys are pressed."""
        paths = menu.paths() if self.screen.has_keys else {}
        names = [
            Text.assemble((f"{paths[action]} ", "bold") if action in paths else "", self.game.action_name(view, action))
            for action in range(128)
            if view.is_legal(action)
        ]
        title = "What you can do now, by key and name" if paths else "What you can do now, by name"
        about = [Text(self.face.name_help, "dim")]
        if paths:
            about.append(Text("Esc goes a step back, ! asks for advice, q leaves the game.", "dim"))
        return TextPage([Text(title, "bold"), *in_rows(names, WIDTH), Text(), *about])


def play(seating: Seating, screen: Screen, compiled: bool = True, keeping: Keeping | None = None, meanings: bool = True) -> None:
    """Play one game, or contest, to its end or until the person leaves; what `keeping` has kept of it is gone through first.

    With `meanings` the log says what moves mean under a partner's conventions.
    """
    lineup = seating.lineup()
    advice = Advice(seating.adviser(compiled), seating.advice is not None)
    moves = MoveLog(keeping.deals, keeping.keep) if keeping else MoveLog()
    face = _face(seating, lineup)
    try:
        screen.say(seating.sentence())
        guide = face.guide()
        if guide:
            screen.say(f"{guide.bot} reads a meaning into each move: {guide.key} shows how ({guide.where}).")
        if keeping and keeping.deals:
            screen.say(f"Going through the {counted(sum(map(len, keeping.deals)), 'move')} made so far …")
        person = Person(lineup.game, face, screen, advice, moves, keeping)
        person.meanings = meanings
        state = _play_game(Sitting(lineup, seating.seed, compiled, follows=True), seating.seat, person)
        screen.show(TextPage(face.ending(state), tuple(person.log)))
        if keeping:
            keeping.forget()
        _say_how_to_return(screen, "", seating)
    except Left:
        if screen.is_gone:
            raise BrokenPipeError from None
        _say_how_to_return(screen, "You have left the game.", seating, keeping)
    except KeyboardInterrupt:
        _say_how_to_return(screen, "\nThe game was broken off.", seating, keeping)
        raise
    except Diverged as error:
        raise BadValue(
            f"the game you left can't be continued: a bot does not play as it did then ({error}); `{seating.command()}` deals the same cards."
        ) from None


def _say_how_to_return(screen: Screen, sentence: str, seating: Seating, keeping: Keeping | None = None) -> None:
    """What happened, and which commands continue the game or deal the same cards."""
    if keeping and keeping.is_kept:
        screen.say(f"{sentence} To continue it:", keeping.command())
        sentence = ""
    screen.say(f"{sentence} To be dealt the same cards again:".lstrip(" "), seating.command())


def _face(seating: Seating, lineup: Lineup) -> GameScreen:
    names = [entrant.name for entrant in lineup.entrants]
    to = f" to {seating.to}" if seating.to else ""
    title = f"{lineup.game.title} {lineup.rules.to_text()}{to} · seed {seating.seed}"
    made: GameScreen = lineup.game.face.load("screen")(lineup.game, title, names, seating.seat, seating.to)
    return made


def _play_game(sitting: Sitting, seat: int, person: Person) -> Any:
    """Play to the end of the game; the state then."""
    with sitting.attending():
        sitting.begin(0)
    while True:
        person.begin(sitting.look(seat))
        _play_deal(sitting, seat, person)
        with sitting.attending():
            if not sitting.next_deal():
                return sitting.state


def _play_deal(sitting: Sitting, seat: int, person: Person) -> None:
    blank = sitting.lineup.new_state()
    while True:
        with sitting.attending():
            step = sitting.step()
        if isinstance(step, Over):
            return
        if isinstance(step, Ask):
            action = person.choose(step.view)
            with sitting.attending():
                step = sitting.answer(action, step.view)
        person.moves.note(sitting.game.action_name(blank, step.action))
        view = sitting.look(seat)
        for event in step.events:
            person.observe(view, event)
