"""The exceptions a user can cause, at the root of everything else.

Each message is one sentence that names the value, where it came from and what would be accepted. The command line prints it and ends with exit code 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from kibitz.core.printable import sentence


class KibitzError(Exception):
    """Something the user asked for cannot be done; the message says what and why, on one line that is safe to print."""

    exit_code = 2  # of the command line

    def __init__(self, message: str = "") -> None:
        super().__init__(sentence(message))


class UnknownName(KibitzError):
    """A bot, preset, parameter or rule set that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name[:100], names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}."
        super().__init__(f"unknown {kind} '{name}'; {hint}")


class BadValue(KibitzError):
    """A value outside the accepted type, range or length."""


class BadBot(KibitzError):
    """A bot that cannot be loaded or compiled."""


class BotFault(KibitzError):
    """A bot raised, or answered with something that is not a legal action, during a game.

    `place` is the file, line and text of the author's own code where that happened, if it is known.
    """

    def __init__(self, bot: str, seat: int, seed: int, index: int, what: str, options: str = "", place: str = "") -> None:
        self.bot, self.seat, self.seed, self.index, self.what, self.options, self.place = bot, seat, seed, index, what, options, place
        self.played: object = None  # the game up to the fault, where it was kept
        where = f", in {place}" if place else ""
        super().__init__(f"bot {bot} in seat {seat} {what}{where} (reproduce with --seed {seed} --index {index}{options})")

    def __reduce__(self) -> tuple[type[BotFault], tuple[str, int, int, int, str, str, str]]:
        """Faults come back from worker processes."""
        return type(self), (self.bot, self.seat, self.seed, self.index, self.what, self.options, self.place)


class DecisionTimeout(BotFault):
    """A bot took longer over one call than the limit allows."""

    exit_code = 1  # nothing was wrong with the command


class ClusterFailure(KibitzError):
    """A cluster on which units were played failed; what was finished is kept."""

    exit_code = 1  # nothing was wrong with the command


class StoppedInDebugger(KeyboardInterrupt):
    """Somebody left the debugger inside a bot: the run ends as after Ctrl-C."""


class OldSpelling(FutureWarning):
    """Something was named as it was called before; it still works, and the message says the new name."""


class NotRepeatable(UserWarning):
    """A bot answered differently when the same game was played again, so equal seeds don't give equal results."""
