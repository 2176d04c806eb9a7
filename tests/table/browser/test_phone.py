"""A phone: a game by tapping, and no page that is wider than its window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.table.browser.playing import Asked, discard_slot, hint, next_asked, next_turn, play_slot, play_uno, tap
from tests.table.browser.test_films import RECORD
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]
PHONE = (390, 844)
SMALL = (360, 640)
TABLET = (768, 1024)


def test_a_whole_game_by_tapping(visit: Visit) -> None:
    ann = visit(size=PHONE, touch=True, motion=True)
    ann.deal(seed=10)
    page = ann.open()
    page.get_by_label("Seat 2").select_option("random")
    page.get_by_label("Seat 3").select_option("mix2")
    ann.shot("phone-lobby")
    ann.button("Play").tap()
    page.locator(".uno.board").wait_for()
    wide: list[int] = []

    def look(asked: Asked) -> None:
        wide.append(ann.overflow())
        if len(wide) == 1:
            ann.shot("phone-uno")

    play_uno(ann, tap, look)
    expect(page.get_by_role("dialog").locator(".end-hands li")).to_have_count(3)
    ann.shot("phone-end")
    assert max(wide) <= 0 and ann.overflow() <= 0


def test_moves_of_hanabi_by_tapping(visit: Visit) -> None:
    ann = visit(size=PHONE, touch=True)
    page = ann.sit_at(ann.new_table(None, "iggi", "iggi", game="hanabi", seed=4))
    turn = next_turn(page)
    hint(page, 0, tap)
    turn = next_turn(page, turn.step)
    assert turn.tokens < 8
    discard_slot(page, 1, tap)
    turn = next_turn(page, turn.step)
    play_slot(page, 2, tap)
    next_turn(page, turn.step)
    ann.shot("phone-hanabi")
    for words in ("You tell", "You discard", "You play"):
        expect(page.locator(".log")).to_contain_text(words)
    assert ann.overflow() <= 0


@pytest.mark.parametrize(
    ("game", "bots", "needed"),
    [
        ("uno", ["mix2"], [".discard-pile .on-top", ".colour-now", ".hand"]),
        ("uno", ["random"] * 9, [".discard-pile .on-top", ".colour-now", ".hand"]),
        ("hanabi", ["iggi"], [".fireworks", ".player.own .cards", ".player:not(.own) .cards"]),
        ("hanabi", ["iggi"] * 4, [".fireworks", ".player.own .cards"]),
    ],
    ids=["uno-two", "uno-ten", "hanabi-two", "hanabi-five"],
)
def test_advice_leaves_the_cards_that_matter_in_sight(visit: Visit, game: str, bots: list[str], needed: list[str]) -> None:
    ann = visit(size=PHONE, touch=True)
    page = ann.sit_at(ann.new_table(None, *bots, game=game, seed=3))
    next_asked(page) if game == "uno" else next_turn(page)
    ann.button("Advice").tap()
    page.locator(".panel.advice .final-mark" if game == "uno" else ".panel.advice tr.best").first.wait_for()  # Hanabi's goes on for seconds
    for size in (PHONE, SMALL, TABLET):
        ann.resize(size)
        ann.shot(f"phone-{size[0]}-{game}-{len(bots) + 1}-advice")
        sheet = page.locator(".advice-pane").bounding_box()
        best = page.locator(".panel.advice tr.best").first.bounding_box()
        assert sheet and best
        assert page.evaluate("scrollY") == 0
        assert sheet["y"] <= best["y"] and best["y"] + best["height"] <= sheet["y"] + sheet["height"], "the best action is seen at once"
        for selector in needed:
            box = page.locator(selector).first.bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= size[1] + 2, f"{selector} is on the screen"
            assert box["y"] + box["height"] <= sheet["y"] or box["y"] >= sheet["y"] + sheet["height"], f"{selector} is not under the advice"
            middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
            seen = "([selector, at]) => document.elementFromPoint(at.x, at.y)?.closest(selector) !== null"
            assert page.evaluate(seen, [selector, middle]), f"nothing lies over {selector}"
        assert ann.overflow() <= 0


def test_no_page_is_wider_than_a_phone(visit: Visit) -> None:
    ann = visit("A name of thirty-two characters!", size=PHONE, touch=True)
    page = ann.open()
    page.locator(".new-table").wait_for()
    page.get_by_text("House rules").tap()
    scenes: dict[str, int] = {}

    def look(name: str) -> None:
        for size in (SMALL, PHONE):
            ann.resize(size)
            scenes[f"{name} at {size[0]}"] = ann.overflow()
            ann.shot(f"phone-{size[0]}-{name}")

    look("lobby")

    ann.sit_at(ann.new_table(None, *["random"] * 9, rules="classic", seed=3))
    next_asked(page)
    look("uno-ten")
    ann.sit_at(ann.new_table(None, "mix2", "random", rules="classic,hand_size=20", seed=3, to="500"))
    next_asked(page)
    look("uno-twenty-cards")
    ann.button("Advice").tap()
    page.locator(".panel.advice .final-mark").wait_for()
    look("uno-advice")
    ann.button("Close").tap()
    ann.sit_at(ann.new_table(None, *["iggi"] * 4, game="hanabi", seed=3))
    next_turn(page)
    look("hanabi-five")
    ann.sit_at(ann.new_table(None, "iggi", game="hanabi", seed=3))
    next_turn(page)
    look("hanabi-two")
    ann.button("Keys and settings").tap()
    look("keys")
    for name, address in {
        "watch-form": "#/watch",
        "watch": "#/watch?game=uno&bots=random|mix2|greedy&seed=4",
        "watch-hanabi": "#/watch?game=hanabi&bots=iggi|piers|iggi&seed=4",
        "replay-form": "#/replay",
        "replay": f"#/replay?record={RECORD.replace('+', '%2B')}&at=5",
        "runs": "#/runs",
    }.items():
        ann.open(address)
        page.locator(".film-board .board, .form, .run-list, .runs .empty").first.wait_for()
        look(name)
    ann.button("Start a run").tap()
    page.locator(".run-form").wait_for()
    look("run-form")
    assert {name: by for name, by in scenes.items() if by > 0} == {}
