"""`prepare` of a Python bot: once per process, before the first game, shared by all games."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadBot, KibitzError

Few = Callable[[str], str]


class Heavy:
    """Something large: a copy of it would be a mistake."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Heavy:
        raise AssertionError("weights were copied")


class Loader:
    loads: ClassVar[list[type]] = []
    weights: ClassVar[Heavy | None] = None

    @classmethod
    def prepare(cls) -> None:
        cls.loads.append(cls)
        cls.weights = Heavy()

    def choose(self, view: Any) -> int:
        assert self.weights is type(self).weights is not None
        return int(view.play(next(card for card in view.cards() if view.can_play(card)), 0))


def loader(**more: Any) -> Any:
    """A class like that which nobody has prepared."""
    return type("Fresh", (Loader,), {"loads": [], **more})


def test_once_for_all_games_seats_and_commands() -> None:
    bot = loader()
    for _ in range(3):
        kibitz.match([bot, bot, "random"], games=20)
    kibitz.match([bot, "random"], games=5, jit=False)
    kibitz.play([bot, "random"])
    assert bot.loads == [bot]


def test_naming_a_bot_loads_nothing() -> None:
    bot = loader()
    registry.entrant(bot)
    assert bot.loads == []


def test_an_object_is_copied_for_every_game_without_what_was_loaded() -> None:
    bot = loader()()
    kibitz.match([bot, "random"], games=20)
    kibitz.match([bot, "random"], games=20)
    assert type(bot).loads == [type(bot)]


def test_advisers_take_back_an_object_without_what_was_loaded() -> None:
    game = kibitz.Game(seed=3)
    bot = loader()
    adviser = kibitz.Adviser(bot)
    assert adviser.ask(game.view()) == adviser.ask(game.view())
    assert bot.loads == [bot]


def test_a_class_that_inherits_it_loads_its_own() -> None:
    parent = loader()
    child: Any = type("Child", (parent,), {})
    kibitz.match([parent, child, child], games=5)
    assert parent.loads == [parent, child]
    assert parent.weights is not child.weights


def test_a_staticmethod_will_do() -> None:
    loads: list[int] = []
    bot = loader(prepare=staticmethod(lambda: loads.append(1)), weights=Heavy())
    kibitz.match([bot, "random"], games=5)
    assert loads == [1]


def test_what_failed_is_tried_again() -> None:
    answers = iter([OSError("not there yet"), None])

    def prepare() -> None:
        answer = next(answers)
        if answer:
            raise answer

    bot = loader(prepare=staticmethod(prepare), weights=Heavy())
    with pytest.raises(BadBot, match=r"bot Fresh: prepare raised OSError: not there yet, in test_prepare\.py, line \d+\."):
        kibitz.match([bot, "random"], games=5)
    assert kibitz.match([bot, "random"], games=5).complete


@pytest.mark.parametrize("jit", [True, False])
def test_a_method_is_refused_where_it_could_have_been_meant(jit: bool) -> None:
    with pytest.raises(
        BadBot, match=r"bot Fresh: prepare must be a classmethod; it is called once per process, before there is an object\."
    ):
        kibitz.match([loader(prepare=lambda self: None), "random"], games=5, jit=jit)
    own = loader(prepare=lambda self, view: None, weights=Heavy())  # something of its own
    assert kibitz.match([own, "random"], games=5, jit=jit).complete


# -- files, and worker processes --

SOURCE = """
import os
from pathlib import Path


class Mine:
    @classmethod
    def prepare(cls):
        with Path(__file__).with_name("loads").open("a") as log:
            log.write(f"{os.getpid()}\\n")
        cls.weights = read("weights.txt")

    def choose(self, view):
        playable = [card for card in view.cards() if view.can_play(card)]
        return view.play(playable[self.weights % len(playable)], 0)


def read(name):
    return int(Path(__file__).with_name(name).read_text())
"""


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("kibitz.experiments.batch.FEW_GAMES", 0)  # a few games are enough for worker processes
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "weights.txt").write_text("7")
    return f"{tmp_path / 'mine.py'}:Mine"


def loads(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "loads").read_text().split()]


def test_each_worker_process_loads_once(bot: str, tmp_path: Path) -> None:
    here = kibitz.match([bot, bot, "random"], games=600, threads=1)
    assert loads(tmp_path) == [os.getpid()]
    (tmp_path / "loads").unlink()
    elsewhere = kibitz.match([bot, bot, "random"], games=600, threads=2)
    found = loads(tmp_path)
    assert len(found) == len(set(found)) == 2 and os.getpid() not in found
    assert here.rows == elsewhere.rows


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failure_is_one_sentence_with_file_and_line(bot: str, tmp_path: Path, threads: int) -> None:
    (tmp_path / "weights.txt").unlink()
    line = SOURCE.splitlines().index("    return int(Path(__file__).with_name(name).read_text())") + 1
    with pytest.raises(KibitzError) as refused:
        kibitz.match([bot, "random"], games=600, threads=threads)
    message = str(refused.value)
    assert message.startswith(f"bot {bot}: prepare raised FileNotFoundError: ")
    assert message.endswith(f", in mine.py, line {line}.")
