// Tests of a tenant's list of sessions: it is complete, contains only the tenant's own, and
// corrects itself after an error.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";

const SESSIONS = "/api/codemode/sessions";
const tokens = JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" });
const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });

let worker;
before(async () => {
  worker = await Worker.start({ settings: { API_TOKENS: tokens } });
});
after(() => worker.stop());

async function request(tenant, path = "", init = {}) {
  const response = await worker.fetch(SESSIONS + path, { ...init, headers: as(tenant) });
  return { status: response.status, body: await response.json() };
}

const names = async (tenant) => (await request(tenant)).body.sessions.map((session) => session.name);
const listed = (tenant, wanted) => until(async () => JSON.stringify(await names(tenant)) === JSON.stringify(wanted));

test("a session is listed with size, last use and expiry, to its tenant alone", async () => {
  const session = worker.session("films", as("acme"));
  await session.exec("CREATE TABLE t(a)");
  await listed("acme", ["films"]);
  const [entry] = (await request("acme")).body.sessions;
  assert.deepEqual(Object.keys(entry), ["name", "databaseSize", "lastActivity", "expiresAt"]);
  assert.ok(entry.databaseSize > 0);
  const metrics = await session.ok("getMetrics");
  assert.equal(entry.lastActivity, metrics.lastActivity);
  assert.equal(entry.expiresAt, metrics.expiresAt);
  assert.deepEqual(await names("zeta"), []);
  assert.equal((await worker.fetch(SESSIONS)).status, 401);
});

test("a deleted session is off the list with the response", async () => {
  const session = worker.session("gone", as("acme"));
  await session.exec("CREATE TABLE t(a)");
  await listed("acme", ["films", "gone"]);
  assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
  assert.deepEqual(await names("acme"), ["films"]);
});

test("pages follow each other by their cursor", async () => {
  for (const name of ["a", "b", "c"]) await worker.session(name, as("acme")).exec("CREATE TABLE t(a)");
  await listed("acme", ["a", "b", "c", "films"]);
  const first = (await request("acme", "?limit=3")).body;
  assert.deepEqual([first.sessions.map((session) => session.name), first.nextCursor], [["a", "b", "c"], "c"]);
  const second = (await request("acme", `?limit=3&cursor=${first.nextCursor}`)).body;
  assert.deepEqual([second.sessions.map((session) => session.name), second.nextCursor], [["films"], null]);
  for (const query of ["?limit=0", "?limit=1001", "?limit=x", "?cursor=no%20name", "?limt=3"]) {
    const { status, body } = await request("acme", query);
    assert.deepEqual([status, body.error.code], [400, "INVALID_ARGUMENT"], query);
  }
});

test("DELETE of the list deletes every session of the tenant and of nobody else", async () => {
  const other = worker.session("films", as("zeta"));
  await other.exec("CREATE TABLE of_zeta(a)");
  await listed("zeta", ["films"]);
  const { status, body } = await request("acme", "", { method: "DELETE" });
  assert.deepEqual([status, body], [200, { success: true, deleted: 4, remaining: 0 }]);
  assert.deepEqual(await names("acme"), []);
  assert.deepEqual((await worker.session("films", as("acme")).ok("getTables")).tables, []);
  assert.deepEqual((await other.ok("getTables")).tables, ["of_zeta"]);
  assert.deepEqual((await request("zeta")).body.sessions.map((session) => session.name), ["films"]);
  const again = await request("zeta", "", { method: "DELETE" });
  assert.deepEqual(again.body, { success: true, deleted: 1, remaining: 0 });
  assert.deepEqual((await request("zeta", "", { method: "DELETE" })).body, { success: true, deleted: 0, remaining: 0 });
});

test("the list survives a crash, and no request from outside can write to it", async () => {
  await worker.session("kept", as("zeta")).exec("CREATE TABLE t(a)");
  await listed("zeta", ["kept"]);
  await worker.kill();
  assert.deepEqual(await names("zeta"), ["kept"]);
  const note = JSON.stringify({ deleted: { kind: "session", name: "kept" } });
  for (const path of ["/notes", "//index/notes", "/api/codemode/notes"]) {
    const response = await worker.fetch(path, { method: "PUT", body: note, headers: { ...as("zeta"), host: "index" } });
    assert.equal(response.status, 404, path);
    await response.body?.cancel();
  }
  assert.deepEqual(await names("zeta"), ["kept"]);
});

test("an expired session is not listed, whoever forgot to say so", async () => {
  const short = await Worker.start({ settings: { SESSION_TTL_SECONDS: "2" } });
  try {
    await short.session("brief").exec("CREATE TABLE t(a)");
    const list = async () => (await (await short.fetch(SESSIONS)).json()).sessions.length;
    await until(async () => (await list()) === 1);
    await until(async () => (await list()) === 0);
  } finally {
    await short.stop();
  }
});
