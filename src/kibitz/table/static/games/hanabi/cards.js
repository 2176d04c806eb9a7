// Hanabi's cards: drawn as SVG, open or with what is known of them, and their names in words.
//
//   <HanabiCard card="R1" label small />                    an open card
//   <HanabiCard card={null} colours="RYG" ranks="123" toldColour toldRank deck={{colours: "RYGWB", ranks: 5}} label small />
//                                   a hidden card: what it may still be; what was told is drawn large
//   <Marks colours ranks toldColour toldRank deck />        what hints have told of a card, as a line below an open one
//   cardText("R1") → "red 1" · possibleText({colours, ranks}, deck) → "red or white, any rank"

import { colourName, named, Shape, use } from "../../card_art.js";
import { html } from "../../vendor/preact.js";

/** @typedef {{ colours: string, ranks: number }} Deck */
/** @typedef {{ colours: string, ranks: string, toldColour: boolean, toldRank: boolean }} Known */

const COLOURS = "RYGWB";

/** @param {string | null | undefined} card */
export const cardText = (card) => (card ? `${colourName(card[0])} ${card.slice(1)}` : "hidden card");

const RAYS = Array.from({ length: 16 }, (_, ray) => {
  const angle = (ray * Math.PI) / 8;
  const [from, to] = ray % 2 ? [30, 40] : [30, 46];
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  return `M${(50 + from * x).toFixed(1)} ${(80 + from * y).toFixed(1)}L${(50 + to * x).toFixed(1)} ${(80 + to * y).toFixed(1)}`;
}).join("");

/** @param {{ card?: string | null, deck?: Deck, label?: string, small?: boolean } & Partial<Known>} props */
export function HanabiCard({ card = null, colours = "", ranks = "", toldColour = false, toldRank = false, deck, label, small = false }) {
  if (!card) return html`<${Hidden} ...${{ colours, ranks, toldColour, toldRank, deck, label, small }} />`;
  const letter = card[0].toLowerCase();
  return html`<svg class=${`card face hanabi c-${letter}${small ? " small" : ""}`} viewBox="0 0 100 150" ...${named(label ?? cardText(card))}>
    <rect class="paper" x="1" y="1" width="98" height="148" rx="11" />
    <rect class="field" x="5" y="5" width="90" height="140" rx="8" />
    <path class="rays" d=${RAYS} />
    ${use(`shape-${letter}`, 22, 52, 56, "ghost")}
    <text class="ink centre" x="50" y="100">${card.slice(1)}</text>
    <text class="ink corner" x="11" y="32">${card.slice(1)}</text>
    ${use(`shape-${letter}`, 66, 11, 23, "ink")}
  </svg>`;
}

/** @param {Partial<Known>} known */
export function possibleText({ colours = "", ranks = "" }, deck = { colours: COLOURS, ranks: 5 }) {
  const all = (/** @type {string} */ text, /** @type {number} */ count) => text.length >= count;
  const colour = all(colours, deck.colours.length) ? "any colour" : [...colours].map(colourName).join(" or ");
  const rank = all(ranks, deck.ranks) ? "any rank" : [...ranks].join(" or ");
  return `${colour}, ${rank}`;
}

/** @param {{ deck?: Deck, label?: string, small: boolean } & Known} props */
function Hidden({ colours, ranks, toldColour, toldRank, deck = { colours: COLOURS, ranks: 5 }, label, small }) {
  const one = colours.length === 1 ? colours.toLowerCase() : null;
  const text = label ?? `hidden card: ${possibleText({ colours, ranks }, deck)}`;
  const step = 86 / deck.colours.length;
  return html`<svg class=${`card hidden-card${one ? ` c-${one} known` : ""}${small ? " small" : ""}`} viewBox="0 0 100 150" ...${named(text)}>
    <rect class="paper" x="1" y="1" width="98" height="148" rx="11" />
    <rect class="field" x="5" y="5" width="90" height="140" rx="8" />
    ${one ? use(`shape-${one}`, 22, 40, 56, "ghost") : null}
    <text class=${`ink centre${ranks.length === 1 ? "" : " unknown"}`} x="50" y="88">${ranks.length === 1 ? ranks : "?"}</text>
    ${[...deck.colours].map((letter, at) =>
      colours.includes(letter)
        ? use(`shape-${letter.toLowerCase()}`, 7 + step * at + (step - 15) / 2, 12, 15, `c-${letter.toLowerCase()} own`)
        : html`<circle class="gone" cx=${7 + step * (at + 0.5)} cy="19.5" r="1.8" />`,
    )}
    ${Array.from({ length: deck.ranks }, (_, at) => {
      const x = 7 + (86 / deck.ranks) * (at + 0.5);
      return ranks.includes(String(at + 1))
        ? html`<text class="ink possible" x=${x} y="136">${at + 1}</text>`
        : html`<circle class="gone" cx=${x} cy="131" r="1.8" />`;
    })}
    ${toldColour && html`<rect class="told" x="8" y="30" width="84" height="3" rx="1.5" />`}
    ${toldRank && html`<rect class="told" x="8" y="117" width="84" height="3" rx="1.5" />`}
  </svg>`;
}

/** @param {{ deck?: Deck } & Partial<Known>} props */
export function Marks({ colours = "", ranks = "", toldColour = false, toldRank = false, deck = { colours: COLOURS, ranks: 5 } }) {
  const knows = possibleText({ colours, ranks }, deck);
  return html`<span class="marks" role="img" aria-label=${`knows: ${knows}`} title=${`knows: ${knows}`}>
    <span class=${toldColour ? "told" : ""}>${[...deck.colours].map((letter) =>
      colours.includes(letter) ? html`<${Shape} colour=${letter} />` : html`<i class="gone" />`,
    )}</span>
    <span class=${toldRank ? "told" : ""}>${Array.from({ length: deck.ranks }, (_, at) =>
      ranks.includes(String(at + 1)) ? html`<b>${at + 1}</b>` : html`<i class="gone" />`,
    )}</span>
  </span>`;
}
