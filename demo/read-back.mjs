// Reads a dump into the SQLite inside Node, another build of SQLite than the Worker's, and compares what is in it with the files.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { same, sum } from "./data.mjs";
import * as print from "./print.mjs";
import { RECORDS } from "./tables.mjs";

/** Runs the dump in an empty database in memory. */
export async function readBack(dump) {
  const DatabaseSync = await loadSqlite();
  const database = new DatabaseSync(":memory:");
  try {
    const started = performance.now();
    database.exec(dump);
    print.note(`read back in ${print.duration(performance.now() - started)}`);
    compare(database);
    print.finding(`${(dump.length / 1e6).toFixed(1)} MB, and the SQLite inside Node holds the same`);
  } finally {
    database.close();
  }
}

function compare(database) {
  const one = (sql, ...values) => ({ ...database.prepare(sql).get(...values) });
  assert.equal(one("PRAGMA integrity_check").integrity_check, "ok", "integrity_check of the dump");
  const names = Object.keys(RECORDS);
  const counts = Object.fromEntries(names.map((name) => [name, one(`SELECT count(*) AS n FROM ${name}`).n]));
  print.table(names, [counts]);
  for (const name of names) assert.equal(counts[name], RECORDS[name].length, `rows of ${name} in the dump`);
  const { miles, late } = one("SELECT sum(distance) AS miles, total(time) AS late FROM delays");
  same(miles, sum(RECORDS.delays, (flight) => flight.distance), "miles in the dump");
  same(late, sum(RECORDS.delays, (flight) => flight.time), "times in the dump");
  const matches = one("SELECT count(*) AS n FROM titles WHERE titles MATCH ?", "star AND (trek OR wars)").n;
  const isMatch = ({ Title: title }) => /\bstar\b/i.test(title) && /\b(?:trek|wars)\b/i.test(title);
  assert.equal(matches, RECORDS.movies.filter(isMatch).length, "full-text matches in the dump");
  const { value } = one("SELECT value FROM session_state WHERE key = ?", "notes");
  same(JSON.parse(value).tables, names, "the state in the dump");
  print.checked("tables, sums, the full-text index and the saved state are those of the session");
}

/** node:sqlite, without its warning that the module is young. */
async function loadSqlite() {
  const emit = process.emitWarning;
  process.emitWarning = (warning, ...rest) => (String(warning).startsWith("SQLite is") ? undefined : emit.call(process, warning, ...rest));
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } finally {
    process.emitWarning = emit;
  }
}
