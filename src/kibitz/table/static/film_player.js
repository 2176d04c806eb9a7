// The player of films: a recorded game that runs, stops and steps, seen with all hands open or from one seat.
//
//   <FilmPlayer film face start heading autoplay place>…</FilmPlayer>      what is inside stands beside the heading
//     film      as POST /api/films gives it             start   the position shown first
//     face      of faces.js: the game
//     place     {table, deal}, for questions about a deal whose record is not given out yet
//   recordOf(film)                 what the server reads again: the record's line, or hanab.live's JSON as text; null if there is none
//   seenBy(film, face, frame, viewer)    the position as a board shows it; viewer is a seat, or null for open hands
//   linkTo(film, position)         an address that carries the game

import { ActionTable, Advice, isPreference, preferenceWords } from "./advice.js";
import { Analysis, tryFrom, WhatIf } from "./analysis.js";
import { openSocket } from "./api.js";
import { CardSentence, spoken } from "./card_sentence.js";
import { shownLines } from "./guide.js";
import { say } from "./screen_reader.js";
import { distinctNames } from "./seat_names.js";
import { keepSetting, setting } from "./settings.js";
import { Sharing } from "./sharing.js";
import { useKeydown } from "./shortcuts.js";
import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact.js";

/** @import { Face, Film, Frame, Row, Socket } from "./types.js" */

const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_TIME = 1100; // milliseconds a step at speed 1
const OPEN = "open"; // the choice that shows all hands
const TABS = [
  ["moves", "Moves"],
  ["advice", "Advice"],
  ["analysis", "Analysis"],
  ["share", "Share"],
];

/**
 * @param {Film} film
 * @returns {string | null}
 */
export function recordOf(film) {
  return film.record ?? (film.live ? JSON.stringify(film.live) : null);
}

/** @param {Film} film */
export function linkTo(film, position = 0) {
  const record = recordOf(film);
  if (!record) return "";
  const query = new URLSearchParams({ record });
  if (position) query.set("at", String(position));
  return `${location.origin}${location.pathname}#/replay?${query}`;
}

// -- what a viewer sees --

// What happened in words; of an action that says nothing yet, such as drawing before a card is kept or played, who did it.
/**
 * @param {Film} film
 * @param {Face} face
 * @param {Frame} frame
 */
function wordsOf(film, face, frame) {
  if (frame.words.length || !frame.action || frame.seat === null) return shownLines(frame.words).join(" ");
  return `${film.names[frame.seat]}: ${face.actionText(frame.action, { names: film.names, seat: frame.seat, view: frame.view })}.`;
}

// The same where the mark of a substitute's move has no place beside the words.
/**
 * @param {Film} film
 * @param {Face} face
 * @param {Frame} frame
 */
const markedWords = (film, face, frame) => (frame.substitute ? `Substitute: ${wordsOf(film, face, frame)}` : wordsOf(film, face, frame));

/**
 * @param {Film} film
 * @param {Face} face
 * @param {Frame} frame
 * @param {number | null} viewer
 */
export function seenBy(film, face, frame, viewer) {
  return {
    view: face.viewOf ? face.viewOf(frame, viewer) : frame.view,
    names: film.names,
    kinds: film.names.map(() => "bot"),
    present: film.names.map(() => true),
    seat: viewer ?? 0,
    hands: viewer === null ? frame.hands : null,
    rules: film.rules,
    events: frame.events ?? [],
    step: frame.position,
    note: markedWords(film, face, frame),
  };
}

// -- moving through a film --

/**
 * @param {number} last
 * @param {number} start
 * @param {boolean} autoplay
 */
function usePlaying(last, start, autoplay) {
  const [position, setPosition] = useState(Math.min(last, Math.max(0, start)));
  const [isPlaying, setPlaying] = useState(autoplay);
  const [speed, setSpeed] = useState(() => setting("film.speed", 1));
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => setPosition((before) => Math.min(last, before + 1)), STEP_TIME / speed);
    return () => clearInterval(timer);
  }, [isPlaying, speed, last]);
  useEffect(() => {
    if (position >= last) setPlaying(false);
  }, [position, last]);
  const move = (/** @type {(before: number) => number} */ to) => {
    setPlaying(false);
    setPosition((before) => Math.min(last, Math.max(0, to(before))));
  };
  const jump = (/** @type {number} */ to) => move(() => to);
  const step = (/** @type {number} */ by) => move((before) => before + by);
  const toggle = () => {
    setPosition((before) => (before >= last ? 0 : before));
    setPlaying((before) => !before);
  };
  const choose = (/** @type {number} */ value) => {
    keepSetting("film.speed", value);
    setSpeed(value);
  };
  return { position, isPlaying, speed, jump, step, toggle, choose };
}

const FIELDS = "input:not([type=range]), select, textarea, [contenteditable], [role=tab], dialog";

// Whether a key scrolls what has the focus: the film leaves it to the browser then.
/** @param {{ key: string, target: any }} event */
function isForScrolling({ key, target }) {
  const isWide = (/** @type {Element} */ box) => box.scrollWidth > box.clientWidth;
  const isLong = (/** @type {Element} */ box) => isWide(box) || box.scrollHeight > box.clientHeight;
  /** @type {Record<string, (box: Element) => boolean>} */
  const kinds = { ArrowLeft: isWide, ArrowRight: isWide, Home: isLong, End: isLong };
  const goesOn = kinds[key];
  if (!goesOn) return false;
  for (let box = target; box && box !== document.body; box = box.parentElement) {
    if (goesOn(box) && /auto|scroll/.test(getComputedStyle(box).overflow)) return true;
  }
  return false;
}

/** @param {{ jump: (to: number) => void, step: (by: number) => void, toggle: () => void, last: number }} film */
function useKeys({ jump, step, toggle, last }) {
  /** @type {Record<string, () => void>} */
  const kinds = { " ": toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => jump(0), End: () => jump(last) };
  useKeydown((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest(FIELDS) || isForScrolling({ key: event.key, target })) return;
    const isRange = target.matches("input[type=range]");
    if (event.key === " " && target.closest("button, summary, a")) return;
    const does = kinds[event.key];
    if (!does || (isRange && event.key !== " ")) return;
    event.preventDefault();
    does();
  });
}

// -- parts --

/** @type {Record<string, string>} */
const ICONS = {
  first: "M5 4h3v16H5zM20 4v16L9 12z",
  back: "M6 4h3v16H6zM19 4v16l-9-8z",
  play: "M7 4l13 8-13 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  next: "M15 4h3v16h-3zM5 4l9 8-9 8z",
  last: "M16 4h3v16h-3zM4 4l11 8-11 8z",
};

/** @param {{ icon: string, label: string, keys?: string, [attribute: string]: unknown }} props */
function IconButton({ icon, label, keys, ...rest }) {
  return html`<button type="button" class=${`film-button ${icon}`} aria-label=${label} title=${keys ? `${label} (${keys})` : label} ...${rest}>
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${ICONS[icon]} /></svg>
  </button>`;
}

/** @param {{ film: Film, face: Face, playing: ReturnType<typeof usePlaying>, viewer: number | null, setViewer: (viewer: number | null) => void, last: number }} props */
function Controls({ film, face, playing, viewer, setViewer, last }) {
  const { position, isPlaying, speed, jump, step, toggle, choose } = playing;
  return html`<div class="film-controls">
    <div class="film-buttons" role="group" aria-label="Playback">
      <${IconButton} icon="first" label="First position" keys="Home" onClick=${() => jump(0)} disabled=${position === 0} />
      <${IconButton} icon="back" label="Step back" keys="←" onClick=${() => step(-1)} disabled=${position === 0} />
      <${IconButton} icon=${isPlaying ? "pause" : "play"} label=${isPlaying ? "Pause" : "Play"} keys="space" onClick=${toggle} />
      <${IconButton} icon="next" label="Step forward" keys="→" onClick=${() => step(1)} disabled=${position === last} />
      <${IconButton} icon="last" label="Last position" keys="End" onClick=${() => jump(last)} disabled=${position === last} />
    </div>
    <label class="film-slider">
      <span class="unseen">Position</span>
      <input
        type="range"
        min="0"
        max=${last}
        value=${position}
        aria-valuetext=${`move ${position} of ${last}`}
        onInput=${(event) => jump(Number(event.target.value))}
      />
      <span class="film-count" aria-hidden="true">${position}<small> / ${last}</small></span>
    </label>
  </div>
    <div class="film-choices">
      <label>
        <span>Speed</span>
        <select value=${speed} onChange=${(event) => choose(Number(event.target.value))}>
          ${SPEEDS.map((each) => html`<option key=${each} value=${each}>${each}×</option>`)}
        </select>
      </label>
      ${
        face.viewOf &&
        html`<label class="film-view">
        <span>View</span>
        <select value=${viewer ?? OPEN} onChange=${(event) => setViewer(event.target.value === OPEN ? null : Number(event.target.value))}>
          <option value=${OPEN}>Open hands</option>
          ${film.names.map((name, seat) => html`<option key=${seat} value=${seat}>Seat ${seat + 1}: ${name}</option>`)}
        </select>
      </label>`
      }
    </div>`;
}

// The words of every step; the current one is kept in sight inside the list, without moving the page.
/** @param {{ film: Film, face: Face, position: number, onJump: (position: number) => void }} props */
function Moves({ film, face, position, onJump }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const box = list.current;
    const row = /** @type {HTMLElement | null | undefined} */ (box?.querySelector("[aria-current]"));
    if (!box || !row) return;
    const top = row.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 80) box.scrollTop = top - box.clientHeight / 2;
  }, [position]);
  return html`<ol class="moves" ref=${list} aria-label="Moves">
    ${film.frames.map(
      (frame) => html`<li key=${frame.position}>
        <button type="button" aria-current=${frame.position === position ? "step" : undefined} onClick=${() => onJump(frame.position)}>
          <span class="move-number" aria-hidden="true">${frame.position}</span>
          <span>${frame.substitute && html`<span class="tag substitute-tag">substitute</span> `}<${CardSentence} text=${wordsOf(film, face, frame)} face=${face} /></span>
        </button>
      </li>`,
    )}
  </ol>`;
}

// What a bot that searches, or a learned one, thought before its move, or which of its rules fired, as it was noted when it was played.
/** @param {{ film: Film, face: Face, frame: Frame }} props */
function Thoughts({ film, face, frame }) {
  const said = frame.explanation;
  if (!said) return null;
  const fired = said.rule && html`<p><b>${said.bot}</b>, rule ${said.rule}: ${said.words}.</p>`;
  if (!said.rows?.length) return fired && html`<section class="thoughts">${fired}</section>`;
  const rows = said.rows.map((/** @type {Row & { name: string }} */ row, /** @type {number} */ place) => ({
    ...row,
    action: row.name,
    best: place === 0 && row.value !== null,
  }));
  return html`<section class="thoughts">
    ${fired}
    <${ActionTable}
      face=${face}
      rows=${rows}
      unit=${said.unit}
      chosen=${said.name}
      names=${film.names}
      seat=${said.seat}
      view=${frame.view}
      caption=${
        isPreference(said.unit)
          ? preferenceWords(said, `${said.bot} preferred`, "it gave")
          : `What ${said.bot} thought before its move (${said.unit}).`
      }
    />
    ${said.note && html`<p class="muted">${said.note}</p>`}
  </section>`;
}

/** @param {{ tab: string, setTab: (tab: string) => void }} props */
function Tabs({ tab, setTab }) {
  const press = (/** @type {any} */ event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const place = (TABS.findIndex(([name]) => name === tab) + step + TABS.length) % TABS.length;
    setTab(TABS[place][0]);
    event.currentTarget.children[place].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label="About this game" onKeyDown=${press}>
    ${TABS.map(
      ([name, title]) => html`<button
        key=${name}
        type="button"
        role="tab"
        id=${`tab-${name}`}
        aria-controls="film-panel"
        aria-selected=${tab === name ? "true" : "false"}
        tabindex=${tab === name ? 0 : -1}
        onClick=${() => setTab(name)}
      >${title}</button>`,
    )}
  </div>`;
}

// Sockets to the kibitzer, opened when first needed: advice and analysis each have one, since "stop" ends all that a socket asked.
/** @param {boolean} isWanted */
function useKibitzer(isWanted) {
  const [socket, setSocket] = useState(/** @type {Socket | null} */ (null));
  const opened = useRef(/** @type {Socket | null} */ (null));
  useEffect(() => {
    if (!isWanted || opened.current) return;
    opened.current = openSocket("/api/kibitz", () => {});
    setSocket(opened.current);
  }, [isWanted]);
  useEffect(() => () => opened.current?.close(), []);
  return socket;
}

// -- the player --

/**
 * @param {Film} film
 * @param {Face} face
 */
export function resultText(film, face) {
  if (film.ending) return film.ending;
  if (!film.outcome?.status || film.outcome.status === "playing") return "Not finished.";
  const { winner, points } = film.outcome;
  if (winner !== undefined && winner !== null) return `${distinctNames(film.names)[winner]} wins ${points} points.`;
  return face.resultText(film.outcome);
}

/** @param {{ film: Film, face: Face, start?: number, heading?: string, autoplay?: boolean, place?: { table: string, deal: number } | null, children?: any }} props */
export function FilmPlayer({ film, face, start = 0, heading = "Replay", autoplay = false, place = null, children }) {
  const last = film.frames.length - 1;
  const record = useMemo(() => recordOf(film), [film]);
  const source = useMemo(() => (record ? { record } : place), [record, place?.table, place?.deal]);
  const playing = usePlaying(last, start, autoplay);
  const { position, isPlaying, jump } = playing;
  const [viewer, setViewer] = useState(/** @type {number | null} */ (null)); // a seat; null sees all hands
  const [tab, setTab] = useState("moves");
  const [problem, setProblem] = useState("");
  const advising = useKibitzer(tab === "advice" && source !== null);
  const judging = useKibitzer(tab === "analysis" && source !== null);
  useKeys({ ...playing, last });
  const frame = film.frames[position];
  useEffect(() => {
    if (position && (!isPlaying || playing.speed <= 1)) say(spoken(markedWords(film, face, frame), face));
  }, [position]);
  const shown = useMemo(() => seenBy(film, face, frame, viewer), [film, face, frame, viewer]);
  const question = useMemo(() => ({ ...source, position }), [source, position]);
  const asked = {
    film: true,
    position,
    deal: 0,
    seat: frame.to_act,
    names: film.names,
    view: frame.view,
    legal: isPlaying || frame.to_act === null ? [] : frame.legal,
    isOver: frame.to_act === null,
    hint: isPlaying ? "Stop the film to ask for advice." : "",
  };
  const attempt = async (/** @type {string} */ action) => {
    if (record) await tryFrom(film, face.game, record, position, action).catch((error) => setProblem(error.message));
  };
  return html`<div class="film">
    <div class="film-head">
      <h1>${heading}</h1>
      <p class="muted film-about">${distinctNames(film.names).join(" · ")}${film.rules?.text ? `, ${film.rules.text} rules` : ""}. <b>${resultText(film, face)}</b></p>
      ${children}
    </div>
    <div class="film-stage">
      <h2 class="unseen">Table</h2>
      <div class="film-board"><${face.Board} ...${shown} /></div>
      <${Controls} film=${film} face=${face} playing=${playing} viewer=${viewer} setViewer=${setViewer} last=${last} />
    </div>
    <div class="film-side">
      <${Tabs} tab=${tab} setTab=${setTab} />
      <div id="film-panel" role="tabpanel" aria-labelledby=${`tab-${tab}`} class="film-panel" tabindex="0">
        ${problem && html`<p class="problem" role="alert">${problem}</p>`}
        ${tab === "moves" && html`<${Moves} film=${film} face=${face} position=${position} onJump=${jump} /><${Thoughts} film=${film} face=${face} frame=${frame} />`}
        ${
          tab === "advice" &&
          (source
            ? html`<${Advice} socket=${advising} face=${face} message=${asked} question=${question} onPlay=${record ? attempt : undefined} verb="What if? " />
              ${!isPlaying && html`<${Thoughts} film=${film} face=${face} frame=${frame} />`}`
            : html`<p class="muted">Advice needs the record of the game, which is given out when the contest is over.</p>`)
        }
        <${Analysis} film=${film} face=${face} source=${source} socket=${judging} at=${position} onJump=${jump} isShown=${tab === "analysis"} />
        ${tab === "analysis" && !isPlaying && html`<${WhatIf} film=${film} face=${face} record=${record} position=${position} />`}
        ${tab === "share" && html`<${Sharing} film=${film} face=${face} link=${linkTo(film, position)} position=${position} />`}
      </div>
    </div>
  </div>`;
}
