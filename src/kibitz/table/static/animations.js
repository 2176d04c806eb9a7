// Cards in flight: short animations from where a card was to where it is now; nothing moves for people who want no motion.

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.classList.contains("calm");

// An element that has just appeared comes from where `from` is or was.
/**
 * @param {Element | null | undefined} element
 * @param {DOMRect | null | undefined} from
 * @param {{ duration?: number, delay?: number, turn?: number }} options
 */
export function flyIn(element, from, { duration = 380, delay = 0, turn = 0 } = {}) {
  if (!element || !from || isStill() || !element.animate) return;
  const to = element.getBoundingClientRect();
  if (!to.width || !from.width) return;
  const [x, y] = [from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
  const scale = Math.max(0.3, Math.min(1.4, from.width / to.width));
  element.animate(
    [
      { transform: `translate(${x}px, ${y}px) scale(${scale}) rotate(${turn}deg)`, zIndex: 5 },
      { transform: "none", zIndex: 5 },
    ],
    { duration, delay, easing: "cubic-bezier(.2,.7,.2,1)", fill: "backwards" },
  );
}

// A card's back goes from one place to another and is gone.
/**
 * @param {Element | null | undefined} board
 * @param {Element | null | undefined} from
 * @param {Element | null | undefined} to
 * @param {{ duration?: number, delay?: number }} options
 */
export function flyBack(board, from, to, { duration = 380, delay = 0 } = {}) {
  if (!board || !from || !to || isStill()) return;
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!start.width || !end.width) return;
  const flying = document.createElement("span");
  flying.className = "flying";
  flying.setAttribute("aria-hidden", "true");
  board.append(flying);
  const size = flying.getBoundingClientRect();
  const at = (/** @type {DOMRect} */ rect) =>
    `translate(${rect.left + rect.width / 2 - size.left - size.width / 2}px, ${rect.top + rect.height / 2 - size.top - size.height / 2}px)`;
  const flight = flying.animate(
    [
      { transform: at(start), opacity: 1 },
      { transform: `${at(end)} scale(.6)`, opacity: 0.9 },
    ],
    { duration, delay, easing: "cubic-bezier(.3,.6,.3,1)", fill: "both" },
  );
  flight.onfinish = flight.oncancel = () => flying.remove();
}

// Shapes thrown into the air for whoever wins.
/** @param {Element | null} place */
export function celebrate(place) {
  if (!place || isStill()) return;
  const letters = "rygb";
  for (let count = 0; count < 36; count++) {
    const bit = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    bit.setAttribute("viewBox", "0 0 20 20");
    bit.setAttribute("class", `confetti c-${letters[count % 4]}`);
    bit.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `#shape-${letters[count % 4]}`);
    bit.append(use);
    place.append(bit);
    const [x, y] = [(Math.random() - 0.5) * 620, -120 - Math.random() * 260];
    const turn = (Math.random() - 0.5) * 720;
    const flight = bit.animate(
      [
        { transform: "translate(0, 0) scale(.4)", opacity: 1 },
        { transform: `translate(${x}px, ${y}px) rotate(${turn}deg)`, opacity: 1, offset: 0.45 },
        { transform: `translate(${1.25 * x}px, ${y + 520}px) rotate(${2 * turn}deg)`, opacity: 0 },
      ],
      { duration: 1500 + Math.random() * 900, easing: "cubic-bezier(.15,.6,.5,1)", fill: "both" },
    );
    flight.onfinish = () => bit.remove();
  }
}
