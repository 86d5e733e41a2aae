// Helpers for tests of the page /graph/{conversationId}, and for using the same graph as another
// client.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { until } from "../until.mjs";

/** One graph, over HTTP. */
export class Graph {
  constructor(worker, name = `graph:${randomUUID()}`, headers = {}) {
    this.worker = worker;
    this.name = name;
    this.headers = headers;
    this.path = `/api/graph/${encodeURIComponent(name)}`;
    this.address = `${worker.url}/graph/${encodeURIComponent(name)}`;
  }

  /** Returns the JSON of a request that must succeed. */
  async call(method, path, body) {
    const init = { method, headers: { ...this.headers } };
    if (body !== undefined) {
      init.headers["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    const response = await this.worker.fetch(this.path + path, init);
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async node(id) {
    return (await this.call("GET", `/nodes/${encodeURIComponent(id)}`)).data;
  }

  async state() {
    return (await this.call("GET", "/state?limit=10000")).data;
  }

  /** Returns the descriptions of the steps, newest first. */
  async words() {
    return (await this.call("GET", "/history")).data.map(({ description }) => description);
  }
}

/** Opens the page and waits until it shows the graph and follows its changes. */
export async function openGraph(page, graph) {
  await page.goto(graph.address);
  await page.getByText("Live", { exact: true }).waitFor();
}

/**
 * Waits for a text in the footer of the page, also if a narrow page hides it. A failure reports the
 * text of the page and the focus.
 */
export async function counts(page, text) {
  try {
    await page.getByText(text).waitFor({ state: "attached" });
  } catch (error) {
    const seen = await page.evaluate(() => `${document.activeElement?.outerHTML.slice(0, 200)}\n${document.body.innerText}`);
    throw new Error(`no "${text}" on the page, which has the focus at ${seen}`, { cause: error });
  }
}

/**
 * Runs a function in the page with the Cytoscape instance of its canvas, which Cytoscape stores at
 * the element.
 */
export function inCanvas(page, read, given) {
  return page.evaluate(`(${read})(document.querySelector(".canvas")._cyreg.cy, ${JSON.stringify(given)})`);
}

/** Returns the positions of nodes in pixels of the window, by id. */
export async function pixels(page) {
  const box = await page.locator(".canvas").boundingBox();
  const nodes = await inCanvas(page, (cy) => cy.nodes().map((node) => [node.id().slice(2), node.renderedPosition()]));
  return Object.fromEntries(nodes.map(([id, { x, y }]) => [id, { x: box.x + x, y: box.y + y }]));
}

/** Moves the view like a person until nothing covers a node, and returns its position. */
export async function reach(page, id) {
  const box = await page.locator(".canvas").boundingBox();
  for (let tries = 0; ; tries += 1) {
    const at = (await pixels(page))[id];
    const isFree = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest(".canvas") !== null && document.elementFromPoint(x, y) !== null, at);
    if (isFree) return at;
    assert.ok(tries < 6, `${id} lies behind something, at ${JSON.stringify(at)}`);
    // By its background, from a corner at the left without nodes.
    const from = { x: box.x + 6, y: box.y + 150 };
    await drag(page, from, { x: from.x, y: from.y - Math.sign(at.y - from.y) * 100 });
  }
}

/** Returns zoom and pan. */
export function viewport(page) {
  return inCanvas(page, (cy) => ({ zoom: cy.zoom(), ...cy.pan() }));
}

/** Returns the labels in the canvas, sorted. */
export function nodeLabels(page) {
  return inCanvas(page, (cy) => cy.nodes().map((node) => node.data("label")).sort());
}

/** Returns a list of the requests that change the graph, which grows from now on. */
export function writes(page) {
  const seen = [];
  page.on("request", (request) => {
    if (request.method() !== "GET" && new URL(request.url()).pathname.startsWith("/api/graph/")) {
      seen.push({ method: request.method(), path: new URL(request.url()).pathname.replace(/^\/api\/graph\/[^/]+/, ""), actor: request.headers()["x-codemode-actor"], body: request.postDataJSON() });
    }
  });
  return seen;
}

/** Drags with the left button. */
export async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const share of [0.25, 0.5, 0.75, 1]) await page.mouse.move(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  await page.mouse.up();
}

export { until };

export const TP53 = "NCBIGene:7157";
export const INS = "NCBIGene:3630";
export const DIABETES = "MONDO:0005148";
