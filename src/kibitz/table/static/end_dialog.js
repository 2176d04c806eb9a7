// The end of a deal: who won, everybody's cards, the scores, and what to do next.

import { celebrate } from "./animations.js";
import { CardSentence } from "./card_sentence.js";
import { saveText } from "./copy_and_save.js";
import { Modal } from "./modal.js";
import { html, useEffect, useRef } from "./vendor/preact.js";

/** @import { Ending, Face, Position } from "./types.js" */

/** @param {{ face: Face, names: string[], hands: any[][], winner?: number | null }} props */
function Hands({ face, names, hands, winner }) {
  return html`<ul class="end-hands">
    ${hands.map((hand, seat) => {
      const remark = face.heldText(hand);
      return html`<li key=${seat} class=${winner === seat ? "winner" : ""}>
        <p><b>${names[seat]}</b> ${remark && html`<small>${remark}</small>`}<span class="unseen">${face.handText(hand)}</span></p>
        <div class="end-cards" aria-hidden="true"><${face.HeldCards} hand=${hand} /></div>
      </li>`;
    })}
  </ul>`;
}

/** @param {{ names: string[], scores: number[], to: string, seat: number | null }} props */
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

/** @param {{ face: Face, message: Position & { over: Ending }, seated: boolean, busy: boolean, onClose: () => void, onNext: () => void, onAgain: () => void }} props */
export function EndDialog({ face, message, seated, busy, onClose, onNext, onAgain }) {
  const { over, names, seat, to } = message;
  const scores = over.scores ?? message.scores;
  const party = useRef(null);
  const whole = { ...message, scores };
  useEffect(() => {
    if (face.isGood(whole)) celebrate(party.current);
  }, []);
  return html`<${Modal} title=${face.endTitle(whole)} kind="end" wide onClose=${onClose}>
    <div class="party" ref=${party} aria-hidden="true"></div>
    ${(over.text ?? []).map((line, at) => html`<p key=${at}><${CardSentence} text=${line} face=${face} /></p>`)}
    ${to && html`<${Scores} names=${names} scores=${scores} to=${to} seat=${seat} />`}
    ${over.hands && html`<${Hands} face=${face} names=${names} hands=${over.hands} winner=${over.winner} />`}
    <div class="end-buttons">
      ${seated && !over.finished && html`<button type="button" class="button strong" autofocus disabled=${busy} onClick=${onNext}>Next deal</button>`}
      ${seated && over.finished && html`<button type="button" class="button strong" autofocus disabled=${busy} onClick=${onAgain}>Play again</button>`}
      <a class="button" href=${over.record ? `#/replay?record=${encodeURIComponent(over.record)}` : `#/replay?table=${message.table}&deal=${message.deal}`}>Replay and analysis</a>
      ${face
        .exportsOf(over)
        .map(
          ({ label, file, text }) =>
            html`<button type="button" key=${file} class="button" onClick=${() => saveText(`kibitz-${file}`, text)}>Save ${label}</button>`,
        )}
      <a class="button" href="#/">Other games</a>
    </div>
  <//>`;
}
