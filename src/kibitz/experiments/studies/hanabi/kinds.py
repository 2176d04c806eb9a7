"""Studies of Hanabi: where each is, and what its command says of itself in a list of commands."""

from __future__ import annotations

KINDS = {
    "study crossplay": (
        "kibitz.experiments.studies.hanabi.crossplay.study:StudyCrossplay",
        "Which bots play well with strangers?",
    ),
}
