"""A dataclass of settings as a command: options made from its fields, in their order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Annotated, Any

import typer

from kibitz.experiments.settings import SettingField, settings_of


def command_from(settings: type, run: Callable[..., Any], extras: Mapping[str, tuple[Any, Any]] | None = None) -> Callable[..., Any]:
    """A function as Typer reads it: it makes the settings of what was given, and hands them to `run`.

    `extras` are further options, each with its annotation and default, which `run` gets by name.
    """
    fields = [field for field in settings_of(settings) if field.setting.is_option]
    turned = {field.name for field in fields if field.default is True}  # what is on unless an option turns it off

    def command(**values: Any) -> Any:
        more = {name: values.pop(name) for name in extras or {}}
        given = {name: not value if name in turned else value for name, value in values.items()}
        chosen = {field.name: given[field.name] for field in fields if given[field.name] is not None or field.default is MISSING}
        return run(settings(**chosen), **more)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(field.name, keyword, annotation=_option(field), default=_default(field)) for field in fields]
    parameters += [inspect.Parameter(name, keyword, annotation=kind, default=value) for name, (kind, value) in (extras or {}).items()]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what Typer looks for
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__doc__ = settings.__doc__
    return command


def _default(field: SettingField) -> Any:
    """The default of an option; one that stands for itself in Python only is None here."""
    if field.default is MISSING:
        return inspect.Parameter.empty
    return False if field.default is True else None if field.default == () else field.default


def _option(field: SettingField) -> Any:
    """A setting as an argument or an option of Typer's."""
    setting = field.setting
    kind = setting.given_as or field.type
    if setting.is_argument:
        return Annotated[kind, typer.Argument(metavar=setting.metavar, help=setting.about)]
    return Annotated[kind, typer.Option(*field.flags, metavar=setting.metavar, help=setting.about)]
