// A test in which clients write while every process of `dev` and `mcp` is killed at random. No
// confirmed write may be lost, and the bridge may write nothing twice. CODEMODE_KILL_MS sets the
// duration, and CODEMODE_KILL_SEED repeats a run as far as the timing of processes allows.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { random } from "../random.mjs";
import { meta } from "../worker/mcp-client.mjs";
import { processes } from "../worker/processes.mjs";
import { CLI, Dev, environment, folderOf } from "./installed.mjs";

const LONG_MS = Number(process.env.CODEMODE_KILL_MS ?? 12_000);
const SEED = Number(process.env.CODEMODE_KILL_SEED ?? Date.now() % 100_000);
const WRITERS = 3;
/** The time between two kills. A server takes about half a second to start again. */
const BETWEEN_MS = [150, 1_500];
const PORT = "28777";

/** A host that writes one number after another, and starts its command again when it was killed. */
class Writer {
  confirmed = [];
  failures = 0;
  starts = 0;
  /** The next number; each is requested once. */
  #next = 0;
  #stopped = false;
  #settle;

  constructor(data, name) {
    Object.assign(this, { data, name });
    this.working = this.#work();
  }

  async #work() {
    while (!this.#stopped) {
      this.#begin();
      let isAlive = true;
      this.child.once("close", () => {
        isAlive = false;
        this.#settle?.(undefined);
      });
      while (isAlive && !this.#stopped) await this.#write();
    }
  }

  #begin() {
    this.starts += 1;
    this.child = spawn(process.execPath, [CLI, "mcp", "--data", this.data], { env: environment(), stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdin.on("error", () => {});
    createInterface({ input: this.child.stdout }).on("line", (line) => this.#settle?.(JSON.parse(line)));
  }

  async #write() {
    const value = (this.#next += 1);
    const response = await new Promise((settled) => {
      this.#settle = settled;
      const params = { name: "db_exec", arguments: { session: "killed", sql: "INSERT INTO t VALUES (?, ?)", params: [this.name, value] }, _meta: meta() };
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: value, method: "tools/call", params })}\n`);
    });
    if (response?.result !== undefined && !response.result.isError) this.confirmed.push(value);
    else this.failures += 1;
  }

  async stop() {
    this.#stopped = true;
    this.child.stdin.end();
    await this.working;
    this.child.kill("SIGKILL");
  }
}

/**
 * Returns all values of a writer. Five minutes of writing make more rows than one query returns.
 */
async function storedBy(reader, name) {
  const stored = [];
  for (let last = 0; ; ) {
    const { results } = await reader.ok("killed", { operation: "query", sql: "SELECT rowid AS id, value FROM t WHERE writer = ? AND rowid > ? ORDER BY rowid LIMIT 5000", params: [name, last] });
    if (results.length === 0) return stored;
    stored.push(...results.map(({ value }) => value));
    last = results.at(-1).id;
  }
}

test(`nothing that was confirmed is lost (seed ${SEED})`, { timeout: LONG_MS + 180_000 }, async (context) => {
  const { next } = random(SEED);
  const data = join(await folderOf(context), "data");
  let dev = await Dev.start(data, { words: ["--port", PORT] });
  context.after(() => dev.stop("SIGKILL"));
  await dev.ok("killed", { operation: "exec", sql: "CREATE TABLE t (writer TEXT, value INTEGER)" });
  const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(data, `w${index}`));
  const kills = {};
  const endMs = performance.now() + LONG_MS;
  while (performance.now() < endMs) {
    await pause(BETWEEN_MS[0] + next() * (BETWEEN_MS[1] - BETWEEN_MS[0]));
    const below = await processes(process.pid, "");
    const roots = new Set([dev.child.pid, ...writers.map(({ child }) => child.pid)]);
    const inside = await Promise.all([...roots].map((pid) => processes(pid, "")));
    const victims = [...roots, ...inside.flat()].filter((pid) => below.includes(pid));
    const victim = victims[Math.floor(next() * victims.length)];
    const kind = victim === dev.child.pid ? "dev" : roots.has(victim) ? "mcp" : "workerd or guard";
    kills[kind] = (kills[kind] ?? 0) + 1;
    process.kill(victim, "SIGKILL");
    if (victim === dev.child.pid) {
      await dev.ended;
      dev = await Dev.start(data, { state: "either" });
    }
  }
  await Promise.all(writers.map((writer) => writer.stop()));
  await dev.stop();
  const reader = await Dev.start(data, { words: ["--port", PORT] });
  context.after(() => reader.stop("SIGKILL"));
  const counts = {};
  for (const { name, confirmed, failures, starts } of writers) {
    const stored = await storedBy(reader, name);
    const distinct = new Set(stored);
    assert.deepEqual(confirmed.filter((value) => !distinct.has(value)), [], `${name} lost what was confirmed`);
    assert.equal(distinct.size, stored.length, `${name} has a value twice`);
    counts[name] = { confirmed: confirmed.length, failures, starts };
  }
  const total = Object.values(counts).reduce((sum, { confirmed }) => sum + confirmed, 0);
  context.diagnostic(JSON.stringify({ kills, counts }));
  assert.ok(total > 0, "something was written");
});
