// Keeps a local Worker alive: starts workerd behind the relay, looks whether the Worker still responds, and when it does not, says which request
// did it, ends workerd, and starts it again on the same storage. It also says at once that a setting does not fit, which the Worker itself says to
// requests only, and starts the Worker again when a setting has changed or the Worker was built again.
//
// Local workerd enforces no CPU limit and runs everything on one thread, so one statement or program that computes without end stops every
// request, and workerd ends for no signal but SIGKILL then. What was committed is on disk; what was not is undone by SQLite.
//
// workerd listens on a Unix socket in a folder that only this user can enter. The one port of it all is the relay's.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Builder } from "./builder.mjs";
import { WORKERD } from "./local-worker.mjs";
import { Relay } from "./relay.mjs";

/** A request may take 30 s (QUERY_TIMEOUT_MS); whoever computes on beyond that is not stopped by anything else. */
export const DEFAULT_PATIENCE_MS = 35_000;
/** How often the Worker is asked whether it is there. */
const ASK_EVERY_MS = 500;
/** One question waits no longer, in case that it and not the Worker was lost. */
const QUESTION_MS = 5_000;
/** A Worker that has been silent this long gets no further connections until it speaks: they would be lost with it. */
const HOLD_AFTER_MS = 2_000;
/** A Worker that refuses connections or has no response of its own has ended. */
const FAILING_MS = 5_000;
/** Starting takes about 1 s; the rest is for a machine that is busy with something else. */
const START_TIMEOUT_MS = 120_000;
/** Requests that are named when the Worker is silent, and characters of each. */
const NAMED_REQUESTS = 10;
const NAMED_CHARACTERS = 300;

export class Supervisor {
  #options;
  #worker;
  #patienceMs;
  #relay;
  #child;
  /** workerd has ended. */
  #ended = Promise.resolve();
  #stopping = false;
  #timers = new Set();
  /** The files of settings as the Worker has them, or as they were found invalid. */
  #settings = "";
  /** The fault that was last reported of them. */
  #fault;
  #build;
  /** What the Worker last said of a setting that does not fit. */
  #complaint;
  #notes = [];
  #builder;
  /** The modules that the Worker was started with, and whether there are others. */
  #modules = "";
  #isRebuilt = false;
  #folder = mkdtempSync(join(tmpdir(), "codemode-"));
  /** The Unix socket of workerd. */
  #socket = join(this.#folder, "http");
  #file = join(this.#folder, "workerd.capnp");

  /**
   * @param {object} options
   * @param {import("./local-worker.mjs").LocalWorker} options.worker
   * @param {number} [options.patienceMs] how long the Worker may be silent
   * @param {(line: string, stream: "stdout" | "stderr") => void} options.onLine what workerd and the Worker write
   * @param {(text: string) => void} options.report what the supervisor has to say
   * @param {(error: Error) => void} options.onLost the Worker could not be started again
   */
  constructor(options) {
    this.#options = options;
    this.#worker = options.worker;
    this.#patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
    this.#relay = new Relay({ farewell: farewell(this.#patienceMs) });
    // Also reached by process.exit; only synchronous work is possible here.
    process.once("exit", () => {
      this.#builder?.stop();
      this.#kill();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** Listens on a port of the loopback interface, 0 for a free one, and starts the Worker; resolves with its origin once it answers. */
  async start(port = 0) {
    const origin = `http://127.0.0.1:${await this.#relay.listen("127.0.0.1", port)}`;
    this.#configure();
    await this.#startWorker();
    return origin;
  }

  /** Ends everything and waits until it is gone. */
  async stop() {
    this.#stopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#builder?.stop();
    this.#relay.close();
    this.#kill();
    await this.#ended;
  }

  /** Whether a stop was asked for; another supervisor must be made for another start. */
  get hasStopped() {
    return this.#stopping;
  }

  /** Writes the configuration of workerd. */
  #configure() {
    this.#settings = this.#worker.settings;
    const { text, notes, build } = this.#worker.read(this.#socket);
    // It holds secrets.
    writeFileSync(this.#file, text, { mode: 0o600 });
    for (const note of notes) if (!this.#notes.includes(note)) this.#options.report(note);
    this.#notes = notes;
    this.#build = build;
    this.#fault = undefined;
  }

  async #startWorker() {
    this.#modules = this.#worker.modules;
    this.#isRebuilt = false;
    rmSync(this.#socket, { force: true });
    // The Worker Loader and the service of assets are experimental. Modules are embedded by their absolute paths.
    const child = spawn(WORKERD, ["serve", "--experimental", "--control-fd=3", "--import-path=/", this.#file, "config"], {
      // A group of its own, so that Ctrl-C reaches this process alone.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    endWithUs(child);
    this.#ended = new Promise((ended) => child.once("close", ended));
    for (const name of ["stdout", "stderr"]) createInterface({ input: child[name] }).on("line", (line) => this.#options.onLine(line, name));
    await listens(child);
    await this.#firstAnswer(child);
    this.#watchSources();
    this.#relay.open(this.#socket);
    this.#watch(child);
  }

  #watchSources() {
    if (this.#build === undefined || this.#builder !== undefined) return;
    const { onLine, report } = this.#options;
    const onBuilt = () => (this.#isRebuilt ||= this.#worker.modules !== this.#modules);
    this.#builder = new Builder({ ...this.#build, onLine, report, onBuilt });
  }

  /** Asks once; says what the Worker has to say of its settings when that is something else than before. */
  async #ask(withinMs) {
    const answer = await question(this.#socket, withinMs);
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
      if (child !== this.#child || child.exitCode !== null || child.signalCode !== null) throw new Error("workerd ended before the Worker responded");
      if (performance.now() > endMs) throw new Error(`the Worker did not respond to /health within ${START_TIMEOUT_MS / 1_000} s`);
      await this.#pause(ASK_EVERY_MS);
    }
  }

  /** Asks again and again, one question at a time, until the Worker is silent for too long, workerd has ended, or another Worker is to run. */
  async #watch(child) {
    let heardMs = performance.now();
    // When the first question was asked that has found no response.
    let silentFromMs;
    let missed = 0;
    let hasEnded = false;
    const ended = this.#ended.then(() => (hasEnded = true)).then(() => false);
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
      if (hasEnded) return this.#restart("workerd has ended by itself", silentFromMs);
      // A machine that has slept for an hour finds one question unanswered.
      if (silentMs >= this.#patienceMs && missed > 1) return this.#restart(`the Worker has not responded for ${seconds(silentMs)}`, silentFromMs);
      const isFailing = !isHeard && nowMs - askedMs < ASK_EVERY_MS && silentMs >= Math.min(FAILING_MS, this.#patienceMs);
      if (isFailing) return this.#restart("workerd does not take connections", silentFromMs);
      if (this.#isRebuilt) return this.#again("the Worker was built again, and is started again");
      if (this.#hasNewSettings()) return this.#again("the environment variables in .dev.vars or wrangler.toml have changed; the Worker is started again with them");
      await this.#pause(ASK_EVERY_MS);
    }
  }

  /** Takes over other settings than the Worker has; whether there are any. The last ones stay where the new ones cannot be read. */
  #hasNewSettings() {
    try {
      if (this.#worker.settings === this.#settings) return false;
      this.#configure();
      return true;
    } catch (error) {
      if (this.#fault !== error.message) this.#options.report(`wrangler.toml or .dev.vars cannot be read, so the Worker goes on with what it has: ${plain(error.message)}`);
      this.#fault = error.message;
      return false;
    }
  }

  #restart(reason, silentFromMs) {
    const waiting = this.#relay.inProgress;
    return this.#again([`${reason}; it is started again, and what was committed is kept`, ...describe(waiting, silentFromMs)].join("\n"));
  }

  /** Ends the Worker and starts it again. */
  async #again(report) {
    this.#options.report(report);
    this.#relay.abandon();
    this.#kill();
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

  #kill() {
    this.#child?.kill("SIGKILL");
  }
}

/** Sees to it that workerd ends with this process, however that ends: two of them on the same data would not know of each other. */
function endWithUs(child) {
  if (child.pid === undefined) return;
  // Its input ends when this process does.
  const guard = spawn("/bin/sh", ["-c", 'read -r _; kill -9 "$0"', String(child.pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  child.once("exit", () => guard.kill("SIGKILL"));
}

/** Waits until workerd listens. */
function listens(child) {
  return new Promise((listening, failed) => {
    const timer = setTimeout(() => failed(new Error(`workerd did not listen within ${START_TIMEOUT_MS / 1_000} s`)), START_TIMEOUT_MS);
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`workerd ended with exit code ${code} before it listened`)));
    createInterface({ input: child.stdio[3] }).on("line", () => {
      clearTimeout(timer);
      listening();
    });
    child.once("exit", () => clearTimeout(timer));
  });
}

/** Renders the response for a client whose Worker has ended. The connection ends behind it, so that it fits any request. */
function farewell(timeoutMs) {
  const body = JSON.stringify({
    success: false,
    error: {
      code: "QUERY_TIMEOUT",
      message: "the local Worker ended while this request was in progress, and is started again",
      hint: "what was committed is kept: look up whether this request was done before you repeat it; the terminal of make run says which request stopped the Worker",
      timeoutMs,
    },
  });
  const head = ["HTTP/1.1 504 Gateway Timeout", "content-type: application/json; charset=utf-8", "x-content-type-options: nosniff", "connection: close", `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Asks the Worker for /health; resolves with its JSON, an error included, or with nothing after a time. */
function question(socketPath, withinMs) {
  return new Promise((settled) => {
    const asking = httpRequest({ socketPath, path: "/health", agent: false }, (response) => {
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

/**
 * Lines that name the requests in progress: those without a byte of a response, which came before the first question without one; if there are
 * none, those whose responses were last heard of.
 */
function describe(connections, silentFromMs) {
  const unanswered = connections.filter(({ isAnswered }) => !isAnswered);
  const suspects = unanswered.filter(({ began }) => began <= silentFromMs);
  const [named, words] = suspects.length > 0 ? [suspects, ["this request was in progress:", "one of these requests was at work, the others waited:"]]
    : [connections.toSorted((a, b) => b.lastMs - a.lastMs), ["no request waited for its response; the last one was:", "no request waited for its response; the last ones were:"]];
  if (named.length === 0) return ["    no request was in progress: an alarm, or work that an earlier request left behind, did it"];
  const lines = named.slice(0, NAMED_REQUESTS).map((connection) => `      ${name(connection)}`);
  const rest = named.length > NAMED_REQUESTS ? [`      and ${named.length - NAMED_REQUESTS} more`] : [];
  return [`    ${words[named.length === 1 ? 0 : 1]}`, ...lines, ...rest];
}

function name({ began, hasLeft, excerpt: { line, body } }) {
  const words = `${line.replace(/ HTTP\/1\.[01]$/, "")} for ${seconds(performance.now() - began)}${hasLeft ? ", its client has left" : ""} ${body}`;
  const shown = plain(words);
  return shown.length > NAMED_CHARACTERS ? `${shown.slice(0, NAMED_CHARACTERS)}…` : shown;
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
