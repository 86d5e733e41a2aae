// Tests of the appearance of the graph page, and of the edits by mouse that other tests lack.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Worker } from "../worker/harness.mjs";
import { Browser } from "./browser.mjs";
import { counts, DIABETES, drag, Graph, inCanvas, INS, nodeLabels, openGraph, pixels, TP53, until } from "./graph.mjs";

/** The colours of the domain's types. */
const COLOURS = { gene: "#1f77b4", protein: "#f39c12", drug: "#e74c3c", disease: "#2ecc71", pathway: "#9b59b6", other: "#bdc3c7" };
/** The contrast that WCAG requires of text of usual size. */
const CONTRAST = 4.5;

let worker, browser;
before(async () => {
  worker = await Worker.start();
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await worker?.stop();
});

/** Makes a graph of these nodes and edges, and opens a page that shows it. */
async function opened(visit, nodes, edges = []) {
  const graph = new Graph(worker);
  await graph.call("POST", "/import", { nodes, edges });
  await openGraph(visit.page, graph);
  await counts(visit.page, `${nodes.length} nodes · `);
  return graph;
}

async function example(visit, dataset = "diabetes") {
  const graph = new Graph(worker);
  await graph.call("POST", "/mock-data", { dataset });
  await openGraph(visit.page, graph);
  await counts(visit.page, "8 nodes · ");
  return graph;
}

/** Returns the middle of an edge, in pixels of the window. */
async function middleOf(page, id) {
  const box = await page.locator(".canvas").boundingBox();
  const { x, y } = await inCanvas(page, (cy, key) => cy.getElementById(key).renderedMidpoint(), `e:${id}`);
  return { x: box.x + x, y: box.y + y };
}

const edgeOf = async (graph, label) => (await graph.state()).edges.find((edge) => edge.label === label);
const at = (x, y) => ({ position: { x, y } });

test("a card follows the pointer: what a node carries, then what an edge does, then nothing", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const card = page.locator(".card-hover");
  const node = (await pixels(page))[TP53];
  await page.mouse.move(node.x, node.y);
  await card.getByRole("heading", { name: "TP53", includeHidden: true }).waitFor();
  assert.match(await card.innerText(), /gene[\s\S]*NCBIGene:7157[\s\S]*category\s+gene/);
  const { id } = await edgeOf(graph, "comorbid_with");
  const edge = await middleOf(page, id);
  await page.mouse.move(edge.x, edge.y);
  await card.getByRole("heading", { name: "Type 2 Diabetes → Obesity", includeHidden: true }).waitFor();
  assert.match(await card.innerText(), /comorbid_with · clinical/);
  const canvas = await page.locator(".canvas").boundingBox();
  await page.mouse.move(canvas.x + 5, canvas.y + 5);
  await card.waitFor({ state: "detached" });
  await visit.close();
});

test("edges with the same ends are curves that lie apart, and a loop stands off its node", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const labels = ["binds", "inhibits", "activates", "transports"];
  const edges = [...labels.map((label) => ({ source: "a", target: "b", label })), { source: "b", target: "a", label: "back" }, { source: "a", target: "a", label: "itself" }, { source: "a", target: "c", label: "alone" }];
  await opened(visit, [{ id: "a", label: "A", ...at(0, 0) }, { id: "b", label: "B", ...at(300, 0) }, { id: "c", label: "C", ...at(0, 300) }], edges);
  const drawn = await inCanvas(page, (cy) => cy.edges().map((edge) => ({ label: edge.data("label"), style: edge.style("curve-style"), middle: edge.midpoint(), points: edge.controlPoints() ?? [] })));
  assert.equal(drawn.length, 7);
  assert.ok(drawn.every(({ style }) => style === "bezier"));
  const parallel = drawn.filter(({ label }) => [...labels, "back"].includes(label));
  for (const [index, one] of parallel.entries()) {
    for (const other of parallel.slice(index + 1)) {
      const apart = Math.hypot(one.middle.x - other.middle.x, one.middle.y - other.middle.y);
      assert.ok(apart > 12, `${one.label} and ${other.label} lie ${apart} apart`);
    }
  }
  // One of an odd number runs straight; all others have a control point beside the line.
  assert.ok(parallel.filter(({ points }) => points.length > 0 && Math.abs(points[0].y) > 12).length >= 4, JSON.stringify(parallel));
  const { middle } = drawn.find(({ label }) => label === "itself");
  assert.ok(Math.hypot(middle.x, middle.y) > 25, JSON.stringify(middle));
  assert.deepEqual(drawn.find(({ label }) => label === "alone").points, []);
  await visit.picture("graph-parallel");
  await visit.close();
});

/** Returns the contrast of two colours `#rrggbb` or `rgb(r, g, b)`, as WCAG 2 defines it. */
function contrast(one, other) {
  const luminance = (colour) => {
    const parts = colour.startsWith("#") ? [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16)) : colour.match(/\d+/g).slice(0, 3).map(Number);
    const [red, green, blue] = parts.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

for (const theme of ["light", "dark"]) {
  test(`labels are readable in the ${theme} theme: large enough, with contrast, and none on another`, async () => {
    const visit = await browser.visit({ theme });
    const { page } = visit;
    await example(visit);
    const background = await page.locator(".view").evaluate((element) => getComputedStyle(element).backgroundColor);
    const drawn = await inCanvas(page, (cy) => cy.elements().map((element) => ({
      label: element.style("label"),
      colour: element.style("color"),
      outline: element.style("text-outline-color"),
      pixels: Number.parseFloat(element.style("font-size")) * cy.zoom(),
      least: Number.parseFloat(element.style("min-zoomed-font-size")),
      box: element.isNode() ? element.renderedBoundingBox({ includeNodes: false, includeOverlays: false, includeEdges: false }) : null,
    })));
    for (const { label, colour, outline, pixels: size, least } of drawn) {
      assert.ok(label.length > 0);
      assert.ok(size >= least && size >= 9, `${label}: ${size} px`);
      assert.ok(contrast(colour, outline) >= CONTRAST, `${label}: ${colour} on ${outline}`);
      assert.ok(contrast(colour, background) >= CONTRAST, `${label}: ${colour} on ${background}`);
    }
    const boxes = drawn.filter(({ box }) => box !== null);
    assert.equal(boxes.length, 8);
    for (const [index, { label, box: one }] of boxes.entries()) {
      for (const { label: other, box: two } of boxes.slice(index + 1)) {
        const overlap = one.x1 < two.x2 && two.x1 < one.x2 && one.y1 < two.y2 && two.y1 < one.y2;
        assert.ok(!overlap, `the labels ${label} and ${other} lie on each other`);
      }
    }
    await visit.close();
  });
}

test("each type has its colour, and a legend says which, also of communities", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const types = [...Object.keys(COLOURS), "hormone"];
  const nodes = types.map((type, index) => ({ id: type, label: `a ${type}`, type, ...at(index * 90, (index % 2) * 90) }));
  await opened(visit, nodes, [{ source: "gene", target: "protein" }, { source: "drug", target: "disease" }]);
  const seen = Object.fromEntries(await inCanvas(page, (cy) => cy.nodes().map((node) => [node.id().slice(2), node.data("colour")])));
  const { hormone, ...known } = seen;
  assert.deepEqual(known, COLOURS);
  assert.ok(!Object.values(COLOURS).includes(hormone));
  const filled = await inCanvas(page, (cy) => cy.nodes().map((node) => [node.style("background-color"), node.data("colour")]));
  for (const [style, colour] of filled) assert.equal(contrast(style, colour), 1, `${style} is not ${colour}`);

  /** Returns the names and colours in a list. */
  const listed = (list) => list.locator("li").evaluateAll((rows) => rows.map((row) => [row.textContent.trim().split(/\d/)[0].replace(/only$/, ""), row.querySelector("circle").getAttribute("fill")]));
  const explore = page.getByRole("region", { name: "Types" });
  assert.deepEqual(Object.fromEntries(await listed(explore)), seen);
  const legend = page.getByRole("list", { name: "Colours of types" });
  assert.equal(await legend.count(), 0, "the panel says it already");
  await page.getByRole("button", { name: "Close the panel" }).click();
  await legend.waitFor();
  assert.deepEqual(Object.fromEntries(await listed(legend)), seen);
  await visit.picture("graph-legend");

  await page.getByRole("button", { name: "Analysis" }).click();
  await page.getByLabel("Colour by community").check();
  await page.getByText("5 communities, modularity").waitFor();
  assert.equal(await legend.count(), 0);
  await page.getByRole("button", { name: "Close the panel" }).click();
  await page.getByText("Colours show 5 communities").waitFor();
  await page.getByRole("button", { name: "Explore" }).click();
  await page.getByText("Colours show 5 communities").waitFor();
  assert.equal(await explore.locator("circle").count(), 0, "types have no colours meanwhile");
  const grouped = await inCanvas(page, (cy) => Object.fromEntries(cy.nodes().map((node) => [node.id().slice(2), node.data("colour")])));
  assert.equal(grouped.gene, grouped.protein);
  assert.notEqual(grouped.gene, grouped.drug);
  await visit.close();
});

test("an edge is edited and deleted by mouse, and edited by Enter", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const edge = await edgeOf(graph, "comorbid_with");
  const middle = await middleOf(page, edge.id);
  await page.mouse.click(middle.x, middle.y);
  const card = page.getByRole("region", { name: "Selection" });
  await card.getByRole("heading", { name: "Type 2 Diabetes → Obesity" }).waitFor();
  await card.getByRole("button", { name: "Edit" }).click();
  const form = page.getByRole("dialog", { name: "Edit edge Type 2 Diabetes → Obesity" });
  await form.getByLabel("Label").fill("occurs_with");
  await form.getByLabel("Data (JSON)").fill('{"studies": 12}');
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  await card.getByText("studies").waitFor();
  const stored = await edgeOf(graph, "occurs_with");
  assert.deepEqual([stored.id, stored.data], [edge.id, { studies: 12 }]);

  // Enter edits the selected edge.
  await page.locator(".canvas").focus();
  await page.keyboard.press("Enter");
  await form.waitFor();
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  const now = await middleOf(page, edge.id);
  await page.mouse.dblclick(now.x, now.y);
  await form.waitFor();
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });

  await card.getByRole("button", { name: "Delete" }).click();
  await counts(page, "8 nodes · 9 edges");
  assert.equal(await edgeOf(graph, "occurs_with"), undefined);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await counts(page, "8 nodes · 10 edges");
  await visit.close();
});

test("the card of what is selected does not cover it", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await example(visit);
  const card = page.getByRole("region", { name: "Selection" });
  for (const [id, label] of [[TP53, "TP53"], [DIABETES, "Type 2 Diabetes"]]) {
    const { x, y } = (await pixels(page))[id];
    await page.mouse.click(x, y);
    await card.getByRole("heading", { name: label, exact: true }).waitFor();
    const box = await card.boundingBox();
    assert.ok(x < box.x || x > box.x + box.width || y < box.y || y > box.y + box.height, `${label} at ${x}, ${y} and the card at ${JSON.stringify(box)}`);
    await page.keyboard.press("Escape");
  }
  await visit.close();
});

test("a node is deleted by mouse, and comes back with its edges", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const { x, y } = (await pixels(page))[DIABETES];
  await page.mouse.click(x, y);
  const card = page.getByRole("region", { name: "Selection" });
  await card.getByRole("heading", { name: "Type 2 Diabetes", exact: true }).waitFor();
  await card.getByRole("button", { name: "Delete" }).click();
  await counts(page, "7 nodes · 5 edges");
  await card.waitFor({ state: "detached" });
  assert.equal((await graph.state()).nodes.length, 7);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await counts(page, "8 nodes · 10 edges");
  assert.ok((await nodeLabels(page)).includes("Type 2 Diabetes"));
  await visit.close();
});

test("a node that was pinned by a drag is unpinned, and one that is hidden is shown again", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const from = (await pixels(page))[INS];
  await drag(page, from, { x: from.x + 40, y: from.y + 60 });
  await until(async () => (await graph.node(INS)).pinned === true);
  await until(() => inCanvas(page, (cy, key) => cy.getElementById(key).hasClass("pinned"), `n:${INS}`));
  const to = (await pixels(page))[INS];
  await page.mouse.click(to.x, to.y);
  const card = page.getByRole("region", { name: "Selection" });
  await card.getByText("pinned").waitFor();
  await card.getByRole("button", { name: "Unpin" }).click();
  await until(async () => (await graph.node(INS)).pinned !== true);
  await until(async () => !(await inCanvas(page, (cy, key) => cy.getElementById(key).hasClass("pinned"), `n:${INS}`)));
  assert.equal(await card.getByRole("button", { name: "Unpin" }).count(), 0);

  const version = (await graph.call("GET", "")).data.version;
  await card.getByRole("button", { name: "Hide" }).click();
  await page.getByText("1 node hidden").waitFor();
  const shows = (nodes, edges) => until(() => inCanvas(page, (cy, wanted) => cy.nodes(":visible").length === wanted.nodes && cy.edges(":visible").length === wanted.edges, { nodes, edges }));
  await shows(7, 8);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await shows(8, 10);
  assert.equal((await graph.call("GET", "")).data.version, version, "hiding is no change of the graph");
  await visit.close();
});

test("fewer crossings moves nodes until no edge crosses another, as one step", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const nodes = [["a", 0, 0], ["b", 200, 0], ["c", 0, 200], ["d", 200, 200]].map(([id, x, y]) => ({ id, label: id, ...at(x, y) }));
  const graph = await opened(visit, nodes, [{ source: "a", target: "d" }, { source: "b", target: "c" }, { source: "a", target: "c" }]);
  const crossings = async () => (await graph.call("POST", "/layout", { algorithm: "optimize", preview: true })).data.crossingsBefore;
  assert.equal(await crossings(), 1);
  await page.getByRole("button", { name: "Layout" }).click();
  await page.getByRole("button", { name: /^Fewer crossings/ }).click();
  await until(async () => (await graph.words())[0].startsWith("Optimized positions"));
  assert.equal(await crossings(), 0);
  const stored = Object.fromEntries((await graph.state()).nodes.map(({ id, position }) => [id, position]));
  await until(async () => {
    const drawn = await inCanvas(page, (cy) => Object.fromEntries(cy.nodes().map((node) => [node.id().slice(2), node.position()])));
    return Object.entries(stored).every(([id, { x, y }]) => Math.hypot(drawn[id].x - x, drawn[id].y - y) < 0.1);
  });
  await page.getByRole("button", { name: /^Undo/ }).click();
  await until(async () => (await crossings()) === 1);
  await visit.close();
});

test("an empty graph offers the example of cancer, too", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(worker);
  await openGraph(page, graph);
  await page.getByRole("button", { name: "Cancer example" }).click();
  await counts(page, "8 nodes · 9 edges");
  const labels = await nodeLabels(page);
  for (const label of ["Hepatocellular Carcinoma", "Sorafenib", "JAK-STAT Pathway"]) assert.ok(labels.includes(label), labels.join());
  assert.ok((await graph.state()).edges.some(({ label }) => label === "subtype_of"));
  await visit.close();
});

test("the history goes back further when somebody asks", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(worker);
  const steps = 230;
  for (let step = 0; step < steps; step += 1) await graph.call("POST", "/nodes", { id: "a", label: `label ${step}`, upsert: true });
  await openGraph(page, graph);
  await page.getByRole("button", { name: "History" }).click();
  const list = page.locator(".steps li");
  await list.first().waitFor();
  assert.equal(await list.count(), 200);
  const older = page.getByRole("button", { name: "Show older steps" });
  await older.click();
  await older.waitFor({ state: "detached" });
  assert.equal(await list.count(), steps);
  // New steps appear above the ones already loaded.
  await graph.call("POST", "/nodes", { label: "new" });
  await page.locator(".steps").getByText("Added node: new").waitFor();
  assert.equal(await list.count(), steps + 1);
  await list.last().getByRole("button").click();
  await page.getByText("Version 1 · Added node: label 0").waitFor();
  await visit.close();
});

/** Returns the boxes of the labels that are drawn, in pixels of the canvas, by label. */
const drawnLabels = (page) => inCanvas(page, (cy) => cy.nodes(":visible").filter((node) => Number.parseFloat(node.style("font-size")) * cy.zoom() >= Number.parseFloat(node.style("min-zoomed-font-size"))).map((node) => {
  const { x1, x2, y1, y2 } = node.renderedBoundingBox({ includeNodes: false, includeOverlays: false, includeEdges: false });
  return { label: node.data("label"), x1, x2, y1, y2, pixels: Number.parseFloat(node.style("font-size")) * cy.zoom() };
}));

/** Makes nodes in rows of twenty, so far apart that they fit only if they are drawn small. */
const rows = (count) => Array.from({ length: count }, (_, index) => ({ id: `n${index}`, label: `node ${index}`, ...at((index % 20) * 140, Math.floor(index / 20) * 160) }));

test("two hundred nodes that fit have labels where there is room, readable and none on another", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const edges = Array.from({ length: 150 }, (_, index) => ({ source: "n110", target: `n${index}`, label: "to" }));
  await opened(visit, rows(200), edges);
  assert.ok(await inCanvas(page, (cy) => cy.zoom() * 12 < 8), "labels are too small to be drawn by themselves");
  await until(async () => (await drawnLabels(page)).length > 60);
  const labels = await drawnLabels(page);
  assert.ok(labels.some(({ label }) => label === "node 110"), "the node with most edges has its label");
  for (const [index, one] of labels.entries()) {
    assert.ok(one.pixels >= 9, `${one.label}: ${one.pixels} px`);
    for (const two of labels.slice(index + 1)) {
      const overlap = one.x1 + 4 < two.x2 && two.x1 + 4 < one.x2 && one.y1 + 4 < two.y2 && two.y1 + 4 < one.y2;
      assert.ok(!overlap, `the labels ${one.label} and ${two.label} lie on each other: ${JSON.stringify([one, two])}`);
    }
  }
  await visit.picture("graph-names");
  // Zoomed in, all of them have their own size again.
  for (let presses = 0; presses < 6; presses += 1) await page.getByRole("button", { name: "Zoom in" }).click();
  await until(() => inCanvas(page, (cy) => cy.nodes(".named").length === 0));
  await visit.close();
});

test("the neighbours of the selected node stand out, and the others step back", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const classes = () => inCanvas(page, (cy) => Object.fromEntries(["near", "aside"].map((name) => [name, cy.nodes(`.${name}`).map((node) => node.data("label")).sort()])));
  assert.deepEqual(await classes(), { near: [], aside: [] });
  const { x, y } = (await pixels(page))[INS];
  await page.mouse.click(x, y);
  await until(async () => (await classes()).near.length > 0);
  assert.deepEqual(await classes(), { near: ["Insulin", "Type 2 Diabetes"], aside: ["LEP", "Leptin", "Obesity", "PPARG", "TP53"] });
  const looks = await inCanvas(page, (cy) => ({ near: cy.nodes(".near").map((node) => node.style("border-color")), aside: cy.elements(".aside").map((one) => Number(one.style("opacity"))), own: Number(cy.nodes(":selected").style("opacity")), edges: cy.edges(".near").length }));
  assert.equal(looks.edges, 2);
  assert.equal(looks.own, 1);
  assert.ok(looks.aside.length > 5 && looks.aside.every((opacity) => opacity < 0.5));
  assert.equal(new Set(looks.near).size, 1);
  // An edge that another client adds makes a neighbour.
  await graph.call("POST", "/edges", { source: INS, target: TP53, label: "near" });
  await until(async () => (await classes()).near.includes("TP53"));
  await page.keyboard.press("Escape");
  await until(async () => (await classes()).aside.length === 0);
  assert.deepEqual(await classes(), { near: [], aside: [] });
  await visit.close();
});

test("a banner that comes while somebody looks covers no node and moves none", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await opened(visit, rows(200));
  const before = await pixels(page);
  await graph.call("POST", "/nodes", { id: "loose", label: "loose" });
  await page.locator(".banner").getByText("1 node without a stored position").waitFor();
  const { loose, ...others } = await pixels(page);
  assert.deepEqual(others, before);
  const canvas = await page.locator(".canvas").boundingBox();
  const banner = await page.locator(".banner").boundingBox();
  assert.ok(banner.y >= canvas.y + canvas.height, JSON.stringify({ banner, canvas, loose }));
  for (const [id, { y }] of Object.entries(others)) assert.ok(y < canvas.y + canvas.height, `${id} is behind the banner`);
  await visit.close();
});

test("banners stand below the canvas, cover no node and move none", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  // Five nodes have no position, so the page places them.
  await opened(visit, [...rows(40), ...Array.from({ length: 5 }, (_, index) => ({ id: `loose${index}`, label: `loose ${index}` }))]);
  const banner = page.locator(".banner");
  await banner.getByText("without a stored position").waitFor();
  const check = async () => {
    const boxes = await page.locator(".banner").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const canvas = await page.locator(".canvas").boundingBox();
    for (const box of boxes) assert.ok(box.top >= canvas.y + canvas.height, `${JSON.stringify(box)} over the canvas ${JSON.stringify(canvas)}`);
    const seen = Object.entries(await pixels(page));
    assert.equal(seen.length, 45);
    for (const [id, { x, y }] of seen) assert.ok(x > canvas.x && x < canvas.x + canvas.width && y > canvas.y && y < canvas.y + canvas.height, `${id} at ${x}, ${y} is outside of ${JSON.stringify(canvas)}`);
    return boxes.length;
  };
  await until(async () => (await check()) === 1);
  const { x, y } = (await pixels(page)).n0;
  await page.mouse.click(x, y);
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Connect" }).click();
  await page.getByText("Choose the node that").waitFor();
  await until(async () => (await check()) === 1);
  await visit.picture("graph-banner");
  await visit.close();
});

for (const far of [{ x: 1e9, y: -1e9 }, { x: 60_000, y: 0 }]) {
  test(`a node at ${far.x}, ${far.y} does not empty the canvas`, async () => {
    const visit = await browser.visit();
    const { page } = visit;
    const graph = await opened(visit, [...rows(30), { id: "far", label: "far", position: far }]);
    const inView = async () => {
      const canvas = await page.locator(".canvas").boundingBox();
      return Object.values(await pixels(page)).filter(({ x, y }) => x > canvas.x && x < canvas.x + canvas.width && y > canvas.y && y < canvas.y + canvas.height).length;
    };
    await until(async () => (await inView()) === 30);
    assert.ok(await inCanvas(page, (cy) => cy.zoom() > 0.15));
    // A node without a position is placed beside the others, not beside the one far away.
    await graph.call("POST", "/nodes", { id: "new", label: "new" });
    await counts(page, "32 nodes · ");
    await page.locator(".canvas").focus();
    await page.keyboard.press("f");
    await until(async () => (await inView()) === 31);
    await visit.close();
  });
}
