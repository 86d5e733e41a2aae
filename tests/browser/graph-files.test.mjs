// Tests of files, analysis, filters and links on the page of a graph.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Worker } from "../worker/harness.mjs";
import { Browser } from "./browser.mjs";
import { counts, DIABETES, Graph, inCanvas, INS, nodeLabels, openGraph, pixels, TP53, until, viewport } from "./graph.mjs";
import { downloaded, dropOn } from "./home.mjs";

let worker, browser;
before(async () => {
  worker = await Worker.start();
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await worker?.stop();
});

async function example(visit) {
  const graph = new Graph(worker);
  await graph.call("POST", "/mock-data", { dataset: "diabetes" });
  await openGraph(visit.page, graph);
  await counts(visit.page, "8 nodes · 10 edges");
  return graph;
}

/** A PNG begins with these bytes (RFC 2083), then the size of the picture. */
const PNG = "89504e470d0a1a0a";

test("the graph is exported as a picture, JSON and GraphML, and what was exported is imported", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await example(visit);
  const chosen = async (name) => {
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("button", { name }).click();
  };
  const [picture] = await Promise.all([page.waitForEvent("download"), chosen(/^Picture/)]);
  assert.ok(picture.suggestedFilename().endsWith(".png"));
  const pieces = [];
  for await (const piece of await picture.createReadStream()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  assert.equal(bytes.subarray(0, 8).toString("hex"), PNG);
  assert.ok(bytes.readUInt32BE(16) > 400 && bytes.readUInt32BE(20) > 200, `${bytes.readUInt32BE(16)} x ${bytes.readUInt32BE(20)}`);

  const json = await downloaded(page, () => chosen(/^JSON/));
  const content = JSON.parse(json.text);
  assert.deepEqual([content.nodes.length, content.edges.length], [8, 10]);
  const graphml = await downloaded(page, () => chosen(/^GraphML/));
  assert.ok(graphml.name.endsWith(".graphml"));
  assert.deepEqual([graphml.text.match(/<node /g).length, graphml.text.match(/<edge /g).length], [8, 10]);

  for (const file of [json, graphml]) {
    const copy = new Graph(worker);
    await openGraph(page, copy);
    await dropOn(page, ".graph-page", { name: file.name, content: file.text });
    const dialog = page.getByRole("dialog", { name: "Import a file" });
    // The field shows the dropped file, instead of the text that none was chosen.
    await until(() => dialog.locator("input[type=file]").evaluate((input, name) => input.files.length === 1 && input.files[0].name === name, file.name));
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("Added 8 nodes and 10 edges.").waitFor();
    await counts(page, "8 nodes · 10 edges · version 1");
    assert.equal((await copy.node(TP53)).label, "TP53");
  }
  await visit.close();
});

test("an import that is refused lists what is wrong and changes nothing", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(worker);
  await openGraph(page, graph);
  const content = { nodes: [{ id: "a", label: "A" }, { id: "b" }, { id: "c", label: 3 }], edges: [{ source: "a", target: "a" }] };
  await dropOn(page, ".graph-page", { name: "wrong.json", content: JSON.stringify(content) });
  const dialog = page.getByRole("dialog", { name: "Import a file" });
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByRole("alert").waitFor();
  const listed = await dialog.locator(".issues").innerText();
  assert.ok(listed.includes("nodes[1]") && listed.includes("nodes[2]"), listed);
  assert.equal((await graph.state()).metadata.version, 0);
  await visit.close();
});

test("sizes show centrality, colours show communities, and a path between two nodes stands out", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  await page.getByRole("button", { name: "Analysis" }).click();
  await page.getByLabel("Size by").selectOption("degree");
  const size = (id) => inCanvas(page, (cy, key) => cy.getElementById(key).width(), `n:${id}`);
  await until(async () => (await size(DIABETES)) > (await size(TP53)));
  await page.getByRole("button", { name: "Type 2 Diabetes" }).waitFor();

  const { count } = (await graph.call("GET", "/communities")).data;
  await page.getByLabel("Colour by community").check();
  await page.getByText("modularity").waitFor();
  const colours = await inCanvas(page, (cy) => [...new Set(cy.nodes().map((node) => node.data("colour")))]);
  assert.equal(colours.length, count);

  await page.getByRole("button", { name: "Compute" }).click();
  await page.getByText("transitivity").waitFor();

  const at = await pixels(page);
  await page.mouse.click(at[TP53].x, at[TP53].y);
  await page.keyboard.down("Shift");
  await page.mouse.click(at[INS].x, at[INS].y);
  await page.keyboard.up("Shift");
  await page.getByRole("button", { name: "From TP53 to INS" }).click();
  await page.getByRole("button", { name: "Clear the path" }).waitFor();
  assert.deepEqual(await inCanvas(page, (cy) => [cy.nodes(".path").map((node) => node.data("label")).sort(), cy.edges(".path").length, cy.elements(".faded").length]), [["INS", "TP53", "Type 2 Diabetes"], 2, 13]);
  await page.getByRole("button", { name: "Clear the path" }).click();
  assert.equal(await inCanvas(page, (cy) => cy.elements(".path, .faded").length), 0);

  // A change makes the figures outdated, and the page shows their version.
  await graph.call("POST", "/nodes", { label: "X" });
  await page.getByText("As of version 1.").first().waitFor();
  await visit.close();
});

test("types and labels are hidden and shown", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await example(visit);
  const shown = () => inCanvas(page, (cy) => [cy.nodes(":visible").length, cy.edges(":visible").length]);
  await page.getByRole("checkbox", { name: "gene 4" }).uncheck();
  await until(async () => String(await shown()) === "4,3");
  await page.getByRole("checkbox", { name: "involved_in 2" }).uncheck();
  await until(async () => String(await shown()) === "4,1");
  await page.getByRole("button", { name: "Show all: Types" }).click();
  await until(async () => String(await shown()) === "8,8");
  await page.getByRole("button", { name: "Show only protein" }).click();
  await until(async () => String(await shown()) === "2,0");
  await visit.close();
});

test("a layout moves nodes as one step, and leaves the pinned ones", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  await graph.call("PUT", `/nodes/${encodeURIComponent(TP53)}`, { position: { x: -500, y: -300 }, pinned: true });
  for (const [name, words] of Object.entries({ Force: "Applied force layout", Hierarchical: "Applied hierarchical layout", Circular: "Applied circular layout", Grid: "Applied grid layout" })) {
    await page.getByRole("button", { name: "Layout", exact: true }).click();
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    await until(async () => (await graph.words())[0] === words);
  }
  const { nodes } = await graph.state();
  assert.deepEqual(nodes.find(({ id }) => id === TP53).position, { x: -500, y: -300 });
  // Waits until the canvas has the stored positions.
  const close = async () => {
    const seen = await inCanvas(page, (cy) => Object.fromEntries(cy.nodes().map((node) => [node.id().slice(2), node.position()])));
    return nodes.every(({ id, position }) => Math.hypot(seen[id].x - position.x, seen[id].y - position.y) < 0.1);
  };
  await until(close);
  await visit.close();
});

test("a link leads to the node or the version that it was made of", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const at = (await pixels(page))[TP53];
  await page.mouse.click(at.x, at.y);
  await page.getByRole("region", { name: "Selection" }).waitFor();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("The link to what you see is copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${graph.address}#`) && link.includes(encodeURIComponent(TP53)), link);
  const other = await visit.context.newPage();
  await other.goto(link);
  await other.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "TP53" }).waitFor();

  await graph.call("DELETE", `/nodes/${encodeURIComponent(INS)}`);
  await other.goto("about:blank");
  await other.goto(`${graph.address}#version=1`);
  await other.getByText("Version 1 · Added mock data").waitFor();
  await until(async () => (await nodeLabels(other)).includes("INS"));
  await visit.close();
});

test("5,000 nodes and 10,000 edges can be searched, moved through, listed and edited", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(worker);
  const nodes = Array.from({ length: 5_000 }, (_, number) => ({ id: `n${number}`, label: `Node ${number}`, type: ["gene", "protein", "drug", "cell"][number % 4], position: { x: (number % 70) * 80, y: Math.floor(number / 70) * 80 } }));
  const edges = Array.from({ length: 10_000 }, (_, number) => ({ source: `n${number % 5_000}`, target: `n${(number < 5_000 ? number + 1 : number * 7 + 3) % 5_000}`, label: number < 5_000 ? "binds" : "inhibits" }));
  await graph.call("POST", "/nodes/bulk", { nodes });
  await graph.call("POST", "/edges/bulk", { edges });
  const state = (await graph.call("GET", "")).data;
  await openGraph(page, graph);
  await counts(page, `5,000 nodes · ${state.edgeCount.toLocaleString("en")} edges`);
  assert.deepEqual(await inCanvas(page, (cy) => [cy.nodes().length, cy.edges().length]), [5_000, state.edgeCount]);

  const before = await viewport(page);
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, -600);
  await until(async () => (await viewport(page)).zoom > before.zoom);
  await page.getByRole("searchbox", { name: "Search nodes" }).fill("4321");
  await page.locator(".results").getByText("Node 4321").click();
  await page.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "Node 4321" }).waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByText("Page 1 of 50").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 100);
  await page.getByRole("searchbox", { name: "Filter the list" }).fill("Node 4999");
  await page.getByRole("button", { name: "Edit: Node 4999" }).click();
  const form = page.getByRole("dialog", { name: "Edit node" });
  await form.getByLabel("Label").fill("The last one");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  assert.equal((await graph.node("n4999")).label, "The last one");
  await until(async () => (await inCanvas(page, (cy) => cy.getElementById("n:n4999").data("label"))) === "The last one");
  await page.getByRole("button", { name: /^Undo/ }).click();
  await until(async () => (await graph.node("n4999")).label === "Node 4999");
  await visit.close();
});
