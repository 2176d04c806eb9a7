"""Which browser the tests walk through the pages with: an installed Chrome or Chromium, else Playwright's own (see tools/browser)."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # in the order of tools/browser


def installed() -> str | None:
    """The path of an installed browser; None means Playwright's own."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def launch(playwright: Playwright, *options: str) -> Browser:
    """A browser without a window."""
    return playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox", *options])
