"""The vector of a view: what stands where, and that nothing hidden is in it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import kibitz
from kibitz.games.uno.cards import CARD_TYPES, COLOURED_TYPES, NO_CARD, VALUES
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.observation import COLUMNS, PLANES, encoding, fill_observation
from kibitz.games.uno.view import NO_SEAT, View

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,uno_call=on"


def vector_of(view: View) -> np.ndarray:
    vector = np.zeros(encoding(view).size, np.uint8)
    assert fill_observation(view, vector) == len(vector)
    return vector


def place(card: int) -> int:
    return card // VALUES * COLUMNS + card % VALUES if card < COLOURED_TYPES else (card - COLOURED_TYPES) * COLUMNS + VALUES


def cards_of(planes: np.ndarray) -> Counter[int]:
    """How many copies of each card some planes stand for."""
    where = {place(card): card for card in range(CARD_TYPES)}
    found: Counter[int] = Counter()
    for plane in planes.reshape(-1, CARD_TYPES):
        found.update(where[int(at)] for at in np.flatnonzero(plane))
    return found


def at_most(cards: list[int], copies: int) -> Counter[int]:
    return Counter({card: min(count, copies) for card, count in Counter(cards).items()})


@pytest.mark.parametrize(("players", "rules"), [(2, "classic"), (4, HOUSE), (10, "official"), (3, "classic,deck=modern,seven_zero=on")])
def test_a_vector_says_what_the_view_says(players: int, rules: str) -> None:
    rng, seen_known = np.random.default_rng(3), 0
    for seed in range(1, 9):
        game = kibitz.Game(players=players, rules=rules, seed=seed)
        for _ in range(150):
            if game.is_over:
                break
            view = game.view()
            vector = vector_of(view)
            part = {section.name: vector[where] for where, section in encoding(view).places()}
            order = [view.seat_after(places) for places in range(players)]
            assert cards_of(part["hand"]) == at_most(view.cards(), 3)
            assert cards_of(part["discards"]) == at_most(view.discard[: view.discard_size], 4)
            assert sorted(cards_of(part["playable"])) == [card for card in range(CARD_TYPES) if view.can_play(card)]
            assert list(cards_of(part["top"])) == [view.top]
            assert list(cards_of(part["drawn"])) == ([] if view.drawn == NO_CARD else [view.drawn])
            known = [set(cards_from(view.known(seat))) for seat in order[1:]]
            seen_known += any(known)
            assert set(cards_of(part["known_next"])) == known[0]
            assert set(cards_of(part["known_others"])) == set().union(*known)
            assert np.flatnonzero(part["colour"]).tolist() == ([view.colour] if view.colour < 4 else [])
            assert np.flatnonzero(part["phase"]).tolist() == [view.phase]
            assert part["sizes"].reshape(players, -1).sum(axis=1).tolist() == [min(view.sizes[seat], 12) for seat in order]
            assert part["pile"].sum() == min(view.pile_size // 10, 11) and part["stack"].sum() == min(view.stack // 2, 12)
            assert np.flatnonzero(part["settled"]).tolist() == ([] if view.player == NO_SEAT else [order.index(view.player)])
            assert [part[name][0] for name in ("direction", "may_challenge", "jump_in")] == [
                view.direction > 0,
                view.may_challenge,
                view.jump_in,
            ]
            game.apply(int(rng.choice(game.legal_actions())))
    assert seen_known > 0 or "seven_zero" not in rules


def test_what_is_hidden_from_a_player_is_not_in_its_vector() -> None:
    """Deals that look alike to a seat, whatever the others hold, have one vector."""
    first = kibitz.Game(players=3, seed=1)
    view = first.view(0)
    state = first.state
    for plane in ("hands0", "hands1", "hands2"):
        hands = getattr(state, plane)
        hands[1], hands[2] = hands[2], hands[1]
    state.pile[: state.pile_size] = state.pile[: state.pile_size][::-1]
    assert vector_of(first.view(0)).tolist() == vector_of(view).tolist()


def test_the_shape_of_planes_covers_the_beginning() -> None:
    shape = encoding(kibitz.Game(players=2).view())
    assert shape.planes == (PLANES, 4, COLUMNS)
    assert np.prod(shape.planes) == sum(section.length for section in shape.sections[:7])
