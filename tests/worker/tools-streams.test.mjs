// Tests of responses over a real network: streams with other events in them, resumed streams,
// bodies that do not end, and the memory that many of them may hold at the same time.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { answerTo, startPlain } from "../peers/plain.mjs";
import { startResuming } from "../peers/resuming.mjs";
import { until } from "../until.mjs";
import { result } from "./program-client.mjs";
import { call, refusal, startWorker } from "./tools-client.mjs";

const SSE_TYPE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const TEXT_TYPE = { "content-type": "text/plain" };
/** Longer than any call here takes, and much shorter than a server's timeout. */
const SOON_MS = 15_000;
const MIB = 1024 * 1024;

describe("a stream whose connection ends before the answer", () => {
  let peer, worker;
  before(async () => {
    peer = await startResuming();
    worker = await startWorker({ peer });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  for (const tool of ["polled", "cut"]) {
    test(`is taken up again, and the call is made once: ${tool}`, async () => {
      const before = peer.asked.length;
      assert.deepEqual(await call(worker, "peer", tool), { done: tool });
      assert.deepEqual(await call(worker, "peer", tool, {}, { session: randomUUID() }), { done: tool });
      assert.equal(peer.runs.filter((name) => name === tool).length, 2);
      assert.ok(peer.asked.length >= before + 2, `${peer.asked}`);
    });
  }

  test("is taken up again by a program, too", async () => {
    assert.deepEqual(await result(worker, randomUUID(), "return await Promise.all([helpers.peer.polled({}), helpers.peer.cut({})])"), [{ done: "polled" }, { done: "cut" }]);
  });
});

/** A server's response to a call, the outcome, and the number of calls. */
const ANSWERS = {
  "an event of another name in one piece with the answer": {
    answer: ({ id, response }) => {
      response.writeHead(200, SSE_TYPE);
      response.end(`event: heartbeat\ndata: still alive\n\nevent: message\ndata: ${answerTo(id, { fine: true })}\n\n`);
    },
    fine: 1,
  },
  "an event of another name before the answer": {
    answer: async ({ id, response }) => {
      response.writeHead(200, SSE_TYPE);
      response.write("event: ping\ndata: 1700000000\n\ndata: {oh no\n\n");
      await wait(50);
      response.end(`data: ${answerTo(id, { fine: true })}\n\n`);
    },
    fine: 1,
  },
  "a date after which to ask again": {
    answer: ({ id, response, number }) => {
      if (number > 1) {
        response.writeHead(200, JSON_TYPE);
        return response.end(answerTo(id, { fine: true }));
      }
      response.writeHead(429, { ...TEXT_TYPE, "retry-after": new Date(Date.now() + 2_500).toUTCString() });
      return response.end("slow down");
    },
    fine: 2,
    pause_ms: 1_000,
  },
};

describe("answers", () => {
  const peers = {};
  let worker;
  const nameOf = (way) => `a${Object.keys(ANSWERS).indexOf(way)}`;
  before(async () => {
    for (const [way, { answer }] of Object.entries(ANSWERS)) peers[nameOf(way)] = await startPlain(answer);
    worker = await startWorker(peers);
  });
  after(() => Promise.all([worker?.stop(), ...Object.values(peers).map((peer) => peer.close())]));

  for (const [way, { fine, pause_ms }] of Object.entries(ANSWERS)) {
    test(way, async () => {
      const { calls } = peers[nameOf(way)];
      assert.deepEqual(await call(worker, nameOf(way), "read"), { fine: true });
      assert.equal(calls.length, fine);
      if (pause_ms !== undefined) assert.ok(calls[1].at - calls[0].at >= pause_ms, `${calls[1].at - calls[0].at} ms`);
    });
  }
});

describe("failures", () => {
  const peers = {};
  let worker;
  before(async () => {
    peers.hangs = await startPlain(({ response }) => {
      response.writeHead(503, TEXT_TYPE);
      response.write("down for maintenance");
    });
    peers.limits = await startPlain(({ response }) => {
      response.writeHead(429, { ...TEXT_TYPE, "retry-after": "3600" });
      response.end("slow down");
    });
    peers.guards = await startPlain(({ id, response }) => {
      response.writeHead(403, JSON_TYPE);
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "Invalid Host header: example.com" } }));
    });
    worker = await startWorker(peers);
  });
  after(() => Promise.all([worker?.stop(), ...Object.values(peers).map((peer) => peer.close())]));

  test("a status is told although its body does not end", async () => {
    const began = performance.now();
    const error = await refusal(worker, "hangs", "read");
    assert.ok(performance.now() - began < SOON_MS);
    assert.deepEqual([error.code, error.reason, error.upstreamStatus], ["UPSTREAM_FAILED", "status", 503]);
    assert.match(error.message, /down for maintenance/);
    assert.equal(peers.hangs.calls.length, 3, "it may pass");
  });

  test("when to ask again is told", async () => {
    const error = await refusal(worker, "limits", "read");
    assert.deepEqual([error.reason, error.upstreamStatus, error.retryAfterMs], ["status", 429, 3_600_000]);
    assert.match(error.hint, /limits the rate of requests/);
    assert.equal(peers.limits.calls.length, 1);
  });

  test("why access is refused is told in the server's words", async () => {
    const error = await refusal(worker, "guards", "read");
    assert.deepEqual([error.reason, error.upstreamStatus], ["unauthorized", 403]);
    assert.match(error.message, /Invalid Host header: example\.com/);
    assert.match(error.hint, /the origin of the request/);
  });
});

test("a list of very many things that are no tools costs neither time nor a log full of them", async () => {
  const tool = JSON.stringify({ name: "read", inputSchema: { type: "object" } });
  const peer = await startPlain(({ id, response }) => response.end(answerTo(id, {})), `[${tool},${"1,".repeat(2_600_000)}${tool}]`);
  const worker = await startWorker({ peer });
  try {
    const began = performance.now();
    const error = await refusal(worker, "peer", "reed");
    assert.ok(performance.now() - began < SOON_MS, `${performance.now() - began} ms`);
    assert.deepEqual([error.code, error.available], ["TOOL_NOT_FOUND", ["read"]]);
    const told = worker.logs.filter((line) => line.includes("tool"));
    assert.ok(told.length > 0 && told.length < 30, `${told.length} lines`);
  } finally {
    await Promise.all([worker.stop(), peer.close()]);
  }
});

/** Waits until more may be written, or the reader has gone. */
const drained = (response) =>
  new Promise((ready) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      ready();
    };
    if (response.destroyed) ready();
    else response.once("drain", done).once("close", done);
  });

describe("what tenants hold at the same time", () => {
  const settings = { API_TOKENS: JSON.stringify({ "token-of-acme-0123456789": "acme", "token-of-zeta-0123456789": "zeta" }) };
  const as = (tenant) => ({ authorization: `Bearer token-of-${tenant}-0123456789` });
  const holding = {};
  let large, small, worker;
  /**
   * Starts a server with streams of this many bytes followed by silence; `open` counts those that
   * have sent them, or were closed before.
   */
  const startHolding = async (bytes, piece, first = "") => {
    const peer = await startPlain(async ({ response }) => {
      response.writeHead(200, SSE_TYPE);
      response.write(first);
      for (let sent = 0; sent < bytes; sent += piece.length) {
        if (response.destroyed) break;
        if (!response.write(piece)) await drained(response);
      }
      peer.open += 1;
    });
    return Object.assign(peer, { open: 0, timeoutMs: 6_000, tenants: ["acme"] });
  };
  before(async () => {
    holding.comments = await startHolding(20 * MIB, `: ${"x".repeat(65_000)}\n\n`);
    holding.line = await startHolding(20 * MIB, "x".repeat(65_536), "data: ");
    large = await startPlain(({ id, response }) => {
      response.writeHead(200, JSON_TYPE);
      response.end(answerTo(id, "x".repeat(4 * MIB)));
    });
    small = await startPlain(({ id, response }) => {
      response.writeHead(200, JSON_TYPE);
      response.end(answerTo(id, { fine: true }));
    });
    worker = await startWorker({ ...holding, large: { url: large.url, tenants: ["zeta"] }, small }, { settings });
  });
  after(() => Promise.all([worker?.stop(), ...[large, small, ...Object.values(holding)].map((peer) => peer?.close())]));

  for (const [name, outcomes] of [
    ["comments", ["UPSTREAM_TIMEOUT", "UPSTREAM_TIMEOUT"]],
    ["line", ["UPSTREAM_FAILED", "UPSTREAM_TIMEOUT"]],
  ]) {
    test(`streams that hold much starve nobody: ${name}`, async () => {
      const held = [1, 2].map(() => refusal(worker, name, "read", {}, {}, as("acme")));
      await until(() => holding[name].open === 2);
      for (const tenant of ["acme", "zeta"]) assert.deepEqual(await call(worker, "small", "read", {}, {}, as(tenant)), { fine: true });
      const answered = await call(worker, "large", "read", {}, { returnFormat: "raw" }, as("zeta"));
      assert.ok(JSON.stringify(answered).length > 4 * MIB);
      const errors = await Promise.all(held);
      assert.deepEqual(errors.map(({ code }) => code).sort(), outcomes);
      for (const { reason, hint } of errors.filter(({ code }) => code === "UPSTREAM_FAILED")) {
        assert.equal(reason, "busy");
        assert.match(hint, /one after the other/);
      }
      assert.equal(holding[name].calls.length, 2, "nothing was repeated");
    });
  }
});
