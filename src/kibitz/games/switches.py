"""A switch of rules: what both games describe theirs with."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Switch:
    """One thing that rules may differ in: its values with what each means, or the range of a number."""

    meaning: str
    values: dict[str, str] = field(default_factory=dict)
    low: int = 0
    high: int = 0
    also: str = ""  # what else may be written, in words

    @property
    def accepted(self) -> str:
        """What may be written, in words."""
        values = ", ".join(self.values) if self.values else f"a whole number from {self.low} to {self.high}"
        return f"{values}, or {self.also}" if self.also else values
