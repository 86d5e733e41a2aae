// Tests of `make demo`: the whole demo in a running Worker and in its own, in the short and the
// long form; and its questions to other servers, put to the Worker without wrangler.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as agent from "../../demo/agent.mjs";
import * as code from "../../demo/code.mjs";
import * as evidence from "../../demo/evidence.mjs";
import * as graph from "../../demo/graph.mjs";
import * as host from "../../demo/host.mjs";
import { silence } from "../../demo/print.mjs";
import { Session } from "../../demo/session.mjs";
import { findRunning } from "../../demo/stage.mjs";
import { Graph } from "./graph-client.mjs";
import { Worker, build } from "./harness.mjs";
import { Supervised } from "./supervised.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

describe("the demo's questions to servers of others", () => {
  let others, worker, session;
  before(async () => {
    silence();
    others = await evidence.startServers();
    worker = await Worker.start({ settings: { ...others.settings, ...others.secrets } });
    session = new Session(worker.url, "evidence");
  });
  after(() => Promise.all([worker?.stop(), others?.stop()]));

  test("the search finds the tool", () => evidence.searchTools(session));

  test("one program asks two servers for all they have, joins them in SQL and answers in less than 2 KB", () => evidence.joinServers(session));

  test("a single call whose result is large comes back as a reference to tables", () => evidence.resultReference(session));

  test("a misspelt GraphQL query is explained before anything is sent, and one that finds nothing after", () => evidence.misspeltQuery(session, others));

  test("the rows of both servers become a graph, its hubs are found, and an edit is undone", async () => {
    const made = new graph.Graph(session, "evidence");
    await graph.importJoined(session, made);
    await graph.undoEdit(made, await graph.findHubs(made));
  });

  test("the official MCP client gets the same from /mcp, in pages, and is asked before a table is dropped", async () => {
    const connected = new host.Host();
    try {
      await host.connect(connected, session);
      await host.askQuestion(connected, session);
      await host.readPages(connected);
      await host.dropTable(connected);
    } finally {
      await connected.close();
    }
  });

  test("the secret of a server is nowhere", async () => {
    const texts = [worker.logs.join("\n"), await (await worker.session("evidence").fetch("/dump")).text()];
    for (const text of texts) for (const secret of Object.values(others.secrets)) assert.ok(!text.includes(secret));
  });
});

const LINES_OF_A_SCREEN = 30;
const CHARACTERS_OF_A_LINE = 100;
const ESCAPE = "\u001b";

/** Runs the demo to its end; resolves with its output. */
async function demo(environment) {
  const child = spawn(process.execPath, [join(ROOT, "demo", "run.mjs")], { cwd: ROOT, env: { ...process.env, VERBOSE: "", CODEMODE_BUILD: build, ...environment } });
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (piece) => (written[name] += piece));
  const code = await new Promise((ended) => child.once("close", ended));
  assert.equal(code, 0, `${written.stdout}\n${written.stderr}`);
  return written.stdout;
}

/** Returns the chapters of the short form, each with its lines; the summary is the last. */
function chaptersOf(text) {
  const parts = text.split(/\n\n(?=\d  |Summary\n)/);
  return parts.slice(1).map((part) => part.trimEnd().split("\n"));
}

/**
 * Runs the commands that the demo ends with, those of curl in one shell; resolves with their
 * output.
 */
async function tryCommands(text, folder) {
  const commands = text.split("\n").map((line) => line.trim()).filter((line) => /^(?:S=|curl )/.test(line));
  assert.ok(commands.length >= 3, text);
  const { stdout } = await promisify(execFile)("bash", ["-c", commands.join("; echo; ")], { cwd: folder });
  return stdout;
}

function assertFitsScreens(text) {
  assert.ok(!text.includes(ESCAPE), "no colours without a terminal");
  const chapters = chaptersOf(text);
  assert.deepEqual(chapters.map(([heading]) => heading), ["1  Data goes in", "2  Programs ask", "3  Mistakes are explained", "4  Tools of MCP servers", "5  Long work, and the way out", "6  A host connects over MCP", "7  A knowledge graph", "8  Questions in plain words", "9  A code workspace", "Summary"]);
  assert.ok(!chapters.at(-1).join().includes("more row"), "the summary has every chapter");
  for (const [heading, ...lines] of chapters) assert.ok(lines.length + 1 <= LINES_OF_A_SCREEN, `${heading} has ${lines.length + 1} lines`);
  for (const line of text.split("\n")) assert.ok([...line].length <= CHARACTERS_OF_A_LINE, `${[...line].length} characters: ${line}`);
}

const SUMMARY = /227,852 rows loaded, \d+ programs run, \d+ steps, all as expected, in [\d.]+ s/;

describe("the demo's questions in plain words", () => {
  let worker, configured;
  before(async () => {
    silence();
    worker = await Worker.start();
    configured = await Worker.start({ settings: { AGENT: JSON.stringify({ requireApprovers: 2, autoApproveRows: 1_000 }) } });
  });
  after(() => Promise.all([worker?.stop(), configured?.stop()]));

  test("a statement waits, is approved once, edited, rejected, and reaches the rows of one business alone", async () => {
    const session = new Session(worker.url, "films");
    const thread = new agent.Thread(session, "demo");
    assert.equal(await agent.isPlain(session, thread), true);
    await agent.loadFilms(session, thread);
    await agent.approve(thread, await agent.ask(thread));
    await agent.edit(thread);
    await agent.reject(session, thread);
    await agent.crossTenant(thread);
    const { records } = await thread.json("/audit?limit=200");
    const decisions = records.filter(({ kind }) => kind === "decision").map(({ body }) => JSON.parse(body).action);
    assert.deepEqual(decisions, ["approved", "edited", "approved", "rejected", "edited", "approved"]);
  });

  test("the project's own sources are searched, and an edit is refused, corrected, approved and reverted", async () => {
    const workspace = new code.Workspace(new Session(worker.url, "films"), "demo");
    await code.sync(workspace);
    await code.find(workspace);
    await code.approve(workspace, await code.breakSyntax(workspace));
    await code.revert(workspace);
  });

  test("a Worker whose agent is configured is known", async () => {
    const session = new Session(configured.url, "films");
    assert.equal(await agent.isPlain(session, new agent.Thread(session, "demo")), false);
  });
});

describe("the demo in a Worker that is there", () => {
  let others, complete, bare;
  before(async () => {
    others = await evidence.startServers();
    complete = await Worker.start({ settings: { ...others.settings, ...others.secrets } });
    bare = await Worker.start({ settings: { AGENT: JSON.stringify({ autoApproveRows: 1_000 }) } });
  });
  after(() => Promise.all([complete?.stop(), bare?.stop(), others?.stop()]));

  test("nine chapters of a screen each, in the Worker of make run with the servers, and the data stays", async () => {
    const port = new URL(complete.url).port;
    // A table that an earlier or an aborted demo has left.
    await complete.session("make-demo").call("exec", { sql: "CREATE TABLE movies (x)" });
    const text = await demo({ PORT: port });
    assertFitsScreens(text);
    assert.match(text, SUMMARY);
    assert.match(text, new RegExp(`that of make run at http://127.0.0.1:${port}, version `));
    assert.ok(!text.includes("MCP_SERVERS"), "nothing is missing");
    assert.match(text, /[\d,]+ rows become [\d,]+ nodes and [\d,]+ edges, one step/);
    assert.match(text, /Removed node: .* undo brings every byte back/);
    assert.match(text, /A question: a statement waits, nothing has run/);
    assert.match(text, /A rejected DELETE: it showed \d+ rows, and deleted none/);
    assert.match(text, /A read across studios: main\. is SQL_BLOCKED; of \d+ films of .* none is seen/);
    assert.match(text, /Where is SQL reviewed and blocked\? review is number \d+; [\d,]+ of 2,000 tokens/);
    assert.match(text, /A broken edit: SYNTAX_BROKEN, and nothing is staged/);
    assert.match(text, /A revert: the file has its bytes of before/);
    const kept = await new Graph(complete, "make-demo").state();
    assert.ok(kept.nodes.length > 100 && kept.edges.length > kept.nodes.length / 2, `${kept.nodes.length} nodes and ${kept.edges.length} edges`);
    assert.deepEqual([...new Set(kept.nodes.map(({ type }) => type))].toSorted(), ["disease", "publication", "trial"]);
    const { tables } = (await complete.session("make-demo").call("getTables")).body;
    for (const name of ["airports", "cars", "delays", "flights", "gapminder", "movies", "nations"]) assert.ok(tables.includes(name), name);
    const tried = await tryCommands(text);
    assert.match(tried, /"tables":\[[^\]]*"airports"/);
    assert.match(tried, /"Name":"chevrolet chevelle malibu"/);
    assert.match(tried, /^iata,name,city/m);
  });

  test("VERBOSE=1 prints everything, and what a Worker lacks is said", async () => {
    const text = await demo({ PORT: new URL(bare.url).port, VERBOSE: "1" });
    assert.match(text, SUMMARY);
    assert.match(text, /does not have pubs, trials and targets among its servers \(MCP_SERVERS\)/);
    assert.match(text, /has a model or approvals of its own \(MODEL, AGENT, TENANT_COLUMN\), so the demo asks one without/);
    for (const part of ["POST /api/codemode/execute {", "→ 200, ", "PUT /api/codemode/sessions/make-demo/tables/delays/rows?create=true", "   | async (", "\n 1 Ask the Worker of make run", "\n44 "]) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(text.split("\n").length > 300, "it is long");
    const { tables } = (await bare.session("make-demo").call("getTables")).body;
    assert.ok(tables.includes("delays") && tables.includes("medians"), tables.join());
  });

  test("of a Worker that is no use the demo says why", async () => {
    const { body } = await bare.session("make-demo-scratch").call("getTables");
    assert.deepEqual(body.tables, [], "looking leaves nothing");
    const guarded = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ "a-token-of-the-test-01": "acme" }) } });
    const strict = await Worker.start({ settings: { SQL_PROFILE: "strict" } });
    const other = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await once(other, "listening");
    try {
      assert.match((await findRunning(new URL(guarded.url).port)).reason, /wants a token/);
      assert.match((await findRunning(new URL(strict.url).port)).reason, /does not run the programs of the demo: .*DROP/);
      assert.match((await findRunning(other.address().port)).reason, /something else/);
      assert.deepEqual((await findRunning(new URL(bare.url).port)).lacks, ["pubs", "trials", "targets"]);
      assert.deepEqual((await findRunning(new URL(complete.url).port)).lacks, []);
    } finally {
      other.close();
      await Promise.all([guarded.stop(), strict.stop()]);
    }
    assert.equal(await findRunning(await closedPort()), undefined);
  });
});

test("without a Worker the demo starts one, restarts it, and keeps its data for another", async () => {
  const folder = await mkdtemp(join(tmpdir(), "codemode-demo-test-"));
  try {
    const data = join(folder, "data");
    const text = await demo({ PORT: String(await closedPort()), CODEMODE_DEMO_DATA: data });
    assertFitsScreens(text);
    assert.match(text, SUMMARY);
    assert.match(text, /Work across a restart/);
    assert.ok(text.includes(`scripts/run --persist-to ${data}`), text);
    const served = await Supervised.start({ storage: data });
    try {
      const { body } = await served.session("make-demo").call("query", { sql: "SELECT count(*) AS n FROM delays" });
      assert.deepEqual(body.results, [{ n: 200_000 }]);
    } finally {
      await served.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});

test("colours are for terminals, and not where NO_COLOR is set", async () => {
  const titled = async (isTerminal, environment) => {
    const program = `process.stdout.isTTY = ${isTerminal}; const print = await import(${JSON.stringify(pathToFileURL(join(ROOT, "demo", "print.mjs")))}); print.title("x"); print.done("a", "b", 1);`;
    const { NO_COLOR: _, ...rest } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env: { ...rest, ...environment } });
    return stdout.includes(ESCAPE);
  };
  assert.deepEqual([await titled(true, {}), await titled(true, { NO_COLOR: "1" }), await titled(false, {})], [true, false, false]);
});

/** Finds a port on which nothing listens. */
async function closedPort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
