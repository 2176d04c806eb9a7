// A table: its connection, what happens shown at a pace the person likes, and everything around the board.

import { isStill } from "./animations.js";
import { get, openSocket, post, rename, useAnswer } from "./api.js";
import { CardSentence, spoken } from "./card_sentence.js";
import { CopyField } from "./copy_and_save.js";
import { EndDialog } from "./end_dialog.js";
import { useFace } from "./faces.js";
import { guideAmong, GuideWindow, isMeaning, shownLines } from "./guide.js";
import { MessageQueue } from "./message_queue.js";
import { Modal } from "./modal.js";
import { loadPanelStyle, useNarrow } from "./screen.js";
import { say } from "./screen_reader.js";
import { distinctNames } from "./seat_names.js";
import { keepSetting, keysAreOn, meaningsAreOn, setCalm, setKeys, setting } from "./settings.js";
import { isShortcut, shortcut, useKeydown } from "./shortcuts.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

/** @import { Face, Position, Socket, TableInfo } from "./types.js" */

const PACES = [
  [0, "at once"],
  [350, "fast"],
  [650, "normal"],
  [1200, "slow"],
];
const NORMAL_PACE = 650;
const LINES = 60;
const TABLE_KEYS = [
  ["a", "advice: what every move is worth"],
  ["Space", "show at once what has happened meanwhile"],
  ["?", "this list"],
  ["Tab, Enter", "everything else"],
];

// -- what is shown --

// What is known of a table, and how the person has it shown.
/** @param {string} id */
function useTable(id) {
  const [shown, setShown] = useState(/** @type {Position | null} */ (null));
  const [lines, setLines] = useState(/** @type {string[]} */ ([]));
  const [heard, setHeard] = useState(/** @type {string[]} */ ([])); // what the latest message says, for a screen reader
  const [state, setState] = useState("connecting");
  const [waiting, setWaiting] = useState(0);
  const [people, setPeople] = useState(/** @type {Position | null} */ (null));
  const [socket, setSocket] = useState(/** @type {Socket | null} */ (null));
  const [failure, setFailure] = useState(""); // why the table stands still
  const queue = useRef(/** @type {MessageQueue<Position> | null} */ (null));
  useEffect(() => {
    const show = (/** @type {Position} */ message) => {
      const words = message.words ?? [];
      if (message.type === "position") setLines(message.log ?? []);
      else setLines((before) => [...before, ...words].slice(-LINES));
      setShown((before) => ({ ...before, ...message, events: message.events ?? [], notes: message.notes ?? before?.notes ?? {} }));
      const question = message.legal?.length ? message.decision?.question : "";
      setHeard((before) => [...before, ...(message.type === "update" ? shownLines(words) : []), ...(question ? [question] : [])]);
      setPeople(null);
    };
    const made = new MessageQueue({
      show,
      onWaiting: setWaiting,
      pace: () => setting("pace", NORMAL_PACE),
      isHidden: () => document.hidden,
    });
    queue.current = made;
    const hear = (/** @type {any} */ message) => {
      if (message.type === "position" || message.type === "update") {
        setFailure("");
        made.hear(message);
      } else if (message.type === "people") {
        setPeople(message);
      } else if (message.type === "notes") {
        setShown((before) => before && { ...before, notes: message.notes });
      } else if (message.type === "error" && !made.isFresh) {
        setFailure(message.reason); // who is turned away before the first position sees another page
      } else if (message.type === "moved") {
        location.replace(`#/table/${message.table}`);
      }
    };
    const opened = openSocket(`/api/tables/${id}/live`, hear, (now) => {
      setState(now);
      if (now !== "open") made.restart();
    });
    setSocket(opened);
    return () => {
      made.close();
      opened.close();
    };
  }, [id]);
  const whole = shown && people ? { ...shown, ...only(people) } : shown;
  const [face, failed] = useFace(shown?.game);
  useEffect(() => {
    if (!face || !heard.length) return;
    heard.forEach((line) => say(spoken(line, face)));
    setHeard([]);
  }, [heard, face]);
  return {
    shown: whole?.names ? { ...whole, names: distinctNames(whole.names) } : whole,
    lines,
    state,
    waiting,
    socket,
    failure,
    face,
    failed,
    queue, // shows what comes; the page may hurry it or hold it
  };
}

/** @param {Pick<Position, "names" | "kinds" | "present" | "waiting">} people */
const only = ({ names, kinds, present, waiting = [] }) => ({ names, kinds, present, waiting });

// -- beside the board --

// Where the last move begins: what it means may follow it.
/** @param {string[]} lines */
const latestFrom = (lines) => lines.findLastIndex((line) => !isMeaning(line));

/** @param {{ lines: string[], face: Face, guide: string | undefined, onGuide: () => void }} props */
function Log({ lines, face, guide, onGuide }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const toLatest = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  };
  useEffect(toLatest, [lines.length, lines.at(-1)]);
  useEffect(() => {
    const watcher = new ResizeObserver(toLatest); // advice beside it takes room
    if (list.current) watcher.observe(list.current);
    return () => watcher.disconnect();
  }, []);
  const latest = latestFrom(lines);
  return html`<section class="log" aria-label="Moves so far">
    <header><h2>Moves</h2>${guide && html`<button type="button" class="quiet" onClick=${onGuide}>${guide}</button>`}</header>
    <ol ref=${list} tabindex="0">${lines.map((line, at) => html`<li key=${at} class=${`${at >= latest ? "latest" : ""}${isMeaning(line) ? " meaning" : ""}`}><${CardSentence} text=${line} face=${face} /></li>`)}</ol>
  </section>`;
}

/** @param {Record<string, unknown>} props */
function AdvicePane(props) {
  const [loaded, failed] = useAnswer(() => Promise.all([import("./advice.js"), loadPanelStyle()]), []);
  if (failed) return html`<p class="notice" role="alert">Advice could not be loaded.</p>`;
  if (!loaded) return html`<p class="waiting" role="status">Asking…</p>`;
  return html`<${loaded[0].Advice} ...${props} />`;
}

// -- windows over the page --

/** @param {{ keys: [string, string][], guide: string | undefined, onGuide: () => void, onClose: () => void }} props */
function Help({ keys, guide, onGuide, onClose }) {
  const [pace, setPace] = useState(setting("pace", NORMAL_PACE));
  const [calm, setCalmShown] = useState(isStill());
  const [hasKeys, setHasKeys] = useState(keysAreOn());
  const [meanings, setMeanings] = useState(meaningsAreOn());
  const paced = (/** @type {any} */ event) => {
    keepSetting("pace", Number(event.target.value));
    setPace(Number(event.target.value));
  };
  const calmed = (/** @type {any} */ event) => {
    setCalm(event.target.checked);
    setCalmShown(event.target.checked);
  };
  const keyed = (/** @type {any} */ event) => {
    setKeys(event.target.checked);
    setHasKeys(event.target.checked);
  };
  const explained = (/** @type {any} */ event) => {
    keepSetting("meanings", event.target.checked);
    setMeanings(event.target.checked);
  };
  return html`<${Modal} title="Keys and settings" onClose=${onClose} wide>
    ${guide && html`<p><button type="button" class="button" onClick=${onGuide}>${guide}</button></p>`}
    <fieldset class="settings">
      <legend>Settings</legend>
      <label>Moves of others are shown
        <select value=${pace} onChange=${paced}>${PACES.map(([time, text]) => html`<option key=${time} value=${time} selected=${time === pace}>${text}</option>`)}</select>
      </label>
      <label class="check"><input type="checkbox" checked=${calm} onChange=${calmed} /> Nothing moves on its own</label>
      <label class="check"><input type="checkbox" checked=${hasKeys} onChange=${keyed} /> Single-letter keys are on</label>
      ${guide && html`<label class="check"><input type="checkbox" checked=${meanings} onChange=${explained} /> Moves say what they mean</label>`}
    </fieldset>
    <table class="keys"><caption>Keys</caption><tbody>
      ${[...keys, ...TABLE_KEYS].map(([key, what]) => html`<tr key=${key + what}><th scope="row"><kbd>${key}</kbd></th><td>${what}</td></tr>`)}
    </tbody></table>
  <//>`;
}

/** @param {string} id */
const linkOf = (id) => `${location.origin}${location.pathname}#/table/${id}`;

/** @param {{ id: string, onClose: () => void }} props */
function Invite({ id, onClose }) {
  return html`<${Modal} title="Invite others" onClose=${onClose}>
    <p>Who opens this link takes a free seat, or looks on if there is none.</p>
    <${CopyField} label="Link" text=${linkOf(id)} />
  <//>`;
}

// -- before the game --

/**
 * @param {string} id
 * @param {unknown[]} changes
 * @returns {TableInfo | null}
 */
const useInfo = (id, changes) => useAnswer(() => get(`/api/tables/${id}`), [id, ...changes])[0];

/** @param {{ onSeat: (name: string) => void }} props */
function SitDown({ onSeat }) {
  const [name, setName] = useState(() => setting("name", "Guest"));
  const sit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onSeat(name.trim() || "Guest");
  };
  return html`<form class="join" onSubmit=${sit}>
    <label>Your name<input type="text" maxlength="32" autocomplete="nickname" value=${name} onInput=${(event) => setName(event.target.value)} required /></label>
    <button type="submit" class="button strong">Sit down</button>
  </form>`;
}

/** @param {{ id: string, info: TableInfo, seated: boolean, onSeat: (name: string) => void, onFill: () => void, problem: string }} props */
function WaitingRoom({ id, info, seated, onSeat, onFill, problem }) {
  const free = info.seats.filter((each) => each.kind === "free");
  return html`<section class="sheet narrow waiting-room" aria-labelledby="waiting-title">
    <h1 id="waiting-title">${free.length ? `${free.length === 1 ? "One seat is" : `${free.length} seats are`} free` : "The game is about to begin"}</h1>
    <ol class="room">${info.seats.map(
      (each) => html`<li key=${each.seat} class=${each.kind}><b>${each.kind === "free" ? "free" : each.name}</b>
      <small>${each.seat === info.you ? "you" : each.kind === "bot" ? "bot" : each.kind === "person" ? (each.present ? "here" : "away") : "for a person"}</small></li>`,
    )}</ol>
    ${problem && html`<p class="notice" role="alert">${problem}</p>`}
    ${!seated && free.length > 0 && html`<${SitDown} onSeat=${onSeat} />`}
    ${seated && html`<p>The game begins when every seat is taken. Send this link to those you want to play with:</p><${CopyField} label="Link" text=${linkOf(id)} />`}
    ${info.owner && free.length > 0 && html`<p><button type="button" class="button" onClick=${onFill}>Begin with bots in the free seats</button></p>`}
  </section>`;
}

// -- the page --

const UNKEPT = "That is done, but the server could not write it down just now; it tries again with the next move.";

/** @param {{ id: string }} props */
export function TablePage({ id }) {
  const [changes, setChanges] = useState(0);
  const { shown, lines: all, state, waiting, socket, failure, face, failed, queue } = useTable(id);
  const [open, setOpen] = useState(/** @type {"help" | "invite" | "end" | "guide" | null} */ (null));
  const [advising, setAdvising] = useState(() => setting("advising", false));
  const [asks, setAsks] = useState(0); // which question of somebody who looks on is open
  const lastAsk = useRef(0);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const narrow = useNarrow();
  const info = useInfo(id, [changes, state === "open", JSON.stringify([shown?.names, shown?.kinds, shown?.present]), Boolean(shown?.over)]);
  const seated = shown ? shown.seat !== null && shown.seat !== undefined : info?.you !== null && info?.you !== undefined;
  const mayAdvise = seated || Boolean(shown?.open); // where only bots play, whoever looks on may ask for them

  useEffect(() => {
    if (!failure) return undefined;
    setProblem(failure);
    say(spoken(failure, face), true);
    return () => setProblem((now) => (now === failure ? "" : now));
  }, [failure]);

  // Bots have a moment to finish their move before the end is announced; and the answer to one's own last move comes first, since
  // until then nothing can be pressed and the focus would go elsewhere.
  const isOver = Boolean(shown?.over) && waiting === 0;
  const announced = useRef(/** @type {number | null} */ (null)); // the deal whose end was
  useEffect(() => {
    if (!isOver) {
      announced.current = null;
      setOpen((now) => (now === "end" ? null : now));
      return undefined;
    }
    if (!shown || busy || open || announced.current === shown.deal) return undefined; // another window stays until it is closed
    const announce = () => {
      announced.current = shown.deal;
      setOpen("end");
    };
    const timer = setTimeout(announce, isStill() ? 0 : 900);
    return () => clearTimeout(timer);
  }, [isOver, busy, open, shown?.deal]);

  const ask = async (/** @type {object} */ message) => {
    if (!socket) return;
    setBusy(true);
    setProblem("");
    try {
      const answer = await socket.ask(message);
      if (answer.kept === false) {
        setProblem(UNKEPT);
        say(UNKEPT, true);
      }
    } catch (error) {
      setProblem(error.message);
      say(spoken(error.message, face), true);
    } finally {
      setBusy(false);
    }
  };
  const act = (/** @type {string} */ action) => !busy && shown && ask({ type: "act", deal: shown.deal, position: shown.position, action });
  const sit = async (/** @type {string} */ name) => {
    try {
      await rename(name);
      await post(`/api/tables/${id}/seat`, {});
      setProblem("");
      setChanges((count) => count + 1);
    } catch (error) {
      setProblem(error.message);
    }
  };
  const fill = () =>
    post(`/api/tables/${id}/fill`, {}).then(
      () => setChanges((count) => count + 1),
      (error) => setProblem(error.message),
    );
  // Bots among themselves do not wait: for who asks, the table stands still in this window.
  const adviseWatcher = (/** @type {boolean} */ on) => {
    if (on && !queue.current?.catchUp())
      return setProblem("The bots have finished this deal already; its replay has advice for every move.");
    queue.current?.hold(on ? undefined : null);
    setAsks(on ? ++lastAsk.current : 0);
  };
  const isAdvising = seated ? advising : asks > 0 && mayAdvise;
  const advise = (/** @type {boolean} */ on) => {
    if (!seated) return adviseWatcher(on);
    keepSetting("advising", on);
    setAdvising(on);
  };

  useKeydown((event) => {
    if (!isShortcut(event)) return;
    const isOnControl = event.target instanceof Element && event.target.closest("button, a, summary, [tabindex]:not(main)");
    if (event.key === "?") setOpen("help");
    else if (event.key.toLowerCase() === "a" && mayAdvise) advise(!isAdvising);
    else if (event.key === " " && !isOnControl)
      asks ? advise(false) : queue.current?.skip(); // and never scrolls the page
    else return;
    event.preventDefault();
  });

  if (state === "closed") return html`<${Gone} reason=${socket?.reason} />`;
  if (info?.status === "waiting" && shown?.waiting?.length !== 0) {
    return html`<${WaitingRoom} id=${id} info=${info} seated=${seated} onSeat=${sit} onFill=${fill} problem=${problem} />`;
  }
  if (failed) return html`<p class="notice" role="alert">The board could not be loaded; reloading the page may help.</p>`;
  if (!shown?.view || !face)
    return html`<p class="waiting" role="status">${state === "lost" ? "The server does not answer; trying again…" : "Dealing…"}</p>`;

  const lines = shownLines(all);
  const guide = guideAmong(face.game, shown.names);
  const over = shown.over;
  const hands = over?.hands ?? (shown.open ? shown.hands : null);
  const ready = waiting === 0 && state === "open" && seated && !busy; // while an answer is on its way nothing more is offered
  const asked = { ...shown, legal: ready ? (shown.legal ?? []) : [] };
  if (!seated)
    Object.assign(asked, { asks: over || state !== "open" ? 0 : asks, hint: over ? "" : "Advice comes when the connection is back." });
  const advice =
    isAdvising &&
    html`<div class="advice-pane"><${AdvicePane} socket=${socket} face=${face} message=${asked}
      onClose=${() => advise(false)} onPlay=${ready && shown.legal?.length ? act : undefined} onAnswer=${seated ? undefined : (/** @type {number} */ position) => queue.current?.hold(position)} /></div>`;
  return html`<div class=${`table-page${isAdvising ? " advising" : ""}${guide ? " explained" : ""} ${shown.game}`}>
    <h1 class="unseen">${face.game.title} table</h1>
    <div class="table-main">
      ${state !== "open" && html`<p class="notice" role="status"><span class="spinner" aria-hidden="true" /> Connection lost. Trying again…</p>`}
      ${problem && html`<p class="notice" role="alert">${problem} <button type="button" class="quiet" onClick=${() => setProblem("")}>Close</button></p>`}
      <div class="toolbar" role="group" aria-label="Table">
        <p class="last-line" aria-hidden="true"><${CardSentence} text=${lines.slice(latestFrom(lines)).join(" ")} face=${face} /></p>
        ${!seated && html`<span class="looking-on">looking on</span>`}
        ${waiting > 0 && !asks && html`<button type="button" class="tool" onClick=${() => queue.current?.skip()}>Skip <kbd aria-hidden="true">␣</kbd></button>`}
        ${mayAdvise && html`<button type="button" class="tool" aria-pressed=${isAdvising ? "true" : "false"} aria-keyshortcuts=${shortcut("a")} onClick=${() => advise(!isAdvising)}>Advice</button>`}
        ${over && open !== "end" && html`<button type="button" class="tool strong" onClick=${() => setOpen("end")}>Result</button>`}
        <button type="button" class="tool" onClick=${() => setOpen("invite")}>Invite</button>
        <button type="button" class="tool" aria-label="Keys and settings" aria-keyshortcuts=${shortcut("?")} onClick=${() => setOpen("help")}>?</button>
      </div>
      <${face.Board} view=${shown.view} names=${shown.names} kinds=${shown.kinds} present=${shown.present} seat=${shown.seat ?? undefined} hands=${hands} rules=${shown.rules}
        legal=${ready ? (shown.legal ?? []) : []} decision=${shown.decision} events=${shown.events} step=${shown.deal * 100000 + shown.position} scores=${shown.scores} to=${shown.to}
        sheet=${narrow ? advice : null} notes=${shown.notes} onAct=${seated && !over ? act : null} onNote=${seated ? (/** @type {number} */ place, /** @type {string} */ text) => ask({ type: "note", place, text }) : null}
        note=${over ? over.text?.[0] : failure ? "The table stands still." : asks ? "Stopped here for advice; close it to go on." : undefined} />
    </div>
    <aside class="side" aria-label="Beside the table">
      ${!narrow && advice}
      <${Log} lines=${lines} face=${face} guide=${guide?.title} onGuide=${() => setOpen("guide")} />
    </aside>
    ${open === "help" && html`<${Help} keys=${face.keys} guide=${guide?.title} onGuide=${() => setOpen("guide")} onClose=${() => setOpen((now) => (now === "help" ? null : now))} />`}
    ${open === "guide" && guide && html`<${GuideWindow} guide=${guide} onClose=${() => setOpen(null)} />`}
    ${open === "invite" && html`<${Invite} id=${id} onClose=${() => setOpen(null)} />`}
    ${
      open === "end" &&
      over &&
      html`<${EndDialog} face=${face} message=${shown} seated=${seated} busy=${busy} onClose=${() => setOpen(null)}
      onNext=${() => ask({ type: "next" })} onAgain=${() => ask({ type: "again" })} />`
    }
  </div>`;
}

/** @param {{ reason?: string }} props */
function Gone({ reason }) {
  return html`<div class="sheet narrow"><h1>No such table</h1><p>${reason || "This table does not exist any more."}</p><p><a class="button strong" href="#/">To the lobby</a></p></div>`;
}
