// Tests of the requirements of MCP hosts for lists of tools, and of their requests: schemas that
// the APIs of models accept, arguments that hosts add, one type in Accept, and the oldest protocol
// version over Streamable HTTP.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as OldClient } from "@modelcontextprotocol/sdk-2024/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk-2024/client/streamableHttp.js";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { Worker } from "./harness.mjs";
import { Legacy, Modern, modernHeaders, meta, send } from "./mcp-client.mjs";

const PATHS = ["/mcp", "/mcp/compact", "/mcp/readonly", "/mcp/database", "/mcp/code", "/mcp/graph/g", "/mcp/graph/g?readonly=true", "/mcp/code/w", "/mcp/code/w?readonly=true"];
/** The most tokens of one list. */
const LIST_TOKENS = 4_500;
/** Keywords that some API of a model does not accept. */
const REFUSED = ["anyOf", "oneOf", "allOf", "not", "$ref", "const", "additionalProperties", "patternProperties"];

const vocabulary = new Tiktoken(o200k);
let worker;
before(async () => (worker = await Worker.start()));
after(() => worker?.stop());

/** Checks the rules for a schema and all schemas within it. */
function requireRules(where, schema) {
  const kinds = [schema.type].flat();
  assert.ok(kinds.every((kind) => typeof kind === "string"), `${where} has no type`);
  for (const name of REFUSED) assert.ok(!(name in schema), `${where} has ${name}`);
  if (kinds.includes("array")) {
    assert.equal(typeof schema.items, "object", `${where} has no items`);
    requireRules(`${where}[]`, schema.items);
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) requireRules(`${where}.${name}`, member);
}

describe("lists of tools", () => {
  const lists = {};
  before(async () => {
    for (const path of PATHS) lists[path] = (await new Modern(worker, { path }).result("tools/list")).tools;
  });

  test("keep the rules of every host, and describe each argument", () => {
    for (const [path, tools] of Object.entries(lists)) {
      for (const { name, inputSchema, outputSchema } of tools) {
        requireRules(`${path} ${name}`, inputSchema);
        requireRules(`${path} ${name} result`, outputSchema);
        for (const [argument, { type, description }] of Object.entries(inputSchema.properties)) {
          assert.equal(typeof type, "string", `${path} ${name} ${argument} has several types`);
          assert.ok(description?.length > 3, `${path} ${name} ${argument} is not described`);
        }
      }
    }
  });

  test("are short", () => {
    for (const [path, tools] of Object.entries(lists)) {
      const tokens = vocabulary.encode(JSON.stringify(tools), "all").length;
      assert.ok(tokens < LIST_TOKENS, `${path}: ${tokens} tokens`);
    }
  });

  test("are converted by the Python client of Gemini, without loss", () => {
    const script = fileURLToPath(new URL("mcp_genai.py", import.meta.url));
    const ran = spawnSync(process.env.GENAI_PYTHON, [script], { input: JSON.stringify(lists), encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    const converted = JSON.parse(ran.stdout);
    for (const [path, tools] of Object.entries(lists)) {
      assert.equal(Object.keys(converted[path]).length, tools.length);
      for (const { name, inputSchema } of tools) requireSame(`${path} ${name}`, inputSchema, converted[path][name]);
    }
  });
});

/** Checks that a schema of Gemini has the same meaning as ours. */
function requireSame(where, ours, theirs) {
  if (typeof ours.type === "string") assert.equal(theirs.type, ours.type.toUpperCase(), where);
  else assert.deepEqual(theirs.any_of.map(({ type }) => type), ours.type.filter((kind) => kind !== "null").map((kind) => kind.toUpperCase()), where);
  assert.deepEqual(theirs.required ?? [], ours.required ?? [], where);
  assert.deepEqual(theirs.enum, ours.enum, where);
  if (ours.items) requireSame(`${where}[]`, ours.items, theirs.items);
  for (const [name, member] of Object.entries(ours.properties ?? {})) requireSame(`${where}.${name}`, member, theirs.properties[name]);
}

describe("what hosts send", () => {
  let client;
  before(async () => {
    client = new Modern(worker, { headers: { "x-codemode-session": "hosts" } });
    await client.ok("db_create_table", { name: "t", schema: "id INTEGER PRIMARY KEY, a TEXT" });
    await client.ok("db_batch_insert", { table: "t", records: [{ a: "x" }, { a: "y" }, { a: "z" }] });
  });

  for (const [what, tool, args, check] of [
    ["a whole number with a point", "db_query", { sql: "SELECT a FROM t", limit: 2.0 }, ({ rowCount }) => assert.equal(rowCount, 2)],
    ["a whole number as text", "db_query", { sql: "SELECT a FROM t", limit: "2" }, ({ rowCount }) => assert.equal(rowCount, 2)],
    ["no rows", "db_query", { sql: "SELECT a FROM t", limit: 0 }, ({ rows, columns, nextCursor }) => assert.deepEqual([rows, columns, nextCursor], [[], ["a"], undefined])],
    ["empty texts", "db_query", { sql: "SELECT a FROM t", session: "", cursor: "", target: "", params: "" }, ({ rowCount, session }) => assert.deepEqual([rowCount, session], [3, "hosts"])],
    ["values as JSON text", "db_query", { sql: "SELECT a FROM t WHERE id = ?", params: "[2]" }, ({ rows }) => assert.deepEqual(rows, [["y"]])],
    ["values by name", "db_query", { sql: "SELECT a FROM t WHERE id = :id", params: { id: 2 } }, ({ rows }) => assert.deepEqual(rows, [["y"]])],
    ["what Cline adds", "db_get_tables", { task_progress: "- [ ] look" }, ({ tables }) => assert.deepEqual(tables, ["t"])],
    ["what Gemini CLI adds", "db_get_tables", { wait_for_previous: true }, ({ tables }) => assert.deepEqual(tables, ["t"])],
    ["what n8n adds", "db_get_tables", { sessionId: "s", action: "sendMessage", chatInput: "?", toolCallId: "c", tool: "x" }, ({ tables }) => assert.deepEqual(tables, ["t"])],
    ["null as a value", "db_save_state", { key: "k", value: null }, () => {}],
    ["a saved null", "db_get_state", { key: "k" }, ({ value }) => assert.equal(value, null)],
    ["false as text", "tools_call", { server: "db", tool: "query", args: { sql: "SELECT 1 AS one" }, stage: "false" }, ({ result }) => assert.deepEqual(result.results, [{ one: 1 }])],
    ["arguments of a tool as JSON text", "tools_call", { server: "db", tool: "query", args: '{"sql":"SELECT 1 AS one"}' }, ({ result }) => assert.deepEqual(result.results, [{ one: 1 }])],
    ["a text as input, which stays one", "program_run", { code: "return [typeof input, input]", input: "[1]" }, ({ result }) => assert.deepEqual(result, ["string", "[1]"])],
    ["a schema as text or object", "graphql_check", { schema: "type Query { a: Int }", query: "{ a }", variables: "{}" }, ({ valid }) => assert.equal(valid, true)],
  ]) {
    test(`${what} is understood`, async () => check(await client.ok(tool, args)));
  }

  test("other arguments that a tool does not have are errors with the nearest name", async () => {
    for (const [args, hint] of [
      [{ sessionId: "s" }, /session/],
      [{ sesion: "s" }, /did you mean `session`/],
      [{ action: "x" }, /the fields are target, session/],
    ]) {
      const error = await client.failed("db_get_tables", args);
      assert.deepEqual(error.code, "INVALID_ARGUMENT");
      assert.match(error.hint, hint);
    }
  });

  test("a graph and a workspace take the same", async () => {
    const graph = new Modern(worker, { path: "/mcp/graph/hosts" });
    await graph.ok("addNode", { label: "TP53", type: "gene", canonicalId: "", data: '{"chromosome":17}', task_progress: "x" });
    const found = await graph.ok("searchNodes", { query: "TP53", type: "", attribute: "", value: "", limit: 5.0 });
    assert.deepEqual(found.data.map(({ label, data }) => [label, data]), [["TP53", { chromosome: 17 }]]);
    const code = new Modern(worker, { path: "/mcp/code/hosts" });
    const { files } = await code.ok("list_files", { asOf: "0", limit: "3", cursor: "", wait_for_previous: false });
    assert.deepEqual(files, []);
  });

  test("parameters of null are none", async () => {
    const session = await Legacy.begin(worker);
    for (const method of ["ping", "tools/list"]) {
      const { status, message } = await send(worker, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"${method}","params":null}`, session.own);
      assert.deepEqual([status, message.error], [200, undefined], method);
    }
  });
});

describe("addresses and forms", () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "program_run", arguments: { code: "console.log('told'); return 7", session: "forms" }, _meta: meta() } };
  const ask = (path, accept, more = {}) => {
    const { accept: _both, ...headers } = modernHeaders("tools/call", body.params);
    return send(worker, path, body, { ...headers, ...(accept === undefined ? {} : { accept }), ...more });
  };

  test("an address may end with a slash", async () => {
    for (const path of ["/mcp/", "/mcp/compact/", "/mcp/database/"]) {
      const { tools } = await new Modern(worker, { path }).result("tools/list");
      assert.deepEqual(tools, (await new Modern(worker, { path: path.slice(0, -1) }).result("tools/list")).tools);
    }
  });

  for (const [accept, type] of [
    [undefined, "application/json"],
    ["application/json", "application/json"],
    ["application/*;q=0.9", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["text/*", "text/event-stream"],
    ["*/*", /json|event-stream/],
  ]) {
    test(`Accept: ${accept} is served in a type that it allows`, async () => {
      const came = await ask("/mcp", accept);
      assert.equal(came.status, 200, came.text);
      assert.match(came.headers["content-type"], new RegExp(type));
      assert.equal(came.message.result.structuredContent.result, 7);
    });
  }

  test("a type that no response has is refused", async () => {
    for (const accept of ["text/html", "application/json;q=0, text/event-stream;q=0"]) assert.equal((await ask("/mcp", accept)).status, 406);
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: {}, _meta: meta() } };
    assert.equal((await send(worker, "/mcp", listen, { ...modernHeaders("subscriptions/listen"), accept: "application/json" })).status, 406);
  });

  for (const accept of ["application/json", "text/event-stream"]) {
    test(`a session whose client reads ${accept} only works from its handshake on`, async () => {
      const headers = { "content-type": "application/json", accept };
      const params = { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: { name: "one", version: "1" } };
      const begun = await send(worker, "/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
      assert.equal(begun.status, 200, begun.text);
      assert.ok(begun.headers["content-type"].startsWith(accept));
      assert.equal(begun.message.result.protocolVersion, "2025-06-18");
      const own = { ...headers, "mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18" };
      const tool = (name, args) => send(worker, "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }, own);
      const ran = await tool("program_run", { code: "console.log('told'); return 7" });
      assert.ok(ran.headers["content-type"].startsWith(accept));
      assert.equal(ran.message.result.structuredContent.result, 7);
      await tool("db_create_table", { name: "t", schema: "a" });
      if (accept === "application/json") {
        // Such a response cannot ask anybody.
        const dropped = await tool("db_drop_table", { table: "t" });
        assert.equal(dropped.message.result.structuredContent.error.code, "CONFIRMATION_REQUIRED");
      }
      const unknown = await tool("nothing", {});
      assert.ok(unknown.headers["content-type"].startsWith(accept) && unknown.message.error);
    });
  }

  test("a client of 2024-11-05 is answered with its version", async () => {
    const client = new OldClient({ name: "old", version: "1.0.0" }, { capabilities: {} });
    const transport = new OldTransport(new URL(`${worker.url}/mcp`));
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "program_run"));
    const { structuredContent } = await client.callTool({ name: "program_run", arguments: { code: "return 7" } });
    assert.equal(structuredContent.result, 7);
    await client.close();
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const begun = await send(worker, "/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params });
    assert.equal(begun.message.result.protocolVersion, "2024-11-05");
  });
});
