// Small charts without a library: lines with bands of uncertainty, bars with whiskers, progress.
//
// Everything drawn is also there as words: an <svg> has a title and a description, a line chart its figures in a table that
// opens. Lines differ by dashes and markers as well as by colour, and carry their names.
//
//   <LineChart title description lines={[{label, points: [{x, y, error}]}]} percent low high total at onPick xName />
//   <Bar value error low high mark />            one bar, in whatever row it stands
//   <ProgressBar done asked label />
//   useGliding(order) → ref of the parent of rows with data-key
//   sortedGently(order, rows, final)              the order of rows while values still change; isTried(row)
//   shown(value, percent), shownWithError(value, error, percent)      figures as text

import { isStill } from "./animations.js";
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from "./vendor/preact.js";

/** @import { Row } from "./types.js" */
/** @typedef {{ x: number, y: number, error: number }} Point */
/** @typedef {{ label: string, points: Point[] }} Series */
/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} description
 * @property {Series[]} lines
 * @property {boolean} percent
 * @property {number} [low]
 * @property {number} [high]
 * @property {number} [total] the largest x
 * @property {number | null} [at] the x that is shown elsewhere
 * @property {(x: number) => unknown} [onPick]
 * @property {string} [xName]
 * @property {string} [caption]
 */

const DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 5", "5 2 1 2 1 2", "1 4", "14 3 3 3", "4 4", "8 2 8 6"];
const MARKERS = ["circle", "square", "triangle", "diamond", "down", "bar"];
const LEFT = 44;
const BOTTOM = 34;
const TOP = 12;
const LABEL_STEP = 15;

// -- figures as text --

/**
 * @param {number | null | undefined} value
 * @param {boolean} percent
 * @param {number} [digits]
 */
export function shown(value, percent, digits) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = percent ? `${(100 * value).toFixed(digits ?? 1)} %` : value.toFixed(digits ?? 2);
  return text.replace(/^-(?=[0.]+( %)?$)/, "").replace("-", "−");
}

/**
 * @param {number | null | undefined} value
 * @param {number | null | undefined} error
 * @param {boolean} percent
 */
export function shownWithError(value, error, percent) {
  if (value === null || value === undefined) return "–";
  if (!error) return shown(value, percent);
  const figures = percent ? [100 * value, 100 * error] : [value, error];
  const digits = percent ? 1 : 2;
  const text = `${figures[0].toFixed(digits)} ± ${figures[1].toFixed(digits)}${percent ? " %" : ""}`;
  return text.replace(/^-(?=[0.]+ )/, "").replace("-", "−");
}

/** @param {number | null | undefined} number */
export const counted = (number) => (number ?? 0).toLocaleString("en-GB");

// -- the order of rows --

/**
 * @param {Row} row
 * @returns {row is Row & { value: number }}
 */
export const isTried = (row) => Number.isFinite(row.value);

// Neighbours change places only when one is better by more than the uncertainty of the difference; at the end all stand as sent.
/**
 * @param {string[]} order
 * @param {Row[]} rows
 * @param {boolean} final
 */
export function sortedGently(order, rows, final) {
  const sent = rows.map((row) => row.action);
  if (final || !order.length) return sent;
  const found = new Map(rows.map((row) => [row.action, row]));
  const kept = [...order.filter((action) => found.has(action)), ...sent.filter((action) => !order.includes(action))];
  for (let round = 0; round < 2; round += 1) {
    for (let place = 0; place + 1 < kept.length; place += 1) {
      const [upper, lower] = [found.get(kept[place]), found.get(kept[place + 1])];
      if (lower && upper && isClearlyBetter(lower, upper)) [kept[place], kept[place + 1]] = [kept[place + 1], kept[place]];
    }
  }
  // The action to take may have a lower number than another: by a convention, which a small lead is no reason to leave.
  const advised = sent[0];
  const isOvertaken = rows.some((row) => isTried(row) && row.value > (found.get(advised)?.value ?? Infinity));
  return isOvertaken ? [advised, ...kept.filter((action) => action !== advised)] : kept;
}

/**
 * @param {Row} one
 * @param {Row} other
 */
function isClearlyBetter(one, other) {
  if (!isTried(one)) return false;
  if (!isTried(other)) return true;
  return one.value - other.value > Math.hypot(one.error || 0, other.error || 0);
}

// -- bars --

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
const share = (value, low, high) => `${(100 * Math.min(1, Math.max(0, (value - low) / (high - low || 1)))).toFixed(2)}%`;

// A bar from the left edge to the value, and a whisker of two standard errors to either side.
/** @param {{ value: number | null | undefined, error?: number | null, low?: number, high?: number, mark?: string, tone?: number }} props */
export function Bar({ value, error, low = 0, high = 1, mark = "", tone = 0 }) {
  const known = value !== null && value !== undefined && Number.isFinite(value);
  const wide = known && error && error > 0 ? 2 * error : 0;
  const [start, end] = known ? [share(value - wide, low, high), share(value + wide, low, high)] : [0, 0];
  return html`<svg class=${`bar tone-${tone} ${mark}`} aria-hidden="true" focusable="false">
    <rect class="bar-ground" width="100%" height="100%" rx="3" />
    ${known && html`<rect class="bar-value" height="100%" rx="3" style=${{ width: share(value, low, high) }} />`}
    ${
      wide > 0 &&
      html`<g class="whisker">
      <rect class="span" style=${{ x: start, width: `calc(${end} - ${start})` }} />
      <rect class="end" style=${{ x: `calc(${start} - 1px)` }} />
      <rect class="end" style=${{ x: `calc(${end} - 1px)` }} />
    </g>`
    }
  </svg>`;
}

// How far something is: without `asked`, only that it goes on.
/** @param {{ done: number, asked?: number | null, label: string }} props */
export function ProgressBar({ done, asked, label }) {
  return html`<progress class="progress" max=${asked || undefined} value=${asked ? done : undefined} aria-label=${label} />`;
}

// Rows (each with data-key) that change places glide there, unless the person wants no motion.
/** @param {string[]} order */
export function useGliding(order) {
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(/** @type {Map<string | undefined, number>} */ (new Map()));
  useLayoutEffect(() => {
    const now = new Map();
    for (const row of /** @type {HTMLElement[]} */ ([...(body.current?.children ?? [])])) {
      const top = row.offsetTop;
      const was = before.current.get(row.dataset.key);
      if (!isStill() && was !== undefined && was !== top) {
        row.animate([{ transform: `translateY(${was - top}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
      }
      now.set(row.dataset.key, top);
    }
    before.current = now;
  }, [order.join(" ")]);
  return body;
}

// -- lines --

// The width that an element has on the page, in pixels, so that text in a drawing keeps its size.
/** @returns {[{ current: any }, number]} */
export function useWidth(first = 640) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => setWidth((before) => Math.round(element.clientWidth) || before);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
function ticksOf(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) || rough;
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-6; tick += step) ticks.push(Number(tick.toFixed(10)));
  return ticks;
}

// Labels at the right end keep a distance from each other, and stay inside.
/**
 * @template {{ y: number }} L
 * @param {L[]} labels
 * @param {number} top
 * @param {number} bottom
 */
function spread(labels, top, bottom) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  let edge = top;
  for (const label of sorted) {
    label.y = Math.max(label.y, edge);
    edge = label.y + LABEL_STEP;
  }
  edge = bottom;
  for (const label of sorted.reverse()) {
    label.y = Math.min(label.y, edge);
    edge = label.y - LABEL_STEP;
  }
  return labels;
}

/** @param {number[][]} points */
const pathOf = (points) => points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/**
 * @param {Point[]} points
 * @param {(x: number) => number} across
 * @param {(y: number) => number} up
 */
function bandOf(points, across, up) {
  const known = points.filter((point) => point.error > 0);
  if (known.length < 2) return "";
  const over = known.map((point) => [across(point.x), up(point.y + 2 * point.error)]);
  const under = known.map((point) => [across(point.x), up(point.y - 2 * point.error)]).reverse();
  return `${pathOf([...over, ...under])}Z`;
}

/** @param {{ kind: string, x: number, y: number }} props */
function Marker({ kind, x, y }) {
  const size = 3.6;
  if (kind === "circle") return html`<circle class="marker" cx=${x} cy=${y} r=${size} />`;
  /** @type {Record<string, number[][]>} */
  const all = {
    square: [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ],
    triangle: [
      [0, -1.25],
      [1.2, 0.9],
      [-1.2, 0.9],
    ],
    diamond: [
      [0, -1.4],
      [1.4, 0],
      [0, 1.4],
      [-1.4, 0],
    ],
    down: [
      [0, 1.25],
      [1.2, -0.9],
      [-1.2, -0.9],
    ],
    bar: [
      [-1.3, -0.6],
      [1.3, -0.6],
      [1.3, 0.6],
      [-1.3, 0.6],
    ],
  };
  const corners = all[kind];
  return html`<path class="marker" d=${`${pathOf(corners.map(([dx, dy]) => [x + size * dx, y + size * dy]))}Z`} />`;
}

/**
 * @param {string} text
 * @param {number} most
 */
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param {Chart} props */
export function LineChart(props) {
  const { title, description, lines, percent, xName = "position", at, onPick, caption } = props;
  const [ref, width] = useWidth();
  const id = useId();
  const [hover, setHover] = useState(/** @type {number | null} */ (null));
  const height = width < 480 ? 220 : 280;
  const digits = width < 480 ? 9 : 16;
  const right = 26 + 7 * Math.max(...lines.map((line) => shortened(line.label, digits).length), 3);
  const every = lines.flatMap((line) => line.points);
  const last = Math.max(props.total ?? 1, 1, ...every.map((point) => point.x));
  const [low, high] = domainOf(props, every);
  const across = (/** @type {number} */ x) => LEFT + (x / last) * (width - LEFT - right);
  const up = (/** @type {number} */ y) => TOP + (1 - (Math.min(high, Math.max(low, y)) - low) / (high - low)) * (height - TOP - BOTTOM);
  const pick = (/** @type {any} */ event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = Math.round((((event.clientX - box.left) * (width / box.width) - LEFT) / (width - LEFT - right)) * last);
    return Math.min(last, Math.max(0, x));
  };
  const format = (/** @type {number} */ value) => shown(value, percent, percent ? 0 : high - low < 5 ? 1 : 0);
  const labels = spread(
    lines
      .map((line, tone) => ({ tone, line, end: /** @type {Point} */ (line.points.at(-1)) }))
      .filter((label) => label.end)
      .map((label) => ({ ...label, y: up(label.end.y) })),
    TOP + 4,
    height - BOTTOM,
  );
  const pointed = hover ?? null;
  return html`<figure class="chart" ref=${ref}>
    <svg
      role="img"
      aria-labelledby=${`${id}-title ${id}-desc`}
      viewBox=${`0 0 ${width} ${height}`}
      width=${width}
      height=${height}
      class=${onPick ? "line-chart pickable" : "line-chart"}
      onClick=${onPick && ((event) => onPick(pick(event)))}
      onPointerMove=${onPick && ((event) => setHover(pick(event)))}
      onPointerLeave=${() => setHover(null)}
    >
      <title id=${`${id}-title`}>${title}</title>
      <desc id=${`${id}-desc`}>${description}</desc>
      ${ticksOf(low, high, 5).map(
        (tick) => html`<g class="tick" key=${`y${tick}`}>
          <line x1=${LEFT} x2=${width - right} y1=${up(tick)} y2=${up(tick)} />
          <text x=${LEFT - 7} y=${up(tick) + 4} text-anchor="end">${format(tick)}</text>
        </g>`,
      )}
      ${ticksOf(0, last, width < 480 ? 4 : 8)
        .filter(Number.isInteger)
        .map(
          (tick) =>
            html`<text class="tick-name" key=${`x${tick}`} x=${across(tick)} y=${height - BOTTOM + 16} text-anchor="middle">${tick}</text>`,
        )}
      <text class="axis-name" x=${(LEFT + width - right) / 2} y=${height - 3} text-anchor="middle">${xName}</text>
      ${at !== undefined && at !== null && html`<line class="now" x1=${across(at)} x2=${across(at)} y1=${TOP} y2=${height - BOTTOM} />`}
      ${pointed !== null && html`<line class="pointed" x1=${across(pointed)} x2=${across(pointed)} y1=${TOP} y2=${height - BOTTOM} />`}
      ${lines.map((line, tone) => html`<path key=${`b${tone}`} class=${`band tone-${tone % 10}`} d=${bandOf(line.points, across, up)} />`)}
      ${lines.map((line, tone) => html`<${Line} key=${tone} ...${{ line, tone, across, up }} />`)}
      ${labels.map(
        ({ tone, line, end, y }) => html`<g class=${`label tone-${tone % 10}`} key=${`l${tone}`}>
          <path class="leader" d=${pathOf([
            [across(end.x) + 5, up(end.y)],
            [width - right + 8, y],
            [width - right + 12, y],
          ])} />
          <text x=${width - right + 15} y=${y + 4}>${shortened(line.label, digits)}</text>
        </g>`,
      )}
    </svg>
    <p class="chart-pointed" aria-hidden="true">
      ${pointed === null ? caption || " " : pointedText(lines, pointed, percent, xName)}
    </p>
    <details class="figures">
      <summary>Figures</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${`${title}: figures`}><${Figures} ...${{ title, lines, percent, xName }} /></div>
    </details>
  </figure>`;
}

/**
 * @param {{ low?: number, high?: number }} limits
 * @param {Point[]} points
 */
function domainOf({ low, high }, points) {
  const values = points.flatMap((point) => [point.y - (point.error || 0), point.y + (point.error || 0)]);
  const least = low ?? Math.min(0, ...values);
  const most = high ?? Math.max(least + 1, ...values);
  return [least, most > least ? most : least + 1];
}

// A line, a marker at its end and a few on the way, so that it is told from others without its colour.
/** @param {{ line: Series, tone: number, across: (x: number) => number, up: (y: number) => number }} props */
function Line({ line, tone, across, up }) {
  const places = line.points.map((point) => [across(point.x), up(point.y)]);
  if (!places.length) return null;
  const every = Math.max(1, Math.ceil(places.length / 6));
  const marked = places.filter((_, place) => place === places.length - 1 || place % every === (tone * 2) % every);
  return html`<g class=${`line tone-${tone % 10}`}>
    <path d=${pathOf(places)} stroke-dasharray=${DASHES[tone % DASHES.length]} />
    ${marked.map(([x, y], place) => html`<${Marker} key=${place} kind=${MARKERS[tone % MARKERS.length]} x=${x} y=${y} />`)}
  </g>`;
}

/**
 * @param {Series[]} lines
 * @param {number} x
 * @param {boolean} percent
 * @param {string} xName
 */
function pointedText(lines, x, percent, xName) {
  const parts = lines
    .map((line) => ({ label: line.label, point: line.points.filter((point) => point.x <= x).at(-1) }))
    .filter((part) => part.point)
    .map((part) => `${part.label} ${shownWithError(part.point?.y, part.point?.error, percent)}`);
  return `${xName} ${x}: ${parts.join(", ") || "not known yet"}`;
}

/** @param {{ title: string, lines: Series[], percent: boolean, xName: string }} props */
function Figures({ title, lines, percent, xName }) {
  const places = [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((one, other) => one - other);
  const found = lines.map((line) => new Map(line.points.map((point) => [point.x, point])));
  return html`<table>
    <caption>${title}</caption>
    <thead>
      <tr><th scope="col">${xName}</th>${lines.map((line, place) => html`<th scope="col" key=${place}>${line.label}</th>`)}</tr>
    </thead>
    <tbody>
      ${places.map(
        (x) => html`<tr key=${x}>
          <th scope="row">${x}</th>
          ${found.map((points, place) => html`<td key=${place}>${points.has(x) ? shownWithError(points.get(x)?.y, points.get(x)?.error, percent) : ""}</td>`)}
        </tr>`,
      )}
    </tbody>
  </table>`;
}
