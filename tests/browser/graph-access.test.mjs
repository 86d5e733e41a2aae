// Tests of the page of a graph with a token, and of its accessibility: axe in both themes and at
// both sizes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKENS, Worker } from "../worker/harness.mjs";
import { Browser, NARROW, WIDE } from "./browser.mjs";
import { counts, Graph, nodeLabels, openGraph, TP53, until } from "./graph.mjs";

let open, closed, browser;
before(async () => {
  open = await Worker.start();
  closed = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) } });
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await Promise.all([open?.stop(), closed?.stop()]);
});

test("the page asks for a token once, and its events come with it", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  const graph = new Graph(closed, undefined, { authorization: `Bearer ${TOKENS.acme}` });
  await graph.call("POST", "/mock-data", { dataset: "cancer" });
  await page.goto(graph.address);
  const dialog = page.getByRole("dialog", { name: "Access token" });
  await dialog.getByLabel("Token").fill(TOKENS.acme);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  await graph.call("POST", "/nodes", { label: "by another client" });
  await until(async () => (await nodeLabels(page)).includes("by another client"));
  assert.ok(addresses.every((address) => !address.includes(TOKENS.acme)));
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage })), "{}");
  await visit.close();
});

for (const theme of ["light", "dark"]) {
  for (const [name, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    test(`axe finds nothing serious: ${theme}, ${name}`, async () => {
      const visit = await browser.visit({ theme, size });
      const { page } = visit;
      const graph = new Graph(open);
      const clean = async (what) => {
        assert.deepEqual(await visit.barriers(), [], what);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${what} is too wide`);
      };
      const panel = async (text) => {
        const button = page.getByRole("group", { name: "Panels" }).getByRole("button", { name: text });
        if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
      };
      await openGraph(page, graph);
      await page.getByRole("heading", { name: "This graph is empty" }).waitFor();
      await clean("an empty graph");
      await page.getByRole("button", { name: "Diabetes example" }).click();
      await until(async () => (await nodeLabels(page)).length === 8);
      await panel("Explore");
      await page.getByRole("searchbox", { name: "Search nodes" }).fill("gene");
      await page.locator(".results button").first().waitFor();
      await clean("search and filters");
      await page.locator(".results").getByText("TP53").click();
      await page.getByRole("region", { name: "Selection" }).waitFor();
      await clean("a card");
      await panel("Analysis");
      await page.getByLabel("Size by").selectOption("pagerank");
      await page.getByLabel("Colour by community").check();
      await page.getByText("modularity").waitFor();
      await clean("analysis");
      await graph.call("PUT", `/nodes/${encodeURIComponent(TP53)}`, { label: "p53" });
      await panel("History");
      await page.locator(".steps").getByText("Added mock data").click();
      await page.getByText("Version 1 · Added mock data").waitFor();
      await clean("an old version");
      await page.getByRole("button", { name: "Back to now" }).click();
      await page.getByRole("button", { name: "Close the panel" }).click();
      await page.getByRole("button", { name: "List", exact: true }).click();
      await page.getByRole("region", { name: "Nodes" }).waitFor();
      await clean("the list");
      await page.getByRole("button", { name: "Edit: p53" }).click();
      await page.getByRole("dialog", { name: "Edit node" }).waitFor();
      await clean("a form");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Layout", exact: true }).click();
      await clean("a menu");
      await visit.close();
    });
  }
}

test("the canvas follows the theme", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const graph = new Graph(open);
  await graph.call("POST", "/mock-data", { dataset: "cancer" });
  await openGraph(page, graph);
  await counts(page, "8 nodes · 9 edges");
  const colour = () => page.evaluate(() => document.querySelector(".canvas")._cyreg.cy.nodes()[0].style("color"));
  const light = await colour();
  await page.getByRole("button", { name: "Dark theme" }).click();
  await until(async () => (await colour()) !== light);
  await visit.close();
});
