// The queue of a table's messages: order, pauses, standing still, and coming back after a lost connection.

import assert from "node:assert/strict";
import { test } from "node:test";

import { MessageQueue } from "../../src/kibitz/table/static/message_queue.js";

const PACE = 100;

/**
 * A queue, what it showed, and time that a test makes pass.
 * @param {{ isHidden?: () => boolean }} [options]
 */
function opened({ isHidden } = {}) {
  /** @type {{ at: number, run: () => void }[]} */
  let timers = [];
  let time = 1000;
  const clock = {
    now: () => time,
    set: (/** @type {() => void} */ run, /** @type {number} */ wait) => {
      const timer = { at: time + wait, run };
      timers.push(timer);
      return timer;
    },
    clear: (/** @type {any} */ timer) => {
      timers = timers.filter((each) => each !== timer);
    },
  };
  /** @type {string[]} */
  const shown = [];
  /** @type {number[]} */
  const counts = [];
  const queue = new MessageQueue({
    show: (/** @type {any} */ message) => shown.push(`${message.type} ${message.deal}/${message.position}`),
    onWaiting: (count) => counts.push(count),
    pace: () => PACE,
    isHidden,
    clock,
  });
  // Everything due within these milliseconds happens, in order.
  const pass = (/** @type {number} */ milliseconds) => {
    const until = time + milliseconds;
    for (;;) {
      const next = timers.filter((timer) => timer.at <= until).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      timers = timers.filter((each) => each !== next);
      time = Math.max(time, next.at);
      next.run();
    }
    time = until;
  };
  const taken = () => shown.splice(0);
  return { queue, taken, counts, pass, planned: () => timers.length };
}

const position = (/** @type {number} */ at, deal = 0) => ({ type: "position", deal, position: at });
const update = (/** @type {number} */ at, deal = 0, over = /** @type {unknown} */ (null)) => ({ type: "update", deal, position: at, over });

test("the first position is shown at once", () => {
  const { queue, taken, counts } = opened();
  assert.equal(queue.isFresh, true);
  queue.hear(position(4));
  assert.deepEqual(taken(), ["position 0/4"]);
  assert.deepEqual(counts, [0]);
  assert.equal(queue.isFresh, false);
});

test("updates come in order, each after a pause, the first without one", () => {
  const { queue, taken, counts, pass } = opened();
  queue.hear(position(0));
  taken();
  for (const at of [1, 2, 3]) queue.hear(update(at));
  assert.deepEqual(taken(), []);
  pass(0);
  assert.deepEqual(taken(), ["update 0/1"]);
  pass(PACE - 1);
  assert.deepEqual(taken(), []);
  pass(1);
  assert.deepEqual(taken(), ["update 0/2"]);
  pass(PACE);
  assert.deepEqual(taken(), ["update 0/3"]);
  assert.deepEqual(counts, [0, 1, 2, 3, 2, 1, 0]);
});

test("an update that comes late is shown without a further pause", () => {
  const { queue, taken, pass } = opened();
  queue.hear(position(0));
  queue.hear(update(1));
  pass(5 * PACE);
  taken();
  queue.hear(update(2));
  pass(0);
  assert.deepEqual(taken(), ["update 0/2"]);
});

test("a position in the middle, as of the next deal, waits for its turn and causes no pause", () => {
  const { queue, taken, pass } = opened();
  queue.hear(position(0));
  queue.hear(update(1));
  queue.hear(position(0, 1));
  queue.hear(update(1, 1));
  pass(0);
  assert.deepEqual(taken(), ["position 0/0", "update 0/1"]);
  pass(PACE);
  assert.deepEqual(taken(), ["position 1/0", "update 1/1"]);
});

test("without anybody who looks there are no pauses", () => {
  const { queue, taken, pass } = opened({ isHidden: () => true });
  queue.hear(position(0));
  for (const at of [1, 2, 3]) queue.hear(update(at));
  pass(0);
  assert.equal(taken().length, 4);
});

test("pauses are left out while very many wait", () => {
  const { queue, taken, pass } = opened();
  queue.hear(position(0));
  for (let at = 1; at <= 100; at++) queue.hear(update(at));
  taken();
  pass(0);
  assert.equal(taken().length, 20); // then 80 wait, and each has its pause
  pass(PACE);
  assert.equal(taken().length, 1);
});

test("skipping shows all that waits, and the next has no pause", () => {
  const { queue, taken, counts, pass, planned } = opened();
  queue.hear(position(0));
  for (const at of [1, 2, 3]) queue.hear(update(at));
  queue.skip();
  assert.deepEqual(taken(), ["position 0/0", "update 0/1", "update 0/2", "update 0/3"]);
  assert.equal(counts.at(-1), 0);
  assert.equal(planned(), 0);
  queue.hear(update(4));
  pass(0);
  assert.deepEqual(taken(), ["update 0/4"]);
});

test("catching up stops short of an end that is not shown yet", () => {
  const { queue, taken } = opened();
  queue.hear(position(0));
  queue.hear(update(1));
  assert.equal(queue.catchUp(), true);
  assert.deepEqual(taken(), ["position 0/0", "update 0/1"]);
  queue.hear(update(2));
  queue.hear(update(3, 0, { status: "won" }));
  assert.equal(queue.catchUp(), false);
  assert.deepEqual(taken(), []);
});

test("a queue that is held shows nothing after that position, until it goes on", () => {
  const { queue, taken, counts, pass } = opened();
  queue.hear(position(0));
  queue.hold();
  for (const at of [1, 2, 3]) queue.hear(update(at));
  pass(10 * PACE);
  assert.deepEqual(taken(), ["position 0/0"]);
  assert.equal(counts.at(-1), 3);
  queue.hold(2);
  pass(10 * PACE);
  assert.deepEqual(taken(), ["update 0/1", "update 0/2"]);
  queue.hold(null);
  pass(0);
  assert.deepEqual(taken(), ["update 0/3"]);
});

test("a queue that is held does not go on to the next deal", () => {
  const { queue, taken, pass } = opened();
  queue.hear(position(5));
  queue.hold(9);
  queue.hear(update(6));
  queue.hear(position(0, 1));
  pass(10 * PACE);
  assert.deepEqual(taken(), ["position 0/5", "update 0/6"]);
  queue.skip(); // ends the standing still as well
  queue.hear(update(1, 1));
  pass(0);
  assert.deepEqual(taken(), ["position 1/0", "update 1/1"]);
});

test("after a lost connection the next position counts, and what waited is dropped", () => {
  const { queue, taken, counts, pass, planned } = opened();
  queue.hear(position(0));
  queue.hear(update(1));
  queue.hear(update(2));
  queue.hold();
  taken();
  queue.restart();
  assert.equal(queue.isFresh, true);
  queue.hear(position(7));
  assert.deepEqual(taken(), ["position 0/7"]);
  assert.equal(counts.at(-1), 0);
  assert.equal(planned(), 0);
  queue.hear(update(8));
  pass(0);
  assert.deepEqual(taken(), ["update 0/8"]); // nor does it stand still any more
});

test("a closed queue shows nothing more", () => {
  const { queue, taken, pass, planned } = opened();
  queue.hear(position(0));
  queue.hear(update(1));
  taken();
  queue.close();
  pass(10 * PACE);
  assert.deepEqual(taken(), []);
  assert.equal(planned(), 0);
});

test("the usual clock is the browser's", async () => {
  /** @type {number[]} */
  const shown = [];
  const done = new Promise((resolve) => {
    const queue = new MessageQueue({
      show: (message) => {
        shown.push(message.position);
        if (message.position === 2) resolve(null);
      },
    });
    queue.hear(position(0));
    queue.hear(update(1));
    queue.hear(update(2));
  });
  await done;
  assert.deepEqual(shown, [0, 1, 2]);
});
