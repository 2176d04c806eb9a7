"""The page behind a real nginx with TLS, in a browser: links, requests and sockets go by the public name."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.cli.test_table import server
from tests.table.browser.found import launch
from tests.table.browser.visitor import TIMEOUT
from tests.table.proxied import NAME, nginx, service_words


def test_people_meet_at_a_table_by_its_public_link(tmp_path: Path) -> None:
    with server("--no-store", *service_words()) as (_, address, _), nginx(tmp_path, address) as front, front.client() as client:

        def post(path: str, asked: object, token: str = "") -> dict[str, str]:
            answer = client.post(path, json=asked, headers={"Authorization": f"Bearer {token}"} if token else {})
            assert answer.is_success, answer.text
            return dict(answer.json())

        ann, bob = (post("/api/sessions", {"name": name})["token"] for name in ("Ann", "Bob"))
        table = post("/api/tables", {"game": "uno", "seats": [{"person": True}, {"person": True}], "seat": 0}, ann)["table"]
        with sync_playwright() as playwright:
            browser = launch(playwright, f"--host-resolver-rules=MAP {NAME}:443 127.0.0.1:{front.port}")
            context = browser.new_context(ignore_https_errors=True)
            context.set_default_timeout(TIMEOUT)
            session = json.dumps(json.dumps({"token": ann, "name": "Ann"}))
            context.add_init_script(f"localStorage.setItem('kibitz.session', {session})")
            page = context.new_page()
            sockets: list[str] = []
            page.on("websocket", lambda socket: sockets.append(socket.url))
            page.goto(f"https://{NAME}/#/table/{table}")
            link = page.locator(".waiting-room").get_by_label("Link").input_value()
            assert link == f"https://{NAME}/#/table/{table}"
            post(f"/api/tables/{table}/seat", {"seat": 1}, bob)
            expect(page.locator(".waiting-room")).to_have_count(0)  # the game has begun, as the socket told
            assert sockets == [f"wss://{NAME}/api/tables/{table}/live"]
            browser.close()
