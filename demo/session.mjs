// One session of the Worker, over HTTP. Every call is printed, and must answer what the method says: `ok` and the streams a success,
// `refused` an error.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import * as print from "./print.mjs";

const REQUEST_TIMEOUT_MS = 60_000;

export class Session {
  #origin;
  #path;

  constructor(origin, name) {
    this.#origin = origin;
    this.#path = `/api/codemode/sessions/${name}`;
  }

  /** The same session of a Worker that was started again. */
  moveTo(origin) {
    this.#origin = origin;
  }

  /** The answer of an operation that must succeed. */
  async ok(operation, fields = {}) {
    const { status, body, ms } = await this.#operate(operation, fields);
    assert.ok(status === 200 && body.success === true, `${operation} answered ${status} ${JSON.stringify(body)}`);
    print.answer(status, describe(body), ms);
    return body;
  }

  /** The error of an operation that must be refused. */
  async refused(operation, fields) {
    const { status, body, ms } = await this.#operate(operation, fields);
    assert.ok(status >= 400 && status < 500 && body.success === false, `${operation} should have been refused, but answered ${status} ${JSON.stringify(body)}`);
    print.answer(status, body.error.code, ms);
    for (const name of ["message", "reason", "suggestions", "hint"]) {
      const value = body.error[name];
      if (value !== undefined) print.note(`   ${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
    }
    return body.error;
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
    assert.ok(response.status === 200 && answer.success === true, `the load answered ${response.status} ${JSON.stringify(answer)}`);
    const pace = Math.round(answer.rowsWritten / (ms / 1_000));
    print.answer(response.status, `${print.plural(answer.rowsWritten, "row")} in ${print.plural(answer.chunks, "chunk")}, ${print.count(pace)} rows/s`, ms);
    return answer;
  }

  /** Runs a query of any length; `take` gets each row. */
  async stream(sql, take) {
    const path = `${this.#path}/stream`;
    const text = dedent(sql);
    print.call("POST", path, print.abbreviated({ sql: text }), text);
    const { response, started } = await this.#send("POST", path, { headers: { "content-type": "application/json" }, body: JSON.stringify({ sql: text }) });
    assert.equal(response.status, 200, "status of the stream");
    let first, last;
    for await (const row of jsonLines(response)) {
      if (first === undefined) first = row;
      else if (Array.isArray(row)) take(row);
      else last = row;
    }
    assert.equal(last?.done, true, `the stream ended with ${JSON.stringify(last)}`);
    print.answer(200, `${print.plural(last.rowCount, "row")} of ${JSON.stringify(first.columns)}`, performance.now() - started);
    return last.rowCount;
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

  /** Forgets the session. */
  async delete() {
    print.call("DELETE", this.#path, "");
    const { response, started } = await this.#send("DELETE", this.#path);
    const body = await response.json();
    assert.ok(response.status === 200 && body.success === true, `DELETE answered ${response.status} ${JSON.stringify(body)}`);
    print.answer(200, "forgotten", performance.now() - started);
  }

  async #operate(operation, fields) {
    const body = JSON.stringify({ operation, ...fields });
    print.call("POST", this.#path, print.abbreviated({ operation, ...defined(fields) }), fields.sql);
    const { response, started } = await this.#send("POST", this.#path, { headers: { "content-type": "application/json" }, body });
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

/** A word about an answer. */
function describe(body) {
  if (body.alternatives !== undefined) {
    const nearest = body.alternatives.map(({ name }) => name).join(" or ");
    return body.column === null ? `no single column, perhaps ${nearest}` : `${body.column}, score ${body.score}`;
  }
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
