"""Recorded games of Hanabi, in both forms. `python -m tests.golden.hanabi_games` writes the golden files anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import MAX_HAND, PLAY
from kibitz.games.hanabi.names import card_name
from kibitz.games.hanabi.replays import WrittenGame, to_live
from kibitz.games.hanabi.rules import PRESETS, Rules, parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import LOST
from kibitz.play.game import play
from kibitz.play.record_files import read_games

REPLAYS = Path(__file__).with_name("hanabi_replays.jsonl")
LIVE = Path(__file__).with_name("hanabi_live.json")

# Players and seed of games between copies of the bot random; rules, players and seed of games by a player who sees all.
RANDOM_GAMES = [(players, seed) for players in range(2, 6) for seed in (1, 2)]
CAREFUL_GAMES = [
    *[("standard", players, seed) for players in range(2, 6) for seed in (3, 4)],
    ("autohanabi", 2, 5),
    ("autohanabi", 2, 6),
]
# hanab.live has no such game.
SMALL_GAMES = [("standard,colours=3,ranks=4,hand_size=3", 3, 7), ("standard,tokens=3,lives=1,discard_when_full=on", 2, 8)]


class Made(NamedTuple):
    """A game as both forms need it."""

    players: int
    rules: Rules
    deck: list[int]
    moves: list[int]
    score: int


def random_games() -> Iterator[Made]:
    for players, seed in RANDOM_GAMES:
        played = play(["random"] * players, seed=seed, game="hanabi")
        yield made(parse_rules("standard"), played.opening.state, played.actions, played.steps[-1].state)


def careful_games(games: list[tuple[str, int, int]]) -> Iterator[Made]:
    for text, players, seed in games:
        rules = parse_rules(text)
        state = new_state(rules, players)
        engine.deal(state, game_key(seed, 0))
        random = Random(seed)
        moves = []
        while not engine.is_over(state):
            moves.append(random.choice(good_moves(state)))
            engine.apply(state, moves[-1])
        yield made(rules, state, moves, state)


def good_moves(state: State) -> list[int]:
    """Plays of cards that fit; else discards of dead cards, or hints; else anything but a play that fails."""
    legal = engine.legal_actions(state)
    hand = state.hands[state.current * MAX_HAND : state.current * MAX_HAND + state.sizes[state.current]]
    plays = [move for move in legal if state.move_kind(move) == PLAY]
    fitting = [move for move in plays if state.is_playable(hand[move - state.hand_size])]
    dead = [move for move in legal if move < state.hand_size and state.is_dead(hand[move])]
    hints = [move for move in legal if move >= 2 * state.hand_size]
    return fitting or dead or hints or [move for move in legal if move not in plays] or legal


def made(rules: Rules, start: State, moves: list[int], end: State) -> Made:
    score = 0 if end.status == LOST else end.score
    return Made(start.players, rules, start.deck_order[: start.deck_total], moves, score)


def read(path: Path) -> list[WrittenGame]:
    """The records of a file that are in one of the two forms."""
    return [game for game in read_games(path) if isinstance(game, WrittenGame)]


def to_replay(players: int, rules: Rules, deck: Sequence[int], moves: Sequence[int], score: int) -> dict[str, Any]:
    """A game as a replay."""
    value: dict[str, Any] = {"deck": [card_name(card) for card in deck], "actions": list(moves), "score": score}
    if players != 2:
        value["players"] = players
    if rules != PRESETS["standard"]:
        value["rules"] = rules.to_text()
    return value


def replays() -> list[dict[str, Any]]:
    """What the file of replays holds."""
    return [to_replay(*game) for game in [*random_games(), *careful_games(CAREFUL_GAMES), *careful_games(SMALL_GAMES)]]


def live_games() -> list[dict[str, Any]]:
    """What the file of hanab.live's games holds."""
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
    games = [*random_games(), *careful_games(CAREFUL_GAMES)]
    return [to_live(names[: game.players], game.rules, game.deck, game.moves) for game in games]


def lines(games: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(game, separators=(",", ":")) + "\n" for game in games)


def listed(games: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(json.dumps(game, separators=(",", ":")) for game in games) + "\n]\n"


if __name__ == "__main__":
    REPLAYS.write_text(lines(replays()))
    LIVE.write_text(listed(live_games()))
