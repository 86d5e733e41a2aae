// Tests of tables that outlive a session: the D1 binding, with Miniflare's real D1.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { STATE, TOKENS, Worker } from "./harness.mjs";

const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
const persistent = { target: "persistent" };

/**
 * Returns the requests and responses of a document: a block of JSON with an operation or an HTTP
 * block, and the block of JSON after it.
 */
async function examples() {
  const document = await readFile(new URL("../../docs/persistent.md", import.meta.url), "utf8");
  const blocks = [...document.matchAll(/^```(json|http)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
  const found = [];
  for (const [index, { language, text }] of blocks.entries()) {
    const answer = blocks[index + 1];
    if (language === "http") found.push({ path: "/persist", body: text.split("\n\n")[1], answer: JSON.parse(answer.text) });
    else if ("operation" in JSON.parse(text)) found.push({ path: "", body: text, answer: JSON.parse(answer.text) });
  }
  return found;
}

/** Makes a session of a tenant, with its operations on the persistent database. */
function tenant(worker, name) {
  const session = worker.session(undefined, { authorization: `Bearer ${TOKENS[name]}` });
  return {
    session,
    exec: (sql, params) => session.ok("exec", { sql, params, ...persistent }),
    rows: async (sql, params) => (await session.ok("query", { sql, params, rowFormat: "array", ...persistent })).results,
    error: (sql, params) => session.error("exec", { sql, params, ...persistent }),
    call: (operation, fields) => session.call(operation, { ...fields, ...persistent }),
    async persist(fields) {
      const response = await session.fetch("/persist", { method: "POST", body: JSON.stringify(fields) });
      return { status: response.status, body: await response.json() };
    },
  };
}

/**
 * Returns the names in the database of D1 that match a pattern, read from its file, because callers
 * do not see all of them.
 */
async function namesInD1(worker, pattern) {
  const folder = join(worker.folder, STATE, "d1", "miniflare-D1DatabaseObject");
  const [file] = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  try {
    return database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE ?").all(pattern).map(({ name }) => name);
  } finally {
    database.close();
  }
}

describe("a Worker with the D1 binding", () => {
  let worker, acme, zeta;
  before(async () => {
    worker = await Worker.start({ persistent: true, settings });
    acme = tenant(worker, "acme");
    zeta = tenant(worker, "zeta");
    for (const [one, value] of [[acme, "acmes-own"], [zeta, "zetas-own"]]) {
      await one.exec("CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, year INTEGER)");
      await one.exec("INSERT INTO movies(title, year) VALUES (?, 2001), (?, 2002)", [value, `${value}-2`]);
    }
    await zeta.exec("CREATE TABLE vault(secret)");
    await zeta.exec("INSERT INTO vault VALUES ('zetas-own')");
  });
  after(() => worker.stop());

  test("tables of one name belong to each tenant by itself", async () => {
    assert.deepEqual(await acme.rows("SELECT title FROM movies ORDER BY id"), [["acmes-own"], ["acmes-own-2"]]);
    assert.deepEqual(await zeta.rows("SELECT title FROM movies ORDER BY id"), [["zetas-own"], ["zetas-own-2"]]);
    assert.deepEqual((await acme.call("getTables")).body.tables, ["movies"]);
    assert.deepEqual((await zeta.call("getTables")).body.tables, ["movies", "vault"]);
  });

  test("another session of the tenant sees the same tables, and the session's own are others", async () => {
    const later = tenant(worker, "acme");
    assert.deepEqual(await later.rows("SELECT count(*) FROM movies"), [[2]]);
    assert.equal((await later.session.error("query", { sql: "SELECT * FROM movies" })).code, "NO_SUCH_TABLE");
    assert.equal((await later.session.error("query", { sql: "SELECT * FROM movies", target: "session" })).code, "NO_SUCH_TABLE");
  });

  test("no statement reaches the tables of another tenant", async () => {
    const attacks = [
      'SELECT * FROM "~7a657461~movies"', "SELECT * FROM [~7a657461~vault]", 'DELETE FROM "~7a657461~movies"', 'UPDATE "~7A657461~movies" SET title = 1',
      'CREATE VIEW stolen AS SELECT * FROM "~7a657461~vault"', 'WITH x AS (SELECT * FROM "~7a657461~vault") SELECT * FROM x', 'SELECT * FROM main."~7a657461~movies"',
      "SELECT * FROM vault", "DELETE FROM vault", "SELECT (SELECT secret FROM vault)", "SELECT 1 IN vault", "CREATE TABLE stolen AS SELECT * FROM vault", "CREATE INDEX i ON vault(secret)",
      "INSERT INTO movies SELECT 9, secret, 1 FROM vault", "CREATE TABLE child(a REFERENCES vault(secret), b CHECK (b IN (SELECT secret FROM vault)))",
      "SELECT name FROM sqlite_schema", "SELECT * FROM sqlite_master", "SELECT * FROM pragma_table_list", "SELECT * FROM pragma_table_info('~7a65' || '7461~vault')", "SELECT * FROM _cf_KV",
      "WITH sqlite_schema AS (SELECT 1) SELECT * FROM sqlite_schema", "PRAGMA table_list", "DROP TABLE movies", "ALTER TABLE movies RENAME TO x", "SELECT 1; DELETE FROM movies",
      "CREATE TRIGGER t AFTER INSERT ON movies BEGIN SELECT 1; END", "CREATE TEMP TABLE movies(a)", "CREATE VIRTUAL TABLE f USING fts5(a)", "SELECT last_insert_rowid(), changes()",
    ];
    for (const sql of attacks) {
      const { status, body } = await acme.call("exec", { sql });
      assert.ok(status >= 400 && status < 500, `${sql}: ${status} ${JSON.stringify(body)}`);
      const text = JSON.stringify(body);
      assert.ok(!text.includes("zetas-own") && !/~[0-9a-f]+~/.test(text), `${sql}: ${text}`);
    }
    for (const [operation, fields] of [["describeTable", { table: "vault" }], ["getColumns", { table: "~7a657461~vault" }], ["findColumn", { table: "vault", semanticName: "secret" }]]) {
      const { body } = await acme.call(operation, fields);
      assert.equal(body.error.code, "NO_SUCH_TABLE", operation);
      assert.deepEqual(body.error.suggestions, []);
    }
    assert.deepEqual(await zeta.rows("SELECT title FROM movies ORDER BY id"), [["zetas-own"], ["zetas-own-2"]]);
    assert.deepEqual(await zeta.rows("SELECT secret FROM vault"), [["zetas-own"]]);
  });

  test("a table is dropped by the operation, the routes and a program, and its name is free", async () => {
    const remove = async (path) => {
      const response = await acme.session.fetch(path, { method: "DELETE" });
      return { status: response.status, body: await response.json() };
    };
    const make = async () => {
      await acme.exec("CREATE TABLE passing(a)");
      await acme.exec("INSERT INTO passing VALUES (1)");
    };
    const dropped = { success: true, table: "passing", dropped: true };
    await make();
    assert.deepEqual((await acme.call("dropTable", { table: "passing" })).body, dropped);
    await make();
    assert.deepEqual((await remove("/persist/passing")).body, dropped);
    await make();
    assert.deepEqual((await remove("/tables/passing?target=persistent")).body, dropped);
    const again = await remove("/persist/movie");
    assert.deepEqual([again.status, again.body.error.code, again.body.error.suggestions], [404, "NO_SUCH_TABLE", ["movies"]]);
    assert.deepEqual((await remove("/persist/passing?ifExists=true")).body, { ...dropped, dropped: false });
    assert.equal((await remove("/persist/vault")).status, 404, "a table of another tenant");
    assert.equal((await remove("/persist/passing?ifexist=true")).status, 400);
    await make();
    await acme.exec("CREATE VIEW over_it AS SELECT a FROM passing");
    const needed = await remove("/persist/passing");
    assert.deepEqual([needed.status, needed.body.error.code, needed.body.error.kind], [409, "CONSTRAINT_FAILED", "VIEW"]);
    assert.deepEqual(await acme.rows("SELECT a FROM over_it"), [[1]]);
    for (const table of ["over_it", "passing"]) assert.equal((await remove(`/persist/${table}`)).body.dropped, true);
    assert.deepEqual((await acme.call("getTables")).body.tables, ["movies"]);
    await acme.session.exec("CREATE TABLE mine(a)");
    assert.deepEqual((await remove("/tables/mine")).body, { success: true, table: "mine", dropped: true });
    await make();
    const run = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      headers: { authorization: `Bearer ${TOKENS.acme}` },
      body: JSON.stringify({ session: acme.session.name, code: 'return await helpers.db.dropTable("passing", { target: "persistent" })' }),
    });
    assert.equal((await run.json()).result.dropped, true);
    assert.deepEqual(await zeta.rows("SELECT secret FROM vault"), [["zetas-own"]]);
  });

  test("mistakes are explained by the names that the tenant knows", async () => {
    const misspelt = await acme.error("SELECT * FROM movie");
    assert.deepEqual([misspelt.status, misspelt.code, misspelt.suggestions], [404, "NO_SUCH_TABLE", ["movies"]]);
    const column = await acme.error("SELECT titel FROM movies");
    assert.deepEqual([column.code, column.suggestions], ["NO_SUCH_COLUMN", ["title"]]);
    const constraint = await acme.error("INSERT INTO movies(title) VALUES ('acmes-own')");
    assert.deepEqual([constraint.status, constraint.code, constraint.kind, constraint.table], [409, "CONSTRAINT_FAILED", "UNIQUE", "movies"]);
    assert.equal((await acme.error("CREATE TABLE movies(a)")).code, "ALREADY_EXISTS");
    assert.equal((await acme.error("SELECT ? + ?", [1])).code, "PARAMETER_COUNT");
    const plan = await acme.exec("EXPLAIN QUERY PLAN SELECT * FROM movies WHERE id = 1");
    assert.match(plan.results[0].detail, /^SEARCH movies USING INTEGER PRIMARY KEY/);
  });

  test("queries, writes and definitions answer as in a session", async () => {
    const one = tenant(worker, "acme");
    await one.exec("CREATE TABLE scores(name TEXT PRIMARY KEY, points INTEGER DEFAULT 1)");
    assert.equal((await one.exec("INSERT INTO scores(name) VALUES ('a'), ('b')")).changes, 2);
    const upsert = await one.exec("INSERT INTO scores VALUES ('a', 5) ON CONFLICT (name) DO UPDATE SET points = scores.points + excluded.points RETURNING *");
    assert.deepEqual([upsert.columns, upsert.results, upsert.changes], [["name", "points"], [{ name: "a", points: 6 }], 1]);
    await one.exec("CREATE VIEW high AS WITH x AS (SELECT * FROM scores WHERE points > 2) SELECT name FROM x");
    assert.deepEqual(await one.rows("SELECT h.name, h.name FROM high h JOIN scores USING (name)"), [["a", "a"]]);
    const answer = await one.session.ok("query", { sql: "SELECT name, name FROM scores LIMIT 1", limit: 1, ...persistent });
    assert.deepEqual([answer.columns, answer.rowCount, answer.truncated, typeof answer.rowsRead], [["name", "name_2"], 1, false, "number"]);
    const described = (await one.call("describeTable", { table: "scores" })).body;
    assert.deepEqual([described.rowCount, described.columns[1].defaultValue, described.sampleRows[0].name], [2, "1", "a"]);
    assert.equal((await one.call("createTable", { name: "made", schema: "a INTEGER, b TEXT" })).status, 200);
    assert.equal((await one.call("hasColumn", { table: "made", column: "b" })).body.exists, true);
    assert.equal((await one.error("CREATE VIEW broken AS SELECT pionts FROM scores")).code, "NO_SUCH_COLUMN");
    const long = await one.session.ok("query", { sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 12000) SELECT i FROM n", ...persistent });
    assert.deepEqual([long.rowCount, long.truncated], [10000, true]);
  });

  test("integers of 64 bits, reals and blobs survive both ways", async () => {
    const one = tenant(worker, "acme");
    const wire = '[9223372036854775807,-9223372036854775808,1.5,{"$blob":"AP9/eyI="},"\\u0000 \\"x\\" 😀",null]';
    await one.exec("CREATE TABLE exact(a, b, c REAL, d BLOB, e TEXT, f)");
    const inserted = await one.session.text("exec", {});
    assert.match(inserted, /INVALID_ARGUMENT/);
    const response = await one.session.fetch("", { method: "POST", body: `{"operation":"exec","target":"persistent","sql":"INSERT INTO exact VALUES (?,?,?,?,?,?)","params":${wire}}` });
    assert.equal(response.status, 200, await response.text());
    const back = await one.session.text("query", { sql: "SELECT * FROM exact", rowFormat: "array", ...persistent });
    assert.ok(back.includes('[9223372036854775807,-9223372036854775808,1.5,{"$blob":"AP9/eyI="},'), back);
    assert.equal(JSON.parse(back).results[0][4], '\0 "x" 😀');

    await one.session.exec("CREATE TABLE local(a, b, c REAL, d BLOB, e TEXT, f)");
    await one.session.fetch("", { method: "POST", body: `{"operation":"exec","sql":"INSERT INTO local VALUES (?,?,?,?,?,?)","params":${wire}}` });
    assert.deepEqual((await one.persist({ table: "local" })).body, { success: true, table: "local", rowsWritten: 1 });
    const copied = await one.session.text("query", { sql: "SELECT * FROM local", rowFormat: "array", ...persistent });
    assert.equal(copied.split('"results":')[1].split(',"rowCount"')[0], back.split('"results":')[1].split(',"rowCount"')[0]);
  });

  test("persist creates, replaces and appends", async () => {
    const one = tenant(worker, "zeta");
    await one.session.exec("CREATE TABLE papers(id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER DEFAULT 2000)");
    await one.session.exec("INSERT INTO papers(title) VALUES ('one'), ('two')");
    assert.deepEqual(await one.persist({ table: "papers" }), { status: 200, body: { success: true, table: "papers", rowsWritten: 2 } });
    const again = await one.persist({ table: "papers", mode: "create" });
    assert.deepEqual([again.status, again.body.error.code], [409, "ALREADY_EXISTS"]);
    await one.session.exec("DELETE FROM papers");
    await one.session.exec("INSERT INTO papers(id, title) VALUES (7, 'seven')");
    assert.equal((await one.persist({ table: "papers", mode: "append" })).body.rowsWritten, 1);
    assert.deepEqual(await one.rows("SELECT id, title FROM papers"), [[1, "one"], [2, "two"], [7, "seven"]]);
    assert.equal((await one.persist({ table: "papers", as: "Papers", mode: "replace" })).body.table, "papers");
    assert.deepEqual(await one.rows("SELECT id, title, year FROM papers"), [[7, "seven", 2000]]);
    assert.equal((await one.exec("INSERT INTO papers(title) VALUES ('eight') RETURNING id, year")).results[0].id, 8);
    for (const [fields, code] of [[{}, "INVALID_ARGUMENT"], [{ table: "papers", mode: "merge" }, "INVALID_ARGUMENT"], [{ table: "paper" }, "NO_SUCH_TABLE"], [{ table: "papers", as: "other", mode: "append" }, "NO_SUCH_TABLE"]]) {
      assert.equal((await one.persist(fields)).body.error.code, code);
    }
  });

  test("a large table is copied as a whole, and one that fails in the middle leaves nothing", async () => {
    const one = tenant(worker, "zeta");
    await one.session.exec("CREATE TABLE many(id INTEGER PRIMARY KEY, text TEXT, raw BLOB)");
    await one.session.exec(
      "INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i, printf('row %d %.300c', i, 'x'), CASE WHEN i % 100 = 0 THEN randomblob(16) END FROM n",
    );
    assert.equal((await one.persist({ table: "many" })).body.rowsWritten, 20000);
    const summary = "SELECT count(*), sum(id), sum(length(text)), count(raw), sum(length(raw)) FROM many";
    const local = (await one.session.query(summary, undefined, { rowFormat: "array" })).results;
    assert.deepEqual(await one.rows(summary), local);

    await one.exec("CREATE TABLE partly(id INTEGER PRIMARY KEY, text TEXT, raw BLOB, CHECK (id <> 19999))");
    await one.exec("INSERT INTO partly(id) VALUES (-1)");
    const failed = await one.persist({ table: "many", as: "partly", mode: "append" });
    assert.deepEqual([failed.status, failed.body.error.code], [409, "CONSTRAINT_FAILED"]);
    assert.deepEqual(await one.rows("SELECT id FROM partly"), [[-1]]);
    assert.deepEqual(await namesInD1(worker, "%^%"), [], "no stage is left");
    assert.equal((await namesInD1(worker, "%partly%")).length, 1, "names are found");
    assert.deepEqual((await one.session.query("SELECT count(*) AS n FROM many")).results, [{ n: 20000 }]);
  });

  test("copies at the same time end as one or the other", async () => {
    const sessions = Array.from({ length: 6 }, () => tenant(worker, "acme"));
    await Promise.all(
      sessions.map(async (one, index) => {
        await one.session.exec("CREATE TABLE race(owner INTEGER)");
        await one.session.exec("INSERT INTO race WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT ? FROM n", [index]);
      }),
    );
    const outcomes = await Promise.all(sessions.map((one) => one.persist({ table: "race", mode: "replace" })));
    assert.ok(outcomes.every(({ body }) => body.success), JSON.stringify(outcomes));
    assert.deepEqual((await acme.rows("SELECT count(*), count(DISTINCT owner) FROM race"))[0], [3000, 1]);
  });

  test("what the persistent database does not do is refused clearly", async () => {
    for (const operation of ["batchInsert", "saveState", "getState", "getMetrics"]) {
      const { status, body } = await acme.call(operation, { table: "movies", records: [], key: "k", value: 1 });
      assert.deepEqual([status, body.error.code], [400, "INVALID_ARGUMENT"], operation);
    }
    assert.equal((await acme.session.error("query", { sql: "SELECT 1", target: "d1" })).code, "INVALID_ARGUMENT");
    const stream = await acme.session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql: "SELECT 1", ...persistent }) });
    assert.equal(stream.status, 400);
  });

  test("the examples of the document answer what it says", async () => {
    const fresh = await Worker.start({ persistent: true });
    try {
      const session = fresh.session("demo");
      const all = await examples();
      assert.ok(all.length >= 9, String(all.length));
      for (const { path, body, answer } of all) {
        const found = await (await session.fetch(path, { method: "POST", body })).json();
        assert.deepEqual(found, answer, body);
      }
    } finally {
      await fresh.stop();
    }
  });

  test("the log line carries the tenant and what D1 counted", async () => {
    const one = tenant(worker, "acme");
    await one.exec("INSERT INTO movies(title) VALUES ('logged')");
    const [line] = await worker.operationsOf(one.session, 1);
    assert.deepEqual([line.tenant, line.operation, line.code], ["acme", "exec", "OK"]);
    assert.ok(line.rowsWritten >= 1, JSON.stringify(line));
  });
});

describe("a Worker without the D1 binding", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("says that there is no persistent database and how to add one", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    const refused = await session.error("query", { sql: "SELECT 1", ...persistent });
    assert.deepEqual([refused.status, refused.code], [404, "PERSISTENT_UNAVAILABLE"]);
    assert.match(refused.hint, /CODEMODE_D1/);
    const response = await session.fetch("/persist", { method: "POST", body: JSON.stringify({ table: "t" }) });
    assert.equal((await response.json()).error.code, "PERSISTENT_UNAVAILABLE");
    assert.deepEqual((await session.query("SELECT count(*) AS n FROM t")).results, [{ n: 0 }]);
  });
});
