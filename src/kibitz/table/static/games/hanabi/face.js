// Hanabi in the browser: all that pages ask of a game (types.d.ts says what that is).

import { ColourTag } from "../../card_sentence.js";
import { html } from "../../vendor/preact.js";
import { HANABI_KEYS, HanabiBoard } from "./board.js";
import { cardText, HanabiCard } from "./cards.js";

/** @import { Asked, Frame, Outcome, Position } from "../../types.js" */

export const Board = HanabiBoard;
export const keys = HANABI_KEYS;
export { cardText };

// -- cards in sentences --

// A card by its short name, or as the server tells it: "R5", "red 5".
export const cardPattern = /(?<![\w:+-])([RYGWB][1-5]|(?:red|green|blue|yellow|white) \d)(?![\w+-])/g;

/** @param {string} text */
export const cardNamed = (text) => (text.includes(" ") ? text[0].toUpperCase() + text.at(-1) : text);

/** @param {{ card: string }} props */
export const CardTag = ({ card }) => html`<${ColourTag} colour=${card[0]} label=${cardText(card)} sign=${card.slice(1)} />`;

// -- actions --

/**
 * @param {string} action
 * @param {Asked} asked
 */
export function actionText(action, { names = [], seat = 0 } = {}) {
  const [kind, first, second] = action.split(":");
  if (kind !== "hint") return `${kind} slot ${Number(first) + 1}`;
  return `tell ${names[(seat + Number(first)) % names.length] ?? `${first} places on`}: ${second}`;
}

/** @param {{ action: string } & Asked} props */
export const ActionName = ({ action, ...asked }) => html`<span>${actionText(action, asked)}</span>`;

// -- films and the end --

/**
 * @param {Frame} frame
 * @param {number | null} viewer
 */
export function viewOf({ view, hands: open }, viewer) {
  const hands = open.map((hand, seat) => (seat === viewer ? hand.map((/** @type {object} */ held) => ({ ...held, card: null })) : hand));
  return { ...view, seat: viewer, hands };
}

/** @param {Position} position */
export const isGood = ({ over }) => over?.status !== "lost";

/** @param {Position} position */
export function endTitle({ over, view }) {
  if (over?.status === "lost") return "The last fuse is burnt";
  if (over?.status === "perfect") return "A perfect display!";
  const score = over?.score ?? over?.points ?? view.score;
  return `${score} points: ${verdict(score)}`;
}

/**
 * As the rule book of the game has it.
 * @param {number} score
 */
function verdict(score) {
  if (score <= 5) return "oh dear";
  if (score <= 10) return "a few sparks";
  if (score <= 15) return "a good try";
  if (score <= 20) return "a fine display";
  return "the crowd is amazed";
}

/** @param {Outcome} outcome */
export function resultText({ status, score, points }) {
  return `${score ?? points} points${status === "perfect" ? ": a perfect game" : status === "lost" ? ", lost" : ""}.`;
}

export const heldText = () => "";
/** @param {{ hand: { card: string }[] }} props */
export const HeldCards = ({ hand }) => hand.map((held, at) => html`<span key=${at}><${HanabiCard} card=${held.card} label="" /></span>`);

/** @param {{ card: string }[]} hand */
export const handText = (hand) => hand.map((held) => cardText(held.card)).join(", ");

// The site hanab.live reads games in a form of its own, which the server adds to films and to the end of a game.
/** @param {{ live?: unknown }} game */
export function exportsOf({ live }) {
  return live ? [{ label: "hanab.live JSON", file: "hanab-live.json", text: `${JSON.stringify(live)}\n` }] : [];
}
