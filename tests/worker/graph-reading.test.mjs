// Tests of reading a knowledge graph: pages of its state, search, neighbours, SQL through the gate,
// and the tenant's list of graphs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Graph, inPath, ring } from "./graph-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);

async function diabetes() {
  const one = graph();
  await one.ok("POST", "/mock-data", { dataset: "diabetes" });
  return one;
}

describe("the state", () => {
  test("of a graph that nobody wrote is empty", async () => {
    const one = graph();
    const { data, nextCursor } = await one.ok("GET", "/state");
    assert.deepEqual([data.nodes, data.edges, nextCursor], [[], [], null]);
    const { nodeCount, edgeCount, version, canUndo, canRedo, types } = data.metadata;
    assert.deepEqual([nodeCount, edgeCount, version, canUndo, canRedo, types], [0, 0, 0, false, false, {}]);
  });

  test("comes in pages of nodes, then edges, each once and in the order of creation", async () => {
    const one = graph();
    await one.ok("POST", "/import", ring(50, 120));
    const whole = await one.state();
    assert.deepEqual([whole.nodes.length, whole.edges.length, whole.pages], [50, 120, 1]);
    assert.deepEqual(whole.nodes.map(({ id }) => id), Array.from({ length: 50 }, (_, index) => `n${index}`));
    for (const limit of [1, 7, 50, 169, 170, 10_000]) {
      const paged = await one.state({ limit });
      assert.deepEqual([paged.nodes, paged.edges], [whole.nodes, whole.edges], `limit ${limit}`);
      assert.ok(paged.pages >= Math.ceil(170 / limit) && paged.pages <= Math.ceil(170 / limit) + 1, `${paged.pages} pages of ${limit}`);
    }
    assert.deepEqual(whole.metadata.types, { gene: 25, drug: 25 });
  });

  test("of a type has the nodes of it in any case, and the edges between them", async () => {
    const one = graph();
    await one.ok("POST", "/import", { nodes: [{ id: "a", label: "a", type: "Gene" }, { id: "b", label: "b", type: "gene" }, { id: "c", label: "c", type: "drug" }], edges: [{ id: "ab", source: "a", target: "b" }, { id: "bc", source: "b", target: "c" }] });
    for (const limit of [1, 1_000]) {
      const genes = await one.state({ more: "&type=GENE", limit });
      assert.deepEqual([genes.nodes.map(({ id }) => id), genes.edges.map(({ id }) => id)], [["a", "b"], ["ab"]]);
    }
    assert.deepEqual((await one.state({ more: "&type=none" })).nodes, []);
  });

  test("of a page ends at some megabytes too", async () => {
    const one = graph();
    const data = { text: "x".repeat(1_000_000) };
    for (let index = 0; index < 8; index += 1) await one.node({ id: `${index}`, label: "large", data });
    const first = await one.send("GET", "/state");
    assert.ok(first.text.length < 6_000_000, `${first.text.length} bytes`);
    assert.notEqual(first.body.nextCursor, null);
    assert.equal((await one.state()).nodes.length, 8);
  });

  test("with a cursor or limit that is none is 400", async () => {
    const one = await diabetes();
    for (const query of ["?limit=0", "?limit=10001", "?limit=-1", "?limit=x", "?limit=1.5", "?cursor=none", "?cursor=%00", `?cursor=${"9".repeat(400)}`, "?type=", "?limt=5", "?limit=1&limit=2"]) {
      await one.error("GET", `/state${query}`, undefined, 400, "INVALID_ARGUMENT");
    }
  });
});

describe("the project", () => {
  test("is named by init, which is no step", async () => {
    const one = graph();
    const made = await one.ok("POST", "/init", { name: "Trials", description: "of drugs" });
    assert.equal(made.created, true);
    assert.deepEqual([made.data.conversationId, made.data.name, made.data.description, made.data.version], [one.name, "Trials", "of drugs", 0]);
    const again = await one.ok("POST", "/init", { name: "Other" });
    assert.deepEqual([again.created, again.data.name, again.data.description, again.data.id], [false, "Other", "of drugs", made.data.id]);
    assert.equal((await one.ok("POST", "/init", {})).data.name, "Other");
    await one.node("a");
    const { data } = await one.ok("GET", "");
    assert.deepEqual([data.name, data.version, data.nodeCount, data.edgeCount], ["Other", 1, 1, 0]);
    assert.deepEqual(await one.words(), ["Added node: a"]);
  });

  test("is deleted with its history, and its name can be used again", async () => {
    const one = await diabetes();
    await one.ok("DELETE", "");
    const { data } = await one.ok("GET", "/state");
    assert.deepEqual([data.nodes, data.edges, data.metadata.version], [[], [], 0]);
    assert.deepEqual(await one.history(), []);
    await one.error("POST", "/undo", undefined, 409, "NOTHING_TO_UNDO");
    await one.node("NCBIGene:7157");
    assert.equal(await one.version(), 1);
  });

  test("of an unusable name is 400", async () => {
    for (const name of ["a%20b", "a%2Fb", "%C3%BC", "n".repeat(129), "%zz"]) {
      const response = await worker.fetch(`/api/graph/${name}/state`);
      assert.equal(response.status, 400, name);
      assert.equal((await response.json()).error.code, "INVALID_ARGUMENT", name);
    }
  });
});

describe("search", () => {
  const found = async (one, query) => (await one.ok("GET", `/search?${query}`)).data.map(({ id }) => id);

  test("finds words of label, type and data, the last by its beginning", async () => {
    const one = graph();
    await one.node({ id: "1", label: "Tumor protein p53", type: "gene", data: { aliases: ["TP53", "LFS1"], function: { text: "guards the genome" } } });
    await one.node({ id: "2", label: "Insulin", type: "protein", data: { note: "lowers glucose" } });
    await one.node({ id: "3", label: "タンパク質 インスリン", type: "protein" });
    await one.node({ id: "4", label: "naïve café", type: "other" });
    for (const [query, ids] of [
      ["protein p53", ["1"]],
      ["tum", ["1"]],
      ["LFS1", ["1"]],
      ["genome guards", ["1"]],
      ["glucose", ["2"]],
      ["insul", ["2"]],
      ["cafe", ["4"]],
      ["nothing of this", []],
      ["gene", ["1"]],
    ]) {
      const ids_found = await found(one, `q=${inPath(query)}`);
      assert.deepEqual(ids_found.toSorted(), ids, query);
    }
    assert.ok((await found(one, `q=${inPath("インスリン")}`)).includes("3"));
    assert.deepEqual(await found(one, "q=insulin&type=GENE"), []);
    assert.deepEqual((await found(one, "type=protein")).toSorted(), ["2", "3"]);
    assert.deepEqual(await found(one, "attribute=note&value=lowers%20glucose"), ["2"]);
    assert.deepEqual(await found(one, "attribute=function.text"), ["1"]);
    await one.ok("PUT", "/nodes/2", { label: "Leptin" });
    assert.deepEqual(await found(one, "q=insulin"), []);
    await one.undo();
    assert.deepEqual(await found(one, "q=insulin"), ["2"]);
    await one.ok("DELETE", "/nodes/2");
    assert.deepEqual(await found(one, "q=insulin"), []);
  });

  test("takes any text", async () => {
    const one = await diabetes();
    const texts = ['"', '""', "'", "*", "a*", "(", ")", "AND", "OR NOT", "NEAR(a b)", "label:TP53", "{label}:x", "-", "--", "^", "+", "%", "_", "\\", "🧬", "\u0000", "\ud7ff", "a\nb", ";", "x".repeat(8_000), "word ".repeat(1_500)];
    for (const text of texts) {
      const answer = await one.send("GET", `/search?q=${inPath(text)}`);
      assert.ok(answer.status === 200 || answer.status === 400, `${JSON.stringify(text).slice(0, 40)}: ${answer.status} ${answer.text}`);
      if (answer.status === 400) assert.equal(answer.body.error.code, "INVALID_ARGUMENT");
    }
    const long = await one.operate("searchNodes", { query: "TP53 ".repeat(20_000) });
    assert.ok(Array.isArray(long.data));
  });

  test("comes in pages", async () => {
    const one = graph();
    await one.ok("POST", "/import", ring(30, 0));
    const seen = [];
    for (let cursor = null; ; ) {
      const page = await one.ok("GET", `/search?q=node&limit=7${cursor === null ? "" : `&cursor=${inPath(cursor)}`}`);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      if (cursor === null) break;
      assert.equal(page.data.length, 7);
    }
    assert.equal(new Set(seen).size, 30);
    assert.equal(seen.length, 30);
    const byType = await one.operate("filterByType", { type: "Gene", limit: 10 });
    assert.equal(byType.data.length, 10);
    assert.equal((await one.operate("filterByType", { type: "Gene", limit: 10, cursor: byType.nextCursor })).data.length, 5);
  });
});

describe("neighbours", () => {
  test("lie within a depth, along a direction, of a type", async () => {
    const one = graph();
    await one.ok("POST", "/import", { nodes: ["a", "b", "c", "d", "e"].map((id) => ({ id, label: id, type: id === "c" ? "gene" : "drug" })), edges: [["a", "b"], ["b", "c"], ["c", "d"], ["e", "a"]].map(([source, target]) => ({ id: source + target, source, target })) });
    const around = async (query) => {
      const { data, truncated } = await one.ok("GET", `/nodes/a/neighbors${query}`);
      return { nodes: Object.fromEntries(data.nodes.map(({ id, distance }) => [id, distance])), edges: data.edges.map(({ id }) => id).toSorted(), truncated };
    };
    assert.deepEqual(await around(""), { nodes: { b: 1, e: 1 }, edges: ["ab", "ea"], truncated: false });
    assert.deepEqual(await around("?depth=2&direction=out"), { nodes: { b: 1, c: 2 }, edges: ["ab", "bc"], truncated: false });
    assert.deepEqual(await around("?direction=in&depth=10"), { nodes: { e: 1 }, edges: ["ea"], truncated: false });
    assert.deepEqual((await around("?depth=10")).nodes, { b: 1, e: 1, c: 2, d: 3 });
    assert.equal((await around("?depth=10&limit=2")).truncated, true);
    assert.deepEqual(Object.keys((await around("?depth=10&type=gene")).nodes), ["c"]);
    for (const query of ["?depth=0", "?depth=11", "?direction=up", "?limit=0", "?depht=2"]) await one.error("GET", `/nodes/a/neighbors${query}`, undefined, 400, "INVALID_ARGUMENT");
  });
});

describe("SQL", () => {
  test("reads the tables nodes and edges", async () => {
    const one = await diabetes();
    const { results } = await one.ok("POST", "/query", { sql: "SELECT n.label, count(*) AS degree FROM nodes n JOIN edges e ON n.id IN (e.source, e.target) GROUP BY n.id ORDER BY degree DESC, n.label LIMIT 2" });
    assert.deepEqual(results, [{ label: "Type 2 Diabetes", degree: 5 }, { label: "Obesity", degree: 4 }]);
    const columns = await one.ok("POST", "/query", { sql: "SELECT * FROM nodes WHERE id = ?", params: ["NCBIGene:7157"] });
    assert.deepEqual(columns.columns.slice(0, 9), ["id", "label", "type", "data", "x", "y", "pinned", "created_at", "updated_at"]);
    const edges = await one.ok("POST", "/query", { sql: "SELECT * FROM edges LIMIT 1", rowFormat: "array" });
    assert.deepEqual(edges.columns.slice(0, 8), ["id", "source", "target", "label", "type", "data", "created_at", "updated_at"]);
    assert.equal((await one.ok("POST", "/query", { sql: "SELECT data ->> 'category' AS c FROM nodes WHERE type = 'gene' GROUP BY 1" })).results[0].c, "gene");
  });

  test("writes nothing and sees nothing else", async () => {
    const one = await diabetes();
    const before = await one.bytes();
    for (const sql of [
      "INSERT INTO nodes (id, label) VALUES ('x', 'x')",
      "UPDATE nodes SET label = 'x'",
      "DELETE FROM edges",
      "DROP TABLE nodes",
      "CREATE TABLE t (a)",
      "SELECT 1; DELETE FROM nodes",
      "WITH x AS (SELECT 1) DELETE FROM nodes",
      "PRAGMA foreign_keys = off",
      "ATTACH 'x' AS y",
      "VACUUM",
      "ALTER TABLE nodes ADD COLUMN x",
      "CREATE TRIGGER t AFTER DELETE ON nodes BEGIN SELECT 1; END",
      "REPLACE INTO nodes (id) VALUES ('x')",
    ]) {
      const answer = await one.send("POST", "/query", { sql });
      assert.ok(answer.status >= 400 && answer.status < 500, `${sql}: ${answer.status} ${answer.text.slice(0, 300)}`);
      assert.ok(answer.body.error.hint.length > 0, `${sql}: ${answer.text}`);
    }
    for (const sql of ["DELETE FROM nodes", "PRAGMA table_info(nodes)", "ATTACH 'x' AS y", "BEGIN", "SELECT * FROM steps", "SHOW TABLES", "SELECT * FROM information_schema.tables", "SELECT 1; SELECT 2", `SELECT '${"x".repeat(200_000)}'`, "COPY nodes FROM 'x'"]) {
      const { error } = (await one.send("POST", "/query", { sql })).body;
      assert.doesNotMatch(error.hint, /getTables|describeTable|batchInsert|\bexec\b|PUT|session/, sql.slice(0, 50));
    }
    const { results } = await one.ok("POST", "/query", { sql: "SELECT name FROM pragma_table_list" }).catch(() => ({ results: [] }));
    const hidden = ["_codemode_graph_nodes", "_codemode_graph_steps", "_codemode_nodes", "_codemode_steps", "_codemode_graph", "_codemode_past_nodes", "_codemode_migrations", "_cf_KV", ...results.map(({ name }) => name).filter((name) => name.startsWith("_"))];
    for (const name of hidden) {
      const answer = await one.send("POST", "/query", { sql: `SELECT * FROM "${name}"` });
      assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.text.slice(0, 300)}`);
    }
    assert.equal(await one.bytes(), before);
    assert.equal(await one.version(), 1);
  });

  test("that is wrong is told with place and suggestion", async () => {
    const one = await diabetes();
    const error = await one.send("POST", "/query", { sql: "SELECT lable FROM nodes" });
    assert.ok(error.status >= 400 && error.status < 500);
    assert.match(error.body.error.hint, /label/);
  });
});

describe("the list of graphs", () => {
  const tokens = JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" });
  const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
  let secured;
  before(async () => (secured = await Worker.start({ settings: { API_TOKENS: tokens } })));
  after(() => secured.stop());

  const list = async (tenant, query = "") => {
    const response = await secured.fetch(`/api/graph/projects${query}`, { headers: as(tenant) });
    return { status: response.status, body: await response.json() };
  };
  const names = async (tenant) => (await list(tenant)).body.data.map(({ conversationId }) => conversationId);
  const listed = (tenant, wanted) => until(async () => JSON.stringify(await names(tenant)) === JSON.stringify(wanted));

  test("has those of its tenant alone, with name and size, and graphs of one name are two", async () => {
    const [acme, zeta] = ["acme", "zeta"].map((tenant) => new Graph(secured, "trials", as(tenant)));
    await acme.ok("POST", "/init", { name: "Of acme", description: "d" });
    await acme.node("a");
    await listed("acme", ["trials"]);
    assert.deepEqual(await names("zeta"), []);
    assert.deepEqual((await zeta.state()).nodes, []);
    await zeta.node("z");
    await listed("zeta", ["trials"]);
    assert.deepEqual((await acme.ids()).nodes, ["a"]);
    const [project] = (await list("acme")).body.data;
    assert.deepEqual([project.name, project.description, project.conversationId], ["Of acme", "d", "trials"]);
    assert.equal((await secured.fetch("/api/graph/projects")).status, 401);
    assert.equal((await secured.fetch("/api/graph/trials/state")).status, 401);
    await zeta.ok("DELETE", "");
    await listed("zeta", []);
    assert.deepEqual((await acme.ids()).nodes, ["a"]);
    await acme.ok("DELETE", "");
    await listed("acme", []);
  });

  test("has no graph that was only read", async () => {
    const read = new Graph(secured, "only-read", as("acme"));
    for (const path of ["", "/state", "/history", "/search?q=a", "/export", "/analysis"]) await read.fetch(path).then((response) => response.text());
    await read.send("GET", "/nodes/a");
    await read.send("POST", "/undo");
    await read.send("POST", "/nodes", { lable: "x" });
    await new Graph(secured, "written", as("acme")).node("a");
    await listed("acme", ["written"]);
  });

  test("comes in pages, and knows no session", async () => {
    for (const name of ["b", "c", "a"]) await new Graph(secured, name, as("zeta")).node("x");
    await secured.session("a-session", as("zeta")).exec("CREATE TABLE t (a)");
    await listed("zeta", ["a", "b", "c"]);
    const first = (await list("zeta", "?limit=2")).body;
    assert.deepEqual(first.data.map(({ conversationId }) => conversationId), ["a", "b"]);
    const second = (await list("zeta", `?limit=2&cursor=${inPath(first.nextCursor)}`)).body;
    assert.deepEqual([second.data.map(({ conversationId }) => conversationId), second.nextCursor], [["c"], null]);
    for (const query of ["?limit=0", "?limit=1001", "?limit=x", "?limt=3"]) {
      const { status, body } = await list("zeta", query);
      assert.deepEqual([status, body.error.code], [400, "INVALID_ARGUMENT"], query);
    }
    const sessions = await (await secured.fetch("/api/codemode/sessions", { headers: as("zeta") })).json();
    assert.deepEqual(sessions.sessions.map(({ name }) => name), ["a-session"]);
  });
});
