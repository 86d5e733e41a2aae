// Helpers for tests of programs: running one, reading its events, and listing runs.

import assert from "node:assert/strict";
import { createParser } from "eventsource-parser";

export const EXECUTE = "/api/codemode/execute";

/** Sends a program; returns the response of fetch. */
export function post(worker, body, headers = {}, init = {}) {
  return worker.fetch(EXECUTE, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

/** Runs a program and returns its response, which may be a failure. */
export async function execute(worker, session, code, more = {}, headers = {}) {
  const response = await post(worker, { session, code, ...more }, headers);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

/** Returns the result of a program that must succeed. */
export async function result(worker, session, code, more, headers) {
  const answer = await execute(worker, session, code, more, headers);
  assert.equal(answer.success, true, JSON.stringify(answer).slice(0, 2000));
  return answer.result;
}

/** Returns the error of a program that must fail. */
export async function failure(worker, session, code, more, headers) {
  const answer = await execute(worker, session, code, more, headers);
  assert.equal(answer.success, false, JSON.stringify(answer).slice(0, 2000));
  return answer.error;
}

/**
 * Yields the events of a response one by one: {event, data}; comments are {comment}, except the
 * first of a response.
 */
export async function* events(response) {
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type"), /^text\/event-stream/);
  const come = [];
  const parser = createParser({
    onEvent: ({ event, data }) => come.push({ event, data: JSON.parse(data) }),
    onComment: (comment) => comment !== "accepted" && come.push({ comment }),
    onError: (error) => assert.fail(error),
  });
  let end = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(piece);
    end = `${end}${piece}`.slice(-2);
    yield* come.splice(0);
  }
  // The parser would leave out an incomplete event.
  assert.equal(end, "\n\n", "the last event is complete");
}

/** Returns the runs of a session, newest first. */
export async function executions(worker, session, headers = {}, query = "") {
  const response = await worker.fetch(`/api/codemode/sessions/${session}/executions${query}`, { headers });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.executions;
}
