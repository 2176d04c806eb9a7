"""The rules of UNO once more, with every switch, slow and obvious: what the engine is tested against.

Written from the rules alone, with lists of card names and no tricks. Chance is left to the caller: whenever a card is
drawn, or dealt out again by a Wild Shuffle Hands, `choose` is handed the cards it may be and says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields

Choose = Callable[[Sequence[str]], str]

COLOURS = ("r", "g", "b", "y")
NUMBER_SYMBOLS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
ACTION_SYMBOLS = ("skip", "rev", "+2")
WILDS = ("wild", "wild+4", "wildshuffle", "wildcustom")
TYPES = [colour + symbol for colour in COLOURS for symbol in NUMBER_SYMBOLS + ACTION_SYMBOLS] + list(WILDS)
PHASES = ("turn", "drawn", "colour", "challenge", "stack", "swap", "uno_call", "catch", "jump_in")


# -- cards --


def is_wild(card: str) -> bool:
    return card in WILDS


def colour_of(card: str) -> str | None:
    return None if is_wild(card) else card[0]


def symbol_of(card: str) -> str:
    return card if is_wild(card) else card[1:]


def points_of(card: str) -> int:
    if card in ("wildshuffle", "wildcustom"):
        return 40
    if card in ("wild", "wild+4"):
        return 50
    if symbol_of(card) in ACTION_SYMBOLS:
        return 20
    return int(symbol_of(card))


def by_type(hand: Sequence[str]) -> list[str]:
    """A hand in the order of the types: how cards lie in a hand that came from another player."""
    return sorted(hand, key=TYPES.index)


def plays_of(card: str) -> list[str]:
    """The actions that play a card: one, or for a wild one a colour."""
    return [f"{card}:{colour}" for colour in COLOURS] if is_wild(card) else [card]


def coloured_deck(symbols: Sequence[str]) -> list[str]:
    """One 0 and two of every other symbol in each colour."""
    deck = []
    for colour in COLOURS:
        deck.append(f"{colour}0")
        for symbol in symbols:
            deck += [f"{colour}{symbol}"] * 2
    return deck


def number_deck() -> list[str]:
    return coloured_deck(NUMBER_SYMBOLS[1:])


def standard_deck() -> list[str]:
    return coloured_deck(NUMBER_SYMBOLS[1:] + ACTION_SYMBOLS) + ["wild"] * 4 + ["wild+4"] * 4


def modern_deck() -> list[str]:
    return standard_deck() + ["wildshuffle"] + ["wildcustom"] * 3


def opening_candidates(pile: Sequence[str], opening: str = "effects") -> list[str]:
    """What may be turned up to begin: what goes back goes back, unless there is nothing else."""
    if opening == "none":
        return list(pile)
    back = WILDS if opening == "redraw_wilds" else ("wild+4",)
    return [card for card in pile if card not in back] or list(pile)


# -- rules --


@dataclass(frozen=True)
class ReferenceRules:
    """The switches, by default the classic ones."""

    starter: str = "after_dealer"
    opening: str = "effects"
    reverse_is_skip: bool = True
    draw: str = "one"
    drawn_card: str = "may_play"
    must_play: bool = False
    wild_draw_four: str = "free"
    stacking: str = "off"
    seven_zero: bool = False
    jump_in: bool = False
    uno_call: bool = False
    last_card_draws: bool = True
    refill: str = "when_empty"

    @classmethod
    def of(cls, rules: object) -> ReferenceRules:
        """The switches of anything that has attributes of these names."""
        return cls(**{switch.name: getattr(rules, switch.name) for switch in fields(cls)})


CLASSIC = ReferenceRules()


@dataclass
class ReferenceGame:
    """One game. Hands are in order of arrival, the discard pile (without the top card) oldest first."""

    hands: list[list[str]]
    pile: list[str]
    top: str
    dealer: int
    max_turns: int = 1000
    discard: list[str] = field(default_factory=list)
    colour: str | None = None  # None while an opening wild has none
    direction: int = 1
    current: int = 0  # who is asked
    phase: str = "turn"
    drawn: str | None = None  # the last card drawn, in the phase drawn
    turn: int = 0
    idle: int = 0  # players in a row who could neither play nor draw
    status: str = "playing"
    winner: int | None = None
    points: int = 0
    rules: ReferenceRules = CLASSIC
    known: list[tuple[int, int, list[str]]] = field(default_factory=list)  # challenger, offender, the hand that was shown
    receiver: int | None = None  # who gets the card that is being chosen

    # The play that is being resolved.
    player: int = 0
    stack: int = 0  # cards that whoever is asked to challenge or to answer faces
    emptied: bool = False  # it was the player's last card
    guilty: bool = False  # the rest of the hand held the colour that was current before
    answer: bool = False  # it answered an open stack
    skipped: int = 0  # players who lose their turn by it

    # -- the beginning --

    @classmethod
    def deal(
        cls, deck: Sequence[str], players: int, hand_size: int, max_turns: int, choose: Choose, rules: ReferenceRules = CLASSIC
    ) -> ReferenceGame:
        """Deal hands seat by seat, draw the dealer, turn up a card and begin."""
        pile = list(deck)
        hands: list[list[str]] = [[] for _ in range(players)]
        for hand in hands:
            for _ in range(hand_size):
                hand.append(choose(pile))
                pile.remove(hand[-1])
        dealer = players - 1 if rules.starter == "seat_0" else int(choose([str(seat) for seat in range(players)]))
        top = choose(opening_candidates(pile, rules.opening))
        pile.remove(top)
        return cls.begin(hands, pile, top, dealer, max_turns, choose, rules)

    @classmethod
    def begin(
        cls,
        hands: list[list[str]],
        pile: list[str],
        top: str,
        dealer: int,
        max_turns: int,
        choose: Choose,
        rules: ReferenceRules = CLASSIC,
    ) -> ReferenceGame:
        """The game after the opening card has had its effect."""
        game = cls(hands, pile, top, dealer, max_turns, colour=colour_of(top), current=dealer, rules=rules)
        first = game.seat_after(dealer, 1)
        if rules.opening in ("effects", "effects_name_colour"):
            if symbol_of(top) == "rev":
                game.direction = -1
                first = dealer
            elif symbol_of(top) == "skip":
                first = game.seat_after(first, 1)
            elif symbol_of(top) == "+2":
                game.force_draw(first, 2, choose)
                first = game.seat_after(first, 1)
        game.start_turn(first)
        if rules.opening == "effects_name_colour" and is_wild(top):
            game.phase = "colour"
        return game

    # -- what may be done --

    def matches(self, card: str) -> bool:
        """Whether a card goes on the top card."""
        if is_wild(card) or self.colour is None:
            return True
        return colour_of(card) == self.colour or symbol_of(card) == symbol_of(self.top)

    def holds_colour(self, seat: int) -> bool:
        """Whether a hand holds a card of the current colour."""
        return self.colour is not None and any(colour_of(card) == self.colour for card in self.hands[seat])

    def playable(self, seat: int) -> list[str]:
        """The cards that a player may play in its turn, each once."""
        cards = [card for card in sorted(set(self.hands[seat])) if self.matches(card)]
        others = [card for card in cards if card != "wild+4"]
        if self.rules.wild_draw_four == "honest_only" and self.holds_colour(seat):
            return others
        if self.rules.wild_draw_four == "last_resort" and others:
            return others
        return cards

    def answers(self, seat: int) -> list[str]:
        """The cards that answer the stack, each once."""
        hand = sorted(set(self.hands[seat]))
        draw_twos = [card for card in hand if symbol_of(card) == "+2"]
        wild_draw_fours = [card for card in hand if card == "wild+4"]
        if self.rules.wild_draw_four == "honest_only" and self.holds_colour(seat):
            wild_draw_fours = []
        if self.top == "wild+4":
            return wild_draw_fours
        if self.rules.stacking == "same":
            return draw_twos
        if self.rules.wild_draw_four == "last_resort" and draw_twos:
            return draw_twos
        return draw_twos + wild_draw_fours

    def legal_actions(self) -> list[str]:
        if self.status != "playing":
            return []
        if self.phase == "turn":
            cards = self.playable(self.current)
            may_draw = not self.rules.must_play or not cards
            return plays_of_all(cards) + (["draw"] if may_draw else [])
        if self.phase == "drawn":
            assert self.drawn is not None
            cards = self.playable(self.current) if self.rules.drawn_card == "any_card" else [self.drawn]
            return plays_of_all(cards) + ([] if self.rules.drawn_card == "must_play" else ["keep"])
        if self.phase == "colour":
            return plays_of(self.top)
        if self.phase == "challenge":
            return ["challenge", "accept"]
        if self.phase == "stack":
            may_challenge = self.rules.wild_draw_four == "challenge" and self.top == "wild+4" and not self.answer
            return plays_of_all(self.answers(self.current)) + (["challenge"] if may_challenge else []) + ["accept"]
        if self.phase == "swap":
            return [f"swap:{places}" for places in range(1, len(self.hands))]
        if self.phase == "uno_call":
            return ["uno", "pass"]
        if self.phase == "catch":
            return ["catch", "pass"]
        assert self.phase == "jump_in"
        return ["jump-in", "pass"]

    # -- what it does --

    def apply(self, action: str, choose: Choose) -> None:
        assert action in self.legal_actions(), f"{action} is not legal"
        card, _, called = action.partition(":")
        if action == "draw":
            self.draw_for_turn(choose)
        elif action == "keep":
            self.start_turn(self.seat_after(self.current, 1))
        elif self.phase == "colour":
            self.colour, self.phase = called, "turn"
        elif action == "challenge":
            self.challenge(choose)
        elif action == "accept":
            self.accept(choose)
        elif card == "swap":
            self.swap_hands(self.player, self.seat_after(self.player, int(called)))
            self.finish_play(skipped=0)
        elif action == "uno":
            self.take_effect(choose)
        elif action == "catch":
            self.force_draw(self.player, 2, choose)
            self.take_effect(choose)
        elif action == "jump-in":
            self.turn += 1
            self.play(self.top, colour_of(self.top), choose)
        elif action == "pass":
            self.pass_window(choose)
        else:
            if self.phase == "stack":
                self.turn += 1
            self.play(card, called or colour_of(card), choose)

    def pass_window(self, choose: Choose) -> None:
        following = self.seat_after(self.current, 1)
        if self.phase == "jump_in":
            self.ask_jump_in(following)
        elif following == self.player:
            self.take_effect(choose)
        else:
            self.ask("catch", following)

    def draw_for_turn(self, choose: Choose) -> None:
        player = self.current
        could_play = bool(self.playable(player))
        last = None
        while True:
            card = self.draw_card(player, choose)
            if card is None:
                break
            last = card
            if self.rules.draw == "one" or card in self.playable(player):
                break
        if last is None:
            self.idle = 0 if could_play else self.idle + 1
            if self.idle == len(self.hands):
                self.status = "stuck"
            else:
                self.start_turn(self.seat_after(player, 1))
            return
        self.idle = 0
        if self.may_play_after_drawing(player, last):
            self.phase, self.drawn = "drawn", last
        else:
            self.start_turn(self.seat_after(player, 1))

    def may_play_after_drawing(self, player: int, last: str) -> bool:
        if self.rules.drawn_card == "may_not_play":
            return False
        if self.rules.drawn_card == "any_card":
            return bool(self.playable(player))
        return last in self.playable(player)

    # -- a play, step by step --

    def play(self, card: str, colour: str | None, choose: Choose) -> None:
        player = self.current
        remove_newest(self.hands[player], card)
        self.discard.append(self.top)
        self.player = player
        self.emptied = not self.hands[player]
        self.guilty = self.holds_colour(player)
        self.answer = self.stack > 0
        self.top, self.colour = card, colour
        self.idle, self.drawn = 0, None
        if self.rules.uno_call and len(self.hands[player]) == 1:
            self.ask("uno_call", player)
        else:
            self.take_effect(choose)

    def take_effect(self, choose: Choose) -> None:
        symbol = symbol_of(self.top)
        if symbol == "skip" or (symbol == "rev" and self.rules.reverse_is_skip and len(self.hands) == 2):
            self.finish_play(skipped=1)
        elif symbol == "rev":
            self.direction = -self.direction
            self.finish_play(skipped=0)
        elif symbol == "7" and self.rules.seven_zero and not self.emptied:
            self.ask("swap", self.player)
        elif symbol == "0" and self.rules.seven_zero and not self.emptied:
            self.pass_hands()
            self.finish_play(skipped=0)
        elif symbol == "wildshuffle" and not self.emptied:
            self.shuffle_hands(choose)
            self.finish_play(skipped=0)
        elif symbol == "+2":
            self.penalise(2, choose)
        elif symbol == "wild+4":
            self.penalise(4, choose)
        else:
            self.finish_play(skipped=0)

    def penalise(self, penalty: int, choose: Choose) -> None:
        """The next player faces cards: it may answer, or challenge, or draws them."""
        victim = self.seat_after(self.player, 1)
        self.stack += penalty
        if self.rules.stacking != "off" and not self.emptied:
            if self.turn == self.max_turns:
                self.status = "cut off"
            else:
                self.ask("stack", victim)
        elif self.top == "wild+4" and self.rules.wild_draw_four == "challenge" and not self.answer:
            self.ask("challenge", victim)
        else:
            self.current = victim
            self.accept(choose)

    def accept(self, choose: Choose) -> None:
        total, self.stack = self.stack, 0
        if not self.emptied or self.rules.last_card_draws:
            self.force_draw(self.current, total, choose)
        self.finish_play(skipped=1)

    def challenge(self, choose: Choose) -> None:
        challenger = self.current
        self.stack = 0
        self.known.append((challenger, self.player, self.hands[self.player][:]))
        if self.guilty:
            self.force_draw(self.player, 4, choose)
            self.start_turn(challenger)
        else:
            self.force_draw(challenger, 6, choose)
            self.finish_play(skipped=1)

    def finish_play(self, skipped: int) -> None:
        """After all effects: the game is over, or others may jump in, or the next turn begins."""
        self.skipped = skipped
        if self.emptied:
            self.status, self.winner = "won", self.player
            self.points = sum(points_of(card) for hand in self.hands for card in hand)
        else:
            self.ask_jump_in(self.seat_after(self.player, 1))

    def ask_jump_in(self, first: int) -> None:
        """Ask whoever may jump in, from a seat on; if nobody may, the next turn begins."""
        if self.rules.jump_in and not is_wild(self.top) and self.turn < self.max_turns:
            seat = first
            while seat != self.player:
                if self.top in self.hands[seat]:
                    self.ask("jump_in", seat)
                    return
                seat = self.seat_after(seat, 1)
        self.start_turn(self.seat_after(self.player, 1 + self.skipped))

    # -- hands that change owner --

    def swap_hands(self, one: int, other: int) -> None:
        self.hands[one], self.hands[other] = by_type(self.hands[other]), by_type(self.hands[one])

    def pass_hands(self) -> None:
        passed = {self.seat_after(seat, 1): by_type(hand) for seat, hand in enumerate(self.hands)}
        self.hands = [passed[seat] for seat in range(len(self.hands))]

    def shuffle_hands(self, choose: Choose) -> None:
        collected = [card for hand in self.hands for card in hand]
        self.hands = [[] for _ in self.hands]
        seat = self.seat_after(self.player, 1)
        while collected:
            self.receiver = seat
            card = choose(collected)
            collected.remove(card)
            self.hands[seat].append(card)
            seat = self.seat_after(seat, 1)
        self.hands = [by_type(hand) for hand in self.hands]

    # -- small steps --

    def seat_after(self, seat: int, places: int) -> int:
        return (seat + places * self.direction) % len(self.hands)

    def ask(self, phase: str, seat: int) -> None:
        self.phase, self.current = phase, seat

    def start_turn(self, player: int) -> None:
        self.current, self.phase, self.drawn = player, "turn", None
        if self.turn == self.max_turns:
            self.status = "cut off"
        else:
            self.turn += 1

    def force_draw(self, player: int, count: int, choose: Choose) -> None:
        for _ in range(count):
            self.draw_card(player, choose)

    def draw_card(self, player: int, choose: Choose) -> str | None:
        """A player draws a card of the draw pile, which is made anew as the rules say; None if there is nothing to draw."""
        if not self.pile:
            self.refill()
        if not self.pile:
            return None
        self.receiver = player
        card = choose(self.pile)
        self.pile.remove(card)
        self.hands[player].append(card)
        if not self.pile and self.rules.refill == "when_empty":
            self.refill()
        return card

    def refill(self) -> None:
        self.pile, self.discard = self.discard, []

    def copy(self) -> ReferenceGame:
        twin = ReferenceGame(**vars(self))
        twin.hands = [hand[:] for hand in self.hands]
        twin.pile, twin.discard = self.pile[:], self.discard[:]
        twin.known = self.known[:]
        return twin


def plays_of_all(cards: Sequence[str]) -> list[str]:
    return [action for card in cards for action in plays_of(card)]


def remove_newest(hand: list[str], card: str) -> None:
    for place in range(len(hand) - 1, -1, -1):
        if hand[place] == card:
            del hand[place]
            return
    raise AssertionError(f"{card} is not in hand")
