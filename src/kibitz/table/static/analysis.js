// A whole game judged, move by move: how the chances went, which moves cost most, and what if another had been made.
//
//   <Analysis film face source socket at onJump />
//     face     of faces.js: the game
//     source   what the server judges: {record}, or {table, deal}; null if there is nothing     socket   of /api/kibitz (api.js)
//     at       the position shown                                     onJump   (position) => …
//   <WhatIf film face record position />            another action at a position: a new table from there
//   tryFrom(film, game, record, position, action)   makes that table, plays the action and goes there
//   costliest(judged, most), linesOf(film, judged, isTeam)

import { ApiError, go, openSocket, post } from "./api.js";
import { LineChart, ProgressBar, shown, shownWithError } from "./chart.js";
import { namesOf } from "./form_fields.js";
import { shortName } from "./seat_names.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

/** @import { Face, Film, Game, Judgement, Socket } from "./types.js" */

const MOST_LISTED = 8;
const PATIENCE = 8000; // for a new table's first position

/**
 * @param {Film} film
 * @param {number} seat
 */
const seatName = (film, seat) => shortName(film.names, seat);

// -- figures --

/** @param {Judgement} each */
const pointOf = (each) => ({ x: each.position, y: each.value, error: each.value_error });

// One line for each seat, or one of the team's score; the end of the game is known without judging.
/**
 * @param {Film} film
 * @param {Judgement[]} judged
 * @param {boolean} isTeam
 */
export function linesOf(film, judged, isTeam) {
  const end = film.frames.length - 1;
  const outcome = film.outcome?.status === "playing" ? null : film.outcome;
  if (isTeam) {
    const points = judged.map(pointOf);
    if (outcome && points.length) points.push({ x: end, y: outcome.score ?? outcome.points ?? 0, error: 0 });
    return [{ label: "score", points }];
  }
  return film.names.map((_, seat) => {
    const points = judged.filter((each) => each.seat === seat).map(pointOf);
    if (outcome && points.length && outcome.winner !== null) points.push({ x: end, y: outcome.winner === seat ? 1 : 0, error: 0 });
    return { label: seatName(film, seat), points };
  });
}

// Scores are shown with some room above and below.
/** @param {{ y: number, error: number }[]} points */
function rangeOf(points) {
  const values = points.flatMap((point) => [point.y - 2 * (point.error || 0), point.y + 2 * (point.error || 0)]);
  return [Math.max(0, Math.floor(Math.min(...values)) - 2), Math.ceil(Math.max(...values)) + 2];
}

// The moves that cost most; one whose cost could be chance alone is left out.
/** @param {Judgement[]} judged */
export function costliest(judged, most = MOST_LISTED) {
  return judged
    .filter((each) => each.cost > 0 && each.best !== each.action && each.cost > (each.error || 0))
    .sort((one, other) => other.cost - one.cost)
    .slice(0, most);
}

// Mean cost of each seat's decisions: who gave away most.
/**
 * @param {Film} film
 * @param {Judgement[]} judged
 */
function costBySeat(film, judged) {
  return film.names.map((_, seat) => {
    const own = judged.filter((each) => each.seat === seat);
    return { seat, decisions: own.length, cost: own.reduce((sum, each) => sum + Math.max(0, each.cost || 0), 0) };
  });
}

// -- asking --

/**
 * @param {Socket | null} socket
 * @param {object | null} source
 */
function useJudging(socket, source) {
  const [judged, setJudged] = useState(/** @type {Judgement[]} */ ([]));
  const [state, setState] = useState({ phase: "idle", done: 0, total: 0, problem: "" });
  const stop = useRef(() => {});
  const begin = () => {
    if (!socket) return;
    setJudged([]);
    setState({ phase: "judging", done: 0, total: 0, problem: "" });
    stop.current = socket.stream({ type: "analyse", ...source }, (reply) => {
      if (reply.type === "judged") {
        setJudged((before) => [...before, reply].sort((one, other) => one.position - other.position));
        setState((before) => ({ ...before, done: reply.done, total: reply.total }));
      } else if (reply.type === "analysed") setState((before) => ({ ...before, phase: "done" }));
      else
        setState((before) => ({ ...before, phase: "idle", problem: reply.reason || reply.error || "The connection was lost; try again." }));
    });
  };
  const halt = () => {
    stop.current();
    setState((before) => ({ ...before, phase: "stopped" }));
  };
  useEffect(() => () => stop.current(), [socket, source]);
  return { judged, state, begin, halt };
}

// -- what is shown --

/** @param {{ film: Film, face: Face, source: object | null, socket: Socket | null, at: number, onJump: (position: number) => void, isShown?: boolean }} props */
export function Analysis({ film, face, source, socket, at, onJump, isShown = true }) {
  const { judged, state, begin, halt } = useJudging(socket, source);
  if (!isShown) return null;
  const percent = !face.game.cooperative;
  const lines = linesOf(film, judged, face.game.cooperative);
  const chosen = judged.filter((each) => !film.frames[each.position + 1]?.substitute); // what a substitute did is nobody's mistake
  const unit = percent ? "Chance to win" : "Expected score";
  const [low, high] = percent ? [0, 1] : rangeOf(lines[0].points);
  return html`<section class="panel analysis" aria-labelledby="analysis-title">
    <header class="panel-head">
      <h2 id="analysis-title">Analysis</h2>
      ${state.phase === "judging" && html`<button type="button" class="quiet" onClick=${halt}>Stop</button>`}
    </header>
    ${state.problem && html`<p class="problem" role="alert">${state.problem}</p>`}
    ${
      (state.phase === "idle" || state.phase === "stopped") &&
      html`<p class="muted">${
        percent
          ? "Every decision is judged from what the player could see: how likely it won, and whether another move was better."
          : "Every decision is judged from what the player could see: the score to expect, and whether another move was better."
      }</p>
      <p>
        <button type="button" class="button primary" disabled=${!source || !socket} onClick=${begin}>
          ${judged.length ? "Analyse again" : "Analyse this game"}
        </button>
      </p>`
    }
    ${
      state.phase === "judging" &&
      html`<div class="judging">
      <${ProgressBar} done=${state.done} asked=${state.total} label="Decisions judged" />
      <span class="muted">${state.done} of ${state.total || "…"} decisions</span>
    </div>`
    }
    ${
      judged.length > 0 &&
      html`<${LineChart}
        title=${`${unit}, move by move`}
        description=${describe(film, face, chosen, percent)}
        lines=${lines}
        percent=${percent}
        low=${low}
        high=${high}
        total=${film.frames.length - 1}
        at=${at}
        onPick=${onJump}
        xName="move"
        caption=${`${unit}; bands span two standard errors to either side. Click to go to a move.`}
      />
      ${conventionText(judged) && html`<p class="muted">${conventionText(judged)}</p>`}
      <${Costs} film=${film} face=${face} judged=${chosen} percent=${percent} at=${at} onJump=${onJump} isDone=${state.phase === "done"} />`
    }
    <p class="unseen" aria-live="polite">${state.phase === "done" ? describe(film, face, chosen, percent) : ""}</p>
  </section>`;
}

// The conventions by which everybody is expected to play on, if any, and where somebody left them.
/** @param {Judgement[]} judged */
export function conventionText(judged) {
  const names = [...new Set(judged.map((each) => each.convention).filter(Boolean))];
  if (!names.length) return "";
  const left = judged.find((each) => each.convention_broken);
  const said = `Everybody is expected to play on by the convention of ${names.join(" or ")}.`;
  return left ? `${said} Before move ${left.position + 1} somebody had left it; later numbers mean less.` : said;
}

/**
 * @param {Film} film
 * @param {Face} face
 * @param {Judgement[]} judged
 * @param {boolean} percent
 */
function describe(film, face, judged, percent) {
  const worst = costliest(judged, 1)[0];
  const first = `${judged.length} decisions judged.`;
  if (!worst) return `${first} No move cost clearly more than its uncertainty.`;
  return `${first} The costliest: ${moveText(film, face, worst)}, ${costText(worst, percent)}.`;
}

/**
 * @param {Film} film
 * @param {Judgement} each
 */
const askedOf = (film, each) => ({ names: film.names, seat: each.seat, view: film.frames[each.position]?.view });

/**
 * @param {Film} film
 * @param {Face} face
 * @param {Judgement} each
 */
function moveText(film, face, each) {
  const asked = askedOf(film, each);
  const did = face.actionText(each.action, { ...asked, text: each.text });
  const better = face.actionText(each.best, { ...asked, text: each.best_text });
  return `move ${each.position + 1}, ${seatName(film, each.seat)}: ${did}, better ${better}`;
}

/**
 * @param {Judgement} each
 * @param {boolean} percent
 */
const costText = (each, percent) => shownWithError(-each.cost, each.error, percent);

/** @param {{ film: Film, face: Face, judged: Judgement[], percent: boolean, at: number, onJump: (position: number) => void, isDone: boolean }} props */
function Costs({ film, face, judged, percent, at, onJump, isDone }) {
  const listed = costliest(judged);
  const seats = costBySeat(film, judged);
  return html`<h3>Moves that cost most</h3>
    ${!listed.length && html`<p class="muted">${isDone ? "None: no move cost clearly more than its uncertainty." : "None so far."}</p>`}
    <ol class="costs">
      ${listed.map(
        (each) => html`<li key=${each.position}>
          <button type="button" class="cost" aria-current=${at === each.position ? "true" : undefined} onClick=${() => onJump(each.position)}>
            <span class="cost-move">Move ${each.position + 1}, ${seatName(film, each.seat)}</span>
            <span class="cost-words">
              <${face.ActionName} action=${each.action} text=${each.text} ...${askedOf(film, each)} />, better <b><${face.ActionName} action=${each.best} text=${each.best_text} ...${askedOf(film, each)} /></b>
            </span>
            <span class="cost-figure">${costText(each, percent)}</span>
          </button>
        </li>`,
      )}
    </ol>
    <table class="seat-costs">
      <caption>Given away in all</caption>
      <thead><tr><th scope="col">Player</th><th scope="col" class="number">Decisions</th><th scope="col" class="number">Cost</th></tr></thead>
      <tbody>
        ${seats.map(
          ({ seat, decisions, cost }) => html`<tr key=${seat}>
            <th scope="row">${seatName(film, seat)}</th>
            <td class="number">${decisions}</td>
            <td class="number">${shown(-cost, percent)}</td>
          </tr>`,
        )}
      </tbody>
    </table>`;
}

// -- what if --

// A person in the seat to act, bots in the others: those of the film where they may sit at a person's table, else the adviser.
/**
 * @param {Film} film
 * @param {Game} game
 * @param {number | null} person
 */
function seatsFor(film, game, person) {
  const honest = new Set([...game.bots, ...game.offered].filter((bot) => !bot.cheats).flatMap(namesOf));
  const other = [game.adviser, ...honest].find((name) => name && honest.has(name));
  return film.names.map((name, seat) => (seat === person ? { person: true } : { bot: honest.has(name) ? name : other }));
}

// The first position of a table, and the action played there.
/**
 * @param {string} table
 * @param {string} action
 */
function playOnce(table, action) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(reject, new ApiError("The new table does not answer.")), PATIENCE);
    let isDone = false;
    const finish = (/** @type {(value: any) => void} */ settle, /** @type {unknown} */ value = undefined) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      socket.close();
      settle(value);
    };
    const socket = openSocket(
      `/api/tables/${table}/live`,
      (message) => {
        if (message.type !== "position" && message.type !== "update") return;
        if (!message.legal?.length) return;
        socket.ask({ type: "act", deal: message.deal, position: message.position, action }).then(
          () => finish(resolve),
          (error) => finish(reject, error),
        );
      },
      (state) => state === "closed" && finish(reject, new ApiError(socket.reason || "The new table does not answer.")),
    );
  });
}

/**
 * @param {Film} film
 * @param {Game} game
 * @param {string} record
 * @param {number} position
 * @param {string} action
 */
export async function tryFrom(film, game, record, position, action) {
  const seat = film.frames[position].to_act;
  const made = await post("/api/tables", {
    game: film.game,
    rules: film.rules.text,
    seats: seatsFor(film, game, seat),
    seat,
    start: { record, position, seat },
  });
  await playOnce(made.table, action);
  go(`#/table/${made.table}`);
}

/** @param {{ film: Film, face: Face, record: string | null, position: number }} props */
export function WhatIf({ film, face, record, position }) {
  const frame = film.frames[position];
  const taken = film.frames[position + 1]?.action;
  const others = (frame.legal ?? []).filter((action) => action !== taken);
  const offered = others.length ? others : frame.legal;
  const [chosen, setChosen] = useState("");
  const [state, setState] = useState({ isBusy: false, problem: "" });
  useEffect(() => setChosen(""), [position]);
  if (frame.to_act === null || !frame.legal?.length) return null;
  if (!record) {
    return html`<p class="muted what-if">To play on from here takes the record of the game, which is given out when the contest is over: it tells the deals to come.</p>`;
  }
  const asked = { names: film.names, seat: frame.to_act, view: frame.view };
  const words = (/** @type {string} */ action) => face.actionText(action, asked);
  const start = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const action = chosen || offered[0];
    setState({ isBusy: true, problem: "" });
    try {
      await tryFrom(film, face.game, record, position, action);
    } catch (error) {
      setState({ isBusy: false, problem: error.message });
    }
  };
  return html`<form class="what-if" onSubmit=${start}>
    <h3>What if?</h3>
    <p class="muted">
      ${film.frames[position + 1]?.substitute ? "The substitute of " : ""}${seatName(film, frame.to_act)} ${taken ? html`chose <b>${words(taken)}</b> here.` : "was to decide here."} Take the seat, do something else, and play on.
    </p>
    <div class="row">
      <label>
        <span class="unseen">Another action</span>
        <select value=${chosen || offered[0]} onChange=${(event) => setChosen(event.target.value)}>
          ${offered.map((action) => html`<option key=${action} value=${action}>${words(action)}</option>`)}
        </select>
      </label>
      <button type="submit" class="button" disabled=${state.isBusy}>${state.isBusy ? "Setting up…" : "Try it"}</button>
    </div>
    ${state.problem && html`<p class="problem" role="alert">${state.problem}</p>`}
  </form>`;
}
