"""Sessions: a person is whoever has the token that was given out once. Only its digest is kept, here and in the store."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
import unicodedata
from collections import Counter, OrderedDict
from dataclasses import dataclass

from kibitz.core.errors import BadValue
from kibitz.runs.kept_tables import forget_old, keep_session, keep_use, read_session
from kibitz.table.keeping import Keeper

TOKEN_BYTES = 32
LONGEST_NAME = 32
LONGEST_TITLE = 60
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # how 32 bytes are written
_REMEMBERED = 10_000
_DAY = 86_400.0


@dataclass(frozen=True)
class Session:
    """A person: the digest of the token, and the name to be shown."""

    digest: str
    name: str


def digest_of(token: str) -> str:
    """What is kept of a token. It has 256 random bits, so a plain hash does."""
    return hashlib.sha256(token.encode()).hexdigest()


def checked_name(name: str) -> str:
    """A name as it is shown: one line, not empty, without signs that change how others are shown."""
    return _one_line(name, "name", LONGEST_NAME)


def checked_title(title: str) -> str:
    """The title of a tournament, in the same way."""
    return _one_line(title, "title", LONGEST_TITLE)


def _one_line(text: str, what: str, longest: int) -> str:
    shown = " ".join(text.split())
    if not 1 <= len(shown) <= longest:
        raise BadValue(f"a {what} has 1 to {longest} signs; this one has {len(shown)}.")
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn") for sign in shown):
        raise BadValue(f"a {what} has letters, digits, spaces and signs that can be seen; this one has others.")
    return shown


class Sessions:
    """All sessions: the store has them, and those of late are remembered here."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self.sockets: Counter[str] = Counter()  # open ones, by digest
        self._names: OrderedDict[str, str] = OrderedDict()
        self._used: set[str] = set()  # today
        self._swept = -_DAY

    async def begin(self, name: str) -> tuple[str, Session]:
        """A new session: its token, which is never shown again, and itself."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        return token, await self._keep(digest_of(token), checked_name(name))

    async def rename(self, session: Session, name: str) -> Session:
        """The same person under another name."""
        return await self._keep(session.digest, checked_name(name))

    async def find(self, token: str) -> Session | None:
        """Who has this token."""
        if not _TOKEN.fullmatch(token):
            return None
        digest = digest_of(token)
        name = self._names.get(digest)
        if name is None:
            name = await self.keeper.read(read_session, digest)
            if name is None:
                return None
            self._remember(digest, name)
        if digest not in self._used:
            self._used.add(digest)
            self.keeper.write_soon(keep_use, digest, name)
        return Session(digest, name)

    async def forget_old(self) -> None:
        """Once a day: forget what nobody has come back to for long, in the store."""
        now = time.monotonic()
        if now - self._swept >= _DAY:
            self._swept = now
            self._used.clear()
            await self.keeper.write(forget_old, time.time())

    async def _keep(self, digest: str, name: str) -> Session:
        await self.keeper.write(keep_session, digest, name)
        self._remember(digest, name)
        return Session(digest, name)

    def _remember(self, digest: str, name: str) -> None:
        self._names[digest] = name
        self._names.move_to_end(digest)
        if len(self._names) > _REMEMBERED:
            self._names.popitem(last=False)
