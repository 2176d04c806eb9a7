"""The documentation is true: its code runs, its tables and outputs are current, what it names exists."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kibitz.bots.bot import Bot, bot

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_and_outputs_are_what_generate_makes_of_them(page: Path, generate: ModuleType, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == generate.refreshed(text, tmp_path / "run"), "run `python docs/generate.py`"


def test_every_table_of_the_generator_is_used(generate: ModuleType) -> None:
    used = {name for page in PAGES for name in re.findall(r"<!-- table: (.+?) -->", page.read_text(encoding="utf-8"))}
    assert used == set(generate.TABLES)


def test_the_generator_notices_a_false_output(generate: ModuleType, tmp_path: Path) -> None:
    page = "```console\n$ kibitz rules nonsense\nall is well\n```"
    shown = generate.refreshed(page, tmp_path / "run")
    assert shown == "```console\n$ kibitz rules nonsense\nkibitz: unknown rules 'nonsense'; known: classic.\n```"


def test_the_generator_notices_a_false_answer(generate: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="Expected"):
        generate.refreshed("```pycon\n>>> 1 + 1\n3\n```", tmp_path / "run")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target
        assert linked.is_file(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, f"{page.name} links to #{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_make_targets_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    written = set(re.findall(r"^# (\w+\.py)$", text, re.MULTILINE))  # files that the page itself makes
    for name in re.findall(r"`([\w/]+\.py)`", prose):
        assert name in written or (ROOT / name).is_file() or (ROOT / "src" / "kibitz" / name).is_file(), f"{page.name} names {name}"
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for target in re.findall(r"`make (\w+)`", prose):
        assert target in targets, f"{page.name} names make {target}"


def test_the_page_on_bots_lists_everything_a_bot_can_declare() -> None:
    text = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    rows = re.search(r"^\| declared in .*?\n\n", text, re.DOTALL | re.MULTILINE)
    assert rows
    listed = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in rows[0].strip().splitlines()[2:])))
    keywords = {name for name, p in inspect.signature(bot).parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    fields = {name for name in inspect.signature(Bot).parameters if not name.startswith("_")} - {"choose"}
    assert listed == keywords | fields


def test_the_page_on_bots_shows_no_more_than_a_reader_may_copy() -> None:
    """Every file of the page stands whole: nothing in it is left out with an ellipsis."""
    text = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        assert "…" not in block
