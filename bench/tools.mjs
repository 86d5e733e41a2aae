// Tools of other servers: the text that a model has to read with and without this product, the
// speed at which results become tables, and the cost of the way through the Worker compared with a
// direct call.
//
//   node bench/tools.mjs [--rounds 9] [--build build-bench] [--json FILE]
//
// The servers are those of the demo and of the tests, built with the official SDK, each in this
// process; the direct calls are those of the official client. All competitors run one after the
// other in each round, and a ratio is the median of the ratios of single rounds.

import { writeFileSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serve, structured, text } from "../demo/servers/mcp.mjs";
import { publications, startPublications } from "../demo/servers/publications.mjs";
import { startTrials, trials } from "../demo/servers/trials.mjs";
import { manyTools } from "../tests/peers/tools.mjs";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { median } from "./report.mjs";
import { modulesIn, prepareWorker } from "./workerd.mjs";

/**
 * The characters of a token of English text and JSON, an estimate without a model's own tokenizer.
 */
const CHARACTERS_A_TOKEN = 4;
const TOOL_COUNTS = [10, 100, 500];
const ROWS = 20_000;
const CALLS_A_ROUND = 100;
const WARM_UP_ROUNDS = 2;
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase", loader: true };
const EXECUTE = "/api/codemode/execute";
const PROXY = "/api/codemode/proxy";

const tokens = (characters) => Math.ceil(characters / CHARACTERS_A_TOKEN);
const json = (value) => Buffer.from(JSON.stringify(value));

/** Starts the Worker with these servers. */
async function open(folder, servers) {
  const settings = { MCP_SERVERS: JSON.stringify(Object.entries(servers).map(([name, { url, mappings }]) => ({ name, url, mappings }))) };
  const prepared = prepareWorker({ ...OURS, modules: modulesIn(folder), settings });
  const process = await prepared.start();
  return {
    send: process.send,
    call: async (body) => checked(await process.send("POST", PROXY, body)),
    run: async (body) => checked(await process.send("POST", EXECUTE, body)),
    operate: async (body) => checked(await process.send("POST", "/api/codemode/sessions/bench", body)),
    stop: async () => {
      await process.stop("SIGKILL");
      prepared.remove();
    },
  };
}

function checked(answer) {
  const body = JSON.parse(answer);
  if (body.success !== true) throw new Error(`a call failed: ${String(answer).slice(0, 500)}`);
  return body;
}

/** Connects the official client, with the protocol version of the server. */
async function connect(url) {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Returns the milliseconds of each round, by name; `check` gets the result of `run`. */
async function measure(title, forms, rounds) {
  console.error(`measuring: ${title}`);
  const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { name, before, run, check, runs = 1 } of forms) {
      await before?.();
      const start = performance.now();
      const outcome = await run();
      const elapsed_ms = (performance.now() - start) / runs;
      await check(outcome);
      if (round >= 0) times_ms[name].push(elapsed_ms);
    }
  }
  return times_ms;
}

const equal = (expected, found, what) => {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`);
};

// ---- The text that a model reads

/** The program of the demo, and the question that it answers. */
const PROGRAM = readFileSync(new URL("../demo/programs/evidence.js", import.meta.url), "utf8");
const INPUT = { since: 2015, most: 5 };
/**
 * The filters of the servers that remove everything the question does not need; a direct caller
 * passes them.
 */
const NEEDED = { pubs: { year_from: INPUT.since }, trials: { status: "COMPLETED", phase: "PHASE3" } };
const MOST_RECORDS = 5_000;

/** Returns the characters of both ways to the same answer. */
async function countTokens(folder, toolCount, demo) {
  const fillers = await serve({ name: "fillers", tools: manyTools(toolCount - demo.tools.length) });
  const worker = await open(folder, { pubs: { url: demo.pubs.url, mappings: "entrez" }, trials: demo.trials, fillers });
  try {
    const client = await connect(fillers.url);
    const others = (await client.listTools()).tools;
    await client.close();
    // Like hosts, this leaves out the schemas of outputs. It is a disadvantage for us, because our
    // declarations contain them.
    const schemas = [...demo.tools, ...others].map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    equal(toolCount, schemas.length, "tools");
    const prompt = String(await worker.send("GET", "/api/codemode/prompt"));
    const answer = String(await worker.send("POST", EXECUTE, json({ session: "tokens", code: PROGRAM, input: INPUT })));
    const { result } = checked(answer);
    if (result.rows.length !== INPUT.most) throw new Error(`the program found ${result.rows.length} rows`);
    return { tools: toolCount, schemas: JSON.stringify(schemas).length, answers: demo.needed.characters, prompt: prompt.length, program: PROGRAM.length + JSON.stringify(INPUT).length, answer: answer.length };
  } finally {
    await Promise.all([worker.stop(), fillers.close()]);
  }
}

/**
 * Returns the tools of the demo's servers, and their responses to the question, filtered as far as
 * possible and not at all.
 */
async function readDemo(servers) {
  const tools = [];
  const [needed, all] = [{ records: 0, characters: 0 }, { records: 0, characters: 0 }];
  for (const [name, { url }] of Object.entries(servers)) {
    const client = await connect(url);
    tools.push(...(await client.listTools()).tools);
    for (const [sum, filter] of [[needed, NEEDED[name]], [all, {}]]) {
      const { content } = await client.callTool({ name: "list", arguments: { ...filter, limit: MOST_RECORDS } });
      const answer = JSON.parse(content[0].text);
      sum.records += (answer.trials ?? answer).length;
      sum.characters += content[0].text.length;
    }
    await client.close();
  }
  const papers = publications.filter(({ year }) => year >= INPUT.since);
  const studies = trials.filter(({ status, phase }) => status === NEEDED.trials.status && phase === NEEDED.trials.phase);
  equal(papers.length + studies.length, needed.records, "records that the question needs");
  equal(publications.length + trials.length, all.records, "records of both servers");
  return { tools, needed, all, ...servers };
}

function printTokens(counted, { needed, all }) {
  console.log(`\nwhat a model reads for the question of the demo, in tokens (estimate: ${CHARACTERS_A_TOKEN} characters a token)`);
  const cell = (characters) => tokens(characters).toLocaleString("en-US").padStart(11);
  console.log(`  ${"tools".padStart(5)}  ${"schemas".padStart(11)}${"raw answers".padStart(13)}${"direct".padStart(13)}  |${"guidance".padStart(11)}${"program".padStart(11)}${"answer".padStart(11)}${"ours".padStart(11)}  | less by`);
  for (const { tools: count, schemas, answers, prompt, program, answer } of counted) {
    const direct = schemas + answers;
    const ours = prompt + program + answer;
    console.log(`  ${String(count).padStart(5)}  ${cell(schemas)}  ${cell(answers)}  ${cell(direct)}  |${cell(prompt)}${cell(program)}${cell(answer)}${cell(ours)}  | ${(direct / ours).toFixed(0)}x, before any answer ${(schemas / prompt).toFixed(1)}x`);
  }
  const number = (value) => value.toLocaleString("en-US");
  console.log(`  direct: names, descriptions and input schemas of all tools, and the ${number(needed.records)} records that the question needs, as the servers send them when asked for no others`);
  console.log(`  (who asks them for all ${number(all.records)} records reads ${number(tokens(all.characters))} tokens of results)`);
  console.log("  ours: GET /prompt, the program of the demo (demo/programs/evidence.js) with its input, and the whole result");
}

// ---- The speed at which results become tables

function nestedRecords() {
  return makeRecords(ROWS).map((record, index) => ({
    ...record,
    journal: { name: `journal ${index % 50}`, issn: `1234-${index % 10_000}` },
    authors: Array.from({ length: index % 4 }, (_, place) => ({ name: `author ${index}.${place}`, position: place + 1 })),
  }));
}

/** Returns staged rows a second, beside batchInsert of the same flat records. */
async function measureStaging(folder, rounds) {
  const flat = makeRecords(ROWS);
  const nested = nestedRecords();
  const children = nested.reduce((sum, { authors }) => sum + authors.length, 0);
  const READS = { readOnlyHint: true };
  const tools = [
    { name: "flat", description: "flat records", annotations: READS, inputSchema: { type: "object" }, run: () => text(flat) },
    { name: "nested", description: "records with objects and lists in them", annotations: READS, inputSchema: { type: "object" }, run: () => text(nested) },
  ];
  const peer = await serve({ name: "records", tools });
  const worker = await open(folder, { records: peer });
  const client = await connect(peer.url);
  const stage = (tool) => json({ server: "records", tool, args: {}, session: "bench", stage: tool });
  const insert = json({ operation: "batchInsert", table: "t", records: flat });
  const forms = [
    { name: "flat, staged through the proxy", run: () => worker.call(stage("flat")), check: ({ result }) => equal(ROWS, result.rows, "rows") },
    { name: "nested, staged through the proxy", run: () => worker.call(stage("nested")), check: ({ result }) => equal(ROWS + children, result.tables.reduce((sum, { rows }) => sum + rows, 0), "rows") },
    { name: "flat, direct call of the official client", run: () => client.callTool({ name: "flat", arguments: {} }), check: ({ content }) => equal(true, content[0].text.length > ROWS, "text") },
    { name: "nested, direct call of the official client", run: () => client.callTool({ name: "nested", arguments: {} }), check: ({ content }) => equal(true, content[0].text.length > ROWS, "text") },
    {
      name: "flat, batchInsert of the same records over HTTP",
      before: async () => {
        await worker.operate(json({ operation: "exec", sql: "DROP TABLE IF EXISTS t" }));
        await worker.operate(json({ operation: "exec", sql: `CREATE TABLE t ${CREATE_COLUMNS}` }));
      },
      run: () => worker.operate(insert),
      check: ({ rowsWritten }) => equal(ROWS, rowsWritten, "rows"),
    },
  ];
  try {
    return { rows: { flat: ROWS, nested: ROWS + children }, times_ms: await measure(`staging of ${ROWS} records`, forms, rounds) };
  } finally {
    await client.close();
    await Promise.all([worker.stop(), peer.close()]);
  }
}

function printStaging({ rows, times_ms }) {
  const [flat, nested, directFlat, directNested, insert] = Object.values(times_ms);
  const rate = (count, times) => `${Math.round(count / (median(times) / 1_000)).toLocaleString("en-US")} rows/s`;
  console.log(`\nstaging of ${ROWS.toLocaleString("en-US")} records (the nested ones with ${(rows.nested - rows.flat).toLocaleString("en-US")} records in them)`);
  printTimes(times_ms);
  console.log(`  flat     ${rate(rows.flat, flat)} from the call to the result reference, the server's time and the way included`);
  console.log(`  nested   ${rate(rows.nested, nested)}, parents and children`);
  console.log(`  insert   ${rate(rows.flat, insert)} by batchInsert of the same flat records, which the client has already`);
  const net = (staged, direct) => median(staged.map((time, round) => time - direct[round]));
  console.log(`  over a direct call, staging adds ${net(flat, directFlat).toFixed(0)} ms to the flat and ${net(nested, directNested).toFixed(0)} ms to the nested result`);
  console.log(`  flat takes ${ratio(flat, insert).toFixed(2)}x the time of batchInsert`);
}

// ---- The cost of the way

async function measureOverhead(folder, rounds) {
  const schema = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };
  const echo = { name: "echo", description: "Answers its arguments", annotations: { readOnlyHint: true }, inputSchema: schema, outputSchema: schema, run: (given) => structured(given) };
  const servers = { modern: await serve({ name: "modern", tools: [echo] }), older: await serve({ name: "older", era: "legacy", answer: "json", tools: [echo] }) };
  const worker = await open(folder, servers);
  const clients = {};
  for (const [name, { url }] of Object.entries(servers)) clients[name] = await connect(url);
  const repeated = async (run) => {
    let last;
    for (let index = 0; index < CALLS_A_ROUND; index += 1) last = await run();
    return last;
  };
  // The least that any client needs: the same request, written by hand, with its response parsed.
  const floor = {
    name: "modern: plain HTTP request, direct (the floor)",
    runs: CALLS_A_ROUND,
    run: () => repeated(() => plainCall(servers.modern.url)),
    check: (last) => equal("hello", last.result.structuredContent.message, "answer"),
  };
  const forms = Object.keys(servers).flatMap((name) => {
    const body = json({ server: name, tool: "echo", args: { message: "hello" } });
    const program = json({
      session: "bench",
      timeoutMs: 60_000,
      code: `let last;\nfor (let index = 0; index < ${CALLS_A_ROUND}; index += 1) last = await helpers.${name}.echo({ message: "hello" });\nreturn last`,
    });
    return [
      { name: `${name}: official client, direct`, runs: CALLS_A_ROUND, run: () => repeated(() => clients[name].callTool({ name: "echo", arguments: { message: "hello" } })), check: (last) => equal("hello", last.structuredContent.message, "answer") },
      { name: `${name}: POST /proxy`, runs: CALLS_A_ROUND, run: () => repeated(() => worker.call(body)), check: (last) => equal("hello", last.result.message, "answer") },
      { name: `${name}: helpers.${name}.echo() in a program`, runs: CALLS_A_ROUND, run: () => worker.run(program), check: (last) => equal("hello", last.result.message, "answer") },
    ];
  });
  try {
    return await measure(`${CALLS_A_ROUND} calls of a tool, one after the other`, [floor, ...forms], rounds);
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
    await Promise.all([worker.stop(), ...Object.values(servers).map((server) => server.close())]);
  }
}

async function plainCall(url) {
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "echo",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: { message: "hello" }, _meta } }),
  });
  return response.json();
}

const ratio = (above, below) => median(above.map((time, round) => time / below[round]));

function printTimes(times_ms) {
  for (const [name, times] of Object.entries(times_ms)) {
    console.log(`  ${name.padEnd(50)} median ${median(times).toFixed(2).padStart(9)} ms   fastest ${Math.min(...times).toFixed(2).padStart(9)} ms`);
  }
}

function printOverhead(times_ms) {
  console.log(`\na call of a tool that returns at once, milliseconds a call (${CALLS_A_ROUND} one after the other a round)`);
  printTimes(times_ms);
  for (const era of ["modern", "older"]) {
    const [direct, proxy, program] = ["official client, direct", "POST /proxy", `helpers.${era}.echo() in a program`].map((form) => times_ms[`${era}: ${form}`]);
    const more = (times) => median(times.map((time, round) => time - direct[round]));
    console.log(`  ${era}: the proxy costs ${more(proxy).toFixed(2)} ms over the direct call (${ratio(proxy, direct).toFixed(2)}x), a program ${more(program).toFixed(2)} ms a call (${ratio(program, direct).toFixed(2)}x)`);
  }
}

/** Measures and prints everything; returns the figures. */
export async function benchTools({ folder, rounds }) {
  const [pubs, registry] = await Promise.all([startPublications(), startTrials()]);
  const counted = [];
  let demo;
  try {
    demo = await readDemo({ pubs, trials: registry });
    for (const count of TOOL_COUNTS) counted.push(await countTokens(folder, count, demo));
  } finally {
    await Promise.all([pubs.close(), registry.close()]);
  }
  printTokens(counted, demo);
  const staging = await measureStaging(folder, rounds);
  printStaging(staging);
  const overhead = await measureOverhead(folder, rounds);
  printOverhead(overhead);
  return { tokens: { needed: demo.needed, all: demo.all, counted }, staging, overhead };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
      json: { type: "string" },
    },
  });
  const report = await benchTools({ folder: options.build, rounds: Number(options.rounds) });
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
