// Everything that goes to the server and comes from it.
//
// HTTP (paths such as "/api/tables"; answers are parsed JSON; a failure throws ApiError with the server's sentence):
//   get(path) · post(path, body) · patch(path, body)        with the session's token; a session is made when there is none
//   session() → {token, name}                               made at the first call, kept in localStorage
//   rename(name)                                            how others see this person
//   games() → the list of GET /api/games, asked for once
//   useAnswer(ask, changes) → [answer, problem]             what ask() promises, asked again when something changes; null until it is there
//
// Sockets:
//   openSocket(path, onMessage, onState) → socket
//     onMessage(message)   every message that answers nothing: welcome, position, update, people, moved, progress, …
//     onState(state)       "connecting" · "open" (hello was welcomed) · "lost" (it will be tried again) · "closed" (for good; socket.reason)
//     socket.ask(message) → promise of the answer ("done"); rejects with ApiError when refused or when the connection is lost
//     socket.stream(message, onReply) → stop()   every answer to one message (advice, judged, …); on loss {type: "lost"};
//                                                stop() tells the server and hears no more
//     socket.close()
//   Reconnects by itself, and says hello with the token each time; who needs a position gets it anew from the server.
//
// Pages (what app.js calls; `query` is a URLSearchParams of what follows "?" in the address, `id` what follows the last "/"):
//   lobby.js  Lobby({query})            table.js  TablePage({id, query})
//   films.js  WatchPage({query}), ReplayPage({query})      runs.js  RunsPage({query}), RunPage({id, query})
//   go(address)                                            "#/table/ID"

import { keepSetting, setting } from "./settings.js";
import { useEffect, useState } from "./vendor/preact.js";

/** @import { Game, Socket } from "./types.js" */
/** @typedef {{ token: string, name: string }} Session */

const TOKEN = "kibitz.session";
const POLICY = 1008; // the code of a connection that the server does not want
const PATIENCE = 15000; // without an answer to a ping the connection counts as lost

export class ApiError extends Error {
  /** @param {string} sentence */
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

// -- addresses --

/** @param {string} address */
export function go(address) {
  location.hash = address.replace(/^#/, "");
}

// -- HTTP --

/** @type {Session | Promise<Session> | null} */
let current = null; // the session, or a promise of it
/** @type {Promise<Game[]> | null} */
let listed = null; // the games

/** @returns {Session | null} */
function keptSession() {
  try {
    const kept = JSON.parse(localStorage.getItem(TOKEN) ?? "null");
    return kept && typeof kept.token === "string" ? kept : null;
  } catch {
    return null;
  }
}

/** @param {Session} made */
function keepSession(made) {
  current = made;
  try {
    localStorage.setItem(TOKEN, JSON.stringify(made));
  } catch {
    // known until the page is closed
  }
  return made;
}

/** @returns {Promise<Session>} */
export function session() {
  current ??= keptSession() ?? request("POST", "/api/sessions", { name: setting("name", "Guest") }, false).then(keepSession);
  Promise.resolve(current).catch(() => (current = null));
  return Promise.resolve(current);
}

/** @param {string} name */
export async function rename(name) {
  keepSetting("name", name);
  const known = await session();
  if (known.name === name) return known;
  await patch("/api/sessions/me", { name });
  return keepSession({ ...(await session()), name });
}

function forgetSession() {
  current = null;
  try {
    localStorage.removeItem(TOKEN);
  } catch {
    // nothing was kept
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>} the answer's JSON
 */
async function request(method, path, body, signed = true, again = true) {
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  if (signed) headers.Authorization = `Bearer ${(await session()).token}`;
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError("The server does not answer.");
  }
  if (answer.status === 401 && signed && again) {
    forgetSession(); // the server does not know it any more
    return request(method, path, body, signed, false);
  }
  const text = await answer.text();
  let read = null;
  try {
    read = text ? JSON.parse(text) : null;
  } catch {
    if (answer.ok) throw new ApiError("The server's answer is not understood.", answer.status);
  }
  if (!answer.ok) throw new ApiError(sentence(read, answer.status), answer.status);
  return read;
}

/**
 * @param {any} read
 * @param {number} status
 */
function sentence(read, status) {
  if (read && typeof read.error === "string") return read.error;
  return `The server refused this (${status}).`;
}

/** @param {string} path */
export const get = (path) => request("GET", path);
/**
 * @param {string} path
 * @param {unknown} body
 */
export const post = (path, body = {}) => request("POST", path, body);
/**
 * @param {string} path
 * @param {unknown} body
 */
export const patch = (path, body) => request("PATCH", path, body);

/** @returns {Promise<Game[]>} */
export function games() {
  const found = (listed ??= request("GET", "/api/games", undefined, false));
  found.catch(() => (listed = null));
  return found;
}

/**
 * @template T
 * @param {() => Promise<T> | null} ask
 * @param {unknown[]} changes
 * @returns {[T | null, string]}
 */
export function useAnswer(ask, changes) {
  const [state, setState] = useState(/** @type {[T | null, string]} */ ([null, ""]));
  useEffect(() => {
    let gone = false;
    ask()?.then(
      (answer) => gone || setState([answer, ""]),
      (error) => gone || setState(([before]) => [before, error.message]),
    );
    return () => {
      gone = true;
    };
  }, changes);
  return state;
}

// -- sockets --

/**
 * @param {string} path
 * @param {(message: any) => void} onMessage
 * @param {(state: "connecting" | "open" | "lost" | "closed") => void} onState
 * @returns {Socket}
 */
export function openSocket(path, onMessage, onState = () => {}) {
  /** @type {WebSocket | null} */
  let line = null; // the WebSocket that is open or being opened
  let welcomed = false;
  let closed = false;
  let tries = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting; // the timer of the next try
  let numbers = 0;
  let refusals = 0; // hellos in a row that were not welcomed
  /** @type {Map<number, (answer: any) => void>} */
  const asked = new Map(); // number → what hears the answers
  /** @type {Map<number, string>} */
  const unsent = new Map(); // number → text, asked before the server welcomed us
  let heard = Date.now();

  const beat = setInterval(() => {
    if (!welcomed) return;
    if (Date.now() - heard > 2 * PATIENCE) line?.close();
    else if (Date.now() - heard > PATIENCE) line?.send(JSON.stringify({ type: "ping", id: ++numbers }));
  }, 5000);
  const wake = () => {
    if (!welcomed && !closed && waiting) connect();
  };
  addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);

  async function connect() {
    clearTimeout(waiting);
    waiting = undefined;
    onState("connecting");
    let token = null;
    try {
      token = (await session()).token;
    } catch {
      return lost();
    }
    if (closed) return;
    const address = new URL(path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const opened = new WebSocket(address);
    line = opened;
    opened.onopen = () => opened.send(JSON.stringify({ type: "hello", token }));
    opened.onmessage = (event) => opened === line && hear(JSON.parse(event.data));
    opened.onclose = (event) => opened === line && lost(event.code);
  }

  /** @param {any} message */
  function hear(message) {
    heard = Date.now();
    if (message.type === "pong") return;
    if (message.type === "welcome") {
      welcomed = true;
      tries = refusals = 0;
      socket.welcome = message;
      onState("open");
      unsent.forEach((text) => line?.send(text));
      unsent.clear();
    }
    if (message.type === "error" && message.reply === undefined) socket.reason = message.reason ?? "The server closed the connection.";
    if (message.reply === undefined) onMessage(message);
    else asked.get(message.reply)?.(message); // of what was stopped nothing is heard any more
  }

  async function lost(code = 0) {
    const turnedAway = !welcomed && code === POLICY;
    welcomed = false;
    line = null;
    const hearers = [...asked.values()];
    asked.clear();
    unsent.clear();
    hearers.forEach((hearer) => hearer({ type: "lost" }));
    if (turnedAway && !closed) {
      closed = ++refusals > 1; // the first time the session may have been forgotten there: asking makes a new one
      if (!closed) await get("/api/sessions/me").catch(() => {});
    }
    if (closed) {
      stopBeating();
      return onState("closed");
    }
    onState("lost");
    waiting = setTimeout(connect, Math.min(8000, 300 * 2 ** tries++) * (0.7 + 0.6 * Math.random()));
  }

  /**
   * @param {object} message
   * @param {(answer: any) => void} hearer
   */
  function send(message, hearer) {
    const id = ++numbers;
    asked.set(id, hearer);
    const text = JSON.stringify({ ...message, id });
    if (welcomed) line?.send(text);
    else if (!closed) unsent.set(id, text);
    else queueMicrotask(() => hearer({ type: "lost" }));
    return id;
  }

  function stopBeating() {
    clearInterval(beat);
    clearTimeout(waiting);
    removeEventListener("online", wake);
    document.removeEventListener("visibilitychange", wake);
  }

  /** @type {Socket} */
  const socket = {
    reason: "",
    welcome: null,
    ask(message) {
      return new Promise((resolve, reject) => {
        const id = send(message, (answer) => {
          asked.delete(id);
          if (answer.type === "lost") reject(new ApiError("The connection was lost; try again in a moment."));
          else if (answer.type === "refused" || answer.type === "error") reject(new ApiError(answer.reason ?? answer.error));
          else resolve(answer);
        });
      });
    },
    stream(message, onReply) {
      const id = send(message, (answer) => {
        if (["lost", "refused", "error", "analysed"].includes(answer.type) || answer.final) asked.delete(id);
        onReply(answer);
      });
      return () => {
        if (!asked.delete(id)) return;
        if (!unsent.delete(id) && welcomed) line?.send(JSON.stringify({ type: "stop", id: ++numbers }));
      };
    },
    close() {
      closed = true;
      welcomed = false; // nothing more is sent
      stopBeating();
      line?.close();
    },
  };
  connect();
  return socket;
}
