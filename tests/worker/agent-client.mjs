// A client of a chat thread over HTTP for tests: questions, decisions, the events of a stream.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createParser } from "eventsource-parser";

/** Reads a response that is a stream of events to its end: `[{id, event, data}]`. */
export async function eventsOf(response) {
  const events = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }) });
  const decoder = new TextDecoder();
  for await (const piece of response.body) parser.feed(decoder.decode(piece, { stream: true }));
  return events;
}

/** One thread. */
export class Thread {
  constructor(worker, { name = randomUUID(), session, headers = {}, businessId = "b1", userId = "ann" } = {}) {
    Object.assign(this, { worker, name, session, headers, businessId, userId });
    this.path = `/api/agent/${encodeURIComponent(name)}`;
  }

  fetch(path, init = {}) {
    return this.worker.fetch(this.path + path, { ...init, headers: { ...this.headers, ...init.headers } });
  }

  post(path, body, headers = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.fetch(path, { method: "POST", body: text, headers: { "content-type": "application/json", ...headers } });
  }

  /** Makes the body of a question. */
  question(input, more = {}) {
    return { input, inputId: randomUUID(), session: this.session.name, businessId: this.businessId, userId: this.userId, ...more };
  }

  /** Asks a question, and reads the stream to its end. */
  async ask(input, more) {
    return this.events("/messages", this.question(input, more));
  }

  /** Decides the pending approval, and reads the stream to its end. */
  async decide(action, more = {}) {
    const { approvalId, sha256 } = (await this.state()).pending;
    return this.events("/resume", { approvalId, sha256, action, userId: this.userId, ...more });
  }

  async events(path, body, headers) {
    const response = await this.post(path, body, headers);
    if (response.status !== 200) assert.fail(`${path}: ${response.status} ${await response.text()}`);
    return eventsOf(response);
  }

  /** Returns the error of a request that must fail with this status and code. */
  async error(path, body, status, code, headers) {
    const response = body === undefined ? await this.fetch(path, { headers }) : await this.post(path, body, headers);
    const text = await response.text();
    assert.equal(response.status, status, text);
    const { error } = JSON.parse(text);
    assert.equal(error.code, code, text);
    return error;
  }

  async json(path, init) {
    const response = await this.fetch(path, init);
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  }

  state() {
    return this.json("/state");
  }
}

/** Returns the names of events; an update has the name of its node. */
export const names = (events) => events.map(({ event, data }) => (event === "updates" ? Object.keys(data)[0] : event));

/** Makes a session with films of two businesses. */
export async function films(worker, headers) {
  const session = worker.session(undefined, headers);
  await session.exec("CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT, year INTEGER, business_id TEXT NOT NULL)");
  const rows = [
    ["Alpha", "drama", 1999, "b1"],
    ["Beta", "comedy", 2004, "b1"],
    ["Gamma", "drama", 2010, "b1"],
    ["Delta", "drama", 2011, "b2"],
    ["Epsilon", "horror", 1980, "b2"],
  ];
  for (const row of rows) await session.exec("INSERT INTO films (title, genre, year, business_id) VALUES (?, ?, ?, ?)", row);
  return session;
}
