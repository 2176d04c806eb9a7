// Watch and Replay: bots play and the film is shown, or a record is read and shown.
//
//   #/watch                                           a form; with ?game=…&bots=random|cheater&rules=…&seed=5 the film itself
//   #/replay?record=…&at=12                           a link carries the game
//   #/replay?run=3&game=17&deal=0                     a game of a run
//   #/replay?table=ID&deal=0                          a deal at a table that is over
//   WatchPage({query}), ReplayPage({query})           as app.js calls them

import { get, go, post } from "./api.js";
import { useFace, useGames } from "./faces.js";
import { linkTo, FilmPlayer } from "./film_player.js";
import { BotSelect, GameChoice, RulesField } from "./form_fields.js";
import { keepSetting, setting } from "./settings.js";
import { html, useEffect, useId, useRef, useState } from "./vendor/preact.js";

/** @import { Film, Game } from "./types.js" */
/** @typedef {{ film: Film | null, number: number, isBusy: boolean, problem: string }} Showing */
/** @typedef {{ game: string | null, bots: string[], rules: string | null, to: string | null, deal?: number, seed?: number }} Wanted */

const MOST_SEED = Number.MAX_SAFE_INTEGER;
const SEPARATOR = "|";
const LENGTHS = [
  ["", "one deal"],
  ["200", "a contest to 200 points"],
  ["500", "a contest to 500 points"],
];

// A film that is asked for, and what came of it; `number` tells one from the next.
/** @returns {[Showing, (asking: () => Promise<Film>) => Promise<Film | null>, () => void]} */
function useFilm() {
  const [state, setState] = useState(/** @type {Showing} */ ({ film: null, number: 0, isBusy: false, problem: "" }));
  const latest = useRef(0);
  const load = async (/** @type {() => Promise<Film>} */ asking) => {
    const mine = ++latest.current;
    setState((before) => ({ ...before, isBusy: true, problem: "" }));
    try {
      const film = await asking();
      if (mine === latest.current) setState({ film, number: mine, isBusy: false, problem: "" });
      return film;
    } catch (error) {
      if (mine === latest.current) setState({ film: null, number: mine, isBusy: false, problem: error.message });
      return null;
    }
  };
  const clear = () => {
    latest.current += 1;
    setState({ film: null, number: latest.current, isBusy: false, problem: "" });
  };
  return [state, load, clear];
}

// A film, as soon as its game's board is there.
/** @param {{ film: Film, children?: any, [more: string]: unknown }} props */
function ShownFilm({ film, children, ...rest }) {
  const [face, failed] = useFace(film.game);
  if (failed) return html`<p class="problem" role="alert">The board could not be loaded.</p>`;
  if (!face) return html`<p class="waiting" role="status">Dealing…</p>`;
  return html`<${FilmPlayer} film=${film} face=${face} ...${rest}>${children}<//>`;
}

// -- Watch --

/** @param {Game} game */
function usualBots(game) {
  const names = new Set(game.bots.map((bot) => bot.name));
  const usual = game.suggested.film.filter((name) => names.has(name));
  return usual.length >= game.min_players ? usual : game.bots.slice(0, game.min_players).map((bot) => bot.name);
}

/**
 * @param {URLSearchParams} query
 * @returns {Wanted | null}
 */
function wanted(query) {
  const bots = query.get("bots");
  if (!bots) return null;
  const seed = numberIn(query, "seed", null);
  return {
    game: query.get("game") || null, // else the one that the bots play
    bots: bots.split(SEPARATOR),
    rules: query.get("rules") || null,
    to: query.get("to") || null,
    deal: numberIn(query, "deal", 0),
    ...(seed !== null && seed <= MOST_SEED ? { seed } : {}),
  };
}

/**
 * @template T
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {T} fallback
 */
const numberIn = (query, name, fallback) => (/^\d+$/.test(query.get(name) ?? "") ? Number(query.get(name)) : fallback);

// A seed that a browser's numbers hold exactly; undefined for others.
/** @param {Film} film */
function seedOf(film) {
  const seed = Number(film.seed ?? NaN);
  return Number.isSafeInteger(seed) ? seed : undefined;
}

/**
 * @param {Wanted} asked
 * @param {Film} film
 */
function watchAddress(asked, film) {
  const query = new URLSearchParams({ game: film.game, bots: asked.bots.join(SEPARATOR) });
  if (asked.rules) query.set("rules", asked.rules);
  if (asked.to) query.set("to", asked.to);
  if (asked.deal) query.set("deal", String(asked.deal));
  const seed = seedOf(film);
  if (seed !== undefined) query.set("seed", String(seed));
  return `#/watch?${query}`;
}

/** @param {{ query: URLSearchParams }} props */
export function WatchPage({ query }) {
  const [list, missing] = useGames();
  const [state, load, clear] = useFilm();
  const [last, setLast] = useState(/** @type {Wanted | null} */ (null));
  const play = async (/** @type {Wanted} */ asked) => {
    const film = await load(() => post("/api/films", asked));
    if (!film) return;
    setLast({ ...asked, seed: seedOf(film) });
    history.replaceState(null, "", watchAddress(asked, film));
  };
  useEffect(() => {
    const asked = wanted(query);
    if (asked) play(asked);
    else clear();
  }, [query]);
  const again = () => {
    history.replaceState(null, "", "#/watch");
    clear();
  };
  if (state.film) {
    return html`<${ShownFilm} key=${state.number} film=${state.film} heading="Watch" autoplay=${true}>
      <p class="row"><button type="button" class="button" onClick=${() => last && play({ ...last, deal: 0, seed: undefined })}>Another game</button>
      <button type="button" class="quiet" onClick=${again}>Other bots</button></p>
      <${Deals} film=${state.film} onDeal=${last?.seed === undefined ? null : (/** @type {number} */ deal) => play({ ...last, deal })} />
    <//>`;
  }
  return html`<div class="sheet form-sheet">
    <h1>Watch bots play</h1>
    <p class="muted">Choose who sits at the table. The whole game is played at once; then you see it as a film, at any speed.</p>
    ${(missing || state.problem) && html`<p class="problem" role="alert">${missing || state.problem}</p>`}
    ${list && html`<${WatchForm} list=${list} isBusy=${state.isBusy} onPlay=${play} />`}
    ${state.isBusy && html`<p class="muted" role="status">They play…</p>`}
  </div>`;
}

// Of a contest: which deal this is, and the way to its neighbours.
/** @param {{ film: Film, onDeal: ((deal: number) => void) | null }} props */
function Deals({ film, onDeal }) {
  if (!film.to) return null;
  return html`<p class="row deals">
    <span>Deal ${film.deal + 1} of a contest to ${film.to}</span>
    ${
      onDeal &&
      html`<button type="button" class="button" aria-label="Previous deal" disabled=${film.deal === 0} onClick=${() => onDeal(film.deal - 1)}>Previous</button>
      <button type="button" class="button" aria-label="Next deal" disabled=${film.is_last} onClick=${() => onDeal(film.deal + 1)}>Next</button>`
    }
  </p>`;
}

/** @param {{ list: Game[], isBusy: boolean, onPlay: (asked: Wanted) => unknown }} props */
function WatchForm({ list, isBusy, onPlay }) {
  const [kept, setKept] = useState(() => setting("watch", {}));
  const game = list.find((each) => each.name === kept.game) ?? list[0];
  const [bots, setBots] = useState(
    /** @returns {string[]} */ () => (kept.game === game.name && kept.bots?.length ? kept.bots : usualBots(game)),
  );
  const [rules, setRules] = useState(kept.rules ?? "");
  const [to, setTo] = useState(kept.to ?? "");
  const [seed, setSeed] = useState("");
  const id = useId();
  const chooseGame = (/** @type {string} */ name) => {
    setKept({ ...kept, game: name });
    setBots(usualBots(list.find((each) => each.name === name) ?? list[0]));
    setRules("");
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    keepSetting("watch", { game: game.name, bots, rules, to });
    onPlay({
      game: game.name,
      bots,
      rules: rules || null,
      to: (game.has_contests && to) || null,
      ...(seed === "" ? {} : { seed: Number(seed) }),
    });
  };
  const change = (/** @type {number} */ place, /** @type {string} */ name) =>
    setBots(bots.map((bot, each) => (each === place ? name : bot)));
  return html`<form class="form" onSubmit=${submit}>
    <${GameChoice} list=${list} game=${game.name} onChoose=${chooseGame} />
    <fieldset class="seats">
      <legend>Seats</legend>
      ${bots.map(
        (bot, place) => html`<div class="row seat-row" key=${place}>
          <label for=${`${id}-${place}`}>Seat ${place + 1}</label>
          <${BotSelect} id=${`${id}-${place}`} game=${game} players=${bots.length} value=${bot} onChange=${(name) => change(place, name)} cheats=${true} />
          <button
            type="button"
            class="quiet"
            aria-label=${`Take seat ${place + 1} away`}
            disabled=${bots.length <= game.min_players}
            onClick=${() => setBots(bots.filter((_, each) => each !== place))}
          >✕</button>
        </div>`,
      )}
      <button type="button" class="button" disabled=${bots.length >= game.max_players} onClick=${() => setBots([...bots, bots[bots.length - 1]])}>Add a seat</button>
    </fieldset>
    <${RulesField} game=${game} value=${rules} onChange=${setRules} />
    ${
      game.has_contests &&
      html`<label class="field" for=${`${id}-to`}>
      <span>Length</span>
      <select id=${`${id}-to`} value=${to} onChange=${(event) => setTo(event.target.value)}>
        ${LENGTHS.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === to}>${text}</option>`)}
      </select>
    </label>`
    }
    <label class="field" for=${`${id}-seed`}>
      <span>Seed</span>
      <input id=${`${id}-seed`} type="number" min="0" max=${MOST_SEED} placeholder="any" value=${seed} onInput=${(event) => setSeed(event.target.value)} />
      <small class="muted">The same seed deals the same cards.</small>
    </label>
    <p><button type="submit" class="button primary" disabled=${isBusy}>Watch</button></p>
  </form>`;
}

// -- Replay --

// Where the server has a film that is not written down in the address.
/** @param {URLSearchParams} query */
function placeIn(query) {
  const [run, table, deal] = [query.get("run"), query.get("table"), numberIn(query, "deal", 0)];
  if (run) return `/api/runs/${encodeURIComponent(run)}/games/${numberIn(query, "game", 0)}?deal=${deal}`;
  return table ? `/api/tables/${encodeURIComponent(table)}/film?deal=${deal}` : "";
}

/** @param {URLSearchParams} query */
function tableIn(query) {
  return query.get("table") && !query.get("run") && !query.get("record")
    ? { table: query.get("table"), deal: numberIn(query, "deal", 0) }
    : null;
}

/**
 * @param {URLSearchParams} query
 * @param {number} deal
 */
function withDeal(query, deal) {
  const next = new URLSearchParams(query);
  next.set("deal", String(deal));
  return `#/replay?${next}`;
}

/** @param {{ query: URLSearchParams }} props */
export function ReplayPage({ query }) {
  const [state, load, clear] = useFilm();
  const [start, setStart] = useState(0);
  useEffect(() => {
    const record = query.get("record");
    setStart(numberIn(query, "at", 0));
    if (record) load(() => post("/api/films", { record }));
    else if (placeIn(query)) load(() => get(placeIn(query)));
    else clear();
  }, [query]);
  const read = async (/** @type {string} */ record) => {
    setStart(0);
    const film = await load(() => post("/api/films", { record }));
    const link = film && linkTo(film);
    if (link) history.replaceState(null, "", link.slice(link.indexOf("#")));
  };
  const other = () => {
    history.replaceState(null, "", "#/replay");
    clear();
  };
  if (state.film) {
    return html`<${ShownFilm} key=${state.number} film=${state.film} start=${start} heading="Replay" place=${tableIn(query)}>
      <p class="row"><button type="button" class="quiet" onClick=${other}>Another record</button></p>
      <${Deals} film=${state.film} onDeal=${placeIn(query) ? (/** @type {number} */ deal) => go(withDeal(query, deal)) : null} />
    <//>`;
  }
  return html`<div class="sheet form-sheet">
    <h1>Replay</h1>
    ${state.problem && html`<p class="problem" role="alert">${state.problem}</p>`}
    ${state.isBusy && html`<p class="muted" role="status">Reading…</p>`}
    <${PasteForm} isBusy=${state.isBusy} onRead=${read} />
  </div>`;
}

/** @param {{ isBusy: boolean, onRead: (record: string) => unknown }} props */
function PasteForm({ isBusy, onRead }) {
  const [text, setText] = useState("");
  const id = useId();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onRead(text.trim());
  };
  const open = async (/** @type {any} */ event) => {
    const file = event.target.files[0];
    if (file) setText(await file.text());
  };
  return html`<form class="form" onSubmit=${submit}>
    <label class="field" for=${`${id}-text`}>
      <span>Record of a game</span>
      <textarea id=${`${id}-text`} rows="8" spellcheck="false" required value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
      <small class="muted">A line such as game/1;rules;seed=5;deal=3;seats=…;actions=…, the same as JSON, or a game of hanab.live as JSON.</small>
    </label>
    <label class="field" for=${`${id}-file`}>
      <span>Or a file</span>
      <input id=${`${id}-file`} type="file" accept=".txt,.json,text/plain,application/json" onChange=${open} />
    </label>
    <p><button type="submit" class="button primary" disabled=${isBusy || !text.trim()}>Show it</button></p>
  </form>`;
}
