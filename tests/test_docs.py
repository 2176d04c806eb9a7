"""The documentation is true: its code runs, its tables and outputs are current, what it names exists."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from kibitz.bots.bot import Bot, bot
from kibitz.cli.main import app
from kibitz.cli.main import run as run_command
from kibitz.core.errors import KibitzError
from kibitz.games.hanabi.names import move_from_name, move_name, moves_of
from kibitz.games.hanabi.rules import PRESETS as HANABI_PRESETS
from kibitz.games.hanabi.state import new_state
from kibitz.games.uno.rules import PRESETS, SWITCHES, parse_rules
from kibitz.games.uno.view import PHASE_NAMES, WINDOWS
from tests.scripts import script

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
RULES_PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", RULES_PAGE, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    return script("docs/generate.py")


class Refreshed(NamedTuple):
    """A page as it should stand, and the exit codes of its commands."""

    text: str
    codes: dict[str, int]


@pytest.fixture(scope="module")
def refreshed(generate: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Refreshed]:
    """Runs everything on a page, once however many tests ask for it."""

    @cache
    def refresh(page: Path) -> Refreshed:
        codes: dict[str, int] = {}

        def run(words: list[str]) -> None:
            with pytest.raises(SystemExit) as end:
                run_command(words)
            codes[" ".join(words)] = int(end.value.code or 0)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(generate, "run_command", run)
            return Refreshed(generate.refreshed(page.read_text(encoding="utf-8"), tmp_path_factory.mktemp(page.stem) / "run"), codes)

    return refresh


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_and_outputs_are_what_generate_makes_of_them(page: Path, refreshed: Callable[[Path], Refreshed]) -> None:
    assert page.read_text(encoding="utf-8") == refreshed(page).text, "run `python docs/generate.py`"


def test_every_table_of_the_generator_is_used(generate: ModuleType) -> None:
    used = {name for page in PAGES for name in re.findall(r"<!-- table: (.+?) -->", page.read_text(encoding="utf-8"))}
    assert used == set(generate.TABLES)


@pytest.mark.parametrize("name", ["linear", "candidates", "view", "events"])
def test_every_feature_can_be_printed_with_its_place(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    tool = script("tools/features.py")
    assert tool.main([name]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == f"{name}:"
    groups, ranges = tool.LISTS[name]
    for line, group in zip(lines, groups, strict=True):
        first, length = ranges[group.name]
        assert re.match(rf" *{first}(–{first + length - 1})?  {re.escape(group.name)}: ", line)
        assert all(member in line for axis in group.axes for member in axis)


def test_the_generator_notices_a_false_output(generate: ModuleType, tmp_path: Path) -> None:
    page = "```console\n$ kibitz rules nonsense\nall is well\n```"
    shown = generate.refreshed(page, tmp_path / "run")
    known = ", ".join(sorted(PRESETS))
    assert shown == f"```console\n$ kibitz rules nonsense\nkibitz: unknown rules 'nonsense'; known: {known}.\n```"


def test_the_generator_notices_a_false_answer(generate: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="Expected"):
        generate.refreshed("```pycon\n>>> 1 + 1\n3\n```", tmp_path / "run")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.is_file(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {heading.lower().replace(" ", "-").replace("`", "") for heading in headings}
            assert anchor in anchors, f"{page.name} links to #{anchor}"


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


def examples_in(text: str) -> str:
    return "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))


def test_every_switch_has_an_entry_and_no_other() -> None:
    assert list(ENTRIES) == list(SWITCHES)


@pytest.mark.parametrize("switch", SWITCHES)
def test_an_entry_explains_every_value_when_it_matters_and_shows_it_at_work(switch: str) -> None:
    entry, values = ENTRIES[switch], list(SWITCHES[switch].values)
    assert re.findall(r"^- `(\w+)`: \S.*[.,;]?", entry, re.MULTILINE) == values
    assert "matter" in entry, "it says when the switch matters"
    example = examples_in(entry)
    assert ">>> " in example
    for value in values:
        assert f"{switch}={value}" in example or f'"{value}"' in example, f"{switch}={value} is not shown"


def test_an_example_of_a_number_shows_two_values() -> None:
    for switch in (name for name, known in SWITCHES.items() if known.high):
        numbers = set(re.findall(rf"{switch}=(\d+)", examples_in(ENTRIES[switch])))
        assert len(numbers) > 1, switch


@pytest.mark.parametrize("window", WINDOWS)
def test_every_window_is_shown_with_its_default(window: str) -> None:
    shown = re.findall(r"^(?:.* → )?seat \d, (\w+): (.+)$", examples_in(RULES_PAGE), re.MULTILINE)
    assert {phase for phase, _ in shown} <= set(PHASE_NAMES)
    answers = [answer for phase, answer in shown if phase == window]
    assert answers
    assert all(answer.count("*") == 1 for answer in answers)


def test_every_preset_is_described() -> None:
    assert re.findall(r"^- \*\*(\w+)\*\* ", RULES_PAGE.partition("## Switches")[0], re.MULTILINE) == list(PRESETS)


def test_what_the_page_says_is_refused_is_refused() -> None:
    refused = re.findall(r"^\$ kibitz rules (\S+)$", RULES_PAGE.partition("## What is refused")[2], re.MULTILINE)
    assert len(refused) == 5
    for rules in refused:
        with pytest.raises(KibitzError):
            parse_rules(rules)


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


HANABI_PAGE = (ROOT / "docs" / "hanabi.md").read_text(encoding="utf-8")


def rows_of(name: str) -> list[list[str]]:
    """The cells of a table of the page on Hanabi, its heading left out."""
    found = re.search(rf"<!-- table: {name} -->\n(.*?)\n<!-- end -->", HANABI_PAGE, re.DOTALL)
    assert found
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_page_on_hanabi_has_every_move_number_once(players: int) -> None:
    table = new_state(HANABI_PRESETS["standard"], players)
    *rows, last = rows_of("Hanabi moves")
    rows = [row for row in rows if row[players]]
    ranges = [range(int(first), int(end) + 1) for first, end in (row[players].split("–") for row in rows)]
    assert [move for numbers in ranges for move in numbers] == list(range(moves_of(table)))
    for row, numbers in zip(rows, ranges, strict=True):
        name = row[1].split("`")[1]
        assert (move_name(table, numbers[0]), move_from_name(table, name)) == (name, numbers[0])
    assert int(last[players]) == moves_of(table) == {2: 20, 3: 30, 4: 38, 5: 48}[players]


def test_the_page_on_hanabi_has_observations_whose_parts_add_up() -> None:
    *parts, total = rows_of("Hanabi observation")
    sizes = [sum(int(part[column]) for part in parts) for column in range(2, 6)]
    assert sizes == [int(cell) for cell in total[2:]] == [658, 956, 1041, 1280]


def test_the_page_on_hanabi_describes_every_preset() -> None:
    for preset in HANABI_PRESETS:
        assert f"`{preset}` is" in HANABI_PAGE


HANDOUTS = [ROOT / "docs" / f"for-{reader}.md" for reader in ("students", "teachers")]


@pytest.mark.parametrize("page", HANDOUTS, ids=lambda page: page.stem)
def test_everything_on_a_page_to_hand_out_is_run(page: Path) -> None:
    """`generate` runs console blocks and writes the files that others begin with; commands in the text exist."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert {language for language, _ in blocks} <= {"python", "text", "console"}
    for language, block in blocks:
        first = block.partition("\n")[0]
        assert re.fullmatch(r"\$ kibitz .+" if language == "console" else r"# \w+\.(py|txt)", first), first
    known = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert {line.split()[0] for line in re.findall(r"`kibitz ([^`]+)`", text)} <= known


@pytest.mark.parametrize("page", HANDOUTS, ids=lambda page: page.stem)
def test_every_command_on_a_page_to_hand_out_does_what_it_says(page: Path, refreshed: Callable[[Path], Refreshed]) -> None:
    """Each ends well, but for the check of the file with a mistake."""
    codes = refreshed(page).codes
    assert {words: code for words, code in codes.items() if code} == ({"check-bot bob.py": 1} if page.stem == "for-teachers" else {})
    assert len(codes) >= 3


def test_the_page_for_students_fits_on_a_sheet_of_paper() -> None:
    """At 95 characters a line of text, which is 10 points on A4, there is room for 80 lines with small print for code."""
    text = HANDOUTS[0].read_text(encoding="utf-8")
    code = sum(block.count("\n") for block in re.findall(r"^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\n|\n(?=- )", prose) if paragraph.strip()]
    assert sum(1 + len(line) // 95 for line in lines) + 0.7 * code <= 55


def test_both_pages_to_hand_out_are_linked() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "tournaments.md"):
        text = page.read_text(encoding="utf-8")
        assert all(f"{handout.name})" in text for handout in HANDOUTS)
