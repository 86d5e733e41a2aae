// Starts the built Worker in real workerd with storage on disk, and speaks to it over HTTP.
//
// The build is the one with the feature fault-injection (`scripts/build test`); CODEMODE_BUILD names its folder. One shared Worker serves
// most tests: sessions are cheap and each test takes its own. A test that stops the Worker or changes a setting starts one for itself.

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { until } from "../until.mjs";
import { processes } from "./processes.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
export const build = resolve(process.env.CODEMODE_BUILD ?? join(root, "build-test"));

/** What `console/build.mjs` makes, served as wrangler.toml says. */
const ASSETS = {
  directory: join(root, "build-console"),
  binding: "ASSETS",
  run_worker_first: true,
  routerConfig: { has_user_worker: true },
  assetConfig: { html_handling: "none", not_found_handling: "none" },
};

/** Tokens of the Worker that has tenants. */
export const TOKENS = { acme: "token-of-acme-0123456789", zeta: "token-of-zeta-0123456789" };

/** Takes the place of Analytics Engine, which keeps its points to itself: it receives the same call. */
const TELEMETRY = {
  name: "telemetry",
  modules: true,
  compatibilityDate: "2026-01-01",
  script: `
    import { WorkerEntrypoint } from "cloudflare:workers";
    export default class extends WorkerEntrypoint {
      writeDataPoint(point) { console.log(JSON.stringify({ point })); }
    }`,
};

/** Takes the place of Workers AI, which runs on Cloudflare's network alone: it receives the same call, and passes it to a server of the test's. */
const AI = {
  name: "ai",
  modules: true,
  compatibilityDate: "2026-01-01",
  script: `
    import { WorkerEntrypoint } from "cloudflare:workers";
    export default class extends WorkerEntrypoint {
      async run(model, input) {
        const response = await fetch(this.env.AI_SERVER, { method: "POST", body: JSON.stringify({ model, input }) });
        if (!response.ok) throw new Error(await response.text());
        return input.stream ? response.body : response.json();
      }
    }`,
};

/** What would be uploaded, the entry first. */
async function modules() {
  const names = (await readdir(build)).filter((name) => name.endsWith(".js") || name.endsWith(".wasm"));
  names.sort((a, b) => Number(b === "index.js") - Number(a === "index.js"));
  return Promise.all(names.map(async (name) => {
    const path = join(build, name);
    return name.endsWith(".wasm") ? { type: "CompiledWasm", path, contents: await readFile(path) } : { type: "ESModule", path, contents: await readFile(path, "utf8") };
  }));
}

async function compatibilityDate() {
  const text = await readFile(join(root, "wrangler.toml"), "utf8");
  return /^compatibility_date *= *"([^"]+)"/m.exec(text)[1];
}

/** A Worker that runs. */
export class Worker {
  /**
   * @param {object} [options]
   * @param {Record<string, string>} [options.settings] bindings of text, as in `[vars]`
   * @param {string} [options.folder] storage of an earlier Worker
   * @param {boolean} [options.persistent] with the D1 binding
   * @param {boolean} [options.loader] with the Worker Loader binding, as unless it says false
   * @param {boolean} [options.pages] with the pages of the console, as unless it says false
   * @param {boolean} [options.telemetry] with a data set that prints its points to the log
   * @param {string} [options.assets] folder of static assets
   * @param {string} [options.ai] with a binding of Workers AI whose calls go to this address
   */
  static async start({ settings = {}, folder, persistent = false, telemetry = false, loader = true, pages = true, assets, ai } = {}) {
    const worker = new Worker();
    worker.folder = folder ?? (await mkdtemp(join(tmpdir(), "codemode-test-")));
    worker.logs = [];
    const main = {
      name: "codemode-database",
      modules: await modules(),
      modulesRoot: build,
      compatibilityDate: await compatibilityDate(),
      durableObjects: {
        CODEMODE_DB: { className: "CodeModeDatabase", useSQLite: true },
        TENANT_INDEX: { className: "TenantIndex", useSQLite: true },
        AGENT_THREAD: { className: "AgentThread", useSQLite: true },
        MCP_SESSION: { className: "McpSession", useSQLite: true },
        CODE_WORKSPACE: { className: "CodeWorkspace", useSQLite: true },
        KNOWLEDGE_GRAPH: { className: "KnowledgeGraph", useSQLite: true },
      },
      ...(assets ? { assets: { ...ASSETS, directory: assets } } : pages ? { assets: ASSETS } : {}),
      bindings: settings,
      ...(loader ? { workerLoaders: { LOADER: {} } } : {}),
      ...(persistent ? { d1Databases: { CODEMODE_D1: "codemode-test" } } : {}),
      serviceBindings: { ...(telemetry ? { TELEMETRY: "telemetry" } : {}), ...(ai ? { AI: "ai" } : {}) },
    };
    worker.options = convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: worker.folder,
      handleStructuredLogs: ({ message }) => worker.logs.push(message),
      workers: [main, ...(telemetry ? [TELEMETRY] : []), ...(ai ? [{ ...AI, bindings: { AI_SERVER: ai } }] : [])],
    });
    worker.miniflare = new Miniflare(worker.options);
    worker.url = String(await worker.miniflare.ready).replace(/\/$/, "");
    return worker;
  }

  async stop({ keep = false } = {}) {
    await this.miniflare.dispose().catch(() => {});
    // What is left of workerd may still be writing when the folder is read.
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Ends workerd without giving it a chance to finish anything, and starts another on the same storage. */
  async kill() {
    for (const pid of await processes(process.pid, "workerd")) process.kill(pid, "SIGKILL");
    await this.miniflare.dispose().catch(() => {});
    this.miniflare = new Miniflare(this.options);
    this.url = String(await this.miniflare.ready).replace(/\/$/, "");
  }

  fetch(path, init) {
    return fetch(this.url + path, init);
  }

  /** A session of its own for each test. */
  session(name = randomUUID(), headers = {}) {
    return new Session(this, name, headers);
  }

  /** The structured log lines so far. They come by another way than the responses, and may come later. */
  operations() {
    return this.logs.filter((line) => line.includes('"event":"operation"')).map((line) => JSON.parse(line));
  }

  /** The first `count` lines of a session, once they have come. */
  operationsOf(session, count) {
    return until(() => {
      const lines = this.operations().filter((line) => line.session === session.name);
      return lines.length >= count && lines;
    });
  }
}

/** One session, over HTTP. */
export class Session {
  constructor(worker, name, headers) {
    this.worker = worker;
    this.name = name;
    this.headers = headers;
    this.path = `/api/codemode/sessions/${encodeURIComponent(name)}`;
  }

  fetch(path = "", init = {}) {
    return this.worker.fetch(this.path + path, { ...init, headers: { ...this.headers, ...init.headers } });
  }

  /** Status and JSON of one operation. */
  async call(operation, fields = {}) {
    const response = await this.fetch("", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ operation, ...fields }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** The response of an operation that must succeed. */
  async ok(operation, fields) {
    const { status, body } = await this.call(operation, fields);
    if (status !== 200 || body.success !== true) throw new Error(`${operation} failed: ${JSON.stringify(body)}`);
    return body;
  }

  exec(sql, params) {
    return this.ok("exec", { sql, params });
  }

  query(sql, params, more = {}) {
    return this.ok("query", { sql, params, ...more });
  }

  /** The error of an operation that must fail. */
  async error(operation, fields) {
    const { status, body } = await this.call(operation, fields);
    if (status === 200 || body.success !== false) throw new Error(`${operation} should have failed: ${JSON.stringify(body)}`);
    return { status, ...body.error };
  }

  /** A query's text as it stands on the wire, where JSON.parse would lose digits. */
  async text(operation, fields) {
    const response = await this.fetch("", { method: "POST", body: JSON.stringify({ operation, ...fields }) });
    return response.text();
  }

  load(table, body, { type = "application/x-ndjson", query = "" } = {}) {
    return this.fetch(`/tables/${encodeURIComponent(table)}/rows${query}`, {
      method: "PUT",
      headers: { "content-type": type },
      body,
      duplex: "half",
    });
  }
}
