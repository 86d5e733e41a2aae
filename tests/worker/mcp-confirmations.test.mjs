// Tests that every removal was confirmed: by the user of a client that has forms, for exactly this
// call and once, or by an argument that names the object. Values that a model, another caller or
// another tenant invents count for nothing.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { TOKENS, Worker } from "./harness.mjs";
import { Legacy, Modern, confirmOf, send } from "./mcp-client.mjs";

const FORMS = { elicitation: {} };
const INVALID_PARAMS = -32602;
const accept = (content = { confirm: true }) => ({ confirm: { action: "accept", content } });

const OWN = { authorization: `Bearer ${TOKENS.acme}` };
const OTHER = { authorization: `Bearer ${TOKENS.zeta}` };

let worker;
before(async () => {
  const tokens = { [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" };
  worker = await Worker.start({ persistent: true, settings: { API_TOKENS: JSON.stringify(tokens) } });
});
after(() => worker.stop());

/** Makes a client whose user can be asked, with a session and a table in it. */
async function withTable({ capabilities = FORMS, headers = OWN, ...more } = {}) {
  const client = new Modern(worker, { capabilities, headers: { ...headers, "x-codemode-session": randomUUID() }, ...more });
  client.session = client.headers["x-codemode-session"];
  await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
  await client.ok("db_exec", { sql: "INSERT INTO films VALUES ('Heat'), ('Alien'), ('Brazil')" });
  return client;
}

const tables = async (client, args = {}) => (await client.ok("db_get_tables", args)).tables;

/** Returns the question of a call, which comes before any change. */
async function question(client, name, args, more) {
  const result = await client.call(name, args, more);
  assert.equal(result.resultType, "input_required", JSON.stringify(result));
  assert.deepEqual(Object.keys(result.inputRequests), ["confirm"]);
  return { state: result.requestState, ...result.inputRequests.confirm.params };
}

/** Repeats a call with the response of a user. */
const respond = (client, name, args, state, inputResponses = accept(), more = {}) =>
  client.request("tools/call", { name, arguments: args, requestState: state, inputResponses }, more);

/** Checks that a response is refused and had no effect. */
async function isRefused(client, came, what) {
  const { message, text } = came;
  const isFault = message.error !== undefined;
  const asks = message.result?.resultType === "input_required";
  const isDeclined = message.result?.isError === true;
  assert.ok(isFault || asks || isDeclined, `${what}: ${text}`);
  assert.deepEqual(await tables(client), ["films"], what);
}

/** Calls that drop the table films, in every form that SQL has for it. */
const DROPS = [
  ["db_drop_table", { table: "films" }],
  ["db_drop_table", { table: "FILMS", ifExists: true }],
  ...[
    "DROP TABLE films",
    "drop table if exists FILMS",
    "DROP/**/TABLE/**/films",
    "-- SELECT 1\nDROP TABLE films",
    "/* harmless */ DROP TABLE films -- really",
    "  \n\t DROP\n TABLE\n films ;",
    'DROP TABLE "films"',
    "DROP TABLE [films]",
    "DROP TABLE `films`",
    "DROP TABLE 'films'",
    "DROP TABLE main.films",
    'DROP TABLE "main"."films"',
    "DrOp TaBlE iF eXiStS main . films",
    "/*\u00a0*/DROP TABLE films;",
    "DROP TABLE films;;",
    "\ufeffDROP TABLE films",
  ].map((sql) => ["db_exec", { sql }]),
  ["tools_call", { server: "db", tool: "dropTable", args: { table: "films" } }],
  ["tools_call", { server: "db", tool: "exec", args: { sql: "DROP TABLE films" } }],
  ["tools_call", { server: "db", tool: "exec", args: { sql: "/**/drop table 'films'" } }],
];

describe("a client whose user can be asked", () => {
  test("drops nothing before the user agreed, however the call is written", async () => {
    const client = await withTable();
    for (const [name, args] of DROPS) {
      for (const own of [args, { ...args, confirm: "films" }]) {
        const came = await client.request("tools/call", { name, arguments: own });
        await isRefused(client, came, JSON.stringify([name, own]));
      }
    }
    const asked = await question(client, "db_exec", { sql: "DROP TABLE films" });
    assert.match(asked.message, /^Delete this table\?\n\nChecked by the database:\n- Table: “films”\n- Rows: 3\n/);
    assert.deepEqual(asked.requestedSchema.required, ["confirm"]);
  });

  test("drops what the user agreed to, once", async () => {
    for (const [name, args] of [DROPS[0], ["db_exec", { sql: "DROP TABLE films" }]]) {
      const client = await withTable();
      const { state } = await question(client, name, args);
      const came = await respond(client, name, args, state);
      assert.ok(!came.message.result?.isError && came.message.result, came.text);
      assert.deepEqual(await tables(client), []);
      await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
      const replayed = await respond(client, name, args, state);
      assert.equal(replayed.message.error?.code, INVALID_PARAMS, replayed.text);
      await isRefused(client, replayed, "replayed");
    }
  });

  test("drops nothing when the user declines, and the state is used up", async () => {
    const client = await withTable();
    const args = { table: "films" };
    const responses = [
      { confirm: { action: "decline" } },
      { confirm: { action: "cancel" } },
      accept({ confirm: false }),
      accept({}),
      { confirm: { action: "accept" } },
      { confirm: { action: "ACCEPT", content: { confirm: true } } },
      { confirm: { action: "decline", content: { confirm: true } } },
    ];
    for (const own of responses) {
      const { state } = await question(client, "db_drop_table", args);
      const came = await respond(client, "db_drop_table", args, state, own);
      assert.equal(came.message.result?.structuredContent?.error?.code, "CONFIRMATION_DECLINED", `${JSON.stringify(own)}: ${came.text}`);
      await isRefused(client, await respond(client, "db_drop_table", args, state), "a state that was declined");
    }
  });

  test("drops nothing for a response that is none", async () => {
    const client = await withTable();
    const args = { table: "films" };
    const wrong = [
      {},
      { confirm: null },
      { confirm: true },
      { confirm: "accept" },
      { confirm: ["accept", { confirm: true }] },
      { confirm: { action: "accept", content: [true] } },
      { confirm: { action: "accept", content: { confirm: "true" } } },
      { confirm: { action: "accept", content: { confirm: 1 } } },
      { confirm: { action: true, content: { confirm: true } } },
      { confirm: { content: { confirm: true } } },
      { other: accept().confirm },
      { Confirm: accept().confirm },
    ];
    for (const own of wrong) {
      const { state } = await question(client, "db_drop_table", args);
      await isRefused(client, await respond(client, "db_drop_table", args, state, own), JSON.stringify(own));
    }
    const { state } = await question(client, "db_drop_table", args);
    await isRefused(client, await client.request("tools/call", { name: "db_drop_table", arguments: args, requestState: state }), "a state without responses");
    await isRefused(client, await client.request("tools/call", { name: "db_drop_table", arguments: args, inputResponses: accept() }), "responses without a state");
  });

  test("cannot make a state up or change one", async () => {
    const client = await withTable();
    const args = { table: "films" };
    const { state } = await question(client, "db_drop_table", args);
    const [version, expiry, nonce, mac] = state.split(".");
    const later = String(Number(expiry) + 3_600_000);
    const flipped = (text) => text.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const forged = [
      "",
      "x",
      "null",
      `${version}.${later}.${nonce}.${mac}`,
      `${version}.${expiry}.${flipped(nonce)}.${mac}`,
      `${version}.${expiry}.${nonce}.${flipped(mac)}`,
      `${version}.${expiry}.${nonce}.${mac.slice(0, -2)}`,
      `${version}.${expiry}.${nonce}.${mac.toUpperCase()}`,
      `${version}.${expiry}.${nonce}.`,
      `${version}.${expiry}.${nonce}`,
      `v1.${expiry}.${nonce}.${mac}`,
      `${version}.0${expiry}.${nonce}.${mac}`,
      `${version}.+${expiry}.${nonce}.${mac}`,
      `${state}.`,
      ` ${state}`,
      `${state}\n`,
      `${state}${state}`,
      `${version}.99999999999999999999.00.00`,
      "é".repeat(1_000),
      "x".repeat(5_000),
    ];
    for (const own of forged) await isRefused(client, await respond(client, "db_drop_table", args, own), own.slice(0, 200));
    for (const own of [null, 5, [], {}, [state]]) await isRefused(client, await respond(client, "db_drop_table", args, own), JSON.stringify(own));
    assert.ok((await respond(client, "db_drop_table", args, state)).message.result, "what was refused did not use the state up");
  });

  test("cannot use a state for anything else", async () => {
    const client = await withTable();
    await client.ok("db_create_table", { name: "people", schema: "name TEXT" });
    const other = await withTable();
    const zeta = await withTable({ headers: OTHER });
    const same = new Modern(worker, { capabilities: FORMS, headers: { ...OTHER, "x-codemode-session": client.session } });
    await same.ok("db_create_table", { name: "films", schema: "title TEXT" });
    const args = { table: "films" };
    const { state } = await question(client, "db_drop_table", args);
    const swaps = [
      ["another table", client, "db_drop_table", { table: "people" }],
      ["another spelling", client, "db_drop_table", { table: "FILMS" }],
      ["another argument", client, "db_drop_table", { ...args, ifExists: true }],
      ["another target", client, "db_drop_table", { ...args, target: "persistent" }],
      ["another tool", client, "db_exec", { sql: "DROP TABLE films" }],
      ["the whole session", client, "db_delete_session", {}],
      ["another session", client, "db_drop_table", { ...args, session: other.session }],
      ["the session of another", other, "db_drop_table", args],
      ["the session of another tenant", zeta, "db_drop_table", args],
      ["the session of this name of another tenant", same, "db_drop_table", args],
    ];
    const untouched = async () => [await tables(client), await tables(other), await tables(zeta), await tables(same)];
    const before = await untouched();
    for (const [what, from, name, own] of swaps) {
      const { message, text } = await respond(from, name, own, state);
      const refused = message.error?.code === INVALID_PARAMS || message.result?.isError || message.result?.resultType === "input_required";
      assert.ok(refused, `${what}: ${text}`);
      assert.deepEqual(await untouched(), before, what);
    }
    const atOther = await respond(client, "db_drop_table", args, state, accept(), { path: "/mcp/readonly" });
    assert.equal(atOther.message.error?.code, INVALID_PARAMS, "an endpoint without the tool");
    assert.deepEqual(await untouched(), before);
  });

  test("cannot change what it has agreed to", async () => {
    const client = await withTable();
    await client.ok("db_create_table", { name: "people", schema: "name TEXT" });
    const { state } = await question(client, "db_exec", { sql: "DROP TABLE films" });
    for (const args of [{ sql: "DROP TABLE people" }, { sql: "DROP TABLE films " }, { sql: "DROP TABLE films", params: [] }, { sql: "DROP TABLE films", target: "session" }]) {
      const { message, text } = await respond(client, "db_exec", args, state);
      assert.equal(message.error?.code, INVALID_PARAMS, `${JSON.stringify(args)}: ${text}`);
    }
    assert.deepEqual((await tables(client)).sort(), ["films", "people"]);
  });

  test("wins a race for one state once", async () => {
    const client = await withTable();
    const args = { table: "films", ifExists: true };
    const { state } = await question(client, "db_drop_table", args);
    const came = await Promise.all(Array.from({ length: 10 }, () => respond(client, "db_drop_table", args, state)));
    const done = came.filter(({ message }) => message.result?.structuredContent?.dropped === true);
    assert.equal(done.length, 1, came.map(({ text }) => text).join("\n"));
  });

  test("is asked before a session goes, and the state dies with it", async () => {
    const client = await withTable();
    const { state, message } = await question(client, "db_delete_session", {});
    assert.ok(message.includes(client.session));
    const dropped = await question(client, "db_drop_table", { table: "films" });
    const came = await respond(client, "db_delete_session", {}, state);
    assert.ok(came.message.result && !came.message.result.isError, came.text);
    assert.deepEqual(await tables(client), []);
    await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
    for (const [name, args, old] of [["db_delete_session", {}, state], ["db_drop_table", { table: "films" }, dropped.state]]) {
      await isRefused(client, await respond(client, name, args, old), "a state of a session that was deleted");
    }
  });

  test("is asked for persistent tables, which the session's tables of that name are not", async () => {
    const client = await withTable();
    const name = `kept_${randomUUID().slice(0, 8)}`;
    await client.ok("db_create_table", { name, schema: "a", target: "persistent" });
    const drops = [
      ["db_drop_table", { table: name, target: "persistent" }],
      ["db_exec", { sql: `DROP TABLE ${name}`, target: "persistent" }],
      ["db_exec", { sql: `/**/drop table if exists "${name}"`, target: "persistent" }],
      ["tools_call", { server: "db", tool: "dropTable", args: { table: name, target: "persistent" } }],
    ];
    for (const [tool, args] of drops) {
      await isRefused(client, await client.request("tools/call", { name: tool, arguments: args }), JSON.stringify([tool, args]));
      assert.ok((await tables(client, { target: "persistent" })).includes(name), JSON.stringify([tool, args]));
    }
    const { state, message } = await question(client, ...drops[0]);
    assert.match(message, new RegExp(`^- Persistent table: “${name}”$`, "m"));
    await isRefused(client, await respond(client, "db_drop_table", { table: name }, state), "without its target");
    const came = await respond(client, ...drops[0], state);
    assert.ok(!came.message.result?.isError, came.text);
    assert.ok(!(await tables(client, { target: "persistent" })).includes(name));
  });

  test("finds that a program drops no persistent table, whose user cannot be asked", async () => {
    const client = await withTable();
    const name = `kept_${randomUUID().slice(0, 8)}`;
    await client.ok("db_create_table", { name, schema: "a", target: "persistent" });
    for (const call of [
      `db.exec("DROP TABLE ${name}", [], { target: "persistent" })`,
      `db.dropTable("${name}", { target: "persistent" })`,
    ]) {
      const code = `try { await helpers.${call}; return "dropped" } catch ({ code, hint }) { return { code, hint } }`;
      const { result } = await client.ok("program_run", { code });
      assert.equal(result.code, "CONFIRMATION_REQUIRED", call);
      assert.match(result.hint, /db_drop_table/, call);
      assert.ok((await tables(client, { target: "persistent" })).includes(name), call);
    }
  });

  test("is asked for a view, and not for what drops nothing", async () => {
    const client = await withTable();
    await client.ok("db_exec", { sql: "CREATE VIEW titles AS SELECT title FROM films" });
    await question(client, "db_exec", { sql: "DROP VIEW titles" });
    for (const sql of ["SELECT 'DROP TABLE films'", "DELETE FROM films WHERE title = 'DROP TABLE films'", "EXPLAIN QUERY PLAN DELETE FROM films", "UPDATE films SET title = 'drop' WHERE 0"]) {
      assert.notEqual((await client.call("db_exec", { sql })).resultType, "input_required", sql);
    }
    const error = await client.failed("db_drop_table", { table: "none" });
    assert.equal(error.code, "NO_SUCH_TABLE");
  });
});

describe("a client without forms", () => {
  test("names what it drops, exactly", async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
      const client = await withTable({ capabilities });
      for (const [name, args] of DROPS) {
        const result = await client.call(name, args);
        assert.equal(result.isError, true, JSON.stringify([name, args, result]));
        assert.deepEqual(await tables(client), ["films"], JSON.stringify([name, args]));
      }
      for (const confirm of ["", "yes", "true", "films", "FILMS ", "film", "films ", '"films"', "main.films", "*", "films 0000000000000000"]) {
        const error = await client.failed("db_drop_table", { table: "films", confirm });
        assert.deepEqual([error.code, error.hint?.includes('"films ')], ["CONFIRMATION_REQUIRED", true], confirm);
      }
      for (const confirm of [true, 1, {}, ["films"]]) await client.failed("db_drop_table", { table: "films", confirm });
      const told = confirmOf((await client.failed("db_drop_table", { table: "films" })).hint);
      // The table has changed since it was shown.
      await client.ok("db_exec", { sql: "ALTER TABLE films ADD COLUMN year" });
      assert.equal((await client.failed("db_drop_table", { table: "films", confirm: told })).code, "CONFIRMATION_REQUIRED");
      await client.confirmed("db_drop_table", { table: "films" });
      assert.deepEqual(await tables(client), []);
    }
  });

  test("gains nothing by states and responses", async () => {
    const client = await withTable({ capabilities: {} });
    const asked = await question(client, "db_drop_table", { table: "films" }, { capabilities: FORMS });
    await isRefused(client, await respond(client, "db_drop_table", { table: "films" }, asked.state), "a response without forms");
    const error = await client.failed("db_delete_session", { confirm: "films" });
    assert.equal(error.code, "CONFIRMATION_REQUIRED");
    await client.confirmed("db_delete_session", {});
  });
});

describe("a client with a session", () => {
  async function begin(capabilities = FORMS) {
    const client = await Legacy.begin(worker, { capabilities, headers: OWN });
    await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
    return client;
  }

  /** Starts a call and waits for its question. */
  async function asked(client, name, args) {
    const stream = await client.open("tools/call", { name, arguments: args });
    const { id, method } = await stream.message((message) => message.method !== undefined);
    assert.equal(method, "elicitation/create");
    return { stream, id };
  }

  test("is asked on the stream of the call", async () => {
    const client = await begin();
    for (const [outcome, code] of [
      [{ result: { action: "decline" } }, "CONFIRMATION_DECLINED"],
      [{ result: { action: "accept" } }, "CONFIRMATION_DECLINED"],
      [{ result: { action: "accept", content: { confirm: false } } }, "CONFIRMATION_DECLINED"],
    ]) {
      const { stream, id } = await asked(client, "db_drop_table", { table: "films", confirm: "films" });
      assert.equal((await client.respond(id, outcome)).status, 202);
      const { result } = await stream.whole();
      assert.equal(result.structuredContent.error.code, code);
    }
    for (const outcome of [{ result: {} }, { result: { action: "accept", content: { confirm: "true" } } }, { result: [] }, { result: null }, { error: { code: -1, message: "no" } }]) {
      const { stream, id } = await asked(client, "db_drop_table", { table: "films" });
      await client.respond(id, outcome);
      const { error, result } = await stream.whole();
      assert.ok(error !== undefined || result.isError, JSON.stringify([outcome, result]));
      assert.deepEqual(await tables(client), ["films"]);
    }
    const { stream, id } = await asked(client, "db_drop_table", { table: "films" });
    await client.respond(id, { result: { action: "accept", content: { confirm: true } } });
    assert.equal((await stream.whole()).result.structuredContent.dropped, true);
    assert.deepEqual(await tables(client), []);
  });

  test("gains nothing by responses that come before the question, and by those of others", async () => {
    const [client, other] = [await begin(), await begin()];
    const agreed = { result: { action: "accept", content: { confirm: true } } };
    for (const id of [0, 1, 2, 3, "1", "confirm"]) await client.respond(id, agreed);
    const { stream, id } = await asked(client, "db_drop_table", { table: "films" });
    await other.respond(id, agreed);
    for (const wrong of [String(id), id + 1, id - 1, `${id}.0`]) await client.respond(wrong, agreed);
    const foreign = await send(worker, "/mcp", { jsonrpc: "2.0", id, ...agreed }, { ...client.own, ...OTHER });
    assert.equal(foreign.status, 404);
    assert.deepEqual([await tables(client), await tables(other)], [["films"], ["films"]]);
    assert.equal(stream.ended, false);
    await client.respond(id, { result: { action: "decline" } });
    await client.respond(id, agreed);
    assert.equal((await stream.whole()).result.isError, true);
    assert.deepEqual(await tables(client), ["films"]);
  });

  test("gains nothing by parameters of the stateless version", async () => {
    const client = await begin({});
    const params = { name: "db_drop_table", arguments: { table: "films" }, requestState: "v1.1.1.1", inputResponses: accept() };
    const { result } = (await client.request("tools/call", params)).message;
    assert.equal(result.structuredContent.error.code, "CONFIRMATION_REQUIRED");
    await client.confirmed("db_drop_table", { table: "films" });
  });

  test("cannot be asked in a batch, and drops nothing there", async () => {
    const client = await Legacy.begin(worker, { capabilities: FORMS, headers: OWN, version: "2025-03-26" });
    await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "db_drop_table", arguments: { table: "films", confirm: "films" } } };
    const { messages } = await send(worker, "/mcp", [call], client.own);
    assert.ok(messages[0].error !== undefined || messages[0].result.isError, JSON.stringify(messages));
    assert.deepEqual(await tables(client), ["films"]);
  });

  test("can take a question back", async () => {
    const client = await begin();
    const stream = await client.open("tools/call", { name: "db_drop_table", arguments: { table: "films" } }, { id: "drop" });
    const { id } = await stream.message(({ method }) => method === "elicitation/create");
    await client.notify("notifications/cancelled", { requestId: "drop" });
    await stream.whole();
    await client.respond(id, { result: { action: "accept", content: { confirm: true } } });
    assert.deepEqual(await tables(client), ["films"]);
  });
});

test("MCP_CONFIRM=off asks nobody", async () => {
  const bold = await Worker.start({ settings: { MCP_CONFIRM: "off" } });
  try {
    for (const capabilities of [FORMS, {}]) {
      for (const [name, args] of [DROPS[0], DROPS[3], ["db_delete_session", {}]]) {
        const client = new Modern(bold, { capabilities, headers: { "x-codemode-session": randomUUID() } });
        await client.ok("db_create_table", { name: "films", schema: "title TEXT" });
        await client.ok(name, args);
        assert.deepEqual(await tables(client), []);
      }
    }
    const session = await Legacy.begin(bold, { capabilities: FORMS });
    await session.ok("db_create_table", { name: "films", schema: "title TEXT" });
    await session.ok("db_exec", { sql: "DROP TABLE films" });
    assert.deepEqual(await tables(session), []);
  } finally {
    await bold.stop();
  }
});
