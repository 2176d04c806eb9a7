"""A live game: bots alone play what a batch plays, a game that was broken off goes on as it would have, persons are held to the rules."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import equal
from kibitz.games.uno.view import JUMPING_IN
from kibitz.play.game import play_contest
from kibitz.play.record import Record, agrees, replay
from kibitz.table.live import CHOSEN, FORCED, USUAL, LiveGame, Setup, TakenAction
from kibitz.table.viewer_messages import position_message, update_message

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on"
SECRET = "00112233445566778899aabbccddeeff"
LINEUPS = [
    ("uno", "classic", ("random", "mix2", "champion:fast")),
    ("uno", HOUSE, ("champion:fast", "mix2", "random", "offensive")),
    ("uno", "modern", ("first_playable", "cheater", "card_counting")),
    ("hanabi", "standard", ("iggi", "van_den_bergh", "random")),
    ("hanabi", "standard", ("meanimax:plus", "piers")),
]


def finish(live: LiveGame, rng: random.Random | None = None, steps: int = 10_000) -> list[TakenAction]:
    """Play on, persons at random, for so many steps at most."""
    taken: list[TakenAction] = []
    while len(taken) < steps and not live.is_over:
        step = live.bot_step()
        if step is None:
            assert rng is not None
            seat = live.to_act
            assert seat is not None
            step = live.act(seat, rng.choice(live.legal_names(seat)))
        taken.append(step)
    return taken


def recorded(live: LiveGame) -> Record:
    """The record of a game whose cards are our own."""
    record = live.record()
    assert record is not None
    return record


def all_deals(live: LiveGame, rng: random.Random | None = None) -> None:
    finish(live, rng)
    while not live.is_finished:
        live.next_deal()
        finish(live, rng)


# -- the same games as in a batch --


@pytest.mark.parametrize(("game", "rules", "bots"), LINEUPS)
def test_bots_alone_play_what_a_batch_plays(game: str, rules: str, bots: tuple[str, ...]) -> None:
    for seed in (5, 2**63 + 9):
        played = kibitz.play(bots, seed=seed, seating="fixed", game=game, rules=rules)
        live = LiveGame(Setup(game, rules, bots, seed))
        steps = finish(live)
        assert live.numbers() == played.actions
        assert live.outcome == played.outcome
        assert [step.position for step in steps if not step.hidden] == list(range(1, live.position + 1))
        assert [repr(event) for step in steps for event in step.events] == [repr(event) for step in played.steps for event in step.events]


@pytest.mark.parametrize("rules", ["classic", HOUSE, "official,starter=seat_0"])
def test_contest_is_what_a_batch_plays(rules: str) -> None:
    bots = ("mix2", "random", "greedy")
    contest = play_contest(bots, to="200", seed=8, seating="fixed", rules=rules)
    live = LiveGame(Setup("uno", rules, bots, 8, "200"))
    all_deals(live)
    names = [[live.definition.action_name(None, action) for action in deal.actions] for deal in contest.deals]
    assert live.deals == names
    assert live.scores == contest.scores
    assert live.deal == len(contest.deals) - 1 > 0
    assert "Scores:" in live.ending(None)[-1]
    with pytest.raises(BadValue, match="no other deal"):
        live.next_deal()


def test_contest_ends_with_the_first_deal_that_brings_enough() -> None:
    points = max(play_contest(("mix2", "random"), to="500", seed=8, seating="fixed").deals[0].outcome["points"], 1)
    for to, ends in ((f"{points}", True), (f"{points}+", False), (f"{points + 1}", False)):
        live = LiveGame(Setup("uno", "classic", ("mix2", "random"), 8, to))
        finish(live)
        assert max(live.scores) == points
        assert live.is_finished == ends


def test_contest_goes_on_until_somebody_has_enough() -> None:
    live = LiveGame(Setup("uno", "classic", ("mix2", "random", "greedy"), 8, "200"))
    finish(live)
    assert not live.is_finished
    assert live.ending(None)[-1].endswith("The contest to 200 goes on.")


def test_who_sits_down_before_the_first_move_is_named_from_the_start() -> None:
    live = LiveGame(Setup("uno", "classic,starter=seat_0", (None, "mix2"), 5, "500"))
    assert live.log(None)[-1].endswith("Player 1 begins.")
    live.rename(0, "Zoë")
    assert [line for line in live.log(None) if line.endswith("Zoë begins.")] == live.log(None)
    assert live.log(0)[-1].endswith("you begin.")


def test_contest_that_nobody_can_win_ends() -> None:
    """Under rules that cut off the first turn nobody ever gets a point."""
    live = LiveGame(Setup("uno", "classic,max_turns=1", ("random", "random"), 1, "500"))
    all_deals(live)
    assert live.deal == 99
    assert live.scores == [0, 0]
    assert "Nobody wins the contest" in live.ending(None)[-1]


def test_records_of_a_contest_play_through() -> None:
    live = LiveGame(Setup("uno", HOUSE, ("mix2", "random"), 4, "150"))
    finish(live)
    while True:
        record = Record.from_text(recorded(live).to_text())
        played = replay(record)
        assert played.outcome == live.outcome
        assert record.status == live.outcome["status"]
        if live.is_finished:
            return
        live.next_deal()
        finish(live)


# -- restored --


@pytest.mark.parametrize("bot", ["random", "mix2", "champion:fast", "linear"])
@pytest.mark.parametrize("rules", ["classic", HOUSE])
def test_restored_game_goes_on_as_it_would_have(bot: str, rules: str) -> None:
    setup = Setup("uno", rules, (bot, None, bot, "random"), 12)
    for length in (0, 3, 17, 40):
        unbroken = LiveGame(setup)
        finish(unbroken, random.Random(length), length)
        restored = LiveGame(Setup.from_json(json.loads(json.dumps(setup.to_json()))), json.loads(json.dumps(unbroken.deals)))
        assert equal(restored.opening(), unbroken.opening())
        for viewer in (1, None):
            assert position_message(restored, viewer) == position_message(unbroken, viewer)
        finish(unbroken, random.Random(1))
        finish(restored, random.Random(1))
        assert restored.deals == unbroken.deals


@pytest.mark.parametrize("bots", [("iggi", "piers", None), ("random", "van_den_bergh", "outer"), ("meanimax:plus", None)])
def test_restored_game_of_hanabi_goes_on_as_it_would_have(bots: tuple[str | None, ...]) -> None:
    setup = Setup("hanabi", "standard", bots, 3)
    unbroken = LiveGame(setup)
    finish(unbroken, random.Random(5), 23)
    restored = LiveGame(setup, unbroken.deals)
    finish(unbroken, random.Random(1))
    finish(restored, random.Random(1))
    assert restored.deals == unbroken.deals


def test_restored_contest_goes_on() -> None:
    setup = Setup("uno", "official", ("mix2", None, "random"), 6, "300")
    unbroken = LiveGame(setup)
    finish(unbroken, random.Random(2))
    unbroken.next_deal()
    finish(unbroken, random.Random(3), 9)
    restored = LiveGame(setup, unbroken.deals)
    assert (restored.deal, restored.scores, restored.position) == (1, unbroken.scores, unbroken.position)
    for viewer in (1, None):
        assert restored.log(viewer) == unbroken.log(viewer)
    all_deals(unbroken, random.Random(4))
    all_deals(restored, random.Random(4))
    assert restored.deals == unbroken.deals
    assert restored.scores == unbroken.scores


def test_kept_actions_that_do_not_fit_are_refused() -> None:
    setup = Setup("uno", "classic", ("mix2", "random"), 6)
    live = LiveGame(setup)
    finish(live)
    with pytest.raises(BadValue, match="comes after the end"):
        LiveGame(setup, [[*live.deals[0], "draw"]])
    with pytest.raises(BadValue, match="2 deals"):
        LiveGame(setup, [live.deals[0], []])
    with pytest.raises(BadValue, match="is not legal"):
        LiveGame(setup, [["keep"]])


# -- what if --


@pytest.mark.parametrize(("game", "rules", "bots"), [LINEUPS[0], LINEUPS[1], LINEUPS[3]])
def test_game_starts_from_a_position_of_a_record(game: str, rules: str, bots: tuple[str, ...]) -> None:
    first = LiveGame(Setup(game, rules, bots, 5))
    finish(first)
    text = recorded(first).to_text()
    for at in (0, 7, len(first.deals[0])):
        again = LiveGame(Setup.of_written(text, at, bots))
        assert again.deals == [first.deals[0][:at]]
        finish(again)
        assert again.deals == first.deals  # the same bots in the same seats play the same game again
    other = LiveGame(Setup.of_written(text, 7, [None, *bots[1:]]), names=["Ann", *bots[1:]])
    finish(other, random.Random(1))
    assert other.deals[0][:7] == first.deals[0][:7]
    assert replay(recorded(other)).outcome == other.outcome
    assert LiveGame(other.setup, other.deals).deals == other.deals


def test_game_starts_from_a_deck_of_hanab_live() -> None:
    first = LiveGame(Setup("hanabi", "standard", ("iggi", "piers"), 5))
    finish(first)
    text = json.dumps(first.foreign())
    again = LiveGame(Setup.of_written(text, 10, [None, "piers"]))
    assert again.deals == [first.deals[0][:10]]
    finish(again, random.Random(3))
    assert (again.foreign() or {})["deck"] == json.loads(text)["deck"]
    assert again.record() is None  # of our own form: the cards come from no seed


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"at": 99_999}, "out of range"),
        ({"at": -1}, "out of range"),
        ({"seats": (None, "mix2")}, "3 seats"),
        ({"rules": "official"}, "played by classic"),
        ({"game": "hanabi", "rules": "standard", "seats": (None,) * 3}, "of uno"),
        ({"to": "500"}, "one deal"),
        ({"start": ""}, "without a recorded game"),
        ({"start": "nonsense"}, "not JSON"),
        ({"start": "uno/1;classic;seed=1;deal=0;seats=a|b|c;actions=draw.keep.keep.keep"}, "is not legal"),
    ],
)
def test_start_that_does_not_fit_is_refused(change: dict[str, Any], why: str) -> None:
    first = LiveGame(Setup("uno", "classic", ("mix2",) * 3, 5))
    finish(first)
    setup = Setup.of_written(recorded(first).to_text(), 5, (None, "mix2", "mix2"))
    with pytest.raises(KibitzError, match=why):
        replace(setup, **change)


# -- persons --


def test_person_is_held_to_the_rules_and_nothing_changes() -> None:
    live = LiveGame(Setup("uno", "classic", (None, None), 3), names=["Ann", "Bob"])
    seat = live.to_act
    assert seat is not None
    before = [position_message(live, viewer) for viewer in (0, 1, None)]
    held = [card for card in live.view(seat).cards() if not live.view(seat).can_play(card)]
    illegal = live.definition.action_name(None, held[0])
    for who, action, why in (
        (1 - seat, "draw", "not your turn"),
        (seat, illegal, "does not fit on"),
        (seat, "keep", "no answer here"),
        (seat, "nonsense", "is not an action"),
        (7, "draw", "not a person's"),
    ):
        with pytest.raises(KibitzError, match=why):
            live.act(who, action)
        assert [position_message(live, viewer) for viewer in (0, 1, None)] == before
    live.act(seat, "draw")
    assert live.position == 1


def test_nobody_acts_for_a_bot() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 3))
    while live.to_act == 0:
        live.act(0, live.legal_names(0)[-1])
    with pytest.raises(BadValue, match="seat 1 is not a person's"):
        live.act(1, live.legal_names(1)[0])


def test_nobody_acts_after_the_end() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 3))
    with pytest.raises(BadValue, match="not over yet"):
        live.next_deal()
    finish(live, random.Random(1))
    with pytest.raises(BadValue, match="over"):
        live.act(0, "draw")
    with pytest.raises(BadValue, match="over"):
        live.next_deal()
    assert live.bot_step() is None
    assert live.legal_names() == []
    assert live.to_act is None


def test_hanabi_says_why_not() -> None:
    live = LiveGame(Setup("hanabi", "standard", (None, "iggi"), 3))
    with pytest.raises(BadValue, match=r"^Nothing may be discarded while all 8 tokens are there\.$"):
        live.act(0, "discard:0")


def test_forced_steps_are_not_asked_and_say_why() -> None:
    live = LiveGame(Setup("uno", HOUSE, (None, "mix2", "random"), 11))
    steps = finish(live, random.Random(4))
    own = [step for step in steps if step.seat == 0]
    assert {step.why for step in own} == {FORCED, CHOSEN}
    assert USUAL in {step.why for step in steps}  # a bot that does not know a window
    drew = [step for step in own if step.why == FORCED and step.action == "draw"]
    assert drew
    assert all(step.words[0][0].startswith("Nothing fits: you draw ") for step in drew if step.events[0].count)
    chosen = [step for step in own if step.why == CHOSEN and step.action == "draw"]
    assert all(step.words[0][0].startswith("You draw ") for step in chosen)


def test_everybody_is_called_by_name() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2", "mix2", None), 2), names=["Ann", "mix2", "mix2", "Bob"])
    live.rename(3, "Robert")
    finish(live, random.Random(2))
    said = "\n".join(live.log(0))
    assert "You play" in said
    assert "Robert" in said
    assert "Ann" not in said
    assert "mix2 (1)" in said
    assert "mix2 (2)" in said
    assert "Ann plays" in "\n".join(live.log(None))
    assert "You" not in "\n".join(live.log(None))


# -- jumping in --

# Two copies of ten cards only, and big hands: somebody nearly always holds the card just played.
JUMPS = "classic,deck=r1*2/r2*2/r3*2/g1*2/g2*2/g3*2/b1*2/b2*2/b3*2/y1*2/y2*2/y3*2,hand_size=6,jump_in=on"


def jump_in_open(seats: Sequence[str | None]) -> LiveGame:
    """A game in which a person may jump in before another person's turn."""
    for seed in range(200):
        live = LiveGame(Setup("uno", JUMPS, tuple(seats), seed))
        finish(live, random.Random(seed), 1)
        state = live._state
        if (
            not live.is_over
            and state.phase == JUMPING_IN
            and state.next_seat != state.jumper
            and len(live.legal_names(state.next_seat)) > 1
        ):
            return live
    raise AssertionError("no such game")


def test_chance_to_jump_in_is_nobody_elses_business() -> None:
    live = jump_in_open((None, None, None))
    jumper, following = int(live._state.jumper), int(live._state.next_seat)
    other = next(seat for seat in range(3) if seat not in (jumper, following))
    assert live.view(jumper).phase == JUMPING_IN
    before = {viewer: position_message(live, viewer) for viewer in (following, other, None)}
    assert before[following]["decision"]["phase"] == "turn"
    assert before[None]["view"]["current"] == following
    step = live.act(jumper, "pass")
    assert step.hidden
    for viewer in before:
        assert update_message(live, step, viewer) is None
        assert position_message(live, viewer) == before[viewer]
    assert update_message(live, step, jumper) is not None


def test_next_player_may_be_faster_than_who_might_jump_in() -> None:
    live = jump_in_open((None, None, None))
    jumper, following = int(live._state.jumper), int(live._state.next_seat)
    position = live.position
    action = live.legal_names(following)[0]
    step = live.act(following, action)
    assert (step.seat, step.action, step.position) == (following, action, position + 1)
    assert live.deals[0][-2:] == ["pass", action]
    with pytest.raises(BadValue):
        live.act(jumper, "jump-in")
    assert LiveGame(live.setup, live.deals).position == live.position


def test_jumping_in_works() -> None:
    live = jump_in_open((None, None, None))
    jumper = int(live._state.jumper)
    step = live.act(jumper, "jump-in")
    assert not step.hidden
    assert step.words[jumper][0] == "You jump in."


# -- what is heard --


class Listener:
    """Hears what a bot hears."""

    valuation = None

    def __init__(self) -> None:
        self.heard: list[tuple[Any, Any]] = []

    def begin(self, view: Any) -> None:
        self.heard.append((view, None))

    def observe(self, view: Any, event: Any) -> None:
        self.heard.append((view, event))

    def choose(self, view: Any) -> int:
        return next(action for action in range(85) if view.is_legal(action))


@pytest.mark.parametrize(("game", "rules"), [("uno", HOUSE), ("hanabi", "standard")])
def test_seat_has_heard_what_a_bot_there_hears(game: str, rules: str) -> None:
    live = LiveGame(Setup(game, rules, ("random",) * 3, 9))
    listener: Any = Listener()
    live._bots[1] = listener
    live._observing = [1]
    live._begin_bots()
    finish(live)
    assert equal(live.recall(1)()[-1][0], live.view(1))
    heard = [entry for place, entry in enumerate(live.recall(1)()) if entry[1] is not None or not place]
    assert [repr(event) for _, event in heard] == [repr(event) for _, event in listener.heard]
    for (ours, _), (theirs, _) in zip(heard, listener.heard, strict=True):
        assert ours.random_stream != theirs.random_stream
        theirs.random_stream = ours.random_stream
        assert equal(ours, theirs)
    assert live.view(1).random_stream not in live._state.seat_streams[: live.players]


# -- threads --


def test_others_may_look_while_a_bot_thinks() -> None:
    thinks, may_go_on = threading.Event(), threading.Event()

    class Thinker(Listener):
        def choose(self, view: Any) -> int:
            thinks.set()
            assert may_go_on.wait(60)
            return super().choose(view)

    live = LiveGame(Setup("uno", "classic", ("random", "random", None), 9))
    thinker: Any = Thinker()
    live._bots[:2] = [thinker, thinker]
    thread = threading.Thread(target=lambda: finish(live, random.Random(1), 30))
    thread.start()
    assert thinks.wait(60)
    first = position_message(live, 2)
    assert first == position_message(live, 2)
    may_go_on.set()
    while thread.is_alive():  # whatever is looked at, the game goes its way
        position_message(live, 2)
        position_message(live, None)
    thread.join()
    again = LiveGame(live.setup)
    again._bots[:2] = [thinker, thinker]
    finish(again, random.Random(1), 30)
    assert again.deals == live.deals


# -- setups --


def test_setup_survives_json() -> None:
    setup = Setup("uno", "official,hand_size=5", ("mix2:points", None), 2**64 - 1, "500+")
    assert Setup.from_json(json.loads(json.dumps(setup.to_json()))) == setup


FILES = ("bots/evil.py", "evil.py:Bot", "score:weights=/etc/passwd", "rollout:milliseconds=100000", "../mix2", "", 7)
HANABI = {"game": "hanabi", "rules": "standard"}
BAD_SETUPS: list[tuple[dict[str, Any], str]] = [
    ({"game": "chess"}, "uno or hanabi"),
    ({"game": ["uno"]}, "uno or hanabi"),
    ({"rules": "/tmp/rules.toml"}, "preset and switches"),
    ({"rules": "rules.toml ,hand_size=3"}, "preset and switches"),
    ({"rules": ["classic"]}, "preset and switches"),
    ({"rules": "nonsense"}, "unknown rules"),
    ({"seats": [None]}, "1 seats"),
    ({"seats": [None] * 11}, "11 seats"),
    ({"seats": "mix2"}, "one entry for each seat"),
    ({"seats": [None, "mix3"]}, "did you mean"),
    ({"seats": [None, "iggi"]}, "plays hanabi"),
    ({"seats": [None, "cheater"]}, "sees hidden cards"),
    *(({"seats": [bot, None]}, "is not accepted here") for bot in FILES),
    ({**HANABI, "seats": [None, "meanimax", "iggi"]}, "among 2 players"),
    ({**HANABI, "seats": [None, "iggi"], "to": "500"}, "no contests"),
    ({"seed": -1}, "out of range"),
    ({"seed": 1.5}, "whole number"),
    ({"seed": True}, "whole number"),
    *(({"seed": None, "secret": secret}, "32 hexadecimal digits") for secret in ("", SECRET.upper(), SECRET + "0", 5)),
    ({"secret": SECRET}, "exclude each other"),
    ({"to": 500}, "such as 500"),
    ({"to": "0"}, "not accepted"),
    ({"to": "99999"}, "at most"),
    ({"at": "1"}, "number of its actions"),
    ({"more": 1}, "not understood"),
]


@pytest.mark.parametrize(("change", "why"), BAD_SETUPS, ids=[str(change) for change, _ in BAD_SETUPS])
def test_setup_refuses_what_it_does_not_know(change: dict[str, Any], why: str) -> None:
    with pytest.raises(KibitzError, match=why):
        Setup.from_json({**Setup("uno", "classic", (None, "mix2"), 1).to_json(), **change})


def test_setup_needs_everything() -> None:
    with pytest.raises(BadValue, match="seed is missing"):
        Setup.from_json({"game": "uno", "rules": "classic", "seats": [None, "mix2"]})
    with pytest.raises(BadValue, match="JSON object"):
        Setup.from_json([])


def test_cheater_plays_among_bots() -> None:
    assert LiveGame(Setup("uno", "classic", ("cheater", "mix2"), 1)).is_open


# -- nobody is waited for without end --


def test_an_action_that_a_bot_cannot_bear_to_hear_of_has_happened_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveGame(Setup("uno", "classic,starter=seat_0", (None, "mix2"), 5))

    def deaf(player: Any) -> Any:
        raise ValueError("what?")

    live._observing = [1]
    monkeypatch.setattr("kibitz.table.live._tell_all", lambda player: lambda view, events: deaf(player))
    step = live.act(0, live.legal_names(0)[0])
    assert live.deals == [[step.action]]
    with pytest.raises(KibitzError, match="mix2 in seat 1"):
        live.bot_step()


def test_a_chance_to_jump_in_that_holds_up_a_bot_can_be_let_pass() -> None:
    """In 20 games of one person among three bots there are such chances; a person's own turn never is one."""
    passed = 0
    for seed in range(20):
        live, rng = LiveGame(Setup("uno", HOUSE, (None, "mix2", "random", "mix2"), seed)), random.Random(seed)
        while not live.is_over:
            held_up = live.is_held_up
            assert not held_up or live.is_offered_jump_in(0)
            position = live.position
            step = live.let_pass()
            assert (step is not None) == held_up
            if step is not None:
                passed += 1
                assert (step.seat, step.action, step.hidden, live.position) == (0, "pass", True, position)
            elif live.bot_step() is None:
                live.act(0, rng.choice(live.legal_names(0)))
        assert replay(recorded(live)).outcome == live.outcome
    assert passed > 0


# -- where the cards come from --


def played_contest(setup: Setup) -> list[LiveGame]:
    """A contest between bots, as it stood after each deal."""
    live, after = LiveGame(setup), []
    while True:
        while live.bot_step() is not None:
            pass
        after.append(LiveGame(setup, live.deals))
        if live.is_finished:
            return after
        live.next_deal()


def test_each_deal_of_a_secret_has_a_seed_of_its_own_that_its_record_names() -> None:
    setup = Setup("uno", "official", ("random", "greedy"), None, "150", secret=SECRET)
    records = [recorded(live) for live in played_contest(setup)]
    seeds = [record.seed for record in records]
    assert len(seeds) > 2
    assert seeds == [setup.seed_of(deal) for deal in range(len(seeds))]
    assert len(set(seeds)) == len(seeds) and min(seeds) > 2**40
    for record in records:
        written = Record.from_text(record.to_text())
        assert agrees(written, replay(written, keep_steps=False))


def test_equal_secrets_deal_equal_cards_and_others_do_not() -> None:
    def opening(secret: str) -> str:
        live = LiveGame(Setup("hanabi", "standard", ("random", "random"), None, secret=secret))
        return str(live.definition.hands(live.opening()))

    others = [f"{int(SECRET, 16) ^ 1 << bit:032x}" for bit in range(128)]  # every bit counts
    assert opening(SECRET) == opening(SECRET)
    assert len({opening(secret) for secret in (SECRET, *others)}) == 129


def test_a_table_of_an_earlier_version_keeps_its_seed() -> None:
    kept = {"game": "uno", "rules": "official", "seats": ["random", "random"], "seed": 5, "to": "200", "start": "", "at": 0}
    setup = Setup.from_json(kept)
    assert [recorded(live).seed for live in played_contest(setup)][:2] == [5, 5]
    assert Setup.from_json(setup.to_json()) == setup
