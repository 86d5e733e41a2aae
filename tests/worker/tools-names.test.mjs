// Tests of names of tools in programs, servers without tools, empty results, and the information
// that a failed call leaves.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { listen, readJson } from "../../demo/servers/mcp.mjs";
import { execute, failure, result } from "./program-client.mjs";
import { call, getText, refusal, startWorker } from "./tools-client.mjs";

const schema = { type: "object", properties: { zeta: { type: "string" }, alpha: { enum: [{ unit: "m" }, [1, 2], "x"] }, mid: { const: { a: [1] } } }, required: ["zeta"], additionalProperties: { type: "number" } };
const TOOLS = ["list-issues", "get.item", "readFile", "two-words", "two_words", "same-name", "same.name", "silent", "silent-null", "silent-error", "empty", "failing"].map((name) => ({ name, description: `${name} of the test`, inputSchema: name === "list-issues" ? schema : { type: "object" } }));
const RESULTS = {
  silent: "{}",
  "silent-null": '{"content":null,"structuredContent":null}',
  "silent-error": '{"isError":true}',
  empty: '{"content":[]}',
  failing: '{"isError":true,"content":[{"type":"text","text":"no such page"}]}',
};

/** Starts a server with these tools. */
async function startNamed(tools) {
  const { url, close } = await listen(async (request, response) => {
    const { id, method, params } = await readJson(request);
    const fields = method === "tools/list" ? `"ttlMs":3600000,"cacheScope":"public","tools":${JSON.stringify(tools)}` : (RESULTS[params.name] ?? `{"content":[],"structuredContent":{"called":${JSON.stringify(params.name)}}}`).slice(1, -1);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete"${fields === "" ? "" : `,${fields}`}}}`);
  });
  return { url: `${url}/mcp`, close };
}

describe("a server with names of every kind", () => {
  let named, empty, worker;
  before(async () => {
    [named, empty] = await Promise.all([startNamed(TOOLS), startNamed([])]);
    worker = await startWorker({ hub: named, bare: empty });
  });
  after(() => Promise.all([worker?.stop(), named?.close(), empty?.close()]));
  const run = (code) => result(worker, randomUUID(), code);

  test("a tool is reached by its words as a name of JavaScript, where that is unique", async () => {
    const seen = await run(`
      const called = async (answer) => { const { called, error } = await answer; return called ?? error.code };
      return [
        await called(helpers.hub["list-issues"]({ zeta: "a" })), await called(helpers.hub.list_issues({ zeta: "a" })), await called(helpers.hub.listIssues({ zeta: "a" })),
        await called(helpers.hub.get_item()), await called(helpers.hub.getItem()), await called(helpers.hub.readFile()), await called(helpers.hub.read_file()),
        await called(helpers.hub.invoke("listIssues", { zeta: "a" })), await called(helpers.hub.two_words()), await called(helpers.hub["two-words"]()),
        await called(helpers.hub.twoWords()), await called(helpers.hub.same_name()), await called(helpers.hub.listissues()), await called(helpers.hub.ListIssues()),
      ];`);
    assert.deepEqual(seen, ["list-issues", "list-issues", "list-issues", "get.item", "get.item", "readFile", "readFile", "list-issues", "two_words", "two-words", "TOOL_NOT_FOUND", "TOOL_NOT_FOUND", "TOOL_NOT_FOUND", "TOOL_NOT_FOUND"]);
    assert.deepEqual(await call(worker, "hub", "listIssues", { zeta: "a" }), { called: "list-issues" });
  });

  test("invoke takes the entry of a list", async () => {
    const seen = await run(`
      const tools = await helpers.hub.listTools();
      const [found] = await helpers.hub.searchTools("item");
      return [await helpers.hub.invoke(tools[0], { zeta: "a" }), await helpers.hub.invoke(found), (await helpers.hub.getToolSchema(tools[0])).name];`);
    assert.deepEqual(seen, [{ called: "list-issues" }, { called: "get.item" }, "list-issues"]);
    const wrong = await run('return [(await helpers.hub.invoke({})).error.code, (await helpers.hub.invoke({ name: 5 })).error.code]');
    assert.deepEqual(wrong, ["INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
  });

  test("a result without content and structuredContent is a failure of the server", async () => {
    for (const tool of ["silent", "silent-null"]) {
      const error = await refusal(worker, "hub", tool);
      assert.deepEqual([error.status, error.code, error.reason], [502, "UPSTREAM_FAILED", "protocol"]);
      assert.match(error.message, /neither content nor structuredContent/);
    }
    assert.equal((await refusal(worker, "hub", "silent-error")).code, "UPSTREAM_TOOL_ERROR");
    assert.equal(await call(worker, "hub", "empty"), null);
    const seen = await run("const got = await helpers.hub.silent(); return [got.ok, got.error.code]");
    assert.deepEqual(seen, [false, "UPSTREAM_FAILED"]);
  });

  test("a declaration has the values, the order and the other entries of the schema", async () => {
    const { declaration } = await run('return await helpers.describe("hub", "list-issues")');
    assert.match(declaration, /zeta: string; alpha\?: \{ unit: "m" \} \| \[1, 2\] \| "x"; mid\?: \{ a: \[1\] \} \} & \{ \[name: string\]: number \}/);
  });

  test("a server without tools says so", async () => {
    const answer = await execute(worker, randomUUID(), "return [await helpers.bare.listTools(), (await helpers.bare.anything()).error.hint]");
    assert.deepEqual(answer.result, [[], "the server bare has no tools at all"]);
    assert.ok(answer.logs.some(({ level, text }) => level === "warn" && text === "[bare] The server has no tools."), JSON.stringify(answer.logs));
    assert.match(await getText(worker, "/api/codemode/prompt"), /helpers\.bare has no tools/);
  });

  test("a failed answer that is used as data names the call that failed", async () => {
    const mapped = await failure(worker, randomUUID(), "const pages = await helpers.hub.failing();\nreturn pages.map((page) => page.id)");
    assert.equal(mapped.line, 2);
    assert.match(mapped.hint, /`pages` came from helpers\.hub\.failing on line 1: it failed with UPSTREAM_TOOL_ERROR/);
    const stored = await failure(worker, randomUUID(), 'await helpers.db.createTable("t", "id");\nreturn await helpers.db.batchInsert("t", await helpers.hub.failing())');
    assert.equal(stored.message, "the records are the failed result of helpers.hub.failing: UPSTREAM_TOOL_ERROR: hub.failing: no such page");
    const thrown = await failure(worker, randomUUID(), "const a = 1;\nreturn helpers.hub.failing({}, { throwOnError: true })");
    assert.deepEqual([thrown.code, thrown.line], ["UPSTREAM_TOOL_ERROR", 2]);
  });

  test("a server that is not configured is undefined, and the error says which there are", async () => {
    assert.deepEqual(await run("return [typeof helpers.hubb, !!helpers.hubb, 'hubb' in helpers, 'hub' in helpers, typeof helpers.hub]"), ["undefined", false, false, true, "object"]);
    const error = await failure(worker, randomUUID(), "return await helpers.hubb.failing()");
    assert.deepEqual([error.name, error.code], ["TypeError", "SERVER_NOT_FOUND"]);
    assert.equal(error.hint, "there is no server `hubb`: did you mean `helpers.hub`? the servers are hub, bare");
    assert.match((await failure(worker, randomUUID(), "return await helpers.weather.now()")).hint, /the servers are hub, bare$/);
    const bare = await failure(worker, randomUUID(), "return await hub.failing()");
    assert.deepEqual([bare.name, bare.hint], ["ReferenceError", "`hub` is a server: its tools are `helpers.hub.<tool>(args)`"]);
    assert.match((await failure(worker, randomUUID(), "return await codemode.failing()")).hint, /helpers\.<server>\.<tool>\(args\)`, the database is `helpers\.db`; the servers are hub, bare$/);
  });
});
