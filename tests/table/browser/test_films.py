"""Watching, replaying and asking "what if" in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from kibitz.play.record import Record
from tests.table.browser.playing import answer_uno, next_asked, next_turn
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]

# Played by two bots that choose at random, so that not every move is a good one.
RECORD = (
    "uno/1;classic,hand_size=3;seed=12;deal=0;seats=random|random;"
    "actions=g4.draw.g4.draw.g9.draw.b9.b7.y7.draw.draw.wild+4:r.r+2.b+2;result=won:0:109"
)
MOVES = 14
# The same game; the one in the winner's seat had forfeited it.
FAULTS = "1:1:crash:substitute:said 100%25: a, b%7Cc|4:0:time:forfeit:did not answer within 0.2 s"
FORFEITED = RECORD.replace("random|random", "Sleepy|Ann").replace("won:0:109", f"forfeited;faults={FAULTS}")


def position(page: Page) -> int:
    return int(page.locator(".film-slider input").input_value())


def slider(page: Page) -> Locator:
    return page.locator(".film-slider input")


def test_watching_bots(visit: Visit) -> None:
    ann = visit(settings={"film.speed": 8})
    page = ann.open("#/watch")
    page.get_by_label("Seat 1", exact=True).select_option("random")
    page.get_by_label("Seat 2", exact=True).select_option("mix2")
    ann.button("Take seat 3 away").click()
    page.get_by_label("Seed").fill("5")
    ann.shot("watch-form")
    ann.button("Watch").click()

    page.wait_for_function("() => Number(document.querySelector('.film-slider input')?.value) >= 3")  # it runs
    ann.button("Pause").click()
    at = position(page)
    ann.button("Step forward").click()
    expect(slider(page)).to_have_value(str(at + 1))
    ann.button("Step back").click()
    expect(slider(page)).to_have_value(str(at))
    page.keyboard.press("ArrowLeft")
    expect(slider(page)).to_have_value(str(at - 1))
    slider(page).fill("6")
    expect(slider(page)).to_have_value("6")
    expect(page.locator(".moves [aria-current=step] .move-number")).to_have_text("6")
    ann.shot("watch")

    view = page.get_by_label("View")
    expect(page.locator(".open-hand")).to_have_count(1)  # of the other: one's own lies at the bottom
    view.select_option("1")
    expect(page.locator(".open-hand")).to_have_count(0)
    expect(page.get_by_role("list", name="Hand of mix2", exact=False)).to_be_visible()
    ann.shot("watch-one-seat")
    view.select_option("Open hands")
    expect(page.locator(".open-hand")).to_have_count(1)

    ann.button("Play").click()
    page.wait_for_function("() => Number(document.querySelector('.film-slider input').value) > 6")
    ann.button("Last position").click()
    expect(slider(page)).to_have_value(slider(page).get_attribute("max") or "")
    address = page.url
    assert "seed=5" in address
    words = page.locator(".moves li").all_inner_texts()
    ann.open(address[address.index("#") :])  # the address brings the same game again
    expect(page.locator(".moves li")).to_have_count(len(words))
    assert page.locator(".moves li").all_inner_texts() == words


def test_watching_hanabi(visit: Visit) -> None:
    ann = visit()
    page = ann.open("#/watch?game=hanabi&bots=iggi|piers&seed=3")
    ann.button("Pause").click()
    slider(page).fill("12")
    expect(page.locator(".own .table-card")).to_have_count(5)
    expect(page.locator(".player.own")).not_to_contain_text("?")
    page.get_by_label("View").select_option("0")
    expect(page.locator(".player.own")).to_contain_text("?")  # that seat does not see its own cards
    ann.shot("watch-hanabi")


def test_a_pasted_record_and_a_link_that_carries_it(visit: Visit) -> None:
    ann = visit()
    page = ann.open("#/replay")
    page.get_by_label("Record of a game").fill(RECORD)
    ann.button("Show it").click()
    expect(page.locator(".film-about")).to_contain_text("wins 109 points")
    expect(page.locator(".moves li")).to_have_count(MOVES + 1)
    slider(page).fill("7")
    page.get_by_role("tab", name="Share").click()
    link = page.get_by_label("A link to move 7 of this game").input_value()
    ann.shot("replay-share")

    bob = visit("Bob")
    bob.open(link[link.index("#") :])
    expect(slider(bob.page)).to_have_value("7")
    expect(bob.page.locator(".film-about")).to_contain_text("wins 109 points")
    expect(bob.page.locator(".moves li")).to_have_count(MOVES + 1)


@pytest.mark.parametrize("size", [(360, 640), (1280, 860)], ids=["phone", "desktop"])
def test_a_forfeited_game_shows_its_substitute_and_what_counted(visit: Visit, size: tuple[int, int]) -> None:
    ann = visit(size=size)
    page = ann.open("#/replay")
    page.get_by_label("Record of a game").fill(FORFEITED)
    ann.button("Show it").click()
    about = page.locator(".film-about")
    expect(about).to_contain_text(re.compile(r"Sleepy forfeited at turn \d: it did not answer within 0\.2 s\."))
    expect(about).to_contain_text("which doesn't count: nobody wins.")
    expect(about).not_to_contain_text("wins 109")
    moves = page.locator(".moves li")
    marked = [place for place in range(MOVES + 1) if moves.nth(place).locator(".substitute-tag").count()]
    assert marked[:2] == [1, 4] and [place for place in marked if "Sleepy" in moves.nth(place).inner_text()] == marked[1:]
    expect(moves.nth(1)).to_contain_text("Ann said 100%: a, b|c; a substitute moves for it.")
    expect(moves.nth(4)).to_contain_text("Sleepy did not answer within 0.2 s; it forfeits, and a substitute plays on for it.")
    slider(page).fill(str(marked[2]))
    expect(page.get_by_text("Substitute: Sleepy").first).to_be_visible()
    ann.shot(f"forfeited-{size[0]}")
    assert ann.overflow() <= 0
    page.get_by_role("tab", name="Share").click()
    assert Record.from_json(json.loads(saved(ann, "Record as JSON"))) == Record.from_text(FORFEITED)


def test_a_record_that_is_none_is_refused_in_words(visit: Visit) -> None:
    ann = visit()
    ann.allowed = lambda text: "status of 409" in text
    page = ann.open("#/replay")
    page.get_by_label("Record of a game").fill("uno/1;classic;seed=1;nonsense")
    ann.button("Show it").click()
    expect(page.get_by_role("alert").filter(has_text="nonsense")).to_be_visible()


def saved(visitor: Visitor, button: str) -> str:
    """The text of a file that a button saves."""
    with visitor.page.expect_download() as download:
        visitor.button(button).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_hanab_live_in_and_out(visit: Visit) -> None:
    ann = visit()
    page = ann.open("#/watch?game=hanabi&bots=iggi|iggi&seed=4")
    ann.button("Pause").click()
    result = page.locator(".film-about b").inner_text()
    page.get_by_role("tab", name="Share").click()
    written = saved(ann, "hanab.live JSON")
    assert {"players", "deck", "actions"} <= json.loads(written).keys()
    assert saved(ann, "Record as text").startswith("hanabi/1;")
    assert json.loads(saved(ann, "Record as JSON"))["game"] == "hanabi"

    ann.open("#/replay")
    page.get_by_label("Record of a game").fill(written)
    ann.button("Show it").click()
    expect(page.locator(".film-about b")).to_have_text(result)
    page.get_by_role("tab", name="Share").click()
    assert json.loads(saved(ann, "hanab.live JSON"))["actions"] == json.loads(written)["actions"]


def test_advice_in_a_film(visit: Visit) -> None:
    ann = visit()
    page = ann.open(f"#/replay?record={RECORD.replace('+', '%2B')}&at=4")
    page.get_by_role("tab", name="Advice").click()
    expect(page.locator(".panel.advice .final-mark")).to_be_visible()
    assert page.locator("table.actions tbody tr").count() >= 2
    ann.shot("replay-advice")


def test_what_if(visit: Visit) -> None:
    """A game is judged, a costly move is found, and another one is tried at a new table."""
    ann = visit()
    page = ann.open(f"#/replay?record={RECORD.replace('+', '%2B')}")
    page.get_by_role("tab", name="Analysis").click()
    ann.button("Analyse this game").click()
    expect(page.locator(".panel.analysis [aria-live]")).to_contain_text("decisions judged")  # it is said at the end
    expect(page.locator(".panel.analysis figure svg, .panel.analysis svg").first).to_be_visible()
    costly = page.locator("button.cost").first
    expect(costly).to_contain_text("better")
    costly.click()
    expect(costly).to_have_attribute("aria-current", "true")
    at = position(page)
    expect(costly).to_contain_text(f"Move {at + 1},")
    ann.shot("replay-analysis")

    form = page.locator("form.what-if")
    other = form.locator("option").first.inner_text()
    form.locator("select").select_option(other)
    form.get_by_role("button", name="Try it").click()
    page.wait_for_url("**/#/table/*")
    asked = next_asked(page)  # the game goes on, and soon it is our turn again, or over
    ann.shot("what-if")
    if not asked.over:
        answer_uno(page, asked)
        next_asked(page, asked.key)


def test_what_if_in_hanabi(visit: Visit) -> None:
    ann = visit()
    film = ann.post("/api/films", {"game": "hanabi", "bots": ["iggi", "iggi"], "seed": 4})
    page = ann.open(f"#/replay?record={film['record']}&at=6")
    page.get_by_role("tab", name="Analysis").click()
    page.locator("form.what-if").get_by_role("button", name="Try it").click()
    page.wait_for_url("**/#/table/*")
    assert int(next_turn(page).step) >= 8
