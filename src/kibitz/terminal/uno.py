"""UNO for a person: the table, the hand with a key for every card that may be played, and the windows of house rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.text import Text

from kibitz.arena.lineup import parse_target
from kibitz.games.uno.cards import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    COLOUR_OF,
    COLOURED_TYPES,
    COLOURS,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    NO_COLOUR,
    PASS,
    POINTS_OF,
    SKIP_KIND,
    UNO,
    WILD_DRAW_FOUR,
    action_card,
    action_colour,
    play_action,
)
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.notation import hand_in_order
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
from kibitz.report.transcript import long_name
from kibitz.terminal.menu import Choice, Menu, Names, counted, in_rows, listed
from kibitz.terminal.screen import WIDTH

# On backgrounds, so that yellow is seen in light and in dark terminals.
STYLES = ("bold white on red", "black on green", "bold white on blue", "black on yellow", "bold white on magenta")
CARD_KEYS = "123456789efghijlmnorstvwxyz"  # without the letters of other choices


class UnoFace:
    """What a game of UNO shows to the person at a seat."""

    name_help = "Cards are r5, gskip, b+2, yrev; a wild is named with the colour it calls: wild:r; swap:1 is the next player."

    def __init__(self, title: str, bots: list[str], seat: int, to: str | None = None) -> None:
        self.title, self.names, self.seat, self.to = title, Names(bots, seat, 19), seat, to
        self._hand: list[int] = []  # as last seen
        self._gained: list[int] = []  # by the last change of the hand, if nothing left it
        self._asked = False  # since the last own event, about something to do
        self._skips = True  # whether who is made to draw now is skipped
        self._scores: list[int] = []

    # -- what happened --

    def opening(self, view: View) -> list[Text]:
        """The card turned up, and what it did; in a contest the deal before it."""
        lines = self._last_deal(view)
        self._hand, self._gained, self._asked = view.cards(), [], False
        line = Text("The card turned up is ").append_text(card_text(view.top))
        smallest = min(view.sizes[: view.players])
        drew = [seat for seat in range(view.players) if view.sizes[seat] > smallest]
        told = f"; {self._does(drew[0], 'draw')} {view.sizes[drew[0]] - smallest}" if drew else ""
        return [*lines, line.append(f"{told}; {self._does(view.current, 'begin')}.")]

    def _last_deal(self, view: View) -> list[Text]:
        scores = list(view.scores[: view.players])
        before, self._scores = self._scores, scores
        if not self.to or not before:
            return []
        gained = [seat for seat in range(view.players) if scores[seat] > before[seat]]
        won = f"{self._does(gained[0], 'win')} {counted(scores[gained[0]] - before[gained[0]], 'point')}" if gained else "nobody wins"
        return [Text(f"The deal is over: {won}. A new one begins.", "bold")]

    def tell(self, view: View, event: Any) -> list[Text]:
        """An event in words."""
        self._look_at_hand(view)
        told = self._told(view, event)
        self._skips = not (event.kind == CAUGHT or (event.kind == CHALLENGED and event.count))
        if event.seat == self.seat:
            self._asked = event.kind == JUMPED_IN
        return [told] if told else []

    def _told(self, view: View, event: Any) -> Text | None:
        mine = event.seat == self.seat
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
            return Text(does(event.seat, "name") + " ").append_text(colour_text(event.colour)).append(".")
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
        line.append_text(card_text(event.card))
        if event.card >= COLOURED_TYPES:
            line.append(", calling ").append_text(colour_text(event.colour))
        elif view.kind_of(event.card) == SKIP_KIND and view.status == PLAYING:
            skipped = (event.seat + view.direction) % view.players
            line.append(f": {self.names.name(skipped)} {self._is_skipped(skipped)}")
        if view.sizes[event.seat] == 1 and not (view.uno_call or view.seven_zero or mine):
            line.append(", and has one card left")
        return line.append(".")

    def _is_skipped(self, seat: int) -> str:
        return "are skipped" if seat == self.seat else "is skipped"

    def _does(self, seat: int, verb: str) -> str:
        """The same inside a sentence."""
        told = self.names.does(seat, verb)
        return told[0].lower() + told[1:] if seat == self.seat else told

    def _look_at_hand(self, view: View) -> None:
        """See which cards have come since the last look: all events of an action come with the table after it."""
        now = view.cards()
        if now != self._hand:
            new, gone = Counter(now) - Counter(self._hand), Counter(self._hand) - Counter(now)
            self._gained = sorted(new.elements()) if not gone else []
            self._hand = now

    def _what(self, count: int) -> str:
        if len(self._gained) != count:
            return cards_in_words(count)
        names, self._gained = [card_name(card) for card in self._gained], []
        return listed(names)

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
        return Text(told + (f"; the hand was {' '.join(card_name(card) for card in sorted(known))}." if known else "."))

    # -- the table --

    def table(self, view: View) -> list[Text]:
        """Everybody's cards by number, the pile, the own hand."""
        first = Text(f"{self.title} · turn {view.turn}", "bold")
        upwards = view.direction > 0
        following = self.names.name(view.seat_after(1))
        direction = f"Play goes {'up' if upwards else 'down'} the seats: after you comes {following}."
        top = Text("On the table: ").append_text(card_text(view.top))
        if view.top >= COLOURED_TYPES:
            top.append(", colour ").append_text(colour_text(view.colour))
        top.append(f"   {counted(view.pile_size, 'card')} to draw")
        return [first, *in_rows(self._players(view), WIDTH, 0), Text(direction), Text(), top, *self._hand_lines(view)]

    def _players(self, view: View) -> list[Text]:
        cells = []
        for seat in range(view.players):
            scored = f", {counted(view.scores[seat], 'point')}" if self.to else ""
            marker = ">" if seat == self.seat else " "
            told = f"{marker} seat {seat} {self.names.name(seat)}: {counted(view.sizes[seat], 'card')}{scored}"
            cells.append(Text(f"{told:<{WIDTH // 2}}", "bold" if seat == self.seat else ""))
        return cells

    def _hand_lines(self, view: View) -> list[Text]:
        keys = card_keys(view)
        counts = Counter(view.cards())
        width = max(len(card_name(card)) + (3 if counts[card] > 1 else 0) for card in counts) + 4 if counts else 4
        cells = []
        for card in sorted(counts):
            key = Text(f"[{keys[card]}] ", "bold") if card in keys else Text("    ")
            cell = key.append_text(card_text(card)).append(f" x{counts[card]}" if counts[card] > 1 else "")
            cell.append(" " * (width - cell.cell_len))
            cells.append(cell)
        return [Text(f"Your hand, {counted(len(view.cards()), 'card')}:"), *in_rows(cells, WIDTH)]

    # -- the menu --

    def menu(self, view: View) -> Menu:
        """The decision that is open."""
        self._asked = view.phase not in (CATCHING, JUMPING_IN)
        self._hand = view.cards()
        phase = view.phase
        if phase == TURN:
            no_draw = "" if view.is_legal(DRAW) else "You can play, and under these rules who can play must."
            return Menu(
                f"Your turn: play a card{keys_in_words(view)}{'' if no_draw else ' or draw'}.",
                [*self._cards(view), Choice("d", "draw", DRAW, no_draw)],
            )
        if phase == DRAWN:
            return self._drawn_menu(view)
        if phase == COLOUR:
            return Menu("A wild was turned up: which colour do you name?", self._colours(view.top))
        if phase in (STACK, CHALLENGING):
            return self._penalty_menu(view)
        if phase == SWAP:
            return Menu("Swap hands with whom?", self._swaps(view))
        if phase == UNO_CALL:
            return Menu("One card left!", [Choice("u", "uno: say it", UNO), Choice("p", "pass: say nothing", PASS)])
        who = self.names.start(view.player)
        if phase == CATCHING:
            return Menu(f"{who} did not say UNO.", [Choice("c", "catch: draws two", CATCH), Choice("p", "pass", PASS)])
        assert phase == JUMPING_IN
        jump = Choice("j", Text("jump in with ").append_text(card_text(view.top)), JUMP_IN)
        return Menu(f"{who} played a card that you hold too. Jump in?", [jump, Choice("p", "pass", PASS)])

    def _cards(self, view: View) -> list[Choice]:
        choices = []
        for card, key in card_keys(view).items():
            wild = card >= COLOURED_TYPES
            leads_to = Menu(f"{long_name(card)}: which colour do you call?", self._colours(card)) if wild else play_action(card, 0)
            choices.append(Choice(key, card_name(card), leads_to, listed=False))
        return choices

    def _colours(self, card: int) -> list[Choice]:
        return [Choice(COLOURS[colour][0], colour_text(colour), play_action(card, colour)) for colour in range(NO_COLOUR)]

    def _drawn_menu(self, view: View) -> Menu:
        no_keep = "" if view.is_legal(KEEP) else "Under these rules a drawn card that fits must be played."
        keep = Choice("k", "keep", KEEP, no_keep)
        if not view.only_drawn():
            return Menu(f"You drew {card_name(view.drawn)}: play a card{keys_in_words(view)} or keep all.", [*self._cards(view), keep])
        return Menu(f"You drew {card_name(view.drawn)}: play it?", [*self._cards(view), self._play_drawn(view), keep])

    def _play_drawn(self, view: View) -> Choice:
        cards = self._cards(view)
        return Choice("p", Text("play ").append_text(card_text(view.drawn)), cards[0].leads_to)

    def _penalty_menu(self, view: View) -> Menu:
        who = self.names.start(view.player)
        choices = self._cards(view)
        question = f"{who} played {long_name(view.top)}: "
        question += (
            f"answer it with a card{keys_in_words(view)}, or draw {view.stack}?"
            if choices
            else f"draw {view.stack}" + " or challenge?" * view.may_challenge
        )
        no_challenge = "" if view.may_challenge else "There is nothing to challenge."
        return Menu(
            question, [*choices, Choice("a", f"accept: draw {view.stack}", ACCEPT), Choice("c", "challenge", CHALLENGE, no_challenge)]
        )

    def _swaps(self, view: View) -> list[Choice]:
        others = [(view.seat_after(places), places) for places in range(1, view.players)]
        return [
            Choice(str(seat), f"{self.names.name(seat)} ({counted(view.sizes[seat], 'card')})", FIRST_SWAP + places - 1)
            for seat, places in sorted(others)
        ]

    def why_not(self, view: View, action: int) -> str:
        """Why an action is not legal now."""
        if action < DRAW:
            return self._why_no_play(view, action_card(action), action_colour(action))
        for choice in self.menu(view).choices:
            if choice.leads_to == action and choice.why_not:
                return choice.why_not
        return f"'{action_name(action)}' is no answer here."

    def _why_no_play(self, view: View, card: int, colour: int) -> str:
        name = card_name(card)
        if view.phase == COLOUR:
            return "A colour is to be named first."
        if view.phase > STACK or view.phase == CHALLENGING:
            return "No card can be played here."
        if not view.count(card):
            return f"You do not hold {name}."
        if view.phase == STACK:
            return f"{name} does not answer {card_name(view.top)}."
        if view.only_drawn():
            return f"Only the card just drawn, {card_name(view.drawn)}, may be played now."
        if card == WILD_DRAW_FOUR and view.four_rule == HONEST_ONLY:
            return "A Wild Draw Four may be played only without a card of the current colour in hand."
        if card == WILD_DRAW_FOUR and view.four_rule == LAST_RESORT:
            return "A Wild Draw Four may be played only if nothing else fits."
        on = card_name(view.top) + (f" ({COLOURS[view.colour]})" if view.top >= COLOURED_TYPES else "")
        return f"{name} does not fit on {on}."

    # -- the end --

    def ending(self, state: Any) -> list[Text]:
        """Who won what, and every hand."""
        lines = [Text(f"{self.title} · the end", "bold"), Text(self._result(state), "bold")]
        for seat in range(state.players):
            cards = sorted(hand_in_order(state, seat))
            points = sum(POINTS_OF[card] for card in cards)
            held = (
                Text(" ").join([card_text(card) for card in cards]).append(f" ({counted(points, 'point')})") if cards else Text("no cards")
            )
            lines.append(Text(f"{self.names.start(seat)} held ").append_text(held))
        if self.to:
            scores = [f"{self.names.name(seat)} {state.scores[seat]}" for seat in range(state.players)]
            best = max(range(state.players), key=lambda seat: int(state.scores[seat]))
            won = (
                f"{self.names.does(best, 'win')} the contest" if state.scores[best] >= parse_target(self.to) else "Nobody wins the contest"
            )
            lines.append(Text(f"Scores: {', '.join(scores)}. {won} to {self.to}.", "bold"))
        return lines

    def _result(self, state: Any) -> str:
        turns = f"after {counted(state.turn, 'turn')}"
        if state.status == WON:
            return f"{self.names.does(state.winner, 'win')} {counted(state.points, 'point')} {turns}."
        return f"No winner: {'this was the last allowed turn' if state.status == CUT_OFF else 'nobody can play or draw'}, {turns}."


_VERBS = {
    PASSED_HANDS: ("pass", " all hands on."),
    SHUFFLED: ("shuffle", " all hands."),
    SAID_UNO: ("say", " UNO."),
    MISSED_UNO: ("forget", " to say UNO."),
    JUMPED_IN: ("jump", " in."),
}


def card_keys(view: View) -> dict[int, str]:
    """A key for every card type that may be played now."""
    playable = [card for card in sorted(set(view.cards())) if view.phase <= STACK and view.can_play(card) and view.phase != COLOUR]
    return dict(zip(playable, CARD_KEYS, strict=False))


def keys_in_words(view: View) -> str:
    """The keys of the cards that may be played: ` ([1] to [4])`."""
    keys = list(card_keys(view).values())
    return f" ([{keys[0]}])" if len(keys) == 1 else f" ([{keys[0]}] to [{keys[-1]}])" if keys else ""


def cards_in_words(count: int) -> str:
    """So many cards: `a card`, `2 cards`."""
    return "a card" if count == 1 else f"{count} cards"


def card_text(card: int) -> Text:
    """A card's short name on its colour."""
    return Text(card_name(card), STYLES[COLOUR_OF[card]])


def colour_text(colour: int) -> Text:
    """A colour's name on that colour."""
    return Text(COLOURS[colour], STYLES[colour]) if colour != NO_COLOUR else Text("of your choice")
