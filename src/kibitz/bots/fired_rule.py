"""Which rule of a bot gave its move: a bot that is a list of rules has a sentence for each, and notes which one fired.

The sentences are declared (`rules=`); the bot writes the place of the one that fired, counted from 0, into the field `rule` of its scratch
or its memory. A bot with rules and without such a record gets one as scratch. A bot with a single rule notes nothing. Explanations fill
in what stands in braces, such as `{card}`; which parts there are is the game's own (`Face.action_parts`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kibitz.core.errors import BadBot
from kibitz.core.layouts import Long, fields_of


class FiredRule:
    """Room for the rule that fired, for bots that need no other scratch."""

    rule: Long


def has_field(record: type | None) -> bool:
    """Whether a record has room for the rule that fired."""
    try:
        return record is not None and any(field.name == "rule" for field in fields_of(record))
    except TypeError:  # a record that is none; the bot is refused for it elsewhere, with the reason
        return False


def check_rules(name: str, rules: Any) -> None:
    """Refuse rules that are not a tuple of sentences."""
    if not isinstance(rules, tuple) or not all(isinstance(rule, str) and rule.strip() for rule in rules):
        raise BadBot(f"bot '{name}': rules must be a tuple of sentences, not {rules!r}.")


def scratch_for_rules(name: str, rules: tuple[str, ...], memory: type | None, scratch: type | None) -> type | None:
    """The scratch of a bot with these rules: its own, or one with room for the rule that fired."""
    if len(rules) < 2 or has_field(memory) or has_field(scratch):
        return scratch
    if scratch is not None:
        raise BadBot(f"bot '{name}' has {len(rules)} rules, so its scratch or its memory needs a field `rule` for the one that fired.")
    return FiredRule


def filled_in(sentence: str, parts: Mapping[str, str]) -> str:
    """A rule's sentence with the parts of an action in place of their names in braces; what is no part stays."""
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), sentence)
