// A game taken along: a link that carries it, and its record as a file in every form there is.
//
//   <Sharing film link position />
//   recordJson(text)      a record's line as the text of the JSON form, seeds of any size included

import { CopyField, saveText } from "./taking.js";
import { html } from "./vendor/preact.js";

const TEXT = "text/plain;charset=utf-8";
const JSON_TYPE = "application/json";

// The line `uno/1;classic;seed=5;deal=3;seats=a|b;actions=r5.draw;result=won:1:35` as JSON. Numbers stay text until the end: a seed
// may be larger than a browser's numbers are exact.
export function recordJson(text) {
  const [head, rules, ...parts] = text.trim().split(";");
  const [game, version] = head.split("/");
  const found = Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
  const plain = decodeURIComponent;
  const list = (value, mark) => JSON.stringify(value ? value.split(mark).map(plain) : []);
  const lines = [["game", JSON.stringify(game)], ["version", version], ["rules", JSON.stringify(plain(rules))], ["seed", found.seed], ["deal", found.deal]];
  if (found.round) lines.push(["round", found.round], ["scores", `[${found.scores.split("|").join(", ")}]`]);
  if (found.dealer) lines.push(["dealer", found.dealer]);
  lines.push(["seats", list(found.seats, "|")], ["actions", list(found.actions, ".")]);
  if (found.result) lines.push(["result", resultJson(found.result, game)]);
  if (found.faults) lines.push(["faults", `[${found.faults.split("|").map((fault) => faultJson(plain(fault))).join(", ")}]`]);
  return `{\n${lines.map(([key, value]) => `  "${key}": ${value}`).join(",\n")}\n}\n`;
}

function resultJson(text, game) {
  const [status, ...numbers] = text.split(":");
  const word = JSON.stringify(status.replaceAll("_", " "));
  if (game === "hanabi") return `{"status": ${word}, "points": ${numbers[0] ?? 0}}`;
  return `{"status": ${word}, "winner": ${numbers[0] ?? null}, "points": ${numbers[1] ?? 0}}`;
}

// What an outside bot did wrong, `7:3:illegal:forfeit:what it did`; what it did may have colons too.
function faultJson(text) {
  const [action, seat, kind, cost, ...what] = text.split(":");
  const known = { kind, forfeits: cost === "forfeit", what: what.join(":") };
  return `{"action": ${action}, "seat": ${seat}, ${JSON.stringify(known).slice(1)}`;
}

export function Sharing({ film, link, position }) {
  const name = `kibitz-${film.game}-${film.record?.match(/;seed=(\d+);deal=(\d+)/)?.slice(1).join("-") ?? "game"}`;
  return html`<section class="panel sharing" aria-labelledby="sharing-title">
    <h2 id="sharing-title">Share</h2>
    ${link
      ? html`<${CopyField} label=${position ? `A link to move ${position} of this game` : "A link to this game"} text=${link} rows=${3} />`
      : html`<p class="muted">The record of this game is given out when the contest is over.</p>`}
    ${film.record && html`<${CopyField} label="Its record" text=${film.record} rows=${5} />`}
    <p class="row downloads">
      ${film.record &&
      html`<button type="button" class="button" onClick=${() => saveText(`${name}.txt`, `${film.record}\n`, TEXT)}>Record as text</button>
        <button type="button" class="button" onClick=${() => saveText(`${name}.json`, recordJson(film.record), JSON_TYPE)}>Record as JSON</button>`}
      ${film.live &&
      html`<button type="button" class="button" onClick=${() => saveText(`${name}-hanab-live.json`, `${JSON.stringify(film.live)}\n`, JSON_TYPE)}>
        hanab.live JSON
      </button>`}
    </p>
  </section>`;
}
