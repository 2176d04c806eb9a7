// Runs: what was played in bulk, what is being played now, and a form that starts more.
//
//   RunsPage({query})      the list, and the form
//   RunPage({id})          one run: progress, bars that grow as games come in, the winner at the end, its report and its games

import { celebrate } from "./animations.js";
import { ApiError, get, go, openSocket, post, useAnswer } from "./api.js";
import { Bar, counted, ProgressBar, shown, shownWithError, sortedGently, useGliding } from "./chart.js";
import { titleIn, useGames } from "./faces.js";
import { RunForm } from "./run_form.js";
import { say } from "./screen_reader.js";
import { html, useEffect, useId, useMemo, useRef, useState } from "./vendor/preact.js";

/** @import { Game, Run, RunRow, Socket } from "./types.js" */

const LOOK_AGAIN = 3000; // milliseconds between looks at a list in which something runs

/** @type {Record<string, string>} */
const STATUS = {
  running: "running",
  complete: "complete",
  interrupted: "stopped",
  failed: "failed",
  killed: "broken off",
};

// -- in words --

/** @param {number | null | undefined} seconds */
export function spanText(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

/** @param {number | null | undefined} rate */
const rateText = (rate) => (rate ? `${counted(rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate))} games/s` : "");
/** @param {number} seconds */
const dateText = (seconds) => new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
/** @param {Run} run */
const titleOf = (run) => run.title || run.command || run.kind;

// A bot's name may go on in the next line after its colon.
/** @param {string} name */
const breakable = (name) => name.split(":").map((part, place) => (place ? html`:<wbr />${part}` : part));

/** @param {{ status: string }} props */
function StatusMark({ status }) {
  return html`<span class=${`status status-${status}`}>${STATUS[status] ?? status}</span>`;
}

// -- the list --

/** @returns {[Run[] | null, string]} */
function useRuns() {
  const [looks, setLooks] = useState(0);
  const [answer, problem] = useAnswer(() => get("/api/runs"), [looks]);
  /** @type {Run[] | null} */
  const runs = answer && answer.runs;
  useEffect(() => {
    if (!runs?.some((run) => run.status === "running")) return undefined;
    const timer = setTimeout(() => setLooks((count) => count + 1), LOOK_AGAIN);
    return () => clearTimeout(timer);
  }, [answer]);
  return [runs, problem];
}

export function RunsPage() {
  const [runs, problem] = useRuns();
  const [list] = useGames();
  const [isOpen, setOpen] = useState(false);
  const started = (/** @type {string} */ run) => go(`#/runs/${run}`);
  return html`<div class="runs">
    <div class="row spread">
      <h1>Runs</h1>
      <button
        type="button"
        class=${isOpen ? "button" : "button primary"}
        aria-expanded=${isOpen ? "true" : "false"}
        aria-controls="run-form"
        onClick=${() => setOpen(!isOpen)}
      >
        ${isOpen ? "Not now" : "Start a run"}
      </button>
    </div>
    <p class="muted">Thousands of games at once: a match, a table of figures, a tournament. What the command line has played is here too.</p>
    <div id="run-form">${isOpen && html`<${RunForm} onStarted=${started} />`}</div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${!runs && !problem && html`<p class="muted" role="status">Looking…</p>`}
    ${runs && !runs.length && html`<p class="empty">Nothing has been played yet. Start a run, and watch the bars grow.</p>`}
    ${
      runs &&
      runs.length > 0 &&
      html`<ul class="run-list" aria-label="Runs, the newest first">
      ${runs.map((run) => html`<${RunItem} key=${run.run} run=${run} list=${list} />`)}
    </ul>`
    }
  </div>`;
}

/** @param {{ run: Run, list: Game[] | null }} props */
function RunItem({ run, list }) {
  const share = run.asked ? run.done / run.asked : 0;
  return html`<li class="run-item">
    <a href=${`#/runs/${run.run}`}>
      <span class="run-title">${titleOf(run)}</span>
      <span class="run-facts muted">
        <span>${run.kind}</span>
        <span>${titleIn(list, run.game)}</span>
        <span>${counted(run.done)}${run.asked && run.done < run.asked ? ` of ${counted(run.asked)}` : ""} games</span>
        <span>${dateText(run.started)}</span>
      </span>
      <${StatusMark} status=${run.status} />
    </a>
    ${run.status === "running" && html`<${Bar} value=${share} />`}
  </li>`;
}

// -- one run --

// A run as it stands, and as it goes on.
/** @param {string} id */
function useRun(id) {
  const [run, setRun] = useState(/** @type {Run | null} */ (null));
  const [problem, setProblem] = useState("");
  const [line, setLine] = useState("connecting");
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let gone = false;
    /** @type {Socket | null} */
    let socket = null;
    get(`/api/runs/${encodeURIComponent(id)}`)
      .then((found) => {
        if (gone) return;
        setRun(found);
        setProblem("");
        if (found.status !== "running") return;
        socket = openSocket(
          `/api/runs/${encodeURIComponent(id)}/live`,
          (message) => {
            if (gone || message.type !== "progress") return;
            const { type, ...news } = message;
            setRun((before) => before && { ...before, ...news, rows: news.rows?.length ? news.rows : before.rows });
            if (news.status !== "running") socket?.close();
          },
          (state) => !gone && setLine(state),
        );
      })
      .catch((error) => !gone && setProblem(error.message));
    return () => {
      gone = true;
      socket?.close();
    };
  }, [id, again]);
  return { run, problem, line, setProblem, reload: () => setAgain((count) => count + 1) };
}

// The share of games won, or the mean score of a game played together.
/** @param {RunRow} row */
const valueOf = (row) => row.win_rate ?? row.mean ?? null;

// How much of a row's games are played: bars grow with it.
/**
 * @param {Run} run
 * @param {RunRow} row
 */
function grown(run, row) {
  if (!run.asked) return 1;
  if (run.kind === "evaluate") return Math.min(1, row.games / Math.max(1, run.asked / run.rows.length));
  return Math.min(1, run.done / run.asked);
}

/** @param {{ id: string }} props */
export function RunPage({ id }) {
  const { run, problem, line, setProblem, reload } = useRun(id);
  const [isBusy, setBusy] = useState(false);
  const party = useRef(/** @type {HTMLElement | null} */ (null));
  const was = useRef(/** @type {string | null} */ (null));
  useEffect(() => {
    if (!run) return;
    if (was.current === "running" && run.status === "complete") {
      const first = ranked(run)[0];
      say(first ? `The run is complete. First is ${first.bot}.` : "The run is complete.");
      celebrate(party.current);
    }
    was.current = run.status;
  }, [run?.status]);
  const change = async (/** @type {string} */ what) => {
    setBusy(true);
    try {
      await post(`/api/runs/${encodeURIComponent(id)}/${what}`);
      setProblem("");
      reload();
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
    setBusy(false);
  };
  if (!run) {
    return html`<div class="runs"><h1>Run ${id}</h1>
      ${
        problem
          ? html`<p class="problem" role="alert">${problem}</p><p><a class="button" href="#/runs">All runs</a></p>`
          : html`<p class="muted" role="status">Looking…</p>`
      }
    </div>`;
  }
  const isRunning = run.status === "running";
  const mayGoOn = ["interrupted", "killed", "failed"].includes(run.status);
  return html`<div class="runs run">
    <div class="party" ref=${party}></div>
    <p class="crumb"><a href="#/runs">All runs</a></p>
    <div class="row spread">
      <h1>${titleOf(run)}</h1>
      <${StatusMark} status=${run.status} />
    </div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${run.reason && html`<p class="problem">${run.reason}</p>`}
    <${Progress} run=${run} line=${line} />
    <${Standing} run=${run} />
    <div class="row run-buttons">
      ${isRunning && run.own !== false && html`<button type="button" class="button" disabled=${isBusy} onClick=${() => change("stop")}>Stop</button>`}
      ${mayGoOn && html`<button type="button" class="button primary" disabled=${isBusy} onClick=${() => change("resume")}>Resume</button>`}
      ${run.done > 0 && html`<a class="button" href=${`/api/runs/${encodeURIComponent(id)}/report`} target="_blank" rel="noopener">Open the report</a>`}
    </div>
    ${run.done > 0 && html`<${StoredGame} run=${run} id=${id} />`}
    <details class="figures">
      <summary>How it was asked for</summary>
      <dl class="facts">
        <div><dt>Run</dt><dd>${run.run ?? id}</dd></div>
        <div><dt>Kind</dt><dd>${run.kind}</dd></div>
        <div><dt>Begun</dt><dd>${dateText(run.started)}</dd></div>
        ${run.ended && html`<div><dt>Ended</dt><dd>${dateText(run.ended)}</dd></div>`}
      </dl>
      <p><code>${run.command}</code></p>
    </details>
  </div>`;
}

/** @param {{ run: Run, line: string }} props */
function Progress({ run, line }) {
  const isRunning = run.status === "running";
  const share = run.asked ? run.done / run.asked : null;
  const parts = [
    `${counted(run.done)}${run.asked ? ` of ${counted(run.asked)}` : ""} games`,
    rateText(run.rate),
    isRunning
      ? run.seconds_left || run.seconds_left === 0
        ? `${spanText(run.seconds_left)} to go`
        : ""
      : run.seconds
        ? `in ${spanText(run.seconds)}`
        : "",
  ].filter(Boolean);
  return html`<div class="run-progress">
    <${ProgressBar} done=${run.done} asked=${run.asked} label="Games played" />
    <p>
      ${share !== null && html`<b class="percentage">${Math.floor(100 * share)} %</b>`} <span class="muted">${parts.join(" · ")}</span>
      ${isRunning && line === "lost" && html` <span class="problem">The connection is lost; trying again…</span>`}
    </p>
  </div>`;
}

/** @param {Run} run */
function ranked(run) {
  return [...(run.rows ?? [])].sort((one, other) => (valueOf(other) ?? -1) - (valueOf(one) ?? -1));
}

// Places change as figures do; while the run goes on only what is clearly better overtakes, so that rows do not flicker.
/**
 * @param {Run} run
 * @returns {{ key: string, row: RunRow }[]}
 */
function useOrder(run) {
  const kept = useRef(/** @type {string[]} */ ([]));
  return useMemo(() => {
    const rows = run.rows ?? [];
    /** @type {Map<string, RunRow>} */
    const keyed = new Map(ranked(run).map((row) => [`${rows.indexOf(row)} ${row.bot}`, row]));
    const shownRows = [...keyed].map(([action, row]) => ({ action, value: valueOf(row), error: row.error }));
    kept.current = sortedGently(kept.current, shownRows, run.status !== "running");
    return kept.current.map((key) => ({ key, row: /** @type {RunRow} */ (keyed.get(key)) }));
  }, [run.rows, run.status]);
}

/** @param {{ run: Run }} props */
function Standing({ run }) {
  const order = useOrder(run);
  const body = useGliding(order.map(({ key }) => key));
  if (!order.length)
    return html`<p class="muted">${run.status === "running" ? "The first games are being played." : "No figures are kept of it."}</p>`;
  const percent = order.some(({ row }) => row.win_rate !== null && row.win_rate !== undefined);
  const high = Math.max(...order.map(({ row }) => (valueOf(row) ?? 0) + 2 * (row.error || 0)), percent ? 0.05 : 1) * 1.04;
  const isDone = run.status === "complete";
  const best = valueOf(order[0].row);
  return html`<table class="standing">
    <caption>${percent ? "Share of games won" : "Mean score"}${isDone ? "" : " so far"}; whiskers span two standard errors to either side.</caption>
    <thead>
      <tr>
        <th scope="col">Bot</th>
        <th scope="col" class="bar-cell"><span class="unseen">As a bar</span></th>
        <th scope="col" class="number">${percent ? "Won" : "Score"}</th>
        ${percent && html`<th scope="col" class="number wide-only">Points a game</th>`}
      </tr>
    </thead>
    <tbody ref=${body}>
      ${order.map(({ key, row }, place) => {
        const [share, value] = [grown(run, row), valueOf(row)];
        const isFirst = isDone && order.length > 1 && valueOf(row) === best;
        return html`<tr key=${key} data-key=${key} class=${isFirst ? "winner" : ""}>
          <th scope="row">
            <div class="standing-name">
              <span class="place" aria-hidden="true">${place + 1}</span>
              <span>${breakable(row.bot)} ${isFirst && html`<span class="tag best-tag"><span aria-hidden="true">★ </span>winner</span>`}</span>
            </div>
          </th>
          <td class="bar-cell">
            <${Bar}
              value=${value === null ? null : value * share}
              error=${(row.error || 0) * share}
              high=${high}
              tone=${Number(key.split(" ")[0]) % 10}
              mark=${isFirst ? "is-best" : ""}
            />
          </td>
          <td class="number">
            ${shownWithError(valueOf(row), row.error, percent)}
            <small>${row.wins === null || row.wins === undefined ? `${counted(row.games)} games` : `${counted(row.wins)} of ${counted(row.games)}`}</small>
          </td>
          ${percent && html`<td class="number wide-only">${shown(row.mean, false)}</td>`}
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/** @param {{ run: Run, id: string }} props */
function StoredGame({ run, id }) {
  const [number, setNumber] = useState("0");
  const field = useId();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    go(`#/replay?run=${encodeURIComponent(id)}&game=${encodeURIComponent(number)}`);
  };
  return html`<form class="row stored" onSubmit=${submit}>
    <label for=${field}>Watch game</label>
    <input
      id=${field}
      type="number"
      min="0"
      max=${Math.max(0, (run.asked ?? run.done) - 1)}
      required
      value=${number}
      onInput=${(event) => setNumber(event.target.value)}
    />
    <button type="submit" class="button">Open</button>
  </form>`;
}
