"""Films: every position of a game with all cards open, from any record and back, and what one seat saw of it."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import equal
from kibitz.games.hanabi import replays
from kibitz.play.hearing import heard_of
from kibitz.play.record import Record, record_of
from kibitz.play.record_faults import FORFEITED, RecordedFault
from kibitz.table.advising import advise_at_table
from kibitz.table.film import Film, film_of_bots, film_of_live, film_of_played, film_of_text
from kibitz.table.live import LiveGame, Setup
from kibitz.table.schemas import BotsAsked
from tests.golden.hanabi_games import to_replay
from tests.table.test_live import HOUSE, finish

GAMES = [("uno", "classic", 3), ("uno", HOUSE, 4), ("uno", "modern", 2), ("hanabi", "standard", 2), ("hanabi", "standard,lives=2", 5)]


def film_between(*bots: str, stop: threading.Event | None = None, **asked: Any) -> Film:
    """A film that bots play now, whatever the schema would say of it."""
    return film_of_bots(BotsAsked.model_construct(**{"seed": 1, "bots": list(bots), **asked}), stop)


def played_by_random(game: str, rules: str, players: int) -> Any:
    return kibitz.play(["random"] * players, seed=3, game=game, rules=rules)


@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_film_has_every_position(game: str, rules: str, players: int) -> None:
    played = played_by_random(game, rules, players)
    film = film_of_text(record_of(played).to_text()).to_json()
    frames = film["frames"]
    assert len(frames) == len(played.steps) + 1
    assert film["outcome"] == played.outcome
    assert (frames[0]["seat"], frames[0]["action"], frames[0]["events"]) == (None, None, [])
    sizes = "hand_sizes" if game == "uno" else "hands"
    for position, frame in enumerate(frames):
        assert frame["position"] == position
        if position:
            before = frames[position - 1]
            assert frame["action"] in before["legal"]
            assert frame["seat"] == before["to_act"]
        if frame["to_act"] is not None:
            assert frame["view"]["seat"] == frame["view"]["current"] == frame["to_act"]
            assert frame["legal"]
        shown = frame["view"][sizes] if game == "uno" else [len(hand) for hand in frame["view"]["hands"]]
        assert [len(hand) for hand in frame["hands"]] == shown
        if game == "hanabi":
            assert all(card["card"] for hand in frame["hands"] for card in hand)
    assert (frames[-1]["to_act"], frames[-1]["legal"]) == (None, [])
    said = " ".join(line for frame in frames for line in frame["words"])
    assert "You" not in said
    assert "random (1)" in said
    assert frames[-1]["words"][-1].endswith("turns." if game == "uno" or played.status != "lost" else "on the table.")
    assert len(json.dumps(film)) < 8000 * len(frames)


def test_film_of_hanabi_tells_what_was_drawn() -> None:
    frames = film_between("piers", "iggi", seed=3).to_json()["frames"]
    told = 0
    for before, frame in pairwise(frames):
        drew = frame["view"]["deck_size"] < before["view"]["deck_size"]
        newest = frame["hands"][frame["seat"]][-1]["card"]
        assert (" Draws " in frame["words"][0]) == drew
        assert not drew or frame["words"][0].endswith(f" {newest[1]}.")
        told += drew
    assert told == frames[0]["view"]["deck_size"]


@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_film_goes_back_to_its_record(game: str, rules: str, players: int) -> None:
    record = record_of(played_by_random(game, rules, players))
    for text in (record.to_text(), json.dumps(record.to_json()), record.to_text() + "\n"):
        film = film_of_text(text)
        assert film.record == record
        assert film.to_json()["record"] == record.to_text()
        assert film.to_json()["seed"] == "3"


def test_film_of_a_record_without_its_end_finds_it() -> None:
    record = record_of(played_by_random("uno", "classic", 3))
    cut = Record.from_text(record.to_text().rpartition(";")[0])
    assert film_of_text(cut.to_text()).record == record


def test_film_of_a_forfeited_game_ends_with_what_counted() -> None:
    whole = record_of(played_by_random("uno", "classic", 3))
    won = whole.winner
    assert won is not None
    fault = RecordedFault(4, won, "time", "did not answer within 0.2 s", forfeits=True)
    film = film_of_text(replace(whole, status=FORFEITED, winner=None, points=0, faults=(fault,)).to_text())
    value = film.to_json()
    name = f"random ({won})"
    counted = f"The substitute of {name} was first out of cards, which doesn't count: nobody wins."
    assert value["ending"].startswith(f"{name} forfeited at turn ") and value["ending"].endswith(counted)
    assert value["frames"][-1]["words"][-1] == counted
    assert (value["outcome"]["status"], value["outcome"]["winner"], value["outcome"]["points"]) == ("forfeited", None, 0)
    assert value["frames"][4]["words"][0] == f"{name} did not answer within 0.2 s; it forfeits, and a substitute plays on for it."
    for frame in value["frames"]:
        assert frame["substitute"] == (frame["position"] >= 4 and frame["seat"] == won)
    assert film_of_text(value["record"]).record == film.record
    assert "wins" not in json.dumps(value["frames"]).replace("nobody wins", "")
    live = LiveGame(Setup.of_written(value["record"], 2, ["random"] * 3))  # another game from there has no faults
    finish(live)
    again = film_of_live(live).record
    assert again is not None and (again.faults, again.status) == ((), "won")


def test_film_of_a_game_that_a_forfeit_ended() -> None:
    whole = record_of(played_by_random("hanabi", "standard", 2))
    fault = RecordedFault(4, 1, "crash", "ended with exit code 3", forfeits=True)
    value = film_of_text(replace(whole, actions=whole.actions[:3], status=FORFEITED, points=0, faults=(fault,)).to_text()).to_json()
    assert value["ending"].startswith("random (1) forfeited at turn 4: it ended with exit code 3. The game ends there and counts 0;")
    assert value["frames"][-1]["words"][-2:] == ["random (1) ended with exit code 3; it forfeits.", value["ending"].partition("3. ")[2]]
    assert (value["outcome"]["status"], value["outcome"]["score"]) == ("forfeited", 0)


def test_hanab_live_goes_in_and_out() -> None:
    played = played_by_random("hanabi", "standard", 3)
    deck = played.opening.state.deck_order[:50]
    live = replays.to_live(["Ann", "Bob", "Cay"], kibitz.Game(3, game="hanabi").rules, deck, played.actions)
    film = film_of_text(json.dumps(live))
    shown = film.to_json()
    assert film.names == ("Ann", "Bob", "Cay")
    assert (shown["record"], shown["seed"]) == (None, None)
    assert shown["live"] == live
    assert len(shown["frames"]) == len(played.steps) + 1
    form = json.dumps(to_replay(3, film.rules, deck, played.actions, played.outcome["score"]))
    assert film_of_text(form).actions == film.actions


def test_bots_play_a_film_and_explain_themselves() -> None:
    film = film_between("champion", "random", seed=4)
    played = kibitz.play(["champion", "random"], seed=4, seating="fixed")
    assert list(film.actions) == played.actions
    frames = film.to_json()["frames"]
    explained = [frame for frame in frames if frame["explanation"] and frame["to_act"] == 0]
    ruled = [frame["explanation"] for frame in frames if frame["explanation"] and frame["to_act"] == 1]
    assert explained and ruled
    assert all(said["rule"] == 1 and said["words"].endswith(", a random one of the cards that fit") for said in ruled)
    for frame in explained:
        assert frame["explanation"]["seat"] == frame["to_act"] == 0
        assert frame["explanation"]["name"] == frames[frame["position"] + 1]["action"]
        assert {row["name"] for row in frame["explanation"]["rows"]} <= set(frame["legal"])
    weighed = [frame["explanation"] for frame in explained if frame["explanation"]["rows"]]
    unsaid = [said for said in weighed if not said["note"]]
    assert 0 < len(unsaid) < len(weighed), "some choices have the best number, and of the others a note says why not"
    for said in unsaid:
        shown = {row["name"]: f"{100 * row['value']:.1f}" for row in said["rows"]}
        assert shown[said["name"]] == shown[said["rows"][0]["name"]]


def test_the_game_of_a_film_follows_from_its_bots() -> None:
    assert [film_between(*bots).game for bots in (["iggi", "random"], ["random", "random"])] == ["hanabi", "uno"]
    assert film_between("random", "random", game="hanabi").game == "hanabi"


def test_a_film_has_what_a_network_preferred() -> None:
    frames = film_between("net", "random", seed=4).to_json()["frames"]
    said = [frame["explanation"] for frame in frames if frame["explanation"] and frame["explanation"]["rows"]]
    assert said and {each["unit"] for each in said} == {"preference"}
    assert all(0 < each["win_chance"] < 1 and each["rows"][0]["name"] == each["name"] for each in said)


def test_deals_of_a_contest_are_films() -> None:
    contest = kibitz.play_contest(["mix2", "random"], to="150", seed=2, seating="fixed")
    last = len(contest.deals) - 1
    for deal in (0, last):
        film = film_between("mix2", "random", seed=2, to="150", deal=deal)
        assert list(film.actions) == contest.deals[deal].actions
        assert (film.deal, film.is_last) == (deal, deal == last)
    with pytest.raises(BadValue, match="over before it"):
        film_between("mix2", "random", seed=2, to="150", deal=last + 1)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"bots": ["mix2", "evil.py"]}, "not accepted here"),
        ({"bots": ["mix2", "rollout:milliseconds=9000"]}, "not accepted here"),
        ({"bots": ["mix2"]}, "2 to 10"),
        ({"bots": ["mix2"] * 2, "rules": "some.toml"}, "preset and switches"),
        ({"bots": ["mix2"] * 2, "deal": 1}, "cannot be watched"),
        ({"bots": ["mix2"] * 2, "to": "10001"}, "at most 10000 points"),
        ({"bots": ["mix2"] * 2, "index": -1}, "out of range"),
        ({"bots": ["mix2"] * 2, "seed": -1}, "out of range"),
        ({"bots": ["meanimax"] * 3, "game": "hanabi"}, "among 2 players"),
        ({"bots": ["mix2"] * 2, "game": "chess"}, "unknown game"),
    ],
)
def test_what_visitors_may_not_watch(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(KibitzError, match=why):
        film_between(**asked)


def test_a_film_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(BadValue, match="more than 60 s"):
        film_between("random", "random", stop=stop)
    monkeypatch.setattr("kibitz.table.film.MOST_SECONDS", 0.0)
    with pytest.raises(BadValue, match="more than 0 s"):
        film_between("random", "random")


def test_nobody_waits_for_what_a_seat_has_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game is played through again for advice: not while its lock is held."""
    live = LiveGame(Setup("hanabi", "standard", (None, "piers"), 3))
    free = []

    def look(*args: Any) -> Any:
        def try_lock() -> None:
            free.append(live.lock.acquire(blocking=False))
            if free[-1]:
                live.lock.release()

        other = threading.Thread(target=try_lock)
        other.start()
        other.join()
        return heard_of(*args)

    monkeypatch.setattr("kibitz.table.live.heard_of", look)
    finish(live, steps=0)
    assert next(iter(advise_at_table(live, live.to_act, [], threading.Event())))["rows"]
    assert free == [True]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("nonsense", "not JSON"),
        ("uno/1;classic;seed=1;deal=0;seats=a|b;actions=draw.draw.draw.draw.draw.keep.keep.keep", "is not legal"),
        ("uno/9;classic;seed=1;deal=0;seats=a|b;actions=", "version"),
        ("uno/1;/etc/rules.toml;seed=1;deal=0;seats=a|b;actions=", "are a file"),
        ("uno/1;classic;seed=1;deal=0;seats=a|b;actions=\nuno/1;classic;seed=2;deal=0;seats=a|b;actions=", "2 games"),
    ],
)
def test_text_that_is_no_game_is_refused(text: str, why: str) -> None:
    with pytest.raises(KibitzError, match=why):
        film_of_text(text)


def test_too_long_a_film_is_refused() -> None:
    film = film_between("random", "random")
    with pytest.raises(BadValue, match="at most 1500"):
        Film(film.game, film.rules, film.names, film.opening, film.actions * 500)


@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_seat_heard_of_a_film_what_it_heard_at_the_table(game: str, rules: str, players: int) -> None:
    live = LiveGame(Setup(game, rules, ("random",) * players, 3))
    finish(live, steps=9)
    heard = live.recall(1)()
    present = live.view(1)
    finish(live)
    film = film_of_live(live)
    again = film.heard(1, 9)
    assert len(again) == len(heard)
    for (ours, event), (theirs, other) in zip(again, heard, strict=True):
        assert equal(ours, theirs)
        assert repr(event) == repr(other)
    assert equal(again[-1][0], present)
    assert present.random_stream not in live._state.seat_streams[:players]  # it leads nowhere
    for position in (-1, film.length + 1):
        with pytest.raises(BadValue, match="does not exist"):
            film.heard(1, position)
    with pytest.raises(BadValue, match="does not exist"):
        film.heard(players, 3)


def test_film_of_a_table_waits_for_the_end_and_keeps_the_seed_longer() -> None:
    live = LiveGame(Setup("uno", HOUSE, (None, "mix2", "random"), 918273645, "150"), names=["Ann", "mix2", "random"])
    rng = random.Random(3)
    with pytest.raises(BadValue, match="not over"):
        film_of_live(live)
    finish(live, rng)
    first = film_of_live(live)
    assert not live.is_finished
    assert first.record is None
    assert "918273645" not in json.dumps(first.to_json())
    assert first.names == ("Ann", "mix2", "random")
    while not live.is_finished:
        live.next_deal()
        with pytest.raises(BadValue, match="not over"):
            film_of_live(live)
        finish(live, rng)
    again = film_of_live(live, 0)
    assert again.actions == first.actions
    assert again.record is not None
    assert film_of_text(again.record.to_text()).actions == first.actions
    assert film_of_live(live).is_last
    assert not again.is_last


def test_film_of_a_played_game_is_that_of_its_record() -> None:
    played = played_by_random("uno", HOUSE, 3)
    assert replace(film_of_played(played), explanations=None).to_json() == film_of_text(record_of(played).to_text()).to_json()
