// Tests of real MCP clients whose connections are cut and whose Worker is killed.
//
// A client of an older version continues its session: it resumes the stream of a call with
// Last-Event-ID, gets the messages it missed, and gets an error for a call that was lost. A client
// of the stateless version has nothing to resume: its call fails, the program stops, and it calls
// again.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";
import { WAITING, executions } from "./mcp-battery.mjs";
import { Door, FRAMEWORK_CLIENTS, OLDER, PYTHON_CLIENTS, TYPESCRIPT_CLIENTS, stopClients } from "./mcp-clients.mjs";

const CLIENTS = [...TYPESCRIPT_CLIENTS, ...FRAMEWORK_CLIENTS, ...PYTHON_CLIENTS];
const PATIENT_MS = 300_000;

/**
 * The MCP client of the AI SDK resumes no stream of a call; it waits until the test aborts the
 * call.
 */
const resumes = ({ name, version }) => version === OLDER && !name.startsWith("@ai-sdk");

let worker;
before(async () => (worker = await Worker.start()));
after(async () => {
  stopClients();
  await worker?.stop();
});

async function open(client, door, options = {}) {
  const name = `mcp-${randomUUID()}`;
  const connection = await client.connect({ url: `${door.url}/mcp?session=${name}`, ...options });
  return { connection, session: worker.session(name) };
}

/**
 * Starts a program that waits, and returns its outcome once it runs and the client has received a
 * message from it.
 */
async function begin({ connection, session }, { toldOf = () => true } = {}) {
  const stop = new AbortController();
  const told = [];
  const call = connection.call("program_run", { code: WAITING, timeoutMs: PATIENT_MS }, { onProgress: (progress) => told.push(progress), signal: stop.signal });
  const settled = call.then((value) => ({ value }), (error) => ({ error }));
  await until(async () => (await session.ok("getState", { key: "runs" })).value && toldOf(told));
  return { settled, stop };
}

const firstRun = (session) =>
  until(async () => {
    const [run] = await executions(session);
    return run;
  });

describe("a connection that is cut", { concurrency: true }, () => {
  for (const client of CLIENTS) {
    if (resumes(client)) {
      test(`${client.name} gets the result of its call when it comes back`, async (context) => {
        const door = await Door.open(worker);
        context.after(() => door.close());
        const { connection, session } = await open(client, door);
        context.after(() => connection.close());
        const { settled } = await begin({ connection, session }, { toldOf: (told) => told.length > 0 });
        await door.shutDuring(async () => {
          await session.ok("saveState", { key: "go", value: true });
          assert.equal((await firstRun(session)).outcome, "OK");
        });
        const { value, error } = await settled;
        assert.equal(value?.structured.result, "went on", String(error));
      });
      test(`${client.name} hears what changed while it was away`, async (context) => {
        const door = await Door.open(worker);
        context.after(() => door.close());
        const updated = [];
        const { connection, session } = await open(client, door, { onUpdated: (uri) => updated.push(uri) });
        context.after(() => connection.close());
        await session.exec("CREATE TABLE films (id INTEGER)");
        const uri = `db://${session.name}/tables/films`;
        await connection.subscribe(uri);
        await session.exec("INSERT INTO films VALUES (1)");
        await until(() => updated.length === 1);
        await door.shutDuring(() => session.exec("INSERT INTO films VALUES (2)"));
        await until(() => updated.length === 2, 10_000);
        assert.deepEqual(new Set(updated), new Set([uri]));
      });
    } else if (client.version !== OLDER) {
      test(`${client.name} loses its call, whose program stops, and calls again`, async (context) => {
        const door = await Door.open(worker);
        context.after(() => door.close());
        const { connection, session } = await open(client, door);
        context.after(() => connection.close());
        const { settled, stop } = await begin({ connection, session });
        const run = await door.shutDuring(() => firstRun(session));
        assert.equal(run.outcome, "EXECUTION_ABORTED");
        stop.abort();
        assert.ok((await settled).error);
        assert.equal((await connection.call("db_query", { sql: "SELECT 7" })).structured.rows[0][0], 7);
      });
    }
  }
});

test("a host that starts again goes on with the session id that it kept", async () => {
  const url = new URL(`${worker.url}/mcp`);
  const start = async (sessionId) => {
    const client = new Client({ name: "codemode-tests", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(url, { sessionId });
    await client.connect(transport);
    if (sessionId) transport.setProtocolVersion(OLDER);
    return { client, transport };
  };
  const first = await start();
  const { structuredContent: made } = await first.client.callTool({ name: "db_create_table", arguments: { name: "films", schema: "id INTEGER" } });
  const id = first.transport.sessionId;
  // Without DELETE: the host just ends.
  await first.client.close();
  const second = await start(id);
  const { structuredContent: found } = await second.client.callTool({ name: "db_get_tables", arguments: {} });
  assert.deepEqual([found.session, found.tables, second.transport.sessionId], [made.session, ["films"], id]);
  await second.transport.terminateSession();
  await second.client.close();
});

describe("a Worker that is killed", () => {
  let door;
  const states = new Map();
  before(async () => {
    door = await Door.open(worker);
    await Promise.all(CLIENTS.map(async (client) => states.set(client, await running(client, door))));
    await door.shutDuring(() => worker.kill());
  });
  after(async () => {
    await Promise.all([...states.values()].map(({ connection }) => connection.close()));
    door?.close();
  });

  /** Makes a client with a table, a subscription and a running call. */
  async function running(client, door) {
    const updated = [];
    const { connection, session } = await open(client, door, { onUpdated: (uri) => updated.push(uri) });
    await connection.call("program_run", { code: 'await helpers.db.createTable("films", "id INTEGER")' });
    await connection.subscribe?.(`db://${session.name}/tables/films`);
    const id = await connection.sessionId?.();
    const { settled, stop } = await begin({ connection, session });
    return { connection, session, updated, id, settled, stop };
  }

  for (const client of CLIENTS) {
    describe(client.name, () => {
      if (resumes(client)) {
        test("is told that its call was lost", async () => {
          const { error } = await states.get(client).settled;
          assert.match(String(error), /the call was interrupted/);
        });
      } else {
        test("does not take its call for done", async () => {
          const { settled, stop } = states.get(client);
          stop.abort();
          const { value, error } = await settled;
          assert.ok(error, JSON.stringify(value));
        });
      }

      test("goes on with the tables that it had", async () => {
        const { connection, session, id } = states.get(client);
        const { structured } = await connection.call("db_get_tables", {});
        assert.deepEqual([structured.session, structured.tables], [session.name, ["films"]]);
        assert.equal(await connection.sessionId?.(), id);
        if (client.version === OLDER) assert.match(id, /^[0-9a-f]{32}$/);
      });

      if (client.version === OLDER && !client.name.startsWith("@ai-sdk")) {
        test("hears of changes to what it had subscribed to", async () => {
          const { session, updated } = states.get(client);
          // The client reopens its stream in its own time, so one write may precede it.
          await until(async () => {
            await session.exec("INSERT INTO films VALUES (1)");
            return updated.length > 0;
          });
          assert.deepEqual(new Set(updated), new Set([`db://${session.name}/tables/films`]));
        });
      }
    });
  }
});
