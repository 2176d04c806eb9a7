// A game that has no board of its own: its view as text, everybody's seat, and a button for each legal action. A game's own module
// (`face` in GET /api/games) replaces whichever of these it does better; types.d.ts says what each is for.

import { boardProps, useFocusOnQuestion, useNote } from "../board_hooks.js";
import { isShortcut, shortcut, useKeydown } from "../shortcuts.js";
import { html, useRef } from "../vendor/preact.js";

/** @import { Asked, BoardProps, FaceModule, Outcome, Position, View } from "../types.js" */

/** @type {[string, string][]} */
export const keys = [["1 – 9", "take the action with this number"]];

// -- the board --

const ELSEWHERE = ["type", "seat", "current", "status", "scores"]; // what the seats show

/** @param {string} name */
const readable = (name) => name.replaceAll("_", " ");

/**
 * A value of a view in words: lists and what they hold as well.
 * @param {any} value
 * @returns {string}
 */
export function valueText(value) {
  if (value === null || value === undefined || value === "") return "none";
  if (value === true || value === false) return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map(valueText).join(", ") : "none";
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).map(([name, each]) => `${readable(name)} ${valueText(each)}`);
  return parts.length ? `(${parts.join("; ")})` : "none";
}

/** @param {{ view: View, you: number | null, names: string[], kinds: string[], present: boolean[], hands: any[][] | null, scores?: number[], to?: string | null }} props */
function Seats({ view, you, names, kinds, present, hands, scores, to }) {
  return html`<ol class="plain-seats" aria-label="Players in order of their seats">
    ${names.map((name, seat) => {
      const current = view.status === "playing" && view.current === seat;
      const isAway = kinds[seat] === "person" && present[seat] === false;
      const words = [seat === you && "you", current && "to act", isAway && "away", to && `${scores?.[seat]} points`];
      return html`<li key=${seat} class=${current ? "current" : ""}>
        <b>${name}</b> <small>${words.filter(Boolean).join(", ")}</small>
        ${hands?.[seat] && html`<span>${handText(hands[seat])}</span>`}
      </li>`;
    })}
  </ol>`;
}

/** @param {BoardProps} props */
export function Board(props) {
  const { view, names, kinds, present, hands, decision, step, scores, to, onAct, offered, asked, sheet } = boardProps(props);
  const note = useNote({ view, names, kinds, step, note: props.note });
  const bar = useRef(/** @type {HTMLElement | null} */ (null));
  useFocusOnQuestion(asked, step, () => bar.current?.querySelector("button"));
  useKeydown((event) => {
    const action = /^[1-9]$/.test(event.key) && offered[Number(event.key) - 1];
    if (!action || !isShortcut(event)) return;
    event.preventDefault();
    onAct?.(action);
  });
  return html`<section class=${`plain board${sheet ? " with-sheet" : ""}`} data-step=${step} aria-label="Table">
    <div class="felt">
      <${Seats} ...${{ view, you: onAct ? view.seat : null, names, kinds, present, hands, scores, to }} />
      <dl class="plain-view">
        ${Object.entries(view)
          .filter(([name]) => !ELSEWHERE.includes(name))
          .map(([name, value]) => html`<div key=${name}><dt>${readable(name)}</dt><dd>${valueText(value)}</dd></div>`)}
      </dl>
    </div>
    ${sheet}
    <div class=${`ask${asked ? " open" : ""}`} role="group" aria-label="What to do" ref=${bar} tabindex="-1">
      <p class="question">${asked ? (decision?.question ?? "What do you do?") : note}</p>
      <div class="ask-buttons">
        ${offered.map((action, at) => {
          const key = at < 9 ? at + 1 : undefined;
          return html`<button type="button" key=${action} class="button" data-action=${action} aria-keyshortcuts=${shortcut(key)} onClick=${() => onAct?.(action)}>
            ${actionText(action)}${key && html` <kbd aria-hidden="true">${key}</kbd>`}
          </button>`;
        })}
      </div>
    </div>
  </section>`;
}

// -- words --

/** @type {RegExp | null} */
export const cardPattern = null;

/** @param {string} text */
export const cardNamed = (text) => text;

/** @param {string | null} card */
export const cardText = (card) => card ?? "hidden card";

/** @param {{ card: string }} props */
export const CardTag = ({ card }) => html`<span>${cardText(card)}</span>`;

/**
 * @param {string} action
 * @param {Asked} asked
 */
export const actionText = (action, { text = "" } = {}) => text || readable(action);

/** @param {{ action: string } & Asked} props */
export const ActionName = ({ action, text }) => html`<span>${actionText(action, { text })}</span>`;

// -- films and the end --

/** @type {FaceModule["viewOf"]} */
export const viewOf = null;

/** @param {Position} position */
export function isGood({ over, seat, scores, to }) {
  const best = to && over?.finished ? scores.indexOf(Math.max(...scores)) : over?.winner;
  return best === seat && seat !== null;
}

/** @param {Position} position */
export function endTitle({ over, seat, scores, to, names }) {
  if (to && over?.finished) {
    const best = scores.indexOf(Math.max(...scores));
    return best === seat ? "You win the contest!" : `${names[best]} wins the contest`;
  }
  const winner = over?.winner ?? null;
  if (winner === null) return over?.score === undefined ? "Nobody wins" : `${over.score} points`;
  return winner === seat ? "You win!" : `${names[winner]} wins`;
}

/** @param {Outcome} outcome */
export const resultText = ({ status, score }) => (score === undefined ? `Nobody wins (${status}).` : `${score} points.`);

/** @param {any} held */
const heldCard = (held) => (held !== null && typeof held === "object" ? held.card : held);

/** @param {any[]} hand */
export const heldText = (hand) => (hand.length ? "" : "no cards left");

/** @param {{ hand: any[] }} props */
export const HeldCards = ({ hand }) => html`<span class="plain-held">${handText(hand)}</span>`;

/** @param {any[]} hand */
export const handText = (hand) => hand.map((held) => cardText(heldCard(held))).join(", ");

/**
 * @param {{ live?: unknown }} _game
 * @returns {{ label: string, file: string, text: string }[]}
 */
export const exportsOf = (_game) => [];
