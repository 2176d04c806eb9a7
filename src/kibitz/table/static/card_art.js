// What cards are drawn of: colours by their letters, a shape for each, the back of a card. A game's own cards are drawn in its folder.
// Every colour has its own shape, so that colour is never the only mark.
//
//   <Shapes />                      once on the page (app.js does it): the shapes that all drawings use
//   <Shape colour="r" />            a colour's shape, as an icon; letters of either case
//   <CardBack label small />        any card from behind
//   named(label), use(what, x, y, size, kind)      attributes and parts of an <svg> that is a card
//   colourName("r") → "red" · SHAPE_NAMES.r → "diamond"
//   Cards are <svg role="img"> with a label in words (label="" hides them from readers, for use inside a labelled button). They fill
//   their box's width at 2:3; .card.small is a fixed 40 px wide.

import { html } from "./vendor/preact.js";

/** @type {Record<string, string>} */
const COLOUR_NAMES = { r: "red", g: "green", b: "blue", y: "yellow", w: "white" };
/** @type {Record<string, string>} */
export const SHAPE_NAMES = { r: "diamond", g: "clover", b: "drop", y: "star", w: "moon" };

/** @param {string | null | undefined} letter */
export const colourName = (letter) => COLOUR_NAMES[letter?.toLowerCase() ?? ""] ?? "";

// Each in a box of 20 by 20.
const PATHS = {
  r: "M10 .6 18 10 10 19.4 2 10Z",
  y: "M10 .8l2.8 6 6.5.8-4.8 4.5 1.3 6.5L10 15.4l-5.8 3.2 1.3-6.5L.7 7.6 7.2 6.8Z",
  g: "M10 1.2a4.3 4.3 0 0 1 3.9 6.1 4.3 4.3 0 1 1-2.9 7.2q.2 2.8 1.7 4.3H7.3q1.5-1.5 1.7-4.3a4.3 4.3 0 1 1-2.9-7.2A4.3 4.3 0 0 1 10 1.2Z",
  b: "M10 .8q6.6 7.6 6.6 11.9a6.6 6.6 0 0 1-13.2 0Q3.4 8.4 10 .8Z",
  w: "M13.5 1.3a9 9 0 1 0 4.8 13.2A7.6 7.6 0 0 1 13.5 1.3Z",
};

export function Shapes() {
  return html`<svg class="shapes" width="0" height="0" aria-hidden="true" focusable="false">
    ${Object.entries(PATHS).map(([letter, path]) => html`<symbol id=${`shape-${letter}`} viewBox="0 0 20 20"><path d=${path} /></symbol>`)}
  </svg>`;
}

/** @param {{ colour: string, [attribute: string]: unknown }} props */
export function Shape({ colour, ...rest }) {
  const letter = colour.toLowerCase();
  return html`<svg class=${`shape c-${letter}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false" ...${rest}><use href=${`#shape-${letter}`} /></svg>`;
}

/** @param {string} label */
export const named = (label) => (label === "" ? { "aria-hidden": "true" } : { role: "img", "aria-label": label });
/**
 * @param {string} what
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
export const use = (what, x, y, size, extra = "") =>
  html`<use href=${`#${what}`} x=${x} y=${y} width=${size} height=${size} class=${extra} />`;

/** @param {{ label?: string, small?: boolean }} props */
export function CardBack({ label = "card, face down", small = false }) {
  return html`<svg class=${`card back${small ? " small" : ""}`} viewBox="0 0 100 150" ...${named(label)}>
    <rect class="paper" x="1" y="1" width="98" height="148" rx="11" />
    <rect class="field" x="5" y="5" width="90" height="140" rx="8" />
    <path class="lattice" d="M5 40 40 5M5 75 75 5M5 110 95 20M5 145 95 55M40 145 95 90M75 145 95 125M95 40 60 5M95 75 25 5M95 110 5 20M95 145 5 55M60 145 5 90M25 145 5 125" />
    <rect class="field" x="25" y="45" width="50" height="60" rx="10" />
    ${use("shape-r", 31, 50, 18, "pip")}${use("shape-y", 51, 50, 18, "pip")}${use("shape-b", 31, 80, 18, "pip")}${use("shape-g", 51, 80, 18, "pip")}
  </svg>`;
}
