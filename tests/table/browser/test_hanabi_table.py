"""Hanabi in a real browser: a whole game by mouse, moves by keyboard, notes, and advice at tables of both games."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.table.browser.playing import discard_slot, hint, next_asked, next_turn, play_slot
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]


def test_a_whole_game_by_mouse(visit: Visit) -> None:
    """Hints, discards and plays in turn: cards played unseen burn the fuses down, so this ends after some rounds."""
    ann = visit("Guest", known=False, motion=True)
    ann.deal(seed=9)
    page = ann.open()
    page.get_by_text("Hanabi", exact=True).first.click()
    page.get_by_role("textbox", name="You", exact=True).fill("Ann")
    page.get_by_label("Seat 2").select_option("iggi")
    ann.button("Play").click()
    page.locator(".hanabi.board").wait_for()

    done: Counter[str] = Counter()
    turn = next_turn(page)
    ann.shot("hanabi-table")
    while not turn.over:
        lines = page.locator(".log li").count()
        kind = ("hint", "discard", "play")[done.total() % 3]
        if kind == "hint" and turn.tokens:
            told = hint(page, slot=0)
            expect(page.locator(".log")).to_contain_text("You tell iggi: ")
            expect(page.locator(".log")).to_contain_text(told)
        elif kind == "discard" and turn.tokens < 8:
            discard_slot(page, slot=0)
        else:
            kind = "play"
            play_slot(page, slot=0)
        done[kind] += 1
        assert done.total() < 60
        turn = next_turn(page, turn.step)
        assert page.locator(".log li").count() > lines
    assert all(done[kind] for kind in ("hint", "discard", "play"))
    panel = page.get_by_role("dialog")
    expect(panel.locator(".end-hands li")).to_have_count(2)
    over = next(message["over"] for message in reversed(ann.messages()) if message.get("over"))
    assert [row.locator("svg").count() for row in panel.locator(".end-hands li").all()] == [len(hand) for hand in over["hands"]]
    expect(panel.locator(".end-hands li b").first).to_have_text("Ann")
    ann.shot("hanabi-end")


def test_moves_by_keyboard_alone(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "iggi", "iggi", game="hanabi", seed=4))
    keys = page.keyboard
    turn = next_turn(page)
    keys.press("h")  # the next player
    keys.press("h")  # the one after
    expect(page.locator(".ask .question")).to_have_text("Tell iggi (2) about:")
    chosen = page.locator(".hint-button").nth(1)
    told = chosen.inner_text().split()[0]
    keys.press(chosen.get_attribute("aria-keyshortcuts") or "")
    expect(page.locator(".table-card.lit").first).to_be_visible()
    ann.shot("hanabi-hint")
    keys.press("Enter")
    turn = next_turn(page, turn.step)
    expect(page.locator(".log li", has_text="You tell iggi (2)")).to_contain_text(told)
    keys.press("2")
    keys.press("d")
    turn = next_turn(page, turn.step)
    keys.press("1")
    keys.press("p")
    next_turn(page, turn.step)
    log = page.locator(".log")
    for words in ("You discard", "You play"):
        expect(log).to_contain_text(words)


def test_notes_are_found_again(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "iggi", game="hanabi", seed=5))
    next_turn(page)
    page.locator(".own button.table-card").nth(2).click()
    page.locator(".ask-buttons button", has_text="Note").click()
    page.get_by_label("Only you see it").fill("maybe blue 3")
    ann.button("Keep the note").click()
    expect(page.locator(".own .card-note")).to_have_text("maybe blue 3")
    page.reload()
    expect(page.locator(".own .card-note")).to_have_text("maybe blue 3")


def test_what_moves_mean_can_be_read_and_turned_off(visit: Visit) -> None:
    ann = visit(settings={"game": "hanabi"})
    page = ann.open()
    expect(page.get_by_label("Seat 2")).to_have_value("smart")
    page.get_by_role("link", name="How smart plays").click()
    expect(page.get_by_role("heading", name="How smart plays")).to_be_visible()
    for picture in page.locator(".guide img").all():
        assert picture.get_attribute("alt") and picture.evaluate("each => each.decode().then(() => each.naturalWidth)") > 0

    page = ann.sit_at(ann.new_table(None, "smart", game="hanabi", seed=3))
    turn = next_turn(page)
    hint(page, slot=2)
    next_turn(page, turn.step)
    expect(page.locator(".log li.meaning")).not_to_have_count(0)
    ann.button("How smart plays").click()
    expect(page.get_by_role("dialog").locator(".guide img")).not_to_have_count(0)
    page.keyboard.press("Escape")
    ann.button("Keys and settings").click()
    page.get_by_label("Moves say what they mean").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator(".log li.meaning")).to_have_count(0)
    page.reload()
    expect(page.locator(".log li", has_text="You tell smart")).to_have_count(1)
    expect(page.locator(".log li.meaning")).to_have_count(0)


# -- advice --


def check_advice(page: Page, legal: list[str]) -> None:
    """A row with a value for every legal action, refined to the end, the best one marked."""
    panel = page.locator(".panel.advice")
    expect(panel.locator(".final-mark")).to_be_visible()
    rows = panel.locator("table.actions:not(.preferences) tbody tr")
    assert sorted(row.get_attribute("data-key") or "" for row in rows.all()) == sorted(legal)
    for row in rows.all():
        assert any(sign.isdigit() for sign in row.locator("td.number").inner_text())
        expect(row.locator(".bar-value")).to_have_count(1)
    expect(panel.locator(".best-tag")).not_to_have_count(0)
    expect(panel.locator(".opinions li")).not_to_have_count(0)


def legal_now(visitor: Visitor) -> list[str]:
    """What the server offers this person now."""
    found: list[str] = next(message["legal"] for message in reversed(visitor.messages()) if message.get("legal"))
    return found


def test_advice_at_a_table_of_uno(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "mix2", "random", seed=3))
    asked = next_asked(page)
    ann.button("Advice").click()
    check_advice(page, legal_now(ann))
    ann.shot("uno-advice")
    page.locator(".panel.advice tr.best button.action").click()  # the advice is taken
    after = next_asked(page, asked.key)
    if not after.over:
        check_advice(page, legal_now(ann))
    page.keyboard.press("a")
    expect(page.locator(".panel.advice")).to_have_count(0)


@pytest.mark.parametrize(("size", "colours"), [((1280, 860), "light"), ((360, 640), "dark")], ids=["wide", "phone"])
def test_a_network_shows_what_it_prefers(visit: Visit, size: tuple[int, int], colours: str) -> None:
    """Without being chosen: a bar and a figure for every card that it might play, the longest first, and its own guess."""
    ann = visit(size=size, colours=colours, touch=size[0] < 1000)
    page = ann.sit_at(ann.new_table(None, "mix2", "random", seed=3))
    next_asked(page)
    ann.button("Advice").click()
    expect(page.locator(".panel.advice .final-mark")).to_be_visible()
    opinion = page.locator(".opinions li").filter(has=page.get_by_role("table"))
    expect(opinion).to_have_count(1)
    expect(opinion).to_contain_text("net would choose")
    expect(opinion.locator("caption")).to_have_text(re.compile(r"How much it prefers each action; it gives itself a \d+ % chance to win\."))
    rows = opinion.locator("tbody tr:not(.others-row)")
    expect(rows).not_to_have_count(0)
    said = next(bot for message in reversed(ann.messages()) for bot in message.get("bots", []) if bot["bot"] == "net")
    shown = [row for row in said["rows"] if row["value"] >= 0.005]
    assert 1 < len(shown) < len(said["rows"]) and shown[0]["action"] == said["action"]
    assert [row.get_attribute("data-key") for row in rows.all()] == [row["action"] for row in shown]
    figures = [row.locator("td.number").inner_text() for row in rows.all()]
    assert [float(figure.removesuffix(" %")) for figure in figures] == [pytest.approx(100 * row["value"], abs=0.051) for row in shown]
    wide = [row.locator(".bar-value").evaluate("(bar) => bar.getBoundingClientRect().width") for row in rows.all()]
    whole = rows.first.locator(".bar").evaluate("(bar) => bar.getBoundingClientRect().width")
    assert whole > 60 and wide == [pytest.approx(whole * row["value"], abs=1.5) for row in shown]
    expect(opinion.locator(".others-row")).to_contain_text(f"{len(said['rows']) - len(shown)} others")
    opinion.scroll_into_view_if_needed()
    ann.shot(f"uno-preferences-{size[0]}")
    assert ann.overflow() <= 0


def test_advice_at_a_table_of_hanabi(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "iggi", game="hanabi", seed=6))
    next_turn(page)
    page.keyboard.press("a")
    check_advice(page, legal_now(ann))
    expect(page.locator(".panel.advice caption")).to_contain_text("Score to expect")
    ann.shot("hanabi-advice")
