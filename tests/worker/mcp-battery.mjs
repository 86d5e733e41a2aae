// The checks that every MCP client must pass with the product, as far as the client itself is able:
// see the table in `mcp-clients.mjs`.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { confirmOf } from "./mcp-client.mjs";
import { MODERN, OLDER, stopClients } from "./mcp-clients.mjs";

/** A program that reports that it runs, and ends when the state `go` is set. */
export const WAITING = `
  console.log("the program runs");
  progress("waiting", 0.5);
  await helpers.db.saveState("runs", true);
  while ((await helpers.db.getState("go")) === null) await new Promise((done) => setTimeout(done, 50));
  return "went on";`;
/** The longest time that a program may take. */
const PATIENT_MS = 300_000;

const TABLE = { type: "ref/resource", uri: "db://{session}/tables/{table}{?offset,limit}" };

/** Runs the checks for each of `clients`, on one Worker without tokens and one with. */
export function drive(clients) {
  let local;
  let guarded;
  before(async () => {
    [local, guarded] = await Promise.all([Worker.start(), Worker.start({ settings: { API_TOKENS: JSON.stringify(tenants()) } })]);
  });
  after(async () => {
    stopClients();
    await Promise.all([local?.stop(), guarded?.stop()]);
  });
  for (const client of clients) {
    describe(client.name, { concurrency: true }, () => driveOne(client, () => local, () => guarded));
  }
}

const tenants = () => Object.fromEntries(Object.entries(TOKENS).map(([tenant, token]) => [token, tenant]));

/** Opens a connection to its own session; it is closed after the test. */
async function open(context, client, worker, { name = `mcp-${randomUUID()}`, token, ...options } = {}) {
  const connection = await client.connect({ url: `${worker.url}/mcp?session=${name}`, token, ...options });
  context.after(() => connection.close());
  const session = worker.session(name, token === undefined ? {} : { authorization: `Bearer ${token}` });
  return { connection, session };
}

/** Returns the runs of a session, newest first. */
export async function executions(session) {
  return (await (await session.fetch("/executions")).json()).executions;
}

/** Makes a table with rows, in a session that HTTP fills. */
async function films(session, rows = 3) {
  await session.exec("CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT)");
  await session.exec(
    `INSERT INTO films WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${rows}) SELECT i, 'film ' || i FROM n`,
  );
}

const titles = async (session) => (await session.query("SELECT title FROM films ORDER BY id")).results.map(({ title }) => title);

function driveOne(client, local, guarded) {
  const can = (what) => CAN[what](client);

  test("speaks its version and lists the tools", async (context) => {
    const { connection } = await open(context, client, local());
    assert.equal(connection.protocol, client.version);
    const tools = await connection.tools();
    assert.deepEqual(
      ["program_run", "db_query", "db_drop_table"].filter((name) => !tools.some((tool) => tool.name === name)),
      [],
    );
    assert.ok(tools.every(({ description, inputSchema }) => description && inputSchema.type === "object"));
  });

  test("is the tenant that its token names, and nobody without one", async (context) => {
    const name = `mcp-${randomUUID()}`;
    const [acme, zeta] = await Promise.all([TOKENS.acme, TOKENS.zeta].map((token) => open(context, client, guarded(), { name, token })));
    await acme.connection.call("db_create_table", { name: "films", schema: "id INTEGER" });
    assert.deepEqual((await acme.connection.call("db_get_tables", {})).structured.tables, ["films"]);
    assert.deepEqual((await zeta.connection.call("db_get_tables", {})).structured.tables, []);
    for (const token of [undefined, "a token of nobody"]) {
      // A client with a fixed version connects without a request.
      const refused = open(context, client, guarded(), { token }).then(({ connection }) => connection.tools());
      await assert.rejects(refused, (error) => !String(error).includes("token-of-acme"));
    }
  });

  test("executes a program whose tables it queries afterwards", async (context) => {
    const { connection, session } = await open(context, client, local());
    const code = `
      await helpers.db.createTable("films", "id INTEGER PRIMARY KEY, title TEXT");
      await helpers.db.batchInsert("films", [{ id: 1, title: "Solaris" }, { id: 2, title: "Stalker" }]);
      return { written: 2 };`;
    const ran = await connection.call("program_run", { code });
    assert.equal(ran.isError, false, ran.text);
    assert.deepEqual([ran.structured.session, ran.structured.result], [session.name, { written: 2 }]);
    const { structured, text } = await connection.call("db_query", { sql: "SELECT title FROM films ORDER BY id" });
    assert.deepEqual([structured.columns, structured.rows, structured.session], [["title"], [["Solaris"], ["Stalker"]], session.name]);
    assert.ok(text.includes(session.name) && text.includes("Stalker"), text);
  });

  test("keeps its tables without a word of sessions", async (context) => {
    const connect = async () => {
      const connection = await client.connect({ url: `${guarded().url}/mcp`, token: TOKENS.zeta });
      context.after(() => connection.close());
      return connection;
    };
    const [one, other] = await Promise.all([connect(), connect()]);
    const name = `t${randomUUID().replaceAll("-", "")}`;
    const { session } = (await one.call("db_create_table", { name, schema: "id INTEGER" })).structured;
    assert.match(session, /^mcp-[0-9a-f]{16}$/);
    assert.ok((await one.call("db_get_tables", {})).structured.tables.includes(name));
    // An older client has a session for each connection, a client of the stateless version one for
    // its token.
    assert.equal((await other.call("db_get_tables", {})).structured.tables.includes(name), client.version === MODERN);
    const named = await other.call("db_get_tables", { session });
    assert.deepEqual([named.structured.session, named.structured.tables.includes(name)], [session, true]);
  });

  test("reads an error that says how to go on", async (context) => {
    const { connection, session } = await open(context, client, local());
    await films(session);
    const { isError, text } = await connection.call("db_query", { sql: "SELECT titel FROM films" });
    assert.equal(isError, true);
    assert.ok(text.includes("NO_SUCH_COLUMN") && text.includes("title"), text);
  });

  test("pages through a large query with nextCursor", async (context) => {
    const { connection, session } = await open(context, client, local());
    await films(session, 2_500);
    const sql = "SELECT id, title FROM films ORDER BY id";
    const ids = [];
    let pages = 0;
    for (let cursor; pages === 0 || cursor; pages += 1) {
      const { structured, text } = await connection.call("db_query", { sql, ...(cursor ? { cursor } : {}) });
      ids.push(...structured.rows.map(([id]) => id));
      cursor = structured.nextCursor;
      assert.equal(structured.truncated, Boolean(cursor));
      assert.equal(text.includes("cursor"), Boolean(cursor));
    }
    assert.deepEqual(ids, Array.from({ length: 2_500 }, (_, index) => index + 1));
    assert.ok(pages > 2, `${pages} pages`);
  });

  if (can("end")) {
    test("ends its session, which is unknown from then on", async (context) => {
      const { connection, session } = await open(context, client, local());
      await films(session);
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-session-id": connection.sessionId() };
      const ping = () => local().fetch("/mcp", { method: "POST", headers, body: '{"jsonrpc":"2.0","id":"ping","method":"ping"}' });
      assert.equal((await ping()).status, 200);
      await connection.end();
      await assert.rejects(connection.call("db_get_tables", {}));
      assert.equal((await ping()).status, 404);
      // The tables belong to another session than that of the protocol.
      assert.equal((await titles(session)).length, 3);
    });
  }

  if (can("progress")) {
    test("hears the progress and the log of a program while it runs", async (context) => {
      const log = [];
      const { connection, session } = await open(context, client, local(), { onLog: (data) => log.push(data) });
      if (connection.setLevel) await connection.setLevel("info");
      const told = [];
      const onProgress = (progress) => {
        told.push(progress);
        // The program ends only if this message has arrived.
        if (told.length === 1) void session.ok("saveState", { key: "go", value: true });
      };
      const { structured } = await connection.call("program_run", { code: WAITING }, { onProgress });
      assert.equal(structured.result, "went on");
      assert.ok(told[0].message.includes("waiting") && told[0].message.includes("50"), JSON.stringify(told));
      await until(() => JSON.stringify(log).includes("the program runs"));
    });
  }

  if (can("cancel")) {
    test("cancels a long call, and the program stops", async (context) => {
      const { connection, session } = await open(context, client, local());
      const stop = new AbortController();
      const call = connection.call("program_run", { code: WAITING, timeoutMs: PATIENT_MS }, { signal: stop.signal });
      const outcome = assert.rejects(call);
      await until(async () => (await session.ok("getState", { key: "runs" })).value);
      stop.abort();
      await outcome;
      const [run] = await until(async () => {
        const runs = await executions(session);
        return runs.length > 0 && runs;
      });
      assert.equal(run.outcome, "EXECUTION_ABORTED");
      // The connection still works.
      assert.equal((await connection.call("db_query", { sql: "SELECT 1" })).structured.rowCount, 1);
    });
  }

  if (can("elicit")) {
    test("asks its user before a table is dropped, and drops it only where the user accepts", async (context) => {
      const questions = [];
      let response;
      const onElicit = (params) => {
        questions.push(params);
        return response;
      };
      const { connection, session } = await open(context, client, local(), { onElicit });
      await films(session);
      for (const refusal of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { confirm: false } }]) {
        response = refusal;
        // The argument does not count if there is a person to ask, because a model could write it
        // by itself.
        const { isError, text } = await connection.call("db_drop_table", { table: "films", confirm: "films" });
        assert.equal(isError, true, JSON.stringify(refusal));
        assert.ok(text.includes("CONFIRMATION_DECLINED"), text);
        assert.equal((await titles(session)).length, 3);
      }
      response = { action: "accept", content: { confirm: true } };
      const { isError, structured, text } = await connection.call("db_drop_table", { table: "films" });
      assert.equal(isError, false, text);
      assert.equal(structured.dropped, true);
      assert.deepEqual((await session.ok("getTables")).tables, []);
      assert.equal(questions.length, 4);
      assert.ok(questions.every(({ message }) => message.includes("- Table: “films”\n- Rows: 3\n") && message.includes(session.name)));
      assert.deepEqual(Object.keys(questions[0].requestedSchema.properties), ["confirm"]);
    });
  }

  test("names what it deletes where its user cannot be asked", async (context) => {
    const { connection, session } = await open(context, client, local());
    await films(session);
    let told = "";
    for (const confirm of [{}, { confirm: "other" }, { confirm: "films" }]) {
      const { isError, text } = await connection.call("db_exec", { sql: "DROP TABLE films", ...confirm });
      assert.equal(isError, true);
      assert.ok(text.includes("CONFIRMATION_REQUIRED") && text.includes("3 rows"), text);
      told = confirmOf(text);
    }
    assert.equal((await titles(session)).length, 3);
    const { isError, text } = await connection.call("db_exec", { sql: "DROP TABLE films", confirm: told });
    assert.equal(isError, false, text);
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });

  test("reads the schema and the rows of a table as resources", async (context) => {
    const { connection, session } = await open(context, client, local());
    await films(session);
    const uris = (await connection.resources()).map(({ uri }) => uri);
    const [schema, table] = [`db://${session.name}/schema`, `db://${session.name}/tables/films`];
    assert.ok(uris.includes(schema) && uris.includes(table), uris.join(" "));
    assert.deepEqual(
      (await connection.templates()).map(({ uriTemplate }) => uriTemplate),
      ["db://{session}/schema", TABLE.uri],
    );
    assert.equal(JSON.parse(await connection.read(schema)).tables[0].name, "films");
    const first = JSON.parse(await connection.read(`${table}?offset=0&limit=2`));
    assert.deepEqual(first.rows.map(([id]) => id), [1, 2]);
    assert.deepEqual(JSON.parse(await connection.read(first.next)).rows.map(([id]) => id), [3]);
    await assert.rejects(connection.read(`db://${session.name}/tables/nothing`), /not found/);
  });

  if (can("subscribe")) {
    test("hears that somebody else has written to a table", async (context) => {
      const updated = [];
      const { connection, session } = await open(context, client, local(), { onUpdated: (uri) => updated.push(uri) });
      await films(session);
      await session.exec("CREATE TABLE others (id INTEGER)");
      // Often enough that the statement is repeated without WebAssembly while nobody listens.
      for (let id = 10; id < 16; id++) await session.exec("INSERT INTO films VALUES (?, ?)", [id, "Stalker"]);
      const uri = `db://${session.name}/tables/films`;
      await connection.subscribe(uri);
      await session.exec("INSERT INTO others VALUES (1)");
      await session.exec("INSERT INTO films VALUES (?, ?)", [4, "Mirror"]);
      await until(() => updated.length > 0);
      assert.deepEqual(new Set(updated), new Set([uri]));
    });
  }

  if (can("prompts")) {
    test("gets prompts, and their arguments completed", async (context) => {
      const { connection, session } = await open(context, client, local());
      await films(session);
      const names = (await connection.prompts()).map(({ name }) => name);
      assert.deepEqual(names, ["analyse_data_set", "join_servers", "explain_failing_query"]);
      const text = await connection.prompt("analyse_data_set", { table: "films", question: "How many?" });
      assert.ok(text.includes("films") && text.includes("How many?") && text.includes(session.name), text);
      await assert.rejects(connection.prompt("analyse_data_set", { table: "films" }), /question/);
      const prompt = { type: "ref/prompt", name: "analyse_data_set" };
      assert.deepEqual(await connection.complete(prompt, "table", "fi"), ["films"]);
      assert.deepEqual(await connection.complete(TABLE, "table", "", { session: session.name }), ["films"]);
      assert.deepEqual(await connection.complete(TABLE, "session", session.name), [session.name]);
    });
  }
}

/** The abilities of clients in the table of `mcp-clients.mjs`. */
const CAN = {
  progress: ({ name }) => !name.startsWith("@ai-sdk"),
  // Over stdio a client does not see its session.
  end: ({ name, version, isStdio }) => version === OLDER && name.startsWith("@modelcontextprotocol/") && !isStdio,
  cancel: ({ cannotCancel }) => !cannotCancel,
  elicit: ({ name }) => !name.startsWith("@langchain"),
  subscribe: ({ name }) => !name.startsWith("@ai-sdk"),
  prompts: ({ name }) => !name.startsWith("@langchain"),
};
