// The Hanabi table: fireworks, tokens and fuses, everybody's cards with what they know of them, and a bar to choose a move in.
//
//   <HanabiBoard view names … />   for live tables and for films:
//     view       as a seat or a spectator sees it (view messages of the protocol)
//     names      by seat;  kinds, present: by seat, "person" or "bot", whether they are there (live tables)
//     seat       who sits at the bottom; by default the viewer, or seat 0
//     hands      open hands by seat (films, the end), shaped as view.hands; null for a seat that stays as the view has it
//     rules      the rules message: tokens, lives, ranks
//     legal, decision, onAct(action)   what may be done now; without onAct the board is read-only
//     events     what just happened; step: a number that changes with every position
//     notes, onNote(place, text)       notes on own cards, by the card's place in the deck
//     note       a sentence shown instead of who is thinking (films)

import { flyIn } from "../../animations.js";
import { boardProps, focusIn, useFocusOnQuestion, useNote } from "../../board_hooks.js";
import { CardBack, colourName, Shape } from "../../card_art.js";
import { Modal } from "../../modal.js";
import { isShortcut, shortcut, useKeydown } from "../../shortcuts.js";
import { html, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { cardText, HanabiCard, Marks, possibleText } from "./cards.js";

/** @import { BoardProps, GameEvent, Position, View } from "../../types.js" */
/** @import { Deck } from "./cards.js" */
/** @typedef {{ place: number, card: string | null, colours: string, ranks: string, colour_told: boolean, rank_told: boolean }} Held */
/** @typedef {{ seat: number, value: string, slots: number[] }} Told whose cards the last hint touched */
/** @typedef {{ seat: number, slot?: number }} Pick an own card, or whom to tell something */
/** @typedef {{ seat: number, value: string }} Preview a hint before it is given */
/**
 * @typedef {object} Asking
 * @property {string[]} names
 * @property {number} seat
 * @property {boolean} asked
 * @property {Position["decision"]} decision
 * @property {string} note
 * @property {string} refusal
 * @property {Pick | null} pick
 * @property {string[]} legal
 * @property {Held[][]} hands
 * @property {Preview | null} preview
 * @property {(preview: Preview | null) => void} setPreview
 * @property {(action: string) => void} act
 * @property {() => void} cancel
 * @property {(() => void) | null} openNote
 * @property {{ current: HTMLElement | null }} bar
 */

/** @type {[string, string][]} */
export const HANABI_KEYS = [
  ["1 – 5", "choose one of your cards by its slot, the oldest is 1; then p plays it, d discards it, n writes a note"],
  ["h", "tell somebody something; h again for the next player"],
  ["r y g w b, 1 – 5", "then the colour or rank: the cards it touches light up"],
  ["Enter", "then tell it"],
  ["Esc", "choose anew"],
];

/**
 * @param {number} count
 * @param {string} what
 */
const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
/** @param {string} value */
const isRank = (value) => /^\d$/.test(value);
/**
 * @param {string | null} card
 * @param {string} value
 */
const fits = (card, value) => card !== null && (isRank(value) ? card.slice(1) === value : colourName(card[0]) === value);
/**
 * @param {Held[]} hand
 * @param {string} value
 */
const touchedBy = (hand, value) => hand.map((held, slot) => (fits(held.card, value) ? slot : -1)).filter((slot) => slot >= 0);
/** @param {number[]} slots */
const slotWords = (slots) => (slots.length === 1 ? `slot ${slots[0] + 1}` : `slots ${slots.map((slot) => slot + 1).join(", ")}`);

// The last move as marks on the table: whose cards a hint touched.
/**
 * @param {View} view
 * @returns {Told | null}
 */
function lastTouched(view) {
  const [kind, places, value] = (view.last?.move ?? "").split(":");
  if (kind !== "hint") return null;
  return { seat: (view.last.seat + Number(places)) % view.hands.length, value, slots: view.last.touched };
}

// -- the middle --

/** @param {{ view: View, tokens: number, lives: number, best: number }} props */
function Counters({ view, tokens, lives, best }) {
  const dots = (/** @type {number} */ full, /** @type {number} */ all, /** @type {string} */ kind) =>
    Array.from({ length: all }, (_, at) => html`<i key=${at} class=${`${kind}${at < full ? "" : " spent"}`} />`);
  return html`<dl class="counters">
    <div><dt>Tokens</dt><dd><span aria-hidden="true">${dots(view.tokens, tokens, "token")}</span> <b>${view.tokens}</b><span class="unseen"> of ${tokens}</span></dd></div>
    <div class=${view.lives === 1 ? "danger" : ""}><dt>Lives</dt><dd><span aria-hidden="true">${dots(view.lives, lives, "life")}</span> <b>${view.lives}</b><span class="unseen"> of ${lives}</span></dd></div>
    <div><dt>Score</dt><dd><b>${view.score}</b> <small>of ${best}</small></dd></div>
    <div data-deck><dt>Deck</dt><dd><span class="deck-pile" aria-hidden="true"><${CardBack} label="" /></span><b>${view.deck_size}</b>${view.turns_left !== null && view.turns_left !== undefined && html` <small class="last-turns">${many(view.turns_left, "turn")} left</small>`}</dd></div>
  </dl>`;
}

/** @param {{ view: View, deck: Deck, lit: string | null }} props */
function Fireworks({ view, deck, lit }) {
  return html`<ul class="fireworks" aria-label="Fireworks">
    ${[...deck.colours].map((letter) => {
      const height = view.fireworks[letter];
      const words = height ? `${colourName(letter)}: up to ${height}` : `${colourName(letter)}: nothing yet`;
      return html`<li key=${letter} class=${`firework c-${letter.toLowerCase()}${height === deck.ranks ? " complete" : ""}`} data-firework=${letter}>
        ${
          height > 0
            ? html`<span class=${lit === letter ? "lit" : ""} key=${height}><${HanabiCard} card=${letter + height} label=${words} /></span>`
            : html`<span class="no-card" role="img" aria-label=${words}><${Shape} colour=${letter} /></span>`
        }
      </li>`;
    })}
  </ul>`;
}

/** @param {{ view: View, deck: Deck, copies?: Record<string, number>, fresh: string | null }} props */
function Discards({ view, deck, copies, fresh }) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const card of view.discards) counts[card] = (counts[card] ?? 0) + 1;
  return html`<section class="discards" aria-label="Discards">
    <h2>Discards <small>${view.discards.length}</small></h2>
    <table>
      <thead class="unseen"><tr><th>Colour</th>${Array.from({ length: deck.ranks }, (_, at) => html`<th>${at + 1}</th>`)}</tr></thead>
      <tbody>
        ${[...deck.colours].map(
          (letter) => html`<tr key=${letter}>
          <th scope="row"><${Shape} colour=${letter} /><span class="unseen">${colourName(letter)}</span></th>
          ${Array.from({ length: deck.ranks }, (_, at) => {
            const card = `${letter}${at + 1}`;
            const gone = counts[card] ?? 0;
            const all = copies?.[card] ?? (at === 0 ? 3 : at === deck.ranks - 1 ? 1 : 2);
            const dead = gone >= all && view.fireworks[letter] <= at;
            const words = gone ? `${at + 1}: ${gone} of ${all}${dead ? ", none is left" : ""}` : "none";
            return html`<td key=${at} class=${`${gone ? `some c-${letter.toLowerCase()}` : ""}${dead ? " dead" : ""}${fresh === card ? " fresh" : ""}`} title=${gone ? words : undefined}>
              <span class="unseen">${words}</span><span aria-hidden="true">${gone ? at + 1 : ""}${gone > 1 ? html`<sup>${gone}</sup>` : ""}</span></td>`;
          })}
        </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

// -- hands --

/** @param {{ seat: number, name: string, hand: Held[], view: View, deck: Deck, kind?: string, here?: boolean, asked: boolean, chosen: Pick | null, preview: Preview | null, told: Told | null, onCard: ((seat: number, slot: number) => void) | null, isOpen: boolean }} props */
function Player({ seat, name, hand, view, deck, kind, here, asked, chosen, preview, told, onCard, isOpen }) {
  const current = view.status === "playing" && view.current === seat;
  const lit = preview?.seat === seat ? touchedBy(hand, preview.value) : [];
  return html`<section class=${`player${current ? " current" : ""}${here === false ? " away" : ""}`} data-seat=${seat} aria-label=${`${name}${current ? ", to move" : ""}`}>
    <h2>${kind === "person" ? html`<b class="who" title="a person" aria-hidden="true">☺</b>` : ""}<span>${name}</span></h2>
    <ol class="cards">
      ${hand.map((held, slot) => {
        const touched = told?.seat === seat && told.slots.includes(slot);
        const label = `${name}, slot ${slot + 1}: ${cardText(held.card)}; knows ${possibleText(held, deck)}${touched ? "; just told" : ""}`;
        const state = `${lit.includes(slot) ? " lit" : ""}${touched ? " touched" : ""}${chosen?.seat === seat && chosen.slot === slot ? " chosen" : ""}`;
        const card = html`<${HanabiCard} card=${held.card} colours=${held.colours} ranks=${held.ranks} toldColour=${held.colour_told} toldRank=${held.rank_told} deck=${deck} label="" />`;
        const marks = held.card
          ? html`<${Marks} colours=${held.colours} ranks=${held.ranks} toldColour=${held.colour_told} toldRank=${held.rank_told} deck=${deck} />`
          : null;
        return html`<li key=${held.place} data-place=${held.place} class=${held.colour_told || held.rank_told ? "clued" : ""}>
          ${
            onCard && !isOpen && held.card
              ? html`<button type="button" class=${`table-card${state}`} aria-disabled=${asked ? undefined : "true"} onClick=${() => onCard(seat, slot)}><span class="unseen">${label}</span>${card}</button>`
              : html`<span class=${`table-card${state}`} role="img" aria-label=${label}>${card}</span>`
          }
          ${marks}
        </li>`;
      })}
    </ol>
  </section>`;
}

/** @param {{ hand: Held[], view: View, seat: number, deck: Deck, name: string, mine: boolean, slot?: number | null, told: Told | null, notes?: Record<string, string>, onPick: ((slot: number) => void) | null }} props */
function OwnHand({ hand, view, seat, deck, name, mine, slot, told, notes, onPick }) {
  const current = view.status === "playing" && view.current === seat;
  return html`<section class=${`player own${current ? " current" : ""}`} data-seat=${seat} aria-label=${mine ? "Your cards" : `Cards of ${name}`}>
    <h2><span>${mine ? "Your cards" : name}</span></h2>
    <ol class="cards">
      ${hand.map((held, at) => {
        const touched = told?.seat === seat && told.slots.includes(at);
        const written = notes?.[held.place];
        const label = `slot ${at + 1}: ${held.card ? cardText(held.card) : possibleText(held, deck)}${touched ? ", just told" : ""}${written ? `, note: ${written}` : ""}`;
        const card = html`<${HanabiCard} card=${held.card} colours=${held.colours} ranks=${held.ranks} toldColour=${held.colour_told} toldRank=${held.rank_told} deck=${deck} label="" />`;
        return html`<li key=${held.place} data-place=${held.place}>
          ${
            onPick
              ? html`<button type="button" class=${`table-card${touched ? " touched" : ""}${slot === at ? " chosen" : ""}`} aria-pressed=${slot === at ? "true" : "false"}
                aria-keyshortcuts=${shortcut(at + 1)} onClick=${() => onPick(at)}><span class="unseen">${label}</span>${card}<kbd aria-hidden="true">${at + 1}</kbd></button>`
              : html`<span class=${`table-card${touched ? " touched" : ""}`} role="img" aria-label=${label}>${card}</span>`
          }
          ${held.card && html`<${Marks} colours=${held.colours} ranks=${held.ranks} toldColour=${held.colour_told} toldRank=${held.rank_told} deck=${deck} />`}
          ${written && html`<span class="card-note">${written}</span>`}
        </li>`;
      })}
    </ol>
  </section>`;
}

// -- the bar of decisions --

// A hint is sent by a click if what it touches was already lit: by hovering, by focus, or by a first tap.
/** @param {{ value: string, hand: Held[], preview: Preview | null, onPreview: (value: string | null) => void, onTell: (value: string) => void }} props */
function HintButton({ value, hand, preview, onPreview, onTell }) {
  const armed = useRef(false);
  const slots = touchedBy(hand, value);
  const on = preview?.value === value;
  const letter = isRank(value) ? null : value[0];
  return html`<button type="button" class=${`button hint-button${on ? " on" : ""}${letter ? ` c-${letter}` : ""}`} aria-keyshortcuts=${shortcut(letter ?? value)}
    onPointerEnter=${(event) => event.pointerType === "mouse" && onPreview(value)}
    onPointerLeave=${(event) => event.pointerType === "mouse" && onPreview(null)}
    onFocus=${(event) => event.currentTarget.matches(":focus-visible") && onPreview(value)}
    onPointerDown=${() => (armed.current = on)}
    onClick=${(event) => (armed.current || event.detail === 0 ? onTell(value) : onPreview(value))}>
    ${letter ? html`<${Shape} colour=${letter} /><span>${value}</span>` : html`<b class="rank">${value}</b>`}
    <small>${slots.length ? slotWords(slots) : ""}</small>
  </button>`;
}

/** @param {{ onClick: () => void }} props */
const Cancel = ({ onClick }) =>
  html`<button type="button" class="icon-button" aria-label="Cancel" onClick=${onClick}><span aria-hidden="true">✕</span></button>`;

/** @param {Asking} props */
function Ask({ names, seat, asked, decision, note, refusal, pick, legal, hands, preview, setPreview, act, cancel, openNote, bar }) {
  if (pick?.slot !== undefined && pick.seat === seat) {
    const number = pick.slot + 1;
    const can = (/** @type {string} */ kind) => asked && legal.includes(`${kind}:${pick.slot}`);
    return html`<div class="ask open" role="group" aria-label="What to do" ref=${bar} tabindex="-1">
      <p class="question">${refusal || `Slot ${number}: ${possibleText(hands[seat][pick.slot])}.`}</p>
      <div class="ask-buttons">
        <button type="button" class="button strong" aria-disabled=${can("play") ? undefined : "true"} onClick=${() => act(`play:${pick.slot}`)}>Play it <kbd aria-hidden="true">p</kbd></button>
        <button type="button" class="button" aria-disabled=${can("discard") ? undefined : "true"} onClick=${() => act(`discard:${pick.slot}`)}>Discard it <kbd aria-hidden="true">d</kbd></button>
        ${openNote && html`<button type="button" class="button" onClick=${openNote}>Note <kbd aria-hidden="true">n</kbd></button>`}
        <${Cancel} onClick=${cancel} />
      </div>
    </div>`;
  }
  if (pick) {
    const players = names.length;
    const places = (pick.seat - seat + players) % players;
    const values = legal.filter((action) => action.startsWith(`hint:${places}:`)).map((action) => action.split(":")[2]);
    const { slot } = pick;
    const shown = slot === undefined ? values : values.filter((value) => fits(hands[pick.seat][slot].card, value));
    return html`<div class="ask open" role="group" aria-label=${`Tell ${names[pick.seat]}`} ref=${bar} tabindex="-1">
      <p class="question">${refusal || `Tell ${names[pick.seat]} about:`}</p>
      <div class="ask-buttons hints">
        ${shown.map(
          (value) => html`<${HintButton} key=${value} value=${value} hand=${hands[pick.seat]} preview=${preview}
          onPreview=${(/** @type {string | null} */ shownValue) => setPreview(shownValue ? { seat: pick.seat, value: shownValue } : null)} onTell=${() => act(`hint:${places}:${value}`)} />`,
        )}
        <${Cancel} onClick=${cancel} />
      </div>
      <p class="touches">${
        preview
          ? `${preview.value}: ${slotWords(touchedBy(hands[preview.seat], preview.value))}. Press to tell.`
          : "What a hint touches lights up first."
      }</p>
    </div>`;
  }
  return html`<div class=${`ask${asked ? " open" : ""}`} role="group" aria-label="What to do" ref=${bar} tabindex="-1">
    <p class="question">${refusal || (asked ? (decision?.question ?? "Your move?") : note)}</p>
    ${asked && html`<p class="touches">Choose one of your cards, or a card of somebody else to give a hint.</p>`}
  </div>`;
}

/** @param {{ number: number, text: string, onKeep: (text: string) => void, onClose: () => void }} props */
function NoteDialog({ number, text, onKeep, onClose }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const keep = (/** @type {Event} */ event) => {
    event.preventDefault();
    onKeep(field.current?.value.trim() ?? "");
  };
  return html`<${Modal} title=${`Note on slot ${number}`} onClose=${onClose}>
    <form onSubmit=${keep} class="note-form">
      <label>Only you see it<input ref=${field} type="text" maxlength="60" value=${text} autofocus /></label>
      <button type="submit" class="button strong">Keep the note</button>
    </form>
  <//>`;
}

// A card that was played or thrown away comes from the hand it was in; a new one comes from the deck.
/**
 * @param {{ current: HTMLElement | null }} board
 * @param {{ events: GameEvent[], step: number }} shown
 */
function useFlights(board, { events, step }) {
  const before = useRef({ step, places: new Map() });
  useLayoutEffect(() => {
    const last = before.current;
    const places = new Map();
    const found = (/** @type {string} */ selector) => board.current?.querySelector(selector);
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (board.current?.querySelectorAll("[data-place]")) ?? [])
      places.set(item.dataset.place, item.querySelector(".table-card")?.getBoundingClientRect());
    before.current = { step, places };
    if (last.step === step || !last.places.size) return;
    const gone = [...last.places].find(([place]) => !places.has(place));
    for (const event of events) {
      if (event.kind === "play" && event.success && gone) flyIn(found(`[data-firework="${event.card[0]}"] > span`), gone[1]);
      else if ((event.kind === "play" || event.kind === "discard") && gone) flyIn(found(".discards td.fresh"), gone[1]);
    }
    const deck = found("[data-deck]");
    for (const [place] of places) {
      if (!last.places.has(place)) flyIn(found(`[data-place="${place}"] .table-card`), deck?.getBoundingClientRect(), { delay: 160 });
    }
  }, [step]);
}

/** @param {BoardProps} props */
export function HanabiBoard(props) {
  const {
    view,
    names,
    kinds,
    present,
    hands,
    decision,
    events,
    step,
    onAct,
    bottom,
    offered,
    asked,
    rules = {},
    notes = {},
    onNote,
    sheet,
  } = boardProps(props);
  const note = useNote({ view, names, kinds, step, note: props.note });
  const players = view.hands.length;
  const deck = { colours: Object.keys(view.fireworks).join(""), ranks: rules.ranks ?? 5 };
  /** @type {Held[][]} */
  const held = view.hands.map((/** @type {Held[]} */ hand, /** @type {number} */ each) => hands?.[each] ?? hand);
  const [pick, setPick] = useState(/** @type {Pick | null} */ (null));
  const [preview, setPreview] = useState(/** @type {Preview | null} */ (null));
  const [refusal, setRefusal] = useState("");
  const [writing, setWriting] = useState(/** @type {number | null} */ (null)); // the slot that a note is for
  const [board, bar] = [useRef(/** @type {HTMLElement | null} */ (null)), useRef(/** @type {HTMLElement | null} */ (null))];
  const told = lastTouched(view);

  const cancel = () => {
    setPick(null);
    setPreview(null);
    setRefusal("");
  };
  useLayoutEffect(cancel, [step]);
  useFlights(board, { events, step });
  useFocusOnQuestion(asked, step, () => board.current?.querySelector(".own button"));
  // The bar that a choice opens takes the focus of who chose by key: at once, or it would take it from a key that follows quickly.
  useLayoutEffect(() => {
    if (pick && document.documentElement.dataset.input === "keys") focusIn(bar.current, "button:not([aria-disabled])");
  }, [pick?.seat, pick?.slot]);

  const act = (/** @type {string} */ action) => {
    if (offered.includes(action)) return (cancel(), onAct?.(action));
    const why = decision?.why_not?.[action.split(":")[0]];
    const full = action.startsWith("discard") && "With all tokens there nothing may be discarded.";
    return setRefusal(why || (asked && full) || (asked ? "That is not possible now." : "It is not your turn yet."));
  };
  // A hint chosen by its key takes the focus too, so that Enter tells what is lit.
  const light = (/** @type {number} */ seat, /** @type {string} */ value, /** @type {string} */ key) => {
    setPreview({ seat, value });
    focusIn(bar.current, `.hint-button[aria-keyshortcuts="${key}"]`);
  };
  const pickOwn = (/** @type {number} */ slot) => {
    setPreview(null);
    setRefusal("");
    setPick(pick?.seat === bottom && pick.slot === slot ? null : { seat: bottom, slot });
  };
  const pickOther = (/** @type {number} */ other, /** @type {number | undefined} */ slot) => {
    setPreview(null);
    setPick(null);
    if (!asked) return setRefusal("It is not your turn yet.");
    if (view.tokens === 0) return setRefusal(decision?.why_not?.hint ?? "No token is left: somebody must discard, or play a 5.");
    setRefusal("");
    return setPick({ seat: other, slot });
  };

  useKeydown((event) => {
    if (!isShortcut(event)) return;
    const key = event.key.toLowerCase();
    const own = pick?.seat === bottom ? pick.slot : undefined;
    const telling = pick && pick.seat !== bottom ? pick : null;
    const places = telling ? (telling.seat - bottom + players) % players : 0;
    const isOnButton = event.target instanceof Element && event.target.closest(".hint-button, button");
    const value = telling && (isRank(key) ? key : [...deck.colours].map(colourName).find((name) => name[0] === key));
    if (key === "escape" && pick) cancel();
    else if (key === "h") pickOther((bottom + (telling ? places % (players - 1) : 0) + 1) % players, undefined);
    else if (telling && value && offered.includes(`hint:${places}:${value}`))
      preview?.value === value ? act(`hint:${places}:${value}`) : light(telling.seat, value, key);
    else if (key === "enter" && preview && !isOnButton) act(`hint:${places}:${preview.value}`);
    else if (own !== undefined && key === "p") act(`play:${own}`);
    else if (own !== undefined && key === "d") act(`discard:${own}`);
    else if (own !== undefined && key === "n" && onNote) setWriting(own);
    else if (!telling && isRank(key) && Number(key) >= 1 && Number(key) <= held[bottom].length) pickOwn(Number(key) - 1);
    else return;
    event.preventDefault();
  }, Boolean(onAct));

  const last = view.last;
  const lit = last?.move.startsWith("play") && last.success ? last.card?.[0] : null;
  const fresh = last?.card && !lit ? last.card : null;
  const others = Array.from({ length: players - 1 }, (_, at) => (bottom + 1 + at) % players);
  return html`<section class=${`hanabi board p${players}${sheet ? " with-sheet" : ""}`} ref=${board} data-step=${step} aria-label="Hanabi table" style=${{ "--size": Math.max(4, ...held.map((hand) => hand.length)) }}>
    <div class="felt night">
      <${Counters} view=${view} tokens=${rules.tokens ?? 8} lives=${rules.lives ?? 3} best=${deck.colours.length * deck.ranks} />
      <div class="middle">
        <${Fireworks} view=${view} deck=${deck} lit=${lit} />
        <${Discards} view=${view} deck=${deck} copies=${rules.deck} fresh=${fresh} />
      </div>
      <div class="others">
        ${others.map(
          (
            each,
          ) => html`<${Player} key=${each} seat=${each} name=${names[each]} hand=${held[each]} view=${view} deck=${deck} kind=${kinds[each]} here=${present[each]}
          asked=${asked} chosen=${pick} preview=${preview} told=${told} onCard=${onAct ? pickOther : null} isOpen=${!onAct} />`,
        )}
      </div>
      <${OwnHand} hand=${held[bottom]} view=${view} seat=${bottom} deck=${deck} name=${names[bottom]} mine=${view.seat === bottom && Boolean(onAct)} asked=${asked}
        slot=${pick?.seat === bottom ? pick.slot : null} told=${told} notes=${notes} onPick=${onAct ? pickOwn : null} />
    </div>
    ${sheet}
    <${Ask} ...${{ names, seat: bottom, asked, decision, note, refusal, pick, legal: offered, hands: held, preview, setPreview, act, cancel, bar }}
      openNote=${onNote ? () => setWriting(pick?.slot ?? null) : null} />
    ${
      writing !== null &&
      held[bottom][writing] &&
      html`<${NoteDialog} number=${writing + 1} text=${notes[held[bottom][writing].place] ?? ""} onClose=${() => setWriting(null)}
      onKeep=${(text) => {
        onNote?.(held[bottom][writing].place, text);
        setWriting(null);
      }} />`
    }
  </section>`;
}
