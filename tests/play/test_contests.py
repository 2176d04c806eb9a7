"""Contests: deals until somebody has so many points, in every way of playing, and the figures that come of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import pytest

import kibitz
from kibitz.core.errors import BadValue, BotFault
from kibitz.core.seeds import deal_key, game_key
from kibitz.experiments.batch import Batch, packed_work
from kibitz.games.uno.view import WON
from kibitz.play.game import PlayedContest, PlayedGame, play, play_contest
from kibitz.play.lineup import MAX_TARGET, Lineup, make_lineup, parse_target, plain_table
from kibitz.play.loop import CONTEST_DEALS, CONTEST_ENTRIES, CONTESTS, CONTESTS_UNFINISHED, DEALS_UNFINISHED, MAX_BARREN_DEALS, kernels_for
from kibitz.play.playing import play_compiled, play_mixed, play_plain
from kibitz.report.transcript import contest_ending
from kibitz.runs.units import Unit
from kibitz.stats.summary import ContestRow
from tests.bots.fingerprint import PythonFingerprint, fingerprint
from tests.experiments.test_batch import tally
from tests.play.endings import compiled_ending, mixed_ending, plain_ending

pytestmark = pytest.mark.usefixtures("both_ways")
BOTS = ["mix2", "greedy", "random"]
ZEROS = "classic,deck=r0*7/g0*7/b0*7,hand_size=3"  # a game can be won, but never with points
SHORT = "official,seven_zero=on,stacking=progressive,hand_size=3,max_turns=60"


def contests(bots: list[Any], count: int, **options: Any) -> list[PlayedContest]:
    return [play_contest(bots, index=index, **options) for index in range(count)]


def told(game: PlayedGame) -> list[str]:
    """Everything that happened in a deal."""
    return [repr(event) for step in game.steps for event in step.events] + [str(step.hands) for step in [game.opening, *game.steps]]


# -- the target --


@pytest.mark.parametrize(
    ("to", "points"), [(None, 0), ("500", 500), (500, 500), ("500+", 501), ("1", 1), ("1+", 2), (str(MAX_TARGET), MAX_TARGET)]
)
def test_target_is_read(to: str | int | None, points: int) -> None:
    assert parse_target(to) == points
    lineup = make_lineup(BOTS, to=to)
    assert lineup.target == points
    assert lineup.to == (None if to is None else str(to))


BAD_TARGETS = ["0", 0, "-5", -5, "abc", "500++", "+500", "5+0", "", "+", "5e2", "5.5", "²", " 500", MAX_TARGET + 1]


@pytest.mark.parametrize("to", BAD_TARGETS)
def test_bad_target_is_refused_in_one_sentence(to: Any) -> None:
    for refuse in (lambda: parse_target(to), lambda: make_lineup(BOTS, to=to), lambda: kibitz.match(BOTS, games=1, to=to)):
        with pytest.raises(BadValue) as refused:
            refuse()
        assert str(refused.value) == (
            f"to={to} is not accepted; it is a number of points from 1 to {MAX_TARGET}, such as 500, or 500+ for more than that."
        )


# -- how a contest goes --


def running_scores(contest: PlayedContest) -> list[list[int]]:
    """The scores before each deal and at the end, added up anew."""
    scores = [0] * len(contest.deals[0].seats)
    seen = [scores]
    for deal in contest.deals:
        scores = [score + (deal.points if seat == deal.winner else 0) for seat, score in enumerate(scores)]
        seen.append(scores)
    return seen


@pytest.mark.parametrize(("to", "needed"), [("200", 200), ("200+", 201), (1, 1)])
@pytest.mark.parametrize("rules", ["classic", SHORT])
def test_contest_ends_with_the_first_deal_that_brings_enough_points(rules: str, to: str | int, needed: int) -> None:
    for contest in contests(BOTS, 4, to=to, seed=5, rules=rules):
        scores = running_scores(contest)
        assert contest.scores == scores[-1]
        assert contest.winner is not None
        assert contest.scores[contest.winner] == max(contest.scores) >= needed
        assert all(max(before) < needed for before in scores[:-1])
        assert contest.winner == contest.deals[-1].winner
        assert contest.is_over


def test_exactly_so_many_points_end_a_contest_to_so_many_but_not_to_more() -> None:
    first = play_contest(BOTS, to=1, seed=8).deals[0]
    assert first.points > 1
    at_least = play_contest(BOTS, to=first.points, seed=8)
    more = play_contest(BOTS, to=f"{first.points}+", seed=8)
    assert (len(at_least.deals), at_least.winner) == (1, first.winner)
    assert len(more.deals) > 1
    assert max(more.scores) > first.points
    assert len(play_contest(BOTS, to=first.points + 1, seed=8).deals) == len(more.deals)
    assert len(play_contest(BOTS, to=f"{first.points - 1}+", seed=8).deals) == 1


def test_scores_stand_in_every_deal_from_its_beginning() -> None:
    contest = play_contest(BOTS, to=300, seed=2)
    assert len(contest.deals) > 2
    for before, deal in zip(running_scores(contest), contest.deals, strict=False):
        assert list(deal.opening.state.scores[:3]) == before
        assert all(list(step.state.scores[:3]) == before for step in deal.steps)


class Seeing:
    """A Python bot that keeps the scores it sees and when."""

    seen: ClassVar[list[tuple[str, int, tuple[int, ...]]]] = []

    def begin(self, view: Any) -> None:
        self.seen.append(("begin", view.seat, tuple(view.scores[: view.players])))

    def observe(self, view: Any, event: Any) -> None:
        self.seen.append(("observe", view.seat, tuple(view.scores[: view.players])))

    def choose(self, view: Any) -> int:
        self.seen.append(("choose", view.seat, tuple(view.scores[: view.players])))
        return int(view.play(view.pick(view.playable()), 0))


@pytest.mark.parametrize("play_batch", [play_mixed, play_plain])
def test_bots_see_the_scores(play_batch: Any) -> None:
    Seeing.seen.clear()
    lineup = make_lineup([Seeing, "mix2"], to="200", seating="fixed")
    play_batch(lineup, 6, Unit(0, 1))
    expected = running_scores(play_contest([Seeing, "mix2"], to=200, seed=6, seating="fixed"))[:-1]
    for when in ("begin", "observe", "choose"):
        shown = [scores for moment, seat, scores in Seeing.seen if moment == when and seat == 0]
        assert [list(scores) for scores in dict.fromkeys(shown)] == [list(scores) for scores in dict.fromkeys(map(tuple, expected))]
    assert len(expected) > 2


class OneDeal:
    """A Python bot that is at fault if it is used for a second deal."""

    begun = False

    def begin(self, view: Any) -> None:
        assert not self.begun
        self.begun = True

    def choose(self, view: Any) -> int:
        assert self.begun
        return int(view.play(view.pick(view.playable()), 0))


@pytest.mark.parametrize("play_batch", [play_mixed, play_plain])
def test_every_deal_has_a_fresh_python_bot(play_batch: Any) -> None:
    result = play_batch(make_lineup([OneDeal, OneDeal, "random"], to="150"), 6, Unit(0, 2)).tolist()
    assert result[CONTEST_DEALS] > 2 * result[CONTESTS] == 4
    assert len(play_contest([OneDeal, "random"], to=150, seed=6).deals) > 1


# -- who deals --


def test_dealer_moves_one_seat_on_from_deal_to_deal() -> None:
    for rules in ("classic", SHORT):
        for contest in contests(BOTS, 3, to=250, seed=3, rules=rules):
            dealers = [deal.opening.state.dealer for deal in contest.deals]
            assert dealers == [(dealers[0] + place) % 3 for place in range(len(dealers))]
            assert len(dealers) > 1


def test_first_dealer_is_drawn() -> None:
    """Three seats, 60 contests: one of them never dealing first would be seen less than once in 10**10."""
    assert {contest.deals[0].opening.state.dealer for contest in contests(BOTS, 60, to=1, seed=3)} == {0, 1, 2}


def test_dealer_moves_on_after_a_deal_without_points_too() -> None:
    for rules, status in ((ZEROS, "won"), (f"{ZEROS},max_turns=4", "cut off")):
        contest = play_contest(["random"] * 3, to=5, rules=rules)
        assert {deal.status for deal in contest.deals} == {status}
        dealers = [deal.opening.state.dealer for deal in contest.deals]
        assert dealers == [(dealers[0] + place) % 3 for place in range(100)]


def test_seat_0_begins_every_deal_where_the_rules_say_so() -> None:
    contest = play_contest(BOTS, to=250, seed=3, rules="classic,starter=seat_0,opening=none")
    assert len(contest.deals) > 2
    assert {(deal.opening.state.dealer, deal.opening.state.current) for deal in contest.deals} == {(2, 0)}


def test_starter_is_drawn_for_every_deal_where_the_rules_say_so() -> None:
    """A contest of at least 20 deals of three players: steps of one each time would come up once in 3**19."""
    contest = play_contest(BOTS, to=800, seed=3, rules="classic,starter=random_seat")
    dealers = [deal.opening.state.dealer for deal in contest.deals]
    assert len(dealers) >= 20
    assert dealers != [(dealers[0] + place) % 3 for place in range(len(dealers))]
    assert set(dealers) == {0, 1, 2}


def test_single_games_do_not_depend_on_a_contest_before_them() -> None:
    """One state plays one game after another; a dealer or score left over would show."""
    lineup = make_lineup(["random", "mix2"], to="60")
    together = play_compiled(lineup, 4, Unit(0, 12))
    apart = sum(play_compiled(lineup, 4, Unit(index, 1)) for index in range(12))
    assert together.tolist() == list(apart)  # type: ignore[arg-type]  # a sum of arrays


# -- seeds --


def test_first_deal_of_a_contest_is_the_game_of_that_index() -> None:
    for rules in ("classic", SHORT):
        for index in range(4):
            game, deal = (
                play(BOTS, seed=11, index=index, rules=rules),
                play_contest(BOTS, to=100, seed=11, index=index, rules=rules).deals[0],
            )
            assert (deal.seats, deal.winner, deal.points, deal.turns, deal.deal) == (game.seats, game.winner, game.points, game.turns, 0)
            assert told(deal) == told(game)


def test_deals_of_a_contest_are_all_different() -> None:
    deals = play_contest(BOTS, to=500, seed=4).deals
    openings = {str(deal.opening.hands) for deal in deals}
    assert len(openings) == len(deals) > 3
    assert [deal.deal for deal in deals] == list(range(len(deals)))


def test_no_two_deals_of_a_batch_begin_alike() -> None:
    keys = [deal_key(game_key(1, index), deal) for index in range(300) for deal in range(100)]
    assert len(set(keys)) == len(keys)
    assert deal_key(game_key(1, 5), 0) == game_key(1, 5)


def test_seats_are_drawn_once_a_contest() -> None:
    seatings = set()
    for contest in contests(BOTS, 40, to=60, seed=9):
        assert len({tuple(deal.seats) for deal in contest.deals}) == 1
        seatings.add(tuple(contest.deals[0].seats))
    assert len(seatings) == 6  # of 40: one is missing less than once in 200 tries, and the seed is fixed
    fixed = contests(BOTS, 5, to=150, seed=9, seating="fixed")
    assert {tuple(deal.seats) for contest in fixed for deal in contest.deals} == {("mix2:win_rate", "greedy", "random")}


# -- equal results --


@pytest.mark.parametrize("rules", ["classic", SHORT])
def test_equal_seeds_give_equal_results_for_any_threads_and_units(rules: str, both_ways: str) -> None:
    lineup, count = make_lineup(["card_counting", "mix2", "random"], rules, to="150"), 20 if both_ways == "plain" else 90
    ways = [(1, 1000), (2, 40), (3, 7)]
    results = [tally(Batch(lineup, count, 11, unit_size=size), threads) for threads, size in ways]
    assert all(result == results[0] for result in results)
    assert results[0][CONTESTS] == count
    assert tally(Batch(lineup, count, 12), 2) != results[0]


@pytest.mark.parametrize("rules", ["classic,hand_size=3", SHORT, "modern,jump_in=on,hand_size=2", "hearn,hand_size=3"])
def test_contests_are_the_same_compiled_plain_and_with_python_bots(rules: str) -> None:
    compiled = make_lineup([fingerprint, "mix2", "random"], rules, to="40")
    mixed = make_lineup([PythonFingerprint, "mix2", "random"], rules, to="40")
    for index in range(2):
        ending = compiled_ending(compiled, 3, index)
        assert ending == plain_ending(compiled, 3, index) == mixed_ending(mixed, 3, index) == plain_ending(mixed, 3, index)
        assert max(ending["scores"]) >= 40
    unit = Unit(5, 2)
    expected = play_compiled(compiled, 3, unit).tolist()
    assert expected == play_plain(compiled, 3, unit).tolist() == play_mixed(mixed, 3, unit).tolist()


def test_contests_travel_to_worker_processes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    def choose(self, view):\n        return view.play(view.pick(view.playable()), 0)\n")
    batch = Batch(make_lineup([f"{file}:Mine", "random"], SHORT, to="100+"), 6, 5)
    job = packed_work(batch)
    assert job is not None
    assert job(Unit(0, 6)).tolist() == batch.play_unit(Unit(0, 6)).tolist()


# -- contests without a winner --


@pytest.mark.parametrize("play_batch", [play_compiled, play_plain])
def test_contest_in_which_nobody_gains_a_point_is_unfinished(play_batch: Any) -> None:
    assert MAX_BARREN_DEALS == 100
    result = play_batch(make_lineup(["random"] * 3, ZEROS, to="1"), 2, Unit(0, 2)).tolist()
    assert (result[CONTESTS], result[CONTESTS_UNFINISHED], result[CONTEST_DEALS], result[DEALS_UNFINISHED]) == (2, 2, 200, 0)
    assert result[CONTEST_ENTRIES:] == [0] * len(result[CONTEST_ENTRIES:])


def test_contest_without_a_winner_is_reported() -> None:
    contest = play_contest(["random"] * 3, to=1, rules=ZEROS)
    assert (contest.winner, contest.scores, len(contest.deals), contest.is_over) == (None, [0, 0, 0], 100, True)
    assert {deal.status for deal in contest.deals} == {"won"}
    assert "no winner" in repr(contest)
    assert "without a winner" in contest_ending(contest).plain
    row = kibitz.match(["random"] * 3, rules=ZEROS, to=1, games=5)[0]
    assert (row.games, row.wins, row.unfinished, row.to_dict()["deals"], row.to_dict()["unfinished_deals"]) == (5, 0, 5, 100.0, 0)


def test_unfinished_deals_are_reported_and_count_as_deals() -> None:
    row = kibitz.match(["random"] * 2, rules="classic,max_turns=3", to=50, games=4)[0]
    assert isinstance(row, ContestRow)
    assert (row.unfinished, row.unfinished_deals, row.deals) == (4, 400, 100.0)
    some = kibitz.match(["random"] * 2, rules="classic,max_turns=30", to=50, games=20, seed=3)[0]
    assert isinstance(some, ContestRow)
    by_hand = contests(["random"] * 2, 20, to=50, rules="classic,max_turns=30", seed=3)
    assert some.unfinished_deals == sum(deal.winner is None for contest in by_hand for deal in contest.deals) > 0
    assert some.deals_total == sum(len(contest.deals) for contest in by_hand)


def decided(lineup: Lineup, barren: int, status: int, points: int, winner: int) -> tuple[bool, int, int]:
    """Whether a contest ends with a deal; deals in a row without points then, and unfinished ones."""
    table, state = plain_table(lineup), lineup.new_state()
    kernels_for(lineup.game).start_game(table, state, 1, 0)
    table.barren = barren
    state.status, state.points, state.winner = status, points, winner
    return bool(kernels_for(lineup.game).is_decided(table, state)), table.barren, table.unfinished_deals


def test_only_deals_in_a_row_count_against_a_contest() -> None:
    lineup = make_lineup(["random"] * 2, to="50")
    assert decided(lineup, 98, WON, 0, 1) == (False, 99, 0)
    assert decided(lineup, 99, WON, 0, 1) == (True, 100, 0)
    assert decided(lineup, 99, WON, 7, 1) == (False, 0, 0)
    assert decided(lineup, 99, WON, 50, 1) == (True, 0, 0)
    assert decided(lineup, 5, 2, 0, 127) == (False, 6, 1)
    assert decided(make_lineup(["random"] * 2), 0, 2, 0, 127)[0]  # a single deal is always the last


# -- figures --


def test_figures_of_a_match_are_those_of_its_contests() -> None:
    options: dict[str, Any] = {"to": "120", "seed": 7, "rules": SHORT}
    played = contests(BOTS, 30, **options)
    result = kibitz.match(BOTS, games=30, **options)
    names = ["mix2:win_rate", "greedy", "random"]
    deals = [len(contest.deals) for contest in played]
    for entry, name in enumerate(names):
        row = result[entry]
        assert isinstance(row, ContestRow)
        seats = [contest.deals[0].seats.index(name) for contest in played]
        points = [contest.scores[seat] for contest, seat in zip(played, seats, strict=True)]
        wins = sum(contest.winner == seat for contest, seat in zip(played, seats, strict=True))
        ratio = sum(points) / sum(deals)
        residuals = [gained - ratio * count for gained, count in zip(points, deals, strict=True)]
        assert (row.bot, row.games, row.wins, row.unfinished) == (name, 30, wins, 0)
        assert row.points == pytest.approx(ratio)
        assert row.points_se == pytest.approx(math.sqrt(30 / 29 * sum(value * value for value in residuals)) / sum(deals))
        assert row.deals == pytest.approx(sum(deals) / 30)
        mean = sum(deals) / 30
        assert row.deals_se == pytest.approx(math.sqrt(sum((count - mean) ** 2 for count in deals) / 29 / 30))
        assert row.turns == pytest.approx(sum(deal.turns for contest in played for deal in contest.deals) / sum(deals))
        assert row.win_rate_se == pytest.approx(math.sqrt(wins / 30 * (1 - wins / 30) / 29))
        assert row.unfinished_deals == sum(deal.winner is None for contest in played for deal in contest.deals)
    assert sum(row.wins for row in result.rows) == 30


def test_contests_of_an_evaluation_are_those_of_a_match() -> None:
    evaluation = kibitz.evaluate(["mix2", "greedy"], players=3, against="random", to=100, games=40, seed=3)
    for name in ("mix2", "greedy"):
        assert evaluation[name] == kibitz.match([name, "random", "random"], to=100, games=40, seed=3)[0]


def test_result_of_contests_says_so() -> None:
    result = kibitz.match(["mix2", "random"], to="100+", games=20, seed=3)
    value = result.to_dict()
    keys = "command game rules players against games seed seating to rows seconds games_per_second complete version results_version"
    assert list(value) == keys.split()
    assert value["to"] == "100+"
    assert "deals" in value["rows"][0]
    assert "20 contests to 100+" in repr(result)
    assert "deals" in repr(result)
    single = kibitz.match(["mix2", "random"], games=20, seed=3).to_dict()
    assert "to" not in single
    assert "deals" not in single["rows"][0]


def test_played_contest_as_a_dictionary() -> None:
    contest = play_contest(["mix2", "random"], to="60+", seed=3, index=2)
    value = contest.to_dict()
    assert list(value)[:3] == ["to", "winner", "scores"]
    assert (value["to"], value["winner"], value["scores"]) == ("60+", contest.winner, contest.scores)
    assert [deal["points"] for deal in value["deals"]] == [deal.points for deal in contest.deals]
    assert repr(contest).startswith("<contest to 60+, 2 of seed 3, classic: ")
    assert contest_ending(contest).plain.endswith(f"seat {contest.winner} wins the contest to 60+ after {len(contest.deals)} deals.")


# -- faults --


@kibitz.bot
def illegal_when_ahead(view: Any) -> int:
    """Plays at random until it has points, then answers nonsense."""
    return 500 if view.scores[view.seat] > 0 else view.play(view.pick(view.playable()), 0)


class IllegalWhenAhead:
    """The same in Python."""

    def choose(self, view: Any) -> int:
        return 500 if view.scores[view.seat] > 0 else view.play(view.pick(view.playable()), 0)


@pytest.mark.parametrize(
    ("bot", "play_batch"),
    [(illegal_when_ahead, play_compiled), (illegal_when_ahead, play_plain), (IllegalWhenAhead, play_mixed), (IllegalWhenAhead, play_plain)],
)
def test_fault_in_a_contest_names_the_contest_that_reproduces_it(bot: Any, play_batch: Any) -> None:
    with pytest.raises(BotFault) as fault:
        play_batch(make_lineup([bot, "random"], to="300+"), 5, Unit(3, 10))
    assert str(fault.value).endswith(
        f"answered 500, which is not an action (reproduce with --seed 5 --index {fault.value.index} --to 300+)"
    )
    with pytest.raises(BotFault) as again:
        play_contest([bot, "random"], to="300+", seed=5, index=fault.value.index)
    assert (again.value.seat, again.value.index) == (fault.value.seat, fault.value.index)
    assert isinstance(again.value.played, PlayedGame)
    assert again.value.played.deal > 0
