"""A game without a board of its own: its view as text and a button for each action, at a table and in a film."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Route, expect

from tests.table.browser.playing import next_asked
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]


def without_boards(visitor: Visitor) -> Visitor:
    """Games as they would be listed if none of them had files for the page."""

    def answer(route: Route) -> None:
        listed = route.fetch().json()
        route.fulfill(json=[{**game, "face": None, "style": None, "pictures": []} for game in listed])

    visitor.page.route("**/api/games", answer)
    return visitor


@pytest.mark.parametrize("size", [(360, 740), (1280, 860)], ids=["phone", "desktop"])
@pytest.mark.parametrize(
    ("game", "bot", "rules"), [("uno", "random", "classic,hand_size=2"), ("hanabi", "iggi", "standard")], ids=["uno", "hanabi"]
)
def test_a_whole_game_with_buttons(visit: Visit, game: str, bot: str, rules: str, size: tuple[int, int]) -> None:
    ann = without_boards(visit(size=size))
    page = ann.sit_at(ann.new_table(None, bot, game=game, rules=rules, seed=3))
    loaded = page.evaluate("() => performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname)")
    assert "/static/games/plain.js" in loaded and not [path for path in loaded if f"/games/{game}/" in path]
    asked = next_asked(page)
    expect(page.locator(".plain-seats li")).to_have_count(2)
    expect(page.locator(".plain-seats li.current")).to_contain_text("Ann")
    assert page.locator(".plain-view div").count() > 5
    ann.shot(f"plain-{game}-{size[0]}")
    assert ann.overflow() <= 0
    serious = [each["id"] for each in Axe().run(page).response["violations"] if each["impact"] in ("serious", "critical")]
    assert serious == []
    keys = 0
    while not asked.over:
        assert asked.buttons
        if keys < 2:
            page.keyboard.press("1")
            keys += 1
        else:
            page.locator(".ask-buttons button").first.click()
        asked = next_asked(page, asked.key)
    ending = page.locator("dialog.end")
    expect(ending.locator(".end-hands li")).to_have_count(2)
    expect(ending.get_by_role("heading", level=2)).not_to_be_empty()
    ann.shot(f"plain-{game}-end-{size[0]}")


def test_a_film_and_advice(visit: Visit) -> None:
    ann = without_boards(visit())
    page = ann.open("#/watch?game=uno&bots=random|mix2&seed=5")
    ann.button("Pause").click()
    expect(page.locator(".plain-view div").first).to_be_visible()
    expect(page.get_by_label("View")).to_have_count(0)  # only the game itself could say what a seat sees
    page.locator(".film-slider input").fill("0")
    page.get_by_role("tab", name="Advice").click()
    expect(page.locator(".panel.advice .final-mark")).to_be_visible()
    ann.shot("plain-film")
    ann.button("Last position").click()
    expect(page.locator(".film-about b")).to_contain_text("wins")


def test_the_lobby_without_pictures(visit: Visit) -> None:
    ann = without_boards(visit())
    page = ann.open()
    expect(page.locator(".game-choice label")).to_have_count(2)
    expect(page.locator(".game-card svg.back")).to_have_count(2)
    ann.button("Play").click()
    page.locator(".plain.board").wait_for()
