// Tests that hints name things that exist on the surface that shows them: over HTTP a body or a
// request, in a program a function that it can call, over MCP a tool of the endpoint.
//
// Each fault below has a hint that names something. On every surface the names in it are called, or
// looked up if a call would change something.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";
import { Modern } from "./mcp-client.mjs";
import { startPeer } from "../peers/peer.mjs";
import { answer, refusal, startWorker } from "./tools-client.mjs";

const SESSION = "hints";
/** Statements whose hints name an operation or a request. */
const STATEMENTS = [
  "SELECT * FROM no_such_table_at_all",
  "INSERT INTO t VALUES (1, 2)",
  "SELECT row_count()",
  "SHOW TABLES",
  "DESCRIBE t",
  "SHOW COLUMNS FROM t",
  "SHOW INDEX FROM t",
  "SELECT table_name FROM information_schema.tables",
  "SELECT column_name FROM information_schema.columns",
  "PRAGMA table_list",
  "SELECT 1; SELECT 2",
  "BEGIN",
  "INSERT INTO session_state VALUES (1, 2)",
  "LOAD DATA INFILE 'x' INTO TABLE t",
  "COPY t FROM 'x.csv'",
  "SUMMARIZE t",
  "SELECT * EXCLUDE (a) FROM t",
  "DROP INDEX no_such_index",
  `SELECT '${"x".repeat(100_001)}'`,
];

/** The notation of hints for an operation over HTTP, and for a request. */
const OPERATION = /\{"operation":"(\w+)"\}/g;
const REQUEST = /\b(?:GET|POST|PUT|DELETE) (?:\/|…)[^\s,;]*/g;
/** The names of operations, which occur only in rendered text. */
const BARE = /\b(?:exec|getTables|getColumns|hasColumn|describeTable|findColumn|batchInsert|createTable|dropTable|saveState|getState|getMetrics|queryStagedData)\b/;

let worker, http, routes;
before(async () => {
  worker = await Worker.start();
  http = (body) => worker.fetch(`/api/codemode/sessions/${SESSION}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).then((response) => response.json());
  await http({ operation: "createTable", name: "t", schema: "a, b" });
  routes = Object.keys((await (await worker.fetch("/api/openapi.json")).json()).paths);
});
after(() => worker?.stop());

/** Returns the hints of all faults. */
async function hints(ask) {
  const found = [];
  for (const sql of STATEMENTS) {
    const { hint } = await ask(sql);
    assert.equal(typeof hint, "string", `${sql.slice(0, 80)} has no hint`);
    found.push(hint);
  }
  return found;
}

/**
 * Returns the matches of a pattern in all hints. There must be some, or nothing would be tested.
 */
function names(found, pattern, least) {
  const all = new Set(found.flatMap((hint) => [...hint.matchAll(pattern)].map((match) => match[1] ?? match[0])));
  assert.ok(all.size >= least, `${[...all]} in ${found.join("\n")}`);
  return [...all];
}

describe("hints", () => {
  test("name bodies and requests over HTTP", async () => {
    const found = await hints(async (sql) => (await http({ operation: "query", sql })).error);
    for (const operation of names(found, OPERATION, 4)) {
      const { error } = await http({ operation });
      assert.ok(!/operation/.test(error?.message ?? ""), `${operation}: ${JSON.stringify(error)}`);
    }
    for (const request of names(found, REQUEST, 1)) {
      const path = request.replace(/^\w+ /, "").replace("…", "");
      assert.ok(routes.some((route) => route.endsWith(path)), request);
    }
    for (const hint of found) assert.doesNotMatch(hint.replace(OPERATION, ""), BARE);
  });

  test("name what a program can call", async () => {
    const code = `const hints = []; for (const sql of input) { try { await helpers.db.query(sql) } catch (error) { hints.push({ hint: error.hint }) } } return hints`;
    const ran = await (await worker.fetch("/api/codemode/execute", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ session: SESSION, code, input: STATEMENTS }) })).json();
    const told = ran.result;
    let at = 0;
    const found = await hints(async () => told[at++]);
    const called = names(found, /\b((?:helpers\.db|dbSchema)\.\w+)\b/g, 4);
    const kinds = await (await worker.fetch("/api/codemode/execute", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ session: SESSION, code: `return [${called.map((name) => `typeof ${name}`)}]` }) })).json();
    assert.deepEqual(kinds.result, called.map(() => "function"), String(called));
    for (const hint of found) {
      assert.doesNotMatch(hint, /\{"operation"|…\/|db_[a-z]/);
      assert.doesNotMatch(hint.replace(/(helpers\.db|dbSchema)\.\w+/g, ""), BARE);
    }
  });

  for (const path of ["/mcp", "/mcp/database", "/mcp/readonly", "/mcp/code"]) {
    test(`name tools at ${path}`, async () => {
      const client = new Modern(worker, { path, headers: { "x-codemode-session": SESSION } });
      const { tools } = await client.result("tools/list");
      const listed = new Set(tools.map(({ name }) => name));
      const found = await hints((sql) => client.failed("db_query", { sql }));
      for (const name of names(found, /\b((?:db|tools|agent|program|graphql)_\w+)\b(?! of the endpoint)/g, 2)) assert.ok(listed.has(name), `${name} is not listed at ${path}`);
      for (const [, name, other] of found.flatMap((hint) => [...hint.matchAll(/\b(\w+) of the endpoint (\/mcp[\w/]*)/g)])) {
        const there = await new Modern(worker, { path: other, headers: { "x-codemode-session": SESSION } }).result("tools/list");
        assert.ok(there.tools.some((tool) => tool.name === name), `${name} is not listed at ${other}`);
      }
      const written = found[1];
      assert.match(written, { "/mcp/readonly": /db_exec of the endpoint \/mcp/, "/mcp/code": /helpers\.db\.exec in program_run/ }[path] ?? /\bdb_exec\b/);
      for (const hint of found) {
        assert.doesNotMatch(hint, /\{"operation"|…\//);
        if (!listed.has("program_run")) assert.doesNotMatch(hint, /helpers\.|dbSchema/);
        assert.doesNotMatch(hint.replace(/(helpers\.db|dbSchema)\.\w+/g, ""), BARE);
      }
    });
  }

  test("lead from a slip in a program over MCP to what works", async () => {
    const client = new Modern(worker, { headers: { "x-codemode-session": SESSION } });
    const slip = await client.failed("program_run", { code: "return await helpers.db.getTables()" });
    const [, call] = /it is `([\w.]+)`/.exec(slip.hint) ?? [];
    assert.match(call ?? "", /^(dbSchema|helpers\.schema)\.getTables$/, slip.hint);
    const { result } = await client.ok("program_run", { code: `return await ${call}()` });
    assert.deepEqual(result, ["t"]);
    const missing = await client.failed("program_run", { code: "return await helpers.db.query('SELECT * FROM nowhere_to_be_seen')" });
    assert.match(missing.hint, /dbSchema\.getTables/);
    const typed = await client.failed("db_query", { sql: "SELECT * FROM nowhere_to_be_seen" });
    assert.match(typed.hint, /db_get_tables/);
  });

  test("of tables that hold a result lead to its rows, and of tools to what finds them", async () => {
    const peer = await startPeer();
    const own = await startWorker({ peer });
    const headers = { "content-type": "application/json" };
    const run = (code) => own.fetch("/api/codemode/execute", { method: "POST", headers, body: JSON.stringify({ session: SESSION, code }) }).then((response) => response.json());
    try {
      const client = new Modern(own, { headers: { "x-codemode-session": SESSION } });
      const big = { server: "peer", tool: "big", args: { n: 3 } };
      const overHttp = await answer(own, "peer", "big", { n: 3 }, { session: SESSION, stage: true });
      assert.match(overHttp.result.hint, /\{"operation":"query"\}/);
      const { result } = await client.ok("tools_call", { ...big, stage: "true" });
      assert.match(result.hint, /in db_query/);
      assert.doesNotMatch(result.hint, /operation/);
      const { rows } = await client.ok("db_query", { sql: `SELECT count(*) FROM "${result.tables[0].name}"` });
      assert.deepEqual(rows, [[3]]);
      const inProgram = await run(`return (await helpers.peer.big({ n: 3 }, { stage: true })).hint`);
      assert.match(inProgram.result, /in helpers\.db\.query/);

      const slip = { server: "peer", tool: "qqqqqqqqqqqq" };
      assert.match((await client.failed("tools_call", slip)).hint, /^tools_search with server peer lists its tools/);
      assert.match((await refusal(own, "peer", slip.tool)).hint, /^GET \/api\/codemode\/proxy\?server=peer lists its tools/);
      const told = await run(`return (await helpers.peer.${slip.tool}({})).error.hint`);
      assert.match(told.result, /^helpers\.peer\.searchTools\("words"\) lists its tools/);
    } finally {
      await Promise.all([own.stop(), peer.close()]);
    }
  });
});
