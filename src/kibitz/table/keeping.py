"""The store behind the table: a thread that writes, two that read, and the event loop that waits for none of them.

Changes that come while a transaction is being written go into the next one together; whoever needs to know waits for the future
that `write` gives. Only the thread that opened a store may use it, so each has its own.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from kibitz.runs.database import Store, open_store

SOON = 0.1  # seconds

Given = ParamSpec("Given")
Result = TypeVar("Result")
Change = tuple[Callable[..., None], tuple[Any, ...], "asyncio.Future[None]"]


class Keeper:
    """Reads and writes the store for the event loop. Without a path the store is a file that is deleted at the end."""

    def __init__(self, path: Path | None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="kibitz-table-")) if path is None else None
        self.path = self._folder / "kibitz.db" if self._folder else Path(path or "")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="kibitz-writer")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="kibitz-reader")
        self._student = ThreadPoolExecutor(1, thread_name_prefix="kibitz-student")
        self._stores: dict[ThreadPoolExecutor, Store] = {}
        self._waiting: list[Change] = []
        self._flushing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Open the store, so that what is wrong with it is said now."""
        loop = asyncio.get_running_loop()
        for executor in (self._writer, self._reader, self._student):
            self._stores[executor] = await loop.run_in_executor(executor, open_store, self.path)

    async def read(self, function: Callable[Concatenate[Store, Given], Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """What a function finds in the store, at once."""
        store = self._stores[self._reader]
        return await asyncio.get_running_loop().run_in_executor(self._reader, lambda: function(store, *args, **kwargs))

    async def study(self, function: Callable[Concatenate[Store, Given], Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """What a function finds in the store that may have much to read, apart from those in a hurry."""
        store = self._stores[self._student]
        return await asyncio.get_running_loop().run_in_executor(self._student, lambda: function(store, *args, **kwargs))

    def write(self, function: Callable[..., None], *args: Any) -> asyncio.Future[None]:
        """Write with a function that takes a connection; the future is done when a kill cannot undo it any more."""
        future = self._enqueue(function, args)
        self._begin_flush()
        return future

    def write_soon(self, function: Callable[..., None], *args: Any) -> asyncio.Future[None]:
        """The same for what nobody waits for: in a moment, together with what else comes until then, and in order."""
        if not self._waiting:
            self._timer = asyncio.get_running_loop().call_later(SOON, self._begin_flush)
        return self._enqueue(function, args)

    def _enqueue(self, function: Callable[..., None], args: tuple[Any, ...]) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_seen)
        self._waiting.append((function, args, future))
        return future

    def _begin_flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._flushing is None and self._waiting:
            self._flushing = asyncio.create_task(self._flush())

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                changes, self._waiting = self._waiting, []
                try:
                    await loop.run_in_executor(self._writer, self._write, changes)
                except Exception as error:  # told to everybody who waits
                    for _, _, future in changes:
                        if not future.done():
                            future.set_exception(error)
                else:
                    for _, _, future in changes:
                        if not future.done():
                            future.set_result(None)
        finally:
            self._flushing = None

    def _write(self, changes: list[Change]) -> None:
        with self._stores[self._writer].writing() as connection:
            for function, args, _ in changes:
                function(connection, *args)

    async def close(self) -> None:
        """Write what is left, and close."""
        self._begin_flush()
        if self._flushing is not None:
            await self._flushing
        loop = asyncio.get_running_loop()
        for executor, store in self._stores.items():
            await loop.run_in_executor(executor, store.close)
        for executor in (self._writer, self._reader, self._student):
            executor.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _seen(future: asyncio.Future[None]) -> None:
    """Not everybody waits for a change to be written; what went wrong is seen where the table is kept the next time."""
    if not future.cancelled():
        future.exception()
