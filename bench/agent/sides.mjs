// The two sides of bench/agent.mjs: our Worker in workerd, and the graph in LangGraph
// (bench/peer/langgraph.mjs), with one interface.
//
// Each has its own scripted model and a table of films of two businesses.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createParser } from "eventsource-parser";
import { startModelServer } from "../../tests/peers/model-server.mjs";
import { modulesIn, prepareWorker } from "../workerd.mjs";

const CLASSES = {
  binding: "CODEMODE_DB",
  className: "CodeModeDatabase",
  others: { TENANT_INDEX: "TenantIndex", AGENT_THREAD: "AgentThread", MCP_SESSION: "McpSession", KNOWLEDGE_GRAPH: "KnowledgeGraph" },
};
const SESSION = "films";
const WHO = { businessId: "b1", userId: "ann" };
/** The longest wait for a database that another process is writing. */
const LOCKED_MS = 5_000;
const JSON_TYPE = { "content-type": "application/json" };
const PEER = fileURLToPath(new URL("../peer/langgraph.mjs", import.meta.url));

export const FILMS = [
  "CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT, business_id TEXT NOT NULL DEFAULT 'b1')",
  "INSERT INTO films (title, genre, business_id) VALUES ('Alpha', 'drama', 'b1'), ('Beta', 'comedy', 'b1'), ('Gamma', 'drama', 'b2')",
];

/** Returns the events of a stream until it ends, or breaks because its process was killed. */
async function eventsOf(response, onEvent = () => {}) {
  const events = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      events.push({ event, data: JSON.parse(data) });
      onEvent(events.at(-1));
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body) parser.feed(decoder.decode(piece, { stream: true }));
  } catch {
    events.push({ event: "broken", data: null });
  }
  return events;
}

const post = (url, body) => fetch(url, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });

/** Returns the outcome of a request: its status, its events, and the code of an error. */
async function outcomeOf(response, onEvent) {
  if (response.status === 200) return { status: 200, events: await eventsOf(response, onEvent) };
  const { error } = await response.json();
  return { status: response.status, code: error.code, events: [] };
}

/** Takes the remaining steps of the script, so that the next scenario does not get them. */
async function drain(models) {
  while (models.left() > 0) await (await post(`${models.openai}/chat/completions`, {})).text();
}

export class Ours {
  static async start(folder) {
    const side = new Ours();
    side.models = await startModelServer();
    const settings = { MODEL: JSON.stringify({ provider: "openai", baseUrl: side.models.openai, model: "scripted-1" }), MODEL_API_KEY: "sk-of-benchmarks-0123456789" };
    side.prepared = prepareWorker({ ...CLASSES, modules: modulesIn(folder), settings });
    await side.restart();
    for (const sql of FILMS) await side.run(sql);
    return side;
  }

  async restart() {
    this.worker = await this.prepared.start();
  }

  kill() {
    return this.worker.stop("SIGKILL");
  }

  async stop() {
    await this.kill();
    this.prepared.remove();
    await this.models.close();
  }

  /** Runs a statement as the owner of the tables. */
  async run(sql) {
    const { results } = JSON.parse(await this.worker.send("POST", `/api/codemode/sessions/${SESSION}`, Buffer.from(JSON.stringify({ operation: "exec", sql }))));
    return results;
  }

  url(thread, path) {
    return `${this.worker.url}/api/agent/${thread}${path}`;
  }

  async ask(thread, input, { inputId = randomUUID(), onEvent } = {}) {
    return outcomeOf(await post(this.url(thread, "/messages"), { input, inputId, session: SESSION, ...WHO }), onEvent);
  }

  async decide(thread, action, { approval, onEvent, ...more } = {}) {
    const { approvalId, sha256 } = approval ?? (await this.state(thread)).pending;
    return outcomeOf(await post(this.url(thread, "/resume"), { approvalId, sha256, action, userId: WHO.userId, ...more }), onEvent);
  }

  async get(thread, path) {
    return (await fetch(this.url(thread, path))).json();
  }

  state(thread) {
    return this.get(thread, "/state");
  }

  /** Returns the pending approval. */
  async pending(thread) {
    return (await this.state(thread)).pending;
  }

  async history(thread) {
    return (await this.get(thread, "/history")).checkpoints;
  }

  /** Returns how often the step of an approval began; each time is recorded. */
  async began(thread) {
    const { records } = await this.get(thread, "/audit");
    return { humanApproval: records.filter(({ kind }) => kind === "approvalAsked").length };
  }

  drain() {
    return drain(this.models);
  }

  /** Returns true if the update of executeQuery belongs to a repeated run. */
  isRunAgain({ sqlResult }) {
    return sqlResult.ranBefore;
  }

  /** Opens the database of the session, as another process reads it. */
  files() {
    const folder = join(this.prepared.folder, "objects", `bench-${CLASSES.className}`);
    const names = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
    return names.map((name) => new DatabaseSync(join(folder, name), { readOnly: true, timeout: LOCKED_MS }));
  }

  /** Follows a thread after its process was killed. */
  async goOn(thread) {
    return outcomeOf(await fetch(this.url(thread, "/events")));
  }

  /** Continues from a checkpoint. */
  async fork(thread, { checkpoint }) {
    const response = await post(this.url(thread, "/fork"), { checkpoint });
    await response.text();
    return this.goOn(thread);
  }
}

export class Theirs {
  static async start() {
    const side = new Theirs();
    side.models = await startModelServer();
    side.folder = mkdtempSync(join(tmpdir(), "codemode-langgraph-"));
    side.file = join(side.folder, "films.sqlite");
    side.database = new DatabaseSync(side.file, { timeout: LOCKED_MS });
    side.database.exec(`PRAGMA journal_mode = wal; ${FILMS.join(";")}`);
    await side.restart();
    return side;
  }

  /**
   * With `die`, the process ends in executeQuery, after the statement. With `durable`, the default,
   * its state is in a file.
   */
  async restart({ die = false, durable = true } = {}) {
    const state = durable ? ["--state", join(this.folder, "state.bin")] : [];
    const options = ["--model", this.models.openai, "--database", this.file, ...state, ...(die ? ["--die"] : [])];
    this.process = spawn(process.execPath, ["--no-warnings", PEER, ...options], { stdio: ["ignore", "pipe", "inherit"] });
    this.exited = new Promise((resolve) => this.process.once("exit", resolve));
    const child = this.process;
    process.once("exit", () => child.kill("SIGKILL"));
    const port = await new Promise((resolve, reject) => {
      createInterface(child.stdout).once("line", resolve);
      this.exited.then(() => reject(new Error("the peer ended before it listened")));
    });
    this.origin = `http://127.0.0.1:${port}`;
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async stop() {
    await this.kill();
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
    await this.models.close();
  }

  run(sql) {
    return this.database.prepare(sql).all();
  }

  async ask(thread, input, { inputId = randomUUID(), onEvent } = {}) {
    return outcomeOf(await post(`${this.origin}/${thread}/stream`, { input, inputId, ...WHO }), onEvent);
  }

  /** An answer to an interrupt names no statement. */
  async decide(thread, action, { onEvent, sql } = {}) {
    return outcomeOf(await post(`${this.origin}/${thread}/stream`, { action, sql }), onEvent);
  }

  async get(thread, path) {
    return (await fetch(`${this.origin}/${thread}${path}`)).json();
  }

  state(thread) {
    return this.get(thread, "/state");
  }

  async pending(thread) {
    const { tasks } = await this.state(thread);
    return tasks.flatMap(({ interrupts }) => interrupts)[0]?.value ?? null;
  }

  history(thread) {
    return this.get(thread, "/history");
  }

  /** Returns how often each node began, in this process. */
  began(thread) {
    return this.get(thread, "/begun");
  }

  drain() {
    return drain(this.models);
  }

  /** Makes the next statement end the process. */
  async armed() {
    await this.kill();
    await this.restart({ die: true });
  }

  files() {
    return [new DatabaseSync(this.file, { readOnly: true, timeout: LOCKED_MS })];
  }

  /** A step that is not saved runs from its beginning. */
  isRunAgain() {
    return true;
  }

  async goOn(thread) {
    return outcomeOf(await post(`${this.origin}/${thread}/continue`, {}));
  }

  async fork(thread, snapshot) {
    return outcomeOf(await post(`${this.origin}/${thread}/fork`, { checkpoint: snapshot.config.configurable.checkpoint_id }));
  }
}
