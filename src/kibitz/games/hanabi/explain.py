"""Rules of Hanabi in plain words."""

from __future__ import annotations

from kibitz.games.hanabi.rules import Rules


def describe_rules(rules: Rules) -> list[str]:
    """The rules in plain words, a sentence or two each."""
    hands = f"{rules.hand_size} cards" if rules.hand_size else "five cards with two or three players, four with four or five"
    full = "also" if rules.discard_when_full else "but not"
    return [
        f"{rules.colours} colours with ranks 1 to {rules.ranks}: of each colour three 1s, two each of the ranks between, one of the highest.",
        f"Everybody gets {hands} and sees all hands but the own one. There are {rules.tokens} information tokens and {rules.lives} lives.",
        "A turn: hint, discard or play. A hint costs a token and names one colour or rank of another player, with every card it touches, at least one.",
        f"A discard gains a token; it is allowed at any time, {full} while all tokens are there.",
        "A card that is next on its colour's pile is played; completing a pile gains a token. Any other is discarded, and a life is lost.",
        "A card is drawn for one that left. With the last card drawn, everybody has one more turn, the player who drew it included.",
        f"The score is the number of cards on the piles, at most {rules.perfect_score}. A game whose last life is lost scores 0; the points kept are reported too.",
    ]
