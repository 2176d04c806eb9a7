"""The deal and the opening card: small decks leave only one card to turn up."""

from __future__ import annotations

from collections import Counter

import pytest

from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import MAX_CARDS, NO_COLOUR, RED, STANDARD_DECK, WILD_DRAW_FOUR
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import PLAYING, TURN
from kibitz.play.game import Game
from tests.games.uno.positions import hand, legal

GAMES = range(40)


def openings(deck: str, players: int, hand_size: int = 2) -> list[Game]:
    return [Game(players, f"classic,deck={deck},hand_size={hand_size}", 3, index) for index in GAMES]


def after(game: Game, places: int) -> int:
    return int(game.state.dealer + places) % int(game.state.players)


@pytest.mark.parametrize("players", [2, 3, 10])
def test_everybody_gets_seven_cards_and_one_is_turned_up(players: int) -> None:
    game = next(game for index in range(50) if (game := Game(players, seed=2, index=index)).state.top % 13 < 10)
    assert list(game.state.sizes[:players]) == [7] * players
    assert game.state.pile_size == 108 - 7 * players - 1
    assert game.state.discard_size == 0


def test_cards_in_play_are_the_deck() -> None:
    state = Game(4, seed=5).state
    cards = [card for seat in range(4) for card in state.orders[seat * MAX_CARDS : seat * MAX_CARDS + state.sizes[seat]]]
    cards += [*state.pile[: state.pile_size], state.top]
    assert Counter(cards) == Counter({card: count for card, count in enumerate(STANDARD_DECK) if count})


@pytest.mark.parametrize("players", [2, 3])
def test_number_card_has_no_effect_and_the_player_after_the_dealer_begins(players: int) -> None:
    for game in openings("r5*7", players):
        assert (game.to_act, game.state.direction, game.turns) == (after(game, 1), 1, 1)
        assert (game.state.status, game.state.phase, game.state.idle_players) == (PLAYING, TURN, 0)


@pytest.mark.parametrize("players", [2, 3])
def test_skip_passes_over_the_first_player(players: int) -> None:
    for game in openings("rskip*7", players):
        assert (game.to_act, game.state.direction, game.turns) == (after(game, 2), 1, 1)


@pytest.mark.parametrize("players", [2, 3])
def test_draw_two_makes_the_first_player_draw_two_and_passes_over_it(players: int) -> None:
    for game in openings("r+2*7/g+2*4", players):
        first = after(game, 1)
        assert [game.state.sizes[seat] for seat in range(players)] == [4 if seat == first else 2 for seat in range(players)]
        assert (game.to_act, game.turns, game.state.pile_size) == (after(game, 2), 1, 11 - 2 * players - 1 - 2)


def test_draw_two_takes_what_there_is() -> None:
    for game in openings("r+2*6", 2):
        assert game.state.sizes[after(game, 1)] == 3
        assert game.state.pile_size == 0
    for game in openings("r+2*7", 3):
        assert list(game.state.sizes[:3]) == [2, 2, 2]


@pytest.mark.parametrize("players", [2, 3])
def test_reverse_turns_the_direction_and_the_dealer_begins(players: int) -> None:
    for game in openings("rrev*7", players):
        assert (game.to_act, game.state.direction, game.turns) == (game.state.dealer, -1, 1)


@pytest.mark.parametrize("players", [2, 3])
def test_wild_lets_the_first_player_play_anything(players: int) -> None:
    seen = 0
    for game in openings("wild/r5/g6*3/b7*2", players):
        if card_name(game.state.top) == "wild":
            seen += 1
            assert (game.to_act, game.state.colour) == (after(game, 1), NO_COLOUR)
            assert set(legal(game)) == {*hand(game, game.to_act).split("."), "draw"}
    assert seen > 0


def test_wild_without_a_colour_lets_the_next_player_play_anything_too() -> None:
    game = next(game for game in openings("wild/r5*5/g6*5", 2) if card_name(game.state.top) == "wild")
    game.apply("draw")
    game.apply("keep")
    assert set(legal(game)) == {*hand(game, game.to_act).split("."), "draw"}


def test_wild_draw_four_goes_back() -> None:
    for game in openings("wild+4*7/r5*3", 2, 1):
        state = game.state
        assert state.top != WILD_DRAW_FOUR
        assert Counter([*state.pile[: state.pile_size], state.top])[WILD_DRAW_FOUR] >= 5


def test_wild_draw_four_stays_if_there_is_nothing_else_and_has_no_effect() -> None:
    for game in openings("wild+4*7", 2):
        assert (game.state.top, game.state.colour) == (WILD_DRAW_FOUR, NO_COLOUR)
        assert (game.to_act, list(game.state.sizes[:2])) == (after(game, 1), [2, 2])


def test_same_seed_and_index_deal_the_same_game() -> None:
    assert Game(5, seed=8, index=3).to_text() == Game(5, seed=8, index=3).to_text()


def test_other_seed_or_index_deals_another_game() -> None:
    texts = {Game(5, seed=seed, index=index).to_text() for seed in range(10) for index in range(10)}
    assert len(texts) == 100


def test_state_can_be_dealt_again() -> None:
    game = Game(4, seed=1)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    engine.deal(game.state, game_key(1, 7))
    assert game.to_text() == Game(4, seed=1, index=7).to_text()


@pytest.mark.parametrize("opening", ["none", "redraw_wilds"])
@pytest.mark.parametrize("deck", ["rskip*7", "rrev*7", "r+2*7"])
def test_opening_card_has_no_effect_where_the_rules_say_so(opening: str, deck: str) -> None:
    for index in GAMES:
        game = Game(3, f"classic,opening={opening},deck={deck},hand_size=2", 3, index)
        assert (game.to_act, game.state.direction, game.state.colour, list(game.state.sizes[:3])) == (after(game, 1), 1, RED, [2, 2, 2])


def test_starter_is_seat_0_or_a_random_seat() -> None:
    assert {Game(3, "classic,starter=seat_0,deck=r5*7,hand_size=2", 3, index).to_act for index in GAMES} == {0}
    assert {Game(3, "classic,starter=random_seat,deck=r5*7,hand_size=2", 3, index).to_act for index in GAMES} == {0, 1, 2}


def test_opening_reverse_between_two_players_lets_the_dealer_begin_even_if_it_is_no_skip() -> None:
    for index in GAMES:
        game = Game(2, "classic,reverse_is_skip=off,deck=rrev*7,hand_size=2", 3, index)
        assert (game.to_act, game.state.direction) == (game.state.dealer, -1)
