"""Rules in plain words."""

from __future__ import annotations

from kibitz.games.uno.cards import COLOURED_TYPES, DECKS, DRAW_TWO, SKIP, VALUES, WILD_CUSTOMIZABLE, WILD_DRAW_FOUR, WILD_SHUFFLE_HANDS
from kibitz.games.uno.rules import Rules

_DECKS = {
    "standard": "the standard deck of 108",
    "numbers": "the number deck of 76",
    "modern": "the modern deck of 112",
}
_STARTERS = {
    "after_dealer": "the dealer is drawn at random (and moves on in a contest), and the next player begins",
    "seat_0": "seat 0 begins every deal",
    "random_seat": "who begins is drawn at random",
}
_EFFECTS = "The opening card counts: Skip skips the first player, Draw Two makes it draw two and skips it, on a Reverse the dealer begins and the direction turns, "
_OPENINGS = {
    "effects": _EFFECTS + "on a Wild anything may be played, a Wild Draw Four goes back.",
    "effects_name_colour": _EFFECTS + "on a Wild the first player names the colour and then plays, a Wild Draw Four goes back.",
    "none": "The opening card has no effect; on a wild anything may be played.",
    "redraw_wilds": "The opening card has no effect; a wild is replaced until another card comes.",
}
_DRAWS = {
    "one": "draw one card",
    "until_playable": "draw until a card may be played",
}
_DRAWN = {
    "may_play": "A drawn card that fits may be played at once.",
    "must_play": "A drawn card that fits must be played at once.",
    "may_not_play": "A drawn card may not be played in the same turn.",
    "any_card": "After drawing, any card of the hand that fits may be played.",
}
_FOURS = {
    "free": "A Wild Draw Four may always be played.",
    "honest_only": "A Wild Draw Four may be played only without a card of the current colour in hand.",
    "challenge": "A Wild Draw Four may always be played, but the next player may challenge it: if the hand held a card of the colour current before, "
    "who played it draws four and the challenger has a normal turn; if not, the challenger draws six and is skipped. The challenger sees the hand.",
    "last_resort": "A Wild Draw Four may be played only if nothing else is playable.",
}
_STACKING = {
    "same": "A Draw Two may be answered by a Draw Two, a Wild Draw Four by a Wild Draw Four; who does not answer draws the total and is skipped.",
    "progressive": "A Draw Two may be answered by a Draw Two or a Wild Draw Four, a Wild Draw Four by another; "
    "who does not answer draws the total and is skipped.",
}


def describe_rules(rules: Rules) -> list[str]:
    """The rules in plain words, a sentence or two each."""
    deck = next((text for name, text in _DECKS.items() if rules.deck == DECKS[name]), f"a deck of {sum(rules.deck)} cards")
    voluntary = "only without a playable one in hand" if rules.must_play else "even with a playable one in hand"
    reverse = "is a Skip" if rules.reverse_is_skip else "turns the direction, so that the other player is next"
    values = {card % VALUES for card in range(COLOURED_TYPES) if rules.deck[card]}
    has_actions, has_wilds = max(values, default=0) >= SKIP, any(rules.deck[COLOURED_TYPES:])
    fitting = ("colour, number or symbol" if has_actions else "colour or number") + (", or a wild" if has_wilds else "")
    lines = [f"Everybody gets {rules.hand_size} card{'s' if rules.hand_size > 1 else ''} from {deck}; {_STARTERS[rules.starter]}."]
    if has_actions or has_wilds:
        lines.append(_OPENINGS[rules.opening])
    lines.append(
        f"A turn: play one card that shares the top card's {fitting}; or {_DRAWS[rules.draw]}, {voluntary}. {_DRAWN[rules.drawn_card]}"
    )
    if has_actions or rules.deck[WILD_DRAW_FOUR]:
        lines.append(
            f"Skip skips the next player, Reverse turns the direction; with two players a Reverse {reverse}. "
            "Draw Two and Wild Draw Four make the next player draw and skip it."
        )
    if rules.deck[WILD_DRAW_FOUR]:
        lines.append(_FOURS[rules.wild_draw_four])
    if rules.deck[WILD_SHUFFLE_HANDS]:
        lines.append(
            "A Wild Shuffle Hands collects all hands, which are shuffled and dealt out again from the next player on. A Wild Customizable is a Wild."
        )
    if rules.stacking != "off":
        lines.append(_STACKING[rules.stacking])
        if rules.wild_draw_four == "challenge":
            lines.append("A Wild Draw Four that answers a stack cannot be challenged.")
    if rules.seven_zero:
        lines.append(
            "A 7 swaps hands with a player of one's choice; a 0 passes all hands one place on in the direction of play. As a last card neither does."
        )
    if rules.uno_call:
        lines.append(
            "Who plays down to one card calls UNO, or may be caught by any other player before the card takes effect, and then draws two."
        )
    if rules.jump_in:
        lines.append("Who holds exactly the coloured card just played may play it out of turn; play goes on from there.")
    if DRAW_TWO in values or rules.deck[WILD_DRAW_FOUR]:
        last = "still makes the next player draw" if rules.last_card_draws else "makes nobody draw"
        lines.append(f"A Draw Two or Wild Draw Four as the last card {last}.")
    worth = ["numbers their value", *["action cards 20"] * has_actions, *["Wild and Wild Draw Four 50"] * has_wilds]
    if rules.deck[WILD_SHUFFLE_HANDS] or rules.deck[WILD_CUSTOMIZABLE]:
        worth.append("the modern deck's extra wilds 40")
    refill = "runs out" if rules.refill == "when_empty" else "is empty and a card is needed"
    lines += [
        f"The winner gets the points of all other hands: {', '.join(worth)}.",
        f"When the draw pile {refill}, the discard pile but for its top card is shuffled into it.",
        f"A game without a winner after {rules.max_turns} turns, or in which nobody can play or draw, is unfinished and counted as such.",
    ]
    return lines
