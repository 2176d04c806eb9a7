"""Reading messages of the protocol: what both games check in them, so that whatever is wrong is said in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from kibitz.core.errors import BadValue, KibitzError

Read = TypeVar("Read")
Messages = ParamSpec("Messages")
Message = Mapping[str, Any]

MAX_NUMBER = 2**31 - 1


def reads(what: str) -> Callable[[Callable[Messages, Read]], Callable[Messages, Read]]:
    """Let a function that reads messages say in a sentence what it stumbled over."""

    def decorate(read: Callable[Messages, Read]) -> Callable[Messages, Read]:
        @wraps(read)
        def read_or_explain(*args: Messages.args, **kwargs: Messages.kwargs) -> Read:
            try:
                return read(*args, **kwargs)
            except KibitzError as error:
                raise BadValue(f"{what} message: {error}") from None
            except KeyError as error:
                raise BadValue(f"{what} message: {error} is missing, or is not a name that is known there.") from None
            except (AttributeError, IndexError, TypeError, ValueError) as error:
                raise BadValue(f"{what} message is not understood: {error}.") from None

        return read_or_explain

    return decorate


def whole(message: Message, key: str, low: int, high: int = MAX_NUMBER) -> int:
    """A whole number out of a message."""
    value = message[key]
    if type(value) is not int or not low <= value <= high:
        raise BadValue(f"{key}={value!r:.80} is not accepted; it is a whole number from {low} to {high}.")
    return value


def wholes(message: Message, key: str, length: int, low: int, high: int = MAX_NUMBER) -> list[int]:
    """So many whole numbers out of a message."""
    values = message[key]
    if type(values) is not list or len(values) != length or not all(type(value) is int and low <= value <= high for value in values):
        raise BadValue(f"{key}={values!r:.80} is not accepted; it is {length} whole numbers from {low} to {high}.")
    return values


def cards(message: Any, key: Any, types: Mapping[str, int], most: int) -> list[int]:
    """Cards out of a message or a list, where they stand by name."""
    names = message[key]
    if type(names) is not list or len(names) > most:
        raise BadValue(f"{key}={names!r:.80} is not accepted; it is a list of at most {most} cards.")
    return [types[name] for name in names]
