"""Does memory help? Networks that remember different things, trained alike and measured alike, as on docs/findings/memory.md.

python tools/study_memory.py FOLDER [--games N] [--seeds N] [--final N]    writes FOLDER/memory.svg and prints the table

Trainings go into FOLDER, one file for each memory and seed. What is there already is not done again, and a training that was broken off goes on, so
Ctrl-C loses no more than a few seconds. 250,000 games each take about 40 minutes on two quiet cores, all together.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import kibitz
from kibitz import registry
from kibitz.experiments.training.checkpoint import checkpoint_of
from kibitz.experiments.training.uno.net.training import MEMORIES
from kibitz.report.plotting import COLOURS, load_pyplot, save_figure

OPPONENTS = ("mix2", "linear")
FRESH = 7  # a seed that no training has
LEARNED_AGAINST = "mix2,mix2,linear,self"
NAMES = {"nothing": "nothing", "events": "events (GRU)", "sightings": "sightings", "both": "both"}  # in the order of the page

Results = dict[str, list[float]]  # "memory seed opponent": share of games won, and its standard error


def train(out: Path, memory: str, seed: int, games: int) -> None:
    """Train a network, or go on with it."""
    words = ["--out", str(out)]
    if checkpoint_of(out).exists():
        words.append("--resume")
    else:
        words += ["--against", LEARNED_AGAINST, "--games", str(games), "--learning-rate", "0.004", "--seed", str(seed), "--memory", memory]
    subprocess.run([sys.executable, "-m", "kibitz", "train", "net", *words], check=True)


def network_of(folder: Path, memory: str, seed: int, games: int) -> Path:
    """Where a network lies that has learned from so many games."""
    return folder / f"{memory}-{games}-{seed}.npz"


def measure(folder: Path, seeds: int, learned: int, games: int) -> Results:
    """Win rates of all networks against all opponents, kept in a file as they come."""
    kept = folder / f"results-{learned}-{games}.json"
    results: Results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for memory in NAMES:
        for seed in range(1, seeds + 1):
            for opponent in OPPONENTS:
                key = f"{memory} {seed} {opponent}"
                if key not in results:
                    bot = registry.entrant(f"net:{network_of(folder, memory, seed, learned)}").name
                    found = kibitz.match([bot, opponent], games=games, seed=FRESH, seating="rotate")[bot]
                    results[key] = [found.win_rate, found.win_rate_se]
                    kept.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return results


def pooled(results: Results, memory: str, opponent: str, seeds: int) -> tuple[float, float]:
    """The mean over the trainings, and its standard error from the games that measured them: at its largest, since all meet the same deals."""
    found = [results[f"{memory} {seed} {opponent}"] for seed in range(1, seeds + 1)]
    return sum(rate for rate, _ in found) / seeds, sum(error for _, error in found) / seeds


def table(results: Results, seeds: int) -> str:
    """The table of the page."""
    heads = [f"v {opponent}, {part}" for opponent in OPPONENTS for part in (*[f"seed {seed + 1}" for seed in range(seeds)], "mean")]
    lines = [f"| remembers | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(heads)}"]
    for memory, name in NAMES.items():
        cells = []
        for opponent in OPPONENTS:
            cells += [results[f"{memory} {seed + 1} {opponent}"] for seed in range(seeds)]
            cells.append(list(pooled(results, memory, opponent, seeds)))
        lines.append(f"| {name} | {' | '.join(f'{100 * rate:.2f} ± {100 * error:.2f}' for rate, error in cells)} |")
    return "\n".join(lines)


def draw(results: Results, seeds: int, path: Path) -> None:
    """One dot for each training, with bars of two standard errors either way."""
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(1, len(OPPONENTS), figsize=(8.4, 3.0), layout="constrained", sharey=True)
    for axis, opponent in zip(axes, OPPONENTS, strict=True):
        for place, memory in enumerate(NAMES):
            for seed in range(1, seeds + 1):
                rate, error = results[f"{memory} {seed} {opponent}"]
                height = -place - 0.16 * (seed - (seeds + 1) / 2)
                axis.errorbar(100 * rate, height, xerr=200 * error, marker="o", markersize=4.5, color=COLOURS[place], capsize=2)
        axis.set_title(f"games won in % v {opponent}", fontsize="medium")
        axis.grid(axis="x", linewidth=0.3)
    axes[0].set_yticks([-place for place in range(len(NAMES))], list(NAMES.values()))
    axes[0].set_ylabel("remembers")
    figure.supxlabel("one dot for each training; bars: ± two standard errors", fontsize="small")
    save_figure(figure, path)


def main() -> None:
    """Train what is missing, measure, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=250_000, help="games that each network learns from")
    parser.add_argument("--seeds", type=int, default=2, help="networks of each kind")
    parser.add_argument("--final", type=int, default=100_000, help="games that measure each against each opponent")
    asked = parser.parse_args()
    if not 1 <= asked.seeds < FRESH:
        parser.error(f"--seeds {asked.seeds} is out of range: 1 to {FRESH - 1}, since seed {FRESH} is for measuring.")
    asked.folder.mkdir(parents=True, exist_ok=True)
    for memory in MEMORIES:
        for seed in range(1, asked.seeds + 1):
            out = network_of(asked.folder, memory, seed, asked.games)
            if not out.exists():
                train(out, memory, seed, asked.games)
    results = measure(asked.folder, asked.seeds, asked.games, asked.final)
    draw(results, asked.seeds, asked.folder / "memory.svg")
    print(table(results, asked.seeds))


if __name__ == "__main__":
    main()
