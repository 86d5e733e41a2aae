// Tests of the MCP App in a frame, as a host shows it: without an origin, without anything to load,
// and with messages as its only way out (SEP-1865). The host here passes tool calls to the
// operations of the same names of a real graph.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "../worker/harness.mjs";
import { Browser } from "./browser.mjs";
import { DIABETES, Graph, until } from "./graph.mjs";

const APP = fileURLToPath(new URL("../../build-console/graph-app.html", import.meta.url));

/** The policy that a host enforces for a resource that declares none, copied from the extension. */
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const HOST = `<!doctype html><html lang="en"><title>Host</title><body style="margin:0"><iframe title="Graph" sandbox="allow-scripts" style="border:0;width:100vw;height:520px"></iframe>
<script>
  const frame = document.querySelector("iframe");
  const seen = (window.seen = []);
  window.notify = (method, params) => frame.contentWindow.postMessage({ jsonrpc: "2.0", method, params }, "*");
  window.ask = (method) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id: "host-1", method, params: {} }, "*");
  addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    seen.push(data);
    if (data.id === undefined || data.method === undefined) return;
    const respond = (answer) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id: data.id, ...answer }, "*");
    if (data.method === "ui/initialize") respond({ result: await window.initialized() });
    else if (data.method === "tools/call") respond({ result: await window.callTool(data.params) });
    else respond({ error: { code: -32601, message: "no such method" } });
  });
  frame.src = "/app";
</script></body></html>`;

let worker, browser, host;
before(async () => {
  worker = await Worker.start();
  browser = await Browser.start();
  const app = await readFile(APP);
  host = createServer((request, response) => {
    const isApp = request.url === "/app";
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...(isApp ? { "content-security-policy": POLICY } : {}) });
    response.end(isApp ? app : HOST);
  });
  await new Promise((done) => host.listen(0, "127.0.0.1", done));
});
after(async () => {
  host?.close();
  host?.closeAllConnections();
  await browser?.stop();
  await worker?.stop();
});

/** Opens a host that shows a graph. */
async function show({ graph, context = {}, capabilities = { serverTools: {} }, theme = "light" }) {
  const visit = await browser.visit({ theme });
  const { page } = visit;
  const calls = [];
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.exposeFunction("initialized", () => ({ protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" }, hostCapabilities: capabilities, hostContext: context }));
  await page.exposeFunction("callTool", async ({ name, arguments: fields }) => {
    calls.push(name);
    const response = await worker.fetch(graph.path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ operation: name, ...fields }) });
    const body = await response.json();
    return { content: [{ type: "text", text: body.success ? `${name} done` : body.error.message }], structuredContent: body, isError: !body.success };
  });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  return { visit, page, frame: page.frameLocator("iframe"), calls, requests };
}

test("the app shows the graph, follows results, undoes, searches and filters, and loads nothing", async () => {
  const graph = new Graph(worker);
  await graph.call("POST", "/mock-data", { dataset: "diabetes" });
  const { visit, page, frame, calls, requests } = await show({ graph, context: { theme: "dark", containerDimensions: { maxHeight: 400 } } });
  await frame.getByText("8 nodes · 10 edges · version 1").waitFor();
  // The app takes the theme and the height of the host.
  const inApp = page.frames()[1];
  assert.equal(await inApp.evaluate(() => document.documentElement.dataset.theme), "dark");
  const sent = await page.evaluate(() => window.seen);
  assert.deepEqual(sent.slice(0, 2).map(({ method }) => method), ["ui/initialize", "ui/notifications/initialized"]);
  assert.equal(sent[0].params.protocolVersion, "2026-01-26");
  assert.equal(sent.find(({ method }) => method === "ui/notifications/size-changed").params.height, 400);

  // A model removes a node; the host passes the result on.
  await graph.call("DELETE", `/nodes/${encodeURIComponent(DIABETES)}`);
  await page.evaluate(() => window.notify("ui/notifications/tool-result", { content: [{ type: "text", text: "Removed node" }], structuredContent: { version: 2 } }));
  await frame.getByText("7 nodes · 5 edges · version 2").waitFor();
  await frame.getByRole("button", { name: "Undo the last step" }).click();
  await frame.getByText("8 nodes · 10 edges · version 3").waitFor();
  await frame.getByRole("button", { name: "Redo" }).click();
  await frame.getByText("7 nodes · 5 edges · version 4").waitFor();

  await frame.getByRole("searchbox").fill("lep");
  await frame.getByText("2 nodes found").waitFor();
  await frame.getByRole("searchbox").fill("");
  await frame.getByRole("button", { name: "Types and labels" }).click();
  await frame.getByRole("checkbox", { name: "gene 4" }).uncheck();
  await until(() => inApp.evaluate(() => document.querySelector(".canvas")._cyreg.cy.nodes(":visible").length === 3));

  await page.evaluate(() => window.ask("ping"));
  await until(() => page.evaluate(() => window.seen.some(({ id, result }) => id === "host-1" && result !== undefined)));
  assert.ok(calls.includes("undo") && calls.includes("redo"));
  assert.deepEqual(requests.map((url) => new URL(url).pathname), ["/", "/app"]);
  await visit.close();
});

test("without tools of the host, the app shows what results hold, as text", async () => {
  const graph = new Graph(worker);
  const { visit, page, frame, calls } = await show({ graph, capabilities: {} });
  await until(() => page.evaluate(() => window.seen.some(({ method }) => method === "ui/notifications/initialized")));
  const attack = "<img src=x onerror=parent.postMessage(1,'*')>";
  const node = (id, label) => ({ id, label, type: "gene", data: { note: attack }, position: { x: 0, y: 0 } });
  const state = { data: { nodes: [node("a", attack), node("b", "B")], edges: [{ id: "e", source: "a", target: "b", label: attack, type: "", data: {} }], metadata: { nodeCount: 5, edgeCount: 1, version: 7, canUndo: true, canRedo: false } }, nextCursor: "more" };
  await page.evaluate((structuredContent) => window.notify("ui/notifications/tool-result", { content: [], structuredContent }), state);
  await frame.getByText("2 nodes · 1 edge of 5 and 1").waitFor();
  const inApp = page.frames()[1];
  const positions = await inApp.evaluate(() => document.querySelector(".canvas")._cyreg.cy.nodes().map((one) => one.position()));
  assert.ok(Math.hypot(positions[0].x - positions[1].x, positions[0].y - positions[1].y) > 30, JSON.stringify(positions));
  await inApp.evaluate(() => void document.querySelector(".canvas")._cyreg.cy.getElementById("n:a").select());
  await frame.getByRole("region", { name: "Details" }).getByRole("heading", { name: attack }).waitFor();
  assert.equal(await inApp.evaluate(() => document.querySelectorAll("img").length), 0);
  assert.ok(await frame.getByRole("button", { name: "Undo the last step" }).isDisabled());
  assert.deepEqual(calls, []);
  await visit.close();
});

test("a failure of a tool is shown, and messages of others are ignored", async () => {
  const graph = new Graph(worker);
  const { visit, page, frame } = await show({ graph });
  await frame.getByText("The graph is empty.").waitFor();
  await page.evaluate(() => window.notify("ui/notifications/tool-result", { isError: true, content: [{ type: "text", text: "Error: Node 'XYZ' not found in the graph." }] }));
  await frame.getByText("Error: Node 'XYZ' not found in the graph.").waitFor();
  const inApp = page.frames()[1];
  await inApp.evaluate(() => window.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { isError: true, content: [{ type: "text", text: "forged" }] } }, "*"));
  await page.evaluate(() => window.notify("ui/notifications/tool-result", { isError: true, content: [{ type: "text", text: "from the host" }] }));
  await frame.getByText("from the host").waitFor();
  assert.equal(await frame.getByText("forged").count(), 0);
  await visit.close();
});
