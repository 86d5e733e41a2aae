// Tests of a session's life: it outlives the process, and ends when nobody uses it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";

test("tables and state survive a restart of the Worker", async () => {
  const worker = await Worker.start();
  try {
    const session = worker.session("kept");
    await session.exec("CREATE TABLE papers(id INTEGER PRIMARY KEY, title TEXT)");
    await session.ok("batchInsert", { table: "papers", records: [{ id: 1, title: "one" }, { id: 2, title: "two" }] });
    await session.ok("saveState", { key: "step", value: { at: 2 } });
    await worker.stop({ keep: true });
    const again = await Worker.start({ folder: worker.folder });
    try {
      const later = again.session("kept");
      assert.equal((await later.query("SELECT count(*) AS n FROM papers")).results[0].n, 2);
      assert.deepEqual((await later.ok("getState", { key: "step" })).value, { at: 2 });
    } finally {
      await again.stop();
    }
  } finally {
    await worker.stop();
  }
});

test("a session that nobody uses is deleted, and a used one is not", async () => {
  const ttl_ms = 5_000;
  const worker = await Worker.start({ settings: { SESSION_TTL_SECONDS: String(ttl_ms / 1_000) } });
  try {
    const [idle, used] = [worker.session("idle"), worker.session("used")];
    await idle.exec("CREATE TABLE t(a)");
    await used.exec("CREATE TABLE t(a)");
    // Reading the idle session is a use of it, so after a read that was too early the same time
    // must pass again.
    await until(async () => {
      const end = Date.now() + 2 * ttl_ms;
      while (Date.now() < end) {
        assert.deepEqual((await used.ok("getTables")).tables, ["t"]);
        await new Promise((done) => setTimeout(done, 200));
      }
      return (await idle.ok("getTables")).tables.length === 0;
    });
  } finally {
    await worker.stop();
  }
});

test("DELETE forgets a session at once, and its name can be used again", async () => {
  const worker = await Worker.start();
  try {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    await session.ok("saveState", { key: "k", value: 1 });
    const response = await session.fetch("", { method: "DELETE" });
    assert.deepEqual([response.status, await response.json()], [200, { success: true }]);
    assert.deepEqual((await session.ok("getTables")).tables, []);
    assert.equal((await session.ok("getState", { key: "k" })).value, null);
    await session.exec("CREATE TABLE t(b)");
    assert.equal((await session.ok("hasColumn", { table: "t", column: "b" })).exists, true);
  } finally {
    await worker.stop();
  }
});

test("a session can be deleted while its rows are streamed out", async () => {
  const worker = await Worker.start();
  try {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    await session.exec("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 200000) INSERT INTO t SELECT hex(randomblob(50)) FROM r");
    const response = await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql: "SELECT a FROM t" }) });
    const reader = response.body.getReader();
    await reader.read();
    assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
    await reader.cancel().catch(() => {});
    await until(async () => (await session.ok("getTables")).tables.length === 0);
  } finally {
    await worker.stop();
  }
});
