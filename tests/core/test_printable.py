"""Text from outside: nothing in it can control a terminal, and messages stay short."""

from __future__ import annotations

import io
import json
import pickle

import pytest
from rich.table import Table
from rich.text import Text

from kibitz.core.errors import BadValue, BotFault
from kibitz.core.printable import LONGEST_SENTENCE, json_text, printable, sentence
from kibitz.report.safe_console import Terminal

# Clear the screen, set the title, the C1 form of an escape, override the direction, a bell, a lone surrogate.
HOSTILE = "Eve\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp\r\x08\x7f\udcff\u2028"
UNSAFE = set("\x1b\x07\x9b\u202e\r\x08\x7f\udcff\u2028")


def test_unsafe_characters_are_replaced() -> None:
    assert printable("a\x1b[31mb\n\tc\u2028\ud800\uffff") == "a\ufffd[31mb  c\ufffd\ufffd\ufffd"
    assert printable("one\ntwo\r", lines=True) == "one\ntwo\ufffd"
    assert printable("Zoë 李 🐉 <&> 👩‍🚀") == "Zoë 李 🐉 <&> 👩‍🚀"
    assert not UNSAFE & set(printable(HOSTILE))


def test_bytes_are_decoded_and_cut() -> None:
    assert printable(b"  caf\xe9 \x1b[0m ", 80) == "caf\ufffd \ufffd[0m"
    assert printable(b"x" * 1000, 10) == "x" * 9 + "…"


def test_a_message_is_one_short_line() -> None:
    assert sentence(f"bot 'mix2:x={'9' * 5000}': no\nway") == f"bot 'mix2:x={'9' * 72}…{'9' * 18}': no way"
    assert len(sentence("word " * 10_000)) < LONGEST_SENTENCE
    assert sentence(sentence(HOSTILE * 300)) == sentence(HOSTILE * 300)


def test_errors_are_printable_also_after_pickling() -> None:
    error = BadValue(f"name {HOSTILE} is not accepted.")
    assert not UNSAFE & set(str(error))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    fault = pickle.loads(pickle.dumps(BotFault(HOSTILE, 0, 1, 2, "raised", " --rules x")))
    assert (fault.bot, fault.seat) == (HOSTILE, 0)
    assert not UNSAFE & set(str(fault))


def test_json_keeps_the_text_without_its_characters() -> None:
    text = json_text({"name": HOSTILE})
    assert not UNSAFE & set(text)
    assert json.loads(text) == {"name": HOSTILE}


@pytest.mark.parametrize("thing", [HOSTILE, Text(HOSTILE), f"[link=https://example.org]{HOSTILE}[/link]", Text(HOSTILE, "bold red")])
def test_only_our_own_styles_reach_a_terminal(thing: str | Text) -> None:
    file = io.StringIO()
    terminal = Terminal(file=file, force_terminal=True, width=60, color_system="standard")
    terminal.print(thing)
    table = Table("name", "bold")
    table.add_row(thing, "x")
    terminal.print(table)
    written = file.getvalue()
    for style in ("\x1b[0m", "\x1b[1m", "\x1b[1;31m"):
        written = written.replace(style, "")
    assert not UNSAFE & set(written)
    assert "Eve\ufffd[2J" in written
