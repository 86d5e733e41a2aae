// The built Worker under `wrangler dev`, in a process group of its own and with storage in a temporary folder.
//
// Nothing of it stays: the group is ended and the folder removed when the demo ends, fails or is interrupted. The folder also holds the
// configuration, so that the checkout's own .wrangler/ data, .dev.vars and .env files are not used.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
// Starting takes about 3 s; the rest is for a machine that is busy with something else.
const START_TIMEOUT_MS = 120_000;
const HEALTH_TIMEOUT_MS = 10_000;
// What wrangler may take to end workerd in order; after that both are killed.
const STOP_TIMEOUT_MS = 5_000;
const KEPT_LOG_LINES = 15;

export class DevServer {
  #folder = mkdtempSync(join(tmpdir(), "codemode-demo-"));
  #child;
  #ended;
  #log = [];
  #settings;
  #secrets;
  /** Where the Worker answers, once it does. */
  origin = "";

  /** `settings` are variables of the Worker, `secrets` what `wrangler secret put` would store. */
  constructor({ settings = {}, secrets = {} } = {}) {
    this.#settings = settings;
    this.#secrets = secrets;
    // Also reached by process.exit, so by every signal that run.mjs handles; only synchronous work is possible here.
    process.once("exit", () => {
      this.#kill("SIGKILL");
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** The command as one would type it. */
  get command() {
    return `npx ${["wrangler", ...this.#arguments()].join(" ")}`;
  }

  /** The last lines that wrangler and the Worker wrote. */
  get log() {
    return this.#log;
  }

  /** Starts the Worker on a free port; resolves with its origin and what /health answers. */
  async start() {
    if (!existsSync(join(ROOT, "build", "index.js"))) throw new Error("there is no Worker in build/: run make build first");
    writeFileSync(join(this.#folder, "wrangler.toml"), configuration(this.#settings));
    // Where wrangler dev looks for secrets.
    writeFileSync(join(this.#folder, ".dev.vars"), Object.entries(this.#secrets).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join(""));
    const cli = join(dirname(fileURLToPath(import.meta.resolve("wrangler/package.json"))), "bin", "wrangler.js");
    this.#child = spawn(process.execPath, [cli, ...this.#arguments()], {
      cwd: this.#folder,
      // A group of its own, so that workerd and the rest end with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#environment() },
    });
    const child = this.#child;
    this.#ended = new Promise((done) => child.once("close", done));
    const origin = await this.#readyAt(child);
    const health = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    if (!health.ok) throw new Error(`${origin}/health answered ${health.status}`);
    this.origin = origin;
    return { origin, health: await health.json() };
  }

  /** Ends the whole group and waits until it is gone. The folder stays, for another start. */
  async stop() {
    if (this.#child === undefined) return;
    this.#kill("SIGTERM");
    const timer = setTimeout(() => this.#kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(timer);
    this.#kill("SIGKILL");
    this.#child = undefined;
  }

  #arguments() {
    return [
      "dev", "--config", join(this.#folder, "wrangler.toml"), "--local", "--ip", "127.0.0.1", "--port", "0",
      "--persist-to", join(this.#folder, "storage"), "--inspector-port", "0", "--show-interactive-dev-session=false",
    ];
  }

  /** Keeps wrangler within the folder and off the network: no lookup of a sample Request.cf, no reports, no other wrangler's Workers. */
  #environment() {
    return {
      NO_COLOR: "1",
      FORCE_COLOR: "0",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_REGISTRY_PATH: join(this.#folder, "registry"),
      WRANGLER_LOG_PATH: join(this.#folder, "logs"),
    };
  }

  #readyAt(child) {
    return new Promise((found, failed) => {
      const timer = setTimeout(() => failed(new Error(`wrangler dev was not ready within ${START_TIMEOUT_MS / 1_000} s`)), START_TIMEOUT_MS);
      // A start that failed does not wait for it.
      timer.unref();
      child.once("error", failed);
      child.once("close", (code) => failed(new Error(`wrangler dev ended with exit code ${code} before it was ready`)));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on("line", (line) => {
          // esbuild colours its complaints whatever the environment says.
          const text = stripVTControlCharacters(line);
          if (text.trim() !== "") this.#log.push(text);
          if (this.#log.length > KEPT_LOG_LINES) this.#log.shift();
          const ready = /Ready on (http:\/\/\S+)/.exec(text);
          if (ready === null) return;
          clearTimeout(timer);
          found(ready[1]);
        });
      }
    });
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

/** The checkout's wrangler.toml without its build: the Worker is built already, and an edit must not replace it while the demo runs. */
function configuration(settings) {
  const text = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const entry = /^main *= *"([^"]+)"$/m;
  const build = /^\[build\]\n(?:[^[\n].*\n|\n)*/m;
  if (!entry.test(text) || !build.test(text)) throw new Error("wrangler.toml has no main or no [build] as the demo knows them");
  // A JSON string is a string of TOML as well.
  const variables = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const built = text.replace(build, "").replace(entry, (_, path) => `main = ${JSON.stringify(join(ROOT, path))}`);
  return variables.length === 0 ? built : `${built}\n[vars]\n${variables.join("")}`;
}
