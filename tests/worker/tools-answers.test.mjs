// Tests of the processing of a result, its order, and the checks that precede the call of a tool.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { startPeer } from "../peers/peer.mjs";
import { execute, result } from "./program-client.mjs";
import { call, refusal, startWorker } from "./tools-client.mjs";

let peer, worker;
before(async () => {
  peer = await startPeer();
  worker = await startWorker({ peer });
});
after(() => Promise.all([worker?.stop(), peer?.close()]));

describe("before the call", () => {
  const BODIES = [
    ["a stage that names no table", { session: "answers", stage: "---" }, /name/],
    ["a stage that names no table, without a session", { stage: "---" }, /name/],
    ["a stage that is a number", { session: "answers", stage: 1 }, /stage/],
    ["stage without a session", { stage: true }, /session is missing/],
    ["a named stage without a session", { stage: "papers" }, /session is missing/],
    ["stage of an answer in the server's own form", { session: "answers", stage: true, returnFormat: "raw" }, /staged/],
    ["a form that there is not", { session: "answers", returnFormat: "xml" }, /returnFormat/],
  ];
  let added;
  beforeEach(() => (added = peer.state.added.length));

  for (const [what, fields, words] of BODIES) {
    test(`${what} is refused`, async () => {
      const error = await refusal(worker, "peer", "add", { left: 1, right: 2 }, fields);
      assert.deepEqual([error.status, error.code], [400, "INVALID_ARGUMENT"]);
      assert.match(error.message, words);
      assert.equal(peer.state.added.length, added, "the tool was called");
    });
  }

  for (const [what, options, words] of [
    ["a stage that names no table", '{ stage: "---" }', /name/],
    ["stage of an answer in the server's own form", '{ stage: "kept", raw: true }', /staged/],
    ["an option that there is not", "{ stge: true }", /there is no option stge/],
  ]) {
    test(`${what} is refused to a program, and told on its console`, async () => {
      const run = await execute(worker, randomUUID(), `const got = await helpers.peer.add({ left: 1, right: 2 }, ${options});\nreturn [got.ok, got.error.code, got.error.message]`);
      const [ok, code, message] = run.result;
      assert.deepEqual([ok, code], [false, "INVALID_ARGUMENT"]);
      assert.match(message, words);
      assert.equal(peer.state.added.length, added, "the tool was called");
      assert.ok(run.logs.some(({ level, text }) => level === "error" && text.startsWith("[peer.add] INVALID_ARGUMENT: ") && text.includes(message)), JSON.stringify(run.logs));
    });
  }

  test("the same call without the slip is made", async () => {
    assert.deepEqual(await call(worker, "peer", "add", { left: 1, right: 2 }, { session: randomUUID(), stage: false }), { sum: 3 });
    assert.equal(peer.state.added.length, added + 1);
  });
});

describe("the order", () => {
  const NULL_FIELD = JSON.stringify({ data: { gene: null, rows: Array.from({ length: 1_500 }, (_, id) => ({ id })) }, errors: [{ message: "no such gene", path: ["gene"] }] });

  test("the server's own error comes before the checks of its words", async () => {
    const error = await refusal(worker, "peer", "failing_graphql");
    assert.deepEqual([error.status, error.code, error.nullFields], [422, "UPSTREAM_TOOL_ERROR", undefined]);
    assert.match(error.message, /asleep/);
  });

  test("an answer with a null root field is a failure before it is a table", async () => {
    const session = worker.session();
    for (const stage of [undefined, true, "genes"]) {
      const error = await refusal(worker, "peer", "value", { json: NULL_FIELD }, { session: session.name, stage });
      assert.deepEqual([error.status, error.code, error.nullFields], [422, "GRAPHQL_NULL_DATA", ["gene"]]);
    }
    const got = await result(worker, session.name, `const { ok, error, staged } = await helpers.peer.value({ json: input }, { stage: true });\nreturn [ok, error.code, staged ?? null]`, { input: NULL_FIELD });
    assert.deepEqual(got, [false, "GRAPHQL_NULL_DATA", null]);
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });

  test("the same rows in an answer without nulls are a table", async () => {
    const session = worker.session();
    const receipt = await call(worker, "peer", "value", { json: NULL_FIELD.replace('"gene":null', '"gene":{"id":1}') }, { session: session.name });
    assert.equal(receipt.staged, true);
    assert.ok(receipt.tables.some(({ rows }) => rows === 1_500), JSON.stringify(receipt.tables.map(({ name, rows }) => [name, rows])));
  });
});

describe("on the console of a program", () => {
  test("the text of an answer is printed as the text that it is", async () => {
    const { logs } = await execute(worker, randomUUID(), 'const got = await helpers.peer.text();\nconsole.log(got);\nconsole.log("it says", got, "and no more");\nconsole.log("it says %s.", got);\nconsole.log({ got });');
    assert.deepEqual(logs.map(({ text }) => text), [
      "plain words, no JSON",
      "it says plain words, no JSON and no more",
      "it says plain words, no JSON.",
      '{"got":"plain words, no JSON"}',
    ]);
  });

  test("queryStagedData says that it stopped at 10,000 rows, where nobody asked for a number", async () => {
    const session = worker.session();
    const run = await execute(worker, session.name, `
      const { dataAccessId, tables } = await helpers.peer.big({ n: 10_001 });
      const ask = (options) => helpers.peer.queryStagedData(dataAccessId, \`SELECT id FROM "\${tables[0].name}"\`, [], options);
      const all = await ask();
      const some = await ask({ limit: 5 });
      return [all.length, all.truncated, some.length, some.truncated];`);
    assert.deepEqual(run.result, [10_000, true, 5, true], JSON.stringify(run.error));
    const told = run.logs.filter(({ text }) => text.includes("stopped at"));
    assert.deepEqual(told.map(({ level }) => level), ["warn"], JSON.stringify(run.logs));
    assert.match(told[0].text, /stopped at 10000 rows and there are more/);
  });
});
