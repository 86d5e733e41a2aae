// Tests of the database agent in the variants of deployments: tables in D1, rules of approval,
// Workers AI.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { startModelServer } from "../peers/model-server.mjs";
import { until } from "../until.mjs";
import { Thread, eventsOf, films, names } from "./agent-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";

const KEY = "sk-of-tests-0123456789";
const query = (sql, explanation = "It does what was asked.") => ({ json: { outcome: "query", sql, explanation } });

/** Returns the environment variables of a Worker whose model follows a script. */
function modelled(models, more = {}) {
  return { MODEL: JSON.stringify({ provider: "openai", baseUrl: models.openai, model: "scripted-1", ...more }), MODEL_API_KEY: KEY };
}

describe("a thread over persistent tables", () => {
  const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }), GLOBAL_TABLES: "countries" };
  const bearer = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
  let models, worker;

  before(async () => {
    models = await startModelServer();
    worker = await Worker.start({ persistent: true, settings: { ...settings, ...modelled(models) } });
    for (const tenant of ["acme", "zeta"]) {
      const session = worker.session(undefined, bearer(tenant));
      const exec = (sql) => session.ok("exec", { sql, target: "persistent" });
      await exec("CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT)");
      await exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT NOT NULL, country TEXT REFERENCES countries (code), amount REAL)");
      await exec("CREATE TABLE secrets (word TEXT)");
      await exec("INSERT INTO countries VALUES ('de', 'Germany'), ('fr', 'France')");
      await exec("INSERT INTO orders VALUES (1, 'b1', 'de', 10.5), (2, 'b1', 'fr', 20), (3, 'b2', 'de', 99)");
    }
  });
  after(async () => {
    await worker.stop();
    await models.close();
  });

  const thread = (tenant, options = {}) => new Thread(worker, { session: { name: null }, headers: bearer(tenant), ...options });
  const ask = (thread, input, ...steps) => {
    models.add(...steps);
    return thread.ask(input, { session: undefined, target: "persistent" });
  };
  const amounts = async (tenant) => {
    const session = worker.session(undefined, bearer(tenant));
    return (await session.ok("query", { sql: "SELECT amount FROM orders ORDER BY id", rowFormat: "array", target: "persistent" })).results.flat();
  };

  test("a read shows its plan and its number of rows, and is answered with the rows of one business", async () => {
    const one = thread("acme");
    const sql = "SELECT c.name, sum(o.amount) AS total FROM orders o JOIN countries c ON c.code = o.country GROUP BY c.name ORDER BY c.name";
    await ask(one, "what did we sell by country?", query(sql), { text: "Germany 10.5, France 20." });
    const prompt = JSON.stringify(models.requests.at(-1).body);
    assert.match(prompt, /orders/);
    assert.match(prompt, /Germany/);
    assert.doesNotMatch(prompt, /99/, "a row of another business");
    const { pending } = await one.state();
    assert.deepEqual([pending.kind, pending.estimatedRows, pending.affectedRows], ["read", null, null]);
    assert.match(pending.plan.join("\n"), /rows of orders/);
    assert.doesNotMatch(pending.plan.join("\n"), /~/);
    await one.decide("approved");
    const { values } = await one.state();
    assert.deepEqual(values.sqlResult.rows, [{ name: "France", total: 20 }, { name: "Germany", total: 10.5 }]);
    assert.equal(values.answer, "Germany 10.5, France 20.");
  });

  test("a write is counted before, runs once, and says that it cannot be undone", async () => {
    const one = thread("acme");
    await ask(one, "one more on each", query("UPDATE orders SET amount = amount + 1"));
    const { pending } = await one.state();
    assert.deepEqual([pending.kind, pending.destructive, pending.affectedRows, pending.dryRun], ["update", true, 2, "done"]);
    assert.deepEqual([pending.undoable, pending.undoReason], [false, "the persistent database does not keep the rows from before a statement"]);
    assert.deepEqual(await amounts("acme"), [10.5, 20, 99]);
    models.add({ text: "Done." });
    const body = { approvalId: pending.approvalId, sha256: pending.sha256, action: "approved", userId: "ann" };
    const responses = await Promise.all([one.post("/resume", body), one.post("/resume", body)]);
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 409]);
    for (const response of responses) await (response.status === 200 ? eventsOf(response) : response.text());
    assert.deepEqual(await amounts("acme"), [11.5, 21, 99]);
    assert.deepEqual(await amounts("zeta"), [10.5, 20, 99]);
    assert.equal((await one.state()).values.sqlResult.changes, 2);
    const undo = await one.error("/resume", { ...body, action: "undo" }, 409, "NOTHING_TO_TAKE_BACK");
    assert.match(undo.message, /does not keep the rows/);
  });

  test("an edited statement is looked at anew, and what leaves the walls is refused", async () => {
    const one = thread("zeta");
    await ask(one, "delete", query("DELETE FROM orders"));
    const { pending } = await one.state();
    for (const sql of ["SELECT * FROM secrets", "DELETE FROM orders WHERE business_id = 'b2' OR 1; SELECT 1", 'SELECT * FROM "~61636d65~orders"', "UPDATE orders SET business_id = 'b2'"]) {
      const body = { approvalId: pending.approvalId, sha256: pending.sha256, action: "edited", sql, userId: "ann" };
      await one.error("/resume", body, 403, "SQL_BLOCKED");
    }
    const edited = { approvalId: pending.approvalId, sha256: pending.sha256, action: "edited", sql: "DELETE FROM orders WHERE amount > 15 OR business_id = 'b2'", userId: "ann" };
    await one.events("/resume", edited);
    const { pending: anew } = await one.state();
    assert.equal(anew.affectedRows, 1);
    assert.notEqual(anew.sha256, pending.sha256);
    models.add({ text: "Done." });
    await one.decide("approved");
    assert.deepEqual(await amounts("zeta"), [10.5, 99]);
    assert.deepEqual(await amounts("acme"), await amounts("acme"));
  });

  test("a table that the wall hides is named with what it lacks", async () => {
    const one = thread("acme");
    await ask(one, "the secrets", { json: { outcome: "unanswerable", sql: null, explanation: "There is no such table." } });
    assert.match(JSON.stringify(models.requests.at(-1).body), /secrets/);
  });

  test("without the binding the question says what is missing", async () => {
    const other = await Worker.start({ settings: modelled(models) });
    try {
      const one = new Thread(other, { session: { name: null } });
      await one.ask("how many?", { session: undefined, target: "persistent" });
      const { values } = await one.state();
      assert.equal(values.error.code, "PERSISTENT_UNAVAILABLE");
      assert.match(values.error.hint, /CODEMODE_D1/);
    } finally {
      await other.stop();
    }
  });

  test("a Worker that is killed while a write runs finds out whether it did", async () => {
    const one = thread("acme");
    await ask(one, "add one", query("INSERT INTO orders (id, country, amount) VALUES (77, 'fr', 7)"));
    const { pending } = await one.state();
    models.add({ stall: "head" }, { text: "Added." });
    const deciding = await one.post("/resume", { approvalId: pending.approvalId, sha256: pending.sha256, action: "approved", userId: "ann" });
    await until(() => models.left() === 1);
    await worker.kill();
    await deciding.text().catch(() => {});
    await eventsOf(await one.fetch("/events"));
    assert.equal((await one.state()).values.answer, "Added.");
    assert.deepEqual((await amounts("acme")).filter((amount) => amount === 7), [7]);
  });
});

describe("what the environment variable AGENT decides", () => {
  const AGENT = { autoApproveRows: 3, requireApprovers: 2, approvalTtlSeconds: 600 };
  let models, worker, session;
  before(async () => {
    models = await startModelServer();
    worker = await Worker.start({ settings: { ...modelled(models), AGENT: JSON.stringify(AGENT) } });
    session = await films(worker);
  });
  after(async () => {
    await worker.stop();
    await models.close();
  });

  const ask = async (...steps) => {
    models.add(...steps);
    const thread = new Thread(worker, { session });
    const events = await thread.ask("do it");
    return { thread, events, ...(await thread.state()) };
  };

  test("a read of few rows runs without a person, and the audit says so", async () => {
    const { thread, events, values, pending } = await ask(query("SELECT title FROM films ORDER BY title"), { text: "Three films." });
    assert.equal(pending, null);
    assert.equal(values.answer, "Three films.");
    assert.equal(values.approval.status, "autoApproved");
    assert.ok(!names(events).includes("__interrupt__"), names(events).join());
    const { records } = await thread.json("/audit");
    assert.ok(records.some(({ kind }) => kind === "autoApproved"), records.map(({ kind }) => kind).join());
  });

  test("a read of more rows, and every write, wait for a person", async () => {
    const wide = await ask(query("SELECT a.title FROM films a, films b"));
    assert.deepEqual([wide.pending?.kind, wide.pending?.estimatedRows], ["read", 9], JSON.stringify(wide.values.error ?? wide.values.attempts));
    const write = await ask(query("DELETE FROM films WHERE title = 'nobody'"));
    assert.deepEqual([write.pending.kind, write.pending.affectedRows, write.pending.requiredApprovers], ["delete", 0, 2]);
  });

  test("a read that returns little and reads much waits, too", async () => {
    await session.exec("CREATE TABLE IF NOT EXISTS big (n INTEGER, business_id TEXT)");
    await session.exec("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 200000) INSERT INTO big SELECT n, 'b1' FROM c");
    const { pending } = await ask(query("SELECT count(*) AS n FROM big a, films b, films c, films d WHERE a.n % 7 <> b.id + c.id + d.id"));
    assert.deepEqual([pending?.kind, pending?.cheap], ["read", false]);
  });

  test("a write needs two persons: one twice is a conflict, the second runs it", async () => {
    const { thread, pending } = await ask(query("UPDATE films SET year = 2000 WHERE title = 'Alpha'"));
    const body = { approvalId: pending.approvalId, sha256: pending.sha256, action: "approved", userId: "ann" };
    await thread.events("/resume", body);
    const year = async () => (await session.query("SELECT year FROM films WHERE title = 'Alpha'")).results[0].year;
    assert.equal(await year(), 1999);
    assert.deepEqual((await thread.state()).pending.approvers, ["ann"]);
    await thread.error("/resume", body, 409, "ALREADY_APPROVED");
    models.add({ text: "Changed." });
    await thread.events("/resume", { ...body, userId: "bob" });
    assert.equal(await year(), 2000);
    const { records } = await thread.json("/audit");
    const deciders = records.filter(({ kind }) => kind === "decision").map(({ actor, detail }) => actor ?? detail?.person);
    assert.equal(new Set(deciders).size, 2, JSON.stringify(records));
  });

  test("a stream that stalls ends the question with its code, in the time that MODEL allows", async () => {
    // It has its own Worker, because on a busy machine so short a limit would make other questions
    // fail, too.
    const other = await Worker.start({ settings: modelled(models, { stallMs: 1_000 }) });
    try {
      const thread = new Thread(other, { session: await films(other) });
      models.add({ ...query("SELECT 1"), stall: true, after: 1 });
      await thread.ask("how many?");
      const { values, pending } = await thread.state();
      assert.deepEqual([values.error?.code, pending], ["MODEL_TIMEOUT", null]);
      assert.equal(models.left(), 0, "what has begun is not asked for again");
    } finally {
      await other.stop();
    }
  });

  test("what is not understood stops every request, and says where", async () => {
    const other = await Worker.start({ settings: { AGENT: '{"autoAproveRows":3}' } });
    try {
      const response = await other.fetch("/api/agent/threads");
      const { error } = await response.json();
      assert.deepEqual([response.status, error.code], [500, "MISCONFIGURED"]);
      assert.match(`${error.message} ${error.hint}`, /autoApproveRows/);
    } finally {
      await other.stop();
    }
  });
});

describe("a model of Workers AI", () => {
  let server, worker, session;
  const asked = [];
  let respond;
  before(async () => {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      const call = JSON.parse(text);
      asked.push(call);
      respond(call, response);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    worker = await Worker.start({
      settings: { MODEL: JSON.stringify({ provider: "workers-ai", model: "@cf/meta/llama-3.3-70b-instruct-fp8-fast" }) },
      ai: `http://127.0.0.1:${server.address().port}/`,
    });
    session = await films(worker);
  });
  after(async () => {
    await worker?.stop();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  test("writes the statement as structured output, and streams the reply", async () => {
    respond = ({ input }, response) => {
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      if (input.stream !== true) {
        return response.end(JSON.stringify({ response: { outcome: "query", sql: "SELECT count(*) AS n FROM films", explanation: "Counts films." }, usage }));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of ["There are ", "three films."]) response.write(`data: ${JSON.stringify({ response: piece })}\n\n`);
      response.end(`data: ${JSON.stringify({ response: "", usage })}\n\ndata: [DONE]\n\n`);
    };
    const thread = new Thread(worker, { session });
    await thread.ask("how many films?");
    const { pending } = await thread.state();
    assert.equal(pending.sql, "SELECT count(*) AS n FROM films");
    await thread.decide("approved");
    assert.equal((await thread.state()).values.answer, "There are three films.");
    assert.ok(asked.every(({ model }) => model === "@cf/meta/llama-3.3-70b-instruct-fp8-fast"));
    assert.equal(asked[0].input.response_format.type, "json_schema");
  });

  test("fails with a code when the binding throws", async () => {
    respond = (_call, response) => {
      response.writeHead(429);
      response.end("3040: Capacity temporarily exceeded, please try again.");
    };
    const thread = new Thread(worker, { session, name: randomUUID() });
    await thread.ask("how many films?");
    assert.match((await thread.state()).values.error.code, /^MODEL_/);
  });

  test("without the binding a question says what is missing", async () => {
    const other = await Worker.start({ settings: { MODEL: JSON.stringify({ provider: "workers-ai", model: "@cf/meta/llama-3.3-70b-instruct-fp8-fast" }) } });
    try {
      const thread = new Thread(other, { session: await films(other) });
      await thread.ask("how many films?");
      const { error } = (await thread.state()).values;
      assert.equal(error.code, "MODEL_NOT_CONFIGURED");
      assert.match(`${error.message} ${error.hint}`, /\bAI\b/);
    } finally {
      await other.stop();
    }
  });
});

describe("a thread of the planner", () => {
  let worker, session;
  before(async () => {
    worker = await Worker.start();
    session = await films(worker);
  });
  after(() => worker.stop());

  test("does not write the same statement again for the reason of a rejection, and says so", async () => {
    const thread = new Thread(worker, { session });
    await thread.ask("list the films");
    await thread.decide("rejected", { reason: "only dramas", revise: true });
    const { values, pending } = await thread.state();
    assert.deepEqual([pending, values.outcome], [null, "cannotAnswer"]);
    assert.match(values.answer, /I do not understand the reason of a rejection/);
  });

  test("tells a reader that was away for too long that events are missing", async () => {
    const thread = new Thread(worker, { session });
    for (let asked = 0; asked < 720; asked += 1) await thread.ask("hello");
    const events = await eventsOf(await thread.fetch("/events?after=1"));
    assert.deepEqual([events[0].event, events[0].data], ["gap", { after: 1 }]);
    assert.ok(Number(events[1].id) > 2, events[1].id);
    const { lastEventId } = await thread.state();
    const [first] = await eventsOf(await thread.fetch(`/events?after=${lastEventId - 1}`));
    assert.equal(first.event, "end");
  });
});
