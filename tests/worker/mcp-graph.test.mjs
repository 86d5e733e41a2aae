// Tests of the endpoint of a knowledge graph, `/mcp/graph/{conversationId}`: the official clients
// of both protocol versions edit one graph, are notified of its changes, and get results that fit.
// Every message of the raw clients is validated with the published schemas.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { Legacy, Modern } from "./mcp-client.mjs";
import { TYPESCRIPT_CLIENTS } from "./mcp-clients.mjs";

const VIEWER = "ui://graph/viewer";
/**
 * The most tokens of the list of tools, which is in the context of a model before it has done
 * anything.
 */
const LIST_TOKENS = 4_150;

const vocabulary = new Tiktoken(o200k);
const count = (text) => vocabulary.encode(text, "all").length;

/** Returns the tokens of a result that a host may show its model. */
const tokens = ({ content, structuredContent }) => content.reduce((sum, { text }) => sum + count(text), 0) + count(JSON.stringify(structuredContent));

const endpoint = (name, query = "") => `/mcp/graph/${encodeURIComponent(name)}${query}`;
const fresh = () => `chat:${randomUUID()}`;
const textOf = ({ content }) => content.map(({ text }) => text).join("\n");

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const modern = (name, query, more) => new Modern(worker, { path: endpoint(name, query), ...more });
const legacy = (name, query, more) => Legacy.begin(worker, { path: endpoint(name, query), ...more });

/** Returns the response of the graph's own routes. */
async function http(name, path, body, method = body ? "POST" : "GET") {
  const init = { method, ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }) };
  const response = await worker.fetch(`/api/graph/${encodeURIComponent(name)}${path}`, init);
  return { status: response.status, ...(await response.json()) };
}

/** Adds two nodes and an edge, with both kinds of names. */
async function diabetes(client) {
  const gene = await client.call("addNode", { label: "TP53", type: "gene", canonicalId: "NCBIGene:7157" });
  const disease = await client.call("addNode", { label: "Type 2 Diabetes", type: "disease", position: { x: 5, y: -5 } });
  const edge = await client.call("addEdge", { source: "TP53", target: "type 2 diabetes", label: "associated_with" });
  return { gene, disease, edge };
}

for (const client of TYPESCRIPT_CLIENTS) {
  describe(client.name, () => {
    const open = async (context, name, options = {}) => {
      const connection = await client.connect({ url: worker.url + endpoint(name), ...options });
      context.after(() => connection.close());
      return connection;
    };

    test("edits a graph that people see, and undoes it", async (context) => {
      const name = fresh();
      const connection = await open(context, name);
      assert.equal(connection.protocol, client.version);
      const said = async (tool, args) => (await connection.call(tool, args)).text;
      assert.equal(await said("addNode", { label: "TP53", type: "gene", canonicalId: "NCBIGene:7157" }), "Added node 'TP53' (gene) to the graph.");
      assert.equal(await said("addNode", { label: "Type 2 Diabetes", type: "disease" }), "Added node 'Type 2 Diabetes' (disease) to the graph.");
      assert.equal(
        await said("addEdge", { source: "NCBIGene:7157", target: "Type 2 Diabetes", label: "associated_with" }),
        "Added edge from 'TP53' to 'Type 2 Diabetes' with label 'associated_with'.",
      );
      const { data } = await http(name, "/state");
      assert.deepEqual(data.nodes.map(({ id, label, type, data: own }) => [id, label, type, own])[0], ["NCBIGene:7157", "TP53", "gene", { category: "gene" }]);
      assert.equal(data.edges[0].source, "NCBIGene:7157");
      assert.equal(
        await said("getGraphState", {}),
        "Current graph has 2 nodes and 1 edge.\n\nNodes:\n- TP53 (gene)\n- Type 2 Diabetes (disease)\n\nEdges:\n- TP53 -> Type 2 Diabetes (associated_with)",
      );
      assert.equal(await said("removeNode", { nodeId: "TP53" }), "Removed node 'TP53' and its connected edges from the graph.");
      assert.equal((await http(name, "/state")).data.metadata.edgeCount, 0);
      assert.equal(await said("undo", {}), "Undid: Removed node: TP53 and 1 edge. The graph has 2 nodes and 1 edge.");
      assert.equal(await said("removeEdge", { edgeId: data.edges[0].id }), "Removed edge connecting 'TP53' to 'Type 2 Diabetes'.");
      const { data: history } = await http(name, "/history");
      assert.deepEqual(new Set(history.map(({ actor }) => actor)), new Set(["mcp"]));
    });

    test("is told of the changes of others", async (context) => {
      const name = fresh();
      const updated = [];
      const connection = await open(context, name, { onUpdated: (uri) => updated.push(uri) });
      const [{ uri }] = await connection.resources();
      await connection.subscribe(uri);
      await until(async () => {
        await http(name, "/nodes", { label: "TP53", type: "gene" });
        return updated.length > 0;
      });
      assert.equal(updated[0], uri);
      const page = JSON.parse(await connection.read(uri));
      assert.equal(page.data.nodes[0].label, "TP53");
    });

    test("completes labels and types", async (context) => {
      const name = fresh();
      const connection = await open(context, name);
      await diabetes(connection);
      const prompt = { type: "ref/prompt", name: "explain_connection" };
      assert.deepEqual(await connection.complete(prompt, "from", "type"), ["Type 2 Diabetes"]);
      assert.deepEqual(await connection.complete(prompt, "to", ""), ["TP53", "Type 2 Diabetes"]);
      const [{ uriTemplate }] = await connection.templates();
      assert.deepEqual(await connection.complete({ type: "ref/resource", uri: uriTemplate }, "type", "gen"), ["gene"]);
      assert.match(await connection.prompt("explain_connection", { from: "TP53", to: "Type 2 Diabetes" }), /associated_with|"length":1/);
    });
  });
}

describe("the list of tools", () => {
  test("is that of the graph alone, in both protocol versions, and short", async () => {
    const name = fresh();
    const list = await modern(name).result("tools/list");
    assert.deepEqual((await (await legacy(name)).result("tools/list")).tools, list.tools);
    const names = list.tools.map((tool) => tool.name);
    assert.ok(names.length > 20);
    const found = count(JSON.stringify(list));
    assert.ok(found < LIST_TOKENS, `${found} tokens`);
    const { tools } = await new Modern(worker).result("tools/list");
    assert.deepEqual(tools.filter((tool) => names.includes(tool.name)), []);
    const removing = list.tools.find((tool) => tool.name === "removeNode");
    assert.equal(removing.annotations.destructiveHint, undefined, "destructive is what the protocol assumes");
    assert.equal(list.tools.find((tool) => tool.name === "addNode").annotations.destructiveHint, false);
  });

  test("has what reads only at ?readonly=true", async () => {
    const name = fresh();
    for (const client of [modern(name, "?readonly=true"), await legacy(name, "?readonly=true")]) {
      const { tools } = await client.result("tools/list");
      assert.equal(tools.length, 8);
      assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint));
      const { data, code } = await client.error("tools/call", { name: "addNode", arguments: { label: "a", type: "gene" } });
      assert.deepEqual([code, data.code], [-32602, "TOOL_NOT_IN_PROFILE"]);
      await client.ok("getGraphState");
    }
    assert.equal((await http(name, "/state")).data.metadata.nodeCount, 0);
    const refused = await modern(name, "?readonly=yes").error("tools/list");
    assert.equal(refused.status, 400);
  });
});

describe("a result", () => {
  test("names the graph and its version, also for the host alone", async () => {
    const name = fresh();
    for (const client of [modern(name), await legacy(name)]) {
      const { gene, edge } = await diabetes(client);
      const uri = `graph://${encodeURIComponent(name)}`;
      for (const { structuredContent, _meta, isError } of [gene, edge]) {
        assert.ok(!isError);
        assert.deepEqual([structuredContent.graph, _meta["codemode-database/graph"]], [uri, { uri, version: structuredContent.version }]);
        assert.ok(Number.isInteger(structuredContent.version));
      }
      await client.ok("undo");
      await client.ok("undo");
      await client.ok("undo");
    }
  });

  test("of each tool names the graph's present version, also where the call failed", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE films (title TEXT)");
    await session.exec("INSERT INTO films VALUES ('Heat')");
    const mapping = { nodes: [{ label: "title", type: { value: "film" } }] };
    const calls = [
      ["addNode", { label: "A", type: "gene", canonicalId: "a" }],
      ["addMultipleNodes", { nodes: [{ id: "b", label: "B" }] }],
      ["addEdge", { source: "A", target: "B" }],
      ["addMultipleEdges", { edges: [{ id: "e", source: "B", target: "A" }] }],
      ["updateNode", { nodeId: "A", type: "drug" }],
      ["updateEdge", { edgeId: "e", label: "x" }],
      ["importFromJSON", { nodes: [{ id: "c", label: "C" }] }],
      ["importFromQuery", { session: session.name, sql: "SELECT title FROM films", ...mapping }],
      ["getGraphState", {}], ["searchNodes", { query: "A" }], ["filterByType", { type: "film" }], ["getHistory", {}],
      ["analyzeStructure", {}], ["findCentrality", {}], ["detectCommunities", {}], ["findPath", { from: "A", to: "B" }],
      ["applyForceLayout", {}], ["applyHierarchicalLayout", {}], ["optimizePositions", {}],
      ["removeEdge", { edgeId: "e" }], ["mergeNodes", { into: "A", from: "B" }], ["removeNode", { nodeId: "c" }], ["undo", {}], ["redo", {}],
    ];
    for (const open of [modern, legacy]) {
      const conversation = fresh();
      const client = await open(conversation);
      const listed = (await client.result("tools/list")).tools.map(({ name }) => name);
      assert.deepEqual(calls.map(([tool]) => tool).sort(), listed.sort());
      const uri = `graph://${encodeURIComponent(conversation)}`;
      for (const [tool, args] of calls) {
        for (const [sent, fails] of [[args, false], [{ ...args, nonsense: 1 }, true]]) {
          const { structuredContent, _meta, isError = false } = await client.call(tool, sent);
          assert.equal(isError, fails, `${tool}: ${JSON.stringify(structuredContent)}`);
          const { version } = (await http(conversation, "")).data;
          assert.deepEqual([structuredContent.graph, structuredContent.version], [uri, version], tool);
          assert.deepEqual(_meta["codemode-database/graph"], { uri, version }, tool);
        }
      }
    }
  });

  test("says which name was wrong, and which would do", async () => {
    const client = modern(fresh());
    await diabetes(client);
    const missing = await client.call("removeNode", { nodeId: "XYZ" });
    assert.equal(textOf(missing).split("\n")[0], "Error: Node 'XYZ' not found in the graph.");
    assert.equal(missing.structuredContent.error.code, "NODE_NOT_FOUND");
    const again = await client.call("addNode", { label: "TP53", type: "protein" });
    assert.match(textOf(again), /^Added node 'TP53' \(protein\) to the graph\.\nNote: 1 other node has this label/);
    const ambiguous = await client.call("addEdge", { source: "TP53", target: "Type 2 Diabetes" });
    assert.equal(ambiguous.structuredContent.error.code, "AMBIGUOUS_NODE");
    assert.match(textOf(ambiguous), /\n- TP53 \(gene\) NCBIGene:7157\n/);
    const slip = await client.failed("addNode", { label: "a", type: "gene", positon: { x: 1, y: 2 } });
    assert.deepEqual([slip.code, slip.hint], ["INVALID_ARGUMENT", "did you mean `position`?"]);
  });

  test("is a page that fits, and the pages have every node and edge once", async () => {
    const name = fresh();
    const small = await Worker.start({ settings: { MCP_MAX_RESULT_TOKENS: "4000" } });
    try {
      const client = new Modern(small, { path: endpoint(name) });
      const nodes = Array.from({ length: 300 }, (_, at) => ({ id: `n${at}`, label: `node ${at}`, type: at % 2 ? "gene" : "drug", data: { text: "word ".repeat(at) } }));
      const edges = nodes.slice(1).map(({ id }, at) => ({ source: `n${at}`, target: id, label: "next" }));
      const imported = await client.call("importFromJSON", { nodes, edges });
      assert.equal(textOf(imported), "Imported 300 nodes and 299 edges.");
      const [seenNodes, seenEdges] = [[], []];
      for (let cursor; ; ) {
        const page = await client.call("getGraphState", { limit: 10_000, ...(cursor && { cursor }) });
        assert.ok(!page.isError, textOf(page));
        assert.ok(tokens(page) <= 4_000, `${tokens(page)} tokens`);
        const { data, nextCursor } = page.structuredContent;
        assert.equal(data.metadata.nodeCount, 300);
        seenNodes.push(...data.nodes.map(({ id }) => id));
        seenEdges.push(...data.edges.map(({ source }) => source));
        if ((cursor = nextCursor) === null) break;
        assert.ok(textOf(page).includes(JSON.stringify(cursor)));
      }
      assert.deepEqual(seenNodes, nodes.map(({ id }) => id));
      assert.deepEqual(seenEdges, edges.map(({ source }) => source));
      for (const [tool, args] of [["searchNodes", { query: "node", limit: 500 }], ["filterByType", { type: "GENE" }], ["getHistory", {}], ["analyzeStructure", {}], ["findCentrality", { limit: 300 }], ["detectCommunities", {}], ["findPath", { from: "node 0", to: "node 299" }], ["addMultipleNodes", { nodes }]]) {
        const result = await client.call(tool, args);
        assert.ok(!result.isError, `${tool}: ${textOf(result)}`);
        assert.ok(tokens(result) <= 4_000, `${tool}: ${tokens(result)} tokens`);
      }
      const resource = await client.result("resources/read", { uri: `graph://${encodeURIComponent(name)}` });
      const first = JSON.parse(resource.contents[0].text);
      const second = JSON.parse((await client.result("resources/read", { uri: first.next })).contents[0].text);
      assert.equal(second.data.nodes[0].id, `n${first.data.nodes.length}`);
    } finally {
      await small.stop();
    }
  });

  test("keeps every edge between two nodes, and names the one that was there", async () => {
    const name = fresh();
    const client = modern(name);
    const nodes = [{ id: "a", label: "A" }, { id: "b", label: "B" }];
    const edges = [{ source: "a", target: "b" }, { source: "a", target: "b", id: "own" }, { source: "a", target: "b", data: { weight: 2 } }, { source: "a", target: "b" }];
    const imported = await client.call("importFromJSON", { nodes, edges });
    assert.match(textOf(imported), /^Imported 2 nodes and 3 edges, 1 edge already there/);
    const kept = async () => (await client.ok("getGraphState", {})).data.edges.map(({ id, data }) => [id === "own", data.weight ?? null]);
    assert.deepEqual(await kept(), [[false, null], [true, null], [false, 2]]);
    // An edge without fields of its own is the existing one; one with an id or data is another.
    const again = await client.call("addEdge", { source: "A", target: "B" });
    assert.match(textOf(again), /exists already/);
    assert.equal((await kept()).length, 3);
    const added = await client.call("addMultipleEdges", { edges: [{ source: "A", target: "B", data: { weight: 3 } }, { source: "A", target: "B" }] });
    assert.match(textOf(added), /^Added 1 edge to the graph, 1 /);
    assert.equal(added.structuredContent.existing.length, 1);
    assert.deepEqual((await kept()).at(-1), [false, 3]);
  });

  test("of each tool has the words of its change", async () => {
    const name = fresh();
    const client = modern(name);
    const said = async (tool, args = {}) => {
      const result = await client.call(tool, args);
      assert.ok(!result.isError, `${tool}: ${textOf(result)}`);
      return textOf(result);
    };
    assert.equal(await said("addMultipleNodes", { nodes: [{ id: "a", label: "A", type: "gene" }, { id: "b", label: "B", type: "drug" }, { id: "c", label: "C" }] }), "Added 3 nodes to the graph.");
    assert.equal(await said("addMultipleEdges", { edges: [{ source: "A", target: "b", label: "x" }, { source: "b", target: "C" }] }), "Added 2 edges to the graph.");
    assert.equal(await said("updateNode", { nodeId: "A", data: { note: 1 } }), "Updated node 'A'.");
    assert.equal(await said("updateNode", { nodeId: "A", data: { note: 1 } }), "Node 'A' is unchanged.");
    const { data } = await client.ok("getGraphState", { type: null });
    assert.equal(await said("updateEdge", { edgeId: data.edges[1].id, label: "y" }), "Updated edge from 'B' to 'C' with label 'y'.");
    assert.match(await said("findPath", { from: "A", to: "C" }), /- A -> B -> C \(length 2\)/);
    assert.match(await said("findCentrality", { measure: "betweenness" }), /^Nodes by betweenness:\n1\. B \(drug\): 1/);
    assert.match(await said("detectCommunities"), /modularity/);
    assert.match(await said("analyzeStructure"), /- nodes: 3\n/);
    assert.equal(await said("filterByType", { type: "DRUG" }), "1 node:\n- B (drug)");
    assert.equal(await said("searchNodes", { query: "nothing of the kind" }), "No node was found.");
    for (const layout of ["applyForceLayout", "applyHierarchicalLayout", "optimizePositions"]) assert.match(await said(layout), /^Moved \d nodes?\./);
    assert.match(await said("getHistory", { limit: 2 }), /^Steps, newest first:\n- \d+ .* \(mcp, /);
    const session = worker.session();
    await session.exec("CREATE TABLE films (title TEXT, director TEXT)");
    await session.exec("INSERT INTO films VALUES ('Heat', 'Mann'), ('Ali', 'Mann')");
    const mapping = { nodes: [{ label: "title", type: { value: "film" } }, { label: "director", type: { value: "person" } }], edges: { source: "director", target: "title", label: { value: "made" } } };
    assert.equal(await said("importFromQuery", { session: session.name, sql: "SELECT * FROM films", ...mapping }), "Imported 3 nodes and 2 edges from 2 rows.");
    assert.equal(await said("undo"), "Undid: Imported 3 nodes and 2 edges. The graph has 3 nodes and 2 edges.");
    assert.equal(await said("redo"), "Redid: Imported 3 nodes and 2 edges. The graph has 6 nodes and 4 edges.");
    // In graph mode, a change has no other effect.
    const own = new Modern(worker, { headers: { "x-codemode-session": session.name } });
    assert.deepEqual((await own.ok("db_get_tables")).tables, ["films"]);
    assert.deepEqual((await http(name, "/state?type=person")).data.nodes.map(({ label }) => label), ["Mann"]);
  });
});

describe("what older hosts add", () => {
  let listener;
  let connections = 0;
  before(async () => {
    listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise((ready) => listener.listen(0, "127.0.0.1", ready));
  });
  after(() => new Promise((closed) => listener.close(closed)));
  const context = (conversationId) => ({ databaseContext: { conversationId, apiBaseUrl: `http://127.0.0.1:${listener.address().port}`, accessToken: "a-secret-of-the-host" } });

  test("is accepted for this conversation, and never repeated", async () => {
    const name = fresh();
    for (const client of [modern(name), await legacy(name)]) {
      const added = await client.call("addNode", { label: "A", type: "gene", ...context(name) });
      assert.ok(!added.isError && !JSON.stringify(added).includes("secret"));
      await client.ok("getGraphState", { databaseContext: {} });
      const other = await client.call("addNode", { label: "A", type: "gene", ...context("another") });
      assert.equal(other.structuredContent.error.code, "INVALID_ARGUMENT");
      assert.ok(textOf(other).includes(name) && !JSON.stringify(other).includes("secret"));
      for (const wrong of ["a-secret-of-the-host", { conversationId: 5 }, { token: "a-secret-of-the-host" }]) {
        const refused = await client.call("getGraphState", { databaseContext: wrong });
        assert.ok(refused.isError && !JSON.stringify(refused).includes("secret"), JSON.stringify(wrong));
      }
    }
    assert.equal((await http(name, "/state")).data.metadata.nodeCount, 2);
    assert.equal((await http("another", "/state")).data.metadata.nodeCount, 0);
  });

  test("names an address that is never called, by any tool", async () => {
    const name = fresh();
    const client = modern(name);
    const { tools } = await client.result("tools/list");
    await client.ok("addNode", { label: "A", type: "gene" });
    for (const { name: tool } of tools) await client.call(tool, context(name));
    assert.equal(connections, 0);
    // A request would have been counted.
    await fetch(context(name).databaseContext.apiBaseUrl).catch(() => {});
    assert.equal(connections, 1);
  });
});

describe("a conversation", () => {
  test("is one of a tenant, and a session of a client belongs to its endpoint", async () => {
    const guarded = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
    try {
      const name = fresh();
      const of = (token) => new Modern(guarded, { path: endpoint(name), headers: { authorization: `Bearer ${token}` } });
      await of(TOKENS.acme).ok("addNode", { label: "of acme", type: "gene" });
      assert.equal((await of(TOKENS.zeta).ok("getGraphState")).data.metadata.nodeCount, 0);
      assert.equal((await of("wrong").error("tools/list")).status, 401);
    } finally {
      await guarded.stop();
    }
    const session = await legacy("one");
    const elsewhere = await session.request("tools/list", {}, { path: endpoint("two") });
    assert.equal(elsewhere.status, 404);
    assert.equal((await session.request("tools/list", {}, { path: endpoint("one", "?readonly=true") })).status, 404);
    assert.equal((await session.request("tools/list", {}, { path: "/mcp" })).status, 404);
    assert.equal((await modern("a b").error("tools/list")).status, 400);
  });

  test("has one graph, whatever its tools do, and the list of graphs shows that one", async () => {
    const alone = await Worker.start();
    try {
      const name = fresh();
      const client = new Modern(alone, { path: endpoint(name) });
      await diabetes(client);
      for (const [tool, args] of [["importFromJSON", { nodes: [{ id: "x", label: "X" }] }], ["undo", {}], ["applyForceLayout", {}], ["detectCommunities", {}]]) await client.ok(tool, args);
      const projects = async () => (await (await alone.fetch("/api/graph/projects")).json()).data.map(({ conversationId }) => conversationId);
      await until(async () => (await projects()).length > 0);
      assert.deepEqual(await projects(), [name]);
      assert.deepEqual((await (await alone.fetch("/api/codemode/sessions")).json()).sessions, []);
    } finally {
      await alone.stop();
    }
  });

  test("is edited by many at once, and nothing is lost", async () => {
    const name = fresh();
    const clients = Array.from({ length: 10 }, () => modern(name));
    await Promise.all(clients.flatMap((client, who) => Array.from({ length: 10 }, (_, at) => client.ok("addNode", { label: `n ${who} ${at}`, type: "gene" }))));
    const { metadata } = (await modern(name).ok("getGraphState", { limit: 1 })).data;
    assert.deepEqual([metadata.nodeCount, metadata.version], [100, 100]);
  });

  test("tells both kinds of clients of its changes, and goes on after it was deleted", async () => {
    const name = fresh();
    const uri = `graph://${encodeURIComponent(name)}`;
    const listen = { notifications: { resourceSubscriptions: [uri, "graph://other", "db://s/schema"], resourcesListChanged: true } };
    const stream = await modern(name).open("subscriptions/listen", listen);
    const first = await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
    assert.deepEqual(first.params.notifications, { resourceSubscriptions: [uri] });
    const session = await legacy(name);
    await session.result("resources/subscribe", { uri });
    assert.equal((await session.error("resources/subscribe", { uri: "graph://other" })).code, -32602);
    const live = await session.listen();
    const isUpdate = ({ method, params }) => method === "notifications/resources/updated" && params.uri === uri;
    const updates = (of) => of.messages.filter(isUpdate).length;
    for (const path of ["", "again"]) {
      const before = [updates(stream), updates(live)];
      await until(async () => {
        await modern(name).ok("addNode", { label: `A ${path}`, type: "gene" });
        return updates(stream) > before[0] && updates(live) > before[1];
      });
      await http(name, "", undefined, "DELETE");
    }
    await stream.close();
    await live.close();
  });
});

describe("the page that shows the graph", () => {
  const BUILT = fileURLToPath(new URL("../../build-console/graph-app.html", import.meta.url));
  let folder;
  let html;
  let shown;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "codemode-assets-"));
    html = await readFile(BUILT, "utf8");
    await writeFile(join(folder, "graph-app.html"), html);
    shown = await Worker.start({ assets: folder });
  });
  after(async () => {
    await shown.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("is a resource as MCP Apps have it, in both protocol versions", async () => {
    for (const client of [new Modern(shown, { path: endpoint("c") }), await Legacy.begin(shown, { path: endpoint("c") })]) {
      const { resources } = await client.result("resources/list");
      assert.deepEqual(resources.map(({ uri, mimeType }) => [uri, mimeType]), [["graph://c", "application/json"], [VIEWER, "text/html;profile=mcp-app"]]);
      const { contents } = await client.result("resources/read", { uri: VIEWER });
      assert.deepEqual(contents, [{ uri: VIEWER, mimeType: "text/html;profile=mcp-app", text: html, _meta: { ui: { csp: {}, prefersBorder: true } } }]);
      const { tools } = await client.result("tools/list");
      const showing = tools.filter(({ _meta }) => _meta?.ui?.resourceUri === VIEWER).map(({ name }) => name);
      assert.deepEqual(showing, ["getGraphState", "importFromJSON", "importFromQuery", "applyForceLayout", "applyHierarchicalLayout", "optimizePositions"]);
    }
    const { capabilities } = await new Modern(shown, { path: endpoint("c") }).result("server/discover");
    assert.deepEqual(capabilities.extensions, { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } });
    const found = count(JSON.stringify(await new Modern(shown, { path: endpoint("c") }).result("tools/list")));
    assert.ok(found < LIST_TOKENS, `${found} tokens`);
  });

  test("is not there where the deployment has no such file", async () => {
    await rm(join(folder, "graph-app.html"));
    const bare = await Worker.start({ assets: folder });
    try {
      const { code, data } = await new Modern(bare, { path: endpoint("c") }).error("resources/read", { uri: VIEWER });
      assert.deepEqual([code, data.uri], [-32602, VIEWER]);
    } finally {
      await bare.stop();
    }
  });
});
