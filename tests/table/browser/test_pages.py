"""Every page as a whole: accessible by the rules of axe in light and dark, light enough to be there at once, and found by its address."""

from __future__ import annotations

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Response, expect

from tests.table.browser.playing import answer_uno, next_asked, next_turn, play_uno
from tests.table.browser.test_films import RECORD
from tests.table.browser.visitor import Visitor

Visit = Callable[..., Visitor]
MOST_BYTES = 200_000


def findings(visitor: Visitor, scene: str) -> list[str]:
    """What axe finds serious or critical, in light and dark; a screenshot of each is kept."""
    told = []
    for colours in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=colours)
        visitor.shot(f"axe-{scene.replace(' ', '-')}-{colours}")
        told += [
            f"{scene} ({colours}): {each['id']} ({each['impact']}): {each['help']}: "
            + "; ".join(f"{node['target']} {node['html'][:120]}" for node in each["nodes"][:4])
            for each in Axe().run(visitor.page).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
    return told


def test_axe_finds_what_is_wrong(visit: Visit) -> None:
    """A button without a name would be found."""
    ann = visit()
    page = ann.open()
    page.locator(".new-table").wait_for()
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert [finding.split(" ")[2] for finding in findings(ann, "wrong")] == ["button-name", "button-name"]


class TestAccessibility:
    """Nothing serious or critical in any scene."""

    def test_lobby(self, visit: Visit) -> None:
        ann = visit()
        ann.new_table(None, "mix2")
        page = ann.open()
        page.locator(".table-list").wait_for()
        page.get_by_text("House rules").click()
        assert findings(ann, "lobby") == []

    def test_uno(self, visit: Visit) -> None:
        """A table with advice, the dialog that asks for a colour, the keys, and the end."""
        ann = visit()
        page = ann.sit_at(ann.new_table(None, "random", rules="classic,hand_size=4", seed=284, to="500"))
        asked = next_asked(page)
        ann.button("Advice").click()
        page.locator(".panel.advice .final-mark").wait_for()
        found = findings(ann, "uno table")
        ann.button("Close").click()
        ann.button("Keys and settings").click()
        found += findings(ann, "keys")
        ann.button("Close").click()
        while not any(card.startswith("wild") for card in asked.cards):
            assert not asked.over
            answer_uno(page, asked)
            asked = next_asked(page, asked.key)
        page.locator('.hand-card.playable[data-card^="wild"]').first.click()
        page.locator("dialog.picker").wait_for()
        found += findings(ann, "colour picker")
        page.locator("dialog.picker .colour-button").first.click()
        if not next_asked(page, asked.key).over:
            play_uno(ann)
        found += findings(ann, "end")
        assert found == []

    def test_hanabi(self, visit: Visit) -> None:
        ann = visit()
        page = ann.sit_at(ann.new_table(None, "iggi", "piers", game="hanabi", seed=4))
        next_turn(page)
        found = findings(ann, "hanabi table")
        page.locator(".others button.table-card").first.click()
        page.locator(".hint-button").first.hover()
        found += findings(ann, "hint")
        page.locator(".own button.table-card").first.click()
        found += findings(ann, "own card")
        assert found == []

    def test_films(self, visit: Visit) -> None:
        ann = visit()
        page = ann.open("#/watch")
        page.locator("form.form").wait_for()
        found = findings(ann, "watch form")
        ann.open("#/watch?game=uno&bots=random|mix2|greedy&seed=5")
        ann.button("Pause").click()
        found += findings(ann, "watch")
        ann.open("#/replay")
        page.locator("form.form").wait_for()
        found += findings(ann, "replay form")
        ann.open(f"#/replay?record={RECORD.replace('+', '%2B')}&at=3")
        page.get_by_role("tab", name="Analysis").click()
        ann.button("Analyse this game").click()
        expect(page.locator(".panel.analysis [aria-live]")).to_contain_text("decisions judged")
        found += findings(ann, "analysis")
        page.get_by_role("tab", name="Share").click()
        found += findings(ann, "share")
        assert found == []

    def test_runs(self, visit: Visit) -> None:
        ann = visit()
        run = ann.post("/api/runs", {"kind": "match", "bots": ["mix2", "random"], "games": 2000, "seed": 3})["run"]
        page = ann.open(f"#/runs/{run}")
        expect(page.locator(".status")).to_have_text("complete")
        found = findings(ann, "run")
        ann.open("#/runs")
        page.locator(".run-list").wait_for()
        ann.button("Start a run").click()
        page.locator(".run-form").wait_for()
        found += findings(ann, "runs")
        assert found == []


def test_the_first_page_is_small(visit: Visit) -> None:
    ann = visit(known=False)
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    ann.page.on("response", note)
    page = ann.open("")
    page.locator(".new-table").wait_for()
    page.wait_for_load_state("networkidle")
    sizes = {answer.url: len(answer.body()) for answer in answers}
    assert len(sizes) > 8 and sum(sizes.values()) < MOST_BYTES, sizes
    loaded = [url.rpartition("/static/")[2] for url in sizes]
    assert "lobby.js" in loaded
    assert not [file for file in loaded if file.startswith("games/") and not file.endswith(".svg")], loaded  # no board


def test_every_page_has_its_address(visit: Visit) -> None:
    ann = visit()
    page = ann.open()
    for link, heading in {"Watch": "Watch bots play", "Replay": "Replay", "Runs": "Runs", "Play": "Sit down, the cards are dealt."}.items():
        page.get_by_role("navigation").get_by_role("link", name=link, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        expect(page.get_by_role("navigation").locator("[aria-current=page]")).to_have_text(link)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    ann.open("#/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("Something is missing")


def test_a_table_that_does_not_exist(visit: Visit) -> None:
    ann = visit()
    ann.allowed = lambda text: "status of 404" in text or "WebSocket connection to" in text
    page = ann.open("#/table/AAAAAAAAAAAAAAAA")
    expect(page.get_by_role("heading", level=1)).to_have_text("No such table")


def test_the_page_of_the_api(visit: Visit) -> None:
    ann = visit()
    ann.page.goto("/api")
    expect(ann.page.get_by_role("heading", level=1)).to_be_visible()
    ann.shot("api")
    assert findings(ann, "api") == []
