"""A comparison as a page: the verdict, what it rests on, and the difference with its interval."""

from __future__ import annotations

from kibitz import registry
from kibitz.core.printable import shortened
from kibitz.experiments.verdict import Comparison
from kibitz.report.drawing import Plot, intervals, label
from kibitz.report.page import PageSettings, drawn, duration, listed, page, section, warning_of
from kibitz.report.page_tables import counted_things, escaped


def comparison_page(result: Comparison, settings: PageSettings) -> str:
    """The page of a comparison of two bots."""
    verdict, *grounds = result.in_words()
    told = "".join(f"<p>{escaped(line)}</p>\n" for line in grounds)
    test = result.test
    tested = (f"{test.h0:+g} v {test.h1:+g} {result.unit}, errors {100 * test.alpha:g} % and {100 * test.beta:g} %",) if test else ()
    pairs = [
        ("game", registry.game(result.game).title),
        ("rules", result.rules),
        ("players", str(result.players)),
        *([("with", ", ".join(result.others))] if result.others else []),
        ("measure", result.measure.replace("_", " ")),
        *(("hypotheses", text) for text in tested),
        (f"{counted_things(result.to)} of a line-up, at most", f"{result.max_games:,}"),
        *([("contests to", result.to)] if result.to else []),
        ("seed", str(result.seed)),
    ]
    return page(
        f"{registry.game(result.game).title}: {' or '.join(shortened(bot, 40) for bot in result.bots)}?",
        "Comparison" if settings.run is None else f"Comparison · run {settings.run}",
        verdict,
        warning_of(result.complete, result.games, result.to),
        [
            ("Better", result.better or "not known"),
            ("Deals", f"{result.deals:,}"),
            (counted_things(result.to).capitalize(), f"{result.games:,}"),
            ("Time", duration(result.seconds)),
        ],
        [section("Figures", told), drawn(comparison_plots(result), {}), section("Settings", listed(pairs, settings))],
        settings,
    )


def comparison_plots(result: Comparison) -> list[Plot]:
    """By how much the first bot is better, with the interval, and what was tested."""
    if result.interval is None:
        return []
    low, high = result.interval
    spans = [(low, result.difference, high)]
    tested = [result.test.h0, result.test.h1] if result.test else [0.0]
    first, second = (label(bot, 30) for bot in result.bots)
    drawing = intervals(["difference"], spans, f"{first} over {second}, in {result.unit}", tested, 2)
    caption = f"The line is the {100 * result.confidence:g} % interval" + (
        ", as if the number of games had been fixed." if result.test else "."
    )
    caption += " The dashed lines are the two hypotheses." if result.test else " The dashed line is no difference."
    return [
        Plot("difference", "Difference", caption, f"Difference of {result.difference:+.2f}, between {low:+.2f} and {high:+.2f}", drawing)
    ]
