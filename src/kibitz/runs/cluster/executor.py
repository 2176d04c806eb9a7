"""The work of a process on the cluster: a unit comes in as bytes, and its result, or what went wrong, goes back as bytes.

Ray calls `do_unit` in the main thread of a process that does one unit at a time.
"""

from __future__ import annotations

import pickle
import traceback
from typing import Any

from kibitz.core.carried import named_as_before
from kibitz.core.errors import BotFault, KibitzError
from kibitz.runs.cluster.inspection import Facts, NodeRefused, facts_here
from kibitz.runs.cluster.parcels import unpack
from kibitz.runs.cluster.workplace import job_here, node_name
from kibitz.runs.watchdog import watchdog

KEPT = 16  # functions that a process keeps unpacked, with all that they have made ready

RESULT, FAULT, ERROR, CRASH, REFUSED = "result", "fault", "error", "crash", "refused"


_functions: dict[str, Any] = {}


def _function(digest: str, parcels: dict[str, bytes]) -> Any:
    """A function by its digest; it is unpacked once, and keeps what it has made ready."""
    if digest not in _functions:
        if len(_functions) >= KEPT:
            del _functions[next(iter(_functions))]
        _functions[digest] = unpack(parcels[digest], parcels)
    return _functions[digest]


def do_unit(work: str, arguments: bytes, digests: tuple[str, ...], *contents: bytes) -> bytes:
    """Call a function and tell what came of it: a kind of answer and its value."""
    try:
        answer = _done(work, arguments, dict(zip(digests, contents, strict=True)))
    except NodeRefused as refusal:
        answer = (REFUSED, str(refusal))
    except BotFault as fault:
        answer = (FAULT, fault)
    except KibitzError as error:
        answer = (ERROR, named_as_before(str(error)))
    except Exception as error:
        answer = (CRASH, (f"{type(error).__name__}: {error}", f"on node {node_name()}:\n{traceback.format_exc()}"))
    return pickle.dumps(answer, protocol=5)


def _done(work: str, arguments: bytes, parcels: dict[str, bytes]) -> tuple[str, Any]:
    papers = job_here()
    function = _function(work, parcels)
    with watchdog.limiting(papers.decision_seconds):
        return RESULT, function(*unpack(arguments, parcels))


def look_around(guards: str) -> tuple[str, Facts]:
    """The name of this node and what is to be known of it."""
    return node_name(), facts_here(guards)
