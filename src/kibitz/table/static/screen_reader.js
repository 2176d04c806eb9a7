// What a screen reader hears: sentences put into live regions, a few at a time.
//
//   <ScreenReader />           once on the page (app.js does it)
//   say(text, urgent = false)  soon spoken; urgent ones interrupt. Cards are put into words first: spoken() of card_sentence.js

import { html } from "./vendor/preact.js";

/** @type {Record<string, string[]>} */
const waiting = { polite: [], assertive: [] };
/** @type {Record<string, ReturnType<typeof setTimeout> | undefined>} */
const timers = {};

/** @param {string} text */
export function say(text, urgent = false) {
  const kind = urgent ? "assertive" : "polite";
  waiting[kind].push(text);
  timers[kind] ??= setTimeout(() => {
    timers[kind] = undefined;
    const region = document.getElementById(`speech-${kind}`);
    if (!region) return;
    const line = document.createElement("p");
    line.textContent = waiting[kind].splice(0).join(" ");
    region.append(line);
    while (region.childElementCount > 6) region.firstElementChild?.remove();
  }, 120);
}

export function ScreenReader() {
  return html`<div class="unseen">
    <div id="speech-polite" role="log" aria-live="polite" aria-relevant="additions" aria-label="What happens"></div>
    <div id="speech-assertive" role="alert" aria-live="assertive"></div>
  </div>`;
}
