"""How long `ismcts` thinks about a decision on one core: python benchmarks/ismcts.py [PARAMETERS ...]

Each argument is a set of parameters, such as `policy=mix2,search_others=on`; without any the usual ones are measured. The positions
are the decisions of games that everybody plays like `mix2`, as far as there is a choice between two plays. Nothing in the tests
depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import sys
import time

from kibitz import registry
from kibitz.bots.uno.mix2 import mix2
from kibitz.core.layouts import copy_record
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.play.seat import player_of

BUDGETS = (200, 1000, 4000)
DECISIONS = 60
TABLES = (("classic", 2), ("classic", 4), ("classic", 10), ("official", 2), ("classic,stacking=progressive", 2))


def time_decisions(parameters: str, rules: str, players: int, budget: int) -> tuple[float, float]:
    """Milliseconds a decision, and the mean number of actions that were tried."""
    searcher = player_of(registry.entrant(f"ismcts:rollouts={budget}{',' if parameters else ''}{parameters}"), GAME)
    others = player_of(registry.entrant(mix2), GAME)
    spent, tried, count, index = 0.0, 0, 0, 0
    while count < DECISIONS:
        state = new_state(parse_rules(rules), players)
        state.observed = 1
        engine.deal(state, game_key(1, index))
        searcher.begin(seen_by(state, 0))
        while not engine.is_over(state) and count < DECISIONS:
            legal = engine.legal_actions(state)
            if len(legal) == 1:
                action = legal[0]
            elif state.current == 0 and len(legal) > 1 and legal[1] < DRAW:
                view = engine.as_view(state)
                start = time.perf_counter()
                action = searcher.choose(view)
                spent += time.perf_counter() - start
                table = searcher.valuation
                if table is not None and table.listed > 0:
                    tried += table.listed
                    count += 1
            else:
                action = engine.default_action(state, 0)
                if action < 0:
                    others.begin(engine.as_view(state))
                    action = others.choose(engine.as_view(state))
            engine.apply(state, action)
            view = seen_by(state, 0)
            for place in range(state.event_count):
                searcher.observe(view, engine.event_at(state, place))
            state.event_count = 0
        index += 1
    return 1000 * spent / count, tried / count


def seen_by(state: State, seat: int) -> object:
    """What a seat sees: a copy."""
    twin = copy_record(state)
    engine.show(twin, seat)
    return engine.as_view(twin)


def main() -> None:
    for parameters in sys.argv[1:] or [""]:
        print(f"ismcts{':' + parameters if parameters else ''}")
        for rules, players in TABLES:
            for budget in BUDGETS:
                milliseconds, tried = time_decisions(parameters, rules, players, budget)
                each = 1000 * milliseconds / budget
                print(
                    f"{rules:>30} {players:2} players {budget:6} rollouts {milliseconds:8.2f} ms, {each:5.1f} µs each, {tried:.1f} candidates"
                )


if __name__ == "__main__":
    main()
