"""Who plays whom: the matches of each format.

Players are numbers in the order of the tournament's file. A match is one table: its players meet equally often in every
rotation of the seats. Formats that know all matches beforehand give one round; a Swiss gives the next round from the last.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import ceil, comb, log2

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.sentences import counted

FORMATS = {
    "round-robin": "every combination of players meets",
    "swiss": "round by round, players with like scores meet, nobody twice if it can be avoided",
    "gauntlet": "one against all: the first player, or the hero, meets every other",
    "free-for-all": "tables of N: everybody at one table, every combination, or tables drawn in rounds",
    "teams": "teams: each bot in every seat",
    "mixed": "teams: every combination of bots",
}
MOST_COMBINATIONS = 500  # more tables than this are drawn in rounds instead
MOST_MATCHES = 20_000
FORESIGHT = 16  # with so many players or fewer, a round of a Swiss leaves enough to meet in the rounds after it
_MOST_TRIES = 20_000  # of a round of a Swiss to avoid second meetings

Members = tuple[int, ...]


def _such_as() -> str:
    """Games that are played together, as examples."""
    together = [registry.game(name).title for name in registry.BUILT_IN if registry.game(name).cooperative]
    return f", such as {together[0]}" if together else ""


def check_format(name: str, players: int, table: int, cooperative: bool, has_hero: bool, where: str, rounds: int | None = None) -> None:
    """Refuse a format that this game, or this number of players, cannot have."""
    if name == "teams" and not cooperative:
        raise BadValue(f"{where}: format teams is for games played together{_such_as()}.")
    if name == "mixed" and not cooperative:
        raise BadValue(f"{where}: format mixed is for games played together{_such_as()}; round-robin lets everybody meet.")
    if cooperative and name in ("swiss", "free-for-all"):
        raise BadValue(f"{where}: format {name} needs a winner; a game played together has teams, mixed, round-robin and gauntlet.")
    if has_hero and name != "gauntlet":
        raise BadValue(f"{where}: hero goes with the format gauntlet.")
    if name == "swiss" and table != 2:
        raise BadValue(f"{where}: a Swiss has tables of 2, not {table}.")
    if rounds is not None and name not in ("swiss", "free-for-all"):
        raise BadValue(f"{where}: rounds go with the formats swiss and free-for-all.")
    alone = name == "teams" or (name == "mixed" and table == 2)  # a bot that sits in every seat needs nobody else
    if players < (1 if alone else table):
        raise BadValue(f"{where}: {counted(players, 'player')} cannot fill a table of {table}.")
    matches = match_count(name, players, table, rounds)
    if matches > MOST_MATCHES:
        hint = " (try swiss or a free-for-all)" if name == "round-robin" and not cooperative else ""
        raise BadValue(f"{where}: {matches:,} matches are too many; at most {MOST_MATCHES:,} are accepted{hint}.")


def match_count(name: str, players: int, table: int, rounds: int | None) -> int:
    """How many matches a format has."""
    if name == "swiss":
        return swiss_rounds(players, rounds) * (players // 2)
    if name == "teams":
        return players
    if name == "mixed" and table == 2:
        return comb(players + 1, 2)
    if name == "gauntlet":
        return comb(players - 1, table - 1)
    if name == "free-for-all" and (rounds is not None or comb(players, table) > MOST_COMBINATIONS):
        return drawn_rounds(players, rounds) * (players // table)
    return comb(players, table)


def drawn_rounds(players: int, rounds: int | None) -> int:
    """How many rounds tables are drawn for: as asked, else a few."""
    return rounds if rounds is not None else ceil(log2(players)) + 1


def fixed_matches(name: str, players: int, table: int, hero: int, rounds: int | None, seed: int) -> list[Members]:
    """The matches of a format that knows them all beforehand."""
    everybody = range(players)
    if name == "teams":
        return [(player,) * table for player in everybody]
    if name == "mixed":
        return list(combinations_with_replacement(everybody, table) if table == 2 else combinations(everybody, table))
    if name == "gauntlet":
        others = [player for player in everybody if player != hero]
        return [(hero, *rest) for rest in combinations(others, table - 1)]
    if name == "free-for-all" and (rounds is not None or comb(players, table) > MOST_COMBINATIONS):
        return drawn_tables(players, table, drawn_rounds(players, rounds), seed)
    return list(combinations(everybody, table))


def drawn_tables(players: int, table: int, rounds: int, seed: int) -> list[Members]:
    """Tables drawn anew in each round; who is left over sits out, nobody more than once oftener than another."""
    draw = random.Random(f"tables {seed}")
    matches: list[Members] = []
    sat_out = [0] * players
    for _ in range(rounds):
        order = draw.sample(range(players), players)
        order.sort(key=lambda player: -sat_out[player])
        seated = order[: players // table * table]
        for player in order[len(seated) :]:
            sat_out[player] += 1
        draw.shuffle(seated)
        matches += [tuple(sorted(seated[start : start + table])) for start in range(0, len(seated), table)]
    return matches


def swiss_rounds(players: int, rounds: int | None) -> int:
    """How many rounds a Swiss has: as asked, else enough to find one winner, and two more."""
    most = players - 1 if players % 2 == 0 else players
    return min(most, rounds if rounds is not None else ceil(log2(players)) + 2)


def swiss_round(
    scores: Sequence[float], met: set[Members], byes: Sequence[int], seed: int, later: int = 0
) -> tuple[list[Members], int | None]:
    """The pairs of the next round, and who has none: players of like score meet, nobody twice if that can be avoided.

    `scores` are match points so far, `met` who has met whom, `byes` how often each had none, `later` how many rounds come
    after this one. If the number of players is odd, who stands lowest of those who sat out least has no opponent. Up to
    half as many rounds as players never need a second meeting; with few players, no number of rounds does.
    """
    draw = random.Random(f"swiss {seed}")
    lots = [draw.random() for _ in scores]
    order = sorted(range(len(scores)), key=lambda player: (-scores[player], lots[player]))
    tries = iter(range(_MOST_TRIES))
    nearest = None
    for pairs, resting in _choices(order, met, byes, tries):
        nearest = nearest or (pairs, resting)
        if len(order) > FORESIGHT or _can_go_on(order, met.union(pairs), _sat_out(byes, resting), later, tries):
            return pairs, resting
    if nearest:
        return nearest
    resting = next(_resting(order, byes))
    return _few_repeats([player for player in order if player != resting], met), resting


def _choices(
    order: Sequence[int], met: set[Members], byes: Sequence[int], tries: Iterator[int]
) -> Iterator[tuple[list[Members], int | None]]:
    """Every round without a second meeting, the best first."""
    for resting in _resting(order, byes):
        for pairs in _pairings([player for player in order if player != resting], met, tries):
            yield pairs, resting


def _resting(order: Sequence[int], byes: Sequence[int]) -> Iterator[int | None]:
    """Who may have no opponent, the lowest first: those who sat out least, nobody if the number is even."""
    if len(order) % 2 == 0:
        yield None
        return
    least = min(byes)
    yield from (player for player in reversed(order) if byes[player] == least)


def _sat_out(byes: Sequence[int], resting: int | None) -> list[int]:
    return [count + (player == resting) for player, count in enumerate(byes)]


def _can_go_on(order: Sequence[int], met: set[Members], byes: Sequence[int], rounds: int, tries: Iterator[int]) -> bool:
    """Whether so many more rounds can do without a second meeting."""
    return rounds <= 0 or any(
        _can_go_on(order, met.union(pairs), _sat_out(byes, resting), rounds - 1, tries)
        for pairs, resting in _choices(order, met, byes, tries)
    )


def _pairings(order: Sequence[int], met: set[Members], tries: Iterator[int]) -> Iterator[list[Members]]:
    """Pair the first with the nearest it has not met, and so on; back up where that does not work out, until `tries` are used up."""
    chosen: list[tuple[int, int, int]] = []  # for each pair: the first, the second, and the second's place among those left
    left = list(order)
    start = 1
    while next(tries, None) is not None:
        place = next((place for place in range(start, len(left)) if _pair(left[0], left[place]) not in met), None) if left else None
        if place is not None:
            second = left.pop(place)
            chosen.append((left.pop(0), second, place))
            start = 1
            continue
        if not left:
            yield [_pair(first, second) for first, second, _ in chosen]
        if not chosen:
            return
        first, second, place = chosen.pop()
        left.insert(0, first)
        left.insert(place, second)
        start = place + 1


def _few_repeats(order: Sequence[int], met: set[Members]) -> list[Members]:
    """Neighbours meet; where that makes second meetings, two pairs near each other change partners as long as it makes fewer.

    Where everybody has at least half of the others left to meet, there is always such a change, so none are left.
    """
    pairs = [_pair(order[place], order[place + 1]) for place in range(0, len(order), 2)]
    while change := _better(pairs, met):
        near, place, *changed = change
        pairs[near], pairs[place] = changed
    return pairs


def _better(pairs: Sequence[Members], met: set[Members]) -> tuple[int, int, Members, Members] | None:
    """Two pairs that can change partners, and what they become."""
    for place in (place for place, pair in enumerate(pairs) if pair in met):
        one, other = pairs[place]
        for near in sorted(range(len(pairs)), key=lambda near: abs(near - place))[1:]:
            for first, second in (pairs[near], pairs[near][::-1]):
                changed = _pair(first, one), _pair(second, other)
                if sum(pair in met for pair in changed) < 1 + (pairs[near] in met):
                    return near, place, *changed
    return None


def _pair(one: int, other: int) -> Members:
    return (one, other) if one < other else (other, one)
