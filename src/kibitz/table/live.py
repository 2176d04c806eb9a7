"""A game while it is played at a table: a deal or a contest in which some seats are bots and some wait for a person.

Nothing of the web is in here. The server calls `act` when a person moves and `bot_step` for everything that no person
decides, and asks `kibitz.table.viewer_messages` what to tell whom. Bots alone play exactly the game that a batch plays.

Looking at the game is safe while a bot thinks in another thread; `lock` keeps several looks together. Methods that change
the game wait for each other.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, NamedTuple

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import copy_record
from kibitz.core.printable import printable
from kibitz.core.seeds import outside_seed
from kibitz.outside.limits import OutsideFault, Stopped
from kibitz.outside.player import substitute_action
from kibitz.outside.seated import OutsideSeat
from kibitz.play import loop
from kibitz.play.faults import described
from kibitz.play.hearing import heard_of, seen_by
from kibitz.play.lineup import Lineup
from kibitz.play.loop import ASK
from kibitz.play.record import PLAYING, Record
from kibitz.play.record_faults import RecordedFault
from kibitz.play.seat import SeatedBot, player_of
from kibitz.play.sitting import Sitting
from kibitz.registry import Entrant
from kibitz.report.forfeits import substitute_sentence
from kibitz.report.telling import Telling, telling_for
from kibitz.table.charges import Charges
from kibitz.table.offered import OfferedBot
from kibitz.table.setup import Setup as Setup
from kibitz.table.setup import foreign_form, opening_of_written
from kibitz.table.warming import compiled_apart

LOG_LINES = 60  # that are kept for each viewer
MOST_SHOWN = 2000  # characters of what an outside bot wrote to standard error, in the server's log

# Why an action was taken: it was the only one, it is what is done in a window that a bot does not know, somebody chose it, or it was made
# for an outside bot that failed.
FORCED, USUAL, CHOSEN, SUBSTITUTED = "forced", "usual", "chosen", "substitute"
REASONS = {loop.FORCED: FORCED, loop.DEFAULT: USUAL}

Viewer = int | None  # a seat, or None for somebody who looks on


@dataclass(frozen=True)
class TakenAction:
    """One action: the position after it, who took it and why, what everybody saw, and that in words for each who is told.

    A `hidden` one is a chance to jump in that was let pass: that there was one is nobody else's business.
    """

    deal: int
    position: int
    seat: int
    action: str
    why: str
    events: tuple[Any, ...]
    words: Mapping[Viewer, tuple[str, ...]]
    hidden: bool = False


class Report(NamedTuple):
    """What an outside bot did wrong, in full: for the server's owner alone."""

    charged: RecordedFault
    fault: OutsideFault
    told: str  # a sentence
    log: str  # the end of what it wrote to standard error

    def in_full(self) -> str:
        """The report as it stands in the server's log."""
        written = printable(self.log.strip()[-MOST_SHOWN:], lines=True)
        return f"{self.told}\n{written}" if written else self.told


class LiveGame:
    """One game at a table. `deals` are the actions of each deal so far, by name: they bring back a game that was broken off.

    `position` counts the actions of the open deal that everybody noticed: all but chances to jump in that were let pass.
    """

    def __init__(
        self,
        setup: Setup,
        deals: Sequence[Sequence[str]] = (),
        names: Sequence[str] | None = None,
        charges: Charges | None = None,
    ) -> None:
        self.charges = charges or Charges()  # what outside bots did wrong
        self._reports: list[Report] = []
        self.setup, self.definition, self.rules, self.players = setup, setup.definition, setup.parsed_rules, len(setup.seats)
        self.lock = RLock()  # held while the state is looked at or changed, but not while a bot thinks
        self._turn = RLock()  # held through every change
        self._verbs = self.definition.verbs
        self._sitting = Sitting(self._lineup(), setup.seed_of(0), compiled=False, follows=True)
        jit = os.environ.get("KIBITZ_JIT") != "0"
        with compiled_apart(setup.game, [entrant.bot.name for entrant in setup.entrants if entrant and entrant.is_compiled]):
            self._bots: list[SeatedBot | OutsideSeat | None] = [
                self._outside_seat(seat, offered)
                if (offered := setup.offered.get(seat)) and offered.outside
                else player_of(entrant, self.definition, jit)
                if entrant
                else None
                for seat, entrant in enumerate(setup.entrants)
            ]
        self._observing = [
            seat
            for seat, entrant in enumerate(setup.entrants)
            if (entrant and getattr(entrant.bot, "observe", None)) or (seat in setup.offered and setup.offered[seat].wants_events)
        ]
        self.names = [bot or f"Player {seat + 1}" for seat, bot in enumerate(setup.seats)] if names is None else list(names)
        self._find_words()
        self.deal = 0
        self.deals: list[list[str]] = []
        self.scores = [0] * self.players  # of the contest, this deal's points included once it is over
        self._failure: KibitzError | None = None  # of a bot that was told of an action, which happened all the same
        self._ended: Any = None  # how the last deal ended, before the contest went on
        self._decided = False
        self._open_deal(asks=True)
        self._restore([list(actions) for actions in deals])

    def _lineup(self) -> Lineup:
        """Who sits where: everybody is asked here, bots too, who may think for long."""
        windows = tuple(self.definition.phases[self.definition.basic_phases :])
        seats = [
            AskedSeat(entrant.name, windows=entrant.bot.windows, reading=entrant.bot.hand_reading or 1)
            if entrant
            else AskedSeat("", windows=windows)
            for entrant in self.setup.entrants
        ]
        return Lineup(self.definition, self.rules, tuple(Entrant(seat.name, seat) for seat in seats), "fixed", self.setup.to)

    def _outside_seat(self, seat: int, offered: OfferedBot) -> OutsideSeat:
        assert offered.outside is not None

        def seed() -> int:
            return outside_seed(self.setup.seed_of(self.deal), 0, self.deal, seat)

        return OutsideSeat(offered.outside, self.definition, self.rules, seed, self.setup.offers.processes, offered.wants_views)

    # -- how it stands --

    @property
    def _state(self) -> Any:
        return self._sitting.place.state if self._ended is None else self._ended

    @property
    def is_open(self) -> bool:
        """Whether everybody may see everything: nobody who plays could be told."""
        return not self.setup.persons

    @property
    def is_over(self) -> bool:
        """Whether the open deal has ended."""
        return bool(self._verbs["is_over"](self._state))

    @property
    def is_finished(self) -> bool:
        """Whether the whole game has ended: the deal, or the contest with it."""
        return self.is_over and self._decided

    @property
    def to_act(self) -> int | None:
        """The seat whose decision is open. In a chance to jump in this is a secret, which views keep and this does not."""
        with self.lock:
            return None if self.is_over else int(self._state.current)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person has to decide before anything else happens."""
        with self.lock:
            return not self.is_over and self.setup.seats[self._state.current] is None and self._verbs["forced_action"](self._state) < 0

    @property
    def is_held_up(self) -> bool:
        """Whether a bot's turn waits only for a person who has a chance to jump in; a person whose turn it is may move at once."""
        with self.lock:
            if not self.waits_for_person or not self._offers_jump_in():
                return False
            with self.shown(None) as view:
                return self.setup.seats[view.current] is not None

    @property
    def position(self) -> int:
        """How many actions of the deal everybody noticed."""
        return len(self.deals[-1]) - self._unnoticed

    @property
    def outcome(self) -> dict[str, Any]:
        """How the deal stands or ended."""
        return self.definition.outcome(self._state)

    @contextmanager
    def shown(self, seat: Viewer) -> Iterator[Any]:
        """The state as a seat sees it, or for None as all see it but for the hand of the seat it names; not to be kept, and only to be read."""
        with self.lock:
            self._verbs["show"](self._state, self._eyes_of(seat))
            try:
                yield self._state
            finally:
                self._verbs["show_actor"](self._state)

    def view(self, seat: int) -> Any:
        """What a seat may see: a copy, without the stream that leads back to the deal."""
        with self.lock:
            return seen_by(self.definition, self._state, seat)

    def legal_names(self, seat: int | None = None) -> list[str]:
        """What a seat may do now, by default the one to act; nothing while another is to act, or while there is no choice."""
        with self.lock:
            asked = self.to_act if seat is None else seat
            if asked is None:
                return []
            with self.shown(asked) as view:
                if view.current != asked or self.is_over or self._verbs["forced_action"](view) >= 0:
                    return []
                return [self.definition.action_name(view, action) for action in self.definition.legal_actions(view)]

    def is_offered_jump_in(self, seat: int) -> bool:
        """Whether a seat has a chance to jump in now."""
        return self._offers_jump_in() and self.to_act == seat

    def telling(self, viewer: Viewer) -> Telling:
        """Who finds the words for a viewer."""
        return self._tellings[viewer]

    def log(self, viewer: Viewer) -> list[str]:
        """What was said to a viewer last."""
        with self.lock:
            return list(self._logs[viewer])

    def rename(self, seat: int, name: str) -> None:
        """Call somebody by another name from now on."""
        with self.lock:
            self.names[seat] = name
            for telling in self._tellings.values():
                telling.names.rename(self.names)
            if self.deals == [[]] and not self._numbers:  # nothing but who begins was said yet, under the old name
                self._find_words()
                self._tell_opening()

    def ending(self, viewer: Viewer) -> list[str]:
        """How the deal ended in words, and the contest with it."""
        telling = self._tellings[viewer]
        lines = telling.result(self._state)
        return [*lines, telling.contest_result(self.scores, self.is_finished)] if self.setup.to else lines

    # -- what happens --

    def act(self, seat: int, action: str) -> TakenAction:
        """A person's action, by name; who may not take it is told why, and nothing changes.

        While others have a chance to jump in, the next player may move at once, as at a table: their chances are gone then.
        """
        with self._turn:
            if not 0 <= seat < self.players or self.setup.seats[seat] is not None:
                raise BadValue(f"seat {seat} is not a person's.")
            if self.is_over:
                raise BadValue("The deal is over.")
            with self.shown(seat) as view:
                if view.current != seat:
                    raise BadValue(f"It is not your turn: {self.names[view.current]} is to move.")
                number = self._legal_number(view, action)
                was_asked = self.definition.face.decline(view) >= 0
            while self._offers_jump_in() and not was_asked:
                self._ask()  # as always, so that a bot's next answers do not depend on who was faster
                self._take(self.definition.face.decline(self._state), CHOSEN)
            self._ask()
            return self._take(number, CHOSEN)

    def bot_step(self) -> TakenAction | None:
        """One action that no person decides: the only one there is, the usual one, or a bot's choice; None if a person must act or the deal is over."""
        with self._turn:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            if self.is_over or self.waits_for_person:
                return None
            action, why = self._ask()
            with self.lock:
                if not self._verbs["is_legal"](self._state, action):
                    seat = int(self._state.current)
                    raise KibitzError(f"bot {self.names[seat]} in seat {seat} answered {action}, which is not legal there.")
            return self._take(action, why)

    def let_pass(self) -> TakenAction | None:
        """Let a person's chance to jump in pass, as `is_held_up` tells; None if there is none."""
        with self._turn:
            if not self.is_held_up:
                return None
            self._ask()
            return self._take(self.definition.face.decline(self._state), USUAL)

    def next_deal(self) -> None:
        """Begin the next deal of the contest."""
        with self._turn:
            if not self.is_over:
                raise BadValue("The deal is not over yet.")
            if self.is_finished:
                raise BadValue("The game is finished; there is no other deal." if self.setup.to else "The game is over.")
            self._open_deal(asks=True)

    def take_reports(self) -> list[Report]:
        """What outside bots did wrong since this was asked last."""
        with self.lock:
            found, self._reports = self._reports, []
        return found

    def close(self) -> None:
        """End the processes of outside bots, whose answers nobody waits for any more."""
        for player in self._bots:
            if isinstance(player, OutsideSeat):
                player.kill()

    # -- what is kept and told --

    def record(self) -> Record | None:
        """The record of the open deal; None if its deck came from elsewhere, without a seed.

        It has the seed, which decides every card: not to be shown before `is_finished`.
        """
        with self.lock:
            actions, outcome = tuple(self.deals[-1]), self.outcome
            faults = self.charges.in_record(self.deal, self._movers)
            written = self.setup.written
            if written is None:
                later = self._later if self.deal else {}
                found = Record(self.setup.game, self.rules.to_text(), self.setup.seed_of(self.deal), 0, tuple(self.names), actions, **later)
            elif isinstance(written, Record):
                found = replace(written, seats=tuple(self.names), actions=actions, status="", winner=None, points=0, faults=faults)
            else:
                return None
            return with_outcome(replace(found, faults=faults), outcome)

    def foreign(self) -> dict[str, Any] | None:
        """The open deal as `foreign_form` writes it: with all cards, so not to be shown before the end."""
        with self.lock:
            return foreign_form(self.setup.game, self.names, self.rules, self._opening, self._numbers)

    def opening(self) -> Any:
        """The state in which the open deal began: a copy with every card in it."""
        return copy_record(self._opening)

    def numbers(self) -> list[int]:
        """The actions of the open deal by number."""
        return self._numbers[:]

    def recall(self, seat: int) -> Callable[[], list[tuple[Any, Any]]]:
        """All that a seat has heard of the deal until now, to be worked out later, when nobody waits for `lock`."""
        with self.lock:
            opening, numbers = self._opening, self._numbers[:]
        return lambda: heard_of(self.definition, opening, numbers, seat)

    # -- inside --

    def _offers_jump_in(self) -> bool:
        with self.lock:
            return self.definition.face.decline(self._state) >= 0

    def _eyes_of(self, viewer: Viewer) -> int:
        """Whose view serves a viewer. Who looks on sees what nobody's hand adds to: not with the eyes of who is asked something in secret."""
        if viewer is not None:
            return viewer
        return int(self.definition.face.onlooker(self._state)) % self.players

    def _legal_number(self, view: Any, action: str) -> int:
        """The number of an action that a viewer may take, or why it may not."""
        number = self.definition.action_from_name(view, action)
        if self._verbs["is_legal"](view, number):
            return number
        why = self._tellings[view.seat].why_not(view, number)
        raise BadValue(why[:1].upper() + why[1:].rstrip(".") + ".")

    def _open_deal(self, asks: bool) -> None:
        """Deal, and let everybody see it."""
        with self.lock:
            later, sitting = bool(self.deals), self._sitting
            sitting.seed = self.setup.seed_of(self.deal + later)
            self._ended = None
            if self.setup.written is not None:
                sitting.begin_at(opening_of_written(self.setup.written, sitting.seed))
            elif not later:
                sitting.begin(0)
            else:
                sitting.deal_again()
                self.deal += 1
            state = self._state
            self._opening = copy_record(state)
            if self.definition.has_contests:
                dealer = int(state.set_dealer) if 0 <= state.set_dealer < self.players else None
                self._later: dict[str, Any] = {"round": self.deal, "scores": tuple(self.scores), "dealer": dealer}
                self.scores = [int(score) for score in state.scores[: self.players]]
            self._numbers: list[int] = []
            self._movers: list[int] = []  # the seat of each action
            self._untold: dict[int, list[RecordedFault]] = {}  # by seat
            self._unnoticed = 0
            self.deals.append([])
            self._tell_opening()
        if asks:
            self._begin_bots()

    def _find_words(self) -> None:
        """Begin to tell everybody what happens."""
        viewers: list[Viewer] = [*self.setup.persons, None]
        self._tellings: dict[Viewer, Telling] = {
            viewer: telling_for(self.setup.game, self.names, viewer, self.setup.to, tells_draws=self.is_open) for viewer in viewers
        }
        self._logs: dict[Viewer, deque[str]] = {viewer: deque(maxlen=LOG_LINES) for viewer in viewers}

    def _tell_opening(self) -> None:
        for viewer, telling in self._tellings.items():
            with self.shown(viewer) as view:
                self._logs[viewer] += [line.plain for line in telling.opening(view)]

    def _begin_bots(self) -> None:
        for seat, player in enumerate(self._bots):
            if player is not None:
                self._let(seat, player.begin)

    def _let(self, seat: int, method: Any, *args: Any) -> Any:
        """Let a bot begin, hear or choose with its own view, whose stream it may move on."""
        with self.shown(seat) as state:
            view = copy_record(state, self.definition.view)
        try:
            answer = method(view, *args)
        except (OutsideFault, Stopped):
            raise
        except Exception as error:
            raise KibitzError(f"bot {self.names[seat]} in seat {seat} {described(error)}.") from error
        with self.lock:
            self._state.seat_streams[seat] = view.random_stream
            self._verbs["show_actor"](self._state)
        return answer

    def _ask(self, again: bool = False) -> tuple[int, str]:
        """Ask who is to act, perhaps once more: what a bot does and why; a person is only noted to have been asked."""
        with self.lock:
            seat = int(self._state.current)
            why = self._sitting.find()
            if why != ASK:
                return self._sitting.found, REASONS[why]
            player = self._bots[seat]
            if player is None:
                self._note_asked(seat)
                return -1, CHOSEN
        if isinstance(player, OutsideSeat):
            return self._ask_outside(seat, player, again)
        return int(self._let(seat, player.choose)), CHOSEN

    def _ask_outside(self, seat: int, player: OutsideSeat, again: bool) -> tuple[int, str]:
        """What an outside bot does, or the substitute in its place; one that is asked once more answers later."""
        was_out = self.charges.is_out(seat)
        if again and not was_out:
            self._let(seat, player.recall)
            return -1, CHOSEN
        if not was_out:
            try:
                return int(self._let(seat, player.choose)), CHOSEN
            except OutsideFault as fault:
                self._charge(seat, player, fault)
        with self.lock:
            return substitute_action(self.definition, self._state, was_out), SUBSTITUTED

    def _charge(self, seat: int, player: OutsideSeat, fault: OutsideFault) -> None:
        """Note what an outside bot did wrong: for everybody in words of our own, for the server's owner in full."""
        with self.lock:
            charged = self.charges.add(self.deal, len(self._numbers) + 1, seat, fault, player.bot.limits, player.bot.unfit)
            told = substitute_sentence(charged, f"bot {self.names[seat]} in seat {seat}", self.definition.cooperative, fault.what)
            self._reports.append(Report(charged, fault, told, player.log))
        if charged.forfeits:
            player.kill()

    def _note_asked(self, seat: int) -> None:
        """A person is asked: what is told later may hang on what that person saw."""
        self._tellings[seat].ask(self._state)

    def _take(self, action: int, why: str, bots_hear: bool = True) -> TakenAction:
        """Carry out a legal action and tell everybody; bots not of a deal that was over when the game was restored."""
        with self.lock:
            state, seat = self._state, int(self._state.current)
            name = self.definition.action_name(state, action)
            hidden = action >= 0 and action == self.definition.face.decline(state)
            events = tuple(self._sitting.take(action).events)
            self.deals[-1].append(name)
            self._numbers.append(action)
            self._movers.append(seat)
            self._unnoticed += hidden
            faults = self._faults_to_tell(seat, hidden)
            words = {viewer: (*self._tell_faults(viewer, faults), *self._words(viewer, events)) for viewer in self._tellings}
            if self.is_over:
                self._settle()
        if self.is_over:
            self._finish_outside()
        if bots_hear and events:
            for observer in self._observing:
                player = self._bots[observer]
                assert player is not None
                try:
                    self._let(observer, _tell_all(player), events)
                except KibitzError as error:  # the next step says so
                    self._failure = self._failure or error
        return TakenAction(self.deal, self.position, seat, name, why, events, words, hidden)

    def _faults_to_tell(self, seat: int, hidden: bool) -> list[RecordedFault]:
        """The faults that led to the last action. A chance to jump in is a secret, so what was done wrong in one is told with the next action."""
        found = self._untold.pop(seat, []) + self.charges.at(self.deal, len(self._numbers), seat)
        if hidden:
            self._untold[seat] = found
        return [] if hidden else found

    def _tell_faults(self, viewer: Viewer, faults: Sequence[RecordedFault]) -> list[str]:
        lines = [
            substitute_sentence(fault, self._tellings[viewer].names.start(fault.seat), self.definition.cooperative) for fault in faults
        ]
        self._logs[viewer] += lines
        return lines

    def _finish_outside(self) -> None:
        """Tell outside bots that the deal is over; after the last one their processes are not needed any more."""
        for player in self._bots:
            if isinstance(player, OutsideSeat):
                player.finish(self.outcome)
        if self._decided:
            self.close()

    def _words(self, viewer: Viewer, events: Sequence[Any]) -> tuple[str, ...]:
        if not events:
            return ()
        telling = self._tellings[viewer]
        with self.shown(viewer) as view:
            lines = tuple(line.plain for event in events for line in telling.tell(view, event))
        self._logs[viewer] += lines
        return lines

    def _settle(self) -> None:
        """Add a deal that is over to the contest; what is seen of it stays as it ended."""
        self._ended = copy_record(self._state)
        self._decided = self._sitting.is_decided()
        if self.setup.to:
            self.scores = [int(score) for score in self._sitting.place.state.scores[: self.players]]

    def _restore(self, deals: list[list[str]]) -> None:
        """Play through what was played before: bots of the open deal are asked again, so that they remember what they did."""
        begun = self.setup.recorded_actions[: self.setup.at]
        deals = deals or [begun]
        if deals[0][: len(begun)] != begun:
            raise BadValue("the actions that were kept do not begin as the record does from which the table started.")
        for place, actions in enumerate(deals):
            is_open = place == len(deals) - 1
            if place:
                if not self.is_over or self.is_finished:
                    raise BadValue(f"the actions that were kept have {len(deals)} deals, but the game ends with deal {place}.")
                self._open_deal(asks=is_open)
            for name in actions:
                self._restore_action(name, is_open)

    def _restore_action(self, name: str, is_open: bool) -> None:
        if self.is_over:
            raise BadValue(f"action {name}, which was kept, comes after the end of the deal.")
        number = self.definition.action_from_name(self._state, name)
        if not self._verbs["is_legal"](self._state, number):
            raise BadValue(f"action {name}, which was kept, is not legal at position {len(self.deals[-1])} of deal {self.deal + 1}.")
        seat, why = int(self._state.current), CHOSEN
        if is_open:
            _, why = self._ask(again=True)
        elif self._bots[seat] is None and self._verbs["forced_action"](self._state) < 0:
            self._note_asked(seat)
        self._take(number, why, bots_hear=is_open)


def _tell_all(player: SeatedBot | OutsideSeat) -> Any:
    """All events of an action told to a bot with one view, as at a table."""

    def observe(view: Any, events: Sequence[Any]) -> None:
        for event in events:
            player.observe(view, event)

    return observe


def with_outcome(record: Record, outcome: dict[str, Any]) -> Record:
    """A record with the end that the game has."""
    if outcome["status"] == PLAYING:
        return replace(record, status="", winner=None, points=0, where="")
    winner = outcome.get("winner")
    points = outcome["points"] if registry.game(record.game).cooperative or winner is not None else 0
    return replace(record, status=outcome["status"], winner=winner, points=points, where="")
