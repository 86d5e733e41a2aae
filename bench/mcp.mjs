// The MCP server: the cost of `tools/call` of db_query over the plain HTTP route, stateless
// (2026-07-28) and in a session (2025-11-25); 100 calls at once; and the tokens of tools/list.
// Beside it the official server library with an equal tool over a JavaScript Durable Object
// (bench/peer/mcp.js).
//
//   node bench/mcp.mjs [--rounds 9] [--build build-bench] [--json FILE]
//
// Each is one workerd process without Miniflare's router. All of them run one after the other in
// each round, and a difference or a ratio is the median of those of the single rounds. The library
// serves the older version without a session.

import { writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { atMost, median, ratioOf } from "./report.mjs";
import { bundled, modulesIn, prepareWorker } from "./workerd.mjs";

const CALLS_A_ROUND = 100;
const AT_ONCE = 100;
const ROWS = 1_000;
const WARM_UP_ROUNDS = 2;
const TARGETS = { added_ms: 1.5, tokens: 4_000, compact_tokens: 1_200 };

const STATELESS = "2026-07-28";
const WITH_SESSION = "2025-11-25";
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase", others: { TENANT_INDEX: "TenantIndex", MCP_SESSION: "McpSession" } };
const PEER = { binding: "SESSIONS", className: "McpDatabase" };
const SESSION = "bench";
const PLAIN = `/api/codemode/sessions/${SESSION}`;
const SQL = "SELECT id, name, score, note FROM q WHERE id = ?";
const TYPES = { accept: "application/json, text/event-stream" };

const json = (value) => Buffer.from(JSON.stringify(value));
const META = { "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {} };
const records = makeRecords(ROWS);
const idOf = (call) => ((call * 7_919) % ROWS) + 1;

/**
 * Returns the ways to the same row: path, headers and body of a call, and the place of its rows.
 */
function waysOf(session) {
  const call = (number, arguments_, more) => ({ jsonrpc: "2.0", id: number, method: "tools/call", params: { name: "db_query", arguments: arguments_, ...more } });
  const given = (number) => ({ sql: SQL, params: [idOf(number)] });
  const rowsOf = (response) => response.result.structuredContent.rows;
  return {
    plain: {
      path: PLAIN,
      headers: {},
      body: (number) => json({ operation: "query", ...given(number), rowFormat: "array" }),
      rows: (response) => response.results.map((row) => (Array.isArray(row) ? row : Object.values(row))),
    },
    stateless: {
      path: `/mcp?session=${SESSION}`,
      headers: { ...TYPES, "mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "db_query" },
      body: (number) => json(call(number, given(number), { _meta: META })),
      rows: rowsOf,
    },
    session: {
      path: `/mcp?session=${SESSION}`,
      headers: { ...TYPES, "mcp-protocol-version": WITH_SESSION, ...(session && { "mcp-session-id": session }) },
      body: (number) => json(call(number, given(number))),
      rows: rowsOf,
    },
  };
}

/** Starts a Worker with the table, and returns its ways. */
async function open(worker) {
  const prepared = prepareWorker(worker);
  const process = await prepared.start(AT_ONCE);
  await process.send("POST", PLAIN, json({ operation: "exec", sql: `CREATE TABLE q ${CREATE_COLUMNS}` }));
  await process.send("POST", PLAIN, json({ operation: "batchInsert", table: "q", records }));
  const ways = waysOf(await initialize(process.url));
  const call = async (way, number) => {
    const { path, headers, body } = ways[way];
    return await process.send("POST", path, body(number), "application/json", headers);
  };
  /** Responses are parsed after the time is taken, because that is the work of a client. */
  const check = (way, number, response) => {
    const text = String(response);
    // An event stream has the response in its last line of data.
    const message = text.startsWith("{") ? text : text.split("\n").findLast((line) => line.startsWith("data: {"))?.slice(6);
    const [row] = ways[way].rows(JSON.parse(message ?? "null"));
    if (JSON.stringify(row) !== JSON.stringify(Object.values(records[idOf(number) - 1]))) throw new Error(`${way} returned another row: ${text.slice(0, 500)}`);
  };
  return {
    url: process.url,
    call,
    check,
    stop: async () => {
      await process.stop("SIGKILL");
      prepared.remove();
    },
  };
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...TYPES, ...headers }, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text.slice(0, 500)}`);
  return { response, text };
}

/** Begins a session of the older version; returns its id, if the server has sessions. */
async function initialize(origin) {
  const params = { protocolVersion: WITH_SESSION, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
  const { response } = await post(`${origin}/mcp?session=${SESSION}`, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = response.headers.get("mcp-session-id") ?? undefined;
  const headers = { "mcp-protocol-version": WITH_SESSION, ...(session && { "mcp-session-id": session }) };
  await post(`${origin}/mcp?session=${SESSION}`, { jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  return session;
}

/**
 * Returns the milliseconds of a call in each round, by name: one after the other, and the time of
 * all at once.
 */
async function measure(competitors, rounds) {
  const times_ms = {};
  const forms = Object.entries(competitors).flatMap(([name, competitor]) => ["plain", "stateless", "session"].map((way) => ({ name: `${name}, ${way}`, way, ...competitor })));
  for (const { name } of forms) times_ms[name] = { single: [], atOnce: [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { name, way, call, check } of forms) {
      const single = [];
      let responses = [];
      for (let number = 0; number < CALLS_A_ROUND; number += 1) {
        const start = performance.now();
        responses.push(await call(way, number));
        single.push(performance.now() - start);
      }
      responses.forEach((response, number) => check(way, number, response));
      const start = performance.now();
      responses = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => call(way, number)));
      const atOnce = performance.now() - start;
      responses.forEach((response, number) => check(way, number, response));
      if (round < 0) continue;
      times_ms[name].single.push(median(single));
      times_ms[name].atOnce.push(atOnce);
    }
  }
  return times_ms;
}

/** Returns the tools of an endpoint, and the tokens of their JSON. */
async function listed(origin, path) {
  const headers = { "mcp-protocol-version": STATELESS, "mcp-method": "tools/list" };
  const { text } = await post(`${origin}${path}`, { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } }, headers);
  const { tools } = JSON.parse(text).result;
  return { tools: tools.length, tokens: new Tiktoken(o200k).encode(JSON.stringify(tools)).length };
}

function printTimes(times_ms) {
  console.log(`\ntools/call of db_query, one row by its key (${CALLS_A_ROUND} calls one after the other, then ${AT_ONCE} at once, a round)`);
  for (const [name, { single, atOnce }] of Object.entries(times_ms)) {
    console.log(`  ${name.padEnd(18)} median ${median(single).toFixed(3).padStart(8)} ms a call   ${AT_ONCE} at once ${median(atOnce).toFixed(1).padStart(8)} ms`);
  }
}

function added(times_ms, name, way) {
  return median(times_ms[`${name}, ${way}`].single.map((time, round) => time - times_ms[`${name}, plain`].single[round]));
}

function printRatios(times_ms) {
  for (const way of ["stateless", "session"]) {
    const [ours, peer] = ["ours", "peer"].map((name) => times_ms[`${name}, ${way}`]);
    const title = way === "stateless" ? STATELESS : `${WITH_SESSION}, the peer without a session`;
    console.log(`  ${title}: over the plain route ours adds ${added(times_ms, "ours", way).toFixed(2)} ms and the peer ${added(times_ms, "peer", way).toFixed(2)} ms`);
    console.log(`    ours / peer: a call ${ratioOf(ours.single, peer.single).toFixed(2)}x, ${AT_ONCE} at once ${ratioOf(ours.atOnce, peer.atOnce).toFixed(2)}x`);
  }
}

function printTokens(lists) {
  console.log("\ntokens of tools/list (vocabulary o200k_base)");
  for (const [path, { tools, tokens }] of Object.entries(lists)) {
    console.log(`  ${path.padEnd(14)} ${String(tools).padStart(3)} tools ${tokens.toLocaleString("en-US").padStart(7)} tokens`);
  }
}

/** Measures and prints everything; returns the figures. */
export async function benchMcp({ folder, rounds }) {
  const workers = {
    ours: { ...OURS, modules: modulesIn(folder) },
    peer: { ...PEER, modules: await bundled(fileURLToPath(new URL("peer/mcp.js", import.meta.url))) },
  };
  const competitors = {};
  try {
    for (const [name, worker] of Object.entries(workers)) competitors[name] = await open(worker);
    console.error("measuring: tools/call of the MCP server");
    const times_ms = await measure(competitors, rounds);
    printTimes(times_ms);
    printRatios(times_ms);
    const lists = {};
    for (const path of ["/mcp", "/mcp/compact", "/mcp/readonly", "/mcp/database", "/mcp/code"]) lists[path] = await listed(competitors.ours.url, path);
    printTokens(lists);
    console.log("\ntargets");
    const verdicts = [
      atMost(`tools/call, ${STATELESS}, over the plain route`, added(times_ms, "ours", "stateless"), TARGETS.added_ms, " ms"),
      atMost(`tools/call, ${WITH_SESSION} in a session, over the plain route`, added(times_ms, "ours", "session"), TARGETS.added_ms, " ms"),
      atMost("tools/list of /mcp", lists["/mcp"].tokens, TARGETS.tokens, " tokens"),
      atMost("tools/list of /mcp/compact", lists["/mcp/compact"].tokens, TARGETS.compact_tokens, " tokens"),
    ];
    return { times_ms, lists, verdicts };
  } finally {
    await Promise.all(Object.values(competitors).map(({ stop }) => stop()));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
      json: { type: "string" },
    },
  });
  const report = await benchMcp({ folder: options.build, rounds: Number(options.rounds) });
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
