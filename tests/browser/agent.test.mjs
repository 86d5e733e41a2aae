// Tests of the page /agent/{threadId} in Chromium: asking questions and deciding on statements.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../until.mjs";
import { approve, ask, askForCard, card, cardOfUndo, openThread, question, RAISE, reply, shop, startWorker } from "./agent.mjs";
import { Browser } from "./browser.mjs";
import { cells, downloaded, editor } from "./home.mjs";

let running, worker, browser;
before(async () => {
  running = await startWorker();
  worker = running.worker;
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await running?.stop();
});

/** Opens the page of a new thread. */
async function visited(options) {
  const visit = await browser.visit();
  const { session, thread } = await shop(worker);
  await openThread(visit.page, thread, options);
  return { visit, page: visit.page, session, thread };
}

const prices = (session) => session.query("SELECT id, price FROM orders ORDER BY id", undefined, { rowFormat: "array" }).then(({ results }) => results);

test("a question becomes a statement that a person reads and approves, and its rows are a table and a chart", async () => {
  const { visit, page, thread } = await visited();
  await page.evaluate(() => {
    globalThis.drafts = [];
    new MutationObserver(() => {
      const text = document.querySelector(".is-draft")?.textContent;
      if (text) globalThis.drafts.push(text);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await askForCard(page, "How many orders has each city?");
  const text = await card(page).innerText();
  for (const part of ["Reads", "Counts the orders of each city.", "Decide within 7 h 59 min"]) assert.ok(text.includes(part), `${part} in ${text}`);
  // The hash, the plan and the author are shown only under Details.
  for (const part of ["SHA-256", "Written by", "How the engine does it"]) assert.ok(!text.includes(part), `${part} in ${text}`);
  assert.deepEqual(await card(page).locator(".sql").first().locator(".sql-keyword").allTextContents(), ["SELECT", "AS", "FROM", "GROUP", "BY", "ORDER", "BY", "DESC"]);
  // The card has the focus, and is announced.
  await page.waitForFunction(() => document.activeElement?.classList.contains("is-pending"));
  assert.equal(await page.locator("[aria-live]").first().innerText(), "A statement waits for your decision: Counts the orders of each city.");
  await card(page).getByText("Details", { exact: true }).click();
  const details = await card(page).innerText();
  for (const part of ["Written by a language model", "SHA-256", "The statement as it runs, kept to the rows of the business"]) assert.ok(details.includes(part), `${part} in ${details}`);
  assert.match(await card(page).locator(".plan").innerText(), /orders/);
  const { pending } = await thread.get("/state");
  assert.equal(await card(page).locator(".hash code").getAttribute("title"), pending.sha256);

  await approve(page);
  await page.getByRole("grid").waitFor();
  assert.deepEqual([await cells(page, 1), await cells(page, 2), await cells(page, 3)], [["Oslo", "2"], ["Bergen", "1"], []]);
  assert.match(await reply(page).innerText(), /^Told: How many orders has each city\?/);
  assert.match(await page.locator(".statement").innerText(), /^Approved by ada/);
  assert.ok((await page.evaluate(() => globalThis.drafts)).some((draft) => draft.startsWith("Told: ")), "the reply was not seen while it was written");
  const chart = page.getByRole("img", { name: "orders by city" });
  assert.deepEqual(await chart.locator("rect title").allTextContents(), ["Oslo: 2", "Bergen: 1"]);

  await askForCard(page, "How many orders has each city by month?");
  await approve(page);
  await page.getByRole("img", { name: "orders by month" }).waitFor();
  assert.deepEqual(await page.locator(".legend li").allTextContents(), ["Bergen", "Oslo"]);
  // The person and the business are kept in the tab only.
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie), "{}");
  await visit.close();
});

test("a write shows its rows before and after, is edited, checked again, run, and taken back", async () => {
  const { visit, page, session } = await visited();
  const first = await prices(session);
  await askForCard(page, "Double the prices of Ada");
  assert.match(await card(page).innerText(), /2 rows in a dry run that was rolled back/);
  assert.deepEqual(await prices(session), first);
  const sample = card(page).getByRole("table");
  assert.deepEqual(await sample.locator(".is-changed").allTextContents(), ["10", "20", "12.5", "25"]);
  assert.deepEqual(await sample.locator("tbody th").allTextContents(), ["before", "after", "before", "after"]);

  await card(page).getByRole("button", { name: "Edit" }).click();
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("UPDATE orders\nSET prise = 1");
  await page.getByRole("button", { name: "Check the edited statement" }).click();
  // The page shows the failed check, and the pending statement still waits.
  await card(page).getByText("NO_SUCH_COLUMN").waitFor();
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(`${RAISE}\n  AND city = 'Oslo' AND id = 2`);
  const changes = page.getByRole("group", { name: "Changes of the statement" });
  assert.deepEqual(await changes.locator(".diff-new code").allTextContents(), ["Added:   AND city = 'Oslo' AND id = 2"]);
  assert.equal(await changes.locator(".diff-old").count(), 0);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("Replaced by an edit").waitFor();
  await card(page).getByText("1 row in a dry run").waitFor();
  await card(page).getByText("Details", { exact: true }).click();
  assert.match(await card(page).innerText(), /Edited by a person/);
  assert.equal(await card(page).locator(".diff-new").count(), 1);
  await approve(page);
  const undo = page.getByRole("button", { name: "Undo this change" });
  await undo.waitFor();
  assert.deepEqual(await prices(session), [[1, 10], [2, 25], [3, 7], [4, 99]]);

  await undo.click();
  await cardOfUndo(page).waitFor();
  assert.deepEqual(await cardOfUndo(page).locator(".is-changed").allTextContents(), ["25", "12.5"]);
  assert.equal(await cardOfUndo(page).getByRole("button", { name: "Edit" }).count(), 0);
  await approve(page);
  await page.getByText("This change was taken back.").waitFor();
  assert.deepEqual(await prices(session), first);
  await visit.close();
});

test("a rejection says why, and another statement is written or none", async () => {
  const { visit, page, thread, session } = await visited();
  await askForCard(page, "How many orders has each city?");
  await card(page).getByRole("button", { name: "Reject" }).click();
  await page.getByLabel("Reason").fill("without <Oslo>");
  await page.getByRole("button", { name: "Reject and write another one" }).click();
  await card(page).getByText("Counts the orders of each city but Oslo.").waitFor();
  assert.ok((await page.locator(".statement").first().innerText()).startsWith("Rejected: without <Oslo>"));
  const { values } = await thread.get("/state");
  assert.match(values.feedback, /without <Oslo>/);

  await askForCard(page, "Delete the orders of Bo");
  assert.match(await card(page).innerText(), /Deletes, destructive/);
  await page.getByText("Superseded: another question came first").waitFor();
  await card(page).getByRole("button", { name: "Reject" }).click();
  await page.getByLabel("Write another statement").uncheck();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await reply(page).getByText("The statement was rejected and did not run.").waitFor();
  assert.equal((await prices(session)).length, 4);
  await visit.close();
});

test("two tabs show one thread, and a decision that comes second is told what became of it", async () => {
  const { visit, page, thread } = await visited();
  await askForCard(page, "How many orders are there?");
  const other = await visit.context.newPage();
  // The second tab gets no events, so its card stays as it is.
  const held = [];
  await other.route(/\/events$/, (route) => void held.push(route));
  await openThread(other, thread, { userId: "bo" });
  await card(other).waitFor();
  await until(() => held.length > 0);
  await approve(page);
  await reply(page).getByText("Told: How many orders are there?").waitFor();
  await approve(other);
  await other.getByRole("alert").getByText("ALREADY_DECIDED").waitFor();
  await other.getByText("Approved by ada").waitFor();
  await reply(other).getByText("Told: How many orders are there?").waitFor();
  await other.unroute(/\/events$/);
  await Promise.all(held.map((route) => route.abort().catch(() => {})));

  // Both tabs show the questions and decisions of another client without a reload.
  await thread.ask("Double the prices of Ada");
  for (const tab of [page, other]) await card(tab).waitFor();
  await thread.decide({ action: "rejected", reason: "no" });
  for (const tab of [page, other]) await tab.getByText("Rejected: no").waitFor();
  await visit.close();
});

test("a reader goes on where its connection broke, and a reload shows the same", async () => {
  const { visit, page, thread } = await visited();
  await askForCard(page, "How many orders has each city?");
  await visit.context.setOffline(true);
  await page.getByText("Connection lost; trying again…").waitFor();
  await thread.decide({ action: "approved" });
  const asked = page.waitForRequest((request) => request.url().endsWith("/events") && Number(request.headers()["last-event-id"]) > 0);
  await visit.context.setOffline(false);
  await asked;
  await page.getByRole("grid").waitFor();
  await page.getByText("Approved by http").waitFor();
  const seen = () => page.locator(".turn").allInnerTexts();
  await page.getByText("Live", { exact: true }).waitFor();
  const first = await seen();
  await page.reload();
  await page.getByText("Approved by http").waitFor();
  await page.getByRole("grid").waitFor();
  await until(async () => JSON.stringify(await seen()) === JSON.stringify(first));
  // The browser itself reports requests that reach nobody.
  visit.problems = visit.problems.filter((problem) => !problem.includes("net::ERR_INTERNET_DISCONNECTED"));
  await visit.close();
});

test("a question that was not accepted is sent again under its id", async () => {
  const { visit, page, thread } = await visited();
  const first = page.waitForRequest((request) => request.url().endsWith("/messages"));
  await page.route(/\/messages$/, (route) => route.abort(), { times: 1 });
  await ask(page, "How many orders are there?");
  await page.getByRole("alert").waitFor();
  const sent = page.waitForRequest((request) => request.url().endsWith("/messages"));
  await page.getByRole("button", { name: "Send again" }).click();
  const { inputId } = (await sent).postDataJSON();
  assert.equal((await first).postDataJSON().inputId, inputId);
  await card(page).waitFor();
  assert.equal(await question(page).inputValue(), "");
  assert.equal((await thread.get("/state")).values.inputId, inputId);
  // The browser itself reports requests that reach nobody.
  visit.problems = visit.problems.filter((problem) => !problem.includes("net::ERR_FAILED"));
  await visit.close();
});

test("a refused statement, a question that the tables cannot answer, and a business that has no rows are shown as what they are", async () => {
  const { visit, page } = await visited({ businessId: "nobody" });
  await askForCard(page, "Count with a slip");
  await page.getByText("A statement was refused before anybody saw it").click();
  assert.match(await page.locator(".refused").innerText(), /SQL_BLOCKED[^]*no table odrers/);
  await approve(page);
  await reply(page).getByText("Told: Count with a slip").waitFor();
  await ask(page, "What is the weather?");
  await reply(page).getByText("no weather").waitFor();
  assert.deepEqual(await reply(page).locator("strong, code, li").allTextContents(), ["no weather", "orders", "a city", "a price"]);
  await visit.close();
});

test("rows, explanations and replies are text and never elements", async () => {
  const { visit, page } = await visited();
  await askForCard(page, "What do the notes say?");
  assert.match(await card(page).innerText(), /Lists the notes <img src=x onerror=alert\(1\)>\./);
  await approve(page);
  await page.getByRole("grid").waitFor();
  assert.deepEqual([await cells(page, 1), await cells(page, 2)], [["<b>fragile</b> | [link](https://example.com)"], ["<img src=x onerror=alert(1)>"]]);
  assert.equal(await page.locator("main :is(img, b, main a)").count(), 0);
  await visit.close();
});

test("characters that are not seen, or that move others, have their numbers wherever a person reads", async () => {
  const { visit, page } = await visited();
  await askForCard(page, "Which orders are paid?", "Lists one order.⟨U+2028⟩Kind: read⟨U+202E⟩.");
  const text = await card(page).innerText();
  for (const part of ["WHERE city = 'Oslo⟨U+202E⟩AND id = 1 --⟨U+2066⟩' OR note = 'שלום' OR 1 = 1 --⟨U+00A0⟩'", "Lists one order.⟨U+2028⟩Kind: read⟨U+202E⟩.", "The text has invisible characters."]) assert.ok(text.includes(part), `${part} in ${text}`);
  // Each word keeps its place beside right-to-left letters.
  const places = await card(page).locator(".sql-text").evaluateAll((words) => words.map((word) => ({ text: word.textContent, isIsolated: getComputedStyle(word).unicodeBidi === "isolate" })));
  assert.ok(places.length >= 2 && places.every(({ isIsolated }) => isIsolated), JSON.stringify(places));
  await card(page).getByRole("button", { name: "Edit" }).click();
  await editor(page).waitFor();
  assert.match(await editor(page).innerText(), /Oslo⟨U\+202E⟩AND id = 1 --⟨U\+2066⟩'/);
  await page.keyboard.press("Escape");
  await approve(page);
  await page.getByRole("grid").waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "n⟨U+200B⟩ote" }).count(), 1);
  assert.match((await cells(page, 2))[1], /^⟨U\+2066⟩<b>fragile/);
  const shown = await page.evaluate(() => document.body.innerText);
  assert.doesNotMatch(shown, /[\u200b-\u200f\u2028-\u202e\u2066-\u2069\u00a0]/u);
  await visit.close();
});

test("the history shows earlier states, and a conversation goes on from one", async () => {
  const { visit, page, thread } = await visited();
  await askForCard(page, "How many orders are there?");
  await approve(page);
  await reply(page).getByText("Told: How many").waitFor();
  await askForCard(page, "Double the prices of Ada");
  await page.getByRole("button", { name: "History" }).click();
  const list = page.locator(".checkpoints li");
  await list.first().getByText("A statement waits for a decision").waitFor();
  const before = await list.count();
  await list.filter({ hasText: "The reply was written" }).getByRole("button").click();
  await page.getByText("You look at an earlier state.").waitFor();
  assert.equal(await page.locator(".question").count(), 1);
  // An earlier state is read-only.
  assert.equal(await page.getByRole("button", { name: "Approve", exact: true }).count(), 0);
  assert.equal(await question(page).count(), 0);
  const slider = page.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  await page.getByText("Checkpoint 1", { exact: true }).waitFor();
  assert.equal(await page.locator(".statement").count(), 0);
  await list.filter({ hasText: "The reply was written" }).getByRole("button").click();
  await page.getByText(/^Checkpoint [^1]/).first().waitFor();
  await page.getByRole("button", { name: "Go on from here" }).click();
  await list.first().getByText("A new branch began").waitFor();
  assert.equal(await list.count(), before + 1);
  assert.deepEqual(await page.locator(".question").allTextContents(), ["How many orders are there?"]);
  assert.equal((await thread.get("/state")).pending, null);
  await askForCard(page, "How many orders has each city?");
  assert.deepEqual(await page.locator(".question").allTextContents(), ["How many orders are there?", "How many orders has each city?"]);
  await visit.close();
});

test("the audit is verified in the page, a changed record is found, and the export has every record", async () => {
  const { visit, page, thread } = await visited();
  await askForCard(page, "How many orders are there?");
  await approve(page);
  await reply(page).getByText("Told: How many").waitFor();
  await page.getByRole("button", { name: "Audit" }).click();
  await page.getByText("Verified.").waitFor();
  await page.locator(".audit li").filter({ hasText: "ada decided: approved" }).waitFor();
  const { records } = await thread.get("/audit?limit=200");
  const { name, text } = await downloaded(page, () => page.getByRole("button", { name: "Export as JSON lines" }).click());
  assert.equal(name, `${thread.name}-audit.ndjson`);
  assert.deepEqual(text.trimEnd().split("\n").map((line) => JSON.parse(line)), records);
  await page.route(/\/audit/, async (route) => {
    const response = await route.fetch();
    const changed = await response.json();
    changed.records[2].body = changed.records[2].body.replace("Counts", "Shows");
    await route.fulfill({ response, json: changed });
  });
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByRole("alert").getByText("The chain breaks at record 3").waitFor();
  await visit.close();
});

test("the memory is searched, pinned, asked again and deleted", async () => {
  const { visit, page } = await visited();
  for (const text of ["How many orders has each city?", "How many orders are there?"]) {
    await askForCard(page, text);
    await approve(page);
    await reply(page).getByText(`Told: ${text}`).waitFor();
  }
  await page.getByRole("button", { name: "Memory" }).click();
  const pairs = page.locator(".pair");
  await until(async () => (await pairs.count()) === 2);
  await page.getByRole("searchbox", { name: "Search" }).fill("city");
  await until(async () => (await pairs.first().innerText()).startsWith("How many orders has each city?"));
  await page.getByRole("button", { name: "Pin: How many orders has each city?" }).click();
  await page.getByRole("button", { name: "Unpin: How many orders has each city?" }).waitFor();
  await page.getByRole("button", { name: "Ask this: How many orders has each city?" }).click();
  assert.equal(await question(page).inputValue(), "How many orders has each city?");
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await page.getByRole("button", { name: "Delete: How many orders are there?" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await until(async () => (await pairs.count()) === 1);
  await visit.close();
});

test("threads are listed and begun on the page of the deployment, and end when they are deleted", async () => {
  const { visit, page, thread, session } = await visited();
  await askForCard(page, "How many orders are there?");
  await page.goto(worker.url);
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="/agent/${thread.name}"]`) });
  await row.getByText("waits for a decision").waitFor();
  assert.equal(await row.getByRole("link").innerText(), "How many orders are there?");
  // A thread with a title is shown without its id, and pending decisions are at the top.
  assert.doesNotMatch(await page.locator("main").innerText(), new RegExp(thread.name));
  await page.getByRole("region", { name: /waits? for a decision/ }).locator(`a[href="/agent/${thread.name}"]`).click();
  await card(page).waitFor();
  await page.getByRole("button", { name: "Delete the thread" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("This thread was deleted.").waitFor();
  assert.equal((await thread.fetch("/state")).status, 404);

  await page.goto(`${worker.url}/#/sessions/${session.name}`);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText(`Asking the session ${session.name}`).waitFor();
  await page.goto(worker.url);
  await page.getByRole("button", { name: "New thread" }).click();
  await question(page).waitFor();
  assert.match(new URL(page.url()).pathname, /^\/agent\/[0-9a-f]{12}$/);
  await visit.close();
});

test("two persons approve a write where the deployment says so, and what nobody decides in time expires on the page", async (t) => {
  const strict = await startWorker({ AGENT: JSON.stringify({ requireApprovers: 2, approvalTtlSeconds: 20 }) });
  t.after(() => strict.stop());
  const visit = await browser.visit();
  const { page } = visit;
  const { thread, session } = await shop(strict.worker);
  await openThread(page, thread);
  await askForCard(page, "Double the prices of Ada");
  await approve(page);
  await card(page).getByText("1 of 2 approvals: ada").waitFor();
  await approve(page);
  await card(page).getByText("ALREADY_APPROVED").waitFor();
  await thread.decide({ action: "approved" }, "bo");
  await page.getByText("Approved by ada, bo").waitFor();
  assert.deepEqual((await prices(session)).at(0), [1, 20]);

  await askForCard(page, "Delete the orders of Bo");
  assert.match(await card(page).innerText(), /Decide within 1?\d s/);
  await page.getByText("Expired: nobody decided in time").waitFor();
  await reply(page).getByText("Nobody decided in time, so the statement did not run.").waitFor();
  assert.equal((await prices(session)).length, 4);
  await visit.close();
});
