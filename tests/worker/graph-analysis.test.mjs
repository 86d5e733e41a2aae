// Tests of analysis and layouts over HTTP: figures of a known graph, the parameters of routes, and
// layouts as steps that keep pinned nodes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Graph, inPath, ring } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

/** The Florentine families; NetworkX has the same figures for them. */
const FAMILIES = [
  ["Acciaiuoli", "Medici"], ["Castellani", "Peruzzi"], ["Castellani", "Strozzi"], ["Castellani", "Barbadori"], ["Medici", "Barbadori"],
  ["Medici", "Ridolfi"], ["Medici", "Tornabuoni"], ["Medici", "Albizzi"], ["Medici", "Salviati"], ["Salviati", "Pazzi"],
  ["Peruzzi", "Strozzi"], ["Peruzzi", "Bischeri"], ["Strozzi", "Ridolfi"], ["Strozzi", "Bischeri"], ["Ridolfi", "Tornabuoni"],
  ["Tornabuoni", "Guadagni"], ["Albizzi", "Ginori"], ["Albizzi", "Guadagni"], ["Bischeri", "Guadagni"], ["Guadagni", "Lamberteschi"],
];
const TOLERANCE = 1e-6;
/** The shortest distance that layouts keep between nodes. */
const MINIMUM_DISTANCE = 20;

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < TOLERANCE, `${found} is not ${wanted}`);

async function families() {
  const one = new Graph(worker);
  const names = [...new Set(FAMILIES.flat())];
  await one.ok("POST", "/import", { nodes: names.map((name) => ({ id: `family:${name}`, label: name, type: "family" })), edges: FAMILIES.map(([source, target], index) => ({ id: `e${index}`, source: `family:${source}`, target: `family:${target}`, label: "marriage", data: { years: 1 + (index % 5) } })) });
  return one;
}

describe("analysis", () => {
  test("of the structure has the figures of NetworkX", async () => {
    const one = await families();
    const { data, version } = await one.ok("GET", "/analysis");
    assert.deepEqual([data.nodes, data.edges, data.components.count, data.diameter, data.radius, version], [15, 20, 1, 5, 3, 1]);
    for (const [name, value] of [["averagePathLength", 2.485714], ["transitivity", 0.191489], ["averageClustering", 0.16]]) near(data[name], Number(value));
    assert.equal((await one.ok("GET", "/analysis?directed=true")).data.directed, true);
    await one.node("apart");
    const apart = (await one.ok("GET", "/analysis")).data;
    assert.deepEqual([apart.components.count, apart.diameter], [2, null]);
  });

  test("of centrality ranks by each measure", async () => {
    const one = await families();
    for (const measure of ["degree", "betweenness", "closeness", "harmonic", "eigenvector", "pagerank"]) {
      const { data } = await one.ok("GET", `/centrality?measure=${measure}&limit=3`);
      assert.equal(data.scores.length, 3);
      assert.deepEqual([data.measure, data.scores[0].label, data.scores[0].id, data.scores[0].type], [measure, "Medici", "family:Medici", "family"]);
      assert.ok(data.scores[0].score >= data.scores[1].score && data.scores[1].score >= data.scores[2].score);
    }
    near((await one.ok("GET", "/centrality?measure=betweenness&limit=1")).data.scores[0].score, 0.521978);
    near((await one.ok("GET", "/centrality?measure=pagerank&limit=1")).data.scores[0].score, 0.145817);
    assert.equal((await one.ok("GET", "/centrality?measure=betweenness&weight=years")).data.weight, "years");
    const error = await one.send("GET", "/centrality?measure=betweenness&weight=yaers");
    assert.deepEqual([error.status, error.body.error.hint], [400, "did you mean `years`?"]);
  });

  test("of communities reaches the best modularity, the same each time", async () => {
    const one = await families();
    const { data } = await one.ok("GET", "/communities");
    near(data.modularity, 0.39875);
    assert.equal(data.count, 3);
    assert.deepEqual(data.communities.flatMap(({ members }) => members.map(({ label }) => label)).toSorted(), [...new Set(FAMILIES.flat())].toSorted());
    assert.deepEqual((await one.ok("GET", "/communities")).data, data);
    assert.ok((await one.ok("GET", "/communities?resolution=3")).data.count > 3);
  });

  test("of paths finds the shortest, several, and says where there is none", async () => {
    const one = await families();
    const path = async (query) => (await one.ok("GET", `/path?from=${inPath("family:Acciaiuoli")}&to=${inPath("family:Pazzi")}${query}`)).data;
    const shortest = await path("");
    assert.deepEqual(shortest.paths.map(({ nodes, edges, length }) => [nodes.map(({ label }) => label), edges.length, length]), [[["Acciaiuoli", "Medici", "Salviati", "Pazzi"], 3, 3]]);
    assert.deepEqual((await path("&directed=true")).paths.length, 1);
    const back = (await one.ok("GET", `/path?from=${inPath("family:Pazzi")}&to=${inPath("family:Acciaiuoli")}&directed=true`)).data;
    assert.deepEqual(back.paths, []);
    const several = (await one.ok("GET", `/path?from=${inPath("family:Strozzi")}&to=${inPath("family:Medici")}&k=3`)).data.paths;
    assert.deepEqual(several.map(({ length }) => length), [2, 3, 3]);
    assert.ok((await one.ok("GET", `/path?from=${inPath("family:Strozzi")}&to=${inPath("family:Medici")}&weight=years`)).data.paths[0].length > 0);
    assert.deepEqual((await one.ok("GET", `/path?from=${inPath("family:Medici")}&to=${inPath("family:Guadagni")}&all=true`)).data.paths.map(({ length }) => length), [2, 2]);
  });

  test("of bridges and articulation points", async () => {
    const one = await families();
    const { data } = await one.ok("GET", "/bridges");
    const bridges = data.bridges.map(({ source, target }) => [source.label, target.label].toSorted().join("-")).toSorted();
    assert.deepEqual(bridges, ["Acciaiuoli-Medici", "Albizzi-Ginori", "Guadagni-Lamberteschi", "Medici-Salviati", "Pazzi-Salviati"]);
    assert.deepEqual(data.articulationPoints.map(({ label }) => label).toSorted(), ["Albizzi", "Guadagni", "Medici", "Salviati"]);
  });

  test("of betweenness in a large graph is of a sample that says so, the same each time", async () => {
    const one = new Graph(worker);
    // 12,000 times the 60,000 steps of a sweep are twice the work that is allowed.
    await one.ok("POST", "/import", ring(12_000, 24_000, () => ({})));
    const { data } = await one.ok("GET", "/centrality?measure=betweenness&limit=5");
    assert.ok(Number.isInteger(data.sampledSources) && data.sampledSources > 1_000 && data.sampledSources < 12_000, `${data.sampledSources} sources`);
    assert.equal(data.scores.length, 5);
    assert.ok(data.scores.every(({ score }) => score > 0 && score < 1), JSON.stringify(data.scores));
    assert.deepEqual((await one.ok("GET", "/centrality?measure=betweenness&limit=5")).data, data);
    assert.equal((await one.ok("GET", "/centrality?measure=degree&limit=5")).data.sampledSources, null);
  });

  test("of an empty graph and of one node is no failure", async () => {
    const one = new Graph(worker);
    const all = async () => {
      for (const path of ["/analysis", "/centrality?measure=betweenness", "/centrality?measure=eigenvector", "/centrality?measure=pagerank", "/communities", "/bridges"]) await one.ok("GET", path);
    };
    await all();
    await one.node("a");
    await all();
    await one.edge("a", "a");
    await all();
    assert.equal(await one.version(), 2);
  });
});

describe("a layout", () => {
  const distances = (nodes) => nodes.flatMap(({ position: one }, index) => nodes.slice(index + 1).map(({ position: other }) => Math.hypot(one.x - other.x, one.y - other.y)));

  for (const [algorithm, words] of [["force", "Applied force layout"], ["hierarchical", "Applied hierarchical layout"], ["circular", "Applied circular layout"], ["grid", "Applied grid layout"]]) {
    test(`by ${algorithm} is one step, keeps what is pinned, and is undone`, async () => {
      const one = await families();
      await one.ok("PUT", "/nodes/family:Medici", { position: { x: 123.5, y: -77 }, pinned: true });
      const before = await one.bytes();
      const seen = await one.ok("POST", "/layout", { algorithm, preview: true });
      assert.equal(seen.data.positions.length, 15);
      assert.equal(await one.bytes(), before);
      const { data, version } = await one.ok("POST", "/layout", { algorithm });
      const { nodes } = await one.state();
      const moved = nodes.filter(({ id, position: { x, y } }) => id !== "family:Medici" && (x !== 0 || y !== 0)).length;
      assert.deepEqual([version, data.moved], [3, moved]);
      assert.ok(moved >= 13, `${moved} of 14 nodes moved`);
      assert.deepEqual(nodes.find(({ label }) => label === "Medici").position, { x: 123.5, y: -77 });
      assert.ok(nodes.every(({ position: { x, y } }) => Number.isFinite(x) && Number.isFinite(y)));
      assert.ok(Math.min(...distances(nodes)) >= MINIMUM_DISTANCE - TOLERANCE, `${Math.min(...distances(nodes))}`);
      assert.deepEqual(seen.data.positions.map(({ id, x, y }) => [id, x, y]), nodes.map(({ id, position }) => [id, position.x, position.y]));
      assert.equal((await one.words())[0], words);
      await one.undo();
      assert.equal(await one.bytes(), before);
    });
  }

  test("that optimises has never more crossings", async () => {
    const one = await families();
    await one.ok("POST", "/layout", { algorithm: "circular" });
    const { data } = await one.ok("POST", "/layout", { algorithm: "optimize" });
    assert.ok(data.crossingsAfter <= data.crossingsBefore, JSON.stringify(data));
    const again = await one.ok("POST", "/layout", { algorithm: "optimize" });
    assert.ok(again.data.crossingsAfter <= data.crossingsAfter);
  });

  test("that moves nothing is no step", async () => {
    const one = await families();
    await one.ok("POST", "/layout", { algorithm: "grid" });
    const version = await one.version();
    const { data } = await one.ok("POST", "/layout", { algorithm: "grid" });
    assert.deepEqual([data.moved, await one.version()], [0, version]);
  });

  test("of what is too large is 413 with the size that fits", async () => {
    const one = new Graph(worker);
    await one.ok("POST", "/import", ring(1_000, 25_000));
    const error = await one.error("POST", "/layout", { algorithm: "optimize" }, 413, "TOO_LARGE");
    assert.ok(error.size === 25_000 && error.limit < error.size, JSON.stringify(error));
    await one.error("POST", "/layout", { algorithm: "spiral" }, 400, "INVALID_ARGUMENT");
  });
});
