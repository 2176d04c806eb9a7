"""The face of Hanabi: where its words, its screens and all else are that no other game has."""

from __future__ import annotations

from typing import Any

from kibitz.games.contract import GameDefinition
from kibitz.games.face import Budget, Face, GamePage
from kibitz.games.hanabi.cards import COLOUR_LETTERS, COLOURS
from kibitz.games.hanabi.decisions import COLUMNS, columns_of
from kibitz.games.hanabi.guide import GUIDE
from kibitz.games.hanabi.names import card_name, move_name, move_words, seat_words


def action_text(view: Any, move: int) -> str:
    """A move in words: `play slot 1`, `hint seat 2: red`."""
    return move_words(move_name(view, move), view.seat, view.players)


def action_parts(game: GameDefinition, view: Any, move: int) -> dict[str, str]:
    """What a bot's sentences may name: {action}, {slot}, or of a hint {player}, {told} and {touched}."""
    kind, *rest = move_name(view, move).split(":")
    parts = {"action": action_text(view, move)}
    if kind != "hint":
        return parts | {"slot": f"slot {int(rest[0]) + 1}"}
    seat, told = (view.seat + int(rest[0])) % view.players, rest[1]
    cards = [(slot, card_name(view.card(seat, slot))) for slot in range(view.size(seat))]
    fits = told if told.isdigit() else COLOUR_LETTERS[COLOURS.index(told)]
    touched = [f"{card} (slot {slot + 1})" for slot, card in cards if fits in card]
    return parts | {"player": seat_words(view, seat), "told": told, "touched": " and ".join(touched)}


def open_hands(game: GameDefinition, state: Any) -> list[list[Any]]:
    """Every hand with its cards open, and all that is known of each card."""
    seen = game.wire.view_message(state)["hands"]
    return [
        [{**card, "card": card_name(held)} for card, held in zip(cards, hand, strict=True)]
        for cards, hand in zip(seen, game.hands(state), strict=True)
    ]


def hide_hands(message: dict[str, Any], players: int) -> dict[str, Any]:
    """The hands of a view's message without their cards."""
    return {"hands": [[{**card, "card": None} for card in hand] for hand in message["hands"]]}


FACE = Face(
    telling="kibitz.report.hanabi.telling:make_telling",
    transcript="kibitz.report.hanabi.transcript:transcript",
    counted_end="kibitz.report.hanabi.transcript:counted_end",
    action_text=action_text,
    action_words=move_words,
    action_parts=action_parts,
    card_name=card_name,
    describe_rules="kibitz.games.hanabi.explain:describe_rules",
    rules_example="standard,lives=1",
    guide=GUIDE,
    screen="kibitz.terminal.hanabi.screen:HanabiScreen",
    usual_bots=("smart",),
    open_hands=open_hands,
    hide_hands=hide_hands,
    onlooker=lambda state: state.last_seat + 1,  # who sees what was drawn last
    has_notes=True,
    page=GamePage(
        about="Build the fireworks together; you see every hand but your own.",
        table_bots=("smart",),
        table_rules="standard",
        film_bots=("smart", "smart", "smart"),
        run_bots=("smart", "piers", "iggi"),
        pictures=("blue-3.svg", "red-5.svg"),
    ),
    likely=("advice", "smart"),
    adviser=lambda players: "smart",
    analyst="kibitz.play.hanabi.advice:HanabiAnalyst",
    analyst_follows=True,
    worlds="kibitz.play.hanabi.world_drawing:HanabiWorlds",
    trials_advise=True,
    budget=Budget(8_000, 128_000, 0.03),
    analysis_games=4_000,
    foreign_records="kibitz.games.hanabi.replays:FOREIGN",
    columns=COLUMNS,
    columns_of=columns_of,
    check_scenes=(("standard", 2, None), ("standard", 3, None), ("standard", 5, None), ("autohanabi", 4, None)),
    published="kibitz.report.hanabi.published_scores",
    experiments={
        "study crossplay": ("kibitz.experiments.studies.hanabi.crossplay.study:StudyCrossplay", "Which bots play well with strangers?"),
    },
    bench_lineups={
        "2 x random": (("random",) * 2, None, 1.0),
        "5 x random": (("random",) * 5, None, 1.0),
        "2 x iggi": (("iggi",) * 2, None, 0.1),
        "5 x iggi": (("iggi",) * 5, None, 0.1),
        "2 x cheater": (("cheater",) * 2, None, 0.1),
    },
)
