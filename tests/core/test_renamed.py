"""Modules by the names that they had."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.core.renamed import RENAMED, new_name


@pytest.mark.parametrize("old", sorted(RENAMED))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_name_gives_the_very_module(old: str) -> None:
    new = new_name(f"kibitz.{old}")
    assert new is not None
    module = importlib.import_module(new)
    if hasattr(module, "__path__"):
        for name in (
            path.stem for path in Path(module.__path__[0]).glob("*.py") if new_name(f"kibitz.{old}.{path.stem}") == f"{new}.{path.stem}"
        ):
            part = importlib.import_module(f"{new}.{name}")
            assert name == "__init__" or getattr(__import__(f"kibitz.{old}", fromlist=[name]), name) is part
    else:
        assert importlib.import_module(f"kibitz.{old}") is module
    assert module.__spec__ is not None and module.__spec__.name == new


def test_an_old_name_comes_with_a_hint() -> None:
    sys.modules.pop("kibitz.arena.game", None)
    with pytest.warns(DeprecationWarning, match=r"kibitz\.arena\.game is now kibitz\.play\.game"):
        importlib.import_module("kibitz.arena.game")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_modules_of_an_old_folder_are_now_apart() -> None:
    from kibitz.arena import deal, evaluation  # type: ignore[import-not-found]  # found when it runs
    from kibitz.store import runs  # type: ignore[import-not-found]  # likewise

    from kibitz.experiments import measurement as experiment
    from kibitz.play import loop
    from kibitz.runs import store

    assert (deal, evaluation, runs) == (loop, experiment, store)


def test_modules_inside_a_folder_that_moved() -> None:
    assert new_name("kibitz.arena.tournament.config") == "kibitz.experiments.tournament.config"
    assert new_name("kibitz.learn.perceptron.study") == "kibitz.experiments.studies.uno.perceptrons.study"


@pytest.mark.parametrize("name", ["kibitz.arena.nonsense", "kibitz.nonsense"])
def test_a_name_that_never_was(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


def test_a_module_runs_as_a_program_by_its_old_name() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "kibitz.arena.outside.client", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split("\n")[0][:6]) == (0, "usage:")


def test_the_package_of_playing_can_be_called() -> None:
    import kibitz
    import kibitz.play.game

    game = kibitz.play(["random", "random"], seed=3)
    assert game.actions == kibitz.play.game.play(["random", "random"], seed=3).actions  # type: ignore[attr-defined]  # mypy sees the function


def test_a_class_by_its_old_name_comes_with_a_hint() -> None:
    from kibitz.core import jit

    with pytest.warns(DeprecationWarning, match=r"Table of kibitz\.core\.jit is now Numbers"):
        assert jit.Table is jit.Numbers
    assert not hasattr(jit, "Tables")
