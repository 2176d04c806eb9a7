// Sentences of a game with the cards in them drawn as little tags: "mix2 plays y3." shows a yellow star and a 3.
//
//   <CardSentence text face />                face: of faces.js; it knows its cards
//   spoken(text, face)                        the same with cards in words, for a screen reader: "mix2 plays yellow 3."
//   <ColourTag colour="y" label="yellow 3" sign="3" />      one such tag

import { Shape } from "./card_art.js";
import { html } from "./vendor/preact.js";

/** @import { Face } from "./types.js" */

/** @param {{ colour: string, label: string, sign: string }} props */
export function ColourTag({ colour, label, sign }) {
  return html`<span class=${`card-tag c-${colour.toLowerCase()}`}>
    <span class="unseen">${label}</span><${Shape} colour=${colour} /><span aria-hidden="true">${sign}</span>
  </span>`;
}

/** @param {{ text: string, face: Face | null }} props */
export function CardSentence({ text, face }) {
  if (!face?.cardPattern) return text;
  return text.split(face.cardPattern).map((part, at) => (at % 2 ? html`<${face.CardTag} card=${face.cardNamed(part)} />` : part));
}

/**
 * @param {string} text
 * @param {Face | null | undefined} face
 */
export function spoken(text, face) {
  if (!face?.cardPattern) return text;
  return text.replace(face.cardPattern, (card) => face.cardText(face.cardNamed(card)));
}
