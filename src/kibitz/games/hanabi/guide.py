"""How `smart` plays, for people who play with it: the page that the browser, the terminal and the docs show.

The pictures are drawn by `tools/draw_conventions.py`.
"""

from __future__ import annotations

from kibitz.games.face import Guide, GuidePart

GUIDE = Guide(
    bot="smart",
    title="How smart plays",
    about=(
        "smart reads a meaning into every move, and expects you to do the same. Slot 1 holds your oldest card; a new card always comes last. "
        "Two copies of smart reach 23 of 25 points with what you read here in two minutes."
    ),
    parts=(
        GuidePart(
            "A hint means: play the newest card it touches",
            "A hint on a card that isn't obviously playable means: play the newest card it touches. More exactly: of the touched cards "
            "that may be playable, the newest one is. Older ones can be anything. So when you give a hint, look at the newest card first.",
            "Of the touched cards that may be playable, the newest one is.",
            "convention-newest.svg",
            "Your five hidden cards. The hint “red” touches slots 2 and 4. Slot 4, the newer one, is marked “play”.",
        ),
        GuidePart(
            "Unless it shows a playable card by itself",
            "If the hint alone proves that some card can be played, it means just that, and nothing about the newest card. "
            "At the start every 1 is playable, so a hint of 1s says: play them all.",
            "Then it means just that. At the start: play all 1s.",
            "convention-shows.svg",
            "No pile has begun. The hint “1” touches slots 1 and 3. Both are marked “play”.",
        ),
        GuidePart(
            "A rank hint on the next discard is a warning",
            "Everybody knows which card a player throws away next: the one most likely to be useless, and of equals the oldest. At first that is slot 1. "
            "If the next player is told the rank of that card and it could be the last copy of its kind, it means: keep it.",
            "Most likely useless cards go first, else slot 1. Warned: keep it.",
            "convention-warning.svg",
            "Slot 1 would be discarded next. The hint “5” touches slots 1 and 4. Slot 1 is marked “keep”.",
        ),
        GuidePart(
            "No warning means: safe to discard",
            "The player before you could have warned you and did something else? Then your next discard is not a last copy. smart reads your silence in the "
            "same way: before it throws away a card that you can't replace, warn it, or give it something to play instead.",
            "Who could warn you and doesn't says: your next discard is no last copy.",
            "convention-silence.svg",
            "The player before you plays a card instead of giving a hint. Your slot 1 is marked “safe to discard”.",
        ),
        GuidePart(
            "Discarding a playable card points out its twin",
            "A player who discards a card that everybody knows to be playable says: somebody else's newest card is the same one. "
            "If you see it in no other hand, it is yours. Play it.",
            "It is somebody's newest card: yours, if you see it in no other hand.",
            "convention-twin.svg",
            "Your partner discards a red 1 that everybody knew to be playable. Your newest card, slot 5, is marked “red 1: play”.",
        ),
        GuidePart(
            "With all tokens there, a rank hint may only pass the turn",
            "Nothing can be discarded while all eight tokens are there. A rank hint that touches the oldest card of the player before then means nothing more. "
            "With two players, that is every rank hint on slot 1.",
            "It touches the oldest card of the player before and means nothing more.",
            "convention-pass.svg",
            "All eight tokens are there. The hint “4” touches slots 1 and 3. Nothing is marked.",
        ),
        GuidePart(
            "If you break a convention",
            "smart notices and goes on. After a hint that misleads it, it takes your hints literally until one is right. If you pass over a card it meant, it stops "
            "counting on that. On the last life it then plays only what hints prove. The list of moves says after each move what it means; you can turn that off.",
            "If misled, smart takes your hints literally until one is right.",
        ),
    ),
    key="c",
    where="docs/hanabi-conventions.md",
)
