"""The other tests of these bots ask them as plain Python; here the compiled bots are seen to play the same games."""

from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.bots.cheap import searchers


@pytest.mark.parametrize(
    "name",
    [
        *registry.quick_names(),
        *searchers(),
        "mix2:card_counting=off,wild_colour_slack=5,limits=0/1/2/3/4/5",
        "score:weights=0/0/0/0/0.5/0",
        "defensive:wild_colour=random",
    ],
)
@pytest.mark.parametrize("others", [("random",), ("greedy", "mix2:points")])
def test_compiled_and_plain_bots_play_the_same_games(name: str, others: tuple[str, ...]) -> None:
    lineup = make_lineup([name, *others])
    games = Unit(0, 3 if name in searchers() else 40)
    assert play_compiled(lineup, 5, games).tolist() == play_plain(lineup, 5, games).tolist()
