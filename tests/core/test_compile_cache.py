"""Folders of compiled code: one process compiles what several need, and nothing is loaded that another user could have written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numba
import numpy as np
import pytest

from kibitz.core import machine_code
from kibitz.core.compile_cache import UntrustedCache, digest, held_alone, open_cache
from kibitz.core.jit import Numbers, Word, Words, as_base, element_of, number, record_at
from kibitz.core.layouts import Word64
from kibitz.search.parts import part_of, words_for

HOLDS = """
import sys
from pathlib import Path
from kibitz.core.compile_cache import held_alone

with held_alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""
COMPILES = """
import kibitz.core.jit
from kibitz.bots.uno.greedy import greedy
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import View
from numba.core import event

made = 0

class Count(event.Listener):
    def on_start(self, event):
        pass
    def on_end(self, event):
        global made
        made += 1

with event.install_listener("numba:compile", Count()):
    greedy.address("choose", View, Event)
print(made)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
@pytest.mark.parametrize("killed", [False, True])
def test_who_comes_second_waits_until_the_first_is_done_or_dead(killed: bool, tmp_path: Path) -> None:
    entered = threading.Event()

    def enter() -> None:
        with held_alone(tmp_path):
            entered.set()

    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "held\n"
        second = threading.Thread(target=enter)
        second.start()
        assert not entered.wait(0.3)
        if killed:
            first.kill()
        else:
            first.stdin.write("\n")
            first.stdin.flush()
        assert entered.wait(60)
        second.join()


def test_a_folder_that_cannot_be_held_stops_nobody(tmp_path: Path) -> None:
    with held_alone(tmp_path / "none"):
        pass
    with held_alone(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_of_two_processes_that_need_the_same_one_loads_what_the_other_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", COMPILES], stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    said = [int(process.communicate(timeout=300)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert min(said) == 0 < max(said)


# -- names --


def test_whatever_code_compiles_to_is_part_of_its_name() -> None:
    sources = ["return a + 3", "return a + 4", "return a - 3", "return b + 3", "return helper(a)", "return a + LIMIT"]
    names = []
    for helper, limit in (("return c", 1), ("return -c", 2)):
        for source in sources:
            scope: dict[str, Any] = {"LIMIT": limit}
            exec(f"def helper(c):\n    {helper}\ndef kernel(a, b):\n    {source}\n", scope)
            names += [digest(scope["kernel"], {}, []), digest(scope["kernel"], {}, ["another compiler"])]
    first, second = names[: 2 * len(sources)], names[2 * len(sources) :]
    assert len(set(first)) == len(first)
    assert [one == other for one, other in zip(first, second, strict=True)] == [True] * 8 + [False] * 4


class Narrow:
    """A record; the next class has the same name, size and fields in another order."""

    first: Annotated[int, "i4"]
    second: Annotated[int, "i4"]


class Swapped:
    second: Annotated[int, "i4"]
    first: Annotated[int, "i4"]


class Holder:
    lead: Word64
    parts: Annotated[list[int], "u8", words_for(Narrow)]


class Shifted:
    parts: Annotated[list[int], "u8", words_for(Narrow)]
    lead: Word64


Swapped.__qualname__, Shifted.__qualname__ = Narrow.__qualname__, Holder.__qualname__  # as after an edit


def name_with(**scope: Any) -> str:
    """The name of a kernel whose code is always the same."""
    return name_of("return number(VALUE) + helper(a, VALUE).first", **{"VALUE": 0, "helper": number, **scope})


def name_of(line: str, **scope: Any) -> str:
    """The name of a kernel of one line that sees these globals."""
    exec(f"def kernel(a):\n    {line}\n", scope)
    return digest(scope["kernel"], {}, [])


def test_layouts_of_records_that_kernels_read_are_part_of_the_name() -> None:
    parts = [name_with(helper=part_of(cls, "parts", element)) for cls in (Holder, Shifted) for element in (Narrow, Swapped)]
    assert len(set(parts)) == 4
    assert name_with(helper=part_of(Holder, "parts", Narrow)) == parts[0]
    assert name_with(helper=element_of(Holder, "parts", Narrow)) != name_with(helper=element_of(Holder, "parts", Swapped))
    assert name_with(helper=as_base(Narrow)) != name_with(helper=as_base(Swapped))
    assert name_with(helper=record_at(Narrow)) != name_with(helper=record_at(Swapped))


def test_constants_that_look_alike_have_names_of_their_own() -> None:
    alike = [3, 3.0, Word(3), np.uint64(3), np.int64(3), np.uint64(4), (3, 4), Words((3, 4)), Numbers((3, 4)), (Word(3), 4)]
    assert len({name_with(VALUE=value) for value in alike}) == len(alike)


def test_what_a_bot_imports_and_compiles_itself_is_part_of_the_name() -> None:
    names = set()
    for limit in (1, 2):
        scope: dict[str, Any] = {}
        exec(f"def steps(a):\n    return a + {limit}\n", scope)
        module, inner = ModuleType("limits"), ModuleType("inner")
        inner.__dict__.update(LIMIT=limit, outer=module)
        module.__dict__.update(inner=inner, LIMIT=limit, unused=object())
        names.add(name_of("return helper(a)", helper=numba.njit(scope["steps"])))
        names.add(name_of("return limits.LIMIT", limits=module))
        names.add(name_of("return limits.inner.LIMIT", limits=module))
    assert len(names) == 6


# -- who may write there --


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_new_cache_is_closed_to_others_whatever_the_umask(cache: Path) -> None:
    previous = os.umask(0)
    try:
        with open_cache("part") as folder:
            machine_code.keep(folder, machine_code.Code("symbol", "none", [], False, b""))
        assert [path.stat().st_mode & 0o777 for path in (cache, folder, machine_code.file_in(folder))] == [0o700, 0o700, 0o600]
    finally:
        assert os.umask(previous) == 0


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("place", ["", "part", "part/inner", "part/inner/code"])
def test_what_others_can_write_to_is_not_used(cache: Path, place: str, mode: int) -> None:
    with open_cache("part") as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "code").touch()
    (cache / place).chmod(mode)
    with pytest.raises(UntrustedCache, match=f"other users can write to {cache / place};"), open_cache("part"):
        pass
    (cache / place).chmod(0o700)
    with open_cache("part"):
        pass


def test_what_belongs_to_another_user_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_cache("part"):
        pass
    user = os.getuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(UntrustedCache, match=f"{cache} belongs to another user"), open_cache("part"):
        pass


def test_a_link_in_the_cache_is_not_followed(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    with open_cache("part") as folder:
        (folder / "inner").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UntrustedCache, match="is neither a folder nor a file"), open_cache("part"):
        pass


def test_a_cache_that_others_can_replace_is_not_used(cache: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(UntrustedCache, match=f"other users can write to {tmp_path};"), open_cache("part"):
        pass
    tmp_path.chmod(0o1777)  # sticky: others can't rename what is ours
    with open_cache("part"):
        pass


def test_a_cache_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UntrustedCache, match=r"can't be kept in .*: Not a directory; set KIBITZ_CACHE"), open_cache("part"):
        pass


def test_planted_code_is_never_run(cache: Path) -> None:
    """Whoever could write to the cache could have Python run anything. What is planted here would end the process."""
    subprocess.run([sys.executable, "-c", COMPILES], check=True, capture_output=True)
    kept = list(cache.rglob("*.code"))
    for file in kept:
        machine_code.keep(file.parent, machine_code.Code("poison", "int64", [], False, b"poison"))
    assert kept
    cache.chmod(0o777)
    done = subprocess.run([sys.executable, "-c", COMPILES], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 0  # compiled in memory
    assert done.stderr.count("is not used, because other users can write to") == 1
