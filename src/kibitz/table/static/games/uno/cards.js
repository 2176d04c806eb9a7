// UNO's cards: drawn as SVG, and their names in words.
//
//   <UnoCard card="r5" called="g" label small dim />       `called`: the colour a wild was called to be
//   cardText("r5") → "red 5" · cardText("wild+4") → "wild draw four"
//   inOrder(cards) → sorted for a hand · points(card) · isWild(card) · isCard(action) · cardOf(action)

import { colourName, named, use } from "../../card_art.js";
import { html } from "../../vendor/preact.js";

export const COLOURS = "rgby";

/** @type {Record<string, string>} */
const VALUES = { skip: "skip", rev: "reverse", "+2": "draw two" };
/** @type {Record<string, string>} */
const WILDS = { wild: "wild", "wild+4": "wild draw four", wildshuffle: "wild shuffle hands", wildcustom: "wild customizable" };

// -- names --

/** @param {string} card */
export const isWild = (card) => card in WILDS;
/** @param {string} card */
export const valueOf = (card) => (isWild(card) ? card.slice(4) : card.slice(1));

// The card that an action plays: a wild is played with the colour that is called, `wild:r`.
/** @param {string} action */
export const cardOf = (action) => action.split(":")[0];
/** @param {string} action */
export const isCard = (action) => isWild(cardOf(action)) || /^[rgby](\d|skip|rev|\+2)$/.test(action);

/** @param {string | null} card */
export function cardText(card) {
  if (!card) return "hidden card";
  if (isWild(card)) return WILDS[card];
  const value = valueOf(card);
  return `${colourName(card[0])} ${VALUES[value] ?? value}`;
}

/** @param {string} card */
export function points(card) {
  if (isWild(card)) return card === "wild" || card === "wild+4" ? 50 : 40;
  const value = valueOf(card);
  return value in VALUES ? 20 : Number(value);
}

const ORDER = "rygb";
const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "skip", "rev", "+2"];
/** @param {string} card */
const place = (card) =>
  isWild(card) ? 100 + Object.keys(WILDS).indexOf(card) : 13 * ORDER.indexOf(card[0]) + RANKS.indexOf(valueOf(card));
/** @param {string[]} cards */
export const inOrder = (cards) => [...cards].sort((one, other) => place(one) - place(other));

// -- drawings --

// Each in a box of 40 by 40: lines with their width, and what is filled.
/** @typedef {{ width: number, line: string, fill: string }} Icon */

const SKIP = { width: 5.5, line: "M20 4.5a15.5 15.5 0 1 1 0 31 15.5 15.5 0 0 1 0-31ZM9.5 30.5l21-21", fill: "" };
const REVERSE = {
  width: 0,
  line: "",
  fill: "M5 17V12.5A7.5 7.5 0 0 1 12.5 5H24V0l12 8.2L24 16.5v-5H13.5a2 2 0 0 0-2 2V17ZM35 23v4.5a7.5 7.5 0 0 1-7.5 7.5H16v5L4 31.8 16 23.5v5h10.5a2 2 0 0 0 2-2V23Z",
};
const SHUFFLE = {
  width: 4.5,
  line: "M3 11h7c8 0 11 18 19 18h3M3 29h7c3 0 5-2.5 7-6m5-6c2-3.5 4-6 7-6h3",
  fill: "M31 4.5 39 11l-8 6.5ZM31 22.5 39 29l-8 6.5Z",
};
/** @type {Record<string, Icon>} */
const ICONS = { skip: SKIP, rev: REVERSE };

/**
 * @param {Icon} icon
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
const draw = ({ width, line, fill }, x, y, size) => html`<g class="ink" transform=${`translate(${x} ${y}) scale(${size / 40})`}>
  <path fill="none" stroke="currentColor" stroke-width=${width} d=${line} /><path fill="currentColor" d=${fill} />
</g>`;

/** @param {{ card: string, value: string }} props */
function Corner({ card, value }) {
  const wild = isWild(card);
  return html`
    ${value in ICONS ? draw(ICONS[value], 8, 9, 20) : html`<text class="ink corner" x="9" y="28">${wild ? (value.startsWith("+") ? value : "W") : value}</text>`}
    ${!wild && use(`shape-${card[0]}`, 9.5, 34, 16, "ink")}
    ${(value === "6" || value === "9") && html`<rect class="ink" x="9.5" y="30" width="13" height="2" />`}`;
}

/** @param {{ card: string, value: string }} props */
function Centre({ card, value }) {
  if (isWild(card)) {
    const corners = /** @type {[string, number, number][]} */ ([
      ["r", 19, 42],
      ["y", 51, 42],
      ["b", 19, 76],
      ["g", 51, 76],
    ]);
    const mark = value === "shuffle" ? draw(SHUFFLE, 35, 60, 30) : null;
    return html`
      ${corners.map(([letter, x, y]) => use(`shape-${letter}`, x, y, 30, `c-${letter} own`))}
      ${value === "+4" && html`<text class="ink centre onwild" x="50" y="94">+4</text>`}
      ${value === "custom" && html`<text class="ink centre onwild" x="50" y="94">?</text>`}
      ${mark && html`<circle class="onmark" cx="50" cy="75" r="20" />${mark}`}`;
  }
  return html`
    ${use(`shape-${card[0]}`, 7, 32, 86, "ghost")}
    ${value in ICONS ? draw(ICONS[value], 28, 53, 44) : html`<text class=${`ink centre${value.length > 1 ? " two" : ""}`} x="50" y=${value.length > 1 ? 91 : 97}>${value}</text>`}`;
}

/** @param {{ card: string, called?: string | null, label?: string, small?: boolean, dim?: boolean }} props */
export function UnoCard({ card, called = null, label, small = false, dim = false }) {
  const value = valueOf(card);
  const colour = isWild(card) ? "wild" : card[0];
  const text = label ?? cardText(card) + (called && isWild(card) ? `, ${colourName(called)} was called` : "");
  return html`<svg class=${`card face c-${colour}${small ? " small" : ""}${dim ? " dim" : ""}`} viewBox="0 0 100 150" ...${named(text)}>
    <rect class="paper" x="1" y="1" width="98" height="148" rx="11" />
    <rect class="field" x="5" y="5" width="90" height="140" rx="8" />
    <${Centre} card=${card} value=${value} />
    <${Corner} card=${card} value=${value} />
    <g transform="rotate(180 50 75)"><${Corner} card=${card} value=${value} /></g>
    ${called && isWild(card) && html`<g class=${`c-${called}`}><rect class="called" x="3" y="3" width="94" height="144" rx="9" /></g>`}
  </svg>`;
}
