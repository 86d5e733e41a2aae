// `dev --wrangler`: the product under `wrangler dev`, as it would be deployed, with the user's
// wrangler.jsonc merged in. The data is in the same folder: workerd keeps it in the same place
// below it as wrangler does, under the same keys.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { DataFolder } from "../engine/data-folder.ts";
import { askHealth } from "../engine/health.ts";
import { DEFAULT_HOST, DEFAULT_PORT, type ServeOptions, settingsFile } from "../engine/serving.ts";
import { readSettings } from "../engine/settings.ts";
import { startGuarded } from "../engine/workerd.ts";
import { Failure } from "../failure.ts";
import { FACTS } from "../product.ts";
import { isOwnWorker } from "./deploy.ts";
import { type Settings, merge, packageSettings, readUserSettings, wranglerCommand } from "./wrangler.ts";

/** npx may have to fetch wrangler first. */
const START_TIMEOUT_MS = 300_000;
/** The time within which wrangler ends its own processes; then they are killed. */
const STOP_TIMEOUT_MS = 5_000;
const HEALTH_MS = 2_000;
const POLL_MS = 50;
/**
 * Without reports, without downloads, and without the explorer of the data, which would require no
 * token.
 */
const QUIET = { WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", X_LOCAL_EXPLORER: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
/** The database of persistent tables, as in `dev`. */
const D1 = { binding: "CODEMODE_D1", database_name: FACTS.name, database_id: FACTS.name };

/** A `wrangler dev` of this process. */
export class WranglerServing {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #made: string;
  readonly #folder: DataFolder;
  #isStopping = false;

  private constructor(parts: { origin: string; child: ChildProcess; ended: Promise<number | null>; made: string; folder: DataFolder; onLost: ServeOptions["onLost"] }) {
    this.origin = parts.origin;
    this.#child = parts.child;
    this.#ended = parts.ended;
    this.#made = parts.made;
    this.#folder = parts.folder;
    void this.#ended.then((code) => {
      if (this.#isStopping) return;
      parts.folder.release();
      parts.onLost(new Error(`wrangler dev has ended with exit code ${code}`));
    });
  }

  /**
   * Starts wrangler on a folder that this process has claimed; `project` may have a wrangler.jsonc.
   */
  static async start(folder: DataFolder, options: ServeOptions, project: string): Promise<WranglerServing> {
    // Named like a supervisor's folder, for a process that takes over after a kill: the name is in
    // the command line of wrangler.
    const made = mkdtempSync(join(tmpdir(), "codemode-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    try {
      const { host = DEFAULT_HOST } = options;
      const config = write(made, project, readSettings(settingsFile(folder, options)));
      const port = options.port ?? (await freePort(host, [Number(new URL(folder.lastOrigin ?? "http://x").port), DEFAULT_PORT]));
      if (port !== 0 && !(await isFree(host, port))) throw new Failure(`port ${port} is in use`, `choose another: --port ${port + 1}`);
      folder.record({ folder: made });
      const words = ["dev", "--config", config, "--local", "--ip", host, "--port", String(port), "--inspector-port", "0", "--persist-to", folder.path, "--show-interactive-dev-session=false"];
      const child = startGuarded([...wranglerCommand(project), ...words], "group", { cwd: project, env: { ...QUIET, ...process.env } });
      const { origin, ended } = await ready(child, options);
      folder.record({ folder: made, origin });
      return new WranglerServing({ origin, child, ended, made, folder, onLost: options.onLost });
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      folder.release();
      throw error;
    }
  }

  /** Ends wrangler with all its processes, and releases the folder. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    signal(this.#child, "SIGTERM");
    await Promise.race([this.#ended, pause(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    signal(this.#child, "SIGKILL");
    await this.#ended;
    for (const stream of this.#child.stdio) stream?.destroy();
    rmSync(this.#made, { recursive: true, force: true });
    this.#folder.release();
  }
}

/**
 * Writes the configuration, and beside it the variables, which wrangler then does not print.
 * Returns the path of the configuration.
 */
function write(made: string, project: string, variables: Record<string, string>): string {
  const user = readUserSettings(project);
  if (user !== undefined && isOwnWorker(user.settings)) throw new Failure(`${user.file} has a Worker of its own in "main"`, "serve it with npx wrangler dev");
  const base: Settings = { ...packageSettings(made, { isFree: false }), d1_databases: [D1] };
  // Objects and databases of another name would not be those that dev serves from this folder.
  const merged = merge(base, user?.settings ?? {});
  const databases = (merged["d1_databases"] as Settings[]).map((one) => (one["binding"] === D1.binding ? D1 : one));
  const settings = { ...merged, name: FACTS.name, d1_databases: databases };
  const file = join(made, "wrangler.json");
  writeFileSync(file, JSON.stringify(settings, null, 2));
  writeFileSync(join(made, ".dev.vars"), Object.entries(variables).map(([name, value]) => `${name}=${quoted(name, value)}\n`).join(""), { mode: 0o600 });
  return file;
}

/** Quotes a value for a file of variables, with quotes that it does not contain. */
function quoted(name: string, value: string): string {
  const quote = ["'", "`"].find((one) => !value.includes(one));
  if (quote === undefined) throw new Failure(`the value of ${name} has both ' and \`, which a file of variables for wrangler cannot write`, "leave out --wrangler");
  return `${quote}${value}${quote}`;
}

/** Returns the first of these ports that is free, else 0 for any. */
async function freePort(host: string, ports: number[]): Promise<number> {
  for (const port of ports) if (port > 0 && (await isFree(host, port))) return port;
  return 0;
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((settled) => {
    const server = createServer();
    server.once("error", () => settled(false));
    server.listen(port, host, () => server.close(() => settled(true)));
  });
}

/** Resolves once the Worker responds under wrangler. */
async function ready(child: ChildProcess, { onLine }: ServeOptions): Promise<{ origin: string; ended: Promise<number | null> }> {
  let said: string | undefined;
  let isOver = false;
  let failure: Error | undefined;
  child.once("error", (error) => (failure = error));
  // Not "close": a process that wrangler has left behind may keep its output open. It belongs to
  // the same group, and is ended here.
  const ended = new Promise<number | null>((settled) => child.once("exit", settled));
  void ended.then(() => {
    isOver = true;
    signal(child, "SIGKILL");
  });
  for (const name of ["stdout", "stderr"] as const) {
    createInterface({ input: child[name] as Readable }).on("line", (line) => {
      said ??= /Ready on (http:\/\/\S+)/.exec(line)?.[1];
      onLine(line, name);
    });
  }
  const endMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (failure !== undefined) throw new Failure(`wrangler cannot be started: ${failure.message}`, "npm install --save-dev wrangler");
    if (isOver) throw new Failure("wrangler dev has ended before it served", "it says above why");
    if (performance.now() > endMs) {
      signal(child, "SIGKILL");
      throw new Failure(`wrangler dev did not serve within ${START_TIMEOUT_MS / 1_000} s`);
    }
    if (said !== undefined && (await askHealth(said, HEALTH_MS)) !== undefined) {
      return { origin: said.replace(/\/$/, "").replace(/\/\/(?:0\.0\.0\.0|\[::\])/, "//127.0.0.1"), ended };
    }
    await pause(POLL_MS);
  }
}

/** Sends a signal to wrangler and the processes it has started, which are one group. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
  } catch {
    // They have ended.
  }
}
