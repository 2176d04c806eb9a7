// What boards have in common: what they are given, the focus at a question, a sentence while others decide.
//
//   boardProps(props)                                 a board's properties, complete, with `bottom`, `offered` and `asked`
//   focusIn(part, selector)                           the focus goes to that element in it, without moving the page
//   useFocusOnQuestion(asked, step, find)             find() → the element that takes the focus
//   useNote({view, names, kinds, step, note})         the note of a film, or who is thinking

import { say } from "./screen_reader.js";
import { distinctNames } from "./seat_names.js";
import { useEffect, useState } from "./vendor/preact.js";

/** @import { BoardProps, View } from "./types.js" */

const LONG = 3000; // milliseconds after which somebody who waits is told why

/** @param {BoardProps} props */
export function boardProps({
  seat,
  legal = [],
  kinds = [],
  present = [],
  hands = null,
  decision = null,
  events = [],
  step = 0,
  onAct = null,
  ...rest
}) {
  const offered = onAct ? legal : []; // without onAct the board is read-only
  const bottom = seat ?? rest.view.seat ?? 0;
  const names = distinctNames(rest.names);
  return { ...rest, names, kinds, present, hands, decision, events, step, onAct, bottom, offered, asked: offered.length > 0 };
}

/**
 * @param {Element | null} part
 * @param {string} selector
 */
export function focusIn(part, selector) {
  const found = part?.querySelector(selector);
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}

// Who plays by keyboard finds the focus at what is asked, if it was lost with the last answer.
/**
 * @param {boolean} asked
 * @param {number} step
 * @param {() => Element | null | undefined} find
 */
export function useFocusOnQuestion(asked, step, find) {
  useEffect(() => {
    if (!asked || document.activeElement !== document.body || document.documentElement.dataset.input !== "keys") return;
    const found = find();
    if (found instanceof HTMLElement) found.focus({ preventScroll: true });
  }, [asked, step]);
}

/** @param {{ view: View, names: string[], kinds: string[], step: number, note?: string }} given */
export function useNote({ view, names, kinds, step, note }) {
  const [slow, setSlow] = useState(/** @type {number | null} */ (null)); // the step that takes long
  const isWaiting = note === undefined && view.status === "playing" && view.current !== view.seat;
  const isBot = kinds[view.current] !== "person";
  const long = `${names[view.current]} is still thinking, or being made ready: the first time takes a while.`;
  useEffect(() => {
    if (!isWaiting || !isBot) return undefined;
    const timer = setTimeout(() => {
      setSlow(step);
      say(long);
    }, LONG);
    return () => clearTimeout(timer);
  }, [step, isWaiting, isBot]);
  if (!isWaiting) return note ?? "";
  if (!isBot) return `Waiting for ${names[view.current]}.`;
  return slow === step ? long : `${names[view.current]} is thinking…`;
}
