"""What a bot thinks of each action, as a few aligned lines: below a decision of `kibitz watch`, or as advice to a person; and why, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from textwrap import wrap
from typing import Any

from rich.text import Text

from kibitz import registry
from kibitz.games.contract import GameDefinition
from kibitz.play.advice import Analyst, Trials
from kibitz.play.explaining import DEFAULT, ONLY, ActionValue, Explanation
from kibitz.play.seat import is_search, tells
from kibitz.policies.valuation import PREFERENCE, UNITS, WIN_CHANCE
from kibitz.registry import Entrant


def action_text(game: str, view: Any, action: int) -> str:
    """An action at a view in words: `red 5`, `Wild, calling green`, `draw`, `hint seat 2: red`."""
    definition = registry.game(game)
    words = definition.face.load("action_text") or definition.action_name
    return str(words(view, action))


def action_parts(game: GameDefinition, view: Any, action: int) -> dict[str, str]:
    """What sentences about a bot's rules may name in a game that says nothing else: {action}."""
    return {"action": action_text(game.name, view, action)}


def rule_text(explanation: Explanation) -> str:
    """The rule that fired: `rule 2: plays slot 3, which surely fits`; empty if the bot names none."""
    return f"rule {explanation.rule}: {explanation.words}" if explanation.rule else ""


def reason(explanation: Explanation, entrant: Entrant, words: dict[int, str]) -> str:
    """Why a bot would take its action, in a sentence or two; `words` has actions in words."""
    if explanation.why == ONLY:
        return "There is no other choice."
    if explanation.why == DEFAULT:
        return "It has no opinion here, and does what is usual."
    chosen = next((row for row in explanation.rows if row.action == explanation.action and row.value is not None), None)
    others = [row for row in explanation.rows if row.action != explanation.action and row.value is not None]
    if chosen is None:
        return _sentence(rule_text(explanation)) or _without_values(entrant)
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


def _sentence(text: str) -> str:
    """Words as a sentence of their own."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


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


def assumption(analyst: Analyst) -> str:
    """By what everybody is expected to play on, in a sentence or two; empty if there is nothing to say."""
    if not analyst.assumes:
        return ""
    return " ".join([f"Everybody is expected to play on by the convention of {analyst.assumes}.", *doubts(analyst)])


def doubts(analyst: Analyst) -> list[str]:
    """What is said if somebody has left the convention."""
    return ["Somebody has left the convention, so the numbers mean less."] if analyst.is_broken else []


def why_usual(trials: Trials, words: Mapping[int, str]) -> str:
    """Why the action advised is not the one with the best number; empty if it is."""
    if not trials.actions or trials.ranked()[0] == trials.best():
        return ""
    first, best = trials.ranked()[0], trials.best()
    lead, error = trials.lead(first, best)
    return f"{words[first]} leads by {lead:.2f} ± {error:.2f}, too little to be preferred."


WIDTH = 80
_LONG = 6  # of a table with more rows, several stand side by side
_GAP = 3
_MARK = "> "
_UNTRIED = "–"
WITHIN = 2.0  # standard errors of a difference that mean little
_SHARES = (UNITS[WIN_CHANCE], UNITS[PREFERENCE])  # shown in per cent


def explanation_lines(explanation: Explanation, indent: int = 0, width: int = WIDTH, title: str = "") -> list[Text]:
    """The rule that fired, if the bot names one; a heading and the rows of a table, the best first and the chosen action marked, if it has one.

    If the marked action does not have the best number, a line below the heading says why. Many rows are set side by side, to be read across, so that the last line has the worst actions.
    """
    fired = [Text(" " * indent + line, "dim") for line in wrap(rule_text(explanation), width - indent)]
    if not explanation.rows:
        return fired
    cells = _cells(explanation)
    across = max(1, (width - indent + _GAP) // (cells[0].cell_len + _GAP)) if len(cells) > _LONG else 1
    lines = [Text(" " * indent + title + _heading(explanation), "dim"), *fired]
    words = {row.action: action_words(explanation, row.name) for row in explanation.rows}
    for said in explanation.notes or [why_not_best(explanation, words)]:
        lines += [Text(" " * indent + line, "dim") for line in wrap(said, width - indent)]
    for place in range(0, len(cells), across):
        line = Text(" " * indent).append_text(Text(" " * _GAP).join(cells[place : place + across]))
        line.rstrip()
        lines.append(line)
    return lines


def advice_lines(explanation: Explanation, name: str = "", width: int = WIDTH) -> list[Text]:
    """Advice to a person: the table, or the action and the rule behind it if the bot has none; `name` is what to call the bot."""
    whose = (
        f" assuming {explanation.assumes}" if explanation.assumes else f" of {name or explanation.bot}" if name or explanation.bot else ""
    )
    title = f"Advice{whose}: "
    if explanation.rows:
        return explanation_lines(explanation, width=width, title=title)
    said = action_words(explanation, explanation.name)
    why = {ONLY: ", the only choice", DEFAULT: ", the usual choice, on which it has no opinion"}.get(explanation.why, "")
    return [Text(title, "dim").append(said, "bold").append(f"{why}."), *explanation_lines(explanation, width=width)]


def why_not_best(explanation: Explanation, words: Mapping[int, str]) -> str:
    """Why the chosen action is not the one with the best number as it is shown; empty if it is. `words` has actions in words.

    Searches stay with what they would do without one unless something else leads clearly, and give up what falls behind early.
    """
    known = [row for row in explanation.rows if row.value is not None]
    chosen = next((row for row in known if row.action == explanation.action), None)
    if chosen is None or chosen.value is None:
        return ""
    best = max(known, key=lambda row: row.value or 0.0)
    if best.value is None or _value_text(best, explanation.unit) == _value_text(chosen, explanation.unit):
        return ""
    name = words.get(best.action, best.name)
    if best.visits < chosen.visits:
        return f"{name} shows more, but from only {best.visits:,} tries: it fell behind and was given up."
    lead = best.value - chosen.value
    if lead <= WITHIN * hypot(best.error or 0.0, chosen.error or 0.0):
        more = f"{100 * lead:.1f} %" if is_share(explanation.unit) else f"{lead:.2f}"
        return f"{name} leads by {more}, within the error, so the bot stays with {words.get(chosen.action, chosen.name)}."
    return f"{name} shows more, but the bot goes by more than these numbers."


def action_words(explanation: Explanation, name: str) -> str:
    """An action in the game's own words: `play slot 1` instead of `play:0`."""
    return registry.game(explanation.game).face.action_words(name, explanation.seat, explanation.players)


def is_share(unit: str) -> bool:
    """Whether values of this unit are shown in per cent."""
    return unit in _SHARES


def _heading(explanation: Explanation) -> str:
    if explanation.win_chance is not None:
        return f"{explanation.unit}; its own guess at the chance to win: {100 * explanation.win_chance:.0f} %"
    return explanation.unit + (" ± standard error, visits" if _are_estimates(explanation.rows) else "")


def _cells(explanation: Explanation) -> list[Text]:
    """The rows as texts of one width."""
    rows = explanation.rows
    columns = [[action_words(explanation, row.name) for row in rows], [_value_text(row, explanation.unit) for row in rows]]
    if _are_estimates(rows):
        errors = [_error_text(row, explanation.unit) for row in rows]
        wide = max(len(error) for error in errors)
        columns += [[f"± {error:>{wide}}" if error else "" for error in errors], [f"  {row.visits:,}" for row in rows]]
    widths = [max(len(word) for word in column) for column in columns]
    cells = []
    for place, row in enumerate(rows):
        chosen = row.action == explanation.action
        words = [column[place] for column in columns]
        text = f"{words[0]:<{widths[0]}} " + "".join(f" {word:>{wide}}" for word, wide in zip(words[1:], widths[1:], strict=True))
        cells.append(Text(_MARK + text, "bold") if chosen else Text(" " * len(_MARK) + text))
    return cells


def _are_estimates(rows: Sequence[ActionValue]) -> bool:
    """Whether values come from trials; exact ones need no more than one visit."""
    return any(row.error or row.visits != 1 for row in rows)


def _value_text(row: ActionValue, unit: str) -> str:
    if row.value is None:
        return _UNTRIED
    return f"{100 * row.value:.1f} %" if is_share(unit) else f"{round(row.value, 2) + 0.0:.2f}"  # no minus before a zero


def _error_text(row: ActionValue, unit: str) -> str:
    if row.error is None:
        return ""
    return f"{100 * row.error:.1f}" if is_share(unit) else f"{row.error:.2f}"
