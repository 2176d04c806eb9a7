"""Trainings of every kind, interrupted by Ctrl-C and killed: they go on from their last checkpoint, and end in the weights of one in one go."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kibitz.cli.main import run
from kibitz.experiments.training.checkpoint import checkpoint_of

AFTER = 3  # steps that are done and kept when the kill comes


@dataclass(frozen=True)
class Kind:
    """A training made small: its command, where its class `Training` is, the method that ends a step, and sizes in its module."""

    words: tuple[str, ...]
    module: str
    step: str
    suffix: str = "npz"
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def training(self) -> Any:
        return importlib.import_module(self.module).Training

    def make_small(self, patch: pytest.MonkeyPatch) -> None:
        for name, value in self.sizes.items():
            patch.setattr(f"{self.module}.{name}", value)


PERCEPTRON = ("perceptron", "--generations", "8", "--games", "20")
KINDS = {
    "linear": Kind(
        ("linear", "--games", "1600", "--against", "mix2,random,self"),
        "kibitz.experiments.training.uno.linear",
        "_climb",
        sizes={"UNIT": 50, "SNAPSHOT": 2},
    ),
    "genetic": Kind(PERCEPTRON, "kibitz.experiments.training.uno.perceptron.training", "_learn", "json"),
    "cma": Kind(
        (*PERCEPTRON, "--method", "cma", "--model", "types", "--population", "5"),
        "kibitz.experiments.training.uno.perceptron.training",
        "_learn",
        "json",
    ),
    "net": Kind(
        ("net", "--games", "768", "--against", "mix2,random,self", "--learning-rate", "0.01"),
        "kibitz.experiments.training.uno.net.training",
        "_take_step",
        sizes={"UNIT": 12, "EVALUATE": 2, "EVALUATION": 50, "SNAPSHOT": 1},
    ),
}
# A training as a process of its own that is killed, as if from outside, at the end of the step after AFTER, before that is kept.
KILLED = """
import importlib, json, os, signal, sys
from kibitz.cli.main import run

asked = json.loads(sys.argv[1])
module = importlib.import_module(asked["module"])
for name, value in asked["sizes"].items():
    setattr(module, name, value)
step = getattr(module.Training, asked["step"])

def killed(self, *arguments):
    step(self, *arguments)
    if self.step > asked["after"]:
        os.kill(os.getpid(), signal.SIGKILL)

setattr(module.Training, asked["step"], killed)
run(["train", *sys.argv[2:]])
"""


@pytest.fixture(scope="module", params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture(autouse=True)
def _small(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    kind.make_small(monkeypatch)


@pytest.fixture(scope="module")
def whole(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of weights of a training in one go."""
    out = tmp_path_factory.mktemp("whole") / f"mine.{kind.suffix}"
    with pytest.MonkeyPatch.context() as patch:
        kind.make_small(patch)
        assert train(*kind.words, "--threads", "2", "--out", str(out)) == 0
    return out


def train(*words: str) -> int:
    return command("train", *words)


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        run(list(words))
    return int(stop.value.code or 0)


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
    assert train(*kind.words, "--out", str(out)) == 2
    assert train(kind.words[0], "--out", str(out), "--resume", "--threads", "2") == 0
    assert out.read_bytes() == whole.read_bytes()
    assert log_without_times(out) == log_without_times(whole)
    assert sorted(path.suffix for path in out.parent.iterdir()) == sorted(path.suffix for path in whole.parent.iterdir())


@pytest.mark.parametrize("after", [1, 3])
def test_ctrl_c_keeps_a_checkpoint_that_resume_goes_on_from(
    kind: Kind, after: int, whole: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / f"mine.{kind.suffix}"
    step = getattr(kind.training, kind.step)

    def interrupted(self: Any, *arguments: Any) -> None:
        step(self, *arguments)
        if self.step == after:
            os.kill(os.getpid(), signal.SIGINT)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind.training, kind.step, interrupted)
            assert train(*kind.words, "--threads", "1", "--out", str(out)) == 130
    finally:
        signal.signal(signal.SIGINT, previous)
    assert f"go on with: kibitz train {kind.words[0]} --out {out} --resume" in capsys.readouterr().err
    check_resumed(kind, out, whole, after)
    assert "go on with --resume, or delete it" in capsys.readouterr().err


def test_a_second_ctrl_c_ends_a_step_and_keeps_the_checkpoint_before(
    kind: Kind, whole: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In the middle of a step nothing can be kept: it is done again."""
    out = tmp_path / f"mine.{kind.suffix}"
    step = getattr(kind.training, kind.step)

    def interrupted(self: Any, *arguments: Any) -> None:
        if self.step == AFTER:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        step(self, *arguments)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind.training, kind.step, interrupted)
            assert train(*kind.words, "--threads", "1", "--checkpoint", "0", "--out", str(out)) == 130
            early = tmp_path / "early" / out.name
            early.parent.mkdir()
            assert train(*kind.words, "--threads", "1", "--out", str(early)) == 130
    finally:
        signal.signal(signal.SIGINT, previous)
    told = capsys.readouterr().err
    assert f"go on with: kibitz train {kind.words[0]} --out {out} --resume" in told
    assert "interrupted before anything could be kept" in told
    assert not checkpoint_of(early).exists()
    for left in early.parent.iterdir():
        left.unlink()
    early.parent.rmdir()
    check_resumed(kind, out, whole, AFTER)


@pytest.mark.parametrize("suffix", ["csv", "svg"])
def test_a_name_that_belongs_to_logs_and_pictures_is_refused(
    kind: Kind, suffix: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert train(*kind.words, "--out", str(tmp_path / f"mine.{suffix}")) == 2
    assert f"name a file that does not end in .{suffix}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_training_loses_what_came_after_its_last_checkpoint_alone(kind: Kind, whole: Path, tmp_path: Path) -> None:
    """A real process and a real SIGKILL, at the end of a step that is not kept yet; with a checkpoint after every step just that one is lost."""
    out = tmp_path / f"mine.{kind.suffix}"
    asked = json.dumps({"module": kind.module, "step": kind.step, "sizes": kind.sizes, "after": AFTER})
    words = [*kind.words, "--checkpoint", "0", "--threads", "2", "--out", str(out)]
    process = subprocess.run([sys.executable, "-c", KILLED, asked, *words], capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == -signal.SIGKILL, process.stderr
    check_resumed(kind, out, whole, AFTER)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_training_goes_on_by_its_number(kind: Kind, whole: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """From the store alone: the list shows it as killed, and resumed it ends in the weights of one in one go, with a page."""
    out, store = tmp_path / f"mine.{kind.suffix}", ("--store", str(tmp_path / "kibitz.db"))
    asked = json.dumps({"module": kind.module, "step": kind.step, "sizes": kind.sizes, "after": AFTER})
    words = [*kind.words, "--checkpoint", "0", "--threads", "2", "--out", str(out), *store]
    subprocess.run([sys.executable, "-c", KILLED, asked, *words], capture_output=True, timeout=300, check=False)
    assert command("runs", *store) == 0
    assert "killed" in capsys.readouterr().out
    assert command("resume", "1", *store) == 0
    assert out.read_bytes() == whole.read_bytes()
    page = tmp_path / "page.html"
    assert command("report", "1", "-o", str(page), *store) == 0
    assert f"Training of {kind.words[0]}" in page.read_text() and "<svg" in page.read_text()
    assert command("resume", "1", *store) == 0
    assert "run 1 is complete" in capsys.readouterr().out
