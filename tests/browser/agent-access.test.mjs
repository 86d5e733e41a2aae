// Tests of the page of a thread with a token, by keyboard alone, and of its accessibility: axe in
// both themes and at both sizes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKENS } from "../worker/harness.mjs";
import { approve, ask, askForCard, card, cardOfUndo, openThread, question, reply, shop, startWorker, Thread } from "./agent.mjs";
import { Browser, NARROW, WIDE } from "./browser.mjs";
import { editor } from "./home.mjs";

let open, closed, browser;
before(async () => {
  open = await startWorker();
  closed = await startWorker({ API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) });
  browser = await Browser.start();
});
after(async () => {
  await browser?.stop();
  await Promise.all([open?.stop(), closed?.stop()]);
});

for (const theme of ["light", "dark"]) {
  for (const [name, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    test(`axe finds nothing serious: ${theme}, ${name}`, async () => {
      const visit = await browser.visit({ theme, size });
      const { page } = visit;
      const { thread } = await shop(open.worker);
      const clean = async (what) => {
        assert.deepEqual(await visit.barriers(), [], what);
        // Content that does not fit scrolls in a part of the page, never the page itself.
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, `${what} is too wide`);
      };
      const panel = async (text) => {
        if (await page.getByRole("button", { name: "Close the panel" }).isVisible()) await page.getByRole("button", { name: "Close the panel" }).click();
        await page.getByRole("group", { name: "Panels" }).getByRole("button", { name: text }).click();
      };
      await page.goto(`${open.worker.url}/agent/${thread.name}`);
      await page.getByRole("form", { name: "Who asks, and about which tables" }).waitFor();
      await clean("a fresh thread");
      await page.goto("about:blank");
      await openThread(page, thread);
      await askForCard(page, "How many orders has each city by month?");
      await clean("a card");
      await approve(page);
      await page.getByRole("grid").waitFor();
      await clean("a result");
      await page.getByRole("img", { name: "orders by month" }).waitFor();
      await clean("a chart");
      await askForCard(page, "Double the prices of Ada");
      await clean("a write");
      await card(page).getByRole("button", { name: "Edit" }).click();
      await editor(page).click();
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.insertText("\n  AND city = 'Oslo'");
      await page.getByRole("group", { name: "Changes of the statement" }).waitFor();
      await clean("an edit");
      await page.getByRole("button", { name: "Check the edited statement" }).click();
      await page.getByText("Replaced by an edit").waitFor();
      await card(page).getByRole("button", { name: "Reject" }).click();
      await clean("an edited statement, and the form of a rejection");
      await page.getByRole("button", { name: "Cancel" }).click();
      await approve(page);
      await page.getByRole("button", { name: "Undo this change" }).click();
      await cardOfUndo(page).waitFor();
      await clean("an undo");
      await panel("Audit");
      await page.getByText("Verified.").waitFor();
      await clean("the audit");
      await panel("Memory");
      await page.locator(".pair").first().waitFor();
      await clean("the memory");
      await panel("History");
      await page.locator(".checkpoints button").last().click();
      await page.getByText("You look at an earlier state.").waitFor();
      await clean("the history");
      await page.getByRole("button", { name: "Close the panel" }).click();
      await page.getByRole("button", { name: "Back to now" }).click();
      await ask(page, "What is the weather?");
      await reply(page).getByText("no weather").waitFor();
      await clean("a reply without a statement");
      await visit.close();
    });
  }
}

test("everything is done by keyboard alone", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const { thread, session } = await shop(open.worker);
  await page.goto(`${open.worker.url}/agent/${thread.name}`);
  await page.getByRole("form").waitFor();
  await visit.tabTo("Conversation");
  await visit.press("Tab");
  // Typing selects an option of a list. The session was used last, so it is selected already.
  assert.equal(await page.evaluate(() => document.activeElement.value), session.name);
  await page.keyboard.type(session.name);
  await visit.press("Tab");
  await page.keyboard.type("ada");
  await visit.press("Tab", "Enter", "Tab");
  await page.keyboard.type("acme");
  await visit.press("Enter");
  // The form moves the focus on to the question.
  await visit.focusComesTo("Question");
  await page.keyboard.type("Double the prices of Ada");
  await visit.press("Enter");
  await card(page).waitFor();
  const cardHasFocus = () => page.waitForFunction(() => document.activeElement?.matches(".statement.is-pending"));
  await cardHasFocus();
  await visit.press("e");
  await editor(page).waitFor();
  await page.waitForFunction(() => document.activeElement?.classList.contains("editor"));
  await visit.press("ControlOrMeta+End");
  await page.keyboard.type(" AND id = 1");
  await visit.press("ControlOrMeta+Enter");
  await card(page).getByText("1 row in a dry run").waitFor();
  await cardHasFocus();
  await visit.press("r");
  await visit.focusComesTo("Reason");
  await page.keyboard.type("not this");
  await visit.press("Escape");
  await page.getByLabel("Reason").waitFor({ state: "detached" });
  await visit.tabTo("Approve");
  await visit.press("Enter");
  await page.getByRole("button", { name: "Undo this change" }).waitFor();
  // The focus is still in the conversation, and Tab reaches the new controls.
  await visit.tabTo("Undo this change");
  await visit.press("Enter");
  await cardOfUndo(page).waitFor();
  await cardHasFocus();
  await visit.tabTo("Approve");
  await visit.press("Enter");
  await page.getByText("This change was taken back.").waitFor();
  await visit.press("/");
  await visit.focusComesTo("Question");
  assert.deepEqual((await session.query("SELECT price FROM orders WHERE id = 1", undefined, { rowFormat: "array" })).results, [[10]]);
  await visit.close();
});

test("a token is asked for once, and no address has it", async () => {
  const visit = await browser.visit();
  const { page } = visit;
  const headers = { authorization: `Bearer ${TOKENS.acme}` };
  const { session } = await shop(closed.worker, headers);
  const thread = new Thread(closed.worker, session.name, headers);
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.goto(thread.address);
  const dialog = page.getByRole("dialog", { name: "Access token" });
  await dialog.getByLabel("Token").fill(TOKENS.acme);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ask a question in plain words" }).waitFor();
  await openThread(page, thread);
  await askForCard(page, "How many orders are there?");
  await approve(page);
  await reply(page).getByText("Told: How many").waitFor();
  assert.equal(await dialog.count(), 0);
  assert.ok(addresses.length > 0 && addresses.every((address) => !address.includes(TOKENS.acme)));
  assert.equal(await question(page).isVisible(), true);
  await visit.close();
});
