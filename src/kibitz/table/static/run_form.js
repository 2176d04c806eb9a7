// The form that starts a run: a match, an evaluation or a tournament.
//
//   <RunForm onStarted />      (number of the run) => …

import { post } from "./api.js";
import { useGames } from "./faces.js";
import { BotSelect, fits, GameChoice, RulesField } from "./form_fields.js";
import { keepSetting, setting } from "./settings.js";
import { html, useId, useState } from "./vendor/preact.js";

/** @import { Game } from "./types.js" */
/**
 * @typedef {object} Fields
 * @property {string} kind
 * @property {number | string} games
 * @property {number | string} players
 * @property {number | string} table
 * @property {string} against
 * @property {string} rules
 * @property {number | string} to
 * @property {number | string} seed
 * @property {Record<string, number>} counts how many of each bot
 * @property {string} format
 */

/** @type {Record<string, [string, string]>} */
const KINDS = {
  match: ["Match", "One line-up plays many games: who wins most?"],
  evaluate: ["Evaluation", "Each bot against copies of one opponent; where all play together, with copies of itself."],
  tournament: ["Tournament", "Every bot meets every other, each deal from every seat."],
};
// By whether all play together.
/** @type {Record<string, [string, string][]>} */
const FORMATS = {
  apart: [
    ["round-robin", "everybody meets everybody"],
    ["swiss", "like scores meet, round by round"],
    ["gauntlet", "the first against all others"],
    ["free-for-all", "tables of several"],
  ],
  together: [
    ["teams", "each bot in every seat"],
    ["mixed", "every combination as a team"],
    ["round-robin", "everybody meets everybody"],
    ["gauntlet", "the first with all others"],
  ],
};
/** @param {Game} game */
const formatsOf = (game) => FORMATS[game.cooperative ? "together" : "apart"];
/** @type {Record<string, string>} */
const GAMES_OF = { match: "Games", evaluate: "Games of each bot", tournament: "Games of each match" };
/** @type {Record<string, number>} */
const USUAL_GAMES = { match: 10000, evaluate: 10000, tournament: 1000 };

/**
 * @param {Game} game
 * @returns {Fields}
 */
function firstForm(game) {
  const counts = Object.fromEntries(game.suggested.run.map((bot) => [bot, 1]));
  const usual = { kind: "match", games: USUAL_GAMES.match, players: 2, table: 2, against: "random", rules: "", to: "", seed: "" };
  return { ...usual, counts, format: formatsOf(game)[0][0] };
}

/**
 * @param {Record<string, number>} counts
 * @param {string} kind
 * @returns {string[]}
 */
const chosenBots = (counts, kind) =>
  Object.entries(counts).flatMap(([bot, count]) => Array(kind === "match" ? count : Math.min(1, count)).fill(bot));

/** @param {string[]} bots */
function titleOf(bots) {
  const whole = bots.join(", ");
  return whole.length <= 60 ? whole : `${bots.length} bots: ${whole.slice(0, 46)}…`;
}

// What goes to the server: only what this kind of run has.
/**
 * @param {Game} game
 * @param {Fields} form
 */
export function requestOf(game, form) {
  const whole = (/** @type {number | string} */ text) => (text === "" ? undefined : Number(text));
  /** @type {Record<string, any>} */
  const body = { kind: form.kind, game: game.name, bots: chosenBots(form.counts, form.kind), games: Number(form.games) };
  if (form.rules) body.rules = form.rules;
  if (form.to && game.has_contests) body.to = String(form.to);
  if (whole(form.seed) !== undefined) body.seed = whole(form.seed);
  if (form.kind === "evaluate")
    Object.assign(body, { players: Number(form.players), ...(game.cooperative ? {} : { against: form.against }) });
  if (form.kind === "match" && body.bots.length === 1) body.players = Number(form.players);
  if (form.kind === "tournament")
    Object.assign(body, { title: titleOf(body.bots), format: form.format, table: form.format === "swiss" ? 2 : Number(form.table) });
  return body;
}

/** @param {{ bot: string, count: number, onChange: (count: number) => void, most: number }} props */
function Counter({ bot, count, onChange, most }) {
  return html`<span class="counter" role="group" aria-label=${`${bot}: how many`}>
    <button type="button" class="button" aria-label=${`One ${bot} fewer`} disabled=${count === 0} onClick=${() => onChange(count - 1)}>−</button>
    <output aria-live="off">${count}</output>
    <button type="button" class="button" aria-label=${`One ${bot} more`} disabled=${count >= most} onClick=${() => onChange(count + 1)}>+</button>
  </span>`;
}

/** @param {{ game: Game, form: Fields, players: number, change: (part: Partial<Fields>) => void }} props */
function BotList({ game, form, players, change }) {
  const id = useId();
  const listed = game.bots.filter((bot) => fits(bot, players));
  const all = chosenBots(form.counts, form.kind);
  const set = (/** @type {string} */ bot, /** @type {number} */ count) => {
    const counts = { ...form.counts, [bot]: count };
    if (!count) delete counts[bot];
    change({ counts });
  };
  return html`<fieldset class="bot-list">
    <legend>Bots <small class="muted">${all.length} chosen</small></legend>
    <ul>
      ${listed.map((bot) => {
        const count = form.counts[bot.name] ?? 0;
        const about = html`<span class="bot-about">
          <b>${bot.name}</b>
          ${bot.searches && html`<span class="tag">searches</span>`} ${bot.cheats && html`<span class="tag">sees all cards</span>`}
          <small class="muted">${bot.about}</small></span>`;
        return html`<li key=${bot.name} class=${count ? "chosen" : ""}>
          ${
            form.kind === "match"
              ? html`<${Counter} bot=${bot.name} count=${count} most=${count + game.max_players - all.length} onChange=${(next) => set(bot.name, next)} />${about}`
              : html`<label for=${`${id}-${bot.name}`}>
                <input id=${`${id}-${bot.name}`} type="checkbox" checked=${count > 0} onChange=${() => set(bot.name, count ? 0 : 1)} />${about}
              </label>`
          }
        </li>`;
      })}
    </ul>
  </fieldset>`;
}

/** @param {{ label: string, [attribute: string]: unknown }} props */
function NumberField({ label, ...rest }) {
  const id = useId();
  return html`<label class="field" for=${id}><span>${label}</span><input id=${id} type="number" ...${rest} /></label>`;
}

/** @param {{ onStarted: (run: string) => void }} props */
export function RunForm({ onStarted }) {
  const [list, missing] = useGames();
  if (!list) return html`<p class=${missing ? "problem" : "muted"} role="status">${missing || "Looking…"}</p>`;
  return html`<${Form} list=${list} onStarted=${onStarted} />`;
}

/**
 * @param {Game} game
 * @returns {Fields}
 */
const formOf = (game) => setting(`run.${game.name}`, null) ?? firstForm(game);

/** @param {{ list: Game[], onStarted: (run: string) => void }} props */
function Form({ list, onStarted }) {
  const named = (/** @type {string} */ name) => list.find((each) => each.name === name) ?? list[0];
  const [game, setGame] = useState(() => named(setting("run.game", null)));
  const [form, setForm] = useState(() => formOf(game));
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const change = (/** @type {Partial<Fields>} */ part) => setForm((before) => ({ ...before, ...part }));
  const into = (/** @type {keyof Fields} */ name) => ({
    value: form[name],
    onInput: (/** @type {any} */ event) => change({ [name]: event.target.value }),
  });
  const chooseGame = (/** @type {string} */ next) => {
    setGame(named(next));
    setForm(formOf(named(next)));
  };
  const all = chosenBots(form.counts, form.kind);
  const players = form.kind === "match" ? Math.max(all.length, 2) : form.kind === "evaluate" ? Number(form.players) : Number(form.table);
  const least = form.kind === "evaluate" || (form.kind === "match" && game.cooperative) ? 1 : 2;
  const slow = game.bots.filter((bot) => bot.searches && all.includes(bot.name)).map((bot) => bot.name);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const made = await post("/api/runs", requestOf(game, form));
      keepSetting("run.game", game.name);
      keepSetting(`run.${game.name}`, { ...form, seed: "" });
      onStarted(made.run);
    } catch (error) {
      setProblem(error.message);
      setBusy(false);
    }
  };
  return html`<form class="form run-form" onSubmit=${submit} aria-label="Start a run">
    <${GameChoice} list=${list} game=${game.name} onChoose=${chooseGame} />
    <fieldset class="choice kinds">
      <legend>Kind</legend>
      ${Object.entries(KINDS).map(
        ([kind, [title, about]]) => html`<label key=${kind} for=${`${id}-${kind}`}>
          <input
            id=${`${id}-${kind}`}
            type="radio"
            name=${`${id}-kind`}
            checked=${form.kind === kind}
            onChange=${() => change({ kind, games: USUAL_GAMES[kind] })}
          />
          <span><b>${title}</b> <small class="muted">${about}</small></span>
        </label>`,
      )}
    </fieldset>
    <${BotList} game=${game} form=${form} players=${players} change=${change} />
    <div class="fields">
      <${NumberField} label=${GAMES_OF[form.kind]} min="1" max="10000000" required ...${into("games")} />
      ${
        (form.kind === "evaluate" || (form.kind === "match" && game.cooperative && all.length === 1)) &&
        html`<${NumberField} label="Players" min=${game.min_players} max=${game.max_players} required ...${into("players")} />`
      }
      ${
        form.kind === "evaluate" &&
        !game.cooperative &&
        html`<label class="field" for=${`${id}-against`}><span>Against</span>
        <${BotSelect} id=${`${id}-against`} game=${game} players=${players} value=${form.against} onChange=${(against) => change({ against })} />
      </label>`
      }
      ${
        form.kind === "tournament" &&
        html`<label class="field" for=${`${id}-format`}><span>Format</span>
          <select id=${`${id}-format`} value=${form.format} onChange=${(event) => change({ format: event.target.value })}>
            ${formatsOf(game).map(([each, about]) => html`<option key=${each} value=${each}>${each}: ${about}</option>`)}
          </select>
        </label>
        ${
          form.format !== "swiss" &&
          html`<${NumberField} label="Players at a table" min=${game.min_players} max=${game.max_players} required ...${into("table")} />`
        }`
      }
      ${game.has_contests && html`<${NumberField} label="Contests to" min="1" max="999999" placeholder="single deals" ...${into("to")} />`}
      <${NumberField} label="Seed" min="0" max=${Number.MAX_SAFE_INTEGER} placeholder="any" ...${into("seed")} />
    </div>
    <${RulesField} game=${game} value=${form.rules} onChange=${(rules) => change({ rules })} />
    ${
      slow.length > 0 &&
      html`<p class="muted">${slow.join(" and ")} ${slow.length > 1 ? "search" : "searches"} before each move: a few hundred games take minutes.</p>`
    }
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <p class="row">
      <button type="submit" class="button primary" disabled=${isBusy || all.length < least}>${isBusy ? "Starting…" : "Start"}</button>
      ${all.length < least && html`<span class="muted">Choose at least ${least === 1 ? "one bot" : "two bots"}.</span>`}
    </p>
  </form>`;
}
