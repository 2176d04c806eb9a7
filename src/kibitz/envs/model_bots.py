"""Bots made of models that others trained: PyTorch modules, models of Stable-Baselines3, ONNX files, bots of OpenSpiel and RLCard, any function.

Files of Stable-Baselines3 and pickled PyTorch models run code when they are loaded: load only what you trust. ONNX files don't.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.carried import place_of
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.extras import MissingExtra
from kibitz.envs.rlcard_bots import is_rlcard, rlcard_bot
from kibitz.envs.spiel_bots import is_spiel, spiel_bot
from kibitz.play.policy_bots import Array, Policy, PolicyBot

MOST_BYTES = 512 * 2**20  # of a model's file
_SB3_PACKAGES = {"stable_baselines3": "Stable-Baselines3", "sb3_contrib": "sb3-contrib"}
_SB3_CLASSES = (  # where the policy of a model comes from, a setting that only this kind has, and its package and class
    ("sb3_contrib.common.maskable.", "", "sb3_contrib", "MaskablePPO"),
    ("sb3_contrib.qrdqn.", "", "sb3_contrib", "QRDQN"),
    ("stable_baselines3.dqn.", "", "stable_baselines3", "DQN"),
    ("stable_baselines3.common.", "cg_max_steps", "sb3_contrib", "TRPO"),
    ("stable_baselines3.common.", "clip_range", "stable_baselines3", "PPO"),
    ("stable_baselines3.common.", "ent_coef", "stable_baselines3", "A2C"),
)


def as_bot(policy: Any, game: str | None = None, name: str = "") -> ObjectBot:
    """A bot made of a policy.

    That is a function of (observations, masks), a PyTorch module, a model of Stable-Baselines3 or sb3-contrib, the path of such a model or
    of an ONNX file; an agent of RLCard; or OpenSpiel's: a bot, a policy, an agent, or a function of (game, player, seed) that makes one.
    """
    definition = registry.game(game)
    is_path = isinstance(policy, str | Path)
    shown = name or getattr(policy, "__name__", "") or (Path(policy).name if is_path else type(policy).__name__)
    source = str(Path(policy).resolve()) if is_path else Unsent(policy)
    for fits, make in ((is_rlcard, rlcard_bot), (is_spiel, spiel_bot)):
        if not is_path and fits(policy):
            return make(policy, definition, shown, source)
    ask, takes = _policy_of(policy)
    windows = definition.phases[definition.basic_phases :]
    return PolicyBot(shown, lambda: None, source, "asks a policy", windows, game=definition.name, policy=ask, takes=takes)


class Unsent:
    """What a bot was made of, where it can't be made again from a file: such a bot plays in this process alone."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self.thing).__name__} stays in its process")


def _policy_of(policy: Any) -> tuple[Policy, int | None]:
    """The function to ask, and the length of the observations it takes, if that is known."""
    if isinstance(policy, str | Path):
        return _from_file(Path(policy))
    if _is_torch(policy):
        return _torch_policy(policy), _first_width(policy)
    if callable(getattr(policy, "predict", None)) and hasattr(policy, "observation_space"):
        return _sb3_policy(policy), _space_width(policy.observation_space)
    if callable(policy):
        return policy, None
    raise BadBot(f"{policy!r} is no policy: a function of (observations, masks), a PyTorch module or a Stable-Baselines3 model is.")


def _from_file(named: Path) -> tuple[Policy, int | None]:
    path = Path(place_of(named))
    if not path.is_file():
        raise BadValue(f"there is no file {path} with a policy.")
    if path.stat().st_size > MOST_BYTES:
        raise BadValue(f"{path} has {path.stat().st_size // 2**20} MB; models of up to {MOST_BYTES // 2**20} MB are loaded.")
    if path.suffix == ".onnx":
        return _onnx_policy(path)
    if path.suffix == ".zip":
        return _policy_of(_sb3_model(path))
    raise BadValue(
        f"{path} is not accepted; a policy in a file of its own is an .onnx file, or a .zip file of Stable-Baselines3 or sb3-contrib. "
        "Load any other yourself, PyTorch's with torch.load(…, weights_only=True), and pass the model."
    )


# -- PyTorch --


def _is_torch(policy: Any) -> bool:
    return any(base.__module__.startswith("torch.nn") and base.__name__ == "Module" for base in type(policy).__mro__)


def _torch_policy(module: Any) -> Policy:
    import torch

    module.eval()

    def ask(observations: Array, masks: Array) -> Any:
        with torch.no_grad():
            return module(torch.from_numpy(observations.astype(np.float32))).numpy()

    return ask


def _first_width(module: Any) -> int | None:
    """How many numbers the first layer takes, if it says so."""
    return next((int(layer.in_features) for layer in module.modules() if hasattr(layer, "in_features")), None)


# -- Stable-Baselines3 --


def _sb3_model(path: Path) -> Any:
    """The model in a file that its owner named: loading it runs code."""
    package, kind = _sb3_class(path)
    if find_spec(package) is None:
        raise MissingExtra(f"the model {path.name}", package, _SB3_PACKAGES[package])
    try:
        return getattr(import_module(package), kind).load(path, device="cpu")
    except Exception as error:  # whatever the code in the file raises
        raise BadValue(f"{path} can't be loaded as {package}.{kind}: {type(error).__name__}: {str(error)[:200]}") from error


def _sb3_class(path: Path) -> tuple[str, str]:
    """The package and class of the model in a file, from what it says in plain text; nothing is loaded."""
    try:
        with zipfile.ZipFile(path) as file, file.open("data") as data:
            said = json.loads(data.read(MOST_BYTES))
        policy = str(said["policy_class"]["__module__"])
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, OSError):
        raise BadValue(f"{path} is no model of Stable-Baselines3 or sb3-contrib.") from None
    for module, mark, package, kind in _SB3_CLASSES:
        if policy.startswith(module) and (not mark or mark in said):
            return package, kind
    raise BadValue(
        f"{path} has a policy of {policy[:80]}; accepted are files of {', '.join(row[3] for row in _SB3_CLASSES)}. "
        "Load any other yourself, and pass a function of (observations, masks)."
    )


def _sb3_policy(model: Any) -> Policy:
    masks_too = "action_masks" in model.predict.__code__.co_varnames
    wants_dict = hasattr(model.observation_space, "spaces")

    def ask(observations: Array, masks: Array) -> Any:
        seen: Any = {"observation": observations, "action_mask": masks} if wants_dict else observations
        more = {"action_masks": masks.astype(bool)} if masks_too else {}
        return np.asarray(model.predict(seen, deterministic=True, **more)[0])

    return ask


def _space_width(space: Any) -> int | None:
    inner = space.spaces.get("observation", None) if hasattr(space, "spaces") else space
    return int(inner.shape[0]) if inner is not None and len(inner.shape) == 1 else None


# -- ONNX --


def _onnx_policy(path: Path) -> tuple[Callable[[Array, Array], Any], int | None]:
    if find_spec("onnxruntime") is None:
        raise MissingExtra(f"a policy in {path.name}", "onnxruntime", "ONNX Runtime")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # it raises its own, several of them
        raise BadValue(f"{path} can't be read as an ONNX model: {str(error).splitlines()[0]}") from None
    entry = session.get_inputs()[0]
    width = entry.shape[-1] if isinstance(entry.shape[-1], int) else None
    kind = np.float32 if "float" in entry.type else np.uint8

    def ask(observations: Array, masks: Array) -> Any:
        return session.run(None, {entry.name: observations.astype(kind)})[0]

    return ask, width
