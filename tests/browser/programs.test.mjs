// Tests of the page of a session in a deployment that runs no programs, as `deploy --free` makes
// one, and in one that does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Worker } from "../worker/harness.mjs";
import { Browser, LOOKS } from "./browser.mjs";
import { openSession } from "./home.mjs";

let free, paid, browser;
before(async () => {
  [free, paid] = await Promise.all([Worker.start({ loader: false }), Worker.start()]);
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await Promise.all([free?.stop(), paid?.stop()]);
});

/**
 * Opens the list of runs of a session with a table; resolves once the page knows if programs can
 * run.
 */
async function runs({ page }, worker) {
  const session = worker.session();
  await session.exec("CREATE TABLE films (title TEXT)");
  await openSession(page, worker, session.name);
  const asked = page.waitForResponse((response) => response.url().endsWith("/api/codemode/execute"));
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const { error } = await (await asked).json();
  await page.getByText("No program, load or batch ran in this session yet.").waitFor();
  return { session, error };
}

for (const look of LOOKS) test(`without a loader the page says what is missing and how to get it, ${look.name}`, async () => {
  const visit = await browser.visit(look);
  const { page } = visit;
  const { session, error } = await runs(visit, free);
  assert.equal(error.code, "SANDBOX_UNAVAILABLE");
  const notice = page.getByRole("complementary", { name: "Programs do not run in this deployment" });
  await notice.waitFor();
  const text = await notice.innerText();
  for (const part of ["no Worker Loader", "limits", "Workers Paid plan", "npx codemode-database deploy", "--free", '"worker_loaders": [{ "binding": "LOADER" }]', '"cpu_ms": 30000']) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.deepEqual(await visit.barriers(), []);
  await visit.picture("session-without-programs");
  // The page is not wider than the screen, and the check for programs has left no run behind.
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const { executions } = await (await free.fetch(`/api/codemode/sessions/${session.name}/executions`)).json();
  assert.deepEqual(executions, []);
  await page.getByRole("link", { name: "these helpers" }).click();
  await page.getByText("__invokeDB").first().waitFor();
  await visit.close();
});

test("with a loader it says nothing of that, and asks no more once a program ran", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const { session, error } = await runs(visit, paid);
  assert.equal(error.code, "INVALID_ARGUMENT");
  assert.equal(await page.getByText("Programs do not run").count(), 0);
  const ran = await paid.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: session.name, code: "return 1" }) });
  assert.equal((await ran.json()).result, 1);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/execute") && asked.push(request.url()));
  await page.reload();
  await page.getByText("unless it is used").waitFor();
  await page.getByRole("button", { name: "Runs", exact: true }).click();
  await page.getByText("Program,").waitFor();
  assert.deepEqual(asked, []);
  await visit.close();
});
