"""What a comparison of two bots gives back: the verdict in a sentence, the difference with its error, and what it took."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.printable import facts_of
from kibitz.experiments.sides import MEASURES
from kibitz.stats.paired import Sums, pairing_gain
from kibitz.stats.sequential import Sprt


@dataclass
class Comparison:
    """What is known about two bots so far. `verdict` is "h1", "h0" or None; `complete` is false if it was interrupted."""

    game: str
    rules: str
    bots: tuple[str, str]
    others: tuple[str, ...]
    measure: str
    players: int
    seed: int
    to: str | None
    test: Sprt | None  # None if the number of games was fixed
    confidence: float
    max_games: int  # of each line-up
    lineups: int
    group: int
    values: Sums = field(default_factory=Sums)  # of the deals
    uncorrected: Sums | None = None  # of the same deals, where luck was taken out of `values`
    singles: tuple[Sums, ...] = ()  # of single games as if they were not paired
    gains: tuple[Sums, Sums] = (Sums(), Sums())  # what each bot got, a game
    seconds: float = 0.0
    complete: bool = True

    @property
    def verdict(self) -> str | None:
        """The hypothesis that was accepted."""
        return self.test.verdict if self.test else None

    @property
    def deals(self) -> int:
        """How many deals count."""
        return self.values.count

    @property
    def games(self) -> int:
        """How many games that took, of all line-ups together."""
        return self.deals * self.group * self.lineups

    @property
    def difference(self) -> float:
        """How much better the first bot is, in the unit of the measure."""
        return self.values.mean

    @property
    def standard_error(self) -> float | None:
        """The standard error of the difference."""
        return self.values.standard_error

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the difference, as if the number of games had been fixed beforehand."""
        return self.values.interval(self.confidence)

    @property
    def better(self) -> str | None:
        """The better bot, None where that is not known: by the test if its hypotheses are symmetric, else by the interval."""
        if self.test:
            if self.test.h0 != -self.test.h1:
                return None
            return {"h1": self.bots[0], "h0": self.bots[1], None: None}[self.test.verdict]
        low, high = self.interval or (0.0, 0.0)
        return self.bots[0] if low > 0 else self.bots[1] if high < 0 else None

    @property
    def pairing_gain(self) -> float | None:
        """How many times more games it would take for the same certainty without pairing."""
        return pairing_gain(self.uncorrected or self.values, *self.singles)

    @property
    def luck_gain(self) -> float | None:
        """How many times more games it would take for the same certainty without the luck correction; None if there was none."""
        return pairing_gain(self.values, self.uncorrected) if self.uncorrected else None

    @property
    def unit(self) -> str:
        """The unit of the difference."""
        return MEASURES[self.measure].replace("a game", "a contest") if self.to else MEASURES[self.measure]

    def sentence(self) -> str:
        """The verdict."""
        first, second = self.bots
        count = f"{self.games:,} {'contests' if self.to else 'games'}"
        if not self.test:
            count += "" if self.complete else " so far, INCOMPLETE"
            if self.interval is None:
                return f"Nothing is known of {first} and {second} yet ({count})."
            low, high = self.interval
            means = f"the {100 * self.confidence:g} % interval of the difference, {low:+.2f} to {high:+.2f} {self.unit},"
            if self.better:
                worse = second if self.better == first else first
                return f"{self.better} is better than {worse}: {means} leaves out 0 ({count})."
            return f"No difference between {first} and {second} is shown: {means} holds 0 ({count})."
        test = self.test
        rates = f"error rates {100 * test.alpha:g} % and {100 * test.beta:g} %"
        sides = f"{test.h0:+g} v {test.h1:+g} {self.unit}"
        if self.better:
            worse = second if self.better == first else first
            return f"{self.better} is better than {worse}: decided after {count} ({sides}, {rates})."
        if self.verdict:
            accepted, rejected = (test.h1, test.h0) if self.verdict == "h1" else (test.h0, test.h1)
            return f"{first} is {accepted:+g} rather than {rejected:+g} {self.unit} better than {second}: decided after {count} ({rates})."
        state = "Undecided" if self.complete else "Undecided when interrupted"
        between = f"the log-likelihood ratio is {test.llr:+.2f}, between {test.lower:.2f} and {test.upper:+.2f}"
        if not self.values.variance:
            between = f"no two of the {self.deals:,} deals had a different result"
        elif not test.ready:
            between += f", but {self.deals:,} deals are too few to know by how much they vary"
        return f"{state} after {count} ({sides}, {rates}): {between}."

    def to_dict(self) -> dict[str, Any]:
        """The comparison as it stands in JSON."""
        from kibitz import __version__, registry

        test = self.test
        interval = self.interval
        return {
            "command": "compare",
            "game": self.game,
            "rules": self.rules,
            "bots": list(self.bots),
            "with": list(self.others),
            "players": self.players,
            "seed": self.seed,
            **({"to": self.to} if self.to else {}),
            **facts_of(self, "measure", "unit", "verdict", "better"),
            "sentence": self.sentence(),
            "difference": self.difference,
            "difference_se": self.standard_error,
            "confidence": self.confidence,
            "interval": list(interval) if interval else None,
            "figures": [gain.mean for gain in self.gains],
            **facts_of(self, "deals", "games", "max_games"),
            "test": facts_of(test, "h0", "h1", "alpha", "beta", "llr", "lower", "upper") if test else None,
            "pairing_gain": self.pairing_gain,
            **({"luck_gain": self.luck_gain} if self.uncorrected else {}),
            "seconds": self.seconds,
            "complete": self.complete,
            "version": __version__,
            "results_version": registry.game(self.game).results_version,
        }

    def in_words(self) -> list[str]:
        """The verdict and what it rests on, a line each."""
        error = self.standard_error
        low, high = self.interval or (math.nan, math.nan)
        spread = "?" if error is None else f"{error:.2f}"
        over = " over 50 %" if self.measure == "wins" and self.lineups == 1 else ""
        fixed = ", as if the number of games had been fixed" if self.test else ""
        lines = [
            self.sentence(),
            f"{self.bots[0]} v {self.bots[1]}: {self.difference:+.2f} ± {spread} {self.unit}{over} "
            f"({100 * self.confidence:g} % interval {low:+.2f} to {high:+.2f}{fixed})",
        ]
        names = {"wins": "win rate %", "points": "points", "score": "score", "points_kept": "points kept"}
        if self.lineups == 2 or self.measure != "wins":
            lines[1] += f"; {names[self.measure]} {self.gains[0].mean:.2f} and {self.gains[1].mean:.2f}"
        rate = f", {self.games / self.seconds:,.0f} games/s" if self.seconds > 0 else ""
        lines.append(
            f"{self.games:,} {'contests' if self.to else 'games'} of {self.deals:,} deals in {self.seconds:.1f} s{rate}, seed {self.seed}"
        )
        if (gain := self.pairing_gain) is not None:
            lines.append(f"paired deals: without pairing it would take {gain:.2f} x as many games for the same certainty")
        if (gain := self.luck_gain) is not None:
            lines.append(f"luck correction: without it, it would take {gain:.2f} x as many games for the same certainty")
        return lines

    def __repr__(self) -> str:
        return "\n".join(self.in_words())
