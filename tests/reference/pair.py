"""A game on the engine with the reference beside it: the same actions, the same cards, compared after every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, MAX_CARDS, MAX_PLAYERS, NO_CARD
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.state import Event, State
from kibitz.games.uno.view import PHASE_NAMES, STATUS_NAMES
from kibitz.play.game import Game
from tests.reference.uno import ReferenceGame, ReferenceRules, opening_candidates, symbol_of

CARD_NAMES = [card_name(card) for card in range(CARD_TYPES)]
ACTION_NAMES = [action_name(action) for action in range(ACTIONS)]
COLOUR_NAMES = ("r", "g", "b", "y", None)
WINDOWS = ("challenge", "stack", "swap", "uno_call", "catch", "jump_in")  # where `player` means something

Planes = tuple[int, int, int]


def names_of(cards: Iterable[int]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def hand_of(state: State, seat: int) -> list[str]:
    start = seat * MAX_CARDS
    return names_of(state.orders[start : start + state.sizes[seat]])


def hands_of(state: State) -> list[list[str]]:
    return [hand_of(state, seat) for seat in range(state.players)]


def planes_of(state: State, seat: int) -> Planes:
    return state.hands0[seat], state.hands1[seat], state.hands2[seat]


def known_planes(state: State, viewer: int, seat: int) -> Planes:
    place = viewer * MAX_PLAYERS + seat
    return state.knowledge0[place], state.knowledge1[place], state.knowledge2[place]


def counted(planes: Planes) -> Counter[str]:
    """A hand in bit planes as a table of counts."""
    counts: Counter[str] = Counter()
    for digit, plane in enumerate(planes):
        left = plane
        while left:
            counts[CARD_NAMES[(left & -left).bit_length() - 1]] += 1 << digit
            left &= left - 1
    return counts


class Queue:
    """Hands the reference the cards that the engine drew, in that order."""

    def __init__(self, cards: list[str]) -> None:
        self.cards = cards

    def __call__(self, options: Sequence[str]) -> str:
        assert self.cards, "the engine drew fewer cards"
        assert self.cards[0] in options, "the engine drew a card that the reference does not have"
        return self.cards.pop(0)


class Outcome:
    """Hands the reference the cards that the engine's hands hold after an action.

    New cards stand at the end of a hand, so the place after the reference's last card tells the next one. Only a caught
    player whose hand moves on before anybody sees it draws cards of which the engine leaves no order: any order will do.
    """

    def __init__(self, reference: ReferenceGame, hands: list[list[str]]) -> None:
        self.reference, self.hands = reference, hands
        self.dealt = 0  # cards dealt out by a Wild Shuffle Hands

    def __call__(self, options: Sequence[str]) -> str:
        reference = self.reference
        drawing = options is reference.pile
        self.dealt += not drawing
        if drawing and self.hand_moves_on():
            return self.any_new_card(options)
        assert reference.receiver is not None
        place = len(reference.hands[reference.receiver])
        assert place < len(self.hands[reference.receiver]), "the engine drew fewer cards"
        card = self.hands[reference.receiver][place]
        assert card in options, "the engine drew a card that the reference does not have"
        return card

    def hand_moves_on(self) -> bool:
        reference = self.reference
        if reference.phase != "catch":
            return False
        return reference.top == "wildshuffle" or (symbol_of(reference.top) == "0" and reference.rules.seven_zero)

    def any_new_card(self, options: Sequence[str]) -> str:
        new = Counter(card for hand in self.hands for card in hand)
        new.subtract(card for hand in self.reference.hands for card in hand)
        for card, count in new.items():
            if count > 0 and card in options:
                return card
        raise AssertionError("the engine drew fewer cards")


class Pair:
    """A game on the engine and the same game by the reference."""

    def __init__(self, game: Game, reference: ReferenceGame | None = None) -> None:
        """A game that has just begun, or any with its reference."""
        self.game, self.state = game, game.state
        self.reference = self.begun() if reference is None else reference
        self.legal: list[int] = []
        self.shown = 0  # hands shown in challenges
        self.shuffled = False  # hands were dealt out again by the last action
        self.checked: list[tuple[list[str], Planes]] = [([], (0, 0, 0))] * self.state.players

    def begun(self) -> ReferenceGame:
        """The reference dealt as the engine has dealt."""
        game = self.game
        size = game.rules.hand_size
        rules = ReferenceRules.of(game.rules)
        hands = hands_of(self.state)
        top = CARD_NAMES[self.state.top]
        extra = [card for hand in hands for card in hand[size:]]  # the first player's, if a Draw Two was turned up
        pile = names_of(self.state.pile[: self.state.pile_size]) + extra
        assert top in opening_candidates([*pile, top], rules.opening)
        assert rules.starter != "seat_0" or self.state.dealer == self.state.players - 1
        dealt = [hand[:size] for hand in hands]
        queue = Queue(extra[:])
        reference = ReferenceGame.begin(dealt, pile, top, self.state.dealer, game.rules.max_turns, queue, rules)
        assert not queue.cards, "the engine drew more cards"
        return reference

    def apply(self, action: int) -> list[Event]:
        events = self.game.apply(action)
        outcome = Outcome(self.reference, hands_of(self.state))
        self.reference.apply(ACTION_NAMES[action], outcome)
        self.shuffled = outcome.dealt > 0
        return events

    def check(self) -> None:
        """Everything there is to know agrees."""
        state, reference = self.state, self.reference
        assert STATUS_NAMES[state.status] == reference.status
        self.legal = self.game.legal_actions()
        legal = [ACTION_NAMES[action] for action in self.legal]
        assert len(legal) == len(set(legal))
        assert set(legal) == set(reference.legal_actions())
        assert hands_of(state) == reference.hands
        assert state.sizes[: state.players] == [len(hand) for hand in reference.hands]
        assert CARD_NAMES[state.top] == reference.top
        assert COLOUR_NAMES[state.colour] == reference.colour
        assert state.direction == reference.direction
        assert names_of(state.discard[: state.discard_size]) == reference.discard
        assert sorted(names_of(state.pile[: state.pile_size])) == sorted(reference.pile)
        assert state.turn == reference.turn
        assert (None if state.winner == NO_CARD else state.winner) == reference.winner
        assert state.points == reference.points
        if reference.status == "playing":
            self.check_decision()
        self.check_planes()
        self.check_knowledge()

    def check_decision(self) -> None:
        """The decision that is open agrees."""
        state, reference = self.state, self.reference
        assert PHASE_NAMES[state.phase] == reference.phase
        assert state.current == reference.current
        assert state.idle_players == reference.idle
        if reference.phase == "drawn":
            assert CARD_NAMES[state.hidden_drawn] == reference.drawn
        if reference.phase in WINDOWS:
            assert state.player == reference.player
        if reference.phase in ("challenge", "stack"):
            assert state.stack == reference.stack
        elif reference.phase not in ("uno_call", "catch"):  # in those two a stack may be open, but nobody faces it yet
            assert state.stack == reference.stack == 0

    def check_planes(self) -> None:
        """Hands as bit planes agree with the lists."""
        for seat, hand in enumerate(self.reference.hands):
            known_hand, known_planes = self.checked[seat]
            planes = planes_of(self.state, seat)
            if hand != known_hand or planes != known_planes:
                assert counted(planes) == Counter(hand)
                self.checked[seat] = hand[:], planes

    def check_knowledge(self) -> None:
        """What a player knows of another hand is true; after a challenge the challenger knows all that was shown."""
        state, reference = self.state, self.reference
        if len(reference.known) > self.shown:
            self.shown = len(reference.known)
            challenger, offender, hand = reference.known[-1]
            assert counted(known_planes(state, challenger, offender)) == Counter(hand)
        if state.any_known:
            for viewer in range(state.players):
                for seat, hand in enumerate(reference.hands):
                    planes = known_planes(state, viewer, seat)
                    assert planes == (0, 0, 0) or counted(planes) <= Counter(hand)
