// Tests of the streams of changes and the confirmations of a session, which only the front Worker
// can request; the test build passes requests on.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";

/** A stream of changes, which is read in the background. */
class Stream {
  static async open(worker, session) {
    const stream = new Stream();
    stream.controller = new AbortController();
    const response = await worker.fetch(`/__test/session/watch?session=${session.name}`, { signal: stream.controller.signal });
    stream.status = response.status;
    stream.type = response.headers.get("content-type");
    stream.text = "";
    stream.ended = false;
    stream.reading = stream.read(response.body);
    return stream;
  }

  async read(body) {
    const decoder = new TextDecoder();
    try {
      for await (const piece of body) this.text += decoder.decode(piece, { stream: true });
    } catch {
      // The test has closed the stream.
    }
    this.ended = true;
  }

  /** Returns the events so far: name and data. */
  events() {
    return [...this.text.matchAll(/event: (.*)\ndata: (.*)\n\n/g)].map(([, name, data]) => [name, JSON.parse(data)]);
  }

  /** Returns the events after the first `after`, once there are `count` of them. */
  async next(after, count) {
    return until(() => this.events().length >= after + count && this.events().slice(after, after + count));
  }

  async close() {
    this.controller.abort();
    await this.reading;
  }
}

const changed = (schema, tables) => ["changed", { schema, tables }];

describe("a stream of changes", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("begins at once and tells what operations, loads and programs change", async () => {
    const session = worker.session();
    const stream = await Stream.open(worker, session);
    assert.deepEqual([stream.status, stream.type], [200, "text/event-stream; charset=utf-8"]);
    await until(() => stream.text.startsWith(": accepted\n\n"));
    await session.exec("CREATE TABLE papers (id INTEGER PRIMARY KEY, title TEXT)");
    await session.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, paper REFERENCES papers ON DELETE CASCADE)");
    await session.ok("batchInsert", { table: "PAPERS", records: [{ id: 1 }, { id: 2 }] });
    await session.query("SELECT * FROM papers");
    await session.exec("DELETE FROM notes WHERE id = 77");
    await session.exec("INSERT INTO notes VALUES (1, 1), (2, 2)");
    await session.exec("DELETE FROM papers WHERE id = 1");
    await session.exec("DELETE FROM notes");
    await session.load("papers", '{"id":10}\n{"id":11}\n');
    await session.load("made", '{"id":10}\n', { query: "?create=true" });
    await session.exec("DROP TABLE made");
    assert.deepEqual(await stream.next(0, 9), [
      changed(true, ["papers"]),
      changed(true, ["notes"]),
      changed(false, ["papers"]),
      changed(false, ["notes"]),
      changed(false, null),
      changed(false, ["notes"]),
      changed(false, ["papers"]),
      changed(true, ["made"]),
      changed(true, ["made"]),
    ]);
    const code = 'await helpers.db.batchInsert("notes", [{ id: 5 }, { id: 6 }]); await helpers.db.exec("UPDATE notes SET paper = NULL WHERE id = 99"); return 1;';
    const run = await worker.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: session.name, code }) });
    assert.equal((await run.json()).success, true);
    assert.deepEqual(await stream.next(9, 1), [changed(false, ["notes"])]);
    await session.exec("CREATE VIEW last AS SELECT 1 AS one");
    assert.deepEqual(await stream.next(10, 1), [changed(true, ["last"])]);
    assert.match(stream.text, /^id: 11$/m);
    await stream.close();
  });

  test("ends with the session, which it neither begins nor keeps", async () => {
    const session = worker.session();
    const stream = await Stream.open(worker, session);
    await session.exec("CREATE TABLE t (a)");
    await session.fetch("", { method: "DELETE" });
    await until(() => stream.ended);
    assert.deepEqual(stream.events(), [changed(true, ["t"]), ["deleted", {}]]);

    const short = await Worker.start({ settings: { SESSION_TTL_SECONDS: "1" } });
    try {
      const [used, untouched] = [short.session(), short.session()];
      await used.exec("CREATE TABLE t (a)");
      const watched = await Stream.open(short, used);
      const alone = await Stream.open(short, untouched);
      await until(() => watched.ended);
      assert.deepEqual(watched.events(), [["deleted", {}]]);
      const listed = await (await short.fetch("/api/codemode/sessions")).json();
      assert.ok(!JSON.stringify(listed).includes(untouched.name));
      assert.deepEqual(alone.events(), []);
      await alone.close();
    } finally {
      await short.stop();
    }
  });

  test("has a limit, and one that was left makes room", async () => {
    const session = worker.session();
    const streams = [];
    for (let number = 0; number < 128; number++) streams.push(await Stream.open(worker, session));
    assert.ok(streams.every(({ status }) => status === 200));
    const refused = await worker.fetch(`/__test/session/watch?session=${session.name}`);
    assert.equal(refused.status, 503);
    assert.equal((await refused.json()).error.code, "TOO_MANY_WATCHERS");
    await streams.pop().close();
    const late = await until(async () => {
      const stream = await Stream.open(worker, session);
      return stream.status === 200 && stream;
    });
    await session.exec("CREATE TABLE t (a)");
    assert.deepEqual(await late.next(0, 1), [changed(true, ["t"])]);
    assert.deepEqual(await streams[0].next(0, 1), [changed(true, ["t"])]);
    for (const stream of [...streams, late]) await stream.close();
  });
});

describe("a confirmation", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function ask(session, fields) {
    const what = { tenant: "local", session: session.name, tool: "exec", arguments: '{"sql":"DROP TABLE \\"t\\""}', basis: "abc" };
    const response = await worker.fetch(`/__test/session/confirmations?session=${session.name}`, { method: "POST", body: JSON.stringify({ ...what, ...fields }) });
    return { status: response.status, body: await response.json() };
  }

  test("is made, redeemed once, and bound to its operation and session", async () => {
    const [session, other] = [worker.session(), worker.session()];
    const { status, body } = await ask(session, {});
    assert.deepEqual([status, Object.keys(body)], [200, ["success", "state"]]);
    const { state } = body;
    assert.match(state, /^v2\.[0-9]+\.[0-9a-f]{32}\.[0-9a-f]{64}$/);
    const refusals = [
      [session, { arguments: '{"sql":"DROP TABLE u"}' }],
      [session, { tool: "query" }],
      [session, { basis: "abd" }],
      [session, { tenant: "acme" }],
      [other, {}],
      [other, { session: session.name }],
      [session, { state: state.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")) }],
    ];
    for (const [asked, fields] of refusals) {
      const refused = await ask(asked, { state, ...fields });
      assert.deepEqual([refused.status, refused.body.error.code], [409, "CONFIRMATION_INVALID"]);
      assert.match(refused.body.error.message, /not for this operation/);
    }
    assert.deepEqual(await ask(session, { state }), { status: 200, body: { success: true } });
    const again = await ask(session, { state });
    assert.match(again.body.error.message, /already used/);
    assert.match(again.body.error.hint, /requestState/);
    assert.notEqual((await ask(session, {})).body.state, state);
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });

  test("dies with its session", async () => {
    const session = worker.session();
    const { state } = (await ask(session, {})).body;
    await session.fetch("", { method: "DELETE" });
    assert.equal((await ask(session, { state })).body.error.code, "CONFIRMATION_INVALID");
  });

  test("cannot be asked for from outside", async () => {
    for (const path of ["/confirmations", "/watch"]) {
      assert.equal((await worker.fetch(path, { method: "POST", body: "{}" })).status, 404);
      assert.equal((await worker.session().fetch(path)).status, 404);
    }
    const unknown = await ask(worker.session(), { states: "v1" });
    assert.equal(unknown.body.error.code, "INVALID_BODY");
  });
});
