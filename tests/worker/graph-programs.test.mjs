// Tests of helpers.graph in programs: the operations of a graph with exact data, errors with code
// and hint, and sessions beside it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Graph } from "./graph-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { operationsOf } from "./operations.mjs";
import { execute, executions, failure, result } from "./program-client.mjs";

const OPERATIONS = operationsOf("GraphOperation").map(({ name }) => name);

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const run = (code, more) => result(worker, randomUUID(), code, more);
const fail = (code, more) => failure(worker, randomUUID(), code, more);

describe("a program", () => {
  test("adds, reads, queries and undoes, as the program in the history", async () => {
    const one = new Graph(worker);
    const value = await run(`
      const graph = helpers.graph(${JSON.stringify(one.name)});
      const added = await graph.addNode({ id: "a", label: "Alpha", type: "gene" });
      const bulk = await graph.addMultipleNodes({ nodes: [{ id: "b", label: "Beta" }, { id: "c", label: "Gamma" }] });
      const edges = await graph.addMultipleEdges({ edges: [{ source: "a", target: "b" }, { source: "b", target: "c" }] });
      const rows = (await graph.query({ sql: "SELECT count(*) AS n FROM edges WHERE source = ?", params: ["a"] })).results;
      const state = await graph.getGraphState();
      const undone = await graph.undo();
      const near = await graph.getNeighbors({ id: "a" });
      return [added.created, added.version, bulk.created, edges.created, rows, state.data.nodes.length, state.data.edges.length, undone.data.description, near.data.nodes.length];
    `);
    assert.deepEqual(value, [true, 1, 2, 2, [{ n: 1 }], 3, 2, "Bulk added 2 edges", 0]);
    const steps = await one.history();
    assert.deepEqual(steps.map(({ version, kind, actor }) => [version, kind, actor]), [[4, "undo", "program"], [3, "edit", "program"], [2, "edit", "program"], [1, "edit", "program"]]);
  });

  test("has each operation of the API by its name, with the same fields", async () => {
    assert.ok(OPERATIONS.length > 40);
    const one = new Graph(worker);
    const told = await run(`
      const graph = helpers.graph(${JSON.stringify(one.name)});
      const told = {};
      for (const name of ${JSON.stringify(OPERATIONS)}) {
        try { await graph[name]({ zzzz: 1 }); } catch ({ code, message }) { told[name] = [code, message.includes("zzzz")]; }
      }
      return told;
    `);
    assert.deepEqual(told, Object.fromEntries(OPERATIONS.map((name) => [name, ["INVALID_ARGUMENT", true]])));
  });

  test("takes one text alone where an operation needs one", async () => {
    const one = new Graph(worker);
    await one.ok("POST", "/mock-data", { dataset: "diabetes" });
    const value = await run(`
      const graph = helpers.graph(${JSON.stringify(one.name)});
      return [(await graph.getNode("NCBIGene:7157")).data.label, (await graph.query("SELECT count(*) AS n FROM nodes")).results[0].n, (await graph.filterByType("gene")).data.length];
    `);
    assert.deepEqual(value, ["TP53", 8, 4]);
  });

  test("keeps integers of 64 bits exact in data", async () => {
    const one = new Graph(worker);
    await run(`
      const graph = helpers.graph(${JSON.stringify(one.name)});
      await graph.addNode({ id: "a", label: "a", data: { big: 9223372036854775807n, small: 7 } });
      await graph.updateNode({ id: "a", data: { more: -9007199254740993n } });
    `);
    const { text } = await one.send("GET", "/nodes/a");
    assert.match(text, /"big":\s*9223372036854775807/);
    assert.match(text, /"more":\s*-9007199254740993/);
    const read = await run(`const { data } = await helpers.graph(${JSON.stringify(one.name)}).getNode("a"); return [typeof data.data.big, String(data.data.big), data.data.small];`);
    assert.deepEqual(read, ["bigint", "9223372036854775807", 7]);
  });

  test("gets errors with code and hint, which it can catch", async () => {
    const one = new Graph(worker);
    await one.node({ id: "NCBIGene:7157", label: "TP53" });
    const name = JSON.stringify(one.name);
    const caught = await run(`try { await helpers.graph(${name}).getNode("NCBIGene:7158"); } catch (error) { return [error.code, error.hint, error.message]; }`);
    assert.equal(caught[0], "NODE_NOT_FOUND");
    assert.match(caught[1], /NCBIGene:7157/);
    const codes = await run(`
      const graph = helpers.graph(${name});
      const codes = [];
      for (const attempt of [
        () => graph.addNode({ lable: "x" }),
        () => graph.addNode({ id: "NCBIGene:7157", label: "x" }),
        () => graph.addEdge({ source: "NCBIGene:7157", target: "nobody" }),
        () => graph.redo(),
        () => graph.getVersion({ version: 99 }),
        () => graph.updateNode({ id: "NCBIGene:7157", label: "x", ifVersion: 0 }),
        () => graph.query("DELETE FROM nodes"),
        () => graph.addMultipleNodes({ nodes: [{ id: "fine", label: "fine" }, {}] }),
      ]) { try { await attempt(); codes.push("none"); } catch (error) { codes.push(error.code); } }
      return codes;
    `);
    assert.deepEqual(codes.with(6, "refused"), ["INVALID_ARGUMENT", "ALREADY_EXISTS", "NODE_NOT_FOUND", "NOTHING_TO_REDO", "VERSION_NOT_FOUND", "VERSION_CONFLICT", "refused", "INVALID_ARGUMENT"]);
    assert.notEqual(codes[6], "none");
    assert.equal(await one.version(), 1);
    const error = await fail(`await helpers.graph(${name}).removeNode("nobody");`);
    assert.equal(error.code, "NODE_NOT_FOUND");
  });

  test("that names no usable graph or method is told so", async () => {
    for (const code of ['await helpers.graph("no name!").getGraph()', "await helpers.graph(5).getGraph()", "await helpers.graph().getGraph()"]) {
      assert.equal((await fail(code)).code, "INVALID_ARGUMENT", code);
    }
    const missing = await fail('await helpers.graph("g").addNod({ label: "x" })');
    assert.match(JSON.stringify(missing), /addNod/);
  });

  test("makes a graph of the tables of its session, and tables of a graph", async () => {
    const [one, session] = [new Graph(worker), randomUUID()];
    const value = await result(worker, session, `
      await helpers.db.createTable("trials", "drug TEXT, disease TEXT");
      await helpers.db.batchInsert("trials", [{ drug: "A", disease: "x" }, { drug: "A", disease: "y" }, { drug: "B", disease: "x" }]);
      const graph = helpers.graph(${JSON.stringify(one.name)});
      const imported = await graph.importFromQuery({
        session: ${JSON.stringify(session)},
        sql: "SELECT drug, disease, count(*) AS trials FROM trials GROUP BY drug, disease",
        nodes: [{ id: "drug", label: "drug", type: { value: "drug" } }, { id: "disease", label: "disease", type: { value: "disease" } }],
        edges: { source: "drug", target: "disease", label: { value: "tested_for" }, data: ["trials"] },
      });
      const { data } = await graph.findCentrality({ measure: "degree", limit: 2 });
      await graph.exportToSession({ session: ${JSON.stringify(session)}, nodesTable: "n", edgesTable: "e" });
      const [{ n }] = await helpers.db.query("SELECT count(*) AS n FROM e");
      return [imported.rows, imported.nodes.created, imported.edges.created, data.scores.map(({ label }) => label).sort(), n];
    `);
    assert.deepEqual(value, [3, 4, 3, ["A", "x"], 3]);
  });

  test("adds many nodes at once, and none is lost", async () => {
    const one = new Graph(worker);
    const value = await run(`
      const graph = helpers.graph(${JSON.stringify(one.name)});
      const added = await Promise.all(Array.from({ length: 200 }, (_, index) => graph.addNode({ id: "n" + index, label: "n" + index })));
      return [...new Set(added.map(({ version }) => version))].length;
    `);
    assert.equal(value, 200);
    const { data } = await one.ok("GET", "");
    assert.deepEqual([data.nodeCount, data.version], [200, 200]);
  });

  test("is told of its calls, and the list of runs counts them", async () => {
    const [one, session] = [new Graph(worker), randomUUID()];
    const { calls } = await execute(worker, session, `const graph = helpers.graph(${JSON.stringify(one.name)}); await graph.addNode({ label: "x" }); try { await graph.getNode("nobody"); } catch {}`);
    assert.deepEqual(calls.map(({ server, tool, ok }) => [server, tool, ok]), [["graph", "addNode", true], ["graph", "getNode", false]]);
    const [last] = await executions(worker, session);
    assert.deepEqual([last.calls, last.outcome], [2, "OK"]);
  });

  test("reaches the graphs of its tenant only", async () => {
    const secured = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
    try {
      const as = (tenant) => ({ authorization: `Bearer ${TOKENS[tenant]}` });
      await new Graph(secured, "shared", as("acme")).node("of acme");
      const code = 'const { data } = await helpers.graph("shared").getGraphState(); return data.nodes.length;';
      assert.equal(await result(secured, "s", code, {}, as("zeta")), 0);
      assert.equal(await result(secured, "s", code, {}, as("acme")), 1);
    } finally {
      await secured.stop();
    }
  });
});
