// Keeps a local Worker alive: starts `wrangler dev` behind the front, looks whether the Worker still answers, and when it does not, says
// which request did it, ends wrangler and workerd, and starts them again on the same storage. It also says at once that a setting does not
// fit, which the Worker itself says to requests only, and starts the Worker again when a file of settings has changed.
//
// Local workerd enforces no CPU limit and runs everything on one thread, so one statement or program that computes without end stops every
// request, and workerd ends for no signal but SIGKILL then. What was committed is on disk; what was not is undone by SQLite.

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { Front } from "./front.mjs";

/** A request may take 30 s (QUERY_TIMEOUT_MS); whoever computes on beyond that is not stopped by anything else. */
export const DEFAULT_PATIENCE_MS = 35_000;
/** How often the Worker is asked whether it is there. */
const ASK_EVERY_MS = 500;
/** One question waits no longer, in case that it and not the Worker was lost. */
const QUESTION_MS = 5_000;
/** A Worker that has been silent this long gets no further requests until it speaks: they would be lost with it. */
const HOLD_AFTER_MS = 2_000;
/** A Worker that refuses connections or has no response of its own is restarting, or workerd has ended; restarting takes about 2 s. */
const FAILING_MS = 5_000;
/** Starting takes about 3 s; the rest is for a machine that is busy with something else. */
const START_TIMEOUT_MS = 120_000;
/** What wrangler may take to end workerd in order; after that both are killed. */
const STOP_TIMEOUT_MS = 5_000;
/** Files beside the configuration that wrangler reads settings from, once, when it starts. It watches the configuration itself. */
const SETTINGS_FILES = [".dev.vars", ".env", ".env.local"];
/** Requests that are named when the Worker is silent, and characters of each. */
const NAMED_REQUESTS = 10;
const NAMED_CHARACTERS = 300;

/** The program of wrangler. */
export const WRANGLER = join(dirname(fileURLToPath(import.meta.resolve("wrangler/package.json"))), "bin", "wrangler.js");

/**
 * Switches off what wrangler serves and records beside the Worker: the Local Explorer (`/cdn-cgi/explorer`) reads and writes every
 * database without a token, and local traces hold addresses with their queries.
 */
export const WRANGLER_ENVIRONMENT = { X_LOCAL_EXPLORER: "false", X_LOCAL_OBSERVABILITY: "false" };

export class Supervisor {
  #options;
  #patienceMs;
  #front;
  #child;
  /** wrangler itself has ended; what it started may hold its output open. */
  #exited = Promise.resolve();
  /** All of it has ended. */
  #ended = Promise.resolve();
  /** Host and port of wrangler. */
  #target;
  #host = loopbackHost();
  #stopping = false;
  #timers = new Set();
  /** The files of settings as the Worker was started with them. */
  #settings = "";
  /** What the Worker last said of a setting that does not fit. */
  #complaint;
  #folder = mkdtempSync(join(tmpdir(), "codemode-supervisor-"));

  /**
   * @param {object} options
   * @param {string[]} options.arguments of `wrangler dev`, without address and port
   * @param {string} options.cwd where wrangler runs
   * @param {Record<string, string>} [options.environment] beside the process's own
   * @param {number} [options.patienceMs] how long the Worker may be silent
   * @param {(line: string, stream: "stdout" | "stderr") => void} options.onLine what wrangler and the Worker write
   * @param {(text: string) => void} options.report what the supervisor has to say
   * @param {(error: Error) => void} options.onLost the Worker could not be started again
   */
  constructor(options) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
    this.#front = new Front({ silenceMs: this.#patienceMs });
    // Also reached by process.exit; only synchronous work is possible here.
    process.once("exit", () => {
      this.#kill("SIGKILL");
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** What wrangler is called with. */
  get arguments() {
    return ["dev", ...this.#options.arguments, "--local", "--ip", this.#host, "--port", "0", "--show-interactive-dev-session=false"];
  }

  /** Listens on a port of the loopback interface, 0 for a free one, and starts the Worker; resolves with its origin once it answers. */
  async start(port = 0) {
    const origin = `http://127.0.0.1:${await this.#front.listen("127.0.0.1", port)}`;
    await this.#startWorker();
    return origin;
  }

  /** Ends everything and waits until it is gone. */
  async stop() {
    this.#stopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#kill("SIGTERM");
    const timer = setTimeout(() => this.#kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(timer);
    // What of the group has outlived wrangler.
    this.#kill("SIGKILL");
    await this.#front.close();
  }

  async #startWorker() {
    this.#settings = this.#readSettings();
    const child = spawn(process.execPath, [WRANGLER, ...this.arguments], {
      cwd: this.#options.cwd,
      // A group of its own, so that workerd and the rest end with it, and Ctrl-C reaches this process alone.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#options.environment, ...WRANGLER_ENVIRONMENT, CODEMODE_BUILD_MARK: this.#buildMark },
    });
    this.#child = child;
    this.#exited = new Promise((exited) => child.once("exit", exited));
    this.#ended = new Promise((ended) => child.once("close", ended));
    this.#target = { host: this.#host, port: await this.#portOf(child) };
    await this.#firstAnswer(child);
    this.#front.open(this.#target);
    this.#watch(child);
  }

  /** Whether a stop was asked for; another supervisor must be made for another start. */
  get hasStopped() {
    return this.#stopping;
  }

  /** scripts/build writes its process id here while it runs under wrangler, which serves nothing meanwhile. */
  get #buildMark() {
    return join(this.#folder, "building");
  }

  get #isBuilding() {
    try {
      process.kill(Number(readFileSync(this.#buildMark, "utf8")), 0);
      return true;
    } catch {
      return false;
    }
  }

  /** The port that wrangler says it is ready on. */
  #portOf(child) {
    return new Promise((found, failed) => {
      let waitedMs = 0;
      const timer = setInterval(() => {
        if (!this.#isBuilding) waitedMs += ASK_EVERY_MS;
        if (waitedMs > START_TIMEOUT_MS) failed(new Error(`wrangler dev was not ready within ${START_TIMEOUT_MS / 1_000} s`));
      }, ASK_EVERY_MS);
      child.once("error", failed);
      child.once("exit", (code) => failed(new Error(`wrangler dev ended with exit code ${code} before it was ready`)));
      for (const name of ["stdout", "stderr"]) {
        createInterface({ input: child[name] }).on("line", (line) => {
          const text = stripVTControlCharacters(line);
          const ready = /Ready on http:\/\/\S+:(\d+)/.exec(text);
          if (ready) found(Number(ready[1]));
          // wrangler's own port is nobody's concern, and that the Worker was asked twice a second neither.
          else if (!/ (?:GET|HEAD) \/health /.test(text)) this.#options.onLine(line, name);
        });
      }
      child.once("exit", () => clearInterval(timer));
    });
  }

  /** The texts of the files of settings, as one. */
  #readSettings() {
    const words = this.#options.arguments;
    const named = words[words.findIndex((word) => word === "--config" || word === "-c") + 1];
    const folder = words.includes("--config") || words.includes("-c") ? dirname(resolve(this.#options.cwd, named)) : this.#options.cwd;
    const texts = SETTINGS_FILES.map((name) => {
      try {
        return readFileSync(join(folder, name), "utf8");
      } catch {
        return null;
      }
    });
    return JSON.stringify(texts);
  }

  /** Asks once; says what the Worker has to say of its settings when that is something else than before. */
  async #ask(withinMs) {
    const answer = await question(this.#target, withinMs);
    if (answer === undefined) return false;
    const { code, message } = answer.error ?? {};
    const complaint = code === "MISCONFIGURED" ? plain(String(message)) : undefined;
    if (complaint !== this.#complaint) {
      this.#complaint = complaint;
      const advice = "    correct it in .dev.vars or wrangler.toml; the Worker is then started again by itself";
      this.#options.report(complaint === undefined ? "the environment variables are valid now" : `an environment variable is invalid, so every request fails: ${complaint}\n${advice}`);
    }
    return true;
  }

  async #firstAnswer(child) {
    const endMs = performance.now() + START_TIMEOUT_MS;
    while (!(await this.#ask(this.#patienceMs))) {
      if (child !== this.#child || child.exitCode !== null || child.signalCode !== null) throw new Error("wrangler dev ended before the Worker responded");
      if (performance.now() > endMs) throw new Error(`the Worker did not respond to /health within ${START_TIMEOUT_MS / 1_000} s`);
      await this.#pause(ASK_EVERY_MS);
    }
  }

  /** Asks again and again, one question at a time, until the Worker is silent for too long or wrangler has ended. */
  async #watch(child) {
    let heardMs = performance.now();
    // When the first question was asked that has found no response.
    let silentFromMs;
    let missed = 0;
    let hasEnded = false;
    this.#exited.then(() => (hasEnded = true));
    while (!this.#stopping) {
      const askedMs = performance.now();
      silentFromMs ??= askedMs;
      const holding = this.#after(HOLD_AFTER_MS, () => this.#front.hold());
      const withinMs = Math.min(QUESTION_MS, this.#patienceMs - (askedMs - heardMs));
      const isHeard = await Promise.race([this.#ask(withinMs), this.#exited]);
      this.#cancel(holding);
      if (this.#stopping) return;
      const nowMs = performance.now();
      if (isHeard === true || this.#isBuilding) heardMs = nowMs;
      if (isHeard === true) {
        silentFromMs = undefined;
        missed = 0;
        this.#front.provenAlive(askedMs);
        this.#front.open(this.#target);
      }
      if (isHeard !== true) missed += 1;
      const silentMs = nowMs - heardMs;
      if (hasEnded) return this.#restart("wrangler dev has ended by itself", silentFromMs);
      // A machine that has slept for an hour finds one question unanswered.
      if (silentMs >= this.#patienceMs && missed > 1) return this.#restart(`the Worker has not responded for ${seconds(silentMs)}`, silentFromMs);
      const isFailing = isHeard !== true && nowMs - askedMs < ASK_EVERY_MS && silentMs >= Math.min(FAILING_MS, this.#patienceMs);
      if (isFailing) return this.#restart("workerd has ended, or does not take connections", silentFromMs);
      if (this.#readSettings() !== this.#settings) return this.#again("the environment variables in .dev.vars have changed; the Worker is started again with them");
      await this.#pause(ASK_EVERY_MS);
    }
  }

  #restart(reason, silentFromMs) {
    const waiting = this.#front.inProgress;
    return this.#again([`${reason}; it is started again, and what was committed is kept`, ...describe(waiting, silentFromMs)].join("\n"));
  }

  /** Ends the Worker and starts it again. */
  async #again(report) {
    this.#options.report(report);
    this.#kill("SIGKILL");
    this.#front.abandon();
    await this.#ended;
    if (this.#stopping) return;
    try {
      await this.#startWorker();
      this.#options.report("the Worker responds again");
    } catch (error) {
      if (this.#stopping) return;
      this.#options.report(`the Worker could not be started again: ${error.message}`);
      this.#options.onLost(error);
    }
  }

  #pause(ms) {
    return new Promise((passed) => this.#after(ms, passed));
  }

  #after(ms, action) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #cancel(timer) {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  #kill(signal) {
    if (this.#child?.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group has ended by itself.
    }
  }
}

/**
 * Where wrangler listens. It believes headers that the front takes out, so no page should find it behind the front: of the loopback network
 * any address will do where the system has them all, and nobody guesses one of 16 million.
 */
function loopbackHost() {
  return process.platform === "linux" ? ["127", randomInt(1, 255), randomInt(256), randomInt(1, 255)].join(".") : "127.0.0.1";
}

/** What the Worker says of its own within a time, an error included. A page of wrangler about a Worker that is gone does not count. */
function question(target, withinMs) {
  return new Promise((settled) => {
    const asking = httpRequest({ ...target, path: "/health", agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => (text += piece));
      response.on("error", () => settled(undefined));
      response.on("end", () => settled(own(text)));
    });
    const timer = setTimeout(() => asking.destroy(), Math.max(withinMs, 1));
    asking.on("error", () => settled(undefined));
    asking.on("close", () => {
      clearTimeout(timer);
      settled(undefined);
    });
    asking.end();
  });
}

/** A response of the Worker: a JSON object that says whether it succeeded. */
function own(text) {
  try {
    const answer = JSON.parse(text);
    return typeof answer?.success === "boolean" ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** A text of somebody else's on one line: what a stranger has sent must not steer the terminal. */
function plain(text) {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** Lines that name the requests in progress. Those that came after the first question without a response cannot have silenced the Worker. */
function describe(passages, silentFromMs) {
  const suspects = passages.filter(({ began }) => began <= silentFromMs);
  const named = suspects.length > 0 ? suspects : passages;
  if (named.length === 0) return ["    no request was in progress: an alarm, or work that an earlier request left behind, did it"];
  const one = named.length === 1 ? "this request was in progress:" : "one of these requests was at work, the others waited:";
  const lines = named.slice(0, NAMED_REQUESTS).map((passage) => `      ${name(passage)}`);
  const rest = named.length > NAMED_REQUESTS ? [`      and ${named.length - NAMED_REQUESTS} more`] : [];
  return [`    ${one}`, ...lines, ...rest];
}

function name({ method, path, began, left, excerpt }) {
  const words = `${method} ${path} for ${seconds(performance.now() - began)}${left === undefined ? "" : ", its client has left"} ${excerpt}`;
  const line = plain(words);
  return line.length > NAMED_CHARACTERS ? `${line.slice(0, NAMED_CHARACTERS)}…` : line;
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
