"""What players are called in sentences, and the small words around them."""

from __future__ import annotations

from collections.abc import Sequence

MEANS = "Means: "  # begins a line about what the move told before it means under a convention; people can turn these off


def counted(number: int, noun: str) -> str:
    """A number of things: `1 card`, `2 cards`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence lists them: `1`, `1 and 2`, `1, 2 and 3`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


class Names:
    """What the players are called: the person at `seat` `you`, others by short names that tell them apart; nobody is `you` without a seat."""

    def __init__(self, names: Sequence[str], seat: int | None, width: int = 15) -> None:
        self.seat, self._width = seat, width
        self.rename(names)

    def rename(self, names: Sequence[str]) -> None:
        """Call the players by other names from now on."""
        self.full = list(names)
        short = [shortened(name, self._width) for name in names]
        self._names = [
            f"{shortened(names[place], self._width - 4)} ({place})" if short.count(name) > 1 else name for place, name in enumerate(short)
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


def shortened(name: str, width: int) -> str:
    """A name that is not too long, without the folders of a file."""
    last = name.rpartition("/")[2]
    return last if len(last) <= width else last[: width - 1] + "…"
