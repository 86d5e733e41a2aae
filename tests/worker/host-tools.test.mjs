// Tests of the caller's tools: a program calls them over the live response, and each result is a
// request of its own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../until.mjs";
import { eventsOf } from "./agent-client.mjs";
import { Worker } from "./harness.mjs";

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const FORECAST = { name: "forecast", description: "The weather of tomorrow", inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

/**
 * Runs a program with tools and returns its events. `tools` are functions by name; a call of a tool
 * without a function stays open.
 */
async function run(session, code, tools, more = {}) {
  const body = { session: session.name, code, hostTools: Object.entries(tools).map(([name]) => (name === "forecast" ? FORECAST : { name })), ...more };
  const response = await worker.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", accept: "text/event-stream" } });
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  // The events are read while the calls are answered.
  const [read, watched] = response.body.tee();
  const events = eventsOf({ body: read });
  const responded = respond(session, watched, tools);
  return { events: await events, responded: await responded };
}

async function respond(session, body, tools) {
  const responses = [];
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      if (!block.includes("event: host_call\n")) continue;
      const { executionId, call, tool, args } = JSON.parse(block.split("\n").find((line) => line.startsWith("data: ")).slice(6));
      const end = tools[tool] === undefined ? undefined : tools[tool](args);
      if (end === undefined) continue;
      responses.push(await session.fetch("/host-calls", { method: "POST", body: JSON.stringify({ executionId, call, ...end }), headers: { "content-type": "application/json" } }));
    }
  }
  return responses;
}

const resultOf = (events) => events.find(({ event }) => event === "result" || event === "error").data;

test("a program gets data, tables and failures of tools that its caller runs", async () => {
  const session = worker.session();
  const code = `
    const { degrees } = await helpers.host.forecast({ city: "Rome" });
    const both = await Promise.all([helpers.host.echo({ n: 1 }), helpers.host.echo({ n: 2 })]);
    const large = await helpers.host.rows();
    const [{ n }] = await helpers.db.query("SELECT count(*) AS n FROM " + large.tables[0].name);
    const refused = await helpers.host.forecast({ city: 5 });
    const failed = await helpers.host.fails();
    const nothing = await helpers.host.nothing();
    const { tools } = { tools: await helpers.host.listTools() };
    return { degrees, both: both.map(({ n }) => n), staged: large.staged, n, refused: refused.error.code, failed: failed.error, nothing: nothing.data, listed: tools.map(({ name }) => name) };`;
  const { events, responded } = await run(session, code, {
    forecast: ({ city }) => ({ result: { city, degrees: 21 } }),
    echo: (args) => ({ result: args }),
    rows: () => ({ result: Array.from({ length: 2_000 }, (_, i) => ({ i, text: `row ${i}` })) }),
    fails: () => ({ error: { message: "out of stock" } }),
    nothing: () => ({ result: null }),
  });
  const { success, result, error } = resultOf(events);
  assert.equal(success, true, JSON.stringify(error));
  assert.deepEqual(result, {
    degrees: 21, both: [1, 2], staged: true, n: 2_000, refused: "INVALID_ARGUMENTS", failed: { code: "UPSTREAM_TOOL_ERROR", message: "host.fails: out of stock", server: "host", tool: "fails" },
    nothing: null, listed: ["forecast", "echo", "rows", "fails", "nothing"],
  });
  // The refused call was never sent.
  assert.equal(events.filter(({ event }) => event === "host_call").length, 6);
  for (const response of responded) assert.deepEqual([response.status, await response.json()], [200, { success: true }]);
  assert.deepEqual(events.filter(({ event }) => event === "call").map(({ data }) => `${data.server}.${data.tool} ${data.ok}`).slice(0, 1), ["host.forecast true"]);
});

test("a call that nobody responds to fails in its time, and a late response is told so", async () => {
  const session = worker.session();
  const { events } = await run(session, "const late = await helpers.host.silent(); return late.error;", { silent: () => undefined }, { hostCallTimeoutMs: 50 });
  const { result } = resultOf(events);
  assert.equal(result.code, "UPSTREAM_TIMEOUT");
  assert.match(result.hint, /hostCallTimeoutMs/);
  const { executionId, call } = events.find(({ event }) => event === "host_call").data;
  for (const body of [{ executionId, call, result: 1 }, { executionId: "none", call: 1, result: 1 }]) {
    const late = await session.fetch("/host-calls", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    assert.deepEqual([late.status, (await late.json()).error.code], [404, "CALL_NOT_FOUND"]);
  }
});

test("large arguments wait for the reader or are refused, and calls are numbered from 1", async () => {
  const session = worker.session();
  const code = `
    const sizes = await Promise.all([1, 2, 3, 4].map(() => helpers.host.size({ text: "x".repeat(6e6) })));
    const separated = await helpers.host.size({ text: "a\\u2028b" });
    const refused = await helpers.host.size({ text: "x".repeat(9e6) });
    console.log("still here");
    return { sizes: sizes.map((size) => size.data), separated: separated.data, refused: refused.error.code };`;
  const { events } = await run(session, code, { size: ({ text }) => ({ result: text.length }) });
  const { success, result, error } = resultOf(events);
  assert.equal(success, true, JSON.stringify(error));
  assert.deepEqual(result, { sizes: [6e6, 6e6, 6e6, 6e6], separated: 3, refused: "TOO_BIG" });
  assert.deepEqual(events.filter(({ event }) => event === "host_call").map(({ data }) => data.call), [1, 2, 3, 4, 5]);
});

test("a session that is deleted ends the calls of its programs", async () => {
  const session = worker.session();
  const body = JSON.stringify({ session: session.name, code: "return (await helpers.host.wait()).error.code", hostTools: [{ name: "wait" }] });
  const response = await worker.fetch("/api/codemode/execute", { method: "POST", body, headers: { "content-type": "application/json", accept: "text/event-stream" } });
  let text = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    if (text.length === 0 || !text.includes("event: host_call")) {
      if ((text + piece).includes("event: host_call")) assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
    }
    text += piece;
  }
  assert.match(text, /SESSION_DELETED/);
});

test("another session cannot respond, and the end of the stream ends the run", async () => {
  const session = worker.session();
  const controller = new AbortController();
  const body = JSON.stringify({ session: session.name, code: "await helpers.host.wait(); await helpers.db.exec('CREATE TABLE late (a)');", hostTools: [{ name: "wait" }] });
  const response = await worker.fetch("/api/codemode/execute", { method: "POST", body, headers: { "content-type": "application/json", accept: "text/event-stream" }, signal: controller.signal });
  let text = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) if ((text += piece).includes("event: host_call")) break;
  const { executionId, call } = JSON.parse(/^event: host_call\ndata: (.*)$/m.exec(text)[1]);
  const stranger = worker.session();
  const foreign = await stranger.fetch("/host-calls", { method: "POST", body: JSON.stringify({ executionId, call, result: 1 }), headers: { "content-type": "application/json" } });
  assert.equal(foreign.status, 404);
  controller.abort();
  const ended = await until(async () => {
    const { executions } = await (await session.fetch("/executions")).json();
    return executions.find((execution) => execution.executionId === executionId);
  });
  assert.equal(ended.outcome, "EXECUTION_ABORTED");
  assert.equal((await session.call("query", { sql: "SELECT * FROM late" })).body.error.code, "NO_SUCH_TABLE");
});

test("tools need a stream, and exclude a scope", async () => {
  const session = worker.session();
  const post = async (more, headers = {}) => {
    const response = await worker.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: session.name, code: "1", hostTools: [{ name: "a" }], ...more }), headers: { "content-type": "application/json", ...headers } });
    return [response.status, (await response.json()).error];
  };
  const [status, error] = await post({});
  assert.deepEqual([status, error.code], [400, "INVALID_ARGUMENT"]);
  assert.match(error.hint, /text\/event-stream/);
  const [, scoped] = await post({ scope: { value: "a" } }, { accept: "text/event-stream" });
  assert.match(scoped.message, /exclude each other/);
  const [, named] = await post({ hostTools: [{ name: "no name" }] }, { accept: "text/event-stream" });
  assert.match(named.message, /identifier/);
});
