"""Draw the README's picture: a verdict and the start of a game, as they look in a terminal.

python tools/picture.py docs/images/kibitz.svg
"""

from __future__ import annotations

import io
import re
import sys
from itertools import islice
from pathlib import Path

from rich.console import Console

import kibitz
from kibitz.experiments.result_tables import print_result
from kibitz.report.transcript import transcript


def main(path: Path) -> None:
    """Record both commands and write them as one drawing without outside fonts."""
    console = Console(record=True, width=96, force_terminal=True, color_system="truecolor", file=io.StringIO(), highlight=False)
    console.print("$ kibitz evaluate mix2 mix2:points score --games 1000000", style="bold green")
    print_result(kibitz.evaluate(["mix2", "mix2:points", "score"], games=1_000_000), console)
    console.print("$ kibitz watch mix2 greedy random --seed 3", style="bold green")
    for line in islice(transcript(kibitz.play(["mix2", "greedy", "random"], seed=3)), 19):
        console.print(line)
    drawing = console.export_svg(title="kibitz")
    drawing = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(drawing.replace("Fira Code", "ui-monospace, Menlo, Consolas"), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
