"""Modules, and what is in them, by the names that they had."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import kibitz
from kibitz.core.renamed import NAMES, PAIRS, RENAMED, new_name

ROOT = Path(kibitz.__file__).parent


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


@pytest.mark.parametrize("name", ["kibitz.arena.nonsense", "kibitz.nonsense", "kibitz.play.asking"])
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


@pytest.mark.parametrize("module", sorted(NAMES))
def test_what_a_module_had_is_there_with_one_hint(module: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = importlib.import_module(f"kibitz.{module}")
    for name, new in NAMES[module].items():
        home, _, present = new.partition(":")
        with warnings.catch_warnings(record=True) as hints:
            warnings.simplefilter("always")
            found = getattr(old, name)
        assert found is getattr(importlib.import_module(f"kibitz.{home}"), present)
        assert [(hint.category, str(hint.message)) for hint in hints] == [
            (DeprecationWarning, f"{old.__name__}.{name} is now kibitz.{home}.{present}")
        ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_old_name_hides_something_that_exists() -> None:
    assert len(dict(PAIRS)) == len(PAIRS)
    assert [old for old in RENAMED if (path := ROOT.joinpath(*old.split("."))).is_dir() or path.with_suffix(".py").is_file()] == []
    modules = {module: importlib.import_module(f"kibitz.{module}") for module in NAMES}
    assert [f"{module}:{name}" for module, names in NAMES.items() for name in names if name in vars(modules[module])] == []
    now = [(modules[module].__name__, name) for module, names in NAMES.items() for name in names]
    assert len(set(now)) == len(now)  # two modules that are one now don't mean different things by a name


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from kibitz.core.jit import Table", "kibitz.core.jit.Table is now kibitz.core.jit.Numbers"),
        ("from kibitz.terminal.uno import UnoFace", "kibitz.terminal.uno.UnoFace is now kibitz.terminal.uno.screen.UnoScreen"),
        ("from kibitz.arena.asking import asked_deals", "kibitz.arena.asking.asked_deals is now kibitz.play.decisions.asked_deals"),
    ],
)
def test_the_hint_is_given_once_where_the_name_is_imported(line: str, hint: str) -> None:
    with pytest.warns(DeprecationWarning, match="is now") as hints:
        exec(compile(line, "mine.py", "exec"), {})
    assert [(str(told.message), told.filename) for told in hints] == [(hint, "mine.py")]


def test_a_module_with_old_names_has_no_others() -> None:
    from kibitz.core import jit

    with pytest.raises(AttributeError, match=r"module 'kibitz\.core\.jit' has no attribute 'Tables'"):
        _ = jit.Tables  # type: ignore[attr-defined]  # that is the point


def test_nothing_is_imported_for_the_sake_of_old_names() -> None:
    line = "import sys, kibitz; print(*sorted(name for name in sys.modules if name.startswith('kibitz')))"
    run = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["kibitz", "kibitz.core", "kibitz.core.renamed"]
