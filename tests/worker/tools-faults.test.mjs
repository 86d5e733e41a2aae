// Tests of servers that fail: safe retries only, time limits, cancellation, responses that are no
// results, and secrets that stay secret.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { WAYS, startBroken } from "../peers/broken.mjs";
import { KINDS, startPeer, until } from "../peers/peer.mjs";
import { events, execute, post, result } from "./program-client.mjs";
import { call, get, getText, PROXY, refusal, send, startWorker } from "./tools-client.mjs";

const LIVE = { accept: "text/event-stream" };
/** Long enough for calls that fail by themselves, including retries. */
const PATIENT_MS = 20_000;
/** Long enough for a result on a busy machine, but not for a call that never gets one. */
const HASTY_MS = 1_000;
/** The tests that run in parallel: they mostly wait, and do not depend on each other. */
const SIDE_BY_SIDE = 6;
const SECRET = "s3cr3t-of-the-publications-server";

describe("repetitions", { concurrency: SIDE_BY_SIDE }, () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer({ era: "legacy" });
    worker = await startWorker({ peer });
    await call(worker, "peer", "echo", { message: "the handshake and the list are done" });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));
  const attempts = (key) => peer.of("tools/call").filter(({ params }) => params.arguments?.key === key).length;

  for (const how of ["429", "503", "drop"]) {
    for (const tool of ["flaky_read", "flaky_repeatable"]) {
      test(`${tool} is repeated twice after ${how}`, async () => {
        const key = randomUUID();
        assert.deepEqual(await call(worker, "peer", tool, { key, failures: 2, how }), { key, answered: true });
        assert.equal(attempts(key), 3);
      });

      test(`${tool} is not repeated a third time after ${how}`, async () => {
        const key = randomUUID();
        const error = await refusal(worker, "peer", tool, { key, failures: 3, how });
        assert.deepEqual([error.status, error.code], [502, "UPSTREAM_FAILED"]);
        assert.equal(error.reason, how === "drop" ? "connection" : "status");
        assert.equal(attempts(key), 3);
      });
    }

    test(`a call that changes something is not repeated after ${how}`, async () => {
      const key = randomUUID();
      const error = await refusal(worker, "peer", "flaky_write", { key, failures: 1, how });
      assert.deepEqual([error.status, error.code], [502, "UPSTREAM_FAILED"]);
      assert.equal(attempts(key), 1);
    });
  }

  test("a server that wants an hour's patience is not waited for", async () => {
    const key = randomUUID();
    const error = await refusal(worker, "peer", "flaky_read", { key, failures: 9, how: "429", retryAfter: "3600" });
    assert.deepEqual([error.code, error.upstreamStatus, error.retryAfterMs], ["UPSTREAM_FAILED", 429, 3_600_000]);
    assert.equal(attempts(key), 1);
  });

  test("a server that wants a second's patience gets it", async () => {
    const key = randomUUID();
    const began = performance.now();
    assert.deepEqual(await call(worker, "peer", "flaky_read", { key, failures: 1, how: "429", retryAfter: "1" }), { key, answered: true });
    assert.ok(performance.now() - began >= 1_000);
    assert.equal(attempts(key), 2);
  });

  test("a list of tools is repeated", async () => {
    const fresh = await startPeer();
    fresh.state.failNext("tools/list", "503", 2);
    const other = await startWorker({ fresh });
    try {
      assert.deepEqual(await call(other, "fresh", "echo", { message: "x" }), { message: "x" });
      assert.equal(fresh.of("tools/list").length, 3);
    } finally {
      await Promise.all([other.stop(), fresh.close()]);
    }
  });

  test("a tool's own failure is not repeated", async () => {
    const before = peer.of("tools/call", "failing").length;
    await refusal(worker, "peer", "failing");
    assert.equal(peer.of("tools/call", "failing").length, before + 1);
  });
});

describe("progress", { concurrency: SIDE_BY_SIDE }, () => {
  for (const [kind, options] of Object.entries(KINDS).filter(([, { answer }]) => answer !== "json")) {
    test(`of a server that is ${kind} is told while the program runs`, async () => {
      const peer = await startPeer(options);
      const worker = await startWorker({ peer });
      try {
        const all = [];
        for await (const one of events(await post(worker, { session: randomUUID(), code: "return await helpers.peer.progress({ steps: 3 })" }, LIVE))) if (one.event) all.push(one);
        const told = all.filter(({ event }) => event === "progress").map(({ data }) => data);
        assert.deepEqual(told.map(({ text }) => /step \d of 3/.exec(text)?.[0]), ["step 1 of 3", "step 2 of 3", "step 3 of 3"]);
        assert.deepEqual(told.map(({ fraction }) => Math.round(fraction * 3)), [1, 2, 3]);
        const names = all.map(({ event }) => event);
        assert.ok(names.lastIndexOf("progress") < names.indexOf("result"), names.join());
        const tool = all.find(({ event }) => event === "call").data;
        assert.deepEqual([tool.server, tool.tool, tool.ok], ["peer", "progress", true]);
      } finally {
        await Promise.all([worker.stop(), peer.close()]);
      }
    });
  }
});

describe("cancellation", { concurrency: SIDE_BY_SIDE }, () => {
  for (const [kind, options] of Object.entries(KINDS)) {
    describe(`with a server that is ${kind}`, () => {
      let peer, worker;
      before(async () => {
        peer = await startPeer(options);
        worker = await startWorker({ peer, hasty: { url: peer.url, timeoutMs: HASTY_MS } });
        await call(worker, "peer", "echo", { message: "warm" });
        await call(worker, "hasty", "echo", { message: "warm" });
      });
      after(() => Promise.all([worker?.stop(), peer?.close()]));

      /**
       * A server without sessions cannot know which call a notification means; it sees that the
       * connection is closed.
       */
      const ends = (key) =>
        until(() => {
          const request = peer.of("tools/call", "slow").find(({ params }) => params.arguments.key === key);
          return options.sessions === false ? request.closed : peer.state.slow.find((one) => one.key === key).cancelled;
        });

      test("a call that takes longer than its server's time limit is ended on both sides", async () => {
        const started = performance.now();
        const error = await refusal(worker, "hasty", "slow", { key: "proxy" });
        assert.deepEqual([error.status, error.code, error.timeoutMs], [504, "UPSTREAM_TIMEOUT", HASTY_MS]);
        assert.ok(performance.now() - started < 10_000);
        await ends("proxy");
      });

      test("a program is told, and goes on", async () => {
        assert.deepEqual(await result(worker, randomUUID(), 'const got = await helpers.hasty.slow({ key: "program" });\nreturn [got.ok, got.error.code]'), [false, "UPSTREAM_TIMEOUT"]);
        await ends("program");
      });

      test("calls that follow are answered", async () => {
        assert.deepEqual(await call(worker, "peer", "echo", { message: "after" }), { message: "after" });
      });
    });
  }

  for (const era of ["legacy", "modern"]) {
    test(`a program that does not wait for its call leaves none behind at a server of the ${era} era`, async () => {
      const peer = await startPeer({ era });
      const worker = await startWorker({ peer });
      try {
        const started = performance.now();
        const run = await execute(worker, randomUUID(), 'helpers.peer.slow({ key: "left" });\nreturn await helpers.peer.echo({ message: "done" })');
        assert.deepEqual([run.success, run.result], [true, { message: "done" }], JSON.stringify(run));
        assert.ok(performance.now() - started < 10_000, "it was waited for no longer than a moment");
        await until(() => peer.state.slow[0]?.cancelled);
      } finally {
        await Promise.all([worker.stop(), peer.close()]);
      }
    });
  }

  test("a listener that goes away ends the program and its call", async () => {
    const peer = await startPeer();
    const worker = await startWorker({ peer });
    try {
      const leaving = new AbortController();
      const response = await post(worker, { session: randomUUID(), code: 'return await helpers.peer.slow({ key: "listener" })', timeoutMs: 60_000 }, LIVE, { signal: leaving.signal });
      const reading = (async () => {
        for await (const one of events(response)) if (one.event === "result") return one;
      })().catch(() => "left");
      const call = await until(() => peer.state.slow[0]);
      leaving.abort();
      assert.equal(await reading, "left");
      // The Worker notices it when it writes the next heartbeat.
      await until(() => call.cancelled, 25_000);
    } finally {
      await Promise.all([worker.stop(), peer.close()]);
    }
  });
});

/** The outcome of each violation of the protocol: [status, code, reason]. */
const OUTCOMES = {
  "invalid JSON": [502, "UPSTREAM_FAILED", "protocol"],
  "no JSON-RPC": [502, "UPSTREAM_FAILED", "protocol"],
  "an empty answer": [502, "UPSTREAM_FAILED", "protocol"],
  "accepted without an answer": [502, "UPSTREAM_FAILED", "protocol"],
  "another type": [502, "UPSTREAM_FAILED", "protocol"],
  "an answer to another question": [502, "UPSTREAM_FAILED", "protocol"],
  "a result without content": [502, "UPSTREAM_FAILED", "protocol"],
  "no UTF-8": [502, "UPSTREAM_FAILED", "protocol"],
  "deep nesting": [502, "UPSTREAM_FAILED", "protocol"],
  "a stream of comments without an end": [504, "UPSTREAM_TIMEOUT", undefined],
  "a stream of notifications without an end": [504, "UPSTREAM_TIMEOUT", undefined],
  "a stream that ends without the answer": [502, "UPSTREAM_FAILED", "connection"],
  "a stream with an event that is no JSON": [502, "UPSTREAM_FAILED", "protocol"],
  "a stream that is one line without an end": [504, "UPSTREAM_TIMEOUT", undefined],
  "a redirect to another host": [502, "UPSTREAM_FAILED", "redirect"],
  "a redirect to itself": [502, "UPSTREAM_FAILED", "redirect"],
  "no access": [502, "UPSTREAM_FAILED", "unauthorized"],
  "no access, with the header in its words": [502, "UPSTREAM_FAILED", "unauthorized"],
  "a page about an error": [502, "UPSTREAM_FAILED", "status"],
  "an answer without length and end": [502, "UPSTREAM_FAILED", "too_large"],
  "an answer that stops in the middle": [502, "UPSTREAM_FAILED", "connection"],
  "headers without a body": [504, "UPSTREAM_TIMEOUT", undefined],
  "a connection that is closed at once": [502, "UPSTREAM_FAILED", "connection"],
  "headers without an end": undefined,
  silence: [504, "UPSTREAM_TIMEOUT", undefined],
};
describe("answers that are none", () => {
  const broken = {};
  let worker;
  const nameOf = (way) => `w${WAYS.indexOf(way)}`;
  before(async () => {
    for (const way of WAYS) {
      broken[way] = await startBroken(way);
      broken[way].timeoutMs = OUTCOMES[way]?.[0] === 504 ? HASTY_MS : PATIENT_MS;
      broken[way].headers = { authorization: "Bearer $PUBS_TOKEN" };
    }
    worker = await startWorker(Object.fromEntries(WAYS.map((way) => [nameOf(way), broken[way]])), { settings: { PUBS_TOKEN: SECRET } });
    // The handshakes and lists of all servers are correct, and must not count towards a time limit
    // of the call.
    for (const way of WAYS) await get(worker, `${PROXY}?server=${nameOf(way)}`);
  });
  after(() => Promise.all([worker?.stop(), ...Object.values(broken).map((server) => server.close())]));

  test("each way has an outcome", () => assert.deepEqual(Object.keys(OUTCOMES).sort(), [...WAYS].sort()));

  const describeCalls = (ways) => () => {
    for (const way of ways) {
      test(`${way}: the proxy`, async () => {
        const { status, text, body } = await send(worker, { server: nameOf(way), tool: "call", args: {} });
        assert.ok(!text.includes(SECRET), "the secret is in the answer");
        assert.ok(text.length < 5_000, `an error of ${text.length} characters`);
        const expected = OUTCOMES[way];
        if (expected === undefined) {
          // Headers may be as long as the platform allows.
          assert.ok(status === 200 || body.error.code === "UPSTREAM_FAILED", text);
          return;
        }
        assert.deepEqual([status, body.error?.code, body.error?.reason], expected, text);
        assert.equal(body.error.server, nameOf(way));
        assert.ok(body.error.message.length > 10);
        if (status === 504 || body.error.reason === "too_large") await until(() => broken[way].calls.filter(({ method }) => method === "tools/call").every(({ closed }) => closed));
      });

      if (OUTCOMES[way] === undefined) continue;
      test(`${way}: a program`, async () => {
        const answer = await execute(worker, randomUUID(), `const got = await helpers.${nameOf(way)}.call({});\nreturn { ok: got.ok, error: got.error }`);
        assert.equal(answer.success, true, JSON.stringify(answer));
        const { ok, error } = answer.result;
        assert.deepEqual([ok, error.code, error.reason], [false, ...OUTCOMES[way].slice(1)]);
        assert.ok(!JSON.stringify(answer).includes(SECRET));
      });
    }
  };
  // Results that fill the memory for results cannot be read in parallel.
  const isLarge = (way) => OUTCOMES[way]?.[2] === "too_large";
  describe("the call", { concurrency: SIDE_BY_SIDE }, describeCalls(WAYS.filter((way) => !isLarge(way))));
  describe("the call, one by one", describeCalls(WAYS.filter(isLarge)));

  test("the host that a redirect leads to was not asked anything", () => {
    for (const way of ["a redirect to another host", "a redirect to itself"]) {
      assert.deepEqual(broken[way].targetCalls, []);
      const asked = broken[way].calls.filter(({ method }) => method === "tools/call").length;
      assert.ok(asked >= 1 && asked <= 2, `${asked} requests for a call by the proxy and one by a program`);
      assert.ok(broken[way].calls.every(({ http }) => http === "POST"), "nothing was asked again with another method");
    }
  });

  test("status of an HTTP failure is passed on", async () => {
    const page = await refusal(worker, nameOf("a page about an error"), "call");
    assert.equal(page.upstreamStatus, 500);
    assert.ok(!page.text.includes("<p>"), "not the page");
    assert.equal((await refusal(worker, nameOf("no access"), "call")).upstreamStatus, 401);
  });

  test("the Worker serves on", async () => {
    assert.equal((await worker.fetch("/health").then((response) => response.json())).success, true);
  });
});

test("a server that is not there is a clear failure", async () => {
  const gone = await startPeer();
  await gone.close();
  const worker = await startWorker({ gone });
  try {
    const error = await refusal(worker, "gone", "echo", { message: "x" });
    assert.deepEqual([error.status, error.code, error.reason], [502, "UPSTREAM_FAILED", "connection"]);
    const run = await execute(worker, randomUUID(), 'const got = await helpers.gone.echo({ message: "x" });\nreturn [got.ok, got.error.code]');
    assert.deepEqual(run.result, [false, "UPSTREAM_FAILED"]);
    const response = await worker.fetch("/api/codemode/tools");
    assert.equal(response.status, 200, "the list of tools is that of the servers that answer");
    await response.body.cancel();
  } finally {
    await worker.stop();
  }
});

describe("secrets", () => {
  let peers, worker;
  const settings = { PUBS_TOKEN: SECRET };
  const headers = { authorization: "Bearer $PUBS_TOKEN", "x-api-key": "$PUBS_TOKEN" };
  before(async () => {
    peers = { old: await startPeer({ era: "legacy" }), modern: await startPeer() };
    worker = await startWorker({ old: { url: peers.old.url, headers }, modern: { url: peers.modern.url, headers } }, { settings });
  });
  after(() => Promise.all([worker?.stop(), ...Object.values(peers ?? {}).map((peer) => peer.close())]));

  test("every request carries the header", async () => {
    for (const [name, peer] of Object.entries(peers)) {
      await call(worker, name, "echo", { message: "x" });
      assert.ok(peer.calls.length >= 2);
      for (const { headers: sent } of peer.calls) assert.deepEqual([sent.authorization, sent["x-api-key"]], [`Bearer ${SECRET}`, SECRET]);
    }
  });

  test("a server that says them back does not get them into an answer", async () => {
    for (const name of ["old", "modern"]) {
      for (const tool of ["secret_echo", "secret_fail"]) {
        const { text } = await send(worker, { server: name, tool, args: {} });
        assert.match(text, /headers/, "the answer itself is there");
        assert.ok(!text.includes(SECRET), `${name}.${tool}: ${text}`);
      }
    }
  });

  test("a program does not find them anywhere", async () => {
    const code = `
      const seen = new Set(), texts = [];
      const look = (value, depth) => {
        if (typeof value === "string") texts.push(value.slice(0, 500));
        if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value) || depth > 5) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) { texts.push(String(key)); try { look(value[key], depth + 1); } catch (error) { texts.push(String(error && error.stack)); } }
        look(Object.getPrototypeOf(value), depth + 1);
      };
      look(globalThis, 0);
      for (const server of ["old", "modern"]) {
        for (const tool of ["secret_echo", "secret_fail"]) {
          for (const returnFormat of [undefined, "raw", "envelope"]) {
            const got = await helpers[server].invoke(tool, {}, { returnFormat });
            look(got, 0);
            texts.push(JSON.stringify(got), JSON.stringify(got.error ?? null));
          }
          try { await helpers[server].invoke(tool, {}, { throwOnError: true }); } catch (error) { look(error, 0); texts.push(String(error.stack), JSON.stringify(error)); }
        }
        console.log(await helpers[server].listTools(), helpers[server]);
      }
      console.log(helpers);
      return [texts.length, texts.join(" ")];`;
    const answer = await execute(worker, randomUUID(), code);
    assert.equal(answer.success, true, JSON.stringify(answer.error));
    assert.ok(!JSON.stringify(answer).includes(SECRET));
  });

  test("neither lists, guidance, sessions nor logs have them", async () => {
    const session = worker.session();
    await call(worker, "old", "secret_echo", {}, { session: session.name, stage: true });
    const texts = [
      JSON.stringify(await get(worker, `${PROXY}?server=old`)),
      JSON.stringify(await get(worker, "/api/codemode/tools?limit=200")),
      await getText(worker, "/api/codemode/prompt"),
      await (await session.fetch("/dump")).text(),
      worker.logs.join("\n"),
    ];
    for (const text of texts) assert.ok(!text.includes(SECRET), text.slice(0, 2_000));
    assert.ok(worker.logs.length > 0);
  });
});

test("a server that wants a token and gets a wrong one is a failure that says what to mend", async () => {
  const { startPublications } = await import("../../demo/servers/publications.mjs");
  const pubs = await startPublications({ token: "the-right-token" });
  const worker = await startWorker({ pubs: { url: pubs.url, headers: { authorization: "Bearer $PUBS_TOKEN" } } }, { settings: { PUBS_TOKEN: "a-wrong-token" } });
  try {
    const error = await refusal(worker, "pubs", "list");
    assert.deepEqual([error.status, error.code, error.reason], [502, "UPSTREAM_FAILED", "unauthorized"]);
    assert.match(error.hint, /MCP_SERVERS/);
    assert.ok(!error.text.includes("a-wrong-token"));
  } finally {
    await Promise.all([worker.stop(), pubs.close()]);
  }
});
