"""Modules by the names that they had."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from kibitz.core.renamed import RENAMED, new_name


@pytest.mark.parametrize("old", sorted(RENAMED))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_name_gives_the_very_module(old: str) -> None:
    new = new_name(f"kibitz.{old}")
    assert new is not None
    module = importlib.import_module(new)
    assert importlib.import_module(f"kibitz.{old}") is module
    assert module.__spec__ is not None and module.__spec__.name == new


def test_an_old_name_comes_with_a_hint() -> None:
    sys.modules.pop("kibitz.arena.game", None)
    with pytest.warns(DeprecationWarning, match=r"kibitz\.arena\.game is now kibitz\.play\.game"):
        importlib.import_module("kibitz.arena.game")


def test_modules_inside_a_folder_that_moved() -> None:
    assert new_name("kibitz.arena.tournament.config") == "kibitz.experiments.tournament.config"
    assert new_name("kibitz.learn.perceptron.study") == "kibitz.experiments.studies.uno.perceptrons"


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
