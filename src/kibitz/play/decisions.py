"""Decisions as a data set: one row for each that a bot was asked for, with what it saw, what it did and how the game ended.

Rows are dicts of whole numbers, texts and lists of whole numbers, with the columns of `columns_of`. They come from games that
are played for them (`decisions_of`) or from records (`decisions_from`); `kibitz.report.files` writes them. Cards, actions and
seats are numbers, -1 stands for none. A row never has the viewer's random stream: it leads back to the deal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kibitz import registry
from kibitz.core.layouts import copy_record
from kibitz.games.contract import GameDefinition
from kibitz.games.hanabi.cards import HIDDEN, MAX_HAND
from kibitz.games.uno.cards import NO_CARD
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.view import NO_SEAT
from kibitz.play.lineup import Lineup
from kibitz.play.record import Record, positions
from kibitz.play.record_faults import counted_outcome, is_substitute
from kibitz.play.sitting import Sitting

Row = dict[str, Any]


class Column(NamedTuple):
    """A column of a table: its kind is `int`, `text`, `ints` or `texts`."""

    name: str
    kind: str
    meaning: str


_BEFORE = (
    Column("index", "int", "the game, counted in its batch from 0"),
    Column("deal", "int", "which cards were dealt; rotations of the seats share them"),
    Column("round", "int", "which deal of a contest, from 0"),
    Column("rules", "text", "the rules"),
    Column("decision", "int", "which decision of this deal, from 0"),
    Column("turn", "int", "number of the turn, from 1"),
    Column("seat", "int", "who was asked"),
    Column("bot", "text", "its name"),
    Column("phase", "text", "which kind of decision"),
)
_AFTER = (
    Column("legal", "ints", "every legal action"),
    Column("action", "int", "the action taken"),
    Column("action_name", "text", "its name"),
    Column("status", "text", "how the deal ended"),
    Column("won", "int", "1 if this seat won it; for a team, if its game was perfect"),
    Column("points", "int", "what this seat gained; for a team its score, 0 if it lost"),
    Column("substitute", "int", "1 if the action was a substitute's, since the bot had committed a fault or forfeited"),
    Column("fault", "text", "the kind of fault that the bot committed when it was asked; empty if none"),
)
_UNO = (
    Column("players", "int", "how many play"),
    Column("hand", "ints", "own cards by type; oldest first where the bot keeps their order, else sorted"),
    Column("drawn", "int", "the card just drawn, in the phase `drawn`"),
    Column("top", "int", "the card on top"),
    Column("colour", "int", "its colour, as called for a wild"),
    Column("direction", "int", "1 or -1"),
    Column("dealer", "int", "the dealer's seat"),
    Column("hand_sizes", "ints", "cards in each hand, by seat"),
    Column("pile_size", "int", "cards in the draw pile"),
    Column("discard", "ints", "the discard pile under the top card, oldest first"),
    Column("known_seats", "ints", "for each card known to be in another hand: the seat"),
    Column("known_cards", "ints", "and the card"),
    Column("scores", "ints", "points before this deal, by seat"),
    Column("player", "int", "in a window: whose play is being settled"),
    Column("stack", "int", "cards to draw, in the phases `stack` and `challenge`"),
    Column("may_challenge", "int", "1 if a challenge is allowed"),
)
_HANABI = (
    Column("players", "int", "how many play"),
    Column("hand_size", "int", "cards dealt to each"),
    Column("hand_sizes", "ints", "cards in each hand now, by seat"),
    Column("cards", "ints", f"by seat, {MAX_HAND} slots each: the card, -1 for none, -2 for one's own"),
    Column("colour_masks", "ints", "in the same order: colours that hints leave, a bit for each"),
    Column("rank_masks", "ints", "ranks that hints leave"),
    Column("named_colours", "ints", "1 if the colour was named"),
    Column("named_ranks", "ints", "1 if the rank was named"),
    Column("places", "ints", "the place each card had in the deck"),
    Column("fireworks", "ints", "the height of each colour's pile"),
    Column("discards", "ints", "copies of each type in the discard pile"),
    Column("score", "int", "points on the table"),
    Column("tokens", "int", "information tokens"),
    Column("lives", "int", "lives"),
    Column("deck_size", "int", "cards to draw"),
    Column("turns_left", "int", "turns left once the deck is empty"),
    Column("last_move", "int", "the last move"),
    Column("last_seat", "int", "who made it"),
    Column("last_card", "int", "the card played or discarded"),
    Column("last_touched", "int", "slots touched by a hint, a bit for each"),
    Column("last_success", "int", "1 if a play succeeded"),
    Column("last_gained", "int", "1 if it gained a token"),
)


def columns_of(game: str) -> tuple[Column, ...]:
    """The columns of a game's decisions, in order."""
    return (*_BEFORE, *{"uno": _UNO, "hanabi": _HANABI}[registry.game(game).name], *_AFTER)


# -- rows --


class Decision(NamedTuple):
    """What a bot was asked: what it saw, and what it answered."""

    view: Any
    action: int


@dataclass
class AskedDeal:
    """One deal: which it is, who sat where, every decision that a bot was asked for, and how it ended."""

    index: int  # of the game in its batch
    deal: int  # which cards: the index that the deal's streams come from
    round: int  # which deal of a contest, from 0
    seats: list[str]
    decisions: list[Decision] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)


def asked_deals(lineup: Lineup, seed: int, indices: Iterable[int], jit: bool = True) -> Iterator[AskedDeal]:
    """Play some games of a seed, deal by deal, and keep what every bot was asked."""
    decisions: list[Decision] = []
    sitting = Sitting(lineup, seed, jit, listen=lambda view, action: decisions.append(Decision(view, action)))
    for index in indices:
        with sitting.attending():
            sitting.begin(index)
        more = True
        while more:
            with sitting.attending():
                sitting.finish_deal()
            yield AskedDeal(index, sitting.dealt, sitting.round, sitting.seats, decisions[:], lineup.game.outcome(sitting.state))
            decisions.clear()
            with sitting.attending():
                more = sitting.next_deal()


def decisions_of(lineup: Lineup, seed: int, indices: Iterable[int], jit: bool = True) -> Iterator[Row]:
    """Play some games of a seed, and give every decision that a bot was asked for; one deal at a time is in memory."""
    jit = jit and os.environ.get("KIBITZ_JIT") != "0"
    rules = lineup.rules.to_text()
    for asked in asked_deals(lineup, seed, indices, jit):
        about = {"index": asked.index, "deal": asked.deal, "round": asked.round, "rules": rules}
        rows = [_row(lineup.game, about, asked.seats, view, action) for view, action in asked.decisions]
        yield from _finished(lineup.game, rows, asked.outcome)


def decisions_from(record: Record, index: int | None = None, windows: Sequence[int] | None = None) -> Iterator[Row]:
    """Every decision of a recorded game in which there was a choice.

    A record does not say which windows a bot knows: with `windows`, a bit for each phase by seat, decisions that were the
    default of another are left out. `index` is that of the game in its batch, by default the deal.
    """
    game = registry.game(record.game)
    rules = game.parse_rules(record.rules).to_text()
    about = {"index": record.deal if index is None else index, "deal": record.deal, "round": record.round, "rules": rules}
    rows: list[Row] = []
    view: Any = None
    state: Any = None
    for place, (action, state) in enumerate(positions(record)):
        if view is not None:
            faulty = [fault.kind for fault in record.faults if (fault.action, fault.seat) == (place, view.seat)]
            by = {"substitute": int(is_substitute(record.faults, view.seat, place)), "fault": faulty[0] if faulty else ""}
            rows.append({**_row(game, about, record.seats, view, action), **by})
        view = None
        if not game.verbs["is_over"](state) and game.verbs["forced_action"](state) < 0:
            known = -1 if windows is None else windows[int(state.current)]
            if game.verbs["default_action"](state, known) < 0:
                view = copy_record(state, game.view)
    yield from _finished(game, rows, counted_outcome(game.outcome(state), record.status, record.winner, record.points))


def _row(game: GameDefinition, about: Row, seats: Sequence[str], view: Any, action: int) -> Row:
    phase = game.phases[view.phase] if len(game.phases) > 1 else game.phases[0]
    return {
        **about,
        "turn": view.turn,
        "seat": view.seat,
        "bot": seats[view.seat],
        "phase": phase,
        **_VIEWS[game.name](view),
        "legal": game.legal_actions(view),
        "action": action,
        "action_name": game.action_name(view, action),
        "substitute": 0,
        "fault": "",
    }


def _finished(game: GameDefinition, rows: list[Row], outcome: dict[str, Any]) -> Iterator[Row]:
    """The rows of a deal, with how it ended."""
    status, winner = outcome["status"], outcome.get("winner")
    names = [column.name for column in columns_of(game.name)]
    for place, row in enumerate(rows):
        if game.cooperative:
            ended = {"won": int(status == "perfect"), "points": outcome["score"]}
        else:
            ended = {"won": int(row["seat"] == winner), "points": outcome["points"] if row["seat"] == winner else 0}
        full = {**row, "decision": place, "status": status, **ended}
        yield {name: full[name] for name in names}


def _uno_view(view: Any) -> Row:
    players, size = view.players, view.sizes[view.seat]
    kept = size > 0 and view.order[0] != NO_CARD
    known = [(seat, card) for seat in range(players) for card in cards_from((view.known0[seat], view.known1[seat], view.known2[seat]))]
    return {
        "players": players,
        "hand": view.order[:size] if kept else cards_from((view.hand0, view.hand1, view.hand2)),
        "drawn": -1 if view.drawn == NO_CARD else view.drawn,
        "top": view.top,
        "colour": view.colour,
        "direction": view.direction,
        "dealer": view.dealer,
        "hand_sizes": view.sizes[:players],
        "pile_size": view.pile_size,
        "discard": view.discard[: view.discard_size],
        "known_seats": [seat for seat, _ in known],
        "known_cards": [card for _, card in known],
        "scores": view.scores[:players],
        "player": -1 if view.player == NO_SEAT else view.player,
        "stack": view.stack,
        "may_challenge": view.may_challenge,
    }


_SIGNS = {NO_CARD: -1, HIDDEN: -2}


def _hanabi_view(view: Any) -> Row:
    slots = view.players * MAX_HAND
    return {
        "players": view.players,
        "hand_size": view.hand_size,
        "hand_sizes": view.sizes[: view.players],
        "cards": [_SIGNS.get(card, card) for card in view.cards[:slots]],
        **{name: getattr(view, name)[:slots] for name in ("colour_masks", "rank_masks", "named_colours", "named_ranks")},
        "places": [_SIGNS.get(place, place) for place in view.places[:slots]],
        "fireworks": view.fireworks[: view.colours],
        "discards": view.discards[:],
        **{name: getattr(view, name) for name in ("score", "tokens", "lives", "deck_size", "turns_left", "last_move", "last_seat")},
        "last_card": _SIGNS.get(view.last_card, view.last_card),
        **{name: getattr(view, name) for name in ("last_touched", "last_success", "last_gained")},
    }


_VIEWS: dict[str, Callable[[Any], Row]] = {"uno": _uno_view, "hanabi": _hanabi_view}
