// UNO in the browser: all that pages ask of a game (types.d.ts says what that is).

import { colourName, Shape } from "../../card_art.js";
import { ColourTag } from "../../card_sentence.js";
import { html } from "../../vendor/preact.js";
import { UNO_KEYS, UnoBoard } from "./board.js";
import { cardOf, cardText, inOrder, isCard, isWild, points, UnoCard, valueOf } from "./cards.js";

/** @import { Asked, Frame } from "../../types.js" */

export const Board = UnoBoard;
export const keys = UNO_KEYS;
export { cardText };

// -- cards in sentences --

// A card by its short name, or as the server tells it: "red 5", "green Skip", "Wild Draw Four".
const SHORT = "[rgby](?:\\d|skip|rev|\\+2)|wild\\+4|wildshuffle|wildcustom";
const LONG = "(?:red|green|blue|yellow) (?:\\d|Skip|Reverse|Draw Two)|Wild(?: Draw Four| Shuffle Hands| Customizable)?";
export const cardPattern = new RegExp(`(?<![\\w:+-])(${SHORT}|${LONG})(?![\\w+-])`, "g");

/** @type {Record<string, string>} */
const VALUES = { Skip: "skip", Reverse: "rev", "Draw Two": "+2" };
/** @type {Record<string, string>} */
const WILDS = { Wild: "wild", "Wild Draw Four": "wild+4", "Wild Shuffle Hands": "wildshuffle", "Wild Customizable": "wildcustom" };
/** @type {Record<string, string>} */
const SIGNS = { skip: "⊘", rev: "⇄" };

/** @param {string} text */
export function cardNamed(text) {
  if (text in WILDS) return WILDS[text];
  const space = text.indexOf(" ");
  return space < 0 ? text : text[0] + (VALUES[text.slice(space + 1)] ?? text.slice(space + 1));
}

/** @param {{ card: string }} props */
export function CardTag({ card }) {
  if (isWild(card)) return html`<span class="card-tag c-wild">${cardText(card)}</span>`;
  const value = valueOf(card);
  return html`<${ColourTag} colour=${card[0]} label=${cardText(card)} sign=${SIGNS[value] ?? value} />`;
}

// -- actions --

/** @type {Record<string, string>} */
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

/**
 * @param {string} action
 * @param {Asked} asked
 */
export function actionText(action, { names = [], seat = 0, view } = {}) {
  if (action in PLAIN) return PLAIN[action];
  const [card, rest] = action.split(":");
  if (card === "swap") {
    const places = Number(rest);
    return `swap hands with ${names[(seat + (view?.direction ?? 1) * places + 2 * names.length) % names.length] ?? `seat ${places} on`}`;
  }
  return rest ? `play ${cardText(card)}, calling ${colourName(rest)}` : `play ${cardText(card)}`;
}

// An action by its card where it is one, else in words.
/** @param {{ action: string } & Asked} props */
export function ActionName({ action, ...asked }) {
  if (!isCard(action)) return html`<span>${actionText(action, asked)}</span>`;
  const [card, colour] = action.split(":");
  const called = colour && html` <span class="called"><${Shape} colour=${colour} />${colourName(colour)}</span>`;
  return html`<${CardTag} card=${cardOf(card)} />${called}`;
}

// -- films and the end --

/**
 * @param {Frame} frame
 * @param {number | null} viewer
 */
export function viewOf({ view, hands }, viewer) {
  if (viewer === null) return { ...view, seat: null, hand: [], playable: [] };
  if (viewer === view.seat) return view;
  return { ...view, seat: viewer, hand: hands[viewer], playable: [], drawn: null, known: hands.map(() => []) };
}

/** @param {string[]} hand */
export function heldText(hand) {
  const sum = hand.reduce((total, card) => total + points(card), 0);
  return hand.length ? `held ${sum} ${sum === 1 ? "point" : "points"}` : "no cards left";
}

/** @param {{ hand: string[] }} props */
export const HeldCards = ({ hand }) => inOrder(hand).map((card, at) => html`<span key=${at}><${UnoCard} card=${card} label="" /></span>`);

/** @param {string[]} hand */
export const handText = (hand) => hand.map(cardText).join(", ");
