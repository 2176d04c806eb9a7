"""A person with a browser: a page, what came over its sockets, and everything that went wrong in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, Route, WebSocket

TIMEOUT = 300_000.0  # milliseconds to wait for anything: on a fresh machine bots are compiled when they are first asked
SHOTS = os.environ.get("KIBITZ_SHOTS")  # the folder for pictures, if somebody wants to look at the pages

# Settings as the pages keep them; a session is put there only once, so that a page can replace it.
PREPARE = """(settings) => {
  if (location.protocol !== "http:") return;
  try {
    for (const [name, value] of Object.entries(settings)) if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
  } catch {
    // a report may keep nothing
  }
  addEventListener("securitypolicyviolation", (event) => console.error(`content policy: ${event.violatedDirective} ${event.blockedURI}`));
}"""


class Visitor:
    """Somebody at the table's pages. Errors of the page, of its console and of its content policy are gathered in `troubles`."""

    def __init__(
        self,
        browser: Browser,
        server: str,
        name: str = "Ann",
        *,
        known: bool = True,
        motion: bool = False,
        colours: Literal["light", "dark"] = "light",
        size: tuple[int, int] = (1280, 860),
        touch: bool = False,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.server, self.name = server.rstrip("/"), name
        self.troubles: list[str] = []
        self.frames: list[str] = []  # everything that came over sockets
        self.allowed: Callable[[str], bool] = lambda _: False  # troubles that a test brings about itself
        self.context: BrowserContext = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=touch,
            is_mobile=touch,
            color_scheme=colours,
            reduced_motion="no-preference" if motion else "reduce",
            base_url=self.server,
            locale="en-GB",
        )
        self.context.set_default_timeout(TIMEOUT)
        kept = {"kibitz.pace": 0, "kibitz.name": name, **{f"kibitz.{key}": value for key, value in (settings or {}).items()}}
        self.token = ""
        if known:
            self.token = self._api("POST", "/api/sessions", {"name": name})["token"]
            kept["kibitz.session"] = {"token": self.token, "name": name}
        written = json.dumps({key: json.dumps(value) for key, value in kept.items()})
        self.context.add_init_script(f"({PREPARE})({written})")
        self.page = self.watched(self.context.new_page())

    def watched(self, page: Page) -> Page:
        """A page whose troubles and messages are noted."""
        page.on("console", self._hear_console)
        page.on("pageerror", lambda error: self._trouble(f"page error: {error}"))
        page.on("websocket", self._hear_socket)
        return page

    def _hear_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._trouble(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _hear_socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.frames.append(frame if isinstance(frame, str) else frame.decode()))

    def _trouble(self, text: str) -> None:
        if not self.allowed(text):
            self.troubles.append(text)

    # -- the server --

    def _api(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        answer = self.context.request.fetch(path, method=method, data=body, headers=headers)
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json()

    def get(self, path: str) -> Any:
        """An answer of the server to this person."""
        return self._api("GET", path)

    def post(self, path: str, body: Any) -> Any:
        """The same, with something to say."""
        return self._api("POST", path, body)

    def new_table(self, *seats: str | None, game: str = "uno", seat: int | None = 0, **more: Any) -> str:
        """A table opened without the lobby: a bot's name or None for each seat."""
        listed = [{"person": True} if bot is None else {"bot": bot} for bot in seats]
        return str(self.post("/api/tables", {"game": game, "seats": listed, "seat": seat, **more})["table"])

    def deal(self, seed: int) -> None:
        """Tables that the lobby opens get these cards; it asks for none itself."""

        def choose(route: Route, request: Request) -> None:
            if request.method == "POST":
                route.continue_(post_data={**(request.post_data_json or {}), "seed": seed})
            else:
                route.continue_()

        self.page.route("**/api/tables", choose)

    # -- the page --

    def open(self, address: str = "#/") -> Page:
        """Go to a page; the whole of it is loaded anew."""
        self.page.goto("about:blank")
        self.page.goto(f"/{address}")
        return self.page

    def sit_at(self, table: str) -> Page:
        """Go to a table, and wait for its board."""
        self.open(f"#/table/{table}")
        self.page.locator(".board").wait_for()
        return self.page

    def button(self, name: str, *, exact: bool = True) -> Locator:
        return self.page.get_by_role("button", name=name, exact=exact)

    def shot(self, name: str) -> None:
        """Keep a picture of what is seen now, if somebody wants them."""
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png", animations="disabled")

    def resize(self, size: tuple[int, int]) -> None:
        """Turn the device, or take another: the page is laid out for a window of this size."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.scrollingElement.scrollWidth - innerWidth"))

    def messages(self) -> list[dict[str, Any]]:
        """Everything that the server has sent over sockets."""
        return [json.loads(frame) for frame in self.frames]

    def close(self) -> None:
        self.context.close()
