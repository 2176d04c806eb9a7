"""UNO in words for one seat: what happened, what is asked, why something is not possible, how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted, listed
from kibitz.games.contract import GameDefinition
from kibitz.games.uno.cards import (
    CHALLENGE,
    COLOURED_TYPES,
    COLOURS,
    DRAW,
    KEEP,
    NO_COLOUR,
    SKIP_KIND,
    WILD_DRAW_FOUR,
    action_card,
)
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.state import (
    CAUGHT,
    CHALLENGED,
    DREW,
    FORCED,
    JUMPED_IN,
    KEPT,
    MISSED_UNO,
    NAMED,
    PASSED_HANDS,
    PLAY,
    SAID_UNO,
    SHUFFLED,
    SWAPPED,
)
from kibitz.games.uno.view import (
    CATCHING,
    CHALLENGING,
    COLOUR,
    CUT_OFF,
    DRAWN,
    HONEST_ONLY,
    JUMPING_IN,
    LAST_RESORT,
    PLAYING,
    STACK,
    SWAP,
    TURN,
    UNO_CALL,
    WON,
    View,
)
from kibitz.report.telling.spoken_names import Names, contest_standing
from kibitz.report.uno.transcript import long_name


def card_in_words(card: int) -> Text:
    """A card by its full name."""
    return Text(long_name(card))


def colour_in_words(colour: int) -> Text:
    """A colour by its name."""
    return Text(COLOURS[colour] if colour != NO_COLOUR else "of your choice")


class UnoTelling:
    """What is said of a game of UNO to the person whom `names` call `you`; `card` and `colour` say how those are written."""

    def __init__(
        self,
        names: Names,
        to: str | None = None,
        card: Callable[[int], Text] = card_in_words,
        colour: Callable[[int], Text] = colour_in_words,
    ) -> None:
        self.names, self.to, self._card, self._colour = names, to, card, colour
        self._hand: list[int] = []  # as last seen
        self._gained: list[int] = []  # by the last change of the hand, if nothing left it
        self._asked = False  # since the last own event, about something to do
        self._skips = True  # whether who is made to draw now is skipped
        self._scores: list[int] = []

    # -- what happened --

    def opening(self, view: View) -> list[Text]:
        """The card turned up, and what it did; in a contest the deal before it."""
        lines = self._last_deal(view)
        self._hand, self._gained, self._asked = self._own_cards(view), [], False
        does = self.names.does_then
        line = Text("The card turned up is ").append_text(self._card(view.top))
        smallest = min(view.sizes[: view.players])
        drew = [seat for seat in range(view.players) if view.sizes[seat] > smallest]
        told = f"; {does(drew[0], 'draw')} {view.sizes[drew[0]] - smallest}" if drew else ""
        return [*lines, line.append(f"{told}; {does(view.current, 'begin')}.")]

    def _last_deal(self, view: View) -> list[Text]:
        scores = list(view.scores[: view.players])
        before, self._scores = self._scores, scores
        if not self.to or not before:
            return []
        gained = [seat for seat in range(view.players) if scores[seat] > before[seat]]
        points = scores[gained[0]] - before[gained[0]] if gained else 0
        won = f"{self.names.does_then(gained[0], 'win')} {counted(points, 'point')}" if gained else "nobody wins"
        return [Text(f"The deal is over: {won}. A new one begins.", "bold")]

    def tell(self, view: View, event: Any) -> list[Text]:
        """An event in words."""
        self._look_at_hand(view)
        told = self._told(view, event)
        self._skips = not (event.kind == CAUGHT or (event.kind == CHALLENGED and event.count))
        if event.seat == self.names.seat:
            self._asked = event.kind == JUMPED_IN
        return [told] if told else []

    def _told(self, view: View, event: Any) -> Text | None:
        mine = event.seat == self.names.seat
        does = self.names.does
        if event.kind == DREW:
            return self._own_draw(event) if mine else None
        if event.kind == KEPT:
            return self._kept(event, mine)
        if event.kind == FORCED:
            what = self._what(event.count) if mine else cards_in_words(event.count)
            return Text(f"{does(event.seat, 'draw')} {what}{' and ' + self._is_skipped(event.seat) if self._skips else ''}.")
        if event.kind == PLAY:
            return self._play(view, event, mine)
        if event.kind == NAMED:
            return Text(does(event.seat, "name") + " ").append_text(self._colour(event.colour)).append(".")
        if event.kind == CHALLENGED:
            return self._challenge(view, event, mine)
        if event.kind == SWAPPED:
            return Text(f"{does(event.seat, 'swap')} hands with {self.names.name(event.other)}.")
        if event.kind == CAUGHT:
            return Text(f"{does(event.seat, 'catch')} {self.names.name(event.other)}, who did not say UNO.")
        return Text(does(event.seat, _VERBS[event.kind][0]) + _VERBS[event.kind][1])

    def _play(self, view: View, event: Any, mine: bool) -> Text:
        if mine:
            line = Text("You play " if self._asked else "There is no choice: you play ")
        else:
            drew = f" draws {cards_in_words(event.count)} and" if event.count else ""
            line = Text(f"{self.names.start(event.seat)}{drew} plays ")
        line.append_text(self._card(event.card))
        if event.card >= COLOURED_TYPES:
            line.append(", calling ").append_text(self._colour(event.colour))
        elif view.kind_of(event.card) == SKIP_KIND and view.status == PLAYING:
            skipped = (event.seat + view.direction) % view.players
            line.append(f": {self.names.name(skipped)} {self._is_skipped(skipped)}")
        if view.sizes[event.seat] == 1 and not (view.uno_call or view.seven_zero or mine):
            line.append(", and has one card left")
        return line.append(".")

    def _is_skipped(self, seat: int) -> str:
        return "are skipped" if seat == self.names.seat else "is skipped"

    def _own_cards(self, view: View) -> list[int]:
        return view.cards() if self.names.seat is not None else []

    def _look_at_hand(self, view: View) -> None:
        """See which cards have come since the last look: all events of an action come with the table after it."""
        now = self._own_cards(view)
        if now != self._hand:
            new, gone = Counter(now) - Counter(self._hand), Counter(self._hand) - Counter(now)
            self._gained = sorted(new.elements()) if not gone else []
            self._hand = now

    def _what(self, count: int) -> str:
        if len(self._gained) != count:
            return cards_in_words(count)
        names, self._gained = [self._name(card) for card in self._gained], []
        return listed(names)

    def _name(self, card: int) -> str:
        return self._card(card).plain

    def _own_draw(self, event: Any) -> Text:
        return Text(f"{'You' if self._asked else 'Nothing fits: you'} draw {self._what(event.count)}.")

    def _kept(self, event: Any, mine: bool) -> Text:
        if not event.count:
            return Text(f"{self.names.start(event.seat)} {'have' if mine else 'has'} nothing to draw.")
        if mine:
            return Text(f"You keep {'it' if event.count == 1 else 'them'}.")
        return Text(f"{self.names.start(event.seat)} draws {cards_in_words(event.count)} and plays none.")

    def _challenge(self, view: View, event: Any, mine: bool) -> Text:
        told = f"{self.names.does(event.seat, 'challenge')} {self.names.name(event.other)}, {'rightly' if event.count else 'wrongly'}"
        known = cards_from(view.known(event.other)) if mine else []
        return Text(told + (f"; the hand was {self._held(known)}." if known else "."))

    def _held(self, cards: list[int]) -> str:
        names = [self._name(card) for card in sorted(cards)]
        return (", " if any(" " in name for name in names) else " ").join(names)

    # -- what is asked --

    def ask(self, view: View) -> None:
        """The person is asked: what follows of its own is its choice, except where it may only say something about another's play."""
        self._asked = view.phase not in (CATCHING, JUMPING_IN)
        self._hand = self._own_cards(view)

    def question(self, view: View, keys: str = "") -> str:
        """The decision that is open; `keys` says how the cards that may be played are chosen."""
        phase = view.phase
        if phase == TURN:
            return f"Your turn: play a card{keys}{' or draw' if view.is_legal(DRAW) else ''}."
        if phase == DRAWN:
            drew = f"You drew {self._name(view.drawn)}: play"
            return f"{drew} it?" if view.only_drawn() else f"{drew} a card{keys} or keep all."
        if phase == COLOUR:
            return "A wild was turned up: which colour do you name?"
        if phase == SWAP:
            return "Swap hands with whom?"
        if phase == UNO_CALL:
            return "One card left!"
        who = self.names.start(view.player)
        if phase in (STACK, CHALLENGING):
            can_answer = phase == STACK and view.playable() != 0
            played = f"{who} played {long_name(view.top)}: "
            if can_answer:
                return f"{played}answer it with a card{keys}, or draw {view.stack}?"
            return f"{played}draw {view.stack}" + " or challenge?" * view.may_challenge
        if phase == CATCHING:
            return f"{who} did not say UNO."
        return f"{who} played a card that you hold too. Jump in?"

    def why_not(self, view: View, action: int) -> str:
        """Why an action is not legal now."""
        if action < DRAW:
            return self._why_no_play(view, action_card(action))
        if action == DRAW and view.phase == TURN:
            return "You can play, and under these rules who can play must."
        if action == KEEP and view.phase == DRAWN:
            return "Under these rules a drawn card that fits must be played."
        if action == CHALLENGE and view.phase in (STACK, CHALLENGING):
            return "There is nothing to challenge."
        return f"'{action_name(action)}' is no answer here."

    def _why_no_play(self, view: View, card: int) -> str:
        name = self._name(card)
        if view.phase == COLOUR:
            return "A colour is to be named first."
        if view.phase > STACK or view.phase == CHALLENGING:
            return "No card can be played here."
        if not view.count(card):
            return f"You do not hold {name}."
        if view.phase == STACK:
            return f"{name} does not answer {self._name(view.top)}."
        if view.only_drawn():
            return f"Only the card just drawn, {self._name(view.drawn)}, may be played now."
        if card == WILD_DRAW_FOUR and view.four_rule == HONEST_ONLY:
            return "A Wild Draw Four may be played only without a card of the current colour in hand."
        if card == WILD_DRAW_FOUR and view.four_rule == LAST_RESORT:
            return "A Wild Draw Four may be played only if nothing else fits."
        on = self._name(view.top) + (f" ({COLOURS[view.colour]})" if view.top >= COLOURED_TYPES else "")
        return f"{name} does not fit on {on}."

    def reasons(self, view: View) -> dict[str, str]:
        """Why cards in hand, drawing, keeping and challenging are not possible now, by their names."""
        cards = [card for card in sorted(set(view.cards())) if not view.can_play(card)] if view.phase <= STACK else []
        told = {card_name(card): self._why_no_play(view, card) for card in cards}
        asked = {TURN: (DRAW,), DRAWN: (KEEP,), STACK: (CHALLENGE,), CHALLENGING: (CHALLENGE,)}.get(view.phase, ())
        told |= {action_name(action): self.why_not(view, action) for action in asked if not view.is_legal(action)}
        return {name: why[0].upper() + why[1:] for name, why in told.items()}

    # -- the end --

    def result(self, state: Any) -> list[str]:
        """Who won the deal, and in a contest how everybody stands."""
        return [self.deal_result(state)]

    def deal_result(self, state: Any) -> str:
        """Who won what, or why nobody did."""
        turns = f"after {counted(state.turn, 'turn')}"
        if state.status == WON:
            return f"{self.names.does(state.winner, 'win')} {counted(state.points, 'point')} {turns}."
        return f"No winner: {'this was the last allowed turn' if state.status == CUT_OFF else 'nobody can play or draw'}, {turns}."

    def contest_result(self, scores: list[int], is_finished: bool = True) -> str:
        """How everybody stands after a deal of a contest, and who has won it if it is finished."""
        return contest_standing(self.names, scores, self.to, is_finished)


def make_telling(game: GameDefinition, names: Names, to: str | None, tells_draws: bool) -> UnoTelling:
    """A telling with cards in full words; drawn cards are told to whoever drew them."""
    return UnoTelling(names, to)


_VERBS = {
    PASSED_HANDS: ("pass", " all hands on."),
    SHUFFLED: ("shuffle", " all hands."),
    SAID_UNO: ("say", " UNO."),
    MISSED_UNO: ("forget", " to say UNO."),
    JUMPED_IN: ("jump", " in."),
}


def cards_in_words(count: int) -> str:
    """So many cards: `a card`, `2 cards`."""
    return "a card" if count == 1 else f"{count} cards"
