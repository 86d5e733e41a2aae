// make demo: real tables, loaded over HTTP and analysed by programs (demo/programs/), and servers of others (demo/servers/), asked by
// programs, in a Worker that this program starts, restarts and stops.
//
// Every step compares the answer with what plain JavaScript computes from the same files and records. The first difference ends the demo with a
// message and exit code 1. Ctrl-C cleans up too.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import * as analysis from "./analysis.mjs";
import { same } from "./data.mjs";
import * as evidence from "./evidence.mjs";
import * as print from "./print.mjs";
import { readBack } from "./read-back.mjs";
import { Session } from "./session.mjs";
import { RECORDS, SMALL, STREAMED, TOTAL_ROWS } from "./tables.mjs";
import { DevServer } from "./worker.mjs";

// What the shell reports for a program that a signal ended.
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 };
const LARGEST = "delays";

const started = performance.now();
const others = await evidence.startServers();
const server = new DevServer(others);
let interrupted = false;
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, async () => {
    // The second one does not wait for wrangler.
    if (interrupted) process.exit(code);
    interrupted = true;
    print.failure(`the demo was stopped by ${signal}`, []);
    await server.stop();
    process.exit(code);
  });
}

let steps = 0;
let current = "";
/** One numbered step. */
async function step(heading, work) {
  current = heading;
  print.heading(++steps, heading);
  return work();
}

async function startWorker() {
  print.command(server.command);
  const begun = performance.now();
  const { origin, health } = await server.start();
  assert.equal(health.success, true, "/health");
  print.answer(200, `${origin}/health says version ${health.version}`, performance.now() - begun);
  return origin;
}

async function createAndInsert(session, name) {
  const { schema, records } = SMALL[name];
  await session.ok("createTable", { name, schema });
  const { rowsWritten } = await session.ok("batchInsert", { table: name, records });
  assert.equal(rowsWritten, records.length, `rows of ${name}`);
}

async function streamIn(session, name) {
  const { records, types, upload } = STREAMED[name];
  const { rowsWritten } = await session.load(name, upload());
  assert.equal(rowsWritten, records.length, `rows of ${name}`);
  const { columns } = await session.ok("getColumns", { table: name });
  assert.deepEqual(Object.fromEntries(columns.map((column) => [column.name, column.type])), types, `inferred columns of ${name}`);
  print.note(`   ${columns.map((column) => `${column.name} ${column.type}`).join(", ")}`);
}

async function lookAround(session) {
  const { tables } = await session.ok("getTables");
  assert.deepEqual(tables.toSorted(), Object.keys(RECORDS).sort(), "tables");
  print.note(`   ${tables.join(", ")}`);
  const description = await session.ok("describeTable", { table: "gapminder" });
  print.table(Object.keys(description.sampleRows[0]), description.sampleRows);
  assert.equal(description.rowCount, RECORDS.gapminder.length, "rowCount");
  assert.equal(description.sampleRows.length, 3, "sample rows");
  const isRecord = (row) => RECORDS.gapminder.some((record) => record.country === row.country && record.year === row.year && record.pop === row.pop);
  assert.ok(description.sampleRows.every(isRecord), "sample rows come from gapminder.json");
  print.checked(`all tables are there, gapminder has ${print.plural(description.rowCount, "row")} and its samples are in the file`);
}

/** The first slice of a longer work, then another process, then the rest. */
async function resume(session) {
  assert.equal(await analysis.slice(session), false, "the first slice is not the last");
  await restart(session);
  print.note("the next runs read where it stopped, and go on:");
  while (!(await analysis.slice(session)));
}

/** Saves what the analysis found, replaces the process, and reads it again. */
async function restart(session) {
  const notes = { finished: steps, tables: Object.keys(RECORDS), largest: { table: LARGEST, rows: RECORDS[LARGEST].length } };
  await session.ok("saveState", { key: "notes", value: notes });
  await server.stop();
  print.note("the Worker and its runtime have ended");
  session.moveTo(await startWorker());
  const { value } = await session.ok("getState", { key: "notes" });
  same(value, notes, "the saved state");
  const { tables } = await session.ok("getMetrics");
  for (const [name, records] of Object.entries(RECORDS)) assert.equal(tables[name], records.length, `rows of ${name} after the restart`);
  const names = Object.keys(RECORDS);
  print.table(names, [tables]);
  print.checked("the state and the rows of all tables are what they were");
}

/** The list of runs, as the session has written it down. */
async function executions(session) {
  const list = await session.executions(200);
  const outcomes = new Set(list.map(({ outcome }) => outcome));
  for (const code of ["OK", "SQL_BLOCKED", "NO_SUCH_COLUMN", "COMPILE_ERROR", "EXECUTION_LIMIT"]) assert.ok(outcomes.has(code), `a run that ended with ${code}`);
  assert.equal(list.length, session.runs, "runs in the list");
  print.checked(`all ${print.plural(list.length, "run")} of this demo are there, also those before the restart`);
}

async function exportLargest(session) {
  const records = RECORDS[LARGEST];
  const rows = await session.exportRows(LARGEST, (row, index) => {
    const record = records[index];
    const equal = record !== undefined && row.delay === record.delay && row.distance === record.distance && row.time === record.time;
    assert.ok(equal, `line ${index + 1} of the export is ${JSON.stringify(row)}, the file has ${JSON.stringify(record)}`);
  });
  assert.equal(rows, records.length, "lines of the export");
  print.checked(`every line equals its record in flights-200k.json`);
}

async function forget(session) {
  await session.delete();
  const { tables } = await session.ok("getTables");
  assert.deepEqual(tables, [], "tables after DELETE");
  const { value } = await session.ok("getState", { key: "notes" });
  assert.equal(value, null, "state after DELETE");
  print.checked("no table and no state is left");
}

async function demo() {
  print.title(`Code Mode Database: ${print.count(TOTAL_ROWS)} real rows in one session, analysed by programs`);
  const origin = await step("Start the Worker as wrangler runs it, on a free port", startWorker);
  const session = new Session(origin, "demo");
  for (const name of Object.keys(SMALL)) {
    await step(`Create the table ${name} and send ${print.plural(SMALL[name].records.length, "record")}`, () => createAndInsert(session, name));
  }
  for (const name of Object.keys(STREAMED)) {
    await step(`Stream ${print.plural(STREAMED[name].records.length, "row")} into a new table, ${name}`, () => streamIn(session, name));
  }
  await step("What is there?", () => lookAround(session));
  await step("Find columns by what they mean", () => analysis.findColumns(session));
  await step("Which decades made the best movies? (columns by meaning, an aggregate)", () => analysis.decades(session));
  await step("When do flights leave late? (an aggregate over the largest table, in TypeScript)", () => analysis.delaysByHour(session));
  await step("Where do people live long? (two sources joined on country names)", () => analysis.nationsByRegion(session));
  await step("Which states are the most flown between? (two joins, with an index)", () => analysis.routesBetweenStates(session));
  await step("Where did life expectancy fall most? (window functions)", () => analysis.fallsOfLifeExpectancy(session));
  await step("Which movies have star and trek or wars in their title? (full-text search)", () => analysis.searchTitles(session));
  await step("A program as a model sends it, in a code fence", () => analysis.fenced(session));
  await step("A statement that is refused, and the way that is allowed", () => analysis.blocked(session));
  await step("A misspelt column, cured by its own error", () => analysis.misspelt(session));
  await step("A bracket is missing", () => analysis.unclosed(session));
  await step("A loop without an end", () => analysis.endless(session));
  await step("Any number of rows, one by one, with live events", () => analysis.streamLateFlights(session));
  await step("A result too large to be answered", () => analysis.staged(session));
  await step("A longer work in slices, with the Worker stopped and started again in between", () => resume(session));
  await step("What has run?", () => executions(session));
  await step(`Export the table ${LARGEST} as NDJSON`, () => exportLargest(session));
  await step("Dump the session as SQL, and read it back with the SQLite inside Node", async () => readBack(await session.dump()));
  await step("Forget the session", () => forget(session));
  const questions = new Session(server.origin, "evidence");
  await step("Three servers of others: which tools are there?", () => evidence.searchTools(questions));
  await step("Where do trials and publications meet? (one program, two servers, joined in SQL)", () => evidence.joinServers(questions));
  await step("A single call whose answer is large", () => evidence.receipt(questions));
  await step("A misspelt GraphQL query, and one that finds nothing", () => evidence.misspeltQuery(questions, others));
  await server.stop();
  await others.stop();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  print.summary(`${print.count(TOTAL_ROWS)} rows loaded, ${session.runs + questions.runs} programs run, ${steps} steps, all as expected, in ${seconds} s`);
}

try {
  await demo();
} catch (error) {
  // The handler of the signal ends the process; what failed meanwhile failed because of it.
  if (interrupted) await new Promise(() => {});
  const reason = error instanceof Error ? error.message : String(error);
  const cause = error?.cause instanceof Error ? ` (${error.cause.message})` : "";
  print.failure(`step ${steps}, ${current}: ${reason}${cause}`, server.log.length > 0 ? ["the Worker's last lines:", ...server.log] : []);
  process.exitCode = 1;
  await server.stop();
}
