// The fixed cost of a request, beside a peer that checks nothing (bench/peer/): processor time of
// the workerd process, and elapsed time. One client sends point queries, inserts of one row, bodies
// as Python's json.dumps writes them, MCP calls, nodes of a graph and empty programs; 50 clients
// send point queries on 50 sessions and on one; and a point query follows a program of another
// session, because workerd discards compiled code when an isolate is created.
//
//   node bench/requests.mjs [--rounds 9] [--build build-bench] [--other DIR] [--only NAME]
//       [--json FILE] [--document]
//
// --other takes a second build of ours, such as that of another commit, which is measured in turn
// with the first. --only takes the rows whose names contain this text. --document measures three
// times and writes the tables of docs/performance.md.
//
// All of them run one after the other in each round, and a ratio is the median of those of the
// single rounds. Processor time depends less on other processes of the machine than elapsed time.

import { readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { atMost, median, ratioOf } from "./report.mjs";
import { bundled, modulesIn, prepareWorker } from "./workerd.mjs";

const ROWS = 1_000;
const CLIENTS = 50;
const WARM_UP_ROUNDS = 2;
const QUERIES_BEFORE_ISOLATES = 1_000;
const ISOLATES = 15;
/** The time in which workerd ends an isolate's work, in milliseconds. */
const SETTLED_MS = 60;
const STATELESS = "2026-07-28";
const POINT_SQL = "SELECT id, name, score, note FROM q WHERE id = ?";
const INSERT_SQL = "INSERT INTO t (id, name, score, note) VALUES (?, ?, ?, ?)";

const OURS = {
  binding: "CODEMODE_DB",
  className: "CodeModeDatabase",
  others: { TENANT_INDEX: "TenantIndex", MCP_SESSION: "McpSession", KNOWLEDGE_GRAPH: "KnowledgeGraph" },
};
const peer = (file) => fileURLToPath(new URL(`peer/${file}`, import.meta.url));
const PEERS = {
  session: async () => ({ binding: "SESSIONS", className: "SessionDatabase", modules: modulesIn(peer("")) }),
  mcp: async () => ({ binding: "SESSIONS", className: "McpDatabase", modules: await bundled(peer("mcp.js")) }),
  graph: async () => ({ binding: "GRAPHS", className: "PeerGraph", modules: await bundled(peer("graph.js")) }),
  program: async () => ({ binding: "PROGRAMS", className: "ProgramDatabase", loader: true, modules: await bundled(peer("codemode.js")) }),
};

const records = makeRecords(ROWS);
const path = (session) => `/api/codemode/sessions/${session}`;
const idOf = (request) => ((request * 7_919) % ROWS) + 1;
const json = (value) => Buffer.from(JSON.stringify(value));

/** Writes JSON as json.dumps does by default: with a blank behind each comma and colon. */
const dumped = (value) => Buffer.from(JSON.stringify(value, null, 1).replace(/\n */g, " ").replace(/([[{]) /g, "$1").replace(/ ([\]}])/g, "$1"));

let serial = 0;
const point = (session, request, write = json) => ({ path: path(session), body: write({ operation: "query", sql: POINT_SQL, params: [idOf(request)] }) });

function insert(session) {
  serial += 1;
  return { path: path(session), body: json({ operation: "exec", sql: INSERT_SQL, params: [serial, `name ${serial}`, serial / 7, `note of ${serial}`] }) };
}

function mcpCall(request) {
  const meta = { "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {} };
  const params = { name: "db_query", arguments: { sql: POINT_SQL, params: [idOf(request)] }, _meta: meta };
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "db_query" };
  return { path: "/mcp?session=one", headers, body: json({ jsonrpc: "2.0", id: request, method: "tools/call", params }) };
}

function node() {
  serial += 1;
  return { path: "/api/graph/bench/nodes", body: json({ id: `n${serial}`, label: `node ${serial}`, type: "person", data: { age: serial % 90 } }) };
}

const program = (code) => (_request, kind) => ({ path: kind === "peer" ? "/execute" : "/api/codemode/execute", body: json({ session: "bench", code }) });

function newProgram(request, kind) {
  serial += 1;
  return program(`return ${serial}`)(request, kind);
}

/** Each row: its requests in a round, and the most of the peer's processor and elapsed time. */
const CASES = [
  { name: "point query", peer: "session", requests: 500, most: { processor: 1.05, elapsed: 1.05 }, make: (request) => point("one", request) },
  { name: "point query as json.dumps writes it", peer: "session", requests: 500, most: { processor: 1.25, elapsed: 1.25 }, make: (request) => point("one", request, dumped) },
  { name: "insert", peer: "session", requests: 500, most: { processor: 1.1, elapsed: 1.1 }, make: () => insert("one") },
  { name: "point queries of 50 clients on 50 sessions", peer: "session", clients: CLIENTS, requests: 2_000, rate: 0.95, make: (request) => point(`many-${request % CLIENTS}`, request) },
  { name: "point queries of 50 clients on one session", peer: "session", clients: CLIENTS, requests: 2_000, rate: 0.85, make: (request) => point("one", request) },
  { name: "json.dumps of 50 clients on 50 sessions", peer: "session", clients: CLIENTS, requests: 2_000, rate: 0.8, make: (request) => point(`many-${request % CLIENTS}`, request, dumped) },
  { name: "MCP call", peer: "mcp", requests: 300, most: { processor: 1, elapsed: 1.15 }, make: mcpCall },
  { name: "graph, one node more", peer: "graph", requests: 200, most: { processor: 1.4 }, make: node },
  { name: "empty program, known text", peer: "program", requests: 20, most: { processor: 1.8 }, make: program("return 1") },
  { name: "empty program, new text", peer: "program", requests: 20, most: { processor: 2.5 }, make: newProgram },
];

/** The most processor time of a point query after an isolate was created, in milliseconds. */
const MOST_AFTER_ISOLATE_MS = 1.5;
const AFTER_ISOLATE = "point query after an isolate was created";

const DOCUMENT = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const DOCUMENTED_RUNS = 3;
/** The lines around the tables in the document. */
const [BEFORE, BEHIND] = ["<!-- bench/requests.mjs --document -->", "<!-- end -->"];

const sessionsOf = ({ clients = 1 }) => ["one", ...Array.from({ length: clients > 1 ? clients : 0 }, (_, client) => `many-${client}`)];

async function fill(send, sessions) {
  for (const session of sessions) {
    await send("POST", path(session), json({ operation: "exec", sql: `CREATE TABLE q ${CREATE_COLUMNS}` }));
    await send("POST", path(session), json({ operation: "batchInsert", table: "q", records }));
    await send("POST", path(session), json({ operation: "exec", sql: `CREATE TABLE t ${CREATE_COLUMNS}` }));
  }
}

/** Starts a Worker with the data of a row. */
async function open(name, worker, one) {
  const prepared = prepareWorker(worker);
  const process = await prepared.start(one.clients ?? 1);
  const kind = name === "peer" ? "peer" : "ours";
  if (one.peer === "graph") await process.send("POST", "/api/graph/bench/init", kind === "peer" ? undefined : json({}));
  else if (one.peer !== "program") await fill(process.send, sessionsOf(one));
  return {
    kind,
    process,
    close: async () => {
      await process.stop("SIGKILL");
      prepared.remove();
    },
  };
}

/** Sends the requests of a round; returns processor and elapsed microseconds of one. */
async function round({ kind, process }, { requests, clients = 1, make }) {
  const messages = Array.from({ length: requests }, (_, request) => make(request, kind));
  const before_ms = process.processorMs();
  const start = performance.now();
  const client = async (_, first) => {
    for (let request = first; request < requests; request += clients) {
      const { path: at, body, headers } = messages[request];
      await process.send("POST", at, body, "application/json", headers);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed_us = ((performance.now() - start) * 1_000) / requests;
  return { processor: ((process.processorMs() - before_ms) * 1_000) / requests, elapsed: elapsed_us };
}

async function measure(one, builds, rounds) {
  console.error(`measuring: ${one.name}`);
  const competitors = {};
  try {
    for (const [name, modules] of Object.entries(builds)) {
      competitors[name] = await open(name, { ...OURS, loader: one.peer === "program", modules }, one);
    }
    competitors.peer = await open("peer", await PEERS[one.peer](), one);
    const times_us = Object.fromEntries(Object.keys(competitors).map((name) => [name, { processor: [], elapsed: [] }]));
    for (let turn = -WARM_UP_ROUNDS; turn < rounds; turn += 1) {
      for (const [name, competitor] of Object.entries(competitors)) {
        const figures = await round(competitor, one);
        if (turn < 0) continue;
        for (const [figure, value] of Object.entries(figures)) times_us[name][figure].push(value);
      }
    }
    return times_us;
  } finally {
    await Promise.all(Object.values(competitors).map(({ close }) => close()));
  }
}

function judge(one, times_us) {
  console.log(`\n${one.name}`);
  for (const [name, { processor, elapsed }] of Object.entries(times_us)) {
    const ratios = name === "peer" ? "" : `   ${ratioOf(processor, times_us.peer.processor).toFixed(2)}x and ${ratioOf(elapsed, times_us.peer.elapsed).toFixed(2)}x of the peer`;
    console.log(`  ${name.padEnd(10)} processor ${median(processor).toFixed(0).padStart(7)} µs   elapsed ${median(elapsed).toFixed(0).padStart(7)} µs${ratios}`);
  }
  const { ours, peer: its } = times_us;
  if (one.rate !== undefined) {
    const rate = ratioOf(its.elapsed, ours.elapsed);
    const passed = rate >= one.rate;
    const text = `${one.name}, requests a second of the peer: ${rate.toFixed(2)}x, target at least ${one.rate}x`;
    console.log(`  ${passed ? "pass" : "MISS"}  ${text}`);
    return [{ text, passed }];
  }
  return Object.entries(one.most).map(([figure, most]) => atMost(`${one.name}, ${figure} time of the peer`, ratioOf(ours[figure], its[figure]), most, "x"));
}

/** The processor time of a point query after a program of another session, in milliseconds. */
async function afterIsolates(modules) {
  const one = { peer: "session" };
  const opened = await open("ours", { ...OURS, loader: true, modules }, one);
  try {
    const { send, processorMs } = opened.process;
    const ask = (request) => send("POST", point("one", request).path, point("one", request).body);
    for (let request = 0; request < QUERIES_BEFORE_ISOLATES; request += 1) await ask(request);
    const times_ms = [];
    for (let isolate = 0; isolate < ISOLATES; isolate += 1) {
      await send("POST", "/api/codemode/execute", json({ session: "other", code: "return 1" }));
      await sleep(SETTLED_MS);
      const before_ms = processorMs();
      await ask(isolate);
      times_ms.push(processorMs() - before_ms);
    }
    return times_ms;
  } finally {
    await opened.close();
  }
}

/** Measures, prints and judges everything; returns the figures. */
export async function benchRequests({ folder, other, only = "", rounds = 9 }) {
  const builds = { ours: modulesIn(folder), ...(other && { other: modulesIn(other) }) };
  const report = { cases: {}, verdicts: [] };
  for (const one of CASES.filter(({ name }) => name.includes(only))) {
    const times_us = await measure(one, builds, rounds);
    report.cases[one.name] = times_us;
    report.verdicts.push(...judge(one, times_us));
  }
  const title = AFTER_ISOLATE;
  if (title.includes(only)) {
    console.log(`\n${title}`);
    for (const [name, modules] of Object.entries(builds)) {
      const times_ms = await afterIsolates(modules);
      report.cases[title] = { ...report.cases[title], [name]: times_ms };
      console.log(`  ${name.padEnd(10)} processor ${median(times_ms).toFixed(2).padStart(7)} ms`);
    }
    report.verdicts.push(atMost(`${title}, processor time`, median(report.cases[title].ours), MOST_AFTER_ISOLATE_MS, " ms"));
  }
  return report;
}

/** Returns a line of a table: the lowest, the middle and the highest figure of the runs. */
function line(name, figures, goal, write) {
  const [lowest, middle, highest] = figures.toSorted((a, b) => a - b).map(write);
  return `| ${name} | ${lowest} | ${middle} | ${highest} | ${goal} |`;
}

function table(title, lines) {
  return `${title}\n\n| | lowest | median | highest | goal |\n| --- | --- | --- | --- | --- |\n${lines.join("\n")}\n`;
}

/** Writes the figures of some runs into the document. */
function document(reports) {
  const two = (figure) => figure.toFixed(2);
  const of = ({ name }, figure) => reports.map(({ cases }) => figure(cases[name].ours, cases[name].peer));
  const cost = (one) => line(one.name, of(one, (ours, its) => ratioOf(ours.processor, its.processor)), one.most.processor, two);
  const rate = (one) => line(one.name, of(one, (ours, its) => ratioOf(its.elapsed, ours.elapsed)), one.rate, two);
  const after = line(AFTER_ISOLATE, reports.map(({ cases }) => median(cases[AFTER_ISOLATE].ours)), `${MOST_AFTER_ISOLATE_MS} ms`, (figure) => `${two(figure)} ms`);
  const tables = [
    table("Processor time of the workerd process, as a multiple of the peer's:", CASES.filter((one) => one.rate === undefined).map(cost)),
    table("Requests a second of 50 clients, as a part of the peer's:", CASES.filter((one) => one.rate !== undefined).map(rate)),
    table("Processor time, because V8 then compiles the functions on the way of the query again:", [after]),
  ];
  const text = readFileSync(DOCUMENT, "utf8");
  const [head, rest] = [text.indexOf(BEFORE) + BEFORE.length, text.indexOf(BEHIND)];
  if (rest < head) throw new Error(`${DOCUMENT} has no place for the tables`);
  writeFileSync(DOCUMENT, `${text.slice(0, head)}\n\n${tables.join("\n")}\n${text.slice(rest)}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
      other: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      document: { type: "boolean", default: false },
    },
  });
  const measured = () => benchRequests({ folder: values.build, other: values.other, only: values.only, rounds: Number(values.rounds) });
  const report = await measured();
  if (values.document) {
    const reports = [report];
    while (reports.length < DOCUMENTED_RUNS) reports.push(await measured());
    document(reports);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
