// A game taken along: a link that carries it, and its record as a file in every form there is.
//
//   <Sharing film face link position />      face: of faces.js

import { CopyField, saveText } from "./copy_and_save.js";
import { html } from "./vendor/preact.js";

/** @import { Face, Film } from "./types.js" */

const TEXT = "text/plain;charset=utf-8";

/** @param {{ film: Film, face: Face, link: string, position: number }} props */
export function Sharing({ film, face, link, position }) {
  const name = `kibitz-${film.game}-${
    film.record
      ?.match(/;seed=(\d+);deal=(\d+)/)
      ?.slice(1)
      .join("-") ?? "game"
  }`;
  return html`<section class="panel sharing" aria-labelledby="sharing-title">
    <h2 id="sharing-title">Share</h2>
    ${
      link
        ? html`<${CopyField} label=${position ? `A link to move ${position} of this game` : "A link to this game"} text=${link} rows=${3} />`
        : html`<p class="muted">The record of this game is given out when the contest is over.</p>`
    }
    ${film.record && html`<${CopyField} label="Its record" text=${film.record} rows=${5} />`}
    <p class="row downloads">
      ${
        film.record &&
        html`<button type="button" class="button" onClick=${() => saveText(`${name}.txt`, `${film.record}\n`, TEXT)}>Record as text</button>
        <button type="button" class="button" onClick=${() => saveText(`${name}.json`, `${film.record_json}\n`)}>Record as JSON</button>`
      }
      ${face
        .exportsOf(film)
        .map(
          ({ label, file, text }) =>
            html`<button type="button" key=${file} class="button" onClick=${() => saveText(`${name}-${file}`, text)}>${label}</button>`,
        )}
    </p>
  </section>`;
}
