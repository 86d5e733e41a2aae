// Starts a program in a Dynamic Worker and connects it with the object.
//
// Only a JavaScript class can be called over RPC, so the class Door is here. It accepts only text,
// and Rust decides everything else. Nothing that a program sends is trusted: it is a text or it is
// refused.

import { RpcTarget } from "cloudflare:workers";

/** The time after a run until its isolate is disposed of, see `close`. */
const TAKE_DOWN_MS = 20;
/** The most calls that a program may send in one message. */
const MAX_TOGETHER = 32;
/**
 * The number of characters after which no further response is added to a message. The last response
 * may have the largest size, and a message holds at most 32 MiB.
 */
const MAX_JOINT_CHARACTERS = 4_000_000;

/**
 * The calls and the messages of a program.
 *
 * @typedef {(text: string) => string | Promise<string>} Call
 * @typedef {(kind: string, text: string) => void} Note
 */

/**
 * The main module of an isolate, see crates/sandbox/src/runtime/runtime.js.
 *
 * @typedef {{run(door: Door, options: object): Promise<unknown>, stop(code: string): Promise<void>} & Partial<Disposable>} Entry
 */

class Door extends RpcTarget {
  /** @type {Call | null} */
  #call;
  /** @type {Note | null} */
  #note;

  /**
   * @param {Call} call
   * @param {Note} note
   */
  constructor(call, note) {
    super();
    this.#call = call;
    this.#note = note;
  }

  /**
   * Returns the responses in the order of the texts; null for calls that were not made because the
   * responses before them fill a message.
   *
   * @param {unknown} texts
   */
  call(texts) {
    if (this.#call === null) throw new Error("the run is over");
    if (!Array.isArray(texts) || texts.length > MAX_TOGETHER) throw new TypeError("calls must be an array of texts");
    /** @type {(string | Promise<string> | null)[]} */
    const answers = [];
    let size = 0;
    let waits = false;
    for (const text of texts) {
      if (typeof text !== "string") throw new TypeError("a call must be a text");
      const answer = size > MAX_JOINT_CHARACTERS ? null : this.#call(text);
      if (typeof answer === "string") size += answer.length;
      else waits ||= answer !== null;
      answers.push(answer);
    }
    return waits ? Promise.all(answers) : answers;
  }

  /**
   * @param {unknown} kind
   * @param {unknown} text
   */
  note(kind, text) {
    if (typeof kind === "string" && typeof text === "string") this.#note?.(kind, text);
  }

  /** @param {Door} door */
  static close(door) {
    door.#call = null;
    door.#note = null;
  }
}

class Launched {
  #entry;
  #worker;
  #door;

  /**
   * @param {WorkerStub & Partial<Disposable>} worker
   * @param {Door} door
   * @param {object} options
   */
  constructor(worker, door, options) {
    this.#worker = worker;
    this.#door = door;
    this.#entry = /** @type {Entry} */ (/** @type {unknown} */ (worker.getEntrypoint()));
    this.outcome = this.#entry.run(door, options).then((answer) => {
      if (!Array.isArray(answer) || typeof answer[0] !== "string") throw new TypeError("the report is not a text");
      return [answer[0], typeof answer[1] === "string" ? answer[1] : null];
    });
    this.outcome.catch(() => {});
  }

  /**
   * Asks the program to end and to report the results that it has.
   *
   * @param {string} code
   */
  stop(code) {
    this.#entry.stop(code).catch(() => {});
  }

  /**
   * Closes the door. The isolate is disposed of a moment later, because that takes as long as
   * making it and must not delay the response.
   */
  close() {
    Door.close(this.#door);
    setTimeout(() => {
      for (const held of [this.#entry, this.#worker]) {
        try {
          held[Symbol.dispose]?.();
        } catch {
          // It is gone already.
        }
      }
    }, TAKE_DOWN_MS);
  }
}

/**
 * Starts a program in a new isolate, or in the one with the name `kept`.
 *
 * @param {WorkerLoader} loader the binding of `[[worker_loaders]]`
 * @param {string | undefined} kept the name of an isolate that may be used again
 * @param {WorkerLoaderWorkerCode} code
 * @param {object} options of `run`, see crates/sandbox/src/runtime/runtime.js
 * @param {Call} call
 * @param {Note} note
 */
export function launch(loader, kept, code, options, call, note) {
  const worker = kept === undefined ? loader.load(code) : loader.get(kept, () => code);
  return new Launched(worker, new Door(call, note), options);
}
