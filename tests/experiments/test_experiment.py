"""Experiments: their settings are the command's options, the signature in Python and the stored configuration."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import TypeAdapter

import kibitz
from kibitz.cli.main import app
from kibitz.core.errors import BadValue
from kibitz.experiments.experiment import Experiment
from kibitz.experiments.experiment_kinds import experiment_kinds, find_kind
from kibitz.experiments.settings import schema_of, settings_of

KINDS = list(experiment_kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_found_and_says_what_its_settings_mean(kind: str) -> None:
    found = find_kind(kind)
    assert issubclass(found, Experiment) and found.kind == kind
    options = [field for field in settings_of(found) if field.setting.is_option]
    assert options and all(field.setting.about.endswith((".", ",")) for field in options)


def command_of(kind: str) -> Any:
    command: Any = typer.main.get_command(app)
    for word in kind.split():
        command = command.get_command(None, word)
    return command.made


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_has_an_option_for_every_setting(kind: str) -> None:
    options = {option.name for option in command_of(kind).params}
    wanted = {field.name for field in settings_of(find_kind(kind)) if field.setting.is_option}
    assert wanted <= options and {"json", "store", "no_store"} <= options


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_describes_what_decides_the_figures(kind: str) -> None:
    experiment = find_kind(kind)
    schema = schema_of(experiment)
    kept = [field for field in settings_of(experiment) if field.setting.is_kept]
    assert schema["title"] == kind and list(schema["properties"]) == [field.name for field in kept]
    assert json.loads(json.dumps(schema)) == schema
    for field in kept:
        described = dict(schema["properties"][field.name])
        assert described.pop("description") == field.setting.about
        assert (described.pop("minimum", None), described.pop("maximum", None)) == (field.setting.least, field.setting.most)
        assert ("default" in described) == (field.name not in schema["required"])
        described.pop("default", None)
        assert described == TypeAdapter(field.setting.given_as or field.type).json_schema()  # which others have made


def test_the_defaults_of_a_schema_are_those_of_the_experiment() -> None:
    found = schema_of(find_kind("compare"))
    given: dict[str, Any] = {"first": "mix2", "second": "greedy"}
    defaults = {name: each["default"] for name, each in found["properties"].items() if name not in given}
    compare = find_kind("compare")
    assert found["required"] == list(given) and compare(**given, **defaults).to_config() == compare(**given).to_config()


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
    """The words that tell kinds of runs apart are in one table and the faces of games: no dictionary elsewhere has two of them as keys."""
    import ast

    root = Path(kibitz.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if path.name not in ("experiment_kinds.py", "face.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Dict):
                    keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                    if len(keys & set(KINDS)) > 1 and path.parent != root:
                        found.append(path.relative_to(root).as_posix())
    assert found == []
