"""What a bot's author may rely on: `@kibitz.bot`, its arguments, its memory, and what is said when something is wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import REAL, SWITCH, WHOLE
from kibitz.core.errors import BadBot, BadValue, BotFault
from kibitz.core.layouts import Byte, Long, Word64
from kibitz.games.uno.cards import KEEP
from kibitz.games.uno.engine import TALLY_ENTRIES
from kibitz.games.uno.state import KEPT, PLAY, Event
from kibitz.games.uno.view import View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_mixed, play_plain
from kibitz.runs.units import Unit

GAMES = Unit(0, 200)
LEVEL = kibitz.Parameter("level", WHOLE, "how many cards are few", 0, 10)
SHARE = kibitz.Parameter("share", REAL, "a share", 0, 1)
ACTIVE = kibitz.Parameter("active", SWITCH, "a switch")
USUAL = kibitz.Parameter("usual", WHOLE, "with a default of its own", 0, 10, default=4)


class Counts:
    """Fields with the names of view methods, of every width, single and many."""

    count: Long
    hand: Byte
    play: Word64
    types: Annotated[list[int], "i8", 10]
    share: Annotated[float, "f8"]


def simply(view: View) -> int:
    return view.play(view.pick(view.playable()), view.common_colour())


def play_both(*bots: Any, unit: Unit = GAMES) -> list[int]:
    """The tally of games that must be the same compiled and plain."""
    lineup = make_lineup(bots)
    compiled = [int(value) for value in play_compiled(lineup, 9, unit)]
    assert compiled == [int(value) for value in play_plain(lineup, 9, unit)]
    return compiled


# -- arguments: any of those offered, in any order --


@kibitz.bot
def of_view(view: View) -> int:
    """Plays a random card.

    Each type alike.
    """
    return view.play(view.pick(view.playable()), view.common_colour())


@kibitz.bot(parameters=(LEVEL, ACTIVE), defaults={"level": 3, "active": True})
def of_view_and_params(view: View, params: Any) -> int:
    few = view.hand_size() <= params.level
    if few and params.active and view.phase == 0:
        return view.decline()
    return view.play(view.pick(view.playable()), 0)


@kibitz.bot(parameters=(SHARE,), presets={"low": {"share": 0.25}, "high": {"share": 0.75}})
def of_params_before_view(params: Any, view: View) -> int:
    if view.randbelow(100) < params.share * 100:
        return view.play(view.pick(view.playable()), 1)
    return view.decline()


@kibitz.bot(memory=Counts)
def of_view_and_memory(view: View, memory: Counts) -> int:
    memory.count += 1
    if memory.count % 3 == 0:
        return view.decline()
    return view.play(view.pick(view.playable()), memory.count & 3)


@kibitz.bot(scratch=Counts)
def of_scratch_and_view(scratch: Counts, view: View) -> int:
    for colour in range(4):
        scratch.types[colour] = view.colour_count(colour)
    best = 0
    for colour in range(4):
        if scratch.types[colour] > scratch.types[best]:
            best = colour
    return view.play(view.pick(view.playable()), best)


def begin_all(view: View, memory: Counts, params: Any, scratch: Counts) -> None:
    memory.hand = view.hand_size() + params.level
    scratch.count = 0


def observe_all(view: View, event: Event, memory: Counts, params: Any, scratch: Counts) -> None:
    if event.kind == PLAY:
        memory.types[event.seat] += 1
    elif event.kind == KEPT:
        memory.play |= 1 << event.seat
    memory.share += params.share / 3


@kibitz.bot(
    parameters=(LEVEL, SHARE),
    defaults={"level": 2, "share": 0.5},
    memory=Counts,
    scratch=Counts,
    begin=begin_all,
    observe=observe_all,
    hand_order="newest",
)
def of_everything(view: View, memory: Counts, params: Any, scratch: Counts) -> int:
    following = view.seat_after(1)
    if memory.types[following] > memory.hand or memory.share > 7.5:
        for place in range(view.hand_size()):
            if view.can_play(view.order[place]):
                return view.play(view.order[place], memory.types[following] & 3)
    if memory.play != 0 and view.phase == 0 and view.randbelow(4) == 0:
        return view.decline()
    return view.play(view.pick(view.playable()), view.common_colour())


def begin_view_only(view: View) -> None:
    view.randbelow(7)


def observe_event_first(event: Event, view: View) -> None:
    if event.kind == PLAY:
        view.randbelow(3)


@kibitz.bot(begin=begin_view_only, observe=observe_event_first)
def with_randomness_at_every_step(view: View) -> int:
    return view.play(view.pick(view.playable()), view.randbelow(4))


ALL_BOTS = [
    of_view,
    of_view_and_params,
    of_params_before_view,
    of_view_and_memory,
    of_scratch_and_view,
    of_everything,
    with_randomness_at_every_step,
]


@pytest.mark.parametrize("bot", ALL_BOTS, ids=lambda bot: str(bot.name))
def test_a_bot_takes_any_of_the_arguments_and_plays_the_same_compiled_and_plain(bot: Bot) -> None:
    tally = play_both(bot, "random", "greedy")
    assert tally[0] == GAMES.count


def test_users_bots_play_the_same_against_each_other() -> None:
    assert play_both(*ALL_BOTS)[0] == GAMES.count


class DrawsLots:
    """A bot in Python that draws a random number whenever it is told something."""

    def begin(self, view: View) -> None:
        self.lot = view.randbelow(4)

    def observe(self, view: View, event: Event) -> None:
        self.lot = view.randbelow(4)

    def choose(self, view: View) -> int:
        return view.play(view.pick(view.playable()), self.lot)


def test_random_numbers_of_a_python_bot_go_on_from_call_to_call() -> None:
    lineup = make_lineup([DrawsLots, "random", DrawsLots])
    assert play_mixed(lineup, 5, Unit(0, 40)).tolist() == play_plain(lineup, 5, Unit(0, 40)).tolist()


def test_a_bot_is_still_its_function() -> None:
    view = kibitz.Game(players=2, seed=3).view()
    twin = kibitz.Game(players=2, seed=3).view()
    assert of_view(view) == simply(twin)


def test_a_bot_is_named_and_described_by_its_function() -> None:
    assert of_view.name == "of_view"
    assert of_view.summary == "Plays a random card."
    assert of_view.description == "Plays a random card.\n\nEach type alike."
    assert kibitz.bot(name="other")(simply).name == "other"
    assert kibitz.bot()(simply).summary == "no description"


def test_defaults_and_presets_are_the_values_of_a_bot() -> None:
    assert registry.entrant(of_view_and_params).values == {"level": 3, "active": True}
    assert registry.entrant(of_params_before_view).values == {"share": 0.25}
    assert registry.entrant(of_params_before_view).name == "of_params_before_view:low"
    assert list(of_params_before_view.presets) == ["low", "high"]


def test_a_parameter_may_have_a_default_of_its_own() -> None:
    entrant = registry.entrant(kibitz.bot(parameters=(USUAL,))(simply))
    assert entrant.values == {"usual": 4}
    assert entrant.name == "simply"


def test_presets_and_defaults_come_before_the_default_of_a_parameter() -> None:
    assert registry.entrant(kibitz.bot(parameters=(USUAL,), defaults={"usual": 5})(simply)).values == {"usual": 5}
    assert registry.entrant(kibitz.bot(parameters=(USUAL,), presets={"p": {"usual": 6}})(simply)).values == {"usual": 6}


def test_parameters_reach_the_compiled_bot() -> None:
    """Who never plays a card cannot win; both ways of playing agree on how often the other does."""
    never = registry.Entrant("never", of_params_before_view, {"share": 0.0})
    always = registry.Entrant("always", of_params_before_view, {"share": 1.0})
    tally = play_both(never, always, unit=Unit(0, 50))
    assert tally[TALLY_ENTRIES] == 0
    assert tally[TALLY_ENTRIES + 3] > 0


def test_the_same_bot_in_two_seats_has_two_memories() -> None:
    assert play_both(of_view_and_memory, of_view_and_memory, of_everything, of_everything)[0] == GAMES.count


# -- memory --


class Turns:
    last_turn: Long
    begun: Byte


@kibitz.bot(memory=Turns)
def fails_if_a_deal_is_remembered(view: View, memory: Turns) -> int:
    if view.turn < memory.last_turn:
        return -1
    memory.last_turn = view.turn
    return view.play(view.pick(view.playable()), 0)


def begin_once(view: View, memory: Turns) -> None:
    memory.begun += 1


@kibitz.bot(memory=Turns, begin=begin_once)
def fails_unless_begun_once(view: View, memory: Turns) -> int:
    if memory.begun != 1:
        return -1
    return view.play(view.pick(view.playable()), 0)


@pytest.mark.parametrize("bot", [fails_if_a_deal_is_remembered, fails_unless_begun_once], ids=lambda bot: str(bot.name))
def test_memory_is_zero_at_the_beginning_of_every_deal(bot: Bot) -> None:
    assert play_both(bot, bot, "random")[0] == GAMES.count


@kibitz.bot(memory=Counts)
def uses_names_of_view_methods(view: View, memory: Counts) -> int:
    memory.count += view.count(view.top)
    memory.hand = view.hand_size()
    memory.types[0] = 1 if view.types() != 0 else 0
    memory.play += 1
    if memory.count < 0 or memory.hand == 0 or memory.types[0] != 1:
        return -1
    return view.play(view.pick(view.playable()), memory.count & 3)


def test_fields_of_a_memory_may_be_named_like_methods_of_the_view() -> None:
    assert play_both(uses_names_of_view_methods, "random")[0] == GAMES.count


# -- declarations that are refused --


def takes_hand(view: View, hand: int) -> int:
    return hand


def takes_event(view: View, event: Event) -> int:
    return event.card


def takes_memory(view: View, memory: Any) -> int:
    return int(memory.count)


def takes_params(view: View, params: Any) -> int:
    return int(params.level)


def takes_scratch(view: View, scratch: Any) -> int:
    return int(scratch.count)


def takes_nothing() -> int:
    return 68


def takes_only_params(params: Any) -> int:
    return int(params.level)


def sets_up_hand(view: View, hand: int) -> None:
    raise AssertionError("never called")


def sets_up_memory(view: View, memory: Any) -> None:
    raise AssertionError("never called")


def hears_nothing(memory: Any) -> None:
    raise AssertionError("never called")


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda: kibitz.bot()(takes_hand), ["takes_hand", "choose", "'hand'", "view, memory, params, scratch"]),
        (lambda: kibitz.bot()(takes_event), ["takes_event", "choose", "'event'"]),
        (lambda: kibitz.bot()(takes_memory), ["takes_memory", "choose", "'memory'", "declares no memory"]),
        (lambda: kibitz.bot()(takes_params), ["takes_params", "choose", "'params'", "declares no params"]),
        (lambda: kibitz.bot()(takes_scratch), ["takes_scratch", "choose", "'scratch'", "declares no scratch"]),
        (lambda: kibitz.bot()(takes_nothing), ["takes_nothing", "choose", "must take 'view'"]),
        (lambda: kibitz.bot(parameters=(LEVEL,), defaults={"level": 1})(takes_only_params), ["takes_only_params", "must take 'view'"]),
        (lambda: kibitz.bot(begin=sets_up_hand)(simply), ["simply", "begin", "'hand'"]),
        (lambda: kibitz.bot(begin=sets_up_memory)(simply), ["simply", "begin", "declares no memory"]),
        (lambda: kibitz.bot(observe=sets_up_memory)(simply), ["simply", "observe", "declares no memory"]),
        (lambda: kibitz.bot(observe=hears_nothing, memory=Counts)(simply), ["simply", "observe", "must take 'view'"]),
        (lambda: kibitz.bot(name="mine")(takes_hand), ["'mine'"]),
    ],
)
def test_arguments_that_are_not_offered_are_refused(declare: Callable[[], Bot], words: list[str]) -> None:
    with pytest.raises(BadBot) as refused:
        declare()
    assert all(word in str(refused.value) for word in words), str(refused.value)


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"parameters": (LEVEL,), "defaults": {"levle": 1}}, ["level", "levle"]),
        ({"parameters": (LEVEL, SHARE), "defaults": {"level": 1}}, ["share"]),
        ({"parameters": (LEVEL,), "presets": {"slow": {"level": 1}, "fast": {}}}, ["'fast'", "level"]),
        ({"parameters": (), "presets": {"slow": {"level": 1}}}, ["'slow'", "level"]),
        ({"parameters": (LEVEL,)}, ["parameters", "presets", "defaults"]),
        ({"parameters": (LEVEL, USUAL)}, ["level"]),
        ({"parameters": (LEVEL, USUAL), "presets": {"slow": {"level": 1}}}, ["'slow'", "usual"]),
    ],
)
def test_presets_that_do_not_match_the_parameters_are_refused(declared: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(BadBot) as refused:
        kibitz.bot(**declared)(simply)
    assert all(word in str(refused.value) for word in ["'simply'", *words]), str(refused.value)


def test_a_default_out_of_range_is_refused_when_the_bot_enters() -> None:
    bot = kibitz.bot(parameters=(LEVEL,), defaults={"level": 11})(simply)
    with pytest.raises(BadValue, match=r"simply.*level must be .*, got 11"):
        registry.entrant(bot)


class Strategy:
    def __call__(self, view: View) -> int:
        return 68


@pytest.mark.parametrize("thing", [Strategy, Strategy(), functools.partial(simply), 5, "mix2"])
def test_only_a_function_becomes_a_bot(thing: Any) -> None:
    with pytest.raises(BadBot, match="goes on a function"):
        kibitz.bot()(thing)


@pytest.mark.parametrize("role", ["begin", "observe"])
def test_begin_and_observe_are_functions_too(role: str) -> None:
    with pytest.raises(BadBot, match=role):
        kibitz.bot(**{role: functools.partial(begin_view_only)})(simply)  # type: ignore[call-overload]  # the role is a string here


class Untyped:
    count: int


@pytest.mark.parametrize("block", ["memory", "scratch"])
def test_a_record_whose_fields_have_no_width_is_refused(block: str) -> None:
    choose = {"memory": takes_memory, "scratch": takes_scratch}[block]
    with pytest.raises(BadBot, match=r"Untyped\.count"):
        kibitz.bot(**{block: Untyped})(choose)  # type: ignore[call-overload]  # the block is a string here


def assigns_a_field(view: View) -> int:
    view.top = 3
    return 68


def test_a_strategy_that_assigns_to_its_view_is_refused_when_it_is_declared() -> None:
    with pytest.raises(BadBot, match="assigns to the view, which is read-only"):
        kibitz.bot()(assigns_a_field)


# -- answers (what is refused when a bot is compiled, is in test_mistakes) --


def answers_a_float(view: View) -> Any:
    return 1.5


def answers_nothing(view: View) -> Any:
    view.randbelow(3)


def answers_a_truth(view: View) -> Any:
    return view.can_play(0)


def answers_a_pair(view: View) -> Any:
    return 52, 1


@pytest.mark.parametrize(
    ("choose", "given"), [(answers_a_float, "1.5"), (answers_nothing, "None"), (answers_a_truth, "False"), (answers_a_pair, r"\(52, 1\)")]
)
def test_a_plain_bot_that_does_not_answer_with_a_whole_number_is_at_fault(choose: Any, given: str) -> None:
    with pytest.raises(BotFault, match=f"answered (True|{given}), which is not an action number"):
        play_plain(make_lineup([kibitz.bot()(choose), "random"]), 1, GAMES)


def test_a_role_that_a_bot_does_not_have_has_no_address() -> None:
    assert of_view.address("begin", View, Event) == 0
    assert of_view.address("observe", View, Event) == 0
    assert of_view.plain_entry("begin") == 0


def test_an_address_is_made_once() -> None:
    first = of_view.address("choose", View, Event)
    assert first != 0
    assert of_view.address("choose", View, Event) == first


def test_threads_that_compile_the_same_bot_at_once_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one finishes between the look whether there is an address and the compilation of this one."""
    bot, layouts = kibitz.bot(name="shared")(simply), Bot._layouts

    def overtaken(bot: Bot) -> Any:
        monkeypatch.undo()
        assert bot.address("choose", View, Event)
        return layouts(bot)

    monkeypatch.setattr(Bot, "_layouts", overtaken)
    assert bot.address("choose", View, Event)


# -- faults during a game --


@kibitz.bot
def raises_at_turn_ten(view: View) -> int:
    if view.turn >= 10:
        raise ValueError("no idea")
    return view.play(view.pick(view.playable()), 0)


@kibitz.bot
def reads_past_the_end(view: View) -> int:
    return view.sizes[view.turn * 10]


@pytest.mark.parametrize("play", [play_compiled, play_plain])
@pytest.mark.parametrize(("bot", "what"), [(raises_at_turn_ten, "raised ValueError: no idea"), (reads_past_the_end, "raised IndexError: ")])
def test_a_bot_that_raises_is_at_fault(play: Callable[..., Any], bot: Bot, what: str) -> None:
    with pytest.raises(BotFault) as fault:
        play(make_lineup(["random", bot]), 4, GAMES)
    assert fault.value.bot == bot.name
    assert fault.value.what.startswith(what)
    assert fault.value.seed == 4
    assert f"--seed 4 --index {fault.value.index}" in str(fault.value)


def raises_in_begin(view: View) -> None:
    raise ValueError("not ready")


def raises_in_observe(view: View, event: Event) -> None:
    raise ValueError("did not see")


@pytest.mark.parametrize("play", [play_compiled, play_plain])
@pytest.mark.parametrize(("declared", "what"), [({"begin": raises_in_begin}, "not ready"), ({"observe": raises_in_observe}, "did not see")])
def test_a_bot_that_raises_while_it_looks_on_is_at_fault(play: Callable[..., Any], declared: dict[str, Any], what: str) -> None:
    bot = kibitz.bot(name="troubled", **declared)(simply)
    with pytest.raises(BotFault, match=f"bot troubled in seat . raised ValueError: {what}"):
        play(make_lineup(["random", bot, "random"]), 4, GAMES)


@kibitz.bot
def keeps_what_it_has_not_drawn(view: View) -> int:
    return KEEP


@kibitz.bot
def answers_minus_one(view: View) -> int:
    return -1


@kibitz.bot
def answers_500(view: View) -> int:
    return 500


@kibitz.bot
def answers_with_a_huge_number(view: View) -> int:
    return 1 << 62


@pytest.mark.parametrize("play", [play_compiled, play_plain])
@pytest.mark.parametrize(
    ("bot", "what"),
    [
        (keeps_what_it_has_not_drawn, "answered 69 (keep), which is not legal there"),
        (answers_minus_one, "answered -1, which is not an action"),
        (answers_500, "answered 500, which is not an action"),
        (answers_with_a_huge_number, f"answered {1 << 62}, which is not an action"),
    ],
)
def test_a_bot_that_answers_something_illegal_is_at_fault(play: Callable[..., Any], bot: Bot, what: str) -> None:
    with pytest.raises(BotFault) as fault:
        play(make_lineup([bot, bot]), 4, GAMES)
    assert fault.value.what == what
    assert fault.value.bot == bot.name
    assert fault.value.index == 0
