"""Training of the linear policy: a function of its plan, whatever the threads, and it learns; interruptions are in cli/test_interrupted_trainings.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.bots.parameters import Value
from kibitz.bots.uno.linear import read_weights, write_weights
from kibitz.cli.main import run
from kibitz.core.errors import KibitzError
from kibitz.experiments.training.uno import linear as training_module
from kibitz.experiments.training.uno.linear import BATCH, Plan, Training
from kibitz.experiments.training.uno.reinforce import CELLS, LEARNER, POINTS, WIN_RATE, learn_compiled, learn_plain
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.weight_files import SHIPPED
from kibitz.registry import Entrant
from kibitz.runs.units import Unit

SMALL = 50  # games of a unit here
STEPS = 4
PLAN = Plan(against=("mix2", "random", "self"), games=STEPS * BATCH * SMALL)


@pytest.fixture(autouse=True)
def _small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_module, "UNIT", SMALL)
    monkeypatch.setattr(training_module, "SNAPSHOT", 2)


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["train", "linear", *words])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def trained(plan: Plan, threads: int = 1) -> Training:
    training = Training(plan)
    training.run(threads)
    return training


def learner(seed: int, *others: str, rules: str = "classic") -> Lineup:
    random = np.random.default_rng(seed)
    values: dict[str, Any] = {
        "weights": tuple(random.normal(size=FEATURES).tolist()),
        "baseline": tuple(random.uniform(size=CELLS).tolist()),
        "trace": 0.9,
    }
    return make_lineup([Entrant("learner", LEARNER, values), *others], rules)


# -- a unit of games --


@pytest.mark.parametrize(("others", "rules"), [(("mix2",), "classic"), (("random", "greedy", "mix2"), "official")])
@pytest.mark.parametrize("aim", [WIN_RATE, POINTS])
def test_plain_and_compiled_learn_the_same(others: tuple[str, ...], rules: str, aim: int) -> None:
    lineup = learner(3, *others, rules=rules)
    plain, compiled = learn_plain(lineup, 4, Unit(0, 30), aim), learn_compiled(lineup, 4, Unit(0, 30), aim)
    assert plain["wins"] == compiled["wins"]
    for name in ("gradient", "rewards", "visits"):
        np.testing.assert_allclose(plain[name], compiled[name], rtol=1e-9, atol=1e-12)
    assert np.abs(plain["gradient"]).sum() > 0


def test_the_gradient_is_that_of_the_chance_to_choose() -> None:
    """The summed gradient times a small direction is what the expected reward gains in it.

    20,000 games each way. The change is 0.08 where 0.10 is predicted, since a win rate near zero bends; with fresh seeds it differs from that by
    0.003 or so (one standard error), so that it is more than 0.035 from the prediction less than once in 10,000.
    """
    games = Unit(0, 20_000)
    blank: dict[str, Value] = {"weights": (0.0,) * FEATURES, "baseline": (0.5,) * CELLS, "trace": 1.0}
    found = learn_compiled(make_lineup([Entrant("learner", LEARNER, blank), "random"]), 1, games, WIN_RATE)
    gradient = found["gradient"][0] / games.count
    direction = gradient / np.linalg.norm(gradient) * 0.3
    rates = []
    for sign in (-1, 1):
        values: dict[str, Value] = {**blank, "weights": tuple((sign * direction).tolist())}
        played = learn_compiled(make_lineup([Entrant("learner", LEARNER, values), "random"]), 2, games, WIN_RATE)
        rates.append(int(played["wins"][0]) / games.count)
    gain, predicted = rates[1] - rates[0], 2 * float(direction @ gradient)
    assert abs(gain - predicted) < 0.035
    assert gain > 0.04


# -- trainings --


def test_weights_depend_on_the_plan_alone_whatever_the_threads() -> None:
    one, two = trained(PLAN, 1), trained(PLAN, 2)
    assert np.array_equal(one.trained(), two.trained())
    assert np.abs(one.average).sum() > 0
    other = trained(replace(PLAN, seed=2))
    assert not np.array_equal(one.trained(), other.trained())


def test_only_the_weights_of_the_class_trained_change() -> None:
    plan = replace(PLAN, players=(3, 4), start=SHIPPED)
    sets, before = trained(plan).trained(), read_weights(SHIPPED)
    assert np.array_equal(sets[0], before[0])
    assert np.array_equal(sets[2], before[2])
    assert not np.array_equal(sets[1], before[1])


def test_a_class_that_was_never_trained_starts_from_that_of_smaller_tables(tmp_path: Path) -> None:
    sets = np.zeros((3, FEATURES))
    sets[1] = 0.5
    write_weights(tmp_path / "few.npz", sets)
    start = str(tmp_path / "few.npz")
    assert np.array_equal(Training(replace(PLAN, players=(6,), start=start)).weights, sets[1])
    assert not Training(replace(PLAN, players=(2,), start=start)).weights.any()


def test_a_short_training_from_nothing_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 4 % of wins to 53 % of them in 64,000 games; 4,000 games at both ends, a standard error of 0.8 points at most."""
    monkeypatch.setattr(training_module, "UNIT", 500)
    training = Training(Plan(against=("random",), games=64_000))
    rates: list[float] = []
    training.run(2, progress=lambda standing: rates.append(standing.recent[standing.step - 1, 0] / standing.recent[standing.step - 1, 1]))
    assert rates[0] < 0.1
    assert rates[-1] > 0.45


def test_points_can_be_the_aim() -> None:
    assert not np.array_equal(trained(replace(PLAN, aim="points")).trained(), trained(PLAN).trained())


# -- the command --


def test_command_writes_weights_that_can_be_played(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    code, text, _ = command(capsys, "--games", "800", "--against", "mix2,random", "--seed", "3", "--out", str(out))
    assert code == 0
    assert f"linear:weights={out}" in text
    assert np.array_equal(read_weights(out), np.round(trained(Plan(against=("mix2", "random"), games=800, seed=3)).trained(), 5))
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(SystemExit) as stop:
        run(["match", f"linear:weights={out}", "random", "--games", "20", "--no-store"])
    assert not stop.value.code


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--players", "1"), "players=1 is out of range"),
        (("--players", "2,3"), "weights are for 2 players"),
        (("--players", "two"), "each of players must be a whole number, 0 or more, got two"),
        (("--games", "0"), "at least 1 game"),
        (("--for", "glory"), "win_rate or points"),
        (("--learning-rate", "0"), "learning_rate must be above 0 and at most 1, got 0"),
        (("--gae-lambda", "2"), "gae_lambda must be 0–1, got 2"),
        (("--against", "mixx"), "unknown bot 'mixx'"),
        (("--against", ","), "no opponent is named"),
        (("--rules", "nice"), "unknown rules 'nice'"),
        (("--seed", "-1"), "seed -1 is out of range"),
        (("--start", "none.npz"), "none.npz does not exist"),
        (("--resume",), "does not exist; start without --resume"),
        (("--threads", "0"), "threads=0 is out of range"),
    ],
)
def test_bad_options_get_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    code, _, err = command(capsys, *words, "--out", str(tmp_path / "mine.npz"))
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_places_get_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is a folder" in command(capsys, "--out", str(tmp_path))[2]
    assert "there is no folder" in command(capsys, "--out", str(tmp_path / "none" / "w.npz"))[2]


def test_damaged_and_foreign_checkpoints_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"damaged")
    with pytest.raises(KibitzError, match="damaged or of another kind"):
        Training.load(path)
    write_weights(path, np.zeros((3, FEATURES)))
    with pytest.raises(KibitzError, match="damaged or of another kind"):
        Training.load(path)
    training = Training(PLAN)
    training.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(KibitzError, match="damaged or of another kind"):
        Training.load(path)
    training.weights = np.zeros(3)
    training.save(path)
    with pytest.raises(KibitzError, match="other features"):
        Training.load(path)


def test_a_checkpoint_with_another_version_of_results_is_refused_and_one_that_does_not_say_is_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    Training(PLAN).save(path)
    with np.load(path) as kept:
        older = {name: kept[name] for name in kept.files if name != "results_version"}
        assert len(older) == len(kept.files) - 1
    with monkeypatch.context() as patch:
        patch.setitem(vars(registry.game("uno")), "results_version", 2)
        with pytest.raises(KibitzError, match=r"was made with version 1 of the results of uno, and this kibitz has 2; train again\.$"):
            Training.load(path)
    with path.open("wb") as file:
        np.savez(file, **older)
    assert Training.load(path).step == 0
