"""A tournament player that sheds command cards first, then its highest number, and keeps wilds for last."""

from kibitz.bots.uno.classroom import Card, Color, GameState, Rank

COMMANDS = (Rank.SKIP, Rank.REVERSE, Rank.DRAW_TWO)


class ashtabna_UnoPlayer:  # named by the prefix in players.txt
    """Gets rid of points as fast as it can."""

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        best, most = -1, (-1, -1)
        for index, card in enumerate(hand):
            if card.can_play_on(up_card, called_color):
                kind = 0 if card.color is Color.NONE else 2 if card.rank in COMMANDS else 1
                if (kind, card.points) > most:
                    best, most = index, (kind, card.points)
        return best

    def call_color(self, hand: list[Card]) -> Color:
        colors = [card.color for card in hand if card.color is not Color.NONE]
        return max(colors, key=colors.count, default=Color.RED)
