"""What a browser may say over a WebSocket: one JSON object a message, checked to the last type before anything looks at it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from kibitz.core.errors import BadValue
from kibitz.table.json_input import NotJson, check, names_in, parse

MOST_BOTS = 6  # that are asked for advice at once
LONGEST_NOTE = 200

MessageId = Annotated[int, Field(ge=0, le=2**53)]
Index = Annotated[int, Field(ge=0, le=2**31)]  # of a deal or a position
BotNames = Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=MOST_BOTS)]


class Said(BaseModel):
    """No guessing: every type is meant, and nothing may be there that has no meaning."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Hello(Said):
    """Who is there; without a token a spectator."""

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=100)] | None = None


class Act(Said):
    """An action at the position that one sees."""

    type: Literal["act"]
    id: MessageId
    deal: Index
    position: Index
    action: Annotated[str, Field(max_length=60)]


class Next(Said):
    """On with the next deal of a contest."""

    type: Literal["next"]
    id: MessageId


class Again(Said):
    """Another game with the same people."""

    type: Literal["again"]
    id: MessageId


class Advise(Said):
    """Advice for one's own seat, now."""

    type: Literal["advise"]
    id: MessageId
    bots: BotNames = []


class AboutFilm(Said):
    """What is talked about: a record, or a deal at a table."""

    record: Annotated[str, Field(min_length=1)] | None = None
    table: Annotated[str, Field(max_length=100)] | None = None
    deal: Index = 0

    @model_validator(mode="after")
    def _one_of_two(self) -> AboutFilm:
        if (self.record is None) == (self.table is None):
            raise PydanticCustomError("film", "either record or table is expected")
        return self


class AdviseRecord(AboutFilm):
    """Advice for whoever is to act at a position of a record, or of a deal at a table that is over."""

    type: Literal["advise"]
    id: MessageId
    position: Index
    bots: BotNames = []


class Analyse(AboutFilm):
    """Every move of a record judged, or of a deal at a table that is over."""

    type: Literal["analyse"]
    id: MessageId


class Stop(Said):
    """No more advice."""

    type: Literal["stop"]
    id: MessageId


class Note(Said):
    """A note on an own card, by its place in the deck; no text takes it away."""

    type: Literal["note"]
    id: MessageId
    place: Annotated[int, Field(ge=0, le=200)]
    text: Annotated[str, Field(max_length=LONGEST_NOTE)]


class Ping(Said):
    """Are you there?"""

    type: Literal["ping"]
    id: MessageId


HELLO: TypeAdapter[Hello] = TypeAdapter(Hello)
AT_TABLE: TypeAdapter[Any] = TypeAdapter(
    Annotated[Act | Next | Again | Advise | Stop | Note | Ping, Field(discriminator="type")],
)
AT_FILM: TypeAdapter[Any] = TypeAdapter(Annotated[AdviseRecord | Analyse | Stop | Ping, Field(discriminator="type")])
AT_RUN: TypeAdapter[Any] = TypeAdapter(Ping)


class Misunderstood(BadValue):
    """A message that is not one of ours; `reply` is its number, where it has one."""

    def __init__(self, reason: str, reply: int | None = None) -> None:
        super().__init__(reason)
        self.reply = reply


_names = cache(names_in)


def understood(adapter: TypeAdapter[Any], text: str) -> Any:
    """A message, or a sentence about what is wrong with it."""
    try:
        value = parse(text, "the message")
    except NotJson as error:
        raise Misunderstood(str(error)) from error
    number = value.get("id") if isinstance(value, dict) else None
    reply = number if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= 2**53 else None
    if not isinstance(value, dict):
        raise Misunderstood("the message is not a JSON object.")
    try:
        check(value, _names(adapter), "the message")
    except BadValue as error:
        raise Misunderstood(str(error), reply) from error
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise Misunderstood(sentence(error.errors(include_url=False)), reply) from error


def sentence(problems: Iterable[Any]) -> str:
    """The first thing that is wrong, in one sentence that names the place."""
    problem = next(iter(problems))
    parts = [str(part) for part in problem["loc"]]
    place = ".".join(parts[1:] if parts[:1] in (["body"], ["query"], ["path"]) and len(parts) > 1 else parts)
    said = str(problem["msg"]).rstrip(".")
    what = said[:1].lower() + said[1:]
    return f"{place}: {what}." if place else f"{what[:1].upper()}{what[1:]}."
