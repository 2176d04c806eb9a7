"""The commands with --game hanabi: figures both ways, JSON, and one clear sentence for every mistake."""

from __future__ import annotations

import json
import math

import pytest

import kibitz
from kibitz import registry
from kibitz.stats.summary import CooperativeRow
from tests.commands import kibitz_command

KEYS = {"bot", "games", "score", "score_se", "score_kept", "score_kept_se", "perfect", "lost", "turns", "histogram"}


def test_evaluate_reports_the_score_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(
        capsys, "evaluate", "iggi", "random", "--game", "hanabi", "--players", "3", "--games", "300", "--json", "-"
    )
    assert code == 0
    value = json.loads(out)
    assert (value["game"], value["players"], value["against"], value["rules"]) == ("hanabi", 3, None, "standard")
    iggi, random = value["rows"]
    assert set(iggi) == KEYS
    assert sum(iggi["histogram"]) == 300 and len(iggi["histogram"]) == 26
    assert iggi["score"] > 15 and iggi["lost"] == 0
    assert random["lost"] > 0.9 and random["score"] < random["score_kept"]


def test_figures_are_those_of_the_games() -> None:
    played = [kibitz.play(["piers"] * 4, game="hanabi", seed=5, index=index).outcome for index in range(40)]
    row = kibitz.evaluate("piers", game="hanabi", players=4, games=40, seed=5).rows[0]
    scores = [outcome["score"] for outcome in played]
    assert row.score == sum(scores) / 40
    mean = sum(scores) / 40
    assert row.score_se == pytest.approx(math.sqrt(sum((score - mean) ** 2 for score in scores) / 39 / 40))
    assert row.score_kept == sum(outcome["points"] for outcome in played) / 40
    assert row.turns == sum(outcome["turns"] for outcome in played) / 40
    assert row.lost == sum(outcome["status"] == "lost" for outcome in played) / 40


def test_lost_games_count_nothing_or_what_was_kept() -> None:
    row = CooperativeRow("bot", 4, kept=(0, 1, 1, 2), lost_with=(0, 0, 1, 0), perfect_games=2, turns_total=40)
    assert (row.score, row.score_kept, row.perfect, row.lost, row.turns) == (7 / 4, 9 / 4, 0.5, 0.25, 10)
    assert row.histogram == [1, 1, 0, 2]


@pytest.mark.parametrize("bot", [*(name for name in registry.quick_names("hanabi") if ":" not in name), "cheater"])
def test_results_do_not_depend_on_threads_or_compilation(bot: str) -> None:
    rows = [kibitz.evaluate(bot, game="hanabi", players=3, games=60, threads=threads).rows for threads in (1, 2, 3)]
    assert rows[0] == rows[1] == rows[2]
    assert kibitz.evaluate(bot, game="hanabi", players=3, games=60, jit=False).rows == rows[0]


def test_a_line_up_of_one_name_is_that_bot_in_every_seat(capsys: pytest.CaptureFixture[str]) -> None:
    one = kibitz.match(["iggi"], game="hanabi", players=4, games=50)
    assert one.players == 4 and len(one.rows) == 1
    assert one.rows == kibitz.match(["iggi"] * 4, game="hanabi", games=50).rows
    code, out, _ = kibitz_command(capsys, "match", "iggi", "piers", "--game", "hanabi", "--games", "50", "--json", "-")
    assert code == 0
    assert [row["bot"] for row in json.loads(out)["rows"]] == ["iggi + piers"]


class Discarder:
    """Discards its oldest card, or tells anything."""

    def choose(self, view: kibitz.Game) -> int:
        legal: int = view.legal_moves  # type: ignore[attr-defined]  # a view of Hanabi
        return 0 if legal & 1 else legal.bit_length() - 1


def test_python_bots_play_along() -> None:
    mixed = kibitz.match(["iggi", Discarder, "iggi"], game="hanabi", games=30, seed=3)
    plain = kibitz.match(["iggi", Discarder, "iggi"], game="hanabi", games=30, seed=3, jit=False)
    assert mixed.rows == plain.rows
    assert mixed.rows[0].score > 0


def test_watch_tells_every_move(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "watch", "iggi", "--game", "hanabi", "--players", "3", "--seed", "4")
    assert code == 0
    played = kibitz.play(["iggi"] * 3, game="hanabi", seed=4)
    assert out.count("plays ") + out.count("discards ") + out.count("tells seat") == len(played.actions) == played.turns
    assert f"{played.points} points on the table after {played.turns} turns" in out


def test_bots_and_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = kibitz_command(capsys, "bots", "--game", "hanabi", "--json", "-")
    assert [bot["name"] for bot in json.loads(out)] == list(registry.BUILT_IN["hanabi"])
    _, out, _ = kibitz_command(capsys, "rules", "--game", "hanabi")
    assert "autohanabi" in out and "discard_when_full" in out
    _, out, _ = kibitz_command(capsys, "rules", "autohanabi,lives=1", "--game", "hanabi", "--json", "-")
    value = json.loads(out)
    assert value["switches"]["lives"] == "1" and any("4 cards" in line for line in value["text"])


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "iggi", "--games", "5"],
        ["match", "iggi", "random", "--games", "5"],
        ["match", "examples/hanabi_bot.py", "--games", "5"],
        ["compare", "iggi", "piers", "--games", "5"],
        ["watch", "iggi", "outer"],
        ["tune", "meanimax", "--fix", "depth=1", "--trials", "1", "--games", "10", "--confirm", "10"],
    ],
    ids=" ".join,
)
def test_without_a_game_it_follows_from_the_bots(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    found = [json.loads(kibitz_command(capsys, *words, *more, "--json", "-")[1]) for more in ([], ["--game", "hanabi"])]
    for each in found:
        each.pop("seconds", None), each.pop("games_per_second", None)
    assert found[0] == found[1]
    assert found[0]["game"] == "hanabi"


def test_a_bot_of_hanabi_is_described_without_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert kibitz_command(capsys, "bots", "iggi")[:2] == kibitz_command(capsys, "bots", "iggi", "--game", "hanabi")[:2]


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("discard:0", "action discard:0 is not legal: nothing may be discarded while all 8 tokens are there."),
        ("hint:1:red", "action hint:1:red is not legal: seat 1 has no red card, and a hint must touch a card."),
        (20, "action 20 is not legal: moves are numbered 0 to 19."),
        ("hint:0:red", "a hint to oneself"),
        ("play:7", "slot 7 does not exist"),
    ],
)
def test_an_illegal_move_says_why(action: int | str, sentence: str) -> None:
    game = kibitz.Game(game="hanabi", players=2, seed=1)
    before = game.to_text()
    with pytest.raises(kibitz.KibitzError) as refused:
        game.apply(action)
    assert sentence in str(refused.value)
    assert game.to_text() == before
