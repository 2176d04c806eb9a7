"""Outside bots in one run: python benchmarks/outside.py [--swiss BOTS]

Prints the decisions a second that the referee gets through the protocol from one bot against one of ours, beside the figure it
should reach, and what of that is the referee's and the bot's processor time. Then a Swiss of 200 outside bots: the greatest number
of their processes at any moment, and the memory of ours. Nothing in the tests depends on these numbers: machines differ, and this
one may be busy.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from pathlib import Path

from kibitz import registry
from kibitz.experiments.tournament.config import COMMAND, Participant, make_tournament
from kibitz.experiments.tournament.rounds import play_tournament
from kibitz.outside.limits import BotLimits
from kibitz.outside.player import OutsideBot, outside_bot, python_bot
from kibitz.outside.referee import RefereedMatch, play_refereed
from kibitz.runs.units import Unit

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROMISED = 2000  # decisions a second, of bots in Python
PATIENT = BotLimits(decision_seconds=60.0, game_seconds=600.0, start_seconds=60.0)
GAMES = 300
REPEATS = 5


def bots() -> dict[str, OutsideBot]:
    clients = EXAMPLES / "outside"
    return {
        "random_client.py, plain Python": outside_bot("random_client", "python3 random_client.py", clients, PATIENT),
        "ashtabna.py, a classroom player": python_bot("ashtabna", str(EXAMPLES / "classroom" / "ashtabna.py"), "uno", PATIENT),
        "python_bot.py, told of events": python_bot("Listener", str(EXAMPLES / "python_bot.py"), "uno", PATIENT),
        "greedy_client.pl, Perl": outside_bot("greedy_client", "perl greedy_client.pl", clients, PATIENT),
    }


def processor_seconds(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def played(bot: OutsideBot, games: int) -> tuple[int, float, float, float]:
    """Decisions, and seconds: on the clock, of our processor time, of the bot's."""
    match = RefereedMatch("uno", "classic", (bot, registry.entrant("random")), 5, "random")
    before = time.perf_counter(), processor_seconds(resource.RUSAGE_SELF), processor_seconds(resource.RUSAGE_CHILDREN)
    brought = play_refereed(match, Unit(0, games))
    after = time.perf_counter(), processor_seconds(resource.RUSAGE_SELF), processor_seconds(resource.RUSAGE_CHILDREN)
    assert not brought.faults, brought.faults[0]
    clock, ours, its = (late - early for early, late in zip(before, after, strict=True))
    return brought.decisions, clock, ours, its


def measure(name: str, bot: OutsideBot) -> None:
    played(bot, 1)
    starts = [played(bot, 1) for _ in range(REPEATS)]
    wholes = [played(bot, GAMES) for _ in range(REPEATS)]
    decisions = wholes[0][0] - starts[0][0]
    clock, ours, its = (min(whole[place] for whole in wholes) - min(start[place] for start in starts) for place in (1, 2, 3))
    print(
        f"{decisions / clock:10,.0f}  decisions a second, {decisions / clock / PROMISED:.1f} of the promised {PROMISED:,}: {name}; "
        f"processor time {1e6 * ours / decisions:.0f} µs of ours, {1e6 * its / decisions:.0f} µs of the bot's, "
        f"{1000 * min(start[3] for start in starts):.0f} ms to start it"
    )


def children() -> int:
    """How many processes of ours there are."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            count += int(stat.read_text().rsplit(")", 1)[1].split()[1]) == os.getpid()
        except OSError:
            continue
    return count


def swiss(count: int) -> None:
    """A Swiss of so many outside bots, looked at all the time."""
    folder, command = str(EXAMPLES / "outside"), "python3 random_client.py"
    players = [Participant(f"bot {number}", COMMAND, command, folder, 60.0) for number in range(count)]
    chosen = make_tournament("benchmark", {"players": players, "format": "swiss", "games": 2, "rounds": 3, "seed": 1})
    most, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            most[0] = max(most[0], children())

    watch = threading.Thread(target=look)
    watch.start()
    begun = time.perf_counter()
    try:
        found = play_tournament(chosen)
    finally:
        done.set()
        watch.join()
    seconds = time.perf_counter() - begun
    assert not found.faults and found.complete
    print(f"{most[0]:10,}  bot processes at most at any moment in a Swiss of {count}, {found.games_played:,} games in {seconds:.0f} s")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:10,.0f}  MB of ours at most (400)")
    print(f"{children():10,}  processes left")


def main() -> None:
    for name, bot in bots().items():
        measure(name, bot)
    swiss(int(sys.argv[sys.argv.index("--swiss") + 1]) if "--swiss" in sys.argv else 200)


if __name__ == "__main__":
    main()
