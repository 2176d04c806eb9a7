"""How a request reaches its handler: first it takes a token of its rate limit, then its body is read and measured, then models check it.

FastAPI alone would parse and validate the body before anything else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response

from kibitz.core.errors import BadValue
from kibitz.table.addresses import address_of
from kibitz.table.json_input import Reader, Unreadable, check, names_in, parse
from kibitz.table.protection import Buckets, too_many

First = Callable[[Request], Awaitable[None]]
Handler = TypeVar("Handler", bound=Callable[..., Any])


def first(do: First) -> Callable[[Handler], Handler]:
    """Do this before the body is read. What it raises is the answer."""

    def mark(handler: Handler) -> Handler:
        handler.first = do  # type: ignore[attr-defined]  # read where the route is made
        return handler

    return mark


def takes(buckets: Buckets, what: str) -> Callable[[Handler], Handler]:
    """Take a token of the client's address before the body is read."""

    async def take(request: Request) -> None:
        wait = buckets.take(address_of(request.scope))
        if wait:
            raise too_many(what, wait)

    return first(take)


class CheckedRequest(Request):
    """A request whose JSON is measured against the names of its model's fields."""

    names: frozenset[str] = frozenset()

    async def json(self) -> Any:
        """The body's value. FastAPI asks for it if the content type is JSON."""
        body = await self.body()
        reader: Reader = self.app.state.services.reader
        try:
            return await reader.read(len(body), self._read, body)
        except Unreadable as error:
            raise HTTPException(400, str(error)) from error
        except BadValue as error:
            raise HTTPException(422, str(error)) from error

    def _read(self, body: bytes) -> Any:
        value = parse(body, "the request")
        check(value, self.names, "the request")
        return value


class CheckedRoute(APIRoute):
    """A route that does what `first` says, then reads the body as a `CheckedRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle, do = super().get_route_handler(), getattr(self.endpoint, "first", None)
        kind: Any = self.body_field.field_info.annotation if self.body_field else None
        names = names_in(TypeAdapter(kind))

        async def answer(request: Request) -> Response:
            if do is not None:
                await do(request)
            checked = CheckedRequest(request.scope, request.receive)
            checked.names = names
            return await handle(checked)

        return answer


class Number(Convertor[int]):
    """A whole number in a path. Python cannot read one of more than 4,300 digits, so a long one is not an address of ours."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """The number in a path."""
        return str(value)


register_url_convertor("number", Number())
