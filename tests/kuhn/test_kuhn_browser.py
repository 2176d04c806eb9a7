"""Kuhn poker in the browser, on the plain board: `kibitz table` where the package is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.kuhn.conftest import ROOT
from tests.table.browser.found import launch
from tests.table.browser.playing import next_asked
from tests.table.browser.serving import TableServer
from tests.table.browser.visitor import Visitor


def test_a_whole_game(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(installed)]))
    server = TableServer(tmp_path)
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright)
            ann = Visitor(browser, server.address)
            page = ann.open()
            expect(page.locator(".game-choice")).to_contain_text("Kuhn poker")
            page = ann.sit_at(ann.new_table(None, "always_bet", game="kuhn", rules="standard", seed=3))
            asked = next_asked(page)
            expect(page.locator(".plain-view")).to_contain_text("card")
            expect(page.locator(".question")).to_contain_text("pass or bet?")
            ann.shot("kuhn")
            page.keyboard.press("1")  # pass, so that the bot bets
            asked = next_asked(page, asked.key)
            assert not asked.over
            page.locator(".ask-buttons button[data-action=bet]").click()
            asked = next_asked(page, asked.key)
            assert asked.over
            expect(page.locator("dialog.end .end-hands li")).to_have_count(2)
            expect(page.locator("dialog.end")).to_contain_text("2 points")
            ann.close()
            browser.close()
            assert ann.troubles == []
    finally:
        server.stop()
