"""How soon advice speaks, how long a judgement takes, and whether its numbers come true.

    python benchmarks/advice.py            # times
    python benchmarks/advice.py --true     # also: what was expected against what came, over many games

Times are of this process alone (CPU) and as a clock shows them; everything is compiled before they are taken.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from math import sqrt
from random import Random

import kibitz
from kibitz import registry
from kibitz.play.advice import analyst_of
from kibitz.play.hearing import heard_now
from kibitz.play.record import Record, positions, record_of
from kibitz.table.advising import advise
from kibitz.table.analysis import analyse
from kibitz.table.film import film_of_text
from kibitz.table.warming import ADVICE, make_ready

TABLES = (
    ("uno", ("mix2",) * 2, "classic"),
    ("uno", ("mix2",) * 4, "official"),
    ("uno", ("mix2",) * 10, "classic"),
    ("hanabi", ("smart",) * 2, "standard"),
    ("hanabi", ("smart",) * 5, "standard"),
    ("hanabi", ("information:best",) * 5, "standard"),
)
GAMES = 20  # judged or advised in at each table
TRUE_GAMES = 1000
MOST_CHOICES = 10


def middle(found: Sequence[float], share: float = 0.5) -> float:
    """So large is this share of some figures at most."""
    return sorted(found)[min(len(found) - 1, int(len(found) * share))]


def choices_in(record: Record, seat: int | None = None) -> list[int]:
    """The positions of a game with a choice, of a seat or of all."""
    legal = registry.game(record.game).legal_actions
    places = enumerate(state for _, state in positions(record))
    return [place for place, state in places if place < len(record.actions) and seat in (None, state.current) and len(legal(state)) > 1]


def show_times(game: str, bots: Sequence[str], rules: str) -> None:
    """How long first and last estimates and judgements take."""
    random, first, last, cpu, judged, decisions = Random(1), [], [], [], 0.0, 0
    for index in range(GAMES):
        record = record_of(kibitz.play(bots, seed=2, index=index, game=game, rules=rules))
        film, position = film_of_text(record.to_text()), random.choice(choices_in(record))
        heard = film.heard(int(film.state_at(position).current), position)
        start, spent, times = time.perf_counter(), time.process_time(), []
        for _ in advise(game, heard, names=film.names):
            times.append(time.perf_counter() - start)
            if len(times) == 1:
                cpu.append(time.process_time() - spent)
        first.append(times[0])
        last.append(times[-1])
        if index < GAMES // 4:
            spent = time.process_time()
            decisions += len(list(analyse(record)))
            judged += time.process_time() - spent
    print(
        f"{game} {rules}, {len(bots)} x {bots[0]}: first estimate {1000 * middle(first):.0f} ms (CPU {1000 * middle(cpu):.0f}), "
        f"nine in ten within {1000 * middle(first, 0.9):.0f} ms, last {middle(last):.1f} s; a judgement {1000 * judged / decisions:.0f} ms CPU"
    )


def show_truth(game: str, bots: Sequence[str], rules: str) -> None:
    """What the action taken was expected to bring, at one of the first decisions of each game, against what it brought."""
    random, analyst, definition = Random(2), analyst_of(game, names=bots), registry.game(game)
    pairs = []
    for index in range(TRUE_GAMES):
        played = kibitz.play(bots, seed=4, index=index, game=game, rules=rules)
        record = record_of(played)
        seat = played.seats.index(registry.entrant(bots[0], game).name)
        own = choices_in(record, seat)
        place = random.randrange(MOST_CHOICES)  # chosen before the game's length is known, which would favour short games
        if place >= len(own):
            continue
        position, trials = own[place], None
        for place, (_, state) in enumerate(positions(record)):
            for view, event in heard_now(definition, state, seat):
                if place == 0:
                    analyst.begin(view)
                elif event is not None:
                    analyst.observe(view, event)
            if place == position:
                trials = analyst.open(view)
                break
        assert trials is not None
        for batch in range(6):
            analyst.add_batch(trials, batch)
        value, _ = trials.value(played.actions[position])
        came = float(played.winner == seat) if game == "uno" else float(played.outcome["score"])
        pairs.append((value, came))
    differences = [came - value for value, came in pairs]
    mean = sum(differences) / len(pairs)
    error = sqrt(sum((difference - mean) ** 2 for difference in differences)) / len(pairs)
    expected, came = (sum(pair[side] for pair in pairs) / len(pairs) for side in range(2))
    print(f"{game} {rules}, {', '.join(bots)}: expected {expected:.3f}, came {came:.3f}, difference {mean:+.3f} ± {error:.3f}")
    ranked = sorted(pairs)
    for part in range(4):
        group = ranked[part * len(ranked) // 4 : (part + 1) * len(ranked) // 4]
        print(f"    expected {sum(pair[0] for pair in group) / len(group):.3f}, came {sum(pair[1] for pair in group) / len(group):.3f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--true", action="store_true", help="compare what was expected with what came")
    asked = parser.parse_args()
    start = time.perf_counter()
    for game in ("uno", "hanabi"):
        make_ready(game, ADVICE)
    print(f"ready after {time.perf_counter() - start:.1f} s")
    for table in TABLES:
        show_times(*table)
    if asked.true:
        show_truth("uno", ("champion:fast", "mix2"), "classic")
        show_truth("uno", ("champion:fast", "mix2", "mix2", "mix2"), "classic")
        for players in (2, 3, 5):
            show_truth("hanabi", ("smart" if players == 2 else "information:best",) * players, "standard")


if __name__ == "__main__":
    main()
