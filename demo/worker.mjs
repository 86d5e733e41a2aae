// The built Worker in workerd, supervised as `make run` supervises it, with its configuration in a temporary folder.
//
// workerd is ended and the folder removed when the demo ends, fails or is interrupted; of the data stays what was given a folder of its own.
// The checkout's data of `make run`, its .dev.vars and .env files are not used.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { builtConfiguration } from "../scripts/built-config.mjs";
import { LocalWorker, supervise } from "../scripts/local-worker.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const BUILD = resolve(process.env.CODEMODE_BUILD ?? join(ROOT, "build"));
const HEALTH_TIMEOUT_MS = 10_000;
const KEPT_LOG_LINES = 15;

export class DevServer {
  #folder = mkdtempSync(join(tmpdir(), "codemode-demo-"));
  #supervisor;
  #log = [];
  #settings;
  #secrets;
  #storage;
  /** Where the Worker answers, once it does. */
  origin = "";

  /** `settings` are variables of the Worker, `secrets` what `wrangler secret put` would store; `storage` is a folder for data that stays. */
  constructor({ settings = {}, secrets = {}, storage } = {}) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#storage = storage ?? join(this.#folder, "storage");
    this.#supervisor = this.#supervise();
    // Also reached by process.exit, so by every signal that run.mjs handles; only synchronous work is possible here. The supervisor's own
    // handler has ended workerd by then.
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** The command as one would type it. */
  get command() {
    return `node scripts/serve.mjs --config ${this.#configuration} --persist-to ${this.#storage}`;
  }

  /** The last lines that workerd, the Worker and the supervisor wrote. */
  get log() {
    return this.#log;
  }

  /** Starts the Worker on a free port; resolves with its origin and what /health answers. */
  async start() {
    if (!existsSync(join(BUILD, "index.js"))) throw new Error(`there is no Worker in ${BUILD}: run make build first`);
    writeFileSync(this.#configuration, builtConfiguration(this.#settings, BUILD));
    // Where secrets are looked for.
    writeFileSync(join(this.#folder, ".dev.vars"), Object.entries(this.#secrets).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join(""));
    if (this.#supervisor.hasStopped) this.#supervisor = this.#supervise();
    const origin = await this.#supervisor.start();
    const health = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    if (!health.ok) throw new Error(`${origin}/health returned ${health.status}`);
    this.origin = origin;
    return { origin, health: await health.json() };
  }

  /** Ends the Worker and waits until it is gone. The folder stays, for another start. */
  stop() {
    return this.#supervisor.stop();
  }

  #supervise() {
    return supervise({
      worker: new LocalWorker({ config: this.#configuration, persistTo: this.#storage }),
      onLine: (line) => this.#keep(line),
      report: (text) => {
        this.#keep(text);
        console.error(`==> ${text}`);
      },
      // The request that waits for it fails, and the demo with it.
      onLost: () => {},
    });
  }

  get #configuration() {
    return join(this.#folder, "wrangler.toml");
  }

  #keep(line) {
    if (line.trim() !== "") this.#log.push(line);
    if (this.#log.length > KEPT_LOG_LINES) this.#log.shift();
  }
}
