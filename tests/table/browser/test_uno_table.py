"""UNO in a real browser: whole games by mouse, by keyboard alone and without motion, and every window that rules can open."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from kibitz.games.uno.cards import POINTS_OF
from kibitz.games.uno.names import card_from_name
from tests.table.browser.playing import ASKED, Asked, answer_uno, first_asked, next_asked, play_uno
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]
MOUSE, KEYS, ENDS = 30, 8, 1  # seeds


def lines_of(page: Page) -> list[str]:
    return page.locator(".log li").all_inner_texts()


def check_end(visitor: Visitor, names: list[str]) -> None:
    """The end panel shows everybody's cards, as many as the server says."""
    panel = visitor.page.get_by_role("dialog")
    expect(panel.locator("h2")).to_contain_text("win")
    over = next(message["over"] for message in reversed(visitor.messages()) if message.get("over"))
    rows = panel.locator(".end-hands li")
    assert [row.locator("b").inner_text() for row in rows.all()] == names
    assert [row.locator(".end-cards svg").count() for row in rows.all()] == [len(hand) for hand in over["hands"]]
    values = [sum(POINTS_OF[card_from_name(card)] for card in hand) for hand in over["hands"]]
    held = [
        f"held {value} point{'s' * (value != 1)}" if hand else "no cards left" for value, hand in zip(values, over["hands"], strict=True)
    ]
    assert [row.locator("small").first.inner_text() for row in rows.all()] == held


def test_a_whole_game_by_mouse(visit: Visit) -> None:
    ann = visit("Guest", known=False, motion=True, settings={"pace": 650})
    ann.deal(seed=MOUSE)
    page = ann.open()
    page.get_by_role("textbox", name="You", exact=True).fill("Ann")
    page.get_by_label("Seat 2").select_option("mix2")
    page.get_by_label("Seat 3").select_option("random")
    page.get_by_text("House rules").click()
    page.get_by_role("spinbutton", name="hand size").fill("4")
    ann.shot("lobby")
    ann.button("Play").click()

    page.locator(".uno.board").wait_for()
    ann.button("Keys and settings").click()
    page.get_by_label("Moves of others are shown").select_option("at once")
    ann.shot("uno-keys")
    ann.button("Close").click()
    next_asked(page)
    ann.shot("uno-table")
    begun = lines_of(page)
    assert begun and "begin" in begun[0]
    said: list[int] = [len(begun)]
    answers = play_uno(ann, watch=lambda _: said.append(len(lines_of(page))))
    assert answers >= 4  # as many cards as there were in the hand
    assert said == sorted(said) and said[-1] > said[0]
    assert all(line.strip().endswith(".") for line in lines_of(page))
    check_end(ann, ["Ann", "mix2", "random"])
    ann.shot("uno-end")

    before = page.url
    ann.button("Play again").click()
    page.wait_for_url(lambda address: address != before)
    next_asked(page)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_game_without_motion(visit: Visit) -> None:
    """Nothing moves for a person who wants that, and everything else is the same."""
    ann = visit(motion=False)
    ann.sit_at(ann.new_table(None, "mix2", rules="classic,hand_size=4", seed=15))
    moving: list[int] = []
    play_uno(ann, watch=lambda _: moving.append(ann.page.evaluate("document.getAnimations().length")))
    check_end(ann, ["Ann", "mix2"])
    assert moving and not any(moving)


def test_the_list_of_keys_stays_until_it_is_closed(visit: Visit) -> None:
    ann = visit(settings={"pace": 650})
    page = ann.sit_at(ann.new_table("random", "random", seat=None, rules="classic,hand_size=2", seed=4))
    page.keyboard.press("?")
    keys, end = page.get_by_role("dialog", name="Keys and settings"), page.locator("dialog .end-hands")
    keys.get_by_label("Moves of others are shown").select_option("at once")
    page.locator(".tool.strong").or_(end).first.wait_for()  # the game is over behind it
    expect(keys).to_be_visible()
    page.keyboard.press("a")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(end).to_be_visible()
    expect(keys).to_have_count(0)


def test_a_bot_that_differs_from_the_best_number_says_so(visit: Visit) -> None:
    ann = visit(settings={"advice.bots.uno": ["mix2", "first_playable", "greedy"]})
    page = ann.sit_at(ann.new_table(None, "mix2", seed=3))
    next_asked(page)
    ann.button("Advice").click()
    page.locator(".panel.advice .final-mark").wait_for()
    best = page.locator(".panel.advice tbody tr").first
    expect(best.locator(".best-tag")).to_have_text("best")
    values = [float(row.inner_text().split()[0]) for row in page.locator(".panel.advice tbody .number").all()]
    assert values == sorted(values, reverse=True)
    agreeing = best.locator(".bot-tag").all_inner_texts()
    for said in page.locator(".opinions > li").all():
        agrees = said.locator("b").first.inner_text() in agreeing
        expect(said.locator(".beside")).to_have_count(0 if agrees else 1)
    assert 0 < len(agreeing) < 3
    expect(page.locator(".beside").first).to_contain_text("The trials put ")


def test_a_contest_goes_from_deal_to_deal(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "random", rules="classic,hand_size=3", seed=10, to="500"))
    next_asked(page)
    expect(page.locator(".act-draw kbd")).to_have_text("d")  # as the list of keys says
    play_uno(ann)
    expect(page.locator(".scores tr")).to_have_count(2)
    expect(page.locator("dialog h2").first).to_have_text(re.compile("^(You win!|random wins)$"))  # a deal, and not the contest
    ann.shot("uno-contest")
    end = next_asked(page)
    ann.button("Next deal").click()
    assert not next_asked(page, end.key).over
    scores = page.locator(".seat-score").all_inner_texts()
    assert sorted(map(int, scores)) != [0, 0]


# -- keys --


def focused(page: Page) -> str:
    """What has the focus, in words."""
    return str(
        page.evaluate("(document.activeElement.innerText || document.activeElement.ariaLabel || document.activeElement.tagName).trim()")
    )


def tab_to(page: Page, selector: str, most: int = 60) -> None:
    """Press Tab until something of that kind has the focus."""
    for _ in range(most):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not lead to {selector}; it came to {focused(page)}")


def answer_by_keys(page: Page, asked: Asked, walks: bool) -> str:
    """With the keys that the page names, or by going there with Tab and pressing Enter; what was played."""
    keys = page.keyboard
    if not asked.cards:
        offered = {"UNO!": "u", "Challenge": "c", "Draw a card": "d", "Keep it": "k"}
        keys.press(next(key for text, key in offered.items() if text in asked.buttons))
        return ""
    card = asked.cards[0]
    if walks:
        tab_to(page, ".hand-card.playable")
        card = str(page.evaluate("document.activeElement.dataset.card"))
        keys.press("Enter")
    else:
        keys.press("1")
    if card.startswith("wild"):
        page.locator("dialog.picker").wait_for()
        if walks:
            tab_to(page, "dialog.picker .colour-button")
            keys.press("Enter")
        else:
            keys.press("g")
    return card


def play_by_keys(page: Page, most: int = 400) -> list[str]:
    """To the end; what was played."""
    asked, played = next_asked(page), list[str]()
    while not asked.over:
        assert len(played) < most
        played.append(answer_by_keys(page, asked, walks=len(played) % 2 == 1))
        asked = next_asked(page, asked.key)
    return played


def test_a_whole_game_by_keyboard_alone(visit: Visit) -> None:
    ann = visit("Guest", known=False)
    ann.deal(seed=KEYS)
    page = ann.open()
    page.locator(".new-table").wait_for()
    keys = page.keyboard
    tab_to(page, '[aria-label="One player fewer"]')
    keys.press("Enter")
    tab_to(page, ".seat-list input")
    keys.press("Control+a")
    keys.type("Ann")
    tab_to(page, ".seat-list select")
    keys.type("mix2")
    tab_to(page, "button[type=submit].strong")
    keys.press("Enter")
    page.locator(".uno.board").wait_for()
    assert any(play_by_keys(page))
    check_end(ann, ["Ann", "mix2"])
    keys.press("Enter")  # the focus is on "Play again"
    expect(page.get_by_role("dialog")).to_have_count(0)
    next_asked(page)


def test_the_end_waits_for_the_answer_to_the_last_move(visit: Visit) -> None:
    """Else nothing could be pressed when the end opens, and Enter would close it instead of playing again."""
    ann = visit()
    held: list[Callable[[], None]] = []
    over: list[bool] = []

    def pass_on(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def hear(text: str | bytes) -> None:
            message = json.loads(text)
            over.extend([True] if message.get("over") else [])
            if over and message["type"] == "done":
                held.append(lambda: line.send(text))
            else:
                line.send(text)

        server.on_message(hear)

    ann.page.route_web_socket("**/live", pass_on)
    page = ann.sit_at(ann.new_table(None, "mix2", rules="classic,hand_size=2", seed=ENDS))
    asked = next_asked(page)
    while not over:
        answer_by_keys(page, asked, walks=False)
        page.wait_for_function(f"(before) => ({ASKED})(before) || document.querySelector('.tool.strong') !== null", arg=asked.key)
        asked = asked if over else next_asked(page, asked.key)
    ann.button("Result").wait_for()
    assert held, "the last move was not this person's"
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    for answer in held:
        answer()
    page.locator("dialog.end[open]").wait_for()
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: address != before)


def test_a_wild_by_keyboard_alone(visit: Visit) -> None:
    """From the lobby's list of one's tables on; in this deal wilds come up."""
    ann = visit()
    ann.new_table(None, "random", rules="classic,hand_size=4", seed=284)
    page = ann.open()
    tab_to(page, ".table-list a")
    page.keyboard.press("Enter")
    page.locator(".uno.board").wait_for()
    played = play_by_keys(page)
    assert {"wild", "wild+4"} & set(played)
    assert any("calling" in line for line in lines_of(page))
    check_end(ann, ["Ann", "random"])
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


# -- windows --

# Rules, who else plays, a deal in which the window opens soon, the buttons that it offers, and the one that is pressed.
WINDOWS = {
    "challenge": ("official,hand_size=5", ["random"], 180, ["Challenge", "Draw 4"], "Challenge"),
    "accept": ("official,hand_size=5", ["random"], 235, ["Challenge", "Draw 4"], "Draw 4"),
    "call": ("official,hand_size=3,uno_call=on", ["random"], 8, ["UNO!", "Say nothing"], "UNO!"),
    "jump-in": ("classic,hand_size=5,jump_in=on", ["random", "mix2"], 209, ["Jump in!", "Pass"], "Jump in!"),
    "let-pass": ("classic,hand_size=5,jump_in=on", ["random", "mix2"], 222, ["Jump in!", "Pass"], "Pass"),
    "stack": ("classic,hand_size=5,stacking=progressive", ["random"], 129, ["Draw 2"], "Draw 2"),
    "swap": ("classic,hand_size=4,seven_zero=on", ["random", "mix2"], 115, ["random (4)", "mix2 (4)"], "mix2 (4)"),
    "drawn": ("classic,hand_size=3", ["random"], 110, ["Play green 0", "Keep it"], "Keep it"),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_windows_that_rules_open_offer_their_buttons(visit: Visit, window: str) -> None:
    rules, bots, seed, offered, pressed = WINDOWS[window]
    ann = visit()
    page = ann.sit_at(ann.new_table(None, *bots, rules=rules, seed=seed))
    asked = next_asked(page)
    while asked.buttons != offered:
        assert not asked.over, "the window did not open"
        answer_uno(page, asked)
        asked = next_asked(page, asked.key)
    ann.shot(f"uno-window-{window}")
    page.locator(".ask-buttons button", has_text=pressed).click()
    next_asked(page, asked.key)
    expect(page.get_by_role("alert").filter(has_text="refused")).to_have_count(0)


def test_a_wild_turned_up_asks_for_a_colour(visit: Visit) -> None:
    ann = visit()
    page = ann.sit_at(ann.new_table(None, "random", rules="official,hand_size=3", seed=104))
    asked = next_asked(page)
    assert asked.colours
    page.locator(".ask .colour-button", has_text="blue").click()
    next_asked(page, asked.key)
    expect(page.locator(".colour-now")).to_contain_text("blue")


def test_who_forgets_to_say_uno_is_caught(visit: Visit) -> None:
    """Bots always say it, so two people play; what they are dealt differs from time to time."""
    people = [visit("Ann"), visit("Bob")]
    table = people[0].new_table(None, None, rules="classic,deck=numbers,hand_size=2,uno_call=on")
    people[1].post(f"/api/tables/{table}/seat", {})
    for person in people:
        person.sit_at(table)
    before: dict[str, str] = {}
    while True:
        person, asked = first_asked(people, before)
        assert not asked.over
        if asked.buttons == ["UNO!", "Say nothing"]:
            break
        answer_uno(person.page, asked)
        before[person.name] = asked.key
    person.page.locator(".ask-buttons button", has_text="Say nothing").click()
    other = people[1 - people.index(person)]
    assert next_asked(other.page, before.get(other.name, "")).buttons == ["Catch!", "Pass"]
    other.shot("uno-window-catch")
    other.page.locator(".ask-buttons button", has_text="Catch!").click()
    expect(person.page.locator(".log")).to_contain_text(f"{other.name} catches you")
    expect(person.page.locator(".hand-card").nth(2)).to_be_visible()  # three, or more if a draw was forced right after it
