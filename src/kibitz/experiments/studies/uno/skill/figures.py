"""The study of skill as tables, on the terminal and in a page, and as a plot from chance to open cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kibitz.experiments.studies.uno.rules_and_contests.figures import Estimate
from kibitz.experiments.studies.uno.skill.study import BOTS, CHAMPION, CHEATER, OPPONENTS, SEARCHERS, Situation, SkillStudy
from kibitz.report.plotting import COLOURS, load_pyplot
from kibitz.report.study_tables import StudyTable

NO_LEAD = "–"  # not known to be better
OF_BOTS = {"random": COLOURS[6], "mix2": COLOURS[3], "champion:fast": COLOURS[1], CHAMPION: COLOURS[2], CHEATER: COLOURS[0]}


def name_of(situation: Situation) -> str:
    """A situation in a few words."""
    rules = {"classic,stacking=progressive": "stacking"}.get(situation.rules, situation.rules)
    return f"{situation.players} players" + ("" if situation.rules == "classic" else f", {rules}")


def tables_of(study: SkillStudy) -> list[StudyTable]:
    """The tables of a study."""
    return [page for against in OPPONENTS for page in (_win_table(study, against), _meaning_table(study, against))]


def _played(study: SkillStudy, against: str) -> Iterable[Situation]:
    return (place for place in study.situations if any(seat.situation == place and seat.against == against for seat in study.found))


def _win_table(study: SkillStudy, against: str) -> StudyTable:
    bots = [bot for bot in BOTS if bot != against]
    rows = []
    for situation in _played(study, against):
        figures = [_per_cent(study.at(bot, against, situation), 2) for bot in bots]
        rows.append([name_of(situation), f"{100 * situation.chance:.1f}", *figures])
    title = f"One seat among {against}: games won in %"
    return StudyTable(title, ["table", "chance", *[study.full_name(bot) for bot in bots]], rows)


def _meaning_table(study: SkillStudy, against: str) -> StudyTable:
    rows = []
    for situation in _played(study, against):
        at = (against, situation)
        rows.append(
            [
                name_of(situation),
                *[_per_cent(study.way(bot, *at), 0) for bot in ("champion:fast", CHAMPION)],
                *[_per_cent(study.share(bot, *at), 1) for bot in SEARCHERS],
                *[_games(study.lead(bot, *at)) for bot in ("champion:fast", *SEARCHERS)],
            ]
        )
    headings = [
        "table",
        "way to open cards, champion:fast, %",
        "champion, %",
        "of one game explained, champion, %",
        "cheater, %",
        "deals until ahead, champion:fast",
        "champion",
        "cheater",
    ]
    note = (
        "Way: from chance to what cheater wins. Explained: share of the variance of a single game that is due to who plays. "
        "Deals until ahead: after so many the bot has won more than every other player, 19 times of 20; in brackets the same for "
        f"win rates one standard error higher and lower; {NO_LEAD}: not clearly better than chance."
    )
    return StudyTable(f"One seat among {against}: what that means", headings, rows, note if against == OPPONENTS[-1] else "")


def _per_cent(figure: tuple[float, float] | None, digits: int) -> str:
    if figure is None:
        return ""
    value, error = (100 * number for number in figure)
    return f"{value:.{digits}f} ± {error:.{digits}f}".replace("-", "−")


def _games(lead: tuple[int | None, int | None, int | None] | None) -> str:
    if lead is None:
        return NO_LEAD
    middle, low, high = (f"{games:,}" if games else "> 5,000" for games in lead)
    return middle if low == middle == high else f"{middle} ({low}–{high})"


# -- output --


def describe(study: SkillStudy) -> str:
    """What was played, in one line."""
    budget = "their own number of rollouts" if study.rollouts is None else f"{study.rollouts:,} rollouts"
    return (
        f"UNO, skill and luck: {study.games:,} games of each fast bot, {study.search_games:,} of champion and cheater with {budget}, "
        f"seed {study.seed}"
    )


def remark(study: SkillStudy) -> str:
    """What has to be said below the tables."""
    budget = "as many rollouts as they come with" if study.rollouts is None else f"{study.rollouts:,} rollouts a decision"
    saved = [found.saved for seat, found in study.found.items() if seat.searches]
    return (
        f"± is one standard error. Every deal is played from every seat: {study.games:,} games of each fast bot at each table, "
        f"{study.search_games:,} of champion and cheater, who search with {budget}; from theirs the luck of the draw is taken out, which "
        f"is worth {min(saved):.1f} to {max(saved):.1f} times as many games. The rules are `classic` unless others are named; stacking is "
        "`classic,stacking=progressive`."
    )


# -- the plot --


def drawing(study: SkillStudy) -> Any:
    """Draw win rates from chance to open cards: by number of players to the left, by rules to the right, a row an opponent."""
    pyplot = load_pyplot()
    by_players = [situation for situation in study.situations if situation.rules == "classic"]
    by_rules = [situation for situation in study.situations if situation.players == 2]
    sizes = {"width_ratios": [max(len(by_players), 1), max(len(by_rules), 1)]}
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), sharey="row", layout="constrained", gridspec_kw=sizes, squeeze=False)
    for (left, right), against in zip(axes, OPPONENTS, strict=True):
        _draw_panel(left, study, against, by_players, [str(situation.players) for situation in by_players])
        names = [name_of(situation).partition(", ")[2] or "classic" for situation in by_rules]
        _draw_panel(right, study, against, by_rules, names)
        left.set_title(f"one seat among {against}, by number of players")
        right.set_title(f"v {against}, two players, by rules")
        left.set_ylabel("games won in %")
        left.set_ylim(bottom=0)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    axes[1][0].set_xlabel("players (bars: two standard errors)")
    axes[1][1].set_xlabel("rules")
    return figure


def _draw_panel(axis: Any, study: SkillStudy, against: str, situations: Sequence[Situation], names: Sequence[str]) -> None:
    step = 0.14
    for place, bot in enumerate(BOTS):
        shown = [(spot, study.at(bot, against, situation)) for spot, situation in enumerate(situations)]
        known = [(spot, Estimate(100 * figure[0], 100 * figure[1])) for spot, figure in shown if figure]
        axis.errorbar(
            [spot + step * (place - (len(BOTS) - 1) / 2) for spot, _ in known],
            [figure.value for _, figure in known],
            yerr=[2 * figure.error for _, figure in known],
            fmt="o",
            markersize=5,
            linewidth=1.3,
            color=OF_BOTS[bot],
            label=bot,
        )
    for spot, situation in enumerate(situations):
        label = "chance" if spot == 0 else None
        axis.plot([spot - 0.42, spot + 0.42], [100 * situation.chance] * 2, color="#999999", linewidth=1, zorder=0, label=label)
    axis.set_xticks(range(len(names)), names)
    axis.grid(axis="y", linewidth=0.3)
