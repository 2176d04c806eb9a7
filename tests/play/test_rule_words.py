"""Which rule of a bot fired: named for every decision of every bot that is a list of rules, and the true one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.fired_rule import FiredRule, filled_in
from kibitz.bots.uno.choosing import WIN_RATE_LIMITS
from kibitz.core.errors import BadBot
from kibitz.core.layouts import Long, copy_record
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, RANK_OF
from kibitz.games.uno.cards import COLOURED_TYPES, DRAW, KEEP, KIND_OF, POINTS_OF, action_card
from kibitz.play.explaining import Adviser, Explanation, explain
from kibitz.play.game import Game, PlayedGame, play
from kibitz.play.seat import tells

from ..bots.hanabi.positions import Player, everything_but, position

LISTS = [(game, bot) for game in ("uno", "hanabi") for bot in registry.BUILT_IN[game] if not tells(registry.entrant(bot, game))]

# Where rules fire that are rare: bots, rules and the game of a seed.
RARE: dict[str, list[tuple[list[str], str, int]]] = {
    "score": [(["score"] * 3, "classic,drawn_card=any_card", index) for index in range(8)],
    "cheater": [(["cheater"] * 2, "standard,tokens=1", 0), (["cheater"] * 2, "standard,hand_size=1", 0)],
    "information": [(["information:best"] * 2, "standard", 79), (["information"] * 2, "standard,hand_size=1", 0)],
    "smart": [(["smart"] * 2, "standard,hand_size=2", 0)],
}
SCENES = {
    "uno": [(2, "classic"), (3, "classic"), (4, "classic"), (2, "classic,drawn_card=any_card"), (3, "official")],
    "hanabi": [(2, "standard"), (3, "standard"), (5, "standard")],
}


@cache
def games_of(game: str, bot: str) -> list[PlayedGame]:
    """Games of a bot with its own kind, in which all its rules should fire."""
    made = [play([bot] * players, rules=rules, game=game, seed=3, index=index) for players, rules in SCENES[game] for index in range(4)]
    return made + [play(bots, rules=rules, game=game, seed=3, index=index) for bots, rules, index in RARE.get(bot, [])]


def decisions(game: str, bot: str) -> Iterator[tuple[Any, Explanation]]:
    """Every decision of these games: what the bot saw, and what it said."""
    definition = registry.game(game)
    for played in games_of(game, bot):
        for step, said in played.explanations.items():
            state = copy_record((played.steps[step - 1] if step else played.opening).state)
            definition.verbs["show_actor"](state)
            yield copy_record(state, definition.view), said


# -- every bot of rules --


def test_bots_without_a_table_are_lists_of_rules() -> None:
    assert len(LISTS) == 22
    for game, bot in LISTS:
        assert registry.built_in_bot(bot, game).rules, bot


@pytest.mark.parametrize(("game", "bot"), LISTS)
def test_every_decision_names_its_rule(game: str, bot: str) -> None:
    said = [each for played in games_of(game, bot) for each in played.explanations.values()]
    assert len(said) > 150
    for each in said:
        assert each.rule and each.words and "{" not in each.words and not each.words.endswith("."), each
        assert each.to_dict()["rule"] == each.rule and each.to_dict()["words"] == each.words


@pytest.mark.parametrize(("game", "bot"), LISTS)
def test_no_rule_is_dead(game: str, bot: str) -> None:
    """Those of a last resort fire where there is no other move at all, so that no game asks: a position made by hand does."""
    fired = {each.rule for played in games_of(game, bot) for each in played.explanations.values()}
    rules = "standard,hand_size=1"
    stuck = position("R3|", rules=rules, discard=everything_but("R3", rules), turns_left="1")
    if bot in ("outer", "van_den_bergh", "cheater"):
        player = Player(bot, stuck)
        assert player.answer() == "play:0"
        fired.add(int((player.scratch if bot == "cheater" else player.memory).rule) + 1)
    assert fired == set(range(1, len(registry.built_in_bot(bot, game).rules) + 1))


@pytest.mark.parametrize(("game", "bot"), [("uno", "mix2"), ("hanabi", "iggi"), ("hanabi", "smart"), ("hanabi", "information")])
def test_compiled_bots_name_the_same_rules(game: str, bot: str) -> None:
    """Two advisers, one compiled and one as plain Python, look over the shoulder of every player."""
    asked = 0
    watched = Game(2, seed=5, game=game)
    advisers = [[Adviser(bot, game, jit=jit) for jit in (True, False)] for _ in range(2)]
    for seat, pair in enumerate(advisers):
        for adviser in pair:
            adviser.begin(watched.view(seat))
    while not watched.is_over and asked < 60:
        compiled, plain = (adviser.ask(watched.view()) for adviser in advisers[watched.to_act])
        assert compiled == plain
        asked += bool(compiled.rule)
        for event in watched.apply(compiled.action):
            for seat, pair in enumerate(advisers):
                for adviser in pair:
                    adviser.observe(watched.view(seat), event)
    assert asked > 5


# -- rules stated again --


def mix2_rules(view: Any, action: int) -> set[int]:
    """The rules of mix2 that can have given this action, from the kinds of cards alone."""
    if view.only_drawn():
        return {2} if action == KEEP else {1}
    if action in (DRAW, KEEP):
        others = sum(card < COLOURED_TYPES for card in view.cards())
        playable = [card for card in view.cards() if view.can_play(card)]
        assert all(card >= COLOURED_TYPES and others > WIN_RATE_LIMITS[KIND_OF[card]] for card in playable)
        return {3}
    return {5, 7} if view.next_size() == 1 else {4, 6}


def iggi_rule(view: Any, action: int) -> int:
    """The rule of iggi that applies first, from what the player sees."""
    unseen = [card for card in range(CARD_TYPES) if view.unseen(card) > 0]
    own = [(view.colour_mask(view.seat, slot), view.rank_mask(view.seat, slot)) for slot in range(view.size(view.seat))]

    def may_be(colours: int, ranks: int, cards: Any) -> list[int]:
        return [card for card in cards if colours >> COLOUR_OF[card] & 1 and ranks >> RANK_OF[card] & 1]

    def known(mask: int) -> bool:
        return mask.bit_count() == 1

    def is_dead(colours: int, ranks: int) -> bool:
        cards = may_be(colours if known(colours) else 31, ranks if known(ranks) else 31, range(CARD_TYPES))
        return all(view.is_dead(card) for card in cards)

    every = [may_be(*masks, range(CARD_TYPES)) for masks in own]
    if any(len(cards) == 1 and view.is_playable(cards[0]) and not view.is_dead(cards[0]) for cards in every):
        return 1
    if any(all(view.is_playable(card) for card in may_be(*masks, unseen)) for masks in own):
        return 2
    others = [(seat, slot) for seat in range(view.players) if seat != view.seat for slot in range(view.size(seat))]
    unaware = [where for where in others if not (known(view.colour_mask(*where)) and known(view.rank_mask(*where)))]
    if view.tokens and any(view.is_playable(view.card(*where)) for where in unaware):
        return 3
    if view.tokens == view.max_tokens:
        return 6
    return 4 if any(is_dead(*masks) for masks in own) else 5


def test_mix2_names_the_rule_that_fired() -> None:
    for view, said in decisions("uno", "mix2"):
        assert said.rule in mix2_rules(view, said.action), said.words


def test_iggi_names_the_rule_that_fired() -> None:
    for view, said in decisions("hanabi", "iggi"):
        assert said.rule == iggi_rule(view, said.action), said.words


@pytest.mark.parametrize(("bot", "better"), [("greedy", max), ("defensive", max), ("offensive", min)])
def test_points_decide_as_the_sentence_says(bot: str, better: Any) -> None:
    for view, said in decisions("uno", bot):
        points = [POINTS_OF[card] for card in view.cards() if view.can_play(card)]
        assert POINTS_OF[action_card(said.action)] == better(points), said.words


def test_sentences_name_the_card_and_the_slot() -> None:
    said = defaultdict(set)
    for bot, game in (("greedy", "uno"), ("iggi", "hanabi")):
        for _, each in decisions(game, bot):
            said[each.name].add(each.words)
    assert said["rskip"] == {"plays red Skip: no other card that fits is worth more points"}
    assert "discards slot 1, its oldest card" in said["discard:0"]
    assert "plays slot 2, which fits whatever it is" in said["play:1"]
    assert any(words.startswith("hints red to the partner, who can play a card") for words in said["hint:1:red"])


# -- bots of one's own --


class Counted:
    turns: Long
    rule: Long


@kibitz.bot(rules=("plays {card}, which fits", "doesn't play {nothing}"))
def cautious(view: Any, scratch: FiredRule) -> int:
    """Plays what fits in two turns out of three."""
    if view.may_decline() and view.turn % 3 == 0:
        scratch.rule = 1
        return int(view.decline())
    scratch.rule = 0
    return int(view.play(view.pick(view.playable()), 0))


@kibitz.bot(memory=Counted, rules=("plays in an even turn", "plays in an odd turn", "never does this"))
def remembers(view: Any, memory: Counted) -> int:
    """Notes in its memory which rule fires, in two turns out of three."""
    memory.turns += 1
    if memory.turns % 3:
        memory.rule = memory.turns % 2
    return int(view.play(view.pick(view.playable()), 0))


class Classy:
    """A Python class with rules."""

    rules = ("plays {card}", "draws")

    def choose(self, view: Any) -> int:
        self.rule = int(view.playable() == 0)
        return int(view.play(view.pick(view.playable()), 0))


class Lawyer:
    """A class that has an attribute `rules` for something else."""

    rules = "classic"

    def choose(self, view: Any) -> int:
        return int(view.play(view.pick(view.playable()), 0))


@pytest.mark.usefixtures("both_ways")
def test_bots_of_ones_own_name_their_rules() -> None:
    played = play([cautious, remembers, Classy, Lawyer], seed=1, seating="fixed")
    words = defaultdict(list)
    for said in played.explanations.values():
        words[said.bot].append((said.rule, said.words))
    assert set(words["cautious"]) > {(2, "doesn't play {nothing}")}
    assert {rule for rule, _ in words["cautious"]} == {1, 2}
    assert [rule for rule, _ in words["remembers"]][:6] == [2, 1, 0, 1, 2, 0]
    assert words["remembers"][0][1] == "plays in an odd turn"
    assert {rule for rule, _ in words["Classy"]} == {1}
    assert "Lawyer" not in words
    asked = explain(cautious, Game(2, seed=3))
    assert asked.rule == 1 and asked.words.endswith(", which fits")


@pytest.mark.usefixtures("both_ways")
def test_the_example_of_the_page_names_both_rules(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    source = page.partition("# ruled_bot.py\n")[2].partition("```")[0]
    (tmp_path / "ruled_bot.py").write_text(source, encoding="utf-8")
    said = set()
    for index in range(12):
        played = play([f"{tmp_path / 'ruled_bot.py'}:ruled", "mix2"], seed=1, index=index)
        said |= {each.words for each in played.explanations.values() if "ruled" in each.bot}
    assert any(re.fullmatch(r"plays \w+ Draw Two, since the next player has one card left", words) for words in said)
    assert any(words.endswith(", a random card that fits") for words in said)


def strategy(view: Any) -> int:
    """Any card."""
    return int(view.pick(view.playable()))


@pytest.mark.parametrize(
    ("declared", "complaint"),
    [
        ({"rules": "plays a card"}, "rules must be a tuple of sentences, not 'plays a card'"),
        ({"rules": ("plays", 3)}, "rules must be a tuple of sentences"),
        ({"rules": ("plays", " ")}, "rules must be a tuple of sentences"),
        ({"rules": ("plays", "draws"), "scratch": type("Room", (), {"__annotations__": {"size": Long}})}, "needs a field `rule`"),
    ],
)
def test_rules_that_cannot_be_noted_are_refused(declared: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadBot, match=complaint):
        kibitz.bot(**declared)(strategy)


def test_one_rule_needs_no_note() -> None:
    made = kibitz.bot(rules=("plays {card}",))(strategy)
    assert isinstance(made, Bot) and made.scratch is None
    assert kibitz.bot(rules=("plays", "draws"))(strategy).scratch is FiredRule


def test_parts_are_filled_in_and_others_stay() -> None:
    assert filled_in("plays {card} on {top}: {}", {"card": "red 5"}) == "plays red 5 on {top}: {}"
