"""Records of games: they read back, they replay exactly, and what is wrong with one is named."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import equal
from kibitz.play.game import PlayedGame
from kibitz.play.record import Record, agrees, opening_of, positions, record_of, replay
from kibitz.play.record_faults import FORFEITED, RecordedFault, forfeited_by, is_substitute
from tests.play.players import Setup, play, setups

LINE = "uno/1;classic;seed=5;deal=3;seats=mix2|random;actions=rskip.draw.keep;result=won:1:35"
OBJECT: dict[str, Any] = {
    "game": "uno",
    "version": 1,
    "rules": "classic",
    "seed": 5,
    "deal": 3,
    "seats": ["mix2", "random"],
    "actions": ["rskip", "draw", "keep"],
    "result": {"status": "won", "winner": 1, "points": 35},
}


def text_at_the_end(played: PlayedGame) -> str:
    definition = registry.game(played.game)
    last = [played.opening, *played.steps][-1]
    return definition.to_text(last.state, definition.parse_rules(played.rules))


def sample(game: str = "uno", seed: int = 3, index: int = 4) -> Record:
    return record_of(kibitz.play(["random", "random", "random"], seed=seed, index=index, game=game))


# -- both ways --


@given(setups())
@settings(max_examples=150)
def test_a_record_reads_back_and_replays_exactly(setup: Setup) -> None:
    played = play(setup)
    record = record_of(played)
    assert record.deal == (setup.index // setup.players if setup.seating == "rotate" else setup.index)
    text = record.to_text()
    assert "\n" not in text
    assert Record.from_text(text) == record
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    again = replay(record)
    assert (again.actions, again.seats, again.outcome, again.rules) == (played.actions, played.seats, played.outcome, played.rules)
    assert text_at_the_end(again) == text_at_the_end(played)
    assert again.opening.hands == played.opening.hands
    for ours, theirs in zip(again.steps, played.steps, strict=True):
        assert ours.hands == theirs.hands
        assert len(ours.events) == len(theirs.events)
        assert all(equal(one, other) for one, other in zip(ours.events, theirs.events, strict=True))
    assert agrees(record, again) is True
    assert replay(record, keep_steps=False).outcome == played.outcome


@given(st.lists(st.text(max_size=12), min_size=2, max_size=10))
def test_odd_names_read_back(names: list[str]) -> None:
    record = Record("uno", "classic", 1, 2, tuple(names), ("draw", *[f"x{name}y" for name in names]))
    text = record.to_text()
    assert len(text.splitlines()) == 1
    assert Record.from_text(text) == record
    assert Record.from_json(record.to_json()) == record


def test_names_are_readable_unless_they_would_part_the_line() -> None:
    names = ("Zoë: a bot", "a;b|c%d\ne.f", "\ud800")
    record = Record("uno", "classic", 1, 2, names, ())
    assert "seats=Zoë: a bot|a%3Bb%7Cc%25d%0Ae.f|%ED%A0%80;actions=" in record.to_text()
    assert Record.from_text(record.to_text()).seats == names


def test_every_deal_of_a_contest_replays_on_its_own() -> None:
    for rules in ("official", "classic,starter=seat_0", "classic,starter=random_seat,jump_in=on"):
        contest = kibitz.play_contest(["mix2", "random", "greedy"], to=300, seed=11, index=7, rules=rules, seating="rotate")
        assert len(contest.deals) > 2
        for number, played in enumerate(contest.deals):
            record = Record.from_text(record_of(played).to_text())
            assert (record.round, record.deal) == (number, 7 // 3)
            assert record.scores == (tuple(played.opening.state.scores[:3]) if number else ())
            again = replay(record)
            assert (again.actions, again.outcome) == (played.actions, played.outcome)
            assert again.opening.state.dealer == played.opening.state.dealer
            assert again.opening.state.scores == played.opening.state.scores
            assert again.deal == number


def test_later_deals_of_a_contest_depend_on_dealer_and_round() -> None:
    contest = kibitz.play_contest(["random", "random"], to=300, seed=2, rules="official")
    later = record_of(contest.deals[1])
    assert later.dealer == contest.deals[1].opening.state.dealer
    assert opening_of(replace(later, dealer=1 - (later.dealer or 0))).dealer != later.dealer
    assert opening_of(replace(later, round=2)).deal_stream != opening_of(later).deal_stream


def test_text_and_json_look_as_documented() -> None:
    record = Record.from_text(LINE)
    assert record.to_text() == LINE
    assert record.to_json() == OBJECT
    assert Record.from_json(OBJECT) == record
    assert Record.from_text("uno/1;classic;deal=3;seed=5;actions=;seats=a|b").actions == ()


# -- games that did not end, or not as the rules say --


def test_a_game_that_was_broken_off_has_no_result() -> None:
    whole = sample()
    record = replace(whole, actions=whole.actions[:5], status="", winner=None, points=0)
    assert "result" not in record.to_text()
    assert (replay(record).status, agrees(record, replay(record))) == ("playing", None)
    wrong = replace(whole, actions=whole.actions[:-1])
    assert agrees(wrong, replay(wrong)) is False


def test_no_replay_can_tell_whether_a_game_was_forfeited() -> None:
    whole = sample()
    forfeited = replace(whole, actions=whole.actions[:5], status=FORFEITED, winner=2, points=0)
    assert Record.from_text(forfeited.to_text()) == forfeited
    assert forfeited.result == "forfeited:2:0"
    assert agrees(forfeited, replay(forfeited)) is None
    over = replace(whole, status=FORFEITED)
    assert agrees(over, replay(over)) is None


FAULTS = (
    RecordedFault(0, 0, "crash", "ended with exit code 1: a;b|c%d: \u202e\x1b[31m"),
    RecordedFault(4, 2, "illegal", "answered 'swap:3', which is no action"),
    RecordedFault(6, 0, "time", "did not answer within 0.2 s", forfeits=True),
)


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_faults_read_back(game: str) -> None:
    whole = sample(game)
    record = replace(whole, actions=whole.actions[:5], status=FORFEITED, winner=None, points=0, faults=FAULTS)
    text = record.to_text()
    assert text.isprintable() and text.endswith("|6:0:time:forfeit:did not answer within 0.2 s")
    assert Record.from_text(text) == Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    played = replay(record)
    assert (played.faults, played.status, played.winner) == (FAULTS, FORFEITED, None)
    assert record_of(played) == replace(record, winner=None)


def test_a_substitute_moved_at_a_fault_and_after_a_forfeit() -> None:
    faults = (RecordedFault(3, 1, "illegal", ""), RecordedFault(5, 0, "time", "", forfeits=True))
    assert [is_substitute(faults, 1, action) for action in (2, 3, 4)] == [False, True, False]
    assert [is_substitute(faults, 0, action) for action in (3, 4, 5, 6)] == [False, False, True, True]
    assert forfeited_by(faults) == [0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("faults=nonsense", "fault 'nonsense' is not understood; one is written 7:3:illegal:forfeit:what it did."),
        ("faults=1:0:time:loss:slept", "fault '1:0:time:loss:slept' is not understood"),
        ("faults=9:0:time:substitute:slept", "action of a fault"),
        ("faults=1:2:time:substitute:slept", "seat of a fault"),
        ("faults=1:0:no word:substitute:slept", "one word as kind"),
        (f"faults=1:0:time:substitute:{'x' * 301}", "at most 300 signs"),
        ("faults=1:0:time:forfeit:slept", "seat 0 forfeited, but the result is not forfeited."),
        ("result=forfeited:0:5;faults=1:0:time:forfeit:slept", "winner=0 forfeited the game, so it can't have won it."),
    ],
)
def test_faults_that_cannot_be_are_refused(change: str, reason: str) -> None:
    line = "uno/1;classic;seed=5;deal=3;seats=mix2|random;actions=rskip.draw.keep;"
    with pytest.raises(BadValue, match=re.escape(reason)):
        Record.from_text(line + change)


@pytest.mark.parametrize("faults", [5, ["x"], [{"action": 1}], [{"action": 1, "seat": 0, "kind": "time", "forfeits": 1, "what": ""}]])
def test_faults_in_json_that_cannot_be_are_refused(faults: Any) -> None:
    with pytest.raises(BadValue, match="fault"):
        Record.from_json({**OBJECT, "faults": faults})


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_another_end_does_not_agree(game: str) -> None:
    record = sample(game)
    wrong = [replace(record, points=record.points + 1), replace(record, status="stuck" if game == "uno" else "perfect")]
    if game == "uno":
        wrong.append(replace(record, winner=(record.winner or 0) + 1 if record.winner != 2 else 0))
    for other in wrong:
        assert agrees(other, replay(other)) is False


def test_a_game_that_does_not_begin_as_its_deal_cannot_be_recorded() -> None:
    played = kibitz.play(["random", "random"], seed=3, index=4)
    played.seed = 9
    with pytest.raises(BadValue, match="game 4 of seed 9 does not begin as its deal does"):
        record_of(played)


# -- the first illegal action --


@given(setups(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_the_first_illegal_action_is_named(setup: Setup, random: Any) -> None:
    played = play(setup)
    record, definition = record_of(played), registry.game(setup.game)
    place = random.randrange(len(record.actions))
    state = next(state for number, (_, state) in enumerate(positions(record)) if number == place)
    legal = definition.legal_actions(state)
    illegal = [action for action in range(85 if setup.game == "uno" else 10) if action not in legal]
    illegal = [action for action in illegal if setup.game == "uno" or action < 2 * state.hand_size]
    if not illegal:
        return
    name = definition.action_name(state, random.choice(illegal))
    actions = list(record.actions)
    actions[place] = name
    if place + 1 < len(actions):
        actions[-1] = "nonsense"  # comes later, so it is not what is named
    with pytest.raises(BadValue) as caught:
        replay(replace(record, actions=tuple(actions), where="games.txt, line 7"))
    seat = int(state.current)
    message = str(caught.value)
    start = f"games.txt, line 7, turn {int(state.turn)}, action {place + 1}: {name} by {record.seats[seat]} (seat {seat}) is not legal"
    assert message.startswith(start)
    if setup.game == "uno":
        assert message == f"{start}; legal are {', '.join(definition.action_name(state, action) for action in legal)}."


def test_an_unknown_action_and_one_after_the_end_are_named() -> None:
    record = sample()
    with pytest.raises(
        BadValue, match=r"deal 4 of seed 3, turn 1, action 1: fly by random \(seat \d\) is not legal: 'fly' is not an action"
    ):
        replay(replace(record, actions=("fly",)))
    after = replace(record, actions=(*record.actions, "draw"))
    with pytest.raises(BadValue, match=rf"action {len(after.actions)}: draw comes after the end of the game"):
        replay(after)
    hanabi = sample("hanabi")
    with pytest.raises(BadValue, match=r"turn 1, action 1: discard:0 by .* nothing may be discarded while all 8 tokens are there"):
        replay(replace(hanabi, actions=("discard:0",)))


def test_another_seed_is_noticed() -> None:
    """Twenty games: with other cards, an action soon is not legal."""
    for index in range(20):
        record = sample(index=index)
        with pytest.raises(BadValue, match="is not legal"):
            replay(replace(record, seed=record.seed + 1))


# -- what is wrong with a record --


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("uno/1", "uno/2", "the record is of version 2 of uno; version 1 is played here"),
        ("uno/1", "uno", "is not a record"),
        ("uno/1", "uno/x", "version must be a whole number, 0 or more, got x"),
        ("uno/1", "chess/1", "unknown game 'chess'"),
        ("classic", "clasic", "unknown rules 'clasic'; did you mean classic?"),
        ("classic", "house.toml", "rules 'house.toml' are a file"),
        ("classic", "classic,draw=two", "unknown value of switch draw: 'two'"),
        ("seed=5", "seed=-5", "seed must be 0 or more, got -5"),
        ("seed=5", "seed=18446744073709551616", "seed must be 0–18446744073709551615, got 18446744073709551616"),
        ("seed=5", "seed=" + "9" * 5000, "seed must be 0 or more, got a number of more than 100 digits"),
        ("seed=5", "seed=٥", "seed must be a whole number, 0 or more, got ٥"),
        ("deal=3", "deal=x", "deal must be a whole number, 0 or more, got x"),
        (";deal=3", "", "deal is missing"),
        ("deal=3", "deal=3;deal=4", "'deal=4' is not understood"),
        ("deal=3", "deal=3;colour=red", "'colour=red' is not understood; a record has seed, deal"),
        ("mix2|random", "mix2", "1 seats are not accepted; UNO has 2 to 10"),
        ("mix2|random", "|".join("abcdefghijk"), "11 seats are not accepted"),
        ("mix2", "%ff", "'%ff' has percent signs that stand for no text"),
        ("won:1:35", "won:1", "result=won:1 is not understood; it is written won:1:35"),
        ("won:1:35", "won:2:35", "winner must be 0–1, got 2"),
        ("won:1:35", "won:x:35", "result must be a whole number, 0 or more, got x"),
        ("rskip.draw", "rskip..draw", "action 2 has no name"),
        ("deal=3", "deal=3;round=1", "0 scores are not accepted"),
        ("deal=3", "deal=3;scores=1|2", "2 scores are not accepted; a later deal of a contest has one for each seat"),
        ("deal=3", "deal=3;dealer=1", "dealer=1 belongs to later deals of a contest"),
        ("deal=3", "deal=3;round=1;scores=1|2;dealer=2", "dealer must be 0–1, got 2"),
    ],
)
def test_a_bad_line_is_one_sentence(old: str, new: str, message: str) -> None:
    assert old in LINE
    with pytest.raises(KibitzError) as caught:
        Record.from_text(LINE.replace(old, new, 1), "games.txt, line 3")
    assert message in str(caught.value)
    assert str(caught.value).startswith("games.txt, line 3: ")
    assert str(caught.value).count("line 3") == 1
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "1"}, "version '1' of uno; version 1"),
        ({"version": None}, "version None"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": 7}, "game is not text"),
        ({"rules": ["classic"]}, "rules is not text"),
        ({"seed": 5.0}, "seed must be a whole number, 0–18446744073709551615, got 5.0"),
        ({"seed": True}, "seed must be a whole number, 0–18446744073709551615, got True"),
        ({"deal": -1}, "deal must be 0–4611686018427387904, got -1"),
        ({"seats": "mix2"}, "seats is not a list of names"),
        ({"actions": [1, 2]}, "actions is not a list of names"),
        ({"scores": 3}, "scores is not a list of numbers"),
        ({"round": 1, "scores": ["a", "b"]}, "scores must be a whole number, 0–1000000000, got 'a'"),
        ({"result": "won"}, "result is not an object"),
        ({"result": {"status": 1}}, "status of the result is not text"),
        ({"result": {"status": "won", "winner": "mix2"}}, "winner must be a whole number, 0–1, got 'mix2'"),
        ({"result": {"status": "cut off", "points": 3}}, "points=3 belong to nobody"),
        ({"result": {"winner": 1}}, "winner=1 needs a status"),
        ({"colour": "red"}, "'colour' is not understood"),
    ],
)
def test_a_bad_object_is_one_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(KibitzError) as caught:
        Record.from_json({**OBJECT, **change}, "game.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("game.json: ")


def test_hanabi_has_neither_contests_nor_a_winner() -> None:
    line = "hanabi/1;standard;seed=1;deal=0;seats=a|b;actions="
    assert Record.from_text(f"{line};result=ended:17").points == 17
    with pytest.raises(BadValue, match="Hanabi has no contests"):
        Record.from_text(line.replace("deal=0", "deal=0;round=1;scores=0|0"))
    with pytest.raises(BadValue, match="result=won:1:3 is not understood; it is written ended:17"):
        Record.from_text(f"{line};result=won:1:3")


@given(st.text(max_size=80))
def test_any_text_is_a_record_or_one_sentence(text: str) -> None:
    for line in (text, f"uno/1;{text}", LINE.replace("classic", text), LINE.replace("mix2", text), f"{LINE};{text}"):
        try:
            Record.from_text(line)
        except KibitzError as error:
            assert str(error)  # noqa: PT017 - either may happen


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([*OBJECT, "round", "scores", "dealer"]), json_values)
def test_any_value_in_json_is_a_record_or_one_sentence(key: str, value: Any) -> None:
    try:
        Record.from_json({**OBJECT, key: value})
    except KibitzError as error:
        assert str(error)  # noqa: PT017 - either may happen
    with pytest.raises(KibitzError):
        Record.from_json(value)
