"""How long the champion takes for a decision on one core: python benchmarks/champion.py [BOT ...]

The mean over all decisions that it is asked for in games of its own, with `mix2` in the other seats; what it may take on average stands beside
it. Nothing in the tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import sys
import time

from kibitz import registry
from kibitz.core.layouts import copy_record
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.play.seat import SeatedBot, player_of

LIMITS = {"champion": 20.0, "champion:fast": 0.1}  # milliseconds
TABLES = (("classic", 2), ("classic", 4), ("classic", 6), ("official", 2), ("classic,stacking=progressive", 4))
GAMES = 20


def time_decisions(bot: str, rules: str, players: int) -> tuple[float, int]:
    """Milliseconds a decision, and how many there were."""
    seats = [player_of(registry.entrant(name), GAME) for name in (bot, *["mix2"] * (players - 1))]
    spent, count = 0.0, 0
    for index in range(GAMES):
        state = new_state(parse_rules(rules), players)
        state.observed = 1
        engine.deal(state, game_key(1, index))
        tell(state, seats, begin=True)
        while not engine.is_over(state):
            action = engine.forced_action(state)
            if action < 0 and state.current > 0:
                action = engine.default_action(state, 0)
            if action < 0:
                view = engine.as_view(state)
                start = time.perf_counter()
                action = seats[state.current].choose(view)
                if state.current == 0:
                    spent += time.perf_counter() - start
                    count += 1
                state.seat_streams[state.current] = view.random_stream
            engine.apply(state, action)
            tell(state, seats)
    return 1000 * spent / count, count


def tell(state: State, seats: list[SeatedBot], begin: bool = False) -> None:
    """Let everybody hear of what happened."""
    for seat, player in enumerate(seats):
        twin = copy_record(state)
        engine.show(twin, seat)
        view = engine.as_view(twin)
        if begin:
            player.begin(view)
        for place in range(0 if begin else state.event_count):
            player.observe(view, engine.event_at(state, place))
    state.event_count = 0


def main() -> None:
    for bot in sys.argv[1:] or list(LIMITS):
        for rules, players in TABLES:
            taken, count = time_decisions(bot, rules, players)
            limit = f", {taken / LIMITS[bot]:.2f} of the {LIMITS[bot]:g} ms it may take" if bot in LIMITS else ""
            print(f"{taken:9.4f} ms a decision ({count:,} decisions{limit})  {bot}, {rules}, {players} players")


if __name__ == "__main__":
    main()
