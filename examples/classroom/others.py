"""Two players in one file: players.txt finds them by the names of their classes."""

from kibitz.bots.uno.classroom import Card, Color, GameState, Rank


class first_UnoPlayer:
    """Plays the first card that fits."""

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        return next((index for index, card in enumerate(hand) if card.can_play_on(up_card, called_color)), -1)

    def call_color(self, hand: list[Card]) -> Color:
        return Color.RED


class spiteful_UnoPlayer(first_UnoPlayer):
    """Makes the next player draw as soon as that player is nearly out, and calls a colour it has not called itself."""

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        self.avoided = state.most_recent_color_called_by_upcoming_players[0]
        if state.num_cards_in_hands_of_upcoming_players[0] <= 2:
            for index, card in enumerate(hand):
                if card.rank in (Rank.DRAW_TWO, Rank.WILD_D4) and card.can_play_on(up_card, called_color):
                    return index
        return super().play(hand, up_card, called_color, state)

    def call_color(self, hand: list[Card]) -> Color:
        return next(color for color in Color if color not in (self.avoided, Color.NONE))
