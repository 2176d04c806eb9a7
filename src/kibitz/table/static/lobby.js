// The lobby: choose a game, who sits where and under which rules, and play; tables to go on with; ways to watch and replay.

import { get, go, post, rename, useAnswer } from "./api.js";
import { titleIn, useGames } from "./faces.js";
import { aboutBot, fits, GameChoice, namesOf, Picture, RulesField, rulesText } from "./form_fields.js";
import { keepSetting, setting } from "./settings.js";
import { html, useMemo, useState } from "./vendor/preact.js";

/** @import { BotShown, Game, TableInfo } from "./types.js" */
/** @typedef {{ others: string[], rules: string, to: string | null }} Choice */

const PERSON = "person"; // in a list of bots: somebody who comes by a link

const HERO_CARDS = 4;

// -- choices, kept from visit to visit --

/**
 * @param {Game} game
 * @returns {Choice}
 */
function usualChoice(game) {
  const known = new Set(game.bots.filter((bot) => !bot.cheats).map((bot) => bot.name));
  const bots = game.suggested.table.filter((bot) => known.has(bot));
  return {
    others: bots.length ? bots : [[...known][0]],
    rules: game.suggested.rules || game.default_rules,
    to: null,
  };
}

/**
 * @param {Game} game
 * @returns {Choice}
 */
function keptChoice(game) {
  const kept = setting(`lobby.${game.name}`, null);
  const usual = usualChoice(game);
  if (!kept || !Array.isArray(kept.others)) return usual;
  const bots = botsFor(game, kept.others.length + 1);
  const others = kept.others.filter((/** @type {string} */ bot) => bot === PERSON || bots.includes(bot));
  const text = rulesText(kept.rules, kept.switches ?? {}); // switches were once kept apart
  const rules = game.presets.some((preset) => preset.name === text.split(",")[0]) ? text : usual.rules;
  return { ...usual, to: kept.to ?? null, rules, others: others.length ? others : usual.others };
}

/**
 * @param {BotShown[]} bots
 * @param {number} players
 */
const fitting = (bots, players) => bots.filter((bot) => !bot.cheats && fits(bot, players)).flatMap(namesOf);

// Every bot that may sit at a table with people, with its presets: ours, then those of the server's owner.
/**
 * @param {Game} game
 * @param {number} players
 */
const botsFor = (game, players) => [...fitting(game.bots, players), ...fitting(game.offered, players)];

// -- parts --

/** @param {string[]} names */
const namesInWords = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join(""));

/** @param {{ list: Game[] | null }} props */
function Hero({ list }) {
  const pictures = (list ?? []).flatMap((game) => game.pictures.slice(1)).slice(0, HERO_CARDS);
  return html`<section class="hero">
    <div>
      <h1>Sit down, the cards are dealt.</h1>
      <p>${list ? namesInWords(list.map((game) => game.title)) : "Card games"} with bots that think, and a kibitzer who tells you what every move was worth.</p>
    </div>
    <div class="hero-cards" aria-hidden="true">
      ${pictures.map((address) => html`<span key=${address}><${Picture} address=${address} /></span>`)}
    </div>
  </section>`;
}

/** @param {{ game: Game, choice: Choice, change: (part: Partial<Choice>) => void, name: string, setName: (name: string) => void }} props */
function Seats({ game, choice, change, name, setName }) {
  const players = choice.others.length + 1;
  const groups = /** @type {[string, string[]][]} */ ([
    ["Bots", fitting(game.bots, players)],
    ["Offered by this server", fitting(game.offered, players)],
  ]);
  const set = (/** @type {number} */ at, /** @type {string} */ bot) =>
    change({ others: choice.others.map((each, place) => (place === at ? bot : each)) });
  const usual = choice.others.find((bot) => bot !== PERSON) ?? groups[0][1][0];
  const explained = choice.others.findIndex((bot) => bot.split(":")[0] === game.guide?.bot); // whose way to play has a page
  const resize = (/** @type {number} */ count) => {
    const able = botsFor(game, count);
    const others = Array.from({ length: count - 1 }, (_, at) => choice.others[at] ?? usual);
    change({
      others: others.map((bot) =>
        bot === PERSON || able.includes(bot) ? bot : (able.find((each) => game.suggested.table.includes(each)) ?? able[0]),
      ),
    });
  };
  return html`<fieldset class="seats-choice"><legend>Who plays</legend>
    <div class="stepper" role="group" aria-label="Number of players">
      <button type="button" class="icon-button" aria-label="One player fewer" disabled=${players <= game.min_players} onClick=${() => resize(players - 1)}>−</button>
      <output aria-live="polite">${players} players</output>
      <button type="button" class="icon-button" aria-label="One player more" disabled=${players >= game.max_players} onClick=${() => resize(players + 1)}>+</button>
    </div>
    <ol class="seat-list">
      <li><label><span>You</span><input type="text" value=${name} maxlength="32" autocomplete="nickname" required onInput=${(event) => setName(event.target.value)} /></label></li>
      ${choice.others.map(
        (bot, at) => html`<li key=${at}>
        <label><span>Seat ${at + 2}</span>
          <select value=${bot} aria-describedby=${`about-${at}`} onChange=${(event) => set(at, event.target.value)}>
            <option value=${PERSON} selected=${bot === PERSON}>a person, by link</option>
            ${groups
              .filter(([, names]) => names.length)
              .map(
                ([title, names]) => html`<optgroup key=${title} label=${title}>
                  ${names.map((each) => html`<option key=${each} value=${each} selected=${each === bot}>${each}</option>`)}
                </optgroup>`,
              )}
          </select></label>
        <small id=${`about-${at}`}>${bot === PERSON ? "Somebody you send the link to." : aboutBot(game, bot)}</small>
        ${at === explained && html`<p class="guide-link"><a href=${`#/guide/${game.name}`}>${game.guide?.title}</a></p>`}
      </li>`,
      )}
    </ol>
  </fieldset>`;
}

const LENGTHS = [
  ["", "one deal"],
  ["200", "to 200 points"],
  ["500", "to 500 points"],
];

/** @param {{ game: Game, choice: Choice, change: (part: Partial<Choice>) => void }} props */
function Rules({ game, choice, change }) {
  return html`<${RulesField} game=${game} value=${choice.rules} onChange=${(/** @type {string} */ rules) => change({ rules })}>
    ${
      game.has_contests &&
      html`<label><span>Length</span><select value=${choice.to ?? ""} onChange=${(event) => change({ to: event.target.value || null })}>
      ${LENGTHS.map(([to, text]) => html`<option key=${to} value=${to} selected=${(choice.to ?? "") === to}>${text}</option>`)}</select></label>`
    }
  <//>`;
}

/** @type {Record<string, string>} */
const STATES = { waiting: "waiting for people", playing: "being played", over: "finished" };

/** @param {{ list: Game[] | null }} props */
function MyTables({ list }) {
  const [found] = useAnswer(() => get("/api/tables"), []);
  /** @type {TableInfo[]} */
  const tables = (found?.tables ?? []).filter((/** @type {TableInfo} */ each) => each.status !== "over" && !each.following);
  if (!tables.length) return null;
  return html`<section class="sheet" aria-labelledby="my-tables"><h2 id="my-tables">Go on with</h2>
    <ul class="table-list">${tables.slice(0, 6).map(
      (each) => html`<li key=${each.table}><a href=${`#/table/${each.table}`}>
      <b>${titleIn(list, each.game)}</b> <span>${each.seats
        .filter((one) => one.seat !== each.you)
        .map((one) => (one.kind === "free" ? "free seat" : one.name))
        .join(", ")}</span>
      <small>${STATES[each.status] ?? each.status}${each.to ? `, to ${each.to}` : ""}</small></a></li>`,
    )}</ul>
  </section>`;
}

function Join() {
  const [link, setLink] = useState("");
  const [problem, setProblem] = useState("");
  const join = (/** @type {Event} */ event) => {
    event.preventDefault();
    const found = /(?:table\/)?([\w-]{6,})\/?$/.exec(link.trim());
    if (found) go(`#/table/${found[1]}`);
    else setProblem("That is not the link of a table.");
  };
  return html`<section class="sheet" aria-labelledby="join-title"><h2 id="join-title">Join a table</h2>
    <form class="join" onSubmit=${join}><label>Link you were sent<input type="text" value=${link} onInput=${(event) => setLink(event.target.value)} required /></label>
      <button type="submit" class="button">Join</button></form>
    ${problem && html`<p class="notice" role="alert">${problem}</p>`}
  </section>`;
}

const MORE = [
  ["#/watch", "Watch", "Let bots play each other, step by step or all at once."],
  ["#/replay", "Replay", "Go through any game, see what each move was worth, try another."],
  ["#/runs", "Runs", "Thousands of games in a batch, and tournaments, live."],
];

// -- the page --

export function Lobby() {
  const [list, missing] = useGames();
  const [problem, setProblem] = useState("");
  const [chosen, setChosen] = useState(() => setting("game", null));
  const [choices, setChoices] = useState(/** @type {Record<string, Choice>} */ ({}));
  const [name, setName] = useState(() => setting("name", "Guest"));
  const [busy, setBusy] = useState(false);
  const game = list?.find((each) => each.name === chosen) ?? list?.[0];
  const choice = useMemo(() => game && (choices[game.name] ?? keptChoice(game)), [game, choices]);
  const change = (/** @type {Partial<Choice>} */ part) => {
    if (!game || !choice) return;
    const next = { ...choice, ...part };
    keepSetting(`lobby.${game.name}`, next);
    setChoices({ ...choices, [game.name]: next });
  };
  const choose = (/** @type {string} */ which) => {
    keepSetting("game", which);
    setChosen(which);
  };
  const play = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!game || !choice) return;
    setBusy(true);
    setProblem("");
    try {
      await rename(name.trim() || "Guest");
      const seats = [{ person: true }, ...choice.others.map((bot) => (bot === PERSON ? { person: true } : { bot }))];
      const made = await post("/api/tables", { game: game.name, rules: choice.rules, seats, seat: 0, to: choice.to });
      go(`#/table/${made.table}`);
    } catch (error) {
      setProblem(error.message);
      setBusy(false);
    }
  };
  const invites = choice?.others.includes(PERSON);
  const invite = () => choice && change({ others: invites ? choice.others : [...choice.others.slice(0, -1), PERSON] });
  return html`<div class="lobby">
    <${Hero} list=${list} />
    ${!list && !missing && html`<p class="waiting" role="status">Shuffling…</p>`}
    ${missing && html`<p class="notice" role="alert">${missing}</p>`}
    ${
      game &&
      html`<form class="sheet new-table" onSubmit=${play} aria-label="New table">
      <${GameChoice} list=${list} game=${game.name} onChoose=${choose} />
      <div class="choices">
        <${Seats} game=${game} choice=${choice} change=${change} name=${name} setName=${setName} />
        <${Rules} game=${game} choice=${choice} change=${change} />
      </div>
      ${problem && html`<p class="notice" role="alert">${problem}</p>`}
      <div class="start">
        <button type="submit" class="button strong big" disabled=${busy}>${invites ? "Open the table" : "Play"}</button>
        ${!invites && html`<button type="button" class="button big" onClick=${invite}>Invite others</button>`}
        ${invites && html`<p>You get a link to send; the game begins when every seat is taken.</p>`}
      </div>
    </form>`
    }
    <div class="lobby-more">
      <${MyTables} list=${list} />
      <${Join} />
      <section class="sheet" aria-labelledby="more-title"><h2 id="more-title">More than playing</h2>
        <ul class="more-list">${MORE.map(([link, title, about]) => html`<li key=${link}><a href=${link}><b>${title}</b><small>${about}</small></a></li>`)}</ul>
      </section>
    </div>
  </div>`;
}
