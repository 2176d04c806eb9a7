from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter, Value, layout_of, pack, plain
from kibitz.core.errors import BadValue

LEVEL = Parameter("level", WHOLE, "a whole number", -1, 10)
LEVELS = Parameter("levels", WHOLE, "three whole numbers", -1, 10, 3)
SHARE = Parameter("share", REAL, "a number", -1, 1)
SHARES = Parameter("shares", REAL, "two numbers", -1, 1, 2)
ACTIVE = Parameter("active", SWITCH, "a switch")
MANNER = Parameter("manner", CHOICE, "one of three names", choices=("calm", "bold", "wild"))
ALL = (LEVEL, LEVELS, SHARE, SHARES, ACTIVE, MANNER)


# -- reading text --


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (LEVEL, "7", 7),
        (LEVEL, "-1", -1),
        (LEVEL, "10", 10),
        (LEVELS, "0/-1/10", (0, -1, 10)),
        (SHARE, "0.25", 0.25),
        (SHARE, "-1", -1.0),
        (SHARE, "1", 1.0),
        (SHARE, "1e-4", 0.0001),
        (SHARES, "-0.5/0.5", (-0.5, 0.5)),
        (ACTIVE, "on", True),
        (ACTIVE, "off", False),
        (MANNER, "calm", "calm"),
        (MANNER, "wild", "wild"),
    ],
)
def test_text_becomes_a_value(parameter: Parameter, text: str, value: Value) -> None:
    assert parameter.parse(text, "bot 'x'") == value
    assert type(parameter.parse(text, "bot 'x'")) is type(value)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (LEVEL, "much"),
        (LEVEL, ""),
        (LEVEL, "1.5"),
        (LEVEL, "1/2"),
        (LEVELS, "1/b/3"),
        (LEVELS, "1//3"),
        (SHARE, "half"),
        (SHARE, ""),
        (ACTIVE, "yes"),
        (ACTIVE, "True"),
        (ACTIVE, "1"),
        (ACTIVE, ""),
        (MANNER, "shy"),
        (MANNER, "Bold"),
        (MANNER, "bol"),
        (MANNER, "calm/bold"),
        (MANNER, "1"),
        (MANNER, ""),
    ],
)
def test_text_of_the_wrong_type_is_refused_with_what_would_be_accepted(parameter: Parameter, text: str) -> None:
    with pytest.raises(BadValue) as refused:
        parameter.parse(text, "bot 'x'")
    said = str(refused.value)
    assert said.startswith(f"bot 'x': {parameter.name}={text} is not accepted; {parameter.name} is {parameter.describe()}")
    assert ("separated by slashes" in said) is bool(parameter.length)


@pytest.mark.parametrize(
    ("parameter", "text", "shown"),
    [
        (LEVEL, "11", "11"),
        (LEVEL, "-2", "-2"),
        (LEVELS, "0/99/0", "99"),
        (SHARE, "1.01", "1.01"),
        (SHARES, "0/-3", "-3"),
        (SHARE, "inf", "inf"),
    ],
)
def test_text_out_of_range_is_refused(parameter: Parameter, text: str, shown: str) -> None:
    with pytest.raises(BadValue) as refused:
        parameter.parse(text, "bot 'x'")
    said = (
        f"{parameter.low:g} to {parameter.high:g}" if parameter.kind == REAL or parameter.low < 0 else f"{parameter.low}–{parameter.high}"
    )
    assert str(refused.value) == f"bot 'x': {parameter.name} must be {said}, got {shown}."


@pytest.mark.parametrize(("parameter", "text"), [(SHARE, "nan"), (SHARES, "0/nan")])
def test_nan_is_refused(parameter: Parameter, text: str) -> None:
    with pytest.raises(BadValue, match="must be -1 to 1, got nan"):
        parameter.parse(text, "bot 'x'")


def test_a_number_too_large_for_a_float_is_out_of_range_like_any_other() -> None:
    with pytest.raises(BadValue, match=r"level must be .*, got a number of more than 100 digits"):
        LEVEL.parse("9" * 400, "bot 'x'")


@pytest.mark.parametrize(("text", "said"), [("1/2", "has 2 values"), ("1/2/3/4", "has 4 values"), ("5", "has 1 value;")])
def test_the_wrong_number_of_values_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadValue, match=said) as refused:
        LEVELS.parse(text, "bot 'x'")
    assert "it needs 3, separated by slashes." in str(refused.value)


# -- checking values --


@pytest.mark.parametrize(
    ("parameter", "value", "kept"),
    [
        (LEVEL, 3, 3),
        (LEVELS, (1, 2, 3), (1, 2, 3)),
        (LEVELS, [1, 2, 3], (1, 2, 3)),
        (SHARE, 0.5, 0.5),
        (SHARE, 1, 1),
        (ACTIVE, True, True),
        (MANNER, "bold", "bold"),
    ],
)
def test_good_values_are_kept(parameter: Parameter, value: Any, kept: Value) -> None:
    assert parameter.check(value, "bot 'x'") == kept


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (LEVEL, 3.0),
        (LEVEL, True),
        (LEVEL, "3"),
        (LEVEL, None),
        (LEVEL, (3,)),
        (LEVELS, (1, 2.5, 3)),
        (LEVELS, (1, True, 3)),
        (LEVELS, "123"),
        (LEVELS, 3),
        (SHARE, True),
        (SHARE, "0.5"),
        (SHARE, 1 + 0j),
        (SHARES, (0.5, None)),
        (ACTIVE, 1),
        (ACTIVE, "on"),
        (ACTIVE, None),
        (MANNER, "shy"),
        (MANNER, 1),
        (MANNER, None),
        (MANNER, ["bold"]),
        (LEVEL, 11),
        (SHARE, float("nan")),
        (SHARE, float("-inf")),
        (LEVELS, (1, 2)),
        (LEVELS, ()),
    ],
)
def test_bad_values_are_refused(parameter: Parameter, value: Any) -> None:
    with pytest.raises(BadValue) as refused:
        parameter.check(value, "preset 'p'")
    assert str(refused.value).startswith(f"preset 'p': {parameter.name}")


def test_a_bad_choice_is_refused_with_what_would_be_accepted() -> None:
    with pytest.raises(BadValue, match=r"^preset 'p': manner=1 is not accepted; manner is calm, bold or wild\.$"):
        MANNER.check(1, "preset 'p'")
    with pytest.raises(BadValue, match=r"^preset 'p': manner='shy' is not accepted; manner is calm, bold or wild\.$"):
        MANNER.check("shy", "preset 'p'")


@pytest.mark.parametrize(("kind", "choices"), [(CHOICE, ()), (WHOLE, ("calm", "bold")), (SWITCH, ("calm", "bold"))])
def test_choices_are_declared_with_the_kind_choice_alone(kind: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(BadValue, match="parameter 'manner': choices go with the kind CHOICE, and CHOICE needs them"):
        Parameter("manner", kind, "misdeclared", choices=choices)


# -- writing text --


@pytest.mark.parametrize(
    ("parameter", "value", "text"),
    [
        (LEVEL, -1, "-1"),
        (LEVELS, (0, 10, -1), "0/10/-1"),
        (SHARE, 0.5, "0.5"),
        (SHARE, -0.0001, "-0.0001"),
        (SHARES, (0.25, -1.0), "0.25/-1"),
        (ACTIVE, True, "on"),
        (ACTIVE, False, "off"),
        (MANNER, "bold", "bold"),
    ],
)
def test_values_are_written_as_a_person_would(parameter: Parameter, value: Value, text: str) -> None:
    assert parameter.to_text(value) == text


@pytest.mark.parametrize("value", [0.123456789, 1 / 3, -0.1680001, 1e-9, 0.1 + 0.2])
def test_numbers_are_read_back_exactly(value: float) -> None:
    assert SHARE.parse(SHARE.to_text(value), "here") == value
    assert SHARES.parse(SHARES.to_text((value, -value)), "here") == (value, -value)


@pytest.mark.parametrize("value", [0, 999_999, 1_234_567, 2_000_000_000])
def test_whole_numbers_are_read_back_exactly(value: int) -> None:
    wide = Parameter("games", WHOLE, "a large whole number", 0, 2_000_000_000)
    assert wide.parse(wide.to_text(value), "here") == value


@pytest.mark.parametrize("name", registry.all_names())
def test_presets_of_our_bots_pass_their_own_checks_and_are_read_back(name: str) -> None:
    entrant = registry.entrant(name)
    assert isinstance(entrant.bot, Bot)
    for parameter in entrant.bot.parameters:
        value = entrant.values[parameter.name]
        assert parameter.check(value, name) == value
        assert parameter.parse(parameter.to_text(value), name) == value


def test_type_and_range_in_words() -> None:
    assert "whole number from -1 to 10" in LEVEL.describe()
    assert "3 whole numbers from -1 to 10" in LEVELS.describe()
    assert "number from -1 to 1" in SHARE.describe()
    assert "2 numbers from -1 to 1" in SHARES.describe()
    assert ACTIVE.describe() == "on or off"
    assert MANNER.describe() == "calm, bold or wild"
    assert Parameter("one", CHOICE, "no choice at all", choices=("calm",)).describe() == "calm"


@pytest.mark.parametrize(
    ("bots", "parameter", "kind", "low", "high", "length"),
    [
        ("card_ranking mix mix2", "ranks", WHOLE, 1, 6, 6),
        ("mix mix2", "end_game_ranks", WHOLE, 1, 6, 6),
        ("mix mix2", "limits", WHOLE, -1, 10, 6),
        ("mix2", "end_game_limits", WHOLE, -1, 10, 6),
        ("mix mix2", "play_drawn_thresholds", WHOLE, -1, 10, 6),
        ("mix2", "wild_colour_slack", WHOLE, 0, 5, 0),
        ("score", "weights", REAL, -1, 1, 6),
        ("card_counting", "weights", REAL, -1, 1, 7),
    ],
)
def test_types_and_ranges_of_our_bots(bots: str, parameter: str, kind: str, low: int, high: int, length: int) -> None:
    for name in bots.split():
        declared = {each.name: each for each in registry.built_in_bot(name).parameters}[parameter]
        assert (declared.kind, declared.low, declared.high, declared.length) == (kind, low, high, length)


@pytest.mark.parametrize(
    ("name", "switches"),
    [
        ("greedy", {"wild_most_common"}),
        ("diversity", {"wild_most_common"}),
        ("card_ranking", {"wild_most_common"}),
        ("mix", {"prefer_common_colour", "end_game", "wild_most_common"}),
        ("mix2", {"prefer_common_colour", "end_game", "card_counting", "wild_most_common"}),
        ("random", set()),
        ("score", set()),
        ("card_counting", set()),
        ("defensive", set()),
        ("ashtabna", set()),
    ],
)
def test_switches_of_our_bots(name: str, switches: set[str]) -> None:
    assert {each.name for each in registry.built_in_bot(name).parameters if each.kind == SWITCH} == switches


@pytest.mark.parametrize("name", ["first_playable", "offensive", "defensive", "better_offensive"])
def test_choices_of_our_bots(name: str) -> None:
    declared = {each.name: each for each in registry.built_in_bot(name).parameters}
    assert set(declared) == {"wild_colour"}
    assert declared["wild_colour"].kind == CHOICE
    assert declared["wild_colour"].choices == ("common", "random")
    assert registry.entrant(name).values == {"wild_colour": "common"}


# -- handing over --

VALUES: dict[str, Value] = {"level": 3, "levels": (-1, 0, 10), "share": 0.1, "shares": (1 / 3, -1), "active": True, "manner": "wild"}


def test_packed_values_equal_plain_ones() -> None:
    packed, handed = pack(ALL, VALUES)[0], plain(ALL, VALUES)
    assert packed["level"] == handed.level == 3
    assert tuple(packed["levels"]) == handed.levels == (-1, 0, 10)
    assert packed["share"] == handed.share == 0.1
    assert tuple(packed["shares"]) == handed.shares == (1 / 3, -1.0)
    assert packed["active"] == handed.active == 1
    assert packed["manner"] == handed.manner == 2


def test_plain_values_have_the_number_types_of_compiled_code() -> None:
    handed = plain(ALL, {**VALUES, "share": 1, "active": False})
    assert type(handed.level) is int
    assert type(handed.share) is float
    assert [type(one) for one in handed.shares] == [float, float]
    assert type(handed.active) is int
    assert type(handed.manner) is int


@pytest.mark.parametrize(("name", "place"), [("calm", 0), ("bold", 1), ("wild", 2)])
def test_a_choice_is_handed_over_as_the_place_of_its_name(name: str, place: int) -> None:
    assert plain((MANNER,), {"manner": name}).manner == place
    assert pack((MANNER,), {"manner": name})[0]["manner"] == place


@pytest.mark.parametrize("name", registry.all_names())
def test_packed_and_plain_values_of_our_bots_are_equal(name: str) -> None:
    entrant = registry.entrant(name)
    assert isinstance(entrant.bot, Bot)
    packed, handed = pack(entrant.bot.parameters, entrant.values), plain(entrant.bot.parameters, entrant.values)
    assert set(vars(handed)) == {parameter.name for parameter in entrant.bot.parameters}
    for parameter in entrant.bot.parameters:
        there, value = packed[parameter.name][0], getattr(handed, parameter.name)
        if parameter.is_needed(entrant.values):
            assert np.array_equal(there, value)
        else:
            assert value == () and not there.any()


def test_a_bot_without_parameters_has_an_empty_layout() -> None:
    assert layout_of(()) is None
    assert pack((), {}).nbytes == 1
    assert vars(plain((), {})) == {}
