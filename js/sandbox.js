// Starts a program in a Dynamic Worker and connects it with the object.
//
// Only a JavaScript class can be called over RPC, so the class Door is here. It accepts only text,
// and Rust decides everything else. Nothing that a program sends is trusted: it is a text or it is
// refused. A program may start before Rust knows of it (js/programs.js); its calls then wait until
// it is connected.

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
  /** @type {[string, (answer: string | Promise<string>) => void][]} */
  #calls = [];
  /** @type {[string, string][]} */
  #notes = [];

  /** @param {() => void} wanted is called when the program calls, or notes more than its start */
  constructor(wanted) {
    super();
    this.#call = (text) => {
      wanted();
      return new Promise((answer) => this.#calls.push([text, answer]));
    };
    this.#note = (kind, text) => {
      this.#notes.push([kind, text]);
      if (kind !== STARTED) wanted();
    };
  }

  /**
   * Passes all calls and notes on from now, those before too.
   *
   * @param {Door} door
   * @param {Call} call
   * @param {Note} note
   */
  static connect(door, call, note) {
    if (door.#call === null) return;
    door.#call = call;
    door.#note = note;
    for (const [kind, text] of door.#notes.splice(0)) note(kind, text);
    for (const [text, answer] of door.#calls.splice(0)) answer(call(text));
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

/** The note that a program has begun. */
const STARTED = "started";

class Launched {
  #entry;
  #worker;
  #door;
  /** The time of the launch. */
  began_ms = Date.now();

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
   * Passes the calls and the notes of the program on.
   *
   * @param {Call} call
   * @param {Note} note
   */
  connect(call, note) {
    Door.connect(this.#door, call, note);
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
 * @param {() => void} [wanted] see `Door`
 */
export function launch(loader, kept, code, options, wanted = () => {}) {
  const worker = kept === undefined ? loader.load(code) : loader.get(kept, () => code);
  return new Launched(worker, new Door(wanted), options);
}

/**
 * The programs that were started before Rust knew of them and that it takes over, by their numbers.
 *
 * @type {Map<number, Launched>}
 */
const offered = new Map();
let numbers = 0;

/**
 * Offers a program to Rust under a number.
 *
 * @param {Launched} launched
 */
export function offer(launched) {
  numbers += 1;
  offered.set(numbers, launched);
  return numbers;
}

/**
 * Takes an offered program, if it was not taken yet.
 *
 * @param {number} number
 */
export function taken(number) {
  const launched = offered.get(number);
  offered.delete(number);
  return launched;
}
