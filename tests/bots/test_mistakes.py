"""Typical mistakes in a first bot: each is refused, or found during a game, with the line of the author's own file and in plain words."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadBot, BotFault
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit

# What the compiler calls things. None of it may reach an author.
COMPILER_WORDS = re.compile(
    r"numba|nopython|reflected|Literal\[|u?int\d+|float\d+|unicode_type|TypingError|Dispatcher|OptionalType|UniTuple|Record\(|opcode|0x",
    re.I,
)
HEAD = """
import collections, copy, functools, itertools, logging, math, os, pdb, pprint, random, secrets, sys, time
from typing import Annotated
import numpy as np
import kibitz
from kibitz.bots.parameters import WHOLE
from kibitz.games.uno import cards
from kibitz.core.layouts import Long

PREFERRED = {0: 3, 1: 2}
ORDER = [3, 2, 1, 0]
WILDS = {52, 53}
TABLE = (4, 5, 6)
WEIGHTS = np.zeros(4)
GENERATOR = np.random.default_rng(1)
LEVEL = kibitz.Parameter("level", WHOLE, "a level", 0, 10)
SEEN = 0

class Notes:
    seen: Annotated[list[int], "i8", 4]
    turns: Long

class Plan:
    pass

PLAN = Plan()

def anything(view):
    return view.play(view.pick(view.playable()), view.common_colour())

def at(numbers, place):
    return numbers[place]

def said(view):
    print(view.top)  # in a helper
    return 3

def misspelt(view):
    return view.coulour  # in a helper

def mixed(view):
    return view.top + "a"  # in a helper

def undecided(view):
    if view.top > 3:
        return 3
    name = "a"
    return name  # two kinds

def again(number):
    return 1 if number < 2 else again(number - 1)  # in a helper

def many(**options):  # in a helper
    return 3

@functools.lru_cache
def kept(number):
    return number

@kibitz.bot
def other(view):
    return 68

"""
MARK = "  # here"


def bot_file(folder: Path, source: str, declared: str = "@kibitz.bot\ndef choose(view):") -> Path:
    """A file with a bot whose function has this body, or with this source if it declares one itself."""
    source = dedent(source).strip("\n")
    if "def choose" not in source:
        source = declared + "\n" + "\n".join(f"    {line}" for line in source.splitlines())
    path = folder / "my_bot.py"
    path.write_text(HEAD + source + "\n", encoding="utf-8")
    return path


def expected_place(path: Path, marks: str = MARK) -> str:
    """The place that a message must name: the line with the mark."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.endswith(marks):
            return f"my_bot.py, line {number}: {line.strip()}"
    raise AssertionError("no line is marked")


def compile_all(path: Path, game: str = "uno") -> None:
    bot: Any = registry.entrant(f"{path}:choose", game).bot
    definition = registry.game(game)
    for role in ("choose", "begin", "observe"):
        bot.address(role, definition.view, definition.event)


# -- refused before a game --

REFUSED = {
    # what works only in plain Python
    "print": ("print(view.top)  # here\nreturn 3", "print works only in plain Python; run with --no-jit to see what it prints"),
    "print in a branch": ("if view.top > 3:\n    print('high')  # here\nreturn 3", "run with --no-jit to see what it prints"),
    "breakpoint": ("breakpoint()  # here\nreturn 3", "breakpoint works only in plain Python; run with --no-jit to stop here"),
    "set_trace": ("pdb.set_trace()  # here\nreturn 3", "the debugger works only in plain Python; run with --no-jit to stop here"),
    "input": ("return int(input())  # here", "input works only in plain Python"),
    "open": ("f = open('log.txt')  # here\nreturn 3", "a compiled bot can't open files"),
    "with": ("with open('log.txt') as f:  # here\n    return 3\nreturn 4", "'with' doesn't compile here"),
    "logging": ("logging.info('hello')  # here\nreturn 3", "logging works only in plain Python"),
    "pprint": ("pprint.pprint(view.top)  # here\nreturn 3", "pprint works only in plain Python; run with --no-jit to see what it prints"),
    "standard error": ("sys.stderr.write('high')  # here\nreturn 3", "a compiled bot can't write to files or to the terminal; run with --no-jit"),
    "a file of weights": ("weights = np.loadtxt('w.txt')  # here\nreturn 3", "a compiled bot can't open files; read them outside the function"),
    "os": ("return os.getpid()  # here", "the 'os' module works only in plain Python"),
    # randomness
    "random": ("return random.choice((3, 4))  # here", "equal seeds must give equal results, so take random numbers from view.randbelow(n)"),
    "random inside": ("import random  # here\nreturn random.randrange(3)", "take random numbers from view.randbelow(n)"),
    "numpy.random": ("return np.random.randint(4)  # here", "take random numbers from view.randbelow(n)"),
    "a generator": ("return GENERATOR.integers(4)  # here", "take random numbers from view.randbelow(n)"),
    "random by another name": ("lots = np.random  # here\nreturn lots.randint(4)", "take random numbers from view.randbelow(n)"),
    "secrets": ("return secrets.randbelow(4)  # here", "take random numbers from view.randbelow(n)"),
    "hash": ("return hash('red') % 4  # here", "equal seeds must give equal results, but hash differs from run to run"),
    "the clock": ("return int(time.time()) % 4  # here", "a bot can't look at the clock"),
    # the view
    "unknown method": ("return view.play(view.pickk(3), 0)  # here", "view.pickk doesn't exist; did you mean view.pick?"),
    "unknown field": ("return view.tops  # here", "view.tops doesn't exist; did you mean view.top?"),
    "by another name": ("table = view\nreturn table.tops  # here", "'tops' doesn't exist there; did you mean top?"),
    "nothing like it": ("return view.xyzzy()  # here", "view.xyzzy doesn't exist; docs/write-a-bot.md lists what there is"),
    "the view is called": ("return view()  # here", "'view' is not a function; write a dot and what you want of it, such as view.decline()"),
    "hasattr": ("return 3 if hasattr(view, 'top') else 4  # here", "hasattr doesn't compile here"),
    "too few arguments": ("return view.play(3)  # here", "view.play is called with 1 argument; it is view.play(card, colour)"),
    "too many arguments": ("return view.decline(3)  # here", "view.decline is called with 1 argument; it is view.decline()"),
    "unknown argument": ("return view.play(3, color=1)  # here", "it is view.play(card, colour)"),
    "a field is called": ("return view.top()  # here", "view.top is not a method; leave out the parentheses"),
    "a method is not called": ("if view.hand_size > 3:  # here\n    return 3\nreturn 4", "view.hand_size is a method; call it as view.hand_size()"),
    "a method is passed on": ("return max([3, 4], key=view.points_of)  # here", "max() with key= doesn't compile here"),
    "a list of cards": ("for card in view.cards():  # here\n    return card\nreturn 3", "works only in Python bots"),
    "assigns to the view": ("view.top = 3  # here\nreturn 3", "this assigns to the view, which is read-only"),
    "assigns to a list of the view": ("view.sizes[0] = 1  # here\nreturn 3", "this assigns to the view, which is read-only"),
    "adds to the view": ("view.sizes[0] += 1  # here\nreturn 3", "this assigns to the view, which is read-only"),
    "counts in the view": ("for view.turn in range(3):  # here\n    pass\nreturn 3", "this assigns to the view, which is read-only"),
    # answers
    "no return": ("view.randbelow(3)  # here", "choose can end here without a return; every path must return an action number"),
    "a missing return": ("if view.can_play(3):  # here\n    return 3", "choose can end here without a return"),
    "a return in a loop": ("for card in range(56):  # here\n    if view.can_play(card):\n        return card", "choose can end here without a return"),
    "only an error": ("raise NotImplementedError  # here", "choose always ends in an error here, and never returns an action number"),
    "returns None": ("if view.top:\n    return 3\nreturn None  # here", "but this returns None"),
    "returns nothing": ("if view.top:\n    return  # here\nreturn 3", "but this returns None"),
    "returns a float": ("return 1.5  # here", "but this returns a float"),
    "returns a quotient": ("if view.top:\n    return 3\nreturn view.top / 2  # here", "but this returns a float"),
    "returns a truth": ("return view.can_play(3)  # here", "but this returns True or False"),
    "returns a comparison": ("return view.top > 3  # here", "but this returns True or False"),
    "returns a name": ("return 'red'  # here", "but this returns a string"),
    "returns a pair": ("return 52, 1  # here", "but this returns a tuple"),
    "returns a list": ("cards = [3]\nreturn cards  # here", "but this returns a list"),
    "returns what may be None": ("best = None\nif view.top:\n    best = 3\nreturn best  # here", "None at times; start with a number such as -1"),
    "returns two kinds": ("if view.top:\n    return 3\nname = 'a'\nreturn name  # here", "but this returns a string"),
    # names
    "undefined": ("colour = 1\nreturn view.play(3, color)  # here", "'color' is not defined; did you mean colour?"),
    "undeclared memory": ("memory.turns += 1  # here\nreturn 3", "'memory' is not defined; declare it in @kibitz.bot"),
    "the parameter itself": ("return 3 + LEVEL  # here", "'LEVEL' declares a parameter; its value is params.level"),
    "another bot": ("return other(view)  # here", "'other' is a bot, and one bot can't ask another"),
    "a class": ("plan = Plan()  # here\nreturn 3", "classes don't compile here"),
    "an object": ("return PLAN.card  # here", "objects don't compile here"),
    "a dict outside": ("return PREFERRED[1]  # here", "dicts don't compile here; make PREFERRED a tuple of numbers"),
    "a list outside": ("return ORDER[1]  # here", "make ORDER a tuple"),
    "a set outside": ("return 3 if view.top in WILDS else 4  # here", "sets don't compile here; make WILDS a tuple"),
    "an array that changes": ("WEIGHTS[0] = 3  # here\nreturn 3", "constants from outside the function can't change"),
    "a counter outside": ("global SEEN  # here\nSEEN += 1\nreturn 3", "global variables can't change in a compiled bot; use memory fields"),
    "through a module": ("return cards.colour_of(3)  # here", "from kibitz.games.uno.cards import colour_of"),
    "collections": ("seen = collections.Counter([1, 2])  # here\nreturn 3", "Counter doesn't compile here"),
    "itertools": ("for a in itertools.count():  # here\n    return 3\nreturn 4", "itertools.count doesn't compile here"),
    "not in a module": ("return int(math.squrt(view.top))  # here", "math.squrt doesn't exist; did you mean math.sqrt?"),
    "the standard library": ("seen = copy.deepcopy([1])  # here\nreturn 3", "copy.deepcopy doesn't compile here; use numbers, loops and functions"),
    "reduce": ("return functools.reduce(max, [1, 2])  # here", "reduce doesn't compile here; use a loop"),
    "lru_cache": ("return kept(3)  # here", "kept doesn't compile here"),
    # what Python can do and compiled code can't
    "a lambda": ("found = list(filter(lambda card: view.can_play(card), range(56)))  # here\nreturn found[0]", "this lambda doesn't compile here"),
    "a set comprehension": ("seen = {card & 3 for card in range(9)}  # here\nreturn len(seen)", "sets don't compile here"),
    "a set": ("for card in {5, 3, 9}:  # here\n    if view.can_play(card):\n        return card\nreturn 3", "sets don't compile here"),
    "an empty set": ("seen = set()  # here\nseen.add(view.top)\nreturn 3", "sets don't compile here"),
    "a dict of two kinds": ("seen = {1: 'a', 'b': view.top}  # here\nreturn len(seen)", "dicts don't compile here; use a list or memory fields"),
    "a generator expression": ("return sum(1 for card in range(56))  # here", "generator expressions don't compile here; put [ ] around it"),
    "any": ("if any([view.can_play(3)]):  # here\n    return 3\nreturn 4", "any() doesn't compile here; use a loop"),
    "reversed": ("for card in reversed(range(56)):  # here\n    return card\nreturn 4", "count down with range(n - 1, -1, -1)"),
    "yield": ("yield 3  # here", "'yield' doesn't compile here"),
    "a class inside": ("class Hand:  # here\n    pass\nreturn 3", "classes don't compile here"),
    "import inside": ("import math  # here\nreturn 3", "move it to the top of the file"),
    "an error by name": ("try:\n    return 3\nexcept IndexError:  # here\n    return 4", "only 'except Exception:' compiles here"),
    "star target": ("first, *rest = (1, 2, 3)  # here\nreturn first", "*rest doesn't compile as a target"),
    "double star": ("return view.play(**{'card': 3})  # here", "** doesn't compile in a call"),
    "del": ("numbers = [1, 2]\ndel numbers[0]  # here\nreturn 3", "'del' doesn't compile here; use the list's pop(place)"),
    "a walrus": ("if (size := view.hand_size()) > 3:  # here\n    return size\nreturn 4", "':=' doesn't compile here"),
    "a string method": ("name = 'a {}'.format(view.top)  # here\nreturn 3", "string methods such as format don't compile here"),
    "bit_count": ("return view.playable().bit_count()  # here", "use popcount of kibitz.core.jit"),
    # kinds that don't fit
    "a number and a string": ("card = view.top + 'a'  # here\nreturn 3", "+ doesn't work between a whole number and a string"),
    "None is compared": ("best = None\nif best > 3:  # here\n    return 3\nreturn 4", "> doesn't work between None and a whole number"),
    "a float as an index": ("return view.sizes[view.top / 2]  # here", "a list can't be indexed with a float; an index is a whole number"),
    "a colour by name": ("return view.play(3, 'red')  # here", "a method of the view takes whole numbers, and here it is given a string"),
    "a loop over a mask": ("for card in view.playable():  # here\n    return card\nreturn 3", "a whole number can't be looped over; use range(n)"),
    "a field of a number": ("top = view.top\ntop.colour = 3  # here\nreturn 3", "a whole number has no field 'colour' to assign to"),
    "a mask as a card": ("card = view.playable()\nif view.top:\n    card = 3\nreturn card  # here", "returns a float, as a division gives, or a mask used"),
    "an empty list": ("found = []  # here\nreturn len(found)", "'found' is an empty list whose items are unknown"),
    "a growing tuple": ("found = ()\nfor card in range(3):\n    found = found + (card,)  # here\nreturn 3", "'found' holds two different kinds of tuple"),
    "two kinds in turn": ("best = 3\nif view.top:\n    best = (1, 2)  # here\nreturn 3 + best", "'best' holds a whole number and a tuple"),
    "a list of None": ("seen = [None] * 4\nseen[0] = 3  # here\nreturn 3", "this list holds None, so a whole number can't be stored in it"),
    "a string among numbers": ("seen = np.zeros(3)\nseen[0] = 'a'  # here\nreturn 3", "a string can't be stored in a list of numbers"),
    "a tuple that changes": ("seen = (1, 2)\nseen[0] = 3  # here\nreturn 3", "a tuple can't change; use a list"),
    "a key for a list": ("seen = [1, 2]\nseen['a'] = 3  # here\nreturn 3", "a list can't be indexed with a string; an index is a whole number"),
    "a tuple of two kinds": ("pair = (1, 'a')\nfound = pair[view.top]  # here\nreturn 3", "different kinds can't be indexed with a variable"),
    "too many values": ("first, second = (1, 2, 3)  # here\nreturn first", "there are 3 values here for 2 names"),
    "a number beyond all bounds": ("return 10**30  # here", "is too large; whole numbers go up to 2^63 - 1 in a compiled bot"),
    "int of a string": ("return int('3')  # here", "int doesn't work with a string here"),
    # in functions that the bot calls
    "print in a helper": ("return said(view)", "print works only in plain Python"),
    "a typo in a helper": ("return misspelt(view)", "view.coulour doesn't exist; did you mean view.colour?"),
    "kinds in a helper": ("return mixed(view)", "+ doesn't work between a whole number and a string"),
    "two kinds of return in a helper": ("return undecided(view)", "this returns a string, but line 46 returns a whole number"),
    "recursion": ("return again(3)", "a function that calls itself doesn't compile here; use a loop"),
    "options": ("return many()", "**options doesn't compile here"),
}  # fmt: skip
IN_HELPERS = {
    "print in a helper": "    print(view.top)  # in a helper",
    "a typo in a helper": "    return view.coulour  # in a helper",
    "kinds in a helper": '    return view.top + "a"  # in a helper',
    "two kinds of return in a helper": "    return name  # two kinds",
    "recursion": "    return 1 if number < 2 else again(number - 1)  # in a helper",
    "options": "def many(**options):  # in a helper",
}


DECLARED = {
    "an unknown field of the memory": (
        """
        @kibitz.bot(memory=Notes)
        def choose(view, memory):
            memory.turn += 1  # here
            return 3
        """,
        "memory.turn doesn't exist; did you mean memory.turns?",
    ),
    "an unknown parameter": (
        """
        @kibitz.bot(parameters=(LEVEL,), defaults={"level": 3})
        def choose(view, params):
            return params.levle  # here
        """,
        "params.levle doesn't exist; did you mean params.level?",
    ),
    "an unknown field of an event": (
        """
        def observe(view, event):
            if event.sort == 3:  # here
                view.randbelow(3)

        @kibitz.bot(observe=observe)
        def choose(view):
            return 3
        """,
        "event.sort doesn't exist; there is",
    ),
    "print in begin": (
        """
        def begin(view, memory):
            print(view.seat)  # here

        @kibitz.bot(memory=Notes, begin=begin)
        def choose(view, memory):
            return 3
        """,
        "print works only in plain Python",
    ),
    "a trusted bot that prints": (
        """
        @kibitz.bot(trusted=True)
        def choose(view):
            print(view.top)  # here
            return 3
        """,
        "print works only in plain Python",
    ),
}


@pytest.mark.parametrize("name", [*REFUSED, *DECLARED])
def test_a_mistake_is_refused_with_its_line_and_in_plain_words(name: str, tmp_path: Path) -> None:
    source, phrase = {**REFUSED, **DECLARED}[name]
    path = bot_file(tmp_path, source)
    with pytest.raises(BadBot) as refused:
        compile_all(path)
    said = str(refused.value)
    assert phrase in said
    assert f"({expected_place(path, IN_HELPERS.get(name, MARK))})." in said
    assert said.startswith("bot 'choose': ")
    assert not COMPILER_WORDS.search(said), said


def test_the_view_of_another_game_has_other_methods(tmp_path: Path) -> None:
    source = '@kibitz.bot(game="hanabi")\ndef choose(view):\n    return view.hint_color(1, 2)  # here'
    path = bot_file(tmp_path, source)
    with pytest.raises(BadBot, match=re.escape("view.hint_color doesn't exist; did you mean view.hint_colour?")) as refused:
        compile_all(path, "hanabi")
    assert expected_place(path) in str(refused.value)


# -- what works --

WORKING = {
    # compiled with a warning of the compiler, which nobody sees
    "a dict by the hand size": "seen = {}\nseen[view.hand_size()] = 1\nmask = view.playable()\nseen[mask] = 2\n"
    "return view.play(view.pick(mask), len(seen))",
    "a set behind in": "return view.play(view.pick(view.playable()), 1 if view.top in {3, 52, 53} else 2)",
    "a place by the view": "seen = [0] * 4\nseen[view.colour & 3] += 1\nreturn view.play(view.pick(view.playable()), seen[0])",
    "a lambda and a function inside": "red = lambda card: card < 13\ndef low(card):\n    return card < 5\n"
    "return view.play(view.pick(view.playable()), 1 if red(view.top) and low(view.top) else 2)",
    "a constant switches print off": "if PRINTING:\n    print(view.cards(), random.random())\nreturn anything(view)",
    "every path returns": "while True:\n    card = view.pick(view.playable())\n    if view.can_play(card):\n        return view.play(card, 1)",
    "a match with a default": "match view.colour:\n    case 0:\n        return anything(view)\n    case _:\n        return anything(view)",
    "a loop in an endless loop": "while True:\n    for card in range(56):\n        if view.can_play(card):\n            break\n    return view.play(card, 1)",
    "a global that is read": "global TABLE\nreturn view.play(view.pick(view.playable()), TABLE[0] & 3)",
    "types of a function inside": "def low(card: Undefined) -> Undefined:\n    return card < 5\n"
    "return view.play(view.pick(view.playable()), 1 if low(view.top) else 2)",
    "a helper named like a method": "return play(view)",
    "an ordinary name": "time = view.turn\nrandom = time + 1\nreturn view.play(view.pick(view.playable()), random & 3)",
}


@pytest.mark.parametrize("name", WORKING)
def test_what_compiles_is_not_refused(name: str, tmp_path: Path) -> None:
    before = "PRINTING = False; Undefined = int\n\ndef play(view):\n    return view.play(view.pick(view.playable()), 1)\n\n@kibitz.bot\ndef choose(view):"
    lineup = make_lineup([f"{bot_file(tmp_path, WORKING[name], before)}:choose", "random"])
    assert list(play_compiled(lineup, 1, Unit(0, 20))) == list(play_plain(lineup, 1, Unit(0, 20)))


# -- found during a game --

FAULTS = {
    "an index of the view": ("return view.sizes[view.hand_size() + 5]  # here", "raised IndexError: index 12, but the list has 10 items"),
    "an index of a list": (
        "found = [card for card in range(56) if card > view.top + 99]\nreturn view.play(found[0], 0)  # here",
        "raised IndexError: index 0, but the list is empty",
    ),
    "an index of a tuple": ("return TABLE[view.hand_size() - 4]  # here", "raised IndexError: index 3, but the tuple has 3 items"),
    "a division": ("return 3 // (view.turn - view.turn)  # here", "raised ZeroDivisionError: integer division or modulo by zero"),
    "an assertion": ("assert view.top > 99, 'too low'  # here\nreturn 3", "raised AssertionError: too low"),
    "an error of one's own": ("if view.top < 99:\n    raise ValueError('no idea')  # here\nreturn 3", "raised ValueError: no idea"),
    "no value yet": ("if view.top > 99:\n    best = 3\nreturn view.play(best, 0)  # here", "'best' is used before it gets a value"),
    "an illegal answer": ("if view.turn > 0:\n    return 69  # here\nreturn 3", "answered 69 (keep), which is not legal there"),
    "not an action": ("if view.turn > 0:\n    return 500  # here\nreturn 3", "answered 500, which is not an action"),
}  # fmt: skip


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_game_names_its_line(name: str, jit: bool, tmp_path: Path) -> None:
    source, phrase = FAULTS[name]
    path = bot_file(tmp_path, source)
    with pytest.raises(BotFault) as fault:
        kibitz.match([f"{path}:choose", "random"], games=20, threads=1, jit=jit)
    said = str(fault.value)
    assert phrase in said
    assert f", in {expected_place(path)} (reproduce with --seed 1 --index {fault.value.index})" in said
    assert not COMPILER_WORDS.search(said), said
    assert str(pickle.loads(pickle.dumps(fault.value))) == said


DEEPER = {
    "in a helper": (
        """
        @kibitz.bot
        def choose(view):
            return at(TABLE, view.hand_size())
        """,
        "    return numbers[place]",
        "index 7, but the tuple has 3 items",
    ),
    "in begin": (
        """
        def begin(view, memory):
            memory.seen[view.hand_size()] = 1  # here

        @kibitz.bot(memory=Notes, begin=begin)
        def choose(view, memory):
            return anything(view)
        """,
        MARK,
        "index 7, but the list has 4 items",
    ),
    "in observe": (
        """
        def observe(view, event, memory):
            memory.turns += 1
            memory.seen[memory.turns] = 1  # here

        @kibitz.bot(memory=Notes, observe=observe)
        def choose(view, memory):
            return anything(view)
        """,
        MARK,
        "index 4, but the list has 4 items",
    ),
}


class Careful:
    """A Python bot that makes no mistake."""

    def choose(self, view: Any) -> int:
        return int(view.play(view.pick(view.playable()), 0))


@pytest.mark.parametrize("other", ["random", Careful], ids=["compiled", "mixed"])
@pytest.mark.parametrize("name", DEEPER)
def test_a_fault_in_a_function_that_the_bot_calls_names_its_line(name: str, other: Any, tmp_path: Path) -> None:
    source, mark, phrase = DEEPER[name]
    path = bot_file(tmp_path, source)
    with pytest.raises(BotFault) as fault:
        kibitz.match([f"{path}:choose", other], games=20, threads=1)
    assert phrase in str(fault.value)
    assert expected_place(path, mark) in str(fault.value)
    assert fault.value.bot == f"{path}:choose"


IN_OBJECTS = {
    "an index": ("hand = view.cards()\nreturn hand[99]  # here", "raised IndexError: index 99, but the list has 7 items"),
    "an index that a method moves": ("return view.cards()[view.randbelow(1) + 9]  # here", "raised IndexError: "),
    "a random index": (
        "hand = view.cards()\nreturn hand[view.randbelow(1) + 9]  # here",
        "the index is out of range: the list has 7 items",
    ),
    "an index in a row": ("hand = [[1, 2], [3]]\nreturn hand[1][view.hand_size()]  # here", "index 7, but the list has 1 item,"),
    "a key": ("return {}[view.hand_size()]  # here", "raised KeyError: there is no key 7"),
    "an unknown method": ("return view.playabel()  # here", "did you mean 'playable'?"),
    "no answer": ("if view.hand_size() > 99:  # here\n    return 3", "answered None, which is not an action number; every path"),
    "a float": ("half = view.top / 2\nreturn half  # here", "which is not an action number"),
    "an illegal answer": ("return 69  # here", "answered 69 (keep), which is not legal there"),
}


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("name", IN_OBJECTS)
def test_a_fault_of_a_python_bot_names_its_line(name: str, jit: bool, tmp_path: Path) -> None:
    source, phrase = IN_OBJECTS[name]
    body = "\n".join(f"        {line}" for line in source.splitlines())
    path = bot_file(tmp_path, f"class Player:\n    def choose(self, view):\n{body}")
    with pytest.raises(BotFault) as fault:
        kibitz.match([f"{path}:Player", "random"], games=20, threads=1, jit=jit)
    assert phrase in str(fault.value)
    assert expected_place(path) in str(fault.value)


METHODS = {
    "choose": ("class Player:\n    def choose(self):  # here\n        return 3", "choose must be defined as choose(self, view)"),
    "observe": (
        "class Player:\n    def choose(self, view):\n        return 3\n    def observe(self, view):  # here\n        pass",
        "observe must be defined as observe(self, view, event)",
    ),
    "play": (
        "class Player:\n    def play(self, hand):  # here\n        return 0\n    def call_color(self, hand):\n        return 'red'\n#def choose",
        "play must be defined as play(self, hand, up_card, called_color, state)",
    ),
    "call_color": (
        "class Player:\n    def play(self, hand, up_card, called_color, state):\n        return 0\n"
        "    def call_color():  # here\n        return 'red'\n#def choose",
        "call_color must be defined as call_color(self, hand)",
    ),
    "a function": ("@kibitz.bot\ndef Player():  # here\n    return 3\n#def choose", "choose must take 'view'"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_with_other_arguments_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    source, phrase = METHODS[name]
    path = bot_file(tmp_path, source)
    with pytest.raises(BadBot) as refused:
        registry.entrant(f"{path}:Player")
    assert f"{phrase} ({expected_place(path)})." in str(refused.value)


def test_a_fault_of_a_game_that_is_watched_names_its_line(tmp_path: Path) -> None:
    path = bot_file(tmp_path, "return 69  # here")
    with pytest.raises(BotFault, match=re.escape(expected_place(path))):
        kibitz.play([f"{path}:choose", "random"], seed=1)
