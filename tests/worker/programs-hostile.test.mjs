// Tests of programs that attack: escapes, polluted prototypes, forged calls, floods. Endless work
// in every form is in programs-endless.test.mjs and programs-grammar.test.mjs.
//
// The lists are in tests/sandbox/hostile/. After each program the same Worker has to serve an
// honest one. Programs that cannot be stopped here are in programs-unstoppable.test.mjs.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { HONEST, Hostile, SECRET, programs } from "./hostile-programs.mjs";
import { execute, failure, post, result } from "./program-client.mjs";

const [pollution, escapes, refused] = await Promise.all(["pollution", "escapes", "refused"].map(programs));

const as = HONEST;
let hostile;
let worker;
before(async () => {
  hostile = await Hostile.start();
  worker = hostile.worker;
});
after(() => hostile.stop());

const run = (session, code, more) => hostile.run(session, code, more);
const serves = () => hostile.serves();

describe("escapes", () => {
  for (const { name, code, ends } of escapes) {
    test(`${name} leads nowhere`, async () => {
      const wrapped = `try { return String(await (async () => { ${code} })()) } catch (error) { return error.name }`;
      assert.equal((await run(randomUUID(), wrapped)).result, ends);
    });
  }
  for (const { name, code } of refused) {
    test(`${name} is refused before anything runs`, async () => {
      const answer = await run(randomUUID(), code);
      assert.deepEqual([answer.error?.category, answer.calls], ["compile", []], JSON.stringify(answer));
    });
  }
});

/** A program that uses the usual helpers, and returns their results. */
const PROBE = `
await helpers.db.createTable("t", "id INTEGER PRIMARY KEY, big INTEGER, bytes BLOB, name TEXT");
const inserted = await helpers.db.batchInsert("t", [{ id: 1, name: "one", big: 2n ** 60n, bytes: new Uint8Array([1, 2]) }, { id: 2, name: "two", big: 5, bytes: null }]);
const plain = await helpers.db.batchInsert("t", [{ id: 3, name: "three" }, { id: 4, name: "four" }]);
const rows = await helpers.db.query("SELECT id, big, name FROM t WHERE id < ? ORDER BY id", [3]);
let streamed = 0;
for await (const row of helpers.db.stream("SELECT id FROM t")) streamed += row.id;
await helpers.db.saveState("k", { a: [1, "x"] });
const state = await helpers.db.getState("k");
const failed = await helpers.db.query("SELECT * FROM missing").then(() => "no error", (error) => error.code);
console.log("probe", { a: [1] });
return { inserted: inserted.rowsWritten, plain: plain.rowsWritten, first: rows[0].name, big: rows[0].big, count: rows.length, streamed, state, failed };`;
const SEEN = { inserted: 2, plain: 2, first: "one", big: 1152921504606846976n, count: 2, streamed: 10, state: { a: [1, "x"] }, failed: "NO_SUCH_TABLE" };
const STORED = [["1", "1152921504606846976", "0102", "one"], ["2", "5", null, "two"], ["3", null, null, "three"], ["4", null, null, "four"]];

describe("polluted prototypes and globals", () => {
  let right = 0;
  for (const { name, code, own = [] } of pollution) {
    test(`${name}: the answer is right or a failure`, async () => {
      const session = worker.session(randomUUID(), as);
      const answer = await run(session.name, `${code};${PROBE}`, { timeoutMs: 3_000 });
      // Results that the program's own change of the language affects are left out; `own` names
      // them.
      const without = (seen) => Object.fromEntries(Object.entries(seen).filter(([key]) => !own.includes(key)));
      if (answer.success) {
        assert.deepEqual(without(Object(answer.result)), without(SEEN));
        const { results } = await session.query("SELECT CAST(id AS TEXT), CAST(big AS TEXT), hex(bytes), name FROM t ORDER BY id", [], { rowFormat: "array" });
        if (!own.includes("stored")) assert.deepEqual(results.map(([id, big, bytes, text]) => [id, big, bytes || null, text]), STORED);
        right += 1;
      } else {
        assert.ok(answer.error.code.length > 3, JSON.stringify(answer.error));
      }
      await serves();
    });
  }

  test("most of them change nothing at all", () => assert.ok(right >= pollution.length * 0.7, `${right} of ${pollution.length}`));
});

describe("forged calls", () => {
  const forged = (texts) => `const answers = [];
for (const text of ${texts}) {
  try { answers.push(JSON.parse(await __invokeDB("query", {}, text))) } catch (error) { answers.push({ error: { code: error.name } }) }
}
return answers.map((answer) => answer.success === true ? "success" : answer.error.code);`;

  test("garbage is refused", async () => {
    const texts = ["garbage", "", "{}", "[]", "null", "5", '{"operation":"nope"}', '{"operation":"__proto__"}', '{"operation":5}', '{"operation":"query"}', '{"operation":"query","sql":5}', '{"operation":"query","sql":"SELECT 1"}{"x":1}', '{"operation":"exec","sql":"DROP TABLE _codemode"}', '{"operation":"exec","sql":"DELETE FROM execution_logs"}', '{"operation":"exec","sql":"PRAGMA writable_schema = 1"}', "\0", "{".repeat(100_000)];
    const codes = await result(worker, randomUUID(), forged(JSON.stringify(texts)), {}, as);
    assert.equal(codes.length, texts.length);
    assert.ok(!codes.includes("success") && !codes.includes("INTERNAL"), codes.join());
  });

  test("what is no text never leaves the isolate", async () => {
    const codes = await result(worker, randomUUID(), forged("[5, null, undefined, {}, [], Symbol.iterator, () => 1, 5n]"), {}, as);
    assert.deepEqual(codes, Array(8).fill("TypeError"));
  });

  test("a call cannot name another session or tenant", async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    await result(worker, other, 'await helpers.db.saveState("k", "of the other session")', {}, as);
    await result(worker, mine, 'await helpers.db.saveState("k", "of the other tenant")', {}, { authorization: `Bearer ${SECRET}` });
    const fields = `{"session":"${other}","tenant":"zeta","sessionId":"${other}","object":"zeta/${mine}","headers":{"x-codemode-session":"${other}","x-codemode-tenant":"zeta"}}`;
    const code = `const text = JSON.stringify({ operation: "getState", key: "k", ...${fields} });\nreturn JSON.parse(await __invokeDB("getState", {}, text)).value`;
    assert.equal(await result(worker, mine, code, {}, as), null);
  });

  test("streams that were never opened are not read", async () => {
    const code = `const answers = [];
for (const operation of ["readStream", "closeStream"]) for (const stream of [0, 1, -1, 1e9, "1", null, {}]) answers.push(JSON.parse(await __invokeDB(operation, {}, JSON.stringify({ operation, stream }))));
return answers.filter((answer) => answer.rows).length`;
    assert.equal(await result(worker, randomUUID(), code, {}, as), 0);
  });

  test("5,000 direct calls: 1,000 are answered", async () => {
    const code = `let ok = 0, refused = 0;
await Promise.all(Array.from({ length: 5000 }, async () => { JSON.parse(await __invokeDB("getState", {}, '{"operation":"getState","key":"a"}')).success ? ok++ : refused++ }));
return [ok, refused]`;
    const answer = await execute(worker, randomUUID(), code, {}, as);
    if (answer.success) assert.deepEqual(answer.result, [1000, 4000]);
    else assert.equal(answer.error.code, "CALL_LIMIT", JSON.stringify(answer.error));
    assert.equal(answer.calls.length, 1000);
  });

  test("a hundred streams: eight are open", async () => {
    const code = `const open = [];
for (let i = 0; i < 100; i++) {
  const rows = helpers.db.stream("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100000) SELECT i FROM c");
  try { await rows.next(); open.push(rows) } catch (error) { return [open.length, error.code] }
}`;
    assert.deepEqual(await result(worker, randomUUID(), code, {}, as), [8, "BUSY"]);
  });

  test("a forged report, a forged note and a forged stop reach nobody", async () => {
    const code = `const door = __invokeDB;
for (const name of ["note", "call", "run", "stop", "close", "fetch", "constructor"]) try { await door[name]?.("started", "x") } catch {}
globalThis.__invokeDB = () => ({ success: true, value: "forged" });
return await helpers.db.getState("k")`;
    const answer = await execute(worker, randomUUID(), code, {}, as);
    assert.deepEqual([answer.success, answer.result, answer.calls], [true, "forged", []], "its own door is its own business, and no call is listed");
  });

  test("a helper that was replaced is the program's own, and the next program has the real one", async () => {
    const session = randomUUID();
    assert.equal(await result(worker, session, 'helpers.db.query = async () => "mine";\nreturn await helpers.db.query("SELECT 1 AS one")', {}, as), "mine");
    assert.deepEqual(await result(worker, session, 'return await helpers.db.query("SELECT 1 AS one")', {}, as), [{ one: 1 }]);
  });
});

describe("floods", () => {
  after(serves);

  test("a million logs", async () => {
    const answer = await run(randomUUID(), 'for (let i = 0; i < 1e6; i++) console.log("entry", i);\nreturn "done"');
    assert.deepEqual([answer.result, answer.logs.length], ["done", 201]);
    assert.match(answer.logs[200].text, /^999800 more log entries were dropped/);
  });

  test("a million logs while somebody listens", async () => {
    const response = await post(worker, { session: randomUUID(), code: 'for (let i = 0; i < 1e6; i++) console.log("entry", i);\nreturn "done"' }, { ...as, accept: "text/event-stream" });
    const text = await response.text();
    assert.equal(text.match(/^event: console$/gm).length, 200);
    assert.match(text, /"result":"done"/);
  });

  test("progress without an end", async () => {
    const answer = await run(randomUUID(), 'for (let i = 0; i < 2e5; i++) progress("x".repeat(1000), i / 2e5);\nreturn "done"');
    assert.equal(answer.result, "done");
  });

  const big = '"x".repeat(2 ** 25)';
  test("a text that is longer than any may be", async () => {
    assert.equal((await failure(worker, randomUUID(), `return ${big} + "x"`, {}, as)).name, "RangeError");
  });
  test("the longest text as a result", async () => {
    assert.equal((await failure(worker, randomUUID(), `return ${big}`, {}, as)).code, "RESULT_TOO_LARGE");
  });
  test("the longest text as a log", async () => {
    const { logs } = await run(randomUUID(), `console.log(${big}, { text: ${big} });\nreturn 1`);
    assert.equal(logs.length, 1);
    assert.ok(logs[0].text.length <= 2_100 && logs[0].text.startsWith("xxx"), `${logs[0].text.length}`);
  });
  test("the longest text as a parameter, as a state and as a record", async () => {
    for (const call of [`helpers.db.query("SELECT length(?) AS l", [${big}])`, `helpers.db.saveState("k", ${big})`, `(await helpers.db.createTable("t", "a"), helpers.db.batchInsert("t", [{ a: ${big} }]))`]) {
      const { code, category } = await failure(worker, randomUUID(), `return await ${call}`, {}, as);
      assert.deepEqual([code, category], ["TOO_BIG", "tool"]);
    }
  });
  test("the longest text that is thrown", async () => {
    const error = await failure(worker, randomUUID(), `throw ${big}`, {}, as);
    assert.ok(error.code === "UNCAUGHT_EXCEPTION" && error.message.length < 5_000);
  });
  test("an error with a hundred large fields that is thrown", async () => {
    const error = await failure(worker, randomUUID(), 'const error = new DatabaseError({ code: "X", message: "m" });\nfor (let i = 0; i < 100; i++) error[`field${i}`] = "y".repeat(100_000);\nthrow error', {}, as);
    assert.ok(JSON.stringify(error).length < 100_000);
  });

  test("10,000 promises of calls: the first thousand are answered", async () => {
    const code = `const all = await Promise.allSettled(Array.from({ length: 10000 }, (_, i) => helpers.db.query("SELECT ? AS i", [i])));
const seen = {};
for (const { status, reason } of all) { const key = reason?.code ?? status; seen[key] = (seen[key] ?? 0) + 1 }
return seen`;
    assert.deepEqual(await result(worker, randomUUID(), code, {}, as), { fulfilled: 1000, CALL_LIMIT: 9000 });
  });

  test("10,000 calls that nobody awaits", async () => {
    const answer = await run(randomUUID(), 'for (let i = 0; i < 10000; i++) helpers.db.getState("k").catch(() => {});\nreturn 1');
    assert.equal(answer.success, true);
    assert.ok(answer.calls.length <= 1000 && answer.logs.length === 1);
  });

  test("a hundred thousand rejections that nobody handles", async () => {
    const { code } = await failure(worker, randomUUID(), "for (let i = 0; i < 1e5; i++) Promise.reject(i);\nreturn 1", {}, as);
    assert.equal(code, "UNHANDLED_REJECTION");
  });
});
