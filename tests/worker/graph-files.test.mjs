// Tests of a knowledge graph as files, and of copies between it and the tables of a session.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import cytoscape from "cytoscape";
import { after, before, describe, test } from "node:test";
import { Graph, inPath } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

/** The fields that each format keeps beyond ids, labels, types and data of nodes. */
const FORMATS = {
  json: { type: /^application\/json/, ends: "json", nodes: true, positions: true },
  "node-link": { type: /^application\/json/, ends: "json", nodes: true, positions: true },
  cytoscape: { type: /^application\/json/, ends: "cyjs", nodes: true, positions: true },
  graphml: { type: /^application\/(graphml\+)?xml/, ends: "graphml", nodes: true, positions: true },
  csv: { type: /^text\/csv/, ends: "csv", nodes: false, positions: false },
};

const NODES = [
  { id: "NCBIGene:7157", label: "TP53 <&>\"'", type: "gene", data: { symbol: "TP53", score: 0.5, known: true, none: null, list: [1, "2"], inner: { a: 1 } }, position: { x: 1.25, y: -3 } },
  { id: "é/🧬 %", label: "naïve, \"quoted\"\nnew line", type: "Ünïcode", data: {}, position: { x: 0, y: 0 }, pinned: true },
  { id: "alone", label: "alone", type: "other", data: { category: "other" }, position: { x: 1e9, y: -1e9 } },
];
const EDGES = [
  { id: "e1", source: "NCBIGene:7157", target: "é/🧬 %", label: "inhibits, \"x\"", type: "biological", data: { weight: 2.5, n: 7 } },
  { id: "e2", source: "NCBIGene:7157", target: "é/🧬 %", label: "activates", type: "biological", data: {} },
  { id: "e3", source: "é/🧬 %", target: "é/🧬 %", label: "", type: "", data: {} },
];

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);

async function filled() {
  const one = graph();
  await one.ok("POST", "/import", { nodes: NODES, edges: EDGES });
  return one;
}

const timeless = (items) => items.map(({ createdAt, updatedAt, ...rest }) => rest);

async function exported(one, format) {
  const response = await one.fetch(`/export?format=${format}`);
  assert.equal(response.status, 200);
  return { text: await response.text(), type: response.headers.get("content-type"), disposition: response.headers.get("content-disposition") };
}

describe("files", () => {
  for (const [format, keeps] of Object.entries(FORMATS)) {
    test(`${format} goes out and comes in again as the same graph`, async () => {
      const one = await filled();
      const file = await exported(one, format);
      assert.match(file.type, keeps.type);
      assert.ok(file.disposition.includes(`.${keeps.ends}`), file.disposition);
      const [named, found] = [graph(), graph()];
      const answer = await named.ok("POST", `/import?format=${format}`, file.text, { headers: { "content-type": file.type } });
      assert.deepEqual([answer.format, answer.edges.created], [format, EDGES.length]);
      await found.ok("POST", "/import", file.text, { headers: { "content-type": "application/octet-stream" } });
      const [whole, guessed] = [await named.state(), await found.state()];
      assert.deepEqual(timeless(guessed.nodes), timeless(whole.nodes));
      assert.deepEqual(timeless(whole.edges).toSorted((a, b) => (a.id < b.id ? -1 : 1)), EDGES);
      const wanted = keeps.nodes ? NODES : NODES.filter(({ id }) => id !== "alone");
      const kept = ({ id, label, type, data, position, pinned }) => (keeps.nodes ? { id, label, type, data, position, ...(pinned ? { pinned } : {}) } : { id });
      assert.deepEqual(timeless(whole.nodes).map(kept), wanted.map(kept));
      assert.equal((await exported(named, format)).text.replaceAll(/"(createdAt|updatedAt)":"[^"]*"/g, ""), file.text.replaceAll(/"(createdAt|updatedAt)":"[^"]*"/g, ""));
    });
  }

  for (const format of Object.keys(FORMATS)) {
    test(`${format} brings back parallel edges, and edges with the ids of nodes`, async () => {
      const one = graph();
      const edges = [
        { source: "a", target: "b" },
        { source: "a", target: "b", id: "a", data: { weight: 1 } },
        { source: "a", target: "b", id: "edge:a" },
        { source: "a", target: "b", data: { weight: 2, key: 0 } },
        { source: "a", target: "b", data: { weight: 2, key: 1 } },
        { source: "b", target: "b", id: "b" },
      ];
      const first = await one.ok("POST", "/import", { nodes: [{ id: "a", label: "a" }, { id: "b", label: "b" }], edges });
      assert.deepEqual([first.edges.created, first.existing, first.notices], [6, [], []]);
      const file = await exported(one, format);
      if (format === "cytoscape") {
        // Counted by the library itself, which would drop an edge with a duplicate id.
        const drawn = cytoscape({ headless: true, elements: JSON.parse(file.text).elements });
        assert.deepEqual([drawn.nodes().length, drawn.edges().length, drawn.edges("[source = 'a'][target = 'b']").length], [2, 6, 5]);
        const again = graph();
        await again.ok("POST", "/import?format=cytoscape", JSON.stringify(drawn.json()));
        const data = ({ id, source, target, data: { weight } }) => [id, source, target, weight];
        assert.deepEqual((await again.state()).edges.map(data).toSorted(), (await one.state()).edges.map(data).toSorted());
      }
      const other = graph();
      await other.ok("POST", `/import?format=${format}`, file.text, { headers: { "content-type": file.type } });
      const plain = ({ id, source, target, data }) => JSON.stringify([id, source, target, Object.entries(data).toSorted()]);
      assert.deepEqual((await other.state()).edges.map(plain), (await one.state()).edges.map(plain));
      const again = await one.ok("POST", `/import?format=${format}&onConflict=ignore`, file.text, { headers: { "content-type": file.type } });
      assert.deepEqual([again.edges.created, again.version], [0, 1]);
      assert.equal(again.existing.length, 6);
    });
  }

  test("that hold what a graph has not are read with notices", async () => {
    const one = graph();
    const text = '<graphml><key id="d" for="node" attr.name="style"/><graph><node id="a" label="A"><data key="d"><x/></data><port name="p"/></node>stray</graph></graphml>';
    const answer = await one.ok("POST", "/import?format=graphml", text, { headers: { "content-type": "application/xml" } });
    assert.deepEqual(answer.notices, [
      'the attribute "style" of 1 node contains XML, which was left out',
      "1 port was left out: edges lead to the nodes themselves",
      'the text "stray" between elements, in line 1, was left out',
    ]);
    assert.equal((await one.ok("GET", "/nodes/a")).data.label, "A");
  });

  test("is one operation by name, too", async () => {
    const one = await filled();
    const { content, format } = await one.operate("exportGraph", { format: "graphml" });
    assert.equal(format, "graphml");
    const other = graph();
    assert.equal((await other.operate("importGraph", { content })).edges.created, EDGES.length);
    assert.equal((await graph().operate("importGraph", { content: { nodes: NODES, edges: EDGES }, format: "json" })).nodes.created, NODES.length);
  });

  test("of others are understood", async () => {
    for (const [type, text, nodes, edges] of [
      ["application/json", '{"directed":true,"multigraph":false,"graph":{},"nodes":[{"id":1},{"id":"two","label":"Two"}],"links":[{"source":1,"target":"two"}]}', 2, 1],
      ["application/json", '{"elements":{"nodes":[{"data":{"id":"a"}},{"data":{"id":"b","name":"B"},"position":{"x":1,"y":2}}],"edges":[{"data":{"source":"a","target":"b"}}]}}', 2, 1],
      ["application/xml", '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" attr.name="label" attr.type="string"/><graph edgedefault="undirected"><node id="a"><data key="d0">Alpha</data></node><node id="b"/><edge source="a" target="b"/></graph></graphml>', 2, 1],
      ["text/csv", "source,target,label,weight\nTP53,MDM2,inhibits,0.5\nTP53,Cancer,linked,1\n", 3, 2],
    ]) {
      const one = graph();
      const answer = await one.ok("POST", "/import", text, { headers: { "content-type": type } });
      assert.deepEqual([answer.nodes.created, answer.edges.created, answer.version], [nodes, edges, 1], text);
    }
  });

  test("change what exists as the caller says", async () => {
    const one = await filled();
    const file = { nodes: [{ id: "alone", label: "other label" }, { id: "fresh", label: "fresh" }], edges: [{ source: "alone", target: "fresh" }] };
    const before = await one.bytes();
    const conflict = await one.error("POST", "/import", file, 409, "ALREADY_EXISTS");
    assert.deepEqual(conflict.issues.map(({ list, index }) => [list, index]), [["nodes", 0]]);
    assert.equal(await one.bytes(), before);
    const ignored = await one.ok("POST", "/import?onConflict=ignore", file);
    assert.deepEqual([ignored.nodes, ignored.edges.created], [{ created: 1, updated: 0, skipped: 1, deleted: 0 }, 1]);
    await one.undo();
    const replaced = await one.ok("POST", "/import?onConflict=replace", file);
    assert.deepEqual(replaced.nodes, { created: 1, updated: 1, skipped: 0, deleted: 0 });
    assert.equal((await one.ok("GET", "/nodes/alone")).data.label, "other label");
    await one.undo();
    assert.equal(await one.bytes(), before);
    await one.ok("POST", "/import?mode=replace", file);
    assert.deepEqual((await one.ids()).nodes.toSorted(), ["alone", "fresh"]);
    await one.undo();
    assert.equal(await one.bytes(), before);
  });

  test("with bad items are refused whole, and each is listed", async () => {
    const one = await filled();
    const before = await one.bytes();
    const file = { nodes: [{ id: "x", label: "x" }, { id: "y" }, { id: "z", label: "z", data: "none" }], edges: [{ source: "x", target: "x" }, { source: "x" }] };
    const error = await one.error("POST", "/import", file, 400, "INVALID_ARGUMENT");
    assert.deepEqual(error.issues.map(({ list, index }) => [list, index]), [["nodes", 1], ["nodes", 2], ["edges", 1]]);
    assert.equal(error.issueCount, 3);
    const dangling = await one.error("POST", "/import", { nodes: [{ id: "x", label: "x" }], edges: [{ source: "x", target: "nobody" }, { source: "x", target: "alone" }] }, 404, "NODE_NOT_FOUND");
    assert.deepEqual(dangling.issues.map(({ list, index }) => [list, index]), [["edges", 0]]);
    for (const [type, text] of [["application/json", "{"], ["application/json", '{"nodes":5}'], ["application/xml", "<graphml>"], ["application/xml", "<html/>"], ["text/csv", "a,b\n1,2"], ["text/csv", ""], ["application/octet-stream", "nothing known"], ["application/xml", `<!DOCTYPE x [<!ENTITY a "${"a".repeat(1_000)}"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>`]]) {
      const answer = await one.send("POST", "/import", text, { "content-type": type });
      assert.ok(answer.status >= 400 && answer.status < 500, `${type} ${text.slice(0, 50)}: ${answer.status} ${answer.text.slice(0, 300)}`);
      assert.ok(answer.body.error.message.length > 0);
    }
    await one.error("POST", "/import?format=grapml", file, 400, "INVALID_ARGUMENT");
    await one.error("GET", "/export?format=grapml", undefined, 400, "INVALID_ARGUMENT");
    await one.error("POST", "/import?onConflict=skip", file, 400, "INVALID_ARGUMENT");
    await one.error("POST", "/import?mode=over", file, 400, "INVALID_ARGUMENT");
    assert.equal(await one.bytes(), before);
    assert.equal(await one.version(), 1);
  });
});

describe("tables of a session", () => {
  /** Makes a session with papers and drugs, and a table that joins them. */
  async function session() {
    const one = worker.session();
    await one.exec("CREATE TABLE papers (pmid INTEGER PRIMARY KEY, title TEXT, year INTEGER)");
    await one.exec("CREATE TABLE drugs (id TEXT PRIMARY KEY, name TEXT, big INTEGER)");
    await one.exec("CREATE TABLE mentions (pmid INTEGER, drug TEXT, times INTEGER)");
    await one.exec("INSERT INTO papers VALUES (1, 'One', 2020), (2, 'Two', 2021), (3, 'Unmentioned', 2022)");
    await one.exec("INSERT INTO drugs VALUES ('CHEBI:1', 'Sorafenib', 9007199254740993), ('CHEBI:2', 'Aspirin', 2)");
    await one.exec("INSERT INTO mentions VALUES (1, 'CHEBI:1', 3), (1, 'CHEBI:2', 1), (2, 'CHEBI:1', 5)");
    return one;
  }

  const SQL = "SELECT p.pmid, p.title, p.year, d.id AS drug, d.name, d.big, m.times FROM mentions m JOIN papers p USING (pmid) JOIN drugs d ON d.id = m.drug ORDER BY 1, 4";
  const MAPPING = {
    nodes: [
      { id: "pmid", label: "title", type: { value: "paper" }, data: ["year"] },
      { id: "drug", label: "name", type: { value: "drug" }, data: { exact: "big" } },
    ],
    edges: { source: "pmid", target: "drug", label: { value: "mentions" }, type: { value: "text" }, data: ["times"] },
  };

  test("become nodes and edges in one step, and one undo", async () => {
    const [one, from] = [graph(), await session()];
    const answer = await one.ok("POST", "/import-from-query", { session: from.name, sql: SQL, ...MAPPING });
    assert.deepEqual([answer.rows, answer.nodes.created, answer.edges.created, answer.version], [3, 4, 3, 1]);
    const { nodes, edges } = await one.state();
    assert.deepEqual(nodes.map(({ id, label, type }) => [id, label, type]).toSorted(), [["1", "One", "paper"], ["2", "Two", "paper"], ["CHEBI:1", "Sorafenib", "drug"], ["CHEBI:2", "Aspirin", "drug"]]);
    assert.deepEqual(edges.map(({ source, target, label, type, data }) => [source, target, label, type, data]), [["1", "CHEBI:1", "mentions", "text", { times: 3 }], ["1", "CHEBI:2", "mentions", "text", { times: 1 }], ["2", "CHEBI:1", "mentions", "text", { times: 5 }]]);
    assert.deepEqual(nodes.find(({ id }) => id === "1").data, { year: 2020 });
    assert.match(await one.bytes(), /"exact":\s*9007199254740993/);
    const again = await one.ok("POST", "/import-from-query", { session: from.name, sql: SQL, ...MAPPING });
    assert.deepEqual([again.nodes.created, again.edges.created], [0, 0]);
    assert.equal(await one.version(), 1);
    await one.undo();
    assert.deepEqual(await one.ids(), { nodes: [], edges: [] });
  });

  test("are read with parameters, and by label where there is no id", async () => {
    const [one, from] = [graph(), await session()];
    const answer = await one.ok("POST", "/import-from-query", { session: from.name, sql: "SELECT name, times FROM mentions JOIN drugs ON id = drug WHERE times > ?", params: [2], nodes: { label: "name", type: { value: "drug" } } });
    assert.deepEqual([answer.rows, answer.nodes.created], [2, 1]);
    assert.deepEqual((await one.state()).nodes.map(({ label }) => label), ["Sorafenib"]);
  });

  test("that cannot be read or mapped leave the graph as it is", async () => {
    const [one, from] = [graph(), await session()];
    await one.node("before");
    const before = await one.bytes();
    for (const [fields, status] of [
      [{ sql: "SELECT nothing FROM mentions", nodes: { label: "nothing" } }, 400],
      [{ sql: "SELECT 1 AS a FROM missing", nodes: { label: "a" } }],
      [{ sql: "DELETE FROM mentions", nodes: { label: "a" } }],
      [{ sql: SQL, nodes: { label: "titel" } }, 400],
      [{ sql: SQL }, 400],
      [{ sql: SQL, nodes: { lable: "title" } }, 400],
      [{ sql: SQL, edges: { source: "pmid", target: "drug" }, onConflict: "error" }],
      [{ sql: "SELECT 1 AS a, x'00' AS b", nodes: { id: "a", label: "b" } }],
      [{ sql: SQL, ...MAPPING, session: "no name!" }, 400],
      [{ sql: 5, ...MAPPING }, 400],
    ]) {
      const answer = await one.send("POST", "/import-from-query", { session: from.name, ...fields });
      assert.ok(answer.status >= 400 && answer.status < 500, `${JSON.stringify(fields)}: ${answer.status} ${answer.text.slice(0, 400)}`);
      if (status !== undefined) assert.equal(answer.status, status, answer.text);
    }
    assert.equal(await one.bytes(), before);
    assert.equal((await from.query("SELECT count(*) AS n FROM mentions")).results[0].n, 3);
  });

  test("that have no label make no node, and are counted", async () => {
    const [one, from] = [graph(), await session()];
    const answer = await one.ok("POST", "/import-from-query", { session: from.name, sql: "SELECT pmid, nullif(title, 'Two') AS title FROM papers", nodes: { id: "pmid", label: "title" } });
    assert.deepEqual([answer.rows, answer.nodes.created, answer.skippedNodes], [3, 2, 1]);
    assert.deepEqual((await one.ids()).nodes, ["1", "3"]);
  });

  test("many thousands of rows become a graph", async () => {
    const [one, from] = [graph(), worker.session()];
    await from.exec("CREATE TABLE links (a INTEGER, b INTEGER)");
    await from.exec("WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r LIMIT 30000) INSERT INTO links SELECT i % 5000, (i * 7 + 1) % 5000 FROM r");
    const answer = await one.ok("POST", "/import-from-query", { session: from.name, sql: "SELECT a, b FROM links", nodes: [{ id: "a", label: "a" }, { id: "b", label: "b" }], edges: { source: "a", target: "b" } });
    assert.equal(answer.rows, 30_000);
    const pairs = (await from.query("SELECT count(*) AS n FROM (SELECT DISTINCT a, b FROM links)")).results[0].n;
    const { data } = await one.ok("GET", "");
    assert.deepEqual([data.nodeCount, data.edgeCount, data.version], [5_000, pairs, 1]);
  });

  test("get the graph, both or neither", async () => {
    const [one, to] = [await filled(), worker.session()];
    const answer = await one.ok("POST", "/export-to-session", { session: to.name });
    assert.equal(answer.session, to.name);
    assert.deepEqual((await to.query("SELECT id, label, type FROM nodes ORDER BY id")).results, NODES.map(({ id, label, type }) => ({ id, label, type })).toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const joined = await to.query("SELECT e.id, s.label AS source, e.data ->> 'weight' AS weight FROM edges e JOIN nodes s ON s.id = e.source ORDER BY e.id");
    assert.deepEqual(joined.results[0], { id: "e1", source: NODES[0].label, weight: 2.5 });
    await one.node("later");
    await one.error("POST", "/export-to-session", { session: to.name }, 409, "ALREADY_EXISTS");
    await one.error("POST", "/export-to-session", { session: to.name, nodesTable: "fresh" }, 409, "ALREADY_EXISTS");
    assert.deepEqual((await to.ok("getTables")).tables.toSorted(), ["edges", "nodes"]);
    assert.equal((await to.query("SELECT count(*) AS n FROM nodes")).results[0].n, 3);
    await one.ok("POST", "/export-to-session", { session: to.name, mode: "replace" });
    assert.equal((await to.query("SELECT count(*) AS n FROM nodes")).results[0].n, 4);
    await one.ok("POST", "/export-to-session", { session: to.name, nodesTable: "my nodes", edgesTable: "x\"y" });
    assert.equal((await to.query('SELECT count(*) AS n FROM "my nodes"')).results[0].n, 4);
    for (const fields of [{ nodesTable: "same", edgesTable: "same" }, { nodesTable: "session_state" }, { nodesTable: "_codemode_x" }, { nodesTable: "" }, { session: "no name!" }, { mode: "append" }, {}].map((more) => ({ ...(more.session || Object.keys(more).length > 0 ? { session: to.name } : {}), ...more }))) {
      const refused = await one.send("POST", "/export-to-session", fields);
      assert.ok(refused.status >= 400 && refused.status < 500, `${JSON.stringify(fields)}: ${refused.status} ${refused.text.slice(0, 300)}`);
    }
  });

  test("get a graph of some size, and give it back", async () => {
    const [one, to, back] = [graph(), worker.session(), graph()];
    await one.ok("POST", "/import", { nodes: Array.from({ length: 3_000 }, (_, index) => ({ id: `n${index}`, label: `n${index}`, type: "gene", data: { exact: index } })), edges: Array.from({ length: 6_000 }, (_, index) => ({ source: `n${index % 3_000}`, target: `n${(index * 13) % 3_000}`, label: `${index}` })) });
    await one.ok("POST", "/export-to-session", { session: to.name });
    await back.ok("POST", "/import-from-query", { session: to.name, sql: "SELECT id, label, type, data ->> 'exact' AS exact FROM nodes", nodes: { id: "id", label: "label", type: "type", data: ["exact"] } });
    await back.ok("POST", "/import-from-query", { session: to.name, sql: "SELECT source, target, label FROM edges", edges: { source: "source", target: "target", label: "label" } });
    const plain = ({ nodes, edges }) => [nodes.map(({ id, label, type, data }) => [id, label, type, data]), edges.map(({ source, target, label }) => [source, target, label])];
    const states = await Promise.all([one, back].map((each) => each.state({ limit: 10_000 })));
    assert.deepEqual(plain(states[1]), plain(states[0]));
  });

  test("of another tenant are not reached", async () => {
    const tokens = { acme: "token-of-acme-0123456789", zeta: "token-of-zeta-0123456789" };
    const secured = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [tokens.acme]: "acme", [tokens.zeta]: "zeta" }) } });
    try {
      const name = `shared-${randomUUID()}`;
      const as = (tenant) => ({ authorization: `Bearer ${tokens[tenant]}` });
      await secured.session(name, as("acme")).exec("CREATE TABLE secret (a)");
      const zeta = new Graph(secured, name, as("zeta"));
      const answer = await zeta.send("POST", "/import-from-query", { session: name, sql: "SELECT a FROM secret", nodes: { label: "a" } });
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.match(answer.text, /no such table|secret/);
    } finally {
      await secured.stop();
    }
  });

  test("an import by a name in a URL is what its path says", async () => {
    const one = graph();
    await one.ok("POST", `/import?format=${inPath("node-link")}`, { nodes: [{ id: "a" }], links: [] });
    assert.deepEqual((await one.ids()).nodes, ["a"]);
  });
});
