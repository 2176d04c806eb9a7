"""Studies of UNO: where each is, and what its command says of itself in a list of commands."""

from __future__ import annotations

KINDS = {
    "study rules": ("kibitz.experiments.studies.uno.rules_and_contests.study:StudyRules", "How much do rules matter?"),
    "study contests": (
        "kibitz.experiments.studies.uno.rules_and_contests.study:StudyContests",
        "Why does a strategy that wins half its deals win most of its contests?",
    ),
    "study expectiminimax": (
        "kibitz.experiments.studies.uno.expectiminimax.study:StudyExpectiminimax",
        "How good is expectiminimax, and how far are its values off?",
    ),
    "study perceptrons": (
        "kibitz.experiments.studies.uno.perceptrons.study:StudyPerceptrons",
        "How strong do perceptrons that score cards get?",
    ),
    "study skill": ("kibitz.experiments.studies.uno.skill.study:StudySkill", "How much of UNO is skill?"),
}
