// Tests of the session that a client works in, of the notifications it gets, and of its calls:
// cancelled, cut off, resumed, or many at once.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startPersonal } from "../peers/authorization.mjs";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { LEGACY, Legacy, Modern, TYPES, send, validate } from "./mcp-client.mjs";
import { startWorker } from "./tools-client.mjs";

const SECOND_TOKEN = "second-token-of-acme-0123456789";
const bearer = (token) => ({ authorization: `Bearer ${token}` });
const ACME = bearer(TOKENS.acme);
const ZETA = bearer(TOKENS.zeta);
const COUNT = { sql: "SELECT count(*) FROM t" };

const ownSession = async (client, more) => (await client.ok("db_get_tables", {}, more)).session;
const inSession = (name) => ({ headers: { ...ACME, "x-codemode-session": name } });
/** A program that writes a row from time to time, for longer than a test waits. */
const WORK = "await new Promise((done) => setTimeout(done, 20));";
const LONG = `for (let n = 0; n < 490; n++) { await helpers.db.exec('INSERT INTO t VALUES (?)', [n]); ${WORK} await progress(n / 1000, 'row ' + n); }`;
const SILENT = LONG.replace(/await progress.*?;/, "");

let worker;
before(async () => {
  const tokens = { [TOKENS.acme]: "acme", [SECOND_TOKEN]: "acme", [TOKENS.zeta]: "zeta" };
  worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify(tokens) } });
});
after(() => worker.stop());

const modern = (more) => new Modern(worker, { headers: ACME, ...more });
const legacy = (more) => Legacy.begin(worker, { headers: ACME, ...more });

describe("a call that names no session", () => {
  test("uses that of the token, or of the MCP session, and says which", async () => {
    const mine = await ownSession(modern());
    assert.equal(await ownSession(modern()), mine);
    assert.equal(await ownSession(modern({ path: "/mcp/database" })), mine);
    assert.ok((await modern().result("server/discover")).instructions.includes(`"${mine}"`));
    const [one, other] = [await legacy(), await legacy()];
    const names = [mine, await ownSession(modern({ headers: bearer(SECOND_TOKEN) })), await ownSession(modern({ headers: ZETA })), await ownSession(one), await ownSession(other)];
    assert.equal(new Set(names).size, names.length, names.join());
    assert.equal(await ownSession(one), names[3]);
    assert.ok(one.instructions.includes(`"${names[3]}"`));
    for (const name of names) assert.ok(!name.includes("token") && !name.includes(one.id) && !name.includes(other.id));
  });

  test("is the same for one token, whatever header brings it", async () => {
    const name = await ownSession(modern());
    for (const headers of [{ "x-codemode-token": TOKENS.acme }, { authorization: `bearer ${TOKENS.acme}` }, { authorization: `Bearer  ${TOKENS.acme}` }]) {
      assert.equal(await ownSession(modern({ headers })), name, JSON.stringify(headers));
    }
  });

  test("uses the one that the host names, by a header or in the URL", async () => {
    const [byHeader, byUrl, byArgument] = [randomUUID(), randomUUID(), randomUUID()];
    assert.equal(await ownSession(modern(inSession(byHeader))), byHeader);
    assert.equal(await ownSession(modern({ path: `/mcp?session=${byUrl}` })), byUrl);
    assert.equal(await ownSession(await legacy(inSession(byHeader))), byHeader);
    assert.equal(await ownSession(await legacy({ path: `/mcp?session=${byUrl}` })), byUrl);
    assert.equal((await modern(inSession(byHeader)).ok("db_get_tables", { session: byArgument })).session, byArgument);
    for (const [path, headers] of [["/mcp?session=a%20b", {}], ["/mcp?session=..", {}], ["/mcp?session=", {}], ["/mcp", { "x-codemode-session": "a/b" }], ["/mcp?sesion=a", {}]]) {
      const client = modern({ path, headers: { ...ACME, ...headers } });
      const error = await client.error("tools/call", { name: "db_get_tables" });
      assert.equal(error.status, 400, path);
    }
  });
});

test("two tenants never see each other", async () => {
  const name = randomUUID();
  const [acme, zeta] = [modern(inSession(name)), modern({ headers: { ...ZETA, "x-codemode-session": name } })];
  await acme.ok("db_exec", { sql: "CREATE TABLE secrets AS SELECT 'of acme' AS text" });
  await acme.ok("db_save_state", { key: "k", value: "of acme" });
  const seen = [
    await zeta.ok("db_get_tables"),
    await zeta.call("db_query", { sql: "SELECT * FROM secrets" }),
    await zeta.ok("db_get_state", { key: "k" }),
    await zeta.ok("db_get_metrics"),
    await zeta.call("program_run", { code: "return await helpers.db.query('SELECT * FROM secrets')" }),
    await zeta.result("resources/list"),
    (await zeta.request("resources/read", { uri: `db://${name}/tables/secrets` })).message,
    await zeta.result("resources/read", { uri: `db://${name}/schema` }),
    (await zeta.request("resources/read", { uri: `db://acme%2F${name}/schema` })).message,
    await zeta.result("completion/complete", { ref: { type: "ref/prompt", name: "analyse_data_set" }, argument: { name: "table", value: "" } }),
    await zeta.result("prompts/get", { name: "analyse_data_set", arguments: { table: "secrets", question: "?" } }),
  ];
  assert.ok(!JSON.stringify(seen).includes("of acme"));
  assert.deepEqual((await acme.ok("db_query", { sql: "SELECT * FROM secrets" })).rows, [["of acme"]]);
  const stream = await zeta.open("subscriptions/listen", { notifications: { resourcesListChanged: true, resourceSubscriptions: [`db://${name}/schema`] } });
  await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
  await acme.ok("db_exec", { sql: "CREATE TABLE more (a)" });
  await zeta.ok("db_exec", { sql: "CREATE TABLE own (a)" });
  await stream.message(({ method }) => method === "notifications/resources/list_changed");
  assert.equal(stream.messages.filter(({ method }) => method === "notifications/resources/list_changed").length, 1);
  await stream.close();
});

describe("an MCP session", () => {
  test("ends with DELETE, its stream and its calls too", async () => {
    const session = await legacy();
    await session.ok("db_create_table", { name: "t", schema: "a" });
    const name = await ownSession(session);
    const stream = await session.listen();
    const call = await session.open("tools/call", { name: "program_run", arguments: { code: LONG }, _meta: { progressToken: "p" } });
    await call.message(({ method }) => method === "notifications/progress");
    assert.equal((await session.end()).status, 200);
    await until(() => stream.ended && call.ended);
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? { jsonrpc: "2.0", id: 1, method: "ping" } : "";
      assert.equal((await send(worker, "/mcp", body, session.own, method)).status, 404);
    }
    await standsStill(modern(inSession(name)));
    assert.deepEqual((await modern(inSession(name)).ok("db_get_tables")).tables, ["t"], "the database stays");
  });

  test("that was never begun leaves nothing behind", async () => {
    const files = async () => {
      const entries = await readdir(worker.folder, { recursive: true, withFileTypes: true });
      const own = entries.filter((entry) => entry.isFile() && entry.parentPath.includes("McpSession"));
      const texts = await Promise.all(own.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")));
      return texts.filter((text) => text.includes("CREATE TABLE")).length;
    };
    const before = await files();
    for (let number = 0; number < 10; number++) {
      const own = { ...TYPES, ...ACME, "mcp-session-id": randomUUID() };
      for (const [method, body] of [["POST", { jsonrpc: "2.0", id: 1, method: "ping" }], ["GET", ""], ["DELETE", ""]]) {
        assert.equal((await send(worker, "/mcp", body, own, method)).status, 404);
      }
      await send(worker, "/mcp", { jsonrpc: "2.0", method: "initialize", params: {} }, { ...TYPES, ...ACME });
    }
    assert.equal(await files(), before);
  });

  test("ends some time after its last use", async () => {
    const ttl_ms = 1_000;
    const short = await Worker.start({ settings: { MCP_SESSION_TTL_SECONDS: String(ttl_ms / 1_000) } });
    try {
      const session = await Legacy.begin(short);
      // A request is a use of the session, so the same time must pass again without one.
      await until(async () => {
        await new Promise((done) => setTimeout(done, 2 * ttl_ms));
        return (await session.request("ping")).status === 404;
      }, 12 * ttl_ms);
    } finally {
      await short.stop();
    }
  });

  test("is one of hundreds", async () => {
    const sessions = [];
    for (let round = 0; round < 10; round++) sessions.push(...(await Promise.all(Array.from({ length: 20 }, () => legacy()))));
    const names = [];
    for (let at = 0; at < sessions.length; at += 20) names.push(...(await Promise.all(sessions.slice(at, at + 20).map((session) => session.result("ping").then(() => session.id)))));
    assert.equal(new Set(names).size, sessions.length);
  });
});

/**
 * Checks that rows are no longer written though the program is not done: their number is the same
 * after a second.
 */
async function standsStill(client) {
  const count = async () => (await client.ok("db_query", COUNT)).rows[0][0];
  let [last, since] = [await count(), performance.now()];
  await until(async () => {
    const now = await count();
    if (now !== last) [last, since] = [now, performance.now()];
    return performance.now() - since > 1_000;
  }, 15_000);
  assert.ok(last > 0 && last < 450, `${last} rows: the program was not stopped`);
}

describe("fifty clients on one session", () => {
  test("lose nothing and mix nothing up", async () => {
    const name = randomUUID();
    const clients = Array.from({ length: 50 }, (_, number) => (number % 2 === 0 ? modern(inSession(name)) : legacy(inSession(name))));
    const all = await Promise.all(clients);
    await all[0].ok("db_create_table", { name: "t", schema: "client INTEGER, n INTEGER" });
    await Promise.all(
      all.map(async (client, number) => {
        for (let n = 0; n < 4; n++) {
          const { rowsWritten } = await client.ok("db_batch_insert", { table: "t", records: [{ client: number, n }, { client: number, n: n + 100 }] });
          assert.ok(rowsWritten >= 2);
          const { rows, session } = await client.ok("db_query", { sql: "SELECT count(*), ? FROM t WHERE client = ?", params: [`of ${number}`, number] });
          assert.deepEqual([rows, session], [[[2 * (n + 1), `of ${number}`]], name]);
        }
        if (number % 5 === 0) assert.equal((await client.ok("program_run", { code: "return input * 2", input: number })).result, number * 2);
      }),
    );
    assert.deepEqual((await all[1].ok("db_query", COUNT)).rows, [[400]]);
  });

  test("share one MCP session as well", async () => {
    const session = await legacy();
    await session.ok("db_create_table", { name: "t", schema: "n" });
    await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const { message } = await session.request("tools/call", { name: "db_query", arguments: { sql: "SELECT ?", params: [number] } }, { id: `call-${number}` });
        assert.deepEqual([message.id, message.result.structuredContent.rows], [`call-${number}`, [[number]]]);
      }),
    );
    const same = await Promise.all(Array.from({ length: 5 }, () => session.request("tools/call", { name: "program_run", arguments: { code: "return 1" } }, { id: "same" })));
    assert.ok(same.filter(({ message }) => message.result).length >= 1);
    assert.ok(same.every(({ message, status }) => status === 200 && message.id === "same"));
  });
});

describe("a stream", () => {
  const updated = ({ method }) => method === "notifications/resources/updated";
  const listed = ({ method }) => method === "notifications/resources/list_changed";

  test("of a session tells of what was subscribed to, once", async () => {
    const session = await legacy();
    const name = await ownSession(session);
    const uri = `db://${name}/tables/t`;
    await session.result("resources/subscribe", { uri });
    const [first, second] = [await session.listen(), await session.listen()];
    await until(() => first.ended || second.text !== "");
    await session.ok("db_create_table", { name: "t", schema: "a" });
    await session.ok("db_exec", { sql: "INSERT INTO t VALUES (1)" });
    await until(() => [...first.messages, ...second.messages].filter(updated).length === 2);
    assert.ok([...first.messages, ...second.messages].some(listed));
    const ids = [...first.ids, ...second.ids].filter((id) => id !== undefined && !id.endsWith("-0"));
    assert.equal(new Set(ids).size, ids.length, "a message goes to one stream");
    await session.result("resources/unsubscribe", { uri });
    await session.ok("db_exec", { sql: "INSERT INTO t VALUES (2)" });
    await session.ok("db_create_table", { name: "u", schema: "a" });
    await until(() => [...first.messages, ...second.messages].filter(listed).length === 2);
    assert.equal([...first.messages, ...second.messages].filter(updated).length, 2);
    await Promise.all([first.close(), second.close()]);
  });

  test("tells of a session that was deleted and began again", async () => {
    const session = await legacy();
    const name = await ownSession(session);
    const uri = `db://${name}/schema`;
    await session.result("resources/subscribe", { uri });
    const stream = await session.listen();
    await session.ok("db_create_table", { name: "t", schema: "a" });
    await stream.message(updated);
    await session.confirmed("db_delete_session", {});
    await until(() => stream.messages.filter(updated).length >= 2);
    const before = stream.messages.filter(updated).length;
    await session.ok("db_create_table", { name: "again", schema: "a" });
    await until(() => stream.messages.filter(updated).length > before, 10_000);
    await stream.close();
  });

  test("of the stateless version tells of what it agreed to, and ends when it is left", async () => {
    const name = randomUUID();
    const client = modern(inSession(name));
    const uris = [`db://${name}/tables/t`, `db://${name}/schema`];
    const wanted = { resourcesListChanged: true, toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [...uris, "nonsense"] };
    const stream = await client.open("subscriptions/listen", { notifications: wanted }, { id: "mine" });
    const first = await stream.message(() => true);
    assert.deepEqual(first.params.notifications, { resourcesListChanged: true, resourceSubscriptions: uris });
    await client.ok("db_create_table", { name: "t", schema: "a" });
    await client.ok("db_exec", { sql: "INSERT INTO t VALUES (1)" });
    await until(() => stream.messages.length >= 6);
    assert.ok(stream.messages.every(({ params }) => params._meta["io.modelcontextprotocol/subscriptionId"] === "mine"));
    const told = stream.messages.filter(updated).map(({ params }) => params.uri);
    assert.deepEqual(new Set(told), new Set(uris));
    await stream.close();
    // The watchers of a session are limited, so those that were left open must be gone soon.
    for (let round = 0; round < 40; round++) {
      await until(async () => {
        const another = await client.open("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
        const message = await another.message(() => true);
        await another.close();
        return message.method === "notifications/subscriptions/acknowledged";
      }, 3_000);
    }
  });
});

describe("a call that is not waited for", () => {
  for (const moment of ["at once", "after its first notification"]) {
    test(`is stopped in the stateless version: left ${moment}`, async () => {
      const client = modern(inSession(randomUUID()));
      await client.ok("db_create_table", { name: "t", schema: "n" });
      const extra = moment === "at once" ? {} : { progressToken: "p" };
      const { body, headers } = client.compose("tools/call", { name: "program_run", arguments: { code: moment === "at once" ? SILENT : LONG, timeoutMs: 60_000 } }, { extra });
      const controller = new AbortController();
      const sent = worker.fetch("/mcp", { method: "POST", body: JSON.stringify(body), headers, signal: controller.signal }).then((response) => response.text()).catch(() => undefined);
      await until(async () => (await client.ok("db_query", COUNT)).rows[0][0] > 0);
      controller.abort();
      await sent;
      await standsStill(client);
    });
  }

  test("is stopped by its client in a session, and the next one runs", async () => {
    const session = await legacy();
    await session.ok("db_create_table", { name: "t", schema: "n" });
    const stream = await session.open("tools/call", { name: "program_run", arguments: { code: LONG, timeoutMs: 60_000 }, _meta: { progressToken: 1 } }, { id: "long" });
    await stream.message(({ method }) => method === "notifications/progress");
    const other = await legacy();
    await other.notify("notifications/cancelled", { requestId: "long" });
    await session.notify("notifications/cancelled", { requestId: "other" });
    assert.equal(stream.ended, false);
    await session.notify("notifications/cancelled", { requestId: "long", reason: "enough" });
    await stream.whole();
    await standsStill(session);
    assert.equal((await session.ok("program_run", { code: "return 7" })).result, 7);
  });

  test("goes on in a session whose connection broke, and its response can be fetched", async () => {
    const session = await legacy();
    await session.ok("db_create_table", { name: "t", schema: "n" });
    await session.ok("db_create_table", { name: "gate", schema: "n" });
    const code = `for (let n = 0; n < 300; n++) {
      ${WORK}
      await progress(n / 1000, 'step ' + n);
      const [{ open }] = await helpers.db.query('SELECT count(*) AS open FROM gate');
      if (open > 0) return 'done';
    }
    return 'nobody opened the gate';`;
    const call = await session.open("tools/call", { name: "program_run", arguments: { code, timeoutMs: 60_000 }, _meta: { progressToken: "p" } }, { id: "call" });
    await call.message(({ method }) => method === "notifications/progress");
    const place = call.ids.filter((id) => id !== undefined).at(-1);
    const seen = call.messages.length;
    await call.close();
    await session.ok("db_exec", { sql: "INSERT INTO gate VALUES (1)" });
    const again = await session.listen(place);
    assert.equal(again.status, 200);
    const response = await again.message(({ id }) => id === "call");
    assert.equal(response.result.structuredContent.result, "done");
    await until(() => again.ended);
    const steps = [...call.messages.slice(0, seen), ...again.messages].filter(({ method }) => method).map(({ params }) => params.progress);
    assert.deepEqual(steps, [...steps].sort((one, two) => one - two), "nothing twice, nothing out of order");
    assert.equal(new Set(steps).size, steps.length);
    const twice = await session.listen(place);
    await until(() => twice.ended);
    assert.deepEqual(twice.messages.at(-1), response);
    const other = await legacy();
    const foreign = await other.listen(place);
    await until(() => foreign.ended || foreign.status === 200);
    await foreign.close();
    assert.ok(!foreign.text.includes("done") && !foreign.text.includes("step"), foreign.text);
  });

  test("leaves time for others, however busy its program is", async () => {
    const client = modern(inSession(randomUUID()));
    const code = "for (let n = 0; n < 150; n++) await helpers.db.query('WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) SELECT count(*) FROM c'); return 1;";
    let isDone = false;
    const run = client.ok("program_run", { code }).finally(() => (isDone = true));
    const other = modern(inSession(randomUUID()));
    for (let round = 0; round < 5; round++) {
      await other.ok("db_get_tables");
      assert.equal(isDone, false, `${round} requests were served beside the program`);
    }
    await run;
  });

  test("has no place for nonsense", async () => {
    const session = await legacy();
    for (const id of ["x", "1", "-", "1-", "-1", "1-2-3", "0x1-1", "1.0-1", "+1-+1", "99-5", "18446744073709551615-0", "18446744073709551616-0", "1-99999999999999999999", `${"9".repeat(3_000)}-1`]) {
      const stream = await session.listen(id);
      await stream.close();
      assert.ok(stream.status >= 400 && stream.status < 500, `${id}: ${stream.status} ${stream.text}`);
    }
    assert.deepEqual(await session.result("ping"), {});
  });
});

test("secrets are in no log, no dump and no file", async () => {
  const PASSED = "alice-0123456789-abcdef";
  const peer = await startPersonal({ era: "modern" });
  const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) };
  const other = await startWorker({ mine: { url: peer.url, passThrough: "authorization" } }, { settings });
  try {
    const name = randomUUID();
    const headers = { ...ACME, "x-codemode-session": name, "x-codemode-auth-mine": `Bearer ${PASSED}` };
    const clients = [new Modern(other, { headers, capabilities: { elicitation: {} } }), await Legacy.begin(other, { headers, capabilities: {} })];
    for (const client of clients) {
      await client.call("tools_search", {});
      const found = await client.ok("tools_call", { server: "mine", tool: "whoami", args: {} });
      assert.equal(found.result.caller, "alice");
      await client.call("program_run", { code: "console.log(await helpers.mine.whoami({})); return await helpers.mine.whoami({})" });
      await client.failed("tools_call", { server: "mine", tool: "none", args: {} });
      await client.ok("db_create_table", { name: "t", schema: "a" });
    }
    const { requestState } = await clients[0].call("db_drop_table", { table: "t" });
    await clients[0].request("tools/call", { name: "db_drop_table", arguments: { table: "t" }, requestState: requestState.replace(/.$/, "x"), inputResponses: { confirm: { action: "accept" } } });
    const stream = await clients[1].listen();
    await stream.close();
    await send(other, "/mcp", "{", { ...TYPES, ...headers, "mcp-method": TOKENS.acme });
    const told = [];
    for (const path of ["dump", "executions", ""]) told.push(await (await other.fetch(`/api/codemode/sessions/${name}${path && `/${path}`}`, { headers: ACME })).text());
    const entries = await readdir(other.folder, { recursive: true, withFileTypes: true });
    const files = await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")));
    await until(() => other.logs.length > 5);
    const texts = { logs: other.logs.join("\n"), told: told.join("\n"), files: files.join("\n") };
    for (const [where, text] of Object.entries(texts)) {
      for (const secret of [TOKENS.acme, PASSED, requestState, requestState.split(".").at(-1)]) assert.ok(text.length > 0 && !text.includes(secret), `${where}: ${secret}`);
    }
  } finally {
    await other.stop();
    await peer.close();
  }
});

test("a session goes on after the Worker was killed, and a call that was lost says so", async () => {
  const session = await legacy();
  await session.ok("db_create_table", { name: "t", schema: "n" });
  await session.result("resources/subscribe", { uri: `db://${await ownSession(session)}/schema` });
  const call = await session.open("tools/call", { name: "program_run", arguments: { code: LONG, timeoutMs: 60_000 }, _meta: { progressToken: "p" } }, { id: "lost" });
  await call.message(({ method }) => method === "notifications/progress");
  const place = call.ids.find((id) => id !== undefined);
  await session.result("ping");
  await worker.kill();
  await call.reading;
  const stream = await session.listen(place);
  const { error } = await stream.message(({ id }) => id === "lost");
  assert.match(error.message, /interrupted/);
  await stream.close();
  const listening = await session.listen();
  await session.ok("db_create_table", { name: "after", schema: "n" });
  await listening.message(({ method }) => method === "notifications/resources/updated");
  await listening.close();
  assert.deepEqual(await session.result("ping"), {});
  assert.equal(session.version, LEGACY);
});

describe("a session of another tenant", () => {
  test("is none, and a request without a token is none's", async () => {
    const session = await legacy();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (const [method, body] of [["POST", ping], ["GET", ""], ["DELETE", ""]]) {
      const accept = method === "GET" ? { accept: "text/event-stream" } : {};
      const foreign = await send(worker, "/mcp", body, { ...session.own, ...accept, ...ZETA }, method);
      assert.equal(foreign.status, 404, `${method}: ${foreign.text}`);
      for (const authorization of ["", "Bearer", "Bearer x", `Basic ${TOKENS.acme}`, TOKENS.acme]) {
        const nobody = await send(worker, "/mcp", body, { ...session.own, ...accept, authorization }, method);
        assert.equal(nobody.status, 401, `${method} ${authorization}: ${nobody.text}`);
        assert.ok(!nobody.text.includes(TOKENS.acme));
        validate(LEGACY, "ping", nobody.messages);
      }
    }
    assert.deepEqual(await session.result("ping"), {});
  });
});
