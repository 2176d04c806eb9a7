"""Our own client spares what a bot does not use: views that `observe` never touches are not asked for, others are read when looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record, equal
from kibitz.games.contract import GameDefinition
from kibitz.games.uno.view import View
from kibitz.outside.client import ClientPlayer, never_looks


class Deaf:
    def observe(self, view: View, event: Any) -> None:
        self.seen = event.kind

    def choose(self, view: View) -> int:
        return 0


class Looker(Deaf):
    def observe(self, view: View, event: Any) -> None:
        self.seen = view.turn


class Passer(Deaf):
    def observe(self, view: View, event: Any) -> None:
        super().observe(view, event)


class Closer(Deaf):
    def observe(self, view: View, event: Any) -> None:
        self.later = lambda: view


class Sly(Deaf):
    def observe(self, view: View, event: Any) -> None:
        self.seen = locals()


class Variable(Deaf):
    def observe(self, *seen: Any) -> None:
        self.seen = seen


@pytest.mark.parametrize(
    ("kind", "alone"), [(Deaf, True), (Looker, False), (Passer, False), (Closer, False), (Sly, False), (Variable, False)]
)
def test_a_view_is_spared_only_where_it_cannot_be_missed(kind: type, alone: bool) -> None:
    assert never_looks(kind().observe) is alone
    hello = ClientPlayer(registry.entrant(kind), registry.game("uno")).hello()
    assert (hello["events"], hello["views"]) == (True, not alone)


def test_something_that_is_no_function_is_shown_its_view() -> None:
    assert not never_looks(print)
    assert not never_looks(None)


def messages(definition: GameDefinition) -> tuple[View, dict[str, Any], dict[str, Any]]:
    """A view, and the messages that open its deal and tell of an event."""
    rules = definition.parse_rules("classic")
    state = definition.new_state(rules, 3)
    definition.verbs["deal"](state, 99)
    definition.verbs["show"](state, 1)
    view = copy_record(state, View)
    view.random_stream = 0
    game = {"type": "game", "players": 3, "seat": 1, "seed": 5, "rules": definition.wire.rules_message(rules)}
    names = dict.fromkeys(("card", "colour", "top", "top_colour", "other"))
    told = {"type": "event", "kind": "play", "seat": 0, "count": 1, "drawn": False, **names}
    return view, game, {**told, "view": definition.wire.view_message(view)}


def test_a_view_on_demand_is_the_view() -> None:
    definition = registry.game("uno")
    view, game, told = messages(definition)
    looks: list[Callable[[Any], Any]] = [
        lambda seen: equal(copy_record(seen, View), view),
        lambda seen: isinstance(seen, View) and type(seen).__name__ == "View" and seen.sizes == view.sizes and seen.top == view.top,
        lambda seen: seen.hand() == view.hand() and seen.cards() == view.cards(),
        lambda seen: not hasattr(seen, "pile"),
    ]

    class Follower(Deaf):
        def observe(self, view: View, event: Any) -> None:
            stream, view.random_stream = view.random_stream, 0
            found.append(looks[len(found)](view))
            assert view.random_stream == 0
            view.random_stream = stream + 1

    found: list[bool] = []
    player = ClientPlayer(registry.entrant(Follower), definition)
    player.start(game)
    before = player._stream
    for _ in looks:
        player.hear(told)
    assert found == [True] * len(looks)
    assert player._stream == before + len(looks)  # what the bot draws from its stream while it observes is kept


def test_a_wrong_view_is_noticed_when_it_is_looked_at() -> None:
    definition = registry.game("uno")
    _, game, told = messages(definition)
    player = ClientPlayer(registry.entrant(Looker), definition)
    player.start(game)
    with pytest.raises(BadValue, match="view message"):
        player.hear({**told, "view": {"seat": 7}})
