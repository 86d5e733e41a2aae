// The page of a graph with 5,000 nodes and 10,000 edges in headless Chromium: the time from the
// navigation to the first picture of the whole graph, and from a person's action to the picture
// that shows its effect.
//
//   node bench/graph-page.mjs [--rounds 5]
//
// Needs Chromium (scripts/setup test) and build-bench/ (scripts/build bench). Headless Chromium
// draws in software, so a real one is rather faster.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Browser } from "../tests/browser/browser.mjs";
import { Graph, pixels } from "../tests/browser/graph.mjs";
import { median } from "./report.mjs";

const NODES = 5_000;
const EDGES = 10_000;
/** The nodes in a row of the grid, and the distance between two. */
const ROW = 70;
const STEP = 80;

function largeGraph() {
  const nodes = Array.from({ length: NODES }, (_, number) => ({ id: `n${number}`, label: `Node ${number}`, type: ["gene", "protein", "drug", "cell"][number % 4], position: { x: (number % ROW) * STEP, y: Math.floor(number / ROW) * STEP } }));
  const edges = Array.from({ length: EDGES }, (_, number) => ({ source: `n${number % NODES}`, target: `n${(number < NODES ? number + 1 : number * 7 + 3) % NODES}`, label: number < NODES ? "binds" : "inhibits" }));
  return { nodes, edges };
}

/**
 * Returns the milliseconds from the navigation to the frame after the one in which all nodes are in
 * the canvas.
 */
const firstPicture = (page) => page.evaluate(async (count) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (document.querySelector(".canvas")?._cyreg?.cy.nodes().length !== count) await frame();
  await frame();
  await frame();
  return performance.now();
}, NODES);

/** Returns the milliseconds from the event to the frame after the next picture of the canvas. */
async function untilDrawn(page, event, act) {
  await page.evaluate((name) => {
    globalThis.drawn = new Promise((done) => {
      addEventListener(name, () => {
        const begin = performance.now();
        document.querySelector(".canvas")._cyreg.cy.one("render", () => requestAnimationFrame(() => done(performance.now() - begin)));
      }, { capture: true, once: true });
    });
  }, event);
  await act();
  return page.evaluate(() => globalThis.drawn);
}

async function round(browser, graph) {
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(graph.address);
  const picture = await firstPicture(page);
  await page.getByText("Live", { exact: true }).waitFor();
  const box = await page.locator(".canvas").boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  const zoom = await untilDrawn(page, "wheel", () => page.mouse.wheel(0, -400));
  await page.mouse.move(box.x + 3, box.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 20);
  const pan = await untilDrawn(page, "mousemove", () => page.mouse.move(box.x + 60, box.y + 40));
  await page.mouse.up();
  await page.waitForTimeout(500);
  const inView = Object.values(await pixels(page)).find(({ x, y }) => Math.abs(x - middle.x) < 80 && Math.abs(y - middle.y) < 80);
  const select = await untilDrawn(page, "mouseup", () => page.mouse.click(inView.x, inView.y));
  await page.getByRole("region", { name: "Selection" }).waitFor();
  await visit.close();
  return { picture, zoom, pan, select };
}

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
process.env.CODEMODE_BUILD ??= fileURLToPath(new URL("../build-bench", import.meta.url));
// The harness reads the variable when it is loaded.
const { Worker } = await import("../tests/worker/harness.mjs");
const worker = await Worker.start();
const browser = await Browser.start();
try {
  const graph = new Graph(worker);
  await graph.call("POST", "/import", largeGraph());
  const rounds = [];
  // The first round fills the caches of both.
  for (let number = -1; number < Number(options.rounds); number += 1) {
    const times = await round(browser, graph);
    if (number >= 0) rounds.push(times);
  }
  console.log(`the page of a graph with ${NODES.toLocaleString("en-US")} nodes and ${EDGES.toLocaleString("en-US")} edges, median of ${rounds.length}`);
  for (const [name, words] of [["picture", "from the navigation to the first picture of all"], ["zoom", "from a turn of the wheel to its picture"], ["pan", "from a move of a drag to its picture"], ["select", "from a click on a node to its picture"]]) {
    console.log(`  ${words.padEnd(52)} ${median(rounds.map((times) => times[name])).toFixed(0).padStart(6)} ms`);
  }
} finally {
  await browser.stop();
  await worker.stop();
}
