"""The gallery: every example runs and learns in the small; the long runs of `make verify` reach what docs/gallery.md says."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import kibitz
from kibitz import envs
from kibitz.core.extras import MissingExtra

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "examples" / "gallery"
EXAMPLES = ("maskable_ppo", "openspiel_ismcts", "ppo_vector", "rlcard_dqn", "tianshou_ppo", "torchrl_ppo")
LONGEST = 150  # lines: a page of code
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


@cache
def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_curve(curve: list[tuple[int, float, float]], steps: list[int]) -> None:
    assert [step for step, _, _ in curve] == steps
    assert all(0 <= won <= 1 and error >= 0 for _, won, error in curve)


def test_every_example_is_tested_short_and_on_the_page() -> None:
    assert {path.stem for path in GALLERY.glob("*.py")} == {*EXAMPLES, "llm_player"}  # tests/outside/test_llm_player.py
    assert len((GALLERY / "llm_player.py").read_text(encoding="utf-8").splitlines()) <= 190
    for name in EXAMPLES:
        text = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST
        assert f"python examples/gallery/{name}.py " in text
    linked = set(re.findall(r"\(\.\./examples/gallery/(\w+)\.py\)", PAGE))
    assert linked == {*EXAMPLES, "llm_player"}


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("ppo_vector", "torch", "learn"),
        ("maskable_ppo", "sb3_contrib", "gallery"),
        ("torchrl_ppo", "torchrl", "gallery"),
        ("tianshou_ppo", "tianshou", "gallery"),
        ("rlcard_dqn", "rlcard", "gallery"),
        ("openspiel_ismcts", "open_spiel", "openspiel"),
    ],
)
def test_a_missing_extra_is_named(name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for known in [known for known in sys.modules if known.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, known, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=f"this example needs {package}.*'{extra}'"):
        example.__wrapped__(name)


# -- PPO on the vector environment --


@pytest.fixture(scope="module")
def trained() -> tuple[Any, Any]:
    return example("ppo_vector").learn(4_096, envs=64, measured=2, games=10)  # type: ignore[no-any-return]


def test_ppo_learns_the_same_from_equal_seeds(trained: tuple[Any, Any]) -> None:
    agent, curve = trained
    check_curve(curve, [2_048, 4_096])
    again, same_curve = example("ppo_vector").learn(4_096, envs=64, measured=2, games=10)
    assert same_curve == curve
    other, _ = example("ppo_vector").learn(2_048, envs=64, measured=0, seed=2)
    weights = [net.state_dict()["actor.weight"] for net in (agent, again, other)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])


def test_the_trained_network_plays_by_the_name_of_its_file(
    trained: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ppo_vector.py"
    file.write_text((GALLERY / "ppo_vector.py").read_text(encoding="utf-8"), encoding="utf-8")
    torch.save(trained[0].state_dict(), file.with_suffix(".pt"))
    rows = [kibitz.match([bot, "random"], games=10, threads=1).rows[0] for bot in (f"{file}:load", envs.as_bot(trained[0], "uno"))]
    assert rows[0].wins == rows[1].wins and rows[0].turns == rows[1].turns


@pytest.mark.verify
def test_ppo_beats_mix2() -> None:
    """10,000,000 decisions, then 20,000 fresh games; a policy that is no better passes once in 1,000 times."""
    agent, _ = example("ppo_vector").learn(measured=0)
    row = kibitz.match([envs.as_bot(agent, "uno"), "mix2"], games=20_000, seed=77)[0]
    assert row.win_rate > 0.5 + 3.1 * row.win_rate_se


# -- through the interfaces of others --


def test_maskable_ppo() -> None:
    model, curve = example("maskable_ppo").learn(2_048, measured=1, games=5)
    check_curve(curve, [2_048])
    assert model.num_timesteps == 2_048


@pytest.mark.verify
def test_maskable_ppo_learns() -> None:
    """1 % before; after 40,960 decisions 2,000 games have a standard error of 1.1 %."""
    _, curve = example("maskable_ppo").learn(40_960, measured=1)
    assert curve[-1][1] > 0.4


# TorchRL says that it was tested with an older PettingZoo, and warns of classes that it uses itself.
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
@pytest.mark.filterwarnings("ignore:Creating \\w+ which inherits from WeightUpdaterBase:DeprecationWarning")
def test_torchrl() -> None:
    _, curve = example("torchrl_ppo").learn(600, measured=2, games=5)
    check_curve(curve, [300, 600])


@pytest.mark.filterwarnings("ignore:Creating \\w+ which inherits from WeightUpdaterBase:DeprecationWarning")
def test_an_agents_decision_brings_what_comes_until_it_acts_again() -> None:
    """Two agents; agent 0 acts at steps 0, 3 and 4, and the first game ends at step 2."""
    from tensordict import TensorDict  # takes seconds, which every worker would pay for

    acts = torch.tensor([[1, 0], [0, 1], [0, 1], [1, 0], [1, 0]], dtype=torch.bool)
    rewards = torch.tensor([[0, 0], [0, 0], [-1, 1], [0, 0], [5, 7]]).float()[..., None]
    marks = torch.arange(10).float().reshape(5, 2, 1)
    players = TensorDict(
        {"mask": acts, **dict.fromkeys(("observation", "action", "action_mask", "log_prob"), marks)},
        batch_size=[5, 2],
    )
    done = torch.tensor([0, 0, 1, 0, 0], dtype=torch.bool)[:, None]
    rollout = TensorDict({"players": players, "next": {"players": TensorDict({"reward": rewards}, [5, 2]), "done": done}}, [5])
    for agent, (first, brings, ends) in enumerate([([0, 6], [-1, 0], [True, False]), ([3], [0], [False])]):
        own = example("torchrl_ppo").own_steps(rollout, agent)
        assert own["players", "observation"].flatten().tolist() == first
        assert own["next", "reward"].flatten().tolist() == brings
        assert own["next", "done"].flatten().tolist() == ends
    assert example("torchrl_ppo").own_steps(rollout, 0)["next", "players", "observation"].flatten().tolist() == [6, 8]


def test_tianshou() -> None:
    actions, curve = example("tianshou_ppo").learn(400, measured=1, games=5)
    assert len(curve) == 1 and curve[0][0] >= 400 and 0 <= curve[0][1] <= 1
    assert actions(torch.zeros(3, 774)).shape == (3, 85)


def test_rewards_while_the_other_acts_reach_ones_last_decision() -> None:
    """At the first table player 0 wins by its own move, at the second it loses by the other's, after the other began."""

    class Buffer:
        rew = np.array([0, 0, 1, 0, 0, 0, -1])
        done = np.array([0, 0, 1, 0, 0, 0, 1], dtype=bool)

        def sample_indices(self, count: int) -> np.ndarray:
            assert count == 0
            return np.arange(7)

    rewards, ends = example("tianshou_ppo").own_steps(Buffer(), np.array([0, 2, 4, 5]))
    assert rewards.tolist() == [0, 1, 0, -1]
    assert ends.tolist() == [False, True, False, True]


def test_rlcard(capsys: pytest.CaptureFixture[str]) -> None:
    agent, curve = example("rlcard_dqn").learn(60, measured=1, measure_games=10)
    check_curve(curve, [60])
    assert agent.train_t > 0 and capsys.readouterr().out == ""


def test_openspiels_search() -> None:
    won, error = example("openspiel_ismcts").measure(2, "random")
    assert 0 <= won <= 1 and error >= 0


def test_a_judge_of_hands_is_fair() -> None:
    class State:
        class position:
            class state:
                sizes = np.array([2, 5, 0], np.uint8)

        def legal_actions(self) -> list[int]:
            return [3, 68]

    hands = example("openspiel_ismcts").Hands()
    mine, yours = hands.evaluate(State())
    assert mine == -yours > 0
    assert hands.prior(State()) == [(3, 0.5), (68, 0.5)]


# -- the page's curves --


def test_curves_are_drawn_from_what_examples_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("draw_gallery", ROOT / "tools" / "draw_gallery.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert set(tool.TITLES) == {*EXAMPLES} - {"openspiel_ismcts"}
    for name in tool.TITLES:
        text = "    1,024 games: 12.5 ± 1.5 % won against random\n    2,048 games: 50.0 ± 1.0 % won against random\n12 s\n"
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert tool.curve_in(text) == ("games", "random", [(1_024, 12.5, 1.5), (2_048, 50.0, 1.0)])
    plot = tmp_path / "gallery.svg"
    monkeypatch.setattr("sys.argv", ["draw_gallery.py", str(tmp_path), "--plot", str(plot)])
    tool.main()
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(SystemExit, match="no learning curve in: nothing"):
        tool.curve_in("nothing")
