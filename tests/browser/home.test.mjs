// Tests of the page / in Chromium: working with a session.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Worker } from "../worker/harness.mjs";
import { until } from "../until.mjs";
import { Browser, LOOKS } from "./browser.mjs";
import { cells, downloaded, drop, editor, openSession, runSql } from "./home.mjs";

const FILMS = "title,year,score\nAlien,1979,8.5\nHeat,1995,8.3\n\"Up, up\",2009,8.3\n";

let worker, browser;
before(async () => {
  worker = await Worker.start();
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await worker?.stop();
});

/** Makes a session with the films, and opens a page that shows it. */
async function films(visit) {
  const session = worker.session();
  const loaded = await session.load("films", FILMS, { type: "text/csv", query: "?create=true" });
  assert.equal(loaded.status, 200);
  await openSession(visit.page, worker, session.name);
  return session;
}

for (const look of LOOKS) test(`a person's session goes from a dropped CSV to a chart and is deleted at the end, ${look.name}`, async () => {
  const visit = await browser.visit(look);
  const { page } = visit;
  const name = `person-${randomUUID()}`;
  await page.goto(worker.url);
  await page.getByRole("textbox", { name: "Session name" }).fill(name);
  await page.getByRole("button", { name: "Open", exact: true }).first().click();
  await page.getByText("No tables yet").waitFor();

  await drop(page, { name: "Films 2026.csv", content: FILMS });
  const dialog = page.getByRole("dialog", { name: "Import" });
  assert.equal(await dialog.getByLabel("Table").inputValue(), "Films_2026");
  await visit.picture("home-import");
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("Loaded 3 rows into Films_2026.").waitFor();
  await page.getByRole("grid").waitFor();
  assert.deepEqual(await cells(page, 3), ["Up, up", "2009", "8.3"]);
  await visit.picture("home-table");

  await runSql(page, "SELECT title, score FROM Films_2026 ORDER BY score DESC, title");
  await page.getByRole("gridcell", { name: "Alien" }).or(page.locator("td", { hasText: "Alien" })).first().waitFor();
  await page.getByRole("button", { name: "Chart" }).click();
  const chart = page.getByRole("img", { name: "score by title" });
  await chart.waitFor();
  assert.equal(await chart.locator("rect").count(), 3);
  assert.deepEqual(await chart.locator("rect title").allTextContents(), ["Alien: 8.5", "Heat: 8.3", "Up, up: 8.3"]);
  assert.deepEqual(await chart.locator(".axis").allTextContents(), ["title", "score"]);
  await visit.picture("home-chart");
  await page.getByLabel("Kind of chart").selectOption("line");
  await chart.locator("path.line").waitFor();

  await page.getByRole("link", { name: "Code Mode Database" }).click();
  await page.getByRole("link", { name }).waitFor();
  await visit.picture("home-list");
  await page.getByRole("button", { name: `Delete the session ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText(`Deleted the session ${name}.`).waitFor();
  assert.equal(await page.getByRole("link", { name }).count(), 0);
  const { body } = await worker.session(name).call("getTables");
  assert.deepEqual(body.tables, []);
  await visit.close();
});

test("an error shows code, message, hint and place, and its suggestion is applied by one click", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await films(visit);
  await runSql(page, "-- titel is misspelt\nSELECT 'titel', titel FROM films;\nSELECT 2");
  // The cursor is in the last statement, and only that statement runs.
  await page.getByText("1 row").waitFor();
  await runSql(page, "-- titel is misspelt\nSELECT 'titel', titel FROM films");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  const text = await alert.innerText();
  for (const part of ["NO_SUCH_COLUMN", "no such column: titel", "did you mean title?"]) assert.ok(text.includes(part), text);
  assert.deepEqual(await page.locator(".cm-failure").allTextContents(), ["titel"]);
  await alert.getByRole("button", { name: "Use title" }).click();
  assert.equal(await editor(page).innerText(), "-- titel is misspelt\nSELECT 'titel', title FROM films");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("3 rows").waitFor();
  assert.deepEqual(await cells(page, 1), ["titel", "Alien"]);

  await runSql(page, "SELECT title\nFROM films WHERE ORDER BY title");
  await alert.getByText("Line 2, column 18").waitFor();
  assert.deepEqual(await page.locator(".cm-failure").allTextContents(), ["ORDER"]);
  await visit.close();
});

test("the keyboard alone is enough", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = await films(visit);
  await page.goto(worker.url);
  await page.getByRole("link", { name: session.name }).waitFor();
  await visit.tabTo(session.name);
  await visit.press("Enter");
  await page.getByText("unless it is used").waitFor();

  await visit.tabTo("SQL editor");
  /** Takes the option, once the list is no longer dimmed while it is looked up again. */
  const accept = async (option) => {
    await page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) li[aria-selected]", { hasText: option }).waitFor();
    await visit.press("Enter");
  };
  await page.keyboard.type("SELECT title, sco");
  // Completion of columns needs the table, so it works after FROM is written.
  await page.keyboard.type("re FROM fil");
  await accept("films");
  await page.keyboard.type(" WHERE ye");
  await accept("year");
  await page.keyboard.type(" > 1980");
  await visit.press("Escape", "Control+Enter");
  await page.getByText("2 rows").waitFor();
  assert.equal(await editor(page).innerText(), "SELECT title, score FROM films WHERE year > 1980");

  await visit.tabTo("Rows of the result");
  await visit.press("ArrowDown", "ArrowRight", "ArrowLeft", "Enter");
  const value = page.getByRole("dialog", { name: "title, row 2" });
  assert.equal(await value.locator("pre").innerText(), "Up, up");
  const focus = await page.evaluateHandle(() => {
    const found = {};
    new MutationObserver((changes) => {
      if (changes.some(({ removedNodes }) => [...removedNodes].some(({ nodeName }) => nodeName === "DIALOG"))) found.label = document.activeElement.getAttribute("aria-label");
    }).observe(document.body, { childList: true, subtree: true });
    return found;
  });
  await visit.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The dialog returns the focus to the rows.
  await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Rows of the result"));
  // The page copies without waiting, and reports only a failure. As a person would, the test
  // presses again until the text is copied.
  await until(async () => {
    await visit.press("Control+c");
    return (await page.evaluate(() => navigator.clipboard.readText())) === "Up, up";
  });

  await page.locator("body").focus();
  // The rows had the focus at the moment when the dialog closed. Some frames later, the next key
  // would have been lost.
  assert.equal(await focus.evaluate(({ label }) => label), "Rows of the result");
  await visit.tabTo("Actions of films");
  await visit.press("Enter", "ArrowUp", "Enter");
  await page.getByRole("dialog", { name: "Drop table" }).waitFor();
  await visit.tabTo("Drop");
  await visit.press("Enter");
  await page.getByText("Dropped films.").waitFor();
  assert.deepEqual((await session.ok("getTables")).tables, []);
  await visit.close();
});

test("what rows and errors hold stays text", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = await films(visit);
  const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  await session.exec(`CREATE TABLE "<b>t</b>" ("<i>c</i>" TEXT)`);
  await session.exec(`INSERT INTO "<b>t</b>" VALUES (?)`, [hostile]);
  await page.getByRole("button", { name: "Reload the tables" }).click();
  await page.getByRole("button", { name: "<b>t</b>", exact: true }).click();
  await page.getByRole("grid").waitFor();
  assert.deepEqual(await cells(page, 1), [hostile]);
  await page.locator("td").first().dblclick();
  assert.equal(await page.getByRole("dialog").locator("pre").innerText(), hostile);
  await page.keyboard.press("Escape");
  await runSql(page, `SELECT "<i>c</i>" AS name, 1 AS "<u>n</u>" FROM "<b>t</b>"`);
  await page.getByRole("button", { name: "Chart" }).click();
  await page.getByRole("img", { name: "<u>n</u> by name" }).waitFor();
  await runSql(page, `SELECT '<img src=x>' FROM "<img src=x>"`);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.locator("#app img, #app script, #app b, #app i").count(), 0);
  assert.notEqual(await page.title(), "owned");
  await visit.close();
});

test("values are exact: integers of 64 bits, infinities, blobs, nulls", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await films(visit);
  await runSql(page, `SELECT 9223372036854775807, -9007199254740993, 9007199254740991, 1e999, -1e999, x'00ff', NULL, '1234567890123456789', 0.1, '{"n":12345678901234567890}'`);
  await page.getByRole("grid").waitFor();
  assert.deepEqual(await cells(page, 1), ["9223372036854775807", "-9007199254740993", "9007199254740991", "∞", "−∞", "x'00ff' 2 B", "NULL", "1234567890123456789", "0.1", '{"n":12345678901234567890}']);
  await visit.close();
});

test("10,000 rows scroll to the last one, and only those in view exist", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  await films(visit);
  await runSql(page, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000) SELECT i, i * i AS square FROM n");
  await page.getByText("The first 10,000 rows; there are more").waitFor();
  assert.ok((await page.locator("tbody tr").count()) < 100);
  await page.getByRole("grid").focus();
  await page.keyboard.press("Control+End");
  await page.locator('[aria-rowindex="10001"]').waitFor();
  assert.deepEqual(await cells(page, 10_000), ["10000", "100000000"]);
  assert.ok((await page.locator("tbody tr").count()) < 100);
  const all = await downloaded(page, async () => {
    await page.getByRole("button", { name: "Export the result" }).click();
    await page.getByRole("menuitem", { name: "CSV, all rows" }).click();
  });
  assert.equal(all.text.trimEnd().split("\n").length, 12_001);
  await visit.close();
});

test("files load whole or not at all, also packed ones and more than one", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = await films(visit);
  const dialog = page.getByRole("dialog", { name: "Import" });
  await drop(page, { name: "bad.csv", content: "a,b\n1,2\n3\n" });
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("INVALID_BODY").waitFor();
  assert.ok((await dialog.innerText()).includes("Nothing was loaded."));
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await drop(page, { name: "packed.ndjson.gz", content: gzipSync('{"n":9007199254740993}\n{"n":2}\n') }, { name: "films.csv", content: "title,year,score\nRan,1985,8.2\n" });
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("Loaded 2 rows into packed.").waitFor();
  assert.ok((await dialog.innerText()).includes("The rows are added to the table, which exists."));
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("Loaded 1 row into films.").waitFor();

  await drop(page, { name: "picture.png", content: "no rows" });
  await page.getByText("picture.png does not have the extension of a CSV, NDJSON or JSON file").waitFor();
  assert.ok((await session.text("query", { sql: "SELECT n FROM packed" })).includes("9007199254740993"));
  const { tables } = await session.ok("getTables");
  assert.deepEqual(tables, ["films", "packed"]);
  await visit.close();
});

test("tables, results and sessions are exported as they are stored", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = await films(visit);
  await session.exec("CREATE TABLE large (n INTEGER, r REAL)");
  await session.exec("INSERT INTO large VALUES (9223372036854775807, 1.0)");
  await page.getByRole("button", { name: "Reload the tables" }).click();
  const exported = (menu, item) =>
    downloaded(page, async () => {
      await page.getByRole("button", { name: menu }).click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    });
  await page.getByRole("button", { name: "Actions of large" }).waitFor();
  assert.deepEqual(await exported("Actions of films", "Export as CSV"), { name: "films.csv", text: FILMS.replaceAll("\n", "\r\n") });
  assert.deepEqual(await exported("Actions of large", "Export as NDJSON"), { name: "large.ndjson", text: '{"n":9223372036854775807,"r":1.0}\n' });

  await runSql(page, "SELECT n, r, NULL AS z FROM large UNION ALL SELECT 2, 0.5, NULL");
  await page.getByText("2 rows").waitFor();
  assert.deepEqual(await exported("Export the result", "JSON"), { name: "query.json", text: '[\n{"n":9223372036854775807,"r":1.0,"z":null},\n{"n":2,"r":0.5,"z":null}\n]\n' });
  assert.deepEqual(await exported("Export the result", "CSV"), { name: "query.csv", text: "n,r,z\r\n9223372036854775807,1.0,\r\n2,0.5,\r\n" });

  const dump = await downloaded(page, () => page.getByRole("button", { name: "Dump" }).click());
  assert.equal(dump.name, `${session.name}.sql`);
  assert.ok(dump.text.startsWith("PRAGMA foreign_keys=OFF;") && dump.text.trimEnd().endsWith("COMMIT;"));
  await visit.close();
});

/** Runs a program in a session. */
async function runProgram(session, code) {
  const response = await worker.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: session.name, code }) });
  assert.equal(response.status, 200);
}

test("the runs of a session are listed with their outcome", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = await films(visit);
  for (const code of ["return 1", "return await helpers.db.query('SELECT titel FROM films')"]) await runProgram(session, code);
  await page.getByRole("button", { name: "Runs" }).click();
  await page.getByRole("cell", { name: "NO_SUCH_COLUMN" }).waitFor();
  const rows = await page.locator("table.list tbody tr").allInnerTexts();
  assert.equal(rows.length, 3);
  assert.match(rows[0], /NO_SUCH_COLUMN\s+Program, .* 1 call/);
  assert.match(rows[1], /OK\s+Program, .* 0 calls/);
  assert.match(rows[2], /loaded 3 rows into films/);
  // Only a program can be opened.
  assert.equal(await page.locator("table.list button[aria-expanded]").count(), 2);
  await visit.close();
});

for (const look of LOOKS) test(`the line of a run opens its failure and what it wrote to its console, as text, ${look.name}`, async () => {
  const visit = await browser.visit(look);
  const { page } = visit;
  const session = await films(visit);
  await runProgram(session, "for (let i = 0; i < 60; i += 1) console.log('line', i);");
  await runProgram(session, "console.warn('<img src=x onerror=alert(1)>');\nconst rows = await helpers.db.query('SELECT titel FROM films');");
  await page.getByRole("button", { name: "Runs" }).click();
  const failed = page.getByRole("button", { name: /NO_SUCH_COLUMN/ });
  await failed.press("Enter");
  const output = page.locator(".run-output");
  await output.locator("li").first().waitFor();
  await visit.picture("home-run");
  const text = await output.innerText();
  for (const part of ["NO_SUCH_COLUMN", "no such column: titel", "did you mean title?", "Line 2, column 14 of the program"]) assert.ok(text.includes(part), text);
  assert.deepEqual(await output.locator(".console-text").allInnerTexts(), ["<img src=x onerror=alert(1)>"]);
  assert.deepEqual(await output.locator(".console-level").allInnerTexts(), ["warn"]);
  assert.deepEqual(await visit.barriers(), []);
  await failed.press("Enter");
  assert.equal(await output.count(), 0);

  await page.getByRole("button", { name: /OK Program/ }).click();
  await output.getByText("10 earlier lines not kept").waitFor();
  await visit.picture("home-run-lines");
  const lines = await output.locator(".console-text").allInnerTexts();
  assert.deepEqual(lines, Array.from({ length: 50 }, (_, at) => `line ${at + 10}`));
  await visit.close();
});

test("the first page says what runs here, and lists sessions and graphs with size and last use", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const session = worker.session();
  await session.load("films", FILMS, { type: "text/csv", query: "?create=true" });
  const conversation = `talk:${randomUUID()}`;
  const graph = `/api/graph/${encodeURIComponent(conversation)}`;
  const json = { "content-type": "application/json" };
  await worker.fetch(`${graph}/init`, { method: "POST", headers: json, body: JSON.stringify({ name: "Genes of diabetes" }) });
  await worker.fetch(`${graph}/mock-data`, { method: "POST", headers: json, body: JSON.stringify({ dataset: "diabetes" }) });
  // The index gets sizes after the responses.
  const listed = async (path, list, is) => (await (await worker.fetch(path)).json())[list].find(is);
  await until(async () => (await listed("/api/codemode/sessions?limit=1000", "sessions", ({ name }) => name === session.name)) !== undefined);
  await until(async () => (await listed("/api/graph/projects?limit=1000", "data", ({ conversationId }) => conversationId === conversation)) !== undefined);
  const { version } = await (await worker.fetch("/health")).json();
  await page.goto(worker.url);

  await page.getByRole("heading", { level: 1, name: `Code Mode Database ${version}` }).waitFor();
  await page.getByText(`${worker.url}/mcp`, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Copy the address of the MCP server" }).click();
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === `${worker.url}/mcp`);

  const row = page.getByRole("row", { name: session.name });
  const [size, lastUse] = await row.getByRole("cell").allInnerTexts();
  const entry = await listed("/api/codemode/sessions?limit=1000", "sessions", ({ name }) => name === session.name);
  assert.match(size, /^[0-9.]+ KB$/);
  assert.ok(Math.abs(Number.parseFloat(size) * 1_000 - entry.databaseSize) < 100, `${size}, ${entry.databaseSize} bytes`);
  assert.equal(lastUse, "just now");
  assert.equal(await row.locator("time").first().getAttribute("datetime"), entry.lastActivity);

  const [name, holds, changed] = await page.getByRole("row", { name: conversation }).getByRole("cell").allInnerTexts();
  assert.deepEqual([name, changed], ["Genes of diabetes", "just now"]);
  assert.match(holds, /^\d+ nodes?, \d+ edges?$/);
  await page.getByRole("link", { name: conversation }).click();
  await page.getByText("8 nodes · 10 edges").waitFor();
  await visit.close();
});
