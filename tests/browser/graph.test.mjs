// Tests of the page of a graph in Chromium: reading and editing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Worker } from "../worker/harness.mjs";
import { Browser, LOOKS } from "./browser.mjs";
import { counts, DIABETES, drag, Graph, inCanvas, INS, nodeLabels, openGraph, pixels, reach, TP53, until, viewport, writes } from "./graph.mjs";

let worker, browser;
before(async () => {
  worker = await Worker.start();
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await worker?.stop();
});

/** Makes a graph with the example, and opens a page that shows it. */
async function example(visit) {
  const graph = new Graph(worker);
  await graph.call("POST", "/mock-data", { dataset: "diabetes" });
  await openGraph(visit.page, graph);
  await counts(visit.page, "8 nodes · 10 edges");
  return graph;
}

for (const look of LOOKS) test(`a person goes from the example to an edit, a deletion and their undo, ${look.name}`, async () => {
  const visit = await browser.visit(look);
  const { page } = visit;
  const graph = new Graph(worker);
  await openGraph(page, graph);
  await page.getByRole("heading", { name: "This graph is empty" }).waitFor();
  await visit.picture("graph-empty");
  await page.getByRole("button", { name: "Diabetes example" }).click();
  await counts(page, "8 nodes · 10 edges");
  assert.equal(await inCanvas(page, (cy) => cy.nodes().filter((node) => node.data("colour") === "#1f77b4").length), 4);

  await visit.picture("graph-example");
  // A click pins the card, which shows everything as text.
  const at = await reach(page, TP53);
  await page.mouse.click(at.x, at.y);
  const card = page.getByRole("region", { name: "Selection" });
  await card.getByRole("heading", { name: "TP53" }).waitFor();
  assert.ok((await card.innerText()).includes("NCBIGene:7157"));
  await visit.picture("graph-card");

  await card.getByRole("button", { name: "Edit" }).click();
  const form = page.getByRole("dialog", { name: "Edit node" });
  await form.getByLabel("Data (JSON)").fill("{not json");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").getByText("This is not JSON").waitFor();
  await form.getByLabel("Data (JSON)").fill('{"note": "tumour suppressor", "exact": 9007199254740993}');
  await form.getByRole("button", { name: "Save" }).click();
  await card.getByText("tumour suppressor").waitFor();
  await card.getByText("9007199254740993").waitFor();
  assert.equal((await graph.node(TP53)).data.category, undefined);

  // A double click adds a node at the pointer, and then an edge to it.
  const empty = await page.locator(".canvas").boundingBox();
  await page.mouse.dblclick(empty.x + empty.width / 2, empty.y + 40);
  const adding = page.getByRole("dialog", { name: "Add a node" });
  await adding.getByLabel("Label").fill("Metformin");
  await adding.getByLabel("Type").fill("drug");
  await adding.getByRole("button", { name: "Add", exact: true }).click();
  await card.getByRole("heading", { name: "Metformin" }).waitFor();
  await card.getByRole("button", { name: "Connect" }).click();
  const target = await reach(page, DIABETES);
  await page.mouse.click(target.x, target.y);
  const connecting = page.getByRole("dialog", { name: "Connect Metformin to Type 2 Diabetes" });
  await connecting.getByLabel("Label").fill("treats");
  await visit.picture("graph-form");
  await connecting.getByRole("button", { name: "Connect" }).click();
  await connecting.waitFor({ state: "detached" });
  await counts(page, "9 nodes · 11 edges");

  // Without a step in between, two clicks that follow each other faster than a person's would count
  // as a double click.
  await page.mouse.click(empty.x + empty.width / 2 + 120, empty.y + 20);
  const again = await reach(page, DIABETES);
  await page.mouse.click(again.x, again.y);
  await card.getByRole("heading", { name: "Type 2 Diabetes", exact: true }).waitFor();
  await page.keyboard.press("Delete");
  await counts(page, "8 nodes · 5 edges");
  await visit.picture("graph-deleted");
  await page.getByRole("button", { name: "Undo" }).click();
  await counts(page, "9 nodes · 11 edges");
  await page.getByRole("button", { name: "Redo" }).click();
  await counts(page, "8 nodes · 5 edges");
  for (const expected of ["9 nodes · 11 edges", "9 nodes · 10 edges", "8 nodes · 10 edges"]) {
    await page.keyboard.press("ControlOrMeta+z");
    await counts(page, expected);
  }
  await page.keyboard.press("ControlOrMeta+z");
  await until(async () => (await graph.node(TP53)).data.category === "gene");
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("heading", { name: "This graph is empty" }).waitFor();
  const history = (await graph.call("GET", "/history")).data;
  assert.ok(history.every(({ actor }) => actor === "person"));
  await visit.close();
});

test("the keyboard alone is enough", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const press = (...keys) => visit.press(...keys);
  /** Writes into the first field of a form, and sends it. A page takes no keys behind a form. */
  const write = async (title, text) => {
    const form = page.getByRole("dialog", { name: title });
    await form.waitFor();
    await press("End");
    await page.keyboard.insertText(text);
    await press("Enter");
    await form.waitFor({ state: "detached" });
  };
  await visit.tabToElement(".canvas");
  await press("ArrowUp");
  const status = page.locator(".stage [role=status].visually-hidden");
  await until(async () => (await status.textContent()) !== "");
  // Moves to the first gene in the upper row.
  for (let steps = 0; steps < 8; steps += 1) await press("ArrowUp", "ArrowLeft");
  await until(async () => (await status.textContent()).startsWith("TP53, gene"));
  await press("Enter");
  await page.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "TP53" }).waitFor();
  await press("Enter");
  await write("Edit node", " (p53)");
  await until(async () => (await graph.node(TP53)).label === "TP53 (p53)");

  await press("e");
  await page.getByText("Choose the node that").waitFor();
  await press("ArrowRight", "Enter");
  await write("Connect TP53 (p53) to PPARG", "regulates");
  await counts(page, "8 nodes · 11 edges");

  // Keys move a node, and its position is stored once when it rests.
  const seen = writes(page);
  await page.locator(".canvas").focus();
  await press("Enter", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowLeft");
  await until(async () => (await graph.words())[0] === "Moved node: PPARG");
  assert.deepEqual(seen.map(({ method, path, body }) => [method, path, body]), [["PUT", "/nodes/NCBIGene%3A5468", { position: { x: -70, y: -140 }, pinned: true }]]);

  await press("n");
  await write("Add a node", "By keyboard");
  await counts(page, "9 nodes · 11 edges");
  await press("Delete");
  await counts(page, "8 nodes · 11 edges");
  await press("ControlOrMeta+z");
  await counts(page, "9 nodes · 11 edges");
  await press("ControlOrMeta+y");
  await counts(page, "8 nodes · 11 edges");
  await press("/");
  await until(() => page.getByRole("searchbox", { name: "Search nodes" }).evaluate((element) => element === document.activeElement));
  await page.keyboard.insertText("insulin");
  await page.locator(".results").getByText("Insulin", { exact: true }).waitFor();
  await press("Enter");
  await page.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "Insulin" }).waitFor();
  await visit.close();
});

test("a drag is stored once, at its end, and a drag of several nodes is one step", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  const seen = writes(page);
  const at = await pixels(page);
  await drag(page, at[TP53], { x: at[TP53].x - 40, y: at[TP53].y + 90 });
  await until(async () => (await graph.words())[0] === "Moved node: TP53");
  const stored = await graph.node(TP53);
  assert.equal(stored.pinned, true);
  assert.ok(stored.position.x < -150 && stored.position.y > -100, JSON.stringify(stored.position));
  assert.deepEqual(seen.map(({ method, path, actor }) => [method, path, actor]), [["PUT", "/nodes/NCBIGene%3A7157", "person"]]);

  // A box over everything selects all nodes; dragging one of them moves all.
  await page.getByRole("button", { name: "Show the whole graph" }).click();
  const box = await page.locator(".canvas").boundingBox();
  await page.keyboard.down("Shift");
  await drag(page, { x: box.x + 4, y: box.y + 4 }, { x: box.x + box.width - 50, y: box.y + box.height - 4 });
  await page.keyboard.up("Shift");
  await page.getByRole("heading", { name: "8 nodes, 10 edges selected" }).waitFor();
  const before = (await graph.state()).nodes;
  const from = (await pixels(page))[INS];
  await drag(page, from, { x: from.x + 50, y: from.y });
  await until(async () => (await graph.words())[0] === "Moved 8 nodes");
  assert.deepEqual(seen.slice(1).map(({ method, path, body }) => [method, path, body.nodes.length]), [["PUT", "/nodes/bulk-update", 8]]);
  const moves = (await graph.state()).nodes.map(({ position }, index) => position.x - before[index].position.x);
  assert.ok(moves.every((move) => move > 0 && Math.abs(move - moves[0]) < 0.1), JSON.stringify(moves));

  // A click moves nothing, and two clicks on two nodes are no double click.
  const still = (await pixels(page))[DIABETES];
  await page.mouse.click(still.x, still.y);
  await page.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "Type 2 Diabetes" }).waitFor();
  const next = (await pixels(page))[INS];
  await page.mouse.click(next.x, next.y);
  await page.getByRole("region", { name: "Selection" }).getByRole("heading", { name: "INS" }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.equal(seen.length, 2);
  await visit.close();
});

test("what another client changes appears without moving what the reader looks at", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  await page.mouse.move(640, 400);
  await page.mouse.wheel(0, -300);
  const before = { viewport: await viewport(page), pixels: await pixels(page) };
  await graph.call("POST", "/nodes", { label: "GLP1", type: "hormone", id: "glp1" });
  await graph.call("POST", "/edges", { source: "glp1", target: DIABETES, label: "lowers" });
  await counts(page, "9 nodes · 11 edges");
  await page.getByRole("checkbox", { name: "hormone" }).waitFor();
  assert.deepEqual(await viewport(page), before.viewport);
  await until(async () => !(await inCanvas(page, (cy) => cy.nodes().some((node) => node.animated()))));
  const { glp1, ...others } = await pixels(page);
  assert.deepEqual(others, before.pixels);
  // It is beside its neighbour, on no other node, and not stored.
  const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) / before.viewport.zoom;
  assert.ok(distance(glp1, others[DIABETES]) < 200, String(distance(glp1, others[DIABETES])));
  for (const [id, other] of Object.entries(others)) assert.ok(distance(glp1, other) > 30, id);
  assert.deepEqual((await graph.node("glp1")).position, { x: 0, y: 0 });

  await graph.call("PUT", `/nodes/${encodeURIComponent(TP53)}`, { label: "p53" });
  await until(async () => (await nodeLabels(page)).includes("p53"));
  await graph.call("POST", "/undo", {});
  await until(async () => (await nodeLabels(page)).includes("TP53"));
  await graph.call("DELETE", `/nodes/${encodeURIComponent(DIABETES)}`);
  await until(async () => !(await nodeLabels(page)).includes("Type 2 Diabetes"));
  assert.deepEqual(await viewport(page), before.viewport);
  // The text of the step that the other client made.
  await page.getByRole("button", { name: /^Undo/ }).getByText("Removed node: Type 2 Diabetes").waitFor();
  await visit.close();
});

test("labels and data of an attacker stay text", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(worker);
  const attack = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  await graph.call("POST", "/nodes", { id: attack, label: attack, type: attack.slice(0, 100), data: { [attack]: [attack, { a: attack }] } });
  await graph.call("POST", "/nodes", { id: "__proto__", label: "constructor", type: "__proto__", data: { category: "toString" } });
  await graph.call("POST", "/edges", { source: attack, target: "__proto__", label: attack, type: "]{}*" });
  await openGraph(page, graph);
  const title = await page.title();
  await page.getByRole("searchbox", { name: "Search nodes" }).fill("onerror");
  await page.locator(".results button").first().click();
  const card = page.getByRole("region", { name: "Selection" });
  assert.equal(await card.getByRole("heading").first().textContent(), attack);
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByRole("cell", { name: attack, exact: true }).first().waitFor();
  await page.getByRole("button", { name: /^Edges/ }).first().click();
  await page.getByRole("cell", { name: attack, exact: true }).first().waitFor();
  await page.getByRole("button", { name: "History" }).click();
  await page.locator(".steps").getByText(attack).first().waitFor();
  assert.equal(await page.locator("#app img, #app script").count(), 0);
  assert.equal(await page.title(), title);
  await visit.close();
});

test("the time slider shows old versions without changing anything, until one is restored", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = await example(visit);
  await graph.call("DELETE", `/nodes/${encodeURIComponent(INS)}`);
  await graph.call("PUT", `/nodes/${encodeURIComponent(TP53)}`, { label: "p53" });
  await counts(page, "7 nodes · 8 edges");
  await page.getByRole("button", { name: "History" }).click();
  const slider = page.getByRole("slider");
  const seen = writes(page);
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.getByText("Version 1 · Added mock data").waitFor();
  await until(async () => (await nodeLabels(page)).includes("INS"));
  assert.ok((await nodeLabels(page)).includes("TP53"));
  for (const name of ["Add node", "Import", /^Undo/]) assert.ok(await page.getByRole("button", { name }).isDisabled(), String(name));
  // The old version does not show changes that others make meanwhile.
  await graph.call("POST", "/nodes", { label: "later" });
  await counts(page, "8 nodes · 8 edges · version 4");
  assert.ok(!(await nodeLabels(page)).includes("later"));
  assert.deepEqual(seen, []);

  await page.getByRole("button", { name: "Back to now" }).click();
  await until(async () => (await nodeLabels(page)).includes("later"));
  await page.locator(".steps").getByText("Added mock data").click();
  await page.getByRole("button", { name: "Restore this version" }).click();
  await counts(page, "8 nodes · 10 edges · version 5");
  assert.deepEqual((await graph.words())[0], "Restored version 1");
  assert.ok((await nodeLabels(page)).includes("INS"));
  await page.getByRole("button", { name: /^Undo/ }).click();
  await counts(page, "8 nodes · 8 edges · version 6");
  await visit.close();
});
