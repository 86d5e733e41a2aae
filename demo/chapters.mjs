// The steps of the demo, in nine chapters. Each step compares what the Worker says with what plain JavaScript computes from the same files.
//
// A step has a heading, its work, and what the short form shows of it: `brief` is its name there, `shows` which of the lines that it printed,
// and `most` how many of them. A chapter fits a screen, so there is little room.

import assert from "node:assert/strict";
import * as agent from "./agent.mjs";
import * as analysis from "./analysis.mjs";
import * as code from "./code.mjs";
import { same } from "./data.mjs";
import * as evidence from "./evidence.mjs";
import * as graph from "./graph.mjs";
import * as mcp from "./host.mjs";
import * as print from "./print.mjs";
import { readBack } from "./read-back.mjs";
import { RECORDS, SMALL, STREAMED, TOTAL_ROWS } from "./tables.mjs";

const LARGEST = "delays";

async function createAndInsert(session, name) {
  const { schema, records } = SMALL[name];
  await session.ok("createTable", { name, schema });
  const { rowsWritten } = await session.ok("batchInsert", { table: name, records });
  assert.equal(rowsWritten, records.length, `rows of ${name}`);
  print.finding(`${print.plural(rowsWritten, "row")} by createTable and batchInsert`);
}

async function streamIn(session, name) {
  const { records, types, upload } = STREAMED[name];
  const load = upload();
  const { type } = load;
  const { rowsWritten } = await session.load(name, load);
  assert.equal(rowsWritten, records.length, `rows of ${name}`);
  const { columns } = await session.ok("getColumns", { table: name });
  assert.deepEqual(Object.fromEntries(columns.map((column) => [column.name, column.type])), types, `inferred columns of ${name}`);
  print.note(`   ${columns.map((column) => `${column.name} ${column.type}`).join(", ")}`);
  print.finding(`${print.plural(rowsWritten, "row")} streamed as ${type}, ${print.plural(columns.length, "column")} inferred`);
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
  print.finding(`${print.count(TOTAL_ROWS)} rows in ${print.plural(tables.length, "table")}`);
  print.checked(`all tables are there, gapminder has ${print.plural(description.rowCount, "row")} and its samples are in the file`);
}

/** The first slice of a longer work, then another process where there may be one, then the rest. */
async function resume(session, stage, finished) {
  assert.equal(await analysis.slice(session), false, "the first slice is not the last");
  await restart(session, stage, finished);
  print.note("the next runs read where it stopped, and go on:");
  while (!(await analysis.slice(session)));
}

/** Saves what the analysis found, replaces the process, and reads it again. */
async function restart(session, stage, finished) {
  const notes = { finished, tables: Object.keys(RECORDS), largest: { table: LARGEST, rows: RECORDS[LARGEST].length } };
  await session.ok("saveState", { key: "notes", value: notes });
  await stage.restart();
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
  print.finding(`${print.plural(list.length, "run")}, ${print.plural(outcomes.size, "outcome")}`);
  print.checked(`all ${print.plural(list.length, "run")} of this session are there, also those before the restart`);
}

async function exportLargest(session) {
  const records = RECORDS[LARGEST];
  const rows = await session.exportRows(LARGEST, (row, index) => {
    const record = records[index];
    const equal = record !== undefined && row.delay === record.delay && row.distance === record.distance && row.time === record.time;
    assert.ok(equal, `line ${index + 1} of the export is ${JSON.stringify(row)}, the file has ${JSON.stringify(record)}`);
  });
  assert.equal(rows, records.length, "lines of the export");
  print.finding(`${print.plural(rows, "line")}, each equals its record in the file`);
  print.checked(`every line equals its record in flights-200k.json`);
}

/** Deletes a session of its own: the others stay. */
async function forget(session) {
  await session.ok("createTable", { name: "notes", schema: "text TEXT" });
  await session.ok("saveState", { key: "notes", value: 1 });
  await session.delete();
  const { tables } = await session.ok("getTables");
  assert.deepEqual(tables, [], "tables after DELETE");
  const { value } = await session.ok("getState", { key: "notes" });
  assert.equal(value, null, "state after DELETE");
  print.finding("no table and no state is left");
  print.checked("no table and no state is left");
}

function dataGoesIn(stage) {
  const small = Object.keys(SMALL).map((name) => ({
    heading: `Create the table ${name} and send ${print.plural(SMALL[name].records.length, "record")}`,
    brief: name,
    work: () => createAndInsert(stage.session, name),
  }));
  const streamed = Object.keys(STREAMED).map((name) => ({
    heading: `Stream ${print.plural(STREAMED[name].records.length, "row")} into a new table, ${name}`,
    brief: name,
    work: () => streamIn(stage.session, name),
  }));
  return {
    title: "Data goes in",
    about: "Small tables go in as records, large ones stream as CSV, NDJSON or JSON; columns are inferred.",
    steps: [
      { heading: stage.opening, brief: "The Worker", work: () => stage.open() },
      ...small,
      ...streamed,
      { heading: "What is there?", work: () => lookAround(stage.session) },
      { heading: "Find columns by what they mean", work: () => analysis.findColumns(stage.session), shows: ["code", "table"] },
    ],
  };
}

function programsAsk({ session }) {
  return {
    title: "Programs ask",
    about: "A program finds columns by their meaning and aggregates in SQL; only its result comes back.",
    steps: [
      {
        heading: "Which decades made the best movies? (columns by meaning, an aggregate)",
        brief: "Which decades made the best movies?",
        work: () => analysis.decades(session),
        shows: ["code", "table"],
      },
      {
        heading: "When do flights leave late? (an aggregate over the largest table, in TypeScript)",
        brief: "When do flights leave late?",
        work: () => analysis.delaysByHour(session),
      },
      { heading: "Where do people live long? (two sources joined on country names)", brief: "Where do people live long?", work: () => analysis.nationsByRegion(session) },
      {
        heading: "Which states are the most flown between? (two joins, with an index)",
        brief: "Which states are the most flown between?",
        work: () => analysis.routesBetweenStates(session),
      },
      { heading: "Where did life expectancy fall most? (window functions)", brief: "Where did life expectancy fall most?", work: () => analysis.fallsOfLifeExpectancy(session) },
      {
        heading: "Which movies have star and trek or wars in their title? (full-text search)",
        brief: "Which titles have star and trek or wars?",
        work: () => analysis.searchTitles(session),
      },
    ],
  };
}

function mistakes({ session }) {
  return {
    title: "Mistakes are explained",
    about: "An error says what is wrong, where, and what to write instead, so a model corrects its program.",
    steps: [
      { heading: "A program as a model sends it, in a code fence", brief: "A code fence", work: () => analysis.fenced(session) },
      {
        heading: "A misspelt column, corrected from its own error",
        brief: "A misspelt column",
        work: () => analysis.misspelt(session),
        shows: ["code", "note", "place", "table"],
      },
      { heading: "A statement that is rejected, and the way that is allowed", brief: "A statement that is rejected", work: () => analysis.blocked(session) },
      { heading: "A bracket is missing", work: () => analysis.unclosed(session) },
      { heading: "A loop without an end", work: () => analysis.endless(session) },
    ],
  };
}

function toolsOfOthers(stage) {
  return {
    title: "Tools of MCP servers",
    about: "Programs call tools of other servers. Large results become tables, to be joined in SQL.",
    begin: () => stage.openServers(),
    steps: [
      { heading: "Three servers of others: which tools are there?", brief: "Tools for a question", work: () => evidence.searchTools(stage.questions) },
      {
        heading: "Where do trials and publications meet? (one program, two servers, joined in SQL)",
        brief: "Trials joined with publications",
        work: () => evidence.joinServers(stage.questions),
        shows: ["code", "table"],
      },
      { heading: "A single call whose result is large", brief: "A large result", work: () => evidence.resultReference(stage.questions) },
      { heading: "A misspelt GraphQL query, and one that finds nothing", brief: "A misspelt GraphQL query", work: () => evidence.misspeltQuery(stage.questions, stage.others) },
    ],
  };
}

function longWork(stage) {
  const { session } = stage;
  return {
    title: "Long work, and the way out",
    about: "Rows one by one, results of any size, work that goes on later, and everything as a file.",
    steps: [
      { heading: "Any number of rows, one by one, with live events", brief: "Rows one by one", work: () => analysis.streamLateFlights(session), shows: ["event"], most: 6 },
      { heading: "A result too large for a response", brief: "A large result", work: () => analysis.staged(session) },
      {
        heading: stage.isOwn ? "A longer work in slices, with the Worker stopped and started again in between" : "A longer work in slices",
        brief: stage.isOwn ? "Work across a restart" : "Work in slices",
        work: (finished) => resume(session, stage, finished),
      },
      { heading: "What has run?", work: () => executions(session), shows: ["table"] },
      { heading: `Export the table ${LARGEST} as NDJSON`, brief: "Export as NDJSON", work: () => exportLargest(session) },
      {
        heading: "Dump the session as SQL, and read it back with the SQLite inside Node",
        brief: "Dump as SQL",
        work: async () => readBack(await session.dump()),
        shows: ["table"],
      },
      { heading: "Delete a session", work: () => forget(stage.scratch) },
    ],
  };
}

function hostConnects(stage) {
  const { host } = stage;
  return {
    title: "A host connects over MCP",
    about: "The official MCP client does what Claude, Cursor or VS Code do, at the address /mcp.",
    steps: [
      { heading: "Connect with the official MCP client, and list the tools", brief: "Connect", work: () => mcp.connect(host, stage.questions), shows: ["call"] },
      {
        heading: "Where do trials and publications meet? (the same program, through /mcp)",
        brief: "Trials joined with publications, through /mcp",
        work: () => mcp.askQuestion(host, stage.questions),
        shows: ["table"],
      },
      { heading: "Rows in pages", work: () => mcp.readPages(host) },
      { heading: "A table is dropped: the user is asked first", brief: "A table is dropped", work: () => mcp.dropTable(host) },
    ],
  };
}

function graphOfBoth({ questions, graph: made }) {
  let hub;
  return {
    title: "A knowledge graph",
    about: "Joined rows become nodes and edges in one step; models and people edit it, and undo it.",
    steps: [
      {
        heading: "Publications and trials become a graph (one importFromQuery, one step)",
        brief: "A graph of the joined rows",
        work: () => graph.importJoined(questions, made),
        shows: ["code"],
      },
      { heading: "Which nodes do most edges meet in?", work: async () => (hub = await graph.findHubs(made)), shows: ["table"] },
      { heading: "The first of them is removed with its edges, and the removal is undone", brief: "An edit", work: () => graph.undoEdit(made, hub) },
    ],
  };
}

function questionsInWords(stage) {
  const { films, thread } = stage;
  let waiting;
  return {
    title: "Questions in plain words",
    about: "A question becomes SQL that a person decides, and that sees the rows of one business only.",
    begin: () => stage.openAgent(),
    steps: [
      { heading: "Films of many studios in one table, each with its owner", brief: "Films", work: () => agent.loadFilms(films, thread) },
      { heading: "A question: how many films are there per genre?", brief: "A question", work: async () => (waiting = await agent.ask(thread)), shows: ["code"] },
      { heading: "A person approves the statement, and it runs", brief: "An approval", work: () => agent.approve(thread, waiting), shows: ["table"] },
      { heading: "A person edits the statement", brief: "An edited query", work: () => agent.edit(thread), shows: ["code", "table"] },
      { heading: "A DELETE shows its rows, and is rejected", brief: "A rejected DELETE", work: () => agent.reject(films, thread), shows: ["code"] },
      { heading: "A read of another studio's rows", brief: "A read across studios", work: () => agent.crossTenant(thread) },
    ],
  };
}

function codeOfTheProject({ workspace }) {
  let edit;
  return {
    title: "A code workspace",
    about: "Sources go in; a model asks for code within a budget of tokens, and its edits wait for a decision.",
    steps: [
      { heading: "The sources of this project are synchronised", brief: "Sources", work: () => code.sync(workspace) },
      { heading: "Where is SQL reviewed and blocked?", work: () => code.find(workspace), shows: ["table"] },
      { heading: "An edit that breaks the syntax", brief: "A broken edit", work: async () => (edit = await code.breakSyntax(workspace)), shows: ["note"] },
      { heading: "The corrected edit waits with its diff, and is approved", brief: "A corrected edit", work: () => code.approve(workspace, edit), shows: ["code"] },
      { heading: "The edit is reverted", brief: "A revert", work: () => code.revert(workspace) },
    ],
  };
}

/** The chapters, played on a stage (stage.mjs). */
export const chapters = (stage) => [dataGoesIn(stage), programsAsk(stage), mistakes(stage), toolsOfOthers(stage), longWork(stage), hostConnects(stage), graphOfBoth(stage), questionsInWords(stage), codeOfTheProject(stage)];
