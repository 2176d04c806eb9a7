"""What players are called in sentences, and the small words around them."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.play.lineup import parse_target

MEANS = "Means: "  # begins a line about what the move told before it means under a convention; people can turn these off


class Names:
    """What the players are called: the person at `seat` `you`, others by short names that tell them apart; nobody is `you` without a seat."""

    def __init__(self, names: Sequence[str], seat: int | None, width: int = 15) -> None:
        self.seat, self._width = seat, width
        self.rename(names)

    def rename(self, names: Sequence[str]) -> None:
        """Call the players by other names from now on."""
        self.full = list(names)
        short = [short_name(name, self._width) for name in names]
        self._names = [
            f"{short_name(names[place], self._width - 4)} ({place})" if short.count(name) > 1 else name for place, name in enumerate(short)
        ]

    def name(self, seat: int) -> str:
        """A player's name inside a sentence."""
        return "you" if seat == self.seat else self._names[seat]

    def start(self, seat: int) -> str:
        """A player's name at the beginning of a sentence."""
        return "You" if seat == self.seat else self._names[seat]

    def does(self, seat: int, verb: str) -> str:
        """A player and what it does: `You play`, `mix2 plays`."""
        if seat == self.seat:
            return f"You {verb}"
        return f"{self._names[seat]} {verb}{'es' if verb.endswith(('s', 'sh', 'ch')) else 's'}"

    def does_then(self, seat: int, verb: str) -> str:
        """The same inside a sentence: `you play`, `mix2 plays`."""
        told = self.does(seat, verb)
        return told[0].lower() + told[1:] if seat == self.seat else told


def contest_standing(names: Names, scores: Sequence[int], to: str | None, is_finished: bool) -> str:
    """How everybody stands after a deal of a contest, and who has won it if it is finished."""
    told = [f"{names.name(seat)} {score}" for seat, score in enumerate(scores)]
    best = max(range(len(scores)), key=lambda seat: scores[seat])
    won = f"{names.does(best, 'win')} the contest" if scores[best] >= parse_target(to) else "Nobody wins the contest"
    return f"Scores: {', '.join(told)}. {f'{won} to {to}' if is_finished else f'The contest to {to} goes on'}."


def short_name(name: str, width: int) -> str:
    """A name that is not too long, without the folders of a file."""
    last = name.rpartition("/")[2]
    return last if len(last) <= width else last[: width - 1] + "…"
