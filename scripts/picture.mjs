// Makes the picture of the README, and the icon of the plugin, from the running product: a CSV file
// is loaded, and a question in plain words becomes a statement, a table and a chart.
// Usage: node scripts/picture.mjs
// It needs Chromium, build-test/ and build-console/, which `make picture` builds.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "../tests/browser/browser.mjs";
import { Worker } from "../tests/worker/harness.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const PICTURE = join(ROOT, "docs/console.png");
const ICON = join(ROOT, "plugin/.claude-plugin/icon.png");
const SIZE = { width: 1060, height: 950 };
/** The largest picture, because a README is read over slow lines, too. */
const MOST_BYTES = 150_000;
const ICON_PIXELS = 512;
const QUESTION = "average wind per weather, most first";
const FILE = "node_modules/vega-datasets/data/seattle-weather.csv";

const worker = await Worker.start();
const browser = await Browser.start();
try {
  const loaded = await worker.fetch("/api/codemode/sessions/seattle/tables/days/rows?create=true", { method: "PUT", headers: { "content-type": "text/csv" }, body: readFileSync(join(ROOT, FILE)) });
  if (!loaded.ok) throw new Error(await loaded.text());
  const visit = await browser.visit({ size: SIZE });
  const { page } = visit;
  await page.goto(`${worker.url}/agent/seattle-weather#session=seattle`);
  await page.getByText("1,461 rows").waitFor();
  await page.getByRole("textbox").first().fill(QUESTION);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Approve/ }).click({ timeout: 10_000 }).catch(async (cause) => {
    throw new Error(`nothing can be approved; the page says: ${await page.locator("body").innerText()}`, { cause });
  });
  await page.getByRole("grid").waitFor();
  await page.locator("svg.chart, .chart svg").first().waitFor();
  await page.locator(".statement summary").first().click();
  await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: PICTURE });
  await visit.close();

  const icon = await browser.visit({ size: { width: ICON_PIXELS, height: ICON_PIXELS } });
  const svg = readFileSync(join(ROOT, "console/src/icon.svg"), "utf8").replace("<svg ", `<svg width="${ICON_PIXELS}" height="${ICON_PIXELS}" `);
  await icon.page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  writeFileSync(ICON, await icon.page.screenshot({ omitBackground: true }));
  await icon.close();
} finally {
  await browser.stop();
  await worker.stop();
}
for (const path of [PICTURE, ICON]) {
  const { size } = statSync(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
  console.log(`${path}: ${size} bytes`);
}
