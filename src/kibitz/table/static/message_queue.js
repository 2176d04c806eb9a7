// The messages of a table in order, shown one by one: bots answer at once, and eyes are slower.
//
//   const queue = new MessageQueue({ show, onWaiting, pace, isHidden, clock })
//   queue.hear(message)      a position or an update; it is shown when its turn comes
//   queue.skip()             show at once all that is waiting
//   queue.catchUp()          the same, unless that gives the end away; whether it was done
//   queue.hold(position)     nothing after this position is shown; without one, after what is shown now; null goes on
//   queue.restart()          a connection has begun: the next position is the whole truth, whatever was waiting
//   queue.close()            nothing more is shown

const MOST_WAITING = 80; // with more, pauses are left out

/** @typedef {{ type: string, deal: number, position: number, over?: unknown }} Message */
/** @typedef {{ deal: number, position: number }} Place */
/** @typedef {{ now(): number, set(run: () => void, wait: number): any, clear(timer: any): void }} Clock */

/** @type {Clock} */
const CLOCK = {
  now: () => performance.now(),
  set: (run, wait) => setTimeout(run, wait),
  clear: (timer) => clearTimeout(timer),
};

/** @template {Message} M */
export class MessageQueue {
  /** @type {M[]} */
  #waiting = [];
  /** @type {M | null} what is shown */
  #latest = null;
  /** @type {Place | null} nothing after it is shown for now */
  #stop = null;
  /** @type {any} of what is shown next; null if nothing is planned */
  #timer = null;
  #ready = 0; // when the next may be shown
  #fresh = true; // the next position is the whole truth
  #show;
  #onWaiting;
  #pace;
  #isHidden;
  #clock;

  /**
   * @param {object} given
   * @param {(message: M) => void} given.show
   * @param {(count: number) => void} [given.onWaiting] told how many messages wait, whenever that changes
   * @param {() => number} [given.pace] milliseconds that an update stays before the next is shown
   * @param {() => boolean} [given.isHidden] whether nobody looks: then there are no pauses
   * @param {Clock} [given.clock]
   */
  constructor({ show, onWaiting = () => {}, pace = () => 0, isHidden = () => false, clock = CLOCK }) {
    this.#show = show;
    this.#onWaiting = onWaiting;
    this.#pace = pace;
    this.#isHidden = isHidden;
    this.#clock = clock;
  }

  // Whether no position has come since the connection began.
  get isFresh() {
    return this.#fresh;
  }

  /** @param {M} message */
  hear(message) {
    if (message.type === "position" && this.#fresh) {
      this.#fresh = false;
      this.#waiting = [message];
      return this.skip();
    }
    this.#waiting.push(message);
    this.#plan();
    this.#onWaiting(this.#waiting.length);
  }

  skip() {
    this.#cancel();
    this.#ready = 0;
    this.#stop = null;
    for (const message of this.#waiting.splice(0)) this.#present(message);
    this.#onWaiting(0);
  }

  catchUp() {
    if (this.#waiting.at(-1)?.over) return false;
    this.skip();
    return true;
  }

  /** @param {number | null} [position] */
  hold(position = this.#latest?.position) {
    this.#stop = position === null || position === undefined || !this.#latest ? null : { deal: this.#latest.deal, position };
    this.#plan();
  }

  restart() {
    this.#fresh = true;
  }

  close() {
    this.#cancel();
    this.#waiting = [];
  }

  #isStopped() {
    const [next] = this.#waiting;
    return this.#stop !== null && (next.deal !== this.#stop.deal || next.position > this.#stop.position);
  }

  #plan() {
    if (this.#timer !== null || !this.#waiting.length || this.#isStopped()) return;
    const hurries = this.#isHidden() || this.#waiting.length > MOST_WAITING;
    this.#timer = this.#clock.set(() => this.#next(), hurries ? 0 : Math.max(0, this.#ready - this.#clock.now()));
  }

  #next() {
    this.#timer = null;
    if (!this.#waiting.length || this.#isStopped()) return;
    const message = /** @type {M} */ (this.#waiting.shift());
    this.#present(message);
    this.#onWaiting(this.#waiting.length);
    this.#ready = this.#clock.now() + (message.type === "update" ? this.#pace() : 0);
    this.#plan();
  }

  /** @param {M} message */
  #present(message) {
    this.#latest = message;
    this.#show(message);
  }

  #cancel() {
    this.#clock.clear(this.#timer);
    this.#timer = null;
  }
}
