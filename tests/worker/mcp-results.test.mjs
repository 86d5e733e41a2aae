// Tests of the results of tools: structured content that conforms to the output schema, a text that
// a model can read, values as they are stored, errors that say what to do, cursors that are valid
// only for their list, and an endpoint that only reads.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Worker } from "./harness.mjs";
import { Legacy, Modern, confirmOf, send } from "./mcp-client.mjs";

let worker;
before(async () => (worker = await Worker.start({ persistent: true })));
after(() => worker.stop());

const fresh = (more) => new Modern(worker, { headers: { "x-codemode-session": randomUUID() }, ...more });
const sessionOf = (client) => client.headers["x-codemode-session"];

const THREAD = "results";

/** Calls of every tool that succeed, in an order that makes this possible. */
const CALLS = [
  ["db_create_table", { name: "films", schema: "id INTEGER PRIMARY KEY, title TEXT, year INTEGER" }],
  ["db_create_table", { name: "films", schema: "id INTEGER PRIMARY KEY, title TEXT, year INTEGER" }],
  ["db_batch_insert", { table: "films", records: [{ title: "Heat", year: 1995 }, { title: "a | b\n\"c\"", year: null }] }],
  ["db_exec", { sql: "INSERT INTO films (title) VALUES ('Alien')" }],
  ["db_exec", { sql: "UPDATE films SET year = 1979 WHERE title = 'Alien' RETURNING *" }],
  ["db_query", { sql: "SELECT * FROM films ORDER BY id" }],
  ["db_query", { sql: "SELECT * FROM films ORDER BY id", limit: 1 }],
  ["db_query", { sql: "SELECT * FROM films WHERE 0" }],
  ["db_import", { table: "imported", text: "a,b\n1,x\n2,y\n" }],
  ["db_import", { table: "copied", from: "films" }],
  ["db_save_state", { key: "k", value: { a: [1, null] } }],
  ["db_get_state", { key: "k" }],
  ["db_get_state", { key: "none" }],
  ["db_get_metrics", {}],
  ["db_get_tables", {}],
  ["db_describe_table", { table: "films" }],
  ["db_find_column", { table: "films", semanticName: "title" }],
  ["db_find_column", { table: "films", semanticName: "weight of the moon" }],
  ["tools_search", {}],
  ["tools_search", { query: "nothing of the kind" }],
  ["tools_describe", { server: "db", tool: "query" }],
  ["tools_call", { server: "db", tool: "query", args: { sql: "SELECT 1 AS one" } }],
  ["program_run", { code: "console.log('a'); return { b: [1] }" }],
  ["program_run", { code: "return await helpers.db.query('SELECT * FROM films')" }],
  ["graphql_check", { response: { data: { a: null }, errors: [{ message: "no", path: ["a"] }] } }],
  ["agent_ask", { question: "how tall is the moon?", businessId: "b1", thread: THREAD }],
  ["agent_get_thread", { thread: THREAD }],
  ["db_drop_table", { table: "films" }],
  ["db_drop_table", { table: "films", ifExists: true }],
  ["db_delete_session", {}],
];

/** Calls that fail, each in another way. */
const FAILURES = [
  ["db_query", { sql: "SELEC 1" }],
  ["db_query", { sql: "SELECT * FROM fims" }],
  ["db_query", { sql: "SELECT 1; SELECT 2" }],
  ["db_query", { sql: "DELETE FROM films" }],
  ["db_query", { sql: "SELECT 1", lmit: 5 }],
  ["db_query", { sql: "SELECT 1", cursor: "x" }],
  ["db_query", {}],
  ["db_query", { sql: "SELECT 1", target: "elsewhere" }],
  ["db_exec", { sql: "ATTACH 'x' AS y" }],
  ["db_exec", { sql: "PRAGMA writable_schema = 1" }],
  ["db_exec", { sql: "INSERT INTO films (id) VALUES ('x')" }],
  ["db_batch_insert", { table: "none", records: [{ a: 1 }] }],
  ["db_batch_insert", { table: "films", records: [{ tite: 1 }] }],
  ["db_batch_insert", { table: "films", records: "x" }],
  ["db_create_table", { name: "x", schema: "a, a" }],
  ["db_create_table", { name: "sqlite_x", schema: "a" }],
  ["db_drop_table", { table: "films" }],
  ["db_drop_table", { table: "none" }],
  ["db_import", { table: "x" }],
  ["db_import", { table: "x", text: "a", from: "b" }],
  ["db_import", { table: "x", text: "a,b\n1", format: "xml" }],
  ["db_import", { table: "x", from: "none" }],
  ["db_import", { table: "x", from: "films", onConflict: "never" }],
  ["db_describe_table", { table: "none" }],
  ["db_get_tables", { session: "a b" }],
  ["db_delete_session", { confirm: "x" }],
  ["tools_search", { server: "none" }],
  ["tools_search", { limit: 0 }],
  ["tools_describe", { server: "none", tool: "x" }],
  ["tools_call", { server: "none", tool: "x" }],
  ["tools_call", { server: "db", tool: "quey", args: {} }],
  ["tools_call", { server: "db", tool: "query", args: [] }],
  ["program_run", { code: "return nothing" }],
  ["program_run", { code: "return (" }],
  ["program_run", { code: "throw { odd: true }" }],
  ["program_run", { code: 5 }],
  ["program_run", { code: "" }],
  ["program_run", { code: "return 1", timeoutMs: -1 }],
  ["graphql_check", {}],
  ["agent_ask", { question: "" }],
  ["agent_ask", { question: "how many films are there?", businessId: "b1", thread: "a b" }],
  ["agent_ask", { question: "how many films are there?", target: "elsewhere" }],
  ["agent_get_thread", { thread: "nobody-asked-here" }],
  ["agent_decide", { thread: "nobody-asked-here", approvalId: "x", action: "approved" }],
];

describe("a result", () => {
  test("conforms to the output schema of its tool, and says the same as text", async () => {
    const client = fresh();
    const { tools } = await client.result("tools/list");
    const ajv = new Ajv2020({ strict: false });
    const schemas = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
    const inputs = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.inputSchema)]));
    // agent_decide needs a person: mcp-agent.test.mjs.
    assert.deepEqual(new Set(["agent_decide", ...CALLS.map(([name]) => name)]), new Set(schemas.keys()));
    for (const [name, call] of CALLS) {
      // A removal is refused first; the error has the value that confirms it.
      const isRemoval = name === "db_delete_session" || (name === "db_drop_table" && call.ifExists !== true);
      const args = isRemoval ? { ...call, confirm: confirmOf((await client.failed(name, call)).hint) } : call;
      const what = `${name} ${JSON.stringify(args)}`;
      assert.ok(inputs.get(name)(args), `${what}: ${JSON.stringify(inputs.get(name).errors)}`);
      const result = await client.call(name, args);
      const { structuredContent: structured, content, isError } = result;
      assert.ok(!isError, `${what}: ${JSON.stringify(structured)}`);
      assert.ok(schemas.get(name)(structured), `${what}: ${JSON.stringify([schemas.get(name).errors, structured])}`);
      assert.ok(content.length === 1 && content[0].type === "text" && content[0].text.length > 0, what);
      const hasSession = tools.find((tool) => tool.name === name).inputSchema.properties.session !== undefined;
      if (hasSession) {
        assert.equal(structured.session, sessionOf(client), what);
        assert.ok(content[0].text.includes(sessionOf(client)), `${what}: the text names the session`);
      }
    }
  });

  test("that is an error says what is wrong and what to do", async () => {
    const client = fresh();
    const session = await Legacy.begin(worker, { headers: client.headers });
    const ajv = new Ajv2020({ strict: false });
    const { tools } = await client.result("tools/list");
    const schemas = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
    await client.ok(...CALLS[0]);
    for (const [name, args] of FAILURES) {
      const what = `${name} ${JSON.stringify(args)}`;
      const results = [await client.call(name, args), await session.call(name, args)];
      for (const { isError, structuredContent, content } of results) {
        assert.equal(isError, true, `${what}: ${JSON.stringify(structuredContent)}`);
        const { code, message, hint } = structuredContent.error;
        assert.match(code, /^[A-Z][A-Z_]+$/, what);
        assert.ok(message, what);
        assert.ok(content[0].text.includes(code) && content[0].text.includes(message), `${what}: ${content[0].text}`);
        if (hint) assert.ok(content[0].text.includes(hint), `${what}: ${content[0].text}`);
      }
      if (!/session|program_run|tools_search|tools_describe|tools_call|graphql/.test(name)) {
        const valid = schemas.get(name)(results[0].structuredContent);
        assert.ok(valid || args.session, `${what}: an error conforms, too: ${JSON.stringify([schemas.get(name).errors, results[0].structuredContent])}`);
      }
    }
    assert.deepEqual((await client.ok("db_get_tables")).tables, ["films"]);
  });
});

describe("a value", () => {
  test("is what SQLite has, digit by digit", async () => {
    const client = fresh();
    const sql = "SELECT 9223372036854775807 AS most, -9223372036854775808 AS least, 9007199254740993 AS odd, 9e999 AS much, -9e999 AS little, x'00ff' AS bytes, x'' AS none, NULL AS nil, 0.1 AS tenth, 1e300 AS big, '' AS empty, 'null' AS word, '7' AS digits, 'Infinity' AS name";
    const { text } = await client.request("tools/call", { name: "db_query", arguments: { sql } });
    const rows = /"rows":\s*\[\s*\[(.*?)\]\s*\]\s*,"rowCount"/.exec(text)?.[1];
    assert.ok(rows, text);
    const values = '9223372036854775807,-9223372036854775808,9007199254740993,{"$real":"Infinity"},{"$real":"-Infinity"},{"$blob":"AP8="},{"$blob":""},null,0.1,1e+300,"","null","7","Infinity"';
    assert.equal(rows.replace("1.0e+300", "1e+300").replace("1e300", "1e+300"), values);
    const shown = JSON.parse(text).result.content[0].text.split("\n").at(-1).split(" | ");
    assert.deepEqual([shown[0], shown[7], shown[10], shown[11], shown[12], shown[13]], ["9223372036854775807", "null", '""', '"null"', '"7"', '"Infinity"']);
    const bound = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"db_query","arguments":{"sql":"SELECT ?, ?, ?","params":[9223372036854775807,{"$blob":"AP8="},{"$real":"-Infinity"}]},"_meta":@}}';
    const { body, headers } = client.compose("tools/call", { name: "db_query", arguments: {} });
    const came = await send(worker, "/mcp", bound.replace("@", JSON.stringify(body.params._meta)), headers);
    assert.match(came.text, /"rows":\[\[9223372036854775807,\{"\$blob":"AP8="\},\{"\$real":"-Infinity"\}\]\]/);
  });

  test("of columns with one name is not lost", async () => {
    const { columns, rows } = await fresh().ok("db_query", { sql: "SELECT 1 AS x, 2 AS x, 3 AS X, 4, 4" });
    assert.equal(new Set(columns).size, 5, columns.join());
    assert.deepEqual(rows, [[1, 2, 3, 4, 4]]);
  });

  test("that looks like a table or a frame stays a value", async () => {
    const client = fresh();
    const texts = ["a | b", "a\nb", "a\r\nb", "\n\ndata: {}\n\n", "event: message", ": comment", "\u2028", "\u0000", "null", "true", " a ", '{"a":1}', "```", "</result>", "\u001b[31m", "\u202e"];
    await client.ok("db_create_table", { name: "t", schema: "a" });
    await client.ok("db_batch_insert", { table: "t", records: texts.map((a) => ({ a })) });
    for (const caller of [client, await Legacy.begin(worker, { headers: client.headers })]) {
      const result = await caller.call("db_query", { sql: "SELECT a FROM t ORDER BY rowid" });
      assert.deepEqual(result.structuredContent.rows, texts.map((a) => [a]));
      assert.equal(result.content[0].text.split("\n").length, texts.length + 2, "one line for each row");
      const stream = await caller.open("tools/call", { name: "program_run", arguments: { code: "console.log('x'); await progress(0.5, 'a\\n\\ndata: {}\\n\\n'); return (await helpers.db.query('SELECT a FROM t ORDER BY rowid')).map(({ a }) => a)" }, ...(caller.compose ? {} : { _meta: { progressToken: 1 } }) }, { extra: { progressToken: 1 } });
      assert.deepEqual((await stream.whole()).result.structuredContent.result, texts);
    }
  });
});

describe("a cursor", () => {
  const sql = "SELECT n FROM t ORDER BY n";

  test("leads through all rows, each once", async () => {
    const client = fresh();
    await client.ok("db_exec", { sql: "CREATE TABLE t AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1234) SELECT n FROM c" });
    const seen = [];
    for (let cursor, limit = 100; ; limit = limit === 100 ? 333 : 100) {
      const page = await client.ok("db_query", { sql, limit, ...(cursor && { cursor }) });
      assert.equal(page.rowCount, page.rows.length);
      seen.push(...page.rows.flat());
      assert.equal(page.truncated, page.nextCursor !== undefined);
      if ((cursor = page.nextCursor) === undefined) break;
    }
    assert.deepEqual(seen, Array.from({ length: 1_234 }, (_, at) => at + 1));
  });

  test("of something else is refused", async () => {
    const client = fresh();
    await client.ok("db_exec", { sql: "CREATE TABLE t AS SELECT 1 AS n UNION SELECT 2 UNION SELECT 3" });
    const { nextCursor } = await client.ok("db_query", { sql, limit: 1 });
    const [offset, mark] = nextCursor.split(".");
    const wrong = [
      [{ sql: "SELECT n FROM t", cursor: nextCursor }],
      [{ sql: `${sql} `, cursor: nextCursor }],
      [{ sql, params: [], cursor: nextCursor }],
      [{ sql, target: "persistent", cursor: nextCursor }],
      ...[".", offset, `.${mark}`, `${offset}.`, `-1.${mark}`, `1.5.${mark}`, `x.${mark}`, `${offset}.${mark}x`, `${offset}.${mark.toUpperCase()}A`, `99999999999999999999999.${mark}`, "\u0000", "x".repeat(10_000)].map((cursor) => [{ sql, cursor }]),
    ];
    for (const [args] of wrong) {
      const error = await client.failed("db_query", args);
      assert.equal(error.code, "INVALID_CURSOR", JSON.stringify(args).slice(0, 200));
    }
    for (const far of ["9223372036854775807", "18446744073709551615", "9223372036854775808", "9007199254740993"]) {
      const result = await client.call("db_query", { sql, cursor: `${far}.${mark}` });
      assert.ok(result.isError || result.structuredContent.rows.length === 0, JSON.stringify(result));
    }
    for (const method of ["tools/list", "resources/templates/list", "prompts/list"]) {
      // An empty cursor counts as none, because some hosts send it.
      assert.deepEqual(await client.result(method, { cursor: "" }), await client.result(method), method);
      for (const cursor of [" ", "x", nextCursor]) assert.equal((await client.error(method, { cursor })).code, -32602, `${method} ${cursor}`);
    }
  });
});

describe("the endpoint that only reads", () => {
  const WRITES = [
    "INSERT INTO films VALUES (9)",
    "DELETE FROM films",
    "DELETE FROM films RETURNING *",
    "WITH x AS (SELECT 1) INSERT INTO films SELECT * FROM x",
    "WITH x AS (SELECT 1) DELETE FROM films RETURNING *",
    "DROP TABLE films",
    "CREATE TABLE more (a)",
    "CREATE TEMP TABLE more (a)",
    "ALTER TABLE films RENAME TO gone",
    "PRAGMA user_version = 5",
    "PRAGMA journal_mode",
    "VACUUM",
    "VACUUM INTO 'x'",
    "ATTACH 'x' AS y",
    "BEGIN",
    "REINDEX",
    "ANALYZE",
    "EXPLAIN DELETE FROM films",
    "SELECT 1; DELETE FROM films",
    "SELECT load_extension('x')",
    "SELECT writefile('x', 'y')",
  ];

  test("lists no tool that writes, and knows no other", async () => {
    const client = fresh({ path: "/mcp/readonly" });
    const { tools } = await client.result("tools/list");
    assert.ok(tools.length > 5 && tools.every(({ annotations }) => annotations.readOnlyHint === true));
    const all = await fresh().result("tools/list");
    const others = all.tools.filter(({ name }) => !tools.some((tool) => tool.name === name));
    assert.ok(others.some(({ name }) => name === "program_run") && others.some(({ name }) => name === "tools_call"));
    for (const { name } of others) {
      const error = await client.error("tools/call", { name, arguments: { code: "return 1", sql: "DELETE FROM films", confirm: "films" } });
      assert.equal(error.code, -32602, name);
    }
    for (const { name, annotations } of others) assert.notEqual(annotations.readOnlyHint, true, name);
  });

  test("cannot be made to write by a tool, a resource or a prompt", async () => {
    const client = fresh();
    const name = sessionOf(client);
    await client.ok("db_exec", { sql: "CREATE TABLE films AS SELECT 1 AS n UNION SELECT 2" });
    await client.ok("db_create_table", { name: `kept_${name.slice(0, 8)}`, schema: "a", target: "persistent" });
    await client.ok("db_save_state", { key: "k", value: 1 });
    const dump = async () => (await (await worker.fetch(`/api/codemode/sessions/${name}/dump`)).text()).replaceAll(/^--.*$/gm, "");
    const before = await dump();
    for (const reader of [fresh({ path: "/mcp/readonly", headers: client.headers }), await Legacy.begin(worker, { path: "/mcp/readonly", headers: client.headers })]) {
      for (const sql of WRITES) {
        await reader.failed("db_query", { sql });
        await reader.request("tools/call", { name: "db_query", arguments: { sql, target: "persistent" } });
        await reader.request("prompts/get", { name: "explain_failing_query", arguments: { sql } });
        await reader.request("prompts/get", { name: "analyse_data_set", arguments: { table: `films"; ${sql}; --`, question: sql } });
        await reader.request("resources/read", { uri: `db://${name}/tables/${encodeURIComponent(`films"; ${sql}; --`)}` });
        await reader.request("completion/complete", { ref: { type: "ref/prompt", name: "explain_failing_query" }, argument: { name: "sql", value: sql } });
        await reader.request("tools/call", { name: "db_find_column", arguments: { table: `films"; ${sql}`, semanticName: sql } });
        await reader.request("tools/call", { name: "db_describe_table", arguments: { table: `films"; ${sql}` } });
      }
      await reader.request("tools/call", { name: "graphql_check", arguments: { response: { data: null, errors: Array.from({ length: 100 }, (_, at) => ({ message: "long ".repeat(2_000) + at })) } } });
    }
    assert.equal(await dump(), before);
    assert.deepEqual((await client.ok("db_get_tables", { target: "persistent" })).tables.includes(`kept_${name.slice(0, 8)}`), true);
  });

  test("and tools that say that they only read keep their word everywhere", async () => {
    const short = await Worker.start({ settings: { MCP_MAX_RESULT_TOKENS: "2000" } });
    try {
      const client = new Modern(short, { headers: { "x-codemode-session": "large" } });
      const columns = Array.from({ length: 90 }, (_, at) => `column_number_${at} TEXT`).join(", ");
      await client.ok("program_run", { code: `for (let at = 0; at < 150; at++) await helpers.db.createTable("a_table_with_number_" + at, input);`, input: columns });
      await client.ok("db_save_state", { key: "k", value: "long ".repeat(5_000) });
      const names = async () => (await client.ok("db_query", { sql: "SELECT count(*) FROM sqlite_schema" })).rows[0][0];
      const before = await names();
      const calls = [["db_get_tables", {}], ["db_get_metrics", {}], ["db_describe_table", { table: "a_table_with_number_1" }], ["db_get_state", { key: "k" }], ["db_find_column", { table: "a_table_with_number_1", semanticName: "number" }], ["tools_describe", { server: "db", tool: "batchInsert" }], ["graphql_check", { response: { data: null, errors: Array.from({ length: 100 }, (_, at) => ({ message: "long ".repeat(50) + at })) } }]];
      for (const [tool, args] of calls) {
        await client.call(tool, args);
        assert.equal(await names(), before, `${tool} wrote`);
      }
    } finally {
      await short.stop();
    }
  });
});
