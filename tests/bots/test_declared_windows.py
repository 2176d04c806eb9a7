"""Bots and the windows of house rules: a bot is asked in those it declares and in no others, in every way of playing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import kibitz
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot, BotFault, UnknownName
from kibitz.games.uno.cards import ACCEPT, CATCH, CHALLENGE, FIRST_SWAP, JUMP_IN, PASS, UNO
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.state import CAUGHT, CHALLENGED, JUMPED_IN, MISSED_UNO, NAMED, SAID_UNO, SWAPPED
from kibitz.games.uno.view import CATCHING, CHALLENGING, COLOUR, DRAWN, JUMPING_IN, PHASE_NAMES, STACK, SWAP, UNO_CALL, WINDOWS, View
from kibitz.play.game import play
from kibitz.play.lineup import make_lineup, window_bits
from kibitz.play.playing import Tally, play_compiled, play_mixed, play_plain
from kibitz.runs.units import Unit

# Rules and a deck under which windows open in nearly every game. Where there are stacks, a Wild Draw Four is challenged in
# the window `stack`; the window `challenge` is for rules without them.
RULES = (
    "official,stacking=progressive,seven_zero=on,jump_in=on,hand_size=4,max_turns=200,"
    "deck=r7*3/g7*3/r+2*3/g+2*3/r1*4/g1*4/b1*3/r0*2/wild*6/wild+4*4"
)
NO_STACKS = RULES.replace("stacking=progressive,", "")
RULES_WITH = {window: NO_STACKS if window == "challenge" else RULES for window in WINDOWS}
GAMES = Unit(0, 40)
Play = Callable[..., Tally]


def in_window(view: View) -> int:
    """A legal answer in any window, and not the default if there is another."""
    if view.phase == COLOUR:
        return view.play(view.top, 3)
    if view.phase == CHALLENGING:
        return CHALLENGE
    if view.phase == STACK:
        return ACCEPT
    if view.phase == SWAP:
        return FIRST_SWAP + view.players - 2
    if view.phase == JUMPING_IN:
        return JUMP_IN
    return PASS


def knows(view: View, params: Any) -> int:
    """Plays at random; in the window `phase` it gives `in_window`'s answer, in every other nonsense."""
    if view.phase > DRAWN:
        return in_window(view) if view.phase == params.phase else -1
    return view.play(view.pick(view.playable()), 0)


def refuses(view: View, params: Any) -> int:
    """Plays at random; answers the window `phase` with nonsense, and every other with `in_window`'s."""
    if view.phase > DRAWN:
        return -1 if view.phase == params.phase else in_window(view)
    return view.play(view.pick(view.playable()), 0)


def a_bot(choose: Callable[..., int], windows: tuple[str, ...], phase: str) -> Bot:
    number = PHASE_NAMES.index(phase)
    parameter = kibitz.Parameter("phase", kibitz.WHOLE, "the window it is about", 0, 8)
    return kibitz.bot(windows=windows, parameters=(parameter,), defaults={"phase": number})(choose)


@kibitz.bot(windows=("uno_call",))
def careless(view: View) -> int:
    """Plays at random and never calls UNO, so that others may catch it."""
    return PASS if view.phase == UNO_CALL else view.play(view.pick(view.playable()), 0)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_bot_is_asked_in_the_window_it_declares_and_in_no_other(window: str) -> None:
    rules = RULES_WITH[window]
    declaring = make_lineup([a_bot(knows, (window,), window)] * 2 + [careless], rules)
    compiled = play_compiled(declaring, 2, GAMES)  # nonsense in any other window would be a fault
    assert compiled.tolist() == play_plain(declaring, 2, GAMES).tolist()
    silent = play_compiled(make_lineup([a_bot(knows, (), window)] * 2 + [careless], rules), 2, GAMES)
    assert compiled.tolist() != silent.tolist()


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("play_batch", [play_compiled, play_plain])
def test_what_a_bot_answers_in_its_window_counts(window: str, play_batch: Play) -> None:
    with pytest.raises(BotFault, match="answered -1, which is not an action"):
        play_batch(make_lineup([a_bot(refuses, (window,), window)] * 2 + [careless], RULES_WITH[window]), 2, GAMES)
    others = tuple(name for name in WINDOWS if name != window)
    tally = play_batch(make_lineup([a_bot(refuses, others, window)] * 2 + [careless], RULES_WITH[window]), 2, GAMES)
    assert tally[0] == GAMES.count


def test_a_bot_that_declares_nothing_is_asked_in_no_window() -> None:
    for rules in (RULES, NO_STACKS):
        lineup = make_lineup([a_bot(knows, (), "turn")] * 2 + [careless], rules)
        assert play_compiled(lineup, 2, GAMES).tolist() == play_plain(lineup, 2, GAMES).tolist()


def test_a_bot_that_declares_all_windows_is_never_spoken_for() -> None:
    """Answered with the defaults, the windows give the games that nobody was asked in."""
    for rules in (RULES, NO_STACKS):
        lineup = make_lineup([defaults_itself] * 2 + [careless], rules)
        silent = make_lineup([a_bot(knows, (), "turn")] * 2 + [careless], rules)
        assert play_compiled(lineup, 2, GAMES).tolist() == play_compiled(silent, 2, GAMES).tolist()


@kibitz.bot(windows=WINDOWS)
def defaults_itself(view: View) -> int:
    """Plays like the others, and answers the windows as the defaults would."""
    if view.phase == COLOUR:
        return view.play(view.top, lowest_common(view))
    if view.phase == CHALLENGING:
        return ACCEPT
    if view.phase == STACK:
        for card in range(56):
            if view.can_play(card):
                return view.play(card, lowest_common(view))
        return ACCEPT
    if view.phase == SWAP:
        best = 1
        for places in range(2, view.players):
            if view.sizes[view.seat_after(places)] < view.sizes[view.seat_after(best)]:
                best = places
        return FIRST_SWAP + best - 1
    if view.phase == UNO_CALL:
        return UNO
    if view.phase == CATCHING:
        return CATCH
    if view.phase == JUMPING_IN:
        return PASS
    return view.play(view.pick(view.playable()), 0)


def lowest_common(view: View) -> int:
    """The first of the most common colours."""
    colour = 0
    for other in range(1, 4):
        if view.colour_count(other) > view.colour_count(colour):
            colour = other
    return colour


# -- events tell what the answers did --


@pytest.mark.parametrize(("window", "kind"), [("challenge", CHALLENGED), ("uno_call", MISSED_UNO), ("jump_in", JUMPED_IN)])
def test_answers_other_than_the_default_are_seen_by_everybody(window: str, kind: int) -> None:
    def seen(windows: tuple[str, ...]) -> Counter[str]:
        bots = [a_bot(knows, windows, window), "random", "random"]
        games = [play(bots, rules=RULES_WITH[window], seed=3, index=index) for index in range(30)]
        return Counter(game.seats[event.seat] for game in games for step in game.steps for event in step.events if event.kind == kind)

    declared = seen((window,))
    assert set(declared) == {"knows"}
    assert declared["knows"] >= 10
    assert not seen(())


def test_a_missed_call_is_caught_by_default() -> None:
    bots = [a_bot(knows, ("uno_call",), "uno_call"), "random", "random"]
    events = [event for index in range(30) for step in play(bots, rules=RULES, seed=3, index=index).steps for event in step.events]
    missed = sum(event.kind == MISSED_UNO for event in events)
    assert missed == sum(event.kind == CAUGHT for event in events) > 0
    assert sum(event.kind == SAID_UNO for event in events) > 0


# -- Python bots --


class Recorder:
    """Plays at random and remembers the phases in which it was asked."""

    windows: tuple[str, ...] = ()
    asked: ClassVar[Counter[str]] = Counter()

    def choose(self, view: View) -> int:
        Recorder.asked[PHASE_NAMES[view.phase]] += 1
        return in_window(view) if view.phase > DRAWN else view.play(view.pick(view.playable()), view.randbelow(4))


def recorder(*declared: str) -> type[Recorder]:
    return type("Declared", (Recorder,), {"windows": declared})


def phases_asked(bot: Any, play_batch: Play) -> tuple[set[str], list[int]]:
    """The windows in which a Python bot was asked, and the tally, under rules with stacks and without."""
    Recorder.asked.clear()
    tallies = [play_batch(make_lineup([bot, bot, careless], rules), 4, GAMES).tolist() for rules in (RULES, NO_STACKS)]
    assert Recorder.asked["turn"] > 0
    return set(Recorder.asked) - {"turn", "drawn"}, tallies[0] + tallies[1]


@pytest.mark.parametrize("declared", [(), *[(window,) for window in WINDOWS], ("stack", "swap"), WINDOWS])
def test_a_python_bot_is_asked_in_the_windows_it_declares_and_in_no_others(declared: tuple[str, ...]) -> None:
    bot = recorder(*declared)
    mixed, plain = phases_asked(bot, play_mixed), phases_asked(bot, play_plain)
    assert mixed == plain
    assert mixed[0] == set(declared)


def test_an_object_or_a_function_declares_windows_too() -> None:
    player = Recorder()
    player.windows = ("swap",)
    assert phases_asked(player, play_mixed)[0] == {"swap"}

    def chooses(view: View) -> int:
        return player.choose(view)

    chooses.windows = ("catch", "uno_call")  # type: ignore[attr-defined]  # functions take any attribute
    assert phases_asked(chooses, play_mixed)[0] == {"catch", "uno_call"}


def test_python_and_compiled_bots_that_answer_alike_play_the_same_games() -> None:
    class Same:
        windows = ("challenge",)

        def choose(self, view: View) -> int:
            return in_window(view) if view.phase > DRAWN else view.play(view.pick(view.playable()), 0)

    compiled = make_lineup([a_bot(knows, ("challenge",), "challenge"), "mix2"], NO_STACKS)
    assert play_mixed(make_lineup([Same, "mix2"], NO_STACKS), 6, GAMES).tolist() == play_compiled(compiled, 6, GAMES).tolist()


# -- declarations --


def test_windows_are_those_of_the_game() -> None:
    assert WINDOWS == ("colour", "challenge", "stack", "swap", "uno_call", "catch", "jump_in")
    assert GAME.phases[GAME.basic_phases :] == WINDOWS


@pytest.mark.parametrize(
    ("declared", "bits"), [((), 0b11), (("colour",), 0b111), (("jump_in", "challenge"), 0b100001011), (WINDOWS, 0x1FF)]
)
def test_declared_windows_become_bits(declared: tuple[str, ...], bits: int) -> None:
    for bot in (a_bot(knows, declared, "turn"), recorder(*declared)):
        (entrant, _) = make_lineup([bot, "random"], "classic").entrants
        assert window_bits(GAME, entrant) == bits


@pytest.mark.parametrize("make", [lambda *windows: a_bot(knows, windows, "turn"), recorder])
@pytest.mark.parametrize(
    ("window", "hint"),
    [
        ("chalenge", "did you mean challenge?"),
        ("jump-in", "did you mean jump_in?"),
        ("turn", "known: catch, challenge, colour, jump_in, stack, swap, uno_call."),
        ("", "known: catch, challenge, colour, jump_in, stack, swap, uno_call."),
    ],
)
def test_unknown_windows_are_refused_in_one_sentence(make: Callable[..., Any], window: str, hint: str) -> None:
    bot = make("stack", window)
    for rules in ("classic", "official"):
        with pytest.raises(UnknownName) as refused:
            make_lineup([bot, "random"], rules)
        assert str(refused.value) == f"unknown window of bot {'knows' if isinstance(bot, Bot) else 'Declared'}: '{window}'; {hint}"


@pytest.mark.parametrize("windows", ["challenge", (3,), ("stack", None)])
def test_windows_of_a_python_bot_are_a_tuple_of_names(windows: Any) -> None:
    bot = type("Strange", (Recorder,), {"windows": windows})
    with pytest.raises(BadBot) as refused:
        make_lineup([bot, "random"], "official")
    assert str(refused.value) == f"bot Strange: windows must be a tuple of names, not {windows!r}."


def test_a_fault_in_a_window_names_the_game_that_reproduces_it() -> None:
    bots = [a_bot(refuses, ("stack",), "stack"), "random"]
    with pytest.raises(BotFault) as fault:
        play_compiled(make_lineup(bots, RULES), 5, GAMES)
    with pytest.raises(BotFault) as again:
        play(bots, rules=RULES, seed=5, index=fault.value.index)
    assert (again.value.seat, again.value.what, again.value.bot) == (fault.value.seat, fault.value.what, fault.value.bot)


def test_colours_and_swaps_are_told() -> None:
    bots = [a_bot(knows, ("colour",), "colour"), a_bot(knows, ("swap",), "swap"), "random"]
    events = [event for index in range(30) for step in play(bots, rules=RULES, seed=3, index=index).steps for event in step.events]
    assert sum(event.kind == NAMED for event in events) > 0
    assert sum(event.kind == SWAPPED for event in events) > 0
