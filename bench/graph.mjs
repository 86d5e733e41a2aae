// Knowledge graphs: an import, its undo, a page, one node; the past beside the present;
// betweenness, communities and a layout; 400 parallel writes.
//
//   node bench/graph.mjs [--rounds 9] [--build build-bench] [--json FILE] [--only store,history,analysis,writes]
//
// The competitors, each in its own workerd process without Miniflare's router, are ours and a
// JavaScript Durable Object that does the same with batched VALUES and graphology
// (bench/peer/graph.js). SQLite inside Node is the floor for storage, NetworkX computes the
// analyses in Python, and @modelcontextprotocol/server-memory takes parallel writes. A time of ours
// or the peer is that of the request: the graph is read from its database, and the response is
// made. All run one after the other in each round, and a ratio is the median of the ratios of the
// single rounds.
//
// Ours has Leiden and the others Louvain, and each has another force model; they get the same
// number of iterations. The modularity is printed.

import { writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { makeGraph } from "./graph-data.mjs";
import { openGraphFloor } from "./graph-floor.mjs";
import { WRITES, networkx, writeToGraph, writeToMemory } from "./graph-memory.mjs";
import { atLeast, atMost, median, printCase, ratioOf, verdict } from "./report.mjs";
import { bundled, modulesIn, prepareWorker } from "./workerd.mjs";

const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase", others: { TENANT_INDEX: "TenantIndex", MCP_SESSION: "McpSession", KNOWLEDGE_GRAPH: "KnowledgeGraph" } };
const PEER = { binding: "GRAPHS", className: "PeerGraph" };

const STORED_NODES = 5_000;
const ANALYSED_NODES = [1_000, 5_000];
const PAGE_NODES = 1_000;
const PAGES_A_ROUND = 10;
const NODES_A_ROUND = 50;
const ITERATIONS = 100;
const WARM_UP_ROUNDS = 1;
/**
 * The steps after the import of the graph whose past is read, and the nodes that each of them
 * changes.
 */
const STEPS = 100;
const NODES_A_STEP = 100;
const PARTS = ["store", "history", "analysis", "writes"];
/**
 * The rounds of NetworkX. It takes one to two minutes for betweenness and for the layout of the
 * larger graph, so it takes part in one round there.
 */
const NETWORKX_ROUNDS = { 1_000: Infinity, 5_000: 1 };
const TARGETS = { import_ms: 1_000, peer: 1, graphology: 1, networkx: 50 };
/** Betweenness is a sum of fractions; the two implementations add them in different orders. */
const TOLERANCE = 1e-9;

const json = (value) => Buffer.from(JSON.stringify(value));
const nodeBody = (id) => json({ id, label: `node ${id}`, type: "gene" });

/**
 * Runs every form once a round, in turn; returns the milliseconds of each by name. A form may take
 * part in the first rounds only.
 */
async function measure(title, forms, rounds) {
  console.error(`measuring: ${title}`);
  const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { name, run, rounds: most = Infinity } of forms) {
      if (most < rounds && (round < 0 || round >= most)) continue;
      const elapsed_ms = await run(round);
      if (round >= 0) times_ms[name].push(elapsed_ms);
    }
  }
  return { title, times_ms };
}

async function timed(work, check) {
  const start = performance.now();
  const outcome = await work();
  const elapsed_ms = performance.now() - start;
  await check?.(outcome);
  return elapsed_ms;
}

function assertCounts(name, answer, nodes, edges) {
  const { nodeCount, edgeCount } = JSON.parse(answer).metadata;
  if (nodeCount !== nodes || edgeCount !== edges) throw new Error(`${name} has ${nodeCount} nodes and ${edgeCount} edges, not ${nodes} and ${edges}`);
}

/** Makes a round of a Worker as a competitor: four times on a new graph. */
function workerRound(name, { send }, graph, body) {
  const whole = [graph.nodes.length, graph.edges.length];
  return async (round) => {
    const path = `/api/graph/stored-${round + WARM_UP_ROUNDS}`;
    await send("POST", `${path}/init`, json({}));
    const load = () => send("POST", `${path}/import`, body);
    const imported = await timed(load, (answer) => assertCounts(name, answer, ...whole));
    const undone = await timed(() => send("POST", `${path}/undo`), (answer) => assertCounts(name, answer, 0, 0));
    await load();
    const pages = [];
    for (let page = 0; page < PAGES_A_ROUND; page += 1) {
      pages.push(await timed(() => send("GET", `${path}/state?limit=${PAGE_NODES}`), (answer) => {
        if (JSON.parse(answer).data.nodes.length !== PAGE_NODES) throw new Error(`${name} returned another page`);
      }));
    }
    const added = [];
    for (let index = 0; index < NODES_A_ROUND; index += 1) added.push(await timed(() => send("POST", `${path}/nodes`, nodeBody(`added-${index}`))));
    return [imported, undone, median(pages), median(added)];
  };
}

function floorRound(floor, body) {
  return async () => {
    floor.fresh();
    const imported = await timed(() => floor.import(body));
    const undone = await timed(() => floor.undo());
    floor.import(body);
    const pages = [];
    for (let page = 0; page < PAGES_A_ROUND; page += 1) pages.push(await timed(() => floor.page(PAGE_NODES)));
    const added = [];
    for (let index = 0; index < NODES_A_ROUND; index += 1) added.push(await timed(() => floor.addNode(nodeBody(`added-${index}`))));
    return [imported, undone, median(pages), median(added)];
  };
}

async function measureStore({ ours, peer }, floor, rounds) {
  const graph = makeGraph(STORED_NODES);
  const body = json(graph);
  const forms = [
    { name: "ours", run: workerRound("ours", ours, graph, body) },
    { name: "peer", run: workerRound("peer", peer, graph, body) },
    { name: "floor: SQLite in Node", run: floorRound(floor, body) },
  ];
  const { times_ms } = await measure("import, undo, page, one node", forms, rounds);
  const titles = ["import of 5,000 nodes and 20,000 edges", "its undo", `a page of ${PAGE_NODES.toLocaleString("en-US")} nodes`, "one addNode in that graph"];
  return titles.map((title, part) => ({ title, times_ms: Object.fromEntries(Object.entries(times_ms).map(([name, times]) => [name, times.map((parts) => parts[part])])) }));
}

/**
 * Measures the past of our graph: reads of it beside the same reads of the present, and a restore
 * to its middle.
 */
async function measureHistory({ ours: { send } }, rounds) {
  const path = "/api/graph/past";
  const graph = makeGraph(STORED_NODES);
  await send("POST", `${path}/import`, json(graph));
  for (let step = 0; step < STEPS; step += 1) {
    const nodes = Array.from({ length: NODES_A_STEP }, (_, index) => ({ id: `n${(step * NODES_A_STEP + index) % STORED_NODES}`, data: { step } }));
    await send("PUT", `${path}/nodes/bulk-update`, json({ nodes }));
  }
  const half = 1 + STEPS / 2;
  const whole = 1 + STEPS;
  const page = (of) => () => timed(() => send("GET", `${path}${of}limit=${PAGE_NODES}`), (answer) => {
    if (JSON.parse(answer).data.nodes.length !== PAGE_NODES) throw new Error(`${of} is another page`);
  });
  const changed = (of, count) => () => timed(() => send("GET", `${path}/diff?${of}&limit=${STORED_NODES}`), (answer) => {
    const { nodes } = JSON.parse(answer).data;
    if (nodes.changed.length !== count) throw new Error(`${of} has ${nodes.changed.length} changed nodes`);
  });
  const forms = [
    { name: "the present", run: page("/state?") },
    { name: `version ${half} of ${whole}`, run: page(`/history/${half}?`) },
    { name: "version 1", run: page("/history/1?") },
    { name: `difference of the last step, ${NODES_A_STEP} nodes`, run: changed(`from=${whole - 1}&to=${whole}`, NODES_A_STEP) },
    { name: "difference of all steps, 5,000 nodes", run: changed(`from=1&to=${whole}`, STORED_NODES) },
    // There and back, so that each round begins with the same graph; half of the time is that of
    // one restore.
    { name: `restore, ${STORED_NODES.toLocaleString("en-US")} nodes differ`, run: async () => (await timed(async () => {
      for (const version of [half, whole]) await send("POST", `${path}/restore`, json({ version }));
    })) / 2 },
  ];
  const measured = await measure(`the past of a graph of 5,000 nodes and 20,000 edges, ${STEPS} steps, a page of ${PAGE_NODES.toLocaleString("en-US")} nodes`, forms, rounds);
  const { data } = JSON.parse(await send("GET", `${path}/state?limit=1`));
  if (data.metadata.nodeCount !== STORED_NODES) throw new Error("the restored graph has lost nodes");
  return measured;
}

const ANALYSES = {
  betweenness: { method: "GET", path: "/centrality?measure=betweenness&limit=20", peerPath: "/centrality?limit=20" },
  communities: { method: "GET", path: "/communities?limit=100000", peerPath: "/communities" },
  "force layout": { method: "POST", path: "/layout", body: { algorithm: "force", iterations: ITERATIONS, preview: true }, peerBody: { iterations: ITERATIONS } },
};

/** Checks that ours has the same highest scores as another, and not from a sample. */
function sameBetweenness(ours, others, title) {
  if (ours.data.sampledSources) throw new Error(`${title}: ours is from a sample`);
  for (const [rank, { score }] of ours.data.scores.entries()) {
    if (!(Math.abs(score - others[rank].score) <= TOLERANCE)) throw new Error(`${title}: rank ${rank} is ${score} and ${others[rank].score}`);
  }
}

async function measureAnalysis({ ours, peer }, count, rounds) {
  const graph = makeGraph(count);
  const at = `/api/graph/analysed-${count}`;
  for (const { send } of [ours, peer]) await send("POST", `${at}/import`, json(graph));
  const cases = [];
  const notes = {};
  for (const [name, { method, path, peerPath = path, body, peerBody }] of Object.entries(ANALYSES)) {
    const answers = {};
    const form = (who, { send }, at_path, sent) => ({ name: who, run: () => timed(() => send(method, at + at_path, sent && json(sent)), (answer) => (answers[who] = JSON.parse(answer))) });
    const title = `${name}, ${count.toLocaleString("en-US")} nodes and ${graph.edges.length.toLocaleString("en-US")} edges`;
    const forms = [form("ours", ours, path, body), form("graphology", peer, peerPath, peerBody)];
    if (process.env.NETWORKX_PYTHON !== undefined) {
      forms.push({ name: "NetworkX", rounds: NETWORKX_ROUNDS[count], run: async () => (answers.networkx = await networkx(name, graph, ITERATIONS)).seconds * 1_000 });
    }
    cases.push(await measure(title, forms, rounds));
    if (name === "betweenness") {
      sameBetweenness(answers.ours, answers.graphology.data.scores, title);
      if (answers.networkx) sameBetweenness(answers.ours, answers.networkx.scores, title);
    }
    if (name === "communities") notes.modularity = { ours: answers.ours.data.modularity, graphology: answers.graphology.data.modularity, NetworkX: answers.networkx?.modularity };
    if (name === "force layout" && answers.ours.data.positions.length !== count) throw new Error(`${title}: ${answers.ours.data.positions.length} positions`);
  }
  return { cases, modularity: notes.modularity };
}

function judgeStore(store) {
  const [imported] = store;
  const verdicts = [atMost(imported.title, median(imported.times_ms.ours), TARGETS.import_ms, " ms")];
  for (const { title, times_ms } of store) {
    verdicts.push(atLeast(`${title}, faster than the peer`, ratioOf(times_ms.peer, times_ms.ours), TARGETS.peer));
    console.log(`        ${title}: ours takes ${ratioOf(times_ms.ours, times_ms["floor: SQLite in Node"]).toFixed(2)}x the time of the floor`);
  }
  return verdicts;
}

function judgeAnalysis({ cases, modularity }) {
  const verdicts = [];
  for (const { title, times_ms } of cases) verdicts.push(atLeast(`${title}, faster than graphology`, ratioOf(times_ms.graphology, times_ms.ours), TARGETS.graphology));
  const { ours, NetworkX: betweenness } = cases[0].times_ms;
  if (betweenness === undefined) console.log("        NetworkX: not measured (scripts/setup bench)");
  else verdicts.push(atLeast(`${cases[0].title}, faster than NetworkX`, ratioOf(betweenness, ours), TARGETS.networkx));
  for (const { title, times_ms } of betweenness === undefined ? [] : cases.slice(1)) {
    console.log(`        ${title}: NetworkX takes ${ratioOf(times_ms.NetworkX, times_ms.ours).toFixed(0)}x the time of ours`);
  }
  const qualities = Object.entries(modularity).filter(([, value]) => value !== undefined).map(([who, value]) => `${who} ${value.toFixed(4)}`);
  console.log(`        modularity of the communities: ${qualities.join(", ")}`);
  return verdicts;
}

function judgeWrites({ ours, memory }) {
  console.log(`        server-memory confirmed ${memory.confirmed} of them and has ${memory.survived}; ${memory.elapsed_ms.toFixed(0)} ms, ours ${ours.elapsed_ms.toFixed(0)} ms`);
  return [verdict(`of ${WRITES} parallel writes ours has ${ours.survived}, in ${ours.versions} versions`, ours.survived === WRITES && ours.versions === WRITES)];
}

function judge({ store, analyses, writes }) {
  console.log("\nratios and targets");
  return [...(store.length === 0 ? [] : judgeStore(store)), ...analyses.flatMap(judgeAnalysis), ...(writes === null ? [] : judgeWrites(writes))];
}

/** Measures and prints all parts, or the named ones; returns the figures. */
export async function benchGraph({ folder, rounds, parts = PARTS }) {
  const workers = {
    ours: { ...OURS, modules: modulesIn(folder) },
    peer: { ...PEER, modules: await bundled(fileURLToPath(new URL("peer/graph.js", import.meta.url))) },
  };
  const floor = openGraphFloor();
  const [competitors, prepared] = [{}, []];
  try {
    for (const [name, worker] of Object.entries(workers)) {
      prepared.push(prepareWorker(worker));
      competitors[name] = await prepared.at(-1).start(WRITES);
      await competitors[name].send("GET", "/health");
    }
    const store = parts.includes("store") ? await measureStore(competitors, floor, rounds) : [];
    const history = parts.includes("history") ? [await measureHistory(competitors, rounds)] : [];
    const analyses = [];
    for (const count of parts.includes("analysis") ? ANALYSED_NODES : []) analyses.push(await measureAnalysis(competitors, count, rounds));
    let writes = null;
    if (parts.includes("writes")) {
      console.error("measuring: parallel writes");
      await competitors.ours.send("POST", "/api/graph/warm/nodes", nodeBody("warm"));
      writes = { ours: await writeToGraph(competitors.ours.send, "/api/graph/written"), memory: await writeToMemory() };
    }
    [...store, ...history, ...analyses.flatMap(({ cases }) => cases)].forEach(printCase);
    return { store, history, analyses, writes, verdicts: judge({ store, analyses, writes }) };
  } finally {
    await Promise.all(Object.values(competitors).map(({ stop }) => stop("SIGKILL")));
    prepared.forEach((worker) => worker.remove());
    floor.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
      json: { type: "string" },
      only: { type: "string", default: PARTS.join(",") },
    },
  });
  const report = await benchGraph({ folder: options.build, rounds: Number(options.rounds), parts: options.only.split(",") });
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
