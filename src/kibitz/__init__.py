"""Kibitz: a laboratory for card-playing AI.

    import kibitz
    print(kibitz.evaluate("mix2", games=100_000))

`evaluate`, `match`, `compare` and `play` return results with figures and standard errors; `Game` steps through a game by hand, and
an `Adviser` says what a bot would do in it and why; `@kibitz.bot` makes a compiled bot of a function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kibitz.core.renamed import accept_old_names

__version__ = "0.2.0"

if TYPE_CHECKING:
    from kibitz.bots.bot import bot as bot
    from kibitz.bots.parameters import CHOICE as CHOICE
    from kibitz.bots.parameters import REAL as REAL
    from kibitz.bots.parameters import SWITCH as SWITCH
    from kibitz.bots.parameters import WHOLE as WHOLE
    from kibitz.bots.parameters import Parameter as Parameter
    from kibitz.core.errors import KibitzError as KibitzError
    from kibitz.experiments.comparison import compare as compare
    from kibitz.experiments.measurement import evaluate as evaluate
    from kibitz.experiments.measurement import match as match
    from kibitz.experiments.results import Result as Result
    from kibitz.play.explaining import Adviser as Adviser
    from kibitz.play.explaining import explain as explain
    from kibitz.play.game import Game as Game
    from kibitz.play.game import play as play
    from kibitz.play.game import play_contest as play_contest
    from kibitz.runs.watchdog import decision_limit as decision_limit

_HOMES = {
    "evaluate": "kibitz.experiments.measurement",
    "match": "kibitz.experiments.measurement",
    "compare": "kibitz.experiments.comparison",
    "Adviser": "kibitz.play.explaining",
    "explain": "kibitz.play.explaining",
    "play": "kibitz.play.game",
    "play_contest": "kibitz.play.game",
    "Game": "kibitz.play.game",
    "Result": "kibitz.experiments.results",
    "bot": "kibitz.bots.bot",
    "Parameter": "kibitz.bots.parameters",
    "CHOICE": "kibitz.bots.parameters",
    "WHOLE": "kibitz.bots.parameters",
    "REAL": "kibitz.bots.parameters",
    "SWITCH": "kibitz.bots.parameters",
    "KibitzError": "kibitz.core.errors",
    "decision_limit": "kibitz.runs.watchdog",
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


accept_old_names()
