"""What tuning found: a table and sentences for the terminal, and plots of the history and of what mattered.

Plots need the extra `report`, which brings matplotlib.
"""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from kibitz import registry
from kibitz.experiments.tune.importance import FEWEST_TRIALS
from kibitz.experiments.tune.trials import Confirmed, Trial, Tuning
from kibitz.report.formatting import MINUS, figure, to_json
from kibitz.report.plotting import ACCENT, MUTED, RULE, Plot, dressed, few_ticks, new_drawing, tall_enough
from kibitz.report.study_tables import StudyTable

MOST_COORDINATES = 20
_DIGITS = {"win_rate": 2, "points": 3, "score": 3, "points_kept": 3}


def describe(result: Tuning) -> str:
    """What was tuned, in one line."""
    task = result.task
    lineup = task.deals.lineup
    names = [other.name for other in task.company]
    others = " and ".join(dict.fromkeys(names))
    seats = f"{len(names)} x {others}" if len(set(names)) == 1 and len(names) > 1 else others
    company = f" v {seats}" if seats and not lineup.game.cooperative else f" with {seats}" if seats else ""
    start = "from scratch" if task.preset is None else f"from {task.space.named(task.preset).name}"
    return (
        f"{task.space.entrant.name} for {task.aim}: {registry.game(lineup.game.name).title} {lineup.rules.to_text()}, {lineup.players} players"
        f"{company}, {start}, seed {task.seed}"
    )


def effort(result: Tuning) -> str:
    """What it took, in one line."""
    early = sum(trial.is_out for trial in result.trials)
    games = sum(trial.games for trial in result.trials)
    saved = result.task.games * len(result.trials) / games if games else 1.0
    pace = f", {result.games / result.seconds:,.0f} games/s" if result.seconds and result.games else ""
    return (
        f"{len(result.trials):,} trials, {early:,} of them out of the race before its end; {games:,} games "
        f"({saved:.1f} times fewer than {result.task.games:,} for each){pace}"
    )


def print_tuning(result: Tuning, console: Console) -> None:
    """What was found, for the terminal."""
    console.print(describe(result), markup=False, soft_wrap=True)
    console.print(effort(result), markup=False, soft_wrap=True)
    if not result.complete:
        best = result.best
        if best:
            shown = figure(best.value, best.error, _DIGITS[result.task.aim])
            console.print(f"INCOMPLETE: interrupted. Best so far, not confirmed: {shown}", markup=False, soft_wrap=True)
            console.print(best.bot, markup=False, soft_wrap=True)
        else:
            console.print("INCOMPLETE: interrupted before the first trial was finished.", markup=False, soft_wrap=True)
        return
    console.print(_table(result))
    if reason := why_not_the_highest(result):
        console.print(reason, markup=False, soft_wrap=True)
    console.print(sentence(result), markup=False, soft_wrap=True)
    if result.importance:
        shares = by_parameter(result)
        told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in list(shares.items())[:6])
        console.print(f"What mattered ({result.importance_is}): {told}", markup=False, soft_wrap=True)
    winner = result.winner
    assert winner is not None
    console.print(winner.bot, markup=False, soft_wrap=True)
    console.print(" ".join(to_json(dict(winner.values)).split()), markup=False, soft_wrap=True)


def _table(result: Tuning) -> Table:
    digits = _DIGITS[result.task.aim]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("on fresh deals")
    table.add_column({"win_rate": "wins %"}.get(result.task.aim, result.task.aim.replace("_", " ")), justify="right", no_wrap=True)
    table.add_column("v as named", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold")
    for row in result.confirmed:
        more = "" if row.role == "named" else difference(row, digits)
        role = {"winner": "winner", "named": "as named"}.get(row.role, "finalist")
        table.add_row(role, figure(row.sums.mean, row.sums.standard_error, digits), more, row.bot)
    return table


def confirmed_page(result: Tuning) -> StudyTable:
    """The finalists and the bot as it was named, for a page."""
    digits = _DIGITS[result.task.aim]
    rows = [
        [row.bot, row.role, figure(row.sums.mean, row.sums.standard_error, digits), "" if row.role == "named" else difference(row, digits)]
        for row in result.confirmed
    ]
    return StudyTable("On fresh deals", ["bot", "role", result.task.aim.replace("_", " "), "v as named"], rows)


def difference(row: Confirmed, digits: int) -> str:
    """How much better a bot is than the one named, with its error."""
    error = row.difference.standard_error
    sign = "+" if row.difference.mean >= 0 else MINUS
    return f"{sign}{figure(abs(row.difference.mean), error, digits)}"


def why_not_the_highest(result: Tuning) -> str | None:
    """Why the winner is not the finalist with the highest figure in the table; None where it is."""
    digits = _DIGITS[result.task.aim]
    winner = result.winner
    ahead = [row for row in result.confirmed if row.role == "finalist" and row.lead is not None and row.lead.mean > 0]
    if winner is None or winner.choice is None or not ahead:
        return None
    best = max(ahead, key=lambda row: row.sums.mean)
    assert best.choice is not None and best.lead is not None  # they played the same deals
    lead, interval = figure(best.lead.mean, best.lead.standard_error, digits), best.lead.interval()
    chosen = [figure(row.choice.mean, row.choice.standard_error, digits) for row in (winner, best) if row.choice is not None]
    clear = interval is not None and interval[0] > 0
    return (
        f"A finalist has a higher figure than the winner: {figure(best.sums.mean, best.sums.standard_error, digits)}, +{lead} on the same deals; "
        f"{'that is more than chance explains, so let `kibitz compare` tell which is better' if clear else 'that may be chance'}. "
        f"The winner was chosen on other fresh deals, where it had {chosen[0]} and that finalist {chosen[1]}. "
        "Figures from the deals that choose a winner flatter it, so the table shows figures from deals that chose nothing."
    )


def sentence(result: Tuning) -> str:
    """Whether tuning made the bot better, by the 95 % interval of the difference."""
    winner, named = result.winner, result.named
    assert winner is not None and named is not None
    interval = winner.difference.interval()
    games = f"{winner.sums.count * result.task.deals.group:,} games each on fresh deals"
    if interval is None:
        return f"Too few games to compare the winner with {named.bot} ({games})."
    low, high = interval
    if low == high == 0:
        return f"The winner got exactly what {named.bot} got from every deal ({games})."
    digits = _DIGITS[result.task.aim]
    ends = f"95 % interval {low:+.{digits}f} to {high:+.{digits}f}".replace("-", MINUS)
    if low > 0 or high < 0:
        return f"The winner is {'better' if low > 0 else 'worse'} than {named.bot}: {difference(winner, digits)} {result.task.unit} ({ends}; {games})."
    return (
        f"The winner is as good as {named.bot}, as far as can be told: {difference(winner, digits)} {result.task.unit} ({ends}; {games})."
    )


def by_parameter(result: Tuning) -> dict[str, float]:
    """The importance of whole parameters, vectors added up, the greatest first."""
    names = {coordinate.label: coordinate.parameter.name for coordinate in result.task.space.coordinates}
    shares: dict[str, float] = {}
    for name, share in result.importance.items():
        shares[names[name]] = shares.get(names[name], 0.0) + share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


# -- plots --


def tuning_plots(result: Tuning) -> list[Plot]:
    """The history, and what mattered where there were trials enough to tell."""
    return [history_plot(result), *([importance_plot(result)] if result.importance else [])]


def history_plot(result: Tuning) -> Plot:
    """Every trial, and the best so far."""
    with dressed():
        drawing, axes = new_drawing(6.4, 3.4)
        out = [trial for trial in result.trials if trial.is_out]
        ran = [trial for trial in result.trials if not trial.is_out]
        _dots(axes, out, MUTED, "out of the race", 6)
        _dots(axes, ran, ACCENT, "ran to the end", 10)
        best = [trial for trial in result.trials if trial.is_best]
        if best:
            steps = [*[(trial.number + 1, trial.value) for trial in best], (len(result.trials), best[-1].value)]
            axes.step([x for x, _ in steps], [y for _, y in steps], where="post", color=ACCENT, linewidth=1.4, label="best so far")
        if result.named:
            mean = result.named.sums.mean
            axes.axhline(mean, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), label="as named, on fresh deals", zorder=0)
        axes.set_xlabel("trial")
        axes.set_ylabel(_label(result))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        few_ticks(axes.xaxis, 8)
    last = result.best
    told = f"from {best[0].value:.2f} to {last.value:.2f}" if best and last else "nothing yet"
    caption = f"{describe(result)}. Trials out of the race are drawn where they stood when they left it."
    return Plot("history", "Trials", caption, f"{len(result.trials)} trials; the best so far rose {told}.", drawing)


def _dots(axes: Any, trials: list[Trial], colour: str, label: str, size: int) -> None:
    axes.scatter(
        [trial.number + 1 for trial in trials],
        [trial.value for trial in trials],
        s=size,
        color=colour,
        alpha=0.6,
        linewidths=0,
        label=label,
    )


def _label(result: Tuning) -> str:
    return "games won in %" if result.task.aim == "win_rate" else f"{result.task.aim.replace('_', ' ')} a game"


def importance_plot(result: Tuning) -> Plot:
    """What mattered."""
    shown = list(result.importance.items())[:MOST_COORDINATES]
    with dressed():
        drawing, axes = new_drawing(4.6, tall_enough(len(shown)))
        axes.barh(range(len(shown)), [100 * share for _, share in shown], color=ACCENT, height=0.62)
        for row, (_, share) in enumerate(shown):
            axes.text(1.02, row, f"{100 * share:.1f}", transform=axes.get_yaxis_transform(), va="center", fontsize=9, color=MUTED)
        axes.set_yticks(range(len(shown)), [name for name, _ in shown])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlabel(f"share of {result.importance_is}, in %")
        axes.tick_params(length=0)
        axes.grid(axis="x", color=RULE)
        axes.set_axisbelow(True)
        axes.spines[["left", "top", "right"]].set_visible(False)
        few_ticks(axes.xaxis, 6)
    first = f"The first {len(shown)} of {len(result.importance)} coordinates. " if len(shown) < len(result.importance) else ""
    caption = f"{first}Shares of {result.importance_is}, from {len(result.trials):,} trials."
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shown[:8])
    return Plot("importance", "What mattered", caption, told, drawing)


def too_few(result: Tuning) -> str | None:
    """Why there is no plot of importance, None if there is one."""
    return None if result.importance else f"no plot of importance: that takes at least {FEWEST_TRIALS} trials that differ."
