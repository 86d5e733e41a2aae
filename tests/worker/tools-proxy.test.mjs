// Tests of POST /proxy against real servers of both protocol versions: the arguments that arrive,
// refusals before a call, lists and search, settings, tenants.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { KINDS, startPeer } from "../peers/peer.mjs";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { execute, result as resultOf } from "./program-client.mjs";
import { answer, call, get, getText, PROXY, refusal, send, startWorker } from "./tools-client.mjs";

/** The longest text for a model: 4,000 tokens of four characters. */
const PROMPT_CHARACTERS = 16_000;

/** A little less than the 32 MiB that are read of a result. */
const LARGE_BYTES = 33_000_000;

for (const [kind, options] of Object.entries(KINDS)) {
  describe(`a server that is ${kind}`, () => {
    let peer, worker;
    before(async () => {
      peer = await startPeer(options);
      worker = await startWorker({ peer });
    });
    after(() => Promise.all([worker?.stop(), peer?.close()]));

    test("structured data, JSON in text and plain text arrive as what they are", async () => {
      assert.deepEqual(await call(worker, "peer", "echo", { message: "hé", more: [1, { a: null }] }), { message: "hé", more: [1, { a: null }] });
      assert.deepEqual(await call(worker, "peer", "json_text"), { from: "text", list: [1, 2] });
      assert.equal(await call(worker, "peer", "text"), "plain words, no JSON");
      assert.deepEqual(await call(worker, "peer", "add", { left: 2, right: 40, rounding: "tens" }), { sum: 42 });
    });

    test("an answer says where it came from", async () => {
      const { meta } = await answer(worker, "peer", "echo", { message: "x" });
      assert.deepEqual([meta.server, meta.tool], ["peer", "echo"]);
      assert.ok(meta.durationMs >= 0);
    });

    test("progress does not disturb the answer", async () => {
      assert.deepEqual(await call(worker, "peer", "progress", { steps: 5 }), { steps: 5 });
    });

    test("a result that says isError is a failure with the tool's words", async () => {
      const error = await refusal(worker, "peer", "failing");
      assert.equal(error.code, "UPSTREAM_TOOL_ERROR");
      assert.equal(error.status, 422);
      assert.match(error.message, /the instrument is out of paper/);
    });

    test("50 MB are refused, and the connection is closed before all of them have come", async () => {
      const error = await refusal(worker, "peer", "huge");
      assert.deepEqual([error.status, error.code, error.reason], [502, "UPSTREAM_FAILED", "too_large"]);
      assert.ok(error.text.length < 5_000);
      const asked = peer.of("tools/call", "huge").at(-1);
      await until(() => asked.ended);
      assert.equal(asked.closed, true, "the answer was not read to its end");
      assert.deepEqual(await call(worker, "peer", "echo", { message: "still here" }), { message: "still here" });
    });

    test("the list of tools is asked for once", async () => {
      for (let time = 0; time < 3; time += 1) await call(worker, "peer", "echo", { message: "again" });
      await resultOf(worker, randomUUID(), 'return await helpers.peer.echo({ message: "from a program" })');
      assert.equal(peer.lists(), 1, "answered requests of tools/list");
    });

    test("every request keeps the protocol of its era", () => {
      for (const { headers, http } of peer.calls.filter(({ method }) => method === "tools/call")) {
        assert.equal(http, "POST");
        assert.match(headers.accept, /application\/json/);
        assert.match(headers.accept, /text\/event-stream/);
        assert.equal(headers["mcp-protocol-version"], options.era === "legacy" ? "2025-11-25" : "2026-07-28");
        if (options.era === "modern") assert.equal(headers["mcp-method"], "tools/call");
      }
      assert.ok(peer.of("initialize").length <= (options.era === "legacy" ? 2 : 0), "handshakes");
    });

    test("a tool that asks its user something is a clear failure", async () => {
      const error = await refusal(worker, "peer", "confirm");
      // Servers of the older protocol version know that this client answers no questions, and
      // refuse by themselves.
      assert.deepEqual([error.status, error.code, error.reason], [502, "UPSTREAM_FAILED", options.era === "legacy" ? "refused" : "input_required"]);
      assert.match(error.message, /elicitation/);
    });

    test("a picture does not break the answer", async () => {
      const result = await call(worker, "peer", "image");
      assert.match(JSON.stringify(result), /one pixel/);
    });
  });
}

for (const answer of ["json", "sse"]) {
  test(`33 MB are passed on, as ${answer}`, async () => {
    const peer = await startPeer({ answer });
    const worker = await startWorker({ peer });
    try {
      assert.equal((await call(worker, "peer", "huge", { bytes: LARGE_BYTES })).length, LARGE_BYTES);
    } finally {
      await Promise.all([worker.stop(), peer.close()]);
    }
  });
}

describe("sessions of the older era", () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer({ era: "legacy" });
    worker = await startWorker({ peer });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  test("calls share a session, and a session that the server has forgotten is made anew", async () => {
    for (let time = 0; time < 4; time += 1) await call(worker, "peer", "echo", { message: "one" });
    assert.equal(peer.of("initialize").length, 1);
    assert.equal(peer.of("notifications/initialized").length, 1);
    const ids = new Set(peer.of("tools/call").map(({ headers }) => headers["mcp-session-id"]));
    assert.equal(ids.size, 1);
    assert.ok([...ids][0]);
    peer.forgetSessions();
    assert.deepEqual(await call(worker, "peer", "echo", { message: "two" }), { message: "two" });
    assert.equal(peer.of("initialize").length, 2);
    const last = peer.of("tools/call").at(-1).headers["mcp-session-id"];
    assert.ok(last && !ids.has(last), "another session");
  });

  test("a call that changes something is repeated after a forgotten session, for the server has not taken it", async () => {
    peer.forgetSessions();
    assert.deepEqual(await call(worker, "peer", "flaky_write", { key: "forgotten", failures: 0, how: "503" }), { key: "forgotten", answered: true });
  });

  test("calls at the same time are answered each with its own answer", async () => {
    peer.forgetSessions();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => call(worker, "peer", "echo", { message: `m${index}` })));
    assert.deepEqual(answers.map(({ message }) => message), Array.from({ length: 20 }, (_, index) => `m${index}`));
  });
});

describe("what is refused before a call", () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer();
    worker = await startWorker({ peer, other: peer });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));
  const issueAt = (error, path) => {
    const found = error.issues.find((issue) => issue.path === path);
    assert.ok(found, `no issue at ${path}: ${JSON.stringify(error.issues)}`);
    assert.ok(found.message.length > 5);
    return found;
  };

  test("a misspelt parameter is named with the nearest one, and what it left missing too", async () => {
    const error = await refusal(worker, "peer", "add", { left: 1, rihgt: 2 });
    assert.deepEqual([error.status, error.code], [400, "INVALID_ARGUMENTS"]);
    assert.equal(issueAt(error, "rihgt").suggestions[0], "right");
    assert.ok(error.issues.some(({ message }) => /right/.test(message) && /missing|required/i.test(message)), JSON.stringify(error.issues));
    assert.deepEqual(error.schema, peer.tools.find(({ name }) => name === "add").inputSchema);
  });

  test("a text is not made a number, nor anything else something else", async () => {
    for (const [args, path] of [
      [{ left: "1", right: 2 }, "left"],
      [{ left: 1.5, right: 2 }, "left"],
      [{ left: 1, right: null }, "right"],
      [{ left: 1, right: true }, "right"],
      [{ left: 1, right: [2] }, "right"],
      [{ left: 1, right: 2, options: { label: 5 } }, "options.label"],
      [{ left: 1, right: 2, options: { label: "longer than ten" } }, "options.label"],
    ]) {
      const error = await refusal(worker, "peer", "add", args);
      assert.deepEqual([error.status, error.code], [400, "INVALID_ARGUMENTS"], JSON.stringify(args));
      issueAt(error, path);
    }
  });

  test("a value that an enum does not have is answered with those it has", async () => {
    const error = await refusal(worker, "peer", "add", { left: 1, right: 2, rounding: "ten" });
    const issue = issueAt(error, "rounding");
    assert.ok(issue.suggestions.includes("tens") || issue.message.includes("tens"), JSON.stringify(issue));
  });

  test("a name inside of an object is checked as well", async () => {
    const error = await refusal(worker, "peer", "add", { left: 1, right: 2, options: { lable: "x" } });
    assert.equal(issueAt(error, "options.lable").suggestions[0], "label");
  });

  test("nothing of it has reached the server", () => {
    assert.deepEqual(peer.state.added, []);
    assert.equal(peer.of("tools/call").length, 0);
  });

  test("a schema that refers to another host is no reason to ask that host, nor to refuse the call", async () => {
    assert.deepEqual(await call(worker, "peer", "wrong_schema", { id: 5 }), { n: "many" });
    assert.equal(peer.state.elsewhere, 0);
  });

  test("unknown tools and servers are answered with the nearest names", async () => {
    const tool = await refusal(worker, "peer", "ecko", { message: "x" });
    assert.deepEqual([tool.status, tool.code, tool.suggestions[0]], [400, "TOOL_NOT_FOUND", "echo"]);
    assert.ok(tool.available.includes("add"));
    const server = await refusal(worker, "pear", "echo", { message: "x" });
    assert.deepEqual([server.status, server.code, server.suggestions[0]], [400, "SERVER_NOT_FOUND", "peer"]);
    assert.deepEqual(server.available.filter((name) => ["peer", "other"].includes(name)).sort(), ["other", "peer"]);
    assert.equal(peer.calls.filter(({ method }) => method === "tools/call").filter(({ tool }) => tool === "ecko").length, 0);
  });

  test("a body that is none is refused with the field named", async () => {
    for (const [body, word] of [
      ["", "JSON"],
      ["[]", "JSON"],
      [{ tool: "echo" }, "server"],
      [{ server: "peer" }, "tool"],
      [{ server: "peer", tool: "echo", args: [1] }, "args"],
      [{ server: "peer", tool: "echo", args: "{}" }, "args"],
      [{ server: "peer", tool: "echo", args: {}, session: "a b" }, "session"],
      [{ server: "peer", tool: "echo", args: {}, stage: 7 }, "stage"],
    ]) {
      const { status, text, body: answered } = await send(worker, body);
      assert.equal(status, 400, text);
      assert.match(answered.error.message, new RegExp(word), text);
    }
  });

  test("another method is 405", async () => {
    const response = await worker.fetch(PROXY, { method: "DELETE" });
    assert.equal(response.status, 405);
    await response.body.cancel();
  });

  test("an answer keeps the digits of its numbers", async () => {
    for (const json of ['{"id":9007199254740993,"ratio":0.10,"small":1e-7}', '[12345678901234567890]']) {
      const { text } = await send(worker, { server: "peer", tool: "value", args: { json } });
      assert.ok(text.includes(json), `${json} in ${text}`);
    }
  });

  test("arguments arrive as they were written, large numbers too", async () => {
    const body = '{"server":"peer","tool":"echo","args":{"message":"x","more":12345678901234567890}}';
    const response = await worker.fetch(PROXY, { method: "POST", body });
    assert.equal(response.status, 200);
    await response.text();
    // The peer's own JSON.parse loses the last digits; the number of digits shows that nobody wrote
    // 1.23e19.
    assert.equal(peer.calls.at(-1).params.arguments.more, 12345678901234567890);
  });
});

describe("headers of parameters", () => {
  test("a parameter that the schema wants as a header travels as one, whatever its letters", async () => {
    const peer = await startPeer();
    const worker = await startWorker({ peer });
    try {
      assert.deepEqual(await call(worker, "peer", "headers", { region: "eu-west", limit: 5 }), { region: "eu-west", limit: 5, header: "eu-west", limitHeader: "5" });
      const { region, header } = await call(worker, "peer", "headers", { region: " Żółw " });
      assert.equal(region, " Żółw ");
      assert.match(header, /^=\?base64\?/);
      const { header: split } = await call(worker, "peer", "headers", { region: "a\r\nx-evil: 1" });
      assert.match(split, /^=\?base64\?/);
      assert.equal(peer.calls.some(({ headers }) => "x-evil" in headers), false);
    } finally {
      await Promise.all([worker.stop(), peer.close()]);
    }
  });
});

describe("lists and search", () => {
  let small, many, worker;
  before(async () => {
    small = await startPeer({ era: "legacy" });
    many = await startPeer({ many: 250, pageSize: 40 });
    worker = await startWorker({ small, many });
  });
  after(() => Promise.all([worker?.stop(), small?.close(), many?.close()]));

  test("a server's tools are listed, from all pages", async () => {
    const { server, tools } = await get(worker, `${PROXY}?server=many`);
    assert.equal(server, "many");
    assert.equal(tools.length, 250);
    assert.equal(new Set(tools.map(({ name }) => name)).size, 250);
    const expected = many.tools[123];
    const found = tools.find(({ name }) => name === expected.name);
    assert.equal(found.description, expected.description);
    assert.deepEqual(found.inputSchema, expected.inputSchema);
    assert.deepEqual(found.outputSchema, expected.outputSchema);
    assert.equal(many.lists(), 7);
    await get(worker, `${PROXY}?server=many`);
    assert.equal(many.lists(), 7, "the second list is remembered");
  });

  test("an unknown server has no list", async () => {
    const response = await worker.fetch(`${PROXY}?server=mani`);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code, error.suggestions[0]], [400, "SERVER_NOT_FOUND", "many"]);
  });

  test("search ranks names over descriptions over the rest", async () => {
    const { tools } = await get(worker, "/api/codemode/tools?query=protein&limit=10");
    assert.equal(tools.length, 10);
    for (const { server, name } of tools) {
      assert.equal(server, "many");
      assert.match(name, /protein/);
    }
    const exact = await get(worker, "/api/codemode/tools?query=search_gene_47");
    assert.equal(exact.tools[0].name, "search_gene_47");
    const parameter = await get(worker, "/api/codemode/tools?query=rounding");
    assert.deepEqual([parameter.tools[0].server, parameter.tools[0].name], ["small", "add"]);
    assert.deepEqual((await get(worker, "/api/codemode/tools?query=zzzqqqxxx")).tools, []);
  });

  test("search is paged", async () => {
    const pages = [];
    for (let offset = 0; offset < 60; offset += 20) pages.push((await get(worker, `/api/codemode/tools?query=protein&limit=20&offset=${offset}`)).tools);
    const names = pages.flat().map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, "no tool twice");
    assert.equal(names.filter((name) => name.includes("protein")).length, 25, "all of them");
    const response = await worker.fetch("/api/codemode/tools?limit=0");
    assert.equal(response.status, 400);
    await response.body.cancel();
  });

  test("without words all tools are listed", async () => {
    const { tools } = await get(worker, "/api/codemode/tools?limit=200");
    assert.equal(tools.length, 200);
  });

  test("the guidance has typed declarations while they fit, and names and how to search where they do not", async () => {
    const large = await getText(worker, "/api/codemode/prompt");
    assert.ok(large.length <= PROMPT_CHARACTERS, `${large.length} characters for 250 tools`);
    for (const name of ["small", "many", "searchTools"]) assert.ok(large.includes(name), name);
    const few = await startWorker({ small });
    try {
      const text = await getText(few, "/api/codemode/prompt");
      assert.match(text, /```ts/);
      for (const part of ["echo", "the first summand", '"none" | "tens" | "hundreds"', "left: number", "rounding?:"]) assert.ok(text.includes(part), `${part} in\n${text.slice(-6_000)}`);
    } finally {
      await few.stop();
    }
  });
});

test("a server that says 0 about how long its list holds is not listed before every call", async () => {
  const peer = await startPeer({ ttl_ms: 0 });
  const worker = await startWorker({ peer });
  try {
    for (let time = 0; time < 10; time += 1) await call(worker, "peer", "echo", { message: "x" });
    assert.ok(peer.lists() <= 2, `${peer.lists()} lists for 10 calls`);
  } finally {
    await Promise.all([worker.stop(), peer.close()]);
  }
});

describe("the session's own servers", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("db and schema are the session, without any other server configured", async () => {
    const session = randomUUID();
    await call(worker, "db", "exec", { sql: "CREATE TABLE papers(pmid TEXT, year INTEGER)" }, { session });
    const written = await call(worker, "db", "batchInsert", { table: "papers", records: [{ pmid: "1", year: 2020 }, { pmid: "2", year: 2021 }] }, { session });
    assert.equal(written.rowsWritten, 2);
    const rows = await call(worker, "db", "query", { sql: "SELECT count(*) AS n FROM papers WHERE year > ?", params: [2020] }, { session });
    assert.deepEqual(rows.results, [{ n: 1 }]);
    const found = await call(worker, "schema", "findColumn", { table: "papers", semanticName: "publication year" }, { session });
    assert.equal(found.column, "year");
    const missing = await refusal(worker, "db", "query", { sql: "SELECT * FROM papres" }, { session });
    assert.deepEqual([missing.status, missing.code, missing.suggestions], [404, "NO_SUCH_TABLE", ["papers"]]);
    const unknown = await refusal(worker, "db", "qery", { sql: "SELECT 1" }, { session });
    assert.equal(unknown.status, 400);
    assert.ok(unknown.suggestions.includes("query"), unknown.text);
  });

  test("db needs a session, and says so", async () => {
    const error = await refusal(worker, "db", "query", { sql: "SELECT 1" });
    assert.equal(error.status, 400);
    assert.match(error.message, /session/);
  });

  test("where no server is configured, that is said", async () => {
    const error = await refusal(worker, "pubs", "search");
    assert.equal(error.code, "SERVER_NOT_FOUND");
    assert.match(`${error.message} ${error.hint}`, /MCP_SERVERS/);
  });
});

test("a call without a session is answered", async () => {
  const peer = await startPeer();
  const worker = await startWorker({ peer });
  try {
    assert.deepEqual(await call(worker, "peer", "echo", { message: "alone" }), { message: "alone" });
  } finally {
    await Promise.all([worker.stop(), peer.close()]);
  }
});

describe("tenants", () => {
  let peer, worker;
  const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
  before(async () => {
    peer = await startPeer({ era: "legacy" });
    worker = await startWorker({ peer, hidden: { url: peer.url, tenants: ["acme"] } }, { settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  test("each has lists and sessions of its own", async () => {
    for (const tenant of ["acme", "zeta", "acme", "zeta"]) await call(worker, "peer", "echo", { message: tenant }, {}, as(tenant));
    assert.equal(peer.lists(), 2);
    assert.equal(peer.of("initialize").length, 2);
    const ids = peer.of("tools/call").map(({ headers }) => headers["mcp-session-id"]);
    assert.deepEqual([ids[0] === ids[2], ids[1] === ids[3], ids[0] === ids[1]], [true, true, false]);
  });

  test("no token is 401, and nothing is called", async () => {
    const calls = peer.calls.length;
    const error = await refusal(worker, "peer", "echo", { message: "x" });
    assert.deepEqual([error.status, error.code], [401, "UNAUTHORIZED"]);
    for (const path of [`${PROXY}?server=peer`, "/api/codemode/tools", "/api/codemode/prompt"]) {
      const response = await worker.fetch(path);
      assert.equal(response.status, 401, path);
      await response.body.cancel();
    }
    assert.equal(peer.calls.length, calls);
  });

  test("a server that is another tenant's does not exist", async () => {
    assert.deepEqual(await call(worker, "hidden", "echo", { message: "mine" }, {}, as("acme")), { message: "mine" });
    const error = await refusal(worker, "hidden", "echo", { message: "mine" }, {}, as("zeta"));
    assert.equal(error.code, "SERVER_NOT_FOUND");
    assert.ok(!error.available.includes("hidden"));
    const { tools } = await get(worker, "/api/codemode/tools?query=echo&limit=50", as("zeta"));
    assert.ok(tools.length > 0 && tools.every(({ server }) => server !== "hidden"));
    const run = await execute(worker, randomUUID(), 'return (await helpers.peer.invoke("echo", { message: "x" })).message + typeof helpers.search', {}, as("zeta"));
    assert.equal(run.result, "xfunction", JSON.stringify(run));
  });
});

describe("settings that cannot be used", { concurrency: 3 }, () => {
  const url = "http://127.0.0.1:9/mcp";
  for (const [what, setting, word] of [
    ["no JSON", "pubs=http://x", "JSON"],
    ["no list", { pubs: url }, "array"],
    ["no url", [{ name: "pubs" }], "url"],
    ["an address without a scheme", [{ name: "pubs", url: "pubs.example.com/mcp" }], "https"],
    ["an address that is not encrypted", [{ name: "pubs", url: "http://pubs.example.com/mcp" }], "https"],
    ["an address with a password", [{ name: "pubs", url: "https://user:swordfish@pubs.example.com/mcp" }], "headers"],
    ["the name db", [{ name: "db", url }], "means something else"],
    ["the name schema", [{ name: "schema", url }], "means something else"],
    ["a name with a blank", [{ name: "my pubs", url }], "begins with a letter"],
    ["a name twice", [{ name: "pubs", url }, { name: "pubs", url }], "has the same name"],
    ["a secret that is not there", [{ name: "pubs", url, headers: { authorization: "$NO_SUCH_SECRET" } }], "NO_SUCH_SECRET"],
    ["an unknown kind", [{ name: "pubs", url, kind: "soap" }], "graphql"],
    ["an unknown field", [{ name: "pubs", url, timeoutMS: 5 }], "timeoutMS"],
    ["a time limit of nothing", [{ name: "pubs", url, timeoutMs: 0 }], "timeoutMs"],
  ]) {
    test(what, async () => {
      const worker = await Worker.start({ settings: { MCP_SERVERS: typeof setting === "string" ? setting : JSON.stringify(setting) } });
      try {
        const error = await refusal(worker, "pubs", "search", {});
        assert.deepEqual([error.status, error.code], [500, "MISCONFIGURED"]);
        assert.match(error.message, /MCP_SERVERS/);
        assert.match(`${error.message} ${error.hint ?? ""}`, new RegExp(word));
        assert.ok(!error.text.includes("swordfish"));
      } finally {
        await worker.stop();
      }
    });
  }
});

test("a server that was down is asked again", async () => {
  const peer = await startPeer({ era: "legacy" });
  peer.state.failNext("server/discover", "503", 9);
  peer.state.failNext("initialize", "503", 9);
  const worker = await startWorker({ peer });
  try {
    const error = await refusal(worker, "peer", "echo", { message: "x" });
    assert.deepEqual([error.status, error.code], [502, "UPSTREAM_FAILED"]);
    const answered = await until(async () => {
      const { status, body } = await send(worker, { server: "peer", tool: "echo", args: { message: "up" } });
      return status === 200 && body;
    });
    assert.deepEqual(answered.result, { message: "up" });
  } finally {
    await Promise.all([worker.stop(), peer.close()]);
  }
});
