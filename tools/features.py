"""Print what the learned policies see: every feature of `linear` and `net`, every input and event of `net`, with its places.

python tools/features.py            all lists
python tools/features.py linear     one of them: linear, candidates, view or events
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kibitz.policies.uno.feature_groups import GROUPS, RANGES, Group
from kibitz.policies.uno.net import groups as net

LISTS: dict[str, tuple[Sequence[Group], dict[str, tuple[int, int]]]] = {
    "linear": (GROUPS, RANGES),
    "candidates": (net.CANDIDATE_GROUPS, net.CANDIDATE_RANGES),
    "view": (net.VIEW_GROUPS, net.VIEW_RANGES),
    "events": (net.EVENT_GROUPS, net.EVENT_RANGES),
}


def lines_of(name: str) -> list[str]:
    """A line for each group of a list: its places, its name, what it means, and what it has one place for each of."""
    groups, ranges = LISTS[name]
    lines = []
    for group in groups:
        first, length = ranges[group.name]
        places = f"{first}–{first + length - 1}" if length > 1 else f"{first}"
        axes = " × ".join(f"({', '.join(axis)})" for axis in group.axes)
        lines.append(f"{places:>10}  {group.name}: {group.meaning}{f', for each of {axes}' if axes else ''}")
    return lines


def main(names: list[str]) -> int:
    """Print the lists that are named, or all."""
    for name in names:
        if name not in LISTS:
            print(f"tools/features.py: unknown list {name!r}; known: {', '.join(LISTS)}.", file=sys.stderr)
            return 2
    for name in names or LISTS:
        print(f"{name}:", *lines_of(name), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
