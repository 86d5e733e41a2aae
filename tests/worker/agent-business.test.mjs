// Tests of the rows that a question is about: all of them without a scope, those of one business
// with one.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Thread, films } from "./agent-client.mjs";
import { Worker } from "./harness.mjs";

const counted = async (thread, input = "how many films are there?") => {
  await thread.ask(input);
  await thread.decide("approved");
  const { values } = await thread.state();
  assert.equal(values.outcome, "answered", JSON.stringify(values.error));
  return Object.values(values.sqlResult.rows[0])[0];
};
/** A thread whose questions name no business. */
const of = (worker, session) => new Thread(worker, { session, businessId: null });

describe("a deployment without a scope", () => {
  let worker, session;
  before(async () => {
    worker = await Worker.start();
    session = await films(worker);
  });
  after(() => worker.stop());

  test("asks about all rows of all tables", async () => {
    assert.equal(await counted(of(worker, session)), 5);
    await session.exec("CREATE TABLE weather (day TEXT, rain REAL)");
    await session.exec("INSERT INTO weather VALUES ('2026-01-01', 3.5), ('2026-01-02', 12.345678)");
    const thread = of(worker, session);
    const body = thread.question("how many rows of weather are there?");
    delete body.businessId;
    await thread.events("/messages", body);
    assert.equal((await thread.state()).values.businessId, null);
    assert.equal((await thread.state()).pending.finalSql, (await thread.state()).pending.sql);
    await thread.decide("approved");
    assert.equal((await thread.state()).values.answer, "2 rows\n\nCounts the rows of weather.");
    await thread.ask("highest rain of weather");
    await thread.decide("approved");
    assert.match((await thread.state()).values.answer, /: 12\.35\n\n/);
    assert.equal(Object.values((await thread.state()).values.sqlResult.rows[0])[0], 12.345678);
  });

  test("keeps the business of the first question, or none", async () => {
    const thread = new Thread(worker, { session, businessId: "b2" });
    assert.equal(await counted(thread), 2);
    thread.businessId = null;
    assert.equal(await counted(thread), 2, "a later question without one is about the same rows");
    await thread.error("/messages", { ...thread.question("how many films are there?"), businessId: "b1" }, 403, "OTHER_BUSINESS");
    const all = of(worker, session);
    assert.equal(await counted(all), 5);
    await all.error("/messages", { ...all.question("how many films are there?"), businessId: "b1" }, 403, "OTHER_BUSINESS");
  });

  test("lists threads by their titles, those that wait first, with the settings for a new one", async () => {
    const waits = of(worker, session);
    await waits.ask("how many films per genre?");
    const done = of(worker, session);
    await counted(done);
    await counted(done, "how many films per year?");
    const list = await until(async () => {
      const found = await (await worker.fetch("/api/agent/threads?limit=100")).json();
      const [one, other] = [waits, done].map(({ name }) => found.threads.find(({ threadId }) => threadId === name));
      return one?.next[0] === "humanApproval" && other?.question === "how many films per year?" && other.next.length === 0 && found;
    });
    assert.deepEqual([list.model, list.businessRequired], [null, false]);
    assert.equal(list.threads[0].threadId, waits.name);
    const listed = list.threads.find(({ threadId }) => threadId === done.name);
    assert.deepEqual([listed.title, listed.question, listed.businessId], ["how many films are there?", "how many films per year?", null]);
    const waiting = list.threads.map(({ next }) => Number(next[0] === "humanApproval"));
    assert.deepEqual(waiting, waiting.toSorted((one, other) => other - one));
    assert.equal((await done.state()).values.title, "how many films are there?");
  });

  test("a question back is completed by one of its meanings", async () => {
    const ambiguous = worker.session();
    await ambiguous.exec("CREATE TABLE cinema (title TEXT, rating REAL)");
    await ambiguous.exec("CREATE TABLE books (title TEXT, rating REAL)");
    await ambiguous.exec("INSERT INTO cinema VALUES ('Heat', 8), ('Alien', 9)");
    const thread = of(worker, ambiguous);
    await thread.ask("average rating");
    const { values } = await thread.state();
    assert.deepEqual([values.outcome, values.askedBack.question, values.askedBack.chosen], ["askedBack", "average rating", []]);
    const choice = values.askedBack.choices.find((one) => one.includes("cinema"));
    await thread.ask(choice);
    await thread.decide("approved");
    const last = await thread.state();
    assert.equal(last.values.title, "average rating");
    assert.match(last.values.answer, /8\.5\n\n/);
  });
});

describe("a deployment with a scope", () => {
  for (const settings of [{ TENANT_COLUMN: "business_id" }, { GLOBAL_TABLES: "genres" }]) {
    test(`set up by ${Object.keys(settings)} requires a business`, async () => {
      const worker = await Worker.start({ settings });
      const session = await films(worker);
      const thread = of(worker, session);
      const error = await thread.error("/messages", thread.question("how many films are there?"), 400, "INVALID_ARGUMENT");
      assert.match(error.message, /businessId is missing/);
      await thread.error("/state", undefined, 404, "NO_SUCH_THREAD");
      const { businessRequired } = await (await worker.fetch("/api/agent/threads")).json();
      assert.equal(businessRequired, true);
      assert.equal(await counted(new Thread(worker, { session })), 3);
      await worker.stop();
    });
  }

  test("reads tables without the column if GLOBAL_TABLES is *, and rows of others never", async () => {
    const worker = await Worker.start({ settings: { TENANT_COLUMN: "business_id", GLOBAL_TABLES: "*" } });
    const session = await films(worker);
    await session.exec("CREATE TABLE weather (day TEXT, rain REAL)");
    await session.exec("INSERT INTO weather VALUES ('2026-01-01', 3.5), ('2026-01-02', 4)");
    assert.equal(await counted(new Thread(worker, { session }), "how many rows of weather are there?"), 2);
    assert.equal(await counted(new Thread(worker, { session })), 3);
    assert.equal(await counted(new Thread(worker, { session, businessId: "b2" })), 2);
    const { status, body } = await session.call("exec", { sql: "DELETE FROM weather", scope: { value: "b1" } });
    assert.deepEqual([status, body.error.code], [403, "SQL_BLOCKED"], "what everybody reads nobody changes");
    const scoped = async (sql) => (await session.call("query", { sql, scope: { value: "b1" } })).body;
    assert.deepEqual((await scoped("SELECT count(*) AS n FROM films")).results, [{ n: 3 }]);
    assert.deepEqual((await scoped("SELECT count(*) AS n FROM weather")).results, [{ n: 2 }]);
    assert.equal((await scoped("SELECT sql FROM sqlite_schema")).error.code, "SQL_BLOCKED");
    await worker.stop();
  });
});
