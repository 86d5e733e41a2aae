// Keeps a local Worker alive: starts workerd behind the relay, checks that the Worker still
// responds, and if it does not, reports the request that caused it, ends workerd, and starts it
// again on the same storage. It also reports at once a setting that is wrong, which the Worker
// itself reports to requests only, and starts the Worker again when a setting has changed or the
// Worker was built again.
//
// Local workerd has no CPU limit and runs everything on one thread, so one statement or program
// that computes without end blocks every request, and then only SIGKILL ends workerd. Committed
// data is on disk; SQLite rolls back the rest.
//
// workerd listens on a Unix socket in a folder that only this user can enter. The only port is the
// relay's.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { askHealth, loadHttp } from "./health.ts";
import { Relay } from "./relay.ts";
import { describe, plain, seconds } from "./suspects.ts";
import { type Workerd, startWorkerd } from "./workerd.ts";

/** The source of the Worker that a supervisor serves. */
export interface Source {
  /** The texts of the files with settings, as one, which differs if one of them has changed. */
  readonly settings: string;
  /** The modules and the version of each. */
  readonly modules: string;
  /**
   * Makes the configuration of workerd, for a server on this Unix socket.
   *
   * @throws if the settings cannot be read
   */
  read(socket: string): Configured;
}

/**
 * A configuration of workerd, notes for the person who starts it, and the command that builds the
 * Worker, if there is one.
 */
export interface Configured {
  text: string;
  notes: string[];
  build?: Build | undefined;
}

/**
 * A shell command that builds the Worker, the folder that it runs in, and the folders whose edits
 * start it.
 */
export interface Build {
  command: string;
  folder: string;
  watched: string[];
}

export type OnLine = (line: string, stream: "stdout" | "stderr") => void;

export interface SupervisorOptions {
  worker: Source;
  /** The program workerd. */
  program: string;
  /** The longest silence of the Worker before it is restarted. */
  patienceMs?: number;
  /**
   * The words in messages for the files of settings, and for the output that reports a request
   * which blocked the Worker.
   */
  words: { settings: string; log: string };
  /** Builds the Worker after an edit. */
  watch?: (build: Build, hooks: { onLine: OnLine; report: (text: string) => void; onBuilt: () => void }) => { stop(): void };
  /** Called with lines that workerd and the Worker write. */
  onLine: OnLine;
  /** Called with messages of the supervisor. */
  report: (text: string) => void;
  /** Called if the Worker could not be started again. */
  onLost: (error: Error) => void;
}

/**
 * The default time that the Worker may be silent. A request may take 30 s (QUERY_TIMEOUT_MS);
 * nothing else stops a computation beyond that.
 */
export const DEFAULT_PATIENCE_MS = 35_000;
/** The interval between checks of the Worker. */
const ASK_EVERY_MS = 500;
/** The limit of one check, in case the check was lost and not the Worker. */
const QUESTION_MS = 5_000;
/**
 * The silence after which a Worker gets no further connections until it responds, because they
 * would be lost with it.
 */
const HOLD_AFTER_MS = 2_000;
/**
 * The time after which a Worker that refuses connections, or gives no response of its own, counts
 * as ended.
 */
const FAILING_MS = 5_000;
/** The limit of a start, which takes about 1 s; the rest is for a busy machine. */
const START_TIMEOUT_MS = 120_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #worker: Source;
  readonly #patienceMs: number;
  readonly #relay: Relay;
  #child: ChildProcess | undefined;
  /** A promise that settles when workerd has ended. */
  #ended: Promise<unknown> = Promise.resolve();
  #stopping = false;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** The files of settings that the Worker has, or that were found invalid. */
  #settings = "";
  /** Other texts of the files, read once. */
  #unsettled: string | undefined;
  /** The last reported fault of them. */
  #fault: string | undefined;
  #build: Build | undefined;
  /** The Worker's last message about a wrong setting. */
  #complaint: string | undefined;
  #notes: string[] = [];
  #builder: { stop(): void } | undefined;
  /** The modules that the Worker was started with; `#isRebuilt` is true if there are others. */
  #modules = "";
  #isRebuilt = false;
  /**
   * The folder of the configuration and the socket of workerd. Its name is part of the command line
   * of workerd, and of no other process.
   */
  readonly folder = mkdtempSync(join(tmpdir(), "codemode-"));
  /** The Unix socket of workerd. */
  readonly #socket = join(this.folder, "http");
  readonly #file = join(this.folder, "workerd.capnp");
  readonly #onExit = (): void => {
    this.#builder?.stop();
    this.#kill();
    rmSync(this.folder, { recursive: true, force: true });
  };

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#worker = options.worker;
    this.#patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
    this.#relay = new Relay({ farewell: farewell(this.#patienceMs, options.words.log) });
    // Also reached by process.exit; only synchronous work is possible here.
    process.once("exit", this.#onExit);
  }

  /**
   * Listens on a port, 0 for a free one, and starts the Worker; resolves with the origin for this
   * machine once the Worker responds.
   */
  async start(port = 0, host = "127.0.0.1"): Promise<string> {
    const listening = await this.#relay.listen(host, port);
    // A client cannot connect to an unspecified address.
    const named = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
    const origin = `http://${named.includes(":") ? `[${named}]` : named}:${listening}`;
    this.#configure();
    await this.#startWorker();
    return origin;
  }

  /** Ends everything and waits for it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#builder?.stop();
    this.#relay.close();
    this.#kill();
    await this.#ended;
    rmSync(this.folder, { recursive: true, force: true });
    process.off("exit", this.#onExit);
  }

  /** Returns true if a stop was requested; a new start needs another supervisor. */
  get hasStopped(): boolean {
    return this.#stopping;
  }

  /** Writes the configuration of workerd. */
  #configure(): void {
    this.#settings = this.#worker.settings;
    const { text, notes, build } = this.#worker.read(this.#socket);
    // It contains secrets.
    writeFileSync(this.#file, text, { mode: 0o600 });
    for (const note of notes) if (!this.#notes.includes(note)) this.#options.report(note);
    this.#notes = notes;
    this.#build = build;
    this.#fault = undefined;
  }

  async #startWorker(): Promise<void> {
    this.#modules = this.#worker.modules;
    this.#isRebuilt = false;
    rmSync(this.#socket, { force: true });
    const workerd = startWorkerd(this.#options.program, this.#file);
    const { child } = workerd;
    this.#child = child;
    this.#ended = new Promise((ended) => child.once("close", ended));
    for (const name of ["stdout", "stderr"] as const) createInterface({ input: child[name] as Readable }).on("line", (line) => this.#options.onLine(line, name));
    await Promise.all([listens(workerd), loadHttp()]);
    await this.#firstAnswer(child);
    this.#watchSources();
    this.#relay.open(this.#socket);
    void this.#watch();
  }

  #watchSources(): void {
    const { onLine, report, watch } = this.#options;
    if (this.#build === undefined || this.#builder !== undefined || watch === undefined) return;
    const onBuilt = (): void => {
      this.#isRebuilt ||= this.#worker.modules !== this.#modules;
    };
    this.#builder = watch(this.#build, { onLine, report, onBuilt });
  }

  /** Checks the Worker once, and reports a new message about its settings. */
  async #ask(withinMs: number): Promise<boolean> {
    const answer = await askHealth({ socketPath: this.#socket }, withinMs);
    if (answer === undefined) return false;
    const { code, message } = answer.error ?? {};
    const complaint = code === "MISCONFIGURED" ? plain(String(message)) : undefined;
    if (complaint !== this.#complaint) {
      this.#complaint = complaint;
      const advice = `    correct it in ${this.#options.words.settings}; the Worker then restarts automatically`;
      this.#options.report(complaint === undefined ? "the environment variables are valid now" : `an environment variable is invalid, so every request fails: ${complaint}\n${advice}`);
    }
    return true;
  }

  async #firstAnswer(child: ChildProcess): Promise<void> {
    const endMs = performance.now() + START_TIMEOUT_MS;
    while (!(await this.#ask(this.#patienceMs))) {
      if (child !== this.#child || child.exitCode !== null || child.signalCode !== null) throw new Error("workerd ended before the Worker responded");
      if (performance.now() > endMs) throw new Error(`the Worker did not respond to /health within ${START_TIMEOUT_MS / 1_000} s`);
      await this.#pause(ASK_EVERY_MS);
    }
  }

  /**
   * Checks again and again, one check at a time, until the Worker is silent for too long, workerd
   * has ended, or another Worker is to run.
   */
  async #watch(): Promise<void> {
    let heardMs = performance.now();
    // The time of the first check without a response.
    let silentFromMs: number | undefined;
    let missed = 0;
    let hasEnded = false;
    const ended = this.#ended.then(() => {
      hasEnded = true;
      return false;
    });
    while (!this.#stopping) {
      const askedMs = performance.now();
      silentFromMs ??= askedMs;
      const holding = this.#after(HOLD_AFTER_MS, () => this.#relay.hold());
      const withinMs = Math.min(QUESTION_MS, this.#patienceMs - (askedMs - heardMs));
      const isHeard = await Promise.race([this.#ask(withinMs), ended]);
      this.#cancel(holding);
      if (this.#stopping) return;
      const nowMs = performance.now();
      if (isHeard) {
        heardMs = nowMs;
        silentFromMs = undefined;
        missed = 0;
        this.#relay.provenAlive(askedMs);
        this.#relay.open(this.#socket);
      } else {
        missed += 1;
      }
      const silentMs = nowMs - heardMs;
      const fromMs = silentFromMs ?? askedMs;
      if (hasEnded) return this.#restart("workerd has ended unexpectedly", fromMs);
      // After an hour of sleep, a machine finds one check without a response.
      if (silentMs >= this.#patienceMs && missed > 1) return this.#restart(`the Worker has not responded for ${seconds(silentMs)}`, fromMs);
      const isFailing = !isHeard && nowMs - askedMs < ASK_EVERY_MS && silentMs >= Math.min(FAILING_MS, this.#patienceMs);
      if (isFailing) return this.#restart("workerd does not accept connections", fromMs);
      if (this.#isRebuilt) return this.#again("the Worker was built again, and is started again");
      if (this.#hasNewSettings()) return this.#again(`the environment variables in ${this.#options.words.settings} have changed; the Worker is started again with them`);
      await this.#pause(ASK_EVERY_MS);
    }
  }

  /**
   * Takes new settings, and returns true if there are any. The last ones stay if the new ones
   * cannot be read.
   */
  #hasNewSettings(): boolean {
    try {
      const { settings } = this.#worker;
      if (settings === this.#settings) return false;
      // An editor may empty a file before it writes it, so only a text that is read twice counts;
      // otherwise secrets would be missing for a moment.
      const isSettled = settings === this.#unsettled;
      this.#unsettled = settings;
      if (!isSettled) return false;
      this.#configure();
      return true;
    } catch (thrown) {
      const { message } = thrown as Error;
      if (this.#fault !== message) this.#options.report(`${this.#options.words.settings} cannot be read, so the Worker keeps its present settings: ${plain(message)}`);
      this.#fault = message;
      return false;
    }
  }

  #restart(reason: string, silentFromMs: number): Promise<void> {
    const waiting = this.#relay.inProgress;
    return this.#again([`${reason}; it is started again, and what was committed is kept`, ...describe(waiting, silentFromMs)].join("\n"));
  }

  /** Ends the Worker and starts it again. */
  async #again(report: string): Promise<void> {
    this.#options.report(report);
    this.#relay.abandon();
    this.#kill();
    await this.#ended;
    if (this.#stopping) return;
    try {
      await this.#startWorker();
      this.#options.report("the Worker responds again");
    } catch (thrown) {
      if (this.#stopping) return;
      const error = thrown as Error;
      this.#options.report(`the Worker could not be started again: ${error.message}`);
      this.#options.onLost(error);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((passed) => this.#after(ms, passed));
  }

  #after(ms: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  #kill(): void {
    this.#child?.kill("SIGKILL");
  }
}

/** Waits until workerd listens. */
function listens({ child, control }: Workerd): Promise<void> {
  return new Promise((listening, failed) => {
    const timer = setTimeout(() => failed(new Error(`workerd did not listen within ${START_TIMEOUT_MS / 1_000} s`)), START_TIMEOUT_MS);
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`workerd ended with exit code ${code} before it listened`)));
    createInterface({ input: control }).on("line", () => {
      clearTimeout(timer);
      listening();
    });
    child.once("exit", () => clearTimeout(timer));
  });
}

/**
 * Renders the response for a client whose Worker has ended. The connection ends after it, so that
 * it fits any request.
 */
function farewell(timeoutMs: number, log: string): string {
  const body = JSON.stringify({
    success: false,
    error: {
      code: "QUERY_TIMEOUT",
      message: "the local Worker ended while this request was in progress, and is started again",
      hint: `what was committed is kept: look up whether this request was done before you repeat it; ${log} says which request stopped the Worker`,
      timeoutMs,
    },
  });
  const head = ["HTTP/1.1 504 Gateway Timeout", "content-type: application/json; charset=utf-8", "x-content-type-options: nosniff", "connection: close", `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
