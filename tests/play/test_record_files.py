"""Files of recorded games: every form is recognised, and what cannot be read is named with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.games.hanabi import replays
from kibitz.games.hanabi.rules import parse_rules
from kibitz.play.record import Record, record_of
from kibitz.play.record_files import read_games, replay_steps, replay_written
from tests.golden.hanabi_games import LIVE, REPLAYS


def records(game: str = "uno", count: int = 3) -> list[Record]:
    return [record_of(kibitz.play(["random", "random"], seed=8, index=index, game=game)) for index in range(count)]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "games"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_every_form_is_recognised(game: str, tmp_path: Path) -> None:
    known = records(game)
    objects = [record.to_json() for record in known]
    lines, values = [record.to_text() for record in known], [json.dumps(value) for value in objects]
    for text in (
        "\n".join(lines),
        "\n\n" + "\r\n".join(lines) + "\n\n",
        "\n".join(values),
        json.dumps(objects),
        json.dumps(objects, indent=2),
        "\n".join([lines[0], values[1], lines[2]]),
        "\n".join([values[0], lines[1], values[2]]),
    ):
        assert list(read_games(written(tmp_path, text))) == known
    for text in (lines[0], values[0], json.dumps(objects[0], indent=2)):
        assert list(read_games(written(tmp_path, text))) == known[:1]


def test_older_forms_of_hanabi_are_read_as_before() -> None:
    for path in (LIVE, REPLAYS):
        games: list[object] = list(read_games(path))
        for game in games:
            assert isinstance(game, replays.WrittenGame)
            ours, theirs = replay_written(game), replays.replay(game)
            assert (ours.outcome["score"], ours.outcome["points"], ours.actions) == (theirs.score, theirs.kept, len(theirs.moves))
            assert (ours.agrees, ours.seats) == (theirs.agrees, game.players)
            played = replay_steps(game)
            assert (played.actions, played.outcome) == (theirs.moves, ours.outcome)
            assert all(len(step.events) == 1 for step in played.steps)


def test_both_forms_of_a_game_of_hanabi_replay_alike(tmp_path: Path) -> None:
    played = kibitz.play(["iggi", "piers"], seed=2, game="hanabi")
    start = played.opening.state
    live = replays.to_live(played.seats, parse_rules(played.rules), start.deck_order[: start.deck_total], played.actions)
    (old,) = read_games(written(tmp_path, json.dumps(live)))
    (new,) = read_games(written(tmp_path, record_of(played).to_text()))
    assert (old.game, new.game) == ("hanabi", "hanabi")
    assert replay_steps(old).outcome == replay_steps(new).outcome == played.outcome
    assert [step.hands for step in replay_steps(old).steps] == [step.hands for step in replay_steps(new).steps]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines, "nonsense"], "games, line 4 is not JSON: Expecting value at line 1, column 1."),
        (
            lambda lines: [lines[0], "", lines[1].replace("seed=8", "seed=x")],
            "games, line 3: seed must be a whole number, 0 or more, got x",
        ),
        (lambda lines: [lines[0], "{}"], "games, line 2: deck is missing."),
        (lambda lines: [lines[0], '{"game": "uno"}'], "games, line 2: rules is missing."),
        (lambda lines: [lines[0], records("hanabi")[0].to_text()], "games, line 2 is a game of hanabi, but the file began with uno"),
        (lambda lines: [lines[0], "uno/9;classic;seed=1"], "games, line 2: the record is of version 9 of uno"),
        (lambda lines: [json.dumps([1, 2])], "games, game 1: a game is a JSON object"),
        (lambda lines: ["[" * 100_000], "cannot be read: it is nested too deeply."),
        (lambda lines: [""], "has no games."),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, change: object, message: str) -> None:
    assert callable(change)
    lines = change([record.to_text() for record in records()])
    with pytest.raises(BadValue) as caught:
        list(read_games(written(tmp_path, "\n".join(lines))))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"record .*nowhere does not exist\."):
        list(read_games(tmp_path / "nowhere"))
    (tmp_path / "bytes").write_bytes(b"uno/1\xff")
    with pytest.raises(BadValue, match=r"record .*bytes is not text: byte 5 is not UTF-8\."):
        list(read_games(tmp_path / "bytes"))
