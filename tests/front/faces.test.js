// What games tell the pages of themselves: cards in sentences, actions in words, what a seat sees in a film, ends.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { spoken } from "../../src/kibitz/table/static/card_sentence.js";
import * as hanabi from "../../src/kibitz/table/static/games/hanabi/face.js";
import * as plain from "../../src/kibitz/table/static/games/plain.js";
import * as uno from "../../src/kibitz/table/static/games/uno/face.js";

/** @import { Face, FaceModule, Frame } from "../../src/kibitz/table/static/types.js" */

/** @type {FaceModule} that all of it is there, and fits, is for the compiler to say */
const PLAIN = plain;
/** @type {Record<string, Partial<FaceModule>>} */
const OWN = { uno, hanabi };
const faceOf = (/** @type {Partial<FaceModule>} */ own) => /** @type {Face} */ ({ ...PLAIN, ...own });
const FACES = { uno: faceOf(OWN.uno), hanabi: faceOf(OWN.hanabi) };
const frameOf = (/** @type {Partial<Frame>} */ part) => /** @type {Frame} */ (part);
const names = ["Ann", "Bob", "Cid"];

test("a game's module has no name that pages would not ask for", () => {
  const games = new URL("../../src/kibitz/table/static/games/", import.meta.url);
  const folders = readdirSync(games, { withFileTypes: true }).filter((each) => each.isDirectory());
  assert.deepEqual(folders.map((each) => each.name).sort(), Object.keys(FACES).sort());
  const known = new Set(Object.keys(plain));
  assert.deepEqual(
    [...Object.keys(uno), ...Object.keys(hanabi)].filter((name) => !known.has(name)),
    [],
  );
});

test("cards in sentences are found and put into words", () => {
  assert.equal(spoken("mix2 plays y3.", FACES.uno), "mix2 plays yellow 3.");
  assert.equal(
    spoken("Ann plays wild+4, calling red; Bob draws gskip.", FACES.uno),
    "Ann plays wild draw four, calling red; Bob draws green skip.",
  );
  assert.equal(spoken("On the table: blue Draw Two.", FACES.uno), "On the table: blue draw two.");
  assert.equal(spoken("piers:wild r2d2 and score:r5", FACES.uno), "piers:wild r2d2 and score:r5"); // names are left alone
  assert.equal(spoken("Bob plays R5.", FACES.hanabi), "Bob plays red 5.");
  assert.equal(spoken("Bob discards white 3.", FACES.hanabi), "Bob discards white 3.");
  assert.equal(spoken("Bob plays R5.", faceOf({})), "Bob plays R5.");
});

test("actions in words name who is meant", () => {
  assert.equal(uno.actionText("r5", {}), "play red 5");
  assert.equal(uno.actionText("wild+4:g", {}), "play wild draw four, calling green");
  assert.equal(uno.actionText("uno", {}), "say UNO");
  const view = { seat: 0, current: 0, status: "playing", direction: -1 };
  assert.equal(uno.actionText("swap:1", { names, seat: 0, view }), "swap hands with Cid");
  assert.equal(uno.actionText("swap:1", { names, seat: 0 }), "swap hands with Bob");
  assert.equal(hanabi.actionText("hint:2:red", { names, seat: 1 }), "tell Ann: red");
  assert.equal(hanabi.actionText("discard:0", { names, seat: 1 }), "discard slot 1");
  assert.equal(plain.actionText("bet_all", {}), "bet all");
  assert.equal(plain.actionText("b", { text: "bet" }), "bet");
});

test("in a film a seat sees what it saw in the game", () => {
  const view = { seat: 0, current: 0, status: "playing", hand: ["r1"], playable: ["r1"], drawn: "r1" };
  const frame = frameOf({ view, hands: [["r1"], ["g2", "b3"]] });
  assert.equal(uno.viewOf(frame, 0), view);
  const other = uno.viewOf(frame, 1);
  assert.deepEqual([other.seat, other.hand, other.playable, other.drawn], [1, ["g2", "b3"], [], null]);
  assert.deepEqual(uno.viewOf(frame, null).hand, []);

  const hands = [[{ card: "R1", place: 0 }], [{ card: "B2", place: 1 }]];
  const held = frameOf({ view: { seat: 0, current: 0, status: "playing" }, hands });
  assert.deepEqual(
    hanabi.viewOf(held, 1).hands.map((/** @type {{ card: string | null }[]} */ hand) => hand[0].card),
    ["R1", null],
  );
  assert.deepEqual(hanabi.viewOf(held, null).hands, hands);
});

test("the end of a deal has a heading", () => {
  const end = (/** @type {object} */ over, /** @type {object} */ more = {}) =>
    /** @type {any} */ ({ names, seat: 1, scores: [10, 520, 30], to: null, view: {}, over, ...more });
  assert.equal(FACES.uno.endTitle(end({ winner: 1 })), "You win!");
  assert.equal(FACES.uno.endTitle(end({ winner: 2 })), "Cid wins");
  assert.equal(FACES.uno.endTitle(end({ winner: null })), "Nobody wins");
  assert.equal(FACES.uno.endTitle(end({ winner: 2, finished: true }, { to: "500" })), "You win the contest!");
  assert.deepEqual([FACES.uno.isGood(end({ winner: 1 })), FACES.uno.isGood(end({ winner: 2 }))], [true, false]);
  assert.equal(FACES.uno.isGood(end({ winner: null }, { seat: null })), false); // nobody who looks on wins
  assert.equal(FACES.hanabi.endTitle(end({ status: "lost", score: 7 })), "The last fuse is burnt");
  assert.equal(FACES.hanabi.endTitle(end({ status: "over", score: 17 })), "17 points: a fine display");
  assert.equal(FACES.hanabi.isGood(end({ status: "lost" })), false);
});

test("a view of any game can be shown as text", () => {
  assert.equal(plain.valueText(["K", "Q"]), "K, Q");
  assert.equal(plain.valueText([]), "none");
  assert.equal(plain.valueText({ pot: 2, last_bet: null, open: true }), "(pot 2; last bet none; open yes)");
});
