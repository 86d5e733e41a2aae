// Tests that every route refuses unknown names, with the nearest known one; and that parameters
// which are easily overlooked work.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startPeer } from "../peers/peer.mjs";
import { execute, post, result } from "./program-client.mjs";
import { getText, startWorker } from "./tools-client.mjs";

describe("names that a route does not know", () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer();
    worker = await startWorker({ peer }, { persistent: true });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  const json = { "content-type": "application/json" };
  const refused = async (response, what) => {
    const text = await response.text();
    assert.equal(response.status, 400, `${what} answered ${response.status} ${text.slice(0, 500)}`);
    const body = JSON.parse(text);
    // An MCP client gets refusals as JSON-RPC; the error of other clients is its data.
    const error = body.jsonrpc === "2.0" ? body.error.data : body.error;
    assert.equal(error.code, "INVALID_ARGUMENT", what);
    return error;
  };

  test("a parameter, on every route of the description", async () => {
    const { paths, components } = await (await worker.fetch("/api/openapi.json")).json();
    const whole = (one) => (one.$ref ? components.parameters[one.$ref.split("/").at(-1)] : one);
    let routes = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        if (!["get", "post", "put", "delete"].includes(method)) continue;
        // A link to a page may contain tracking parameters, and the files that a page loads are no
        // API.
        if (path.startsWith("/assets/") || responses["200"]?.content?.["text/html"] !== undefined) continue;
        routes += 1;
        const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === "version" ? "1" : name === "profile" ? "compact" : `unknown-${name.toLowerCase()}`));
        const body = method === "post" || method === "put" ? "{}" : undefined;
        const error = await refused(await worker.fetch(`${url}?zzzz=1`, { method, body, headers: json }), `${method} ${path}`);
        assert.equal(error.message, 'there is no parameter "zzzz"');
        const queries = parameters.map(whole).filter((one) => one.in === "query").map(({ name }) => name);
        for (const name of queries) assert.ok(error.hint.includes(name), `${method} ${path}: ${error.hint}`);
        if (queries.length === 0) assert.equal(error.hint, "there are no parameters here: leave it out");
      }
    }
    assert.ok(routes > 15, `${routes} routes`);
  });

  test("a misspelt parameter is told with the one that was meant", async () => {
    for (const [method, path, near] of [
      ["PUT", "/api/codemode/sessions/a/tables/t/rows?craete=true", "create"],
      ["PUT", "/api/codemode/sessions/a/tables/t/rows?onconflict=ignore", "onConflict"],
      ["GET", "/api/codemode/sessions/a/tables/t/rows?fromat=csv", "format"],
      ["GET", "/api/codemode/sessions/a/executions?limt=5", "limit"],
      ["GET", "/api/codemode/tools?qurey=a", "query"],
      ["GET", "/api/codemode/prompt?sesion=a", "session"],
      ["GET", "/api/codemode/proxy?sever=peer", "server"],
    ]) {
      const { hint } = await refused(await worker.fetch(path, { method, body: method === "PUT" ? "[]" : undefined, headers: json }), path);
      assert.equal(hint, `did you mean \`${near}\`?`);
    }
  });

  test("a field, of every operation and every body", async () => {
    const session = worker.session();
    const operations = {
      exec: { sql: "CREATE TABLE never (a)" }, query: { sql: "SELECT 1" }, batchInsert: { table: "t", records: [] }, createTable: { name: "never", schema: "a" }, saveState: { key: "k", value: 1 }, getState: { key: "k" },
      getMetrics: {}, getColumns: { table: "t" }, hasColumn: { table: "t", column: "a" }, getTables: {}, describeTable: { table: "t" }, findColumn: { table: "t", semanticName: "a" }, queryStagedData: { id: "a", sql: "SELECT 1" },
    };
    for (const [operation, fields] of Object.entries(operations)) {
      for (const target of [undefined, "persistent"]) {
        const error = await session.error(operation, { ...fields, ...(target ? { target } : {}), zzzz: 1 });
        assert.deepEqual([error.status, error.code, error.message], [400, "INVALID_ARGUMENT", 'there is no field "zzzz"'], operation);
      }
    }
    assert.deepEqual((await session.ok("getTables")).tables, [], "nothing was done");
    assert.equal((await session.error("query", { sql: "SELECT 1", limt: 1 })).hint, "did you mean `limit`?");
    assert.equal((await session.error("batchInsert", { table: "t", records: [], onConfict: "ignore" })).hint, "did you mean `onConflict`?");
    const send = (path, body) => worker.fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    for (const [path, body, hint] of [
      [`${session.path}/stream`, { sql: "SELECT 1", parms: [] }, "did you mean `params`?"],
      [`${session.path}/persist`, { table: "t", mod: "append" }, "did you mean `mode`?"],
      [`${session.path}/host-calls`, { executionId: "a", call: 1, reslt: 5 }, "did you mean `result`?"],
      ["/api/codemode/execute", { session: "a", code: "1", timeout: 5 }, "did you mean `timeoutMs`?"],
      ["/api/codemode/execute", { session: "a", code: "1", network: true }, "the fields are session, code, input, timeoutMs, maxResultBytes, reuse, scope, hostTools, hostCallTimeoutMs"],
      ["/api/codemode/execute", { session: "a", code: "1", limits: {} }, "the fields are session, code, input, timeoutMs, maxResultBytes, reuse, scope, hostTools, hostCallTimeoutMs"],
      ["/api/codemode/proxy", { server: "peer", tool: "echo", arg: {} }, "did you mean `args`?"],
      ["/api/codemode/graphql/check", { reponse: {} }, "did you mean `response`?"],
    ]) assert.equal((await refused(await send(path, body), path)).hint, hint);
  });

  test("maxResultBytes makes a table of what is larger", async () => {
    const session = randomUUID();
    const code = "return { text: 'x'.repeat(500), n: 1 }";
    assert.equal((await execute(worker, session, code, { maxResultBytes: 600 })).truncated, undefined);
    const small = await execute(worker, session, code, { maxResultBytes: 100 });
    assert.equal(small.truncated, "staged");
    assert.deepEqual([small.result.rows, small.result.columns], [2, ["key", "value"]]);
    assert.equal((await result(worker, session, `return (await helpers.db.query("SELECT length(value) AS n FROM ${small.result.table} WHERE key = 'text'"))[0].n`)), 500);
    assert.equal((await execute(worker, session, "return 12345", { maxResultBytes: 4 })).truncated, "staged");
    for (const wrong of [0, -1, 1.5, "5", 2 ** 20 + 1]) await refused(await post(worker, { session, code, maxResultBytes: wrong }), `${wrong}`);
  });

  test("the guidance has the name that a host gave its tool, and a short form", async () => {
    assert.match(await getText(worker, "/api/codemode/prompt?tool=run_code"), /with `run_code`:/);
    const short = await getText(worker, "/api/codemode/prompt?tool=run_code&form=short");
    assert.ok(short.length < 1000, `${short.length} characters`);
    assert.match(short, /^`run_code` runs JavaScript/);
    assert.match(short, /Servers: peer\.$/);
    assert.equal(await getText(worker, "/api/codemode/prompt?form=full"), await getText(worker, "/api/codemode/prompt"));
    assert.ok((await getText(worker, "/api/codemode/prompt?session=a&form=short&tool=t")).length < 1000);
    await refused(await worker.fetch("/api/codemode/prompt?form=long"), "form");
    await refused(await worker.fetch("/api/codemode/prompt?tool=a%20b"), "tool");
    await refused(await worker.fetch("/api/codemode/prompt?session=a&tool="), "tool");
  });

  test("of several fences the answer says which ran", async () => {
    const text = "First:\n```js\nreturn 1\n```\nBetter:\n```ts\nconst two: number = 2;\nreturn two\n```\n";
    const answer = await execute(worker, randomUUID(), text);
    assert.deepEqual([answer.result, answer.notice], [2, "the text has 2 code fences with programs: only the longest ran, lines 7 to 8"]);
    assert.equal((await execute(worker, randomUUID(), "```js\nreturn 1\n```\n```sql\nSELECT 1\n```")).notice, undefined);
  });

  test("createTable of what exists, over HTTP and in the persistent database", async () => {
    const session = worker.session();
    for (const target of ["session", "persistent"]) {
      const create = (schema) => session.call("createTable", { name: "papers", schema, target });
      assert.equal((await create("id TEXT PRIMARY KEY, title TEXT")).body.existed, undefined);
      assert.deepEqual((await create("id TEXT PRIMARY KEY, title TEXT")).body, { success: true, rowsWritten: 0, existed: true });
      assert.equal((await create("ID text primary key, \"title\" TEXT")).body.existed, true);
      for (const other of ["id TEXT PRIMARY KEY", "id TEXT, title TEXT", "id TEXT PRIMARY KEY, title INTEGER", "title TEXT, id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY, title TEXT NOT NULL"]) {
        const { status, body } = await create(other);
        assert.deepEqual([status, body.error.code, body.error.existing], [409, "ALREADY_EXISTS", ["id TEXT PRIMARY KEY", "title TEXT"]], `${target}: ${other}`);
        assert.equal(body.error.asked.length, other.split(",").length);
      }
    }
    await session.exec("CREATE VIEW seen AS SELECT 1 AS a");
    assert.equal((await session.error("createTable", { name: "seen", schema: "a" })).code, "ALREADY_EXISTS");
  });
});
