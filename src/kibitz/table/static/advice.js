// Advice: what each legal action is worth, as bars with whiskers that refine while the server thinks, and what bots would do.
//
//   <Advice socket face message onClose question onPlay />
//     socket     of api.js: the table's, or the one of /api/kibitz
//     face       of faces.js: the game
//     message    the position shown: {position, deal, seat, legal, names}; advice is asked for when `legal` is not empty,
//                or once for each new number in `asks`, wherever the table is by then: onAnswer(position) says where
//     question   further keys of the question, for a film {record, position}
//     onPlay     (action) => …: with it each action is a button that plays it; verb: what its title begins with
//   <ActionTable face rows unit caption chosen said onPlay verb names seat view />    the bars alone; rows as in an advice message,
//                or what a bot prefers: its unit is "preference", and the actions that it would hardly take share the last row
//   preferenceWords(said, "it prefers", "it gives")              what stands above preferences; isPreference(unit)

import { Bar, counted, isTried, shown, shownWithError, sortedGently, useGliding } from "./chart.js";
import { fits } from "./form_fields.js";
import { keepSetting, setting } from "./settings.js";
import { html, useEffect, useId, useMemo, useState } from "./vendor/preact.js";

/** @import { BotShown, Face, Game, Row, Socket, View } from "./types.js" */
/**
 * @typedef {object} Answer
 * @property {Row[]} rows
 * @property {string} unit
 * @property {number} worlds
 * @property {string[]} [notes] what else there is to say, such as the convention that is assumed
 * @property {boolean} final
 * @property {number} position
 * @property {number} seat
 * @property {{ bot: string, action: string, text: string, unit: string, rows: Row[], why: string, note: string, win_chance?: number }[]} bots
 */

const CHANCE = "chance to win";
const PREFERENCE = "preference";
const HARDLY = 0.005; // a preference below this is not worth a row
const MOST_BOTS = 6; // that the server asks at once

/** @param {string} unit */
export const isChance = (unit) => unit === CHANCE;
/** @param {string} unit */
export const isPreference = (unit) => unit === PREFERENCE;

// -- the table of actions --

// The scale of the bars: from 0 if the values lie far apart, else the part where they differ, in round figures.
/**
 * @param {Row[]} rows
 * @param {string} unit
 */
export function scaleOf(rows, unit) {
  if (isPreference(unit)) return [0, 1];
  const known = rows.filter(isTried);
  if (!known.length) return [0, 1];
  const least = Math.min(...known.map((row) => row.value - 2 * (row.error || 0)));
  const most = Math.max(...known.map((row) => row.value + 2 * (row.error || 0)));
  const step = isChance(unit) ? 0.05 : most - least > 4 ? 5 : 1;
  const high = Math.ceil(most / step + 1e-9) * step;
  const low = Math.floor((least - 0.1 * (most - least)) / step) * step;
  const bottom = isChance(unit) && (least < 0.4 * most || low < 0) ? 0 : low;
  return [bottom, isChance(unit) ? Math.min(1, Math.max(high, bottom + step)) : Math.max(high, bottom + step)];
}

// The rows of a table of preferences that are worth showing one by one, and how many are not.
/**
 * @param {Row[]} rows
 * @param {string} [chosen]
 * @returns {[Row[], number]}
 */
export function worthARow(rows, chosen) {
  const shownRows = rows.filter((row) => (row.value ?? 0) >= HARDLY || row.action === chosen);
  const others = rows.length - shownRows.length;
  return others > 1 ? [shownRows, others] : [rows, 0];
}

/** @param {{ face: Face, rows: Row[], unit: string, caption: string, chosen?: string, said?: Map<string, string[]>, onPlay?: (action: string) => unknown, verb?: string, names?: string[], seat?: number, view?: View }} props */
export function ActionTable({ face, rows: all, unit, caption, chosen, said = new Map(), onPlay, verb = "", names, seat, view }) {
  const prefers = isPreference(unit);
  const percent = isChance(unit) || prefers;
  const [rows, others] = prefers ? worthARow(all, chosen) : [all, 0];
  const [low, high] = scaleOf(rows, unit);
  const body = useGliding(rows.map((row) => row.action));
  const best = Math.max(...rows.filter(isTried).map((row) => row.value));
  const nameOf = (/** @type {Row} */ row) => html`<${face.ActionName} action=${row.action} text=${row.text} ...${{ names, seat, view }} />`;
  const titleOf = (/** @type {Row} */ row) => `${verb}${face.actionText(row.action, { names, seat, view, text: row.text })}`;
  const digits = percent ? 0 : Number.isInteger(low) && Number.isInteger(high) ? 0 : 1;
  return html`<table class=${prefers ? "actions preferences" : "actions"}>
    <caption>${caption}</caption>
    <thead>
      <tr>
        <th scope="col">Action</th>
        <th scope="col" class="bar-cell">
          <span class="unseen">Scale from ${shown(low, percent, digits)} to ${shown(high, percent, digits)}</span>
          <span class="scale" aria-hidden="true"><span>${shown(low, percent, digits)}</span><span>${shown(high, percent, digits)}</span></span>
        </th>
        <th scope="col" class="number">${prefers ? "Preference" : percent ? "Chance" : "Value"}</th>
      </tr>
    </thead>
    <tbody ref=${body}>
      ${rows.map(
        (row) => html`<tr key=${row.action} data-key=${row.action} class=${row.best ? "best" : ""}>
          <th scope="row">
            ${
              onPlay
                ? html`<button type="button" class="action" title=${titleOf(row)} onClick=${() => onPlay(row.action)}>${nameOf(row)}</button>`
                : html`<span class="action">${nameOf(row)}</span>`
            }
            ${row.best && !prefers && html`<span class="tag best-tag">best</span>`}
            ${row.action === chosen && html`<span class="tag">chosen</span>`}
            ${(said.get(row.action) || []).map((bot) => html`<span class="tag bot-tag" key=${bot}>${bot}</span>`)}
          </th>
          <td class="bar-cell"><${Bar} value=${row.value} error=${row.error} low=${low} high=${high} mark=${row.best && !prefers ? "is-best" : ""} tone=${prefers ? 3 : 0} /></td>
          <td class="number">
            ${shownWithError(row.value, row.error, percent)}
            ${
              prefers
                ? ""
                : isTried(row) && row.value < best
                  ? html`<small>${shown(row.value - best, percent)}</small>`
                  : html`<small>${Number.isFinite(row.value) ? "" : "not tried"}</small>`
            }
          </td>
        </tr>`,
      )}
      ${
        others > 0 &&
        html`<tr key="others" data-key="others" class="others-row">
        <th scope="row">${others} others</th>
        <td class="number" colspan="2">below ${shown(HARDLY, true)} each</td>
      </tr>`
      }
    </tbody>
  </table>`;
}

/**
 * @param {{ win_chance?: number | null }} said
 * @param {string} prefers
 * @param {string} gives
 */
export function preferenceWords({ win_chance: guess }, prefers, gives) {
  const preferred = `How much ${prefers} each action`;
  return Number.isFinite(guess) ? `${preferred}; ${gives} itself a ${shown(guess, true, 0)} chance to win.` : `${preferred}.`;
}

// -- the panel --

/** @param {string} bot */
const plain = (bot) => bot.split(":")[0]; // without its preset

// The bots of which this person wants to hear, kept in the browser for each game.
/**
 * @param {Game} game
 * @param {number} players
 * @returns {[BotShown[], string[], (bot: string) => void]}
 */
function useChosenBots(game, players) {
  const name = `advice.bots.${game.name}`;
  const [chosen, setChosen] = useState(() => setting(name, null));
  const bots = useMemo(() => game.bots.filter((bot) => !bot.cheats && fits(bot, players)), [game, players]);
  const usual = [game.advisers[players] ?? game.adviser, ...game.also_asked].filter(Boolean);
  const known = new Set(bots.map((bot) => bot.name));
  const wanted = (chosen ?? usual).filter((/** @type {string} */ bot) => known.has(plain(bot)));
  const toggle = (/** @type {string} */ bot) => {
    const others = wanted.filter((/** @type {string} */ each) => plain(each) !== bot);
    const next = others.length < wanted.length ? others : [...wanted, bot];
    keepSetting(name, next);
    setChosen(next);
  };
  return [bots, wanted, toggle];
}

// The stream of advice for one position; starts anew when the question or the place changes, and again after a lost connection.
// `place` is false while there is nothing to ask.
/**
 * @param {Socket | null} socket
 * @param {object} question
 * @param {string | number | false} place
 * @returns {[Answer | null, string]}
 */
function useAdvice(socket, question, place) {
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  const [problem, setProblem] = useState("");
  const [again, setAgain] = useState(0);
  const asked = JSON.stringify(question);
  useEffect(() => {
    setAnswer(null);
    setProblem("");
    if (!socket || place === false) return undefined;
    /** @type {string[]} */
    let order = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let retry;
    const stop = socket.stream(JSON.parse(asked), (reply) => {
      if (reply.type === "advice") {
        order = sortedGently(order, reply.rows, reply.final);
        const found = new Map(reply.rows.map((/** @type {Row} */ row) => [row.action, row]));
        setAnswer({ ...reply, rows: order.map((action) => found.get(action)) });
      } else if (reply.type === "lost") retry = setTimeout(() => setAgain((count) => count + 1), 1500);
      else if (reply.reason || reply.error) setProblem(reply.reason || reply.error);
    });
    return () => {
      clearTimeout(retry);
      stop();
    };
  }, [socket, asked, place, again]);
  return [answer, problem];
}

/**
 * @param {string} unit
 * @param {string} name
 */
const captionOf = (unit, name) => `${isChance(unit) ? "Chance to win" : "Score to expect"} after each action, from what ${name} can see.`;

/** @param {{ socket: Socket | null, face: Face, message: any, onClose?: () => void, question?: object, onPlay?: (action: string) => unknown, onAnswer?: (position: number) => void, verb?: string, title?: string }} props */
export function Advice({ socket, face, message, onClose, question = {}, onPlay, onAnswer, verb = "", title = "Advice" }) {
  const players = message?.names?.length ?? 2;
  const [bots, chosen, toggle] = useChosenBots(face.game, players);
  const isOpen = Boolean(message?.legal?.length || message?.asks);
  const [answer, problem] = useAdvice(
    socket,
    { type: "advise", ...question, bots: chosen },
    isOpen && (message.asks || `${message.deal ?? 0}/${message.position}`),
  );
  useEffect(() => {
    if (answer) onAnswer?.(answer.position);
  }, [answer?.position]);
  const current = answer && (answer.position === undefined || answer.position === message?.position) ? answer : null;
  const said = useMemo(() => {
    const found = new Map();
    for (const each of current?.bots ?? []) if (each.action) found.set(each.action, [...(found.get(each.action) ?? []), each.bot]);
    return found;
  }, [current]);
  const seat = current?.seat ?? message?.seat;
  const view = message?.view;
  const own = message && message.seat === seat && !message.film;
  const name = own ? "you" : (message?.names?.[seat] ?? "the player");
  return html`<section class="panel advice" aria-labelledby="advice-title">
    <header class="panel-head">
      <h2 id="advice-title">${title}</h2>
      ${onClose && html`<button type="button" class="quiet" onClick=${onClose}>Close</button>`}
    </header>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${!isOpen && html`<p class="muted">${message?.hint || (message?.over || message?.isOver ? "The game is over." : "Advice comes when it is your turn.")}</p>`}
    ${isOpen && !current && !problem && html`<p class="muted">Thinking…</p>`}
    ${
      current &&
      html`<${ActionTable}
        face=${face}
        rows=${current.rows}
        unit=${current.unit}
        said=${said}
        onPlay=${onPlay}
        verb=${verb}
        names=${message?.names}
        seat=${seat}
        view=${view}
        caption=${captionOf(current.unit, name)}
      />
      <p class="muted state">
        ${
          current.final
            ? html`<span class="final-mark" aria-hidden="true">✓</span> Final, after ${counted(current.worlds)} imagined deals.`
            : html`<span class="thinking" aria-hidden="true"></span> Refining: ${counted(current.worlds)} imagined deals so far.`
        }
        ${" "}Whiskers span two standard errors to either side.
      </p>
      ${current.notes?.map((note) => html`<p class="muted" key=${note}>${note}</p>`)}
      <${Opinions} face=${face} bots=${current.bots} names=${message?.names} seat=${seat} view=${view} />`
    }
    <${BotChoice} bots=${bots} chosen=${chosen} toggle=${toggle} />
    <p class="unseen" aria-live="polite">${current?.final ? inOneSentence(face, current, message) : ""}</p>
  </section>`;
}

/**
 * @param {Face} face
 * @param {Answer} answer
 * @param {any} message
 */
function inOneSentence(face, answer, message) {
  const best = answer.rows.find((row) => row.best) ?? answer.rows[0];
  if (!best) return "";
  const words = face.actionText(best.action, { names: message?.names, seat: answer.seat, view: message?.view, text: best.text });
  return `Advice: ${words}, ${answer.unit} ${shown(best.value, isChance(answer.unit))}.`;
}

/** @param {{ face: Face, bots: Answer["bots"], names?: string[], seat?: number, view?: View }} props */
function Opinions({ face, bots, names, seat, view }) {
  if (!bots || !bots.length) return null;
  return html`<ul class="opinions" aria-label="What the bots would do">
    ${bots.map(
      (each) => html`<li key=${each.bot}>
        <p>
          <b>${each.bot}</b>${
            each.action
              ? html` would choose <b><${face.ActionName} action=${each.action} text=${each.text} ...${{ names, seat, view }} /></b>.`
              : " has no answer."
          }
        </p>
        ${
          isPreference(each.unit)
            ? html`<${ActionTable}
              face=${face}
              rows=${each.rows.map((row) => ({ ...row, best: row.action === each.action }))}
              unit=${each.unit}
              caption=${preferenceWords(each, "it prefers", "it gives")}
              ...${{ names, seat, view }}
            />`
            : each.why && html`<p class="muted">${each.why}</p>`
        }
        ${each.note && html`<p class="muted beside">${each.note}</p>`}
      </li>`,
    )}
  </ul>`;
}

/** @param {{ bots: BotShown[], chosen: string[], toggle: (bot: string) => void }} props */
function BotChoice({ bots, chosen, toggle }) {
  const id = useId();
  const named = chosen.join(", ");
  return html`<details class="bot-choice">
    <summary>Ask bots${named ? `: ${named}` : ""}</summary>
    <fieldset>
      <legend class="unseen">Bots whose opinion is shown</legend>
      ${bots.map(
        (bot) => html`<label key=${bot.name} for=${`${id}-${bot.name}`}>
          <input
            id=${`${id}-${bot.name}`}
            type="checkbox"
            checked=${chosen.some((each) => plain(each) === bot.name)}
            disabled=${chosen.length >= MOST_BOTS && !chosen.some((each) => plain(each) === bot.name)}
            onChange=${() => toggle(bot.name)}
          />
          <span><b>${bot.name}</b> <small>${bot.about}</small></span>
        </label>`,
      )}
    </fieldset>
  </details>`;
}
