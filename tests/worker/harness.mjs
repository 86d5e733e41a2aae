// Starts the product with storage on disk, and sends it requests over HTTP.
//
// hosts/product.mjs names the product; CODEMODE_HOST sets the way it is started: `workerd` alone,
// `wrangler dev`, or as a `library` of another Worker (hosts/ways.mjs lists the files that run in
// each way). The build is the one with the feature fault-injection. One shared Worker serves most
// tests: sessions are cheap and each test uses its own. A test that stops the Worker or changes a
// setting starts its own.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../until.mjs";
import { PRODUCT } from "./hosts/product.mjs";

/** The folder of the Worker's modules. */
export const build = PRODUCT.worker;

/** The folder below a Worker's folder in which hosts keep data, as wrangler does. */
export const STATE = "v3";

/** Tokens of the Worker that has tenants. */
export const TOKENS = { acme: "token-of-acme-0123456789", zeta: "token-of-zeta-0123456789" };

async function hostOf(way) {
  switch (way) {
    case "workerd":
      return (await import("./hosts/workerd.mjs")).WorkerdHost;
    case "wrangler":
      return (await import("./hosts/wrangler.mjs")).WranglerHost;
    case "library":
      return (await import("./hosts/library.mjs")).LibraryHost;
    default:
      throw new Error(`the way to start the product is '${way}'; it may be workerd, wrangler or library`);
  }
}

/** A running Worker. */
export class Worker {
  logs = [];
  #host;

  /**
   * @param {object} [options]
   * @param {"workerd"|"wrangler"|"library"} [options.way] the way it is started, if not the one of
   * CODEMODE_HOST
   * @param {Record<string, string>} [options.settings] bindings of text, as in `[vars]`
   * @param {string} [options.folder] storage of an earlier Worker
   * @param {boolean} [options.persistent] with the D1 binding
   * @param {boolean} [options.loader] with the Worker Loader binding; true by default
   * @param {boolean} [options.pages] with the pages of the console; true by default
   * @param {boolean} [options.telemetry] with a data set that prints its points to the log; only
   * for workerd alone
   * @param {string} [options.assets] folder of static assets
   * @param {string} [options.ai] with a binding of Workers AI whose calls are sent to this URL;
   * only for workerd alone
   */
  static async start({ way = process.env.CODEMODE_HOST ?? "workerd", settings = {}, folder, persistent = false, telemetry = false, loader = true, pages = true, assets, ai } = {}) {
    const Host = await hostOf(way);
    const worker = new Worker();
    worker.folder = folder ?? (await mkdtemp(join(tmpdir(), "codemode-test-")));
    const log = (message) => worker.logs.push(message);
    worker.#host = await Host.start({ settings, folder: worker.folder, storage: join(worker.folder, STATE), persistent, telemetry, loader, pages, assets, ai, log });
    return worker;
  }

  get url() {
    return this.#host.url;
  }

  async stop({ keep = false } = {}) {
    await this.#host.stop();
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /**
   * Ends the Worker without a chance to finish anything, and starts another on the same storage.
   */
  async kill() {
    await this.#host.end();
    await this.#host.again();
  }

  fetch(path, init) {
    return fetch(this.url + path, init);
  }

  /** Makes a session for one test. */
  session(name = randomUUID(), headers = {}) {
    return new Session(this, name, headers);
  }

  /**
   * Returns the structured log lines so far. They arrive by another way than the responses, and may
   * arrive later.
   */
  operations() {
    return this.logs.filter((line) => line.includes('"event":"operation"')).map((line) => JSON.parse(line));
  }

  /** Returns the first `count` lines of a session, once they have arrived. */
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

  /** Runs one operation; returns status and JSON. */
  async call(operation, fields = {}) {
    const response = await this.fetch("", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ operation, ...fields }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Returns the response of an operation that must succeed. */
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

  /** Returns the error of an operation that must fail. */
  async error(operation, fields) {
    const { status, body } = await this.call(operation, fields);
    if (status === 200 || body.success !== false) throw new Error(`${operation} should have failed: ${JSON.stringify(body)}`);
    return { status, ...body.error };
  }

  /** Returns a response as text, because JSON.parse would lose digits. */
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
