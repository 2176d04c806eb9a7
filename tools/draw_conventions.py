"""Draw the pictures of the page on Hanabi's conventions, in the style of the table's cards: `python tools/draw_conventions.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "kibitz" / "table" / "static" / "games" / "hanabi"
PAPER, GOLD, TOUCHED, TEXT, QUIET = "#fffaf0", "#f4c542", "#7fc7ff", "#f7f3e8", "#c9cdec"
RED, RED_DARK, HIDDEN = "#c22c39", "#8e1a26", "#3a4066"
DIAMOND = "M10 .6 18 10 10 19.4 2 10Z"
WIDTH, HEIGHT, TOP = 400, 200, 66
CARD, STEP, LEFT = 56, 72, 28  # a card is CARD wide and half as much again high


def text(x: float, y: float, words: str, size: int = 15, fill: str = TEXT, anchor: str = "middle", weight: int = 600) -> str:
    """Words in the page's font."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}">{words}</text>'


def card(x: float, y: float, rank: str = "", red: bool = False) -> str:
    """A card: hidden, or with the colour and rank that are known of it."""
    fill, ink = (RED, PAPER) if red else (HIDDEN, PAPER)
    shape = f'<path transform="translate(22 46) scale(2.8)" d="{DIAMOND}" fill="{RED_DARK}" opacity=".5"/>' if red else ""
    sign = f'<text x="50" y="94" font-size="{56 if rank else 48}" fill="{ink}" text-anchor="middle" font-weight="800" opacity="{1 if rank else 0.55}">{rank or "?"}</text>'
    return (
        f'<g transform="translate({x:g} {y:g}) scale({CARD / 100:g})"><rect x="1" y="1" width="98" height="148" rx="11" fill="{PAPER}"/>'
        f'<rect x="5" y="5" width="90" height="140" rx="8" fill="{fill}"/>{shape}{sign}</g>'
    )


def ring(x: float, y: float, colour: str) -> str:
    """A frame around a card: touched by a hint, or meant."""
    return f'<rect x="{x - 3:g}" y="{y - 3:g}" width="{CARD + 6}" height="{CARD * 1.5 + 6:g}" rx="9" fill="none" stroke="{colour}" stroke-width="4"/>'


def bubble(words: str, x: float = WIDTH / 2, fill: str = PAPER) -> str:
    """What is said, above the cards."""
    wide = 9.2 * len(words) + 28
    return f'<rect x="{x - wide / 2:g}" y="10" width="{wide:g}" height="30" rx="15" fill="{fill}"/>' + text(
        x, 30.5, words, 16, "#23262d", weight=700
    )


def hand(
    said: str,
    touched: tuple[int, ...] = (),
    labels: Mapping[int, str] | None = None,
    red: bool = False,
    ranks: str = "",
    tokens: bool = False,
) -> str:
    """Five cards under what is said; labels stand below the cards that are meant, slots count from 1."""
    parts = [bubble(said, WIDTH / 2 if not tokens else 116)]
    if tokens:
        parts += [f'<circle cx="{236 + 20 * at}" cy="25" r="7.5" fill="#4aa3e0"/>' for at in range(8)]
    for slot in range(1, 6):
        x = LEFT + STEP * (slot - 1)
        hit = slot in touched
        parts += [text(x + CARD / 2, TOP - 9, f"slot {slot}", 12, QUIET, weight=500), card(x, TOP, ranks if hit else "", red and hit)]
        label = (labels or {}).get(slot, "")
        if hit or label:
            parts.append(ring(x, TOP, GOLD if label else TOUCHED))
        if label:
            parts.append(
                text(
                    min(max(x + CARD / 2, 12 + 4.6 * len(label)), WIDTH - 12 - 4.6 * len(label)),
                    TOP + CARD * 1.5 + 28,
                    label,
                    17,
                    GOLD,
                    weight=800,
                )
            )
    return "".join(parts)


def twin() -> str:
    """A discard on the left, the newest card on the right."""
    discarded = (
        text(56, 30, "discarded:", 15)
        + card(28, TOP, "1", True)
        + f'<path d="M30 {TOP + 82}L82 {TOP + 2}" stroke="{PAPER}" stroke-width="5" stroke-linecap="round"/>'
    )
    cards = [text(270, 30, "your cards", 15, QUIET, weight=500)]
    for slot in range(1, 6):
        x = 126 + 54 * (slot - 1)
        scaled = card(0, 0, "1" if slot == 5 else "", slot == 5)
        cards += [
            text(x + 22, TOP + 8, f"slot {slot}", 11, QUIET, weight=500),
            f'<g transform="translate({x} {TOP + 16}) scale(.79)">{scaled}</g>',
        ]
    x = 126 + 54 * 4
    frame = f'<rect x="{x - 3}" y="{TOP + 13}" width="50" height="72" rx="8" fill="none" stroke="{GOLD}" stroke-width="4"/>'
    return discarded + "".join(cards) + frame + text(WIDTH - 12, TOP + CARD * 1.5 + 28, "the same card: play", 17, GOLD, "end", 800)


PICTURES = {
    "newest": lambda: hand("hint: red", (2, 4), {4: "play"}, red=True),
    "shows": lambda: hand("hint: 1", (1, 3), {1: "play", 3: "play"}, ranks="1"),
    "warning": lambda: hand("hint: 5", (1, 4), {1: "keep"}, ranks="5"),
    "silence": lambda: hand("plays a card, gives no hint", (), {1: "safe to discard"}),
    "twin": twin,
    "pass": lambda: hand("hint: 4", (1, 3), ranks="4", tokens=True) + text(WIDTH / 2, TOP + CARD * 1.5 + 28, "nothing more", 16, QUIET),
}


def drawn(name: str) -> str:
    """A whole picture. It has its own background, so that it looks the same on light and dark pages."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, Segoe UI, Noto Sans, sans-serif">\n'
        '<defs><radialGradient id="night" cy=".3" r="1.1"><stop stop-color="#2b3163"/><stop offset="1" stop-color="#14172f"/></radialGradient></defs>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="18" fill="url(#night)"/>\n{PICTURES[name]()}\n</svg>\n'
    )


def main(folder: Path) -> None:
    """Write all of them."""
    for name in PICTURES:
        (folder / f"convention-{name}.svg").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
