"""What the network sees: every place documented, equal to a slow and obvious reading of the table, and the same whatever colours are called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kibitz.core.layouts import blank, copy_record
from kibitz.games.uno.cards import COLOUR_OF, COLOURED_TYPES, KIND_NAMES, NO_COLOUR, VALUE_NAMES, VALUE_OF, VALUES, WILD_NAMES
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.games.uno.view import DRAWN, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_plain
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.features import MOST_ACTIVE, list_candidates
from kibitz.policies.uno.net.groups import CANDIDATE_GROUPS, CANDIDATE_RANGES, INPUTS, ROWS, VIEW_GROUPS, VIEW_RANGES, group_labels
from kibitz.policies.uno.net.inputs import Sight, see_candidate, see_table
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_sightings
from kibitz.runs.units import Unit

WHO = ("next player", "player after the next", "player before")
ORDINALS = ("1st colour", "2nd", "3rd", "4th")
TABLES = [("classic", 2), ("classic", 4), ("official", 3), ("official,seven_zero=on,stacking=progressive,drawn_card=any_card", 7)]


def looked_at(rules: str, players: int, games: int = 6) -> Iterator[tuple[View, Sightings]]:
    """Positions in which a bot with more than one action is asked, with what it remembers."""
    found: list[tuple[View, Sightings]] = []

    class Looking:
        def __init__(self) -> None:
            self.memory: Any = blank(Sightings)

        def begin(self, view: Any) -> None:
            begin_sightings(view, self.memory)

        def observe(self, view: Any, event: Any) -> None:
            update_sightings(view, event, self.memory)

        def choose(self, view: Any) -> int:
            found.append((copy_record(view), copy_record(self.memory)))
            actions = view.legal_actions() if hasattr(view, "legal_actions") else [a for a in range(70) if view.is_legal(a)]
            return int(actions[view.randbelow(len(actions))])

    play_plain(make_lineup([Looking, *["mix2"] * (players - 1)], rules), 5, Unit(0, games))
    return iter(found)


def seen_in(view: View, memory: Sightings) -> dict[str, float]:
    """The inputs that are not zero, by their labels."""
    sight: Any = blank(Sight)
    see_table(view, copy_record(memory), sight)
    return {label: value for label, value in zip(group_labels(VIEW_GROUPS), sight.inputs, strict=True) if value}


def hidden_cards(view: View) -> list[int]:
    """The cards of the deck that the viewer does not see, by taking away one by one what it sees."""
    cards = cards_from(view.deck())
    for card in [*cards_from(view.hand()), view.top, *view.discard[: view.discard_size]]:
        cards.remove(card)
    return cards


def colours_in_order(view: View) -> list[int]:
    hand, hidden = [COLOUR_OF[card] for card in cards_from(view.hand())], [COLOUR_OF[card] for card in hidden_cards(view)]
    return sorted(range(4), key=lambda colour: (colour != view.colour, -hand.count(colour), -hidden.count(colour), colour))


def expected(view: View, memory: Sightings) -> dict[str, float]:
    """The same by counting cards in lists; nothing here is fast."""
    order = colours_in_order(view)
    ordinal = {colour: ORDINALS[place] for place, colour in enumerate(order)}
    hand, hidden = cards_from(view.hand()), hidden_cards(view)
    inputs: dict[str, float] = {}
    for cards, name, wilds, unit in ((hand, "own", "own wilds", 0.5), (hidden, "hidden", "hidden wilds", 0.25)):
        for card in set(cards):
            if card < COLOURED_TYPES:
                inputs[f"{name} cards × {ordinal[COLOUR_OF[card]]} × {VALUE_NAMES[VALUE_OF[card]]}"] = cards.count(card) / 2
            else:
                inputs[f"{wilds} × {WILD_NAMES[card - COLOURED_TYPES]}"] = cards.count(card) * unit
    for card in hand:
        if card < COLOURED_TYPES:
            label = f"own colours × {ordinal[COLOUR_OF[card]]}"
            inputs[label] = inputs.get(label, 0) + 1 / 5
        label = f"own kinds × {KIND_NAMES[view.kind_of(card)]}"
        inputs[label] = inputs.get(label, 0) + 1 / 5
    for card in set(hand):
        if view.can_play(card):
            kinds = f"playable kinds × {KIND_NAMES[view.kind_of(card)]}"
            inputs[kinds] = inputs.get(kinds, 0) + 1 / 3
            if card < COLOURED_TYPES:
                colours = f"playable colours × {ordinal[COLOUR_OF[card]]}"
                inputs[colours] = inputs.get(colours, 0) + 1 / 3
    for colour in range(4):
        share = sum(COLOUR_OF[card] == colour for card in hidden) / len(hidden)
        inputs[f"hidden colours × {ordinal[colour]}"] = share
    own = len(hand)
    inputs[f"own hand × {'1 card' if own == 1 else own if own < 5 else '5–6' if own < 7 else '7–9' if own < 10 else '10 or more'}"] = 1
    inputs["drawn"] = float(view.phase == DRAWN)
    inputs[f"top × {VALUE_NAMES[VALUE_OF[view.top]] if view.top < COLOURED_TYPES else 'a wild'}"] = 1
    inputs["no colour"] = float(view.colour == NO_COLOUR)
    seats = [(view.seat + step * view.direction) % view.players for step in range(view.players)]
    for step in range(1, view.players):
        inputs[f"hand sizes × {('next', '2nd', '3rd', '4th', '5th', '6th')[step - 1]}"] = view.sizes[seats[step]] / 10
    for who, seat in zip(WHO, seats[1:2] if view.players == 2 else [seats[1], seats[2], seats[-1]], strict=False):
        size = view.sizes[seat]
        inputs[f"hands × {who} × {'1 card' if size == 1 else size if size < 5 else '5–6' if size < 7 else '7 or more'}"] = 1
        for colour in range(4):
            inputs[f"open colours × {who} × {ordinal[colour]}"] = min(memory.open_colours[seat * 4 + colour] / size, 1)
        for value in range(VALUES):
            inputs[f"open values × {who} × {VALUE_NAMES[value]}"] = min(memory.open_values[seat * VALUES + value] / size, 1)
        for name, marks in (("called", memory.called), ("left", memory.left), ("turned", memory.turned)):
            if marks[seat] != NO_COLOUR:
                inputs[f"{name} × {who} × {ordinal[marks[seat]]}"] = 1
    inputs["pile"] = view.pile_size / 100
    inputs["direction"] = float(view.direction == 1)
    inputs[f"players × {view.players}"] = 1
    return {label: value for label, value in inputs.items() if value}


def test_every_place_is_documented_once() -> None:
    names = group_labels(VIEW_GROUPS)
    assert len(names) == len(set(names)) == INPUTS
    places = [place for first, length in VIEW_RANGES.values() for place in range(first, first + length)]
    assert places == list(range(INPUTS))
    assert all(group.meaning for group in (*VIEW_GROUPS, *CANDIDATE_GROUPS))
    assert len(group_labels(CANDIDATE_GROUPS)) == ROWS - FEATURES


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_inputs_are_what_a_slow_look_finds(rules: str, players: int) -> None:
    positions = list(looked_at(rules, players))
    assert len(positions) > 30
    for view, memory in positions:
        seen = seen_in(view, memory)
        switches = {label: value for label, value in seen.items() if label.startswith("rules")}
        rest = {label: value for label, value in seen.items() if not label.startswith("rules")}
        assert rest == pytest.approx(expected(view, memory))
        assert set(switches.values()) <= {1.0}


def test_switches_of_the_rules_are_seen() -> None:
    def switches(rules: str, players: int = 3) -> set[str]:
        view, memory = next(looked_at(rules, players, 1))
        return {label.removeprefix("rules × ") for label in seen_in(view, memory) if label.startswith("rules")}

    plain = switches("classic")
    assert switches("classic", 2) - plain == {"Reverse is a Skip"}
    assert switches("classic,draw=until_playable") - plain == {"draw until something is playable"}
    assert switches("classic,must_play=on") - plain == {"who can play may not draw"}
    assert switches("classic,stacking=same") - plain == {"stacking of the same card"}
    assert switches("classic,stacking=progressive,seven_zero=on") - plain == {"stacking, progressive", "sevens and zeros move hands"}
    assert switches("classic,wild_draw_four=challenge") - plain == {"Wild Draw Four may be challenged"}
    assert switches("classic,jump_in=on,uno_call=on") - plain == {"jumping in", "UNO is called"}
    assert switches("classic,drawn_card=any_card") - plain == {"any card may be played after drawing"}


def with_colours(view: View, memory: Sightings, new: list[int]) -> tuple[View, Sightings]:
    """The same table with colours called by other names."""

    def card_of(card: int) -> int:
        return new[COLOUR_OF[card]] * VALUES + VALUE_OF[card] if card < COLOURED_TYPES else card

    def mask_of(mask: int) -> int:
        return sum(1 << card_of(card) for card in range(56) if mask >> card & 1)

    turned: Any = copy_record(view)
    turned.hand0, turned.hand1, turned.hand2 = planes_from(
        np.bincount([card_of(c) for c in cards_from(view.hand())], minlength=56).tolist()
    )
    turned.playable_types, turned.match = mask_of(view.playable_types), mask_of(view.match)
    turned.top, turned.colour = card_of(view.top), [*new, NO_COLOUR][view.colour]
    turned.discard = [card_of(card) if place < view.discard_size else card for place, card in enumerate(view.discard)]
    if view.drawn < COLOURED_TYPES:
        turned.drawn = card_of(view.drawn)
    known: Any = copy_record(memory)
    for seat in range(10):
        for colour in range(4):
            known.open_colours[seat * 4 + new[colour]] = memory.open_colours[seat * 4 + colour]
    for marks in ("called", "left", "turned"):
        setattr(known, marks, [[*new, NO_COLOUR][mark] for mark in getattr(memory, marks)])
    known.discard0 = known.discard1 = known.discard2 = known.counted = 0
    return turned, known


@pytest.mark.parametrize("new", [[1, 2, 3, 0], [3, 1, 0, 2]])
def test_colours_called_by_other_names_look_the_same(new: list[int]) -> None:
    """Wherever no two colours are held and hidden alike, so that their order is settled by what they are."""
    compared = 0
    for view, memory in looked_at("classic", 3, 12):
        hand, hidden = [COLOUR_OF[card] for card in cards_from(view.hand())], [COLOUR_OF[card] for card in hidden_cards(view)]
        if len({(colour == view.colour) or (hand.count(colour), hidden.count(colour)) for colour in range(4)}) < 4:
            continue
        compared += 1
        assert seen_in(*with_colours(view, memory, new)) == seen_in(view, memory)
    assert compared > 30


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_candidates_show_their_colour_and_card(rules: str, players: int) -> None:
    first_colour, first_card = CANDIDATE_RANGES["to colour"][0], CANDIDATE_RANGES["card"][0]
    for view, memory in looked_at(rules, players, 2):
        sight: Any = blank(Sight)
        see_table(view, memory, sight)
        list_candidates(view, sight)
        order = colours_in_order(view)
        for action in sight.actions[: sight.candidates]:
            see_candidate(view, memory, sight, action)
            places = sight.places[: sight.count]
            assert sight.count <= MOST_ACTIVE
            assert len(set(places)) == len(places) and all(0 <= place < ROWS for place in places)
            own = [place for place in places if place >= FEATURES]
            if action >= 68:
                assert own == []
            elif action < COLOURED_TYPES:
                assert own == [first_colour + order.index(COLOUR_OF[action]), first_card + VALUE_OF[action]]
            else:
                assert own == [first_colour + order.index((action - 52) % 4), first_card + VALUES + (action - 52) // 4]
