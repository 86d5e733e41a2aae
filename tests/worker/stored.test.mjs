// Tests of sessions that an earlier version stored: they open, respond and expire. The version
// before the layers became crates wrote the files of `tests/fixtures/session-0.1`; their last use
// and alarm are in the past.

import assert from "node:assert/strict";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { until } from "../until.mjs";
import { STATE, Worker } from "./harness.mjs";

const FIXTURE = fileURLToPath(new URL("../fixtures/session-0.1", import.meta.url));
const NAME = "from-before";

/** Starts a Worker over a copy of the stored session. */
async function start(settings) {
  const folder = await mkdtemp(join(tmpdir(), "codemode-test-"));
  await cp(FIXTURE, join(folder, STATE, "do/codemode-database-CodeModeDatabase"), { recursive: true });
  return Worker.start({ settings, folder });
}

test("a stored session opens with everything that was in it", async () => {
  const worker = await start({ SESSION_TTL_SECONDS: "3155760000" });
  try {
    const session = worker.session(NAME);
    const papers = await session.query("SELECT id, title, year, cover FROM papers ORDER BY id");
    assert.deepEqual(papers.results, [
      { id: 1, title: "one", year: 1999, cover: { $blob: "AAEC" } },
      { id: 2, title: "zwei ü", year: 2001, cover: null },
    ]);
    assert.deepEqual((await session.query("SELECT title FROM recent")).results, [{ title: "zwei ü" }]);
    assert.deepEqual((await session.ok("getState", { key: "step" })).value, { at: 2, big: 9007199254740991 });
    const staged = await session.ok("queryStagedData", { id: "nested", sql: "SELECT name FROM nested_authors ORDER BY name" });
    assert.deepEqual(staged.results, [{ name: "Ada" }, { name: "Bo" }]);
    const runs = await (await session.fetch("/executions")).json();
    assert.equal(runs.executions.length, 1);
    const metrics = await session.ok("getMetrics");
    assert.deepEqual(metrics.tables, { nested: 1, nested_authors: 2, papers: 2 });
    await session.ok("batchInsert", { table: "papers", records: [{ id: 3, title: "three", year: 2020 }] });
    assert.equal((await session.query("SELECT count(*) AS n FROM papers WHERE year > 2000")).results[0].n, 2);
    await until(async () => (await (await worker.fetch("/api/codemode/sessions")).json()).sessions.some(({ name }) => name === NAME));
  } finally {
    await worker.stop();
  }
});

test("a stored session expires", async () => {
  const ttl_ms = 2_000;
  const worker = await start({ SESSION_TTL_SECONDS: String(ttl_ms / 1_000) });
  try {
    const session = worker.session(NAME);
    // A request is a use of the session, so the same time must pass again without one.
    await until(async () => {
      await new Promise((done) => setTimeout(done, 2 * ttl_ms));
      return (await session.ok("getTables")).tables.length === 0;
    });
  } finally {
    await worker.stop();
  }
});
