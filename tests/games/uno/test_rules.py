"""Rules from text, and what is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from kibitz.errors import BadValue, KibitzError, UnknownName
from kibitz.games.uno.cards import CARD_TYPES, STANDARD_DECK
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.rules import PRESETS, SUMMARIES, SWITCHES, Rules, parse_deck, parse_rules


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


# -- refused --


def test_unknown_preset_is_refused_with_what_is_near() -> None:
    assert refusal("clasic") == "unknown rules 'clasic'; did you mean classic?"
    with pytest.raises(UnknownName, match=r"unknown rules 'zzz'; known: .*classic"):
        parse_rules("zzz")


def test_unknown_switch_is_refused_with_what_is_near() -> None:
    assert refusal("classic,handsize=5") == "unknown switch in rules 'classic,handsize=5': 'handsize'; did you mean hand_size?"


@pytest.mark.parametrize("change", ["hand_size", "hand_size="])
def test_switch_without_a_value_is_refused(change: str) -> None:
    assert refusal(f"classic,{change}") == f"switch '{change}' in rules 'classic,{change}' has no value; write hand_size=VALUE."


@pytest.mark.parametrize("value", ["five", "5.5", "1e2", "²"])
def test_value_that_is_not_a_whole_number_is_refused(value: str) -> None:
    assert refusal(f"classic,hand_size={value}") == f"hand_size={value}: a whole number is needed."


@pytest.mark.parametrize("value", [-1, 0, 21])
def test_hand_size_out_of_range_is_refused(value: int) -> None:
    assert refusal(f"classic,hand_size={value}") == f"hand_size={value} is out of range: 1 to 20 is accepted."


@pytest.mark.parametrize("value", [-5, 0, 1_000_001])
def test_max_turns_out_of_range_is_refused(value: int) -> None:
    assert refusal(f"classic,max_turns={value}") == f"max_turns={value} is out of range: 1 to 1000000 is accepted."


def test_unknown_card_in_a_deck_is_refused() -> None:
    assert refusal("classic,deck=r1/r10") == "'r10' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."


@pytest.mark.parametrize("part", ["r5*", "r5*x", "r5*-1", "r5*2*2", "r5*²"])
def test_bad_count_in_a_deck_is_refused(part: str) -> None:
    assert refusal(f"classic,deck=g1/{part}") == f"deck: '{part}' needs a whole number after the star, such as r5*2."


def test_more_than_seven_copies_are_refused() -> None:
    assert "56 counts from 0 to 7 are needed" in refusal("classic,deck=r5*8")


def test_deck_without_cards_is_refused() -> None:
    assert refusal("classic,deck=r5*0") == "deck of rules 'classic' has 0 cards; 1 to 112 are accepted."


def test_deck_of_more_than_112_cards_is_refused() -> None:
    cards = "/".join(f"{colour}{number}*3" for colour in "rgby" for number in range(10))
    assert refusal(f"classic,deck={cards}") == "deck of rules 'classic' has 120 cards; 1 to 112 are accepted."


@pytest.mark.parametrize("card", ["wildshuffle", "wildcustom"])
def test_cards_of_the_modern_deck_are_refused(card: str) -> None:
    assert "are not part of these rules" in refusal(f"classic,deck=r1*7/{card}")


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


@pytest.mark.parametrize(
    "text",
    [
        "",
        "clasic",
        "classic,",
        "classic,x=1",
        "classic,hand_size",
        "classic,hand_size=x",
        "classic,hand_size=0",
        "classic,deck=zz",
        "classic,deck=r1*9",
    ],
)
def test_every_refusal_is_one_sentence(text: str) -> None:
    message = refusal(text)
    assert "\n" not in message
    assert message[-1] in ".?"
