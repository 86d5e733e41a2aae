// One session of the Worker, over HTTP. Every call is printed, and must return what the method says: `ok`, `run` and `live` a success, `fail`
// a program that failed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { EventSourceParserStream } from "eventsource-parser/stream";
import * as print from "./print.mjs";

const REQUEST_TIMEOUT_MS = 60_000;
const EXECUTE = "/api/codemode/execute";
const PROXY = "/api/codemode/proxy";
const TOOLS = "/api/codemode/tools";
const JSON_TYPE = { "content-type": "application/json" };

export class Session {
  #origin;
  #name;
  #path;
  /** The text of the program that was sent last. */
  #last = "";
  /** Programs that were sent. */
  runs = 0;
  /** Bytes of the response to the last program. */
  responseBytes = 0;

  constructor(origin, name) {
    this.#origin = origin;
    this.#name = name;
    this.#path = `/api/codemode/sessions/${name}`;
  }

  get origin() {
    return this.#origin;
  }

  get name() {
    return this.#name;
  }

  /** The same session of a Worker that was started again. */
  moveTo(origin) {
    this.#origin = origin;
  }

  /** The result of an operation that must succeed. */
  async ok(operation, fields = {}) {
    const { status, body, ms } = await this.#operate(operation, fields);
    assert.ok(status === 200 && body.success === true, `${operation} returned ${status} ${JSON.stringify(body)}`);
    print.answer(status, describe(body), ms);
    return body;
  }

  /** The result of a program of demo/programs/, which must end well. `edit` may change its text. */
  async run(file, input, edit) {
    const { body, ms } = await this.#execute(file, input, edit);
    assert.ok(body.success === true, `${file} failed: ${JSON.stringify(body)}`);
    print.answer(200, outcome(body), ms);
    for (const { level, text } of body.logs) print.note(`   console.${level}: ${text}`);
    print.value(body.result);
    return body.result;
  }

  /** The error of a program that must fail. */
  async fail(file, input) {
    const { body, ms } = await this.#execute(file, input);
    assert.ok(body.success === false, `${file} should have failed: ${JSON.stringify(body)}`);
    const { error } = body;
    print.answer(200, `${error.code} (${error.category})`, ms);
    for (const name of ["message", "suggestions", "hint"]) {
      if (error[name] !== undefined) print.note(`   ${name}: ${typeof error[name] === "string" ? error[name] : JSON.stringify(error[name])}`);
    }
    if (error.pointer !== undefined) print.place(error.line, error.pointer);
    return error;
  }

  /** Runs a program and prints its events as they come; resolves with its result and all events. */
  async live(file, input) {
    const code = this.#announce(file, input, "Accept: text/event-stream");
    print.code(code);
    const body = JSON.stringify({ session: this.#name, input, code });
    const { response, started } = await this.#send("POST", EXECUTE, { headers: { ...JSON_TYPE, accept: "text/event-stream" }, body });
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8", "type of the events");
    const events = [];
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onError: "terminate" }));
    for await (const { event, data } of parsed) {
      events.push({ event, data: JSON.parse(data) });
      print.event(event, performance.now() - started, data);
    }
    const ended = events.find(({ event }) => event === "result");
    assert.ok(ended !== undefined, `the run failed: ${JSON.stringify(events.at(-2))}`);
    return { result: ended.data.result, events };
  }

  /** The tools that a search over all servers finds. */
  async tools(query) {
    const path = `${TOOLS}?query=${encodeURIComponent(query)}`;
    print.call("GET", path, "");
    const { response, started } = await this.#send("GET", path);
    const body = await response.json();
    assert.ok(response.status === 200 && body.success === true, `the search returned ${response.status} ${JSON.stringify(body)}`);
    print.answer(200, print.plural(body.tools.length, "tool"), performance.now() - started);
    print.table(["server", "name", "description"], body.tools);
    return body.tools;
  }

  /** The result of a tool, called by itself. */
  async callTool(server, tool, args) {
    const fields = { server, tool, args, session: this.#name };
    print.call("POST", PROXY, JSON.stringify(fields));
    const { response, started } = await this.#send("POST", PROXY, { headers: JSON_TYPE, body: JSON.stringify(fields) });
    const answer = await response.text();
    assert.equal(response.status, 200, `${server}.${tool} returned ${answer.slice(0, 1_000)}`);
    print.answer(200, `${print.count(Buffer.byteLength(answer))} bytes`, performance.now() - started);
    return JSON.parse(answer).result;
  }

  exec(sql, params) {
    return this.ok("exec", { sql: dedent(sql), params });
  }

  /** The rows of a query, printed as a table. */
  async rows(sql, params) {
    const body = await this.ok("query", { sql: dedent(sql), params });
    assert.equal(body.rowCount, body.results.length, "rowCount");
    print.table(body.columns, body.results);
    return body.results;
  }

  /** Streams a body into a new table. `from` says for people where the body comes from. */
  async load(table, { body, type, from }) {
    const path = `${this.#path}/tables/${table}/rows?create=true`;
    print.call("PUT", path, `(${type}, streamed from ${from})`);
    const { response, started } = await this.#send("PUT", path, { body, duplex: "half", headers: { "content-type": type } });
    const answer = await response.json();
    const ms = performance.now() - started;
    assert.ok(response.status === 200 && answer.success === true, `the load returned ${response.status} ${JSON.stringify(answer)}`);
    const pace = Math.round(answer.rowsWritten / (ms / 1_000));
    print.answer(response.status, `${print.plural(answer.rowsWritten, "row")} in ${print.plural(answer.chunks, "chunk")}, ${print.count(pace)} rows/s`, ms);
    return answer;
  }

  /** The last programs that ran. */
  async executions(limit) {
    const path = `${this.#path}/executions?limit=${limit}`;
    print.call("GET", path, "");
    const { response, started } = await this.#send("GET", path);
    const { executions } = await response.json();
    print.answer(response.status, print.plural(executions.length, "run"), performance.now() - started);
    print.table(["endedAt", "outcome", "calls", "durationMs"], executions);
    return executions;
  }

  /** Streams a whole table out; `take` gets each row. */
  async exportRows(table, take) {
    const path = `${this.#path}/tables/${table}/rows?format=ndjson`;
    print.call("GET", path, "");
    const { response, started } = await this.#send("GET", path);
    assert.equal(response.status, 200, "status of the export");
    let rows = 0;
    for await (const row of jsonLines(response)) take(row, rows++);
    print.answer(200, print.plural(rows, "line"), performance.now() - started);
    return rows;
  }

  /** The whole session as SQL text. */
  async dump() {
    const path = `${this.#path}/dump`;
    print.call("GET", path, "");
    const { response, started } = await this.#send("GET", path);
    assert.equal(response.status, 200, "status of the dump");
    const text = await response.text();
    print.answer(200, `${(text.length / 1e6).toFixed(1)} MB of SQL`, performance.now() - started);
    return text;
  }

  /** Deletes the session. */
  async delete() {
    print.call("DELETE", this.#path, "");
    const { response, started } = await this.#send("DELETE", this.#path);
    const body = await response.json();
    assert.ok(response.status === 200 && body.success === true, `DELETE returned ${response.status} ${JSON.stringify(body)}`);
    print.answer(200, "deleted", performance.now() - started);
  }

  /** Prints what is sent, and resolves with the text of the program. */
  #announce(file, input, header = "") {
    const fields = { session: this.#name, ...(input === undefined ? {} : { input }) };
    this.runs += 1;
    const text = readFileSync(new URL(`programs/${file}`, import.meta.url), "utf8").trimEnd();
    print.call("POST", EXECUTE, `${JSON.stringify(fields).slice(0, -1)},"code":…}${header === "" ? "" : ` (${header})`}`);
    return text;
  }

  async #execute(file, input, edit = (code) => code) {
    const text = this.#announce(file, input);
    const code = edit(text);
    if (code === this.#last) print.note("| the same program again");
    else print.code(code, text === code ? undefined : text);
    this.#last = code;
    const { response, started } = await this.#send("POST", EXECUTE, { headers: JSON_TYPE, body: JSON.stringify({ session: this.#name, input, code }) });
    const answer = await response.text();
    const ms = performance.now() - started;
    assert.equal(response.status, 200, `${file} was not run: ${answer}`);
    this.responseBytes = Buffer.byteLength(answer);
    return { body: JSON.parse(answer), ms };
  }

  async #operate(operation, fields) {
    const body = JSON.stringify({ operation, ...fields });
    print.call("POST", this.#path, print.abbreviated({ operation, ...defined(fields) }), fields.sql);
    const { response, started } = await this.#send("POST", this.#path, { headers: JSON_TYPE, body });
    const answer = await response.json();
    return { status: response.status, body: answer, ms: performance.now() - started };
  }

  async #send(method, path, init = {}) {
    const started = performance.now();
    const response = await fetch(this.#origin + path, { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...init });
    return { response, started };
  }
}

async function* jsonLines(response) {
  for await (const text of createInterface({ input: Readable.fromWeb(response.body) })) yield JSON.parse(text);
}

/** A word about the end of a program. */
function outcome({ calls, truncated }) {
  return `${print.plural(calls.length, "call")}${truncated === undefined ? "" : `, truncated: ${truncated}`}`;
}

/** A word about a result. */
function describe(body) {
  if (body.rowCount !== undefined) return print.plural(body.rowCount, "row") + (body.truncated ? ", truncated" : "");
  if (body.rowsWritten !== undefined) return `${print.count(body.rowsWritten)} written`;
  return "success";
}

function defined(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Text without the indentation of the source that it stands in. */
function dedent(text) {
  const lines = text.replace(/^\n/, "").trimEnd().split("\n");
  const indents = lines.filter((row) => row.trim() !== "").map((row) => /^ */.exec(row)[0].length);
  const margin = Math.min(...indents);
  return lines.map((row) => row.slice(margin)).join("\n");
}
