// What boards have in common: what they are given, the focus at a question, a sentence while others decide.
//
//   boardProps(props)                                 a board's properties, complete, with `bottom`, `offered` and `asked`
//   useFocusOnQuestion(asked, step, find)             find() → the element that takes the focus
//   useNote({view, names, kinds, step, note})         the note of a film, or who is thinking

import { say } from "./screen_reader.js";
import { distinctNames } from "./seat_names.js";
import { useEffect, useState } from "./vendor/preact.js";

const LONG = 3000; // milliseconds after which somebody who waits is told why

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

// Who plays by keyboard finds the focus at what is asked, if it was lost with the last answer.
export function useFocusOnQuestion(asked, step, find) {
  useEffect(() => {
    if (!asked || document.activeElement !== document.body || document.documentElement.dataset.input !== "keys") return;
    find()?.focus({ preventScroll: true });
  }, [asked, step]);
}

export function useNote({ view, names, kinds, step, note }) {
  const [slow, setSlow] = useState(null); // the step that takes long
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
