// How a bot plays, for people who play with it: the guide of a game as a page and as a window, and what moves mean in the list of moves.
//
//   GuidePage({id})                     #/guide/NAME, as app.js calls it
//   <GuideWindow guide onClose />       over a table
//   guideAmong(game, names)             the game's guide, if the bot that it explains is among the names; else null
//   isMeaning(line)                     whether a line of the list says what the move above it means
//   shownLines(lines)                   the lines without meanings, if the person has turned them off

import { useGames } from "./faces.js";
import { Modal } from "./modal.js";
import { meaningsAreOn } from "./settings.js";
import { html } from "./vendor/preact.js";

/** @import { Game, Guide } from "./types.js" */

const MEANS = "Means: "; // as the server begins such lines

/** @param {string} line */
export const isMeaning = (line) => line.startsWith(MEANS);

/** @param {string[]} lines */
export const shownLines = (lines) => (meaningsAreOn() ? lines : lines.filter((line) => !isMeaning(line)));

/**
 * @param {Game | undefined} game
 * @param {(string | null)[] | undefined} names
 * @returns {Guide | null}
 */
export function guideAmong(game, names) {
  const guide = game?.guide;
  return guide && names?.some((name) => name?.split(/[: ]/)[0] === guide.bot) ? guide : null;
}

/** @param {{ guide: Guide, level?: 2 | 3 }} props */
function GuideText({ guide, level = 2 }) {
  const heading = (/** @type {string} */ text) => (level === 2 ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`);
  return html`<p class="guide-about">${guide.about}</p>
    <ol class="guide">
      ${guide.parts.map(
        (part) => html`<li key=${part.heading} class=${part.picture ? "" : "plain"}>
        <div>${heading(part.heading)}<p>${part.text}</p></div>
        ${part.picture && html`<img src=${part.picture} alt=${part.alt} width="400" height="200" />`}
      </li>`,
      )}
    </ol>`;
}

/** @param {{ guide: Guide, onClose: () => void }} props */
export function GuideWindow({ guide, onClose }) {
  return html`<${Modal} title=${guide.title} onClose=${onClose} wide><${GuideText} guide=${guide} level=${3} /><//>`;
}

/** @param {{ id: string }} props */
export function GuidePage({ id }) {
  const [list, missing] = useGames();
  if (missing) return html`<p class="notice" role="alert">${missing}</p>`;
  if (!list) return html`<p class="waiting" role="status">Shuffling…</p>`;
  const guide = list.find((game) => game.name === id)?.guide;
  if (!guide) return html`<div class="sheet narrow"><h1>No such guide</h1><p><a class="button" href="#/">To the lobby</a></p></div>`;
  return html`<article class="sheet guide-page">
    <h1>${guide.title}</h1>
    <${GuideText} guide=${guide} />
    <p><a class="button strong" href="#/">Play</a></p>
  </article>`;
}
