"""Whole units of games with outside bots as real processes: hostile ones are charged, and nobody else notices."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.core.seeds import DEAL, FIRST_SEAT, SEARCH, SEATING, deal_key, game_key, stream
from kibitz.games.uno.names import card_name
from kibitz.outside.check import ask_in_position
from kibitz.outside.limits import BotLimits
from kibitz.outside.player import OutsideBot, outside_bot, python_bot, tried_out
from kibitz.outside.referee import RefereedMatch, RefereedUnit, play_refereed
from kibitz.play.lineup import make_lineup
from kibitz.play.outcomes import FORFEITED, points_by_entry
from kibitz.play.playing import note_compiled, note_mixed
from kibitz.play.record import Record, agrees, record_of, replay
from kibitz.runs.ledger import FORFEIT
from kibitz.runs.units import Unit
from tests.outside.tables import (
    EXAMPLES,
    HASTY,
    HOSTILE,
    PATIENT,
    Ears,
    built_in,
    children,
    ears,
    example,
    honest,
    match_of,
    player,
)
from tests.outside.test_process import hostile

__all__ = ["ears"]

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,uno_call=on"
DEFAULTS = {"draw", "keep"}

# Misdeed, kind of fault, the sentence; those that leave the process alive, and those that end it.
ANSWERS = [
    ("garbage", "garbage", r"answered with a line that is not JSON \(.*\): r5 please"),
    ("list", "garbage", r'answered with a line that is not a JSON object: \[".*"\]'),
    ("illegal_name", "illegal", r"answered 74 \(swap:3\), which is not legal there"),
    ("no_name", "illegal", r"answered '\\x1b\[31mwin', which is no action"),
    ("illegal_number", "illegal", r"answered 63 \(wildshuffle:y\), which is not legal there"),
    ("negative", "illegal", r"answered -1, which is not an action"),
    ("enormous", "illegal", r"answered 10{60,90}…, which is no action"),
    ("fraction", "illegal", r"answered 1\.5, which is no action"),
    ("truth", "illegal", r"answered True, which is no action"),
    ("nothing", "illegal", r"answered None, which is no action"),
    ("surrogate", "illegal", r"answered '\\ud800', which is no action"),
    ("wrong_id", "protocol", r"answered question (\d+) with \{.*'id': .*\}"),
    ("no_id", "protocol", r"answered question \d+ with \{'type': 'action', 'action': .*\}"),
    ("wrong_type", "protocol", r"answered question \d+ with \{'type': 'move'.*\}"),
]
ENDS = [
    ("crash", "crash", r"ended with exit code 1: RuntimeError: out of ideas"),
    ("exit", "crash", r"ended with exit code 0"),
    ("flood", "flood", r"answered with more than 65,536 bytes in one line: x+…"),
    ("huge_file", "crash", r"ended with exit code 1: OSError: \[Errno 27\] File too large"),
    ("memory_hog", "crash", r"ended with exit code 1: MemoryError"),
    ("twice", "protocol", r"wrote a line that nobody had asked for: .*"),
    ("exit_after_hello", "crash", r"ended with exit code 3"),
]
GREETINGS = [
    ("unknown_window", "protocol", r"greeted with windows=\['sunroof'\]; known are colour, challenge, .*"),
    ("players_of_another_kind", "protocol", r"greeted with players=\[4, 2\]; it is the fewest and the most, such as \[2, 4\]"),
    ("windows_of_another_kind", "protocol", r"greeted with windows=\{'challenge': True\}; known are .*"),
    ("wrong_version", "protocol", r'did not greet with \{"type": "hello", "protocol": 1\} but with .*'),
    ("action_for_hello", "protocol", r"did not greet with .* but with \{'type': 'action'.*"),
    ("events_of_another_kind", "protocol", r"greeted with events='yes'; it is true or false"),
    ("order_of_another_kind", "protocol", r"greeted with hand_order=\['oldest'\]; it is newest or oldest"),
    ("list_for_hello", "garbage", r"answered with a line that is not a JSON object: .*"),
    ("garbage_for_hello", "garbage", r"answered with a line that is not JSON \(.*\): hello, world"),
]


# Other misdeeds, with their limits: what is charged in so many games, and what is said of the first fault.
DEEDS: list[tuple[tuple[str | int, ...], BotLimits, int, list[str], str]] = [
    (("no_hello",), BotLimits(start_seconds=1.0), 1, ["time", FORFEIT], "did not greet within 1 s"),
    (("fork_bomb",), PATIENT, 1, ["crash", FORFEIT], "ended with exit code 1: "),
    (("hang", 3), HASTY, 5, [*3 * ["time", FORFEIT], *2 * ["start", FORFEIT]], "did not answer within 0.3 s"),
    (("many_files", 1), PATIENT, 2, ["flood", FORFEIT], "made more than 1,000 files in its working folder"),
    (("crash_at_the_end",), PATIENT, 2, ["crash", FORFEIT], "ended with exit code 1: RuntimeError: out of ideas"),
    (("ignores_bye",), PATIENT, 2, [], ""),
]


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    """No test leaves a process behind."""
    before = children()
    yield
    assert children() <= before


def check_records(brought: RefereedUnit, match: RefereedMatch) -> None:
    """Every game is kept, can be played through, and ends as it was noted."""
    cooperative = registry.game(match.game).cooperative
    for place, outcome in enumerate(brought.outcomes):
        deals = [Record.from_text(kept.text) for kept in brought.games if kept.game == brought.games[0].game + place]
        played = [replay(deal) for deal in deals]
        last = (played[-1].steps or [played[-1].opening])[-1].state
        cut_short = not registry.game(match.game).verbs["is_over"](last)  # the last player left has won
        assert not cut_short or outcome["status"] == FORFEITED
        assert len(deals) - int(cut_short) == (outcome["deals"] if match.to else 1 - int(cut_short))
        if not (cut_short and match.to):
            assert sum(game.outcome["turns"] for game in played) == outcome["turns"]
        for deal, game in zip(deals, played, strict=True):
            assert deal.faults == game.faults and len(game.steps) == len(deal.actions)
            if outcome["status"] == FORFEITED:
                continue  # a contest may have been forfeited in a later deal
            assert deal.status == game.outcome["status"]
            assert deal.winner == game.outcome.get("winner")
            assert deal.points == (game.outcome["points"] if cooperative or deal.winner is not None else 0)
        if outcome["status"] == FORFEITED:
            assert deals[-1].status == "forfeited"
            if not match.to and not cooperative:  # the record says what counts in the standings
                assert (deals[-1].winner is None) == (outcome["winner"] < 0) and deals[-1].points == outcome["points"]
                assert (played[-1].winner, played[-1].points) == (deals[-1].winner, deals[-1].points)
        elif not match.to:
            assert played[0].outcome["points"] == outcome["points"]


def charged(brought: RefereedUnit, name: str = "hostile") -> list[str]:
    """The kinds of faults of all games; nobody but the culprit has any."""
    assert {fault.bot for fault in brought.faults} <= {name}
    return [fault.kind for fault in brought.faults]


# -- what is charged --


@pytest.mark.parametrize(("deed", "kind", "sentence"), ANSWERS, ids=[deed for deed, *_ in ANSWERS])
def test_a_wrong_answer_is_charged_and_three_forfeit_the_game(deed: str, kind: str, sentence: str) -> None:
    match = match_of(player(deed), *built_in("random"))
    brought = play_refereed(match, Unit(0, 2))
    assert charged(brought) == 2 * [kind, kind, kind, FORFEIT]
    for fault in brought.faults:
        if fault.kind == FORFEIT:
            assert fault.what == "forfeited the game, since it committed 3 faults in it"
        else:
            assert re.fullmatch(sentence, fault.what), fault.what
            assert fault.position.startswith("classic;players=2;")
            assert fault.reproduce.endswith(f" --rules classic --position {shlex.quote(fault.position)}")
    assert len({fault.position for fault in brought.faults if fault.kind == kind}) == 6
    assert (brought.outcomes["status"] == FORFEITED).all()
    assert 0 not in brought.outcomes["winner"]
    for kept in brought.games:  # the defaults took its place
        record = Record.from_text(kept.text)
        steps = replay(record).steps
        seats = [0, *[int(step.state.current) for step in steps[:-1]]]
        seats[0] = int(replay(record).opening.state.current)
        own = [name for name, seat in zip(record.actions, seats, strict=True) if record.seats[seat] == "hostile"]
        assert own and set(own) <= DEFAULTS
    check_records(brought, match)


@pytest.mark.parametrize(("deed", "kind", "sentence"), ENDS, ids=[deed for deed, *_ in ENDS])
def test_a_process_that_is_gone_forfeits_the_game(deed: str, kind: str, sentence: str) -> None:
    match = match_of(player(deed), *built_in("random"))
    brought = play_refereed(match, Unit(0, 2))
    assert charged(brought) == 2 * [kind, FORFEIT]
    for fault in brought.faults:
        assert re.fullmatch("forfeited the game, since its process is gone" if fault.kind == FORFEIT else sentence, fault.what), fault.what
    assert (brought.outcomes["status"] == FORFEITED).all()
    assert 0 not in brought.outcomes["winner"]
    check_records(brought, match)


@pytest.mark.parametrize(("deed", "kind", "sentence"), GREETINGS, ids=[deed for deed, *_ in GREETINGS])
def test_who_does_not_greet_does_not_play(deed: str, kind: str, sentence: str, ears: Ears) -> None:
    match = match_of(player(deed), *built_in("random"), seating="fixed")
    brought = play_refereed(match, Unit(0, 4))
    assert charged(brought) == [kind, FORFEIT, kind, FORFEIT, "start", FORFEIT, "start", FORFEIT]  # started twice, then no more
    assert re.fullmatch(sentence, brought.faults[0].what), brought.faults[0].what
    assert brought.faults[4].what == "is not started again after its failures in the games before"
    assert all(fault.reproduce.endswith("--rules classic") for fault in brought.faults if fault.kind != FORFEIT)
    assert [[message["type"] for message in said] for said in ears.said.values()] == 2 * [["hello"]]
    assert (brought.outcomes["status"] == FORFEITED).all()


@pytest.mark.parametrize(("words", "limits", "games", "kinds", "what"), DEEDS, ids=[str(words[0]) for words, *_ in DEEDS])
def test_other_misdeeds_are_charged(words: tuple[str | int, ...], limits: BotLimits, games: int, kinds: list[str], what: str) -> None:
    brought = play_refereed(match_of(player(*words, limits=limits), *built_in("random"), seating="fixed"), Unit(0, games))
    assert charged(brought) == kinds
    assert not kinds or brought.faults[0].what.startswith(what), brought.faults[0].what
    seconds = f" --seconds {limits.decision_seconds:g}"
    assert all(seconds in fault.reproduce for fault in brought.faults if limits is HASTY and fault.kind != FORFEIT)


@pytest.mark.parametrize(
    ("deed", "unfit"),
    [
        ("no_hello", "did not greet within 1 s"),
        ("garbage_for_hello", "answered with a line that is not JSON"),
        ("exit_after_hello", ""),
        ("crash", ""),
    ],
)
def test_a_bot_that_is_tried_out_must_greet_and_nothing_else(deed: str, unfit: str) -> None:
    game = registry.game("uno")
    limits = BotLimits(start_seconds=1.0) if deed == "no_hello" else PATIENT
    found = tried_out(player(deed, limits=limits), game, game.parse_rules("classic"))
    assert found.unfit.startswith(unfit) and bool(found.unfit) == bool(unfit)
    brought = play_refereed(match_of(found, *built_in("random"), seating="fixed"), Unit(0, 1)) if unfit else None
    assert brought is None or [fault.kind for fault in brought.faults] == ["start", FORFEIT]


def test_a_command_that_cannot_be_run_forfeits_everything() -> None:
    bot = outside_bot("hostile", "no-such-program-anywhere --fast", HOSTILE, PATIENT)
    brought = play_refereed(match_of(bot, *built_in("random")), Unit(0, 4))
    assert charged(brought) == 4 * ["start", FORFEIT]
    assert brought.faults[0].what == "could not be started: there is no program 'no-such-program-anywhere' in the search path"


def test_the_game_in_which_it_crashes_is_forfeited_and_no_other() -> None:
    match = match_of(player("crash", 40, "draw"), *built_in("random"), seating="fixed")
    brought = play_refereed(match, Unit(0, 6))
    plain = play_refereed(match_of(honest("draw"), *built_in("random"), seating="fixed"), Unit(0, 6))
    forfeited = brought.outcomes["status"] == FORFEITED
    assert 0 < forfeited.sum() < 6
    assert (brought.outcomes[~forfeited] == plain.outcomes[~forfeited]).all()
    assert {fault.game for fault in brought.faults} == set(np.flatnonzero(forfeited))
    check_records(brought, match)


def test_what_happens_after_the_end_counts_for_the_next_game() -> None:
    """A bot that dies when it hears of the end has played that game; whether we notice soon or late changes nothing."""
    match = match_of(player("crash_at_the_end"), *built_in("random"), seating="fixed")
    brought = play_refereed(match, Unit(0, 6))
    plain = play_refereed(match_of(honest(), *built_in("random"), seating="fixed"), Unit(0, 6))
    assert brought.outcomes["status"].tolist() == [1, FORFEITED, 1, FORFEITED, 1, FORFEITED]
    assert (brought.outcomes[::2] == plain.outcomes[::2]).all()
    assert charged(brought) == 3 * ["crash", FORFEIT]


def test_one_fault_costs_the_default_and_nothing_else() -> None:
    """A bot that always draws and keeps, and one that says nonsense once: the default is the same move."""
    lazy = play_refereed(match_of(honest("draw"), *built_in("random"), seating="fixed"), Unit(0, 2))
    match = match_of(player("illegal_name", 1, "draw"), *built_in("random"), seating="fixed")
    brought = play_refereed(match, Unit(0, 2))
    assert charged(brought) == ["illegal"]
    assert (brought.outcomes == lazy.outcomes).all()
    check_records(brought, match)


@pytest.mark.parametrize("faults", [1, 2, 5])
def test_the_number_of_faults_that_forfeit_a_game_is_a_setting(faults: int) -> None:
    brought = play_refereed(match_of(player("garbage"), *built_in("random"), seating="fixed", faults=faults), Unit(0, 1))
    assert charged(brought) == [*faults * ["garbage"], FORFEIT]


def test_a_bot_that_answers_what_is_no_question_forfeits_every_game() -> None:
    brought = play_refereed(match_of(player("answers_events"), *built_in("random"), seating="fixed"), Unit(0, 3))
    assert set(charged(brought)) == {"protocol", FORFEIT}
    assert (brought.outcomes["status"] == FORFEITED).all()


# -- the others --


def test_at_a_table_of_four_everybody_else_plays_on() -> None:
    others: tuple[Any, ...] = (honest(name="one"), *built_in("mix2"), example("python_bot.py", name="two"))
    match = match_of(player("crash", 2), *others, rules="modern")
    brought = play_refereed(match, Unit(0, 8))
    assert charged(brought) == 8 * ["crash", FORFEIT]
    assert (brought.outcomes["status"] == FORFEITED).all()
    assert set(brought.outcomes["winner"]) <= {-1, 1, 2, 3} and brought.outcomes["winner"].max() > 0
    won = brought.outcomes["winner"] > 0
    assert (brought.outcomes["points"][won] > 0).all()
    check_records(brought, match)


def test_the_last_who_is_left_wins_what_the_others_hold() -> None:
    """At a table of two the first forfeit decides; the game is over at that moment."""
    match = match_of(player("crash", name="a"), player("garbage", name="b"), rules=HOUSE)
    brought = play_refereed(match, Unit(0, 2))
    assert (brought.outcomes["winner"] == 1).all()
    check_records(brought, match)
    for place, kept in enumerate(brought.games):
        last = replay(Record.from_text(kept.text)).steps
        (crash,) = [fault for fault in brought.faults if fault.game == place and fault.kind == "crash"]
        state, _ = registry.game("uno").from_text(crash.position, 1)
        assert brought.outcomes["points"][place] == registry.game("uno").spoils(state, 1 - crash.seat) > 0
        assert len(last) < 40


def test_nobody_wins_if_nobody_can_be_started() -> None:
    match = match_of(outside_bot("a", "no-such-program", Path()), outside_bot("b", "no-such-program", Path()))
    brought = play_refereed(match, Unit(0, 2))
    assert (brought.outcomes["winner"] == -1).all() and (brought.outcomes["points"] == 0).all()
    check_records(brought, match)


@pytest.mark.parametrize("rules", ["classic", "official", "davies", "hearn", "modern", HOUSE, "official,must_play=on,draw=until_playable"])
def test_the_defaults_are_legal_under_every_rules(rules: str) -> None:
    """Windows that the bot declares and then leaves to the defaults, at a table of three."""
    greeting = 'greet={"windows": ["colour", "challenge", "stack", "swap", "uno_call", "catch", "jump_in"]}'
    match = match_of(player("garbage", greeting), *built_in("random", "random"), rules=rules, faults=1000)
    brought = play_refereed(match, Unit(0, 3))
    assert set(charged(brought)) == {"garbage"}
    check_records(brought, match)


def test_a_contest_is_forfeited_as_a_whole() -> None:
    match = match_of(player("crash", 40), *built_in("random"), to="300", seating="fixed", seed=9)
    brought = play_refereed(match, Unit(0, 2))
    plain = play_refereed(match_of(honest(), *built_in("random"), to="300", seating="fixed", seed=9), Unit(0, 2))
    assert charged(brought) == 2 * ["crash", FORFEIT]
    assert (brought.outcomes["scores"][:, 0] == 0).all() and (brought.outcomes["status"] == FORFEITED).all()
    assert (brought.outcomes["winner"] == 1).all() and (brought.outcomes["deals"] >= 1).all()
    assert plain.faults == [] and (plain.outcomes["scores"].max(axis=1) >= 300).all()
    check_records(brought, match)
    check_records(plain, match)


def test_contests_under_rules_in_which_dealers_change_replay() -> None:
    for rules in ("official", "davies"):
        match = match_of(honest(), *built_in("random", "mix2"), to="150", rules=rules)
        brought = play_refereed(match, Unit(0, 3))
        assert brought.faults == []
        check_records(brought, match)


def test_a_forfeited_game_of_a_team_counts_nothing() -> None:
    match = match_of(player("crash", 5), *built_in("iggi", "iggi", game="hanabi"), game="hanabi", rules="standard")
    brought = play_refereed(match, Unit(0, 3))
    assert set(charged(brought)) == {"crash", FORFEIT}
    lineup = make_lineup(built_in("iggi", "iggi", "iggi", game="hanabi"), game="hanabi")
    assert (points_by_entry(lineup, brought.outcomes) == 0).all()
    check_records(brought, match)


@pytest.mark.parametrize("deed", ["illegal_name", "illegal_number", "negative", "enormous"])
def test_wrong_moves_in_hanabi(deed: str) -> None:
    match = match_of(player(deed), *built_in("iggi", game="hanabi"), game="hanabi", rules="standard")
    brought = play_refereed(match, Unit(0, 2))
    assert charged(brought) == 2 * ["illegal", "illegal", "illegal", FORFEIT]
    check_records(brought, match)


# -- what the records say of it --


def moves_of(record: Record, name: str) -> tuple[list[bool], list[bool]]:
    """Whether a substitute made each action of a player, and of the others."""
    played = replay(record)
    seats = [int(step.state.current) for step in [played.opening, *played.steps]]
    marked = [(record.seats[seat] == name, step.by_substitute) for seat, step in zip(seats, played.steps, strict=False)]
    return [mark for own, mark in marked if own], [mark for own, mark in marked if not own]


def test_a_record_says_who_made_each_action_and_what_counted() -> None:
    """The bot answers once and crashes: its first turn is its own, all others are a substitute's, and its wins count for nobody."""
    match = match_of(player("crash", 2), *built_in("random", "random"))
    brought = play_refereed(match, Unit(0, 6))
    won_by_substitute = 0
    for place, kept in enumerate(brought.games):
        record = Record.from_text(kept.text)
        (fault,) = record.faults
        assert (record.seats[fault.seat], fault.kind, fault.forfeits) == ("hostile", "crash", True)
        assert fault.what == "ended with exit code 1: RuntimeError: out of ideas"
        own, others = moves_of(record, "hostile")
        first = own.index(True)
        assert first > 0 and all(own[first:]) and not any(others)
        played = replay(record)
        last = played.steps[-1].state
        lost = record.seats[last.winner] == "hostile"
        won_by_substitute += lost
        assert (played.status, played.winner, played.points) == ("forfeited", *((None, 0) if lost else (last.winner, last.points)))
        assert brought.outcomes["points"][place] == played.points
        assert record_of(played) == record
    assert 0 < won_by_substitute < 6


def test_a_fault_that_forfeits_nothing_is_marked_and_the_win_counts() -> None:
    brought = play_refereed(match_of(player("illegal_name", 2), *built_in("random"), seating="fixed"), Unit(0, 1))
    record = Record.from_text(brought.games[0].text)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.forfeits, record.status) == (0, "illegal", False, "won")
    own, others = moves_of(record, "hostile")
    assert sum(own) == 1 and not any(others)
    assert record.actions[fault.action - 1] in DEFAULTS
    assert agrees(record, replay(record)) is True


def test_records_of_games_without_faults_are_as_they_were() -> None:
    brought = play_refereed(match_of(honest(), *built_in("random")), Unit(0, 2))
    for kept in brought.games:
        assert re.fullmatch(r"uno/1;classic;seed=2024;deal=0;seats=[^;]*;actions=[^;]*;result=won:\d:\d+", kept.text)


def test_later_deals_of_a_contest_know_who_has_forfeited_it() -> None:
    match = match_of(player("crash", 30), *built_in("random", "random"), to="300", seating="fixed", seed=9)
    deals = [Record.from_text(kept.text) for kept in play_refereed(match, Unit(0, 1)).games]
    first = next(place for place, deal in enumerate(deals) if deal.faults)
    assert 0 < first < len(deals) - 1
    assert deals[first].faults[0].action > 0
    for deal in deals[first:]:
        assert (deal.status, [fault.forfeits for fault in deal.faults]) == ("forfeited", [True])
        assert deal.winner != 0  # where it sits
    for deal in deals[first + 1 :]:
        assert deal.faults[0] == replace(deals[first].faults[0], action=0)
        assert all(moves_of(deal, "hostile")[0])


def test_no_points_are_won_by_who_is_left_alone_in_a_contest() -> None:
    """The contest is won, and scores stay what they were."""
    brought = play_refereed(match_of(player("crash", 40), *built_in("random"), to="300", seating="fixed", seed=9), Unit(0, 1))
    last = Record.from_text(brought.games[-1].text)
    assert (last.status, last.winner, last.points) == ("forfeited", None, 0)
    assert brought.outcomes["winner"][0] == 1 and brought.outcomes["scores"][0].tolist() == [0, last.scores[1]]


def test_records_have_no_folder_of_this_machine(tmp_path: Path) -> None:
    bot = outside_bot("hostile", [str(tmp_path / "missing")], tmp_path, PATIENT)
    brought = play_refereed(match_of(bot, *built_in("random")), Unit(0, 1))
    assert str(tmp_path) in brought.faults[0].what
    (fault,) = Record.from_text(brought.games[0].text).faults
    assert (fault.action, fault.kind, fault.what) == (0, "start", "could not be started: there is no file 'missing'")


# -- the same games as inside --

STUBBORN = '''
from kibitz.games.uno.cards import ACCEPT, CATCH, CHALLENGE, FIRST_SWAP, JUMP_IN, UNO
from kibitz.games.uno.view import CATCHING, CHALLENGING, JUMPING_IN, STACK, SWAP, UNO_CALL


class Stubborn:
    """Deterministic, asked in every window, and follows all events."""

    windows = ("challenge", "stack", "swap", "uno_call", "catch", "jump_in")

    def __init__(self):
        self.heard = 0

    def begin(self, view):
        self.heard += view.top + sum(view.sizes)

    def observe(self, view, event):
        self.heard += event.kind + view.turn + view.sizes[view.seat]

    def choose(self, view):
        answers = {SWAP: FIRST_SWAP, UNO_CALL: UNO, CATCHING: CATCH, JUMPING_IN: JUMP_IN}
        if view.phase in answers:
            return answers[view.phase]
        if view.phase in (CHALLENGING, STACK):
            return CHALLENGE if view.may_challenge and self.heard % 2 else ACCEPT
        cards = [card for card in range(56) if view.can_play(card)]
        return view.play(cards[self.heard % len(cards)], self.heard % 4)
'''


def inside(match: RefereedMatch, *entrants: Any, games: int) -> Any:
    lineup = make_lineup(entrants, match.rules, match.seating, match.game, match.to)
    return (note_compiled if lineup.is_compiled else note_mixed)(lineup, match.seed, Unit(0, games))


def same_inside(outside: OutsideBot, spec: str, game: str, rules: str, others: tuple[Any, ...], games: int, **more: Any) -> None:
    match = match_of(outside, *others, game=game, rules=rules, **more)
    brought = play_refereed(match, Unit(0, games))
    assert brought.faults == []
    assert brought.outcomes.tobytes() == inside(match, registry.entrant(spec, game), *others, games=games).tobytes()
    check_records(brought, match)


def test_a_bot_plays_outside_as_it_does_inside(tmp_path: Path) -> None:
    """It follows everything it is told and shown, so a difference in any event or view leads to another game."""
    file = tmp_path / "stubborn.py"
    file.write_text(STUBBORN)
    bot = python_bot("stubborn", str(file), "uno", PATIENT)
    same_inside(bot, str(file), "uno", "classic", built_in("mix2"), 10)
    same_inside(bot, str(file), "uno", HOUSE, built_in("random", "random"), 9)
    same_inside(bot, str(file), "uno", "official", built_in("random"), 2, to="200")


def test_a_classroom_player_plays_outside_as_it_does_inside() -> None:
    spec = str(EXAMPLES / "classroom" / "others.py:spiteful_UnoPlayer")
    same_inside(example("classroom/others.py:spiteful_UnoPlayer"), spec, "uno", "davies", built_in("random", "random", "random"), 8)


def test_a_team_plays_outside_as_it_does_inside() -> None:
    spec = str(EXAMPLES / "hanabi_bot.py:careful")
    careful = example("hanabi_bot.py:careful", game="hanabi")
    same_inside(careful, spec, "hanabi", "standard", built_in("iggi", game="hanabi"), 4)


def test_units_and_their_order_change_nothing() -> None:
    match = match_of(honest(), *built_in("random", "mix2"))
    whole = play_refereed(match, Unit(0, 6))
    later, first = play_refereed(match, Unit(3, 3)), play_refereed(match, Unit(0, 3))
    assert np.concatenate([first.outcomes, later.outcomes]).tolist() == whole.outcomes.tolist()
    assert [*first.games, *later.games] == whole.games
    assert whole.decisions == first.decisions + later.decisions


# -- what a bot is told --

KEYS = {
    "hello": {"protocol", "game", "referee"},
    "game": {"players", "seat", "rules", "scores", "seed"},
    "event": {"kind", "seat", "card", "colour", "count", "drawn", "top", "top_colour", "other"},
    "decide": {"id", "view", "legal", "seconds"},
    "end": {"status", "winner", "points", "turns"},
    "bye": set(),
}


def numbers_in(value: Any) -> set[int]:
    """Every whole number in a message, also those in texts."""
    if isinstance(value, dict):
        return set().union(*map(numbers_in, value.values()), *map(numbers_in, value))
    if isinstance(value, list):
        return set().union(*map(numbers_in, value))
    if isinstance(value, str):
        return {int(digits) for digits in re.findall(r"\d+", value)}
    return {value} if isinstance(value, int) else set()


def test_nothing_in_any_message_leads_back_to_the_deal(ears: Ears) -> None:
    seed, first, games = 0x1234_5678_9ABC_DEF1, 2_000_000, 6
    match = match_of(honest('greet={"events": true}'), *built_in("random", "random"), seed=seed, to="100")
    play_refereed(match, Unit(first, games))
    forbidden = {seed} | set(range(first, first + games)) | set(range(first // 3, (first + games) // 3 + 1))
    for index in {*range(first, first + games), *range(first // 3, (first + games) // 3 + 1)}:
        for deal in range(20):
            key = deal_key(game_key(seed, index), deal)
            forbidden |= {key, *(stream(key, purpose) for purpose in (DEAL, SEATING, SEARCH, *range(FIRST_SEAT, FIRST_SEAT + 3)))}
    for message in ears.everything():
        assert not numbers_in(message) & forbidden
        assert message.keys() - {"type"} == KEYS[message["type"]], message
    seeds = [message["seed"] for message in ears.everything("game")]
    assert len(set(seeds)) == len(seeds) > games


def test_a_process_never_sees_the_same_deal_again(ears: Ears) -> None:
    """Each deal is played from every seat; a process that sat elsewhere in it would know the cards."""
    match = match_of(honest(name="a"), honest(name="b"), *built_in("random"))
    play_refereed(match, Unit(0, 6))
    assert len(ears.said) == 6  # two bots in three rotations
    for said in ears.said.values():
        games = [message for message in said if message["type"] == "game"]
        assert len(games) == 2 and len({message["seat"] for message in games}) == 1


def test_a_bot_sees_its_own_hand_and_what_lies_open_and_no_more(ears: Ears) -> None:
    """Every message of a match, one after the other, against the games as they were played."""
    match = match_of(honest('greet={"events": true, "views": true}'), *built_in("random"), seating="fixed")
    brought = play_refereed(match, Unit(0, 3))
    game = registry.game("uno")
    said = [message for message in ears.everything() if message["type"] not in ("hello", "bye")]

    def check_view(message: dict[str, Any], state: Any) -> None:
        game.verbs["show"](state, 0)
        view = message["view"]
        assert view == game.wire.view_message(state)
        assert sorted(view["hand"]) == sorted(map(card_name, game.hands(state)[0]))
        assert view["known"] == [[], []] and view["seat"] == 0

    asked = 0
    for kept in brought.games:
        played = replay(Record.from_text(kept.text))
        state = played.opening.state
        check_view(said.pop(0), state)
        for step in played.steps:
            if said[0]["type"] == "decide":
                asked += 1
                assert state.current == 0
                check_view(said.pop(0), state)
            state = step.state
            for event in step.events:
                message = said.pop(0)
                check_view(message, state)
                assert {**game.wire.event_message(None, event), "type": "event", "view": message["view"]} == message
                assert message["card"] is None or message["kind"] == "play"
        assert said.pop(0) == {"type": "end", **played.outcome}
    assert said == [] and asked == brought.decisions


def test_states_that_look_alike_are_told_alike(ears: Ears) -> None:
    """The opponent's first card and the top of the draw pile change places: to the bot that is nothing new."""
    match = match_of(player("garbage"), *built_in("random"), seating="fixed")
    position = play_refereed(match, Unit(0, 1)).faults[0].position
    hands, pile = (re.search(f"(?<={part}=)[^;]*", position) for part in ("hands", "pile"))
    assert hands and pile
    own, other = hands[0].split("|")
    first, top = other.partition("."), pile[0].partition(".")
    assert first[0] != top[0]
    swapped = position.replace(hands[0], f"{own}|{top[0]}.{first[2]}").replace(pile[0], f"{first[0]}.{top[2]}")
    ears.said.clear()
    for text in (position, swapped):
        assert ask_in_position(honest('greet={"events": true, "views": true}'), "uno", text).fault is None
    one, two = ears.said.values()
    assert [message["type"] for message in one] == ["hello", "game", "decide", "bye"]
    assert one == two


def test_windows_are_asked_if_they_are_declared(ears: Ears) -> None:
    windows = ["challenge", "stack", "swap", "uno_call", "catch", "jump_in"]
    for declared in (windows[:3], []):
        ears.said.clear()
        greeting = f'greet={{"windows": {declared}}}'.replace("'", '"')
        match = match_of(honest(greeting), *built_in("random", "random", "random"), rules=HOUSE, seating="fixed")
        brought = play_refereed(match, Unit(0, 12))
        assert brought.faults == []
        phases = {message["view"]["phase"] for message in ears.everything("decide")}
        assert phases - {"turn", "drawn"} <= set(declared)
        assert ("stack" in phases) == bool(declared)
        check_records(brought, match)


def test_events_are_told_to_those_who_asked_and_in_time(ears: Ears) -> None:
    """Whoever is asked has heard of all that happened before: the last card played is the one on top."""
    match = match_of(honest('greet={"events": true}', name="a"), honest(name="b"), *built_in("random"), seating="fixed")
    play_refereed(match, Unit(0, 3))
    first, second = ears.said.values()
    assert not [message for message in second if message["type"] == "event"]
    checked, top = 0, None
    for message in first:
        if message["type"] == "game":
            top = None
        elif message["type"] == "event" and message["kind"] == "play":
            top = message["card"]
        elif message["type"] == "decide" and top is not None:
            assert message["view"]["top"] == top
            checked += 1
    assert checked > 10


def test_everybody_hears_of_events_before_somebody_is_asked(ears: Ears) -> None:
    """Two listeners: when one of them is asked, the other has been told as much."""
    greeting = 'greet={"events": true}'
    match = match_of(honest(greeting, name="a"), honest(greeting, name="b"), *built_in("random"), seating="fixed")
    play_refereed(match, Unit(0, 2))
    order = [(pid, message["type"]) for pid, message in ears.in_order]
    told: dict[int, int] = {}
    for pid, kind in order:
        if kind == "event":
            told[pid] = told.get(pid, 0) + 1
        elif kind == "decide":
            assert len(set(told.values())) <= 1 and len(told) in (0, 2), told
    assert sum(told.values()) > 60


def test_a_log_cannot_be_read_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for _ in range(2):
        with hostile("read_log", log=log) as process:
            answer = process.ask({"type": "hello"})
        assert "done" not in answer.values()
    assert log.read_text() == 2 * "note to myself\n"


# -- reproducing a fault --


@pytest.mark.parametrize("deed", ["illegal_name", "garbage", "hang"])
def test_the_line_in_the_report_shows_the_fault_again(deed: str, tmp_path: Path) -> None:
    match = match_of(player(deed, limits=HASTY if deed == "hang" else BotLimits()), *built_in("random"), seating="fixed", faults=1)
    fault = play_refereed(match, Unit(0, 1)).faults[0]
    program, *words = shlex.split(fault.reproduce)
    assert program == "kibitz"
    done = subprocess.run([sys.executable, "-m", "kibitz", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"it {fault.what}" in done.stdout


def test_a_command_that_is_a_file_is_not_taken_for_a_python_bot(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(f"#!{sys.executable}\nprint('hello')\n")
    script.chmod(0o755)
    bot = outside_bot("script", "./bot.py", tmp_path)
    assert bot.reproduction == shlex.quote(f"env {script}")
    assert python_bot("script", f"{script}:Bot", "uno", BotLimits()).reproduction == f"{script}:Bot"
