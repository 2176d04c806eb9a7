"""Trainings of UNO: where each is, and what its command says of itself in a list of commands."""

from __future__ import annotations

KINDS = {
    "train linear": ("kibitz.experiments.training.uno.linear:TrainLinear", "Train the weights of the bot linear, by policy gradient."),
    "train perceptron": (
        "kibitz.experiments.training.uno.perceptron.training:TrainPerceptron",
        "Train a perceptron that scores cards, by playing.",
    ),
    "train net": ("kibitz.experiments.training.uno.net.training:TrainNet", "Train the network of the bot net by PPO (needs PyTorch)."),
}
