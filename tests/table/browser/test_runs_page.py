"""Runs in a real browser: one is started from the page, its bars grow, and what is kept of it opens."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]

# Notes how wide the bars were, each time they changed.
NOTE_BARS = """() => {
  window.widths = [];
  const look = () => {
    const bars = [...document.querySelectorAll(".standing .bar-value")].map((bar) => parseFloat(bar.style.width));
    const done = document.querySelector("progress, [role=progressbar]");
    if (bars.length) window.widths.push(Math.max(...bars));
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def test_a_match_from_start_to_report(visit: Visit) -> None:
    ann = visit(motion=True)
    page = ann.open("#/runs")
    page.evaluate(NOTE_BARS)
    ann.button("Start a run").click()
    ann.button("One random fewer").click()  # mix2 and greedy are left
    page.get_by_label("Games", exact=True).fill("600000")
    page.get_by_label("Seed").fill("7")
    ann.shot("run-form")
    ann.button("Start", exact=True).click()

    page.wait_for_url("**/#/runs/*")
    winner = page.locator(".standing tr.winner")
    expect(page.locator(".status")).to_have_text("complete")
    expect(winner).to_have_count(1)
    expect(winner).to_contain_text("mix2")
    expect(winner).to_contain_text("winner")
    expect(page.locator(".percentage")).to_have_text("100 %")
    ann.shot("run")
    widths: list[float] = page.evaluate("() => window.widths")
    assert widths and widths[0] < widths[-1], widths

    with ann.context.expect_page() as opened:
        page.get_by_role("link", name="Open the report").click()
    report = ann.watched(opened.value)
    report.wait_for_load_state()
    expect(report.locator("body")).to_contain_text("mix2")
    expect(report.locator("svg, table").first).to_be_visible()
    report.close()

    page.get_by_label("Watch game").fill("41")
    ann.button("Open", exact=True).click()
    expect(page.locator(".film-about")).to_contain_text("wins")
    expect(page.locator(".moves li").nth(5)).to_be_visible()
    ann.shot("run-game")

    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    expect(page.locator(".run-item").first).to_contain_text("complete")
