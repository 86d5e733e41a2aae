// Where the demo takes place: in the Worker of `make run` where one is there, or in one that the demo starts, restarts and stops.
//
// The data of the demo stays. In the Worker of `make run` it is in its sessions; a Worker of the demo keeps it in .wrangler/demo, which
// `scripts/run --persist-to .wrangler/demo` serves.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Thread, isPlain } from "./agent.mjs";
import { Workspace } from "./code.mjs";
import { SERVERS, startServers } from "./evidence.mjs";
import { Graph } from "./graph.mjs";
import { Host } from "./host.mjs";
import * as print from "./print.mjs";
import { Session } from "./session.mjs";
import { DevServer } from "./worker.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
/** The sessions of the demo. Each begins empty: what an earlier demo left there is deleted. */
const NAMES = { session: "make-demo", questions: "make-demo-servers", scratch: "make-demo-scratch", films: "make-demo-films" };
/** The conversation of the demo, whose graph, thread and workspace begin empty as well. */
const CONVERSATION = "make-demo";
const DEFAULT_PORT = 8787;
/** A Worker that is there responds at once. */
const ASK_MS = 5_000;
const PROBE = 'await helpers.db.exec("CREATE TABLE IF NOT EXISTS probe (x)"); await helpers.db.exec("DROP TABLE probe"); return 1';

/** The Worker of `make run`: {origin, version, lacks}, or {origin, reason} where it is no use; nothing where nobody listens. */
export async function findRunning(port = process.env.PORT || DEFAULT_PORT) {
  const origin = `http://127.0.0.1:${port}`;
  const ask = async (path, init) => {
    const response = await fetch(origin + path, { signal: AbortSignal.timeout(ASK_MS), ...init });
    return { status: response.status, body: await response.json().catch(() => ({})) };
  };
  try {
    const { body: health } = await ask("/health");
    if (typeof health.success !== "boolean") return { origin, reason: "is something else than Code Mode Database" };
    if (!health.success) return { origin, reason: `fails: ${health.error?.message}` };
    const { body: description } = await ask("/api/openapi.json");
    if (description.info?.title !== "Code Mode Database") return { origin, reason: "is something else than Code Mode Database" };
    const headers = { "content-type": "application/json" };
    const { status, body } = await ask("/api/codemode/execute", { method: "POST", headers, body: JSON.stringify({ session: NAMES.scratch, code: PROBE }) });
    if (status === 401) return { origin, reason: "wants a token (API_TOKENS), which the demo does not have" };
    if (body.success !== true) return { origin, reason: `does not run the programs of the demo: ${body.error?.message}` };
    const lacks = [];
    for (const [server, tool] of Object.entries(SERVERS)) {
      const { body: listed } = await ask(`/api/codemode/proxy?server=${server}`);
      if (!listed.tools?.some(({ name }) => name === tool)) lacks.push(server);
    }
    return { origin, version: health.version, lacks };
  } catch (error) {
    return error.cause?.code === "ECONNREFUSED" ? undefined : { origin, reason: `does not respond: ${error.message}` };
  }
}

export class Stage {
  #running;
  #server;
  #folder = process.env.CODEMODE_DEMO_DATA || join(ROOT, ".wrangler", "demo");
  /** The servers of others, where the demo has started them. */
  others;
  /** What connects over MCP. */
  host = new Host();

  /** @param {Awaited<ReturnType<typeof findRunning>>} running */
  constructor(running) {
    this.#running = running?.reason === undefined ? running : undefined;
    this.unusable = running?.reason === undefined ? undefined : running;
    for (const [role, name] of Object.entries(NAMES)) this[role] = new Session(this.#running?.origin ?? "", name);
    this.graph = new Graph(this.questions, CONVERSATION);
    this.thread = new Thread(this.films, CONVERSATION);
    this.workspace = new Workspace(this.session, CONVERSATION);
  }

  /** Whether the Worker is one of the demo's own. */
  get isOwn() {
    return this.#running === undefined;
  }

  /** The heading of the first step. */
  get opening() {
    return this.isOwn ? "Start the Worker in workerd, on a free port" : "Ask the Worker of make run";
  }

  /** The last lines of a Worker that the demo started. */
  get log() {
    return this.#server?.log ?? [];
  }

  /** Programs that were run. */
  get runs() {
    return this.session.runs + this.questions.runs + this.host.runs;
  }

  /** Sees to it that there is a Worker, and that the sessions are empty. */
  async open() {
    if (this.isOwn) {
      this.#claimFolder();
      this.others = await startServers();
      this.#server = new DevServer({ ...this.others, storage: this.#folder });
      await this.#start();
    } else {
      const { origin, version } = this.#running;
      print.note(`${origin}/health says version ${version}`);
      print.finding(`that of make run at ${origin}, version ${version}`);
    }
    for (const role of Object.keys(NAMES)) await this[role].delete();
  }

  /** Sees to it that there is a Worker with the servers of others. */
  async openServers() {
    if (this.isOwn || this.#running.lacks.length === 0) return;
    print.note(`This Worker does not have ${listed(this.#running.lacks)} among its servers (MCP_SERVERS), so the demo starts one that has.`);
    this.others = await startServers();
    this.#server = new DevServer(this.others);
    const { origin } = await this.#server.start();
    this.questions.moveTo(origin);
  }

  /** Sees to it that there is a Worker whose agent nobody has configured: with a model or other approvals the statements would be others. */
  async openAgent() {
    if (this.isOwn) return;
    print.record();
    let plain;
    try {
      plain = await isPlain(this.films, this.thread);
    } finally {
      print.recording();
    }
    if (plain) return;
    print.note("This Worker has a model or approvals of its own (MODEL, AGENT, TENANT_COLUMN), so the demo asks one without.");
    this.#server ??= new DevServer();
    if (this.#server.origin === "") await this.#server.start();
    this.films.moveTo(this.#server.origin);
  }

  /** Replaces the process of the Worker, where it is the demo's own. */
  async restart() {
    if (!this.isOwn) {
      print.note("the Worker of make run goes on; one that the demo starts by itself is stopped and started again here");
      return;
    }
    await this.#server.stop();
    print.note("the Worker and its runtime have ended");
    await this.#start();
  }

  /** Ends what the demo has started. */
  async close() {
    await this.host.close();
    await this.#server?.stop();
    await this.others?.stop();
    if (this.#server !== undefined && this.isOwn) rmSync(join(this.#folder, "process"), { force: true });
  }

  /** How to go on with the data: a sentence, and commands. */
  farewell() {
    const origin = this.#running?.origin ?? `http://127.0.0.1:${process.env.PORT || DEFAULT_PORT}`;
    const folder = this.#folder.startsWith(`${ROOT}/`) ? this.#folder.slice(ROOT.length + 1) : this.#folder;
    return {
      text: this.isOwn ? `The data is kept in ${folder}, session ${NAMES.session}. Serve it, and try in another terminal:` : `The data is in the session ${NAMES.session}, until a day after its last use. Try:`,
      commands: [
        ...(this.isOwn ? [`scripts/run --persist-to ${folder}`] : []),
        `S=${origin}/api/codemode/sessions/${NAMES.session}`,
        `curl -s $S -d '{"operation":"getTables"}'`,
        `curl -s $S -d '{"operation":"query","sql":"SELECT Name, Horsepower FROM cars LIMIT 3"}'`,
        `curl -s "$S/tables/airports/rows?format=csv" | head -n 3`,
      ],
    };
  }

  async #start() {
    print.command(this.#server.command);
    const begun = performance.now();
    const { origin, health } = await this.#server.start();
    assert.equal(health.success, true, "/health");
    print.answer(200, `${origin}/health says version ${health.version}`, performance.now() - begun);
    print.finding(`workerd at ${origin}, version ${health.version}`);
    for (const role of Object.keys(NAMES)) this[role].moveTo(origin);
  }

  /** Empties the folder of the data; two demos at once would take it from each other. */
  #claimFolder() {
    const mark = join(this.#folder, "process");
    const owner = numberIn(mark);
    if (owner !== undefined && isAlive(owner)) throw new Error(`another demo (process ${owner}) is at work with ${this.#folder}: wait until it has ended`);
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(mark, String(process.pid));
  }
}

function numberIn(file) {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** `a`, `a and b`, `a, b and c` */
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
