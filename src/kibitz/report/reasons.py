"""Advice in words: an action as a page names it, and why a bot would take it, in a sentence or two."""

from __future__ import annotations

from typing import Any

from kibitz import registry
from kibitz.play.explaining import DEFAULT, ONLY, ActionValue, Explanation
from kibitz.play.seat import is_search, tells
from kibitz.policies.valuation import PREFERENCE, UNITS, WIN_CHANCE
from kibitz.registry import Entrant
from kibitz.report.explanation import is_share, why_not_best


def action_text(game: str, view: Any, action: int) -> str:
    """An action at a view in words: `red 5`, `Wild, calling green`, `draw`, `hint seat 2: red`."""
    definition = registry.game(game)
    words = definition.face.load("action_text") or definition.action_name
    return str(words(view, action))


def reason(explanation: Explanation, entrant: Entrant, words: dict[int, str]) -> str:
    """Why a bot would take its action, in a sentence or two; `words` has actions in words."""
    if explanation.why == ONLY:
        return "There is no other choice."
    if explanation.why == DEFAULT:
        return "It has no opinion here, and does what is usual."
    chosen = next((row for row in explanation.rows if row.action == explanation.action and row.value is not None), None)
    others = [row for row in explanation.rows if row.action != explanation.action and row.value is not None]
    if chosen is None:
        return _without_values(entrant)
    told = _valued(chosen, explanation.unit)
    if not others:
        return f"{told}."
    other = words.get(others[0].action, others[0].name)
    value = _short_value(others[0], explanation.unit)
    if why_not := why_not_best(explanation, words):
        return f"{told}. {why_not[0].upper()}{why_not[1:]}"
    if explanation.unit == UNITS[PREFERENCE]:
        guess = explanation.win_chance
        return f"{told}; then {other}, {value}." + (f" It gives itself a {100 * guess:.0f} % chance to win." if guess is not None else "")
    return f"{told}; next best: {other}, {value}."


def _without_values(entrant: Entrant) -> str:
    """What a bot goes by that values nothing, or does not do so here."""
    if is_search(entrant):
        return (
            "Nothing else here is worth a search."
            if entrant.values.get("search", True)
            else "It goes by its learned policy, without a search."
        )
    if tells(entrant):
        return "It weighed nothing else here."
    about = entrant.bot.summary.replace("`", "")
    return f"It has a rule: {about[:1].lower()}{about[1:]}"


def _valued(row: ActionValue, unit: str) -> str:
    value = _short_value(row, unit)
    if unit == UNITS[WIN_CHANCE]:
        return f"Wins {value} of {row.visits:,} tries" if row.visits > 1 else f"Wins {value}"
    return f"Prefers this with {value}" if unit == UNITS[PREFERENCE] else f"Comes to {value} ({unit})"


def _short_value(row: ActionValue, unit: str) -> str:
    assert row.value is not None
    return f"{100 * row.value:.0f} %" if is_share(unit) else f"{round(row.value, 2) + 0.0:.2f}"
