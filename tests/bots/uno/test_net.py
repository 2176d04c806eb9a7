from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.bots.uno import linear as linear_bot
from kibitz.bots.uno.linear import CLASSES
from kibitz.bots.uno.net import SHIPPED_FILE, read_net, split_set, write_net
from kibitz.core.errors import BadValue
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.net.forward import PARTS, WEIGHTS
from kibitz.policies.weight_files import SHIPPED
from kibitz.runs.units import Unit


def random_sets(seed: int) -> Any:
    """Networks in which everything matters: one place that differed would lead to other games."""
    sets = np.random.default_rng(seed).normal(0.0, 0.3, (len(CLASSES), WEIGHTS))
    return sets.astype(np.float32)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_plain_and_compiled_think_alike(players: int, tmp_path: Path) -> None:
    write_net(tmp_path / "any.npz", random_sets(players))
    lineup = make_lineup([f"net:{tmp_path / 'any.npz'}", *["mix2"] * (players - 1)])
    assert play_compiled(lineup, 8, Unit(0, 10)).tolist() == play_plain(lineup, 8, Unit(0, 10)).tolist()


@pytest.mark.parametrize(("players", "rules"), [(2, "classic"), (4, "classic"), (6, "official")])
def test_the_wide_part_alone_is_the_linear_policy(players: int, rules: str, tmp_path: Path) -> None:
    sets = np.zeros((len(CLASSES), WEIGHTS), dtype=np.float32)
    split_set(sets)["wide"][:, :FEATURES] = linear_bot.read_weights(SHIPPED)
    split_set(sets)["remembers"][:, 0] = 1
    write_net(tmp_path / "wide.npz", sets)
    tallies = [
        play_compiled(make_lineup([bot, *["mix2"] * (players - 1)], rules), 5, Unit(0, 500)).tolist()
        for bot in (f"net:{tmp_path / 'wide.npz'}", "linear")
    ]
    assert tallies[0] == tallies[1]


@pytest.mark.parametrize(
    ("rules", "players"),
    [("official", 10), ("classic,stacking=progressive,seven_zero=on,jump_in=on,uno_call=on", 5), ("modern", 3), ("hearn", 4)],
)
def test_it_plays_under_any_rules(rules: str, players: int) -> None:
    result = kibitz.match(["net", *["random"] * (players - 1)], games=200, seed=3, rules=rules)
    assert result["net"].games == 200


@pytest.mark.parametrize(("others", "share"), [(["mix2"], 0.595), (["mix2"] * 3, 0.25)])
def test_the_shipped_network_beats_mix2(others: list[str], share: float) -> None:
    """10,000 games: a standard error of 0.5 points at most. It wins more than 62 and 27 %, so that a false alarm comes up less than once in 10,000."""
    assert kibitz.match(["net", *others], games=10_000, seed=12)["net"].win_rate > share


def test_the_shipped_file_is_small_and_has_been_trained() -> None:
    assert SHIPPED_FILE.stat().st_size <= 2_000_000
    assert read_net(SHIPPED).shape == (len(CLASSES), WEIGHTS)
    assert split_set(read_net(SHIPPED))["out"].all()


def test_files_read_back_as_written(tmp_path: Path) -> None:
    sets = random_sets(1)
    write_net(tmp_path / "any.npz", sets)
    assert np.array_equal(read_net(tmp_path / "any.npz"), sets)
    assert list(tmp_path.iterdir()) == [tmp_path / "any.npz"]
    assert {name: part.shape for name, part in split_set(sets[0]).items()} == PARTS


def spoilt(path: Path, **changes: Any) -> None:
    """A file like ours with some arrays changed, or left out where None."""
    write_net(path, random_sets(1))
    with np.load(path, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files} | changes
    given: dict[str, Any] = {name: array for name, array in arrays.items() if array is not None}
    np.savez(path, **given)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"version": np.array(1)}, "is of version 1; this is version 2"),
        ({"version": np.array(1), "recall": None}, "is of version 1; this is version 2"),
        ({"features": np.array("others")}, "was made for other features"),
        ({"bias": np.zeros((3, 5))}, "was made for other features or another size"),
        ({"bias": np.full((3, *PARTS["bias"]), np.nan)}, "not finite"),
        ({"value_offset": np.full((3, 1), -1e7)}, "not finite numbers from -1,000,000 to 1,000,000"),
        ({"out": None}, "holds no network"),
        ({"wide": np.array([{}, {}], dtype=object)}, "damaged or of another kind"),
    ],
)
def test_files_that_do_not_fit_are_refused(changes: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "any.npz"
    spoilt(path, **changes)
    with pytest.raises(BadValue, match=sentence):
        registry.entrant(f"net:{path}")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "any.npz"
    with pytest.raises(BadValue, match="does not exist; `kibitz train net"):
        registry.entrant(f"net:{path}")
    path.write_bytes(b"damaged")
    with pytest.raises(BadValue, match="damaged or of another kind"):
        registry.entrant(f"net:{path}")
    write_net(path, random_sets(1))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadValue, match="damaged or of another kind"):
        registry.entrant(f"net:{path}")
    with pytest.raises(BadValue, match="holds no network"):
        registry.entrant(f"net:weights={linear_bot.SHIPPED_FILE}")
    with pytest.raises(BadValue, match="cannot be written"):
        write_net(tmp_path / "none" / "any.npz", random_sets(1))
