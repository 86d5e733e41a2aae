// Tests of the first steps of a new user in Chromium, without a language model: from the first page
// to a chart with no id typed, the example questions, the choices of a question back, and the list
// of threads.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Worker } from "../worker/harness.mjs";
import { approve, ask, card, question, reply, Thread } from "./agent.mjs";
import { Browser } from "./browser.mjs";
import { cells, drop } from "./home.mjs";

/** The time in which a new user gets from the first page to a chart. */
const MINUTE_MS = 60_000;

let open, scoped, browser;
before(async () => {
  open = await Worker.start();
  scoped = await Worker.start({ settings: { TENANT_COLUMN: "owner", GLOBAL_TABLES: "cities" } });
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await Promise.all([open?.stop(), scoped?.stop()]);
});

const REGIONS = ["North", "South", "East"];
const ORDERS = ["region,product,price,owner", ...Array.from({ length: 60 }, (_, at) => `${REGIONS[at % 3]},${["Pen", "Ink"][at % 2]},${(at * 1.37 + 0.123).toFixed(3)},${at < 30 ? "acme" : "zeta"}`)].join("\n");

const examples = (page) => page.getByRole("group", { name: "Example questions" }).getByRole("button");

/**
 * Loads a CSV file into a new session, which a click or the file itself creates, and clicks Ask.
 */
async function loaded(page, worker, name, content, begins = "click") {
  await page.goto(worker.url);
  if (begins === "file") {
    await page.getByText("Drop a CSV file on this page").waitFor();
  } else {
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByText("unless it is used").waitFor();
  }
  await drop(page, { name, content });
  await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  await page.getByRole("grid").waitFor();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}

describe("a new user", () => {
  test("drops a CSV file, asks by a click, approves and sees a chart, and types nothing", async () => {
    const visit = await browser.visit();
    const { page } = visit;
    const typed = [];
    await page.exposeBinding("reportInput", (_, text) => typed.push(text));
    await page.addInitScript(() => document.addEventListener("input", (event) => globalThis.reportInput(String(event.target.value)), true));
    const startedMs = Date.now();
    await loaded(page, open, "orders.csv", ORDERS, "file");
    await page.getByText("No language model is configured").waitFor();
    assert.match(await page.getByRole("list", { name: "Tables that can be asked about" }).innerText(), /orders 60 rows\nregion, product, price, owner/);
    assert.equal(await page.getByRole("form", { name: "Who asks, and about which tables" }).count(), 0);
    assert.equal(await examples(page).count(), 3);
    await page.getByRole("button", { name: "What is the average price of orders per region?" }).click();
    await approve(page);
    const chart = page.getByRole("img", { name: "average_price by region" });
    await chart.waitFor();
    assert.ok(Date.now() - startedMs < MINUTE_MS, `it took ${Date.now() - startedMs} ms`);
    assert.deepEqual(typed, []);
    assert.equal(await chart.locator("rect").count(), 3);
    // Numbers are rounded; the cell opens the whole value.
    assert.deepEqual(await cells(page, 1), ["East", "41.91"]);
    await page.locator('[aria-rowindex="2"] td').last().dblclick();
    assert.match(await page.getByRole("dialog").locator(".whole-value").innerText(), /^41\.90\d+$/);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    assert.deepEqual((await reply(page).innerText()).match(/\d+ rows/g), ["3 rows"]);
    assert.doesNotMatch(await page.locator("main").innerText(), /SHA-256|writeQuery|executeQuery|generateAnswer/);
    assert.equal(await page.title(), "What is the average price of orders per region? · Questions · Code Mode Database");
    await visit.close();
  });

  test("names the business once where the deployment has a scope, and sees its rows only", async () => {
    const visit = await browser.visit();
    const { page } = visit;
    const startedMs = Date.now();
    await loaded(page, scoped, "orders.csv", ORDERS);
    const form = page.getByRole("form", { name: "Who asks, and about which tables" });
    await form.getByLabel("Business").fill("acme");
    await form.getByRole("button", { name: "Use these" }).click();
    await page.getByText(/^Asking the session .* for acme as guest$/).waitFor();
    await page.getByRole("button", { name: "How many orders per region?" }).click();
    await approve(page);
    await page.getByRole("img", { name: "count by region" }).waitFor();
    assert.ok(Date.now() - startedMs < MINUTE_MS, `it took ${Date.now() - startedMs} ms`);
    assert.deepEqual(await cells(page, 1), ["East", "10"]);
    // The tab remembers the choice: the next thread does not ask again.
    const session = new URL(page.url()).hash;
    await page.goto("about:blank");
    await page.goto(`${scoped.url}/agent/another${session}`);
    await examples(page).first().waitFor();
    assert.equal(await form.count(), 0);
    await visit.close();
  });

  test("is offered tables of one business only, where a scope is set", async () => {
    const session = scoped.session();
    await session.exec("CREATE TABLE secrets (kind TEXT, size REAL)");
    await session.exec("CREATE TABLE cities (country TEXT, people INTEGER)");
    for (let row = 0; row < 30; row += 1) await session.exec("INSERT INTO secrets VALUES (?, ?)", [REGIONS[row % 3], row]);
    for (let row = 0; row < 9; row += 1) await session.exec("INSERT INTO cities VALUES (?, ?)", [REGIONS[row % 3], row]);
    const visit = await browser.visit();
    const { page } = visit;
    await page.goto(new Thread(scoped, session.name).address);
    await page.getByLabel("Business").fill("acme");
    await page.getByRole("button", { name: "Use these" }).click();
    await page.getByText("1 table cannot be asked about for one business").waitFor();
    assert.match((await examples(page).allTextContents()).join(" "), /^How many cities per country\?/);
    await visit.close();
  });
});

/** Tables like those that people have: odd names, capital letters, dates, one column, no rows. */
const FILES = {
  "Sales Q3 2025.csv": ["Region,Sales Rep,Order Total,Units Sold,Order Date", ...Array.from({ length: 20 }, (_, at) => `${["EMEA", "APAC"][at % 2]},Rep ${at % 3},${at * 13.1},${at},2025-07-${10 + at}`)],
  "titanic.csv": ["PassengerId,Survived,Pclass,Name,Sex,Age,Fare,Embarked", ...Array.from({ length: 30 }, (_, at) => `${at + 1},${at % 2},${1 + (at % 3)},"Doe, Mr. ${at}",${["male", "female"][at % 2]},${20 + at},${7 + at * 1.1},${"SCQ"[at % 3]}`)],
  "names.csv": ["name", "Ann", "Bo", "Cy"],
  "numbers.csv": ["n", "1", "2", "3"],
  "top_5_movies.csv": ["title,year,rating,genre", ...Array.from({ length: 12 }, (_, at) => `Film ${at},${1990 + at},${5 + at / 10},${["Drama", "Comedy"][at % 2]}`)],
  "order.csv": ["group,select,count,average,per", "x,a,1,2.5,3", "y,b,2,3.5,4", "x,c,3,1.5,5", "y,d,4,2.5,6"],
  "weather.csv": ["date,temp_max,temp_min,wind,weather", ...Array.from({ length: 20 }, (_, at) => `2026-01-${10 + at},${at},${at - 5},${at / 3},${["sun", "rain"][at % 2]}`)],
  "日本.csv": ["名前,価格,カテゴリ", "ペン,100,文具", "りんご,150,食品", "インク,300,文具", "なし,120,食品"],
  "Sheet1 (2).csv": ["Größe,Farbe,Preis (€)", "10,rot,3.5", "12,blau,4.5", "14,rot,2", "11,blau,3"],
  "average.csv": ["highest,most,each", "1.5,a,x", "2.5,b,y", "3.5,a,x", "4.5,b,y"],
  "series.csv": ["Status,series,analysis,bus", ...Array.from({ length: 12 }, (_, at) => `${["ok", "bad"][at % 2]},s${at % 2},${at},${at * 2}`)],
  "empty.csv": ["a,b"],
};

describe("an example question", () => {
  for (const [name, lines] of Object.entries(FILES)) {
    test(`of ${name} is understood`, async () => {
      const visit = await browser.visit();
      const { page } = visit;
      await page.goto(open.url);
      await page.getByRole("button", { name: "New session" }).click();
      await page.getByText("unless it is used").waitFor();
      await drop(page, { name, content: lines.join("\n") });
      await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByRole("list", { name: "Tables that can be asked about" }).waitFor();
      const session = decodeURIComponent(new URL(page.url()).hash.slice("#session=".length));
      const offered = await examples(page).allTextContents();
      for (const text of offered) {
        const thread = new Thread(open, session);
        await thread.ask(text, { businessId: null });
        const { pending, values } = await thread.get("/state");
        assert.ok(pending !== null, `${text}: ${values.answer}`);
        await thread.decide({ action: "approved" });
        assert.equal((await thread.get("/state")).values.outcome, "answered", text);
      }
      // If every name is a word of the question language, no example is offered.
      assert.equal(offered.length > 0, !["order.csv", "average.csv"].includes(name), JSON.stringify(offered));
      await visit.close();
    });
  }
});

test("the choices of a question back are buttons that complete the question", async () => {
  const session = open.session();
  await session.exec("CREATE TABLE films (title TEXT, rating REAL)");
  await session.exec("CREATE TABLE books (title TEXT, rating REAL)");
  await session.exec("INSERT INTO films VALUES ('Heat', 8), ('Alien', 9)");
  await session.exec("INSERT INTO books VALUES ('Emma', 5), ('Ulysses', 6)");
  const thread = new Thread(open, session.name);
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(thread.address);
  await examples(page).first().waitFor();
  await ask(page, "average rating");
  const choices = page.getByRole("group", { name: "Meanings to choose from" }).getByRole("button");
  await choices.first().waitFor();
  assert.deepEqual((await choices.allTextContents()).sort(), (await thread.get("/state")).values.askedBack.choices.toSorted());
  await choices.filter({ hasText: "films" }).click();
  await approve(page);
  await reply(page).getByText("8.5").waitFor();
  assert.equal(await choices.count(), 0);
  const { values } = await thread.get("/state");
  assert.deepEqual([values.outcome, values.title], ["answered", "average rating"]);
  await visit.close();
});

test("a card counts the rows that foreign keys delete beside those of the statement", async () => {
  const session = open.session();
  await session.exec("CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT)");
  await session.exec("CREATE TABLE essays (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES authors(id) ON DELETE CASCADE, title TEXT)");
  await session.exec("INSERT INTO authors VALUES (1, 'Ada'), (2, 'Bo')");
  await session.exec("INSERT INTO essays VALUES (1, 1, 'Loops'), (2, 1, 'Engines'), (3, 2, 'Trees')");
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(new Thread(open, session.name).address);
  await examples(page).first().waitFor();
  await ask(page, "delete the authors named Ada");
  await card(page).waitFor();
  assert.match(await card(page).innerText(), /1 row, and 2 more by foreign keys, triggers or replacement in a dry run that was rolled back/);
  await approve(page);
  await page.getByRole("button", { name: "Undo this change" }).waitFor();
  assert.deepEqual((await session.query("SELECT title FROM essays")).results, [{ title: "Trees" }]);
  await visit.close();
});

test("more rows than a reply has are counted once and exactly", async () => {
  const session = open.session();
  await session.exec("CREATE TABLE marks (mark INTEGER, note TEXT)");
  await session.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 51) INSERT INTO marks SELECT i, 'note ' || i FROM n");
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(new Thread(open, session.name).address);
  await examples(page).first().waitFor();
  await ask(page, "list all marks");
  await card(page).waitFor();
  await approve(page);
  await page.getByRole("grid").waitFor();
  const text = await reply(page).innerText();
  assert.deepEqual(text.match(/\d+ rows/g), ["51 rows"], text);
  assert.doesNotMatch(text, /more than|first 10/i);
  await visit.close();
});

test("a new thread offers the sessions, last used first, and the list of threads has no ids", async () => {
  const [first, last] = [open.session(), open.session()];
  for (const session of [last, first, last]) {
    await session.exec("CREATE TABLE IF NOT EXISTS marks (mark INTEGER)");
    await until(async () => {
      const { sessions } = await (await open.fetch("/api/codemode/sessions?limit=100")).json();
      return sessions.some(({ name }) => name === session.name);
    });
  }
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(open.url);
  await page.getByRole("button", { name: "New thread" }).click();
  const list = page.getByRole("combobox", { name: "Session" });
  await list.waitFor();
  const names = await list.locator("option").allTextContents();
  assert.deepEqual(names.slice(-2), ["Another session…", "The persistent tables"]);
  const { sessions } = await (await open.fetch("/api/codemode/sessions?limit=100")).json();
  const times = new Map(sessions.map(({ name, lastActivity }) => [name, Date.parse(lastActivity)]));
  const used = names.slice(0, -2).map((name) => times.get(name));
  assert.deepEqual(used, used.toSorted((one, other) => other - one));
  await list.selectOption(first.name);
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByText(`Asking the session ${first.name} as guest`).waitFor();
  await question(page).fill("How many marks are there?");
  await page.keyboard.press("Enter");
  await card(page).waitFor();
  const { pathname } = new URL(page.url());
  await page.goto(open.url);
  const waiting = page.getByRole("region", { name: /waits? for a decision/ });
  await waiting.locator(`a[href="${pathname}"]`).getByText("How many marks are there?").waitFor();
  assert.equal((await page.locator("main").innerText()).includes(pathname.split("/").at(-1)), false);
  await visit.close();
});
