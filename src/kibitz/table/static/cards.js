// The cards of both games, drawn here as SVG, and their names in words. Every colour has its own shape, so that colour is never the only mark.
//
//   <Shapes />                      once on the page (app.js does it): the shapes that all cards use
//   <Shape colour="r" />            a colour's shape, as an icon; letters of either game
//   <UnoCard card="r5" called="g" label small dim />       `called`: the colour a wild was called to be
//   <CardBack label small />        any card from behind
//   <HanabiCard card="R1" label small />                    an open card
//   <HanabiCard card={null} colours="RYG" ranks="123" toldColour toldRank deck={{colours: "RYGWB", ranks: 5}} label small />
//                                   a hidden card: what it may still be; what was told is drawn large
//   <Marks colours ranks toldColour toldRank deck />        what hints have told of a card, as a line below an open one
//   All are <svg role="img"> with a label in words (label="" hides them from readers, for use inside a labelled button). They fill
//   their box's width at 2:3; .card.small is a fixed 40 px wide.
//
//   cardText("r5") → "red 5" · cardText("wild+4") → "wild draw four" · cardText("R1") → "red 1"
//   colourName("r") → "red" · actionText(action, {names, seat, direction, hand}) → "play red 5", "tell Ann: red"
//   unoOrder(cards) → sorted for a hand · points(card) · distinctNames(["random", "random"]) → ["random (0)", "random (1)"]

import { html } from "./vendor/preact.js";

export const COLOUR_NAMES = { r: "red", g: "green", b: "blue", y: "yellow", w: "white" };
export const SHAPE_NAMES = { r: "diamond", g: "clover", b: "drop", y: "star", w: "moon" };
export const UNO_COLOURS = "rgby";
export const HANABI_COLOURS = "RYGWB";

const VALUES = { skip: "skip", rev: "reverse", "+2": "draw two" };
const WILDS = { wild: "wild", "wild+4": "wild draw four", wildshuffle: "wild shuffle hands", wildcustom: "wild customizable" };

// -- names --

export const colourName = (letter) => COLOUR_NAMES[letter?.toLowerCase()] ?? "";
export const isWild = (card) => card in WILDS;
export const valueOf = (card) => (isWild(card) ? card.slice(4) : card.slice(1));

export function cardText(card) {
  if (!card) return "hidden card";
  if (isWild(card)) return WILDS[card];
  const value = valueOf(card);
  return `${colourName(card[0])} ${VALUES[value] ?? value}`;
}

export function points(card) {
  if (isWild(card)) return card === "wild" || card === "wild+4" ? 50 : 40;
  const value = valueOf(card);
  return value in VALUES ? 20 : Number(value);
}

// Two bots of a kind are told apart by their seats, as the server does it in words.
export function distinctNames(names) {
  return names.map((name, seat) => (names.filter((each) => each === name).length > 1 ? `${name} (${seat})` : name));
}

const PLAIN = {
  draw: "draw a card",
  keep: "keep it",
  challenge: "challenge",
  accept: "accept",
  "jump-in": "jump in",
  pass: "pass",
  uno: "say UNO",
  catch: "catch",
};

export function actionText(action, { names = [], seat = 0, direction = 1 } = {}) {
  if (!action) return "";
  if (action in PLAIN) return PLAIN[action];
  const [kind, first, second] = action.split(":");
  const after = (places) => names[(seat + direction * places + 2 * names.length) % names.length] ?? `seat ${places} on`;
  if (kind === "swap") return `swap hands with ${after(Number(first))}`;
  if (kind === "play" || kind === "discard") return `${kind} slot ${Number(first) + 1}`;
  if (kind === "hint") {
    const told = names[(seat + Number(first)) % names.length] ?? `${first} places on`;
    return `tell ${told}: ${second}`;
  }
  return first ? `play ${cardText(kind)}, calling ${colourName(first)}` : `play ${cardText(kind)}`;
}

const ORDER = "rygb";
const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "skip", "rev", "+2"];
const place = (card) =>
  isWild(card) ? 100 + Object.keys(WILDS).indexOf(card) : 13 * ORDER.indexOf(card[0]) + RANKS.indexOf(valueOf(card));
export const unoOrder = (cards) => [...cards].sort((one, other) => place(one) - place(other));

// -- shapes --

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
    <symbol id="icon-skip" viewBox="0 0 40 40">
      <path fill="none" stroke="currentColor" stroke-width="5.5" d="M20 4.5a15.5 15.5 0 1 1 0 31 15.5 15.5 0 0 1 0-31ZM9.5 30.5l21-21" />
    </symbol>
    <symbol id="icon-reverse" viewBox="0 0 40 40">
      <path fill="currentColor" d="M5 17V12.5A7.5 7.5 0 0 1 12.5 5H24V0l12 8.2L24 16.5v-5H13.5a2 2 0 0 0-2 2V17ZM35 23v4.5a7.5 7.5 0 0 1-7.5 7.5H16v5L4 31.8 16 23.5v5h10.5a2 2 0 0 0 2-2V23Z" />
    </symbol>
    <symbol id="icon-shuffle" viewBox="0 0 40 40">
      <path fill="none" stroke="currentColor" stroke-width="4.5" d="M3 11h7c8 0 11 18 19 18h3M3 29h7c3 0 5-2.5 7-6m5-6c2-3.5 4-6 7-6h3" />
      <path fill="currentColor" d="M31 4.5 39 11l-8 6.5ZM31 22.5 39 29l-8 6.5Z" />
    </symbol>
  </svg>`;
}

export function Shape({ colour, ...rest }) {
  const letter = colour.toLowerCase();
  return html`<svg class=${`shape c-${letter}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false" ...${rest}><use href=${`#shape-${letter}`} /></svg>`;
}

const named = (label) => (label === "" ? { "aria-hidden": "true" } : { role: "img", "aria-label": label });
const use = (what, x, y, size, extra = "") => html`<use href=${`#${what}`} x=${x} y=${y} width=${size} height=${size} class=${extra} />`;

// -- UNO --

const ICONS = { skip: "icon-skip", rev: "icon-reverse" };

function Corner({ card, value }) {
  const icon = ICONS[value];
  const wild = isWild(card);
  return html`
    ${icon ? use(icon, 8, 9, 20, "ink") : html`<text class="ink corner" x="9" y="28">${wild ? (value.startsWith("+") ? value : "W") : value}</text>`}
    ${!wild && use(`shape-${card[0]}`, 9.5, 34, 16, "ink")}
    ${(value === "6" || value === "9") && html`<rect class="ink" x="9.5" y="30" width="13" height="2" />`}`;
}

function Centre({ card, value }) {
  if (isWild(card)) {
    const corners = [
      ["r", 19, 42],
      ["y", 51, 42],
      ["b", 19, 76],
      ["g", 51, 76],
    ];
    const mark = value === "shuffle" ? use("icon-shuffle", 35, 60, 30, "ink") : null;
    return html`
      ${corners.map(([letter, x, y]) => use(`shape-${letter}`, x, y, 30, `c-${letter} own`))}
      ${value === "+4" && html`<text class="ink centre onwild" x="50" y="94">+4</text>`}
      ${value === "custom" && html`<text class="ink centre onwild" x="50" y="94">?</text>`}
      ${mark && html`<circle class="onmark" cx="50" cy="75" r="20" />${mark}`}`;
  }
  const icon = ICONS[value];
  return html`
    ${use(`shape-${card[0]}`, 7, 32, 86, "ghost")}
    ${icon ? use(icon, 28, 53, 44, "ink") : html`<text class=${`ink centre${value.length > 1 ? " two" : ""}`} x="50" y=${value.length > 1 ? 91 : 97}>${value}</text>`}`;
}

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

export function CardBack({ label = "card, face down", small = false }) {
  return html`<svg class=${`card back${small ? " small" : ""}`} viewBox="0 0 100 150" ...${named(label)}>
    <rect class="paper" x="1" y="1" width="98" height="148" rx="11" />
    <rect class="field" x="5" y="5" width="90" height="140" rx="8" />
    <path class="lattice" d="M5 40 40 5M5 75 75 5M5 110 95 20M5 145 95 55M40 145 95 90M75 145 95 125M95 40 60 5M95 75 25 5M95 110 5 20M95 145 5 55M60 145 5 90M25 145 5 125" />
    <rect class="field" x="25" y="45" width="50" height="60" rx="10" />
    ${use("shape-r", 31, 50, 18, "pip")}${use("shape-y", 51, 50, 18, "pip")}${use("shape-b", 31, 80, 18, "pip")}${use("shape-g", 51, 80, 18, "pip")}
  </svg>`;
}

// -- Hanabi --

const RAYS = Array.from({ length: 16 }, (_, ray) => {
  const angle = (ray * Math.PI) / 8;
  const [from, to] = ray % 2 ? [30, 40] : [30, 46];
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  return `M${(50 + from * x).toFixed(1)} ${(80 + from * y).toFixed(1)}L${(50 + to * x).toFixed(1)} ${(80 + to * y).toFixed(1)}`;
}).join("");

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

export function possibleText({ colours = "", ranks = "" }, deck = { colours: HANABI_COLOURS, ranks: 5 }) {
  const all = (text, count) => text.length >= count;
  const colour = all(colours, deck.colours.length) ? "any colour" : [...colours].map(colourName).join(" or ");
  const rank = all(ranks, deck.ranks) ? "any rank" : [...ranks].join(" or ");
  return `${colour}, ${rank}`;
}

function Hidden({ colours, ranks, toldColour, toldRank, deck = { colours: HANABI_COLOURS, ranks: 5 }, label, small }) {
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

export function Marks({ colours = "", ranks = "", toldColour = false, toldRank = false, deck = { colours: HANABI_COLOURS, ranks: 5 } }) {
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
