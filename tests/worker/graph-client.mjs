// A client of a knowledge graph over HTTP for tests: requests, expected successes and failures,
// pages to their end, and the stream of changes.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createParser } from "eventsource-parser";
import { until } from "../until.mjs";

/** Encodes an id for a path. */
export const inPath = encodeURIComponent;

/** One graph. */
export class Graph {
  constructor(worker, name = randomUUID(), headers = {}) {
    this.worker = worker;
    this.name = name;
    this.headers = headers;
    this.path = `/api/graph/${inPath(name)}`;
  }

  fetch(path = "", init = {}) {
    return this.worker.fetch(this.path + path, { ...init, headers: { ...this.headers, ...init.headers } });
  }

  /** Sends a request; returns status, JSON and text. A body that is no text is sent as JSON. */
  async send(method, path, body, headers = {}) {
    const text = body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await this.fetch(path, { method, body: text, headers: { ...type, ...headers } });
    const answer = await response.text();
    return { status: response.status, body: parsed(answer), text: answer, type: response.headers.get("content-type") };
  }

  /**
   * Returns the response of a request that must succeed with this status; by default 200, or 201
   * for a POST.
   */
  async ok(method, path, body, { status, headers } = {}) {
    const answer = await this.send(method, path, body, headers);
    const wanted = status === undefined ? (method === "POST" ? [200, 201] : [200]) : [status];
    assert.ok(wanted.includes(answer.status), `${method} ${path}: ${answer.status}, not ${wanted}: ${answer.text.slice(0, 2_000)}`);
    assert.equal(answer.body?.success, true, `${method} ${path}: ${answer.text.slice(0, 2_000)}`);
    return answer.body;
  }

  /** Returns the error of a request that must fail with this status and code. */
  async error(method, path, body, status, code, headers) {
    const answer = await this.send(method, path, body, headers);
    const context = `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${answer.text.slice(0, 2_000)}`;
    assert.deepEqual([answer.status, answer.body?.success, answer.body?.error?.code], [status, false, code], context);
    assert.ok(answer.body.error.message.length > 0, context);
    return answer.body.error;
  }

  /** Runs an operation by its name. */
  operate(operation, fields = {}) {
    return this.ok("POST", "", { operation, ...fields });
  }

  /** Adds a node; `fields` may be its label. */
  async node(fields) {
    const body = typeof fields === "string" ? { id: fields, label: fields } : fields;
    return (await this.ok("POST", "/nodes", body, { status: 201 })).data;
  }

  /** Adds an edge. */
  async edge(source, target, more = {}) {
    return (await this.ok("POST", "/edges", { source, target, ...more }, { status: 201 })).data;
  }

  async version() {
    return (await this.ok("GET", "")).data.version;
  }

  /** Returns all pages of the state, or of another list with such pages. */
  async state({ path = "/state", limit = 1_000, more = "" } = {}) {
    const whole = { nodes: [], edges: [], pages: 0 };
    for (let cursor = null; ; ) {
      const at = cursor === null ? "" : `&cursor=${inPath(cursor)}`;
      const { data, nextCursor } = await this.ok("GET", `${path}?limit=${limit}${more}${at}`);
      whole.nodes.push(...data.nodes);
      whole.edges.push(...data.edges);
      whole.metadata = data.metadata;
      whole.pages += 1;
      if (nextCursor === null) return whole;
      assert.ok(data.nodes.length + data.edges.length > 0, "a page with a next one is not empty");
      cursor = nextCursor;
    }
  }

  /** Returns the bytes of the whole graph: its own export, in which `data` keeps its text. */
  async bytes() {
    const response = await this.fetch("/export?format=json");
    assert.equal(response.status, 200);
    return response.text();
  }

  async ids() {
    const { nodes, edges } = await this.state();
    return { nodes: nodes.map(({ id }) => id), edges: edges.map(({ id }) => id) };
  }

  /** Returns the history from its newest step to its oldest. */
  async history() {
    const steps = [];
    for (let cursor = null; ; ) {
      const at = cursor === null ? "" : `&cursor=${inPath(cursor)}`;
      const page = await this.ok("GET", `/history?limit=1000${at}`);
      steps.push(...page.data);
      if (page.nextCursor === null) return steps;
      cursor = page.nextCursor;
    }
  }

  /** Returns the descriptions in the history, newest first. */
  async words() {
    return (await this.history()).map(({ description }) => description);
  }

  undo(headers) {
    return this.ok("POST", "/undo", undefined, { headers });
  }

  redo() {
    return this.ok("POST", "/redo");
  }

  events(options) {
    return Events.open(this, options);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The stream of changes of a graph, which is read in the background. */
export class Events {
  /**
   * @param {{after?: number, lastEventId?: number | string, paused?: boolean}} [options] paused:
   * nothing is read before `resume`
   */
  static async open(graph, { after, lastEventId, paused = false } = {}) {
    const stream = new Events();
    stream.controller = new AbortController();
    const headers = lastEventId === undefined ? {} : { "last-event-id": `${lastEventId}` };
    const query = after === undefined ? "" : `?after=${after}`;
    const response = await graph.fetch(`/events${query}`, { headers, signal: stream.controller.signal });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^text\/event-stream/);
    stream.come = [];
    stream.comments = [];
    stream.ended = false;
    // The reference keeps the response alive; Node cancels the body of one that nothing refers to.
    stream.response = response;
    if (!paused) stream.resume();
    return stream;
  }

  resume() {
    this.reading = this.read(this.response.body);
  }

  async read(body) {
    const parser = createParser({
      onEvent: ({ id, event, data }) => this.come.push({ id, event, data: JSON.parse(data) }),
      onComment: (comment) => this.comments.push(comment),
    });
    try {
      for await (const piece of body.pipeThrough(new TextDecoderStream())) parser.feed(piece);
    } catch {
      // The test has closed the stream.
    }
    this.ended = true;
  }

  /** Returns the events so far, once there are `count` of them. */
  async first(count) {
    await until(() => this.come.length >= count || this.ended);
    assert.ok(this.come.length >= count, `the stream ended with ${this.come.length} of ${count} events: ${JSON.stringify(this.come).slice(0, 2_000)}`);
    return this.come.slice(0, count);
  }

  async close() {
    this.controller.abort();
    await this.reading;
  }
}

/** Applies the patches of changes to a state: `{nodes, edges}`, each a map from id to item. */
export function patched(state, changes) {
  for (const { patch } of changes) {
    for (const list of ["nodes", "edges"]) {
      for (const id of patch[list].deleted) state[list].delete(id);
      for (const item of patch[list].upserted) state[list].set(item.id, item);
    }
  }
  return state;
}

/**
 * Makes a graph of `nodes` nodes and `edges` edges without repetition, in the form of an import.
 */
export function ring(nodes, edges, data = (index) => ({ index })) {
  return {
    nodes: Array.from({ length: nodes }, (_, index) => ({ id: `n${index}`, label: `node ${index}`, type: index % 2 === 0 ? "gene" : "drug", data: data(index) })),
    edges: Array.from({ length: edges }, (_, index) => ({ source: `n${index % nodes}`, target: `n${(index + 1 + Math.floor(index / nodes)) % nodes}`, label: "next" })),
  };
}
