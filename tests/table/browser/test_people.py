"""Several people at one table, and connections that are lost: everybody sees their own cards alone, and everything is found again."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.table.browser.playing import answer_uno, first_asked, next_asked, next_turn, play_slot, play_uno
from tests.table.browser.serving import TableServer
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]
COLOURS = {"r": "red", "g": "green", "b": "blue", "y": "yellow"}


def hand_of(visitor: Visitor) -> list[str]:
    return sorted(
        str(card) for card in visitor.page.locator(".hand-card").evaluate_all("(cards) => cards.map((card) => card.dataset.card)")
    )


def test_two_people_and_somebody_who_looks_on(visit: Visit) -> None:
    ann, bob, eve = visit("Ann"), visit("Bob", known=False), visit("Eve")
    page = ann.open()
    page.get_by_label("Seat 2").select_option("a person, by link")
    ann.button("One player fewer").click()
    page.get_by_text("House rules").click()  # a card is drawn until one fits: whoever has a turn decides something
    page.locator(".switch", has_text="how much is drawn").locator("select").select_option("until_playable")
    page.get_by_role("spinbutton", name="hand size").fill("5")
    ann.button("Open the table").click()
    link = page.locator(".waiting-room").get_by_label("Link").input_value()
    ann.shot("waiting-room")

    bob.open(link[link.index("#") :])
    expect(bob.page.get_by_label("Your name")).to_have_value("Bob")
    bob.button("Sit down").click()
    people = [ann, bob]
    before: dict[str, str] = {}
    person, asked = first_asked(people, before)
    assert hand_of(ann) and hand_of(bob)
    eve.sit_at(link.rpartition("/")[2])
    expect(eve.page.get_by_text("looking on")).to_be_visible()
    expect(eve.page.locator(".hand-card")).to_have_count(0)
    expect(eve.page.locator(".seats .seat")).to_have_count(2)
    bob.shot("uno-two-people")
    eve.shot("uno-looking-on")

    moved = set()
    while not asked.over:
        other = people[1 - people.index(person)]
        expect(other.page.locator(".ask")).not_to_have_class("ask open")
        answer_uno(person.page, asked)
        moved.add(person.name)
        before[person.name] = asked.key
        person, asked = first_asked(people, before)
    assert moved == {"Ann", "Bob"}
    for visitor in (ann, bob, eve):
        expect(visitor.page.get_by_role("dialog")).to_contain_text("win")
    check_secrecy(ann, bob, eve)


def open_views(visitor: Visitor) -> dict[tuple[int, int], dict[str, Any]]:
    """Every message with a view that came while the deal was open, by deal and position."""
    found = [message for message in visitor.messages() if message.get("view") and not message.get("over") and not message.get("waiting")]
    return {(message["deal"], message["position"]): message for message in found}


def words_of(card: str) -> set[str]:
    """A card as messages name it."""
    names = {"skip": "Skip", "rev": "Reverse", "+2": "Draw Two"}
    if card.startswith("wild"):
        return {card}
    return {card, f"{COLOURS[card[0]]} {names.get(card[1:], card[1:])}"}


def check_secrecy(*visitors: Visitor) -> None:
    """At no position was a card sent that only another person's hand has, and that the viewer has never seen.

    The deal is another one each time. In a long one cards are shuffled back and dealt again, while the log still tells of them.
    """
    views = {visitor.name: open_views(visitor) for visitor in visitors}
    checked = 0
    for viewer, seen in views.items():
        open_cards: set[str] = set()
        for place, message in sorted(seen.items()):
            view = message["view"]
            others = {card for name in views if name != viewer and place in views[name] for card in views[name][place]["view"]["hand"]}
            open_cards |= {*view["hand"], *view["discard"], view["top"], *(card for known in view["known"] for card in known)}
            text = json.dumps({key: value for key, value in message.items() if key != "rules"})  # those list the whole deck
            for card in others - open_cards:
                for words in words_of(card):
                    assert not re.search(rf"(?<![\w+]){re.escape(words)}(?![\w+])", text), f"{viewer} was told of {card} at {place}: {text}"
                    checked += 1
    assert checked > 100


# -- lost connections --


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[TableServer]:
    """A server that a test may kill."""
    running = TableServer(tmp_path)
    try:
        yield running
    finally:
        running.stop()


def test_a_server_that_was_killed_and_a_page_that_was_reloaded(visit: Visit, own_server: TableServer) -> None:
    ann = visit(address=own_server.address)
    ann.allowed = lambda text: "ERR_CONNECTION_REFUSED" in text or "WebSocket connection to" in text or "ERR_CONNECTION_RESET" in text
    page = ann.sit_at(ann.new_table(None, "mix2", "random", seed=3))
    asked = next_asked(page)
    for _ in range(2):
        answer_uno(page, asked)
        asked = next_asked(page, asked.key)
    lines, hand = page.locator(".log li").all_inner_texts(), hand_of(ann)

    own_server.kill()
    expect(page.get_by_text("Connection lost. Trying again…")).to_be_visible()
    ann.shot("connection-lost")
    own_server.start_again()
    expect(page.get_by_text("Connection lost. Trying again…")).to_have_count(0)
    assert next_asked(page) == asked
    assert (page.locator(".log li").all_inner_texts(), hand_of(ann)) == (lines, hand)

    page.reload()
    assert next_asked(page) == asked
    assert (page.locator(".log li").all_inner_texts(), hand_of(ann)) == (lines, hand)
    play_uno(ann)
    expect(page.get_by_role("dialog")).to_contain_text("win")


def test_a_hanabi_table_after_a_reload(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "iggi", game="hanabi", seed=5))
    turn = next_turn(page)
    play_slot(page, 0)
    turn = next_turn(page, turn.step)
    fireworks = page.locator(".felt").inner_text()
    page.reload()
    assert next_turn(page) == turn
    assert page.locator(".felt").inner_text() == fireworks


def test_a_move_that_could_not_be_kept_is_said_to_be_so(visit: Visit, own_server: TableServer) -> None:
    ann = visit("Ann", address=own_server.address)
    page = ann.sit_at(ann.new_table(None, "random", rules="classic", seed=7))
    asked = next_asked(page)
    with closing(sqlite3.connect(own_server.store)) as store:
        store.execute("CREATE TRIGGER full BEFORE INSERT ON moves BEGIN SELECT RAISE(ABORT, 'no room'); END")
        answer_uno(page, asked)
        expect(page.locator(".notice")).to_contain_text("could not write it down")
        ann.shot("not-kept")
        store.execute("DROP TRIGGER full")
    answer_uno(page, next_asked(page, asked.key))
    expect(page.locator(".notice")).to_have_count(0)
