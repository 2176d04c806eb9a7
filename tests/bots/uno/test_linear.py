from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.uno.linear import CLASSES, class_of, linear, read_weights, weights_from, write_weights
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import blank
from kibitz.games.uno.state import DREW, FORCED, KEPT, PLAY, SWAPPED, Event
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.policies.uno.feature_groups import FEATURES, GROUPS, RANGES, labels
from kibitz.policies.uno.features import MOST_ACTIVE, MOST_CANDIDATES, Description, describe, list_candidates, prepare
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_sightings
from kibitz.policies.weight_files import SHIPPED
from kibitz.runs.units import Unit

from ..positions import position

CARDS = {"r": 0, "g": 1, "b": 2, "y": 3}


def described(game: Any, action: str) -> dict[str, float]:
    """The features of an action, by their labels."""
    view = game.view(0)
    memory, found = blank(Sightings), blank(Description)
    begin_sightings(view, memory)
    prepare(view, memory, found)
    describe(view, memory, found, kibitz.games.uno.names.action_from_name(action))
    names = labels()
    return {names[place]: value for place, value in zip(found.places[: found.count], found.amounts[: found.count], strict=True)}


# -- the list of features --


def test_every_place_is_documented_once() -> None:
    names = labels()
    assert len(names) == FEATURES
    assert len(set(names)) == FEATURES
    places = [place for first, length in RANGES.values() for place in range(first, first + length)]
    assert places == list(range(FEATURES))
    assert all(group.meaning for group in GROUPS)
    assert list(RANGES) == [group.name for group in GROUPS]


@pytest.mark.parametrize(
    ("rules", "players"),
    [("classic", 2), ("classic", 4), ("official", 3), ("official,seven_zero=on,stacking=progressive,drawn_card=any_card,jump_in=on", 7)],
)
def test_features_are_in_range_and_listed_once_for_a_candidate(rules: str, players: int) -> None:
    """Games of random bots, looked at by a bot that describes every candidate it has."""
    seen: set[int] = set()
    most = [0, 0]

    class Looking:
        def __init__(self) -> None:
            self.memory: Any = blank(Sightings)

        def begin(self, view: Any) -> None:
            begin_sightings(view, self.memory)

        def observe(self, view: Any, event: Any) -> None:
            update_sightings(view, event, self.memory)

        def choose(self, view: Any) -> int:
            found = blank(Description)
            prepare(view, self.memory, found)
            list_candidates(view, found)
            actions = found.actions[: found.candidates]
            assert sorted(actions) == [action for action in range(70) if view.is_legal(action)]
            for action in actions:
                describe(view, self.memory, found, action)
                places = found.places[: found.count]
                assert len(set(places)) == len(places)
                assert all(0 <= place < FEATURES for place in places)
                assert all(0 <= value <= 1 for value in found.amounts[: found.count])
                seen.update(places)
                most[0] = max(most[0], found.count)
            most[1] = max(most[1], found.candidates)
            return int(actions[view.randbelow(len(actions))])

    lineup = make_lineup([Looking, *["mix2"] * (players - 1)], rules)
    play_plain(lineup, 3, Unit(0, 25))
    assert len(seen) > 150
    assert most[0] <= MOST_ACTIVE
    assert most[1] <= MOST_CANDIDATES


# -- plain and compiled --


@pytest.mark.parametrize("players", [2, 3, 6])
def test_plain_and_compiled_weigh_alike(players: int) -> None:
    """With weights at random every feature matters: one that differed would lead to other games."""
    random = np.random.default_rng(players)
    weights = tuple(random.normal(size=len(CLASSES) * FEATURES).tolist())
    lineup = make_lineup([registry.Entrant("linear", linear, {"weights": weights}), *["mix2"] * (players - 1)])
    assert play_compiled(lineup, 8, Unit(0, 60)).tolist() == play_plain(lineup, 8, Unit(0, 60)).tolist()


# -- single features --


def test_the_last_card_wins_and_nothing_else_matters() -> None:
    assert described(position("r5", 3, top="r9"), "r5") == {"wins": 1.0}


def test_a_skip_before_a_last_card_that_matches_runs_out_with_two_players_alone() -> None:
    assert "runs out" in described(position("rskip r1", 3, top="r9"), "rskip")
    assert "runs out" in described(position("rskip rrev b11".replace("b11", "brev"), 3, top="r9"), "rskip")
    assert "runs out" not in described(position("rskip g1", 3, top="r9"), "rskip")
    assert "runs out" not in described(position("r2 r1", 3, top="r9"), "r2")
    assert "runs out" not in described(position("rskip r1", 3, 4, top="r9"), "rskip")


def test_a_wild_on_the_way_calls_what_is_needed() -> None:
    assert "runs out" in described(position("rskip wild+4 g1", 3, top="r9"), "rskip")
    assert "runs out" not in described(position("rskip wild g1", 3, top="r9"), "rskip")


def test_hand_sizes_are_those_after_the_play() -> None:
    found = described(position("r1 r2 g3", 2, top="r9"), "r1")
    assert found["kind × number × 2 × 2"] == 1.0
    assert described(position("r1 r2 g3", 2, top="r9"), "draw")["kind × draw × 4 × 2"] == 1.0


def test_what_follows_is_counted_in_what_is_left() -> None:
    found = described(position("r1 r2 g1 b5", 4, top="r9"), "r1")
    assert found["same colour × card of the colour × 1 × 3"] == 1.0
    assert found["same value × 1 × 3 × no"] == 1.0
    assert found["colours × 3 × 3"] == 1.0
    assert found["alone × 3 or more × 3"] == 1.0


# -- what is remembered --


def event(kind: int, **given: int) -> Any:
    made: Any = blank(Event)
    made.kind, made.seat, made.card, made.colour, made.top, made.top_colour, made.other = kind, 1, 127, 0, 5, 0, 127
    for name, value in given.items():
        setattr(made, name, value)
    return made


def remembered(*events: Any, size: int = 5) -> Any:
    memory: Any = blank(Sightings)
    game = position("r1 r2", size, top="r5")
    begin_sightings(game.view(0), memory)
    for one in events:
        update_sightings(game.view(0), one, memory)
    return memory


def test_a_player_who_draws_lacks_the_colour_and_the_value() -> None:
    memory = remembered(event(DREW, count=1), event(KEPT, count=1))
    assert memory.open_colours[4:8] == [0, 6, 6, 6]
    assert memory.open_values[13:26] == [6, 6, 6, 6, 6, 0, 6, 6, 6, 6, 6, 6, 6]


def test_cards_forced_on_a_player_may_be_anything() -> None:
    memory = remembered(event(KEPT, count=1), event(FORCED, count=2))
    assert memory.open_colours[4:8] == [2, 8, 8, 8]


def test_a_card_played_is_one_less_of_its_colour_and_value() -> None:
    memory = remembered(event(PLAY, card=13 + 5, colour=1))
    assert memory.open_colours[4:8] == [5, 4, 5, 5]
    assert memory.open_values[13 + 5] == 4
    assert memory.left[1] == 0


def test_a_called_colour_is_remembered_until_it_is_lacking() -> None:
    called = event(PLAY, card=52, colour=2)
    assert remembered(called).called[1] == 2
    assert remembered(called, event(KEPT, count=1, top=52, top_colour=2)).called[1] == 4
    assert remembered(called, event(KEPT, count=1, top=52, top_colour=1)).called[1] == 2


def test_own_events_and_moved_hands() -> None:
    assert remembered(event(KEPT, seat=0, count=1)).open_colours[:8] == [2, 2, 2, 2, 5, 5, 5, 5]
    assert remembered(event(KEPT, count=1), event(SWAPPED, other=0)).open_colours[4:8] == [5, 5, 5, 5]


# -- weights --


def test_a_set_of_weights_for_each_class_of_tables() -> None:
    assert [class_of(players) for players in (2, 3, 4, 5, 10)] == [0, 1, 1, 2, 2]
    assert read_weights(SHIPPED).shape == (3, FEATURES)


def test_weights_are_read_from_a_file_and_read_anew_if_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_weights(path, np.ones((3, FEATURES)))
    entrant = registry.entrant(f"linear:weights={path}")
    assert entrant.name == f"linear:weights={path}"
    assert parameters.pack(linear.parameters, entrant.values)["weights"][0].tolist() == [1.0] * 3 * FEATURES
    write_weights(path, np.full((3, FEATURES), 2.0))
    import os

    os.utime(path, ns=(1, 1))
    assert weights_from(str(path))[0] == 2.0


def bad_files(folder: Path) -> dict[str, str]:
    (folder / "text.npz").write_text("no weights", encoding="utf-8")
    (folder / "empty.npz").write_bytes(b"")
    np.savez(folder / "foreign.npz", first=np.zeros(3))
    np.savez(folder / "older.npz", features=np.array("0123"), weights=np.zeros((3, 5)))
    np.savez(folder / "pickled.npz", features=np.array([{"a": 1}], dtype=object), weights=np.zeros((3, 5)))
    weights = np.zeros((3, FEATURES))
    weights[0, 0] = np.nan
    write_weights(folder / "nan.npz", weights)
    whole = folder / "whole.npz"
    write_weights(whole, np.random.default_rng(1).normal(size=(3, FEATURES)))
    (folder / "cut.npz").write_bytes(whole.read_bytes()[:3000])
    return {
        "text": "cannot be read: it is damaged or of another kind",
        "empty": "cannot be read: it is damaged or of another kind",
        "cut": "cannot be read: it is damaged or of another kind",
        "pickled": "cannot be read: it is damaged or of another kind",
        "foreign": "holds no weights of the linear policy",
        "older": "was made for other features",
        "nan": "not finite numbers",
        "missing": "does not exist",
    }


def test_files_that_are_no_weights_get_one_sentence(tmp_path: Path) -> None:
    for name, sentence in bad_files(tmp_path).items():
        with pytest.raises(BadValue, match=sentence) as caught:
            registry.entrant(f"linear:weights={tmp_path / name}.npz")
        assert str(caught.value).count("\n") == 0


def test_a_folder_is_no_file_of_weights(tmp_path: Path) -> None:
    with pytest.raises(KibitzError, match="is a folder; name a file"):
        registry.entrant(f"linear:weights={tmp_path}")


# -- strength --


@pytest.mark.parametrize(("others", "share"), [(("mix2",), 0.60), (("random",), 0.79), (("mix2",) * 3, 0.26), (("mix2",) * 5, 1 / 6)])
def test_shipped_weights_win(others: tuple[str, ...], share: float) -> None:
    """20,000 games: the true win rates are at least four standard errors above these bounds, so that fresh seeds fail less than once in 10,000."""
    result = kibitz.match(["linear", *others], games=20_000, seed=12)
    assert result["linear"].win_rate > share
