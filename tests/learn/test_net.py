"""Training of the network: actors, PPO, and trainings that depend on their plan alone."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kibitz.arena.lineup import make_lineup
from kibitz.bots.uno.net import read_net, split_set
from kibitz.cli.main import run
from kibitz.errors import KibitzError
from kibitz.learn.net import training as training_module
from kibitz.learn.net.actors import Experience, explorer, past_self, play_unit, play_unit_plain
from kibitz.learn.net.league import SELVES, League
from kibitz.learn.net.ppo import Learner, Network, Settings, batch_of
from kibitz.learn.net.sparse import WIDTH, rows_from_sums, sums_of_rows
from kibitz.learn.net.training import BATCH, LINEAR, NOTHING, Plan, Training, log_of, starting_sets, wake_hidden_units
from kibitz.records import blank
from kibitz.runner.units import Unit
from kibitz.search.uno.net.forward import WEIGHTS, Thinking, look, score_of, value_of
from kibitz.search.uno.net.groups import INPUTS, ROWS

SMALL = 12  # games of a unit here
STEPS = 4
PLAN = Plan(against=("mix2", "random", "self"), games=STEPS * BATCH * SMALL, rate=0.01)


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_module, "UNIT", SMALL)
    monkeypatch.setattr(training_module, "EVALUATE", 2)
    monkeypatch.setattr(training_module, "EVALUATION", 50)
    monkeypatch.setattr(training_module, "SNAPSHOT", 1)


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["train", "net", *words])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def trained(plan: Plan, threads: int = 1) -> Training:
    training = Training(plan)
    training.run(threads)
    return training


def random_row(seed: int) -> Any:
    """Weights of one class of tables in which everything matters."""
    return np.random.default_rng(seed).normal(0.0, 0.1, WEIGHTS).astype(np.float32)


def experience(row: Any, *others: Any, rules: str = "classic", games: int = 10, plain: bool = False) -> Experience:
    lineup = make_lineup([explorer(), *others], rules)
    weights = [row, *[row if not isinstance(other, str) else None for other in others]]
    return (play_unit_plain if plain else play_unit)(lineup, weights, 4, Unit(0, games))


# -- the actors --


@pytest.mark.parametrize(("others", "rules"), [(("mix2",), "classic"), (("random", "greedy", past_self()), "official")])
def test_plain_and_compiled_log_the_same(others: tuple[Any, ...], rules: str) -> None:
    row = random_row(3)
    plain, compiled = (experience(row, *others, rules=rules, games=3, plain=plain) for plain in (True, False))
    assert compiled.choices > 10
    for name in ("wins", "game_ends", "chosen", "choice_ends", "candidate_ends", "places"):
        assert np.array_equal(getattr(plain, name), getattr(compiled, name)), name
    for name in ("inputs", "log_chances", "values"):
        np.testing.assert_allclose(getattr(plain, name), getattr(compiled, name), rtol=1e-6, atol=1e-6)


def test_a_log_holds_together() -> None:
    found = experience(random_row(1), "mix2", games=40)
    candidates = np.diff(found.choice_ends, prepend=0)
    assert found.inputs.shape == (found.choices, INPUTS)
    assert candidates.min() >= 2
    assert (found.chosen < candidates).all() and found.chosen.max() > 1
    assert found.choice_ends[-1] == len(found.candidate_ends)
    assert found.candidate_ends[-1] == len(found.places) == len(found.values)
    assert np.diff(found.candidate_ends, prepend=0).min() >= 1
    assert len(found.wins) == len(found.game_ends) == 40 and found.game_ends[-1] == found.choices
    assert found.places.min() >= 0 and found.places.max() < ROWS
    assert 0 < found.wins.sum() < 40
    assert (found.log_chances <= 0).all()


# -- the network in PyTorch and in compiled code --


@pytest.mark.parametrize("row", [random_row(5), read_net("shipped")[0]], ids=["random", "shipped"])
def test_compiled_code_and_pytorch_agree(row: Any) -> None:
    """Scores and values to 1e-5, whichever way they are worked out: compiled, as plain Python, and in PyTorch."""
    found = experience(row, "mix2", games=20)
    batch, network = batch_of([found]), Network(row)
    with torch.no_grad():
        log_chances = network.log_chances(batch)[batch.chosen].numpy()
        scores, values = network.scores(batch).numpy(), network.value_logits(batch.inputs).sigmoid().numpy()
    np.testing.assert_allclose(found.log_chances, log_chances, atol=1e-5)
    weights, thinking, candidate = row.astype(np.float64).tolist(), blank(Thinking), 0
    for choice in range(12):
        thinking.inputs = found.inputs[choice].tolist()
        assert value_of(thinking, weights, 0) == pytest.approx(values[choice], abs=1e-5)
        look(thinking, weights, 0)
        while candidate < found.choice_ends[choice]:
            first, end = (int(found.candidate_ends[candidate - 1]) if candidate else 0), int(found.candidate_ends[candidate])
            thinking.places, thinking.amounts, thinking.count = (
                found.places[first:end].tolist(),
                found.values[first:end].tolist(),
                end - first,
            )
            assert score_of(thinking, weights, 0) == pytest.approx(scores[candidate], abs=1e-5)
            candidate += 1


def test_sums_of_rows_and_their_gradients_are_those_of_pytorch() -> None:
    random = np.random.default_rng(2)
    places, values = random.integers(0, 30, 200).astype(np.int32), random.normal(size=200).astype(np.float32)
    ends = np.array([0, 7, 7, 60, 130, 200], dtype=np.int32)  # two candidates have no features
    bag = torch.nn.EmbeddingBag(30, WIDTH, mode="sum", include_last_offset=True)
    offsets = torch.from_numpy(np.concatenate([[0], ends]).astype(np.int64))
    sums = bag(torch.from_numpy(places.astype(np.int64)), offsets, per_sample_weights=torch.from_numpy(values))
    table = bag.weight.detach().numpy()
    np.testing.assert_allclose(sums_of_rows(table, places, values, ends), sums.detach().numpy(), atol=1e-5)
    gradients = random.normal(size=(len(ends), WIDTH)).astype(np.float32)
    sums.backward(torch.from_numpy(gradients))
    assert bag.weight.grad is not None
    np.testing.assert_allclose(rows_from_sums(gradients, places, values, ends, 30), bag.weight.grad.numpy(), atol=1e-5)


# -- the learner --


def test_advantages_by_hand() -> None:
    """Two games, of two choices and of one; with weights of zero every value is one half."""
    learner = Learner(np.zeros(WEIGHTS, dtype=np.float32), Settings(trace=0.5))
    unit = experience(random_row(1), "mix2", games=2)
    unit = replace(
        unit,
        inputs=unit.inputs[:3],
        chosen=unit.chosen[:3],
        wins=np.array([1, 0], dtype=np.int32),
        game_ends=np.array([2, 3], dtype=np.int32),
    )
    advantages, returns = learner.judge(unit)
    assert advantages.tolist() == pytest.approx([0.25, 0.5, -0.5])
    assert returns.tolist() == pytest.approx([0.75, 1.0, 0.0])


def test_what_led_to_wins_becomes_likelier() -> None:
    """Choices of games that were won become likelier, those of games that were lost less likely, on the whole."""
    row = wake_hidden_units(starting_sets(LINEAR)[0], 1)
    unit = experience(row, "mix2", games=60)
    learner = Learner(row, replace(Settings(), trace=1.0, entropy=0.0))
    games = np.repeat(np.arange(60), np.diff(unit.game_ends, prepend=0))
    before = unit.log_chances
    learner.learn([unit], np.random.default_rng(1), 0.003)
    batch = batch_of([unit])
    with torch.no_grad():
        moved = learner.network.log_chances(batch)[batch.chosen].numpy() - before
    won = unit.wins[games] == 1
    assert moved[won].mean() > 0 > moved[~won].mean()


def test_moments_of_adam_go_there_and_back() -> None:
    row = random_row(2)
    unit = experience(row, "mix2", games=8)
    one = Learner(row, Settings())
    assert one.moments()[2] == 0
    one.learn([unit], np.random.default_rng(1), 0.01)
    other = Learner(one.network.row(), Settings())
    other.set_moments(*one.moments())
    for learner in (one, other):
        learner.learn([unit], np.random.default_rng(2), 0.01)
    assert np.array_equal(one.network.row(), other.network.row())
    assert not np.array_equal(one.network.row(), row)


# -- the league --


def test_a_batch_meets_the_selves_that_were_there_when_it_began() -> None:
    league = League(np.zeros(WEIGHTS, dtype=np.float32))
    for step in range(1, 15):
        league.take(step, np.full(WEIGHTS, step, dtype=np.float32))
    assert [float(row[0]) for row in league.before(14)] == list(range(14 - SELVES, 14))
    assert [float(row[0]) for row in league.before(15)] == list(range(15 - SELVES, 15))
    assert len(league.selves) == SELVES + 1


def test_tables_are_drawn_from_the_plan() -> None:
    row = random_row(1)
    league = League(row)
    meetings = [league.meeting(1, number, 1, (3, 4), ("mix2", "self", "self"), "classic", row) for number in range(200)]
    assert {meeting.lineup.players for meeting in meetings} == {3, 4}
    names = [entrant.name for meeting in meetings for entrant in meeting.lineup.entrants[1:]]
    assert 0.55 < names.count("self") / len(names) < 0.78  # 2/3; about 300 draws have a standard error of 0.03
    for meeting in meetings:
        named = [entrant.name for entrant in meeting.lineup.entrants]
        assert named[0] == "learner"
        assert [weights is None for weights in meeting.weights] == [name.startswith("mix2") for name in named]


# -- trainings --


@pytest.fixture(scope="module")
def whole() -> Training:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"UNIT": SMALL, "EVALUATE": 2, "EVALUATION": 50, "SNAPSHOT": 1}.items():
            patch.setattr(training_module, name, value)
        return trained(PLAN)


def test_weights_depend_on_the_plan_alone_whatever_the_threads(whole: Training) -> None:
    assert np.array_equal(whole.trained(), trained(PLAN, 2).trained())
    assert np.abs(whole.trained()[0] - starting_sets(LINEAR)[0]).sum() > 0
    assert not np.array_equal(whole.trained(), trained(replace(PLAN, seed=2)).trained())


@pytest.mark.parametrize("after", [1, 3])
def test_a_training_goes_on_from_its_checkpoint_as_if_nothing_had_happened(after: int, whole: Training, tmp_path: Path) -> None:
    path = tmp_path / "kept"

    def stop(training: Training) -> None:
        if training.step == after:
            raise KeyboardInterrupt

    broken = Training(PLAN)
    with pytest.raises(KeyboardInterrupt):
        broken.run(1, progress=stop)
    broken.save(path)
    resumed = Training.load(path)
    assert (resumed.step, resumed.plan) == (after, PLAN)
    resumed.run(2)
    assert np.array_equal(resumed.trained(), whole.trained())
    assert [line[3:] for line in resumed.lines] == [line[3:] for line in whole.lines]
    assert list(tmp_path.iterdir()) == [path]


def test_only_the_weights_of_the_class_trained_change() -> None:
    before, after = starting_sets(LINEAR), trained(replace(PLAN, players=(3, 4), games=1, against=("mix2",))).trained()
    assert np.array_equal(before[[0, 2]], after[[0, 2]])
    assert not np.array_equal(before[1], after[1])


def test_what_is_never_seen_never_counts(whole: Training) -> None:
    """Switches that the games did not have, and players who were not there, have no weight in the scores."""
    from kibitz.search.uno.net.groups import VIEW_GROUPS, group_labels

    view = split_set(whole.trained()[0])["view"]
    labels = group_labels(VIEW_GROUPS)
    for label in ("rules × jumping in", "players × 5", "hand sizes × 4th"):
        assert not view[labels.index(label)].any()
    assert view[labels.index("own colours × 1st colour")].all()


def test_a_short_training_from_nothing_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 49 % of wins with the first action of all to 57 % and more; 2,000 games each, the same deals: a standard error of 1.5 points at most."""
    monkeypatch.setattr(training_module, "UNIT", 30)
    monkeypatch.setattr(training_module, "EVALUATION", 2_000)
    monkeypatch.setattr(training_module, "LINES", 1)
    monkeypatch.setattr(training_module, "EVALUATE", 100)
    training = Training(Plan(against=("random",), games=5_000, start=NOTHING, rate=0.02))
    before, _ = training.win_rate("random")
    training.run(2)
    after, error = training.win_rate("random")
    assert before < 0.52
    assert after > before + 0.05
    assert 0.01 < error < 0.012


# -- the command --


def test_command_writes_a_network_that_can_be_played(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    code, text, _ = command(capsys, "--games", "20", "--against", "mix2,self", "--seed", "3", "--out", str(out))
    assert code == 0
    assert f"net:{out}" in text and str(out.with_suffix(".svg")) in text
    assert np.array_equal(read_net(out), trained(Plan(against=("mix2", "self"), games=20, seed=3)).trained())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "mine.npz", "mine.svg"]
    with log_of(out).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["1"]
    assert 0 < float(rows[0]["± v mix2"]) < 0.1 < float(rows[0]["wins v mix2"])
    with pytest.raises(SystemExit) as stop:
        run(["match", f"net:{out}", "random", "--games", "20", "--no-store"])
    assert not stop.value.code


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--players", "1"), "players=1 is out of range"),
        (("--players", "2,3"), "weights are for 2 players"),
        (("--players", "two"), "players=two is not accepted"),
        (("--games", "0"), "at least 1 game"),
        (("--rate", "0"), "rate=0.0 is out of range"),
        (("--trace", "2"), "trace=2.0 is out of range"),
        (("--entropy", "-1"), "entropy=-1.0 is out of range"),
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


def test_without_pytorch_one_sentence_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "kibitz.learn.net.ppo")
    code, _, err = command(capsys, "--out", str(tmp_path / "mine.npz"))
    assert (code, err.count("\n")) == (2, 1)
    assert "needs PyTorch" in err and "pip install 'kibitz[learn]'" in err


def test_damaged_and_foreign_checkpoints_get_one_sentence(tmp_path: Path, whole: Training) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"damaged")
    with pytest.raises(KibitzError, match="damaged or of another kind"):
        Training.load(path)
    whole.save(path)
    assert Training.load(path).finished
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(KibitzError, match="damaged or of another kind"):
        Training.load(path)
    with np.load(_rewritten(path, content), allow_pickle=False) as kept:
        arrays: dict[str, Any] = {name: kept[name] for name in kept.files}
    for change, sentence in (
        ({"weights": np.zeros(3)}, "other features"),
        ({"features": np.array("others")}, "other features"),
        ({"plan": np.array("{}")}, "damaged or of another kind"),
        ({"average": np.zeros(7)}, "damaged or of another kind"),
        ({"plan": np.array([{}], dtype=object)}, "damaged or of another kind"),
    ):
        np.savez(path.with_suffix(".npz"), **arrays | change)
        with pytest.raises(KibitzError, match=sentence):
            Training.load(path.with_suffix(".npz"))


def _rewritten(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
