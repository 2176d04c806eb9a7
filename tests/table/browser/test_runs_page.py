"""Runs in a real browser: one is started from the page, its bars grow, and what is kept of it opens."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]

WIDTHS = "() => [...document.querySelectorAll('.standing .bar-value')].map((bar) => parseFloat(bar.style.width))"
WIDER = f"(before) => Math.max(0, ...({WIDTHS})()) > before"


def start_match(visitor: Visitor, games: int) -> None:
    """mix2 against greedy, from the form."""
    page = visitor.open("#/runs")
    visitor.button("Start a run").click()
    visitor.button("One random fewer").click()
    page.get_by_label("Games", exact=True).fill(str(games))
    page.get_by_label("Seed").fill("7")
    visitor.shot("run-form")
    visitor.button("Start").click()
    page.wait_for_url("**/#/runs/*")
    expect(page.locator(".run-item")).to_have_count(0)  # the list is gone a moment after its address


def test_bars_grow_while_games_come_in(visit: Visit) -> None:
    """A run too long to be waited for, which is stopped."""
    ann = visit()
    start_match(ann, games=10_000_000)
    page = ann.page
    page.wait_for_function(WIDER, arg=0)
    first = max(page.evaluate(WIDTHS))
    page.wait_for_function(WIDER, arg=first)
    expect(page.locator(".standing tr.winner")).to_have_count(0)  # nobody has won yet
    ann.shot("run-growing")
    ann.button("Stop").click()
    expect(page.locator(".status")).to_have_text("stopped")
    ann.button("Resume").wait_for()


def test_a_match_from_start_to_report(visit: Visit) -> None:
    ann = visit(motion=True)
    start_match(ann, games=20_000)
    page = ann.page
    winner = page.locator(".standing tr.winner")
    expect(page.locator(".status")).to_have_text("complete")
    expect(winner).to_have_count(1)
    expect(winner).to_contain_text("mix2")
    expect(winner).to_contain_text("winner")
    expect(page.locator(".percentage")).to_have_text("100 %")
    ann.shot("run")

    with ann.context.expect_page() as opened:
        page.get_by_role("link", name="Open the report").click()
    report = ann.watched(opened.value)
    report.wait_for_load_state()
    expect(report.locator("body")).to_contain_text("mix2")
    expect(report.locator("svg, table").first).to_be_visible()
    report.close()

    page.get_by_label("Watch game").fill("41")
    ann.button("Open").click()
    expect(page.locator(".film-about")).to_contain_text("wins")
    expect(page.locator(".moves li").nth(5)).to_be_visible()
    ann.shot("run-game")

    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    expect(page.locator(".run-item").first).to_contain_text("complete")
