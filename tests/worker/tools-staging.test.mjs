// Tests of large results that become tables of the session: the conditions, the tables, and that
// staging is all or nothing.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { publications, startPublications } from "../../demo/servers/publications.mjs";
import { startTrials, trials } from "../../demo/servers/trials.mjs";
import { startPeer } from "../peers/peer.mjs";
import { nested } from "../peers/tools.mjs";
import { execute, failure, result } from "./program-client.mjs";
import { answer, call, refusal, startWorker } from "./tools-client.mjs";

let peer, pubs, registry, worker;
before(async () => {
  [peer, pubs, registry] = await Promise.all([startPeer(), startPublications(), startTrials()]);
  worker = await startWorker({ peer, pubs: { url: pubs.url, mappings: "entrez" }, trials: { url: registry.url, mappings: "clinicaltrials" } });
});
after(() => Promise.all([worker, peer, pubs, registry].map((one) => (one?.stop ?? one?.close)?.call(one))));

const tableOf = (receipt, end) => {
  const found = receipt.tables.find(({ name }) => name.endsWith(end));
  assert.ok(found, `no table …${end} among ${receipt.tables.map(({ name }) => name)}`);
  return found;
};
/** Returns a list of one text, with this many bytes of JSON. */
const jsonOf = (bytes) => JSON.stringify(["x".repeat(bytes - '[""]'.length)]);
/** Returns the value of a query with one row and one column. */
const count = async (session, sql, params) => Object.values((await session.query(sql, params)).results[0])[0];

describe("through the proxy", () => {
  test("100 records are answered, 101 are staged", async () => {
    const session = worker.session();
    const hundred = await call(worker, "peer", "big", { n: 100 }, { session: session.name });
    assert.equal(hundred.length, 100);
    assert.deepEqual((await session.ok("getTables")).tables, []);
    const receipt = await call(worker, "peer", "big", { n: 101 }, { session: session.name });
    assert.equal(receipt.staged, true);
    assert.ok(receipt.dataAccessId.length > 4);
    assert.equal(receipt.rows, 101);
    const [{ name, columns, rows, sample }] = receipt.tables;
    assert.equal(rows, 101);
    assert.equal(sample.length, 3);
    assert.equal(sample[0].name, "record 1");
    const types = Object.fromEntries(columns.map((column) => [column.name, column.type]));
    assert.deepEqual([types.id, types.name, types.score], ["INTEGER", "TEXT", "REAL"]);
    assert.ok(receipt.hint.includes('{"operation":"query"}') || receipt.hint.includes(name), receipt.hint);
    assert.equal(await count(session, `SELECT sum(id) FROM "${name}"`), 5_151);
    assert.equal(await count(session, `SELECT count(*) FROM "${name}" WHERE active`), 50);
  });

  test("30 KiB are answered, and one byte more is staged", async () => {
    const session = worker.session().name;
    assert.equal((await call(worker, "peer", "value", { json: jsonOf(30 * 1024) }, { session })).length, 1);
    assert.equal((await call(worker, "peer", "value", { json: jsonOf(30 * 1024 + 1) }, { session })).staged, true);
  });

  test("a few records of more than 30 KiB are staged as well", async () => {
    const session = worker.session();
    const receipt = await call(worker, "peer", "big", { n: 60, bytes: 600 }, { session: session.name });
    assert.equal(receipt.staged, true);
    assert.ok(JSON.stringify(receipt).length < 10_000, "long texts of the sample are cut");
    assert.equal(await count(session, `SELECT max(length(filler)) FROM "${receipt.tables[0].name}"`), 600, "and not those of the table");
  });

  test("stage: true, a name and false decide", async () => {
    const session = worker.session();
    const small = await call(worker, "peer", "big", { n: 2 }, { session: session.name, stage: true });
    assert.deepEqual([small.staged, small.rows], [true, 2]);
    const named = await call(worker, "peer", "big", { n: 3 }, { session: session.name, stage: "my_records" });
    assert.equal(named.tables[0].name, "my_records");
    assert.equal(await count(session, "SELECT count(*) FROM my_records"), 3);
    const forbidden = await call(worker, "peer", "big", { n: 500 }, { session: session.name, stage: false });
    assert.equal(forbidden.length, 500);
  });

  test("100 KB of plain text are one row, and all of it", async () => {
    const session = worker.session();
    const { result } = await answer(worker, "peer", "value", { json: "w".repeat(100_000) }, { session: session.name });
    assert.deepEqual([result.staged, result.rows], [true, 1]);
    assert.ok(JSON.stringify(result).length < 5_000);
    assert.equal(await count(session, `SELECT sum(length(value)) FROM "${result.tables[0].name}"`), 100_000);
  });
});

describe("in a program", () => {
  const run = (session, code, more) => result(worker, session.name, code, more);

  test("1,000 records are held, 1,001 are staged", async () => {
    const session = worker.session();
    assert.deepEqual(await run(session, "const held = await helpers.peer.big({ n: 1000 });\nreturn [held.length, held.staged ?? null, held.ok]"), [1_000, null, true]);
    const receipt = await run(session, "const receipt = await helpers.peer.big({ n: 1001 });\nreturn { ...receipt, ok: receipt.ok }");
    assert.deepEqual([receipt.staged, receipt.rows, receipt.ok], [true, 1_001, true]);
    assert.equal(await count(session, `SELECT count(*) FROM "${receipt.tables[0].name}"`), 1_001);
  });

  test("1 MiB is held, and one byte more is staged", async () => {
    const code = "const got = await helpers.peer.value({ json: input });\nreturn [got.length ?? null, got.staged ?? null]";
    assert.deepEqual(await run(worker.session(), code, { input: jsonOf(1024 * 1024) }), [1, null]);
    assert.deepEqual(await run(worker.session(), code, { input: jsonOf(1024 * 1024 + 1) }), [null, true]);
  });

  test("stage decides, as an option of the method and of invoke", async () => {
    const session = worker.session();
    const seen = await run(
      session,
      `const seen = [];
       seen.push((await helpers.peer.big({ n: 2 }, { stage: true })).staged);
       seen.push((await helpers.peer.invoke("big", { n: 2 }, { stage: "pairs" })).tables[0].name);
       seen.push((await helpers.peer.big({ n: 1500 }, { stage: false })).length);
       return seen;`,
    );
    assert.deepEqual(seen, [true, "pairs", 1_500]);
    assert.equal(await count(session, "SELECT count(*) FROM pairs"), 2);
  });

  test("queryStagedData asks the tables of one answer", async () => {
    const session = worker.session();
    const seen = await run(
      session,
      `const receipt = await helpers.peer.big({ n: 1200 });
       const rows = await helpers.peer.queryStagedData(receipt.dataAccessId, \`SELECT count(*) AS n, max(score) AS best FROM "\${receipt.tables[0].name}" WHERE active\`);
       return [rows, receipt.tables[0].sample.length];`,
    );
    assert.deepEqual(seen, [[{ n: 600, best: 300 }], 3]);
    const other = await call(worker, "peer", "big", { n: 300 }, { session: session.name });
    const direct = await session.ok("queryStagedData", { id: other.dataAccessId, sql: `SELECT count(*) AS n FROM "${other.tables[0].name}"` });
    assert.deepEqual(direct.results, [{ n: 300 }]);
  });

  test("queryStagedData of what was never staged says what there is", async () => {
    const session = worker.session();
    const error = await session.error("queryStagedData", { id: "no-such-id", sql: "SELECT 1" });
    assert.deepEqual([error.status, error.code], [404, "STAGED_NOT_FOUND"]);
    const failed = await failure(worker, session.name, 'return await helpers.peer.queryStagedData("no-such-id", "SELECT 1")');
    assert.equal(failed.code, "STAGED_NOT_FOUND");
  });

  test("what is staged is there for the next program", async () => {
    const session = worker.session();
    const name = await run(session, "return (await helpers.peer.big({ n: 1100 })).tables[0].name");
    assert.deepEqual(await run(session, `return await helpers.db.query('SELECT count(*) AS n FROM "${name}"')`), [{ n: 1_100 }]);
  });
});

describe("what an answer becomes", () => {
  test("objects are columns, lists of records are tables with a key to their parent, other lists JSON", async () => {
    const session = worker.session();
    const receipt = await call(worker, "peer", "nested", { n: 150 }, { session: session.name });
    const studies = receipt.tables.find(({ rows }) => rows === 150);
    assert.ok(studies, JSON.stringify(receipt.tables));
    const names = studies.columns.map(({ name }) => name);
    for (const name of ["id", "title", "journal_name", "journal_issn", "journal_publisher_country", "keywords"]) assert.ok(names.includes(name), `${name} in ${names}`);
    const authors = tableOf(receipt, "authors");
    const all = Array.from({ length: 150 }, (_, index) => nested(index + 1));
    assert.equal(authors.rows, all.reduce((sum, { authors: list }) => sum + list.length, 0));
    const { results } = await session.query(
      `SELECT s.id, group_concat(a.name, ';' ORDER BY a.position) AS names, s.journal_issn AS issn, json_array_length(s.keywords) AS keywords, min(a.affiliation_city) AS city
       FROM "${studies.name}" s LEFT JOIN "${authors.name}" a ON a.parent_row_id = s.row_id GROUP BY s.id ORDER BY s.id`,
    );
    assert.deepEqual(
      results,
      all.map(({ id, authors: list, journal }) => ({ id, names: list.length === 0 ? null : list.map(({ name }) => name).join(";"), issn: journal.issn, keywords: 3, city: list.length === 0 ? null : "Delft" })),
    );
  });

  test("every record of a real answer is there", async () => {
    const session = worker.session();
    const receipt = await call(worker, "pubs", "list", { limit: 5_000 }, { session: session.name });
    const papers = receipt.tables.find(({ rows }) => rows === publications.length);
    const { results } = await session.query(`SELECT pmid, year, citation_count, doi, abstract FROM "${papers.name}" ORDER BY pmid LIMIT 10000`);
    assert.deepEqual(results, publications.map(({ pmid, year, citation_count, doi, abstract }) => ({ pmid, year, citation_count, doi, abstract })));
    const authors = tableOf(receipt, "authors");
    assert.equal(await count(session, `SELECT count(*) FROM "${authors.name}"`), publications.reduce((sum, { authors: list }) => sum + list.length, 0));
    assert.equal(await count(session, `SELECT count(DISTINCT affiliation_country) FROM "${authors.name}"`), new Set(publications.flatMap(({ authors: list }) => list.map(({ affiliation }) => affiliation.country))).size);
  });

  test("findColumn knows the server that a table came from", async () => {
    const session = worker.session();
    const papers = (await call(worker, "pubs", "list", { limit: 200 }, { session: session.name })).tables.find(({ rows }) => rows === 200).name;
    const studies = (await call(worker, "trials", "list", { limit: 200 }, { session: session.name })).tables.find(({ rows }) => rows === 200).name;
    assert.equal((await session.ok("findColumn", { table: papers, semanticName: "publication_date" })).column, "year");
    assert.equal((await session.ok("findColumn", { table: studies, semanticName: "trial_id" })).column, "nct_id");
    assert.equal(await result(worker, session.name, `return (await helpers.schema.findColumn("${papers}", "publication_date"))`), "year");
  });

  test("two servers' answers are joined in SQL", async () => {
    const session = worker.session();
    const rows = await result(
      worker,
      session.name,
      `const [papers, studies] = await Promise.all([helpers.pubs.list({ limit: 5000 }), helpers.trials.list({ limit: 5000 })]);
       const name = (receipt, rows) => receipt.tables.find((table) => table.rows === rows).name;
       return await helpers.db.query(\`SELECT count(*) AS links, count(DISTINCT t.nct_id) AS trials FROM "\${name(studies, ${trials.length})}" t, json_each(t.related_pmids) r JOIN "\${name(papers, ${publications.length})}" p ON p.pmid = r.value\`);`,
    );
    const links = trials.flatMap(({ nct_id, related_pmids }) => related_pmids.map(() => nct_id));
    assert.deepEqual(rows, [{ links: links.length, trials: new Set(links).size }]);
  });

  test("keys of all kinds become names that SQL takes", async () => {
    const session = worker.session();
    const record = { "first name": 1, "First Name": 2, order: 3, "a.b": 4, a: { b: 5 }, "": 6, 'x"; DROP TABLE t; --': 7, rowid: 8 };
    const receipt = await call(worker, "peer", "value", { json: JSON.stringify([record, record]) }, { session: session.name, stage: "keys" });
    const { columns, name } = receipt.tables[0];
    const names = columns.map((column) => column.name.toLowerCase());
    assert.equal(new Set(names).size, names.length, names.join());
    const { results } = await session.query(`SELECT * FROM "${name}" LIMIT 1`);
    const values = Object.values(results[0]);
    for (const value of [1, 2, 3, 4, 5, 6, 7, 8]) assert.ok(values.includes(value), `${value} in ${JSON.stringify(results[0])}`);
  });

  test("values of all kinds keep what they are", async () => {
    const session = worker.session();
    const list = [{ v: 9007199254740993n, mixed: 1, maybe: null, flag: true, list: [1, "a"], none: null }, { v: 2n, mixed: "two", maybe: 0.5, flag: false, list: [], none: null }];
    const json = JSON.stringify(list, (_key, value) => (typeof value === "bigint" ? `#${value}` : value)).replaceAll(/"#(\d+)"/g, "$1");
    await call(worker, "peer", "value", { json }, { session: session.name, stage: "kinds" });
    const text = await session.text("query", { sql: "SELECT v, mixed, typeof(mixed) AS kind, maybe, flag, json_extract(list, '$[1]') AS second, none FROM kinds ORDER BY row_id" });
    assert.match(text, /9007199254740993/);
    const { results } = JSON.parse(text);
    assert.deepEqual(results.map(({ mixed }) => String(mixed)), ["1", "two"]);
    assert.deepEqual(results.map(({ maybe, flag, second, none }) => [maybe, flag, second, none]), [[null, 1, "a", null], [0.5, 0, null, null]]);
  });
});

describe("staging", () => {
  test("the same answer again replaces what was there", async () => {
    const session = worker.session();
    const first = await call(worker, "peer", "generation", { n: 150 }, { session: session.name });
    const again = await call(worker, "peer", "generation", { n: 150 }, { session: session.name });
    assert.deepEqual(again.tables.map(({ name }) => name), first.tables.map(({ name }) => name));
    assert.equal(again.dataAccessId, first.dataAccessId);
    const { results } = await session.query(`SELECT generation, count(*) AS n FROM "${first.tables[0].name}" GROUP BY generation`);
    assert.deepEqual(results, [{ generation: first.tables[0].sample[0].generation + 1, n: 150 }]);
  });

  test("another answer of the same tool does not take its place", async () => {
    const session = worker.session();
    const first = await call(worker, "peer", "big", { n: 150 }, { session: session.name });
    const other = await call(worker, "peer", "big", { n: 160 }, { session: session.name });
    assert.notEqual(other.tables[0].name, first.tables[0].name);
    assert.notEqual(other.dataAccessId, first.dataAccessId);
    assert.equal(await count(session, `SELECT count(*) FROM "${first.tables[0].name}"`), 150);
    assert.equal(await count(session, `SELECT count(*) FROM "${other.tables[0].name}"`), 160);
  });

  test("a table that the program has made is not replaced", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE peer_big(mine TEXT)");
    await session.exec("INSERT INTO peer_big VALUES ('precious')");
    const receipt = await call(worker, "peer", "big", { n: 150 }, { session: session.name });
    assert.notEqual(receipt.tables[0].name, "peer_big");
    assert.equal(await count(session, "SELECT mine FROM peer_big"), "precious");
  });

  test("at the same time, into the same session, each is whole", async () => {
    const session = worker.session();
    const receipts = await Promise.all([110, 120, 130, 140].map((n) => call(worker, "peer", "nested", { n }, { session: session.name })));
    for (const [index, n] of [110, 120, 130, 140].entries()) {
      const studies = receipts[index].tables.find(({ rows }) => rows === n);
      assert.equal(await count(session, `SELECT count(*) FROM "${studies.name}"`), n);
      const authors = tableOf({ tables: receipts[index].tables }, "authors");
      assert.equal(await count(session, `SELECT count(*) FROM "${authors.name}" a JOIN "${studies.name}" s ON s.row_id = a.parent_row_id`), authors.rows);
    }
  });

  test("a large answer without a session is passed on, with a word about sessions", async () => {
    const { result, meta } = await answer(worker, "peer", "big", { n: 500 });
    assert.equal(result.length, 500);
    assert.match(meta.notice, /session/);
    const error = await refusal(worker, "peer", "big", { n: 2 }, { stage: true });
    assert.equal(error.status, 400);
    assert.match(error.message, /session/);
  });

  test("deleting the session deletes what was staged", async () => {
    const session = worker.session();
    const { dataAccessId } = await call(worker, "peer", "big", { n: 150 }, { session: session.name });
    await (await session.fetch("", { method: "DELETE" })).body.cancel();
    assert.equal((await session.error("queryStagedData", { id: dataAccessId, sql: "SELECT 1" })).code, "STAGED_NOT_FOUND");
  });

  test("a staged table is not written in the log line by line, and the run names the call", async () => {
    const session = worker.session();
    const run = await execute(worker, session.name, "return (await helpers.peer.big({ n: 1001 })).rows");
    assert.deepEqual([run.result, run.calls.map(({ server, tool, ok }) => [server, tool, ok])], [1_001, [["peer", "big", true]]]);
    assert.ok(!worker.logs.join().includes("record 700"));
  });
});

test("an answer that is found too large while it is written leaves what was there", async () => {
  const small = await startWorker({ peer }, { settings: { MAX_STAGED_ROWS: "3" } });
  try {
    const session = small.session();
    const stage = (args) => [small, "peer", "big", args, { session: session.name, stage: "kept" }];
    assert.equal((await call(...stage({ n: 2 }))).rows, 2);
    // A single record, whose text is too long for a row; its pieces are counted as they are
    // written.
    const error = await refusal(...stage({ n: 1, bytes: 9_000_000 }));
    assert.deepEqual([error.status, error.code], [422, "STAGED_TOO_LARGE"]);
    assert.deepEqual((await session.ok("getTables")).tables, ["kept"]);
    assert.deepEqual((await session.ok("queryStagedData", { id: "kept", sql: "SELECT id, name FROM kept" })).results, [{ id: 1, name: "record 1" }, { id: 2, name: "record 2" }]);
  } finally {
    await small.stop();
  }
});

test("the cap of a deployment is a clear error, and nothing of the answer stays", async () => {
  const small = await startWorker({ peer }, { settings: { MAX_STAGED_ROWS: "200" } });
  try {
    const session = small.session();
    const error = await refusal(small, "peer", "big", { n: 201 }, { session: session.name });
    assert.deepEqual([error.status, error.code], [422, "STAGED_TOO_LARGE"]);
    assert.match(`${error.message} ${error.hint}`, /200/);
    const children = await refusal(small, "peer", "nested", { n: 190 }, { session: session.name });
    assert.equal(children.code, "STAGED_TOO_LARGE", "child records count");
    assert.deepEqual((await session.ok("getTables")).tables, []);
    const asked = await execute(small, session.name, "const got = await helpers.peer.big({ n: 1500 }, { stage: true });\nreturn [got.ok, got.error.code]");
    assert.deepEqual(asked.result, [false, "STAGED_TOO_LARGE"]);
    // A result of a single call without a request for staging is not lost, because a program can
    // hold it.
    const program = await execute(small, session.name, "const got = await helpers.peer.big({ n: 1500 });\nreturn [got.ok, got.length, got.meta.staged, got.meta.notice]");
    assert.deepEqual(program.result.slice(0, 3), [true, 1500, false]);
    assert.match(`${program.result[3]} ${program.logs[0].text}`, /too large for staging.*could not be staged/);
    assert.equal((await call(small, "peer", "big", { n: 200 }, { session: session.name })).rows, 200);
  } finally {
    await small.stop();
  }
});
