"""What holds for every training: its command, checkpoints of today and of before, and that interrupted or killed it ends as if in one go."""

from __future__ import annotations

import csv
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kibitz.cli.main import run
from kibitz.core.errors import KibitzError
from kibitz.experiments.experiment_kinds import find_kind
from kibitz.experiments.settings import words_for
from kibitz.experiments.training.checkpoint import checkpoint_of, read_archive
from kibitz.experiments.training.plan import TrainingPlan
from kibitz.experiments.training.train import Train
from kibitz.experiments.training.uno.linear import LinearPlan
from kibitz.experiments.training.uno.net.training import NetPlan
from kibitz.experiments.training.uno.perceptron.plan import PerceptronPlan

AFTER = 3  # steps that are done and kept when the kill comes
OLD = Path(__file__).with_name("version_0_1")
UNO = "kibitz.experiments.training.uno"

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Kind:
    """A training made small: its command, its plan, sizes of its modules, and how a bot is named that plays with what it writes."""

    name: str
    plan: TrainingPlan
    bot: str
    suffix: str = "npz"
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """The words of the command: what differs from the defaults."""
        changed = [each.name for each in fields(self.plan) if getattr(self.plan, each.name) != each.default]
        return [self.name, *words_for(self.plan, changed)]

    @property
    def experiment(self) -> type[Train]:
        found = find_kind(f"train {self.name}")
        assert issubclass(found, Train)
        return found

    @property
    def training(self) -> Any:
        return self.experiment.training_class

    def make_small(self, patch: pytest.MonkeyPatch) -> None:
        for name, value in self.sizes.items():
            patch.setattr(name, value)

    def out(self, folder: Path) -> Path:
        return folder / f"mine.{self.suffix}"


GENETIC = PerceptronPlan(generations=8, games=20)
KINDS = {
    "linear": Kind(
        "linear",
        LinearPlan(games=1600, against="mix2,random,self"),
        "linear:weights={}",
        sizes={f"{UNO}.linear.LinearPlan.most_unit_games": 50, f"{UNO}.linear.SNAPSHOT": 2},
    ),
    "genetic": Kind("perceptron", GENETIC, "perceptron:{}", "json"),
    "cma": Kind("perceptron", replace(GENETIC, method="cma", model="types", population=5), "perceptron:{}", "json"),
    "net": Kind(
        "net",
        NetPlan(games=768, against="mix2,random,self", learning_rate=0.01),
        "net:{}",
        sizes={
            f"{UNO}.net.training.NetPlan.most_unit_games": 12,
            f"{UNO}.net.training.EVALUATE": 2,
            f"{UNO}.net.training.EVALUATION": 50,
            f"{UNO}.net.training.SNAPSHOT": 1,
        },
    ),
}
# A training as a process of its own that is killed, as if from outside, at the end of the step after AFTER, before that is kept.
KILLED = """
import json, os, pkgutil, signal, sys
from kibitz.cli.main import run

asked = json.loads(sys.argv[1])
for name, value in asked["sizes"].items():
    owner, _, attribute = name.rpartition(".")
    setattr(pkgutil.resolve_name(owner), attribute, value)
training = pkgutil.resolve_name(asked["training"])
step = training.take_step

def killed(self, *arguments):
    step(self, *arguments)
    if self.step > asked["after"]:
        os.kill(os.getpid(), signal.SIGKILL)

training.take_step = killed
run(["train", *sys.argv[2:]])
"""


@pytest.fixture(scope="module", params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with pytest.MonkeyPatch.context() as patch:
        KINDS[request.param].make_small(patch)
        yield KINDS[request.param]


@pytest.fixture(scope="module")
def whole(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of weights of a training in one go."""
    out = kind.out(tmp_path_factory.mktemp("whole"))
    assert command("train", *kind.words, "--threads", "2", "--out", str(out)) == 0
    return out


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        run(list(words))
    return int(stop.value.code or 0)


# -- the command --


def test_weights_depend_on_the_plan_alone_and_can_be_played(kind: Kind, whole: Path, tmp_path: Path) -> None:
    """The command with two threads, and a training in Python with one."""
    written = []
    for plan in (kind.plan, replace(kind.plan, seed=2)):
        training = kind.training(plan)
        training.run(1)
        assert str(kind.out(tmp_path)) in training.write_weights(kind.out(tmp_path))
        written.append(kind.out(tmp_path).read_bytes())
    assert written[0] == whole.read_bytes() != written[1]
    assert not checkpoint_of(whole).exists()
    assert command("match", kind.bot.format(whole), "random", "--games", "20", "--no-store") == 0


def test_a_network_has_a_log_beside_it_and_other_weights_do_not(kind: Kind, whole: Path) -> None:
    beside = {"mine.csv", "mine.svg"} if kind.name == "net" else set()
    assert {path.name for path in whole.parent.iterdir()} == {whole.name, *beside}
    if beside:
        with whole.with_suffix(".csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["step"] for row in rows] == ["1", "2", "3", "4"]
        assert 0 < float(rows[0]["± v mix2"]) < 0.1 < float(rows[0]["wins v mix2"])


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (".", "is a folder"),
        ("none/mine.json", "there is no folder"),
        ("mine.csv", "name a file that does not end in .csv"),
        ("mine.svg", "name a file that does not end in .svg"),
    ],
)
def test_bad_places_get_one_sentence(place: str, sentence: str, capsys: Capture, tmp_path: Path) -> None:
    assert command("train", *KINDS["genetic"].words, "--out", str(tmp_path / place)) == 2
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


BAD = {
    "linear perceptron net": [
        ("--against mixx", "unknown bot 'mixx'"),
        ("--against ,", "no opponent is named"),
        ("--rules nice", "unknown rules 'nice'"),
        ("--seed -1", "seed -1 is out of range"),
        ("--resume", "does not exist; start without --resume"),
        ("--threads 0", "threads=0 is out of range"),
        ("--checkpoint nan", "--checkpoint nan is out of range: 0 seconds or more"),
        ("--checkpoint -1", "--checkpoint -1 is out of range"),
    ],
    "linear net": [
        ("--players 1", "players must be 2–10, got 1"),
        ("--players 2,3", "weights are for 2 players"),
        ("--players two", "each of players must be a whole number, 0 or more, got two"),
        ("--games 0", "at least 1 game is needed"),
        ("--learning-rate 0", "learning_rate must be above 0 and at most 1, got 0"),
        ("--gae-lambda 2", "gae_lambda must be 0–1, got 2"),
        ("--start none.npz", "none.npz does not exist"),
    ],
    "linear": [("--for glory", "aim 'glory' is not accepted; it is win_rate, points")],
    "net": [
        ("--entropy-bonus -1", "entropy_bonus must be 0–1, got -1"),
        ("--auxiliary-weight -1", "auxiliary_weight must be 0–100, got -1"),
        ("--memory elephant", "memory 'elephant' is not accepted; it is nothing, sightings, events, both"),
    ],
    "perceptron": [
        ("--games 1000000000000", "games must be 1–10,000,000, got 1000000000000"),
        ("--games 0", "games must be 1–10,000,000, got 0"),
        ("--model deep", "model 'deep' is not accepted; it is cards, rectified, types, faces, hidden"),
        ("--method luck", "method 'luck' is not accepted; it is genetic, cma"),
        ("--unit hands", "unit 'hands' is not accepted; it is deals, contests"),
        ("--hidden 0", "hidden must be 1–"),
        ("--generations 0", "generations must be 1–10,000,000, got 0"),
        ("--population 1", "population must be 2–1,000, got 1"),
        ("--population 8", "a line-up of 11 bots is not accepted"),
    ],
}


@pytest.mark.parametrize(
    ("name", "words", "sentence"), [(name, *bad) for names, table in BAD.items() for name in names.split() for bad in table]
)
def test_bad_options_get_one_sentence(name: str, words: str, sentence: str, capsys: Capture, tmp_path: Path) -> None:
    assert command("train", name, *words.split(), "--out", str(tmp_path / "mine.npz")) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# -- checkpoints --


def test_damaged_and_foreign_checkpoints_get_one_sentence(kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    kind.training(kind.plan).save(path)
    assert kind.training.load(path).step == 0
    content, arrays = path.read_bytes(), read_archive(path)
    damaged: list[dict[str, Any]] = [{name: np.array([{}])} for name in ("plan", "wins", "step") if name in arrays]
    damaged += [{"plan": np.array("{}")}, {"plan": np.array("[]")}, {"plan": np.array(5)}]
    cases = [(change, "damaged or of another kind") for change in damaged]
    if "wins" in arrays:
        wrong = [np.zeros((1, 4), dtype=np.int64), np.zeros((1, kind.plan.facts()["population"])), np.array(3)]
        cases += [({"wins": wins}, "damaged or of another kind") for wins in wrong]
    if "features" in arrays:
        cases += [({"weights": np.zeros(3)}, "other features"), ({"features": np.array("others")}, "other features")]
        cases += [({"average": np.zeros(7)}, "other features"), ({"step": np.array(-1)}, "step must be 0–")]
    if "version" in arrays:
        cases += [({"version": np.array("old 0")}, "made by another version of this training; train again")]
    for bad in (b"damaged", content[: len(content) // 2]):
        path.write_bytes(bad)
        with pytest.raises(KibitzError, match="damaged or of another kind"):
            kind.training.load(path)
    for change, sentence in cases:
        with path.open("wb") as file:
            np.savez(file, **arrays | change)
        with pytest.raises(KibitzError, match=sentence):
            kind.training.load(path)


@pytest.mark.parametrize(
    ("name", "settings", "done", "total"),
    [
        ("linear", {"learning_rate": 0.1, "gae_lambda": 0.9, "games": 1200}, 2, 121.6956181),
        ("genetic", {"generations": 6, "population": 3, "rules": "hearn"}, 4, 2.5467045),
        ("net", {"gae_lambda": 0.9, "auxiliary_weight": 0.25, "entropy_bonus": 0.003}, 3, 80.2343710),
    ],
)
def test_a_checkpoint_of_version_0_1_goes_on_and_ends_as_it_did_there(
    name: str, settings: dict[str, Any], done: int, total: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.1 made it, as small as trainings are here, and ended in weights whose sizes add up to `total`."""
    small = KINDS[name]
    small.make_small(monkeypatch)
    (tmp_path / "kept").write_bytes(lzma.decompress((OLD / f"{small.name}.checkpoint.xz").read_bytes()))
    training = small.training.load(tmp_path / "kept")
    assert (training.step, training.plan.facts() | settings) == (done, training.plan.facts())
    training.run(2)
    weights = training.trained().weights if name == "genetic" else training.trained()[0]
    assert np.abs(weights.astype(np.float64)).sum() == pytest.approx(total, rel=1e-6)


CONFIGS = {
    "linear": '"players": "3,4", "against": "mix2", "games": 8, "aim": "points", "rate": 0.02, "trace": 0.9, "start": "shipped", "jit": true',
    "perceptron": '"model": "types", "hidden": 10, "method": "cma", "generations": 5, "games": 2, "unit": "deals", "against": "random", '
    '"population": null, "jit": false',
    "net": '"players": "2", "against": "mix2,self", "games": 10, "rate": 0.002, "trace": 0.5, "entropy": 0.01, "start": "linear", '
    '"memory": "both", "guess": 0.1',
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_stored_configuration_of_before_is_read_and_stays_what_it_is(name: str) -> None:
    config = json.loads(f'{{{CONFIGS[name]}, "out": "/x/mine", "seed": 7, "rules": null, "resume": false, "every": 20.0, "game": "uno"}}')
    experiment: Any = find_kind(f"train {name}").from_config(config)
    assert experiment.kept() == config
    assert experiment.plan.seed == 7
    assert experiment.plan.facts()["rules"] == ("hearn" if name == "perceptron" else "classic")


@pytest.mark.parametrize("name", KINDS)
def test_a_plan_reads_back_from_its_text_under_new_and_stored_names(name: str) -> None:
    plan = replace(KINDS[name].plan, against="rollout:rollouts=5,horizon=2;random", seed=3)
    stored = {"learning_rate": "rate", "gae_lambda": "trace", "auxiliary_weight": "guess", "entropy_bonus": "entropy"}
    old = json.dumps({stored.get(key, key): value for key, value in plan.facts().items()})
    for text in (plan.to_text(), old):
        read = type(plan).from_text(text)
        assert read.facts() == plan.facts()
        assert read.opponents == ("rollout:rollouts=5,horizon=2", "random")


# -- interrupted and killed --


def log_without_times(out: Path) -> list[list[str]]:
    """The log beside a file of weights, if there is one, but for how long everything took."""
    log = out.with_suffix(".csv")
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    rows = [line.split(",") for line in lines]
    return [[cell for name, cell in zip(rows[0], row, strict=True) if name != "seconds"] for row in rows]


def check_resumed(kind: Kind, out: Path, whole: Path, after: int) -> None:
    """That a checkpoint is there after so many steps, that it is not overwritten, and that resumed the training ends as if in one go."""
    assert kind.training.load(checkpoint_of(out)).step == after
    assert not out.exists()
    assert command("train", *kind.words, "--out", str(out)) == 2
    assert command("train", kind.name, "--out", str(out), "--resume", "--threads", "2") == 0
    assert out.read_bytes() == whole.read_bytes()
    assert log_without_times(out) == log_without_times(whole)
    assert sorted(path.suffix for path in out.parent.iterdir()) == sorted(path.suffix for path in whole.parent.iterdir())


@contextmanager
def interrupting(kind: Kind, at: int, times: int = 1, before: bool = False) -> Iterator[None]:
    """Ctrl-C comes when so many steps are done, or before the next one ends."""
    step = kind.training.take_step

    def interrupted(self: Any, *arguments: Any) -> None:
        if not before:
            step(self, *arguments)
        if self.step == at:
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
        if before:
            step(self, *arguments)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind.training, "take_step", interrupted)
            yield
    finally:
        signal.signal(signal.SIGINT, previous)


class Killed(NamedTuple):
    """What a killed training left: the file it would have written, with its checkpoint, its store, and a copy of both files' folder."""

    out: Path
    store: Path
    copy: Path


@pytest.fixture(scope="module")
def killed(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """A real process and a real SIGKILL, at the end of a step that is not kept yet."""
    folder, store = tmp_path_factory.mktemp("killed"), tmp_path_factory.mktemp("store") / "kibitz.db"
    training = f"{kind.training.__module__}:{kind.training.__name__}"
    asked = json.dumps({"training": training, "sizes": kind.sizes, "after": AFTER})
    words = (*kind.words, "--checkpoint", "0", "--threads", "2", "--out", str(kind.out(folder)), "--store", str(store))
    process = subprocess.run([sys.executable, "-c", KILLED, asked, *words], capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == -signal.SIGKILL, process.stderr
    copied = shutil.copytree(folder, folder.with_name(f"{folder.name} again"))
    return Killed(kind.out(folder), store, kind.out(copied))


@pytest.mark.parametrize("after", [1, 3])
def test_ctrl_c_keeps_a_checkpoint_that_resume_goes_on_from(kind: Kind, after: int, whole: Path, capsys: Capture, tmp_path: Path) -> None:
    out = kind.out(tmp_path)
    with interrupting(kind, after):
        assert command("train", *kind.words, "--threads", "1", "--out", str(out)) == 130
    assert f"go on with: kibitz train {kind.name} --out {out} --resume" in capsys.readouterr().err
    check_resumed(kind, out, whole, after)
    assert "go on with --resume, or delete it" in capsys.readouterr().err


def test_a_second_ctrl_c_ends_a_step_and_keeps_the_checkpoint_before(kind: Kind, whole: Path, capsys: Capture, tmp_path: Path) -> None:
    """In the middle of a step nothing can be kept: it is done again."""
    out, early = kind.out(tmp_path / "late"), kind.out(tmp_path / "early")
    for path in (out, early):
        path.parent.mkdir()
    with interrupting(kind, AFTER, times=2, before=True):
        assert command("train", *kind.words, "--threads", "1", "--checkpoint", "0", "--out", str(out)) == 130
        assert command("train", *kind.words, "--threads", "1", "--out", str(early)) == 130
    told = capsys.readouterr().err
    assert f"go on with: kibitz train {kind.name} --out {out} --resume" in told
    assert "interrupted before anything could be kept" in told
    assert not checkpoint_of(early).exists()
    check_resumed(kind, out, whole, AFTER)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_training_loses_what_came_after_its_last_checkpoint_alone(kind: Kind, whole: Path, killed: Killed) -> None:
    check_resumed(kind, killed.copy, whole, AFTER)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_training_goes_on_by_its_number(kind: Kind, whole: Path, killed: Killed, capsys: Capture, tmp_path: Path) -> None:
    """From the store alone: the list shows it as killed, and resumed it ends in the weights of one in one go, with a page."""
    out, store = killed.out, ("--store", str(killed.store))
    assert command("runs", *store) == 0
    assert "killed" in capsys.readouterr().out
    assert command("resume", "1", *store) == 0
    assert out.read_bytes() == whole.read_bytes()
    page = tmp_path / "page.html"
    assert command("report", "1", "-o", str(page), *store) == 0
    assert f"Training of {kind.name}" in page.read_text() and "<svg" in page.read_text()
    assert command("resume", "1", *store) == 0
    assert "run 1 is complete" in capsys.readouterr().out
    assert command("runs", "--json", "-", *store) == 0
    [listed] = json.loads(capsys.readouterr().out)["runs"]
    games = kind.plan.steps * kind.plan.step_games
    assert (listed["status"], listed["done"], listed["asked"]) == ("complete", games, games)
