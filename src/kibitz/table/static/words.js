// Sentences of the game with the cards in them drawn as little tags: "mix2 plays y3." shows a yellow star and a 3.

import { cardText, isWild, Shape, valueOf } from "./cards.js";
import { CARD_IN_TEXT } from "./speech.js";
import { html } from "./vendor/preact.js";

const SIGNS = { skip: "⊘", rev: "⇄" };

export function CardTag({ card }) {
  if (isWild(card)) return html`<span class="card-tag c-wild">${cardText(card)}</span>`;
  const value = valueOf(card);
  return html`<span class=${`card-tag c-${card[0].toLowerCase()}`}>
    <span class="unseen">${cardText(card)}</span><${Shape} colour=${card[0]} /><span aria-hidden="true">${SIGNS[value] ?? value}</span>
  </span>`;
}

const VALUES = { Skip: "skip", Reverse: "rev", "Draw Two": "+2" };
const WILDS = { Wild: "wild", "Wild Draw Four": "wild+4", "Wild Shuffle Hands": "wildshuffle", "Wild Customizable": "wildcustom" };

// The short name of a card in either form.
function shortName(text) {
  if (text in WILDS) return WILDS[text];
  const space = text.indexOf(" ");
  return space < 0 ? text : text[0] + (VALUES[text.slice(space + 1)] ?? text.slice(space + 1));
}

export function Words({ text }) {
  return text.split(CARD_IN_TEXT).map((part, at) => (at % 2 ? html`<${CardTag} card=${shortName(part)} />` : part));
}
