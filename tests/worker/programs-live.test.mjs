// Tests of programs over HTTP: live events, clients that go away, isolates that are reused or not,
// many at a time, and their records afterwards.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { events, execute, executions, failure, post, result } from "./program-client.mjs";

const LIVE = { accept: "text/event-stream" };
/** The longest time that a program may take, for those that reach the limit of work. */
const PATIENT_MS = 300_000;
/** Waits inside a program until a state is set from outside. */
const UNTIL = (key) => `while ((await helpers.db.getState("${key}")) === null) await new Promise((done) => setTimeout(done, 20));`;

describe("live events", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function listen(code, more = {}) {
    const all = [];
    for await (const one of events(await post(worker, { session: randomUUID(), code, ...more }, LIVE))) if (one.event) all.push(one);
    return all;
  }
  const names = (all) => all.map(({ event }) => event);

  test("a run is told in order, and the result is the answer that a plain request gets", async () => {
    const all = await listen('console.log("hello", { a: 1 });\nawait helpers.db.query("SELECT 1");\nprogress("half", 0.5);\nawait helpers.db.saveState("k", 1);\nreturn { done: true };');
    assert.deepEqual(names(all), ["started", "console", "call", "progress", "call", "result", "done"]);
    const [, log, call, progress, , outcome, done] = all.map(({ data }) => data);
    assert.deepEqual({ ...log, atMs: 0 }, { level: "log", text: 'hello {"a":1}', atMs: 0 });
    assert.deepEqual({ ...call, durationMs: 0 }, { server: "db", tool: "query", ok: true, durationMs: 0 });
    assert.deepEqual(progress, { text: "half", fraction: 0.5 });
    assert.equal(outcome.success, true);
    assert.deepEqual(outcome.result, { done: true });
    assert.equal(outcome.calls.length, 2);
    assert.equal(outcome.logs.length, 1);
    assert.deepEqual(done, { executionId: outcome.executionId });
  });

  test("a failed run ends with error and done", async () => {
    const all = await listen('console.warn("before");\nawait helpers.db.query("SELECT * FROM missing");');
    assert.deepEqual(names(all), ["started", "console", "call", "error", "done"]);
    assert.deepEqual([all[2].data.ok, all[2].data.code], [false, "NO_SUCH_TABLE"]);
    const { data } = all[3];
    assert.deepEqual([data.success, data.error.code, data.error.line], [false, "NO_SUCH_TABLE", 2]);
  });

  test("a program that does not compile never starts", async () => {
    const all = await listen("return (");
    assert.deepEqual(names(all), ["error", "done"]);
    assert.equal(all[0].data.error.code, "COMPILE_ERROR");
  });

  test("a program whose time is up is told as an error", async () => {
    const all = await listen("await new Promise((done) => setTimeout(done, 60000))", { timeoutMs: 2_000 });
    assert.deepEqual(names(all), ["started", "error", "done"]);
    assert.equal(all[1].data.error.code, "EXECUTION_TIMEOUT");
  });

  test("a body that is wrong is an ordinary answer", async () => {
    const response = await post(worker, { session: "s" }, LIVE);
    assert.equal(response.status, 400);
    assert.equal((await response.json()).error.code, "INVALID_ARGUMENT");
  });

  test("events arrive while the program still runs", async () => {
    const session = worker.session();
    const response = await post(worker, { session: session.name, code: `console.log("waiting");\nprogress("waiting", 0.1);\n${UNTIL("go")}\nreturn await helpers.db.getState("go")` }, LIVE);
    const seen = [];
    for await (const { event, data } of events(response)) {
      if (event) seen.push(event);
      // The program ends only because it waits for this request itself.
      if (event === "progress") await session.ok("saveState", { key: "go", value: "now" });
      if (event === "result") assert.equal(data.result, "now");
    }
    assert.ok(seen.indexOf("progress") < seen.indexOf("result"), seen.join());
    assert.deepEqual(seen.filter((event) => event !== "call"), ["started", "console", "progress", "result", "done"]);
  });

  test("an answer that is silent for long has comments in it", async () => {
    const session = worker.session();
    const response = await post(worker, { session: session.name, code: "await new Promise((done) => setTimeout(done, 110000))", timeoutMs: 120_000 }, LIVE);
    let told = false;
    for await (const { event, comment } of events(response)) {
      told ||= comment === "still running";
      // The reader goes away once it has the event; otherwise the program would end first.
      if (told || event === "result") break;
    }
    assert.ok(told);
  });

  test("a client that goes away ends the program", async () => {
    const session = worker.session();
    const leaving = new AbortController();
    const response = await post(worker, { session: session.name, code: UNTIL("never"), timeoutMs: 120_000 }, LIVE, { signal: leaving.signal });
    for await (const { event } of events(response)) if (event === "call") break;
    leaving.abort();
    const [run] = await until(async () => {
      const runs = await executions(worker, session.name);
      return runs.length > 0 && runs;
    });
    assert.equal(run.outcome, "EXECUTION_ABORTED");
    assert.ok(run.calls >= 1);
    assert.ok(run.durationMs < 60_000);
  });
});

describe("isolates", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } })));
  after(() => worker.stop());
  const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
  const COUNT = "globalThis.count = (globalThis.count ?? 0) + 1;\nreturn globalThis.count";

  test("a fresh isolate knows nothing of the run before", async () => {
    const session = randomUUID();
    const seen = [];
    for (let run = 0; run < 3; run++) seen.push(await result(worker, session, COUNT, {}, as("acme")));
    assert.deepEqual(seen, [1, 1, 1]);
  });

  test("a kept isolate has the globals of equal code in its session, and of nothing else", async () => {
    const session = randomUUID();
    const kept = (name, tenant, code = COUNT) => result(worker, name, code, { reuse: true }, as(tenant));
    assert.deepEqual([await kept(session, "acme"), await kept(session, "acme"), await kept(session, "acme")], [1, 2, 3]);
    assert.equal(await kept(randomUUID(), "acme"), 1, "another session");
    assert.equal(await kept(session, "zeta"), 1, "the same name of another tenant");
    assert.equal(await kept(session, "acme", `${COUNT} // other code`), 1, "other code");
    assert.equal(await result(worker, session, COUNT, {}, as("acme")), 1, "a run that does not ask for it");
    assert.equal(await kept(session, "acme"), 4);
  });

  test("a kept isolate gets the input, the time and the log of each run", async () => {
    const session = randomUUID();
    const code = "console.log(input);\nreturn input";
    for (const input of [1, { two: 2 }, null]) {
      const answer = await execute(worker, session, code, { reuse: true, input }, as("acme"));
      assert.deepEqual([answer.result, answer.logs.length], [input, 1]);
    }
  });

  test("a kept isolate whose run failed is not used again", async () => {
    const session = randomUUID();
    const code = "globalThis.count = (globalThis.count ?? 0) + 1;\nif (input) throw new Error('stop');\nreturn globalThis.count";
    const run = (input) => execute(worker, session, code, { reuse: true, input }, as("acme"));
    assert.equal((await run(false)).result, 1);
    assert.equal((await run(true)).success, false);
    assert.equal((await run(false)).result, 1);
  });

  test("runs of a kept isolate at the same time do not share it", async () => {
    const session = randomUUID();
    const code = "globalThis.inside = (globalThis.inside ?? 0) + 1;\nawait new Promise((done) => setTimeout(done, 100));\nconst seen = globalThis.inside;\nglobalThis.inside -= 1;\nreturn seen";
    const seen = await Promise.all([1, 2, 3].map(() => result(worker, session, code, { reuse: true }, as("acme"))));
    assert.deepEqual(seen, [1, 1, 1]);
  });

  test("what a run left in a kept isolate does not reach into the next", async () => {
    const session = randomUUID();
    // The effect of the timer during its own run is not checked, because it depends on the speed of
    // the machine.
    const code = `
      const run = (globalThis.runs = (globalThis.runs ?? 0) + 1);
      const late = () => { if (globalThis.runs > 1) { console.log("late"); helpers.db.saveState("late", 1).catch(() => {}); } };
      if (run === 1) { setTimeout(late, 100); setInterval(late, 20); }
      else await new Promise((done) => setTimeout(done, 200));
      return [run, await helpers.db.getState("late")];`;
    assert.deepEqual(await result(worker, session, code, { reuse: true }, as("acme")), [1, null]);
    const next = await execute(worker, session, code, { reuse: true }, as("acme"));
    assert.deepEqual([next.result, next.logs], [[2, null], []]);
  });

  test("tenants do not see each other's runs or tables", async () => {
    const session = randomUUID();
    await result(worker, session, 'await helpers.db.saveState("secret", "of acme")', {}, as("acme"));
    assert.equal(await result(worker, session, 'return await helpers.db.getState("secret")', {}, as("zeta")), null);
    assert.equal((await executions(worker, session, as("acme"))).length, 1);
    assert.equal((await executions(worker, session, as("zeta"))).length, 1);
    assert.equal((await post(worker, { session, code: "return 1" })).status, 401);
  });

  test("no answer holds a token, whatever a program looks at", async () => {
    const code = `
      const seen = new Set();
      const texts = [];
      const look = (value, depth) => {
        if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value) || depth > 5) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          try {
            texts.push(String(key));
            const item = value[key];
            if (typeof item === "string") texts.push(item.slice(0, 500));
            look(item, depth + 1);
          } catch (error) { texts.push(String(error && error.stack)); }
        }
        look(Object.getPrototypeOf(value), depth + 1);
      };
      look(globalThis, 0);
      const metrics = await helpers.db.getMetrics();
      return [texts.length, texts.join(" "), metrics];
    `;
    const answer = await execute(worker, randomUUID(), code, {}, as("acme"));
    assert.equal(answer.success, true, JSON.stringify(answer.error));
    const [count, , metrics] = answer.result.table ? [1001] : answer.result;
    assert.ok(count > 1000 && (metrics === undefined || metrics.success));
    const text = JSON.stringify(answer);
    for (const token of Object.values(TOKENS)) assert.ok(!text.includes(token));
    assert.ok(!/API_TOKENS|CODEMODE_DB|LOADER/.test(text));
  });
});

describe("many programs", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("more programs than an object may run at a time all answer", async () => {
    const session = randomUUID();
    const code = 'await new Promise((done) => setTimeout(done, 100));\nawait helpers.db.exec("INSERT INTO seen (n) VALUES (?)", [input]);\nreturn input';
    await result(worker, session, 'await helpers.db.createTable("seen", "n INTEGER PRIMARY KEY")');
    const all = await Promise.all(Array.from({ length: 25 }, (_, input) => result(worker, session, code, { input })));
    assert.deepEqual(all, Array.from({ length: 25 }, (_, n) => n));
    assert.deepEqual(await result(worker, session, 'return await helpers.db.query("SELECT count(*) AS n FROM seen")'), [{ n: 25 }]);
  });

  test("a program that loops without an end holds up the next of its session only as long as it runs", async () => {
    const session = randomUUID();
    const [endless, next] = await Promise.all([failure(worker, session, "while(true){}", { timeoutMs: PATIENT_MS }), result(worker, session, "return 1")]);
    assert.deepEqual([endless.code, next], ["EXECUTION_LIMIT", 1]);
  });

  test("the clock of a program stands still while the host works", async () => {
    const session = worker.session();
    // Measured first without a limit, so that the case works on a machine of any speed.
    const code = "const start = Date.now();\nfor (let i = 0; i < 3; i++) await helpers.db.query(input);\nreturn Date.now() - start";
    const heavy = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 900000) SELECT count(*) AS n, sum(i % 7) AS s FROM c";
    const tookMs = await result(worker, session.name, code, { input: heavy });
    const timeoutMs = Math.max(1, Math.floor(tookMs / 3));
    // Delays of the machine count as the program's time. A clock that was not paused would end
    // every run.
    const again = [];
    while (again.length < 5 && !again.at(-1)?.success) again.push(await execute(worker, session.name, code, { input: heavy, timeoutMs }));
    assert.equal(again.at(-1).success, true, `${tookMs} ms, limit ${timeoutMs} ms: ${JSON.stringify(again.map(({ error }) => error))}`);
    assert.equal((await failure(worker, session.name, "const end = Date.now() + 60000;\nwhile (Date.now() < end) await null;", { timeoutMs: 200 })).code, "EXECUTION_TIMEOUT");
  });

  test("a session that is deleted during a run takes the run with it", async () => {
    const session = worker.session();
    const running = post(worker, { session: session.name, code: 'await helpers.db.createTable("t", "a");\nawait helpers.db.saveState("ready", 1);\nfor (;;) {\n  await helpers.db.query("SELECT * FROM t");\n  await new Promise((done) => setTimeout(done, 20));\n}', timeoutMs: 20_000 });
    await until(async () => (await session.ok("getState", { key: "ready" })).value === 1);
    assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
    const response = await running;
    const body = await response.json();
    assert.equal(body.success, false);
    assert.equal(body.error.code, "SESSION_DELETED");
    assert.match(body.error.message, /deleted/);
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });

  test("a session that is deleted while a stream of the run is open ends the run, too", async () => {
    const session = worker.session();
    const code = 'await helpers.db.exec("CREATE TABLE t AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 50000) SELECT i FROM c");\nconst rows = helpers.db.stream("SELECT i FROM t");\nawait rows.next();\nawait helpers.db.saveState("ready", 1);\nfor (;;) {\n  await rows.next();\n  await new Promise((done) => setTimeout(done, 1));\n}';
    const running = post(worker, { session: session.name, code, timeoutMs: 20_000 });
    await until(async () => (await session.ok("getState", { key: "ready" })).value === 1);
    assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
    assert.equal((await (await running).json()).error.code, "SESSION_DELETED");
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });

  test("programs that ran are listed, newest first, with what became of them", async () => {
    const session = randomUUID();
    // The console output and the failure of each run stay with that run.
    const sent = ['console.log("a", 1);\nawait helpers.db.getState("a");\nawait helpers.db.getState("b");\nconsole.warn({ b: 2 });', "console.log('before');\nthrow new Error('x')", "return (", "while(true){}"];
    const ids = [];
    for (const code of sent) ids.unshift((await execute(worker, session, code, { timeoutMs: PATIENT_MS })).executionId);
    const runs = await executions(worker, session);
    assert.deepEqual(runs.map(({ executionId }) => executionId), ids);
    assert.deepEqual(runs.map(({ outcome, calls }) => [outcome, calls]), [["EXECUTION_LIMIT", 0], ["COMPILE_ERROR", 0], ["UNCAUGHT_EXCEPTION", 0], ["OK", 2]]);
    for (const run of runs) {
      assert.deepEqual(Object.keys(run).sort(), ["calls", "durationMs", "endedAt", ...(run.outcome === "OK" ? [] : ["error"]), "executionId", "logs", "outcome"]);
      assert.ok(Math.abs(Date.now() - Date.parse(run.endedAt)) < 120_000 && run.durationMs >= 0);
    }
    const [, compile, thrown, ok] = runs;
    assert.deepEqual(ok.logs.map(({ level, text }) => [level, text]), [["log", "a 1"], ["warn", '{"b":2}']]);
    assert.deepEqual(thrown.logs.map(({ text }) => text), ["before"]);
    assert.deepEqual(thrown.error, { code: "UNCAUGHT_EXCEPTION", name: "Error", message: "x", line: 2, column: 7 });
    assert.deepEqual([compile.error.code, compile.error.line, compile.logs], ["COMPILE_ERROR", 1, []]);
    assert.deepEqual((await executions(worker, session, {}, "?limit=2")).map(({ executionId }) => executionId), ids.slice(0, 2));
    const wrong = await worker.fetch(`/api/codemode/sessions/${session}/executions?limit=0`);
    assert.deepEqual([wrong.status, (await wrong.json()).error.code], [400, "INVALID_ARGUMENT"]);
    const logged = await result(worker, session, "return (await helpers.db.getMetrics()).executionLogs.length");
    assert.ok(logged >= 4, `${logged} entries`);
  });

  test("a run that writes a lot keeps the end of it", async () => {
    const session = randomUUID();
    const { logs } = await execute(worker, session, "for (let i = 0; i < 150; i += 1) console.log(i);");
    const [run] = await executions(worker, session);
    assert.deepEqual(run.logs, logs.slice(-50));
    assert.equal(run.logsLeftOut, 100);
  });

  test("executions outlive the process", async () => {
    const own = await Worker.start();
    try {
      const session = randomUUID();
      const { executionId } = await execute(own, session, "return 1");
      assert.equal((await executions(own, session)).length, 1);
      await own.stop({ keep: true });
      const next = await Worker.start({ folder: own.folder });
      try {
        assert.deepEqual((await executions(next, session)).map((run) => run.executionId), [executionId]);
      } finally {
        await next.stop({ keep: true });
      }
    } finally {
      await own.stop();
    }
  });
});

describe("requests", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  const wrong = [
    ["no JSON", "{", "INVALID_BODY"],
    ["no object", "[]", "INVALID_BODY"],
    ["no session", { code: "return 1" }, "INVALID_ARGUMENT"],
    ["a session that is no text", { session: 5, code: "return 1" }, "INVALID_ARGUMENT"],
    ["a session with a name that cannot be one", { session: "a/b", code: "return 1" }, "INVALID_ARGUMENT"],
    ["an empty session", { session: "", code: "return 1" }, "INVALID_ARGUMENT"],
    ["no code", { session: "s" }, "INVALID_ARGUMENT"],
    ["code that is no text", { session: "s", code: ["return 1"] }, "INVALID_ARGUMENT"],
    ["empty code", { session: "s", code: " \n" }, "INVALID_ARGUMENT"],
    ["no time", { session: "s", code: "return 1", timeoutMs: 0 }, "INVALID_ARGUMENT"],
    ["too much time", { session: "s", code: "return 1", timeoutMs: 300_001 }, "INVALID_ARGUMENT"],
    ["half a millisecond", { session: "s", code: "return 1", timeoutMs: 1.5 }, "INVALID_ARGUMENT"],
    ["a time that is a text", { session: "s", code: "return 1", timeoutMs: "1000" }, "INVALID_ARGUMENT"],
    ["reuse that is a text", { session: "s", code: "return 1", reuse: "true" }, "INVALID_ARGUMENT"],
  ];
  for (const [name, body, code] of wrong) {
    test(`${name} is refused`, async () => {
      const response = await post(worker, body);
      const answer = await response.json();
      assert.deepEqual([response.status, answer.success, answer.error.code], [400, false, code], JSON.stringify(answer));
      assert.ok(answer.error.message.length > 5);
    });
  }

  test("nulls are no error", async () => {
    assert.equal(await result(worker, "s", "return input", { timeoutMs: null, reuse: null, input: { a: [1] } }).then(({ a }) => a[0]), 1);
    assert.equal(await result(worker, "s", "return 1", { timeoutMs: 300_000 }), 1);
  });

  test("other methods are refused", async () => {
    assert.equal((await worker.fetch("/api/codemode/execute")).status, 405);
  });

  test("without the loader, execute says how to enable it and the helpers are still served", async () => {
    const without = await Worker.start({ loader: false });
    try {
      const response = await post(without, { session: "s", code: "return 1" });
      const { error } = await response.json();
      assert.deepEqual([response.status, error.code], [501, "SANDBOX_UNAVAILABLE"]);
      assert.match(`${error.message} ${error.hint}`, /worker_loaders/);
      const live = await post(without, { session: "s", code: "return 1" }, LIVE);
      assert.equal(live.status, 501);
      const helpers = await without.fetch("/api/codemode/helpers.js");
      assert.equal(helpers.status, 200);
      assert.match(await helpers.text(), /__invokeDB/);
    } finally {
      await without.stop();
    }
  });

  test("the guidance names the rules, the API and the tables, within 4,000 tokens of four characters", async () => {
    const session = randomUUID();
    const fetchPrompt = async (query) => {
      const response = await worker.fetch(`/api/codemode/prompt${query}`);
      assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/markdown; charset=utf-8"]);
      const text = await response.text();
      assert.ok(text.length / 4 <= 4000, `${text.length / 4} tokens`);
      return text;
    };
    const plain = await fetchPrompt("");
    for (const word of ["100 records", "1,000 rows", "batchInsert", "saveState", "dbSchema", "helpers.db.stream", "getSafeColumnName"]) assert.ok(plain.includes(word), word);
    await result(worker, session, 'await helpers.db.createTable("papers", "pmid TEXT PRIMARY KEY, title TEXT");\nawait helpers.db.batchInsert("papers", [{ pmid: "1", title: "a" }]);');
    const named = await fetchPrompt(`?session=${session}`);
    assert.ok(named.includes("papers") && named.includes("pmid TEXT") && named.includes("1 rows"), named.slice(-300));
    await result(worker, session, 'for (let i = 0; i < 300; i++) await helpers.db.createTable(`table_with_a_long_name_${i}`, "first_column TEXT, second_column TEXT");');
    const full = await fetchPrompt(`?session=${session}`);
    assert.match(full, /more/);
    const bad = await worker.fetch("/api/codemode/prompt?session=a%2Fb");
    assert.deepEqual([bad.status, (await bad.json()).error.code], [400, "INVALID_ARGUMENT"]);
  });

  test("every program that the guidance shows compiles", async () => {
    const text = await (await worker.fetch("/api/codemode/prompt")).text();
    const programs = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
    assert.ok(programs.length >= 3);
    for (const code of programs) {
      const answer = await execute(worker, randomUUID(), code);
      assert.notEqual(answer.error?.category, "compile", `${code}\n${JSON.stringify(answer.error)}`);
    }
  });
});
