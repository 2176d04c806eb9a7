"""The definition that Kibitz finds through the entry point."""

from __future__ import annotations

from kibitz.games.basic import define_game
from kibitz.games.face import Face
from kibitz_kuhn import rules
from kibitz_kuhn.records import State, View

CARDS = ("J", "Q", "K")

GAME = define_game(
    name="kuhn",
    title="Kuhn poker",
    about="three cards, an ante of 1 and one bet of 1",
    view=View,
    state=State,
    kernels=rules,
    actions=("pass", "bet"),
    private=("card",),
    words={"card": CARDS},
    bots={name: f"kibitz_kuhn.bots:{name}" for name in ("always_bet", "random", "equilibrium")},
    losers_pay=True,
    hands=lambda state: [[card] for card in state.cards],
    face=Face(card_name=lambda card: CARDS[card], usual_bots=("equilibrium",)),
)
