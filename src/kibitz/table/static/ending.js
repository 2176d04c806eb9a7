// The end of a deal: who won, everybody's cards, the scores, and what to do next.

import { cardText, HanabiCard, points, UnoCard, unoOrder } from "./cards.js";
import { Modal } from "./dialog.js";
import { celebrate } from "./motion.js";
import { saveText } from "./taking.js";
import { html, useEffect, useRef } from "./vendor/preact.js";
import { Words } from "./words.js";

const nameOf = (held) => (typeof held === "string" ? held : held.card);

function isGood({ game, over, seat, scores, to }) {
  if (game === "hanabi") return over.status !== "lost";
  const best = to && over.finished ? scores.indexOf(Math.max(...scores)) : over.winner;
  return best === seat;
}

function titleOf({ game, over, seat, scores, to, names, view }) {
  if (game === "hanabi") {
    const score = over.status === "lost" ? 0 : (over.score ?? over.points ?? view.score);
    return over.status === "lost"
      ? "The last fuse is burnt"
      : over.status === "perfect"
        ? "A perfect display!"
        : `${score} points: ${verdict(score)}`;
  }
  if (to && over.finished) {
    const best = scores.indexOf(Math.max(...scores));
    return best === seat ? "You win the contest!" : `${names[best]} wins the contest`;
  }
  if (over.winner === null || over.winner === undefined) return "Nobody wins";
  return over.winner === seat ? "You win!" : `${names[over.winner]} wins`;
}

// As the rule book of the game has it.
function verdict(score) {
  if (score <= 5) return "oh dear";
  if (score <= 10) return "a few sparks";
  if (score <= 15) return "a good try";
  if (score <= 20) return "a fine display";
  return "the crowd is amazed";
}

function Hands({ game, names, hands, winner }) {
  return html`<ul class="end-hands">
    ${hands.map((hand, seat) => {
      const cards = hand.map(nameOf);
      const sum = cards.reduce((total, card) => total + points(card), 0);
      return html`<li key=${seat} class=${winner === seat ? "winner" : ""}>
        <p><b>${names[seat]}</b> ${game === "uno" ? (cards.length ? html`<small>held ${sum} ${sum === 1 ? "point" : "points"}</small>` : html`<small>no cards left</small>`) : ""}
          <span class="unseen">${cards.map(cardText).join(", ")}</span></p>
        <div class="end-cards" aria-hidden="true">
          ${(game === "uno" ? unoOrder(cards) : cards).map((card, at) => html`<span key=${at}>${game === "uno" ? html`<${UnoCard} card=${card} label="" />` : html`<${HanabiCard} card=${card} label="" />`}</span>`)}
        </div>
      </li>`;
    })}
  </ul>`;
}

function Scores({ names, scores, to, seat }) {
  const order = scores.map((_, each) => each).sort((one, other) => scores[other] - scores[one]);
  const goal = Math.max(parseInt(to, 10) || 1, ...scores);
  return html`<table class="scores"><caption>Scores, played to ${to}</caption><tbody>
    ${order.map(
      (each) => html`<tr key=${each} class=${each === seat ? "you" : ""}><th scope="row">${names[each]}</th>
      <td class="score-bar"><meter min="0" max=${goal} value=${scores[each]} aria-label=${`${names[each]}: ${scores[each]} points`} /></td><td class="number">${scores[each]}</td></tr>`,
    )}
  </tbody></table>`;
}

export function EndDialog({ message, seated, busy, onClose, onNext, onAgain }) {
  const { game, over, names, seat, to } = message;
  const scores = over.scores ?? message.scores;
  const party = useRef(null);
  const whole = { ...message, scores };
  useEffect(() => {
    if (isGood(whole)) celebrate(party.current);
  }, []);
  return html`<${Modal} title=${titleOf(whole)} kind="end" wide onClose=${onClose}>
    <div class="party" ref=${party} aria-hidden="true"></div>
    ${(over.text ?? []).map((line, at) => html`<p key=${at}><${Words} text=${line} /></p>`)}
    ${to && html`<${Scores} names=${names} scores=${scores} to=${to} seat=${seat} />`}
    ${over.hands && html`<${Hands} game=${game} names=${names} hands=${over.hands} winner=${over.winner} />`}
    <div class="end-buttons">
      ${seated && !over.finished && html`<button type="button" class="button strong" autofocus disabled=${busy} onClick=${onNext}>Next deal</button>`}
      ${seated && over.finished && html`<button type="button" class="button strong" autofocus disabled=${busy} onClick=${onAgain}>Play again</button>`}
      <a class="button" href=${over.record ? `#/replay?record=${encodeURIComponent(over.record)}` : `#/replay?table=${message.table}&deal=${message.deal}`}>Replay and analysis</a>
      ${over.live && html`<button type="button" class="button" onClick=${() => saveText("hanabi-game.json", JSON.stringify(over.live))}>Save for hanab.live</button>`}
      <a class="button" href="#/">Other games</a>
    </div>
  <//>`;
}
