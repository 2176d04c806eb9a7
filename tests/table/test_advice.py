"""Advice at a table: every legal action, ever more exactly, from what one seat has heard and from nothing else."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.games.face import Budget
from kibitz.play.hearing import heard_now
from kibitz.play.record import Record, record_of
from kibitz.table.advising import advise
from tests.search.hanabi.games import random_games, with_other_hidden_cards
from tests.search.uno.positions import decisions
from tests.search.uno.positions import with_other_hidden_cards as with_other_hands
from tests.table.recorded import heard_in, recorded

SMALL = {"uno": Budget(600, 2_400, 0.0), "hanabi": Budget(400, 1_600, 0.0)}
TABLES = [("uno", ("mix2", "greedy", "random"), "official"), ("hanabi", ("piers", "iggi"), "standard")]


def choice(record: Record, first: int = 0) -> int:
    """A position with three choices at least."""
    game = registry.game(record.game)
    for position in range(first, len(record.actions)):
        if len(game.legal_actions(heard_in(record, position)[-1][0])) > 2:
            return position
    raise AssertionError("there is always one")


def legal_names(game: str, view: Any) -> list[str]:
    definition = registry.game(game)
    return [definition.action_name(view, action) for action in definition.legal_actions(view)]


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_every_message_has_every_legal_action_and_the_last_is_final(game: str, bots: Sequence[str], rules: str) -> None:
    record = recorded(game, bots, rules)
    position = choice(record, 8)
    heard = heard_in(record, position)
    messages = list(advise(game, heard, [bots[0]], position=position, budget=SMALL[game]))
    assert [message["final"] for message in messages] == [False] * (len(messages) - 1) + [True]
    assert [message["worlds"] for message in messages] == sorted(message["worlds"] for message in messages)
    assert messages[0]["worlds"] < messages[-1]["worlds"]
    assert messages[0]["bots"] == [] and [said["bot"] for said in messages[-1]["bots"]] == [bots[0]]
    view = heard[-1][0]
    assumed = "Everybody is expected to play on by the convention of smart. Somebody has left the convention, so the numbers mean less."
    for message in messages:
        assert (message["position"], message["seat"]) == (position, view.seat)
        assert message["unit"] == ("chance to win" if game == "uno" else "expected score")
        rows = message["rows"]
        assert sorted(row["action"] for row in rows) == sorted(legal_names(game, view))
        assert [row["value"] for row in rows[1:]] == sorted((row["value"] for row in rows[1:]), reverse=True)
        assert [row["best"] for row in rows] == [True, *[False] * (len(rows) - 1)]
        ahead = rows[1]["value"] > rows[0]["value"]
        assert not ahead or (game == "hanabi" and message["remarks"][1].startswith(f"{rows[1]['text']} leads by "))
        assert message["convention"] == ("smart" if game == "hanabi" else "")
        assert message["remarks"][:1] == ([assumed] if game == "hanabi" else [])
        assert all(row["error"] >= 0 and row["visits"] > 0 and row["text"] for row in rows)
    assert json.loads(json.dumps(messages, allow_nan=False)) == messages


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_a_bot_that_would_choose_another_action_than_the_best_has_a_note(game: str, bots: Sequence[str], rules: str) -> None:
    record = recorded(game, bots, rules)
    notes: set[str] = set()
    for position in range(len(record.actions)):
        heard = heard_in(record, position)
        if len(registry.game(game).legal_actions(heard[-1][0])) < 3:
            continue
        *_, last = advise(game, heard, ["random"], budget=SMALL[game])
        (said,) = last["bots"]
        best = max(last["rows"], key=lambda row: row["value"])
        chosen = next(row for row in last["rows"] if row["action"] == said["action"])
        shown = [f"{100 * row['value']:.1f}" if game == "uno" else f"{row['value']:.2f}" for row in (best, chosen)]
        if shown[0] == shown[1] or chosen["best"]:
            continue
        leaders = [row["text"] for row in last["rows"] if row["value"] == best["value"]]
        assert said["note"].startswith(tuple(f"The trials put {leader} ahead by " for leader in leaders))
        notes.add(said["note"].partition(" ± ")[2].lstrip(".0123456789"))
    unit = " %" if game == "uno" else ""
    assert notes == {f"{unit}, which is within the error.", f"{unit}; random goes by its own judgement."}


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_the_same_question_has_the_same_answer(game: str, bots: Sequence[str], rules: str) -> None:
    record = recorded(game, bots, rules)
    position = choice(record, 10)
    first, second = (list(advise(game, heard_in(record, position), bots, budget=SMALL[game])) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_it_ends_once_errors_are_small(game: str, bots: Sequence[str], rules: str) -> None:
    heard = heard_in(recorded(game, bots, rules), 0)
    limit = 0.03 if game == "uno" else 0.4
    *_, last = advise(game, heard, budget=Budget(SMALL[game].first, 10**9, limit))
    assert last["final"] and max(row["error"] for row in last["rows"]) <= limit


def test_a_stop_ends_it_between_batches() -> None:
    record = recorded("hanabi", ["piers", "piers"], "standard")
    stop = threading.Event()
    messages = advise("hanabi", heard_in(record, 0), ["iggi", "outer"], stop, budget=Budget(60, 10**12, 0.0))
    assert not next(messages)["final"]
    stop.set()
    assert list(messages) == []
    assert list(advise("hanabi", heard_in(record, 0), [], stop)) == []


# -- nothing hidden --


def test_tables_that_look_alike_to_a_hanabi_player_get_the_same_advice() -> None:
    random, game, met = Random(2), registry.game("hanabi"), 0
    for place, state in enumerate(random_games("standard", 3, 5)):
        if place == 80:
            break
        if place % 16 == 4:
            twin = with_other_hidden_cards(state, random)
            met += twin.hands != state.hands
            told = [
                list(advise("hanabi", heard_now(game, table, state.current), ["random", "piers"], budget=SMALL["hanabi"]))
                for table in (copy_record(state), twin)
            ]
            assert told[0] == told[1]
    assert met >= 3


def test_tables_that_look_alike_to_an_uno_player_get_the_same_advice() -> None:
    random, game = Random(2), registry.game("uno")
    for state, _ in decisions("classic", 3, 9, 6):
        if state.pile_size == 0:
            continue
        twin = with_other_hands(state, random)
        twin.seat_streams = [random.getrandbits(64) for _ in twin.seat_streams]
        assert twin.hands0 != state.hands0
        state.event_count = twin.event_count = 0
        told = [
            list(advise("uno", heard_now(game, table, state.current), ["random", "champion"], budget=SMALL["uno"]))
            for table in (state, twin)
        ]
        assert told[0] == told[1]


def test_what_is_heard_has_no_way_back_to_the_deal() -> None:
    record = recorded("uno", ["mix2", "greedy"], "classic")
    heard = heard_in(record, 12)
    assert {view.random_stream for view, _ in heard} == {0}
    assert not any(hasattr(view, "deal_stream") or hasattr(view, "hands0") for view, _ in heard)


# -- what bots say --


def test_bots_say_what_they_would_do_and_why() -> None:
    record = recorded("uno", ["mix2", "greedy"], "classic")
    position = choice(record, 6)
    *_, last = advise("uno", heard_in(record, position), ["champion", "mix2", "random"], budget=SMALL["uno"])
    view = heard_in(record, position)[-1][0]
    champion, mix2, chance = last["bots"]
    assert {said["action"] for said in last["bots"]} <= set(legal_names("uno", view))
    assert champion["why"].startswith("Wins ") and " tries" in champion["why"]
    assert re.fullmatch(r"Rule \d: (plays .+|keeps .+|doesn't play: .+)\.", mix2["why"])
    assert re.fullmatch(r"Rule 1: plays .+, a random one of the cards that fit\.", chance["why"])


def test_a_network_tells_what_it_prefers() -> None:
    record = recorded("uno", ["mix2", "greedy"], "classic")
    position = choice(record, 6)
    heard = heard_in(record, position)
    *_, last = advise("uno", heard, ["net", "champion", "mix2"], budget=SMALL["uno"])
    net, champion, mix2 = last["bots"]
    assert net["unit"] == "preference" and 0 < net["win_chance"] < 1
    assert net["why"].startswith("Prefers this with ") and "It gives itself a " in net["why"]
    assert sorted(row["action"] for row in net["rows"]) == sorted(legal_names("uno", heard[-1][0]))
    values = [row["value"] for row in net["rows"]]
    assert values == sorted(values, reverse=True) and sum(values) == pytest.approx(1.0)
    assert net["rows"][0]["action"] == net["action"] and net["rows"][0]["text"] == net["text"]
    assert champion["unit"] == "chance to win" and champion["win_chance"] is None
    assert champion["action"] in [row["action"] for row in champion["rows"]]
    assert (mix2["unit"], mix2["rows"], mix2["win_chance"]) == ("", [], None)


def test_a_network_has_no_opinion_in_windows_of_house_rules() -> None:
    game = registry.game("uno")
    for seed in range(40):
        record = recorded("uno", ["random"] * 3, "official", seed)
        for position in range(len(record.actions)):
            view = heard_in(record, position)[-1][0]
            if game.phases[view.phase] == "challenge":
                *_, last = advise("uno", heard_in(record, position), ["net"], budget=SMALL["uno"])
                said = last["bots"][0]
                assert said["why"] == "It has no opinion here, and does what is usual."
                assert (said["action"], said["unit"], said["rows"]) == ("accept", "", [])
                return
    raise AssertionError("somebody plays a Wild Draw Four")


def test_a_bot_that_cannot_play_here_says_so() -> None:
    record = recorded("hanabi", ["piers"] * 3, "standard")
    *_, last = advise("hanabi", heard_in(record, 0), ["meanimax:plus", "piers"], budget=SMALL["hanabi"])
    refused, said = last["bots"]
    assert refused["action"] is None and "plays among 2 players, not 3" in refused["why"]
    assert (refused["unit"], refused["rows"]) == ("", [])
    assert said["action"] and said["text"]


@pytest.mark.parametrize("bot", ["nobody", "cheater.py", "champion:rollouts=1000000", "piers"])
def test_only_bots_of_the_game_without_parameters_are_asked(bot: str) -> None:
    heard = heard_in(recorded("uno", ["mix2", "greedy"], "classic"), 0)
    with pytest.raises(BadValue, match=f"bot '{bot}' is not asked for advice; named may be random, "):
        next(advise("uno", heard, [bot]))


def test_a_bot_that_sees_hidden_cards_is_not_asked() -> None:
    heard = heard_in(recorded("uno", ["mix2", "greedy"], "classic"), 2)
    *_, last = advise("uno", heard, ["cheater"], budget=SMALL["uno"])
    assert last["bots"][0]["action"] is None and "sees hidden cards" in last["bots"][0]["why"]


# -- what was heard --


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_a_seat_heard_what_a_bot_there_was_told(game: str, bots: Sequence[str], rules: str) -> None:
    """A bot that sits at the table keeps what it is told; the record gives the same."""
    told: list[tuple[Any, Any]] = []

    class Listener:
        def begin(self, view: Any) -> None:
            told.append((copy_record(view), None))

        def observe(self, view: Any, event: Any) -> None:
            told.append((copy_record(view), event))

        def choose(self, view: Any) -> int:
            return int(registry.game(game).legal_actions(view)[0])

    played = kibitz.play([Listener(), *bots[1:]], seed=6, game=game, rules=rules, seating="fixed")
    heard = heard_in(record_of(played), len(played.steps), 0)
    with_events = [heard[0], *[(view, event) for view, event in heard[1:] if event is not None]]
    assert len(with_events) == len(told)
    for (view, event), (seen, happened) in zip(with_events, told, strict=True):
        assert registry.game(game).wire.view_message(view) == registry.game(game).wire.view_message(seen)
        assert event is None or vars(event) == vars(happened)


def test_positions_and_seats_that_do_not_exist_are_refused() -> None:
    record = recorded("uno", ["mix2", "greedy"], "classic")
    with pytest.raises(BadValue, match="position 900 does not exist"):
        heard_in(record, 900)
    with pytest.raises(BadValue, match="seat 2 does not exist"):
        heard_in(record, 0, 2)
    actor = heard_in(record, 0)[-1][0].current
    with pytest.raises(BadValue, match=f"seat {1 - actor} has nothing to decide now"):
        next(advise("uno", heard_in(record, 0, 1 - actor)))
    with pytest.raises(BadValue, match="has nothing to decide now"):
        next(advise("uno", heard_in(record, len(record.actions))))
