"""Rules from text, and what is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import BadValue, KibitzError
from kibitz.games.uno.cards import CARD_TYPES, DECKS, STANDARD_DECK
from kibitz.games.uno.explain import describe_rules
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.rules import PRESETS, SUMMARIES, SWITCHES, Rules, changed, parse_deck, parse_rules, switch_text


def refusal(text: str) -> str:
    with pytest.raises(KibitzError) as refused:
        parse_rules(text)
    return str(refused.value)


def counts_of(**cards: int) -> tuple[int, ...]:
    counts = [0] * CARD_TYPES
    for name, count in cards.items():
        counts[card_from_name(name)] = count
    return tuple(counts)


# -- accepted --


def test_classic_is_the_default() -> None:
    assert parse_rules("classic") == Rules() == PRESETS["classic"]
    assert (Rules().deck, Rules().hand_size, Rules().max_turns) == (STANDARD_DECK, 7, 1000)


def test_every_preset_has_a_summary_and_reads_back_from_its_text() -> None:
    assert list(SUMMARIES) == list(PRESETS)
    for name, rules in PRESETS.items():
        assert rules.to_text() == name
        assert parse_rules(name) is rules


def test_switches_change_a_preset() -> None:
    rules = parse_rules("classic,hand_size=5,max_turns=20")
    assert (rules.hand_size, rules.max_turns, rules.deck) == (5, 20, STANDARD_DECK)
    assert rules.name == "classic,hand_size=5,max_turns=20"


def test_spaces_around_commas_are_allowed() -> None:
    assert parse_rules(" classic , hand_size=5 ") == parse_rules("classic,hand_size=5")


def test_switch_set_to_what_it_is_leaves_the_preset() -> None:
    assert parse_rules("classic,hand_size=7,deck=standard") == parse_rules("classic")


def test_deck_is_written_as_cards_with_counts() -> None:
    assert parse_deck("r1*2/g5/r1/y0*0") == counts_of(r1=3, g5=1)
    assert parse_deck("standard") == STANDARD_DECK


@pytest.mark.parametrize("text", ["classic", "classic,hand_size=1", "classic,deck=r1*2/gskip/wild+4*7,hand_size=2,max_turns=9"])
def test_text_of_rules_reads_back(text: str) -> None:
    rules = parse_rules(text)
    assert rules.to_text() == text
    assert parse_rules(rules.to_text()) == rules


@pytest.mark.parametrize(("card", "worth"), [("wildshuffle", 40), ("wildcustom", 40)])
def test_cards_of_the_modern_deck_are_accepted_in_any_deck(card: str, worth: int) -> None:
    rules = parse_rules(f"classic,deck=r1*7/{card}")
    assert rules.deck == counts_of(**{"r1": 7, card: 1})
    assert f"extra wilds {worth}" in " ".join(describe_rules(rules))


# Every switch with what it may be written as and what it then is: from the specification, not from the code.
VALUES: dict[str, dict[str, object]] = {
    "deck": {"standard": DECKS["standard"], "numbers": DECKS["numbers"], "modern": DECKS["modern"]},
    "starter": {"after_dealer": "after_dealer", "seat_0": "seat_0", "random_seat": "random_seat"},
    "opening": {"effects": "effects", "effects_name_colour": "effects_name_colour", "none": "none", "redraw_wilds": "redraw_wilds"},
    "reverse_is_skip": {"on": True, "off": False},
    "draw": {"one": "one", "until_playable": "until_playable"},
    "drawn_card": {"may_play": "may_play", "must_play": "must_play", "may_not_play": "may_not_play", "any_card": "any_card"},
    "must_play": {"off": False, "on": True},
    "wild_draw_four": {"free": "free", "honest_only": "honest_only", "challenge": "challenge", "last_resort": "last_resort"},
    "stacking": {"off": "off", "same": "same", "progressive": "progressive"},
    "seven_zero": {"off": False, "on": True},
    "jump_in": {"off": False, "on": True},
    "uno_call": {"off": False, "on": True},
    "last_card_draws": {"on": True, "off": False},
    "refill": {"when_empty": "when_empty", "when_needed": "when_needed"},
}
EACH_VALUE = [(switch, text) for switch, values in VALUES.items() for text in values]


def test_the_switches_are_those_of_the_specification() -> None:
    assert {name: list(switch.values) for name, switch in SWITCHES.items() if switch.values} == {
        name: list(values) for name, values in VALUES.items()
    }
    assert set(SWITCHES) == {*VALUES, "hand_size", "max_turns"} == {field.name for field in fields(Rules)} - {"name"}


@pytest.mark.parametrize(("switch", "text"), EACH_VALUE)
def test_every_value_of_every_switch_is_read_and_written(switch: str, text: str) -> None:
    rules = parse_rules(f"classic,{switch}={text}")
    assert getattr(rules, switch) == VALUES[switch][text]
    assert type(getattr(rules, switch)) is type(VALUES[switch][text])
    others = {field.name: getattr(rules, field.name) for field in fields(Rules) if field.name not in ("name", switch)}
    assert others == {name: getattr(Rules(), name) for name in others}
    is_classic = text == next(iter(VALUES[switch]))
    assert rules.to_text() == ("classic" if is_classic else f"classic,{switch}={text}")
    assert parse_rules(rules.to_text()) == rules
    assert switch_text(switch, getattr(rules, switch)) == text
    assert rules.code(switch) == list(VALUES[switch]).index(text)


@pytest.mark.parametrize(("switch", "text"), EACH_VALUE)
def test_every_value_can_be_set_on_top_of_a_preset_that_has_another(switch: str, text: str) -> None:
    for preset in PRESETS:
        if (text, preset) == ("until_playable", "numbers") or (text, preset) == ("until_playable", "hearn"):
            continue  # a contradiction: see below
        rules = parse_rules(f"{preset},{switch}={text}")
        assert rules == replace(PRESETS[preset], **{switch: VALUES[switch][text]})  # type: ignore[arg-type]  # the field is a string here
        assert parse_rules(rules.to_text()) == rules
        assert rules.to_text().partition(",")[0] == preset


PLAIN = {"deck", "hand_size", "max_turns"}


@pytest.mark.parametrize(("switch", "text"), EACH_VALUE)
def test_only_classic_games_are_plain(switch: str, text: str) -> None:
    rules = parse_rules(f"classic,{switch}={text}")
    is_classic = text == next(iter(VALUES[switch]))
    assert rules.is_plain == (is_classic or (switch in PLAIN and text != "modern"))


def test_games_are_plain_whatever_their_numbers_and_cards_but_for_wild_shuffle_hands() -> None:
    assert parse_rules("classic,hand_size=3,max_turns=9,deck=r1*7/wildcustom").is_plain
    assert not parse_rules("classic,deck=r1*7/wildshuffle").is_plain


def differing(name: str) -> dict[str, object]:
    """The switches in which a preset differs from the classic rules."""
    values = {field.name: getattr(PRESETS[name], field.name) for field in fields(Rules) if field.name != "name"}
    return {switch: value for switch, value in values.items() if value != getattr(Rules(), switch)}


def test_presets_are_those_of_the_specification() -> None:
    official = {"opening": "effects_name_colour", "wild_draw_four": "challenge", "uno_call": True}
    assert {name: differing(name) for name in PRESETS} == {
        "classic": {},
        "official": official,
        "numbers": {"deck": DECKS["numbers"], "starter": "seat_0", "drawn_card": "may_not_play", "must_play": True},
        "modern": {**official, "deck": DECKS["modern"]},
        "davies": {
            "starter": "random_seat",
            "opening": "redraw_wilds",
            "drawn_card": "any_card",
            "reverse_is_skip": False,
            "last_card_draws": False,
            "refill": "when_needed",
        },
        "hearn": {
            "starter": "seat_0",
            "opening": "none",
            "reverse_is_skip": False,
            "drawn_card": "may_not_play",
            "must_play": True,
            "wild_draw_four": "last_resort",
            "refill": "when_needed",
        },
    }
    assert (sum(DECKS["standard"]), sum(DECKS["numbers"]), sum(DECKS["modern"])) == (108, 76, 112)


def test_changing_nothing_leaves_the_rules_alone() -> None:
    assert changed(PRESETS["official"], {}) is PRESETS["official"]
    assert changed(PRESETS["official"], {"stacking": "same"}).name == "official,stacking=same"


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Rules().hand_size = 3  # type: ignore[misc]  # what is tested


def test_rules_are_hashable() -> None:
    assert len({parse_rules("classic"), parse_rules("classic,hand_size=7"), parse_rules("classic,hand_size=6")}) == 2


@pytest.mark.parametrize(("hand_size", "players"), [(1, 2), (7, 2), (7, 10), (20, 5), (10, 10)])
def test_players_that_can_be_dealt_to_are_accepted(hand_size: int, players: int) -> None:
    rules = Rules(hand_size=hand_size)
    rules.check_players(players)
    assert players * hand_size + 1 <= sum(rules.deck)


# -- from a file --


def rules_file(folder: Path, text: str) -> str:
    path = folder / "house.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_file_begins_with_a_preset_and_changes_switches(tmp_path: Path) -> None:
    file = rules_file(tmp_path, 'preset = "official"\nstacking = "progressive"\nhand_size = 5\n')
    rules = parse_rules(file)
    assert rules == replace(PRESETS["official"], stacking="progressive", hand_size=5)
    assert rules.to_text() == "official,hand_size=5,stacking=progressive"


def test_file_without_a_preset_begins_with_classic_and_an_empty_one_is_classic(tmp_path: Path) -> None:
    assert parse_rules(rules_file(tmp_path, "jump_in = true\n")) == Rules(jump_in=True)
    assert parse_rules(rules_file(tmp_path, "")) == Rules()
    assert parse_rules(rules_file(tmp_path, 'preset = "hearn"')) == PRESETS["hearn"]


@pytest.mark.parametrize("switch", [switch for switch, values in VALUES.items() if set(values) == {"on", "off"}])
def test_on_and_off_are_written_as_words_or_as_truth_values(tmp_path: Path, switch: str) -> None:
    for written, value in (("true", True), ("false", False), ('"on"', True), ('"off"', False)):
        assert getattr(parse_rules(rules_file(tmp_path, f"{switch} = {written}\n")), switch) is value


@pytest.mark.parametrize(("switch", "text"), EACH_VALUE)
def test_every_value_of_every_switch_is_read_from_a_file(tmp_path: Path, switch: str, text: str) -> None:
    assert parse_rules(rules_file(tmp_path, f'{switch} = "{text}"\n')) == parse_rules(f"classic,{switch}={text}")


def test_deck_in_a_file_is_a_name_cards_with_counts_or_a_table(tmp_path: Path) -> None:
    deck = counts_of(**{"r1": 2, "g+2": 1, "wild+4": 3})
    assert parse_rules(rules_file(tmp_path, 'deck = "numbers"')).deck == DECKS["numbers"]
    assert parse_rules(rules_file(tmp_path, 'deck = "r1*2/g+2/wild+4*3"')).deck == deck
    assert parse_rules(rules_file(tmp_path, '[deck]\nr1 = 2\n"g+2" = 1\n"wild+4" = 3\ny5 = 0\n')).deck == deck
    assert parse_rules(rules_file(tmp_path, 'deck = { r1 = 2, "g+2" = 1, "wild+4" = 3 }')).deck == deck


def test_switches_on_the_command_line_come_after_the_file(tmp_path: Path) -> None:
    file = rules_file(tmp_path, 'preset = "official"\nhand_size = 9\nseven_zero = true\n')
    rules = parse_rules(f"{file},hand_size=5,uno_call=off")
    assert rules == replace(PRESETS["official"], hand_size=5, seven_zero=True, uno_call=False)
    assert rules.to_text() == "official,hand_size=5,seven_zero=on,uno_call=off"
    assert parse_rules(f"{file},hand_size=7,seven_zero=off") == PRESETS["official"]


BAD_FILES = [
    ('preset = "oficial"', "unknown preset in rules file {file}: 'oficial'; did you mean official?"),
    ('preset = ["official"]', "unknown preset in rules file {file}: '['official']'; "),
    ("preset = 5", "unknown preset in rules file {file}: '5'; known: classic, davies, hearn, modern, numbers, official."),
    ('stackin = "same"', "unknown switch in rules file {file}: 'stackin'; did you mean stacking?"),
    ('stacking = "progresive"', "rules file {file}: unknown value of switch stacking: 'progresive'; did you mean progressive?"),
    ("stacking = true", "rules file {file}: stacking = True is not accepted; it is off, same, progressive."),
    ("stacking = 1", "rules file {file}: stacking = 1 is not accepted; it is off, same, progressive."),
    ('hand_size = "5"', "rules file {file}: hand_size = '5' is not accepted; it is a whole number from 1 to 20."),
    ("hand_size = 5.0", "rules file {file}: hand_size = 5.0 is not accepted; it is a whole number from 1 to 20."),
    ("hand_size = true", "rules file {file}: hand_size = True is not accepted; it is a whole number from 1 to 20."),
    ("hand_size = 0", "hand_size must be 1–20, got 0."),
    ("max_turns = 2000000", "max_turns must be 1–1000000, got 2000000."),
    ("jump_in = 1", "rules file {file}: jump_in = 1 is not accepted; it is off, on."),
    ('jump_in = "yes"', "rules file {file}: unknown value of switch jump_in: 'yes'; known: off, on."),
    ("[stacking]\nkind = 1", "rules file {file}: stacking = {{'kind': 1}} is not accepted; it is off, same, progressive."),
    ("deck = 108", "rules file {file}: deck = 108 is not accepted; it is standard, numbers, modern"),
    ('deck = "r10"', "rules file {file}: 'r10' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."),
    ("[deck]\nr10 = 1", "rules file {file}: 'r10' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."),
    ("[deck]\nr1 = -1", "rules file {file}: deck.r1 = -1 is not a count; it is a whole number from 0 to 7."),
    ("[deck]\nr1 = 1.5", "rules file {file}: deck.r1 = 1.5 is not a count; it is a whole number from 0 to 7."),
    ("[deck]\nr1 = true", "rules file {file}: deck.r1 = True is not a count; it is a whole number from 0 to 7."),
    ('draw = "until_playable"\ndrawn_card = "may_not_play"', "draw=until_playable and drawn_card=may_not_play contradict each other"),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_bad_file_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    file = rules_file(tmp_path, text)
    said = refusal(file)
    assert said.startswith(message.format(file=file))
    assert "\n" not in said
    assert said[-1] in ".?"


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert refusal(str(folder)).startswith(f"rules file {folder} is a folder")
    other = tmp_path / "latin.toml"
    other.write_bytes(b'preset = "\xe9"')
    assert refusal(str(other)).startswith(f"rules file {other} is not text: byte 10 is not UTF-8")


@pytest.mark.parametrize("text", ["stacking = progressive", "[deck", "hand_size = 5\nhand_size = 6", "preset: official"])
def test_file_that_is_not_toml_is_refused(tmp_path: Path, text: str) -> None:
    file = rules_file(tmp_path, text)
    assert refusal(file).startswith(f"rules file {file} is not TOML: ")
    assert "(at " in refusal(file)  # where


# -- refused --


def test_rules_that_contradict_themselves_are_refused_when_they_are_made() -> None:
    with pytest.raises(BadValue, match="draw=until_playable and drawn_card=may_not_play contradict"):
        Rules(draw="until_playable", drawn_card="may_not_play")


def test_deck_of_wilds_cannot_be_opened_with_anything_else() -> None:
    deck = "wild*4/wild+4*4/wildshuffle*2/wildcustom"
    message = refusal(f"classic,opening=redraw_wilds,deck={deck}")
    assert message.startswith(f"opening=redraw_wilds and deck={deck} contradict each other: ")
    assert refusal(f"davies,deck={deck}") == message
    for opening in ("effects", "effects_name_colour", "none"):
        assert parse_rules(f"classic,opening={opening},deck={deck}").opening == opening
    assert parse_rules(f"classic,opening=redraw_wilds,deck={deck}/r1").opening == "redraw_wilds"


@pytest.mark.parametrize("switch", [switch for switch in VALUES if switch != "deck"])
def test_unknown_value_of_a_switch_is_refused_with_what_is_near_or_known(switch: str) -> None:
    assert refusal(f"classic,{switch}=zzzzzz") == f"unknown value of switch {switch}: 'zzzzzz'; known: {', '.join(sorted(VALUES[switch]))}."
    longest = max(VALUES[switch], key=len)
    near = longest[:-1] if len(longest) > 3 else longest.upper()
    assert refusal(f"classic,{switch}={near}").startswith(f"unknown value of switch {switch}: '{near}'; ")
    if len(longest) > 3:
        assert f"did you mean {longest}" in refusal(f"classic,{switch}={near}")


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("stacking", True),
        ("starter", "dealer"),
        ("jump_in", 1),
        ("draw", "two"),
        ("draw", None),
        ("opening", None),
        ("must_play", "yes"),
        ("must_play", "off"),
    ],
)
def test_value_of_the_wrong_kind_is_refused_when_rules_are_made(switch: str, value: object) -> None:
    with pytest.raises(BadValue, match=f"^{switch}={value} is not accepted; it is {', '.join(VALUES[switch])}"):
        Rules(**{switch: value})  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("value", ["5", True])
def test_number_of_the_wrong_kind_is_refused_when_rules_are_made(value: Any) -> None:
    with pytest.raises(BadValue, match=r"^hand_size(=| must be )"):
        Rules(hand_size=value)


THREE_OF_EACH = "/".join(f"{colour}{number}*3" for colour in "rgby" for number in range(10))
REFUSED = [
    ("clasic", "unknown rules 'clasic'; did you mean classic?"),
    ("zzz", "unknown rules 'zzz'; known: classic, davies, hearn, modern, numbers, official."),
    ("stacking=same", "rules 'stacking=same' begin with a switch; a preset or a file comes first, such as classic,stacking=same."),
    ("", "unknown rules ''; known: "),
    ("classic,", "unknown switch in rules 'classic,': ''; "),
    ("classic,handsize=5", "unknown switch in rules 'classic,handsize=5': 'handsize'; did you mean hand_size?"),
    ("classic,draw=one,draw=one", "switch 'draw' occurs twice in rules 'classic,draw=one,draw=one'."),
    ("classic,jump_in=on,jump_in=on", "switch 'jump_in' occurs twice in rules 'classic,jump_in=on,jump_in=on'."),
    *(
        (f"classic,{change}", f"switch '{change}' in rules 'classic,{change}' has no value; write hand_size=VALUE.")
        for change in ("hand_size", "hand_size=")
    ),
    *((f"classic,hand_size={value}", f"hand_size must be a whole number, 1–20, got {value}.") for value in ("five", "5.5", "1e2", "²")),
    *((f"classic,hand_size={value}", f"hand_size must be 1–20, got {value}.") for value in (-1, 0, 21)),
    *((f"classic,max_turns={value}", f"max_turns must be 1–1000000, got {value}.") for value in (-5, 0, 1_000_001)),
    ("classic,deck=r1/r10", "'r10' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."),
    ("classic,deck=g1/r5*", "deck: copies of r5 must be a whole number, 0–7, got nothing."),
    *((f"classic,deck=g1/r5*{count}", f"deck: copies of r5 must be a whole number, 0–7, got {count}.") for count in ("x", "2*2", "²")),
    *((f"classic,deck=r1/r5*{count}", f"deck: copies of r5 must be 0–7, got {count}.") for count in (-1, 8)),
    ("classic,deck=r5*0", "deck of rules 'classic' has 0 cards; 1 to 112 are accepted."),
    (f"classic,deck={THREE_OF_EACH}", "deck of rules 'classic' has 120 cards; 1 to 112 are accepted."),
    ("classic,draw=until_playable,drawn_card=may_not_play", "draw=until_playable and drawn_card=may_not_play contradict each other"),
    ("numbers,draw=until_playable", "draw=until_playable and drawn_card=may_not_play contradict each other"),
    ("hearn,draw=until_playable", "draw=until_playable and drawn_card=may_not_play contradict each other"),
    ("classic,opening=redraw_wilds,deck=wild*4", "opening=redraw_wilds and deck=wild*4 contradict each other: "),
    ("nowhere.toml", "rules file nowhere.toml does not exist."),
    ("nowhere.toml,hand_size=5", "rules file nowhere.toml does not exist."),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_bad_rules_are_refused_in_one_sentence(text: str, message: str) -> None:
    said = refusal(text)
    assert said == message if message[-1] in ".?" else said.startswith(message)
    assert "\n" not in said
    assert said[-1] in ".?"


def test_deck_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadValue, match="56 counts from 0 to 7 are needed, one for each card type"):
        Rules(deck=(2, 2, 2))


@pytest.mark.parametrize(("players", "words"), [(1, "1 player"), (0, "0 players"), (11, "11 players")])
def test_numbers_of_players_that_uno_is_not_for_are_refused(players: int, words: str) -> None:
    with pytest.raises(BadValue) as refused:
        Rules().check_players(players)
    assert str(refused.value) == f"{words}: UNO is played by 2 to 10."


def test_deck_too_small_for_the_players_is_refused() -> None:
    rules = parse_rules("classic,deck=r1*5,hand_size=2")
    rules.check_players(2)
    with pytest.raises(BadValue) as refused:
        rules.check_players(3)
    assert str(refused.value).startswith("3 players with hand_size=2 need 7 cards, but the deck of rules '")
    assert str(refused.value).endswith("' has 5.")


def test_every_switch_is_explained() -> None:
    assert all(SWITCHES[switch].meaning for switch in SWITCHES)


# -- in words --


@pytest.mark.parametrize("preset", list(PRESETS))
def test_rules_in_words_are_sentences(preset: str) -> None:
    lines = describe_rules(PRESETS[preset])
    assert len(lines) >= 5
    for line in lines:
        assert line[0].isupper()
        assert line.endswith(".")
        assert "\n" not in line


@pytest.mark.parametrize("switch", list(VALUES))
def test_each_value_of_a_switch_reads_differently(switch: str) -> None:
    texts = {text: tuple(describe_rules(parse_rules(f"classic,{switch}={text}"))) for text in VALUES[switch]}
    assert len(set(texts.values())) == len(VALUES[switch])


@pytest.mark.parametrize("switch", list(VALUES))
def test_a_switch_is_described_on_top_of_the_house_rules_too(switch: str) -> None:
    """Nothing that is said of one switch hangs on another one standing as in the classic rules."""
    house = "modern,stacking=same,seven_zero=on,jump_in=on,must_play=on,drawn_card=any_card,hand_size=3"
    base = set(describe_rules(parse_rules(house)))
    other = [text for text, value in VALUES[switch].items() if value != getattr(parse_rules(house), switch)]
    for text in other:
        changes = ",".join(part for part in house.split(",") if not part.startswith(f"{switch}="))
        lines = describe_rules(parse_rules(f"{changes},{switch}={text}"))
        assert set(lines) != base


def test_numbers_are_part_of_the_rules_in_words() -> None:
    text = " ".join(describe_rules(parse_rules("classic,hand_size=13,max_turns=777")))
    assert "13 cards" in text
    assert "777 turns" in text
    assert "1 card " in " ".join(describe_rules(parse_rules("classic,hand_size=1")))
    assert "deck of 5 cards" in " ".join(describe_rules(parse_rules("classic,deck=r1*5,hand_size=2")))


WORDS = {
    "starter=seat_0": ["seat 0 begins"],
    "opening=none": ["has no effect"],
    "opening=effects_name_colour": ["names the colour"],
    "reverse_is_skip=off": ["the other player is next"],
    "draw=until_playable": ["until a card may be played"],
    "drawn_card=must_play": ["must be played at once"],
    "drawn_card=any_card": ["any card of the hand"],
    "must_play=on": ["only without a playable one"],
    "wild_draw_four=honest_only": ["only without a card of the current colour"],
    "wild_draw_four=challenge": ["may challenge", "draws four", "draws six"],
    "wild_draw_four=last_resort": ["only if nothing else is playable"],
    "stacking=same": ["answered by a Draw Two, a Wild Draw Four by a Wild Draw Four"],
    "stacking=progressive": ["by a Draw Two or a Wild Draw Four"],
    "seven_zero=on": ["swaps hands", "passes all hands"],
    "jump_in=on": ["out of turn"],
    "uno_call=on": ["calls UNO", "draws two"],
    "deck=modern": ["modern deck of 112", "collects all hands", "Wild Customizable"],
    "deck=numbers": ["number deck of 76"],
}


@pytest.mark.parametrize("change", list(WORDS))
def test_what_a_switch_means_is_said(change: str) -> None:
    text = " ".join(describe_rules(parse_rules(f"classic,{change}")))
    classic = " ".join(describe_rules(Rules()))
    for words in WORDS[change]:
        assert words in text
        assert words not in classic or change.startswith("wild_draw_four=challenge")


def test_a_stack_that_cannot_be_challenged_is_told_where_both_rules_meet() -> None:
    assert any("cannot be challenged" in line for line in describe_rules(parse_rules("official,stacking=same")))
    for text in ("official", "classic,stacking=same"):
        assert not any("cannot be challenged" in line for line in describe_rules(parse_rules(text)))
