"""Brings the pages of this folder up to date: `python docs/generate.py`.

Tables between `<!-- table: NAME -->` and `<!-- end -->` are made from the source. Code blocks are run from top to bottom
in a folder of their own: `python` as it stands (written to a file if its first line is `# name.py`), `text` written to a file if
its first line is `# name.txt`, `pycon` as a doctest, and the output of `console` blocks is written again. `tests/test_docs.py` checks that nothing changes.
"""

from __future__ import annotations

import doctest
import inspect
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from kibitz import registry
from kibitz.cli.main import run as run_command
from kibitz.core import layouts as records
from kibitz.core.extras import EXTRAS, PLAIN_MEGABYTES, TOGETHER, in_words
from kibitz.games.hanabi import cards as hanabi_cards
from kibitz.games.hanabi import names as hanabi_names
from kibitz.games.hanabi import rules as hanabi_rules
from kibitz.games.hanabi import state as hanabi_state
from kibitz.games.hanabi import view as hanabi_view
from kibitz.games.uno import cards, names, rules, state, view
from kibitz.outside.process import BotProcess
from kibitz.policies.uno.feature_groups import GROUPS, RANGES
from kibitz.policies.uno.net import forward as net_forward
from kibitz.policies.uno.net import groups as net_groups

DOCS = Path(__file__).resolve().parent
PAGES = sorted(DOCS.glob("*.md"))

# -- tables --


def table(header: str, rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table; a heading that ends in a colon is set to the right."""
    titles = header.split(" | ")
    rule = "|".join("---:" if title.endswith(":") else "---" for title in titles)
    heading, *lines = (f"| {' | '.join(line)} |" for line in ([title.rstrip(":") for title in titles], *rows))
    return "\n".join([heading, f"|{rule}|", *lines])


def listing(rows: Sequence[tuple[str, str]]) -> str:
    """A Markdown list of names and what they mean."""
    return "\n".join(f"- {name}: {meaning}" for name, meaning in rows)


# Fields of the view that say too little out of their place in the source.
_PLAIN_FIELDS = {
    "discard_size": "cards in `discard`",
    "pile_size": "cards in the draw pile",
    "deck_size": "cards in the whole deck",
    "players": "players at the table",
    "seat": "your seat",
    "current": "the seat to act",
    "dealer": "the dealer's seat",
    "top": "the card on top of the discard pile",
    "winner": "the winner's seat once the game is won",
    "draw_rule": "DRAW_ONE or DRAW_UNTIL_PLAYABLE",
    "drawn_rule": "MAY_PLAY_DRAWN, MUST_PLAY_DRAWN, MAY_NOT_PLAY_DRAWN or PLAY_ANY_CARD",
    "four_rule": "FREE, HONEST_ONLY, CHALLENGED_FOUR or LAST_RESORT",
    "stacking": "STACK_OFF, STACK_SAME or STACK_PROGRESSIVE",
    "jump_in": "1 if players can jump in",
    "uno_call": "1 if players must call UNO",
    "last_card_draws": "1 if a draw card as the last card still counts",
}


def view_fields() -> str:
    """What a view of UNO holds."""
    return _fields(view.View, _PLAIN_FIELDS)


def view_methods() -> str:
    """What a view of UNO can be asked."""
    return _methods(view.View)


def _fields(shown_view: type, plain: dict[str, str]) -> str:
    """The fields of a view, from the annotations of the class and the comments beside them, or from `plain`."""
    comments = dict(re.findall(r"^    (\w+): \w+(?:  # (.*))?$", inspect.getsource(shown_view), re.MULTILINE))
    rows, planes = [], ""
    for name, _, length in records.fields_of(shown_view):
        stem = name.rstrip("012")
        if stem != name and stem == planes:
            continue
        planes = stem
        shown = f"`{stem}0`, `{stem}1`, `{stem}2`" if stem != name else f"`{name}`"
        rows.append((f"{shown} [{length}]" if length else shown, plain.get(name) or comments[name]))
    assert all(meaning for _, meaning in rows)
    return listing(rows)


def _methods(shown_view: type) -> str:
    """The methods of a view, from the signatures and docstrings of the class."""
    rows = []
    for name, method in vars(shown_view).items():
        if inspect.isfunction(method):
            arguments = ", ".join(list(inspect.signature(method).parameters)[1:])
            rows.append((f"`view.{name}({arguments})`", inspect.getdoc(method) or ""))
    return listing(rows)


def card_types() -> str:
    """Card types with names, points and copies in each deck."""
    groups: list[tuple[str, Callable[[int], bool]]] = [
        ("zeros", lambda card: cards.VALUE_OF[card] == 0),
        ("numbers 1 to 9", lambda card: 1 <= cards.VALUE_OF[card] <= 9),
        ("Skip", lambda card: cards.VALUE_OF[card] == cards.SKIP),
        ("Reverse", lambda card: cards.VALUE_OF[card] == cards.REVERSE),
        ("Draw Two", lambda card: cards.VALUE_OF[card] == cards.DRAW_TWO),
        ("Wild", lambda card: card == cards.WILD),
        ("Wild Draw Four", lambda card: card == cards.WILD_DRAW_FOUR),
        ("Wild Shuffle Hands", lambda card: card == cards.WILD_SHUFFLE_HANDS),
        ("Wild Customizable", lambda card: card == cards.WILD_CUSTOMIZABLE),
    ]
    rows = []
    for title, belongs in groups:
        types = [card for card in range(cards.CARD_TYPES) if belongs(card)]
        points = sorted({cards.POINTS_OF[card] for card in types})
        worth = f"{points[0]}" if len(points) == 1 else "their number"
        written = " ".join(f"`{names.card_name(card)}`" for card in types[: 4 if len(types) > 9 else None])
        copies = [str(sum(deck[card] for card in types)) for deck in cards.DECKS.values()]
        rows.append((title, written + (" …" if len(types) > 9 else ""), *copies, worth))
    rows.append(("all", "", *[str(sum(deck)) for deck in cards.DECKS.values()], ""))
    return table(" | ".join(["cards | written", *[f"{deck}:" for deck in cards.DECKS], "points:"]), rows)


def action_numbers() -> str:
    """Every action number with its name."""
    rows = []
    for colour, letter in zip(cards.COLOURS, cards.COLOUR_LETTERS, strict=True):
        first = cards.play_action(cards.COLOUR_LETTERS.index(letter) * cards.VALUES, 0)
        rows.append((f"{first}–{first + 12}", _names(first, first + 12), f"play a {colour} card"))
    for wild, title in enumerate(("a Wild", "a Wild Draw Four", "a Wild Shuffle Hands", "a Wild Customizable")):
        first = cards.play_action(cards.COLOURED_TYPES + wild, cards.RED)
        deck = " (modern deck)" if wild > 1 else ""
        rows.append((f"{first}–{first + 3}", _names(first, first + 3), f"play {title} and call the colour{deck}"))
    last_swap = cards.FIRST_SWAP + 8
    for action, meaning in (
        (cards.DRAW, "draw"),
        (cards.KEEP, "keep the drawn card"),
        (cards.CHALLENGE, "challenge a Wild Draw Four (`wild_draw_four=challenge`)"),
        (cards.ACCEPT, "draw what a Wild Draw Four or a stack demands (`wild_draw_four=challenge`, `stacking`)"),
        (cards.FIRST_SWAP, "swap hands with the player 1 to 9 places on (`seven_zero=on`)"),
        (cards.JUMP_IN, "play the card on top out of turn (`jump_in=on`)"),
        (cards.PASS, "don't jump in, call or catch (`jump_in=on`, `uno_call=on`)"),
        (cards.UNO, "call UNO (`uno_call=on`)"),
        (cards.CATCH, "catch a player who didn't (`uno_call=on`)"),
    ):
        if action == cards.FIRST_SWAP:
            rows.append((f"{action}–{last_swap}", _names(action, last_swap), meaning))
        else:
            rows.append((str(action), f"`{names.action_name(action)}`", meaning))
    return table("number | written | meaning", rows)


def _names(first: int, last: int) -> str:
    middle = " … " if last > first + 1 else " "
    return f"`{names.action_name(first)}`{middle}`{names.action_name(last)}`"


def event_kinds() -> str:
    """The kinds of event, and which fields say what."""
    meanings = {
        state.PLAY: "`seat` played `card` after drawing `count` in the same turn; `colour` is current now; `drawn` is 1 if it is known to be the card just drawn",
        state.DREW: "`seat` drew `count` cards, by choice or because it couldn't play",
        state.KEPT: "the turn of `seat` ended without a play, after `count` cards drawn",
        state.FORCED: "`seat` was made to draw `count` cards",
        state.NAMED: "`seat` named `colour` for the opening wild",
        state.CHALLENGED: "`seat` challenged `other`; `count` is 1 if rightly, 0 if wrongly",
        state.SWAPPED: "`seat` swapped hands with `other`",
        state.PASSED_HANDS: "`seat` played a 0: all hands went one place on",
        state.SHUFFLED: "`seat` played a Wild Shuffle Hands: all hands were redealt",
        state.SAID_UNO: "`seat` has one card left and said so",
        state.MISSED_UNO: "`seat` has one card left and didn't say so",
        state.CAUGHT: "`seat` caught `other`; a FORCED of two follows",
        state.JUMPED_IN: "`seat` jumped in; its PLAY follows",
    }
    rows = []
    for kind, meaning in meanings.items():
        name = state.EVENT_NAMES[kind].replace(" ", "_").upper()
        assert getattr(state, name) == kind
        rows.append((str(kind), name, meaning))
    assert len(rows) == len(state.EVENT_NAMES)
    return table("kind | name | what happened", rows)


# The names in the source of the phases, in their order, and the question each one puts.
_PHASES = {
    "TURN": "it is your turn: play a card, or draw",
    "DRAWN": "you drew, and something fits: play it or keep it",
    "COLOUR": "a wild was turned up to begin: name its colour",
    "CHALLENGING": "you face a Wild Draw Four: challenge it?",
    "STACK": "you face a draw card: answer with another?",
    "SWAP": "you played a 7: swap hands with whom?",
    "UNO_CALL": "you have one card left: say so?",
    "CATCHING": "a player with one card left didn't say so: catch them?",
    "JUMPING_IN": "you hold exactly the card just played: play it now?",
}


def phases() -> str:
    """The kinds of decision."""
    rows = []
    for phase, (constant, question) in enumerate(_PHASES.items()):
        assert getattr(view, constant) == phase
        rows.append((str(phase), f"`{view.PHASE_NAMES[phase]}`", f"`{constant}`", question))
    assert len(rows) == len(view.PHASE_NAMES)
    return table("phase | written | in code | question", rows)


def windows() -> str:
    """The decision windows: who is asked, when, what may be answered, and what is answered for a bot that does not know it."""
    about = {
        "colour": (
            "the first player",
            "`opening=effects_name_colour`, and a wild was turned up",
            "that wild in four colours",
            "the most common colour in hand; ties: red, green, blue, yellow",
        ),
        "challenge": (
            "the next player",
            "`wild_draw_four=challenge`, after a Wild Draw Four; with `stacking` only after the last card, else in `stack`",
            "`challenge` `accept`",
            "`accept`",
        ),
        "stack": (
            "the next player",
            "`stacking`, after a Draw Two or Wild Draw Four that was not the last card",
            "fitting cards, `accept`, perhaps `challenge`",
            "the fitting card with the lowest number, a wild in the most common colour; else `accept`",
        ),
        "swap": (
            "the player of the 7",
            "`seven_zero=on`, after a 7 that was not the last card",
            "`swap:1` … one for each other player",
            "the shortest hand; ties: the nearest in turn order",
        ),
        "uno_call": ("the player", "`uno_call=on`, with exactly one card left", "`uno` `pass`", "`uno`"),
        "catch": ("every other player in turn order, until one catches", "after a `pass` in `uno_call`", "`catch` `pass`", "`catch`"),
        "jump_in": (
            "every other player with exactly the top card, in turn order, until one jumps in",
            "`jump_in=on`, after a coloured card and all its effects",
            "`jump-in` `pass`",
            "`pass`",
        ),
    }
    assert tuple(about) == view.WINDOWS
    return table("window | who is asked | when | may answer | default", [(f"`{window}`", *cells) for window, cells in about.items()])


def game_ends() -> str:
    """How a game can stand."""
    meanings = {
        view.PLAYING: "in progress",
        view.WON: "a hand is empty: see `winner` and `points`",
        view.CUT_OFF: "`max_turns` was reached: unfinished",
        view.STUCK: "no player could play or draw: unfinished",
    }
    return table("status | name | meaning", [(str(status), name, meanings[status]) for status, name in enumerate(view.STATUS_NAMES)])


def switches() -> str:
    """The switches of the rules with all their values, the classic one first; their entries say what they mean."""
    classic = rules.PRESETS["classic"]
    rows = []
    for name, switch in rules.SWITCHES.items():
        values = " · ".join(f"`{value}`" for value in switch.values)
        number = f"`{rules.switch_text(name, getattr(classic, name))}`; {switch.low} to {switch.high:,}"
        also = re.sub(r"(\S+\*\S+)", r"`\1`", f" · {switch.also}") if switch.also else ""
        rows.append((f"[`{name}`](#{name})", values + also or number))
    return table("switch | values", rows)


def presets() -> str:
    """Every preset by switch; an empty cell stands for the classic value."""
    classic = rules.PRESETS["classic"]
    rows = []
    for switch in rules.SWITCHES:
        texts = [rules.switch_text(switch, getattr(preset, switch)) for preset in rules.PRESETS.values()]
        if len(set(texts)) > 1:
            usual = rules.switch_text(switch, getattr(classic, switch))
            rows.append((f"`{switch}`", usual, *["" if text == usual else text for text in texts[1:]]))
    return table(" | ".join(["switch", *rules.PRESETS]), rows)


def house_file() -> str:
    """The example of a rules file."""
    return f"```toml\n{(DOCS.parent / 'examples' / 'house.toml').read_text(encoding='utf-8').rstrip()}\n```"


def extras() -> str:
    """The optional parts of an installation, with their sizes."""
    rows = [("none", "numpy, numba, scipy, typer, rich", in_words(PLAIN_MEGABYTES), "")]
    for extra in EXTRAS.values():
        costs = [re.sub(r"(kibitz [^;]+)", r"`\1`", cost) for cost in dict.fromkeys(extra.costs.values())]
        rows.append((f"`{extra.name}`", ", ".join(extra.costs), extra.size, "; ".join(costs)))
    rows.append(("`all`", "all of the above", in_words(TOGETHER["all"]), ""))
    rows.append(("`test`", "`all`, and what `make test` needs", in_words(TOGETHER["test"]), ""))
    return table("extra | brings | size: | without it", rows)


def feature_groups() -> str:
    """The groups of features, inputs and events of the learned policies."""
    lists = {
        "features of `linear`": (GROUPS, RANGES),
        "further features of `net`": (net_groups.CANDIDATE_GROUPS, net_groups.CANDIDATE_RANGES),
        "inputs of `net`": (net_groups.VIEW_GROUPS, net_groups.VIEW_RANGES),
        "events for its memory": (net_groups.EVENT_GROUPS, net_groups.EVENT_RANGES),
    }
    rows = []
    for name, (groups, ranges) in lists.items():
        count = sum(length for _, length in ranges.values())
        rows.append((name, f"{count:,}", ", ".join(group.name for group in groups)))
    return table("list | places: | groups", rows)


def net_parts() -> str:
    """The arrays in a file of the network, for each class of tables."""
    return listing([(f"`{name}`", " × ".join(str(length) for length in shape)) for name, shape in net_forward.PARTS.items()])


# -- tables of Hanabi --

HANABI_PLAYERS = (2, 3, 4, 5)
_HANABI_HEADS = "2 players: | 3 players: | 4 players: | 5 players:"

# Fields of Hanabi's view that say too little out of their place in the source.
_HANABI_FIELDS = {
    "rank_masks": "ranks that hints leave for each card, a bit for each",
    "named_ranks": "1 if the card's rank was named in a hint",
    "tokens": "information tokens left",
    "lives": "lives left",
    "players": "players at the table",
    "colours": "number of colours",
    "ranks": "number of ranks",
    "max_tokens": "tokens at the start",
    "max_lives": "lives at the start",
    "discard_when_full": "1 if you can discard while no token is spent",
    "seat": "your seat",
    "current": "the seat to act",
    "last_seat": "who made it, or -1",
    "last_move": "number of the last move; -1 at the beginning",
    "last_card": "the card it played or discarded; else NO_CARD",
    "last_touched": "slots it touched as a hint, a bit for each",
    "last_success": "1 if it was a play that succeeded",
}


def hanabi_view_fields() -> str:
    """What a view of Hanabi holds."""
    return _fields(hanabi_view.View, _HANABI_FIELDS)


def hanabi_view_methods() -> str:
    """What a view of Hanabi can be asked."""
    return _methods(hanabi_view.View)


def hanabi_switches() -> str:
    """The switches of Hanabi's rules, with both presets."""
    rows = []
    for name, switch in hanabi_rules.SWITCHES.items():
        values = " · ".join(f"`{value}`" for value in switch.values) or f"{switch.low} to {switch.high}"
        chosen = [hanabi_rules.switch_text(name, getattr(preset, name)) for preset in hanabi_rules.PRESETS.values()]
        rows.append((f"`{name}`", switch.meaning, values, *chosen))
    return table(" | ".join(["switch | what it is about | values", *[f"`{name}`:" for name in hanabi_rules.PRESETS]]), rows)


def hanabi_moves() -> str:
    """The numbers of all moves of the standard game, for every number of players."""
    tables = [hanabi_state.new_state(hanabi_rules.PRESETS["standard"], players) for players in HANABI_PLAYERS]
    groups = [(f"{verb} the card in a slot", f"{verb}:0", f"{verb}:{{slot}}", 0) for verb in ("discard", "play")]
    for what, first, last in (("colour", "red", "blue"), ("rank", "1", "5")):
        for places in range(1, hanabi_cards.MAX_PLAYERS):
            groups.append(
                (f"hint a {what}, {places} place{'s' if places > 1 else ''} on", f"hint:{places}:{first}", f"hint:{places}:{last}", places)
            )
    rows = []
    for title, first, last, places in groups:
        cells = []
        for seated in tables:
            ends = [
                hanabi_names.move_from_name(seated, name.format(slot=seated.hand_size - 1))
                for name in (first, last)
                if places < seated.players
            ]
            cells.append("–".join(map(str, ends)))
        rows.append((title, f"`{first}` … `{last.format(slot=4)}`", *cells))
    rows.append(("all", "", *[str(hanabi_names.moves_of(seated)) for seated in tables]))
    return table(f"move | written | {_HANABI_HEADS}", rows)


def hanabi_events() -> str:
    """The events of moves, by kind."""
    meanings = {
        hanabi_cards.DISCARD: "`seat` discarded `card` from `slot`",
        hanabi_cards.PLAY: "`seat` played `card` from `slot`; `outcome` is 0 if it failed, 1 if it succeeded, 2 if it also gained a token",
        hanabi_cards.HINT_COLOUR: "`seat` hinted colour `value` to `target`; `touched` has a bit for each slot of that colour",
        hanabi_cards.HINT_RANK: "`seat` hinted rank `value`, from 0, to `target`; `touched` has a bit for each slot of that rank",
    }
    rows = [(str(kind), name.replace(" ", "_").upper(), meanings[kind]) for kind, name in enumerate(hanabi_cards.MOVE_KINDS)]
    assert all(getattr(hanabi_cards, name) == int(kind) for kind, name, _ in rows)
    return table("kind | name | what happened", rows)


def hanabi_ends() -> str:
    """How a game of Hanabi can stand."""
    meanings = {
        hanabi_view.PLAYING: "in progress",
        hanabi_view.PERFECT: "every pile is complete",
        hanabi_view.LOST: "the last life is lost",
        hanabi_view.ENDED: "the last round is over",
    }
    return table("status | name | meaning", [(str(status), name, meanings[status]) for status, name in enumerate(hanabi_view.STATUS_NAMES)])


def hanabi_observation() -> str:
    """The parts of an observation with their lengths."""
    return _observation([hanabi_state.new_state(hanabi_rules.PRESETS["standard"], players) for players in HANABI_PLAYERS], "hanabi")


def uno_observation() -> str:
    """The parts of an observation with their lengths."""
    return _observation([state.new_state(rules.PRESETS["classic"], players) for players in (2, 3, 4, 6, 10)], "uno")


def _observation(tables: list[Any], game: str) -> str:
    """The parts of observations at some tables, with their lengths."""
    encode = registry.game(game).encoding
    assert encode is not None
    encodings = [encode(table) for table in tables]
    rows = [
        (f"`{parts[0].name}`", parts[0].meaning, *(str(part.length) for part in parts))
        for parts in zip(*(encoding.sections for encoding in encodings), strict=True)
    ]
    rows.append(("all", "", *(str(encoding.size) for encoding in encodings)))
    return table(f"part | what it holds | {' | '.join(f'{each.players} players:' for each in tables)}", rows)


def hanabi_bots() -> str:
    """The bots of Hanabi, and how many can play them."""
    rows = []
    for name in registry.BUILT_IN["hanabi"]:
        bot = registry.built_in_bot(name, "hanabi")
        low, high = bot.players or (2, hanabi_cards.MAX_PLAYERS)
        written = [f"`{name}:{preset}`" if preset else f"`{name}`" for preset in bot.presets] or [f"`{name}`"]
        rows.append((", ".join(written), str(low) if low == high else f"{low}–{high}", bot.summary))
    return table("bot | players | what it does", rows)


def hanabi_guide() -> str:
    """The page on the conventions of smart, as the browser shows it."""
    guide = registry.game("hanabi").face.guide
    assert guide is not None
    pictures = "../src/kibitz/table/static/games/hanabi"
    parts = [guide.about]
    for part in guide.parts:
        picture = f"\n\n![{part.alt}]({pictures}/{part.picture})" if part.picture else ""
        parts.append(f"## {part.heading}\n\n{part.text}{picture}")
    return "\n\n".join(parts)


TABLES: dict[str, Callable[[], str]] = {
    "view fields": view_fields,
    "view methods": view_methods,
    "card types": card_types,
    "action numbers": action_numbers,
    "event kinds": event_kinds,
    "game ends": game_ends,
    "switches": switches,
    "presets": presets,
    "phases": phases,
    "windows": windows,
    "examples/house.toml": house_file,
    "extras": extras,
    "feature groups": feature_groups,
    "net parts": net_parts,
    "Hanabi switches": hanabi_switches,
    "Hanabi moves": hanabi_moves,
    "Hanabi events": hanabi_events,
    "Hanabi game ends": hanabi_ends,
    "Hanabi observation": hanabi_observation,
    "UNO observation": uno_observation,
    "Hanabi bots": hanabi_bots,
    "Hanabi guide": hanabi_guide,
    "Hanabi view fields": hanabi_view_fields,
    "Hanabi view methods": hanabi_view_methods,
}

# -- blocks --

_TABLE = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_BLOCK = re.compile(r"^```(python|pycon|console|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE_NAME = re.compile(r"# (\w+\.(?:py|txt))\n")
# What differs from run to run and from machine to machine.
_PASSING = re.compile(r"(?:games|contests to \S+) in [\d.]+ s, |^kibitz: compiling|: \d+ of \d+ games$")
_VARYING = re.compile(
    r"(?<=the slowest )[\d.]+(?= ms)|[\d.]+(?= ms on average)|(?<=standard error; )[\d.]+(?= s$)|(?<=, )[\d.,]+(?= [kM]?B$)"
)


class Runner:
    """Runs the blocks of one page, in order, in a folder that holds a copy of the examples."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scope: dict[str, Any] = {"__name__": "docs"}
        shutil.copytree(DOCS.parent / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, block: re.Match[str]) -> str:
        """Run a block; the block as it should stand in the page."""
        kind, text = block[1], block[2]
        with _standing_in(self.folder):
            if kind == "console":
                text = "\n".join(self._command(line[2:]) for line in text.splitlines() if line.startswith("$ "))
            elif kind == "pycon":
                self._doctest(text)
            elif named := _FILE_NAME.match(text):
                (self.folder / named[1]).write_text(text, encoding="utf-8")
            elif kind == "python":
                with redirect_stdout(io.StringIO()):
                    exec(compile(text, "<docs>", "exec"), self.scope)
        return f"```{kind}\n{text.rstrip()}\n```"

    def _doctest(self, text: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.scope, "docs", None, 0)
        report = io.StringIO()
        if doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False).failed:
            raise AssertionError(report.getvalue())
        self.scope.update(test.globs)

    def _command(self, line: str) -> str:
        """A line `kibitz … [| head -N]` with what it prints."""
        command, _, head = line.partition(" | head -")
        program, *words = shlex.split(command)
        if program != "kibitz":
            raise AssertionError(f"a console block runs kibitz only, not {line}")
        output = io.StringIO()
        before, sys.argv = sys.argv, [program, *words]
        try:
            with redirect_stdout(output), redirect_stderr(output):
                run_command(words)
        except SystemExit:
            pass
        finally:
            sys.argv = before
        written = output.getvalue().replace(str(self.folder.resolve()), "…")
        lines = [_VARYING.sub("…", shown.rstrip()) for shown in written.splitlines() if not _PASSING.search(shown)]
        return "\n".join([f"$ {line}", *"\n".join(lines[: int(head) if head else None]).strip("\n").splitlines()])


@contextmanager
def _standing_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    width, store = os.environ.pop("COLUMNS", None), os.environ.get("KIBITZ_STORE")
    os.environ["KIBITZ_STORE"] = str(folder / "kibitz.db")  # not the reader's own
    os.chdir(folder)
    package = str(DOCS.parent / "examples" / "kuhn" / "src")  # as if it were installed
    sys.path.append(package)
    try:
        with patch.object(
            BotProcess, "_allowance", lambda process, seconds: 600.0
        ):  # on a busy machine, bots are late through no fault of theirs
            yield
    finally:
        sys.path.remove(package)
        os.chdir(before)
        del os.environ["KIBITZ_STORE"]
        for name, value in (("COLUMNS", width), ("KIBITZ_STORE", store)):
            if value is not None:
                os.environ[name] = value


def refreshed(text: str, folder: Path) -> str:
    """A page with its tables and outputs up to date."""
    text = _TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n{found[3]}", text)
    return _BLOCK.sub(Runner(folder).run, text)


def main() -> None:
    """Rewrite every page that is out of date."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = refreshed(text, Path(folder))
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page.name} brought up to date")


if __name__ == "__main__":
    main()
