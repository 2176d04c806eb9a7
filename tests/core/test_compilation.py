"""What is compiled when: the engine once, a new bot once and small, a parameter never, an edit always."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BOT = '''
import kibitz

@kibitz.bot(parameters=(kibitz.Parameter("level", kibitz.WHOLE, "draws above it", 1, 20, default=5),))
def it(view, params):
    """Draws while it holds more than `level` cards."""
    return view.play(view.pick(view.playable()), RED) if view.hand_size() <= params.level else view.decline()
'''
# Somebody else's compiled code comes first: Numba's tables are then filled before we add to them.
COUNT = """
import os, sys, kibitz, numba
numba.njit(lambda number: number + 1)(1)
for bots in sys.argv[1:]:
    kibitz.match(bots.split(), games=20, jit=True)
    print(len(os.listdir(os.environ["KIBITZ_CACHE"])))
"""


def parts_kept(cache: Path, *line_ups: str) -> list[int]:
    """How many compiled parts the cache folder holds after each line-up, played in a new process."""
    environment = {**os.environ, "KIBITZ_CACHE": str(cache)}
    environment.pop("KIBITZ_JIT", None)
    done = subprocess.run([sys.executable, "-c", COUNT, *line_ups], env=environment, capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def test_engine_once_a_bot_once_a_parameter_never(tmp_path: Path) -> None:
    cache, file = tmp_path / "cache", tmp_path / "mine.py"
    file.write_text(BOT.replace("RED", "0"))
    first, again, with_bot, other_level = parts_kept(
        cache, "random random", "random random random", f"{file}:it random", f"{file}:it:level=9 random"
    )
    assert first == 2  # the loop with the engine, and one bot
    assert again == first
    assert with_bot == first + 1
    assert other_level == with_bot
    assert parts_kept(cache, f"{file}:it:level=3 {file}:it") == [with_bot]  # another process finds all of it
    file.write_text(BOT.replace("RED", "1"))
    assert parts_kept(cache, f"{file}:it random") == [with_bot + 1]  # an edit is never overlooked


# What each engine plays, compiled and plain, on the line of rules that is asked for.
COMPARE = """
import sys
from kibitz.experiments.batch import Batch
from kibitz.play.lineup import make_lineup
from kibitz.runs.units import Unit

class First:
    def choose(self, view):
        return next(action for action in range(250) if view.is_legal(action))

for rules in sys.argv[1:]:
    lineup = make_lineup([First, "random"], rules)
    compiled, plain = (Batch(lineup, 20, 5, jit=jit).play_unit(Unit(0, 20)).tolist() for jit in (True, False))
    print(compiled == plain)
"""


def test_code_kept_by_two_processes_does_not_mix_in_a_third(tmp_path: Path) -> None:
    """The engines of two sets of rules have helpers of the same names that do different things."""
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path / "cache")}
    environment.pop("KIBITZ_JIT", None)
    both = ["classic", "official,seven_zero=on,stacking=progressive"]
    for rules in ([both[0]], [both[1]], both, both[::-1]):
        done = subprocess.run([sys.executable, "-c", COMPARE, *rules], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["True"] * len(rules)
