"""Bots made of policies: functions, PyTorch modules, ONNX files and files of Python; alone and in batches they play the same games."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import onnx
import pytest
import torch
from sb3_contrib import MaskablePPO

import kibitz
from kibitz import envs
from kibitz.cli.main import run
from kibitz.core.errors import BadBot, BotFault, KibitzError
from kibitz.envs import model_bots
from kibitz.experiments.batch import Batch
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_in_turn
from kibitz.play.policy_bots import note_side_by_side, play_side_by_side
from kibitz.runs.units import Unit

UNO_SIZE, UNO_ACTIONS = 774, 85


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """PyTorch's threads would only be in each other's way: the networks here are small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def net() -> torch.nn.Module:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(UNO_SIZE, 32), torch.nn.ReLU(), torch.nn.Linear(32, UNO_ACTIONS))


def first_legal(observations: Any, masks: Any) -> Any:
    return np.argmax(masks, axis=1)


LINEUPS: list[tuple[str, list[Any], str | None]] = [
    ("uno", [first_legal, "mix2"], None),
    ("uno", ["random", first_legal, "linear", first_legal], "official,seven_zero=on,jump_in=on"),
    ("hanabi", [first_legal, "smart", "iggi"], None),
]


@pytest.mark.parametrize(("game", "bots", "rules"), LINEUPS)
def test_games_side_by_side_are_those_played_one_by_one(game: str, bots: list[Any], rules: str | None) -> None:
    """Whatever is asked about together: units of every size add up to what one game after the other brings."""
    made = [envs.as_bot(bot, game) if callable(bot) else bot for bot in bots]
    lineup = make_lineup(made, rules, game=game)
    whole = play_side_by_side(lineup, 5, Unit(0, 60))
    assert whole.tolist() == play_in_turn(lineup, 5, Unit(0, 60), compiled=True).tolist()
    parts = [play_side_by_side(lineup, 5, unit) for unit in (Unit(0, 7), Unit(7, 1), Unit(8, 52))]
    assert np.sum(parts, axis=0).tolist() == whole.tolist()
    batch = Batch(lineup, 60, 5, noted=True)
    assert note_side_by_side(lineup, 5, Unit(0, 60)).tolist() == batch.play_unit(Unit(0, 60)).tolist()


def test_a_module_and_its_onnx_file_play_the_same_games(net: torch.nn.Module, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    write_onnx(net, path)
    results = [kibitz.match([envs.as_bot(policy, "uno"), "random"], games=200, seed=3, threads=1).rows[0].wins for policy in (net, path)]
    assert results[0] == results[1] > 0


def write_onnx(net: Any, path: Path) -> None:
    """The network as ONNX writes it."""
    first, last = net[0], net[2]
    weights = {"w1": first.weight, "b1": first.bias, "w2": last.weight, "b2": last.bias}
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], transB=1),
            helper.make_node("Relu", ["h"], ["r"]),
            helper.make_node("Gemm", ["r", "w2", "b2"], ["y"], transB=1),
        ],
        "net",
        [helper.make_tensor_value_info("x", kind, ["n", UNO_SIZE])],
        [helper.make_tensor_value_info("y", kind, ["n", UNO_ACTIONS])],
        [onnx.numpy_helper.from_array(value.detach().numpy(), name) for name, value in weights.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 9
    onnx.save(made, str(path))


class LikeSb3:
    """Has the parts of a model of sb3-contrib that are asked."""

    class observation_space:
        spaces = {"observation": np.zeros(UNO_SIZE), "action_mask": np.zeros(UNO_ACTIONS)}  # noqa: RUF012

    def predict(self, observation: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Any, None]:
        assert deterministic and action_masks.dtype == bool
        assert np.array_equal(observation["action_mask"], action_masks) and observation["observation"].shape[1] == UNO_SIZE
        return np.argmax(action_masks, axis=1), None


def test_a_model_of_stable_baselines_is_given_what_it_was_trained_on() -> None:
    results = [
        kibitz.match([envs.as_bot(policy, "uno"), "random"], games=50, seed=3, threads=1).rows[0].wins
        for policy in (LikeSb3(), first_legal)
    ]
    assert results[0] == results[1]


FILE = """
import numpy as np

def load():
    return lambda observations, masks: np.argmax(masks, axis=1)

def broken():
    raise RuntimeError("no weights here")
"""


def test_a_file_that_loads_a_policy_plays_in_every_command(tmp_path: Path) -> None:
    file = tmp_path / "policy.py"
    file.write_text(FILE)
    row = kibitz.match([f"{file}:load", "random"], games=50, seed=3, threads=1).rows[0]
    assert row.bot == f"{file}:load"
    assert row.wins == kibitz.match([envs.as_bot(first_legal, "uno"), "random"], games=50, seed=3, threads=1).rows[0].wins
    assert kibitz.play([f"{file}:load", "random"], seed=3).seats
    assert kibitz.match([f"{file}:load", "iggi"], games=2, threads=1).rows[0].bot == f"{file}:load + iggi"  # it plays what the others play
    with pytest.raises(BadBot, match=r"policy.py:broken\(\) raised RuntimeError: no weights here"):
        kibitz.match([f"{file}:broken", "random"], games=2)


@pytest.mark.parametrize(
    ("policy", "error", "words"),
    [
        (lambda observations, masks: np.full(len(masks), 84), BotFault, r"answered 84 \(catch\), which is not legal there"),
        (lambda observations, masks: np.full(len(masks), -3), BotFault, "answered -3, which is not an action"),
        (lambda observations, masks: masks[:, :5], BadBot, r"with int8 of shape \(\d+, 5\); whole numbers of shape"),
        (lambda observations, masks: 1 / 0, BotFault, "raised ZeroDivisionError: division by zero"),
        (torch.nn.Linear(100, UNO_ACTIONS), BadBot, "takes observations of 100 numbers; here they have 774"),
    ],
)
def test_what_a_policy_does_wrong_is_said(policy: Any, error: type[KibitzError], words: str) -> None:
    with pytest.raises(error, match=words):
        kibitz.match([envs.as_bot(policy, "uno", "mine"), "random"], games=20, seed=3, threads=1)


@pytest.mark.parametrize(("policy", "words"), [("nowhere.onnx", "there is no file nowhere.onnx"), (7, "7 is no policy")])
def test_what_is_no_policy_is_refused(policy: Any, words: str) -> None:
    with pytest.raises(KibitzError, match=words):
        envs.as_bot(policy, "uno")


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(KibitzError, match="can't be read as an ONNX model"):
        envs.as_bot(broken, "uno")
    other = tmp_path / "model.pkl"
    other.write_bytes(b"x")
    with pytest.raises(KibitzError, match=r"a policy in a file of its own is an .onnx file"):
        envs.as_bot(other, "uno")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of sb3-contrib as its `save` writes it."""
    env = gymnasium.make("kibitz/uno-v0", against="random")
    model = MaskablePPO("MultiInputPolicy", env, seed=1, device="cpu", policy_kwargs={"net_arch": [8]})
    path = tmp_path_factory.mktemp("models") / "model.zip"
    model.save(path)
    return path


def test_the_file_of_a_model_plays_as_the_model_does(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(saved.parent)
    loaded = MaskablePPO.load(saved, device="cpu")
    results = [kibitz.match([bot, "random"], games=6, seed=3, threads=1).rows for bot in (envs.as_bot(loaded, "uno"), "model.zip")]
    assert results[1][0].bot == "model.zip"
    assert [row.points_total for row in results[0]] == [row.points_total for row in results[1]]


@pytest.mark.parametrize(
    ("module", "settings", "found"),
    [
        ("sb3_contrib.common.maskable.policies", {"clip_range": 1, "ent_coef": 0}, ("sb3_contrib", "MaskablePPO")),
        ("sb3_contrib.qrdqn.policies", {}, ("sb3_contrib", "QRDQN")),
        ("stable_baselines3.dqn.policies", {}, ("stable_baselines3", "DQN")),
        ("stable_baselines3.common.policies", {"cg_max_steps": 1}, ("sb3_contrib", "TRPO")),
        ("stable_baselines3.common.policies", {"clip_range": 1, "ent_coef": 0}, ("stable_baselines3", "PPO")),
        ("stable_baselines3.common.policies", {"ent_coef": 0}, ("stable_baselines3", "A2C")),
    ],
)
def test_a_file_says_which_model_it_holds(module: str, settings: dict[str, int], found: tuple[str, str], tmp_path: Path) -> None:
    assert model_bots._sb3_class(zipped(tmp_path / "model.zip", {"policy_class": {"__module__": module}, **settings})) == found


def zipped(path: Path, said: Any) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data", json.dumps(said))
    return path


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "is no model of Stable-Baselines3 or sb3-contrib"),
        ([1], "is no model of Stable-Baselines3 or sb3-contrib"),
        ({"policy_class": {"__module__": "sb3_contrib.common.recurrent.policies"}}, "accepted are files of MaskablePPO, QRDQN"),
        ({"policy_class": {"__module__": "stable_baselines3.dqn.policies"}}, r"can't be loaded as stable_baselines3.DQN"),
    ],
)
def test_a_file_that_holds_no_model_that_plays_is_refused(said: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(KibitzError, match=words):
        kibitz.match([str(zipped(tmp_path / "model.zip", said)), "random"], games=2)


@pytest.fixture(scope="module")
def folder(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that name them."""
    folder = tmp_path_factory.mktemp("bots")
    (folder / "policy.py").write_text(FILE)
    (folder / "spiel.py").write_text(
        "import numpy as np\nfrom open_spiel.python.bots.uniform_random import UniformRandomBot\n\n"
        "def make(game, player, seed):\n    return UniformRandomBot(player, np.random.RandomState(seed))\n\n"
        "def load():\n    return make\n"
    )
    (folder / "model.zip").write_bytes(saved.read_bytes())
    (folder / "cup.toml").write_text(
        "games = 2\n[limits]\nstart_seconds = 120.0\ndecision_seconds = 60.0\ngame_seconds = 600.0\n"
        '[[players]]\nfile = "policy.py:load"\n[[players]]\nfile = "spiel.py:load"\n[[players]]\nbot = "mix2"\n'
    )
    return folder


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("evaluate policy.py:load --games 6 --no-store", "policy.py:load"),
        ("match policy.py:load spiel.py:load --games 2 --no-store", "spiel.py:load"),
        ("match model.zip random --games 2 --no-store", "model.zip"),
        ("compare policy.py:load random --games 10 --no-store", "policy.py:load v random"),
        ("watch policy.py:load spiel.py:load", "wins"),
        ("tournament cup.toml --no-store", "spiel.py:load"),
    ],
)
def test_policies_and_models_play_in_every_command(
    words: str, shown: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        run(words.split())
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert shown in told and "forfeit" not in told


def test_bots_that_live_in_this_process_play_the_same_with_more_threads() -> None:
    """They don't travel to worker processes: there, a function of observations would be taken for one of views."""
    results = [kibitz.match([envs.as_bot(first_legal, "uno"), "random"], games=60, seed=3, threads=threads).rows for threads in (1, 2)]
    assert results[0] == results[1]
