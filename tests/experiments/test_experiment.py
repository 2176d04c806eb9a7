"""Experiments: their settings are the command's options, the signature in Python and the stored configuration."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import typer

import kibitz
from kibitz.cli.main import app
from kibitz.core.errors import BadValue
from kibitz.experiments.experiment import Experiment
from kibitz.experiments.kinds import KINDS, find_kind
from kibitz.experiments.settings import settings_of


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_found_and_says_what_its_settings_mean(kind: str) -> None:
    found = find_kind(kind)
    assert issubclass(found, Experiment) and found.kind == kind
    options = [field for field in settings_of(found) if field.setting.is_option]
    assert options and all(field.setting.about.endswith((".", ",")) for field in options)


def command_of(kind: str) -> Any:
    command: Any = typer.main.get_command(app)
    for word in kind.split():
        command = command.commands[word]
    return command.made


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_has_an_option_for_every_setting(kind: str) -> None:
    options = {option.name for option in command_of(kind).params}
    wanted = {field.name for field in settings_of(find_kind(kind)) if field.setting.is_option}
    assert wanted <= options and {"json", "store", "no_store"} <= options


def test_the_signature_in_python_shows_the_settings() -> None:
    signature = inspect.signature(kibitz.evaluate)
    assert next(iter(signature.parameters)) == "bots" and signature.parameters["games"].default == 100_000
    assert signature.parameters["games"].annotation is int and signature.parameters["games"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.return_annotation is kibitz.Result and not {"part", "absent"} & set(signature.parameters)
    assert list(inspect.signature(kibitz.compare).parameters)[:2] == ["first", "second"]
    assert "error" in (kibitz.evaluate.__doc__ or "")
    with pytest.raises(TypeError, match="nonsense"):
        kibitz.evaluate("mix2", nonsense=1)  # type: ignore[call-arg]  # which it refuses


def test_numbers_out_of_range_are_refused_alike() -> None:
    with pytest.raises(BadValue, match="games=0 is out of range: at least 1 game is needed"):
        kibitz.evaluate("mix2", games=0)
    with pytest.raises(BadValue, match="max_games=-1 is out of range: at least 1 game is needed"):
        kibitz.compare("mix2", "greedy", max_games=-1)


def test_no_other_module_lists_kinds() -> None:
    """The words that tell kinds of runs apart are in one table: no dictionary elsewhere has two of them as keys."""
    import ast

    root = Path(kibitz.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if path.name not in ("kinds.py", "__init__.py"):  # a game's folder lists its own
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Dict):
                    keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                    if len(keys & set(KINDS)) > 1 and path.parent != root:
                        found.append(path.relative_to(root).as_posix())
    assert found == []
