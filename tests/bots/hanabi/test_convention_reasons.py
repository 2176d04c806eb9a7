"""What `smart` and `information` say about their moves is true of the game: the hints they name, the cards, and what others learn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from kibitz.core.layouts import blank, copy_record
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOURS, HINT_COLOUR, HINT_RANK, MAX_HAND
from kibitz.games.hanabi.names import card_name
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State
from kibitz.play.explaining import Adviser, Explanation
from kibitz.play.game import Game, PlayedGame, PlayedStep, play
from kibitz.policies.hanabi.card_sets import is_sure
from kibitz.policies.hanabi.card_stories import event_of
from kibitz.policies.hanabi.smart_conventions import NEWEST, NOTHING, PASSES, SHOWS, WARNING, SmartKnowledge, begin_knowledge, read_event
from kibitz.policies.hanabi.smart_policy import choose_move
from kibitz.policies.hanabi.smart_reasons import hint_meaning

from .positions import Player, known, position


@cache
def games_of(bot: str) -> list[PlayedGame]:
    return [play([bot] * players, game="hanabi", seed=11, index=index) for players in (2, 3, 5) for index in range(5)]


def said_by(bot: str) -> Iterator[tuple[PlayedGame, PlayedStep, Explanation]]:
    """Every decision, with the game and the table before it."""
    for played in games_of(bot):
        for step, said in played.explanations.items():
            yield played, played.steps[step - 1] if step else played.opening, said


def true_card(before: PlayedStep, seat: int, slot: int) -> int:
    return before.hands[seat][slot]


def hint_in(played: PlayedGame, turn: int) -> tuple[Any, State]:
    """The move of a turn, and the table before it."""
    before = played.opening
    for step in played.steps:
        if before.state.turn == turn:
            return step.events[0], before.state
        before = step
    raise AssertionError(f"there is no turn {turn}")


@pytest.mark.parametrize("bot", ["smart", "information", "information:best"])
def test_what_a_player_says_about_its_own_card_is_true(bot: str) -> None:
    named = 0
    for _, before, said in said_by(bot):
        for one in re.findall(r"it is ([RYGWB][1-5](?:(?:, | or )[RYGWB][1-5])*)", said.words):
            slot = said.action % before.state.hand_size
            assert card_name(true_card(before, said.seat, slot)) in re.split(", | or ", one), said.words
            named += 1
    assert named > 100


def test_a_hint_that_smart_goes_by_was_given_then_and_touched_the_card() -> None:
    kinds: Counter[str] = Counter()
    for played, before, said in said_by("smart"):
        found = re.search(r"the hint (\w+) of turn (\d+) (named no|warned|leaves|didn't touch)", said.words)
        if not found:
            continue
        event, then = hint_in(played, int(found[2]))
        assert event.kind in (HINT_COLOUR, HINT_RANK) and event.target == said.seat
        assert found[1] == (COLOURS[event.value] if event.kind == HINT_COLOUR else str(event.value + 1))
        place = before.state.places[said.seat * MAX_HAND + said.action % before.state.hand_size]
        touched = [then.places[said.seat * MAX_HAND + slot] for slot in range(MAX_HAND) if event.touched >> slot & 1]
        assert (place in touched) == (found[3] != "didn't touch"), said.words
        kinds[found[3]] += 1
    assert kinds["named no"] > 50 and kinds["leaves"] > 10 and kinds["warned"] > 2


def test_a_hint_of_smart_is_about_the_card_it_names() -> None:
    counted: Counter[str] = Counter()
    for _, before, said in said_by("smart"):
        target = (said.seat + int(said.name.split(":")[1])) % said.players if said.name.startswith("hint") else -1
        for card, slot in re.findall(r"([RYGWB][1-5]) in slot (\d)", said.words):
            assert card_name(true_card(before, target, int(slot) - 1)) == card
            assert engine.is_legal(before.state, said.action)
            if "which fits" in said.words:
                assert before.state.is_playable(true_card(before, target, int(slot) - 1)), said.words
        for slot, card in re.findall(r"would discard slot (\d), ([RYGWB][1-5]), the last copy", said.words):
            assert card_name(true_card(before, target, int(slot) - 1)) == card
            number = true_card(before, target, int(slot) - 1)
            assert before.state.deck[number] - before.state.discards[number] == 1
            counted["warned"] += 1
        counted["pointed"] += "it means the newest card" in said.words
        counted["shown"] += "it shows that" in said.words
    assert min(counted[kind] for kind in ("warned", "pointed", "shown")) > 20


def test_what_a_hint_means_is_what_everybody_reads() -> None:
    """The meaning of every hint in games of smart, against what reading it changes."""
    kinds: Counter[int] = Counter()
    for seed in range(12):
        state = Game(2 + seed % 4, seed=seed, game="hanabi").state
        knowledge: Any = blank(SmartKnowledge)
        begin_knowledge(state, knowledge)
        while not engine.is_over(state):
            seat, before = state.current, copy_record(knowledge)
            move, _ = choose_move(knowledge, state.hands, seat, 1)
            engine.apply(state, move)
            event = engine.event_at(state, 0)
            state.event_count = 0
            read_event(knowledge, event, state.hands, seat)
            if event.kind not in (HINT_COLOUR, HINT_RANK):
                continue
            meaning = hint_meaning(before, event)
            kinds[meaning.kind] += 1
            after = {slot: knowledge.masks[event.target * MAX_HAND + slot] for slot in range(knowledge.sizes[event.target])}
            for slot in meaning.slots:
                if meaning.kind in (SHOWS, NEWEST):
                    assert is_sure(after[slot], before.playable)
                elif meaning.kind == WARNING:
                    assert is_sure(after[slot], before.last)
    assert set(kinds) >= {SHOWS, NEWEST, WARNING, PASSES} and kinds[NEWEST] > kinds[NOTHING]


@pytest.mark.parametrize("bot", ["information", "information:best"])
def test_what_others_learn_by_a_message_of_information_is_true(bot: str) -> None:
    counted: Counter[str] = Counter()
    for _, before, said in said_by(bot):
        if said.name.startswith("play"):
            continue
        state, told = before.state, said.words.rpartition(" tells ")[2]
        for part in re.split(r", (?=seat)|and (?=seat)", told):
            who = re.match(r"(?:seat (\d)|the partner)", part)
            if not who:
                continue
            seat = int(who[1]) if who[1] else 1 - said.seat
            for slots, verb in re.findall(r"that slots? ([\d, and]+?) (fits?|is dead|are dead)", part):
                for slot in re.findall(r"\d", slots):
                    card = true_card(before, seat, int(slot) - 1)
                    assert state.is_playable(card) if verb.startswith("fit") else state.is_dead(card), said.words
                    counted[verb[:3]] += 1
    assert counted["fit"] > 50 and counted["is "] + counted["are"] > 20


def test_discards_say_what_made_them() -> None:
    words = [said.words for _, _, said in said_by("smart") if said.name.startswith("discard")]
    assert any(re.search(r"\d of the \d+ cards that it may be are dead, the highest share in its hand", each) for each in words)
    for _, before, said in said_by("smart"):
        if "nobody has hinted at it" in said.words:
            where = said.seat * MAX_HAND + said.action
            assert not before.state.named_colours[where] and not before.state.named_ranks[where]


def test_a_finesse_names_the_twin_and_its_holder() -> None:
    state = position(f"{known('R1')}.Y4.Y4.W4.W4|Y2.Y2.G2.G2.B2|W2.W2.B2.B3.R1", tokens=4)
    said = Adviser("smart", "hanabi", jit=False).ask(Player("smart", state).state)
    assert said.name == "discard:0" and said.rule == 5
    assert said.words == "discards slot 1, R1, though it fits: the newest card of seat 2 is R1 too, and they will play it"


def test_any_move_can_be_put_into_words() -> None:
    """What the conventions say of moves that the bot would not make."""
    state = Game(3, seed=4, game="hanabi")
    for bot, lie in (("smart", "doesn't fit"), ("information", "isn't true")):
        adviser = Adviser(bot, "hanabi", jit=False)
        adviser.begin(state.view())
        words = {action: adviser.words_for(state.view(), action) for action in state.legal_actions()}
        assert all(words.values()) and len(set(words.values())) == len(words)
        assert words[adviser.ask(state.view()).action]
        assert any(lie in each for each in words.values())
    assert Adviser("iggi", "hanabi", jit=False).words_for(state.view(), state.legal_actions()[0]) == ""


def test_an_event_is_made_of_a_move_as_the_table_makes_it() -> None:
    state = Game(4, seed=2, game="hanabi", rules=parse_rules("standard")).state
    for move in [move for move in engine.legal_actions(state) if move >= 2 * state.hand_size]:
        after, made = copy_record(state), event_of(state, move)
        after.observed = 1
        engine.apply(after, move)
        event = engine.event_at(after, 0)
        assert (made.kind, made.seat, made.target, made.value, made.touched) == (
            event.kind,
            event.seat,
            event.target,
            event.value,
            event.touched,
        )
