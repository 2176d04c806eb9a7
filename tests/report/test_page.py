"""The page of a run: all that is known stands on it, it needs nothing but itself, and nothing on it can do harm."""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import kibitz
from kibitz.core.extras import MissingExtra
from kibitz.core.printable import printable
from kibitz.experiments.comparison import compare
from kibitz.experiments.result_page import comparison_page, comparison_plots, result_page, result_plots
from kibitz.experiments.tournament.tournament_page import MOST_FAULTS, faults_table, tournament_page
from kibitz.experiments.tournament.tournament_plots import MOST_IN_HEAT_MAP, spread, tournament_plots
from kibitz.experiments.verdict import Comparison
from kibitz.report.html_page import PageSettings, inline_svg
from kibitz.report.plotting import check_plot, check_plots, span, write_plots
from tests.commands import kibitz_command
from tests.report.made_up import EIGHT, HOSTILE, teams, tournament

SETTINGS = PageSettings("kibitz tournament 'my file.toml' --seed 20261116", "0.1.0", "2026-11-16 09:12 UTC", 12)
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Reader(HTMLParser):
    """What a browser makes of a page: its elements, its text, and whether they are nested as they should be."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.styles = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.texts.append(" " if tag in ("td", "th", "dt", "dd", "p", "h1", "h2", "summary", "text") else "")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.styles += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def names(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def shown(text: str) -> str:
    return " ".join(printable(text).split())


def tournament_pages() -> dict[str, str]:
    return {
        "round robin": tournament_page(tournament(), SETTINGS),
        "hostile": tournament_page(tournament(HOSTILE, fault_count=20, swiss=True), SETTINGS),
        "large": tournament_page(tournament([f"player {place}" for place in range(60)], fault_count=500), SETTINGS),
        "teams": tournament_page(teams(), SETTINGS),
        "mixed": tournament_page(teams(mixed=True), SETTINGS),
    }


def compared(games: int | None = None) -> Comparison:
    return compare("mix2", "greedy", measure="wins", margin=None if games else 5.0, max_games=40, games=games, jit=False)


@pytest.fixture(scope="module")
def all_pages() -> dict[str, str]:
    evaluated = kibitz.evaluate(["mix2", "greedy"], games=50, seed=1, jit=False)
    evaluated.others = [kibitz.evaluate(["mix2"], games=20, players=6, jit=False)]
    return {
        **tournament_pages(),
        "evaluate": result_page(evaluated, SETTINGS),
        "contests": result_page(kibitz.match(["mix2", "greedy"], games=4, to="200", jit=False), SETTINGS),
        "compare": comparison_page(compared(), SETTINGS),
        "fixed": comparison_page(compared(games=20), SETTINGS),
        "hanabi": result_page(kibitz.evaluate("piers", game="hanabi", players=3, games=4, jit=False), SETTINGS),
    }


def test_pages_need_nothing_but_themselves(all_pages: dict[str, str]) -> None:
    for page in all_pages.values():
        read = Reader(page)
        assert not {"script", "link", "iframe", "object", "embed", "img", "base", "form", "image", "foreignobject"} & read.names()
        assert "://" not in page.replace(SETTINGS.command, "")
        assert "@import" not in page and "url(" not in read.styles
        for _, attributes in read.elements:
            assert not any(name.startswith("on") or name in ("src", "action", "srcset") for name in attributes)
            assert (attributes.get("href") or "#").startswith("#")
            assert re.findall(r"url\((?!#)", attributes.get("style") or "") == []


def test_pages_forbid_scripts(all_pages: dict[str, str]) -> None:
    for page in all_pages.values():
        policies = [a["content"] for tag, a in Reader(page).elements if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
        assert len(policies) == 1
        assert (policies[0] or "").startswith("default-src 'none';") and "script" not in (policies[0] or "")


def test_every_reference_inside_a_page_has_one_target(all_pages: dict[str, str]) -> None:
    for page in all_pages.values():
        elements = Reader(page).elements
        marks = [attributes["id"] for _, attributes in elements if "id" in attributes]
        assert len(marks) == len(set(marks))
        used = {(attributes["href"] or "").removeprefix("#") for _, attributes in elements if "href" in attributes}
        used |= set(re.findall(r"url\(#([^)]+)\)", page))
        assert used and used <= set(marks)


def test_equal_results_give_equal_pages(all_pages: dict[str, str]) -> None:
    for name, page in tournament_pages().items():
        assert page.encode() == all_pages[name].encode()


def test_a_tournament_has_all_its_parts(all_pages: dict[str, str]) -> None:
    read = Reader(all_pages["round robin"])
    for part in ("Standings", "Ratings", "Against each other", "Points over time", "Faults", "Settings"):
        assert part in read.text
    assert "UNO under the rules classic: a round robin, 8 players, tables of 2; 28 matches of 10,000 games each." in read.text
    assert "mix2 70,000 1,995,000 28.50 ± 0.04 39,900 57.00 ± 0.12 +70 +67 to +73 0 0" in _row(all_pages["round robin"], "mix2")
    assert "None: every bot answered" in read.text
    for value in ("20261116", "2026-11-16 09:12 UTC", "0.1.0", SETTINGS.command, "run 12", "1 min 15 s"):
        assert value in read.text
    drawings = [attributes for tag, attributes in read.elements if tag == "svg"]
    assert [drawing["role"] for drawing in drawings] == ["img"] * 3
    assert "mix2 70.0" in (drawings[0]["aria-label"] or "")
    assert all(player in read.text for player in EIGHT)


def _row(page: str, name: str) -> str:
    rows = [Reader(f"<table>{row}</table>").text for row in re.findall(r"<tr>.*?</tr>", page, re.S)]
    return next(row for row in rows if name in row)


def test_an_interrupted_tournament_says_so() -> None:
    result = tournament()
    result.complete = False
    text = Reader(tournament_page(result, SETTINGS)).text
    assert "Incomplete: interrupted after 280,000 games." in text
    assert "Leader" in text and "Winner" not in text


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_shown_and_do_nothing(all_pages: dict[str, str], name: str) -> None:
    read = Reader(all_pages["hostile"])
    assert shown(name) in read.text
    assert not {"script", "img"} & read.names()
    all_pages["hostile"].encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", all_pages["hostile"])


def test_faults_stand_with_position_and_the_line_to_reproduce_them(all_pages: dict[str, str]) -> None:
    result = tournament(HOSTILE, fault_count=20)
    text = Reader(all_pages["hostile"]).text
    assert "16 faults and 4 forfeits" in text
    for index, fault in result.faults:
        for part in (fault.what, shown(fault.position), fault.reproduce, f"game {index}, seat {fault.seat}, {fault.kind}"):
            assert part in text
        assert f"to see the game kibitz replay 12 {index}" in text


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, "A forfeited game counts as lost for whoever forfeited it. The last player left wins what the others hold."),
        ({"to": "500"}, "A forfeited contest counts as lost for whoever forfeited it. Their points in it count as 0."),
        ({"cooperative": True}, "A forfeited game ends there and counts 0."),
    ],
    ids=["games", "contests", "teams"],
)
def test_what_forfeited_games_count_is_said(changes: dict[str, Any], counts: str) -> None:
    result = replace(tournament(fault_count=20), **changes)
    text = Reader(f"<p>{faults_table(result, 12)}</p>").text
    assert f"4 {'contests' if 'to' in changes else 'games'} were forfeited. {counts}" in text
    early = [(index, replace(fault, seat=-1)) for index, fault in result.faults]
    text = Reader(f"<p>{faults_table(replace(result, faults=early))}</p>").text
    assert "before it began" in text and "seat -1" not in text and "kibitz replay" not in text
    assert "forfeited" not in Reader(faults_table(replace(result, faults=result.faults[:2]))).text


def test_of_many_faults_the_first_are_shown(all_pages: dict[str, str]) -> None:
    text = Reader(all_pages["large"]).text
    assert f"The first {MOST_FAULTS} of 500" in text and "400 faults and 100 forfeits" in text
    assert f"did thing {MOST_FAULTS - 1} " in text and f"did thing {MOST_FAULTS} " not in text


def test_a_large_tournament_lists_everybody_and_maps_the_first(all_pages: dict[str, str]) -> None:
    text = Reader(all_pages["large"]).text
    assert all(f"player {place}" in text for place in range(60))
    assert f"The first {MOST_IN_HEAT_MAP} of 60 players are shown." in text
    assert len(all_pages["large"]) < 1_500_000


def test_teams_have_scores_instead_of_wins(all_pages: dict[str, str]) -> None:
    text = Reader(all_pages["teams"]).text
    assert "cheater 5,000 24.870 ± 0.030 0 0" in _row(all_pages["teams"], "cheater")
    assert "won" not in _row(all_pages["teams"], "score") and "Against each other" not in text and "Together" not in text
    assert "Together" in Reader(all_pages["mixed"]).text


def test_other_runs_have_their_figures(all_pages: dict[str, str]) -> None:
    text = Reader(all_pages["evaluate"]).text
    assert "Figures with 2 players" in text and "Figures with 6 players" in text and "mix2:win_rate" in text and "greedy" in text
    row = kibitz.evaluate(["mix2", "greedy"], games=50, seed=1, jit=False)["greedy"]
    assert f"{100 * row.win_rate:.2f} ± {100 * row.win_rate_se:.2f}" in _row(all_pages["evaluate"], "greedy")
    assert "deals a contest" in Reader(all_pages["contests"]).text
    assert "points kept" in Reader(all_pages["hanabi"]).text


def test_a_comparison_has_its_verdict_and_what_it_rests_on(all_pages: dict[str, str]) -> None:
    for name, games in (("compare", None), ("fixed", 20)):
        result, text = compared(games), Reader(all_pages[name]).text
        assert result.sentence() in text and "UNO: mix2:win_rate or greedy?" in text
        assert f"{result.difference:+.2f} ± {result.standard_error:.2f} percentage points" in text
        assert ("hypotheses -5 v +5 percentage points, errors 5 % and 5 %" in text) == (games is None)
        assert [plot.name for plot in comparison_plots(result)] == ["difference"]


def test_an_interrupted_comparison_says_so(all_pages: dict[str, str]) -> None:
    result = compared(games=20)
    result.complete = False
    assert f"Incomplete: interrupted after {result.games:,} games." in Reader(comparison_page(result, SETTINGS)).text
    assert "Incomplete" not in Reader(all_pages["fixed"]).text


# -- plots --


def test_lines_of_a_plot_are_95_percent_intervals() -> None:
    assert span(10.0, 2.0) == pytest.approx((10.0 - 1.96 * 2.0, 10.0, 10.0 + 1.96 * 2.0))
    assert span(10.0, None) == (10.0, 10.0, 10.0)


def test_plots_follow_the_dress_of_the_page() -> None:
    for plot in tournament_plots(tournament()):
        drawing = inline_svg(plot)
        assert "var(--ink)" in drawing and "var(--card)" in drawing
        assert "<metadata" not in drawing and "xmlns" not in drawing


def test_the_heat_map_has_numbers_up_to_twelve_players() -> None:
    for count, wanted in ((12, True), (13, False)):
        against = next(plot for plot in tournament_plots(tournament([f"p{place}" for place in range(count)])) if plot.name == "against")
        assert ("52.9" in against.svg()) is wanted  # 20 points of rating


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_plots_are_written(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "new" / "plots"
    check_plots(folder, kind)
    assert not folder.exists()
    paths = write_plots(tournament_plots(tournament(HOSTILE)), folder, kind)
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.{kind}" for name in ("against", "points", "ratings")]
    for path in paths:
        content = path.read_bytes()
        if kind == "png":
            assert content.startswith(b"\x89PNG") and len(content) > 10_000
        else:
            assert ElementTree.fromstring(content).tag.endswith("svg")


def test_results_without_ratings_or_games_have_the_plots_they_can_have() -> None:
    assert [plot.name for plot in tournament_plots(tournament(rated=False))] == ["scores", "against", "points"]
    assert [plot.name for plot in tournament_plots(teams())] == ["scores", "points"]
    nothing = tournament(())
    assert tournament_plots(nothing) == []
    assert "Standings" in Reader(tournament_page(nothing, SETTINGS)).text
    Reader(tournament_page(tournament(["alone"]), SETTINGS))
    assert result_plots(kibitz.match(["mix2", "random"], games=1, jit=False))[0].name == "figures"


def test_labels_are_moved_apart_as_little_as_can_be() -> None:
    assert spread([0.9, 0.1], 0.1) == [0.9, 0.1]
    found = spread([0.5, 0.52, 0.9, 0.5], 0.1)
    assert found[2] == 0.9
    assert sorted(found) == pytest.approx([0.40666, 0.50666, 0.60666, 0.9], abs=1e-4)
    assert found[1] == max(found[0], found[1], found[3])


def test_without_matplotlib_the_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store.db")
    kibitz_command(capsys, "match", "mix2", "random", "--games", "2", "--no-jit", "--store", store)
    imported = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imported(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    plot = tmp_path / "plot.svg"
    for asked in (lambda: check_plots(None, "svg"), lambda: check_plot(plot), lambda: tournament_page(tournament(), SETTINGS)):
        with pytest.raises(MissingExtra, match=r"a plot needs matplotlib; .*install the extra 'report'"):
            asked()
    code, _, err = kibitz_command(capsys, "report", "1", "-o", str(tmp_path / "page.html"), "--store", store)
    assert (code, err) == (2, f"kibitz: {MissingExtra('a plot', 'matplotlib')}\n")
