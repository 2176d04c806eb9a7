"""What a node of a cluster says of itself, and why it may not take part: it must play the same games as this machine.

A node with other code, another Python or another compiler could play other games, and nobody would notice. So it is refused by name.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import kibitz
from kibitz.core.errors import ClusterFailure
from kibitz.games.face import loaded

Facts = dict[str, Any]

GUARDS = "guards"
PACKAGE = Path(kibitz.__file__).resolve().parent
MEANT = ("*.py", "*.npz", "*.json")  # files of the package that decide what is played
ALIKE = {  # facts that must be equal, and what they are called
    "kibitz": "Kibitz",
    "python": "Python",
    "numba": "Numba",
    "numpy": "NumPy",
    "machine": "a processor of the kind",
}


class NodeRefused(ClusterFailure):
    """A node of the cluster that can't play the same games."""

    exit_code = 2


@cache
def digest_of_package() -> str:
    """A digest of the code and the weights of this package."""
    found = hashlib.sha256()
    for path in sorted(path for kind in MEANT for path in PACKAGE.rglob(kind)):
        found.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def facts_here(guards: str = "") -> Facts:
    """What must be alike on all machines of a job; `guards` says who knows which guards of outside bots this one has."""
    facts: Facts = {
        "kibitz": kibitz.__version__,
        "code": digest_of_package(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numba": version("numba"),
        "numpy": version("numpy"),
        "machine": platform.machine(),
    }
    if guards:
        look: Callable[[], Mapping[str, str]] = loaded(guards)
        facts[GUARDS] = dict(look())
    return facts


def reason_against(expected: Facts, found: Facts) -> str:
    """Why a node with these facts may not take part, in words to follow its name; empty if it may."""
    for name, title in ALIKE.items():
        if found.get(name) != expected[name]:
            return f"has {title} {found.get(name, 'unknown')}, and this machine {expected[name]}; install the same there"
    if found.get("code") != expected["code"]:
        return f"has other code of Kibitz {expected['kibitz']} ({found.get('code')}) than this machine ({expected['code']}); install the same there"
    missing = [f"{name} ({state.removeprefix('no: ')})" for name, state in found.get(GUARDS, {}).items() if not state.startswith("yes")]
    if GUARDS in expected and (missing or GUARDS not in found):
        return f"lacks a guard that outside bots are kept apart by, so it takes none: {', '.join(missing) or 'all'} (see docs/isolation.md)"
    return ""


def check_node(node: str, expected: Facts, found: Facts) -> None:
    """Refuse a node by name if it may not take part."""
    if reason := reason_against(expected, found):
        raise NodeRefused(f"node {node} of the cluster {reason}.")
