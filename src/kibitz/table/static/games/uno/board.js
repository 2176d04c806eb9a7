// The UNO table: opponents around it, the piles in the middle, the hand at the bottom, and a bar that asks what is to be decided.
//
//   <UnoBoard view names … />   for live tables and for films:
//     view       as a seat or a spectator sees it (view messages of the protocol)
//     names      by seat;  kinds, present: by seat, "person" or "bot", whether they are there (live tables)
//     seat       who sits at the bottom; by default the viewer, or seat 0
//     hands      open hands by seat (films, the end of a deal); null for a seat that stays hidden
//     legal, decision, onAct(action)   what may be done now; without onAct the board is read-only
//     events     what just happened, for animations; step: a number that changes with every position
//     scores, to                       of a contest
//     note       a sentence shown instead of who is thinking (films)
//     sheet      advice, where there is no room beside the table: between the table and the question; what matters stays in sight

import { flyBack, flyIn } from "../../animations.js";
import { boardProps, useFocusOnQuestion, useNote } from "../../board_hooks.js";
import { CardBack, colourName, Shape, SHAPE_NAMES } from "../../card_art.js";
import { Modal } from "../../modal.js";
import { keepSetting, keysAreOn, setting } from "../../settings.js";
import { isShortcut, shortcut, useKeydown } from "../../shortcuts.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { cardOf, cardText, COLOURS, inOrder, isCard, isWild, UnoCard } from "./cards.js";

/** @import { BoardProps, GameEvent, Position, View } from "../../types.js" */

/** @type {Record<string, string>} */
const KEYS = { draw: "d", keep: "k", challenge: "c", accept: "x", "jump-in": "j", pass: "p", uno: "u", catch: "c" };

/** @type {[string, string][]} */
export const UNO_KEYS = [
  ["1 – 9", "play the card with this number"],
  ["← →", "go through the hand; Enter plays"],
  ["d", "draw a card"],
  ["k", "keep the card drawn"],
  ["u", "say UNO"],
  ["c", "challenge, or catch who did not say UNO"],
  ["x", "accept, and draw"],
  ["j", "jump in"],
  ["p", "pass"],
  ["r g b y", "name a colour"],
  ["o", "sort the hand, or leave it as it came"],
];

// -- around the table --

// Where opponents sit, from the left over the top to the right, as shares of the table: on an ellipse about twice as wide as it is
// high, the same way apart.
/**
 * @param {number} index
 * @param {number} count
 */
function placeOf(index, count) {
  const spread = count === 1 ? 0 : count < 4 ? 128 : count < 6 ? 176 : 212;
  const at = (/** @type {number} */ share) => {
    const angle = ((-90 + spread * (share - 0.5)) * Math.PI) / 180;
    return [50 + 43 * Math.cos(angle), 57 + 44 * Math.sin(angle)];
  };
  const points = Array.from({ length: 121 }, (_, step) => at(step / 120));
  const way = [0];
  for (let step = 1; step < points.length; step++)
    way.push(way[step - 1] + Math.hypot(2 * (points[step][0] - points[step - 1][0]), points[step][1] - points[step - 1][1]));
  const wanted = count === 1 ? way[60] : (way[120] * index) / (count - 1);
  const [x, y] = points[way.findIndex((length) => length >= wanted - 1e-9)];
  return { "--x": x.toFixed(2), "--y": y.toFixed(2) };
}

/** @type {Record<string, (event: GameEvent) => [number, string]>} */
const BUBBLES = {
  said_uno: (event) => [event.seat, "UNO!"],
  caught: (event) => [event.seat, "Caught you!"],
  challenged: (event) => [event.seat, event.count ? "Challenge: right!" : "Challenge: wrong"],
  jumped_in: (event) => [event.seat, "Jump in!"],
  swapped: (event) => [event.seat, "Swap!"],
  forced: (event) => [event.seat, `+${event.count}`],
  kept: (event) => [event.seat, event.count ? `draws ${event.count}` : "cannot draw"],
  named: (event) => [event.seat, colourName(event.colour)],
};

/** @param {GameEvent[]} events */
function bubblesOf(events) {
  /** @type {Record<number, string>} */
  const said = {};
  for (const event of events) {
    const told = BUBBLES[event.kind]?.(event);
    if (told) said[told[0]] = told[1];
  }
  return said;
}

/** @param {{ count: number }} props */
function Fan({ count }) {
  const shown = Math.min(count, 9);
  return html`<span class="fan" aria-hidden="true">${Array.from({ length: shown }, (_, at) => html`<i key=${at} style=${{ "--k": at - (shown - 1) / 2 }} />`)}</span>`;
}

/** @param {{ seat: number, place: object, view: View, name: string, kind?: string, here?: boolean, score?: number, to?: string | null, hand: string[] | null, said?: string, isYou: boolean }} props */
function Opponent({ seat, place, view, name, kind, here, score, to, hand, said, isYou }) {
  const count = view.hand_sizes[seat];
  const current = view.status === "playing" && view.current === seat;
  const words = [
    `${isYou ? "you" : name}: ${count} ${count === 1 ? "card" : "cards"}`,
    current && "to play",
    to && `${score} points`,
    kind === "person" && here === false && "away",
  ];
  return html`<li class=${`seat${current ? " current" : ""}${count === 1 ? " one" : ""}${here === false ? " away" : ""}`} style=${place} data-seat=${seat}>
    <span class="unseen">${words.filter(Boolean).join(", ")}${hand ? `; ${hand.map(cardText).join(", ")}` : ""}</span>
    <span class="seat-card" aria-hidden="true">
      ${hand ? null : html`<${Fan} count=${count} />`}
      <span class="count">${count}</span>
      <span class="seat-name">${kind === "person" ? html`<b class="who" title="a person">☺</b>` : ""}${name}</span>
      ${to && html`<span class="seat-score">${score}</span>`}
      ${count === 1 && html`<span class="one-left">one left</span>`}
    </span>
    ${hand && html`<span class="open-hand" aria-hidden="true">${inOrder(hand).map((card, at) => html`<span key=${at}><${UnoCard} card=${card} label="" /></span>`)}</span>`}
    ${said && html`<span class="bubble" key=${said + view.turn} aria-hidden="true">${said}</span>`}
  </li>`;
}

/** @param {{ direction: number, players: number }} props */
function Direction({ direction, players }) {
  if (players < 3) return null;
  return html`<svg class=${`direction ${direction > 0 ? "clockwise" : "counter"}`} viewBox="0 0 200 120" role="img" aria-label=${`Play goes ${direction > 0 ? "clockwise" : "anticlockwise"}`}>
    <g><path d="M26 44Q60 6 118 9" /><path class="head" d="m114 1 16 9-15 10Z" /></g>
    <g transform="rotate(180 100 60)"><path d="M26 44Q60 6 118 9" /><path class="head" d="m114 1 16 9-15 10Z" /></g>
  </svg>`;
}

/** @param {{ view: View, legal: string[], act: (action: string) => void, top: { current: Element | null } }} props */
function Piles({ view, legal, act, top }) {
  const under = view.discard.slice(-2);
  const called = isWild(view.top) ? view.colour : null;
  const mayDraw = legal.includes("draw");
  const size = `${view.pile_size} ${view.pile_size === 1 ? "card" : "cards"}`;
  return html`<div class="piles">
    <${Direction} direction=${view.direction} players=${view.hand_sizes.length} />
    <button type="button" class=${`pile draw-pile${mayDraw ? " ready" : ""}`} data-pile aria-label=${`Draw pile, ${size}${mayDraw ? ": draw a card" : ""}`}
      aria-disabled=${mayDraw ? undefined : "true"} tabindex=${mayDraw ? 0 : -1} onClick=${() => act("draw")}>
      ${view.pile_size > 0 ? html`<${CardBack} label="" />` : html`<span class="no-card" />`}
      <span class="pile-count" aria-hidden="true">${view.pile_size}</span>
    </button>
    <div class="pile discard-pile" role="img" aria-label=${`On the table: ${cardText(view.top)}${called ? `, ${colourName(called)} is called` : ""}`}>
      ${under.map((/** @type {string} */ card, /** @type {number} */ at) => html`<span class=${`under u${(view.discard.length - under.length + at) % 3}`} key=${view.discard.length - under.length + at}><${UnoCard} card=${card} label="" /></span>`)}
      <span class="on-top" ref=${top} key=${`top${view.discard.length}`}><${UnoCard} card=${view.top} called=${called} label="" /></span>
    </div>
    <p class=${`colour-now c-${view.colour ?? "wild"}`}>
      ${view.colour ? html`<${Shape} colour=${view.colour} /><span><span class="unseen">Colour: </span>${colourName(view.colour)}</span>` : html`<span>any colour</span>`}
      ${view.stack > 0 && html`<b class="stack">+${view.stack}</b>`}
    </p>
  </div>`;
}

// -- the hand --

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1, Home: -1000, End: 1000 };

/** @param {string[]} cards */
function keyed(cards) {
  /** @type {Record<string, number>} */
  const seen = {};
  return cards.map((card) => ({ card, key: `${card}.${(seen[card] = (seen[card] ?? 0) + 1)}` }));
}

/** @param {{ cards: string[], playable: Set<string>, asked: boolean, drawn: string | null, numbers: Map<string, string>, onPlay: ((card: string, element: Element) => void) | null, list: { current: HTMLElement | null }, mine: boolean, name: string }} props */
function Hand({ cards, playable, asked, drawn, numbers, onPlay, list, mine, name }) {
  const cursor = useRef(0);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const steps = STEPS[event.key];
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    if (!steps || !buttons.length) return;
    event.preventDefault();
    const at = buttons.findIndex((button) => button === document.activeElement);
    cursor.current = Math.max(0, Math.min(buttons.length - 1, at + steps));
    buttons[cursor.current].focus();
  };
  const middle = (cards.length - 1) / 2;
  const bend = Math.min(3.2, 34 / Math.max(cards.length, 1));
  return html`<ul class=${`hand${asked ? " asked" : ""}${cards.length > 14 ? " many" : ""}`} ref=${list} onKeyDown=${move} tabindex=${onPlay ? undefined : 0} aria-label=${mine ? "Your hand" : `Hand of ${name}`}>
    ${keyed(cards).map(({ card, key }, at) => {
      const fits = playable.has(card);
      const number = fits ? numbers.get(key) : undefined;
      const isDrawn = card === drawn && key.endsWith(`.${cards.filter((each) => each === card).length}`);
      const label = `${cardText(card)}${fits ? ", playable" : ""}${isDrawn ? ", just drawn" : ""}`;
      return html`<li key=${key} data-key=${key} style=${{ "--bend": `${((at - middle) * bend).toFixed(2)}deg`, "--drop": `${(Math.abs(at - middle) ** 2 * bend * 0.22).toFixed(1)}px` }}>
        ${
          onPlay
            ? html`<button type="button" class=${`hand-card${fits ? " playable" : ""}${isDrawn ? " drawn" : ""}`} data-card=${card}
              aria-disabled=${asked && !fits ? "true" : undefined} aria-keyshortcuts=${shortcut(number)}
              tabindex=${fits || (!playable.size && at === 0) ? 0 : -1} onClick=${(event) => onPlay(card, event.currentTarget)}>
              <span class="unseen">${label}</span><${UnoCard} card=${card} label="" />
              ${number && html`<kbd aria-hidden="true">${number}</kbd>`}
            </button>`
            : html`<span class="hand-card"><${UnoCard} card=${card} /></span>`
        }
      </li>`;
    })}
    ${cards.length === 0 && html`<li class="no-cards">no cards</li>`}
  </ul>`;
}

// -- the bar of decisions --

/** @param {{ card: string, onChoose: (action: string) => void }} props */
function ColourButtons({ card, onChoose }) {
  return html`<div class="colours">${[...COLOURS].map(
    (letter) => html`<button type="button" key=${letter} class=${`colour-button c-${letter}`}
    aria-keyshortcuts=${shortcut(letter)} onClick=${() => onChoose(`${card}:${letter}`)}>
    <${Shape} colour=${letter} /><span>${colourName(letter)}</span><small class="unseen">${SHAPE_NAMES[letter]}</small>
  </button>`,
  )}</div>`;
}

/**
 * @param {string[]} legal
 * @param {View} view
 * @param {string[]} names
 * @returns {{ action: string, text: string, key?: string, seat?: number, strong: boolean }[]}
 */
function buttonsFor(legal, view, names) {
  /** @type {Record<string, string>} */
  const texts = {
    draw: "Draw a card",
    keep: "Keep it",
    challenge: "Challenge",
    accept: view.stack ? `Draw ${view.stack}` : "Accept",
    "jump-in": "Jump in!",
    pass: view.phase === "uno_call" ? "Say nothing" : "Pass",
    uno: "UNO!",
    catch: "Catch!",
  };
  const strong = ["uno", "catch", "jump-in", "challenge"];
  return legal
    .filter((action) => !isCard(action))
    .map((action) => {
      if (action.startsWith("swap:")) {
        const players = names.length;
        const seat = ((view.seat ?? 0) + view.direction * Number(action.slice(5)) + 2 * players) % players;
        return { action, seat, text: `${names[seat]} (${view.hand_sizes[seat]})`, strong: false };
      }
      return { action, text: texts[action] ?? action, key: KEYS[action], strong: strong.includes(action) };
    })
    .sort((one, other) => (one.seat ?? 0) - (other.seat ?? 0) || Number(other.strong) - Number(one.strong));
}

/**
 * @param {View} view
 * @param {string[]} names
 */
function fallbackQuestion(view, names) {
  const who = view.player === null ? "Somebody" : names[view.player];
  /** @type {Record<string, string>} */
  const questions = {
    turn: "Your turn: play a card or draw.",
    drawn: `You drew ${cardText(view.drawn)}.`,
    colour: "A wild was turned up: which colour do you name?",
    challenge: `${who} played a wild draw four: challenge it?`,
    stack: `Answer with a card, or draw ${view.stack}.`,
    swap: "Swap hands with whom?",
    uno_call: "One card left!",
    catch: `${who} did not say UNO.`,
    jump_in: `${who} played a card that you hold too. Jump in?`,
  };
  return questions[view.phase];
}

/** @param {{ view: View, names: string[], legal: string[], decision: Position["decision"], note: string, refusal: string, act: (action: string) => void, bar: { current: HTMLElement | null } }} props */
function Bar({ view, names, legal, decision, note, refusal, act, bar }) {
  const asked = legal.length > 0;
  const buttons = asked ? buttonsFor(legal, view, names) : [];
  const naming = asked && view.phase === "colour";
  const drawnAction = asked && view.phase === "drawn" && legal.find((action) => cardOf(action) === view.drawn);
  return html`<div class=${`ask${asked ? " open" : ""}`} role="group" aria-label="What to do" ref=${bar} tabindex="-1">
    <p class="question">${refusal || (asked ? (decision?.question ?? fallbackQuestion(view, names)) : note)}</p>
    ${naming && html`<${ColourButtons} card=${view.top} onChoose=${act} />`}
    <div class="ask-buttons">
      ${drawnAction && html`<button type="button" class="button strong" onClick=${() => act(cardOf(drawnAction))}>Play ${cardText(view.drawn)}</button>`}
      ${buttons.map(
        ({
          action,
          text,
          key,
          strong,
        }) => html`<button type="button" key=${action} class=${`button${strong ? " strong" : ""} act-${action.split(":")[0]}`}
        aria-keyshortcuts=${shortcut(key)} onClick=${() => act(action)}>${text}${key && html` <kbd aria-hidden="true">${key}</kbd>`}</button>`,
      )}
    </div>
  </div>`;
}

// -- what moves --

/**
 * @param {{ current: HTMLElement | null }} board
 * @param {{ current: HTMLElement | null }} top
 * @param {{ events: GameEvent[], step: number, bottom: number, list: { current: HTMLElement | null }, played: { current: DOMRect | null }, hand: string[] | null }} shown
 */
function useFlights(board, top, { events, step, bottom, list, played, hand }) {
  const before = useRef({ step, keys: new Set() });
  useLayoutEffect(() => {
    const last = before.current;
    const keys = new Set(hand ? keyed(hand).map(({ key }) => key) : []);
    before.current = { step, keys };
    if (last.step === step || !board.current) return;
    const seatOf = (/** @type {number} */ seat) => board.current?.querySelector(`[data-seat="${seat}"] .seat-card`);
    const pile = board.current.querySelector("[data-pile]");
    let delay = 0;
    let ownDraw = false;
    for (const event of events) {
      const own = event.seat === bottom && hand;
      const count = event.count ?? 0;
      if (["forced", "kept", "play", "drew"].includes(event.kind) && count > 0) {
        if (own) ownDraw ||= event.kind !== "play";
        else if (event.kind !== "drew") {
          for (let card = 0; card < Math.min(count, 4); card++)
            flyBack(board.current, pile, seatOf(event.seat), { delay: delay + 90 * card });
          delay += event.kind === "play" ? 200 : 0;
        }
      }
      if (event.kind === "play" || event.kind === "jumped_in") {
        const from = own ? (played.current ?? list.current?.getBoundingClientRect()) : seatOf(event.seat)?.getBoundingClientRect();
        if (event.kind === "play") flyIn(top.current, from, { delay, turn: own ? 0 : -14 });
        played.current = null;
      }
    }
    if (ownDraw && list.current) {
      let place = 0;
      for (const item of /** @type {HTMLElement[]} */ ([...list.current.children])) {
        if (!last.keys.has(item.dataset.key)) flyIn(item.firstElementChild, pile?.getBoundingClientRect(), { delay: 90 * place++ });
      }
    }
  }, [step]);
}

/** @param {BoardProps} props */
export function UnoBoard(props) {
  const { view, names, kinds, present, hands, decision, events, step, scores, to, onAct, bottom, offered, asked, sheet } =
    boardProps(props);
  const note = useNote({ view, names, kinds, step, note: props.note });
  const players = view.hand_sizes.length;
  const held = hands?.[bottom] ?? (view.seat === bottom && (view.hand.length || !view.hand_sizes[bottom]) ? view.hand : null);
  const [sorted, setSorted] = useState(() => setting("sorted", true));
  const [wild, setWild] = useState(/** @type {string | null} */ (null)); // the wild whose colour is being chosen
  const [refusal, setRefusal] = useState("");
  const board = useRef(/** @type {HTMLElement | null} */ (null));
  const top = useRef(/** @type {HTMLElement | null} */ (null)); // the card on top of the discard pile
  const list = useRef(/** @type {HTMLElement | null} */ (null)); // the hand
  const bar = useRef(/** @type {HTMLElement | null} */ (null));
  const played = useRef(/** @type {DOMRect | null} */ (null)); // where the card was that was just played
  const hand = held && (sorted ? inOrder(held) : held);
  const playable = new Set(
    offered
      .filter(isCard)
      .map(cardOf)
      .filter((card) => view.phase !== "colour" || !card),
  );
  const numbers = new Map();
  for (const { card, key } of keyed(hand ?? [])) if (playable.has(card) && numbers.size < 9) numbers.set(key, String(numbers.size + 1));

  useLayoutEffect(() => {
    setWild(null);
    setRefusal("");
  }, [step]);
  useFlights(board, top, { events, step, bottom, list, played, hand });
  useFocusOnQuestion(
    asked,
    step,
    () => board.current?.querySelector(".hand-card.playable") ?? bar.current?.querySelector("button") ?? bar.current,
  );
  useEffect(() => {
    const first = list.current?.querySelector(".playable");
    if (asked && list.current && first && list.current.scrollWidth > list.current.clientWidth) {
      list.current.scrollTo({ left: (first.parentElement?.offsetLeft ?? 0) - list.current.offsetLeft - 40, behavior: "smooth" });
    }
  }, [asked, step]);

  const act = (/** @type {string} */ action) => {
    if (!onAct) return;
    if (offered.includes(action)) {
      setWild(null);
      onAct(action);
    } else if (isWild(action) && offered.some((each) => each.startsWith(`${action}:`))) setWild(action);
    else refuse(action);
  };
  const refuse = (/** @type {string} */ action) => {
    const why = decision?.why_not ?? {};
    if (!asked) setRefusal(view.status === "playing" ? "It is not your turn yet." : "");
    else if (action === "draw") setRefusal(why.draw ?? "You cannot draw now.");
    else setRefusal(why[action] ?? why[`${action}:r`] ?? `The ${cardText(action)} does not fit now.`);
  };
  const play = (/** @type {string} */ card, /** @type {Element | null | undefined} */ element) => {
    played.current = element?.getBoundingClientRect() ?? null;
    act(card);
  };

  useKeydown((event) => {
    if (!isShortcut(event)) return;
    const key = event.key.toLowerCase();
    const found = [...numbers].find(([, number]) => number === key);
    const colour = view.phase === "colour" ? offered.find((each) => each.endsWith(`:${key}`)) : undefined;
    const action = offered.find((each) => KEYS[each] === key) ?? colour;
    const swaps = buttonsFor(offered, view, names).filter((each) => each.seat !== undefined);
    if (found) play(found[0].split(".")[0], list.current?.querySelector(`[data-key="${found[0]}"] button`));
    else if (action) act(action);
    else if (/^[1-9]$/.test(key) && swaps[Number(key) - 1]) act(swaps[Number(key) - 1].action);
    else if (key === "o") toggleSort();
    else return;
    event.preventDefault();
  }, Boolean(onAct));
  const toggleSort = () => {
    keepSetting("sorted", !sorted);
    setSorted(!sorted);
  };

  const seats = Array.from({ length: players }, (_, at) => (bottom + at) % players).slice(hand ? 1 : 0);
  const said = bubblesOf(events);
  const points = scores ?? view.scores;
  const open = Boolean(hands);
  const mine = Boolean(onAct);
  return html`<section class=${`uno board${open ? " open" : ""}${players > 7 ? " crowded" : ""}${sheet ? " with-sheet" : ""}`} ref=${board} data-step=${step} aria-label="UNO table">
    <div class="felt">
      <ol class="seats" aria-label="Players in order of their seats">
        ${seats.map(
          (
            each,
            at,
          ) => html`<${Opponent} key=${each} seat=${each} place=${placeOf(at, seats.length)} view=${view} name=${names[each]} kind=${kinds[each]}
          here=${present[each]} score=${points?.[each]} to=${to} hand=${hands?.[each] ?? null} said=${said[each]} isYou=${each === view.seat} />`,
        )}
      </ol>
      <${Piles} view=${view} legal=${offered} act=${act} top=${top} />
      ${
        hand &&
        html`<div class=${`own-seat${view.status === "playing" && view.current === bottom ? " current" : ""}`} data-seat=${bottom}>
        <span class="seat-card"><span class="seat-name">${names[bottom]}</span><span class="count">${hand.length}</span>
        ${to && html`<span class="seat-score">${points?.[bottom]}</span>`}</span>
        ${said[bottom] && html`<span class="bubble" key=${said[bottom] + view.turn} aria-hidden="true">${said[bottom]}</span>`}
      </div>`
      }
    </div>
    ${sheet}
    <${Bar} ...${{ view, names, legal: offered, decision, note, refusal, act, bar }} />
    ${
      hand &&
      html`<div class="hand-area">
      <${Hand} cards=${hand} playable=${playable} asked=${asked && playable.size > 0} drawn=${view.phase === "drawn" && view.seat === bottom ? view.drawn : null}
        numbers=${numbers} onPlay=${onAct ? play : null} list=${list} mine=${mine} name=${names[bottom]} />
      <button type="button" class="sort quiet" aria-pressed=${sorted ? "true" : "false"} onClick=${toggleSort}>Sort</button>
    </div>`
    }
    ${
      wild &&
      html`<${Modal} title=${`${cardText(wild)[0].toUpperCase()}${cardText(wild).slice(1)}: which colour?`} kind="picker" onClose=${() => setWild(null)}>
      <${ColourKeys} card=${wild} onChoose=${act} />
      <${ColourButtons} card=${wild} onChoose=${act} />
    <//>`
    }
  </section>`;
}

/** @param {{ card: string, onChoose: (action: string) => void }} props */
function ColourKeys({ card, onChoose }) {
  useKeydown((event) => {
    if (!keysAreOn() || !COLOURS.includes(event.key.toLowerCase()) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(`${card}:${event.key.toLowerCase()}`);
  });
  return null;
}
