// Tests of slips that programs and clients make with tools, and of servers that are at fault: each
// is reported, and nothing is lost in silence.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { listen, readJson } from "../../demo/servers/mcp.mjs";
import { startPeer } from "../peers/peer.mjs";
import { until } from "../until.mjs";
import { execute, failure, result } from "./program-client.mjs";
import { answer, call, get, refusal, send, startWorker } from "./tools-client.mjs";

const SECRET = "sk/live+abc/0123456789";

/** Starts a server of the modern protocol version that returns the given text unchanged. */
async function startPlain(answerOf) {
  const seen = [];
  const { url, close } = await listen(async (request, response) => {
    const message = await readJson(request);
    seen.push(message);
    const tools = [{ name: "ask", inputSchema: { type: "object", properties: { query: { type: "string" }, year: { type: "integer" } } } }];
    const listed = () => ({ type: "application/json", body: `{"jsonrpc":"2.0","id":${message.id},"result":{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","tools":${JSON.stringify(tools)}}}` });
    const { status = 200, type, body } = message.method === "tools/list" ? (answerOf.list?.(message) ?? listed()) : answerOf(message, request);
    if (body === null) return;
    response.writeHead(status, { "content-type": type });
    response.end(body);
  });
  return { url: `${url}/mcp`, seen, close };
}

const complete = (message, result) => ({ type: "application/json", body: `{"jsonrpc":"2.0","id":${message.id},"result":{"resultType":"complete",${result}}}` });

describe("with a server that answers", () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer();
    worker = await startWorker({ peer });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));
  const run = (code, more) => result(worker, randomUUID(), code, more);

  test("what a program sets on a result is stored and returned", async () => {
    const seen = await run(`
      const got = await helpers.peer.echo({ message: "x" });
      got.meta = { source: "mine" };
      Object.assign(got, { data: [1], error: "e" });
      await helpers.db.createTable("kept", "message TEXT, data TEXT, error TEXT, meta TEXT");
      await helpers.db.batchInsert("kept", [got]);
      return [got, await helpers.db.query("SELECT data, error FROM kept")];`);
    assert.deepEqual(seen, [{ message: "x", meta: { source: "mine" }, data: [1], error: "e" }, [{ data: "[1]", error: "e" }]]);
  });

  test("what is undefined is left out, and what JSON lacks is refused with its name", async () => {
    assert.deepEqual(await run('return await helpers.peer.echo({ message: "x", more: { a: undefined, b: null, c: 9007199254740993n, d: new Date(0) } })'), {
      message: "x", more: { b: null, c: 9007199254740993, d: "1970-01-01T00:00:00.000Z" },
    });
    for (const [value, word] of [["NaN", /more is NaN/], ["new Uint8Array(2)", /bytes/], ["new Map()", /Map/], ["Promise.resolve(1)", /Promise/], ['"\\ud800"', /surrogate/]]) {
      const { error } = await run(`const got = await helpers.peer.echo({ message: "x", more: ${value} });\nreturn { error: got.error }`);
      assert.equal(error.code, "INVALID_ARGUMENT");
      assert.match(error.message, word);
    }
  });

  test("misspelt options and fields do not pass in silence", async () => {
    const { error } = await run('const got = await helpers.peer.echo({ message: "x" }, { stge: true });\nreturn { error: got.error }');
    assert.deepEqual([error.code, error.message], ["INVALID_ARGUMENT", "there is no option stge"]);
    assert.match(error.hint, /stage/);
    const refused = await refusal(worker, "peer", "echo", { message: "x" }, { stge: true });
    assert.deepEqual([refused.status, refused.code, refused.hint], [400, "INVALID_ARGUMENT", "did you mean `stage`?"]);
    assert.match((await send(worker, { server: "peer", tool: "echo", arguments: { message: "x" } })).body.error.hint, /args/);
    const unnamed = await run("const got = await helpers.peer.invoke();\nreturn { error: got.error }");
    assert.match(unnamed.error.message, /name of a tool/);
  });

  test("a parameter that the schema lets pass and does not know is doubted", async () => {
    const doubted = await send(worker, { server: "peer", tool: "echo", args: { message: "x", mroe: 1 } });
    assert.match(doubted.body.meta.notice, /the tool has no parameter `mroe`: did you mean `more`\?/);
    const program = await execute(worker, randomUUID(), 'return await helpers.peer.echo({ message: "x", mroe: 1 })');
    assert.match(program.logs[0].text, /did you mean `more`/);
    const large = await answer(worker, "peer", "big", { n: 500, byts: 1 });
    assert.match(large.meta.notice, /did you mean `bytes`/, "a large answer has no room for the doubt");
    assert.match(large.meta.notice, /session/);
  });

  test("a search takes its words in either form", async () => {
    assert.deepEqual(await run('return (await helpers.search({ query: "adds integers", limit: 1 })).map(({ name }) => name)'), ["add"]);
    assert.match((await failure(worker, randomUUID(), "return await helpers.search(5)")).message, /words of a search/);
  });

  test("a program that takes a receipt or a failure for data is told what it has", async () => {
    const staged = await execute(worker, randomUUID(), "const rows = await helpers.peer.big({ n: 1001 });\nreturn rows.map((row) => row.id)");
    assert.match(staged.error.hint, /staged: true/);
    assert.match(staged.logs[0].text, /into tables of the session.*stage: false/);
    const failed = await execute(worker, randomUUID(), "const rows = await helpers.peer.failing();\nreturn rows.map((row) => row.id)");
    assert.match(failed.error.hint, /ok: false/);
    const called = await execute(worker, randomUUID(), 'return await helpers.peer({ message: "x" })');
    assert.match(called.error.hint, /helpers\.peer\.invoke/);
  });

  test("a call that the end of the run cancels stands in its list of calls", async () => {
    const key = randomUUID();
    const run = await execute(worker, randomUUID(), `helpers.peer.slow({ key: "${key}" });\nreturn await helpers.peer.echo({ message: "done" })`);
    assert.deepEqual(run.calls.map(({ tool, ok, code }) => [tool, ok, code]), [["echo", true, undefined], ["slow", false, "EXECUTION_ABORTED"]]);
    await until(() => peer.state.slow.find((one) => one.key === key)?.cancelled);
  });

  test("helpers that an earlier run kept in a global work in the next", async () => {
    const session = randomUUID();
    const code = 'globalThis.kept ??= helpers.peer;\nreturn await kept.echo({ message: "again" })';
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await result(worker, session, code, { reuse: true }), { message: "again" });
  });

  test("operations of the session have hints of their own", async () => {
    const error = await refusal(worker, "db", "persist", {}, { session: "slips" });
    assert.match(error.hint, /the operations are .*query/);
  });
});

describe("with a server that sends secrets back", () => {
  const spellings = {
    "as it is": JSON.stringify({ auth: SECRET }),
    "with escaped slashes": JSON.stringify({ auth: SECRET }).replaceAll("/", "\\/"),
    "in letters": `{"auth":"${[...SECRET].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`,
  };
  for (const [name, json] of Object.entries(spellings)) {
    test(`${name}, it is struck out`, async () => {
      const plain = await startPlain((message) => complete(message, message.params.arguments.query === "inside" ? `"content":[{"type":"text","text":${JSON.stringify(json)}}]` : `"content":[],"structuredContent":${json}`));
      const worker = await startWorker({ plain: { url: plain.url, headers: { authorization: "Bearer $SECRET" } } }, { settings: { SECRET } });
      try {
        for (const query of ["outside", "inside"]) assert.deepEqual(await call(worker, "plain", "ask", { query }), { auth: "[secret]" });
        assert.deepEqual(await result(worker, randomUUID(), 'return await helpers.plain.ask({ query: "inside" })'), { auth: "[secret]" });
      } finally {
        await Promise.all([worker.stop(), plain.close()]);
      }
    });
  }

  test("progress, types and keys written into the environment variable are no way out either", async () => {
    const progress = (message, request) => `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${message.id},"progress":1,"message":"${request.headers.authorization}"}}\n\n`;
    const plain = await startPlain((message, request) => {
      if (message.params.arguments.query === "type") return { type: `text/${request.headers["x-api-key"]}`, body: "x" };
      return { type: "text/event-stream", body: `${progress(message, request)}data: ${complete(message, '"content":[]').body}\n\n` };
    });
    const worker = await startWorker({ plain: { url: plain.url, headers: { authorization: "Bearer $SECRET", "x-api-key": "literal-key-123" } } }, { settings: { SECRET } });
    try {
      const live = await worker.fetch("/api/codemode/execute", { method: "POST", headers: { accept: "text/event-stream" }, body: JSON.stringify({ session: "s", code: "return await helpers.plain.ask({})" }) });
      const text = await live.text();
      assert.match(text, /event: progress\ndata: .*Bearer \[secret\]/);
      const error = await refusal(worker, "plain", "ask", { query: "type" });
      assert.match(error.message, /\[secret\]/);
      assert.ok(!`${text}${error.text}`.includes(SECRET) && !error.text.includes("literal-key"));
    } finally {
      await Promise.all([worker.stop(), plain.close()]);
    }
  });
});

test("what a server calls things is known under its own name", async () => {
  const peer = await startPeer();
  const worker = await startWorker({ papers: { ...peer, mappings: "entrez" }, plain: peer });
  try {
    const code = 'return [getSafeColumnName("papers", "publication_date"), SERVER_COLUMN_MAPPINGS.papers.publication_date, getSafeColumnName("plain", "publication_date")]';
    assert.deepEqual(await result(worker, randomUUID(), code), ["year", "year", "publication_date"]);
    assert.equal(await result(worker, randomUUID(), "return JSON.stringify(SERVER_COLUMN_MAPPINGS).includes('plain')"), false);
  } finally {
    await Promise.all([worker.stop(), peer.close()]);
  }
});

test("a server that hangs costs those who wait together one wait, and searches none", async () => {
  const hung = () => ({ body: null });
  hung.list = hung;
  const plain = await startPlain(hung);
  const worker = await startWorker({ plain: { url: plain.url, timeoutMs: 1_000 } });
  try {
    const codes = await result(worker, randomUUID(), "const all = await Promise.all(Array.from({ length: 10 }, () => helpers.plain.ask({})));\nreturn all.map((one) => one.error.code)");
    assert.deepEqual(new Set(codes), new Set(["UPSTREAM_TIMEOUT"]));
    // One request that detects the protocol version, and one for the list.
    const asked = plain.seen.length;
    assert.ok(asked <= 2, `${asked} requests for ten calls: ${plain.seen.map(({ method }) => method)}`);
    const { unavailable } = await get(worker, "/api/codemode/tools?query=x");
    assert.deepEqual([unavailable[0].server, unavailable[0].error.code], ["plain", "UPSTREAM_TIMEOUT"]);
    assert.equal(plain.seen.length, asked, "the search did not ask again");
  } finally {
    await Promise.all([worker.stop(), plain.close()]);
  }
});
