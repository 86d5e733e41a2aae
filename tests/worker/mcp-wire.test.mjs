// Tests of requests to /mcp that no client should send: each gets the status and the code that the
// specification requires, none a 5xx, none hangs, and the Worker still serves afterwards. Every
// response is validated with the published schema of its version.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { random } from "../random.mjs";
import { Worker } from "./harness.mjs";
import { LEGACY, Legacy, MODERN, Modern, TYPES, headerValue, meta, modernHeaders, send, validate } from "./mcp-client.mjs";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;
const MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
const UNSUPPORTED_VERSION = -32022;

const request = (method, params = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta() } });
const list = request("tools/list");
const LIST_HEADERS = modernHeaders("tools/list");
const without = (headers, name) => Object.fromEntries(Object.entries(headers).filter(([known]) => known !== name));
const nested = (levels) => "[".repeat(levels) + "]".repeat(levels);
/** The levels of nesting that make a megabyte of brackets. */
const MEGABYTE = 524_288;

describe("the wire", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());
  afterEach(async () => {
    const { tables } = await new Modern(worker).ok("db_get_tables", { session: "alive" });
    assert.deepEqual(tables, []);
  });

  /** Sends a request, and expects a refusal with this status and code. */
  async function refused(status, code, body, headers = LIST_HEADERS, { path = "/mcp", version = MODERN, method = "POST" } = {}) {
    const came = await send(worker, path, body, headers, method);
    const what = `${typeof body === "string" ? body.slice(0, 200) : JSON.stringify(body).slice(0, 200)} → ${came.text.slice(0, 500)}`;
    assert.deepEqual([came.status, came.message?.error?.code], [status, code], what);
    validate(version, "tools/call", came.messages);
    return came.message;
  }

  test("what is no JSON is a parse error", async () => {
    for (const body of ["", " ", "{", "nonsense", '{"jsonrpc":"2.0","id":1', JSON.stringify(list).slice(0, -1), "\u0000", "{}}", "[", '"', "\ufeff{"]) {
      await refused(400, PARSE_ERROR, body);
    }
    for (const bytes of [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8]]) {
      await refused(400, PARSE_ERROR, Buffer.from(bytes));
      const inside = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.from(bytes), Buffer.from('","method":"tools/list"}')]);
      await refused(400, PARSE_ERROR, inside);
    }
  });

  test("JSON that is no message is an invalid request", async () => {
    const bodies = [
      "5",
      "null",
      "true",
      '"tools/list"',
      "{}",
      "[]",
      [list],
      [list, list],
      [1, 2],
      { ...list, jsonrpc: "1.0" },
      { ...list, jsonrpc: 2 },
      { id: 1, method: "tools/list" },
      { jsonrpc: "2.0", id: 1 },
      { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "" } },
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } },
      { jsonrpc: "2.0", result: {} },
      { ...list, result: {} },
      { ...list, error: null },
      { ...list, method: 5 },
      { ...list, method: null },
      { ...list, method: ["tools/list"] },
      { ...list, params: [] },
      { ...list, params: "x" },
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{}}',
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list","params":{}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"params":{}}',
    ];
    for (const body of bodies) await refused(400, INVALID_REQUEST, body);
  });

  test("ids are strings and whole numbers, and come back as they were written", async () => {
    for (const id of ["0", '""', '"a"', "-1", "1.0", "9007199254740993", "123456789012345678901234567890", '"\\u0000"', '"\\ud800"', '"é😀"', `"${"x".repeat(254)}"`]) {
      const body = JSON.stringify(list).replace('"id":1', `"id":${id}`);
      const came = await send(worker, "/mcp", body, LIST_HEADERS);
      assert.equal(came.status, 200, came.text);
      assert.ok(came.text.includes(`"id":${id},`), came.text.slice(0, 100));
    }
    for (const id of ["null", "1.5", "1e3", "true", "[]", "{}", '{"a":1}', `"${"x".repeat(300)}"`, "1".repeat(300), nested(1_000), `"${"x".repeat(1_000_000)}"`]) {
      const message = await refused(400, INVALID_REQUEST, JSON.stringify(list).replace('"id":1', `"id":${id}`));
      assert.ok(!("id" in message));
    }
  });

  test("an error has the id of its request", async () => {
    const bodies = [
      { jsonrpc: "2.0", id: "x", method: "tools/list" },
      { jsonrpc: "2.0", id: "x", method: "tools/list", params: [] },
      { jsonrpc: "2.0", id: "x", method: "nonsense", params: { _meta: meta() } },
    ];
    for (const body of bodies) {
      const came = await send(worker, "/mcp", body, LIST_HEADERS);
      assert.equal(came.message.id, "x", came.text);
    }
    const badSession = await refused(400, INVALID_REQUEST, list, { ...LIST_HEADERS, "x-codemode-session": "a b" });
    assert.equal(badSession.id, 1);
    const ended = await refused(404, INVALID_REQUEST, { jsonrpc: "2.0", id: 7, method: "ping" }, { ...TYPES, "mcp-session-id": "none" }, { version: LEGACY });
    assert.equal(ended.id, 7);
  });

  test("_meta is required, with version and capabilities", async () => {
    const wrong = [undefined, {}, null, [], "x", { ...meta(), "io.modelcontextprotocol/clientCapabilities": undefined }];
    for (const own of wrong) await refused(400, INVALID_PARAMS, { ...list, params: { _meta: own } });
    for (const field of ["protocolVersion", "clientCapabilities"]) {
      for (const value of [null, 5, [], "x", {}].filter((value) => !(field === "clientCapabilities" && JSON.stringify(value) === "{}") && !(field === "protocolVersion" && value === "x"))) {
        await refused(400, INVALID_PARAMS, { ...list, params: { _meta: { ...meta(), [`io.modelcontextprotocol/${field}`]: value } } });
      }
    }
    await refused(400, INVALID_PARAMS, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    await refused(400, INVALID_PARAMS, { jsonrpc: "2.0", id: 1, method: "tools/list" }, TYPES);
  });

  test("headers agree with the body", async () => {
    const call = request("tools/call", { name: "db_get_tables", arguments: {} });
    const headers = modernHeaders("tools/call", call.params);
    for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) await refused(400, MISMATCH, call, without(headers, name));
    const wrong = {
      "mcp-protocol-version": ["2025-11-25", "1900-01-01", "2026-07-28 ", "x", ""],
      "mcp-method": ["tools/list", "TOOLS/CALL", "tools/call,tools/call", headerValue("tools/call "), ""],
      "mcp-name": ["db_exec", "DB_GET_TABLES", "db_get_tables,db_get_tables", headerValue("db_exec"), "=?base64?%?=", "=?base64?_w==?=", "=?base64?/w==?=", "=?BASE64?ZGJfZ2V0X3RhYmxlcw==?=", "=?base64?ZGJfZ2V0X3RhYmxlcw==", ""],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        if (value === `${headers[name]} `) continue;
        await refused(400, MISMATCH, call, { ...headers, [name]: value });
      }
    }
    const encoded = `=?base64?${Buffer.from("db_get_tables").toString("base64")}?=`;
    assert.equal((await send(worker, "/mcp", call, { ...headers, "mcp-name": encoded })).status, 200);
    for (const [method, params] of [["resources/read", { uri: "db://s/schema" }], ["prompts/get", { name: "explain_failing_query", arguments: { sql: "SELECT 1" } }]]) {
      await refused(400, MISMATCH, request(method, params), without(modernHeaders(method, params), "mcp-name"));
      await refused(400, MISMATCH, request(method, params), { ...modernHeaders(method, params), "mcp-name": "other" });
    }
    const uri = "db://s/tables/é";
    const came = await send(worker, "/mcp", request("resources/read", { uri }), modernHeaders("resources/read", { uri }));
    assert.deepEqual([came.status, came.message.error.data.uri], [200, uri]);
  });

  test("headers agree with the body whatever else the body holds", async () => {
    const body = (name, more, args = "{}") =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},${more}"_meta":${JSON.stringify(meta())}}}`;
    const headers = modernHeaders("tools/call", { name: "db_query" });
    const tricks = ["1e999", '"\\ud800"', nested(200), nested(MEGABYTE), `{"a":${nested(130)}}`, "-1e999", '{"a":1,"a":2}'];
    for (const trick of tricks) {
      for (const own of [headers, without(headers, "mcp-name")]) {
        await refused(400, MISMATCH, body("db_get_tables", `"x":${trick},`), own);
        await refused(400, MISMATCH, body("db_get_tables", "", `{"x":${trick}}`), own);
      }
    }
    for (const twice of [body("db_get_tables", '"name":"db_query",'), body("db_query", '"name":"db_get_tables",'), body("db_query", '"n\\u0061me":"db_get_tables",')]) {
      const came = await send(worker, "/mcp", twice, headers);
      assert.ok([INVALID_PARAMS, MISMATCH].includes(came.message.error?.code), came.text);
    }
  });

  test("headers of parameters agree with the body whatever else the body holds", async () => {
    const path = "/mcp-conformance";
    const { tools } = await new Modern(worker).result("tools/list", {}, { path });
    const tool = tools.find(({ name }) => name === "test_header_parameters");
    const [[property, schema]] = Object.entries(tool.inputSchema.properties).filter(([, schema]) => schema["x-mcp-header"] && schema.type === "string");
    const disagreeing = (args, header) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool.name}","arguments":${args},"_meta":${JSON.stringify(meta())}}}`;
      const own = header === undefined ? {} : { [`mcp-param-${schema["x-mcp-header"]}`]: header };
      return send(worker, path, body, { ...modernHeaders("tools/call", tool), ...own });
    };
    for (const header of ["other", undefined]) {
      const came = await disagreeing(`{"${property}":"one"}`, header);
      assert.deepEqual([came.status, came.message.error?.code], [400, MISMATCH], came.text);
      for (const trick of ["1e999", '"\\ud800"', nested(200)]) {
        const tricked = await disagreeing(`{"${property}":"one","x":${trick}}`, header);
        assert.equal(tricked.status, 400, tricked.text);
        assert.ok([MISMATCH, INVALID_PARAMS].includes(tricked.message.error.code), tricked.text);
      }
    }
  });

  test("a header that stands twice is not believed", async () => {
    const twice = (name, value) => [...Object.entries(LIST_HEADERS), [name, value]];
    await refused(400, MISMATCH, list, twice("mcp-method", "tools/list"));
    await refused(400, MISMATCH, list, twice("mcp-method", "tools/call"));
    await refused(400, MISMATCH, list, twice("mcp-protocol-version", MODERN));
    const call = request("tools/call", { name: "db_get_tables" });
    await refused(400, MISMATCH, call, [...Object.entries(modernHeaders("tools/call", call.params)), ["mcp-name", "db_get_tables"]]);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const { id } = await Legacy.begin(worker);
    await refused(400, INVALID_REQUEST, ping, [...Object.entries(TYPES), ["mcp-session-id", id], ["mcp-session-id", id]], { version: LEGACY });
    await refused(400, INVALID_REQUEST, list, [...Object.entries(LIST_HEADERS), ["x-codemode-session", "a"], ["x-codemode-session", "b"]]);
  });

  test("a capability that the client lacks is named", async () => {
    const params = { name: "test_missing_capability", arguments: {} };
    const message = await refused(400, MISSING_CAPABILITY, request("tools/call", params), modernHeaders("tools/call", params), { path: "/mcp-conformance" });
    assert.equal(Object.prototype.toString.call(message.error.data.requiredCapabilities), "[object Object]");
  });

  test("a version that is not served is refused with those that are", async () => {
    for (const version of ["1900-01-01", "2027-01-01", "2024-11-05", "x", "", "é".repeat(3), "9".repeat(5_000)]) {
      const own = { ...meta(), "io.modelcontextprotocol/protocolVersion": version };
      const header = /^[\x20-\x7e]*$/.test(version) ? version : "2026";
      const body = { ...list, params: { _meta: own } };
      if (header !== version || version === "") {
        await refused(400, MISMATCH, body, { ...LIST_HEADERS, "mcp-protocol-version": header || "x" });
        continue;
      }
      const { error } = await refused(400, UNSUPPORTED_VERSION, body, { ...LIST_HEADERS, "mcp-protocol-version": version });
      assert.ok(error.data.supported.includes(MODERN) && version.startsWith(error.data.requested.slice(0, 20)) && error.data.requested.length <= 1_100);
    }
    await refused(400, UNSUPPORTED_VERSION, { jsonrpc: "2.0", id: 1, method: "tools/list" }, { ...TYPES, "mcp-protocol-version": "1900-01-01" });
  });

  test("methods that the version does not have are not found", async () => {
    for (const method of ["nonsense", "", "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tools", "tools/list/", "TOOLS/LIST", "__proto__", "sampling/createMessage", "elicitation/create", "tasks/list", "x".repeat(4_000)]) {
      const own = { ...LIST_HEADERS, "mcp-method": method };
      const { error } = await refused(404, NO_METHOD, request(method, { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "n", version: "1" } }), own);
      assert.ok(error.message.length < 1_200);
    }
  });

  test("unknown tools are errors of the protocol, bad arguments are results", async () => {
    const client = new Modern(worker);
    for (const name of ["nonsense", "", "DB_QUERY", "db_query ", "é", "constructor", "x".repeat(4_000)]) {
      assert.equal((await client.error("tools/call", { name, arguments: {} })).code, INVALID_PARAMS, name);
    }
    for (const args of [{}, { sql: 5 }, { sql: null }, { sql: "SELECT 1", nonsense: 1 }, { sql: "SELECT 1", limit: -1 }, { sql: "SELECT 1", limit: 1.5 }, { sql: "SELECT 1", limit: "one" }, { sql: "SELECT 1", params: 5 }, { sql: "SELECT 1", session: "a b" }, { sql: "SELECT 1", session: {} }, { sql: "SELECT 1", target: "elsewhere" }, { sql: "SELECT 1", cursor: 5 }]) {
      const error = await client.failed("db_query", args);
      assert.ok(error.code && error.message, JSON.stringify(error));
    }
  });

  test("a resource that is none is named", async () => {
    const client = new Modern(worker);
    for (const uri of ["db://s/tables/none", "db://", "nonsense", "", "file:///etc/passwd", "db://../schema", "db://%2e%2e/schema", "db://s/tables/a%ff", "db://a%2Fb/schema", "db://s/tables/t?limit=0", "db://s/tables/t?offset=99999999999999999999", `db://s/tables/${"x".repeat(3_000)}`]) {
      const error = await client.error("resources/read", { uri });
      assert.deepEqual([error.code, error.data?.uri], [INVALID_PARAMS, uri]);
    }
    assert.equal((await client.error("resources/read", { uri: "db://s/".padEnd(5_000, "x") })).code, INVALID_PARAMS);
  });

  test("other types, methods, origins and hosts are refused by their status", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json-seq", "json", ""]) {
      await refused(415, INVALID_REQUEST, list, { ...LIST_HEADERS, "content-type": type });
    }
    await refused(415, INVALID_REQUEST, list, without(LIST_HEADERS, "content-type"));
    for (const accept of ["text/html", "image/*", "application/json;q=0, text/event-stream;q=0"]) {
      await refused(406, INVALID_REQUEST, list, { ...LIST_HEADERS, accept });
    }
    for (const type of ["application/json;charset=utf-8", "APPLICATION/JSON"]) {
      assert.equal((await send(worker, "/mcp", list, { ...LIST_HEADERS, "content-type": type })).status, 200);
    }
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", "x"]) {
      const came = await send(worker, "/mcp", list, { ...LIST_HEADERS, origin });
      assert.equal(came.status, 403, origin);
      assert.equal(came.headers["access-control-allow-origin"], undefined);
      const stream = await send(worker, "/mcp", "", { accept: "text/event-stream", origin, "mcp-session-id": "x" }, "GET");
      assert.equal(stream.status, 403);
    }
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"]) {
      assert.equal((await send(worker, "/mcp", list, { ...LIST_HEADERS, host })).status, 401, host);
    }
    for (const method of ["GET", "DELETE"]) {
      const came = await send(worker, "/mcp", "", { accept: "text/event-stream" }, method);
      assert.deepEqual([came.status, came.headers.allow], [405, "POST"]);
    }
    for (const method of ["PUT", "PATCH"]) assert.equal((await send(worker, "/mcp", "", TYPES, method)).status, 405);
  });

  test("a body that is too large is refused", async () => {
    const big = JSON.stringify(request("tools/call", { name: "db_query", arguments: { sql: "x".repeat(40 * 1024 * 1024) } }));
    const came = await send(worker, "/mcp", big, modernHeaders("tools/call", { name: "db_query" })).catch((error) => ({ status: error.code }));
    assert.ok([413, "EPIPE", "ECONNRESET"].includes(came.status), String(came.status));
    const response = await worker.fetch("/mcp", { method: "POST", headers: modernHeaders("tools/list"), body: big });
    assert.equal(response.status, 413);
    validate(MODERN, "tools/list", [await response.json()]);
  });

  test("notifications are taken and nothing else is said", async () => {
    for (const method of ["notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "notifications/nonsense", "tools/call", ""]) {
      for (const params of [undefined, { _meta: meta() }, { _meta: meta(), requestId: 1, progressToken: {}, reason: 5 }]) {
        const came = await send(worker, "/mcp", { jsonrpc: "2.0", method, params }, { ...LIST_HEADERS, "mcp-method": method || "x" });
        assert.deepEqual([came.status, came.text], [202, ""]);
      }
    }
    const params = { name: "db_create_table", arguments: { name: "t", schema: "a", session: "alive" }, _meta: meta() };
    await send(worker, "/mcp", { jsonrpc: "2.0", method: "tools/call", params }, modernHeaders("tools/call", params));
  });

  test("wrong types of parameters are errors for every method", async () => {
    const client = new Modern(worker);
    const values = [null, true, 0, -1, 1e300, "", "x", [], [1], {}, { a: 1 }, [[[]]]];
    const fields = {
      "tools/list": ["cursor"],
      "tools/call": ["name", "arguments", "inputResponses", "requestState"],
      "resources/list": ["cursor"],
      "resources/templates/list": ["cursor"],
      "resources/read": ["uri", "inputResponses", "requestState"],
      "prompts/list": ["cursor"],
      "prompts/get": ["name", "arguments"],
      "completion/complete": ["ref", "argument", "context"],
    };
    const valid = { name: "db_get_tables", uri: "db://s/schema", ref: { type: "ref/prompt", name: "join_servers" }, argument: { name: "first", value: "" } };
    for (const [method, names] of Object.entries(fields)) {
      for (const name of names) {
        for (const value of values) {
          const own = Object.fromEntries(Object.entries({ ...valid, [name]: value }).filter(([key]) => names.includes(key) || key in valid));
          const came = await client.request(method, own);
          assert.ok(came.status < 500 && came.message, came.text);
          if (came.message.error) assert.ok([INVALID_PARAMS, MISMATCH].includes(came.message.error.code), `${method} ${name} ${JSON.stringify(value)}: ${came.text}`);
        }
      }
    }
    for (const value of values.filter((value) => typeof value !== "object" || value === null || Array.isArray(value))) {
      // A request that is not refused is a stream that stays open.
      const stream = await client.open("subscriptions/listen", { notifications: value });
      const message = await stream.message(() => true);
      await stream.close();
      assert.equal(message.error?.code, INVALID_PARAMS, `${JSON.stringify(value)}: ${JSON.stringify(message)}`);
    }
    for (const own of [{ toolsListChanged: 1 }, { resourceSubscriptions: "x" }, { resourceSubscriptions: [1] }, { resourceSubscriptions: Array(101).fill("db://s/schema") }]) {
      assert.equal((await client.error("subscriptions/listen", { notifications: own })).code, INVALID_PARAMS);
    }
    for (const token of [{}, [], true, "x".repeat(1_000)]) {
      assert.equal((await client.error("tools/call", { name: "db_get_tables" }, { extra: { progressToken: token } })).code, INVALID_PARAMS);
    }
    assert.equal((await client.error("tools/call", { name: "db_get_tables" }, { extra: { "io.modelcontextprotocol/logLevel": "loud" } })).code, INVALID_PARAMS);
  });

  test("a megabyte of brackets is refused or passed over", async () => {
    const deep = nested(MEGABYTE);
    const open = "[".repeat(2 * MEGABYTE);
    const place = (at, what) => JSON.stringify(request("tools/call", { name: "db_query", arguments: "@", x: "#" })).replace(at, what).replace('"#"', "1").replace('"@"', "{}");
    const headers = modernHeaders("tools/call", { name: "db_query" });
    for (const body of [deep, open, "{\"a\":".repeat(200_000), place('"@"', deep), place('"#"', deep), place('"@"', `{"sql":${deep}}`), place('"@"', `{"sql":"SELECT ?","params":${deep}}`), place('"@"', open), place('{"name":"hostile","version":"1"}', deep), JSON.stringify(list).replace('"clientCapabilities":{}', `"clientCapabilities":{"a":${deep}}`)]) {
      const came = await send(worker, "/mcp", body, headers);
      assert.ok(came.status < 500, came.text.slice(0, 300));
      validate(MODERN, "tools/call", came.messages);
    }
    const session = await Legacy.begin(worker);
    for (const params of [`{"name":"db_query","arguments":${deep}}`, `{"name":"db_query","arguments":{"sql":"SELECT ?","params":${deep}}}`, `{"_meta":${deep}}`, `{"name":"db_batch_insert","arguments":{"table":"t","records":${deep}}}`]) {
      const came = await send(worker, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, session.own);
      assert.ok(came.status < 500 && (came.message.error || came.message.result.isError), came.text.slice(0, 300));
      validate(LEGACY, "tools/call", came.messages);
    }
    assert.deepEqual(await session.result("ping"), {});
  });

  test("batches belong to sessions of 2025-03-26", async () => {
    const ping = (id) => ({ jsonrpc: "2.0", id, method: "ping" });
    for (const version of ["2025-06-18", LEGACY]) {
      const session = await Legacy.begin(worker, { version });
      await refused(400, INVALID_REQUEST, [ping(1)], session.own, { version });
      await refused(400, INVALID_REQUEST, [ping(1)], { ...session.own, "mcp-protocol-version": "2025-03-26" }, { version });
    }
    await refused(400, INVALID_REQUEST, [ping(1)], TYPES);
    const session = await Legacy.begin(worker, { version: "2025-03-26" });
    const batch = (messages) => send(worker, "/mcp", messages, session.own);
    await refused(400, INVALID_REQUEST, [], session.own, { version: "2025-03-26" });
    await refused(400, INVALID_REQUEST, Array.from({ length: 51 }, (_, id) => ping(id)), session.own, { version: "2025-03-26" });
    const mixed = await batch([ping(1), 5, { jsonrpc: "2.0", method: "notifications/initialized" }, { jsonrpc: "2.0", id: 9, result: {} }, ping("1"), [ping(3)], { ...ping(4), method: "nonsense" }]);
    assert.equal(mixed.status, 200);
    const said = mixed.messages.map(({ id, error }) => [id, error?.code]);
    assert.deepEqual(said, [[1, undefined], [undefined, INVALID_REQUEST], ["1", undefined], [undefined, INVALID_REQUEST], [4, NO_METHOD]]);
    const silent = await batch([{ jsonrpc: "2.0", method: "notifications/initialized" }, { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } }]);
    assert.deepEqual([silent.status, silent.text], [202, ""]);
  });

  test("requests of a batch are done or refused", async () => {
    const session = await Legacy.begin(worker, { version: "2025-03-26" });
    const batch = await send(worker, "/mcp", [
      { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "nonsense" } },
      { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "info" } },
      { jsonrpc: "2.0", id: 3, method: "logging/setLevel", params: { level: "loud" } },
      { jsonrpc: "2.0", id: 4, method: "initialize", params: {} },
    ], session.own);
    const said = batch.messages.map(({ error }) => error?.code);
    assert.ok(said[0] !== undefined, `nobody can subscribe to nonsense: ${batch.text}`);
    assert.deepEqual(said.slice(1), [undefined, INVALID_PARAMS, NO_METHOD]);
    const heard = await session.open("tools/call", { name: "program_run", arguments: { code: "console.log('heard'); return 1" } });
    await heard.whole();
    assert.ok(heard.messages.some(({ method }) => method === "notifications/message"), `the level was set: ${heard.text}`);
  });

  test("a client with a session is refused what is no message of it", async () => {
    const session = await Legacy.begin(worker);
    const inSession = (status, code, body, headers = session.own) => refused(status, code, body, headers, { version: LEGACY });
    for (const body of ["", "{", "\u0000"]) await inSession(400, PARSE_ERROR, body);
    for (const body of ["5", "{}", { jsonrpc: "2.0", id: null, method: "ping" }, { jsonrpc: "2.0", id: 1, result: {}, error: {} }, { jsonrpc: "2.0", id: 1, method: "ping", params: [] }]) {
      await inSession(400, INVALID_REQUEST, body);
    }
    await inSession(400, UNSUPPORTED_VERSION, { jsonrpc: "2.0", id: 1, method: "ping" }, { ...session.own, "mcp-protocol-version": "1900-01-01" });
    for (const method of ["nonsense", "server/discover", "subscriptions/listen", ""]) {
      assert.equal((await session.error(method)).code, NO_METHOD, method);
    }
    for (const id of [1, "1", 999, "x", 2 ** 53]) {
      for (const outcome of [{ result: {} }, { result: null }, { result: { action: "accept", content: { confirm: true } } }, { error: { code: 1, message: "no" } }, { error: null }]) {
        const came = await session.respond(id, outcome);
        assert.deepEqual([came.status, came.text], [202, ""]);
      }
    }
    for (const [method, params] of [["notifications/cancelled", { requestId: 1 }], ["notifications/cancelled", { requestId: {} }], ["notifications/cancelled", undefined], ["notifications/progress", { progressToken: [] }], ["notifications/nonsense", {}], ["tools/call", { name: "db_create_table", arguments: { name: "t", schema: "a", session: "alive" } }]]) {
      const came = await session.notify(method, params);
      assert.deepEqual([came.status, came.text], [202, ""]);
    }
    for (const params of [{}, { level: 5 }, { level: "loud" }]) assert.equal((await session.error("logging/setLevel", params)).code, INVALID_PARAMS);
    for (const params of [{}, { uri: 5 }, { uri: "nonsense" }, { uri: "file:///etc/passwd" }]) {
      assert.equal((await session.error("resources/subscribe", params)).code, INVALID_PARAMS);
    }
    assert.deepEqual(await session.result("resources/unsubscribe", { uri: "db://s/schema" }), {});
    assert.deepEqual(await session.result("ping"), {});
  });

  test("initialize is refused where it says too little", async () => {
    const good = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "n", version: "1" } };
    for (const [field, value] of [["protocolVersion", undefined], ["protocolVersion", 5], ["capabilities", undefined], ["capabilities", []], ["capabilities", null], ["clientInfo", undefined], ["clientInfo", {}], ["clientInfo", "x"], ["clientInfo", { name: 5 }]]) {
      const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: { ...good, [field]: value } };
      const came = await send(worker, "/mcp", body, TYPES);
      assert.deepEqual([came.message.error.code, came.headers["mcp-session-id"]], [INVALID_PARAMS, undefined], came.text);
      validate(LEGACY, "initialize", came.messages);
    }
    const told = await send(worker, "/mcp", { jsonrpc: "2.0", method: "initialize", params: good }, TYPES);
    assert.ok(told.status >= 400 && told.status < 500 && told.headers["mcp-session-id"] === undefined, "initialize is no notification");
    const unknown = await send(worker, "/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: { ...good, protocolVersion: "2099-01-01" } }, TYPES);
    assert.equal(unknown.message.result.protocolVersion, LEGACY);
    const begun = await Legacy.begin(worker);
    const again = await send(worker, "/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: good }, begun.own);
    assert.notEqual(again.headers["mcp-session-id"], begun.id);
  });

  test("traffic of a session without its session is refused", async () => {
    for (const method of ["ping", "tools/list", "tools/call", "resources/subscribe", "logging/setLevel"]) {
      await refused(400, INVALID_PARAMS, { jsonrpc: "2.0", id: 1, method }, { ...TYPES, "mcp-protocol-version": LEGACY }, { version: LEGACY });
    }
    for (const id of ["none", "x".repeat(128), "00000000000000000000000000000000"]) {
      await refused(404, INVALID_REQUEST, { jsonrpc: "2.0", id: 1, method: "ping" }, { ...TYPES, "mcp-session-id": id }, { version: LEGACY });
      for (const method of ["GET", "DELETE"]) await refused(404, INVALID_REQUEST, "", { accept: "text/event-stream", "mcp-session-id": id }, { version: LEGACY, method });
    }
    for (const id of ["..", "a/b", "a b", "x".repeat(200), "%2e", "a,b"]) {
      await refused(400, INVALID_REQUEST, { jsonrpc: "2.0", id: 1, method: "ping" }, { ...TYPES, "mcp-session-id": id }, { version: LEGACY });
    }
  });

  test("a session belongs to its endpoint", async () => {
    const session = await Legacy.begin(worker, { path: "/mcp/readonly" });
    for (const path of ["/mcp", "/mcp/database", "/mcp/code", "/mcp/compact"]) {
      await refused(404, INVALID_REQUEST, { jsonrpc: "2.0", id: 1, method: "ping" }, session.own, { path, version: LEGACY });
      await refused(404, INVALID_REQUEST, "", { ...session.own, accept: "text/event-stream" }, { path, version: LEGACY, method: "GET" });
      await refused(404, INVALID_REQUEST, "", session.own, { path, version: LEGACY, method: "DELETE" });
    }
    assert.deepEqual(await session.result("ping"), {});
    for (const path of ["/mcp/nonsense", "/mcp//", "/mcp/readonly/x", "/mcp/READONLY"]) {
      const came = await send(worker, path, list, LIST_HEADERS);
      assert.ok([400, 404].includes(came.status) && came.message.error, came.text);
    }
  });

  describe("random changes of valid messages", () => {
    const ROUNDS = 300;
    const AT_ONCE = 10;

    const session = "fuzzed";
    const MESSAGES = [
      ["server/discover", {}],
      ["tools/list", {}],
      ["tools/call", { name: "db_query", arguments: { sql: "SELECT ? AS a, 'x' AS b", params: [1], limit: 5, session } }],
      ["tools/call", { name: "db_exec", arguments: { sql: "CREATE TABLE IF NOT EXISTS t (a)", session } }],
      ["tools/call", { name: "db_batch_insert", arguments: { table: "t", records: [{ a: 1 }], onConflict: "ignore", session } }],
      ["tools/call", { name: "db_save_state", arguments: { key: "k", value: { deep: [1, "x", null] }, session } }],
      ["tools/call", { name: "db_import", arguments: { table: "t", text: "a\n1\n", format: "csv", session } }],
      ["tools/call", { name: "graphql_check", arguments: { response: { data: null, errors: [{ message: "x" }] } } }],
      ["tools/call", { name: "tools_call", arguments: { server: "db", tool: "getTables", args: {}, session } }],
      ["tools/call", { name: "db_drop_table", arguments: { table: "t", ifExists: true, session } }],
      ["resources/list", {}],
      ["resources/read", { uri: "db://fuzzed/schema" }],
      ["resources/templates/list", {}],
      ["prompts/list", {}],
      ["prompts/get", { name: "explain_failing_query", arguments: { sql: "SELECT 1", session } }],
      ["completion/complete", { ref: { type: "ref/resource", uri: "db://{session}/tables/{table}{?offset,limit}" }, argument: { name: "table", value: "t" }, context: { arguments: { session } } }],
      ["ping", {}],
    ];
    const VALUES = ["null", "true", "0", "-1", "1e999", "9007199254740993", '""', '"\\ud800"', '"\\u0000"', "[]", "{}", '[[[["x"]]]]', nested(150), `"${"é".repeat(2_000)}"`, '"__proto__"', '{"constructor":1}', "1.0", '"=?base64?eA==?="'];

    /** Replaces a value in JSON text; values follow a colon, a comma or a bracket. */
    function withValue(text, next) {
      const places = [...text.matchAll(/(?<=[:,[])("(?:[^"\\]|\\.)*"|-?\d+|null|true|false|\{\}|\[\])/g)];
      if (places.length === 0) return text;
      const place = places[next(places.length)];
      return text.slice(0, place.index) + VALUES[next(VALUES.length)] + text.slice(place.index + place[0].length);
    }

    function mutated(text, next) {
      const at = next(text.length);
      const until = at + 1 + next(12);
      switch (next(9)) {
        case 0:
          return text.slice(0, at) + text.slice(until);
        case 1:
          return text.slice(0, at) + text.slice(at, until) + text.slice(at);
        case 2:
          return text.slice(0, at) + '{}[]",:\\\n\u0000é0-e'[next(14)] + text.slice(at);
        case 3:
          return text.slice(0, at);
        case 4:
          return text.replace(/"(\w+)":/g, (whole, name) => (next(6) === 0 ? `"${name}x":` : whole));
        default:
          return withValue(text, next);
      }
    }

    function mutatedHeaders(headers, next) {
      const names = Object.keys(headers);
      const name = names[next(names.length)];
      switch (next(8)) {
        case 0:
          return without(headers, name);
        case 1:
          return { ...headers, [name]: VALUES[next(4)].replace(/[^\x20-\x7e]/g, "") };
        case 2:
          return [...Object.entries(headers), [name, headers[name]]];
        default:
          return headers;
      }
    }

    async function rounds(seed, version, valid) {
      const { below: next } = random(seed);
      const one = async () => {
        const [method, params] = MESSAGES[next(MESSAGES.length)];
        const { body, headers } = valid(method, params, next);
        let text = JSON.stringify(body);
        for (let changes = next(3); changes >= 0; changes--) text = text.length > 1 ? mutated(text, next) : text;
        const own = mutatedHeaders(headers, next);
        const what = `${JSON.stringify(own)} ${text.slice(0, 1_500)}`;
        const came = await send(worker, "/mcp", text, own).catch((error) => assert.fail(`${error}: ${what}`));
        assert.ok(came.status < 500, `${came.status} ${came.text.slice(0, 500)} to ${what}`);
        let parsed;
        try {
          parsed = JSON.parse(text);
        } catch {
          // The text is no JSON any more.
        }
        try {
          validate(came.headers["mcp-session-id"] ? LEGACY : version, parsed?.method ?? "tools/call", came.messages);
        } catch (error) {
          assert.fail(`${error.message} to ${what}`);
        }
        if (came.messages.length === 0) assert.ok(came.status === 202, `${came.status} and nothing to ${what}`);
        return came.status;
      };
      const statuses = [];
      for (let round = 0; round < ROUNDS; round += AT_ONCE) statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, one))));
      return statuses;
    }

    test("of the stateless version", async () => {
      const statuses = await rounds(1, MODERN, (method, params) => ({
        body: request(method, params),
        headers: modernHeaders(method, params),
      }));
      assert.ok(new Set(statuses).has(200) && new Set(statuses).has(400));
    });

    test("of a session", async () => {
      const client = await Legacy.begin(worker);
      let id = 0;
      const statuses = await rounds(2, LEGACY, (method, params) => ({ body: { jsonrpc: "2.0", id: ++id, method, params }, headers: client.own }));
      assert.ok(new Set(statuses).has(200) && new Set(statuses).has(400));
      assert.deepEqual(await client.result("ping"), {});
    });
  });
});
