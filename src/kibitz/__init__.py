"""Kibitz: a laboratory for card-playing AI.

    import kibitz
    print(kibitz.evaluate("mix2", games=100_000))

`evaluate`, `match`, `compare` and `play` return results with figures and standard errors; `Game` steps through a game by hand, and
an `Adviser` says what a bot would do in it and why; `@kibitz.bot` makes a compiled bot of a function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kibitz.arena.comparison import compare as compare
    from kibitz.arena.evaluation import evaluate as evaluate
    from kibitz.arena.evaluation import match as match
    from kibitz.arena.explaining import Adviser as Adviser
    from kibitz.arena.explaining import explain as explain
    from kibitz.arena.game import Game as Game
    from kibitz.arena.game import play as play
    from kibitz.arena.game import play_contest as play_contest
    from kibitz.arena.results import Result as Result
    from kibitz.bots.bot import bot as bot
    from kibitz.bots.parameters import CHOICE as CHOICE
    from kibitz.bots.parameters import REAL as REAL
    from kibitz.bots.parameters import SWITCH as SWITCH
    from kibitz.bots.parameters import WHOLE as WHOLE
    from kibitz.bots.parameters import Parameter as Parameter
    from kibitz.errors import KibitzError as KibitzError
    from kibitz.runner.watchdog import decision_limit as decision_limit

_HOMES = {
    "evaluate": "kibitz.arena.evaluation",
    "match": "kibitz.arena.evaluation",
    "compare": "kibitz.arena.comparison",
    "Adviser": "kibitz.arena.explaining",
    "explain": "kibitz.arena.explaining",
    "play": "kibitz.arena.game",
    "play_contest": "kibitz.arena.game",
    "Game": "kibitz.arena.game",
    "Result": "kibitz.arena.results",
    "bot": "kibitz.bots.bot",
    "Parameter": "kibitz.bots.parameters",
    "CHOICE": "kibitz.bots.parameters",
    "WHOLE": "kibitz.bots.parameters",
    "REAL": "kibitz.bots.parameters",
    "SWITCH": "kibitz.bots.parameters",
    "KibitzError": "kibitz.errors",
    "decision_limit": "kibitz.runner.watchdog",
}
__all__ = [
    "CHOICE",
    "REAL",
    "SWITCH",
    "WHOLE",
    "Adviser",
    "Game",
    "KibitzError",
    "Parameter",
    "Result",
    "__version__",
    "bot",
    "compare",
    "decision_limit",
    "evaluate",
    "explain",
    "match",
    "play",
    "play_contest",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import kibitz` and `kibitz --help` stay instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kibitz' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
