"""The face of a game: all that only this game knows besides its rules, for people who watch it, play it or read about it.

Every part may be left out. What then stands in is plain: actions by their names, hands as `card_name` writes them, tables without
colours. A game that has nothing but a definition can so be watched, played in the terminal and in the browser, recorded and exported.

A part is the thing itself, or a text `module:name` that says where it is. Parts that belong to a later room of the package, such as
sentences (`kibitz.report`) or screens (`kibitz.terminal`), are given by text and loaded when they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue

Part = Any  # the thing itself, or `module:name`


@cache
def part_at(where: str) -> Any:
    """What `module:name` stands for; a module alone stands for itself."""
    module, _, name = where.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found


def loaded(part: Part) -> Any:
    """A part itself, wherever it is."""
    return part_at(part) if isinstance(part, str) else part


class Column(NamedTuple):
    """A column of a table of decisions: its kind is `int`, `text`, `ints` or `texts`."""

    name: str
    kind: str
    meaning: str


class Budget(NamedTuple):
    """How far trials go: games played on for the first estimate, and at most; no further once every standard error is small enough.

    After the first, an estimate comes with four times the games of the one before.
    """

    first: int
    most: int
    error: float


_BUDGET = Budget(2_000, 100_000, 0.01)


class GuidePart(NamedTuple):
    """A section of a guide: a heading, a paragraph, a sentence or two instead where there is little room, and a picture.

    The picture is a file in the game's folder of pages; `alt` stands for it where it isn't seen.
    """

    heading: str
    text: str
    brief: str
    picture: str = ""
    alt: str = ""


class Guide(NamedTuple):
    """A short page that explains how a bot plays to people who play with it. `key` opens it in the terminal."""

    bot: str
    title: str
    about: str
    parts: tuple[GuidePart, ...]
    key: str
    where: str  # the same page among the docs


@dataclass(frozen=True)
class GamePage:
    """What a game adds to the pages in the browser.

    All of it can be left out: the page then has a plain board, with the view as text and a button for each action.


    `folder` may have a `face.js`, a module that exports the game's own board and words (table/static/types.d.ts lists what may be
    in it), a `style.css`, and pictures; it is served at /static/games/NAME/. Without a folder, table/static/games/NAME is used if
    there is one.
    """

    about: str = ""  # in a sentence, below its title
    notice: str = ""  # at the foot of every page, such as whose trademark the name is
    table_bots: tuple[str, ...] = ()  # suggested to a person who opens a table; those that don't play with so many are left out
    table_rules: str = ""  # suggested with them; by default the game's usual rules
    film_bots: tuple[str, ...] = ()  # suggested for watching
    run_bots: tuple[str, ...] = ()  # suggested for a run
    pictures: tuple[str, ...] = ()  # cards, files in the folder: the first stands for the game, others adorn the lobby
    folder: Path | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Face:
    """What people see of a game. In signatures, `game` is the definition, and `view` what one seat sees."""

    # -- words (kibitz.report) --
    telling: Part = "kibitz.report.telling.plain_telling:PlainTelling"  # (game, names, to, tells_draws): what happens, in sentences
    transcript: Part = "kibitz.report.plain_transcript:transcript"  # (played, explain): a whole game, line by line
    counted_end: Part = "kibitz.report.plain_transcript:counted_end"  # (played, named, short): what counted of a forfeited game
    action_text: Part = None  # (view, action): an action in words; its name without this
    action_words: Callable[[str, int, int], str] = lambda name, seat, players: name  # the same from its name, for the player at a seat
    action_parts: Part = "kibitz.report.explanation:action_parts"  # (game, view, action): what sentences about a bot's rules may name
    card_name: Callable[[int], str] = str  # a card of `GameDefinition.hands`
    describe_rules: Part = None  # (rules): sentences about them
    rules_example: str = ""  # rules with switches as one could write them, for `kibitz rules`

    guide: Guide | None = None  # how a bot plays, for its partners; offered where that bot plays, in the terminal and in the browser

    # -- the terminal (kibitz.terminal) --
    screen: Part = "kibitz.terminal.game_screen:GameScreen"  # (game, title, names, seat, to): what a person sees and is asked
    usual_bots: tuple[str, ...] = ()  # whom a person plays with; the game's first bot without this

    # -- the table in the browser (kibitz.table) --
    table_bot: str = ""  # who takes an empty seat; the first of `usual_bots` without this
    open_hands: Part = None  # (game, state): every hand with its cards open; their names without this
    hide_hands: Callable[[dict[str, Any], int], dict[str, Any]] | None = None  # (view's message, players): what onlookers may not see
    onlooker: Callable[[Any], int] = lambda state: state.current + 1  # whose view serves somebody who looks on
    decline: Callable[[Any], int] = lambda state: -1  # where a seat is offered something in secret: the action that lets it pass
    has_notes: bool = False  # whether players may write notes on their own cards, which views number by `place`
    likely: tuple[str, ...] = ()  # bots that are made ready when the server starts; `advice` stands for what advice needs

    page: GamePage = GamePage()  # what pages in the browser show of the game; its own board, if it has one

    # -- advice (kibitz.play) --
    adviser: Callable[[int], str] | None = None  # (players): who advises; the first of `usual_bots` without this
    further_advisers: tuple[str, ...] = ()  # who is asked as well where several are
    analyst: Part = (
        None  # (compiled, names of the players): tries out every legal action; without this nothing is tried, and only bots advise
    )
    trials_advise: bool = False  # whether its trials advise in the terminal if no bot is named, not the adviser
    analyst_follows: bool = False  # whether it needs to follow a game, so that each seat has its own
    rlcard: Part = None  # a module that translates views and actions for agents of RLCard (`kibitz.envs.rlcard_bots`)
    worlds: Part = None  # (): draws states that agree with what a seat has seen (`kibitz.play.world_drawing`); without this, by trying
    budget: Budget = _BUDGET
    analysis_games: int = 2_000  # played on to judge one decision
    check_view: Part = None  # (view): refuse a view whose cards can't add up, in a sentence

    # -- files (kibitz.play) --
    foreign_records: Part = None  # records in another program's form, as `ForeignRecords` of `kibitz.play.record_files`
    columns: tuple[Column, ...] = ()  # of a table of decisions: what a seat saw
    columns_of: Callable[[Any], dict[str, Any]] | None = None  # (view): the same by name; the view's message as JSON without this

    # -- outside bots and benchmarks --
    check_scenes: tuple[tuple[str, int, str | None], ...] = ()  # (rules, players, to) of a conformance suite; all players without this
    check_opponent: Part = None  # (rules): a bot that is up to mischief for the last seat of that suite, or None
    classroom: Part = None  # a module that reads players written for a classroom's interface
    bench_lineups: Mapping[str, tuple[tuple[str, ...], str | None, float]] = field(default_factory=dict)  # (bots, rules, share of games)
    bench: Part = None  # (limit, games, repeats, start): measures more than these line-ups

    # -- studies and figures --
    published: Part = None  # a module of figures that others found, as `kibitz.report.published`, which tables show beside ours
    experiments: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # of this game alone: {"study NAME": (`module:name`, about)}
    solver: Part = None  # (game, rules): the game with its chance laid open; `OpenSitting` of `kibitz.play.open_sitting` without this
    solved_rules: Mapping[str, str] = field(default_factory=dict)  # sizes that can be solved, by name; the default rules without this
    solver_references: Part = None  # (tree): its `of(entrant)` is what the values of a search tend to, if that is known

    def __post_init__(self) -> None:
        """Refuse experiments whose commands would stand where nobody finds them."""
        for words in self.experiments:
            if not re.fullmatch(r"(study|train) [a-z][a-z0-9_-]*", words):
                raise BadValue(f"an experiment of a game is named 'study NAME' or 'train NAME', in lower case; got '{words}'.")

    def load(self, name: str) -> Any:
        """A part by name."""
        return loaded(getattr(self, name))
