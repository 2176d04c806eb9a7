"""Games with outside bots as a run keeps them: a record for every deal, with the faults of the bots in it.

Records of version 0.1 have no faults. Those in the store's list of faults are put in their places: a fault names its position, so
the record is played through until it comes up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kibitz import registry
from kibitz.core.printable import printable
from kibitz.core.public import public
from kibitz.play.game import PlayedContest, PlayedGame
from kibitz.play.lineup import parse_target
from kibitz.play.record import Record, positions
from kibitz.play.record_faults import FORFEITED, MOST_SIGNS, RecordedFault, forfeited_by
from kibitz.runs.ledger import FORFEIT, Fault


def with_faults(deals: Sequence[Record], faults: Sequence[Fault], is_contest: bool) -> list[Record]:
    """The deals of one game with its faults in them, where they were written down without; and with what counted."""
    if not faults or any(deal.faults for deal in deals):
        return list(deals)
    if is_contest and deals[-1].winner is not None and deals[-1].status == FORFEITED:  # the contest is won by it, and no points
        deals = [*deals[:-1], replace(deals[-1], winner=None, points=0)]
    found: list[Record] = []
    left = list(_charged(faults))
    out: list[RecordedFault] = []  # of earlier deals
    for deal in deals:
        placed, left = _placed(deal, left, is_last=deal is deals[-1])
        known = [*out, *placed]
        out = [replace(fault, action=0) for fault in known if fault.forfeits]
        found.append(_counted(deal, tuple(known)))
    return found


def _charged(faults: Sequence[Fault]) -> list[tuple[Fault, bool]]:
    """Faults, and whether each forfeited the game: what says so stands behind it in the list."""
    following = [*faults[1:], None]
    return [
        (fault, after is not None and after.kind == FORFEIT and after.bot == fault.bot)
        for fault, after in zip(faults, following, strict=True)
        if fault.kind != FORFEIT
    ]


def _placed(deal: Record, faults: list[tuple[Fault, bool]], is_last: bool) -> tuple[list[RecordedFault], list[tuple[Fault, bool]]]:
    """The faults that were committed in a deal, and those left for later ones."""
    game = registry.game(deal.game)
    rules = game.parse_rules(deal.rules)
    placed: list[RecordedFault] = []
    left = list(faults)
    while left and left[0][0].seat < 0:  # before it began
        placed.append(_recorded(deal, *left.pop(0), 0))
    for action, (_, state) in enumerate(positions(deal), 1):
        here = game.to_text(state, rules) if left else ""
        while left and _is_same(left[0][0].position, here):
            placed.append(_recorded(deal, *left.pop(0), action))
    if is_last:  # what has no place here happened at the latest by its end
        placed += [_recorded(deal, fault, forfeits, len(deal.actions) + 1) for fault, forfeits in left]
        left = []
    return placed, left


def _is_same(one: str, other: str) -> bool:
    """Whether two texts describe the same position; not every table keeps the order of cards, or counts draws."""
    ours, theirs = _unordered(one), _unordered(other)
    return all(ours[key] == theirs[key] for key in ours.keys() & theirs.keys())


def _unordered(position: str) -> dict[str, list[list[str]]]:
    parts = [part.partition("=") for part in position.split(";")]
    return {key: [sorted(cards.split(".")) for cards in value.split("|")] for key, _, value in parts}


def _recorded(deal: Record, fault: Fault, forfeits: bool, action: int) -> RecordedFault:
    seat = fault.seat if 0 <= fault.seat < len(deal.seats) else deal.seats.index(fault.bot) if fault.bot in deal.seats else 0
    return RecordedFault(action, seat, fault.kind, printable(public(fault.what, {}), MOST_SIGNS), forfeits)


def _counted(deal: Record, faults: tuple[RecordedFault, ...]) -> Record:
    """A deal with its faults; a win by playing counts unless that seat had forfeited."""
    out = forfeited_by(faults)
    if not out or deal.status != FORFEITED:
        return replace(deal, faults=tuple(fault for fault in faults if not fault.forfeits))
    if deal.winner is not None or registry.game(deal.game).cooperative:
        return replace(deal, faults=faults)
    *_, (_, state) = positions(deal)
    ended = registry.game(deal.game).outcome(state)
    counts = ended["winner"] is not None and ended["winner"] not in out
    return replace(deal, faults=faults, **({"winner": ended["winner"], "points": ended["points"]} if counts else {}))


# -- contests --


def add_deal(contest: PlayedContest, deal: Record, played: PlayedGame, is_last: bool) -> None:
    """Add a kept deal to a contest: the scores after it, and after the last one who won. Who forfeited counts 0."""
    contest.deals.append(played)
    if not contest.to:
        return
    players = len(deal.seats)
    scores = list(deal.scores or [0] * players)
    ended = (played.steps[-1] if played.steps else played.opening).state
    done = registry.game(deal.game).outcome(ended)
    if done["winner"] is not None:
        scores[done["winner"]] += done["points"]
    out = forfeited_by(deal.faults)
    contest.scores = [0 if seat in out else score for seat, score in enumerate(scores)]
    contest.is_over = is_last
    if is_last:
        left = [seat for seat in range(players) if seat not in out]
        reached = [seat for seat in left if scores[seat] >= parse_target(contest.to)]
        contest.winner = left[0] if len(left) == 1 else reached[0] if reached else None
