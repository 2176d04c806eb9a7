// Advice as rows: in which order, on which scale, and which preferences are worth a row.

import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf, worthARow } from "../../src/kibitz/table/static/advice.js";
import { conventionText } from "../../src/kibitz/table/static/analysis.js";
import { sortedGently } from "../../src/kibitz/table/static/chart.js";
import { distinctNames, shortName } from "../../src/kibitz/table/static/seat_names.js";

const row = (/** @type {string} */ action, /** @type {number | null} */ value, error = 0.01) => ({ action, value, error });

test("rows change places only when one is clearly better, until the end", () => {
  const [close, clear] = [row("b", 0.505), row("c", 0.6)];
  assert.deepEqual(sortedGently(["a", "b"], [close, row("a", 0.5)], false), ["a", "b"]);
  assert.deepEqual(sortedGently(["a", "b"], [close, row("a", 0.5)], true), ["b", "a"]);
  assert.deepEqual(sortedGently(["a", "c"], [clear, row("a", 0.5)], false), ["c", "a"]);
  assert.deepEqual(sortedGently(["x", "a"], [row("a", 0.5), row("x", null)], false), ["a", "x"]); // what was not tried goes down
  assert.deepEqual(sortedGently([], [clear, close], false), ["c", "b"]);
  assert.deepEqual(sortedGently(["b", "a"], [row("a", 0.5), clear, close], false)[0], "a"); // sent first although others lead
});

test("bars begin at zero only if the values lie far apart", () => {
  const [zero, top] = scaleOf([row("a", 0.9), row("b", 0.1)], "chance to win");
  assert.equal(zero, 0);
  assert.ok(Math.abs(top - 0.95) < 1e-9);
  const [low, high] = scaleOf([row("a", 0.52), row("b", 0.5)], "chance to win");
  assert.ok(low > 0.4 && low < 0.5 && high > 0.52 && high < 0.6);
  assert.deepEqual(scaleOf([row("a", 0.7)], "preference"), [0, 1]);
  assert.deepEqual(scaleOf([], "score"), [0, 1]);
});

test("actions that are hardly preferred share a row, the chosen one never", () => {
  const rows = [row("a", 0.99), row("b", 0.004), row("c", 0.003), row("d", 0.001)];
  assert.deepEqual(worthARow(rows), [[rows[0]], 3]);
  assert.deepEqual(worthARow(rows, "d"), [[rows[0], rows[3]], 2]);
  assert.deepEqual(worthARow(rows.slice(0, 2)), [rows.slice(0, 2), 0]); // a row for one is no longer than a row about it
});

test("seats with the same name are told apart", () => {
  assert.deepEqual(distinctNames(["random", "mix2", "random"]), ["random (0)", "mix2", "random (2)"]);
  const names = ["mix2:points", "mix2", "champion:fast"];
  assert.deepEqual(
    names.map((_, seat) => shortName(names, seat)),
    ["mix2:points", "mix2", "champion"],
  );
  assert.equal(shortName(["mix2:points", "mix2:points"], 1), "mix2 (1)");
});

test("an analysis names the convention it assumes, and where somebody left it", () => {
  const at = (/** @type {number} */ position, /** @type {boolean} */ convention_broken) =>
    /** @type {any} */ ({ position, convention: "smart", convention_broken });
  assert.equal(conventionText(/** @type {any} */ ([{ position: 0, convention: "" }])), "");
  assert.equal(conventionText([at(0, false)]), "Everybody is expected to play on by the convention of smart.");
  assert.match(conventionText([at(0, false), at(1, true), at(2, true)]), /Before move 2 somebody had left it/);
});
