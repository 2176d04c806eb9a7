#!/usr/bin/env python3
"""A language model plays UNO: a program that speaks Kibitz's protocol and asks any address with OpenAI's /chat/completions.

    export OPENAI_API_KEY=…                                   not needed for a model on your own machine
    kibitz tournament examples/gallery/llm_tournament.toml    ten games against mix2; name your model and address in the file

Plain Python without further packages. The program needs the network, so the file marks it as `trusted`: it is not confined.

The model sees the view in words and the legal actions as a numbered list. Nothing it answers is mended: what is not one of the numbers
goes to the referee as it stands, and is a fault. So is a question that gets no answer in time or within the budget of tokens.
The key comes from the environment only. It is sent to the address and nowhere else: never printed, never kept, and no redirect is followed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, TextIO

RULES = (
    "You are playing UNO. A card fits if it has the colour or the value of the top card; wild cards always fit. Whoever plays the last card "
    "first wins the points of all cards that the others still hold. Answer with the number of one action and nothing else."
)
COLOURS = {"r": "red", "g": "green", "b": "blue", "y": "yellow"}
SIGNS = {"skip": "Skip", "rev": "Reverse", "+2": "Draw Two"}
WILDS = {"wild": "Wild", "wild+4": "Wild Draw Four", "wildshuffle": "Wild Shuffle Hands", "wildcustom": "Wild Customizable"}
OTHERS = {
    "draw": "draw a card",
    "keep": "keep the card just drawn",
    "accept": "draw the cards",
    "challenge": "challenge the Wild Draw Four",
}
LARGEST_REPLY = 1 << 20  # bytes that are read of a reply
LONGEST_ANSWER = 80  # characters of it that the referee gets to see if it is no number
MARGIN = 0.1  # of the time for a decision that is left for the way back


def card_words(card: str) -> str:
    return WILDS.get(card) or f"{COLOURS[card[0]]} {SIGNS.get(card[1:], card[1:])}"


def action_words(action: str) -> str:
    name, _, colour = action.partition(":")
    if colour in COLOURS:
        return f"play {card_words(name)} and call {COLOURS[colour]}"
    return OTHERS.get(action) or (f"play {card_words(action)}" if action[0] in COLOURS and action[1:] else action)


def question(view: dict[str, Any], legal: list[str]) -> str:
    """A decision in words."""
    players = len(view["hand_sizes"])
    after = [(view["seat"] + places * view["direction"]) % players for places in range(1, players)]
    lines = [
        f"Top card: {card_words(view['top'])}. Current colour: {COLOURS.get(view['colour'], 'none')}.",
        f"Your hand: {', '.join(map(card_words, view['hand']))}.",
        f"Cards held by the others in order of play: {', '.join(str(view['hand_sizes'][seat]) for seat in after)}.",
        f"Cards in the draw pile: {view['pile_size']}. Decision: {view['phase']}.",
        "Your legal actions:",
        *(f"{number}. {action_words(action)}" for number, action in enumerate(legal, 1)),
    ]
    return "\n".join(lines)


class NoAnswer(Exception):
    """The model could not be asked, or not in time."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could lead the key elsewhere."""

    def redirect_request(self, *request: Any) -> None:
        return None


def too_late(*_: Any) -> None:
    raise TimeoutError("no reply in time")


class Model:
    """An address to ask, with its limits."""

    def __init__(self, url: str, name: str, key: str, call_tokens: int, game_tokens: int) -> None:
        self.url, self.name, self._key = url.rstrip("/") + "/chat/completions", name, key
        self.call_tokens, self.game_tokens, self.spent = call_tokens, game_tokens, 0
        self._opener = urllib.request.build_opener(NoRedirect)

    def safe(self, text: str) -> str:
        """A text without the key, whoever put it there."""
        return text.replace(self._key, "(key)") if self._key else text

    def ask(self, text: str, deadline: float) -> str:
        """The model's answer; failures that may pass are tried again, with growing pauses, until the deadline."""
        messages = [{"role": "system", "content": RULES}, {"role": "user", "content": text}]
        expected = sum(len(message["content"]) for message in messages) // 4 + self.call_tokens  # a token has about four characters
        pause = 0.25
        while True:
            if self.spent + expected > self.game_tokens:
                raise NoAnswer(f"the budget of {self.game_tokens} tokens per game is spent")
            try:
                reply = self._post({"model": self.name, "messages": messages, "max_tokens": self.call_tokens}, deadline - time.monotonic())
                used = (reply.get("usage") or {}).get("total_tokens")
                self.spent += expected if used is None else max(int(used), 0)
                return reply["choices"][0]["message"]["content"] or ""
            except urllib.error.HTTPError as error:
                what, passes = f"status {error.code}", error.code in (408, 409, 429) or error.code >= 500
                wait = error.headers.get("Retry-After", "")
                pause = max(pause, float(wait)) if wait.isdigit() else pause
            except (OSError, http.client.HTTPException) as error:
                self.spent += expected  # nobody knows whether it was answered
                what, passes = str(getattr(error, "reason", error)) or type(error).__name__, True
            except (ValueError, KeyError, IndexError, TypeError, AttributeError):
                what, passes = "a reply that is not understood", False
            if not passes or time.monotonic() + pause >= deadline:
                raise NoAnswer(self.safe(what))
            print(f"{self.safe(what)}; trying again in {pause:g} s", file=sys.stderr, flush=True)
            time.sleep(pause)
            pause *= 2

    def _post(self, body: dict[str, Any], seconds: float) -> Any:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        signal.signal(signal.SIGALRM, too_late)  # for the whole of a reply, however slowly it comes
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01))
        try:
            with self._opener.open(request) as reply:
                return json.loads(reply.read(LARGEST_REPLY))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def decide(model: Model, message: dict[str, Any], begun: float) -> str:
    """The action that the model names, or what it says instead, which the referee will not accept."""
    try:
        said = model.ask(question(message["view"], message["legal"]), begun + message["seconds"] * (1 - MARGIN)).strip()
    except NoAnswer as none:
        print(f"no answer: {none}", file=sys.stderr, flush=True)
        return f"no answer: {none}"[:LONGEST_ANSWER]
    number = int(said) if said.isdecimal() and len(said) < 4 else 0
    return message["legal"][number - 1] if 1 <= number <= len(message["legal"]) else model.safe(said)[:LONGEST_ANSWER]


def play(model: Model, lines: TextIO) -> None:
    """Answer the referee until it says goodbye."""
    for line in lines:
        begun, message = time.monotonic(), json.loads(line)
        answer = None
        if message["type"] == "hello":
            if message["game"] != "uno":
                raise SystemExit("this player knows UNO only")
            answer = {"type": "hello", "protocol": 1, "name": model.name}
        elif message["type"] == "game":
            model.spent = 0
        elif message["type"] == "decide":
            answer = {"type": "action", "id": message["id"], "action": decide(model, message, begun)}
        elif message["type"] == "bye":
            return
        if answer:
            print(json.dumps(answer), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://localhost:11434/v1", help="the address before /chat/completions")
    parser.add_argument("--model", required=True, help="the model's name there")
    parser.add_argument("--key-from", default="OPENAI_API_KEY", help="the environment variable that holds the key")
    parser.add_argument("--call-tokens", type=int, default=16, help="most tokens of an answer")
    parser.add_argument("--game-tokens", type=int, default=50_000, help="most tokens of a game, questions included")
    asked = parser.parse_args()
    key = os.environ.get(asked.key_from, "").strip()
    place = urllib.parse.urlsplit(asked.url)
    if place.scheme not in ("https", "http") or not place.hostname:
        parser.error(f"--url {asked.url} is not accepted; it is an address that begins with https:// or http://.")
    if key and place.scheme == "http" and place.hostname not in ("localhost", "127.0.0.1", "::1"):
        parser.error("a key is sent over https:// only, or to this machine.")
    play(Model(asked.url, asked.model, key, asked.call_tokens, asked.game_tokens), sys.stdin)


if __name__ == "__main__":
    main()
