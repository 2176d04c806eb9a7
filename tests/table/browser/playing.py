"""How a person plays in the tests: what the page offers is read from it, something of that is done by mouse, touch or keys, and the
next thing the page asks is waited for. Nothing here knows more than the page shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, Position
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.table.browser.visitor import TIMEOUT, Visitor

# What is asked now, as soon as it is something else than before; or that the deal is over.
ASKED = """(before) => {
  const board = document.querySelector(".board");
  const over = document.querySelector("dialog.end[open]") !== null;
  const bar = board?.querySelector(".ask");
  if (!over && !bar?.classList.contains("open")) return null;
  const question = bar.querySelector(".question").textContent;
  const key = [board.dataset.step, question, over].join("|");
  return key === before ? null : {
    key, over, question,
    cards: [...board.querySelectorAll(".hand-card.playable")].map((each) => each.dataset.card),
    buttons: [...bar.querySelectorAll(".ask-buttons button")].map((each) => {
      const words = each.cloneNode(true);
      words.querySelector("kbd")?.remove();
      return words.textContent.trim();
    }),
    colours: bar.querySelector(".colours") !== null,
    draws: board.querySelector(".draw-pile.ready") !== null,
  };
}"""

PATIENCE = 3000.0  # milliseconds
ATTEMPTS = 5

Press = Callable[[Locator], None]


@dataclass(frozen=True)
class Asked:
    """What the page asks: the cards and buttons it offers."""

    key: str
    over: bool
    question: str
    cards: list[str]
    buttons: list[str]
    colours: bool
    draws: bool


def next_asked(page: Page, before: str = "") -> Asked:
    """Wait for the next question, or for the end."""
    found: dict[str, Any] = page.wait_for_function(ASKED, arg=before).json_value()
    return Asked(**found)


def first_asked(visitors: Sequence[Visitor], before: Mapping[str, str]) -> tuple[Visitor, Asked]:
    """Of several people at a table, the one who is asked next; `before` has what was asked last, by their names."""
    until = time.monotonic() + TIMEOUT / 1000
    while time.monotonic() < until:
        for visitor in visitors:
            found = visitor.page.evaluate(ASKED, before.get(visitor.name, ""))
            if found:
                return visitor, Asked(**found)
        visitors[0].page.wait_for_timeout(20)  # for the pages to hear what happens
    raise AssertionError("nobody is asked anything")


# Where a card of a fan is not covered by its neighbours, as a place in its box.
FREE = """(card) => {
  card.scrollIntoView({ block: "nearest", inline: "center" });
  const box = card.getBoundingClientRect();
  for (const y of [0.5, 0.3, 0.7]) {
    for (const x of [0.5, 0.3, 0.15, 0.7, 0.85]) {
      const place = { x: x * box.width, y: y * box.height };
      if (card.contains(document.elementFromPoint(box.left + place.x, box.top + place.y))) return place;
    }
  }
  return null;
}"""


def click(what: Locator) -> None:
    """By mouse."""
    _at_free_place(what, lambda position: what.click(position=position, timeout=PATIENCE))


def tap(what: Locator) -> None:
    """By finger."""
    _at_free_place(what, lambda position: what.tap(position=position, timeout=PATIENCE))


def _at_free_place(what: Locator, press: Callable[[Position | None], None]) -> None:
    """Cards that are still in flight are tried again."""
    for attempt in range(ATTEMPTS):
        try:
            return press(what.evaluate(FREE))
        except PlaywrightTimeout:
            if attempt == ATTEMPTS - 1:
                raise
    return None


# -- UNO --


def answer_uno(page: Page, asked: Asked, press: Press = click) -> None:
    """Do something sensible: say UNO, catch, jump in and challenge where that is offered, else play the first card, else draw."""
    board = page.locator(".board")
    wanted = next((text for text in ("UNO!", "Catch!", "Jump in!", "Challenge") if text in asked.buttons), None)
    if wanted:
        press(board.locator(".ask-buttons button", has_text=wanted))
    elif asked.cards:
        press(board.locator(".hand-card.playable").first)
        if asked.cards[0].startswith("wild"):
            press(page.locator("dialog.picker .colour-button").first)
    elif asked.colours:
        press(board.locator(".ask .colour-button").first)
    elif asked.draws:
        press(board.locator(".draw-pile"))
    else:
        press(board.locator(".ask-buttons button").first)


def play_uno(visitor: Visitor, press: Press = click, watch: Callable[[Asked], None] = lambda _: None) -> int:
    """Play to the end of the deal; how many answers that took."""
    asked = next_asked(visitor.page)
    answers = 0
    while not asked.over:
        watch(asked)
        answer_uno(visitor.page, asked, press)
        answers += 1
        assert answers < 400
        asked = next_asked(visitor.page, asked.key)
    return answers


# -- Hanabi --

TURN = """(before) => {
  const board = document.querySelector(".board");
  const over = document.querySelector("dialog.end[open]") !== null;
  const step = board?.dataset.step;
  if (!over && (step === before || !board?.querySelector(".ask.open"))) return null;
  const [tokens, lives] = [...board.querySelectorAll(".counters b")].map((each) => Number(each.textContent));
  return { step, over, tokens, lives };
}"""


@dataclass(frozen=True)
class Turn:
    """One's own turn at a table of Hanabi."""

    step: str
    over: bool
    tokens: int
    lives: int


def next_turn(page: Page, before: str = "") -> Turn:
    """Wait for the next own turn, or for the end."""
    found: dict[str, Any] = page.wait_for_function(TURN, arg=before).json_value()
    return Turn(**found)


def play_slot(page: Page, slot: int, press: Press = click) -> None:
    """Play one of one's own cards."""
    press(page.locator(".own button.table-card").nth(slot))
    press(page.locator(".ask-buttons button", has_text="Play it"))


def discard_slot(page: Page, slot: int, press: Press = click) -> None:
    """Discard one of one's own cards."""
    press(page.locator(".own button.table-card").nth(slot))
    press(page.locator(".ask-buttons button", has_text="Discard it"))


def hint(page: Page, slot: int, press: Press = click) -> str:
    """Tell the next player something that fits one of their cards: what it touches lights up, then it is told. What was told."""
    press(page.locator(".others button.table-card").nth(slot))
    told = page.locator(".hint-button").first
    words = told.inner_text().split()[0]
    press(told)
    if press is not click:  # a mouse has lit it by hovering; the first tap does
        press(page.locator(".hint-button.on"))
    return words
