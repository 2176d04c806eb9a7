"""The learning curves of examples/gallery, as on docs/gallery.md: python tools/draw_gallery.py FOLDER [--plot FILE]

Runs every example that trains and keeps what it prints in FOLDER/NAME.txt; what is there already is not run again. Then draws all curves.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from kibitz.report.plotting import COLOURS, load_pyplot, save_figure

ROOT = Path(__file__).parent.parent
TITLES = {  # in the order of the page
    "ppo_vector": "PPO, vector environment",
    "maskable_ppo": "MaskablePPO",
    "torchrl_ppo": "PPO of TorchRL",
    "tianshou_ppo": "PPO of Tianshou",
    "rlcard_dqn": "DQN of RLCard",
}
COLUMNS = 3
_POINT = re.compile(r"^ *([\d,]+) (\w+): ([\d.]+) ± ([\d.]+) % won against (\w+)$", re.MULTILINE)


class Curve(NamedTuple):
    """How an example learned: what it counts, against whom it is measured, and for each count the share of games won with its error."""

    unit: str
    opponent: str
    points: list[tuple[int, float, float]]


def printed(name: str, folder: Path) -> str:
    """What an example prints; it is run only once."""
    kept = folder / f"{name}.txt"
    if not kept.exists():
        program = [sys.executable, str(ROOT / "examples" / "gallery" / f"{name}.py")]
        done = subprocess.run(program, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True)
        kept.write_text(done.stdout, encoding="utf-8")
    return kept.read_text(encoding="utf-8")


def curve_in(text: str) -> Curve:
    """The learning curve in what an example printed."""
    found = _POINT.findall(text)
    if not found:
        raise SystemExit(f"there is no learning curve in: {text[:200]}")
    points = [(int(count.replace(",", "")), float(won), float(error)) for count, _, won, error, _ in found]
    return Curve(found[0][1], found[0][4], points)


def draw(curves: dict[str, Curve], path: Path) -> None:
    """A panel for each example, with bars of two standard errors either way."""
    pyplot = load_pyplot()
    rows = -(-len(curves) // COLUMNS)
    figure, axes = pyplot.subplots(rows, COLUMNS, figsize=(8.4, 2.4 * rows), layout="constrained", squeeze=False)
    for axis in axes.flat[len(curves) :]:
        axis.set_visible(False)
    for axis, colour, (name, curve) in zip(axes.flat, COLOURS, curves.items(), strict=False):
        largest = max(count for count, _, _ in curve.points)
        size, letter = (1e6, "million ") if largest >= 1e6 else (1e3, "thousand ")
        counts = [count / size for count, _, _ in curve.points]
        rates, errors = [won for _, won, _ in curve.points], [2 * error for _, _, error in curve.points]
        axis.errorbar(counts, rates, errors, color=colour, marker="o", markersize=3, linewidth=1)
        axis.axhline(50, color="#888888", linewidth=0.7, linestyle="--")
        axis.set_title(TITLES[name], fontsize="medium")
        axis.set_xlabel(f"{letter}{curve.unit}", fontsize="small")
        axis.set_ylabel(f"won v {curve.opponent}, %", fontsize="small")
        axis.set_xlim(left=0)
        axis.set_ylim(0, 65)
        axis.set_yticks([0, 25, 50])
        axis.grid(axis="y", linewidth=0.3)
    save_figure(figure, path)


def main() -> None:
    """Run what is missing, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "images" / "gallery.svg")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    draw({name: curve_in(printed(name, asked.folder)) for name in TITLES}, asked.plot)


if __name__ == "__main__":
    main()
