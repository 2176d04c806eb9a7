// What a screen reader hears: sentences put into live regions, a few at a time.
//
//   <Speech />                 once on the page (app.js does it)
//   say(text, urgent = false)  soon spoken; urgent ones interrupt
//   spoken(text)               the same sentence with cards in words: "mix2 plays y3." → "mix2 plays yellow 3."

import { cardText } from "./cards.js";
import { html } from "./vendor/preact.js";

// A card by its short name, or as the server tells it: "red 5", "green Skip", "Wild Draw Four".
const SHORT = "[rgby](?:\\d|skip|rev|\\+2)|wild\\+4|wildshuffle|wildcustom|[RYGWB][1-5]";
const LONG = "(?:red|green|blue|yellow|white) (?:\\d|Skip|Reverse|Draw Two)|Wild(?: Draw Four| Shuffle Hands| Customizable)?";
export const CARD_IN_TEXT = new RegExp(`(?<![\\w:+-])(${SHORT}|${LONG})(?![\\w+-])`, "g");

const waiting = { polite: [], assertive: [] };
const timers = {};

export const spoken = (text) => text.replace(CARD_IN_TEXT, (card) => (card.includes(" ") || card[0] === "W" ? card : cardText(card)));

export function say(text, urgent = false) {
  const kind = urgent ? "assertive" : "polite";
  waiting[kind].push(spoken(text));
  timers[kind] ??= setTimeout(() => {
    timers[kind] = undefined;
    const region = document.getElementById(`speech-${kind}`);
    if (!region) return;
    const line = document.createElement("p");
    line.textContent = waiting[kind].splice(0).join(" ");
    region.append(line);
    while (region.childElementCount > 6) region.firstElementChild.remove();
  }, 120);
}

export function Speech() {
  return html`<div class="unseen">
    <div id="speech-polite" role="log" aria-live="polite" aria-relevant="additions" aria-label="What happens"></div>
    <div id="speech-assertive" role="alert" aria-live="assertive"></div>
  </div>`;
}
